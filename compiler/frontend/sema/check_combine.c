// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reduce and scan with a user function, which combines two elements (scalars) and is expanded once
// into the operation's region.
//
//   f32 total[M] = reduce(x, 1, add);                    auto add(auto a, auto b) { return a + b; }
//   reduce(x, i, 1, better, &most, &where);              void better(f32 *x, i32 *i, f32 y, i32 j) { … }
//
// With one tile the function returns the combination; with several it gets the left elements by
// address, the right ones by value, and combines the right ones into the left. A built-in function
// with two arguments is accepted too. A struct of tiles is equivalent to several tiles, whose
// elements are passed to the function and returned as the same struct:
//
//   struct best { auto value, index; };                  struct best better(struct best a, struct best b) { … }
//   struct best b = reduce((struct best){x, i}, 1, better);
#include "frontend/sema/check_builtin.h"

#include <string.h>

typedef struct combine {
    const kiln_call_t *call;
    kiln_node_t **inputs;
    kiln_span_t *places; // locations of the results
    kiln_variable_t **targets;
    const kiln_expr_t *function;
    kiln_node_t *first; // the tile or struct, if there is only one; else NULL
    size_t count;       // number of tiles
    size_t has_axis;    // 0 or 1
    int axis;
    int rank; // of the tiles before conversion to rows
} combine_t;

bool kiln_check_names_function(kiln_checker_t *checker, const kiln_expr_t *expr)
{
    return expr->kind == KILN_EXPR_NAME && !kiln_symbol_find(checker, expr->name) &&
           (kiln_function_find(checker, expr->name) || kiln_builtin_find(expr->name) ||
            kiln_library_find(expr->name));
}

// Classifies the arguments: tiles, axis, function, results.
static bool find_function(combine_t *combine)
{
    const kiln_call_t *call = combine->call;
    size_t at = 0;
    while (at < call->expr->count &&
           !kiln_check_names_function(call->checker, call->expr->list[at]))
        at++;
    if (at < 2 && at + 1 == call->expr->count && !call->builtin->detail)
        combine->has_axis = 0;
    else
        combine->has_axis = 1;
    if (at == call->expr->count || at < 1 + combine->has_axis) {
        kiln_check_fail(call->checker, call->expr->at,
                        "expected a function that combines two elements: %s", call->builtin->usage);
        return false;
    }
    combine->function = call->expr->list[at];
    combine->count = at - combine->has_axis;
    if (combine->count > KILN_BUILDER_COMBINE_LIMIT) {
        kiln_check_fail(call->checker, call->expr->at, "%s takes at most %d tiles",
                        call->builtin->name, KILN_BUILDER_COMBINE_LIMIT);
        return false;
    }
    size_t results = call->expr->count - at - 1;
    if (results == (combine->count > 1 ? combine->count : 0))
        return true;
    if (combine->count == 1)
        kiln_check_fail(call->checker, call->expr->at,
                        "%s of a single tile returns its result as its value", call->builtin->name);
    else
        kiln_check_fail(call->checker, call->expr->at,
                        "%zu tiles have %zu results, got %zu variables", combine->count,
                        combine->count, results);
    return false;
}

static bool check_inputs(combine_t *combine)
{
    const kiln_call_t *call = combine->call;
    kiln_checker_t *checker = call->checker;
    for (size_t i = 0; i < combine->count; i++) {
        kiln_node_t *x = combine->inputs[i] =
            combine->first ? combine->first : kiln_call_argument(call, i);
        if (!kiln_call_needs_tile(call, x))
            return false;
        if (x->type.is_pointer || !kiln_tile_is_arithmetic(&x->type) ||
            kiln_tile_is_float8(&x->type)) {
            kiln_check_fail(checker, x->span, "%s cannot be applied to %s", call->builtin->name,
                            KILN_TYPE_TEXT(checker, &x->type));
            return false;
        }
    }
    for (int round = 0; round < 2; round++)
        for (size_t i = 1; i < combine->count; i++)
            if (!kiln_convert_common_shape(checker, &combine->inputs[0], &combine->inputs[i],
                                           call->expr->at))
                return false;
    combine->rank = combine->inputs[0]->type.rank;
    if (combine->has_axis)
        return kiln_call_axis(call, combine->count, combine->inputs[0]->type.rank, &combine->axis);
    for (size_t i = 0; i < combine->count; i++)
        combine->inputs[i] = kiln_call_as_row(call, combine->inputs[i]);
    return true;
}

