// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events: thin owners or borrowers of HIP's handles. Streams are created non-blocking,
// so they do not wait for the default stream.
#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "hip/device.h"

enum { HIP_STREAM_NON_BLOCKING = 1, HIP_NOT_READY = 600 };

struct kiln_stream {
    kiln_device_t *device;
    void *handle;
    bool is_foreign;
};

struct kiln_event {
    kiln_device_t *device;
    void *handle;
    bool is_foreign;
};

void *kiln_stream_handle(const kiln_stream_t *stream)
{
    return stream ? stream->handle : NULL;
}

kiln_device_t *kiln_stream_device(const kiln_stream_t *stream)
{
    return stream->device;
}

// "Not ready" is not an error, but HIP records it as its last error, which is cleared here.
static kiln_status_t answer_of(const kiln_hip_t *hip, int error, const char *call, bool *out_done)
{
    if (error != HIP_NOT_READY)
        KILN_TRY(kiln_hip_check(hip, error, call));
    else if (hip->hipGetLastError)
        hip->hipGetLastError();
    *out_done = error != HIP_NOT_READY;
    return KILN_OK;
}

static kiln_status_t make_current(kiln_device_t *device)
{
    return kiln_hip_check(&device->hip, device->hip.hipSetDevice(device->properties.ordinal),
                          "hipSetDevice");
}

// Streams -----------------------------------------------------------------------------------------

kiln_status_t kiln_stream_wrap(kiln_device_t *device, void *hip_stream, kiln_stream_t **out_stream)
{
    KILN_REQUIRE_OUT(out_stream);
    KILN_REQUIRE(device);
    kiln_stream_t *stream = malloc(sizeof *stream);
    if (!stream)
        return kiln_status_out_of_memory();
    *stream = (kiln_stream_t){kiln_device_retain(device), hip_stream, true};
    *out_stream = stream;
    return KILN_OK;
}

static kiln_status_t make_stream(kiln_device_t *device, void **out_handle)
{
    KILN_HIP_TRY(device, hipStreamCreateWithFlags, (out_handle, HIP_STREAM_NON_BLOCKING));
    return KILN_OK;
}

kiln_status_t kiln_stream_create(kiln_device_t *device, kiln_stream_t **out_stream)
{
    KILN_REQUIRE_OUT(out_stream);
    KILN_REQUIRE(device);
    KILN_TRY(kiln_stream_wrap(device, NULL, out_stream));
    kiln_status_t status = make_stream(device, &(*out_stream)->handle);
    if (status) {
        kiln_stream_release(*out_stream);
        *out_stream = NULL;
        return status;
    }
    (*out_stream)->is_foreign = false;
    return KILN_OK;
}

void kiln_stream_release(kiln_stream_t *stream)
{
    if (!stream)
        return;
    if (!stream->is_foreign)
        KILN_HIP_IGNORE(stream->device, hipStreamDestroy, (stream->handle));
    kiln_device_release(stream->device);
    free(stream);
}

void *kiln_stream_native(const kiln_stream_t *stream)
{
    return kiln_stream_handle(stream);
}

kiln_status_t kiln_stream_synchronize(kiln_device_t *device, kiln_stream_t *stream)
{
    KILN_REQUIRE(device);
    KILN_HIP_TRY(device, hipStreamSynchronize, (kiln_stream_handle(stream)));
    return KILN_OK;
}

kiln_status_t kiln_stream_query(kiln_device_t *device, kiln_stream_t *stream, bool *out_done)
{
    KILN_REQUIRE_OUT(out_done);
    KILN_REQUIRE(device);
    KILN_TRY(make_current(device));
    void *before = kiln_device_enter(device);
    int error = device->hip.hipStreamQuery(kiln_stream_handle(stream));
    kiln_device_leave(device, before);
    return answer_of(&device->hip, error, "hipStreamQuery", out_done);
}

kiln_status_t kiln_stream_wait(kiln_stream_t *stream, kiln_event_t *event)
{
    KILN_REQUIRE(event);
    KILN_HIP_TRY(event->device, hipStreamWaitEvent, (kiln_stream_handle(stream), event->handle, 0));
    return KILN_OK;
}

// Events ------------------------------------------------------------------------------------------

static kiln_status_t own_event(kiln_device_t *device, void *handle, bool is_foreign,
                               kiln_event_t **out_event)
{
    kiln_event_t *event = malloc(sizeof *event);
    if (!event)
        return kiln_status_out_of_memory();
    *event = (kiln_event_t){kiln_device_retain(device), handle, is_foreign};
    *out_event = event;
    return KILN_OK;
}

kiln_status_t kiln_event_wrap(kiln_device_t *device, void *hip_event, kiln_event_t **out_event)
{
    KILN_REQUIRE_OUT(out_event);
    KILN_REQUIRE(device);
    KILN_REQUIRE(hip_event);
    return own_event(device, hip_event, true, out_event);
}

static kiln_status_t make_event(kiln_device_t *device, void **out_handle)
{
    KILN_HIP_TRY(device, hipEventCreate, (out_handle));
    return KILN_OK;
}

kiln_status_t kiln_event_create(kiln_device_t *device, kiln_event_t **out_event)
{
    KILN_REQUIRE_OUT(out_event);
    KILN_REQUIRE(device);
    void *handle = NULL;
    KILN_TRY(make_event(device, &handle));
    kiln_status_t status = own_event(device, handle, false, out_event);
    if (status)
        KILN_HIP_IGNORE(device, hipEventDestroy, (handle));
    return status;
}

void kiln_event_release(kiln_event_t *event)
{
    if (!event)
        return;
    if (!event->is_foreign)
        KILN_HIP_IGNORE(event->device, hipEventDestroy, (event->handle));
    kiln_device_release(event->device);
    free(event);
}

void *kiln_event_native(const kiln_event_t *event)
{
    return event ? event->handle : NULL;
}

kiln_status_t kiln_event_record(kiln_event_t *event, kiln_stream_t *stream)
{
    KILN_REQUIRE(event);
    KILN_HIP_TRY(event->device, hipEventRecord, (event->handle, kiln_stream_handle(stream)));
    return KILN_OK;
}

kiln_status_t kiln_event_synchronize(kiln_event_t *event)
{
    KILN_REQUIRE(event);
    KILN_HIP_TRY(event->device, hipEventSynchronize, (event->handle));
    return KILN_OK;
}

kiln_status_t kiln_event_query(kiln_event_t *event, bool *out_done)
{
    KILN_REQUIRE_OUT(out_done);
    KILN_REQUIRE(event);
    KILN_TRY(make_current(event->device));
    void *before = kiln_device_enter(event->device);
    int error = event->device->hip.hipEventQuery(event->handle);
    kiln_device_leave(event->device, before);
    return answer_of(&event->device->hip, error, "hipEventQuery", out_done);
}

kiln_status_t kiln_event_elapsed(const kiln_event_t *start, const kiln_event_t *stop,
                                 double *out_milliseconds)
{
    KILN_REQUIRE_OUT(out_milliseconds);
    KILN_REQUIRE(start);
    KILN_REQUIRE(stop);
    float milliseconds = 0;
    KILN_HIP_TRY(start->device, hipEventElapsedTime, (&milliseconds, start->handle, stop->handle));
    *out_milliseconds = (double)milliseconds;
    return KILN_OK;
}
