// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the checked program as tt: the kernel and its expressions. The checker has made all
// conversions explicit, so each node becomes one or a few operations.
//
// tt is signless; the operations for signed, unsigned and float types are selected here, once per
// operator.
#include "frontend/emit/emit.h"
#include "frontend/lex/prelude.h"

#include <string.h>

// Locations ---------------------------------------------------------------------------------------

static MlirLocation place(kiln_emitter_t *emitter, kiln_span_t at)
{
    unsigned line, column;
    const char *file = kiln_reporter_locate(emitter->reporter, at.begin, &line, &column);
    return mlirLocationFileLineColGet(emitter->context, mlirStringRefCreateFromCString(file), line,
                                      column);
}

// The user has no text of the prelude: what a function of it does is at the user's call.
void kiln_emit_locate(kiln_emitter_t *emitter, kiln_span_t at, const kiln_call_site_t *site)
{
    for (; site && kiln_span_is_prelude(at); site = site->outer)
        at = site->span;
    MlirLocation loc = place(emitter, at);
    if (emitter->name)
        loc = mlirLocationNameGet(emitter->context, mlirStringRefCreateFromCString(emitter->name),
                                  loc);
    for (; site; site = site->outer)
        loc = mlirLocationCallSiteGet(loc, place(emitter, site->span));
    kiln_builder_set_mlir_location(emitter->builder, loc);
}

// Constants ---------------------------------------------------------------------------------------

kiln_value_t kiln_emit_int(kiln_emitter_t *emitter, const kiln_tile_type_t *type, int64_t value)
{
    return kiln_build_int(emitter->builder, kiln_tile_to_value_type(type), value);
}

static kiln_value_t emit_float(kiln_emitter_t *emitter, const kiln_tile_type_t *type, double value)
{
    return kiln_build_float(emitter->builder, kiln_tile_to_value_type(type), value);
}

kiln_value_t kiln_emit_bool(kiln_emitter_t *emitter, bool value)
{
    kiln_tile_type_t type = kiln_tile_scalar(KILN_SCALAR_BOOL);
    return kiln_emit_int(emitter, &type, value);
}

kiln_variable_t *kiln_emit_flag(kiln_emitter_t *emitter)
{
    kiln_variable_t *flag = KILN_ARENA_NEW(emitter->arena, kiln_variable_t);
    flag->type = kiln_tile_scalar(KILN_SCALAR_BOOL);
    flag->is_declared = true;
    flag->value = kiln_emit_bool(emitter, false);
    return flag;
}

// A constant in a scalar or tile type.
static kiln_value_t emit_constant(kiln_emitter_t *emitter, kiln_constant_t constant,
                                  const kiln_tile_type_t *type)
{
    return kiln_tile_is_integer(type) ? kiln_emit_int(emitter, type, constant.integer)
                                      : emit_float(emitter, type, constant.floating);
}

// Conversions -------------------------------------------------------------------------------------

static kiln_value_t convert(kiln_emitter_t *emitter, kiln_convert_t op, kiln_value_t value,
                            kiln_scalar_t to)
{
    return kiln_build_convert(emitter->builder, op, value, kiln_scalar_row(to)->element);
}

static kiln_value_t convert_via(kiln_emitter_t *emitter, kiln_value_t value,
                                const kiln_tile_type_t *from, kiln_scalar_t via,
                                const kiln_tile_type_t *to)
{
    kiln_tile_type_t middle = kiln_tile_with_scalar(from, via);
    return kiln_emit_convert(emitter, kiln_emit_convert(emitter, value, from, &middle), &middle,
                             to);
}

