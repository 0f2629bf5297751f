// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Delivers diagnostics to the caller: those of MLIR, LLVM and Kiln get the same form, with the
// source line and a caret under the column.
//
// Columns count bytes from 1. A tab in the source line must be repeated in the caret's line to keep
// the caret aligned.
#include <stdlib.h>
#include <string.h>

#include <mlir-c/BuiltinAttributes.h>

#include "artifact/findings_section.h"
#include "base/file.h"
#include "base/json.h"
#include "base/string.h"
#include "builder/ir_text.h"
#include "diagnostics/findings.h"
#include "driver/compile_internal.h"
#include "driver/session.h"

// Printing ----------------------------------------------------------------------------------------

// `line` starts after the first `from` columns.
static void mark(char *line, size_t length, size_t from, size_t column, size_t range, char with)
{
    for (size_t i = column; column && i < column + range && i <= from + length; i++)
        if (i > from)
            line[i - 1 - from] = with;
}

// Prints text that may come from any file: what a terminal could take for a command is a '?', and
// so is what is not UTF-8, so that columns stay the same. `kept` has the control characters that
// stay. Prints many characters at once: stderr has no buffer.
static void print_text(const char *text, size_t length, bool is_utf8, const char *kept,
                       FILE *stream)
{
    for (size_t i = 0, begin = 0; i <= length; i++) {
        const bool is_shown =
            i < length && (kiln_string_is_control(text[i]) ? text[i] && strchr(kept, text[i])
                                                           : is_utf8 || (text[i] & 0x80) == 0);
        if (is_shown)
            continue;
        fwrite(text + begin, 1, i - begin, stream);
        if (i < length)
            fputc('?', stream);
        begin = i + 1;
    }
}

// Text that cannot pose as another line of the output.
static void print_line_text(const char *text, FILE *stream)
{
    const size_t length = strlen(text);
    print_text(text, length, kiln_string_is_utf8(text, length), "\t", stream);
}

// Remarks are findings, whose text may come from a code object; other messages may have lines.
static void print_message(const kiln_diagnostic_t *diagnostic, FILE *stream)
{
    const size_t length = strlen(diagnostic->message);
    print_text(diagnostic->message, length, kiln_string_is_utf8(diagnostic->message, length),
               diagnostic->severity == KILN_SEVERITY_REMARK ? "\t" : "\t\n", stream);
}

// For lines longer than WIDTH, the part around the position is shown.
enum { WIDTH = 240, BEFORE = 160 };

// Prints the source line, and below it blanks (tabs where the source has them), tildes under the
// operands, and a caret at the position.
static void print_caret(const kiln_diagnostic_t *diagnostic, FILE *stream)
{
    size_t length = strlen(diagnostic->source_line);
    if (diagnostic->column > length + 1) // the position just past the end of the line is valid too
        return;
    size_t from = length > WIDTH && diagnostic->column > BEFORE ? diagnostic->column - BEFORE : 0;
    size_t shown = length - from < WIDTH ? length - from : WIDTH;
    const char *text = diagnostic->source_line + from;
    char line[WIDTH + 2];
    for (size_t i = 0; i <= shown; i++)
        line[i] = i < shown && text[i] == '\t' ? '\t' : ' ';
    for (size_t i = 0; i < sizeof diagnostic->marks / sizeof *diagnostic->marks; i++)
        mark(line, shown + 1, from, diagnostic->marks[i].column, diagnostic->marks[i].length, '~');
    mark(line, shown + 1, from, diagnostic->column, diagnostic->range, '~');
    mark(line, shown + 1, from, diagnostic->column, 1, '^');
    size_t end = shown + 1;
    while (end && (line[end - 1] == ' ' || line[end - 1] == '\t'))
        end--;
    const char *left = from ? "..." : "", *right = from + shown < length ? "..." : "";
    fputs(left, stream);
    print_text(text, shown, kiln_string_is_utf8(diagnostic->source_line, length), "\t", stream);
    fprintf(stream, "%s\n%*s%.*s\n", right, (int)strlen(left), "", (int)end, line);
}

