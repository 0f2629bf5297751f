// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compile options, generated from kiln/options.def: defaults, checks, text forms, and the text of
// all options that code depends on.
//
// The function for a row is selected by the name of its type, so a CODE row whose type has no text
// form does not compile. This is intended: a cache key must include everything that code depends
// on.
#include "driver/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/gfx942.h"
#include "base/require.h"
#include "base/string.h"
#include "driver/compile_internal.h"

// Defaults and versions ---------------------------------------------------------------------------

static const kiln_compile_options_t defaults = {
#define KILN_OPTION(type, name, effect, values, initial, what) .name = initial,
#define KILN_OPTION_LIST(type, name, count, effect, what) .name = NULL, .count = 0,
#include "kiln/options.def"
#undef KILN_OPTION
#undef KILN_OPTION_LIST
};

void kiln_compile_options_initialize_sized(kiln_compile_options_t *options, size_t struct_size)
{
    kiln_struct_initialize(options, struct_size, &defaults, sizeof defaults);
}

kiln_status_t kiln_options_take(const char *function, const char *argument,
                                const kiln_compile_options_t *from,
                                kiln_compile_options_t *out_options)
{
    kiln_compile_options_initialize(out_options);
    return from ? kiln_struct_take(function, argument, "kiln_compile_options_t", out_options,
                                   sizeof *out_options, from)
                : KILN_OK;
}

// Options with a text form ------------------------------------------------------------------------

// One row per INT and FLAG, the types whose fields can be set from text.
typedef struct row {
    kiln_option_t option;
    size_t offset;
} row_t;

#define ROW(row_name, row_values, row_initial, row_what, row_is_flag)                              \
    {.option = {.name = #row_name,                                                                 \
                .values = row_values,                                                              \
                .what = row_what,                                                                  \
                .is_flag = row_is_flag,                                                            \
                .initial = row_initial},                                                           \
     .offset = offsetof(kiln_compile_options_t, row_name)},
#define ROW_INT(name, values, initial, what) ROW(name, values, initial, what, false)
#define ROW_FLAG(name, values, initial, what) ROW(name, values, initial, what, true)
#define ROW_TEXT(name, values, initial, what)
#define ROW_STAGE(name, values, initial, what)
#define ROW_STAGES(name, values, initial, what)
#define ROW_DUMP(name, values, initial, what)
#define ROW_POINTS(name, values, initial, what)
#define ROW_LIMIT(name, values, initial, what)
#define ROW_USER(name, values, initial, what)

static const row_t rows[] = {
#define KILN_OPTION(type, name, effect, values, initial, what)                                     \
    ROW_##type(name, values, initial, what)
#define KILN_OPTION_LIST(type, name, count, effect, what)
#include "kiln/options.def"
#undef KILN_OPTION
#undef KILN_OPTION_LIST
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

const kiln_option_t *kiln_compile_option(size_t index)
{
    return index < ROW_COUNT ? &rows[index].option : NULL;
}

const kiln_option_t *kiln_compile_option_find(const char *name, size_t length)
{
    if (!name)
        return NULL;
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (strncmp(rows[i].option.name, name, length) == 0 && rows[i].option.name[length] == '\0')
            return &rows[i].option;
    return NULL;
}

// An option is the first member of its row.
static size_t offset_of(const kiln_option_t *option)
{
    return ((const row_t *)(const void *)option)->offset;
}

// Whether values such as "1, 2 or 4" or "1 to 16" include this one.
static bool allows(const char *values, long value)
{
    for (const char *at = values; *at; at += strcspn(at, "0123456789")) {
        char *end;
        long low = strtol(at, &end, 10), high = low;
        if (strncmp(end, " to ", 4) == 0)
            high = strtol(end + 4, &end, 10);
        if (low <= value && value <= high)
            return true;
        at = end;
    }
    return false;
}

static kiln_status_t refuse(const kiln_option_t *option, const char *value)
{
    return kiln_status_make(KILN_STATUS_USAGE, "%s is %s; it must be %s", option->name, value,
                            option->values);
}

kiln_status_t kiln_compile_option_set(kiln_compile_options_t *options, const kiln_option_t *option,
                                      const char *value)
{
    KILN_REQUIRE(option);
    KILN_REQUIRE(value);
    KILN_TRY(kiln_struct_check(__func__, "options", "kiln_compile_options_t", options));
    static const char *const words[] = {"false", "true"};
    char *end;
    errno = 0;
    long number = strtol(value, &end, 10);
    for (int i = 0; i < 2 && option->is_flag; i++)
        if (strcmp(value, words[i]) == 0) {
            number = i;
            end = (char *)(uintptr_t)value + strlen(value);
        }
    if (errno || end == value || *end || !allows(option->values, number))
        return refuse(option, value);
    size_t offset = offset_of(option), size = option->is_flag ? sizeof(bool) : sizeof(int);
    if (offset + size > options->struct_size)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "%s is newer than the program's kiln_compile_options_t",
                                option->name);
    const int as_int = (int)number;
    const bool as_flag = number;
    memcpy((char *)options + offset, option->is_flag ? (const void *)&as_flag : &as_int, size);
    return KILN_OK;
}

