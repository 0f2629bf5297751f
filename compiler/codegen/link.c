// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links by lld in this process.
//
// What is easily got wrong: lld reads and writes files by name, and makes its output beside the final one. The input is
// anonymous memory, named through /proc/self/fd; the output needs a directory, a private one in shared memory where
// there is any.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/string.h"
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
    return kiln_status_make(KILN_STATUS_IO, "no directory for the linker's output: %s", strerror(errno));
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

kiln_status_t kiln_codegen_link(const void *object, size_t size, char **out_data, size_t *out_size)
{
    *out_data = NULL;
    *out_size = 0;
    char *messages = NULL, input_name[40], directory[64], output_name[80] = "";
    int input = memfd_create("kiln-object", MFD_CLOEXEC);
    if (input < 0)
        return kiln_status_make(KILN_STATUS_IO, "memory for the linker's input: %s", strerror(errno));
    kiln_status_t status = make_directory(directory, sizeof directory);
    if (!status)
        status = write_all(input, object, size);
    if (status)
        goto cleanup;
    snprintf(input_name, sizeof input_name, "/proc/self/fd/%d", input);
    snprintf(output_name, sizeof output_name, "%s/code.hsaco", directory);
    const char *arguments[] = {"ld.lld", "-shared", "--threads=1", "--no-undefined", input_name, "-o", output_name};
    if (!kiln_shim_lld(arguments, sizeof arguments / sizeof *arguments, &messages))
        status = failure(messages ? messages : "");
    else
        status = kiln_file_read(output_name, out_data, out_size);
cleanup:
    close(input);
    if (*output_name)
        unlink(output_name);
    if (*directory)
        rmdir(directory);
    free(messages);
    return status;
}
