// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses to one buffer at related addresses: one index, truncated to 8 and 16 bits, reduced
// modulo a number, or shifted; pointers cast to elements of other widths; scalars next to tiles.
// Some are in a loop that advances. Waves must synchronize between two such accesses whenever they
// touch the same bytes, while the interpreter has no waves.
//
// Elements of one store that have the same address must have the same value, so values are computed
// from the offsets.
#include "generate.h"

#include <math.h>
#include <stdio.h>

enum {
    MAX_FACTOR = 3,
    MAX_TILE = 1024,
    MAX_MOVE = 1023,
    MAX_TURNS = 4,
    MAX_STEP = 128,
    // Offsets lie in [-BEFORE, AFTER).
    BEFORE = MAX_FACTOR * MAX_TILE,
    AFTER = MAX_FACTOR * MAX_TILE + MAX_MOVE + MAX_TURNS * MAX_STEP + 2,
};

typedef struct aliases {
    generator_t *g;
    int buffer, index; // an i32 tile
    shape_t shape;
    int sum; // of the values loaded so far, an i32 tile
} aliases_t;

static int filled(generator_t *g, const char *type, int number)
{
    int id = ++g->next_id;
    line(g, "%%v%d = arith.constant dense<%d> : %s", id, number, type);
    return id;
}

static int binary(generator_t *g, const char *op, int a, int b, const char *type)
{
    int id = ++g->next_id;
    line(g, "%%v%d = arith.%s %%v%d, %%v%d : %s", id, op, a, b, type);
    return id;
}

static int cast(generator_t *g, const char *op, int a, const char *from, const char *to)
{
    int id = ++g->next_id;
    line(g, "%%v%d = arith.%s %%v%d : %s to %s", id, op, a, from, to);
    return id;
}

// The index, or a cast or a remainder of it.
static int related(aliases_t *a)
{
    generator_t *g = a->g;
    char i32[64], narrow[64];
    snprintf(i32, sizeof i32, "%s", type_text(KILN_ELEMENT_I32, a->shape));
    snprintf(narrow, sizeof narrow, "%s",
             type_text(chance(g, 3) ? KILN_ELEMENT_I16 : KILN_ELEMENT_I8, a->shape));
    static const int masks[] = {127, 63, 255, 1}, divisors[] = {100, 64, 7, 1000};
    switch (draw(g, 6)) {
    case 0:
        return a->index;
    case 1:
        return cast(g, "extsi", cast(g, "trunci", a->index, i32, narrow), narrow, i32);
    case 2: {
        int unsigned_one = cast(g, "extui", cast(g, "trunci", a->index, i32, narrow), narrow, i32);
        return binary(g, "andi", unsigned_one, filled(g, i32, 2047),
                      i32); // 16 bits may be large
    }
    case 3:
        return binary(g, "andi", a->index, filled(g, i32, masks[draw(g, 4)]), i32);
    case 4:
        return binary(g, "remsi", a->index, filled(g, i32, divisors[draw(g, 4)]), i32);
    default:
        return binary(g, "addi", a->index, filled(g, i32, 1), i32);
    }
}

// Pointers to elements of `type` at these offsets, which count i32 from the middle of the buffer.
static int pointers(aliases_t *a, type_t type, int offset, int part)
{
    generator_t *g = a->g;
    shape_t scalar = {0};
    char i32[64], i64[64], to[64], one[64];
    int base = ++g->next_id, all = ++g->next_id, at = ++g->next_id, width = 32 / bits_of(type);
    snprintf(i32, sizeof i32, "%s", type_text(KILN_ELEMENT_I32, a->shape));
    snprintf(i64, sizeof i64, "%s", type_text(KILN_ELEMENT_I64, a->shape));
    snprintf(to, sizeof to, "%s", pointer_text(type, a->shape));
    snprintf(one, sizeof one, "%s", pointer_text(type, scalar));
    int middle = integer(g, "i32", BEFORE * width + part), moved = ++g->next_id;
    if (width == 1)
        line(g, "%%v%d = tt.addptr %%b%d, %%v%d : %s, i32", moved, a->buffer, middle, one);
    else {
        line(g, "%%v%d = tt.bitcast %%b%d : %s -> %s", base, a->buffer,
             pointer_text(KILN_ELEMENT_I32, scalar), one);
        line(g, "%%v%d = tt.addptr %%v%d, %%v%d : %s, i32", moved, base, middle, one);
        offset = binary(g, "muli", offset, filled(g, i32, width), i32);
    }
    line(g, "%%v%d = tt.splat %%v%d : %s -> %s", all, moved, one, to);
    if (chance(g, 4)) {
        int wide = cast(g, "extsi", offset, i32, i64);
        line(g, "%%v%d = tt.addptr %%v%d, %%v%d : %s, %s", at, all, wide, to, i64);
    } else {
        line(g, "%%v%d = tt.addptr %%v%d, %%v%d : %s, %s", at, all, offset, to, i32);
    }
    return at;
}

static int mask_below(aliases_t *a)
{
    generator_t *g = a->g;
    const char *i32 = type_text(KILN_ELEMENT_I32, a->shape);
    int limit = filled(g, i32, (int)draw(g, 512) - 128), id = ++g->next_id;
    line(g, "%%v%d = arith.cmpi slt, %%v%d, %%v%d : %s", id, a->index, limit, i32);
    return id;
}

