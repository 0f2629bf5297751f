// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes and types of bytecode. Most of those of tt and ttg are text, which is checked and
// parsed like the text of a file. Those of the builtin dialect have codes, whose fields are walked
// by entries.def. Types are built here by MLIR's checked functions, because the reader builds them
// unchecked.
//
// Note that entries may refer to later ones, so they form a graph. It must be acyclic, and no
// larger or deeper than text may be.
#include <stdlib.h>
#include <string.h>

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/Diagnostics.h>

#include "base/array.h"
#include "base/string.h"
#include "builder/ir_text.h"
#include "bytecode/bytecode.h"

enum { MAX_SIZE = 1 << 20, MAX_INTEGER = (1 << 24) - 1 };

// The fields read of an encoded entry.
typedef struct fields {
    kiln_bytecode_t *code;
    kiln_bytecode_entry_t *entry;
    const unsigned char *start;
    unsigned level;
    MlirType *types;
    size_t type_count, type_capacity;
    size_t inputs; // the types of the first list
    int64_t *dims;
    size_t rank;
    kiln_bytecode_string_t *names;
    size_t name_count;
    const kiln_bytecode_entry_t *attribute; // the first
    uint64_t number;
    kiln_bytes_t data;
} fields_t;

static kiln_status_t resolve(kiln_bytecode_t *code, kiln_bytecode_entries_t *entries, size_t index,
                             const unsigned char *at, unsigned level);

static kiln_status_t refuse(const fields_t *f, const char *what)
{
    return kiln_bytecode_refuse(f->code, f->start, "%s", what);
}

// MLIR failed to build the entry and has reported why.
static kiln_status_t refuse_with_diagnostic(kiln_bytecode_t *code, const unsigned char *at,
                                            const char *what)
{
    kiln_status_t status =
        kiln_bytecode_refuse(code, at, "%s: %s", what,
                             code->diagnostic ? kiln_status_message(code->diagnostic) : "invalid");
    kiln_status_free(code->diagnostic);
    code->diagnostic = KILN_OK;
    return status;
}

static unsigned bits_of(MlirType type)
{
    return mlirTypeIsAInteger(type) ? mlirIntegerTypeGetWidth(type)
           : mlirTypeIsAIndex(type) ? 64
           : mlirTypeIsAFloat(type) ? mlirFloatTypeGetWidth(type)
                                    : UINT32_MAX;
}

// Attributes --------------------------------------------------------------------------------------

static int order_names(const void *a, const void *b)
{
    const kiln_bytecode_string_t *x = a, *y = b;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return memcmp(x->text, y->text, x->length);
}

static kiln_status_t check_dictionary(fields_t *f)
{
    if (f->name_count)
        qsort(f->names, f->name_count, sizeof *f->names, order_names);
    for (size_t i = 0; i < f->name_count; i++) {
        if (!f->names[i].length)
            return refuse(f, "a dictionary with an invalid name");
        if (i && order_names(&f->names[i - 1], &f->names[i]) == 0)
            return refuse(f, "a dictionary with a duplicate name");
    }
    return KILN_OK;
}

static kiln_status_t check_integer(fields_t *f)
{
    return mlirTypeIsAFloat(f->types[0]) ? refuse(f, "an integer of a type for floats") : KILN_OK;
}

static kiln_status_t check_float(fields_t *f)
{
    return mlirTypeIsAFloat(f->types[0]) ? KILN_OK : refuse(f, "a float of a type for integers");
}

static kiln_status_t check_numbers(fields_t *f)
{
    const unsigned bits = mlirTypeIsAIndex(f->types[0]) ? UINT32_MAX : bits_of(f->types[0]);
    const size_t size = (size_t)(f->data.end - f->data.at), bytes = bits == 1 ? 1 : bits / 8;
    if (bits > 64 || (bits != 1 && (bits < 8 || bits & (bits - 1))))
        return refuse(f, "an array of an unsupported element type");
    if (f->number > size || f->number * bytes != size)
        return refuse(f, "an array whose size does not match its elements");
    for (const unsigned char *at = f->data.at; bits == 1 && at < f->data.end; at++)
        if (*at > 1)
            return refuse(f, "an array of bool with a byte other than 0 and 1");
    return KILN_OK;
}