void kiln_diagnostic_print(const kiln_diagnostic_t *diagnostic, FILE *stream)
{
    if (!diagnostic || !stream)
        return;
    static const char *const severities[] = {[KILN_SEVERITY_ERROR] = "error",
                                             [KILN_SEVERITY_WARNING] = "warning",
                                             [KILN_SEVERITY_REMARK] = "remark",
                                             [KILN_SEVERITY_NOTE] = "note"};
    for (const kiln_includer_t *from = diagnostic->includer; from; from = from->outer) {
        fputs("In file included from ", stream);
        print_line_text(from->file, stream);
        fprintf(stream, ":%u:\n", from->line);
    }
    if (diagnostic->file) {
        print_line_text(diagnostic->file, stream);
        if (diagnostic->line)
            fprintf(stream, ":%u:%u", diagnostic->line, diagnostic->column);
        fputs(": ", stream);
    }
    fprintf(stream, "%s: ", severities[diagnostic->severity]);
    print_message(diagnostic, stream);
    fprintf(stream, "%s%s%s\n", diagnostic->flag ? " [" : "",
            diagnostic->flag ? diagnostic->flag : "", diagnostic->flag ? "]" : "");
    if (diagnostic->source_line && diagnostic->column)
        print_caret(diagnostic, stream);
}

// Reporting ---------------------------------------------------------------------------------------

static char *copy_line(const char *text, size_t length, unsigned line)
{
    const char *at = text, *end = text + length;
    while (--line) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (!at)
            return NULL;
        at++;
    }
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    return strndup(at, (size_t)((stop ? stop : end) - at));
}

// A line of a preprocessed source, found by a token on it: #line may have given it another number
// and another file.
static char *find_expanded_line(const kiln_expanded_t *expanded, const char *name, unsigned line)
{
    for (size_t i = 0; i < expanded->token_count; i++) {
        const kiln_text_place_t *place = &expanded->tokens[i].place;
        if (place->line != line || strcmp(expanded->names[place->name], name) != 0)
            continue;
        const kiln_text_file_t *file = &expanded->files[place->file];
        unsigned own = 1;
        for (uint32_t at = 0; at < place->begin; at++)
            own += file->text[at] == '\n';
        return copy_line(file->text, file->length, own);
    }
    return NULL;
}

// A copy of the source line, or NULL if the position is not in the source.
static char *find_line(const kiln_session_t *session, const char *file, unsigned line)
{
    const kiln_diagnostics_t *own = session->diagnostics;
    const kiln_source_t *source = own ? own->source : NULL;
    if (!source || !file || !line || kiln_source_is_bytecode(source))
        return NULL;
    if (own->expanded)
        return find_expanded_line(own->expanded, file, line);
    return source->name && strcmp(source->name, file) == 0
               ? copy_line(source->text, source->length, line)
               : NULL;
}

// The file that LLVM refers to by its base name.
static const char *find_file(const kiln_diagnostics_t *own, const char *base, size_t length)
{
    const char *name = own->source->name;
    for (size_t i = 0; name; i++) {
        const char *last = kiln_path_base(name);
        if (strlen(last) == length && memcmp(last, base, length) == 0)
            return name;
        name = own->expanded && i < own->expanded->name_count ? own->expanded->names[i] : NULL;
    }
    return NULL;
}

