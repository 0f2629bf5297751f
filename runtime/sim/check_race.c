// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Races in LDS: two waves of a workgroup, one of them writing, the same byte, and no barrier between.
//
// Idea: barriers are the only order between waves, and all waves pass one together, so time is cut into epochs. For
// each dword of LDS the shadow keeps the last epoch in which it was written and read, and by which waves; an access
// conflicts when another wave is in the record of the same epoch. Accesses below a dword split its record into four. An
// operation that has not been waited for when its wave arrives at a barrier happens on both sides of it.
//
// What a reader gets wrong: writing the value that is there already is no race that matters, and shipped kernels do it;
// so a store is compared with what it finds. Atomics do not conflict with each other.
#include <stdlib.h>

#include "check_state.h"

enum { RING = 16, DMA_RING = 64 };

typedef struct record {
    uint32_t write_epoch, read_epoch, atomic_epoch;
    uint16_t writers, readers, atomics; // sets of waves
    uint16_t pad;
    uint32_t write_inst, read_inst; // the latest, by index
} record_t;

typedef struct cell {
    record_t whole;
    record_t *bytes; // four, where the dword was ever accessed in parts
} cell_t;

// An access that may be under way: what is needed to make it again behind a barrier.
typedef struct access {
    const kiln_sim_inst_t *inst;
    uint32_t address[2][KILN_SIM_LANES];
    uint64_t lanes[2];
    uint32_t ticket;
    uint8_t bytes, kind;
} access_t;

struct check_race {
    uint32_t epoch;
    uint32_t size; // bytes
    cell_t *cells;
    unsigned wave_count;
    access_t *rings; // wave_count × (RING + DMA_RING)
};

struct check_race *kiln_sim_check_race_new(uint32_t lds_size, unsigned wave_count)
{
    struct check_race *race = calloc(1, sizeof *race);
    if (!race)
        return NULL;
    race->size = lds_size;
    race->wave_count = wave_count;
    race->cells = calloc(lds_size / 4 + 5, sizeof *race->cells);
    race->rings = calloc((size_t)wave_count * (RING + DMA_RING), sizeof *race->rings);
    if (!race->cells || !race->rings) {
        kiln_sim_check_race_free(race);
        return NULL;
    }
    return race;
}

void kiln_sim_check_race_free(struct check_race *race)
{
    if (!race)
        return;
    for (size_t i = 0; race->cells && i < race->size / 4 + 5; i++)
        free(race->cells[i].bytes);
    free(race->cells);
    free(race->rings);
    free(race);
}

void kiln_sim_check_race_begin(struct check_race *race)
{
    race->epoch++; // what the storage's last workgroup did is past
    for (size_t i = 0; i < (size_t)race->wave_count * (RING + DMA_RING); i++)
        race->rings[i].inst = NULL;
}

typedef struct conflict {
    uint32_t inst;
    bool writes;
} conflict_t;

// Notes one access in a record. True where it conflicts with an access of another wave.
static bool touch(record_t *r, uint32_t epoch, unsigned wave, kiln_sim_access_t kind, bool changes, uint32_t inst,
                  conflict_t *with)
{
    uint16_t me = (uint16_t)(1u << wave), others = (uint16_t)~me;
    bool bad = false;
    uint16_t writers = r->write_epoch == epoch ? r->writers : 0;
    uint16_t readers = r->read_epoch == epoch ? r->readers : 0;
    uint16_t atomics = r->atomic_epoch == epoch ? r->atomics : 0;
    if (kind == KILN_SIM_LOAD) {
        // Who wrote the same value itself sees its own write.
        bad = (writers & others && !(writers & me)) || (atomics & others);
        *with = (conflict_t){r->write_inst, true};
        r->readers = readers | me;
        r->read_epoch = epoch;
        r->read_inst = inst;
        return bad;
    }
    if (changes) {
        if ((writers & others) || (kind == KILN_SIM_STORE && (atomics & others))) {
            bad = true;
            *with = (conflict_t){r->write_inst, true};
        } else if (kind == KILN_SIM_STORE && (readers & others)) {
            bad = true;
            *with = (conflict_t){r->read_inst, false};
        }
    }
    if (kind == KILN_SIM_ATOMIC) {
        r->atomics = atomics | me;
        r->atomic_epoch = epoch;
    } else {
        r->writers = changes ? me : (uint16_t)(writers | me);
        r->write_epoch = epoch;
    }
    r->write_inst = inst;
    return bad;
}

static bool touch_range(struct check_race *race, uint32_t at, unsigned bytes, unsigned wave, kiln_sim_access_t kind,
                        const uint8_t *now, const uint8_t *then, uint32_t inst, conflict_t *with)
{
    bool bad = false;
    for (unsigned i = 0; i < bytes;) {
        cell_t *cell = &race->cells[(at + i) / 4];
        bool whole = (at + i) % 4 == 0 && bytes - i >= 4;
        if (whole && !cell->bytes) {
            bool changes = !now || memcmp(now + i, then + i, 4) != 0;
            bad |= touch(&cell->whole, race->epoch, wave, kind, changes, inst, bad ? &(conflict_t){0} : with);
            i += 4;
            continue;
        }
        if (!cell->bytes) {
            cell->bytes = malloc(4 * sizeof *cell->bytes);
            if (!cell->bytes)
                return bad; // unwatched
            for (unsigned k = 0; k < 4; k++)
                cell->bytes[k] = cell->whole;
        }
        bool changes = !now || now[i] != then[i];
        bad |= touch(&cell->bytes[(at + i) % 4], race->epoch, wave, kind, changes, inst, bad ? &(conflict_t){0} : with);
        i++;
    }
    return bad;
}

