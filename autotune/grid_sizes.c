// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of buffers that grids use, elements(x), and that the runner's arguments do not have: those
// that depend on the candidate, which may only be planned, and those of a call that is not made.
// They are names like the settings.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/string.h"
#include "runner.h"

void kiln_runner_sizes_clear(kiln_tune_runner_t *runner)
{
    for (size_t i = 0; i < runner->size_count; i++)
        free(runner->sizes[i].name);
    runner->size_count = 0;
}

kiln_status_t kiln_runner_size_of(kiln_tune_runner_t *runner, const char *buffer, size_t count)
{
    if (!KILN_ARRAY_RESERVE(&runner->sizes, &runner->size_capacity, runner->size_count + 1))
        return kiln_status_out_of_memory();
    struct kiln_runner_size *size = &runner->sizes[runner->size_count];
    if (!(size->name = kiln_string_print("elements(%s)", buffer)))
        return kiln_status_out_of_memory();
    snprintf(size->value, sizeof size->value, "%zu", count);
    runner->size_count++;
    return KILN_OK;
}

// The type of the elements that a kernel's pointer points to.
static bool find_element(const kiln_kernel_t *kernel, const char *name, kiln_element_type_t *out)
{
    for (size_t i = 0; i < kiln_kernel_argument_count(kernel); i++) {
        const kiln_argument_t *argument = kiln_kernel_argument(kernel, i);
        if (strcmp(argument->name, name) == 0 && argument->type[0] == '*')
            return kiln_element_type_parse(argument->type + 1, out);
    }
    return false;
}

static kiln_status_t add_bound(kiln_tune_runner_t *runner, const kiln_kernel_t *kernel)
{
    if (runner->bound) // which has one kernel, and no arguments of candidates
        kiln_runner_sizes_clear(runner);
    for (size_t i = 0; i < runner->bound_count; i++) {
        const kiln_jit_argument_t *argument = &runner->bound[i];
        kiln_element_type_t element;
        const bool is_known = argument->address_size || (argument->integer & KILN_JIT_STORAGE);
        if (argument->kind == KILN_JIT_POINTER && is_known &&
            find_element(kernel, argument->name, &element))
            KILN_TRY(kiln_runner_size_of(runner, argument->name,
                                         argument->address_size / kiln_element_size(element)));
    }
    return KILN_OK;
}

kiln_status_t kiln_runner_size_add(kiln_tune_runner_t *runner,
                                   const struct kiln_runner_varying *varying)
{
    size_t count;
    if (!varying->is_pointer || strstr(varying->text, "=&"))
        return KILN_OK;
    KILN_TRY(kiln_arguments_elements(runner->own, varying->text, &count));
    return kiln_runner_size_of(runner, varying->name, count);
}

kiln_status_t kiln_runner_sizes_define(kiln_tune_runner_t *runner, const char *grid,
                                       const kiln_kernel_t *kernel, size_t *io_count)
{
    if (!strstr(grid, "elements") || (!runner->varying_count && !runner->bound))
        return KILN_OK;
    KILN_TRY(add_bound(runner, kernel));
    for (size_t i = 0; i < runner->size_count; i++)
        KILN_TRY(
            kiln_runner_add_name(runner, runner->sizes[i].name, runner->sizes[i].value, io_count));
    kiln_arguments_define(runner->arguments, runner->settings, *io_count);
    return KILN_OK;
}
