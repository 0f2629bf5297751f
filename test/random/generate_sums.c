// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of shifted numbers, of which some differ between lanes and some do not, as in addresses of
// rows: (row * stride + column) * size + base. Several sums have a term in common, so that code
// generation chooses between scalar and vector instructions for all of them together.
#include "generate.h"

static value_t emit(generator_t *g, const char *operation, value_t a, value_t b)
{
    value_t v = new_value(g, a.type, a.shape);
    line(g, "%%v%d = arith.%s %%v%d, %%v%d : %s", v.id, operation, a.id, b.id,
         type_text(a.type, a.shape));
    return v;
}

// Shifted by a few bits, or multiplied.
static value_t shifted(generator_t *g, value_t a)
{
    const int bits = 1 + (int)draw(g, 5);
    const bool multiplies = chance(g, 3);
    return emit(g, multiplies ? "muli" : "shli", a,
                constant(g, a.type, a.shape, multiplies ? 1 << bits : bits));
}

// A number that all lanes have, as a tile: of an argument or any scalar, times the loop's index (0:
// none). The limits keep LLVM from joining its shift with a product or another sum.
static value_t uniform(generator_t *g, shape_t shape, int index)
{
    value_t number = {.id = 1 + (int)draw(g, (uint32_t)g->program->scalar_count),
                      .type = KILN_ELEMENT_I32};
    const request_t request = {.type = KILN_ELEMENT_I32};
    if (g->in_function || chance(g, 4))
        number = need(g, &request);
    number = emit(g, chance(g, 2) ? "minsi" : "maxsi", number,
                  constant(g, number.type, number.shape, draw(g, 2000)));
    if (index)
        number = emit(g, "muli", number, (value_t){.id = index, .type = KILN_ELEMENT_I32});
    if (!chance(g, 3))
        number = shifted(g, number);
    value_t many = new_value(g, number.type, shape);
    line(g, "%%v%d = tt.splat %%v%d : i32 -> %s", many.id, number.id,
         type_text(many.type, many.shape));
    return many;
}

static value_t sum_of(generator_t *g, value_t a, int index)
{
    const value_t b = uniform(g, a.shape, index);
    return emit(g, "addi", chance(g, 4) ? shifted(g, a) : a, b);
}

// Sums with `base`, each joined with the lane's number by an operation that no other one takes in.
static value_t joined_sums(generator_t *g, value_t base, value_t lane, value_t all, int index)
{
    static const char *const joins[] = {"xori", "ori"}, *const operations[] = {"muli", "xori"};
    for (int i = 3 + (int)draw(g, 4); i > 0; i--) {
        const value_t sum = emit(g, joins[draw(g, 2)], sum_of(g, base, index), lane);
        all = emit(g, operations[draw(g, 2)], all, sum);
    }
    return all;
}

static value_t looped_sums(generator_t *g, value_t base, value_t lane)
{
    const int low = integer(g, "i32", 0), one = integer(g, "i32", 1),
              high = integer(g, "i32", 1 + (int)draw(g, 4)), index = ++g->next_id;
    const value_t inside = new_value(g, lane.type, lane.shape),
                  after = new_value(g, lane.type, lane.shape);
    const int pool_count = g->pool_count;
    line(g,
         "%%v%d = scf.for %%v%d = %%v%d to %%v%d step %%v%d iter_args(%%v%d = %%v%d) -> (%s)  : "
         "i32 {",
         after.id, index, low, high, one, inside.id, lane.id, type_text(lane.type, lane.shape));
    g->depth++;
    const value_t next = joined_sums(g, base, lane, inside, index);
    line(g, "scf.yield %%v%d : %s", next.id, type_text(lane.type, lane.shape));
    g->depth--;
    g->pool_count = pool_count;
    line(g, "}");
    return after;
}

bool make_sums(generator_t *g)
{
    const request_t request = {.type = KILN_ELEMENT_I32, .any_shape = true};
    // Mostly one element per lane: sums of several are computed by vector instructions together.
    const shape_t shape = chance(g, 4) ? some_shape(g, 2) : (shape_t){1, {32 << draw(g, 3)}};
    value_t lane;
    if (!chance(g, 4) || !pick(g, &request, &lane) || !lane.shape.rank) {
        if (!shape.rank || !has_room(g))
            return false;
        lane = chance(g, 2) ? load_new(g, KILN_ELEMENT_I32, shape, 0, false)
                            : linear_index(g, shape, NULL);
    }
    value_t base = lane;
    for (int i = 1 + (int)draw(g, 2); i > 0; i--)
        base = emit(g, "addi", shifted(g, base), uniform(g, lane.shape, 0));
    const value_t v =
        chance(g, 2) ? looped_sums(g, base, lane) : joined_sums(g, base, lane, lane, 0);
    add_value(g, v);
    store_value(g, v, 0);
    return true;
}
