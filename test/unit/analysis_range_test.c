// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer ranges and axis information compared with values. Random programs over every width of
// integers, with negative starts and numbers at the limits of their types, casts, loops, branches,
// reductions, scans and gathers, are evaluated here; every claim of the analyses about a value must
// hold each time the value is computed.
//
// No claim covers undefined results (a division by zero or with overflow, a shift by the width) or
// anything computed from them.
#include "random_integers_text.h"

#include "analysis/axis/axis_info.h"
#include "analysis/range/integer_range.h"

enum { PROGRAMS = 3000 };

// Claims ------------------------------------------------------------------------------------------

static kiln_axis_info_t infos[MAX_VALUES];
static kiln_range_t ranges[MAX_VALUES];
static uint64_t program_seed;

static void fail_claim(int at, const char *what)
{
    fprintf(stderr, "seed %" PRIu64 ", value %d: %s does not hold\n%s\n", program_seed, at, what,
            text);
    fail();
}

static void check_line(int at, int dim, int start, int stride)
{
    const kiln_axis_info_t *info = &infos[at];
    const value_t *value = &values[at];
    int bits = nodes[at].bits;
    int64_t c = info->contiguity[dim], d = info->divisibility[dim], k = info->constancy[dim];
    uint64_t low = d > 0 && (uint64_t)d - 1 < mask_of(bits) ? (uint64_t)d - 1 : mask_of(bits);
    for (int i = 0, size = sizes[nodes[at].form][dim]; i < size; i++) {
        int e = start + i * stride;
        if (value->undefined[e])
            continue;
        if (i % c == 0 && (value->bits[e] & low) != 0)
            fail_claim(at, "divisibility");
        if (i == 0 || value->undefined[e - stride])
            continue;
        if (i % c != 0 && value->bits[e] != ((value->bits[e - stride] + 1) & mask_of(bits)))
            fail_claim(at, "contiguity");
        if (i % k != 0 && value->bits[e] != value->bits[e - stride])
            fail_claim(at, "constancy");
    }
}

static void check(int at)
{
    const node_t *node = &nodes[at];
    const kiln_range_t *range = &ranges[at];
    int rows = sizes[node->form][0], columns = sizes[node->form][1];
    for (int e = 0; e < rows * columns; e++) {
        uint64_t bits = values[at].bits[e];
        int64_t number = with_sign(node->bits, bits);
        if (values[at].undefined[e])
            continue;
        if (number < range->signed_min || number > range->signed_max)
            fail_claim(at, "the signed range");
        if (bits < range->unsigned_min || bits > range->unsigned_max)
            fail_claim(at, "the unsigned range");
        if (range->zeros > 0 && (bits & mask_of(range->zeros)) != 0)
            fail_claim(at, "the number of low zeros");
        if (infos[at].is_constant &&
            infos[at].constant != (node->bits == 1 ? (int64_t)bits : number))
            fail_claim(at, "the constant");
    }
    for (int row = 0; row < rows && node->form == MATRIX; row++)
        check_line(at, 1, row * columns, 1);
    for (int column = 0; column < columns; column++)
        check_line(at, 0, column, columns);
}

// Evaluation --------------------------------------------------------------------------------------

static uint64_t evaluate(op_t op, int bits, uint64_t a, uint64_t b, bool *undefined)
{
    int64_t x = with_sign(bits, a), y = with_sign(bits, b);
    bool divides = op >= DIVS && op <= REMU, shifts = op >= SHL && op <= SHRS;
    bool is_signed = op == DIVS || op == CEILS || op == FLOORS || op == REMS;
    *undefined = (divides && b == 0) || (shifts && b >= (uint64_t)bits) ||
                 (divides && is_signed && y == -1 && x == INT64_MIN >> (64 - bits));
    if (*undefined)
        return 0;
    switch (op) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case MUL:
        return a * b;
    case DIVS:
        return (uint64_t)(x / y);
    case DIVU:
        return a / b;
    case CEILS:
        return (uint64_t)(x / y + (x % y != 0 && (x < 0) == (y < 0)));
    case CEILU:
        return a / b + (a % b != 0);
    case FLOORS:
        return (uint64_t)(x / y - (x % y != 0 && (x < 0) != (y < 0)));
    case REMS:
        return (uint64_t)(x % y);
    case REMU:
        return a % b;
    case AND:
        return a & b;
    case OR:
        return a | b;
    case XOR:
        return a ^ b;
    case SHL:
        return a << b;
    case SHRU:
        return a >> b;
    case SHRS:
        return (uint64_t)(x >> b);
    case MINS:
        return x < y ? a : b;
    case MINU:
        return a < b ? a : b;
    case MAXS:
        return x > y ? a : b;
    default:
        return a > b ? a : b;
    }
}

