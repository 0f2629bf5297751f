// Sums of the columns of a row of blocks.
f32[B] block(const f16 *x, i32 k, constexpr i32 B)
{
    return load(x + k * B + range(B));
}
