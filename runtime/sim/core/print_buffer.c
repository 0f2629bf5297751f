// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A buffer begins with two dwords: how many bytes are taken, and how many there are. Records follow, each behind the last one.
//
// Of HIP: a dword whose bits from 2 on are the record's bytes, where bit 0 means stderr, and bit 1 that no format string follows but the 64-bit hash by
// which the metadata tell it ("0:0:HASH,FORMAT"); then the format string, if it does, and the arguments, as in a hostcall.
// Of OpenCL: core/print_opencl.h. The metadata number its formats from 1 on, by which a code object's language is seen.
//
// What a reader gets wrong: records have a dword before their 64-bit words, so these are not aligned. And everything in the buffer is the kernel's to
// spoil, so sizes are compared with what is left.
#include "core/print_buffer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hostcall_print.h"
#include "core/print_opencl.h"

enum { BUFFER_BYTES = 4 << 20, TO_STDERR = 1, HASHED = 2, SIZE_SHIFT = 2 }; // as large as ROCm's

typedef struct header {
    uint32_t taken, room;
} header_t;

uint8_t *kiln_sim_print_buffer_create(kiln_sim_memory_t *memory, kiln_sim_error_t *error)
{
    const header_t header = {.room = BUFFER_BYTES - sizeof header};
    uint8_t *buffer = kiln_sim_memory_allocate(memory, BUFFER_BYTES, KILN_SIM_MEMORY_SYSTEM, 0, error);
    if (!buffer)
        return NULL;
    memcpy(buffer, &header, sizeof header);
    kiln_sim_memory_mark(memory, (uint64_t)(uintptr_t)buffer, sizeof header);
    return buffer;
}

static const char prefix[] = "0:0:"; // of a format of HIP

// The format string of that hash; NULL where the metadata have none.
static const char *find_format(const kiln_sim_code_object_t *object, uint64_t hash)
{
    for (size_t i = 0; i < object->format_count; i++) {
        const char *text = object->formats[i];
        char *end;
        if (strncmp(text, prefix, strlen(prefix)) == 0 && strtoull(text + strlen(prefix), &end, 16) == hash &&
            *end == ',')
            return end + 1;
    }
    return NULL;
}

// A record behind its first dword, as the message that a hostcall would be.
static bool print_record(const uint8_t *record, size_t size, uint32_t control, const kiln_sim_kernel_t *kernel,
                         kiln_sim_error_t *error)
{
    const char *format = "";
    uint64_t hash = 0;
    if (control & HASHED && size < sizeof hash)
        return kiln_sim_fail(error, KILN_SIM_LAUNCH_FAILURE,
                             "kernel '%s' printed a record that is too short for the hash of its format", kernel->name);
    if (control & HASHED) {
        memcpy(&hash, record, sizeof hash);
        record += sizeof hash;
        size -= sizeof hash;
        format = find_format(kernel->object, hash);
    }
    if (!format)
        return kiln_sim_fail(error, KILN_SIM_LAUNCH_FAILURE,
                             "kernel '%s' printed with a format (%" PRIx64 ") that its code object does not have",
                             kernel->name, hash);
    const size_t format_words = control & HASHED ? strlen(format) / 8 + 1 : 0, words = size / 8;
    uint64_t *message = calloc(1 + format_words + words, sizeof *message);
    if (!message)
        return kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory for what kernel '%s' prints",
                             kernel->name);
    message[0] = control & TO_STDERR;
    memcpy(message + 1, format, strlen(format));
    memcpy(message + 1 + format_words, record, words * 8);
    const int written = kiln_sim_hostcall_print(message, 1 + format_words + words);
    free(message);
    if (written < 0)
        return kiln_sim_fail(error, KILN_SIM_LAUNCH_FAILURE,
                             "kernel '%s' printed arguments that do not fit their format%s%s", kernel->name,
                             control & HASHED ? ": " : "", format);
    return true;
}

// The size of the record of OpenCL, which is printed; 0 where it is damaged.
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
    const char *wrong = !entry                                 ? "with a format that its code object does not have"
                        : !size                                ? "with a format that the metadata tell wrongly"
                        : size > left                          ? "a record that is cut off"
                        : kiln_sim_print_opencl(entry, record) ? NULL
                                                               : "arguments that do not fit their format";
    if (wrong)
        kiln_sim_fail(error, KILN_SIM_LAUNCH_FAILURE, "kernel '%s' printed %s: %u%s%s", kernel->name, wrong, number,
                      entry ? ", " : "", entry ? entry : "");
    return wrong ? 0 : size;
}

// The size of the record of HIP, which is printed; 0 where it is damaged.
static size_t print_hashed(const uint8_t *at, size_t left, const kiln_sim_kernel_t *kernel, kiln_sim_error_t *error)
{
    uint32_t control = 0;
    memcpy(&control, at, left < sizeof control ? left : sizeof control);
    const size_t size = control >> SIZE_SHIFT;
    if (size < sizeof control || size > left) {
        kiln_sim_fail(error, KILN_SIM_LAUNCH_FAILURE, "kernel '%s' printed a record of %zu bytes where %zu are left",
                      kernel->name, size, left);
        return 0;
    }
    return print_record(at + sizeof control, size - sizeof control, control, kernel, error) ? size : 0;
}

static bool print_records(const uint8_t *buffer, const kiln_sim_kernel_t *kernel, kiln_sim_error_t *error)
{
    header_t header;
    memcpy(&header, buffer, sizeof header);
    if (header.taken > BUFFER_BYTES - sizeof header)
        return kiln_sim_fail(error, KILN_SIM_LAUNCH_FAILURE,
                             "kernel '%s' printed more than there is room for: %u of %zu bytes are taken", kernel->name,
                             header.taken, BUFFER_BYTES - sizeof header);
    const bool numbered = strncmp(kernel->object->formats[0], prefix, strlen(prefix)) != 0;
    const uint8_t *at = buffer + sizeof header;
    for (size_t left = header.taken, size; left; at += size, left -= size) {
        size = numbered ? print_numbered(at, left, kernel, error) : print_hashed(at, left, kernel, error);
        if (!size)
            return false;
    }
    return true;
}

bool kiln_sim_print_buffer_print(const uint8_t *buffer, const kiln_sim_kernel_t *kernel, kiln_sim_error_t *error)
{
    const bool good = print_records(buffer, kernel, error);
    fflush(stdout);
    fflush(stderr);
    return good;
}
