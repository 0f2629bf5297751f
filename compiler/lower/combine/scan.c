// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tt.scan: inclusive prefixes along an axis, for any region that combines two (tuples of) elements.
//
// In the layout that analysis/plan/scan.c finds, the axis counts first through some register bits
// of a thread (a run), then through lanes, then through waves, then through further register bits
// (blocks). Then
//   1. each thread scans its runs,
//   2. lanes exchange the totals of ever larger halves (lane XOR 1, 2, …): the upper half receives
//      the total before it, both receive the total of all,
//   3. waves write their totals to LDS and each adds up those before it,
//   4. blocks follow one another in the same thread.
//
// Step 2 emits the region up to three times for each power of two. If the region is expensive,
// lanes exchange in a loop over the powers instead, which emits it once: the upper half reads the
// total so far of the last lane of the lower half, and at the end each lane has the total up to and
// including its own run.
//
// Note that the first element has no carry. If the region has a neutral element, as sums have, that
// is the carry, and all elements are combined with it; otherwise each step selects the elements
// that have a carry. A reverse scan is the same with every bit of the axis inverted.
#include "combine.h"
#include "layout/rearrange.h"
#include "lower/emit.h"
#include "lower/layouts/convert.h"
#include "lower/tile.h"

static void select_tuple(kiln_lowering_t *l, const kiln_scan_t *scan, LLVMValueRef condition,
                         LLVMValueRef *yes, LLVMValueRef *no, LLVMValueRef *into)
{
    for (int i = 0; i < scan->operands; i++)
        into[i] = LLVMBuildSelect(l->builder, condition, yes[i], no[i], "");
}

static void copy_tuple(const kiln_scan_t *scan, LLVMValueRef *from, LLVMValueRef *into)
{
    for (int i = 0; i < scan->operands; i++)
        into[i] = from[i];
}

// i1: `bits` of `number`, read in the scan's direction, are not all zero: an element precedes.
static LLVMValueRef not_first(kiln_lowering_t *l, const kiln_scan_t *scan, LLVMValueRef number,
                              uint32_t bits)
{
    LLVMValueRef masked = LLVMBuildAnd(l->builder, number, kiln_emit_i32(l, bits), "");
    return LLVMBuildICmp(l->builder, LLVMIntNE, masked, kiln_emit_i32(l, scan->reverse ? bits : 0),
                         "");
}

// total[] of each lane's run to the total over lanes; carry[] is the total of the lower lanes,
// valid where *has_carry is true. If `neutral` is not NULL, it replaces missing carries, and
// *has_carry stays NULL.
static kiln_status_t scan_lanes(kiln_lowering_t *l, const kiln_scan_t *scan, LLVMValueRef neutral,
                                LLVMValueRef *total, LLVMValueRef *carry, LLVMValueRef *has_carry)
{
    uint32_t before = 0;
    *has_carry = NULL;
    for (uint32_t bit = 1; bit < KILN_GFX942_LANES; bit *= 2) {
        kiln_tuple_t other, longer, upper_total, lower_total;
        if (!(scan->lanes & bit))
            continue;
        LLVMValueRef is_upper = not_first(l, scan, l->lane, bit);
        for (int i = 0; i < scan->operands; i++)
            other[i] = kiln_emit_xor_lane(l, total[i], bit);
        if (!before) {
            copy_tuple(scan, other, carry);
            if (neutral)
                select_tuple(l, scan, is_upper, other, &neutral, carry);
        } else {
            KILN_TRY(kiln_combine(l, scan->op, other, carry, longer));
            if (!neutral)
                select_tuple(l, scan, not_first(l, scan, l->lane, before), longer, other, longer);
            select_tuple(l, scan, is_upper, longer, carry, carry);
        }
        before |= bit;
        KILN_TRY(kiln_combine(l, scan->op, other, total, upper_total));
        KILN_TRY(kiln_combine(l, scan->op, total, other, lower_total));
        select_tuple(l, scan, is_upper, upper_total, lower_total, total);
    }
    if (before && !neutral)
        *has_carry = not_first(l, scan, l->lane, before);
    return KILN_OK;
}

// A lane's number with the bits of the axis counted in the scan's direction, and back.
static LLVMValueRef in_direction(kiln_lowering_t *l, const kiln_scan_t *scan, LLVMValueRef lane)
{
    return scan->reverse ? LLVMBuildXor(l->builder, lane, kiln_emit_i32(l, scan->lanes), "") : lane;
}

