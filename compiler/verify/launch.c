// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches code objects and compares buffers.
#include "verify/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "kiln/compare.h"

void kiln_verify_code_release(kiln_verify_code_t *code)
{
    free(code->bytes);
    free(code->symbol);
    *code = (kiln_verify_code_t){0};
}

kiln_status_t kiln_verify_launch(kiln_device_t *device, kiln_module_t *module, const char *symbol,
                                 const unsigned grid[3], unsigned block, void *const *args)
{
    kiln_function_t *function;
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    memcpy(launch.grid, grid, sizeof launch.grid);
    launch.block[0] = block;
    launch.args = args;
    KILN_TRY(kiln_module_function(module, symbol, &function));
    KILN_TRY(kiln_function_launch(function, &launch));
    return kiln_stream_synchronize(device, NULL);
}

kiln_status_t kiln_verify_launch_code(kiln_device_t *device, const kiln_verify_code_t *code,
                                      const unsigned grid[3], void *const *args)
{
    kiln_module_t *module;
    KILN_TRY(kiln_module_load(device, code->bytes, code->size, &module));
    kiln_status_t status =
        kiln_verify_launch(device, module, code->symbol, grid, code->block, args);
    kiln_module_release(module);
    return status;
}

// Prints an element such as "0x3c00" from its bytes in memory.
static void print_element(char *out, size_t size, const uint8_t *at, size_t bytes)
{
    size_t used = (size_t)snprintf(out, size, "0x");
    for (size_t i = bytes; i-- > 0 && used < size;)
        used += (size_t)snprintf(out + used, size - used, "%02x", at[i]);
}

void kiln_verify_compare(const char *name, kiln_element_type_t type, const void *gpu,
                         const void *simulator, size_t bytes, kiln_verify_result_t *result)
{
    const size_t width = kiln_element_size(type), count = bytes / width;
    const uint8_t *a = gpu, *b = simulator;
    size_t first = count, different = 0;
    for (size_t i = 0; i < count; i++) {
        if (memcmp(a + i * width, b + i * width, width) == 0)
            continue;
        first = first < count ? first : i;
        different++;
    }
    result->compared += count;
    result->different += different;
    if (different == 0 || result->verdict == KILN_VERIFY_DIFFERS) {
        result->verdict = result->verdict ? result->verdict : KILN_VERIFY_IDENTICAL;
        return;
    }
    double error;
    char left[40], right[40];
    print_element(left, sizeof left, a + first * width, width);
    print_element(right, sizeof right, b + first * width, width);
    kiln_status_t status = kiln_compare(type, gpu, simulator, count, &error);
    result->verdict = status ? KILN_VERIFY_DIFFERS : KILN_VERIFY_CLOSE;
    kiln_format(
        result->text, sizeof result->text,
        "buffer '%s': %zu of %zu elements differ, first %zu: GPU %s, simulator %s; %s%s%.2g", name,
        different, count, first, left, right, status ? kiln_status_message(status) : "",
        status ? "; error " : "within the tolerance, error ", error);
    kiln_status_free(status);
}
