// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests of streams: kernels, memory, and a gate that blocks a stream until the test opens it.
// Include cmocka's headers before this one.
//
// There is one gate, so only one stream at a time can be blocked.
#ifndef TEST_SIM_HIP_STREAMS_H
#define TEST_SIM_HIP_STREAMS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "hip_sim/entry.h"

#define NOT_READY 600
#define GATE 1u // value of an open gate's word

static hipModule_t module;
static hipFunction_t reverse, bad_word; // reverse: out[i] = in[255 - i], 256 work-items
static int *a, *b;
static uint32_t *gate;

static inline void block_stream(hipStream_t stream)
{
    __atomic_store_n(gate, 0, __ATOMIC_RELEASE);
    assert_int_equal(hipStreamWaitValue32(stream, gate, GATE, 1, UINT32_MAX), 0);
}

static inline void open_gate(void)
{
    __atomic_store_n(gate, GATE, __ATOMIC_RELEASE);
}

static inline int launch(hipFunction_t function, hipStream_t stream, int *out, int *in)
{
    void *arguments[] = {out, in};
    size_t size = sizeof arguments;
    void *extra[] = {(void *)1, arguments, (void *)2, &size, (void *)3};
    return hipModuleLaunchKernel(function, 1, 1, 1, 256, 1, 1, 0, stream, NULL, extra);
}

static inline void fill(int *values)
{
    for (int i = 0; i < 256; i++)
        values[i] = i;
}

static inline int load(void **state)
{
    (void)state;
    return kilnSimSetOption("async", "1") ||
           hipModuleLoad(&module, KILN_BINARY_DIR "/test/sim_kernels/launch.hsaco") ||
           hipModuleGetFunction(&reverse, module, "reverse") ||
           hipModuleGetFunction(&bad_word, module, "bad_word") || hipMalloc((void **)&a, 1024) ||
           hipMalloc((void **)&b, 1024) || hipHostMalloc((void **)&gate, 64, 0);
}

static inline int unload(void **state)
{
    (void)state;
    return hipFree(a) || hipFree(b) || hipHostFree(gate) || hipModuleUnload(module);
}

#endif
