// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combines the tables of verbs and flags, and runs getopt over them.
//
// getopt is silent here (its letters begin with ':'); kiln_words_next reports an invalid word.
#include "pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/compile/passes.h"
#include "diagnostics/findings.h"
#include "kiln/kiln.h"
#include "option_flags.h"

const char kiln_exit_codes[] = "0 success, 1 invalid input or failed comparison, 2 usage error, 3 "
                               "environment error, 70 internal error.";

const char *const kiln_group_titles[KILN_GROUP_COUNT] = {
    NULL,
    "Launch flags",
    "Compile options",
    "Warnings (-Wno-NAME: disable; -Werror, -Werror=NAME: treat as errors; -Wall, -Wextra: enable "
    "more; -w: none)",
    "Flags that override environment variables",
    "Simulator (also environment variables)"};

static const char *topic; // of --help
const char *kiln_help_topic(void)
{
    return topic;
}

// Tables ------------------------------------------------------------------------------------------

enum { LAUNCH = 1 << KILN_GROUP_LAUNCH, OPTIONS = 1 << KILN_GROUP_OPTIONS };

// The actors on environment.def's flags, in the bits above those of the groups.
#define SHARED(actor) ((unsigned)(actor) << KILN_GROUP_COUNT)
enum {
    COMPILER = KILN_ACTOR_COMPILER,
    FOLDER = KILN_ACTOR_FOLDER,
    DEVICES = KILN_ACTOR_DEVICE | KILN_ACTOR_HIP | KILN_ACTOR_SIM | KILN_ACTOR_RUNTIME,
    INTERP = KILN_ACTOR_INTERP,
    CACHE = KILN_ACTOR_CACHE,
    SIM = KILN_ACTOR_SIM,
    PROFILED = KILN_ACTOR_DEVICE | KILN_ACTOR_HIP | KILN_ACTOR_SIM
};

// The operands are a program and its own flags, so the verb's flags end there.
#define PROGRAM (1u << 31)

// A verb's row of pages.def, under its name.
typedef struct page_row {
    unsigned groups;
    const char *option_value, *operands, *text;
} page_row_t;
#define KILN_PAGE(verb, groups, option_value, operands, text)                                      \
    static const page_row_t page_of_##verb = {groups, option_value, operands, text};
#define KILN_OPERAND(verb, form, what)
#define KILN_EXAMPLE(verb, command, what)
#include "pages.def"
#undef KILN_PAGE
#undef KILN_OPERAND
#undef KILN_EXAMPLE

const kiln_page_t *kiln_page(size_t index)
{
#define KILN_VERB(name, function, what) {#name, what, 0, NULL, NULL, NULL},
    static kiln_page_t pages[] = {
#include "verbs.def"
    };
#undef KILN_VERB
#define KILN_VERB(name, function, what) &page_of_##name,
    static const page_row_t *const rows[] = {
#include "verbs.def"
    };
#undef KILN_VERB
    if (index >= sizeof pages / sizeof *pages)
        return NULL;
    pages[index].groups = rows[index]->groups;
    pages[index].option_value = rows[index]->option_value;
    pages[index].operands = rows[index]->operands;
    pages[index].text = rows[index]->text;
    return &pages[index];
}

// Operands and examples, each of a verb.
typedef struct page_line {
    const char *verb, *form, *what;
} page_line_t;

static bool find_line(const page_line_t *rows, size_t count, const char *verb, size_t index,
                      const char **out_form, const char **out_what)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].verb, verb) == 0 && index-- == 0) {
            *out_form = rows[i].form;
            *out_what = rows[i].what;
            return true;
        }
    return false;
}

bool kiln_page_operand(const kiln_page_t *page, size_t index, const char **out_form,
                       const char **out_what)
{
    static const page_line_t rows[] = {
#define KILN_PAGE(verb, groups, option_value, operands, text)
#define KILN_OPERAND(verb, form, what) {#verb, form, what},
#define KILN_EXAMPLE(verb, command, what)
#include "pages.def"
#undef KILN_OPERAND
#undef KILN_EXAMPLE
    };
    return find_line(rows, sizeof rows / sizeof *rows, page->verb, index, out_form, out_what);
}

