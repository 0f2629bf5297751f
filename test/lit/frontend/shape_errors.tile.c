// Functions that rearrange, sort and count; and errors in the prelude, which are reported at the user's call.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

auto sorted(auto x) { return sort(x); }

kernel void k(f32 *p, i32 n, constexpr i32 B = 32)
{
    f32 x[B][B] = 0, y[B];
    // CHECK: :[[@LINE+1]]:9: error: sort needs a tile
    n = sort(n);
    // CHECK: :4:30: error: sort needs a tile
    // CHECK: :[[@LINE+1]]:9: note: in this call of 'sorted'
    n = sorted(n);
    // CHECK: :[[@LINE+1]]:9: error: axis 2 is out of range: the tile has 2 dimensions
    x = softmax(x, 2);
    // CHECK: :[[@LINE+1]]:9: error: softmax needs a tile
    n = softmax(n);
    // CHECK: :[[@LINE+1]]:9: error: 'flip' takes 2 arguments, got 3
    x = flip(x, 0, 1);
    // CHECK: :[[@LINE+1]]:9: error: flip needs a tile
    n = flip(n);
    // CHECK: :[[@LINE+1]]:9: error: topk: k must be between 1 and the size of the dimension
    x = topk(x, 64);
    // CHECK: :[[@LINE+1]]:9: error: topk: k must be a power of two
    x = topk(x, 3);
    // CHECK: :[[@LINE+1]]:9: error: topk needs a tile
    n = topk(n, 1);
    // CHECK: :[[@LINE+1]]:11: error: split takes a tile whose last dimension is 2, got f32[32][32]
    split(x, &y, &y);
    // CHECK: :[[@LINE+1]]:23: error: a result needs a variable, as in &name
    split(join(y, y), y, y);
    // CHECK: :[[@LINE+1]]:14: error: item takes a tile of one element, got f32[32]
    n = item(y);
    // CHECK: :[[@LINE+1]]:9: error: cannot reshape f32[32] to f32[32][32]: 32 elements do not fit 1024
    x = reshape_like(y, x);
    // CHECK: :[[@LINE+1]]:9: error: cannot broadcast f32[32] with f32[64]: dimension 0 is 32 here and 64 there
    x = cat(y, zeros(f32, 64));
    // CHECK: :[[@LINE+1]]:19: error: axis 1 is out of range: the tile has 1 dimension
    x = cat(y, y, 1);
    // CHECK: :[[@LINE+1]]:20: error: interleave needs a tile, got i32
    n = interleave(n, n);
    // CHECK: :[[@LINE+1]]:20: error: expected a tile of a numeric type, got f32 *
    n = zeros_like(p);
    // CHECK: :[[@LINE+1]]:19: error: histogram needs integers, got f32[32]
    n = histogram(y, 16);
    // CHECK: :[[@LINE+1]]:33: error: cannot count where this is true: bool[64] does not broadcast to bool[32]
    n = histogram(range(B), 16, range(64) > 3);
    // CHECK-NOT: error:
}
