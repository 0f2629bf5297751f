// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops near the limits of their types: their number of iterations, their order and their indices,
// interpreted and compiled, compared with this program's own counts in 128 bits.
//
// A form describes a kernel: its constant bounds, the loop's comparison, stages, unrolling, an
// enclosing loop. Each of its programs loads its own bounds from memory. KILN_LOOP_FORMS=N draws N
// forms of each kind from another seed.
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "kiln/builder.h"
#include "run_both.h"

enum { PROGRAMS = 16, BOUNDS = 3, MAX_TURNS = 12, TILE = 16, LOOPS = 4, TEXT = 1 << 15 };

typedef __int128 wide_t;

static uint64_t random_state = 26;

static uint64_t draw(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t x = random_state ^ random_state >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    return x ^ x >> 33;
}

static int below(int n)
{
    return (int)(draw() % (uint64_t)n);
}

// Numbers -----------------------------------------------------------------------------------------

typedef struct number_type {
    int bits;
    bool is_unsigned;
} number_type_t;

static wide_t min_of(number_type_t type)
{
    return type.is_unsigned ? 0 : -((wide_t)1 << (type.bits - 1));
}

static wide_t max_of(number_type_t type)
{
    return ((wide_t)1 << (type.bits - !type.is_unsigned)) - 1;
}

static wide_t wrap(number_type_t type, wide_t value)
{
    wide_t size = (wide_t)1 << type.bits;
    value = (value - min_of(type)) % size;
    return min_of(type) + (value < 0 ? value + size : value);
}

static wide_t clamp(number_type_t type, wide_t value)
{
    return value < min_of(type) ? min_of(type) : value > max_of(type) ? max_of(type) : value;
}

// Near an end of the type, near zero, or anywhere.
static wide_t draw_number(number_type_t type)
{
    wide_t off = below(40);
    switch (below(5)) {
    case 0:
        return clamp(type, min_of(type) + off);
    case 1:
    case 2:
        return clamp(type, max_of(type) - off);
    case 3:
        return clamp(type, off - 20);
    default:
        return wrap(type, (wide_t)draw());
    }
}

static wide_t draw_step(number_type_t type)
{
    wide_t max = max_of(type), step;
    switch (below(4)) {
    case 0:
        step = 1 + below(3);
        break;
    case 1:
        step = (wide_t)1 << below(type.bits - 1);
        break;
    case 2:
        step = max / (1 + below(6)) - below(2);
        break;
    default:
        step = 1 + (wide_t)(draw() >> below(64)) % max;
        break;
    }
    return step < 1 ? 1 : step > max ? max : step;
}

// Loops as the host counts them -------------------------------------------------------------------

typedef enum comparison { LESS, LESS_EQUAL, GREATER, GREATER_EQUAL } comparison_t;

typedef struct bounds {
    wide_t of[BOUNDS]; // lower, upper, and the step, which is positive
} bounds_t;

static bool holds(comparison_t comparison, wide_t a, wide_t b)
{
    return comparison == LESS         ? a < b
           : comparison == LESS_EQUAL ? a <= b
           : comparison == GREATER    ? a > b
                                      : a >= b;
}

static int sign_of(comparison_t comparison)
{
    return comparison >= GREATER ? -1 : 1;
}

// The kernels' results from the indices of a loop.
typedef struct outcome {
    int64_t turns, hash, sum;
} outcome_t;

static void turn(outcome_t *out, wide_t i)
{
    out->turns++;
    out->hash = (int64_t)((uint64_t)out->hash * 31 + (uint64_t)i);
    out->sum += i & 1 ? 4 * TILE : TILE; // of products of twos, or of ones
}

// Counts the iterations; false if there are too many. A counted loop's integers do not wrap.
static bool run_loop(number_type_t type, bool is_counted, comparison_t comparison,
                     const bounds_t *bounds, outcome_t *out)
{
    wide_t i = bounds->of[0];
    for (int k = 0; holds(comparison, i, bounds->of[1]); k++) {
        if (k == MAX_TURNS)
            return false;
        turn(out, wrap(type, i));
        i += sign_of(comparison) * bounds->of[2];
        if (!is_counted)
            i = wrap(type, i);
    }
    return true;
}

typedef struct form {
    number_type_t type;
    comparison_t comparison;
    bool is_counted, is_constant[BOUNDS];
    bounds_t bounds[PROGRAMS];
} form_t;