static kiln_status_t check_tensor(fields_t *f)
{
    const MlirType type = f->types[0];
    if (!mlirTypeIsAShaped(type) || !mlirShapedTypeHasStaticShape(type) ||
        bits_of(mlirShapedTypeGetElementType(type)) > 64)
        return refuse(f, "dense elements whose type is not a tensor of numbers");
    uint64_t elements = 1;
    for (int64_t i = 0; i < mlirShapedTypeGetRank(type); i++)
        if (__builtin_mul_overflow(elements, (uint64_t)mlirShapedTypeGetDimSize(type, i),
                                   &elements) ||
            elements > UINT32_MAX)
            return refuse(f, "a tensor of more than 2^32 elements");
    const size_t size = (size_t)(f->data.end - f->data.at);
    if (mlirAttributeIsNull(mlirDenseElementsAttrRawBufferGet(type, size, f->data.at)))
        return refuse(f, "a tensor whose size does not match its elements");
    return KILN_OK;
}

// Types -------------------------------------------------------------------------------------------

static MlirType make_integer(const fields_t *f)
{
    const uint64_t width = f->number >> 2;
    const unsigned sign = f->number & 3;
    if (width > MAX_INTEGER || sign > 2)
        return (MlirType){NULL};
    return sign == 0   ? mlirIntegerTypeGet(f->code->mlir, (unsigned)width)
           : sign == 1 ? mlirIntegerTypeSignedGet(f->code->mlir, (unsigned)width)
                       : mlirIntegerTypeUnsignedGet(f->code->mlir, (unsigned)width);
}

static MlirType make_index(const fields_t *f)
{
    return mlirIndexTypeGet(f->code->mlir);
}

static MlirType make_function(const fields_t *f)
{
    return mlirFunctionTypeGet(f->code->mlir, (intptr_t)f->inputs, f->types,
                               (intptr_t)(f->type_count - f->inputs), f->types + f->inputs);
}

static MlirType make_bf16(const fields_t *f)
{
    return mlirBF16TypeGet(f->code->mlir);
}

static MlirType make_f16(const fields_t *f)
{
    return mlirF16TypeGet(f->code->mlir);
}

static MlirType make_f32(const fields_t *f)
{
    return mlirF32TypeGet(f->code->mlir);
}

static MlirType make_f64(const fields_t *f)
{
    return mlirF64TypeGet(f->code->mlir);
}

static MlirType make_none(const fields_t *f)
{
    return mlirNoneTypeGet(f->code->mlir);
}

static MlirType make_tuple(const fields_t *f)
{
    return mlirTupleTypeGet(f->code->mlir, (intptr_t)f->type_count, f->types);
}

// A tensor's encoding belongs to ttg, and so is text.
static MlirType make_tensor(const fields_t *f)
{
    const MlirAttribute encoding = f->attribute ? f->attribute->attribute : (MlirAttribute){NULL};
    if (f->attribute && mlirAttributeIsNull(encoding))
        return (MlirType){NULL};
    return mlirRankedTensorTypeGetChecked(mlirLocationUnknownGet(f->code->mlir), (intptr_t)f->rank,
                                          f->dims, f->types[0], encoding);
}

static MlirType make_vector(const fields_t *f)
{
    return mlirVectorTypeGetChecked(mlirLocationUnknownGet(f->code->mlir), (intptr_t)f->rank,
                                    f->dims, f->types[0]);
}

static const struct {
    const char *name, *fields;
    kiln_status_t (*check)(fields_t *f);
} encoded_attributes[] = {
#define KILN_ENCODED_ATTRIBUTE(code, name, fields, check) [code] = {name, fields, check},
#define KILN_ENCODED_TYPE(code, name, fields, make)
#include "bytecode/entries.def"
};

