// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer additions, subtractions, products with a uniform value and shifts by a constant, on sums
// (tile.h): lane, uniform and imm are computed separately, and once for all registers that share
// the operands.
//
// Note that terms that cancel leave a constant, which belongs to imm.
#include "elements.h"
#include "lower/emit.h"
#include "lower/tile.h"

typedef LLVMValueRef (*binary_t)(LLVMBuilderRef, LLVMValueRef, LLVMValueRef, const char *);

typedef struct sum_memo {
    LLVMValueRef a, b, value;
} sum_memo_t;

// Builds a binary operation once for each pair of operands; NULL counts as zero where the operation
// allows it.
static LLVMValueRef build_once(kiln_lowering_t *l, sum_memo_t *memo, uint32_t count, binary_t build,
                               LLVMValueRef a, LLVMValueRef b)
{
    uint32_t i = 0;
    while (i < count && memo[i].value && (memo[i].a != a || memo[i].b != b))
        i++;
    if (i < count && memo[i].value)
        return memo[i].value;
    LLVMValueRef value = build(l->builder, a, b, "");
    if (i < count)
        memo[i] = (sum_memo_t){a, b, value};
    return value;
}

static LLVMValueRef add_once(kiln_lowering_t *l, sum_memo_t *memo, uint32_t count, LLVMValueRef a,
                             LLVMValueRef b)
{
    return a && b ? build_once(l, memo, count, LLVMBuildAdd, a, b) : a ? a : b;
}

// a · factor for a uniform factor: (lane + uniform + imm) · f.
static kiln_sum_t scale_sum(kiln_lowering_t *l, sum_memo_t *lanes, sum_memo_t *uniforms,
                            uint32_t count, kiln_sum_t a, LLVMValueRef factor, LLVMTypeRef type)
{
    kiln_sum_t result = {NULL, NULL, 0};
    int64_t constant;
    if (a.lane)
        result.lane = build_once(l, lanes, count, LLVMBuildMul, a.lane, factor);
    if (kiln_llvm_const_int(factor, &constant)) {
        if (a.uniform)
            result.uniform = build_once(l, uniforms, count, LLVMBuildMul, a.uniform, factor);
        int64_t imm;
        kiln_llvm_const_int(LLVMConstInt(type, (uint64_t)a.imm * (uint64_t)constant, 1), &imm);
        result.imm = imm;
    } else if (a.uniform || a.imm) {
        result.uniform = LLVMBuildMul(
            l->builder, kiln_sum_value(l, (kiln_sum_t){NULL, a.uniform, a.imm}, type), factor, "");
    }
    return result;
}

bool kiln_lower_sums(kiln_lowering_t *l, kiln_op_t kind, kiln_tile_t *a, kiln_tile_t *b,
                     kiln_tile_t *result)
{
    uint32_t count = result->count;
    sum_memo_t *lanes = KILN_LOWER_ARRAY(l, sum_memo_t, count),
               *uniforms = KILN_LOWER_ARRAY(l, sum_memo_t, count);
    if (kind == KILN_OP_ARITH_MULI || kind == KILN_OP_ARITH_SHLI) {
        bool uniform_b = true, uniform_a = kind == KILN_OP_ARITH_MULI;
        for (uint32_t r = 0; r < count; r++) {
            uniform_a = uniform_a && !kiln_tile_sum(l, a, r).lane;
            uniform_b = uniform_b && !kiln_tile_sum(l, b, r).lane;
        }
        if (!uniform_a && !uniform_b)
            return false;
        for (uint32_t r = 0; r < count; r++) {
            kiln_sum_t by = kiln_tile_sum(l, uniform_b ? b : a, r);
            if (kind == KILN_OP_ARITH_SHLI &&
                (by.uniform || by.imm < 0 || by.imm >= (int64_t)result->sum_bits))
                return false;
        }
        for (uint32_t r = 0; r < count; r++) {
            LLVMValueRef by = kiln_tile_value(l, uniform_b ? b : a, r);
            if (kind == KILN_OP_ARITH_SHLI)
                by = LLVMConstInt(result->element, UINT64_C(1) << LLVMConstIntGetZExtValue(by), 0);
            result->sums[r] =
                scale_sum(l, lanes, uniforms, count, kiln_tile_sum(l, uniform_b ? a : b, r), by,
                          result->element);
        }
        return true;
    }
    for (uint32_t r = 0; r < count; r++) {
        kiln_sum_t x = kiln_tile_sum(l, a, r), y = kiln_tile_sum(l, b, r), *sum = &result->sums[r];
        if (kind == KILN_OP_ARITH_ADDI) {
            sum->lane = add_once(l, lanes, count, x.lane, y.lane);
            sum->uniform = add_once(l, uniforms, count, x.uniform, y.uniform);
            sum->imm = kiln_sum_add(l, (kiln_sum_t){NULL, NULL, x.imm},
                                    (kiln_sum_t){NULL, NULL, y.imm}, result->sum_bits)
                           .imm;
            continue;
        }
        LLVMValueRef zero = LLVMConstNull(result->element);
        sum->lane = y.lane
                        ? build_once(l, lanes, count, LLVMBuildSub, x.lane ? x.lane : zero, y.lane)
                        : x.lane;
        sum->uniform = y.uniform ? build_once(l, uniforms, count, LLVMBuildSub,
                                              x.uniform ? x.uniform : zero, y.uniform)
                                 : x.uniform;
        sum->imm =
            kiln_sum_add(l, (kiln_sum_t){NULL, NULL, x.imm},
                         (kiln_sum_t){NULL, NULL, (int64_t)(0 - (uint64_t)y.imm)}, result->sum_bits)
                .imm;
    }
    // Terms that cancelled (x - x) are constants again.
    for (uint32_t r = 0; r < count; r++) {
        int64_t constant;
        if (result->sums[r].lane && kiln_llvm_const_int(result->sums[r].lane, &constant)) {
            result->sums[r].lane = NULL;
            result->sums[r].imm += constant;
        }
        if (result->sums[r].uniform && kiln_llvm_const_int(result->sums[r].uniform, &constant)) {
            result->sums[r].uniform = NULL;
            result->sums[r].imm += constant;
        }
    }
    return true;
}