static bool check_targets(combine_t *combine)
{
    for (size_t i = 0; combine->count > 1 && i < combine->count; i++) {
        size_t index = combine->call->expr->count - combine->count + i;
        combine->places[i] = kiln_call_place(combine->call, index);
        combine->targets[i] =
            kiln_check_address(combine->call->checker, combine->call->expr->list[index]);
        if (!combine->targets[i])
            return false;
    }
    return true;
}

static kiln_region_t *check_region(combine_t *combine)
{
    kiln_checker_t *checker = combine->call->checker;
    size_t count = combine->count;
    kiln_region_t *region = KILN_ARENA_NEW(checker->arena, kiln_region_t);
    region->parameter_count = 2 * count;
    region->result_count = count;
    region->parameters = KILN_ARENA_ARRAY(checker->arena, kiln_variable_t *, 2 * count);
    region->results = KILN_ARENA_ARRAY(checker->arena, kiln_node_t *, count);
    for (size_t i = 0; i < 2 * count; i++) {
        kiln_tile_type_t type = kiln_tile_scalar(combine->inputs[i % count]->type.scalar);
        region->parameters[i] = kiln_variable_make(checker, NULL, &type, combine->function->span);
    }
    const char *outer = checker->combining;
    checker->combining = combine->function->name;
    kiln_node_t *called =
        kiln_check_call_of(checker, combine->function->name, combine->function, region->parameters,
                           0, count > 1 ? count : 0, 2 * count);
    checker->combining = outer;
    if (kiln_node_is_error(called))
        return NULL;
    if (count == 1) {
        if (called->type.rank) {
            kiln_check_fail(checker, combine->function->span,
                            "'%s' must combine two scalars, but returns a tile, %s",
                            combine->function->name, KILN_TYPE_TEXT(checker, &called->type));
            return NULL;
        }
        region->results[0] =
            kiln_convert_implicitly(checker, called, &region->parameters[0]->type,
                                    combine->function->span, "combine elements so");
        return kiln_node_is_error(region->results[0]) ? NULL : region;
    }
    if (called->type.scalar != KILN_SCALAR_VOID) {
        kiln_check_fail(checker, combine->function->span,
                        "'%s' combines several elements, so it must return void and change its "
                        "first %zu parameters",
                        combine->function->name, count);
        return NULL;
    }
    region->body = kiln_action_make(checker, KILN_ACTION_EVALUATE, combine->function->span);
    region->body->value = called;
    for (size_t i = 0; i < count; i++)
        region->results[i] =
            kiln_node_variable(checker, region->parameters[i], combine->function->span);
    return region;
}

// Structs -----------------------------------------------------------------------------------------

// The struct as the program defines it, in which each member may be a tile or an element. NULL
// after a report.
static const kiln_struct_t *open_struct(const combine_t *combine, const kiln_node_t *x)
{
    const kiln_struct_t *structure = x->type.structure, *open = structure->origin;
    bool is_good = open && structure->member_count <= KILN_BUILDER_COMBINE_LIMIT;
    for (size_t i = 0; is_good && i < open->member_count; i++)
        is_good = open->members[i].is_auto && !kiln_tile_is_struct(&structure->members[i].type);
    if (is_good)
        return open;
    kiln_check_fail(combine->call->checker, x->span,
                    "%s takes structs of at most %d members, each 'auto': tiles outside of '%s', "
                    "elements inside it",
                    combine->call->builtin->name, KILN_BUILDER_COMBINE_LIMIT,
                    combine->function->name);
    return NULL;
}

