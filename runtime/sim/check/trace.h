// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Execution traces: KILN_SIM_TRACE prints a line for each instruction that chosen waves execute.
//
// Idea: like the checks, a trace watches from the run loop's second copy, so that handlers know nothing of it and a
// wave that is not watched pays nothing. A launch that is traced runs on one host thread, and device addresses are the
// same in every run: the text depends on the program only, and `diff` compares two traces.
//
// What a reader gets wrong: which wave a trace shows is asked once per turn of the wave, which address once per
// instruction.
#ifndef KILN_SIM_TRACE_H
#define KILN_SIM_TRACE_H

#include "core/launch.h"

typedef struct kiln_sim_trace kiln_sim_trace_t;

// Reads KILN_SIM_TRACE's text. *trace is NULL where nothing is to be traced ("", "0", "off"). False with an error that
// names the wrong word, or the file that cannot be written.
bool kiln_sim_trace_open(const char *spec, kiln_sim_trace_t **trace, kiln_sim_error_t *error);
void kiln_sim_trace_close(kiln_sim_trace_t *trace);

// Around a launch. Launches of several host threads wait for each other.
void kiln_sim_trace_begin(kiln_sim_trace_t *trace, const kiln_sim_launch_t *launch);
void kiln_sim_trace_end(kiln_sim_trace_t *trace);

bool kiln_sim_trace_wants(const kiln_sim_trace_t *trace, const kiln_sim_wave_t *wave);

// Around an instruction; `resolved` has the registers that M0 selects and is NULL where MODE.VSKIP skips it. `before`
// is true where the address is wanted, and `after` is called.
bool kiln_sim_trace_before(kiln_sim_trace_t *trace, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                           const kiln_sim_inst_t *resolved);
void kiln_sim_trace_after(kiln_sim_trace_t *trace, const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                          const kiln_sim_inst_t *resolved);

#endif
