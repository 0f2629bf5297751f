// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: fills. Counts are in elements and pitches in bytes.
#include <string.h>

#include "hip_sim/entry.h"
#include "hip_sim/stream/engine.h"

static hipError_t invalid(void)
{
    return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

static bool each_row(const kiln_sim_box_fill_t *box, bool writes, kiln_sim_error_t *error)
{
    if (box->width > SIZE_MAX / box->element)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "the fill exceeds 2^64 bytes");
    const size_t bytes = box->width * box->element;
    if (!kiln_sim_box_place_check(box->to, box->pitch, box->slice,
                                  (hip_extent_t){bytes, box->height, box->depth}, "the destination",
                                  KILN_SIM_WRITTEN, error))
        return false;
    for (size_t z = 0; writes && bytes && z < box->depth; z++) {
        for (size_t y = 0; y < box->height; y++) {
            uint8_t *to = box->to + z * box->slice + y * box->pitch;
            if (box->element == 1)
                memset(to, (int)box->value, bytes);
            for (size_t i = 0; box->element > 1 && i < bytes; i += box->element)
                memcpy(to + i, &box->value, box->element);
            const kiln_sim_allocation_t *in;
            kiln_sim_device_t *device = kiln_sim_device_of(to, &in);
            if (device)
                kiln_sim_memory_mark(device->memory, (uint64_t)(uintptr_t)to, bytes);
        }
    }
    return true;
}

static bool report_misuse(const char *call, bool good, const kiln_sim_error_t *error)
{
    if (!good)
        kiln_sim_hip_report_misuse(kiln_sim_device(), call ? call : "a fill", error->text);
    return good;
}

bool kiln_sim_fill_check(const kiln_sim_box_fill_t *box, kiln_sim_error_t *error)
{
    return report_misuse(box->call, each_row(box, false, error), error);
}

hipError_t kiln_sim_fill_box(const kiln_sim_box_fill_t *box)
{
    kiln_sim_error_t error = {0};
    if (!report_misuse(box->call, each_row(box, true, &error), &error))
        return kiln_sim_hip_error(&error);
    kiln_sim_engine_takes(kiln_sim_move_ms(
        box->to, NULL, (uint64_t)box->width * box->height * box->depth * box->element));
    return 0;
}

// Enqueues a fill. Memory outside of the device's table cannot be filled.
static hipError_t fill(const char *call, void *to, size_t pitch, size_t slice, unsigned element,
                       uint32_t value, hip_extent_t extent, hipStream_t stream,
                       kiln_sim_wait_t wait)
{
    const kiln_sim_allocation_t *in;
    if (!extent.width || !extent.height || !extent.depth)
        return 0;
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_FILL,
                                  .fill = {to, pitch, slice, extent.width, extent.height,
                                           extent.depth, element, value, call}};
    if (!to)
        return invalid();
    if (!kiln_sim_device_of(to, &in)) {
        kiln_sim_error_t error = {0};
        return kiln_sim_fill_check(&work.fill, &error) ? invalid() : kiln_sim_hip_error(&error);
    }
    if (wait == KILN_SIM_QUEUED)
        return kiln_sim_submit(stream, &work);
    hipError_t refused = kiln_sim_capture_implicit();
    return refused ? refused : kiln_sim_submit_waiting(stream, &work);
}

static hipError_t line(const char *call, void *to, unsigned element, uint32_t value, size_t count,
                       hipStream_t stream, kiln_sim_wait_t wait)
{
    if (!to && count)
        return invalid();
    return fill(call, to, 0, 0, element, value, (hip_extent_t){count, 1, 1}, stream, wait);
}

hipError_t hipMemset(void *to, int value, size_t bytes)
{
    KILN_SIM_CALL();
    return line(__func__, to, 1, (uint8_t)value, bytes, NULL, KILN_SIM_WAITED);
}

hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream)
{
    KILN_SIM_CALL();
    return line(__func__, to, 1, (uint8_t)value, bytes, stream, KILN_SIM_QUEUED);
}

#define LINES(name, type, element)                                                                 \
    hipError_t name(hipDeviceptr_t to, type value, size_t count)                                   \
    {                                                                                              \
        KILN_SIM_CALL();                                                                           \
        return line(#name, to, element, (uint32_t)value, count, NULL, KILN_SIM_WAITED);            \
    }                                                                                              \
    hipError_t name##Async(hipDeviceptr_t to, type value, size_t count, hipStream_t stream)        \
    {                                                                                              \
        KILN_SIM_CALL();                                                                           \
        return line(#name "Async", to, element, (uint32_t)value, count, stream, KILN_SIM_QUEUED);  \
    }
LINES(hipMemsetD8, unsigned char, 1)
LINES(hipMemsetD16, unsigned short, 2)
LINES(hipMemsetD32, int, 4)

// ---- rows and boxes

static hipError_t rows(const char *call, void *to, size_t pitch, unsigned element, uint32_t value,
                       size_t width, size_t height, hipStream_t stream, kiln_sim_wait_t wait)
{
    if (!to || width > SIZE_MAX / element || (height > 1 && pitch < width * element))
        return invalid();
    return fill(call, to, pitch, 0, element, value, (hip_extent_t){width, height, 1}, stream, wait);
}

hipError_t hipMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    KILN_SIM_CALL();
    return rows(__func__, to, pitch, 1, (uint8_t)value, width, height, NULL, KILN_SIM_WAITED);
}

hipError_t hipMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                            hipStream_t stream)
{
    KILN_SIM_CALL();
    return rows(__func__, to, pitch, 1, (uint8_t)value, width, height, stream, KILN_SIM_QUEUED);
}

#define ROWS(name, type, element)                                                                  \
    hipError_t name(hipDeviceptr_t to, size_t pitch, type value, size_t width, size_t height)      \
    {                                                                                              \
        KILN_SIM_CALL();                                                                           \
        return rows(#name, to, pitch, element, (uint32_t)value, width, height, NULL,               \
                    KILN_SIM_WAITED);                                                              \
    }                                                                                              \
    hipError_t name##Async(hipDeviceptr_t to, size_t pitch, type value, size_t width,              \
                           size_t height, hipStream_t stream)                                      \
    {                                                                                              \
        KILN_SIM_CALL();                                                                           \
        return rows(#name "Async", to, pitch, element, (uint32_t)value, width, height, stream,     \
                    KILN_SIM_QUEUED);                                                              \
    }
ROWS(hipMemsetD2D8, unsigned char, 1)
ROWS(hipMemsetD2D16, unsigned short, 2)
ROWS(hipMemsetD2D32, unsigned, 4)

static hipError_t box(const char *call, hip_pitched_pointer_t to, int value, hip_extent_t extent,
                      hipStream_t stream, kiln_sim_wait_t wait)
{
    if (!extent.width || !extent.height || !extent.depth)
        return 0;
    size_t slice;
    if (!to.pointer || to.pitch < extent.width || extent.height > to.y ||
        extent.width > SIZE_MAX / 2 || __builtin_mul_overflow(to.pitch, to.y, &slice))
        return invalid();
    return fill(call, to.pointer, to.pitch, slice, 1, (uint8_t)value, extent, stream, wait);
}

hipError_t hipMemset3D(hip_pitched_pointer_t to, int value, hip_extent_t extent)
{
    KILN_SIM_CALL();
    return box(__func__, to, value, extent, NULL, KILN_SIM_WAITED);
}

hipError_t hipMemset3DAsync(hip_pitched_pointer_t to, int value, hip_extent_t extent,
                            hipStream_t stream)
{
    KILN_SIM_CALL();
    return box(__func__, to, value, extent, stream, KILN_SIM_QUEUED);
}
