// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choices that a random program is made of. A generator draws numbers; the numbers drawn are kept, and the same
// generator fed with a changed list makes another valid program: that is how failing programs are shrunk.
//
// What is easily got wrong: 0 must be the simplest choice everywhere, because a list that was cut short goes on with zeros.
#ifndef KILN_RANDOM_CHOICES_H
#define KILN_RANDOM_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct choices {
    uint32_t *values;
    size_t count, capacity, at;
    bool replays;   // take what is there, then zeros; else draw by `state` and keep
    uint64_t state; // splitmix64
} choices_t;

uint64_t random_next(uint64_t *state);
uint32_t choices_draw(choices_t *choices, uint32_t bound); // 0 … bound − 1
void choices_copy(choices_t *to, const choices_t *from);
void choices_free(choices_t *choices);

// Whether the program that these choices make fails as the one to be shrunk does.
typedef bool (*choices_test_t)(const choices_t *choices, void *user);

// Makes the list smaller and its numbers lower while `test` holds, with at most `budget` tests.
void choices_shrink(choices_t *choices, choices_test_t test, void *user, int budget);

#endif
