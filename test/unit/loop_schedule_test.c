// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random schedules: loops of loads, stores, arithmetic, dots, inner loops, branches and asynchronous copies, whose
// operations get random stages and clusters; compiled, executed on the simulator with its checks, and compared with what
// the interpreter makes of the loop. A schedule that breaks a dependence must be refused, every other one expanded.
//
// A program is written once. Each operation's line has marks: @A stands for the attributes, @B, @F, @L, @R, @M for
// layouts; without them, and with the lines between @ttg and @tt taken or left, it is the tt program that the interpreter
// reads. `loop_schedule_test -runs N -seed S -print` runs as many as one likes.
//
// What is easily got wrong: the rule by which this test tells legal schedules must not be that of the compiler's code, so
// it knows each operation's dependences from having written it.
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/string.h"
#include "kiln/interp.h"
#include "kiln/kiln.h"
#include "kiln/runtime.h"

enum {
    TILE = 32,
    COUNT = TILE * TILE,
    MAX_OPS = 96,
    MAX_DEPS = 12,
    MAX_VALUES = 64,
    MAX_CARRIED = 6,
    MOST_TRIPS = 9,
    OUTPUTS = 3,
    BUFFERS = 4, // a: i32 input, h: f16 input, s: read and written, o: output
};

typedef struct op {
    int deps[MAX_DEPS], distance[MAX_DEPS], dep_count;
    int stage, cluster;
} op_t;

typedef struct test {
    uint64_t state;
    kiln_string_t body;
    op_t ops[MAX_OPS];
    int op_count, next_id;
    int values[MAX_VALUES], makers[MAX_VALUES], value_count; // %v<id>; operation, or −1 − carried
    int carried_count, carried_next[MAX_CARRIED];            // value that is given on
    int next_maker[MAX_CARRIED];
    int uses[MAX_OPS][MAX_CARRIED];  // carried values that an operation uses
    int memory_ops[8], memory_count; // accesses to s, in order
    int dots, outputs, trips, stages;
    bool constant_trips, is_chain;
} test_t;

static uint32_t draw(test_t *t, uint32_t bound)
{
    t->state = t->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(t->state >> 33) % bound;
}

// Programs ----------------------------------------------------------------------------------------------------------

__attribute__((format(printf, 2, 3))) static void line(test_t *t, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    kiln_string_append(&t->body, text);
    kiln_string_append_char(&t->body, '\n');
}

// A new operation of the loop; its line's @A is followed by its number.
static int new_op(test_t *t)
{
    return t->op_count++;
}

static void depend(test_t *t, int op, int on, int distance)
{
    op_t *o = &t->ops[op];
    if (on >= 0 && o->dep_count < MAX_DEPS) {
        o->deps[o->dep_count] = on;
        o->distance[o->dep_count++] = distance;
    }
}

static int add_value(test_t *t, int id, int maker)
{
    t->values[t->value_count] = id;
    t->makers[t->value_count++] = maker;
    return id;
}

// Some value in scope as an operand of the operation.
static int use(test_t *t, int op)
{
    int at = (int)draw(t, (uint32_t)t->value_count), maker = t->makers[at];
    if (maker >= 0)
        depend(t, op, maker, 0);
    else
        t->uses[op][-1 - maker]++;
    return t->values[at];
}

static bool has_room(const test_t *t)
{
    return t->op_count < MAX_OPS - 12 && t->value_count < MAX_VALUES - 4;
}

// %p<id>: pointers to iteration i's tile of a buffer, behind `from` tiles; gives the operation.
static int address(test_t *t, const char *buffer, const char *type, const char *layout, int from, int *out_id)
{
    int id = t->next_id++, k = new_op(t);
    line(t, "      %%k%d = arith.addi %%i, %%t%d @A%d : i32", id, from, k);
    int m = new_op(t);
    line(t, "      %%m%d = arith.muli %%k%d, %%count @A%d : i32", id, id, m);
    depend(t, m, k, 0);
    int s = new_op(t);
    line(t, "      %%s%d = tt.splat %%m%d @A%d : i32 -> tensor<32x32xi32%s>", id, id, s, layout);
    depend(t, s, m, 0);
    int p = new_op(t);
    line(t, "      %%p%d = tt.addptr %%%s, %%s%d @A%d : tensor<32x32x!tt.ptr<%s>%s>, tensor<32x32xi32%s>", id, buffer,
         id, p, type, layout, layout);
    depend(t, p, s, 0);
    *out_id = id;
    return p;
}

