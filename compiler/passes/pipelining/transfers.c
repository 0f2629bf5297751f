// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places the transfers of a loop, its loads, and writes to and reads of LDS, in other steps than
// what they wait for. A step writes what the previous one has loaded, into other buffers than those
// that it reads: its writes wait for no load and no other wave, and it needs one barrier instead of
// two.
//
//   step i:                                 step i:                                  cluster
//     load k(i + 1)                           write K[(i + 1) mod 2], k(i + 1)         WRITES
//     read K                           →      load k(i + 2)                            LOADS
//     dots, arithmetic                        read K[i mod 2]; dots, arithmetic        REST, …
//     write K, k(i + 1)
//
// If a loop has one dot, with one operand in LDS and the other loaded directly, reads come a step
// before the dot, too, and nothing in a step waits for anything else in it:
//
//   step i:                                 step i:                                  cluster
//     a(i) = read A                           write A[(i + 2) mod 2], a(i + 2)         WRITES
//     acc = dot a(i), b(i), acc        →      a(i + 1) = read A[(i + 1) mod 2]         READS
//     load a(i + 1), b(i + 1)                 load a(i + 3), b(i + 1)                  LOADS
//     write A, a(i + 1)                       acc = dot a(i), b(i), acc                REST
//
// LLVM may then place every access between any two matrix instructions, which hide its issue and
// its latency: a SIMD needs no second wave for that. interleave asks it to. Operands in registers,
// such as b, are loaded as far ahead as before.
//
// If a loop has one dot, whose operands come from LDS, and loads run two steps ahead or more, what
// is loaded waits in registers instead of LDS, and the step that loads it does not wait for memory:
//
//   step i:                                 step i:                                  cluster
//     load a(i + 2)                           write A[(i + 1) mod 2], a(i + 1)         WRITES
//     a(i) = read A[i mod 2]           →      load a(i + 2)                            LOADS
//     acc = dot a(i), b(i), acc               a(i) = read A[i mod 2]                   REST
//     write A[(i + 2) mod 2], a(i + 2)        acc = dot a(i), b(i), acc                REST
//
// Where they run one step ahead, a second buffer lets them run two. That is for steps in which LDS
// takes longer than other units, as those of few rows. Where the matrix unit is the limit, waves
// take turns (steps/policies.def) and hide each other's loads.
//
// The loop is unrolled by two, because the buffers of a step are then constants, and a value that
// the next step uses is not copied while its register is in use: a copy would wait for the load.
// The addresses of both buffers take registers, so in another variant each step computes them. A
// loop of the third form whose step has branches is not unrolled, since LLVM schedules one block at
// a time, and its loads wait for one step only, so that nothing is copied.
//
// Other loops of one dot keep their schedule.
#include <stdlib.h>

#include "analysis/dot_chain.h"
#include "analysis/machine/step_cycles.h"
#include "analysis/memory/effects.h"
#include "base/gfx942.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/pipelining/candidate.h"

enum { BY_TWO, ROLLED }; // variants
enum { CLUSTER_WRITES, CLUSTER_READS, CLUSTER_LOADS, CLUSTER_REST };
// ADDRESSES: the middle of what six loops of attention took in addition (1 to 24, 2026-11-30).
enum { SLOTS = 2, ADDRESSES = 12 };

// What loops the policy knows.
typedef enum form {
    FORM_NONE,
    FORM_SEVERAL_DOTS,
    FORM_ONE_FROM_LDS, // one dot, with one operand in LDS and the other loaded directly
    FORM_FEW_ROWS,     // one dot, for whose operands LDS takes longer than any other unit
} form_t;

typedef struct transfers {
    const kiln_loop_schedule_t *schedule;
    int last; // stage of the operations that do not run ahead
    form_t form;
    int wait;       // steps from a load to the write of its value
    bool *is_ahead; // transfers to LDS and to later stages, and what these depend on
    int *stage;     // of the candidate
    int limit;      // of what an operation needs
    bool changed;
} transfers_t;

static MlirOperation op_at(const transfers_t *t, int op)
{
    return t->schedule->ops[op].op;
}

static bool writes(const transfers_t *t, int op)
{
    return kiln_op_kind(op_at(t, op)) == KILN_OP_TTG_LOCAL_ALLOC;
}

// Returns the operation of the loop that computes the value, in this iteration or an earlier one;
// −1: none.
static int source(const transfers_t *t, MlirValue value)
{
    int carried = kiln_loop_schedule_carried(t->schedule, value);
    for (int room = t->schedule->carried_count; carried >= 0 && room > 0; room--) {
        value = kiln_loop_schedule_yield(t->schedule, carried);
        carried = kiln_loop_schedule_carried(t->schedule, value);
    }
    return mlirValueIsABlockArgument(value)
               ? -1
               : kiln_loop_schedule_owner(t->schedule, mlirOpResultGetOwner(value));
}

