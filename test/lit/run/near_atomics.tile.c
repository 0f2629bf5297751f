// Relaxed atomics through buffer resources, whose lanes' offsets are 32 bits: where a lane's part of
// an offset may be negative, it is added to the uniform part and not counted from a moved base.
//
// RUN: for kernel in falls masked ends; do for warps in 1 2; do for n in 500 512; do \
// RUN:   %kiln run %s --device=interp --kernel=$kernel --cache-mode=off 'x=f32[2000]' n=$n --save x=%t.npy && \
// RUN:   %kiln run %s --device=sim --kernel=$kernel --cache-mode=off --num-warps=$warps 'x=f32[2000]' n=$n --check=all --expect x=%t.npy \
// RUN:   || exit 1; done; done; done

kernel void falls(f32 *x, i32 n)
{
    assume(n >= 500);
    assume(n < 1000);
    i32 r[128] = range(128);
    atomic_add(x + (n + (r / 2) * -2 + r % 2), 1.0, .order = relaxed);
}

kernel void masked(f32 *x, i32 n)
{
    assume(n >= 500);
    assume(n < 1000);
    i32 r[128] = range(128);
    atomic_add(x + (n + (r / 2) * -2 + r % 2), 1.0, r < 70, .order = relaxed);
}

// The constant that remains is not negative, only the lane's part is.
kernel void ends(f32 *x, i32 n)
{
    assume(n >= 500);
    assume(n < 1000);
    i32 r[128] = range(128);
    atomic_add(x + (n + (63 - r / 2) * 2 + r % 2), 1.0, r < 70, .order = relaxed);
}
