// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flat, global and scratch instructions.
//
// Pitfalls: the high half of a flat address selects the segment of each lane separately; the saddr
// form of global adds an unsigned 32-bit VGPR offset; scratch addresses never leave the lane's own
// bytes.
#include "exec/access.h"

static inline bool is_global(const kiln_sim_inst_t *inst)
{
    return inst->flags & KILN_SIM_INST_GLOBAL;
}

static void global_addresses(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                             kiln_sim_lanes_t *lanes)
{
    const uint32_t *low = wave->vgpr[inst->src[0].reg];
    uint64_t base = (uint64_t)(int64_t)inst->imm;
    if (inst->src[2].kind != KILN_SIM_OP_NONE) {
        base += kiln_sim_scalar_u64(wave, &inst->src[2]);
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
            lanes->at[lane] = base + low[lane];
        return;
    }
    const uint32_t *high = wave->vgpr[inst->src[0].reg + 1];
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
        lanes->at[lane] = base + (low[lane] | (uint64_t)high[lane] << 32);
}

// Checks that every lane in mask has `bytes` bytes at lanes->at. If one allocation holds all of
// them, one check serves the whole wave.
static bool check_lanes(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                        kiln_sim_access_t access, const kiln_sim_lanes_t *lanes, uint64_t mask,
                        unsigned bytes)
{
    uint64_t lowest = UINT64_MAX, highest = 0;
    if (mask == UINT64_MAX) {
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
            lowest = lanes->at[lane] < lowest ? lanes->at[lane] : lowest;
            highest = lanes->at[lane] > highest ? lanes->at[lane] : highest;
        }
    } else {
        KILN_SIM_FOR_LANES(lane, mask)
        {
            lowest = lanes->at[lane] < lowest ? lanes->at[lane] : lowest;
            highest = lanes->at[lane] > highest ? lanes->at[lane] : highest;
        }
    }
    if (mask == 0 || kiln_sim_check_address(wave->thread, access, lowest, highest - lowest + bytes))
        return true;
    KILN_SIM_FOR_LANES(lane, mask)
    {
        if (!kiln_sim_check_lane_address(wave->thread, inst, access, lanes->at[lane], bytes)) {
            kiln_sim_wave_fault_address(wave, inst, (int)lane, access, lanes->at[lane], bytes);
            return false;
        }
    }
    return true;
}

static bool scratch_lane(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, uint64_t lane,
                         uint64_t offset, unsigned bytes, kiln_sim_lanes_t *lanes)
{
    if (offset > wave->scratch_size || wave->scratch_size - offset < bytes) {
        kiln_sim_wave_fault(
            wave, inst, (int)lane,
            "%u bytes at scratch offset 0x%llx, but a lane has %llu bytes of scratch", bytes,
            (unsigned long long)offset, (unsigned long long)wave->scratch_size);
        return false;
    }
    lanes->at[lane] = (uint64_t)(uintptr_t)wave->scratch + lane * wave->scratch_size + offset;
    return true;
}

static bool scratch_addresses(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                              kiln_sim_access_t access, unsigned bytes, kiln_sim_lanes_t *lanes)
{
    uint32_t base = (uint32_t)inst->imm;
    if (inst->src[2].kind != KILN_SIM_OP_NONE)
        base += kiln_sim_scalar_u32(wave, &inst->src[2]);
    bool has_vaddr = inst->src[0].kind == KILN_SIM_OP_VGPR;
    KILN_SIM_FOR_LANES(lane, lanes->mask)
    {
        uint32_t offset = base + (has_vaddr ? wave->vgpr[inst->src[0].reg][lane] : 0);
        if (!scratch_lane(wave, inst, lane, offset, bytes, lanes))
            return false;
        if (is_watched(wave))
            kiln_sim_watch_scratch(wave, access, bytes, (unsigned)lane, offset);
    }
    return true;
}

// Converts flat addresses in the LDS and scratch apertures to host addresses; *global receives the
// other lanes.
static bool split_apertures(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                            kiln_sim_access_t access, unsigned bytes, kiln_sim_lanes_t *lanes,
                            uint64_t *global)
{
    KILN_SIM_FOR_LANES(lane, lanes->mask)
    {
        uint64_t address = lanes->at[lane];
        uint32_t offset = (uint32_t)address;
        if (address >> 32 == KILN_SIM_SHARED_BASE >> 32) {
            if (offset > wave->group->lds_size || wave->group->lds_size - offset < bytes) {
                kiln_sim_wave_fault(
                    wave, inst, (int)lane,
                    "%u bytes at LDS offset 0x%x, but the workgroup has %u bytes of LDS", bytes,
                    offset, wave->group->lds_size);
                return false;
            }
            lanes->at[lane] = (uint64_t)(uintptr_t)wave->group->lds + offset;
            if (is_watched(wave))
                kiln_sim_watch_lds_lane(wave, access, bytes, (unsigned)lane, offset);
            *global &= ~(1ull << lane);
        } else if (address >> 32 == KILN_SIM_PRIVATE_BASE >> 32) {
            if (access == KILN_SIM_ATOMIC) {
                kiln_sim_wave_fault(wave, inst, (int)lane, "scratch atomics do not exist");
                return false;
            }
            if (!scratch_lane(wave, inst, lane, offset, bytes, lanes))
                return false;
            if (is_watched(wave))
                kiln_sim_watch_scratch(wave, access, bytes, (unsigned)lane, offset);
            *global &= ~(1ull << lane);
        }
    }
    return true;
}

