// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front end's stages in order: preprocess (if needed), lex, parse, check, emit, verify.
//
// A stage runs only if its predecessors found no error. Parser and checker recover from errors, so
// one run still reports several.
#include "frontend.h"

#include <string.h>

#include "frontend/emit/emit.h"
#include "frontend/parse/tree.h"

static bool is_type_word(kiln_token_kind_t kind)
{
    return kind == KILN_TOKEN_SCALAR || kind == KILN_TOKEN_AUTO || kind == KILN_TOKEN_VOID ||
           kind == KILN_TOKEN_CONST || kind == KILN_TOKEN_RESTRICT || kind == KILN_TOKEN_TYPE;
}

// Whether the program uses a name that -D sets without declaring it; -D then defines a macro. A
// name after a type, a pointer to one or another name is declared there.
static bool uses_macro(const kiln_token_t *tokens, const char *name)
{
    bool is_used = false, declares = false; // declares: in a list after constexpr
    for (size_t i = 0; tokens[i].kind != KILN_TOKEN_END; i++) {
        kiln_token_kind_t kind = tokens[i].kind,
                          before = i ? tokens[i - 1].kind : KILN_TOKEN_SEMICOLON;
        if (kind == KILN_TOKEN_CONSTEXPR || kind == KILN_TOKEN_SEMICOLON ||
            kind == KILN_TOKEN_RIGHT_PAREN)
            declares = kind == KILN_TOKEN_CONSTEXPR;
        if (kind != KILN_TOKEN_NAME || strcmp(tokens[i].name, name) != 0)
            continue;
        is_used = true;
        if (is_type_word(before) || before == KILN_TOKEN_NAME ||
            (before == KILN_TOKEN_COMMA && declares) ||
            (before == KILN_TOKEN_STAR && i > 1 && is_type_word(tokens[i - 2].kind)))
            return false;
    }
    return is_used;
}

static bool uses_macros(const kiln_token_t *tokens, const kiln_compile_options_t *options)
{
    for (size_t i = 0; i < options->define_count; i++)
        if (uses_macro(tokens, options->defines[i].name))
            return true;
    return false;
}

typedef struct run {
    kiln_arena_t arena;
    kiln_reporter_t reporter;
    kiln_builder_t *builder;
    MlirContext context;
    const kiln_compile_options_t *options;
    kiln_named_constants_t *constants; // NULL: not requested
    kiln_declared_tuning_t *tuning;    // NULL, or the only thing that is requested
    kiln_expanded_t *expanded;         // NULL if the source was not preprocessed
} run_t;

// Returns false if compilation cannot continue.
static bool preprocess(run_t *run)
{
    run->expanded = kiln_preprocess(run->reporter.source, run->options);
    if (!run->expanded) {
        kiln_report_status(&run->reporter, kiln_status_out_of_memory());
        return false;
    }
    kiln_reporter_expand(&run->reporter, run->expanded);
    return !run->reporter.error_count;
}

// NULL after errors.
static kiln_unit_t *read_unit(run_t *run, kiln_names_t *names)
{
    kiln_reporter_t *reporter = &run->reporter;
    size_t token_count;
    if (kiln_preprocess_is_needed(reporter->text, reporter->length) && !preprocess(run))
        return NULL;
    kiln_token_t *tokens = kiln_lex(reporter, names, &token_count);
    if (!run->expanded && !reporter->error_count && uses_macros(tokens, run->options)) {
        if (!preprocess(run))
            return NULL;
        tokens = kiln_lex(reporter, names, &token_count);
    }
    kiln_unit_t *unit = kiln_parse(reporter, names, tokens, token_count);
    return reporter->error_count ? NULL : unit;
}

// Combines the errors into one status: the first error and the number of further ones.
static kiln_status_t take_status(kiln_reporter_t *reporter)
{
    kiln_status_t status = reporter->first;
    reporter->first = KILN_OK;
    if (reporter->error_count > 1)
        status = kiln_status_annotate(status, "and %u more errors", reporter->error_count - 1);
    return status;
}

static kiln_status_t read_tuning(run_t *run)
{
    kiln_reporter_t *reporter = &run->reporter;
    kiln_names_t names = {.arena = reporter->arena};
    const kiln_unit_t *unit = read_unit(run, &names);
    const char *const *globals = NULL;
    const kiln_function_syntax_t *kernel =
        unit ? kiln_check_declarations(reporter, &names, unit, run->options, &globals) : NULL;
    return kernel ? kiln_declared_tuning_make(reporter, kernel, globals, run->tuning)
                  : take_status(reporter);
}

