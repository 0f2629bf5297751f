kernel void scaled(f32 *c, const f32 *scales, constexpr i32 BLOCK_K = 64)
{
    f32 acc[128][64] = 1;
    f32 scale[BLOCK_K] = load(scales + range(BLOCK_K));
    acc = acc * scale[:, None];
    store(c + range(64), sum(acc, 0));
}
