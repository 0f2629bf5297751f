// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source lines of a code object, from its DWARF line table, by LLVM. Part of the simulator and of
// the command.
#ifndef KILN_LINES_H
#define KILN_LINES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_lines kiln_lines_t;

// NULL if the file has no line table or cannot be read. The bytes must outlive the result.
kiln_lines_t *kiln_lines_open(const void *file, size_t size);
void kiln_lines_close(kiln_lines_t *lines);
// Writes "directory/file:line" into text. If it does not fit, writes "…" and its end. "" if the
// address has no line. Returns the column, from 1; 0 where unknown.
unsigned kiln_lines_find(kiln_lines_t *lines, uint64_t address, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
