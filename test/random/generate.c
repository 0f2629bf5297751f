// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generator's framework: scopes, types, shapes, constants, and the choice of statements.
#include "generate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kiln/kiln.h"

uint32_t draw(generator_t *g, uint32_t bound)
{
    return choices_draw(g->choices, bound);
}

bool chance(generator_t *g, uint32_t one_in)
{
    return draw(g, one_in) == one_in - 1;
}

void line(generator_t *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    for (int i = 0; i < 2 + g->depth; i++)
        kiln_string_append(g->out, "  ");
    kiln_string_appendv(g->out, format, args);
    kiln_string_append_char(g->out, '\n');
    va_end(args);
    g->lines++;
}

// Types and shapes --------------------------------------------------------------------------------

static char *next_text(void)
{
    static char texts[16][128];
    static int at;
    return texts[at++ % 16];
}

static const char *tensor_text(const char *element, shape_t shape)
{
    char *text = next_text();
    int length = shape.rank ? snprintf(text, 128, "tensor<") : 0;
    for (int d = 0; d < shape.rank; d++)
        length += snprintf(text + length, 128 - (size_t)length, "%dx", shape.dims[d]);
    snprintf(text + length, 128 - (size_t)length, shape.rank ? "%s>" : "%s", element);
    return text;
}

const char *type_text(type_t type, shape_t shape)
{
    return tensor_text(kiln_element_type_name(type), shape);
}

const char *pointer_text(type_t type, shape_t shape)
{
    char element[32];
    snprintf(element, sizeof element, "!tt.ptr<%s>", kiln_element_type_name(type));
    return tensor_text(element, shape);
}

int count_of(shape_t shape)
{
    int count = 1;
    for (int d = 0; d < shape.rank; d++)
        count *= shape.dims[d];
    return count;
}

bool same_shape(shape_t a, shape_t b)
{
    if (a.rank != b.rank)
        return false;
    for (int d = 0; d < a.rank; d++)
        if (a.dims[d] != b.dims[d])
            return false;
    return true;
}

shape_t some_shape(generator_t *g, int rank_limit)
{
    shape_t shape = {.rank = 1 + (int)draw(g, (uint32_t)rank_limit)};
    int left = g->largest;
    for (int d = 0; d < shape.rank; d++) {
        static const int sizes[] = {16, 64, 32, 8, 4, 128, 1, 2, 256, 512, 1024, 4096};
        int dim = sizes[draw(g, shape.rank == 1 ? 12 : 10)];
        shape.dims[d] = dim < left ? dim : left;
        left /= shape.dims[d];
    }
    return shape;
}

type_t some_integer(generator_t *g)
{
    static const type_t types[] = {KILN_ELEMENT_I32, KILN_ELEMENT_I32, KILN_ELEMENT_I64,
                                   KILN_ELEMENT_I16, KILN_ELEMENT_I8};
    return types[draw(g, 5)];
}

type_t some_float(generator_t *g)
{
    static const type_t types[] = {KILN_ELEMENT_F32, KILN_ELEMENT_F32, KILN_ELEMENT_F16,
                                   KILN_ELEMENT_BF16, KILN_ELEMENT_F64};
    return types[draw(g, 5)];
}

bool is_float(type_t type)
{
    return kiln_element_is_float(type);
}

int bits_of(type_t type)
{
    return type == KILN_ELEMENT_I1 ? 1 : 8 * (int)kiln_element_size(type);
}

bool is_small_float(type_t type)
{
    return is_float(type) && kiln_element_size(type) == 1;
}

// Precision in bits, and the largest power of two that is used.
static int precision(type_t type)
{
    switch (type) {
    case KILN_ELEMENT_F64:
        return 53;
    case KILN_ELEMENT_F32:
        return 24;
    case KILN_ELEMENT_F16:
        return 11;
    case KILN_ELEMENT_BF16:
        return 8;
    case KILN_ELEMENT_F8E4M3FN:
    case KILN_ELEMENT_F8E4M3FNUZ:
        return 4;
    default:
        return 3;
    }
}

bool fits(type_t type, double max, int fraction)
{
    double largest = type == KILN_ELEMENT_F16 ? 60000 : is_small_float(type) ? 128 : 1e30;
    int deepest = type == KILN_ELEMENT_F16 ? 20 : is_small_float(type) ? 3 : 60;
    return max <= largest && fraction <= deepest &&
           ldexp(max, fraction) <= ldexp(1, precision(type));
}

// Scope -------------------------------------------------------------------------------------------

value_t new_value(generator_t *g, type_t type, shape_t shape)
{
    return (value_t){.id = ++g->next_id,
                     .type = type,
                     .shape = shape,
                     .max = is_float(type) ? 0 : (double)INFINITY};
}

