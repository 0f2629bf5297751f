// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Races in LDS: two waves of a workgroup, one of them writing, the same bytes, and nothing that orders them.
//
// Idea: barriers cut time into pieces that all waves share, so for each granule of LDS it is enough to know which waves
// wrote, read, and changed it atomically since the last one: three sets, cleared at the barrier. Lanes that lie side by
// side are one range. An access conflicts when another wave is in the wrong set; only then is looked closer: did the
// store change anything, do atomics order the two (check_order.h)?
//
// The rule for barriers is LLVM's memory model for gfx942: LDS has several request queues, so an s_barrier does not
// order an access that its wave has not waited for. Such an access happens on both sides: a store or an atomic against
// every access behind the barrier, a read against stores that change what it reads. Loads straight to LDS count as
// stores, and are waited for by vmcnt.
//
// What a reader gets wrong: writing the value that is there already is no race that matters, and shipped kernels do it.
// Atomics do not conflict with each other. Granules are dwords until something smaller is accessed.
#include <stdlib.h>

#include "check_access.h"
#include "check_order.h"

enum { LDS_RING = 16, VM_RING = 64, FLAT_RING = 16, RING = LDS_RING + VM_RING + FLAT_RING };

// An access that may be under way: what is needed to make it again behind a barrier.
typedef struct flight {
    const kiln_sim_inst_t *inst; // NULL: none
    uint64_t lanes[2];
    uint32_t ticket;
    uint8_t parts, bytes, kind, queue;
    uint32_t at[2][KILN_SIM_LANES];
} flight_t;

struct check_race {
    uint32_t size; // bytes of LDS
    unsigned wave_count;
    unsigned shift;                        // log2 of a granule's bytes
    uint32_t count;                        // granules
    uint32_t first, end;                   // granules accessed since the last barrier
    uint16_t *writers, *readers, *atomics; // sets of waves
    uint32_t *write_inst, *read_inst;      // the latest, by index
    void *sets;
    // Once there are LDS atomics: when each wave accessed each granule last, in its own time.
    check_order_t *order;
    uint32_t *write_time, *read_time; // [granule * wave_count + wave]
    flight_t *flights;                // wave_count × RING
};

typedef struct conflict {
    uint32_t granule, inst;
    bool writes;
} conflict_t;

static bool allocate_sets(struct check_race *race)
{
    race->count = ((race->size + 3) / 4 * 4) >> race->shift;
    uint16_t *sets = calloc(race->count + 16, 3 * sizeof(uint16_t) + 2 * sizeof(uint32_t));
    if (!sets)
        return false;
    size_t n = (race->count + 15u) / 16 * 16;
    free(race->sets);
    race->sets = sets;
    race->write_inst = (uint32_t *)(void *)sets;
    race->read_inst = race->write_inst + n;
    race->writers = (uint16_t *)(void *)(race->read_inst + n);
    race->readers = race->writers + n;
    race->atomics = race->readers + n;
    return true;
}

struct check_race *kiln_sim_check_race_new(uint32_t lds_size, unsigned wave_count)
{
    struct check_race *race = calloc(1, sizeof *race);
    if (!race)
        return NULL;
    race->size = lds_size;
    race->wave_count = wave_count;
    race->shift = 2;
    race->flights = calloc((size_t)wave_count * RING, sizeof *race->flights);
    if (!race->flights || !allocate_sets(race)) {
        kiln_sim_check_race_free(race);
        return NULL;
    }
    return race;
}

void kiln_sim_check_race_free(struct check_race *race)
{
    if (!race)
        return;
    free(race->sets);
    free(race->order);
    free(race->write_time);
    free(race->read_time);
    free(race->flights);
    free(race);
}

static void forget_sets(struct check_race *race)
{
    if (race->first < race->end) {
        size_t bytes = (race->end - race->first) * sizeof(uint16_t);
        memset(race->writers + race->first, 0, bytes);
        memset(race->readers + race->first, 0, bytes);
        memset(race->atomics + race->first, 0, bytes);
    }
    race->first = UINT32_MAX;
    race->end = 0;
}

void kiln_sim_check_race_begin(struct check_race *race)
{
    forget_sets(race);
    if (race->order)
        memset(race->order, 0, sizeof *race->order);
    for (size_t i = 0; i < (size_t)race->wave_count * RING; i++)
        race->flights[i].inst = NULL;
}

// ---- granules

