// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The prelude's text, embedded as it is, and its reading; see prelude.h.
#include "prelude.h"

__asm__(".section .rodata\n.hidden kiln_prelude_text\n.global kiln_prelude_text\nkiln_prelude_text:\n"
        ".incbin \"" KILN_PRELUDE_FILE "\"\n"
        ".hidden kiln_prelude_text_end\n.global kiln_prelude_text_end\nkiln_prelude_text_end:\n.byte 0\n.previous\n");
extern const char kiln_prelude_text[], kiln_prelude_text_end[];

void kiln_prelude_locate(uint32_t offset, unsigned *out_line, unsigned *out_column)
{
    *out_line = *out_column = 1;
    for (const char *at = kiln_prelude_text; at < kiln_prelude_text + (offset - KILN_PRELUDE_BASE); at++) {
        *out_column = *at == '\n' ? 1 : *out_column + 1;
        *out_line += *at == '\n';
    }
}

kiln_unit_t *kiln_prelude_parse(kiln_arena_t *arena, kiln_names_t *names)
{
    const kiln_source_t source = {KILN_STAGE_TILE, KILN_PRELUDE_NAME, kiln_prelude_text,
                                  (size_t)(kiln_prelude_text_end - kiln_prelude_text)};
    kiln_reporter_t reporter;
    size_t count;
    kiln_reporter_initialize(&reporter, arena, &source, NULL, NULL);
    kiln_token_t *tokens = kiln_lex(&reporter, names, &count);
    for (size_t i = 0; i <= count; i++) {
        tokens[i].span.begin += KILN_PRELUDE_BASE;
        tokens[i].span.end += KILN_PRELUDE_BASE;
        if (tokens[i].kind == KILN_TOKEN_END)
            break;
    }
    kiln_unit_t *unit = reporter.error_count ? NULL : kiln_parse(&reporter, names, tokens, count);
    kiln_status_free(reporter.first);
    return reporter.error_count ? NULL : unit;
}