void add_value(generator_t *g, value_t value)
{
    if (g->pool_count < MAX_POOL)
        g->pool[g->pool_count++] = value;
}

static bool suits(const value_t *v, const request_t *w)
{
    if ((!w->any_type && v->type != w->type) || (!w->any_shape && !same_shape(v->shape, w->shape)))
        return false;
    if (w->max > 0 && (v->max > w->max || (is_float(v->type) && v->fraction > w->fraction)))
        return false;
    return (w->specials || !v->is_special) && (w->masked || !v->mask);
}

bool pick(generator_t *g, const request_t *request, value_t *out)
{
    int found[64], count = 0;
    for (int i = g->pool_count; i-- > 0 && count < 64;)
        if (suits(&g->pool[i], request))
            found[count++] = i;
    if (!count)
        return false;
    // Mostly one of the latest, so that operations build on each other.
    *out = g->pool[found[draw(g, (uint32_t)(count > 4 && !chance(g, 3) ? 4 : count))]];
    return true;
}

value_t constant(generator_t *g, type_t type, shape_t shape, double number)
{
    value_t v = new_value(g, type, shape);
    char text[64];
    if (is_float(type)) {
        snprintf(text, sizeof text, "%.17e", number);
        v.max = fabs(number);
        while (v.fraction < 30 && floor(ldexp(v.max, v.fraction)) != ldexp(v.max, v.fraction))
            v.fraction++;
    } else if (type == KILN_ELEMENT_I1) {
        snprintf(text, sizeof text, number != 0 ? "true" : "false");
    } else {
        snprintf(text, sizeof text, "%.0f", number == 0 ? 0 : number);
        v.max = fabs(number);
    }
    if (shape.rank)
        line(g, "%%v%d = arith.constant dense<%s> : %s", v.id, text, type_text(type, shape));
    else
        line(g, "%%v%d = arith.constant %s%s%s", v.id, text, type == KILN_ELEMENT_I1 ? "" : " : ",
             type == KILN_ELEMENT_I1 ? "" : type_text(type, shape));
    add_value(g, v);
    return v;
}

value_t convert_shape(generator_t *g, value_t value, shape_t shape)
{
    if (!shape.rank)
        return value;
    value_t v = value;
    v.id = ++g->next_id;
    v.shape = shape;
    line(g, "%%v%d = tt.splat %%v%d : %s -> %s", v.id, value.id, type_text(value.type, value.shape),
         type_text(v.type, shape));
    add_value(g, v);
    return v;
}

static value_t special_constant(generator_t *g, type_t type, shape_t shape)
{
    static const struct {
        type_t type;
        const char *texts[3];
    } rows[] = {
        {KILN_ELEMENT_F32, {"0x7FC00000", "0x7F800000", "0xFF800000"}},
        {KILN_ELEMENT_F16, {"0x7E00", "0x7C00", "0xFC00"}},
        {KILN_ELEMENT_BF16, {"0x7FC0", "0x7F80", "0xFF80"}},
        {KILN_ELEMENT_F64, {"0x7FF8000000000000", "0x7FF0000000000000", "0xFFF0000000000000"}}};
    value_t v = new_value(g, type, shape);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == type)
            line(g,
                 shape.rank ? "%%v%d = arith.constant dense<%s> : %s"
                            : "%%v%d = arith.constant %s : %s",
                 v.id, rows[i].texts[draw(g, 3)], type_text(type, shape));
    v.is_special = v.has_sign = true;
    add_value(g, v);
    return v;
}

// A scalar that is not loaded: a constant, an argument, the program's id.
static value_t some_scalar(generator_t *g, type_t type)
{
    request_t request = {.type = type};
    value_t v;
    if (!is_float(type) && chance(g, 2) && pick(g, &request, &v))
        return v;
    return constant(g, type, (shape_t){0}, type == KILN_ELEMENT_I1 ? draw(g, 2) : 1 + draw(g, 7));
}

