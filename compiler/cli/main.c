// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kiln command: finds the verb in verbs.def and hands its words over.
//
// Results go to stdout, everything else to stderr. Exit codes: 0 done; 1 the input is wrong or a comparison failed; 2
// usage; 3 environment; 70 a fault of Kiln's own. What one gets wrong: a crash is a fault of Kiln's own too; crash.c
// turns it into code 70 with a reproducer.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "crash.h"
#include "dump.h"
#include "kiln/kiln.h"
#include "pages.h"
#include "verbs.h"

static int (*const VERBS[])(int argc, char **argv) = {
#define KILN_VERB(name, function, what) function,
#include "verbs.def"
#undef KILN_VERB
};

static int usage(FILE *stream, int code)
{
    fprintf(stream, "usage: kiln VERB [ARGUMENT ...]\n"
                    "\n"
                    "Compiles, tunes and runs tile programs on AMD Instinct gfx942, or on a simulator of it.\n"
                    "\n");
    const kiln_page_t *page;
    for (size_t i = 0; (page = kiln_page(i)); i++)
        fprintf(stream, "  %-9s %s\n", page->verb, page->what);
    fprintf(stream,
            "\n`kiln VERB --help` tells more; `kiln --version` tells the versions.\n"
            "Exit codes: %s\n",
            kiln_exit_codes);
    return code;
}

// Output that nobody got is a failure, too.
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
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return usage(stdout, 0);
    if (strcmp(name, "--version") == 0) {
        printf("kiln %s (LLVM %s, build %s)\n", kiln_version(), kiln_llvm_version(), kiln_build_id());
        return 0;
    }
    const kiln_page_t *page;
    for (size_t i = 0; (page = kiln_page(i)); i++)
        if (strcmp(name, page->verb) == 0)
            return VERBS[i](argc - 1, argv + 1);
    kiln_suggestion_t near = kiln_suggestion(name);
    for (size_t i = 0; (page = kiln_page(i)); i++)
        kiln_suggestion_consider(&near, page->verb);
    fprintf(stderr, "kiln: error: there is no verb '%s'%s\n`kiln --help` shows the verbs\n", name,
            kiln_suggestion_advice(&near).text);
    return 2;
}

int main(int argc, char **argv)
{
    kiln_crash_watch();
    return finish(kiln_dump_finish(run(argc, argv)));
}
