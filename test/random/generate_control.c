// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements that contain others: loops, branches, functions, early returns, streaming through
// memory.
//
// A float carried by a loop grows with each iteration. Therefore only sums of a bounded term are
// carried, with a bound for all iterations, and nothing else in the loop uses them.
#include <math.h>
#include <string.h>

#include "generate.h"

enum { MAX_CARRIED = 3 };

// State to restore when a scope ends.
typedef struct scope {
    int pool_count;
    bool was_nested;
} scope_t;

static scope_t begin_scope(generator_t *g)
{
    scope_t scope = {g->pool_count, g->is_nested};
    g->is_nested = true;
    g->depth++;
    return scope;
}

// Unused values of a branch or loop are sometimes stored.
static void end_statements(generator_t *g, scope_t scope)
{
    if (!chance(g, 3))
        return;
    if (g->pool_count > scope.pool_count && g->pool[g->pool_count - 1].shape.rank &&
        !g->pool[g->pool_count - 1].mask)
        store_value(g, g->pool[g->pool_count - 1], 0);
}

static void end_scope(generator_t *g, scope_t scope)
{
    g->pool_count = scope.pool_count;
    g->is_nested = scope.was_nested;
    g->depth--;
}

static value_t like(generator_t *g, value_t a)
{
    value_t v = new_value(g, a.type, a.shape);
    if (is_float(a.type)) {
        v = a;
        v.id = g->next_id;
    }
    return v;
}

int integer(generator_t *g, const char *type, int value)
{
    int id = ++g->next_id;
    line(g, "%%v%d = arith.constant %d : %s", id, value, type);
    return id;
}

// Picks integers for a loop to carry.
static int pick_carried(generator_t *g, value_t *out)
{
    int count = (int)draw(g, MAX_CARRIED + 1);
    for (int i = 0; i < count; i++) {
        request_t request = {.type = some_integer(g), .any_shape = true};
        if (pick(g, &request, &out[i]))
            continue;
        request.any_shape = false;
        request.shape = some_shape(g, 2);
        out[i] = need(g, &request);
    }
    return count;
}

// "%v5 = %v1, …" and "tensor<…>, …" of a loop's carried values.
static void append_list(kiln_string_t *to, const value_t *left, const value_t *right, int count)
{
    for (int i = 0; i < count; i++)
        kiln_string_appendf(to, "%s%%v%d = %%v%d", i ? ", " : "", left[i].id, right[i].id);
}

static void append_ids(kiln_string_t *to, const value_t *values, int count)
{
    for (int i = 0; i < count; i++)
        kiln_string_appendf(to, "%s%%v%d", i ? ", " : "", values[i].id);
}

static void append_types(kiln_string_t *to, const value_t *values, int count)
{
    for (int i = 0; i < count; i++)
        kiln_string_appendf(to, "%s%s", i ? ", " : "", type_text(values[i].type, values[i].shape));
}

static const char *text(const kiln_string_t *s)
{
    return s->data ? s->data : "";
}

// Picks a float that the loop may sum: bounded over `turns` iterations.
static bool pick_sum(generator_t *g, int turns, value_t *start, double *limit)
{
    request_t request = {.type = some_float(g), .any_shape = true};
    if (!pick(g, &request, start) || start->is_special)
        return false;
    *limit = 8;
    return fits(start->type, start->max + *limit * turns, start->fraction);
}

