// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One launch of a kernel: what is asked for, and what came of it.
#ifndef KILN_SIM_LAUNCH_H
#define KILN_SIM_LAUNCH_H

#include <pthread.h>

#include "core/code_object.h"
#include "core/heap.h"
#include "core/hostcall.h"
#include "core/machine.h"
#include "core/print_buffer.h"
#include "core/product.h"

#define KILN_SIM_DECODED_LIMIT (64u << 20)      // bytes of the host; thousands of kernels, or hundreds of large ones
#define KILN_SIM_SCRATCH_BYTES_PER_LANE 131072u // 8 MB a wave

// What a predicted launch finds in L2 and Infinity Cache: what launches before it left, its own data, or none of them.
typedef enum kiln_sim_caches { KILN_SIM_CACHES_KEPT, KILN_SIM_CACHES_WARM, KILN_SIM_CACHES_COLD } kiln_sim_caches_t;

// How a machine runs launches; api/options.c sets them by name.
typedef struct kiln_sim_options {
    const kiln_sim_product_t *product; // the device
    uint32_t devices;                  // that HIP programs see: each is a machine
    uint64_t heap;                     // bytes from which kernels allocate
    uint32_t lds;                      // bytes of LDS that a workgroup may ask for
    unsigned threads;                  // host threads for workgroups
    uint64_t limit;                    // instructions that a wave may execute
    uint32_t stack;               // bytes of scratch that a lane of a kernel with a dynamic stack gets beyond its own
    uint64_t stall;               // instructions for each wave under way that may pass with none ending (core/run.c)
    uint64_t patience;            // seconds for which waves may wait for nothing but the program to change memory
    unsigned checks;              // set of KILN_SIM_CHECK_*
    char *report;                 // file to which findings are added as JSON lines, or NULL
    struct kiln_sim_trace *trace; // check/trace.h; NULL where nothing is traced
    kiln_sim_caches_t caches;     // for predictions
    uint32_t clock_mhz;           // that predictions assume; 0: by timing/power.c
    bool stalls;                  // predictions tell of each instruction
    char *timeline;               // where predicted launches' waves are written, or NULL
    bool clock_bounds;            // time passes by the lower bounds
    bool clock_only;              // only workgroups that the clock records are executed, and no matrix instruction
    bool fast_mfma;               // host float arithmetic instead of the machine's own rounding
    const struct kiln_sim_order *order; // core/order.h; NULL: waves take turns by their numbers
    const kiln_sim_variant_t *variant;  // whose handlers code gets that is loaded from now on
} kiln_sim_options_t;

// An observer and what it was registered with (core/observe.h).
typedef struct kiln_sim_seat {
    const struct kiln_sim_observer *table; // NULL: the place is free
    void *user;
} kiln_sim_seat_t;

// What outlives launches. One launch runs at a time on a machine; several machines are independent of each other.
struct kiln_sim_machine {
    pthread_mutex_t lock; // held during every call of kiln/sim.h
    kiln_sim_memory_t memory;
    kiln_sim_options_t options;
    kiln_sim_heap_t heap;
    struct kiln_sim_gws *gws;
    struct kiln_sim_workers *workers; // core/workers.h; NULL before the first launch
    kiln_sim_code_object_t *objects;  // loaded and not unloaded
    size_t decoded, decoded_limit;    // bytes of their decoded programs, and when to forget some (core/idle.c)
    // Of the latest launch that nobody watched, in device memory, for the next one; NULL before the first.
    uint8_t *arguments;
    uint64_t arguments_size;
    kiln_sim_seat_t observers[KILN_SIM_PLACES];
    struct kiln_timing_clock *clock; // timing/clock.h; NULL where nobody wants predictions
};

typedef struct kiln_sim_group kiln_sim_group_t;

