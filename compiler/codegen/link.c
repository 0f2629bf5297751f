// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links by lld in this process.
//
// What is easily got wrong: lld reads and writes files by name, and makes its output beside the final one. All of them
// are in a private directory, in shared memory where there is any.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/string.h"
#include "codegen/codegen.h"
#include "codegen/llvm_shim.h"

// A private directory; the caller removes it.
static kiln_status_t make_directory(char *path, size_t size)
{
    static const char *const parents[] = {"/dev/shm", P_tmpdir, "/var/tmp", "."};
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
        snprintf(path, size, "%s/kiln-link-XXXXXX", parents[i]);
        if (mkdtemp(path))
            return KILN_OK;
    }
    *path = '\0';
    return kiln_status_make(KILN_STATUS_IO, "no directory for the linker's files: %s", strerror(errno));
}

// Kiln's own code names nothing that it does not hold, so a symbol that is missing or wrong is one of inline assembly.
static kiln_status_t failure(const char *messages)
{
    static const char prefix[] = "ld.lld: error: ";
    bool is_symbol = strstr(messages, "symbol") != NULL;
    if (!is_symbol)
        return kiln_status_make(KILN_STATUS_INTERNAL, "lld fails: %s", messages);
    if (kiln_string_starts_with(messages, prefix))
        messages += sizeof prefix - 1;
    return kiln_status_make(KILN_STATUS_INVALID_INPUT, "link: %.*s", (int)strcspn(messages, "\n"), messages);
}

// The names of the linker's files, which exist from when they are written: the output, then the objects.
typedef struct files {
    char directory[64];
    char **names;
    size_t count;
} files_t;

static kiln_status_t write_inputs(files_t *files, const kiln_codegen_object_t *objects, size_t count)
{
    KILN_TRY(make_directory(files->directory, sizeof files->directory));
    for (size_t i = 0; i <= count; i++) {
        char *name = i ? kiln_string_print("%s/%zu.o", files->directory, i)
                       : kiln_string_print("%s/code.hsaco", files->directory);
        if (!name)
            return kiln_status_out_of_memory();
        files->names[files->count++] = name;
        if (i)
            KILN_TRY(kiln_file_write(name, objects[i - 1].data, objects[i - 1].size, 0600, KILN_FILE_NO_SYNC));
    }
    return KILN_OK;
}

static void remove_files(files_t *files)
{
    for (size_t i = 0; i < files->count; i++) {
        unlink(files->names[i]);
        free(files->names[i]);
    }
    if (*files->directory)
        rmdir(files->directory);
}

static kiln_status_t call_lld(const files_t *files, const char **arguments)
{
    static const char *const options[] = {"ld.lld", "-shared", "--threads=1", "--no-undefined", "-o"};
    enum { OPTIONS = sizeof options / sizeof *options };
    char *messages = NULL;
    memcpy(arguments, options, sizeof options);
    memcpy(arguments + OPTIONS, files->names, files->count * sizeof *files->names);
    kiln_status_t status =
        kiln_shim_lld(arguments, OPTIONS + files->count, &messages) ? KILN_OK : failure(messages ? messages : "");
    free(messages);
    return status;
}

kiln_status_t kiln_codegen_link(const kiln_codegen_object_t *objects, size_t count, char **out_data, size_t *out_size)
{
    *out_data = NULL;
    *out_size = 0;
    files_t files = {.names = calloc(count + 1, sizeof *files.names)};
    const char **arguments = calloc(count + 8, sizeof *arguments);
    kiln_status_t status =
        files.names && arguments ? write_inputs(&files, objects, count) : kiln_status_out_of_memory();
    if (!status)
        status = call_lld(&files, arguments);
    if (!status)
        status = kiln_file_read(files.names[0], out_data, out_size);
    remove_files(&files);
    free(files.names);
    free(arguments);
    return status;
}
