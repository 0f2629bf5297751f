// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tt.dot with an MFMA layout: one matrix instruction for each tile of the result and each step
// along K.
//
// The layouts determine which registers an instruction takes: the first of a lane's elements in a
// tile of the result gives row and column, the layouts of A and B give the registers that hold this
// row (column) at each k in lane 0. All layouts are linear, so the registers of lane 0 of wave 0
// are those of all lanes and waves.
//
// Note that with a transposed layout the instruction computes Dᵀ = Bᵀ·Aᵀ, so A and B are swapped,
// but registers keep their places.
//
// Instructions of 4×64 and 64×4 are 16 instructions of 4×4 side by side. The 64-wide operand is
// distributed over the lanes, each of which has all of K; the narrow one over K, and instruction
// number i broadcasts its block i to the others.
#include "dots.h"
#include "layout/rearrange.h"
#include "lower/emit.h"
#include "lower/tile.h"

#include "analysis/machine/mfma.h"

typedef struct operand {
    kiln_tile_t *tile;
    kiln_layout_inverse_t inverse;
    LLVMValueRef *packed; // [registers / k_base]: the instruction's operand vectors
    uint32_t k_size;
    LLVMValueRef is_own; // NULL, or an i1: this lane's K are not copies
} operand_t;

static operand_t begin_operand(kiln_lowering_t *l, kiln_tile_t *tile, int k_base, uint32_t k_size,
                               LLVMValueRef is_own)
{
    return (operand_t){tile, kiln_layout_invert(tile->layout),
                       KILN_LOWER_ARRAY(l, LLVMValueRef, (int)tile->count / k_base + 1), k_size,
                       is_own};
}

// If K is smaller than the number of elements that an instruction's lanes hold, the remaining lanes
// hold copies, which must not contribute to the result.
static LLVMValueRef lanes_with_own_k(kiln_lowering_t *l, uint32_t k_size, int k_width,
                                     int lanes_along_k)
{
    uint32_t used = k_size > (uint32_t)k_width ? k_size / (uint32_t)k_width : 1;
    if (used >= (uint32_t)lanes_along_k)
        return NULL;
    LLVMValueRef end = kiln_emit_i32(l, used * (uint32_t)(KILN_GFX942_LANES / lanes_along_k));
    return LLVMBuildICmp(l->builder, LLVMIntULT, l->lane, end, "");
}

// The instruction's type for `k_base` elements: small elements are passed as one integer, bf16 as
// i16 vectors.
static LLVMTypeRef packed_type(kiln_lowering_t *l, LLVMTypeRef element, int k_base)
{
    unsigned bits = kiln_llvm_bits(element);
    if (bits == 8)
        return LLVMIntTypeInContext(l->context, 8 * (unsigned)k_base);
    if (k_base == 1)
        return element;
    return LLVMVectorType(element == l->bf16 ? l->i16 : element, (unsigned)k_base);
}

