// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host threads of a machine that run workgroups. They are started once and wait between launches.
//
// What a reader gets wrong: the calling thread is one of them. Where it has done all the work before another one woke
// up, it does not wait for that one.
#ifndef KILN_SIM_WORKERS_H
#define KILN_SIM_WORKERS_H

#include "core/launch.h"

typedef struct kiln_sim_workers kiln_sim_workers_t;

// Room for `count` threads; none is started yet. NULL without memory.
kiln_sim_workers_t *kiln_sim_workers_create(size_t count);
// Stops and frees them.
void kiln_sim_workers_destroy(kiln_sim_workers_t *workers);
// Stops them until the next launch. Threads that are in the middle of a launch are left alone.
void kiln_sim_workers_rest(kiln_sim_workers_t *workers);

// The first `count` threads' states, ready for the launch, with room for the counts of `instructions`. They live on
// after the launch. NULL without memory. One launch at a time: the machine's lock sees to that.
kiln_sim_thread_t *kiln_sim_workers_prepare(kiln_sim_workers_t *workers, kiln_sim_launch_t *launch, size_t count,
                                            size_t instructions);

// Runs the launch's workgroups on up to `count` threads and returns when none of them works on it any more.
void kiln_sim_workers_run(kiln_sim_workers_t *workers, kiln_sim_launch_t *launch, size_t count);

#endif
