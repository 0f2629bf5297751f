// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule that a loop gets by default: what runs ahead, what stays, and how each load's value waits for its
// iteration. schedule_loops.c finds it, schedule_write.c writes it into the loop.
//
// The thing one gets wrong: an operation may belong to both parts (an index that is used in an address and in the
// arithmetic). It is pure then, and is simply computed for both iterations.
#ifndef KILN_DEFAULT_SCHEDULE_H
#define KILN_DEFAULT_SCHEDULE_H

#include "passes/pass.h"

typedef enum kiln_waiting {
    KILN_WAITS_IN_LDS,       // stored to a buffer, loaded back in the layout of the dot
    KILN_WAITS_IN_REGISTERS, // carried around the loop
} kiln_waiting_t;

typedef struct kiln_ahead_load {
    MlirOperation op;
    int index; // in the loop's body
    kiln_waiting_t waiting;
    MlirAttribute shared; // LDS: encoding of its buffers
    // Of second ones, where it is read as it is and transposed, each from buffers of its own; else null.
    MlirAttribute second;
    bool is_second_turned; // the second ones are for what is read transposed
} kiln_ahead_load_t;

enum { KILN_AHEAD = 1, KILN_STAYS = 2 }; // flags of operations and loop-carried values

typedef struct kiln_default_schedule {
    MlirOperation op;
    int distance;        // iterations that loads run ahead: the last stage
    MlirOperation *body; // operations but the terminator
    unsigned char *part; // KILN_AHEAD, KILN_STAYS of each
    int count;
    unsigned char *carried; // the same of each loop-carried value
    int carried_count;
    kiln_ahead_load_t *loads;
    int load_count;
    int64_t trip_count; // −1 where it is not known
} kiln_default_schedule_t;

// Replaces the loop by one that means the same and carries the schedule. Fails only when memory is short.
kiln_status_t kiln_default_schedule_write(const kiln_default_schedule_t *loop);

#endif
