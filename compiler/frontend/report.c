// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns byte offsets into lines and columns and hands diagnostics to the caller's handler.
//
// Notes follow the error they explain, so a note after a swallowed error is swallowed too.
#include "report.h"

#include "prelude.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void kiln_reporter_initialize(kiln_reporter_t *reporter, kiln_arena_t *arena, const kiln_source_t *source,
                              kiln_diagnostic_handler_t handler, void *user)
{
    *reporter = (kiln_reporter_t){.source = source, .arena = arena, .handler = handler, .user = user};
    KILN_ARENA_PUSH(arena, reporter->line_starts, reporter->line_count, reporter->line_capacity, 0);
    for (size_t i = 0; i < source->length; i++)
        if (source->text[i] == '\n')
            KILN_ARENA_PUSH(arena, reporter->line_starts, reporter->line_count, reporter->line_capacity,
                            (uint32_t)(i + 1));
}

static size_t find_line(const kiln_reporter_t *reporter, uint32_t offset)
{
    size_t low = 0, high = reporter->line_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (reporter->line_starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void kiln_reporter_locate(const kiln_reporter_t *reporter, uint32_t offset, unsigned *out_line, unsigned *out_column)
{
    if (offset >= KILN_PRELUDE_BASE) {
        kiln_prelude_locate(offset, out_line, out_column);
        return;
    }
    size_t line = find_line(reporter, offset);
    *out_line = (unsigned)line + 1;
    *out_column = offset - reporter->line_starts[line] + 1;
}

// The part of a span that lies on the line [begin, end): multi-line spans are shown as far as the line goes.
static kiln_diagnostic_mark_t clip(kiln_span_t span, uint32_t begin, uint32_t end)
{
    uint32_t from = span.begin < begin ? begin : span.begin, to = span.end > end ? end : span.end;
    return from < to ? (kiln_diagnostic_mark_t){from - begin + 1, to - from} : (kiln_diagnostic_mark_t){0, 0};
}

static void report(kiln_reporter_t *reporter, kiln_severity_t severity, const char *flag, kiln_span_t at,
                   const kiln_span_t *operands, const char *format, va_list arguments)
{
    if (severity == KILN_SEVERITY_ERROR)
        reporter->error_count++;
    if (reporter->error_count > KILN_ERROR_LIMIT || kiln_span_is_prelude(at)) // which holds notes only
        return;
    char message[1024];
    vsnprintf(message, sizeof message, format, arguments);

    size_t line = find_line(reporter, at.begin);
    uint32_t begin = reporter->line_starts[line], end = begin;
    while (end < reporter->source->length && reporter->source->text[end] != '\n')
        end++;
    if (end > begin && reporter->source->text[end - 1] == '\r')
        end--;
    uint32_t last = at.end > end ? end : at.end;
    kiln_diagnostic_t diagnostic = {
        .severity = severity,
        .file = reporter->source->name,
        .line = (unsigned)line + 1,
        .column = at.begin - begin + 1,
        .message = message,
        .flag = flag,
        .source_line = kiln_arena_copy(reporter->arena, reporter->source->text + begin, end - begin),
        .range = last > at.begin ? last - at.begin : 1,
    };
    if (operands) {
        diagnostic.marks[0] = clip(operands[0], begin, end);
        diagnostic.marks[1] = clip(operands[1], begin, end);
    }
    if (severity == KILN_SEVERITY_ERROR && !reporter->first)
        reporter->first = kiln_status_at(kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s", message),
                                         reporter->source->name, diagnostic.line, diagnostic.column);
    if (reporter->handler)
        reporter->handler(&diagnostic, reporter->user);
    if (severity == KILN_SEVERITY_ERROR && reporter->error_count == KILN_ERROR_LIMIT && reporter->handler) {
        diagnostic.severity = KILN_SEVERITY_NOTE;
        diagnostic.message = "too many errors; further ones are not shown";
        diagnostic.source_line = NULL;
        diagnostic.flag = NULL;
        reporter->handler(&diagnostic, reporter->user);
    }
}

const char *kiln_reporter_file(const kiln_reporter_t *reporter, uint32_t offset)
{
    if (offset >= KILN_PRELUDE_BASE)
        return KILN_PRELUDE_NAME;
    return reporter->source->name ? reporter->source->name : "<source>";
}

void kiln_report(kiln_reporter_t *reporter, kiln_severity_t severity, kiln_span_t at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(reporter, severity, NULL, at, NULL, format, arguments);
    va_end(arguments);
}

void kiln_report_between(kiln_reporter_t *reporter, kiln_severity_t severity, kiln_span_t at, kiln_span_t left,
                         kiln_span_t right, const char *format, ...)
{
    const kiln_span_t operands[2] = {left, right};
    va_list arguments;
    va_start(arguments, format);
    report(reporter, severity, NULL, at, operands, format, arguments);
    va_end(arguments);
}

bool kiln_report_warning(kiln_reporter_t *reporter, kiln_warning_id_t id, kiln_span_t at, const char *format, ...)
{
    if (!kiln_warning_is_told(&reporter->warnings, id))
        return false;
    bool is_error = kiln_warning_is_error(&reporter->warnings, id);
    va_list arguments;
    va_start(arguments, format);
    report(reporter, is_error ? KILN_SEVERITY_ERROR : KILN_SEVERITY_WARNING, kiln_warning_flag(id, is_error), at, NULL,
           format, arguments);
    va_end(arguments);
    return true;
}

void kiln_report_status(kiln_reporter_t *reporter, kiln_status_t status)
{
    reporter->error_count++;
    if (reporter->first)
        kiln_status_free(status);
    else
        reporter->first = status;
}
