// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a `hal.executable.source` from a manifest.
//
// Operands of a dispatch become bindings and constants by their kind, regardless of their order,
// and results are bindings after all operands; so a kernel that writes its first argument is
// dispatched in place (`-> %out`).
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/description.h"
#include "base/require.h"
#include "base/string.h"
#include "kiln/iree.h"

// Any target that accepts HSACO; the driver checks the processor.
static const char target[] = "\"rocm\", \"rocm-hsaco-fb\"";

typedef struct writer {
    kiln_string_t text;
    const kiln_description_t *d;
    unsigned next; // number of the next value
} writer_t;

#define addf(w, ...) kiln_string_appendf(&(w)->text, __VA_ARGS__)

void kiln_iree_options_initialize_sized(kiln_iree_options_t *options, size_t struct_size)
{
    static const kiln_iree_options_t defaults = {0};
    kiln_struct_initialize(options, struct_size, &defaults, sizeof defaults);
}

static kiln_status_t check_order(const kiln_description_t *d)
{
    size_t offset = 0;
    bool after_pointers = false;
    for (size_t i = 0; i < d->argument_count; i++) {
        const kiln_described_argument_t *a = &d->arguments[i];
        if (a->offset != offset || (a->is_pointer && after_pointers) ||
            (!a->is_pointer && a->size != 4))
            return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                    "argument '%s' of kernel '%s' does not follow IREE's calling "
                                    "convention; compile with `iree_abi`",
                                    a->name, d->name);
        after_pointers = !a->is_pointer;
        offset += a->size;
    }
    return KILN_OK;
}