static void make_load(test_t *t)
{
    int id, p = address(t, "pa", "i32", "@B", (int)draw(t, 3), &id), op = new_op(t);
    line(t, "      %%v%d = tt.load %%p%d @A%d : tensor<32x32x!tt.ptr<i32>@B>", id, id, op);
    depend(t, op, p, 0);
    add_value(t, id, op);
}

static void make_arithmetic(test_t *t)
{
    static const char *const NAMES[] = {"addi", "subi", "xori", "muli", "maxsi"};
    int op = new_op(t), a = use(t, op), b = use(t, op), id = t->next_id++;
    line(t, "      %%v%d = arith.%s %%v%d, %%v%d @A%d : tensor<32x32xi32@B>", id, NAMES[draw(t, 5)], a, b, op);
    add_value(t, id, op);
}

static void make_index(test_t *t)
{
    int op = new_op(t), id = t->next_id++;
    line(t, "      %%v%d = tt.splat %%i @A%d : i32 -> tensor<32x32xi32@B>", id, op);
    add_value(t, id, op);
}

static void make_store(test_t *t)
{
    if (t->outputs == OUTPUTS)
        return;
    int id, p = address(t, "po", "i32", "@B", 0, &id);
    int op = new_op(t), value = use(t, op);
    line(t, "      tt.store %%p%d, %%v%d @A%d : tensor<32x32x!tt.ptr<i32>@B>", id, value, op);
    depend(t, op, p, 0);
    // Outputs share a buffer: they are kept in order, also around the loop.
    for (int i = 0; i < t->outputs; i++)
        depend(t, op, t->memory_ops[4 + i], 0), depend(t, t->memory_ops[4 + i], op, 1);
    t->memory_ops[4 + t->outputs++] = op;
}

// What is loaded was stored by the iteration before.
static void make_memory(test_t *t)
{
    if (t->memory_count)
        return;
    int id, other, p = address(t, "ps", "i32", "@B", 0, &id), load = new_op(t);
    line(t, "      %%v%d = tt.load %%p%d @A%d : tensor<32x32x!tt.ptr<i32>@B>", id, id, load);
    depend(t, load, p, 0);
    add_value(t, id, load);
    make_arithmetic(t);
    int q = address(t, "ps", "i32", "@B", 1, &other), store = new_op(t), value = use(t, store);
    line(t, "      tt.store %%p%d, %%v%d @A%d : tensor<32x32x!tt.ptr<i32>@B>", other, value, store);
    depend(t, store, q, 0);
    depend(t, store, load, 0);
    depend(t, load, store, 1);
    t->memory_count = 1;
}

static void make_loop(test_t *t)
{
    int op = new_op(t), a = use(t, op), b = use(t, op), id = t->next_id++;
    line(t,
         "      %%v%d = scf.for %%j = %%t0 to %%t%d step %%t1 iter_args(%%x = %%v%d) -> (tensor<32x32xi32@B>) : i32 {",
         id, (int)draw(t, 3) + 1, a);
    // Now and then with a schedule of its own.
    const char *first = "", *second = "";
    if (draw(t, 2)) {
        first = " {loop.stage = 0 : i32}";
        second = " {loop.stage = 1 : i32}";
    }
    line(t, "        %%js = tt.splat %%j%s : i32 -> tensor<32x32xi32@B>", first);
    line(t, "        %%x1 = arith.addi %%x, %%js%s : tensor<32x32xi32@B>", second);
    line(t, "        %%q = tt.addptr %%pa, %%js%s : tensor<32x32x!tt.ptr<i32>@B>, tensor<32x32xi32@B>", first);
    line(t, "        %%l = tt.load %%q%s : tensor<32x32x!tt.ptr<i32>@B>", first);
    line(t, "        %%x2 = arith.xori %%x1, %%v%d%s : tensor<32x32xi32@B>", b, second);
    line(t, "        %%x3 = arith.addi %%x2, %%l%s : tensor<32x32xi32@B>", second);
    line(t, "        scf.yield %%x3 : tensor<32x32xi32@B>");
    if (*first)
        line(t, "      } {@C%dtt.scheduled_max_stage = 1 : i32}", op);
    else
        line(t, "      } @A%d", op);
    add_value(t, id, op);
}

