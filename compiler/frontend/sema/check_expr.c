// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions: C's rules for scalars, applied elementwise to tiles that are broadcast to one shape.
//
// Deviations from C, all in docs/tile-c.md: comparisons give bool; & | ^ of two bools is bool; a
// float literal without suffix has the type of the other float operand (else f32); && || ?: on
// tiles compute both sides.
#include "frontend/sema/check_warn.h"

static kiln_node_t *make_binary(kiln_checker_t *checker, kiln_operator_t op, kiln_node_t *a,
                                kiln_node_t *b, const kiln_tile_type_t *type, kiln_span_t span,
                                kiln_span_t at)
{
    kiln_node_t *node = kiln_node_make(checker, KILN_NODE_BINARY, type, span, at);
    node->op = op;
    node->a = a;
    node->b = b;
    return node;
}

// Pointers ----------------------------------------------------------------------------------------

static kiln_node_t *offset_pointer(kiln_checker_t *checker, kiln_operator_t op,
                                   kiln_node_t *pointer, kiln_node_t *offset, kiln_span_t span,
                                   kiln_span_t at)
{
    offset = kiln_convert_element(checker, offset, kiln_scalar_promote(offset->type.scalar));
    if (offset->type.scalar == KILN_SCALAR_U32) // tt sign-extends offsets
        offset = kiln_convert_element(checker, offset, KILN_SCALAR_I64);
    if (op == KILN_OPERATOR_SUB) {
        kiln_node_t *zero = kiln_node_int(checker, offset->type.scalar, 0, offset->span);
        offset = kiln_check_binary(checker, KILN_OPERATOR_SUB, zero, offset, offset->span, at);
    }
    if (!kiln_convert_common_shape(checker, &pointer, &offset, at))
        return kiln_node_error(checker, span);
    return make_binary(checker, KILN_OPERATOR_ADD, pointer, offset, &pointer->type, span, at);
}

// pointer − pointer, in elements; and comparisons of addresses.
static kiln_node_t *combine_pointers(kiln_checker_t *checker, kiln_operator_t op, kiln_node_t *a,
                                     kiln_node_t *b, kiln_span_t span, kiln_span_t at)
{
    bool is_comparison = op >= KILN_OPERATOR_LT && op <= KILN_OPERATOR_NE;
    if ((op != KILN_OPERATOR_SUB && !is_comparison) || a->type.scalar != b->type.scalar) {
        kiln_check_fail_between(checker, at, a, b, "'%s' cannot be applied to %s and %s",
                                kiln_operator_spelling(op), KILN_TYPE_TEXT(checker, &a->type),
                                KILN_TYPE_TEXT(checker, &b->type));
        return kiln_node_error(checker, span);
    }
    int64_t size = (kiln_scalar_row(a->type.scalar)->bits + 7) / 8;
    kiln_tile_type_t address = kiln_tile_scalar(is_comparison ? KILN_SCALAR_U64 : KILN_SCALAR_I64);
    a = kiln_cast(checker, a, &address, at);
    b = kiln_cast(checker, b, &address, at);
    kiln_node_t *result = kiln_check_binary(checker, op, a, b, span, at);
    if (is_comparison || size == 1)
        return result;
    return kiln_check_binary(checker, KILN_OPERATOR_DIV, result,
                             kiln_node_int(checker, KILN_SCALAR_I64, size, span), span, at);
}

// Arithmetic --------------------------------------------------------------------------------------

static bool fold(kiln_checker_t *checker, kiln_operator_t op, const kiln_node_t *a,
                 const kiln_node_t *b, kiln_span_t span, kiln_node_t **out)
{
    if (!kiln_node_is_constant(a) || !kiln_node_is_constant(b))
        return false;
    kiln_constant_t x = a->constant, y = b->constant, result;
    bool is_flexible = a->is_flexible && b->is_flexible;
    if (is_flexible) // two literals: as precise as double
        x.scalar = y.scalar = KILN_SCALAR_F64;
    if (!kiln_fold_binary(op, x, y, &result))
        return false;
    if (kiln_tile_is_integer(&a->type))
        kiln_warn_overflow(checker, op, x, y, result, span);
    result.is_setting = x.is_setting || y.is_setting;
    is_flexible = is_flexible && result.scalar == KILN_SCALAR_F64;
    if (is_flexible)
        result.scalar = KILN_SCALAR_F32;
    *out = kiln_node_constant(checker, result, span);
    (*out)->is_flexible = is_flexible;
    return true;
}

