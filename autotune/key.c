// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key under which a problem's results are stored. It must equal the key that a JIT computes for
// the same call without the axes.
//
// Pitfall: the options here must include neither the JIT's settings nor the properties that the JIT
// derives from the arguments.
#include "key.h"

#include <stdlib.h>
#include <string.h>

#include "kiln/jit_compile.h"

static kiln_status_t put_all(kiln_setting_list_t *list, const kiln_setting_t *settings,
                             size_t count)
{
    for (size_t i = 0; i < count; i++)
        KILN_TRY(kiln_settings_put(list, settings[i].name, strlen(settings[i].name),
                                   settings[i].value, strlen(settings[i].value)));
    return KILN_OK;
}

static kiln_status_t make_texts(const kiln_tune_problem_t *problem, kiln_tune_own_key_t *out)
{
    const kiln_compile_options_t *options = problem->options;
    kiln_compile_options_t base = *options;
    base.kernel = NULL;
    base.args = NULL;
    base.defines = NULL;
    base.arg_count = base.define_count = 0;
    kiln_jit_compiler_t compiler = {.struct_size = sizeof compiler, .base = &base};
    kiln_jit_request_t request = {.struct_size = sizeof request,
                                  .source = problem->source,
                                  .kernel = options->kernel,
                                  .arch = kiln_device_properties(problem->device)->arch,
                                  .settings = out->settings.items,
                                  .setting_count = out->settings.count,
                                  .arguments = options->args,
                                  .argument_count = options->arg_count};
    char *identity = NULL, *dependencies = NULL;
    kiln_status_t status = kiln_jit_identify(&compiler, &identity);
    if (!status)
        status = kiln_jit_depend(&request, &compiler, &dependencies);
    request.dependencies = dependencies;
    if (!status)
        status = kiln_jit_problem(&request, identity, out->problem);
    if (!status && !(out->fixed = kiln_settings_text(out->settings.items, out->settings.count)))
        status = kiln_status_out_of_memory();
    free(identity);
    free(dependencies);
    return status;
}

kiln_status_t kiln_tune_key_make(const kiln_tune_problem_t *problem, kiln_tune_own_key_t *out)
{
    *out = (kiln_tune_own_key_t){0};
    kiln_status_t status =
        put_all(&out->settings, problem->options->defines, problem->options->define_count);
    if (!status)
        status = put_all(&out->settings, problem->fixed, problem->fixed_count);
    if (!status)
        status = make_texts(problem, out);
    if (status)
        kiln_tune_key_free(out);
    return status;
}

void kiln_tune_key_free(kiln_tune_own_key_t *key)
{
    kiln_settings_free(&key->settings);
    free(key->fixed);
    *key = (kiln_tune_own_key_t){0};
}
