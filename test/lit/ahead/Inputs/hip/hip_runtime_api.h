// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The few declarations of HIP's header that these tests need, for machines that have none: names, types and values are
// HIP's. Where there is a real one, it serves as well.
#ifndef TEST_HIP_RUNTIME_API_H
#define TEST_HIP_RUNTIME_API_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hipError_t { hipSuccess = 0, hipErrorInvalidValue = 1 } hipError_t;
typedef enum hipMemcpyKind { hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost = 2 } hipMemcpyKind;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipStream_t *hipStream_t;

hipError_t hipMalloc(void **pointer, size_t size);
hipError_t hipFree(void *pointer);
hipError_t hipMemcpy(void *to, const void *from, size_t size, hipMemcpyKind kind);
hipError_t hipDeviceSynchronize(void);
hipError_t hipModuleLoad(hipModule_t *module, const char *path);
hipError_t hipModuleLoadData(hipModule_t *module, const void *image);
hipError_t hipModuleUnload(hipModule_t module);
hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name);
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gridX, unsigned gridY, unsigned gridZ,
                                 unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                                 hipStream_t stream, void **arguments, void **extra);
const char *hipGetErrorString(hipError_t error);

#ifdef __cplusplus
}
#endif
#endif
