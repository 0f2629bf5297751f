// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs from files and memory: validates their contents and turns them into variants. Code
// objects are checked here, so that a wrong one is reported when it is loaded, not when a rare call
// first needs it.
#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "hip/device.h"
#include "load/program.h"

// Variants ----------------------------------------------------------------------------------------

static kiln_status_t check_code(const kiln_program_t *program, const kiln_bundle_item_t *item,
                                const kiln_description_t *d)
{
    const char *arch = kiln_device_properties(program->device)->arch;
    if (strcmp(d->arch, arch) != 0)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "kernel '%s' was compiled for %s, but the device is %s", d->kernel,
                                d->arch, arch);
    return kiln_description_check_code(d, item->code_object, item->code_object_size);
}

static kiln_status_t make_parameters(kiln_variant_t *v)
{
    v->parameters = calloc(v->d.argument_count + 1, sizeof *v->parameters);
    v->cells = calloc(v->d.argument_count + 1, sizeof *v->cells);
    if (!v->parameters || !v->cells)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < v->d.argument_count; i++) {
        v->parameters[i] = (kiln_parameter_t){v->d.arguments[i].name, v->d.arguments[i].type,
                                              v->d.arguments[i].sign};
        v->cells[i] = kiln_cell_of(&v->parameters[i]);
    }
    return KILN_OK;
}

// Items of one bundle may share code.
static size_t code_of(kiln_program_t *program, const kiln_bundle_item_t *item)
{
    for (size_t i = 0; i < program->code_count; i++)
        if (program->codes[i].bytes == item->code_object &&
            program->codes[i].size == item->code_object_size)
            return i;
    program->codes[program->code_count] =
        (kiln_program_code_t){.bytes = item->code_object, .size = item->code_object_size};
    return program->code_count++;
}

static kiln_status_t add_variant(kiln_program_t *program, size_t index)
{
    const kiln_bundle_item_t *item = &program->set.items[index];
    const char *origin = program->set.origins[index], *manifest = program->set.manifests[index];
    kiln_variant_t *v = &program->variants[program->variant_count];
    v->program = program;
    v->index = program->variant_count++; // from here on freed with the others
    v->manifest = item->manifest;
    KILN_TRY(kiln_description_read(manifest, item->manifest, item->manifest_size, &v->d));
    KILN_TRY_NOTE(check_code(program, item, &v->d), "while loading %s", origin);
    v->code = code_of(program, item);
    return make_parameters(v);
}

static kiln_status_t add_variants(kiln_program_t *program)
{
    const kiln_bundle_set_t *set = &program->set;
    program->variants = calloc(set->count + 1, sizeof *program->variants);
    program->codes = calloc(set->count + 1, sizeof *program->codes);
    if (!program->variants || !program->codes)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < set->count; i++)
        KILN_TRY(add_variant(program, i));
    return KILN_OK;
}

// Programs ----------------------------------------------------------------------------------------

static int compare_variants(const void *a, const void *b)
{
    const kiln_variant_t *x = *(kiln_variant_t *const *)a, *y = *(kiln_variant_t *const *)b;
    const int order = strcmp(x->d.name, y->d.name);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

// Sorts each variant before the less specialized ones of the same name.
static void put_special_first(kiln_variant_t **all, size_t count)
{
    size_t family = 0;
    for (size_t i = 1; i < count; i++) {
        kiln_variant_t *const variant = all[i];
        if (strcmp(variant->d.name, all[family]->d.name) != 0)
            family = i;
        size_t to = family;
        while (to < i && !kiln_variant_is_more_special(variant, all[to]))
            to++;
        memmove(&all[to + 1], &all[to], (i - to) * sizeof *all);
        all[to] = variant;
    }
}

static kiln_status_t sort(kiln_program_t *program)
{
    program->by_name = calloc(program->variant_count + 1, sizeof(kiln_variant_t *));
    if (!program->by_name)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < program->variant_count; i++)
        program->by_name[i] = &program->variants[i];
    qsort(program->by_name, program->variant_count, sizeof(kiln_variant_t *), compare_variants);
    put_special_first(program->by_name, program->variant_count);
    return KILN_OK;
}

