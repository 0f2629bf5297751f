// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the identity of a recorded launch, and finds equal ones in a hash table
// (timing/launch_cache.h).
#include "timing/launch_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/gfx942.h"
#include "timing/parameters.h"

enum { LINE = KILN_GFX942_L2_LINE };

// ---- hashing

typedef struct hash {
    uint64_t a, b;
} hash_t;

static void mix(hash_t *hash, uint64_t value)
{
    hash->a = (hash->a ^ value) * 0x9e3779b97f4a7c15ull;
    hash->a ^= hash->a >> 29;
    hash->b = (hash->b + value) * 0xd6e8feb86659fd93ull;
    hash->b = (hash->b << 31 | hash->b >> 33) ^ hash->a;
}

static void mix_real(hash_t *hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    mix(hash, bits);
}

static void mix_bytes(hash_t *hash, const void *bytes, size_t size)
{
    mix(hash, size);
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, (const char *)bytes + i, size - i < sizeof word ? size - i : sizeof word);
        mix(hash, word);
    }
}

// ---- names of lines

// The start of a range of lines that are numbered from it. Bases are numbered in the order in which
// the recording reaches them.
typedef struct base {
    uint64_t line, end; // the lines that are counted from it: [line, end)
    const kiln_timing_region_t *region;
    uint64_t number; // 0: not reached yet
} base_t;

typedef struct names {
    base_t *all;
    size_t count;
    uint64_t reached;
    base_t *recent;
} names_t;

static int by_line(const void *a, const void *b)
{
    const base_t *x = a, *y = b;
    return x->line < y->line ? -1 : x->line > y->line;
}

static const kiln_timing_region_t *region_of(const kiln_timing_cache_state_t *cache_state,
                                             uint64_t line)
{
    for (size_t r = 0; r < cache_state->region_count; r++) {
        if (cache_state->regions[r].first <= line && line <= cache_state->regions[r].last)
            return &cache_state->regions[r];
    }
    return NULL;
}

static void add_base(names_t *names, const kiln_timing_region_t *region, uint64_t line)
{
    names->all[names->count++] = (base_t){line, region->last + 1, region, 0};
}

static void add_arguments(names_t *names, const kiln_sim_launch_t *launch,
                          const kiln_timing_cache_state_t *cache_state)
{
    for (size_t i = 0; i < launch->kernel->arg_count; i++) {
        const kiln_sim_arg_t *arg = &launch->kernel->args[i];
        uint64_t pointer;
        if (!arg->is_pointer || arg->size != sizeof pointer ||
            arg->offset + sizeof pointer > launch->kernarg_offset)
            continue;
        memcpy(&pointer, launch->kernarg + arg->offset, sizeof pointer);
        const uint64_t line = (pointer - launch->memory->arena) / LINE;
        const kiln_timing_region_t *region = region_of(cache_state, line);
        if (region)
            add_base(names, region, line);
    }
}

static bool names_make(names_t *names, const kiln_sim_launch_t *launch,
                       const kiln_timing_cache_state_t *cache_state)
{
    *names = (names_t){.all = calloc(cache_state->region_count + launch->kernel->arg_count + 1,
                                     sizeof *names->all)};
    if (!names->all)
        return false;
    for (size_t r = 0; r < cache_state->region_count; r++)
        add_base(names, &cache_state->regions[r], cache_state->regions[r].first);
    add_arguments(names, launch, cache_state);
    qsort(names->all, names->count, sizeof *names->all, by_line);
    size_t left = 0;
    for (size_t i = 0; i < names->count; i++) {
        if (left && names->all[left - 1].line == names->all[i].line)
            continue;
        if (left && names->all[left - 1].end > names->all[i].line)
            names->all[left - 1].end = names->all[i].line;
        names->all[left++] = names->all[i];
    }
    names->count = left;
    names->recent = names->all;
    return true;
}

