// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutations of program text that often result in a valid program: whole lines and blocks are
// removed, copied and moved; numbers, types, words and values are replaced by others of their kind,
// in one place or everywhere at once.
//
// Changing a bound everywhere (each 64 to 32) is the most frequent source of another valid program;
// single changes mostly end in the parser or a verifier.
#ifndef KILN_TEXT_MUTATE_H
#define KILN_TEXT_MUTATE_H

#include <stddef.h>
#include <stdint.h>

// Words that may replace each other, separated by spaces: one group per row, NULL after the last.
typedef const char *const *text_groups_t;

// Mutates `text` in place and returns the new size, at most `room`, or 0 if no mutation was found.
// Deterministic in its arguments.
size_t text_mutate(char *text, size_t size, size_t room, unsigned seed, text_groups_t groups);

// Inserts a few lines or a block of `other` into `text`.
size_t text_splice(char *text, size_t size, size_t room, const char *other, size_t other_size,
                   unsigned seed);

#endif