struct kiln_sim_launch {
    kiln_sim_machine_t *machine;
    kiln_sim_memory_t *memory; // the machine's, as are the options
    kiln_sim_program_t *program;
    const kiln_sim_kernel_t *kernel;
    const kiln_sim_dispatch_t *dispatch;
    const kiln_sim_options_t *options;
    uint64_t image; // device address of the code object
    const kiln_sim_inst_t *entry;
    uint8_t *kernarg;              // in device memory
    kiln_sim_hostcall_t *hostcall; // NULL where the kernel has no such argument
    uint8_t *printed;              // core/print_buffer.h; NULL where the kernel prints in no such way
    uint64_t kernarg_offset;       // of the dispatch packet in that block
    uint32_t lds_size, items, wave_count;
    uint32_t scratch_bytes; // a lane; with room for the calls that the compiler could not count
    uint64_t group_count;
    const uint64_t *only;                 // ids of the workgroups that are executed, ascending; NULL: all of them
    uint64_t todo;                        // how many are
    const struct kiln_sim_slice *slice;   // what of the program must be executed (core/slice.h); NULL: everything
    uint64_t resident_limit;              // workgroups that the machine holds at once
    uint64_t next_group;                  // atomic
    uint64_t ended_waves;                 // atomic
    uint64_t spinning;                    // atomic; core/spin.c
    unsigned gws_threads, gws_blocked;    // core/gws.c: host threads at work, and those of them that wait for GWS
    uint64_t gws_blocked_at;              // since the change of this number
    unsigned threads;                     // host threads that may work on it
    unsigned observers, access_observers; // sets of places: all of them, and those that want accesses
    unsigned executed_observers;          // and those that want to know of executed instructions
    bool thorough;                        // an observer wants workgroups in front of one that failed to go on
    void *observed[KILN_SIM_PLACES];      // what observers keep for the launch
    struct kiln_sim_findings *findings;   // check/findings.h: where the checks leave what they found
    int failed;                           // atomic
    pthread_mutex_t fault_lock;           // of the two below, where the launch is thorough
    uint64_t failed_group;                // atomic; the first workgroup, in dispatch order, that failed
    kiln_sim_error_t error;               // written by who sets failed
};

// Runs the launch to its end. False with an error where it failed; memory keeps what was written until then. What checks
// find joins *findings either way.
bool kiln_sim_launch_run(kiln_sim_machine_t *machine, const kiln_sim_dispatch_t *dispatch,
                         struct kiln_sim_findings *findings, kiln_sim_launch_stats_t *stats, kiln_sim_error_t *error);

// core/run.c: executes workgroups on the calling thread until none is left. False: the launch has failed.
bool kiln_sim_thread_run(kiln_sim_thread_t *thread);
// Frees what a thread keeps from launch to launch.
void kiln_sim_thread_free(kiln_sim_thread_t *thread);

// core/machine.c: fails the launch because this wave is one of those that wait for ever, or seem to, in so many workgroups.
void kiln_sim_wave_spins(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const char *what);
void kiln_sim_wave_stalled(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, size_t workgroups);

// core/idle.c: the object is about to run; where decoded programs take more than the machine's limit, those of others that
// have not run for long are forgotten.
void kiln_sim_idle_forget(kiln_sim_machine_t *machine, kiln_sim_code_object_t *runs);

// core/loop.c: executes a wave until it stops or has used its slice; wave->stop says why.
void kiln_sim_wave_run(kiln_sim_wave_t *wave);

// core/dispatch.c: the state in which the machine starts a wave.
void kiln_sim_wave_start(const kiln_sim_launch_t *launch, const kiln_sim_workgroup_t *group, kiln_sim_wave_t *wave);
// The scalar register in which preloaded arguments begin.
unsigned kiln_sim_kernel_preload_at(const kiln_sim_kernel_t *kernel);
// Builds the kernel arguments, with the hidden ones, and the dispatch packet in device memory.
bool kiln_sim_launch_arguments(kiln_sim_launch_t *launch, kiln_sim_error_t *error);

// timing/work.c: adds what the thread has counted since the last call to a workgroup's work, which behind the last one is
// in thread->totals, too; and raises *most to a workgroup's work, unit by unit.
void kiln_sim_work_take(kiln_sim_thread_t *thread, kiln_sim_work_t *work);
void kiln_sim_work_settle(kiln_sim_thread_t *thread);
void kiln_sim_work_raise(kiln_sim_work_t *most, const kiln_sim_work_t *work);

// timing/clock.c: where the option `clock` says so, only what the clock needs is executed. False: out of memory.
bool kiln_timing_clock_restrict(kiln_sim_launch_t *launch);
// Then, when that has been executed: whether workgroups are to be executed once more, which the launch now has as its only ones.
bool kiln_timing_clock_again(kiln_sim_launch_t *launch);

// timing/stats.c: sums up the threads' counts.
void kiln_sim_launch_summary(const kiln_sim_launch_t *launch, const kiln_sim_thread_t *threads, size_t thread_count,
                             kiln_sim_launch_stats_t *stats);
// Workgroups that a compute unit holds at once.
unsigned kiln_sim_groups_per_cu(const kiln_sim_kernel_t *kernel, unsigned waves, unsigned lds_size);

// Whether it can run: its shape and what it wants of the machine.
bool kiln_sim_launch_check(kiln_sim_machine_t *machine, const kiln_sim_dispatch_t *dispatch, kiln_sim_error_t *error);

#endif
