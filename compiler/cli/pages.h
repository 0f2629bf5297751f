// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that is known of a verb's words, from verbs.def, pages.def, verb_flags.def, kiln/options.def and environment.def: what getopt parses, what --help shows,
// and what man pages and completions are made of.
//
// What is easily got wrong: an optional value is only taken behind '='.
#ifndef KILN_CLI_PAGES_H
#define KILN_CLI_PAGES_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include "device_flags.h"

// What kiln_words_next gives for a verb's own flags and those of a launch; kiln_option_of_flag and kiln_flag_take know all others.
typedef enum kiln_flag_id {
    KILN_FLAG_HELP = 0x2000, // above the others and above letters
#define KILN_VERB_FLAG(verb, id, letter, name, value, what) KILN_FLAG_##verb##_##id,
#include "verb_flags.def"
#undef KILN_VERB_FLAG
} kiln_flag_id_t;

typedef enum kiln_flag_group {
    KILN_GROUP_OWN,
    KILN_GROUP_LAUNCH,
    KILN_GROUP_OPTIONS,
    KILN_GROUP_WARNINGS, // with the options: who takes these takes those
    KILN_GROUP_SHARED,
    KILN_GROUP_COUNT
} kiln_flag_group_t;

typedef struct kiln_flag {
    int id;
    kiln_flag_group_t group;
    char letter;      // 0: none
    const char *name; // without its dashes; NULL where there is only the letter, as of -Wall
    char value[128];  // "" where it takes none
    bool may_lack;    // the value
    const char *what;
    char more[256];  // what else is to say: what the value may be, the default, the variable; "" where nothing
    char words[128]; // all words that the value may be, parted by spaces; "" where they are more or none
} kiln_flag_t;

typedef struct kiln_page {
    const char *verb, *what; // in a line
    unsigned groups;         // a bit for each
    const char *option_value, *operands, *text;
} kiln_page_t;

// The verbs in their order; NULL behind the last.
const kiln_page_t *kiln_page(size_t index);

// An operand's form and meaning; false behind the last.
bool kiln_page_operand(const kiln_page_t *page, size_t index, const char **out_form, const char **out_what);

// The flags of a verb by group, in the order of the tables. The strings live as long as the program.
enum { KILN_PAGE_FLAGS = 128 };
size_t kiln_page_flags(const kiln_page_t *page, kiln_flag_t out_flags[KILN_PAGE_FLAGS]);

// "-o, --output=FILE", "--check[=VALUE]", into at most `size` bytes; `indent` stands in for a letter that there is not.
void kiln_flag_form(const kiln_flag_t *flag, const char *indent, char *out, size_t size);

extern const char kiln_exit_codes[]; // a sentence
extern const char *const kiln_group_titles[KILN_GROUP_COUNT];

// Words -------------------------------------------------------------------------------------------------------------

typedef struct kiln_words {
    const kiln_page_t *page;
    size_t count;
    kiln_flag_t flags[KILN_PAGE_FLAGS];
    struct option rows[KILN_PAGE_FLAGS + 1];
    char letters[2 * KILN_PAGE_FLAGS + 2];
} kiln_words_t;

// Begins to read the words of a verb by getopt, whose optarg and optind are as always.
void kiln_words_begin(kiln_words_t *words, const char *verb);

// The id of the next flag; -1 behind the last; '?' for a word that is wrong, which has been told.
int kiln_words_next(kiln_words_t *words, int argc, char **argv);

// Shows what the flag is, on stderr.
void kiln_words_show(const kiln_words_t *words, int flag);

// Tells that the value of the flag that was read last is wrong, and what the flag is. Returns the exit code for it.
int kiln_words_refuse(const kiln_words_t *words, int flag);

// Prints a flag's row of the help.
void kiln_flag_print(FILE *stream, const kiln_flag_t *flag);

// Prints the verb's help, and returns the exit code: 0 on stdout, else that of wrong usage.
int kiln_usage(FILE *stream, const char *verb);

#endif
