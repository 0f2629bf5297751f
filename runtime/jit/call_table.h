// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Earlier calls and the kernel of each: the fast path of a launch. A call is identified by its raw
// properties: the program's bytes, the settings as given, and each argument's name and the
// properties used for specialization. A lookup sorts no settings, does not call the tuner or the
// compiler, hashes nothing long and allocates nothing.
//
// Nothing is identified by an address. A program may be changed in place, or another may be
// allocated where one was freed, so the whole text is compared with a copy.
#ifndef KILN_JIT_CALL_TABLE_H
#define KILN_JIT_CALL_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "kiln/jit.h"

enum { KILN_CALL_KEY_SIZE = 1008, KILN_CALL_BUCKET_COUNT = 256, KILN_CALL_ARGUMENT_LIMIT = 64 };

// A call without the program's text, as bytes.
typedef struct kiln_call_key {
    uint64_t hash;
    size_t size;
    unsigned char bytes[KILN_CALL_KEY_SIZE];
} kiln_call_key_t;

typedef struct kiln_known_call {
    struct kiln_known_call *next; // in the bucket
    uint64_t hash;
    size_t key_size, text_length;
    kiln_jit_kernel_t *kernel;
    unsigned char order[KILN_CALL_ARGUMENT_LIMIT]; // for each parameter, the index of its argument
    unsigned char bytes[];                         // the key, then the text
} kiln_known_call_t;

// Read without a lock: entries are only ever added.
typedef struct kiln_call_table {
    _Atomic(kiln_known_call_t *) buckets[KILN_CALL_BUCKET_COUNT];
} kiln_call_table_t;

// False if the call is too long for the fast path, or incomplete, which the slow path reports.
bool kiln_call_key_make(const kiln_jit_call_t *call, unsigned generation, kiln_call_key_t *out_key);

const kiln_known_call_t *kiln_call_table_find(const kiln_call_table_t *table,
                                              const kiln_call_key_t *key,
                                              const kiln_source_t *source);

// Adds a call whose arguments match the kernel's parameters by name. A call that cannot be
// allocated or does not fit is not added and takes the slow path again.
void kiln_call_table_add(kiln_call_table_t *table, const kiln_call_key_t *key,
                         const kiln_jit_call_t *call, kiln_jit_kernel_t *kernel,
                         const kiln_parameter_t *parameters, size_t parameter_count);

void kiln_call_table_free(kiln_call_table_t *table);

#endif
