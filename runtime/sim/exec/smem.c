// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar loads, stores and atomics.
//
// Pitfall: dwords of an s_buffer access beyond num_records are not accessed: a load leaves the
// registers of these dwords unchanged.
#include "exec/access.h"

typedef enum base_kind { ADDRESS, BUFFER, SCRATCH } base_kind_t;

typedef struct place {
    uint64_t address;
    unsigned dwords; // requested dwords that are in range; for an atomic all or none
} place_t;

// False after a fault.
static bool find_place(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, base_kind_t base,
                       unsigned dwords, kiln_sim_access_t access, place_t *place)
{
    const uint32_t *sbase = &wave->sgpr[inst->src[0].reg];
    uint64_t offset = (uint64_t)(int64_t)inst->imm;
    if (inst->src[2].kind != KILN_SIM_OP_NONE)
        offset += (base == SCRATCH ? 64ull : 1ull) * kiln_sim_scalar_u32(wave, &inst->src[2]);
    const uint64_t given = offset;
    offset &= ~3ull;
    uint64_t address = sbase[0] | (uint64_t)sbase[1] << 32;
    place->dwords = dwords;
    if (base == BUFFER) {
        uint32_t stride = sbase[1] >> 16 & 0x3fff;
        uint64_t size = (uint64_t)sbase[2] * (stride ? stride : 1);
        uint64_t left = offset < size ? (size - offset) / 4 : 0;
        if (left < dwords)
            place->dwords = access == KILN_SIM_ATOMIC ? 0 : (unsigned)left;
        address &= 0xffffffffffffull;
    }
    place->address = (address & ~3ull) + offset;
    if (place->dwords == 0)
        return true;
    if (!kiln_sim_check_address(wave->thread, access, place->address, 4ull * place->dwords)) {
        kiln_sim_wave_fault_address(wave, inst, -1, access, place->address, 4ull * place->dwords);
        return false;
    }
    if (is_watched(wave)) {
        kiln_sim_watch_scalar(wave, access, place->address | ((address | given) & 3),
                              place->dwords);
        kiln_sim_watch_notify(wave);
    }
    return true;
}

static inline void load(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, base_kind_t base,
                        unsigned dwords)
{
    place_t place;
    if (find_place(wave, inst, base, dwords, KILN_SIM_LOAD, &place) && place.dwords)
        memcpy(&wave->sgpr[inst->dst.reg], (const void *)(uintptr_t)place.address,
               4ull * place.dwords);
}

static inline void store(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, base_kind_t base,
                         unsigned dwords)
{
    place_t place;
    if (find_place(wave, inst, base, dwords, KILN_SIM_STORE, &place) && place.dwords)
        memcpy((void *)(uintptr_t)place.address, &wave->sgpr[inst->src[1].reg],
               4ull * place.dwords);
}

// The address of an atomic, which must be aligned and entirely in range; 0 if it is dropped.
static uint64_t atomic_place(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, base_kind_t base,
                             unsigned bytes)
{
    place_t place;
    if (!find_place(wave, inst, base, bytes / 4, KILN_SIM_ATOMIC, &place) || place.dwords == 0)
        return 0;
    if (place.address % bytes) {
        kiln_sim_wave_fault(wave, inst, -1, "misaligned atomic at 0x%llx",
                            (unsigned long long)place.address);
        return 0;
    }
    return place.address;
}

#define LOAD(name, base, dwords, type)                                                             \
    static void run_##name(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)                     \
    {                                                                                              \
        load(wave, inst, base, dwords);                                                            \
    }
#define STORE(name, base, dwords, type)                                                            \
    static void run_##name(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)                     \
    {                                                                                              \
        store(wave, inst, base, dwords);                                                           \
    }
#define PLAIN(name, D, ...)                                                                        \
    static void run_##name(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)                     \
    {                                                                                              \
        (void)wave;                                                                                \
        (void)inst;                                                                                \
        __VA_ARGS__;                                                                               \
    }
#define HINT(name, base) PLAIN(name, NONE, (void)0)
#include "isa/smem.def"
#undef LOAD
#undef STORE
#undef PLAIN
#undef HINT

