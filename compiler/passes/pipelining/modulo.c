// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterative modulo scheduling; see modulo.h.
#include "passes/pipelining/modulo.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 64, // into which an interval is divided
    BUDGET = 8, // attempts to place an operation, on average
    UNSET = INT_MIN,
    LONGEST = INT_MAX / 8, // of an iteration: sums of times do not wrap
};

// A schedule under construction.
typedef struct state {
    const kiln_modulo_loop_t *loop;
    kiln_modulo_time_t *times; // begin: UNSET if the operation has no place
    int64_t *height;           // of an operation: the longest path to the end of the iteration
    int *latest;               // begin of its latest placement, or UNSET
    int (*taken)[SLOTS];       // cycles of its unit that it takes in each slot of a step
    int free[KILN_MODULO_UNITS][SLOTS]; // cycles that are left
    int interval, slot;                 // cycles
} state_t;

static void release(state_t *s)
{
    free(s->height);
    free(s->latest);
    free(s->taken);
}

static kiln_status_t create(const kiln_modulo_loop_t *loop, state_t *out)
{
    const size_t count = (size_t)loop->op_count + 1;
    *out = (state_t){.loop = loop,
                     .height = calloc(count, sizeof *out->height),
                     .latest = calloc(count, sizeof *out->latest),
                     .taken = calloc(count, sizeof *out->taken)};
    if (out->height && out->latest && out->taken)
        return KILN_OK;
    release(out);
    return kiln_status_out_of_memory();
}

static const kiln_modulo_op_t *op_at(const state_t *s, int op)
{
    return &s->loop->ops[op];
}

// The least interval ------------------------------------------------------------------------------

// Sets the heights. Returns false if paths grow without end: the interval is too short for a cycle
// of dependences.
static bool find_heights(state_t *s)
{
    memset(s->height, 0, (size_t)s->loop->op_count * sizeof *s->height);
    for (int round = 0; round <= s->loop->op_count; round++) {
        bool changed = false;
        for (int e = s->loop->edge_count - 1; e >= 0; e--) {
            const kiln_modulo_edge_t *edge = &s->loop->edges[e];
            const kiln_modulo_op_t *from = op_at(s, edge->from);
            const int64_t own = s->height[edge->to] + from->latency +
                                (edge->flows ? 0 : from->cycles) -
                                (int64_t)s->interval * edge->distance;
            if (own > s->height[edge->from]) {
                s->height[edge->from] = own;
                changed = true;
            }
        }
        if (!changed)
            return true;
    }
    return false;
}

// The time that all operations take one after the other.
static int64_t sum_of_times(const kiln_modulo_loop_t *loop)
{
    int64_t sum = 1;
    for (int i = 0; i < loop->op_count; i++)
        sum += (int64_t)loop->ops[i].cycles + loop->ops[i].latency;
    return sum;
}

static int least_by_units(const kiln_modulo_loop_t *loop)
{
    int busy[KILN_MODULO_UNITS] = {0}, most = 1;
    for (int i = 0; i < loop->op_count; i++)
        if (loop->ops[i].unit != KILN_NO_UNIT)
            busy[loop->ops[i].unit] += loop->ops[i].cycles;
    for (int u = 0; u < KILN_MODULO_UNITS; u++)
        most = busy[u] > most ? busy[u] : most;
    return most;
}

// Sets the interval to the least one; false if there is none.
static bool set_least_interval(state_t *s)
{
    const int64_t sum = sum_of_times(s->loop);
    if (sum > LONGEST)
        return false;
    int low = least_by_units(s->loop), high = (int)sum;
    s->interval = high;
    if (!find_heights(s))
        return false;
    while (low < high) {
        s->interval = low + (high - low) / 2;
        if (find_heights(s))
            high = s->interval;
        else
            low = s->interval + 1;
    }
    s->interval = low;
    return true;
}

