// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores the result of a matrix product directly from the registers of the matrix instruction.
//
//   %v1 = ttg.convert_layout %v : #mma -> #blocked          %p1, %m1 = … computed in #mma
//   tt.store %p, %v1, %m : #blocked                   →     tt.store %p1, %v, %m1 : #mma
//
// A transposed MFMA layout gives a lane four neighbouring columns, enough for 8- and 16-byte
// stores. But the lanes of a row are few, so each row of the instruction gets a run of only 16 to
// 64 bytes, and the caches take as long for it as for a whole line. A conversion through LDS makes
// the runs longer, at the cost of a barrier and its latency. It pays if a wave would store many
// short runs. The pass applies only if pointers and masks can be recomputed in the layout without
// moving data.
//
// An atomic operation whose result is unused takes its value from a layout that is not transposed,
// in which neighbouring lanes have neighbouring columns (accelerate_matmul).
#include "analysis/machine/loop_registers.h"
#include "analysis/plan/scratch.h"
#include "base/gfx942.h"
#include "builder/ir.h"
#include "passes/layouts/names.h"
#include "passes/layouts/rematerialise.h"
#include "passes/pass.h"

enum { PTR, VALUE, MASK, STORE_OPERANDS };

// Chosen by predicted times (docs/results.md).
enum {
    LONG_RUN = 64,  // bytes; a conversion of longer runs does not pay
    MANY_RUNS = 64, // of a wave
    MIN_WAVES = 2,  // of a SIMD for which the conversion must leave LDS
};

static bool is_transposed_mfma(MlirAttribute encoding)
{
    return kiln_encoding_kind(encoding) == KILN_ENCODING_MFMA &&
           kiln_mfma_get(encoding).is_transposed;
}

// Whether a conversion through LDS takes less time than the short runs of direct stores.
static bool conversion_pays(MlirOperation convert, int num_warps)
{
    enum { COLUMNS = 4 }; // of a lane
    const MlirValue value = kiln_op_operand(convert, 0);
    const MlirType type = mlirValueGetType(value);
    const kiln_mfma_t mfma = kiln_mfma_get(kiln_type_encoding(type));
    const int run = COLUMNS * (KILN_GFX942_LANES / mfma.instr_shape[0]) * kiln_type_bits(type) / 8;
    const unsigned wave_bytes = kiln_value_registers(value, num_warps) * 4 * KILN_GFX942_LANES;
    uint32_t scratch = 0;
    kiln_status_t status = kiln_scratch_bytes(convert, num_warps, &scratch);
    const bool has_room = !status && (uint64_t)scratch * MIN_WAVES * KILN_GFX942_SIMDS <=
                                         (uint64_t)KILN_GFX942_LDS_BYTES * (unsigned)num_warps;
    kiln_status_free(status); // the lowering reports it
    return has_room && run > 0 && run < LONG_RUN && wave_bytes / (unsigned)run >= MANY_RUNS;
}

// Returns the operand computed in `encoding`; a null value if data would have to move.
static MlirValue in_layout(kiln_rematerialiser_t *rematerialiser, MlirOperation store,
                           MlirValue operand, MlirAttribute encoding)
{
    kiln_ir_t ir = kiln_ir_before(store);
    MlirType type = kiln_type_with_encoding(mlirValueGetType(operand), encoding);
    MlirOperation convert =
        mlirOpResultGetOwner(kiln_ir_unary(&ir, KILN_OP_TTG_CONVERT_LAYOUT, type, operand));
    MlirValue made = kiln_rematerialise(rematerialiser, convert);
    kiln_op_erase(convert);
    return made;
}

static bool is_update(MlirOperation op)
{
    return kiln_op_kind(op) == KILN_OP_TT_ATOMIC_RMW && !kiln_value_has_uses(kiln_op_result(op, 0));
}

// Whether the operation should take the value that `convert` moves from where it is.
static bool takes_directly(MlirOperation op, MlirOperation convert, int num_warps)
{
    const MlirAttribute encoding =
        kiln_type_encoding(mlirValueGetType(kiln_op_operand(convert, 0)));
    if (kiln_encoding_kind(encoding) != KILN_ENCODING_MFMA)
        return false;
    if (is_update(op))
        return !is_transposed_mfma(encoding);
    return is_transposed_mfma(encoding) && !conversion_pays(convert, num_warps);
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    if (kiln_op_kind(op) != KILN_OP_TT_STORE && !is_update(op))
        return MlirWalkResultAdvance;
    MlirOperation convert;
    if (kiln_value_op(kiln_op_operand(op, VALUE), &convert) != KILN_OP_TTG_CONVERT_LAYOUT)
        return MlirWalkResultAdvance;
    MlirValue value = kiln_op_operand(convert, 0);
    MlirAttribute encoding = kiln_type_encoding(mlirValueGetType(value));
    const kiln_rematerialiser_t *rematerialiser = user;
    if (!takes_directly(op, convert, rematerialiser->names->num_warps))
        return MlirWalkResultAdvance;

    MlirValue operands[STORE_OPERANDS] = {[VALUE] = value};
    int count = (int)mlirOperationGetNumOperands(op);
    for (int i = 0; i < count; ++i) {
        if (i != VALUE)
            operands[i] = in_layout(user, op, kiln_op_operand(op, i), encoding);
        if (mlirValueIsNull(operands[i]))
            return MlirWalkResultAdvance;
    }
    for (int i = 0; i < count; ++i)
        mlirOperationSetOperand(op, i, operands[i]);
    if (is_update(op))
        mlirValueSetType(kiln_op_result(op, 0), mlirValueGetType(value));
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_optimize_epilogue(const kiln_pass_context_t *context, MlirModule module)
{
    kiln_layout_names_t names = {.num_warps = context->options->num_warps};
    kiln_rematerialiser_t rematerialiser = {.names = &names};
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, visit, &rematerialiser);
    kiln_rematerialiser_free(&rematerialiser);
    kiln_names_free(&names);
    return rematerialiser.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}