static bool has_few_turns(const form_t *form, const bounds_t *bounds)
{
    outcome_t ignored = {0};
    return run_loop(form->type, form->is_counted, form->comparison, bounds, &ignored);
}

// Draws bounds with few iterations, and with the constants of `like` if that is not NULL.
static bounds_t draw_bounds(const form_t *form, const bounds_t *like)
{
    for (int attempt = 0; attempt < 200; attempt++) {
        bounds_t b = {{draw_number(form->type), 0, draw_step(form->type)}};
        for (int i = 0; i < BOUNDS; i++)
            if (like && form->is_constant[i])
                b.of[i] = like->of[i];
        if (!like || !form->is_constant[1]) {
            wide_t turns = below(MAX_TURNS) - 2,
                   far = b.of[2] * turns + (wide_t)(draw() % (uint64_t)b.of[2]);
            b.of[1] = below(4) ? clamp(form->type, b.of[0] + sign_of(form->comparison) * far)
                               : draw_number(form->type);
        } else if (!form->is_constant[0]) {
            b.of[0] =
                clamp(form->type, b.of[1] - sign_of(form->comparison) * b.of[2] * below(MAX_TURNS));
        }
        if (has_few_turns(form, &b))
            return b;
    }
    if (like)
        return *like;
    // No iteration, whatever the comparison.
    wide_t min = min_of(form->type), max = max_of(form->type);
    return (bounds_t){
        {sign_of(form->comparison) > 0 ? max : min, sign_of(form->comparison) > 0 ? min : max, 1}};
}

static void draw_all_bounds(form_t *form)
{
    form->bounds[0] = draw_bounds(form, NULL);
    for (int p = 1; p < PROGRAMS; p++)
        form->bounds[p] = draw_bounds(form, &form->bounds[0]);
}

// Running -----------------------------------------------------------------------------------------

static char text[TEXT];
static size_t length;

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    length += (size_t)vsnprintf(text + length, TEXT - length, format, arguments);
    va_end(arguments);
    assert_true(length < TEXT);
}

static int64_t given[PROGRAMS * LOOPS * BOUNDS], got[PROGRAMS * LOOPS * 2];
static uint16_t halves[2 * TILE * TILE];
static float sums[PROGRAMS * TILE * TILE];

static void compare(const outcome_t *right, int loops, bool has_sums, const char *how)
{
    for (int p = 0; p < PROGRAMS; p++)
        for (int k = 0; k < loops; k++) {
            const int at = p * loops + k;
            bool is_sum_right = true;
            for (int e = 0; has_sums && e < TILE * TILE; e++)
                is_sum_right &= sums[p * TILE * TILE + e] == (float)right[at].sum;
            if (got[2 * at] == right[at].turns && got[2 * at + 1] == right[at].hash && is_sum_right)
                continue;
            fputs(text, stderr); // longer than a cmocka message
            fail_msg("%s, program %d, loop %d, bounds %" PRId64 " %" PRId64 " step %" PRId64
                     ": %" PRId64 " turns, right are %" PRId64 "; the hash is %s, the sums %s",
                     how, p, k, given[at * BOUNDS], given[at * BOUNDS + 1], given[at * BOUNDS + 2],
                     got[2 * at], right[at].turns,
                     got[2 * at + 1] == right[at].hash ? "right" : "wrong",
                     is_sum_right ? "right" : "wrong");
        }
}

static void run(kiln_stage_t stage, const kiln_compile_options_t *options, const outcome_t *right,
                int loops, bool has_sums)
{
    kiln_source_t source = {stage, stage == KILN_STAGE_TILE ? "loops.tile.c" : "loops.ttir", text,
                            length};
    for (int e = 0; e < 2 * TILE * TILE; e++)
        halves[e] = e < TILE * TILE ? 0x3C00 : 0x4000; // ones, then twos
    const argument_t arguments[] = {{given, sizeof given, 0},
                                    {got, sizeof got, 0},
                                    {halves, sizeof halves, 0},
                                    {sums, sizeof sums, 0}};
    const size_t count = has_sums ? 4 : 2;
    kiln_compile_options_t plain;
    kiln_compile_options_initialize(&plain);
    memset(got, 0xAA, sizeof got);
    interpret(&source, &plain, PROGRAMS, arguments, count, NULL);
    compare(right, loops, has_sums, "interpreted");
    memset(got, 0xAA, sizeof got);
    memset(sums, 0, sizeof sums);
    run_kernel(&source, options, PROGRAMS, arguments, count);
    compare(right, loops, has_sums, "compiled");
}

