// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer operations for which the machine has scalar instructions besides vector ones: shifts of
// 64 bits, bit fields, sums with carry, rotations, counts of bits, high products, chains of minima
// and maxima, logic with complements, divisions by constants. Their operands differ between lanes,
// are equal in all lanes, or are mixed, and several operations share an operand, so that selection
// takes instructions of one kind next to those of the other.
#include "generate.h"

enum { MOST = 48 }; // values to choose operands from

typedef struct mix {
    generator_t *g;
    shape_t shape;
    value_t values[MOST];
    int count;
} mix_t;

static const type_t widths[] = {KILN_ELEMENT_I32, KILN_ELEMENT_I64};

static value_t apply(mix_t *m, const char *operation, value_t a, value_t b)
{
    const value_t v = new_value(m->g, a.type, a.shape);
    line(m->g, "%%v%d = %s %%v%d, %%v%d : %s", v.id, operation, a.id, b.id,
         type_text(a.type, a.shape));
    return v;
}

static value_t apply_to_one(mix_t *m, const char *operation, value_t a)
{
    const value_t v = new_value(m->g, a.type, a.shape);
    line(m->g, "%%v%d = %s %%v%d : %s", v.id, operation, a.id, type_text(a.type, a.shape));
    return v;
}

static value_t number(mix_t *m, type_t type, long long bits)
{
    const value_t v = new_value(m->g, type, m->shape);
    line(m->g, "%%v%d = arith.constant dense<%lld> : %s", v.id, bits, type_text(type, m->shape));
    return v;
}

static value_t resized(mix_t *m, value_t a, type_t type)
{
    static const char *const wider[] = {"arith.extsi", "arith.extui"};
    if (a.type == type)
        return a;
    const value_t v = new_value(m->g, type, a.shape);
    line(m->g, "%%v%d = %s %%v%d : %s to %s", v.id,
         bits_of(type) > bits_of(a.type) ? wider[draw(m->g, 2)] : "arith.trunci", a.id,
         type_text(a.type, a.shape), type_text(type, a.shape));
    return v;
}

static void keep(mix_t *m, value_t v)
{
    m->values[m->count < MOST ? m->count++ : (int)draw(m->g, MOST)] = v;
}

static value_t operand(mix_t *m, type_t type)
{
    const int most = m->count > 8 && !chance(m->g, 3) ? 8 : m->count;
    return resized(m, m->values[m->count - 1 - (int)draw(m->g, (uint32_t)most)], type);
}

// An amount to shift by: of 0 … bits − 1, as a constant, in lanes or in all lanes.
static value_t amount(mix_t *m, type_t type)
{
    const int bits = bits_of(type);
    if (!chance(m->g, 3))
        return number(m, type, draw(m->g, (uint32_t)bits));
    return apply(m, "arith.andi", operand(m, type), number(m, type, bits - 1));
}

// Operations ---------------------------------------------------------------------------------------

static value_t shifted(mix_t *m, type_t type)
{
    static const char *const shifts[] = {"arith.shli", "arith.shrui", "arith.shrsi"};
    const value_t a = operand(m, type);
    return apply(m, shifts[draw(m->g, 3)], a, amount(m, type));
}

static value_t bit_field(mix_t *m, type_t type)
{
    const int bits = bits_of(type), width = 1 + (int)draw(m->g, (uint32_t)bits - 1),
              low = (int)draw(m->g, (uint32_t)(bits - width) + 1);
    const value_t a = operand(m, type);
    if (chance(m->g, 2))
        return apply(m, "arith.andi", apply(m, "arith.shrui", a, number(m, type, low)),
                     number(m, type, (long long)((1ULL << width) - 1)));
    const value_t left = apply(m, "arith.shli", a, number(m, type, bits - width - low));
    return apply(m, chance(m->g, 2) ? "arith.shrsi" : "arith.shrui", left,
                 number(m, type, bits - width));
}

// Sign or zero extended from fewer bits.
static value_t narrowed(mix_t *m, type_t type)
{
    static const type_t types[] = {KILN_ELEMENT_I8, KILN_ELEMENT_I16, KILN_ELEMENT_I32};
    const type_t narrow = types[draw(m->g, type == KILN_ELEMENT_I64 ? 3 : 2)];
    return resized(m, resized(m, operand(m, type), narrow), type);
}

// Two words that are one number of 64 bits, or the words of one.
static value_t words(mix_t *m, type_t type)
{
    if (type == KILN_ELEMENT_I32)
        return resized(m,
                       apply(m, "arith.shrui", operand(m, KILN_ELEMENT_I64),
                             number(m, KILN_ELEMENT_I64, 1 + draw(m->g, 63))),
                       type);
    const value_t low = resized(m, operand(m, KILN_ELEMENT_I32), type),
                  high = resized(m, operand(m, KILN_ELEMENT_I32), type);
    return apply(m, chance(m->g, 2) ? "arith.ori" : "arith.addi", low,
                 apply(m, "arith.shli", high, number(m, type, 32)));
}