bool kiln_page_example(const kiln_page_t *page, size_t index, const char **out_command,
                       const char **out_what)
{
    static const page_line_t rows[] = {
#define KILN_OPERAND(verb, form, what)
#define KILN_EXAMPLE(verb, command, what) {#verb, command, what},
#include "pages.def"
#undef KILN_PAGE
#undef KILN_OPERAND
#undef KILN_EXAMPLE
    };
    return find_line(rows, sizeof rows / sizeof *rows, page->verb, index, out_command, out_what);
}

static const struct {
    const char *verb;
    int id;
    char letter;
    const char *name, *value, *what;
} OWN[] = {
#define KILN_VERB_FLAG(verb, id, letter, name, value, what)                                        \
    {#verb, KILN_FLAG_##verb##_##id, letter, name, value, what},
#include "verb_flags.def"
#undef KILN_VERB_FLAG
};

// "1, 2 or 4" → "1 2 4", "a|b" → "a b"; empty if it contains prose ("1 to 16", "a file").
static void find_words(const char *values, char *out, size_t size)
{
    out[0] = '\0';
    size_t length = 0;
    for (const char *at = values; *at;) {
        size_t word = strcspn(at, ", |"), rest = word;
        if (strncmp(at + rest, " or ", 4) == 0)
            rest += 4;
        else if (strncmp(at + rest, ", ", 2) == 0)
            rest += 2;
        else if (at[rest] == '|')
            rest++;
        if (word == 0 || (at[word] && rest == word) || length + word + 2 > size) {
            out[0] = '\0';
            return;
        }
        length += (size_t)snprintf(out + length, size - length, "%s%.*s", length ? " " : "",
                                   (int)word, at);
        at += rest;
    }
}

static void join_words(const char *words, char *out, size_t size)
{
    snprintf(out, size, "%s", words);
    for (char *c = out; (c = strchr(c, ' '));)
        *c = '|';
}

static kiln_flag_t own_flag(size_t row, kiln_flag_group_t group)
{
    kiln_flag_t flag = {.id = OWN[row].id,
                        .group = group,
                        .letter = OWN[row].letter,
                        .name = OWN[row].name,
                        .what = OWN[row].what};
    snprintf(flag.value, sizeof flag.value, "%s", OWN[row].value ? OWN[row].value : "");
    if (strchr(flag.value, '|'))
        find_words(flag.value, flag.words, sizeof flag.words);
    return flag;
}

static kiln_flag_t option_flag(const kiln_page_t *page, size_t index)
{
    const kiln_option_t *option = kiln_compile_option(index);
    kiln_flag_t flag = {.id = KILN_FLAG_FIRST_OPTION + (int)index,
                        .group = KILN_GROUP_OPTIONS,
                        .name = kiln_option_flag_name(index),
                        .is_value_optional = option->is_flag,
                        .what = option->what};
    find_words(option->values, flag.words, sizeof flag.words);
    snprintf(flag.value, sizeof flag.value, "%s", option->is_flag ? "0|1" : page->option_value);
    if (option->is_flag)
        snprintf(flag.more, sizeof flag.more, "by default %d", option->initial);
    else
        snprintf(flag.more, sizeof flag.more, "%s; by default %d", option->values, option->initial);
    return flag;
}

static kiln_flag_t warning_flag(kiln_warning_id_t id)
{
    const char *flag_text = kiln_warning_flag(id, false);
    kiln_flag_t flag = {.id = flag_text[1],
                        .group = KILN_GROUP_WARNINGS,
                        .letter = flag_text[1],
                        .what = kiln_warning_what(id)};
    snprintf(flag.value, sizeof flag.value, "%s", flag_text + 2);
    snprintf(flag.more, sizeof flag.more, "%s", kiln_warning_when(id));
    return flag;
}

static kiln_flag_t shared_flag(size_t index)
{
    const kiln_environment_row_t *row = kiln_environment_row(index);
    kiln_flag_t flag = {.id = KILN_FLAG_FIRST_SHARED + (int)index,
                        .group = row->actor == KILN_ACTOR_SIM ? KILN_GROUP_SIM : KILN_GROUP_SHARED,
                        .name = row->flag + 2,
                        .is_value_optional = kiln_environment_flag_stands_alone(row),
                        .what = row->help};
    find_words(row->values, flag.words, sizeof flag.words);
    // Do not repeat in `more` what `value` shows.
    const char *values = row->values, *form = NULL;
    if (row->kind == KILN_VALUE_NUMBER)
        form = "N";
    else if (strcmp(values, "a directory") == 0)
        form = "DIRECTORY";
    else if (strcmp(values, "a path") == 0 || strcmp(values, "a file") == 0)
        form = "FILE";
    if (row->kind == KILN_VALUE_WORD)
        join_words(flag.words, flag.value, sizeof flag.value);
    else
        snprintf(flag.value, sizeof flag.value, "%s", form ? form : "VALUE");
    if (form || row->kind == KILN_VALUE_WORD)
        values = "";
    snprintf(flag.more, sizeof flag.more, "%s%s%s%s%s%s", values, *values ? "; " : "",
             *row->otherwise ? "by default " : "", row->otherwise, *row->otherwise ? "; " : "",
             row->variable);
    return flag;
}

// No verb has more flags than all tables together.
enum {
    ALL_ROWS = 1 + KILN_WARNING_COUNT
#define KILN_VERB_FLAG(verb, id, letter, name, value, what) +1
#include "verb_flags.def"
#undef KILN_VERB_FLAG
#define KILN_OPTION(type, name, effect, values, initial, what) +1
#define KILN_OPTION_LIST(type, name, count, effect, what)
#include "kiln/options.def"
#undef KILN_OPTION
#undef KILN_OPTION_LIST
#define KILN_ENVIRONMENT(actor, name, flag, kind, values, otherwise, help) +1
#include "environment.def"
#undef KILN_ENVIRONMENT
};
_Static_assert((int)ALL_ROWS <= (int)KILN_PAGE_FLAGS, "make room for the flags");

static bool is_listed(const kiln_flag_t *flags, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (flags[i].name && strcmp(flags[i].name, name) == 0)
            return true;
    }
    return false;
}

