// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// printf with arguments from a device: each argument is one 64-bit word; a string takes as many
// words as it fills. A length modifier determines how many bits of its word an integer has; the
// host's printf always gets a long long.
#include "host/hostcall_print.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

typedef struct reader {
    const uint64_t *words;
    size_t count;
    int damaged;
} reader_t;

static uint64_t next_word(reader_t *reader)
{
    if (!reader->count) {
        reader->damaged = 1;
        return 0;
    }
    reader->count--;
    return *reader->words++;
}

static const char *next_string(reader_t *reader)
{
    const char *text = (const char *)reader->words;
    size_t bytes = reader->count * sizeof *reader->words, length = strnlen(text, bytes);
    if (!bytes) // a null pointer takes no space in a buffer (host/print_buffer.h)
        return "";
    if (length == bytes) {
        reader->damaged = 1;
        return "";
    }
    size_t words = length / sizeof *reader->words + 1;
    reader->words += words;
    reader->count -= words;
    return text;
}

// Bits of an integer with a length modifier.
static unsigned integer_bits(const char *modifier)
{
    if (modifier[0] == 'h')
        return modifier[1] == 'h' ? 8 : 16;
    return modifier[0] ? 64 : 32; // l, ll, j, z, t
}

// More than four digits in a row.
static bool has_long_number(const char *spec)
{
    for (size_t digits = 0; *spec; spec++) {
        digits = *spec >= '0' && *spec <= '9' ? digits + 1 : 0;
        if (digits > 4)
            return true;
    }
    return false;
}

// `spec` is the conversion without its length modifier and letter.
static int print_one(FILE *stream, char *spec, size_t room, const char *modifier, char conversion,
                     reader_t *reader)
{
    size_t length = strlen(spec);
    unsigned shift = 64 - integer_bits(modifier);
    switch (conversion) {
    case 'd':
    case 'i':
        snprintf(spec + length, room - length, "lld");
        return kiln_format_file(stream, spec,
                                (long long)(int64_t)(next_word(reader) << shift) >> shift);
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        snprintf(spec + length, room - length, "ll%c", conversion);
        return kiln_format_file(stream, spec,
                                (unsigned long long)(next_word(reader) << shift >> shift));
    case 'c':
        snprintf(spec + length, room - length, "c");
        return kiln_format_file(stream, spec, (int)(next_word(reader) & 255));
    case 'p':
        snprintf(spec + length, room - length, "p");
        return kiln_format_file(stream, spec, (void *)(uintptr_t)next_word(reader));
    case 's':
        snprintf(spec + length, room - length, "s");
        return kiln_format_file(stream, spec, next_string(reader));
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': {
        uint64_t word = next_word(reader);
        double value;
        memcpy(&value, &word, sizeof value);
        snprintf(spec + length, room - length, "%c", conversion);
        return kiln_format_file(stream, spec, value);
    }
    default: // %n, and conversions that printf does not support
        reader->damaged = 1;
        return 0;
    }
}

int kiln_sim_hostcall_print(const uint64_t *words, size_t count)
{
    reader_t reader = {.words = words, .count = count};
    FILE *stream = next_word(&reader) & 1 ? stderr : stdout;
    int written = 0;
    flockfile(stream);
    for (const char *at = next_string(&reader); *at && !reader.damaged;) {
        size_t plain = strcspn(at, "%");
        written += (int)fwrite(at, 1, plain, stream);
        at += plain;
        if (!*at)
            break;
        if (at[1] == '%') {
            written += fputc('%', stream) == '%';
            at += 2;
            continue;
        }
        char spec[96] = "%", modifier[3] = "";
        size_t length = 1;
        for (at++; *at && strchr("-+ #0123456789.*", *at) && length < 64; at++) {
            if (*at == '*')
                length += (size_t)snprintf(spec + length, sizeof spec - length, "%d",
                                           (int)next_word(&reader));
            else
                spec[length++] = *at;
        }
        spec[length] = '\0';
        if (has_long_number(spec)) { // a width that could fill the host's disk
            reader.damaged = 1;
            break;
        }
        for (size_t i = 0; *at && strchr("hlLjzt", *at); at++) {
            if (i < 2)
                modifier[i++] = *at;
        }
        if (!*at)
            break;
        written += print_one(stream, spec, sizeof spec, modifier, *at++, &reader);
    }
    funlockfile(stream);
    return reader.damaged ? -1 : written;
}