// Makes granules small enough for an access; what is known of a large one holds for its parts. False: out of memory.
static bool refine(struct check_race *race, unsigned shift)
{
    struct check_race old = *race;
    unsigned down = old.shift - shift;
    uint32_t *times[2] = {NULL, NULL};
    race->shift = shift;
    race->sets = NULL;
    if (old.order) {
        times[0] = calloc((size_t)old.count << down, old.wave_count * sizeof(uint32_t));
        times[1] = calloc((size_t)old.count << down, old.wave_count * sizeof(uint32_t));
    }
    if ((old.order && (!times[0] || !times[1])) || !allocate_sets(race)) {
        free(times[0]);
        free(times[1]);
        *race = old;
        return false;
    }
    for (uint32_t i = 0; i < race->count; i++) {
        race->writers[i] = old.writers[i >> down];
        race->readers[i] = old.readers[i >> down];
        race->atomics[i] = old.atomics[i >> down];
        race->write_inst[i] = old.write_inst[i >> down];
        race->read_inst[i] = old.read_inst[i >> down];
        for (unsigned w = 0; w < old.wave_count && old.order; w++) {
            times[0][i * old.wave_count + w] = old.write_time[(i >> down) * old.wave_count + w];
            times[1][i * old.wave_count + w] = old.read_time[(i >> down) * old.wave_count + w];
        }
    }
    if (old.first < old.end) {
        race->first = old.first << down;
        race->end = old.end << down;
    }
    free(old.sets);
    if (old.order) {
        free(old.write_time);
        free(old.read_time);
        race->write_time = times[0];
        race->read_time = times[1];
    }
    return true;
}

static bool begin_order(struct check_race *race)
{
    check_order_t *order = calloc(1, sizeof *order);
    race->write_time = calloc((size_t)race->count * race->wave_count, sizeof(uint32_t));
    race->read_time = calloc((size_t)race->count * race->wave_count, sizeof(uint32_t));
    if (!order || !race->write_time || !race->read_time) {
        free(order);
        free(race->write_time);
        free(race->read_time);
        race->write_time = race->read_time = NULL;
        return false;
    }
    race->order = order;
    return true;
}

// Of the waves in `set`, those whose last access (by `times`) did not happen before what `wave` does now.
static uint16_t unordered(const struct check_race *race, uint32_t granule, unsigned wave, uint16_t set,
                          const uint32_t *times)
{
    for (unsigned other = 0; race->order && other < race->wave_count; other++) {
        bool in_set = set >> other & 1;
        if (in_set && check_order_before(race->order, other, times[granule * race->wave_count + other], wave))
            set &= (uint16_t)~(1u << other);
    }
    return set;
}

// One granule that another wave has accessed, too. `changes`: the store writes another value than is there.
static bool conflicts(const struct check_race *race, uint32_t granule, unsigned wave, kiln_sim_access_t kind,
                      bool changes, conflict_t *with)
{
    uint16_t me = (uint16_t)(1u << wave), others = (uint16_t)~me;
    uint16_t writers = race->writers[granule], atomics = race->atomics[granule] & others;
    // Who wrote the same value itself sees its own write.
    writers = kind == KILN_SIM_LOAD && (writers & me) ? 0 : writers & others;
    writers |= kind == KILN_SIM_ATOMIC ? 0 : atomics;
    uint16_t readers = kind == KILN_SIM_LOAD ? 0 : race->readers[granule] & others;
    if (!changes)
        return false;
    if (unordered(race, granule, wave, writers, race->write_time)) {
        *with = (conflict_t){granule, race->write_inst[granule], true};
        return true;
    }
    if (unordered(race, granule, wave, readers, race->read_time)) {
        *with = (conflict_t){granule, race->read_inst[granule], false};
        return true;
    }
    return false;
}

static void note_times(struct check_race *race, uint32_t first, uint32_t count, unsigned wave, kiln_sim_access_t kind)
{
    uint32_t *times = kind == KILN_SIM_LOAD ? race->read_time : race->write_time;
    for (uint32_t i = first; i < first + count; i++)
        times[i * race->wave_count + wave] = race->order->time[wave];
}

// True where another wave has accessed one of the granules in a way that conflicts, if nothing orders the two.
static bool suspicious(const struct check_race *race, uint32_t first, uint32_t count, unsigned wave,
                       kiln_sim_access_t kind)
{
    const uint16_t others = (uint16_t)~(1u << wave), *writers = race->writers + first, *readers = race->readers + first,
                   *atomics = race->atomics + first;
    uint16_t found = 0;
    if (kind == KILN_SIM_LOAD) {
        for (uint32_t i = 0; i < count; i++)
            found |= writers[i] | atomics[i];
    } else if (kind == KILN_SIM_STORE) {
        for (uint32_t i = 0; i < count; i++)
            found |= writers[i] | readers[i] | atomics[i];
    } else {
        for (uint32_t i = 0; i < count; i++)
            found |= writers[i] | readers[i];
    }
    return found & others;
}