// totals[] of each lane's runs to totals up to and including that lane, of all groups in one loop:
//
//   for (bit = lowest axis bit; ; bit = next axis bit)
//       source = last lane below the half that starts at bit
//       upper half: totals := region(totals of source, totals)
static kiln_status_t scan_lanes_in_loop(kiln_lowering_t *l, const kiln_scan_t *scan,
                                        uint32_t groups, kiln_tuple_t *totals)
{
    const LLVMValueRef mask = kiln_emit_i32(l, scan->lanes), lane = in_direction(l, scan, l->lane);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder),
                      body = kiln_emit_block(l, "scan.lanes"),
                      after = kiln_emit_block(l, "scanned.lanes");
    LLVMBuildBr(l->builder, body);

    LLVMPositionBuilderAtEnd(l->builder, body);
    LLVMValueRef bit = LLVMBuildPhi(l->builder, l->i32, "bit"),
                 first = kiln_emit_i32(l, scan->lanes & -scan->lanes);
    kiln_tuple_t *phis = kiln_lower_arena_alloc(l->arena, sizeof(kiln_tuple_t) * groups);
    for (uint32_t g = 0; g < groups; g++)
        for (int i = 0; i < scan->operands; i++) {
            phis[g][i] = LLVMBuildPhi(l->builder, LLVMTypeOf(totals[g][i]), "");
            LLVMAddIncoming(phis[g][i], &totals[g][i], &before, 1);
        }
    LLVMValueRef below =
        LLVMBuildAnd(l->builder, LLVMBuildSub(l->builder, bit, kiln_emit_i32(l, 1), ""), mask, "");
    LLVMValueRef source = LLVMBuildOr(l->builder, lane, below, "");
    source = LLVMBuildAnd(l->builder, source, LLVMBuildNot(l->builder, bit, ""), "");
    source = in_direction(l, scan, source);
    LLVMValueRef is_upper = LLVMBuildAnd(l->builder, lane, bit, "");
    is_upper = LLVMBuildICmp(l->builder, LLVMIntNE, is_upper, kiln_emit_i32(l, 0), "");
    for (uint32_t g = 0; g < groups; g++) {
        kiln_tuple_t other, joined;
        for (int i = 0; i < scan->operands; i++)
            other[i] = kiln_emit_gather_lane(l, phis[g][i], source);
        KILN_TRY(kiln_combine(l, scan->op, other, phis[g], joined));
        select_tuple(l, scan, is_upper, joined, phis[g], totals[g]);
    }
    // Bits above this one: those of the mask, less those up to the bit.
    LLVMValueRef above =
        LLVMBuildNeg(l->builder, LLVMBuildShl(l->builder, bit, kiln_emit_i32(l, 1), ""), "");
    above = LLVMBuildAnd(l->builder, mask, above, "");
    LLVMValueRef next = LLVMBuildAnd(l->builder, above, LLVMBuildNeg(l->builder, above, ""), "");
    LLVMValueRef more = LLVMBuildICmp(l->builder, LLVMIntNE, above, kiln_emit_i32(l, 0), "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->builder);
    LLVMAddIncoming(bit, &first, &before, 1);
    LLVMAddIncoming(bit, &next, &latch, 1);
    for (uint32_t g = 0; g < groups; g++)
        for (int i = 0; i < scan->operands; i++)
            LLVMAddIncoming(phis[g][i], &totals[g][i], &latch, 1);
    LLVMBuildCondBr(l->builder, more, body, after);
    LLVMPositionBuilderAtEnd(l->builder, after);
    return KILN_OK;
}

// After the loop: carry[] is the total of the lower lanes, valid where a lower one exists, and
// total[] the total of all.
static void carry_and_total(kiln_lowering_t *l, const kiln_scan_t *scan, LLVMValueRef *inclusive,
                            LLVMValueRef *carry, LLVMValueRef *total)
{
    const LLVMValueRef mask = kiln_emit_i32(l, scan->lanes), lane = in_direction(l, scan, l->lane);
    // The lane before: the axis bits less one, which borrows through the zeros between them.
    LLVMValueRef along = LLVMBuildAnd(l->builder, lane, mask, "");
    LLVMValueRef before = LLVMBuildSub(l->builder, along, kiln_emit_i32(l, 1), "");
    before = LLVMBuildAnd(l->builder, before, mask, "");
    before = LLVMBuildOr(l->builder, LLVMBuildXor(l->builder, lane, along, ""), before, "");
    before = in_direction(l, scan, before);
    LLVMValueRef last = in_direction(l, scan, LLVMBuildOr(l->builder, lane, mask, ""));
    for (int i = 0; i < scan->operands; i++) {
        carry[i] = kiln_emit_gather_lane(l, inclusive[i], before);
        total[i] = kiln_emit_gather_lane(l, inclusive[i], last);
    }
}

