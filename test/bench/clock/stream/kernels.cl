// One-line loops over doubles, one element per work-item, as in streaming benchmarks. LENGTH, if defined, wraps the index at that
// number of elements, so that the arrays stay in a cache. Written for this set from what each loop computes; no code is copied.
//
// The index is an int and the group's size is a hidden argument, as in a HIP kernel that uses blockIdx.x * blockDim.x + threadIdx.x.
#define KERNEL __attribute__((amdgpu_flat_work_group_size(1, 1024))) __kernel void

static inline int element(void)
{
    int index = (int)(__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x());
#ifdef LENGTH
    index %= LENGTH;
#endif
    return index;
}

KERNEL init(__global double *a, long count)
{
    int i = element();
    if (i < count)
        a[i] = 0.23;
}

// The store is never executed, because b contains zeros. It keeps the load alive.
KERNEL read(__global double *a, __global const double *restrict b, long count)
{
    int i = element();
    if (i < count && b[i] == 123.0)
        a[i] = 1.0;
}

KERNEL scale(__global double *a, __global const double *restrict b, long count)
{
    int i = element();
    if (i < count)
        a[i] = 1.2 * b[i];
}

KERNEL triad(__global double *a, __global const double *restrict b, __global const double *restrict c,
             __global const double *restrict d, long count)
{
    int i = element();
    if (i < count)
        a[i] = b[i] * d[i] + c[i];
}

KERNEL stencil3(__global double *a, __global const double *restrict b, long count)
{
    int i = element();
    if (i > 0 && i < count - 1)
        a[i] = 0.5 * (b[i - 1] + b[i + 1]) - b[i];
}

KERNEL stencil5(__global double *a, __global const double *restrict b, long count)
{
    int i = element();
    if (i > 1 && i < count - 2)
        a[i] = 0.25 * (b[i - 2] + b[i - 1]) + 0.5 * (b[i + 1] + b[i + 2]) - b[i];
}
