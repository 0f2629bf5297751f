// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The help page of a verb, from verbs.def, pages.def, verb_flags.def, kiln/options.def and
// environment.def: input for getopt, --help, man pages and completions.
//
// Note that an optional value is only accepted after '='.
#ifndef KILN_CLI_PAGES_H
#define KILN_CLI_PAGES_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include "device_flags.h"

// Returned by kiln_words_next for a verb's own flags and those of a launch; all others are handled
// by kiln_option_of_flag and kiln_flag_take.
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
    KILN_GROUP_WARNINGS, // accepted by the verbs that accept OPTIONS
    KILN_GROUP_SHARED,
    KILN_GROUP_SIM, // shared, of the simulator
    KILN_GROUP_COUNT
} kiln_flag_group_t;

typedef struct kiln_flag {
    int id;
    kiln_flag_group_t group;
    char letter;            // 0: none
    const char *name;       // without its dashes; NULL if there is only the letter, as of -Wall
    char value[128];        // "" if it takes none
    bool is_value_optional; // the value is optional
    const char *what;
    char more[256];  // more help: allowed values, default, variable; may be ""
    char words[128]; // all allowed words, separated by spaces; "" if other values are allowed or
                     // there are none
} kiln_flag_t;

typedef struct kiln_page {
    const char *verb, *what; // one line
    unsigned groups;         // one bit per group
    const char *option_value, *operands, *text;
} kiln_page_t;

// The verbs in order; NULL past the last.
const kiln_page_t *kiln_page(size_t index);

// An operand's form and meaning; false past the last.
bool kiln_page_operand(const kiln_page_t *page, size_t index, const char **out_form,
                       const char **out_what);

// A command to copy and what it does; false past the last. Each verb has two. The commands run from
// the top of the source tree, in the order of the verbs (test/lit/pages/examples.test).
bool kiln_page_example(const kiln_page_t *page, size_t index, const char **out_command,
                       const char **out_what);

// The flags of a verb by group, in the order of the tables. The strings are static.
enum { KILN_PAGE_FLAGS = 256 };
size_t kiln_page_flags(const kiln_page_t *page, kiln_flag_t out_flags[KILN_PAGE_FLAGS]);

// Writes "-o, --output=FILE", "--check[=VALUE]" to at most `size` bytes; `indent` replaces a
// missing letter.
void kiln_flag_form(const kiln_flag_t *flag, const char *indent, char *out, size_t size);

extern const char kiln_exit_codes[]; // a sentence
extern const char *const kiln_group_titles[KILN_GROUP_COUNT];

// Words -------------------------------------------------------------------------------------------

typedef struct kiln_words {
    const kiln_page_t *page;
    size_t count;
    kiln_flag_t flags[KILN_PAGE_FLAGS];
    struct option rows[KILN_PAGE_FLAGS + 1];
    char letters[2 * KILN_PAGE_FLAGS + 3];
} kiln_words_t;

// Starts parsing the words of a verb with getopt; optarg and optind have their usual meaning.
void kiln_words_begin(kiln_words_t *words, const char *verb);

// The id of the next flag; -1 past the last; '?' for an invalid word, which has been reported.
int kiln_words_next(kiln_words_t *words, int argc, char **argv);

// Prints the flag's help on stderr.
void kiln_words_show(const kiln_words_t *words, int flag);

// The name of a flag; NULL if it has none.
const char *kiln_words_name(const kiln_words_t *words, int flag);

// Reads all words up to the operands, and calls `take` for each flag, also KILN_FLAG_HELP. Returns
// the exit code if one is invalid, which has been reported, or else 0.
int kiln_words_read(kiln_words_t *words, int argc, char **argv,
                    kiln_status_t (*take)(void *user, const kiln_words_t *words, int flag,
                                          const char *value),
                    void *user);

// Reports that the value of the last flag is invalid, with the flag's help. Returns the exit code.
int kiln_words_refuse(const kiln_words_t *words, int flag);

// Prints a flag's line of the help.
void kiln_flag_print(FILE *stream, const kiln_flag_t *flag);

// The topic of the last --help=TOPIC that kiln_words_next returned: "sim", "warnings" or "all", of
// which the verb has flags; NULL: --help alone.
const char *kiln_help_topic(void);

// Prints the verb's help, all of it or a topic, and returns the exit code: 0 for stdout, else that
// of a usage error.
int kiln_usage(FILE *stream, const char *verb);

#endif
