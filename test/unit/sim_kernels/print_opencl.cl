// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For sim_print_test.c: OpenCL's printf, which LLVM's backend compiles; and a kernel that spoils what it leaves.
enum { HIDDEN_PRINTF_BUFFER = 72 }; // code object version 5

typedef float float2 __attribute__((ext_vector_type(2)));
typedef short short2 __attribute__((ext_vector_type(2)));
typedef uint uint3 __attribute__((ext_vector_type(3)));
typedef long long2 __attribute__((ext_vector_type(2)));
typedef uchar uchar4 __attribute__((ext_vector_type(4)));

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef half half4 __attribute__((ext_vector_type(4)));

int printf(__constant const char *format, ...);

static __global uint *buffer(void)
{
    return *(__global uint *__constant *)((__constant char *)__builtin_amdgcn_implicitarg_ptr() + HIDDEN_PRINTF_BUFFER);
}

__attribute__((used, noinline)) __global char *__printf_alloc(uint bytes)
{
    __global uint *at = buffer();
    uint taken = __atomic_fetch_add(at, bytes, __ATOMIC_RELAXED);
    return (__global char *)(at + 2) + taken;
}

__kernel void print(__global int *results)
{
    const int x = results[0];
    printf("%d: %s, 100%% \"of it\"\n", x, "a string");
    printf("none\n");
    printf("%ld %lu %hd %hhu %c %x|%-5d|%05d\n", -1L - x, 1UL << 40, (short)(x - 7), (uchar)(x + 255), 'x', x + 255, x, x);
    printf("%.2f %g %e\n", (double)(x * 0.5f), 2.5 * x, (double)x);
    printf("%v2hd %v3hlx %v2ld %v4hhu\n", (short2)(1, -2), (uint3)(4, 5, 255), (long2)(-1, 1L << 40), (uchar4)(1, 2, 3, 255));
    printf("%6.2v2hlf|\n", (float2)(1.5f * x, -2.5f));
    printf("%v4hg\n", (half4)(1.5h, -0x1p-24h, 65504.0h, -__builtin_inff()));
    printf("%s%s\n", "", "behind an empty one");
    printf("%p\n", (__global void *)0x1234);
}

// A record of the host's making.
__kernel void spoil(__global const uint *words, uint count, uint taken)
{
    __global uint *at = buffer();
    if (count == ~0u)
        printf("formats make the buffer: %d\n", count);
    at[0] = taken;
    for (uint i = 0; i < count; i++)
        at[2 + i] = words[i];
}
