// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: copies and fills of rows and boxes, pitched allocations, symbols, and what a stream may do with
// single words.
//
// What a reader gets wrong: arrays and textures do not exist here; a copy that names an array is refused.
#include <string.h>

#include "hip/entry.h"
#include "hip/graph.h"

#define PITCH 256u

// Byte layouts of HIP's structures.
struct hip_copy_3d {
    void *from_array;
    size_t from_at[3];
    hip_pitched_pointer_t from;
    void *to_array;
    size_t to_at[3];
    hip_pitched_pointer_t to;
    hip_extent_t extent;
    int kind;
};

struct hip_copy_2d {
    size_t from_x, from_y;
    int from_type;
    const void *from_host;
    void *from_device, *from_array;
    size_t from_pitch, to_x, to_y;
    int to_type;
    void *to_host, *to_device, *to_array;
    size_t to_pitch, width, height;
};

// HIP_MEMCPY3D. ROCm 6 made its numbers size_t.
struct hip_driver_copy_3d {
    size_t from_x, from_y, from_z, from_lod;
    int from_type;
    const void *from_host;
    void *from_device, *from_array;
    size_t from_pitch, from_height, to_x, to_y, to_z, to_lod;
    int to_type;
    void *to_host, *to_device, *to_array;
    size_t to_pitch, to_height, width, height, depth;
};

typedef struct old_driver_copy_3d {
    unsigned from_x, from_y, from_z, from_lod;
    int from_type;
    const void *from_host;
    void *from_device, *from_array;
    unsigned from_pitch, from_height, to_x, to_y, to_z, to_lod;
    int to_type;
    void *to_host, *to_device, *to_array;
    unsigned to_pitch, to_height, width, height, depth;
} old_driver_copy_3d_t;

_Static_assert(sizeof(hip_copy_3d_t) == 160 && sizeof(hip_copy_2d_t) == 128 && sizeof(old_driver_copy_3d_t) == 128 &&
                   sizeof(hip_driver_copy_3d_t) == 184,
               "layouts of hipMemcpy3DParms, hip_Memcpy2D and HIP_MEMCPY3D");

static const char no_arrays[] = "arrays are not supported";

// ---- boxes

// A box is one copy or fill, though its rows are made one by one: its time counts from when it began.
static double clock_now(void)
{
    kiln_sim_device_t *device = kiln_sim_device_lock();
    const double now = device->clock_ms;
    kiln_sim_device_unlock(device);
    return now;
}

static void set_clock(double began, const void *to, const void *from, uint64_t bytes)
{
    kiln_sim_device_t *device = kiln_sim_device_lock();
    device->clock_ms = began + kiln_sim_move_ms(device, to, from, bytes);
    kiln_sim_device_unlock(device);
}

hipError_t kiln_sim_copy_box(const kiln_sim_box_copy_t *box)
{
    const double began = clock_now();
    bool rows_touch = box->to_pitch == box->width && box->from_pitch == box->width;
    for (size_t z = 0; z < box->depth; z++) {
        const uint8_t *from = box->from + z * box->from_slice;
        uint8_t *to = box->to + z * box->to_slice;
        size_t rows = rows_touch ? 1 : box->height, bytes = rows_touch ? box->width * box->height : box->width;
        for (size_t y = 0; y < rows; y++) {
            hipError_t error = hipMemcpy(to + y * box->to_pitch, from + y * box->from_pitch, bytes, 4);
            if (error)
                return error;
        }
    }
    set_clock(began, box->to, box->from, (uint64_t)box->width * box->height * box->depth);
    return 0;
}

hipError_t kiln_sim_fill_box(const kiln_sim_box_fill_t *box)
{
    const double began = clock_now();
    for (size_t z = 0; z < box->depth; z++) {
        for (size_t y = 0; y < box->height; y++) {
            uint8_t *to = box->to + z * box->slice + y * box->pitch;
            hipError_t error = box->element == 4   ? hipMemsetD32(to, (int)box->value, box->width)
                               : box->element == 2 ? hipMemsetD16(to, (unsigned short)box->value, box->width)
                                                   : hipMemsetD8(to, (unsigned char)box->value, box->width);
            if (error)
                return error;
        }
    }
    set_clock(began, box->to, NULL, (uint64_t)box->width * box->height * box->depth * box->element);
    return 0;
}