// What runs ahead ---------------------------------------------------------------------------------

static bool add_operand(MlirValue value, void *user)
{
    transfers_t *t = user;
    const int from = source(t, value);
    if (from >= 0 && !t->is_ahead[from])
        t->is_ahead[from] = t->changed = true;
    return true;
}

static void find_ahead(transfers_t *t)
{
    for (int op = 0; op < t->schedule->count; op++)
        t->is_ahead[op] = writes(t, op) || (kiln_op_loads_tensor(op_at(t, op)) &&
                                            t->schedule->ops[op].stage < t->last);
    for (t->changed = true; t->changed;) {
        t->changed = false;
        for (int op = 0; op < t->schedule->count; op++)
            if (t->is_ahead[op])
                kiln_visit_operands(op_at(t, op), add_operand, t);
    }
}

// Loops of several dots ---------------------------------------------------------------------------

// Whether what is written to LDS has been loaded in an earlier step.
static bool is_late(const transfers_t *t, int write)
{
    if (mlirOperationGetNumOperands(op_at(t, write)) == 0)
        return true;
    const int load = source(t, kiln_op_operand(op_at(t, write), 0));
    return load < 0 || t->schedule->ops[load].stage < t->schedule->ops[write].stage;
}

// Whether the loop has several dots, none of which runs ahead, and writes LDS in the step of the
// loads, to buffers of one slot.
static bool has_several_dots(const transfers_t *t)
{
    int dots = 0, write_count = 0;
    for (int op = 0; op < t->schedule->count; op++) {
        if (kiln_has_dot(op_at(t, op))) {
            if (t->is_ahead[op])
                return false;
            dots++;
        }
        if (writes(t, op)) {
            if (is_late(t, op))
                return false;
            write_count++;
        }
    }
    for (int b = 0; b < t->schedule->buffer_count; b++)
        if (t->schedule->buffers[b].slots > 1)
            return false;
    return dots > 1 && write_count > 0;
}

// Loops of one dot --------------------------------------------------------------------------------

static bool is_used_only_by(MlirOperation op, kiln_op_t kind)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(kiln_op_result(op, 0)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        if (kiln_op_kind(mlirOpOperandGetOwner(use)) != kind)
            return false;
    return true;
}

static bool is_read(const transfers_t *t, int op)
{
    return kiln_op_kind(op_at(t, op)) == KILN_OP_TTG_LOCAL_LOAD && !t->is_ahead[op];
}

// Whether the operand is loaded by an operation that runs ahead, and only rearranged since.
static bool is_loaded_directly(const transfers_t *t, MlirValue operand)
{
    MlirOperation op;
    kiln_op_t kind = kiln_value_op(operand, &op);
    while (kind == KILN_OP_TT_RESHAPE || kind == KILN_OP_TT_TRANS)
        kind = kiln_value_op(kiln_op_operand(op, 0), &op);
    const int at = mlirOperationIsNull(op) ? -1 : kiln_loop_schedule_owner(t->schedule, op);
    return at >= 0 && t->is_ahead[at] && kiln_op_loads_tensor(op);
}

// Whether the loop has one dot: one operand is the only value that is read from LDS, the other is
// loaded directly.
static bool has_one_dot(const transfers_t *t)
{
    int dots = 0, reads = 0;
    MlirOperation dot = {NULL};
    for (int i = 0; i < t->schedule->count; i++) {
        MlirOperation op = op_at(t, i);
        if (mlirOperationGetNumRegions(op) > 0)
            return false; // LLVM schedules one block at a time
        if (kiln_has_dot(op)) {
            dot = op;
            dots++;
            if (kiln_op_kind(op) != KILN_OP_TT_DOT || t->is_ahead[i])
                return false;
        }
        if (is_read(t, i)) {
            reads++;
            if (!is_used_only_by(op, KILN_OP_TT_DOT))
                return false;
        }
    }
    return dots == 1 && reads == 1 &&
           (is_loaded_directly(t, kiln_op_operand(dot, 0)) ||
            is_loaded_directly(t, kiln_op_operand(dot, 1)));
}

static bool has_branches(const transfers_t *t)
{
    for (int i = 0; i < t->schedule->count; i++)
        if (kiln_op_kind(op_at(t, i)) == KILN_OP_SCF_IF)
            return true;
    return false;
}

