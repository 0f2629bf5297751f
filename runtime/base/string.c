// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The string builder: doubles its capacity and keeps a NUL after the text.
#include "base/string.h"
#include "base/number.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reserves `count` more bytes and the NUL.
static bool reserve(kiln_string_t *string, size_t count)
{
    if (string->failed)
        return false;
    if (count < string->capacity - string->length && string->data)
        return true;
    if (count > SIZE_MAX / 4 - string->length) {
        string->failed = true;
        return false;
    }
    size_t capacity = string->capacity ? string->capacity : 32;
    while (capacity - string->length <= count)
        capacity *= 2;
    char *data = realloc(string->data, capacity);
    if (!data) {
        string->failed = true;
        return false;
    }
    string->data = data;
    string->capacity = capacity;
    return true;
}

void kiln_string_append_bytes(kiln_string_t *string, const void *bytes, size_t count)
{
    if (!reserve(string, count))
        return;
    if (count)
        memcpy(string->data + string->length, bytes, count);
    string->length += count;
    string->data[string->length] = '\0';
}

void kiln_string_append(kiln_string_t *string, const char *text)
{
    kiln_string_append_bytes(string, text, strlen(text));
}

void kiln_string_append_char(kiln_string_t *string, char c)
{
    kiln_string_append_bytes(string, &c, 1);
}

void kiln_string_appendv(kiln_string_t *string, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int count = kiln_vformat(NULL, 0, format, args);
    if (count < 0)
        string->failed = true;
    else if (reserve(string, (size_t)count)) {
        kiln_vformat(string->data + string->length, (size_t)count + 1, format, again);
        string->length += (size_t)count;
    }
    va_end(again);
}

void kiln_string_appendf(kiln_string_t *string, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    kiln_string_appendv(string, format, args);
    va_end(args);
}

char *kiln_string_take(kiln_string_t *string)
{
    reserve(string, 0);
    char *data = string->failed ? NULL : string->data;
    if (data)
        data[string->length] = '\0';
    else
        free(string->data);
    *string = (kiln_string_t){0};
    return data;
}

void kiln_string_free(kiln_string_t *string)
{
    free(string->data);
    *string = (kiln_string_t){0};
}

char *kiln_string_vprint(const char *format, va_list args)
{
    kiln_string_t text = {0};
    kiln_string_appendv(&text, format, args);
    return kiln_string_take(&text);
}

char *kiln_string_print(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = kiln_string_vprint(format, args);
    va_end(args);
    return text;
}

bool kiln_string_ends_with(const char *text, const char *suffix)
{
    size_t text_length = strlen(text), suffix_length = strlen(suffix);
    return text_length >= suffix_length && strcmp(text + text_length - suffix_length, suffix) == 0;
}

bool kiln_string_is_utf8(const char *text, size_t length)
{
    static const uint32_t smallest[] = {0, 0x80, 0x800,
                                        0x10000}; // by the number of continuation bytes
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    while (at < end) {
        unsigned first = *at++;
        size_t more = first < 0x80   ? 0
                      : first < 0xc0 ? 4
                      : first < 0xe0 ? 1
                      : first < 0xf0 ? 2
                      : first < 0xf8 ? 3
                                     : 4;
        if (more > 3 || (size_t)(end - at) < more)
            return false;
        uint32_t code = more ? first & (0x3fu >> more) : first;
        for (size_t i = 0; i < more; i++, at++) {
            if ((*at & 0xc0) != 0x80)
                return false;
            code = code << 6 | (*at & 0x3fu);
        }
        if (code < smallest[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
            return false;
    }
    return true;
}
