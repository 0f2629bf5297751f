// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many workgroups of a kernel are co-resident on a compute unit, for passes that choose the
// order of a loop. inspect/occupancy.h computes the same from a finished kernel's resources.
#ifndef KILN_CO_RESIDENCY_H
#define KILN_CO_RESIDENCY_H

#include <stdint.h>

// Number of workgroups of `num_warps` waves that fit on a compute unit if each lane holds
// `registers` (at least 1) 32-bit registers and each workgroup `lds_bytes` of LDS.
unsigned kiln_co_resident_workgroups(unsigned registers, uint64_t lds_bytes, int num_warps);

#endif
