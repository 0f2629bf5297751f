// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See co_residency.h.
#include "analysis/machine/co_residency.h"

#include "analysis/plan/allocation.h"
#include "base/gfx942.h"
#include "builder/ir.h"

static MlirWalkResult add_buffer(MlirOperation op, void *user)
{
    uint64_t *sum = user, bytes;
    if (kiln_op_kind(op) == KILN_OP_TTG_LOCAL_ALLOC &&
        kiln_memdesc_bytes(mlirValueGetType(kiln_op_result(op, 0)), &bytes))
        *sum += bytes;
    return MlirWalkResultAdvance;
}

uint64_t kiln_buffer_bytes(MlirModule module)
{
    uint64_t sum = 0;
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, add_buffer, &sum);
    return sum;
}

unsigned kiln_co_resident_workgroups(unsigned registers, uint64_t lds_bytes, int num_warps)
{
    const unsigned granules = (registers + KILN_GFX942_VGPR_GRANULE - 1) / KILN_GFX942_VGPR_GRANULE,
                   fit = KILN_GFX942_SIMD_VGPRS / (granules * KILN_GFX942_VGPR_GRANULE),
                   waves = fit < KILN_GFX942_WAVES_PER_SIMD ? fit : KILN_GFX942_WAVES_PER_SIMD,
                   by_registers = waves * KILN_GFX942_SIMDS / (unsigned)num_warps;
    const uint64_t by_lds = lds_bytes ? KILN_GFX942_LDS_BYTES / lds_bytes : by_registers;
    return by_lds < by_registers ? (unsigned)by_lds : by_registers;
}
