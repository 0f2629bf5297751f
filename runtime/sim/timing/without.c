// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts the last launch again with some costs left out: how much a program would gain without
// them.
//
// Costs are left out of the operations, from which the compute unit is replayed as before; the
// recording and the caches' state at the start are the same. The clock frequency is determined
// again.
#include "timing/without.h"

#include <stdlib.h>
#include <string.h>

#include "base/gfx942.h"
#include "timing/parameters.h"
#include "timing/predict.h"

static uint16_t lower(unsigned value, unsigned limit)
{
    return (uint16_t)(value < limit ? value : limit);
}

// Bytes occupy whole cycles of all banks, whole lines and whole halves.
unsigned kiln_timing_access_min_lds(const kiln_timing_access_t *access)
{
    enum { ROW = KILN_GFX942_LDS_BANKS * KILN_GFX942_LDS_BANK_BYTES };
    return (access->bytes * 4u + ROW - 1) / ROW;
}

// The cycles in which the L1 looks up lanes that are next to each other: four at a time if they
// read more than a dword each (run/machine.h).
static unsigned packed_lookups(const kiln_timing_access_t *access)
{
    enum { DWORD = 4, QUAD = 4 };
    const unsigned at_once = QUAD * access->lane_bytes;
    const unsigned quads =
        access->lane_bytes > DWORD ? (access->bytes * 4u + at_once - 1) / at_once : 0;
    return quads > access->halves ? quads : access->halves;
}

// Makes an access a part of the one before it, without bank conflicts among its bytes.
static void join(kiln_timing_access_t *access)
{
    access->joined = true;
    access->lds_cycles = lower(access->lds_cycles, kiln_timing_access_min_lds(access));
}

kiln_timing_access_t kiln_timing_access_without(const kiln_timing_access_t *access,
                                                unsigned without)
{
    enum { HALF = KILN_GFX942_L2_LINE / 2 };
    kiln_timing_access_t left = *access;
    const unsigned bytes = access->bytes * 4u;
    if (without & KILN_SIM_WITHOUT_CONFLICTS)
        left.lds_cycles = lower(access->lds_cycles, kiln_timing_access_min_lds(access));
    if (without & KILN_SIM_WITHOUT_LINES && access->line_count) {
        left.of = access->line_count;
        left.line_count =
            lower(access->line_count, (bytes + KILN_GFX942_L2_LINE - 1) / KILN_GFX942_L2_LINE);
        left.halves = lower(access->halves, (bytes + HALF - 1) / HALF);
        left.least_lookups = lower(access->least_lookups, packed_lookups(&left));
        left.lookups = lower(access->lookups, packed_lookups(&left));
    }
    left.spread = without & KILN_SIM_WITHOUT_TAGS;
    if (without & KILN_SIM_WITHOUT_REQUEST)
        join(&left);
    return left;
}

static void remove_issue(kiln_timing_op_t *op)
{
    if (op->act == KILN_TIMING_ENDS)
        return;
    op->port = KILN_TIMING_INTERNAL;
    op->without |= KILN_SIM_WITHOUT_FETCH;
    if (kiln_timing_is_access(op)) // timing/unit.c takes it from the recording
        return;
    op->act = KILN_TIMING_IDLES;
    op->cycles = op->latency = 0;
    op->flops = 0;
}

static void join_request(kiln_timing_op_t *op)
{
    if (!kiln_timing_is_access(op)) {
        op->without &= (uint8_t)~KILN_SIM_WITHOUT_REQUEST;
        return;
    }
    op->port = KILN_TIMING_INTERNAL;
    op->without |= KILN_SIM_WITHOUT_FETCH;
}

static int by_address(const void *a, const void *b)
{
    const uint32_t x = (*(kiln_timing_op_t *const *)a)->address,
                   y = (*(kiln_timing_op_t *const *)b)->address;
    return x < y ? -1 : x > y;
}

// Moves code up over the removed instructions, since the code without them is smaller. `order` has
// room for all operations.
static void close_gaps(kiln_timing_op_t *ops, const bool *executed, size_t count,
                       kiln_timing_op_t **order)
{
    size_t used = 0;
    uint32_t removed = 0;
    for (size_t i = 0; i < count; i++)
        if (executed[i])
            order[used++] = &ops[i];
    qsort(order, used, sizeof *order, by_address);
    for (size_t i = 0; i < used; i++) {
        kiln_timing_op_t *op = order[i];
        op->address -= removed;
        if (!(op->without & (KILN_SIM_WITHOUT_ISSUE | KILN_SIM_WITHOUT_REQUEST)) ||
            op->act == KILN_TIMING_ENDS)
            continue;
        removed += op->size;
        op->size = 0;
    }
}

