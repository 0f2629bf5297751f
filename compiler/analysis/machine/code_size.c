// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up the instructions of operations; see code_size.h.
#include "analysis/machine/code_size.h"

#include "analysis/machine/dot_measure.h"
#include "analysis/machine/loop_registers.h"
#include "base/gfx942.h"
#include "builder/ir.h"
#include "builder/op_facts.h"

// Instructions, of gfx942's encodings and of what lowering creates. ACCESS: with its address and
// its mask; COMBINE: of two lanes or two waves.
enum { BYTES = 8, ACCESS = 4, ACCESS_BYTES = 16, LDS_REGISTERS = 2, COMBINE = 2 };
enum { DIVISION = 10, MATH = 4, LIBRARY = 128 };

static int64_t elements(MlirValue value, int num_warps)
{
    const int64_t lanes = (int64_t)num_warps * KILN_GFX942_LANES;
    return (kiln_type_count(mlirValueGetType(value)) + lanes - 1) / lanes;
}

static int64_t rounded_up(int64_t count, int64_t unit)
{
    return (count + unit - 1) / unit;
}

// Before layouts are assigned: as if no lane had a copy of another's element.
static int64_t registers(MlirValue value, int num_warps)
{
    MlirType type = mlirValueGetType(value);
    if (kiln_type_is_tensor(type) && mlirAttributeIsNull(kiln_type_encoding(type)))
        return kiln_type_is_ptr(kiln_type_element(type))
                   ? 0
                   : rounded_up(elements(value, num_warps) * kiln_type_bits(type), 32);
    return kiln_value_registers(value, num_warps);
}

static int64_t registers_of_operands(MlirOperation op, int num_warps)
{
    int64_t most = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        const int64_t own = registers(mlirOperationGetOperand(op, i), num_warps);
        most = own > most ? own : most;
    }
    return most;
}

static int64_t registers_of_results(MlirOperation op, int num_warps)
{
    int64_t sum = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        sum += registers(mlirOperationGetResult(op, i), num_warps);
    return sum;
}

// Of a load, a store or an atomic operation on the elements that the pointers point to.
static int64_t instructions_of_access(MlirValue pointers, int num_warps)
{
    MlirType type = mlirValueGetType(pointers), pointer = kiln_type_element(type);
    MlirAttribute encoding = kiln_type_encoding(type);
    const int64_t bits = kiln_type_is_ptr(pointer) ? kiln_type_bits(kiln_ptr_pointee(pointer)) : 8;
    int64_t width = rounded_up(ACCESS_BYTES * 8, bits);
    if (kiln_encoding_kind(encoding) == KILN_ENCODING_BLOCKED) { // as coalesce has chosen it
        const kiln_blocked_t blocked = kiln_blocked_get(encoding);
        const int64_t own = blocked.size_per_thread[blocked.order[0]];
        width = own < width ? own : width;
    }
    return ACCESS * rounded_up(elements(pointers, num_warps), width);
}

// Halves until one element is left.
static int64_t instructions_of_reduction(MlirOperation op, int num_warps)
{
    MlirType type = mlirValueGetType(kiln_op_operand(op, 0));
    int64_t halves = 0;
    for (int64_t n = kiln_type_dim(type, (int)kiln_ir_int_attr(op, "axis", 0)); n > 1; n /= 2)
        halves++;
    return COMBINE * halves * elements(kiln_op_result(op, 0), num_warps);
}

// Before layouts are assigned: by v_mfma_f32_32x32x8.
static int64_t instructions_of_dot(MlirOperation dot, int num_warps)
{
    enum { PRODUCTS = 32 * 32 * 8 };
    kiln_dot_measure_t measure;
    if (kiln_dot_measure(dot, num_warps, &measure))
        return measure.instructions;
    MlirType a = mlirValueGetType(kiln_op_operand(dot, 0)),
             result = mlirValueGetType(kiln_op_result(dot, 0));
    const int64_t k = kiln_type_dim(a, kiln_type_rank(a) - 1);
    return mlirAttributeIsNull(kiln_type_encoding(result))
               ? rounded_up(kiln_type_count(result) * k, (int64_t)PRODUCTS * num_warps)
               : elements(kiln_op_result(dot, 0), num_warps) * k;
}