// Notes an access to granules. `changes`: of a store, whether it changes them (all of the range alike).
static void note(struct check_race *race, uint32_t first, uint32_t count, unsigned wave, kiln_sim_access_t kind,
                 bool changes, uint32_t inst)
{
    uint16_t me = (uint16_t)(1u << wave);
    uint16_t *set = (kind == KILN_SIM_LOAD    ? race->readers
                     : kind == KILN_SIM_STORE ? race->writers
                                              : race->atomics) +
                    first;
    uint32_t *latest = (kind == KILN_SIM_LOAD ? race->read_inst : race->write_inst) + first;
    race->first = first < race->first ? first : race->first;
    race->end = first + count > race->end ? first + count : race->end;
    for (uint32_t i = 0; i < count; i++)
        latest[i] = inst;
    if (kind == KILN_SIM_STORE && changes) {
        for (uint32_t i = 0; i < count; i++)
            set[i] = me;
    } else {
        for (uint32_t i = 0; i < count; i++)
            set[i] |= me;
    }
    if (race->order)
        note_times(race, first, count, wave, kind);
}

// ---- accesses

// Bytes that a store of one lane writes, from its data registers.
static void store_bytes(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, unsigned part, unsigned lane,
                        unsigned bytes, uint8_t data[16])
{
    const kiln_sim_operand_t *op = &inst->src[1 + part];
    uint32_t dwords[4] = {0};
    for (unsigned i = 0; i < (bytes + 3) / 4; i++)
        dwords[i] = wave->vgpr[op->reg + i][lane];
    if (bytes < 4 && strstr(inst->row->name, "d16_hi"))
        dwords[0] >>= 16;
    memcpy(data, dwords, bytes);
}

// One lane's access, granule by granule, where a look at its data may show that it changes nothing.
static bool look_closer(struct check_race *race, const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                        const check_access_t *a, unsigned part, unsigned lane, conflict_t *with)
{
    uint8_t data[16];
    bool found = false, compares = a->lds_kind == KILN_SIM_STORE && inst->src[1].kind == KILN_SIM_OP_VGPR;
    uint32_t at = a->lds_at[part][lane], last = (at + a->lds_bytes - 1) >> race->shift;
    if (compares)
        store_bytes(wave, inst, part, lane, a->lds_bytes, data);
    for (uint32_t g = at >> race->shift; g <= last; g++) {
        uint32_t from = g << race->shift, to = (g + 1) << race->shift;
        from = from < at ? at : from;
        to = to > at + a->lds_bytes ? at + a->lds_bytes : to;
        bool changes = !compares || memcmp(data + (from - at), wave->group->lds + from, to - from) != 0;
        found = found || conflicts(race, g, wave->index, a->lds_kind, changes, with);
        note(race, g, 1, wave->index, a->lds_kind, changes, inst->index);
    }
    return found;
}

static void report(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, unsigned lane, kiln_sim_access_t kind,
                   conflict_t with, unsigned shift)
{
    const kiln_sim_inst_t *other = kiln_sim_program_inst(wave->thread->launch->program, with.inst);
    static const char *const verbs[] = {"reads", "writes", "changes"};
    kiln_sim_check_found(wave, inst, other, (int)lane, KILN_SIM_CHECK_INDEX_RACE,
                         "a wave %s LDS at 0x%x, which another wave %s, with no barrier between", verbs[kind],
                         with.granule << shift, with.writes ? "writes" : "reads");
}

// A range of lanes [from, to] whose bytes lie side by side. True where it conflicts; *lane is the first that does.
static bool access_range(struct check_race *race, const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                         const check_access_t *a, unsigned part, unsigned from, unsigned to, unsigned *lane,
                         conflict_t *with)
{
    uint32_t at = a->lds_at[part][from], end = a->lds_at[part][to] + a->lds_bytes;
    uint32_t first = at >> race->shift, count = ((end - 1) >> race->shift) - first + 1;
    if (!suspicious(race, first, count, wave->index, a->lds_kind)) {
        note(race, first, count, wave->index, a->lds_kind, true, inst->index);
        return false;
    }
    bool found = false;
    for (unsigned l = from; l <= to; l++) {
        conflict_t here;
        if (look_closer(race, wave, inst, a, part, l, &here) && !found) {
            found = true;
            *lane = l;
            *with = here;
        }
    }
    return found;
}

