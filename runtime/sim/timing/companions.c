// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "timing/companions.h"

#include <stdlib.h>
#include <string.h>

// Of a companion's wave: accesses that it has made, and those of them that were of memory.
typedef struct progress {
    size_t access, memory;
} progress_t;

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

// Those that a companion's wave makes until it has made so many; returns what is behind them.
static kiln_timing_follower_t *follow(kiln_timing_follower_t *to, const kiln_timing_stream_t *stream,
                                      progress_t *progress, size_t until, bool alike)
{
    while (progress->memory < until) {
        const kiln_timing_access_t *access = &stream->accesses[progress->access++];
        if (access->local)
            continue;
        progress->memory++;
        *to++ = (kiln_timing_follower_t){.base = access->base,
                                         .distances = stream->distances + access->shape,
                                         .count = access->line_count,
                                         .writes = access->writes,
                                         .atomic = access->atomic,
                                         .alike = alike};
    }
    return to;
}

// All that accompanies a wave; `progress` is zero for each companion.
static kiln_timing_follower_t *accompany(kiln_timing_companions_t *companions, const kiln_timing_plan_t *plan,
                                         unsigned own, unsigned wave, kiln_timing_follower_t *to, progress_t *progress)
{
    const size_t all = kiln_timing_plan_own(plan, own)->waves[wave].memory_count;
    size_t *part = companions->parts + companions->waves[own * companions->count + wave];
    for (size_t number = 1; number <= all; number++) {
        for (unsigned behind = 0; behind < 2; behind++) {
            *part++ = (size_t)(to - companions->followers);
            for (unsigned c = behind; c < plan->companions; c += 2) {
                const kiln_timing_group_t *companion = kiln_timing_plan_companion(plan, own, c);
                if (!companion)
                    break; // nor any behind it
                const kiln_timing_stream_t *stream = &companion->waves[wave];
                const bool alike = stream->memory_count == all;
                const size_t until = alike ? number : number * stream->memory_count / all;
                to = follow(to, stream, &progress[c], until, alike);
            }
        }
    }
    *part = (size_t)(to - companions->followers);
    return to;
}

bool kiln_timing_companions_make(kiln_timing_companions_t *companions, const kiln_timing_plan_t *plan)
{
    const unsigned waves = kiln_timing_plan_own(plan, 0)->wave_count;
    *companions = (kiln_timing_companions_t){.count = waves};
    companions->waves = malloc((size_t)plan->own * waves * sizeof *companions->waves);
    progress_t *progress = malloc((plan->companions + 1) * sizeof *progress);
    bool good = companions->waves && progress;
    if (good) {
        companions->parts = malloc((count_parts(plan, companions->waves) + 1) * sizeof *companions->parts);
        companions->followers = malloc((count_followers(plan) + 1) * sizeof *companions->followers);
        good = companions->parts && companions->followers;
    }
    kiln_timing_follower_t *to = companions->followers;
    for (unsigned own = 0; good && own < plan->own; own++) {
        for (unsigned w = 0; w < waves; w++) {
            memset(progress, 0, plan->companions * sizeof *progress);
            to = accompany(companions, plan, own, w, to, progress);
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

const kiln_timing_follower_t *kiln_timing_companions_part(const kiln_timing_companions_t *companions, unsigned own,
                                                          unsigned wave, size_t number, bool behind,
                                                          const kiln_timing_follower_t **end)
{
    const size_t *part =
        companions->parts + companions->waves[own * companions->count + wave] + 2 * (number - 1) + behind;
    *end = companions->followers + part[1];
    return companions->followers + part[0];
}
