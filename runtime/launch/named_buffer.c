// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents of a named buffer: reading, writing, and giving it those that its argument asks for.
#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "hip/device.h"
#include "launch/arguments.h"

kiln_status_t kiln_named_buffer_read(const kiln_named_buffer_t *buffer, void *out_data)
{
    KILN_REQUIRE(buffer);
    KILN_REQUIRE(out_data);
    if (buffer->memory)
        return kiln_buffer_read(buffer->memory, 0, out_data, buffer->size);
    memcpy(out_data, buffer->host, buffer->size);
    return KILN_OK;
}

kiln_status_t kiln_named_buffer_write(const kiln_named_buffer_t *buffer, const void *data)
{
    KILN_REQUIRE(buffer);
    KILN_REQUIRE(data);
    if (buffer->memory)
        return kiln_buffer_write(buffer->memory, 0, data, buffer->size);
    memcpy(buffer->host, data, buffer->size);
    return KILN_OK;
}

bool kiln_named_buffer_is_initial(const kiln_named_buffer_t *buffer)
{
    return buffer && buffer->contents && buffer->memory && kiln_buffer_is_unfilled(buffer->memory);
}

static void fill(void *contents, void *to, size_t size)
{
    (void)size; // that of the contents
    kiln_contents_fill(contents, to);
}

static kiln_status_t require_contents(const kiln_named_buffer_t *buffer)
{
    return buffer->contents
               ? KILN_OK
               : kiln_status_make(KILN_STATUS_UNSUPPORTED, "buffer '%s' has the contents of a file",
                                  buffer->name);
}

kiln_status_t kiln_named_buffer_restore(const kiln_named_buffer_t *buffer)
{
    KILN_REQUIRE(buffer);
    KILN_TRY(require_contents(buffer));
    if (!buffer->memory) {
        kiln_contents_fill(buffer->contents, buffer->host);
        return KILN_OK;
    }
    kiln_contents_t *copy = malloc(sizeof *copy);
    if (!copy)
        return kiln_status_out_of_memory();
    memcpy(copy, buffer->contents, sizeof *copy);
    const kiln_sim_contents_t contents = {
        .struct_size = sizeof contents, .fill = fill, .release = free, .user = copy};
    return kiln_buffer_set_contents(buffer->memory, &contents);
}

kiln_status_t kiln_named_buffer_make(const kiln_named_buffer_t *buffer, void *out_data)
{
    KILN_REQUIRE(buffer);
    KILN_REQUIRE(out_data);
    KILN_TRY(require_contents(buffer));
    kiln_contents_fill(buffer->contents, out_data);
    return KILN_OK;
}
