// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects races in device memory, on request: two waves access the same bytes, at least one of them
// writes, and nothing orders the accesses.
//
// Each wave has a time that advances at each potential release, and a vector clock of its knowledge
// of other waves' times (check/vector_clock.h). Each dword of an allocation records its last writer
// and readers. A workgroup's barrier makes each wave's past known to all of its waves, with
// accesses for which they have not waited: they share an L1, which takes vector accesses in the
// order of their issue, so LLVM's memory model waits for nothing but LDS there. Between workgroups
// only atomics do, following LLVM's memory model for gfx942: what precedes `buffer_wbl2 sc1` and a
// wait for vmcnt(0) is released by subsequent atomics, and a wave that has received an atomic's
// result acquires it with `buffer_inv sc1`. Within a workgroup neither is needed, and across a
// barrier one wave may execute the atomic and another the rest. A launch begins with empty clocks,
// since the end of a kernel orders everything. Scalar memory accesses are treated like vector
// accesses. Kernel arguments and code, which kernels do not write, are not checked.
//
// Atomics and accesses with sc1 do not conflict with each other. A store that changes nothing is
// not a race. Workgroups run one after another on one host thread, so that findings are
// deterministic; races are found nevertheless, because the clocks determine the order, not the
// execution. Only ordering is checked: stale data that a scalar load may get from its cache after a
// barrier, because vector stores do not update it, is not detected, nor is one that is outstanding
// at a barrier and reads what another wave stores after it. A scalar load reads whole dwords and
// therefore races with a store to bytes of them that are not used.
#include <stdlib.h>

#include "base/array.h"
#include "check/state.h"
#include "check/vector_clock.h"

typedef struct seen {
    uint32_t wave, time; // wave: number in the launch + 1; 0: none
} seen_t;

typedef struct cell {
    seen_t writer, readers[2]; // second reader: one that the first does not cover
    uint32_t write_inst, read_inst;
    uint8_t written, read; // bytes of the dword
    bool atomic;           // whether the last write was
} cell_t;

typedef struct region {
    uint64_t base; // of an allocation
    cell_t *cells;
} region_t;

// The clocks that atomics released at a dword.
typedef struct place {
    uint64_t address;
    check_clock_t *all, *local; // for all waves; for waves of the last workgroup
    uint64_t group;
} place_t;

struct check_global {
    region_t *regions;
    size_t region_count, region_capacity;
    place_t *places; // a hash table
    size_t place_count, place_capacity;
    bool out_of_memory; // reporting has stopped
};

struct check_global_wave {
    uint32_t number, time; // in the launch, from 1
    check_clock_t *known, *flushing, *released, *acquired;
    bool left_gws; // acquires what others released at GWS at the next instruction
};

// GWS is one more place that all waves use; no allocation has this address.
enum { GWS_PLACE = 4 };

// ---- a launch and its workgroups

struct check_global *kiln_sim_check_global_new(void)
{
    return calloc(1, sizeof(struct check_global));
}

void kiln_sim_check_global_free(struct check_global *global)
{
    for (size_t i = 0; global && i < global->region_count; i++)
        free(global->regions[i].cells);
    for (size_t i = 0; global && i < global->place_capacity; i++) {
        kiln_sim_check_clock_drop(global->places[i].all);
        kiln_sim_check_clock_drop(global->places[i].local);
    }
    if (global) {
        free(global->regions);
        free(global->places);
    }
    free(global);
}

static void forget(struct check_global_wave *wave)
{
    kiln_sim_check_clock_drop(wave->known);
    kiln_sim_check_clock_drop(wave->flushing);
    kiln_sim_check_clock_drop(wave->released);
    kiln_sim_check_clock_drop(wave->acquired);
}

void kiln_sim_check_global_begin(struct check_global_wave *waves, uint64_t group, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        forget(&waves[i]);
        waves[i] = (struct check_global_wave){.number = (uint32_t)group * count + i + 1, .time = 1};
    }
}

