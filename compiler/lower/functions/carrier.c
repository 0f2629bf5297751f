// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses how tiles are passed through phis: the arguments of blocks, the iteration arguments of
// loops, the results of branches.
//
// Three optimizations: accumulators of matrix instructions are passed as the vectors that the
// instruction takes; elements below 32 bits are passed packed, since a phi of a 16-bit value
// occupies a whole register; pointers known to be based on one scalar pointer are passed as offsets
// from it, which also preserves the facts about the buffer (its size).
//
// Note that whether a joined pointer has one root must be decided before the loop body is lowered.
// kiln_pointer_root determines it from the MLIR.
#include "analysis/axis/axis_info.h"
#include "analysis/memory/pointer_root.h"
#include "analysis/memory/pointer_sign.h"
#include "functions.h"
#include "lower/emit.h"
#include "lower/tile.h"

static uint32_t carried_vector_width(kiln_lowering_t *l, MlirType type, uint32_t count,
                                     LLVMTypeRef element)
{
    MlirAttribute encoding = kiln_type_encoding(type);
    unsigned bits = kiln_llvm_bits(element);
    uint32_t width = 1;
    (void)l;
    if (LLVMGetTypeKind(element) == LLVMPointerTypeKind || bits == 1)
        return 1;
    if (kiln_encoding_kind(encoding) == KILN_ENCODING_MFMA && bits >= 32) {
        kiln_mfma_t mfma = kiln_mfma_get(encoding);
        width = (uint32_t)(mfma.instr_shape[0] * mfma.instr_shape[1]) / KILN_GFX942_LANES;
    } else if (bits < 32) {
        width = 128 / bits;
        if (kiln_encoding_kind(encoding) == KILN_ENCODING_DOT_OPERAND &&
            kiln_dot_operand_k_width(encoding) > 1)
            width = (uint32_t)kiln_dot_operand_k_width(encoding);
    }
    return width < count ? (width ? width : 1) : count;
}

kiln_status_t kiln_carrier_plan(kiln_lowering_t *l, MlirValue joined, kiln_carrier_t *out)
{
    MlirType type = mlirValueGetType(joined);
    *out = (kiln_carrier_t){.type = type, .count = 1, .vector_width = 1};
    if (kiln_type_is_memdesc(type)) {
        out->part = l->i32;
        out->count = kiln_memdesc_parts(type);
        return KILN_OK;
    }
    out->part = kiln_lower_element_type(l, type);
    if (!out->part)
        return kiln_status_make(
            KILN_STATUS_UNSUPPORTED,
            "a type without registers on gfx942 is passed through control flow");
    uint32_t registers = 1;
    if (kiln_type_is_tensor(type)) {
        const kiln_layout_t *layout = kiln_lower_layout(l, type);
        if (!layout)
            return kiln_lower_take_failure(l);
        registers = kiln_layout_registers(layout);
    }
    if (kiln_type_is_ptr(kiln_type_element(type))) {
        MlirValue root = kiln_pointer_root(joined);
        const kiln_tile_t *root_tile =
            mlirValueIsNull(root) ? NULL : kiln_lower_map_get(l->values, root.ptr);
        if (root_tile && root_tile->base) {
            out->like = root_tile;
            out->part = root_tile->sum_bits == 32 ? l->i32 : l->i64;
            // Nothing is known about a lane's offset after a phi, so it is shifted once before it
            // instead of at each access.
            out->is_after = root_tile->range32 &&
                            kiln_pointer_is_at_or_after_root(kiln_axis_ranges(l->axis), joined);
            out->shifts = root_tile->range32 && !out->is_after && kiln_type_is_tensor(type);
        }
    }
    out->vector_width = out->like ? 1 : carried_vector_width(l, type, registers, out->part);
    out->count = registers / out->vector_width;
    if (out->vector_width > 1)
        out->part = LLVMVectorType(out->part, out->vector_width);
    return KILN_OK;
}

void kiln_carrier_pack(kiln_lowering_t *l, const kiln_carrier_t *carrier, kiln_tile_t *tile,
                       LLVMValueRef *out)
{
    for (uint32_t i = 0; i < carrier->count; i++) {
        if (carrier->like && tile->base != carrier->like->base) {
            kiln_lower_fail(
                l, kiln_status_make(KILN_STATUS_INTERNAL, "a pointer is not based on its root"));
            out[i] = LLVMGetPoison(carrier->part);
        } else if (carrier->shifts) {
            out[i] = kiln_sum_value(l, kiln_shifted_sum(tile, i), carrier->part);
        } else if (carrier->like || kiln_type_is_memdesc(carrier->type)) {
            out[i] = kiln_sum_value(l, tile->sums[i], carrier->part);
        } else {
            out[i] = kiln_tile_vector(l, tile, i * carrier->vector_width, carrier->vector_width);
        }
    }
}

kiln_tile_t *kiln_carrier_unpack(kiln_lowering_t *l, const kiln_carrier_t *carrier,
                                 LLVMValueRef *parts)
{
    kiln_tile_t *tile = kiln_tile_create(l, carrier->type);
    if (!tile)
        return NULL;
    bool is_memdesc = kiln_type_is_memdesc(carrier->type);
    if (carrier->like || is_memdesc) {
        tile->sums = KILN_LOWER_ARRAY(l, kiln_sum_t, tile->count);
        for (uint32_t i = 0; i < tile->count; i++)
            tile->sums[i] = kiln_sum_of(parts[i], !tile->layout);
        if (carrier->like) {
            tile->base = carrier->like->base;
            tile->sum_bits = carrier->like->sum_bits;
            tile->range32 = carrier->like->range32;
            tile->shifted = carrier->shifts;
            tile->is_after = carrier->is_after;
        }
        return tile;
    }
    if (carrier->vector_width > 1) {
        tile->vectors = KILN_LOWER_ARRAY(l, LLVMValueRef, carrier->count);
        tile->vector_width = carrier->vector_width;
        for (uint32_t i = 0; i < carrier->count; i++)
            tile->vectors[i] = parts[i];
        return tile;
    }
    for (uint32_t i = 0; i < carrier->count; i++)
        tile->values[i] = parts[i];
    if (!tile->layout && kiln_type_is_ptr(carrier->type))
        kiln_lower_root_pointer(l, tile, parts[0], false);
    return tile;
}
