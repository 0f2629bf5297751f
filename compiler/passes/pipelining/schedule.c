// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a loop's schedule from its attributes and checks each dependence: values, carried values,
// and memory.
#include "passes/pipelining/schedule.h"

#include <limits.h>
#include <stdlib.h>

#include "analysis/memory/effects.h"
#include "base/array.h"

enum { UNSET = -1, FIRST_CARRIED = 3 };

bool kiln_loop_is_scheduled(MlirOperation loop)
{
    return kiln_op_kind(loop) == KILN_OP_SCF_FOR &&
           !mlirAttributeIsNull(kiln_ir_attr(loop, KILN_LOOP_LAST_STAGE));
}

// Queries -----------------------------------------------------------------------------------------

int kiln_loop_schedule_owner(const kiln_loop_schedule_t *schedule, MlirOperation op)
{
    while (!mlirOperationIsNull(op)) {
        MlirOperation parent = kiln_op_parent(op);
        if (mlirOperationEqual(parent, schedule->loop))
            return kiln_pointer_map_get(&schedule->index_of, op.ptr);
        op = parent;
    }
    return -1;
}

static int defining(const kiln_loop_schedule_t *schedule, MlirValue value)
{
    return mlirValueIsABlockArgument(value)
               ? -1
               : kiln_pointer_map_get(&schedule->index_of, mlirOpResultGetOwner(value).ptr);
}

int kiln_loop_schedule_buffer(const kiln_loop_schedule_t *schedule, MlirValue memdesc)
{
    int op = defining(schedule, memdesc);
    for (int b = 0; op >= 0 && b < schedule->buffer_count; b++)
        if (schedule->buffers[b].op == op)
            return b;
    return -1;
}

int kiln_loop_schedule_carried(const kiln_loop_schedule_t *schedule, MlirValue argument)
{
    if (!mlirValueIsABlockArgument(argument) ||
        !mlirBlockEqual(mlirBlockArgumentGetOwner(argument), schedule->body))
        return -1;
    return (int)mlirBlockArgumentGetArgNumber(argument) - 1;
}

MlirValue kiln_loop_schedule_yield(const kiln_loop_schedule_t *schedule, int carried)
{
    return mlirOperationGetOperand(kiln_block_terminator(schedule->body), carried);
}

bool kiln_loop_schedule_holds(const kiln_loop_schedule_t *schedule, int from, int to, int distance)
{
    const kiln_scheduled_op_t *a = &schedule->ops[from], *b = &schedule->ops[to];
    int stage = b->stage + distance;
    return a->stage < stage || (a->stage == stage && a->place < b->place);
}

typedef struct operand_visitor {
    kiln_operand_visit_t visit;
    void *user;
    bool more;
} operand_visitor_t;

static MlirWalkResult visit_each(MlirOperation op, void *user)
{
    operand_visitor_t *visitor = user;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && visitor->more; i++)
        visitor->more = visitor->visit(mlirOperationGetOperand(op, i), visitor->user);
    return visitor->more ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

bool kiln_visit_operands(MlirOperation op, kiln_operand_visit_t visit, void *user)
{
    operand_visitor_t visitor = {visit, user, true};
    kiln_walk(op, MlirWalkPreOrder, visit_each, &visitor);
    return visitor.more;
}

typedef struct use_visitor {
    const kiln_loop_schedule_t *schedule;
    int op;
    kiln_use_visit_t visit;
    void *context;
} use_visitor_t;

// `room`: the number of carried values through which the search may still pass.
static bool visit_uses_of(const use_visitor_t *v, MlirValue value, bool is_later, int room)
{
    MlirOperation yield = kiln_block_terminator(v->schedule->body);
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation owner = mlirOpOperandGetOwner(use);
        if (mlirOperationEqual(owner, yield)) {
            const intptr_t carried = (intptr_t)mlirOpOperandGetOperandNumber(use);
            if (room > 0 && !visit_uses_of(v, mlirBlockGetArgument(v->schedule->body, carried + 1),
                                           true, room - 1))
                return false;
            continue;
        }
        const int user = kiln_loop_schedule_owner(v->schedule, owner);
        if (user >= 0 && !v->visit(v->op, user, value, is_later, v->context))
            return false;
    }
    return true;
}

bool kiln_loop_schedule_visit_uses(const kiln_loop_schedule_t *schedule, int op,
                                   kiln_use_visit_t visit, void *context)
{
    const use_visitor_t visitor = {schedule, op, visit, context};
    MlirOperation operation = schedule->ops[op].op;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(operation); r++)
        if (!visit_uses_of(&visitor, mlirOperationGetResult(operation, r), false,
                           schedule->carried_count))
            return false;
    return true;
}

