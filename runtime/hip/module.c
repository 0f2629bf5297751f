// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code objects, loaded by Kiln or by others, and their kernels.
#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "hip/module.h"

static kiln_status_t load(kiln_device_t *device, const void *code_object, void **out_handle)
{
    KILN_HIP_TRY(device, hipModuleLoadData, (out_handle, code_object));
    return KILN_OK;
}

static kiln_status_t own(kiln_device_t *device, const void *code_object, size_t size,
                         kiln_module_t **out_module)
{
    kiln_module_t *module = calloc(1, sizeof *module);
    if (!module)
        return kiln_status_out_of_memory();
    pthread_mutex_init(&module->lock, NULL);
    module->metadata = code_object ? kiln_code_metadata(code_object, size) : NULL;
    module->device = kiln_device_retain(device);
    *out_module = module;
    return KILN_OK;
}

// hipModuleLoadData takes no length, so at least the header, which contains it, must be complete.
static kiln_status_t check_code_object(const void *code_object, size_t size)
{
    if (size < 64 || memcmp(code_object,
                            "\x7f"
                            "ELF\2\1",
                            6) != 0)
        return kiln_status_make(
            KILN_STATUS_INVALID_INPUT,
            "not a code object: %zu bytes that do not begin as a 64-bit ELF file", size);
    return KILN_OK;
}

kiln_status_t kiln_module_load(kiln_device_t *device, const void *code_object, size_t size,
                               kiln_module_t **out_module)
{
    KILN_REQUIRE_OUT(out_module);
    KILN_REQUIRE(device);
    KILN_REQUIRE(code_object);
    KILN_TRY(check_code_object(code_object, size));
    kiln_module_t *module = NULL;
    KILN_TRY(own(device, code_object, size, &module));
    module->is_foreign = true; // until it is loaded
    kiln_status_t status = load(device, code_object, &module->handle);
    if (status) {
        kiln_module_release(module);
        return status;
    }
    module->is_foreign = false;
    *out_module = module;
    return KILN_OK;
}

kiln_status_t kiln_module_wrap(kiln_device_t *device, void *hip_module, const void *code_object,
                               size_t size, kiln_module_t **out_module)
{
    KILN_REQUIRE_OUT(out_module);
    KILN_REQUIRE(device);
    KILN_REQUIRE(hip_module);
    if (code_object)
        KILN_TRY(check_code_object(code_object, size));
    KILN_TRY(own(device, code_object, size, out_module));
    (*out_module)->handle = hip_module;
    (*out_module)->is_foreign = true;
    return KILN_OK;
}

void *kiln_module_native(const kiln_module_t *module)
{
    return module ? module->handle : NULL;
}

void kiln_module_release(kiln_module_t *module)
{
    if (!module)
        return;
    while (module->functions) {
        kiln_function_t *next = module->functions->next;
        free(module->functions->name);
        free(module->functions);
        module->functions = next;
    }
    json_decref(module->metadata);
    pthread_mutex_destroy(&module->lock);
    if (!module->is_foreign)
        KILN_HIP_IGNORE(module->device, hipModuleUnload, (module->handle));
    kiln_device_release(module->device);
    free(module);
}

static kiln_status_t find_function(kiln_module_t *module, const char *name, void **out_handle)
{
    KILN_HIP_TRY(module->device, hipModuleGetFunction, (out_handle, module->handle, name));
    return KILN_OK;
}

static kiln_status_t function_locked(kiln_module_t *module, const char *name,
                                     kiln_function_t **out_function)
{
    for (kiln_function_t *known = module->functions; known; known = known->next)
        if (strcmp(known->name, name) == 0) {
            *out_function = known;
            return KILN_OK;
        }
    void *handle = NULL;
    KILN_TRY_NOTE(find_function(module, name, &handle), "while looking for the kernel '%s'", name);
    kiln_function_t *function = calloc(1, sizeof *function);
    if (function)
        function->name = strdup(name);
    if (!function || !function->name) {
        free(function);
        return kiln_status_out_of_memory();
    }
    function->module = module;
    function->handle = handle;
    function->block = kiln_kernel_block(module->metadata, name);
    function->next = module->functions;
    module->functions = function;
    *out_function = function;
    return KILN_OK;
}

kiln_status_t kiln_module_function(kiln_module_t *module, const char *name,
                                   kiln_function_t **out_function)
{
    KILN_REQUIRE_OUT(out_function);
    KILN_REQUIRE(module);
    KILN_REQUIRE(name);
    pthread_mutex_lock(&module->lock);
    kiln_status_t status = function_locked(module, name, out_function);
    pthread_mutex_unlock(&module->lock);
    return status;
}

const char *kiln_function_name(const kiln_function_t *function)
{
    return function ? function->name : NULL;
}

void *kiln_function_native(const kiln_function_t *function)
{
    return function ? function->handle : NULL;
}