kiln_status_t kiln_modulo_least_interval(const kiln_modulo_loop_t *loop, int *out_interval)
{
    state_t s;
    *out_interval = INT_MAX;
    KILN_TRY(create(loop, &s));
    if (set_least_interval(&s))
        *out_interval = s.interval;
    release(&s);
    return KILN_OK;
}

// Times -------------------------------------------------------------------------------------------

int kiln_modulo_step(int time, int interval)
{
    return time >= 0 ? time / interval : -((interval - 1 - time) / interval);
}

static int begin_of_step(const state_t *s, int time)
{
    return kiln_modulo_step(time, s->interval) * s->interval;
}

static int end_of_slot(const state_t *s, int slot)
{
    const int end = (slot + 1) * s->slot;
    return end < s->interval ? end : s->interval;
}

static bool is_placed(const state_t *s, int op)
{
    return s->times[op].begin != UNSET;
}

static bool links(const state_t *s, const kiln_modulo_edge_t *edge)
{
    return edge->from != edge->to && is_placed(s, edge->from) && is_placed(s, edge->to);
}

// The first times at which the operands permit the user to begin and to end.
static kiln_modulo_time_t first_time(const state_t *s, const kiln_modulo_edge_t *edge)
{
    const kiln_modulo_time_t *from = &s->times[edge->from];
    const int shift = op_at(s, edge->from)->latency - s->interval * edge->distance;
    return (kiln_modulo_time_t){(edge->flows ? from->begin : from->end) + shift, from->end + shift};
}

static kiln_modulo_time_t first_times(const state_t *s, int op)
{
    kiln_modulo_time_t first = {0, INT_MIN / 2};
    for (int e = 0; e < s->loop->edge_count; e++) {
        const kiln_modulo_edge_t *edge = &s->loop->edges[e];
        if (edge->to != op || edge->from == op || !is_placed(s, edge->from))
            continue;
        const kiln_modulo_time_t own = first_time(s, edge);
        first.begin = own.begin > first.begin ? own.begin : first.begin;
        first.end = own.end > first.end ? own.end : first.end;
    }
    return first;
}

// The last times at which the uses permit the operation to begin and to end; INT_MAX: any.
static kiln_modulo_time_t last_times(const state_t *s, int op)
{
    kiln_modulo_time_t last = {INT_MAX, INT_MAX};
    for (int e = 0; e < s->loop->edge_count; e++) {
        const kiln_modulo_edge_t *edge = &s->loop->edges[e];
        if (edge->from != op || edge->to == op || !is_placed(s, edge->to))
            continue;
        const int shift = s->interval * edge->distance - op_at(s, op)->latency,
                  begin = s->times[edge->to].begin + shift,
                  end = edge->flows ? s->times[edge->to].end + shift : begin;
        last.begin = begin < last.begin ? begin : last.begin;
        last.end = end < last.end ? end : last.end;
    }
    return last;
}

// Placement ---------------------------------------------------------------------------------------

// Whether the operation, begun at that time, ends within the step, with the cycles that others
// leave and not before `first_end`. If so, sets its end and, unless null, what it takes.
static bool fits(const state_t *s, int op, int time, int first_end, int *out_end, int *out_taken)
{
    const kiln_modulo_op_t *own = op_at(s, op);
    const int step = begin_of_step(s, time);
    int left = own->unit == KILN_NO_UNIT ? 0 : own->cycles, at = time - step;
    if (left > 0 && s->free[own->unit][at / s->slot] == 0)
        return false; // it would begin later
    for (int slot = at / s->slot; left > 0 && slot * s->slot < s->interval; slot++) {
        // What others take of a slot is its beginning.
        const int end = end_of_slot(s, slot), others = end - s->free[own->unit][slot],
                  from = at > others ? at : others, take = left < end - from ? left : end - from;
        if (out_taken)
            out_taken[slot] = take;
        left -= take;
        at = left > 0 ? end : from + take;
    }
    const int end = step + at > first_end ? step + at : first_end;
    *out_end = end;
    return left == 0 && end <= step + s->interval;
}