bool make_for(generator_t *g)
{
    if (g->depth > 2)
        return false;
    int turns = (int)draw(g, 5), step = 1 + (int)draw(g, 3), first = (int)draw(g, 4) - 1;
    bool wide = chance(g, 4);
    const char *type = wide ? "i64" : "i32";
    value_t before[MAX_CARRIED + 1], inside[MAX_CARRIED + 1], after[MAX_CARRIED + 1],
        yields[MAX_CARRIED + 1];
    int count = pick_carried(g, before), integers = count;
    double limit = 0;
    if (chance(g, 2) && pick_sum(g, turns, &before[count], &limit))
        count++;
    // The bound is a constant, or an argument limited to at most three iterations.
    int low = integer(g, type, first), high, by = integer(g, type, step);
    if (!wide && !g->in_function && chance(g, 2)) {
        int argument = 1 + (int)draw(g, (uint32_t)g->program->scalar_count),
            mask = integer(g, "i32", 3), cut = ++g->next_id;
        line(g, "%%v%d = arith.andi %%v%d, %%v%d : i32", cut, argument, mask);
        high = ++g->next_id;
        line(g, "%%v%d = arith.addi %%v%d, %%v%d : i32", high, cut, low);
        turns = 3;
        if (count > integers && !fits(before[integers].type, before[integers].max + limit * 3,
                                      before[integers].fraction))
            count = integers;
    } else {
        high = integer(g, type, first + turns * step);
    }
    for (int i = 0; i < count; i++) {
        inside[i] = like(g, before[i]);
        after[i] = like(g, before[i]);
    }
    value_t induction = new_value(g, wide ? KILN_ELEMENT_I64 : KILN_ELEMENT_I32, (shape_t){0});
    kiln_string_t list = {0}, types = {0}, ids = {0}, results = {0};
    append_list(&list, inside, before, count);
    append_types(&types, inside, count);
    append_ids(&results, after, count);
    if (count)
        line(g, "%s = scf.for %%v%d = %%v%d to %%v%d step %%v%d iter_args(%s) -> (%s)  : %s {",
             text(&results), induction.id, low, high, by, text(&list), text(&types), type);
    else
        line(g, "scf.for %%v%d = %%v%d to %%v%d step %%v%d  : %s {", induction.id, low, high, by,
             type);
    scope_t scope = begin_scope(g);
    add_value(g, induction);
    for (int i = 0; i < integers; i++)
        add_value(g, inside[i]);
    statements(g, 6);
    end_statements(g, scope);
    for (int i = 0; i < integers; i++) {
        request_t request = {.type = before[i].type, .shape = before[i].shape};
        yields[i] = need(g, &request);
    }
    if (count > integers) {
        request_t request = {.type = before[integers].type,
                             .shape = before[integers].shape,
                             .max = limit,
                             .fraction = before[integers].fraction};
        value_t term = need(g, &request);
        yields[integers] = new_value(g, term.type, term.shape);
        line(g, "%%v%d = arith.addf %%v%d, %%v%d : %s", yields[integers].id, inside[integers].id,
             term.id, type_text(term.type, term.shape));
        after[integers].max = before[integers].max + limit * turns;
        after[integers].has_sign |= term.has_sign;
        after[integers].any_zero |= term.any_zero;
    }
    if (count) {
        append_ids(&ids, yields, count);
        line(g, "scf.yield %s : %s", text(&ids), text(&types));
    }
    end_scope(g, scope);
    if (chance(g, 4))
        line(g, "} {tt.num_stages = %d : i32}", 1 + (int)draw(g, 4));
    else
        line(g, "}");
    for (int i = 0; i < count; i++)
        add_value(g, after[i]);
    kiln_string_free(&list);
    kiln_string_free(&types);
    kiln_string_free(&ids);
    kiln_string_free(&results);
    return true;
}

