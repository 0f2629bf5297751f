// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The declarations that HipKittens' headers need from HIP besides those of
// ../../include/hip/hip_runtime.h, included before them. Functions without a body are named in
// functions that its GEMM does not call.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hip/hip_runtime.h>
#include <stdexcept>
#include <string>

template <typename T, unsigned N> struct HIP_vector_type;
template <> struct __attribute__((aligned(4))) HIP_vector_type<float, 1> {
    float x;
};
template <> struct __attribute__((aligned(8))) HIP_vector_type<float, 2> {
    float x, y;
};
template <> struct __attribute__((aligned(16))) HIP_vector_type<float, 4> {
    float x, y, z, w;
};
typedef HIP_vector_type<float, 2> float2;

struct __attribute__((aligned(8))) int2 {
    int x, y;
};

struct __attribute__((aligned(16))) int4 {
    int x, y, z, w;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

typedef struct ihipStream_t *hipStream_t;
enum hipError_t { hipSuccess };
const char *hipGetErrorString(hipError_t);

template <typename A, typename B> __host__ __device__ inline constexpr auto min(A a, B b)
{
    return a < b ? a : b;
}

template <typename A, typename B> __host__ __device__ inline constexpr auto max(A a, B b)
{
    return a > b ? a : b;
}

#define UNARY(name) template <typename T> __device__ T name(T);
#define BINARY(name) template <typename T> __device__ T name(T, T);
UNARY(__expf)
UNARY(__logf)
UNARY(__log2f)
UNARY(hexp)
UNARY(h2exp)
UNARY(hexp2)
UNARY(h2exp2)
UNARY(hlog)
UNARY(h2log)
UNARY(hlog2)
UNARY(h2log2)
UNARY(__habs)
UNARY(__habs2)
BINARY(__hmax)
BINARY(__hmax2)
BINARY(__hmin)
BINARY(__hmin2)
BINARY(__hadd)
BINARY(__hadd2)
BINARY(__hsub)
BINARY(__hsub2)
BINARY(__hmul)
BINARY(__hmul2)
BINARY(__hdiv)
BINARY(__h2div)
