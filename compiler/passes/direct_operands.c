// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads an operand of a dot into the registers of the matrix instruction, without LDS, where memory
// has the elements in the instruction's order. That is how kernels with shuffled weights load them:
//
//   %x = tt.load %p : #coalesced                        %q = ttg.convert_layout %p : … -> #linear
//   %y = tt.trans (tt.reshape %x)                 →     %x = tt.load %q : #linear
//   %b = ttg.convert_layout %y : … -> #dot_op           %b = tt.trans (tt.reshape %x) : #dot_op
//   %d = tt.dot %a, %b, %c                              %d = tt.dot %a, %b, %c
//
// where #linear is #dot_op before the rearrangement. The conversion of the pointers moves no data:
// remove_layout_conversions computes them in #linear.
//
// Conversions of elements may lie between, as of 8-bit weights or keys that a dot multiplies in
// bf16.
//
// The pass applies if each lane's accesses then move 16 bytes, those of neighbouring lanes are as
// wide as what the L1 delivers in a cycle, and a wave reads whole cache lines, in one access or in
// those that follow. A lane of an 8-byte k-width skips every other 8 bytes of such an order, so the
// dot's k-width is doubled, or quadrupled if the elements in memory have half the bytes, if that
// helps; the other operand follows.
//
// Note that waves that share columns of the result all load the same operand. From LDS they would
// read it in half the time, but it would also have to be written there: with more than two copies
// LDS wins.
#include "analysis/axis/axis_info.h"
#include "base/gfx942.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "layout/infer.h"
#include "passes/layouts/names.h"
#include "passes/pass.h"

enum {
    WIDEST = 16,    // bytes of an access
    MAX_COPIES = 2, // of an operand, in waves
    MAX_FACTOR = 4, // of the k-width
    CHAIN = 8,      // rearrangements and conversions between a load and a dot
};

typedef struct operand {
    MlirOperation dot, convert, load;
    // Rearrangements and conversions, the last one first, and the encodings of their operands.
    MlirOperation steps[CHAIN];
    MlirAttribute before[CHAIN];
    int count, index;
    MlirAttribute encoding; // of the dot's operand
} operand_t;

typedef struct pass {
    const kiln_pass_context_t *context;
    kiln_axis_analysis_t *axis;
    kiln_layout_names_t names;
} pass_t;

static bool is_rearrangement(MlirOperation op, kiln_op_t kind)
{
    return kind == KILN_OP_TT_TRANS ||
           (kind == KILN_OP_TT_RESHAPE && mlirAttributeIsNull(kiln_ir_attr(op, "allow_reorder")));
}

// Whether the result is made of the elements of one tensor, one by one.
static bool is_conversion(MlirOperation op, kiln_op_t kind)
{
    return kiln_op_is_elementwise(kind) && mlirOperationGetNumOperands(op) == 1 &&
           mlirOperationGetNumResults(op) == 1 && kiln_op_may_be_erased(op);
}

// Follows the operand back to a load in the dot's block; false if other arithmetic lies between, or
// another use of a value.
static bool find_load(operand_t *operand)
{
    MlirValue value = kiln_op_operand(operand->dot, operand->index);
    operand->encoding = kiln_type_encoding(mlirValueGetType(value));
    if (kiln_encoding_kind(operand->encoding) != KILN_ENCODING_DOT_OPERAND ||
        kiln_value_op(value, &operand->convert) != KILN_OP_TTG_CONVERT_LAYOUT)
        return false;
    while (kiln_value_has_one_use(value)) {
        MlirOperation op;
        const kiln_op_t kind = kiln_value_op(value, &op);
        if (kind == KILN_OP_TT_LOAD) {
            operand->load = op;
            return mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(operand->dot)) &&
                   kiln_op_may_be_erased(op);
        }
        if (kind != KILN_OP_TTG_CONVERT_LAYOUT) {
            if (!is_rearrangement(op, kind) && !is_conversion(op, kind))
                return false;
            if (operand->count == CHAIN)
                return false;
            operand->steps[operand->count++] = op;
        }
        value = kiln_op_operand(op, 0);
    }
    return false;
}

