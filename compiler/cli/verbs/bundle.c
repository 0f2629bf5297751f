// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln bundle: packs compiled kernels into one file, from which kiln/load.h selects.
//
// Order matters: if two kernels fit a call equally well, the first one is selected. With --sizes
// the kernels are compiled here (tune/bundle_sizes.c).
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bundle_set.h"
#include "base/description.h"
#include "base/string.h"
#include "cli/compile/output.h"
#include "cli/device_flags.h"
#include "cli/input.h"
#include "cli/inspect/variants.h"
#include "cli/pages.h"
#include "cli/tune/bundle_sizes.h"
#include "cli/verbs.h"
#include "kiln/ahead.h"

typedef struct bundle_words {
    const char *output, *symbol;
    bool to_object, lists;
    kiln_bundle_sizes_t tuned;
    bool has_launch_flag; // one that requires --sizes
} bundle_words_t;

// The list ----------------------------------------------------------------------------------------

// "vec_add BLOCK=64: x=*f32:16 n=i32[1:64]; grid cdiv(n, BLOCK),1,1; gfx942"
static kiln_status_t show(const kiln_bundle_item_t *item, const char *name)
{
    kiln_description_t d;
    kiln_string_t line = {0};
    kiln_status_t status = kiln_description_read(name, item->manifest, item->manifest_size, &d);
    if (!status) {
        kiln_string_append(&line, d.name);
        for (size_t i = 0; i < d.constant_count; i++)
            kiln_string_appendf(&line, " %s=%s", d.constants[i].name, d.constants[i].value);
        kiln_string_append(&line, ":");
        for (size_t i = 0; i < d.argument_count; i++)
            kiln_described_argument_append(&d.arguments[i], &line);
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
        KILN_TRY(show(&set->items[i], set->manifests[i]));
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

static kiln_status_t write_bundle(const bundle_words_t *words, const void *bytes, size_t size)
{
    void *object;
    size_t object_size;
    if (!words->to_object)
        return kiln_output_bytes(words->output, bytes, size);
    const kiln_object_part_t part = {words->symbol ? words->symbol : "kiln_bundle", bytes, size};
    KILN_TRY(kiln_object_make(&part, 1, &object, &object_size));
    kiln_status_t status = kiln_output_bytes(words->output, object, object_size);
    free(object);
    return status;
}

static kiln_status_t bundle(const bundle_words_t *words, const kiln_bundle_set_t *set)
{
    void *bytes = NULL;
    size_t size;
    kiln_status_t status = make(set, &bytes, &size);
    if (!status)
        status = write_bundle(words, bytes, size);
    free(bytes);
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
        status = words->lists ? list(&set) : bundle(words, &set);
    kiln_bundle_set_free(&set);
    return status;
}

static int run_sizes(const bundle_words_t *words)
{
    kiln_device_t *device = NULL;
    void *bytes = NULL;
    size_t size;
    bool shown = false;
    kiln_status_t status = kiln_device_from_environment(&device);
    if (!status)
        status = kiln_bundle_sizes_make(device, &words->tuned, &bytes, &size, &shown);
    if (!status)
        status = write_bundle(words, bytes, size);
    free(bytes);
    kiln_device_release(device);
    return kiln_launch_report(status, shown);
}

// Words -------------------------------------------------------------------------------------------

static bool take_flag(bundle_words_t *words, int flag, char *value)
{
    switch (flag) {
    case KILN_FLAG_bundle_OUTPUT:
        words->output = value;
        return true;
    case KILN_FLAG_bundle_SYMBOL:
        words->symbol = value;
        return true;
    case KILN_FLAG_bundle_EMIT:
        words->to_object = strcmp(value, "object") == 0;
        return words->to_object || strcmp(value, "bundle") == 0;
    case KILN_FLAG_bundle_LIST:
        return words->lists = true;
    case KILN_FLAG_bundle_SIZES:
        words->tuned.sizes = value;
        return true;
    case KILN_FLAG_bundle_BY:
        words->tuned.by = value;
        return true;
    case KILN_FLAG_bundle_STORE:
        words->tuned.store = value;
        return true;
    default:
        words->has_launch_flag = true;
        return kiln_launch_flag_take(&words->tuned.launch, flag, value);
    }
}

static kiln_status_t idle(const char *flag, const char *why)
{
    return kiln_status_make(KILN_STATUS_USAGE, "%s has no effect here: %s", flag, why);
}

// Rejects words without effect.
static kiln_status_t check_words(const bundle_words_t *words, int input_count)
{
    const kiln_bundle_sizes_t *tuned = &words->tuned;
    if (input_count == 0)
        return kiln_status_make(KILN_STATUS_USAGE, "no input files; see kiln bundle --help");
    if (!words->output && !words->lists)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "expected -o OUT or --list; see kiln bundle --help");
    if (words->output && words->lists)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--list writes no output; remove --list or -o %s", words->output);
    if (words->to_object && words->lists)
        return idle("--emit", "--list writes no output");
    if (words->symbol && !words->to_object)
        return idle("--symbol", "it applies to --emit=object");
    if (!tuned->sizes && (tuned->by || tuned->store))
        return idle(tuned->by ? "--by" : "--store", "it requires --sizes");
    if (!tuned->sizes && words->has_launch_flag)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "flags of compilation and launches have no effect here: they "
                                "require --sizes");
    return KILN_OK;
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
    kiln_status_t wrong = check_words(&given, argc - optind);
    if (wrong)
        return kiln_cli_report(wrong);
    if (!given.tuned.sizes)
        return kiln_cli_report(run(&given, argv + optind, argc - optind));
    given.tuned.path = argv[optind];
    given.tuned.words = argv + optind + 1;
    given.tuned.word_count = (size_t)(argc - optind - 1);
    return run_sizes(&given);
}
