// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definedness in loads and stores, per byte.
//
// LDS may hold undefined bytes and propagates them. Storing undefined bytes to device memory is a
// use and is reported immediately. Device memory is undefined from hipMalloc until a copy, a fill
// or a store writes it. Memory that the host can write itself (pinned, managed and registered
// memory) and code count as defined, and so do the bytes of kernel arguments that the program
// passed.
//
// Structures have gaps between their fields that are never written. Copying a structure copies its
// gaps; that is not a use of them, and the copy has the same gaps. A gap is shorter than the
// largest field next to it. A mark therefore records the width of the store, and missing bytes
// between those of wider stores are reported only if they are used other than by copying. Missing
// data in an array of equal elements is at least as long as an element and is reported.
//
// If the waves of a kernel race for bytes of device memory, their threads race for the bytes'
// marks. Each mark is always valid.
#include "check/undefined.h"

// A byte's mark: 0 if it was never written; otherwise an odd number: 1, plus twice the logarithm of
// the width of the store that wrote it (at most 8).
static uint8_t mark_of(unsigned bytes)
{
    return (uint8_t)(bytes >= 8 ? 7 : bytes >= 4 ? 5 : bytes == 2 ? 3 : 1);
}

enum { AROUND = 8 }; // bytes next to an access that are examined, too

// Whether the missing bytes of an access with these marks can be gaps of a structure of which other
// parts were written.
static bool has_gaps(const uint8_t *at, unsigned bytes)
{
    unsigned widest = 0, longest = 0, missing = 0, run = 0;
    for (const uint8_t *p = at - AROUND; p < at + bytes + AROUND; p++) {
        unsigned width = *p ? 1u << (*p >> 1) : 0;
        widest = width > widest ? width : widest;
    }
    for (unsigned i = 0; i < bytes; i++) {
        run = at[i] ? 0 : run + 1;
        missing += !at[i];
        longest = run > longest ? run : longest;
    }
    return missing && missing < bytes && longest < widest;
}

// The place of a load or store of less than a dword in its register.
typedef struct layout {
    unsigned bytes, first; // bytes moved; the first byte's place in the register
    bool half;             // the rest of the register becomes 0
    bool is_signed;        // the sign fills the dword, or half
} layout_t;

static layout_t layout_of(const kiln_sim_inst_t *inst, unsigned bytes)
{
    const char *name = inst->row->name;
    bool half = strstr(name, "d16") != NULL, high = half && strstr(name, "d16_hi");
    bool is_signed = strstr(name, "sbyte") || strstr(name, "sshort") || strstr(name, "_i8") ||
                     strstr(name, "_i16");
    return (layout_t){bytes, high ? 2 : 0, half, is_signed};
}

uint64_t kiln_sim_check_unwritten(const uint8_t *const at[KILN_GFX942_LANES], uint64_t lanes,
                                  unsigned index)
{
    uint64_t result = 0;
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(lanes);
        result |= (uint64_t)!at[lane][index] << lane;
    }
    return result;
}

static uint64_t read_u64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint32_t read_u32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

// Whether all bytes of all lanes were written, which is the common case.
static bool all_written(const uint8_t *const at[KILN_GFX942_LANES], uint64_t lanes, unsigned bytes)
{
    uint64_t all = 0x0101010101010101u;
    for (; lanes; lanes &= lanes - 1) {
        const uint8_t *p = at[__builtin_ctzll(lanes)];
        unsigned i = 0;
        for (; i + 8 <= bytes; i += 8)
            all &= read_u64(p + i);
        if (bytes & 4)
            all &= read_u32(p + i) | 0x0101010100000000u;
        if (bytes < 4)
            all &= p[0] & p[bytes - 1] ? all : 0;
    }
    return all == 0x0101010101010101u;
}

