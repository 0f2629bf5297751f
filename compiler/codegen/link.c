// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links by lld in this process, from memory to memory.
//
// What is easily got wrong: lld reads and writes files by name. Both are anonymous memory (memfd), named through
// /proc/self/fd; the output must be written in place, not mapped aside and renamed, which --no-mmap-output-file sees
// to.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "codegen/codegen.h"
#include "codegen/llvm_shim.h"

static kiln_status_t write_all(int file, const char *data, size_t size)
{
    while (size) {
        ssize_t written = write(file, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return kiln_status_make(KILN_STATUS_IO, "memory for the linker's input: %s", strerror(errno));
        data += written;
        size -= (size_t)written;
    }
    return KILN_OK;
}

static kiln_status_t read_all(int file, char **out_data, size_t *out_size)
{
    off_t size = lseek(file, 0, SEEK_END);
    if (size <= 0)
        return kiln_status_make(KILN_STATUS_INTERNAL, "the linker wrote nothing");
    char *data = malloc((size_t)size);
    if (!data)
        return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "out of memory");
    for (off_t done = 0; done < size;) {
        ssize_t count = pread(file, data + done, (size_t)(size - done), done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            free(data);
            return kiln_status_make(KILN_STATUS_IO, "the linker's output: %s", strerror(errno));
        }
        done += count;
    }
    *out_data = data;
    *out_size = (size_t)size;
    return KILN_OK;
}

kiln_status_t kiln_codegen_link(const void *object, size_t size, char **out_data, size_t *out_size)
{
    *out_data = NULL;
    *out_size = 0;
    char *messages = NULL, input_name[40], output_name[40];
    kiln_status_t status = KILN_OK;
    int input = memfd_create("kiln-object", MFD_CLOEXEC), output = memfd_create("kiln-code-object", MFD_CLOEXEC);
    if (input < 0 || output < 0) {
        status = kiln_status_make(KILN_STATUS_IO, "memory for the linker: %s", strerror(errno));
        goto cleanup;
    }
    if ((status = write_all(input, object, size)))
        goto cleanup;
    snprintf(input_name, sizeof input_name, "/proc/self/fd/%d", input);
    snprintf(output_name, sizeof output_name, "/proc/self/fd/%d", output);
    const char *arguments[] = {"ld.lld",         "-shared",  "--threads=1", "--no-mmap-output-file",
                               "--no-undefined", input_name, "-o",          output_name};
    if (!kiln_shim_lld(arguments, sizeof arguments / sizeof *arguments, &messages))
        status = kiln_status_make(KILN_STATUS_INTERNAL, "lld fails: %s", messages ? messages : "");
    else
        status = read_all(output, out_data, out_size);
cleanup:
    if (input >= 0)
        close(input);
    if (output >= 0)
        close(output);
    free(messages);
    return status;
}
