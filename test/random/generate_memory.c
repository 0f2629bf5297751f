// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory accesses: by linear indices in several forms, with masks that keep them inside their
// buffer; block pointers and descriptors.
//
// Every store has a buffer of its own with a part for each program, so that results do not depend
// on the order of programs or elements.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"

unsigned programs(const generator_t *g)
{
    return g->program->grid[0] * g->program->grid[1] * g->program->grid[2];
}

int add_buffer(generator_t *g, type_t type, size_t count)
{
    if (g->program->buffer_count == MAX_BUFFERS)
        abort();
    buffer_t *b = &g->program->buffers[g->program->buffer_count];
    *b = (buffer_t){.type = type, .count = count ? count : 1, .max = (double)INFINITY};
    bool aligned = chance(g, 2), small = chance(g, 2);
    if (aligned || small)
        snprintf(b->attributes, sizeof b->attributes, " {%s%s%s}",
                 aligned ? "tt.divisibility = 16 : i32" : "", aligned && small ? ", " : "",
                 small ? "tt.pointer_range = 32 : i32" : "");
    if (chance(g, 3)) // rounded down to the alignment, which leaves 0 for small buffers
        b->before = chance(g, 2) ? b->count : b->count / 2;
    b->before -= aligned ? b->before % 16 : 0;
    return g->program->buffer_count++;
}

bool has_room(const generator_t *g)
{
    // Buffers are arguments of the kernel and not available in functions.
    return !g->in_function && g->program->buffer_count < MAX_BUFFERS - SPARE_BUFFERS;
}

// The program's index in the grid, as an i32 scalar; 0 if there is only one program.
static int program_number(generator_t *g)
{
    const unsigned *grid = g->program->grid;
    int x = ++g->next_id, y = ++g->next_id, z = ++g->next_id, nx = ++g->next_id, ny = ++g->next_id,
        zy = ++g->next_id, s = ++g->next_id, t = ++g->next_id, out = ++g->next_id;
    line(g, "%%v%d = tt.get_program_id x : i32", x);
    if (grid[1] == 1 && grid[2] == 1)
        return x;
    line(g, "%%v%d = tt.get_program_id y : i32", y);
    line(g, "%%v%d = tt.get_program_id z : i32", z);
    line(g, "%%v%d = tt.get_num_programs x : i32", nx);
    line(g, "%%v%d = arith.constant %u : i32", ny, grid[1]);
    line(g, "%%v%d = arith.muli %%v%d, %%v%d : i32", zy, z, ny);
    line(g, "%%v%d = arith.addi %%v%d, %%v%d : i32", s, zy, y);
    line(g, "%%v%d = arith.muli %%v%d, %%v%d : i32", t, s, nx);
    line(g, "%%v%d = arith.addi %%v%d, %%v%d : i32", out, t, x);
    return out;
}

// One dimension's indices times a stride, broadcast to the shape.
static int dimension_index(generator_t *g, shape_t shape, int d, int stride)
{
    shape_t flat = {1, {shape.dims[d]}};
    int at = ++g->next_id;
    line(g, "%%v%d = tt.make_range {end = %d : i32, start = 0 : i32} : %s", at, shape.dims[d],
         type_text(KILN_ELEMENT_I32, flat));
    for (int e = 0; e < shape.rank; e++) {
        if (e == d)
            continue;
        shape_t wider = {flat.rank + 1, {0}};
        for (int i = 0, from = 0; i < wider.rank; i++)
            wider.dims[i] = i == (e < d ? e : flat.rank) ? 1 : flat.dims[from++];
        int next = ++g->next_id;
        line(g, "%%v%d = tt.expand_dims %%v%d {axis = %d : i32} : %s -> %s", next, at,
             e < d ? e : flat.rank, type_text(KILN_ELEMENT_I32, flat),
             type_text(KILN_ELEMENT_I32, wider));
        at = next;
        flat = wider;
    }
    if (stride != 1) {
        int factor = ++g->next_id, next = ++g->next_id;
        line(g, "%%v%d = arith.constant dense<%d> : %s", factor, stride,
             type_text(KILN_ELEMENT_I32, flat));
        line(g, "%%v%d = arith.muli %%v%d, %%v%d : %s", next, at, factor,
             type_text(KILN_ELEMENT_I32, flat));
        at = next;
    }
    if (same_shape(flat, shape))
        return at;
    int next = ++g->next_id;
    line(g, "%%v%d = tt.broadcast %%v%d : %s -> %s", next, at, type_text(KILN_ELEMENT_I32, flat),
         type_text(KILN_ELEMENT_I32, shape));
    return next;
}