// A string with MLIR's escapes.
static void add_string(writer_t *w, const char *text)
{
    kiln_string_append_char(&w->text, '"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
            addf(w, "\\%02X", (unsigned char)*text);
        else
            kiln_string_append_char(&w->text, *text);
    kiln_string_append_char(&w->text, '"');
}

// A symbol: @name, or @"na me" if it is not a bare identifier.
static void add_symbol(writer_t *w, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_",
                      others[] = "0123456789$.";
    size_t length = strspn(name, letters);
    while (length && name[length] && strchr(others, name[length]))
        length += 1 + strspn(name + length + 1, letters);
    kiln_string_append_char(&w->text, '@');
    if (length && !name[length])
        kiln_string_append(&w->text, name);
    else
        add_string(w, name);
}

// Workgroups --------------------------------------------------------------------------------------

static bool is_used_in(const kiln_expression_t *expression, const char *name)
{
    for (size_t i = 0; i < expression->count; i++)
        if (expression->steps[i].op == KILN_EXPRESSION_NAME &&
            strlen(name) == expression->steps[i].length &&
            memcmp(expression->text + expression->steps[i].begin, name, strlen(name)) == 0)
            return true;
    return false;
}

static bool is_workload(const kiln_description_t *d, const kiln_described_argument_t *a)
{
    return is_used_in(&d->grid[0], a->name) || is_used_in(&d->grid[1], a->name) ||
           is_used_in(&d->grid[2], a->name);
}

static unsigned add_constant(writer_t *w, int64_t number)
{
    addf(w, "      %%v%u = arith.constant %" PRId64 " : index\n", w->next, number);
    return w->next++;
}

// Stores the number of the value in *out.
static kiln_status_t add_name(writer_t *w, const kiln_expression_t *e,
                              const kiln_expression_step_t *step, unsigned *out)
{
    const char *name = e->text + step->begin;
    const kiln_described_argument_t *argument = kiln_description_argument(w->d, name, step->length);
    const kiln_described_constant_t *constant = kiln_description_constant(w->d, name, step->length);
    if (argument) {
        // The workload's values have the arguments' numbers.
        *out = (unsigned)(argument - w->d->arguments);
        return KILN_OK;
    }
    if (!constant || !constant->is_integer)
        return kiln_expression_refuse(
            e, step, "the kernel has no integer argument or constant with this name");
    *out = add_constant(w, constant->integer);
    return KILN_OK;
}

static kiln_status_t add_expression(writer_t *w, const kiln_expression_t *e, unsigned *out)
{
    static const char *const operations[] = {
        [KILN_EXPRESSION_ADD] = "addi",        [KILN_EXPRESSION_SUBTRACT] = "subi",
        [KILN_EXPRESSION_MULTIPLY] = "muli",   [KILN_EXPRESSION_DIVIDE] = "divsi",
        [KILN_EXPRESSION_REMAINDER] = "remsi", [KILN_EXPRESSION_CDIV] = "ceildivsi",
        [KILN_EXPRESSION_MIN] = "minsi",       [KILN_EXPRESSION_MAX] = "maxsi"};
    unsigned stack[KILN_EXPRESSION_STACK], top = 0;
    for (size_t i = 0; i < e->count; i++) {
        const kiln_expression_step_t *step = &e->steps[i];
        if (step->op == KILN_EXPRESSION_NUMBER) {
            stack[top++] = add_constant(w, step->number);
        } else if (step->op == KILN_EXPRESSION_NAME) {
            KILN_TRY(add_name(w, e, step, &stack[top++]));
        } else {
            top--;
            addf(w, "      %%v%u = arith.%s %%v%u, %%v%u : index\n", w->next, operations[step->op],
                 stack[top - 1], stack[top]);
            stack[top - 1] = w->next++;
        }
    }
    *out = stack[0];
    return KILN_OK;
}

static kiln_status_t add_count(writer_t *w)
{
    const kiln_description_t *d = w->d;
    unsigned axes[3] = {0, 1, 2};
    addf(w, "        count(%%device: !hal.device");
    if (!d->has_grid)
        addf(w, ", %%v0: index, %%v1: index, %%v2: index");
    for (size_t i = 0; d->has_grid && i < d->argument_count; i++)
        if (is_workload(d, &d->arguments[i]))
            addf(w, ", %%v%zu: index", i);
    addf(w, ") -> (index, index, index) {\n");
    w->next = (unsigned)d->argument_count;
    for (int axis = 0; d->has_grid && axis < 3; axis++)
        KILN_TRY(add_expression(w, &d->grid[axis], &axes[axis]));
    addf(w, "      hal.return %%v%u, %%v%u, %%v%u : index, index, index\n    }", axes[0], axes[1],
         axes[2]);
    return KILN_OK;
}

// The executable ----------------------------------------------------------------------------------

static void add_layout(writer_t *w)
{
    const kiln_description_t *d = w->d;
    size_t pointers = 0;
    while (pointers < d->argument_count && d->arguments[pointers].is_pointer)
        pointers++;
    addf(w, "        layout(#hal.pipeline.layout<constants = %zu, bindings = [",
         d->argument_count - pointers);
    for (size_t i = 0; i < pointers; i++)
        addf(w, "%s\n            #hal.pipeline.binding<storage_buffer%s>", i ? "," : "",
             d->arguments[i].is_const ? ", ReadOnly" : "");
    addf(w, "]>)\n");
}

static void add_usage(writer_t *w, const char *name)
{
    const kiln_description_t *d = w->d;
    addf(w, "// Generated by Kiln from kernel '%s'. Usage:\n//\n//     flow.dispatch ", d->name);
    add_symbol(w, name);
    addf(w, "::");
    add_symbol(w, d->kernel);
    addf(w, "[");
    const char *comma = "";
    for (size_t i = 0; i < d->argument_count; i++)
        if (d->has_grid && is_workload(d, &d->arguments[i])) {
            addf(w, "%s%%%s", comma, d->arguments[i].name);
            comma = ", ";
        }
    addf(w, "%s](", d->has_grid ? "" : "%x, %y, %z");
    for (size_t i = 0; i < d->argument_count; i++)
        addf(w, "%s%s: %s", i ? ", " : "", d->arguments[i].name, d->arguments[i].type);
    addf(w, ")\n//\n// with an index for each integer of the workload in the brackets, a tensor "
            "for each pointer and a "
            "value of 32 "
            "bits for each\n// other argument; a result takes the place of the last pointers. See "
            "docs/embedding.md.\n");
}

static void add_source(writer_t *w, const char *name, const char *object)
{
    add_usage(w, name);
    addf(w, "hal.executable.source private ");
    add_symbol(w, name);
    addf(w,
         " <{objects = #hal.executable.objects<{\n    #hal.executable.target<%s> = "
         "[#hal.executable.object<{path = ",
         target);
    add_string(w, object);
    addf(w, "}>]}>}> {\n");
}

static void add_replacement(writer_t *w, const char *name, const char *object)
{
    addf(w,
         "// Generated by Kiln from kernel '%s' to replace IREE's executable.\nhal.executable "
         "private ",
         w->d->name);
    add_symbol(w, name);
    addf(w,
         " {\n  hal.executable.variant public @rocm_hsaco_fb target(<%s>)\n      "
         "objects([#hal.executable.object<{path "
         "= ",
         target);
    add_string(w, object);
    addf(w, "}>]) {\n");
}

static kiln_status_t add_all(writer_t *w, const kiln_iree_options_t *options, const char *object)
{
    const kiln_description_t *d = w->d;
    const char *name = options->name ? options->name : d->kernel;
    KILN_TRY(check_order(d));
    if (options->replaces)
        add_replacement(w, name, object);
    else
        add_source(w, name, object);
    addf(w, "    hal.executable.export public ");
    add_symbol(w, d->kernel);
    addf(w, " ordinal(0)\n");
    add_layout(w);
    KILN_TRY(add_count(w));
    addf(w,
         " <{workgroup_size = [%u : index, %u : index, %u : index], subgroup_size = 64 : "
         "index}>\n%s}\n",
         d->block[0], d->block[1], d->block[2], options->replaces ? "  }\n" : "");
    return KILN_OK;
}

kiln_status_t kiln_iree_executable_make(const char *manifest, const kiln_iree_options_t *given,
                                        char **out_text)
{
    KILN_REQUIRE_OUT(out_text);
    KILN_REQUIRE(manifest);
    kiln_iree_options_t options;
    kiln_iree_options_initialize(&options);
    if (given)
        KILN_TRY(kiln_struct_take(__func__, "options", "kiln_iree_options_t", &options,
                                  sizeof options, given));
    kiln_description_t description;
    writer_t w = {.d = &description};
    kiln_status_t status =
        kiln_description_read("the manifest", manifest, strlen(manifest), &description);
    if (kiln_description_has_sized_grid(&description)) // IREE's workload has no sizes of buffers
        description.has_grid = false;
    char *object =
        status || options.object_path ? NULL : kiln_string_print("%s.hsaco", description.kernel);
    if (!status && !options.object_path && !object)
        status = kiln_status_out_of_memory();
    if (!status)
        status = add_all(&w, &options, options.object_path ? options.object_path : object);
    free(object);
    kiln_description_free(&description);
    *out_text = status ? NULL : kiln_string_take(&w.text);
    kiln_string_free(&w.text);
    return status || *out_text ? status : kiln_status_out_of_memory();
}