static void make_branch(test_t *t)
{
    int id = t->next_id++, bit = new_op(t);
    line(t, "      %%b%d = arith.andi %%i, %%t1 @A%d : i32", id, bit);
    int compare = new_op(t);
    line(t, "      %%is%d = arith.cmpi eq, %%b%d, %%t0 @A%d : i32", id, id, compare);
    depend(t, compare, bit, 0);
    int op = new_op(t), a = use(t, op), b = use(t, op);
    line(t, "      %%v%d = scf.if %%is%d -> (tensor<32x32xi32@B>) {", id, id);
    line(t, "        %%x = arith.addi %%v%d, %%v%d : tensor<32x32xi32@B>", a, b);
    line(t, "        scf.yield %%x : tensor<32x32xi32@B>");
    line(t, "      } else {");
    line(t, "        scf.yield %%v%d : tensor<32x32xi32@B>", b);
    line(t, "      } @A%d", op);
    depend(t, op, compare, 0);
    add_value(t, id, op);
}

// A tile through LDS: as a dot's operand, or copied there asynchronously.
static int make_operand(test_t *t, const char *layout, int *out_id)
{
    int id, p = address(t, "ph", "f16", "@B", (int)draw(t, 3), &id);
    bool is_async = draw(t, 3) == 0;
    if (is_async) {
        int alloc = new_op(t), copy = new_op(t), commit = new_op(t), wait = new_op(t), load = new_op(t);
        line(t, "@ttg      %%buf%d = ttg.local_alloc @A%d : () -> !ttg.memdesc<32x32xf16, #s, #smem, mutable>", id,
             alloc);
        line(t,
             "@ttg      %%t_%d = ttg.async_copy_global_to_local %%p%d, %%buf%d @A%d : tensor<32x32x!tt.ptr<f16>@B> -> "
             "<32x32xf16, #s, #smem, mutable>",
             id, id, id, copy);
        line(t, "@ttg      %%g%d = ttg.async_commit_group tokens %%t_%d @A%d", id, id, commit);
        line(t, "@ttg      %%w%d = ttg.async_wait %%g%d {@C%dnum = 0 : i32}", id, id, wait);
        line(t,
             "@ttg      %%l%d = ttg.local_load %%buf%d token %%w%d @A%d : !ttg.memdesc<32x32xf16, #s, #smem, mutable> "
             "-> "
             "tensor<32x32xf16%s>",
             id, id, id, load, layout);
        line(t, "@tt      %%l%d = tt.load %%p%d : tensor<32x32x!tt.ptr<f16>>", id, id);
        depend(t, copy, p, 0);
        depend(t, copy, alloc, 0);
        depend(t, commit, copy, 0);
        depend(t, wait, commit, 0);
        depend(t, load, wait, 0);
        depend(t, load, alloc, 0);
        *out_id = id;
        return load;
    }
    int op = new_op(t), alloc = new_op(t), load = new_op(t);
    const char *is_mutable = draw(t, 2) ? ", mutable" : "";
    line(t, "      %%h%d = tt.load %%p%d @A%d : tensor<32x32x!tt.ptr<f16>@B>", id, id, op);
    line(t,
         "@ttg      %%buf%d = ttg.local_alloc %%h%d @A%d : (tensor<32x32xf16@B>) -> !ttg.memdesc<32x32xf16, #s, "
         "#smem%s>",
         id, id, alloc, is_mutable);
    line(t,
         "@ttg      %%l%d = ttg.local_load %%buf%d @A%d : !ttg.memdesc<32x32xf16, #s, #smem%s> -> tensor<32x32xf16%s>",
         id, id, load, is_mutable, layout);
    line(t, "@tt      %%l%d = arith.addf %%h%d, %%zeroh : tensor<32x32xf16>", id, id);
    depend(t, op, p, 0);
    depend(t, alloc, op, 0);
    depend(t, load, alloc, 0);
    *out_id = id;
    return load;
}

