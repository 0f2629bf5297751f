// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops in which arithmetic computes operands of matrix products, as in attention and in products
// of packed weights: what schedules of such loops move between iterations. With masks, pages,
// values of the previous iteration, and few or no iterations.
//
// Sums stay exact because what is carried is cut off at each iteration, or grows by little.
#include "generate.h"

enum { CUT = 4, CARRIED = 64, MOST = 8 }; // limits of tiles and of carried tiles; iterations

typedef struct carried {
    value_t first, inside, next;
} carried_t;

typedef struct chain {
    generator_t *g;
    type_t half;
    int m, n, d, at, column; // `at`: the loop's index; `column`: index of a block's column
    int limit;               // id of the number of columns that exist; 0: all
    int table, page;         // buffer of page numbers, and id of the block's; 0: none
    carried_t carried[4];
    int count;
    int pool_count; // values in scope before the loop
} chain_t;

static value_t emit(chain_t *c, const char *op, value_t a, value_t b)
{
    value_t v = new_value(c->g, a.type, a.shape);
    line(c->g, "%%v%d = arith.%s %%v%d, %%v%d : %s", v.id, op, a.id, b.id,
         type_text(a.type, a.shape));
    return v;
}

static value_t cut(chain_t *c, value_t a, double limit)
{
    const value_t low = constant(c->g, a.type, a.shape, -limit),
                  high = constant(c->g, a.type, a.shape, limit);
    value_t v = new_value(c->g, a.type, a.shape);
    line(c->g, "%%v%d = tt.clampf %%v%d, %%v%d, %%v%d, propagateNan = none : %s", v.id, a.id,
         low.id, high.id, type_text(a.type, a.shape));
    v.max = limit;
    return v;
}

static value_t narrow(chain_t *c, value_t a)
{
    value_t v = new_value(c->g, c->half, a.shape);
    line(c->g, "%%v%d = arith.truncf %%v%d : %s to %s", v.id, a.id, type_text(a.type, a.shape),
         type_text(v.type, v.shape));
    v.max = a.max;
    return v;
}

static value_t dot(chain_t *c, value_t a, value_t b, value_t sum)
{
    value_t v = new_value(c->g, KILN_ELEMENT_F32, sum.shape);
    line(c->g, "%%v%d = tt.dot %%v%d, %%v%d, %%v%d : %s * %s -> %s", v.id, a.id, b.id, sum.id,
         type_text(a.type, a.shape), type_text(b.type, b.shape), type_text(v.type, v.shape));
    return v;
}

// The maximum or the sum of each row.
static value_t reduce(chain_t *c, const char *op, value_t a)
{
    generator_t *g = c->g;
    value_t v = new_value(g, a.type, (shape_t){1, {a.shape.dims[0]}});
    const int id = g->next_id + 1;
    g->next_id += 3;
    line(g, "%%v%d = \"tt.reduce\"(%%v%d) <{axis = 1 : i32}> ({", v.id, a.id);
    line(g, "^bb0(%%v%d: f32, %%v%d: f32):", id, id + 1);
    line(g, "  %%v%d = arith.%s %%v%d, %%v%d : f32", id + 2, op, id, id + 1);
    line(g, "  tt.reduce.return %%v%d : f32", id + 2);
    line(g, "}) : (%s) -> %s", type_text(a.type, a.shape), type_text(v.type, v.shape));
    return v;
}

// A value for each row, repeated along it.
static value_t along_rows(chain_t *c, value_t row, shape_t shape)
{
    value_t column = new_value(c->g, row.type, (shape_t){2, {shape.dims[0], 1}}),
            v = new_value(c->g, row.type, shape);
    line(c->g, "%%v%d = tt.expand_dims %%v%d {axis = 1 : i32} : %s -> %s", column.id, row.id,
         type_text(row.type, row.shape), type_text(row.type, column.shape));
    line(c->g, "%%v%d = tt.broadcast %%v%d : %s -> %s", v.id, column.id,
         type_text(row.type, column.shape), type_text(row.type, shape));
    return v;
}

