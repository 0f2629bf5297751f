// Quotients of f64 are rounded once, also ties of subnormal ones (workarounds.def: subnormal_ties), in tiles, vectors and scalars.
// RUN: %kiln compile %s --num-warps=1 --emit=asm --no-line-info -o - --kernel=ties | FileCheck %s
// CHECK: v_mul_f64
// CHECK: v_fma_f64
// CHECK: v_fma_f64
// CHECK: v_fma_f64
// CHECK: v_div_fmas_f64
// RUN: %kiln run --device=sim --cache-mode=off %s --kernel=ties q=f64[65536] --grid 256 --save q=%t.sim
// RUN: %kiln run --device=interp %s --kernel=ties q=f64[65536] --grid 256 --save q=%t.interp && cmp %t.sim %t.interp
// RUN: %kiln run --device=sim --cache-mode=off %s --kernel=ties q=f64[65536] --grid 256 --print q[65024:65028] \
// RUN:   | FileCheck %s --check-prefix=TIE
// TIE: {{^}}  0 9.881313e-324 9.881313e-324 1.976263e-323
// RUN: %kiln run --device=sim --cache-mode=off %s --kernel=close q=f64[65536] r=f64[256] --grid 256 --save q=%t.sim \
// RUN:   --save r=%t.sim1
// RUN: %kiln run --device=interp %s --kernel=close q=f64[65536] r=f64[256] --grid 256 --save q=%t.interp \
// RUN:   --save r=%t.interp1 && cmp %t.sim %t.interp && cmp %t.sim1 %t.interp1
// Each quotient is e + 1/2 of the smallest subnormal number.
kernel void ties(f64 *q)
{
    u64 e[256] = (u64)range(256);
    u64 d = (u64)(program_id(0) + 1) * 0x9e3779b97f4a7c15 >> 22;
    q[program_id(0) * 256 + range(256)] = (f64)((2 * e + 1) * d) * 0x1p-1074 / (f64)(2 * d);
}

// Random quotients, half of them subnormal, some by subnormal numerators.
kernel void close(f64 *q, f64 *r)
{
    u64 e[256] = (u64)(program_id(0) * 256 + range(256) + 1);
    u64 n[256] = e * 0x9e3779b97f4a7c15;
    u64 d[256] = e * 0xd1342543de82ef95 >> 12 | 0x3fe0000000000000;
    q[program_id(0) * 256 + range(256)] =
        bitcast(f64, n & 0x803fffffffffffff) / bitcast(f64, d);
    u64 one = (u64)(program_id(0) + 1) * 0x9e3779b97f4a7c15;
    r[program_id(0)] = bitcast(f64, one & 0x803fffffffffffff) / bitcast(f64, one >> 12 | 0x3fe0000000000000);
}
