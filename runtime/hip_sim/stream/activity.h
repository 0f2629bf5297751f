// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log of what a program's streams did (option `activity`): a JSON object per line and event,
// appended to a file, for `kiln prof`. docs/simulator.md describes the members.
//
// Times are simulated, in microseconds. Each line is written by one call, so that threads and child
// processes may share the file.
#ifndef KILN_SIM_HIP_ACTIVITY_H
#define KILN_SIM_HIP_ACTIVITY_H

#include "hip_sim/graph/graph.h"

// The launch of a graph that the calling thread enqueues, counted from 1; 0: none.
extern __thread uint64_t kiln_sim_activity_graph;
uint64_t kiln_sim_activity_next_graph(void);

// The calling thread's current operation has executed a kernel. `before_ms`: its duration before
// that.
void kiln_sim_activity_kernel(const kiln_sim_dispatch_t *dispatch, const kiln_sim_result_t *result,
                              double host_ms, double before_ms);
// activity_serve.c: offers the launch for replays to the program that listens on the socket
// KILN_SIM_REPLAYS, until that program closes the connection. `line` is what was logged, with its
// newline. Without the variable nothing happens.
void kiln_sim_activity_serve(const char *line, size_t size, kiln_sim_machine_t *machine,
                             const kiln_sim_result_t *result);
// Likewise for a copy, a fill or a host function; nothing for other work.
void kiln_sim_activity_work(const kiln_sim_work_t *work, double before_ms);
// The host has waited.
void kiln_sim_activity_wait(const char *what, double begin_ms, double end_ms);

#endif