static kiln_value_t convert_pointer(kiln_emitter_t *emitter, kiln_value_t value,
                                    const kiln_tile_type_t *from, const kiln_tile_type_t *to)
{
    if (to->is_pointer)
        return kiln_build_convert_pointer(
            emitter->builder, from->is_pointer ? KILN_CONVERT_BITCAST : KILN_CONVERT_INT_TO_PTR,
            value, kiln_scalar_row(to->scalar)->element);
    kiln_tile_type_t address = kiln_tile_with_scalar(from, KILN_SCALAR_I64);
    value = kiln_build_convert(emitter->builder, KILN_CONVERT_PTR_TO_INT, value, KILN_VALUE_I64);
    return kiln_emit_convert(emitter, value, &address, to);
}

static kiln_value_t convert_to_bool(kiln_emitter_t *emitter, kiln_value_t value,
                                    const kiln_tile_type_t *from)
{
    if (kiln_tile_is_float(from))
        return kiln_build_compare(emitter->builder, KILN_COMPARE_UNE, value,
                                  emit_float(emitter, from, 0));
    return kiln_build_compare(emitter->builder, KILN_COMPARE_NE, value,
                              kiln_emit_int(emitter, from, 0));
}

static kiln_value_t convert_floats(kiln_emitter_t *emitter, kiln_value_t value,
                                   const kiln_tile_type_t *from, const kiln_tile_type_t *to)
{
    int bits = kiln_scalar_row(from->scalar)->bits, wanted = kiln_scalar_row(to->scalar)->bits;
    if (kiln_tile_is_float8(from) || kiln_tile_is_float8(to)) {
        bool is_direct =
            bits < 64 && wanted < 64 && !(kiln_tile_is_float8(from) && kiln_tile_is_float8(to));
        return is_direct ? convert(emitter, KILN_CONVERT_FP_TO_FP, value, to->scalar)
                         : convert_via(emitter, value, from, KILN_SCALAR_F32, to);
    }
    if (bits == wanted) // f16 and bf16
        return convert_via(emitter, value, from, KILN_SCALAR_F32, to);
    return convert(emitter, bits < wanted ? KILN_CONVERT_EXTF : KILN_CONVERT_TRUNCF, value,
                   to->scalar);
}

kiln_value_t kiln_emit_convert(kiln_emitter_t *emitter, kiln_value_t value,
                               const kiln_tile_type_t *from, const kiln_tile_type_t *to)
{
    if (from->is_pointer || to->is_pointer)
        return convert_pointer(emitter, value, from, to);
    if (from->scalar == to->scalar)
        return value;
    if (kiln_tile_is_float8(from) && kiln_tile_is_integer(to))
        return convert_via(emitter, value, from, KILN_SCALAR_F32, to);
    if (kiln_tile_is_bool(to))
        return convert_to_bool(emitter, value, from);
    bool from_integer = kiln_tile_is_integer(from), to_integer = kiln_tile_is_integer(to);
    bool is_unsigned = kiln_tile_is_unsigned(from);
    int bits = kiln_scalar_row(from->scalar)->bits, wanted = kiln_scalar_row(to->scalar)->bits;
    if (from_integer && to_integer) {
        if (bits == wanted)
            return value;
        kiln_convert_t extend = is_unsigned ? KILN_CONVERT_EXTUI : KILN_CONVERT_EXTSI;
        return convert(emitter, bits < wanted ? extend : KILN_CONVERT_TRUNCI, value, to->scalar);
    }
    if (!from_integer && !to_integer)
        return convert_floats(emitter, value, from, to);
    // Conversions between integers and small floats go through f32.
    if (from_integer && (kiln_tile_is_float8(to) || to->scalar == KILN_SCALAR_BF16))
        return convert_via(emitter, value, from, KILN_SCALAR_F32, to);
    if (to_integer && from->scalar == KILN_SCALAR_BF16)
        return convert_via(emitter, value, from, KILN_SCALAR_F32, to);
    if (from_integer)
        return convert(emitter, is_unsigned ? KILN_CONVERT_UITOFP : KILN_CONVERT_SITOFP, value,
                       to->scalar);
    return convert(emitter, kiln_tile_is_unsigned(to) ? KILN_CONVERT_FPTOUI : KILN_CONVERT_FPTOSI,
                   value, to->scalar);
}