bool kiln_loop_schedule_recomputes(const kiln_loop_schedule_t *schedule, MlirValue memdesc)
{
    while (kiln_loop_schedule_buffer(schedule, memdesc) < 0) {
        MlirOperation op;
        if (!kiln_op_is_view(kiln_value_op(memdesc, &op)) || defining(schedule, memdesc) < 0)
            return false;
        for (intptr_t i = 1; i < mlirOperationGetNumOperands(op); i++) {
            MlirValue operand = mlirOperationGetOperand(op, i);
            bool is_outside =
                mlirValueIsABlockArgument(operand)
                    ? !mlirBlockEqual(mlirBlockArgumentGetOwner(operand), schedule->body)
                    : defining(schedule, operand) < 0;
            if (!is_outside)
                return false;
        }
        memdesc = kiln_op_operand(op, 0);
    }
    return true;
}

// Attributes --------------------------------------------------------------------------------------

static kiln_status_t list_ops(kiln_loop_schedule_t *s)
{
    int count = 0;
    MlirOperation yield = kiln_block_terminator(s->body);
    for (MlirOperation op = mlirBlockGetFirstOperation(s->body); !mlirOperationEqual(op, yield);
         op = mlirOperationGetNextInBlock(op))
        count++;
    s->carried_count = (int)mlirOperationGetNumResults(s->loop);
    s->ops = calloc((size_t)count + 1, sizeof *s->ops);
    s->order = calloc((size_t)count + 1, sizeof *s->order);
    s->buffers = calloc((size_t)count + 1, sizeof *s->buffers);
    s->carried_stage = calloc((size_t)s->carried_count + 1, sizeof *s->carried_stage);
    bool fits = s->ops && s->order && s->buffers && s->carried_stage;
    for (MlirOperation op = mlirBlockGetFirstOperation(s->body); fits && s->count < count;
         op = mlirOperationGetNextInBlock(op)) {
        fits = kiln_pointer_map_put(&s->index_of, op.ptr, s->count);
        s->ops[s->count++] =
            (kiln_scheduled_op_t){.op = op,
                                  .stage = kiln_ir_clamped_attr(op, KILN_LOOP_STAGE, UNSET),
                                  .cluster = kiln_ir_clamped_attr(op, KILN_LOOP_CLUSTER, 0)};
    }
    return fits ? KILN_OK : kiln_status_out_of_memory();
}

typedef struct earliest {
    const kiln_loop_schedule_t *schedule;
    kiln_scheduled_op_t *op;
} earliest_t;

static bool wait_for_operand(MlirValue operand, void *user)
{
    earliest_t *e = user;
    int index = defining(e->schedule, operand);
    if (index < 0)
        return true;
    const kiln_scheduled_op_t *from = &e->schedule->ops[index];
    if (from != e->op && (from->stage > e->op->stage ||
                          (from->stage == e->op->stage && from->cluster > e->op->cluster))) {
        e->op->stage = from->stage;
        e->op->cluster = from->cluster;
    }
    return true;
}

// Schedules operations without effects and without a stage as soon as their operands are available.
static kiln_status_t complete(kiln_loop_schedule_t *s)
{
    int first_stage = INT_MAX, first_cluster = INT_MAX, last_stage = 0;
    int64_t declared_last = kiln_ir_int_attr(s->loop, KILN_LOOP_LAST_STAGE, -1);
    for (int i = 0; i < s->count; i++) {
        const kiln_scheduled_op_t *op = &s->ops[i];
        bool is_set = !mlirAttributeIsNull(kiln_ir_attr(op->op, KILN_LOOP_STAGE));
        if (is_set && (op->stage < 0 || op->stage >= KILN_MAX_STAGES))
            return kiln_status_at_op(kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                                      "loop.stage is %d; expected 0 to %d",
                                                      op->stage, KILN_MAX_STAGES - 1),
                                     op->op);
        if (is_set && op->stage > declared_last)
            return kiln_status_at_op(
                kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                 "loop.stage is %d, but the loop's tt.scheduled_max_stage is %lld",
                                 op->stage, (long long)declared_last),
                op->op);
        if (!is_set && (kiln_op_effects(op->op) & ~KILN_CLAIMS) != 0)
            return kiln_status_at_op(
                kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                 "the loop has a schedule (tt.scheduled_max_stage), but this "
                                 "operation, which accesses "
                                 "memory, has no loop.stage"),
                op->op);
        if (is_set && op->stage < first_stage)
            first_stage = op->stage;
        if (is_set && op->cluster < first_cluster)
            first_cluster = op->cluster;
    }
    for (int i = 0; i < s->count; i++) {
        kiln_scheduled_op_t *op = &s->ops[i];
        if (op->stage == UNSET) {
            op->stage = first_stage == INT_MAX ? 0 : first_stage;
            op->cluster = first_cluster == INT_MAX ? 0 : first_cluster;
            kiln_visit_operands(op->op, wait_for_operand, &(earliest_t){s, op});
        }
        if (op->stage > last_stage)
            last_stage = op->stage;
    }
    for (int i = 0; i < s->count && first_stage != INT_MAX; i++)
        s->ops[i].stage -= first_stage;
    s->stages = first_stage == INT_MAX ? 1 : last_stage - first_stage + 1;
    return KILN_OK;
}