value_t linear_index(generator_t *g, shape_t shape, const int *strides)
{
    value_t v = new_value(g, KILN_ELEMENT_I32, shape);
    int row_major[MAX_DIMS], stride = 1;
    for (int d = shape.rank; d-- > 0; stride *= shape.dims[d])
        row_major[d] = stride;
    v.max = stride;
    if (!strides && (shape.rank == 1 || chance(g, 2))) {
        shape_t flat = {1, {stride}};
        int range = shape.rank == 1 ? v.id : ++g->next_id;
        line(g, "%%v%d = tt.make_range {end = %d : i32, start = 0 : i32} : %s", range, stride,
             type_text(KILN_ELEMENT_I32, flat));
        if (shape.rank > 1)
            line(g, "%%v%d = tt.reshape %%v%d : %s -> %s", v.id, range,
                 type_text(KILN_ELEMENT_I32, flat), type_text(KILN_ELEMENT_I32, shape));
    } else {
        int sum = 0;
        for (int d = 0; d < shape.rank; d++) {
            int part = dimension_index(g, shape, d, strides ? strides[d] : row_major[d]);
            if (!sum) {
                sum = part;
                continue;
            }
            int next = ++g->next_id;
            line(g, "%%v%d = arith.addi %%v%d, %%v%d : %s", next, sum, part,
                 type_text(KILN_ELEMENT_I32, shape));
            sum = next;
        }
        v.id = sum;
        if (strides)
            v.max = (double)INFINITY;
    }
    return v;
}

int pointers_at(generator_t *g, int buffer, value_t index)
{
    type_t type = g->program->buffers[buffer].type;
    shape_t scalar = {0};
    int splat = ++g->next_id, out = ++g->next_id;
    if (!index.shape.rank) {
        line(g, "%%v%d = tt.addptr %%b%d, %%v%d : %s, i32", out, buffer, index.id,
             pointer_text(type, scalar));
        return out;
    }
    line(g, "%%v%d = tt.splat %%b%d : %s -> %s", splat, buffer, pointer_text(type, scalar),
         pointer_text(type, index.shape));
    // Moves the index far away and back, unless the memory is declared small.
    if (!strstr(g->program->buffers[buffer].attributes, "pointer_range") && chance(g, 6)) {
        static const long long distances[] = {1LL << 31, 1LL << 32, (1LL << 33) + 12,
                                              -(1LL << 31) - 1, 1LL << 29};
        long long distance = distances[draw(g, 5)];
        int away = ++g->next_id, moved = ++g->next_id, wide = ++g->next_id, minus = ++g->next_id,
            home = ++g->next_id;
        const char *it = type_text(KILN_ELEMENT_I64, index.shape),
                   *pt = pointer_text(type, index.shape);
        line(g, "%%v%d = arith.constant dense<%lld> : %s", away, distance, it);
        line(g, "%%v%d = tt.addptr %%v%d, %%v%d : %s, %s", moved, splat, away, pt, it);
        line(g, "%%v%d = arith.extsi %%v%d : %s to %s", wide, index.id,
             type_text(KILN_ELEMENT_I32, index.shape), it);
        line(g, "%%v%d = arith.constant dense<%lld> : %s", minus, -distance, it);
        line(g, "%%v%d = arith.addi %%v%d, %%v%d : %s", home, wide, minus, it);
        line(g, "%%v%d = tt.addptr %%v%d, %%v%d : %s, %s", out, moved, home, pt, it);
        return out;
    }
    if (chance(g, 4)) {
        int wide = ++g->next_id;
        line(g, "%%v%d = arith.extsi %%v%d : %s to %s", wide, index.id,
             type_text(KILN_ELEMENT_I32, index.shape), type_text(KILN_ELEMENT_I64, index.shape));
        line(g, "%%v%d = tt.addptr %%v%d, %%v%d : %s, %s", out, splat, wide,
             pointer_text(type, index.shape), type_text(KILN_ELEMENT_I64, index.shape));
    } else {
        line(g, "%%v%d = tt.addptr %%v%d, %%v%d : %s, %s", out, splat, index.id,
             pointer_text(type, index.shape), type_text(KILN_ELEMENT_I32, index.shape));
    }
    return out;
}

