// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tt.histogram: counts by atomic additions in LDS, in 32 bits for every result type.
//
// If the bins do not fit into LDS they are counted window by window: each round reads all values
// and counts those in its bins. Few rounds are unrolled, and each leaves its counters in registers.
// Many rounds are a loop, which cannot index registers at run time and leaves the counters in an
// array in scratch memory.
//
// Note that copies of an element must not be counted twice.
#include "analysis/plan/index.h"
#include "layout/rearrange.h"
#include "lds.h"
#include "lower/emit.h"
#include "lower/layouts/convert.h"
#include "lower/tile.h"

enum {
    MANY_BRANCHES = 32,   // LLVM's compile time per branch grows with their number
    MANY_ADDITIONS = 256, // in all unrolled rounds; with more they become a loop
};

// Counting ----------------------------------------------------------------------------------------

// Each register's bin; values that are not counted get a bin that is in no window.
static LLVMValueRef *find_bins(kiln_lowering_t *l, const kiln_histogram_plan_t *histogram,
                               kiln_tile_t *source, kiln_tile_t *mask)
{
    LLVMValueRef *bins = KILN_LOWER_ARRAY(l, LLVMValueRef, source->count),
                 nowhere = LLVMConstAllOnes(l->i32),
                 first = kiln_emit_is_first_replica(l, source->layout);
    uint32_t copies = kiln_layout_free_bits(source->layout, KILN_REGISTER);
    for (uint32_t r = 0; r < source->count; r++) {
        if (r & copies)
            continue;
        LLVMValueRef value = kiln_tile_value(l, source, r), counts = first;
        LLVMTypeRef type = LLVMTypeOf(value);
        bins[r] = LLVMBuildIntCast2(l->builder, value, l->i32, 0, "");
        if (mask) {
            LLVMValueRef wanted = kiln_tile_value(l, mask, r);
            counts = counts ? LLVMBuildAnd(l->builder, counts, wanted, "") : wanted;
        }
        if (kiln_llvm_bits(type) > 32) {
            LLVMValueRef small = LLVMBuildICmp(l->builder, LLVMIntULT, value,
                                               LLVMConstInt(type, histogram->bins, 0), "");
            counts = counts ? LLVMBuildAnd(l->builder, counts, small, "") : small;
        }
        if (counts)
            bins[r] = LLVMBuildSelect(l->builder, counts, bins[r], nowhere, "");
    }
    return bins;
}

static void add_to_bin(kiln_lowering_t *l, LLVMValueRef bin, LLVMValueRef value, uint32_t offset)
{
    unsigned scope = LLVMGetSyncScopeID(l->context, "workgroup", 9);
    kiln_sum_t place = kiln_sum_scale(l, kiln_sum_of(bin, false), KILN_COUNTER_BYTES, l->i32);
    place.imm += offset;
    LLVMBuildAtomicRMWSyncScope(l->builder, LLVMAtomicRMWBinOpAdd, kiln_lds_pointer(l, place),
                                value, LLVMAtomicOrderingMonotonic, scope);
}

static void count_window(kiln_lowering_t *l, const kiln_histogram_plan_t *histogram,
                         LLVMValueRef *bins, uint32_t count, LLVMValueRef window, uint32_t offset)
{
    LLVMValueRef inside = kiln_emit_i32(l, histogram->window - 1),
                 shift = kiln_emit_i32(l, __builtin_ctz(histogram->window)),
                 idle = LLVMBuildAnd(l->builder, l->lane, inside, "");
    for (uint32_t r = 0; r < count; r++) {
        if (!bins[r])
            continue;
        LLVMValueRef counts = LLVMBuildICmp(
            l->builder, LLVMIntEQ, LLVMBuildLShr(l->builder, bins[r], shift, ""), window, "");
        LLVMValueRef place = LLVMBuildAnd(l->builder, bins[r], inside, "");
        if (count * histogram->rounds >
            MANY_BRANCHES) { // lanes that don't count add zero, to different counters
            place = LLVMBuildSelect(l->builder, counts, place, idle, "");
            add_to_bin(l, place, LLVMBuildZExt(l->builder, counts, l->i32, ""), offset);
            continue;
        }
        LLVMBasicBlockRef body = kiln_emit_block(l, "count"), after = kiln_emit_block(l, "counted");
        LLVMBuildCondBr(l->builder, counts, body, after);
        LLVMPositionBuilderAtEnd(l->builder, body);
        add_to_bin(l, place, kiln_emit_i32(l, 1), offset);
        LLVMBuildBr(l->builder, after);
        LLVMPositionBuilderAtEnd(l->builder, after);
    }
}

// Rounds ------------------------------------------------------------------------------------------

typedef struct rounds {
    const kiln_histogram_plan_t *histogram;
    LLVMValueRef *bins, *zeros;
    uint32_t source_count, offset;
    kiln_lds_transfer_t clear, read;
} rounds_t;

// Clears and counts one window, and writes its counters to the registers of window
// `read.window_index`.
static void emit_round(kiln_lowering_t *l, const rounds_t *rounds, LLVMValueRef window,
                       LLVMValueRef *counters)
{
    kiln_lds_store(l, &rounds->clear, rounds->zeros);
    kiln_emit_barrier(l);
    count_window(l, rounds->histogram, rounds->bins, rounds->source_count, window, rounds->offset);
    kiln_emit_barrier(l);
    kiln_lds_load(l, &rounds->read, counters);
}