// Carries a tile around the loop; returns its number.
static int carry(chain_t *c, type_t type, shape_t shape, double max)
{
    const request_t request = {.type = type, .shape = shape, .max = max};
    carried_t *own = &c->carried[c->count];
    own->first = need(c->g, &request);
    own->inside = own->next = new_value(c->g, type, shape);
    return c->count++;
}

// The loop's index times a number, as a tile or a scalar.
static int scaled_index(chain_t *c, int from, int factor, shape_t shape)
{
    generator_t *g = c->g;
    const int by = integer(g, "i32", factor), product = ++g->next_id, splat = ++g->next_id;
    line(g, "%%v%d = arith.muli %%v%d, %%v%d : i32", product, from, by);
    line(g, "%%v%d = tt.splat %%v%d : i32 -> %s", splat, product,
         type_text(KILN_ELEMENT_I32, shape));
    return splat;
}

// The mask of the columns (or rows, of a tile `along` rows) that exist.
static int mask_of(chain_t *c, shape_t shape, value_t number)
{
    generator_t *g = c->g;
    const int begin = scaled_index(c, c->at, c->n, shape), sum = ++g->next_id, splat = ++g->next_id,
              mask = ++g->next_id;
    const char *type = type_text(KILN_ELEMENT_I32, shape);
    line(g, "%%v%d = arith.addi %%v%d, %%v%d : %s", sum, number.id, begin, type);
    line(g, "%%v%d = tt.splat %%v%d : i32 -> %s", splat, c->limit, type);
    line(g, "%%v%d = arith.cmpi slt, %%v%d, %%v%d : %s", mask, sum, splat, type);
    return mask;
}

typedef struct source {
    type_t type;
    shape_t shape;
    int pointers, size;
    value_t number; // of the block's column that an element belongs to
    double max;
} source_t;

// A tile for each iteration, in memory of its own.
static source_t source_of(chain_t *c, type_t type, shape_t shape, bool by_columns, double max)
{
    generator_t *g = c->g;
    const int rows = shape.dims[0], columns = shape.dims[1], size = rows * columns,
              buffer = add_buffer(g, type, (size_t)size * MOST),
              strides[] = {by_columns ? 1 : columns, by_columns ? rows : 1},
              of_block[] = {columns == c->n ? 0 : 1, columns == c->n ? 1 : 0};
    g->program->buffers[buffer].max = max;
    source_t source = {.type = type, .shape = shape, .size = size, .max = max};
    source.pointers = pointers_at(g, buffer, linear_index(g, shape, strides));
    source.number = linear_index(g, shape, of_block);
    return source;
}

// Loads the iteration's tile, or that of its page.
static value_t load(chain_t *c, const source_t *source)
{
    generator_t *g = c->g;
    const char *type = pointer_text(source->type, source->shape);
    const int step = scaled_index(c, c->page ? c->page : c->at, source->size, source->shape),
              pointer = ++g->next_id;
    value_t v = new_value(g, source->type, source->shape);
    line(g, "%%v%d = tt.addptr %%v%d, %%v%d : %s, %s", pointer, source->pointers, step, type,
         type_text(KILN_ELEMENT_I32, source->shape));
    if (c->limit) {
        const int mask = mask_of(c, source->shape, source->number);
        const value_t other = constant(g, source->type, source->shape, 0);
        line(g, "%%v%d = tt.load %%v%d, %%v%d, %%v%d : %s", v.id, pointer, mask, other.id, type);
    } else {
        line(g, "%%v%d = tt.load %%v%d : %s", v.id, pointer, type);
    }
    v.max = source->max;
    return v;
}

// Stores a tile of small integers for each iteration.
typedef struct sink {
    int pointers, size;
    shape_t shape;
} sink_t;

