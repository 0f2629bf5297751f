// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See step_model.h.
#include "passes/pipelining/step_model.h"

#include <limits.h>
#include <stdlib.h>

#include "analysis/machine/co_residency.h"
#include "analysis/machine/register_fit.h"
#include "analysis/plan/scratch.h"
#include "base/array.h"
#include "base/gfx942.h"
#include "builder/ir.h"
#include "builder/op_facts.h"

// Operations --------------------------------------------------------------------------------------

kiln_modulo_op_t kiln_step_op(MlirOperation op, int num_warps)
{
    static const int latency[] = {
        [KILN_UNIT_MATRIX] = 16 * KILN_GFX942_MFMA_PASS_CYCLES, // of the longest instruction
        [KILN_UNIT_VECTOR] = 2 * KILN_GFX942_VALU_CYCLES,
        [KILN_UNIT_LDS] = KILN_GFX942_LDS_LATENCY,
    };
    kiln_modulo_op_t own = {.unit = KILN_NO_UNIT};
    const kiln_step_cycles_t cycles = kiln_op_cycles(op, num_warps);
    const int64_t most = kiln_step_cycles_least(&cycles);
    if (most > 0) {
        own.unit = most == cycles.matrix   ? KILN_UNIT_MATRIX
                   : most == cycles.vector ? KILN_UNIT_VECTOR
                                           : KILN_UNIT_LDS;
        own.cycles = (int)(most < INT_MAX ? most : INT_MAX);
        own.latency = latency[own.unit] + (int)cycles.waits;
    } else if (kiln_op_loads_tensor(op)) {
        own.latency = KILN_GFX942_L2_LATENCY;
    }
    return own;
}

// Whether the operation is a dot that adds its product to the value.
static bool is_sum(MlirOperation op, MlirValue value)
{
    return mlirValueEqual(kiln_op_operand(op, 2), value) &&
           !mlirValueEqual(kiln_op_operand(op, 0), value) &&
           !mlirValueEqual(kiln_op_operand(op, 1), value);
}

// A reduction is known at its end, a conversion may pass LDS, and a dot adds up along K; but its
// reads of LDS are issued in the order in which it uses them.
bool kiln_step_flows(const kiln_loop_schedule_t *schedule, int op, const kiln_modulo_op_t *measured,
                     int user, MlirValue value)
{
    const kiln_op_t kind = kiln_op_kind(schedule->ops[op].op);
    MlirOperation used_by = schedule->ops[user].op;
    return kind != KILN_OP_TT_REDUCE && kind != KILN_OP_TTG_CONVERT_LAYOUT &&
           (kiln_op_kind(used_by) != KILN_OP_TT_DOT || is_sum(used_by, value) ||
            measured->unit == KILN_UNIT_LDS);
}

// A step of a wave alone --------------------------------------------------------------------------

typedef struct step {
    const kiln_loop_schedule_t *schedule;
    kiln_modulo_op_t *ops;
    kiln_modulo_edge_t *edges; // within the step
    int edge_count;
    size_t edge_capacity;
    bool is_used; // whether the operation that is visited has a use in the step
    bool out_of_memory;
} step_t;

static bool add_edge(int op, int user, MlirValue value, bool is_later, void *context)
{
    step_t *step = context;
    const kiln_loop_schedule_t *schedule = step->schedule;
    if (op == user || schedule->ops[op].stage != schedule->ops[user].stage + is_later)
        return true;
    if (!KILN_ARRAY_RESERVE(&step->edges, &step->edge_capacity, (size_t)step->edge_count + 1)) {
        step->out_of_memory = true;
        return false;
    }
    step->edges[step->edge_count++] = (kiln_modulo_edge_t){
        op, user, 0, kiln_step_flows(schedule, op, &step->ops[op], user, value)};
    step->is_used = true;
    return true;
}

// Sets *out to the cycles from the begin of a step to its end, if a wave does not wait for others.
static kiln_status_t step_length(const kiln_loop_schedule_t *schedule, int num_warps, int *out)
{
    step_t step = {.schedule = schedule};
    step.ops = calloc((size_t)schedule->count + 1, sizeof *step.ops);
    step.out_of_memory = !step.ops;
    for (int op = 0; op < schedule->count && !step.out_of_memory; op++) {
        step.ops[op] = kiln_step_op(schedule->ops[op].op, num_warps);
        step.is_used = false;
        kiln_loop_schedule_visit_uses(schedule, op, add_edge, &step);
        if (!step.is_used)
            step.ops[op].latency = 0; // it overlaps with the next step
    }
    const kiln_modulo_loop_t loop = {step.ops, step.edges, schedule->count, step.edge_count};
    kiln_status_t status =
        step.out_of_memory ? kiln_status_out_of_memory() : kiln_modulo_length(&loop, out);
    free(step.edges);
    free(step.ops);
    return status;
}

