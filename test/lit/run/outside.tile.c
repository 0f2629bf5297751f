// print, printf, assert, static_print and map, interpreted and compiled; inline assembly, compiled.
// RUN: %kiln run --device=sim --cache-mode=off --num-warps=1 %s p=f32[8]:iota q=f32[32] n=20 --print q 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=CHECK,ASM
// RUN: %kiln run --device=interp %s p=f32[8]:iota q=f32[32] n=20 -D ASM=false --print q 2>&1 | FileCheck %s
// RUN: sh -c '%kiln run --device=sim --num-warps=1 %s p=f32[8]:iota q=f32[32] n=5; test $? = 1' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FAILED
// RUN: sh -c '%kiln run --device=interp %s p=f32[8]:iota q=f32[32] n=5 -D ASM=false; test $? = 1' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=INTERP

f32 slow(f32 x, i32 n)
{
    f32 y = x;
    while (y < n)
        y = y * 2 + 1;
    return y;
}
void two(f32 x, f32 *half, i32 *whole)
{
    *half = 0;
    *whole = -1;
    if (x > 3) {
        *half = x / 2;
        *whole = (i32)x;
    }
}
kernel void k(const f32 *p, f32 *q, i32 n, constexpr i32 B = 8, constexpr bool ASM = true)
{
    f32 x[B] = p[range(B)];
    // CHECK: outside.tile.c:[[@LINE+1]]:5: note: B = 8 x: f32[8] 1.5 true i32
    static_print("B =", B, "x:", x, 1.5, true, n);
    // CHECK: pid (0, 0, 0) idx (0) x: (operand 0) 0.000000
    // CHECK: pid (0, 0, 0) idx (7) x: (operand 0) 7.000000
    // CHECK: pid (0, 0, 0) idx () x: (operand 1) 20
    print("x", x, n);
    // CHECK: pid (0, 0, 0) idx () n = 20
    printf("n = %d\n", n);
    // CHECK: pid (0, 0, 0) idx () hex 14{{$}}
    // CHECK: pid (0, 0, 0) idx ()  and -1 is 4294967295
    printf("hex %x and -1 is %u\n", n, (u32)(n - 21));
    // CHECK: pid (0, 0, 0) 100% of "it"
    printf("100%% of \"it\"\n");
    // CHECK: pid (0, 0, 0) idx () x: 0x{{0*}}ff
    print("x", (u8)255, .hex = true);
    q[range(B)] = map(x, n, slow);
    f32 h[B];
    i32 w[B];
    map(x, two, &h, &w);
    q[8 + range(B)] = h;
    q[16 + range(B)] = w;
    // CHECK: 31 31 23 31 39 23 27 31 0 0 0 0 2 2.5 3 3.5 -1 -1 -1 -1 4 5 6 7
    // ASM-SAME: -1 0 1 2 8 10 12 14
    if constexpr (ASM) {
        i32 r[B];
        inline_asm("v_add_u32 $0, $1, "
                   "$2",
                   "=v,v,v", w, range(B), &r);
        q[24 + range(B)] = r;
    }
    // FAILED-COUNT-3: outside.tile.c:[[@LINE+3]]: assertion 'x < n' failed in program (0, 0, 0), element ({{[567]}})
    // FAILED-NOT: failed in program
    // INTERP: outside.tile.c:[[@LINE+1]]:{{[0-9]+}}: error: assertion 'x < n' failed
    assert(x < n);
    assert(x < 0, "never told", .mask = x > 1000);
}