static const struct {
    const char *name, *fields;
    MlirType (*make)(const fields_t *f);
} encoded_types[] = {
#define KILN_ENCODED_ATTRIBUTE(code, name, fields, check)
#define KILN_ENCODED_TYPE(code, name, fields, make) [code] = {name, fields, make},
#include "bytecode/entries.def"
};

// Fields ------------------------------------------------------------------------------------------

// Takes the entry that the next number refers to.
static kiln_status_t take_entry(fields_t *f, kiln_bytes_t *bytes, kiln_bytecode_entries_t *entries,
                                const kiln_bytecode_entry_t **out)
{
    const unsigned char *at = bytes->at;
    size_t index;
    KILN_TRY(kiln_bytecode_index(f->code, bytes, entries->what, entries->count, &index));
    KILN_TRY(resolve(f->code, entries, index, at, f->level + 1));
    const kiln_bytecode_entry_t *child = *out = &entries->list[index];
    f->entry->depth = child->depth + 1 > f->entry->depth ? child->depth + 1 : f->entry->depth;
    f->entry->size += child->size;
    if (f->entry->size > MAX_SIZE)
        return kiln_bytecode_refuse(f->code, at, "expands to more than %d attributes or types",
                                    MAX_SIZE);
    return KILN_OK;
}

static kiln_status_t take_type(fields_t *f, kiln_bytes_t *bytes, MlirType *out)
{
    const kiln_bytecode_entry_t *type;
    KILN_TRY(take_entry(f, bytes, &f->code->types, &type));
    *out = type->type;
    return KILN_OK;
}

static kiln_status_t take_types(fields_t *f, kiln_bytes_t *bytes, size_t count)
{
    if (!KILN_ARRAY_RESERVE(&f->types, &f->type_capacity, f->type_count + count + 1))
        return kiln_status_out_of_memory();
    for (; count; count--) {
        KILN_TRY(take_type(f, bytes, &f->types[f->type_count]));
        f->type_count++;
    }
    return KILN_OK;
}

static kiln_status_t take_named(fields_t *f, kiln_bytes_t *bytes, size_t count)
{
    f->names = calloc(count + 1, sizeof *f->names);
    if (!f->names)
        return kiln_status_out_of_memory();
    for (; count; count--) {
        const unsigned char *at = bytes->at;
        const kiln_bytecode_entry_t *name, *value;
        KILN_TRY(take_entry(f, bytes, &f->code->attributes, &name));
        KILN_TRY(take_entry(f, bytes, &f->code->attributes, &value));
        if (!name->name.text)
            return kiln_bytecode_refuse(f->code, at, "a name in a dictionary that is not a string");
        f->names[f->name_count++] = name->name;
    }
    return KILN_OK;
}

static kiln_status_t take_signed(const fields_t *f, kiln_bytes_t *bytes, const char *what,
                                 uint64_t *out)
{
    KILN_TRY(kiln_bytecode_number(f->code, bytes, what, out));
    *out = *out >> 1 ^ (~(*out & 1) + 1);
    return KILN_OK;
}

static kiln_status_t take_dims(fields_t *f, kiln_bytes_t *bytes, size_t count)
{
    f->dims = calloc(count + 1, sizeof *f->dims);
    if (!f->dims)
        return kiln_status_out_of_memory();
    for (; count; count--) {
        uint64_t dim;
        KILN_TRY(take_signed(f, bytes, "a dimension", &dim));
        f->dims[f->rank++] = (int64_t)dim;
    }
    return KILN_OK;
}

// The reader keeps bits beyond the type's width, which its users do not expect.
static kiln_status_t take_bits(fields_t *f, kiln_bytes_t *bytes)
{
    const unsigned char *at = bytes->at;
    const unsigned bits = bits_of(f->types[f->type_count - 1]);
    uint64_t value = 0;
    unsigned byte = 0;
    if (bits > 64)
        return kiln_bytecode_refuse(f->code, at, "a number whose type has 0 or more than 64 bits");
    if (bits > 8)
        KILN_TRY(take_signed(f, bytes, "a number", &value));
    else
        KILN_TRY(kiln_bytecode_byte(f->code, bytes, "a number", &byte));
    value |= byte;
    if (bits < 64 && value >> bits)
        return kiln_bytecode_refuse(f->code, at, "a number that does not fit into its %u bits",
                                    bits);
    return KILN_OK;
}

