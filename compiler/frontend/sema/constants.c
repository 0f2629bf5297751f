// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants as text. Note that an unsigned 64-bit value is stored in an int64_t.
#include "frontend/core/constants.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/string.h"
#include "frontend/parse/tree.h"

static char *value_text(const kiln_constant_t *constant)
{
    kiln_tile_type_t type = kiln_tile_scalar(constant->scalar);
    if (kiln_tile_is_bool(&type))
        return strdup(constant->integer ? "true" : "false");
    if (kiln_tile_is_unsigned(&type))
        return kiln_string_print("%" PRIu64, (uint64_t)constant->integer);
    if (kiln_tile_is_integer(&type))
        return kiln_string_print("%" PRId64, constant->integer);
    return kiln_string_print("%.17g", constant->floating);
}

static kiln_status_t note_integers(const kiln_program_t *program, kiln_named_constants_t *out)
{
    out->integers = calloc(program->parameter_count + 1, sizeof *out->integers);
    if (!out->integers)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < program->parameter_count; i++) {
        const kiln_variable_t *variable = program->parameters[i].variable;
        if (variable->type.is_pointer || kiln_tile_is_bool(&variable->type) ||
            !kiln_tile_is_integer(&variable->type))
            continue;
        kiln_named_integer_t *to = &out->integers[out->integer_count++];
        to->sign = kiln_tile_is_unsigned(&variable->type) ? KILN_SIGN_UNSIGNED : KILN_SIGN_SIGNED;
        if (!(to->name = strdup(variable->name)))
            return kiln_status_out_of_memory();
    }
    return KILN_OK;
}

kiln_status_t kiln_named_constants_make(const kiln_program_t *program, kiln_named_constants_t *out)
{
    *out =
        (kiln_named_constants_t){.items = calloc(program->constant_count + 1, sizeof *out->items)};
    if (!out->items)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < program->constant_count; i++) {
        const kiln_program_constant_t *from = &program->constants[i];
        kiln_named_constant_t *to = &out->items[out->count++];
        to->name = strdup(from->name);
        to->type = strdup(from->type ? "type" : kiln_scalar_row(from->constant.scalar)->spelling);
        to->value = from->type ? strdup(kiln_scalar_row(from->type)->spelling)
                               : value_text(&from->constant);
        if (!to->name || !to->type || !to->value)
            return kiln_status_out_of_memory();
    }
    if (program->grid && !(out->grid = strdup(program->grid)))
        return kiln_status_out_of_memory();
    return note_integers(program, out);
}

void kiln_named_constants_free(kiln_named_constants_t *constants)
{
    for (size_t i = 0; i < constants->count; i++) {
        free(constants->items[i].name);
        free(constants->items[i].type);
        free(constants->items[i].value);
    }
    for (size_t i = 0; i < constants->integer_count; i++)
        free(constants->integers[i].name);
    free(constants->integers);
    free(constants->items);
    free(constants->grid);
    *constants = (kiln_named_constants_t){0};
}
