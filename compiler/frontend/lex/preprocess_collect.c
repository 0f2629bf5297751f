// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the output of clang's preprocessor. Note that a file is listed as many times as it is
// entered.
#include "frontend/lex/preprocess_collect.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/string.h"

enum { TOKENS, FILES, NAMES, NOTES, DIAGNOSTICS };
enum { MAX_NOTES = 1 << 20, MAX_DIAGNOSTICS = 1000 };

// Makes room for one more element of a list.
#define GROW(c, which, list, count)                                                                \
    ((c)->failed |= !KILN_ARRAY_RESERVE((list), &(c)->capacities[which], (count) + 1))

static char *copy(kiln_collector_t *c, kiln_piece_t piece)
{
    char *text = malloc(piece.length + 1);
    c->failed |= !text;
    if (text) {
        memcpy(text, piece.text, piece.length);
        text[piece.length] = '\0';
    }
    return text;
}

kiln_collector_t kiln_collect_begin(const kiln_compile_options_t *options)
{
    kiln_collector_t c = {.options = options, .expanded = calloc(1, sizeof *c.expanded)};
    bool *is_macro = c.expanded ? calloc(options->define_count + 1, sizeof *is_macro) : NULL;
    c.failed = !is_macro;
    if (is_macro)
        c.expanded->is_macro = is_macro;
    return c;
}

// Names and files ---------------------------------------------------------------------------------

static kiln_piece_t without(kiln_piece_t name, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (name.length < length || memcmp(name.text, prefix, length) != 0)
        return name;
    return (kiln_piece_t){name.text + length, name.length - length};
}

static kiln_piece_t shown(kiln_piece_t name)
{
    return without(without(name, KILN_HEADER_ROOT "/"), "./");
}

static size_t slot_of(const kiln_collector_t *c, kiln_piece_t name)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < name.length; i++)
        hash = (hash ^ (unsigned char)name.text[i]) * 16777619u;
    size_t slot = hash & (c->slot_count - 1);
    for (uint32_t at; (at = c->name_slots[slot]); slot = (slot + 1) & (c->slot_count - 1)) {
        const char *known = c->expanded->names[at - 1];
        if (strlen(known) == name.length && memcmp(known, name.text, name.length) == 0)
            break;
    }
    return slot;
}

static void grow_slots(kiln_collector_t *c)
{
    const kiln_expanded_t *e = c->expanded;
    if (2 * e->name_count < c->slot_count)
        return;
    const size_t count = c->slot_count ? 2 * c->slot_count : 64;
    uint32_t *slots = calloc(count, sizeof *slots);
    c->failed |= !slots;
    if (!slots)
        return;
    free(c->name_slots);
    c->name_slots = slots;
    c->slot_count = count;
    for (size_t i = 0; i < e->name_count; i++)
        slots[slot_of(c, (kiln_piece_t){e->names[i], strlen(e->names[i])})] = (uint32_t)i + 1;
}

uint32_t kiln_collect_name(kiln_collector_t *c, kiln_piece_t name)
{
    kiln_expanded_t *e = c->expanded;
    if (c->failed)
        return 0;
    grow_slots(c);
    GROW(c, NAMES, &e->names, e->name_count);
    if (c->failed)
        return 0;
    name = shown(name);
    const size_t slot = slot_of(c, name);
    if (c->name_slots[slot])
        return c->name_slots[slot] - 1;
    char *text = copy(c, name);
    if (!text)
        return 0;
    e->names[e->name_count++] = text;
    c->name_slots[slot] = (uint32_t)e->name_count;
    return (uint32_t)e->name_count - 1;
}

bool kiln_collect_find_file(const kiln_collector_t *c, unsigned id, uint32_t *out_file)
{
    const uint32_t found = id < c->id_count ? c->file_of[id] : 0;
    *out_file = found ? found - 1 : 0;
    return found || c->failed;
}

// Ids also number macro expansions, so most of them are not files.
static void grow_ids(kiln_collector_t *c, unsigned id)
{
    if (id < c->id_count)
        return;
    const size_t old = c->id_count;
    if (KILN_ARRAY_RESERVE(&c->file_of, &c->id_count, (size_t)id + 1))
        memset(c->file_of + old, 0, (c->id_count - old) * sizeof *c->file_of);
    else
        c->failed = true;
}

