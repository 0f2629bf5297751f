// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the facts for loaders. Note that commas separate a grid's expressions and also occur
// within cdiv(a, b).
#include "artifact/loader_facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <mlir-c/BuiltinAttributes.h>

#include "analysis/memory/argument_access.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/string.h"
#include "builder/ir.h"

static MlirOperation find_kernel(const kiln_compilation_t *c)
{
    MlirStringRef name = mlirStringRefCreateFromCString(c->kernel->name);
    MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(c->module));
    while (!mlirOperationIsNull(op) &&
           (kiln_op_kind(op) != KILN_OP_TT_FUNC ||
            !mlirStringRefEqual(mlirStringAttrGetValue(kiln_ir_attr(op, "sym_name")), name)))
        op = mlirOperationGetNextInBlock(op);
    return op;
}

static MlirWalkResult find_program_id(MlirOperation op, void *user)
{
    bool *found = user;
    *found |= kiln_op_kind(op) == KILN_OP_TT_GET_PROGRAM_ID;
    return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

void kiln_note_program_ids(kiln_compilation_t *c)
{
    mlirOperationWalk(mlirModuleGetOperation(c->module), find_program_id,
                      &c->kernel->reads_program_id, MlirWalkPreOrder);
}

kiln_status_t kiln_note_access(kiln_compilation_t *c)
{
    MlirOperation kernel = find_kernel(c);
    size_t count = c->kernel->argument_count;
    bool *is_const = calloc(count + 1, sizeof *is_const);
    if (!is_const)
        return kiln_status_out_of_memory();
    if (!mlirOperationIsNull(kernel) &&
        (size_t)mlirBlockGetNumArguments(kiln_op_body(kernel, 0)) == count) {
        kiln_constant_arguments(c->module, kernel, is_const);
        for (size_t i = 0; i < count; i++)
            c->kernel->arguments[i].is_const = is_const[i];
    }
    free(is_const);
    return KILN_OK;
}

static kiln_status_t note_hidden(kiln_kernel_t *kernel, const kiln_code_kernel_t *found)
{
    kernel->hidden = calloc(found->argument_count + 1, sizeof *kernel->hidden);
    if (!kernel->hidden)
        return kiln_status_out_of_memory();
    for (size_t i = kernel->argument_count; i < found->argument_count; i++) {
        kiln_hidden_argument_t *hidden = &kernel->hidden[kernel->hidden_count++];
        *hidden = (kiln_hidden_argument_t){strdup(found->arguments[i].kind),
                                           found->arguments[i].offset, found->arguments[i].size};
        if (!hidden->kind)
            return kiln_status_out_of_memory();
    }
    return KILN_OK;
}

static bool is_integer_argument(const kiln_argument_t *argument)
{
    kiln_element_type_t type;
    return kiln_element_type_parse(argument->type, &type) && !kiln_element_is_float(type);
}

static const kiln_argument_t *find_argument(const kiln_kernel_t *kernel, const char *name,
                                            size_t length)
{
    for (size_t i = 0; i < kernel->argument_count; i++)
        if (strncmp(kernel->arguments[i].name, name, length) == 0 &&
            !kernel->arguments[i].name[length])
            return &kernel->arguments[i];
    return NULL;
}

// Names allowed in a grid: integer arguments, bool constants, and integer constants that fit in 64
// signed bits, as loaders compute grids in these (base/description.c), and elements(x) of pointers
// to elements of known size.
static bool is_grid_name(const kiln_kernel_t *kernel, const char *name, size_t length)
{
    const char *buffer;
    size_t buffer_length;
    if (kiln_expression_buffer(name, length, &buffer, &buffer_length)) {
        const kiln_argument_t *pointer = find_argument(kernel, buffer, buffer_length);
        kiln_element_type_t pointee;
        return pointer && pointer->type[0] == '*' &&
               kiln_element_type_parse(pointer->type + 1, &pointee);
    }
    const kiln_argument_t *argument = find_argument(kernel, name, length);
    if (argument)
        return is_integer_argument(argument);
    for (size_t i = 0; i < kernel->constants.count; i++) {
        const kiln_named_constant_t *constant = &kernel->constants.items[i];
        kiln_element_type_t type;
        int64_t value;
        if (strncmp(constant->name, name, length) == 0 && !constant->name[length])
            return strcmp(constant->type, "bool") == 0 ||
                   (kiln_element_type_parse(constant->type, &type) &&
                    !kiln_element_is_float(type) &&
                    kiln_integer_parse_all(constant->value, 10, &value));
    }
    return false;
}

static kiln_status_t parse_axis(kiln_kernel_t *kernel, const char *text, kiln_expression_t *out)
{
    KILN_TRY(kiln_expression_parse(text, out));
    for (size_t i = 0; i < out->count; i++) {
        const kiln_expression_step_t *step = &out->steps[i];
        if (step->op == KILN_EXPRESSION_NAME &&
            !is_grid_name(kernel, out->text + step->begin, step->length))
            return kiln_expression_refuse(
                out, step, "the kernel has no integer argument or constant with this name");
    }
    return KILN_OK;
}

static size_t axis_length(const char *text)
{
    size_t length = 0;
    for (int depth = 0; text[length] && (text[length] != ',' || depth > 0); length++)
        depth += (text[length] == '(') - (text[length] == ')');
    return length;
}

static kiln_status_t note_grid(kiln_kernel_t *kernel, const char *text)
{
    for (int axis = 0; axis < 3; axis++) {
        text += text ? strspn(text, " ") : 0;
        size_t length = text ? axis_length(text) : 0;
        char *one = text ? strndup(text, length) : strdup("1");
        kiln_status_t status =
            one ? parse_axis(kernel, one, &kernel->grid[axis]) : kiln_status_out_of_memory();
        free(one);
        KILN_TRY_NOTE(status, "in the grid of kernel '%s'", kernel->name);
        text = text && text[length] ? text + length + 1 : NULL;
    }
    return text ? kiln_status_make(
                      KILN_STATUS_USAGE,
                      "expected at most three expressions in a grid, got ',%s' after them", text)
                : KILN_OK;
}

static kiln_status_t check_ranges(const kiln_kernel_t *kernel,
                                  const kiln_compile_options_t *options)
{
    for (size_t i = 0; i < options->range_count; i++) {
        const kiln_arg_range_t *range = &options->ranges[i];
        const kiln_argument_t *argument = find_argument(kernel, range->name, strlen(range->name));
        if (!argument || !is_integer_argument(argument))
            return kiln_status_make(
                KILN_STATUS_USAGE,
                "range of '%s': kernel '%s' has no integer argument with this name", range->name,
                kernel->name);
        if (range->min > range->max)
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "range of '%s' is empty: %" PRId64 " > %" PRId64, range->name,
                                    range->min, range->max);
        for (size_t j = 0; j < i; j++)
            if (strcmp(options->ranges[j].name, range->name) == 0)
                return kiln_status_make(KILN_STATUS_USAGE, "duplicate range of '%s'", range->name);
    }
    return KILN_OK;
}

