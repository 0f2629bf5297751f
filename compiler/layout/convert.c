// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the cheapest conversion between two layouts: none, register moves within a thread, moves
// between lanes, or LDS, in several passes if the value is too large for one.
//
// Note that comparing vectors for equality is not enough. It matters whether the element of a
// destination place is in the span of the source's registers (then the same thread has it), or of
// its registers and lanes (then the same warp has it).
#include "layout/convert.h"

#include "layout/lds.h"
#include "layout/span.h"

// A copy of a thread, or a cross-lane move, in cycles of a wave: only the order of magnitude
// matters.
enum { SELECT_CYCLES = 4, LANE_MOVE_CYCLES = 8, LDS_ROUND_TRIP_CYCLES = 200 };

static bool same_vectors(const kiln_layout_t *a, const kiln_layout_t *b, kiln_place_t place)
{
    if (a->bits[place] != b->bits[place])
        return false;
    for (int i = 0; i < a->bits[place]; i++)
        if (a->basis[place][i] != b->basis[place][i])
            return false;
    return true;
}

static bool only_registers_differ(const kiln_layout_t *source, const kiln_layout_t *destination)
{
    if (!same_vectors(source, destination, KILN_LANE) ||
        !same_vectors(source, destination, KILN_WARP))
        return false;
    kiln_span_t registers = {0};
    for (int i = 0; i < source->bits[KILN_REGISTER]; i++)
        kiln_span_insert(&registers, source->basis[KILN_REGISTER][i]);
    for (int i = 0; i < destination->bits[KILN_REGISTER]; i++)
        if (!kiln_span_has(&registers, destination->basis[KILN_REGISTER][i]))
            return false;
    return true;
}

// Shuffle -----------------------------------------------------------------------------------------

// The vectors that a warp of the source can reach; tags: registers in bits 0–31, lanes in bits
// 32–63.
typedef struct reach {
    kiln_span_t registers, lanes, both;
} reach_t;

static reach_t reach_of(const kiln_layout_t *source)
{
    reach_t reach = {0};
    for (int i = 0; i < source->bits[KILN_REGISTER]; i++) {
        kiln_span_insert_tagged(&reach.registers, source->basis[KILN_REGISTER][i], 1ull << i);
        kiln_span_insert_tagged(&reach.both, source->basis[KILN_REGISTER][i], 1ull << i);
    }
    for (int i = 0; i < source->bits[KILN_LANE]; i++) {
        kiln_span_insert_tagged(&reach.lanes, source->basis[KILN_LANE][i], 1ull << (32 + i));
        kiln_span_insert_tagged(&reach.both, source->basis[KILN_LANE][i], 1ull << (32 + i));
    }
    return reach;
}

// Where the warp holds `wanted`. Registers alone are the cheapest solution for a register bit,
// lanes alone for a lane or warp bit.
static bool find(const reach_t *reach, uint32_t wanted, kiln_place_t place, uint64_t *tag)
{
    const kiln_span_t *first = place == KILN_REGISTER ? &reach->registers : &reach->lanes;
    const kiln_span_t *second = place == KILN_REGISTER ? &reach->lanes : &reach->registers;
    return kiln_span_solve(first, wanted, tag) || kiln_span_solve(second, wanted, tag) ||
           kiln_span_solve(&reach->both, wanted, tag);
}

static bool plan_shuffle(const kiln_layout_t *source, const kiln_layout_t *destination,
                         kiln_shuffle_t *out)
{
    if (source->bits[KILN_LANE] != destination->bits[KILN_LANE] ||
        source->bits[KILN_WARP] != destination->bits[KILN_WARP])
        return false;
    *out = (kiln_shuffle_t){0};
    reach_t reach = reach_of(source);
    for (int p = 0; p < KILN_PLACES; p++) {
        for (int i = 0; i < destination->bits[p]; i++) {
            uint32_t wanted = destination->basis[p][i];
            uint32_t own = p == KILN_REGISTER
                               ? 0
                               : source->basis[p][i]; // the contribution of the same lane, or warp
            uint64_t tag = 0;
            if (p == KILN_LANE &&
                (own == wanted || (!kiln_span_has(&reach.lanes, wanted) &&
                                   kiln_span_solve(&reach.registers, wanted ^ own, &tag)))) {
                tag |= 1ull << (32 + i); // the lane stays
            } else if (!find(&reach, p == KILN_WARP ? wanted ^ own : wanted, (kiln_place_t)p,
                             &tag)) {
                return false;
            }
            out->source_register[p][i] = (uint32_t)tag;
            out->source_lane[p][i] = (uint32_t)(tag >> 32);
            out->crosses_lanes |= out->source_lane[p][i] != (p == KILN_LANE ? 1u << i : 0);
        }
    }
    return true;
}

