// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector clocks of any number of waves: up to which time each wave's accesses are known.
//
// Clocks are immutable, shared and reference-counted; joining two makes a new one. If memory is
// exhausted, a join yields NULL, for which no access is known: the caller must then stop
// reporting.
#ifndef KILN_SIM_CHECK_VECTOR_CLOCK_H
#define KILN_SIM_CHECK_VECTOR_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct check_time {
    uint32_t wave, time; // accesses of the wave at earlier times are known
} check_time_t;

typedef struct check_clock {
    size_t users, count;
    check_time_t times[]; // sorted by wave
} check_clock_t;

check_clock_t *kiln_sim_check_clock_use(check_clock_t *clock);
void kiln_sim_check_clock_drop(check_clock_t *clock);
// Replaces *clock by the join of it and `other`. False if memory is exhausted.
bool kiln_sim_check_clock_join(check_clock_t **clock, check_clock_t *other);
// Likewise for one time of one wave.
bool kiln_sim_check_clock_add(check_clock_t **clock, uint32_t wave, uint32_t time);
// The known time of the wave; 0 if nothing is known.
uint32_t kiln_sim_check_clock_of(const check_clock_t *clock, uint32_t wave);

#endif