// Index of this program's part: `index` + number · count.
value_t of_program(generator_t *g, value_t index, int count)
{
    if (programs(g) == 1)
        return index;
    int number = program_number(g), factor = ++g->next_id, offset = ++g->next_id,
        out = ++g->next_id, splat = offset;
    line(g, "%%v%d = arith.constant %d : i32", factor, count);
    line(g, "%%v%d = arith.muli %%v%d, %%v%d : i32", offset, number, factor);
    if (index.shape.rank) {
        splat = ++g->next_id;
        line(g, "%%v%d = tt.splat %%v%d : i32 -> %s", splat, offset,
             type_text(KILN_ELEMENT_I32, index.shape));
    }
    line(g, "%%v%d = arith.addi %%v%d, %%v%d : %s", out, index.id, splat,
         type_text(KILN_ELEMENT_I32, index.shape));
    index.id = out;
    index.max = (double)INFINITY;
    return index;
}

static value_t scalar_index(generator_t *g)
{
    value_t v = new_value(g, KILN_ELEMENT_I32, (shape_t){0});
    line(g, "%%v%d = arith.constant 0 : i32", v.id);
    return v;
}

// index + n − n for an argument n that may be large: the sum wraps around in 32 bits and back.
static value_t wrapped(generator_t *g, value_t index)
{
    int argument = 1 + (int)draw(g, (uint32_t)g->program->scalar_count), splat = ++g->next_id,
        there = ++g->next_id, back = ++g->next_id;
    const char *type = type_text(KILN_ELEMENT_I32, index.shape);
    line(g, "%%v%d = tt.splat %%v%d : i32 -> %s", splat, argument, type);
    line(g, "%%v%d = arith.addi %%v%d, %%v%d : %s", there, index.id, splat, type);
    line(g, "%%v%d = arith.subi %%v%d, %%v%d : %s", back, there, splat, type);
    index.id = back;
    return index;
}

// An index that touches each of `*out_span` elements at most once: row-major, with permuted
// dimensions, or with gaps.
value_t some_index(generator_t *g, shape_t shape, int *out_span)
{
    int strides[MAX_DIMS], stride = 1;
    uint32_t form = draw(g, 5);
    if (!shape.rank) {
        *out_span = 1;
        return scalar_index(g);
    }
    if (form < 2 || form == 4) {
        value_t index = linear_index(g, shape, NULL);
        *out_span = count_of(shape);
        return form == 4 ? wrapped(g, index) : index;
    }
    if (form == 3)
        stride = 2;
    for (int d = 0; d < shape.rank; d++) { // the first dimension is the fastest
        strides[d] = stride;
        stride *= shape.dims[d];
    }
    *out_span = stride;
    return linear_index(g, shape, strides);
}

