// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the lanes of a memory instruction reach (check/access.h).
//
// What a reader gets wrong: a FLAT instruction may reach LDS in some lanes and device memory in others, and a load
// straight to LDS does both in each lane: it reads device memory and writes LDS.
#include "check/access.h"

static bool has(const kiln_sim_inst_t *inst, const char *part)
{
    return strstr(inst->row->name, part) != NULL;
}

static bool starts(const kiln_sim_inst_t *inst, const char *prefix)
{
    return strncmp(inst->row->name, prefix, strlen(prefix)) == 0;
}

// ---- what does not change

static unsigned device_bytes(const kiln_sim_inst_t *inst)
{
    static const struct {
        const char *part;
        unsigned bytes;
    } sizes[] = {{"dwordx4", 16}, {"dwordx3", 12}, {"dwordx2", 8}, {"dword", 4}, {"short", 2}, {"byte", 1}};
    bool followed = inst->format >= KILN_SIM_FLAT && inst->row->class_ >= KILN_SIM_CLASS_VMEM_LOAD;
    if (!followed)
        return 0;
    if (has(inst, "_format"))
        return 4; // what it really is comes from the descriptor
    if (inst->row->class_ == KILN_SIM_CLASS_VMEM_ATOMIC)
        return has(inst, "_x2") || has(inst, "_f64") ? 8 : 4;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (has(inst, sizes[i].part))
            return sizes[i].bytes;
    }
    return has(inst, "short") ? 2 : 0;
}

static bool touches_memory(const kiln_sim_inst_t *inst)
{
    return inst->row->class_ == KILN_SIM_CLASS_SMEM || inst->row->class_ >= KILN_SIM_CLASS_LDS;
}

// A short loop around the instruction that touches no other memory: it waits for another wave.
static bool is_polled(const kiln_sim_inst_t *inst)
{
    const kiln_sim_inst_t *target = NULL, *i = inst->next;
    for (unsigned steps = 0; i && steps < 16 && !touches_memory(i) && !starts(i, "s_barrier"); steps++, i = i->next) {
        if ((i->row->flags & KILN_SIM_ROW_BRANCHES) && i->target && i->target->address <= inst->address) {
            target = i->target;
            break;
        }
    }
    for (i = target; i && i != inst && !touches_memory(i) && i->address < inst->address;)
        i = i->next;
    return i == inst;
}

void kiln_sim_check_access_fill(check_footprint_t *f, const kiln_sim_inst_t *inst)
{
    unsigned class_ = inst->row->class_;
    f->memory_bytes = (uint8_t)device_bytes(inst);
    f->is_format = has(inst, "_format");
    f->memory_access = class_ == KILN_SIM_CLASS_VMEM_ATOMIC  ? KILN_SIM_ATOMIC
                       : class_ == KILN_SIM_CLASS_VMEM_STORE ? KILN_SIM_STORE
                                                             : KILN_SIM_LOAD;
    f->is_gws = starts(inst, "ds_gws_");
    f->spins = touches_memory(inst) && inst->dst.kind != KILN_SIM_OP_NONE && is_polled(inst);
    bool direct = f->lds_bytes && inst->format != KILN_SIM_DS;
    f->lds_form = direct ? CHECK_LDS_LANES : f->lds_parts == 2 ? CHECK_LDS_PAIR : CHECK_LDS_ADDRESS;
    if (inst->format != KILN_SIM_DS || (inst->flags & KILN_SIM_INST_GDS))
        return;
    bool counter = starts(inst, "ds_append") || starts(inst, "ds_consume");
    if (counter || has(inst, "_addtid")) {
        f->lds_bytes = 4;
        f->lds_parts = 1;
        f->lds_form = counter ? CHECK_LDS_COUNTER : CHECK_LDS_LANES;
        f->lds_access = counter ? KILN_SIM_ATOMIC : has(inst, "_read_") ? KILN_SIM_LOAD : KILN_SIM_STORE;
    }
}

// ---- LDS

