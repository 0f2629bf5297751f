// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The issue logic of a compute unit (timing/unit.h).
#include "timing/unit.h"

#include "base/gfx942.h"
#include "timing/without.h"

enum { CYCLES = KILN_TIMING_ISSUE_CYCLES };

bool kiln_timing_unit_open(kiln_timing_unit_t *unit, uint64_t l2_bytes, double ghz, double gb_s,
                           unsigned xcds)
{
    for (unsigned s = 0; s < KILN_TIMING_SIMDS; s++)
        unit->simds[s].paired = UINT64_MAX;
    if (!kiln_timing_l2_open(&unit->l2, l2_bytes, ghz, gb_s, xcds) ||
        !kiln_timing_l1_open(&unit->l1, &unit->l2) ||
        !kiln_timing_scalar_open(&unit->scalar, &unit->l2))
        return false;
    unit->lds.measured = unit->l1.measured = unit->l2.measured = unit->scalar.measured =
        unit->measured;
    kiln_timing_fabric_measured(&unit->l2.fabric, gb_s, xcds, kiln_timing_measured(unit->measured));
    return true;
}

void kiln_timing_unit_close(kiln_timing_unit_t *unit)
{
    kiln_timing_scalar_close(&unit->scalar);
    kiln_timing_l1_close(&unit->l1);
    kiln_timing_l2_close(&unit->l2);
}

// Counts cycles in which a wave stalled at an instruction.
static void count_stall(const kiln_timing_unit_t *unit, uint32_t op, kiln_sim_stall_t reason,
                        uint64_t cycles)
{
    if (unit->stalls)
        unit->stalls[op][reason] += cycles;
}

// ---- begin and end of waves

static const kiln_timing_op_t *next_op(const kiln_timing_unit_t *unit,
                                       const kiln_timing_wave_t *wave)
{
    const kiln_timing_op_t *ops = wave->number < unit->from_wave ? unit->plain : unit->ops;
    return &ops[wave->stream->steps[wave->step]];
}

// Whether this wave is exempt because others are supposed to replace it (kiln_sim_supposition_t).
static bool is_exempt(const kiln_timing_unit_t *unit, unsigned number)
{
    return unit->from_wave && number >= unit->from_wave;
}

// The first cycle at or after `at` in which this SIMD is visited.
static uint64_t visit_from(unsigned simd, uint64_t at)
{
    return at + (simd + CYCLES - at % CYCLES) % CYCLES;
}

// Adds the stall before or at a wave's last instruction to the timeline.
static void note(const kiln_timing_unit_t *unit, const kiln_timing_wave_t *wave, uint32_t op,
                 kiln_sim_stall_t reason, uint64_t now)
{
    if (unit->timeline)
        kiln_timing_timeline_issue(unit->timeline,
                                   (kiln_timing_event_t){.life = wave->life,
                                                         .op = op,
                                                         .begin = wave->free_at,
                                                         .issued = now,
                                                         .reason = (uint8_t)reason});
}

static void wake(kiln_timing_unit_t *unit, unsigned simd, uint64_t at)
{
    if (at < unit->simds[simd].wake)
        unit->simds[simd].wake = at;
}

static void prepare(kiln_timing_unit_t *unit, kiln_timing_wave_t *wave)
{
    kiln_timing_wave_prepare(wave, next_op(unit, wave), unit->image, &unit->scalar, unit->map);
    unit->simds[wave->simd].ready[wave->place] = wave->ready;
    wake(unit, wave->simd, wave->ready);
}

