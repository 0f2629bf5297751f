// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds types in text, replaces aliases (#blocked) by what they stand for, and lets MLIR parse the
// result. The page resolves aliases in the same way to find a type's layout.
//
// Note that MLIR prints an alias before its uses, also by other aliases.
#include "layouts.h"

#include <stdlib.h>
#include <string.h>

#include <mlir-c/BuiltinTypes.h>

#include "base/array.h"
#include "base/number.h"
#include "base/string.h"
#include "builder/ir.h"
#include "driver/session.h"
#include "layout/layout.h"

enum { MAX_BITS = 18 }; // of places and of elements

typedef struct alias {
    char *name, *text; // "#blocked"; text without aliases
} alias_t;

typedef struct aliases {
    alias_t *all;
    size_t count, capacity;
} aliases_t;

static void free_aliases(aliases_t *aliases)
{
    for (size_t i = 0; i < aliases->count; i++) {
        free(aliases->all[i].name);
        free(aliases->all[i].text);
    }
    free(aliases->all);
}

static bool is_word(char c)
{
    return kiln_is_alphanumeric(c) || c == '_' || c == '$';
}

static const char *text_of(const aliases_t *aliases, const char *name, size_t length)
{
    for (size_t i = 0; i < aliases->count; i++)
        if (strlen(aliases->all[i].name) == length &&
            memcmp(aliases->all[i].name, name, length) == 0)
            return aliases->all[i].text;
    return NULL;
}

// Text without aliases, from malloc.
static char *resolve(const aliases_t *aliases, const char *text, size_t length)
{
    kiln_string_t out = {0};
    kiln_string_append(&out, "");
    for (const char *at = text, *end = text + length; at < end;) {
        size_t word = 1;
        while (at + word < end && *at == '#' && is_word(at[word]))
            word++;
        const char *known = *at == '#' ? text_of(aliases, at, word) : NULL;
        if (known)
            kiln_string_append(&out, known);
        else
            kiln_string_append_bytes(&out, at, word);
        at += word;
    }
    return kiln_string_take(&out);
}

// Takes the lines "#blocked = #ttg.blocked<{…}>".
static bool read_aliases(const char *text, aliases_t *out)
{
    for (const char *at = text; *at;) {
        const char *end = strchrnul(at, '\n'), *equals = strstr(at, " = #ttg.");
        if (*at == '#' && equals && equals < end) {
            if (!KILN_ARRAY_RESERVE(&out->all, &out->capacity, out->count + 1))
                return false;
            const char *value = equals + strlen(" = ");
            const alias_t alias = {strndup(at, (size_t)(equals - at)),
                                   resolve(out, value, (size_t)(end - value))};
            out->all[out->count++] = alias;
            if (!alias.name || !alias.text)
                return false;
        }
        at = end + (*end != '\0');
    }
    return true;
}

// The end of a type, behind its last '>'; NULL if there is none in the line.
static const char *end_of_type(const char *type)
{
    int depth = 0;
    for (const char *at = type; *at && *at != '\n'; at++) {
        depth += (*at == '<') - (*at == '>');
        if (*at == '>' && depth == 0)
            return at + 1;
    }
    return NULL;
}

// Layouts -----------------------------------------------------------------------------------------

static json_t *vectors(const kiln_layout_t *layout, kiln_place_t place)
{
    json_t *all = json_array();
    for (int i = 0; i < layout->bits[place]; i++)
        json_array_append_new(all, json_integer((json_int_t)layout->basis[place][i]));
    return all;
}

