// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state behind the HIP entry points: devices, threads, errors.
//
// There are KILN_SIM_DEVICES devices, each a machine of kiln/sim.h like any other; api/port.h is what HIP knows of it beyond that. Each host
// thread has a current one. Work goes through streams (hip/engine.h), which have host threads of their own; the table of allocations and
// the machine have locks of their own, so there is no lock of the whole library.
//
// What a reader gets wrong: hipGetDeviceProperties fills the struct of ROCm 5 and before; programs compiled against
// ROCm 6 call hipGetDevicePropertiesR0600, whose struct is another.
#ifndef KILN_SIM_HIP_API_H
#define KILN_SIM_HIP_API_H

#include <pthread.h>
#include <stdint.h>

#include "hip/types.h"

#define HIP_API __attribute__((visibility("default")))

enum {
    HIP_DEINITIALIZED = 4,
    HIP_INVALID_PITCH = 12,
    HIP_INVALID_SYMBOL = 13,
    HIP_INVALID_DIRECTION = 21,
    HIP_INVALID_DEVICE_FUNCTION = 98,
    HIP_INVALID_DEVICE = 101,
    HIP_INVALID_CONTEXT = 201,
    HIP_UNSUPPORTED_LIMIT = 215,
    HIP_CONTEXT_IN_USE = 708,
    HIP_CONTEXT_DESTROYED = 709,
    HIP_FILE_NOT_FOUND = 301,
    HIP_OPERATING_SYSTEM = 304,
    HIP_INVALID_HANDLE = 400,
    HIP_ILLEGAL_STATE = 401,
    HIP_NOT_READY = 600,
    HIP_PEER_ALREADY_ENABLED = 704,
    HIP_PEER_NOT_ENABLED = 705,
    HIP_HOST_ALREADY_REGISTERED = 712,
    HIP_HOST_NOT_REGISTERED = 713,
    HIP_CAPTURE_UNSUPPORTED = 900,
    HIP_CAPTURE_INVALIDATED = 901,
    HIP_CAPTURE_MERGE = 902,
    HIP_CAPTURE_UNMATCHED = 903,
    HIP_CAPTURE_UNJOINED = 904,
    HIP_CAPTURE_ISOLATION = 905,
    HIP_CAPTURE_IMPLICIT = 906,
    HIP_CAPTURED_EVENT = 907,
    HIP_CAPTURE_WRONG_THREAD = 908
};

typedef struct kiln_sim_module {
    struct kiln_sim_device *device;
    kiln_sim_code_object_t *object;
    bool has_managed;             // variables whose memory goes with it
    struct kiln_sim_module *next; // of all
} kiln_sim_module_t;

typedef struct kiln_sim_device {
    int ordinal;
    kiln_sim_machine_t *machine;
    kiln_sim_memory_t *memory; // the machine's
    kiln_sim_error_t broken;   // initialisation failed with this
    struct kiln_sim_hip_stream *null_stream;
    uint64_t peers;   // set of devices whose memory this one reaches; atomic
    unsigned flags;   // of hipSetDeviceFlags
    int cache;        // hipDeviceSetCacheConfig
    size_t limits[3]; // by hipLimit_t
} kiln_sim_device_t;

enum { KILN_SIM_DEVICES_MOST = 64 };

// hip/device.c. The current device of the calling thread; its ->broken says whether it can be used. Never NULL.
kiln_sim_device_t *kiln_sim_device(void);
int kiln_sim_device_count(void);
kiln_sim_device_t *kiln_sim_device_at(int ordinal); // NULL where there is none
void kiln_sim_device_set(int ordinal);              // of the calling thread, on whose behalf a stream's thread works
// The device and the allocation that a pointer belongs to, whoever may reach it; NULL where it is in none.
kiln_sim_device_t *kiln_sim_device_of(const void *pointer, const kiln_sim_allocation_t **allocation);

// Predicted milliseconds of a copy, or, where `from` is NULL, of a fill; where nothing is predicted, what it takes at least.
double kiln_sim_move_ms(const void *to, const void *from, uint64_t bytes);

// hip/error.c. Remembers a failure as HIP's "last error" and returns its code. With text == NULL the code's own message.
hipError_t kiln_sim_hip_fail(hipError_t code, const char *text);
hipError_t kiln_sim_hip_error(const kiln_sim_error_t *error);
// What this thread's last failing call said.
const kiln_sim_error_t *kiln_sim_hip_failure(void);
// What the calling thread was told, so that it may do the work of others in between.
typedef struct kiln_sim_hip_said {
    hipError_t last_error;
    kiln_sim_error_t failure;
} kiln_sim_hip_said_t;
kiln_sim_hip_said_t kiln_sim_hip_said(void);
void kiln_sim_hip_say_again(const kiln_sim_hip_said_t *said);
// The answer of an entry point that is not there; told on stderr where KILN_LOG is set.
hipError_t kiln_sim_hip_lacks(const char *name, const char *what);

// What calls of a host thread leave behind, also those that another thread carries out for it: the result of its last launch.
typedef struct kiln_sim_client kiln_sim_client_t;
kiln_sim_client_t *kiln_sim_client(void);            // the calling thread's, or whose it acts for; NULL without memory
void kiln_sim_client_act(kiln_sim_client_t *client); // NULL: for itself again
void kiln_sim_client_begin(kiln_sim_client_t *client); // a launch is on its way; pairs with _end
void kiln_sim_client_end(kiln_sim_client_t *client);
void kiln_sim_hip_set_result(kiln_sim_result_t *result);
// A finding of the check `memory` in a call of the program itself.
void kiln_sim_hip_blame(const kiln_sim_device_t *device, const char *call, const char *text);

// Whether the program loaded this library as libamdhip64.so.5: some enumerations were numbered differently then.
bool kiln_sim_hip_is_old(void);
int kiln_sim_hip_major(void); // 5, 6 or 7, by the same name; 7 without one
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
