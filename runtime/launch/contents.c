// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initial contents of buffers. ":random" must give the same bytes on every machine and in every
// version, because stored results depend on it.
#include "launch/arguments.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/string.h"

// splitmix64: a bijection of a counter, good enough for test data and the same everywhere.
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

// Floats get a uniform value in [−1, 1), integers one in [−8, 7], or [0, 15] if unsigned and a bit
// for i1.
static void put_random(kiln_element_type_t type, uint64_t *state, void *element)
{
    uint64_t bits = next_random(state);
    if (kiln_element_is_float(type))
        kiln_element_from_double(type, (double)(bits >> 11) * 0x1p-52 - 1.0, element);
    else if (type == KILN_ELEMENT_I1)
        kiln_element_from_int64(type, (int64_t)(bits & 1), element);
    else
        kiln_element_from_int64(
            type, (int64_t)(bits & 15) - (kiln_element_kind(type) == KILN_ELEMENT_INTEGER ? 8 : 0),
            element);
}

// The value of ":fill:" as an element. An integer must be in the type's signed or unsigned range,
// since it would otherwise become a different number.
static kiln_status_t parse_element(kiln_element_type_t type, const char *text, void *element)
{
    const unsigned bits = type == KILN_ELEMENT_I1 ? 1 : 8 * (unsigned)kiln_element_size(type);
    uint64_t large;
    int64_t value;
    double real;
    if (!kiln_real_parse_all(text, &real))
        return kiln_status_make(KILN_STATUS_USAGE, "expected a number, got '%s'", text);
    if (kiln_element_is_float(type)) {
        kiln_element_from_double(type, real, element);
        return KILN_OK;
    }
    if (kiln_unsigned_parse_all(text, 10, &large))
        value = (int64_t)large;
    else if (kiln_integer_parse_all(text, 10, &value))
        large = 0;
    else if (real >= -0x1p63 && real < 0x1p63 && real == (double)(int64_t)real) // 1e3
        value = (int64_t)real, large = real < 0 ? 0 : (uint64_t)real;
    else
        return kiln_status_make(KILN_STATUS_USAGE, "'%s' is not an integer of 64 bits", text);
    const bool is_negative = real < 0;
    if (is_negative ? value < -1 - (int64_t)(UINT64_MAX >> 1 >> (64 - bits)) && bits < 64
                    : large > UINT64_MAX >> (64 - bits))
        return kiln_status_make(KILN_STATUS_USAGE, "'%s' does not fit in %s", text,
                                kiln_element_type_name(type));
    kiln_element_from_int64(type, value, element);
    return KILN_OK;
}

// Fills host bytes as ":zeros", ":iota", ":random[:seed]" or ":fill:VALUE" specifies.
static kiln_status_t fill(const kiln_named_buffer_t *buffer, const char *how, char *data)
{
    size_t size = kiln_element_size(buffer->type);
    if (strcmp(how, "") == 0 || strcmp(how, ":zeros") == 0) {
        memset(data, 0, buffer->element_count * size);
    } else if (strcmp(how, ":iota") == 0) {
        for (size_t i = 0; i < buffer->element_count; i++)
            kiln_element_from_int64(buffer->type, (int64_t)i, data + i * size);
    } else if (strcmp(how, ":random") == 0 || kiln_string_starts_with(how, ":random:")) {
        int64_t seed = 0;
        if (how[7] && !kiln_integer_parse_all(how + 8, 10, &seed))
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "expected a seed, an integer of 64 bits, got '%s'", how + 8);
        uint64_t state = (uint64_t)seed;
        for (size_t i = 0; i < buffer->element_count; i++)
            put_random(buffer->type, &state, data + i * size);
    } else if (kiln_string_starts_with(how, ":fill:")) {
        uint64_t element = 0;
        KILN_TRY(parse_element(buffer->type, how + 6, &element));
        for (size_t i = 0; i < buffer->element_count; i++)
            memcpy(data + i * size, &element, size);
    } else {
        return kiln_status_make(
            KILN_STATUS_USAGE,
            "unknown contents '%s'; expected :zeros, :iota, :random[:seed], :fill:VALUE or @file",
            how);
    }
    return KILN_OK;
}

kiln_status_t kiln_contents_make(const kiln_named_buffer_t *buffer, const char *how,
                                 char **out_data)
{
    if (how[0] != '@') {
        *out_data = malloc(buffer->size + 1);
        return *out_data ? fill(buffer, how, *out_data) : kiln_status_out_of_memory();
    }
    return kiln_named_buffer_load(buffer, how + 1, out_data);
}
