// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets a step of a loop with several dots write to LDS what the previous step has loaded, into
// other buffers than those that the step reads. Its writes then wait for no load and no other wave,
// and it needs one barrier instead of two:
//
//   step i:                                 step i:
//     load k(i + 1)                           write K[(i + 1) mod 2], k(i + 1)    cluster 0
//     read K                           →      load k(i + 2)                               1
//     dots, arithmetic                        read K[i mod 2]; dots, arithmetic           2, …
//     write K, k(i + 1)
//
// The loop is unrolled by two, because the buffers of a step are then constants, and the addresses
// of its accesses take registers. Where registers do not suffice for them, too, each step computes
// them, if its vector unit has time for that.
//
// Only loops with several dots gain. The step of a GEMM is so short that LDS has no time left
// (docs/results.md), and waves take turns there (steps/take_turns.c).
#include <stdlib.h>

#include "base/gfx942.h"
#include "builder/op_facts.h"
#include "passes/pipelining/candidate.h"

enum { CLUSTER_WRITES, CLUSTER_AHEAD };
// ADDRESSES: the middle of what six loops of attention took in addition (1 to 24, 2026-11-30).
enum { DELAY = 1, SLOTS = 2, ADDRESSES = 12 };

typedef struct slice {
    const kiln_loop_schedule_t *schedule;
    bool *is_ahead;
    bool changed;
} slice_t;

static bool add_operand(MlirValue value, void *user)
{
    slice_t *s = user;
    const int carried = kiln_loop_schedule_carried(s->schedule, value);
    if (carried >= 0)
        value = kiln_loop_schedule_yield(s->schedule, carried);
    if (mlirValueIsABlockArgument(value))
        return true;
    const int from = kiln_loop_schedule_owner(s->schedule, mlirOpResultGetOwner(value));
    if (from >= 0 && !s->is_ahead[from])
        s->is_ahead[from] = s->changed = true;
    return true;
}

// Whether the operation loads a tile for a later stage, or writes one to LDS.
static bool is_transfer(const kiln_loop_schedule_t *schedule, int op)
{
    MlirOperation operation = schedule->ops[op].op;
    return kiln_op_kind(operation) == KILN_OP_TTG_LOCAL_ALLOC ||
           (kiln_op_loads_tensor(operation) && schedule->ops[op].stage < schedule->stages - 1);
}

// Finds the operations that run ahead: transfers, and what these depend on.
static void find_ahead(const kiln_loop_schedule_t *schedule, bool *is_ahead)
{
    slice_t slice = {schedule, is_ahead, true};
    for (int op = 0; op < schedule->count; op++)
        is_ahead[op] = is_transfer(schedule, op);
    while (slice.changed) {
        slice.changed = false;
        for (int op = 0; op < schedule->count; op++)
            if (is_ahead[op])
                kiln_visit_operands(schedule->ops[op].op, add_operand, &slice);
    }
}

// Whether what is written to LDS has been loaded in an earlier step.
static bool is_late(const kiln_loop_schedule_t *schedule, int write)
{
    MlirOperation from;
    if (mlirOperationGetNumOperands(schedule->ops[write].op) == 0)
        return true;
    kiln_value_op(kiln_op_operand(schedule->ops[write].op, 0), &from);
    const int load = mlirOperationIsNull(from) ? -1 : kiln_loop_schedule_owner(schedule, from);
    return load < 0 || schedule->ops[load].stage < schedule->ops[write].stage;
}

// Whether the loop has several dots, none of which runs ahead, and writes LDS in the step of the
// loads, to buffers of one slot.
static bool fits(const kiln_loop_schedule_t *schedule, const bool *is_ahead)
{
    int dots = 0, writes = 0;
    for (int op = 0; op < schedule->count; op++) {
        if (kiln_has_dot(schedule->ops[op].op)) {
            if (is_ahead[op])
                return false;
            dots++;
        }
        if (kiln_op_kind(schedule->ops[op].op) == KILN_OP_TTG_LOCAL_ALLOC) {
            if (is_late(schedule, op))
                return false;
            writes++;
        }
    }
    for (int b = 0; b < schedule->buffer_count; b++)
        if (schedule->buffers[b].slots > 1)
            return false;
    return dots > 1 && writes > 0;
}

static kiln_status_t write_late(const kiln_loop_schedule_t *schedule, kiln_candidate_t *io,
                                bool *out_applies)
{
    const int64_t trips = kiln_loop_trip_count(schedule->loop);
    bool *is_ahead = calloc((size_t)schedule->count + 1, sizeof *is_ahead);
    *out_applies = false;
    if (!is_ahead)
        return kiln_status_out_of_memory();
    find_ahead(schedule, is_ahead);
    if (schedule->stages > 1 && (trips < 0 || trips > schedule->stages) &&
        fits(schedule, is_ahead)) {
        for (int op = 0; op < schedule->count; op++) {
            const bool writes = kiln_op_kind(schedule->ops[op].op) == KILN_OP_TTG_LOCAL_ALLOC;
            io->stage[op] += DELAY;
            io->cluster[op] = writes         ? CLUSTER_WRITES
                              : is_ahead[op] ? CLUSTER_AHEAD
                                             : io->cluster[op] + CLUSTER_AHEAD;
        }
        io->last_stage += DELAY;
        kiln_candidate_write_late(schedule, is_ahead, io);
        *out_applies = true;
    }
    free(is_ahead);
    return KILN_OK;
}

kiln_status_t kiln_write_late_by_two(const kiln_loop_schedule_t *schedule, kiln_candidate_t *io,
                                     bool *out_applies)
{
    io->unroll = SLOTS;
    io->addresses = ADDRESSES;
    return write_late(schedule, io, out_applies);
}

kiln_status_t kiln_write_late(const kiln_loop_schedule_t *schedule, kiln_candidate_t *io,
                              bool *out_applies)
{
    io->vector_cycles = SLOTS * ADDRESSES * KILN_GFX942_VALU_CYCLES; // to read and to write
    return write_late(schedule, io, out_applies);
}
