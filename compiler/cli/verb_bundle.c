// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln bundle: packs compiled kernels into one file, from which kiln/load.h selects.
//
// Order matters: if two kernels fit a call equally well, the first one is selected.
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bundle_set.h"
#include "base/description.h"
#include "base/string.h"
#include "compile_output.h"
#include "crash.h"
#include "device_flags.h"
#include "input.h"
#include "kiln/ahead.h"
#include "pages.h"
#include "verbs.h"

typedef struct bundle_words {
    const char *output, *symbol;
    bool wants_object, wants_list;
} bundle_words_t;

// The list ----------------------------------------------------------------------------------------

static void show_argument(const kiln_described_argument_t *a, kiln_string_t *out)
{
    kiln_string_appendf(out, " %s=%s", a->name, a->type);
    if (a->divisibility > 1)
        kiln_string_appendf(out, ":%u", a->divisibility);
    if (a->is_below_2g)
        kiln_string_append(out, ":2g");
    if (a->has_range && a->least == INT64_MIN)
        kiln_string_appendf(out, "[:%" PRId64 "]", a->most);
    else if (a->has_range && a->most == INT64_MAX)
        kiln_string_appendf(out, "[%" PRId64 ":]", a->least);
    else if (a->has_range)
        kiln_string_appendf(out, "[%" PRId64 ":%" PRId64 "]", a->least, a->most);
}

// "vec_add BLOCK=64: x=*f32:16 n=i32[1:64]; grid cdiv(n, BLOCK),1,1; gfx942"
static kiln_status_t show(const kiln_bundle_item_t *item, const char *origin)
{
    kiln_description_t d;
    kiln_string_t line = {0};
    kiln_status_t status = kiln_description_read(origin, item->manifest, item->manifest_size, &d);
    if (!status) {
        kiln_string_append(&line, d.name);
        for (size_t i = 0; i < d.constant_count; i++)
            kiln_string_appendf(&line, " %s=%s", d.constants[i].name, d.constants[i].value);
        kiln_string_append(&line, ":");
        for (size_t i = 0; i < d.argument_count; i++)
            show_argument(&d.arguments[i], &line);
        if (d.has_grid)
            kiln_string_appendf(&line, "; grid %s,%s,%s", d.grid[0].text, d.grid[1].text,
                                d.grid[2].text);
        kiln_string_appendf(&line, "; %s\n", d.arch);
        if (line.failed || fputs(line.data, stdout) < 0)
            status = kiln_status_out_of_memory();
    }
    kiln_string_free(&line);
    kiln_description_free(&d);
    return status;
}

static kiln_status_t list(const kiln_bundle_set_t *set)
{
    for (size_t i = 0; i < set->count; i++)
        KILN_TRY(show(&set->items[i], set->origins[i]));
    return KILN_OK;
}

// The file ----------------------------------------------------------------------------------------

static kiln_status_t make(const kiln_bundle_set_t *set, void **out_bundle, size_t *out_size)
{
    kiln_compiled_t *kernels = calloc(set->count + 1, sizeof *kernels);
    if (!kernels)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < set->count; i++)
        kernels[i] = (kiln_compiled_t){set->items[i].code_object, set->items[i].code_object_size,
                                       set->items[i].manifest};
    kiln_status_t status = kiln_bundle_make(kernels, set->count, out_bundle, out_size);
    free(kernels);
    return status;
}

static kiln_status_t bundle(const bundle_words_t *words, const kiln_bundle_set_t *set)
{
    void *bytes = NULL, *object = NULL;
    size_t size, object_size;
    kiln_status_t status = make(set, &bytes, &size);
    if (!status && words->wants_object) {
        const kiln_object_part_t part = {words->symbol ? words->symbol : "kiln_bundle", bytes,
                                         size};
        status = kiln_object_make(&part, 1, &object, &object_size);
        if (!status)
            status = kiln_output_bytes(words->output, object, object_size);
    } else if (!status) {
        status = kiln_output_bytes(words->output, bytes, size);
    }
    free(bytes);
    free(object);
    return status;
}

// A code object's manifest is in the file beside it, so stdin can only be a bundle.
static kiln_status_t add(kiln_bundle_set_t *set, const char *path)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    const unsigned pair = KILN_INPUT_OBJECT | KILN_INPUT_MANIFEST;
    kiln_input_t input;
    KILN_TRY(kiln_input_read(path, KILN_INPUT_BUNDLE | (is_stdin ? 0 : pair), &input));
    kiln_status_t status = input.kind == KILN_INPUT_BUNDLE
                               ? kiln_bundle_set_add_memory(set, is_stdin ? "<stdin>" : path,
                                                            input.bytes, input.size, NULL)
                               : kiln_bundle_set_add_file(set, path);
    free(input.bytes);
    return status;
}

static kiln_status_t run(const bundle_words_t *words, char **paths, int count)
{
    kiln_bundle_set_t set = {0};
    kiln_status_t status = KILN_OK;
    for (int i = 0; i < count && !status; i++)
        status = add(&set, paths[i]);
    if (!status)
        status = words->wants_list ? list(&set) : bundle(words, &set);
    kiln_bundle_set_free(&set);
    return status;
}

// Words -------------------------------------------------------------------------------------------

static bool take_flag(bundle_words_t *words, int flag, const char *value)
{
    switch (flag) {
    case KILN_FLAG_bundle_OUTPUT:
        words->output = value;
        return true;
    case KILN_FLAG_bundle_SYMBOL:
        words->symbol = value;
        return true;
    case KILN_FLAG_bundle_EMIT:
        words->wants_object = strcmp(value, "object") == 0;
        return words->wants_object || strcmp(value, "bundle") == 0;
    case KILN_FLAG_bundle_LIST:
        return words->wants_list = true;
    default:
        return false;
    }
}

int kiln_verb_bundle(int argc, char **argv)
{
    kiln_words_t words;
    bundle_words_t given = {0};
    kiln_words_begin(&words, "bundle");
    for (int flag; (flag = kiln_words_next(&words, argc, argv)) != -1;) {
        if (flag == KILN_FLAG_HELP)
            return kiln_usage(stdout, "bundle");
        if (!take_flag(&given, flag, optarg))
            return kiln_words_refuse(&words, flag);
    }
    if (argc == optind)
        return kiln_cli_report(
            kiln_status_make(KILN_STATUS_USAGE, "no input files; see kiln bundle --help"));
    if (!given.output && !given.wants_list)
        return kiln_cli_report(kiln_status_make(
            KILN_STATUS_USAGE, "expected -o OUT or --list; see kiln bundle --help"));
    if (given.output && given.wants_list)
        return kiln_cli_report(kiln_status_make(
            KILN_STATUS_USAGE, "--list writes no output; remove --list or -o %s", given.output));
    if (given.wants_object && given.wants_list)
        return kiln_cli_report(kiln_status_make(
            KILN_STATUS_USAGE, "--emit has no effect here: --list writes no output"));
    if (given.symbol && !given.wants_object)
        return kiln_cli_report(kiln_status_make(
            KILN_STATUS_USAGE, "--symbol has no effect here: it applies to --emit=object"));
    kiln_crash_remember(argc, argv, NULL, 0);
    return kiln_cli_report(run(&given, argv + optind, argc - optind));
}
