// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The prelude's text, embedded unchanged; see prelude.h.
#include "frontend/lex/prelude.h"

__asm__(
    ".section .rodata\n.hidden kiln_prelude_text\n.global kiln_prelude_text\nkiln_prelude_text:\n"
    ".incbin \"" KILN_PRELUDE_FILE "\"\n"
    ".hidden kiln_prelude_text_end\n.global kiln_prelude_text_end\nkiln_prelude_text_end:\n.byte "
    "0\n.previous\n");
void kiln_prelude_locate(uint32_t offset, unsigned *out_line, unsigned *out_column)
{
    *out_line = *out_column = 1;
    for (const char *at = kiln_prelude_text; at < kiln_prelude_text + (offset - KILN_PRELUDE_BASE);
         at++) {
        *out_column = *at == '\n' ? 1 : *out_column + 1;
        *out_line += *at == '\n';
    }
}
