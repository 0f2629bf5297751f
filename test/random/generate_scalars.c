// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nests of branches, loops and selections on a few scalar variables. A condition decides both a
// branch and selections before, in and after it. Conditions of i64 and f32 are computed in vector
// registers, those of i32 in scalar ones.
//
// Floats are only added, subtracted, negated and compared, which every side rounds alike; they may
// become infinite or NaN.
#include "generate.h"

enum { VARIABLES = 6, DEEPEST = 4, MOST_LINES = 500 };

static const type_t types[VARIABLES] = {KILN_ELEMENT_I64, KILN_ELEMENT_F32, KILN_ELEMENT_I32,
                                        KILN_ELEMENT_I64, KILN_ELEMENT_F32, KILN_ELEMENT_F64};

typedef struct variables {
    int ids[VARIABLES];
} variables_t;

static const char *name_of(type_t type)
{
    return kiln_element_type_name(type);
}

static int define(generator_t *g, const char *operation, type_t type, int a, int b)
{
    int id = ++g->next_id;
    line(g, "%%v%d = %s %%v%d, %%v%d : %s", id, operation, a, b, name_of(type));
    return id;
}

static int number(generator_t *g, type_t type)
{
    int id = ++g->next_id, value = (int)draw(g, 12) - 3;
    line(g, is_float(type) ? "%%v%d = arith.constant %d.0 : %s" : "%%v%d = arith.constant %d : %s",
         id, value, name_of(type));
    return id;
}

static int some_variable(generator_t *g, const variables_t *v, type_t type)
{
    int found[VARIABLES], count = 0;
    for (int i = 0; i < VARIABLES; i++)
        if (types[i] == type)
            found[count++] = v->ids[i];
    return chance(g, 4) ? number(g, type) : found[draw(g, (uint32_t)count)];
}

static int small(generator_t *g, const variables_t *v, int mask)
{
    int id = ++g->next_id;
    line(g, "%%v%d = arith.constant %d : i32", id, mask);
    return define(g, "arith.andi", KILN_ELEMENT_I32, some_variable(g, v, KILN_ELEMENT_I32), id);
}

static int expression(generator_t *g, const variables_t *v, type_t type)
{
    static const char *const integers[] = {"arith.addi", "arith.subi", "arith.muli", "arith.andi",
                                           "arith.xori"},
                             *const floats[] = {"arith.addf", "arith.subf"};
    uint32_t form = draw(g, 8);
    if (form == 0)
        return some_variable(g, v, type);
    if (form > 2)
        return define(g, is_float(type) ? floats[draw(g, 2)] : integers[draw(g, 5)], type,
                      some_variable(g, v, type), some_variable(g, v, type));
    int id;
    if (form == 1 && is_float(type)) {
        int a = some_variable(g, v, type);
        id = ++g->next_id;
        line(g, "%%v%d = arith.negf %%v%d : %s", id, a, name_of(type));
    } else if (type == KILN_ELEMENT_I32) {
        int a = some_variable(g, v, KILN_ELEMENT_I64);
        id = ++g->next_id;
        line(g, "%%v%d = arith.trunci %%v%d : i64 to i32", id, a);
    } else {
        int a = small(g, v, 15);
        id = ++g->next_id;
        line(g, "%%v%d = arith.%s %%v%d : i32 to %s", id, is_float(type) ? "sitofp" : "extsi", a,
             name_of(type));
    }
    return id;
}

static int condition(generator_t *g, const variables_t *v)
{
    static const char *const integers[] = {"slt", "sgt", "sle", "sge", "eq", "ult"},
                             *const floats[] = {"olt", "ogt", "ole", "oge", "oeq", "une"};
    type_t type = types[draw(g, VARIABLES)];
    int a = expression(g, v, type), b = some_variable(g, v, type), id = ++g->next_id;
    line(g, "%%v%d = arith.%s %s, %%v%d, %%v%d : %s", id, is_float(type) ? "cmpf" : "cmpi",
         is_float(type) ? floats[draw(g, 6)] : integers[draw(g, 6)], a, b, name_of(type));
    return id;
}

static void selections(generator_t *g, variables_t *v, int chosen, uint32_t most)
{
    for (uint32_t i = draw(g, most + 1); i > 0; i--) {
        int which = (int)draw(g, VARIABLES), a = expression(g, v, types[which]),
            b = some_variable(g, v, types[which]), id = ++g->next_id;
        line(g, "%%v%d = arith.select %%v%d, %%v%d, %%v%d : %s", id, chosen, a, b,
             name_of(types[which]));
        v->ids[which] = id;
    }
}

static void append_all(kiln_string_t *to, const char *prefix, const int *ids)
{
    kiln_string_append(to, prefix);
    for (int i = 0; i < VARIABLES; i++)
        kiln_string_appendf(to, "%s%%v%d", i ? ", " : "", ids[i]);
}

static void append_types(kiln_string_t *to)
{
    for (int i = 0; i < VARIABLES; i++)
        kiln_string_appendf(to, "%s%s", i ? ", " : "", name_of(types[i]));
}

static void yield(generator_t *g, const variables_t *v)
{
    kiln_string_t text = {0};
    append_all(&text, "scf.yield ", v->ids);
    kiln_string_append(&text, " : ");
    append_types(&text);
    line(g, "%s", text.data);
    kiln_string_free(&text);
}

static variables_t new_variables(generator_t *g)
{
    variables_t v;
    for (int i = 0; i < VARIABLES; i++)
        v.ids[i] = ++g->next_id;
    return v;
}

static void block(generator_t *g, variables_t *v, int depth);

