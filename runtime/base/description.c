// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads manifests. A reader_t records the first error; after it the functions that take members
// return zeros, so that the code below reads like the schema.
//
// Each object's members are listed twice, where they are taken and in only(). The unit test drops,
// adds and changes every member of the schema to check that both agree with it.
#include "base/description.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/elf_file.h"
#include "base/json.h"
#include "base/number.h"
#include "base/string.h"

enum { MAX_KERNARG = 1 << 16, MAX_ITEMS = 1024 };

typedef struct reader {
    kiln_status_t failure;
} reader_t;

static void take_status(reader_t *r, kiln_status_t status)
{
    if (r->failure)
        kiln_status_free(status);
    else
        r->failure = status;
}

// Members -----------------------------------------------------------------------------------------

// Rejects members that are not in `names`, a list with a blank before and after each name: " a b ".
static void only(reader_t *r, const json_t *object, const char *what, const char *names)
{
    if (r->failure)
        return;
    if (!json_is_object(object)) {
        r->failure = kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s is not an object", what);
        return;
    }
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        size_t length = strlen(key);
        bool known = false;
        for (const char *at = length && !strchr(key, ' ') ? names : NULL;
             at && (at = strstr(at, key)) && !known; at++)
            known = at[-1] == ' ' && at[length] == ' ';
        if (!known) {
            take_status(r, kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                            "%s has an unknown member '%s' in schema %d", what, key,
                                            (int)KILN_MANIFEST_SCHEMA));
            return;
        }
    }
}

static const char *string(reader_t *r, const json_t *object, const char *key)
{
    const char *value = NULL;
    if (!r->failure)
        r->failure = kiln_json_string(object, key, &value);
    return value ? value : "";
}

static char *copy(reader_t *r, const json_t *object, const char *key)
{
    char *text = strdup(string(r, object, key));
    if (!text)
        take_status(r, kiln_status_out_of_memory());
    return text;
}

// A non-empty string of one line.
static char *name_of(reader_t *r, const json_t *object, const char *key)
{
    char *text = copy(r, object, key);
    if (!r->failure && !*text)
        r->failure = kiln_status_make(KILN_STATUS_INVALID_INPUT, "JSON member '%s' is empty", key);
    if (!r->failure && !kiln_string_is_line(text))
        r->failure = kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                      "JSON member '%s' has control characters", key);
    return text;
}

static void check_bounds(reader_t *r, const char *key, int64_t value, int64_t min, int64_t max)
{
    if (!r->failure && (value < min || value > max))
        r->failure = kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                      "'%s' is %" PRId64 "; expected %" PRId64 " to %" PRId64, key,
                                      value, min, max);
}

static unsigned number(reader_t *r, const json_t *object, const char *key, int64_t min, int64_t max)
{
    int64_t value = 0;
    if (!r->failure)
        r->failure = kiln_json_integer(object, key, &value);
    check_bounds(r, key, value, min, max);
    return r->failure ? 0 : (unsigned)value;
}

static const json_t *list(reader_t *r, const json_t *object, const char *key)
{
    json_t *array = NULL;
    if (!r->failure)
        r->failure = kiln_json_array(object, key, &array);
    return array;
}

static const json_t *member(reader_t *r, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!value)
        take_status(
            r, kiln_status_make(KILN_STATUS_INVALID_INPUT, "JSON member '%s' is missing", key));
    return value;
}

static void *room(reader_t *r, const json_t *array, size_t size)
{
    void *memory = calloc(json_array_size(array) + 1, size);
    if (!memory)
        take_status(r, kiln_status_out_of_memory());
    return memory;
}

// Arguments and constants -------------------------------------------------------------------------

static void take_place(reader_t *r, const json_t *json, size_t kernarg_size, size_t *out_offset,
                       size_t *out_size)
{
    *out_offset = number(r, json, "offset", 0, MAX_KERNARG);
    *out_size = number(r, json, "size", 1, MAX_KERNARG);
    if (!r->failure && *out_offset + *out_size > kernarg_size)
        r->failure =
            kiln_status_make(KILN_STATUS_INVALID_INPUT,
                             "%zu bytes at offset %zu reach past the end of the kernarg segment",
                             *out_size, *out_offset);
}

