// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: copies of bytes, rows and boxes, from and to the memory of any device and the
// host.
//
// A call without a stream waits until its copy is done. A call that accesses host memory that is
// not pinned also waits, because the device could not copy such memory asynchronously.
//
// A box whose rows are contiguous is one copy; otherwise rows are checked and copied one by one.
#include <string.h>

#include "hip_sim/entry.h"
#include "hip_sim/stream/engine.h"

enum {
    HOST_TO_HOST,
    HOST_TO_DEVICE,
    DEVICE_TO_HOST,
    DEVICE_TO_DEVICE,
    DEFAULT,
    BETWEEN_DEVICES = 1024
}; // hipMemcpyKind

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

_Static_assert(sizeof(old_driver_copy_3d_t) == 128, "layout of HIP_MEMCPY3D before ROCm 6");

static const char no_arrays[] = "the simulator does not support arrays";

static hipError_t invalid(void)
{
    return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

// ---- boxes

static bool is_on_device(const void *pointer)
{
    const kiln_sim_allocation_t *found;
    return kiln_sim_device_of(pointer, &found) && !kiln_sim_memory_is_host(found);
}

double kiln_sim_move_ms(const void *to, const void *from, uint64_t bytes)
{
    const bool read = from && is_on_device(from), written = is_on_device(to);
    const bool linked = (from && !read) || !written;
    if (!read && !written)
        return 0; // from host to host
    return kiln_sim_machine_move_ms(kiln_sim_device()->machine, read ? bytes : 0,
                                    written ? bytes : 0, linked ? bytes : 0);
}

static bool rows_touch(const kiln_sim_box_copy_t *box)
{
    return box->to_pitch == box->width && box->from_pitch == box->width &&
           (!box->width || box->height <= SIZE_MAX / box->width); // otherwise there are no rows
}

static bool each_row(const kiln_sim_box_copy_t *box, bool moves, kiln_sim_error_t *error)
{
    const hip_extent_t extent = {box->width, box->height, box->depth};
    if (!kiln_sim_box_place_check(box->to, box->to_pitch, box->to_slice, extent, "the destination",
                                  KILN_SIM_WRITTEN, error) ||
        !kiln_sim_box_place_check(box->from, box->from_pitch, box->from_slice, extent, "the source",
                                  KILN_SIM_READ, error))
        return false;
    const bool touch = rows_touch(box);
    const size_t rows = touch ? 1 : box->height,
                 bytes = touch ? box->width * box->height : box->width;
    for (size_t z = 0; moves && bytes && z < box->depth; z++) {
        for (size_t y = 0; y < rows; y++) {
            const uint8_t *from = box->from + z * box->from_slice + y * box->from_pitch;
            uint8_t *to = box->to + z * box->to_slice + y * box->to_pitch;
            memmove(to, from, bytes);
            const kiln_sim_allocation_t *in;
            kiln_sim_device_t *device = kiln_sim_device_of(to, &in);
            if (device)
                kiln_sim_memory_mark_copy(device->memory, (uint64_t)(uintptr_t)to,
                                          (uint64_t)(uintptr_t)from, bytes);
        }
    }
    return true;
}

static bool report_misuse(const char *call, bool good, const kiln_sim_error_t *error)
{
    if (!good)
        kiln_sim_hip_report_misuse(kiln_sim_device(), call ? call : "a copy", error->text);
    return good;
}

bool kiln_sim_box_check(const kiln_sim_box_copy_t *box, kiln_sim_error_t *error)
{
    return report_misuse(box->call, each_row(box, false, error), error);
}

hipError_t kiln_sim_copy_box(const kiln_sim_box_copy_t *box)
{
    kiln_sim_error_t error = {0};
    if (!report_misuse(box->call, each_row(box, true, &error), &error))
        return kiln_sim_hip_error(&error);
    kiln_sim_engine_takes(
        kiln_sim_move_ms(box->to, box->from, (uint64_t)box->width * box->height * box->depth));
    return 0;
}

static hipError_t enqueue(const kiln_sim_box_copy_t *box, int kind, hipStream_t stream,
                          kiln_sim_wait_t wait)
{
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_COPY, .copy_kind = kind, .copy = *box};
    if (wait == KILN_SIM_WAITED) {
        hipError_t refused = kiln_sim_capture_implicit();
        return refused ? refused : kiln_sim_submit_waiting(stream, &work);
    }
    const bool pinned = kiln_sim_place_is_pinned(box->to) && kiln_sim_place_is_pinned(box->from);
    return pinned || kiln_sim_stream_capture(stream) ? kiln_sim_submit(stream, &work)
                                                     : kiln_sim_submit_waiting(stream, &work);
}