// A loop whose counter decreases to zero.
bool make_while(generator_t *g)
{
    if (g->depth > 2)
        return false;
    value_t before[MAX_CARRIED + 1], first[MAX_CARRIED + 1], second[MAX_CARRIED + 1],
        after[MAX_CARRIED + 1], yields[MAX_CARRIED + 1];
    value_t start = new_value(g, KILN_ELEMENT_I32, (shape_t){0});
    line(g, "%%v%d = arith.constant %u : i32", start.id, draw(g, 5));
    before[0] = start;
    int count = 1 + pick_carried(g, before + 1);
    for (int i = 0; i < count; i++) {
        first[i] = like(g, before[i]);
        second[i] = like(g, before[i]);
        after[i] = like(g, before[i]);
    }
    kiln_string_t list = {0}, types = {0}, ids = {0}, results = {0}, header = {0};
    append_list(&list, first, before, count);
    append_types(&types, first, count);
    append_ids(&results, after, count);
    line(g, "%s = scf.while (%s) : (%s) -> (%s) {", text(&results), text(&list), text(&types),
         text(&types));
    scope_t scope = begin_scope(g);
    for (int i = 1; i < count; i++)
        add_value(g, first[i]);
    if (chance(g, 3))
        statements(g, 2);
    int zero = integer(g, "i32", 0), condition = ++g->next_id;
    line(g, "%%v%d = arith.cmpi sgt, %%v%d, %%v%d : i32", condition, first[0].id, zero);
    append_ids(&ids, first, count);
    line(g, "scf.condition(%%v%d) %s : %s", condition, text(&ids), text(&types));
    end_scope(g, scope);
    line(g, "} do {");
    for (int i = 0; i < count; i++)
        kiln_string_appendf(&header, "%s%%v%d: %s", i ? ", " : "", second[i].id,
                            type_text(second[i].type, second[i].shape));
    line(g, "^bb0(%s):", text(&header));
    scope = begin_scope(g);
    for (int i = 0; i < count; i++)
        add_value(g, second[i]);
    statements(g, 5);
    int one = integer(g, "i32", 1);
    yields[0] = new_value(g, KILN_ELEMENT_I32, (shape_t){0});
    line(g, "%%v%d = arith.subi %%v%d, %%v%d : i32", yields[0].id, second[0].id, one);
    for (int i = 1; i < count; i++) {
        request_t request = {.type = before[i].type, .shape = before[i].shape};
        yields[i] = need(g, &request);
    }
    kiln_string_free(&ids);
    append_ids(&ids, yields, count);
    line(g, "scf.yield %s : %s", text(&ids), text(&types));
    end_scope(g, scope);
    line(g, "}");
    for (int i = 0; i < count; i++)
        add_value(g, after[i]);
    kiln_string_free(&list);
    kiln_string_free(&types);
    kiln_string_free(&ids);
    kiln_string_free(&results);
    kiln_string_free(&header);
    return true;
}

bool make_if(generator_t *g)
{
    if (g->depth > 2)
        return false;
    request_t condition = {.type = KILN_ELEMENT_I1};
    value_t c, results[MAX_CARRIED];
    if (!pick(g, &condition, &c)) { // compare two scalars
        static const type_t types[] = {KILN_ELEMENT_I32, KILN_ELEMENT_I64, KILN_ELEMENT_F32};
        request_t scalar = {.type = types[draw(g, 3)]};
        value_t a = need(g, &scalar), b = need(g, &scalar);
        c = new_value(g, KILN_ELEMENT_I1, (shape_t){0});
        line(g, "%%v%d = arith.%s, %%v%d, %%v%d : %s", c.id,
             is_float(a.type) ? "cmpf olt" : "cmpi slt", a.id, b.id, type_text(a.type, a.shape));
        add_value(g, c);
    }
    int count = (int)draw(g, MAX_CARRIED + 1);
    for (int i = 0; i < count; i++) {
        type_t type = chance(g, 3) ? some_float(g) : some_integer(g);
        results[i] = new_value(g, type, chance(g, 4) ? (shape_t){0} : some_shape(g, 2));
    }
    kiln_string_t types = {0}, ids = {0};
    append_types(&types, results, count);
    append_ids(&ids, results, count);
    if (count)
        line(g, "%s = scf.if %%v%d -> (%s) {", text(&ids), c.id, text(&types));
    else
        line(g, "scf.if %%v%d {", c.id);
    int sides = count ? 2 : 1 + (int)draw(g, 2);
    for (int side = 0; side < sides; side++) {
        value_t yields[MAX_CARRIED];
        if (side)
            line(g, "} else {");
        scope_t scope = begin_scope(g);
        statements(g, 5);
        end_statements(g, scope);
        for (int i = 0; i < count; i++) {
            request_t request = {.type = results[i].type,
                                 .shape = results[i].shape,
                                 .specials = is_float(results[i].type)};
            yields[i] = need(g, &request);
            results[i].max = yields[i].max > results[i].max ? yields[i].max : results[i].max;
            results[i].fraction =
                yields[i].fraction > results[i].fraction ? yields[i].fraction : results[i].fraction;
            results[i].is_special |= yields[i].is_special;
            results[i].has_sign |= yields[i].has_sign;
            results[i].any_zero |= yields[i].any_zero;
        }
        kiln_string_free(&ids);
        append_ids(&ids, yields, count);
        if (count)
            line(g, "scf.yield %s : %s", text(&ids), text(&types));
        end_scope(g, scope);
    }
    line(g, "}");
    for (int i = 0; i < count; i++)
        add_value(g, results[i]);
    kiln_string_free(&types);
    kiln_string_free(&ids);
    return true;
}