static int forms(int otherwise)
{
    const char *setting = getenv("KILN_LOOP_FORMS");
    return setting ? atoi(setting) : otherwise;
}

static int begin(void **state)
{
    if (getenv("KILN_LOOP_FORMS")) {
        random_state = (uint64_t)time(NULL);
        print_message("seed %" PRIu64 "\n", random_state);
    }
    setenv("KILN_SIM_LIMIT", "2000000", 1);
    return open_device(state);
}

// scf.for -----------------------------------------------------------------------------------------

static void add_bound(const form_t *form, int which)
{
    static const char *const names[] = {"low", "high", "step"};
    int bits = form->type.bits;
    if (form->is_constant[which]) {
        number_type_t as_signed = {bits, false};
        add("    %%%s = arith.constant %" PRId64 " : i%d\n", names[which],
            (int64_t)wrap(as_signed, form->bounds[0].of[which]), bits);
        return;
    }
    add("    %%n%d = arith.constant %d : i32\n    %%p%d = arith.addi %%place, %%n%d : i32\n"
        "    %%a%d = tt.addptr %%given, %%p%d : !tt.ptr<i64>, i32\n",
        which, which, which, which, which, which);
    add(bits == 64 ? "    %%%s = tt.load %%a%d : !tt.ptr<i64>\n"
                   : "    %%%s_wide = tt.load %%a%d : !tt.ptr<i64>\n",
        names[which], which);
    if (bits < 64)
        add("    %%%s = arith.trunci %%%s_wide : i64 to i%d\n", names[which], names[which], bits);
}

