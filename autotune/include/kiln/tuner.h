// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tuned settings for the calls of a JIT, by a mode: what is stored, else a search or a model.
//
//     kiln_tuner_options_t options;
//     kiln_tuner_options_initialize(&options);
//     kiln_tuner_options_read(&options, variable, NULL);      KILN_TUNED and the like, if desired
//     options.store = "tune.db";
//     kiln_tuner_create(device, &options, &tuner);
//     jit_options.tune = kiln_tuner_tune;
//     jit_options.tune_user = tuner;
//
// Conventions are those of kiln/tune.h with these additions:
//
// Threads     A tuner may be used by any number of threads at once. It searches one problem at a
//             time, on the thread that needs it first; other threads that need a search wait until
//             it ends, and then use its result.
// Device      A search launches on the JIT's device and its default stream, with buffers of its own:
//             those of the call are neither read nor written. They have the same sizes and element
//             types; floats are random, integers are 0, as they may be indices.
#ifndef KILN_TUNER_H
#define KILN_TUNER_H

#include "kiln/tune.h"

#ifdef __cplusplus
extern "C" {
#endif

// All pointers except `base` and those of callbacks are only used during kiln_tuner_create.
typedef struct kiln_tuner_options {
    size_t struct_size;
    kiln_tune_use_t use; // default KILN_TUNE_USE_EXACT
    // The user's store; it is read if it exists, and created if `use` can search. If it cannot be
    // written then, a warning says so, and results are known to this tuner only. NULL: none.
    const char *store;
    const char *further; // more stores to read, for kiln_tune_store_extend; NULL: none
    // The compiler's options of the JIT (kiln_jit_compiler_t), without which a search would not
    // find the JIT's keys; borrowed until the release. NULL: the defaults.
    const kiln_compile_options_t *base;
    // Of a search, as in kiln_tune_problem_t. A time limit includes the reference and the axes.
    size_t budget;
    double time_limit_ms;   // default 60000
    double launch_limit_ms; // default 10000
    uint64_t seed;
    int jobs;
    const char *conditions; // inputs of costs besides the arguments; default ""
    // Called with a remark when a search begins or ends, and with warnings: of candidates, of a
    // store that cannot be written, and of a problem that cannot be tuned or estimated. On the
    // searching thread. NULL: not called.
    kiln_diagnostic_handler_t diagnostic;
    void *diagnostic_user;
    // As in kiln_tune_problem_t, but with its own user pointer. NULL: not called.
    void (*progress)(const kiln_tune_sample_t *sample, size_t done, size_t total, void *user);
    void *progress_user;
} kiln_tuner_options_t;
KILN_VERSIONED(kiln_tuner_options)

// The value of a variable, such as that of the environment; NULL: not set.
typedef const char *(*kiln_tuner_variable_fn)(const char *name, void *user);

// Sets options from the variables that the command reads, too, where they are set and not empty:
// KILN_TUNED (kiln_tune_use_parse), KILN_TUNE_STORES (`further`), KILN_TUNE_BUDGET, and
// KILN_TUNE_TIME_LIMIT in seconds. `further` points to the variable's value. USAGE for a value that
// is not understood.
KILN_API kiln_status_t kiln_tuner_options_read(kiln_tuner_options_t *options,
                                               kiln_tuner_variable_fn variable, void *user);

typedef struct kiln_tuner kiln_tuner_t;

// The device is borrowed until the release.
KILN_API kiln_status_t kiln_tuner_create(kiln_device_t *device, const kiln_tuner_options_t *options,
                                         kiln_tuner_t **out_tuner);
KILN_API void kiln_tuner_release(kiln_tuner_t *tuner);

// Whether the tuner can find anything: it has a store to read, or searches, or lets a model choose.
KILN_API bool kiln_tuner_is_useful(const kiln_tuner_t *tuner);

// Finds the settings for a request by the tuner's mode. A problem is searched at most once by a
// tuner. NOT_FOUND, after a warning, if the problem cannot be tuned or a model cannot choose; also,
// without a warning, if the mode only reads stores and they have no settings. Other errors: out of
// memory, a store that cannot be read, and DEVICE if a launch of the search did not end, after
// which nothing can be launched.
KILN_API kiln_status_t kiln_tuner_find(kiln_tuner_t *tuner, const kiln_jit_tune_request_t *request,
                                       kiln_tune_match_t *out_match);

// A kiln_jit_tune_fn whose `user` is a tuner.
KILN_API kiln_status_t kiln_tuner_tune(const kiln_jit_tune_request_t *request, void *user,
                                       char **out_config);

#ifdef __cplusplus
}
#endif
#endif
