// Kiln's gfx942 simulator: machines, launches on them, their cost and the checks' findings.
//
// A machine owns device memory, GWS resources, host threads and options; machines are independent,
// and a process may have any number. libkiln-sim.so's HIP entry points are a client of this API
// with one machine per device; the functions named kilnSim* at the end refer to those machines.
// Programs that also run on a real device look them up at run time and treat them as optional.
//
// Counts are exact, cycles are not. `bound_*` are lower bounds: the cycles for which each unit must
// be busy even if nothing else slows it down; `estimated_cycles` is the largest of them.
//
// Threads: calls on one machine from any threads are serialized; a launch is complete when its call
// returns. A result may be used by one thread at a time. Ownership: each create function has a
// matching destroy or free function; only results may outlive their machine. Errors: functions that
// can fail return false and fill *error (which may be NULL) with HIP's error code and a one-line
// reason. Only findings of checks are printed, to stderr.
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

// Machines ----------------------------------------------------------------------------------------

typedef struct kiln_sim_machine kiln_sim_machine_t;

// An option by name, as kiln/sim_options.def lists them, and its value as text; NULL or "" means
// the default.
typedef struct kiln_sim_setting {
    const char *name, *value;
} kiln_sim_setting_t;

// Creates a machine with these options and defaults for all others; ignores the environment.
KILN_SIM_API bool kiln_sim_machine_create(const kiln_sim_setting_t *settings, size_t count,
                                          kiln_sim_machine_t **out_machine,
                                          kiln_sim_error_t *error);
// Destroys a machine with all its memory and code objects. Accepts NULL.
KILN_SIM_API void kiln_sim_machine_destroy(kiln_sim_machine_t *machine);
// Applies from the next launch on. An invalid value leaves the option unchanged.
KILN_SIM_API bool kiln_sim_machine_set(kiln_sim_machine_t *machine, const char *name,
                                       const char *value, kiln_sim_error_t *error);

// Allocates zeroed device memory, aligned to 4096 bytes. Device addresses are host addresses: the
// program may read and write the memory between launches. NULL on failure.
KILN_SIM_API void *kiln_sim_machine_allocate(kiln_sim_machine_t *machine, uint64_t size,
                                             kiln_sim_error_t *error);
KILN_SIM_API bool kiln_sim_machine_free(kiln_sim_machine_t *machine, void *pointer,
                                        kiln_sim_error_t *error);
// memmove between host and device memory in any combination; marks the bytes as defined for the
// check `undefined`, which a direct write by the program does not.
KILN_SIM_API void kiln_sim_machine_copy(kiln_sim_machine_t *machine, void *to, const void *from,
                                        uint64_t bytes);

// Code objects and launches -----------------------------------------------------------------------

typedef struct kiln_sim_code_object kiln_sim_code_object_t;
typedef struct kiln_sim_kernel kiln_sim_kernel_t;

// Loads an ELF file for gfx942; the bytes are copied and fully validated.
KILN_SIM_API bool kiln_sim_machine_load(kiln_sim_machine_t *machine, const void *file, size_t size,
                                        kiln_sim_code_object_t **out_object,
                                        kiln_sim_error_t *error);
KILN_SIM_API void kiln_sim_machine_unload(kiln_sim_machine_t *machine,
                                          kiln_sim_code_object_t *object);
// NULL if the object has no kernel with this name. Valid as long as the object.
KILN_SIM_API const kiln_sim_kernel_t *kiln_sim_object_kernel(const kiln_sim_code_object_t *object,
                                                             const char *name);

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

// For the timing model: as if other work had written so many bytes of device memory since the last
// launch, as a benchmark does that zeroes a buffer. No data is left in the L2s, which hold the last
// of these bytes, and in the Infinity Cache what fits beside the others (with 0 bytes all, with
// UINT64_MAX none); code stays cached.
KILN_SIM_API void kiln_sim_machine_flush(kiln_sim_machine_t *machine, uint64_t bytes);

