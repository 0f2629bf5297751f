// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln/kiln.h as an embedder uses it: the properties of a kernel, diagnostics, misuse, and many
// threads that must get the same bytes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/kiln.h"

static const char SCALE[] =
    "module {\n"
    "  tt.func public @scale(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32} loc(\"x\"), %s: f32 "
    "loc(\"s\"), %n: i64) {\n"
    "    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>\n"
    "    %p = tt.splat %x : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>>\n"
    "    %q = tt.addptr %p, %r : tensor<512x!tt.ptr<f16>>, tensor<512xi32>\n"
    "    %v = tt.load %q : tensor<512x!tt.ptr<f16>>\n"
    "    %w = arith.extf %v : tensor<512xf16> to tensor<512xf32>\n"
    "    %t = tt.splat %s : f32 -> tensor<512xf32>\n"
    "    %m = arith.mulf %w, %t : tensor<512xf32>\n"
    "    %h = arith.truncf %m : tensor<512xf32> to tensor<512xf16>\n"
    "    tt.store %q, %h : tensor<512x!tt.ptr<f16>>\n"
    "    tt.return\n"
    "  }\n"
    "}\n";

static const char LARGE_BUFFER[] =
    "#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>\n"
    "#smem = #ttg.shared_memory\n"
    "module attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 1 : i32, "
    "\"ttg.threads-per-warp\" = 64 : i32} {\n"
    "  tt.func public @f() {\n"
    "    %m = ttg.local_alloc : () -> !ttg.memdesc<32768xi32, #s, #smem, mutable>\n"
    "    tt.return\n"
    "  }\n"
    "}\n";

static kiln_source_t tt_source(const char *text)
{
    return (kiln_source_t){
        .stage = KILN_STAGE_TT, .name = "scale.ttir", .text = text, .length = strlen(text)};
}

// Expects the facts that a host needs for its own error, such as Triton's OutOfResources(required,
// limit, name).
static void expect_exhausted(kiln_source_t source, int num_warps, kiln_resource_t resource,
                             uint64_t required, uint64_t limit)
{
    kiln_session_t *session;
    kiln_kernel_t *kernel;
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.num_warps = num_warps;
    assert_null(kiln_session_create(&session));
    kiln_status_t status = kiln_compile(session, &source, &options, &kernel);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_OUT_OF_RESOURCES);
    assert_int_equal(kiln_status_resource(status), resource);
    assert_int_equal(kiln_status_required(status), required);
    assert_int_equal(kiln_status_limit(status), limit);
    kiln_status_free(status);
    kiln_session_release(session);
}

static void what_a_workgroup_lacks_is_told_in_numbers(void **state)
{
    (void)state;
    expect_exhausted(tt_source(SCALE), 32, KILN_RESOURCE_THREADS, 2048, 1024);
    kiln_source_t large = tt_source(LARGE_BUFFER);
    large.stage = KILN_STAGE_TTG;
    expect_exhausted(large, 0, KILN_RESOURCE_LDS, 131072, 65536);
}

static void a_kernel_tells_what_it_is(void **state)
{
    (void)state;
    kiln_session_t *session;
    kiln_kernel_t *kernel;
    kiln_source_t source = tt_source(SCALE);
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.num_warps = 2;
    options.keep_stages = 1u << KILN_STAGE_TTG | 1u << KILN_STAGE_LLVM | 1u << KILN_STAGE_ASM;
    assert_null(kiln_session_create(&session));
    assert_null(kiln_compile(session, &source, &options, &kernel));
    kiln_session_release(session); // a kernel outlives its session
    assert_string_equal(kiln_kernel_name(kernel), "scale");
    assert_int_equal(kiln_kernel_block_size(kernel), 128);
    assert_int_equal(kiln_kernel_argument_count(kernel), 3);
    const kiln_argument_t *x = kiln_kernel_argument(kernel, 0),
                          *s = kiln_kernel_argument(kernel, 1),
                          *n = kiln_kernel_argument(kernel, 2);
    assert_string_equal(x->name, "x");
    assert_string_equal(x->type, "*f16");
    assert_int_equal(x->divisibility, 16);
    assert_string_equal(s->type, "f32");
    assert_int_equal(s->offset, 8);
    assert_int_equal(s->size, 4);
    assert_string_equal(n->name, "arg2");
    assert_int_equal(n->offset, 16);
    assert_null(kiln_kernel_argument(kernel, 3));
    assert_int_equal(kiln_kernel_resources(kernel)->occupancy, 8);
    assert_int_equal(kiln_kernel_resources(kernel)->lds_bytes, 0);
    assert_non_null(strstr(kiln_kernel_text(kernel, KILN_STAGE_TTG), "#ttg.blocked"));
    assert_non_null(strstr(kiln_kernel_text(kernel, KILN_STAGE_LLVM), "amdgpu_kernel void @scale"));
    assert_non_null(strstr(kiln_kernel_text(kernel, KILN_STAGE_ASM), "s_endpgm"));
    assert_null(kiln_kernel_text(kernel, KILN_STAGE_TT));
    assert_non_null(strstr(kiln_kernel_manifest(kernel), "\"block_size\": 128"));
    assert_true(kiln_kernel_timing_count(kernel) > 5);
    kiln_kernel_release(kernel);
}

