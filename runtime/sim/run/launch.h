// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One launch of a kernel: the request and the results.
#ifndef KILN_SIM_LAUNCH_H
#define KILN_SIM_LAUNCH_H

#include <pthread.h>

#include "host/hostcall.h"
#include "host/print_buffer.h"
#include "load/code_object.h"
#include "memory/heap.h"
#include "run/machine.h"
#include "sim/port/product.h"

#define KILN_SIM_DECODED_LIMIT                                                                     \
    (64u << 20) // bytes of host memory; thousands of kernels, or hundreds of large ones
#define KILN_SIM_SCRATCH_BYTES_PER_LANE 131072u // 8 MB per wave

// The contents of L2 and Infinity Cache before a predicted launch: what earlier launches left, the
// launch's own data, or none of its data.
typedef enum kiln_sim_caches {
    KILN_SIM_CACHES_KEPT,
    KILN_SIM_CACHES_WARM,
    KILN_SIM_CACHES_COLD
} kiln_sim_caches_t;

// How a machine runs launches. api/options.c sets these by name.
typedef struct kiln_sim_options {
    const kiln_sim_product_t *product; // the device
    uint32_t devices;                  // number of devices that HIP programs see; each is a machine
    uint64_t heap;                     // bytes that kernels may allocate
    uint32_t lds;                      // maximum bytes of LDS of a workgroup
    unsigned threads;                  // host threads for workgroups
    uint64_t limit;                    // instructions that a wave may execute
    uint32_t stack; // additional bytes of scratch memory per lane for a kernel with a dynamic stack
    uint64_t
        stall; // instructions per active wave that may execute without any wave ending (run/run.c)
    uint64_t patience;    // seconds that waves may wait if only the host program can change memory
    unsigned checks;      // set of KILN_SIM_CHECK_*
    const char *activity; // file for what streams did (port/machine.h), or NULL
    char *report;         // file to which findings are appended as JSON lines, or NULL
    struct kiln_sim_trace *trace;              // check/trace.h; NULL: no trace
    kiln_sim_caches_t caches;                  // for predictions
    bool repeats_once;                         // launches equal to earlier ones are not predicted
    uint32_t clock_mhz;                        // clock of predictions; 0: from timing/power.c
    bool host_arguments;                       // predictions: kernel arguments are in host memory
    bool host_waits;                           // predictions: for each launch before it starts
    bool stalls;                               // predictions report stalls of each instruction
    char *stalls_of;                           // only those of this kernel; or NULL
    char *timeline;                            // file for the waves of predicted launches, or NULL
    struct kiln_timing_parameters *parameters; // timing/parameters.h; NULL: the constants
    bool clock_bounds;                         // the clock uses the lower bounds
    bool clock_only; // execute only workgroups that the clock records, without matrix instructions
    bool fast_mfma;  // host float arithmetic instead of the machine's rounding
    const struct kiln_sim_order *order; // run/order.h; NULL: waves take turns by number
    const kiln_sim_variant_t *variant;  // handlers of code that is loaded from now on
} kiln_sim_options_t;

// An observer and the `user` it was registered with (run/observe.h).
typedef struct kiln_sim_observer_slot {
    const struct kiln_sim_observer *table; // NULL: the place is free
    void *user;
} kiln_sim_observer_slot_t;

// State that options determine: how launches run, and which observers watch them.
typedef struct kiln_sim_setup {
    kiln_sim_options_t options;
    kiln_sim_observer_slot_t observers[KILN_SIM_PLACES];
} kiln_sim_setup_t;

typedef struct kiln_sim_text {
    struct kiln_sim_text *next;
    char text[];
} kiln_sim_text_t;

// State that outlives launches. A machine runs one launch at a time; machines are independent of
// each other.
struct kiln_sim_machine {
    pthread_mutex_t lock; // held during every call of kiln/sim.h
    pthread_mutex_t turn; // kiln_sim_machine_take_turn
    kiln_sim_memory_t memory;
    kiln_sim_setup_t setup; // of launches without overrides (api/options.h)
    kiln_sim_heap_t heap;
    struct kiln_sim_gws *gws;
    struct kiln_sim_workers *workers; // run/workers.h; NULL before the first launch
    kiln_sim_code_object_t *objects;  // the loaded code objects
    size_t decoded,
        decoded_limit; // bytes of decoded programs, and the limit above which some are discarded
                       // (run/idle.c)
    // Argument block of the latest launch without observers, in device memory, for reuse; NULL
    // before the first.
    uint8_t *arguments;
    uint64_t arguments_size;
    struct kiln_timing_clock *clock; // timing/predict.h; NULL: no predictions
    kiln_sim_text_t *texts;          // values of options that may still be read
};

typedef struct kiln_sim_group kiln_sim_group_t;