static const char *modifiers(generator_t *g, bool is_store)
{
    static const char *const loads[] = {"", " cacheModifier = cg", " evictionPolicy = evict_last",
                                        " cacheModifier = cv",
                                        " cacheModifier = ca evictionPolicy = evict_first"};
    static const char *const stores[] = {"", " cacheModifier = wt", " cacheModifier = cs",
                                         " evictionPolicy = evict_first"};
    if (!is_store && g->program->is_volatile && chance(g, 2))
        return " {isVolatile = true}";
    uint32_t which = draw(g, 12);
    return is_store ? stores[which < 4 ? which : 0] : loads[which < 5 ? which : 0];
}

// index < limit, with a limit near the middle of the span.
int limit_mask(generator_t *g, value_t index, int limit)
{
    int bound = ++g->next_id, mask = ++g->next_id;
    const char *type = type_text(KILN_ELEMENT_I32, index.shape);
    line(g,
         index.shape.rank ? "%%v%d = arith.constant dense<%d> : %s"
                          : "%%v%d = arith.constant %d : %s",
         bound, limit, type);
    line(g, "%%v%d = arith.cmpi slt, %%v%d, %%v%d : %s", mask, index.id, bound, type);
    return mask;
}

value_t load_new(generator_t *g, type_t type, shape_t shape, double max, bool masked)
{
    if (!has_room(g))
        return constant(g, type, shape, is_float(type) ? 2 : 1);
    int span;
    value_t index = some_index(g, shape, &span);
    bool own = chance(g, 3);
    size_t size = (size_t)span * (own ? programs(g) : 1);
    value_t at = own ? of_program(g, index, span) : index;
    bool limited = masked || chance(g, 3);
    int limit = limited ? (int)size - (int)draw(g, (uint32_t)(size < 64 ? size : 64)) : (int)size;
    int buffer = add_buffer(g, type, (size_t)limit);
    value_t v = new_value(g, type, shape);
    if (is_float(type)) {
        v.max = max;
        g->program->buffers[buffer].max = max;
        g->program->buffers[buffer].has_zeros = !is_small_float(type) && chance(g, 3);
    } else if (!isinf(max)) {
        v.max = max;
        g->program->buffers[buffer].max = max;
    }
    if (g->allow_specials && is_float(type) && !is_small_float(type) && chance(g, 6))
        v.is_special = v.has_sign = g->program->buffers[buffer].is_special = true;
    int pointers = pointers_at(g, buffer, at);
    if (!limited) {
        line(g, "%%v%d = tt.load %%v%d%s : %s", v.id, pointers, modifiers(g, false),
             pointer_text(type, shape));
    } else {
        int mask = limit_mask(g, at, limit);
        if (masked) {
            line(g, "%%v%d = tt.load %%v%d, %%v%d%s : %s", v.id, pointers, mask,
                 modifiers(g, false), pointer_text(type, shape));
            v.mask = mask;
        } else {
            int other = ++g->next_id;
            if (!shape.rank && type == KILN_ELEMENT_I1)
                line(g, "%%v%d = arith.constant true", other);
            else
                line(g,
                     shape.rank ? "%%v%d = arith.constant dense<%s> : %s"
                                : "%%v%d = arith.constant %s : %s",
                     other,
                     is_float(type)            ? "1.0"
                     : type == KILN_ELEMENT_I1 ? "true"
                                               : "1",
                     type_text(type, shape));
            line(g, "%%v%d = tt.load %%v%d, %%v%d, %%v%d%s : %s", v.id, pointers, mask, other,
                 modifiers(g, false), pointer_text(type, shape));
        }
    }
    if (v.max < 1)
        v.max = 1;
    add_value(g, v);
    return v;
}

