// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Execution traces: KILN_SIM_TRACE prints a line for each instruction that chosen waves execute.
//
// Idea: like the checks, a trace is an observer (core/observe.h), so that handlers know nothing of it and a workgroup that is
// not shown pays nothing. A launch that is traced runs on one host thread, and device addresses are the same in every run:
// the text depends on the program only, and `diff` compares two traces.
//
// What a reader gets wrong: which workgroups a trace shows is asked once for each, which waves and addresses once per
// instruction.
#ifndef KILN_SIM_TRACE_H
#define KILN_SIM_TRACE_H

#include "core/observe.h"

typedef struct kiln_sim_trace kiln_sim_trace_t;

// Reads KILN_SIM_TRACE's text. *trace is NULL where nothing is to be traced ("", "0", "off"). False with an error that
// names the wrong word, or the file that cannot be written.
bool kiln_sim_trace_open(const char *spec, kiln_sim_trace_t **trace, kiln_sim_error_t *error);
void kiln_sim_trace_close(kiln_sim_trace_t *trace);
// Whether some of it could not be written; NULL has not failed.
bool kiln_sim_trace_failed(const kiln_sim_trace_t *trace);

// A trace as an observer; `user` is the kiln_sim_trace_t.
extern const kiln_sim_observer_t kiln_sim_trace_observer;

#endif
