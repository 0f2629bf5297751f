// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs of random expressions: a kernel that computes hundreds of small ones, of all types of
// numbers, each with its own location in memory, from inputs full of extremes. An expression uses
// tiles, scalars that are uniform in a wave, or elements in a region of tt.map_elementwise, where
// lanes diverge at branches and loops.
#include "generate_expressions.h"

enum { PROGRAMS = 8, DEEPEST = 4 };

// Control -----------------------------------------------------------------------------------------

static value_t conditional(maker_t *m, type_t type, int depth)
{
    value_t condition = operand(m, KILN_ELEMENT_I1, depth), a = operand(m, type, depth),
            b = operand(m, type, depth);
    value_t v = select_of(m, condition, a, b);
    v.is_product = a.is_product || b.is_product;
    v.is_integer = a.is_integer || b.is_integer;
    return v;
}

// A condition or a count that is a scalar.
static value_t scalar_operand(maker_t *m, type_t type, int depth)
{
    place_t place = m->place;
    if (place == ON_TILES)
        m->place = ON_SCALARS;
    value_t v = operand(m, type, depth);
    m->place = place;
    return v;
}

// A value computed in a region, with the line that yields it.
static value_t region(maker_t *m, type_t type, int depth)
{
    int outside = m->g->pool_count;
    m->g->depth++;
    value_t v = operand(m, type, depth);
    line(m->g, "scf.yield %%v%d : %s", v.id, text_of(m, type));
    m->g->depth--;
    m->g->pool_count = outside;
    return v;
}

static value_t branch(maker_t *m, type_t type, int depth)
{
    generator_t *g = m->g;
    value_t condition = scalar_operand(m, KILN_ELEMENT_I1, depth), other = {0};
    const bool selects = m->place != ON_TILES && chance(g, 2); // by the same condition
    if (selects) {
        other = select_of(m, condition, leaf(m, type), leaf(m, type));
        add_value(g, other);
    }
    value_t v = new_value(g, type, shape_of(m));
    line(g, "%%v%d = scf.if %%v%d -> (%s) {", v.id, condition.id, text_of(m, type));
    value_t a = region(m, type, depth);
    line(g, "} else {");
    value_t b = region(m, type, depth);
    line(g, "}");
    v.is_product = a.is_product || b.is_product;
    v.any_zero = a.any_zero || b.any_zero;
    if (selects) {
        value_t w =
            chance(g, 2) ? select_of(m, condition, other, v) : select_of(m, condition, v, other);
        w.is_product = v.is_product;
        return w;
    }
    return v;
}

// A loop of up to three iterations, whose body may use the carried value.
static value_t loop(maker_t *m, type_t type, int depth)
{
    generator_t *g = m->g;
    value_t start = operand(m, type, depth), count = scalar_operand(m, KILN_ELEMENT_I32, depth);
    place_t place = m->place;
    m->place = place == ON_TILES ? ON_SCALARS : place;
    value_t zero = integer_number(m, KILN_ELEMENT_I32, 0),
            one = integer_number(m, KILN_ELEMENT_I32, 1);
    count = binary(m, "arith.andi", count, integer_number(m, KILN_ELEMENT_I32, 3));
    m->place = place;
    value_t v = new_value(g, type, shape_of(m)),
            turn = new_value(g, KILN_ELEMENT_I32, (shape_t){0}),
            sum = new_value(g, type, shape_of(m));
    line(g,
         "%%v%d = scf.for %%v%d = %%v%d to %%v%d step %%v%d iter_args(%%v%d = %%v%d) -> (%s) : i32 "
         "{",
         v.id, turn.id, zero.id, count.id, one.id, sum.id, start.id, text_of(m, type));
    int outside = g->pool_count;
    sum.is_product = v.is_product = is_float(type);
    add_value(g, sum);
    if (place != ON_TILES)
        add_value(g, turn);
    v.any_zero = start.any_zero | region(m, type, depth).any_zero;
    line(g, "}");
    g->pool_count = outside;
    return v;
}

value_t operation(maker_t *m, type_t type, int depth)
{
    generator_t *g = m->g;
    uint32_t form = draw(g, 24);
    value_t v;
    if (form < 20)
        v = is_float(type)            ? float_operation(m, type, depth)
            : type == KILN_ELEMENT_I1 ? bool_operation(m, depth)
                                      : integer_operation(m, type, depth);
    else if (form < 22)
        v = conditional(m, type, depth);
    else
        v = form == 22 ? branch(m, type, depth) : loop(m, type, depth);
    add_value(g, v);
    return v;
}

