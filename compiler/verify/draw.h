// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws operands: special values, random bits, and numbers of ordinary size, whose sums round.
//
// Operands depend only on a seed and the item's name, so an item draws the same ones in every run
// with that seed, regardless of other items.
#ifndef KILN_VERIFY_DRAW_H
#define KILN_VERIFY_DRAW_H

#include <stddef.h>
#include <stdint.h>

typedef struct kiln_verify_random {
    uint64_t state;
} kiln_verify_random_t;

kiln_verify_random_t kiln_verify_random_of(uint64_t seed, const char *name);
uint64_t kiln_verify_random(kiln_verify_random_t *io_random);

// Dwords of an operand of a type as the simulator's tables write it: "f32", "U64", "v2f16", "x16";
// 0 for "none" and "NONE".
unsigned kiln_verify_type_dwords(const char *type);

// Draws an operand of that type into `out`, with garbage in the bits that it does not use.
void kiln_verify_draw(kiln_verify_random_t *io_random, const char *type, uint32_t *out);

// The same with numbers of ordinary size only, so that long sums stay finite.
void kiln_verify_draw_ordinary(kiln_verify_random_t *io_random, const char *type, uint32_t *out);

#endif
