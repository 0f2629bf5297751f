// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln inspect: the resources of kernels and the contents of their loops, of a code object, of a
// bundle, of a manifest's code object, or of a source, which is compiled.
//
// Everything is first gathered as JSON, from which the text is printed, so that --json has the same
// contents.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/code_object.h"
#include "base/json.h"
#include "base/string.h"
#include "cli/compare/code.h"
#include "cli/device_flags.h"
#include "cli/findings/findings.h"
#include "cli/input.h"
#include "cli/inspect/kernel.h"
#include "cli/inspect/variants.h"
#include "cli/json_text.h"
#include "cli/launch/call.h"
#include "cli/option_flags.h"
#include "cli/pages.h"
#include "cli/verbs.h"

// Text --------------------------------------------------------------------------------------------

static void print_counts(json_t *counts)
{
    const char *name;
    json_t *count;
    json_object_foreach(counts, name, count)
        printf("    %6lld  %s\n", json_integer_value(count), name);
}

// ", gemm.tile.c:24 to 31", if the code has a line table.
static void print_span(const json_t *loop)
{
    const char *file = json_string_value(json_object_get(loop, "file")),
               *slash = file ? strrchr(file, '/') : NULL;
    const json_int_t first = json_integer_value(json_object_get(loop, "first_line")),
                     last = json_integer_value(json_object_get(loop, "last_line"));
    if (file)
        printf(", %s:%lld", slash ? slash + 1 : file, first);
    if (file && last != first)
        printf(" to %lld", last);
    printf("\n");
}

static void print_kernel(const json_t *kernel)
{
    const json_t *resources = json_object_get(kernel, "resources"),
                 *code = json_object_get(kernel, "code"), *one;
    size_t i, row_count;
    const kiln_inspect_row_t *rows = kiln_inspect_rows(&row_count);
    kiln_inspect_print_variant(kernel);
    printf("kernel %s\n", json_string_value(json_object_get(kernel, "name")));
    for (i = 0; i < row_count; i++) {
        printf("  %-34s %8lld", rows[i].title,
               json_integer_value(json_object_get(resources, rows[i].member)));
        if (rows[i].of)
            printf(" of %u", rows[i].of);
        printf("\n");
    }
    if (!code)
        return;
    printf("  code: %lld instructions, %lld bytes\n",
           json_integer_value(json_object_get(code, "instructions")),
           json_integer_value(json_object_get(code, "bytes")));
    print_counts(json_object_get(code, "counts"));
    json_array_foreach(json_object_get(kernel, "loops"), i, one)
    {
        printf("  loop %zu: offset 0x%llx to 0x%llx", i + 1,
               (unsigned long long)json_integer_value(json_object_get(one, "first")),
               (unsigned long long)json_integer_value(json_object_get(one, "last")));
        print_span(one);
        print_counts(json_object_get(one, "counts"));
    }
    json_array_foreach(json_object_get(kernel, "findings"), i, one)
        printf("  finding: %s\n", json_string_value(one));
}

// The verb ----------------------------------------------------------------------------------------

typedef struct inspect_flags {
    kiln_launch_flags_t launch; // of a source
    const char *base;
    bool as_json;
    bool shown; // a diagnostic of the compilation was printed
} inspect_flags_t;

// Replaces the text of a source by its code object.
static kiln_status_t compile_source(const char *path, inspect_flags_t *flags,
                                    kiln_input_t *io_input)
{
    kiln_source_t source;
    kiln_session_t *session;
    kiln_kernel_t *kernel = NULL;
    kiln_setting_t defines[KILN_LAUNCH_MAX_SETTINGS];
    kiln_compile_options_t options;
    size_t size;
    kiln_compile_options_initialize(&options);
    options.kernel = flags->launch.kernel;
    KILN_TRY(kiln_launch_set_options(&flags->launch, defines, &options));
    KILN_TRY(kiln_session_create(&session));
    kiln_session_set_diagnostic_handler(session, kiln_launch_diagnostic, &flags->shown);
    kiln_input_source(path, io_input, &source);
    kiln_status_t status = kiln_compile(session, &source, &options, &kernel);
    if (!status) {
        const void *code = kiln_kernel_code_object(kernel, &size);
        free(io_input->bytes);
        io_input->bytes = malloc(size + 1);
        io_input->size = size;
        if (io_input->bytes)
            memcpy(io_input->bytes, code, size);
        else
            status = kiln_status_out_of_memory();
    }
    kiln_kernel_release(kernel);
    kiln_session_release(session);
    return status;
}