// The bytes that neighbouring lanes access side by side along `dim`, if each moves WIDEST.
static int64_t run_of_lanes(const kiln_layout_t *layout, int dim, int element_bytes)
{
    const uint32_t unit = 1u << kiln_layout_shift(layout, dim);
    int64_t bytes = WIDEST;
    for (int bit = 0; bit < layout->bits[KILN_LANE]; bit++, bytes *= 2)
        if (layout->basis[KILN_LANE][bit] != unit * (uint32_t)(bytes / element_bytes))
            break;
    return bytes;
}

static bool has_step(const kiln_layout_t *layout, uint32_t step)
{
    for (int in = KILN_REGISTER; in <= KILN_LANE; in++)
        for (int bit = 0; bit < layout->bits[in]; bit++)
            if (layout->basis[in][bit] == step)
                return true;
    return false;
}

// The bytes that a wave accesses side by side, if neighbouring lanes do for `bytes`: in accesses of
// other registers, too.
static int64_t run_of_wave(const kiln_layout_t *layout, int dim, int element_bytes, int64_t bytes)
{
    const uint32_t unit = 1u << kiln_layout_shift(layout, dim);
    while (has_step(layout, unit * (uint32_t)(bytes / element_bytes)))
        bytes *= 2;
    return bytes;
}

static bool reads_lines(const kiln_layout_t *layout, int dim, int element_bytes)
{
    const int64_t run = run_of_lanes(layout, dim, element_bytes);
    return run >= KILN_GFX942_L1_CYCLE_BYTES &&
           run_of_wave(layout, dim, element_bytes, run) >= KILN_GFX942_L1_LINE;
}

// Whether loads in this layout are wide and fill cache lines.
static bool is_worth_loading_in(const pass_t *pass, MlirOperation load, MlirAttribute encoding)
{
    const MlirValue pointers = kiln_op_operand(load, 0), mask = kiln_op_segment(load, 1);
    const MlirType type = mlirValueGetType(kiln_op_result(load, 0));
    const int bytes = kiln_type_bits(type) / 8;
    kiln_layout_t layout;
    kiln_status_t status = kiln_layout_of_type(kiln_type_with_encoding(type, encoding),
                                               pass->context->options->num_warps, &layout);
    if (status || bytes == 0) {
        kiln_status_free(status);
        return false;
    }
    if (1u << __builtin_popcount(kiln_layout_free_bits(&layout, KILN_WARP)) > MAX_COPIES ||
        kiln_layout_free_bits(&layout, KILN_LANE))
        return false;
    const kiln_axis_info_t info = kiln_axis_info(pass->axis, pointers);
    for (int dim = 0; dim < layout.rank; dim++) {
        int32_t order[KILN_MAX_RANK] = {dim};
        for (int d = 0, at = 1; d < layout.rank; d++)
            if (d != dim)
                order[at++] = d;
        const kiln_axis_access_t access =
            kiln_axis_access_along(pass->axis, pointers, mask, KILN_AXIS_DISTINCT, dim);
        if (access.elements * bytes == WIDEST && access.alignment == WIDEST &&
            kiln_layout_contiguous_registers(&layout, order, WIDEST / bytes) * bytes == WIDEST &&
            info.contiguity[dim] * bytes >= KILN_GFX942_L1_LINE && reads_lines(&layout, dim, bytes))
            return true;
    }
    return false;
}

// Finds the encodings that the rearrangements' operands have if the dot's operand has `encoding`.
static bool trace_back(pass_t *pass, operand_t *operand, MlirAttribute encoding)
{
    operand->encoding = encoding;
    for (int i = 0; i < operand->count; i++) {
        if (!kiln_names_infer_operand(&pass->names, operand->steps[i], encoding,
                                      &operand->before[i]))
            return false;
        encoding = operand->before[i];
    }
    return is_worth_loading_in(pass, operand->load, encoding);
}