static int by_cluster(const void *a, const void *b)
{
    const kiln_scheduled_op_t *x = *(kiln_scheduled_op_t *const *)a,
                              *y = *(kiln_scheduled_op_t *const *)b;
    if (x->cluster != y->cluster)
        return x->cluster < y->cluster ? -1 : 1;
    return x < y ? -1 : 1;
}

static bool set_order(kiln_loop_schedule_t *s)
{
    kiln_scheduled_op_t **sorted = malloc(((size_t)s->count + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    for (int i = 0; i < s->count; i++)
        sorted[i] = &s->ops[i];
    qsort(sorted, (size_t)s->count, sizeof *sorted, by_cluster);
    for (int i = 0; i < s->count; i++) {
        sorted[i]->place = i;
        s->order[i] = (int)(sorted[i] - s->ops);
    }
    free(sorted);
    return true;
}

// Carried values ----------------------------------------------------------------------------------

// Returns the first stage that uses the carried value.
static int first_use(const kiln_loop_schedule_t *s, MlirValue value)
{
    int first = s->stages - 1;
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        int user = kiln_loop_schedule_owner(s, mlirOpOperandGetOwner(use));
        if (user >= 0 && s->ops[user].stage < first)
            first = s->ops[user].stage;
    }
    return first;
}

// The next value is defined in the stage of its operation. A value that no operation of the loop
// defines is passed on by the first stage that uses it, at the earliest one stage before it is
// available.
static void set_carried_stages(kiln_loop_schedule_t *s)
{
    for (int i = 0; i < s->carried_count; i++) {
        int op = defining(s, kiln_loop_schedule_yield(s, i));
        s->carried_stage[i] =
            op >= 0 ? s->ops[op].stage : first_use(s, mlirBlockGetArgument(s->body, i + 1));
    }
    // Propagates through chains of values that are passed on, from their ends.
    for (int round = 0; round < s->carried_count; round++)
        for (int i = 0; i < s->carried_count; i++) {
            int from = kiln_loop_schedule_carried(s, kiln_loop_schedule_yield(s, i));
            if (from >= 0 && defining(s, kiln_loop_schedule_yield(s, from)) < 0 &&
                s->carried_stage[from] > s->carried_stage[i])
                s->carried_stage[from] = s->carried_stage[i];
        }
    for (int round = 0; round < s->carried_count; round++)
        for (int i = 0; i < s->carried_count; i++) {
            int from = kiln_loop_schedule_carried(s, kiln_loop_schedule_yield(s, i));
            if (from >= 0 && defining(s, kiln_loop_schedule_yield(s, i)) < 0 &&
                s->carried_stage[i] < s->carried_stage[from] - 1)
                s->carried_stage[i] = s->carried_stage[from] - 1;
        }
}

// Buffers -----------------------------------------------------------------------------------------

typedef struct users {
    const kiln_loop_schedule_t *schedule;
    int stage; // of the local_alloc
    bool elsewhere;
    const kiln_scheduled_op_t *first, *last; // to access it, in the order of steps
    MlirValue carried;                       // loop-carried value that holds the buffer, if any
} users_t;

static bool comes_before(const kiln_scheduled_op_t *a, const kiln_scheduled_op_t *b)
{
    return a->stage < b->stage || (a->stage == b->stage && a->place < b->place);
}

// Finds users of the descriptor and of its views.
static void find_users(users_t *users, MlirValue memdesc)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(memdesc); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        int index = kiln_loop_schedule_owner(users->schedule, user);
        if (index < 0) {
            users->carried = memdesc;
            continue;
        }
        const kiln_scheduled_op_t *op = &users->schedule->ops[index];
        bool is_view = kiln_op_is_view(kiln_op_kind(op->op));
        if (!is_view ||
            !kiln_loop_schedule_recomputes(users->schedule, kiln_op_result(op->op, 0))) {
            users->elsewhere |= op->stage != users->stage;
            if (!users->first || comes_before(op, users->first))
                users->first = op;
            if (!users->last || comes_before(users->last, op))
                users->last = op;
        }
        for (intptr_t i = 0; i < mlirOperationGetNumResults(op->op); i++)
            if (kiln_type_is_memdesc(mlirValueGetType(mlirOperationGetResult(op->op, i))))
                find_users(users, mlirOperationGetResult(op->op, i));
    }
}

