// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kiln's autotuner: sweeps constexpr values and compile options of a kernel, verifies and ranks the
// candidates, and stores the best.
//
// Conventions are those of kiln/kiln.h (ownership, errors, options) with these additions:
//
// Threads     A store may be used by any number of threads and processes concurrently. kiln_tune
//             compiles on several threads while it launches, and launches and calls back only on
//             the calling thread.
// Cost        On a GPU the cost is the median measured time in nanoseconds. On the simulator it is
//             the predicted time if its option `clock` is model or only, else an estimate in
//             cycles: the largest of the units' throughput bounds. Costs of different kinds are
//             never compared; every cost has its kiln_cost_kind_t.
#ifndef KILN_TUNE_H
#define KILN_TUNE_H

#include "kiln/jit.h"
#include "kiln/kiln.h"
#include "kiln/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

// The cost ----------------------------------------------------------------------------------------

typedef enum kiln_cost_kind {
    KILN_COST_ESTIMATED_CYCLES,
    KILN_COST_MEASURED_NANOSECONDS,
    KILN_COST_PREDICTED_NANOSECONDS,
    KILN_COST_MODELLED_NANOSECONDS // estimated by the model, without compiling (kiln/tune_model.h)
} kiln_cost_kind_t;
// "estimated cycles", "measured ns", "predicted ns", "modelled ns"; NULL for an invalid kind.
KILN_API const char *kiln_cost_kind_name(kiln_cost_kind_t kind);

// The cost of a launch. The functions below fill up to struct_size bytes.
typedef struct kiln_cost {
    size_t struct_size;
    kiln_cost_kind_t kind;
    double value;      // of that kind
    const char *bound; // simulator: the busiest unit ("MFMA", "LDS", …), or "latency" if none is
                       // half busy; else NULL
    bool unexecuted;   // only predicted: the kernel's output is missing
    // Measured: the interval that contains the median with a probability of 95 %, the fastest and
    // the slowest launch, and how many were timed. Otherwise `value` and 1.
    double low, high, fastest, slowest;
    unsigned timed;
    // Measured candidates of kiln_tune: the clock in MHz that the compute units held on average
    // while they were timed, in the pauses between launches, too. 0: unknown.
    double clock_mhz;
} kiln_cost_t;

// Determines the cost of a launch: `launch` enqueues one launch in `stream` (NULL: the default one)
// without waiting. On the simulator it is called once; on a GPU a few times to warm up and then 20
// times, timed one by one, for the median, so the final contents of the kernel's buffers are
// meaningless there.
KILN_API kiln_status_t kiln_cost_of_launch(kiln_device_t *device, kiln_stream_t *stream,
                                           kiln_status_t (*launch)(void *user), void *user,
                                           kiln_cost_t *out_cost);

// Like kiln_cost_of_launch, for a kernel that reads what it writes (in place, by atomics, with
// locks or counters): `restore_arguments` is called before each launch and its time is not
// measured. It may enqueue its work in `stream`. Corresponds to triton.autotune's reset_to_zero,
// restore_value and pre_hook.
KILN_API kiln_status_t kiln_cost_of_restored_launch(kiln_device_t *device, kiln_stream_t *stream,
                                                    kiln_status_t (*restore_arguments)(void *user),
                                                    kiln_status_t (*launch)(void *user), void *user,
                                                    kiln_cost_t *out_cost);

// Like kiln_cost_of_restored_launch, on a GPU with `warmup` launches that are not timed and then
// `launches` timed ones, from 1 on. The simulator launches once all the same.
KILN_API kiln_status_t kiln_cost_of_repeated_launch(kiln_device_t *device, kiln_stream_t *stream,
                                                    unsigned warmup, unsigned launches,
                                                    kiln_status_t (*restore_arguments)(void *user),
                                                    kiln_status_t (*launch)(void *user), void *user,
                                                    kiln_cost_t *out_cost);