static value_t with_carry(mix_t *m, type_t type)
{
    const value_t a = operand(m, type), b = operand(m, type), sum = new_value(m->g, type, m->shape);
    value_t carry = new_value(m->g, KILN_ELEMENT_I1, m->shape);
    if (chance(m->g, 2)) {
        line(m->g, "%%v%d, %%v%d = arith.addui_extended %%v%d, %%v%d : %s, %s", sum.id, carry.id,
             a.id, b.id, type_text(type, m->shape), type_text(carry.type, m->shape));
    } else {
        line(m->g, "%%v%d = arith.subi %%v%d, %%v%d : %s", sum.id, a.id, b.id,
             type_text(type, m->shape));
        line(m->g, "%%v%d = arith.cmpi ult, %%v%d, %%v%d : %s", carry.id, a.id, b.id,
             type_text(type, m->shape));
    }
    keep(m, sum);
    carry = resized(m, carry, type);
    return apply(
        m, chance(m->g, 2) ? "arith.addi" : "arith.subi",
        apply(m, chance(m->g, 2) ? "arith.addi" : "arith.subi", operand(m, type), operand(m, type)),
        carry);
}

// (a << n) | (b >> (bits − n)): a rotation if b is a.
static value_t funnel(mix_t *m, type_t type)
{
    const int bits = bits_of(type);
    const value_t a = operand(m, type), b = chance(m->g, 2) ? a : operand(m, type);
    value_t left, right;
    if (chance(m->g, 2)) {
        const int n = 1 + (int)draw(m->g, (uint32_t)bits - 1);
        left = number(m, type, n);
        right = number(m, type, bits - n);
    } else {
        const value_t mask = number(m, type, bits - 1);
        left = apply(m, "arith.andi", operand(m, type), mask);
        right = apply(m, "arith.andi", apply(m, "arith.subi", number(m, type, 0), left), mask);
    }
    return apply(m, chance(m->g, 3) ? "arith.addi" : "arith.ori", apply(m, "arith.shli", a, left),
                 apply(m, "arith.shrui", b, right));
}

static value_t counted(mix_t *m, type_t type)
{
    static const char *const counts[] = {"math.ctpop", "math.ctlz", "math.cttz", "math.absi"};
    const value_t count = apply_to_one(m, counts[draw(m->g, 4)], operand(m, type));
    return chance(m->g, 2) ? count : apply(m, "arith.addi", count, operand(m, type));
}

static value_t multiplied(mix_t *m, type_t type)
{
    const value_t a = operand(m, type), b = operand(m, type);
    switch (draw(m->g, 4)) {
    case 0:
        return apply(m, "tt.mulhiui", a, b);
    case 1: { // signed or unsigned, of two words
        const value_t wide = apply(m, "arith.muli", resized(m, a, KILN_ELEMENT_I64),
                                   resized(m, b, KILN_ELEMENT_I64));
        return resized(m, chance(m->g, 2) ? wide : shifted(m, KILN_ELEMENT_I64), type);
    }
    default: {
        const value_t product = apply(m, "arith.muli", a, b);
        return chance(m->g, 2) ? product : apply(m, "arith.addi", product, operand(m, type));
    }
    }
}

static value_t clamped(mix_t *m, type_t type)
{
    static const char *const extremes[] = {"arith.minsi", "arith.maxsi", "arith.minui",
                                           "arith.maxui"};
    value_t a = operand(m, type);
    for (int i = 1 + (int)draw(m->g, 3); i > 0; i--)
        a = apply(m, extremes[draw(m->g, 4)], a,
                  chance(m->g, 2) ? operand(m, type)
                                  : number(m, type, (int)draw(m->g, 2000) - 1000));
    return a;
}

static value_t logic(mix_t *m, type_t type)
{
    static const char *const operations[] = {"arith.andi", "arith.ori",  "arith.xori",
                                             "arith.addi", "arith.subi", "arith.xori"};
    value_t a = operand(m, type);
    for (int i = 1 + (int)draw(m->g, 3); i > 0; i--) {
        value_t b = operand(m, type);
        if (chance(m->g, 3))
            b = apply(m, "arith.xori", b, number(m, type, -1));
        a = apply(m, operations[draw(m->g, 6)], a, b);
        if (chance(m->g, 4))
            a = apply(m, "arith.xori", a, number(m, type, -1));
    }
    return a;
}

// (a & m) | (b & ~m)
static value_t merged(mix_t *m, type_t type)
{
    const value_t mask = operand(m, type), rest = apply(m, "arith.xori", mask, number(m, type, -1));
    return apply(m, "arith.ori", apply(m, "arith.andi", operand(m, type), mask),
                 apply(m, "arith.andi", operand(m, type), rest));
}