static hipError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                            hipStream_t stream)
{
    if (width > to_pitch || width > from_pitch)
        return height > 1 || width == 0 ? kiln_sim_hip_fail(12, NULL) : hipMemcpyAsync(to, from, width, 4, stream);
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_COPY,
                                  .copy = {to, from, to_pitch, 0, from_pitch, 0, width, height, 1}};
    return kiln_sim_submit(stream, &work);
}

static hipError_t fill_box(void *to, size_t pitch, size_t slice, unsigned element, uint32_t value, hip_extent_t extent,
                           hipStream_t stream)
{
    const kiln_sim_work_t work = {
        .kind = KILN_SIM_WORK_FILL,
        .fill = {to, pitch, slice, extent.width, extent.height, extent.depth, element, value}};
    return kiln_sim_submit(stream, &work);
}

hipError_t kiln_sim_capture_copy(hipStream_t stream, void *to, const void *from, size_t bytes)
{
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_COPY, .copy = {to, from, bytes, 0, bytes, 0, bytes, 1, 1}};
    return kiln_sim_submit(stream, &work);
}

hipError_t kiln_sim_capture_fill(hipStream_t stream, void *to, unsigned element, uint32_t value, size_t count)
{
    return fill_box(to, 0, 0, element, value, (hip_extent_t){count, 1, 1}, stream);
}

bool kiln_sim_box_from_3d(const hip_copy_3d_t *p, kiln_sim_box_copy_t *box)
{
    if (!p || p->from_array || p->to_array)
        return false;
    size_t from_slice = p->from.pitch * (p->from.y ? p->from.y : p->extent.height);
    size_t to_slice = p->to.pitch * (p->to.y ? p->to.y : p->extent.height);
    *box = (kiln_sim_box_copy_t){
        (uint8_t *)p->to.pointer + p->to_at[0] + p->to_at[1] * p->to.pitch + p->to_at[2] * to_slice,
        (const uint8_t *)p->from.pointer + p->from_at[0] + p->from_at[1] * p->from.pitch + p->from_at[2] * from_slice,
        p->to.pitch,
        to_slice,
        p->from.pitch,
        from_slice,
        p->extent.width,
        p->extent.height,
        p->extent.depth};
    return true;
}

static hip_driver_copy_3d_t from_old(const old_driver_copy_3d_t *p)
{
    return (hip_driver_copy_3d_t){p->from_x,    p->from_y,      p->from_z,     p->from_lod,   p->from_type,
                                  p->from_host, p->from_device, p->from_array, p->from_pitch, p->from_height,
                                  p->to_x,      p->to_y,        p->to_z,       p->to_lod,     p->to_type,
                                  p->to_host,   p->to_device,   p->to_array,   p->to_pitch,   p->to_height,
                                  p->width,     p->height,      p->depth};
}

bool kiln_sim_box_from_driver(const hip_driver_copy_3d_t *params, kiln_sim_box_copy_t *box)
{
    if (!params)
        return false;
    const hip_driver_copy_3d_t copy = kiln_sim_hip_is_old() ? from_old((const void *)params) : *params, *p = &copy;
    if (p->from_array || p->to_array)
        return false;
    const uint8_t *from = p->from_device ? p->from_device : p->from_host;
    uint8_t *to = p->to_device ? p->to_device : p->to_host;
    size_t from_pitch = p->from_pitch ? p->from_pitch : p->width, to_pitch = p->to_pitch ? p->to_pitch : p->width;
    size_t from_slice = from_pitch * (p->from_height ? p->from_height : p->height);
    size_t to_slice = to_pitch * (p->to_height ? p->to_height : p->height);
    *box = (kiln_sim_box_copy_t){to + p->to_x + p->to_y * to_pitch + p->to_z * to_slice,
                                 from + p->from_x + p->from_y * from_pitch + p->from_z * from_slice,
                                 to_pitch,
                                 to_slice,
                                 from_pitch,
                                 from_slice,
                                 p->width,
                                 p->height,
                                 p->depth};
    return true;
}