// A choice of two to four branches by a number: scf.index_switch, or blocks in an
// scf.execute_region.
bool make_switch(generator_t *g)
{
    if (g->depth > 2)
        return false;
    request_t scalar = {.type = KILN_ELEMENT_I32};
    value_t a = need(g, &scalar), flag = new_value(g, KILN_ELEMENT_I32, (shape_t){0}),
            results[MAX_CARRIED];
    int three = integer(g, "i32", 3), sides = 2 + (int)draw(g, 3),
        count = (int)draw(g, MAX_CARRIED + 1);
    line(g, "%%v%d = arith.andi %%v%d, %%v%d : i32", flag.id, a.id, three);
    for (int i = 0; i < count; i++)
        results[i] = new_value(g, some_integer(g), chance(g, 4) ? (shape_t){0} : some_shape(g, 2));
    kiln_string_t types = {0}, ids = {0};
    append_types(&types, results, count);
    append_ids(&ids, results, count);
    bool has_blocks = chance(g, 2);
    if (has_blocks) {
        line(g, "%s%sscf.execute_region%s%s%s {", text(&ids), count ? " = " : "",
             count ? " -> (" : "", text(&types), count ? ")" : "");
        line(g, "cf.switch %%v%d : i32, [default: ^bb0%s%s%s]", flag.id,
             sides > 1 ? ", 1: ^bb1" : "", sides > 2 ? ", 2: ^bb2" : "",
             sides > 3 ? ", 3: ^bb3" : "");
    } else {
        int index = ++g->next_id;
        line(g, "%%v%d = arith.index_cast %%v%d : i32 to index", index, flag.id);
        line(g, "%s%sscf.index_switch %%v%d%s%s", text(&ids), count ? " = " : "", index,
             count ? " -> " : "", text(&types));
    }
    for (int side = sides; side-- > 0;) { // the default comes last, as index_switch requires
        if (has_blocks)
            line(g, "^bb%d:", side);
        else if (side)
            line(g, "case %d {", side);
        else
            line(g, "default {");
        value_t yields[MAX_CARRIED];
        scope_t scope = begin_scope(g);
        statements(g, 4);
        end_statements(g, scope);
        for (int i = 0; i < count; i++)
            yields[i] = need(g, &(request_t){.type = results[i].type, .shape = results[i].shape});
        kiln_string_free(&ids);
        append_ids(&ids, yields, count);
        line(g, "scf.yield%s%s%s%s", count ? " " : "", text(&ids), count ? " : " : "",
             text(&types));
        end_scope(g, scope);
        if (!has_blocks)
            line(g, "}");
    }
    if (has_blocks)
        line(g, "}");
    for (int i = 0; i < count; i++)
        add_value(g, results[i]);
    kiln_string_free(&types);
    kiln_string_free(&ids);
    return true;
}

// Functions ---------------------------------------------------------------------------------------

static bool make_function(generator_t *g)
{
    function_t *f = &g->callees[g->callee_count];
    *f = (function_t){.parameter_count = 1 + (int)draw(g, MAX_PARAMETERS)};
    kiln_string_t header = {0}, *out = g->out;
    static value_t pool[MAX_POOL]; // the caller's, saved
    int pool_count = g->pool_count, depth = g->depth;
    bool was_nested = g->is_nested;
    memcpy(pool, g->pool, sizeof *pool * (size_t)pool_count);
    g->out = &g->functions;
    g->pool_count = 0;
    g->depth = 0;
    g->in_function = true;
    for (int i = 0; i < f->parameter_count; i++) {
        bool real = chance(g, 3);
        value_t *p = &f->parameters[i];
        *p = new_value(g, real ? KILN_ELEMENT_F32 : some_integer(g),
                       chance(g, 4) ? (shape_t){0} : some_shape(g, 2));
        p->max = real ? 64 : (double)INFINITY;
        p->fraction = real ? 4 : 0;
        p->has_sign = p->any_zero = real;
        add_value(g, *p);
        kiln_string_appendf(&header, "%s%%v%d: %s", i ? ", " : "", p->id,
                            type_text(p->type, p->shape));
    }
    kiln_string_t body = {0};
    g->out = &body;
    statements(g, 8);
    request_t any = {.any_type = true, .any_shape = true};
    if (!pick(g, &any, &f->result))
        f->result = f->parameters[0];
    line(g, "tt.return %%v%d : %s", f->result.id, type_text(f->result.type, f->result.shape));
    kiln_string_appendf(&g->functions,
                        "  tt.func private @f%d(%s) -> %s attributes {noinline = %s} {\n%s  }\n",
                        g->callee_count, text(&header), type_text(f->result.type, f->result.shape),
                        chance(g, 2) ? "true" : "false", text(&body));
    kiln_string_free(&header);
    kiln_string_free(&body);
    memcpy(g->pool, pool, sizeof *pool * (size_t)pool_count);
    g->pool_count = pool_count;
    g->out = out;
    g->depth = depth;
    g->is_nested = was_nested;
    g->in_function = false;
    g->callee_count++;
    return true;
}