static void branch(generator_t *g, variables_t *v, int depth)
{
    int chosen = condition(g, v);
    selections(g, v, chosen, 2);
    variables_t results = new_variables(g);
    kiln_string_t text = {0};
    append_all(&text, "", results.ids);
    kiln_string_appendf(&text, " = scf.if %%v%d -> (", chosen);
    append_types(&text);
    line(g, "%s) {", text.data);
    kiln_string_free(&text);
    for (int side = 0; side < 2; side++) {
        variables_t inside = *v;
        if (side)
            line(g, "} else {");
        g->depth++;
        selections(g, &inside, chosen, 1);
        block(g, &inside, depth - 1);
        yield(g, &inside);
        g->depth--;
    }
    line(g, "}");
    *v = results;
    selections(g, v, chosen, 1);
}

static void append_initial(kiln_string_t *text, const variables_t *inside, const variables_t *v)
{
    for (int i = 0; i < VARIABLES; i++)
        kiln_string_appendf(text, "%s%%v%d = %%v%d", i ? ", " : "", inside->ids[i], v->ids[i]);
}

// Up to three iterations.
static void count(generator_t *g, variables_t *v, int depth)
{
    variables_t inside = new_variables(g), results = new_variables(g);
    int high = small(g, v, 3), low = integer(g, "i32", 0), one = integer(g, "i32", 1),
        turn = ++g->next_id;
    kiln_string_t text = {0};
    append_all(&text, "", results.ids);
    kiln_string_appendf(&text, " = scf.for %%v%d = %%v%d to %%v%d step %%v%d iter_args(", turn, low,
                        high, one);
    append_initial(&text, &inside, v);
    kiln_string_append(&text, ") -> (");
    append_types(&text);
    line(g, "%s) : i32 {", text.data);
    kiln_string_free(&text);
    g->depth++;
    block(g, &inside, depth - 1);
    yield(g, &inside);
    g->depth--;
    line(g, "}");
    *v = results;
}

// A loop with a condition at its end or its head, which holds at most four times.
static void repeat(generator_t *g, variables_t *v, int depth)
{
    variables_t before = new_variables(g), after = new_variables(g), results = new_variables(g);
    int fuel = integer(g, "i64", 1 + (int)draw(g, 4)), at_head = ++g->next_id,
        in_body = ++g->next_id, unused = ++g->next_id;
    bool at_end = chance(g, 2);
    kiln_string_t text = {0}, all = {0};
    append_types(&all);
    append_all(&text, "", results.ids);
    kiln_string_appendf(&text, ", %%v%d = scf.while (", unused);
    append_initial(&text, &before, v);
    kiln_string_appendf(&text, ", %%v%d = %%v%d) : (%s, i64) -> (%s, i64) {", at_head, fuel,
                        all.data, all.data);
    line(g, "%s", text.data);
    kiln_string_free(&text);
    g->depth++;
    if (at_end)
        block(g, &before, depth - 1);
    int zero = integer(g, "i64", 0), has_fuel = ++g->next_id, continues = ++g->next_id;
    line(g, "%%v%d = arith.cmpi sgt, %%v%d, %%v%d : i64", has_fuel, at_head, zero);
    int chosen = condition(g, &before);
    line(g, "%%v%d = arith.andi %%v%d, %%v%d : i1", continues, has_fuel,
         chance(g, 3) ? has_fuel : chosen);
    selections(g, &before, continues, 1);
    append_all(&text, "", before.ids);
    line(g, "scf.condition(%%v%d) %s, %%v%d : %s, i64", continues, text.data, at_head, all.data);
    kiln_string_free(&text);
    g->depth--;
    line(g, "} do {");
    for (int i = 0; i < VARIABLES; i++)
        kiln_string_appendf(&text, "%%v%d: %s, ", after.ids[i], name_of(types[i]));
    line(g, "^bb0(%s%%v%d: i64):", text.data, in_body);
    kiln_string_free(&text);
    g->depth++;
    if (!at_end)
        block(g, &after, depth - 1);
    int one = integer(g, "i64", 1), less = define(g, "arith.subi", KILN_ELEMENT_I64, in_body, one);
    append_all(&text, "scf.yield ", after.ids);
    line(g, "%s, %%v%d : %s, i64", text.data, less, all.data);
    kiln_string_free(&text);
    kiln_string_free(&all);
    g->depth--;
    line(g, "}");
    *v = results;
}

static void block(generator_t *g, variables_t *v, int depth)
{
    for (uint32_t i = 1 + draw(g, 3); i > 0; i--) {
        uint32_t form = depth > 0 && g->lines < MOST_LINES ? draw(g, 10) : 0;
        int which = (int)draw(g, VARIABLES);
        if (form < 3)
            v->ids[which] = expression(g, v, types[which]);
        else if (form < 7)
            branch(g, v, depth);
        else if (form < 8)
            count(g, v, depth);
        else
            repeat(g, v, depth);
    }
}

bool make_scalars(generator_t *g)
{
    if (!has_room(g) || g->depth || g->in_function)
        return false;
    variables_t v;
    for (int i = 0; i < VARIABLES; i++) {
        if (chance(g, 3)) {
            v.ids[i] = number(g, types[i]);
            continue;
        }
        v.ids[i] = load_new(g, types[i], (shape_t){0}, is_float(types[i]) ? 8 : 100, false).id;
        if (g->program->buffer_count > MAX_BUFFERS - SPARE_BUFFERS)
            return true;
    }
    for (uint32_t i = 1 + draw(g, 2); i > 0; i--)
        block(g, &v, DEEPEST);
    for (int i = 0; i < VARIABLES && has_room(g); i++) {
        value_t result = {.id = v.ids[i], .type = types[i]};
        store_value(g, result, 0);
    }
    return true;
}