// ---- copies

hipError_t hipMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                            int kind, hipStream_t stream)
{
    (void)kind;
    return width && height ? copy_rows(to, to_pitch, from, from_pitch, width, height, stream) : 0;
}

hipError_t hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                       int kind)
{
    return hipMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL);
}

hipError_t hipMemcpyParam2DAsync(const hip_copy_2d_t *p, hipStream_t stream)
{
    if (!p || p->from_array || p->to_array)
        return kiln_sim_hip_fail(p ? KILN_SIM_NOT_SUPPORTED : KILN_SIM_INVALID_VALUE, p ? no_arrays : NULL);
    const uint8_t *from = p->from_device ? p->from_device : p->from_host;
    uint8_t *to = p->to_device ? p->to_device : p->to_host;
    size_t from_pitch = p->from_pitch ? p->from_pitch : p->width, to_pitch = p->to_pitch ? p->to_pitch : p->width;
    return hipMemcpy2DAsync(to + p->to_x + p->to_y * to_pitch, to_pitch, from + p->from_x + p->from_y * from_pitch,
                            from_pitch, p->width, p->height, 4, stream);
}

hipError_t hipMemcpyParam2D(const hip_copy_2d_t *p)
{
    return hipMemcpyParam2DAsync(p, NULL);
}

hipError_t hipMemcpy3DAsync(const hip_copy_3d_t *p, hipStream_t stream)
{
    kiln_sim_work_t work = {.kind = KILN_SIM_WORK_COPY};
    if (!kiln_sim_box_from_3d(p, &work.copy))
        return kiln_sim_hip_fail(p ? KILN_SIM_NOT_SUPPORTED : KILN_SIM_INVALID_VALUE, p ? no_arrays : NULL);
    return kiln_sim_submit(stream, &work);
}

hipError_t hipMemcpy3D(const hip_copy_3d_t *p)
{
    return hipMemcpy3DAsync(p, NULL);
}

hipError_t hipDrvMemcpy3DAsync(const hip_driver_copy_3d_t *p, hipStream_t stream)
{
    kiln_sim_work_t work = {.kind = KILN_SIM_WORK_COPY};
    if (!kiln_sim_box_from_driver(p, &work.copy))
        return kiln_sim_hip_fail(p ? KILN_SIM_NOT_SUPPORTED : KILN_SIM_INVALID_VALUE, p ? no_arrays : NULL);
    return kiln_sim_submit(stream, &work);
}

hipError_t hipDrvMemcpy3D(const hip_driver_copy_3d_t *p)
{
    return hipDrvMemcpy3DAsync(p, NULL);
}

hipError_t hipMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                              hipStream_t stream)
{
    return to_device || from_device ? kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL)
                                    : hipMemcpyAsync(to, from, bytes, 3, stream);
}

hipError_t hipMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    return hipMemcpyPeerAsync(to, to_device, from, from_device, bytes, NULL);
}

// ---- fills

hipError_t hipMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, hipStream_t stream)
{
    return fill_box(to, pitch, 0, 1, (uint8_t)value, (hip_extent_t){width, height, 1}, stream);
}

hipError_t hipMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return hipMemset2DAsync(to, pitch, value, width, height, NULL);
}

hipError_t hipMemset3DAsync(hip_pitched_pointer_t to, int value, hip_extent_t extent, hipStream_t stream)
{
    return fill_box(to.pointer, to.pitch, to.pitch * to.y, 1, (uint8_t)value, extent, stream);
}

hipError_t hipMemset3D(hip_pitched_pointer_t to, int value, hip_extent_t extent)
{
    return hipMemset3DAsync(to, value, extent, NULL);
}

// ---- pitched allocations

