// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings about a code object's resources: the operation at which registers are short if the code
// spills, and the resource that is just above the limit for another wave.
//
// The operation is found in the ttg that was lowered: it is the one at which the live tiles take
// the most registers. Note that LLVM also keeps addresses and other scalars in registers and
// reorders instructions, so the sums differ from the registers that it needs.
#include <stdlib.h>

#include "analysis/machine/loop_registers.h"
#include "base/array.h"
#include "base/gfx942.h"
#include "base/string.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "diagnostics/value_text.h"
#include "driver/compile_internal.h"
#include "inspect/occupancy.h"

// Life of values ----------------------------------------------------------------------------------

typedef struct live_range {
    MlirValue value;
    unsigned registers;
    size_t begin, end; // places: operations in program order
} live_range_t;

typedef struct live_ranges {
    int num_warps;
    MlirOperation *ops; // in program order; a loop is followed by its body
    live_range_t *all;
    size_t op_count, op_capacity, count, capacity;
    bool out_of_memory;
} live_ranges_t;

static MlirWalkResult list_op(MlirOperation op, void *user)
{
    live_ranges_t *live_ranges = user;
    if (!KILN_ARRAY_RESERVE(&live_ranges->ops, &live_ranges->op_capacity,
                            live_ranges->op_count + 1)) {
        live_ranges->out_of_memory = true;
        return MlirWalkResultInterrupt;
    }
    live_ranges->ops[live_ranges->op_count++] = op;
    return MlirWalkResultAdvance;
}

static size_t place_of(const live_ranges_t *live_ranges, MlirOperation op)
{
    size_t place = 0;
    while (place < live_ranges->op_count && !mlirOperationEqual(live_ranges->ops[place], op))
        place++;
    return place;
}

static bool is_inside(MlirOperation op, MlirOperation outer)
{
    while (!mlirOperationIsNull(op) && !mlirOperationEqual(op, outer))
        op = kiln_op_parent(op);
    return !mlirOperationIsNull(op);
}

// The last place of an operation and of all that is inside it.
static size_t end_of(const live_ranges_t *live_ranges, size_t place)
{
    size_t end = place;
    while (end + 1 < live_ranges->op_count &&
           is_inside(live_ranges->ops[end + 1], live_ranges->ops[place]))
        end++;
    return end;
}

static bool is_in(MlirOperation op, MlirRegion region)
{
    return mlirRegionEqual(mlirBlockGetParentRegion(mlirOperationGetBlock(op)), region);
}

// A value that is used in a loop inside the region that defines it lives until the loop ends.
static size_t last_use(const live_ranges_t *live_ranges, MlirValue value, MlirBlock home,
                       size_t begin)
{
    const MlirRegion region = mlirBlockGetParentRegion(home);
    size_t last = begin;
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        const bool is_direct = is_in(user, region);
        while (!is_in(user, region))
            user = kiln_op_parent(user);
        const size_t place = place_of(live_ranges, user),
                     at = is_direct ? place : end_of(live_ranges, place);
        last = at > last ? at : last;
    }
    return last;
}

static void add_life(live_ranges_t *live_ranges, MlirValue value, MlirBlock home, size_t begin)
{
    const unsigned registers = kiln_value_registers(value, live_ranges->num_warps);
    if (!registers || live_ranges->out_of_memory)
        return;
    if (!KILN_ARRAY_RESERVE(&live_ranges->all, &live_ranges->capacity, live_ranges->count + 1)) {
        live_ranges->out_of_memory = true;
        return;
    }
    live_ranges->all[live_ranges->count++] =
        (live_range_t){value, registers, begin, last_use(live_ranges, value, home, begin)};
}

static void add_lives(live_ranges_t *live_ranges)
{
    for (size_t place = 0; place < live_ranges->op_count; place++) {
        MlirOperation op = live_ranges->ops[place];
        MlirOperation constant;
        for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
            MlirValue value = mlirOperationGetResult(op, i);
            // Constants are operands of instructions, or created where they are used.
            if (kiln_value_op(value, &constant) != KILN_OP_ARITH_CONSTANT)
                add_life(live_ranges, value, mlirOperationGetBlock(op), end_of(live_ranges, place));
        }
        for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
            MlirBlock body = kiln_op_body(op, (int)r);
            for (intptr_t i = 0; !mlirBlockIsNull(body) && i < mlirBlockGetNumArguments(body); i++)
                add_life(live_ranges, mlirBlockGetArgument(body, i), body, place);
        }
    }
}

// An operation's results may take the registers of its operands, and live only after it.
static bool is_alive(const live_range_t *live_range, size_t place)
{
    return live_range->begin < place && place <= live_range->end;
}