// Barriers ----------------------------------------------------------------------------------------

// Two accesses of a buffer by different waves, in the order of time: a barrier must lie between.
typedef struct hazard {
    int64_t place, before; // of the second in a step; the operations since the first
} hazard_t;

typedef struct hazards {
    const kiln_loop_schedule_t *schedule;
    const kiln_loop_buffer_t *buffer;
    hazard_t *list;
    int count;
    size_t capacity;
    bool out_of_memory;
} hazards_t;

static void add_hazard(hazards_t *h, int64_t from, int64_t to)
{
    if (!KILN_ARRAY_RESERVE(&h->list, &h->capacity, (size_t)h->count + 1)) {
        h->out_of_memory = true;
        return;
    }
    h->list[h->count++] = (hazard_t){to % h->schedule->count, to - from};
}

// The time of an operation of iteration 0, in operations.
static int64_t time_of(const kiln_loop_schedule_t *schedule, int op)
{
    return (int64_t)schedule->ops[op].stage * schedule->count + schedule->ops[op].place;
}

// Each read comes after the write of the same iteration, and before that of the slot's next one.
static bool add_read(int op, int user, MlirValue value, bool is_later, void *context)
{
    (void)op;
    (void)value;
    hazards_t *h = context;
    const int64_t write = time_of(h->schedule, h->buffer->op),
                  read = time_of(h->schedule, user) + (int64_t)is_later * h->schedule->count;
    add_hazard(h, write, read);
    add_hazard(h, read, write + (int64_t)h->buffer->slots * h->schedule->count);
    return !h->out_of_memory;
}

static bool has_barrier(MlirOperation op, int num_warps)
{
    return kiln_largest_scratch(op, num_warps, NULL, NULL) > 0;
}

// Sets *out to the number of barriers that a step needs besides those in its operations: each is
// placed before the first access that needs it (place_barriers.c).
static kiln_status_t count_barriers(const kiln_loop_schedule_t *schedule, int num_warps, int *out)
{
    enum { STEPS = 3 }; // in the last one, barriers repeat
    hazards_t h = {.schedule = schedule};
    int64_t last = -1;
    *out = 0;
    for (int b = 0; b < schedule->buffer_count && num_warps > 1; b++) {
        h.buffer = &schedule->buffers[b];
        kiln_loop_schedule_visit_uses(schedule, h.buffer->op, add_read, &h);
    }
    for (int64_t time = 0; time < STEPS * (int64_t)schedule->count && h.count > 0; time++) {
        const int place = (int)(time % schedule->count);
        for (int i = 0; i < h.count; i++)
            if (h.list[i].place == place && last <= time - h.list[i].before) {
                last = time;
                *out += time / schedule->count == STEPS - 1;
            }
        if (has_barrier(schedule->ops[schedule->order[place]].op, num_warps))
            last = time + 1;
    }
    free(h.list);
    return h.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}

// The compute unit --------------------------------------------------------------------------------

kiln_status_t kiln_step_pace(const kiln_loop_schedule_t *schedule, int num_warps,
                             const kiln_step_need_t *need, kiln_step_pace_t *out)
{
    enum { THERE_AND_BACK = 2 };
    const kiln_register_fit_t registers =
        kiln_register_fit(need->registers, need->least, num_warps, need->waves_per_simd);
    const int64_t spill_cycles = kiln_spill_cycles(&registers);
    kiln_step_cycles_t cycles = kiln_step_cycles(schedule->loop, num_warps);
    int length, barriers;
    KILN_TRY(step_length(schedule, num_warps, &length));
    KILN_TRY(count_barriers(schedule, num_warps, &barriers));
    cycles.vector +=
        need->vector_cycles + THERE_AND_BACK * (int64_t)registers.moved * KILN_GFX942_VALU_CYCLES;
    const int64_t busy = kiln_step_cycles_least(&cycles),
                  // What was written is complete, and what comes next is read.
        waits = INT64_C(2) * barriers * KILN_GFX942_LDS_LATENCY;
    *out = (kiln_step_pace_t){
        .alone = (length > busy ? length : busy) + waits + spill_cycles,
        .busy = busy + spill_cycles,
        .waves = kiln_co_resident_workgroups(registers.taken, need->lds_bytes, num_warps) *
                 (unsigned)num_warps,
    };
    return KILN_OK;
}
