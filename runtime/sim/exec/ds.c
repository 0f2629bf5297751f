// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LDS instructions, and the cross-lane moves that go through the LDS crossbar. CDNA3 ISA guide,
// chapter 11.
//
// A workgroup runs on one host thread, so LDS atomics need no host atomics: lanes act in order.
//
// Pitfalls: M0 does not limit LDS addresses on gfx9; accesses beyond the workgroup's allocation
// read zero and are not written. Address and offset are added in 32 bits, because LLVM folds
// offsets into negative addresses.
#include "exec/access.h"
#include "run/gws.h"

static const alignas(16) uint8_t zeros[16];

// Finds the host addresses of `bytes` bytes at address + offset in LDS. Loads elsewhere read zeros,
// stores elsewhere are dropped. Returns the lanes inside LDS, active or not.
static inline uint64_t find_lanes(const kiln_sim_wave_t *wave, const uint32_t *address,
                                  uint32_t offset, unsigned bytes, kiln_sim_access_t access,
                                  kiln_sim_lanes_t *lanes)
{
    uint64_t lds = (uint64_t)(uintptr_t)wave->group->lds, size = wave->group->lds_size, inside = 0;
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
        uint64_t at = address[lane] + offset; // wraps
        bool good = at + bytes <= size;
        inside |= (uint64_t)good << lane;
        lanes->at[lane] = lds + at;
    }
    lanes->mask = wave->exec;
    if ((inside & wave->exec) == wave->exec)
        return inside;
    if (access != KILN_SIM_LOAD) {
        lanes->mask &= inside;
        return inside;
    }
    KILN_SIM_FOR_LANES(lane, lanes->mask & ~inside) lanes->at[lane] = (uint64_t)(uintptr_t)zeros;
    return inside;
}

static inline void find(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, unsigned bytes,
                        kiln_sim_access_t access, kiln_sim_lanes_t *lanes)
{
    const uint32_t *address = wave->vgpr[inst->src[0].reg];
    const uint64_t inside = find_lanes(wave, address, (uint32_t)inst->imm, bytes, access, lanes);
    kiln_sim_count_lds(wave, address, (uint32_t)inst->imm, wave->exec, bytes, access, 1);
    if (is_watched(wave)) {
        kiln_sim_watch_lds(wave, 0, access, bytes, address, (uint32_t)inst->imm, wave->exec,
                           inside);
        kiln_sim_watch_notify(wave);
    }
}

// Like find, for plain loads and stores, which have one or two parts. The caller passes the offset
// of a part and counts the access.
static inline kiln_sim_span_t find_span(kiln_sim_wave_t *wave, const uint32_t *address,
                                        uint32_t offset, unsigned bytes, kiln_sim_access_t access,
                                        unsigned part, uint32_t sums[KILN_GFX942_LANES])
{
    const uint32_t size = wave->group->lds_size;
    const uint32_t room = size >= bytes ? size - bytes : 0;
    uint64_t inside = size >= bytes && offset <= room ? lanes_up_to(address, room - offset) : 0;
    if (wave->exec & ~inside) {
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
            sums[lane] = address[lane] + offset; // wraps
        address = sums;
        offset = 0;
        inside = size >= bytes ? lanes_up_to(sums, room) : 0;
    }
    if (is_watched(wave)) {
        if (wave->thread->watch->moves_nothing) {
            kiln_sim_watch_lds_lanes(wave, part, access, bytes, wave->exec, inside);
            return (kiln_sim_span_t){.offset = address};
        }
        kiln_sim_watch_lds(wave, part, access, bytes, address, offset, wave->exec, inside);
    }
    return (kiln_sim_span_t){.base = (uint64_t)(uintptr_t)wave->group->lds + offset,
                             .offset = address,
                             .live = wave->exec & inside,
                             .empty = wave->exec & ~inside};
}

static inline kiln_sim_span_t find_one(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                       unsigned bytes, kiln_sim_access_t access,
                                       uint32_t sums[KILN_GFX942_LANES])
{
    const uint32_t *address = wave->vgpr[inst->src[0].reg];
    const kiln_sim_span_t span =
        find_span(wave, address, (uint32_t)inst->imm, bytes, access, 0, sums);
    kiln_sim_count_lds(wave, address, (uint32_t)inst->imm, wave->exec, bytes, access, 1);
    if (is_watched(wave))
        kiln_sim_watch_notify(wave);
    return span;
}

