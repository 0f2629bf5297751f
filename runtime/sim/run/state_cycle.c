// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares hashes of a workgroup's state at its stops (run/state_cycle.h).
#include "run/state_cycle.h"

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

// Hashes four words in parallel, so that multiplications do not wait for each other, and the
// remaining bytes at the end.
static uint64_t mix_bytes(uint64_t hash, const void *bytes, size_t size)
{
    uint64_t parts[4] = {hash, 1, 2, 3}, words[4];
    const uint8_t *at = bytes;
    for (; size >= sizeof words; at += sizeof words, size -= sizeof words) {
        memcpy(words, at, sizeof words);
        for (unsigned i = 0; i < 4; i++)
            parts[i] = mix(parts[i], words[i]);
    }
    memset(words, 0, sizeof words);
    if (size)
        memcpy(words, at, size);
    for (unsigned i = 0; i < 4; i++)
        hash = mix(mix(hash, parts[i]), words[i]);
    return hash;
}

static uint64_t hash_scalars(const kiln_sim_wave_t *waves)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < waves->group->wave_count; i++) {
        const kiln_sim_wave_t *wave = &waves[i];
        hash = mix(mix(hash, (uint64_t)(uintptr_t)wave->resume),
                   (uint64_t)wave->stop << 1 | wave->scc);
        if (wave->stop != KILN_SIM_STOP_END)
            hash = mix_bytes(mix(hash, wave->mode), wave->sgpr,
                             KILN_SIM_SGPR_SINK * sizeof *wave->sgpr);
    }
    return hash;
}

static uint64_t hash_vectors(const kiln_sim_kernel_t *kernel, const kiln_sim_wave_t *waves)
{
    const unsigned arch = kiln_sim_kernel_arch_vgprs(kernel),
                   total = kiln_sim_kernel_total_vgprs(kernel);
    const unsigned max = KILN_SIM_ACC_ROW, first = arch < max ? arch : max;
    const unsigned acc = total <= arch ? 0 : total - arch < max ? total - arch : max;
    uint64_t hash = mix_bytes(0, waves->group->lds, waves->group->lds_size);
    for (unsigned i = 0; i < waves->group->wave_count; i++) {
        if (waves[i].stop == KILN_SIM_STOP_END)
            continue;
        hash = mix_bytes(hash, waves[i].vgpr[0], first * sizeof *waves->vgpr);
        hash = mix_bytes(hash, waves[i].vgpr[KILN_SIM_ACC_ROW], acc * sizeof *waves->vgpr);
    }
    return hash;
}

kiln_sim_state_cycle_result_t kiln_sim_state_cycle_check(kiln_sim_state_cycle_t *cycle,
                                                         const kiln_sim_kernel_t *kernel,
                                                         const kiln_sim_wave_t *waves)
{
    const uint64_t scalars = hash_scalars(waves);
    if (!cycle->stops)
        *cycle = (kiln_sim_state_cycle_t){scalars, hash_vectors(kernel, waves), 1};
    else if (scalars == cycle->scalars && hash_vectors(kernel, waves) == cycle->vectors)
        return KILN_SIM_STATE_CYCLE_CLOSED;
    else if (cycle->stops++ == KILN_SIM_STATE_CYCLE_STOPS)
        return KILN_SIM_STATE_CYCLE_NONE;
    return KILN_SIM_STATE_CYCLE_OPEN;
}