// A verb's own flag takes precedence over a shared one of the same name.
size_t kiln_page_flags(const kiln_page_t *page, kiln_flag_t out_flags[KILN_PAGE_FLAGS])
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++)
        if (strcmp(OWN[i].verb, page->verb) == 0)
            out_flags[count++] = own_flag(i, KILN_GROUP_OWN);
    kiln_flag_t *help = &out_flags[count++];
    *help = (kiln_flag_t){.id = KILN_FLAG_HELP,
                          .letter = 'h',
                          .name = "help",
                          .is_value_optional = true,
                          .what = "print this help, or that of other flags"};
    snprintf(help->words, sizeof help->words, "%s%sall",
             page->groups & SHARED(KILN_ACTOR_SIM) ? "sim " : "",
             page->groups & OPTIONS ? "warnings " : "");
    join_words(help->words, help->value, sizeof help->value);
    for (size_t i = 0; page->groups & LAUNCH && i < sizeof OWN / sizeof *OWN; i++)
        if (strcmp(OWN[i].verb, "launch") == 0)
            out_flags[count++] = own_flag(i, KILN_GROUP_LAUNCH);
    for (size_t i = 0; page->groups & OPTIONS && kiln_option_flag_name(i); i++)
        out_flags[count++] = option_flag(page, i);
    // Findings have a page of their own; -Rkiln stands for all of them.
    for (int i = 0; page->groups & OPTIONS && i < KILN_WARNING_COUNT; i++)
        if (!kiln_finding_row((kiln_warning_id_t)i))
            out_flags[count++] = warning_flag((kiln_warning_id_t)i);
    const kiln_environment_row_t *row;
    const size_t own = count;
    for (int of_sim = 0; of_sim < 2; of_sim++)
        for (size_t i = 0; (row = kiln_environment_row(i)); i++)
            if (page->groups & SHARED(row->actor) && (row->actor == KILN_ACTOR_SIM) == of_sim &&
                !is_listed(out_flags, own, row->flag + 2))
                out_flags[count++] = shared_flag(i);
    return count;
}

