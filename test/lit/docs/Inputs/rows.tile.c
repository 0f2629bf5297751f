kernel void rows(const f32 *x, f32 *out, i32 n)
{
    i32 i[1024] = program_id(0) * n + range(1024);
    store(out + range(1024), load(x + i));
}