struct check_global_wave *kiln_sim_check_global_waves(unsigned count)
{
    return calloc(count, sizeof(struct check_global_wave));
}

void kiln_sim_check_global_waves_free(struct check_global_wave *waves, unsigned count)
{
    for (unsigned i = 0; waves && i < count; i++)
        forget(&waves[i]);
    free(waves);
}

// ---- knowledge

// The cell of an address in that allocation. NULL if memory is exhausted.
static cell_t *cell_at(struct check_global *global, const kiln_sim_allocation_t *home,
                       uint64_t address)
{
    for (size_t i = 0; i < global->region_count; i++) {
        region_t *r = &global->regions[i];
        if (r->base != home->base)
            continue;
        region_t found = *r;
        *r = global->regions[0]; // move the latest to the front
        global->regions[0] = found;
        return &found.cells[(address - found.base) / 4];
    }
    cell_t *cells = NULL;
    if (KILN_ARRAY_RESERVE(&global->regions, &global->region_capacity, global->region_count + 1))
        cells = calloc(home->size / 4 + 2, sizeof *cells);
    if (!cells) {
        global->out_of_memory = true;
        return NULL;
    }
    global->regions[global->region_count++] = (region_t){home->base, cells};
    return &cells[(address - home->base) / 4];
}

static bool before(const struct check_global_wave *me, seen_t seen)
{
    return !seen.wave || seen.wave == me->number ||
           kiln_sim_check_clock_of(me->known, seen.wave) > seen.time;
}

static place_t *place_at(struct check_global *global, uint64_t address)
{
    if (2 * global->place_count >= global->place_capacity) {
        size_t capacity = global->place_capacity ? 2 * global->place_capacity : 64;
        place_t *old = global->places, *places = calloc(capacity, sizeof *places);
        if (!places) {
            global->out_of_memory = true;
            return NULL;
        }
        for (size_t i = 0; i < global->place_capacity; i++) {
            size_t at = (old[i].address >> 2) * 0x9e3779b97f4a7c15u % capacity;
            while (old[i].address && places[at].address)
                at = (at + 1) % capacity;
            if (old[i].address)
                places[at] = old[i];
        }
        free(old);
        global->places = places;
        global->place_capacity = capacity;
    }
    size_t at = (address >> 2) * 0x9e3779b97f4a7c15u % global->place_capacity;
    while (global->places[at].address && global->places[at].address != address)
        at = (at + 1) % global->place_capacity;
    if (!global->places[at].address) {
        global->places[at].address = address;
        global->place_count++;
    }
    return &global->places[at];
}

// ---- bytes of one lane, or of a scalar access

typedef struct piece {
    uint64_t at;
    unsigned bytes;
    const uint32_t *data; // stored registers, `apart` dwords apart; NULL for other accesses
    unsigned apart, skip; // skip: unused bytes of the first register
} piece_t;

// A scalar access has one piece, number 0.
static uint64_t pieces_of(const kiln_sim_accesses_t *a, uint64_t lanes)
{
    return a->scalar_dwords ? 1 : a->bytes ? lanes : 0;
}

static piece_t piece_of(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                        const kiln_sim_accesses_t *a, unsigned lane)
{
    const bool stores = a->kind == KILN_SIM_STORE;
    if (a->scalar_dwords)
        return (piece_t){.at = a->scalar_at & ~3ull,
                         .bytes = 4 * a->scalar_dwords,
                         .data = stores ? &wave->sgpr[inst->src[1].reg] : NULL,
                         .apart = 1};
    piece_t p = {.at = a->at[lane],
                 .bytes = a->partial >> lane & 1 ? a->lane_bytes[lane] : a->bytes,
                 .data = stores ? &wave->vgpr[inst->src[1].reg][lane] : NULL,
                 .apart = KILN_GFX942_LANES};
    p.skip = stores && p.bytes < 4 && strstr(inst->row->name, "d16_hi") ? 2 : 0;
    return p;
}