static void access_tile(aliases_t *a, bool stores)
{
    static const type_t types[] = {KILN_ELEMENT_I32, KILN_ELEMENT_I16, KILN_ELEMENT_I8};
    generator_t *g = a->g;
    type_t type = types[chance(g, 3) ? 1 + draw(g, 2) : 0];
    char i32[64], own[64], to[64];
    snprintf(i32, sizeof i32, "%s", type_text(KILN_ELEMENT_I32, a->shape));
    snprintf(own, sizeof own, "%s", type_text(type, a->shape));
    snprintf(to, sizeof to, "%s", pointer_text(type, a->shape));
    int offset = related(a), part = (int)draw(g, (uint32_t)(32 / bits_of(type))),
        at = pointers(a, type, offset, part);
    int mask = chance(g, 3) ? mask_below(a) : 0;
    if (stores) {
        int value = binary(g, "muli", offset, filled(g, i32, 2 * (int)draw(g, 9) + 1), i32);
        value = binary(g, "addi", value, filled(g, i32, (int)draw(g, 100)), i32);
        if (type != KILN_ELEMENT_I32)
            value = cast(g, "trunci", value, i32, own);
        if (mask)
            line(g, "tt.store %%v%d, %%v%d, %%v%d : %s", at, value, mask, to);
        else
            line(g, "tt.store %%v%d, %%v%d : %s", at, value, to);
        return;
    }
    int loaded, other = mask ? filled(g, own, 5) : 0;
    loaded = ++g->next_id;
    if (mask)
        line(g, "%%v%d = tt.load %%v%d, %%v%d, %%v%d : %s", loaded, at, mask, other, to);
    else
        line(g, "%%v%d = tt.load %%v%d : %s", loaded, at, to);
    if (type != KILN_ELEMENT_I32)
        loaded = cast(g, "extsi", loaded, own, i32);
    a->sum = binary(g, "addi", binary(g, "muli", a->sum, filled(g, i32, 3), i32), loaded, i32);
}

static void access_scalar(aliases_t *a, bool stores)
{
    generator_t *g = a->g;
    const char *i32 = type_text(KILN_ELEMENT_I32, a->shape);
    int place = integer(g, "i32", BEFORE + (int)draw(g, 256) - 128), at = ++g->next_id;
    line(g, "%%v%d = tt.addptr %%b%d, %%v%d : !tt.ptr<i32>, i32", at, a->buffer, place);
    if (stores) {
        line(g, "tt.store %%v%d, %%v%d : !tt.ptr<i32>", at, integer(g, "i32", (int)draw(g, 1000)));
        return;
    }
    int loaded = ++g->next_id, all = ++g->next_id;
    line(g, "%%v%d = tt.load %%v%d : !tt.ptr<i32>", loaded, at);
    line(g, "%%v%d = tt.splat %%v%d : i32 -> %s", all, loaded, i32);
    a->sum = binary(g, "addi", binary(g, "muli", a->sum, filled(g, i32, 3), i32), all, i32);
}

static void accesses(aliases_t *a)
{
    for (uint32_t i = 0, count = 2 + draw(a->g, 4); i < count; i++) {
        const bool stores = chance(a->g, 2);
        if (chance(a->g, 6))
            access_scalar(a, stores);
        else
            access_tile(a, stores);
    }
}

bool make_aliases(generator_t *g)
{
    if (!has_room(g) || g->is_nested || programs(g) != 1)
        return false;
    static const int factors[] = {1, -1, 2, -2, MAX_FACTOR},
                     moves[] = {0, 127, 128, 255, 511, MAX_MOVE};
    aliases_t a = {.g = g, .shape = {1, {64 << draw(g, 5)}}};
    if (a.shape.dims[0] > g->largest)
        return false;
    const char *i32 = type_text(KILN_ELEMENT_I32, a.shape);
    char type[64];
    snprintf(type, sizeof type, "%s", i32);
    a.buffer = add_buffer(g, KILN_ELEMENT_I32, BEFORE + AFTER);
    int range = ++g->next_id;
    line(g, "%%v%d = tt.make_range {end = %d : i32, start = 0 : i32} : %s", range, a.shape.dims[0],
         type);
    a.index = binary(g, "muli", range, filled(g, type, factors[draw(g, 5)]), type);
    a.index = binary(g, "addi", a.index, filled(g, type, moves[draw(g, 6)]), type);
    a.sum = filled(g, type, 0);
    value_t v = new_value(g, KILN_ELEMENT_I32, a.shape);
    v.max = (double)INFINITY;
    if (!chance(g, 3)) {
        accesses(&a);
        v.id = a.sum;
        add_value(g, v);
        return true;
    }
    static const int steps[] = {1, 64, MAX_STEP};
    int low = integer(g, "i32", 0), high = integer(g, "i32", (int)draw(g, MAX_TURNS + 1)),
        one = integer(g, "i32", 1), step = integer(g, "i32", steps[draw(g, 3)]),
        turn = ++g->next_id, carried = ++g->next_id;
    line(g,
         "%%v%d = scf.for %%v%d = %%v%d to %%v%d step %%v%d iter_args(%%v%d = %%v%d) -> (%s)  : "
         "i32 {",
         v.id, turn, low, high, one, carried, a.sum, type);
    a.sum = carried;
    if (chance(g, 2)) {
        int all = ++g->next_id, moved = binary(g, "muli", turn, step, "i32");
        line(g, "%%v%d = tt.splat %%v%d : i32 -> %s", all, moved, type);
        a.index = binary(g, "addi", a.index, all, type);
    }
    accesses(&a);
    line(g, "  scf.yield %%v%d : %s", a.sum, type);
    line(g, "}");
    add_value(g, v);
    return true;
}