static int in_order(const void *a, const void *b)
{
    const uint64_t x = ((const kiln_sim_exemption_t *)a)->address,
                   y = ((const kiln_sim_exemption_t *)b)->address;
    return x < y ? -1 : x > y;
}

// The costs that exemptions of this address leave out; exemptions are sorted by address.
static unsigned without_at(const kiln_sim_exemption_t *exemptions, size_t count, uint64_t address)
{
    size_t first = 0;
    for (size_t step = count; step; step /= 2)
        while (first + step <= count && exemptions[first + step - 1].address < address)
            first += step;
    unsigned without = 0;
    for (; first < count && exemptions[first].address == address; first++)
        without |= exemptions[first].without;
    return without;
}

// Whether the prediction gains too little for anyone to want more than a bound.
static bool gains_too_little(const kiln_timing_clock_t *clock, double microseconds, double least)
{
    const double now = clock->last_result.microseconds;
    return now - microseconds < least * now;
}

static bool predict_at(kiln_timing_clock_t *clock, double mhz)
{
    clock->suppose.at_clock = true;
    const bool good = kiln_timing_clock_predict(clock, &clock->last, mhz);
    clock->suppose.at_clock = false;
    return good;
}

// Predicts at the clock frequency of the launch itself.
static bool predict_at_own(kiln_timing_clock_t *clock)
{
    return predict_at(clock, clock->last_result.clock_mhz);
}

// A launch that does the same work in less time takes more power, so that the device may hold a
// clock frequency that is lower by as much as the launch gains. Predictions are only settled to
// some percent, which is more than this, so the change of the frequency counts here.
static double held_clock(kiln_timing_clock_t *clock)
{
    const kiln_timing_replay_t replay = clock->replay;
    const kiln_timing_suppose_t suppose = clock->suppose;
    const double own = clock->last_result.clock_mhz,
                 then = kiln_timing_clock_held(clock, &clock->last, clock->prediction.clock_mhz);
    clock->replay = clock->last_replay;
    clock->suppose.grid = 0;
    const double now = kiln_timing_clock_held(clock, &clock->last, own);
    clock->replay = replay;
    clock->suppose = suppose;
    return own * then / now;
}

// Returns the share of a launch's time in which the busiest part of the compute unit works, all of
// which scales with the clock frequency.
static double busiest(const kiln_sim_prediction_t *p)
{
    const double busy[] = {p->valu_busy, p->mfma_busy, p->lds_busy, p->l1_busy};
    double max = 0;
    for (size_t i = 0; i < sizeof busy / sizeof *busy; i++)
        max = busy[i] > max ? busy[i] : max;
    return max < 1 ? max : 1;
}

bool kiln_timing_take_between(double launch_us, double held, kiln_sim_prediction_t *io)
{
    enum { LITTLE = 12 };
    if (held > 0.99 * io->clock_mhz && held < 1.01 * io->clock_mhz)
        return true;
    const double change = io->microseconds * (io->clock_mhz / held - 1), busy = busiest(io),
                 unsure = change * (1 - busy) / 2, gain = launch_us - io->microseconds;
    if (LITTLE * (unsure < 0 ? -unsure : unsure) > gain)
        return false;
    io->microseconds += change * busy + unsure;
    io->cycles = io->microseconds * held;
    io->clock_mhz = held;
    return true;
}

static kiln_sim_prediction_t without_write_back(const kiln_timing_clock_t *clock)
{
    const double back = clock->replay.memory.write_back;
    kiln_sim_prediction_t p = clock->prediction;
    p.cycles -= back;
    p.microseconds -= back / p.clock_mhz;
    return p;
}

// A launch of `longer` times as many workgroups. What they have written is written back as before.
static kiln_sim_prediction_t longer_launch(kiln_sim_prediction_t few, double longer, double back)
{
    few.cycles = few.cycles * longer + back;
    few.microseconds = few.microseconds * longer + back / few.clock_mhz;
    return few;
}

// Predicts a launch whose compute units get equal shares of the workgroups. A launch of full rounds
// of the workgroups that run at once is replayed, and what is left takes as long in proportion. If
// all run at once, the time of one more on each unit is that which it takes in the launch itself.
//
// In full rounds all compute units are busy, so that the device mostly holds a lower clock
// frequency than in the launch itself. The gain at the launch's own frequency is larger then, and
// if that is too little, so is the gain.
static bool predict_equal_shares(kiln_timing_clock_t *clock, double least)
{
    const kiln_timing_plan_t *plan = &clock->plan;
    const uint64_t round = (uint64_t)plan->units * plan->xcds, last = plan->ranks - 1;
    const bool at_once = plan->ranks <= plan->resident;
    const uint64_t full = at_once ? last : last / plan->resident * plan->resident;
    const double part = (double)plan->grid / (double)round - (double)full;
    if (!full || plan->grid % round == 0)
        return true;
    const kiln_sim_prediction_t all = without_write_back(clock);
    const double back = clock->replay.memory.write_back;
    clock->suppose.fewer = (unsigned)(plan->ranks - full);
    clock->suppose.grid = full * round;
    if (!predict_at_own(clock))
        return false;
    kiln_sim_prediction_t few = without_write_back(clock);
    const double one_more = at_once ? all.microseconds / few.microseconds - 1 : 1 / (double)full,
                 longer = 1 + part * one_more, held = held_clock(clock);
    kiln_sim_prediction_t even = longer_launch(few, longer, back);
    if (!gains_too_little(clock, even.microseconds, least) &&
        !kiln_timing_take_between(clock->last_result.microseconds, held, &even)) {
        if (!predict_at(clock, held))
            return false;
        even = longer_launch(without_write_back(clock), longer, back);
    }
    clock->prediction = even;
    return true;
}

