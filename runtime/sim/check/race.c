// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects races in LDS: two waves of a workgroup access the same bytes, at least one of them
// writes, and nothing orders the accesses.
//
// Barriers divide time into intervals that all waves share. For each granule of LDS it is therefore
// enough to know which waves wrote it, read it, and changed it atomically since the last barrier:
// three sets, cleared at the barrier. An access may conflict if another wave is in a conflicting
// set. Only then a slower test decides: did the store change anything, do atomics order the two
// (check/order.h)?
//
// The rule for barriers is LLVM's memory model for gfx942: LDS has several request queues, so an
// s_barrier does not order an access that its wave has not waited for. Such an access counts on
// both sides of the barrier: a store or an atomic conflicts with every access after the barrier, a
// read with stores that change what it reads. Direct loads to LDS count as stores and are waited
// for by vmcnt.
//
// Writing the value that is already there is not reported, because it is harmless and shipped
// kernels do it. Atomics do not conflict with each other. Granules are dwords until something
// smaller is accessed.
#include <stdlib.h>

#include "check/order.h"
#include "check/state.h"

enum { LDS_RING = 16, VM_RING = 64, FLAT_RING = 16, RING = LDS_RING + VM_RING + FLAT_RING };

// An access that may be outstanding, with the data needed to repeat it after a barrier.
typedef struct flight {
    const kiln_sim_inst_t *inst; // NULL: none
    uint64_t lanes[2];
    uint32_t ticket;
    uint8_t parts, bytes, kind, queue;
    uint32_t at[2][KILN_GFX942_LANES];
} flight_t;

// Three sets of waves (bits from WRITERS, READERS and ATOMICS on), and the indices of the latest
// instructions.
typedef struct cell {
    uint64_t sets;
    uint32_t write_inst, read_inst;
} cell_t;

enum { WRITERS = 0, READERS = 16, ATOMICS = 32 };

struct check_race {
    uint32_t size; // size of LDS in bytes
    unsigned wave_count;
    unsigned shift;      // log2 of a granule's bytes
    uint32_t count;      // number of granules
    uint32_t first, end; // granules accessed since the last barrier
    cell_t *cells;       // by granule
    // Allocated at the first LDS atomic: when each wave last accessed each granule, in its own
    // time.
    check_order_t *order;
    uint32_t *write_time, *read_time; // [granule * wave_count + wave]
    flight_t *flights;                // wave_count × RING
};

typedef struct conflict {
    uint32_t granule, inst;
    unsigned wave; // one of the other waves
    bool writes;
} conflict_t;

static bool allocate_cells(struct check_race *race)
{
    race->count = ((race->size + 3) / 4 * 4) >> race->shift;
    race->cells = calloc(race->count + 1, sizeof *race->cells);
    return race->cells != NULL;
}

// The sets of a granule in which another wave conflicts with an access. own_bit is the bit that
// records the access.
static uint64_t others_sets(unsigned wave, kiln_sim_access_t kind)
{
    uint64_t others = (uint16_t)~(1u << wave);
    return kind == KILN_SIM_LOAD    ? others << WRITERS | others << ATOMICS
           : kind == KILN_SIM_STORE ? others << WRITERS | others << READERS | others << ATOMICS
                                    : others << WRITERS | others << READERS;
}

static uint64_t own_bit(unsigned wave, kiln_sim_access_t kind)
{
    return (uint64_t)1 << (wave + (kind == KILN_SIM_LOAD    ? READERS
                                   : kind == KILN_SIM_STORE ? WRITERS
                                                            : ATOMICS));
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
    if (!race->flights || !allocate_cells(race)) {
        kiln_sim_check_race_free(race);
        return NULL;
    }
    return race;
}

void kiln_sim_check_race_free(struct check_race *race)
{
    if (!race)
        return;
    free(race->cells);
    free(race->order);
    free(race->write_time);
    free(race->read_time);
    free(race->flights);
    free(race);
}

