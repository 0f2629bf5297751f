// Kiln's gfx942 simulator: machines, launches on them, what they cost and what the checks found.
//
// A machine owns device memory, GWS resources, host threads and options; machines know nothing of each other, and a process may
// have any number. libkiln-sim.so's HIP entry points are a client of this API with a machine of their own for each device; the functions named
// kilnSim* at the end speak of those. A program that also runs on a real device looks those up at run time and does without
// them when they are missing.
//
// What a reader gets wrong: counts are exact, cycles are not. `bound_*` are lower bounds, for every unit the cycles for
// which it must at least be busy if nothing else slowed it down; `estimated_cycles` is the largest of them.
//
// Threads: calls on one machine take turns, whatever threads they come from; a launch is over when its call returns. A result
// belongs to who launched; one thread uses it at a time.
// Ownership: what a function makes, the function named beside it frees; nothing may outlive its machine but results.
// Errors: functions that can fail return false and fill *error (which may be NULL) with HIP's number for it and the reason in
// one line. Nothing is printed, but findings of checks on stderr, which is where KILN_SIM_CHECK promises them.
#ifndef KILN_SIM_H
#define KILN_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_SIM_API __attribute__((visibility("default")))

typedef struct kiln_sim_error {
    int code; // HIP's number; 0: none
    char text[1024];
} kiln_sim_error_t;

// Machines ----------------------------------------------------------------------------------------------------------

typedef struct kiln_sim_machine kiln_sim_machine_t;

// An option by name, as kiln/sim_options.def lists them, and its value as text; NULL or "" means the default.
typedef struct kiln_sim_setting {
    const char *name, *value;
} kiln_sim_setting_t;

// A machine with these options, and the defaults for all others: the environment is not looked at.
KILN_SIM_API bool kiln_sim_machine_create(const kiln_sim_setting_t *settings, size_t count,
                                          kiln_sim_machine_t **out_machine, kiln_sim_error_t *error);
// With all its memory and code objects. NULL is allowed.
KILN_SIM_API void kiln_sim_machine_destroy(kiln_sim_machine_t *machine);
// Counts from the next launch on. What a wrong value leaves is what was there before.
KILN_SIM_API bool kiln_sim_machine_set(kiln_sim_machine_t *machine, const char *name, const char *value,
                                       kiln_sim_error_t *error);

// Zeroed bytes of device memory, aligned to 4096. A device address is a host address: the program may read and write it
// itself, between launches. NULL on failure.
KILN_SIM_API void *kiln_sim_machine_allocate(kiln_sim_machine_t *machine, uint64_t size, kiln_sim_error_t *error);
KILN_SIM_API bool kiln_sim_machine_free(kiln_sim_machine_t *machine, void *pointer, kiln_sim_error_t *error);
// memmove, on either side of which may be device memory; and it tells `undefined` that the bytes are defined, which a write by
// the program itself does not.
KILN_SIM_API void kiln_sim_machine_copy(kiln_sim_machine_t *machine, void *to, const void *from, uint64_t bytes);

// Code objects and launches -----------------------------------------------------------------------------------------

typedef struct kiln_sim_code_object kiln_sim_code_object_t;
typedef struct kiln_sim_kernel kiln_sim_kernel_t;

// An ELF file for gfx942; the bytes are copied, and nothing in them is trusted.
KILN_SIM_API bool kiln_sim_machine_load(kiln_sim_machine_t *machine, const void *file, size_t size,
                                        kiln_sim_code_object_t **out_object, kiln_sim_error_t *error);
KILN_SIM_API void kiln_sim_machine_unload(kiln_sim_machine_t *machine, kiln_sim_code_object_t *object);
// NULL where the object has no kernel of that name. It lives as long as the object.
KILN_SIM_API const kiln_sim_kernel_t *kiln_sim_object_kernel(const kiln_sim_code_object_t *object, const char *name);

typedef struct kiln_sim_dispatch {
    size_t struct_size; // set by the caller to sizeof(kiln_sim_dispatch_t)
    const kiln_sim_kernel_t *kernel;
    uint32_t grid[3];  // workgroups
    uint32_t block[3]; // work-items of a workgroup
    uint32_t dynamic_lds;
    void **params;      // one pointer for each explicit argument; or NULL
    const void *packed; // or: the explicit arguments as one block
    size_t packed_size;
    bool cooperative; // all workgroups must be resident at once
} kiln_sim_dispatch_t;

// For the predicting clock: lets the next launch find none of its data in the L2, and in the Infinity Cache, too. Its code may be there.
KILN_SIM_API void kiln_sim_machine_flush(kiln_sim_machine_t *machine, bool infinity_cache);

// What came of a launch.
typedef struct kiln_sim_result kiln_sim_result_t;