static kiln_status_t take_field(fields_t *f, kiln_bytes_t *bytes, char kind)
{
    const kiln_bytecode_entry_t *entry;
    size_t count = 1;
    uint64_t number;
    if (kind == 'A' || kind == 'T' || kind == 'D' || kind == 'V' || kind == 'N')
        KILN_TRY(kiln_bytecode_count(f->code, bytes, "elements of a list", &count));
    switch (kind) {
    case 'a':
    case 'A':
        for (size_t i = 0; i < count; i++) {
            KILN_TRY(take_entry(f, bytes, &f->code->attributes, &entry));
            f->attribute = f->attribute ? f->attribute : entry;
        }
        return KILN_OK;
    case 't':
    case 'T':
        f->inputs = f->types ? f->inputs : count;
        return take_types(f, bytes, count);
    case 'D':
        return take_dims(f, bytes, count);
    case 'N':
        return take_named(f, bytes, count);
    case 'v':
        return kiln_bytecode_number(f->code, bytes, "a number", &f->number);
    case 'V':
        for (size_t i = 0; i < count; i++)
            KILN_TRY(kiln_bytecode_number(f->code, bytes, "a number", &number));
        return KILN_OK;
    case 's':
        KILN_TRY(kiln_bytecode_index(f->code, bytes, "string", f->code->string_count, &count));
        f->entry->name = f->code->strings[count];
        return KILN_OK;
    case 'n':
        return take_bits(f, bytes);
    default: // 'b'
        KILN_TRY(kiln_bytecode_number(f->code, bytes, "a number of bytes", &number));
        f->entry->size += (unsigned)((size_t)(bytes->end - bytes->at) / 8);
        return kiln_bytecode_take(f->code, bytes, "data", number, &f->data);
    }
}

static kiln_status_t take_fields(fields_t *f, bool is_type)
{
    kiln_bytes_t bytes = f->entry->bytes;
    const size_t codes = is_type ? sizeof encoded_types / sizeof *encoded_types
                                 : sizeof encoded_attributes / sizeof *encoded_attributes;
    const char *what = is_type ? "type of kind" : "attribute of kind";
    size_t kind;
    KILN_TRY(kiln_bytecode_index(f->code, &bytes, what, codes, &kind));
    const char *name = is_type ? encoded_types[kind].name : encoded_attributes[kind].name;
    const char *fields = is_type ? encoded_types[kind].fields : encoded_attributes[kind].fields;
    if (!fields)
        return kiln_bytecode_refuse(f->code, f->start, "%s (%s %zu) is not supported in tt and ttg",
                                    name, what, kind);
    for (; *fields; fields++)
        KILN_TRY(take_field(f, &bytes, *fields));
    KILN_TRY(kiln_bytecode_end(f->code, &bytes, name));
    if (!is_type)
        return encoded_attributes[kind].check ? encoded_attributes[kind].check(f) : KILN_OK;
    f->entry->type = encoded_types[kind].make(f);
    return mlirTypeIsNull(f->entry->type) ? refuse_with_diagnostic(f->code, f->start, name)
                                          : KILN_OK;
}

// Entries -----------------------------------------------------------------------------------------

static kiln_status_t check_encoded(kiln_bytecode_t *code, kiln_bytecode_entry_t *entry,
                                   bool is_type, unsigned level)
{
    const kiln_bytecode_string_t dialect = code->strings[code->dialects[entry->dialect]];
    if (dialect.length != 7 || memcmp(dialect.text, "builtin", 7) != 0)
        return kiln_bytecode_refuse(
            code, entry->bytes.at,
            "dialect '%.*s' has a custom encoding, which is not supported; use the textual format",
            (int)(dialect.length < 100 ? dialect.length : 100), dialect.text);
    fields_t f = {.code = code, .entry = entry, .start = entry->bytes.at, .level = level};
    kiln_status_t status = take_fields(&f, is_type);
    free(f.types);
    free(f.dims);
    free(f.names);
    return status;
}

