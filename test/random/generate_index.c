// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements on index arithmetic: tiles of consecutive integers, including negative ones, that pass
// through loops, branches, shapes, gathers, scans and casts, and are then divided, shifted or
// compared. An analysis that assumes a sign or ignores the limits of a type claims equal quotients
// or consecutive addresses for groups of elements where they are not, and fails here.
//
// Analyses claim nothing about loaded integers, so those do not expose such bugs. Therefore
// everything here starts from tt.make_range.
#include <limits.h>
#include <math.h>

#include "generate.h"

enum { DATA = 4096 }; // elements that an index may address

static value_t like(generator_t *g, value_t a)
{
    value_t v = new_value(g, a.type, a.shape);
    return v;
}

static value_t binary(generator_t *g, const char *operation, value_t a, value_t b)
{
    value_t v = like(g, a);
    line(g, "%%v%d = %s %%v%d, %%v%d : %s", v.id, operation, a.id, b.id,
         type_text(a.type, a.shape));
    return v;
}

static value_t cast(generator_t *g, const char *operation, value_t a, type_t type)
{
    value_t v = new_value(g, type, a.shape);
    line(g, "%%v%d = %s %%v%d : %s %s %s", v.id, operation, a.id, type_text(a.type, a.shape),
         operation[0] == 't' ? "->" : "to", type_text(type, a.shape));
    return v;
}

static value_t number(generator_t *g, value_t a, long long value)
{
    value_t v = like(g, a);
    line(g,
         a.shape.rank ? "%%v%d = arith.constant dense<%lld> : %s"
                      : "%%v%d = arith.constant %lld : %s",
         v.id, value, type_text(a.type, a.shape));
    return v;
}

// Starts of ranges and addends: small numbers of both signs, multiples of groups, the limits of the
// type.
static long long some_number(generator_t *g, type_t type)
{
    static const int small[] = {16, -256, -16, 1, -1, 240, 5, -7, 64, -128, 2, 4096};
    int bits = bits_of(type);
    long long most = bits == 64 ? LLONG_MAX : (1LL << (bits - 1)) - 1;
    switch (draw(g, 8)) {
    case 5:
        return most - draw(g, 300) % (most < 300 ? 100 : 300);
    case 6:
        return -most - 1 + draw(g, 300) % (most < 300 ? 100 : 300);
    case 7:
        return most - 255 % most;
    default: {
        long long chosen = small[draw(g, sizeof small / sizeof *small)];
        return chosen > most ? most : chosen < -most - 1 ? -most - 1 : chosen;
    }
    }
}

static value_t some_range(generator_t *g)
{
    static const int starts[] = {0, -1, -2, 16, 5, 240, INT_MIN, 1};
    // Large enough for several consecutive elements in each thread, about which analyses make
    // claims.
    static const int sizes[] = {1024, 256, 2048, 512, 4096, 64, 16};
    shape_t shape = {1, {sizes[draw(g, sizeof sizes / sizeof *sizes)]}};
    if (shape.dims[0] > g->largest && shape.dims[0] > 1024)
        shape.dims[0] = 1024;
    int start = starts[draw(g, sizeof starts / sizeof *starts)];
    if (start == -1 || start == -2)
        start = -shape.dims[0] / (start == -1 ? 1 : 2);
    if (start == INT_MIN)
        start = INT_MAX - shape.dims[0];
    value_t v = new_value(g, KILN_ELEMENT_I32, shape);
    line(g, "%%v%d = tt.make_range {end = %d : i32, start = %d : i32} : %s", v.id,
         start + shape.dims[0], start, type_text(v.type, shape));
    return v;
}

// Carriers: each maps a tile to one of the same type and shape --------------------------------------

static value_t by_number(generator_t *g, value_t a)
{
    static const char *const operations[] = {"arith.addi",  "arith.subi",  "arith.addi",
                                             "arith.muli",  "arith.minsi", "arith.maxsi",
                                             "arith.minui", "arith.xori",  "arith.ori"};
    value_t b = number(g, a, some_number(g, a.type));
    uint32_t which = draw(g, sizeof operations / sizeof *operations);
    return chance(g, 3) ? binary(g, operations[which], b, a) : binary(g, operations[which], a, b);
}

