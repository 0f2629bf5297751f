// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links with lld in this process.
//
// Note that lld reads and writes files by name, and creates its output next to the final file. All
// of them are in a private directory (codegen/link/directory.h).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/string.h"
#include "codegen/codegen.h"
#include "codegen/link/directory.h"
#include "codegen/llvm_shim.h"

// The names of the linker's files, which exist once they are written: the output, then the objects.
typedef struct files {
    kiln_link_directory_t directory;
    char **names;
    size_t count;
} files_t;

static kiln_status_t write_inputs(files_t *files, const kiln_codegen_object_t *objects,
                                  size_t count)
{
    KILN_TRY(kiln_link_directory_make(&files->directory));
    for (size_t i = 0; i <= count; i++) {
        char *name = i ? kiln_string_print("%s/%zu.o", files->directory.path, i)
                       : kiln_string_print("%s/code.hsaco", files->directory.path);
        if (!name)
            return kiln_status_out_of_memory();
        files->names[files->count++] = name;
        if (i)
            KILN_TRY(kiln_file_write(name, objects[i - 1].data, objects[i - 1].size, 0600,
                                     KILN_FILE_NO_SYNC));
    }
    return KILN_OK;
}

static void remove_files(files_t *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->names[i]);
    kiln_link_directory_remove(&files->directory);
}

static kiln_status_t call_lld(const files_t *files, const char **arguments)
{
    static const char *const options[] = {"ld.lld", "-shared", "--threads=1", "--no-undefined",
                                          "-o"};
    enum { OPTIONS = sizeof options / sizeof *options };
    char *messages = NULL;
    memcpy(arguments, options, sizeof options);
    memcpy(arguments + OPTIONS, files->names, files->count * sizeof *files->names);
    kiln_status_t status = KILN_OK; // kiln_codegen_explain_link finds the cause in the object
    if (!kiln_shim_lld(arguments, OPTIONS + files->count, &messages))
        status = kiln_status_make(KILN_STATUS_INTERNAL, "lld failed: %s", messages ? messages : "");
    free(messages);
    return status;
}

kiln_status_t kiln_codegen_link(const kiln_codegen_object_t *objects, size_t count, char **out_data,
                                size_t *out_size)
{
    *out_data = NULL;
    *out_size = 0;
    files_t files = {.directory.handle = -1, .names = calloc(count + 1, sizeof *files.names)};
    const char **arguments = calloc(count + 8, sizeof *arguments);
    kiln_status_t status = files.names && arguments ? write_inputs(&files, objects, count)
                                                    : kiln_status_out_of_memory();
    if (!status)
        status = call_lld(&files, arguments);
    if (!status)
        status = kiln_file_read(files.names[0], out_data, out_size);
    remove_files(&files);
    free(files.names);
    free(arguments);
    return status;
}