// The elements k, k + 1, … k + k_base − 1 of the row or column that starts at `flat`; one k is a
// step of 1 << k_shift. Zeros beyond K.
static LLVMValueRef packed_operand(kiln_lowering_t *l, operand_t *operand, uint32_t flat,
                                   int k_shift, uint32_t k, int k_base)
{
    LLVMValueRef values[16];
    uint32_t first =
        kiln_layout_inverse_apply(&operand->inverse, KILN_REGISTER, flat | k << k_shift);
    LLVMValueRef *known = &operand->packed[first / (uint32_t)k_base];
    if (first % (uint32_t)k_base == 0 && *known)
        return *known;
    bool in_order = true;
    for (int i = 0; i < k_base; i++) {
        if (k + (uint32_t)i >= operand->k_size) {
            in_order = false;
            values[i] = LLVMConstNull(operand->tile->element);
            continue;
        }
        uint32_t reg = kiln_layout_inverse_apply(&operand->inverse, KILN_REGISTER,
                                                 flat | (k + (uint32_t)i) << k_shift);
        in_order = in_order && reg == first + (uint32_t)i;
        values[i] =
            in_order && operand->tile->vectors ? NULL : kiln_tile_value(l, operand->tile, reg);
    }
    LLVMValueRef vector;
    if (in_order) {
        vector = kiln_tile_vector(l, operand->tile, first, (uint32_t)k_base);
    } else {
        for (int i = 0; i < k_base; i++)
            if (!values[i])
                values[i] =
                    kiln_tile_value(l, operand->tile,
                                    kiln_layout_inverse_apply(&operand->inverse, KILN_REGISTER,
                                                              flat | (k + (uint32_t)i) << k_shift));
        vector = kiln_emit_vector(l, operand->tile->element, values, (uint32_t)k_base);
    }
    vector =
        LLVMBuildBitCast(l->builder, vector, packed_type(l, operand->tile->element, k_base), "");
    if (operand->is_own)
        vector = LLVMBuildSelect(l->builder, operand->is_own, vector,
                                 LLVMConstNull(LLVMTypeOf(vector)), "");
    if (first % (uint32_t)k_base == 0 && in_order)
        *known = vector;
    return vector;
}

// block: the one of A's 16 blocks that is broadcast to all others; −1: each uses its own.
static LLVMValueRef emit_mfma(kiln_lowering_t *l, const kiln_mfma_instruction_t *instruction,
                              int block, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    enum { TO_16_BLOCKS = 4 };
    LLVMValueRef args[6] = {a,
                            b,
                            c,
                            kiln_emit_i32(l, block < 0 ? 0 : TO_16_BLOCKS),
                            kiln_emit_i32(l, block < 0 ? 0 : block),
                            kiln_emit_i32(l, 0)};
    return kiln_emit_intrinsic(l, instruction->intrinsic, NULL, 0, args, 6);
}

static bool is_operand_of(const kiln_tile_t *tile, int index, const kiln_tile_t *result)
{
    MlirAttribute encoding = kiln_type_encoding(tile->type);
    return kiln_encoding_kind(encoding) == KILN_ENCODING_DOT_OPERAND &&
           kiln_dot_operand_index(encoding) == index &&
           mlirAttributeEqual(kiln_dot_operand_parent(encoding), kiln_type_encoding(result->type));
}

static uint64_t dwords(const kiln_tile_t *tile)
{
    return (uint64_t)tile->count * kiln_llvm_bits(tile->element) / 32;
}

