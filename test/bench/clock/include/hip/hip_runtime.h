// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The declarations that kernels of the sets need from HIP, to compile them for gfx942 by clang
// without an installation of ROCm. Written from HIP's documentation; no code is copied.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define LAUNCH_BOUNDS_1(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define LAUNCH_BOUNDS_2(threads, waves)                                                            \
    __attribute__((amdgpu_flat_work_group_size(1, threads), amdgpu_waves_per_eu(waves)))
#define LAUNCH_BOUNDS(first, second, macro, ...) macro
#define __launch_bounds__(...)                                                                     \
    LAUNCH_BOUNDS(__VA_ARGS__, LAUNCH_BOUNDS_2, LAUNCH_BOUNDS_1, )(__VA_ARGS__)

typedef unsigned char uchar, uint8_t;
typedef signed char int8_t;
typedef unsigned short ushort, uint16_t;
typedef short int16_t;
typedef unsigned int uint, uint32_t;
typedef int int32_t;
typedef unsigned long size_t, uint64_t, uintptr_t;
typedef long int64_t;
typedef long ptrdiff_t;

struct __attribute__((aligned(16))) float4 {
    float x, y, z, w;
};

#define INDEX(name, id)                                                                            \
    struct name##_t {                                                                              \
        __device__ unsigned get_x() const { return __builtin_amdgcn_##id##_x(); }                  \
        __device__ unsigned get_y() const { return __builtin_amdgcn_##id##_y(); }                  \
        __device__ unsigned get_z() const { return __builtin_amdgcn_##id##_z(); }                  \
        __declspec(property(get = get_x)) unsigned x;                                              \
        __declspec(property(get = get_y)) unsigned y;                                              \
        __declspec(property(get = get_z)) unsigned z;                                              \
    };                                                                                             \
    extern const __device__ name##_t name;
INDEX(threadIdx, workitem_id)
INDEX(blockIdx, workgroup_id)
INDEX(blockDim, workgroup_size)

// The grid's size in groups; AMD's dispatch packet has work-items.
struct gridDim_t {
    __device__ unsigned get_x() const
    {
        return __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x();
    }
    __device__ unsigned get_y() const
    {
        return __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y();
    }
    __declspec(property(get = get_x)) unsigned x;
    __declspec(property(get = get_y)) unsigned y;
};
extern const __device__ gridDim_t gridDim;

static constexpr int warpSize = 64;

static inline __device__ void __syncthreads()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

static inline __device__ float __uint_as_float(unsigned bits)
{
    return __builtin_bit_cast(float, bits);
}

static inline __device__ unsigned __float_as_uint(float value)
{
    return __builtin_bit_cast(unsigned, value);
}

static inline __device__ int __lane_id()
{
    return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
}

// Values of four bytes from another lane of the same segment of `width` lanes.
template <typename T> static inline __device__ T shuffle(T value, int lane)
{
    static_assert(sizeof(T) == 4, "only values of four bytes");
    const int bits = __builtin_bit_cast(int, value);
    return __builtin_bit_cast(T, __builtin_amdgcn_ds_bpermute(lane << 2, bits));
}

template <typename T> static inline __device__ T __shfl(T value, int source, int width = warpSize)
{
    return shuffle(value, (source & (width - 1)) + (__lane_id() & ~(width - 1)));
}

template <typename T>
static inline __device__ T __shfl_down(T value, unsigned delta, int width = warpSize)
{
    const int self = __lane_id();
    return shuffle(value, (int)((self & (width - 1)) + delta) >= width ? self : self + (int)delta);
}

template <typename T> static inline __device__ T __shfl_xor(T value, int mask, int width = warpSize)
{
    const int self = __lane_id(), other = self ^ mask;
    return shuffle(value, other >= ((self + width) & ~(width - 1)) ? self : other);
}

static inline __device__ unsigned long __ballot(int predicate)
{
    return __builtin_amdgcn_ballot_w64(predicate != 0);
}

static inline __device__ float sqrtf(float value)
{
    return __builtin_sqrtf(value);
}

static inline __device__ float fabsf(float value)
{
    return __builtin_fabsf(value);
}