void kiln_timing_unit_start(kiln_timing_unit_t *unit, kiln_timing_slot_t *slot, uint64_t now)
{
    slot->live_waves = slot->group->wave_count;
    slot->arrived = 0;
    slot->begun = now;
    for (unsigned i = 0; i < slot->group->wave_count; i++) {
        const bool shares = is_exempt(unit, i);
        unsigned simd = shares ? slot->waves[i % unit->from_wave].simd : i % KILN_TIMING_SIMDS;
        for (unsigned s = 0; s < KILN_TIMING_SIMDS && !shares; s++)
            simd = unit->simds[s].placed < unit->simds[simd].placed ? s : simd;
        unit->simds[simd].placed += !shares;
        kiln_timing_wave_t *wave = &slot->waves[i];
        kiln_timing_wave_begin(wave, &slot->group->waves[i], now);
        wave->slot = slot;
        wave->number = i;
        wave->simd = simd;
        wave->age = unit->ages++;
        wave->life = unit->timeline
                         ? kiln_timing_timeline_begin(unit->timeline,
                                                      (kiln_timing_life_t){.group = slot->group->id,
                                                                           .number = i,
                                                                           .simd = simd,
                                                                           .begin = now})
                         : UINT32_MAX;
        wave->place = unit->simds[simd].count++;
        unit->simds[simd].waves[wave->place] = wave;
        prepare(unit, wave);
    }
}

static void leave(kiln_timing_unit_t *unit, kiln_timing_wave_t *wave)
{
    kiln_timing_simd_t *simd = &unit->simds[wave->simd];
    simd->count--;
    for (unsigned i = wave->place; i < simd->count; i++) {
        simd->waves[i] = simd->waves[i + 1];
        simd->ready[i] = simd->ready[i + 1];
        simd->waves[i]->place = i;
    }
    simd->placed -= !is_exempt(unit, wave->number);
    wave->ended = true;
    if (unit->timeline)
        kiln_timing_timeline_end(unit->timeline, wave->life, unit->now);
}

// Resumes the waves of a slot that wait at a barrier if all live waves have arrived.
static void release(kiln_timing_unit_t *unit, kiln_timing_slot_t *slot, uint64_t now)
{
    if (slot->arrived == 0 || slot->arrived < slot->live_waves)
        return;
    slot->arrived = 0;
    for (unsigned i = 0; i < slot->group->wave_count; i++) {
        kiln_timing_wave_t *wave = &slot->waves[i];
        if (!wave->at_barrier)
            continue;
        const uint64_t on = now + KILN_TIMING_BARRIER_CYCLES;
        const uint32_t op = wave->stream->steps[wave->step - 1];
        count_stall(unit, op, KILN_SIM_STALL_BARRIER, on - wave->free_at);
        note(unit, wave, op, KILN_SIM_STALL_BARRIER, on);
        wave->at_barrier = false;
        wave->free_at = on;
        prepare(unit, wave);
    }
}

// ---- ports

// Whether the instruction starts together with the one that started in this cycle.
static bool joins(const kiln_timing_simd_t *simd, const kiln_timing_op_t *op, uint64_t now)
{
    return op->pairs && simd->paired == now;
}

// The cycle from which the port can take the instruction, and the reason why not earlier.
static uint64_t port_free(const kiln_timing_unit_t *unit, unsigned number,
                          const kiln_timing_op_t *op, uint64_t now, kiln_sim_stall_t *reason)
{
    const kiln_timing_simd_t *simd = &unit->simds[number];
    if (op->without & (KILN_SIM_WITHOUT_ISSUE | KILN_SIM_WITHOUT_REQUEST))
        return 0;
    switch (op->act) {
    case KILN_TIMING_MATRIX:
        *reason = KILN_SIM_STALL_MFMA;
        return simd->matrix_free > simd->valu_free ? simd->matrix_free : simd->valu_free;
    case KILN_TIMING_ACCESSES_LDS:
        *reason = KILN_SIM_STALL_LDS;
        return kiln_timing_lds_accepts(&unit->lds, number);
    case KILN_TIMING_ACCESSES_MEMORY:
        *reason = KILN_SIM_STALL_VMEM;
        return kiln_timing_l1_accepts(&unit->l1);
    default:
        *reason = KILN_SIM_STALL_ISSUE;
        return op->port == KILN_TIMING_VALU && !joins(simd, op, now) ? simd->valu_free : 0;
    }
}

