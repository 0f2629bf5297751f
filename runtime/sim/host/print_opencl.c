// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts OpenCL's printf, as compiled by LLVM's AMDGPU backend, to the format of
// host/hostcall_print.h: a vector becomes one conversion per element, separated by commas, and
// every argument becomes one 64-bit word, or several for a string.
//
// The conversion determines an argument's type, the metadata its size in bytes. A vector of three
// elements takes the space of four.
#include "host/print_opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/numeric.h"
#include "host/hostcall_print.h"

enum { MAX_PRINT_ARGUMENTS = 255, NUMBER_BYTES = 4 };

typedef struct entry {
    uint32_t count, sizes[MAX_PRINT_ARGUMENTS];
    const char *format; // with escapes
} entry_t;

static bool read_number(const char **at, uint32_t *value)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    const unsigned long read = strtoul(*at, &end, 10);
    if (*end != ':' || read > UINT32_MAX)
        return false;
    *value = (uint32_t)read;
    *at = end + 1;
    return true;
}

static bool read_entry(const char *text, entry_t *entry)
{
    uint32_t number;
    if (!read_number(&text, &number) || !read_number(&text, &entry->count) ||
        entry->count > MAX_PRINT_ARGUMENTS)
        return false;
    for (uint32_t i = 0; i < entry->count; i++) {
        if (!read_number(&text, &entry->sizes[i]) || entry->sizes[i] > 1u << 20)
            return false;
    }
    entry->format = text;
    return true;
}

static size_t padded(size_t bytes)
{
    return (bytes + 3) / 4 * 4;
}

size_t kiln_sim_print_opencl_bytes(const char *text)
{
    entry_t entry;
    size_t bytes = NUMBER_BYTES;
    if (!read_entry(text, &entry))
        return 0;
    for (uint32_t i = 0; i < entry.count; i++)
        bytes += padded(entry.sizes[i]);
    return bytes;
}

// ---- the message

// Two streams into memory.
typedef struct message {
    FILE *format, *words;
} message_t;

// Reads the metadata's character at *at and advances *at.
static char next_char(const char **at)
{
    static const char escapes[] = "a\ab\bf\fn\nr\rv\v";
    const char *c = *at;
    *at = c + 1;
    if (c[0] != '\\')
        return c[0];
    for (size_t i = 0; i + 1 < sizeof escapes; i += 2) {
        if (c[1] == escapes[i]) {
            *at = c + 2;
            return escapes[i + 1];
        }
    }
    if (strncmp(c, "\\72", 3) == 0) {
        *at = c + 3;
        return ':';
    }
    return c[0];
}

static void put_word(message_t *message, uint64_t word)
{
    fwrite(&word, sizeof word, 1, message->words);
}

static uint64_t float_word(const uint8_t *at, size_t size)
{
    uint16_t half;
    float single;
    double value = 0;
    if (size == sizeof half) {
        memcpy(&half, at, sizeof half);
        value = (double)kiln_f16_to_f32(half);
    } else if (size == sizeof single) {
        memcpy(&single, at, sizeof single);
        value = (double)single;
    } else {
        memcpy(&value, at, size < sizeof value ? size : sizeof value);
    }
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

// A string fills its bytes in the record, but whole words in the message.
static void put_string(message_t *message, const uint8_t *at, size_t size)
{
    const size_t length = strnlen((const char *)at, size);
    fwrite(at, 1, length, message->words);
    fwrite("\0\0\0\0\0\0\0", 1, 8 - length % 8, message->words);
}

// A conversion: `flags` holds "%", flags, width and precision as written; then the elements of a
// vector (0: not a vector), length modifier and letter.
typedef struct conversion {
    char flags[64], modifier[3], letter;
    unsigned elements;
} conversion_t;

static void put_argument(message_t *message, const conversion_t *c, const uint8_t *at, size_t size)
{
    static const char *const modifiers[] = {[1] = "hh", [2] = "h", [4] = "", [8] = "l"};
    const unsigned count = c->elements ? c->elements : 1;
    const size_t each = c->elements ? size / (c->elements == 3 ? 4 : c->elements) : size;
    const bool is_float = strchr("aAeEfFgG", c->letter),
               is_word = each == 1 || each == 2 || each == 4 || each == 8;
    for (unsigned i = 0; i < count; i++) {
        uint64_t word = 0;
        const char *modifier = is_float                 ? ""
                               : c->elements && is_word ? modifiers[each]
                                                        : c->modifier;
        fprintf(message->format, "%s%s%s%c", i ? "," : "", c->flags, modifier, c->letter);
        if (c->letter == 's') {
            put_string(message, at, size);
        } else if (is_float) {
            put_word(message, float_word(at + i * each, each));
        } else {
            memcpy(&word, at + i * each, each < sizeof word ? each : sizeof word);
            put_word(message, word);
        }
    }
}

// Reads a conversion after its "%". False if the format ends within it, or it is longer than any
// valid one.
static bool read_conversion(const char **at, conversion_t *c)
{
    size_t length = 1, modifiers = 0;
    *c = (conversion_t){.flags = "%"};
    for (; **at && strchr("-+ #0123456789.", **at); (*at)++) {
        if (length + 1 == sizeof c->flags)
            return false;
        c->flags[length++] = **at;
    }
    if (**at == 'v') {
        char *end;
        c->elements = (unsigned)strtoul(*at + 1, &end, 10);
        if (c->elements < 2 || c->elements > 16)
            return false;
        *at = end;
    }
    for (; **at && strchr("hl", **at); (*at)++) {
        if (modifiers == 2)
            return false;
        c->modifier[modifiers++] = **at;
    }
    c->letter = **at;
    return c->letter && strchr("diouxXcspaAeEfFgG", *(*at)++);
}

static bool translate(message_t *message, const entry_t *entry, const uint8_t *at)
{
    uint32_t used = 0;
    for (const char *from = entry->format; *from;) {
        const char c = next_char(&from);
        conversion_t conversion;
        if (c != '%') {
            fputc(c, message->format);
        } else if (*from == '%') {
            from++;
            fputs("%%", message->format);
        } else {
            if (!read_conversion(&from, &conversion) || used == entry->count)
                return false;
            put_argument(message, &conversion, at, entry->sizes[used]);
            at += padded(entry->sizes[used++]);
        }
    }
    return used == entry->count;
}

// A message is 0 for stdout, the format in whole words, and the arguments.
static bool print_parts(const char *format, const char *words, size_t bytes)
{
    const size_t format_words = strlen(format) / 8 + 1, count = 1 + format_words + bytes / 8;
    uint64_t *whole = calloc(count, sizeof *whole);
    if (!whole)
        return false;
    memcpy(whole + 1, format, strlen(format));
    memcpy(whole + 1 + format_words, words, bytes);
    const bool good = kiln_sim_hostcall_print(whole, count) >= 0;
    free(whole);
    return good;
}

bool kiln_sim_print_opencl(const char *text, const uint8_t *record)
{
    entry_t entry;
    char *format = NULL, *words = NULL;
    size_t format_size, words_size;
    message_t message = {open_memstream(&format, &format_size),
                         open_memstream(&words, &words_size)};
    bool good = message.format && message.words && read_entry(text, &entry) &&
                translate(&message, &entry, record + NUMBER_BYTES);
    good = good && !ferror(message.format) && !ferror(message.words);
    good &= message.format && fclose(message.format) == 0;
    good &= message.words && fclose(message.words) == 0;
    good = good && print_parts(format, words, words_size);
    free(format);
    free(words);
    return good;
}