static void take_range(reader_t *r, const json_t *range, kiln_described_argument_t *out)
{
    const json_t *min = json_array_get(range, 0), *max = json_array_get(range, 1);
    out->has_range = true;
    out->min = json_integer_value(min);
    out->max = json_integer_value(max);
    if (json_array_size(range) != 2 || !json_is_integer(min) || !json_is_integer(max))
        take_status(r, kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                        "'range' is not a list of two integers"));
    else if (out->is_pointer || !out->is_known || kiln_element_is_float(out->element))
        take_status(
            r, kiln_status_make(KILN_STATUS_INVALID_INPUT, "'range' requires an integer argument"));
}

static void take_argument(reader_t *r, const json_t *json, size_t kernarg_size,
                          kiln_described_argument_t *out)
{
    only(r, json, "an argument",
         " name type offset size divisibility const pointer_range range signed ");
    out->name = name_of(r, json, "name");
    out->type = name_of(r, json, "type");
    if (r->failure)
        return;
    out->is_pointer = *out->type == '*';
    out->is_known = kiln_element_type_parse(out->type + out->is_pointer, &out->element);
    take_place(r, json, kernarg_size, &out->offset, &out->size);
    if (json_object_get(json, "divisibility"))
        out->divisibility = number(r, json, "divisibility", 1, INT32_MAX);
    const json_t *is_const = json_object_get(json, "const"),
                 *range = json_object_get(json, "range");
    out->is_const = json_is_true(is_const);
    if (is_const && (!out->is_const || !out->is_pointer))
        take_status(r, kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                        "'const' must be true, on a pointer, or absent"));
    if (json_object_get(json, "pointer_range")) {
        out->is_below_2g = number(r, json, "pointer_range", 32, 32) == 32;
        if (!r->failure && !out->is_pointer)
            r->failure =
                kiln_status_make(KILN_STATUS_INVALID_INPUT, "'pointer_range' requires a pointer");
    }
    if (range)
        take_range(r, range, out);
    const json_t *sign = json_object_get(json, "signed");
    if (sign)
        out->sign = json_is_true(sign) ? KILN_SIGN_SIGNED : KILN_SIGN_UNSIGNED;
    if (sign && (!json_is_boolean(sign) || out->is_pointer ||
                 (out->is_known && kiln_element_is_float(out->element))))
        take_status(r, kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                        "'signed' must be true or false, on an integer"));
}

static void take_arguments(reader_t *r, const json_t *json, kiln_description_t *out)
{
    const json_t *array = list(r, json, "arguments"), *hidden = list(r, json, "hidden_arguments");
    out->arguments = room(r, array, sizeof *out->arguments);
    for (size_t i = 0; i < json_array_size(array) && !r->failure; i++) {
        take_argument(r, json_array_get(array, i), out->kernarg_size,
                      &out->arguments[out->argument_count++]);
        r->failure = kiln_status_annotate(r->failure, "in argument %zu of the manifest", i);
    }
    out->hidden = room(r, hidden, sizeof *out->hidden);
    for (size_t i = 0; i < json_array_size(hidden) && !r->failure; i++) {
        const json_t *from = json_array_get(hidden, i);
        kiln_hidden_argument_t *to = &out->hidden[out->hidden_count++];
        only(r, from, "a hidden argument", " kind offset size ");
        to->kind = name_of(r, from, "kind");
        take_place(r, from, out->kernarg_size, &to->offset, &to->size);
    }
}

static bool is_integer_text(const kiln_described_constant_t *constant, int64_t *out)
{
    kiln_element_type_t type;
    if (strcmp(constant->type, "bool") == 0) {
        *out = strcmp(constant->value, "true") == 0;
        return *out || strcmp(constant->value, "false") == 0;
    }
    if (!kiln_element_type_parse(constant->type, &type) || kiln_element_is_float(type))
        return false;
    return kiln_integer_parse_all(constant->value, 10, out);
}