// ---- issue

// The cycle at which an access completes if it is supposed to be made some time earlier, but not
// before its workgroup began. It still takes its turn, so that waves cannot run ahead of what paths
// and memory deliver.
static uint64_t requested_earlier(uint64_t now, uint64_t done, uint64_t begun)
{
    enum { AHEAD = 2048 }; // cycles: more than twice the latency of HBM
    const uint64_t lived = now - begun, earlier = lived < AHEAD ? lived : AHEAD;
    return done > now + earlier ? done - earlier : now;
}

// Returns the cycle at which an access of memory, and of LDS for one that also goes there, is
// complete.
static uint64_t access_memory(kiln_timing_unit_t *unit, const kiln_timing_wave_t *wave,
                              const kiln_timing_op_t *op, const kiln_timing_access_t *access,
                              uint64_t now)
{
    uint64_t lines[KILN_TIMING_STREAM_LINES];
    for (unsigned i = 0; i < access->line_count; i++)
        lines[i] =
            kiln_timing_stream_line(wave->stream, access, kiln_timing_recorded_line(access, i));
    if (op->act == KILN_TIMING_LOADS_SCALAR)
        return kiln_timing_scalar_load(&unit->scalar, now, lines, access->line_count, unit->map);
    unit->l2.spread = access->spread;
    const uint64_t missed = unit->follow ? kiln_timing_l1_would_miss(&unit->l1, access, lines) : 0;
    if (unit->follow)
        unit->follow(unit->user, wave, now, missed, false);
    const uint64_t done = kiln_timing_l1_access(&unit->l1, now, access, lines, unit->map);
    if (unit->follow)
        unit->follow(unit->user, wave, now, missed, true);
    unit->l2.spread = false;
    return access->lds_cycles // a load straight to LDS, or flat
               ? kiln_timing_lds_access(&unit->lds, done, wave->simd, access->lds_cycles, 0, true)
               : done;
}

static void issue_access(kiln_timing_unit_t *unit, kiln_timing_wave_t *wave,
                         const kiln_timing_op_t *op, uint64_t now)
{
    kiln_timing_access_t *recorded = &wave->stream->accesses[wave->access++];
    const kiln_timing_access_t *access = recorded;
    kiln_timing_access_t exempt;
    if (op->without) {
        exempt = kiln_timing_access_without(access, op->without);
        exempt.spread_sets =
            op->without & KILN_SIM_WITHOUT_SETS && unit->set_waits && unit->set_waits[op->index];
        access = &exempt;
    }
    wave->memory += !access->local;
    if (op->without & KILN_SIM_WITHOUT_ISSUE) {
        wave->free_at = now;
        kiln_timing_wave_count(wave, op, now);
        return;
    }
    if (op->without & KILN_SIM_WITHOUT_REQUEST)
        wave->free_at = now;
    uint64_t done;
    if (op->act == KILN_TIMING_ACCESSES_LDS)
        done = kiln_timing_lds_access(&unit->lds, now, wave->simd, access->lds_cycles,
                                      4u * access->bytes, op->stores && !access->joined);
    else if (unit->memory == KILN_TIMING_MEMORY_RECALLED)
        done = now + recorded->delay;
    else
        done = access_memory(unit, wave, op, access, now);
    if (unit->memory == KILN_TIMING_MEMORY_KEPT) {
        recorded->delay = (uint32_t)(done - now);
        if (unit->set_waits && op->act == KILN_TIMING_ACCESSES_MEMORY)
            unit->set_waits[op->index] += unit->l1.set_wait;
    }
    if (op->without & KILN_SIM_WITHOUT_LATENCY)
        done = requested_earlier(now, done, wave->slot->begun);
    kiln_timing_wave_count(wave, op, done);
}

