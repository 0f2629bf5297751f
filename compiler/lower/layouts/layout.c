// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between layouts, as kiln_layout_plan_conversion chose them: by renaming registers, by
// moves between the lanes of a wave, or through LDS.
//
// Note that a pointer tile that counts from a base is converted as its offsets; the base is the
// same everywhere.
#include "convert.h"
#include "layout/rearrange.h"
#include "lower/emit.h"
#include "lower/lds/lds.h"
#include "lower/tile.h"

// The value to move for one register: the offset of a pointer with a base, otherwise the value.
static LLVMValueRef value_to_move(kiln_lowering_t *l, kiln_tile_t *tile, uint32_t reg)
{
    if (tile->base)
        return kiln_sum_value(l, tile->sums[reg], tile->sum_bits == 32 ? l->i32 : l->i64);
    return kiln_tile_value(l, tile, reg);
}

static void set_moved(kiln_tile_t *tile, uint32_t reg, LLVMValueRef value)
{
    if (!tile->base)
        tile->values[reg] = value;
    if (tile->sums)
        tile->sums[reg] = kiln_sum_of(value, false);
}

// Selection of a source register by lane and wave -------------------------------------------------

typedef struct choice {
    uint32_t vectors[KILN_LAYOUT_MAX_BITS];   // what lanes and waves add to a register number: a
                                              // basis in echelon form
    int pivots[KILN_LAYOUT_MAX_BITS];         // a bit that only vectors[i] has
    LLVMValueRef taken[KILN_LAYOUT_MAX_BITS]; // i1: this thread adds vectors[i]
    int count;
} choice_t;

static choice_t begin_choice(kiln_lowering_t *l, const kiln_conversion_t *plan,
                             const kiln_layout_t *to)
{
    const kiln_shuffle_t *shuffle = &plan->shuffle;
    choice_t choice = {.count = 0};
    for (int place = KILN_LANE; place <= KILN_WARP; place++)
        for (int i = 0; i < to->bits[place]; i++) {
            uint32_t vector = shuffle->source_register[place][i];
            for (int j = 0; j < choice.count; j++)
                if (vector >> choice.pivots[j] & 1)
                    vector ^= choice.vectors[j];
            if (!vector)
                continue;
            int pivot = 31 - __builtin_clz(vector);
            for (int j = 0; j < choice.count; j++)
                if (choice.vectors[j] >> pivot & 1)
                    choice.vectors[j] ^= vector;
            choice.vectors[choice.count] = vector;
            choice.pivots[choice.count++] = pivot;
        }
    if (!choice.count)
        return choice;
    LLVMValueRef lane =
        kiln_emit_linear(l, l->lane, to->bits[KILN_LANE], shuffle->source_register[KILN_LANE]);
    LLVMValueRef wave = l->wave ? kiln_emit_linear(l, l->wave, to->bits[KILN_WARP],
                                                   shuffle->source_register[KILN_WARP])
                                : NULL;
    LLVMValueRef chosen = lane && wave ? LLVMBuildXor(l->builder, lane, wave, "")
                          : lane       ? lane
                                       : wave;
    for (int i = 0; i < choice.count; i++) {
        LLVMValueRef bit =
            LLVMBuildAnd(l->builder, chosen, kiln_emit_i32(l, INT64_C(1) << choice.pivots[i]), "");
        choice.taken[i] = LLVMBuildICmp(l->builder, LLVMIntNE, bit, kiln_emit_i32(l, 0), "");
    }
    return choice;
}

// The lane to read from, without the part that a destination register adds; *constant is set if it
// is this lane XOR a constant.
static LLVMValueRef source_lane(kiln_lowering_t *l, const kiln_conversion_t *plan,
                                const kiln_layout_t *to, bool *constant)
{
    const kiln_shuffle_t *shuffle = &plan->shuffle;
    *constant = true;
    for (int i = 0; i < to->bits[KILN_LANE]; i++)
        *constant = *constant && shuffle->source_lane[KILN_LANE][i] == 1u << i;
    for (int i = 0; i < to->bits[KILN_WARP]; i++)
        *constant = *constant && shuffle->source_lane[KILN_WARP][i] == 0;
    LLVMValueRef lane =
        kiln_emit_linear(l, l->lane, to->bits[KILN_LANE], shuffle->source_lane[KILN_LANE]);
    LLVMValueRef wave =
        l->wave ? kiln_emit_linear(l, l->wave, to->bits[KILN_WARP], shuffle->source_lane[KILN_WARP])
                : NULL;
    if (!lane)
        lane = kiln_emit_i32(l, 0);
    return wave ? LLVMBuildXor(l->builder, lane, wave, "") : lane;
}