hipError_t kiln_sim_copy_kind_check(const void *to, const void *from, int kind)
{
    (void)to, (void)from;
    return (kind < HOST_TO_HOST || kind > DEFAULT) && kind != BETWEEN_DEVICES
               ? kiln_sim_hip_fail(HIP_INVALID_DIRECTION, NULL)
               : 0;
}

// ---- bytes

static hipError_t copy(const char *call, void *to, const void *from, size_t bytes, int kind,
                       hipStream_t stream, kiln_sim_wait_t wait)
{
    hipError_t error = kiln_sim_copy_kind_check(to, from, kind);
    if (error || bytes == 0)
        return error;
    const kiln_sim_box_copy_t box = {to, from, bytes, 0, bytes, 0, bytes, 1, 1, call};
    kiln_sim_error_t wrong = {0};
    if (!to || !from)
        return report_misuse(
                   call,
                   kiln_sim_place_check(to, bytes, "the destination", KILN_SIM_WRITTEN, &wrong) &&
                       kiln_sim_place_check(from, bytes, "the source", KILN_SIM_READ, &wrong),
                   &wrong)
                   ? 0
                   : kiln_sim_hip_error(&wrong);
    return enqueue(&box, kind, stream, wait);
}

hipError_t hipMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    KILN_SIM_CALL();
    hipError_t async_error = kiln_sim_engine_async_error(kiln_sim_device());
    return async_error ? async_error : copy(__func__, to, from, bytes, kind, NULL, KILN_SIM_WAITED);
}

hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, hipStream_t stream)
{
    KILN_SIM_CALL();
    return copy(__func__, to, from, bytes, kind, stream, KILN_SIM_QUEUED);
}

hipError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes, int kind,
                               hipStream_t stream)
{
    KILN_SIM_CALL();
    return copy(__func__, to, from, bytes, kind, stream, KILN_SIM_WAITED);
}

hipError_t hipMemcpyHtoD(hipDeviceptr_t to, const void *from, size_t bytes)
{
    KILN_SIM_CALL();
    return copy(__func__, to, from, bytes, HOST_TO_DEVICE, NULL, KILN_SIM_WAITED);
}

hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t bytes)
{
    KILN_SIM_CALL();
    return copy(__func__, to, from, bytes, DEVICE_TO_HOST, NULL, KILN_SIM_WAITED);
}

hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes)
{
    KILN_SIM_CALL();
    return copy(__func__, to, from, bytes, DEVICE_TO_DEVICE, NULL, KILN_SIM_WAITED);
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void *from, size_t bytes, hipStream_t stream)
{
    KILN_SIM_CALL();
    return copy(__func__, to, from, bytes, HOST_TO_DEVICE, stream, KILN_SIM_QUEUED);
}

hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes, hipStream_t stream)
{
    KILN_SIM_CALL();
    return copy(__func__, to, from, bytes, DEVICE_TO_HOST, stream, KILN_SIM_QUEUED);
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes,
                              hipStream_t stream)
{
    KILN_SIM_CALL();
    return copy(__func__, to, from, bytes, DEVICE_TO_DEVICE, stream, KILN_SIM_QUEUED);
}

