// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: streams. hip_sim/stream/engine.c executes their work, hip_sim/stream/capture.c
// captures it.
//
// There is one null stream per device, and one hipStreamPerThread per thread and device; they are
// created at their first use.
#include <stdlib.h>
#include <string.h>

#include "hip_sim/entry.h"
#include "hip_sim/stream/engine.h"

#define LEGACY 1u     // hipStreamLegacy
#define PER_THREAD 2u // hipStreamPerThread
#define NON_BLOCKING 1u
#define MASK_WORDS 8u

enum { LOWEST = 1, HIGHEST = -1 }; // priorities

// ---- which stream

static pthread_key_t own_key;
static pthread_once_t own_once = PTHREAD_ONCE_INIT;

static void end_own(void *data)
{
    struct kiln_sim_hip_stream **own = data;
    for (size_t i = 0; i < KILN_SIM_MAX_DEVICES; i++) {
        if (own[i])
            kiln_sim_stream_end(own[i]);
    }
    free(own);
}

static bool has_own_key;

static void make_own_key(void)
{
    has_own_key = pthread_key_create(&own_key, end_own) == 0;
}

// Threads may outlive the library and would then call the key's destructor, whose code is unloaded.
__attribute__((destructor)) static void forget_own_key(void)
{
    if (has_own_key)
        pthread_key_delete(own_key);
}

static struct kiln_sim_hip_stream *own_stream(void)
{
    pthread_once(&own_once, make_own_key);
    struct kiln_sim_hip_stream **own = pthread_getspecific(own_key);
    if (!own && (own = calloc(KILN_SIM_MAX_DEVICES, sizeof(*own))))
        pthread_setspecific(own_key, own);
    kiln_sim_device_t *device = kiln_sim_device();
    if (own && !own[device->ordinal])
        own[device->ordinal] = kiln_sim_stream_make(device, 0, 0);
    return own ? own[device->ordinal] : NULL;
}

typedef struct look {
    hipStream_t wanted;
    bool found;
} look_t;

static bool is_other(struct kiln_sim_hip_stream *stream, void *data)
{
    look_t *look = data;
    look->found = stream == look->wanted;
    return !look->found;
}

struct kiln_sim_hip_stream *kiln_sim_stream_find(hipStream_t handle)
{
    if (handle == NULL && !kiln_sim_stream_per_thread)
        return kiln_sim_device()->null_stream;
    if ((uintptr_t)handle == LEGACY)
        return kiln_sim_device()->null_stream;
    if (handle == NULL || (uintptr_t)handle == PER_THREAD)
        return own_stream();
    look_t look = {handle, false};
    kiln_sim_engine_each(is_other, &look);
    return look.found ? handle : NULL;
}

static hipError_t unknown_stream(void)
{
    return kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "invalid stream");
}

// ---- creation and end

static hipError_t make(hipStream_t *out, unsigned flags, int priority)
{
    kiln_sim_device_t *device = kiln_sim_device();
    if (device->broken.code)
        return kiln_sim_hip_error(&device->broken);
    *out = kiln_sim_stream_make(device, flags, priority);
    if (*out)
        (*out)->by_program = true;
    return *out ? 0 : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
}

hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags, int priority)
{
    if (!stream || flags > NON_BLOCKING)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    return make(stream, flags,
                priority > LOWEST    ? LOWEST
                : priority < HIGHEST ? HIGHEST
                                     : priority);
}

hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags)
{
    return hipStreamCreateWithPriority(stream, flags, 0);
}

hipError_t hipStreamCreate(hipStream_t *stream)
{
    return hipStreamCreateWithPriority(stream, 0, 0);
}

hipError_t hipExtStreamCreateWithCUMask(hipStream_t *stream, uint32_t words, const uint32_t *mask)
{
    if (!stream || !words || !mask)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    hipError_t error = make(stream, 0, 0);
    if (error)
        return error;
    (*stream)->mask_words = words < MASK_WORDS ? words : MASK_WORDS;
    memcpy((*stream)->mask, mask, (*stream)->mask_words * sizeof *mask);
    uint32_t any = 0;
    for (unsigned i = 0; i < (*stream)->mask_words; i++)
        any |= mask[i];
    (*stream)->mask_words = any ? (*stream)->mask_words : 0; // an empty mask selects all
    return 0;
}

// The mask is all compute units of the device if the stream was created without one.
hipError_t hipExtStreamGetCUMask(hipStream_t handle, uint32_t words, uint32_t *mask)
{
    struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
    if (!stream)
        return unknown_stream();
    const unsigned units =
        (unsigned)kiln_sim_machine_product(stream->device->machine)->compute_units;
    if (!mask || words < (units + 31) / 32)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    for (unsigned i = 0; i < words; i++) {
        const unsigned left = units > 32 * i ? units - 32 * i : 0;
        const uint32_t all = left >= 32 ? UINT32_MAX : (1u << left) - 1;
        mask[i] = stream->mask_words ? (i < stream->mask_words ? stream->mask[i] : 0) : all;
    }
    return 0;
}

hipError_t hipStreamDestroy(hipStream_t handle)
{
    KILN_SIM_CALL();
    struct kiln_sim_hip_stream *stream =
        (uintptr_t)handle > PER_THREAD ? kiln_sim_stream_find(handle) : NULL;
    if (!stream)
        return (uintptr_t)handle > PER_THREAD
                   ? unknown_stream()
                   : kiln_sim_hip_fail(HIP_INVALID_HANDLE, "this stream cannot be destroyed");
    kiln_sim_stream_leave_capture(stream);
    kiln_sim_stream_end(stream);
    return 0;
}