typedef enum kiln_tune_verdict {
    KILN_TUNE_OK,
    KILN_TUNE_REJECTED,
    KILN_TUNE_WRONG,
    KILN_TUNE_UNTRIED // the search ended before this candidate
} kiln_tune_verdict_t;
KILN_API const char *kiln_tune_verdict_name(kiln_tune_verdict_t verdict); // "ok"; NULL for an
                                                                          // invalid one

// The store ---------------------------------------------------------------------------------------

// Key of a tuning result. All strings are compared exactly.
typedef struct kiln_tune_key {
    const char *kernel; // symbol of the kernel
    const char
        *problem; // kiln_jit_problem: hash of the source, its includes, options and argument types
    const char *device;    // kiln_device_key: "gfx942:AMD Instinct MI300X (Kiln simulator):304:sim"
    const char *arguments; // problem size, as given by the user: "M=512,N=512,K=512"
    const char
        *fixed; // settings that were not tuned, "NAME=VALUE\n" each, sorted; "" or NULL: none
} kiln_tune_key_t;

typedef struct kiln_tune_store kiln_tune_store_t;

// Opens or creates the SQLite database at `path`; creates its directory if missing. IO: it cannot
// be written.
KILN_API kiln_status_t kiln_tune_store_open(const char *path, kiln_tune_store_t **out_store);

// Opens an existing database for reading; if it does not exist, succeeds with *out_store NULL. The
// file and its directory need not be writable. A search with such a store reads it and stores
// nothing.
KILN_API kiln_status_t kiln_tune_store_open_existing(const char *path,
                                                     kiln_tune_store_t **out_store);

// Adds stores that lookups (kiln_tune_lookup, kiln_tune_find) also read after this one, in order:
// "project.db:/opt/kiln/tune.db". They are opened for reading only, and released with the store.
// Other functions do not read them. If *io_store is NULL (kiln_tune_store_open_existing found
// none), it becomes a store without a database of its own. NOT_FOUND if one of the files does not
// exist; the store is then as before.
KILN_API kiln_status_t kiln_tune_store_extend(kiln_tune_store_t **io_store, const char *paths);
KILN_API void kiln_tune_store_release(kiln_tune_store_t *store);

// Whether a configuration's results were compared with a reference.
typedef enum kiln_tune_trust { KILN_TUNE_UNVERIFIED, KILN_TUNE_VERIFIED } kiln_tune_trust_t;

// Stores `config` ("BLOCK_M=128 num_warps=4 …", names sorted) as the result for the key, unless the
// stored result of the same kind, trust and code (kiln_code_id) is cheaper. A new cost of the
// stored configuration replaces the old one. A measured cost must be 3 % lower to replace another
// configuration's, so that noise does not replace it.
KILN_API kiln_status_t kiln_tune_store_put(kiln_tune_store_t *store, const kiln_tune_key_t *key,
                                           const char *config, kiln_cost_kind_t kind, double cost,
                                           kiln_tune_trust_t trust);

// Deletes a configuration that proved wrong, for all kinds of cost.
KILN_API kiln_status_t kiln_tune_store_reject(kiln_tune_store_t *store, const kiln_tune_key_t *key,
                                              const char *config);

// The best configuration for the key: verified before unverified ones, then measured before
// predicted before estimated ones; free it with free(). KILN_STATUS_NOT_FOUND if there is none.
KILN_API kiln_status_t kiln_tune_store_get(kiln_tune_store_t *store, const kiln_tune_key_t *key,
                                           char **out_config, kiln_cost_kind_t *out_kind,
                                           double *out_cost);

// A kiln_jit_tune_fn (kiln/jit.h) whose `user` is a store: lets a JIT use tuned settings. A NULL
// kernel means the source's only one. A result matches if its fixed settings equal the request's
// settings, apart from tuned names, which the request may also set. If it does, and has a call, all
// settings together must meet the conditions that its source declares. Verified results are
// preferred, and of these the one with the most fixed settings. What other processes or store
// objects write is visible after 0.1 s.
KILN_API kiln_status_t kiln_tune_lookup(const kiln_jit_tune_request_t *request, void *user,
                                        char **out_config);

