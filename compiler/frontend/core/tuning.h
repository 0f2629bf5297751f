// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The axes and conditions that a kernel declares with [[tune(…)]] and [[where(…)]], with values as
// written, not yet expanded, the arguments that it declares with [[arguments(…)]], and the names of
// its arguments and constants.
#ifndef KILN_FRONTEND_TUNING_H
#define KILN_FRONTEND_TUNING_H

#include <stddef.h>

// Copied out of the front end's arena; owns its strings.
typedef struct kiln_declared_axis {
    char *name, *values; // "32..256*2,384"
} kiln_declared_axis_t;

typedef struct kiln_declared_place {
    char *file;
    unsigned line, column;
} kiln_declared_place_t;

typedef struct kiln_declared_tuning {
    kiln_declared_axis_t *axes;
    size_t axis_count;
    char **conditions;
    kiln_declared_place_t *places; // of the conditions
    size_t condition_count;
    char *kernel;
    char *grid;       // NULL: none
    char **arguments; // NULL past the last
    char **words;     // of [[arguments(…)]]: "lda=K"; NULL past the last
    char **constants; // its constexpr parameters, then the global constants; NULL past the last
} kiln_declared_tuning_t;

void kiln_declared_tuning_free(kiln_declared_tuning_t *tuning);

#endif
