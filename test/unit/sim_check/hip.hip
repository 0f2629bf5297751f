// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP kernels whose machine code by clang 22 is sim_check/hip.s, in which sim_foreign_test.c plants bugs. All take a source of
// 2048 floats, a destination and a count, and run with two workgroups of 256.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define X __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));

static __device__ void sync()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

static __device__ float lane_sum(float x)
{
    for (unsigned step = 1; step < 64; step *= 2)
        x += __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute((int)((X % 64 ^ step) * 4), __builtin_bit_cast(int, x)));
    return x;
}

extern "C" __global__ void reduce(const float *source, float *destination, int n)
{
    __shared__ float parts[4];
    float sum = 0;
    for (int i = (int)X; i < n; i += 256)
        sum += source[i];
    sum = lane_sum(sum);
    if (X % 64 == 0)
        parts[X / 64] = sum;
    sync();
    if (X == 0)
        destination[GROUP] = parts[0] + parts[1] + parts[2] + parts[3];
}

extern "C" __global__ void scan(const float *source, float *destination, int n)
{
    __shared__ float row[2][256];
    unsigned from = 0;
    row[0][X] = source[GROUP * 256 + X];
    sync();
    for (unsigned step = 1; step < 256; step *= 2) {
        float x = row[from][X];
        if (X >= step)
            x += row[from][X - step];
        from ^= 1;
        row[from][X] = x;
        sync();
    }
    destination[GROUP * 256 + X] = row[from][X];
}

extern "C" __global__ void histogram(const float *source, float *destination, int n)
{
    __shared__ int bins[64];
    if (X < 64)
        bins[X] = 0;
    sync();
    for (int i = (int)X; i < n; i += 256)
        __atomic_fetch_add(&bins[(int)source[i] & 63], 1, __ATOMIC_RELAXED);
    sync();
    if (X < 64)
        __atomic_fetch_add((int *)destination + X, bins[X], __ATOMIC_RELAXED);
}

extern "C" __global__ void turn(const float *source, float *destination, int n)
{
    __shared__ float tile[16][17];
    unsigned row = X / 16, column = X % 16;
    for (int i = 0; i < 4; i++) {
        tile[row][column] = source[i * 256 + X];
        sync();
        destination[(GROUP * 4 + i) * 256 + X] = tile[column][row];
        sync();
    }
}

extern "C" __global__ void multiply(const float *source, float *destination, int n)
{
    f16x4 a, b;
    f32x4 c = {0, 0, 0, 0};
    for (int k = 0; k < n; k += 1024) {
        for (int i = 0; i < 4; i++) {
            a[i] = (_Float16)source[k + X * 4 + i];
            b[i] = (_Float16)source[k + X * 4 + 3 - i];
        }
        c = __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
    }
    float most = c[0];
    for (int i = 1; i < 4; i++)
        most = __builtin_fmaxf(most, c[i]);
    destination[GROUP * 256 + X] = __builtin_amdgcn_exp2f(most * 1e-6f) + __builtin_amdgcn_rcpf(most + 2);
}
