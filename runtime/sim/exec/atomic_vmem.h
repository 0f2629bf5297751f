// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers run_<name> of isa/atomic.def for memory that other host threads share; included by the
// addressing modes. The includer defines FIND_ATOMIC(bytes), which fills `lanes` or returns false.
//
// Lanes of a wave that access the same address execute their atomics one after another, in lane
// order.

// L2 flushes denormals only in f32 additions. Flat atomics may also access LDS.
static inline float l2_flush_f32(float value)
{
    return fabsf(value) < 0x1p-126f ? copysignf(0.0f, value) : value;
}
#define flush_f32(wave, value) (in_lds ? lds_flush_f32(wave, value) : l2_flush_f32(value))
#define flush_f64(wave, value) (in_lds ? lds_flush_f64(wave, value) : (value))
#define flush_pk_f16(wave, value) (in_lds ? lds_flush_pk_f16(wave, value) : (value))
#define flush_pk_bf16(wave, value) (in_lds ? lds_flush_pk_bf16(wave, value) : (value))

// Compares bits, not values, so that NaN and -0 are swapped like any other value.
#define VMEM_ATOMIC(name, T, data_dwords, ...)                                                     \
    static void run_##name(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)                     \
    {                                                                                              \
        kiln_sim_lanes_t lanes;                                                                    \
        const unsigned bytes = sizeof(atomic_##T), row = inst->src[1].reg;                         \
        if (!FIND_ATOMIC(bytes))                                                                   \
            return;                                                                                \
        KILN_SIM_FOR_LANES(lane, lanes.mask)                                                       \
        {                                                                                          \
            if (lanes.at[lane] % bytes) {                                                          \
                kiln_sim_wave_fault(wave, inst, (int)lane, "misaligned atomic at 0x%llx",          \
                                    (unsigned long long)lanes.at[lane]);                           \
                return;                                                                            \
            }                                                                                      \
            uint64_t data = lane_value(wave, row, lane, bytes), compare = 0, seen = 0,             \
                     changed = 0;                                                                  \
            if ((data_dwords) > bytes / 4)                                                         \
                compare = lane_value(wave, row + bytes / 4, lane, bytes);                          \
            (void)compare;                                                                         \
            const bool in_lds = is_lds_place(wave, lanes.at[lane]);                                \
            (void)in_lds;                                                                          \
            atomic_##T a, old, new_value;                                                          \
            memcpy(&a, &data, sizeof a);                                                           \
            for (bool done = false; !done;) {                                                      \
                if (bytes == 4)                                                                    \
                    seen =                                                                         \
                        __atomic_load_n((uint32_t *)(uintptr_t)lanes.at[lane], __ATOMIC_RELAXED);  \
                else                                                                               \
                    seen =                                                                         \
                        __atomic_load_n((uint64_t *)(uintptr_t)lanes.at[lane], __ATOMIC_RELAXED);  \
                memcpy(&old, &seen, sizeof old);                                                   \
                new_value = (__VA_ARGS__);                                                         \
                changed = 0;                                                                       \
                memcpy(&changed, &new_value, sizeof new_value);                                    \
                if (bytes == 4) {                                                                  \
                    uint32_t expected = (uint32_t)seen;                                            \
                    done = __atomic_compare_exchange_n((uint32_t *)(uintptr_t)lanes.at[lane],      \
                                                       &expected, (uint32_t)changed, 0,            \
                                                       __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);        \
                } else {                                                                           \
                    done = __atomic_compare_exchange_n((uint64_t *)(uintptr_t)lanes.at[lane],      \
                                                       &seen, changed, 0, __ATOMIC_SEQ_CST,        \
                                                       __ATOMIC_RELAXED);                          \
                }                                                                                  \
            }                                                                                      \
            if (inst->cache & KILN_SIM_CACHE_SC0)                                                  \
                lane_set(wave, inst->dst.reg, lane, bytes, seen);                                  \
        }                                                                                          \
    }
#define ATOMIC(vmem, ds, ds_rtn, T, ...) VMEM_ATOMIC(vmem, T, sizeof(atomic_##T) / 4, __VA_ARGS__)
#define SWAP(vmem, ds_rtn, T, ...) ATOMIC(vmem, , ds_rtn, T, __VA_ARGS__)
#define CMPSWAP(vmem, ds, ds_rtn, T, D)                                                            \
    VMEM_ATOMIC(vmem, T, sizeof(atomic_##T) / 2, seen == compare ? a : old)
#define ATOMIC_FLOAT ATOMIC
#ifndef ATOMIC_FLOAT_FLAT
#define ATOMIC_FLOAT_FLAT ATOMIC
#endif
#define ATOMIC_DS(...)
#include "isa/atomic.def"
#undef ATOMIC
#undef CMPSWAP
#undef SWAP
#undef ATOMIC_FLOAT
#undef ATOMIC_FLOAT_FLAT
#undef ATOMIC_DS
