// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random expressions: generated (generate_expressions.c), run in packs, and isolated if they fail.
#ifndef KILN_RANDOM_EXPRESSIONS_H
#define KILN_RANDOM_EXPRESSIONS_H

#include "execute.h"

typedef struct expression_flags {
    uint64_t seed; // expression i has seed + i
    long count;
    int shrink; // tests per failure; 0: none
    const char *keep;
    bool first_failure, print;
} expression_flags_t;

// The number of failures; each is reported on stdout.
long expressions_run(const expression_flags_t *flags);

#endif