// A slot may be written again in the step after the one of its last access, or in the same step if
// the last access comes first.
static kiln_status_t find_buffers(kiln_loop_schedule_t *s)
{
    for (int i = 0; i < s->count; i++) {
        const kiln_scheduled_op_t *alloc = &s->ops[i];
        if (kiln_op_kind(alloc->op) != KILN_OP_TTG_LOCAL_ALLOC)
            continue;
        users_t users = {.schedule = s, .stage = alloc->stage};
        if (mlirOperationGetNumOperands(alloc->op) > 0)
            users.first = users.last = alloc;
        s->buffers[s->buffer_count] = (kiln_loop_buffer_t){i, 1}; // needed to recognize its views
        s->buffer_count++;
        find_users(&users, kiln_op_result(alloc->op, 0));
        if (!mlirValueIsNull(users.carried))
            return kiln_status_at_op(
                kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                 "an LDS buffer allocated in a scheduled loop is passed to the "
                                 "next iteration or out of the loop"),
                alloc->op);
        if (!users.elsewhere) {
            s->buffer_count--; // treated as an ordinary operation
            continue;
        }
        int slots = users.last->stage - users.first->stage +
                    (users.first->place > users.last->place ? 0 : 1);
        s->buffers[s->buffer_count - 1].slots = slots > 0 ? slots : 1;
    }
    return KILN_OK;
}

// Dependences -------------------------------------------------------------------------------------

typedef struct checker {
    const kiln_loop_schedule_t *schedule;
    const kiln_scheduled_op_t *user;
    kiln_status_t status;
} checker_t;

static kiln_status_t broken(const kiln_scheduled_op_t *from, const kiln_scheduled_op_t *to,
                            int distance, const char *what)
{
    kiln_status_t status =
        kiln_status_make(KILN_STATUS_INVALID_INPUT,
                         "the schedule violates a dependence: %s in stage %d, cluster %d, but '%s' "
                         "of %s is in stage %d, cluster %d",
                         what, to->stage, to->cluster, kiln_op_name(kiln_op_kind(from->op)),
                         distance == 0   ? "the same iteration"
                         : distance == 1 ? "the previous iteration"
                                         : "an earlier iteration",
                         from->stage, from->cluster);
    return kiln_status_at_op(status, to->op);
}

static bool check_operand(MlirValue operand, void *user)
{
    checker_t *c = user;
    const kiln_loop_schedule_t *s = c->schedule;
    int distance = 0, carried = kiln_loop_schedule_carried(s, operand);
    if (carried >= 0 && s->carried_stage[carried] > c->user->stage + 1) {
        c->status =
            kiln_status_at_op(kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                               "the schedule violates a dependence: a loop-carried "
                                               "value is used in stage %d, but defined in stage %d",
                                               c->user->stage, s->carried_stage[carried]),
                              c->user->op);
        return false;
    }
    while (carried >= 0 && distance <= s->carried_count) {
        operand = kiln_loop_schedule_yield(s, carried);
        carried = kiln_loop_schedule_carried(s, operand);
        distance++;
    }
    int from = carried >= 0 ? -1 : defining(s, operand);
    if (from >= 0 && &s->ops[from] != c->user &&
        !kiln_loop_schedule_holds(s, from, (int)(c->user - s->ops), distance))
        c->status = broken(&s->ops[from], c->user, distance, "a value is used");
    return !c->status;
}

static kiln_status_t check_values(const kiln_loop_schedule_t *s)
{
    checker_t checker = {.schedule = s};
    for (int i = 0; i < s->count && !checker.status; i++) {
        checker.user = &s->ops[i];
        kiln_visit_operands(checker.user->op, check_operand, &checker);
    }
    return checker.status;
}

