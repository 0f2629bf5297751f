// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events that processes share (hip/ipc.c): two numbers in shared memory, how often the event was recorded and how many of those times have come.
#ifndef KILN_SIM_HIP_EVENT_H
#define KILN_SIM_HIP_EVENT_H

#include "hip/api.h"

typedef struct kiln_sim_shared_event kiln_sim_shared_event_t;

kiln_sim_shared_event_t *kiln_sim_shared_event_make(void); // NULL where there is no memory to share
// By the event, and by each operation of it that streams have not come to.
void kiln_sim_shared_event_hold(kiln_sim_shared_event_t *event);
void kiln_sim_shared_event_release(kiln_sim_shared_event_t *event);
void kiln_sim_shared_event_name(const kiln_sim_shared_event_t *event, hipIpcEventHandle_t *handle);
hipError_t kiln_sim_shared_event_open(const hipIpcEventHandle_t *handle, kiln_sim_shared_event_t **out);

size_t kiln_sim_shared_event_begin(kiln_sim_shared_event_t *event); // recorded once more: by this number
size_t kiln_sim_shared_event_last(kiln_sim_shared_event_t *event);
void kiln_sim_shared_event_reach(kiln_sim_shared_event_t *event, size_t number);
bool kiln_sim_shared_event_is(kiln_sim_shared_event_t *event, size_t number);
void kiln_sim_shared_event_wait(kiln_sim_shared_event_t *event, size_t number);

#endif
