// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects compiled kernels for calls (loaded.h).
//
// Which variant fits depends on the values of arguments, as in a program that loads the bundle. A
// JIT's request has only their types and properties, so the variant is selected by the call.
#include "loaded.h"

#include <stdlib.h>
#include <string.h>

#include "base/bundle_set.h"
#include "base/description.h"
#include "cli/findings/compiled.h"
#include "cli/input.h"
#include "cli/option_flags.h"
#include "kiln/load.h"

enum { COMPILED = KILN_INPUT_OBJECT | KILN_INPUT_BUNDLE | KILN_INPUT_MANIFEST };

typedef struct loaded {
    const kiln_launch_flags_t *flags;
    kiln_program_t *program;
    kiln_bundle_set_t set; // of the same file: the program's variants in order
    const kiln_jit_argument_t *arguments;
    size_t argument_count;
} loaded_t;

bool kiln_launch_is_loaded(const char *path)
{
    kiln_input_t input;
    kiln_status_t status = strcmp(path, "-") == 0
                               ? kiln_status_make(KILN_STATUS_USAGE, "stdin can be read once")
                               : kiln_input_read(path, COMPILED, &input);
    const bool is_loaded = !status;
    if (is_loaded)
        free(input.bytes);
    kiln_status_free(status);
    return is_loaded;
}

// The JIT's compiler ------------------------------------------------------------------------------

static kiln_status_t choose(const loaded_t *loaded, const kiln_jit_request_t *request,
                            const kiln_variant_t **out_variant)
{
    kiln_typed_argument_t *typed = calloc(loaded->argument_count + 1, sizeof *typed);
    if (!typed)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < loaded->argument_count; i++) {
        const kiln_jit_argument_t *argument = &loaded->arguments[i];
        // Scalars are converted, as in the JIT.
        const bool has_type = argument->kind == KILN_JIT_POINTER;
        typed[i] = (kiln_typed_argument_t){*argument,
                                           has_type ? kiln_jit_argument_hint(argument).type : NULL};
    }
    kiln_program_call_t call;
    kiln_program_call_initialize(&call);
    call.kernel = request->kernel;
    call.arguments = typed;
    call.argument_count = loaded->argument_count;
    call.constants = request->settings;
    call.constant_count = request->setting_count;
    kiln_status_t status = kiln_program_choose(loaded->program, &call, out_variant);
    free(typed);
    return status;
}

static void *copy_bytes(const void *bytes, size_t size)
{
    char *copy = malloc(size + 1);
    if (copy) {
        memcpy(copy, bytes, size);
        copy[size] = '\0';
    }
    return copy;
}

static void forward(const kiln_diagnostic_t *finding, void *user)
{
    const kiln_launch_flags_t *flags = user;
    bool shown;
    if (!flags->take_diagnostic || !flags->take_diagnostic(finding, flags->diagnostic_user))
        kiln_launch_diagnostic(finding, &shown);
}

static kiln_status_t report_findings(const loaded_t *loaded, const kiln_bundle_item_t *item)
{
    bool has;
    kiln_description_t d;
    kiln_status_t status =
        kiln_description_read("the manifest", item->manifest, item->manifest_size, &d);
    if (!status)
        status = kiln_compiled_findings_of_object(
            item->code_object, item->code_object_size, d.kernel, forward,
            (kiln_launch_flags_t *)(uintptr_t)loaded->flags, &has);
    kiln_description_free(&d);
    if (!status && loaded->flags->has_findings)
        *loaded->flags->has_findings = has;
    return status;
}

// A kiln_jit_compile_fn.
static kiln_status_t select_variant(const kiln_jit_request_t *request, void *user,
                                    void **out_code_object, size_t *out_code_object_size,
                                    char **out_manifest)
{
    const loaded_t *loaded = user;
    const kiln_variant_t *variant;
    size_t index = 0;
    KILN_TRY(choose(loaded, request, &variant));
    while (kiln_program_variant(loaded->program, index) != variant)
        index++;
    const kiln_bundle_item_t *item = &loaded->set.items[index];
    KILN_TRY(report_findings(loaded, item));
    *out_code_object = copy_bytes(item->code_object, item->code_object_size);
    *out_code_object_size = item->code_object_size;
    *out_manifest = copy_bytes(item->manifest, item->manifest_size);
    if (*out_code_object && *out_manifest)
        return KILN_OK;
    free(*out_code_object);
    free(*out_manifest);
    return kiln_status_out_of_memory();
}

// A kiln_jit_identify_fn; nothing is cached.
static kiln_status_t identify(void *user, char **out_identity)
{
    (void)user;
    *out_identity = strdup("compiled before");
    return *out_identity ? KILN_OK : kiln_status_out_of_memory();
}

// The call ----------------------------------------------------------------------------------------

static kiln_status_t refuse_idle(const kiln_launch_flags_t *flags)
{
    if (flags->then_count)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "--then needs sources; launch compiled kernels one by one");
    if (flags->stages)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--report needs a source: a compiled kernel has no stages to show; "
                                "see --stalls");
    return kiln_option_flags_refuse("the kernel is compiled already");
}

static void prepare_call(const kiln_launch_flags_t *flags, const char *path,
                         kiln_arguments_t *arguments, kiln_jit_call_t *call, loaded_t *loaded)
{
    static const char no_text[] = "";
    kiln_jit_call_initialize(call);
    call->source = (kiln_source_t){.stage = KILN_STAGE_HSACO, .name = path, .text = no_text};
    call->kernel = flags->kernel;
    call->settings = flags->settings;
    call->setting_count = flags->setting_count;
    call->arguments = kiln_arguments_values(arguments, &call->argument_count);
    loaded->arguments = call->arguments;
    loaded->argument_count = call->argument_count;
}

kiln_status_t kiln_launch_loaded(kiln_device_t *device, const kiln_launch_flags_t *flags,
                                 const char *path, char **words, size_t word_count,
                                 kiln_launch_fn make, void *user)
{
    loaded_t loaded = {.flags = flags};
    kiln_jit_t *jit = NULL;
    kiln_arguments_t *arguments = NULL;
    kiln_jit_call_t call;
    kiln_jit_options_t options;
    kiln_jit_options_initialize(&options);
    options.compile = select_variant;
    options.identify = identify;
    options.compile_user = &loaded;
    options.cache_mode = KILN_CACHE_OFF;
    KILN_TRY(refuse_idle(flags));
    kiln_status_t status = kiln_program_load(device, &path, 1, &loaded.program);
    if (!status)
        status = kiln_bundle_set_add_file(&loaded.set, path);
    if (!status)
        status = kiln_launch_arguments(flags, device, words, word_count, &arguments);
    if (!status)
        prepare_call(flags, path, arguments, &call, &loaded);
    if (!status)
        status = kiln_jit_create(device, &options, &jit);
    if (!status)
        status = kiln_launch_make(jit, device, flags, arguments, &call, 1, make, user);
    kiln_jit_release(jit);
    kiln_arguments_release(arguments);
    kiln_program_release(loaded.program);
    kiln_bundle_set_free(&loaded.set);
    return status;
}
