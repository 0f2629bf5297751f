// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory. Every range is checked here, so that no library sees one that leaves its buffer.
#include <stdlib.h>

#include "hip/device.h"

struct kiln_buffer {
    kiln_device_t *device;
    size_t size;
    char *address; // of the device
};

kiln_status_t kiln_buffer_create(kiln_device_t *device, size_t size, kiln_buffer_t **out_buffer)
{
    *out_buffer = NULL;
    kiln_buffer_t *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return kiln_status_out_of_memory();
    buffer->device = kiln_device_retain(device);
    buffer->size = size;
    if (size) {
        void *address = NULL;
        int error = device->hip.hipSetDevice(device->properties.ordinal);
        if (!error)
            error = device->hip.hipMalloc(&address, size);
        if (error) {
            kiln_buffer_release(buffer);
            return kiln_status_annotate(kiln_hip_check(&device->hip, error, "hipMalloc"),
                                        "while allocating %zu bytes on the device", size);
        }
        buffer->address = address;
    }
    *out_buffer = buffer;
    return KILN_OK;
}

void kiln_buffer_release(kiln_buffer_t *buffer)
{
    if (!buffer)
        return;
    if (buffer->address)
        KILN_HIP_IGNORE(buffer->device, hipFree, (buffer->address));
    kiln_device_release(buffer->device);
    free(buffer);
}

size_t kiln_buffer_size(const kiln_buffer_t *buffer)
{
    return buffer->size;
}

uint64_t kiln_buffer_address(const kiln_buffer_t *buffer)
{
    return (uint64_t)(uintptr_t)buffer->address;
}

static kiln_status_t check_range(const kiln_buffer_t *buffer, size_t offset, size_t size)
{
    if (offset <= buffer->size && size <= buffer->size - offset)
        return KILN_OK;
    return kiln_status_make(KILN_STATUS_USAGE, "%zu bytes at offset %zu leave the buffer of %zu bytes", size, offset,
                            buffer->size);
}

kiln_status_t kiln_buffer_write(kiln_buffer_t *buffer, size_t offset, const void *data, size_t size)
{
    KILN_TRY(check_range(buffer, offset, size));
    if (size)
        KILN_HIP_TRY(buffer->device, hipMemcpyHtoD, (buffer->address + offset, data, size));
    return KILN_OK;
}

kiln_status_t kiln_buffer_read(const kiln_buffer_t *buffer, size_t offset, void *data, size_t size)
{
    KILN_TRY(check_range(buffer, offset, size));
    if (size)
        KILN_HIP_TRY(buffer->device, hipMemcpyDtoH, (data, buffer->address + offset, size));
    return KILN_OK;
}

kiln_status_t kiln_buffer_fill(kiln_buffer_t *buffer, size_t offset, uint8_t byte, size_t size)
{
    KILN_TRY(check_range(buffer, offset, size));
    if (size) {
        KILN_HIP_TRY(buffer->device, hipMemset, (buffer->address + offset, byte, size));
        // hipMemset of device memory may return before it is done.
        KILN_HIP_TRY(buffer->device, hipStreamSynchronize, (NULL));
    }
    return KILN_OK;
}

kiln_status_t kiln_buffer_write_async(kiln_buffer_t *buffer, size_t offset, const void *data, size_t size,
                                      kiln_stream_t *stream)
{
    KILN_TRY(check_range(buffer, offset, size));
    if (size)
        KILN_HIP_TRY(buffer->device, hipMemcpyHtoDAsync,
                     (buffer->address + offset, data, size, kiln_stream_handle(stream)));
    return KILN_OK;
}

kiln_status_t kiln_buffer_read_async(const kiln_buffer_t *buffer, size_t offset, void *data, size_t size,
                                     kiln_stream_t *stream)
{
    KILN_TRY(check_range(buffer, offset, size));
    if (size)
        KILN_HIP_TRY(buffer->device, hipMemcpyDtoHAsync,
                     (data, buffer->address + offset, size, kiln_stream_handle(stream)));
    return KILN_OK;
}
