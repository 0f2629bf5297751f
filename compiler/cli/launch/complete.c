// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Completes the words of a launch.
//
// A size, which is declared but is no argument, is replaced by its value wherever a text uses it.
#include "complete.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/string.h"
#include "base/suggest.h"
#include "sequence.h"

typedef struct words {
    kiln_launch_words_t *out;
    size_t capacity;
} words_t;

static size_t name_length(const char *word)
{
    return strcspn(word, "=");
}

// The word "NAME=…" or "KERNEL.NAME=…" with the name of this one, or NULL.
static char **find(const kiln_launch_words_t *words, const char *kernel, const char *word)
{
    const size_t length = name_length(word), prefix = strlen(kernel);
    for (size_t i = 0; i < words->count; i++) {
        const char *name = words->items[i];
        if (strncmp(name, kernel, prefix) == 0 && name[prefix] == '.')
            name += prefix + 1;
        if (name_length(name) == length && strncmp(name, word, length) == 0)
            return &words->items[i];
    }
    return NULL;
}

static kiln_status_t add(words_t *words, const char *word)
{
    kiln_launch_words_t *out = words->out;
    char *copy = strdup(word);
    if (!copy || !KILN_ARRAY_RESERVE(&out->items, &words->capacity, out->count + 1)) {
        free(copy);
        return kiln_status_out_of_memory();
    }
    out->items[out->count++] = copy;
    return KILN_OK;
}

// Declared words ----------------------------------------------------------------------------------

// What the kernels of a launch declare.
typedef struct kernels {
    kiln_tuning_t *items[1 + KILN_LAUNCH_MAX_STEPS];
    size_t count;
} kernels_t;

// Whether a kernel has an argument of the word's name.
static bool is_argument(const kernels_t *kernels, const char *word)
{
    const char *name;
    const size_t length = name_length(word);
    for (size_t k = 0; k < kernels->count; k++)
        for (size_t i = 0; (name = kiln_tuning_argument(kernels->items[k], i)); i++)
            if (strlen(name) == length && strncmp(name, word, length) == 0)
                return true;
    return false;
}

static bool is_buffer(const char *word)
{
    return strpbrk(word, "[&") != NULL;
}

// Adds the declared scalars and sizes, or the buffers, whose extents may use them.
static kiln_status_t add_declared(words_t *words, const kernels_t *kernels, bool buffers)
{
    const char *word;
    for (size_t k = 0; k < kernels->count; k++) {
        const kiln_tuning_t *kernel = kernels->items[k];
        for (size_t i = 0; (word = kiln_tuning_declared_argument(kernel, i)); i++)
            if (is_buffer(word) == buffers && !find(words->out, kiln_tuning_kernel(kernel), word))
                KILN_TRY(add(words, word));
    }
    return KILN_OK;
}

static kiln_status_t check_missing(const kiln_launch_words_t *words, const kiln_tuning_t *kernel)
{
    const char *name;
    for (size_t i = 0; (name = kiln_tuning_argument(kernel, i)); i++)
        if (!find(words, kiln_tuning_kernel(kernel), name))
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "missing argument of kernel '%s': '%s'; give %s=VALUE",
                                    kiln_tuning_kernel(kernel), name, name);
    return KILN_OK;
}

// Without this check, the error would be of a declared text that uses a missing argument.
static kiln_status_t check_all(const kiln_launch_words_t *words, const kernels_t *kernels)
{
    for (size_t k = 0; k < kernels->count; k++)
        if (kiln_tuning_declared_argument(kernels->items[k], 0))
            KILN_TRY(check_missing(words, kernels->items[k]));
    return KILN_OK;
}

static kiln_status_t check_name(const kernels_t *kernels, const char *word)
{
    const kiln_tuning_t *kernel = kernels->items[0];
    const char *other;
    char *name = is_argument(kernels, word) ? NULL : strndup(word, name_length(word));
    if (!name)
        return is_argument(kernels, word) ? KILN_OK : kiln_status_out_of_memory();
    kiln_suggestion_t near = kiln_suggestion(name);
    for (size_t i = 0; (other = kiln_tuning_argument(kernel, i)); i++)
        kiln_suggestion_consider(&near, other);
    kiln_status_t status =
        kiln_status_make(KILN_STATUS_USAGE, "kernel '%s' has no argument '%s'%s",
                         kiln_tuning_kernel(kernel), name, kiln_suggestion_advice(&near).text);
    free(name);
    return status;
}

// Sizes -------------------------------------------------------------------------------------------

static bool is_word_character(char c)
{
    return kiln_is_alphanumeric(c) || c == '_';
}

// Replaces the size's name by its value in the text after "NAME=".
static kiln_status_t replace(char **io_word, const char *size)
{
    const size_t length = name_length(size);
    const char *value = size + length + 1, *at = *io_word + name_length(*io_word);
    const bool is_number = value[strspn(value, "0123456789")] == '\0';
    kiln_string_t text = {0};
    kiln_string_append_bytes(&text, *io_word, (size_t)(at - *io_word));
    while (*at) {
        size_t end = 0;
        while (is_word_character(at[end]))
            end++;
        if (end == length && strncmp(at, size, length) == 0)
            kiln_string_appendf(&text, is_number ? "%s" : "(%s)", value);
        else
            kiln_string_append_bytes(&text, at, end ? end : 1);
        at += end ? end : 1;
    }
    char *replaced = kiln_string_take(&text);
    if (!replaced)
        return kiln_status_out_of_memory();
    free(*io_word);
    *io_word = replaced;
    return KILN_OK;
}

