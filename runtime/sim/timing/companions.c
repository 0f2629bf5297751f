// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the order of the companions' accesses (timing/companions.h).
#include "timing/companions.h"

#include <stdlib.h>
#include <string.h>

// ---- shapes

enum { SEEN = 16, SHAPES = 64 };

// Distances of an access's lines from the first, and their index in the stream where they were
// first seen.
typedef struct shape {
    const uint64_t *distances; // NULL: empty
    uint32_t own;              // in the stream
    uint16_t count;
} shape_t;

// Progress of a companion's wave: how many accesses it has made, how many of them to memory, and
// the shapes that it used recently.
typedef struct progress {
    size_t access, memory;
    shape_t seen[SEEN];
} progress_t;

// Shapes of all waves, by their hash.
typedef struct shapes {
    shape_t known[SHAPES];
} shapes_t;

// Returns one copy of the distances for all waves with the same shape. Most waves have the same
// shapes, each stored in its own stream; those of the first wave stay in the host's caches.
static const uint64_t *common(shapes_t *shapes, progress_t *progress,
                              const kiln_timing_stream_t *stream,
                              const kiln_timing_access_t *access)
{
    const uint64_t *own = stream->distances + access->shape;
    shape_t *seen = &progress->seen[access->shape * 0x9e3779b9u >> 28];
    if (seen->distances && seen->own == access->shape && seen->count == access->line_count)
        return seen->distances;
    uint64_t mixed = access->line_count;
    for (unsigned i = 0; i < access->line_count; i++)
        mixed = (mixed ^ own[i]) * 0x9e3779b97f4a7c15ull;
    shape_t *known = &shapes->known[mixed >> 58];
    if (!known->distances || known->count != access->line_count ||
        memcmp(known->distances, own, access->line_count * sizeof *own) != 0)
        *known = (shape_t){.distances = own, .count = access->line_count};
    *seen =
        (shape_t){.distances = known->distances, .own = access->shape, .count = access->line_count};
    return seen->distances;
}

// ---- followers

static size_t count_parts(const kiln_timing_plan_t *plan, size_t *waves)
{
    size_t parts = 0, at = 0;
    for (unsigned own = 0; own < plan->own; own++) {
        const kiln_timing_group_t *group = kiln_timing_plan_own(plan, own);
        for (unsigned w = 0; w < group->wave_count; w++) {
            waves[at++] = parts;
            parts += 2 * group->waves[w].memory_count;
        }
    }
    return parts;
}

static size_t count_followers(const kiln_timing_plan_t *plan)
{
    size_t followers = 0;
    for (unsigned own = 0; own < plan->own; own++) {
        for (unsigned c = 0; c < plan->companions; c++) {
            const kiln_timing_group_t *companion = kiln_timing_plan_companion(plan, own, c);
            for (unsigned w = 0; companion && w < companion->wave_count; w++)
                followers += companion->waves[w].memory_count;
        }
    }
    return followers;
}

// Finds the same read in a part, from `part` to `to`; NULL if there is none. Parts are short.
static kiln_timing_follower_t *find_equal(kiln_timing_follower_t *part,
                                          const kiln_timing_follower_t *to,
                                          const kiln_timing_follower_t *read)
{
    for (; part < to; part++) {
        if (part->base == read->base && part->distances == read->distances &&
            part->count == read->count && part->follows_timing == read->follows_timing &&
            !part->writes && !part->atomic)
            return part;
    }
    return NULL;
}

