// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of an access: LDS cycles with bank conflicts, and distinct memory lines.
//
// The cost depends on the lanes' addresses relative to the first one, and kernels use few such
// patterns. Each host thread keeps a table that maps patterns, by a 128-bit key, to costs. A cost
// is computed (run/cost.c) only if it is not in the table. It is a function of its pattern, so
// results do not depend on the table's contents.
//
// Pitfall: keys are universal hashes (NH) with fixed random words. They may differ between variants
// of the handlers, so they must not leave the thread.
#ifndef KILN_SIM_COST_H
#define KILN_SIM_COST_H

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "run/machine.h"

extern const uint32_t kiln_sim_cost_words[2][KILN_GFX942_LANES];

// Two sums of 32 products each over the lanes' distances from base. Lanes outside mask count as
// zero.
static inline void kiln_sim_cost_hash(const uint32_t address[KILN_GFX942_LANES], uint32_t base,
                                      uint64_t mask, uint64_t sum[2])
{
#ifdef __AVX512F__
    const __m512i from = _mm512_set1_epi32((int)base);
    __m512i total[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
    for (unsigned i = 0; i < KILN_GFX942_LANES; i += 16) {
        const __m512i distance =
            _mm512_maskz_sub_epi32((__mmask16)(mask >> i), _mm512_loadu_si512(address + i), from);
        for (unsigned which = 0; which < 2; which++) {
            const __m512i x =
                _mm512_add_epi32(distance, _mm512_load_si512(kiln_sim_cost_words[which] + i));
            total[which] =
                _mm512_add_epi64(total[which], _mm512_mul_epu32(x, _mm512_srli_epi64(x, 32)));
        }
    }
    sum[0] = (uint64_t)_mm512_reduce_add_epi64(total[0]);
    sum[1] = (uint64_t)_mm512_reduce_add_epi64(total[1]);
#else
    alignas(64) uint32_t distance[KILN_GFX942_LANES];
    if (mask == UINT64_MAX) {
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
            distance[i] = address[i] - base;
    } else {
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
            distance[i] = mask >> i & 1 ? address[i] - base : 0;
    }
    for (unsigned which = 0; which < 2; which++) {
        const uint32_t *word = kiln_sim_cost_words[which];
        uint64_t total = 0;
        for (unsigned i = 0; i < KILN_GFX942_LANES / 2; i++)
            total += (uint64_t)(distance[i] + word[i]) * (distance[i + 32] + word[i + 32]);
        sum[which] = total;
    }
#endif
}

// Returns the table's entry for a key from its set of two. If there is none, returns the older
// entry for the caller to fill.
static inline kiln_sim_cost_t *kiln_sim_cost_entry(kiln_sim_thread_t *thread, const uint64_t key[2])
{
    kiln_sim_cost_t *const set =
        thread->costs[(key[0] ^ key[1] >> 7) * 0x9e3779b97f4a7c15ull >> (64 - KILN_SIM_COST_BITS)];
    if (set[0].key[0] == key[0] && set[0].key[1] == key[1])
        return &set[0];
    const kiln_sim_cost_t recent = set[1];
    set[1] = set[0];
    set[0] = recent;
    return &set[0];
}

// The bits of an LDS address that are 0 if an access of `bytes` bytes is aligned: to its size, and
// to 16 if it is 12.
static inline uint32_t kiln_sim_lds_alignment(unsigned bytes)
{
    return bytes > 8 ? 15 : bytes > 4 ? 7 : 3;
}

// Counts the cycles of `times` LDS accesses with bank conflicts (GFX942_LDS_GROUP of
// base/gfx942.def), at address[i] + offset for each lane. The two halves of read2 and write2 are
// two accesses that differ only by an offset of whole elements.
static inline void kiln_sim_count_lds(kiln_sim_wave_t *wave,
                                      const uint32_t address[KILN_GFX942_LANES], uint32_t offset,
                                      uint64_t mask, unsigned bytes, kiln_sim_access_t access,
                                      unsigned times)
{
    if (mask == 0 || times == 0)
        return;
    kiln_sim_thread_t *thread = wave->thread;
    // Moving all lanes by a multiple of the alignment rotates the banks and does not change
    // conflicts.
    const uint32_t base = address[__builtin_ctzll(mask)];
    uint64_t key[2];
    kiln_sim_cost_hash(address, base, mask, key);
    key[0] ^= mask;
    key[1] ^= ((base + offset) & kiln_sim_lds_alignment(bytes)) | bytes << 4 |
              (unsigned)access << 10 | 1u << 31;
    kiln_sim_cost_t *entry = kiln_sim_cost_entry(thread, key);
    if (entry->key[0] != key[0] || entry->key[1] != key[1])
        *entry = (kiln_sim_cost_t){
            {key[0], key[1]}, {kiln_sim_lds_cycles(address, offset, mask, bytes, access), 0, 0, 0}};
    // Cycles for the data without conflicts.
    enum { BANK = KILN_GFX942_LDS_BANK_BYTES, ROW = KILN_GFX942_LDS_BANKS * BANK };
    const uint64_t lanes = (uint64_t)__builtin_popcountll(mask);
    const uint64_t min = (lanes * (bytes < BANK ? BANK : bytes) + ROW - 1) / ROW;
    const uint32_t cycles = entry->cost[0];
    thread->dynamic.lds_cycles += times * cycles;
    thread->dynamic.lds_conflict_cycles += cycles > min ? times * (cycles - min) : 0;
    thread->dynamic.lds_bytes += times * lanes * bytes;
}

// Counts bytes and lines of a memory access. Lane i accesses base + offset[i]; all lanes of mask
// are within 4 GB.
static inline void kiln_sim_count_lines(kiln_sim_wave_t *wave, kiln_sim_access_t access,
                                        uint64_t base, const uint32_t offset[KILN_GFX942_LANES],
                                        uint64_t mask, unsigned bytes)
{
    if (mask == 0)
        return;
    kiln_sim_thread_t *thread = wave->thread;
    const uint32_t first = offset[__builtin_ctzll(mask)];
    uint64_t key[2];
    kiln_sim_cost_hash(offset, first, mask, key);
    key[0] ^= mask;
    key[1] ^= ((base + first) & 127) | bytes << 8;
    kiln_sim_cost_t *entry = kiln_sim_cost_entry(thread, key);
    if (entry->key[0] != key[0] || entry->key[1] != key[1]) {
        *entry = (kiln_sim_cost_t){{key[0], key[1]}, {0, 0, 0, 0}};
        kiln_sim_distinct_lines(base, offset, mask, bytes, entry->cost);
        kiln_sim_lookup_cycles(base, offset, mask, bytes, entry->cost + 2);
    }
    const uint64_t requested = (uint64_t)__builtin_popcountll(mask) * bytes;
    thread->dynamic.bytes[access] += requested;
    thread->dynamic.lines64 += entry->cost[0];
    thread->dynamic.lines128 += entry->cost[1];
    thread->dynamic.lookups += entry->cost[2];
    thread->dynamic.least_lookups += entry->cost[3];
    thread->pattern = (kiln_sim_pattern_t){{key[0], key[1]}, mask, thread->pattern.number + 1};
}

#endif