typedef struct heard {
    unsigned errors, line, column;
    char message[256], source_line[256], file[64];
} heard_t;

static void hear(const kiln_diagnostic_t *diagnostic, void *user)
{
    heard_t *heard = user;
    if (diagnostic->severity != KILN_SEVERITY_ERROR || heard->errors++)
        return;
    heard->line = diagnostic->line;
    heard->column = diagnostic->column;
    snprintf(heard->message, sizeof heard->message, "%s", diagnostic->message);
    snprintf(heard->file, sizeof heard->file, "%s", diagnostic->file ? diagnostic->file : "");
    snprintf(heard->source_line, sizeof heard->source_line, "%s",
             diagnostic->source_line ? diagnostic->source_line : "");
}

static void errors_reach_the_handler_once_and_the_status(void **state)
{
    (void)state;
    kiln_session_t *session;
    kiln_kernel_t *kernel = (kiln_kernel_t *)(uintptr_t)1;
    heard_t heard = {0};
    kiln_source_t source =
        tt_source("module {\n  tt.func public @f(%a: i32) {\n\ttt.wood %a\n  }\n}\n");
    assert_null(kiln_session_create(&session));
    kiln_session_set_diagnostic_handler(session, hear, &heard);
    kiln_status_t status = kiln_compile(session, &source, NULL, &kernel);
    assert_null(kernel);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_INVALID_INPUT);
    assert_string_equal(kiln_status_file(status), "scale.ttir");
    assert_int_equal(kiln_status_line(status), 3);
    assert_int_equal(heard.errors, 1);
    assert_int_equal(heard.line, 3);
    assert_int_equal(heard.column, 2);
    assert_string_equal(heard.file, "scale.ttir");
    assert_string_equal(heard.source_line, "\ttt.wood %a");
    assert_string_equal(heard.message, kiln_status_message(status));
    kiln_status_free(status);
    // The session still works.
    source = tt_source(SCALE);
    assert_null(kiln_compile(session, &source, NULL, &kernel));
    kiln_kernel_release(kernel);
    kiln_session_release(session);
}

static void options_are_checked(void **state)
{
    (void)state;
    kiln_session_t *session;
    kiln_kernel_t *kernel;
    kiln_source_t source = tt_source(SCALE);
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    assert_null(kiln_session_create(&session));
    options.num_warps = 5;
    kiln_status_t status = kiln_compile(session, &source, &options, &kernel);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_USAGE);
    kiln_status_free(status);
    kiln_compile_options_initialize(&options);
    options.struct_size = offsetof(kiln_compile_options_t,
                                   no_line_info); // an older caller: later fields are not read
    options.last_stage = KILN_STAGE_TT;
    options.only_pass_count = 1000;
    assert_null(kiln_compile(session, &source, &options, &kernel));
    assert_non_null(kiln_kernel_text(kernel, KILN_STAGE_TT));
    kiln_kernel_release(kernel);
    const char *const pass = "cse";
    kiln_compile_options_initialize(&options);
    options.only_passes = options.disabled_passes = &pass;
    options.only_pass_count = options.disabled_pass_count = 1;
    status = kiln_compile(session, &source, &options, &kernel);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_USAGE);
    assert_non_null(strstr(kiln_status_message(status), "pass 'cse' is both selected"));
    kiln_status_free(status);
    source.stage = KILN_STAGE_ASM;
    status = kiln_compile(session, &source, NULL, &kernel);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_USAGE);
    kiln_status_free(status);
    kiln_session_release(session);
}