static bool needs_integers(kiln_operator_t op)
{
    return op == KILN_OPERATOR_REM || op == KILN_OPERATOR_AND || op == KILN_OPERATOR_OR ||
           op == KILN_OPERATOR_XOR || op == KILN_OPERATOR_SHL || op == KILN_OPERATOR_SHR;
}

static kiln_node_t *check_logical(kiln_checker_t *checker, kiln_operator_t op, kiln_node_t *a,
                                  kiln_node_t *b, kiln_span_t span, kiln_span_t at)
{
    bool is_and = op == KILN_OPERATOR_LOGICAL_AND;
    a = kiln_convert_to_bool(checker, a);
    b = kiln_convert_to_bool(checker, b);
    if (kiln_node_is_error(a) || kiln_node_is_error(b))
        return kiln_node_error(checker, span);
    if (kiln_node_is_constant(a)) // the right side is evaluated only if the left does not decide
        return kiln_constant_is_true(a->constant) == is_and ? b : a;
    if (!a->type.rank && !b->type.rank) {
        kiln_node_t *node = kiln_node_make(checker, KILN_NODE_CONDITIONAL, &a->type, span, at);
        kiln_node_t *decided = kiln_node_int(checker, KILN_SCALAR_BOOL, !is_and, span);
        node->a = a;
        node->b = is_and ? b : decided;
        node->c = is_and ? decided : b;
        return node;
    }
    return kiln_check_binary(checker, is_and ? KILN_OPERATOR_AND : KILN_OPERATOR_OR, a, b, span,
                             at);
}

kiln_node_t *kiln_check_binary(kiln_checker_t *checker, kiln_operator_t op, kiln_node_t *a,
                               kiln_node_t *b, kiln_span_t span, kiln_span_t at)
{
    kiln_node_t *folded;
    if (kiln_node_is_error(a) || kiln_node_is_error(b))
        return kiln_node_error(checker, span);
    if (op == KILN_OPERATOR_LOGICAL_AND || op == KILN_OPERATOR_LOGICAL_OR)
        return check_logical(checker, op, a, b, span, at);
    bool adds = op == KILN_OPERATOR_ADD || op == KILN_OPERATOR_SUB;
    if (a->type.is_pointer && adds && kiln_tile_is_integer(&b->type))
        return offset_pointer(checker, op, a, b, span, at);
    if (b->type.is_pointer && op == KILN_OPERATOR_ADD && kiln_tile_is_integer(&a->type))
        return offset_pointer(checker, op, b, a, span, at);
    if (a->type.is_pointer && b->type.is_pointer)
        return combine_pointers(checker, op, a, b, span, at);

    if (needs_integers(op) && kiln_tile_is_arithmetic(&a->type) &&
        kiln_tile_is_arithmetic(&b->type) &&
        (!kiln_tile_is_integer(&a->type) || !kiln_tile_is_integer(&b->type))) {
        kiln_check_fail_between(checker, at, a, b, "'%s' needs integers, got %s and %s",
                                kiln_operator_spelling(op), KILN_TYPE_TEXT(checker, &a->type),
                                KILN_TYPE_TEXT(checker, &b->type));
        return kiln_node_error(checker, span);
    }
    bool is_bitwise = op == KILN_OPERATOR_AND || op == KILN_OPERATOR_OR || op == KILN_OPERATOR_XOR;
    bool is_shift = op == KILN_OPERATOR_SHL || op == KILN_OPERATOR_SHR;
    bool is_comparison = op >= KILN_OPERATOR_LT && op <= KILN_OPERATOR_NE;
    if (is_shift && kiln_tile_is_integer(&a->type) && kiln_tile_is_integer(&b->type)) {
        kiln_warn_shift(checker, a, b, b->span);
        // The left operand determines the type of a shift.
        a = kiln_convert_element(checker, a, kiln_scalar_promote(a->type.scalar));
        b = kiln_convert_element(checker, b, a->type.scalar);
    } else if (!(is_bitwise && kiln_tile_is_bool(&a->type) && kiln_tile_is_bool(&b->type)) &&
               !kiln_convert_usual(checker, &a, &b, at, kiln_operator_spelling(op))) {
        return kiln_node_error(checker, span);
    }
    if (fold(checker, op, a, b, span, &folded))
        return folded;
    bool divides = op == KILN_OPERATOR_DIV || op == KILN_OPERATOR_REM;
    if (divides && !kiln_check_division(checker, a, b, at))
        return kiln_node_error(checker, span);
    if (!kiln_convert_common_shape(checker, &a, &b, at))
        return kiln_node_error(checker, span);
    kiln_tile_type_t type =
        is_comparison ? kiln_tile_with_scalar(&a->type, KILN_SCALAR_BOOL) : a->type;
    return make_binary(checker, op, a, b, &type, span, at);
}