static bool compares(int predicate, int bits, uint64_t a, uint64_t b)
{
    int64_t x = with_sign(bits, a), y = with_sign(bits, b);
    const bool truths[] = {a == b, a != b, x<y, x <= y, x> y, x >= y, a<b, a <= b, a> b, a >= b};
    return truths[predicate];
}

// The operand's element from which an element is computed.
static int source_element(const node_t *node, int e)
{
    switch (node->kind) {
    case SPLAT:
        return 0;
    case TRANSPOSE:
        return e % 8 * 8 + e / 8;
    case SPREAD:
        return node->op ? e % 8 : e / 8;
    case GATHER:
        return (int)(values[node->b].bits[e] & 63);
    default:
        return e;
    }
}

static void combine(const node_t *node, value_t *out)
{
    const value_t *in = &values[node->a];
    int all = count_of(nodes[node->a].form),
        lines = node->kind == REDUCE ? count_of(node->form) : 1;
    int size = all / lines;
    for (int line = 0; line < lines; line++) {
        uint64_t sum = 0;
        bool undefined = false;
        for (int i = 0; i < size; i++) {
            int e = lines == 1 ? i : node->b ? line * 8 + i : i * 8 + line;
            bool unused;
            undefined |= in->undefined[e];
            sum = i ? evaluate((op_t)node->op, node->bits, sum, in->bits[e], &unused) &
                          mask_of(node->bits)
                    : in->bits[e];
            int to = node->kind == SCAN ? i : line;
            out->bits[to] = sum;
            out->undefined[to] = undefined;
        }
    }
}

static void run(int first, int end);

static void run_loop(int at)
{
    node_t *node = &nodes[at];
    value_t carried = values[node->a];
    int64_t step = node->kind == FOR ? node->step : 1, start = node->kind == FOR ? node->number : 0;
    for (int64_t i = 0; i < node->count; i++) {
        values[node->argument] = carried;
        values[node->induction] =
            (value_t){.bits = {(uint64_t)(start + i * step) & mask_of(node->c)}};
        check(node->argument);
        check(node->induction);
        run(node->first, node->end);
        carried = values[node->yields[0]];
    }
    values[at] = carried;
}

static void run_element(int at, int e)
{
    const node_t *node = &nodes[at];
    value_t *out = &values[at];
    const value_t *a = &values[node->a], *b = &values[node->b], *c = &values[node->c];
    int from = node->kind == RESHAPE ? e : source_element(node, e), wide = nodes[node->a].bits;
    switch (node->kind) {
    case BINARY:
        out->bits[e] =
            evaluate((op_t)node->op, node->bits, a->bits[e], b->bits[e], &out->undefined[e]);
        out->undefined[e] |= a->undefined[e] || b->undefined[e];
        break;
    case COMPARE:
        out->bits[e] = compares(node->op, wide, a->bits[e], b->bits[e]);
        out->undefined[e] = a->undefined[e] || b->undefined[e];
        break;
    case SELECT:
        out->bits[e] = a->bits[e] ? b->bits[e] : c->bits[e];
        out->undefined[e] = a->undefined[e] || b->undefined[e] || c->undefined[e];
        break;
    case CAST:
        out->bits[e] = node->op ? (uint64_t)with_sign(wide, a->bits[e]) : a->bits[e];
        out->undefined[e] = a->undefined[e];
        break;
    case CONSTANT:
    case PROGRAM:
    case ARGUMENT:
    case RANGE:
        out->bits[e] = (uint64_t)node->number + (node->kind == RANGE ? (uint64_t)e : 0);
        out->undefined[e] = false;
        break;
    default:
        out->bits[e] = a->bits[from];
        out->undefined[e] = a->undefined[from] || (node->kind == GATHER && b->undefined[e]);
        break;
    }
    out->bits[e] &= mask_of(node->bits);
}

static void run(int first, int end)
{
    for (int at = first; at < end; at = after(at)) {
        node_t *node = &nodes[at];
        if (node->kind == REDUCE || node->kind == SCAN) {
            combine(node, &values[at]);
        } else if (node->kind == FOR || node->kind == WHILE) {
            run_loop(at);
        } else if (node->kind == IF) {
            if (node->number)
                run(node->first, node->end);
            else
                run(node->end, node->other_end);
            values[at] = values[node->yields[node->number ? 0 : 1]];
        } else {
            for (int e = 0; e < count_of(node->form); e++)
                run_element(at, e);
        }
        check(at);
    }
}