static void forget_sets(struct check_race *race)
{
    if (race->first < race->end)
        memset(race->cells + race->first, 0, (race->end - race->first) * sizeof *race->cells);
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

// Reduces the size of granules for an access; the state of each is copied to its parts. False if
// memory is exhausted.
static bool refine(struct check_race *race, unsigned shift)
{
    struct check_race old = *race;
    unsigned down = old.shift - shift;
    uint32_t *times[2] = {NULL, NULL};
    race->shift = shift;
    race->cells = NULL;
    if (old.order) {
        times[0] = calloc((size_t)old.count << down, old.wave_count * sizeof(uint32_t));
        times[1] = calloc((size_t)old.count << down, old.wave_count * sizeof(uint32_t));
    }
    if ((old.order && (!times[0] || !times[1])) || !allocate_cells(race)) {
        free(times[0]);
        free(times[1]);
        *race = old;
        return false;
    }
    for (uint32_t i = 0; i < race->count; i++) {
        race->cells[i] = old.cells[i >> down];
        for (unsigned w = 0; w < old.wave_count && old.order; w++) {
            times[0][i * old.wave_count + w] = old.write_time[(i >> down) * old.wave_count + w];
            times[1][i * old.wave_count + w] = old.read_time[(i >> down) * old.wave_count + w];
        }
    }
    if (old.first < old.end) {
        race->first = old.first << down;
        race->end = old.end << down;
    }
    free(old.cells);
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

// The waves in `set` whose last access (by `times`) did not happen before the current access of
// `wave`.
static uint16_t unordered(const struct check_race *race, uint32_t granule, unsigned wave,
                          uint16_t set, const uint32_t *times)
{
    for (unsigned other = 0; race->order && other < race->wave_count; other++) {
        bool in_set = set >> other & 1;
        if (in_set &&
            check_order_before(race->order, other, times[granule * race->wave_count + other], wave))
            set &= (uint16_t)~(1u << other);
    }
    return set;
}

// Whether an access to one granule conflicts with another wave's. `changes`: the store changes the
// value.
static bool conflicts(const struct check_race *race, uint32_t granule, unsigned wave,
                      kiln_sim_access_t kind, bool changes, conflict_t *with)
{
    const cell_t *cell = &race->cells[granule];
    uint64_t found = cell->sets & others_sets(wave, kind);
    // A wave that wrote the same value itself reads its own write.
    if (kind == KILN_SIM_LOAD && (cell->sets & own_bit(wave, KILN_SIM_STORE)))
        found &= ~(0xffffull << WRITERS);
    uint16_t writers = (uint16_t)(found >> WRITERS | found >> ATOMICS),
             readers = (uint16_t)(found >> READERS);
    if (!changes)
        return false;
    uint16_t others = unordered(race, granule, wave, writers, race->write_time);
    bool writes = others != 0;
    if (!writes)
        others = unordered(race, granule, wave, readers, race->read_time);
    if (others)
        *with = (conflict_t){granule, writes ? cell->write_inst : cell->read_inst,
                             (unsigned)__builtin_ctz(others), writes};
    return others != 0;
}

static void note_times(struct check_race *race, uint32_t first, uint32_t count, unsigned wave,
                       kiln_sim_access_t kind)
{
    uint32_t *times = kind == KILN_SIM_LOAD ? race->read_time : race->write_time;
    for (uint32_t i = first; i < first + count; i++)
        times[i * race->wave_count + wave] = race->order->time[wave];
}

static void widen(struct check_race *race, uint32_t first, uint32_t end)
{
    race->first = first < race->first ? first : race->first;
    race->end = end > race->end ? end : race->end;
}

// Records an access to granules. `changes`: a store that changes them.
static void note(struct check_race *race, uint32_t first, uint32_t count, unsigned wave,
                 kiln_sim_access_t kind, bool changes, uint32_t inst)
{
    uint64_t keep = kind == KILN_SIM_STORE && changes ? ~(0xffffull << WRITERS) : UINT64_MAX,
             own = own_bit(wave, kind);
    widen(race, first, first + count);
    for (cell_t *cell = race->cells + first, *end = cell + count; cell < end; cell++) {
        cell->sets = (cell->sets & keep) | own;
        *(kind == KILN_SIM_LOAD ? &cell->read_inst : &cell->write_inst) = inst;
    }
    if (race->order)
        note_times(race, first, count, wave, kind);
}

// ---- accesses

// Copies the bytes that one lane stores from its data registers.
static void store_bytes(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, unsigned part,
                        unsigned lane, unsigned bytes, uint8_t data[16])
{
    const kiln_sim_operand_t *op = &inst->src[1 + part];
    uint32_t dwords[4] = {0};
    for (unsigned i = 0; i < (bytes + 3) / 4; i++)
        dwords[i] = wave->vgpr[op->reg + i][lane];
    if (bytes < 4 && strstr(inst->row->name, "d16_hi"))
        dwords[0] >>= 16;
    memcpy(data, dwords, bytes);
}

// Tests one lane's access granule by granule; its data may show that it changes nothing.
static bool check_granules(struct check_race *race, const kiln_sim_wave_t *wave,
                           const kiln_sim_inst_t *inst, const kiln_sim_accesses_t *a, unsigned part,
                           unsigned lane, conflict_t *with)
{
    uint8_t data[16];
    bool found = false,
         compares = a->lds_kind == KILN_SIM_STORE && inst->src[1].kind == KILN_SIM_OP_VGPR;
    uint32_t at = a->lds_at[part][lane], last = (at + a->lds_bytes - 1) >> race->shift;
    if (compares)
        store_bytes(wave, inst, part, lane, a->lds_bytes, data);
    for (uint32_t g = at >> race->shift; g <= last; g++) {
        uint32_t from = g << race->shift, to = (g + 1) << race->shift;
        from = from < at ? at : from;
        to = to > at + a->lds_bytes ? at + a->lds_bytes : to;
        bool changes =
            !compares || memcmp(data + (from - at), wave->group->lds + from, to - from) != 0;
        found = found || conflicts(race, g, wave->index, a->lds_kind, changes, with);
        note(race, g, 1, wave->index, a->lds_kind, changes, inst->index);
    }
    return found;
}

static void report(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, unsigned lane,
                   kiln_sim_access_t kind, conflict_t with, unsigned shift)
{
    const kiln_sim_inst_t *other = kiln_sim_program_inst(wave->thread->launch->program, with.inst);
    static const char *const verbs[] = {"reads", "writes", "changes"};
    kiln_sim_check_found(wave, inst, other, (int)lane, KILN_SIM_CHECK_INDEX_RACE,
                         "a wave %s LDS at 0x%x, which wave %u %s, without a barrier in between",
                         verbs[kind], with.granule << shift, with.wave,
                         with.writes ? "writes" : "reads");
}

// Records the access of each lane to `count` granules and returns the sets in which another wave
// conflicts. If there are any, each lane needs a closer look; only loads are recorded then, because
// they hide no conflict.
static inline uint64_t note_lanes(struct check_race *race, const kiln_sim_accesses_t *a,
                                  unsigned part, unsigned count, unsigned wave,
                                  kiln_sim_access_t kind, uint32_t inst)
{
    const uint64_t others = others_sets(wave, kind), own = own_bit(wave, kind);
    const uint32_t *at = a->lds_at[part];
    cell_t *cells = race->cells;
    uint32_t first = UINT32_MAX, last = 0;
    uint64_t seen = 0;
    for (uint64_t left = a->lds_lanes[part]; left; left &= left - 1) {
        uint32_t granule = at[__builtin_ctzll(left)] >> race->shift;
        first = granule < first ? granule : first;
        last = granule > last ? granule : last;
        for (unsigned i = 0; i < count; i++) {
            seen |= cells[granule + i].sets;
            if (kind == KILN_SIM_LOAD) {
                cells[granule + i].sets |= own;
                cells[granule + i].read_inst = inst;
            }
        }
    }
    if (seen & others && kind != KILN_SIM_LOAD)
        return seen & others;
    widen(race, first, last + count);
    if (kind == KILN_SIM_LOAD)
        return seen & others;
    for (uint64_t left = a->lds_lanes[part]; left; left &= left - 1) {
        cell_t *cell = cells + (at[__builtin_ctzll(left)] >> race->shift);
        for (unsigned i = 0; i < count; i++) {
            cell[i].sets |= own;
            cell[i].write_inst = inst;
        }
    }
    return 0;
}

// Likewise, with constants for the common cases so that the compiler specializes them.
static uint64_t note_part(struct check_race *race, const kiln_sim_accesses_t *a, unsigned part,
                          unsigned wave, uint32_t inst)
{
    unsigned count = a->lds_bytes >> race->shift;
#define CASE(n, kind)                                                                              \
    if (count == (n) && a->lds_kind == (kind))                                                     \
        return note_lanes(race, a, part, n, wave, kind, inst);
    CASE(1, KILN_SIM_LOAD)
    CASE(2, KILN_SIM_LOAD)
    CASE(4, KILN_SIM_LOAD)
    CASE(1, KILN_SIM_STORE)
    CASE(2, KILN_SIM_STORE)
    CASE(4, KILN_SIM_STORE)
#undef CASE
    return note_lanes(race, a, part, count, wave, a->lds_kind, inst);
}

// Orders waves by an atomic. Call this before checking the access itself, since the access follows
// the releases that it acquires.
static void order_by_atomic(struct check_race *race, const kiln_sim_wave_t *wave,
                            const check_facts_t *f, const kiln_sim_accesses_t *a)
{
    if (!race->order && !begin_order(race))
        return;
    for (unsigned part = 0; part < a->lds_parts; part++) {
        for (uint64_t left = a->lds_lanes[part]; left; left &= left - 1)
            check_order_atomic(race->order, wave->index, a->lds_at[part][__builtin_ctzll(left)],
                               f->spins);
    }
}

static flight_t *flight_of(struct check_race *race, unsigned wave, kiln_sim_queue_t queue,
                           uint32_t ticket)
{
    flight_t *ring = race->flights + (size_t)wave * RING;
    if (queue == KILN_SIM_QUEUE_LDS)
        return ring + ticket % LDS_RING;
    return queue == KILN_SIM_QUEUE_VM ? ring + LDS_RING + ticket % VM_RING
                                      : ring + LDS_RING + VM_RING + ticket % FLAT_RING;
}

// Makes granules as small as the access. False if memory is exhausted.
static bool make_fine_enough(struct check_race *race, const kiln_sim_accesses_t *a)
{
    uint32_t bits = a->lds_bytes;
    for (unsigned part = 0; part < a->lds_parts; part++) {
        if (a->lds_lanes[part] == UINT64_MAX) {
            for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
                bits |= a->lds_at[part][lane];
        } else {
            for (uint64_t left = a->lds_lanes[part]; left; left &= left - 1)
                bits |= a->lds_at[part][__builtin_ctzll(left)];
        }
    }
    unsigned shift = bits & 1 ? 0 : bits & 2 ? 1 : 2;
    return shift >= race->shift || refine(race, shift);
}

void kiln_sim_check_race(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_facts_t *f,
                         const kiln_sim_accesses_t *a)
{
    struct check_race *race = kiln_sim_check_group(wave->group)->race;
    if (!race || !(a->lds_lanes[0] | a->lds_lanes[1]))
        return;
    if (race->shift && !make_fine_enough(race, a))
        return; // not checked
    if (a->lds_kind == KILN_SIM_ATOMIC)
        order_by_atomic(race, wave, f, a);
    conflict_t with = {0};
    unsigned lane = 0;
    bool found = false; // reported once per execution of the instruction
    for (unsigned part = 0; part < a->lds_parts; part++) {
        bool closer = race->order || note_part(race, a, part, wave->index, inst->index);
        for (uint64_t left = closer ? a->lds_lanes[part] : 0; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctzll(left);
            conflict_t here;
            if (check_granules(race, wave, inst, a, part, l, &here) && !found) {
                found = true;
                lane = l;
                with = here;
            }
        }
    }
    if (a->lds_kind == KILN_SIM_ATOMIC && race->order)
        race->order->time[wave->index]++;
    if (found)
        report(wave, inst, lane, a->lds_kind, with, race->shift);

    uint32_t ticket = kiln_sim_check_wave(wave)->issued[f->uses->queue];
    flight_t *flight = flight_of(race, wave->index, f->uses->queue, ticket);
    flight->inst = inst;
    flight->ticket = ticket;
    flight->parts = a->lds_parts;
    flight->bytes = a->lds_bytes;
    flight->kind = a->lds_kind;
    flight->queue = f->uses->queue;
    for (unsigned part = 0; part < a->lds_parts; part++) {
        flight->lanes[part] = a->lds_lanes[part];
        memcpy(flight->at[part], a->lds_at[part], sizeof flight->at[part]);
    }
}

// After a barrier: accesses that were outstanding at the barrier count after it, too.
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
                note(race, first, ((at + f->bytes - 1) >> race->shift) - first + 1, wave, f->kind,
                     false, f->inst->index);
            }
        }
    }
}

void kiln_sim_check_race_barrier(kiln_sim_workgroup_t *group)
{
    struct check_race *race = kiln_sim_check_group(group)->race;
    if (!race)
        return;
    forget_sets(race);
    for (unsigned i = 0; i < group->wave_count; i++)
        carry_over(race, i, &kiln_sim_check_group(group)->waves[i]);
}
