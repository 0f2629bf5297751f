// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Issues a loop's reads of a dot's operands from LDS before its first matrix instruction. By
// default LLVM places each read before the instructions that use it, to save registers, and every
// one of them waits. With this pass only the first instruction waits, and the other reads complete
// while matrix instructions run:
//
//   %a = ttg.local_load %x                        %a = ttg.local_load %x
//   %b = ttg.local_load %y                 →      %b = ttg.local_load %y
//   %d = tt.dot %a, %b, %c                        rocdl.sched.barrier 534
//                                                 %d = tt.dot %a, %b, %c
//
// Neither reads of LDS nor matrix instructions move across the barrier; everything else may.
//
// Waiting operands take registers. A SIMD that holds three waves instead of four loses less than
// the pass gains; a workgroup of two waves per SIMD that is alone there instead of sharing it loses
// more. If the operands are larger than the sums, the first matrix instruction waits for too many
// reads. The pass also skips dots of computed operands, such as attention's second dot: LLVM
// interleaves their matrix instructions with that arithmetic, which the barrier would prevent.
#include "analysis/allocation.h"
#include "analysis/loop_registers.h"
#include "analysis/waves.h"
#include "base/gfx942.h"
#include "builder/ir.h"
#include "passes/pass.h"

// What may cross, in LLVM's bits (llvm.amdgcn.sched.barrier): VALU, SALU, all vector memory, writes
// of LDS.
enum { MAY_CROSS = 0x2 | 0x4 | 0x10 | 0x200 };

typedef struct kernel {
    int num_warps;
    uint64_t lds; // bytes of buffers
} kernel_t;

static MlirWalkResult count_buffer(MlirOperation op, void *user)
{
    kernel_t *kernel = user;
    uint64_t bytes;
    if (kiln_op_kind(op) == KILN_OP_TTG_LOCAL_ALLOC &&
        kiln_memdesc_bytes(mlirValueGetType(kiln_op_result(op, 0)), &bytes))
        kernel->lds += bytes;
    return MlirWalkResultAdvance;
}

// Returns how many workgroups a compute unit holds, limited by their registers and LDS.
static unsigned workgroups(const kernel_t *kernel, unsigned registers)
{
    const unsigned waves =
        KILN_GFX942_SIMD_VGPRS / registers * KILN_GFX942_SIMDS / (unsigned)kernel->num_warps;
    const uint64_t by_lds = kernel->lds ? KILN_GFX942_LDS_BYTES / kernel->lds : waves;
    return by_lds < waves ? (unsigned)by_lds : waves;
}

static bool is_read_here(MlirValue operand, MlirOperation dot)
{
    MlirOperation op;
    return kiln_value_op(operand, &op) == KILN_OP_TTG_LOCAL_LOAD &&
           mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(dot));
}

static bool pays(const kernel_t *kernel, MlirOperation dot, unsigned beside)
{
    unsigned operands = 0;
    for (int i = 0; i < 2; i++) {
        if (!is_read_here(kiln_op_operand(dot, i), dot))
            return false;
        operands += kiln_value_registers(kiln_op_operand(dot, i), kernel->num_warps);
    }
    const unsigned before = workgroups(kernel, beside + operands / 2),
                   now = workgroups(kernel, beside + operands);
    return operands <= kiln_value_registers(kiln_op_result(dot, 0), kernel->num_warps) && now &&
           4 * now >= 3 * before;
}

static void put_point_before(MlirOperation dot)
{
    kiln_ir_t ir = kiln_ir_before(dot);
    // Loaded here because few programs need it.
    mlirContextGetOrLoadDialect(ir.context, mlirStringRefCreateFromCString("rocdl"));
    MlirNamedAttribute mask =
        kiln_ir_named(ir.context, "mask", kiln_ir_i32_attr(ir.context, MAY_CROSS));
    kiln_ir_create(&ir, &(kiln_ir_op_t){.kind = KILN_OP_ROCDL_SCHED_BARRIER,
                                        .attribute_count = 1,
                                        .attributes = &mask});
}

static MlirWalkResult read_first(MlirOperation loop, void *user)
{
    const kernel_t *kernel = user;
    if (kiln_op_kind(loop) != KILN_OP_SCF_FOR)
        return MlirWalkResultAdvance;
    const unsigned beside = kiln_loop_registers(loop, kernel->num_warps);
    bool is_there = false; // whether a barrier precedes `op` directly
    for (MlirOperation op = mlirBlockGetFirstOperation(kiln_op_body(loop, 0));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        if (kiln_op_kind(op) == KILN_OP_TT_DOT && !is_there && pays(kernel, op, beside))
            put_point_before(op);
        is_there = kiln_op_kind(op) == KILN_OP_ROCDL_SCHED_BARRIER;
    }
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_read_first(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    MlirOperation op = mlirModuleGetOperation(module);
    kernel_t kernel = {0};
    KILN_TRY(kiln_waves_of_module(module, &kernel.num_warps));
    kiln_walk(op, MlirWalkPreOrder, count_buffer, &kernel);
    kiln_walk(op, MlirWalkPreOrder, read_first, &kernel);
    return KILN_OK;
}