// Records the analyses' results for each node's value.
static void query_values(const test_module_t *test)
{
    kiln_axis_analysis_t *axis;
    kiln_range_analysis_t *analysis;
    MlirOperation root = mlirModuleGetOperation(test->module);
    assert_null(kiln_axis_analysis_create(root, &axis));
    assert_null(kiln_range_analysis_create(root, &analysis));
    MlirOperation function = mlirBlockGetFirstOperation(kiln_op_body(root, 0));
    intptr_t argument = 1;
    MlirValue answers[MAX_VALUES];
    for (int i = 0; i < node_count; i++) {
        const node_t *node = &nodes[i];
        if (node->kind == CARRIED)
            continue;
        if (node->kind == ARGUMENT) {
            answers[i] = mlirBlockGetArgument(kiln_op_body(function, 0), argument++);
            continue;
        }
        argument += node->kind == FOR && node->from_argument  ? 2
                    : node->kind == WHILE || node->kind == IF ? 1
                                                              : 0;
        MlirOperation op = tagged(test, i);
        answers[i] = kiln_op_result(op, 0);
        if (node->kind == FOR) {
            answers[node->induction] = mlirBlockGetArgument(kiln_op_body(op, 0), 0);
            answers[node->argument] = mlirBlockGetArgument(kiln_op_body(op, 0), 1);
        } else if (node->kind == WHILE) {
            answers[node->argument] = mlirBlockGetArgument(kiln_op_body(op, 1), 0);
            answers[node->induction] = mlirBlockGetArgument(kiln_op_body(op, 1), 1);
        }
    }
    for (int i = 0; i < node_count; i++) {
        infos[i] = kiln_axis_info(axis, answers[i]);
        ranges[i] = kiln_range_of(analysis, answers[i]);
    }
    kiln_range_analysis_destroy(analysis);
    kiln_axis_analysis_destroy(axis);
}

static void claims_hold_for_values(void **state)
{
    (void)state;
    const char *from = getenv("KILN_TEST_SEED"), *programs = getenv("KILN_TEST_PROGRAMS");
    uint64_t first = from ? strtoull(from, NULL, 0) : 1,
             count = programs ? strtoull(programs, NULL, 0) : PROGRAMS;
    MlirContext context = mlirContextCreateWithThreading(false);
    kiln_context_load_dialects(context);
    for (program_seed = first; program_seed < first + count; program_seed++) {
        random_state = program_seed * UINT64_C(0x9E3779B97F4A7C15);
        generate_program();
        put_program();
        test_module_t test = {context,
                              mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text))};
        if (mlirModuleIsNull(test.module))
            fprintf(stderr, "seed %" PRIu64 "\n%s", program_seed, text);
        assert_false(mlirModuleIsNull(test.module));
        query_values(&test);
        run(0, node_count);
        mlirModuleDestroy(test.module);
    }
    mlirContextDestroy(context);
}

// Rules on all numbers of four bits ---------------------------------------------------------------

static bool is_in(const kiln_range_t *range, uint64_t bits)
{
    int64_t number = with_sign(range->bits, bits);
    return number >= range->signed_min && number <= range->signed_max &&
           bits >= range->unsigned_min && bits <= range->unsigned_max &&
           (range->zeros == 0 || (bits & mask_of(range->zeros)) == 0);
}

// The range of a few random numbers.
static kiln_range_t random_range(int bits)
{
    int64_t number = with_sign(bits, below(16));
    kiln_range_t range = kiln_range_of_signed(bits, number, number);
    for (uint32_t more = below(4); more > 0; more--) {
        number = with_sign(bits, below(16));
        kiln_range_t one = kiln_range_of_signed(bits, number, number);
        range = kiln_range_join(&range, &one);
    }
    return range;
}

static void check_rule(const kiln_range_t *result, uint64_t value, const char *name,
                       const kiln_range_t *a, const kiln_range_t *b)
{
    if (is_in(result, value & mask_of(result->bits)))
        return;
    print_error("%s of [%" PRId64 ", %" PRId64 "] and [%" PRId64 ", %" PRId64 "] may be %" PRIu64
                "\n",
                name, a->signed_min, a->signed_max, b->signed_min, b->signed_max,
                value & mask_of(result->bits));
    fail();
}