// Takes the members as tiles of one shape.
static bool take_members(combine_t *combine, kiln_node_t *x)
{
    const kiln_call_t *call = combine->call;
    combine->count = x->type.structure->member_count;
    combine->inputs = KILN_ARENA_ARRAY(call->checker->arena, kiln_node_t *, combine->count);
    for (size_t i = 0; i < combine->count; i++) {
        kiln_node_t *member = combine->inputs[i] = kiln_struct_member(call->checker, x, i, x->span);
        if (!kiln_call_needs_tile(call, member))
            return false;
        if (member->type.is_pointer || !kiln_tile_is_arithmetic(&member->type) ||
            kiln_tile_is_float8(&member->type)) {
            kiln_check_fail(call->checker, x->span, "%s cannot be applied to member '%s', %s",
                            call->builtin->name, x->type.structure->members[i].name,
                            KILN_TYPE_TEXT(call->checker, &member->type));
            return false;
        }
    }
    for (int round = 0; round < 2; round++)
        for (size_t i = 1; i < combine->count; i++)
            if (!kiln_convert_common_shape(call->checker, &combine->inputs[0], &combine->inputs[i],
                                           call->expr->at))
                return false;
    combine->rank = combine->inputs[0]->type.rank;
    if (combine->has_axis)
        return kiln_call_axis(call, 1, combine->rank, &combine->axis);
    for (size_t i = 0; i < combine->count; i++)
        combine->inputs[i] = kiln_call_as_row(call, combine->inputs[i]);
    return true;
}

// Expands the function on two structs of elements.
static kiln_region_t *check_struct_region(combine_t *combine, const kiln_struct_t *open)
{
    kiln_checker_t *checker = combine->call->checker;
    const size_t count = combine->count;
    const kiln_span_t place = combine->function->span;
    kiln_region_t *region = KILN_ARENA_NEW(checker->arena, kiln_region_t);
    kiln_variable_t *structs[2];
    kiln_node_t *effects = NULL;
    region->parameter_count = 2 * count;
    region->result_count = count;
    region->parameters = KILN_ARENA_ARRAY(checker->arena, kiln_variable_t *, 2 * count);
    region->results = KILN_ARENA_ARRAY(checker->arena, kiln_node_t *, count);
    for (size_t side = 0; side < 2; side++) {
        kiln_node_t **values = KILN_ARENA_ARRAY(checker->arena, kiln_node_t *, count);
        for (size_t i = 0; i < count; i++) {
            kiln_tile_type_t type = kiln_tile_scalar(combine->inputs[i]->type.scalar);
            kiln_variable_t *parameter = kiln_variable_make(checker, NULL, &type, place);
            region->parameters[side * count + i] = parameter;
            values[i] = kiln_node_variable(checker, parameter, place);
        }
        kiln_node_t *packed = kiln_struct_pack(checker, open, values, NULL, place);
        if (kiln_node_is_error(packed))
            return NULL;
        structs[side] = packed->variable;
        effects = effects ? kiln_node_sequence(checker, effects, packed->a) : packed->a;
    }
    const char *outer = checker->combining;
    checker->combining = combine->function->name;
    kiln_node_t *called =
        kiln_check_call_of(checker, combine->function->name, combine->function, structs, 0, 0, 2);
    checker->combining = outer;
    if (kiln_node_is_error(called))
        return NULL;
    if (!kiln_tile_is_struct(&called->type) ||
        called->type.structure != structs[0]->type.structure) {
        kiln_check_fail(checker, place, "'%s' returns %s, but combines two of %s",
                        combine->function->name, KILN_TYPE_TEXT(checker, &called->type),
                        KILN_TYPE_TEXT(checker, &structs[0]->type));
        return NULL;
    }
    region->body = kiln_action_make(checker, KILN_ACTION_EVALUATE, place);
    region->body->value = called->a ? kiln_node_sequence(checker, effects, called->a) : effects;
    for (size_t i = 0; i < count; i++)
        region->results[i] = kiln_node_variable(checker, called->variable->members[i], place);
    return region;
}

