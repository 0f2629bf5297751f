// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps locations in the expanded text to locations in files.
#include "frontend/lex/preprocess.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/limits.h"

// True if a line is a directive, or if a name may belong to the preprocessor because it begins with
// __ or _P: __LINE__, __KILN__, _Pragma.
bool kiln_preprocess_is_needed(const char *text, size_t length)
{
    const char *end = text + length;
    for (const char *at = text; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            stop = end;
        const char *first = at;
        while (first < stop &&
               (*first == ' ' || *first == '\t' || *first == '\f' || *first == '\v'))
            first++;
        if (first < stop && *first == '#')
            return true;
        for (const char *c = at; (c = memchr(c, '_', (size_t)(stop - c))) && c + 1 < stop; c++) {
            bool begins =
                c == at || !(c[-1] == '_' || (c[-1] >= '0' && c[-1] <= '9') ||
                             (c[-1] >= 'a' && c[-1] <= 'z') || (c[-1] >= 'A' && c[-1] <= 'Z'));
            if (begins && (c[1] == '_' || c[1] == 'P'))
                return true;
        }
        at = stop + (stop < end);
    }
    return false;
}

// The end of a comment, string or character that begins at `at`; `at` itself if none does.
static const char *skip_text(const char *at, const char *end)
{
    const char *begin = at;
    if (*at == '/' && end - at > 1 && at[1] == '/') {
        while (at < end && *at != '\n')
            at++;
    } else if (*at == '/' && end - at > 1 && at[1] == '*') {
        for (at += 2; at < end && !(at[-1] == '*' && at > begin + 2 && *at == '/'); at++)
            continue;
        at += at < end;
    } else if (*at == '"' || *at == '\'') {
        for (at++; at < end && *at != *begin && *at != '\n'; at++)
            at += *at == '\\' && at + 1 < end;
        at += at < end && *at == *begin;
    }
    return at;
}

bool kiln_preprocess_find_nesting(const char *text, size_t length, size_t *out_offset)
{
    unsigned parentheses = 0, operators = 0, choices = 0; // open; consecutive; in one line
    const char *end = text + length;
    for (const char *at = text; at < end;) {
        const char *rest = skip_text(at, end);
        if (rest != at) {
            at = rest;
            continue;
        }
        bool is_blank = *at == ' ' || *at == '\t';
        parentheses += *at == '(';
        parentheses -= *at == ')' && parentheses;
        operators = memchr("!~+-", *at, 4) ? operators + 1 : is_blank ? operators : 0;
        choices = *at == '\n' ? 0 : choices + (*at == '?');
        if (parentheses > KILN_DEPTH_LIMIT || operators > KILN_DEPTH_LIMIT ||
            choices > KILN_DEPTH_LIMIT) {
            *out_offset = (size_t)(at - text);
            return true;
        }
        at++;
    }
    return false;
}

kiln_status_t kiln_expanded_hash(const kiln_expanded_t *expanded, char out_text[33])
{
    kiln_hasher_t *hasher = kiln_hasher_create();
    if (!hasher)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < expanded->file_count; i++) {
        kiln_hasher_string(hasher, expanded->files[i].name);
        kiln_hasher_field(hasher, expanded->files[i].text, expanded->files[i].length);
    }
    kiln_hasher_field(hasher, expanded->text, expanded->length);
    kiln_hash_format(kiln_hasher_finish(hasher), out_text);
    kiln_hasher_release(hasher);
    return KILN_OK;
}

void kiln_expanded_free(kiln_expanded_t *expanded)
{
    if (!expanded)
        return;
    for (size_t i = 0; i < expanded->file_count; i++) {
        free(expanded->files[i].name);
        free(expanded->files[i].text);
    }
    for (size_t i = 0; i < expanded->name_count; i++)
        free(expanded->names[i]);
    for (size_t i = 0; i < expanded->note_count; i++)
        free(expanded->notes[i].macro);
    for (size_t i = 0; i < expanded->diagnostic_count; i++)
        free(expanded->diagnostics[i].message);
    free(expanded->files);
    free(expanded->names);
    free(expanded->notes);
    free(expanded->diagnostics);
    free(expanded->tokens);
    free(expanded->text);
    free(expanded->is_macro);
    free(expanded);
}

// The last token that begins at or before an offset; NULL if there is none.
static const kiln_text_token_t *find_token(const kiln_expanded_t *expanded, uint32_t offset)
{
    size_t low = 0, high = expanded->token_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (expanded->tokens[middle].at <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &expanded->tokens[low - 1] : NULL;
}

// The end of the source: something missing is missing there.
static kiln_text_place_t end_of_source(const kiln_expanded_t *expanded)
{
    const kiln_text_file_t *file = &expanded->files[0];
    kiln_text_place_t place = {
        .begin = (uint32_t)file->length, .end = (uint32_t)file->length, .line = 1};
    for (size_t i = 0; i < file->length; i++)
        place.line += file->text[i] == '\n';
    for (size_t i = 0; i < expanded->name_count; i++)
        if (strcmp(expanded->names[i], file->name) == 0)
            place.name = (uint32_t)i;
    return place;
}

kiln_text_place_t kiln_expanded_place(const kiln_expanded_t *expanded, uint32_t begin, uint32_t end,
                                      uint32_t *out_note)
{
    const kiln_text_token_t *first = find_token(expanded, begin);
    const kiln_text_token_t *last = find_token(expanded, end > begin ? end - 1 : begin);
    *out_note = 0;
    if (!first || begin > first->at + first->length)
        return end_of_source(expanded);
    kiln_text_place_t place = first->place;
    bool is_verbatim = !first->note && place.end - place.begin == first->length;
    if (is_verbatim && begin - first->at < first->length) // also inside a number or string
        place.begin += begin - first->at;
    *out_note = first->note;
    if (last == first && is_verbatim)
        place.end = first->place.begin + (end - first->at);
    else if (last != first && last->place.file == place.file && last->place.end > place.begin)
        place.end = last->place.end;
    return place;
}