static kiln_status_t check_text(kiln_bytecode_t *code, kiln_bytecode_entry_t *entry, bool is_type)
{
    const kiln_bytes_t bytes = entry->bytes;
    const size_t length = (size_t)(bytes.end - bytes.at);
    if (length < 2 || memchr(bytes.at, 0, length) != bytes.end - 1)
        return kiln_bytecode_refuse(code, bytes.at,
                                    "text that is empty or not terminated by its only NUL");
    const kiln_source_t text = {.stage = code->source->stage,
                                .name = code->source->name,
                                .text = (const char *)bytes.at,
                                .length = length - 1};
    kiln_status_t nesting = kiln_compile_check_source(&text);
    if (nesting) {
        kiln_status_t status =
            kiln_bytecode_refuse(code, bytes.at, "%s", kiln_status_message(nesting));
        kiln_status_free(nesting);
        return status;
    }
    entry->size += (unsigned)(length / 8 < MAX_SIZE ? length / 8 : MAX_SIZE);
    const MlirStringRef string = mlirStringRefCreate(text.text, text.length);
    if (is_type)
        entry->type = mlirTypeParseGet(code->mlir, string);
    else
        entry->attribute = mlirAttributeParseGet(code->mlir, string);
    if (is_type ? mlirTypeIsNull(entry->type) : mlirAttributeIsNull(entry->attribute))
        return refuse_with_diagnostic(code, bytes.at,
                                      is_type ? "text of a type" : "text of an attribute");
    if (!is_type && mlirAttributeIsAString(entry->attribute)) {
        const MlirStringRef value = mlirStringAttrGetValue(entry->attribute);
        entry->name = (kiln_bytecode_string_t){value.data, value.length};
    }
    return KILN_OK;
}

static kiln_status_t resolve(kiln_bytecode_t *code, kiln_bytecode_entries_t *entries, size_t index,
                             const unsigned char *at, unsigned level)
{
    kiln_bytecode_entry_t *entry = &entries->list[index];
    const bool is_type = entries == &code->types;
    if (entry->state == KILN_ENTRY_OPEN)
        return kiln_bytecode_refuse(code, at, "%s %zu contains itself", entries->what, index);
    if (entry->state == KILN_ENTRY_NEW) {
        if (level > KILN_BYTECODE_DEPTH)
            return kiln_bytecode_refuse(code, at, "nested more than %d levels deep",
                                        KILN_BYTECODE_DEPTH);
        entry->state = KILN_ENTRY_OPEN;
        entry->depth = entry->size = 1;
        KILN_TRY(entry->is_encoded ? check_encoded(code, entry, is_type, level)
                                   : check_text(code, entry, is_type));
        entry->state = KILN_ENTRY_DONE;
    }
    if (entry->depth > KILN_BYTECODE_DEPTH)
        return kiln_bytecode_refuse(code, at, "nested more than %d levels deep",
                                    KILN_BYTECODE_DEPTH);
    return KILN_OK;
}

static MlirLogicalResult remember(MlirDiagnostic diagnostic, void *user)
{
    kiln_bytecode_t *code = user;
    kiln_string_t text = {0};
    mlirDiagnosticPrint(diagnostic, kiln_ir_append, &text);
    if (!code->diagnostic && text.data)
        code->diagnostic = kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s", text.data);
    kiln_string_free(&text);
    return mlirLogicalResultSuccess();
}

kiln_status_t kiln_bytecode_check_entries(kiln_bytecode_t *code)
{
    const MlirDiagnosticHandlerID handler =
        mlirContextAttachDiagnosticHandler(code->mlir, remember, code, NULL);
    kiln_bytecode_entries_t *const both[] = {&code->types, &code->attributes};
    kiln_status_t status = KILN_OK;
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < both[i]->count && !status; j++)
            status = resolve(code, both[i], j, both[i]->list[j].bytes.at, 1);
    mlirContextDetachDiagnosticHandler(code->mlir, handler);
    return status;
}