static value_t divided(mix_t *m, type_t type)
{
    static const char *const divisions[] = {"arith.divsi", "arith.remsi", "arith.divui",
                                            "arith.remui"};
    static const int divisors[] = {3, 7, 10, 16, 100, 641, -5, 1 << 30, -64, 127};
    return apply(m, divisions[draw(m->g, 4)], operand(m, type),
                 number(m, type, divisors[draw(m->g, 10)]));
}

static value_t selected(mix_t *m, type_t type)
{
    static const char *const predicates[] = {"slt", "sle", "ult", "ugt", "eq", "ne"};
    const type_t compared = widths[draw(m->g, 2)];
    const value_t a = operand(m, compared), b = operand(m, compared), x = operand(m, type),
                  y = operand(m, type), condition = new_value(m->g, KILN_ELEMENT_I1, m->shape),
                  v = new_value(m->g, type, m->shape);
    line(m->g, "%%v%d = arith.cmpi %s, %%v%d, %%v%d : %s", condition.id, predicates[draw(m->g, 6)],
         a.id, b.id, type_text(compared, m->shape));
    line(m->g, "%%v%d = arith.select %%v%d, %%v%d, %%v%d : %s, %s", v.id, condition.id, x.id, y.id,
         type_text(KILN_ELEMENT_I1, m->shape), type_text(type, m->shape));
    return v;
}

// The program -------------------------------------------------------------------------------------

static void add_operations(mix_t *m, int count)
{
    static value_t (*const operations[])(mix_t *m, type_t type) = {
        shifted,    bit_field, narrowed, words,  with_carry, funnel,  counted,
        multiplied, clamped,   logic,    merged, divided,    selected};
    for (; count > 0; count--)
        keep(m, operations[draw(m->g, sizeof operations / sizeof *operations)](
                    m, widths[draw(m->g, 2)]));
}

// A scalar as a tile: of an argument, or loaded from memory.
static void add_uniform(mix_t *m)
{
    generator_t *g = m->g;
    value_t number = {.id = 1 + (int)draw(g, (uint32_t)g->program->scalar_count),
                      .type = KILN_ELEMENT_I32};
    const request_t request = {.type = widths[draw(g, 2)]};
    if (g->in_function || chance(g, 3))
        number = need(g, &request);
    value_t many = new_value(g, number.type, m->shape);
    line(g, "%%v%d = tt.splat %%v%d : %s -> %s", many.id, number.id,
         type_text(number.type, (shape_t){0}), type_text(many.type, many.shape));
    keep(m, many);
}

static value_t looped(mix_t *m, int operations)
{
    generator_t *g = m->g;
    const type_t type = widths[draw(g, 2)];
    const int low = integer(g, "i32", 0), one = integer(g, "i32", 1),
              high = integer(g, "i32", 1 + (int)draw(g, 4)), index = ++g->next_id;
    const value_t start = operand(m, type), inside = new_value(g, type, m->shape),
                  after = new_value(g, type, m->shape),
                  outside = new_value(g, KILN_ELEMENT_I32, m->shape);
    const char *text = type_text(type, m->shape);
    const int count = m->count, pool_count = g->pool_count;
    line(g,
         "%%v%d = scf.for %%v%d = %%v%d to %%v%d step %%v%d iter_args(%%v%d = %%v%d) -> (%s)  : "
         "i32 {",
         after.id, index, low, high, one, inside.id, start.id, text);
    g->depth++;
    line(g, "%%v%d = tt.splat %%v%d : i32 -> %s", outside.id, index,
         type_text(KILN_ELEMENT_I32, m->shape));
    mix_t body = *m;
    keep(&body, outside);
    keep(&body, inside);
    add_operations(&body, operations);
    const value_t next = operand(&body, type);
    line(g, "scf.yield %%v%d : %s", next.id, type_text(type, m->shape));
    g->depth--;
    line(g, "}");
    g->pool_count = pool_count;
    m->count = count;
    return after;
}

bool make_mixes(generator_t *g)
{
    // Mostly one element per lane: those of several are computed by vector instructions together.
    mix_t m = {.g = g, .shape = chance(g, 4) ? some_shape(g, 2) : (shape_t){1, {64 << draw(g, 3)}}};
    if (!has_room(g))
        return false;
    for (int i = 2; i > 0; i--) {
        keep(&m, chance(g, 3) ? linear_index(g, m.shape, NULL)
                              : load_new(g, widths[draw(g, 2)], m.shape, 0, false));
        add_uniform(&m);
    }
    add_operations(&m, 4 + (int)draw(g, 12));
    if (chance(g, 2))
        keep(&m, looped(&m, 4 + (int)draw(g, 8)));
    add_operations(&m, (int)draw(g, 6));
    for (int i = 0; i < 3; i++) {
        const value_t v = operand(&m, widths[draw(g, 2)]);
        add_value(g, v);
        store_value(g, v, 0);
    }
    return true;
}
