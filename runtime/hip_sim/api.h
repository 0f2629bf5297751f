// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state that the HIP entry points share: devices, threads, errors.
//
// There are KILN_SIM_DEVICES devices. Each is a machine of kiln/sim.h; sim/port/ has the
// functions that HIP needs in addition. Each host thread has a current device. Work goes through
// streams (hip_sim/stream/engine.h), which have their own host threads. The table of allocations
// and the machine have their own locks, so there is no global lock of the library.
//
// Pitfall: hipGetDeviceProperties fills in the struct of ROCm 5 and earlier; programs compiled
// against ROCm 6 call hipGetDevicePropertiesR0600, whose struct differs.
#ifndef KILN_SIM_HIP_API_H
#define KILN_SIM_HIP_API_H

#include <pthread.h>
#include <stdint.h>

#include "hip_sim/types.h"

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
    bool has_managed;             // variables whose memory is freed with it
    struct kiln_sim_module *next; // in the list of all modules
} kiln_sim_module_t;

typedef struct kiln_sim_device {
    int ordinal;
    kiln_sim_machine_t *machine;
    kiln_sim_memory_t *memory; // the machine's
    kiln_sim_error_t broken;   // reason why initialization failed
    struct kiln_sim_hip_stream *null_stream;
    uint64_t peers;   // set of devices whose memory this one can access; atomic
    unsigned flags;   // from hipSetDeviceFlags
    int cache;        // hipDeviceSetCacheConfig
    size_t limits[3]; // by hipLimit_t
} kiln_sim_device_t;

enum { KILN_SIM_MAX_DEVICES = 64 };

// hip_sim/device/device.c. The current device of the calling thread. Never NULL; it is usable
// unless ->broken is set.
kiln_sim_device_t *kiln_sim_device(void);
int kiln_sim_device_count(void);
kiln_sim_device_t *kiln_sim_device_at(int ordinal); // NULL if it does not exist
void kiln_sim_device_set(int ordinal); // sets the calling thread's device; used by streams' threads
// The device and the allocation that contain a pointer, whether or not it is accessible; NULL if
// there are none.
kiln_sim_device_t *kiln_sim_device_of(const void *pointer,
                                      const kiln_sim_allocation_t **allocation);
// kiln_sim_memory_begin_use and _end_use of the memory of all devices.
void kiln_sim_devices_begin_use(void);
void kiln_sim_devices_end_use(void);

// Predicted milliseconds of a copy or, if `from` is NULL, of a fill; a lower bound if the clock
// does not predict.
double kiln_sim_move_ms(const void *to, const void *from, uint64_t bytes);

// hip_sim/device/error.c. Records a failure as HIP's "last error" and returns its code. If text is
// NULL, the code's own message is used.
hipError_t kiln_sim_hip_fail(hipError_t code, const char *text);
hipError_t kiln_sim_hip_error(const kiln_sim_error_t *error);
// The message of this thread's last failing call.
const kiln_sim_error_t *kiln_sim_hip_failure(void);
// The calling thread's error state, saved while it executes another thread's work.
typedef struct kiln_sim_hip_save_error_state {
    hipError_t last_error;
    kiln_sim_error_t failure;
} kiln_sim_hip_error_state_t;
kiln_sim_hip_error_state_t kiln_sim_hip_save_error_state(void);
void kiln_sim_hip_restore_error_state(const kiln_sim_hip_error_state_t *saved);
// The result of an entry point that is not implemented; reported on stderr if KILN_LOG is set.
hipError_t kiln_sim_hip_unsupported(const char *name, const char *what);

// The entry point that the thread is in, for the log of streams; NULL: none. Entry points call each
// other, so the outermost one counts. Those that enqueue work or wait begin with KILN_SIM_CALL().
extern __thread const char *kiln_sim_call;
void kiln_sim_call_end(const char *const *outer);
#define KILN_SIM_CALL()                                                                            \
    __attribute__((cleanup(kiln_sim_call_end))) const char *const outer_call = kiln_sim_call;      \
    kiln_sim_call = outer_call ? outer_call : __func__

// State that a host thread's calls leave behind: the result of its last launch. It includes the
// calls that another thread executes for it.
typedef struct kiln_sim_client kiln_sim_client_t;
kiln_sim_client_t *kiln_sim_client(void); // its own, or the one that it acts for; or NULL
void kiln_sim_client_act(kiln_sim_client_t *client);   // NULL: for itself again
void kiln_sim_client_begin(kiln_sim_client_t *client); // a launch is outstanding; pairs with _end
void kiln_sim_client_end(kiln_sim_client_t *client);
void kiln_sim_client_lost(
    kiln_sim_client_t *client); // in a forked child: drops its outstanding launches
void kiln_sim_hip_set_result(kiln_sim_result_t *result);
// Reports a finding of the check `memory` in a call of the host program.
void kiln_sim_hip_report_misuse(const kiln_sim_device_t *device, const char *call,
                                const char *text);

// Whether the program loaded this library as libamdhip64.so.5, with which some enumerations were
// numbered differently.
bool kiln_sim_hip_is_old(void);
int kiln_sim_hip_major(void); // 5, 6 or 7, from the same file name; 7 without one
// hip_sim/memory/pointer.c: whether the host program may access the allocation, and its
// hipMemoryType.
bool kiln_sim_memory_is_host(const kiln_sim_allocation_t *allocation);
int kiln_sim_memory_type(const kiln_sim_allocation_t *allocation);

// Byte layout of hipDeviceProp_t up to ROCm 5.
typedef struct hip_properties_r0000 {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    int clockRate, memoryClockRate, memoryBusWidth;
    size_t totalConstMem;
    int major, minor, multiProcessorCount, l2CacheSize, maxThreadsPerMultiProcessor, computeMode,
        clockInstructionRate;
    unsigned arch;
    int concurrentKernels, pciDomainID, pciBusID, pciDeviceID;
    size_t maxSharedMemoryPerMultiProcessor;
    int isMultiGpuBoard, canMapHostMemory, gcnArch;
    char gcnArchName[256];
    int integrated, cooperativeLaunch, cooperativeMultiDeviceLaunch, textures[8];
    unsigned *hdpMemFlushCntl, *hdpRegFlushCntl;
    size_t memPitch, textureAlignment, texturePitchAlignment;
    int kernelExecTimeoutEnabled, ECCEnabled, tccDriver, unmatched[4], isLargeBar, asicRevision,
        managedMemory;
    int directManagedMemAccessFromHost, concurrentManagedAccess, pageableMemoryAccess;
    int pageableMemoryAccessUsesHostPageTables;
} hip_properties_r0000_t;

// Byte layout of hipDeviceProp_t from ROCm 6 on.
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
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory,
        computeMode;
    int textures[40]; // limits of textures and surfaces: none
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver,
        asyncEngineCount;
    int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported,
        localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID,
        hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess,
        computePreemptionSupported;
    int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost,
        maxBlocksPerMultiProcessor;
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