static void load(check_shadow_t *s, const kiln_sim_inst_t *inst, unsigned row,
                 const uint8_t *const at[KILN_GFX942_LANES], uint64_t lanes, unsigned bytes)
{
    if (bytes < 4) {
        const layout_t l = layout_of(inst, bytes);
        uint64_t last = 0;
        for (unsigned i = 0; i < bytes; i++)
            check_shadow_set(s, row, l.first + i, lanes,
                             last = kiln_sim_check_unwritten(at, lanes, i));
        for (unsigned i = bytes; i < (l.half ? 2u : 4u); i++)
            check_shadow_set(s, row, l.first + i, lanes, l.is_signed ? last : 0);
        for (unsigned i = 0; l.half && i < 2; i++)
            check_shadow_set(s, row, (2 - l.first) + i, lanes, 0);
        return;
    }
    bool good = all_written(at, lanes, bytes);
    uint64_t gaps = 0;
    for (uint64_t left = good ? 0 : lanes; left; left &= left - 1)
        gaps |= (uint64_t)has_gaps(at[__builtin_ctzll(left)], bytes) << __builtin_ctzll(left);
    for (unsigned i = 0; i < bytes / 4; i++) {
        if (good)
            check_shadow_clear(s, row + i, lanes);
        for (unsigned byte = 0; byte < 4 && !good; byte++)
            check_shadow_set(s, row + i, byte, lanes,
                             kiln_sim_check_unwritten(at, lanes, 4 * i + byte));
        s->gaps[row + i] |= s->any[row + i] & gaps;
    }
}

// Copies the marks of an access's bytes.
static void put_marks(uint8_t *to, const uint8_t *marks, unsigned bytes)
{
    for (unsigned i = 0; i + 8 <= bytes; i += 8)
        memcpy(to + i, marks + i, 8);
    if (bytes & 4)
        memcpy(to + (bytes & 8), marks + (bytes & 8), 4);
    if (bytes < 4) {
        to[0] = marks[0];
        to[bytes - 1] = marks[bytes - 1];
    }
}

static void mark_written(uint8_t *at, unsigned bytes)
{
    uint8_t marks[16];
    memset(marks, mark_of(bytes), sizeof marks);
    put_marks(at, marks, bytes);
}

static void mark_lanes(uint8_t *const at[KILN_GFX942_LANES], uint64_t lanes, unsigned bytes)
{
    for (; lanes; lanes &= lanes - 1)
        mark_written(at[__builtin_ctzll(lanes)], bytes);
}

// Marks the bytes that a store writes. `row` < 0: the data is defined.
static void store(const check_shadow_t *s, const kiln_sim_inst_t *inst, int row,
                  uint8_t *const at[KILN_GFX942_LANES], uint64_t lanes, unsigned bytes)
{
    unsigned first = bytes < 4 ? layout_of(inst, bytes).first : 0;
    uint64_t any = 0;
    for (unsigned i = 0; row >= 0 && i < (bytes + 3) / 4; i++)
        any |= s->any[(unsigned)row + i];
    if (!(any & lanes)) {
        mark_lanes(at, lanes, bytes);
        return;
    }
    for (uint64_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint8_t marks[16];
        memset(marks, mark_of(bytes), sizeof marks);
        for (unsigned i = 0; (any >> lane & 1) && i < bytes; i++) {
            if (s->bytes[(unsigned)row + (first + i) / 4][(first + i) % 4] >> lane & 1)
                marks[i] = 0;
        }
        put_marks(at[lane], marks, bytes);
    }
}

// ---- LDS

// Lanes in which any data of an atomic is undefined.
static uint64_t operands_undefined(const check_shadow_t *s, const kiln_sim_inst_t *inst)
{
    uint64_t any = 0;
    for (unsigned k = 1; k < 3; k++) {
        for (unsigned i = 0; i < inst->src[k].dwords && inst->src[k].kind == KILN_SIM_OP_VGPR; i++)
            any |= s->any[inst->src[k].reg + i];
    }
    return any;
}

