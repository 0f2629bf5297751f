// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds tuned settings for a recorded problem, for hosts that launch kernels themselves.
//
// The key is made from the record's line, as `kiln tune --from` makes it, so that both agree
// whatever a host knows of its arguments: compiler/cli/tune/from.c creates arguments that have the
// same properties.
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/require.h"
#include "base/settings.h"
#include "kiln/jit_compile.h"
#include "kiln/tune.h"

typedef struct recorded {
    json_t *json;
    kiln_jit_request_t request;
    const char *arguments; // the tuner's key
    kiln_setting_list_t settings;
    kiln_arg_hint_t *hints;
    char *identity, *dependencies;
} recorded_t;

static void free_recorded(recorded_t *recorded)
{
    kiln_settings_free(&recorded->settings);
    free(recorded->hints);
    free(recorded->identity);
    free(recorded->dependencies);
    json_decref(recorded->json);
}

static kiln_status_t take_source(recorded_t *recorded)
{
    const json_t *json = recorded->json, *kernel = json_object_get(json, "kernel");
    kiln_source_t *source = &recorded->request.source;
    int64_t version, stage;
    KILN_TRY(kiln_json_integer(json, "version", &version));
    if (version != 1)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "unknown version %lld of a recorded problem", (long long)version);
    KILN_TRY(kiln_json_integer(json, "stage", &stage));
    if (stage < KILN_STAGE_TILE || stage > KILN_STAGE_TTG)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "unknown stage %lld", (long long)stage);
    source->stage = (kiln_stage_t)stage;
    KILN_TRY(kiln_json_string(json, "file", &source->name));
    KILN_TRY(kiln_json_string(json, "source", &source->text));
    source->length = strlen(source->text);
    if (!json_is_string(kernel) && !json_is_null(kernel))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'kernel' is neither a name nor null");
    recorded->request.kernel = json_string_value(kernel);
    return kiln_json_string(json, "tuning_arguments", &recorded->arguments);
}

static kiln_status_t take_settings(recorded_t *recorded)
{
    json_t *settings = json_object_get(recorded->json, "settings"), *value;
    const char *name;
    if (!json_is_object(settings))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'settings' is not an object");
    json_object_foreach(settings, name, value)
    {
        const char *text = json_string_value(value);
        if (!text)
            return kiln_status_make(KILN_STATUS_INVALID_INPUT, "setting '%s' is not a string",
                                    name);
        KILN_TRY(kiln_settings_put(&recorded->settings, name, strlen(name), text, strlen(text)));
    }
    recorded->request.settings = recorded->settings.items;
    recorded->request.setting_count = recorded->settings.count;
    return KILN_OK;
}

// The hint about an argument of the recorded kind, with the recorded properties.
static kiln_status_t take_argument(const json_t *json, kiln_arg_hint_t *out_hint)
{
    const json_t *integer = json_object_get(json, "integer"), *real = json_object_get(json, "real");
    const char *name, *type = json_string_value(json_object_get(json, "type"));
    kiln_element_type_t element;
    int64_t divisibility;
    KILN_TRY(kiln_json_string(json, "name", &name));
    KILN_TRY(kiln_json_integer(json, "divisibility", &divisibility));
    if (divisibility != 0 && divisibility != 16)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "the record of argument '%s' has a divisibility of %lld, expected "
                                "0 or 16",
                                name, (long long)divisibility);
    kiln_jit_argument_t argument = {.name = name, .kind = KILN_JIT_POINTER};
    if (json_is_integer(integer))
        argument = kiln_jit_integer(name, json_integer_value(integer));
    else if (json_is_number(real))
        argument = kiln_jit_real(name, json_number_value(real));
    else if (!json_is_integer(json_object_get(json, "bytes")))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "the record of argument '%s' has no value and no size", name);
    else if (type && *type == '*' && kiln_element_type_parse(type + 1, &element))
        argument.integer = 1 + (int64_t)element;
    *out_hint = kiln_jit_argument_hint(&argument);
    out_hint->divisibility = (unsigned)divisibility;
    out_hint->pointer_range_32 = json_is_true(json_object_get(json, "below_2g"));
    return KILN_OK;
}

static kiln_status_t take_arguments(recorded_t *recorded)
{
    json_t *arguments;
    const json_t *argument;
    size_t i;
    KILN_TRY(kiln_json_array(recorded->json, "arguments", &arguments));
    if (!(recorded->hints = calloc(json_array_size(arguments) + 1, sizeof *recorded->hints)))
        return kiln_status_out_of_memory();
    json_array_foreach(arguments, i, argument)
        KILN_TRY(take_argument(argument, &recorded->hints[i]));
    recorded->request.arguments = recorded->hints;
    recorded->request.argument_count = json_array_size(arguments);
    return KILN_OK;
}

static kiln_status_t identify(recorded_t *recorded, const kiln_compile_options_t *base,
                              char out_problem[33])
{
    kiln_jit_compiler_t compiler = {.struct_size = sizeof compiler, .base = base};
    KILN_TRY(kiln_jit_identify(&compiler, &recorded->identity));
    KILN_TRY(kiln_jit_depend(&recorded->request, &compiler, &recorded->dependencies));
    recorded->request.dependencies = recorded->dependencies;
    return kiln_jit_problem(&recorded->request, recorded->identity, out_problem);
}

static kiln_status_t find(recorded_t *recorded, kiln_device_t *device,
                          const kiln_compile_options_t *base, kiln_tune_store_t *store,
                          kiln_tune_use_t use, kiln_tune_match_t *out_match)
{
    char problem[33];
    recorded->request.struct_size = sizeof recorded->request;
    recorded->request.arch = kiln_device_properties(device)->arch;
    KILN_TRY(take_source(recorded));
    KILN_TRY(take_settings(recorded));
    KILN_TRY(take_arguments(recorded));
    KILN_TRY(identify(recorded, base, problem));
    const kiln_jit_tune_request_t request = {.struct_size = sizeof request,
                                             .kernel = recorded->request.kernel,
                                             .problem = problem,
                                             .device = kiln_device_key(device),
                                             .arguments = recorded->arguments,
                                             .settings = recorded->settings.items,
                                             .setting_count = recorded->settings.count};
    return kiln_tune_find(&request, store, use, out_match);
}

kiln_status_t kiln_tune_find_recorded(const char *line, size_t length, kiln_device_t *device,
                                      const kiln_compile_options_t *base, kiln_tune_store_t *store,
                                      kiln_tune_use_t use, kiln_tune_match_t *out_match)
{
    KILN_REQUIRE_OUT_STRUCT(kiln_tune_match_t, out_match);
    const kiln_tune_match_t none = {0};
    recorded_t recorded = {0};
    kiln_struct_copy_out(out_match, &none, sizeof none);
    KILN_REQUIRE(line);
    KILN_REQUIRE(device);
    KILN_REQUIRE(store);
    KILN_TRY(kiln_json_parse("recorded problem", line, length, &recorded.json));
    kiln_status_t status = find(&recorded, device, base, store, use, out_match);
    free_recorded(&recorded);
    return status;
}