// Operators ---------------------------------------------------------------------------------------

typedef struct operator_row {
    kiln_operator_t op;
    // Of kiln_binary_t or, for comparisons, kiln_compare_t; -1: none.
    int on_signed, on_unsigned, on_float;
} operator_row_t;

static const operator_row_t
    arithmetic[] =
        {
            {KILN_OPERATOR_ADD, KILN_BINARY_ADDI, KILN_BINARY_ADDI, KILN_BINARY_ADDF},
            {KILN_OPERATOR_SUB, KILN_BINARY_SUBI, KILN_BINARY_SUBI, KILN_BINARY_SUBF},
            {KILN_OPERATOR_MUL, KILN_BINARY_MULI, KILN_BINARY_MULI, KILN_BINARY_MULF},
            {KILN_OPERATOR_DIV, KILN_BINARY_DIVSI, KILN_BINARY_DIVUI, KILN_BINARY_DIVF},
            {KILN_OPERATOR_REM, KILN_BINARY_REMSI, KILN_BINARY_REMUI, -1},
            {KILN_OPERATOR_SHL, KILN_BINARY_SHLI, KILN_BINARY_SHLI, -1},
            {KILN_OPERATOR_SHR, KILN_BINARY_SHRSI, KILN_BINARY_SHRUI, -1},
            {KILN_OPERATOR_AND, KILN_BINARY_ANDI, KILN_BINARY_ANDI, -1},
            {KILN_OPERATOR_OR, KILN_BINARY_ORI, KILN_BINARY_ORI, -1},
            {KILN_OPERATOR_XOR, KILN_BINARY_XORI, KILN_BINARY_XORI, -1},
},
    comparisons[] = {
        {KILN_OPERATOR_LT, KILN_COMPARE_SLT, KILN_COMPARE_ULT, KILN_COMPARE_OLT},
        {KILN_OPERATOR_GT, KILN_COMPARE_SGT, KILN_COMPARE_UGT, KILN_COMPARE_OGT},
        {KILN_OPERATOR_LE, KILN_COMPARE_SLE, KILN_COMPARE_ULE, KILN_COMPARE_OLE},
        {KILN_OPERATOR_GE, KILN_COMPARE_SGE, KILN_COMPARE_UGE, KILN_COMPARE_OGE},
        {KILN_OPERATOR_EQ, KILN_COMPARE_EQ, KILN_COMPARE_EQ, KILN_COMPARE_OEQ},
        {KILN_OPERATOR_NE, KILN_COMPARE_NE, KILN_COMPARE_NE, KILN_COMPARE_UNE},
};

static int find_row(const operator_row_t *rows, size_t count, kiln_operator_t op,
                    const kiln_tile_type_t *type)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].op == op)
            return kiln_tile_is_float(type)      ? rows[i].on_float
                   : kiln_tile_is_unsigned(type) ? rows[i].on_unsigned
                                                 : rows[i].on_signed;
    return -1;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static kiln_value_t emit_binary(kiln_emitter_t *emitter, const kiln_node_t *node)
{
    kiln_value_t a = kiln_emit_node(emitter, node->a), b = kiln_emit_node(emitter, node->b);
    kiln_emit_locate(emitter, node->at, node->site);
    if (node->type.is_pointer)
        return kiln_build_addptr(emitter->builder, a, b);
    int op = find_row(comparisons, COUNT(comparisons), node->op, &node->a->type);
    if (op >= 0)
        return kiln_build_compare(emitter->builder, (kiln_compare_t)op, a, b);
    op = find_row(arithmetic, COUNT(arithmetic), node->op, &node->a->type);
    return kiln_build_binary(emitter->builder, (kiln_binary_t)op, a, b);
}