static hipError_t between(const char *call, void *to, int to_device, const void *from,
                          int from_device, size_t bytes, hipStream_t stream, kiln_sim_wait_t wait)
{
    if (!kiln_sim_device_at(to_device) || !kiln_sim_device_at(from_device))
        return kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
    return copy(call, to, from, bytes, DEVICE_TO_DEVICE, stream, wait);
}

hipError_t hipMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                              size_t bytes, hipStream_t stream)
{
    KILN_SIM_CALL();
    return between(__func__, to, to_device, from, from_device, bytes, stream, KILN_SIM_QUEUED);
}

hipError_t hipMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    KILN_SIM_CALL();
    return between(__func__, to, to_device, from, from_device, bytes, NULL, KILN_SIM_WAITED);
}

// ---- rows

static hipError_t copy_rows(const char *call, void *to, size_t to_pitch, const void *from,
                            size_t from_pitch, size_t width, size_t height, int kind,
                            hipStream_t stream, kiln_sim_wait_t wait)
{
    hipError_t error = kiln_sim_copy_kind_check(to, from, kind);
    if (error)
        return error;
    if (!to || !from)
        return width && height ? invalid() : 0;
    if (width > to_pitch || width > from_pitch)
        return kiln_sim_hip_fail(HIP_INVALID_PITCH, NULL);
    if (!width || !height)
        return 0;
    const kiln_sim_box_copy_t box = {to, from, to_pitch, 0, from_pitch, 0, width, height, 1, call};
    return enqueue(&box, kind, stream, wait);
}

hipError_t hipMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                            size_t width, size_t height, int kind, hipStream_t stream)
{
    KILN_SIM_CALL();
    return copy_rows(__func__, to, to_pitch, from, from_pitch, width, height, kind, stream,
                     KILN_SIM_QUEUED);
}

hipError_t hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                       size_t height, int kind)
{
    KILN_SIM_CALL();
    return copy_rows(__func__, to, to_pitch, from, from_pitch, width, height, kind, NULL,
                     KILN_SIM_WAITED);
}

// hipMemoryType in the numbering of the program's HIP version. The type alone determines which
// address of a side is valid; programs leave the other addresses unset.
typedef enum memory_type { HOST, DEVICE, MANAGED, ARRAY, UNIFIED, NO_TYPE } memory_type_t;

static memory_type_t memory_type(int number)
{
    static const memory_type_t old[] = {HOST, DEVICE, ARRAY, UNIFIED, MANAGED},
                               now[] = {NO_TYPE, HOST,    DEVICE,  MANAGED, NO_TYPE, NO_TYPE,
                                        NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, ARRAY,   UNIFIED};
    const bool is_old = kiln_sim_hip_is_old();
    const size_t count = is_old ? sizeof old / sizeof *old : sizeof now / sizeof *now;
    return number < 0 || (size_t)number >= count ? NO_TYPE : is_old ? old[number] : now[number];
}

// NULL if the type is invalid.
static const void *side(memory_type_t type, const void *host, const void *device)
{
    return type == HOST ? host : type == NO_TYPE ? NULL : device;
}

static hipError_t copy_2d(const char *call, const hip_copy_2d_t *p, hipStream_t stream,
                          kiln_sim_wait_t wait)
{
    if (!p)
        return invalid();
    const memory_type_t from_type = memory_type(p->from_type), to_type = memory_type(p->to_type);
    if ((from_type == ARRAY && !p->from_array) || (to_type == ARRAY && !p->to_array))
        return invalid();
    if (from_type == ARRAY || to_type == ARRAY)
        return kiln_sim_hip_fail(KILN_SIM_NOT_SUPPORTED, no_arrays);
    const uint8_t *from = side(from_type, p->from_host, p->from_device);
    uint8_t *to = (uint8_t *)(uintptr_t)side(to_type, p->to_host, p->to_device);
    size_t from_pitch = p->from_pitch ? p->from_pitch : p->width,
           to_pitch = p->to_pitch ? p->to_pitch : p->width;
    if (!from || !to)
        return invalid();
    if (p->from_x > SIZE_MAX - p->width || p->to_x > SIZE_MAX - p->width ||
        p->from_x + p->width > from_pitch || p->to_x + p->width > to_pitch)
        return invalid();
    return copy_rows(call, kiln_sim_place_at(to, p->to_x, p->to_y, 0, to_pitch, 0), to_pitch,
                     kiln_sim_place_at(from, p->from_x, p->from_y, 0, from_pitch, 0), from_pitch,
                     p->width, p->height, DEFAULT, stream, wait);
}