static void run_lds(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                    const kiln_sim_accesses_t *a)
{
    check_shadow_t *s = kiln_sim_check_shadow(wave);
    uint8_t *written = kiln_sim_check_group(wave->group)->lds_written, *at[KILN_GFX942_LANES];
    const char *name = inst->row->name;
    bool keeps = a->lds_kind == KILN_SIM_ATOMIC && !strstr(name, "wrxchg") && !strstr(name, "swap");
    for (unsigned part = 0; part < a->lds_parts && written; part++) {
        uint64_t lanes = a->lds_lanes[part];
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
            at[lane] = written + (lanes >> lane & 1 ? a->lds_at[part][lane] : 0);
        if (inst->dst.kind == KILN_SIM_OP_VGPR)
            load(s, inst, inst->dst.reg + part * a->lds_bytes / 4, (const uint8_t *const *)at,
                 lanes, a->lds_bytes);
        const kiln_sim_operand_t *data = &inst->src[1 + part];
        if (a->lds_kind != KILN_SIM_LOAD && !keeps)
            store(s, inst, data->kind == KILN_SIM_OP_VGPR ? data->reg : -1, at, lanes,
                  a->lds_bytes);
        for (uint64_t left = keeps ? lanes & operands_undefined(s, inst) : 0; left;
             left &= left - 1)
            memset(at[__builtin_ctzll(left)], 0, a->lds_bytes);
    }
    for (unsigned i = 0; i < inst->dst.dwords && inst->dst.kind == KILN_SIM_OP_VGPR; i++)
        check_shadow_clear(s, inst->dst.reg + i,
                           wave->exec & (a->lds_outside[0] | a->lds_outside[1]));
    if (inst->format == KILN_SIM_DS && inst->dst.kind == KILN_SIM_OP_VGPR &&
        inst->src[0].kind != KILN_SIM_OP_VGPR)
        check_shadow_clear(
            s, inst->dst.reg,
            wave->exec & ~a->lds_lanes[0]); // an append counter: one lane accesses memory for all
}

// ---- device memory

static bool has_marks(const kiln_sim_memory_t *memory, uint64_t address)
{
    return address - memory->arena < memory->arena_size - 16;
}

// Finds the marks of device memory. Removes lanes outside of it from *lanes; they count as defined.
static void find_marks(const kiln_sim_wave_t *wave, const kiln_sim_accesses_t *a, uint64_t *lanes,
                       uint8_t *at[KILN_GFX942_LANES])
{
    const kiln_sim_memory_t *memory = wave->thread->launch->memory;
    uint64_t inside = 0;
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
        bool good = has_marks(memory, a->at[lane]);
        inside |= (uint64_t)good << lane;
        at[lane] = memory->written + (good ? a->at[lane] - memory->arena : 0);
    }
    *lanes &= inside;
}

// Memory that the host program may write unobserved counts as defined.
static bool is_tracked(const kiln_sim_wave_t *wave, uint64_t address)
{
    const kiln_sim_allocation_t *found =
        kiln_sim_memory_find(wave->thread->launch->memory, address);
    return found &&
           (found->kind == KILN_SIM_MEMORY_DEVICE || found->kind == KILN_SIM_MEMORY_SYSTEM);
}

static uint64_t tracked_lanes(const kiln_sim_wave_t *wave, const kiln_sim_accesses_t *a,
                              uint64_t lanes)
{
    uint64_t tracked = 0;
    for (uint64_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        tracked |= (uint64_t)is_tracked(wave, a->at[lane]) << lane;
    }
    return tracked;
}

static void load_device(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                        const kiln_sim_accesses_t *a)
{
    check_shadow_t *s = kiln_sim_check_shadow(wave);
    uint8_t *at[KILN_GFX942_LANES];
    uint64_t lanes = a->lanes;
    for (unsigned i = 0; i < inst->dst.dwords; i++) {
        if (a->bytes >= 4)
            check_shadow_clear(s, inst->dst.reg + i, wave->exec & ~a->lds_lanes[0]);
    }
    if (wave->thread->launch->memory->written) {
        find_marks(wave, a, &lanes, at);
        if (!all_written((const uint8_t *const *)at, lanes, a->bytes))
            lanes = tracked_lanes(wave, a, lanes);
    } else {
        lanes = 0;
    }
    if (a->format) {
        kiln_sim_check_format_load(wave, inst, a, lanes ? (const uint8_t *const *)at : NULL, lanes);
    } else if (a->bytes < 4) {
        uint8_t defined[4] = {1, 1, 1, 1};
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
            at[lane] = lanes >> lane & 1 ? at[lane] : defined;
        load(s, inst, inst->dst.reg, (const uint8_t *const *)at, wave->exec & ~a->lds_lanes[0],
             a->bytes);
    } else if (lanes) {
        load(s, inst, inst->dst.reg, (const uint8_t *const *)at, lanes, a->bytes);
    }
}

