// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "json_text.h"

__asm__(".section .rodata\n"
        "kiln_report_page:\n"
        ".incbin \"" KILN_REPORT_PAGE "\"\n"
        ".byte 0\n.previous\n");
extern const char kiln_report_page[]; // report.html

static const char PLACE[] = "@DATA@";

static json_t *text_of(const char *text, size_t length)
{
    char *copy = strndup(text, length);
    json_t *json = copy ? kiln_json_text(copy) : NULL;
    free(copy);
    return json;
}

// A pass that changed nothing has the text of the one before it.
static bool is_like_last(const json_t *stages, const json_t *text)
{
    const size_t count = json_array_size(stages);
    return count && json_equal(json_object_get(json_array_get(stages, count - 1), "text"), text);
}

void kiln_report_take(kiln_dump_point_t point, const char *pass, const char *text, size_t length,
                      void *user)
{
    kiln_report_stages_t *stages = user;
    const bool is_first = json_array_size(stages->all) == 0;
    if (stages->next && stages->next_points >> point & 1)
        stages->next(point, pass, text, length, stages->next_user);
    if (point == KILN_DUMP_BEFORE_PASS && !is_first)
        return;
    json_t *json = text_of(text, length);
    if (!stages->all)
        stages->all = json_array();
    if (json && is_like_last(stages->all, json)) {
        json_decref(json);
        return;
    }
    const char *name = point == KILN_DUMP_LLVM_IR       ? "LLVM IR"
                       : point == KILN_DUMP_ISA         ? "assembly"
                       : point == KILN_DUMP_BEFORE_PASS ? "input"
                                                        : pass,
               *kind = point == KILN_DUMP_LLVM_IR ? "llvm"
                       : point == KILN_DUMP_ISA   ? "asm"
                                                  : "mlir";
    json_t *stage =
        json ? json_pack("{s:s,s:s,s:o}", "name", name, "kind", kind, "text", json) : NULL;
    if (!stage || json_array_append_new(stages->all, stage) != 0)
        stages->out_of_memory = true;
}

// In a script element only "</script" and "<!--" have a meaning, and '<' is only in strings here.
static void write_data(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("\\u003c", file);
        else
            fputc(*text, file);
    }
}

kiln_status_t kiln_report_write(json_t *told, const kiln_source_t *source,
                                const kiln_report_stages_t *stages, const char *path)
{
    json_t *text = text_of(source->text, source->length);
    json_t *own =
        text ? json_pack("{s:o,s:o}", "name", kiln_json_text(source->name), "text", text) : NULL;
    const bool good = own && !stages->out_of_memory &&
                      json_object_set_new(told, "source", own) == 0 &&
                      json_object_set(told, "stages", stages->all) == 0;
    char *data = good ? kiln_json_print_line(told) : NULL;
    if (!data)
        return kiln_status_out_of_memory();
    const char *place = strstr(kiln_report_page, PLACE);
    FILE *file = fopen(path, "w");
    if (!file) {
        free(data);
        return kiln_status_make(KILN_STATUS_IO, "cannot write '%s'", path);
    }
    fwrite(kiln_report_page, 1, (size_t)(place - kiln_report_page), file);
    write_data(file, data);
    fputs(place + strlen(PLACE), file);
    free(data);
    const bool failed = ferror(file);
    return fclose(file) == 0 && !failed
               ? KILN_OK
               : kiln_status_make(KILN_STATUS_IO, "cannot write '%s'", path);
}
