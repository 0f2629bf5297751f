// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statuses: one heap object per failure, with its notes in a growing array of strings.
//
// Two libraries may each contain a copy of this file, so the out-of-memory status is recognized by
// a flag inside the object, not by its address.
#include "kiln/status.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/string.h"

struct kiln_status {
    kiln_status_code_t code;
    bool is_static; // the out-of-memory status: never freed, never annotated
    char *message;
    char *file;
    unsigned line, column;
    kiln_resource_t resource;
    uint64_t required, limit;
    char **notes;
    size_t note_count, note_capacity;
};

static char out_of_memory_message[] = "out of memory";
static struct kiln_status out_of_memory = {
    .code = KILN_STATUS_OUT_OF_RESOURCES, .is_static = true, .message = out_of_memory_message};

kiln_status_t kiln_status_make(kiln_status_code_t code, const char *format, ...)
{
    struct kiln_status *status = calloc(1, sizeof *status);
    if (!status)
        return &out_of_memory;
    va_list args;
    va_start(args, format);
    status->message = kiln_string_vprint(format, args);
    va_end(args);
    if (!status->message) {
        free(status);
        return &out_of_memory;
    }
    status->code = code == KILN_STATUS_OK ? KILN_STATUS_INTERNAL : code;
    return status;
}

kiln_status_t kiln_status_out_of_memory(void)
{
    return &out_of_memory;
}

bool kiln_status_is_out_of_memory(kiln_status_t status)
{
    return status && status->is_static;
}

kiln_status_t kiln_status_at(kiln_status_t status, const char *file, unsigned line, unsigned column)
{
    if (!status || status->is_static)
        return status;
    free(status->file);
    status->file = file ? strdup(file) : NULL;
    status->line = line;
    status->column = column;
    return status;
}

kiln_status_t kiln_status_exceeds(kiln_status_t status, kiln_resource_t resource, uint64_t required,
                                  uint64_t limit)
{
    if (!status || status->is_static)
        return status;
    status->resource = resource;
    status->required = required;
    status->limit = limit;
    return status;
}

kiln_resource_t kiln_status_resource(kiln_status_t status)
{
    return status ? status->resource : KILN_RESOURCE_NONE;
}

const char *kiln_resource_name(kiln_resource_t resource)
{
    switch (resource) {
    case KILN_RESOURCE_NONE:
        return "";
    case KILN_RESOURCE_THREADS:
        return "threads";
    case KILN_RESOURCE_LDS:
        return "LDS";
    case KILN_RESOURCE_VECTOR_REGISTERS:
        return "vector registers";
    }
    return "";
}

uint64_t kiln_status_required(kiln_status_t status)
{
    return status ? status->required : 0;
}

uint64_t kiln_status_limit(kiln_status_t status)
{
    return status ? status->limit : 0;
}

// A note that cannot be allocated is dropped: the failure itself matters more.
kiln_status_t kiln_status_annotate(kiln_status_t status, const char *format, ...)
{
    if (!status || status->is_static)
        return status;
    if (!KILN_ARRAY_RESERVE(&status->notes, &status->note_capacity, status->note_count + 1))
        return status;
    va_list args;
    va_start(args, format);
    char *note = kiln_string_vprint(format, args);
    va_end(args);
    if (note)
        status->notes[status->note_count++] = note;
    return status;
}

kiln_status_code_t kiln_status_code(kiln_status_t status)
{
    return status ? status->code : KILN_STATUS_OK;
}

const char *kiln_status_code_name(kiln_status_code_t code)
{
    switch (code) {
    case KILN_STATUS_OK:
        return "ok";
    case KILN_STATUS_INVALID_INPUT:
        return "invalid input";
    case KILN_STATUS_MISMATCH:
        return "mismatch";
    case KILN_STATUS_USAGE:
        return "usage";
    case KILN_STATUS_NOT_FOUND:
        return "not found";
    case KILN_STATUS_UNAVAILABLE:
        return "unavailable";
    case KILN_STATUS_OUT_OF_RESOURCES:
        return "out of resources";
    case KILN_STATUS_IO:
        return "input/output";
    case KILN_STATUS_DEVICE:
        return "device";
    case KILN_STATUS_UNSUPPORTED:
        return "unsupported";
    case KILN_STATUS_INTERNAL:
        return "internal";
    }
    return "unknown";
}

const char *kiln_status_message(kiln_status_t status)
{
    return status ? status->message : "";
}

const char *kiln_status_file(kiln_status_t status)
{
    return status ? status->file : NULL;
}

unsigned kiln_status_line(kiln_status_t status)
{
    return status ? status->line : 0;
}

unsigned kiln_status_column(kiln_status_t status)
{
    return status ? status->column : 0;
}

size_t kiln_status_note_count(kiln_status_t status)
{
    return status ? status->note_count : 0;
}

const char *kiln_status_note(kiln_status_t status, size_t index)
{
    return index < kiln_status_note_count(status) ? status->notes[index] : NULL;
}

char *kiln_status_format(kiln_status_t status)
{
    kiln_string_t text = {0};
    const char *file = kiln_status_file(status);
    if (file) {
        kiln_string_append(&text, file);
        if (status->line)
            kiln_string_appendf(&text, ":%u", status->line);
        if (status->line && status->column)
            kiln_string_appendf(&text, ":%u", status->column);
        kiln_string_append(&text, ": ");
    }
    kiln_string_appendf(&text, "%s\n", kiln_status_message(status));
    for (size_t i = 0; i < kiln_status_note_count(status); i++)
        kiln_string_appendf(&text, "note: %s\n", status->notes[i]);
    return kiln_string_take(&text);
}

void kiln_status_free(kiln_status_t status)
{
    if (!status || status->is_static)
        return;
    for (size_t i = 0; i < status->note_count; i++)
        free(status->notes[i]);
    free(status->notes);
    free(status->message);
    free(status->file);
    free(status);
}