static void convert_by_shuffle(kiln_lowering_t *l, const kiln_conversion_t *plan,
                               kiln_tile_t *source, kiln_tile_t *result, const kiln_layout_t *to)
{
    const kiln_shuffle_t *shuffle = &plan->shuffle;
    choice_t choice = begin_choice(l, plan, to);
    bool xor_only = false;
    LLVMValueRef lane = shuffle->crosses_lanes ? source_lane(l, plan, to, &xor_only) : NULL;
    uint32_t copies = kiln_layout_free_bits(to, KILN_REGISTER), candidates = 1u << choice.count;
    LLVMValueRef *values = KILN_LOWER_ARRAY(l, LLVMValueRef, candidates);
    for (uint32_t r = 0; r < result->count; r++) {
        if (r & copies) {
            kiln_tile_copy_register(result, r, result, kiln_layout_canonical_register(to, r));
            continue;
        }
        uint32_t reg = 0, flip = 0;
        for (int i = 0; i < to->bits[KILN_REGISTER]; i++)
            if (r >> i & 1) {
                reg ^= shuffle->source_register[KILN_REGISTER][i];
                flip ^= shuffle->source_lane[KILN_REGISTER][i];
            }
        for (uint32_t c = 0; c < candidates; c++) {
            uint32_t candidate = reg;
            for (int i = 0; i < choice.count; i++)
                if (c >> i & 1)
                    candidate ^= choice.vectors[i];

            values[c] = value_to_move(l, source, candidate);
            if (!shuffle->crosses_lanes)
                continue;
            values[c] =
                xor_only
                    ? kiln_emit_xor_lane(l, values[c], flip)
                    : kiln_emit_gather_lane(
                          l, values[c],
                          flip ? LLVMBuildXor(l->builder, lane, kiln_emit_i32(l, flip), "") : lane);
        }
        for (int i = choice.count - 1; i >= 0; i--)
            for (uint32_t c = 0; c < 1u << i; c++)
                values[c] = LLVMBuildSelect(l->builder, choice.taken[i], values[c | 1u << i],
                                            values[c], "");
        set_moved(result, r, values[0]);
    }
}

static kiln_status_t convert_through_lds(kiln_lowering_t *l, MlirOperation op,
                                         const kiln_conversion_t *plan, kiln_tile_t *source,
                                         const kiln_layout_t *from, kiln_tile_t *result,
                                         const kiln_layout_t *to)
{
    uint32_t offset, from_count = kiln_layout_registers(from), to_count = kiln_layout_registers(to);
    KILN_TRY(kiln_lower_scratch(op, &offset));
    kiln_layout_t write = kiln_layout_to_lds(from, &plan->lds),
                  read = kiln_layout_to_lds(to, &plan->lds);
    LLVMTypeRef element =
                    source->base ? (source->sum_bits == 32 ? l->i32 : l->i64) : source->element,
                stored = kiln_stored_type(l, element);
    LLVMValueRef *values = KILN_LOWER_ARRAY(l, LLVMValueRef, from_count),
                 *loaded = KILN_LOWER_ARRAY(l, LLVMValueRef, to_count);
    for (uint32_t r = 0; r < from_count; r++)
        values[r] = kiln_to_stored(l, value_to_move(l, source, r));
    uint32_t rounds = 1u << plan->repetitions_log2;
    kiln_lds_transfer_t store = {.map = &write,
                                 .base = {NULL, NULL, offset},
                                 .element = stored,
                                 .predicate = kiln_lds_writer(l, from),
                                 .window = rounds > 1 ? plan->lds_elements : 0},
                        load = store;
    load.map = &read;
    kiln_lds_begin(l, &store);
    kiln_lds_begin(l, &load);
    for (uint32_t round = 0; round < rounds; round++) {
        store.window_index = load.window_index = round;
        if (round)
            kiln_emit_barrier(l);
        kiln_lds_store(l, &store, values);
        kiln_emit_barrier(l);
        kiln_lds_load(l, &load, loaded);
    }
    result->block = LLVMGetInsertBlock(l->builder);
    for (uint32_t r = 0; r < to_count; r++)
        set_moved(result, r, kiln_from_stored(l, loaded[r], element));
    return KILN_OK;
}

// An empty tile for the same values in another layout.
static kiln_tile_t *intermediate_tile(kiln_lowering_t *l, const kiln_tile_t *source,
                                      const kiln_layout_t *layout)
{
    kiln_tile_t *tile = kiln_lower_arena_alloc(l->arena, sizeof *tile);
    *tile = *source;
    tile->layout = layout;
    tile->count = kiln_layout_registers(layout);
    tile->vectors = NULL;
    tile->values = KILN_LOWER_ARRAY(l, LLVMValueRef, tile->count);
    tile->sums = source->sums ? KILN_LOWER_ARRAY(l, kiln_sum_t, tile->count) : NULL;
    return tile;
}

