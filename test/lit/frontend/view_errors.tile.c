// Block pointers and tensor descriptors.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

kernel void k(const f32 *p, f32 *q, bool *b, i32 n, f32 z, constexpr i32 B = 32)
{
    f32 x[B][B] = 0;
    i32 i[B] = 0;
    auto block = make_block_ptr(p, {n, n}, {n, 1}, {0, 0}, {B, B});
    auto other = make_block_ptr(q, {n, n}, {n, 1}, {0, 0}, {B, B});
    auto d = make_tensor_descriptor(p, {n, n}, {n, 1}, {B, B});
    auto row = make_tensor_descriptor(q, {n, n}, {n, 1}, {1, B});
    // CHECK: :[[@LINE+1]]:51: error: expected a list for a block's sizes, as in {M, N}: make_tensor_descriptor(base, sizes, strides, block)
    d = make_tensor_descriptor(p, {n, n}, {n, 1}, B);
    // CHECK: :[[@LINE+1]]:35: error: a tensor's sizes must be a list of 2
    d = make_tensor_descriptor(p, {n}, {n, 1}, {B, B});
    // CHECK: :[[@LINE+1]]:44: error: a tensor's strides must be integers, got f32
    d = make_tensor_descriptor(p, {n, n}, {z, 1}, {B, B});
    // CHECK: :[[@LINE+1]]:32: error: the base of a tensor must be a scalar pointer, got const f32 *[32]
    d = make_tensor_descriptor(p + i, {n, n}, {n, 1}, {B, B});
    // CHECK: :[[@LINE+1]]:32: error: blocks of bool are not supported; cast the pointer to u8 *
    d = make_tensor_descriptor(b, {n, n}, {n, 1}, {B, B});
    // CHECK: :[[@LINE+1]]:51: error: the sizes of a tile must be powers of two; dimension 1 is 24
    d = make_tensor_descriptor(p, {n, n}, {n, 1}, {B, 24});
    // CHECK: :[[@LINE+1]]:63: error: the order must name each dimension exactly once
    block = make_block_ptr(p, {n, n}, {n, 1}, {0, 0}, {B, B}, {1, 1});
    // CHECK: :[[@LINE+1]]:11: error: cannot assign this: got tensor descriptor of const f32[32][32], expected block pointer to const f32[32][32]
    block = d;
    // CHECK: :[[@LINE+1]]:25: error: descriptor_load needs a tensor descriptor, got block pointer to const f32[32][32]
    x = descriptor_load(block, {0, 0});
    // CHECK: :[[@LINE+1]]:21: error: advance needs a block pointer, got tensor descriptor of const f32[32][32]
    block = advance(d, {0, 0});
    // CHECK: :[[@LINE+1]]:11: error: cannot store through a pointer to const, block pointer to const f32[32][32]
    store(block, x);
    // CHECK: :[[@LINE+1]]:43: error: the block has no dimension 2
    x = load(block, .boundary_check = {0, 2});
    // CHECK: :[[@LINE+1]]:21: error: block pointers take no mask; use .boundary_check = {0, 1}
    x = load(block, x > 0);
    // CHECK: :[[@LINE+1]]:33: error: .volatile is not supported for loads through block pointers
    x = load(block, .volatile = true);
    // CHECK: :[[@LINE+1]]:39: error: .boundary_check applies to block pointers; use a mask
    x = load(p + i, .boundary_check = {0});
    // CHECK: :[[@LINE+1]]:45: error: this operation needs integers, got f32
    descriptor_reduce(row, {0, 0}, 1, .op = xor);
    // CHECK: :[[@LINE+1]]:27: error: gather and scatter need a descriptor of one-row blocks, {1, N}, got tensor descriptor of const f32[32][32]
    x = descriptor_gather(d, i, 0);
    // CHECK: :[[@LINE+1]]:29: error: the rows must be a one-dimensional tile of integers and the column an integer
    descriptor_scatter(row, n, 0, 1);
    // CHECK: :[[@LINE+1]]:19: error: '+' cannot be applied to block pointer to f32[32][32] and i32
    other = other + 1;
    // CHECK-NOT: error:
}
