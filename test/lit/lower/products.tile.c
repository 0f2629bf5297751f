// Both halves of a product are computed by one instruction, whichever is first in the program.
// RUN: %kiln compile %s --kernel=lower_first --emit=asm -o - | FileCheck %s --check-prefix=LOWER
// RUN: %kiln compile %s --kernel=upper_first --emit=asm -o - | FileCheck %s --check-prefix=UPPER
// RUN: %kiln compile %s --kernel=different --emit=asm -o - | FileCheck %s --check-prefix=DIFFERENT
// RUN: %kiln run --device=interp %s --kernel=lower_first 'p=u32[64]:random:1' 'q=u32[64]:random:2' 'l=u32[64]' \
// RUN:   'h=u32[64]' --save l=%t.l --save h=%t.h
// RUN: %kiln run --device=sim --check --cache-mode=off %s --kernel=lower_first 'p=u32[64]:random:1' \
// RUN:   'q=u32[64]:random:2' 'l=u32[64]' 'h=u32[64]' --expect l=%t.l --expect h=%t.h
// LOWER-COUNT-2: v_mad_u64_u32
// LOWER-NOT: v_mul_
// UPPER: v_mad_u64_u32
// UPPER-NOT: v_mul_hi
// DIFFERENT-NOT: v_mad_u64_u32
// DIFFERENT: v_mul_hi_u32
kernel void lower_first(u32 *p, u32 *q, u32 *l, u32 *h) {
    auto i = range(64), x = p[i], y = q[i];
    l[i] = x * y ^ y * 0xD2511F53u;
    h[i] = umulhi(y, x) ^ umulhi(0xD2511F53u, y);
}
kernel void upper_first(u32 *p, u32 *l, u32 *h, u32 n) {
    auto i = range(64), x = p[i];
    l[i] = umulhi(x, n);
    h[i] = x * n;
}
kernel void different(u32 *p, u32 *q, u32 *l, u32 *h, u32 n) {
    auto i = range(64), x = p[i];
    l[i] = x * q[i];
    h[i] = umulhi(x, n);
}