static kiln_value_t emit_unary(kiln_emitter_t *emitter, const kiln_node_t *node)
{
    kiln_value_t a = kiln_emit_node(emitter, node->a);
    kiln_emit_locate(emitter, node->at, node->site);
    if (kiln_tile_is_float(&node->type))
        return kiln_build_unary(emitter->builder, KILN_UNARY_NEGF, a);
    if (node->op == KILN_OPERATOR_NEGATE)
        return kiln_build_binary(emitter->builder, KILN_BINARY_SUBI,
                                 kiln_emit_int(emitter, &node->type, 0), a);
    int64_t ones = node->op == KILN_OPERATOR_NOT ? 1 : -1; // a bool has one bit
    return kiln_build_binary(emitter->builder, KILN_BINARY_XORI, a,
                             kiln_emit_int(emitter, &node->type, ones));
}

static kiln_value_t emit_expand(kiln_emitter_t *emitter, const kiln_node_t *node)
{
    kiln_value_t value = kiln_emit_node(emitter, node->a);
    kiln_emit_locate(emitter, node->at, node->site);
    if (!node->a->type.rank)
        return kiln_build_splat(emitter->builder, value, node->type.rank, node->type.shape);
    for (int i = 0; i < node->axis_count; i++)
        value = kiln_build_expand_dims(emitter->builder, value, node->axes[i]);
    return value;
}

static kiln_value_t emit_broadcast(kiln_emitter_t *emitter, const kiln_node_t *node)
{
    if (node->a->kind == KILN_NODE_CONSTANT) {
        kiln_emit_locate(emitter, node->at, node->site);
        return emit_constant(emitter, node->a->constant, &node->type);
    }
    kiln_value_t value = kiln_emit_node(emitter, node->a);
    kiln_emit_locate(emitter, node->at, node->site);
    return kiln_build_broadcast(emitter->builder, value, node->type.rank, node->type.shape);
}

static kiln_value_t emit_select(kiln_emitter_t *emitter, const kiln_node_t *node)
{
    kiln_value_t condition = kiln_emit_node(emitter, node->a);
    kiln_value_t b = kiln_emit_node(emitter, node->b), c = kiln_emit_node(emitter, node->c);
    kiln_emit_locate(emitter, node->at, node->site);
    return kiln_build_select(emitter->builder, condition, b, c);
}

// Variables and calls -----------------------------------------------------------------------------

static kiln_value_t emit_variable(kiln_emitter_t *emitter, const kiln_node_t *node)
{
    kiln_variable_t *variable = node->variable;
    // After an internal error nothing has a value.
    if (variable->value.handle || emitter->builder->error)
        return variable->value;
    KILN_REPORT_ERROR(emitter->reporter, node->span, "'%s' is uninitialized when used here",
                      variable->name ? variable->name : "this");
    if (variable->name)
        KILN_REPORT_NOTE(emitter->reporter, variable->at, "'%s' is declared here", variable->name);
    return variable->value =
               kiln_build_undefined(emitter->builder, kiln_tile_to_value_type(&variable->type));
}

static kiln_value_t emit_assign(kiln_emitter_t *emitter, kiln_variable_t *variable,
                                const kiln_node_t *value)
{
    const char *outer = emitter->name;
    if (variable->name)
        emitter->name = variable->name;
    kiln_value_t result = kiln_emit_node(emitter, value);
    emitter->name = outer;
    return variable->value = result;
}

static kiln_value_t emit_expansion(kiln_emitter_t *emitter, const kiln_node_t *node)
{
    kiln_emitter_t outer = *emitter;
    emitter->name = NULL;
    emitter->broken = emitter->continued = emitter->returned = NULL;
    kiln_emit_locate(emitter, node->at, node->site);
    if (node->body->exits & KILN_EXIT_RETURN)
        emitter->returned = kiln_emit_flag(emitter);
    if (node->variable)
        node->variable->is_declared = true;
    kiln_emit_action(emitter, node->body);
    emitter->name = outer.name;
    emitter->broken = outer.broken;
    emitter->continued = outer.continued;
    emitter->returned = outer.returned;
    return node->variable ? node->variable->value : (kiln_value_t){NULL};
}