kiln_status_t kiln_lower_dot_mfma(kiln_lowering_t *l, MlirOperation op, kiln_tile_t *a,
                                  kiln_tile_t *b, kiln_tile_t *c, kiln_tile_t *result)
{
    kiln_mfma_t mfma = kiln_mfma_get(kiln_type_encoding(result->type));
    kiln_mfma_element_t a_type = kiln_mfma_element(kiln_type_element(a->type)),
                        b_type = kiln_mfma_element(kiln_type_element(b->type));
    int m_size = mfma.instr_shape[0], n_size = mfma.instr_shape[1], rank = result->layout->rank;
    bool is_narrow = m_size != n_size;
    const kiln_mfma_instruction_t *instruction =
        kiln_mfma_find(a_type, b_type, KILN_MFMA_XF32, m_size, n_size);
    if (!instruction || instruction->k != mfma.instr_shape[2])
        instruction = kiln_mfma_find(a_type, b_type, KILN_MFMA_ANY, m_size, n_size);
    if (!instruction || (is_narrow && mfma.is_transposed != (m_size == 64)))
        return kiln_op_unsupported(op, "a%s matrix instruction of %d×%d for these types",
                                   mfma.is_transposed ? " transposed" : "", m_size, n_size);
    if (mfma.is_transposed && a_type != b_type) // the operands are swapped, and so are their types
        instruction = kiln_mfma_find(b_type, a_type, instruction->precision, m_size, n_size);
    if (!is_operand_of(a, 0, result) || !is_operand_of(b, 1, result))
        return kiln_op_unsupported(
            op,
            "an operand with a layout other than #ttg.dot_op with the result's layout as parent");
    int k_base = instruction->k_base,
        lanes_along_k = KILN_GFX942_LANES / (m_size < n_size ? m_size : n_size);
    int k_width = kiln_dot_operand_k_width(kiln_type_encoding(a->type)), k_shift_a = 0,
        k_shift_b = kiln_layout_shift(b->layout, rank - 2);
    int64_t k_size = kiln_type_dim(a->type, rank - 1);
    if (k_width != kiln_dot_operand_k_width(kiln_type_encoding(b->type)) || k_width % k_base)
        return kiln_op_unsupported(op, "K = %d with kWidth = %d in tiles of %d×%d", (int)k_size,
                                   k_width, m_size, n_size);

    uint32_t width = (uint32_t)(m_size * n_size / KILN_GFX942_LANES),
             k_tile = (uint32_t)(k_width * lanes_along_k),
             copies = kiln_layout_free_bits(result->layout, KILN_REGISTER);
    LLVMValueRef is_own =
        is_narrow ? NULL : lanes_with_own_k(l, (uint32_t)k_size, k_width, lanes_along_k);
    operand_t operands[2] = {begin_operand(l, a, k_base, (uint32_t)k_size, is_own),
                             begin_operand(l, b, k_base, (uint32_t)k_size, is_own)};
    LLVMTypeRef vector_type = LLVMVectorType(result->element, width);
    result->vectors = KILN_LOWER_ARRAY(l, LLVMValueRef, result->count / width);
    result->vector_width = width;
    // K is the outer loop: consecutive instructions add to different tiles, so none waits for the
    // previous one. But a result that is larger than the registers is finished tile by tile.
    enum { ALL_REGISTERS = 512 };
    int blocks = is_narrow ? lanes_along_k : 1;
    uint32_t tiles = result->count / width, steps_of_tile = (uint32_t)(k_width / k_base * blocks),
             steps = ((uint32_t)k_size + k_tile - 1) / k_tile * steps_of_tile;
    bool by_tiles = dwords(result) >= ALL_REGISTERS;
    for (uint32_t i = 0; i < tiles * steps; i++) {
        uint32_t g = by_tiles ? i / steps : i % tiles, at = by_tiles ? i % steps : i / tiles;
        uint32_t k = at / steps_of_tile * k_tile;
        int step = (int)(at % steps_of_tile);
        if (g * width & copies)
            continue;
        if (at == 0)
            result->vectors[g] = LLVMBuildBitCast(
                l->builder, kiln_tile_vector(l, c, g * width, width), vector_type, "");
        // This lane's part of the narrow operand is used by all blocks; of the wide operand the
        // lane has all of K.
        int block = is_narrow ? step * k_base / k_width : -1;
        uint32_t wide_k = k + (uint32_t)(step * k_base),
                 k_both = k + (uint32_t)(step * k_base % k_width);
        uint32_t k_a = n_size > m_size ? k_both : wide_k, k_b = m_size > n_size ? k_both : wide_k;
        if (wide_k >= k_size)
            continue;
        uint32_t flat_a, flat_b;
        kiln_lower_dot_corner(a, b, result, g * width, &flat_a, &flat_b);
        LLVMValueRef from_a = packed_operand(l, &operands[0], flat_a, k_shift_a, k_a, k_base);
        LLVMValueRef from_b = packed_operand(l, &operands[1], flat_b, k_shift_b, k_b, k_base);
        LLVMValueRef first = mfma.is_transposed ? from_b : from_a;
        LLVMValueRef second = mfma.is_transposed ? from_a : from_b;
        result->vectors[g] = emit_mfma(l, instruction, block, first, second, result->vectors[g]);
    }
    for (uint32_t g = 0; g < result->count / width; g++)
        if (g * width & copies)
            result->vectors[g] =
                result->vectors[kiln_layout_canonical_register(result->layout, g * width) / width];
    return KILN_OK;
}
