// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ocml's functions that libm lacks, or whose zeros have another sign there, accurate to about one
// unit in double's last place.
#ifndef KILN_INTERP_SPECIAL_H
#define KILN_INTERP_SPECIAL_H

// sin, cos and tan of π·x, and their inverses divided by π.
double kiln_special_sinpi(double x);
double kiln_special_cospi(double x);
double kiln_special_tanpi(double x);
double kiln_special_acospi(double x);
double kiln_special_asinpi(double x);
double kiln_special_atanpi(double x);
double kiln_special_atan2pi(double y, double x);

double kiln_special_expm1(double x);
double kiln_special_log1p_f64(double x); // ocml's log1p of f32 is libm's
double kiln_special_j1(double x);

double kiln_special_erfcx(double x);   // exp(x²) · erfc(x)
double kiln_special_erfinv(double x);  // erf(result) = x
double kiln_special_erfcinv(double x); // erfc(result) = x
double kiln_special_ncdf(double x);    // the normal distribution's integral
double kiln_special_ncdfinv(double x);

double kiln_special_i0(double x); // modified Bessel functions of the first kind
double kiln_special_i1(double x);

double kiln_special_cbrt(double x);
double kiln_special_rcbrt(double x);
double kiln_special_rootn(double x, double n); // n is an integer

#endif