hipError_t hipMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    if (!pitch || width > SIZE_MAX - PITCH)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    if (height && *pitch > SIZE_MAX / height)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    return hipMalloc(pointer, *pitch * height);
}

hipError_t hipMemAllocPitch(hipDeviceptr_t *pointer, size_t *pitch, size_t width, size_t height, unsigned element)
{
    (void)element;
    return hipMallocPitch(pointer, pitch, width, height);
}

hipError_t hipMalloc3D(hip_pitched_pointer_t *pointer, hip_extent_t extent)
{
    if (!pointer || (extent.depth && extent.height > SIZE_MAX / extent.depth))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    pointer->x = extent.width;
    pointer->y = extent.height;
    return hipMallocPitch(&pointer->pointer, &pointer->pitch, extent.width, extent.height * extent.depth);
}

// ---- variables

hipError_t hipMemcpyToSymbolAsync(const void *host, const void *from, size_t bytes, size_t offset, int kind,
                                  hipStream_t stream)
{
    void *address;
    hipError_t error = hipGetSymbolAddress(&address, host);
    return error ? error : hipMemcpyAsync((char *)address + offset, from, bytes, kind, stream);
}

hipError_t hipMemcpyFromSymbolAsync(void *to, const void *host, size_t bytes, size_t offset, int kind,
                                    hipStream_t stream)
{
    void *address;
    hipError_t error = hipGetSymbolAddress(&address, host);
    return error ? error : hipMemcpyAsync(to, (char *)address + offset, bytes, kind, stream);
}

// ---- hints: there is one memory

hipError_t hipMemPrefetchAsync(const void *pointer, size_t bytes, int device, hipStream_t stream)
{
    (void)bytes;
    (void)stream;
    return pointer && device >= -1 && device <= 0 ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

hipError_t hipMemAdvise(const void *pointer, size_t bytes, int advice, int device)
{
    (void)bytes;
    (void)advice;
    return hipMemPrefetchAsync(pointer, 0, device, NULL);
}

hipError_t hipStreamAttachMemAsync(hipStream_t stream, void *pointer, size_t length, unsigned flags)
{
    (void)stream;
    (void)length;
    (void)flags;
    return pointer ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

// ---- words: a wait for what nobody has written yet would never end, since all earlier work is done

static hipError_t wait_value(uint64_t is, uint64_t value, unsigned flags)
{
    static const char text[] = "the stream would wait for ever: all earlier work is done, and the value is not there";
    bool there = flags == 0   ? (int64_t)(is - value) >= 0
                 : flags == 1 ? is == value
                 : flags == 2 ? (is & value) != 0
                              : ~(is | value) != 0;
    return there ? 0 : kiln_sim_hip_fail(600, text);
}

hipError_t hipStreamWaitValue32(hipStream_t stream, void *pointer, uint32_t value, unsigned flags, uint32_t mask)
{
    uint32_t is = 0;
    (void)stream;
    hipError_t error = hipMemcpy(&is, pointer, sizeof is, 4);
    if (error)
        return error;
    return wait_value((uint64_t)(int64_t)(int32_t)(is & mask), (uint64_t)(int64_t)(int32_t)value, flags);
}

hipError_t hipStreamWaitValue64(hipStream_t stream, void *pointer, uint64_t value, unsigned flags, uint64_t mask)
{
    uint64_t is = 0;
    (void)stream;
    hipError_t error = hipMemcpy(&is, pointer, sizeof is, 4);
    return error ? error : wait_value(is & mask, value, flags);
}

hipError_t hipStreamWriteValue32(hipStream_t stream, void *pointer, uint32_t value, unsigned flags)
{
    (void)flags;
    return fill_box(pointer, 0, 0, 4, value, (hip_extent_t){1, 1, 1}, stream);
}

hipError_t hipStreamWriteValue64(hipStream_t stream, void *pointer, uint64_t value, unsigned flags)
{
    hipError_t error = hipStreamWriteValue32(stream, pointer, (uint32_t)value, flags);
    return error ? error : hipStreamWriteValue32(stream, (char *)pointer + 4, (uint32_t)(value >> 32), flags);
}
