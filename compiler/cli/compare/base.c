// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Obtains the base of a comparison. Other flags or another source require another run of this
// command in a process of its own, because flags are state of the process.
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "cli/launch/loaded.h"
#include "cli/option_flags.h"
#include "compare.h"

void kiln_compare_add_flag(kiln_compare_t *compare, const kiln_words_t *words, int flag,
                           const char *value)
{
    const char *name = NULL;
    if (flag == KILN_FLAG_launch_OVERRIDE) // of this launch, to compare it with what it replaces
        return;
    for (size_t i = 0; i < words->count && !name; i++) {
        const kiln_flag_t *row = &words->flags[i];
        if (row->name && (row->id == flag || (flag && row->letter == flag)))
            name = row->name;
    }
    const char *option_value = value;
    kiln_string_t *to = kiln_option_of_flag(flag, &option_value) || flag == 'I'
                            ? &compare->source_words
                            : &compare->words;
    if (name)
        kiln_string_appendf(to, "--%s%s%s\n", name, value ? "=" : "", value ? value : "");
    else
        kiln_string_appendf(to, "-%c%s\n", flag, value ? value : "");
}

bool kiln_compare_tolerance(const char *value, double *out_percent)
{
    char *end;
    *out_percent = kiln_real_parse(value, &end);
    return end != value && (*end == '\0' || strcmp(end, "%") == 0) && *out_percent >= 0 &&
           *out_percent < 1e6;
}

// Words -------------------------------------------------------------------------------------------

typedef struct words {
    char **all; // ends with NULL
    size_t count, capacity;
} words_t;

static bool add_part(words_t *words, const char *word, size_t length)
{
    if (!KILN_ARRAY_RESERVE(&words->all, &words->capacity, words->count + 2))
        return false;
    words->all[words->count + 1] = NULL;
    return (words->all[words->count++] = strndup(word, length)) != NULL;
}

static bool add_word(words_t *words, const char *word)
{
    return add_part(words, word, strlen(word));
}

static bool add_split(words_t *words, const char *text, const char *separators)
{
    bool good = true;
    for (text += strspn(text, separators); good && *text;) {
        const size_t length = strcspn(text, separators);
        good = add_part(words, text, length);
        text += length;
        text += strspn(text, separators);
    }
    return good;
}

static void words_free(words_t *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->all[i]);
    free(words->all);
}

static bool is_flags(const char *base)
{
    return *base == '-';
}

static bool make_words(words_t *words, const kiln_compare_t *compare, char *const *operands,
                       size_t count, bool predicted)
{
    bool good = add_word(words, "kiln") && add_word(words, "bench") && add_word(words, "--json") &&
                (!predicted || add_word(words, "--stalls")) && !compare->words.failed &&
                !compare->source_words.failed &&
                (!compare->words.data || add_split(words, compare->words.data, "\n")) &&
                (!compare->source_words.data || kiln_launch_is_loaded(compare->base) ||
                 add_split(words, compare->source_words.data, "\n")) &&
                (!is_flags(compare->base) || add_split(words, compare->base, " \t"));
    for (size_t i = 0; good && i < count; i++)
        good = add_word(words, i == 0 && !is_flags(compare->base) ? compare->base : operands[i]);
    return good;
}

// The run -----------------------------------------------------------------------------------------

static kiln_status_t run(char **words, char **out_text, size_t *out_size)
{
    int ends[2], state = 0;
    if (pipe(ends) != 0)
        return kiln_status_make(KILN_STATUS_IO, "cannot create a pipe: %s", strerror(errno));
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        if (dup2(ends[1], STDOUT_FILENO) >= 0)
            execv("/proc/self/exe", words);
        _exit(127);
    }
    close(ends[1]);
    kiln_status_t status =
        child < 0 ? kiln_status_make(KILN_STATUS_IO, "cannot start a process: %s", strerror(errno))
                  : kiln_file_read_descriptor(ends[0], "the base", out_text, out_size);
    close(ends[0]);
    while (child > 0 && waitpid(child, &state, 0) < 0 && errno == EINTR)
        continue;
    if (status || (WIFEXITED(state) && WEXITSTATUS(state) == 0))
        return status;
    free(*out_text);
    *out_text = NULL;
    return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                            "the base of the comparison has failed (see above)");
}

static kiln_status_t check(const char *name, const json_t *base)
{
    const char *text;
    KILN_TRY_NOTE(kiln_json_string(base, "kernel", &text),
                  "'%s' is not what `kiln bench --json` prints", name);
    KILN_TRY_NOTE(kiln_json_string(base, "cost", &text),
                  "'%s' is not what `kiln bench --json` prints", name);
    return json_is_number(json_object_get(base, "value"))
               ? KILN_OK
               : kiln_status_make(KILN_STATUS_INVALID_INPUT, "'%s' has no number 'value'", name);
}

static kiln_status_t run_base(const kiln_compare_t *compare, char *const *operands, size_t count,
                              bool predicted, json_t **out_base)
{
    words_t words = {0};
    char *text = NULL;
    size_t size = 0;
    kiln_status_t status = make_words(&words, compare, operands, count, predicted)
                               ? run(words.all, &text, &size)
                               : kiln_status_out_of_memory();
    if (!status)
        status = kiln_json_parse("the base", text, size, out_base);
    free(text);
    words_free(&words);
    return status;
}

kiln_status_t kiln_compare_base(const kiln_compare_t *compare, char *const *operands, size_t count,
                                bool predicted, json_t **out_base)
{
    *out_base = NULL;
    const bool is_file = kiln_string_ends_with(compare->base, ".json");
    KILN_TRY(is_file ? kiln_json_read(compare->base, out_base)
                     : run_base(compare, operands, count, predicted, out_base));
    kiln_status_t status = check(is_file ? compare->base : "the base", *out_base);
    if (status) {
        json_decref(*out_base);
        *out_base = NULL;
    }
    return status;
}