static sink_t sink_of(chain_t *c, shape_t shape)
{
    generator_t *g = c->g;
    const int size = count_of(shape), all = size * MOST,
              buffer = add_buffer(g, KILN_ELEMENT_I32, (size_t)all * programs(g));
    return (sink_t){pointers_at(g, buffer, of_program(g, linear_index(g, shape, NULL), all)), size,
                    shape};
}

static void store(chain_t *c, const sink_t *sink, value_t v)
{
    generator_t *g = c->g;
    const int step = scaled_index(c, c->at, sink->size, sink->shape), pointer = ++g->next_id,
              number = ++g->next_id;
    const char *pointers = pointer_text(KILN_ELEMENT_I32, sink->shape),
               *integers = type_text(KILN_ELEMENT_I32, sink->shape);
    line(g, "%%v%d = tt.addptr %%v%d, %%v%d : %s, %s", pointer, sink->pointers, step, pointers,
         integers);
    line(g, "%%v%d = arith.fptosi %%v%d : %s to %s", number, v.id, type_text(v.type, v.shape),
         integers);
    line(g, "tt.store %%v%d, %%v%d : %s", pointer, number, pointers);
}

// Begins the loop over blocks: its number of iterations is a constant, or an argument.
static void begin_loop(chain_t *c, kiln_string_t *types)
{
    generator_t *g = c->g;
    const int low = integer(g, "i32", 0), one = integer(g, "i32", 1);
    int high = integer(g, "i32", (int)draw(g, MOST + 1));
    if (chance(g, 2)) {
        const int mask = integer(g, "i32", MOST - 1),
                  argument = 1 + (int)draw(g, (uint32_t)g->program->scalar_count);
        high = ++g->next_id;
        line(g, "%%v%d = arith.andi %%v%d, %%v%d : i32", high, argument, mask);
    }
    kiln_string_t text = {0}, results = {0};
    for (int i = 0; i < c->count; i++) {
        const char *type = type_text(c->carried[i].inside.type, c->carried[i].inside.shape);
        kiln_string_appendf(&text, "%s%%v%d = %%v%d", i ? ", " : "", c->carried[i].inside.id,
                            c->carried[i].first.id);
        kiln_string_appendf(types, "%s%s", i ? ", " : "", type);
    }
    c->at = ++g->next_id;
    const int first = g->next_id + 1;
    for (int i = 0; i < c->count; i++)
        kiln_string_appendf(&results, "%s%%v%d", i ? ", " : "", first + i);
    g->next_id += c->count;
    line(g, "%s = scf.for %%v%d = %%v%d to %%v%d step %%v%d iter_args(%s) -> (%s)  : i32 {",
         results.data, c->at, low, high, one, text.data, types->data);
    for (int i = 0; i < c->count; i++)
        c->carried[i].first.id = first + i; // from here on: the result
    kiln_string_free(&text);
    kiln_string_free(&results);
    g->depth++;
    c->pool_count = g->pool_count;
    if (!c->table)
        return;
    const int pointer = ++g->next_id, raw = ++g->next_id, mask = integer(g, "i32", MOST - 1);
    line(g, "%%v%d = tt.addptr %%b%d, %%v%d : !tt.ptr<i32>, i32", pointer, c->table - 1, c->at);
    line(g, "%%v%d = tt.load %%v%d : !tt.ptr<i32>", raw, pointer);
    c->page = ++g->next_id;
    line(g, "%%v%d = arith.andi %%v%d, %%v%d : i32", c->page, raw, mask);
}

static void end_loop(chain_t *c, kiln_string_t *types)
{
    generator_t *g = c->g;
    kiln_string_t text = {0};
    for (int i = 0; i < c->count; i++)
        kiln_string_appendf(&text, "%s%%v%d", i ? ", " : "", c->carried[i].next.id);
    line(g, "scf.yield %s : %s", text.data, types->data);
    g->depth--;
    g->pool_count = c->pool_count;
    if (chance(g, 3))
        line(g, "} {tt.num_stages = %d : i32}", 1 + (int)draw(g, 4));
    else
        line(g, "}");
    kiln_string_free(&text);
    kiln_string_free(types);
    for (int i = 0; i < c->count; i++) {
        value_t v = c->carried[i].first;
        v.max = 1 << 20;
        v.fraction = 0;
        v.has_sign = v.any_zero = true;
        if (fits(v.type, v.max, 0))
            add_value(g, v);
    }
}