bool make_call(generator_t *g)
{
    if (g->in_function)
        return false;
    if (!g->callee_count || (g->callee_count < MAX_FUNCTIONS && chance(g, 2)))
        make_function(g);
    int which = (int)draw(g, (uint32_t)g->callee_count);
    const function_t *f = &g->callees[which];
    value_t arguments[MAX_PARAMETERS], v = f->result;
    for (int i = 0; i < f->parameter_count; i++) {
        const value_t *p = &f->parameters[i];
        request_t request = {.type = p->type,
                             .shape = p->shape,
                             .max = is_float(p->type) ? p->max : 0,
                             .fraction = p->fraction};
        arguments[i] = need(g, &request);
    }
    kiln_string_t ids = {0}, types = {0};
    append_ids(&ids, arguments, f->parameter_count);
    append_types(&types, arguments, f->parameter_count);
    v.id = ++g->next_id;
    line(g, "%%v%d = tt.call @f%d(%s) : (%s) -> %s", v.id, which, text(&ids), text(&types),
         type_text(v.type, v.shape));
    add_value(g, v);
    kiln_string_free(&ids);
    kiln_string_free(&types);
    return true;
}

// Returns early: the rest only runs if a scalar condition is false.
bool make_return(generator_t *g)
{
    request_t scalar = {.type = KILN_ELEMENT_I32};
    value_t a;
    if (g->in_function || g->is_nested || g->depth || g->block_count > 3 || !pick(g, &scalar, &a))
        return false;
    int bound = integer(g, "i32", (int)draw(g, 8)), condition = ++g->next_id,
        block = g->block_count += 2;
    line(g, "%%v%d = arith.cmpi eq, %%v%d, %%v%d : i32", condition, a.id, bound);
    line(g, "cf.cond_br %%v%d, ^bb%d, ^bb%d", condition, block - 1, block);
    line(g, "^bb%d:", block - 1);
    int pool_count = g->pool_count;
    if (chance(g, 2))
        make_store(g);
    g->pool_count = pool_count;
    line(g, "tt.return");
    line(g, "^bb%d:", block);
    return true;
}

