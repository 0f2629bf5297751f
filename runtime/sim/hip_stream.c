// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: streams and events.
//
// Every call has finished its work when it returns, so there is nothing to wait for. An event holds a point in
// simulated time: the sum of the estimated cycles of all launches until then, at 2100 MHz. hipEventElapsedTime
// therefore answers with the simulator's estimate of a real MI300X, not with the time that simulating took.
//
// What a reader gets wrong: simulated time stands still between launches; copies take none.
#include <stdlib.h>

#include "hip_entry.h"

struct kiln_sim_stream {
    unsigned flags;
    int priority;
};

struct kiln_sim_event {
    double at_ms;
    bool recorded;
};

hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags, int priority)
{
    if (!stream)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *stream = malloc(sizeof **stream);
    if (!*stream)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    **stream = (struct kiln_sim_stream){flags, priority};
    return 0;
}

hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags)
{
    return hipStreamCreateWithPriority(stream, flags, 0);
}

hipError_t hipStreamCreate(hipStream_t *stream)
{
    return hipStreamCreateWithPriority(stream, 0, 0);
}

hipError_t hipStreamDestroy(hipStream_t stream)
{
    if (!stream)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, NULL);
    free(stream);
    return 0;
}

hipError_t hipStreamSynchronize(hipStream_t stream)
{
    (void)stream;
    return 0;
}

hipError_t hipStreamQuery(hipStream_t stream)
{
    (void)stream;
    return 0;
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags)
{
    (void)stream;
    (void)flags;
    return event ? 0 : kiln_sim_hip_fail(HIP_INVALID_HANDLE, NULL);
}

static bool is_handle(hipStream_t stream)
{
    return (uintptr_t)stream > 2; // 0 is the null stream, 1 and 2 hipStreamLegacy and hipStreamPerThread
}

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned *flags)
{
    if (!flags)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *flags = is_handle(stream) ? stream->flags : 0;
    return 0;
}

hipError_t hipStreamGetPriority(hipStream_t stream, int *priority)
{
    if (!priority)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *priority = is_handle(stream) ? stream->priority : 0;
    return 0;
}

hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device)
{
    (void)stream;
    return hipGetDevice(device);
}

hipError_t hipStreamIsCapturing(hipStream_t stream, int *status)
{
    (void)stream;
    if (!status)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *status = 0;
    return 0;
}

hipError_t hipStreamAddCallback(hipStream_t stream, void (*callback)(hipStream_t, hipError_t, void *), void *data,
                                unsigned flags)
{
    (void)flags;
    if (!callback)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    callback(stream, 0, data);
    return 0;
}

hipError_t hipLaunchHostFunc(hipStream_t stream, void (*function)(void *), void *data)
{
    (void)stream;
    if (!function)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    function(data);
    return 0;
}

// ---- events

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags)
{
    (void)flags;
    if (!event)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *event = calloc(1, sizeof **event);
    return *event ? 0 : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
}

hipError_t hipEventCreate(hipEvent_t *event)
{
    return hipEventCreateWithFlags(event, 0);
}

hipError_t hipEventDestroy(hipEvent_t event)
{
    if (!event)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, NULL);
    free(event);
    return 0;
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream)
{
    (void)stream;
    if (!event)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, NULL);
    kiln_sim_device_t *device = kiln_sim_device_lock();
    event->at_ms = device->clock_ms;
    event->recorded = true;
    kiln_sim_device_unlock(device);
    return 0;
}

hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags)
{
    (void)flags;
    return hipEventRecord(event, stream);
}

hipError_t hipEventSynchronize(hipEvent_t event)
{
    return event ? 0 : kiln_sim_hip_fail(HIP_INVALID_HANDLE, NULL);
}

hipError_t hipEventQuery(hipEvent_t event)
{
    return hipEventSynchronize(event);
}

hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop)
{
    if (!milliseconds || !start || !stop)
        return kiln_sim_hip_fail(milliseconds ? HIP_INVALID_HANDLE : KILN_SIM_INVALID_VALUE, NULL);
    if (!start->recorded || !stop->recorded)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "an event was not recorded");
    *milliseconds = (float)(stop->at_ms - start->at_ms);
    return 0;
}