// All windows as one loop. Its counters go through an array: first the registers of the first
// window, then those of the next.
static void emit_loop(kiln_lowering_t *l, const rounds_t *rounds, LLVMValueRef *counters)
{
    const kiln_layout_t *layout = &rounds->histogram->counters;
    uint32_t registers = kiln_layout_registers(layout), in_window = 0, held = 0,
             shift = (uint32_t)__builtin_ctz(rounds->histogram->window);
    for (int i = 0; i < layout->bits[KILN_REGISTER]; i++)
        in_window |= layout->basis[KILN_REGISTER][i] < rounds->histogram->window ? 1u << i : 0;
    uint32_t *place = KILN_LOWER_ARRAY(l, uint32_t, registers); // of a register of the first window
    for (uint32_t r = 0; r < registers; r++)
        if (!(r & ~in_window))
            place[r] = held++;
    LLVMValueRef array = LLVMBuildAlloca(
        l->entry, LLVMArrayType2(l->i32, (uint64_t)held * rounds->histogram->rounds), "");

    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder), body = kiln_emit_block(l, "window"),
                      after = kiln_emit_block(l, "windows");
    LLVMBuildBr(l->builder, body);
    LLVMPositionBuilderAtEnd(l->builder, body);
    LLVMValueRef window = LLVMBuildPhi(l->builder, l->i32, ""), none = kiln_emit_i32(l, 0);
    emit_round(l, rounds, window, counters);
    LLVMValueRef row = LLVMBuildMul(l->builder, window, kiln_emit_i32(l, held), "");
    for (uint32_t r = 0; r < registers; r++) {
        if (r & ~in_window)
            continue;
        LLVMValueRef index = LLVMBuildAdd(l->builder, row, kiln_emit_i32(l, place[r]), "");
        LLVMBuildStore(l->builder, counters[r],
                       LLVMBuildInBoundsGEP2(l->builder, l->i32, array, &index, 1, ""));
    }
    kiln_emit_barrier(l);
    LLVMValueRef next = LLVMBuildAdd(l->builder, window, kiln_emit_i32(l, 1), "");
    LLVMValueRef more = LLVMBuildICmp(l->builder, LLVMIntULT, next,
                                      kiln_emit_i32(l, rounds->histogram->rounds), "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->builder);
    LLVMAddIncoming(window, &none, &before, 1);
    LLVMAddIncoming(window, &next, &latch, 1);
    LLVMBuildCondBr(l->builder, more, body, after);

    LLVMPositionBuilderAtEnd(l->builder, after);
    for (uint32_t r = 0; r < registers; r++) {
        LLVMValueRef index = kiln_emit_i32(l, (kiln_layout_apply(layout, r, 0, 0) >> shift) * held +
                                                  place[r & in_window]);
        LLVMValueRef pointer = LLVMBuildInBoundsGEP2(l->builder, l->i32, array, &index, 1, "");
        counters[r] = LLVMBuildLoad2(l->builder, l->i32, pointer, "");
    }
}

kiln_status_t kiln_lower_histogram(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *source = kiln_lower_operand(l, op, 0),
                *mask = mlirOperationGetNumOperands(op) > 1 ? kiln_lower_operand(l, op, 1) : NULL;
    MlirType result_type = mlirValueGetType(mlirOperationGetResult(op, 0));
    kiln_tile_t *result = kiln_tile_create(l, result_type);
    kiln_histogram_plan_t histogram;
    uint32_t offset;
    if (l->failure || !source || !result)
        return KILN_OK;
    KILN_TRY(kiln_plan_histogram(op, l->num_waves, &histogram));
    KILN_TRY(kiln_lower_scratch(op, &offset));
    kiln_layout_t map = kiln_layout_row_major(&histogram.counters);
    rounds_t rounds = {
        .histogram = &histogram,
        .source_count = source->count,
        .offset = offset,
        .read = {.map = &map,
                 .base = {NULL, NULL, offset},
                 .element = l->i32,
                 .window = histogram.rounds > 1 ? histogram.window : 0},
    };
    kiln_lds_begin(l, &rounds.read);
    rounds.clear = rounds.read;
    rounds.clear.predicate = kiln_lds_writer(l, &histogram.counters);
    rounds.bins = find_bins(l, &histogram, source, mask);
    uint32_t registers = kiln_layout_registers(&histogram.counters);
    rounds.zeros = KILN_LOWER_ARRAY(l, LLVMValueRef, registers);
    for (uint32_t r = 0; r < registers; r++)
        rounds.zeros[r] = LLVMConstNull(l->i32);

    LLVMValueRef *counters = KILN_LOWER_ARRAY(l, LLVMValueRef, registers);
    if (histogram.rounds > 1 && source->count * histogram.rounds > MANY_ADDITIONS)
        emit_loop(l, &rounds, counters);
    else
        for (uint32_t w = 0; w < histogram.rounds; w++) {
            if (w)
                kiln_emit_barrier(l);
            rounds.clear.window_index = rounds.read.window_index = w;
            emit_round(l, &rounds, kiln_emit_i32(l, w), counters);
        }
    if (histogram.convert) {
        LLVMValueRef *wanted = KILN_LOWER_ARRAY(l, LLVMValueRef, result->count);
        kiln_emit_barrier(l); // the next round reuses the scratch
        KILN_TRY(kiln_lower_convert_values(l, op, result_type, counters, &histogram.counters,
                                           wanted, &histogram.given));
        counters = wanted;
    }
    for (uint32_t r = 0; r < result->count; r++)
        result->values[r] = LLVMBuildIntCast2(l->builder, counters[r], result->element, 0, "");
    result->block = LLVMGetInsertBlock(l->builder);
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}
