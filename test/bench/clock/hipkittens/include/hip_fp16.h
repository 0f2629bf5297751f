// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What HipKittens' headers need of HIP's half; see ../../include/hip/hip_runtime.h.
#pragma once
#include <hip/hip_fp16.h>

struct __half2 {
    __half x, y;
};

static inline __device__ __half2 __float22half2_rn(float2 value)
{
    return {(__half)value.x, (__half)value.y};
}

static inline __device__ float2 __half22float2(__half2 value)
{
    return {value.x, value.y};
}
