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
// Waiting operands take registers: all of them, where LLVM would hold about half. The pass leaves a
// loop alone if a compute unit would hold only one workgroup because of them, since a second one
// multiplies while the first waits at a barrier; further ones add little to that. If the operands
// are larger than the accumulator, the first matrix instruction waits for too many reads. The pass
// also skips dots of computed operands, such as attention's second dot: LLVM interleaves their
// matrix instructions with that arithmetic, which the barrier would prevent.
#include "analysis/machine/co_residency.h"
#include "analysis/machine/loop_registers.h"
#include "analysis/waves/waves.h"
#include "builder/ir.h"
#include "passes/pass.h"
#include "passes/rewrite/sched_barrier.h"

enum {
    MAY_CROSS =
        KILN_MAY_CROSS_VALU | KILN_MAY_CROSS_SALU | KILN_MAY_CROSS_VMEM | KILN_MAY_CROSS_LDS_WRITES
};

typedef struct kernel {
    int num_warps;
    uint64_t lds_bytes; // of buffers
} kernel_t;

static bool is_read_here(MlirValue operand, MlirOperation dot)
{
    MlirOperation op;
    return kiln_value_op(operand, &op) == KILN_OP_TTG_LOCAL_LOAD &&
           mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(dot));
}

static bool pays(const kernel_t *kernel, MlirOperation dot, unsigned other_registers)
{
    unsigned operands = 0;
    for (int i = 0; i < 2; i++) {
        if (!is_read_here(kiln_op_operand(dot, i), dot))
            return false;
        operands += kiln_value_registers(kiln_op_operand(dot, i), kernel->num_warps);
    }
    const unsigned now = kiln_co_resident_workgroups(other_registers + operands, kernel->lds_bytes,
                                                     kernel->num_warps),
                   by_default = kiln_co_resident_workgroups(other_registers + operands / 2,
                                                            kernel->lds_bytes, kernel->num_warps);
    return operands <= kiln_value_registers(kiln_op_result(dot, 0), kernel->num_warps) &&
           (now > 1 || (now == 1 && by_default == 1));
}

static MlirWalkResult read_first(MlirOperation loop, void *user)
{
    const kernel_t *kernel = user;
    if (kiln_op_kind(loop) != KILN_OP_SCF_FOR)
        return MlirWalkResultAdvance;
    const unsigned other_registers = kiln_loop_registers(loop, kernel->num_warps);
    bool is_there = false; // whether a barrier precedes `op` directly
    for (MlirOperation op = mlirBlockGetFirstOperation(kiln_op_body(loop, 0));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        if (kiln_op_kind(op) == KILN_OP_TT_DOT && !is_there && pays(kernel, op, other_registers)) {
            const kiln_ir_t ir = kiln_ir_before(op);
            kiln_put_sched_barrier(&ir, MAY_CROSS);
        }
        is_there = kiln_op_kind(op) == KILN_OP_ROCDL_SCHED_BARRIER;
    }
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_read_first(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    kernel_t kernel = {.lds_bytes = kiln_buffer_bytes(module)};
    KILN_TRY(kiln_waves_of_module(module, &kernel.num_warps));
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, read_first, &kernel);
    return KILN_OK;
}