static kiln_status_t refuse_unused_flags(const kiln_launch_flags_t *launch, bool is_source)
{
    if (launch->grid)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--grid has no effect here: nothing is launched");
    if (!is_source && launch->setting_count)
        return kiln_status_make(KILN_STATUS_USAGE, "%s has no effect here: nothing is compiled",
                                launch->settings[0].name);
    if (!is_source)
        KILN_TRY(kiln_option_flags_refuse("nothing is compiled"));
    if (!is_source && kiln_compilation_flags_given())
        return kiln_status_make(KILN_STATUS_USAGE, "%s has no effect here: nothing is compiled",
                                kiln_compilation_flags_given());
    return KILN_OK;
}

// The kernels of a code object, all or one.
static kiln_status_t gather_object(const char *path, const kiln_input_t *input, const char *name,
                                   kiln_diagnostic_handler_t finding, json_t *kernels)
{
    kiln_code_object_t object;
    kiln_status_t status = kiln_status_annotate(
        kiln_code_object_read(input->bytes, input->size, &object), "while reading '%s'", path);
    kiln_lines_t *lines = status ? NULL : kiln_lines_open(input->bytes, input->size);
    if (!status && finding && input->kind == KILN_INPUT_OBJECT) // a source's were reported
        status = kiln_inspect_findings(input->bytes, input->size, name, finding);
    for (size_t i = 0; !status && i < object.kernel_count; i++)
        if (!name || strcmp(name, object.kernels[i].name) == 0)
            status = kiln_inspect_kernel(&object.kernels[i], lines, kernels);
    kiln_lines_close(lines);
    kiln_code_object_free(&object);
    return status;
}

// The kernels of a bundle, or the one of a manifest, whose code object is in the file next to it.
static kiln_status_t gather_set(const char *path, const kiln_input_t *input, const char *name,
                                kiln_diagnostic_handler_t finding, json_t *kernels)
{
    kiln_bundle_set_t set = {0};
    kiln_status_t status =
        input->kind == KILN_INPUT_BUNDLE
            ? kiln_bundle_set_add_memory(&set, strcmp(path, "-") ? path : "<stdin>", input->bytes,
                                         input->size, NULL)
            : kiln_bundle_set_add_file(&set, path);
    if (!status)
        status = kiln_inspect_variants(&set, name, finding, kernels);
    kiln_bundle_set_free(&set);
    return status;
}

// The kernels of a file, all or one, as an array. With `flags` it may be a source.
static kiln_status_t gather(const char *path, const char *name, inspect_flags_t *flags,
                            json_t **out_kernels)
{
    const unsigned accepted = KILN_INPUT_OBJECT | KILN_INPUT_BUNDLE | KILN_INPUT_MANIFEST;
    kiln_input_t input;
    *out_kernels = NULL;
    KILN_TRY(kiln_input_read(path, accepted | (flags ? KILN_INPUT_SOURCE : 0), &input));
    const bool is_source = input.kind & KILN_INPUT_SOURCE;
    const kiln_diagnostic_handler_t finding =
        flags && !flags->base ? kiln_launch_diagnostic : NULL; // not of what is compared
    json_t *kernels = json_array();
    kiln_status_t status = flags ? refuse_unused_flags(&flags->launch, is_source) : KILN_OK;
    if (!status && is_source)
        status = compile_source(path, flags, &input);
    if (!status)
        status = (is_source || input.kind == KILN_INPUT_OBJECT ? gather_object : gather_set)(
            path, &input, name, finding, kernels);
    if (!status && json_array_size(kernels) == 0)
        status = kiln_status_make(KILN_STATUS_NOT_FOUND, "'%s' has no kernel%s%s%s", path,
                                  name ? " '" : "", name ? name : "", name ? "'" : "");
    free(input.bytes);
    if (status)
        json_decref(kernels);
    else
        *out_kernels = kernels;
    return status;
}

