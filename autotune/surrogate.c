// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Gaussian process (surrogate.h). Its kernel is the product over the axes of exp(-distance /
// length), from tables.
#include "surrogate.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Variance that the model does not explain, relative to that of the values: costs have no noise on
// the simulator, but jump where a compiler's decision changes.
#define UNEXPLAINED 1e-2

struct kiln_surrogate {
    size_t count, axis_count, table_size;
    uint32_t *points;
    double mean, scale; // of the values
    size_t *first;      // of an axis's table
    double *table;      // exp(-distance / length) of each axis
    double *values;     // standardized
    double *lower;      // Cholesky factor of the covariances, count × count
    double *weights;    // inverse covariances times values
    double *scratch;
};

static void set_length(kiln_surrogate_t *s, const size_t *sizes, size_t axis, double length)
{
    for (size_t d = 0; d < sizes[axis]; d++)
        s->table[s->first[axis] + d] = exp(-(double)d / length);
}

double kiln_surrogate_similarity(const kiln_surrogate_t *s, const uint32_t *a, const uint32_t *b)
{
    double product = 1;
    for (size_t axis = 0; axis < s->axis_count; axis++) {
        const uint32_t distance = a[axis] > b[axis] ? a[axis] - b[axis] : b[axis] - a[axis];
        product *= s->table[s->first[axis] + distance];
    }
    return product;
}

// Factors the covariances, solves for the weights, and returns the logarithm of the values'
// likelihood up to a constant. UNEXPLAINED makes the covariances positive definite.
static double factor(kiln_surrogate_t *s)
{
    const size_t n = s->count;
    double likelihood = 0;
    for (size_t i = 0; i < n; i++) {
        double *row = &s->lower[i * n];
        for (size_t j = 0; j <= i; j++) {
            const double *other = &s->lower[j * n];
            double sum = kiln_surrogate_similarity(s, &s->points[i * s->axis_count],
                                                   &s->points[j * s->axis_count]) +
                         (i == j ? UNEXPLAINED : 0);
            for (size_t k = 0; k < j; k++)
                sum -= row[k] * other[k];
            row[j] = i == j ? sqrt(fmax(sum, 1e-12)) : sum / other[j];
        }
        double y = s->values[i];
        for (size_t k = 0; k < i; k++)
            y -= row[k] * s->scratch[k];
        s->scratch[i] = y / row[i];
        likelihood -= s->scratch[i] * s->scratch[i] / 2 + log(row[i]);
    }
    for (size_t i = n; i-- > 0;) {
        double w = s->scratch[i];
        for (size_t k = i + 1; k < n; k++)
            w -= s->lower[k * n + i] * s->weights[k];
        s->weights[i] = w / s->lower[i * n + i];
    }
    return likelihood;
}

// Chooses for one axis after the other the length that maximizes the likelihood of the values.
static void choose_lengths(kiln_surrogate_t *s, const size_t *sizes)
{
    static const double lengths[] = {0.5, 1, 2, 4, 8, 32};
    enum { LENGTHS = sizeof lengths / sizeof *lengths, SWEEPS = 2 };
    for (size_t axis = 0; axis < s->axis_count; axis++)
        set_length(s, sizes, axis, 4);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (size_t axis = 0; axis < s->axis_count; axis++) {
            double best = -INFINITY, length = 4;
            for (size_t i = 0; i < LENGTHS && sizes[axis] > 1; i++) {
                set_length(s, sizes, axis, lengths[i]);
                const double likelihood = factor(s);
                if (likelihood > best) {
                    best = likelihood;
                    length = lengths[i];
                }
            }
            set_length(s, sizes, axis, length);
        }
    factor(s);
}

static void standardize(kiln_surrogate_t *s, const double *values)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < s->count; i++)
        sum += values[i];
    s->mean = sum / (double)s->count;
    for (size_t i = 0; i < s->count; i++)
        squares += (values[i] - s->mean) * (values[i] - s->mean);
    s->scale = sqrt(squares / (double)s->count);
    s->scale = s->scale > 0 ? s->scale : 1;
    for (size_t i = 0; i < s->count; i++)
        s->values[i] = (values[i] - s->mean) / s->scale;
}

kiln_status_t kiln_surrogate_fit(const uint32_t *points, const double *values, size_t count,
                                 const size_t *sizes, size_t axis_count,
                                 kiln_surrogate_t **out_surrogate)
{
    kiln_surrogate_t *s = *out_surrogate = calloc(1, sizeof *s);
    if (!s)
        return kiln_status_out_of_memory();
    s->count = count;
    s->axis_count = axis_count;
    const size_t axes = axis_count ? axis_count : 1; // calloc of nothing may return NULL
    s->points = calloc(count * axes, sizeof *s->points);
    s->first = calloc(axes, sizeof *s->first);
    for (size_t i = 0; i < axis_count && s->first; i++) {
        s->first[i] = s->table_size;
        s->table_size += sizes[i];
    }
    s->table = calloc(s->table_size + 1, sizeof *s->table);
    s->values = calloc(count, sizeof *s->values);
    s->lower = calloc(count * count, sizeof *s->lower);
    s->weights = calloc(count, sizeof *s->weights);
    s->scratch = calloc(count, sizeof *s->scratch);
    if (!s->points || !s->first || !s->table || !s->values || !s->lower || !s->weights ||
        !s->scratch) {
        kiln_surrogate_release(s);
        *out_surrogate = NULL;
        return kiln_status_out_of_memory();
    }
    memcpy(s->points, points, count * axis_count * sizeof *s->points);
    standardize(s, values);
    choose_lengths(s, sizes);
    return KILN_OK;
}

void kiln_surrogate_release(kiln_surrogate_t *s)
{
    if (!s)
        return;
    free(s->points);
    free(s->first);
    free(s->table);
    free(s->values);
    free(s->lower);
    free(s->weights);
    free(s->scratch);
    free(s);
}

void kiln_surrogate_predict(kiln_surrogate_t *s, const uint32_t *point, double *out_mean,
                            double *out_deviation)
{
    const size_t n = s->count;
    double mean = 0, variance = 1;
    for (size_t i = 0; i < n; i++) {
        const double *row = &s->lower[i * n];
        const double similarity =
            kiln_surrogate_similarity(s, point, &s->points[i * s->axis_count]);
        mean += similarity * s->weights[i];
        double v = similarity;
        for (size_t k = 0; k < i; k++)
            v -= row[k] * s->scratch[k];
        s->scratch[i] = v / row[i];
        variance -= s->scratch[i] * s->scratch[i];
    }
    *out_mean = s->mean + s->scale * mean;
    *out_deviation = s->scale * sqrt(fmax(variance, 0));
}