int kiln_compile_option_get(const kiln_compile_options_t *options, const kiln_option_t *option)
{
    if (!option)
        return 0;
    if (!options)
        return option->initial;
    size_t offset = offset_of(option), size = option->is_flag ? sizeof(bool) : sizeof(int);
    const void *field = offset + size <= options->struct_size ? (const char *)options + offset
                                                              : (const char *)&defaults + offset;
    int as_int = 0;
    bool as_flag = false;
    memcpy(option->is_flag ? (void *)&as_flag : &as_int, field, size);
    return option->is_flag ? as_flag : as_int;
}

kiln_status_t kiln_compile_options_apply(kiln_compile_options_t *options,
                                         const kiln_setting_t *settings, size_t count,
                                         kiln_setting_t *out_defines)
{
    KILN_TRY(kiln_struct_check(__func__, "options", "kiln_compile_options_t", options));
    KILN_REQUIRE_ARRAY(settings, count);
    KILN_REQUIRE_ARRAY(out_defines, options->define_count + count);
    for (size_t i = 0; i < count; i++)
        KILN_REQUIRE_THAT(settings[i].name && settings[i].value, "settings[%zu].%s is NULL", i,
                          settings[i].name ? "value" : "name");
    size_t define_count = options->define_count;
    if (define_count)
        memmove(out_defines, options->defines, define_count * sizeof *out_defines);
    for (size_t i = 0; i < count; i++) {
        const kiln_option_t *option =
            kiln_compile_option_find(settings[i].name, strlen(settings[i].name));
        if (option)
            KILN_TRY(kiln_compile_option_set(options, option, settings[i].value));
        else
            out_defines[define_count++] = settings[i];
    }
    options->defines = out_defines;
    options->define_count = define_count;
    return KILN_OK;
}

// Checks ------------------------------------------------------------------------------------------

static kiln_status_t check_names(const char *what, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!names || !names[i])
            return kiln_status_make(KILN_STATUS_USAGE, "%s contains a NULL", what);
    return KILN_OK;
}