// The results that a lookup may return.
typedef enum kiln_tune_use {
    KILN_TUNE_USE_EXACT, // tuned for the same problem
    // If there is none, the result tuned for the nearest problem: one that differs only in integers
    // of `arguments`, "M=512,N=512", and for which the sum of |log2(a / b)| over them is least. The
    // integers must be positive and equal in divisibility by 16, on which code depends. If the
    // request has a call, the result must meet the conditions that its source declares. Use this
    // only for kernels that are correct at every size with any configuration, and not for a kernel
    // that requires BLOCK >= N.
    KILN_TUNE_USE_NEAR,
    KILN_TUNE_USE_DEFAULT, // none: the kernel's defaults
    // Modes of a tuner (kiln/tuner.h). The lookups of this header treat them like
    // KILN_TUNE_USE_EXACT.
    KILN_TUNE_USE_SEARCH,    // tuned anew, whatever is stored
    KILN_TUNE_USE_OR_SEARCH, // tuned for the same problem; if there is none, it is tuned and stored
    KILN_TUNE_USE_OR_MODEL   // tuned for the same problem; if there is none, the choice of a model
} kiln_tune_use_t;
// "exact" or "use", "near", "default", "search", "use-or-search", "model-only"; USAGE for other
// text.
KILN_API kiln_status_t kiln_tune_use_parse(const char *text, kiln_tune_use_t *out_use);

// How settings were found.
typedef enum kiln_tune_found {
    KILN_TUNE_FOUND_EXACTLY,
    KILN_TUNE_FOUND_NEAR,
    KILN_TUNE_FOUND_BY_SEARCH, // by a tuner, just now
    KILN_TUNE_FOUND_BY_MODEL
} kiln_tune_found_t;

typedef struct kiln_tune_match {
    size_t struct_size; // set by the caller
    char *config;       // from malloc
    char *arguments;    // of the problem that the result was tuned for, from malloc
    double distance;    // from the request's problem; 0: the same problem
    // File of the result, if it is from a store that kiln_tune_store_extend added; valid until the
    // release of the store. NULL: it is from the store itself.
    const char *store;
    kiln_tune_found_t found;
} kiln_tune_match_t;

// Finds tuned settings for a request. NOT_FOUND if there are none, and always with
// KILN_TUNE_USE_DEFAULT. Of several stores (kiln_tune_store_extend), the first one that has a
// result is used, except that a verified result precedes an unverified one of an earlier store, and
// a result for the same problem one for a near problem.
KILN_API kiln_status_t kiln_tune_find(const kiln_jit_tune_request_t *request,
                                      kiln_tune_store_t *store, kiln_tune_use_t use,
                                      kiln_tune_match_t *out_match);

// Like kiln_tune_lookup, with KILN_TUNE_USE_NEAR.
KILN_API kiln_status_t kiln_tune_lookup_near(const kiln_jit_tune_request_t *request, void *user,
                                             char **out_config);

// Recording problems ------------------------------------------------------------------------------

// Appends the problems that a JIT launches to a file, for `kiln tune --from=FILE`: source, kernel,
// settings, arguments without contents, and grid, as a line of JSON each; a recorder writes each
// problem once. Several threads and processes may append to one file.
typedef struct kiln_tune_recorder kiln_tune_recorder_t;

// Opens or creates the file. `next` (NULL: none) looks up tuned settings.
KILN_API kiln_status_t kiln_tune_recorder_open(const char *path, kiln_jit_tune_fn next,
                                               void *next_user,
                                               kiln_tune_recorder_t **out_recorder);
KILN_API void kiln_tune_recorder_release(kiln_tune_recorder_t *recorder);

