// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects memory that a kernel stores through one of its pointer arguments and accesses through
// another. The check runs on request only: kernels of Kiln and Triton assume that arguments do not
// alias, and so do other kernels whose arguments are `__restrict__`.
//
// If two arguments point into one allocation, each register of a wave has a mark per lane: the
// argument from which its value was computed. A mark is set where the argument is loaded or
// preloaded. The result of an instruction on marked and unmarked values has the mark; the result of
// two different marks has none. Each byte of such an allocation records through which arguments it
// was read and stored. Launches without such arguments have no overhead.
//
// Only known origins count. A pointer that went through memory (spills, LDS, a table of pointers)
// has no mark, and its accesses are not checked. Masks and carries get no mark, since they depend
// on a pointer but are not pointers.
#include <stdio.h>
#include <stdlib.h>

#include "check/state.h"

enum { UNKNOWN = 0, MIXED = 255, MAX_ARGUMENTS = 254 };

// An argument that points into an allocation. Its number, from 1, is the mark.
typedef struct pointer {
    const kiln_sim_arg_t *arg;
    uint64_t home;
} pointer_t;

typedef struct cell {
    uint8_t stored, read[2];  // marks
    uint32_t store, reads[2]; // instructions
} cell_t;

typedef struct region {
    uint64_t base, size;
    cell_t *cells;
} region_t;

struct check_alias {
    pointer_t pointers[MAX_ARGUMENTS + 1];
    uint8_t *kernarg; // mark of each dword of the arguments
    size_t kernarg_dwords;
    region_t *regions;
    size_t region_count;
};

struct check_alias_wave {
    uint8_t marks[KILN_SIM_FIRST_SGPR][KILN_GFX942_LANES]; // of vector registers
    uint8_t scalar[KILN_SIM_SGPR_COUNT];
    uint8_t address[KILN_GFX942_LANES]; // of the current memory instruction, by lane
    uint8_t scalar_address;
};

static uint8_t join(uint8_t a, uint8_t b)
{
    return a == b || !b ? a : !a ? b : MIXED;
}

// ---- a launch and its waves

static bool take_arguments(struct check_alias *alias, const kiln_sim_launch_t *launch)
{
    const kiln_sim_kernel_t *kernel = launch->kernel;
    unsigned number = 0;
    alias->kernarg_dwords = kernel->kernarg_bytes / 4;
    if (!(alias->kernarg = calloc(alias->kernarg_dwords + 1, 1)))
        return false;
    for (size_t i = 0; i < kernel->arg_count && number < MAX_ARGUMENTS; i++) {
        const kiln_sim_arg_t *arg = &kernel->args[i];
        uint64_t pointer;
        if (arg->kind != KILN_SIM_ARG_EXPLICIT)
            continue;
        number++;
        if (arg->size != sizeof pointer || arg->offset % 4 ||
            arg->offset + sizeof pointer > kernel->kernarg_bytes)
            continue;
        memcpy(&pointer, launch->kernarg + arg->offset, sizeof pointer);
        const kiln_sim_allocation_t *home = kiln_sim_memory_find(launch->memory, pointer);
        if (!home || home->kind == KILN_SIM_MEMORY_CODE)
            continue;
        alias->pointers[number] = (pointer_t){arg, home->base};
        alias->kernarg[arg->offset / 4] = alias->kernarg[arg->offset / 4 + 1] = (uint8_t)number;
    }
    return true;
}

// Whether an argument with number `from` or above points there.
static bool is_shared(const struct check_alias *alias, uint64_t home, unsigned from)
{
    for (unsigned i = from; i <= MAX_ARGUMENTS; i++)
        if (alias->pointers[i].arg && alias->pointers[i].home == home)
            return true;
    return false;
}

static region_t *region_of(const struct check_alias *alias, uint64_t address)
{
    for (size_t i = 0; i < alias->region_count; i++)
        if (address - alias->regions[i].base < alias->regions[i].size)
            return &alias->regions[i];
    return NULL;
}

static bool make_regions(struct check_alias *alias, const kiln_sim_launch_t *launch)
{
    alias->regions = calloc(MAX_ARGUMENTS, sizeof *alias->regions);
    for (unsigned i = 1; i <= MAX_ARGUMENTS && alias->regions; i++) {
        const pointer_t *p = &alias->pointers[i];
        if (!p->arg || region_of(alias, p->home) || !is_shared(alias, p->home, i + 1))
            continue;
        const uint64_t size = kiln_sim_memory_find(launch->memory, p->home)->size;
        cell_t *cells = calloc(size, sizeof *cells);
        if (!cells)
            return false;
        alias->regions[alias->region_count++] = (region_t){p->home, size, cells};
    }
    return alias->regions != NULL;
}

bool kiln_sim_check_alias_new(const kiln_sim_launch_t *launch, struct check_alias **out)
{
    struct check_alias *alias = *out = calloc(1, sizeof *alias);
    if (!alias ||
        (launch->kernarg && (!take_arguments(alias, launch) || !make_regions(alias, launch))))
        return false;
    if (alias->region_count)
        return true;
    kiln_sim_check_alias_free(alias);
    *out = NULL;
    return true;
}