static value_t by_argument(generator_t *g, value_t a)
{
    value_t s = {.id = 1 + (int)draw(g, (uint32_t)g->program->scalar_count),
                 .type = KILN_ELEMENT_I32};
    if (g->in_function)
        return by_number(g, a);
    if (bits_of(a.type) != 32)
        s = cast(g, bits_of(a.type) > 32 ? "arith.extsi" : "arith.trunci", s, a.type);
    value_t many = like(g, a);
    line(g, "%%v%d = tt.splat %%v%d : %s -> %s", many.id, s.id, type_text(s.type, (shape_t){0}),
         type_text(a.type, a.shape));
    return binary(g, chance(g, 2) ? "arith.subi" : "arith.addi", a, many);
}

// A loop of up to three iterations, with a constant trip count or one unknown at compile time, that
// steps the tile.
static value_t by_loop(generator_t *g, value_t a)
{
    int low = integer(g, "i32", 0), one = integer(g, "i32", 1), high;
    if (!g->in_function && chance(g, 2)) {
        int three = integer(g, "i32", 3);
        high = ++g->next_id;
        line(g, "%%v%d = arith.andi %%v%d, %%v%d : i32", high,
             1 + (int)draw(g, (uint32_t)g->program->scalar_count), three);
    } else {
        high = integer(g, "i32", (int)draw(g, 4));
    }
    value_t step = number(g, a, some_number(g, a.type)), inside = like(g, a), after = like(g, a);
    const char *type = type_text(a.type, a.shape);
    line(g,
         "%%v%d = scf.for %%v%d = %%v%d to %%v%d step %%v%d iter_args(%%v%d = %%v%d) -> (%s)  : "
         "i32 {",
         after.id, ++g->next_id, low, high, one, inside.id, a.id, type);
    g->depth++;
    value_t next = binary(g, chance(g, 3) ? "arith.subi" : "arith.addi", inside, step);
    line(g, "scf.yield %%v%d : %s", next.id, type);
    g->depth--;
    line(g, "}");
    return after;
}

static value_t by_branch(generator_t *g, value_t a)
{
    request_t request = {.type = KILN_ELEMENT_I1};
    value_t condition = need(g, &request), after = like(g, a);
    const char *type = type_text(a.type, a.shape);
    line(g, "%%v%d = scf.if %%v%d -> (%s) {", after.id, condition.id, type);
    g->depth++;
    value_t then = by_number(g, a);
    line(g, "scf.yield %%v%d : %s", then.id, type);
    g->depth--;
    line(g, "} else {");
    line(g, "  scf.yield %%v%d : %s", a.id, type);
    line(g, "}");
    return after;
}

static value_t by_while(generator_t *g, value_t a)
{
    int zero = integer(g, "i32", 0), one = integer(g, "i32", 1),
        turns = integer(g, "i32", (int)draw(g, 4));
    int count = ++g->next_id, is_more = ++g->next_id, before = ++g->next_id, now = ++g->next_id,
        left = ++g->next_id, less = ++g->next_id, last = ++g->next_id;
    value_t step = number(g, a, some_number(g, a.type)), inside = like(g, a), after = like(g, a),
            in_body = inside;
    const char *type = type_text(a.type, a.shape);
    in_body.id = now;
    line(g, "%%v%d, %%v%d = scf.while (%%v%d = %%v%d, %%v%d = %%v%d) : (i32, %s) -> (i32, %s) {",
         last, after.id, count, turns, before, a.id, type, type);
    line(g, "  %%v%d = arith.cmpi sgt, %%v%d, %%v%d : i32", is_more, count, zero);
    line(g, "  scf.condition(%%v%d) %%v%d, %%v%d : i32, %s", is_more, count, before, type);
    line(g, "} do {");
    line(g, "^bb0(%%v%d: i32, %%v%d: %s):", left, now, type);
    g->depth++;
    value_t next = binary(g, "arith.addi", in_body, step);
    line(g, "%%v%d = arith.subi %%v%d, %%v%d : i32", less, left, one);
    line(g, "scf.yield %%v%d, %%v%d : i32, %s", less, next.id, type);
    g->depth--;
    line(g, "}");
    return after;
}

