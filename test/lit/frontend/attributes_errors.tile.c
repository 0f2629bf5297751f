// Attributes of kernels: [[grid(…)]], [[arguments(…)]], [[tune(…)]], [[where(…)]].
// RUN: not %kiln compile --from=tile --emit=tt --kernel=k %s -o - 2>&1 | FileCheck %s
// RUN: not %kiln compile --from=tile --emit=tt -D SYNTAX %S/Inputs/attributes_syntax.tile.c -o - 2>&1 \
// RUN:   | FileCheck %S/Inputs/attributes_syntax.tile.c

constexpr i32 WIDTH = 64;

// CHECK: :[[@LINE+1]]:20: error: kernel 'k' has no argument 'm', and no other argument's size uses it
[[arguments(n = 3, m = 4)]]
// CHECK: :[[@LINE+1]]:13: error: 'BLOCK' is a constant, not an argument of kernel 'k'
[[arguments(BLOCK = 4)]]
// CHECK: :[[@LINE+1]]:13: error: duplicate argument 'n'
[[arguments(n = 3)]]
// CHECK: :[[@LINE+1]]:35: error: in the expression 'p', column 1: the kernel has no argument, size or constant with this name
[[arguments(rows = n * WIDTH, x = f32[rows, cdiv(n, 2), p])]]
// CHECK: :[[@LINE+1]]:8: error: 'BLOK' is neither a constexpr parameter of kernel 'k' nor a compile option; did you mean 'BLOCK'?
[[tune(BLOK = 64)]]
// CHECK: :[[@LINE+1]]:21: error: num_stages is 99; it must be
[[tune(num_stages = 99)]]
// CHECK: :[[@LINE+1]]:25: error: expected a value or a range such as 1..8, 16..64+16 or 32..256*2, got '8..2'
[[tune(BLOCK = 64, 128, 8..2)]]
// CHECK: :[[@LINE+1]]:16: error: an axis has at most 64 values
[[tune(WIDTH = 1..99)]]
// CHECK: :[[@LINE+1]]:8: error: duplicate axis 'BLOCK'
[[tune(BLOCK = 32)]]
// CHECK: :[[@LINE+1]]:9: error: expected a comparison by <=, >=, ==, !=, < or >, got 'BLOCK'
[[where(BLOCK), grid(n)]]
// CHECK: :[[@LINE+1]]:9: error: in the expression 'OTHER', column 1: the kernel has no axis or scalar argument with this name
[[where(OTHER < n * BLOCK)]]
kernel void k(f32 *x, i32 n, constexpr i32 BLOCK, constexpr i32 OTHER)
{
}

// Another kernel's attributes are not checked.
[[tune(NONE = 1)]]
kernel void other(f32 *x)
{
}
