// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The prelude: functions of Tile C that are written in Tile C (prelude/prelude.tile.c, carried in the library). It is
// read only when a program calls one of its functions; a program's own function of the same name comes first.
//
// Its text's byte offsets begin at KILN_PRELUDE_BASE, beyond those of any program. Errors found in it are told at the
// user's call: the checker never shows a place in the prelude.
#ifndef KILN_FRONTEND_PRELUDE_H
#define KILN_FRONTEND_PRELUDE_H

#include "ast.h"

#define KILN_PRELUDE_BASE (UINT32_C(1) << 30)
#define KILN_PRELUDE_NAME "<tile c prelude>" // as a file, in debug information

static inline bool kiln_span_is_prelude(kiln_span_t span)
{
    return span.begin >= KILN_PRELUDE_BASE;
}

// Line and column, from 1, of an offset in the prelude.
void kiln_prelude_locate(uint32_t offset, unsigned *out_line, unsigned *out_column);

// Its functions; NULL after an error, which would be a fault of Kiln's.
kiln_unit_t *kiln_prelude_parse(kiln_arena_t *arena, kiln_names_t *names);

#endif