static void find_lds(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_footprint_t *f,
                     check_access_t *a)
{
    uint32_t size = wave->group->lds_size;
    a->lds_parts = f->lds_parts;
    a->lds_bytes = f->lds_bytes;
    a->lds_kind = f->lds_access;
    for (unsigned part = 0; part < f->lds_parts; part++) {
        uint64_t offset = (uint64_t)(int64_t)inst->imm, outside = 0;
        uint32_t *to = a->lds_at[part];
        if (f->lds_form == CHECK_LDS_PAIR)
            offset = (offset >> (8 * part) & 255) * f->lds_scale;
        if (f->lds_form == CHECK_LDS_LANES || f->lds_form == CHECK_LDS_COUNTER) {
            uint32_t step = f->lds_form == CHECK_LDS_LANES ? 4 : 0;
            if (step)
                offset += wave->m0 & (inst->format == KILN_SIM_FLAT ? 0x3fffcu : 0xffffu);
            for (uint32_t lane = 0; lane < KILN_SIM_LANES; lane++) {
                uint64_t at = offset + lane * step;
                to[lane] = (uint32_t)at;
                outside |= (uint64_t)(at + f->lds_bytes > size) << lane;
            }
        } else {
            const uint32_t *address = wave->vgpr[inst->src[0].reg];
            uint32_t last = size >= f->lds_bytes ? size - f->lds_bytes : 0, beyond = size < f->lds_bytes;
            for (uint32_t lane = 0; lane < KILN_SIM_LANES; lane++) {
                to[lane] = address[lane] + (uint32_t)offset; // wraps
                beyond |= to[lane] > last;
            }
            for (uint32_t lane = 0; lane < KILN_SIM_LANES && beyond; lane++)
                outside |= (uint64_t)((uint64_t)to[lane] + f->lds_bytes > size) << lane;
        }
        uint64_t lanes = f->lds_form == CHECK_LDS_COUNTER ? wave->exec & -wave->exec : wave->exec; // one for the wave
        a->lds_outside[part] = lanes & outside;
        a->lds_lanes[part] = lanes & ~outside;
    }
}

// ---- device memory

static void find_flat(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, check_access_t *a)
{
    const uint32_t *low = wave->vgpr[inst->src[0].reg];
    uint64_t base = (uint64_t)(int64_t)inst->imm;
    a->lanes = wave->exec;
    if (inst->src[2].kind != KILN_SIM_OP_NONE) {
        base += kiln_sim_scalar_u64(wave, &inst->src[2]);
        for (unsigned lane = 0; lane < KILN_SIM_LANES; lane++)
            a->at[lane] = base + low[lane];
        return;
    }
    const uint32_t *high = wave->vgpr[inst->src[0].reg + 1];
    for (unsigned lane = 0; lane < KILN_SIM_LANES; lane++)
        a->at[lane] = base + (low[lane] | (uint64_t)high[lane] << 32);
}

static void set_scratch(const kiln_sim_wave_t *wave, check_access_t *a, unsigned lane, uint32_t offset)
{
    a->scratch_at[lane] = offset;
    if (offset <= wave->scratch_size && wave->scratch_size - offset >= a->bytes)
        a->scratch_lanes |= 1ull << lane;
}

static void find_scratch(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, check_access_t *a)
{
    uint32_t base = (uint32_t)inst->imm;
    if (inst->src[2].kind != KILN_SIM_OP_NONE)
        base += kiln_sim_scalar_u32(wave, &inst->src[2]);
    const uint32_t *vaddr = inst->src[0].kind == KILN_SIM_OP_VGPR ? wave->vgpr[inst->src[0].reg] : NULL;
    for (uint64_t left = wave->exec; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        set_scratch(wave, a, lane, base + (vaddr ? vaddr[lane] : 0));
    }
}