static value_t by_select(generator_t *g, value_t a)
{
    request_t request = {.type = KILN_ELEMENT_I1, .shape = chance(g, 2) ? a.shape : (shape_t){0}};
    value_t condition = need(g, &request), other = by_number(g, a), v = like(g, a);
    line(g, "%%v%d = arith.select %%v%d, %%v%d, %%v%d : %s, %s", v.id, condition.id, a.id, other.id,
         type_text(KILN_ELEMENT_I1, request.shape), type_text(a.type, a.shape));
    return v;
}

// Reshaped to rows, possibly transposed, and back.
static value_t by_shape(generator_t *g, value_t a)
{
    int columns = 2 << draw(g, 5), count = a.shape.dims[0];
    if (columns >= count)
        return by_number(g, a);
    value_t rows = {.type = a.type, .shape = {2, {count / columns, columns}}}, turned = rows,
            v = like(g, a);
    rows.id = ++g->next_id;
    line(g, "%%v%d = tt.reshape %%v%d : %s -> %s", rows.id, a.id, type_text(a.type, a.shape),
         type_text(a.type, rows.shape));
    turned.shape = (shape_t){2, {columns, count / columns}};
    turned.id = ++g->next_id;
    line(g, "%%v%d = tt.trans %%v%d {order = array<i32: 1, 0>} : %s -> %s", turned.id, rows.id,
         type_text(a.type, rows.shape), type_text(a.type, turned.shape));
    if (chance(g, 2)) {
        value_t back = rows;
        turned = by_number(g, turned);
        back.id = ++g->next_id;
        line(g, "%%v%d = tt.trans %%v%d {order = array<i32: 1, 0>} : %s -> %s", back.id, turned.id,
             type_text(a.type, turned.shape), type_text(a.type, back.shape));
        turned = back;
    }
    line(g, "%%v%d = tt.reshape %%v%d : %s -> %s", v.id, turned.id, type_text(a.type, turned.shape),
         type_text(a.type, a.shape));
    return v;
}

static value_t by_gather(generator_t *g, value_t a)
{
    value_t at = new_value(g, KILN_ELEMENT_I32, a.shape), v = like(g, a);
    if (a.shape.dims[0] > 64)
        return by_number(g, a);
    line(g, "%%v%d = tt.make_range {end = %d : i32, start = 0 : i32} : %s", at.id, a.shape.dims[0],
         type_text(at.type, at.shape));
    if (chance(g, 2))
        at = binary(g, "arith.xori", at, number(g, at, 1 << draw(g, 4)));
    line(g, "%%v%d = tt.gather %%v%d[%%v%d] {axis = 0 : i32} : (%s, %s) -> %s", v.id, a.id, at.id,
         type_text(a.type, a.shape), type_text(at.type, at.shape), type_text(a.type, a.shape));
    return v;
}

static value_t combined(generator_t *g, value_t a, const char *operation, bool scans)
{
    const char *element = kiln_element_type_name(a.type), *type = type_text(a.type, a.shape);
    shape_t to = scans ? a.shape : (shape_t){0};
    value_t v = new_value(g, a.type, to);
    int left = ++g->next_id, right = ++g->next_id, both = ++g->next_id;
    line(g, "%%v%d = \"tt.%s\"(%%v%d) <{axis = 0 : i32%s}> ({", v.id, scans ? "scan" : "reduce",
         a.id, scans ? ", reverse = false" : "");
    line(g, "^bb0(%%v%d: %s, %%v%d: %s):", left, element, right, element);
    line(g, "  %%v%d = %s %%v%d, %%v%d : %s", both, operation, left, right, element);
    line(g, "  tt.%s.return %%v%d : %s", scans ? "scan" : "reduce", both, element);
    line(g, "}) : (%s) -> %s", type, type_text(a.type, to));
    return v;
}

static value_t by_combination(generator_t *g, value_t a)
{
    static const char *const operations[] = {"arith.addi", "arith.maxsi", "arith.minsi",
                                             "arith.minui", "arith.xori"};
    const char *operation = operations[draw(g, sizeof operations / sizeof *operations)];
    if (chance(g, 2))
        return combined(g, a, operation, true);
    value_t one = combined(g, a, operation, false), many = like(g, a);
    line(g, "%%v%d = tt.splat %%v%d : %s -> %s", many.id, one.id, type_text(a.type, (shape_t){0}),
         type_text(a.type, a.shape));
    return binary(g, "arith.addi", a, many);
}

