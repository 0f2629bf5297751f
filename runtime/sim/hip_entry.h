// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The HIP entry points that libkiln-sim.so exports, by file. libkiln-sim.map exports hip* and kilnSim*.
#ifndef KILN_SIM_HIP_ENTRY_H
#define KILN_SIM_HIP_ENTRY_H

#include "hip_api.h"

// hip_device.c
HIP_API hipError_t hipInit(unsigned flags);
HIP_API hipError_t hipDriverGetVersion(int *version);
HIP_API hipError_t hipRuntimeGetVersion(int *version);
HIP_API hipError_t hipGetDeviceCount(int *count);
HIP_API hipError_t hipGetDevice(int *ordinal);
HIP_API hipError_t hipSetDevice(int ordinal);
HIP_API hipError_t hipDeviceGet(hipDevice_t *device, int ordinal);
HIP_API hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device);
HIP_API hipError_t hipDeviceGetUuid(hip_uuid_t *uuid, hipDevice_t device);
HIP_API hipError_t hipDeviceGetPCIBusId(char *text, int length, int device);
HIP_API hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device);
HIP_API hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device);
HIP_API hipError_t hipGetDeviceProperties(void *properties, int ordinal);
HIP_API hipError_t hipGetDevicePropertiesR0600(void *properties, int ordinal);
HIP_API hipError_t hipDeviceGetAttribute(int *value, int attribute, int ordinal);
HIP_API hipError_t hipDeviceSynchronize(void);
HIP_API hipError_t hipDeviceReset(void);
HIP_API hipError_t hipSetDeviceFlags(unsigned flags);
HIP_API hipError_t hipGetDeviceFlags(unsigned *flags);
HIP_API hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest);
HIP_API hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer);
HIP_API hipError_t hipCtxCreate(hipCtx_t *out, unsigned flags, hipDevice_t device);
HIP_API hipError_t hipCtxDestroy(hipCtx_t which);
HIP_API hipError_t hipCtxGetCurrent(hipCtx_t *out);
HIP_API hipError_t hipCtxSetCurrent(hipCtx_t which);
HIP_API hipError_t hipCtxPushCurrent(hipCtx_t which);
HIP_API hipError_t hipCtxPopCurrent(hipCtx_t *out);
HIP_API hipError_t hipCtxGetDevice(hipDevice_t *device);
HIP_API hipError_t hipCtxSynchronize(void);
HIP_API hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *out, hipDevice_t device);
HIP_API hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device);
HIP_API hipError_t hipDevicePrimaryCtxReset(hipDevice_t device);
HIP_API hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned flags);
HIP_API hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned *flags, int *active);
HIP_API hipError_t hipGetProcAddress(const char *name, void **function, int version, uint64_t flags, int *status);

// hip_error.c
HIP_API const char *hipGetErrorName(hipError_t error);
HIP_API const char *hipGetErrorString(hipError_t error);
HIP_API hipError_t hipDrvGetErrorName(hipError_t error, const char **text);
HIP_API hipError_t hipDrvGetErrorString(hipError_t error, const char **text);
HIP_API hipError_t hipGetLastError(void);
HIP_API hipError_t hipPeekAtLastError(void);

// hip_memory.c
HIP_API hipError_t hipMalloc(void **pointer, size_t size);
HIP_API hipError_t hipExtMallocWithFlags(void **pointer, size_t size, unsigned flags);
HIP_API hipError_t hipMallocAsync(void **pointer, size_t size, hipStream_t stream);
HIP_API hipError_t hipMallocManaged(void **pointer, size_t size, unsigned flags);
HIP_API hipError_t hipHostMalloc(void **pointer, size_t size, unsigned flags);
HIP_API hipError_t hipHostAlloc(void **pointer, size_t size, unsigned flags);
HIP_API hipError_t hipMallocHost(void **pointer, size_t size);
HIP_API hipError_t hipFree(void *pointer);
HIP_API hipError_t hipFreeAsync(void *pointer, hipStream_t stream);
HIP_API hipError_t hipHostFree(void *pointer);
HIP_API hipError_t hipFreeHost(void *pointer);
HIP_API hipError_t hipHostRegister(void *pointer, size_t size, unsigned flags);
HIP_API hipError_t hipHostUnregister(void *pointer);
HIP_API hipError_t hipHostGetDevicePointer(void **device_pointer, void *host_pointer, unsigned flags);
HIP_API hipError_t hipHostGetFlags(unsigned *flags, void *pointer);
HIP_API hipError_t hipMemGetInfo(size_t *free_bytes, size_t *total);
HIP_API hipError_t hipMemGetAddressRange(void **base, size_t *size, void *pointer);
HIP_API hipError_t hipPointerGetAttributes(void *attributes, const void *pointer);
HIP_API hipError_t hipMemcpy(void *to, const void *from, size_t bytes, int kind);
HIP_API hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, hipStream_t stream);
HIP_API hipError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes, int kind, hipStream_t stream);
HIP_API hipError_t hipMemcpyHtoD(hipDeviceptr_t to, const void *from, size_t bytes);
HIP_API hipError_t hipMemcpyDtoH(void *to, const hipDeviceptr_t from, size_t bytes);
HIP_API hipError_t hipMemcpyDtoD(hipDeviceptr_t to, const hipDeviceptr_t from, size_t bytes);
HIP_API hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void *from, size_t bytes, hipStream_t stream);
HIP_API hipError_t hipMemcpyDtoHAsync(void *to, const hipDeviceptr_t from, size_t bytes, hipStream_t stream);
HIP_API hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, const hipDeviceptr_t from, size_t bytes, hipStream_t stream);
HIP_API hipError_t hipMemset(void *to, int value, size_t bytes);
HIP_API hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count);
HIP_API hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t count);
HIP_API hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count);
HIP_API hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream);
HIP_API hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count, hipStream_t stream);
HIP_API hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count, hipStream_t stream);
HIP_API hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream);