// Offset of the first or second of a pair of accesses; scale: bytes per unit of the 8-bit offset.
static inline uint32_t part_offset(const kiln_sim_inst_t *inst, unsigned part, unsigned scale)
{
    return ((uint32_t)inst->imm >> (8 * part) & 255) * scale;
}

static inline bool same_places(const kiln_sim_inst_t *inst)
{
    return (inst->imm & 255) == (inst->imm >> 8 & 255);
}

#define HANDLER(name) static void run_##name(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)

#define LOAD(vmem, ds, bytes, ...)                                                                 \
    HANDLER(ds)                                                                                    \
    {                                                                                              \
        uint32_t *dst = wave->vgpr[inst->dst.reg];                                                 \
        alignas(64) uint32_t sums[KILN_GFX942_LANES];                                              \
        const kiln_sim_span_t span = find_one(wave, inst, bytes, KILN_SIM_LOAD, sums);             \
        if (span.live == UINT64_MAX) {                                                             \
            for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {                            \
                uint64_t at = span.base + span.offset[lane];                                       \
                dst[lane] = (__VA_ARGS__);                                                         \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        KILN_SIM_FOR_LANES(lane, wave->exec)                                                       \
        {                                                                                          \
            uint64_t at = span.live >> lane & 1 ? span.base + span.offset[lane]                    \
                                                : (uint64_t)(uintptr_t)zeros;                      \
            dst[lane] = (__VA_ARGS__);                                                             \
        }                                                                                          \
    }
#define LOADX(vmem, ds, dwords, D)                                                                 \
    HANDLER(ds)                                                                                    \
    {                                                                                              \
        alignas(64) uint32_t sums[KILN_GFX942_LANES];                                              \
        const kiln_sim_span_t span = find_one(wave, inst, 4 * (dwords), KILN_SIM_LOAD, sums);      \
        load_span(&wave->vgpr[inst->dst.reg], &span, dwords);                                      \
    }
#define STORE(vmem, ds, bytes, ...)                                                                \
    HANDLER(ds)                                                                                    \
    {                                                                                              \
        alignas(64) uint32_t sums[KILN_GFX942_LANES];                                              \
        const kiln_sim_span_t span = find_one(wave, inst, bytes, KILN_SIM_STORE, sums);            \
        KILN_SIM_FOR_LANES(lane, span.live)                                                        \
        {                                                                                          \
            uint64_t at = span.base + span.offset[lane];                                           \
            uint32_t a = wave->vgpr[inst->src[1].reg][lane];                                       \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    }
#define STOREX(vmem, ds, dwords, D)                                                                \
    HANDLER(ds)                                                                                    \
    {                                                                                              \
        alignas(64) uint32_t sums[KILN_GFX942_LANES];                                              \
        const kiln_sim_span_t span = find_one(wave, inst, 4 * (dwords), KILN_SIM_STORE, sums);     \
        store_span(&wave->vgpr[inst->src[1].reg], &span, dwords);                                  \
    }
#include "isa/memory.def"
#undef LOAD
#undef LOADX
#undef STORE
#undef STOREX

// ---- pairs: read2, write2, wrxchg2 and their st64 forms

static inline void read2(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, unsigned dwords,
                         unsigned scale)
{
    alignas(64) uint32_t copy[KILN_GFX942_LANES]; // in case the first half overwrites the address
    const unsigned row = inst->src[0].reg, dst = inst->dst.reg;
    const uint32_t *address = wave->vgpr[row];
    if (row - dst < dwords) {
        memcpy(copy, address, sizeof copy);
        address = copy;
    }
    alignas(64) uint32_t sums[2][KILN_GFX942_LANES];
    kiln_sim_span_t span[2];
    for (unsigned part = 0; part < 2; part++)
        span[part] = find_span(wave, address, part_offset(inst, part, scale), 4 * dwords,
                               KILN_SIM_LOAD, part, sums[part]);
    kiln_sim_count_lds(wave, address, 0, wave->exec, 4 * dwords, KILN_SIM_LOAD, 2);
    if (is_watched(wave))
        kiln_sim_watch_notify(wave);
    for (unsigned part = 0; part < 2; part++)
        load_span(&wave->vgpr[dst + part * dwords], &span[part], dwords);
}

static inline void write2(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, unsigned dwords,
                          unsigned scale)
{
    const unsigned parts = same_places(inst) ? 1 : 2; // one access, with the first datum
    alignas(64) uint32_t sums[2][KILN_GFX942_LANES];
    kiln_sim_span_t span[2];
    const uint32_t *address = wave->vgpr[inst->src[0].reg];
    for (unsigned part = 0; part < parts; part++)
        span[part] = find_span(wave, address, part_offset(inst, part, scale), 4 * dwords,
                               KILN_SIM_STORE, part, sums[part]);
    kiln_sim_count_lds(wave, address, 0, wave->exec, 4 * dwords, KILN_SIM_STORE, parts);
    if (is_watched(wave))
        kiln_sim_watch_notify(wave);
    for (unsigned part = 0; part < parts; part++)
        store_span(&wave->vgpr[inst->src[1 + part].reg], &span[part], dwords);
}

// Lanes that are out of range still return a value, zero, like any read there.
static inline void return_zeros(kiln_sim_wave_t *wave, unsigned row, uint64_t lanes, unsigned bytes)
{
    KILN_SIM_FOR_LANES(lane, lanes) lane_set(wave, row, lane, bytes, 0);
}

static inline void exchange2(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, unsigned bytes,
                             unsigned scale)
{
    kiln_sim_lanes_t lanes[2];
    uint64_t data[2][KILN_GFX942_LANES];
    unsigned parts = same_places(inst) ? 1 : 2;
    for (unsigned part = 0; part < 2; part++) {
        const uint32_t *address = wave->vgpr[inst->src[0].reg];
        const uint32_t offset = part_offset(inst, part, scale);
        const uint64_t inside =
            find_lanes(wave, address, offset, bytes, KILN_SIM_ATOMIC, &lanes[part]);
        kiln_sim_count_lds(wave, address, 0, wave->exec, bytes, KILN_SIM_ATOMIC, 1);
        if (is_watched(wave) && part < parts)
            kiln_sim_watch_lds(wave, part, KILN_SIM_ATOMIC, bytes, address, offset, wave->exec,
                               inside);
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
            data[part][lane] = lane_value(wave, inst->src[1 + part].reg, lane, bytes);
    }
    if (is_watched(wave))
        kiln_sim_watch_notify(wave);
    for (unsigned part = 0; part < parts; part++) {
        KILN_SIM_FOR_LANES(lane, lanes[part].mask)
        {
            uint64_t old = 0;
            void *place = (void *)(uintptr_t)lanes[part].at[lane];
            memcpy(&old, place, bytes);
            memcpy(place, &data[part][lane], bytes);
            lane_set(wave, inst->dst.reg + part * bytes / 4, lane, bytes, old);
        }
        return_zeros(wave, inst->dst.reg + part * bytes / 4, wave->exec & ~lanes[part].mask, bytes);
    }
}

// ---- atomics

#define flush_f32 lds_flush_f32
#define flush_f64 lds_flush_f64
#define flush_pk_f16 lds_flush_pk_f16
#define flush_pk_bf16 lds_flush_pk_bf16

// b, if present, is the second operand.
#define DS_ATOMIC(name, T, operands, returns, ...)                                                 \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        const unsigned bytes = sizeof(atomic_##T);                                                 \
        kiln_sim_lanes_t lanes;                                                                    \
        find(wave, inst, bytes, KILN_SIM_ATOMIC, &lanes);                                          \
        KILN_SIM_FOR_LANES(lane, lanes.mask)                                                       \
        {                                                                                          \
            uint64_t first = lane_value(wave, inst->src[1].reg, lane, bytes), second = 0,          \
                     seen = 0;                                                                     \
            if ((operands) == 2)                                                                   \
                second = lane_value(wave, inst->src[2].reg, lane, bytes);                          \
            atomic_##T a, b, old, new_value;                                                       \
            memcpy(&a, &first, sizeof a);                                                          \
            memcpy(&b, &second, sizeof b);                                                         \
            (void)b;                                                                               \
            memcpy(&old, (const void *)(uintptr_t)lanes.at[lane], sizeof old);                     \
            new_value = (__VA_ARGS__);                                                             \
            memcpy((void *)(uintptr_t)lanes.at[lane], &new_value, sizeof new_value);               \
            memcpy(&seen, &old, sizeof old);                                                       \
            if (returns)                                                                           \
                lane_set(wave, inst->dst.reg, lane, bytes, seen);                                  \
        }                                                                                          \
        if (returns)                                                                               \
            return_zeros(wave, inst->dst.reg, wave->exec & ~lanes.mask, bytes);                    \
    }
#define ATOMIC(vmem, ds, ds_rtn, T, ...)                                                           \
    DS_ATOMIC(ds, T, 1, false, __VA_ARGS__)                                                        \
    DS_ATOMIC(ds_rtn, T, 1, true, __VA_ARGS__)
#define ATOMIC_FLOAT ATOMIC
#define ATOMIC_FLOAT_FLAT ATOMIC
#define ATOMIC_DS(ds, ds_rtn, T, ...)                                                              \
    DS_ATOMIC(ds, T, 1, false, __VA_ARGS__)                                                        \
    DS_ATOMIC(ds_rtn, T, 1, true, __VA_ARGS__)
#define CMPSWAP(vmem, ds, ds_rtn, T, D)                                                            \
    DS_ATOMIC(ds, T, 2, false, old == a ? b : old)                                                 \
    DS_ATOMIC(ds_rtn, T, 2, true, old == a ? b : old)
#define SWAP(vmem, ds_rtn, T, ...) DS_ATOMIC(ds_rtn, T, 1, true, __VA_ARGS__)
#include "isa/atomic.def"
#undef ATOMIC
#undef SWAP
#undef ATOMIC_FLOAT
#undef ATOMIC_FLOAT_FLAT
#undef ATOMIC_DS
#undef CMPSWAP

// Writes each of two dwords if its datum's top bit is set, without that bit. The address has 16
// bits; the low three are ignored.
static void exchange_marked(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    kiln_sim_lanes_t lanes;
    uint32_t address[KILN_GFX942_LANES];
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
        address[lane] = (wave->vgpr[inst->src[0].reg][lane] + (uint32_t)inst->imm) & 0xfff8;
    const uint64_t inside = find_lanes(wave, address, 0, 8, KILN_SIM_ATOMIC, &lanes);
    kiln_sim_count_lds(wave, address, 0, wave->exec, 8, KILN_SIM_ATOMIC, 1);
    if (is_watched(wave)) {
        kiln_sim_watch_lds(wave, 0, KILN_SIM_ATOMIC, 8, address, 0, wave->exec, inside);
        kiln_sim_watch_notify(wave);
    }
    KILN_SIM_FOR_LANES(lane, lanes.mask)
    {
        uint64_t old, datum = lane_value(wave, inst->src[1].reg, lane, 8);
        const uint64_t marked =
            (datum >> 31 & 1 ? 0xffffffffu : 0) | (datum >> 63 ? 0xffffffff00000000u : 0);
        memcpy(&old, (const void *)(uintptr_t)lanes.at[lane], sizeof old);
        datum = (old & ~marked) | (datum & marked & 0x7fffffff7fffffffu);
        memcpy((void *)(uintptr_t)lanes.at[lane], &datum, sizeof datum);
        lane_set(wave, inst->dst.reg, lane, 8, old);
    }
    return_zeros(wave, inst->dst.reg, wave->exec & ~lanes.mask, 8);
}

// One counter for the wave: adds or subtracts the number of active lanes. Every lane gets the
// previous value.
static void count_lanes(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int direction)
{
    uint32_t offset = (uint32_t)inst->imm, old = 0;
    if (wave->exec == 0)
        return;
    const bool inside = offset + 4 <= wave->group->lds_size;
    if (is_watched(wave)) { // one lane accesses memory for all
        static const uint32_t none[KILN_GFX942_LANES];
        kiln_sim_watch_lds(wave, 0, KILN_SIM_ATOMIC, 4, none, offset, wave->exec & -wave->exec,
                           inside ? UINT64_MAX : 0);
        kiln_sim_watch_notify(wave);
    }
    if (inside) {
        uint64_t at = (uint64_t)(uintptr_t)wave->group->lds + offset;
        old = read_u32(at);
        write_u32(at, old + (uint32_t)(direction * __builtin_popcountll(wave->exec)));
    }
    KILN_SIM_FOR_LANES(lane, wave->exec) wave->vgpr[inst->dst.reg][lane] = old;
}

// Addresses are imm + M0[15:0] + lane * 4.
static void addtid_lanes(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                         kiln_sim_access_t access, kiln_sim_lanes_t *lanes)
{
    uint32_t address[KILN_GFX942_LANES];
    for (uint32_t lane = 0; lane < KILN_GFX942_LANES; lane++)
        address[lane] = (wave->m0 & 0xffff) + lane * 4;
    const uint64_t inside = find_lanes(wave, address, (uint32_t)inst->imm, 4, access, lanes);
    if (is_watched(wave)) {
        kiln_sim_watch_lds(wave, 0, access, 4, address, (uint32_t)inst->imm, wave->exec, inside);
        kiln_sim_watch_notify(wave);
    }
}

static void read_addtid(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    kiln_sim_lanes_t lanes;
    addtid_lanes(wave, inst, KILN_SIM_LOAD, &lanes);
    load_dwords(wave, inst->dst.reg, &lanes, 1);
}

static void write_addtid(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    kiln_sim_lanes_t lanes;
    addtid_lanes(wave, inst, KILN_SIM_STORE, &lanes);
    store_dwords(wave, inst->src[1].reg, &lanes, 1);
}

// ---- cross-lane moves, which do not access memory

// Each lane reads from lane (address / 4) % 64; inactive lanes supply 0.
static void bpermute(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    uint32_t result[KILN_GFX942_LANES];
    const uint32_t *address = wave->vgpr[inst->src[0].reg], *data = wave->vgpr[inst->src[1].reg];
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
        unsigned from = (address[lane] + (uint32_t)inst->imm) / 4 % 64;
        result[lane] = wave->exec >> from & 1 ? data[from] : 0;
    }
    KILN_SIM_FOR_LANES(lane, wave->exec) wave->vgpr[inst->dst.reg][lane] = result[lane];
}

// Each lane writes to lane (address / 4) % 64. If several write to one lane, the highest wins;
// lanes that none writes to get 0.
static void permute(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    uint32_t result[KILN_GFX942_LANES] = {0};
    const uint32_t *address = wave->vgpr[inst->src[0].reg], *data = wave->vgpr[inst->src[1].reg];
    KILN_SIM_FOR_LANES(from, wave->exec)
    result[(address[from] + (uint32_t)inst->imm) / 4 % 64] = data[from];
    KILN_SIM_FOR_LANES(lane, wave->exec) wave->vgpr[inst->dst.reg][lane] = result[lane];
}

// The lane that ds_swizzle reads from, depending on the offset's mode: FFT, rotate, quad permute,
// or bit masks in groups of 32.
static unsigned swizzle_source(unsigned lane, uint32_t offset)
{
    if (offset >= 0xe000) {
        // FFT: reverses the low bits of the lane number that the mask does not cover.
        unsigned mask = offset & 31, reversed = 0;
        for (unsigned bit = 0; bit < 5; bit++)
            reversed |= (lane >> bit & 1) << (4 - bit);
        unsigned count = (unsigned)__builtin_popcount(mask);
        return (lane & ~31u) | ((reversed >> count) | (lane & 31 & mask));
    }
    if (offset >= 0xc000) {
        unsigned mask = offset & 31, amount = offset >> 5 & 31;
        unsigned step = offset & 0x400 ? 32 - amount : amount; // bit 10: right instead of left
        return (lane & ~31u) | (lane & mask) | ((lane + step) & 31 & ~mask);
    }
    if (offset & 0x8000)
        return (lane & ~3u) | (offset >> (2 * (lane & 3)) & 3);
    unsigned and_mask = offset & 31, or_mask = offset >> 5 & 31, xor_mask = offset >> 10 & 31;
    return (lane & ~31u) | ((((lane & 31) & and_mask) | or_mask) ^ xor_mask);
}

static void swizzle(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    uint32_t result[KILN_GFX942_LANES];
    const uint32_t *data = wave->vgpr[inst->src[0].reg];
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
        unsigned from = swizzle_source(lane, (uint32_t)inst->imm);
        result[lane] = wave->exec >> from & 1 ? data[from] : 0;
    }
    KILN_SIM_FOR_LANES(lane, wave->exec) wave->vgpr[inst->dst.reg][lane] = result[lane];
}

