// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics of the front end's stages: a location in the source, up to two marked ranges next to
// it, and a message.
//
// Locations are byte offsets of the text that the lexer reads, which may be preprocessed; files,
// lines and columns are computed only for diagnostics that are reported. After KILN_ERROR_LIMIT
// errors, further ones are counted but not reported, so the stages need not check the limit.
#ifndef KILN_FRONTEND_REPORT_H
#define KILN_FRONTEND_REPORT_H

#include <stdint.h>

#include "diagnostics/warnings.h"
#include "frontend/core/arena.h"
#include "frontend/lex/preprocess.h"
#include "kiln/kiln.h"

#define KILN_ERROR_LIMIT 20

typedef struct kiln_span {
    uint32_t begin, end; // byte offsets in the source, end excluded
} kiln_span_t;

static inline kiln_span_t kiln_span_join(kiln_span_t a, kiln_span_t b)
{
    return (kiln_span_t){a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

typedef struct kiln_reporter {
    const kiln_source_t *source;
    const char *text; // the text that spans index: the source's, or that of `expanded`
    size_t length;
    const kiln_expanded_t *expanded; // NULL if the source was not preprocessed
    kiln_arena_t *arena;
    kiln_diagnostic_handler_t handler; // may be NULL
    void *user;
    kiln_warnings_t warnings;
    unsigned error_count;
    kiln_status_t first; // the first error, owned by the reporter until taken
    uint32_t *line_starts;
    size_t line_count, line_capacity;
    struct kiln_shown_line *last; // many diagnostics may be in one long line
} kiln_reporter_t;

void kiln_reporter_initialize(kiln_reporter_t *reporter, kiln_arena_t *arena,
                              const kiln_source_t *source, kiln_diagnostic_handler_t handler,
                              void *user);

void kiln_report(kiln_reporter_t *reporter, kiln_severity_t severity, kiln_span_t at,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));

// The same, with the caret at `at` and the operands `left` and `right` underlined.
void kiln_report_between(kiln_reporter_t *reporter, kiln_severity_t severity, kiln_span_t at,
                         kiln_span_t left, kiln_span_t right, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

// Reports a warning, remark or error, depending on the flags. Returns false if nothing was
// reported: the caller then leaves out its notes too.
bool kiln_report_warning(kiln_reporter_t *reporter, kiln_warning_id_t id, kiln_span_t at,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));

// Counts a failure without a location in the text, such as a wrong option. It is reported by the
// function that takes the status.
void kiln_report_status(kiln_reporter_t *reporter, kiln_status_t status);

// File, line and column, from 1, of a byte offset. A column is a byte of its line.
const char *kiln_reporter_locate(const kiln_reporter_t *reporter, uint32_t offset,
                                 unsigned *out_line, unsigned *out_column);

// From here on, spans are offsets of an expanded text. Reports the preprocessor's diagnostics.
void kiln_reporter_expand(kiln_reporter_t *reporter, const kiln_expanded_t *expanded);
// The text of a span in one line, in the arena.
const char *kiln_reporter_text(const kiln_reporter_t *reporter, kiln_span_t span);

#define KILN_REPORT_ERROR(reporter, span, ...)                                                     \
    kiln_report((reporter), KILN_SEVERITY_ERROR, (span), __VA_ARGS__)
#define KILN_REPORT_NOTE(reporter, span, ...)                                                      \
    kiln_report((reporter), KILN_SEVERITY_NOTE, (span), __VA_ARGS__)

#endif
