// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates and reads bundles of compiled kernels. Note that if two kernels differ only in properties
// by which a call cannot select (num_warps), they are rejected, because the second would never be
// chosen.
#include <stdlib.h>
#include <string.h>

#include "base/bundle.h"
#include "base/description.h"
#include "base/require.h"
#include "kiln/ahead.h"

static bool same_argument(const kiln_described_argument_t *a, const kiln_described_argument_t *b)
{
    const unsigned a_multiple = a->divisibility ? a->divisibility : 1,
                   b_multiple = b->divisibility ? b->divisibility : 1;
    return strcmp(a->name, b->name) == 0 && strcmp(a->type, b->type) == 0 &&
           a_multiple == b_multiple && a->is_below_2g == b->is_below_2g &&
           a->has_range == b->has_range && a->min == b->min && a->max == b->max;
}

static bool same_call(const kiln_description_t *a, const kiln_description_t *b)
{
    if (strcmp(a->name, b->name) != 0 || a->argument_count != b->argument_count ||
        a->constant_count != b->constant_count)
        return false;
    for (size_t i = 0; i < a->argument_count; i++)
        if (!same_argument(&a->arguments[i], &b->arguments[i]))
            return false;
    for (size_t i = 0; i < a->constant_count; i++)
        if (strcmp(a->constants[i].name, b->constants[i].name) != 0 ||
            strcmp(a->constants[i].value, b->constants[i].value) != 0)
            return false;
    return true;
}

static kiln_status_t check(const kiln_compiled_t *kernels, size_t count, kiln_description_t *all)
{
    for (size_t i = 0; i < count; i++) {
        if (!kernels[i].code_object || !kernels[i].manifest)
            return kiln_status_make(
                KILN_STATUS_USAGE, "kiln_bundle_make: kernel %zu has no code object or no manifest",
                i);
        KILN_TRY_NOTE(kiln_description_read("manifest", kernels[i].manifest,
                                            strlen(kernels[i].manifest), &all[i]),
                      "in kernel %zu of the bundle", i);
        KILN_TRY_NOTE(kiln_description_check_code(&all[i], kernels[i].code_object,
                                                  kernels[i].code_object_size),
                      "in kernel %zu of the bundle", i);
        for (size_t j = 0; j < i; j++)
            if (same_call(&all[i], &all[j]))
                return kiln_status_make(
                    KILN_STATUS_INVALID_INPUT,
                    "kernels %zu and %zu of the bundle are both '%s' with the same constants, "
                    "types and requirements; the second would never be selected",
                    j, i, all[i].name);
    }
    return KILN_OK;
}

kiln_status_t kiln_bundle_make(const kiln_compiled_t *kernels, size_t kernel_count,
                               void **out_bundle, size_t *out_size)
{
    KILN_REQUIRE_OUT(out_bundle);
    KILN_REQUIRE_OUT(out_size);
    KILN_REQUIRE_ARRAY(kernels, kernel_count);
    for (size_t i = 0; i < kernel_count; i++)
        KILN_REQUIRE_THAT(kernels[i].code_object && kernels[i].manifest, "kernels[%zu].%s is NULL",
                          i, kernels[i].code_object ? "manifest" : "code_object");
    kiln_description_t *all = calloc(kernel_count + 1, sizeof *all);
    kiln_bundle_item_t *items = calloc(kernel_count + 1, sizeof *items);
    kiln_status_t status =
        all && items ? check(kernels, kernel_count, all) : kiln_status_out_of_memory();
    for (size_t i = 0; i < kernel_count && !status; i++)
        items[i] = (kiln_bundle_item_t){kernels[i].code_object, kernels[i].code_object_size,
                                        kernels[i].manifest, strlen(kernels[i].manifest)};
    if (!status)
        status = kiln_bundle_write(items, kernel_count, out_bundle, out_size);
    for (size_t i = 0; all && i < kernel_count; i++)
        kiln_description_free(&all[i]);
    free(all);
    free(items);
    return status;
}

kiln_status_t kiln_bundle_kernels(const void *bundle, size_t size, kiln_compiled_t **out_kernels,
                                  size_t *out_count)
{
    KILN_REQUIRE_OUT(out_kernels);
    KILN_REQUIRE_OUT(out_count);
    KILN_REQUIRE_ARRAY(bundle, size);
    kiln_bundle_item_t *items;
    size_t count;
    KILN_TRY(kiln_bundle_read(bundle, size, &items, &count));
    kiln_compiled_t *kernels = calloc(count + 1, sizeof *kernels);
    for (size_t i = 0; kernels && i < count; i++)
        kernels[i] =
            (kiln_compiled_t){items[i].code_object, items[i].code_object_size, items[i].manifest};
    free(items);
    *out_kernels = kernels;
    *out_count = kernels ? count : 0;
    return kernels ? KILN_OK : kiln_status_out_of_memory();
}