// Fills lanes with the checked host addresses of an instruction's active lanes. False after a
// fault.
static bool find_lanes(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, kiln_sim_access_t access,
                       unsigned bytes, kiln_sim_lanes_t *lanes)
{
    lanes->mask = wave->exec;
    if (inst->flags & KILN_SIM_INST_SCRATCH) {
        if (access == KILN_SIM_ATOMIC)
            kiln_sim_wave_fault(wave, inst, -1, "scratch atomics do not exist");
        const bool good =
            access != KILN_SIM_ATOMIC && scratch_addresses(wave, inst, access, bytes, lanes);
        if (good && is_watched(wave))
            kiln_sim_watch_notify(wave);
        return good;
    }
    global_addresses(wave, inst, lanes);
    uint64_t global = lanes->mask;
    if (!is_global(inst) && !split_apertures(wave, inst, access, bytes, lanes, &global))
        return false;
    if (!check_lanes(wave, inst, access, lanes, global, bytes))
        return false;
    count_lines(wave, access, lanes->at, global, bytes);
    if (is_watched(wave)) {
        kiln_sim_watch_lanes(wave, access, bytes, lanes->at, global);
        kiln_sim_watch_notify(wave);
        lanes->mask = wave->thread->watch->moves_nothing ? 0 : lanes->mask;
    }
    return true;
}

// The fast path for global loads and stores. False, without any effect, if it does not apply.
static inline bool find_span(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                             kiln_sim_access_t access, unsigned bytes,
                             uint32_t storage[KILN_GFX942_LANES], kiln_sim_span_t *span)
{
    const uint64_t exec = wave->exec;
    if (!is_global(inst) || exec == 0)
        return false;
    const uint32_t *low = wave->vgpr[inst->src[0].reg];
    uint64_t base = (uint64_t)(int64_t)inst->imm;
    if (inst->src[2].kind != KILN_SIM_OP_NONE) {
        base += kiln_sim_scalar_u64(wave, &inst->src[2]);
        span->offset = low;
    } else {
        const uint32_t *high = wave->vgpr[inst->src[0].reg + 1];
        const unsigned first = (unsigned)__builtin_ctzll(exec);
        // Covers 2 GB below and above the first lane's address.
        const uint64_t origin = (low[first] | (uint64_t)high[first] << 32) - 0x80000000u;
        uint64_t near = 0;
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
            storage[i] = low[i] - (uint32_t)origin;
        // `carry` is 0 exactly in lanes whose address is less than 4 GB above origin.
        alignas(64) uint32_t carry[KILN_GFX942_LANES];
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
            carry[i] = high[i] - (uint32_t)(origin >> 32) - (low[i] < (uint32_t)origin);
        near = lanes_up_to(carry, 0);
        if (exec & ~near)
            return false;
        base += origin;
        span->offset = storage;
    }
    uint32_t lowest, highest;
    row_range(span->offset, exec, &lowest, &highest);
    if (!kiln_sim_check_address(wave->thread, access, base + lowest,
                                (uint64_t)highest - lowest + bytes))
        return false;
    span->base = base;
    span->live = exec;
    span->empty = 0;
    kiln_sim_count_lines(wave, access, base, span->offset, exec, bytes);
    if (is_watched(wave)) {
        kiln_sim_watch_span(wave, access, bytes, base, span->offset, exec);
        kiln_sim_watch_notify(wave);
        span->live = wave->thread->watch->moves_nothing ? 0 : exec;
    }
    return true;
}

#define LANES_T kiln_sim_lanes_t
#define LANES_OF(found) (found)
#define BEFORE_LOAD(run)
#define SPAN_READERS span.live
#define SPAN_PLACE(lane) (span.base + span.offset[lane])
#define STORE_PARTS(count)
#include "exec/load_store_vmem.h"

#define FIND_ATOMIC(bytes) find_lanes(wave, inst, KILN_SIM_ATOMIC, bytes, &lanes)
#include "exec/atomic_vmem.h"