static void make_dot(test_t *t)
{
    if (t->dots == 1)
        return;
    int x, y, a = make_operand(t, "@L", &x), b = make_operand(t, "@R", &y), op = new_op(t);
    line(t,
         "      %%acc1 = tt.dot %%l%d, %%l%d, %%acc @A%d : tensor<32x32xf16@L> * tensor<32x32xf16@R> -> "
         "tensor<32x32xf32@M>",
         x, y, op);
    depend(t, op, a, 0);
    depend(t, op, b, 0);
    t->dots = 1;
}

static void make_statement(test_t *t)
{
    static void (*const MAKERS[])(test_t *) = {make_load,   make_arithmetic, make_arithmetic, make_index, make_store,
                                               make_memory, make_loop,       make_branch,     make_dot};
    if (has_room(t))
        MAKERS[draw(t, sizeof MAKERS / sizeof *MAKERS)](t);
}

static void make_body(test_t *t)
{
    t->carried_count = 1 + (int)draw(t, 3);
    for (int i = 0; i < t->carried_count; i++)
        add_value(t, t->next_id++, -1 - i); // %v0 … are the arguments
    int statements = 3 + (int)draw(t, 8);
    make_load(t);
    for (int i = 0; i < statements; i++)
        make_statement(t);
    make_store(t);
    for (int i = 0; i < t->carried_count; i++) {
        int at = (int)draw(t, (uint32_t)t->value_count);
        t->carried_next[i] = t->values[at];
        t->next_maker[i] = t->makers[at];
        t->is_chain |= t->makers[at] < 0;
    }
    for (int op = 0; op < t->op_count; op++)
        for (int c = 0; c < t->carried_count; c++) {
            int from = c, distance = 0;
            while (t->uses[op][c] && from >= 0 && distance++ <= t->carried_count) {
                if (t->next_maker[from] >= 0) {
                    depend(t, op, t->next_maker[from], distance);
                    break;
                }
                from = -1 - t->next_maker[from];
            }
        }
}

// Schedules ---------------------------------------------------------------------------------------------------------

static bool is_legal(const test_t *t)
{
    for (int i = 0; i < t->op_count; i++)
        for (int d = 0; d < t->ops[i].dep_count; d++) {
            int on = t->ops[i].deps[d];
            const op_t *from = &t->ops[on], *to = &t->ops[i];
            int stage = to->stage + t->ops[i].distance[d];
            bool first = from->cluster < to->cluster || (from->cluster == to->cluster && on < i);
            if (on == i)
                continue;
            if (from->stage > stage || (from->stage == stage && !first))
                return false;
        }
    return true;
}

// Stages grow along dependences; what that breaks around the loop is mended by taking everything forward.
static void schedule(test_t *t)
{
    int growth = 2 + (int)draw(t, 5), last = (int)draw(t, 5);
    for (int attempt = 0; attempt < 60; attempt++) {
        for (int i = 0; i < t->op_count; i++) {
            op_t *o = &t->ops[i];
            o->stage = 0;
            o->cluster = (int)draw(t, 3);
            for (int d = 0; d < o->dep_count; d++)
                if (o->distance[d] == 0 && o->deps[d] < i && t->ops[o->deps[d]].stage >= o->stage) {
                    const op_t *from = &t->ops[o->deps[d]];
                    o->cluster = from->stage > o->stage || from->cluster > o->cluster ? from->cluster : o->cluster;
                    o->stage = from->stage;
                }
            if (draw(t, (uint32_t)growth) == 0 && o->stage < last) {
                o->stage++;
                o->cluster = (int)draw(t, 4);
            }
        }
        if (is_legal(t))
            return;
        growth += 2;
    }
    for (int i = 0; i < t->op_count; i++)
        t->ops[i].stage = t->ops[i].cluster = 0;
}

static void shake(test_t *t)
{
    op_t *o = &t->ops[draw(t, (uint32_t)t->op_count)];
    o->stage = (int)draw(t, 5);
    o->cluster = (int)draw(t, 5);
}

static int stages_of(const test_t *t)
{
    int most = 0, least = 1000;
    for (int i = 0; i < t->op_count; i++) {
        most = t->ops[i].stage > most ? t->ops[i].stage : most;
        least = t->ops[i].stage < least ? t->ops[i].stage : least;
    }
    return most - least;
}

