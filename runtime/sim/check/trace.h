// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Execution traces: KILN_SIM_TRACE prints a line for each instruction that the selected waves
// execute.
//
// Like the checks, a trace is an observer (run/observe.h), so handlers do not depend on it and
// workgroups that are not selected have no overhead. A traced launch runs on one host thread, and
// device addresses are the same in every run, so the text depends only on the program, and `diff`
// can compare two traces.
//
// Workgroups are selected once when they begin, waves and addresses at each instruction.
#ifndef KILN_SIM_TRACE_H
#define KILN_SIM_TRACE_H

#include "run/observe.h"

typedef struct kiln_sim_trace kiln_sim_trace_t;

// Parses KILN_SIM_TRACE. *trace is NULL if nothing is to be traced ("", "0", "off"). False with an
// error that names the invalid word, or the file that cannot be written.
bool kiln_sim_trace_open(const char *spec, kiln_sim_trace_t **trace, kiln_sim_error_t *error);
void kiln_sim_trace_close(kiln_sim_trace_t *trace);
// Whether part of the output could not be written; false for NULL.
bool kiln_sim_trace_failed(const kiln_sim_trace_t *trace);

// A trace as an observer; `user` is the kiln_sim_trace_t.
extern const kiln_sim_observer_t kiln_sim_trace_observer;

#endif
