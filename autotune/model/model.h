// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface between the files of the model: machine.c has the device, resources.c what a
// workgroup occupies, units.c what it keeps busy, waits.c what it waits for, queue.c how waves
// share the units, and estimate.c puts these together.
//
// All times are in cycles of the compute units' clock.
#ifndef KILN_AUTOTUNE_MODEL_H
#define KILN_AUTOTUNE_MODEL_H

#include <stdbool.h>

#include "base/gfx942.h"
#include "kiln/tune_model.h"

// The clock's parameters.
enum {
#define KILN_TIMING_PARAMETER(name, value, unit, mark, source) KILN_TIMING_##name = (value),
#include "sim/timing/parameters.def"
#undef KILN_TIMING_PARAMETER
};

// The most LDS that a tile without a buffer moves through at once (layout/swizzle.c).
enum { KILN_MODEL_SCRATCH_BYTES = KILN_GFX942_LDS_BYTES / 2 };

// The device at a clock.
typedef struct kiln_model_machine {
    double mhz;                          // of compute units and L2
    double max_mhz;                      // without a limit
    double held_percent;                 // relative to the power of an MI300X
    double matrix_mhz, other_matrix_mhz; // gfx942.def; 0: no limit
    double units, dies, die_units;
    double l2_bytes;     // for each cycle of an XCD
    double fabric_bytes; // beyond the L2, from the Infinity Cache, for each cycle of an XCD
    double hbm_bytes;    // for each cycle of an XCD
    double mall_latency, hbm_latency; // cycles
} kiln_model_machine_t;

kiln_model_machine_t kiln_model_machine(const kiln_device_properties_t *device);

// The same device at another clock.
kiln_model_machine_t kiln_model_machine_at(const kiln_model_machine_t *machine, double mhz);

// A combination of options.
typedef struct kiln_model_config {
    int warps;
    int stages;                   // requested
    int waves_per_eu;             // 0: any
    int wave_choice, side_choice; // of kiln_work_step_t's matrices
} kiln_model_config_t;

// What a workgroup occupies.
typedef struct kiln_model_resources {
    double registers; // of a lane
    double spilled;   // registers of a lane
    double lds;       // bytes
    int stages;       // of the loop with the most
    double resident;  // workgroups of a compute unit at a time
} kiln_model_resources_t;

// Whether the dots of a loop's chain work on different iterations.
typedef enum kiln_model_overlap { KILN_MODEL_IN_TURN, KILN_MODEL_OVERLAPPED } kiln_model_overlap_t;
kiln_model_overlap_t kiln_model_overlap(const kiln_workload_t *workload,
                                        const kiln_model_config_t *config);
// In this region.
bool kiln_model_is_staged(const kiln_workload_t *workload, const kiln_model_config_t *config,
                          unsigned region, kiln_model_overlap_t overlap);

kiln_model_resources_t kiln_model_resources(const kiln_workload_t *workload,
                                            const kiln_model_config_t *config,
                                            kiln_model_overlap_t overlap);

// Registers of a lane for values that wait between the stages of a region's chain of dots.
double kiln_model_waiting_registers(const kiln_workload_t *workload,
                                    const kiln_model_config_t *config, unsigned region);

// The number of pipeline stages of a region's loads.
int kiln_model_stages(const kiln_workload_t *workload, const kiln_model_config_t *config,
                      unsigned region);

typedef enum kiln_model_unit {
    KILN_MODEL_MATRIX,
    KILN_MODEL_VECTOR,
    KILN_MODEL_LDS,
    KILN_MODEL_L1,
    KILN_MODEL_L2,
    KILN_MODEL_MEMORY, // beyond the L2
    KILN_MODEL_FLIGHT, // places of L1 for lines that are on their way
    KILN_MODEL_UNITS
} kiln_model_unit_t;

// Workgroups that run at the same time.
typedef struct kiln_model_crowd {
    double unit; // on a busy compute unit
    double die;  // on an XCD
} kiln_model_crowd_t;