uint32_t kiln_collect_file(kiln_collector_t *c, unsigned id, kiln_piece_t name, kiln_piece_t text,
                           bool is_on_disk)
{
    kiln_expanded_t *e = c->expanded;
    if (c->failed)
        return 0;
    grow_ids(c, id);
    GROW(c, FILES, &e->files, e->file_count);
    if (c->failed)
        return 0;
    const uint32_t index = (uint32_t)e->file_count;
    kiln_text_file_t file = {.name = copy(c, shown(name)),
                             .text = copy(c, text),
                             .length = text.length,
                             .is_in_memory = !is_on_disk ||
                                             without(name, KILN_HEADER_ROOT).length < name.length,
                             .includer = index};
    if (c->failed) {
        free(file.name);
        free(file.text);
        return 0;
    }
    e->files[e->file_count++] = file;
    c->file_of[id] = index + 1;
    return index;
}

void kiln_collect_include(kiln_collector_t *c, uint32_t file, uint32_t includer, uint32_t at)
{
    if (c->failed)
        return;
    c->expanded->files[file].includer = includer;
    c->expanded->files[file].included_at = at;
}

// Notes, diagnostics and tokens -------------------------------------------------------------------

uint32_t kiln_collect_note(kiln_collector_t *c, uint32_t next, const kiln_text_place_t *place,
                           kiln_piece_t macro)
{
    kiln_expanded_t *e = c->expanded;
    if (c->failed || e->note_count >= MAX_NOTES)
        return 0;
    GROW(c, NOTES, &e->notes, e->note_count);
    char *name = c->failed ? NULL : copy(c, macro);
    if (!name)
        return 0;
    e->notes[e->note_count++] = (kiln_macro_note_t){.place = *place, .macro = name, .next = next};
    return (uint32_t)e->note_count;
}

void kiln_collect_diagnostic(kiln_collector_t *c, kiln_severity_t severity,
                             kiln_warning_id_t warning, const kiln_text_place_t *place,
                             uint32_t note, kiln_piece_t message)
{
    kiln_expanded_t *e = c->expanded;
    if (c->failed || e->diagnostic_count > MAX_DIAGNOSTICS)
        return;
    GROW(c, DIAGNOSTICS, &e->diagnostics, e->diagnostic_count);
    char *text = c->failed ? NULL : copy(c, message);
    if (!text)
        return;
    kiln_preprocess_diagnostic_t made = {
        .severity = severity, .warning = warning, .note = note, .message = text};
    made.place.file = UINT32_MAX;
    if (place)
        made.place = *place;
    e->diagnostics[e->diagnostic_count++] = made;
}

bool kiln_collect_token(kiln_collector_t *c, kiln_raw_token_t token, kiln_piece_t spelling)
{
    if (c->failed)
        return true;
    GROW(c, TOKENS, &c->tokens, c->token_count);
    token.spelling = c->failed ? NULL : copy(c, spelling);
    if (!token.spelling)
        return true;
    const kiln_raw_token_t *before = c->token_count ? &c->tokens[c->token_count - 1] : NULL;
    token.begins_value = !before || before->define != token.define ||
                         before->value_at >= token.value_at ||
                         memcmp(&before->use, &token.use, sizeof token.use) != 0;
    c->tokens[c->token_count++] = token;
    c->length += spelling.length + 1;
    return c->length <= KILN_SOURCE_LIMIT;
}

// Result ------------------------------------------------------------------------------------------

void kiln_collect_macro(kiln_collector_t *c, size_t define, bool is_used)
{
    const char *name = c->options->defines[define].name;
    if (c->failed || kiln_preprocess_define_of(c->options, name) != (int)define)
        return;
    const kiln_expanded_t *e = c->expanded;
    e->is_macro[define] = is_used || kiln_preprocess_mentions(e->files, e->file_count, name);
}

kiln_expanded_t *kiln_collect_end(kiln_collector_t *c)
{
    if (!c->failed)
        c->failed = !kiln_preprocess_write_text(c->tokens, c->token_count, c->options, c->expanded);
    for (size_t i = 0; i < c->token_count; i++)
        free(c->tokens[i].spelling);
    free(c->tokens);
    free(c->file_of);
    free(c->name_slots);
    if (!c->failed)
        return c->expanded;
    kiln_expanded_free(c->expanded);
    return NULL;
}