// The dot's operand layouts with `factor` times the k-width; false if K is too small for it.
static bool widen_k(MlirOperation dot, int factor, MlirAttribute out[2])
{
    for (int i = 0; i < 2; i++) {
        MlirType type = mlirValueGetType(kiln_op_operand(dot, i));
        MlirAttribute encoding = kiln_type_encoding(type), parent;
        if (kiln_encoding_kind(encoding) != KILN_ENCODING_DOT_OPERAND)
            return false;
        parent = kiln_dot_operand_parent(encoding);
        if (kiln_encoding_kind(parent) != KILN_ENCODING_MFMA)
            return false;
        const kiln_mfma_t mfma = kiln_mfma_get(parent);
        const int width = factor * kiln_dot_operand_k_width(encoding), rank = kiln_type_rank(type);
        const int64_t k = kiln_type_dim(type, i == 0 ? rank - 1 : rank - 2);
        const int side =
            mfma.instr_shape[0] < mfma.instr_shape[1] ? mfma.instr_shape[0] : mfma.instr_shape[1];
        if ((int64_t)width * (KILN_GFX942_LANES / side) > k ||
            mfma.instr_shape[0] != mfma.instr_shape[1])
            return false;
        out[i] = kiln_dot_operand_attr(i, parent, width);
    }
    return true;
}

// Rewriting ---------------------------------------------------------------------------------------

static MlirValue convert(const kiln_ir_t *ir, MlirValue value, MlirAttribute encoding)
{
    MlirType type = kiln_type_with_encoding(mlirValueGetType(value), encoding);
    return kiln_ir_unary(ir, KILN_OP_TTG_CONVERT_LAYOUT, type, value);
}

static void retype(MlirValue value, MlirAttribute encoding)
{
    mlirValueSetType(value, kiln_type_with_encoding(mlirValueGetType(value), encoding));
}

static void load_directly(operand_t *operand)
{
    MlirAttribute encoding =
        operand->count ? operand->before[operand->count - 1] : operand->encoding;
    const kiln_ir_t ir = kiln_ir_before(operand->load);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(operand->load); i++) {
        MlirValue value = mlirOperationGetOperand(operand->load, i);
        if (kiln_type_is_tensor(mlirValueGetType(value)))
            mlirOperationSetOperand(operand->load, i, convert(&ir, value, encoding));
    }
    MlirValue value = kiln_op_result(operand->load, 0);
    retype(value, encoding);
    for (int i = operand->count; i-- > 0;) {
        mlirOperationSetOperand(operand->steps[i], 0, value);
        value = kiln_op_result(operand->steps[i], 0);
        retype(value, i ? operand->before[i - 1] : operand->encoding);
    }
    mlirOperationSetOperand(operand->dot, operand->index, value);
}

static void set_operand_layout(MlirOperation dot, int index, MlirAttribute encoding)
{
    const kiln_ir_t ir = kiln_ir_before(dot);
    mlirOperationSetOperand(dot, index, convert(&ir, kiln_op_operand(dot, index), encoding));
}

static MlirWalkResult visit(MlirOperation dot, void *user)
{
    pass_t *pass = user;
    if (kiln_op_kind(dot) != KILN_OP_TT_DOT)
        return MlirWalkResultAdvance;
    operand_t operands[2];
    bool found[2], direct[2] = {false, false};
    MlirAttribute wider[2];
    for (int i = 0; i < 2; i++) {
        operands[i] = (operand_t){.dot = dot, .index = i};
        found[i] = find_load(&operands[i]);
        direct[i] = found[i] && trace_back(pass, &operands[i], operands[i].encoding);
    }
    bool is_wider = false;
    for (int factor = 2; factor <= MAX_FACTOR && !direct[0] && !direct[1]; factor *= 2) {
        is_wider = (found[0] || found[1]) && widen_k(dot, factor, wider);
        for (int i = 0; i < 2 && is_wider; i++)
            direct[i] = found[i] && trace_back(pass, &operands[i], wider[i]);
    }
    for (int i = 0; i < 2; i++) {
        if (direct[i])
            load_directly(&operands[i]);
        else if (is_wider && (direct[0] || direct[1]))
            set_operand_layout(dot, i, wider[i]);
    }
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_direct_operands(const kiln_pass_context_t *context, MlirModule module)
{
    MlirOperation root = mlirModuleGetOperation(module);
    pass_t pass = {.context = context, .names = {.num_warps = context->options->num_warps}};
    KILN_TRY(kiln_axis_analysis_create(root, &pass.axis));
    kiln_walk(root, MlirWalkPreOrder, visit, &pass);
    kiln_axis_analysis_destroy(pass.axis);
    kiln_names_free(&pass.names);
    return KILN_OK;
}
