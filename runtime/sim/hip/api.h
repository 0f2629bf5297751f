// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP's types in the binary layout that its clients were compiled for, and the state behind the entry points.
//
// Everything is synchronous: a call returns when its work is done, so that streams order nothing and events are points
// in simulated time. One lock guards the device; a launch holds it from beginning to end. The device is a
// machine of kiln/sim.h like any other; api/port.h is what HIP knows of it beyond that.
//
// What a reader gets wrong: hipGetDeviceProperties fills the struct of ROCm 5 and before; programs compiled against
// ROCm 6 call hipGetDevicePropertiesR0600, whose struct is another.
#ifndef KILN_SIM_HIP_API_H
#define KILN_SIM_HIP_API_H

#include <pthread.h>
#include <stdint.h>

#include "api/port.h"

#define HIP_API __attribute__((visibility("default")))

typedef int hipError_t;
typedef struct kiln_sim_stream *hipStream_t;
typedef struct kiln_sim_event *hipEvent_t;
typedef struct kiln_sim_module *hipModule_t;
typedef kiln_sim_kernel_t *hipFunction_t;
typedef struct kiln_sim_context *hipCtx_t;
typedef void *hipDeviceptr_t;
typedef int hipDevice_t;

typedef struct kiln_sim_pool *hipMemPool_t;
typedef struct kiln_sim_graph *hipGraph_t;
typedef struct kiln_sim_node *hipGraphNode_t;
typedef struct kiln_sim_graph_exec *hipGraphExec_t;

// Structures of hip/copy.c and hip/graph.c.
typedef struct hip_copy_2d hip_copy_2d_t;
typedef struct hip_copy_3d hip_copy_3d_t;
typedef struct hip_driver_copy_3d hip_driver_copy_3d_t;
typedef struct hip_kernel_node hip_kernel_node_t;
typedef struct hip_fill_node hip_fill_node_t;
typedef struct hip_host_node hip_host_node_t;

enum {
    HIP_INVALID_DEVICE = 101,
    HIP_FILE_NOT_FOUND = 301,
    HIP_INVALID_HANDLE = 400,
    HIP_ILLEGAL_STATE = 401,
    HIP_CAPTURE_UNSUPPORTED = 900,
    HIP_CAPTURE_UNMATCHED = 903
};

typedef struct hip_pitched_pointer {
    void *pointer;
    size_t pitch, x, y;
} hip_pitched_pointer_t;

typedef struct hip_extent {
    size_t width, height, depth;
} hip_extent_t;

typedef struct hip_dim3 {
    uint32_t x, y, z;
} hip_dim3_t;

typedef struct hip_uuid {
    char bytes[16];
} hip_uuid_t;

typedef struct kiln_sim_module {
    uint32_t magic;
    kiln_sim_code_object_t *object;
} kiln_sim_module_t;

typedef struct kiln_sim_device {
    pthread_mutex_t lock;
    kiln_sim_machine_t *machine;
    kiln_sim_memory_t *memory; // the machine's
    double clock_ms;           // simulated time: of all launches, copies and fills
    kiln_sim_error_t broken;   // initialisation failed with this
    kiln_sim_error_t late;     // of a kernel<<<...>>> that went wrong, until a call that waits has told it
} kiln_sim_device_t;

// Predicted milliseconds of a copy, or, where `from` is NULL, of a fill; 0 where nothing is predicted. The device is locked.
double kiln_sim_move_ms(const kiln_sim_device_t *device, const void *to, const void *from, uint64_t bytes);

// What a thread remembers.
typedef struct kiln_sim_thread_state {
    hipError_t last_error;
    kiln_sim_error_t failure; // of the last failing call
    char text[1200];
} kiln_sim_thread_state_t;

// The one device, set up on first use. Never NULL; ->broken says whether it can be used.
kiln_sim_device_t *kiln_sim_device(void);
kiln_sim_device_t *kiln_sim_device_lock(void);
void kiln_sim_device_unlock(kiln_sim_device_t *device);
kiln_sim_thread_state_t *kiln_sim_thread_state(void);
// The result of the calling thread's last launch, NULL before the first; and a new one in its place.
kiln_sim_result_t *kiln_sim_hip_result(void);
void kiln_sim_hip_set_result(kiln_sim_result_t *result);

// Remembers a failure as HIP's "last error" and returns its code. With text == NULL the code's own message.
hipError_t kiln_sim_hip_fail(hipError_t code, const char *text);
hipError_t kiln_sim_hip_error(const kiln_sim_error_t *error);

// What `kernel<<<...>>>` drops, the next call that waits for the device gives: the error of a kernel that went wrong while
// it ran. 0 where there is none.
void kiln_sim_hip_set_late(hipError_t error);
hipError_t kiln_sim_hip_take_late(void);

// Whether the program loaded this library as libamdhip64.so.5: some enumerations were numbered differently then.
bool kiln_sim_hip_is_old(void);
// hip/pointer.c: whether the host program may use it, and its hipMemoryType.
bool kiln_sim_memory_is_host(const kiln_sim_allocation_t *allocation);
int kiln_sim_memory_type(const kiln_sim_allocation_t *allocation);

// Byte layout of hipDeviceProp_t up to ROCm 5.
typedef struct hip_properties_r0000 {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    int clockRate, memoryClockRate, memoryBusWidth;
    size_t totalConstMem;
    int major, minor, multiProcessorCount, l2CacheSize, maxThreadsPerMultiProcessor, computeMode, clockInstructionRate;
    unsigned arch;
    int concurrentKernels, pciDomainID, pciBusID, pciDeviceID;
    size_t maxSharedMemoryPerMultiProcessor;
    int isMultiGpuBoard, canMapHostMemory, gcnArch;
    char gcnArchName[256];
    int integrated, cooperativeLaunch, cooperativeMultiDeviceLaunch, textures[8];
    unsigned *hdpMemFlushCntl, *hdpRegFlushCntl;
    size_t memPitch, textureAlignment, texturePitchAlignment;
    int kernelExecTimeoutEnabled, ECCEnabled, tccDriver, unmatched[4], isLargeBar, asicRevision, managedMemory;
    int directManagedMemAccessFromHost, concurrentManagedAccess, pageableMemoryAccess;
    int pageableMemoryAccessUsesHostPageTables;
} hip_properties_r0000_t;

// The same from ROCm 6 on.
typedef struct hip_properties_r0600 {
    char name[256];
    hip_uuid_t uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
    int textures[40]; // textures and surfaces: none
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
    int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
    int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseHipArraySupported, hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingHipArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
    int reserved[63], hipReserved[32];
    char gcnArchName[256];
    size_t maxSharedMemoryPerMultiProcessor;
    int clockInstructionRate;
    unsigned arch;
    unsigned *hdpMemFlushCntl, *hdpRegFlushCntl;
    int unmatched[4], isLargeBar, asicRevision;
} hip_properties_r0600_t;

#endif