// Whether the loop has one dot, LDS is its busiest unit, and all that is written to LDS is loaded
// in the same step and as far ahead as the schedule goes.
static bool has_few_rows(const transfers_t *t, int num_warps)
{
    int dots = 0, write_count = 0;
    for (int i = 0; i < t->schedule->count; i++) {
        if (kiln_has_dot(op_at(t, i))) {
            dots++;
            if (kiln_op_kind(op_at(t, i)) != KILN_OP_TT_DOT || t->is_ahead[i])
                return false;
        }
        if (writes(t, i)) {
            if (is_late(t, i) || t->schedule->ops[i].stage > 0)
                return false;
            write_count++;
        }
    }
    const kiln_step_cycles_t cycles = kiln_step_cycles(t->schedule->loop, num_warps);
    return dots == 1 && write_count > 0 && cycles.lds > cycles.matrix && cycles.lds > cycles.vector;
}

static form_t find_form(const transfers_t *t, const kiln_candidate_t *candidate)
{
    if (t->last < 1)
        return FORM_NONE;
    if (candidate->variant == BY_TWO && has_one_dot(t))
        return FORM_ONE_FROM_LDS;
    if (has_several_dots(t))
        return FORM_SEVERAL_DOTS;
    return has_few_rows(t, candidate->num_warps) &&
                   has_branches(t) == (candidate->variant == ROLLED)
               ? FORM_FEW_ROWS
               : FORM_NONE;
}

// Stages ------------------------------------------------------------------------------------------

static bool lower_operand(MlirValue value, void *user)
{
    transfers_t *t = user;
    const int from = source(t, value);
    if (from >= 0 && t->is_ahead[from] && t->stage[from] > t->limit) {
        t->stage[from] = t->limit;
        t->changed = true;
    }
    return true;
}

// Lets what runs ahead do so far enough: none is in a later stage than its users, and what is
// written to LDS is loaded in time.
static void load_in_time(transfers_t *t)
{
    for (t->changed = true; t->changed;) {
        t->changed = false;
        for (int op = 0; op < t->schedule->count; op++) {
            t->limit = t->stage[op] - (writes(t, op) ? t->wait : 0);
            kiln_visit_operands(op_at(t, op), lower_operand, t);
        }
    }
}

static void place(transfers_t *t, kiln_candidate_t *io)
{
    const bool reads_early = t->form == FORM_ONE_FROM_LDS;
    // Of what does not run ahead.
    const int delay = reads_early ? 2 : t->form == FORM_FEW_ROWS && t->last > 1 ? 0 : 1;
    for (int op = 0; op < t->schedule->count; op++) {
        const bool reads = reads_early && !t->is_ahead[op] &&
                           (is_read(t, op) || kiln_op_is_view(kiln_op_kind(op_at(t, op))));
        io->stage[op] += writes(t, op) ? t->wait : reads ? 1 : delay;
        io->cluster[op] = writes(t, op)     ? CLUSTER_WRITES
                          : reads           ? CLUSTER_READS
                          : t->is_ahead[op] ? CLUSTER_LOADS
                                            : CLUSTER_REST + io->cluster[op];
    }
    io->last_stage += delay;
    load_in_time(t);
}

// What the copies of the loop's body, or one body for both buffers, take.
static void add_costs(const transfers_t *t, kiln_candidate_t *io)
{
    const bool has_slots = t->form == FORM_FEW_ROWS && t->last > 1; // several already
    io->is_for_memory = t->form == FORM_FEW_ROWS;
    if (io->variant == BY_TWO)
        io->unroll = SLOTS;
    else if (!has_slots)
        io->vector_cycles = SLOTS * ADDRESSES * KILN_GFX942_VALU_CYCLES; // to read and to write
    if (io->variant == BY_TWO && !has_slots && t->form != FORM_ONE_FROM_LDS)
        io->addresses = ADDRESSES;
}

kiln_status_t kiln_move_transfers(const kiln_loop_schedule_t *schedule, kiln_candidate_t *io,
                                  bool *out_applies)
{
    const int64_t trips = kiln_loop_trip_count(schedule->loop);
    transfers_t t = {.schedule = schedule,
                     .last = schedule->stages - 1,
                     .wait = 1,
                     .is_ahead = calloc((size_t)schedule->count + 1, sizeof *t.is_ahead),
                     .stage = io->stage};
    if (!t.is_ahead)
        return kiln_status_out_of_memory();
    find_ahead(&t);
    t.form = find_form(&t, io);
    if (t.form == FORM_FEW_ROWS && io->variant == BY_TWO && t.last > SLOTS)
        t.wait = SLOTS; // in as many registers as the loop has copies of its body
    if (t.form) {
        place(&t, io);
        add_costs(&t, io);
    }
    *out_applies = t.form && (trips < 0 || trips > io->last_stage);
    free(t.is_ahead);
    return KILN_OK;
}