// The result of a launch.
typedef struct kiln_sim_result kiln_sim_result_t;

// Runs a launch to its end. *out_result (out_result may be NULL) is also set if the launch fails,
// so that earlier findings can be read; it is NULL only if out of memory.
KILN_SIM_API bool kiln_sim_machine_launch(kiln_sim_machine_t *machine,
                                          const kiln_sim_dispatch_t *dispatch,
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

// Arrays by class have room for future classes, so that the offsets of later fields are stable.
enum { KILN_SIM_CLASS_SLOTS = 16 };

typedef struct kiln_sim_launch_stats {
    size_t struct_size; // set by the caller to sizeof(kiln_sim_launch_stats_t); no more than that
                        // is written

    uint64_t workgroups, waves, waves_per_workgroup;
    uint64_t instructions; // wave-instructions executed: one instruction of one 64-lane wave
    uint64_t by_class[KILN_SIM_CLASS_SLOTS];

    // Cycles, summed over all waves. VALU and MFMA are per SIMD, LDS is per compute unit.
    uint64_t valu_cycles;         // VALU and transcendental, 4 and 16 per wave-instruction
    uint64_t mfma_cycles;         // 4 per pass
    uint64_t salu_cycles;         // SALU, SMEM and branches
    uint64_t lds_cycles;          // with bank conflicts
    uint64_t lds_conflict_cycles; // cycles of these due to bank conflicts
    uint64_t vmem_cycles; // address cycles of vector memory instructions, 4 per wave-instruction

    // Bytes requested by active lanes, and distinct aligned lines, summed over instructions.
    uint64_t lds_bytes, load_bytes, store_bytes, atomic_bytes, lines64, lines128;

    // From the kernel descriptor and the launch.
    uint32_t arch_vgprs, total_vgprs, lds_bytes_per_workgroup, scratch_bytes_per_lane;
    uint32_t waves_per_simd;    // allowed by registers, LDS and wave slots
    uint32_t workgroups_per_cu; // the same, in workgroups
    uint32_t compute_units;     // of the device: 304 on an MI300X

    // Lower bounds in core clock cycles for the whole launch.
    double bound_valu, bound_mfma, bound_salu, bound_lds, bound_l1, bound_l2;
    double estimated_cycles; // the largest bound
    double host_seconds;     // wall time of the simulation in seconds

    // With the option `profile`: ticks of the host's time stamp counter in the handlers of each
    // class; else 0.
    uint64_t host_ticks[KILN_SIM_CLASS_SLOTS];

    // Core clock cycles that a wave spent polling the clock, beyond those of its instructions;
    // maximum over all waves. Not part of the bounds; included in hipEventElapsedTime.
    uint64_t waited_cycles;
} kiln_sim_launch_stats_t;

// Fills *stats up to struct_size bytes. False if the launch failed or struct_size is too small.
KILN_SIM_API bool kiln_sim_result_stats(const kiln_sim_result_t *result,
                                        kiln_sim_launch_stats_t *stats);

// The timing model's prediction of a launch (option `clock`): its time on the device, and
// utilization. Everything here is predicted, nothing is measured; docs/timing-model.md states the
// model's error.
//
// Shares are fractions, from 0 to 1, of the peak of the compute unit or device in the same cycles.
typedef struct kiln_sim_prediction {
    size_t struct_size;  // set by the caller to sizeof(kiln_sim_prediction_t); no more than that is
                         // written
    double microseconds; // kernel duration, as a profiler reports it
    double launch_microseconds; // additional time measured by a pair of events around the launch
    double cycles, clock_mhz;   // of the core, at the clock that the device holds under this work
    uint64_t workgroups;        // of the launch
    uint64_t replayed,
        recorded; // workgroups that were replayed, and recorded with their accesses
    double mfma_busy,
        valu_busy; // of the SIMDs' cycles: rocprof-compute's MfmaUtil and VALU utilization
    double lds_busy, l1_busy, l2_busy;
    double hbm_busy;         // of the pins' bandwidth
    double l1_hits, l2_hits; // of the requested lines
    double waves_per_simd;   // achieved occupancy
    bool unexecuted;         // option `clock` is "only": buffers lack the kernel's results
    // Totals of the launch: floating-point operations (a multiply-add counts as two), and bytes
    // through the L2s, through the Infinity Cache, and to and from HBM. Peaks of the device per
    // second: operations of the kernel's most frequent kind, and bytes.
    double flops, l2_bytes, infinity_cache_bytes, hbm_bytes;
    double peak_flops, peak_l2, peak_infinity_cache, peak_hbm;
    // The interval that contains four fifths of the measured kernels whose predictions are similar
    // to this one in length and bound, and the number of these kernels.
    double min_microseconds, max_microseconds;
    uint64_t similar_points;
    bool repeated; // taken from an equal earlier launch (option `repeats`)
    // Memory accesses of the average workgroup, relative to the one with the most, and of the
    // average compute unit that has workgroups, likewise; 1 if not all workgroups are on the device
    // at once.
    double mean_work, mean_unit_work;
} kiln_sim_prediction_t;

// Fills *prediction up to struct_size bytes. False if the launch failed, the option `clock`
// disables predictions, or the launch cannot be predicted (its workgroups wait for others that were
// not recorded).
KILN_SIM_API bool kiln_sim_result_prediction(const kiln_sim_result_t *result,
                                             kiln_sim_prediction_t *prediction);

// Stall reasons (kiln/sim_stalls.def).
typedef enum kiln_sim_stall {
#define KILN_SIM_STALL(name, text, help) KILN_SIM_STALL_##name,
#include "kiln/sim_stalls.def"
#undef KILN_SIM_STALL
    KILN_SIM_STALLS
} kiln_sim_stall_t;

enum { KILN_SIM_STALL_SLOTS = 24 }; // room for future reasons

// An instruction executed by replayed waves of a predicted launch, and the waves' stall cycles
// before it. Strings are valid as long as the result.
typedef struct kiln_sim_line {
    size_t
        struct_size; // set by the caller to sizeof(kiln_sim_line_t); no more than that is written
    const char *instruction,
        *source; // as the disassembler prints it; "file:line" from the object's line table, or ""
    uint64_t address; // as the disassembler shows it
    int64_t loop;     // address of the head of the innermost loop around it; -1: none
    uint64_t issued;  // by all replayed waves
    uint64_t cycles[KILN_SIM_STALL_SLOTS]; // of all replayed waves, by kiln_sim_stall_t
    uint32_t column;                       // in the source line, from 1; 0: unknown
    // Of memory and LDS instructions, summed over replayed waves.
    uint64_t waited;        // cycles of later s_waitcnt instructions that waited for this one
    uint64_t bytes;         // of active lanes, of each access rounded up to 4
    uint64_t lines, halves; // distinct 128-byte lines, and 64-byte halves of lines, of each access
    uint64_t lds_cycles, lds_min_cycles; // cycles of the banks, and those needed without conflicts
    uint64_t tag_cycles, tag_min_cycles; // of the L1's tag RAMs, and if lines were spread evenly
    uint64_t set_cycles, latency; // cycles that the misses of each access waited for a place in
                                  // their set of the L1, at most, and until it was complete
    // Of loads: how many read bytes that an instruction of another place has loaded before, in the
    // same wave and without a store to them in between, and the address of such an instruction;
    // dwords per lane of it that others read again, which a wave would keep (the most of any wave).
    uint64_t repeats, repeated, kept;
    uint64_t ascending; // atomics of which each lane accesses other bytes than the lanes before it
} kiln_sim_line_t;

// Fills *line up to struct_size bytes with instruction `index`, from 0, in order of address. False
// past the last one, or if the option `stalls` was off.
KILN_SIM_API bool kiln_sim_result_line(const kiln_sim_result_t *result, size_t index,
                                       kiln_sim_line_t *line);

// Costs of an instruction that a replay can leave out, as a set of bits.
enum {
    KILN_SIM_WITHOUT_CONFLICTS = 1, // bank conflicts in LDS
    KILN_SIM_WITHOUT_LATENCY = 2, // as if it had been requested 2048 cycles earlier, but not before
                                  // its workgroup began
    KILN_SIM_WITHOUT_LINES = 4,   // touches only as many lines as its bytes fill, from the first on
    KILN_SIM_WITHOUT_ISSUE = 8,   // not executed, but its results are available
    KILN_SIM_WITHOUT_FETCH = 16,  // is always in the instruction buffer
    KILN_SIM_WITHOUT_REQUEST = 32, // an access that is a part of the one before it: takes no issue
                                   // slot and no cycles of addresses, but moves its bytes
    KILN_SIM_WITHOUT_TAGS = 64,    // lines are spread over the L1's tag RAMs and the L2's channels
    KILN_SIM_WITHOUT_SETS = 128    // with it: lines whose misses wait for a place in their set of
                                   // the L1 are spread over its sets
};

typedef struct kiln_sim_exemption {
    uint64_t address; // of an instruction, as in kiln_sim_line_t; UINT64_MAX: all instructions
    unsigned without; // set of KILN_SIM_WITHOUT_*
} kiln_sim_exemption_t;

// The suppositions of a replay about a launch. Fields that are 0 leave the launch as it was.
typedef struct kiln_sim_supposition {
    size_t struct_size; // set by the caller to sizeof(kiln_sim_supposition_t)
    const kiln_sim_exemption_t *exemptions;
    size_t count;
    unsigned from_wave;         // only waves from this number on, in each workgroup, are exempt;
                                // they take no wave slots, are not dispatched, and share SIMDs
    unsigned workgroups_per_cu; // that a compute unit holds at once, if the launch has as many
    bool near; // programs that share data are on the same XCD, so that each XCD reads only its part
    bool even; // compute units get equal shares of the workgroups, as if these could be divided;
               // no effect on a launch with at most one for each
    double least; // a gain below this fraction of the launch's time need not be exact: where a
                  // bound on the gain is cheaper and lower, the prediction is that of the bound
} kiln_sim_supposition_t;

// Predicts the machine's last launch once more from the same recording, under a supposition.
// Nothing is executed, and the state of caches between launches does not change. Fills *prediction
// up to struct_size bytes. False if `result` is not that of the last launch, if the option `stalls`
// was off, or if the launch has no prediction.
KILN_SIM_API bool kiln_sim_machine_replay(kiln_sim_machine_t *machine,
                                          const kiln_sim_result_t *result,
                                          const kiln_sim_supposition_t *supposition,
                                          kiln_sim_prediction_t *prediction);

// A finding of a check. Strings are never NULL and are valid as long as the result.
typedef struct kiln_sim_finding {
    size_t struct_size;  // set by the caller to sizeof(kiln_sim_finding_t); no more than that is
                         // written
    const char *check;   // "wait", "race", …
    const char *message; // one-line description
    const char *kernel;
    const char *instruction;       // as the disassembler prints it
    const char *source;            // "file:line" from the object's line table, or ""
    const char *other_instruction; // the other of the two accesses, or ""
    const char *other_source;
    uint64_t address, other_address; // of the instructions, as the disassembler shows them
    uint32_t workgroup[3], wave;     // first occurrence
    int32_t lane;                    // or -1: no lane in particular
    uint64_t count;                  // number of occurrences in the launch
} kiln_sim_finding_t;

// Fills *finding up to struct_size bytes with finding `index`, from 0. False past the last one.
KILN_SIM_API bool kiln_sim_result_finding(const kiln_sim_result_t *result, size_t index,
                                          kiln_sim_finding_t *finding);

// Supported checks, separated by commas: values of the option `check` in addition to "off" and
// "all".
KILN_SIM_API const char *kiln_sim_checks(void);

// The machine behind the HIP entry points ---------------------------------------------------------
//
// These refer to the calling thread's last launch or call; strings are valid until its next one.

// Sets an option of the machines behind HIP calls, overriding the environment variable. Returns 0,
// or 1 (hipErrorInvalidValue) with a reason in kilnSimGetLastErrorMessage. `async` is specific to
// the entry points: with "1" calls are asynchronous, as in HIP, with "0" synchronous; by default it
// depends on the library's file name (docs/simulator.md).
KILN_SIM_API int kilnSimSetOption(const char *name, const char *value);

// Per-thread overrides of a device machine's options, including `async`. kilnSimOverridesUse makes
// the calling thread's HIP calls, and their work in streams, use the overrides (NULL: none) and
// returns the previous ones. Released overrides must not be in use; they stay alive until such work
// is done. Options that are not overridden keep the values of kilnSimSetOption. Return 0, or HIP's
// error code with a reason in kilnSimGetLastErrorMessage.
KILN_SIM_API int kilnSimOverridesCreate(int device, void **out_overrides);
KILN_SIM_API int kilnSimOverridesSet(void *overrides, const char *name, const char *value);
KILN_SIM_API void *kilnSimOverridesUse(void *overrides);
KILN_SIM_API void kilnSimOverridesRelease(void *overrides);

// Contents of device memory that the simulator makes when something first reads or writes the
// memory. A launch with `clock` = only mostly needs its operands' addresses, not their contents.
typedef struct kiln_sim_contents {
    size_t struct_size; // sizeof(kiln_sim_contents_t)
    // Writes `size` bytes, the whole allocation. Called at most once, from any thread, which other
    // accesses of the memory wait for; must not call HIP.
    void (*fill)(void *user, void *to, size_t size);
    void (*release)(void *user); // called when `user` is no longer needed; or NULL
    void *user;
} kiln_sim_contents_t;

// Gives memory of hipMalloc new contents; `base` is its start. No work that accesses it may be
// running. The memory counts as written. kilnSimIsUnfilled: *out_unfilled is whether `fill` is
// still to be called, so that the memory holds these contents. Return 0, or HIP's error code with
// a reason in kilnSimGetLastErrorMessage; the caller then keeps contents->user.
KILN_SIM_API int kilnSimFillLater(void *base, const kiln_sim_contents_t *contents);
KILN_SIM_API int kilnSimIsUnfilled(const void *base, bool *out_unfilled);

// kiln_sim_result_stats, _prediction, _line and _finding of the last launch. Return 0, or 1
// (hipErrorInvalidValue) in place of false.
KILN_SIM_API int kilnSimGetLaunchStats(kiln_sim_launch_stats_t *stats);
KILN_SIM_API int kilnSimGetPrediction(kiln_sim_prediction_t *prediction);
KILN_SIM_API int kilnSimGetLine(size_t index, kiln_sim_line_t *line);
// kiln_sim_machine_replay of the last launch, on the current device. Returns 0, or 1.
KILN_SIM_API int kilnSimReplay(const kiln_sim_supposition_t *supposition,
                               kiln_sim_prediction_t *prediction);
KILN_SIM_API int kilnSimGetFinding(size_t index, kiln_sim_finding_t *finding);

// The reason of this thread's last failed call, with instruction, address, kernel, workgroup, wave
// and lane; "" if none failed. hipGetErrorString() of the same error includes it.
KILN_SIM_API const char *kilnSimGetLastErrorMessage(void);

// kiln_sim_checks.
KILN_SIM_API const char *kilnSimGetSupportedChecks(void);

#ifdef __cplusplus
}
#endif

#endif