// Takes the lanes of a FLAT instruction that reach LDS or scratch out of a->lanes.
static void split_apertures(const kiln_sim_wave_t *wave, check_access_t *a)
{
    uint64_t shared = 0, private = 0;
    for (unsigned lane = 0; lane < KILN_SIM_LANES; lane++) {
        shared |= (uint64_t)(a->at[lane] >> 32 == KILN_SIM_SHARED_BASE >> 32) << lane;
        private |= (uint64_t)(a->at[lane] >> 32 == KILN_SIM_PRIVATE_BASE >> 32) << lane;
    }
    shared &= a->lanes;
    for (uint64_t left = private & a->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        set_scratch(wave, a, lane, (uint32_t)a->at[lane]);
    }
    a->lanes &= ~(shared | private);
    if (!shared)
        return;
    a->lds_parts = 1;
    a->lds_bytes = a->bytes;
    a->lds_kind = a->kind;
    for (uint64_t left = shared; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        a->lds_at[0][lane] = (uint32_t)a->at[lane];
        if ((uint64_t)a->lds_at[0][lane] + a->bytes <= wave->group->lds_size)
            a->lds_lanes[0] |= 1ull << lane;
    }
}

// A buffer's lane as the descriptor says: where it is, and how many bytes from there on are in range.
static uint64_t buffer_lane(const uint32_t *v, uint32_t records, unsigned lane, bool idxen, uint64_t index,
                            uint32_t offset, uint32_t soffset, unsigned bytes, uint64_t *at)
{
    uint64_t stride = v[1] >> 16 & 0x3fff, ranged = (uint64_t)offset + soffset;
    bool swizzle = v[1] >> 31, add_tid = v[3] >> 23 & 1;
    uint64_t left = ranged < records ? records - ranged : 0;
    if (idxen && stride)
        left = index < records && !(swizzle && offset >= stride) ? bytes : 0;
    else if (add_tid)
        left = bytes;
    if (add_tid) {
        index += lane;
        stride |= (uint64_t)(v[3] >> 15 & 15) << 14;
    }
    uint64_t inside = index * stride + offset, together = 8ull << (v[3] >> 21 & 3);
    if (swizzle)
        inside = (index / together * stride + (offset & ~3u)) * together + index % together * 4 + (offset & 3);
    *at = (v[0] | (uint64_t)(v[1] & 0xffff) << 32) + soffset + inside;
    return left;
}

// Formats and atomics are in range as a whole or not at all; the low address bits of formats are ignored.
static void find_buffer(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, check_access_t *a)
{
    if (inst->mem[0].kind != KILN_SIM_OP_SGPR)
        return;
    const uint32_t *v = &wave->sgpr[inst->mem[0].reg];
    bool offen = inst->flags & KILN_SIM_INST_OFFEN, idxen = inst->flags & KILN_SIM_INST_IDXEN;
    bool bound = v[3] >> 23 & 1 || v[3] >> 15 & 15 || inst->format == KILN_SIM_MTBUF;
    const uint32_t records = bound ? v[2] : 0;
    bool raw = !(idxen && v[1] >> 16 & 0x3fff) && !(v[1] >> 31) && !(v[3] >> 23 & 1);
    uint32_t soffset = kiln_sim_scalar_u32(wave, &inst->mem[1]);
    uint64_t base = v[0] | (uint64_t)(v[1] & 0xffff) << 32;
    uint64_t low_bits = !a->format ? 0 : a->bytes >= 4 ? 3 : a->bytes - 1;
    const uint32_t *vaddr = wave->vgpr[inst->src[0].kind == KILN_SIM_OP_VGPR ? inst->src[0].reg : 0];
    const uint32_t *voffset = idxen ? vaddr + KILN_SIM_LANES : vaddr;
    uint64_t whole = 0, partial = 0, bent = 0, torn = 0;
    unsigned piece = a->format || a->kind == KILN_SIM_ATOMIC || a->bytes < 4 ? a->bytes : 4;
    a->is_buffer = true;
    for (unsigned lane = 0; lane < KILN_SIM_LANES; lane++) {
        uint32_t offset = (uint32_t)inst->imm + (offen ? voffset[lane] : 0);
        uint64_t ranged = (uint64_t)offset + soffset, at = base + ranged;
        uint64_t left = ranged < records ? records - ranged : 0;
        if (!raw)
            left = buffer_lane(v, records, lane, idxen, idxen ? vaddr[lane] : 0, offset, soffset, a->bytes, &at);
        a->at[lane] = at & ~low_bits;
        bent |= (uint64_t)((at & low_bits) != 0) << lane;
        whole |= (uint64_t)(left >= a->bytes) << lane;
        partial |= (uint64_t)(left >= piece && left < a->bytes) << lane;
        torn |= (uint64_t)(left < a->bytes && left % piece != 0) << lane;
        a->lane_bytes[lane] = (uint8_t)(left < a->bytes ? left & ~3ull : a->bytes);
    }
    a->lanes = whole & wave->exec;
    a->partial = partial & wave->exec;
    a->cut = wave->exec & ~(whole | partial);
    a->bent = bent & wave->exec & ~a->cut;
    a->torn = torn & wave->exec;
    if (raw) {
        a->base = base;
        a->end = base + records;
    }
}