static void report(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int lane, uint32_t at, kiln_sim_access_t kind,
                   conflict_t with)
{
    const kiln_sim_inst_t *other = kiln_sim_program_inst(wave->thread->launch->program, with.inst);
    static const char *const verbs[] = {"reads", "writes", "changes"};
    kiln_sim_check_found(wave, inst, other, lane, KILN_SIM_CHECK_INDEX_RACE,
                         "a wave %s LDS at 0x%x, which another wave %s, with no barrier between", verbs[kind], at,
                         with.writes ? "writes" : "reads");
}

// The bytes that a store of one lane writes, from its data registers.
static void store_bytes(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, unsigned part, uint64_t lane,
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

static bool is_direct(const kiln_sim_inst_t *inst)
{
    return inst->format != KILN_SIM_DS;
}

static void find_addresses(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_footprint_t *f,
                           struct check_race *race, access_t *a)
{
    const kiln_sim_inst_t *i = inst;
    uint32_t size = wave->group->lds_size < race->size ? wave->group->lds_size : race->size;
    for (unsigned part = 0; part < f->lds_parts; part++) {
        a->lanes[part] = wave->exec;
        for (uint32_t lane = 0; lane < KILN_SIM_LANES; lane++) {
            uint64_t at;
            if (is_direct(i))
                at = (wave->m0 & (i->format == KILN_SIM_MUBUF ? 0xffffu : 0x3fffcu)) + (uint64_t)(int64_t)i->imm +
                     lane * 4;
            else if (f->lds_parts == 2)
                at = (uint64_t)wave->vgpr[i->src[0].reg][lane] + ((uint32_t)i->imm >> (8 * part) & 255) * f->lds_scale;
            else
                at = (uint64_t)wave->vgpr[i->src[0].reg][lane] + (uint32_t)i->imm;
            if (at + f->lds_bytes > size)
                a->lanes[part] &= ~(1ull << lane);
            a->address[part][lane] = (uint32_t)at;
        }
    }
}

void kiln_sim_check_race(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_footprint_t *f)
{
    struct check_race *race = wave->group->checks->race;
    if (!f->lds_bytes || !race)
        return;
    check_wave_t *w = kiln_sim_check_wave(wave);
    access_t *ring = race->rings + (size_t)wave->index * (RING + DMA_RING);
    bool direct = is_direct(inst);
    uint32_t ticket = w->issued[f->queue];
    access_t *a = direct ? &ring[RING + ticket % DMA_RING] : &ring[ticket % RING];
    *a = (access_t){.inst = inst, .ticket = ticket, .bytes = f->lds_bytes, .kind = f->lds_access};
    find_addresses(wave, inst, f, race, a);
    bool told = false; // once for an execution of the instruction
    for (unsigned part = 0; part < f->lds_parts; part++) {
        for (uint64_t left = a->lanes[part]; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            uint32_t at = a->address[part][lane];
            uint8_t data[16];
            bool compares = a->kind == KILN_SIM_STORE && !direct;
            if (compares)
                store_bytes(wave, inst, part, lane, a->bytes, data);
            conflict_t with = {0};
            bool bad = touch_range(race, at, a->bytes, wave->index, a->kind, compares ? data : NULL,
                                   wave->group->lds + at, inst->index, &with);
            if (bad && !told)
                report(wave, inst, (int)lane, at, a->kind, with);
            told = told || bad;
        }
    }
}

// Behind a barrier: what was not waited for in front of it happens here, too.
static void carry_over(struct check_race *race, unsigned index, const check_wave_t *w)
{
    access_t *ring = race->rings + (size_t)index * (RING + DMA_RING);
    for (unsigned i = 0; i < RING + DMA_RING; i++) {
        access_t *a = &ring[i];
        uint32_t done = w->done[i < RING ? CHECK_QUEUE_LDS : CHECK_QUEUE_VM];
        if (!a->inst)
            continue;
        if (a->ticket <= done) {
            a->inst = NULL;
            continue;
        }
        for (unsigned part = 0; part < 2; part++) {
            for (uint64_t left = a->lanes[part]; left; left &= left - 1) {
                conflict_t with;
                touch_range(race, a->address[part][__builtin_ctzll(left)], a->bytes, index, a->kind, NULL, NULL,
                            a->inst->index, &with);
            }
        }
    }
}

void kiln_sim_check_race_barrier(kiln_sim_workgroup_t *group)
{
    struct check_race *race = group->checks->race;
    if (!race)
        return;
    race->epoch++;
    for (unsigned i = 0; i < group->wave_count; i++)
        carry_over(race, i, &group->checks->waves[i]);
}
