// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frame of MLIR bytecode: numbers, sections, and the tables that the rest refers to.
//
// Note that strings are stored in order, but their lengths in reverse order.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/string.h"
#include "bytecode/bytecode.h"

enum {
    STRINGS,
    DIALECTS,
    ENTRIES,
    ENTRY_LENGTHS,
    OPERATIONS,
    RESOURCES,
    RESOURCE_OFFSETS,
    DIALECT_VERSIONS,
    PROPERTIES,
    SECTIONS
};

static const char *const section_names[SECTIONS] = {
    "strings",    "dialects",  "attributes and types", "their lengths",
    "operations", "resources", "offsets of resources", "versions",
    "properties"};

// Bytes -------------------------------------------------------------------------------------------

kiln_status_t kiln_bytecode_refuse(const kiln_bytecode_t *code, const unsigned char *at,
                                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *what = kiln_string_vprint(format, args);
    va_end(args);
    if (!what)
        return kiln_status_out_of_memory();
    const size_t offset = (size_t)(at - (const unsigned char *)code->source->text);
    kiln_status_t status = kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                            "malformed bytecode: %s, at byte %zu", what, offset);
    free(what);
    return kiln_status_at(status, code->source->name, 0, 0);
}

kiln_status_t kiln_bytecode_byte(const kiln_bytecode_t *code, kiln_bytes_t *bytes, const char *what,
                                 unsigned *out)
{
    *out = 0;
    if (bytes->at == bytes->end)
        return kiln_bytecode_refuse(code, bytes->at, "unexpected end, expected %s", what);
    *out = *bytes->at++;
    return KILN_OK;
}

// The number of zeros below the lowest set bit of the first byte is the number of bytes that
// follow; eight zeros mean that the number is in the next eight bytes.
kiln_status_t kiln_bytecode_number(const kiln_bytecode_t *code, kiln_bytes_t *bytes,
                                   const char *what, uint64_t *out)
{
    const unsigned char *start = bytes->at;
    unsigned first;
    *out = 0;
    KILN_TRY(kiln_bytecode_byte(code, bytes, what, &first));
    const unsigned more = first ? (unsigned)__builtin_ctz(first) : 8;
    if ((size_t)(bytes->end - bytes->at) < more)
        return kiln_bytecode_refuse(code, start, "unexpected end within %s", what);
    uint64_t value = 0;
    for (unsigned i = more; i > 0; i--)
        value = value << 8 | bytes->at[i - 1];
    bytes->at += more;
    *out = more == 8 ? value : more == 7 ? value : (value << 8 | first) >> (more + 1);
    return KILN_OK;
}

kiln_status_t kiln_bytecode_count(const kiln_bytecode_t *code, kiln_bytes_t *bytes,
                                  const char *what, size_t *out)
{
    const unsigned char *start = bytes->at;
    uint64_t count;
    *out = 0;
    KILN_TRY(kiln_bytecode_number(code, bytes, what, &count));
    if (count > (size_t)(bytes->end - bytes->at))
        return kiln_bytecode_refuse(
            code, start, "%llu %s are more than the %zu bytes left can hold",
            (unsigned long long)count, what, (size_t)(bytes->end - bytes->at));
    *out = (size_t)count;
    return KILN_OK;
}

static kiln_status_t check_index(const kiln_bytecode_t *code, const unsigned char *at,
                                 const char *what, size_t limit, uint64_t index)
{
    if (index < limit)
        return KILN_OK;
    return kiln_bytecode_refuse(code, at, "%s %llu is out of range of %zu", what,
                                (unsigned long long)index, limit);
}

kiln_status_t kiln_bytecode_index(const kiln_bytecode_t *code, kiln_bytes_t *bytes,
                                  const char *what, size_t limit, size_t *out)
{
    const unsigned char *start = bytes->at;
    uint64_t index;
    *out = 0;
    KILN_TRY(kiln_bytecode_number(code, bytes, what, &index));
    KILN_TRY(check_index(code, start, what, limit, index));
    *out = (size_t)index;
    return KILN_OK;
}

kiln_status_t kiln_bytecode_take(const kiln_bytecode_t *code, kiln_bytes_t *bytes, const char *what,
                                 uint64_t length, kiln_bytes_t *out)
{
    *out = (kiln_bytes_t){NULL, NULL};
    if (length > (size_t)(bytes->end - bytes->at))
        return kiln_bytecode_refuse(code, bytes->at, "%s of %llu bytes with only %zu left", what,
                                    (unsigned long long)length, (size_t)(bytes->end - bytes->at));
    *out = (kiln_bytes_t){bytes->at, bytes->at + length};
    bytes->at += length;
    return KILN_OK;
}

