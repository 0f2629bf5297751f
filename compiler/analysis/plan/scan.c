// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the layout in which a tile is scanned. A suitable one counts along the axis first through
// some register bits of a thread (a run), then through lanes, then through warps, then through
// further register bits (blocks). Other layouts are converted to such a one, and back.
//
// Large tiles are also converted if that saves code: each run costs an exchange between lanes and
// waves, so a few long runs per thread are better. But the registers that select a round of a
// conversion through LDS must be the same in both layouts, so a few blocks may cost less than none;
// all numbers of blocks are tried.
//
// Note that registers of a run, and of the blocks, must ascend along the axis.
#include "analysis/plan/combine.h"

#include "builder/ir.h"
#include "layout/rearrange.h"

#include <string.h>

static uint32_t axis_mask(const kiln_layout_t *layout, int axis)
{
    return ((1u << layout->log2_shape[axis]) - 1) << kiln_layout_shift(layout, axis);
}

// Sorts the bits along the axis into runs, lanes, warps and blocks; false if they are in another
// order.
static bool sort_bits(kiln_scan_t *scan, int axis)
{
    const kiln_layout_t *layout = &scan->layout;
    uint32_t mask = axis_mask(layout, axis), lowest = 1u << kiln_layout_shift(layout, axis),
             next = lowest;
    int last_place = -1;
    bool in_blocks = false;
    scan->run = scan->blocks = scan->lanes = scan->warps = 0;
    for (; next & mask; next <<= 1) {
        int found_place = -1, found = -1;
        for (int place = 0; place < KILN_PLACES; place++)
            for (int i = 0; i < layout->bits[place]; i++) {
                if (kiln_layout_free_bits(layout, (kiln_place_t)place) >> i & 1)
                    continue;
                uint32_t basis = layout->basis[place][i];
                if ((basis & mask) && (basis & (basis - 1)))
                    return false; // runs diagonally
                if (basis == next) {
                    found_place = place;
                    found = i;
                }
            }
        if (found < 0)
            return false;
        if (found_place == KILN_REGISTER) {
            in_blocks = in_blocks || last_place > KILN_REGISTER;
            *(in_blocks ? &scan->blocks : &scan->run) |= 1u << found;
        } else {
            uint32_t *bits = found_place == KILN_LANE ? &scan->lanes : &scan->warps;
            if (in_blocks || found_place < last_place || *bits >> found)
                return false;
            *bits |= 1u << found;
        }
        last_place = found_place > last_place ? found_place : last_place;
    }
    // Register bits of a run, and of the blocks, must ascend along the axis.
    uint32_t previous = 0;
    for (int i = 0; i < layout->bits[KILN_REGISTER]; i++)
        if ((scan->run | scan->blocks) >> i & 1) {
            if (layout->basis[KILN_REGISTER][i] < previous)
                return false;
            previous = layout->basis[KILN_REGISTER][i];
        }
    return true;
}

// Choosing the layout -----------------------------------------------------------------------------

// The layout in which the 2^blocks parts of an axis follow one another in registers, and a thread
// holds as much of a part contiguously as it can. The other dimensions fill the rest: their lowest
// bits lanes and warps, their highest bits registers.
static kiln_layout_t layout_of_long_runs(const kiln_layout_t *given, int axis, int blocks)
{
    kiln_layout_t layout = *given;
    int shift = kiln_layout_shift(given, axis), length = given->log2_shape[axis], total = 0,
        held[KILN_PLACES] = {0};
    for (int d = 0; d < given->rank; d++)
        total += given->log2_shape[d];
    int threads = layout.bits[KILN_LANE] + layout.bits[KILN_WARP], registers = total - threads,
        run = length < registers ? length - blocks : registers - blocks;
    layout.bits[KILN_REGISTER] = (uint8_t)registers;
    int order[32], count = 0; // bits of the flat index, in order: registers, lanes, warps
    for (int i = 0; i < run; i++)
        order[count++] = shift + i;
    for (int i = total, left = registers - run - blocks; i-- > 0 && left;)
        if (i < shift || i >= shift + length) {
            order[count + --left] = i;
        }
    count = registers - blocks;
    uint32_t taken = 0;
    for (int i = 0; i < count; i++)
        taken |= 1u << order[i];
    for (int i = length - blocks; i < length; i++) {
        order[count++] = shift + i;
        taken |= 1u << (shift + i);
    }
    for (int along = 1; along >= 0; along--)
        for (int i = 0; i < total; i++)
            if (!(taken >> i & 1) && (i >= shift && i < shift + length) == (along != 0))
                order[count++] = i;
    count = 0;
    for (int place = 0; place < KILN_PLACES; place++)
        for (; held[place] < layout.bits[place]; held[place]++)
            layout.basis[place][held[place]] = 1u << order[count++];
    return layout;
}

