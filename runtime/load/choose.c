// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the variant for a call, or explains why none fits.
//
// "More specialized" is only a partial order of variants. They are sorted so that each precedes
// those that are less specialized; otherwise they keep the order of loading. Because the relation
// is transitive, no fitting variant is more specialized than the first one that fits.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "jit/specialize.h"
#include "load/program.h"

enum { MAX_NOTES = 16 };

const kiln_typed_argument_t *kiln_given_argument(const kiln_program_call_t *call, size_t index,
                                                 const char *name)
{
    // Most callers pass arguments in the kernel's order, so this place is tried first.
    if (index < call->argument_count && strcmp(call->arguments[index].value.name, name) == 0)
        return &call->arguments[index];
    for (size_t i = 0; i < call->argument_count; i++)
        if (strcmp(call->arguments[i].value.name, name) == 0)
            return &call->arguments[i];
    return NULL;
}

// Fitting -----------------------------------------------------------------------------------------

static bool explain(kiln_string_t *why, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool explain(kiln_string_t *why, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (why)
        kiln_string_appendv(why, format, args);
    va_end(args);
    return false;
}

static bool is_type(const kiln_described_argument_t *wanted, const char *type)
{
    kiln_element_type_t given;
    const bool is_pointer = *type == '*';
    return strcmp(type, wanted->type) == 0 ||
           (is_pointer == wanted->is_pointer && wanted->is_known &&
            kiln_element_type_parse(type + is_pointer, &given) &&
            kiln_element_types_agree(wanted->element, given));
}

static bool value_binds(const kiln_variant_t *v, size_t index, const kiln_jit_argument_t *value,
                        kiln_string_t *why)
{
    uint64_t cell;
    kiln_status_t status = kiln_bind_one(&v->parameters[index], v->cells[index], value, &cell);
    if (!status)
        return true;
    explain(why, "%s", kiln_status_message(status));
    kiln_status_free(status);
    return false;
}

static bool pointer_fits(const kiln_described_argument_t *wanted, const kiln_jit_argument_t *value,
                         kiln_string_t *why)
{
    if (wanted->divisibility > 1 && value->address % wanted->divisibility)
        return explain(why, "argument '%s' = 0x%" PRIx64 " is not a multiple of %u", wanted->name,
                       value->address, wanted->divisibility);
    if (wanted->is_below_2g && !value->address_size)
        return explain(why,
                       "argument '%s' must be a buffer smaller than 2 GiB, but its size is unknown",
                       wanted->name);
    if (wanted->is_below_2g && !(value->integer & KILN_JIT_STORAGE))
        return explain(why,
                       "argument '%s' must be a buffer smaller than 2 GiB, but the start of its "
                       "allocation is unknown; use "
                       "kiln_typed_storage",
                       wanted->name);
    if (wanted->is_below_2g && value->address < UINT64_C(1) << 31)
        return explain(why, "argument '%s' must be at address 2 GiB or above, but is at 0x%" PRIx64,
                       wanted->name, value->address);
    if (wanted->is_below_2g && !kiln_is_in_pointer_range(value))
        return explain(
            why,
            "argument '%s' must be a buffer smaller than 2 GiB, but has %zu bytes (%" PRId64
            " at most)",
            wanted->name, value->address_size, KILN_POINTER_RANGE_LIMIT);
    return true;
}

static bool argument_fits(const kiln_variant_t *v, size_t index, const kiln_program_call_t *call,
                          kiln_string_t *why)
{
    const kiln_described_argument_t *wanted = &v->d.arguments[index];
    const kiln_typed_argument_t *given = kiln_given_argument(call, index, wanted->name);
    if (!given)
        return explain(why, "argument '%s' is missing", wanted->name);
    if (given->type && !is_type(wanted, given->type))
        return explain(why, "argument '%s' is %s, expected %s", wanted->name, given->type,
                       wanted->type);
    if (!value_binds(v, index, &given->value, why))
        return false;
    if (wanted->is_pointer)
        return pointer_fits(wanted, &given->value, why);
    if (given->value.kind == KILN_JIT_UNSIGNED) {
        const uint64_t large = (uint64_t)given->value.integer;
        if (wanted->has_range)
            return explain(why, "argument '%s' = %" PRIu64 " is above %" PRId64, wanted->name,
                           large, wanted->max);
        return wanted->divisibility < 2 || large % wanted->divisibility == 0 ||
               explain(why, "argument '%s' = %" PRIu64 " is not a multiple of %u", wanted->name,
                       large, wanted->divisibility);
    }
    if (given->value.kind != KILN_JIT_INTEGER)
        return true;
    const int64_t value = given->value.integer;
    if (wanted->divisibility > 1 && value % (int64_t)wanted->divisibility)
        return explain(why, "argument '%s' = %" PRId64 " is not a multiple of %u", wanted->name,
                       value, wanted->divisibility);
    if (wanted->has_range && value < wanted->min)
        return explain(why, "argument '%s' = %" PRId64 " is below %" PRId64, wanted->name, value,
                       wanted->min);
    if (wanted->has_range && value > wanted->max)
        return explain(why, "argument '%s' = %" PRId64 " is above %" PRId64, wanted->name, value,
                       wanted->max);
    return true;
}

// Compares numbers by value (0x40 is 64, 1 is true), everything else as text.
static bool same_value(const kiln_described_constant_t *constant, const char *text)
{
    char *end, *own_end;
    int64_t integer;
    uint64_t number, own_number;
    if (strcmp(constant->value, text) == 0)
        return true;
    if (constant->is_integer)
        return kiln_integer_parse_all(text, 0, &integer) && integer == constant->integer;
    if (strcmp(constant->type, "u64") == 0 &&
        kiln_unsigned_parse_all(constant->value, 10, &own_number))
        return kiln_unsigned_parse_all(text, 0, &number) && number == own_number;
    const double value = kiln_real_parse(text, &end),
                 own = kiln_real_parse(constant->value, &own_end);
    return *text && !*end && !*own_end && strcmp(constant->type, "type") != 0 &&
           (strcmp(constant->type, "f32") == 0 ? (float)value == (float)own
                                               : !(value < own) && !(value > own));
}

static bool constants_fit(const kiln_variant_t *v, const kiln_program_call_t *call,
                          kiln_string_t *why)
{
    for (size_t i = 0; i < call->constant_count; i++) {
        const kiln_setting_t *wanted = &call->constants[i];
        const kiln_described_constant_t *own =
            kiln_description_constant(&v->d, wanted->name, strlen(wanted->name));
        if (!own)
            return explain(why, "unknown constant '%s'", wanted->name);
        if (!same_value(own, wanted->value))
            return explain(why, "constant '%s' is %s, not %s", own->name, own->value,
                           wanted->value);
    }
    return true;
}

bool kiln_variant_fits(const kiln_variant_t *v, const kiln_program_call_t *call, kiln_string_t *why)
{
    if (!constants_fit(v, call, why))
        return false;
    for (size_t i = 0; i < v->d.argument_count; i++)
        if (!argument_fits(v, i, call, why))
            return false;
    for (size_t i = 0; i < call->argument_count && call->argument_count != v->d.argument_count;
         i++) {
        const char *name = call->arguments[i].value.name;
        if (!kiln_description_argument(&v->d, name, strlen(name)))
            return explain(why, "it has no argument '%s'", name);
    }
    return call->argument_count == v->d.argument_count || explain(why, "duplicate argument");
}

// Choosing ----------------------------------------------------------------------------------------

static unsigned multiple(const kiln_described_argument_t *argument)
{
    return argument->divisibility ? argument->divisibility : 1;
}

// Whether every call that fits `a` fits `b`, considering the arguments that both have.
static bool argument_implies(const kiln_described_argument_t *a, const kiln_described_argument_t *b)
{
    return multiple(a) % multiple(b) == 0 && (a->is_below_2g || !b->is_below_2g) &&
           (!b->has_range || (a->has_range && a->min >= b->min && a->max <= b->max));
}

static bool implies(const kiln_description_t *a, const kiln_description_t *b)
{
    for (size_t i = 0; i < a->argument_count; i++) {
        const kiln_described_argument_t *other =
            kiln_description_argument(b, a->arguments[i].name, strlen(a->arguments[i].name));
        if (other && !argument_implies(&a->arguments[i], other))
            return false;
    }
    return true;
}

bool kiln_variant_is_more_special(const kiln_variant_t *a, const kiln_variant_t *b)
{
    return implies(&a->d, &b->d) && !implies(&b->d, &a->d);
}

// " with BLOCK=64 GROUP=8": what distinguishes a variant from its siblings.
static void describe(const kiln_variant_t *v, kiln_string_t *out)
{
    for (size_t i = 0; i < v->d.constant_count; i++)
        kiln_string_appendf(out, "%s%s=%s", i ? " " : " with ", v->d.constants[i].name,
                            v->d.constants[i].value);
}

static kiln_status_t refuse(const kiln_program_t *program, const char *kernel,
                            kiln_variant_t *const *family, size_t count,
                            const kiln_program_call_t *call)
{
    kiln_status_t status =
        kiln_status_make(KILN_STATUS_NOT_FOUND,
                         "no variant of kernel '%s' in '%s' matches this call; %zu candidate%s",
                         kernel, program->name, count, count == 1 ? "" : "s");
    for (size_t i = 0; i < count && i < MAX_NOTES; i++) {
        kiln_string_t text = {0};
        describe(family[i], &text);
        kiln_string_append(&text, ": ");
        kiln_variant_fits(family[i], call, &text);
        kiln_status_annotate(status, "variant %zu%s", family[i]->index,
                             text.failed ? "" : text.data);
        kiln_string_free(&text);
    }
    return count > MAX_NOTES ? kiln_status_annotate(status, "and %zu more", count - MAX_NOTES)
                             : status;
}

static int compare_name(const void *key, const void *variant)
{
    return strcmp(key, (*(kiln_variant_t *const *)variant)->d.name);
}

static kiln_status_t unknown_kernel(const kiln_program_t *program, const char *kernel)
{
    kiln_string_t names = {0};
    for (size_t i = 0; i < program->variant_count; i++)
        if (i == 0 || strcmp(program->by_name[i]->d.name, program->by_name[i - 1]->d.name) != 0)
            kiln_string_appendf(&names, "%s'%s'", names.length ? ", " : "",
                                program->by_name[i]->d.name);
    kiln_status_t status =
        names.failed ? kiln_status_out_of_memory()
        : kernel
            ? kiln_status_make(KILN_STATUS_NOT_FOUND, "kernel '%s' not found in '%s'; it has %s",
                               kernel, program->name, names.length ? names.data : "none")
            : kiln_status_make(KILN_STATUS_USAGE, "'%s' has %s; choose one", program->name,
                               names.length ? names.data : "no kernels");
    kiln_string_free(&names);
    return status;
}

kiln_status_t kiln_program_family(const kiln_program_t *program, const char *kernel,
                                  kiln_variant_t ***out_first, size_t *out_count)
{
    kiln_variant_t **all = program->by_name, **first = all, **end = all + program->variant_count;
    if (kernel)
        first = bsearch(kernel, all, program->variant_count, sizeof *all, compare_name);
    if (!first || first == end)
        return unknown_kernel(program, kernel);
    const char *name = first[0]->d.name;
    while (first > all && strcmp(first[-1]->d.name, name) == 0)
        first--;
    kiln_variant_t **last = first;
    while (last < end && strcmp(last[0]->d.name, name) == 0)
        last++;
    if (!kernel && last != end)
        return unknown_kernel(program, NULL);
    *out_first = first;
    *out_count = (size_t)(last - first);
    return KILN_OK;
}

kiln_status_t kiln_program_choose_complete(const kiln_program_t *program,
                                           const kiln_program_call_t *call,
                                           const kiln_variant_t **out_variant)
{
    kiln_variant_t **family;
    size_t count;
    KILN_TRY(kiln_program_family(program, call->kernel, &family, &count));
    size_t first = 0;
    while (first < count && !kiln_variant_fits(family[first], call, NULL))
        first++;
    *out_variant = first < count ? family[first] : NULL;
    return first < count ? KILN_OK : refuse(program, family[0]->d.name, family, count, call);
}