static unsigned registers_at(const live_ranges_t *live_ranges, size_t place)
{
    unsigned sum = 0;
    for (size_t i = 0; i < live_ranges->count; i++)
        if (is_alive(&live_ranges->all[i], place))
            sum += live_ranges->all[i].registers;
    return sum;
}

static int largest_first(const void *a, const void *b)
{
    const live_range_t *x = a, *y = b;
    if (x->registers != y->registers)
        return x->registers < y->registers ? 1 : -1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

// The rules ---------------------------------------------------------------------------------------

static void report_peak(kiln_compilation_t *c, live_ranges_t *live_ranges)
{
    enum { MAX_LISTED = 5 };
    const kiln_resources_t *r = &c->kernel->resources;
    const int waves = live_ranges->num_warps;
    size_t peak = 0;
    unsigned max = 0;
    for (size_t place = 0; place < live_ranges->op_count; place++) {
        const unsigned here = registers_at(live_ranges, place);
        if (here > max) {
            max = here;
            peak = place;
        }
    }
    if (!max)
        return;
    MlirOperation op = live_ranges->ops[peak];
    qsort(live_ranges->all, live_ranges->count, sizeof *live_ranges->all, largest_first);
    kiln_string_t seen = {0};
    kiln_string_appendf(
        &seen,
        "registers are short here: the kernel spills %u vector registers; the tiles "
        "that are alive take %u of the %d that a lane can have:",
        r->vgpr_spills, max,
        waves > KILN_GFX942_SIMDS ? KILN_GFX942_SIMD_VGPRS * KILN_GFX942_SIMDS / waves
                                  : KILN_GFX942_SIMD_VGPRS);
    int listed = 0;
    for (size_t i = 0; i < live_ranges->count && listed < MAX_LISTED; i++) {
        const live_range_t *live_range = &live_ranges->all[i];
        if (!is_alive(live_range, peak))
            continue;
        kiln_string_append(&seen, listed++ ? ", " : " ");
        kiln_append_value(&seen, live_range->value);
        kiln_string_appendf(&seen, " %u", live_range->registers);
    }
    kiln_session_find_text(c->session, KILN_WARNING_REGISTER_PRESSURE, op, &seen, NULL);
    kiln_string_free(&seen);
}

static void find_peak(kiln_compilation_t *c)
{
    live_ranges_t live_ranges = {.num_warps = (int)(c->kernel->block_size / KILN_GFX942_LANES)};
    kiln_walk(mlirModuleGetOperation(c->module), MlirWalkPreOrder, list_op, &live_ranges);
    if (!live_ranges.out_of_memory)
        add_lives(&live_ranges);
    if (!live_ranges.out_of_memory)
        report_peak(c, &live_ranges);
    c->kernel->out_of_memory |= live_ranges.out_of_memory;
    free(live_ranges.ops);
    free(live_ranges.all);
}

static MlirOperation kernel_function(const kiln_compilation_t *c)
{
    MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(c->module));
    while (!mlirOperationIsNull(op) && kiln_op_kind(op) != KILN_OP_TT_FUNC)
        op = mlirOperationGetNextInBlock(op);
    return op;
}

// A far step is only reported of a launch that gains by it (cli/findings/clock_whole.c).
static void find_next_step(kiln_compilation_t *c)
{
    const kiln_resources_t *r = &c->kernel->resources;
    kiln_occupancy_limits_t limits;
    kiln_occupancy_limits(r->vgprs, r->agprs, r->sgprs, r->lds_bytes,
                          c->kernel->block_size / KILN_GFX942_LANES, &limits);
    MlirOperation function = kernel_function(c);
    if (!kiln_occupancy_is_near(&limits) || mlirOperationIsNull(function))
        return;
    kiln_string_t seen = {0}, advice = {0};
    kiln_occupancy_describe(&limits, &seen, &advice);
    seen.failed |= advice.failed;
    kiln_session_find_text(c->session, KILN_WARNING_OCCUPANCY, function, &seen, advice.data);
    kiln_string_free(&seen);
    kiln_string_free(&advice);
}

void kiln_compile_find_registers(kiln_compilation_t *c, bool spills_cost)
{
    const kiln_warnings_t *warnings = &c->diagnostics->searched;
    if (spills_cost && c->kernel->resources.vgpr_spills &&
        kiln_warning_is_enabled(warnings, KILN_WARNING_REGISTER_PRESSURE))
        find_peak(c);
    if (kiln_warning_is_enabled(warnings, KILN_WARNING_OCCUPANCY))
        find_next_step(c);
}
