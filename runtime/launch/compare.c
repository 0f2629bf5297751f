// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The comparison rule of kiln/compare.h, in double precision.
#include "kiln/compare.h"
#include "base/require.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static kiln_status_t compare_integers(kiln_element_type_t type, const char *actual,
                                      const char *expected, size_t count)
{
    size_t size = kiln_element_size(type), wrong = 0, first = 0;
    for (size_t i = 0; i < count; i++)
        if (memcmp(actual + i * size, expected + i * size, size) != 0 && wrong++ == 0)
            first = i;
    if (!wrong)
        return KILN_OK;
    return kiln_status_make(KILN_STATUS_MISMATCH,
                            "%zu of %zu elements differ, first [%zu] = %" PRId64
                            ", expected %" PRId64,
                            wrong, count, first, kiln_element_to_int64(type, actual + first * size),
                            kiln_element_to_int64(type, expected + first * size));
}

static double tolerance(kiln_element_type_t type)
{
    switch (type) {
    case KILN_ELEMENT_F32:
    case KILN_ELEMENT_F64:
        return 1e-3;
    case KILN_ELEMENT_F16:
        return 3e-3;
    default:
        return 2e-2;
    }
}

// Both NaN, or the same infinity. Only called if one of them is not finite.
static bool same_special(double x, double r)
{
    return (isnan(x) && isnan(r)) ||
           (!isnan(x) && !isnan(r) && isinf(x) && isinf(r) && signbit(x) == signbit(r));
}

kiln_status_t kiln_compare(kiln_element_type_t type, const void *actual, const void *expected,
                           size_t count, double *out_error)
{
    KILN_REQUIRE_OUT(out_error);
    KILN_REQUIRE_THAT((unsigned)type < KILN_ELEMENT_TYPE_COUNT,
                      "type is %d, which is not a kiln_element_type_t", (int)type);
    KILN_REQUIRE_ARRAY(actual, count);
    KILN_REQUIRE_ARRAY(expected, count);
    const char *xs = actual, *rs = expected;
    if (!kiln_element_is_float(type))
        return compare_integers(type, xs, rs, count);

    size_t size = kiln_element_size(type), n = 0;
    if (memcmp(xs, rs, count * size) == 0) // most buffers of a tuner's candidate
        return KILN_OK;
    double difference_squares = 0, reference_squares = 0;
    for (size_t i = 0; i < count; i++) {
        double x = kiln_element_to_double(type, xs + i * size),
               r = kiln_element_to_double(type, rs + i * size);
        if (!isfinite(x) || !isfinite(r)) {
            if (!same_special(x, r))
                return kiln_status_make(KILN_STATUS_MISMATCH, "[%zu] = %g, expected %g", i, x, r);
            continue;
        }
        difference_squares += (x - r) * (x - r);
        reference_squares += r * r;
        n++;
    }
    double tol = tolerance(type), floor_ = type == KILN_ELEMENT_F16 ? 0x1p-24 : 0;
    double difference = sqrt(difference_squares), reference = sqrt(reference_squares);
    double rms = n ? reference / sqrt((double)n) : 0;
    *out_error = difference == 0 ? 0 : difference / reference;

    size_t wrong = 0, first = 0;
    for (size_t i = 0; i < count; i++) {
        double x = kiln_element_to_double(type, xs + i * size),
               r = kiln_element_to_double(type, rs + i * size);
        if (isfinite(r) && !(fabs(x - r) <= 16 * tol * fmax(fabs(r), rms) + floor_) && wrong++ == 0)
            first = i;
    }
    if (wrong)
        return kiln_status_make(KILN_STATUS_MISMATCH,
                                "%zu of %zu elements are out of tolerance, first [%zu] = %g, "
                                "expected %g (relative norm error %.3g)",
                                wrong, count, first,
                                kiln_element_to_double(type, xs + first * size),
                                kiln_element_to_double(type, rs + first * size), *out_error);
    if (!(difference <= tol * reference + floor_ * sqrt((double)n)))
        return kiln_status_make(KILN_STATUS_MISMATCH, "the relative norm error %.3g is above %g",
                                *out_error, tol);
    return KILN_OK;
}
