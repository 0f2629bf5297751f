// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the value of a load in a loop reaches a dot: it decides where the value may wait.
#ifndef KILN_LOOP_DOT_USE_H
#define KILN_LOOP_DOT_USE_H

#include <stdbool.h>

#include <mlir-c/IR.h>

typedef struct kiln_dot_use {
    // direct: only conversions and transpositions, and casts in the dot's operand layout.
    bool dot, direct;
    MlirValue operand; // the dot's operand, or the source of the cast to it
    int operand_index;
    bool transposed; // through a transposition
    int uses; // uses visited so far: values have several uses, so the number of paths to a dot may
              // be exponential
} kiln_dot_use_t;

// The paths to follow.
typedef enum kiln_dot_paths {
    KILN_DOT_ALL_PATHS,
    KILN_DOT_DIRECT_PATHS,
    KILN_DOT_TRANSPOSED_PATHS
} kiln_dot_paths_t;

// Finds the first dot of the loop that the value reaches on such paths; a direct one is preferred.
kiln_dot_use_t kiln_find_dot_use(MlirOperation loop, MlirValue value, kiln_dot_paths_t paths);

#endif
