// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans gathers, histograms and atomics; see index.h.
//
// Note that conversions before or after the windows use the same scratch.
#include "analysis/plan/index.h"

#include "base/gfx942.h"
#include "builder/ir.h"
#include "layout/lds.h"
#include "layout/rearrange.h"

enum {
    GATHER_AT_ONCE = KILN_GFX942_LDS_BYTES, // bytes: a larger source is processed window by window
    GATHER_WINDOW = GATHER_AT_ONCE / 2,
    BINS_AT_ONCE = KILN_GFX942_LDS_BYTES / KILN_COUNTER_BYTES,
    BINS_WINDOW = BINS_AT_ONCE / 2,
};

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

kiln_status_t kiln_plan_gather(MlirOperation op, int num_warps, kiln_gather_plan_t *out)
{
    MlirType source = mlirValueGetType(kiln_op_operand(op, 0));
    *out = (kiln_gather_plan_t){.element_bytes =
                                    (uint32_t)kiln_lds_element_bytes(kiln_type_bits(source))};
    KILN_TRY(kiln_layout_of_type(source, num_warps, &out->given));
    uint64_t bytes = (uint64_t)kiln_type_count(source) * out->element_bytes;
    if (bytes <= GATHER_AT_ONCE) {
        out->rows = out->given;
        out->scratch = (uint32_t)bytes;
        return KILN_OK;
    }
    out->rows = kiln_layout_in_windows(&out->given);
    out->window = GATHER_WINDOW;
    out->scratch = larger(GATHER_WINDOW, kiln_layout_conversion_scratch(&out->given, &out->rows,
                                                                        kiln_type_bits(source)));
    return KILN_OK;
}

// Whether the register alone determines the window of an element, with the same places in all
// windows.
static bool registers_determine_window(const kiln_layout_t *layout, uint32_t window)
{
    for (int place = 0; place < KILN_PLACES; place++)
        for (int i = 0; i < layout->bits[place]; i++) {
            uint32_t basis = layout->basis[place][i];
            if (basis >= window && (place != KILN_REGISTER || (basis & (window - 1))))
                return false;
        }
    return true;
}

kiln_status_t kiln_plan_histogram(MlirOperation op, int num_warps, kiln_histogram_plan_t *out)
{
    MlirType result = mlirValueGetType(kiln_op_result(op, 0));
    uint32_t bins = (uint32_t)kiln_type_count(result),
             window = bins > BINS_AT_ONCE ? BINS_WINDOW : bins;
    *out = (kiln_histogram_plan_t){.bins = bins,
                                   .window = window,
                                   .rounds = bins / window,
                                   .scratch = window * KILN_COUNTER_BYTES};
    KILN_TRY(kiln_layout_of_type(result, num_warps, &out->given));
    out->counters = out->given;
    if (out->rounds > 1 && !registers_determine_window(&out->given, window)) {
        out->convert = true;
        out->counters = kiln_layout_in_windows(&out->given);
        out->scratch =
            larger(out->scratch, kiln_layout_conversion_scratch(&out->counters, &out->given,
                                                                8 * KILN_COUNTER_BYTES));
    }
    return KILN_OK;
}

kiln_status_t kiln_plan_atomic(MlirOperation op, int num_warps, kiln_atomic_plan_t *out)
{
    MlirValue old = kiln_op_result(op, 0);
    MlirType type = mlirValueGetType(old);
    bool copies_differ = true, is_tensor = kiln_type_is_tensor(type);
    *out = (kiln_atomic_plan_t){
        .places = {.rank = 1, .bits = {0, 6, (uint8_t)__builtin_ctz((unsigned)num_warps)}}};
    if (is_tensor) {
        KILN_TRY(kiln_layout_of_type(type, num_warps, &out->places));
        copies_differ = kiln_layout_free_bits(&out->places, KILN_LANE) ||
                        kiln_layout_free_bits(&out->places, KILN_WARP);
    }
    // A poll without a time limit gives all threads the same result.
    bool one_answer =
        kiln_op_kind(op) == KILN_OP_TT_ATOMIC_POLL && mlirOperationGetNumOperands(op) < 3;
    out->shares = copies_differ && kiln_value_has_uses(old) && !one_answer;
    if (out->shares)
        out->scratch = (uint32_t)kiln_type_count(type) *
                       (uint32_t)kiln_lds_element_bytes(kiln_type_bits(type));
    return KILN_OK;
}

bool kiln_atomic_takes_pairs(MlirOperation op)
{
    enum { FADD = 5 };
    if (kiln_op_kind(op) != KILN_OP_TT_ATOMIC_RMW ||
        kiln_ir_int_attr(op, "atomic_rmw_op", 0) != FADD ||
        kiln_value_has_uses(kiln_op_result(op, 0)))
        return false;
    const MlirType type = mlirValueGetType(kiln_op_operand(op, 1));
    return kiln_type_is_tensor(type) && kiln_type_bits(type) == 16;
}
