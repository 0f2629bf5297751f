// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the buffers of printf records. A buffer begins with two dwords: the number of bytes in use
// and its size. The records follow.
//
// A HIP record begins with a dword whose bits from 2 on are the record's size in bytes. Bit 0
// selects stderr. If bit 1 is set, the 64-bit hash that identifies the format string in the
// metadata ("0:0:HASH,FORMAT") follows instead of the string itself. Then come the arguments as in
// a hostcall. OpenCL records: host/print_opencl.h. Formats in the metadata are numbered from 1 for
// OpenCL, which distinguishes the two languages.
//
// Pitfalls: a dword precedes the 64-bit words of a record, so they are not aligned. A faulty kernel
// may corrupt everything in the buffer, so sizes are checked against the bytes left.
#include "host/print_buffer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/string.h"
#include "host/hostcall_print.h"
#include "host/print_opencl.h"

enum { BUFFER_BYTES = 4 << 20, TO_STDERR = 1, HASHED = 2, SIZE_SHIFT = 2 }; // as large as ROCm's

typedef struct header {
    uint32_t taken, room;
} header_t;

uint8_t *kiln_sim_print_buffer_create(kiln_sim_memory_t *memory, kiln_sim_error_t *error)
{
    const header_t header = {.room = BUFFER_BYTES - sizeof header};
    uint8_t *buffer =
        kiln_sim_memory_allocate(memory, BUFFER_BYTES, KILN_SIM_MEMORY_SYSTEM, 0, error);
    if (!buffer)
        return NULL;
    memcpy(buffer, &header, sizeof header);
    kiln_sim_memory_mark(memory, (uint64_t)(uintptr_t)buffer, sizeof header);
    return buffer;
}

static const char prefix[] = "0:0:"; // of HIP formats

// The format string with this hash; NULL if the metadata lacks it.
static const char *find_format(const kiln_sim_code_object_t *object, uint64_t hash)
{
    for (size_t i = 0; i < object->format_count; i++) {
        const char *text = object->formats[i];
        char *end;
        if (kiln_string_starts_with(text, prefix) &&
            strtoull(text + strlen(prefix), &end, 16) == hash && *end == ',')
            return end + 1;
    }
    return NULL;
}

// Prints the part of a record after its first dword in the form of a hostcall message.
static bool print_record(const uint8_t *record, size_t size, uint32_t control,
                         const kiln_sim_kernel_t *kernel, kiln_sim_error_t *error)
{
    const char *format = "";
    uint64_t hash = 0;
    if (control & HASHED && size < sizeof hash)
        return kiln_sim_fail(error, KILN_SIM_LAUNCH_FAILURE,
                             "kernel '%s' printed a record that is too short for its format's hash",
                             kernel->name);
    if (control & HASHED) {
        memcpy(&hash, record, sizeof hash);
        record += sizeof hash;
        size -= sizeof hash;
        format = find_format(kernel->object, hash);
    }
    if (!format)
        return kiln_sim_fail(error, KILN_SIM_LAUNCH_FAILURE,
                             "kernel '%s' printed with a format (%" PRIx64
                             ") that is missing in its code object",
                             kernel->name, hash);
    const size_t format_words = control & HASHED ? strlen(format) / 8 + 1 : 0, words = size / 8;
    uint64_t *message = calloc(1 + format_words + words, sizeof *message);
    if (!message)
        return kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY,
                             "out of host memory for the output of kernel '%s'", kernel->name);
    message[0] = control & TO_STDERR;
    memcpy(message + 1, format, strlen(format));
    memcpy(message + 1 + format_words, record, words * 8);
    const int written = kiln_sim_hostcall_print(message, 1 + format_words + words);
    free(message);
    if (written < 0)
        return kiln_sim_fail(error, KILN_SIM_LAUNCH_FAILURE,
                             "kernel '%s' printed arguments that do not match their format%s%s",
                             kernel->name, control & HASHED ? ": " : "", format);
    return true;
}

// Prints an OpenCL record and returns its size; 0 if it is damaged.
static size_t print_numbered(const uint8_t *record, size_t left, const kiln_sim_kernel_t *kernel,
                             kiln_sim_error_t *error)
{
    uint32_t number = 0;
    const char *entry = NULL;
    memcpy(&number, record, left < sizeof number ? left : sizeof number);
    for (size_t i = 0; i < kernel->object->format_count && !entry; i++) {
        if (strtoul(kernel->object->formats[i], NULL, 10) == number)
            entry = kernel->object->formats[i];
    }
    const size_t size = entry ? kiln_sim_print_opencl_bytes(entry) : 0;
    const char *wrong = !entry        ? "with a format that is missing in its code object"
                        : !size       ? "with a format that is malformed in the metadata"
                        : size > left ? "a truncated record"
                        : kiln_sim_print_opencl(entry, record)
                            ? NULL
                            : "arguments that do not match their format";
    if (wrong)
        kiln_sim_fail(error, KILN_SIM_LAUNCH_FAILURE, "kernel '%s' printed %s: %u%s%s",
                      kernel->name, wrong, number, entry ? ", " : "", entry ? entry : "");
    return wrong ? 0 : size;
}

// Prints a HIP record and returns its size; 0 if it is damaged.
static size_t print_hashed(const uint8_t *at, size_t left, const kiln_sim_kernel_t *kernel,
                           kiln_sim_error_t *error)
{
    uint32_t control = 0;
    memcpy(&control, at, left < sizeof control ? left : sizeof control);
    const size_t size = control >> SIZE_SHIFT;
    if (size < sizeof control || size > left) {
        kiln_sim_fail(error, KILN_SIM_LAUNCH_FAILURE,
                      "kernel '%s' printed a record of %zu bytes with only %zu left", kernel->name,
                      size, left);
        return 0;
    }
    return print_record(at + sizeof control, size - sizeof control, control, kernel, error) ? size
                                                                                            : 0;
}

static bool print_records(const uint8_t *buffer, const kiln_sim_kernel_t *kernel,
                          kiln_sim_error_t *error)
{
    header_t header;
    memcpy(&header, buffer, sizeof header);
    if (header.taken > BUFFER_BYTES - sizeof header)
        return kiln_sim_fail(error, KILN_SIM_LAUNCH_FAILURE,
                             "kernel '%s' overflowed the print buffer: %u of %zu bytes are used",
                             kernel->name, header.taken, BUFFER_BYTES - sizeof header);
    const bool numbered = !kiln_string_starts_with(kernel->object->formats[0], prefix);
    const uint8_t *at = buffer + sizeof header;
    for (size_t left = header.taken, size; left; at += size, left -= size) {
        size = numbered ? print_numbered(at, left, kernel, error)
                        : print_hashed(at, left, kernel, error);
        if (!size)
            return false;
    }
    return true;
}

bool kiln_sim_print_buffer_print(const uint8_t *buffer, const kiln_sim_kernel_t *kernel,
                                 kiln_sim_error_t *error)
{
    const bool good = print_records(buffer, kernel, error);
    fflush(stdout);
    fflush(stderr);
    return good;
}