// A constant in an expression is not the variable's value, so it is unnamed.
static kiln_value_t emit_scalar_constant(kiln_emitter_t *emitter, const kiln_node_t *node)
{
    const char *name = emitter->name;
    emitter->name = NULL;
    kiln_emit_locate(emitter, node->at, node->site);
    emitter->name = name;
    return emit_constant(emitter, node->constant, &node->type);
}

kiln_value_t kiln_emit_node(kiln_emitter_t *emitter, const kiln_node_t *node)
{
    kiln_value_t a;
    switch (node->kind) {
    case KILN_NODE_CONSTANT:
        return emit_scalar_constant(emitter, node);
    case KILN_NODE_VARIABLE:
        return emit_variable(emitter, node);
    case KILN_NODE_ASSIGN:
        return emit_assign(emitter, node->variable, node->a);
    case KILN_NODE_UNARY:
        return emit_unary(emitter, node);
    case KILN_NODE_BINARY:
        return emit_binary(emitter, node);
    case KILN_NODE_CONVERT:
        a = kiln_emit_node(emitter, node->a);
        kiln_emit_locate(emitter, node->at, node->site);
        return kiln_emit_convert(emitter, a, &node->a->type, &node->type);
    case KILN_NODE_BITCAST:
        a = kiln_emit_node(emitter, node->a);
        kiln_emit_locate(emitter, node->at, node->site);
        return convert(emitter, KILN_CONVERT_BITCAST, a, node->type.scalar);
    case KILN_NODE_BROADCAST:
        return emit_broadcast(emitter, node);
    case KILN_NODE_EXPAND:
        return emit_expand(emitter, node);
    case KILN_NODE_SELECT:
        return emit_select(emitter, node);
    case KILN_NODE_CONDITIONAL:
        return kiln_emit_conditional(emitter, node);
    case KILN_NODE_SEQUENCE:
        kiln_emit_node(emitter, node->a);
        return kiln_emit_node(emitter, node->b);
    case KILN_NODE_STRUCT: // its members are separate nodes
        return node->a ? kiln_emit_node(emitter, node->a) : (kiln_value_t){NULL};
    case KILN_NODE_BUILTIN:
        return kiln_emit_builtin(emitter, node);
    case KILN_NODE_EXPANSION:
        return emit_expansion(emitter, node);
    }
    return (kiln_value_t){NULL};
}

// The kernel --------------------------------------------------------------------------------------

void kiln_emit_program(kiln_emitter_t *emitter, const kiln_program_t *program)
{
    size_t count = program->parameter_count;
    kiln_kernel_parameter_t *parameters =
        KILN_ARENA_ARRAY(emitter->arena, kiln_kernel_parameter_t, count + 1);
    kiln_value_t *arguments = KILN_ARENA_ARRAY(emitter->arena, kiln_value_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        const kiln_parameter_t *parameter = &program->parameters[i];
        parameters[i] =
            (kiln_kernel_parameter_t){.name = parameter->variable->name,
                                      .type = kiln_tile_to_value_type(&parameter->variable->type),
                                      .divisibility = parameter->divisibility,
                                      .pointer_range_32 = parameter->pointer_range_32};
    }
    kiln_emit_locate(emitter, program->at, NULL);
    kiln_build_kernel_begin(emitter->builder, program->name, parameters, count, arguments);
    for (size_t i = 0; i < count; i++) {
        program->parameters[i].variable->value = arguments[i];
        program->parameters[i].variable->is_declared = true;
    }
    if (program->body->exits & KILN_EXIT_RETURN)
        emitter->returned = kiln_emit_flag(emitter);
    kiln_emit_action(emitter, program->body);
    kiln_emit_locate(
        emitter, (kiln_span_t){program->body->span.end ? program->body->span.end - 1 : 0, 0}, NULL);
    kiln_build_kernel_end(emitter->builder);
}