// Memory ------------------------------------------------------------------------------------------

// Elements from `offset` on of a buffer, as a tile of pointers.
static int tile_pointers(maker_t *m, int buffer, int offset)
{
    generator_t *g = m->g;
    type_t type = g->program->buffers[buffer].type;
    int first = ++g->next_id, all = ++g->next_id, pointers = ++g->next_id;
    const char *scalar = pointer_text(type, (shape_t){0}), *tile = pointer_text(type, m->tile);
    line(g, "%%v%d = tt.addptr %%b%d, %%v%d : %s, i32", first, buffer, offset, scalar);
    line(g, "%%v%d = tt.splat %%v%d : %s -> %s", all, first, scalar, tile);
    line(g, "%%v%d = tt.addptr %%v%d, %%v%d : %s, %s", pointers, all, RANGE, tile,
         type_text(KILN_ELEMENT_I32, m->tile));
    return pointers;
}

static void store_result(maker_t *m, value_t v)
{
    generator_t *g = m->g;
    int type = index_of(v.type), of_programs = PROGRAMS * m->tile.dims[0];
    int *which = &m->outputs[type][v.any_zero];
    if (!*which) {
        *which = g->program->buffer_count;
        g->program->buffers[g->program->buffer_count++] =
            (buffer_t){.type = v.type, .is_output = true, .any_zero = v.any_zero};
    }
    buffer_t *output = &g->program->buffers[*which];
    int slot = (int)output->count;
    output->count += (size_t)of_programs;
    int start = integer(g, "i32", slot), at = ++g->next_id;
    line(g, "%%v%d = arith.addi %%v%d, %%v%d : i32", at, start, OFFSET);
    if (v.shape.rank || chance(g, 2)) {
        int id = v.id;
        if (!v.shape.rank) {
            id = ++g->next_id;
            line(g, "%%v%d = tt.splat %%v%d : %s -> %s", id, v.id, type_text(v.type, v.shape),
                 type_text(v.type, m->tile));
        }
        line(g, "tt.store %%v%d, %%v%d : %s", tile_pointers(m, *which, at), id,
             pointer_text(v.type, m->tile));
        return;
    }
    int pointer = ++g->next_id;
    line(g, "%%v%d = tt.addptr %%b%d, %%v%d : %s, i32", pointer, *which, at,
         pointer_text(v.type, v.shape));
    line(g, "tt.store %%v%d, %%v%d : %s", pointer, v.id, pointer_text(v.type, v.shape));
}

// Wraps the elements' expression. The tiles that it uses are known only after it is generated.
static value_t on_elements(maker_t *m, type_t type, int depth)
{
    generator_t *g = m->g;
    kiln_string_t inside = {0}, *outside = g->out;
    g->out = &inside;
    g->depth++;
    m->used_elements = 0;
    value_t result = operation(m, type, depth);
    if (!m->used_elements) // the operation needs at least one operand
        m->used_elements = 1;
    line(g, "tt.map_elementwise.return %%v%d : %s", result.id, type_text(type, (shape_t){0}));
    g->depth--;
    g->out = outside;
    kiln_string_t tiles = {0}, elements = {0}, tile_types = {0};
    for (int i = 0; i < 2 * TYPE_COUNT; i++)
        if (m->used_elements >> i & 1) {
            const char *comma = tiles.length ? ", " : "";
            kiln_string_appendf(&tiles, "%s%%v%d", comma, FIRST_TILE + i);
            kiln_string_appendf(&elements, "%s%%v%d: %s", comma, FIRST_ELEMENT + i,
                                kiln_element_type_name(expression_types[i / 2]));
            kiln_string_appendf(&tile_types, "%s%s", comma,
                                type_text(expression_types[i / 2], m->tile));
        }
    m->used_tiles |= m->used_elements;
    value_t v = new_value(g, type, m->tile);
    v.any_zero = result.any_zero;
    line(g, "%%v%d = \"tt.map_elementwise\"(%s) <{pack = 1 : i32}> ({", v.id, tiles.data);
    line(g, "^bb0(%s):", elements.data);
    kiln_string_append(g->out, inside.data);
    line(g, "}) : (%s) -> %s", tile_types.data, type_text(type, m->tile));
    kiln_string_free(&inside);
    kiln_string_free(&tiles);
    kiln_string_free(&elements);
    kiln_string_free(&tile_types);
    return v;
}