// LLVM prefixes its message with the position: "gemm.tile.c:8:0: …".
static void take_place(const kiln_diagnostics_t *own, kiln_diagnostic_t *diagnostic)
{
    if (!own || !own->source || !own->source->name)
        return;
    if (diagnostic->file) {
        const char *full = find_file(own, diagnostic->file, strlen(diagnostic->file));
        diagnostic->file = full ? full : diagnostic->file;
        return;
    }
    const char *colon = strchr(diagnostic->message, ':');
    const char *file =
        colon ? find_file(own, diagnostic->message, (size_t)(colon - diagnostic->message)) : NULL;
    int end = 0;
    unsigned line, column;
    if (!file || sscanf(colon, ":%u:%u: %n", &line, &column, &end) != 2 || !end || !line)
        return;
    diagnostic->file = file;
    diagnostic->line = line;
    diagnostic->column = column ? column : 1;
    diagnostic->message = colon + end;
}

void kiln_session_emit(kiln_session_t *session, const kiln_diagnostic_t *given)
{
    kiln_diagnostic_t copy = *given;
    const kiln_diagnostic_t *diagnostic = &copy;
    kiln_diagnostics_t *own = session->diagnostics;
    take_place(own, &copy);
    if (diagnostic->severity == KILN_SEVERITY_ERROR && own && !own->first_error)
        own->first_error =
            kiln_status_at(kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s", diagnostic->message),
                           diagnostic->file, diagnostic->line, diagnostic->column);
    if (!session->handler)
        return;
    char *line = copy.source_line ? NULL : find_line(session, copy.file, copy.line);
    if (line)
        copy.source_line = line;
    if (!copy.range)
        copy.range = 1;
    session->handler(&copy, session->user);
    free(line);
}

bool kiln_session_warn(kiln_session_t *session, kiln_warning_id_t id,
                       const kiln_diagnostic_t *given)
{
    kiln_diagnostic_t copy = *given;
    const kiln_diagnostics_t *own = session->diagnostics;
    if (!own || !kiln_warning_is_enabled(&own->warnings, id))
        return false;
    const bool is_error = kiln_warning_is_error(&own->warnings, id);
    copy.flag = kiln_warning_flag(id, is_error);
    copy.severity = is_error                     ? KILN_SEVERITY_ERROR
                    : kiln_warning_is_remark(id) ? KILN_SEVERITY_REMARK
                                                 : KILN_SEVERITY_WARNING;
    kiln_session_emit(session, &copy);
    return true;
}

// Passes copy loops and branches; their findings are those of one place in the source.
static bool was_found(kiln_diagnostics_t *own, kiln_warning_id_t id, const kiln_diagnostic_t *seen)
{
    char *key = kiln_string_print("%d %u:%u %s\n", (int)id, seen->line, seen->column,
                                  seen->file ? seen->file : "");
    const bool found = key && own->found && strstr(own->found, key);
    char *longer =
        key && !found ? kiln_string_print("%s%s", own->found ? own->found : "", key) : NULL;
    if (longer) {
        free(own->found);
        own->found = longer;
    }
    own->out_of_memory |= !key || (!found && !longer);
    free(key);
    return found;
}

// Text of a finding, of which no reader prints more than a line.
static json_t *line_json(const char *text)
{
    char *line = strdup(text);
    if (line)
        kiln_string_make_line(line);
    json_t *json = line ? kiln_json_text(line) : NULL;
    free(line);
    return json;
}

static void note(kiln_diagnostics_t *own, const kiln_finding_row_t *row,
                 const kiln_diagnostic_t *seen, const char *advice)
{
    if (!own->noted)
        own->noted = json_array();
    json_t *file = seen->file ? line_json(seen->file) : NULL;
    own->out_of_memory |= seen->file && !file;
    own->out_of_memory |=
        json_array_append_new(
            own->noted, json_pack("{s:s,s:o*,s:o*,s:o*,s:o,s:o}", "id", row->name, "file", file,
                                  "line", seen->line ? json_integer(seen->line) : NULL, "column",
                                  seen->column ? json_integer(seen->column) : NULL, "seen",
                                  line_json(seen->message), "advice", line_json(advice))) != 0;
}