void kiln_flag_form(const kiln_flag_t *flag, const char *indent, char *out, size_t size)
{
    char letter[8] = "", value[140] = "";
    if (flag->letter)
        snprintf(letter, sizeof letter, "-%c, ", flag->letter);
    if (*flag->value)
        snprintf(value, sizeof value, flag->is_value_optional ? "[=%s]" : "=%s", flag->value);
    if (flag->name)
        snprintf(out, size, "%s--%s%s", flag->letter ? letter : indent, flag->name, value);
    else
        snprintf(out, size, "-%c%s", flag->letter, flag->value);
}

// Words -------------------------------------------------------------------------------------------

void kiln_words_begin(kiln_words_t *words, const char *verb)
{
    *words = (kiln_words_t){0};
    for (size_t i = 0; !words->page || strcmp(words->page->verb, verb) != 0; i++)
        words->page = kiln_page(i);
    words->count = kiln_page_flags(words->page, words->flags);
    size_t letters = 0, rows = 0;
    if (words->page->groups & PROGRAM)
        words->letters[letters++] = '+';
    words->letters[letters++] = ':';
    for (size_t i = 0; i < words->count; i++) {
        const kiln_flag_t *flag = &words->flags[i];
        int takes = !*flag->value             ? no_argument
                    : flag->is_value_optional ? optional_argument
                                              : required_argument;
        if (flag->name)
            words->rows[rows++] = (struct option){flag->name, takes, NULL, flag->id};
        if (flag->name && flag->letter)
            words->letters[letters++] = flag->letter;
        for (int colons = takes; flag->name && flag->letter && colons > 0; colons--)
            words->letters[letters++] = ':'; // two: the value is optional
    }
    if (words->page->groups & OPTIONS)
        memcpy(words->letters + letters, KILN_WARNING_LETTERS, sizeof KILN_WARNING_LETTERS);
    else if (words->page->groups & PROGRAM) // has findings, but nothing to warn of
        memcpy(words->letters + letters, "R:", sizeof "R:");
    optind = 0;
}

static const kiln_flag_t *flag_of(const kiln_words_t *words, int id)
{
    for (size_t i = 0; i < words->count; i++)
        if (words->flags[i].name &&
            (words->flags[i].id == id || (id && words->flags[i].letter == id)))
            return &words->flags[i];
    return NULL;
}

static bool begins(const kiln_flag_t *flag, const char *name, size_t length)
{
    return flag->name && strncmp(flag->name, name, length) == 0;
}

// Prints how a pass is chosen that is given as in mlir-opt and triton-opt: --cse, or
// --tritongpu-coalesce. False if the name is no pass, or the verb runs none by name.
static bool advise_pass(const kiln_words_t *words, const char *name)
{
    bool runs_passes = false;
    for (size_t i = 0; i < words->count; i++)
        runs_passes |= words->flags[i].name && strcmp(words->flags[i].name, "passes") == 0;
    const char *dialect = strncmp(name, "triton", strlen("triton")) == 0 ? strchr(name, '-') : NULL;
    char *id = runs_passes ? strdup(dialect ? dialect + 1 : name) : NULL;
    for (char *c = id; c && *c; c++)
        *c = *c == '-' ? '_' : *c;
    kiln_status_t status = id ? kiln_pass_id_check(id) : KILN_OK;
    const bool is_pass = id && !status;
    kiln_status_free(status);
    if (is_pass)
        fprintf(stderr, "kiln: error: unknown flag '--%s'; did you mean '--passes=%s'?\n", name,
                id);
    free(id);
    return is_pass;
}

