// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the code object's metadata: a MessagePack map that holds one map per kernel.
//
// No count is trusted. Every element consumes at least one byte of the note, so the reader stops at
// the note's end even if a count is forged.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/msgpack.h"
#include "load/code_object.h"

typedef kiln_msgpack_t reader_t;
typedef kiln_msgpack_item_t item_t;

static bool is_integer(item_t value)
{
    return value.kind == KILN_MSGPACK_UNSIGNED || value.kind == KILN_MSGPACK_NEGATIVE;
}

// Converts a count or size: 0 if it is not an integer, saturated if it does not fit.
static uint32_t number(item_t value)
{
    if (!is_integer(value))
        return 0;
    return value.integer > UINT32_MAX ? UINT32_MAX : (uint32_t)value.integer;
}

static kiln_sim_hidden_t argument_kind(item_t value)
{
    static const char *const names[] = {
#define HIDDEN(kind, bytes, value) #kind,
#include "sim/port/hidden_args.def"
#undef HIDDEN
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (kiln_msgpack_is(value, names[i]))
            return (kiln_sim_hidden_t)(KILN_SIM_ARG_EXPLICIT + 1 + (int)i);
    }
    if (value.kind == KILN_MSGPACK_STRING && value.size > 7 &&
        memcmp(value.bytes, "hidden_", 7) == 0)
        return KILN_SIM_ARG_UNKNOWN_HIDDEN;
    return KILN_SIM_ARG_EXPLICIT;
}

// Copies a name with "?" for unprintable characters, truncated to the available space.
static void take_name(item_t value, char *name, size_t size)
{
    const size_t length = value.size < size - 1 ? (size_t)value.size : size - 1;
    for (size_t i = 0; i < length; i++)
        name[i] = value.bytes[i] > ' ' && value.bytes[i] < 0x7f ? (char)value.bytes[i] : '?';
    name[length] = '\0';
    if (value.size > length) // truncated
        memcpy(name + length - 3, "...", 3);
}

static void fail_memory(reader_t *reader, kiln_sim_error_t *error)
{
    reader->failed = true;
    kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory for a code object's metadata");
}

static void parse_args(reader_t *reader, item_t list, kiln_sim_kernel_t *kernel,
                       kiln_sim_error_t *error)
{
    for (uint64_t i = 0; i < list.integer && !reader->failed; i++) {
        item_t map = kiln_msgpack_next(reader);
        if (map.kind != KILN_MSGPACK_MAP) {
            reader->failed = true;
            return;
        }
        kiln_sim_arg_t arg = {0};
        for (uint64_t k = 0; k < map.integer && !reader->failed; k++) {
            item_t key = kiln_msgpack_next(reader), value = kiln_msgpack_next(reader);
            if (kiln_msgpack_is(key, ".offset") && is_integer(value)) {
                arg.offset = number(value);
            } else if (kiln_msgpack_is(key, ".size") && is_integer(value)) {
                arg.size = number(value);
            } else if (kiln_msgpack_is(key, ".value_kind")) {
                arg.kind = argument_kind(value);
                arg.is_pointer = kiln_msgpack_is(value, "global_buffer");
            } else if (kiln_msgpack_is(key, ".name") && value.kind == KILN_MSGPACK_STRING) {
                take_name(value, arg.name, sizeof arg.name);
            }
            kiln_msgpack_skip(reader, value);
        }
        if (!KILN_ARRAY_RESERVE(&kernel->args, &kernel->arg_capacity, kernel->arg_count + 1)) {
            fail_memory(reader, error);
            return;
        }
        kernel->args[kernel->arg_count++] = arg;
    }
}

