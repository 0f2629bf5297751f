// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies in a scheduled loop: how many groups a wait may leave in flight once copies
// run ahead.
//
//   %t = ttg.async_copy_global_to_local …   stage 0        a wait for iteration i's group now comes after the commits of
//   %g = ttg.async_commit_group tokens %t   stage 0   →    iterations i + 1 and i + 2: num = 2 in the loop, and 1
//   %w = ttg.async_wait %g {num = 0}        stage 2        and 0 after it
//
// Note that nothing is committed after the loop, so the same number there would wait for too
// little.
#ifndef KILN_LOOP_ASYNC_H
#define KILN_LOOP_ASYNC_H

#include "passes/pipelining/schedule.h"

typedef struct kiln_async_waits {
    int steps; // before the loop, one for the loop, after it
    int *num;  // [operation of the loop][step]
} kiln_async_waits_t;

// Checks that waits stay between the copies they wait for and the reads of these, and counts.
kiln_status_t kiln_async_waits_count(const kiln_loop_schedule_t *schedule, kiln_async_waits_t *out);
void kiln_async_waits_free(kiln_async_waits_t *waits);

#endif
