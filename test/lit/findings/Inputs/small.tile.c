// Running sums, or look-ups, in a loop that takes a small part of the launch: most is the loop of square roots.
kernel void rarely(const f32 *x, f32 *y, i32 n, i32 roots, constexpr i32 SCANS = 1)
{
    i32 r[64] = range(64), i[64][64] = r[:, None] * 64 + r[None, :];
    f32 s[64][64] = 0;
    for (i32 k = 0; k < n; k++) {
        f32 t[64][64] = load(x + k % 4 * 4096 + i);
        s += SCANS ? cumsum(t, 0) : gather(t, (i + k) % 64, 0);
    }
    for (i32 k = 0; k < roots; k++)
        s = sqrt(s + 1);
    store(y + (i64)program_id(0) * 4096 + i, s);
}