void kiln_session_find(kiln_session_t *session, kiln_warning_id_t id, const kiln_diagnostic_t *seen,
                       const char *advice)
{
    const kiln_finding_row_t *row = kiln_finding_row(id);
    kiln_diagnostics_t *own = session->diagnostics;
    if (!own || !kiln_warning_is_enabled(&own->searched, id) || was_found(own, id, seen))
        return;
    note(own, row, seen, advice ? advice : row->advice);
    if (!kiln_session_warn(session, id, seen))
        return;
    char *why = kiln_string_print("why: %s", row->why),
         *then = kiln_string_print("advice: %s", advice ? advice : row->advice);
    if (why && then) {
        kiln_session_emit(session,
                          &(kiln_diagnostic_t){.severity = KILN_SEVERITY_NOTE, .message = why});
        kiln_session_emit(session,
                          &(kiln_diagnostic_t){.severity = KILN_SEVERITY_NOTE, .message = then});
    }
    free(why);
    free(then);
}

kiln_status_t kiln_compile_put_findings(kiln_compilation_t *c)
{
    kiln_kernel_t *kernel = c->kernel;
    if (c->options.last_stage != KILN_STAGE_HSACO || c->options.no_line_info)
        return KILN_OK;
    if (c->diagnostics->out_of_memory ||
        !kiln_findings_section_text(c->diagnostics->noted,
                                    kernel->symbol ? kernel->symbol : kernel->name,
                                    &kernel->findings))
        return kiln_status_out_of_memory();
    return kiln_findings_section_add(kernel->findings, &kernel->code_object,
                                     &kernel->code_object_size);
}

kiln_status_t kiln_session_report(kiln_session_t *session, kiln_status_t status)
{
    if (!status)
        return KILN_OK;
    const kiln_status_t first = session->diagnostics ? session->diagnostics->first_error : KILN_OK;
    // Already reported where it was found.
    if (first && strcmp(kiln_status_message(first), kiln_status_message(status)) == 0)
        return status;
    // MLIR's verifier has reported the error; the invalid module is only context.
    if (first && kiln_status_code(status) == KILN_STATUS_INTERNAL) {
        kiln_diagnostic_t note = {.severity = KILN_SEVERITY_NOTE,
                                  .message = kiln_status_message(status)};
        kiln_session_emit(session, &note);
        return status;
    }
    kiln_diagnostic_t error = {.severity = KILN_SEVERITY_ERROR,
                               .file = kiln_status_file(status),
                               .line = kiln_status_line(status),
                               .column = kiln_status_column(status),
                               .message = kiln_status_message(status)};
    kiln_session_emit(session, &error);
    for (size_t i = 0; i < kiln_status_note_count(status); i++) {
        kiln_diagnostic_t note = {.severity = KILN_SEVERITY_NOTE,
                                  .message = kiln_status_note(status, i)};
        kiln_session_emit(session, &note);
    }
    return status;
}

// From LLVM and MLIR ------------------------------------------------------------------------------

void kiln_session_on_llvm(kiln_codegen_severity_t severity, const char *message, void *user)
{
    // Errors also arrive as statuses, which contain additional facts, and are reported then.
    // Remarks are statistics.
    if (severity != KILN_CODEGEN_WARNING)
        return;
    kiln_diagnostic_t diagnostic = {.message = message};
    kiln_session_warn(user, KILN_WARNING_BACKEND, &diagnostic);
}

typedef struct place {
    char *file; // owned by the caller
    unsigned line, column;
    bool is_lost; // there was no memory for the file
} place_t;