static void rules_hold_for_small_numbers(void **state)
{
    enum { TRIALS = 1500, BITS = 4, VALUES = 16 };
    (void)state;
    length = 0;
    put("module {\ntt.func @f(%%a: i4, %%b: i4, %%c: i1) {\n");
    for (int op = 0; op < OPS; op++)
        put("%%v%d = arith.%s %%a, %%b {tag = %d : i32} : i4\n", op, op_names[op], op);
    put("%%n = arith.trunci %%a {tag = 50 : i32} : i4 to i2\n%%s = arith.extsi %%a {tag = 51 : "
        "i32} : i4 to i8\n");
    put("%%u = arith.extui %%a {tag = 52 : i32} : i4 to i8\n%%p = math.absi %%a {tag = 53 : i32} : "
        "i4\n");
    put("tt.return\n}}\n");
    test_module_t test = parse_module(text);
    random_state = 1;
    for (int op = 0; op < OPS; op++)
        for (int trial = 0; trial < TRIALS; trial++) {
            kiln_range_t in[4] = {random_range(BITS), random_range(BITS)};
            kiln_range_t result = kiln_range_transfer(tagged(&test, op), 0, in, 1);
            for (uint64_t a = 0; a < VALUES; a++)
                for (uint64_t b = 0; b < VALUES; b++) {
                    bool undefined;
                    uint64_t value = evaluate((op_t)op, BITS, a, b, &undefined);
                    if (!undefined && is_in(&in[0], a) && is_in(&in[1], b))
                        check_rule(&result, value, op_names[op], &in[0], &in[1]);
                }
        }
    for (int trial = 0; trial < TRIALS; trial++) {
        kiln_range_t in[4] = {random_range(BITS)}, result[4];
        for (int i = 0; i < 4; i++)
            result[i] = kiln_range_transfer(tagged(&test, 50 + i), 0, in, 1);
        for (uint64_t a = 0; a < VALUES; a++) {
            int64_t number = with_sign(BITS, a);
            const uint64_t values_of[] = {a, (uint64_t)number, a,
                                          (uint64_t)(number < 0 ? -number : number)};
            for (int i = 0; i < 4 && is_in(&in[0], a); i++)
                check_rule(&result[i], values_of[i], "a cast", &in[0], &in[0]);
        }
    }
    free_module(&test);
}

// Claims that speed needs -------------------------------------------------------------------------

static void assert_range(const test_module_t *test, const kiln_range_analysis_t *analysis, int tag,
                         int64_t min, int64_t max)
{
    kiln_range_t range = kiln_range_of(analysis, kiln_op_result(tagged(test, tag), 0));
    assert_int_equal(range.signed_min, min);
    assert_int_equal(range.signed_max, max);
}