hipError_t hipMemcpyParam2DAsync(const hip_copy_2d_t *p, hipStream_t stream)
{
    KILN_SIM_CALL();
    return copy_2d(__func__, p, stream, KILN_SIM_QUEUED);
}

hipError_t hipMemcpyParam2D(const hip_copy_2d_t *p)
{
    KILN_SIM_CALL();
    return copy_2d(__func__, p, NULL, KILN_SIM_WAITED);
}

hipError_t hipDrvMemcpy2DUnaligned(const hip_copy_2d_t *p)
{
    KILN_SIM_CALL();
    return copy_2d(__func__, p, NULL, KILN_SIM_WAITED);
}

// ---- boxes of bytes

// Bytes between two slices. SIZE_MAX if the product overflows, so that only a single slice is
// accepted.
static size_t slice_of(size_t pitch, size_t height)
{
    size_t bytes;
    return __builtin_mul_overflow(pitch, height, &bytes) ? SIZE_MAX : bytes;
}

bool kiln_sim_box_from_3d(const hip_copy_3d_t *p, kiln_sim_box_copy_t *box)
{
    if (!p || p->from_array || p->to_array)
        return false;
    const size_t from_slice = slice_of(p->from.pitch, p->from.y ? p->from.y : p->extent.height),
                 to_slice = slice_of(p->to.pitch, p->to.y ? p->to.y : p->extent.height);
    *box = (kiln_sim_box_copy_t){kiln_sim_place_at(p->to.pointer, p->to_at[0], p->to_at[1],
                                                   p->to_at[2], p->to.pitch, to_slice),
                                 kiln_sim_place_at(p->from.pointer, p->from_at[0], p->from_at[1],
                                                   p->from_at[2], p->from.pitch, from_slice),
                                 p->to.pitch,
                                 to_slice,
                                 p->from.pitch,
                                 from_slice,
                                 p->extent.width,
                                 p->extent.height,
                                 p->extent.depth,
                                 "hipMemcpy3D"};
    return true;
}

hipError_t kiln_sim_copy_3d_check(const hip_copy_3d_t *p)
{
    hipError_t error = kiln_sim_copy_kind_check(p->to.pointer, p->from.pointer, p->kind);
    if (error)
        return error;
    if (!p->from.pointer || !p->to.pointer)
        return invalid();
    const hip_extent_t e = p->extent;
    if (e.width > SIZE_MAX / 2 || e.height > SIZE_MAX / 2 || e.depth > SIZE_MAX / 2)
        return invalid();
    if (p->from.pitch < e.width || p->to.pitch < e.width)
        return kiln_sim_hip_fail(
            p->from.pitch && p->to.pitch ? HIP_INVALID_PITCH : HIP_INVALID_PITCH, NULL);
    if (p->from_at[0] > p->from.pitch - e.width || p->to_at[0] > p->to.pitch - e.width)
        return invalid();
    return 0;
}

static hip_driver_copy_3d_t from_old(const old_driver_copy_3d_t *p)
{
    return (hip_driver_copy_3d_t){
        p->from_x,      p->from_y,     p->from_z,     p->from_lod,    p->from_type, p->from_host,
        p->from_device, p->from_array, p->from_pitch, p->from_height, p->to_x,      p->to_y,
        p->to_z,        p->to_lod,     p->to_type,    p->to_host,     p->to_device, p->to_array,
        p->to_pitch,    p->to_height,  p->width,      p->height,      p->depth};
}

