// RUN: not kiln compile %s --kernel=offsets -o %t.hsaco 2>&1 | FileCheck %s --check-prefix=OFFSETS
// RUN: not kiln compile %s --kernel=descriptors -o %t.hsaco 2>&1 | FileCheck %s --check-prefix=DESCRIPTORS
//
// Offsets of blocks and sizes of descriptors are i32 in tt. Wider integers would wrap.

kernel void offsets(f32 *x, i64 n, i64 far, u32 wide, i16 narrow)
{
    auto a = make_block_ptr(x, {n}, {1}, {far}, {64});
    // OFFSETS: [[@LINE-1]]:43: error: a block's offsets must be i32, got i64; cast to i32 if the values fit, or use a pointer, whose offsets may have 64 bits
    auto b = make_block_ptr(x, {n}, {1}, {wide}, {64});
    // OFFSETS: [[@LINE-1]]:43: error: a block's offsets must be i32, got u32
    auto c = make_block_ptr(x, {n}, {1}, {1ll << 31}, {64});
    // OFFSETS: [[@LINE-1]]:43: error: a block's offsets must be i32, and 2147483648 does not fit
    auto d = make_block_ptr(x, {n}, {1}, {narrow}, {64});
    d = advance(d, {far});
    // OFFSETS: [[@LINE-1]]:21: error: a block's offsets must be i32, got i64
    d = advance(d, {(i32)far});
    d = advance(d, {64ll});
}

kernel void descriptors(f32 *x, i64 n, i64 far)
{
    auto a = make_tensor_descriptor(x, {n}, {1}, {64});
    // DESCRIPTORS: [[@LINE-1]]:41: error: a tensor's sizes must be i32, got i64
    auto b = make_tensor_descriptor(x, {(i32)n}, {1}, {64});
    f32 y[64] = descriptor_load(b, {far});
    // DESCRIPTORS: [[@LINE-1]]:37: error: a block's place must be i32, got i64
    auto rows = make_tensor_descriptor(x, {64, 64}, {64, 1}, {1, 64});
    f32 z[16][64] = descriptor_gather(rows, (i64)range(16), 0);
    // DESCRIPTORS: [[@LINE-1]]:50: error: the rows must be i32, got i64[16]
    f32 w[16][64] = descriptor_gather(rows, range(16), far);
    // DESCRIPTORS: [[@LINE-1]]:56: error: the column must be i32, got i64
}
