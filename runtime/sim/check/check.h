// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of a running kernel. They detect uses of behavior that the machine leaves undefined but
// that this simulator happens to define.
//
// Checks only observe and never affect execution. They are one observer of a launch's events
// (run/observe.h), which gets the registers of each instruction and the wave's state before the
// instruction runs, and the addresses of its lanes during a memory instruction. The observer works
// on its own shadow state.
//
// In the simulator, memory operations are complete when their handler returns, so no result depends
// on a wait. The wait queues here are a separate model.
#ifndef KILN_SIM_CHECK_H
#define KILN_SIM_CHECK_H

#include "check/findings.h"
#include "run/launch.h"
#include "run/observe.h"

enum {
#define CHECK(id, name, in_all) KILN_SIM_CHECK_INDEX_##id,
#include "check/list.def"
#undef CHECK
    KILN_SIM_CHECK_COUNT
};

enum {
#define CHECK(id, name, in_all) KILN_SIM_CHECK_##id = 1 << KILN_SIM_CHECK_INDEX_##id,
#include "check/list.def"
#undef CHECK
};

// Parses a set of checks: "", "off", "all" or a comma-separated list. False with an error that
// names an unknown word.
bool kiln_sim_check_parse(const char *text, unsigned *set, kiln_sim_error_t *error);

// An observer for these checks; NULL if the set is empty. Findings are reported when the launch is
// over: on stderr, in the machine's report, and in launch->findings.
const kiln_sim_observer_t *kiln_sim_checks_observer(unsigned checks);

// Reports a finding of `memory` in a call of the host program, if that check is on: at once, and in
// `findings`.
void kiln_sim_check_host(const kiln_sim_options_t *options, kiln_sim_findings_t *findings,
                         const char *call, const char *message);

#endif