static void take_constants(reader_t *r, const json_t *json, kiln_description_t *out)
{
    const json_t *array = list(r, json, "constants");
    out->constants = room(r, array, sizeof *out->constants);
    for (size_t i = 0; i < json_array_size(array) && !r->failure; i++) {
        const json_t *from = json_array_get(array, i);
        kiln_described_constant_t *to = &out->constants[out->constant_count++];
        only(r, from, "a constant", " name type value ");
        to->name = name_of(r, from, "name");
        to->type = name_of(r, from, "type");
        to->value = name_of(r, from, "value");
        to->is_integer = !r->failure && is_integer_text(to, &to->integer);
    }
}

// The rest ----------------------------------------------------------------------------------------

static bool is_name(const kiln_description_t *d, const char *name, size_t length)
{
    const char *buffer;
    size_t buffer_length;
    if (kiln_expression_buffer(name, length, &buffer, &buffer_length)) {
        const kiln_described_argument_t *pointer =
            kiln_description_argument(d, buffer, buffer_length);
        return pointer && pointer->is_pointer && pointer->is_known;
    }
    const kiln_described_argument_t *argument = kiln_description_argument(d, name, length);
    const kiln_described_constant_t *constant = kiln_description_constant(d, name, length);
    return argument ? argument->is_known && !argument->is_pointer &&
                          !kiln_element_is_float(argument->element)
                    : constant && constant->is_integer;
}

static void take_grid(reader_t *r, const json_t *json, kiln_description_t *out)
{
    const json_t *grid = member(r, json, "grid");
    if (r->failure || json_is_null(grid))
        return;
    out->has_grid = true;
    if (json_array_size(grid) != 3)
        take_status(r, kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                        "'grid' is neither null nor a list of three expressions"));
    for (size_t i = 0; i < 3 && !r->failure; i++) {
        const char *text = json_string_value(json_array_get(grid, i));
        if (!text) {
            r->failure =
                kiln_status_make(KILN_STATUS_INVALID_INPUT, "'grid' is not a list of strings");
            return;
        }
        r->failure = kiln_expression_parse(text, &out->grid[i]);
        for (size_t j = 0; j < out->grid[i].count && !r->failure; j++) {
            const kiln_expression_step_t *step = &out->grid[i].steps[j];
            if (step->op == KILN_EXPRESSION_NAME && !is_name(out, text + step->begin, step->length))
                r->failure = kiln_expression_refuse(
                    &out->grid[i], step,
                    "the kernel has no integer argument or constant with this name");
        }
    }
}

bool kiln_description_has_sized_grid(const kiln_description_t *d)
{
    const char *buffer;
    size_t length;
    for (int axis = 0; axis < 3; axis++)
        for (size_t i = 0; i < d->grid[axis].count; i++) {
            const kiln_expression_step_t *step = &d->grid[axis].steps[i];
            if (step->op == KILN_EXPRESSION_NAME &&
                kiln_expression_buffer(d->grid[axis].text + step->begin, step->length, &buffer,
                                       &length))
                return true;
        }
    return false;
}

static void take_block(reader_t *r, const json_t *json, kiln_description_t *out)
{
    const json_t *block = list(r, json, "block");
    unsigned items = 1;
    for (size_t i = 0; i < 3 && !r->failure; i++) {
        const json_t *extent = json_array_get(block, i);
        if (json_array_size(block) != 3 || !json_is_integer(extent)) {
            r->failure = kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                          "'block' is not a list of three integers");
            return;
        }
        check_bounds(r, "block", json_integer_value(extent), 1, MAX_ITEMS);
        out->block[i] = r->failure ? 0 : (unsigned)json_integer_value(extent);
        items *= out->block[i];
        check_bounds(r, "block", items, 0, MAX_ITEMS);
    }
    if (number(r, json, "block_size", 1, MAX_ITEMS) != items && !r->failure)
        r->failure = kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                      "'block_size' is not the product of 'block'");
}

