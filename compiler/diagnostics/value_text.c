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

static bool has_name(MlirValue value)
{
    return name_in(location_of(value)).length > 0;
}

// What an operation with this name makes of a value; null: nothing.
static MlirValue next_with_name(MlirValue value, MlirStringRef name)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (mlirOperationGetNumResults(user) == 1 &&
            mlirStringRefEqual(name_in(mlirOperationGetLocation(user)), name))
            return kiln_op_result(user, 0);
    }
    return (MlirValue){NULL};
}

static bool are_alike(MlirType a, MlirType b)
{
    bool alike = mlirTypeEqual(kiln_type_element(a), kiln_type_element(b)) &&
                 kiln_type_rank(a) == kiln_type_rank(b);
    for (int d = 0; alike && d < kiln_type_rank(a); d++)
        alike = kiln_type_dim(a, d) == kiln_type_dim(b, d);
    return alike;
}

// The front end names all values of a statement after the variable that it assigns. The last one is
// the variable's value; operands of other types are not.
bool kiln_value_text_named(MlirValue value)
{
    enum { MAX_STEPS = 256 };
    const MlirStringRef name = name_in(location_of(value));
    MlirValue last = value;
    if (!name.length)
        return false;
    for (int i = 0; i < MAX_STEPS; i++) {
        const MlirValue next = next_with_name(last, name);
        if (mlirValueIsNull(next))
            break;
        last = next;
    }
    return are_alike(mlirValueGetType(value), mlirValueGetType(last));
}

static void append_name(kiln_string_t *text, MlirValue value)
{
    const MlirStringRef name = name_in(location_of(value));
    kiln_string_appendf(text, "'%.*s'", (int)name.length, name.data);
}

// "a value at 12:44": of a statement's operand the place, where it has one.
static void append_place(kiln_string_t *text, MlirValue value)
{
    unsigned line, column;
    char *file = kiln_session_place(location_of(value), &line, &column);
    kiln_string_append(text, "a value");
    if (file && line)
        kiln_string_appendf(text, " at %u:%u", line, column);
    free(file);
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
    if (kiln_value_text_named(value))
        append_name(text, value);
    else
        append_place(text, value);
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
        if (has_name(memdesc)) {
            type_of = has_name(named) ? type_of : memdesc;
            named = memdesc;
        }
        kiln_op_t kind = kiln_value_op(memdesc, &op);
        if (mlirOperationIsNull(op) || kind == KILN_OP_TTG_LOCAL_ALLOC ||
            !kiln_type_is_memdesc(mlirValueGetType(kiln_op_operand(op, 0))))
            break;
        memdesc = kiln_op_operand(op, 0);
    }
    const MlirType type = mlirValueGetType(has_name(named) ? type_of : memdesc);
    if (has_name(named)) {
        append_name(text, named);
        kiln_string_append(text, " ");
    }
    kiln_string_append(text, "(");
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