// ---- GWS

static void gws(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, kiln_sim_gws_op_t op)
{
    unsigned lane = wave->exec ? (unsigned)__builtin_ctzll(wave->exec) : 0;
    uint32_t value = inst->src[0].kind == KILN_SIM_OP_VGPR ? wave->vgpr[inst->src[0].reg][lane] : 0;
    kiln_sim_gws_perform(wave, inst, op, value);
}

#define DS(name, D, address, data0, data1, ...)                                                    \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        (void)wave;                                                                                \
        (void)inst;                                                                                \
        __VA_ARGS__;                                                                               \
    }
#define GWS(name, value, op) DS(name, NONE, value, NONE, NONE, gws(wave, inst, op))
#include "isa/ds.def"
#undef GWS
#undef DS
#undef DS_ATOMIC

// ---- the table

#define ROW(name_, dst_, address_, data0_, data1_)                                                 \
    {.name = "ds_" #name_,                                                                         \
     .run = run_##name_,                                                                           \
     .format = KILN_SIM_DS,                                                                        \
     .class_ = KILN_SIM_CLASS_LDS,                                                                 \
     .cycles = 4,                                                                                  \
     .dst = (dst_),                                                                                \
     .src = {(address_), (data0_), (data1_)}},
#define T(type) KILN_SIM_T_##type
#define LOAD(vmem, ds, bytes, ...) ROW(ds, T(U32), T(U32), T(NONE), T(NONE))
#define LOADX(vmem, ds, dwords, D) ROW(ds, T(D), T(U32), T(NONE), T(NONE))
#define STORE(vmem, ds, bytes, ...) ROW(ds, T(NONE), T(U32), T(U32), T(NONE))
#define STOREX(vmem, ds, dwords, D) ROW(ds, T(NONE), T(U32), T(D), T(NONE))
#define ATOMIC_DS(ds, ds_rtn, type, ...)                                                           \
    ROW(ds, T(NONE), T(U32), TYPE_OF_##type, T(NONE))                                              \
    ROW(ds_rtn, TYPE_OF_##type, T(U32), TYPE_OF_##type, T(NONE))
#define ATOMIC(vmem, ds, ds_rtn, type, ...) ATOMIC_DS(ds, ds_rtn, type)
#define SWAP(vmem, ds_rtn, type, ...) ROW(ds_rtn, TYPE_OF_##type, T(U32), TYPE_OF_##type, T(NONE))
#define ATOMIC_FLOAT(vmem, ds, ds_rtn, type, ...) ATOMIC_DS(ds, ds_rtn, type)
#define ATOMIC_FLOAT_FLAT ATOMIC_FLOAT
#define TWO_OPERANDS(ds, ds_rtn, type)                                                             \
    ROW(ds, T(NONE), T(U32), TYPE_OF_##type, TYPE_OF_##type)                                       \
    ROW(ds_rtn, TYPE_OF_##type, T(U32), TYPE_OF_##type, TYPE_OF_##type)
#define CMPSWAP(vmem, ds, ds_rtn, type, D) TWO_OPERANDS(ds, ds_rtn, type)
#define DS(name, D, address, data0, data1, ...) ROW(name, T(D), T(address), T(data0), T(data1))
#define GWS(name_, value, op)                                                                      \
    {.name = "ds_" #name_,                                                                         \
     .run = run_##name_,                                                                           \
     .format = KILN_SIM_DS,                                                                        \
     .class_ = KILN_SIM_CLASS_LDS,                                                                 \
     .cycles = 4,                                                                                  \
     .src = {T(value)},                                                                            \
     .flags = KILN_SIM_ROW_DATA_AT_ADDRESS},
#define RETURNED_true(type) TYPE_OF_##type
#define RETURNED_false(type) T(NONE)
#define SECOND_1(type) T(NONE)
#define SECOND_2(type) TYPE_OF_##type
#define DS_ATOMIC(name, type, operands, returns, ...)                                              \
    ROW(name, RETURNED_##returns(type), T(U32), TYPE_OF_##type, SECOND_##operands(type))
static const kiln_sim_row_t rows[] = {
#include "isa/memory.def"

#include "isa/atomic.def"

#include "isa/ds.def"
};

const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_ds) = {rows, sizeof rows / sizeof rows[0]};
