// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random loop of loads, stores, arithmetic, dots, inner loops, branches and asynchronous copies,
// whose operations have random stages and clusters: its text, and whether the schedule preserves
// the loop's dependences.
//
// A program is written once. Each operation's line has marks: @A stands for the attributes, @B, @F,
// @L, @R, @M for layouts. Without the marks, and with the lines between @ttg and @tt included or
// omitted, it is the tt program that the interpreter reads.
//
// The test's rule for legal schedules must be independent of the compiler's code, so it derives
// each operation's dependences while generating the operation.
#ifndef TEST_LOOP_SCHEDULE_H
#define TEST_LOOP_SCHEDULE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/string.h"

enum {
    TILE = 32,
    COUNT = TILE * TILE,
    MAX_OPS = 96,
    MAX_DEPS = 12,
    MAX_VALUES = 64,
    MAX_CARRIED = 6,
    MAX_TRIPS = 9,
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
    int carried_count, carried_next[MAX_CARRIED];            // the value that is yielded
    int next_maker[MAX_CARRIED];
    int uses[MAX_OPS][MAX_CARRIED];  // carried values that an operation uses
    int memory_ops[8], memory_count; // accesses to s, in order
    int dots, outputs, trips, stages;
    bool constant_trips, is_chain;
} test_t;

static inline uint32_t draw(test_t *t, uint32_t bound)
{
    t->state = t->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(t->state >> 33) % bound;
}

// Programs ----------------------------------------------------------------------------------------

__attribute__((format(printf, 2, 3))) static inline void line(test_t *t, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    kiln_string_append(&t->body, text);
    kiln_string_append_char(&t->body, '\n');
}

// Adds an operation to the loop and returns its number, which follows @A in its line.
static inline int new_op(test_t *t)
{
    return t->op_count++;
}

static inline void depend(test_t *t, int op, int on, int distance)
{
    op_t *o = &t->ops[op];
    if (on >= 0 && o->dep_count < MAX_DEPS) {
        o->deps[o->dep_count] = on;
        o->distance[o->dep_count++] = distance;
    }
}

static inline int add_value(test_t *t, int id, int maker)
{
    t->values[t->value_count] = id;
    t->makers[t->value_count++] = maker;
    return id;
}

// Uses a random value in scope as an operand of the operation.
static inline int use(test_t *t, int op)
{
    int at = (int)draw(t, (uint32_t)t->value_count), maker = t->makers[at];
    if (maker >= 0)
        depend(t, op, maker, 0);
    else
        t->uses[op][-1 - maker]++;
    return t->values[at];
}

static inline bool has_room(const test_t *t)
{
    return t->op_count < MAX_OPS - 12 && t->value_count < MAX_VALUES - 4;
}

// Emits %p<id>, pointers to iteration i's tile of a buffer after `from` tiles; returns the
// operation.
static inline int address(test_t *t, const char *buffer, const char *type, const char *layout,
                          int from, int *out_id)
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
    line(t,
         "      %%p%d = tt.addptr %%%s, %%s%d @A%d : tensor<32x32x!tt.ptr<%s>%s>, "
         "tensor<32x32xi32%s>",
         id, buffer, id, p, type, layout, layout);
    depend(t, p, s, 0);
    *out_id = id;
    return p;
}

static inline void make_load(test_t *t)
{
    int id, p = address(t, "pa", "i32", "@B", (int)draw(t, 3), &id), op = new_op(t);
    line(t, "      %%v%d = tt.load %%p%d @A%d : tensor<32x32x!tt.ptr<i32>@B>", id, id, op);
    depend(t, op, p, 0);
    add_value(t, id, op);
}

static inline void make_arithmetic(test_t *t)
{
    static const char *const NAMES[] = {"addi", "subi", "xori", "muli", "maxsi"};
    int op = new_op(t), a = use(t, op), b = use(t, op), id = t->next_id++;
    line(t, "      %%v%d = arith.%s %%v%d, %%v%d @A%d : tensor<32x32xi32@B>", id, NAMES[draw(t, 5)],
         a, b, op);
    add_value(t, id, op);
}