static base_t *base_of(names_t *names, uint64_t line)
{
    base_t *at = names->recent;
    if (at->line <= line && line < at->end)
        return at;
    size_t low = 0, high = names->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (names->all[middle].end <= line)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == names->count || names->all[low].line > line)
        return NULL;
    return names->recent = &names->all[low];
}

// Adds what a replay looks up about a region, and which of the L1's tag RAMs the base is in.
static void mix_base(hash_t *hash, const base_t *base)
{
    const kiln_timing_region_t *region = base->region;
    mix(hash, base->line % (512 / LINE));
    mix(hash, (uint64_t)region->is_code << 1 | region->is_host);
    mix_real(hash, region->in_mall);
    mix_real(hash, region->in_l2);
    mix_real(hash, region->sharers);
    mix_real(hash, region->needed);
    mix(hash, region->neighbours.count);
    for (unsigned i = 0; i < region->neighbours.count; i++)
        mix(hash, (uint64_t)region->neighbours.distance[i]);
}

// Scratch and memory of the host belong to no region.
static void mix_line(hash_t *hash, names_t *names, uint64_t line)
{
    base_t *base = names->count ? base_of(names, line) : NULL;
    if (base && !base->number) {
        base->number = ++names->reached;
        mix_base(hash, base);
    }
    mix(hash, base ? base->number : 0);
    mix(hash, base ? line - base->line : line);
}

// ---- the recording

static void mix_stream(hash_t *hash, names_t *names, const kiln_sim_launch_t *launch,
                       const kiln_timing_stream_t *stream)
{
    mix(hash, stream->step_count);
    for (size_t i = 0; i < stream->step_count; i++)
        mix(hash, kiln_sim_program_inst(launch->program, stream->steps[i])->address);
    mix(hash, stream->access_count);
    for (size_t i = 0; i < stream->access_count; i++) {
        const kiln_timing_access_t *a = &stream->accesses[i];
        mix(hash, (uint64_t)a->line_count << 48 | (uint64_t)a->halves << 32 |
                      (uint64_t)a->lds_cycles << 16 | a->bytes);
        mix(hash, (uint64_t)a->lookups << 16 | a->least_lookups);
        mix(hash, (uint64_t)a->lane_bytes << 5 | (uint64_t)a->local << 4 |
                      (uint64_t)a->scalar << 3 | (uint64_t)a->writes << 2 |
                      (uint64_t)a->atomic << 1 | a->bypasses);
        for (unsigned n = 0; n < a->line_count; n++)
            mix_line(hash, names, kiln_timing_stream_line(stream, a, n));
    }
}

static void mix_group(hash_t *hash, names_t *names, const kiln_sim_launch_t *launch,
                      const kiln_timing_group_t *group)
{
    mix(hash, group ? group->wave_count : 0);
    for (unsigned w = 0; group && w < group->wave_count; w++)
        mix_stream(hash, names, launch, &group->waves[w]);
}

static void mix_plan(hash_t *hash, names_t *names, const kiln_sim_launch_t *launch,
                     const kiln_timing_plan_t *plan)
{
    mix(hash, plan->grid);
    mix(hash, plan->resident);
    mix(hash, plan->ranks);
    mix(hash, plan->own);
    mix(hash, plan->companions);
    mix_real(hash, plan->scale);
    mix_real(hash, plan->remaining);
    mix_real(hash, plan->average);
    for (unsigned own = 0; own < plan->own; own++) {
        mix(hash, plan->chosen[own]);
        mix_group(hash, names, launch, kiln_timing_plan_own(plan, own));
        for (unsigned unit = 0; unit < plan->units; unit++)
            mix_group(hash, names, launch, kiln_timing_plan_row(plan, own, unit));
    }
}