// The same of a file that --json has written, or of one whose kernels gather can read.
static kiln_status_t gather_base(const char *path, json_t **out_kernels)
{
    json_t *root, *kernels;
    *out_kernels = NULL;
    const bool is_json = kiln_string_ends_with(path, ".json");
    if (is_json)
        KILN_TRY(kiln_json_read(path, &root));
    if (!is_json || json_object_get(root, "schema")) { // a manifest has that
        if (is_json)
            json_decref(root);
        return kiln_status_annotate(gather(path, NULL, NULL, out_kernels),
                                    "--compare takes a code object, a manifest, a bundle, or a "
                                    ".json file that kiln inspect --json has written");
    }
    kiln_status_t status =
        kiln_status_annotate(kiln_json_array(root, "kernels", &kernels),
                             "'%s' is not what `kiln inspect --json` prints", path);
    for (size_t i = 0; !status && i < json_array_size(kernels); i++) {
        const char *text;
        status = kiln_json_string(json_array_get(kernels, i), "name", &text);
    }
    if (!status)
        *out_kernels = json_incref(kernels);
    json_decref(root);
    return status;
}

static void compare(const json_t *base, const json_t *kernels, bool some)
{
    enum { MAX_ROWS = 32 };
    size_t count;
    const kiln_inspect_row_t *rows = kiln_inspect_rows(&count);
    kiln_code_row_t all[MAX_ROWS];
    for (size_t i = 0; i < count && i < MAX_ROWS; i++)
        all[i] = (kiln_code_row_t){rows[i].member, rows[i].title};
    kiln_code_compare(base, kernels, some, all, count);
}

static kiln_status_t inspect(const char *path, inspect_flags_t *flags)
{
    json_t *kernels, *base = NULL;
    const char *name = flags->launch.kernel;
    KILN_TRY(gather(path, name, flags, &kernels));
    kiln_status_t status = flags->base ? gather_base(flags->base, &base) : KILN_OK;
    const json_t *kernel;
    size_t i;
    if (!status && base) {
        compare(base, kernels, name != NULL);
    } else if (!status && flags->as_json) {
        json_t *root = json_pack("{s:O}", "kernels", kernels);
        kiln_cli_print_json(root);
        json_decref(root);
    } else if (!status) {
        if (json_array_size(kernels) > 1 && json_object_get(json_array_get(kernels, 0), "variant"))
            kiln_inspect_print_table(kernels);
        json_array_foreach(kernels, i, kernel) print_kernel(kernel);
    }
    json_decref(base);
    json_decref(kernels);
    return status;
}

int kiln_verb_inspect(int argc, char **argv)
{
    kiln_words_t words;
    kiln_words_begin(&words, "inspect");
    kiln_findings_default();
    inspect_flags_t flags = {0};
    for (int flag; (flag = kiln_words_next(&words, argc, argv)) != -1;) {
        if (flag == KILN_FLAG_HELP)
            return kiln_usage(stdout, "inspect");
        if (flag == KILN_FLAG_inspect_COMPARE)
            flags.base = optarg;
        else if (flag == KILN_FLAG_inspect_JSON)
            flags.as_json = true;
        else if (!kiln_launch_flag_take(&flags.launch, flag, optarg))
            return kiln_words_refuse(&words, flag);
    }
    if (argc - optind != 1)
        return kiln_usage(stderr, "inspect");
    if (flags.base && flags.as_json)
        return kiln_cli_report(kiln_status_make(
            KILN_STATUS_USAGE,
            "--compare prints text only; use --json to write a file to compare with"));
    kiln_status_t status = inspect(argv[optind], &flags);
    return kiln_launch_report(status, flags.shown);
}
