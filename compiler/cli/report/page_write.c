// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts style, script and data into a page.
#include "page_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

#define EMBED(name, file)                                                                          \
    __asm__(".section .rodata\n.globl " #name "\n" #name ":\n.incbin \"" KILN_PAGES_DIR "/" file   \
            "\"\n.byte 0\n.previous\n")
EMBED(kiln_page_report, "report/report.html");
EMBED(kiln_page_tune, "tune/report.html");
EMBED(kiln_page_style, "report/page.css");
EMBED(kiln_page_layout, "report/layout.html");
EMBED(kiln_page_script, "report/page.js");
EMBED(kiln_page_layouts, "report/layout.js");
extern const char kiln_page_style[], kiln_page_script[], kiln_page_layouts[];

// In a script element only "</script" and "<!--" have a meaning; in JSON, '<' occurs only in
// strings.
static void write_data(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("\\u003c", file);
        else
            fputc(*text, file);
    }
}

// Writes the page up to a place; returns the remainder.
static const char *write_up_to(FILE *file, const char *page, const char *place)
{
    const char *at = strstr(page, place);
    fwrite(page, 1, (size_t)(at - page), file);
    return at + strlen(place);
}

static kiln_status_t cannot_write(const char *path)
{
    return kiln_status_make(KILN_STATUS_IO, "cannot write '%s': %s", path, strerror(errno));
}

kiln_status_t kiln_page_write(const char *page, const json_t *data, const char *path)
{
    char *text = kiln_json_print_line(data);
    if (!text)
        return kiln_status_out_of_memory();
    FILE *file = fopen(path, "w");
    if (!file) {
        kiln_status_t status = cannot_write(path);
        free(text);
        return status;
    }
    page = write_up_to(file, page, "@STYLE@\n");
    fputs(kiln_page_style, file);
    page = write_up_to(file, page, "@DATA@");
    write_data(file, text);
    page = write_up_to(file, page, "@SCRIPT@\n");
    fputs(kiln_page_script, file);
    if (strstr(page, "@LAYOUTS@")) { // pages that draw layouts
        page = write_up_to(file, page, "@LAYOUTS@\n");
        fputs(kiln_page_layouts, file);
    }
    fputs(page, file);
    free(text);
    const bool failed = ferror(file);
    return fclose(file) == 0 && !failed ? KILN_OK : cannot_write(path);
}