static void add_scf_for(const form_t *form, int rounds, int unroll, bool has_dot)
{
    int bits = form->type.bits;
    const char *yields = "i64, i64, tensor<16x16xf32>";
    add("module {\n  tt.func public @k(%%given: !tt.ptr<i64>, %%got: !tt.ptr<i64>, %%x: "
        "!tt.ptr<f16>, %%sums: "
        "!tt.ptr<f32>) {\n"
        "    %%zero = arith.constant dense<0.0> : tensor<16x16xf32>\n"
        "    %%none = arith.constant 0 : i64\n    %%one = arith.constant 1 : i64\n"
        "    %%prime = arith.constant 31 : i64\n    %%size = arith.constant 256 : i64\n"
        "    %%one32 = arith.constant 1 : i32\n    %%two32 = arith.constant 2 : i32\n    %%three32 "
        "= arith.constant 3 "
        ": i32\n"
        "    %%size32 = arith.constant 256 : i32\n    %%none32 = arith.constant 0 : i32\n"
        "    %%rounds = arith.constant %d : i32\n"
        "    %%pid = tt.get_program_id x : i32\n    %%place = arith.muli %%pid, %%three32 : i32\n",
        rounds);
    for (int i = 0; i < BOUNDS; i++)
        add_bound(form, i);
    add("    %%r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>\n"
        "    %%rows = tt.expand_dims %%r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>\n"
        "    %%columns = tt.expand_dims %%r {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>\n"
        "    %%pitch = arith.constant dense<16> : tensor<16x1xi32>\n"
        "    %%below = arith.muli %%rows, %%pitch : tensor<16x1xi32>\n"
        "    %%down = tt.broadcast %%below : tensor<16x1xi32> -> tensor<16x16xi32>\n"
        "    %%right = tt.broadcast %%columns : tensor<1x16xi32> -> tensor<16x16xi32>\n"
        "    %%offsets = arith.addi %%down, %%right : tensor<16x16xi32>\n"
        "    %%xs = tt.splat %%x : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>\n"
        "    %%all = tt.addptr %%xs, %%offsets : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>\n"
        "    %%out:3 = scf.for %%round = %%none32 to %%rounds step %%one32 iter_args(%%t0 = "
        "%%none, %%h0 = %%none, "
        "%%c0 = "
        "%%zero) -> (%s) : i32 {\n"
        "      %%in:3 = scf.for %s%%i = %%low to %%high step %%step iter_args(%%t = %%t0, %%h = "
        "%%h0, %%c = %%c0) -> "
        "(%s) : i%d {\n",
        yields, form->type.is_unsigned ? "unsigned " : "", yields, bits);
    if (bits < 64)
        add("        %%wide = arith.%s %%i : i%d to i64\n",
            form->type.is_unsigned ? "extui" : "extsi", bits);
    const char *wide = bits < 64 ? "wide" : "i";
    add("        %%tn = arith.addi %%t, %%one : i64\n        %%hp = arith.muli %%h, %%prime : i64\n"
        "        %%hn = arith.addi %%hp, %%%s : i64\n        %%odd = arith.andi %%%s, %%one : i64\n"
        "        %%by = arith.muli %%odd, %%size : i64\n        %%bys = tt.splat %%by : i64 -> "
        "tensor<16x16xi64>\n"
        "        %%ps = tt.addptr %%all, %%bys : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi64>\n",
        wide, wide);
    if (has_dot)
        add("        %%a = tt.load %%ps : tensor<16x16x!tt.ptr<f16>>\n        %%b = tt.load %%ps : "
            "tensor<16x16x!tt.ptr<f16>>\n"
            "        %%d = tt.dot %%a, %%b, %%c : tensor<16x16xf16> * tensor<16x16xf16> -> "
            "tensor<16x16xf32>\n");
    else
        add("        %%a = tt.load %%ps : tensor<16x16x!tt.ptr<f16>>\n"
            "        %%e = arith.extf %%a : tensor<16x16xf16> to tensor<16x16xf32>\n"
            "        %%f = arith.mulf %%e, %%e : tensor<16x16xf32>\n"
            "        %%k = arith.constant dense<16.0> : tensor<16x16xf32>\n"
            "        %%g = arith.mulf %%f, %%k : tensor<16x16xf32>\n"
            "        %%d = arith.addf %%c, %%g : tensor<16x16xf32>\n");
    add("        scf.yield %%tn, %%hn, %%d : %s\n      }", yields);
    if (unroll)
        add(" {tt.loop_unroll_factor = %d : i32}", unroll);
    add("\n      scf.yield %%in#0, %%in#1, %%in#2 : %s\n    }%s\n"
        "    %%q = arith.muli %%pid, %%two32 : i32\n    %%q1 = arith.addi %%q, %%one32 : i32\n"
        "    %%g0 = tt.addptr %%got, %%q : !tt.ptr<i64>, i32\n    %%g1 = tt.addptr %%got, %%q1 : "
        "!tt.ptr<i64>, i32\n"
        "    tt.store %%g0, %%out#0 : !tt.ptr<i64>\n    tt.store %%g1, %%out#1 : !tt.ptr<i64>\n"
        "    %%s0 = arith.muli %%pid, %%size32 : i32\n    %%s1 = tt.addptr %%sums, %%s0 : "
        "!tt.ptr<f32>, i32\n"
        "    %%s2 = tt.splat %%s1 : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>\n"
        "    %%s3 = tt.addptr %%s2, %%offsets : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>\n"
        "    tt.store %%s3, %%out#2 : tensor<16x16x!tt.ptr<f32>>\n    tt.return\n  }\n}\n",
        yields, below(2) ? " {tt.flatten}" : "");
}

static void scf_for_counts_exactly(void **state)
{
    static const int widths[] = {8, 16, 32, 32, 64};
    size_t pass_count;
    const char *const *passes = kiln_optimize_passes(&pass_count);
    (void)state;
    for (int f = 0, count = forms(48); f < count; f++) {
        form_t form = {
            .type = {widths[below(5)], below(3) == 0}, .comparison = LESS, .is_counted = true};
        for (int i = 0; i < BOUNDS; i++)
            form.is_constant[i] = below(i == 2 ? 3 : 2);
        draw_all_bounds(&form);
        int rounds = below(3) ? 1 : 1 + below(3), unroll = below(3) ? 0 : 2 + below(3);
        outcome_t right[PROGRAMS] = {{0}};
        for (int p = 0; p < PROGRAMS; p++) {
            for (int r = 0; r < rounds; r++)
                run_loop(form.type, true, LESS, &form.bounds[p], &right[p]);
            for (int i = 0; i < BOUNDS; i++)
                given[p * BOUNDS + i] = (int64_t)(uint64_t)form.bounds[p].of[i];
        }
        kiln_compile_options_t options;
        kiln_compile_options_initialize(&options);
        options.num_warps = 1;
        options.num_stages = 1 + below(5);
        const char *disabled[2];
        options.disabled_passes = disabled;
        options.disabled_pass_count = (size_t)(below(3) ? 0 : below(3));
        length = 0;
        add("// num_stages %d", options.num_stages);
        for (size_t i = 0; i < options.disabled_pass_count; i++)
            add(", no %s", disabled[i] = passes[below((int)pass_count)]);
        add("\n");
        add_scf_for(&form, rounds, unroll, below(4) != 0);
        run(KILN_STAGE_TT, &options, right, 1, true);
    }
}