value_t need(generator_t *g, const request_t *request)
{
    value_t v;
    if (!chance(g, 5) && pick(g, request, &v))
        return v;
    double most = request->max > 0 && request->max < 16 ? floor(request->max) : 16;
    bool is_exact_float = is_float(request->type);
    if (is_small_float(request->type))
        return load_new(g, request->type, request->shape, most < 8 ? most : 8, false);
    if (!request->shape.rank)
        return some_scalar(g, request->type);
    if (request->specials && is_exact_float && chance(g, 8))
        return special_constant(g, request->type, request->shape);
    switch (draw(g, 5)) {
    case 0:
    case 1:
        return load_new(g, request->type, request->shape,
                        is_exact_float     ? most
                        : request->max > 0 ? most
                                           : (double)INFINITY,
                        false);
    case 2:
        return convert_shape(g, some_scalar(g, request->type), request->shape);
    case 3:
        if (request->type == KILN_ELEMENT_I32 && !(request->max > 0)) {
            v = linear_index(g, request->shape, NULL);
            add_value(g, v);
            return v;
        }
        break;
    default:
        break;
    }
    double number = request->type == KILN_ELEMENT_I1 ? draw(g, 2) : draw(g, (uint32_t)most + 1);
    return constant(g, request->type, request->shape,
                    chance(g, 3) && request->type != KILN_ELEMENT_I1 ? -number : number);
}

bool random_chains = false, random_mixes = false;

// Statements --------------------------------------------------------------------------------------

static const struct {
    bool (*make)(generator_t *g);
    int weight;
} table[] = {
    {make_integer, 10},   {make_load, 4},        {make_float, 10},       {make_store, 6},
    {make_compare, 3},    {make_select, 3},      {make_conversion, 6},   {make_shape, 9},
    {make_reduce, 5},     {make_scan, 3},        {make_gather, 2},       {make_masked_copy, 2},
    {make_histogram, 1},  {make_map, 1},         {make_dot, 4},          {make_gemm, 2},
    {make_for, 3},        {make_if, 3},          {make_while, 2},        {make_call, 2},
    {make_atomic, 2},     {make_approximate, 2}, {make_block_access, 2}, {make_return, 1},
    {make_stream, 3},     {make_chain, 1},       {make_scaled_dot, 1},   {make_cas, 1},
    {make_exchange, 2},   {make_pointers, 2},    {make_rows, 2},         {make_cat, 1},
    {make_assert, 1},     {make_print, 1},       {make_switch, 2},       {make_extern, 2},
    {make_index, 8},      {make_aliases, 3},     {make_scalars, 2},      {make_bytes, 2},
    {make_chain_loop, 1}, {make_sums, 3},        {make_mixes, 3},
};

static void statement(generator_t *g)
{
    int total = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        total += table[i].weight;
    int chosen = (int)draw(g, (uint32_t)total);
    size_t i = 0;
    for (; chosen >= table[i].weight; i++)
        chosen -= table[i].weight;
    table[i].make(g);
}

void statements(generator_t *g, int most)
{
    for (int i = 0; i < most && g->lines < 400 && draw(g, (uint32_t)most + 4) != 0; i++)
        statement(g);
}

void store_unused(generator_t *g, int most)
{
    for (int i = g->pool_count; i-- > 0 && most > 0;) {
        char name[16];
        value_t v = g->pool[i];
        snprintf(name, sizeof name, "%%v%d", v.id);
        size_t length = strlen(name);
        int uses = 0;
        for (const char *at = g->out->data; at && (at = strstr(at, name)); at += length)
            uses += at[length] < '0' || at[length] > '9';
        if (uses > 1 || v.id <= g->program->scalar_count + g->program->other_count)
            continue;
        store_value(g, v, 0);
        most--;
    }
}

// The program -------------------------------------------------------------------------------------

static void choose_options(generator_t *g)
{
    static const int warps[] = {4, 1, 2, 8, 16}, stages[] = {2, 1, 3, 4}, sides[] = {0, 16, 32};
    size_t pass_count;
    const char *const *passes = kiln_optimize_passes(&pass_count);
    program_t *p = g->program;
    p->num_warps = warps[draw(g, 5)];
    p->num_stages = stages[draw(g, 4)];
    p->matrix_instr_nonkdim = sides[draw(g, 3)];
    p->kpack = 1 + (int)draw(g, 2);
    p->waves_per_eu = (int)draw(g, 3);
    p->disabled_pass = chance(g, 5)    ? passes[draw(g, (uint32_t)pass_count)]
                       : chance(g, 30) ? "inline"
                                       : NULL;
    p->checks = chance(g, 3) || random_chains;
    p->is_volatile = chance(g, 10);
    p->promises_nothing = chance(g, 4);
}