static value_t by_bits(generator_t *g, value_t a)
{
    if (bits_of(a.type) == 32 && chance(g, 2))
        return cast(g, "tt.bitcast", cast(g, "tt.bitcast", a, KILN_ELEMENT_F32), a.type);
    switch (draw(g, 3)) {
    case 0:
        return binary(g, "arith.shrui", a, number(g, a, draw(g, 3)));
    case 1:
        return binary(g, "arith.shrsi", binary(g, "arith.shli", a, number(g, a, 4)),
                      number(g, a, draw(g, 5)));
    default:
        return binary(g, "arith.andi", a,
                      number(g, a, (1LL << (1 + draw(g, (uint32_t)bits_of(a.type) - 2))) - 1));
    }
}

// Cast to another width and back, or kept there.
static value_t by_width(generator_t *g, value_t a)
{
    static const type_t types[] = {KILN_ELEMENT_I64, KILN_ELEMENT_I16, KILN_ELEMENT_I8,
                                   KILN_ELEMENT_I32};
    type_t type = types[draw(g, 4)];
    if (type == a.type)
        return a;
    const char *wider = chance(g, 3) ? "arith.extui" : "arith.extsi";
    return cast(g, bits_of(type) > bits_of(a.type) ? wider : "arith.trunci", a, type);
}

typedef value_t (*carrier_t)(generator_t *g, value_t a);

static value_t carried(generator_t *g, value_t a)
{
    static const carrier_t carriers[] = {by_number,      by_argument, by_loop,  by_branch,
                                         by_while,       by_select,   by_shape, by_gather,
                                         by_combination, by_bits,     by_width};
    for (int i = (int)draw(g, 4); i > 0; i--)
        a = carriers[draw(g, sizeof carriers / sizeof *carriers)](g, a);
    return a;
}

// Uses --------------------------------------------------------------------------------------------

static value_t divided(generator_t *g, value_t a)
{
    static const char *const divisions[] = {
        "arith.divsi", "arith.remsi", "arith.floordivsi", "arith.ceildivsi", "arith.divui",
        "arith.remui", "arith.shrsi", "arith.shrui",      "arith.andi",      "arith.ceildivui"};
    enum { SHIFTS = 6, AND = 8 };
    static const int divisors[] = {16, 2, 4, 8, 32, 3, -16, -3, 64, 12};
    uint32_t which = draw(g, sizeof divisions / sizeof *divisions);
    long long by = divisors[draw(g, sizeof divisors / sizeof *divisors)];
    if (which >= SHIFTS && which < AND)
        by = draw(g, 7);
    else if (which == AND)
        by = by < 0 ? by : by - 1;
    return binary(g, divisions[which], a, number(g, a, by));
}

static value_t compared(generator_t *g, value_t a)
{
    static const char *const predicates[] = {"slt", "sle", "sgt", "sge", "ult",
                                             "ule", "ugt", "uge", "eq",  "ne"};
    value_t bound = number(g, a, some_number(g, a.type)),
            mask = new_value(g, KILN_ELEMENT_I1, a.shape), v = like(g, a);
    bool first = chance(g, 2);
    line(g, "%%v%d = arith.cmpi %s, %%v%d, %%v%d : %s", mask.id, predicates[draw(g, 10)],
         first ? bound.id : a.id, first ? a.id : bound.id, type_text(a.type, a.shape));
    line(g, "%%v%d = arith.select %%v%d, %%v%d, %%v%d : %s, %s", v.id, mask.id, a.id, bound.id,
         type_text(KILN_ELEMENT_I1, a.shape), type_text(a.type, a.shape));
    add_value(g, mask);
    return v;
}

