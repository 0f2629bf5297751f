// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts types as written to types, and handles definitions: typedef, struct, enum.
//
// The sizes in a definition are evaluated where the definition is written: at file scope they see
// the file's constants, in a helper the constants of the call.
#include "frontend/sema/check.h"

#include <string.h>

// Constants and shapes ----------------------------------------------------------------------------

bool kiln_check_constant_int(kiln_checker_t *checker, const kiln_expr_t *expr, const char *what,
                             int64_t *out)
{
    kiln_node_t *node = kiln_check_expr(checker, expr);
    if (kiln_node_is_error(node))
        return false;
    if (!kiln_node_is_constant(node) || !kiln_tile_is_integer(&node->type)) {
        kiln_check_fail(checker, expr->span, "%s must be an integer constant; make it 'constexpr'",
                        what);
        kiln_check_note_declaration(checker, node);
        return false;
    }
    *out = node->constant.integer;
    if (node->type.scalar == KILN_SCALAR_U64 && *out < 0)
        *out = INT64_MAX;
    return true;
}

bool kiln_check_shape(kiln_checker_t *checker, const kiln_tile_type_t *type, kiln_span_t at)
{
    int64_t count = 1;
    for (int i = 0; i < type->rank; i++) {
        int64_t size = type->shape[i];
        if (size <= 0 || (size & (size - 1))) {
            kiln_check_fail(checker, at,
                            "the sizes of a tile must be powers of two; dimension %d is %lld", i,
                            (long long)size);
            return false;
        }
        if (size > KILN_BUILDER_COUNT_LIMIT || (count *= size) > KILN_BUILDER_COUNT_LIMIT) {
            kiln_check_fail(checker, at, "a tile has at most %d elements",
                            KILN_BUILDER_COUNT_LIMIT);
            return false;
        }
    }
    return true;
}

// Types in the syntax tree ------------------------------------------------------------------------

// A type's name: typedef, `constexpr type`, struct, enum.
static bool resolve_name(kiln_checker_t *checker, const kiln_type_syntax_t *syntax,
                         kiln_tile_type_t *out)
{
    const kiln_symbol_t *symbol = kiln_symbol_find(checker, syntax->name);
    if (!symbol || symbol->kind != KILN_SYMBOL_TYPE) {
        kiln_check_fail(checker, syntax->span, "'%s' is not a type here", syntax->name);
        return false;
    }
    *out = symbol->tile;
    if (!syntax->is_pointer || kiln_tile_type_is_error(out))
        return !kiln_tile_type_is_error(out);
    if (out->is_pointer || out->rank || kiln_tile_is_struct(out)) {
        kiln_check_fail(
            checker, syntax->span,
            "memory holds scalars, so a pointer to %s is allowed only as a helper's parameter that "
            "receives '&variable'",
            out->is_pointer            ? "a pointer"
            : kiln_tile_is_struct(out) ? "a struct"
                                       : "a tile");
        return false;
    }
    out->is_pointer = true;
    out->is_const = syntax->is_const;
    return true;
}

// All except the declarator's sizes; a typedef may have sizes of its own.
static bool resolve_base(kiln_checker_t *checker, const kiln_type_syntax_t *syntax,
                         kiln_tile_type_t *out)
{
    *out = (kiln_tile_type_t){.scalar = syntax->scalar,
                              .is_pointer = syntax->is_pointer,
                              .is_const = syntax->is_const && syntax->is_pointer};
    if (syntax->name && !resolve_name(checker, syntax, out)) {
        *out = kiln_tile_scalar(KILN_SCALAR_NONE);
        return false;
    }
    if (syntax->is_auto || (out->scalar == KILN_SCALAR_VOID && syntax->is_pointer)) {
        kiln_check_fail(checker, syntax->span,
                        syntax->is_auto ? "'auto' is not allowed here"
                                        : "a pointer needs the type that it points to");
        out->scalar = KILN_SCALAR_NONE;
        return false;
    }
    return out->scalar != KILN_SCALAR_NONE;
}

bool kiln_resolve_element(kiln_checker_t *checker, const kiln_type_syntax_t *syntax,
                          kiln_tile_type_t *out)
{
    if (!resolve_base(checker, syntax, out))
        return false;
    if (!out->rank)
        return true;
    kiln_check_fail(checker, syntax->span, "'%s' is %s; expected an element type", syntax->name,
                    KILN_TYPE_TEXT(checker, out));
    *out = kiln_tile_scalar(KILN_SCALAR_NONE);
    return false;
}

