// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uniformity: which values are the same in all waves of a workgroup, and which operations all waves
// execute alike.
//
// A value is uniform if that is proved: it is computed from arguments, program ids, constants and
// memory by operations whose row in effects.def has UNIFORM (or ELEMENTWISE, or an access of memory
// that is not volatile). Thread and wave ids, assembly that is not `pure`, functions that are
// neither `pure` nor known to depend only on their operands (builder/device_function.h), and
// operations without a row may differ from wave to wave, and so may the results of branches and
// loops that depend on them.
//
// Note that a value that is the same in all lanes of each wave (such as the wave's number) is not
// uniform for a barrier. But a wave never executes both sides of a branch on it.
#ifndef KILN_UNIFORMITY_H
#define KILN_UNIFORMITY_H

#include <stdbool.h>

#include <mlir-c/IR.h>

#include "kiln/status.h"

typedef enum kiln_divergence {
    KILN_UNIFORM,          // the same in all waves
    KILN_UNIFORM_IN_WAVES, // … in all lanes of each wave
    KILN_DIVERGENT,
} kiln_divergence_t;

typedef struct kiln_uniformity kiln_uniformity_t;

// Analyses a module whose workgroups have `waves` waves; with one wave, all operations are executed
// alike. Free *out with kiln_uniformity_destroy; it belongs to one thread, and describes the IR as
// of its creation.
kiln_status_t kiln_uniformity_create(MlirModule module, int waves, kiln_uniformity_t **out);
void kiln_uniformity_destroy(kiln_uniformity_t *uniformity); // accepts NULL

kiln_divergence_t kiln_divergence_of(const kiln_uniformity_t *uniformity, MlirValue value);

// Whether all waves may branch on a scalar of a tt program without diverging from each other.
bool kiln_is_same_in_all_waves(const kiln_uniformity_t *uniformity, MlirValue scalar);

// The divergence of the values that decide which regions the operation executes and how often: a
// branch's condition, a loop's bounds, the conditions of branches between blocks of its regions.
// Regions of other operations (tt.reduce) count as divergent.
kiln_divergence_t kiln_divergence_of_regions(const kiln_uniformity_t *uniformity, MlirOperation op);

// Whether all waves of the workgroup execute the operation, and equally often.
bool kiln_is_executed_by_all_waves(const kiln_uniformity_t *uniformity, MlirOperation op);

#endif
