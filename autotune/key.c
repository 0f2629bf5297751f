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

#include "base/hash.h"
#include "kiln/jit_compile.h"

// The problem of one kernel.
static kiln_status_t identify(const kiln_tune_problem_t *problem, const kiln_steps_t *steps,
                              size_t index, const kiln_tune_own_key_t *own, char out_problem[33])
{
    const kiln_step_t *step = &steps->items[index];
    kiln_compile_options_t base = step->options;
    base.kernel = NULL;
    base.args = NULL;
    base.defines = NULL;
    base.arg_count = base.define_count = 0;
    kiln_jit_compiler_t compiler = {.struct_size = sizeof compiler, .base = &base};
    kiln_setting_t *settings = NULL;
    size_t setting_count;
    char *identity = NULL, *dependencies = NULL;
    kiln_status_t status = kiln_steps_select(steps, index, own->settings.items, own->settings.count,
                                             &settings, &setting_count);
    kiln_jit_request_t request = {.struct_size = sizeof request,
                                  .source = step->source,
                                  .kernel = step->options.kernel,
                                  .arch = kiln_device_properties(problem->device)->arch,
                                  .settings = settings,
                                  .setting_count = setting_count,
                                  .arguments = step->options.args,
                                  .argument_count = step->options.arg_count};
    if (!status)
        status = kiln_jit_identify(&compiler, &identity);
    if (!status)
        status = kiln_jit_depend(&request, &compiler, &dependencies);
    request.dependencies = dependencies;
    if (!status)
        status = kiln_jit_problem(&request, identity, out_problem);
    free(settings);
    free(identity);
    free(dependencies);
    return status;
}

// That of a sequence is the hash of its kernels' problems in order.
static kiln_status_t identify_all(const kiln_tune_problem_t *problem, const kiln_steps_t *steps,
                                  kiln_tune_own_key_t *out)
{
    if (!kiln_steps_is_sequence(steps))
        return identify(problem, steps, 0, out, out->problem);
    kiln_hasher_t *hasher = kiln_hasher_create();
    kiln_status_t status = hasher ? KILN_OK : kiln_status_out_of_memory();
    for (size_t i = 0; i < steps->count && !status; i++) {
        char own[33];
        status = identify(problem, steps, i, out, own);
        if (!status)
            kiln_hasher_string(hasher, own);
    }
    if (!status)
        kiln_hash_format(kiln_hasher_finish(hasher), out->problem);
    kiln_hasher_release(hasher);
    return status;
}

static kiln_status_t name_kernel(const kiln_tune_problem_t *problem, const kiln_steps_t *steps,
                                 kiln_tune_own_key_t *out)
{
    if (kiln_steps_is_sequence(steps))
        return kiln_steps_name(steps, &out->kernel);
    out->kernel = strdup(problem->options->kernel ? problem->options->kernel : "");
    return out->kernel ? KILN_OK : kiln_status_out_of_memory();
}

kiln_status_t kiln_tune_key_make(const kiln_tune_problem_t *problem, const kiln_steps_t *steps,
                                 kiln_tune_own_key_t *out)
{
    *out = (kiln_tune_own_key_t){0};
    kiln_status_t status = kiln_settings_put_all(&out->settings, problem->options->defines,
                                                 problem->options->define_count);
    if (!status)
        status = kiln_settings_put_all(&out->settings, problem->fixed, problem->fixed_count);
    if (!status)
        status = identify_all(problem, steps, out);
    if (!status)
        status = name_kernel(problem, steps, out);
    if (!status && !(out->fixed = kiln_settings_text(out->settings.items, out->settings.count)))
        status = kiln_status_out_of_memory();
    if (status)
        kiln_tune_key_free(out);
    return status;
}

void kiln_tune_key_free(kiln_tune_own_key_t *key)
{
    kiln_settings_free(&key->settings);
    free(key->fixed);
    free(key->kernel);
    *key = (kiln_tune_own_key_t){0};
}