// A direct load to LDS copies the marks of device memory to LDS.
static void load_to_lds(const kiln_sim_wave_t *wave, const kiln_sim_accesses_t *a)
{
    uint8_t *at[KILN_GFX942_LANES], *written = kiln_sim_check_group(wave->group)->lds_written;
    uint64_t lanes = a->lanes;
    if (!wave->thread->launch->memory->written || !written)
        return;
    find_marks(wave, a, &lanes, at);
    if (all_written((const uint8_t *const *)at, lanes, a->bytes))
        return;
    for (uint64_t left = tracked_lanes(wave, a, lanes); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        put_marks(written + a->lds_at[0][lane], at[lane], a->bytes);
    }
}

// The lanes in which a store, or an atomic's data, has an undefined byte; a store's gaps are not
// counted.
static uint64_t undefined_data(const check_shadow_t *s, const kiln_sim_inst_t *inst,
                               const kiln_sim_accesses_t *a, uint64_t lanes)
{
    uint64_t bad = 0;
    unsigned bytes = a->bytes;
    const kiln_sim_operand_t *op = &inst->src[1];
    if (a->format)
        return kiln_sim_check_format_data(s, inst, a) & lanes;
    if (bytes < 4 && op->kind == KILN_SIM_OP_VGPR) {
        for (unsigned i = 0, first = layout_of(inst, bytes).first; i < bytes; i++)
            bad |= s->bytes[op->reg][first + i];
        return bad & lanes;
    }
    for (unsigned i = 0; i < op->dwords && op->kind == KILN_SIM_OP_VGPR; i++)
        bad |= s->any[op->reg + i] & ~(a->kind == KILN_SIM_STORE ? s->gaps[op->reg + i] : 0);
    return bad & lanes;
}

// Marks what one lane, or a scalar instruction, stores: at most 16 bytes.
static void mark_stored(const kiln_sim_memory_t *memory, uint64_t address, unsigned bytes)
{
    if (memory->written && has_marks(memory, address))
        mark_written(memory->written + (address - memory->arena), bytes);
}

static void store_device(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                         const kiln_sim_accesses_t *a)
{
    check_shadow_t *s = kiln_sim_check_shadow(wave);
    uint64_t lanes = a->lanes | a->partial, bad = undefined_data(s, inst, a, lanes);
    if (bad)
        kiln_sim_check_undefined_use(wave, inst, &inst->src[1], bad, "stored data");
    uint8_t *at[KILN_GFX942_LANES];
    lanes = a->lanes;
    if (!wave->thread->launch->memory->written)
        return;
    find_marks(wave, a, &lanes, at);
    if (a->kind == KILN_SIM_ATOMIC && !strstr(inst->row->name, "swap") &&
        !all_written((const uint8_t *const *)at, lanes, a->bytes)) {
        for (uint64_t left = tracked_lanes(wave, a, lanes); left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            if (all_written((const uint8_t *const *)at, 1ull << lane, a->bytes))
                continue;
            kiln_sim_check_found(wave, inst, NULL, (int)lane, KILN_SIM_CHECK_INDEX_UNDEFINED,
                                 "the %u bytes at 0x%llx are modified, but were never written",
                                 a->bytes, (unsigned long long)a->at[lane]);
            break;
        }
    }
    bool copies_gaps = a->kind == KILN_SIM_STORE && a->bytes >= 4 && !a->format;
    store(s, inst, copies_gaps ? inst->src[1].reg : -1, at, lanes, a->bytes);
    for (uint64_t left = a->partial; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        mark_stored(wave->thread->launch->memory, a->at[lane], a->lane_bytes[lane]);
    }
    for (unsigned i = 0; i < inst->dst.dwords && inst->dst.kind == KILN_SIM_OP_VGPR; i++)
        check_shadow_clear(s, inst->dst.reg + i, wave->exec);
}

// ---- scratch

