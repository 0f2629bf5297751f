// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a buffer holds before a launch.
//
// What is easily got wrong: ":random" gives the same bytes on every machine and in every version: results that are kept
// depend on it.
#include "launch/arguments.h"

#include <stdlib.h>
#include <string.h>

#include "base/string.h"

// splitmix64: a bijection of a counter, good enough for test data and the same everywhere.
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

// Floats get a uniform value in [−1, 1), integers one in [−8, 7], or [0, 15] where unsigned and a bit for i1.
static void put_random(kiln_element_type_t type, uint64_t *state, void *element)
{
    uint64_t bits = next_random(state);
    if (kiln_element_is_float(type))
        kiln_element_from_double(type, (double)(bits >> 11) * 0x1p-52 - 1.0, element);
    else if (type == KILN_ELEMENT_I1)
        kiln_element_from_int64(type, (int64_t)(bits & 1), element);
    else
        kiln_element_from_int64(type, (int64_t)(bits & 15) - (kiln_element_kind(type) == KILN_ELEMENT_INTEGER ? 8 : 0),
                                element);
}

static kiln_status_t parse_number(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    if (!*text || *end)
        return kiln_status_make(KILN_STATUS_USAGE, "'%s' is no number", text);
    return KILN_OK;
}

// Fills host bytes as ":zeros", ":iota", ":random[:seed]" or ":fill:VALUE" says.
static kiln_status_t fill(const kiln_named_buffer_t *buffer, const char *how, char *data)
{
    size_t size = kiln_element_size(buffer->type);
    double value = 0;
    if (strcmp(how, "") == 0 || strcmp(how, ":zeros") == 0) {
        memset(data, 0, buffer->element_count * size);
    } else if (strcmp(how, ":iota") == 0) {
        for (size_t i = 0; i < buffer->element_count; i++)
            kiln_element_from_int64(buffer->type, (int64_t)i, data + i * size);
    } else if (strcmp(how, ":random") == 0 || kiln_string_starts_with(how, ":random:")) {
        if (how[7])
            KILN_TRY(parse_number(how + 8, &value));
        uint64_t state = (uint64_t)(int64_t)value;
        for (size_t i = 0; i < buffer->element_count; i++)
            put_random(buffer->type, &state, data + i * size);
    } else if (kiln_string_starts_with(how, ":fill:")) {
        KILN_TRY(parse_number(how + 6, &value));
        for (size_t i = 0; i < buffer->element_count; i++)
            kiln_element_from_double(buffer->type, value, data + i * size);
    } else {
        return kiln_status_make(KILN_STATUS_USAGE,
                                "unknown contents '%s': :zeros, :iota, :random[:seed], :fill:VALUE or @file is wanted",
                                how);
    }
    return KILN_OK;
}

kiln_status_t kiln_contents_make(const kiln_named_buffer_t *buffer, const char *how, char **out_data)
{
    if (how[0] != '@') {
        *out_data = malloc(buffer->size + 1);
        return *out_data ? fill(buffer, how, *out_data) : kiln_status_out_of_memory();
    }
    return kiln_named_buffer_load(buffer, how + 1, out_data);
}