// Accesses of memory, in the order of the loop.
typedef struct accesses {
    struct listed {
        kiln_access_t access;
        int op;
        bool is_own; // to a buffer of which each iteration has its own slot
    } *list;
    int count;
    size_t capacity;
    const kiln_loop_schedule_t *schedule;
    int op;
    bool out_of_memory;
} accesses_t;

static MlirWalkResult list_access(MlirOperation op, void *user)
{
    accesses_t *a = user;
    kiln_access_t access = kiln_op_access(op);
    if ((access.effects & ~KILN_CLAIMS) == 0)
        return MlirWalkResultAdvance;
    if (!KILN_ARRAY_RESERVE(&a->list, &a->capacity, (size_t)a->count + 1)) {
        a->out_of_memory = true;
        return MlirWalkResultInterrupt;
    }
    bool is_own = !(access.effects & KILN_ORDERED) && !mlirValueIsNull(access.lds) &&
                  !mlirValueIsABlockArgument(access.lds) &&
                  kiln_loop_schedule_owner(a->schedule, mlirOpResultGetOwner(access.lds)) >= 0;
    a->list[a->count++] = (struct listed){access, a->op, is_own};
    return MlirWalkResultAdvance;
}

// Checks that two accesses, of which `before` comes first in an iteration, keep their order in
// every pair of iterations.
static kiln_status_t check_pair(const kiln_loop_schedule_t *s, const struct listed *before,
                                const struct listed *after)
{
    const kiln_scheduled_op_t *a = &s->ops[before->op], *b = &s->ops[after->op];
    if (a == b || !kiln_accesses_conflict(&before->access, &after->access))
        return KILN_OK;
    if (!kiln_loop_schedule_holds(s, before->op, after->op, 0))
        return broken(a, b, 0, "memory is accessed");
    // Other iterations use another slot of such a buffer; the other accesses of the operations are
    // not in LDS.
    kiln_access_t x = before->access, y = after->access;
    if (before->is_own && after->is_own) {
        x.effects &= ~(KILN_READS_LDS | KILN_WRITES_LDS);
        y.effects &= ~(KILN_READS_LDS | KILN_WRITES_LDS);
    }
    return kiln_accesses_conflict(&x, &y) && !kiln_loop_schedule_holds(s, after->op, before->op, 1)
               ? broken(b, a, 1, "memory is accessed")
               : KILN_OK;
}

static kiln_status_t check_memory(const kiln_loop_schedule_t *s)
{
    accesses_t accesses = {.schedule = s};
    for (; accesses.op < s->count; accesses.op++)
        kiln_walk(s->ops[accesses.op].op, MlirWalkPreOrder, list_access, &accesses);
    kiln_status_t status = accesses.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
    for (int i = 0; i < accesses.count && !status; i++)
        for (int j = i + 1; j < accesses.count && !status; j++)
            status = check_pair(s, &accesses.list[i], &accesses.list[j]);
    free(accesses.list);
    return status;
}

// Public functions --------------------------------------------------------------------------------

void kiln_loop_schedule_free(kiln_loop_schedule_t *schedule)
{
    kiln_pointer_map_free(&schedule->index_of);
    free(schedule->ops);
    free(schedule->order);
    free(schedule->buffers);
    free(schedule->carried_stage);
    *schedule = (kiln_loop_schedule_t){0};
}

void kiln_loop_schedule_write(const kiln_loop_schedule_t *schedule, const int *stage,
                              const int *cluster, int last_stage)
{
    for (int op = 0; op < schedule->count; op++) {
        kiln_ir_set_int_attr(schedule->ops[op].op, KILN_LOOP_STAGE, stage[op]);
        kiln_ir_set_int_attr(schedule->ops[op].op, KILN_LOOP_CLUSTER, cluster[op]);
    }
    kiln_ir_set_int_attr(schedule->loop, KILN_LOOP_LAST_STAGE, last_stage);
}

kiln_status_t kiln_loop_schedule_read(MlirOperation loop, kiln_loop_schedule_t *out)
{
    *out = (kiln_loop_schedule_t){.loop = loop, .body = kiln_op_body(loop, 0)};
    kiln_status_t status = list_ops(out);
    if (!status)
        status = complete(out);
    if (!status && !set_order(out))
        status = kiln_status_out_of_memory();
    if (!status) {
        set_carried_stages(out);
        status = check_values(out);
    }
    if (!status)
        status = find_buffers(out);
    if (!status)
        status = check_memory(out);
    if (status)
        kiln_loop_schedule_free(out);
    return status;
}