json_t *kiln_layout_json(const kiln_layout_t *layout, bool in_lds, const kiln_padding_t *padding,
                         int element_bits)
{
    int elements = 0, places = 0;
    for (int d = 0; d < layout->rank; d++)
        elements += layout->log2_shape[d];
    for (int i = 0; i < KILN_PLACES; i++)
        places += layout->bits[i];
    if (elements > MAX_BITS || places > MAX_BITS)
        return NULL;
    json_t *shape = json_array();
    for (int d = 0; d < layout->rank; d++)
        json_array_append_new(shape, json_integer(layout->log2_shape[d]));
    json_t *gaps = json_array();
    for (int i = 0; i < padding->count; i++)
        json_array_append_new(gaps, json_pack("[i,i]", padding->intervals[i], padding->pads[i]));
    return json_pack("{s:o,s:o,s:o,s:o,s:b,s:o,s:i}", "shape", shape, "register",
                     vectors(layout, KILN_REGISTER), "lane", vectors(layout, KILN_LANE), "warp",
                     vectors(layout, KILN_WARP), "lds", in_lds, "gaps", gaps, "bits", element_bits);
}

// NULL if the type has no layout, or too large a one.
static json_t *layout_of(kiln_session_t *session, const char *text, int warps)
{
    MlirType type = mlirTypeParseGet(session->mlir, mlirStringRefCreateFromCString(text));
    int64_t buffers;
    kiln_layout_t layout;
    if (mlirTypeIsNull(type) || (mlirTypeIsARankedTensor(type) &&
                                 mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type))))
        return NULL;
    const bool in_lds = kiln_type_is_memdesc(type);
    type = kiln_layout_buffer_type(type, &buffers);
    kiln_status_t status = kiln_layout_of_type(type, warps, &layout);
    if (status) {
        kiln_status_free(status);
        return NULL;
    }
    const MlirType element = in_lds ? kiln_memdesc_element(type) : kiln_type_element(type);
    const kiln_padding_t padding = kiln_type_padding(type);
    return kiln_layout_json(&layout, in_lds, &padding, kiln_type_bits(element));
}

// Adds the type if it is new; false if out of memory.
static bool add_type(kiln_session_t *session, const char *type, int warps, json_t *seen,
                     json_t *layouts)
{
    if (json_object_get(seen, type))
        return true;
    json_t *layout = layout_of(session, type, warps);
    return json_object_set_new(seen, type, json_true()) == 0 &&
           (!layout || json_object_set_new(layouts, type, layout) == 0);
}

static bool add_stage(kiln_session_t *session, const char *text, json_t *seen, json_t *layouts)
{
    static const char *const begins[] = {"tensor<", "!ttg.memdesc<"};
    const char *waves = strstr(text, "ttg.num-warps");
    waves = waves ? strchr(waves, '=') : NULL;
    if (!waves)
        return true; // tt has no layouts
    const int warps = atoi(waves + 1);
    aliases_t aliases = {0};
    bool good = read_aliases(text, &aliases);
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        for (const char *at = text; good && (at = strstr(at, begins[i])); at++) {
            const char *end = end_of_type(at);
            if (!end || !memchr(at, '#', (size_t)(end - at)))
                continue;
            char *type = resolve(&aliases, at, (size_t)(end - at));
            good = type && add_type(session, type, warps, seen, layouts);
            free(type);
        }
    free_aliases(&aliases);
    return good;
}

kiln_status_t kiln_report_layouts(const json_t *stages, json_t **out_layouts)
{
    kiln_session_t *session;
    json_t *layouts = json_object(), *seen = json_object();
    const json_t *stage;
    size_t i;
    *out_layouts = NULL;
    kiln_status_t status = kiln_session_create(&session);
    bool good = layouts && seen;
    json_array_foreach(stages, i, stage)
    {
        const char *kind = json_string_value(json_object_get(stage, "kind"));
        if (!status && good && kind && strcmp(kind, "mlir") == 0)
            good = add_stage(session, json_string_value(json_object_get(stage, "text")), seen,
                             layouts);
    }
    kiln_session_release(session);
    json_decref(seen);
    if (!status && !good)
        status = kiln_status_out_of_memory();
    if (status)
        json_decref(layouts);
    else
        *out_layouts = layouts;
    return status;
}
