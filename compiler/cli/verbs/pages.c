// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln pages: writes man pages and completions in the directory layout of share/ in an
// installation.
//
// Existing files are replaced. A file is either complete or reported as an error.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/string.h"
#include "cli/man/pages_write.h"
#include "cli/verbs.h"

static kiln_status_t write_text(const char *directory, const char *place, const kiln_page_t *page,
                                const char *name, void (*write)(FILE *out),
                                void (*write_page)(FILE *out, const kiln_page_t *page))
{
    char *folder = kiln_path_join(directory, place),
         *path = folder ? kiln_path_join(folder, name) : NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = path ? open_memstream(&text, &size) : NULL;
    if (out && page)
        write_page(out, page);
    else if (out)
        write(out);
    bool whole = out && !ferror(out);
    whole = (!out || fclose(out) == 0) && whole;
    kiln_status_t status = whole ? kiln_directory_make(folder, 0777) : kiln_status_out_of_memory();
    if (!status)
        status = kiln_file_write(path, text, size, 0666, KILN_FILE_NO_SYNC);
    free(text);
    free(path);
    free(folder);
    return status;
}

static kiln_status_t write_all(const char *directory)
{
    KILN_TRY(write_text(directory, "man/man1", NULL, "kiln.1", kiln_man_command, NULL));
    const kiln_page_t *page;
    for (size_t i = 0; (page = kiln_page(i)); i++) {
        char name[64];
        snprintf(name, sizeof name, "kiln-%s.1", page->verb);
        KILN_TRY(write_text(directory, "man/man1", page, name, NULL, kiln_man_verb));
    }
    KILN_TRY(write_text(directory, "bash-completion/completions", NULL, "kiln", kiln_complete_bash,
                        NULL));
    KILN_TRY(write_text(directory, "zsh/site-functions", NULL, "_kiln", kiln_complete_zsh, NULL));
    return write_text(directory, "fish/vendor_completions.d", NULL, "kiln.fish", kiln_complete_fish,
                      NULL);
}

int kiln_verb_pages(int argc, char **argv)
{
    kiln_words_t words;
    kiln_words_begin(&words, "pages");
    for (int flag; (flag = kiln_words_next(&words, argc, argv)) != -1;)
        return flag == KILN_FLAG_HELP ? kiln_usage(stdout, "pages")
                                      : kiln_words_refuse(&words, flag);
    if (argc - optind != 1)
        return kiln_usage(stderr, "pages");
    return kiln_cli_report(write_all(argv[optind]));
}