static void mix_options(hash_t *hash, const kiln_sim_options_t *options)
{
    mix(hash, (uint64_t)(uintptr_t)options->product);
    mix(hash, options->clock_mhz);
    mix(hash, options->host_arguments);
    mix(hash, options->host_waits);
    mix(hash, options->clock_only);
    mix(hash, options->stalls);
    mix_bytes(hash, options->parameters, options->parameters ? sizeof *options->parameters : 0);
}

bool kiln_timing_identify(const kiln_sim_launch_t *launch, const kiln_timing_plan_t *plan,
                          const kiln_timing_cache_state_t *cache_state, kiln_timing_identity_t *out)
{
    hash_t hash = {0x243f6a8885a308d3ull, 0x13198a2e03707344ull};
    names_t names;
    if (!names_make(&names, launch, cache_state))
        return false;
    mix_options(&hash, launch->options);
    mix(&hash, (uint64_t)(uintptr_t)launch->kernel);
    mix(&hash, (uint64_t)launch->wave_count << 32 | launch->lds_size);
    mix_real(&hash, cache_state->xcd_bytes); // what the L2 holds at the end
    mix_line(&hash, &names, (launch->image - launch->memory->arena) / LINE); // code is fetched
    mix_plan(&hash, &names, launch, plan);
    free(names.all);
    *out = (kiln_timing_identity_t){{hash.a, hash.b}};
    return true;
}

// ---- known launches

// The slot with this identity, or the empty slot where the identity belongs.
static size_t *slot_of(const kiln_timing_launch_cache_t *cache,
                       const kiln_timing_identity_t *identity)
{
    size_t at = (size_t)identity->hash[0] & (cache->slot_count - 1);
    while (cache->slots[at] &&
           memcmp(&cache->all[cache->slots[at] - 1].identity, identity, sizeof *identity) != 0)
        at = (at + 1) & (cache->slot_count - 1);
    return &cache->slots[at];
}

static void fill_slots(kiln_timing_launch_cache_t *cache)
{
    if (cache->slots)
        memset(cache->slots, 0, cache->slot_count * sizeof *cache->slots);
    for (size_t i = 0; i < cache->count; i++)
        *slot_of(cache, &cache->all[i].identity) = i + 1;
}

const kiln_sim_prediction_t *kiln_timing_launch_cache_find(const kiln_timing_launch_cache_t *cache,
                                                           const kiln_timing_identity_t *identity)
{
    const size_t found = cache->slots ? *slot_of(cache, identity) : 0;
    return found ? &cache->all[found - 1].prediction : NULL;
}

bool kiln_timing_launch_cache_add(kiln_timing_launch_cache_t *cache,
                                  const kiln_timing_identity_t *identity,
                                  const kiln_sim_launch_t *launch,
                                  const kiln_sim_prediction_t *prediction)
{
    if (!KILN_ARRAY_RESERVE(&cache->all, &cache->capacity, cache->count + 1))
        return false;
    if (2 * (cache->count + 1) > cache->slot_count) {
        const size_t wanted = cache->slot_count ? 2 * cache->slot_count : 64;
        size_t *slots = malloc(wanted * sizeof *slots);
        if (!slots)
            return false;
        free(cache->slots);
        cache->slots = slots;
        cache->slot_count = wanted;
        fill_slots(cache);
    }
    cache->all[cache->count++] =
        (kiln_timing_known_t){*identity, launch->kernel->object, *prediction};
    *slot_of(cache, identity) = cache->count;
    return true;
}

void kiln_timing_launch_cache_remove(kiln_timing_launch_cache_t *cache,
                                     const kiln_sim_code_object_t *object)
{
    size_t left = 0;
    for (size_t i = 0; i < cache->count; i++) {
        if (cache->all[i].object != object)
            cache->all[left++] = cache->all[i];
    }
    if (left == cache->count)
        return;
    cache->count = left;
    fill_slots(cache);
}

void kiln_timing_launch_cache_free(kiln_timing_launch_cache_t *cache)
{
    free(cache->all);
    free(cache->slots);
    *cache = (kiln_timing_launch_cache_t){0};
}
