// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory. Every range is checked here, so that ranges outside their buffer never reach the
// library.
#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "hip/device.h"

struct kiln_buffer {
    kiln_device_t *device;
    size_t size;
    char *address; // on the device
    bool is_foreign;
};

static kiln_status_t make(kiln_device_t *device, size_t size, kiln_buffer_t **out_buffer)
{
    kiln_buffer_t *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return kiln_status_out_of_memory();
    buffer->device = kiln_device_retain(device);
    buffer->size = size;
    *out_buffer = buffer;
    return KILN_OK;
}

static kiln_status_t allocate(kiln_buffer_t *buffer)
{
    void *address = NULL;
    KILN_HIP_TRY(buffer->device, hipMalloc, (&address, buffer->size));
    buffer->address = address;
    return KILN_OK;
}

kiln_status_t kiln_buffer_create(kiln_device_t *device, size_t size, kiln_buffer_t **out_buffer)
{
    KILN_REQUIRE_OUT(out_buffer);
    KILN_REQUIRE(device);
    KILN_TRY(make(device, size, out_buffer));
    kiln_status_t status = size ? allocate(*out_buffer) : KILN_OK;
    if (status) {
        kiln_buffer_release(*out_buffer);
        *out_buffer = NULL;
    }
    return kiln_status_annotate(status, "while allocating %zu bytes on the device", size);
}

kiln_status_t kiln_buffer_wrap(kiln_device_t *device, uint64_t address, size_t size,
                               kiln_buffer_t **out_buffer)
{
    KILN_REQUIRE_OUT(out_buffer);
    KILN_REQUIRE(device);
    KILN_REQUIRE_THAT(address || !size, "address is 0, but size is %zu", size);
    KILN_REQUIRE_THAT(size <= UINT64_MAX - address,
                      "%zu bytes at address 0x%llx exceed the address space", size,
                      (unsigned long long)address);
    KILN_TRY(make(device, size, out_buffer));
    (*out_buffer)->address = (char *)(uintptr_t)address;
    (*out_buffer)->is_foreign = true;
    return KILN_OK;
}

void kiln_buffer_release(kiln_buffer_t *buffer)
{
    if (!buffer)
        return;
    if (buffer->address && !buffer->is_foreign)
        KILN_HIP_IGNORE(buffer->device, hipFree, (buffer->address));
    kiln_device_release(buffer->device);
    free(buffer);
}

size_t kiln_buffer_size(const kiln_buffer_t *buffer)
{
    return buffer ? buffer->size : 0;
}

uint64_t kiln_buffer_address(const kiln_buffer_t *buffer)
{
    return buffer ? (uint64_t)(uintptr_t)buffer->address : 0;
}

// Blocking and stream-ordered transfers, which differ only in the call ----------------------------

#define REQUIRE_RANGE(buffer, offset, size)                                                        \
    do {                                                                                           \
        KILN_REQUIRE(buffer);                                                                      \
        KILN_REQUIRE_THAT((offset) <= (buffer)->size && (size) <= (buffer)->size - (offset),       \
                          "%zu bytes at offset %zu exceed the buffer of %zu bytes", (size),        \
                          (offset), (buffer)->size);                                               \
    } while (0)

kiln_status_t kiln_buffer_write(kiln_buffer_t *buffer, size_t offset, const void *data, size_t size)
{
    REQUIRE_RANGE(buffer, offset, size);
    KILN_REQUIRE_ARRAY(data, size);
    if (size)
        KILN_HIP_TRY(buffer->device, hipMemcpyHtoD, (buffer->address + offset, data, size));
    return KILN_OK;
}

kiln_status_t kiln_buffer_read(const kiln_buffer_t *buffer, size_t offset, void *data, size_t size)
{
    REQUIRE_RANGE(buffer, offset, size);
    KILN_REQUIRE_ARRAY(data, size);
    if (size)
        KILN_HIP_TRY(buffer->device, hipMemcpyDtoH, (data, buffer->address + offset, size));
    return KILN_OK;
}

kiln_status_t kiln_buffer_fill(kiln_buffer_t *buffer, size_t offset, uint8_t byte, size_t size)
{
    REQUIRE_RANGE(buffer, offset, size);
    if (size) {
        KILN_HIP_TRY(buffer->device, hipMemset, (buffer->address + offset, byte, size));
        // hipMemset of device memory may return before it has completed.
        KILN_HIP_TRY(buffer->device, hipStreamSynchronize, (NULL));
    }
    return KILN_OK;
}

kiln_status_t kiln_buffer_write_async(kiln_buffer_t *buffer, size_t offset, const void *data,
                                      size_t size, kiln_stream_t *stream)
{
    REQUIRE_RANGE(buffer, offset, size);
    KILN_REQUIRE_ARRAY(data, size);
    if (size)
        KILN_HIP_TRY(buffer->device, hipMemcpyHtoDAsync,
                     (buffer->address + offset, data, size, kiln_stream_handle(stream)));
    return KILN_OK;
}

kiln_status_t kiln_buffer_read_async(const kiln_buffer_t *buffer, size_t offset, void *data,
                                     size_t size, kiln_stream_t *stream)
{
    REQUIRE_RANGE(buffer, offset, size);
    KILN_REQUIRE_ARRAY(data, size);
    if (size)
        KILN_HIP_TRY(buffer->device, hipMemcpyDtoHAsync,
                     (data, buffer->address + offset, size, kiln_stream_handle(stream)));
    return KILN_OK;
}