// Only resources are aligned, by addresses in memory; tt has none.
kiln_status_t kiln_bytecode_section(const kiln_bytecode_t *code, kiln_bytes_t *bytes,
                                    unsigned *out_kind, kiln_bytes_t *out)
{
    const unsigned char *start = bytes->at;
    uint64_t length;
    *out = (kiln_bytes_t){NULL, NULL};
    KILN_TRY(kiln_bytecode_byte(code, bytes, "a section", out_kind));
    if (*out_kind & 0x80)
        return kiln_bytecode_refuse(code, start,
                                    "an aligned section, which only resources may have");
    if (*out_kind >= SECTIONS)
        return kiln_bytecode_refuse(code, start, "a section of kind %u", *out_kind);
    KILN_TRY(kiln_bytecode_number(code, bytes, "a section's length", &length));
    return kiln_bytecode_take(code, bytes, "a section", length, out);
}

kiln_status_t kiln_bytecode_end(const kiln_bytecode_t *code, const kiln_bytes_t *bytes,
                                const char *what)
{
    if (bytes->at == bytes->end)
        return KILN_OK;
    return kiln_bytecode_refuse(code, bytes->at, "%zu excess bytes after %s",
                                (size_t)(bytes->end - bytes->at), what);
}

// Tables ------------------------------------------------------------------------------------------

static kiln_status_t read_strings(kiln_bytecode_t *code, kiln_bytes_t bytes)
{
    KILN_TRY(kiln_bytecode_count(code, &bytes, "strings", &code->string_count));
    code->strings = calloc(code->string_count + 1, sizeof *code->strings);
    if (!code->strings)
        return kiln_status_out_of_memory();
    for (size_t i = code->string_count; i > 0; i--) {
        const unsigned char *start = bytes.at;
        uint64_t length; // including the terminating NUL
        KILN_TRY(kiln_bytecode_number(code, &bytes, "a string's length", &length));
        if (!length || length > (size_t)(bytes.end - bytes.at))
            return kiln_bytecode_refuse(code, start, "string %zu has %llu bytes with only %zu left",
                                        i - 1, (unsigned long long)length,
                                        (size_t)(bytes.end - bytes.at));
        bytes.end -= length; // the remaining lengths end where the strings begin
        if (bytes.end[length - 1])
            return kiln_bytecode_refuse(code, bytes.end, "string %zu does not end with a NUL",
                                        i - 1);
        code->strings[i - 1] =
            (kiln_bytecode_string_t){(const char *)bytes.end, (size_t)length - 1};
    }
    return kiln_bytecode_end(code, &bytes, "the strings' lengths");
}

static kiln_status_t read_dialects(kiln_bytecode_t *code, kiln_bytes_t bytes)
{
    KILN_TRY(kiln_bytecode_count(code, &bytes, "dialects", &code->dialect_count));
    code->dialects = calloc(code->dialect_count + 1, sizeof *code->dialects);
    if (!code->dialects)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < code->dialect_count; i++) {
        const unsigned char *start = bytes.at;
        uint64_t name;
        KILN_TRY(kiln_bytecode_number(code, &bytes, "a dialect's name", &name));
        if (code->version >= 1 && name & 1)
            return kiln_bytecode_refuse(code, start,
                                        "a versioned dialect; those of tt and ttg are unversioned");
        name >>= code->version >= 1;
        KILN_TRY(check_index(code, start, "string", code->string_count, name));
        code->dialects[i] = (size_t)name;
    }
    size_t declared = 0, dialect, count;
    if (code->version >= 4)
        KILN_TRY(kiln_bytecode_count(code, &bytes, "names of operations", &declared));
    while (bytes.at < bytes.end) {
        KILN_TRY(kiln_bytecode_index(code, &bytes, "dialect", code->dialect_count, &dialect));
        KILN_TRY(kiln_bytecode_count(code, &bytes, "names of operations", &count));
        code->operation_count += count;
        for (size_t i = 0; i < count; i++) {
            const unsigned char *start = bytes.at;
            uint64_t name;
            KILN_TRY(kiln_bytecode_number(code, &bytes, "an operation's name", &name));
            KILN_TRY(check_index(code, start, "string", code->string_count,
                                 code->version >= 5 ? name >> 1 : name));
        }
    }
    return KILN_OK;
}

static kiln_status_t read_lengths(kiln_bytecode_t *code, kiln_bytes_t *bytes, kiln_bytes_t *data,
                                  kiln_bytecode_entries_t *entries)
{
    for (size_t i = 0; i < entries->count;) {
        const unsigned char *start = bytes->at;
        size_t dialect, count;
        KILN_TRY(kiln_bytecode_index(code, bytes, "dialect", code->dialect_count, &dialect));
        KILN_TRY(kiln_bytecode_count(code, bytes, "lengths", &count));
        if (count > entries->count - i)
            return kiln_bytecode_refuse(code, start, "a group of %zu %ss with only %zu left", count,
                                        entries->what, entries->count - i);
        for (; count; count--, i++) {
            uint64_t length;
            KILN_TRY(kiln_bytecode_number(code, bytes, "a length", &length));
            entries->list[i].is_encoded = length & 1;
            entries->list[i].dialect = dialect;
            KILN_TRY(kiln_bytecode_take(code, data, entries->what, length >> 1,
                                        &entries->list[i].bytes));
        }
    }
    return KILN_OK;
}

