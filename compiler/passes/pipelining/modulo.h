// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A modulo scheduler: gives the operations of a loop times, so that an iteration can begin every
// `interval` cycles, and no unit has more to do than it has time.
//
// It is iterative modulo scheduling (Rau 1994): of the operations without a time, the one with the
// longest path to the end of the iteration is placed, at the first time at which its operands are
// available and its unit is free. If there is none, it takes the place of others, which are placed
// again. If that does not end soon, the interval grows.
//
// The operations are those on tiles, of many instructions each. So an operation does not block its
// unit: where others have been placed, its instructions lie between theirs, and it ends later. And
// it may use a tile part by part, while the parts are computed. But no operation lies in two steps,
// which begin at multiples of the interval: a step is one block of code.
#ifndef KILN_MODULO_H
#define KILN_MODULO_H

#include <stdbool.h>

#include "kiln/status.h"

enum { KILN_MODULO_UNITS = 3, KILN_NO_UNIT = -1 };

// Times are in cycles.
typedef struct kiln_modulo_op {
    int unit;     // 0 to KILN_MODULO_UNITS − 1, or KILN_NO_UNIT
    int cycles;   // for which it occupies the unit
    int latency;  // from its last instruction to its result
    bool is_late; // placed after all others, as late as its uses permit
    bool sinks;   // moved towards its uses when all have been placed
} kiln_modulo_op_t;

// `to` uses the result of `from` of `distance` iterations before.
typedef struct kiln_modulo_edge {
    int from, to, distance;
    bool flows; // part by part
} kiln_modulo_edge_t;

typedef struct kiln_modulo_loop {
    const kiln_modulo_op_t *ops;
    const kiln_modulo_edge_t *edges;
    int op_count, edge_count;
} kiln_modulo_loop_t;

typedef struct kiln_modulo_time {
    int begin, end; // of the operation's instructions in iteration 0; may be negative
} kiln_modulo_time_t;

// Sets *out_interval to the least interval that units and dependences permit; INT_MAX: none does.
// Fails only when out of memory.
kiln_status_t kiln_modulo_least_interval(const kiln_modulo_loop_t *loop, int *out_interval);

// Sets out_times of all operations. The interval is at least as many 16ths longer than the least
// one as `longer` says; *out_interval: 0 if none of at most `most` was found. Fails only when out
// of memory.
kiln_status_t kiln_modulo_schedule(const kiln_modulo_loop_t *loop, int longer, int most,
                                   kiln_modulo_time_t *out_times, int *out_interval);

// Sets *out_length to the time from the begin of an iteration to its end if no other overlaps it.
// Fails only when out of memory.
kiln_status_t kiln_modulo_length(const kiln_modulo_loop_t *loop, int *out_length);

// The step in which a time lies: the number of intervals before it.
int kiln_modulo_step(int time, int interval);

#endif