static void put(state_t *s, int op, int begin)
{
    const int unit = op_at(s, op)->unit;
    int end = begin;
    fits(s, op, begin, first_times(s, op).end, &end, s->taken[op]);
    s->times[op] = (kiln_modulo_time_t){begin, end};
    s->latest[op] = begin;
    for (int slot = 0; unit != KILN_NO_UNIT && slot < SLOTS; slot++)
        s->free[unit][slot] -= s->taken[op][slot];
}

static void take_out(state_t *s, int op)
{
    const int unit = op_at(s, op)->unit;
    for (int slot = 0; unit != KILN_NO_UNIT && slot < SLOTS; slot++)
        s->free[unit][slot] += s->taken[op][slot];
    memset(s->taken[op], 0, sizeof s->taken[op]);
    s->times[op].begin = UNSET;
}

// Returns the first time from `first` on at which the operation has a place; UNSET: none.
static int find_time(const state_t *s, int op, kiln_modulo_time_t first)
{
    int end;
    for (int time = first.begin; time < first.begin + s->interval;) {
        if (fits(s, op, time, first.end, &end, NULL))
            return time;
        const int at = time - begin_of_step(s, time);
        time += end_of_slot(s, at / s->slot) - at;
    }
    return UNSET;
}

// Puts the operation where others are, which lose their places.
static void force(state_t *s, int op, kiln_modulo_time_t first)
{
    const kiln_modulo_op_t *own = op_at(s, op);
    int begin =
        s->latest[op] != UNSET && s->latest[op] >= first.begin ? s->latest[op] + 1 : first.begin;
    const int end = begin + own->cycles > first.end ? begin + own->cycles : first.end;
    if (end > begin_of_step(s, begin) + s->interval)
        begin = begin_of_step(s, begin) + s->interval;
    const int at = begin - begin_of_step(s, begin), last = at + own->cycles - 1;
    for (int other = 0; other < s->loop->op_count && own->cycles > 0; other++)
        for (int slot = at / s->slot; slot <= last / s->slot && is_placed(s, other); slot++)
            if (op_at(s, other)->unit == own->unit && s->taken[other][slot] > 0)
                take_out(s, other);
    put(s, op, begin);
}

// Takes out the users that now come too early.
static void take_out_users(state_t *s, int op)
{
    for (int e = 0; e < s->loop->edge_count; e++) {
        const kiln_modulo_edge_t *edge = &s->loop->edges[e];
        if (edge->from != op || !links(s, edge))
            continue;
        const kiln_modulo_time_t first = first_time(s, edge), *user = &s->times[edge->to];
        if (user->begin < first.begin || user->end < first.end)
            take_out(s, edge->to);
    }
}

static int find_next(const state_t *s)
{
    int next = -1;
    for (int op = 0; op < s->loop->op_count; op++)
        if (!is_placed(s, op) && !op_at(s, op)->is_late &&
            (next < 0 || s->height[op] > s->height[next]))
            next = op;
    return next;
}

static void clear(state_t *s)
{
    s->slot = (s->interval + SLOTS - 1) / SLOTS;
    for (int u = 0; u < KILN_MODULO_UNITS; u++)
        for (int slot = 0; slot < SLOTS; slot++)
            s->free[u][slot] =
                slot * s->slot < s->interval ? end_of_slot(s, slot) - slot * s->slot : 0;
    for (int op = 0; op < s->loop->op_count; op++)
        s->times[op].begin = s->latest[op] = UNSET;
    memset(s->taken, 0, (size_t)s->loop->op_count * sizeof *s->taken);
}

static bool place_all(state_t *s)
{
    clear(s);
    for (int budget = BUDGET * s->loop->op_count; budget >= 0; budget--) {
        const int op = find_next(s);
        if (op < 0)
            return true;
        const kiln_modulo_time_t first = first_times(s, op);
        const int time = find_time(s, op, first);
        if (time == UNSET || (s->latest[op] != UNSET && time <= s->latest[op]))
            force(s, op, first);
        else
            put(s, op, time);
        take_out_users(s, op);
    }
    return false;
}

