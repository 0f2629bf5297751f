// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events: thin owners of HIP's handles.
//
// What is easily got wrong: streams are made non-blocking, so they do not wait for the default stream.
#include <stdlib.h>

#include "hip/device.h"

enum { HIP_STREAM_NON_BLOCKING = 1 };

struct kiln_stream {
    kiln_device_t *device;
    void *handle;
};

struct kiln_event {
    kiln_device_t *device;
    void *handle;
};

void *kiln_stream_handle(const kiln_stream_t *stream)
{
    return stream ? stream->handle : NULL;
}

static kiln_status_t make_stream(kiln_device_t *device, void **out_handle)
{
    KILN_HIP_TRY(device, hipStreamCreateWithFlags, (out_handle, HIP_STREAM_NON_BLOCKING));
    return KILN_OK;
}

kiln_status_t kiln_stream_create(kiln_device_t *device, kiln_stream_t **out_stream)
{
    *out_stream = NULL;
    kiln_stream_t *stream = calloc(1, sizeof *stream);
    if (!stream)
        return kiln_status_out_of_memory();
    kiln_status_t status = make_stream(device, &stream->handle);
    if (status) {
        free(stream);
        return status;
    }
    stream->device = kiln_device_retain(device);
    *out_stream = stream;
    return KILN_OK;
}

void kiln_stream_release(kiln_stream_t *stream)
{
    if (!stream)
        return;
    KILN_HIP_IGNORE(stream->device, hipStreamDestroy, (stream->handle));
    kiln_device_release(stream->device);
    free(stream);
}

kiln_status_t kiln_stream_synchronize(kiln_device_t *device, kiln_stream_t *stream)
{
    KILN_HIP_TRY(device, hipStreamSynchronize, (kiln_stream_handle(stream)));
    return KILN_OK;
}

kiln_status_t kiln_stream_wait(kiln_stream_t *stream, kiln_event_t *event)
{
    KILN_HIP_TRY(event->device, hipStreamWaitEvent, (kiln_stream_handle(stream), event->handle, 0));
    return KILN_OK;
}

static kiln_status_t make_event(kiln_device_t *device, void **out_handle)
{
    KILN_HIP_TRY(device, hipEventCreate, (out_handle));
    return KILN_OK;
}

kiln_status_t kiln_event_create(kiln_device_t *device, kiln_event_t **out_event)
{
    *out_event = NULL;
    kiln_event_t *event = calloc(1, sizeof *event);
    if (!event)
        return kiln_status_out_of_memory();
    kiln_status_t status = make_event(device, &event->handle);
    if (status) {
        free(event);
        return status;
    }
    event->device = kiln_device_retain(device);
    *out_event = event;
    return KILN_OK;
}

void kiln_event_release(kiln_event_t *event)
{
    if (!event)
        return;
    KILN_HIP_IGNORE(event->device, hipEventDestroy, (event->handle));
    kiln_device_release(event->device);
    free(event);
}

kiln_status_t kiln_event_record(kiln_event_t *event, kiln_stream_t *stream)
{
    KILN_HIP_TRY(event->device, hipEventRecord, (event->handle, kiln_stream_handle(stream)));
    return KILN_OK;
}

kiln_status_t kiln_event_synchronize(kiln_event_t *event)
{
    KILN_HIP_TRY(event->device, hipEventSynchronize, (event->handle));
    return KILN_OK;
}

kiln_status_t kiln_event_elapsed(const kiln_event_t *start, const kiln_event_t *stop, double *out_milliseconds)
{
    *out_milliseconds = 0;
    float milliseconds = 0;
    KILN_HIP_TRY(start->device, hipEventElapsedTime, (&milliseconds, start->handle, stop->handle));
    *out_milliseconds = (double)milliseconds;
    return KILN_OK;
}
