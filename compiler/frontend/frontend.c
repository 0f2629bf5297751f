// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front end's stages in order: lex, parse, check, emit, verify.
//
// Every stage runs only if the one before found no error: the parser's recovery already gives several errors a run, and
// so does the checker's.
#include "frontend.h"

#include "emit.h"
#include "tree.h"

#define KILN_SOURCE_LIMIT ((size_t)4 << 20) // byte offsets are 32 bits wide, and no kernel is as long as this

static kiln_program_t *read_program(kiln_reporter_t *reporter, const kiln_compile_options_t *options)
{
    kiln_names_t names = {.arena = reporter->arena};
    size_t token_count;
    kiln_token_t *tokens = kiln_lex(reporter, &names, &token_count);
    kiln_unit_t *unit = kiln_parse(reporter, &names, tokens, token_count);
    return reporter->error_count ? NULL : kiln_check(reporter, &names, unit, options);
}

// What went wrong, as one status: the first error, and how many followed.
static kiln_status_t take_status(kiln_reporter_t *reporter)
{
    kiln_status_t status = reporter->first;
    reporter->first = KILN_OK;
    if (reporter->error_count > 1)
        status = kiln_status_annotate(status, "and %u more errors", reporter->error_count - 1);
    return status;
}

typedef struct run {
    kiln_arena_t arena;
    kiln_reporter_t reporter;
    kiln_builder_t *builder;
    MlirContext context;
    const kiln_compile_options_t *options;
    kiln_named_constants_t *constants; // NULL: nobody wants them
} run_t;

static kiln_status_t parse_and_emit(run_t *run, MlirModule *out_module)
{
    kiln_reporter_t *reporter = &run->reporter;
    kiln_program_t *program = read_program(reporter, run->options);
    if (!program)
        return take_status(reporter);
    kiln_emitter_t emitter = {
        .reporter = reporter, .arena = &run->arena, .builder = run->builder, .context = run->context};
    kiln_emit_program(&emitter, program);
    if (!reporter->error_count)
        kiln_check_warnings(program);
    if (reporter->error_count)
        return take_status(reporter);
    if (run->constants)
        KILN_TRY(kiln_named_constants_make(program, run->constants));
    // The checker has accepted the program, so what the verifier finds is our fault, not the user's.
    kiln_status_t status = kiln_builder_take_module(run->builder, out_module);
    if (!status)
        return KILN_OK;
    kiln_status_t fault = kiln_status_make(KILN_STATUS_INTERNAL, "the front end made an invalid program: %s",
                                           kiln_status_message(status));
    fault = kiln_status_at(fault, kiln_status_file(status), kiln_status_line(status), kiln_status_column(status));
    kiln_status_free(status);
    return fault;
}

// The arena jumps back to here when memory is short; what the run owns lives in the caller's frame, which the jump
// leaves alone.
static kiln_status_t run_guarded(run_t *run, const kiln_source_t *source, kiln_diagnostic_handler_t handler, void *user,
                                 MlirModule *out_module)
{
    if (setjmp(run->arena.failure))
        return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "compiling '%s' takes too much memory", source->name);
    kiln_reporter_initialize(&run->reporter, &run->arena, source, handler, user);
    KILN_TRY(kiln_warnings_read(run->options->warnings, run->options->warning_count, &run->reporter.warnings));
    return parse_and_emit(run, out_module);
}

kiln_status_t kiln_frontend_parse(MlirContext context, const kiln_source_t *source,
                                  const kiln_compile_options_t *options, kiln_diagnostic_handler_t handler, void *user,
                                  kiln_named_constants_t *out_constants, MlirModule *out_module)
{
    *out_module = (MlirModule){NULL};
    if (source->length > KILN_SOURCE_LIMIT)
        return kiln_status_at(
            kiln_status_make(KILN_STATUS_INVALID_INPUT, "the program is longer than %zu MiB", KILN_SOURCE_LIMIT >> 20),
            source->name, 1, 1);
    run_t run = {.context = context, .options = options, .constants = out_constants};
    KILN_TRY(kiln_builder_create_in(context, &run.builder));
    kiln_status_t status = run_guarded(&run, source, handler, user, out_module);
    kiln_status_free(run.reporter.first);
    kiln_builder_release(run.builder);
    kiln_arena_release(&run.arena);
    return status;
}
