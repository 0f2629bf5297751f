// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The HIP entry points that libkiln-sim.so exports, by file. libkiln-sim.map exports hip* and kilnSim*.
#ifndef KILN_SIM_HIP_ENTRY_H
#define KILN_SIM_HIP_ENTRY_H

#include "hip/api.h"

// hip/device.c
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
HIP_API hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags);
HIP_API hipError_t hipDeviceDisablePeerAccess(int peer);
HIP_API hipError_t hipDeviceGetP2PAttribute(int *value, int attribute, int device, int peer);
HIP_API hipError_t hipDeviceGetLimit(size_t *value, int limit);
HIP_API hipError_t hipDeviceSetLimit(int limit, size_t value);
HIP_API hipError_t hipDeviceGetCacheConfig(int *config);
HIP_API hipError_t hipDeviceSetCacheConfig(int config);
HIP_API hipError_t hipDeviceGetSharedMemConfig(int *config);
HIP_API hipError_t hipDeviceSetSharedMemConfig(int config);
HIP_API hipError_t hipFuncSetSharedMemConfig(const void *function, int config);
HIP_API hipError_t hipDeviceGetByPCIBusId(int *device, const char *text);
HIP_API hipError_t hipChooseDevice(int *device, const void *properties);
HIP_API hipError_t hipChooseDeviceR0600(int *device, const void *properties);
HIP_API hipError_t hipProfilerStart(void);
HIP_API hipError_t hipProfilerStop(void);

// hip/error.c
HIP_API const char *hipGetErrorName(hipError_t error);
HIP_API const char *hipGetErrorString(hipError_t error);
HIP_API hipError_t hipDrvGetErrorName(hipError_t error, const char **text);
HIP_API hipError_t hipDrvGetErrorString(hipError_t error, const char **text);
HIP_API hipError_t hipGetLastError(void);
HIP_API hipError_t hipPeekAtLastError(void);

// hip/memory.c
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

// hip/pointer.c
HIP_API hipError_t hipPointerGetAttribute(void *data, int attribute, hipDeviceptr_t pointer);
HIP_API hipError_t hipDrvPointerGetAttributes(unsigned count, int *attributes, void **data, hipDeviceptr_t pointer);
HIP_API hipError_t hipMemPtrGetInfo(void *pointer, size_t *size);
HIP_API hipError_t hipMemAllocHost(void **pointer, size_t size);

// hip/copy.c
HIP_API hipError_t hipMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                    size_t height, int kind, hipStream_t stream);
HIP_API hipError_t hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                               size_t height, int kind);
HIP_API hipError_t hipMemcpyParam2DAsync(const hip_copy_2d_t *p, hipStream_t stream);
HIP_API hipError_t hipMemcpyParam2D(const hip_copy_2d_t *p);
HIP_API hipError_t hipMemcpy3DAsync(const hip_copy_3d_t *p, hipStream_t stream);
HIP_API hipError_t hipMemcpy3D(const hip_copy_3d_t *p);
HIP_API hipError_t hipDrvMemcpy3DAsync(const hip_driver_copy_3d_t *p, hipStream_t stream);
HIP_API hipError_t hipDrvMemcpy3D(const hip_driver_copy_3d_t *p);
HIP_API hipError_t hipMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                      hipStream_t stream);
HIP_API hipError_t hipMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);
HIP_API hipError_t hipMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, hipStream_t stream);
HIP_API hipError_t hipMemset2D(void *to, size_t pitch, int value, size_t width, size_t height);
HIP_API hipError_t hipMemset3DAsync(hip_pitched_pointer_t to, int value, hip_extent_t extent, hipStream_t stream);
HIP_API hipError_t hipMemset3D(hip_pitched_pointer_t to, int value, hip_extent_t extent);
HIP_API hipError_t hipMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
HIP_API hipError_t hipMemAllocPitch(hipDeviceptr_t *pointer, size_t *pitch, size_t width, size_t height,
                                    unsigned element);