// Where the device limits its matrix operations, an instruction may have to wait for part of a
// slot, which the next one gets back.
static void occupy_matrix(const kiln_timing_unit_t *unit, kiln_timing_simd_t *simd,
                          const kiln_timing_op_t *op, uint64_t now)
{
    const bool in_a_row = (double)now - simd->matrix_until < CYCLES;
    const double from = in_a_row ? simd->matrix_until : (double)now;
    simd->matrix_until = from + op->cycles * (1 + unit->longer[op->power]);
    simd->matrix_free = (uint64_t)simd->matrix_until;
    simd->matrix_busy += simd->matrix_free - (uint64_t)from;
}

static void issue(kiln_timing_unit_t *unit, kiln_timing_wave_t *wave, const kiln_timing_op_t *op,
                  uint64_t now)
{
    kiln_timing_simd_t *simd = &unit->simds[wave->simd];
    count_stall(unit, op->index, wave->reason, now - wave->free_at);
    if (unit->waited &&
        (wave->reason == KILN_SIM_STALL_VMCNT || wave->reason == KILN_SIM_STALL_LGKMCNT))
        unit->waited[wave->awaited] += now - wave->free_at;
    note(unit, wave, op->index, wave->reason, now);
    unit->issued++;
    wave->step++;
    wave->issued = now;
    wave->free_at = now + CYCLES;
    if (op->invalidates)
        kiln_timing_tags_clear(&unit->l1.tags);
    switch (op->act) {
    case KILN_TIMING_MATRIX:
        occupy_matrix(unit, simd, op, now);
        simd->power_busy[op->power] += op->cycles;
        simd->valu_free = now + op->blocks;
        kiln_timing_wave_write(wave, op, now + op->latency);
        break;
    case KILN_TIMING_BRANCHES: {
        const bool taken = wave->step < wave->stream->step_count &&
                           next_op(unit, wave)->address != op->address + op->size;
        wave->free_at = now + (taken ? KILN_TIMING_BRANCH_TAKEN_CYCLES : KILN_TIMING_BRANCH_CYCLES);
        wave->jumps = taken;
        count_stall(unit, op->index, KILN_SIM_STALL_IDLE, wave->free_at - now - CYCLES);
        break;
    }
    case KILN_TIMING_IDLES:
        wave->free_at = now + op->cycles;
        count_stall(unit, op->index, KILN_SIM_STALL_IDLE, op->cycles - CYCLES);
        break;
    case KILN_TIMING_PRIORITY:
        wave->priority = op->level;
        break;
    case KILN_TIMING_BARRIER:
        wave->at_barrier = true;
        simd->ready[wave->place] = UINT64_MAX;
        wave->slot->arrived++;
        break;
    case KILN_TIMING_LOADS_SCALAR:
    case KILN_TIMING_ACCESSES_LDS:
    case KILN_TIMING_ACCESSES_MEMORY:
        issue_access(unit, wave, op, now);
        break;
    default:
        if (op->port == KILN_TIMING_VALU) {
            const bool second = joins(simd, op, now);
            simd->paired = op->pairs && !second ? now : UINT64_MAX;
            simd->valu_free = now + op->blocks;
            simd->valu_busy += second ? 0 : op->blocks;
            simd->power_busy[op->power] += op->blocks;
        }
        kiln_timing_wave_write(wave, op, now + op->latency);
        break;
    }
    count_stall(unit, op->index, KILN_SIM_STALL_ISSUED, CYCLES);
}

static void finish(kiln_timing_unit_t *unit, kiln_timing_wave_t *wave, uint64_t now)
{
    kiln_timing_slot_t *slot = wave->slot;
    leave(unit, wave);
    slot->live_waves--;
    if (slot->live_waves)
        release(unit, slot, now);
    else if (unit->ended)
        unit->ended(unit->user, slot, now);
}