// Attention: the product of scores, cut off and reduced, with values; sometimes of that product
// with a third tile.
static void attention(chain_t *c)
{
    generator_t *g = c->g;
    const shape_t sq = {2, {c->m, c->d}}, sk = {2, {c->d, c->n}}, sv = {2, {c->n, c->d}},
                  ss = {2, {c->m, c->n}}, row = {1, {c->m}}, sw = {2, {c->d, c->n}};
    const bool scales = chance(g, 2), has_most = scales || chance(g, 2), sums = chance(g, 2),
               masks = chance(g, 3), stores = chance(g, 4), thrice = chance(g, 4);
    const request_t wq = {.type = c->half, .shape = sq, .max = CUT};
    const value_t q = need(g, &wq), zero = constant(g, KILN_ELEMENT_F32, ss, 0),
                  low = constant(g, KILN_ELEMENT_F32, ss, -CUT);
    const source_t keys = source_of(c, c->half, sk, !chance(g, 2), CUT),
                   values = source_of(c, c->half, sv, chance(g, 2), CUT);
    const value_t column = linear_index(g, ss, (int[]){0, 1});
    const sink_t sink = stores ? sink_of(c, ss) : (sink_t){0};
    const int acc = carry(c, KILN_ELEMENT_F32, thrice ? ss : sq, CARRIED),
              most = has_most ? carry(c, KILN_ELEMENT_F32, row, CUT) : -1,
              sum = sums ? carry(c, KILN_ELEMENT_F32, row, CARRIED) : -1;
    const source_t third = thrice ? source_of(c, c->half, sw, chance(g, 2), CUT) : (source_t){0};
    const value_t none = constant(g, KILN_ELEMENT_F32, sq, 0);
    if (masks && !c->limit)
        c->limit = 1 + (int)draw(g, (uint32_t)g->program->scalar_count);
    kiln_string_t types = {0};
    begin_loop(c, &types);
    const value_t k = load(c, &keys);
    value_t x = cut(c, dot(c, q, k, zero), CUT), out = c->carried[acc].inside;
    if (masks) {
        const int mask = mask_of(c, ss, column);
        value_t chosen = new_value(g, x.type, ss);
        line(g, "%%v%d = arith.select %%v%d, %%v%d, %%v%d : %s, %s", chosen.id, mask, x.id, low.id,
             type_text(KILN_ELEMENT_I1, ss), type_text(x.type, ss));
        x = chosen;
    }
    if (has_most) {
        const value_t before = c->carried[most].inside,
                      now = emit(c, "maxnumf", before, reduce(c, "maxnumf", x));
        x = emit(c, "subf", x, along_rows(c, now, ss));
        if (scales)
            out =
                cut(c, emit(c, "mulf", out, along_rows(c, emit(c, "subf", before, now), out.shape)),
                    CARRIED);
        c->carried[most].next = now;
    }
    if (sums)
        c->carried[sum].next =
            cut(c, emit(c, "addf", c->carried[sum].inside, reduce(c, "addf", x)), CARRIED);
    if (stores)
        store(c, &sink, x);
    const value_t p = narrow(c, x), v = load(c, &values);
    c->carried[acc].next =
        thrice ? dot(c, narrow(c, cut(c, dot(c, p, v, none), CUT)), load(c, &third), out)
               : dot(c, p, v, out);
    end_loop(c, &types);
}

