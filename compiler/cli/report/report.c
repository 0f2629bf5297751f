// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the stages of a compilation and writes the report.
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/string.h"
#include "cli/device_flags.h"
#include "cli/json_text.h"
#include "layouts.h"
#include "page_write.h"

static json_t *text_of(const char *text, size_t length)
{
    char *copy = strndup(text, length);
    json_t *json = copy ? kiln_json_text(copy) : NULL;
    free(copy);
    return json;
}

// Whether a stage has the text of the one before it, because the pass changed nothing.
static bool is_like_last(const json_t *stages, const json_t *text)
{
    const size_t count = json_array_size(stages);
    return count && json_equal(json_object_get(json_array_get(stages, count - 1), "text"), text);
}

// Reads lines "VGPRS AGPRS FILE:LINE".
static json_t *read_registers(const char *text, size_t length)
{
    json_t *all = json_array();
    for (const char *at = text, *end = text + length; all && at < end;) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        char *rest;
        const unsigned long vgprs = strtoul(at, &rest, 10), agprs = strtoul(rest, &rest, 10);
        const char *place = *rest == ' ' ? rest + 1 : rest;
        line_end = line_end ? line_end : end;
        json_t *row =
            json_pack("{s:o,s:I,s:I}", "source", text_of(place, (size_t)(line_end - place)),
                      "vgprs", (json_int_t)vgprs, "agprs", (json_int_t)agprs);
        if (json_array_append_new(all, row) != 0) {
            json_decref(all);
            return NULL;
        }
        at = line_end + 1;
    }
    return all;
}

static json_t *read_lines(const char *text, size_t length)
{
    json_t *all = json_array();
    for (const char *at = text, *end = text + length; all && at < end;) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        line_end = line_end ? line_end : end;
        if (json_array_append_new(all, text_of(at, (size_t)(line_end - at))) != 0) {
            json_decref(all);
            return NULL;
        }
        at = line_end + 1;
    }
    return all;
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
    if (point == KILN_DUMP_LDS) {
        json_decref(stages->lds);
        stages->lds = read_lines(text, length);
        stages->out_of_memory |= !stages->lds;
        return;
    }
    if (point == KILN_DUMP_REGISTERS) {
        json_decref(stages->registers);
        stages->registers = read_registers(text, length);
        stages->out_of_memory |= !stages->registers;
        return;
    }
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

void kiln_report_keep(kiln_report_stages_t *stages, kiln_compile_options_t *options)
{
    stages->next = options->dump;
    stages->next_user = options->dump_user;
    stages->next_points = options->dump_points;
    options->dump = kiln_report_take;
    options->dump_user = stages;
    options->dump_points = 1u << KILN_DUMP_BEFORE_PASS | 1u << KILN_DUMP_AFTER_PASS |
                           1u << KILN_DUMP_LLVM_IR | 1u << KILN_DUMP_ISA |
                           1u << KILN_DUMP_REGISTERS | 1u << KILN_DUMP_LDS;
}

kiln_status_t kiln_report_keep_waves(kiln_report_stages_t *stages)
{
    static const char suffix[] = ".waves";
    const char *folder = kiln_environment("TMPDIR");
    if (kiln_environment("KILN_SIM_TIMELINE"))
        return KILN_OK;
    char *path = kiln_string_print("%s/kiln-XXXXXX%s", folder ? folder : "/tmp", suffix);
    if (!path)
        return kiln_status_out_of_memory();
    const int file = mkstemps(path, (int)strlen(suffix));
    if (file < 0) {
        kiln_status_t status =
            kiln_status_make(KILN_STATUS_IO, "cannot create '%s': %s", path, strerror(errno));
        free(path);
        return status;
    }
    close(file);
    stages->waves = path;
    kiln_flag_default("KILN_SIM_TIMELINE", path);
    return KILN_OK;
}

// Adds the timeline's lines.
static kiln_status_t add_waves(json_t *root, const char *path)
{
    char *text;
    size_t size;
    KILN_TRY(kiln_file_read(path, &text, &size));
    json_t *lines = read_lines(text, size);
    free(text);
    return json_object_set_new(root, "waves", lines) ? kiln_status_out_of_memory() : KILN_OK;
}

// Adds the file once; those that have no path, as a header in memory, are not readable.
static void add_name(json_t *names, const char *own, const char *name, size_t length)
{
    char *copy = length ? strndup(name, length) : NULL;
    if (copy && strcmp(copy, own) != 0)
        json_object_set_new(names, copy, json_true());
    free(copy);
}

// The files besides the source that lines of the launch, or locations of the first stage, are in.
static json_t *other_names(const json_t *root, const char *own, const json_t *stages)
{
    static const char begin[] = "loc(\"";
    json_t *names = json_object();
    const json_t *line;
    size_t i;
    json_array_foreach(json_object_get(root, "lines"), i, line)
    {
        const char *place = json_string_value(json_object_get(line, "source")),
                   *colon = place ? strrchr(place, ':') : NULL;
        if (colon)
            add_name(names, own, place, (size_t)(colon - place));
    }
    const char *text = json_string_value(json_object_get(json_array_get(stages, 0), "text"));
    for (const char *at = text; at && (at = strstr(at, begin));) {
        at += strlen(begin);
        const char *end = strchr(at, '"');
        if (end && end[1] == ':')
            add_name(names, own, at, (size_t)(end - at));
    }
    return names;
}

// [{"name", "text"}] of the files that can be read.
static json_t *read_others(const json_t *root, const char *own, const json_t *stages)
{
    json_t *names = other_names(root, own, stages), *all = json_array();
    const char *name;
    json_t *is_there;
    json_object_foreach(names, name, is_there)
    {
        char *text = NULL;
        size_t size = 0;
        kiln_status_free(kiln_file_read(name, &text, &size));
        if (text)
            json_array_append_new(all, json_pack("{s:o,s:o}", "name", kiln_json_text(name), "text",
                                                 text_of(text, size)));
        free(text);
    }
    json_decref(names);
    return all;
}

void kiln_report_stages_free(kiln_report_stages_t *stages)
{
    if (stages->waves)
        unlink(stages->waves);
    free(stages->waves);
    json_decref(stages->all);
    json_decref(stages->lds);
    json_decref(stages->registers);
    *stages = (kiln_report_stages_t){0};
}

kiln_status_t kiln_report_write(json_t *root, const kiln_source_t *source,
                                const kiln_report_stages_t *stages, const char *path)
{
    json_t *layouts;
    if (stages->waves)
        KILN_TRY(add_waves(root, stages->waves));
    KILN_TRY(kiln_report_layouts(stages->all, &layouts));
    if (json_object_set_new(root, "layouts", layouts) != 0)
        return kiln_status_out_of_memory();
    json_t *text = text_of(source->text, source->length);
    json_t *own =
        text ? json_pack("{s:o,s:o}", "name", kiln_json_text(source->name), "text", text) : NULL;
    const bool good =
        own && !stages->out_of_memory && json_object_set_new(root, "source", own) == 0 &&
        json_object_set_new(root, "files", read_others(root, source->name, stages->all)) == 0 &&
        json_object_set_new(root, "stages",
                            stages->all ? json_incref(stages->all) : json_array()) == 0 &&
        (!stages->lds || json_object_set(root, "lds", stages->lds) == 0) &&
        (!stages->registers || json_object_set(root, "registers", stages->registers) == 0);
    return good ? kiln_page_write(kiln_page_report, root, path) : kiln_status_out_of_memory();
}
