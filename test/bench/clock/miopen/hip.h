// The declarations that MIOpen's transposes and direct kernels need from HIP, to compile them for
// gfx942 without an installation of ROCm.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(threads, waves)                                                          \
    __attribute__((amdgpu_flat_work_group_size(1, threads), amdgpu_waves_per_eu(waves)))

typedef unsigned char uchar, uint8_t;
typedef signed char int8_t;
typedef unsigned short ushort, uint16_t;
typedef unsigned int uint, uint32_t;
typedef int int32_t;
typedef unsigned long size_t, uint64_t;

#define VECTORS(T)                                                                                 \
    struct T##2                                                                                    \
    {                                                                                              \
        T x, y;                                                                                    \
    };                                                                                             \
    struct T##4                                                                                    \
    {                                                                                              \
        T x, y, z, w;                                                                              \
    };                                                                                             \
    static inline __device__ T##2 make_##T##2(T x, T y)                                            \
    {                                                                                              \
        return {x, y};                                                                             \
    }                                                                                              \
    static inline __device__ T##4 make_##T##4(T x, T y, T z, T w)                                  \
    {                                                                                              \
        return {x, y, z, w};                                                                       \
    }
VECTORS(uchar)
VECTORS(ushort)
VECTORS(float)

#define INDEX(name, id)                                                                            \
    struct name##_t {                                                                              \
        __device__ unsigned get() const { return __builtin_amdgcn_##id##_id_x(); }                 \
        __declspec(property(get = get)) unsigned x;                                                \
    };                                                                                             \
    extern const __device__ name##_t name;
INDEX(threadIdx, workitem)
INDEX(blockIdx, workgroup)

struct blockDim_t {
    __device__ unsigned get() const { return __builtin_amdgcn_workgroup_size_x(); }
    __declspec(property(get = get)) unsigned x;
};
extern const __device__ blockDim_t blockDim;

typedef _Float16 half;

static inline __device__ half __float2half(float x)
{
    return (half)x;
}

static inline __device__ float __half2float(half x)
{
    return x;
}

// Used only in templates that are never instantiated.
static inline __device__ int printf(const char *, ...);

static inline __device__ unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long)a * b >> 32);
}

static inline __device__ void __syncthreads()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