static void take_resources(reader_t *r, const json_t *json, kiln_description_t *out)
{
    static const char *const counts[] = {
        "vgprs",       "agprs",     "sgprs",     "vgpr_spills",
        "sgpr_spills", "lds_bytes", "occupancy", "scratch_bytes_per_lane"};
    const json_t *resources = member(r, json, "resources");
    only(r, resources, "'resources'",
         " vgprs agprs sgprs vgpr_spills sgpr_spills lds_bytes occupancy scratch_bytes_per_lane ");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        number(r, resources, counts[i], 0, UINT32_MAX);
    out->lds_bytes = number(r, resources, "lds_bytes", 0, UINT32_MAX);
}

static void take_origin(reader_t *r, const json_t *json, kiln_description_t *out)
{
    const json_t *source = member(r, json, "source"), *versions = member(r, json, "versions"),
                 *options = member(r, json, "options");
    out->build_id = name_of(r, json, "build_id");
    only(r, source, "'source'", " hash stage ");
    out->source_hash = name_of(r, source, "hash");
    out->source_stage = name_of(r, source, "stage");
    only(r, versions, "'versions'", " kiln llvm ");
    string(r, versions, "kiln");
    string(r, versions, "llvm");
    if (!r->failure && !json_is_object(options)) // the compiler defines its members
        r->failure = kiln_status_make(KILN_STATUS_INVALID_INPUT, "'options' is not an object");
}

static void take_version(reader_t *r, const json_t *json)
{
    int64_t schema;
    if (!json_is_object(json))
        r->failure = kiln_status_make(KILN_STATUS_INVALID_INPUT, "a manifest must be an object");
    if (!r->failure)
        r->failure = kiln_status_annotate(kiln_json_integer(json, "schema", &schema),
                                          "the manifest has no schema version");
    if (!r->failure && schema != KILN_MANIFEST_SCHEMA)
        r->failure = kiln_status_make(
            KILN_STATUS_UNSUPPORTED,
            "unsupported manifest schema %" PRId64 "; this runtime supports %d: %s", schema,
            (int)KILN_MANIFEST_SCHEMA,
            schema > KILN_MANIFEST_SCHEMA ? "use a newer runtime" : "recompile the kernel");
}

static void take_all(reader_t *r, const json_t *json, kiln_description_t *out)
{
    take_version(r, json);
    only(r, json, "the manifest",
         " schema name kernel arch block block_size grid arguments hidden_arguments kernarg "
         "dynamic_lds_bytes "
         "workspace_bytes constants build_id source resources options versions ");
    out->name = name_of(r, json, "name");
    out->kernel = name_of(r, json, "kernel");
    out->arch = name_of(r, json, "arch");
    take_block(r, json, out);
    const json_t *kernarg = member(r, json, "kernarg");
    only(r, kernarg, "'kernarg'", " size align ");
    out->kernarg_size = number(r, kernarg, "size", 0, MAX_KERNARG);
    out->kernarg_align = number(r, kernarg, "align", 1, 4096);
    take_arguments(r, json, out);
    take_constants(r, json, out);
    take_grid(r, json, out);
    out->dynamic_lds_bytes = number(r, json, "dynamic_lds_bytes", 0, UINT32_MAX);
    if (number(r, json, "workspace_bytes", 0, UINT32_MAX) && !r->failure)
        r->failure =
            kiln_status_make(KILN_STATUS_UNSUPPORTED,
                             "the kernel needs a workspace, which this runtime does not support");
    take_resources(r, json, out);
    take_origin(r, json, out);
}

kiln_status_t kiln_description_read(const char *name, const char *text, size_t length,
                                    kiln_description_t *out_description)
{
    *out_description = (kiln_description_t){0};
    json_t *json = NULL;
    reader_t r = {kiln_json_parse(name, text, length, &json)};
    if (!r.failure) {
        take_all(&r, json, out_description);
        json_decref(json);
    }
    return kiln_status_annotate(r.failure, "while reading the manifest '%s'", name);
}

