// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags generated from the table of options. Note that names are spelled with '-' here.
#include "option_flags.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/string.h"

// All options, with a text form or without.
enum {
    MAX_OPTIONS = 0
#define KILN_OPTION(type, name, effect, values, initial, what) +1
#define KILN_OPTION_LIST(type, name, count, effect, what)
#include "kiln/options.def"
#undef KILN_OPTION
};

// As large as the longest name.
typedef union name {
#define KILN_OPTION(type, name, effect, values, initial, what) char name[sizeof #name];
#include "kiln/options.def"
#undef KILN_OPTION
#undef KILN_OPTION_LIST
} name_t;

enum { MAX_WORDS = 64 };
static const char *warnings[MAX_WORDS], *include_dirs[MAX_WORDS];
static size_t default_warnings; // the first ones, which were not given
static size_t warning_count, include_dir_count;
static kiln_header_t bitcode[MAX_WORDS];
static size_t bitcode_count;
enum { MAX_OVERRIDES = 3 }; // tt, ttg and llvm
static struct {
    const char *path, *stage;
    kiln_header_t text; // its name: STAGE:PATH, so that errors name the file
} overrides[MAX_OVERRIDES];
static size_t override_count;

const char *kiln_option_flag_name(size_t index)
{
    static char names[MAX_OPTIONS][sizeof(name_t)];
    const kiln_option_t *option = index < MAX_OPTIONS ? kiln_compile_option(index) : NULL;
    if (!option)
        return NULL;
    snprintf(names[index], sizeof(name_t), "%s", option->name);
    for (char *c = names[index]; (c = strchr(c, '_'));)
        *c = '-';
    return names[index];
}

static bool given[MAX_OPTIONS];

const kiln_option_t *kiln_option_of_flag(int flag, const char **io_value)
{
    if (flag < KILN_FLAG_FIRST_OPTION || flag >= KILN_FLAG_FIRST_OPTION + MAX_OPTIONS)
        return NULL;
    const kiln_option_t *option = kiln_compile_option((size_t)(flag - KILN_FLAG_FIRST_OPTION));
    given[flag - KILN_FLAG_FIRST_OPTION] = option != NULL;
    if (!*io_value)
        *io_value = "1";
    return option;
}

// Options of passes have an effect only if the input precedes the passes and the output follows
// them; none has one if the output is what is read.
static const struct {
    const char *name;
    kiln_stage_t from_at_most, to_at_least;
    const char *why;
} acts[] = {
    {"num_warps", KILN_STAGE_TT, KILN_STAGE_TTG, "it applies to the passes from tt to ttg"},
    {"num_stages", KILN_STAGE_TT, KILN_STAGE_TTG, "it applies to the passes from tt to ttg"},
    {"matrix_instr_nonkdim", KILN_STAGE_TT, KILN_STAGE_TTG,
     "it applies to the passes from tt to ttg"},
    {"kpack", KILN_STAGE_TT, KILN_STAGE_TTG, "it applies to the passes from tt to ttg"},
    {"waves_per_eu", KILN_STAGE_TTG, KILN_STAGE_TTG, "it applies to ttg and the stages after it"},
    {"no_llvm_passes", KILN_STAGE_TTG, KILN_STAGE_LLVM, "it applies to the stages after ttg"},
    {"enable_fp_fusion", KILN_STAGE_TTG, KILN_STAGE_LLVM, "it applies to the stages after ttg"},
    {"allow_flush_denorm", KILN_STAGE_TTG, KILN_STAGE_LLVM, "it applies to the stages after ttg"},
    {"debug_variables", KILN_STAGE_TTG, KILN_STAGE_LLVM, "it applies to the stages after ttg"},
    {"no_include_files", KILN_STAGE_TILE, KILN_STAGE_TT, "only Tile C has #include"},
};

bool kiln_option_flag_is_given(size_t index)
{
    return index < MAX_OPTIONS && given[index];
}

kiln_status_t kiln_option_flag_check(size_t index, kiln_stage_t from, kiln_stage_t to)
{
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (kiln_option_flag_is_given(index) &&
            strcmp(kiln_compile_option(index)->name, acts[i].name) == 0 &&
            (from >= to || from > acts[i].from_at_most || to < acts[i].to_at_least))
            return kiln_status_make(KILN_STATUS_USAGE, "--%s has no effect here: %s",
                                    kiln_option_flag_name(index), acts[i].why);
    return KILN_OK;
}

kiln_status_t kiln_option_flags_check(kiln_stage_t from, kiln_stage_t to)
{
    if (include_dir_count && from != KILN_STAGE_TILE)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "-I has no effect here: only Tile C has #include");
    for (size_t i = 0; i < MAX_OPTIONS; i++)
        KILN_TRY(kiln_option_flag_check(i, from, to));
    return KILN_OK;
}

