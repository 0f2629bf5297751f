// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For sim_heap_test.c: malloc and free of kernels, by ROCm's device library.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

typedef unsigned long u64;
extern "C" __device__ u64 __ockl_dm_alloc(u64 size);
extern "C" __device__ void __ockl_dm_dealloc(u64 address);

// Each work-item, into and from a place of its own.
extern "C" __global__ void heap_allocate(u64 *out, u64 size)
{
    out[__builtin_amdgcn_workitem_id_x()] = __ockl_dm_alloc(size);
}

// What was freed is written, after it was accessed before.
extern "C" __global__ void heap_use_freed(u64 *out, u64 size)
{
    volatile u64 *p = (volatile u64 *)__ockl_dm_alloc(size);
    p[0] = out[0] = (u64)p;
    __ockl_dm_dealloc((u64)p);
    p[1] = 3;
}

extern "C" __global__ void heap_free(u64 *in, u64 offset)
{
    __ockl_dm_dealloc(in[__builtin_amdgcn_workitem_id_x()] + offset);
}
