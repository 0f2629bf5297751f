// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What HipKittens' headers need of HIP's bfloat16; see ../../include/hip/hip_runtime.h.
#pragma once
#include <hip/hip_runtime.h>

struct __hip_bfloat16 {
    unsigned short bits;
    __hip_bfloat16() = default;
    __host__ __device__ constexpr __hip_bfloat16(float value)
        : bits((unsigned short)(__builtin_bit_cast(unsigned, value) >> 16))
    {
    }
    __host__ __device__ operator float() const
    {
        return __builtin_bit_cast(float, (unsigned)bits << 16);
    }
};

struct __hip_bfloat162 {
    __hip_bfloat16 x, y;
};

static inline __device__ __hip_bfloat16 __float2bfloat16(float value)
{
    return __builtin_bit_cast(__hip_bfloat16, (__bf16)value);
}

static inline __device__ float __bfloat162float(__hip_bfloat16 value)
{
    return value;
}

static inline __device__ __hip_bfloat162 __float22bfloat162_rn(float2 value)
{
    return {__float2bfloat16(value.x), __float2bfloat16(value.y)};
}

static inline __device__ float2 __bfloat1622float2(__hip_bfloat162 value)
{
    return {value.x, value.y};
}
