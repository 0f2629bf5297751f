// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the prelude's text (lex/prelude.h); its tokens get offsets from KILN_PRELUDE_BASE on.
#include "frontend/lex/prelude.h"
#include "frontend/parse/ast.h"

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
