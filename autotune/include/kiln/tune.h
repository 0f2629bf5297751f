// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kiln's autotuner: sweeps constexpr values and compile options of a kernel, verifies each candidate's output, ranks them, and remembers the winner.
//
// Conventions are those of kiln/kiln.h (ownership, errors, options) with these additions:
//
// Threads     A store may be used by any number of threads and processes at once. kiln_tune compiles on several threads but launches and calls back
//             on the calling thread only.
// Cost        On a GPU the cost is the median measured time in nanoseconds. On the simulator it is the predicted time where its option `clock` is
//             model or only, else an estimate in cycles: the largest of the throughput bounds that the execution counted. They are never
//             compared with each other: every figure carries its kiln_cost_kind_t.
#ifndef KILN_TUNE_H
#define KILN_TUNE_H

#include "kiln/kiln.h"
#include "kiln/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

// The cost --------------------------------------------------------------------------------------------------------------------------------------

typedef enum kiln_cost_kind {
    KILN_COST_ESTIMATED_CYCLES,
    KILN_COST_MEASURED_NANOSECONDS,
    KILN_COST_PREDICTED_NANOSECONDS
} kiln_cost_kind_t;
// "estimated cycles", "measured ns", "predicted ns"; NULL for no kind.
KILN_API const char *kiln_cost_kind_name(kiln_cost_kind_t kind);

// What a launch costs. kiln_cost_of_launch gives as much of it as struct_size says.
typedef struct kiln_cost {
    size_t struct_size;
    kiln_cost_kind_t kind;
    double value; // of that kind
    const char
        *bound; // on the simulator: the busiest unit ("MFMA", "LDS", …), "latency" where none is half busy; else NULL
    bool unexecuted; // only predicted: the kernel's output is not there
} kiln_cost_t;

// Launches and costs: `launch` puts one launch into `stream` (NULL: the default one) and does not wait for it. On the simulator it is called once,
// for what it says is exact or predicted, not measured; on a GPU a few times to warm up and then for the median of 20 that are timed one by one, so what the kernel leaves in its
// buffers means nothing there.
KILN_API kiln_status_t kiln_cost_of_launch(kiln_device_t *device, kiln_stream_t *stream,
                                           kiln_status_t (*launch)(void *user), void *user, kiln_cost_t *out_cost);

// The store -------------------------------------------------------------------------------------------------------------------------------------

// What a tuning result is valid for. All strings are compared exactly.
typedef struct kiln_tune_key {
    const char *kernel;      // symbol of the kernel
    const char *source_hash; // of the source text, hexadecimal
    const char *device;      // kiln_device_key: "gfx942:AMD Instinct MI300X (Kiln simulator):304:sim"
    const char *arguments;   // what the user says distinguishes problems: "M=512,N=512,K=512"
} kiln_tune_key_t;

typedef struct kiln_tune_store kiln_tune_store_t;

// Opens or creates the SQLite database at `path`; its directory is made if absent.
KILN_API kiln_status_t kiln_tune_store_open(const char *path, kiln_tune_store_t **out_store);

// The same where the file exists; else *out_store is NULL, which is no failure: nothing was ever tuned.
KILN_API kiln_status_t kiln_tune_store_open_existing(const char *path, kiln_tune_store_t **out_store);
KILN_API void kiln_tune_store_release(kiln_tune_store_t *store);

// Keeps `config` ("BLOCK_M=128 num_warps=4 …", names sorted) as the result for the key, unless a cheaper one of the same kind and Kiln build is there.
KILN_API kiln_status_t kiln_tune_store_put(kiln_tune_store_t *store, const kiln_tune_key_t *key, const char *config,
                                           kiln_cost_kind_t kind, double cost);

// The best configuration for the key, measured ones before predicted, and these before estimated ones, to be freed with free(). KILN_STATUS_NOT_FOUND where there is none.
KILN_API kiln_status_t kiln_tune_store_get(kiln_tune_store_t *store, const kiln_tune_key_t *key, char **out_config,
                                           kiln_cost_kind_t *out_kind, double *out_cost);