// hip_stream.c
HIP_API hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags, int priority);
HIP_API hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags);
HIP_API hipError_t hipStreamCreate(hipStream_t *stream);
HIP_API hipError_t hipStreamDestroy(hipStream_t stream);
HIP_API hipError_t hipStreamSynchronize(hipStream_t stream);
HIP_API hipError_t hipStreamQuery(hipStream_t stream);
HIP_API hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags);
HIP_API hipError_t hipStreamGetFlags(hipStream_t stream, unsigned *flags);
HIP_API hipError_t hipStreamGetPriority(hipStream_t stream, int *priority);
HIP_API hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device);
HIP_API hipError_t hipStreamIsCapturing(hipStream_t stream, int *status);
HIP_API hipError_t hipStreamAddCallback(hipStream_t stream, void (*callback)(hipStream_t, hipError_t, void *),
                                        void *data, unsigned flags);
HIP_API hipError_t hipLaunchHostFunc(hipStream_t stream, void (*function)(void *), void *data);
HIP_API hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags);
HIP_API hipError_t hipEventCreate(hipEvent_t *event);
HIP_API hipError_t hipEventDestroy(hipEvent_t event);
HIP_API hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream);
HIP_API hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags);
HIP_API hipError_t hipEventSynchronize(hipEvent_t event);
HIP_API hipError_t hipEventQuery(hipEvent_t event);
HIP_API hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop);

// hip_module.c
HIP_API hipError_t hipModuleLoadData(hipModule_t *module, const void *image);
HIP_API hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned count, int *options,
                                       void **values);
HIP_API hipError_t hipModuleLoad(hipModule_t *module, const char *path);
HIP_API hipError_t hipModuleUnload(hipModule_t module);
HIP_API hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name);
HIP_API hipError_t hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *bytes, hipModule_t module, const char *name);
HIP_API hipError_t hipFuncGetAttribute(int *value, int attribute, hipFunction_t function);
HIP_API hipError_t hipFuncSetAttribute(const void *function, int attribute, int value);
HIP_API hipError_t hipFuncSetCacheConfig(const void *function, int config);
HIP_API hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, hipFunction_t function,
                                                                      int block_size, size_t dynamic_lds);
HIP_API hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                         unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_lds,
                                         hipStream_t stream, void **params, void **extra);
HIP_API hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                                    unsigned grid_z, unsigned block_x, unsigned block_y,
                                                    unsigned block_z, unsigned dynamic_lds, hipStream_t stream,
                                                    void **params);
HIP_API hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y,
                                            uint32_t items_z, uint32_t block_x, uint32_t block_y, uint32_t block_z,
                                            size_t dynamic_lds, hipStream_t stream, void **params, void **extra,
                                            hipEvent_t start, hipEvent_t stop, uint32_t flags);

// hip_program.c
HIP_API void **__hipRegisterFatBinary(const void *data);
HIP_API void __hipRegisterFunction(void **owner, const void *host, char *device_function, const char *name,
                                   unsigned threads, void *tid, void *bid, hip_dim3_t *block, hip_dim3_t *grid,
                                   int *wave_size);
HIP_API void __hipRegisterVar(void **owner, void *host, char *host_name, char *name, int external, size_t size,
                              int constant, int global);
HIP_API void __hipUnregisterFatBinary(void **owner);
HIP_API hipError_t hipGetFuncBySymbol(hipFunction_t *function, const void *host);
HIP_API hipError_t __hipPushCallConfiguration(hip_dim3_t grid, hip_dim3_t block, size_t lds, hipStream_t stream);
HIP_API hipError_t __hipPopCallConfiguration(hip_dim3_t *grid, hip_dim3_t *block, size_t *lds, hipStream_t *stream);
HIP_API hipError_t hipLaunchKernel(const void *host, hip_dim3_t grid, hip_dim3_t block, void **params, size_t lds,
                                   hipStream_t stream);
HIP_API hipError_t hipLaunchCooperativeKernel(const void *host, hip_dim3_t grid, hip_dim3_t block, void **params,
                                              unsigned lds, hipStream_t stream);
HIP_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host, int block_size,
                                                                size_t lds);
HIP_API hipError_t hipGetSymbolAddress(void **address, const void *host);
HIP_API hipError_t hipGetSymbolSize(size_t *size, const void *host);
HIP_API hipError_t hipMemcpyToSymbol(const void *host, const void *from, size_t bytes, size_t offset, int kind);
HIP_API hipError_t hipMemcpyFromSymbol(void *to, const void *host, size_t bytes, size_t offset, int kind);
HIP_API hipError_t hipFuncGetAttributes(void *attributes, const void *host);

#endif
