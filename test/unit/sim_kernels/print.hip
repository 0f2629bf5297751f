// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For sim_print_test.c: kernels that print through a buffer (-mprintf-kind=buffered), and some that spoil it. What clang makes of printf calls
// __printf_alloc, which is the device library's, and this file's here.
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define GLOBAL __attribute__((address_space(1)))

enum { HIDDEN_PRINTF_BUFFER = 72 }; // code object version 5

extern "C" __device__ int printf(const char *format, ...);

static __device__ GLOBAL unsigned *buffer()
{
    typedef GLOBAL unsigned *pointer_t;
    return *(__attribute__((address_space(4))) pointer_t *)((__attribute__((address_space(4))) char *)__builtin_amdgcn_implicitarg_ptr() +
                                                            HIDDEN_PRINTF_BUFFER);
}

extern "C" __device__ __attribute__((used, noinline)) GLOBAL char *__printf_alloc(unsigned bytes)
{
    GLOBAL unsigned *at = buffer();
    unsigned taken = __hip_atomic_load(at, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    do {
        if (taken + bytes > at[1])
            return nullptr;
    } while (!__hip_atomic_compare_exchange_strong(at, &taken, taken + bytes, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                                   __HIP_MEMORY_SCOPE_AGENT));
    return (GLOBAL char *)(at + 2) + taken;
}

extern "C" __global__ void print(int *results, const char *text, const char *format)
{
    const int lane = (int)__builtin_amdgcn_workitem_id_x();
    results[lane] = printf("lane %d of %s: %.2f, 100%%\n", lane, "two", 1.5 * lane);
    if (lane)
        return;
    printf("[%s] %hhd %hd %u %ld %c %p\n", text, (signed char)-1, (short)-2, -3u, -4L, 'x', (void *)0x1234);
    printf(format, 42, 2.5f); // clang does not know which of the arguments are strings
    printf("%-6d|%*d|%s\n", 7, 5, 8, (const char *)nullptr);
    printf("no arguments\n");
}

extern "C" __global__ void print_nothing(int *results)
{
    *results = 1;
}

// Until the buffer is full: how many lines were printed.
extern "C" __global__ void print_much(int *results)
{
    int lines = 0;
    while (!printf("%d\n", lines))
        lines++;
    *results = lines;
}

extern "C" __global__ void print_and_trap(int *results)
{
    printf("before the trap\n");
    __builtin_trap();
}

// A record of the host's making, which is said to be so long.
extern "C" __global__ void spoil(const unsigned *words, unsigned count, unsigned taken)
{
    GLOBAL unsigned *at = buffer();
    at[0] = taken;
    for (unsigned i = 0; i < count; i++)
        at[2 + i] = words[i];
    if (count == ~0u)
        printf("formats make the buffer\n");
}