static void indices_are_bounded(void **state)
{
    (void)state;
    test_module_t test = parse_module(
        "module attributes {\"ttg.num-warps\" = 4 : i32} {\n"
        "tt.func @f(%n: i32, %m: i64, %p: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {\n"
        "  %c0 = arith.constant 0 : i32\n  %c7 = arith.constant 7 : i32\n  %c128 = arith.constant "
        "128 : i32\n"
        "  %c1024 = arith.constant 1024 : i32\n"
        "  %x = tt.get_program_id x {tag = 1 : i32} : i32\n  %y = tt.get_program_id y {tag = 2 : "
        "i32} : i32\n"
        "  %k = tt.get_num_programs x {tag = 3 : i32} : i32\n"
        "  %o = arith.muli %x, %c128 {tag = 4 : i32} : i32\n"
        "  %w = arith.muli %x, %c1024 {tag = 5 : i32} : i32\n"
        "  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>\n"
        "  %os = tt.splat %o : i32 -> tensor<128xi32>\n"
        "  %i = arith.addi %os, %r {tag = 6 : i32} : tensor<128xi32>\n"
        "  %rem = arith.remsi %y, %n {tag = 7 : i32} : i32\n"
        "  %l = tt.load %p : !tt.ptr<i32>\n"
        "  %loaded = arith.addi %l, %c0 {tag = 8 : i32} : i32\n"
        "  %sum = scf.for %j = %c0 to %n step %c128 iter_args(%a = %c7) -> (i32) : i32 {\n"
        "    %jj = arith.addi %j, %c0 {tag = 9 : i32} : i32\n"
        "    %js = tt.splat %j : i32 -> tensor<128xi32>\n"
        "    %at = arith.addi %js, %r {tag = 10 : i32} : tensor<128xi32>\n"
        "    %b = arith.subi %c128, %a {tag = 11 : i32} : i32\n"
        "    %c = arith.andi %b, %c7 : i32\n"
        "    scf.yield %c : i32\n"
        "  } {tag = 12 : i32}\n"
        "  %pos = arith.cmpi sgt, %n, %c7 : i32\n  llvm.intr.assume %pos : i1\n"
        "  %n1 = arith.subi %n, %c7 {tag = 13 : i32} : i32\n"
        "  tt.assert %pos, \"m\" : i1\n"
        "  %sgn = arith.cmpi sge, %rem, %c7 : i32\n  llvm.intr.assume %sgn : i1\n"
        "  %hint = arith.addi %n, %c128 {tag = 14 : i32, tt.divisibility = dense<128> : "
        "tensor<1xi32>} : i32\n"
        "  tt.return\n}}\n");
    kiln_range_analysis_t *analysis;
    assert_null(kiln_range_analysis_create(mlirModuleGetOperation(test.module), &analysis));
    const int64_t max = (INT64_C(1) << 24) - 1; // four waves per program, 2^32 − 1 work-items
    assert_range(&test, analysis, 1, 0, max - 1);
    assert_range(&test, analysis, 2, 0, 65535);
    assert_range(&test, analysis, 3, 1, max);
    assert_range(&test, analysis, 4, 0, (max - 1) * 128);
    assert_range(&test, analysis, 5, INT32_MIN, INT32_MAX - 1023);
    assert_range(&test, analysis, 6, 0, (max - 1) * 128 + 127);
    assert_range(&test, analysis, 7, 0,
                 65535); // an assertion implies nothing for earlier values
    assert_range(&test, analysis, 8, INT32_MIN, INT32_MAX);
    assert_range(&test, analysis, 9, 0, INT32_MAX - 127);
    assert_range(&test, analysis, 10, 0, INT32_MAX);
    assert_range(&test, analysis, 11, 121, 128);
    assert_range(&test, analysis, 12, 0, 7);
    assert_range(&test, analysis, 13, 1,
                 INT32_MAX - 7); // assumed after a load and a loop, both of which terminate
    assert_range(&test, analysis, 14, INT32_MIN, INT32_MAX);
    kiln_range_analysis_destroy(analysis);
    free_module(&test);
}

// Erasing -----------------------------------------------------------------------------------------

// A new operation that gets the address of an erased one is not mistaken for it.
static void erased_values_are_forgotten(void **state)
{
    (void)state;
    test_module_t test = parse_module("module { tt.func public @f(%x: i32) {\n"
                                      "  %c5 = arith.constant 5 : i32\n"
                                      "  %a = arith.addi %c5, %c5 {tag = 1 : i32} : i32\n"
                                      "  %b = arith.addi %x, %x {tag = 2 : i32} : i32\n"
                                      "  tt.return } }");
    kiln_range_analysis_t *all;
    kiln_axis_analysis_t *axis;
    assert_null(kiln_range_analysis_create(mlirModuleGetOperation(test.module), &all));
    assert_null(kiln_axis_analysis_create(mlirModuleGetOperation(test.module), &axis));
    MlirOperation known = tagged(&test, 1), other = tagged(&test, 2);
    const void *address = known.ptr;
    MlirValue unknown = kiln_op_result(other, 0);
    assert_true(kiln_is_known_positive(all, kiln_op_result(known, 0)));
    assert_int_equal(kiln_axis_info(axis, kiln_op_result(known, 0)).constant, 10);
    kiln_op_erase(known);
    bool is_reused = false;
    kiln_ir_t ir = kiln_ir_after(other);
    for (int i = 0; i < 1000 && !is_reused; i++) {
        MlirValue made = kiln_ir_binary(&ir, KILN_OP_ARITH_ADDI, unknown, unknown);
        is_reused = mlirOpResultGetOwner(made).ptr == address;
        assert_false(kiln_is_known_non_negative(all, made));
        assert_false(kiln_axis_info(axis, made).is_constant);
    }
    kiln_range_analysis_destroy(all);
    kiln_axis_analysis_destroy(axis);
    free_module(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_hold_for_small_numbers),
        cmocka_unit_test(indices_are_bounded),
        cmocka_unit_test(claims_hold_for_values),
        cmocka_unit_test(erased_values_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