bool kiln_resolve_scalar(kiln_checker_t *checker, const kiln_type_syntax_t *syntax,
                         kiln_tile_type_t *out)
{
    if (!kiln_resolve_element(checker, syntax, out))
        return false;
    if (!out->is_pointer && !kiln_tile_is_struct(out))
        return true;
    kiln_check_fail(checker, syntax->span, "this is %s; expected an element type",
                    KILN_TYPE_TEXT(checker, out));
    *out = kiln_tile_scalar(KILN_SCALAR_NONE);
    return false;
}

// Prepends the declarator's sizes to those of the type. With `open`, an unspecified size is 0.
static bool resolve_dims(kiln_checker_t *checker, const kiln_type_syntax_t *syntax,
                         const kiln_tile_type_t *initializer, bool *open, kiln_tile_type_t *type)
{
    if (!syntax->dim_count)
        return true;
    if (kiln_tile_is_struct(type)) {
        kiln_check_fail(checker, syntax->span,
                        "arrays of structs are not supported; use a struct of tiles");
        return false;
    }
    int own = (int)syntax->dim_count, rank = own + type->rank;
    if (syntax->dim_count > KILN_TILE_RANK_LIMIT || rank > KILN_TILE_RANK_LIMIT) {
        kiln_check_fail(checker, syntax->span, "a tile has at most %d dimensions",
                        KILN_TILE_RANK_LIMIT);
        return false;
    }
    memmove(type->shape + own, type->shape, sizeof type->shape[0] * (size_t)type->rank);
    type->rank = rank;
    kiln_tile_type_t known = *type; // an unspecified size counts as 1 here
    for (int i = 0; i < own; i++) {
        if (syntax->dims[i]) {
            if (!kiln_check_constant_int(checker, syntax->dims[i], "a tile's size",
                                         &type->shape[i]))
                return false;
            known.shape[i] = type->shape[i];
        } else if (initializer && initializer->rank == rank) {
            known.shape[i] = type->shape[i] = initializer->shape[i];
        } else if (open) {
            *open = true;
            type->shape[i] = 0;
            known.shape[i] = 1;
        } else {
            kiln_check_fail(checker, syntax->span, "the size of dimension %d is not known", i);
            return false;
        }
    }
    return kiln_check_shape(checker, &known,
                            syntax->dims[0] ? syntax->dims[0]->span : syntax->span);
}

bool kiln_resolve_type(kiln_checker_t *checker, const kiln_type_syntax_t *syntax,
                       const kiln_tile_type_t *initializer, kiln_tile_type_t *out)
{
    if (!resolve_base(checker, syntax, out) ||
        !resolve_dims(checker, syntax, initializer, NULL, out)) {
        *out = kiln_tile_scalar(KILN_SCALAR_NONE);
        return false;
    }
    if (initializer && kiln_struct_fills(initializer, out))
        *out = *initializer;
    return true;
}

// Definitions -------------------------------------------------------------------------------------

static void declare_type(kiln_checker_t *checker, const kiln_stmt_t *stmt,
                         const kiln_tile_type_t *type)
{
    kiln_symbol_declare(
        checker, &(kiln_symbol_t){
                     .kind = KILN_SYMBOL_TYPE, .name = stmt->name, .at = stmt->at, .tile = *type});
}

void kiln_check_typedef(kiln_checker_t *checker, const kiln_stmt_t *stmt)
{
    kiln_tile_type_t type;
    if (kiln_resolve_type(checker, stmt->type, NULL, &type) && type.scalar == KILN_SCALAR_VOID) {
        kiln_check_fail(checker, stmt->type->span, "void cannot be named by typedef");
        type.scalar = KILN_SCALAR_NONE;
    }
    declare_type(checker, stmt, &type);
    if (!kiln_tile_is_struct(&type) || !type.structure->is_anonymous)
        return;
    // An anonymous struct is known only by the typedef's name, so messages use it.
    for (size_t i = 0; i < checker->struct_count; i++)
        if (checker->structs[i] == type.structure) {
            checker->structs[i]->name = stmt->name;
            checker->structs[i]->is_anonymous = false;
        }
}