HIP_API hipError_t hipMalloc3D(hip_pitched_pointer_t *pointer, hip_extent_t extent);
HIP_API hipError_t hipMemcpyToSymbolAsync(const void *host, const void *from, size_t bytes, size_t offset, int kind,
                                          hipStream_t stream);
HIP_API hipError_t hipMemcpyFromSymbolAsync(void *to, const void *host, size_t bytes, size_t offset, int kind,
                                            hipStream_t stream);
HIP_API hipError_t hipMemPrefetchAsync(const void *pointer, size_t bytes, int device, hipStream_t stream);
HIP_API hipError_t hipMemAdvise(const void *pointer, size_t bytes, int advice, int device);
HIP_API hipError_t hipStreamAttachMemAsync(hipStream_t stream, void *pointer, size_t length, unsigned flags);
HIP_API hipError_t hipStreamWaitValue32(hipStream_t stream, void *pointer, uint32_t value, unsigned flags,
                                        uint32_t mask);
HIP_API hipError_t hipStreamWaitValue64(hipStream_t stream, void *pointer, uint64_t value, unsigned flags,
                                        uint64_t mask);
HIP_API hipError_t hipStreamWriteValue32(hipStream_t stream, void *pointer, uint32_t value, unsigned flags);
HIP_API hipError_t hipStreamWriteValue64(hipStream_t stream, void *pointer, uint64_t value, unsigned flags);

// hip/pool.c
HIP_API hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int device);
HIP_API hipError_t hipDeviceGetMemPool(hipMemPool_t *pool, int device);
HIP_API hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool);
HIP_API hipError_t hipMemPoolCreate(hipMemPool_t *pool, const void *properties);
HIP_API hipError_t hipMemPoolDestroy(hipMemPool_t pool);
HIP_API hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t keep);
HIP_API hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, int attribute, void *value);
HIP_API hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, int attribute, void *value);
HIP_API hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const void *list, size_t count);
HIP_API hipError_t hipMemPoolGetAccess(int *flags, hipMemPool_t pool, const void *location);
HIP_API hipError_t hipMallocFromPoolAsync(void **pointer, size_t size, hipMemPool_t pool, hipStream_t stream);

// hip/graph.c
HIP_API hipError_t hipGraphCreate(hipGraph_t *graph, unsigned flags);
HIP_API hipError_t hipGraphDestroy(hipGraph_t graph);
HIP_API hipError_t hipGraphClone(hipGraph_t *copy, hipGraph_t graph);
HIP_API hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count);
HIP_API hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count);
HIP_API hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to,
                                           size_t count);
HIP_API hipError_t hipGraphNodeGetType(hipGraphNode_t node, int *type);
HIP_API hipError_t hipGraphAddEmptyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after,
                                        size_t count);
HIP_API hipError_t hipGraphAddKernelNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after,
                                         size_t count, const hip_kernel_node_t *p);
HIP_API hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hip_kernel_node_t *p);
HIP_API hipError_t hipGraphAddMemcpyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after,
                                         size_t count, const hip_copy_3d_t *p);
HIP_API hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after,
                                            size_t count, const hip_driver_copy_3d_t *p, hipCtx_t context);
HIP_API hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after,
                                           size_t count, void *to, const void *from, size_t bytes, int kind);
HIP_API hipError_t hipGraphAddMemsetNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after,
                                         size_t count, const hip_fill_node_t *p);
HIP_API hipError_t hipGraphAddHostNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after,
                                       size_t count, const hip_host_node_t *p);
HIP_API hipError_t hipGraphAddEventRecordNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after,
                                              size_t count, hipEvent_t event);
HIP_API hipError_t hipGraphAddEventWaitNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after,
                                            size_t count, hipEvent_t event);
HIP_API hipError_t hipGraphAddChildGraphNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after,
                                             size_t count, hipGraph_t child);
HIP_API hipError_t hipGraphExecDestroy(hipGraphExec_t exec);
HIP_API hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t graph, unsigned long long flags);
HIP_API hipError_t hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *bad, char *log,
                                       size_t log_size);
HIP_API hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream);
HIP_API hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream);
HIP_API hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                   const hip_kernel_node_t *p);
HIP_API hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void *to,
                                                     const void *from, size_t bytes, int kind);
