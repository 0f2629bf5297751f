// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// typedef, enum and struct. A struct is its members: loops and branches carry those that they
// assign, and tt contains no trace of the struct itself.
// RUN: %kiln compile --from=tile --emit=tt %s -o - -D MODE=SLOW | FileCheck %s
// RUN: %kiln run --device=interp %s -D MODE=SLOW n=9 x=f32[1024]:fill:2 out=f32[64] --print out[62:64] \
// RUN:   | FileCheck %s --check-prefix=RESULT

enum mode { FAST, SLOW = 4, SLOWER };
typedef enum { RELU, GELU } activation;
typedef f32 row[64];
typedef const f32 *source;
constexpr i32 WIDTH = 64;
constexpr activation ACT = GELU;
static_assert(SLOWER == 5 && ACT == 1 && sizeof(row) == 256);

struct pair {
    f32 value[]; // of any size
    auto index;
};
typedef struct {
    row m;
    f32 l[WIDTH];
} state;
struct nested {
    state inner;
    struct pair best;
    i32 a, b;
};

static state begin(void) { return (state){.m = -INFINITY}; }

state update(state s, row x)
{
    state next = s;
    next.m = maximum(s.m, x);
    next.l += 1;
    s.m = 0; // a copy of its own
    return next;
}

struct pair twice(f32 v[], i32 i)
{
    if (i > 3)
        return (struct pair){v, i};
    return (struct pair){.index = i + 1, .value = v * 2};
}

// A struct of a helper takes its sizes from the call's constants.
auto fill(constexpr i32 N, f32 value)
{
    struct local { f32 x[N]; };
    return (struct local){value};
}

// The caller's struct and tile.
void raise(struct pair *s, row *x, const i32 *by)
{
    s->index += *by;
    *x += s->value - s->value;
}

// CHECK-LABEL: tt.func public @k(
// CHECK-SAME: %x: !tt.ptr<f32>
kernel void k(source x, f32 *out, i32 n, constexpr enum mode MODE)
{
    // CHECK-NOT: scf.if
    if constexpr (MODE != SLOW)
        n = 0;
    state s = begin();
    row r = 0.5;
    // CHECK: scf.for %i = {{.*}} iter_args(%s.m = %{{.*}}, %s.l = %{{.*}}) -> (tensor<64xf32>, tensor<64xf32>)
    for (i32 i = 0; i < n; i++) {
        s = update(s, load(x + i * 64 + range(64)));
        // CHECK: scf.if %{{.*}} -> (tensor<64xf32>) {
        if (i == 7)
            s.l += r;
    }
    // CHECK: scf.if {{.*}} -> (tensor<64xf32>, tensor<64xf32>) {
    state t = n > 5 ? s : begin();
    struct nested all = {{t.m, .l = t.l}, .a = 2, .best = twice(t.l, n)};
    all.best.index++;
    i32 four = 4;
    raise(&all.best, &r, &four);
    all.best.index -= 4;
    struct pair other = all.best;
    other.index = -100; // not all.best's
    // CHECK: tt.store
    store(out + range(64), all.inner.m + all.best.value + all.best.index + all.a + all.b + max(fill(32, 1).x));
}
// 2 + 9.5 + 10 + 2 + 0 + 1
// RESULT: 24.5 24.5
