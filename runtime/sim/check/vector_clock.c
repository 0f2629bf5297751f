// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector clocks (check/vector_clock.h). Not thread-safe.
#include "check/vector_clock.h"

#include <stdlib.h>
#include <string.h>

check_clock_t *kiln_sim_check_clock_use(check_clock_t *clock)
{
    if (clock)
        clock->users++;
    return clock;
}

void kiln_sim_check_clock_drop(check_clock_t *clock)
{
    if (clock && --clock->users == 0)
        free(clock);
}

// Index of the wave's entry, or where to insert it.
static size_t lower_bound(const check_clock_t *clock, uint32_t wave)
{
    size_t low = 0, high = clock ? clock->count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (clock->times[middle].wave < wave)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t kiln_sim_check_clock_of(const check_clock_t *clock, uint32_t wave)
{
    size_t at = lower_bound(clock, wave);
    return clock && at < clock->count && clock->times[at].wave == wave ? clock->times[at].time : 0;
}

static bool contains_all(const check_clock_t *clock, const check_time_t *times, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (kiln_sim_check_clock_of(clock, times[i].wave) < times[i].time)
            return false;
    }
    return true;
}

static bool join_times(check_clock_t **clock, const check_time_t *b, size_t b_count)
{
    const check_clock_t *old = *clock;
    if (contains_all(old, b, b_count))
        return true;
    size_t a_count = old ? old->count : 0, i = 0, k = 0;
    check_clock_t *joined = malloc(sizeof *joined + (a_count + b_count) * sizeof joined->times[0]);
    if (!joined)
        return false;
    joined->users = 1;
    joined->count = 0;
    while (i < a_count || k < b_count) {
        check_time_t *to = &joined->times[joined->count++];
        if (k == b_count || (i < a_count && old->times[i].wave < b[k].wave)) {
            *to = old->times[i++];
        } else if (i == a_count || b[k].wave < old->times[i].wave) {
            *to = b[k++];
        } else {
            *to = old->times[i].time > b[k].time ? old->times[i] : b[k];
            i++;
            k++;
        }
    }
    kiln_sim_check_clock_drop(*clock);
    *clock = joined;
    return true;
}

bool kiln_sim_check_clock_join(check_clock_t **clock, check_clock_t *other)
{
    if (!other || *clock == other)
        return true;
    if (!*clock) {
        *clock = kiln_sim_check_clock_use(other);
        return true;
    }
    return join_times(clock, other->times, other->count);
}

bool kiln_sim_check_clock_add(check_clock_t **clock, uint32_t wave, uint32_t time)
{
    const check_time_t one = {wave, time};
    return join_times(clock, &one, 1);
}