// Atomics order waves: before the access itself is looked at, which comes behind what it acquires.
static void order_by_atomic(struct check_race *race, const kiln_sim_wave_t *wave, const check_footprint_t *f,
                            const check_access_t *a)
{
    if (!race->order && !begin_order(race))
        return;
    for (unsigned part = 0; part < a->lds_parts; part++) {
        for (uint64_t left = a->lds_lanes[part]; left; left &= left - 1)
            check_order_atomic(race->order, wave->index, a->lds_at[part][__builtin_ctzll(left)], f->spins);
    }
}

static flight_t *flight_of(struct check_race *race, unsigned wave, check_queue_t queue, uint32_t ticket)
{
    flight_t *ring = race->flights + (size_t)wave * RING;
    if (queue == CHECK_QUEUE_LDS)
        return ring + ticket % LDS_RING;
    return queue == CHECK_QUEUE_VM ? ring + LDS_RING + ticket % VM_RING
                                   : ring + LDS_RING + VM_RING + ticket % FLAT_RING;
}

// Whether the next lane's bytes continue the range.
static bool follows(const check_access_t *a, uint32_t at, uint32_t next)
{
    return next == at + a->lds_bytes || (next == at && a->lds_kind == KILN_SIM_LOAD);
}

void kiln_sim_check_race(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_footprint_t *f,
                         const check_access_t *a)
{
    struct check_race *race = wave->group->checks->race;
    if (!race || !(a->lds_lanes[0] | a->lds_lanes[1]))
        return;
    unsigned needs = 2;
    for (unsigned part = 0; part < a->lds_parts && needs; part++) {
        uint32_t bits = a->lds_bytes;
        for (uint64_t left = a->lds_lanes[part]; left; left &= left - 1)
            bits |= a->lds_at[part][__builtin_ctzll(left)];
        unsigned low = bits & 1 ? 0 : bits & 2 ? 1 : 2;
        needs = low < needs ? low : needs;
    }
    if (needs < race->shift && !refine(race, needs))
        return; // unwatched
    if (a->lds_kind == KILN_SIM_ATOMIC)
        order_by_atomic(race, wave, f, a);
    conflict_t with = {0};
    unsigned lane = 0;
    bool found = false; // told once for an execution of the instruction
    for (unsigned part = 0; part < a->lds_parts; part++) {
        const uint32_t *at = a->lds_at[part];
        for (uint64_t left = a->lds_lanes[part]; left;) {
            unsigned from = (unsigned)__builtin_ctzll(left), to = from;
            left &= left - 1;
            while (left && (unsigned)__builtin_ctzll(left) == to + 1 && follows(a, at[to], at[to + 1])) {
                to++;
                left &= left - 1;
            }
            conflict_t here = {0};
            unsigned first = 0;
            if (access_range(race, wave, inst, a, part, from, to, &first, &here) && !found) {
                found = true;
                lane = first;
                with = here;
            }
        }
    }
    if (a->lds_kind == KILN_SIM_ATOMIC && race->order)
        race->order->time[wave->index]++;
    if (found)
        report(wave, inst, lane, a->lds_kind, with, race->shift);

    uint32_t ticket = kiln_sim_check_wave(wave)->issued[f->queue];
    flight_t *flight = flight_of(race, wave->index, f->queue, ticket);
    flight->inst = inst;
    flight->ticket = ticket;
    flight->parts = a->lds_parts;
    flight->bytes = a->lds_bytes;
    flight->kind = a->lds_kind;
    flight->queue = f->queue;
    for (unsigned part = 0; part < a->lds_parts; part++) {
        flight->lanes[part] = a->lds_lanes[part];
        memcpy(flight->at[part], a->lds_at[part], sizeof flight->at[part]);
    }
}

// Behind a barrier: what was not waited for in front of it happens here, too.
static void carry_over(struct check_race *race, unsigned wave, const check_wave_t *w)
{
    for (unsigned i = 0; i < RING; i++) {
        flight_t *f = &race->flights[(size_t)wave * RING + i];
        if (!f->inst)
            continue;
        if (f->ticket <= w->done[f->queue]) {
            f->inst = NULL;
            continue;
        }
        for (unsigned part = 0; part < f->parts; part++) {
            for (uint64_t left = f->lanes[part]; left; left &= left - 1) {
                uint32_t at = f->at[part][__builtin_ctzll(left)], first = at >> race->shift;
                note(race, first, ((at + f->bytes - 1) >> race->shift) - first + 1, wave, f->kind, false,
                     f->inst->index);
            }
        }
    }
}

void kiln_sim_check_race_barrier(kiln_sim_workgroup_t *group)
{
    struct check_race *race = group->checks->race;
    if (!race)
        return;
    forget_sets(race);
    for (unsigned i = 0; i < group->wave_count; i++)
        carry_over(race, i, &group->checks->waves[i]);
}
