// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See hip_runtime.h.
#pragma once
#include <hip/hip_runtime.h>

typedef _Float16 half, __half;

static inline __device__ half __float2half(float value)
{
    return (half)value;
}

static inline __device__ float __half2float(half value)
{
    return value;
}
