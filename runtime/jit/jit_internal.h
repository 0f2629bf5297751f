// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The internals of a JIT and of its loaded kernels, for the files of this directory.
//
// A kernel that is READY never changes and lives until the JIT is released, so using it needs no
// lock.
#ifndef KILN_JIT_INTERNAL_H
#define KILN_JIT_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "hip/device.h"
#include "jit/bind.h"
#include "jit/cache.h"
#include "jit/call_table.h"
#include "jit/manifest.h"
#include "jit/specialize.h"

enum { KILN_JIT_BUCKET_COUNT = 256 };

typedef enum kiln_kernel_state { KILN_KERNEL_PENDING, KILN_KERNEL_READY } kiln_kernel_state_t;

struct kiln_jit_kernel {
    struct kiln_jit_kernel *next; // in the bucket
    kiln_kernel_state_t state;
    kiln_hash_t key;
    char key_text[33];
    // Set once, before the kernel is READY:
    kiln_setting_list_t settings;
    kiln_setting_list_t
        names; // the settings, and the constants without a setting: the names that a grid may use
    char *manifest_text;
    kiln_manifest_t manifest;
    kiln_cell_t *cells; // one per parameter
    kiln_module_t *module;
    kiln_function_t *function;
};

struct kiln_jit {
    kiln_device_t *device;
    kiln_jit_options_t options;
    char *identity; // the compiler's identity when the JIT was created
    kiln_cache_t cache;
    kiln_call_table_t calls;
    atomic_uint generation;   // of tuned settings: part of a call's key
    atomic_ulong known_calls; // found in `calls`
    pthread_mutex_t lock;     // protects the following members
    pthread_cond_t changed;
    kiln_jit_kernel_t *buckets[KILN_JIT_BUCKET_COUNT];
    kiln_jit_statistics_t statistics;
};

// kiln_jit_prepare for a complete call. `key` is the call's key, or NULL if it has none; *out_known
// is the call's entry in the table, or NULL.
kiln_status_t kiln_jit_find(kiln_jit_t *jit, const char *function, const kiln_jit_call_t *call,
                            const kiln_call_key_t *key, kiln_jit_kernel_t **out_kernel,
                            const kiln_known_call_t **out_known, kiln_jit_origin_t *out_origin);

// Completes a caller's struct with the defaults; `function` is for errors.
kiln_status_t kiln_jit_take_call(const char *function, const kiln_jit_call_t *call,
                                 kiln_jit_call_t *out_call);

// Rejects a complete call in which a string or an array is missing.
kiln_status_t kiln_jit_check_call(const char *function, const kiln_jit_call_t *call);

#endif