// A kiln_jit_tune_fn (kiln/jit.h) whose `user` is a store: lets a JIT take tuned settings. A NULL kernel stands for the source's only one.
KILN_API kiln_status_t kiln_tune_lookup(const char *kernel, const char *source_hash, const char *device,
                                        const char *arguments, void *user, char **out_config);

// The search ------------------------------------------------------------------------------------------------------------------------------------

// One thing to vary. Names of compile options (kiln/options.def) set these; any other name is a constexpr parameter of the kernel.
typedef struct kiln_tune_axis {
    const char *name;
    const char *const *values;
    size_t value_count;
} kiln_tune_axis_t;

typedef struct kiln_tune_candidate {
    const kiln_setting_t *settings; // one per axis, in the order of the axes
    size_t setting_count;
    const char *config; // the same as text, names sorted
} kiln_tune_candidate_t;

typedef enum kiln_tune_verdict { KILN_TUNE_OK, KILN_TUNE_REJECTED, KILN_TUNE_WRONG } kiln_tune_verdict_t;

typedef struct kiln_tune_sample {
    const kiln_tune_candidate_t *candidate;
    kiln_tune_verdict_t verdict;
    const char *reason; // why it was rejected or wrong, else ""
    const char *bound;  // what the cost is bound by ("MFMA", "LDS", …) on the simulator, else ""
    double cost;
    double
        error; // as `verify` said; NaN where nothing was executed that it could look at (the simulator's clock is only)
    double compile_ms;
    const kiln_resources_t *resources; // all 0 where it did not compile
} kiln_tune_sample_t;

typedef struct kiln_tune_problem {
    size_t struct_size;
    kiln_source_t source;
    const kiln_compile_options_t *options; // what all candidates share; NULL: the defaults
    const kiln_tune_axis_t *axes;
    size_t axis_count;
    kiln_device_t *device;
    int jobs; // compile threads; 0: one per core
    // Sets the buffers to their initial contents and says how to launch this candidate: grid and arguments; the block is the kernel's own.
    kiln_status_t (*prepare)(const kiln_tune_candidate_t *candidate, const kiln_kernel_t *kernel,
                             kiln_launch_t *out_launch, void *user);
    // Reads the outputs back; stores their relative error; fails with KILN_STATUS_MISMATCH where they are wrong.
    kiln_status_t (*verify)(const kiln_tune_candidate_t *candidate, double *out_error, void *user);
    void (*progress)(const kiln_tune_sample_t *sample, size_t done, size_t total, void *user); // NULL: none
    void *user;
    kiln_tune_store_t *store; // NULL: do not remember
    const char *arguments;    // the key's arguments
    // Told of what compiling the candidates warns of, by the calling thread, before the first is launched: a warning of one
    // kind at one place once, however many candidates have it. NULL: nobody.
    kiln_diagnostic_handler_t diagnostic;
    void *diagnostic_user;
} kiln_tune_problem_t;
KILN_VERSIONED(kiln_tune_problem)

typedef struct kiln_tune_result kiln_tune_result_t;
// Tries every combination of the axes. A candidate that does not compile, fit or compute the right thing is a sample with a reason, not a failure;
// it is a failure (KILN_STATUS_MISMATCH) when none is left.
KILN_API kiln_status_t kiln_tune(const kiln_tune_problem_t *problem, kiln_tune_result_t **out_result);
KILN_API size_t kiln_tune_result_count(const kiln_tune_result_t *result);
KILN_API const kiln_tune_sample_t *kiln_tune_result_sample(const kiln_tune_result_t *result,
                                                           size_t index); // best first, then wrong and rejected ones
KILN_API kiln_cost_kind_t kiln_tune_result_cost_kind(const kiln_tune_result_t *result);
KILN_API void kiln_tune_result_release(kiln_tune_result_t *result);

#ifdef __cplusplus
}
#endif
#endif