static kiln_status_t read_entries(kiln_bytecode_t *code, kiln_bytes_t data, kiln_bytes_t bytes)
{
    code->attributes.what = "attribute";
    code->types.what = "type";
    KILN_TRY(kiln_bytecode_count(code, &bytes, "attributes", &code->attributes.count));
    KILN_TRY(kiln_bytecode_count(code, &bytes, "types", &code->types.count));
    code->attributes.list = calloc(code->attributes.count + 1, sizeof *code->attributes.list);
    code->types.list = calloc(code->types.count + 1, sizeof *code->types.list);
    if (!code->attributes.list || !code->types.list)
        return kiln_status_out_of_memory();
    KILN_TRY(read_lengths(code, &bytes, &data, &code->attributes));
    KILN_TRY(read_lengths(code, &bytes, &data, &code->types));
    KILN_TRY(kiln_bytecode_end(code, &bytes, "the lengths of attributes and types"));
    return kiln_bytecode_check_entries(code);
}

static kiln_status_t read_properties(kiln_bytecode_t *code, kiln_bytes_t bytes)
{
    if (bytes.at == bytes.end)
        return KILN_OK;
    KILN_TRY(kiln_bytecode_count(code, &bytes, "properties", &code->property_count));
    for (size_t i = 0; i < code->property_count; i++) {
        uint64_t length;
        kiln_bytes_t one;
        KILN_TRY(kiln_bytecode_number(code, &bytes, "the length of properties", &length));
        KILN_TRY(kiln_bytecode_take(code, &bytes, "properties", length, &one));
    }
    return kiln_bytecode_end(code, &bytes, "the properties");
}

// Writers emit empty resource sections: without groups, neither of a tool nor of a dialect.
static kiln_status_t check_resources(const kiln_bytecode_t *code, const kiln_bytes_t sections[])
{
    kiln_bytes_t offsets = sections[RESOURCE_OFFSETS], resources = sections[RESOURCES];
    uint64_t groups = 0;
    if (offsets.at != offsets.end)
        KILN_TRY(kiln_bytecode_number(code, &offsets, "a number of resources", &groups));
    if (groups || offsets.at != offsets.end || resources.at != resources.end ||
        !resources.at != !offsets.at)
        return kiln_bytecode_refuse(code, offsets.at ? offsets.at : resources.at,
                                    "resources, which tt and ttg do not use");
    return KILN_OK;
}

static kiln_status_t check_file(kiln_bytecode_t *code)
{
    const unsigned char *start = (const unsigned char *)code->source->text;
    kiln_bytes_t bytes = {start + 4, start + code->source->length}, sections[SECTIONS] = {{0}};
    KILN_TRY(kiln_bytecode_number(code, &bytes, "the version", &code->version));
    if (code->version > 6)
        return kiln_bytecode_refuse(code, start + 4,
                                    "unsupported version %llu of the format; expected 0 to 6",
                                    (unsigned long long)code->version);
    const unsigned char *producer = memchr(bytes.at, 0, (size_t)(bytes.end - bytes.at));
    if (!producer)
        return kiln_bytecode_refuse(code, bytes.at, "the producer's name is unterminated");
    bytes.at = producer + 1;
    while (bytes.at < bytes.end) {
        const unsigned char *at = bytes.at;
        unsigned kind;
        kiln_bytes_t section;
        KILN_TRY(kiln_bytecode_section(code, &bytes, &kind, &section));
        if (sections[kind].at)
            return kiln_bytecode_refuse(code, at, "a duplicate section of %s", section_names[kind]);
        sections[kind] = section;
    }
    for (unsigned kind = 0; kind < SECTIONS; kind++)
        if (!sections[kind].at &&
            (kind <= OPERATIONS || (kind == PROPERTIES && code->version >= 5)))
            return kiln_bytecode_refuse(code, bytes.end, "missing section of %s",
                                        section_names[kind]);
    KILN_TRY(check_resources(code, sections));
    KILN_TRY(read_strings(code, sections[STRINGS]));
    KILN_TRY(read_dialects(code, sections[DIALECTS]));
    KILN_TRY(read_properties(code, sections[PROPERTIES]));
    KILN_TRY(read_entries(code, sections[ENTRIES], sections[ENTRY_LENGTHS]));
    return kiln_bytecode_check_ir(code, sections[OPERATIONS]);
}

kiln_status_t kiln_compile_check_bytecode(MlirContext mlir, const kiln_source_t *source)
{
    kiln_bytecode_t code = {.source = source, .mlir = mlir};
    kiln_status_t status = check_file(&code);
    free(code.strings);
    free(code.dialects);
    free(code.attributes.list);
    free(code.types.list);
    kiln_status_free(code.diagnostic);
    return status;
}
