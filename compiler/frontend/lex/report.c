// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts byte offsets to lines and columns and passes diagnostics to the caller's handler.
//
// Notes follow the error that they explain, so a note after a suppressed error is suppressed too.
#include "frontend/lex/report.h"

#include "frontend/lex/prelude.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// The line that was shown last.
struct kiln_shown_line {
    const char *text;
    uint32_t begin, end, stop; // as of shown_t; `stop`: where the line really ends
    const char *copy;          // NULL: not made yet
};

void kiln_reporter_initialize(kiln_reporter_t *reporter, kiln_arena_t *arena,
                              const kiln_source_t *source, kiln_diagnostic_handler_t handler,
                              void *user)
{
    *reporter = (kiln_reporter_t){.source = source,
                                  .text = source->text,
                                  .length = source->length,
                                  .arena = arena,
                                  .handler = handler,
                                  .user = user,
                                  .last = KILN_ARENA_NEW(arena, struct kiln_shown_line)};
    KILN_ARENA_PUSH(arena, reporter->line_starts, reporter->line_count, reporter->line_capacity, 0);
    for (size_t i = 0; i < source->length; i++)
        if (source->text[i] == '\n')
            KILN_ARENA_PUSH(arena, reporter->line_starts, reporter->line_count,
                            reporter->line_capacity, (uint32_t)(i + 1));
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

// The part of a file that a diagnostic shows.
typedef struct shown {
    const char *file, *text; // the file's name and its whole text
    unsigned line;
    uint32_t begin, end;  // of the line in the text
    uint32_t at, stop;    // of the span in the text
    uint32_t index, note; // of an expanded text's files and macro notes
} shown_t;

static void find_line_around(const kiln_reporter_t *reporter, shown_t *shown, size_t length)
{
    struct kiln_shown_line *last = reporter->last;
    if (last->text == shown->text && shown->at >= last->begin && shown->at <= last->stop) {
        shown->begin = last->begin;
        shown->end = last->end;
        return;
    }
    shown->begin = shown->end = shown->at;
    while (shown->begin > 0 && shown->text[shown->begin - 1] != '\n')
        shown->begin--;
    while (shown->end < length && shown->text[shown->end] != '\n')
        shown->end++;
    const uint32_t stop = shown->end;
    if (shown->end > shown->begin && shown->text[shown->end - 1] == '\r')
        shown->end--;
    *last = (struct kiln_shown_line){shown->text, shown->begin, shown->end, stop, NULL};
}

static shown_t show_place(const kiln_reporter_t *reporter, const kiln_text_place_t *place)
{
    const kiln_expanded_t *expanded = reporter->expanded;
    const kiln_text_file_t *file = &expanded->files[place->file];
    shown_t shown = {.file = expanded->names[place->name], .text = file->text, .line = place->line};
    shown.at = place->begin;
    shown.stop = place->end;
    shown.index = place->file;
    find_line_around(reporter, &shown, file->length);
    return shown;
}

static shown_t show(const kiln_reporter_t *reporter, kiln_span_t span)
{
    if (reporter->expanded) {
        uint32_t note;
        kiln_text_place_t place =
            kiln_expanded_place(reporter->expanded, span.begin, span.end, &note);
        shown_t shown = show_place(reporter, &place);
        shown.note = note;
        return shown;
    }
    shown_t shown = {.file = reporter->source->name, .text = reporter->text};
    shown.line = (unsigned)find_line(reporter, span.begin) + 1;
    shown.at = span.begin;
    shown.stop = span.end;
    find_line_around(reporter, &shown, reporter->length);
    return shown;
}

const char *kiln_reporter_locate(const kiln_reporter_t *reporter, uint32_t offset,
                                 unsigned *out_line, unsigned *out_column)
{
    if (offset >= KILN_PRELUDE_BASE) {
        kiln_prelude_locate(offset, out_line, out_column);
        return KILN_PRELUDE_NAME;
    }
    if (reporter->expanded) {
        shown_t shown = show(reporter, (kiln_span_t){offset, offset});
        *out_line = shown.line;
        *out_column = shown.at - shown.begin + 1;
        return shown.file;
    }
    size_t line = find_line(reporter, offset);
    *out_line = (unsigned)line + 1;
    *out_column = offset - reporter->line_starts[line] + 1;
    return reporter->source->name ? reporter->source->name : "<source>";
}

// The part of an operand on the line that is shown: longer operands are cut off at the end of the
// line.
static kiln_diagnostic_mark_t clip(const kiln_reporter_t *reporter, kiln_span_t span,
                                   const shown_t *line)
{
    if (kiln_span_is_prelude(span))
        return (kiln_diagnostic_mark_t){0, 0};
    shown_t operand = show(reporter, span);
    uint32_t from = operand.at < line->begin ? line->begin : operand.at;
    uint32_t to = operand.stop > line->end ? line->end : operand.stop;
    bool is_here = operand.text == line->text && from < to;
    return is_here ? (kiln_diagnostic_mark_t){from - line->begin + 1, to - from}
                   : (kiln_diagnostic_mark_t){0, 0};
}

static const kiln_includer_t *find_includers(const kiln_reporter_t *reporter, uint32_t index)
{
    const kiln_text_file_t *file = &reporter->expanded->files[index];
    if (file->includer == index)
        return NULL;
    const kiln_text_file_t *outer = &reporter->expanded->files[file->includer];
    kiln_includer_t *from = KILN_ARENA_NEW(reporter->arena, kiln_includer_t);
    from->file = outer->name;
    from->line = 1;
    for (uint32_t i = 0; i < file->included_at; i++)
        from->line += outer->text[i] == '\n';
    from->outer = find_includers(reporter, file->includer);
    return from;
}

static const char *copy_line(const kiln_reporter_t *reporter, const shown_t *shown)
{
    struct kiln_shown_line *last = reporter->last;
    const bool is_last = last->text == shown->text && last->begin == shown->begin;
    if (is_last && last->copy)
        return last->copy;
    const char *copy =
        kiln_arena_copy(reporter->arena, shown->text + shown->begin, shown->end - shown->begin);
    if (is_last)
        last->copy = copy;
    return copy;
}

static kiln_diagnostic_t diagnose(const kiln_reporter_t *reporter, kiln_severity_t severity,
                                  const char *message, const shown_t *shown)
{
    uint32_t last = shown->stop > shown->end ? shown->end : shown->stop;
    return (kiln_diagnostic_t){
        .severity = severity,
        .file = shown->file,
        .line = shown->line,
        .column = shown->at - shown->begin + 1,
        .message = message,
        .source_line = copy_line(reporter, shown),
        .range = last > shown->at ? last - shown->at : 1,
    };
}

static void emit(kiln_reporter_t *reporter, kiln_diagnostic_t *diagnostic, const shown_t *shown)
{
    const kiln_expanded_t *expanded = reporter->expanded;
    if (expanded && shown->file && diagnostic->severity != KILN_SEVERITY_NOTE)
        diagnostic->includer = find_includers(reporter, shown->index);
    if (diagnostic->severity == KILN_SEVERITY_ERROR && !reporter->first)
        reporter->first =
            kiln_status_at(kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s", diagnostic->message),
                           diagnostic->file, diagnostic->line, diagnostic->column);
    if (!reporter->handler)
        return;
    reporter->handler(diagnostic, reporter->user);
    enum { SHOWN_MACROS = 4 };
    uint32_t note = expanded && diagnostic->severity != KILN_SEVERITY_NOTE ? shown->note : 0;
    for (unsigned i = 0; note && i < SHOWN_MACROS; i++, note = expanded->notes[note - 1].next) {
        const kiln_macro_note_t *macro = &expanded->notes[note - 1];
        shown_t place = show_place(reporter, &macro->place);
        const char *message =
            kiln_arena_print(reporter->arena, "expanded from macro '%s'", macro->macro);
        kiln_diagnostic_t note_diagnostic = diagnose(reporter, KILN_SEVERITY_NOTE, message, &place);
        reporter->handler(&note_diagnostic, reporter->user);
    }
}

static void report_at(kiln_reporter_t *reporter, kiln_severity_t severity, const char *flag,
                      const shown_t *shown, const kiln_span_t *operands, const char *message)
{
    if (severity == KILN_SEVERITY_ERROR)
        reporter->error_count++;
    if (reporter->error_count > KILN_ERROR_LIMIT)
        return;
    kiln_diagnostic_t diagnostic = diagnose(reporter, severity, message, shown);
    diagnostic.flag = flag;
    if (operands) {
        diagnostic.marks[0] = clip(reporter, operands[0], shown);
        diagnostic.marks[1] = clip(reporter, operands[1], shown);
    }
    emit(reporter, &diagnostic, shown);
    if (severity == KILN_SEVERITY_ERROR && reporter->error_count == KILN_ERROR_LIMIT &&
        reporter->handler) {
        diagnostic.severity = KILN_SEVERITY_NOTE;
        diagnostic.message = "too many errors emitted, stopping now";
        diagnostic.source_line = NULL;
        diagnostic.flag = NULL;
        diagnostic.includer = NULL;
        reporter->handler(&diagnostic, reporter->user);
    }
}

const char *kiln_reporter_text(const kiln_reporter_t *reporter, kiln_span_t span)
{
    size_t length = span.end > span.begin ? span.end - span.begin : 0;
    char *text = kiln_arena_copy(reporter->arena, reporter->text + span.begin, length);
    for (size_t i = 0; i < length; i++)
        text[i] = text[i] == '\n' || text[i] == '\r' || text[i] == '\t' ? ' ' : text[i];
    return text;
}

static void report(kiln_reporter_t *reporter, kiln_severity_t severity, const char *flag,
                   kiln_span_t at, const kiln_span_t *operands, const char *format,
                   va_list arguments)
{
    if (kiln_span_is_prelude(at)) { // only notes are located there, and they are not shown
        reporter->error_count += severity == KILN_SEVERITY_ERROR;
        return;
    }
    if (severity == KILN_SEVERITY_ERROR && reporter->error_count >= KILN_ERROR_LIMIT) {
        reporter->error_count++; // not shown, however many they are
        return;
    }
    shown_t shown = show(reporter, at);
    const char *message = kiln_arena_vprint(reporter->arena, format, arguments);
    report_at(reporter, severity, flag, &shown, operands, message);
}

// Reports a diagnostic of the preprocessor. Its warnings have flags like all others.
static bool report_found(kiln_reporter_t *reporter, const kiln_preprocess_diagnostic_t *found)
{
    kiln_severity_t severity = found->severity;
    const char *flag = NULL;
    if (severity == KILN_SEVERITY_WARNING) {
        if (!kiln_warning_is_enabled(&reporter->warnings, found->warning))
            return false;
        bool is_error = kiln_warning_is_error(&reporter->warnings, found->warning);
        flag = kiln_warning_flag(found->warning, is_error);
        severity = is_error ? KILN_SEVERITY_ERROR : severity;
    }
    kiln_text_place_t place = found->place;
    if (place.file == UINT32_MAX)
        place = (kiln_text_place_t){.line = 1};
    shown_t shown = show_place(reporter, &place);
    shown.note = found->note;
    report_at(reporter, severity, flag, &shown, NULL, found->message);
    return true;
}

void kiln_reporter_expand(kiln_reporter_t *reporter, const kiln_expanded_t *expanded)
{
    bool was_reported = true; // notes belong to the diagnostic that they follow
    reporter->expanded = expanded;
    reporter->text = expanded->text;
    reporter->length = expanded->length;
    for (size_t i = 0; i < expanded->diagnostic_count; i++) {
        const kiln_preprocess_diagnostic_t *found = &expanded->diagnostics[i];
        if (found->severity != KILN_SEVERITY_NOTE)
            was_reported = report_found(reporter, found);
        else if (was_reported)
            report_found(reporter, found);
    }
}

void kiln_report(kiln_reporter_t *reporter, kiln_severity_t severity, kiln_span_t at,
                 const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(reporter, severity, NULL, at, NULL, format, arguments);
    va_end(arguments);
}

void kiln_report_between(kiln_reporter_t *reporter, kiln_severity_t severity, kiln_span_t at,
                         kiln_span_t left, kiln_span_t right, const char *format, ...)
{
    const kiln_span_t operands[2] = {left, right};
    va_list arguments;
    va_start(arguments, format);
    report(reporter, severity, NULL, at, operands, format, arguments);
    va_end(arguments);
}

bool kiln_report_warning(kiln_reporter_t *reporter, kiln_warning_id_t id, kiln_span_t at,
                         const char *format, ...)
{
    if (!kiln_warning_is_enabled(&reporter->warnings, id))
        return false;
    bool is_error = kiln_warning_is_error(&reporter->warnings, id);
    va_list arguments;
    va_start(arguments, format);
    report(reporter, is_error ? KILN_SEVERITY_ERROR : KILN_SEVERITY_WARNING,
           kiln_warning_flag(id, is_error), at, NULL, format, arguments);
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