// Totals of waves through LDS: groups of (element off the axis, block). carries[g] is the total of
// the lower waves.
static kiln_status_t scan_waves(kiln_lowering_t *l, const kiln_scan_t *scan, LLVMValueRef neutral,
                                uint32_t groups, kiln_tuple_t *totals, kiln_tuple_t *carries)
{
    uint32_t waves = 1u << scan->warp_count;
    LLVMValueRef *loaded[KILN_MAX_COMBINED], *own_totals[KILN_MAX_COMBINED];
    if (scan->convert)
        kiln_emit_barrier(l);
    for (int i = 0; i < scan->operands; i++) {
        own_totals[i] = KILN_LOWER_ARRAY(l, LLVMValueRef, groups);
        loaded[i] = KILN_LOWER_ARRAY(l, LLVMValueRef, groups * waves);
        for (uint32_t g = 0; g < groups; g++)
            own_totals[i][g] = totals[g][i];
    }
    KILN_TRY(kiln_exchange_between_waves(l, &scan->exchange, own_totals, loaded));
    for (uint32_t g = 0; g < groups; g++) {
        kiln_tuple_t running;
        for (uint32_t n = 0; n < waves; n++) {
            uint32_t w = scan->reverse ? waves - 1 - n : n;
            kiln_tuple_t own;
            for (int i = 0; i < scan->operands; i++)
                own[i] = loaded[i][g * waves + w];
            if (n == 0) {
                copy_tuple(scan, own, running);
                copy_tuple(scan, neutral ? &neutral : own, carries[g]);
                continue;
            }
            LLVMValueRef mine =
                LLVMBuildAnd(l->builder, l->wave, kiln_emit_i32(l, scan->warps), "");
            mine = LLVMBuildICmp(l->builder, LLVMIntEQ, mine,
                                 kiln_emit_i32(l, kiln_spread_bits(w, scan->warps)), "");
            select_tuple(l, scan, mine, running, carries[g], carries[g]);
            KILN_TRY(kiln_combine(l, scan->op, running, own, running));
        }
        copy_tuple(scan, running, totals[g]);
    }
    return KILN_OK;
}

static kiln_status_t scan_registers(kiln_lowering_t *l, const kiln_scan_t *scan,
                                    kiln_tuple_t *values)
{
    uint32_t registers = kiln_layout_registers(&scan->layout),
             apart = (registers - 1) & ~scan->run & ~scan->blocks & ~scan->copies;
    uint32_t run = 1u << __builtin_popcount(scan->run),
             groups = 1u << (__builtin_popcount(apart) + scan->block_count);
    uint32_t group_bits = apart | scan->blocks;
    kiln_tuple_t *totals = kiln_lower_arena_alloc(l->arena, sizeof(kiln_tuple_t) * groups),
                 *lane_carries = kiln_lower_arena_alloc(l->arena, sizeof(kiln_tuple_t) * groups);
    kiln_tuple_t *wave_carries = kiln_lower_arena_alloc(l->arena, sizeof(kiln_tuple_t) * groups);
    kiln_tuple_t *inclusive = scan->lanes_in_loop
                                  ? kiln_lower_arena_alloc(l->arena, sizeof(kiln_tuple_t) * groups)
                                  : NULL;
    LLVMValueRef neutral = kiln_neutral_element(scan->op, LLVMTypeOf(values[0][0]));
    LLVMValueRef has_lane_carry = NULL,
                 has_wave_carry =
                     scan->warp_count && !neutral ? not_first(l, scan, l->wave, scan->warps) : NULL;
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t base = kiln_spread_bits(g, group_bits);
        for (uint32_t n = 1; n < run; n++) {
            uint32_t before = base | kiln_spread_bits(scan->reverse ? run - n : n - 1, scan->run),
                     at = base | kiln_spread_bits(scan->reverse ? run - 1 - n : n, scan->run);
            KILN_TRY(kiln_combine(l, scan->op, values[before], values[at], values[at]));
        }
        copy_tuple(scan, values[base | kiln_spread_bits(scan->reverse ? 0 : run - 1, scan->run)],
                   totals[g]);
        if (!inclusive)
            KILN_TRY(scan_lanes(l, scan, neutral, totals[g], lane_carries[g], &has_lane_carry));
    }
    if (inclusive) {
        KILN_TRY(scan_lanes_in_loop(l, scan, groups, totals));
        has_lane_carry = not_first(l, scan, l->lane, scan->lanes);
        for (uint32_t g = 0; g < groups; g++) {
            copy_tuple(scan, totals[g], inclusive[g]);
            carry_and_total(l, scan, inclusive[g], lane_carries[g], totals[g]);
        }
    }
    if (scan->warp_count)
        KILN_TRY(scan_waves(l, scan, neutral, groups, totals, wave_carries));
    // For each thread's group: all that comes before it, then its own run.
    for (uint32_t a = 0; a < groups >> scan->block_count; a++) {
        kiln_tuple_t running;
        for (uint32_t n = 0; n < 1u << scan->block_count; n++) {
            uint32_t block = scan->reverse ? (1u << scan->block_count) - 1 - n : n,
                     base = kiln_spread_bits(a, apart) | kiln_spread_bits(block, scan->blocks);
            uint32_t g = kiln_gather_bits(base, group_bits);
            kiln_tuple_t carry, joined;
            LLVMValueRef has_carry = NULL; // NULL: always true
            bool any = n > 0;
            if (any)
                copy_tuple(scan, running, carry);
            kiln_tuple_t *more[2] = {scan->warp_count ? &wave_carries[g] : NULL,
                                     scan->lanes ? &lane_carries[g] : NULL};
            LLVMValueRef exists[2] = {has_wave_carry, has_lane_carry};
            for (int level = 0; level < 2; level++) {
                if (level == 1 && inclusive &&
                    any) { // the run's last element needs only the carry before the lanes
                    KILN_TRY(kiln_combine(l, scan->op, carry, inclusive[g], joined));
                    select_tuple(l, scan, has_carry ? has_carry : kiln_emit_i1(l, true), joined,
                                 inclusive[g], inclusive[g]);
                }
                if (!more[level] || (level == 1 && inclusive && run == 1))
                    continue;
                if (!any) {
                    copy_tuple(scan, *more[level], carry);
                    has_carry = exists[level];
                    any = true;
                    continue;
                }
                KILN_TRY(kiln_combine(l, scan->op, carry, *more[level], joined));
                if (has_carry) { // only one of both may exist
                    select_tuple(l, scan, has_carry, joined, *more[level], joined);
                    select_tuple(l, scan, exists[level], joined, carry, carry);
                    has_carry = LLVMBuildOr(l->builder, has_carry, exists[level], "");
                } else if (exists[level]) {
                    select_tuple(l, scan, exists[level], joined, carry, carry);
                } else {
                    copy_tuple(scan, joined, carry);
                }
            }
            for (uint32_t r = 0; (any || inclusive) && r < run; r++) {
                uint32_t at = base | kiln_spread_bits(r, scan->run);
                if (inclusive && r == (scan->reverse ? 0 : run - 1)) {
                    copy_tuple(scan, inclusive[g], values[at]);
                    continue;
                }
                KILN_TRY(kiln_combine(l, scan->op, carry, values[at], joined));
                if (has_carry)
                    select_tuple(l, scan, has_carry, joined, values[at], values[at]);
                else
                    copy_tuple(scan, joined, values[at]);
            }
            if (n == 0)
                copy_tuple(scan, totals[g], running);
            else if (n + 1 < 1u << scan->block_count)
                KILN_TRY(kiln_combine(l, scan->op, running, totals[g], running));
        }
    }
    for (uint32_t r = 0; r < registers; r++)
        if (r & scan->copies)
            copy_tuple(scan, values[kiln_layout_canonical_register(&scan->layout, r)], values[r]);
    return KILN_OK;
}