// Approximate number of instructions for each operand.
static uint32_t scan_cost(const kiln_scan_t *scan)
{
    uint32_t registers = kiln_layout_registers(&scan->layout),
             run = 1u << __builtin_popcount(scan->run);
    uint32_t lanes = (uint32_t)__builtin_popcount(scan->lanes),
             warps = (uint32_t)__builtin_popcount(scan->warps);
    uint32_t exchange = 14 * lanes + (warps ? 3u << warps : 0);
    return registers * (scan->lanes | scan->warps ? 3 : 1) + registers / run * exchange;
}

static uint32_t conversion_cost(const kiln_layout_t *from, const kiln_layout_t *to,
                                int element_bits)
{
    uint32_t from_count = kiln_layout_registers(from), to_count = kiln_layout_registers(to),
             registers = from_count > to_count ? from_count : to_count;
    switch (kiln_layout_plan_conversion(from, to, element_bits).kind) {
    case KILN_CONVERSION_NONE:
    case KILN_CONVERSION_REGISTERS:
        return 0;
    case KILN_CONVERSION_SHUFFLE:
    case KILN_CONVERSION_LDS:
        return 3 * registers;
    case KILN_CONVERSION_STEPS:
        break;
    }
    return 6 * registers;
}

// Chooses the given layout if it can be scanned and no other needs much less code. Tiles of few
// registers keep their layout.
static bool choose_layout(kiln_scan_t *scan, int axis)
{
    enum { FEW_REGISTERS = 128 };
    const kiln_layout_t *given = &scan->given;
    int total = 0, threads = given->bits[KILN_LANE] + given->bits[KILN_WARP];
    for (int d = 0; d < given->rank; d++)
        total += given->log2_shape[d];
    bool found = sort_bits(scan, axis);
    if (!found) {
        scan->convert = true;
        scan->layout = kiln_layout_straighten(given);
        found = sort_bits(scan, axis);
    }
    if (found && kiln_layout_registers(given) < FEW_REGISTERS)
        return true;
    int element_bits = kiln_type_bits(mlirValueGetType(mlirOperationGetOperand(scan->op, 0)));
    uint32_t min = found ? scan_cost(scan) : UINT32_MAX;
    if (found && scan->convert)
        min += conversion_cost(given, &scan->layout, element_bits) +
               conversion_cost(&scan->layout, given, element_bits);
    min = found && !scan->convert ? min / 2 : min;
    int best = -1;
    for (int blocks = 0; blocks <= given->log2_shape[axis] && blocks <= total - threads; blocks++) {
        kiln_scan_t other = *scan;
        other.layout = layout_of_long_runs(given, axis, blocks);
        if (!sort_bits(&other, axis))
            continue;
        uint32_t cost = scan_cost(&other) + conversion_cost(given, &other.layout, element_bits) +
                        conversion_cost(&other.layout, given, element_bits);
        if (cost >= min)
            continue;
        min = cost;
        best = blocks;
    }
    if (best < 0)
        return found;
    scan->convert = true;
    scan->layout = layout_of_long_runs(given, axis, best);
    return sort_bits(scan, axis);
}

// Copies of the region ----------------------------------------------------------------------------

// Approximate number of instructions to combine two elements: calls, transcendental functions and
// divisions take many. Unknown operations count as many.
static uint32_t region_cost(MlirOperation op)
{
    enum { MANY = 16 };
    static const char *const divisions[] = {"arith.div", "arith.ceildiv", "arith.floordiv",
                                            "arith.rem"};
    uint32_t cost = 0;
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
        for (MlirOperation inner = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(inner);
             inner = mlirOperationGetNextInBlock(inner)) {
            const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(inner));
            if (kiln_op_kind(inner) == KILN_OP_TT_SCAN_RETURN)
                continue;
            bool few = name.length > 6 && memcmp(name.data, "arith.", 6) == 0;
            for (size_t i = 0; i < sizeof divisions / sizeof *divisions; i++) {
                const size_t length = strlen(divisions[i]);
                few = few && (name.length < length || memcmp(name.data, divisions[i], length) != 0);
            }
            cost += few ? 1 : MANY;
        }
    return cost;
}