typedef struct conflict {
    uint64_t address;
    uint32_t inst, wave; // wave: number of the other one in the launch + 1
    bool writes;
} conflict_t;

static bool touch(cell_t *c, const struct check_global_wave *me, kiln_sim_access_t kind,
                  bool atomic, uint8_t bytes, uint32_t inst, conflict_t *with)
{
    bool found = false;
    bool both_atomic = atomic && c->atomic;
    if ((c->written & bytes) && !both_atomic && !before(me, c->writer)) {
        *with = (conflict_t){.inst = c->write_inst, .wave = c->writer.wave, .writes = true};
        found = true;
    }
    if (kind == KILN_SIM_LOAD) {
        if (!atomic) {
            c->readers[!before(me, c->readers[0])] = (seen_t){me->number, me->time};
            c->read |= bytes;
            c->read_inst = inst;
        }
        return found;
    }
    if (!found && (c->read & bytes) && !(before(me, c->readers[0]) && before(me, c->readers[1]))) {
        *with =
            (conflict_t){.inst = c->read_inst, .wave = c->readers[before(me, c->readers[0])].wave};
        found = true;
    }
    bool alone = c->writer.wave == me->number;
    c->written = (uint8_t)(alone || before(me, c->writer) ? c->written | bytes : bytes);
    c->writer = (seen_t){me->number, me->time};
    c->write_inst = inst;
    c->atomic = atomic;
    return found;
}

static bool piece_touch(struct check_global *global, const struct check_global_wave *me,
                        const kiln_sim_allocation_t *home, const piece_t *p, kiln_sim_access_t kind,
                        bool atomic, uint32_t inst, conflict_t *with)
{
    bool found = false;
    for (uint64_t dword = p->at & ~3ull; dword < p->at + p->bytes; dword += 4) {
        uint8_t mask = 0;
        bool changes = !p->data;
        for (unsigned i = 0; i < 4; i++) {
            uint64_t offset = dword + i - p->at;
            if (offset >= p->bytes)
                continue;
            mask |= (uint8_t)(1u << i);
            if (!changes) {
                unsigned from = (unsigned)offset + p->skip;
                uint32_t data = p->data[(size_t)p->apart * (from / 4)] >> (8 * (from % 4));
                changes = *(const uint8_t *)(uintptr_t)(dword + i) != (uint8_t)data;
            }
        }
        cell_t *c = changes ? cell_at(global, home, p->at) : NULL;
        if (!c)
            continue;
        c += dword / 4 - (p->at & ~3ull) / 4;
        conflict_t here;
        if (touch(c, me, kind, atomic, mask, inst, &here) && !found) {
            found = true;
            *with = here;
            with->address = dword;
        }
    }
    return found;
}

// ---- order

static void synchronise(kiln_sim_wave_t *wave, struct check_global *global,
                        const kiln_sim_inst_t *inst, const kiln_sim_accesses_t *a)
{
    struct check_global_wave *me = &kiln_sim_check_group(wave->group)->global_waves[wave->index];
    bool good = true,
         acquires = inst->dst.kind != KILN_SIM_OP_NONE &&
                    (a->kind == KILN_SIM_LOAD || (inst->cache & KILN_SIM_CACHE_SC0)),
         releases = a->kind != KILN_SIM_LOAD;
    for (uint64_t left = pieces_of(a, a->lanes); left && good; left &= left - 1) {
        place_t *p =
            place_at(global, piece_of(wave, inst, a, (unsigned)__builtin_ctzll(left)).at & ~3ull);
        good = p != NULL;
        bool same_group = good && p->local && p->group == wave->group->index;
        if (good && acquires) {
            good = kiln_sim_check_clock_join(&me->acquired, p->all);
            good = good && (!same_group || kiln_sim_check_clock_join(&me->known, p->local));
        }
        if (good && releases) {
            if (!same_group) {
                kiln_sim_check_clock_drop(p->local);
                p->local = NULL;
                p->group = wave->group->index;
            }
            good = kiln_sim_check_clock_join(&p->all, me->released) &&
                   kiln_sim_check_clock_join(&p->local, me->known) &&
                   kiln_sim_check_clock_add(&p->local, me->number, me->time + 1);
        }
    }
    if (releases)
        me->time++;
    global->out_of_memory |= !good;
}

