// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of a running kernel: what the machine leaves undefined, and this simulator happens to define.
//
// Idea: a check watches; it never takes part. Before each instruction it sees the instruction's registers (its
// footprint) and the wave's state, and works on shadow state of its own. Handlers know nothing of checks, so that with
// checks off nothing costs anything: the run loop has one more copy for waves that are watched.
//
// What a reader gets wrong: memory operations are complete when their handler returns, so no result depends on a wait.
// The wait queues here are a model beside the execution, not of it.
#ifndef KILN_SIM_CHECK_H
#define KILN_SIM_CHECK_H

#include "check/findings.h"
#include "core/launch.h"

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

// ---- around a launch; `launch->checks` is NULL where no check is on, and so is everything below

bool kiln_sim_checks_begin(kiln_sim_launch_t *launch, kiln_sim_error_t *error);
// Reports what was found: on stderr, to the machine's report, and in launch->findings.
void kiln_sim_checks_end(kiln_sim_launch_t *launch);

// A finding of `memory` in a call of the program itself, where that check is on; told at once, and added to the findings.
void kiln_sim_check_host(const kiln_sim_options_t *options, kiln_sim_findings_t *findings, const char *call,
                         const char *message);

// ---- while workgroups run

bool kiln_sim_check_thread_begin(kiln_sim_thread_t *thread);
void kiln_sim_check_thread_end(kiln_sim_thread_t *thread);
// The waves have their initial registers.
bool kiln_sim_check_group_begin(kiln_sim_thread_t *thread, kiln_sim_workgroup_t *group, kiln_sim_wave_t *waves);
void kiln_sim_check_group_free(kiln_sim_workgroup_t *group);
// When all waves that have not ended wait at a barrier, before they go on.
void kiln_sim_check_barrier_release(kiln_sim_wave_t *waves, unsigned count);
// When `busy` has executed as many instructions as one wave may.
void kiln_sim_check_barrier_stuck(const kiln_sim_wave_t *waves, unsigned count, kiln_sim_wave_t *busy);
// When a wave fails, with the reason.
void kiln_sim_check_fault(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int lane, const char *what);
// Several workgroups may fail at once; the first in dispatch order counts. True, with the launch's checks locked until
// kiln_sim_check_fault_end, where this wave's is the first so far.
bool kiln_sim_check_fault_begin(kiln_sim_wave_t *wave);
void kiln_sim_check_fault_end(kiln_sim_wave_t *wave);
// Before an instruction is executed.
void kiln_sim_check_instruction(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst);

#endif