kiln_status_t kiln_lower_scan(kiln_lowering_t *l, MlirOperation op)
{
    kiln_scan_t scan;
    KILN_TRY(kiln_plan_scan(op, l->num_waves, &scan));
    uint32_t registers = kiln_layout_registers(&scan.layout);
    kiln_tuple_t *values = kiln_lower_arena_alloc(l->arena, sizeof(kiln_tuple_t) * registers);
    for (int i = 0; i < scan.operands; i++) {
        kiln_tile_t *source = kiln_lower_operand(l, op, i);
        if (!source)
            return KILN_OK;
        if (scan.convert) {
            if (i && kiln_layout_conversion_scratch(&scan.given, &scan.layout,
                                                    kiln_type_bits(source->type)))
                kiln_emit_barrier(l);
            KILN_TRY(kiln_convert_operand(l, op, source, &scan.given, &scan.layout, &source));
        }
        for (uint32_t r = 0; r < registers; r++)
            values[r][i] = kiln_tile_value(l, source, r);
    }
    KILN_TRY(scan_registers(l, &scan, values));
    for (int i = 0; i < scan.operands; i++) {
        MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
        kiln_tile_t *result = kiln_tile_create(l, type);
        if (!result)
            return KILN_OK;
        LLVMValueRef *scanned =
            scan.convert ? KILN_LOWER_ARRAY(l, LLVMValueRef, registers) : result->values;
        for (uint32_t r = 0; r < registers; r++)
            scanned[r] = values[r][i];
        if (scan.convert) {
            if (kiln_scan_scratch(&scan))
                kiln_emit_barrier(l);
            KILN_TRY(kiln_lower_convert_values(l, op, type, scanned, &scan.layout, result->values,
                                               &scan.given));
            result->block = LLVMGetInsertBlock(l->builder);
        }
        kiln_lower_bind_result(l, op, i, result);
    }
    return KILN_OK;
}