static kiln_status_t parse_and_emit(run_t *run, MlirModule *out_module)
{
    kiln_reporter_t *reporter = &run->reporter;
    kiln_names_t names = {.arena = reporter->arena};
    const kiln_unit_t *unit = read_unit(run, &names);
    kiln_program_t *program = unit ? kiln_check(reporter, &names, unit, run->options) : NULL;
    if (!program)
        return take_status(reporter);
    kiln_emitter_t emitter = {.reporter = reporter,
                              .arena = &run->arena,
                              .builder = run->builder,
                              .context = run->context};
    kiln_emit_program(&emitter, program);
    if (!reporter->error_count)
        kiln_check_warnings(program);
    if (reporter->error_count)
        return take_status(reporter);
    if (run->constants)
        KILN_TRY(kiln_named_constants_make(program, run->constants));
    // The checker has accepted the program, so an error of the verifier is an internal error.
    kiln_status_t status = kiln_builder_take_module(run->builder, out_module);
    if (!status || kiln_status_is_out_of_memory(status))
        return status;
    kiln_status_t fault =
        kiln_status_make(KILN_STATUS_INTERNAL, "the front end generated an invalid program: %s",
                         kiln_status_message(status));
    fault = kiln_status_at(fault, kiln_status_file(status), kiln_status_line(status),
                           kiln_status_column(status));
    kiln_status_free(status);
    return fault;
}

// The arena jumps back to here when memory is exhausted; the objects that the run owns are in the
// caller's frame, which the jump does not affect.
static kiln_status_t run_guarded(run_t *run, const kiln_source_t *source,
                                 kiln_diagnostic_handler_t handler, void *user,
                                 MlirModule *out_module)
{
    switch (setjmp(run->arena.failure)) {
    case 0:
        break;
    case KILN_ARENA_FULL:
        return kiln_status_make(
            KILN_STATUS_OUT_OF_RESOURCES,
            "'%s' is too large: reading it, with its calls and constant loops expanded, needs more "
            "than %zu MiB",
            source->name, (size_t)KILN_ARENA_LIMIT >> 20);
    default:
        return kiln_status_out_of_memory();
    }
    kiln_reporter_initialize(&run->reporter, &run->arena, source, handler, user);
    KILN_TRY(kiln_warnings_read(run->options->warnings, run->options->warning_count,
                                &run->reporter.warnings));
    return run->tuning ? read_tuning(run) : parse_and_emit(run, out_module);
}

static kiln_status_t check_size(const kiln_source_t *source)
{
    if (source->length <= KILN_SOURCE_LIMIT)
        return KILN_OK;
    return kiln_status_at(kiln_status_make(KILN_STATUS_INVALID_INPUT, "the program exceeds %zu MiB",
                                           KILN_SOURCE_LIMIT >> 20),
                          source->name, 1, 1);
}

kiln_status_t kiln_frontend_parse(MlirContext context, const kiln_source_t *source,
                                  const kiln_compile_options_t *options,
                                  kiln_diagnostic_handler_t handler, void *user,
                                  kiln_named_constants_t *out_constants,
                                  kiln_expanded_t **out_expanded, MlirModule *out_module)
{
    *out_module = (MlirModule){NULL};
    KILN_TRY(check_size(source));
    run_t run = {.context = context, .options = options, .constants = out_constants};
    KILN_TRY(kiln_builder_create_in(context, &run.builder));
    kiln_status_t status = run_guarded(&run, source, handler, user, out_module);
    kiln_status_free(run.reporter.first);
    kiln_builder_release(run.builder);
    kiln_arena_release(&run.arena);
    if (out_expanded)
        *out_expanded = run.expanded;
    else
        kiln_expanded_free(run.expanded);
    return status;
}

kiln_status_t kiln_frontend_read_tuning(const kiln_source_t *source,
                                        const kiln_compile_options_t *options,
                                        kiln_diagnostic_handler_t handler, void *user,
                                        kiln_declared_tuning_t *out_tuning)
{
    *out_tuning = (kiln_declared_tuning_t){0};
    KILN_TRY(check_size(source));
    run_t run = {.options = options, .tuning = out_tuning};
    kiln_status_t status = run_guarded(&run, source, handler, user, NULL);
    kiln_status_free(run.reporter.first);
    kiln_arena_release(&run.arena);
    kiln_expanded_free(run.expanded);
    return status;
}
