// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short kernels in assembly, one for each item of a family, in one code object.
//
// A kernel is an LLVM function whose body is one inline assembly, so that LLVM writes descriptors
// and metadata and counts registers. Every wave of 64 lanes is one workgroup. When the text starts:
//
//     s[4:5] inputs   s[6:7] results   s[8:9] memory   s2 workgroup   v0 lane   v1 global lane
//
// and the record of the lane's inputs is in v[8:...]. The same record of lane 0 is in s[40:47] (the
// first 8 dwords), so scalar operands come from there. After the text, result registers are stored
// to the lane's record of results.
#ifndef KILN_VERIFY_KERNELS_H
#define KILN_VERIFY_KERNELS_H

#include "base/gfx942.h"
#include "base/string.h"
#include "verify/verify.h"

typedef struct kiln_verify_kernel {
    const char *text;         // instructions, lines ending in '\n'
    unsigned inputs, results; // dwords of a lane's records: powers of two, multiples of 4
    unsigned first_result;    // VGPR
    unsigned memory; // bytes of the area that one workgroup may access (s[8:9] is the first)
    bool uses_lds;   // 4 KiB, from address 0
} kiln_verify_kernel_t;

enum {
    KILN_VERIFY_GROUPS = 16,    // of a launch
    KILN_VERIFY_FIRST_INPUT = 8 // VGPR
};

typedef struct kiln_verify_kernels kiln_verify_kernels_t;

// Assembles the kernels and loads them on both devices. A failure is stored and becomes the result
// of every run. Returns NULL if out of memory. The result lives until the process ends.
kiln_verify_kernels_t *kiln_verify_kernels_create(kiln_verify_context_t *context,
                                                  const kiln_verify_kernel_t *kernels,
                                                  size_t count);

// The data of one launch on both devices. `memory` is NULL if the kernel uses none.
typedef struct kiln_verify_data {
    uint32_t *inputs, *gpu, *simulator; // records of all lanes, lane by lane
    uint8_t *gpu_memory, *simulator_memory;
    size_t memory_bytes;
} kiln_verify_data_t;

// Allocates the host's side of a launch, with inputs and memory zeroed. NULL if out of memory.
kiln_verify_data_t *kiln_verify_data_create(const kiln_verify_kernel_t *kernel);
void kiln_verify_data_release(kiln_verify_data_t *data);

// Launches kernel `index` on both devices. simulator_memory holds memory's contents before, and
// both hold it after. Sets the result to FAILED and returns false if a device fails, or without
// kernels.
bool kiln_verify_kernels_run(kiln_verify_context_t *context, kiln_verify_kernels_t *kernels,
                             size_t index, kiln_verify_data_t *io_data,
                             kiln_verify_result_t *result);

// A kernel on the GPU and on the simulator, for other launches.
kiln_status_t kiln_verify_kernels_find(kiln_verify_kernels_t *kernels, size_t index,
                                       kiln_function_t **out_gpu, kiln_function_t **out_simulator);

#endif
