// Three memory-bound kernels of eager PyTorch, written for this set from what they compute and how they are launched; no code is copied.
#define least(a, b) __builtin_elementwise_min(a, b)
#define largest(a, b) __builtin_elementwise_max(a, b)
#define KERNEL __attribute__((amdgpu_flat_work_group_size(256, 256))) __kernel void

// Four adjacent elements per work-item.
KERNEL scale(__global float4 *out, __global const float4 *restrict in, float by, long count)
{
    long i = (long)__builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
    if (4 * i < count)
        out[i] = in[i] * by;
}

// Pooling of windows of 3x3x3 in steps of 2 over cubes, one result per work-item: a group computes 32 columns of 8 rows. SIDE and OUT are the lengths of
// a cube's edges before and after, one element is padded on each side, and elements of a window are DILATION apart.
#define WHERE                                                                                                                              \
    int column = __builtin_amdgcn_workgroup_id_x() * 32 + __builtin_amdgcn_workitem_id_x();                                                \
    int row = __builtin_amdgcn_workgroup_id_y() * 8 + __builtin_amdgcn_workitem_id_y();                                                    \
    int frame = __builtin_amdgcn_workgroup_id_z() % OUT;                                                                                   \
    long cube = __builtin_amdgcn_workgroup_id_z() / OUT;                                                                                   \
    if (column >= OUT || row >= OUT)                                                                                                       \
        return;                                                                                                                            \
    int z0 = frame * 2 - 1, y0 = row * 2 - 1, x0 = column * 2 - 1;                                                                         \
    in += cube * SIDE * SIDE * SIDE;                                                                                                       \
    long to = ((cube * OUT + frame) * OUT + row) * OUT + column

// Means, including the padding.
#define SIDE 64
#define OUT 32
KERNEL average_pool(__global float *out, __global const float *restrict in)
{
    WHERE;
    int z1 = least(z0 + 3, SIDE + 1), y1 = least(y0 + 3, SIDE + 1), x1 = least(x0 + 3, SIDE + 1);
    float count = (float)((z1 - z0) * (y1 - y0) * (x1 - x0)), sum = 0;
    z1 = least(z1, SIDE), y1 = least(y1, SIDE), x1 = least(x1, SIDE);
    for (int z = largest(z0, 0); z < z1; z++)
        for (int y = largest(y0, 0); y < y1; y++)
            for (int x = largest(x0, 0); x < x1; x++)
                sum += in[((long)z * SIDE + y) * SIDE + x];
    out[to] = sum / count;
}
#undef OUT

// The maximum and its index.
#define OUT 30
#define DILATION 3
KERNEL most_pool(__global float *out, __global long *places, __global const float *restrict in)
{
    WHERE;
    z0 += z0 < 0 ? DILATION : 0, y0 += y0 < 0 ? DILATION : 0, x0 += x0 < 0 ? DILATION : 0;
    int z1 = least(frame * 2 + 2 * DILATION, SIDE), y1 = least(row * 2 + 2 * DILATION, SIDE), x1 = least(column * 2 + 2 * DILATION, SIDE);
    long place = ((long)z0 * SIDE + y0) * SIDE + x0;
    float most = -INFINITY;
    for (int z = z0; z < z1; z += DILATION)
        for (int y = y0; y < y1; y += DILATION)
            for (int x = x0; x < x1; x += DILATION) {
                long at = ((long)z * SIDE + y) * SIDE + x;
                float value = in[at];
                if (value > most || value != value) {
                    most = value;
                    place = at;
                }
            }
    out[to] = most;
    places[to] = place;
}
