// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints values for findings. Names come from locations, as MLIR does not keep the %names of its
// text.
#include "diagnostics/value_text.h"

#include <stdlib.h>

#include "builder/ir.h"
#include "builder/ir_text.h"
#include "driver/session.h"

static MlirLocation location_of(MlirValue value)
{
    return mlirValueGetLocation(value);
}

// The name that a location gives; empty: none.
static MlirStringRef name_in(MlirLocation location)
{
    return mlirLocationIsAName(location) ? mlirIdentifierStr(mlirLocationNameGetName(location))
                                         : mlirStringRefCreate("", 0);
}

bool kiln_value_text_named(MlirValue value)
{
    return name_in(location_of(value)).length > 0;
}

static void append_name(kiln_string_t *text, MlirValue value, const char *otherwise)
{
    const MlirStringRef name = name_in(location_of(value));
    if (name.length)
        kiln_string_appendf(text, "'%.*s'", (int)name.length, name.data);
    else
        kiln_string_append(text, otherwise);
}

static void append_element(kiln_string_t *text, MlirType element)
{
    if (kiln_type_is_ptr(element)) {
        append_element(text, kiln_ptr_pointee(element));
        kiln_string_append(text, "*");
        return;
    }
    mlirTypePrint(element, kiln_ir_append, text);
}

void kiln_append_value(kiln_string_t *text, MlirValue value)
{
    const MlirType type = mlirValueGetType(value);
    append_name(text, value, "a value");
    kiln_string_append(text, " (");
    append_element(text, kiln_type_element(type));
    for (int d = 0; d < kiln_type_rank(type); d++)
        kiln_string_appendf(text, "[%lld]", (long long)kiln_type_dim(type, d));
    kiln_string_append(text, ")");
}

void kiln_append_buffer(kiln_string_t *text, MlirValue memdesc)
{
    // Looks through views, and from a loop's argument to its initial value, for the name of what
    // was allocated: a view is named after the statement that uses it.
    MlirOperation op;
    MlirValue named = memdesc, type_of = memdesc;
    for (int depth = 0; depth < 64; depth++) {
        if (kiln_value_text_named(memdesc)) {
            type_of = kiln_value_text_named(named) ? type_of : memdesc;
            named = memdesc;
        }
        kiln_op_t kind = kiln_value_op(memdesc, &op);
        if (mlirOperationIsNull(op) || kind == KILN_OP_TTG_LOCAL_ALLOC ||
            !kiln_type_is_memdesc(mlirValueGetType(kiln_op_operand(op, 0))))
            break;
        memdesc = kiln_op_operand(op, 0);
    }
    const MlirType type = mlirValueGetType(kiln_value_text_named(named) ? type_of : memdesc);
    append_name(text, named, "");
    kiln_string_append(text, kiln_value_text_named(named) ? " (" : "(");
    append_element(text, kiln_memdesc_element(type));
    for (int d = 0; d < kiln_memdesc_rank(type); d++)
        kiln_string_appendf(text, "[%lld]", (long long)kiln_memdesc_dim(type, d));
    kiln_string_append(text, ")");
}

void kiln_append_line(kiln_string_t *text, MlirOperation op)
{
    unsigned line, column;
    char *file = kiln_session_place(mlirOperationGetLocation(op), &line, &column);
    if (file && line)
        kiln_string_appendf(text, " at line %u", line);
    free(file);
}
