// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Event operations in steps, for graphs, and events that processes share (hip_sim/memory/ipc.c).
// The latter are two numbers in shared memory: how often the event was recorded, and how many of
// these recordings are done.
#ifndef KILN_SIM_HIP_EVENT_H
#define KILN_SIM_HIP_EVENT_H

#include "hip_sim/stream/engine.h"

// hipEventRecord and hipStreamWaitEvent for streams that are not captured, in the steps of
// kiln_sim_engine_prepare and _commit.
typedef enum kiln_sim_event_use {
    KILN_SIM_EVENT_RECORDED,
    KILN_SIM_EVENT_WAITED_FOR
} kiln_sim_event_use_t;
hipError_t kiln_sim_event_prepare(hipEvent_t event, hipStream_t stream, kiln_sim_event_use_t use,
                                  kiln_sim_operation_t **made);
hipError_t kiln_sim_event_commit(hipEvent_t event, kiln_sim_event_use_t use,
                                 kiln_sim_operation_t *made);

typedef struct kiln_sim_shared_event kiln_sim_shared_event_t;

kiln_sim_shared_event_t *kiln_sim_shared_event_make(void); // NULL if no memory can be shared
// References are held by the event, and by each of its operations that is not done.
void kiln_sim_shared_event_hold(kiln_sim_shared_event_t *event);
void kiln_sim_shared_event_release(kiln_sim_shared_event_t *event);
void kiln_sim_shared_event_name(const kiln_sim_shared_event_t *event, hipIpcEventHandle_t *handle);
hipError_t kiln_sim_shared_event_open(const hipIpcEventHandle_t *handle,
                                      kiln_sim_shared_event_t **out);

size_t kiln_sim_shared_event_begin(
    kiln_sim_shared_event_t *event); // counts a new recording; returns its number
size_t kiln_sim_shared_event_last(kiln_sim_shared_event_t *event);
void kiln_sim_shared_event_reach(kiln_sim_shared_event_t *event, size_t number);
bool kiln_sim_shared_event_is(kiln_sim_shared_event_t *event, size_t number);
void kiln_sim_shared_event_wait(kiln_sim_shared_event_t *event, size_t number);

#endif
