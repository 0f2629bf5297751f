// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common to the simulator's two fuzz targets: a device with small limits, and the launch of
// everything in a module.
//
// Kernels are launched without the caller's parameter list (`params`), which HIP trusts to be as
// long as the metadata states. The simulator can check the size of a block of argument bytes
// instead.
#ifndef KILN_SIM_FUZZ_H
#define KILN_SIM_FUZZ_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hip_sim/entry.h"
#include "load/code_object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size); // libFuzzer's own

#define SIM_FUZZ_BUFFER 65536u

// Call this before the simulator's first use: it reads its environment once.
static inline void sim_fuzz_environment(void)
{
    setenv("KILN_SIM_LIMIT", "3000", 1);
    setenv("KILN_SIM_THREADS", "1", 1);
}

// Device addresses are the same for every input; otherwise the sanitizer's shadow memory would grow
// without bound.
static inline void sim_fuzz_begin(void)
{
    kiln_sim_memory_t *memory = kiln_sim_device()->memory;
    memory->cursor = memory->arena + 4096;
    memory->freed_count = 0;
}

// Checks that a failed call has a message.
static inline void sim_fuzz_explained(hipError_t error)
{
    if (error && kilnSimGetLastErrorMessage()[0] == 0)
        abort();
}

// Launches up to 8 kernels of the module on one buffer.
static inline void sim_fuzz_launch(hipModule_t module, unsigned grid, unsigned block,
                                   unsigned dynamic_lds)
{
    static void *buffer;
    if (!buffer && hipMalloc(&buffer, SIM_FUZZ_BUFFER))
        abort();
    uint64_t arguments[16];
    for (size_t i = 0; i < 16; i++)
        arguments[i] = i < 4 ? (uint64_t)(uintptr_t)buffer : 64;
    size_t size = sizeof arguments;
    void *extra[] = {(void *)1, arguments, (void *)2, &size, (void *)3};
    for (size_t k = 0; k < module->object->kernel_count && k < 8; k++) {
        hipFunction_t function = &module->object->kernels[k];
        sim_fuzz_explained(hipModuleLaunchKernel(function, grid, 1, 1, block, 1, 1, dynamic_lds,
                                                 NULL, NULL, extra));
    }
}

// The pseudo-random numbers of one mutation.
static inline uint32_t sim_fuzz_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 33);
}

#endif