static kiln_node_t *check_unary(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    const kiln_symbol_t *reference = kiln_find_reference(checker, expr);
    if (reference)
        return kiln_node_variable(checker, reference->variable, expr->span);
    kiln_node_t *a = kiln_check_expr(checker, expr->a);
    if (kiln_node_is_error(a))
        return a;
    if (expr->op == KILN_OPERATOR_DEREFERENCE)
        return kiln_check_load(checker, a, NULL, NULL, expr->span, expr->at);
    bool is_integer = kiln_tile_is_integer(&a->type), is_float = kiln_tile_is_float(&a->type);
    if (!is_integer && (!is_float || expr->op == KILN_OPERATOR_COMPLEMENT)) {
        kiln_check_fail(checker, expr->at, "'%s' cannot be applied to %s",
                        kiln_operator_spelling(expr->op), KILN_TYPE_TEXT(checker, &a->type));
        kiln_check_note_declaration(checker, a);
        return kiln_node_error(checker, expr->span);
    }
    if (expr->op == KILN_OPERATOR_COMPLEMENT && kiln_tile_is_bool(&a->type)) {
        kiln_check_fail(checker, expr->at, "'~' of a bool is always true; write '!'");
        return kiln_node_error(checker, expr->span);
    }
    bool is_flexible = a->is_flexible;
    if (expr->op == KILN_OPERATOR_NOT)
        a = kiln_convert_to_bool(checker, a);
    else if (is_integer)
        a = kiln_convert_element(checker, a, kiln_scalar_promote(a->type.scalar));
    if (expr->op == KILN_OPERATOR_PLUS)
        return a;
    kiln_constant_t folded;
    if (kiln_node_is_constant(a) && kiln_fold_unary(expr->op, a->constant, &folded)) {
        if (expr->op == KILN_OPERATOR_NEGATE && is_integer)
            kiln_warn_overflow(checker, expr->op, kiln_constant_int(a->type.scalar, 0), a->constant,
                               folded, expr->span);
        folded.is_setting = a->constant.is_setting;
        kiln_node_t *node = kiln_node_constant(checker, folded, expr->span);
        node->is_flexible = is_flexible && expr->op == KILN_OPERATOR_NEGATE;
        return node;
    }
    kiln_node_t *node = kiln_node_make(checker, KILN_NODE_UNARY, &a->type, expr->span, expr->at);
    node->op = expr->op;
    node->a = a;
    return node;
}

// An operand that may be unreachable: then it gets no warnings.
static kiln_node_t *check_branch(kiln_checker_t *checker, const kiln_expr_t *expr,
                                 bool is_unreachable)
{
    checker->unreachable += is_unreachable;
    kiln_node_t *node = kiln_check_expr(checker, expr);
    checker->unreachable -= is_unreachable;
    return node;
}