static void parse_kernel(reader_t *reader, kiln_sim_code_object_t *object, kiln_sim_error_t *error)
{
    kiln_sim_kernel_t found = {.max_workgroup = KILN_GFX942_WORKGROUP_ITEMS};
    item_t name = {0}, symbol = {0};
    item_t map = kiln_msgpack_next(reader);
    if (map.kind != KILN_MSGPACK_MAP)
        reader->failed = true;
    for (uint64_t k = 0; k < map.integer && !reader->failed; k++) {
        item_t key = kiln_msgpack_next(reader), value = kiln_msgpack_next(reader);
        if (kiln_msgpack_is(key, ".args") && value.kind == KILN_MSGPACK_ARRAY) {
            parse_args(reader, value, &found, error);
            continue;
        }
        if (kiln_msgpack_is(key, ".name"))
            name = value;
        else if (kiln_msgpack_is(key, ".symbol"))
            symbol = value;
        else if (kiln_msgpack_is(key, ".kernarg_segment_size") && is_integer(value))
            found.kernarg_bytes = number(value);
        else if (kiln_msgpack_is(key, ".max_flat_workgroup_size"))
            found.max_workgroup = number(value);
        else if (kiln_msgpack_is(key, ".sgpr_count"))
            found.sgpr_count = number(value);
        else if (kiln_msgpack_is(key, ".vgpr_count"))
            found.vgpr_count = number(value);
        else if (kiln_msgpack_is(key, ".agpr_count"))
            found.agpr_count = number(value);
        kiln_msgpack_skip(reader, value);
    }
    // The symbol is the kernel's name plus ".kd"; very old objects have only the name.
    if (symbol.kind == KILN_MSGPACK_STRING && symbol.size > 3 &&
        memcmp(symbol.bytes + symbol.size - 3, ".kd", 3) == 0) {
        name = symbol;
        name.size -= 3;
    }
    kiln_sim_kernel_t *kernel = NULL;
    if (!reader->failed && name.kind == KILN_MSGPACK_STRING && !memchr(name.bytes, 0, name.size))
        kernel = kiln_sim_code_object_kernel(object, name.bytes, name.size);
    if (kernel && !kernel->args) {
        kernel->args = found.args;
        kernel->arg_count = found.arg_count;
        kernel->arg_capacity = found.arg_capacity;
        // Older hand-written kernels leave the descriptor's size 0, since the field was added after
        // the metadata.
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

static void parse_format(reader_t *reader, kiln_sim_code_object_t *object, kiln_sim_error_t *error)
{
    const item_t text = kiln_msgpack_next(reader);
    const bool has_room =
        KILN_ARRAY_RESERVE(&object->formats, &object->format_capacity, object->format_count + 1);
    if (text.kind != KILN_MSGPACK_STRING)
        reader->failed = true;
    else if (!has_room || !(object->formats[object->format_count] = strndup(text.bytes, text.size)))
        fail_memory(reader, error);
    else
        object->format_count++;
}

bool kiln_sim_metadata_parse(const uint8_t *note, size_t size, kiln_sim_code_object_t *object,
                             kiln_sim_error_t *error)
{
    reader_t reader = kiln_msgpack_open(note, size);
    kiln_sim_error_t lacks = {0};
    item_t top = kiln_msgpack_next(&reader);
    if (top.kind != KILN_MSGPACK_MAP)
        reader.failed = true;
    for (uint64_t k = 0; k < top.integer && !reader.failed; k++) {
        item_t key = kiln_msgpack_next(&reader), value = kiln_msgpack_next(&reader);
        if (kiln_msgpack_is(key, "amdhsa.kernels") && value.kind == KILN_MSGPACK_ARRAY) {
            for (uint64_t i = 0; i < value.integer && !reader.failed; i++)
                parse_kernel(&reader, object, &lacks);
        } else if (kiln_msgpack_is(key, "amdhsa.printf") && value.kind == KILN_MSGPACK_ARRAY) {
            for (uint64_t i = 0; i < value.integer && !reader.failed; i++)
                parse_format(&reader, object, &lacks);
        } else {
            kiln_msgpack_skip(&reader, value);
        }
    }
    if (lacks.code)
        return kiln_sim_fail(error, lacks.code, "%s", lacks.text);
    if (reader.failed)
        return kiln_sim_fail(error, KILN_SIM_INVALID_IMAGE,
                             "the code object's metadata note is invalid");
    return true;
}
