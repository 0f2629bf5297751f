// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The manifest: symbol, arguments, block, resources, options, versions. docs/compile.md describes its members.
//
// What is easily got wrong: jansson's setters accept NULL values and fail; every failure ends in a NULL result, for a
// manifest lacking a member misleads.
#include "manifest.h"

#include <jansson.h>

#include "base/json.h"

static json_t *argument_json(const kiln_argument_t *argument)
{
    json_t *json = json_pack("{s:s, s:s, s:I, s:I}", "name", argument->name, "type", argument->type, "offset",
                             (json_int_t)argument->offset, "size", (json_int_t)argument->size);
    if (json && argument->divisibility)
        json_object_set_new(json, "divisibility", json_integer((json_int_t)argument->divisibility));
    return json;
}

static json_t *arguments_json(const kiln_kernel_t *kernel)
{
    json_t *array = json_array();
    for (size_t i = 0; i < kernel->argument_count; i++)
        if (json_array_append_new(array, argument_json(&kernel->arguments[i]))) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *resources_json(const kiln_resources_t *r)
{
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "vgprs", (int)r->vgprs, "agprs", (int)r->agprs,
                     "sgprs", (int)r->sgprs, "vgpr_spills", (int)r->vgpr_spills, "sgpr_spills", (int)r->sgpr_spills,
                     "lds_bytes", (int)r->lds_bytes, "scratch_bytes_per_lane", (int)r->scratch_bytes_per_lane,
                     "occupancy", (int)r->occupancy);
}

static json_t *options_json(const kiln_compile_options_t *options)
{
    json_t *json = json_pack("{s:s, s:i, s:i, s:i, s:i, s:i}", "arch", options->arch, "num_warps", options->num_warps,
                             "num_stages", options->num_stages, "waves_per_eu", options->waves_per_eu,
                             "matrix_instr_nonkdim", options->matrix_instr_nonkdim, "kpack", options->kpack);
    json_t *defines = json_object(), *disabled = json_array();
    for (size_t i = 0; i < options->define_count; i++)
        json_object_set_new(defines, options->defines[i].name, json_string(options->defines[i].value));
    for (size_t i = 0; i < options->disabled_pass_count; i++)
        json_array_append_new(disabled, json_string(options->disabled_passes[i]));
    json_object_set_new(json, "defines", defines);
    json_object_set_new(json, "disabled_passes", disabled);
    return json;
}

char *kiln_manifest_make(const kiln_kernel_t *kernel, const kiln_compile_options_t *options)
{
    json_t *json = json_pack("{s:s, s:i, s:o, s:o, s:o, s:{s:s, s:s}}", "kernel", kernel->name, "block_size",
                             (int)kernel->block_size, "arguments", arguments_json(kernel), "resources",
                             resources_json(&kernel->resources), "options", options_json(options), "versions", "kiln",
                             kiln_version(), "llvm", kiln_llvm_version());
    char *text = json ? kiln_json_print(json) : NULL;
    json_decref(json);
    return text;
}