static kiln_node_t *combine_structs(combine_t *combine, kiln_node_t *x, bool keeps, bool reverse)
{
    const kiln_call_t *call = combine->call;
    kiln_checker_t *checker = call->checker;
    const kiln_struct_t *open = open_struct(combine, x);
    kiln_region_t *region =
        open && take_members(combine, x) ? check_struct_region(combine, open) : NULL;
    if (!region)
        return kiln_call_fail(call);
    kiln_tile_type_t types[KILN_BUILDER_COMBINE_LIMIT];
    kiln_node_t **values = KILN_ARENA_ARRAY(checker->arena, kiln_node_t *, combine->count);
    for (size_t i = 0; i < combine->count; i++)
        types[i] = call->builtin->detail
                       ? combine->inputs[i]->type
                       : kiln_tile_without_axis(&combine->inputs[i]->type, combine->axis);
    kiln_node_t *node = kiln_call_make(call, &types[0], NULL, NULL, NULL);
    node->inputs = combine->inputs;
    node->input_count = combine->count;
    node->region = region;
    node->axes[0] = combine->axis;
    node->settings[0] = reverse;
    kiln_call_outputs(call, node, types, combine->count);
    for (size_t i = 0; i < combine->count; i++) {
        values[i] = kiln_node_variable(checker, node->outputs[i], call->expr->span);
        if (keeps)
            values[i] = kiln_call_keep_dims(call, values[i], combine->has_axis ? combine->axis : -1,
                                            combine->rank);
    }
    kiln_node_t *packed = kiln_struct_pack(checker, open, values, NULL, call->expr->span);
    if (!kiln_node_is_error(packed))
        packed->a = kiln_node_sequence(checker, node, packed->a);
    return packed;
}

kiln_node_t *kiln_check_builtin_combine(const kiln_call_t *call)
{
    kiln_checker_t *checker = call->checker;
    combine_t combine = {.call = call};
    bool is_scan = call->builtin->detail, keeps = false, reverse = false;
    if (!find_function(&combine))
        return kiln_call_fail(call);
    if (combine.count == 1) {
        combine.first = kiln_check_expr(checker, call->expr->list[0]);
        if (kiln_tile_is_struct(&combine.first->type))
            return kiln_call_flag(call, KILN_BUILTIN_OPTION_KEEP_DIMS, false, &keeps) &&
                           kiln_call_flag(call, KILN_BUILTIN_OPTION_REVERSE, false, &reverse)
                       ? combine_structs(&combine, combine.first, keeps, reverse)
                       : kiln_call_fail(call);
    }
    combine.inputs = KILN_ARENA_ARRAY(checker->arena, kiln_node_t *, combine.count);
    combine.targets = KILN_ARENA_ARRAY(checker->arena, kiln_variable_t *, combine.count);
    combine.places = KILN_ARENA_ARRAY(checker->arena, kiln_span_t, combine.count);
    if (!check_inputs(&combine) || !check_targets(&combine) ||
        !kiln_call_flag(call, KILN_BUILTIN_OPTION_KEEP_DIMS, false, &keeps) ||
        !kiln_call_flag(call, KILN_BUILTIN_OPTION_REVERSE, false, &reverse))
        return kiln_call_fail(call);
    kiln_region_t *region = check_region(&combine);
    if (!region)
        return kiln_call_fail(call);
    kiln_tile_type_t types[KILN_BUILDER_COMBINE_LIMIT];
    for (size_t i = 0; i < combine.count; i++)
        types[i] = is_scan ? combine.inputs[i]->type
                           : kiln_tile_without_axis(&combine.inputs[i]->type, combine.axis);
    kiln_node_t *node = kiln_call_make(call, &types[0], NULL, NULL, NULL);
    node->inputs = combine.inputs;
    node->input_count = combine.count;
    node->region = region;
    node->axes[0] = combine.axis;
    node->settings[0] = reverse;
    kiln_call_outputs(call, node, types, combine.count);
    kiln_node_t **values = KILN_ARENA_ARRAY(checker->arena, kiln_node_t *, combine.count);
    for (size_t i = 0; i < combine.count; i++) {
        values[i] = combine.count > 1
                        ? kiln_node_variable(checker, node->outputs[i], combine.places[i])
                        : node;
        if (keeps)
            values[i] = kiln_call_keep_dims(call, values[i], combine.has_axis ? combine.axis : -1,
                                            combine.rank);
    }
    return combine.count == 1 ? values[0]
                              : kiln_check_results(checker, node, values, combine.targets,
                                                   combine.places, combine.count);
}