kiln_status_t kiln_option_flags_refuse(const char *why)
{
    for (size_t i = 0; i < MAX_OPTIONS; i++)
        if (given[i] && strcmp(kiln_compile_option(i)->name, "no_include_files") != 0)
            return kiln_status_make(KILN_STATUS_USAGE, "--%s has no effect here: %s",
                                    kiln_option_flag_name(i), why);
    return override_count
               ? kiln_status_make(KILN_STATUS_USAGE, "--override has no effect here: %s", why)
               : KILN_OK;
}

kiln_status_t kiln_override_expect_tt(void)
{
    for (size_t i = 0; i < override_count; i++)
        if (strcmp(overrides[i].stage, "tt") != 0)
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "--override=%s: all combinations would be this code; kiln tune "
                                    "takes FILE.ttir only",
                                    overrides[i].path);
    return KILN_OK;
}

bool kiln_warning_flag_take(int flag, const char *value)
{
    if ((flag != 'W' && flag != 'R' && flag != 'w') ||
        warning_count == sizeof warnings / sizeof *warnings)
        return false;
    return (warnings[warning_count++] = kiln_string_print("-%c%s", flag, value ? value : "")) !=
           NULL;
}

void kiln_warning_flags_are_default(void)
{
    default_warnings = warning_count;
}

void kiln_remark_flags_drop(void)
{
    size_t left = 0;
    default_warnings = 0;
    for (size_t i = 0; i < warning_count; i++)
        if (strncmp(warnings[i], "-R", 2) != 0)
            warnings[left++] = warnings[i];
        else
            free((char *)(uintptr_t)warnings[i]);
    warning_count = left;
}

bool kiln_include_dir_take(const char *directory)
{
    if (include_dir_count == MAX_WORDS)
        return false;
    include_dirs[include_dir_count++] = directory;
    return true;
}

static const char *other_source_flag(void)
{
    return include_dir_count ? "-I"
           : bitcode_count   ? "--link-bitcode"
           : override_count  ? "--override"
                             : NULL;
}

const char *kiln_source_flags_given(void)
{
    return warning_count > default_warnings ? warnings[default_warnings] : other_source_flag();
}

const char *kiln_compilation_flags_given(void)
{
    for (size_t i = default_warnings; i < warning_count; i++)
        if (warnings[i][1] != 'R')
            return warnings[i];
    return other_source_flag();
}

bool kiln_bitcode_take(const char *path)
{
    if (bitcode_count == MAX_WORDS)
        return false;
    bitcode[bitcode_count++].name = path;
    return true;
}

kiln_status_t kiln_override_take(const char *path)
{
    static const char *const kinds[][2] = {{".ttir", "tt"}, {".ttgir", "ttg"}, {".ll", "llvm"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!kiln_string_ends_with(path, kinds[i][0]))
            continue;
        for (size_t k = 0; k < override_count; k++)
            if (strcmp(overrides[k].stage, kinds[i][1]) == 0)
                return kiln_status_make(KILN_STATUS_USAGE,
                                        "--override: '%s' and '%s' both replace %s",
                                        overrides[k].path, path, kinds[i][1]);
        overrides[override_count].path = path;
        overrides[override_count++].stage = kinds[i][1];
        return KILN_OK;
    }
    return kiln_status_make(
        KILN_STATUS_USAGE, "--override: expected FILE.ttir, FILE.ttgir or FILE.ll, got '%s'", path);
}

kiln_status_t kiln_source_flags_set(kiln_compile_options_t *options)
{
    for (size_t i = 0; i < bitcode_count; i++) {
        char *bytes;
        if (bitcode[i].text)
            continue;
        KILN_TRY(kiln_file_read(bitcode[i].name, &bytes, &bitcode[i].length));
        bitcode[i].text = bytes;
    }
    static kiln_header_t texts[MAX_OVERRIDES];
    for (size_t i = 0; i < override_count; i++) {
        char *bytes;
        if (!overrides[i].text.text) {
            KILN_TRY(kiln_file_read(overrides[i].path, &bytes, &overrides[i].text.length));
            overrides[i].text.text = bytes;
            overrides[i].text.name =
                kiln_string_print("%s:%s", overrides[i].stage, overrides[i].path);
            if (!overrides[i].text.name)
                return kiln_status_out_of_memory();
        }
        texts[i] = overrides[i].text;
    }
    options->overrides = texts;
    options->override_count = override_count;
    options->bitcode = bitcode;
    options->bitcode_count = bitcode_count;
    options->warnings = warnings;
    options->warning_count = warning_count;
    options->include_dirs = include_dirs;
    options->include_dir_count = include_dir_count;
    return KILN_OK;
}