// Whether a wave's access takes fewer cycles of the L1 with its lines spread over the tag RAMs.
static bool gains_by_spreading(const kiln_timing_stream_t *stream,
                               const kiln_timing_access_t *access)
{
    uint64_t lines[KILN_TIMING_STREAM_LINES];
    kiln_timing_access_t spread = *access;
    spread.spread = true;
    for (unsigned i = 0; i < access->line_count; i++)
        lines[i] = kiln_timing_stream_line(stream, access, i);
    return kiln_timing_l1_cycles(access, lines) != kiln_timing_l1_cycles(&spread, lines);
}

// Whether an access takes less of anything without the costs from which its operation is exempt.
static bool gains(const kiln_timing_clock_t *clock, const kiln_timing_stream_t *stream,
                  const kiln_timing_op_t *op, const kiln_timing_access_t *access)
{
    const kiln_timing_access_t left = kiln_timing_access_without(access, op->without);
    if (left.lds_cycles != access->lds_cycles || left.line_count != access->line_count ||
        left.halves != access->halves || left.lookups != access->lookups)
        return true;
    if (op->without & KILN_SIM_WITHOUT_SETS && clock->set_waits[op->index])
        return true;
    // Where no line has waited for its channel of the L2, only the L1 gains by spreading.
    return left.spread && !access->local &&
           (clock->last_replay.memory.l2_waited || gains_by_spreading(stream, access));
}

static bool any_gains(const kiln_timing_clock_t *clock, const kiln_timing_stream_t *stream)
{
    for (size_t i = 0, access = 0; i < stream->step_count; i++) {
        const kiln_timing_op_t *op = &clock->ops[stream->steps[i]];
        if (!kiln_timing_is_access(op) || access >= stream->access_count)
            continue;
        const kiln_timing_access_t *next = &stream->accesses[access++];
        if (op->without && gains(clock, stream, op, next))
            return true;
    }
    return false;
}

// Whether the operations' exemptions gain nothing: all are of costs that their accesses do not
// have.
static bool exemptions_gain_nothing(const kiln_timing_clock_t *clock)
{
    const unsigned of_accesses = KILN_SIM_WITHOUT_CONFLICTS | KILN_SIM_WITHOUT_LINES |
                                 KILN_SIM_WITHOUT_TAGS | KILN_SIM_WITHOUT_SETS;
    for (size_t i = 0; i < clock->op_count; i++)
        if (clock->ops[i].without & ~of_accesses)
            return false;
    for (unsigned own = 0; own < clock->plan.own; own++) {
        const kiln_timing_group_t *group = kiln_timing_plan_own(&clock->plan, own);
        for (unsigned w = 0; w < group->wave_count; w++)
            if (any_gains(clock, &group->waves[w]))
                return false;
    }
    return true;
}

// Whether this leaves the launch as it was, so that its own prediction is the answer. Equal shares
// are computed from that.
static bool changes_nothing(const kiln_timing_clock_t *clock,
                            const kiln_sim_supposition_t *supposition)
{
    // A launch gains at most the part of its lines that need not be fetched.
    const double shared =
        supposition->near ? kiln_timing_cache_state_shared(&clock->cache_state) : 0;
    const bool gathers = shared > 0 && shared >= supposition->least;
    return !supposition->from_wave && !supposition->workgroups_per_cu && !gathers &&
           (!supposition->count || exemptions_gain_nothing(clock));
}

// Whether all accesses of memory stay as they are, and only their times change. Those of workgroups
// that join others on a compute unit do, too.
static bool keeps_memory(const kiln_timing_clock_t *clock,
                         const kiln_sim_supposition_t *supposition)
{
    const unsigned changes = KILN_SIM_WITHOUT_ISSUE | KILN_SIM_WITHOUT_REQUEST |
                             KILN_SIM_WITHOUT_LINES | KILN_SIM_WITHOUT_TAGS | KILN_SIM_WITHOUT_SETS;
    if (supposition->near || supposition->from_wave)
        return false;
    for (size_t i = 0; i < clock->op_count; i++)
        if (clock->executed[i] && clock->ops[i].without & changes &&
            kiln_timing_is_access(&clock->ops[i]) && clock->ops[i].act != KILN_TIMING_ACCESSES_LDS)
            return false;
    return true;
}

