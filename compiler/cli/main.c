// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kiln command: finds the verb in verbs.def and passes its words on.
//
// Results go to stdout, everything else to stderr. Exit codes: 0 success; 1 invalid input or a
// failed comparison; 2 usage; 3 environment; 70 internal error, which includes crashes: crash.c
// turns these into code 70 with a reproducer.
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "crash.h"
#include "dump.h"
#include "kiln/kiln.h"
#include "pages.h"
#include "reproducer.h"
#include "verbs.h"

static int (*const VERBS[])(int argc, char **argv) = {
#define KILN_VERB(name, function, what) function,
#include "verbs.def"
#undef KILN_VERB
};

static int usage(FILE *stream, int code)
{
    fprintf(stream,
            "usage: kiln VERB [ARGUMENT ...]\n"
            "\n"
            "Compiles, tunes and runs tile programs on AMD Instinct gfx942 or its simulator.\n"
            "\n");
    const kiln_page_t *page;
    for (size_t i = 0; (page = kiln_page(i)); i++)
        fprintf(stream, "  %-9s %s\n", page->verb, page->what);
    fprintf(stream,
            "\n`kiln VERB --help` describes a verb; `kiln --version` prints the versions.\n"
            "Exit codes: %s\n",
            kiln_exit_codes);
    return code;
}

// Output that could not be written is also a failure.
static int finish(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "kiln: error: cannot write to stdout: %s\n", strerror(errno));
    return code ? code : 3;
}

static int run(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name)
        return usage(stderr, 2);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
        (strcmp(name, "help") == 0 && argc == 2))
        return usage(stdout, 0);
    if (strcmp(name, "--version") == 0) {
        printf("kiln %s (LLVM %s, build %s)\n", kiln_version(), kiln_llvm_version(),
               kiln_build_id());
        return 0;
    }
    const bool is_help = strcmp(name, "help") == 0; // kiln help tune
    if (is_help)
        name = argv[2];
    const kiln_page_t *page;
    for (size_t i = 0; (page = kiln_page(i)); i++)
        if (strcmp(name, page->verb) == 0) {
            kiln_reproducer_begin(argc - 1, argv + 1);
            return is_help ? kiln_usage(stdout, name) : VERBS[i](argc - 1, argv + 1);
        }
    kiln_suggestion_t near = kiln_suggestion(name);
    for (size_t i = 0; (page = kiln_page(i)); i++)
        kiln_suggestion_consider(&near, page->verb);
    fprintf(stderr, "kiln: error: unknown verb '%s'%s\n`kiln --help` lists the verbs\n", name,
            kiln_suggestion_advice(&near).text);
    return 2;
}

int main(int argc, char **argv)
{
    kiln_crash_watch();
    signal(SIGXFSZ, SIG_IGN); // a file at its size limit is a write error, like a full disk
    return finish(kiln_dump_finish(run(argc, argv)));
}