// Handles buffer_wbl2, buffer_inv and the waits that complete them.
static void fence(struct check_global *global, struct check_global_wave *me,
                  const kiln_sim_inst_t *inst, const check_facts_t *f)
{
    bool good = true, device = inst->cache & KILN_SIM_CACHE_SC1;
    if (f->uses->is_wait && ((unsigned)inst->imm & 0xc00f) == 0) {
        if (me->flushing)
            good = kiln_sim_check_clock_join(&me->released, me->flushing);
    } else if (device && strcmp(inst->row->name, "buffer_wbl2") == 0) {
        good = kiln_sim_check_clock_join(&me->flushing, me->known) &&
               kiln_sim_check_clock_add(&me->flushing, me->number, me->time + 1);
        me->time++;
    } else if (device && strcmp(inst->row->name, "buffer_inv") == 0) {
        good = kiln_sim_check_clock_join(&me->known, me->acquired);
    }
    global->out_of_memory |= !good;
}

static void pass_gws(struct check_global *global, struct check_global_wave *me, bool arrives)
{
    place_t *p = place_at(global, GWS_PLACE);
    bool good = p && (arrives ? kiln_sim_check_clock_join(&p->all, me->known) &&
                                    kiln_sim_check_clock_add(&p->all, me->number, me->time + 1)
                              : kiln_sim_check_clock_join(&me->known, p->all));
    me->time += arrives;
    me->left_gws = arrives;
    global->out_of_memory |= !good;
}

static void replace(check_clock_t **clock, check_clock_t *by)
{
    check_clock_t *use = kiln_sim_check_clock_use(by);
    kiln_sim_check_clock_drop(*clock);
    *clock = use;
}

// Joins the knowledge of all waves. If one wave has released or acquired, others may execute the
// rest, because they share the caches.
void kiln_sim_check_global_barrier(kiln_sim_workgroup_t *group)
{
    struct check_global *global = kiln_sim_launch_global(kiln_sim_check_group(group)->launch);
    struct check_global_wave *waves = kiln_sim_check_group(group)->global_waves;
    check_clock_t *known = NULL, *released = NULL, *acquired = NULL;
    bool good = true;
    for (unsigned i = 0; i < group->wave_count; i++) {
        good = good && kiln_sim_check_clock_join(&known, waves[i].known) &&
               kiln_sim_check_clock_add(&known, waves[i].number, waves[i].time + 1) &&
               kiln_sim_check_clock_join(&released, waves[i].released) &&
               kiln_sim_check_clock_join(&acquired, waves[i].acquired);
        waves[i].time++;
    }
    for (unsigned i = 0; i < group->wave_count; i++) {
        replace(&waves[i].known, known);
        replace(&waves[i].released, released);
        replace(&waves[i].acquired, acquired);
    }
    kiln_sim_check_clock_drop(known);
    kiln_sim_check_clock_drop(released);
    kiln_sim_check_clock_drop(acquired);
    global->out_of_memory |= !good;
}

void kiln_sim_check_global(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                           const check_facts_t *f)
{
    struct check_global *global = kiln_sim_launch_global(wave->thread->launch);
    if (global->out_of_memory)
        return;
    struct check_global_wave *me = &kiln_sim_check_group(wave->group)->global_waves[wave->index];
    if (me->left_gws)
        pass_gws(global, me, false);
    if (f->is_gws)
        pass_gws(global, me, true);
    if (inst->row->class_ == KILN_SIM_CLASS_SYNC)
        fence(global, me, inst, f);
}