void program_write(generator_t *g)
{
    kiln_string_t text = {0};
    const bool promises = !g->program->promises_nothing;
    kiln_string_append(&text, "module {\n  tt.func public @k(");
    for (int i = 0; i < g->program->buffer_count; i++)
        kiln_string_appendf(&text, "%s%%%c%d: !tt.ptr<%s>%s", i ? ", " : "",
                            g->program->buffers[i].before ? 'a' : 'b', i,
                            kiln_element_type_name(g->program->buffers[i].type),
                            promises ? g->program->buffers[i].attributes : "");
    for (int i = 0; i < g->program->scalar_count; i++)
        kiln_string_appendf(
            &text, "%s%%v%d: i32%s", i || g->program->buffer_count ? ", " : "", 1 + i,
            promises && g->program->scalar_divides[i] ? " {tt.divisibility = 16 : i32}" : "");
    for (int i = 0; i < g->program->other_count; i++)
        kiln_string_appendf(&text, ", %%v%d: %s", 1 + g->program->scalar_count + i,
                            kiln_element_type_name(g->program->others[i].type));
    kiln_string_append(&text, ") {\n");
    for (int i = 0; i < g->program->buffer_count; i++) {
        const buffer_t *b = &g->program->buffers[i];
        if (b->before)
            kiln_string_appendf(&text,
                                "    %%c%d = arith.constant -%zu : i32\n    %%b%d = tt.addptr "
                                "%%a%d, %%c%d : !tt.ptr<%s>, i32\n",
                                i, b->before, i, i, i, kiln_element_type_name(b->type));
    }
    if (g->body.data)
        kiln_string_append(&text, g->body.data);
    kiln_string_append(&text, "    tt.return\n  }\n");
    if (g->functions.data)
        kiln_string_append(&text, g->functions.data);
    kiln_string_append(&text, "}\n");
    g->program->text = kiln_string_take(&text);
    kiln_string_free(&g->body);
    kiln_string_free(&g->functions);
}

// Arguments of types other than i32: small numbers, which every type can represent.
static void add_other_scalars(generator_t *g)
{
    static const type_t types[] = {KILN_ELEMENT_I64, KILN_ELEMENT_F32, KILN_ELEMENT_I16,
                                   KILN_ELEMENT_I8, KILN_ELEMENT_F64};
    g->program->other_count = (int)draw(g, MAX_OTHERS + 1);
    for (int i = 0; i < g->program->other_count; i++) {
        type_t type = types[draw(g, 5)];
        value_t v = new_value(g, type, (shape_t){0});
        int number = (int)draw(g, 200) - 100;
        float narrow = (float)number;
        double wide = number;
        uint64_t bits = (uint64_t)number;
        if (type == KILN_ELEMENT_F64)
            memcpy(&bits, &wide, sizeof wide);
        if (type == KILN_ELEMENT_F32) {
            bits = 0;
            memcpy(&bits, &narrow, sizeof narrow);
        }
        g->program->others[i].type = type;
        g->program->others[i].value = number;
        g->program->others[i].bits = bits;
        v.max = 100;
        add_value(g, v);
    }
}

void program_generate(choices_t *choices, program_t *program)
{
    static const int limits[] = {256, 1024, 4096, 64, 16384, 256, 1024, 131072};
    *program = (program_t){.grid = {1, 1, 1}};
    generator_t generator = {.choices = choices, .program = program}, *g = &generator;
    g->out = &g->body;
    g->largest = limits[draw(g, sizeof limits / sizeof *limits)];
    choose_options(g);
    program->data_seed = draw(g, 1000);
    for (int d = 0; d < 3; d++)
        program->grid[d] = chance(g, 3) ? 1 + draw(g, d ? 2 : 3) : 1;
    program->scalar_count = 1 + (int)draw(g, MAX_SCALARS);
    for (int i = 0; i < program->scalar_count; i++) {
        static const int extremes[] = {INT32_MAX, INT32_MIN, -1, INT32_MAX - 15, 1 << 30};
        value_t v = new_value(g, KILN_ELEMENT_I32, (shape_t){0});
        program->scalars[i] = (int)draw(g, chance(g, 2) ? 300 : 8);
        if (chance(g, 4))
            program->scalars[i] = extremes[draw(g, 5)];
        else
            v.max = 300;
        program->scalar_divides[i] = program->scalars[i] % 16 == 0 && chance(g, 2);
        if (!program->is_volatile)
            add_value(g, v);
    }
    add_other_scalars(g);
    // Loads in place of arguments, so that bounds, conditions and indices may differ between waves.
    for (int i = 0; i < program->scalar_count && program->is_volatile; i++)
        load_new(g, KILN_ELEMENT_I32, (shape_t){0}, 64, false);
    for (int attempts = 0; random_chains && attempts < 20 && !make_chain_loop(g); attempts++)
        g->largest = g->largest < 1024 ? 1024 : g->largest;
    for (int i = 0; random_mixes && i < 3; i++)
        make_mixes(g);
    statements(g, random_chains || random_mixes ? 2 : 4 + (int)draw(g, 28));
    // Unused values are stored; otherwise they would be removed without being executed.
    store_unused(g, MAX_BUFFERS);
    program_write(g);
}