static bool resolve_member(kiln_checker_t *checker, const kiln_stmt_t *stmt,
                           kiln_struct_member_t *member)
{
    const kiln_type_syntax_t *syntax = stmt->type;
    *member = (kiln_struct_member_t){.name = stmt->name};
    if (syntax->is_auto) {
        member->is_open = member->is_auto = true;
        if (!syntax->is_pointer && !syntax->dim_count && !syntax->is_const)
            return true;
        kiln_check_fail(
            checker, stmt->at,
            "member 'auto %s' takes its type from an initial value, without sizes, '*' or 'const'",
            stmt->name);
        return false;
    }
    if (!resolve_base(checker, syntax, &member->type) ||
        !resolve_dims(checker, syntax, NULL, &member->is_open, &member->type))
        return false;
    if (member->type.scalar == KILN_SCALAR_VOID) {
        kiln_check_fail(checker, syntax->span, "a member cannot be void");
        return false;
    }
    if (syntax->is_const && !syntax->is_pointer) {
        kiln_check_fail(checker, syntax->span,
                        "a member cannot be const; declare variables of the struct const");
        return false;
    }
    if (kiln_tile_is_struct(&member->type) && member->type.structure->is_open)
        member->is_open = true;
    return true;
}

static bool find_duplicate(kiln_checker_t *checker, const kiln_stmt_t *stmt, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (stmt->list[i]->name != stmt->list[index]->name)
            continue;
        kiln_check_fail(checker, stmt->list[index]->at, "%s has a duplicate member '%s'",
                        stmt->name, stmt->list[i]->name);
        KILN_REPORT_NOTE(checker->reporter, stmt->list[i]->at, "the first one is here");
        return true;
    }
    return false;
}

void kiln_check_struct(kiln_checker_t *checker, const kiln_stmt_t *stmt)
{
    kiln_tile_type_t type = kiln_tile_scalar(KILN_SCALAR_NONE);
    kiln_struct_t structure = {
        .name = stmt->name, .definition = stmt, .is_anonymous = stmt->is_anonymous};
    structure.members = KILN_ARENA_ARRAY(checker->arena, kiln_struct_member_t, stmt->count + 1);
    bool is_ok = stmt->count > 0;
    if (!is_ok)
        kiln_check_fail(checker, stmt->at, "a struct must have at least one member");
    for (size_t i = 0; i < stmt->count; i++) {
        kiln_struct_member_t *member = &structure.members[structure.member_count++];
        is_ok = !find_duplicate(checker, stmt, i) &&
                resolve_member(checker, stmt->list[i], member) && is_ok;
        structure.is_open |= member->is_open;
        structure.leaf_count +=
            kiln_tile_is_struct(&member->type) ? member->type.structure->leaf_count : 1;
    }
    if (is_ok && structure.leaf_count > KILN_STRUCT_LEAF_LIMIT) {
        kiln_check_fail(checker, stmt->at,
                        "a struct has at most %d members, including those of nested structs",
                        KILN_STRUCT_LEAF_LIMIT);
        is_ok = false;
    }
    if (is_ok)
        type = (kiln_tile_type_t){.scalar = KILN_SCALAR_STRUCT,
                                  .structure = kiln_struct_intern(checker, &structure)};
    declare_type(checker, stmt, &type);
}

void kiln_check_enum(kiln_checker_t *checker, const kiln_stmt_t *stmt)
{
    int64_t value = 0;
    if (!stmt->count)
        kiln_check_fail(checker, stmt->at, "an enum must have at least one constant");
    for (size_t i = 0; i < stmt->count; i++, value++) {
        const kiln_stmt_t *item = stmt->list[i];
        kiln_symbol_t symbol = {.kind = KILN_SYMBOL_CONSTANT,
                                .name = item->name,
                                .at = item->at,
                                .is_enumerator = true};
        bool is_known =
            !item->value || kiln_check_constant_int(checker, item->value,
                                                    "the value of an enum's constant", &value);
        if (is_known && (value < INT32_MIN || value > INT32_MAX)) {
            kiln_check_fail(checker, item->at, "'%s' is %lld, which does not fit in i32",
                            item->name, (long long)value);
            is_known = false;
            value = 0;
        }
        if (is_known)
            symbol.constant = kiln_constant_int(KILN_SCALAR_I32, value);
        kiln_symbol_declare(checker, &symbol);
    }
    kiln_tile_type_t type = kiln_tile_scalar(KILN_SCALAR_I32);
    declare_type(checker, stmt, &type);
}
