// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The waves of a ttg module's workgroups: how many there are, and by how many barriers they may be
// apart.
//
// A barrier that not all waves execute (amdg.cond_barrier, or one under a condition that differs
// from wave to wave) lets waves run one barrier apart, so a single barrier no longer orders their
// accesses.
#ifndef KILN_WAVES_H
#define KILN_WAVES_H

#include <mlir-c/IR.h>

#include "analysis/waves/uniformity.h"
#include "kiln/status.h"

// Returns the module's attribute "ttg.num-warps". KILN_STATUS_INVALID_INPUT if gfx942 does not
// support that number, or if a wave does not have 64 lanes.
kiln_status_t kiln_waves_of_module(MlirModule module, int *out_count);

// Chooses the number of waves of a workgroup if the options do not: by the module's attribute, or
// else by its tiles. No more waves than have work of their own, and at most 4 as in Triton; 8 or 16
// if tiles would not fit the registers of fewer waves. Dots, if there are any, decide. Fails only
// when out of memory.
kiln_status_t kiln_waves_choose(MlirModule module, int *out_count);

// By how many barriers waves may be apart anywhere in the module (skew.c): 0 if all waves
// execute its barriers alike. A barrier that orders all waves is executed one additional time for
// each of them (the attribute "kiln.rounds" of the operation). KILN_STATUS_UNSUPPORTED if no bound
// is proved.
kiln_status_t kiln_waves_skew(MlirModule module, const kiln_uniformity_t *uniformity,
                              int *out_skew);

#endif