void kiln_description_free(kiln_description_t *d)
{
    for (size_t i = 0; i < d->argument_count; i++) {
        free(d->arguments[i].name);
        free(d->arguments[i].type);
    }
    for (size_t i = 0; i < d->hidden_count; i++)
        free(d->hidden[i].kind);
    for (size_t i = 0; i < d->constant_count; i++) {
        free(d->constants[i].name);
        free(d->constants[i].type);
        free(d->constants[i].value);
    }
    for (size_t i = 0; i < 3; i++)
        kiln_expression_free(&d->grid[i]);
    char *texts[] = {d->name, d->kernel, d->arch, d->build_id, d->source_hash, d->source_stage};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    free(d->arguments);
    free(d->hidden);
    free(d->constants);
    *d = (kiln_description_t){0};
}

static bool is_called(const char *own, const char *name, size_t length)
{
    return strncmp(own, name, length) == 0 && !own[length];
}

const kiln_described_argument_t *kiln_description_argument(const kiln_description_t *d,
                                                           const char *name, size_t length)
{
    for (size_t i = 0; i < d->argument_count; i++)
        if (is_called(d->arguments[i].name, name, length))
            return &d->arguments[i];
    return NULL;
}

const kiln_described_constant_t *kiln_description_constant(const kiln_description_t *d,
                                                           const char *name, size_t length)
{
    for (size_t i = 0; i < d->constant_count; i++)
        if (is_called(d->constants[i].name, name, length))
            return &d->constants[i];
    return NULL;
}

bool kiln_element_types_agree(kiln_element_type_t a, kiln_element_type_t b)
{
    return a == b || (a != KILN_ELEMENT_I1 && b != KILN_ELEMENT_I1 && !kiln_element_is_float(a) &&
                      !kiln_element_is_float(b) && kiln_element_size(a) == kiln_element_size(b));
}

// The code object ---------------------------------------------------------------------------------

enum { AMDGPU_MACHINE = 0xe0 };

// Processors by the machine in a code object's e_flags (LLVM's AMDGPU usage, "ELF Header").
static const struct {
    unsigned machine;
    const char *arch;
} processors[] = {
    {0x2f, "gfx906"}, {0x30, "gfx908"}, {0x3f, "gfx90a"}, {0x4c, "gfx942"}, {0x4f, "gfx950"}};

static kiln_status_t check_processor(const kiln_elf_t *elf, const char *arch)
{
    const unsigned machine = elf->header.e_flags & 0xff;
    for (size_t i = 0; i < sizeof processors / sizeof *processors; i++)
        if (processors[i].machine == machine)
            return strcmp(processors[i].arch, arch) == 0
                       ? KILN_OK
                       : kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                          "the code object is for %s, but its manifest is for %s",
                                          processors[i].arch, arch);
    return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                            "the code object is for a processor other than %s (e_flags 0x%x)", arch,
                            elf->header.e_flags);
}

kiln_status_t kiln_description_check_code(const kiln_description_t *d, const void *code,
                                          size_t size)
{
    kiln_elf_t elf;
    Elf64_Sym symbol;
    const char *wrong = kiln_elf_open(code, size, &elf);
    if (!wrong && elf.header.e_machine != AMDGPU_MACHINE)
        wrong = "an ELF file for a target other than AMD GPUs";
    if (wrong)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "not a code object: %s", wrong);
    const uint64_t end = kiln_elf_end(&elf);
    if (end > size)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "the code object is truncated: expected %" PRIu64 " bytes, got %zu",
                                end, size);
    KILN_TRY(check_processor(&elf, d->arch));
    char *descriptor = kiln_string_print("%s.kd", d->kernel);
    if (!descriptor)
        return kiln_status_out_of_memory();
    const bool found = kiln_elf_symbol(&elf, descriptor, &symbol);
    free(descriptor);
    return found
               ? KILN_OK
               : kiln_status_make(
                     KILN_STATUS_NOT_FOUND,
                     "the code object has no kernel '%s', which its manifest describes", d->kernel);
}