// The first wave by priority and age among those that are ready and whose port is free and not yet
// used in this visit, or NULL. Lowers *wake to the earliest cycle in which one of the others can
// issue.
static kiln_timing_wave_t *choose(const kiln_timing_unit_t *unit, unsigned number, uint64_t now,
                                  unsigned used, uint64_t *wake_at)
{
    const kiln_timing_simd_t *simd = &unit->simds[number];
    kiln_timing_wave_t *best = NULL;
    for (unsigned i = 0; i < simd->count; i++) {
        uint64_t from = simd->ready[i];
        if (from <= now) {
            kiln_timing_wave_t *wave = simd->waves[i];
            const kiln_timing_op_t *op = next_op(unit, wave);
            kiln_sim_stall_t reason = KILN_SIM_STALL_ISSUE;
            const uint64_t port = port_free(unit, number, op, now, &reason);
            if (port > now) {
                from = port;
                wave->reason = reason;
            } else if (used >> op->port & 1 && !joins(simd, op, now)) {
                from = now + CYCLES;
            } else if (!best || wave->priority > best->priority) {
                best = wave;
            }
        }
        if (from > now && from < *wake_at)
            *wake_at = from;
    }
    return best;
}

// ---- visits

// Opens the visit of the next SIMD with a wave that may be ready. False if there is none.
static bool begin_visit(kiln_timing_unit_t *unit)
{
    unsigned number = 0;
    uint64_t next = UINT64_MAX;
    for (unsigned s = 0; s < KILN_TIMING_SIMDS; s++) {
        const kiln_timing_simd_t *simd = &unit->simds[s];
        if (simd->wake == UINT64_MAX)
            continue;
        const uint64_t at = visit_from(s, simd->wake > unit->now ? simd->wake : unit->now);
        if (at < next) {
            next = at;
            number = s;
        }
    }
    if (next == UINT64_MAX)
        return false;
    unit->now = next;
    unit->simds[number].wake = UINT64_MAX;
    unit->visit = (kiln_timing_visit_t){.open = true, .simd = number, .wake = UINT64_MAX};
    return true;
}

kiln_timing_wave_t *kiln_timing_unit_next(kiln_timing_unit_t *unit)
{
    kiln_timing_visit_t *visit = &unit->visit;
    while (visit->open || begin_visit(unit)) {
        kiln_timing_wave_t *wave = choose(unit, visit->simd, unit->now, visit->used, &visit->wake);
        if (wave)
            return wave;
        visit->open = false;
        wake(unit, visit->simd, visit->wake);
    }
    return NULL;
}

void kiln_timing_unit_issue(kiln_timing_unit_t *unit, kiln_timing_wave_t *wave)
{
    const kiln_timing_op_t *op = next_op(unit, wave);
    issue(unit, wave, op, unit->now);
    if (op->port != KILN_TIMING_INTERNAL)
        unit->visit.used |= 1u << op->port;
    if (wave->step == wave->stream->step_count)
        finish(unit, wave, unit->now);
    else if (wave->at_barrier)
        release(unit, wave->slot, unit->now);
    else
        prepare(unit, wave);
}

void kiln_timing_unit_hold(kiln_timing_unit_t *unit, const kiln_timing_wave_t *wave)
{
    unit->simds[wave->simd].ready[wave->place] = UINT64_MAX;
}

void kiln_timing_unit_release(kiln_timing_unit_t *unit, kiln_timing_wave_t *wave)
{
    if (wave->free_at < unit->now)
        wave->free_at = unit->now;
    prepare(unit, wave);
}

bool kiln_timing_unit_run(kiln_timing_unit_t *unit)
{
    unsigned live = 0;
    for (kiln_timing_wave_t *wave; (wave = kiln_timing_unit_next(unit));)
        kiln_timing_unit_issue(unit, wave);
    for (unsigned s = 0; s < KILN_TIMING_SIMDS; s++)
        live += unit->simds[s].count;
    return live == 0;
}
