// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads inputs and decides what they are.
//
// Note that .mlir and .mlirbc say only that a file is MLIR; it is ttg if it contains the module's
// attribute that all ttg has, which is spelled alike in text and bytecode.
#include "input.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bundle.h"
#include "base/file.h"
#include "base/string.h"
#include "reproducer.h"

static const char TTG_WORD[] = "ttg.num-warps", ELF_MAGIC[] = "\177ELF",
                  BYTECODE_MAGIC[] = "ML\xefR";

static const struct {
    kiln_input_kind_t kind;
    const char *expected, *is;
} kinds[] = {
    {KILN_INPUT_TILE, "Tile C (.c)", "which is Tile C"},
    {KILN_INPUT_TT, "tt (.ttir, .mlir, .mlirbc)", "which is tt"},
    {KILN_INPUT_TTG, "ttg (.ttgir, .mlir, .mlirbc)", "which is ttg"},
    {KILN_INPUT_OBJECT, "a code object (.hsaco)", "which is an ELF file"},
    {KILN_INPUT_BUNDLE, "a bundle (.kbundle)", "which is a bundle"},
    {KILN_INPUT_MANIFEST, "a manifest (.json)", "which is a .json file"},
    {KILN_INPUT_FOLDER, "a directory with case.json", "which is a directory"},
    {KILN_INPUT_EMPTY, NULL, "which is empty"},
    {KILN_INPUT_UNKNOWN, NULL, "whose contents and name match no known kind"},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

// Deciding ----------------------------------------------------------------------------------------

static bool begins_with(const kiln_input_t *input, const char *magic)
{
    const size_t length = strlen(magic);
    return input->size >= length && memcmp(input->bytes, magic, length) == 0;
}

static kiln_input_kind_t kind_of_mlir(const kiln_input_t *input)
{
    return memmem(input->bytes, input->size, TTG_WORD, strlen(TTG_WORD)) ? KILN_INPUT_TTG
                                                                         : KILN_INPUT_TT;
}

static kiln_input_kind_t kind_of(const char *path, const kiln_input_t *input)
{
    if (begins_with(input, ELF_MAGIC))
        return KILN_INPUT_OBJECT;
    if (kiln_bundle_is(input->bytes, input->size))
        return KILN_INPUT_BUNDLE;
    if (kiln_string_ends_with(path, ".c"))
        return KILN_INPUT_TILE;
    if (kiln_string_ends_with(path, ".ttir"))
        return KILN_INPUT_TT;
    if (kiln_string_ends_with(path, ".ttgir"))
        return KILN_INPUT_TTG;
    if (kiln_string_ends_with(path, ".mlir") || kiln_string_ends_with(path, ".mlirbc") ||
        begins_with(input, BYTECODE_MAGIC))
        return kind_of_mlir(input);
    if (kiln_string_ends_with(path, ".json"))
        return KILN_INPUT_MANIFEST;
    return input->size ? KILN_INPUT_UNKNOWN : KILN_INPUT_EMPTY;
}

// "expected Tile C (.c), tt (…) or ttg (…), got 'x.hsaco', which is an ELF file"
static kiln_status_t refuse(const char *path, unsigned accepted, kiln_input_kind_t kind,
                            const char *unknown_advice)
{
    kiln_string_t expected = {0};
    const char *is = "";
    for (int i = 0; i < KIND_COUNT; i++) {
        if (kinds[i].kind == kind)
            is = kinds[i].is;
        if (!(kinds[i].kind & accepted))
            continue;
        const bool is_last = accepted < (unsigned)kinds[i].kind << 1;
        kiln_string_appendf(&expected, "%s%s",
                            !expected.length ? ""
                            : is_last        ? " or "
                                             : ", ",
                            kinds[i].expected);
    }
    const char *advice = "";
    if (kind == KILN_INPUT_BUNDLE)
        advice = "; kiln bundle --list and kiln inspect show its kernels";
    else if ((kind & KILN_INPUT_SOURCE) && (accepted & KILN_INPUT_OBJECT))
        advice = "; compile it to a code object with kiln compile";
    else if (kind == KILN_INPUT_TILE && (accepted & KILN_INPUT_TT))
        advice = "; translate it with kiln compile --emit=tt";
    else if (kind == KILN_INPUT_EMPTY || kind == KILN_INPUT_UNKNOWN)
        advice = unknown_advice;
    kiln_status_t status =
        expected.failed ? kiln_status_out_of_memory()
                        : kiln_status_make(KILN_STATUS_INVALID_INPUT, "expected %s, got '%s', %s%s",
                                           expected.data, path, is, advice);
    kiln_string_free(&expected);
    return status;
}

// Reading -----------------------------------------------------------------------------------------

// The file type of st_mode; 0 if there is none.
static mode_t type_of(const char *path)
{
    struct stat info;
    return strcmp(path, "-") != 0 && stat(path, &info) == 0 ? info.st_mode & S_IFMT : 0;
}

static kiln_status_t read_bytes(const char *path, char **out_bytes, size_t *out_size)
{
    return strcmp(path, "-") == 0
               ? kiln_file_read_descriptor(STDIN_FILENO, "stdin", out_bytes, out_size)
               : kiln_file_read(path, out_bytes, out_size);
}

static kiln_status_t read_kind(const char *path, unsigned accepted, const char *unknown_advice,
                               kiln_input_t *out)
{
    *out = (kiln_input_t){.kind = KILN_INPUT_FOLDER};
    if (type_of(path) != S_IFDIR) {
        KILN_TRY(read_bytes(path, &out->bytes, &out->size));
        out->kind = kind_of(path, out);
    }
    if (out->kind & accepted)
        return KILN_OK;
    free(out->bytes);
    out->bytes = NULL;
    return refuse(path, accepted, out->kind, unknown_advice);
}

kiln_status_t kiln_input_read(const char *path, unsigned accepted, kiln_input_t *out)
{
    return read_kind(path, accepted, "", out);
}

static void fill(const char *path, kiln_stage_t stage, char *text, size_t length, char **out_text,
                 kiln_source_t *out_source)
{
    *out_text = text;
    *out_source = (kiln_source_t){.stage = stage,
                                  .name = strcmp(path, "-") ? path : "<stdin>",
                                  .text = text,
                                  .length = length};
    kiln_reproducer_set_input(text, length);
}

void kiln_input_source(const char *path, const kiln_input_t *input, kiln_source_t *out_source)
{
    char *text;
    const kiln_stage_t stage = input->kind == KILN_INPUT_TILE ? KILN_STAGE_TILE
                               : input->kind == KILN_INPUT_TT ? KILN_STAGE_TT
                                                              : KILN_STAGE_TTG;
    fill(path, stage, input->bytes, input->size, &text, out_source);
}

kiln_status_t kiln_input_read_source(const char *path, const char *unknown_advice, char **out_text,
                                     kiln_source_t *out_source)
{
    kiln_input_t input;
    *out_text = NULL;
    KILN_TRY(read_kind(path, KILN_INPUT_SOURCE, unknown_advice, &input));
    kiln_input_source(path, &input, out_source);
    *out_text = input.bytes;
    return KILN_OK;
}

kiln_status_t kiln_input_read_ir(const char *path, char **out_text, kiln_source_t *out_source)
{
    const unsigned accepted = KILN_INPUT_TT | KILN_INPUT_TTG, all = ~0u;
    kiln_input_t input;
    *out_text = NULL;
    KILN_TRY(read_kind(path, all, "", &input));
    if (input.kind == KILN_INPUT_UNKNOWN)
        input.kind = kind_of_mlir(&input);
    if (!(input.kind & accepted)) {
        free(input.bytes);
        return refuse(path, accepted, input.kind, "");
    }
    kiln_input_source(path, &input, out_source);
    *out_text = input.bytes;
    return KILN_OK;
}

kiln_status_t kiln_input_read_stage(const char *path, kiln_stage_t stage, char **out_text,
                                    kiln_source_t *out_source)
{
    char *text;
    size_t length;
    *out_text = NULL;
    KILN_TRY(read_bytes(path, &text, &length));
    fill(path, stage, text, length, out_text, out_source);
    return KILN_OK;
}

kiln_status_t kiln_input_check_folder(const char *path)
{
    kiln_input_t input;
    const mode_t type = type_of(path);
    const bool is_stdin = strcmp(path, "-") == 0;
    if (!is_stdin && (type == S_IFDIR || !type))
        return KILN_OK;
    if (type != S_IFREG) // reading it may never end
        return refuse(path, KILN_INPUT_FOLDER, KILN_INPUT_UNKNOWN, "");
    return kiln_input_read(path, KILN_INPUT_FOLDER, &input); // never succeeds
}