static inline void make_index(test_t *t)
{
    int op = new_op(t), id = t->next_id++;
    line(t, "      %%v%d = tt.splat %%i @A%d : i32 -> tensor<32x32xi32@B>", id, op);
    add_value(t, id, op);
}

static inline void make_store(test_t *t)
{
    if (t->outputs == OUTPUTS)
        return;
    int id, p = address(t, "po", "i32", "@B", 0, &id);
    int op = new_op(t), value = use(t, op);
    line(t, "      tt.store %%p%d, %%v%d @A%d : tensor<32x32x!tt.ptr<i32>@B>", id, value, op);
    depend(t, op, p, 0);
    // Outputs share a buffer: they are kept in order, also from iteration to iteration.
    for (int i = 0; i < t->outputs; i++)
        depend(t, op, t->memory_ops[4 + i], 0), depend(t, t->memory_ops[4 + i], op, 1);
    t->memory_ops[4 + t->outputs++] = op;
}

// Emits a load of memory that the previous iteration has stored to.
static inline void make_memory(test_t *t)
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

static inline void make_loop(test_t *t)
{
    int op = new_op(t), a = use(t, op), b = use(t, op), id = t->next_id++;
    line(t,
         "      %%v%d = scf.for %%j = %%t0 to %%t%d step %%t1 iter_args(%%x = %%v%d) -> "
         "(tensor<32x32xi32@B>) : i32 {",
         id, (int)draw(t, 3) + 1, a);
    // Sometimes the inner loop has a schedule of its own.
    const char *first = "", *second = "";
    if (draw(t, 2)) {
        first = " {loop.stage = 0 : i32}";
        second = " {loop.stage = 1 : i32}";
    }
    line(t, "        %%js = tt.splat %%j%s : i32 -> tensor<32x32xi32@B>", first);
    line(t, "        %%x1 = arith.addi %%x, %%js%s : tensor<32x32xi32@B>", second);
    line(t,
         "        %%q = tt.addptr %%pa, %%js%s : tensor<32x32x!tt.ptr<i32>@B>, tensor<32x32xi32@B>",
         first);
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

static inline void make_branch(test_t *t)
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

// Emits a tile that goes through LDS: as a dot's operand, or copied there asynchronously.
static inline int make_operand(test_t *t, const char *layout, int *out_id)
{
    int id, p = address(t, "ph", "f16", "@B", (int)draw(t, 3), &id);
    bool is_async = draw(t, 3) == 0;
    if (is_async) {
        int alloc = new_op(t), copy = new_op(t), commit = new_op(t), wait = new_op(t),
            load = new_op(t);
        line(t,
             "@ttg      %%buf%d = ttg.local_alloc @A%d : () -> !ttg.memdesc<32x32xf16, #s, #smem, "
             "mutable>",
             id, alloc);
        line(t,
             "@ttg      %%t_%d = ttg.async_copy_global_to_local %%p%d, %%buf%d @A%d : "
             "tensor<32x32x!tt.ptr<f16>@B> -> "
             "<32x32xf16, #s, #smem, mutable>",
             id, id, id, copy);
        line(t, "@ttg      %%g%d = ttg.async_commit_group tokens %%t_%d @A%d", id, id, commit);
        line(t, "@ttg      %%w%d = ttg.async_wait %%g%d {@C%dnum = 0 : i32}", id, id, wait);
        line(t,
             "@ttg      %%l%d = ttg.local_load %%buf%d token %%w%d @A%d : !ttg.memdesc<32x32xf16, "
             "#s, #smem, mutable> "
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
         "@ttg      %%buf%d = ttg.local_alloc %%h%d @A%d : (tensor<32x32xf16@B>) -> "
         "!ttg.memdesc<32x32xf16, #s, "
         "#smem%s>",
         id, id, alloc, is_mutable);
    line(t,
         "@ttg      %%l%d = ttg.local_load %%buf%d @A%d : !ttg.memdesc<32x32xf16, #s, #smem%s> -> "
         "tensor<32x32xf16%s>",
         id, id, load, is_mutable, layout);
    line(t, "@tt      %%l%d = arith.addf %%h%d, %%zeroh : tensor<32x32xf16>", id, id);
    depend(t, op, p, 0);
    depend(t, alloc, op, 0);
    depend(t, load, alloc, 0);
    *out_id = id;
    return load;
}

static inline void make_dot(test_t *t)
{
    if (t->dots == 1)
        return;
    int x, y, a = make_operand(t, "@L", &x), b = make_operand(t, "@R", &y), op = new_op(t);
    line(t,
         "      %%acc1 = tt.dot %%l%d, %%l%d, %%acc @A%d : tensor<32x32xf16@L> * "
         "tensor<32x32xf16@R> -> "
         "tensor<32x32xf32@M>",
         x, y, op);
    depend(t, op, a, 0);
    depend(t, op, b, 0);
    t->dots = 1;
}

static inline void make_statement(test_t *t)
{
    static void (*const MAKERS[])(test_t *) = {make_load,  make_arithmetic, make_arithmetic,
                                               make_index, make_store,      make_memory,
                                               make_loop,  make_branch,     make_dot};
    if (has_room(t))
        MAKERS[draw(t, sizeof MAKERS / sizeof *MAKERS)](t);
}

static inline void make_body(test_t *t)
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

// Schedules ---------------------------------------------------------------------------------------

static inline bool is_legal(const test_t *t)
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

// Draws a legal schedule. Stages grow along dependences; if this violates a dependence around the
// loop, draws again with fewer increases.
static inline void schedule(test_t *t)
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
                    o->cluster = from->stage > o->stage || from->cluster > o->cluster
                                     ? from->cluster
                                     : o->cluster;
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

static inline void perturb(test_t *t)
{
    op_t *o = &t->ops[draw(t, (uint32_t)t->op_count)];
    o->stage = (int)draw(t, 5);
    o->cluster = (int)draw(t, 5);
}

// Note that the first stages may be empty.
static inline int last_stage(const test_t *t)
{
    int last = 0;
    for (int i = 0; i < t->op_count; i++)
        last = t->ops[i].stage > last ? t->ops[i].stage : last;
    return last;
}

// Text --------------------------------------------------------------------------------------------

static inline void append_attributes(const test_t *t, kiln_string_t *out, int op, const char *open,
                                     const char *close)
{
    char text[80];
    snprintf(text, sizeof text, "%sloop.stage = %d : i32, loop.cluster = %d : i32%s", open,
             t->ops[op].stage, t->ops[op].cluster, close);
    kiln_string_append(out, text);
}

// The program with its marks removed or replaced. @f is the kernel's name.
static inline char *written(const test_t *t, const char *marked, bool is_ttg)
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

static inline char *whole_program(test_t *t)
{
    kiln_string_t loop = t->body;
    t->body = (kiln_string_t){0};
    line(t, "@ttg#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = "
            "[2, 1], order = [1, "
            "0]}>");
    line(t, "@ttg#m = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 1], instrShape = [16, 16, 16], "
            "isTransposed = true}>");
    line(t, "@ttg#l = #ttg.dot_op<{opIdx = 0, parent = #m, kWidth = 4}>");
    line(t, "@ttg#r = #ttg.dot_op<{opIdx = 1, parent = #m, kWidth = 4}>");
    line(t, "@ttg#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>");
    line(t, "@ttg#smem = #ttg.shared_memory");
    line(t, "@ttgmodule attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 2 : i32, "
            "ttg.target = \"hip:gfx942\", "
            "\"ttg.threads-per-warp\" = 64 : i32} {");
    line(t, "@ttmodule {");
    line(t, "  tt.func public @f(%%a: !tt.ptr<i32>, %%h: !tt.ptr<f16>, %%s: !tt.ptr<i32>, %%o: "
            "!tt.ptr<i32>, %%n: i32) {");
    for (int i = 0; i < 4; i++)
        line(t, "    %%t%d = arith.constant %d : i32", i, i);
    line(t, "    %%trips = arith.constant %d : i32", t->trips);
    line(t, "    %%count = arith.constant %d : i32", COUNT);
    line(t, "    %%zeroh = arith.constant dense<0.0> : tensor<32x32xf16@B>");
    line(t, "    %%zero = arith.constant dense<0.0> : tensor<32x32xf32@M>");
    line(t, "    %%width = arith.constant dense<32> : tensor<32x1xi32@B>");
    static const char *const NAMES[] = {"a", "h", "s", "o"}, *const TYPES[] = {"i32", "f16", "i32",
                                                                               "i32"};
    line(t, "@ttg    %%r0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, "
            "#ttg.slice<{dim = 1, "
            "parent = #b}>>");
    line(t, "@ttg    %%r1 = tt.expand_dims %%r0 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim "
            "= 1, parent = #b}>> "
            "-> tensor<32x1xi32, #b>");
    line(t, "@ttg    %%c0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, "
            "#ttg.slice<{dim = 0, "
            "parent = #b}>>");
    line(t, "@ttg    %%c1 = tt.expand_dims %%c0 {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim "
            "= 0, parent = #b}>> "
            "-> tensor<1x32xi32, #b>");
    line(t, "@tt    %%r0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>");
    line(t,
         "@tt    %%r1 = tt.expand_dims %%r0 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>");
    line(t,
         "@tt    %%c1 = tt.expand_dims %%r0 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>");
    line(t, "    %%r2 = arith.muli %%r1, %%width : tensor<32x1xi32@B>");
    line(t, "    %%r3 = tt.broadcast %%r2 : tensor<32x1xi32@B> -> tensor<32x32xi32@B>");
    line(t, "    %%c2 = tt.broadcast %%c1 : tensor<1x32xi32@B> -> tensor<32x32xi32@B>");
    line(t, "    %%e = arith.addi %%r3, %%c2 : tensor<32x32xi32@B>");
    for (int i = 0; i < BUFFERS; i++) {
        line(t, "    %%q%s = tt.splat %%%s : !tt.ptr<%s> -> tensor<32x32x!tt.ptr<%s>@B>", NAMES[i],
             NAMES[i], TYPES[i], TYPES[i]);
        line(t,
             "    %%p%s = tt.addptr %%q%s, %%e : tensor<32x32x!tt.ptr<%s>@B>, tensor<32x32xi32@B>",
             NAMES[i], NAMES[i], TYPES[i]);
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
    line(t, "@ttg    } {tt.scheduled_max_stage = %d : i32}", last_stage(t));
    line(t, "@tt    }");
    // Results of the loop are stored to the output, after its tiles.
    line(t, "    %%end = arith.constant dense<%d> : tensor<32x32xi32@B>", MAX_TRIPS * COUNT);
    line(t, "    %%tile = arith.constant dense<%d> : tensor<32x32xi32@B>", COUNT);
    line(t, "    %%o0 = tt.addptr %%po, %%end : tensor<32x32x!tt.ptr<i32>@B>, tensor<32x32xi32@B>");
    for (int i = 0; i < t->carried_count; i++) {
        line(t, "    tt.store %%o%d, %%w#%d : tensor<32x32x!tt.ptr<i32>@B>", i, i);
        line(t,
             "    %%o%d = tt.addptr %%o%d, %%tile : tensor<32x32x!tt.ptr<i32>@B>, "
             "tensor<32x32xi32@B>",
             i + 1, i);
    }
    line(t, "    %%f = arith.fptosi %%w#%d : tensor<32x32xf32@M> to tensor<32x32xi32@M>",
         t->carried_count);
    line(t,
         "@ttg    %%f1 = ttg.convert_layout %%f : tensor<32x32xi32, #m> -> tensor<32x32xi32, #b>");
    line(t, "@tt    %%f1 = arith.ori %%f, %%f : tensor<32x32xi32>");
    line(t, "    tt.store %%o%d, %%f1 : tensor<32x32x!tt.ptr<i32>@B>", t->carried_count);
    line(t, "    tt.return");
    line(t, "  }");
    line(t, "}");
    kiln_string_free(&loop);
    return kiln_string_take(&t->body);
}

#endif