// The fraction of bytes read for the first time that miss the L2, and of these the fraction that
// miss the Infinity Cache, because other data has evicted them since the previous launch.
typedef struct kiln_model_misses {
    double l2, mall;
    double repeats; // of loads whose bytes an earlier load of the program has fetched to the L2
} kiln_model_misses_t;
// Without `repeats`, which depends on how many workgroups share the L2.
kiln_model_misses_t kiln_model_misses(const kiln_workload_t *workload,
                                      const kiln_model_machine_t *machine);
double kiln_model_repeat_misses(const kiln_workload_t *workload, const kiln_model_crowd_t *crowd);

// What a load waits for if a share of its lines misses the L2.
double kiln_model_load_latency(const kiln_model_machine_t *machine,
                               const kiln_model_misses_t *misses, double l2_misses);

// Adds to busy[…] the cycles for which the crowd's executions of a step keep each unit busy: those
// of one compute unit, or of the whole XCD for L2 and memory; matrix and vector units as if all
// workgroups used the same SIMDs.
void kiln_model_add_step(const kiln_workload_t *workload, const kiln_work_step_t *step,
                         const kiln_model_config_t *config, const kiln_model_machine_t *machine,
                         const kiln_model_misses_t *misses, const kiln_model_crowd_t *crowd,
                         double busy[KILN_MODEL_UNITS]);

// What a wave waits for in one execution of a region, besides the units.
typedef struct kiln_model_waits {
    double compute;    // cycles between its instructions: LDS, barriers, lanes
    double memory;     // cycles for its loads
    double ahead;      // iterations by which these are issued before their use; at least 1
    double written;    // share of the cycles of LDS that write what has been loaded
    double read;       // share of the cycles of LDS that read what dots multiply meanwhile
    bool is_pipelined; // loads are for a later iteration, so that both waits overlap
    bool is_staged;    // dots and arithmetic of a chain work on different iterations
    bool has_barriers; // which keep the waves of a workgroup together
} kiln_model_waits_t;
kiln_model_waits_t kiln_model_waits(const kiln_workload_t *workload, unsigned region,
                                    const kiln_model_config_t *config,
                                    const kiln_model_machine_t *machine,
                                    const kiln_model_misses_t *misses,
                                    kiln_model_overlap_t overlap);

// The cycles in which each of the workgroups of a compute unit executes a region once. `busy` are
// the cycles that all of them together need of each unit.
double kiln_model_queue(const double busy[KILN_MODEL_UNITS], const kiln_model_waits_t *waits,
                        double workgroups, int warps);

// Cycles of the matrix unit for one wave's share of a dot; 0 if multiply-adds compute it.
double kiln_model_matrix_cycles(const kiln_work_step_t *dot, const kiln_model_config_t *config);
// Cycles of one wave in a step's vector instructions.
double kiln_model_vector_cycles(const kiln_workload_t *workload, const kiln_work_step_t *step,
                                const kiln_model_config_t *config);
// Lanes that hold parts of one element of a reduction's result.
double kiln_model_lanes_of_row(const kiln_workload_t *workload, const kiln_work_step_t *step);
// Waves that hold parts of it.
double kiln_model_waves_of_row(const kiln_work_step_t *step, const kiln_model_config_t *config);
// Whether an operand stays in the registers of the waves that have computed it.
bool kiln_model_stays(const kiln_workload_t *workload, const kiln_work_step_t *operand,
                      const kiln_model_config_t *config);
// Cycles of LDS for one execution of a step by a workgroup.
double kiln_model_lds_read_cycles(const kiln_workload_t *workload, const kiln_work_step_t *step,
                                  const kiln_model_config_t *config);
double kiln_model_lds_write_cycles(const kiln_workload_t *workload, const kiln_work_step_t *step,
                                   const kiln_model_config_t *config);
// The share of these cycles in which the banks work: for the rest, accesses wait for ports.
double kiln_model_lds_bank_share(void);

// Cycles of the address path and L1 for one execution of an access by a workgroup.
double kiln_model_l1_cycles(const kiln_work_step_t *access, const kiln_model_config_t *config);

#endif
