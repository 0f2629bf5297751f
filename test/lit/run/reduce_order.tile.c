// reduce needs an associative function only: the element that comes first is its left argument, whatever lanes,
// waves and registers hold the elements.
// RUN: for w in 1 2 4 8; do %kiln run --cache-mode=off --device=sim %s --num-warps=$w out=i32[9] --print out || exit 1; done \
// RUN:   | FileCheck %s
// RUN: %kiln run --cache-mode=off --device=interp %s out=i32[9] --print out | FileCheck %s --check-prefix=INTERP
// CHECK-COUNT-4: 63 4095 0 13 2038 1 1 1 1
// INTERP: 63 4095 0 13 2038 1 1 1 1
auto last(auto a, auto b) { return b; }
auto first(auto a, auto b) { return a; }
auto right_unless_zero(auto a, auto b) { return b != 0 ? b : a; }
struct affine {
    auto a, b;
};
struct affine compose(struct affine l, struct affine r)
{
    struct affine x = {.a = l.a * r.a, .b = l.b * r.a + r.b};
    return x;
}
struct best {
    auto value, index;
};
// Of equal elements the last.
struct best last_best(struct best a, struct best b) { return a.value > b.value ? a : b; }
struct matrix {
    auto a, b, c, d;
};
struct matrix times(struct matrix x, struct matrix y)
{
    struct matrix p = {.a = x.a * y.a + x.b * y.c, .b = x.a * y.b + x.b * y.d,
                       .c = x.c * y.a + x.d * y.c, .d = x.c * y.b + x.d * y.d};
    return p;
}
// Whether r equals the last element of the scan.
i32 ends_with(auto s, constexpr i32 n, i32 r) { return r == sum(where(range(n) == n - 1, s, 0)); }

kernel void k(i32 *out)
{
    i32 v[64] = range(64), w[4096] = range(4096);
    out[0] = reduce(v, 0, last);
    out[1] = reduce(w, 0, last);
    out[2] = reduce(w, 0, first);
    out[3] = reduce(where(w == 13, 13, 0), 0, right_unless_zero);
    struct best s = {.value = where(w % 1019 == 0, 7, w % 5), .index = w};
    out[4] = reduce(s, 0, last_best).index - 2038;
    struct affine x = {.a = where(w % 2 == 0, 1, -3), .b = w}, y = {.a = where(v % 2 == 0, 1, -3), .b = v};
    out[5] = ends_with(scan(x, 0, compose).b, 4096, reduce(x, 0, compose).b);
    out[6] = ends_with(scan(y, 0, compose).b, 64, reduce(y, 0, compose).b);
    struct matrix m = {.a = w, .b = w ^ 5, .c = w + 1, .d = 3 * w};
    out[7] = ends_with(scan(m, 0, times).b, 4096, reduce(m, 0, times).b);
    i32 t[32][64] = reshape(range(2048), 32, 64);
    out[8] = ends_with(reduce(t, 0, last), 64, 2047);
}
