// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the results of compilation to files. Note that a name may lack a suffix, and that a '.'
// before the last '/' does not start one.
#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/string.h"
#include "cli/dump.h"
#include "kiln/iree.h"
#include "places.h"

kiln_status_t kiln_output_bytes(const char *path, const void *data, size_t size)
{
    if (strcmp(path, "-") != 0)
        return kiln_file_write(path, data, size, 0666, KILN_FILE_NO_SYNC);
    if (fwrite(data, 1, size, stdout) != size || fflush(stdout))
        return kiln_status_make(KILN_STATUS_IO, "stdout: %s", strerror(errno));
    return KILN_OK;
}

kiln_status_t kiln_output_ir(const char *path, const char *text)
{
    if (!kiln_dump_has_places())
        return kiln_output_bytes(path, text, strlen(text));
    char *places = kiln_places_text(text);
    kiln_status_t status =
        places ? kiln_output_bytes(path, places, strlen(places)) : kiln_status_out_of_memory();
    free(places);
    return status;
}

char *kiln_path_with_suffix(const char *path, const char *suffix)
{
    const char *base = kiln_path_base(path), *dot = strrchr(base, '.');
    size_t length = dot && dot != base ? (size_t)(dot - path) : strlen(path);
    return kiln_string_print("%.*s%s", (int)length, path, suffix);
}

// The output if there is no -o.
static char *output_path(const kiln_output_t *o, const char *suffix)
{
    return o->output ? strdup(o->output) : kiln_path_with_suffix(kiln_path_base(o->input), suffix);
}

static kiln_status_t write_code_object(const kiln_output_t *o, const kiln_kernel_t *kernel)
{
    size_t size;
    const void *code = kiln_kernel_code_object(kernel, &size);
    if (o->output && (strcmp(o->output, "-") == 0 || kiln_file_is_special(o->output)))
        return kiln_output_bytes(o->output, code, size);
    char *object = output_path(o, ".hsaco"),
         *manifest = object ? kiln_path_with_suffix(object, ".json") : NULL;
    kiln_status_t status = manifest ? KILN_OK : kiln_status_out_of_memory();
    if (!status && strcmp(object, manifest) == 0)
        status = kiln_status_make(
            KILN_STATUS_USAGE,
            "-o %s: the manifest would overwrite the output; choose another name", object);
    if (!status)
        status = kiln_output_bytes(object, code, size);
    if (!status)
        status = kiln_output_bytes(manifest, kiln_kernel_manifest(kernel),
                                   strlen(kiln_kernel_manifest(kernel)));
    free(object);
    free(manifest);
    return status;
}

static kiln_status_t write_header(const kiln_output_t *o, const kiln_kernel_t *kernel)
{
    size_t size;
    const void *code = kiln_kernel_code_object(kernel, &size);
    kiln_launcher_options_t options;
    kiln_launcher_options_initialize(&options);
    options.symbol = o->symbol;
    options.launcher = o->launcher;
    char *text;
    KILN_TRY(kiln_launcher_make(code, size, kiln_kernel_manifest(kernel), &options, &text));
    kiln_status_t status = kiln_output_bytes(o->output ? o->output : "-", text, strlen(text));
    free(text);
    return status;
}

static kiln_status_t write_object(const kiln_output_t *o, const kiln_kernel_t *kernel)
{
    kiln_object_part_t code = {0}, manifest = {0};
    code.data = kiln_kernel_code_object(kernel, &code.size);
    manifest.data = kiln_kernel_manifest(kernel);
    manifest.size = strlen(manifest.data);
    void *object = NULL;
    size_t size;
    char *symbol = o->symbol ? strdup(o->symbol) : kiln_symbol_of(kiln_kernel_name(kernel));
    char *code_name = symbol ? kiln_string_print("%s_hsaco", symbol) : NULL;
    char *manifest_name = symbol ? kiln_string_print("%s_manifest", symbol) : NULL;
    char *path = output_path(o, ".o");
    code.name = code_name;
    manifest.name = manifest_name;
    kiln_status_t status =
        path && code_name && manifest_name ? KILN_OK : kiln_status_out_of_memory();
    if (!status)
        status = kiln_object_make((kiln_object_part_t[]){code, manifest}, 2, &object, &size);
    if (!status)
        status = kiln_output_bytes(path, object, size);
    free(object);
    free(path);
    free(code_name);
    free(manifest_name);
    free(symbol);
    return status;
}

