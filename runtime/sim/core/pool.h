// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host threads that run workgroups. They are started once and wait between launches.
//
// What a reader gets wrong: the calling thread is one of them. Where it has done all the work before another one woke
// up, it does not wait for that one.
#ifndef KILN_SIM_POOL_H
#define KILN_SIM_POOL_H

#include "core/launch.h"

// The first `count` threads' states, ready for the launch, with room for the counts of `instructions`. They live on
// after the launch. NULL without memory. One launch at a time: device.c's lock sees to that.
kiln_sim_thread_t *kiln_sim_pool_prepare(kiln_sim_launch_t *launch, size_t count, size_t instructions);

// Runs the launch's workgroups on up to `count` threads and returns when none of them works on it any more.
void kiln_sim_pool_run(kiln_sim_launch_t *launch, size_t count);

#endif
