// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that were made before, and the kernel that each led to: the short way of a launch. A call is known by its raw
// properties: the program's bytes, the settings as they are given, and of each argument its name and what
// specialisation looks at. So no settings are sorted, no tuner or compiler is asked, nothing is hashed that is long and
// nothing is allocated.
//
// What is easily got wrong: nothing is known by an address. A program may be changed in place, or another may come to
// lie where one was freed; so the whole text is compared with a copy.
#ifndef KILN_JIT_CALL_TABLE_H
#define KILN_JIT_CALL_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "kiln/jit.h"

enum { KILN_CALL_KEY_SIZE = 1008, KILN_CALL_BUCKET_COUNT = 256, KILN_CALL_ARGUMENT_LIMIT = 64 };

// All of a call but the program's text, as bytes.
typedef struct kiln_call_key {
    uint64_t hash;
    size_t size;
    unsigned char bytes[KILN_CALL_KEY_SIZE];
} kiln_call_key_t;

typedef struct kiln_known_call {
    struct kiln_known_call *next; // of the bucket
    uint64_t hash;
    size_t key_size, text_length;
    kiln_jit_kernel_t *kernel;
    unsigned char order[KILN_CALL_ARGUMENT_LIMIT]; // of each parameter, the number of its argument
    unsigned char bytes[];                         // the key, then the text
} kiln_known_call_t;

// Read without a lock: entries are only ever added.
typedef struct kiln_call_table {
    _Atomic(kiln_known_call_t *) buckets[KILN_CALL_BUCKET_COUNT];
} kiln_call_table_t;

// False where the call is too long for the short way or lacks something, which the long way will tell.
bool kiln_call_key_make(const kiln_jit_call_t *call, unsigned generation, kiln_call_key_t *out_key);

const kiln_known_call_t *kiln_call_table_find(const kiln_call_table_t *table, const kiln_call_key_t *key,
                                              const kiln_source_t *source);

// Remembers a call whose arguments are, by name, the kernel's parameters. What finds no memory or does not fit is not
// remembered: it goes the long way again.
void kiln_call_table_add(kiln_call_table_t *table, const kiln_call_key_t *key, const kiln_jit_call_t *call,
                         kiln_jit_kernel_t *kernel, const kiln_parameter_t *parameters, size_t parameter_count);

void kiln_call_table_free(kiln_call_table_t *table);

#endif