// Text --------------------------------------------------------------------------------------------------------------

static void append_attributes(const test_t *t, kiln_string_t *out, int op, const char *open, const char *close)
{
    char text[80];
    snprintf(text, sizeof text, "%sloop.stage = %d : i32, loop.cluster = %d : i32%s", open, t->ops[op].stage,
             t->ops[op].cluster, close);
    kiln_string_append(out, text);
}

// The program with marks taken out, or replaced. @f is the kernel's name.
static char *written(const test_t *t, const char *marked, bool is_ttg)
{
    static const struct {
        char mark;
        const char *layout;
    } LAYOUTS[] = {{'B', ", #b"}, {'L', ", #l"}, {'R', ", #r"}, {'M', ", #m"}};
    kiln_string_t out = {0};
    for (const char *at = marked; *at;) {
        if (strncmp(at, "@ttg", 4) == 0 || strncmp(at, "@tt", 3) == 0) {
            bool ttg = at[3] == 'g';
            at += ttg ? 4 : 3;
            if (ttg != is_ttg)
                at = strchr(at, '\n') + 1;
        } else if (*at == '@' && (at[1] == 'A' || at[1] == 'C')) {
            char *end;
            int op = (int)strtol(at + 2, &end, 10);
            if (is_ttg)
                append_attributes(t, &out, op, at[1] == 'A' ? "{" : "", at[1] == 'A' ? "}" : ", ");
            at = end;
        } else if (*at == '@' && at[1] != 'f') {
            for (size_t i = 0; i < sizeof LAYOUTS / sizeof *LAYOUTS; i++)
                if (LAYOUTS[i].mark == at[1] && is_ttg)
                    kiln_string_append(&out, LAYOUTS[i].layout);
            at += 2;
        } else {
            kiln_string_append_char(&out, *at++);
        }
    }
    return kiln_string_take(&out);
}

