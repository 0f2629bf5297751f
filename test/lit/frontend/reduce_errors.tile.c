// Reductions and scans with the user's functions.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

f32 add(f32 a, f32 b) { return a + b; }
void both(f32 *a, f32 *b, f32 c, f32 d) { *a += c; *b += d; }
f32 three(f32 a, f32 b, f32 c) { return a; }
f32 wide(f32 a, f32 b) { return zeros(f32, 4); }
f32 nosy(const f32 *p, f32 b) { return b; }
f32 grid(f32 a, f32 b) { return a + program_id(0); }
auto tile(auto a, auto b) { return (a + b)[None]; }
f32 returns(f32 *a, f32 *b, f32 c, f32 d) { return c; }
f32 reader(f32 a, f32 b) { return *(f32 *)(i64)b; }

kernel void k(f32 *p, i32 n, constexpr i32 B = 32)
{
    f32 x[B][B] = 0, s[B], t[B];
    // CHECK: :[[@LINE+1]]:9: error: expected a function that combines two elements: reduce(x…, axis, function, &result…)
    s = reduce(x, 1);
    // CHECK: :[[@LINE+1]]:9: error: expected a function that combines two elements: scan(x…, axis, function, &result…)
    x = scan(x, add, 3);
    // CHECK: :[[@LINE+1]]:19: error: axis 2 is out of range: the tile has 2 dimensions
    s = reduce(x, 2, add);
    // CHECK: :[[@LINE+1]]:16: error: reduce needs a tile, got i32
    s = reduce(n, 0, add);
    // CHECK: :[[@LINE+1]]:16: error: reduce cannot be applied to f32 *[32]
    s = reduce(p + range(B), 0, add);
    // CHECK: :[[@LINE+1]]:5: error: reduce of a single tile returns its result as its value
    reduce(x, 1, add, &s);
    // CHECK: :[[@LINE+1]]:5: error: 2 tiles have 2 results, got 1 variables
    reduce(x, x, 1, both, &s);
    // CHECK: :[[@LINE+1]]:31: error: a result needs a variable, as in &name
    reduce(x, x, 1, both, &s, t);
    // CHECK: :[[@LINE+1]]:22: error: 'three' takes 3 arguments, got 2
    s = reduce(x, 1, three);
    // CHECK: :9:37: error: 'grid' combines two elements, so it cannot call program_id; only scalar arithmetic is allowed
    s = reduce(x, 1, grid);
    // CHECK: :[[@LINE+1]]:22: error: 'tile' must combine two scalars, but returns a tile, f32[1]
    s = reduce(x, 1, tile);
    // CHECK: :[[@LINE+1]]:21: error: 'returns' combines several elements, so it must return void and change its first 2 parameters
    reduce(x, x, 1, returns, &s, &t);
    // CHECK: :[[@LINE+1]]:22: error: cannot pass this: got f32, expected const f32 *
    s = reduce(x, 1, nosy);
    // CHECK: :[[@LINE+1]]:5: error: reduce takes at most 8 tiles
    reduce(x, x, x, x, x, x, x, x, x, 1, both, &s, &s, &s, &s, &s, &s, &s, &s, &s);
    // CHECK: :[[@LINE+1]]:5: error: cannot broadcast f32[32][32] with i32[16]: dimension 1 is 32 here and 16 there
    reduce(x, range(16), 1, both, &s, &t);
    // CHECK: :12:{{[0-9]+}}: error: 'reader' combines two elements, so it cannot access memory
    s = reduce(x, 1, reader);
    // CHECK-NOT: error:
}