// ---- waiting

hipError_t hipStreamSynchronize(hipStream_t handle)
{
    KILN_SIM_CALL();
    struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
    if (!stream)
        return unknown_stream();
    hipError_t error = kiln_sim_capture_refuses(stream);
    if (!error && stream != stream->device->null_stream)
        error = kiln_sim_capture_unsafe(); // of another stream
    if (error)
        return error;
    const kiln_sim_device_t *device =
        stream->device; // a host function may destroy the stream meanwhile
    error = kiln_sim_engine_wait_stream(stream);
    kiln_sim_pool_wait(device);
    return error;
}

hipError_t hipStreamQuery(hipStream_t handle)
{
    struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
    if (!stream)
        return unknown_stream();
    hipError_t error = kiln_sim_capture_refuses(stream);
    if (error)
        return error;
    return kiln_sim_engine_is_idle(stream) ? kiln_sim_engine_async_error(stream->device)
                                           : kiln_sim_hip_fail(HIP_NOT_READY, NULL);
}

// ---- properties of a stream

hipError_t hipStreamGetFlags(hipStream_t handle, unsigned *flags)
{
    if (!flags ||
        (!handle && !kiln_sim_stream_per_thread)) // HIP defines no flags for the null stream
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    const struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
    if (!stream)
        return unknown_stream();
    *flags = stream->flags;
    return 0;
}

hipError_t hipStreamGetPriority(hipStream_t handle, int *priority)
{
    struct kiln_sim_hip_stream *stream = priority ? kiln_sim_stream_find(handle) : NULL;
    if (!stream)
        return priority ? unknown_stream() : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *priority = stream->priority;
    return 0;
}

hipError_t hipStreamGetDevice(hipStream_t handle, hipDevice_t *device)
{
    struct kiln_sim_hip_stream *stream = device ? kiln_sim_stream_find(handle) : NULL;
    if (!stream)
        return device ? unknown_stream() : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *device = stream->device->ordinal;
    return 0;
}

int hipGetStreamDeviceId(hipStream_t handle)
{
    struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
    return stream ? stream->device->ordinal : -1;
}

hipError_t hipStreamGetId(hipStream_t handle, unsigned long long *id)
{
    struct kiln_sim_hip_stream *stream = id ? kiln_sim_stream_find(handle) : NULL;
    if (!stream)
        return id ? unknown_stream() : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *id = stream->id;
    return 0;
}

// ---- host functions

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *data)
{
    KILN_SIM_CALL();
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_HOST, .host = {function, data}};
    return function ? kiln_sim_submit(stream, &work)
                    : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

typedef struct callback {
    hipStreamCallback_t function;
    hipStream_t stream;
    void *data;
} callback_t;

static void call_back(void *data)
{
    callback_t callback = *(callback_t *)data;
    free(data);
    callback.function(callback.stream, 0, callback.data);
}

hipError_t hipStreamAddCallback(hipStream_t handle, hipStreamCallback_t function, void *data,
                                unsigned flags)
{
    KILN_SIM_CALL();
    if (!function || flags)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
    if (!stream)
        return unknown_stream();
    if (kiln_sim_stream_capture(handle))
        return kiln_sim_capture_refuses(stream);
    callback_t *callback = malloc(sizeof *callback);
    if (!callback)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    *callback = (callback_t){function, handle, data};
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_HOST, .host = {call_back, callback}};
    hipError_t error = kiln_sim_submit(handle, &work);
    if (error)
        free(callback);
    return error;
}

// ---- attributes

enum { ATTRIBUTE_SYNCHRONIZATION = 3, ATTRIBUTE_PRIORITY = 8 };

hipError_t hipStreamGetAttribute(hipStream_t handle, hipLaunchAttributeID attribute,
                                 hipLaunchAttributeValue *value)
{
    struct kiln_sim_hip_stream *stream = value ? kiln_sim_stream_find(handle) : NULL;
    if (!stream)
        return value ? unknown_stream() : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    memset(value, 0, sizeof *value);
    value->priority = attribute == ATTRIBUTE_PRIORITY ? stream->priority : 1; // hipSyncPolicyAuto
    return attribute == ATTRIBUTE_PRIORITY || attribute == ATTRIBUTE_SYNCHRONIZATION
               ? 0
               : kiln_sim_hip_fail(KILN_SIM_NOT_SUPPORTED, "unsupported stream attribute");
}

hipError_t hipStreamSetAttribute(hipStream_t handle, hipLaunchAttributeID attribute,
                                 const hipLaunchAttributeValue *value)
{
    struct kiln_sim_hip_stream *stream = value ? kiln_sim_stream_find(handle) : NULL;
    if (!stream)
        return value ? unknown_stream() : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (attribute == ATTRIBUTE_PRIORITY)
        stream->priority = value->priority;
    return attribute == ATTRIBUTE_PRIORITY || attribute == ATTRIBUTE_SYNCHRONIZATION
               ? 0
               : kiln_sim_hip_fail(KILN_SIM_NOT_SUPPORTED, "unsupported stream attribute");
}

hipError_t hipStreamCopyAttributes(hipStream_t to, hipStream_t from)
{
    struct kiln_sim_hip_stream *source = kiln_sim_stream_find(from),
                               *target = kiln_sim_stream_find(to);
    if (!source || !target)
        return unknown_stream();
    target->priority = source->priority;
    return 0;
}