static char *whole_program(test_t *t)
{
    kiln_string_t loop = t->body;
    t->body = (kiln_string_t){0};
    line(t, "@ttg#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [2, 1], order = [1, "
            "0]}>");
    line(t,
         "@ttg#m = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 1], instrShape = [16, 16, 16], isTransposed = true}>");
    line(t, "@ttg#l = #ttg.dot_op<{opIdx = 0, parent = #m, kWidth = 4}>");
    line(t, "@ttg#r = #ttg.dot_op<{opIdx = 1, parent = #m, kWidth = 4}>");
    line(t, "@ttg#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>");
    line(t, "@ttg#smem = #ttg.shared_memory");
    line(t,
         "@ttgmodule attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 2 : i32, ttg.target = \"hip:gfx942\", "
         "\"ttg.threads-per-warp\" = 64 : i32} {");
    line(t, "@ttmodule {");
    line(t,
         "  tt.func public @f(%%a: !tt.ptr<i32>, %%h: !tt.ptr<f16>, %%s: !tt.ptr<i32>, %%o: !tt.ptr<i32>, %%n: i32) {");
    for (int i = 0; i < 4; i++)
        line(t, "    %%t%d = arith.constant %d : i32", i, i);
    line(t, "    %%trips = arith.constant %d : i32", t->trips);
    line(t, "    %%count = arith.constant %d : i32", COUNT);
    line(t, "    %%zeroh = arith.constant dense<0.0> : tensor<32x32xf16@B>");
    line(t, "    %%zero = arith.constant dense<0.0> : tensor<32x32xf32@M>");
    line(t, "    %%width = arith.constant dense<32> : tensor<32x1xi32@B>");
    static const char *const NAMES[] = {"a", "h", "s", "o"}, *const TYPES[] = {"i32", "f16", "i32", "i32"};
    line(t, "@ttg    %%r0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, "
            "parent = #b}>>");
    line(t, "@ttg    %%r1 = tt.expand_dims %%r0 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #b}>> "
            "-> tensor<32x1xi32, #b>");
    line(t, "@ttg    %%c0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, "
            "parent = #b}>>");
    line(t, "@ttg    %%c1 = tt.expand_dims %%c0 {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>> "
            "-> tensor<1x32xi32, #b>");
    line(t, "@tt    %%r0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>");
    line(t, "@tt    %%r1 = tt.expand_dims %%r0 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>");
    line(t, "@tt    %%c1 = tt.expand_dims %%r0 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>");
    line(t, "    %%r2 = arith.muli %%r1, %%width : tensor<32x1xi32@B>");
    line(t, "    %%r3 = tt.broadcast %%r2 : tensor<32x1xi32@B> -> tensor<32x32xi32@B>");
    line(t, "    %%c2 = tt.broadcast %%c1 : tensor<1x32xi32@B> -> tensor<32x32xi32@B>");
    line(t, "    %%e = arith.addi %%r3, %%c2 : tensor<32x32xi32@B>");
    for (int i = 0; i < BUFFERS; i++) {
        line(t, "    %%q%s = tt.splat %%%s : !tt.ptr<%s> -> tensor<32x32x!tt.ptr<%s>@B>", NAMES[i], NAMES[i], TYPES[i],
             TYPES[i]);
        line(t, "    %%p%s = tt.addptr %%q%s, %%e : tensor<32x32x!tt.ptr<%s>@B>, tensor<32x32xi32@B>", NAMES[i],
             NAMES[i], TYPES[i]);
    }
    line(t, "    %%z = tt.load %%pa : tensor<32x32x!tt.ptr<i32>@B>");
    kiln_string_append(&t->body, "    %w:");
    line(t, "%d = scf.for %%i = %%t0 to %s step %%t1 iter_args(", t->carried_count + 1,
         t->constant_trips ? "%trips" : "%n");
    for (int i = 0; i < t->carried_count; i++)
        line(t, "        %%v%d = %s,", i, i % 2 ? "%z" : "%e");
    line(t, "        %%acc = %%zero) -> (");
    for (int i = 0; i < t->carried_count; i++)
        line(t, "        tensor<32x32xi32@B>,");
    line(t, "        tensor<32x32xf32@M>) : i32 {");
    kiln_string_append(&t->body, loop.data);
    kiln_string_append(&t->body, "      scf.yield ");
    for (int i = 0; i < t->carried_count; i++)
        line(t, "%%v%d,", t->carried_next[i]);
    line(t, "        %s : ", t->dots ? "%acc1" : "%acc");
    for (int i = 0; i < t->carried_count; i++)
        line(t, "        tensor<32x32xi32@B>,");
    line(t, "        tensor<32x32xf32@M>");
    line(t, "@ttg    } {tt.scheduled_max_stage = %d : i32}", stages_of(t));
    line(t, "@tt    }");
    // Results of the loop end in the output, behind its tiles.
    line(t, "    %%end = arith.constant dense<%d> : tensor<32x32xi32@B>", MOST_TRIPS * COUNT);
    line(t, "    %%tile = arith.constant dense<%d> : tensor<32x32xi32@B>", COUNT);
    line(t, "    %%o0 = tt.addptr %%po, %%end : tensor<32x32x!tt.ptr<i32>@B>, tensor<32x32xi32@B>");
    for (int i = 0; i < t->carried_count; i++) {
        line(t, "    tt.store %%o%d, %%w#%d : tensor<32x32x!tt.ptr<i32>@B>", i, i);
        line(t, "    %%o%d = tt.addptr %%o%d, %%tile : tensor<32x32x!tt.ptr<i32>@B>, tensor<32x32xi32@B>", i + 1, i);
    }
    line(t, "    %%f = arith.fptosi %%w#%d : tensor<32x32xf32@M> to tensor<32x32xi32@M>", t->carried_count);
    line(t, "@ttg    %%f1 = ttg.convert_layout %%f : tensor<32x32xi32, #m> -> tensor<32x32xi32, #b>");
    line(t, "@tt    %%f1 = arith.ori %%f, %%f : tensor<32x32xi32>");
    line(t, "    tt.store %%o%d, %%f1 : tensor<32x32x!tt.ptr<i32>@B>", t->carried_count);
    line(t, "    tt.return");
    line(t, "  }");
    line(t, "}");
    kiln_string_free(&loop);
    return kiln_string_take(&t->body);
}

// Running -----------------------------------------------------------------------------------------------------------