void store_value(generator_t *g, value_t value, double tolerance)
{
    if (!has_room(g))
        return;
    int span;
    value_t index = some_index(g, value.shape, &span), at = of_program(g, index, span);
    int size = span * (int)programs(g);
    bool limited = chance(g, 4) && !value.mask;
    int limit = limited ? size - (int)draw(g, (uint32_t)(size < 64 ? size : 64)) : size;
    int buffer = add_buffer(g, value.type, (size_t)limit), pointers = pointers_at(g, buffer, at),
        mask = value.mask;
    g->program->buffers[buffer].is_output = true;
    g->program->buffers[buffer].tolerance = tolerance;
    g->program->buffers[buffer].any_zero = value.any_zero;
    request_t request = {.type = KILN_ELEMENT_I1, .shape = value.shape};
    value_t some;
    if (limited)
        mask = limit_mask(g, at, limit);
    else if (!mask && chance(g, 5) && pick(g, &request, &some))
        mask = some.id;
    if (mask)
        line(g, "tt.store %%v%d, %%v%d, %%v%d%s : %s", pointers, value.id, mask, modifiers(g, true),
             pointer_text(value.type, value.shape));
    else
        line(g, "tt.store %%v%d, %%v%d%s : %s", pointers, value.id, modifiers(g, true),
             pointer_text(value.type, value.shape));
}

bool make_load(generator_t *g)
{
    shape_t shape = some_shape(g, 3);
    static const type_t small[] = {KILN_ELEMENT_F8E4M3FNUZ, KILN_ELEMENT_F8E5M2FNUZ,
                                   KILN_ELEMENT_F8E4M3FN, KILN_ELEMENT_F8E5M2};
    uint32_t form = draw(g, 10);
    type_t type = form < 5       ? some_integer(g)
                  : form < 9     ? some_float(g)
                  : chance(g, 2) ? KILN_ELEMENT_I1
                                 : small[draw(g, 4)];
    g->allow_specials = true;
    load_new(g, type, shape,
             is_small_float(type) ? 8
             : is_float(type)     ? 1 << draw(g, 6)
                                  : (double)INFINITY,
             false);
    g->allow_specials = false;
    return true;
}

bool make_store(generator_t *g)
{
    request_t request = {.any_type = true, .any_shape = true, .specials = true, .masked = true};
    value_t v;
    if (!has_room(g) || !pick(g, &request, &v))
        return false;
    if (!v.shape.rank &&
        v.id <= g->program->scalar_count + g->program->other_count) // an unmodified argument
        return false;
    store_value(g, v, 0);
    return true;
}

// Loads under a mask, computes, and stores under it: elements outside remain undefined throughout.
bool make_masked_copy(generator_t *g)
{
    if (!has_room(g))
        return false;
    value_t v = load_new(g, some_integer(g), some_shape(g, 2), (double)INFINITY, true);
    if (!v.mask)
        return false;
    value_t sum = new_value(g, v.type, v.shape);
    line(g, "%%v%d = arith.muli %%v%d, %%v%d : %s", sum.id, v.id, v.id, type_text(v.type, v.shape));
    sum.mask = v.mask;
    add_value(g, sum);
    if (chance(g, 2))
        store_value(g, sum, 0);
    return true;
}

// value & (bound − 1), as i32 of the shape.
int below(generator_t *g, value_t v, int bound)
{
    int limit = ++g->next_id, out = ++g->next_id;
    const char *type = type_text(v.type, v.shape);
    line(g,
         v.shape.rank ? "%%v%d = arith.constant dense<%d> : %s" : "%%v%d = arith.constant %d : %s",
         limit, bound - 1, type);
    line(g, "%%v%d = arith.andi %%v%d, %%v%d : %s", out, v.id, limit, type);
    return out;
}