// The position in a file to which a location leads: for a call site that of the callee, where the
// text is; for fused locations the first that has one.
static place_t find_place(MlirLocation location)
{
    place_t place = {0};
    if (mlirLocationIsAFileLineColRange(location)) {
        MlirStringRef name = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
        place.file = name.length ? kiln_ir_copy(name) : NULL;
        place.is_lost = name.length && !place.file;
        place.line = (unsigned)mlirLocationFileLineColRangeGetStartLine(location);
        place.column = (unsigned)mlirLocationFileLineColRangeGetStartColumn(location);
    } else if (mlirLocationIsAName(location)) {
        place = find_place(mlirLocationNameGetChildLoc(location));
    } else if (mlirLocationIsACallSite(location)) {
        place = find_place(mlirLocationCallSiteGetCallee(location));
        if (!place.file)
            place = find_place(mlirLocationCallSiteGetCaller(location));
    } else if (mlirLocationIsAFused(location)) {
        unsigned count = mlirLocationFusedGetNumLocations(location);
        MlirLocation *parts = calloc(count + 1, sizeof *parts);
        if (parts)
            mlirLocationFusedGetLocations(location, parts);
        for (unsigned i = 0; parts && i < count && !place.file; i++)
            place = find_place(parts[i]);
        free(parts);
    }
    return place;
}

void kiln_session_find_at(kiln_session_t *session, kiln_warning_id_t id, MlirOperation op,
                          const char *seen, const char *advice)
{
    const place_t place = find_place(mlirOperationGetLocation(op));
    if (session->diagnostics)
        session->diagnostics->out_of_memory |= place.is_lost;
    kiln_session_find(
        session, id,
        &(kiln_diagnostic_t){
            .message = seen, .file = place.file, .line = place.line, .column = place.column},
        advice);
    free(place.file);
}

void kiln_session_find_text(kiln_session_t *session, kiln_warning_id_t id, MlirOperation op,
                            const kiln_string_t *seen, const char *advice)
{
    if (!seen->failed)
        kiln_session_find_at(session, id, op, seen->data, advice);
    else if (session->diagnostics)
        session->diagnostics->out_of_memory = true;
}

char *kiln_session_place(MlirLocation location, unsigned *out_line, unsigned *out_column)
{
    place_t place = find_place(location);
    *out_line = place.line;
    *out_column = place.column;
    return place.file;
}

static void report_mlir(kiln_session_t *session, MlirDiagnostic diagnostic,
                        kiln_severity_t severity)
{
    kiln_string_t message = {0};
    mlirDiagnosticPrint(diagnostic, kiln_ir_append, &message);
    // MLIR adds the operation to each error, which may be a whole function; the source line shows
    // the same.
    if (severity == KILN_SEVERITY_NOTE && message.data &&
        kiln_string_starts_with(message.data, "see current operation")) {
        kiln_string_free(&message);
        return;
    }
    place_t place = find_place(mlirDiagnosticGetLocation(diagnostic));
    if (place.file && !place.line) // an error about the text as a whole
        place.line = place.column = 1;
    kiln_diagnostic_t message_diagnostic = {.severity = severity,
                                            .file = place.file,
                                            .line = place.line,
                                            .column = place.column,
                                            .message = message.data ? message.data : ""};
    kiln_session_emit(session, &message_diagnostic);
    free(place.file);
    kiln_string_free(&message);
    for (intptr_t i = 0; i < mlirDiagnosticGetNumNotes(diagnostic); i++)
        report_mlir(session, mlirDiagnosticGetNote(diagnostic, i), KILN_SEVERITY_NOTE);
}

MlirLogicalResult kiln_session_on_mlir(MlirDiagnostic diagnostic, void *user)
{
    static const kiln_severity_t severities[] = {[MlirDiagnosticError] = KILN_SEVERITY_ERROR,
                                                 [MlirDiagnosticWarning] = KILN_SEVERITY_WARNING,
                                                 [MlirDiagnosticNote] = KILN_SEVERITY_NOTE,
                                                 [MlirDiagnosticRemark] = KILN_SEVERITY_REMARK};
    report_mlir(user, diagnostic, severities[mlirDiagnosticGetSeverity(diagnostic)]);
    return mlirLogicalResultSuccess();
}
