// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The prelude: functions of Tile C that are written in Tile C (prelude/prelude.tile.c, embedded in
// the library). It is parsed only when a program calls one of its functions; a program's own
// function of the same name takes precedence.
//
// Byte offsets of its text start at KILN_PRELUDE_BASE, beyond those of any program. The checker
// reports errors in the prelude at the user's call and never shows a location in the prelude.
#ifndef KILN_FRONTEND_PRELUDE_H
#define KILN_FRONTEND_PRELUDE_H

#include "frontend/lex/report.h"

#define KILN_PRELUDE_BASE (UINT32_C(1) << 30)
#define KILN_PRELUDE_NAME "<tile c prelude>" // its file name in debug information

static inline bool kiln_span_is_prelude(kiln_span_t span)
{
    return span.begin >= KILN_PRELUDE_BASE;
}

// The text is between these two and is zero-terminated.
extern const char kiln_prelude_text[], kiln_prelude_text_end[];

// Line and column, from 1, of an offset in the prelude.
void kiln_prelude_locate(uint32_t offset, unsigned *out_line, unsigned *out_column);

#endif