// Exchanges data with other threads through memory: store, barrier, load elsewhere, barrier.
bool make_exchange(generator_t *g)
{
    request_t request = {.type = some_integer(g), .any_shape = true};
    value_t v;
    if (!has_room(g) || !pick(g, &request, &v) || !v.shape.rank)
        return false;
    int count = count_of(v.shape), back = ++g->next_id;
    value_t index = linear_index(g, v.shape, NULL), at = of_program(g, index, count), other = index,
            out = new_value(g, v.type, v.shape);
    if (chance(g, 2)) {
        request_t any = {.type = KILN_ELEMENT_I32, .shape = v.shape};
        other = need(g, &any);
        other.id = below(g, other, count);
    } else {
        value_t last = constant(g, KILN_ELEMENT_I32, v.shape, count - 1);
        line(g, "%%v%d = arith.subi %%v%d, %%v%d : %s", back, last.id, index.id,
             type_text(KILN_ELEMENT_I32, v.shape));
        other.id = back;
    }
    other = of_program(g, other, count);
    if (!has_room(g))
        return false;
    int buffer = add_buffer(g, v.type, (size_t)count * programs(g));
    g->program->buffers[buffer].is_output = true;
    int to = pointers_at(g, buffer, at), from = pointers_at(g, buffer, other);
    const char *pt = pointer_text(v.type, v.shape);
    line(g, "tt.store %%v%d, %%v%d : %s", to, v.id, pt);
    line(g, "gpu.barrier");
    line(g, "%%v%d = tt.load %%v%d : %s", out.id, from, pt);
    line(g, "gpu.barrier");
    add_value(g, out);
    return true;
}

// Selected pointers: by a mask, by a branch, by the iteration of a loop; or converted from
// integers.
bool make_pointers(generator_t *g)
{
    if (!has_room(g) || g->depth > 2)
        return false;
    type_t type = some_integer(g);
    shape_t shape = some_shape(g, 2);
    int count = count_of(shape), buffers[2], pointers[2], chosen = ++g->next_id;
    value_t index = linear_index(g, shape, NULL), v = new_value(g, type, shape);
    for (int i = 0; i < 2; i++) {
        buffers[i] = add_buffer(g, type, (size_t)count);
        pointers[i] = pointers_at(g, buffers[i], index);
    }
    char pt[128], it[128];
    strcpy(pt, pointer_text(type, shape));
    strcpy(it, type_text(KILN_ELEMENT_I64, shape));
    request_t masks = {.type = KILN_ELEMENT_I1, .shape = shape},
              conditions = {.type = KILN_ELEMENT_I1};
    switch (draw(g, 4)) {
    case 0: {
        value_t mask = need(g, &masks);
        line(g, "%%v%d = arith.select %%v%d, %%v%d, %%v%d : %s, %s", chosen, mask.id, pointers[0],
             pointers[1], type_text(KILN_ELEMENT_I1, shape), pt);
        break;
    }
    case 1: {
        value_t condition = need(g, &conditions);
        line(g, "%%v%d = scf.if %%v%d -> (%s) {", chosen, condition.id, pt);
        line(g, "  scf.yield %%v%d : %s", pointers[0], pt);
        line(g, "} else {");
        line(g, "  scf.yield %%v%d : %s", pointers[1], pt);
        line(g, "}");
        break;
    }
    case 2: { // swapped in each iteration
        int low = integer(g, "i32", 0), high = integer(g, "i32", (int)draw(g, 4)),
            one = integer(g, "i32", 1), unused = ++g->next_id, i = ++g->next_id,
            first = ++g->next_id, second = ++g->next_id;
        line(g,
             "%%v%d, %%v%d = scf.for %%v%d = %%v%d to %%v%d step %%v%d iter_args(%%v%d = %%v%d, "
             "%%v%d = %%v%d) -> (%s, "
             "%s)  : i32 {",
             chosen, unused, i, low, high, one, first, pointers[0], second, pointers[1], pt, pt);
        line(g, "  scf.yield %%v%d, %%v%d : %s, %s", second, first, pt, pt);
        line(g, "}");
        break;
    }
    default: {
        int address = ++g->next_id, zero = ++g->next_id, sum = ++g->next_id;
        line(g, "%%v%d = tt.ptr_to_int %%v%d : %s -> %s", address, pointers[0], pt, it);
        line(g, "%%v%d = arith.constant dense<0> : %s", zero, it);
        line(g, "%%v%d = arith.addi %%v%d, %%v%d : %s", sum, address, zero, it);
        line(g, "%%v%d = tt.int_to_ptr %%v%d : %s -> %s", chosen, sum, it, pt);
        break;
    }
    }
    line(g, "%%v%d = tt.load %%v%d : %s", v.id, chosen, pt);
    add_value(g, v);
    return true;
}

