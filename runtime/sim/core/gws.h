// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GWS: 64 barriers and semaphores by which waves of different workgroups wait for each other (ds_gws_*).
//
// A wave that has to wait stops with KILN_SIM_STOP_GWS. The scheduler asks kiln_sim_gws_ready() before its turn; a host
// thread that has nothing but waiting waves blocks in kiln_sim_gws_wait().
//
// What a reader gets wrong: the resources belong to the machine and keep their state from launch to launch, since
// cooperative launches are initialised by a kernel of their own.
#ifndef KILN_SIM_GWS_H
#define KILN_SIM_GWS_H

#include "core/machine.h"

typedef enum kiln_sim_gws_op {
    KILN_SIM_GWS_INIT,
    KILN_SIM_GWS_BARRIER,
    KILN_SIM_GWS_SEMA_V,
    KILN_SIM_GWS_SEMA_BR,
    KILN_SIM_GWS_SEMA_P,
    KILN_SIM_GWS_RELEASE_ALL
} kiln_sim_gws_op_t;

typedef struct kiln_sim_gws kiln_sim_gws_t;

// NULL without memory.
kiln_sim_gws_t *kiln_sim_gws_create(void);
void kiln_sim_gws_destroy(kiln_sim_gws_t *gws);

// Performs inst on the resource that M0[21:16] and the offset name. The wave may be stopped afterwards.
void kiln_sim_gws_perform(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, kiln_sim_gws_op_t op, uint32_t value);

// Prepares resource 0 as the barrier of a cooperative launch's workgroups, as AMD's runtime does before one.
void kiln_sim_gws_start(kiln_sim_gws_t *gws, uint64_t workgroups);

// Whether a wave with KILN_SIM_STOP_GWS may go on.
bool kiln_sim_gws_ready(const kiln_sim_wave_t *wave);

// A number that changes whenever a waiting wave may have become ready.
uint64_t kiln_sim_gws_changes(const kiln_sim_gws_t *gws);

// Blocks the calling host thread, all of whose waves wait and which took `seen` from kiln_sim_gws_changes() before it
// looked at them, until something changes or another thread leaves. False where no thread is left that could change
// anything.
bool kiln_sim_gws_wait(kiln_sim_launch_t *launch, uint64_t seen);

// `count` of the launch's host threads will change nothing more.
void kiln_sim_gws_leave(kiln_sim_launch_t *launch, unsigned count);

// Forgets the waiting waves of a launch that failed.
void kiln_sim_gws_abandon(kiln_sim_gws_t *gws);

#endif