// A kiln_jit_tune_fn whose `user` is a recorder: records the request's call, then calls `next`. A
// JIT looks up settings only for calls with tuning_arguments, and once for each known call.
KILN_API kiln_status_t kiln_tune_record(const kiln_jit_tune_request_t *request, void *user,
                                        char **out_config);

// Finds tuned settings for a recorded problem, for hosts that launch kernels themselves and
// describe a launch in the recorder's format, such as Triton's: `line` is a line of its file,
// without the line's end. The key is that of the result of `kiln tune --from`. `base` has the
// compiler's options that the settings modify; NULL: the defaults. Only the device's name and
// architecture matter. Fails as kiln_tune_find, and with INVALID_INPUT or UNSUPPORTED for a line
// that no recorder wrote.
KILN_API kiln_status_t kiln_tune_find_recorded(const char *line, size_t length,
                                               kiln_device_t *device,
                                               const kiln_compile_options_t *base,
                                               kiln_tune_store_t *store, kiln_tune_use_t use,
                                               kiln_tune_match_t *out_match);

// Contents of a store -----------------------------------------------------------------------------

typedef enum kiln_tune_table {
    KILN_TUNE_BEST,   // the best configuration of a key, code, kind of cost and trust
    KILN_TUNE_SAMPLES // every configuration that was tried
} kiln_tune_table_t;

// A row of a store. Its strings are valid during the call that it is passed to.
typedef struct kiln_tune_record {
    size_t struct_size;
    kiln_tune_key_t key; // kernel: "" in a sample of a source's only kernel
    const char *code;    // kiln_code_id of the Kiln that found it; only its own results are used
    const char *config;
    kiln_cost_kind_t kind; // meaningless unless `verdict` is ok; the same holds for `cost`
    double cost;
    kiln_tune_trust_t trust;
    // Only of samples:
    const char *symbol; // the kernel's; "" if none was compiled
    const char *conditions;
    kiln_tune_verdict_t verdict;
    const char *reason, *bound; // as in a kiln_tune_sample_t
    double error;
    double compile_ms;
    kiln_resources_t resources;
    int stages_made;
    const char *launch; // hash of code object, grid and argument values; "" if not launched
    int64_t time;       // seconds since 1970
    double clock_mhz;   // as in a kiln_tune_sample_t
} kiln_tune_record_t;

// Visits the rows of a table in the order of their keys and costs. A failure of `visit` ends it and
// is returned. `visit` may not use the store.
KILN_API kiln_status_t kiln_tune_store_visit(kiln_tune_store_t *store, kiln_tune_table_t table,
                                             kiln_status_t (*visit)(const kiln_tune_record_t *,
                                                                    void *user),
                                             void *user);

// Adds a row, for example a row of another store. Of results with one key, code, kind and trust,
// the better one stays (kiln_tune_store_put); of samples with one key, code, conditions and
// configuration, the newer one. INVALID_INPUT: its configuration is not a list of NAME=VALUE.
KILN_API kiln_status_t kiln_tune_store_add(kiln_tune_store_t *store, kiln_tune_table_t table,
                                           const kiln_tune_record_t *record);

// Adds all rows of another store, in one transaction. *out_count (may be NULL) is their number.
KILN_API kiln_status_t kiln_tune_store_merge(kiln_tune_store_t *store, kiln_tune_store_t *other,
                                             size_t *out_count);

// Deletes all rows of other code than this Kiln's, which are never used, and all samples that are
// older than `before`, in seconds since 1970. *out_count (may be NULL) is their number.
KILN_API kiln_status_t kiln_tune_store_prune(kiln_tune_store_t *store, int64_t before,
                                             size_t *out_count);

// The search --------------------------------------------------------------------------------------

typedef struct kiln_tune_candidate {
    const kiln_setting_t *settings; // one per axis, in the order of the axes
    size_t setting_count;
    const char *config; // the same as text, names sorted
} kiln_tune_candidate_t;