typedef struct buffers {
    unsigned char *data[BUFFERS];
    size_t size[BUFFERS];
} buffers_t;

static void fill(buffers_t *b)
{
    static const size_t TILES[BUFFERS] = {MOST_TRIPS + 4, MOST_TRIPS + 4, MOST_TRIPS + 4, MOST_TRIPS + 8};
    static const uint16_t HALVES[] = {0, 0x3C00, 0xBC00, 0x4000, 0xC000}; // 0, ±1, ±2
    uint64_t state = 1;
    for (int i = 0; i < BUFFERS; i++) {
        size_t count = TILES[i] * COUNT;
        b->size[i] = count * (i == 1 ? 2 : 4);
        b->data[i] = calloc(count, 4);
        for (size_t e = 0; e < count; e++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            if (i == 1)
                ((uint16_t *)b->data[i])[e] = HALVES[(state >> 40) % 5];
            else if (i < 3)
                ((int32_t *)b->data[i])[e] = (int32_t)(state >> 36);
        }
    }
}

static void free_buffers(buffers_t *b)
{
    for (int i = 0; i < BUFFERS; i++)
        free(b->data[i]);
}

static kiln_status_t interpret(kiln_session_t *session, const char *text, buffers_t *b, int trips)
{
    kiln_source_t source = {.stage = KILN_STAGE_TT, .name = "f.ttir", .text = text, .length = strlen(text)};
    kiln_compile_options_t options;
    kiln_interp_t *interp;
    kiln_interp_launch_t launch;
    kiln_interp_buffer_t places[BUFFERS];
    uint64_t arguments[BUFFERS + 1];
    kiln_compile_options_initialize(&options);
    KILN_TRY(kiln_interp_create(session, &source, &options, &interp));
    kiln_interp_launch_initialize(&launch);
    for (int i = 0; i < BUFFERS; i++) {
        arguments[i] = UINT64_C(0x100000000) * (uint64_t)(i + 1);
        places[i] = (kiln_interp_buffer_t){"buffer", arguments[i], b->data[i], b->size[i]};
    }
    arguments[BUFFERS] = (uint32_t)trips;
    launch.arguments = arguments;
    launch.argument_count = BUFFERS + 1;
    launch.buffers = places;
    launch.buffer_count = BUFFERS;
    kiln_status_t status = kiln_interp_launch(interp, &launch);
    kiln_interp_release(interp);
    return status;
}

static kiln_status_t execute(kiln_device_t *device, const kiln_kernel_t *kernel, buffers_t *b, int trips)
{
    kiln_module_t *module;
    kiln_function_t *function;
    kiln_buffer_t *buffers[BUFFERS];
    uint64_t addresses[BUFFERS];
    void *pointers[BUFFERS + 1];
    kiln_launch_t launch;
    size_t size;
    const void *code = kiln_kernel_code_object(kernel, &size);
    KILN_TRY(kiln_module_load(device, code, size, &module));
    KILN_TRY(kiln_module_function(module, kiln_kernel_name(kernel), &function));
    for (int i = 0; i < BUFFERS; i++) {
        KILN_TRY(kiln_buffer_create(device, b->size[i], &buffers[i]));
        KILN_TRY(kiln_buffer_write(buffers[i], 0, b->data[i], b->size[i]));
        addresses[i] = kiln_buffer_address(buffers[i]);
        pointers[i] = &addresses[i];
    }
    pointers[BUFFERS] = &trips;
    kiln_launch_initialize(&launch);
    launch.block[0] = kiln_kernel_block_size(kernel);
    launch.args = pointers;
    kiln_status_t status = kiln_function_launch(function, &launch);
    if (!status)
        status = kiln_device_synchronize(device);
    if (!status)
        status = kiln_device_checked(device);
    for (int i = 0; i < BUFFERS; i++) {
        if (!status)
            status = kiln_buffer_read(buffers[i], 0, b->data[i], b->size[i]);
        kiln_buffer_release(buffers[i]);
    }
    kiln_module_release(module);
    return status;
}

static bool say(kiln_status_t status, const char *what)
{
    char *text = status ? kiln_status_format(status) : NULL;
    printf("%s: %s\n", what, text ? text : "");
    free(text);
    kiln_status_free(status);
    return false;
}