static void run_scratch(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                        const kiln_sim_accesses_t *a)
{
    check_shadow_t *s = kiln_sim_check_shadow(wave);
    uint8_t *written = kiln_sim_check_group(wave->group)->scratch_written, *at[KILN_GFX942_LANES];
    if (!written || !a->scratch_lanes)
        return;
    for (size_t lane = 0; lane < KILN_GFX942_LANES; lane++)
        at[lane] = written + (wave->index * (size_t)KILN_GFX942_LANES + lane) * wave->scratch_size +
                   (a->scratch_lanes >> lane & 1 ? a->scratch_at[lane] : 0);
    if (a->kind == KILN_SIM_LOAD && inst->dst.kind == KILN_SIM_OP_VGPR)
        load(s, inst, inst->dst.reg, (const uint8_t *const *)at, a->scratch_lanes, a->bytes);
    else if (a->kind == KILN_SIM_STORE)
        store(s, inst, inst->src[1].reg, at, a->scratch_lanes, a->bytes);
}

// ---- scalar memory

static void run_scalar(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                       const kiln_sim_accesses_t *a)
{
    check_shadow_t *s = kiln_sim_check_shadow(wave);
    const kiln_sim_memory_t *memory = wave->thread->launch->memory;
    const uint64_t at = a->scalar_at & ~3ull;
    if (a->kind != KILN_SIM_LOAD)
        mark_stored(memory, at, 4 * a->scalar_dwords);
    bool tracked = memory->written && is_tracked(wave, at);
    for (unsigned i = 0; tracked && inst->dst.kind == KILN_SIM_OP_SGPR && i < inst->dst.dwords;
         i++) {
        uint32_t bits = 0;
        for (unsigned byte = 0; byte < 4 && i < a->scalar_dwords; byte++)
            bits |= memory->written[at - memory->arena + 4 * i + byte] ? 0 : 0xffu << (8 * byte);
        if (inst->dst.reg + i < KILN_SIM_SGPR_SINK)
            s->scalar[inst->dst.reg + i] = bits;
    }
}

// ---- all kinds of memory

void kiln_sim_check_undefined_address(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                      const check_facts_t *f)
{
    static const char address[] = "an address";
    kiln_sim_check_undefined_use(wave, inst, &inst->src[0], wave->exec, address);
    kiln_sim_check_undefined_use(wave, inst, &inst->mem[0], wave->exec, "a buffer descriptor");
    kiln_sim_check_undefined_use(wave, inst, &inst->mem[1], wave->exec, address);
    if (inst->format != KILN_SIM_DS)
        kiln_sim_check_undefined_use(wave, inst, &inst->src[2], wave->exec, address);
    if (inst->format == KILN_SIM_SMEM) {
        kiln_sim_check_undefined_use(wave, inst, &inst->src[1], UINT64_MAX, "stored data");
        // Defined, unless the loaded memory is not.
        for (unsigned i = 0; inst->dst.kind == KILN_SIM_OP_SGPR && i < inst->dst.dwords; i++) {
            if (inst->dst.reg + i < KILN_SIM_SGPR_SINK)
                kiln_sim_check_shadow(wave)->scalar[inst->dst.reg + i] = 0;
        }
        return;
    }
    const kiln_sim_operand_t m0 = {.kind = KILN_SIM_OP_SGPR, .reg = KILN_SIM_SGPR_M0, .dwords = 1};
    for (unsigned i = 0; i < f->uses->count; i++) {
        if (f->uses->spans[i].first == KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_M0)
            kiln_sim_check_undefined_use(wave, inst, &m0, wave->exec, address);
    }
}

void kiln_sim_check_undefined_memory(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                     const kiln_sim_accesses_t *a)
{
    if (a->scalar_dwords)
        run_scalar(wave, inst, a);
    if (a->lds_parts)
        run_lds(wave, inst, a);
    if (a->bytes && inst->row->class_ == KILN_SIM_CLASS_VMEM_LOAD) {
        if (inst->dst.kind == KILN_SIM_OP_VGPR)
            load_device(wave, inst, a);
        else if (a->lds_parts && a->bytes <= 4)
            load_to_lds(wave, a);
    } else if (a->bytes) {
        store_device(wave, inst, a);
    }
    run_scratch(wave, inst, a);
}