// Adds the accesses that a companion's wave makes up to its access number `until` to the part that
// begins at `part`; returns the new end.
static kiln_timing_follower_t *follow(kiln_timing_follower_t *part, kiln_timing_follower_t *to,
                                      const kiln_timing_stream_t *stream, shapes_t *shapes,
                                      progress_t *progress, size_t until, bool follows_timing)
{
    while (progress->memory < until) {
        const kiln_timing_access_t *access = &stream->accesses[progress->access++];
        if (access->local)
            continue;
        progress->memory++;
        const kiln_timing_follower_t follower = {.base = access->base,
                                                 .distances =
                                                     common(shapes, progress, stream, access),
                                                 .count = access->line_count,
                                                 .writes = access->writes,
                                                 .atomic = access->atomic,
                                                 .follows_timing = follows_timing};
        kiln_timing_follower_t *before =
            access->writes || access->atomic ? NULL : find_equal(part, to, &follower);
        if (before)
            before->more++;
        else
            *to++ = follower;
    }
    return to;
}

// How many of its `count` accesses a companion's wave has made when the accompanied wave makes
// access `number` of `all`.
static size_t progress_of(const kiln_timing_plan_t *plan, size_t count, size_t number, size_t all)
{
    if (kiln_timing_plan_at_once(plan))
        return number < count ? number : count;
    return number * count / all;
}

// Adds all accesses of the companions of a wave; `progress` is zero for each companion.
static kiln_timing_follower_t *add_companions(kiln_timing_companions_t *companions,
                                              const kiln_timing_plan_t *plan, unsigned own,
                                              unsigned wave, kiln_timing_follower_t *to,
                                              shapes_t *shapes, progress_t *progress)
{
    const size_t all = kiln_timing_plan_own(plan, own)->waves[wave].memory_count;
    size_t *part = companions->parts + companions->waves[own * companions->count + wave];
    for (size_t number = 1; number <= all; number++) {
        for (unsigned after = 0; after < 2; after++) {
            kiln_timing_follower_t *begin = to;
            *part++ = (size_t)(begin - companions->followers);
            for (unsigned c = after; c < plan->companions; c += 2) {
                const kiln_timing_group_t *companion = kiln_timing_plan_companion(plan, own, c);
                if (!companion)
                    break; // later ones do not exist either
                const kiln_timing_stream_t *stream = &companion->waves[wave];
                const bool follows_timing = stream->memory_count == all;
                const size_t until = progress_of(plan, stream->memory_count, number, all);
                to = follow(begin, to, stream, shapes, &progress[c], until, follows_timing);
            }
        }
    }
    *part = (size_t)(to - companions->followers);
    return to;
}

bool kiln_timing_companions_make(kiln_timing_companions_t *companions,
                                 const kiln_timing_plan_t *plan)
{
    const unsigned waves = kiln_timing_plan_own(plan, 0)->wave_count;
    *companions = (kiln_timing_companions_t){.count = waves};
    companions->waves = malloc((size_t)plan->own * waves * sizeof *companions->waves);
    progress_t *progress = malloc((plan->companions + 1) * sizeof *progress);
    bool good = companions->waves && progress;
    if (good) {
        companions->parts =
            malloc((count_parts(plan, companions->waves) + 1) * sizeof *companions->parts);
        companions->followers = malloc((count_followers(plan) + 1) * sizeof *companions->followers);
        good = companions->parts && companions->followers;
    }
    kiln_timing_follower_t *to = companions->followers;
    shapes_t shapes = {0};
    for (unsigned own = 0; good && own < plan->own; own++) {
        for (unsigned w = 0; w < waves; w++) {
            memset(progress, 0, plan->companions * sizeof *progress);
            to = add_companions(companions, plan, own, w, to, &shapes, progress);
        }
    }
    free(progress);
    return good;
}

void kiln_timing_companions_free(kiln_timing_companions_t *companions)
{
    free(companions->followers);
    free(companions->parts);
    free(companions->waves);
    *companions = (kiln_timing_companions_t){0};
}

const kiln_timing_follower_t *
kiln_timing_companions_part(const kiln_timing_companions_t *companions, unsigned own, unsigned wave,
                            size_t number, bool after, const kiln_timing_follower_t **end)
{
    const size_t *part = companions->parts + companions->waves[own * companions->count + wave] +
                         2 * (number - 1) + after;
    *end = companions->followers + part[1];
    return companions->followers + part[0];
}