void kiln_sim_check_alias_free(struct check_alias *alias)
{
    for (size_t i = 0; alias && i < alias->region_count; i++)
        free(alias->regions[i].cells);
    if (alias) {
        free(alias->regions);
        free(alias->kernarg);
    }
    free(alias);
}

struct check_alias_wave *kiln_sim_check_alias_waves(unsigned count)
{
    return calloc(count, sizeof(struct check_alias_wave));
}

static uint8_t mark_of_kernarg(const struct check_alias *alias, uint64_t dword)
{
    return dword < alias->kernarg_dwords ? alias->kernarg[dword] : UNKNOWN;
}

void kiln_sim_check_alias_begin(const kiln_sim_launch_t *launch, struct check_alias_wave *waves,
                                unsigned count)
{
    const struct check_alias *alias = kiln_sim_launch_alias(launch);
    const unsigned length = launch->kernel->preload & 127, offset = launch->kernel->preload >> 7;
    memset(waves, 0, count * sizeof *waves);
    for (unsigned wave = 0; wave < count; wave++)
        for (unsigned i = 0, at = kiln_sim_kernel_preload_at(launch->kernel); i < length && at < 16;
             i++, at++)
            waves[wave].scalar[at] = mark_of_kernarg(alias, offset + i);
}

// ---- registers

static uint8_t all_lanes_of(const uint8_t marks[KILN_GFX942_LANES])
{
    uint8_t mark = UNKNOWN;
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
        mark = join(mark, marks[lane]);
    return mark;
}

// Collects the marks of the registers read in these roles, by lane; returns the mark of all lanes
// together.
static uint8_t gather(const struct check_alias_wave *w, const kiln_sim_footprint_t *uses,
                      unsigned roles, uint8_t marks[KILN_GFX942_LANES])
{
    uint8_t all = UNKNOWN;
    memset(marks, UNKNOWN, KILN_GFX942_LANES);
    for (unsigned i = 0; i < uses->count; i++) {
        const kiln_sim_registers_t *span = &uses->spans[i];
        for (unsigned r = span->first;
             (span->role & roles) && r < (unsigned)span->first + span->count; r++) {
            const bool is_scalar = r >= KILN_SIM_FIRST_SGPR;
            const uint8_t one = is_scalar ? w->scalar[r - KILN_SIM_FIRST_SGPR] : UNKNOWN;
            for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
                marks[lane] = join(marks[lane], is_scalar ? one : w->marks[r][lane]);
            all = join(all, is_scalar ? one : all_lanes_of(w->marks[r]));
        }
    }
    return all;
}

// Sets the marks of the results. With `keeps`, a part of a register or some of its lanes may be
// unchanged, so a different previous mark makes the mark mixed.
static void put(struct check_alias_wave *w, const kiln_sim_footprint_t *uses, uint64_t lanes,
                bool keeps, const uint8_t marks[KILN_GFX942_LANES], uint8_t scalar)
{
    for (unsigned i = 0; i < uses->count; i++) {
        const kiln_sim_registers_t *span = &uses->spans[i];
        for (unsigned r = span->first;
             (span->role & KILN_SIM_WRITES) && r < (unsigned)span->first + span->count; r++) {
            if (r >= KILN_SIM_FIRST_SGPR)
                w->scalar[r - KILN_SIM_FIRST_SGPR] = scalar;
            for (unsigned lane = 0; r < KILN_SIM_FIRST_SGPR && lane < KILN_GFX942_LANES; lane++)
                if (lanes >> lane & 1)
                    w->marks[r][lane] =
                        keeps && w->marks[r][lane] != marks[lane] ? MIXED : marks[lane];
        }
    }
}

static bool has_role(const kiln_sim_footprint_t *uses, unsigned role)
{
    for (unsigned i = 0; i < uses->count; i++)
        if (uses->spans[i].role & role)
            return true;
    return false;
}

void kiln_sim_check_alias(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                          const kiln_sim_footprint_t *uses)
{
    struct check_alias_wave *w = &kiln_sim_check_group(wave->group)->alias_waves[wave->index];
    uint8_t marks[KILN_GFX942_LANES];
    const unsigned class_ = inst->row->class_;
    if ((class_ == KILN_SIM_CLASS_SMEM || class_ >= KILN_SIM_CLASS_LDS) && !uses->crossbar) {
        w->scalar_address = gather(w, uses, KILN_SIM_READS_ADDRESS, w->address);
        memset(marks, UNKNOWN, sizeof marks);
        put(w, uses, wave->exec, false, marks, UNKNOWN);
        return;
    }
    const uint8_t all = gather(w, uses, KILN_SIM_READS, marks);
    if (uses->all_lanes || uses->crossbar)
        memset(marks, all, sizeof marks);
    const bool is_pointer = class_ == KILN_SIM_CLASS_SALU || has_role(uses, KILN_SIM_READS_CROSS);
    const bool keeps = has_role(uses, KILN_SIM_KEEPS) || inst->encoding == KILN_SIM_SDWA;
    put(w, uses, keeps || uses->all_lanes ? UINT64_MAX : wave->exec, keeps || uses->all_lanes,
        marks, is_pointer ? all : UNKNOWN);
}