// A product of packed weights: 4 bits each, converted and scaled; sometimes both halves of a byte.
static void packed(chain_t *c)
{
    generator_t *g = c->g;
    const shape_t sa = {2, {c->m, c->n}}, sw = {2, {c->n, c->d}}, sc = {2, {c->m, c->d}};
    const bool halves = chance(g, 2), scales = chance(g, 2), stores = chance(g, 4);
    const source_t weights = source_of(c, KILN_ELEMENT_I8, sw, chance(g, 2), (double)INT8_MAX),
                   a = source_of(c, c->half, sa, chance(g, 4), CUT),
                   scale = scales ? source_of(c, c->half, sw, chance(g, 2), 2) : (source_t){0};
    const value_t bits = constant(g, KILN_ELEMENT_I8, sw, 15),
                  minus = constant(g, KILN_ELEMENT_I8, sw, -8),
                  four = constant(g, KILN_ELEMENT_I8, sw, 4);
    const sink_t sink = stores ? sink_of(c, sw) : (sink_t){0};
    const int acc = carry(c, KILN_ELEMENT_F32, sc, CARRIED);
    kiln_string_t types = {0};
    begin_loop(c, &types);
    const value_t raw = load(c, &weights), left = load(c, &a);
    value_t out = c->carried[acc].inside;
    const value_t by = scales ? load(c, &scale) : raw;
    for (int side = 0; side <= halves; side++) {
        const value_t part = side ? emit(c, "shrui", raw, four) : raw,
                      number = emit(c, "addi", emit(c, "andi", part, bits), minus);
        value_t w = new_value(g, c->half, sw);
        line(g, "%%v%d = arith.sitofp %%v%d : %s to %s", w.id, number.id,
             type_text(KILN_ELEMENT_I8, sw), type_text(c->half, sw));
        if (scales)
            w = emit(c, "mulf", w, by);
        if (stores && !side)
            store(c, &sink, w);
        out = dot(c, left, w, out);
    }
    c->carried[acc].next = out;
    end_loop(c, &types);
}

// Operands that are sums with those of the iteration before.
static void neighbours(chain_t *c)
{
    generator_t *g = c->g;
    const shape_t sa = {2, {c->m, c->n}}, sb = {2, {c->n, c->d}}, sc = {2, {c->m, c->d}};
    const bool both = chance(g, 2);
    const source_t a = source_of(c, c->half, sa, chance(g, 4), CUT),
                   b = source_of(c, c->half, sb, chance(g, 2), CUT);
    const value_t low = constant(g, c->half, sb, -1);
    const int acc = carry(c, KILN_ELEMENT_F32, sc, CARRIED), before = carry(c, c->half, sa, CUT);
    kiln_string_t types = {0};
    begin_loop(c, &types);
    const value_t left = load(c, &a), loaded = load(c, &b),
                  right = both ? emit(c, "maxnumf", loaded, low) : loaded,
                  sum = emit(c, "addf", left, c->carried[before].inside);
    c->carried[before].next = left;
    c->carried[acc].next = dot(c, sum, right, c->carried[acc].inside);
    end_loop(c, &types);
}

bool make_chain_loop(generator_t *g)
{
    static void (*const kinds[])(chain_t *) = {attention, packed, neighbours, attention};
    static const type_t halves[] = {KILN_ELEMENT_F16, KILN_ELEMENT_BF16};
    chain_t c = {.g = g, .half = halves[draw(g, 2)]};
    c.m = 16 << draw(g, 4);
    c.n = 16 << draw(g, 3);
    c.d = 16 << draw(g, 4);
    if (!has_room(g) || g->depth > 1 || c.n == c.d || c.m * c.n > g->largest ||
        c.n * c.d > g->largest || c.m * c.d > g->largest)
        return false;
    if (chance(g, 2))
        c.limit = 1 + (int)draw(g, (uint32_t)g->program->scalar_count);
    if (chance(g, 3))
        c.table = 1 + add_buffer(g, KILN_ELEMENT_I32, MOST);
    kinds[draw(g, 4)](&c);
    return true;
}
