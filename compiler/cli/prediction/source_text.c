// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads each file once.
#include "source_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"

static kiln_source_file_t *add(kiln_source_text_t *texts, const char *name, size_t length)
{
    if (!KILN_ARRAY_RESERVE(&texts->files, &texts->capacity, texts->count + 1))
        return NULL;
    kiln_source_file_t *file = &texts->files[texts->count];
    *file = (kiln_source_file_t){.name = strndup(name, length)};
    texts->count += file->name != NULL;
    return file->name ? file : NULL;
}

void kiln_source_text_begin(kiln_source_text_t *texts, const kiln_source_t *source)
{
    *texts = (kiln_source_text_t){0};
    kiln_source_file_t *file =
        source && source->name ? add(texts, source->name, strlen(source->name)) : NULL;
    if (!file || !(file->text = malloc(source->length + 1)))
        return;
    memcpy(file->text, source->text, source->length);
    file->text[source->length] = '\0';
    file->size = source->length;
}

void kiln_source_text_free(kiln_source_text_t *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        free(texts->files[i].name);
        free(texts->files[i].text);
    }
    free(texts->files);
    *texts = (kiln_source_text_t){0};
}

unsigned kiln_source_place(const char *place, size_t *out_file_length)
{
    const char *colon = strrchr(place, ':');
    *out_file_length = colon ? (size_t)(colon - place) : strlen(place);
    return colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
}

static const kiln_source_file_t *find(kiln_source_text_t *texts, const char *name, size_t length)
{
    for (size_t i = 0; i < texts->count; i++)
        if (strlen(texts->files[i].name) == length &&
            memcmp(texts->files[i].name, name, length) == 0)
            return &texts->files[i];
    kiln_source_file_t *file = add(texts, name, length);
    if (file)
        kiln_status_free(kiln_file_read_regular(file->name, &file->text, &file->size));
    return file;
}

const char *kiln_source_line(kiln_source_text_t *texts, const char *place, size_t *out_length)
{
    size_t length;
    unsigned line = kiln_source_place(place, &length);
    const kiln_source_file_t *file = line ? find(texts, place, length) : NULL;
    *out_length = 0;
    if (!file || !file->text)
        return "";
    const char *at = file->text, *end = at + file->size;
    for (; line > 1 && at < end; line--) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    if (newline)
        end = newline;
    if (end > at && end[-1] == '\r')
        end--;
    *out_length = (size_t)(end - at);
    return at;
}
