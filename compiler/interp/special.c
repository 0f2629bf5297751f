// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Special functions in long double, rounded to double once.
//
// Note how cancellation is avoided: arguments are reduced before the multiplication by π, and the
// inverse of erf near 1 is computed as that of erfc near 0.
#include "interp/special.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

static const long double PI = 3.14159265358979323846264338327950288L;
static const long double ROOT_OF_PI = 1.77245385090551602729816748334114518L;

// sin(π·r) and cos(π·r) for r from -1 to 1
static long double sine(double r)
{
    double near = fabs(r) > 0.5 ? copysign(1 - fabs(r), r) : r;
    return sinl(PI * (long double)near);
}
static long double cosine(double r)
{
    r = fabs(r);
    return r < 0.25   ? cosl(PI * (long double)r)
           : r > 0.75 ? -cosl(PI * (1 - (long double)r))
                      : sinl(PI * (0.5L - (long double)r));
}

// ocml computes with the nearest half n/2 of |x|, n modulo 4, and the rest, which is +0 at a zero:
// it changes sign with x, and for certain n.
double kiln_special_sinpi(double x)
{
    if (isinf(x))
        return (double)NAN;
    double r = fmod(fabs(x), 2);
    return r == 0 || r == 1 ? copysign(0, signbit(x) != (r == 1) ? -1 : 1)
                            : (double)sine(remainder(x, 2));
}
double kiln_special_cospi(double x)
{
    if (isinf(x))
        return (double)NAN;
    double r = fmod(fabs(x), 2);
    return r == 0.5 ? -0.0 : r == 1.5 ? 0.0 : (double)cosine(remainder(x, 2));
}
double kiln_special_tanpi(double x)
{
    if (isinf(x))
        return (double)NAN;
    double r = fmod(fabs(x), 2);
    if (r == 0 || r == 1)
        return kiln_special_sinpi(x);
    if (r == 0.5 || r == 1.5)
        return copysign((double)INFINITY, signbit(x) != (r == 1.5) ? -1 : 1);
    r = remainder(x, 2);
    return (double)(sine(r) / cosine(r));
}
double kiln_special_acospi(double x)
{
    return (double)(acosl((long double)x) / PI);
}
double kiln_special_asinpi(double x)
{
    return (double)(asinl((long double)x) / PI);
}
double kiln_special_atanpi(double x)
{
    return (double)(atanl((long double)x) / PI);
}
double kiln_special_atan2pi(double y, double x)
{
    return (double)(atan2l((long double)y, (long double)x) / PI);
}

// These add 0 to -0, or compare it with 0.
double kiln_special_expm1(double x)
{
    return x == 0 ? 0 : expm1(x);
}
double kiln_special_log1p_f64(double x)
{
    return x == 0 ? 0 : log1p(x);
}
double kiln_special_j1(double x)
{
    return x == 0 ? 0 : j1(x);
}

double kiln_special_erfcx(double x)
{
    long double z = (long double)x;
    if (z < 100)
        return (double)(expl(z * z) * erfcl(z));
    long double sum = 1, term = 1; // for large x: 1 / (x·√π) · (1 - 1/(2x²) + 1·3/(2x²)² - …)
    for (int k = 1; k < 8; k++)
        sum += term *= -(2 * k - 1) / (2 * z * z);
    return (double)(sum / (z * ROOT_OF_PI));
}

// x with erfc(x) = y, for y from 0 to 1, by Newton's method on the logarithm of erfc, which is
// nearly a parabola.
static long double inverse_of_erfc(long double y)
{
    if (y <= 0 || y >= 1)
        return y == 0 ? (long double)INFINITY : y == 1 ? 0 : (long double)NAN;
    long double x = y > 0.5L ? (1 - y) * ROOT_OF_PI / 2 : sqrtl(-logl(y * ROOT_OF_PI / 2));
    for (int i = 0; i < 100; i++) {
        long double value = erfcl(x), slope = -2 / ROOT_OF_PI * expl(-x * x);
        long double step = y > 0.5L ? (value - y) / slope : logl(value / y) * value / slope;
        x -= step;
        if (fabsl(step) <= 2 * LDBL_EPSILON * fabsl(x))
            break;
    }
    return x;
}
// x with erf(x) = y, for y from 0 to 1/2.
static long double inverse_of_erf(long double y)
{
    long double x = y * ROOT_OF_PI / 2;
    for (int i = 0; i < 100 && x > 0; i++) {
        long double step = (erfl(x) - y) / (2 / ROOT_OF_PI * expl(-x * x));
        x -= step;
        if (fabsl(step) <= 2 * LDBL_EPSILON * fabsl(x))
            break;
    }
    return x;
}

double kiln_special_erfinv(double x)
{
    long double size = fabsl((long double)x);
    if (isnan(x) || size > 1)
        return (double)NAN;
    return (double)copysignl(size < 0.5L ? inverse_of_erf(size) : inverse_of_erfc(1 - size),
                             (long double)x);
}
double kiln_special_erfcinv(double x)
{
    long double z = (long double)x;
    if (isnan(x) || z < 0 || z > 2)
        return (double)NAN;
    return (double)(z < 0.5L   ? inverse_of_erfc(z)
                    : z <= 1   ? inverse_of_erf(1 - z)
                    : z < 1.5L ? -inverse_of_erf(z - 1)
                               : -inverse_of_erfc(2 - z));
}
double kiln_special_ncdf(double x)
{
    return (double)(erfcl(-(long double)x * sqrtl(0.5L)) / 2);
}
double kiln_special_ncdfinv(double x)
{
    long double z = 2 * (long double)x;
    if (isnan(x) || z < 0 || z > 2)
        return (double)NAN;
    long double y = z < 0.5L   ? inverse_of_erfc(z)
                    : z <= 1   ? inverse_of_erf(1 - z)
                    : z < 1.5L ? -inverse_of_erf(z - 1)
                               : -inverse_of_erfc(2 - z);
    return (double)(-sqrtl(2) * y);
}

// The series of (x/2)^(2k + order) / (k! · (k + order)!), whose terms have one sign.
static double bessel(double x, int order)
{
    if (isnan(x))
        return x;
    if (fabs(x) >= 1000) // overflows above 713
        return order ? copysign((double)INFINITY, x) : (double)INFINITY;
    long double half = (long double)x / 2, term = order ? half : 1, sum = term;
    for (int k = 1; fabsl(term) > fabsl(sum) * LDBL_EPSILON / 4; k++)
        sum += term *= half * half / ((long double)k * (k + order));
    return (double)sum;
}
double kiln_special_i0(double x)
{
    return bessel(x, 0);
}
double kiln_special_i1(double x)
{
    return bessel(x, 1);
}

double kiln_special_cbrt(double x)
{
    return (double)cbrtl((long double)x);
}
double kiln_special_rcbrt(double x)
{
    return (double)(1 / cbrtl((long double)x));
}
double kiln_special_rootn(double x, double n)
{
    bool is_odd = fmod(n, 2) != 0;
    if (n == 0 || (x < 0 && !is_odd))
        return (double)NAN;
    long double root = powl(fabsl((long double)x), 1 / (long double)n);
    return (double)(is_odd ? copysignl(root, (long double)x) : root);
}