typedef struct kiln_tune_sample {
    const kiln_tune_candidate_t *candidate;
    kiln_tune_verdict_t verdict;
    const char *reason; // why it was rejected or wrong, else ""
    const char *bound;  // bottleneck on the simulator ("MFMA", "LDS", …), else ""
    double cost;
    double error; // from `verify` or `confirm`; NaN if not executed (the simulator's option `clock`
                  // is only)
    double compile_ms;
    const kiln_resources_t *resources;    // all 0 if it did not compile
    const kiln_tune_candidate_t *same_as; // an earlier candidate with the same code and launch,
                                          // whose results these are; NULL: none
    bool is_recalled;                     // from the store (recall of kiln_tune_problem_t)
    int stages_made; // of the loop with the most pipeline stages; 1: no loop is pipelined; 0: not
                     // compiled, or recalled
    size_t order;    // how many candidates were tried before it, and recalled ones before those;
                     // meaningless if it was not
    double modelled_ns; // a KILN_COST_MODELLED_NANOSECONDS; 0: the search estimated nothing, or not
                        // this candidate
    double clock_mhz;   // that the GPU held while the cost was measured; 0: unknown
} kiln_tune_sample_t;

// How a search uses the samples of earlier searches with the same key, code and conditions.
typedef enum kiln_tune_recall {
    KILN_TUNE_RECALL_NONE, // tries every candidate
    KILN_TUNE_RECALL_ALL,  // takes correct and rejected ones from the store; tries wrong ones again
    KILN_TUNE_RECALL_WRONG // takes wrong ones, too: to rank what other processes have tried
} kiln_tune_recall_t;

// The order and number of the candidates that a search tries.
typedef enum kiln_tune_strategy {
    KILN_TUNE_EXHAUSTIVE, // all, in the order of the axes
    KILN_TUNE_RANDOM,     // in random order
    // Tries a few candidates first and then those that are expected to improve on the best cost,
    // according to a model learned from the samples, including recalled ones: a Gaussian process of
    // the logarithm of the cost over the axes. An axis's values should be in order. With `plan` the
    // first candidates are chosen by estimates (kiln/tune_model.h), and the process learns how far
    // costs differ from them; without estimates the first ones are random. The stored result of the
    // nearest problem, if it is a candidate, comes before all others (KILN_TUNE_USE_NEAR).
    KILN_TUNE_GUIDED,
    KILN_TUNE_MODEL // those with the least estimates (kiln/tune_model.h); needs `plan`
} kiln_tune_strategy_t;

// A kernel that a candidate launches after the problem's own one.
typedef struct kiln_tune_step {
    size_t struct_size;
    kiln_source_t source; // text NULL: the problem's source
    const char *kernel;   // NULL: the source's only one
} kiln_tune_step_t;
KILN_VERSIONED(kiln_tune_step)
// Processes that share the candidates of a search (kiln/tune_group.h).
typedef struct kiln_tune_group kiln_tune_group_t;

// The default of the option max_instructions in searches: some ten seconds of compilation. A
// candidate beyond it is rejected, since LLVM would take minutes for it and cannot be interrupted.
enum { KILN_TUNE_MAX_INSTRUCTIONS = 20000 };

