// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The waves of a ttg module's workgroups: how many there are, and by how many barriers they may be apart.
//
// The thing one gets wrong: amdg.cond_barrier lets waves run a barrier apart from each other, so a single barrier no
// longer orders their accesses.
#ifndef KILN_WAVES_H
#define KILN_WAVES_H

#include <mlir-c/IR.h>

#include "kiln/status.h"

// The module's attribute "ttg.num-warps". KILN_STATUS_INVALID_INPUT where it is none that gfx942 has, or where a wave
// hasn't 64 lanes.
kiln_status_t kiln_waves_of_module(MlirModule module, int *out_count);

// How many waves a workgroup gets where nobody says: what the module's attribute tells; else by its tiles. No more than
// have something of their own to compute, at most 4 as in Triton; 8 or 16 where tiles would not fit fewer waves'
// registers. Dots, if there are any, decide. Fails only where memory is short.
kiln_status_t kiln_waves_choose(MlirModule module, int *out_count);

// By how many barriers waves may be apart: 0 in programs without amdg.cond_barrier. A barrier that orders all waves is
// executed once more for each (the attribute "kiln.rounds" of the operation). KILN_STATUS_UNSUPPORTED where waves are
// not brought together again at the end of an iteration or branch.
kiln_status_t kiln_waves_skew(MlirModule module, int *out_skew);

#endif