kiln_status_t kiln_options_check(const kiln_compile_options_t *options, kiln_stage_t from)
{
    // Callers choose by the kind of limit exceeded.
    if (options->num_warps > KILN_GFX942_WORKGROUP_ITEMS / KILN_GFX942_LANES)
        return kiln_status_exceeds(
            kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES,
                             "num_warps is %d; a workgroup has at most %d waves of %d lanes",
                             options->num_warps, KILN_GFX942_WORKGROUP_ITEMS / KILN_GFX942_LANES,
                             KILN_GFX942_LANES),
            KILN_RESOURCE_THREADS, (uint64_t)options->num_warps * KILN_GFX942_LANES,
            KILN_GFX942_WORKGROUP_ITEMS);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        int value = kiln_compile_option_get(options, &rows[i].option);
        if (!allows(rows[i].option.values, value)) {
            char text[16];
            snprintf(text, sizeof text, "%d", value);
            return refuse(&rows[i].option, text);
        }
    }
    if (!options->arch)
        return kiln_status_make(KILN_STATUS_USAGE, "arch is NULL; it must be %s", defaults.arch);
    if ((int)options->last_stage < KILN_STAGE_TT || options->last_stage > KILN_STAGE_HSACO)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "last_stage is %d; it must be tt, ttg, llvm, asm or hsaco",
                                (int)options->last_stage);
    if (options->define_count && !options->defines)
        return kiln_status_make(KILN_STATUS_USAGE, "defines is NULL and define_count is %zu",
                                options->define_count);
    for (size_t i = 0; i < options->define_count; i++)
        if (!options->defines[i].name || !options->defines[i].value)
            return kiln_status_make(KILN_STATUS_USAGE, "defines[%zu].%s is NULL", i,
                                    options->defines[i].name ? "value" : "name");
    if (options->define_count && from != KILN_STAGE_TILE)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "the setting `%s` has no effect here: it is not a compile option, "
                                "and only Tile C has constexpr parameters",
                                options->defines[0].name);
    if (options->arg_count && !options->args)
        return kiln_status_make(KILN_STATUS_USAGE, "args is NULL and arg_count is %zu",
                                options->arg_count);
    for (size_t i = 0; i < options->arg_count; i++)
        if (!options->args[i].name)
            return kiln_status_make(KILN_STATUS_USAGE, "args[%zu].name is NULL", i);
    for (size_t i = 0; i < options->bitcode_count; i++)
        if (!options->bitcode || !options->bitcode[i].name || !options->bitcode[i].text)
            return kiln_status_make(KILN_STATUS_USAGE, "bitcode contains a NULL");
    KILN_TRY(kiln_override_check(options));
    KILN_TRY(
        check_names("disabled_passes", options->disabled_passes, options->disabled_pass_count));
    KILN_TRY(check_names("only_passes", options->only_passes, options->only_pass_count));
    KILN_TRY(check_names("warnings", options->warnings, options->warning_count));
    if (strcmp(options->arch, defaults.arch) != 0)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "unsupported architecture '%s'; expected %s", options->arch,
                                defaults.arch);
    return KILN_OK;
}

// Text of the options that code depends on --------------------------------------------------------

static void write_INT(kiln_string_t *text, int value)
{
    kiln_string_appendf(text, " %d", value);
}

static void write_FLAG(kiln_string_t *text, bool value)
{
    kiln_string_appendf(text, " %d", value);
}

// Includes the length, so that different lists of strings have different texts.
static void write_TEXT(kiln_string_t *text, const char *value)
{
    if (value)
        kiln_string_appendf(text, " %zu:%s", strlen(value), value);
    else
        kiln_string_append(text, " -");
}

static void write_NAMES(kiln_string_t *text, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        write_TEXT(text, names[i]);
}

static void write_DEFINES(kiln_string_t *text, const kiln_setting_t *defines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        write_TEXT(text, defines[i].name);
        write_TEXT(text, defines[i].value);
    }
}

static void write_HINTS(kiln_string_t *text, const kiln_arg_hint_t *hints, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        write_TEXT(text, hints[i].name);
        write_TEXT(text, hints[i].type);
        kiln_string_appendf(text, " %u %d %d", hints[i].divisibility, hints[i].pointer_range_32,
                            hints[i].type_is_offered);
    }
}

static void write_RANGES(kiln_string_t *text, const kiln_arg_range_t *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        write_TEXT(text, ranges[i].name);
        kiln_string_appendf(text, " %" PRId64 " %" PRId64, ranges[i].min, ranges[i].max);
    }
}

static void write_HEADERS(kiln_string_t *text, const kiln_header_t *headers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        write_TEXT(text, headers[i].name);
        kiln_string_appendf(text, " %zu:", headers[i].length);
        kiln_string_append_bytes(text, headers[i].text, headers[i].length);
    }
}

kiln_status_t kiln_compile_options_text(const kiln_compile_options_t *options, char **out_text)
{
    KILN_REQUIRE_OUT(out_text);
    kiln_compile_options_t taken;
    KILN_TRY(kiln_options_take(__func__, "options", options, &taken));
    kiln_string_t text = {0};
#define IF_CODE(statement) statement
#define IF_WATCHES(statement)
#define IF_WARNS(statement)
#define KILN_OPTION(type, name, effect, values, initial, what)                                     \
    IF_##effect(kiln_string_append(&text, #name); write_##type(&text, taken.name);                 \
                kiln_string_append_char(&text, '\n');)
#define KILN_OPTION_LIST(type, name, count, effect, what)                                          \
    IF_##effect(kiln_string_append(&text, #name); write_##type(&text, taken.name, taken.count);    \
                kiln_string_append_char(&text, '\n');)
#include "kiln/options.def"
#undef KILN_OPTION
#undef KILN_OPTION_LIST
    *out_text = kiln_string_take(&text);
    return *out_text ? KILN_OK : kiln_status_out_of_memory();
}