// Writes the executable to the file of -o, and the code object and its manifest next to it.
static kiln_status_t write_iree(const kiln_output_t *o, const kiln_kernel_t *kernel)
{
    if (o->output && (strcmp(o->output, "-") == 0 || kiln_file_is_special(o->output)))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "-o %s: --emit=iree writes three files and needs a file name",
                                o->output);
    char *path = output_path(o, ".mlir"),
         *object = path ? kiln_path_with_suffix(path, ".hsaco") : NULL, *text = NULL;
    kiln_status_t status = object ? KILN_OK : kiln_status_out_of_memory();
    if (!status && (strcmp(path, object) == 0 || strcmp(path, o->input) == 0))
        status = kiln_status_make(
            KILN_STATUS_USAGE,
            "-o %s: the output would overwrite the input or the code object; choose another name",
            path);
    kiln_iree_options_t options;
    kiln_iree_options_initialize(&options);
    options.object_path = object ? kiln_path_base(object) : NULL;
    options.name = o->replaced;
    options.replaces = o->replaced != NULL;
    if (!status)
        status = kiln_iree_executable_make(kiln_kernel_manifest(kernel), &options, &text);
    if (!status)
        status = kiln_output_bytes(path, text, strlen(text));
    kiln_output_t sibling = {.input = o->input, .output = object};
    if (!status)
        status = write_code_object(&sibling, kernel);
    free(text);
    free(object);
    free(path);
    return status;
}

// A name with make's escapes.
static void put_name(kiln_string_t *text, const char *name)
{
    for (; *name; name++) {
        if (*name == ' ' || *name == '#' || *name == '\\')
            kiln_string_append_char(text, '\\');
        if (*name == '$')
            kiln_string_append_char(text, '$');
        kiln_string_append_char(text, *name);
    }
}

static kiln_status_t write_depfile(const kiln_output_t *o, const kiln_kernel_t *kernel)
{
    static const char *const suffixes[] = {
        [KILN_EMIT_STAGE] = ".hsaco", [KILN_EMIT_OBJECT] = ".o", [KILN_EMIT_IREE] = ".mlir"};
    bool is_file = o->emit == KILN_EMIT_OBJECT || o->emit == KILN_EMIT_IREE ||
                   (o->emit == KILN_EMIT_STAGE && o->stage == KILN_STAGE_HSACO);
    char *path =
        o->output || is_file ? output_path(o, o->output ? NULL : suffixes[o->emit]) : strdup("-");
    if (!path)
        return kiln_status_out_of_memory();
    char *sibling = o->depfile ? strdup(o->depfile) : kiln_path_with_suffix(path, ".d");
    if (!o->depfile && strcmp(path, "-") == 0) {
        free(path);
        free(sibling);
        return kiln_status_make(KILN_STATUS_USAGE, "-MD: the output is stdout; use -MF FILE");
    }
    kiln_string_t text = {0};
    put_name(&text, o->target ? o->target : path);
    free(path);
    kiln_string_append(&text, ": ");
    put_name(&text, o->input);
    for (size_t i = 0; i < kiln_kernel_include_count(kernel); i++) {
        kiln_string_append(&text, " \\\n ");
        put_name(&text, kiln_kernel_include(kernel, i));
    }
    kiln_string_append_char(&text, '\n');
    kiln_status_t status = !text.failed && sibling
                               ? kiln_output_bytes(sibling, text.data, text.length)
                               : kiln_status_out_of_memory();
    free(sibling);
    kiln_string_free(&text);
    return status;
}

static kiln_status_t write_result(const kiln_output_t *o, const kiln_kernel_t *kernel)
{
    if (o->emit == KILN_EMIT_HEADER)
        return write_header(o, kernel);
    if (o->emit == KILN_EMIT_OBJECT)
        return write_object(o, kernel);
    if (o->emit == KILN_EMIT_IREE)
        return write_iree(o, kernel);
    if (o->stage == KILN_STAGE_HSACO)
        return write_code_object(o, kernel);
    const char *text = kiln_kernel_text(kernel, o->stage), *path = o->output ? o->output : "-";
    return o->stage <= KILN_STAGE_TTG ? kiln_output_ir(path, text)
                                      : kiln_output_bytes(path, text, strlen(text));
}

kiln_status_t kiln_output_write(const kiln_output_t *o, const kiln_kernel_t *kernel)
{
    KILN_TRY(write_result(o, kernel));
    return o->needs_depfile ? write_depfile(o, kernel) : KILN_OK;
}