static kiln_status_t convert_in_steps(kiln_lowering_t *l, MlirOperation op,
                                      const kiln_conversion_t *plan, kiln_tile_t *source,
                                      const kiln_layout_t *from, kiln_tile_t *result,
                                      const kiln_layout_t *to)
{
    kiln_tile_t *middle = intermediate_tile(l, source, &plan->step);
    KILN_TRY(kiln_lower_convert(l, op, source, from, middle, &plan->step));
    kiln_emit_barrier(l); // the same scratch is reused
    return kiln_lower_convert(l, op, middle, &plan->step, result, to);
}

kiln_status_t kiln_lower_convert_values(kiln_lowering_t *l, MlirOperation op, MlirType type,
                                        LLVMValueRef *values, const kiln_layout_t *from,
                                        LLVMValueRef *results, const kiln_layout_t *to)
{
    kiln_tile_t source = {.type = type,
                          .count = kiln_layout_registers(from),
                          .element = LLVMTypeOf(values[0]),
                          .values = values,
                          .block = LLVMGetInsertBlock(l->builder)};
    kiln_tile_t result = source;
    result.count = kiln_layout_registers(to);
    result.values = results;
    return kiln_lower_convert(l, op, &source, from, &result, to);
}

// Whether a value that is uniform over a wave may differ between waves: only if it is computed from
// the wave's number.
static bool depends_on_wave(kiln_lowering_t *l, LLVMValueRef value)
{
    enum { MAX = 64 }; // values looked at; beyond that, yes
    LLVMValueRef seen[MAX];
    int count = 0, next = 0;
    if (l->wave && LLVMIsAInstruction(value))
        seen[count++] = value;
    for (; next < count; next++) {
        if (seen[next] == l->wave)
            return true;
        for (int i = 0, n = LLVMGetNumOperands(seen[next]); i < n; i++) {
            LLVMValueRef operand = LLVMGetOperand(seen[next], (unsigned)i);
            int at = 0;
            while (at < count && seen[at] != operand)
                at++;
            if (at < count || !LLVMIsAInstruction(operand))
                continue;
            if (count == MAX)
                return true;
            seen[count++] = operand;
        }
    }
    return false;
}

// Only values that differ between threads need to be moved.
static bool is_splat(kiln_lowering_t *l, kiln_tile_t *tile)
{
    for (uint32_t r = 0; r < tile->count; r++) {
        if (tile->sums ? tile->sums[r].lane != NULL
                       : !tile->values[r] || !LLVMIsConstant(tile->values[r]))
            return false;
        if (tile->sums ? tile->sums[r].uniform != tile->sums[0].uniform ||
                             tile->sums[r].imm != tile->sums[0].imm
                       : tile->values[r] != tile->values[0])
            return false;
    }
    return !tile->sums || !tile->sums[0].uniform || !depends_on_wave(l, tile->sums[0].uniform);
}

kiln_status_t kiln_lower_convert(kiln_lowering_t *l, MlirOperation op, kiln_tile_t *source,
                                 const kiln_layout_t *from, kiln_tile_t *result,
                                 const kiln_layout_t *to)
{
    int bits = kiln_type_bits(source->type);
    kiln_conversion_t plan = kiln_layout_plan_conversion(from, to, bits);
    uint32_t count = kiln_layout_registers(to);
    if (plan.kind != KILN_CONVERSION_NONE && is_splat(l, source)) {
        // analysis/barriers/membar.h counts on a barrier inside every operation with scratch.
        if (plan.kind == KILN_CONVERSION_LDS || plan.kind == KILN_CONVERSION_STEPS)
            kiln_emit_barrier(l);
        for (uint32_t r = 0; r < count; r++)
            kiln_tile_copy_register(result, r, source, 0);
        return KILN_OK;
    }
    switch (plan.kind) {
    case KILN_CONVERSION_NONE:
    case KILN_CONVERSION_REGISTERS:
        if (plan.kind == KILN_CONVERSION_NONE && source->vectors) {
            result->vectors = source->vectors;
            result->vector_width = source->vector_width;
        }
        for (uint32_t r = 0; r < count; r++) {
            uint32_t reg =
                plan.kind == KILN_CONVERSION_NONE ? r : kiln_layout_source_register(from, to, r);
            if (!source->sums && !(plan.kind == KILN_CONVERSION_NONE && source->vectors))
                kiln_tile_value(l, source, reg);
            kiln_tile_copy_register(result, r, source, reg);
        }
        return KILN_OK;
    case KILN_CONVERSION_SHUFFLE:
        convert_by_shuffle(l, &plan, source, result, to);
        return KILN_OK;
    case KILN_CONVERSION_LDS:
        return convert_through_lds(l, op, &plan, source, from, result, to);
    case KILN_CONVERSION_STEPS:
        return convert_in_steps(l, op, &plan, source, from, result, to);
    }
    return KILN_OK;
}