// Consecutive steps between lanes contain the region up to three times each; the loop contains it
// once, but each of its moves goes through LDS, whereas separate steps use the cheapest move for
// each distance. So the region's cost for each step after the first decides.
static bool lanes_in_loop(const kiln_scan_t *scan)
{
    enum { COSTS_MUCH = 32 };
    const uint32_t steps = (uint32_t)__builtin_popcount(scan->lanes);
    return steps > 1 && region_cost(scan->op) * (steps - 1) >= COSTS_MUCH;
}

kiln_status_t kiln_plan_scan(MlirOperation op, int num_warps, kiln_scan_t *scan)
{
    int axis = (int)kiln_ir_int_attr(op, "axis", 0);
    *scan = (kiln_scan_t){.op = op,
                          .exchange.op = op,
                          .operands = (int)mlirOperationGetNumOperands(op),
                          .reverse = kiln_ir_int_attr(op, "reverse", 0) != 0};
    if (scan->operands > KILN_MAX_COMBINED)
        return kiln_op_unsupported(op, "more than %d operands", KILN_MAX_COMBINED);
    KILN_TRY(kiln_layout_of_type(mlirValueGetType(mlirOperationGetOperand(op, 0)), num_warps,
                                 &scan->given));
    scan->layout = scan->given;
    if (!choose_layout(scan, axis))
        return kiln_status_make(KILN_STATUS_INTERNAL, "found no layout to scan along axis %d",
                                axis);
    const kiln_layout_t *layout = &scan->layout;
    scan->copies = kiln_layout_free_bits(layout, KILN_REGISTER);
    scan->warp_count = __builtin_popcount(scan->warps);
    scan->block_count = __builtin_popcount(scan->blocks);
    scan->lanes_in_loop = lanes_in_loop(scan);
    // Registers of a run share a total, so they are not counted.
    int shift = kiln_layout_shift(layout, axis), bits = layout->log2_shape[axis],
        low = scan->warp_count + scan->block_count;
    uint32_t mask = axis_mask(layout, axis), below = (1u << shift) - 1;
    int warp = 0, block = 0, total = low;
    kiln_layout_t *write = &scan->exchange.write, *read = &scan->exchange.read;
    write->rank = read->rank = 1;
    for (int d = 0; d < layout->rank; d++)
        total += d == axis ? 0 : layout->log2_shape[d];
    write->log2_shape[0] = read->log2_shape[0] = (uint8_t)total;
    for (int i = 0; i < scan->warp_count; i++)
        read->basis[KILN_REGISTER][read->bits[KILN_REGISTER]++] = 1u << i;
    for (int place = 0; place < KILN_PLACES; place++)
        for (int i = 0; i < layout->bits[place]; i++) {
            uint32_t basis = layout->basis[place][i], off_axis = basis & ~mask;
            off_axis = ((off_axis & below) | (off_axis >> bits & ~below)) << low;
            if (place == KILN_REGISTER && ((scan->run | scan->copies) >> i & 1))
                continue;
            if (place == KILN_REGISTER && (scan->blocks >> i & 1))
                off_axis = 1u << (scan->warp_count + block++);
            bool is_axis_warp = place == KILN_WARP && (scan->warps >> i & 1);
            write->basis[place][write->bits[place]++] = is_axis_warp ? 1u << warp++ : off_axis;
            read->basis[place][read->bits[place]++] = is_axis_warp ? 0 : off_axis;
        }
    return KILN_OK;
}

uint32_t kiln_scan_scratch(const kiln_scan_t *scan)
{
    uint32_t bytes = scan->warp_count ? kiln_wave_exchange_scratch(&scan->exchange) : 0;
    for (int i = 0; i < scan->operands && scan->convert; i++) {
        int element_bits = kiln_type_bits(mlirValueGetType(mlirOperationGetOperand(scan->op, i)));
        uint32_t there = kiln_layout_conversion_scratch(&scan->given, &scan->layout, element_bits);
        uint32_t back = kiln_layout_conversion_scratch(&scan->layout, &scan->given, element_bits);
        bytes = bytes > there ? bytes : there;
        bytes = bytes > back ? bytes : back;
    }
    return bytes;
}
