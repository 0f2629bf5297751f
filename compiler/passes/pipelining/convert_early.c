// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts what a loop loads before it is rearranged for a dot, not after: if the loaded value
// waits in LDS because another dot reads it as it is, the conversion becomes another read of the
// same buffer, and nothing is exchanged between lanes.
//
//   %x = tt.load %p : #blocked                       %x = tt.load %p : #blocked
//   %s = tt.dot %a, (tt.trans %x), %z                %s = tt.dot %a, (tt.trans %x), %z
//   %y = tt.trans (tt.reshape %x)               →    %v = ttg.convert_layout %x : #linear
//   %b = ttg.convert_layout %y : #dot_op             %b = tt.trans (tt.reshape %v) : #dot_op
//   %d = tt.dot %p, %b, %c                           %d = tt.dot %p, %b, %c
//
// #linear is #dot_op before the rearrangement. So values of latent attention are read: a lane then
// needs neighbours in a row of the buffer, of several matrix instructions.
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/layouts/names.h"
#include "passes/pipelining/default_schedule.h"

enum { CHAIN = 8 }; // rearrangements between a load and a dot

// An operand of a dot: rearrangements of a loaded value, the last one first, and the encodings of
// their operands.
typedef struct operand {
    MlirOperation convert, load, steps[CHAIN];
    MlirAttribute before[CHAIN];
    int count;
    bool has_reshape; // a transposed value is found in LDS anyway
} operand_t;

static bool find_load(MlirOperation loop, MlirValue value, operand_t *out)
{
    *out = (operand_t){.count = 0};
    if (kiln_value_op(value, &out->convert) != KILN_OP_TTG_CONVERT_LAYOUT ||
        !kiln_value_has_one_use(value))
        return false;
    for (value = kiln_op_operand(out->convert, 0);; value = kiln_op_operand(out->load, 0)) {
        const kiln_op_t kind = kiln_value_op(value, &out->load);
        if (kind == KILN_OP_TT_LOAD)
            return out->has_reshape && mlirOperationEqual(kiln_op_parent(out->load), loop);
        if ((kind != KILN_OP_TT_TRANS && kind != KILN_OP_TT_RESHAPE) ||
            !mlirAttributeIsNull(kiln_ir_attr(out->load, "allow_reorder")) ||
            !kiln_value_has_one_use(value) || out->count == CHAIN)
            return false;
        out->has_reshape |= kind == KILN_OP_TT_RESHAPE;
        out->steps[out->count++] = out->load;
    }
}

static bool infer(operand_t *io, kiln_layout_names_t *names)
{
    MlirAttribute encoding = kiln_type_encoding(mlirValueGetType(kiln_op_result(io->convert, 0)));
    if (kiln_encoding_kind(encoding) != KILN_ENCODING_DOT_OPERAND)
        return false;
    for (int i = 0; i < io->count; i++) {
        if (!kiln_names_infer_operand(names, io->steps[i], encoding, &io->before[i]))
            return false;
        encoding = io->before[i];
    }
    return true;
}

static void convert_loaded(const operand_t *operand)
{
    const MlirType type = mlirValueGetType(kiln_op_result(operand->convert, 0));
    const kiln_ir_t ir = kiln_ir_before(operand->steps[operand->count - 1]);
    MlirValue value = kiln_op_result(operand->load, 0);
    value = kiln_ir_unary(
        &ir, KILN_OP_TTG_CONVERT_LAYOUT,
        kiln_type_with_encoding(mlirValueGetType(value), operand->before[operand->count - 1]),
        value);
    for (int i = operand->count; i-- > 0;) {
        mlirOperationSetOperand(operand->steps[i], 0, value);
        value = kiln_op_result(operand->steps[i], 0);
        mlirValueSetType(value, kiln_type_with_encoding(mlirValueGetType(value),
                                                        i > 0 ? operand->before[i - 1]
                                                              : kiln_type_encoding(type)));
    }
    kiln_value_replace(kiln_op_result(operand->convert, 0), value);
    kiln_op_erase(operand->convert);
}

void kiln_schedule_convert_early(MlirOperation loop, int num_warps)
{
    kiln_layout_names_t names = {.num_warps = num_warps};
    for (MlirOperation op = mlirBlockGetFirstOperation(kiln_op_body(loop, 0));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        for (int o = 0; o < 2 && kiln_op_kind(op) == KILN_OP_TT_DOT; o++) {
            operand_t operand;
            if (find_load(loop, kiln_op_operand(op, o), &operand) && infer(&operand, &names))
                convert_loaded(&operand);
        }
    kiln_names_free(&names);
}