// Removes a size from the words after the others have its value.
static kiln_status_t settle(kiln_launch_words_t *words, char **size)
{
    for (size_t i = 0; i < words->count; i++)
        if (&words->items[i] != size)
            KILN_TRY(replace(&words->items[i], *size));
    const size_t at = (size_t)(size - words->items);
    free(*size);
    memmove(size, size + 1, (--words->count - at) * sizeof *size);
    words->given -= at < words->given;
    return KILN_OK;
}

static kiln_status_t settle_sizes(kiln_launch_words_t *words, const kernels_t *kernels)
{
    const char *declared;
    for (size_t k = 0; k < kernels->count; k++) {
        const kiln_tuning_t *kernel = kernels->items[k];
        for (size_t i = 0; (declared = kiln_tuning_declared_argument(kernel, i)); i++) {
            char **size = is_argument(kernels, declared)
                              ? NULL
                              : find(words, kiln_tuning_kernel(kernel), declared);
            if (size)
                KILN_TRY(settle(words, size));
        }
    }
    return KILN_OK;
}

// The whole ---------------------------------------------------------------------------------------

// Adds no kernel if the source has errors.
static kiln_status_t read_kernel(const kiln_source_t *source, const kiln_compile_options_t *options,
                                 const char *name, kernels_t *kernels)
{
    kiln_compile_options_t own = *options;
    own.kernel = name;
    kiln_status_t status =
        kiln_tuning_read(source, &own, NULL, NULL, &kernels->items[kernels->count]);
    if (!status)
        kernels->count++;
    if (kiln_status_is_out_of_memory(status))
        return status;
    kiln_status_free(status);
    return KILN_OK;
}

static kiln_status_t read_kernels(const kiln_launch_flags_t *flags, const kiln_source_t *source,
                                  kernels_t *kernels)
{
    kiln_setting_t defines[KILN_LAUNCH_MAX_SETTINGS];
    kiln_compile_options_t options;
    kiln_launch_sequence_t sequence = {0};
    kiln_compile_options_initialize(&options);
    KILN_TRY(kiln_launch_set_options(flags, defines, &options));
    KILN_TRY(read_kernel(source, &options, flags->kernel, kernels));
    kiln_status_t status = kiln_launch_sequence_read(flags, &sequence);
    for (size_t i = 0; i < sequence.count && !status; i++) {
        const kiln_tune_step_t *step = &sequence.steps[i];
        status = read_kernel(step->source.text ? &step->source : source, &options, step->kernel,
                             kernels);
    }
    kiln_launch_sequence_free(&sequence);
    return status;
}

kiln_status_t kiln_launch_words_make(const kiln_launch_flags_t *flags, const kiln_source_t *source,
                                     char **given, size_t count, kiln_launch_words_t *out_words)
{
    words_t words = {.out = out_words};
    kernels_t kernels = {0};
    *out_words = (kiln_launch_words_t){0};
    for (size_t i = 0; i < count; i++)
        KILN_TRY(add(&words, given[i]));
    out_words->given = count;
    kiln_status_t status = read_kernels(flags, source, &kernels);
    if (!status)
        status = add_declared(&words, &kernels, false);
    if (!status)
        status = add_declared(&words, &kernels, true);
    if (!status)
        status = check_all(out_words, &kernels);
    if (!status)
        status = settle_sizes(out_words, &kernels);
    for (size_t i = 0; i < kernels.count; i++)
        kiln_tuning_release(kernels.items[i]);
    return status;
}

kiln_status_t kiln_launch_words_check(const kiln_launch_flags_t *flags, const kiln_source_t *source,
                                      const kiln_launch_words_t *words)
{
    kernels_t kernels = {0};
    kiln_status_t status = KILN_OK;
    if (flags->then_count || source->stage != KILN_STAGE_TILE)
        return KILN_OK; // a sequence has a check of its own, kiln_launch_sequence_check
    for (size_t i = 1; i < words->count && !status; i++) {
        const size_t length = name_length(words->items[i]);
        for (size_t other = 0; other < i && !status; other++)
            if (name_length(words->items[other]) == length &&
                strncmp(words->items[other], words->items[i], length) == 0)
                status = kiln_status_make(KILN_STATUS_USAGE, "duplicate argument '%.*s'",
                                          (int)length, words->items[i]);
    }
    if (!status)
        status = read_kernels(flags, source, &kernels);
    if (!status && kernels.count)
        status = check_missing(words, kernels.items[0]);
    for (size_t i = 0; i < words->count && kernels.count && !status; i++)
        status = check_name(&kernels, words->items[i]);
    for (size_t i = 0; i < kernels.count; i++)
        kiln_tuning_release(kernels.items[i]);
    return status;
}

void kiln_launch_words_free(kiln_launch_words_t *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (kiln_launch_words_t){0};
}