// global_load_lds_* and scratch_load_lds_*: LDS_base + M0[17:2] * 4 + offset + lane * 4. Lanes
// whose LDS address is out of range are not read.
static void load_to_lds(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, unsigned bytes,
                        bool is_signed)
{
    kiln_sim_lanes_t lanes;
    lanes.mask = wave->exec;
    bool scratch = inst->flags & KILN_SIM_INST_SCRATCH;
    uint64_t base = (wave->m0 & 0x3fffcu) + (uint64_t)(int64_t)inst->imm;
    KILN_SIM_FOR_LANES(masked, lanes.mask)
    {
        uint64_t target = base + masked * 4;
        if (target > wave->group->lds_size || wave->group->lds_size - target < 4)
            lanes.mask &= ~(1ull << masked);
    }
    if (is_watched(wave))
        kiln_sim_watch_lds_row(wave, base, wave->exec);
    if (scratch) {
        if (!scratch_addresses(wave, inst, KILN_SIM_LOAD, bytes, &lanes))
            return;
    } else {
        global_addresses(wave, inst, &lanes);
        if (!check_lanes(wave, inst, KILN_SIM_LOAD, &lanes, lanes.mask, bytes))
            return;
        count_lines(wave, KILN_SIM_LOAD, lanes.at, lanes.mask, bytes);
        if (is_watched(wave))
            kiln_sim_watch_lanes(wave, KILN_SIM_LOAD, bytes, lanes.at, lanes.mask);
    }
    if (is_watched(wave))
        kiln_sim_watch_notify(wave);
    KILN_SIM_FOR_LANES(lane, lanes.mask)
    {
        uint64_t at = lanes.at[lane];
        uint32_t value = bytes == 4 ? read_u32(at) : bytes == 2 ? read_u16(at) : read_u8(at);
        if (is_signed)
            value =
                bytes == 2 ? (uint32_t)(int32_t)(int16_t)value : (uint32_t)(int32_t)(int8_t)value;
        write_u32((uint64_t)(uintptr_t)wave->group->lds + base + lane * 4, value);
    }
}

#define LOAD_LDS(suffix, bytes, is_signed)                                                         \
    static void run_load_lds_##suffix(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)          \
    {                                                                                              \
        load_to_lds(wave, inst, bytes, is_signed);                                                 \
    }
#include "isa/vmem.def"
#undef LOAD_LDS

#define ROW(prefix, name_, unit, dst_, data_)                                                      \
    {.name = #prefix "_" #name_,                                                                   \
     .run = run_##name_,                                                                           \
     .format = KILN_SIM_FLAT,                                                                      \
     .class_ = KILN_SIM_CLASS_VMEM_##unit,                                                         \
     .cycles = 4,                                                                                  \
     .dst = (dst_),                                                                                \
     .src = {KILN_SIM_T_U64, (data_)}},
#define ROWS(name, unit, dst, data)                                                                \
    ROW(flat, name, unit, dst, data)                                                               \
    ROW(global, name, unit, dst, data) ROW(scratch, name, unit, dst, data)
#define LOAD(vmem, ds, bytes, ...) ROWS(vmem, LOAD, KILN_SIM_T_U32, KILN_SIM_T_NONE)
#define LOADX(vmem, ds, dwords, D) ROWS(vmem, LOAD, KILN_SIM_T_##D, KILN_SIM_T_NONE)
#define STORE(vmem, ds, bytes, ...) ROWS(vmem, STORE, KILN_SIM_T_NONE, KILN_SIM_T_U32)
#define STOREX(vmem, ds, dwords, D) ROWS(vmem, STORE, KILN_SIM_T_NONE, KILN_SIM_T_##D)
#define ATOMIC(vmem, ds, ds_rtn, T, ...)                                                           \
    ROW(flat, vmem, ATOMIC, TYPE_OF_##T, TYPE_OF_##T)                                              \
    ROW(global, vmem, ATOMIC, TYPE_OF_##T, TYPE_OF_##T)
#define SWAP(vmem, ds_rtn, T, ...) ATOMIC(vmem, , ds_rtn, T, __VA_ARGS__)
#define CMPSWAP(vmem, ds, ds_rtn, T, D)                                                            \
    ROW(flat, vmem, ATOMIC, TYPE_OF_##T, KILN_SIM_T_##D)                                           \
    ROW(global, vmem, ATOMIC, TYPE_OF_##T, KILN_SIM_T_##D)
#define ATOMIC_FLOAT ATOMIC
#define ATOMIC_FLOAT_FLAT ATOMIC
#define ATOMIC_DS(...)
#define LOAD_LDS(suffix, bytes, is_signed)                                                         \
    ROW(global, load_lds_##suffix, LOAD, KILN_SIM_T_NONE, KILN_SIM_T_NONE)                         \
    ROW(scratch, load_lds_##suffix, LOAD, KILN_SIM_T_NONE, KILN_SIM_T_NONE)
static const kiln_sim_row_t rows[] = {
#include "isa/memory.def"

#include "isa/atomic.def"

#include "isa/vmem.def"
};

const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_flat) = {rows, sizeof rows / sizeof rows[0]};