static void expression(maker_t *m)
{
    generator_t *g = m->g;
    type_t type = expression_types[draw(g, TYPE_COUNT)];
    int depth = 1 + (int)draw(g, DEEPEST);
    m->place = (place_t)draw(g, 3);
    g->pool_count = MAX_SCALARS + MAX_OTHERS;
    store_result(m,
                 m->place == ON_ELEMENTS ? on_elements(m, type, depth) : operation(m, type, depth));
}

// The pack ----------------------------------------------------------------------------------------

static void load_leaves(maker_t *m)
{
    generator_t *g = m->g;
    const char *tile = type_text(KILN_ELEMENT_I32, m->tile);
    line(g, "%%v%d = tt.get_program_id x : i32", PROGRAM_ID);
    line(g, "%%v%d = tt.make_range {start = 0 : i32, end = %d : i32} : %s", RANGE, m->tile.dims[0],
         tile);
    line(g, "%%v%d = arith.muli %%v%d, %%v%d : i32", OFFSET, PROGRAM_ID,
         integer(g, "i32", m->tile.dims[0]));
    line(g, "%%v%d = arith.addi %%v%d, %%v%d : i32", SECOND_OFFSET, OFFSET,
         integer(g, "i32", m->tile.dims[0] * PROGRAMS));
    for (int i = 0; i < 2 * TYPE_COUNT; i++) {
        type_t type = expression_types[i / 2];
        int offset = i % 2 ? SECOND_OFFSET : OFFSET;
        if (m->used_tiles >> i & 1)
            line(g, "%%v%d = tt.load %%v%d : %s", FIRST_TILE + i, tile_pointers(m, i / 2, offset),
                 pointer_text(type, m->tile));
        if (m->used_scalars >> i & 1) {
            int pointer = ++g->next_id;
            const char *text = pointer_text(type, (shape_t){0});
            line(g, "%%v%d = tt.addptr %%b%d, %%v%d : %s, i32", pointer, i / 2, offset, text);
            line(g, "%%v%d = tt.load %%v%d : %s", FIRST_SCALAR + i, pointer, text);
        }
    }
}

static void add_arguments(generator_t *g)
{
    static const int numbers[] = {0, 1, -1, INT32_MIN, INT32_MAX, 60000, -77, 31};
    static const type_t others[] = {KILN_ELEMENT_I64, KILN_ELEMENT_F32};
    program_t *p = g->program;
    p->scalar_count = MAX_SCALARS;
    p->other_count = MAX_OTHERS;
    for (int i = 0; i < MAX_SCALARS; i++) {
        p->scalars[i] = numbers[draw(g, 8)];
        add_value(g, new_value(g, KILN_ELEMENT_I32, (shape_t){0}));
    }
    for (int i = 0; i < MAX_OTHERS; i++) {
        p->others[i].type = others[i];
        p->others[i].value = (int)draw(g, 200) - 100;
        p->others[i].bits = (uint64_t)p->others[i].value;
        if (is_float(others[i])) {
            p->others[i].bits = 0;
            kiln_element_from_double(others[i], p->others[i].value, &p->others[i].bits);
        }
        add_value(g, new_value(g, others[i], (shape_t){0}));
    }
}

void program_generate_expressions(uint64_t pack, choices_t *expressions, int count,
                                  program_t *program)
{
    static const int sizes[] = {64, 128, 64, 256};
    *program =
        (program_t){.grid = {PROGRAMS, 1, 1}, .num_stages = 2, .kpack = 1, .data_seed = pack};
    choices_t options = {.state = pack};
    generator_t generator = {.choices = &options, .program = program}, *g = &generator;
    maker_t m = {.g = g, .tile = {.rank = 1, .dims = {sizes[draw(g, 4)]}}};
    program->num_warps = chance(g, 4) ? 2 : 1;
    program->checks = chance(g, 16);
    add_arguments(g);
    choices_free(&options);
    for (int i = 0; i < TYPE_COUNT; i++)
        program->buffers[program->buffer_count++] =
            (buffer_t){.type = expression_types[i],
                       .count = (size_t)(2 * PROGRAMS * m.tile.dims[0]),
                       .is_wild = true};
    kiln_string_t body = {0};
    g->out = &body;
    g->next_id = FIRST_TEMPORARY;
    for (int i = 0; i < count; i++) {
        g->choices = &expressions[i];
        g->lines = 0;
        expression(&m);
    }
    g->out = &g->body;
    load_leaves(&m);
    kiln_string_append(&g->body, body.data);
    kiln_string_free(&body);
    program_write(g);
}