// ---- memory

static void name_of(const struct check_alias *alias, uint8_t mark, char text[64])
{
    const char *name = alias->pointers[mark].arg->name;
    if (*name)
        snprintf(text, 64, "'%s'", name);
    else
        snprintf(text, 64, "number %u", mark - 1u);
}

typedef struct conflict {
    uint64_t address;
    uint32_t inst;
    uint8_t mark;
    bool stored;
} conflict_t;

static bool touch(cell_t *c, uint8_t mark, kiln_sim_access_t kind, uint32_t inst, conflict_t *with)
{
    if (c->stored && c->stored != mark) {
        *with = (conflict_t){.inst = c->store, .mark = c->stored, .stored = true};
        return true;
    }
    for (unsigned i = 0; kind != KILN_SIM_LOAD && i < 2; i++)
        if (c->read[i] && c->read[i] != mark) {
            *with = (conflict_t){.inst = c->reads[i], .mark = c->read[i]};
            return true;
        }
    if (kind == KILN_SIM_LOAD) {
        const unsigned i = c->read[0] && c->read[0] != mark;
        c->read[i] = mark;
        c->reads[i] = inst;
    } else {
        c->stored = mark;
        c->store = inst;
    }
    return false;
}

static bool touch_bytes(const struct check_alias *alias, uint64_t at, unsigned bytes, uint8_t mark,
                        kiln_sim_access_t kind, uint32_t inst, conflict_t *with)
{
    const region_t *region = mark == UNKNOWN || mark == MIXED ? NULL : region_of(alias, at);
    for (uint64_t i = at; region && i < at + bytes && i - region->base < region->size; i++)
        if (touch(&region->cells[i - region->base], mark, kind, inst, with)) {
            with->address = i;
            return true;
        }
    return false;
}

static void report(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int lane, uint8_t mark,
                   kiln_sim_access_t kind, const conflict_t *with)
{
    const kiln_sim_launch_t *launch = wave->thread->launch;
    const struct check_alias *alias = kiln_sim_launch_alias(launch);
    static const char *const verbs[] = {"reads", "stores", "updates"};
    char name[64], other[64];
    name_of(alias, mark, name);
    name_of(alias, with->mark, other);
    kiln_sim_check_found(
        wave, inst, kiln_sim_program_inst(launch->program, with->inst), lane,
        KILN_SIM_CHECK_INDEX_ALIAS,
        "a wave %s through argument %s device memory at 0x%llx that was %s through argument %s; "
        "buffers of different arguments must not alias",
        verbs[kind], name, (unsigned long long)with->address, with->stored ? "stored" : "read",
        other);
}

// Marks the registers that a scalar load of the kernel's arguments writes.
static void mark_arguments(struct check_alias_wave *w, const kiln_sim_launch_t *launch,
                           const kiln_sim_inst_t *inst, const kiln_sim_accesses_t *a)
{
    const uint64_t from = (a->scalar_at & ~3ull) - (uint64_t)(uintptr_t)launch->kernarg;
    for (unsigned i = 0; i < a->scalar_dwords && inst->dst.kind == KILN_SIM_OP_SGPR; i++)
        if (inst->dst.reg + i < KILN_SIM_SGPR_COUNT && from < launch->kernel->kernarg_bytes)
            w->scalar[inst->dst.reg + i] =
                mark_of_kernarg(kiln_sim_launch_alias(launch), from / 4 + i);
}

void kiln_sim_check_alias_access(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                 const kiln_sim_accesses_t *a)
{
    const kiln_sim_launch_t *launch = wave->thread->launch;
    const struct check_alias *alias = kiln_sim_launch_alias(launch);
    struct check_alias_wave *w = &kiln_sim_check_group(wave->group)->alias_waves[wave->index];
    conflict_t with;
    if (a->scalar_dwords) {
        mark_arguments(w, launch, inst, a);
        if (touch_bytes(alias, a->scalar_at & ~3ull, 4 * a->scalar_dwords, w->scalar_address,
                        a->kind, inst->index, &with))
            report(wave, inst, -1, w->scalar_address, a->kind, &with);
        return;
    }
    bool found = false;
    for (uint64_t left = a->bytes ? a->lanes | a->partial : 0; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const unsigned bytes = a->partial >> lane & 1 ? a->lane_bytes[lane] : a->bytes;
        if (touch_bytes(alias, a->at[lane], bytes, w->address[lane], a->kind, inst->index, &with) &&
            !found) {
            report(wave, inst, (int)lane, w->address[lane], a->kind, &with);
            found = true;
        }
    }
}
