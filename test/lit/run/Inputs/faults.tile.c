kernel void outside(const f32 *x, f32 *y, i32 n)
{
    i32 i[256] = program_id(0) * 256 + range(256);
    f32 v[256] = load(x + i, i < n, 0);
    store(y + i, v + 1, i < n);
}

// A load so far past a buffer that another allocation is nearer.
kernel void far(const f32 *x, f32 *y)
{
    i64 i[64] = range(64);
    f32 v[64] = load(x + i + 1000000);
    store(y + i, v);
}

kernel void endless(i32 *x)
{
    i32 v = 1;
    while (v != 0) {
        v = atomic_add(x, 1) + 1;
        v = v | 1;
    }
    *x = v;
}

kernel void waits(i32 *x)
{
    while (load(x, .volatile = true) == 0)
        ;
}