// log2 of how many source registers one destination register needs, over the lanes.
static int lane_dependence(const kiln_shuffle_t *shuffle)
{
    kiln_span_t span = {0};
    for (int i = 0; i < KILN_LAYOUT_MAX_BITS; i++)
        kiln_span_insert(&span, shuffle->source_register[KILN_LANE][i]);
    return span.dimension;
}

static long used_registers(const kiln_layout_t *layout)
{
    int copies = __builtin_popcount(kiln_layout_free_bits(layout, KILN_REGISTER));
    return 1l << (layout->bits[KILN_REGISTER] - copies);
}

static long shuffle_cycles(const kiln_shuffle_t *shuffle, const kiln_layout_t *destination,
                           int element_bits)
{
    long dwords = element_bits <= 32 ? 1 : element_bits / 32;
    long candidates = 1l << lane_dependence(shuffle);
    long moves = shuffle->crosses_lanes ? candidates * LANE_MOVE_CYCLES : 0;
    return used_registers(destination) * dwords * (moves + (candidates - 1) * SELECT_CYCLES);
}

// The choice --------------------------------------------------------------------------------------

long kiln_lds_side_cycles(const kiln_layout_t *side, const kiln_layout_t *lds, int element_bits,
                          kiln_lds_direction_t direction)
{
    kiln_layout_t map = kiln_layout_to_lds(side, lds);
    long accesses = used_registers(side) / kiln_layout_lds_access(&map, element_bits).vector;
    return (accesses > 0 ? accesses : 1) * kiln_lds_cycles(&map, element_bits, direction);
}

static void plan_steps(const kiln_layout_t *source, const kiln_layout_t *destination,
                       int element_bits, kiln_conversion_t *plan)
{
    plan->kind = KILN_CONVERSION_STEPS;
    plan->step = kiln_layout_step_towards(source, destination, element_bits);
    kiln_conversion_t first = kiln_layout_plan_conversion(source, &plan->step, element_bits),
                      rest = kiln_layout_plan_conversion(&plan->step, destination, element_bits);
    uint32_t element = (uint32_t)kiln_lds_element_bytes(element_bits),
             needed = kiln_conversion_scratch_bytes(&first, element_bits) / element,
             then = kiln_conversion_scratch_bytes(&rest, element_bits) / element;
    plan->lds_elements = needed > then ? needed : then;
}

kiln_conversion_t kiln_layout_plan_conversion(const kiln_layout_t *source,
                                              const kiln_layout_t *destination, int element_bits)
{
    kiln_conversion_t plan = {.kind = KILN_CONVERSION_NONE};
    if (kiln_layout_equal(source, destination))
        return plan;
    plan.kind = KILN_CONVERSION_REGISTERS;
    if (only_registers_differ(source, destination))
        return plan;
    bool in_warp = plan_shuffle(source, destination, &plan.shuffle);
    if (in_warp && !plan.shuffle.crosses_lanes && lane_dependence(&plan.shuffle) <= 1) {
        plan.kind = KILN_CONVERSION_SHUFFLE;
        return plan;
    }
    plan.kind = KILN_CONVERSION_LDS;
    if (!kiln_plan_lds(source, destination, element_bits, &plan)) {
        if (in_warp && lane_dependence(&plan.shuffle) == 0)
            plan.kind = KILN_CONVERSION_SHUFFLE;
        else
            plan_steps(source, destination, element_bits, &plan);
        return plan;
    }
    if (!in_warp)
        return plan;
    long lds_cycles = kiln_lds_side_cycles(source, &plan.lds, element_bits, KILN_LDS_WRITE) +
                      kiln_lds_side_cycles(destination, &plan.lds, element_bits, KILN_LDS_READ) +
                      ((long)LDS_ROUND_TRIP_CYCLES << plan.repetitions_log2);
    if (shuffle_cycles(&plan.shuffle, destination, element_bits) <= lds_cycles)
        plan.kind = KILN_CONVERSION_SHUFFLE;
    return plan;
}

uint32_t kiln_conversion_scratch_bytes(const kiln_conversion_t *conversion, int element_bits)
{
    if (conversion->kind != KILN_CONVERSION_LDS && conversion->kind != KILN_CONVERSION_STEPS)
        return 0;
    return conversion->lds_elements * (uint32_t)kiln_lds_element_bytes(element_bits);
}

uint32_t kiln_layout_conversion_scratch(const kiln_layout_t *source,
                                        const kiln_layout_t *destination, int element_bits)
{
    kiln_conversion_t plan = kiln_layout_plan_conversion(source, destination, element_bits);
    return kiln_conversion_scratch_bytes(&plan, element_bits);
}