// Runs a launch to its end. *out_result, which may be NULL, is made also where the launch fails, so that what checks found until
// then can be read; it is NULL only without memory for it.
KILN_SIM_API bool kiln_sim_machine_launch(kiln_sim_machine_t *machine, const kiln_sim_dispatch_t *dispatch,
                                          kiln_sim_result_t **out_result, kiln_sim_error_t *error);
KILN_SIM_API void kiln_sim_result_free(kiln_sim_result_t *result);

// Wave-instructions by class.
typedef enum kiln_sim_instruction_class {
    KILN_SIM_COUNT_SALU,
    KILN_SIM_COUNT_BRANCH,
    KILN_SIM_COUNT_SYNC, // waits, barriers, s_nop, messages: no execution port
    KILN_SIM_COUNT_SMEM,
    KILN_SIM_COUNT_VALU,
    KILN_SIM_COUNT_TRANS,
    KILN_SIM_COUNT_MFMA,
    KILN_SIM_COUNT_LDS,
    KILN_SIM_COUNT_VMEM_LOAD,
    KILN_SIM_COUNT_VMEM_STORE,
    KILN_SIM_COUNT_VMEM_ATOMIC,
    KILN_SIM_COUNT_CLASSES
} kiln_sim_instruction_class_t;

// Arrays by class have room for classes to come, so that what stands behind them keeps its place.
enum { KILN_SIM_CLASS_SLOTS = 16 };

typedef struct kiln_sim_launch_stats {
    size_t struct_size; // set by the caller to sizeof(kiln_sim_launch_stats_t); no more than that is written

    uint64_t workgroups, waves, waves_per_workgroup;
    uint64_t instructions; // wave-instructions executed: one instruction of one 64-lane wave
    uint64_t by_class[KILN_SIM_CLASS_SLOTS];

    // Cycles summed over all waves. A SIMD issues VALU and MFMA, a compute unit has one LDS.
    uint64_t valu_cycles;         // VALU and transcendental, 4 and 16 a wave-instruction
    uint64_t mfma_cycles;         // 4 a pass
    uint64_t salu_cycles;         // SALU, SMEM and branches
    uint64_t lds_cycles;          // with bank conflicts
    uint64_t lds_conflict_cycles; // those of them that a conflict-free layout would save
    uint64_t vmem_cycles;         // address cycles of vector memory instructions, 4 a wave-instruction

    // Bytes that active lanes asked for, and distinct aligned lines, summed over instructions.
    uint64_t lds_bytes, load_bytes, store_bytes, atomic_bytes, lines64, lines128;

    // From the kernel descriptor and the launch.
    uint32_t arch_vgprs, total_vgprs, lds_bytes_per_workgroup, scratch_bytes_per_lane;
    uint32_t waves_per_simd;    // that registers, LDS and the slots of a compute unit allow
    uint32_t workgroups_per_cu; // the same, in workgroups
    uint32_t compute_units;     // of the device: 304 on an MI300X

    // Lower bounds in core clock cycles for the whole launch.
    double bound_valu, bound_mfma, bound_salu, bound_lds, bound_l1, bound_l2;
    double estimated_cycles; // the largest bound
    double host_seconds;     // how long the simulation took

    // Under the option `profile`: ticks of the host's time stamp counter in the handlers of each class; otherwise 0.
    uint64_t host_ticks[KILN_SIM_CLASS_SLOTS];

    // Core clock cycles that passed, beyond those of its instructions, for a wave that did nothing but look at the clock until they had; of all
    // waves the most. Not in the bounds; hipEventElapsedTime has them.
    uint64_t waited_cycles;
} kiln_sim_launch_stats_t;

// Fills *stats, as much as struct_size says. False where the launch failed, or struct_size is too small to hold anything.
KILN_SIM_API bool kiln_sim_result_stats(const kiln_sim_result_t *result, kiln_sim_launch_stats_t *stats);

// What the predicting clock says of a launch (option `clock`): how long it would take on the device, and why. Everything here is predicted,
// nothing is measured; docs/timing-model.md states by how much it is wrong.
//
// Shares are of what the compute unit, or the device, could do in the same cycles, from 0 to 1.
typedef struct kiln_sim_prediction {
    size_t struct_size;         // set by the caller to sizeof(kiln_sim_prediction_t); no more than that is written
    double microseconds;        // from the kernel's begin to its end, as a profiler shows it
    double launch_microseconds; // what a pair of events around it shows more
    double cycles, clock_mhz;   // of the core, at the clock that the device holds under this work
    uint64_t workgroups;        // of the launch
    uint64_t replayed,
        recorded; // those of them that were replayed; and those that were looked at for their accesses, too
    double mfma_busy, valu_busy; // of the SIMDs' cycles: rocprof-compute's MfmaUtil and VALU utilisation
    double lds_busy, l1_busy, l2_busy;
    double hbm_busy;         // of the pins' bandwidth
    double l1_hits, l2_hits; // of the lines asked for
    double waves_per_simd;   // achieved occupancy
    bool unexecuted;         // the option `clock` is only: what the kernel should have written is not there
    // Of the whole launch: floating-point operations (a multiply-add is two), and bytes that went through the L2s, through
    // the Infinity Cache, and to and from HBM. And what the device could do: operations of the kind that the kernel
    // does most of, and bytes, in a second.
    double flops, l2_bytes, infinity_cache_bytes, hbm_bytes;
    double peak_flops, peak_l2, peak_infinity_cache, peak_hbm;
} kiln_sim_prediction_t;