static uint8_t byte_of(const piece_t *p, uint64_t at)
{
    unsigned from = (unsigned)(at - p->at) + p->skip;
    return (uint8_t)(p->data[(size_t)p->apart * (from / 4)] >> 8 * (from % 4));
}

// Finds two lanes that store different values to one byte; which value remains is not defined.
// Addresses mostly ascend with the lanes.
static bool lanes_differ(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                         const kiln_sim_accesses_t *a, uint64_t pieces, unsigned out_lanes[2],
                         uint64_t *out_at)
{
    piece_t seen[KILN_GFX942_LANES];
    unsigned lanes[KILN_GFX942_LANES], count = 0;
    uint64_t end = 0;
    for (uint64_t left = pieces; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        piece_t p = piece_of(wave, inst, a, lane);
        for (unsigned i = 0; i < count && p.at < end; i++)
            for (uint64_t at = p.at > seen[i].at ? p.at : seen[i].at;
                 at < p.at + p.bytes && at < seen[i].at + seen[i].bytes; at++)
                if (byte_of(&p, at) != byte_of(&seen[i], at)) {
                    out_lanes[0] = lanes[i];
                    out_lanes[1] = lane;
                    *out_at = at;
                    return true;
                }
        end = p.at + p.bytes > end ? p.at + p.bytes : end;
        lanes[count] = lane;
        seen[count++] = p;
    }
    return false;
}

void kiln_sim_check_global_access(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                  const kiln_sim_accesses_t *a)
{
    struct check_global *global = kiln_sim_launch_global(wave->thread->launch);
    const uint64_t pieces = pieces_of(a, a->lanes | a->partial);
    if (global->out_of_memory || !pieces)
        return;
    const struct check_global_wave *me =
        &kiln_sim_check_group(wave->group)->global_waves[wave->index];
    bool atomic = a->kind == KILN_SIM_ATOMIC || (inst->cache & KILN_SIM_CACHE_SC1);
    bool found = false;
    int lane = -1;
    conflict_t with = {0};
    for (uint64_t left = pieces; left; left &= left - 1) {
        unsigned number = (unsigned)__builtin_ctzll(left);
        piece_t p = piece_of(wave, inst, a, number);
        const kiln_sim_allocation_t *home =
            kiln_sim_memory_find(wave->thread->launch->memory, p.at);
        if (!home || home->kind == KILN_SIM_MEMORY_CODE || home->kind == KILN_SIM_MEMORY_SYSTEM)
            continue;
        conflict_t here = {0};
        if (piece_touch(global, me, home, &p, a->kind, atomic, inst->index, &here) && !found) {
            found = true;
            lane = a->scalar_dwords ? -1 : (int)number;
            with = here;
        }
    }
    if (atomic)
        synchronise(wave, global, inst, a);
    unsigned lanes[2];
    uint64_t at;
    if (a->kind == KILN_SIM_STORE && !a->scalar_dwords &&
        lanes_differ(wave, inst, a, pieces, lanes, &at))
        kiln_sim_check_found(
            wave, inst, NULL, (int)lanes[1], KILN_SIM_CHECK_INDEX_GLOBAL_RACE,
            "lanes %u and %u of one store write different values to device memory at 0x%llx",
            lanes[0], lanes[1], (unsigned long long)at);
    if (!found || global->out_of_memory)
        return;
    static const char *const verbs[] = {"reads", "writes", "changes"};
    kiln_sim_check_found(
        wave, inst, kiln_sim_program_inst(wave->thread->launch->program, with.inst), lane,
        KILN_SIM_CHECK_INDEX_GLOBAL_RACE,
        "a wave %s device memory at 0x%llx, which wave %u of workgroup number %u %s, without a "
        "barrier or a release and acquire in between",
        verbs[a->kind], (unsigned long long)with.address, (with.wave - 1) % wave->group->wave_count,
        (with.wave - 1) / wave->group->wave_count, with.writes ? "writes" : "reads");
}
