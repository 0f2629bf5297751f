// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule that a loop gets by default: which operations run ahead, which stay, and where each
// loaded value waits for its iteration. schedule_loops.c computes it, schedule_write.c writes it
// into the loop.
//
// Note that an operation may belong to both parts, such as an index used in an address and in the
// arithmetic. It is pure then, and is computed for both iterations.
#ifndef KILN_DEFAULT_SCHEDULE_H
#define KILN_DEFAULT_SCHEDULE_H

#include "passes/pass.h"

typedef enum kiln_waiting {
    KILN_WAITS_IN_LDS,       // stored to a buffer, loaded in the layout of the dot
    KILN_WAITS_IN_REGISTERS, // carried around the loop
} kiln_waiting_t;

typedef struct kiln_ahead_load {
    MlirOperation op;
    int index; // in the loop's body
    kiln_waiting_t waiting;
    MlirAttribute shared; // LDS: encoding of its buffers
    // Encoding of the second buffers, for a value that is read both as it is and transposed, each
    // from its own buffers; else null.
    MlirAttribute second;
    bool is_second_transposed; // the second buffers are the ones read transposed
} kiln_ahead_load_t;

enum { KILN_AHEAD = 1, KILN_STAYS = 2 }; // flags of operations and loop-carried values

typedef struct kiln_default_schedule {
    MlirOperation op;
    int distance;        // iterations that loads run ahead; equals the last stage
    MlirOperation *body; // operations without the terminator
    unsigned char *part; // KILN_AHEAD, KILN_STAYS of each operation
    int count;
    unsigned char *carried; // the same for each loop-carried value
    int carried_count;
    kiln_ahead_load_t *loads;
    int load_count;
    int64_t trip_count; // −1 if unknown
} kiln_default_schedule_t;

// schedule_lds.c. Bytes of the buffers of one iteration, and the most bytes of scratch that an
// operation of the loop uses besides them.
uint64_t kiln_schedule_buffer_bytes(const kiln_default_schedule_t *loop);
uint64_t kiln_schedule_scratch_bytes(const kiln_default_schedule_t *loop, int num_warps);
// Drops second buffers if they would reduce the workgroups on a compute unit below the number that
// registers allow.
void kiln_schedule_drop_second_buffers(kiln_default_schedule_t *loop, int num_stages,
                                       int num_warps);
// Returns how many iterations loads can run ahead within LDS, at most `distance`.
int kiln_schedule_max_by_lds(const kiln_default_schedule_t *loop, int distance, int num_warps);
// The same for that number of stages, limited also by the trip count. 0: not at all.
int kiln_schedule_choose_distance(const kiln_default_schedule_t *loop, int num_stages,
                                  int num_warps);

// compact_loads.c. Whether a load of the loop has a value with copies of its elements in the lanes.
bool kiln_schedule_has_copies(MlirOperation loop, int num_warps);
// Gives such loads among those that run ahead layouts without copies, if there is room in LDS for
// their values. Fails only when out of memory.
kiln_status_t kiln_schedule_compact_loads(const kiln_default_schedule_t *loop, int num_warps);
// Lets loads wait in LDS whose values are only read by conversions to layouts with copies.
void kiln_schedule_wait_with_copies(kiln_default_schedule_t *io_loop, int num_warps);

// convert_early.c. Converts what a loop loads before it is rearranged for a dot.
void kiln_schedule_convert_early(MlirOperation loop, int num_warps);

// Replaces the loop by an equivalent one that carries the schedule. Fails only when out of memory.
kiln_status_t kiln_default_schedule_write(const kiln_default_schedule_t *loop);

#endif