static kiln_node_t *check_conditional(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    kiln_node_t *condition = kiln_convert_to_bool(checker, kiln_check_expr(checker, expr->a));
    bool is_known = kiln_node_is_constant(condition) && !kiln_node_is_error(condition);
    bool is_true = is_known && kiln_constant_is_true(condition->constant);
    kiln_node_t *b = check_branch(checker, expr->b, is_known && !is_true),
                *c = check_branch(checker, expr->c, is_true);
    if (kiln_node_is_error(condition) || kiln_node_is_error(b) || kiln_node_is_error(c))
        return kiln_node_error(checker, expr->span);
    bool are_pointers =
        b->type.is_pointer && c->type.is_pointer && b->type.scalar == c->type.scalar;
    // Also if both are void or bool.
    bool are_same = kiln_tile_type_equal(&b->type, &c->type) && !b->is_flexible;
    if (!are_pointers && !are_same && !kiln_convert_usual(checker, &b, &c, expr->at, "?:"))
        return kiln_node_error(checker, expr->span);
    if (kiln_node_is_constant(condition))
        return kiln_constant_is_true(condition->constant) ? b : c;
    if (kiln_tile_is_struct(&b->type))
        return kiln_struct_choose(checker, condition, b, c, expr->span, expr->at);
    if (!kiln_convert_common_shape(checker, &b, &c, expr->at))
        return kiln_node_error(checker, expr->span);
    kiln_node_kind_t kind = KILN_NODE_CONDITIONAL;
    if (condition->type.rank) {
        kind = KILN_NODE_SELECT;
        if (!kiln_convert_common_shape(checker, &condition, &b, expr->at) ||
            !kiln_convert_common_shape(checker, &c, &b, expr->at))
            return kiln_node_error(checker, expr->span);
    }
    kiln_node_t *node = kiln_node_make(checker, kind, &b->type, expr->span, expr->at);
    node->type.is_const = b->type.is_const || c->type.is_const;
    node->a = condition;
    node->b = b;
    node->c = c;
    return node;
}

// Assignments -------------------------------------------------------------------------------------

// A value used twice is stored in an internal variable.
static kiln_node_t *keep(kiln_checker_t *checker, kiln_node_t *value,
                         kiln_variable_t **out_variable)
{
    *out_variable = kiln_variable_make(checker, NULL, &value->type, value->span);
    return kiln_node_assign(checker, *out_variable, value, value->at);
}

static kiln_node_t *assign_place(kiln_checker_t *checker, kiln_node_t *pointer,
                                 const kiln_expr_t *expr, kiln_operator_t op, kiln_node_t *value)
{
    if (kiln_node_is_error(pointer) || kiln_node_is_error(value))
        return kiln_node_error(checker, expr->span);
    if (!op)
        return kiln_check_store(checker, pointer, value, NULL, expr->span, expr->at);
    kiln_variable_t *variable;
    kiln_node_t *kept = keep(checker, pointer, &variable);
    kiln_node_t *old =
        kiln_check_load(checker, kiln_node_variable(checker, variable, pointer->span), NULL, NULL,
                        expr->a->span, expr->at);
    kiln_node_t *result = kiln_check_binary(checker, op, old, value, expr->span, expr->at);
    return kiln_node_sequence(checker, kept,
                              kiln_check_store(checker,
                                               kiln_node_variable(checker, variable, pointer->span),
                                               result, NULL, expr->span, expr->at));
}

static kiln_node_t *check_assign(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    kiln_node_t *pointer = kiln_check_place(checker, expr->a);
    if (pointer)
        return assign_place(checker, pointer, expr, expr->op, kiln_check_expr(checker, expr->b));
    kiln_variable_t *variable = kiln_check_target(checker, expr->a, expr->at);
    kiln_node_t *value = kiln_check_expr(checker, expr->b);
    if (!variable)
        return kiln_node_error(checker, expr->span);
    if (expr->op)
        value = kiln_check_binary(checker, expr->op,
                                  kiln_node_variable(checker, variable, expr->a->span), value,
                                  expr->span, expr->at);
    value = kiln_convert_implicitly(checker, value, &variable->type, expr->at, "assign this");
    return kiln_node_is_error(value) ? value : kiln_node_assign(checker, variable, value, expr->at);
}