// Block pointers and descriptors ------------------------------------------------------------------

bool make_block_access(generator_t *g)
{
    if (!has_room(g))
        return false;
    static const type_t types[] = {KILN_ELEMENT_I32, KILN_ELEMENT_F32, KILN_ELEMENT_F16,
                                   KILN_ELEMENT_I8, KILN_ELEMENT_I64};
    type_t type = types[draw(g, 5)];
    shape_t shape = {2, {1 << draw(g, 6), 16 << draw(g, 3)}};
    if (count_of(shape) > g->largest)
        return false;
    int rows = shape.dims[0] + (int)draw(g, 7) - 3, columns = shape.dims[1] + (int)draw(g, 9) - 4;
    if (rows < 1)
        rows = 1;
    int at[2] = {(int)draw(g, 5) - 2, (int)draw(g, 9) - 4};
    int buffer = add_buffer(g, type, (size_t)rows * (size_t)columns);
    g->program->buffers[buffer].max = is_float(type) ? 8 : (double)INFINITY;
    int rows32 = integer(g, "i32", rows), columns32 = integer(g, "i32", columns),
        stride = integer(g, "i64", columns), one = integer(g, "i64", 1),
        row = integer(g, "i32", at[0]), column = integer(g, "i32", at[1]), made = ++g->next_id;
    value_t v = new_value(g, type, shape);
    v.max = is_float(type) ? 8 : (double)INFINITY;
    const char *tt = type_text(type, shape), *name = kiln_element_type_name(type);
    if (chance(g, 2)) {
        line(g,
             "%%v%d = tt.make_tensor_descriptor %%b%d, [%%v%d, %%v%d], [%%v%d, %%v%d] : <%s>, <%s>",
             made, buffer, rows32, columns32, stride, one, name, tt);
        line(g, "%%v%d = tt.descriptor_load %%v%d[%%v%d, %%v%d] : !tt.tensordesc<%s> -> %s", v.id,
             made, row, column, tt, tt);
    } else {
        int rows64 = integer(g, "i64", rows), columns64 = integer(g, "i64", columns),
            moved = ++g->next_id;
        line(g,
             "%%v%d = tt.make_tensor_ptr %%b%d, [%%v%d, %%v%d], [%%v%d, %%v%d], [%%v%d, %%v%d] "
             "{order = array<i32: 1, "
             "0>} : <%s>",
             made, buffer, rows64, columns64, stride, one, row, column, tt);
        line(g, "%%v%d = tt.advance %%v%d, [%%v%d, %%v%d] : <%s>", moved, made, row, column, tt);
        line(g,
             "%%v%d = tt.load %%v%d {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : "
             "!tt.ptr<%s>",
             v.id, moved, tt);
    }
    add_value(g, v);
    if (chance(g, 2) && has_room(g) && programs(g) == 1 && !g->is_nested) { // stored to another
                                                                            // buffer, too
        int target = add_buffer(g, type, (size_t)rows * (size_t)columns), there = ++g->next_id;
        g->program->buffers[target].is_output = true;
        line(g,
             "%%v%d = tt.make_tensor_descriptor %%b%d, [%%v%d, %%v%d], [%%v%d, %%v%d] : <%s>, <%s>",
             there, target, rows32, columns32, stride, one, name, tt);
        line(g, "tt.descriptor_store %%v%d[%%v%d, %%v%d], %%v%d : !tt.tensordesc<%s>, %s", there,
             row, column, v.id, tt, tt);
    }
    return true;
}