typedef struct kiln_tune_problem {
    size_t struct_size;
    kiln_source_t source;
    const kiln_compile_options_t *options; // options of all candidates; NULL: the defaults
    const kiln_tune_axis_t *axes;
    size_t axis_count;
    kiln_device_t *device;
    int jobs; // compile threads; 0: one per core
    // Initializes the buffers and fills grid and arguments of this candidate's launch; the block is
    // the kernel's own.
    kiln_status_t (*prepare)(const kiln_tune_candidate_t *candidate, const kiln_kernel_t *kernel,
                             kiln_launch_t *out_launch, void *user);
    // Reads the outputs back and returns their relative error; fails with KILN_STATUS_MISMATCH if
    // they are wrong.
    kiln_status_t (*verify)(const kiln_tune_candidate_t *candidate, double *out_error, void *user);
    void (*progress)(const kiln_tune_sample_t *sample, size_t done, size_t total,
                     void *user); // NULL: none
    void *user;
    kiln_tune_store_t *store; // NULL: do not store
    const char *arguments;    // the key's arguments
    // Called with warnings from compiling a candidate, on the calling thread before its launch;
    // duplicates from several candidates are reported once. Also called with a warning if samples
    // cannot be stored; the search then continues without a store. NULL: not called, and a failure
    // of the store ends the search.
    kiln_diagnostic_handler_t diagnostic;
    void *diagnostic_user;
    const kiln_setting_t
        *fixed; // settings of all candidates, as in a kiln_jit_call_t; override options
    size_t fixed_count;
    kiln_tune_recall_t recall;
    // The inputs of costs and verdicts besides the key: caches, clock, contents of buffers, the
    // reference. Only samples with equal conditions are recalled.
    const char *conditions;
    // Called before each candidate; true ends the search, which then returns the samples so far.
    // NULL: never.
    bool (*is_cancelled)(void *user);
    // Called after the last candidate. A failure ends the call, and nothing is stored as best.
    // NULL: not called.
    kiln_status_t (*accept)(void *user);
    // On a GPU: the maximum time of a launch. A search cannot continue after a launch that does not
    // end, as the device is lost. 0: unlimited. The simulator limits instructions instead (option
    // `limit`).
    double launch_limit_ms;
    // Whether a combination of the axes is a candidate; called for all combinations before the
    // first candidate is compiled. NULL: all are. A failure ends the search.
    kiln_status_t (*admit)(const kiln_tune_candidate_t *candidate, bool *out_is_candidate,
                           void *user);
    void *admit_user;
    kiln_tune_strategy_t strategy;
    // Seeds a strategy's random numbers. On the simulator, equal seeds and equal initial samples
    // give equal searches, whatever `jobs` is.
    uint64_t seed;
    // Maximum number of candidates to try, besides recalled ones. 0: all for an exhaustive search,
    // 8 for KILN_TUNE_MODEL, and for other strategies a tenth of the candidates, but at least 32,
    // and at most 256 for KILN_TUNE_GUIDED.
    size_t budget;
    // No candidate is started after it; estimates (`plan`) take at most half of it. 0: unlimited.
    double time_limit_ms;
    // Called with `user` before each launch of a candidate, of which a measurement on a GPU makes
    // many; its time is not measured. For kernels that read what they write: restores the contents
    // that `prepare` has written. NULL: each launch starts from the contents that the previous one
    // has left.
    kiln_status_t (*restore)(void *user);
    // Divides a search among several machines: only part `shard` (1 … shard_count) of the
    // candidates is tried. The parts are disjoint, and equal for equal axes and conditions. 0 and
    // 0: all candidates.
    size_t shard, shard_count;
    // A sequence of launches as one candidate, such as split-K and the sum of its parts: the
    // problem's kernel, and then these, in one stream. They must be Tile C and share buffers, axes,
    // `fixed`, and the options except `kernel` and `defines`:
    //
    //   NAME         a setting of every kernel that has a constant of this name, or, if it is a
    //                compile option, of all kernels
    //   KERNEL.NAME  a setting of this kernel, in place of NAME
    //
    // Hints (`args` of the options) and arguments of a runner are distributed in the same way;
    // those that no kernel has are not used. The cost is the sum of predicted times, or the
    // measured time of the whole sequence; resources are the largest of any kernel. In the store
    // the names of the kernels are joined by '+'.
    const kiln_tune_step_t *const *then;
    size_t then_count;
    // Fills grid and arguments of then[step - 1]'s launch, after `prepare`; `user` as for that.
    kiln_status_t (*prepare_step)(const kiln_tune_candidate_t *candidate, size_t step,
                                  const kiln_kernel_t *kernel, kiln_launch_t *out_launch,
                                  void *user);
    // Fills in grid and arguments of a candidate's launch as `prepare` does, for an estimate:
    // nothing is launched, and buffers need no contents. `kernel` is only read, not compiled
    // (kiln_work_kernel). Called once for each combination of constants, before the first candidate
    // is compiled. NULL: no estimates, and KILN_TUNE_MODEL is a USAGE error.
    kiln_status_t (*plan)(const kiln_tune_candidate_t *candidate, const kiln_kernel_t *kernel,
                          kiln_launch_t *out_launch, void *user);
    // Shares the candidates with other processes; NULL: none. `store` is then this process's own,
    // and nothing is stored as best. `progress` of rank 0 is called for all candidates, with
    // samples of other ranks that have no resources.
    kiln_tune_group_t *group;
    // Called from time to time while candidates are estimated (`plan`), before the first one is
    // compiled, with the number of combinations of constants so far and in all. NULL: not called.
    void (*estimated)(size_t done, size_t total, void *user);
    // If costs were predicted without executing anything: verifies a candidate in another way, for
    // instance at sizes that are small enough to be executed. Called at the end for the first and
    // the last candidate that were not rejected, so that combinations that compute something else
    // are noticed, and for the best one until it is right. MISMATCH: the candidate is wrong. OK
    // with *out_error NaN: it cannot be verified, and is stored as such. Another failure ends the
    // call, and nothing is stored as best. NULL: not called.
    kiln_status_t (*confirm)(const kiln_tune_candidate_t *candidate, double *out_error, void *user);
    void *confirm_user;
} kiln_tune_problem_t;
KILN_VERSIONED(kiln_tune_problem)

