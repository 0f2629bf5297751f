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

// Floats get a value of nearly the standard normal distribution: the sum of twelve uniform ones in
// [0, 1) minus 6, which needs no function that differs between machines.
static void put_normal(kiln_element_type_t type, uint64_t *state, void *element)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)(next_random(state) >> 11) * 0x1p-53;
    kiln_element_from_double(type, sum, element);
}

// Integers in [−8, 7], or [0, 15] if unsigned, as elements of any type.
static void put_integer(kiln_element_type_t type, uint64_t *state, void *element)
{
    if (!kiln_element_is_float(type)) {
        put_random(type, state, element);
        return;
    }
    kiln_element_from_double(type, (double)(next_random(state) & 15) - 8, element);
}

// The sine of a whole number of radians plus a quarter turn for the cosine, without a library's
// function, whose last bits differ between machines. 2π is the sum of two numbers of 24 bits, whose
// multiples are exact, and the rest.
static double sine(int64_t radians, double plus)
{
    static const double turn = 0x1.921fb40000000p+2, more = 0x1.4442d00000000p-22,
                        rest = 0x1.8469898cc5170p-46, half = 0x1.921fb54442d18p+1;
    const double turns = (double)(int64_t)((double)radians / (2 * half));
    double x = (double)radians - turns * turn - turns * more - turns * rest + plus;
    if (x > half) // fold to −π/2 … π/2
        x = x > 1.5 * half ? x - 2 * half : half - x;
    else if (x > half / 2)
        x = half - x;
    else if (x < -half / 2)
        x = x < -1.5 * half ? x + 2 * half : -half - x;
    double term = x, sum = x;
    for (int i = 2; i < 22; i += 2) {
        term *= -x * x / (i * (i + 1));
        sum += term;
    }
    return sum;
}

// sin(SEED + i) and cos(SEED + i) as hipBLASLt's trig_float has them: of both signs, and without
// long runs of equal bits, so that multiplications take the power that real data needs.
static void put_sine(kiln_element_type_t type, uint64_t *state, void *element)
{
    kiln_element_from_double(type, sine((int64_t)((*state)++), 0), element);
}

static void put_cosine(kiln_element_type_t type, uint64_t *state, void *element)
{
    kiln_element_from_double(type, sine((int64_t)((*state)++), 0x1.921fb54442d18p+0), element);
}

typedef struct distribution {
    const char *name;
    void (*put)(kiln_element_type_t type, uint64_t *state, void *element);
    bool needs_floats;
} distribution_t;

static const distribution_t distributions[] = {{":random", put_random, false},
                                               {":normal", put_normal, true},
                                               {":integers", put_integer, false},
                                               {":sin", put_sine, true},
                                               {":cos", put_cosine, true}};

// The distribution of ":NAME" or ":NAME:SEED"; NULL if there is none.
static const distribution_t *find_distribution(const char *how)
{
    for (size_t i = 0; i < sizeof distributions / sizeof *distributions; i++) {
        const size_t length = strlen(distributions[i].name);
        if (strncmp(how, distributions[i].name, length) == 0 &&
            (how[length] == '\0' || how[length] == ':'))
            return &distributions[i];
    }
    return NULL;
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

// Reads ":zeros", ":iota", ":random[:seed]" and the like, or ":fill:VALUE".
kiln_status_t kiln_contents_parse(const kiln_named_buffer_t *buffer, const char *how,
                                  kiln_contents_t *out_contents)
{
    const distribution_t *distribution = find_distribution(how);
    *out_contents = (kiln_contents_t){.type = buffer->type, .count = buffer->element_count};
    if (strcmp(how, "") == 0 || strcmp(how, ":zeros") == 0)
        return KILN_OK;
    if (strcmp(how, ":iota") == 0) {
        out_contents->kind = KILN_CONTENTS_IOTA;
        return KILN_OK;
    }
    if (kiln_string_starts_with(how, ":fill:")) {
        out_contents->kind = KILN_CONTENTS_FILL;
        return parse_element(buffer->type, how + 6, &out_contents->element);
    }
    if (!distribution)
        return kiln_status_make(
            KILN_STATUS_USAGE,
            "unknown contents '%s'; expected :zeros, :iota, :random[:seed], :normal[:seed], "
            ":integers[:seed], :sin[:seed], :cos[:seed], :fill:VALUE or @file",
            how);
    int64_t seed = 0;
    const char *text = how + strlen(distribution->name);
    if (*text && !kiln_integer_parse_all(text + 1, 10, &seed))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "expected a seed, an integer of 64 bits, got '%s'", text + 1);
    if (distribution->needs_floats && !kiln_element_is_float(buffer->type))
        return kiln_status_make(KILN_STATUS_USAGE, "'%s' requires floating-point elements, not %s",
                                how, kiln_element_type_name(buffer->type));
    out_contents->kind = KILN_CONTENTS_DRAWN;
    out_contents->put = distribution->put;
    out_contents->seed = (uint64_t)seed;
    return KILN_OK;
}

void kiln_contents_fill(const kiln_contents_t *contents, void *to)
{
    const size_t size = kiln_element_size(contents->type);
    char *data = to;
    uint64_t state = contents->seed;
    switch (contents->kind) {
    case KILN_CONTENTS_ZEROS:
        memset(data, 0, contents->count * size);
        break;
    case KILN_CONTENTS_IOTA:
        for (size_t i = 0; i < contents->count; i++)
            kiln_element_from_int64(contents->type, (int64_t)i, data + i * size);
        break;
    case KILN_CONTENTS_FILL:
        for (size_t i = 0; i < contents->count; i++)
            memcpy(data + i * size, &contents->element, size);
        break;
    case KILN_CONTENTS_DRAWN:
        for (size_t i = 0; i < contents->count; i++)
            contents->put(contents->type, &state, data + i * size);
        break;
    }
}
