// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the code object's metadata: a MessagePack map with one map per kernel.
//
// What a reader gets wrong: the parser never trusts a length. Every element consumes at least one byte of the note, so
// a forged count ends at the note's end, and nesting is bounded.
#include <stdlib.h>
#include <string.h>

#include "core/code_object.h"

typedef struct reader {
    const uint8_t *at, *end;
    bool failed;
} reader_t;

typedef enum { ITEM_OTHER, ITEM_INTEGER, ITEM_STRING, ITEM_ARRAY, ITEM_MAP } item_kind_t;

typedef struct item {
    item_kind_t kind;
    uint64_t integer; // or the count of an array or map
    const char *string;
    size_t length;
} item_t;

static uint64_t big_endian(reader_t *reader, unsigned bytes)
{
    uint64_t value = 0;
    if ((size_t)(reader->end - reader->at) < bytes) {
        reader->failed = true;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        value = value << 8 | *reader->at++;
    return value;
}

static void take_bytes(reader_t *reader, item_t *item, uint64_t length, item_kind_t kind)
{
    if (length > (uint64_t)(reader->end - reader->at)) {
        reader->failed = true;
        return;
    }
    item->kind = kind;
    item->string = (const char *)reader->at;
    item->length = (size_t)length;
    reader->at += length;
}

// The head of the next element; arrays and maps leave the reader at their first child.
static item_t next_item(reader_t *reader)
{
    item_t item = {0};
    unsigned tag = (unsigned)big_endian(reader, 1);
    if (reader->failed)
        return item;
    if (tag <= 0x7f || tag >= 0xe0) {
        item.kind = ITEM_INTEGER;
        item.integer = tag <= 0x7f ? tag : (uint64_t)(int64_t)(int8_t)tag;
    } else if (tag <= 0x8f) {
        item.kind = ITEM_MAP;
        item.integer = tag & 15;
    } else if (tag <= 0x9f) {
        item.kind = ITEM_ARRAY;
        item.integer = tag & 15;
    } else if (tag <= 0xbf) {
        take_bytes(reader, &item, tag & 31, ITEM_STRING);
    } else if (tag >= 0xc4 && tag <= 0xc6) {
        take_bytes(reader, &item, big_endian(reader, 1u << (tag - 0xc4)), ITEM_OTHER);
    } else if (tag >= 0xc7 && tag <= 0xc9) {
        uint64_t length = big_endian(reader, 1u << (tag - 0xc7));
        take_bytes(reader, &item, length + 1, ITEM_OTHER);
    } else if (tag == 0xca || tag == 0xcb) {
        big_endian(reader, tag == 0xca ? 4 : 8);
    } else if (tag >= 0xcc && tag <= 0xd3) {
        item.kind = ITEM_INTEGER;
        item.integer = big_endian(reader, 1u << ((tag - 0xcc) & 3));
    } else if (tag >= 0xd4 && tag <= 0xd8) {
        take_bytes(reader, &item, (1u << (tag - 0xd4)) + 1, ITEM_OTHER);
    } else if (tag >= 0xd9 && tag <= 0xdb) {
        take_bytes(reader, &item, big_endian(reader, 1u << (tag - 0xd9)), ITEM_STRING);
    } else if (tag >= 0xdc) {
        item.kind = tag <= 0xdd ? ITEM_ARRAY : ITEM_MAP;
        item.integer = big_endian(reader, tag & 1 ? 4 : 2);
    }
    return item;
}

static void skip_children(reader_t *reader, item_t item, unsigned depth)
{
    uint64_t children = item.kind == ITEM_MAP ? 2 * item.integer : item.kind == ITEM_ARRAY ? item.integer : 0;
    if (children && depth > 16)
        reader->failed = true;
    for (uint64_t i = 0; i < children && !reader->failed; i++)
        skip_children(reader, next_item(reader), depth + 1);
}

static bool is(item_t item, const char *text)
{
    return item.kind == ITEM_STRING && item.length == strlen(text) && memcmp(item.string, text, item.length) == 0;
}

static kiln_sim_hidden_t argument_kind(item_t value)
{
    static const char *const names[] = {
#define HIDDEN(kind, bytes, value) #kind,
#include "isa/hidden_args.def"
#undef HIDDEN
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (is(value, names[i]))
            return (kiln_sim_hidden_t)(KILN_SIM_ARG_EXPLICIT + 1 + (int)i);
    }
    if (value.kind == ITEM_STRING && value.length > 7 && memcmp(value.string, "hidden_", 7) == 0)
        return KILN_SIM_ARG_UNKNOWN_HIDDEN;
    return KILN_SIM_ARG_EXPLICIT;
}

static void parse_args(reader_t *reader, item_t list, kiln_sim_kernel_t *kernel)
{
    for (uint64_t i = 0; i < list.integer && !reader->failed; i++) {
        item_t map = next_item(reader);
        if (map.kind != ITEM_MAP) {
            reader->failed = true;
            return;
        }
        kiln_sim_arg_t arg = {0};
        for (uint64_t k = 0; k < map.integer && !reader->failed; k++) {
            item_t key = next_item(reader), value = next_item(reader);
            if (is(key, ".offset") && value.kind == ITEM_INTEGER)
                arg.offset = value.integer > UINT32_MAX ? UINT32_MAX : (uint32_t)value.integer;
            else if (is(key, ".size") && value.kind == ITEM_INTEGER)
                arg.size = value.integer > UINT32_MAX ? UINT32_MAX : (uint32_t)value.integer;
            else if (is(key, ".value_kind"))
                arg.kind = argument_kind(value);
            skip_children(reader, value, 0);
        }
        kiln_sim_arg_t *args = realloc(kernel->args, (kernel->arg_count + 1) * sizeof *args);
        if (!args) {
            reader->failed = true;
            return;
        }
        kernel->args = args;
        kernel->args[kernel->arg_count++] = arg;
    }
}

static void parse_kernel(reader_t *reader, kiln_sim_code_object_t *object)
{
    kiln_sim_kernel_t found = {.max_workgroup = KILN_GFX942_WORKGROUP_ITEMS};
    item_t name = {0}, symbol = {0};
    item_t map = next_item(reader);
    if (map.kind != ITEM_MAP)
        reader->failed = true;
    for (uint64_t k = 0; k < map.integer && !reader->failed; k++) {
        item_t key = next_item(reader), value = next_item(reader);
        if (is(key, ".args") && value.kind == ITEM_ARRAY) {
            parse_args(reader, value, &found);
            continue;
        }
        if (is(key, ".name"))
            name = value;
        else if (is(key, ".symbol"))
            symbol = value;
        else if (is(key, ".kernarg_segment_size") && value.kind == ITEM_INTEGER)
            found.kernarg_bytes = value.integer > UINT32_MAX ? UINT32_MAX : (uint32_t)value.integer;
        else if (is(key, ".max_flat_workgroup_size"))
            found.max_workgroup = (uint32_t)value.integer;
        else if (is(key, ".sgpr_count"))
            found.sgpr_count = (uint32_t)value.integer;
        else if (is(key, ".vgpr_count"))
            found.vgpr_count = (uint32_t)value.integer;
        else if (is(key, ".agpr_count"))
            found.agpr_count = (uint32_t)value.integer;
        skip_children(reader, value, 0);
    }
    // The symbol is the kernel's name and ".kd"; very old objects have only the name.
    if (symbol.kind == ITEM_STRING && symbol.length > 3 && memcmp(symbol.string + symbol.length - 3, ".kd", 3) == 0) {
        name = symbol;
        name.length -= 3;
    }
    kiln_sim_kernel_t *kernel = NULL;
    if (!reader->failed && name.kind == ITEM_STRING && !memchr(name.string, 0, name.length))
        kernel = kiln_sim_code_object_kernel(object, name.string, name.length);
    if (kernel && !kernel->args) {
        kernel->args = found.args;
        kernel->arg_count = found.arg_count;
        // Older hand-written kernels leave the descriptor's size 0, which came later than the metadata.
        if (kernel->kernarg_bytes < found.kernarg_bytes)
            kernel->kernarg_bytes = found.kernarg_bytes;
        kernel->max_workgroup = found.max_workgroup;
        kernel->sgpr_count = found.sgpr_count;
        kernel->vgpr_count = found.vgpr_count;
        kernel->agpr_count = found.agpr_count;
        return;
    }
    free(found.args);
}

bool kiln_sim_metadata_parse(const uint8_t *note, size_t size, kiln_sim_code_object_t *object, kiln_sim_error_t *error)
{
    reader_t reader = {note, note + size, false};
    item_t top = next_item(&reader);
    if (top.kind != ITEM_MAP)
        reader.failed = true;
    for (uint64_t k = 0; k < top.integer && !reader.failed; k++) {
        item_t key = next_item(&reader), value = next_item(&reader);
        if (is(key, "amdhsa.kernels") && value.kind == ITEM_ARRAY) {
            for (uint64_t i = 0; i < value.integer && !reader.failed; i++)
                parse_kernel(&reader, object);
        } else {
            skip_children(&reader, value, 0);
        }
    }
    if (reader.failed)
        return kiln_sim_fail(error, KILN_SIM_INVALID_IMAGE, "the code object's metadata note is damaged");
    return true;
}