static kiln_node_t *check_step(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    kiln_node_t *one = kiln_node_int(checker, KILN_SCALAR_I32, 1, expr->at);
    kiln_node_t *pointer = kiln_check_place(checker, expr->a);
    if (pointer)
        return assign_place(checker, pointer, expr, expr->op, one);
    kiln_variable_t *variable = kiln_check_target(checker, expr->a, expr->at);
    if (!variable)
        return kiln_node_error(checker, expr->span);
    kiln_variable_t *old;
    kiln_node_t *kept = keep(checker, kiln_node_variable(checker, variable, expr->a->span), &old);
    kiln_node_t *value =
        kiln_check_binary(checker, expr->op, kiln_node_variable(checker, variable, expr->a->span),
                          one, expr->span, expr->at);
    value = kiln_convert_implicitly(checker, value, &variable->type, expr->at, "step this");
    if (kiln_node_is_error(value))
        return value;
    kiln_node_t *assign = kiln_node_assign(checker, variable, value, expr->at);
    if (!expr->is_postfix)
        return assign;
    return kiln_node_sequence(
        checker, kept,
        kiln_node_sequence(checker, assign, kiln_node_variable(checker, old, expr->span)));
}

// Names, subscripts, calls ------------------------------------------------------------------------

static kiln_node_t *check_name(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    kiln_symbol_t *symbol = kiln_symbol_find(checker, expr->name);
    if (!symbol) {
        const char *advice = kiln_foreign_word_advice(expr->name);
        kiln_check_fail(checker, expr->span, "use of undeclared identifier '%s'%s%s", expr->name,
                        advice ? "; " : "",
                        advice ? advice : kiln_suggest_value(checker, expr->name).text);
        // Report it only once: the name is declared from here on, as an error.
        kiln_tile_type_t error = kiln_tile_scalar(KILN_SCALAR_NONE);
        kiln_symbol_t unknown = {
            .kind = KILN_SYMBOL_VARIABLE, .name = expr->name, .at = expr->span, .is_unknown = true};
        unknown.variable = kiln_variable_make(checker, expr->name, &error, expr->span);
        KILN_ARENA_PUSH(checker->arena, checker->symbols, checker->symbol_count,
                        checker->symbol_capacity, unknown);
        return kiln_node_error(checker, expr->span);
    }
    if (symbol->kind == KILN_SYMBOL_TYPE) {
        kiln_check_fail(checker, expr->span, "expected a value, got type '%s'", expr->name);
        return kiln_node_error(checker, expr->span);
    }
    if (symbol->kind == KILN_SYMBOL_REFERENCE) {
        kiln_check_fail(checker, expr->span, "'%s' points to a variable, not to memory; use *%s",
                        expr->name, expr->name);
        return kiln_node_error(checker, expr->span);
    }
    if (symbol->kind == KILN_SYMBOL_CONSTANT)
        return kiln_node_constant(checker, symbol->constant, expr->span);
    return kiln_node_variable(checker, symbol->variable, expr->span);
}

