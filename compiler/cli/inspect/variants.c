// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combines manifests with what is read from the code. Note that resources come from the code object
// and not from the manifest, so that both are seen to agree with what a device loads.
#include "variants.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/code_object.h"
#include "base/json.h"
#include "base/string.h"
#include "cli/inspect/kernel.h"
#include "kiln/kiln.h"

// Gathering ---------------------------------------------------------------------------------------

void kiln_described_argument_append(const kiln_described_argument_t *a, kiln_string_t *out)
{
    kiln_string_appendf(out, " %s=%s", a->name, a->type);
    if (a->divisibility > 1)
        kiln_string_appendf(out, ":%u", a->divisibility);
    if (a->is_below_2g)
        kiln_string_append(out, ":2g");
    if (a->has_range && a->min == INT64_MIN)
        kiln_string_appendf(out, "[:%" PRId64 "]", a->max);
    else if (a->has_range && a->max == INT64_MAX)
        kiln_string_appendf(out, "[%" PRId64 ":]", a->min);
    else if (a->has_range)
        kiln_string_appendf(out, "[%" PRId64 ":%" PRId64 "]", a->min, a->max);
}

static json_t *gather_variant(const kiln_description_t *d, const kiln_bundle_item_t *item,
                              size_t number)
{
    json_t *constants = json_object(), *arguments = json_array(), *manifest;
    for (size_t i = 0; i < d->constant_count; i++)
        json_object_set_new(constants, d->constants[i].name, kiln_json_text(d->constants[i].value));
    for (size_t i = 0; i < d->argument_count; i++) {
        kiln_string_t text = {0};
        kiln_described_argument_append(&d->arguments[i], &text);
        json_array_append_new(arguments, kiln_json_text(text.length ? text.data + 1 : ""));
        kiln_string_free(&text);
    }
    json_t *grid = d->has_grid
                       ? json_pack("[s,s,s]", d->grid[0].text, d->grid[1].text, d->grid[2].text)
                       : json_null();
    json_t *variant = json_pack("{s:I,s:o,s:o,s:o,s:o,s:s}", "number", (json_int_t)number, "name",
                                kiln_json_text(d->name), "constants", constants, "arguments",
                                arguments, "grid", grid, "arch", d->arch);
    kiln_status_t status = kiln_json_parse(d->name, item->manifest, item->manifest_size, &manifest);
    if (!status)
        json_object_set(variant, "options", json_object_get(manifest, "options"));
    kiln_status_free(status); // it was read before
    json_decref(manifest);
    return variant;
}

static kiln_status_t gather_code(const kiln_bundle_item_t *item, const kiln_description_t *d,
                                 kiln_diagnostic_handler_t finding, json_t *kernels)
{
    kiln_code_object_t object;
    KILN_TRY(kiln_description_check_code(d, item->code_object, item->code_object_size));
    kiln_status_t status =
        kiln_code_object_read(item->code_object, item->code_object_size, &object);
    const kiln_code_kernel_t *kernel = status ? NULL : kiln_code_object_find(&object, d->kernel);
    if (!status && !kernel)
        status = kiln_status_make(KILN_STATUS_NOT_FOUND, "the code object has no kernel '%s'",
                                  d->kernel);
    if (!status && finding)
        status =
            kiln_inspect_findings(item->code_object, item->code_object_size, d->kernel, finding);
    if (!status) {
        kiln_lines_t *lines = kiln_lines_open(item->code_object, item->code_object_size);
        status = kiln_inspect_kernel(kernel, lines, kernels);
        kiln_lines_close(lines);
    }
    kiln_code_object_free(&object);
    return status;
}

