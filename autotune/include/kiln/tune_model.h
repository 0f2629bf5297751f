// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of the time of a launch that needs no compilation: microseconds for a combination of
// compile options, given the work that kiln/work.h has counted.
//
//     kiln_work_measure(work, &launch, &workload);          once for each set of constants
//     kiln_tune_estimate(workload, &options, properties, &estimate);      once for each combination
//
// The searches of kiln_tune use it (strategy model, and guided). docs/tuning.md describes it.
//
// Conventions are those of kiln/kiln.h. The functions are thread-safe.
#ifndef KILN_TUNE_MODEL_H
#define KILN_TUNE_MODEL_H

#include "kiln/runtime.h"
#include "kiln/work.h"

#ifdef __cplusplus
extern "C" {
#endif

// An estimate, of the kind KILN_COST_MODELLED_NANOSECONDS. The function fills up to struct_size
// bytes.
typedef struct kiln_tune_estimate {
    size_t struct_size; // set by the caller
    double nanoseconds; // of a launch that follows others of the same kind, from its first
                        // workgroup to its end
    const char *bound;  // what most of the time is spent on: "MFMA", "VALU", "LDS", "L1", "L2",
                        // "memory", "latency"
    unsigned warps;     // of a workgroup
    unsigned registers; // of a lane, estimated; more than 512 spill
    unsigned lds_bytes; // estimated
    unsigned workgroups_per_unit; // that run at the same time on a compute unit
    unsigned stages;              // of the loop with the most pipeline stages, as far as LDS allows
    double rounds;                // workgroups divided by those that the device runs at once
    double clock_mhz;             // that the device's power allows under this work
    unsigned spilled_registers;   // of a lane, estimated; 0: all fit
} kiln_tune_estimate_t;

// Estimates a launch. Of the options num_warps, num_stages, waves_per_eu and matrix_instr_nonkdim
// matter. Of the device its number of compute units and its name matter (gfx942.def); `device` NULL
// is an MI300X. Sources of the numbers: runtime/sim/timing/parameters.def, which is also the
// simulator's, and base/gfx942.def. Fails only for arguments that are NULL or invalid.
KILN_API kiln_status_t kiln_tune_estimate(const kiln_workload_t *workload,
                                          const kiln_compile_options_t *options,
                                          const kiln_device_properties_t *device,
                                          kiln_tune_estimate_t *out_estimate);

// The XCDs of a device and their compute units, as a kiln_work_launch_t needs them. NULL: those of
// an MI300X.
KILN_API void kiln_tune_device_dies(const kiln_device_properties_t *device, unsigned *out_dies,
                                    unsigned *out_die_units);

#ifdef __cplusplus
}
#endif
#endif