static const uint8_t component_bits[16][4] = {
#define DATA_FORMAT(number, name, x, y, z, w) [number] = {x, y, z, w},
#include "isa/format.def"
#undef DATA_FORMAT
};

// The data format, from the instruction or its descriptor. False where there is none: nothing is accessed.
static bool find_format(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, check_access_t *a)
{
    unsigned number = inst->format == KILN_SIM_MTBUF ? inst->data_format : wave->sgpr[inst->mem[0].reg + 3] >> 15;
    const uint8_t *bits = component_bits[number & 15];
    a->format = bits;
    a->bytes = (uint8_t)((bits[0] + bits[1] + bits[2] + bits[3]) / 8);
    return a->bytes != 0;
}

bool kiln_sim_check_access_find(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_footprint_t *f,
                                check_access_t *a)
{
    if (!f->lds_bytes && !f->memory_bytes)
        return false;
    a->lds_parts = 0;
    a->lds_lanes[0] = a->lds_lanes[1] = a->lds_outside[0] = a->lds_outside[1] = 0;
    a->lanes = a->partial = a->cut = a->bent = a->torn = a->base = a->end = 0;
    a->bytes = f->memory_bytes;
    a->kind = f->memory_access;
    a->is_buffer = false;
    a->format = NULL;
    a->scratch_lanes = 0;
    if (f->lds_bytes)
        find_lds(wave, inst, f, a);
    if (!f->memory_bytes)
        return true;
    if (inst->flags & KILN_SIM_INST_SCRATCH && inst->format == KILN_SIM_FLAT) {
        find_scratch(wave, inst, a);
        return true;
    }
    if (f->is_format && !find_format(wave, inst, a))
        return true;
    if (inst->format != KILN_SIM_FLAT) {
        find_buffer(wave, inst, a);
        if (a->lds_parts && (inst->flags & KILN_SIM_INST_LDS)) // lanes without a place in LDS are not loaded
            a->lanes &= a->lds_lanes[0];
        return true;
    }
    find_flat(wave, inst, a);
    if (!(inst->flags & KILN_SIM_INST_GLOBAL))
        split_apertures(wave, a);
    else if (a->lds_parts)
        a->lanes &= a->lds_lanes[0];
    return true;
}

check_scalar_access_t kiln_sim_check_scalar_access(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    const kiln_sim_operand_t *base = &inst->src[0], *data = inst->dst.kind ? &inst->dst : &inst->src[1];
    check_scalar_access_t a = {.is_buffer = base->dwords == 4};
    if (base->kind != KILN_SIM_OP_SGPR || base->dwords < 2 || has(inst, "scratch"))
        return a;
    uint64_t offset = (uint64_t)(int64_t)inst->imm;
    if (inst->src[2].kind != KILN_SIM_OP_NONE)
        offset += kiln_sim_scalar_u32(wave, &inst->src[2]);
    a.at = kiln_sim_scalar_u64(wave, base);
    a.dwords = data->dwords;
    if (a.is_buffer) {
        const uint32_t *v = &wave->sgpr[base->reg];
        uint32_t stride = v[1] >> 16 & 0x3fff;
        uint64_t size = (uint64_t)v[2] * (stride ? stride : 1),
                 left = offset < size ? (size - (offset & ~3ull)) / 4 : 0;
        a.at &= 0xffffffffffffull;
        a.dwords = left < a.dwords ? (unsigned)left : a.dwords;
    }
    a.at += offset;
    return a;
}