static bool compare(kiln_session_t *session, kiln_device_t *device, const kiln_kernel_t *kernel, const char *tt,
                    int trips)
{
    buffers_t wanted, got;
    fill(&wanted);
    fill(&got);
    bool same = true;
    kiln_status_t status = interpret(session, tt, &wanted, trips);
    if (status)
        same = say(status, "the interpreter fails");
    else if ((status = execute(device, kernel, &got, trips)))
        same = say(status, "the launch fails");
    for (int i = 0; i < BUFFERS && same; i++)
        if (memcmp(wanted.data[i], got.data[i], wanted.size[i]) != 0) {
            printf("buffer %d differs after %d trips\n", i, trips);
            same = false;
        }
    free_buffers(&wanted);
    free_buffers(&got);
    return same;
}

typedef struct totals {
    long expanded, refused, stages;
} totals_t;

// False where something is wrong with this program.
static bool run(kiln_session_t *session, kiln_device_t *device, uint64_t seed, bool print, totals_t *totals)
{
    test_t *t = calloc(1, sizeof *t);
    t->state = seed * 0x9E3779B97F4A7C15u + 1;
    make_body(t);
    schedule(t);
    if (draw(t, 4) == 0)
        shake(t);
    bool legal = is_legal(t), good = true;
    int stages = stages_of(t);
    t->trips = (int)draw(t, (uint32_t)(stages + 4));
    t->constant_trips = draw(t, 3) == 0;
    char *marked = whole_program(t), *ttg = written(t, marked, true), *tt = written(t, marked, false);
    if (print)
        printf("%s\n%s\n", ttg, tt);
    kiln_source_t source = {.stage = KILN_STAGE_TTG, .name = "f.ttgir", .text = ttg, .length = strlen(ttg)};
    kiln_compile_options_t options;
    kiln_kernel_t *kernel = NULL;
    kiln_compile_options_initialize(&options);
    kiln_status_t status = kiln_compile(session, &source, &options, &kernel);
    bool told = status && strstr(kiln_status_message(status), "breaks a dependence");
    if (status && !(told && (!legal || t->is_chain)))
        good = say(status, legal ? "a legal schedule is refused" : "an illegal schedule fails otherwise");
    else if (!status && !legal)
        good = say(NULL, "an illegal schedule is taken");
    else if (status)
        kiln_status_free(status);
    totals->expanded += kernel != NULL;
    totals->refused += kernel == NULL;
    totals->stages += kernel ? stages : 0;
    for (int trips = 0; kernel && good && trips <= stages + 3; trips++)
        if (!t->constant_trips || trips == t->trips)
            good = compare(session, device, kernel, tt, trips);
    if (!good)
        printf("seed %llu, %d stages\n", (unsigned long long)seed, stages + 1);
    kiln_kernel_release(kernel);
    free(marked);
    free(ttg);
    free(tt);
    free(t);
    return good;
}

int main(int argc, char **argv)
{
    long runs = 40, failed = 0;
    uint64_t seed = 1;
    bool print = false;
    for (int i = 1; i < argc; i++) {
        print |= strcmp(argv[i], "-print") == 0;
        if (i + 1 < argc && strcmp(argv[i], "-runs") == 0)
            runs = strtol(argv[++i], NULL, 0);
        else if (i + 1 < argc && strcmp(argv[i], "-seed") == 0)
            seed = strtoull(argv[++i], NULL, 0);
    }
    setenv("KILN_SIM_CHECK", "all", 1);
    kiln_device_options_t options;
    kiln_device_t *device;
    kiln_session_t *session;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_SIM;
    options.sim_library = KILN_BINARY_DIR "/lib/libkiln-sim.so";
    kiln_status_t status = kiln_device_open(&options, &device);
    if (!status)
        status = kiln_session_create(&session);
    if (status)
        return !say(status, "can't begin");
    totals_t totals = {0};
    for (long i = 0; i < runs; i++)
        failed += !run(session, device, seed + (uint64_t)i, print, &totals);
    printf("%ld expanded with %ld stages beyond the first, %ld refused, %ld failed\n", totals.expanded, totals.stages,
           totals.refused, failed);
    kiln_session_release(session);
    kiln_device_release(device);
    return failed != 0;
}