kiln_status_t kiln_inspect_variants(const kiln_bundle_set_t *set, const char *name,
                                    kiln_diagnostic_handler_t finding, json_t *kernels)
{
    kiln_status_t status = KILN_OK;
    for (size_t i = 0; i < set->count && !status; i++) {
        const kiln_bundle_item_t *item = &set->items[i];
        kiln_description_t d;
        status = kiln_description_read(set->origins[i], item->manifest, item->manifest_size, &d);
        if (!status && (!name || strcmp(name, d.name) == 0 || strcmp(name, d.kernel) == 0)) {
            status = kiln_status_annotate(gather_code(item, &d, finding, kernels), "in %s",
                                          set->origins[i]);
            if (!status)
                json_object_set_new(json_array_get(kernels, json_array_size(kernels) - 1),
                                    "variant", gather_variant(&d, item, i + 1));
        }
        kiln_description_free(&d);
    }
    return status;
}

// Text --------------------------------------------------------------------------------------------

static const char *string_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

// "gemm BLOCK_M=64 BLOCK_N=64"
static char *title_of(const json_t *variant)
{
    kiln_string_t text = {0};
    const char *name;
    json_t *value;
    kiln_string_append(&text, string_of(variant, "name"));
    json_object_foreach(json_object_get(variant, "constants"), name, value)
        kiln_string_appendf(&text, " %s=%s", name, json_string_value(value));
    char *title = kiln_string_take(&text);
    if (title)
        kiln_string_make_line(title);
    return title;
}

// Numbers, and flags that are not as by default.
static void print_options(const json_t *options)
{
    const kiln_option_t *option;
    printf("  options   ");
    for (size_t i = 0; (option = kiln_compile_option(i)); i++) {
        const json_t *value = json_object_get(options, option->name);
        const json_int_t number =
            json_is_boolean(value) ? json_is_true(value) : json_integer_value(value);
        if (value && !json_is_null(value) && (!option->is_flag || number != option->initial))
            printf(" %s=%lld", option->name, number);
    }
    printf("\n");
}

void kiln_inspect_print_variant(const json_t *kernel)
{
    const json_t *variant = json_object_get(kernel, "variant"), *one,
                 *grid = json_object_get(variant, "grid");
    size_t i;
    if (!variant)
        return;
    char *title = title_of(variant);
    printf("variant %lld: %s\n  arguments ", json_integer_value(json_object_get(variant, "number")),
           title ? title : "");
    json_array_foreach(json_object_get(variant, "arguments"), i, one)
        printf(" %s", json_string_value(one));
    printf("\n");
    if (json_is_array(grid))
        printf("  grid       %s, %s, %s\n", json_string_value(json_array_get(grid, 0)),
               json_string_value(json_array_get(grid, 1)),
               json_string_value(json_array_get(grid, 2)));
    print_options(json_object_get(variant, "options"));
    free(title);
}

void kiln_inspect_print_table(const json_t *kernels)
{
    static const struct {
        const char *member, *title;
    } columns[] = {{"vgprs", "VGPRs"},           {"agprs", "AGPRs"},    {"sgprs", "SGPRs"},
                   {"vgpr_spills", "spilled"},   {"lds_bytes", "LDS"},  {"occupancy", "waves/SIMD"},
                   {"max_workgroup", "threads"}, {"code", "code bytes"}};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    const json_t *kernel;
    size_t i;
    printf("   #");
    for (size_t c = 0; c < COLUMNS; c++)
        printf(" %10s", columns[c].title);
    printf("  kernel\n");
    json_array_foreach(kernels, i, kernel)
    {
        const json_t *variant = json_object_get(kernel, "variant"),
                     *resources = json_object_get(kernel, "resources");
        char *title = title_of(variant);
        printf("%4lld", json_integer_value(json_object_get(variant, "number")));
        for (size_t c = 0; c < COLUMNS; c++)
            printf(" %10lld", json_integer_value(
                                  strcmp(columns[c].member, "code") == 0
                                      ? json_object_get(json_object_get(kernel, "code"), "bytes")
                                      : json_object_get(resources, columns[c].member)));
        printf("  %s\n", title ? title : "");
        free(title);
    }
    printf("\n");
}
