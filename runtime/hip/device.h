// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The internals of a device: a reference-counted object that buffers, modules, streams and events
// retain.
#ifndef KILN_HIP_DEVICE_H
#define KILN_HIP_DEVICE_H

#include <stdatomic.h>

#include "hip/hip_library.h"
#include "kiln/runtime.h"

struct kiln_device {
    atomic_uint references;
    kiln_hip_t hip;
    kiln_hip_properties_t raw;
    char *arch; // raw.gcn_arch_name up to the first ':'
    char *key;
    void *overrides; // the simulator's options for this device's calls, or NULL
    kiln_device_properties_t properties;
};

// Brackets each library call on this device: in between, the simulator uses the device's options
// instead of the thread's, which kiln_device_leave restores.
static inline void *kiln_device_enter(const kiln_device_t *device)
{
    return device->overrides ? device->hip.kilnSimOverridesUse(device->overrides) : NULL;
}

static inline void kiln_device_leave(const kiln_device_t *device, void *before)
{
    if (device->overrides)
        device->hip.kilnSimOverridesUse(before);
}

kiln_device_t *kiln_device_retain(kiln_device_t *device);

// The native handle; NULL for the default stream.
void *kiln_stream_handle(const kiln_stream_t *stream);

kiln_device_t *kiln_stream_device(const kiln_stream_t *stream); // NULL for the default stream

// Gives a whole buffer contents; where the library can, `fill` is only called when something needs
// them (kilnSimFillLater). Takes contents->user, which has a release function, also on failure.
kiln_status_t kiln_buffer_set_contents(kiln_buffer_t *buffer, const kiln_sim_contents_t *contents);

// Whether `fill` is still to be called.
bool kiln_buffer_is_unfilled(const kiln_buffer_t *buffer);

// kiln_function_launch for a struct of this library's own version.
kiln_status_t kiln_function_launch_complete(kiln_function_t *function, kiln_launch_t *launch);

// Makes the device current on this thread and then evaluates the call.
#define KILN_HIP_TRY(device, name, arguments)                                                      \
    do {                                                                                           \
        int kiln_hip_error_ = (device)->hip.hipSetDevice((device)->properties.ordinal);            \
        if (kiln_hip_error_)                                                                       \
            return kiln_hip_check(&(device)->hip, kiln_hip_error_, "hipSetDevice");                \
        void *kiln_before_ = kiln_device_enter(device);                                            \
        kiln_hip_error_ = (device)->hip.name arguments;                                            \
        kiln_device_leave(device, kiln_before_);                                                   \
        if (kiln_hip_error_)                                                                       \
            return kiln_hip_check(&(device)->hip, kiln_hip_error_, #name);                         \
    } while (0)

// For release functions, which cannot report errors.
#define KILN_HIP_IGNORE(device, name, arguments)                                                   \
    do {                                                                                           \
        if ((device)->hip.hipSetDevice((device)->properties.ordinal) == 0) {                       \
            void *kiln_before_ = kiln_device_enter(device);                                        \
            if ((device)->hip.name arguments != 0 && (device)->hip.hipGetLastError)                \
                (device)->hip.hipGetLastError();                                                   \
            kiln_device_leave(device, kiln_before_);                                               \
        }                                                                                          \
    } while (0)

#endif