static kiln_node_t *check_slice(kiln_checker_t *checker, const kiln_expr_t *expr, kiln_node_t *base)
{
    int kept = 0;
    if (kiln_node_is_error(base))
        return base;
    if (kiln_tile_is_struct(&base->type)) {
        kiln_check_fail(checker, expr->span, "%s has members, not elements",
                        KILN_TYPE_TEXT(checker, &base->type));
        kiln_check_note_declaration(checker, base);
        return kiln_node_error(checker, expr->span);
    }
    kiln_node_t *node =
        kiln_node_make(checker, KILN_NODE_EXPAND, &base->type, expr->span, expr->at);
    node->a = base;
    if (expr->count > KILN_TILE_RANK_LIMIT) {
        kiln_check_fail(checker, expr->span, "a tile has at most %d dimensions",
                        KILN_TILE_RANK_LIMIT);
        return kiln_node_error(checker, expr->span);
    }
    node->type.rank = (int)expr->count;
    for (int i = 0; i < node->type.rank; i++) {
        const kiln_expr_t *item = expr->list[i];
        if (item->kind == KILN_EXPR_NONE) {
            node->axes[node->axis_count++] = i;
            node->type.shape[i] = 1;
        } else if (item->kind == KILN_EXPR_ALL) {
            node->type.shape[i] = kept < base->type.rank ? base->type.shape[kept] : 1;
            kept++;
        } else {
            kiln_check_fail(checker, item->span,
                            "a subscript of a tile consists of ':' and 'None'");
            return kiln_node_error(checker, expr->span);
        }
    }
    if (kept != base->type.rank) {
        kiln_check_fail(checker, expr->span, "%s has %d dimension%s, but the subscript has %d ':'",
                        KILN_TYPE_TEXT(checker, &base->type), base->type.rank,
                        base->type.rank == 1 ? "" : "s", kept);
        kiln_check_note_declaration(checker, base);
        return kiln_node_error(checker, expr->span);
    }
    base->span = node->axis_count ? base->span : expr->span;
    return node->axis_count ? node : base;
}

static kiln_node_t *check_index(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    if (kiln_is_slice(expr))
        return check_slice(checker, expr, kiln_check_expr(checker, expr->a));
    kiln_node_t *pointer = kiln_check_place(checker, expr);
    if (!pointer) {
        kiln_check_fail(
            checker, expr->span,
            "expected one index into a pointer, or ':' and 'None' for each dimension of a tile");
        return kiln_node_error(checker, expr->span);
    }
    return kiln_node_is_error(pointer)
               ? pointer
               : kiln_check_load(checker, pointer, NULL, NULL, expr->span, expr->at);
}

static kiln_node_t *check_call(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    const kiln_builtin_t *builtin = kiln_builtin_find(expr->name);
    if (builtin)
        return kiln_check_builtin_call(checker, builtin, expr);
    const kiln_function_syntax_t *function = kiln_function_find(checker, expr->name);
    if (function && !function->is_kernel)
        return kiln_check_expansion(checker, function, expr);
    if (function) {
        kiln_check_fail(checker, expr->at, "cannot call kernel '%s'; kernels are launched",
                        expr->name);
        return kiln_node_error(checker, expr->span);
    }
    const kiln_library_t *library = kiln_library_find(expr->name);
    if (library)
        return kiln_check_library_call(checker, library, expr);
    kiln_check_fail(checker, expr->at, "call to undeclared function '%s'%s", expr->name,
                    kiln_suggest_function(checker, expr->name).text);
    return kiln_node_error(checker, expr->span);
}

static kiln_node_t *check_sizeof(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    kiln_tile_type_t type;
    if (!kiln_resolve_type(checker, expr->type, NULL, &type))
        return kiln_node_error(checker, expr->span);
    if (kiln_tile_is_struct(&type)) {
        kiln_check_fail(checker, expr->span, "%s has no size: structs are values, not memory",
                        KILN_TYPE_TEXT(checker, &type));
        return kiln_node_error(checker, expr->span);
    }
    int bits = type.is_pointer ? 64 : kiln_scalar_row(type.scalar)->bits;
    return kiln_node_int(checker, KILN_SCALAR_I32, (bits + 7) / 8 * kiln_tile_type_count(&type),
                         expr->span);
}

static kiln_node_t *check_cast(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    kiln_tile_type_t type;
    if (expr->a->kind == KILN_EXPR_LIST) {
        kiln_resolve_type(checker, expr->type, NULL, &type);
        return kiln_check_struct_list(checker, &type, expr->a);
    }
    bool is_type = kiln_resolve_element(checker, expr->type, &type);
    kiln_node_t *operand = kiln_check_expr(checker, expr->a);
    return is_type ? kiln_cast(checker, operand, &type, expr->at)
                   : kiln_node_error(checker, expr->span);
}

