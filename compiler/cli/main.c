// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kiln command: finds the verb in verbs.def and hands its words over.
//
// Results go to stdout, everything else to stderr. Exit codes: 0 done; 1 the input is wrong or a comparison failed; 2
// usage; 3 environment; 70 a fault of Kiln's own. What one gets wrong: a crash is a fault of Kiln's own too; crash.c
// turns it into code 70 with a reproducer.
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "crash.h"
#include "kiln/kiln.h"
#include "verbs.h"

typedef struct verb {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
} verb_t;

static const verb_t VERBS[] = {
#define KILN_VERB(name, function, what) {#name, function, what},
#include "verbs.def"
#undef KILN_VERB
};
enum { VERB_COUNT = sizeof VERBS / sizeof *VERBS };

static int usage(FILE *stream, int code)
{
    fprintf(stream, "usage: kiln VERB [ARGUMENT ...]\n"
                    "\n"
                    "Compiles, tunes and runs tile programs on AMD Instinct gfx942, or on a simulator of it.\n"
                    "\n");
    for (int i = 0; i < VERB_COUNT; i++)
        fprintf(stream, "  %-9s %s\n", VERBS[i].name, VERBS[i].what);
    fprintf(
        stream,
        "\n`kiln VERB --help` tells more; `kiln --version` tells the versions.\n"
        "Exit codes: 0 done, 1 wrong input or failed comparison, 2 usage, 3 environment, 70 a fault of Kiln's own.\n");
    return code;
}

int main(int argc, char **argv)
{
    kiln_crash_watch();
    opterr = 0; // flag_errors.c tells what is wrong with a flag
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name)
        return usage(stderr, 2);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return usage(stdout, 0);
    if (strcmp(name, "--version") == 0) {
        printf("kiln %s (LLVM %s, build %s)\n", kiln_version(), kiln_llvm_version(), kiln_build_id());
        return 0;
    }
    for (int i = 0; i < VERB_COUNT; i++)
        if (strcmp(name, VERBS[i].name) == 0)
            return VERBS[i].run(argc - 1, argv + 1);
    kiln_suggestion_t near = kiln_suggestion(name);
    for (int i = 0; i < VERB_COUNT; i++)
        kiln_suggestion_consider(&near, VERBS[i].name);
    fprintf(stderr, "kiln: error: there is no verb '%s'%s\n`kiln --help` shows the verbs\n", name,
            kiln_suggestion_advice(&near).text);
    return 2;
}
