// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks configurations for requests that differ from the tuned ones.
#include "near.h"

#include <stdlib.h>
#include <string.h>

#include "base/settings.h"

// Adds the scalars of the tuner's key, "K=512,M=512 grid=…".
static kiln_status_t add_scalars(kiln_arguments_t *arguments, const char *key)
{
    while (*key && *key != ' ') {
        const size_t length = strcspn(key, ", ");
        char *word = strndup(key, length);
        kiln_status_t status =
            word ? kiln_arguments_add(arguments, word) : kiln_status_out_of_memory();
        free(word);
        KILN_TRY(status);
        key += length + (key[length] == ',');
    }
    return KILN_OK;
}

static kiln_status_t read(const kiln_jit_tune_request_t *request, kiln_near_t *near)
{
    kiln_source_t source = request->call->source;
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.kernel = request->call->kernel;
    if (source.text && !source.length)
        source.length = strlen(source.text);
    KILN_TRY(kiln_tune_space_create(&near->space));
    KILN_TRY(kiln_tune_space_declare(near->space, &source, &options, NULL, 0, NULL, NULL, NULL));
    KILN_TRY(kiln_arguments_create(NULL, &near->arguments));
    KILN_TRY(add_scalars(near->arguments, request->arguments));
    kiln_tune_space_bind(near->space, near->arguments, request->settings, request->setting_count);
    return KILN_OK;
}

kiln_status_t kiln_near_read(const kiln_jit_tune_request_t *request, kiln_near_t *out_near)
{
    *out_near = (kiln_near_t){
        .settings = request->settings, .setting_count = request->setting_count, .is_read = true};
    if (!request->call)
        return KILN_OK;
    kiln_status_t status = read(request, out_near);
    if (!status)
        return KILN_OK;
    kiln_near_free(out_near);
    if (kiln_status_is_out_of_memory(status))
        return status;
    kiln_status_free(status);
    out_near->is_read = out_near->refuses = true;
    return KILN_OK;
}

void kiln_near_free(kiln_near_t *near)
{
    kiln_tune_space_release(near->space);
    kiln_arguments_release(near->arguments);
    *near = (kiln_near_t){0};
}

kiln_status_t kiln_near_admits(const kiln_near_t *near, const char *config, bool *out_admits)
{
    *out_admits = !near->refuses;
    if (!near->space)
        return KILN_OK;
    kiln_setting_list_t settings = {0};
    kiln_status_t status = kiln_settings_put_text(&settings, config);
    if (!status)
        status = kiln_settings_put_all(&settings, near->settings, near->setting_count);
    const kiln_tune_candidate_t candidate = {settings.items, settings.count, config};
    if (!status)
        status = kiln_tune_space_admits(&candidate, out_admits, near->space);
    kiln_settings_free(&settings);
    if (!status || kiln_status_is_out_of_memory(status))
        return status;
    kiln_status_free(status);
    *out_admits = false;
    return KILN_OK;
}
