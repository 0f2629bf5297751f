// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When two buffers count as equal: integers exactly, floats within a tolerance of their type, over
// the buffer and for each element.
//
//     ‖x − r‖ ≤ tol·‖r‖ + floor·√n      and      |x − r| ≤ 16·tol·max(|r|, rms(r)) + floor   for every element
//
// with tol 1e-3 for f32 and f64, 3e-3 for f16, 2e-2 for bf16 and 8-bit floats, and floor 2⁻²⁴ for
// f16 (its smallest subnormal), else 0. NaNs and infinities must be at equal positions, infinities
// with equal signs; norms, rms and n run over the finite elements. (docs/runtime.md)
#ifndef KILN_COMPARE_H
#define KILN_COMPARE_H

#include <stddef.h>

#include "kiln/element.h"
#include "kiln/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Compares `count` elements; *out_error gets the relative norm error ‖x − r‖ / ‖r‖ (0 for integers,
// infinite where r is all zeros and x is not). KILN_STATUS_MISMATCH states the violated rule and
// the first offending element.
KILN_API kiln_status_t kiln_compare(kiln_element_type_t type, const void *actual,
                                    const void *expected, size_t count, double *out_error);

#ifdef __cplusplus
}
#endif
#endif