// Predicts with accesses of memory that take as long as in the launch itself, and all together not
// less time than they need there. Where waves wait less, more of these are under way at a time, so
// that each would rather take longer: the gain is a bound, for a fraction of the time of a replay.
// It is not exact, since what an access finds in the L1 depends on the order of all, too.
static bool predict_bound(kiln_timing_clock_t *clock)
{
    clock->suppose.recalls = true;
    const bool good = kiln_timing_clock_predict(clock, &clock->last, clock->last_result.clock_mhz);
    clock->suppose.recalls = false;
    return good;
}

// Whether memory is busy for so little of the time that accesses hardly wait for each other. They
// take as long as before then, however close together they are.
static bool has_idle_memory(const kiln_timing_clock_t *clock)
{
    enum { FEW = 16 };
    const kiln_timing_replay_t *known = &clock->last_replay;
    return FEW * known->memory.busy < (double)known->cycles;
}

static bool replay_changes(kiln_timing_clock_t *clock, const kiln_sim_supposition_t *supposition)
{
    const double least = supposition->least;
    const bool recalls = keeps_memory(clock, supposition), is_exact = has_idle_memory(clock);
    if (recalls && (is_exact || least > 0)) {
        if (!predict_bound(clock))
            return false;
        if (gains_too_little(clock, clock->prediction.microseconds, least))
            return true;
    }
    if (!(recalls && is_exact) && !predict_at_own(clock))
        return false;
    const double held = held_clock(clock);
    if (gains_too_little(clock, clock->prediction.microseconds, least) ||
        kiln_timing_take_between(clock->last_result.microseconds, held, &clock->prediction))
        return true;
    return predict_at(clock, held);
}

// Begins with the clock of the launch itself, so that one replay is enough where the load is alike.
static bool predict(kiln_timing_clock_t *clock, const kiln_sim_supposition_t *supposition,
                    const kiln_timing_op_t *plain)
{
    clock->suppose = (kiln_timing_suppose_t){.plain = plain,
                                             .from_wave = supposition->from_wave,
                                             .resident = supposition->workgroups_per_cu,
                                             .near = supposition->near};
    bool good = true;
    if (changes_nothing(clock, supposition)) {
        clock->prediction = clock->last_result;
        clock->replay = clock->last_replay;
    } else {
        good = replay_changes(clock, supposition);
    }
    good = good && (!supposition->even || predict_equal_shares(clock, supposition->least));
    clock->suppose = (kiln_timing_suppose_t){0};
    return good;
}

bool kiln_timing_clock_replay(kiln_timing_clock_t *clock, const kiln_sim_supposition_t *supposition,
                              kiln_sim_prediction_t *out)
{
    const kiln_sim_exemption_t *exemptions = supposition->exemptions;
    const size_t count = supposition->count;
    if (!clock->replayable)
        return false;
    kiln_timing_op_t *own = clock->ops, *ops = calloc(clock->op_count, sizeof *ops),
                     **order = calloc(clock->op_count, sizeof(kiln_timing_op_t *));
    kiln_sim_exemption_t *sorted = calloc(count + 1, sizeof *sorted);
    bool good = ops && order && sorted;
    if (good && count) {
        memcpy(sorted, exemptions, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, in_order);
    }
    const unsigned all = good ? without_at(sorted, count, UINT64_MAX) : 0;
    for (size_t i = 0; good && i < clock->op_count; i++) {
        ops[i] = own[i];
        if (!clock->executed[i])
            continue;
        ops[i].without = (uint8_t)(all | without_at(sorted, count, ops[i].address));
        if (ops[i].without & KILN_SIM_WITHOUT_ISSUE)
            remove_issue(&ops[i]);
        else if (ops[i].without & KILN_SIM_WITHOUT_REQUEST)
            join_request(&ops[i]);
    }
    if (good) {
        close_gaps(ops, clock->executed, clock->op_count, order);
        clock->ops = ops;
        clock->supposes = true;
        good = predict(clock, supposition, own);
        clock->supposes = false;
        clock->ops = own;
    }
    free(ops);
    free(order);
    free(sorted);
    if (good)
        *out = clock->prediction;
    return good;
}

void kiln_timing_clock_forget(kiln_timing_clock_t *clock, const kiln_sim_code_object_t *object)
{
    if (clock->replayable && clock->last.kernel->object == object)
        clock->replayable = false;
    kiln_timing_launch_cache_remove(&clock->launch_cache, object);
}
