// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of the cost over the space, learned from samples: a Gaussian process with an exponential
// kernel along each axis (Rasmussen and Williams, Gaussian Processes for Machine Learning, chapter
// 2 and equation 5.8 for the choice of lengths).
//
// A point is a combination: the number of each axis's value. Values of an axis are assumed to be in
// order, so neighbours are similar. How far similarity extends along an axis, the axis's length, is
// chosen to maximize the likelihood of the samples.
#ifndef KILN_AUTOTUNE_SURROGATE_H
#define KILN_AUTOTUNE_SURROGATE_H

#include <stddef.h>
#include <stdint.h>

#include "kiln/status.h"

enum { KILN_SURROGATE_POINTS = 256 }; // maximum that one is fitted to, as time grows by the cube

typedef struct kiln_surrogate kiln_surrogate_t;

// Fits `count` values, 1 to KILN_SURROGATE_POINTS, at `points` (count × axis_count numbers below
// sizes[axis]). Everything is copied. Fails only if memory is exhausted.
kiln_status_t kiln_surrogate_fit(const uint32_t *points, const double *values, size_t count,
                                 const size_t *sizes, size_t axis_count,
                                 kiln_surrogate_t **out_surrogate);
void kiln_surrogate_release(kiln_surrogate_t *surrogate);

// Mean and standard deviation of the value at a point. Not thread-safe for one surrogate.
void kiln_surrogate_predict(kiln_surrogate_t *surrogate, const uint32_t *point, double *out_mean,
                            double *out_deviation);

// The similarity of two points to the surrogate: 1 for equal points, 0 for unrelated ones.
double kiln_surrogate_similarity(const kiln_surrogate_t *surrogate, const uint32_t *a,
                                 const uint32_t *b);

#endif
