// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads buffers from files and writes them: raw bytes, or NumPy's format. A file to read is NumPy's
// if it begins with the magic, a file to write if its name ends in .npy.
#include <stdlib.h>
#include <string.h>

#include "base/description.h"
#include "base/file.h"
#include "base/require.h"
#include "base/string.h"
#include "kiln/compare.h"
#include "launch/arguments.h"
#include "launch/npy.h"

// Reading -----------------------------------------------------------------------------------------

static kiln_status_t check(const kiln_named_buffer_t *buffer, const char *path,
                           const kiln_npy_t *npy)
{
    bool fits = npy->has_type ? kiln_element_types_agree(npy->type, buffer->type)
                              : npy->element_size == kiln_element_size(buffer->type);
    if (!fits)
        return kiln_status_make(
            KILN_STATUS_INVALID_INPUT, "'%s' contains %s, but the buffer '%s' has %s", path,
            npy->has_type ? kiln_element_type_name(npy->type) : "elements of a different size",
            buffer->name, kiln_element_type_name(buffer->type));
    if (npy->element_count != buffer->element_count)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "'%s' has %zu elements, but the buffer '%s' has %zu", path,
                                npy->element_count, buffer->name, buffer->element_count);
    return KILN_OK;
}

kiln_status_t kiln_named_buffer_load(const kiln_named_buffer_t *buffer, const char *path,
                                     char **out_data)
{
    KILN_REQUIRE_OUT(out_data);
    KILN_REQUIRE(buffer);
    KILN_REQUIRE(path);
    char *data;
    size_t size;
    KILN_TRY(kiln_file_read(path, &data, &size));
    kiln_status_t status = KILN_OK;
    if (kiln_npy_is(data, size)) {
        kiln_npy_t npy;
        status = kiln_npy_parse(path, data, size, &npy);
        if (!status)
            status = check(buffer, path, &npy);
        if (!status)
            memmove(data, data + npy.offset, buffer->size);
    } else if (size != buffer->size) {
        status = kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                  "'%s' has %zu bytes, but the buffer '%s' has %zu", path, size,
                                  buffer->name, buffer->size);
    }
    if (status)
        free(data);
    else
        *out_data = data;
    return status;
}

kiln_status_t kiln_npy_shape(const char *path, kiln_named_buffer_t *buffer)
{
    char *data;
    size_t size;
    kiln_npy_t npy;
    KILN_TRY(kiln_file_read(path, &data, &size));
    kiln_status_t status =
        kiln_npy_is(data, size)
            ? kiln_npy_parse(path, data, size, &npy)
            : kiln_status_make(
                  KILN_STATUS_INVALID_INPUT,
                  "'%s' is not a .npy file; give its type and extents: %s=TYPE[EXTENTS]@%s", path,
                  buffer->name, path);
    free(data);
    KILN_TRY(status);
    if (!npy.has_type)
        return kiln_status_make(
            KILN_STATUS_INVALID_INPUT,
            "unsupported NumPy type of the elements of '%s', of %zu bytes each; give their type "
            "and extents, as in %s=%s[%zu]@%s",
            path, npy.element_size, buffer->name, npy.element_size == 2 ? "bf16" : "f8e4m3fnuz",
            npy.element_count, path);
    buffer->type = npy.type;
    buffer->element_count = npy.element_count;
    buffer->dimension_count = npy.dimension_count;
    memcpy(buffer->extents, npy.extents, sizeof npy.extents);
    return KILN_OK;
}

// Words "BUFFER=FILE" -----------------------------------------------------------------------------

static kiln_status_t split(const kiln_arguments_t *arguments, const char *text,
                           const kiln_named_buffer_t **out_buffer, const char **out_path)
{
    const char *equals = strchr(text, '=');
    if (!equals || !equals[1])
        return kiln_status_make(KILN_STATUS_USAGE, "expected BUFFER=FILE, got '%s'", text);
    size_t index;
    KILN_TRY(kiln_arguments_find_buffer(arguments, text, (size_t)(equals - text), &index));
    *out_buffer = &arguments->buffers[index];
    *out_path = equals + 1;
    return KILN_OK;
}

static kiln_status_t read_bytes(const kiln_named_buffer_t *buffer, char **out_data)
{
    *out_data = malloc(buffer->size + 1);
    return *out_data ? kiln_named_buffer_read(buffer, *out_data) : kiln_status_out_of_memory();
}

static kiln_status_t write_npy(const kiln_named_buffer_t *buffer, const char *path,
                               const char *data)
{
    size_t header_size;
    char *header = kiln_npy_header(buffer, &header_size);
    char *whole = header ? realloc(header, header_size + buffer->size) : NULL;
    if (!whole) {
        free(header);
        return kiln_status_out_of_memory();
    }
    memcpy(whole + header_size, data, buffer->size);
    kiln_status_t status =
        kiln_file_write(path, whole, header_size + buffer->size, 0666, KILN_FILE_NO_SYNC);
    free(whole);
    return status;
}

kiln_status_t kiln_arguments_save(const kiln_arguments_t *arguments, const char *text)
{
    KILN_REQUIRE(arguments);
    KILN_REQUIRE(text);
    const kiln_named_buffer_t *buffer = NULL;
    const char *path = NULL;
    KILN_TRY(split(arguments, text, &buffer, &path));
    char *data;
    kiln_status_t status = read_bytes(buffer, &data);
    if (!status)
        status = kiln_string_ends_with(path, ".npy")
                     ? write_npy(buffer, path, data)
                     : kiln_file_write(path, data, buffer->size, 0666, KILN_FILE_NO_SYNC);
    free(data);
    return status;
}

kiln_status_t kiln_arguments_expect(const kiln_arguments_t *arguments, const char *text,
                                    double *out_error)
{
    KILN_REQUIRE_OUT(out_error);
    KILN_REQUIRE(arguments);
    KILN_REQUIRE(text);
    const kiln_named_buffer_t *buffer = NULL;
    const char *path = NULL;
    KILN_TRY(split(arguments, text, &buffer, &path));
    char *expected, *actual = NULL;
    KILN_TRY(kiln_named_buffer_load(buffer, path, &expected));
    kiln_status_t status = read_bytes(buffer, &actual);
    if (!status)
        status = kiln_status_annotate(
            kiln_compare(buffer->type, actual, expected, buffer->element_count, out_error),
            "in buffer '%s'", buffer->name);
    free(actual);
    free(expected);
    return status;
}
