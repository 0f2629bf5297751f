// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The internals of a program, which load.c fills, choose.c selects from and launch.c launches.
//
// After loading, only modules and functions change, under the lock; everything else may be read by
// any thread.
#ifndef KILN_LOAD_PROGRAM_H
#define KILN_LOAD_PROGRAM_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/bundle_set.h"
#include "base/description.h"
#include "base/string.h"
#include "jit/bind.h"
#include "kiln/load.h"

typedef struct kiln_program_code { // a code object of one or more variants
    const void *bytes;             // within the set
    size_t size;
    kiln_module_t *module; // NULL: not yet on the device
} kiln_program_code_t;

struct kiln_variant {
    kiln_program_t *program;
    size_t index, code; // index in the program; index of its code
    const char *manifest;
    kiln_description_t d;
    kiln_parameter_t *parameters; // of d.arguments, for kiln_bind_one
    kiln_cell_t *cells;
    _Atomic(kiln_function_t *) function; // NULL: not yet looked up
};

struct kiln_program {
    kiln_device_t *device;
    char *name; // for messages: the file, or "memory"
    kiln_bundle_set_t set;
    kiln_program_code_t *codes;
    size_t code_count;
    kiln_variant_t *variants; // in the order of loading
    size_t variant_count;
    kiln_variant_t **by_name; // grouped by name, in the order in which kiln_program_choose tries
                              // them
    pthread_mutex_t lock;     // protects modules
};

// The variants of the call's kernel, which are consecutive in by_name.
kiln_status_t kiln_program_family(const kiln_program_t *program, const char *kernel,
                                  kiln_variant_t ***out_first, size_t *out_count);

// Whether the variant fits the call; if not and `why` is not NULL, appends the reason to it.
bool kiln_variant_fits(const kiln_variant_t *variant, const kiln_program_call_t *call,
                       kiln_string_t *why);

// Whether every call that fits `a` fits `b`, but not vice versa.
bool kiln_variant_is_more_special(const kiln_variant_t *a, const kiln_variant_t *b);

// The call's value for an argument; NULL if it has none.
const kiln_typed_argument_t *kiln_given_argument(const kiln_program_call_t *call, size_t index,
                                                 const char *name);

// kiln_program_choose for a struct of this library's own version.
kiln_status_t kiln_program_choose_complete(const kiln_program_t *program,
                                           const kiln_program_call_t *call,
                                           const kiln_variant_t **out_variant);

#endif