// Contents that are made when something needs them ------------------------------------------------

static kiln_status_t fill_later(kiln_buffer_t *buffer, const kiln_sim_contents_t *contents)
{
    KILN_HIP_TRY(buffer->device, kilnSimFillLater, (buffer->address, contents));
    return KILN_OK;
}

static kiln_status_t fill_now(kiln_buffer_t *buffer, const kiln_sim_contents_t *contents)
{
    char *data = malloc(buffer->size + 1);
    if (!data)
        return kiln_status_out_of_memory();
    contents->fill(contents->user, data, buffer->size);
    kiln_status_t status = kiln_buffer_write(buffer, 0, data, buffer->size);
    free(data);
    return status;
}

kiln_status_t kiln_buffer_set_contents(kiln_buffer_t *buffer, const kiln_sim_contents_t *contents)
{
    const bool later = buffer->size && !buffer->is_foreign && buffer->device->hip.kilnSimFillLater;
    kiln_status_t status = later ? fill_later(buffer, contents) : fill_now(buffer, contents);
    if (!later || status)
        contents->release(contents->user);
    return status;
}

bool kiln_buffer_is_unfilled(const kiln_buffer_t *buffer)
{
    bool unfilled = false;
    return buffer->size && !buffer->is_foreign && buffer->device->hip.kilnSimIsUnfilled &&
           buffer->device->hip.kilnSimIsUnfilled(buffer->address, &unfilled) == 0 && unfilled;
}

// Between buffers ---------------------------------------------------------------------------------

static bool overlap(const char *a, const char *b, size_t size)
{
    uintptr_t low = (uintptr_t)a, high = (uintptr_t)b;
    return low < high ? high - low < size : low - high < size;
}

// The check is the same for all of HIP's copy functions.
#define REQUIRE_COPY(to, to_offset, from, from_offset, size)                                       \
    do {                                                                                           \
        REQUIRE_RANGE(to, to_offset, size);                                                        \
        REQUIRE_RANGE(from, from_offset, size);                                                    \
        KILN_REQUIRE_THAT(                                                                         \
            (to)->device->hip.hipMemcpyDtoD == (from)->device->hip.hipMemcpyDtoD,                  \
            "to and from belong to different HIP libraries, '%s' and '%s'; copy through the host", \
            (to)->device->hip.path, (from)->device->hip.path);                                     \
        KILN_REQUIRE_THAT(!(size) || !overlap((to)->address + (to_offset),                         \
                                              (from)->address + (from_offset), (size)),            \
                          "to and from overlap in these %zu bytes", (size));                       \
    } while (0)

kiln_status_t kiln_buffer_copy(kiln_buffer_t *to, size_t to_offset, const kiln_buffer_t *from,
                               size_t from_offset, size_t size)
{
    REQUIRE_COPY(to, to_offset, from, from_offset, size);
    if (size) {
        KILN_HIP_TRY(to->device, hipMemcpyDtoD,
                     (to->address + to_offset, from->address + from_offset, size));
        KILN_HIP_TRY(to->device, hipStreamSynchronize, (NULL)); // as for fills
    }
    return KILN_OK;
}

kiln_status_t kiln_buffer_copy_async(kiln_buffer_t *to, size_t to_offset, const kiln_buffer_t *from,
                                     size_t from_offset, size_t size, kiln_stream_t *stream)
{
    REQUIRE_COPY(to, to_offset, from, from_offset, size);
    if (size)
        KILN_HIP_TRY(to->device, hipMemcpyDtoDAsync,
                     (to->address + to_offset, from->address + from_offset, size,
                      kiln_stream_handle(stream)));
    return KILN_OK;
}

kiln_status_t kiln_buffer_fill_async(kiln_buffer_t *buffer, size_t offset, const void *pattern,
                                     size_t pattern_size, size_t size, kiln_stream_t *stream)
{
    REQUIRE_RANGE(buffer, offset, size);
    KILN_REQUIRE(pattern);
    KILN_REQUIRE_THAT(pattern_size == 1 || pattern_size == 2 || pattern_size == 4,
                      "pattern_size is %zu; expected 1, 2 or 4", pattern_size);
    KILN_REQUIRE_THAT(size % pattern_size == 0,
                      "size is %zu, which is not a multiple of pattern_size, %zu", size,
                      pattern_size);
    char *at = buffer->address + offset;
    KILN_REQUIRE_THAT((uintptr_t)at % pattern_size == 0,
                      "offset is %zu, which is misaligned for patterns of %zu bytes", offset,
                      pattern_size);
    void *handle = kiln_stream_handle(stream);
    uint8_t byte;
    uint16_t half;
    int32_t word;
    if (size && pattern_size == sizeof byte) {
        memcpy(&byte, pattern, sizeof byte);
        KILN_HIP_TRY(buffer->device, hipMemsetD8Async, (at, byte, size, handle));
    } else if (size && pattern_size == sizeof half) {
        memcpy(&half, pattern, sizeof half);
        KILN_HIP_TRY(buffer->device, hipMemsetD16Async, (at, half, size / sizeof half, handle));
    } else if (size) {
        memcpy(&word, pattern, sizeof word);
        KILN_HIP_TRY(buffer->device, hipMemsetD32Async, (at, word, size / sizeof word, handle));
    }
    return KILN_OK;
}