// Loads elements at the index's low bits.
static value_t loaded(generator_t *g, value_t a)
{
    static const type_t types[] = {KILN_ELEMENT_I32, KILN_ELEMENT_I8, KILN_ELEMENT_I16,
                                   KILN_ELEMENT_I64};
    if (!has_room(g) || bits_of(a.type) == 8)
        return a;
    int buffer = add_buffer(g, types[draw(g, 4)], DATA);
    value_t at = binary(g, "arith.andi", a, number(g, a, DATA - 1));
    if (bits_of(a.type) != 32)
        at = cast(g, bits_of(a.type) > 32 ? "arith.trunci" : "arith.extui", at, KILN_ELEMENT_I32);
    value_t v = new_value(g, g->program->buffers[buffer].type, a.shape);
    int pointers = pointers_at(g, buffer, at);
    line(g, "%%v%d = tt.load %%v%d : %s", v.id, pointers, pointer_text(v.type, v.shape));
    return v;
}

// Loads from the middle of a buffer at an offset that may be negative.
static value_t loaded_around(generator_t *g, int buffer, value_t offset)
{
    const type_t type = g->program->buffers[buffer].type;
    value_t v = new_value(g, type, offset.shape);
    int half = ++g->next_id, middle = ++g->next_id, splat = ++g->next_id, pointers = ++g->next_id;
    const char *scalar = pointer_text(type, (shape_t){0}), *many = pointer_text(type, offset.shape);
    line(g, "%%v%d = arith.constant %d : i32", half, DATA / 2);
    line(g, "%%v%d = tt.addptr %%b%d, %%v%d : %s, i32", middle, buffer, half, scalar);
    line(g, "%%v%d = tt.splat %%v%d : %s -> %s", splat, middle, scalar, many);
    line(g, "%%v%d = tt.addptr %%v%d, %%v%d : %s, %s", pointers, splat, offset.id, many,
         type_text(offset.type, offset.shape));
    line(g, "%%v%d = tt.load %%v%d : %s", v.id, pointers, many);
    return v;
}

// Loads at remainders of consecutive numbers of one sign, as of columns that wrap around. Several
// loads share a remainder.
static value_t wrapped_loads(generator_t *g)
{
    static const int divisors[] = {64, 16, 48, 8, 1024, -32, 12, 256, 7, 100, 129, -13, 1};
    static const type_t types[] = {KILN_ELEMENT_I32, KILN_ELEMENT_I8, KILN_ELEMENT_I16};
    shape_t shape = {1, {64 << draw(g, 3)}};
    const type_t type = types[draw(g, 3)];
    value_t argument = {.id = 1 + (int)draw(g, (uint32_t)g->program->scalar_count),
                        .type = KILN_ELEMENT_I32},
            start = binary(g, "arith.muli", argument, number(g, argument, shape.dims[0]));
    if (chance(g, 3)) // tiles that begin anywhere
        start = binary(g, "arith.addi", start, number(g, start, (int)draw(g, 200) - 100));
    const int divisor = divisors[draw(g, 13)];
    const char *kind = divisor > 0 && chance(g, 4) ? "arith.remui" : "arith.remsi";
    value_t many = new_value(g, KILN_ELEMENT_I32, shape), range = like(g, many);
    line(g, "%%v%d = tt.splat %%v%d : i32 -> %s", many.id, start.id, type_text(many.type, shape));
    line(g, "%%v%d = tt.make_range {end = %d : i32, start = 0 : i32} : %s", range.id, shape.dims[0],
         type_text(range.type, shape));
    value_t sum = binary(g, "arith.addi", many, range),
            at = binary(g, kind, sum, number(g, sum, divisor)),
            v = loaded_around(g, add_buffer(g, type, DATA), at);
    for (int i = (int)draw(g, 3); i > 0 && has_room(g); i--)
        v = binary(g, "arith.addi", v, loaded_around(g, add_buffer(g, type, DATA), at));
    return v;
}

bool make_index(generator_t *g)
{
    if (!g->in_function && has_room(g) && chance(g, 6)) {
        value_t v = wrapped_loads(g);
        add_value(g, v);
        store_value(g, v, 0);
        return true;
    }
    value_t a = carried(g, some_range(g));
    for (int i = 1 + (int)draw(g, 2); i > 0; i--) {
        a = chance(g, 4) ? compared(g, a) : divided(g, a);
        add_value(g, a);
        if (i > 1)
            a = carried(g, a);
    }
    if (chance(g, 3))
        a = loaded(g, a);
    add_value(g, a);
    if (chance(g, 2))
        store_value(g, a, 0);
    return true;
}
