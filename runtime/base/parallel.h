// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work that several threads take from one queue. The threads live only during the call;
// longer-lived components have their own workers (sim/run/workers.h, hip_sim/stream/engine.h).
#ifndef KILN_BASE_PARALLEL_H
#define KILN_BASE_PARALLEL_H

#include <stddef.h>

enum { KILN_PARALLEL_MAX = 256 };

// Calls work(user) on `jobs` threads, including the calling one, and returns when all calls have
// returned. `jobs` = 0 means the number of cores; the number is limited to `count`, the number of
// items, and to KILN_PARALLEL_MAX. Each call takes items from a queue, which `user` protects,
// until it is empty. A thread that cannot be started only costs time.
void kiln_parallel(size_t jobs, size_t count, void *(*work)(void *user), void *user);

#endif