bool kiln_sim_box_from_driver(const hip_driver_copy_3d_t *params, kiln_sim_box_copy_t *box)
{
    if (!params)
        return false;
    const hip_driver_copy_3d_t copied =
                                   kiln_sim_hip_is_old() ? from_old((const void *)params) : *params,
                               *p = &copied;
    const memory_type_t from_type = memory_type(p->from_type), to_type = memory_type(p->to_type);
    if (from_type == ARRAY || to_type == ARRAY)
        return false;
    const uint8_t *from = side(from_type, p->from_host, p->from_device);
    uint8_t *to = (uint8_t *)(uintptr_t)side(to_type, p->to_host, p->to_device);
    size_t from_pitch = p->from_pitch ? p->from_pitch : p->width,
           to_pitch = p->to_pitch ? p->to_pitch : p->width;
    const size_t from_slice = slice_of(from_pitch, p->from_height ? p->from_height : p->height),
                 to_slice = slice_of(to_pitch, p->to_height ? p->to_height : p->height);
    *box = (kiln_sim_box_copy_t){
        to ? kiln_sim_place_at(to, p->to_x, p->to_y, p->to_z, to_pitch, to_slice) : NULL,
        from ? kiln_sim_place_at(from, p->from_x, p->from_y, p->from_z, from_pitch, from_slice)
             : NULL,
        to_pitch,
        to_slice,
        from_pitch,
        from_slice,
        p->width,
        p->height,
        p->depth,
        "hipDrvMemcpy3D"};
    return true;
}

// Whether an offset and the box fit into rows and slices; pitch 0 and height 0 mean those of the
// box.
static bool holds(size_t x, size_t y, size_t pitch, size_t height, const hip_driver_copy_3d_t *box)
{
    const bool in_row = !pitch || (x <= pitch && box->width <= pitch - x && pitch < INT32_MAX);
    return in_row && (!height || (y <= height && box->height <= height - y));
}

hipError_t kiln_sim_copy_driver_check(const hip_driver_copy_3d_t *params)
{
    const hip_driver_copy_3d_t copied =
                                   kiln_sim_hip_is_old() ? from_old((const void *)params) : *params,
                               *p = &copied;
    const memory_type_t from_type = memory_type(p->from_type), to_type = memory_type(p->to_type);
    if (from_type == ARRAY || to_type == ARRAY)
        return kiln_sim_hip_fail(KILN_SIM_NOT_SUPPORTED, no_arrays);
    return side(from_type, p->from_host, p->from_device) &&
                   side(to_type, p->to_host, p->to_device) &&
                   holds(p->from_x, p->from_y, p->from_pitch, p->from_height, p) &&
                   holds(p->to_x, p->to_y, p->to_pitch, p->to_height, p)
               ? 0
               : invalid();
}

static hipError_t copy_3d(const hip_copy_3d_t *p, hipStream_t stream, kiln_sim_wait_t wait)
{
    kiln_sim_box_copy_t box;
    if (!p)
        return invalid();
    if (p->from_array || p->to_array)
        return kiln_sim_hip_fail(KILN_SIM_NOT_SUPPORTED, no_arrays);
    hipError_t error = kiln_sim_copy_3d_check(p);
    if (error || !p->extent.width || !p->extent.height || !p->extent.depth)
        return error;
    return kiln_sim_box_from_3d(p, &box) ? enqueue(&box, p->kind, stream, wait) : invalid();
}

hipError_t hipMemcpy3DAsync(const hip_copy_3d_t *p, hipStream_t stream)
{
    KILN_SIM_CALL();
    return copy_3d(p, stream, KILN_SIM_QUEUED);
}

hipError_t hipMemcpy3D(const hip_copy_3d_t *p)
{
    KILN_SIM_CALL();
    return copy_3d(p, NULL, KILN_SIM_WAITED);
}