// A loop that streams through memory: a tensor of pointers advances, loads may be masked by the
// iteration, a second load uses the first one as index, and a sum of integers is carried.
bool make_stream(generator_t *g)
{
    if (!has_room(g) || g->depth > 1)
        return false;
    static const type_t types[] = {KILN_ELEMENT_I32, KILN_ELEMENT_I32, KILN_ELEMENT_I64,
                                   KILN_ELEMENT_I16};
    type_t type = types[draw(g, 4)];
    shape_t shape = some_shape(g, 2), scalar = {0};
    int turns = (int)draw(g, 7), count = count_of(shape), size = count * (turns ? turns : 1);
    bool masked = chance(g, 2), indirect = chance(g, 2), stores = chance(g, 3),
         whole = chance(g, 3);
    int limit = masked ? size - (int)draw(g, (uint32_t)count)
                       : size; // the last iteration extends past the end
    int source = add_buffer(g, type, (size_t)limit), table = indirect ? add_buffer(g, type, 64) : 0,
        target = stores ? add_buffer(g, type, (size_t)size) : 0;
    value_t index = linear_index(g, shape, NULL),
            step = constant(g, KILN_ELEMENT_I32, shape, count);
    request_t request = {.type = type, .shape = shape};
    value_t start = need(g, &request), v = new_value(g, type, shape),
            sum = new_value(g, type, shape), x = new_value(g, type, shape);
    int pointers = pointers_at(g, source, index), low = integer(g, "i32", 0),
        high = integer(g, "i32", turns), one = integer(g, "i32", 1);
    int total = integer(g, "i32", limit), width = integer(g, "i32", count), i = ++g->next_id,
        at = ++g->next_id, next = ++g->next_id, end = ++g->next_id, added = ++g->next_id, mask = 0;
    char pt[128], tt[128], it[128];
    strcpy(pt, pointer_text(type, shape));
    strcpy(tt, type_text(type, shape));
    strcpy(it, type_text(KILN_ELEMENT_I32, shape));
    line(g,
         "%%v%d, %%v%d = scf.for %%v%d = %%v%d to %%v%d step %%v%d iter_args(%%v%d = %%v%d, %%v%d "
         "= %%v%d) -> (%s, %s) "
         " : i32 {",
         v.id, end, i, low, high, one, sum.id, start.id, at, pointers, tt, pt);
    scope_t scope = begin_scope(g);
    int offset = ++g->next_id, splat = ++g->next_id, here = ++g->next_id;
    if (masked || stores) {
        line(g, "%%v%d = arith.muli %%v%d, %%v%d : i32", offset, i, width);
        line(g, "%%v%d = tt.splat %%v%d : i32 -> %s", splat, offset, it);
        line(g, "%%v%d = arith.addi %%v%d, %%v%d : %s", here, index.id, splat, it);
    }
    if (masked) {
        int left = ++g->next_id, bound = ++g->next_id, zero = ++g->next_id;
        mask = ++g->next_id;
        line(g, "%%v%d = arith.subi %%v%d, %%v%d : i32", left, total, offset);
        line(g, "%%v%d = tt.splat %%v%d : i32 -> %s", bound, left, it);
        line(g, "%%v%d = arith.cmpi slt, %%v%d, %%v%d : %s", mask, index.id, bound, it);
        line(g, "%%v%d = arith.constant dense<3> : %s", zero, tt);
        line(g, "%%v%d = tt.load %%v%d, %%v%d, %%v%d : %s", x.id, at, mask, zero, pt);
    } else {
        line(g, "%%v%d = tt.load %%v%d : %s", x.id, at, pt);
    }
    add_value(g, x);
    if (indirect) {
        value_t cut = constant(g, type, shape, 63), low_bits = new_value(g, type, shape),
                looked = new_value(g, type, shape);
        int base = ++g->next_id, there = ++g->next_id;
        line(g, "%%v%d = arith.andi %%v%d, %%v%d : %s", low_bits.id, x.id, cut.id, tt);
        line(g, "%%v%d = tt.splat %%b%d : %s -> %s", base, table, pointer_text(type, scalar), pt);
        line(g, "%%v%d = tt.addptr %%v%d, %%v%d : %s, %s", there, base, low_bits.id, pt, tt);
        line(g, "%%v%d = tt.load %%v%d : %s", looked.id, there, pt);
        add_value(g, looked);
        x = looked;
    }
    if (whole)
        statements(g, 3);
    if (stores) {
        int base = ++g->next_id, there = ++g->next_id;
        g->program->buffers[target].is_output = true;
        line(g, "%%v%d = tt.splat %%b%d : %s -> %s", base, target, pointer_text(type, scalar), pt);
        line(g, "%%v%d = tt.addptr %%v%d, %%v%d : %s, %s", there, base, here, pt, it);
        line(g, "tt.store %%v%d, %%v%d : %s", there, x.id, pt);
    }
    line(g, "%%v%d = arith.addi %%v%d, %%v%d : %s", added, sum.id, x.id, tt);
    line(g, "%%v%d = tt.addptr %%v%d, %%v%d : %s, %s", next, at, step.id, pt, it);
    line(g, "scf.yield %%v%d, %%v%d : %s, %s", added, next, tt, pt);
    end_scope(g, scope);
    if (chance(g, 3))
        line(g, "} {tt.num_stages = %d : i32}", 1 + (int)draw(g, 4));
    else
        line(g, "}");
    add_value(g, v);
    return true;
}
