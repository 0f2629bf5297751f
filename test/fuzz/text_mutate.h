// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of program text that often leave a program: whole lines and blocks are removed, copied and moved; numbers,
// types, words and values are replaced by others of their kind, at one place or everywhere at once.
//
// What a reader gets wrong: changing a bound everywhere (each 64 to 32) is what most often gives another valid program;
// single changes mostly end in the parser or a verifier.
#ifndef KILN_TEXT_MUTATE_H
#define KILN_TEXT_MUTATE_H

#include <stddef.h>
#include <stdint.h>

// Words that may stand for each other, separated by spaces: a row a group, NULL behind the last.
typedef const char *const *text_groups_t;

// A mutation of `text`, in place; the new size, at most `room`, or 0 where none was found. Depends on its arguments only.
size_t text_mutate(char *text, size_t size, size_t room, unsigned seed, text_groups_t groups);

// `text` with a few lines or a block of `other` in it.
size_t text_splice(char *text, size_t size, size_t room, const char *other, size_t other_size, unsigned seed);

#endif
