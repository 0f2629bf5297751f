// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GWS: 64 barriers and semaphores that synchronize waves of different workgroups (ds_gws_*).
//
// A wave that has to wait stops with KILN_SIM_STOP_GWS. The scheduler calls kiln_sim_gws_ready()
// before its turn; a host thread that only has waiting waves blocks in kiln_sim_gws_wait().
//
// The resources belong to the machine and keep their state between launches, since a separate
// kernel initializes them for cooperative launches.
#ifndef KILN_SIM_GWS_H
#define KILN_SIM_GWS_H

#include "run/machine.h"

typedef enum kiln_sim_gws_op {
    KILN_SIM_GWS_INIT,
    KILN_SIM_GWS_BARRIER,
    KILN_SIM_GWS_SEMA_V,
    KILN_SIM_GWS_SEMA_BR,
    KILN_SIM_GWS_SEMA_P,
    KILN_SIM_GWS_RELEASE_ALL
} kiln_sim_gws_op_t;

typedef struct kiln_sim_gws kiln_sim_gws_t;

// NULL if memory is exhausted.
kiln_sim_gws_t *kiln_sim_gws_create(void);
void kiln_sim_gws_destroy(kiln_sim_gws_t *gws);

// Performs inst on the resource selected by M0[21:16] and the offset. The wave may be stopped
// afterwards.
void kiln_sim_gws_perform(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, kiln_sim_gws_op_t op,
                          uint32_t value);

// Initializes resource 0 as the barrier of a cooperative launch's workgroups, as AMD's runtime does
// before such a launch.
void kiln_sim_gws_start(kiln_sim_gws_t *gws, uint64_t workgroups);

// Whether a wave with KILN_SIM_STOP_GWS can continue.
bool kiln_sim_gws_ready(const kiln_sim_wave_t *wave);

// A number that changes whenever a waiting wave may have become ready.
uint64_t kiln_sim_gws_changes(const kiln_sim_gws_t *gws);

// Blocks the calling host thread until the number of changes differs from `seen` or another thread
// leaves. All of the caller's waves wait, and the caller read `seen` from kiln_sim_gws_changes()
// before it checked them. False if no thread is left that could change anything.
bool kiln_sim_gws_wait(kiln_sim_launch_t *launch, uint64_t seen);

// `count` of the launch's host threads will make no more changes.
void kiln_sim_gws_leave(kiln_sim_launch_t *launch, unsigned count);

// Discards the waiting waves of a launch that failed.
void kiln_sim_gws_abandon(kiln_sim_gws_t *gws);

#endif