static kiln_node_t *check_literal(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    if (expr->kind == KILN_EXPR_INTEGER)
        return kiln_node_int(checker, expr->scalar ? expr->scalar : KILN_SCALAR_I32,
                             (int64_t)expr->integer, expr->span);
    if (expr->kind == KILN_EXPR_BOOL)
        return kiln_node_int(checker, KILN_SCALAR_BOOL, (int64_t)expr->integer, expr->span);
    // A literal without suffix is rounded when its type is known.
    kiln_constant_t constant = {
        .scalar = KILN_SCALAR_F32, .floating = expr->floating, .rest = expr->rest};
    if (expr->scalar) {
        kiln_warn_literal(checker, expr->scalar, expr->floating, expr->span);
        constant = kiln_constant_literal(expr->scalar, expr->floating, expr->rest);
    }
    kiln_node_t *node = kiln_node_constant(checker, constant, expr->span);
    node->is_flexible = !expr->scalar;
    return node;
}

// Whether the left side of && or || decides the result.
static bool decides(kiln_operator_t op, const kiln_node_t *a)
{
    if (kiln_node_is_error(a) || !kiln_node_is_constant(a) ||
        (op != KILN_OPERATOR_LOGICAL_AND && op != KILN_OPERATOR_LOGICAL_OR))
        return false;
    return kiln_constant_is_true(a->constant) == (op == KILN_OPERATOR_LOGICAL_OR);
}

static kiln_node_t *check_expr_level(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    kiln_node_t *a, *b;
    switch (expr->kind) {
    case KILN_EXPR_INTEGER:
    case KILN_EXPR_FLOAT:
    case KILN_EXPR_BOOL:
        return check_literal(checker, expr);
    case KILN_EXPR_NAME:
        return check_name(checker, expr);
    case KILN_EXPR_UNARY:
        return check_unary(checker, expr);
    case KILN_EXPR_BINARY:
        a = kiln_check_expr(checker, expr->a);
        b = check_branch(checker, expr->b, decides(expr->op, a));
        if (expr->op == KILN_OPERATOR_COMMA)
            kiln_warn_discarded(checker, expr->a, a);
        else
            kiln_warn_precedence(checker, expr, a, b);
        return expr->op == KILN_OPERATOR_COMMA
                   ? kiln_node_sequence(checker, a, b)
                   : kiln_check_binary(checker, expr->op, a, b, expr->span, expr->at);
    case KILN_EXPR_ASSIGN:
        return check_assign(checker, expr);
    case KILN_EXPR_STEP:
        return check_step(checker, expr);
    case KILN_EXPR_CONDITIONAL:
        return check_conditional(checker, expr);
    case KILN_EXPR_CAST:
        return check_cast(checker, expr);
    case KILN_EXPR_SIZEOF:
        return check_sizeof(checker, expr);
    case KILN_EXPR_CALL:
        return check_call(checker, expr);
    case KILN_EXPR_INDEX:
        return check_index(checker, expr);
    case KILN_EXPR_MEMBER:
        return kiln_check_member(checker, expr);
    case KILN_EXPR_LIST:
    case KILN_EXPR_DESIGNATED: // initial values and arguments, handled by declarations and calls
        kiln_check_fail(
            checker, expr->span,
            "initializer list without a type; write it before the list: (struct pair){…}");
        break;
    case KILN_EXPR_STRING:
        kiln_check_fail(checker, expr->span,
                        "strings are allowed only as messages, formats and assembly");
        break;
    case KILN_EXPR_TYPE:
        kiln_check_fail(checker, expr->span, "expected a value, got a type");
        break;
    case KILN_EXPR_ADDRESS:
        return kiln_check_memory_address(checker, expr);
    case KILN_EXPR_ALL:
    case KILN_EXPR_NONE:
        kiln_check_fail(checker, expr->span, "':' and 'None' are allowed only in subscripts");
        break;
    }
    return kiln_node_error(checker, expr->span);
}

kiln_node_t *kiln_check_expr(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    kiln_node_t *node = kiln_check_enter(checker, expr->at) ? check_expr_level(checker, expr)
                                                            : kiln_node_error(checker, expr->span);
    kiln_check_leave(checker);
    return node;
}