static int64_t instructions_of_elementwise(MlirOperation op, const kiln_op_facts_t *facts,
                                           int num_warps)
{
    int64_t most = registers_of_operands(op, num_warps),
            results = registers_of_results(op, num_warps);
    most = results > most ? results : most;
    if (mlirOperationGetNumResults(op) > 0 &&
        !kiln_type_is_tensor(mlirValueGetType(kiln_op_result(op, 0))))
        most = 1;
    if (facts->traits & KILN_LIBRARY)
        return LIBRARY * most;
    return most * (facts->remat == KILN_REMAT_DIVISION ? DIVISION
                   : facts->remat == KILN_REMAT_MATH   ? MATH
                                                       : 1);
}

// Of the operation itself.
static int64_t instructions(MlirOperation op, int num_warps)
{
    const kiln_op_t kind = kiln_op_kind(op);
    const kiln_op_facts_t *facts = kiln_op_facts(kind);
    const int64_t operands = registers_of_operands(op, num_warps),
                  results = registers_of_results(op, num_warps);
    if (kind == KILN_OP_TT_DOT)
        return instructions_of_dot(op, num_warps);
    if (kind == KILN_OP_TTG_CONVERT_LAYOUT)
        return rounded_up(operands, LDS_REGISTERS) + rounded_up(results, LDS_REGISTERS);
    if (kind == KILN_OP_TT_REDUCE || kind == KILN_OP_TT_SCAN)
        return instructions_of_reduction(op, num_warps);
    if (facts->effects & (KILN_READS_LDS | KILN_WRITES_LDS))
        return rounded_up(operands + results, LDS_REGISTERS);
    if (facts->effects & (KILN_READS_GLOBAL | KILN_WRITES_GLOBAL | KILN_ORDERED))
        return facts->global >= 0
                   ? instructions_of_access(kiln_op_segment(op, facts->global), num_warps)
                   : 1;
    if (facts->traits & KILN_ELEMENTWISE)
        return instructions_of_elementwise(op, facts, num_warps);
    return 0;
}

static bool has(MlirOperation op, const char *attribute)
{
    return !mlirAttributeIsNull(kiln_ir_attr(op, attribute));
}

// How often an operation in a region of `parent` is copied: in a loop, to the steps before it, to
// those of an iteration and one that remains, and to the steps after it.
static int64_t copies(MlirOperation parent, MlirOperation op, int num_warps)
{
    const int64_t last = kiln_ir_int_attr(parent, KILN_LOOP_LAST_STAGE, 0),
                  stage = kiln_ir_int_attr(op, KILN_LOOP_STAGE, last),
                  unroll = kiln_ir_int_attr(parent, KILN_LOOP_UNROLL, 1);
    switch (kiln_op_kind(parent)) {
    case KILN_OP_SCF_FOR:
        return last - stage + (unroll > 1 ? unroll + 1 : 1) +
               (has(parent, KILN_LOOP_IS_CLOSED) ? 0 : stage);
    case KILN_OP_TT_REDUCE:
    case KILN_OP_TT_SCAN:
    case KILN_OP_TT_MAP_ELEMENTWISE:
        return elements(kiln_op_operand(parent, 0), num_warps);
    default:
        return 1;
    }
}

static int64_t bytes_of_region(MlirOperation parent, intptr_t region, int num_warps)
{
    int64_t sum = 0;
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(parent, region));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
        for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
             op = mlirOperationGetNextInBlock(op))
            sum += copies(parent, op, num_warps) * kiln_code_bytes(op, num_warps);
    return sum;
}

int64_t kiln_code_bytes(MlirOperation op, int num_warps)
{
    int64_t inside = 0;
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
        const int64_t own = bytes_of_region(op, r, num_warps), larger = own > inside ? own : inside;
        inside = has(op, KILN_IF_HAS_VERSIONS) ? larger : inside + own;
    }
    return BYTES * instructions(op, num_warps) + inside;
}

bool kiln_code_fits(MlirOperation op, int num_warps, int64_t more)
{
    while (kiln_op_kind(op) != KILN_OP_TT_FUNC && !mlirOperationIsNull(kiln_op_parent(op)))
        op = kiln_op_parent(op);
    return kiln_code_bytes(op, num_warps) + more <= KILN_GFX942_INSTRUCTION_CACHE_BYTES;
}
