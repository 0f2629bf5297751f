// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers run_<name> of isa/memory.def for memory outside LDS; included by the addressing modes,
// which define find_span, the fast path for lanes near each other, find_lanes, and
//
//     LANES_T              what find_lanes fills, and the kiln_sim_lanes_t in it,
//     LANES_OF(found)
//     BEFORE_LOAD(run)     what a load does first; may return
//     SPAN_READERS         lanes that receive a value from the span `span`, and where
//     SPAN_PLACE(lane)     each reads
//     STORE_PARTS(count)   stores the dwords of lanes of `found` that are only partly in range
#define LOAD(vmem, ds, bytes, ...)                                                                 \
    static void run_##vmem(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)                     \
    {                                                                                              \
        BEFORE_LOAD(run_##vmem)                                                                    \
        alignas(64) uint32_t storage[KILN_GFX942_LANES];                                           \
        kiln_sim_span_t span;                                                                      \
        LANES_T found;                                                                             \
        uint32_t *dst = wave->vgpr[inst->dst.reg];                                                 \
        if (find_span(wave, inst, KILN_SIM_LOAD, bytes, storage, &span)) {                         \
            KILN_SIM_FOR_LANES(lane, SPAN_READERS)                                                 \
            {                                                                                      \
                uint64_t at = SPAN_PLACE(lane);                                                    \
                dst[lane] = (__VA_ARGS__);                                                         \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        if (!find_lanes(wave, inst, KILN_SIM_LOAD, bytes, &found))                                 \
            return;                                                                                \
        KILN_SIM_FOR_LANES(lane, LANES_OF(found).mask)                                             \
        {                                                                                          \
            uint64_t at = LANES_OF(found).at[lane];                                                \
            dst[lane] = (__VA_ARGS__);                                                             \
        }                                                                                          \
    }
#define LOADX(vmem, ds, count, D)                                                                  \
    static void run_##vmem(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)                     \
    {                                                                                              \
        BEFORE_LOAD(run_##vmem)                                                                    \
        alignas(64) uint32_t storage[KILN_GFX942_LANES];                                           \
        kiln_sim_span_t span;                                                                      \
        LANES_T found;                                                                             \
        if (find_span(wave, inst, KILN_SIM_LOAD, 4 * (count), storage, &span))                     \
            load_span(&wave->vgpr[inst->dst.reg], &span, count);                                   \
        else if (find_lanes(wave, inst, KILN_SIM_LOAD, 4 * (count), &found))                       \
            load_dwords(wave, inst->dst.reg, &LANES_OF(found), count);                             \
    }
#define STORE(vmem, ds, bytes, ...)                                                                \
    static void run_##vmem(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)                     \
    {                                                                                              \
        alignas(64) uint32_t storage[KILN_GFX942_LANES];                                           \
        kiln_sim_span_t span;                                                                      \
        LANES_T found;                                                                             \
        if (find_span(wave, inst, KILN_SIM_STORE, bytes, storage, &span)) {                        \
            KILN_SIM_FOR_LANES(lane, span.live)                                                    \
            {                                                                                      \
                uint64_t at = span.base + span.offset[lane];                                       \
                uint32_t a = wave->vgpr[inst->src[1].reg][lane];                                   \
                __VA_ARGS__;                                                                       \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        if (!find_lanes(wave, inst, KILN_SIM_STORE, bytes, &found))                                \
            return;                                                                                \
        KILN_SIM_FOR_LANES(lane, LANES_OF(found).mask)                                             \
        {                                                                                          \
            uint64_t at = LANES_OF(found).at[lane];                                                \
            uint32_t a = wave->vgpr[inst->src[1].reg][lane];                                       \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    }
#define STOREX(vmem, ds, count, D)                                                                 \
    static void run_##vmem(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)                     \
    {                                                                                              \
        alignas(64) uint32_t storage[KILN_GFX942_LANES];                                           \
        kiln_sim_span_t span;                                                                      \
        LANES_T found;                                                                             \
        if (find_span(wave, inst, KILN_SIM_STORE, 4 * (count), storage, &span)) {                  \
            store_span(&wave->vgpr[inst->src[1].reg], &span, count);                               \
            return;                                                                                \
        }                                                                                          \
        if (!find_lanes(wave, inst, KILN_SIM_STORE, 4 * (count), &found))                          \
            return;                                                                                \
        store_dwords(wave, inst->src[1].reg, &LANES_OF(found), count);                             \
        STORE_PARTS(count)                                                                         \
    }
#include "isa/memory.def"
#undef LOAD
#undef LOADX
#undef STORE
#undef STOREX