static hipError_t copy_driver(const hip_driver_copy_3d_t *p, hipStream_t stream,
                              kiln_sim_wait_t wait)
{
    kiln_sim_box_copy_t box;
    if (!p)
        return invalid();
    if (!kiln_sim_box_from_driver(p, &box))
        return kiln_sim_hip_fail(KILN_SIM_NOT_SUPPORTED, no_arrays);
    if (!box.width || !box.height || !box.depth)
        return 0;
    if (!box.to || !box.from || box.to_pitch < box.width || box.from_pitch < box.width)
        return invalid();
    return enqueue(&box, DEFAULT, stream, wait);
}

hipError_t hipDrvMemcpy3DAsync(const hip_driver_copy_3d_t *p, hipStream_t stream)
{
    KILN_SIM_CALL();
    return copy_driver(p, stream, KILN_SIM_QUEUED);
}

hipError_t hipDrvMemcpy3D(const hip_driver_copy_3d_t *p)
{
    KILN_SIM_CALL();
    return copy_driver(p, NULL, KILN_SIM_WAITED);
}

// ---- variables

static hipError_t find_variable(const void *host, size_t bytes, size_t offset, char **place)
{
    void *address;
    size_t size;
    if (!host)
        return kiln_sim_hip_fail(HIP_INVALID_SYMBOL, NULL);
    hipError_t error = hipGetSymbolAddress(&address, host);
    if (!error)
        error = hipGetSymbolSize(&size, host);
    if (!error && (offset > size || bytes > size - offset))
        error = invalid();
    *place = error ? NULL : (char *)address + offset;
    return error;
}

static hipError_t to_symbol(const void *host, const void *from, size_t bytes, size_t offset,
                            int kind, hipStream_t stream, kiln_sim_wait_t wait)
{
    char *place;
    hipError_t error = find_variable(host, bytes, offset, &place);
    if (!error && kind != HOST_TO_DEVICE && kind != DEVICE_TO_DEVICE && kind != DEFAULT)
        error = kiln_sim_hip_fail(HIP_INVALID_DIRECTION, NULL);
    return error ? error : copy("hipMemcpyToSymbol", place, from, bytes, kind, stream, wait);
}

static hipError_t from_symbol(void *to, const void *host, size_t bytes, size_t offset, int kind,
                              hipStream_t stream, kiln_sim_wait_t wait)
{
    char *place;
    hipError_t error = find_variable(host, bytes, offset, &place);
    if (!error && kind != DEVICE_TO_HOST && kind != DEVICE_TO_DEVICE && kind != DEFAULT)
        error = kiln_sim_hip_fail(HIP_INVALID_DIRECTION, NULL);
    return error ? error : copy("hipMemcpyFromSymbol", to, place, bytes, kind, stream, wait);
}

hipError_t hipMemcpyToSymbol(const void *host, const void *from, size_t bytes, size_t offset,
                             int kind)
{
    KILN_SIM_CALL();
    return to_symbol(host, from, bytes, offset, kind, NULL, KILN_SIM_WAITED);
}

hipError_t hipMemcpyFromSymbol(void *to, const void *host, size_t bytes, size_t offset, int kind)
{
    KILN_SIM_CALL();
    return from_symbol(to, host, bytes, offset, kind, NULL, KILN_SIM_WAITED);
}

hipError_t hipMemcpyToSymbolAsync(const void *host, const void *from, size_t bytes, size_t offset,
                                  int kind, hipStream_t stream)
{
    KILN_SIM_CALL();
    return to_symbol(host, from, bytes, offset, kind, stream, KILN_SIM_QUEUED);
}

hipError_t hipMemcpyFromSymbolAsync(void *to, const void *host, size_t bytes, size_t offset,
                                    int kind, hipStream_t stream)
{
    KILN_SIM_CALL();
    return from_symbol(to, host, bytes, offset, kind, stream, KILN_SIM_QUEUED);
}
