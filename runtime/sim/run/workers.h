// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host threads of a machine that run workgroups. They are started once and wait between
// launches.
//
// The calling thread is one of them. If it has done all the work before another thread woke up, it
// does not wait for that thread.
#ifndef KILN_SIM_WORKERS_H
#define KILN_SIM_WORKERS_H

#include "run/launch.h"

typedef struct kiln_sim_workers kiln_sim_workers_t;

// Allocates `count` threads without starting them. NULL if memory is exhausted.
kiln_sim_workers_t *kiln_sim_workers_create(size_t count);
size_t kiln_sim_workers_room(const kiln_sim_workers_t *workers); // the maximum number of threads
// Stops and frees the threads.
void kiln_sim_workers_destroy(kiln_sim_workers_t *workers);
// Stops the threads until the next launch. Threads in the middle of a launch are not affected.
void kiln_sim_workers_quiesce(kiln_sim_workers_t *workers);

// Returns the first `count` threads' states, ready for the launch, with counts for `instructions`.
// They outlive the launch. NULL if memory is exhausted. The machine's lock ensures that there is
// only one launch at a time.
kiln_sim_thread_t *kiln_sim_workers_prepare(kiln_sim_workers_t *workers, kiln_sim_launch_t *launch,
                                            size_t count, size_t instructions);

// Runs the launch's workgroups on up to `count` threads and returns when none of them works on it
// any more.
void kiln_sim_workers_run(kiln_sim_workers_t *workers, kiln_sim_launch_t *launch, size_t count);

#endif