// Puts the operation at the last time from `first` on at which its uses permit it and its unit is
// free. Returns false if there is none.
static bool put_late(state_t *s, int op, int first, kiln_modulo_time_t last)
{
    const int first_end = first_times(s, op).end, by_end = last.end - op_at(s, op)->cycles;
    for (int time = by_end < last.begin ? by_end : last.begin, end; time >= first; time--)
        if (fits(s, op, time, first_end, &end, NULL) && end <= last.end) {
            put(s, op, time);
            return true;
        }
    return false;
}

// Moves a placed operation towards its uses, if it may be later.
static void move_late(state_t *s, int op, kiln_modulo_time_t last)
{
    const int unit = op_at(s, op)->unit;
    const kiln_modulo_time_t now = s->times[op];
    int taken[SLOTS];
    memcpy(taken, s->taken[op], sizeof taken);
    take_out(s, op);
    if (put_late(s, op, now.begin + 1, last))
        return;
    s->times[op] = now;
    memcpy(s->taken[op], taken, sizeof taken);
    for (int slot = 0; unit != KILN_NO_UNIT && slot < SLOTS; slot++)
        s->free[unit][slot] -= taken[slot];
}

// Places the operations that are late, and moves others towards their uses. Returns false if there
// is no place.
static bool sink(state_t *s)
{
    enum { STEPS = 2 }; // in which a late operation may be before its first use
    for (int op = s->loop->op_count - 1; op >= 0; op--) {
        const kiln_modulo_time_t last = last_times(s, op);
        const bool is_used = last.end != INT_MAX;
        if (op_at(s, op)->is_late) {
            const int first = is_used ? last.begin - STEPS * s->interval : -s->interval;
            if (!put_late(s, op, first, is_used ? last : (kiln_modulo_time_t){0, 0}))
                return false;
        } else if (op_at(s, op)->sinks && is_used) {
            move_late(s, op, last);
        }
    }
    return true;
}

kiln_status_t kiln_modulo_schedule(const kiln_modulo_loop_t *loop, int longer, int most,
                                   kiln_modulo_time_t *out_times, int *out_interval)
{
    enum { GROWTH = 16 }; // the interval grows by a 16th
    state_t s;
    *out_interval = 0;
    KILN_TRY(create(loop, &s));
    s.times = out_times;
    if (set_least_interval(&s)) {
        s.interval += (int)((int64_t)s.interval * longer / GROWTH);
        for (; s.interval <= most && *out_interval == 0; s.interval += s.interval / GROWTH + 1)
            if (find_heights(&s) && place_all(&s) && sink(&s))
                *out_interval = s.interval;
    }
    release(&s);
    return KILN_OK;
}

kiln_status_t kiln_modulo_length(const kiln_modulo_loop_t *loop, int *out_length)
{
    const size_t count = (size_t)loop->op_count + 1;
    const int64_t sum = sum_of_times(loop);
    kiln_modulo_op_t *ops = calloc(count, sizeof *ops);
    kiln_modulo_loop_t alone = {ops, loop->edges, loop->op_count, loop->edge_count};
    state_t s;
    *out_length = 0;
    kiln_status_t status = create(&alone, &s);
    if (status) {
        free(ops);
        return status;
    }
    s.times = calloc(count, sizeof *s.times);
    status = ops && s.times ? KILN_OK : kiln_status_out_of_memory();
    for (int op = 0; op < loop->op_count && !status; op++) {
        ops[op] = loop->ops[op];
        ops[op].is_late = false;
    }
    s.interval = sum < LONGEST ? (int)sum : LONGEST;
    if (!status && find_heights(&s) && place_all(&s))
        for (int op = 0; op < loop->op_count; op++) {
            const int end = s.times[op].end + ops[op].latency;
            *out_length = end > *out_length ? end : *out_length;
        }
    free(s.times);
    free(ops);
    release(&s);
    return status;
}