static kiln_status_t create(kiln_device_t *device, const char *name, kiln_program_t **out_program)
{
    kiln_program_t *program = calloc(1, sizeof *program);
    if (!program)
        return kiln_status_out_of_memory();
    program->name = strdup(name);
    if (!program->name) {
        free(program);
        return kiln_status_out_of_memory();
    }
    pthread_mutex_init(&program->lock, NULL);
    program->device = kiln_device_retain(device);
    *out_program = program;
    return KILN_OK;
}

static kiln_status_t finish(kiln_program_t *program, kiln_status_t status,
                            kiln_program_t **out_program)
{
    if (!status)
        status = add_variants(program);
    if (!status)
        status = sort(program);
    if (status)
        kiln_program_release(program);
    else
        *out_program = program;
    return status;
}

kiln_status_t kiln_program_load(kiln_device_t *device, const char *const *paths, size_t path_count,
                                kiln_program_t **out_program)
{
    KILN_REQUIRE_OUT(out_program);
    KILN_REQUIRE(device);
    KILN_REQUIRE_ARRAY(paths, path_count);
    KILN_REQUIRE_THAT(path_count, "no paths");
    for (size_t i = 0; i < path_count; i++)
        KILN_REQUIRE_THAT(paths[i], "path %zu is NULL", i);
    kiln_program_t *program = NULL;
    KILN_TRY(create(device, paths[0], &program));
    kiln_status_t status = KILN_OK;
    for (size_t i = 0; i < path_count && !status; i++)
        status = kiln_bundle_set_add_file(&program->set, paths[i]);
    return finish(program, status, out_program);
}

kiln_status_t kiln_program_load_memory(kiln_device_t *device, const kiln_program_part_t *parts,
                                       size_t part_count, kiln_program_t **out_program)
{
    KILN_REQUIRE_OUT(out_program);
    KILN_REQUIRE(device);
    KILN_REQUIRE_ARRAY(parts, part_count);
    KILN_REQUIRE_THAT(part_count, "no parts");
    for (size_t i = 0; i < part_count; i++)
        KILN_REQUIRE_THAT(parts[i].data, "part %zu has no data", i);
    kiln_program_t *program = NULL;
    KILN_TRY(create(device, "memory", &program));
    kiln_status_t status = KILN_OK;
    for (size_t i = 0; i < part_count && !status; i++)
        status = kiln_bundle_set_add_memory(&program->set, program->name, parts[i].data,
                                            parts[i].size, parts[i].manifest);
    return finish(program, status, out_program);
}

void kiln_program_release(kiln_program_t *program)
{
    if (!program)
        return;
    for (size_t i = 0; i < program->code_count; i++)
        kiln_module_release(program->codes[i].module);
    for (size_t i = 0; i < program->variant_count; i++) {
        kiln_description_free(&program->variants[i].d);
        free(program->variants[i].parameters);
        free(program->variants[i].cells);
    }
    kiln_bundle_set_free(&program->set);
    free(program->codes);
    free(program->variants);
    free(program->by_name);
    free(program->name);
    pthread_mutex_destroy(&program->lock);
    kiln_device_release(program->device);
    free(program);
}

size_t kiln_program_variant_count(const kiln_program_t *program)
{
    return program ? program->variant_count : 0;
}

const kiln_variant_t *kiln_program_variant(const kiln_program_t *program, size_t index)
{
    return program && index < program->variant_count ? &program->variants[index] : NULL;
}

const char *kiln_variant_name(const kiln_variant_t *variant)
{
    return variant ? variant->d.name : NULL;
}

const char *kiln_variant_manifest(const kiln_variant_t *variant)
{
    return variant ? variant->manifest : NULL;
}
