// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inside of a device, for the runtime's other files: a counted object that buffers, modules, streams and events
// hold on to.
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
    kiln_device_properties_t properties;
};

kiln_device_t *kiln_device_retain(kiln_device_t *device);

// The native handle; NULL for the default stream.
void *kiln_stream_handle(const kiln_stream_t *stream);

kiln_device_t *kiln_stream_device(const kiln_stream_t *stream); // of no default stream

// kiln_function_launch of a struct that is this library's own and whole.
kiln_status_t kiln_function_launch_complete(kiln_function_t *function, kiln_launch_t *launch);

// Makes the device current on this thread and then evaluates the call.
#define KILN_HIP_TRY(device, name, arguments)                                                                          \
    do {                                                                                                               \
        int kiln_hip_error_ = (device)->hip.hipSetDevice((device)->properties.ordinal);                                \
        if (kiln_hip_error_)                                                                                           \
            return kiln_hip_check(&(device)->hip, kiln_hip_error_, "hipSetDevice");                                    \
        kiln_hip_error_ = (device)->hip.name arguments;                                                                \
        if (kiln_hip_error_)                                                                                           \
            return kiln_hip_check(&(device)->hip, kiln_hip_error_, #name);                                             \
    } while (0)

// For release functions, which have nobody to report to.
#define KILN_HIP_IGNORE(device, name, arguments)                                                                       \
    do {                                                                                                               \
        if ((device)->hip.hipSetDevice((device)->properties.ordinal) == 0 && (device)->hip.name arguments != 0 &&      \
            (device)->hip.hipGetLastError)                                                                             \
            (device)->hip.hipGetLastError();                                                                           \
    } while (0)

#endif