#define SCALAR_ATOMIC(name, base, T, data_dwords, ...)                                             \
    static void run_##name(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)                     \
    {                                                                                              \
        uint64_t at = atomic_place(wave, inst, base, sizeof(atomic_##T));                          \
        if (!at)                                                                                   \
            return;                                                                                \
        atomic_##T *place = (atomic_##T *)(uintptr_t)at, data[2] = {0}, a, old, new_value;         \
        memcpy(data, &wave->sgpr[inst->src[1].reg], 4 * (data_dwords));                            \
        a = data[0];                                                                               \
        old = __atomic_load_n(place, __ATOMIC_RELAXED);                                            \
        do {                                                                                       \
            new_value = (__VA_ARGS__);                                                             \
        } while (!__atomic_compare_exchange_n(place, &old, new_value, 0, __ATOMIC_SEQ_CST,         \
                                              __ATOMIC_RELAXED));                                  \
        if (inst->cache & KILN_SIM_CACHE_SC0)                                                      \
            memcpy(&wave->sgpr[inst->dst.reg], &old, sizeof old);                                  \
    }
#define ATOMIC(vmem, ds, ds_rtn, T, ...)                                                           \
    SCALAR_ATOMIC(s_##vmem, ADDRESS, T, sizeof(atomic_##T) / 4, __VA_ARGS__)                       \
    SCALAR_ATOMIC(s_buffer_##vmem, BUFFER, T, sizeof(atomic_##T) / 4, __VA_ARGS__)
#define SWAP(vmem, ds_rtn, T, ...) ATOMIC(vmem, , ds_rtn, T, __VA_ARGS__)
#define CMPSWAP(vmem, ds, ds_rtn, T, D)                                                            \
    SCALAR_ATOMIC(s_##vmem, ADDRESS, T, sizeof(atomic_##T) / 2, old == data[1] ? a : old)          \
    SCALAR_ATOMIC(s_buffer_##vmem, BUFFER, T, sizeof(atomic_##T) / 2, old == data[1] ? a : old)
#define ATOMIC_FLOAT(...)
#define ATOMIC_FLOAT_FLAT(...)
#define ATOMIC_DS(...)
#include "isa/atomic.def"
#undef ATOMIC
#undef CMPSWAP
#undef SWAP

enum {
    TYPE_OF_ADDRESS = KILN_SIM_T_U64,
    TYPE_OF_BUFFER = KILN_SIM_T_B128,
    TYPE_OF_SCRATCH = KILN_SIM_T_U64
};

#define ROW(name_, dst_, base_, data_)                                                             \
    {.name = #name_,                                                                               \
     .run = run_##name_,                                                                           \
     .format = KILN_SIM_SMEM,                                                                      \
     .class_ = KILN_SIM_CLASS_SMEM,                                                                \
     .cycles = 4,                                                                                  \
     .dst = (dst_),                                                                                \
     .src = {(base_), (data_)}},
#define LOAD(name, base, dwords, type) ROW(name, KILN_SIM_T_##type, TYPE_OF_##base, KILN_SIM_T_NONE)
#define STORE(name, base, dwords, type)                                                            \
    ROW(name, KILN_SIM_T_NONE, TYPE_OF_##base, KILN_SIM_T_##type)
#define PLAIN(name, D, ...) ROW(name, KILN_SIM_T_##D, KILN_SIM_T_NONE, KILN_SIM_T_NONE)
#define HINT(name, base) ROW(name, KILN_SIM_T_NONE, TYPE_OF_##base, KILN_SIM_T_NONE)
#define ATOMIC(vmem, ds, ds_rtn, T, ...)                                                           \
    ROW(s_##vmem, TYPE_OF_##T, TYPE_OF_ADDRESS, TYPE_OF_##T)                                       \
    ROW(s_buffer_##vmem, TYPE_OF_##T, TYPE_OF_BUFFER, TYPE_OF_##T)
#define SWAP(vmem, ds_rtn, T, ...) ATOMIC(vmem, , ds_rtn, T, __VA_ARGS__)
#define CMPSWAP(vmem, ds, ds_rtn, T, D)                                                            \
    ROW(s_##vmem, TYPE_OF_##T, TYPE_OF_ADDRESS, KILN_SIM_T_##D)                                    \
    ROW(s_buffer_##vmem, TYPE_OF_##T, TYPE_OF_BUFFER, KILN_SIM_T_##D)
static const kiln_sim_row_t rows[] = {
#include "isa/smem.def"

#include "isa/atomic.def"
};

const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_smem) = {rows, sizeof rows / sizeof rows[0]};