struct kiln_sim_launch {
    kiln_sim_machine_t *machine;
    kiln_sim_memory_t *memory; // the machine's
    kiln_sim_program_t *program;
    const kiln_sim_kernel_t *kernel;
    const kiln_sim_dispatch_t *dispatch;
    const kiln_sim_options_t *options; // options and observers of the launch's setup
    const kiln_sim_observer_slot_t *slots;
    uint64_t image; // device address of the code object
    const kiln_sim_inst_t *entry;
    uint8_t *kernarg;              // in device memory
    kiln_sim_hostcall_t *hostcall; // NULL if the kernel has no such argument
    uint8_t *printed;              // host/print_buffer.h; NULL if the kernel has no printf buffer
    uint64_t kernarg_offset;       // offset of the dispatch packet in that block
    uint32_t lds_size, items, wave_count;
    uint32_t scratch_bytes; // per lane, with space for calls that the compiler could not count
    uint64_t group_count;
    const uint64_t *only; // ids of the workgroups to execute, ascending; NULL: all of them
    uint64_t todo;        // number of workgroups to execute
    const struct kiln_sim_slice
        *slice; // the part of the program that must be executed (decode/slice.h); NULL: everything
    uint64_t resident_limit; // workgroups that the machine holds at once
    uint64_t next_group;     // atomic
    uint64_t ended_waves;    // atomic
    uint64_t spinning;       // atomic; run/spin.c
    unsigned gws_threads,
        gws_blocked;         // run/gws.c: active host threads, and how many of them wait for GWS
    uint64_t gws_blocked_at; // the number of the change since which they wait
    unsigned threads;        // maximum number of host threads
    unsigned observers,
        access_observers;        // sets of places: all observers, and those that want accesses
    unsigned executed_observers; // and those that want executed instructions
    bool thorough; // an observer wants workgroups before a failed one to run to their end
    void *observed[KILN_SIM_PLACES];    // what observers keep for the launch
    struct kiln_sim_findings *findings; // check/findings.h: findings of the checks
    int failed;                         // atomic
    pthread_mutex_t fault_lock;         // protects the two below if the launch is thorough
    uint64_t failed_group;              // atomic; the first workgroup in dispatch order that failed
    kiln_sim_error_t error;             // written by the thread that sets failed
};

// Runs the launch to its end according to `setup`. False with an error if it failed; memory keeps
// what was written until then. Findings of the checks are added to *findings in either case.
bool kiln_sim_launch_run(kiln_sim_machine_t *machine, const kiln_sim_setup_t *setup,
                         const kiln_sim_dispatch_t *dispatch, struct kiln_sim_findings *findings,
                         kiln_sim_launch_stats_t *stats, kiln_sim_error_t *error);

// run/run.c: executes workgroups on the calling thread until none is left. False: the launch has
// failed.
bool kiln_sim_thread_run(kiln_sim_thread_t *thread);
// Frees what a thread keeps from launch to launch.
void kiln_sim_thread_free(kiln_sim_thread_t *thread);

// run/machine.c: fails the launch because this wave waits forever, or seems to do so together with
// the waves of `workgroups` workgroups.
void kiln_sim_wave_spins(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const char *what);
void kiln_sim_wave_stalled(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, size_t workgroups);

// run/idle.c: called before the object runs. If decoded programs exceed the machine's limit,
// discards those of other objects that have not run for a long time.
void kiln_sim_idle_forget(kiln_sim_machine_t *machine, kiln_sim_code_object_t *runs);

// run/loop.c: executes a wave until it stops or has used its time slice; wave->stop is the reason.
void kiln_sim_wave_run(kiln_sim_wave_t *wave);

// run/dispatch.c: initializes a wave's state.
void kiln_sim_wave_start(const kiln_sim_launch_t *launch, const kiln_sim_workgroup_t *group,
                         kiln_sim_wave_t *wave);
// The first scalar register of preloaded arguments.
unsigned kiln_sim_kernel_preload_at(const kiln_sim_kernel_t *kernel);
// Builds the kernel arguments, including hidden ones, and the dispatch packet in device memory.
bool kiln_sim_launch_arguments(kiln_sim_launch_t *launch, kiln_sim_error_t *error);

// timing/work.c: _take adds the thread's counts since the last call to a workgroup's work.
// After the last call, _settle completes thread->totals. _raise raises *max to a workgroup's work,
// unit by unit.
void kiln_sim_work_take(kiln_sim_thread_t *thread, kiln_sim_work_t *work);
void kiln_sim_work_settle(kiln_sim_thread_t *thread);
void kiln_sim_work_max(kiln_sim_work_t *max, const kiln_sim_work_t *work);

// timing/predict.c: if the option `clock` requests it, restricts the launch to the work that the
// clock needs. False: out of memory.
bool kiln_timing_clock_restrict(kiln_sim_launch_t *launch);
// Called after these workgroups have been executed: whether some must be executed again. The
// launch's `only` then lists them.
bool kiln_timing_clock_needs_rerun(kiln_sim_launch_t *launch);

// timing/stats.c: sums up the threads' counters.
void kiln_sim_launch_summary(const kiln_sim_launch_t *launch, const kiln_sim_thread_t *threads,
                             size_t thread_count, kiln_sim_launch_stats_t *stats);
// Workgroups that a compute unit holds at once.
unsigned kiln_sim_groups_per_cu(const kiln_sim_kernel_t *kernel, unsigned waves, unsigned lds_size);

// Checks the launch's shape and resources.
bool kiln_sim_launch_check(kiln_sim_machine_t *machine, const kiln_sim_setup_t *setup,
                           const kiln_sim_dispatch_t *dispatch, kiln_sim_error_t *error);

#endif