// Finds the stored result of kiln_tune for a problem, whose axes, callbacks and limits are not
// used: how a program that launches a sequence finds its settings, since a JIT sees one kernel at a
// time. NOT_FOUND if there is none, and always with KILN_TUNE_USE_DEFAULT.
KILN_API kiln_status_t kiln_tune_find_problem(const kiln_tune_problem_t *problem,
                                              kiln_tune_use_t use, kiln_tune_match_t *out_match);

// The settings of one kernel (0: the problem's own) among those of a sequence: of `config`
// ("BLOCK_M=16 split_k_sum.num_warps=1") and the problem's `fixed`, by plain names
// ("num_warps=1"), from malloc.
KILN_API kiln_status_t kiln_tune_step_settings(const kiln_tune_problem_t *problem, size_t step,
                                               const char *config, char **out_config);

typedef struct kiln_tune_result kiln_tune_result_t;
// Tries combinations of the axes that `admit` admits: all of them, unless `strategy`, `budget` or
// `time_limit_ms` ends the search before. A candidate that does not compile, fit or compute correct
// results is a sample with a reason; the call fails (KILN_STATUS_MISMATCH) if none is correct and
// the search was not cancelled. Every sample is in the store before the next candidate is tried.
//
// A candidate whose code object, grid, block and argument values equal those of an earlier one is
// not launched, since it has the same results. Therefore, if these are equal, the buffer contents
// that `prepare` writes must not depend on the candidate.
KILN_API kiln_status_t kiln_tune(const kiln_tune_problem_t *problem,
                                 kiln_tune_result_t **out_result);
KILN_API size_t kiln_tune_result_count(const kiln_tune_result_t *result);
KILN_API const kiln_tune_sample_t *
kiln_tune_result_sample(const kiln_tune_result_t *result,
                        size_t index); // best first, then rejected, wrong and untried ones
KILN_API kiln_cost_kind_t kiln_tune_result_cost_kind(const kiln_tune_result_t *result);
// Whether a launch exceeded launch_limit_ms. The device then executes nothing more. Releasing the
// device, its buffers or its modules would wait forever, so the program can only exit.
KILN_API bool kiln_tune_result_lost_device(const kiln_tune_result_t *result);
KILN_API void kiln_tune_result_release(kiln_tune_result_t *result);

#ifdef __cplusplus
}
#endif
#endif