static void report_unknown(const kiln_words_t *words, const char *name, bool is_long)
{
    size_t length = strlen(name), matches = 0;
    kiln_suggestion_t near = kiln_suggestion(name + 2);
    for (size_t i = 0; is_long && i < words->count; i++) {
        matches += begins(&words->flags[i], name + 2, length - 2);
        if (words->flags[i].name)
            kiln_suggestion_consider(&near, words->flags[i].name);
    }
    if (matches > 1) {
        fprintf(stderr, "kiln: error: ambiguous flag '%s' could be\n", name);
        for (size_t i = 0; i < words->count; i++)
            if (begins(&words->flags[i], name + 2, length - 2))
                kiln_flag_print(stderr, &words->flags[i]);
        return;
    }
    const kiln_environment_row_t *row;
    for (size_t i = 0; is_long && (row = kiln_environment_row(i)); i++)
        if (strcmp(row->flag, name) == 0) {
            fprintf(stderr,
                    "kiln: error: kiln %s does not support '%s'; `kiln %s --help=all` lists its "
                    "flags\n",
                    words->page->verb, name, words->page->verb);
            return;
        }
    if (is_long && advise_pass(words, name + 2))
        return;
    bool advised = is_long && near.best;
    fprintf(stderr, "kiln: error: unknown flag '%s'", name);
    fprintf(stderr, advised ? "; did you mean '--%s'?\n" : "\n", near.best);
    for (size_t i = 0; advised && i < words->count; i++)
        if (words->flags[i].name && strcmp(words->flags[i].name, near.best) == 0)
            kiln_flag_print(stderr, &words->flags[i]);
    fprintf(stderr, "`kiln %s --help=all` lists all flags\n", words->page->verb);
}

static bool has_word(const kiln_flag_t *flag, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = flag->words; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && strncmp(at, word, length) == 0)
            return true;
    return false;
}

int kiln_words_next(kiln_words_t *words, int argc, char **argv)
{
    int id = getopt_long(argc, argv, words->letters, words->rows, NULL);
    const kiln_flag_t *flag = flag_of(words, id == '?' || id == ':' ? optopt : id);
    if (flag && flag->id == KILN_FLAG_HELP && optarg && !has_word(flag, optarg)) {
        fprintf(stderr, "kiln: error: --help: expected one of %s, got '%s'\n", flag->value, optarg);
        return '?';
    }
    if (flag && flag->id == KILN_FLAG_HELP)
        topic = optarg;
    if (id != '?' && id != ':')
        return flag ? flag->id : id;
    const char *word = argv[optind - 1];
    if (id == '?' && !flag) {
        const char letter[] = {'-', (char)optopt, '\0'};
        const bool is_long = !optopt && strncmp(word, "--", 2) == 0;
        char *name = is_long || !optopt ? strndup(word, strcspn(word, "=")) : strdup(letter);
        report_unknown(words, name ? name : word, is_long);
        free(name);
    } else {
        fprintf(stderr, "kiln: error: '%s' %s\n", word,
                id == ':' ? "requires a value" : "takes no value");
    }
    if (flag)
        kiln_flag_print(stderr, flag);
    return '?';
}

void kiln_words_show(const kiln_words_t *words, int id)
{
    const kiln_flag_t *flag = flag_of(words, id);
    if (flag)
        kiln_flag_print(stderr, flag);
}

const char *kiln_words_name(const kiln_words_t *words, int id)
{
    const kiln_flag_t *flag = flag_of(words, id);
    return flag ? flag->name : NULL;
}

int kiln_words_read(kiln_words_t *words, int argc, char **argv,
                    kiln_status_t (*take)(void *user, const kiln_words_t *words, int flag,
                                          const char *value),
                    void *user)
{
    for (int flag; (flag = kiln_words_next(words, argc, argv)) != -1;) {
        if (flag == '?')
            return 2;
        kiln_status_t status = take(user, words, flag, optarg);
        if (status) {
            int code = kiln_cli_report(status);
            kiln_words_show(words, flag);
            return code;
        }
    }
    return 0;
}

int kiln_words_refuse(const kiln_words_t *words, int id)
{
    const kiln_flag_t *flag = id == '?' ? NULL : flag_of(words, id); // '?' has been reported
    if (flag)
        fprintf(stderr, "kiln: error: invalid flag '--%s%s%s'\n", flag->name, optarg ? "=" : "",
                optarg ? optarg : "");
    if (flag)
        kiln_flag_print(stderr, flag);
    return 2;
}