// Fills *prediction, as much as struct_size says. False where the launch failed, the option `clock` asked for none, or the launch could not
// be followed (its workgroups wait for others that were not recorded).
KILN_SIM_API bool kiln_sim_result_prediction(const kiln_sim_result_t *result, kiln_sim_prediction_t *prediction);

// Reasons of kiln/sim_stalls.def for which a wave did not issue.
typedef enum kiln_sim_stall {
#define KILN_SIM_STALL(name, text, help) KILN_SIM_STALL_##name,
#include "kiln/sim_stalls.def"
#undef KILN_SIM_STALL
    KILN_SIM_STALLS
} kiln_sim_stall_t;

enum { KILN_SIM_STALL_SLOTS = 24 }; // room for reasons to come

// An instruction that replayed waves of a predicted launch executed, and for how long these stood in front of it.
// Strings live as long as the result.
typedef struct kiln_sim_line {
    size_t struct_size;               // set by the caller to sizeof(kiln_sim_line_t); no more than that is written
    const char *instruction, *source; // as the disassembler prints it; "file:line" from the object's line table, or ""
    uint64_t address;                 // as the disassembler shows it
    int64_t loop;                     // address of the head of the innermost loop around it; -1: none
    uint64_t issued;                  // by all replayed waves
    uint64_t cycles[KILN_SIM_STALL_SLOTS]; // of all replayed waves, by kiln_sim_stall_t
} kiln_sim_line_t;

// Fills *line, as much as struct_size says, with the instruction of that number, by address, from 0. False where there is none, or the
// option `stalls` was off.
KILN_SIM_API bool kiln_sim_result_line(const kiln_sim_result_t *result, size_t index, kiln_sim_line_t *line);

// One place where a check found something. Strings are never NULL and live as long as the result.
typedef struct kiln_sim_finding {
    size_t struct_size;  // set by the caller to sizeof(kiln_sim_finding_t); no more than that is written
    const char *check;   // "wait", "race", …
    const char *message; // what is wrong, in one line
    const char *kernel;
    const char *instruction;       // as the disassembler prints it
    const char *source;            // "file:line" from the object's line table, or ""
    const char *other_instruction; // the other of the two accesses, or ""
    const char *other_source;
    uint64_t address, other_address; // of the instructions, as the disassembler shows them
    uint32_t workgroup[3], wave;     // where it was seen first
    int32_t lane;                    // or -1: no lane in particular
    uint64_t count;                  // how often it was seen in the launch
} kiln_sim_finding_t;

// Fills *finding, as much as struct_size says, with the finding of that number, from 0. False where there is none.
KILN_SIM_API bool kiln_sim_result_finding(const kiln_sim_result_t *result, size_t index, kiln_sim_finding_t *finding);

// The checks that exist, separated by commas: what the option `check` can name beside "off" and "all".
KILN_SIM_API const char *kiln_sim_checks(void);

// The machine behind the HIP entry points ---------------------------------------------------------------------------
//
// These speak of the calling thread's last launch or call; strings live until its next one.

// Sets an option of the machines that HIP calls use; it wins over the environment variable. Returns 0, or 1
// (hipErrorInvalidValue) with a reason for kilnSimGetLastErrorMessage. `async` is the entry points' own: with "1" calls return before their work
// is done, as HIP's do, with "0" each waits for it; without a value it goes by the name under which the library was loaded (docs/simulator.md).
KILN_SIM_API int kilnSimSetOption(const char *name, const char *value);

// kiln_sim_result_stats, _prediction, _line and _finding of the last launch. Return 0, or 1 (hipErrorInvalidValue) in place of false.
KILN_SIM_API int kilnSimGetLaunchStats(kiln_sim_launch_stats_t *stats);
KILN_SIM_API int kilnSimGetPrediction(kiln_sim_prediction_t *prediction);
KILN_SIM_API int kilnSimGetLine(size_t index, kiln_sim_line_t *line);
KILN_SIM_API int kilnSimGetFinding(size_t index, kiln_sim_finding_t *finding);

// The reason of the last failing call of this thread: which instruction, address, kernel, workgroup, wave and lane. ""
// where nothing has failed. hipGetErrorString() of the same error shows it, too.
KILN_SIM_API const char *kilnSimGetLastErrorMessage(void);

// kiln_sim_checks.
KILN_SIM_API const char *kilnSimGetSupportedChecks(void);

#ifdef __cplusplus
}
#endif

#endif