kiln_status_t kiln_note_loader_facts(kiln_compilation_t *c, const kiln_code_kernel_t *found)
{
    static const char *const stages[] = {
        [KILN_STAGE_TILE] = "tile", [KILN_STAGE_TT] = "tt", [KILN_STAGE_TTG] = "ttg"};
    kiln_kernel_t *kernel = c->kernel;
    if (kernel->source_hash)
        return KILN_OK; // code was generated twice
    kernel->kernarg_size = found->kernarg_bytes;
    kernel->kernarg_align = found->kernarg_align;
    KILN_TRY(note_hidden(kernel, found));
    const char *grid = c->options.grid ? c->options.grid : kernel->constants.grid;
    if (grid)
        KILN_TRY(note_grid(kernel, grid));
    KILN_TRY(check_ranges(kernel, &c->options));
    kernel->source_stage = stages[c->source->stage];
    kernel->source_hash = malloc(33);
    if (!kernel->source_hash)
        return kiln_status_out_of_memory();
    if (c->diagnostics->expanded && c->diagnostics->expanded->file_count > 1)
        return kiln_expanded_hash(c->diagnostics->expanded, kernel->source_hash);
    kiln_hash_format(kiln_hash_bytes(c->source->text, c->source->length), kernel->source_hash);
    return KILN_OK;
}