// Tile C ------------------------------------------------------------------------------------------

static const struct tile_type {
    const char *name;
    number_type_t type;
} tile_types[] = {{"i32", {32, false}}, {"i64", {64, false}}, {"i8", {8, false}},
                  {"i16", {16, false}}, {"u8", {8, true}},    {"u16", {16, true}},
                  {"u32", {32, true}},  {"u64", {64, true}}};

static void add_number(const struct tile_type *type, const form_t *form, int loop, int which)
{
    const wide_t value = form->bounds[0].of[which];
    if (!form->is_constant[which])
        add("v%d_%d", loop, which);
    else if (value == min_of(type->type) && value)
        add("((%s)(%" PRId64 "l - 1))", type->name, (int64_t)(value + 1)); // no literal exists
    else
        add("((%s)%" PRIu64 "%sl)", type->name, (uint64_t)value, type->type.is_unsigned ? "u" : "");
}

static void add_loop(const struct tile_type *type, const form_t *form, int loop)
{
    static const char *const comparisons[] = {"<", "<=", ">", ">="};
    const char *t = type->name,
               *wider = form->is_counted && type->type.bits == 32 && below(3) == 0 ? "(i64)" : "";
    for (int i = 0; i < BOUNDS; i++)
        if (!form->is_constant[i])
            add("    %s v%d_%d = (%s)given[(program_id(0) * %d + %d) * 3 + %d];\n", t, loop, i, t,
                LOOPS, loop, i);
    add("    i64 t%d = 0, h%d = 0;\n    for (%s i = ", loop, loop, t);
    add_number(type, form, loop, 0);
    add("; %si %s ", wider, comparisons[form->comparison]);
    add_number(type, form, loop, 1);
    add("; i %s= ", sign_of(form->comparison) > 0 ? "+" : "-");
    add_number(type, form, loop, 2);
    add(") {\n        t%d++;\n        h%d = h%d * 31 + (i64)i;\n    }\n", loop, loop, loop);
    add("    got[(program_id(0) * %d + %d) * 2] = t%d;\n    got[(program_id(0) * %d + %d) * 2 + 1] "
        "= h%d;\n",
        LOOPS, loop, loop, LOOPS, loop, loop);
}

// Loops over signed integers are counted loops, others wrap as in C.
static void tile_c_counts_exactly(void **state)
{
    (void)state;
    for (int f = 0, count = forms(48); f < count; f++) {
        outcome_t right[PROGRAMS * LOOPS] = {{0}};
        length = 0;
        add("kernel void k(i64 *given, i64 *got)\n{\n");
        for (int k = 0; k < LOOPS; k++) {
            const int counted = below(4); // in three of four cases
            const struct tile_type *type = &tile_types[counted ? below(2) : 2 + below(6)];
            form_t form = {.type = type->type,
                           .comparison = (comparison_t)below(4),
                           .is_counted = counted != 0};
            for (int i = 0; i < BOUNDS; i++)
                form.is_constant[i] = below(2);
            draw_all_bounds(&form);
            add_loop(type, &form, k);
            for (int p = 0; p < PROGRAMS; p++) {
                run_loop(form.type, form.is_counted, form.comparison, &form.bounds[p],
                         &right[p * LOOPS + k]);
                for (int i = 0; i < BOUNDS; i++)
                    given[(p * LOOPS + k) * BOUNDS + i] = (int64_t)(uint64_t)form.bounds[p].of[i];
            }
        }
        add("}\n");
        kiln_compile_options_t options;
        kiln_compile_options_initialize(&options);
        options.num_warps = 1;
        run(KILN_STAGE_TILE, &options, right, LOOPS, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scf_for_counts_exactly, begin, close_device),
        cmocka_unit_test_setup_teardown(tile_c_counts_exactly, begin, close_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
