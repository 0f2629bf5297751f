// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses and writes the headers of NumPy's .npy files (launch/npy.h).
#include "launch/npy.h"

#include <stdlib.h>
#include <string.h>

#include "base/string.h"

static const char MAGIC[] = "\x93NUMPY";
enum { MAGIC_SIZE = 6, ALIGNMENT = 64, FIRST_VERSION_PREFIX = 10, LATER_VERSION_PREFIX = 12 };

static const struct {
    const char *descr;
    kiln_element_type_t type;
} types[] = {{"|b1", KILN_ELEMENT_I1},  {"|i1", KILN_ELEMENT_I8},  {"|u1", KILN_ELEMENT_U8},
             {"<i2", KILN_ELEMENT_I16}, {"<u2", KILN_ELEMENT_U16}, {"<i4", KILN_ELEMENT_I32},
             {"<u4", KILN_ELEMENT_U32}, {"<i8", KILN_ELEMENT_I64}, {"<u8", KILN_ELEMENT_U64},
             {"<f2", KILN_ELEMENT_F16}, {"<f4", KILN_ELEMENT_F32}, {"<f8", KILN_ELEMENT_F64}};
enum { TYPE_COUNT = sizeof types / sizeof *types };

bool kiln_npy_is(const char *data, size_t size)
{
    return size >= MAGIC_SIZE && memcmp(data, MAGIC, MAGIC_SIZE) == 0;
}

// The value of 'key' in the header's dictionary; NULL if it is missing.
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    if (!at)
        return NULL;
    at += strlen(key);
    at += strspn(at, " ");
    return *at == ':' ? at + 1 + strspn(at + 1, " ") : NULL;
}

static kiln_status_t damaged(const char *path, const char *what)
{
    return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'%s' is an invalid .npy file: %s", path,
                            what);
}

static kiln_status_t read_type(const char *path, const char *descr, kiln_npy_t *out)
{
    if (!descr || (*descr != '\'' && *descr != '"'))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'%s' contains records, not numbers",
                                path);
    const char *text = descr + 1;
    size_t length = strcspn(text, "'\"");
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (length == 3 && strncmp(text + 1, types[i].descr + 1, 2) == 0 &&
            (text[0] == types[i].descr[0] || text[0] == '=' ||
             (text[0] != '>' && types[i].descr[0] == '|'))) {
            out->has_type = true;
            out->type = types[i].type;
            out->element_size = kiln_element_size(out->type);
            return KILN_OK;
        }
    if (length == 3 && text[0] != '>' && text[1] == 'V' && (text[2] == '1' || text[2] == '2')) {
        out->element_size = (size_t)(text[2] - '0');
        return KILN_OK;
    }
    return kiln_status_make(
        KILN_STATUS_INVALID_INPUT, "unsupported elements in '%s' of NumPy type '%.*s'%s", path,
        (int)length, text, text[0] == '>' ? "; save them as little-endian" : "");
}

static kiln_status_t read_shape(const char *path, const char *shape, kiln_npy_t *out)
{
    if (!shape || *shape != '(')
        return damaged(path, "its header has no shape");
    out->element_count = 1;
    for (const char *at = shape + 1; at += strspn(at, " ,"), *at != ')';) {
        char *end;
        unsigned long long extent = strtoull(at, &end, 10);
        if (end == at ||
            __builtin_mul_overflow(out->element_count, (size_t)extent, &out->element_count))
            return damaged(path, "its shape is invalid");
        if (out->dimension_count == KILN_ARGUMENTS_MAX_DIMENSIONS)
            return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'%s' has more than %d dimensions",
                                    path, KILN_ARGUMENTS_MAX_DIMENSIONS);
        out->extents[out->dimension_count++] = (size_t)extent;
        at = end;
    }
    if (!out->dimension_count)
        out->extents[out->dimension_count++] = 1;
    return KILN_OK;
}

static kiln_status_t read_header(const char *path, const char *header, kiln_npy_t *out)
{
    const char *order = value_of(header, "'fortran_order'");
    KILN_TRY(read_type(path, value_of(header, "'descr'"), out));
    KILN_TRY(read_shape(path, value_of(header, "'shape'"), out));
    if (!order)
        return damaged(path, "its header has no fortran_order");
    if (kiln_string_starts_with(order, "True") && out->dimension_count > 1)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "'%s' is in Fortran order; save it with numpy.ascontiguousarray",
                                path);
    return KILN_OK;
}

kiln_status_t kiln_npy_parse(const char *path, const char *data, size_t size, kiln_npy_t *out_npy)
{
    *out_npy = (kiln_npy_t){0};
    if (!kiln_npy_is(data, size) || size < LATER_VERSION_PREFIX)
        return damaged(path, "its header is truncated");
    const unsigned char *bytes = (const unsigned char *)data;
    size_t prefix = bytes[6] == 1 ? FIRST_VERSION_PREFIX : LATER_VERSION_PREFIX,
           length = bytes[8] + bytes[9] * 256u;
    if (bytes[6] > 1)
        length += bytes[10] * 65536u + ((size_t)bytes[11] << 24);
    if (bytes[6] < 1 || bytes[6] > 3)
        return damaged(path, "unsupported version; expected 1 to 3");
    if (length > size - prefix)
        return damaged(path, "its header is truncated");
    char *header = strndup(data + prefix, length);
    kiln_status_t status =
        header ? read_header(path, header, out_npy) : kiln_status_out_of_memory();
    free(header);
    out_npy->offset = prefix + length;
    size_t wanted;
    if (!status && __builtin_mul_overflow(out_npy->element_count, out_npy->element_size, &wanted))
        return damaged(path, "its shape is invalid");
    if (!status && wanted != size - out_npy->offset)
        status = kiln_status_make(
            KILN_STATUS_INVALID_INPUT,
            "'%s' is an invalid .npy file: its shape has %zu bytes, but the file has %zu", path,
            wanted, size - out_npy->offset);
    return status;
}

char *kiln_npy_header(const kiln_named_buffer_t *buffer, size_t *out_size)
{
    kiln_string_t header = {0};
    const char *descr = kiln_element_size(buffer->type) == 1 ? "|V1" : "<V2";
    for (size_t i = 0; i < TYPE_COUNT; i++)
        descr = types[i].type == buffer->type ? types[i].descr : descr;
    kiln_string_append_bytes(&header, MAGIC, MAGIC_SIZE);
    kiln_string_append_bytes(&header, "\1\0\0\0", FIRST_VERSION_PREFIX - MAGIC_SIZE);
    kiln_string_appendf(&header, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (size_t i = 0; i < buffer->dimension_count; i++)
        kiln_string_appendf(&header, "%zu,", buffer->extents[i]);
    kiln_string_append(&header, "), }");
    while (header.length % ALIGNMENT != ALIGNMENT - 1)
        kiln_string_append_char(&header, ' ');
    kiln_string_append_char(&header, '\n');
    *out_size = header.length;
    char *text = kiln_string_take(&header);
    if (text) {
        size_t length = *out_size - FIRST_VERSION_PREFIX;
        text[8] = (char)(length & 255);
        text[9] = (char)(length >> 8);
    }
    return text;
}