// A NULL from a C caller is a usage error, too.
static void nulls_are_errors(void **state)
{
    (void)state;
    const char *none = NULL;
    kiln_compile_options_t arch, last, passes;
    kiln_compile_options_initialize(&arch);
    last = passes = arch;
    arch.arch = NULL;
    last.last_stage = (kiln_stage_t)77;
    passes.disabled_passes = &none;
    passes.disabled_pass_count = 1;
    const kiln_source_t source = {.stage = KILN_STAGE_TT,
                                  .name = "x.ttir",
                                  .text = "module {}",
                                  .length = 9},
                        no_text = {.stage = KILN_STAGE_TT, .name = "x.ttir", .length = 9};
    kiln_session_t *session;
    assert_null(kiln_session_create(&session));
    const struct {
        const kiln_source_t *source;
        const kiln_compile_options_t *options;
    } rows[] = {
        {&source, &arch}, {&source, &last}, {&source, &passes}, {NULL, NULL}, {&no_text, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_kernel_t *kernel;
        kiln_status_t status = kiln_compile(session, rows[i].source, rows[i].options, &kernel);
        assert_int_equal(kiln_status_code(status), KILN_STATUS_USAGE);
        assert_null(kernel);
        kiln_status_free(status);
    }
    kiln_session_release(session);
    kiln_status_t no_place = kiln_session_create(NULL);
    assert_int_equal(kiln_status_code(no_place), KILN_STATUS_USAGE);
    kiln_status_free(no_place);
}

static void carets_stand_under_tabs_and_operands(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    kiln_diagnostic_t diagnostic = {.severity = KILN_SEVERITY_ERROR,
                                    .file = "a.tile.c",
                                    .line = 3,
                                    .column = 8,
                                    .message = "no",
                                    .source_line = "\tx = a + bb;",
                                    .range = 1,
                                    .marks = {{6, 1}, {10, 2}}};
    kiln_diagnostic_print(&diagnostic, stream);
    fclose(stream);
    assert_string_equal(text, "a.tile.c:3:8: error: no\n\tx = a + bb;\n\t    ~ ^ ~~\n");
    free(text);
}

typedef struct job {
    pthread_t thread;
    char *code;
    size_t size;
} job_t;

static void *compile_in_thread(void *user)
{
    job_t *job = user;
    kiln_session_t *session;
    kiln_source_t source = tt_source(SCALE);
    if (kiln_session_create(&session))
        return NULL;
    for (int i = 0; i < 3; i++) {
        kiln_kernel_t *kernel;
        if (kiln_compile(session, &source, NULL, &kernel))
            break;
        const void *code = kiln_kernel_code_object(kernel, &job->size);
        free(job->code);
        job->code = malloc(job->size);
        memcpy(job->code, code, job->size);
        kiln_kernel_release(kernel);
    }
    kiln_session_release(session);
    return NULL;
}

static void threads_compile_at_once_and_alike(void **state)
{
    (void)state;
    job_t jobs[4] = {{0}};
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&jobs[i].thread, NULL, compile_in_thread, &jobs[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(jobs[i].thread, NULL);
    for (int i = 0; i < 4; i++) {
        assert_non_null(jobs[i].code);
        assert_int_equal(jobs[i].size, jobs[0].size);
        assert_memory_equal(jobs[i].code, jobs[0].code, jobs[0].size);
    }
    for (int i = 0; i < 4; i++)
        free(jobs[i].code);
}

static void the_build_has_an_identity(void **state)
{
    (void)state;
    assert_int_equal(strlen(kiln_build_id()), 32);
    assert_ptr_equal(kiln_build_id(), kiln_build_id());
    assert_string_not_equal(kiln_build_id(), "00000000000000000000000000000000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_tells_what_it_is),
        cmocka_unit_test(what_a_workgroup_lacks_is_told_in_numbers),
        cmocka_unit_test(errors_reach_the_handler_once_and_the_status),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(nulls_are_errors),
        cmocka_unit_test(carets_stand_under_tabs_and_operands),
        cmocka_unit_test(threads_compile_at_once_and_alike),
        cmocka_unit_test(the_build_has_an_identity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
