// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of a running kernel: what the machine leaves undefined, and this simulator happens to define.
//
// Idea: a check watches; it never takes part. It is one observer of a launch's events (core/observe.h): before each
// instruction it sees its registers and the wave's state, in the middle of a memory instruction where its lanes reach, and
// it works on shadow state of its own.
//
// What a reader gets wrong: memory operations are complete when their handler returns, so no result depends on a wait.
// The wait queues here are a model beside the execution, not of it.
#ifndef KILN_SIM_CHECK_H
#define KILN_SIM_CHECK_H

#include "check/findings.h"
#include "core/launch.h"
#include "core/observe.h"

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

// The set that a text names: "", "off", "all" or a comma-separated list. False with an error that names a wrong word.
bool kiln_sim_check_parse(const char *text, unsigned *set, kiln_sim_error_t *error);

// These checks as an observer; NULL where there are none. What they find is told when the launch is over: on stderr, in the
// machine's report, and in launch->findings.
const kiln_sim_observer_t *kiln_sim_checks_observer(unsigned checks);

// A finding of `memory` in a call of the program itself, where that check is on; told at once, and added to the findings.
void kiln_sim_check_host(const kiln_sim_options_t *options, kiln_sim_findings_t *findings, const char *call,
                         const char *message);

#endif
