// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choices that determine a random program. A generator draws numbers, which are recorded. The
// same generator fed with a modified list creates another valid program, which is how failing
// programs are shrunk.
//
// 0 must be the simplest choice everywhere, because a truncated list continues with zeros.
#ifndef KILN_RANDOM_CHOICES_H
#define KILN_RANDOM_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct choices {
    uint32_t *values;
    size_t count, capacity, at;
    bool replays;   // replay the list, then zeros; otherwise draw by `state` and record
    uint64_t state; // splitmix64
} choices_t;

uint64_t random_next(uint64_t *state);
uint32_t choices_draw(choices_t *choices, uint32_t bound); // 0 … bound − 1
void choices_copy(choices_t *to, const choices_t *from);
void choices_free(choices_t *choices);

// Whether the program of these choices fails like the one that is being shrunk.
typedef bool (*choices_test_t)(const choices_t *choices, void *user);

// Removes and lowers numbers of the list while `test` holds, with at most `budget` tests.
void choices_shrink(choices_t *choices, choices_test_t test, void *user, int budget);

#endif