HIP_API hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hip_fill_node_t *p);
HIP_API hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t *bad, int *result);

// hip/stream.c
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
HIP_API hipError_t hipStreamBeginCapture(hipStream_t stream, int mode);
HIP_API hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph);
HIP_API hipError_t hipStreamGetCaptureInfo(hipStream_t stream, int *status, unsigned long long *id);
HIP_API hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, int *status, unsigned long long *id,
                                              hipGraph_t *graph, const hipGraphNode_t **after, size_t *after_count);
HIP_API hipError_t hipThreadExchangeStreamCaptureMode(int *mode);
HIP_API hipError_t hipExtStreamCreateWithCUMask(hipStream_t *stream, uint32_t words, const uint32_t *mask);

// HIP_LAUNCH_CONFIG and hipLaunchAttribute of HIP 6.5.
typedef struct hip_launch_attribute {
    int id;
    union {
        char bytes[64];
        int cooperative;
        unsigned cluster[3];
    } value __attribute__((aligned(8)));
} hip_launch_attribute_t;

typedef struct hip_launch_config {
    unsigned grid[3], block[3], dynamic_lds;
    hipStream_t stream;
    const hip_launch_attribute_t *attributes;
    unsigned attribute_count;
} hip_launch_config_t;

// hip/module.c
HIP_API hipError_t hipModuleLoadData(hipModule_t *module, const void *image);
HIP_API hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned count, int *options,
                                       void **values);
HIP_API hipError_t hipModuleLoad(hipModule_t *module, const char *path);
HIP_API hipError_t hipModuleUnload(hipModule_t module);
HIP_API hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name);
HIP_API hipError_t hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *bytes, hipModule_t module, const char *name);
HIP_API hipError_t hipFuncGetAttribute(int *value, int attribute, hipFunction_t function);
HIP_API hipError_t hipFuncSetAttribute(const void *host, int attribute, int value);
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
HIP_API hipError_t hipDrvLaunchKernelEx(const hip_launch_config_t *config, hipFunction_t function, void **params,
                                        void **extra);
HIP_API hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y,
                                            uint32_t items_z, uint32_t block_x, uint32_t block_y, uint32_t block_z,
                                            size_t dynamic_lds, hipStream_t stream, void **params, void **extra,
                                            hipEvent_t start, hipEvent_t stop, uint32_t flags);
HIP_API hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, hipFunction_t function,
                                                                               int block_size, size_t dynamic_lds,
                                                                               unsigned flags);
HIP_API hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *grid, int *block, hipFunction_t function,
                                                           size_t dynamic_lds, int block_limit);
HIP_API hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, hipFunction_t function,
                                                                    size_t dynamic_lds, int block_limit,
                                                                    unsigned flags);

// hip/program.c
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
HIP_API void __hipRegisterManagedVar(void *owner, void **pointer, void *initial, const char *name, size_t size,
                                     unsigned align);
HIP_API void __hipRegisterTexture(void **owner, void *host, char *host_name, char *name, int type, int normalized,
                                  int external);
HIP_API void __hipRegisterSurface(void **owner, void *host, char *host_name, char *name, int type, int external);
HIP_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host, int block_size,
                                                                         size_t lds, unsigned flags);
HIP_API hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *block, const void *host, size_t lds,
                                                     int block_limit);
HIP_API hipError_t hipExtLaunchKernel(const void *host, hip_dim3_t grid, hip_dim3_t block, void **params, size_t lds,
                                      hipStream_t stream, hipEvent_t start, hipEvent_t stop, int flags);
HIP_API hipError_t hipConfigureCall(hip_dim3_t grid, hip_dim3_t block, size_t lds, hipStream_t stream);
HIP_API hipError_t hipSetupArgument(const void *argument, size_t size, size_t offset);
HIP_API hipError_t hipLaunchByPtr(const void *host);
HIP_API const char *hipKernelNameRef(const hipFunction_t function);
HIP_API const char *hipKernelNameRefByPtr(const void *host, hipStream_t stream);

#endif
