// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP's types under HIP's names, in the binary layout for which programs were compiled, so that
// hip_api.def can state the prototypes as HIP does.
//
// An enumeration is an int here. A struct whose layout depends on the program's HIP version is
// void, and a struct that no entry point reads is never completed.
#ifndef KILN_SIM_HIP_TYPES_H
#define KILN_SIM_HIP_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "sim/port/machine.h"

typedef int hipError_t, hipDevice_t;
typedef struct kiln_sim_hip_stream *hipStream_t;
typedef struct kiln_sim_event *hipEvent_t;
typedef struct kiln_sim_module *hipModule_t, *hipLibrary_t;
typedef kiln_sim_kernel_t *hipFunction_t, *hipKernel_t;
typedef struct kiln_sim_context *hipCtx_t;
typedef struct kiln_sim_pool *hipMemPool_t;
typedef struct kiln_sim_graph *hipGraph_t;
typedef struct kiln_sim_node *hipGraphNode_t;
typedef struct kiln_sim_graph_exec *hipGraphExec_t;
typedef struct kiln_sim_user_object *hipUserObject_t;
typedef struct kiln_sim_physical *hipMemGenericAllocationHandle_t;
typedef void *hipDeviceptr_t;
typedef void (*hipHostFn_t)(void *data);
typedef void (*hipStreamCallback_t)(hipStream_t stream, hipError_t status, void *data);

// Enumerations.
typedef int hipArray_Format, hipChannelFormatKind, hipDeviceAttribute_t, hipDeviceP2PAttr,
    hipFuncAttribute, hipFuncCache_t, hipFunction_attribute, hipGLDeviceList,
    hipGraphExecUpdateResult, hipGraphMemAttributeType, hipGraphNodeType, hipJitInputType,
    hipJitOption, hipLaunchAttributeID, hipLibraryOption, hipLimit_t, hipMemAccessFlags,
    hipMemAllocationGranularity_flags, hipMemAllocationHandleType, hipMemPoolAttr,
    hipMemRangeAttribute, hipMemRangeHandleType, hipMemcpyKind, hipMemoryAdvise,
    hipPointer_attribute, hipSharedMemConfig, hipStreamCaptureMode, hipStreamCaptureStatus,
    hipTextureAddressMode, hipTextureFilterMode, hipDriverEntryPointQueryResult,
    hipDriverProcAddressQueryResult;
typedef unsigned GLenum, GLuint;

// Structs that change from version to version, or that are passed through.
typedef void hipDeviceProp_t, hipDeviceProp_tR0600, hipPointerAttribute_t, hipFuncAttributes,
    hipGraphEdgeData;

// Structs of entry points that are not implemented.
typedef struct hip_array *hipArray_t;
typedef const struct hip_array *hipArray_const_t;
typedef struct hip_mipmapped_array *hipMipmappedArray_t, *hipMipmappedArray;
typedef const struct hip_mipmapped_array *hipMipmappedArray_const_t;
typedef struct hip_texture *hipTextureObject_t;
typedef struct hip_surface *hipSurfaceObject_t;
typedef struct hip_link_state *hipLinkState_t;
typedef struct hip_graphics_resource hipGraphicsResource, *hipGraphicsResource_t;
typedef void *hipExternalMemory_t, *hipExternalSemaphore_t;
typedef struct hip_foreign HIP_ARRAY3D_DESCRIPTOR, HIP_ARRAY_DESCRIPTOR, HIP_RESOURCE_DESC,
    HIP_RESOURCE_VIEW_DESC, HIP_TEXTURE_DESC, hipArrayMapInfo, hipExternalMemoryBufferDesc,
    hipExternalMemoryHandleDesc, hipExternalMemoryMipmappedArrayDesc,
    hipExternalSemaphoreHandleDesc, hipExternalSemaphoreSignalNodeParams,
    hipExternalSemaphoreSignalParams, hipExternalSemaphoreWaitNodeParams,
    hipExternalSemaphoreWaitParams, hipMemcpy3DBatchOp, hipMemcpy3DPeerParms, hipMemcpyAttributes,
    hipResourceDesc, hipResourceViewDesc, hipTextureDesc, textureReference;

// ---- small structs

typedef struct hip_dim3 {
    uint32_t x, y, z;
} hip_dim3_t, dim3;

typedef struct hip_uuid {
    char bytes[16];
} hip_uuid_t, hipUUID;

typedef struct hip_extent {
    size_t width, height, depth;
} hip_extent_t, hipExtent;

typedef struct hip_pitched_pointer {
    void *pointer;
    size_t pitch, x, y;
} hip_pitched_pointer_t, hipPitchedPtr;

typedef struct hip_ipc_handle {
    char bytes[64];
} hipIpcMemHandle_t, hipIpcEventHandle_t, hipMemPoolPtrExportData;

typedef struct hip_channel {
    int x, y, z, w, kind;
} hipChannelFormatDesc;

// ---- boxes

typedef struct hip_copy_3d {
    void *from_array;
    size_t from_at[3];
    hip_pitched_pointer_t from;
    void *to_array;
    size_t to_at[3];
    hip_pitched_pointer_t to;
    hip_extent_t extent;
    int kind;
} hip_copy_3d_t, hipMemcpy3DParms;

typedef struct hip_copy_2d {
    size_t from_x, from_y;
    int from_type;
    const void *from_host;
    void *from_device, *from_array;
    size_t from_pitch, to_x, to_y;
    int to_type;
    void *to_host, *to_device, *to_array;
    size_t to_pitch, width, height;
} hip_copy_2d_t, hip_Memcpy2D;

// HIP_MEMCPY3D. ROCm 6 made its numbers size_t.
typedef struct hip_driver_copy_3d {
    size_t from_x, from_y, from_z, from_lod;
    int from_type;
    const void *from_host;
    void *from_device, *from_array;
    size_t from_pitch, from_height, to_x, to_y, to_z, to_lod;
    int to_type;
    void *to_host, *to_device, *to_array;
    size_t to_pitch, to_height, width, height, depth;
} hip_driver_copy_3d_t, HIP_MEMCPY3D;

// ---- memory

typedef struct hip_location {
    int type, id; // 0: invalid or none, 1: a device
} hipMemLocation;

typedef struct hip_access {
    hipMemLocation location;
    int flags; // 0: none, 1: reads, 3: reads and writes
} hipMemAccessDesc;

typedef struct hip_pool_properties {
    int type, handle_types;
    hipMemLocation location;
    void *security;
    size_t limit;
    unsigned char reserved[56];
} hipMemPoolProps;

typedef struct hip_physical_properties {
    int type, handle_type;
    hipMemLocation location;
    void *metadata;
    struct {
        unsigned char compression, rdma;
        unsigned short usage;
    } flags;
} hipMemAllocationProp;

// hipMemAllocationProp as the headers of ROCm 5.2, the first to have it, declare it. The functions
// are the same symbols.
typedef struct hip_old_physical_properties {
    unsigned char compression;
    hipMemLocation location;
    int handle_type, type;
    unsigned short usage;
    void *metadata;
} hip_old_physical_properties_t;

typedef struct hip_allocate_node {
    hipMemPoolProps pool;
    const hipMemAccessDesc *access;
    size_t access_count, size;
    void *pointer;
} hipMemAllocNodeParams;

// ---- nodes of graphs

typedef struct hip_kernel_node {
    hip_dim3_t block;
    void **extra;
    void *function;
    hip_dim3_t grid;
    void **params;
    unsigned dynamic_lds;
} hip_kernel_node_t, hipKernelNodeParams;

typedef struct hip_fill_node {
    void *to;
    unsigned element;
    size_t height, pitch;
    unsigned value;
    size_t width;
} hip_fill_node_t, hipMemsetParams;

// The driver API's struct for it in HIP 6 (HIP_MEMSET_NODE_PARAMS).
typedef struct hip_driver_fill_node {
    void *to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
} hip_driver_fill_node_t;

typedef struct hip_host_node {
    void (*function)(void *);
    void *data;
} hip_host_node_t, hipHostNodeParams;

typedef struct hip_node {
    int type, reserved[3];
    union {
        long long room[29];
        hip_kernel_node_t kernel;
        struct {
            int flags, reserved[3];
            hip_copy_3d_t copy;
        } copy;
        hip_fill_node_t fill;
        hip_host_node_t host;
        hipGraph_t graph;
        hipEvent_t event;
        hipMemAllocNodeParams allocate;
        void *pointer; // to free
    } u;
    long long more;
} hipGraphNodeParams;

typedef struct hip_instantiate {
    hipGraphNode_t bad;
    unsigned long long flags;
    int result;
    hipStream_t upload;
} hipGraphInstantiateParams;

typedef union hip_memory_operation {
    int operation; // 1: wait for 32 bits, 2: write 32 bits, 4: wait for 64 bits, 5: write 64 bits,
                   // 3: flush, 6: barrier
    struct {
        int operation;
        hipDeviceptr_t address;
        union {
            uint32_t value;
            uint64_t value64;
        } u;
        unsigned flags;
        hipDeviceptr_t alias;
    } value;
    uint64_t room[6];
} hipStreamBatchMemOpParams;

typedef struct hip_batch_node {
    hipCtx_t context;
    unsigned count;
    hipStreamBatchMemOpParams *all;
    unsigned flags;
} hipBatchMemOpNodeParams;

// ---- launches

typedef union hip_launch_value {
    char room[64];
    int cooperative, priority;
    unsigned cluster[3];
} hipLaunchAttributeValue;

typedef struct hip_launch_attribute {
    int id;
    char padding[4];
    hipLaunchAttributeValue value;
} hip_launch_attribute_t;

typedef struct hip_launch_configuration {
    hip_dim3_t grid, block;
    size_t dynamic_lds;
    hipStream_t stream;
    hip_launch_attribute_t *attributes;
    unsigned attribute_count;
} hipLaunchConfig_t;

typedef struct hip_driver_launch_configuration {
    unsigned grid[3], block[3], dynamic_lds;
    hipStream_t stream;
    const hip_launch_attribute_t *attributes;
    unsigned attribute_count;
} hip_launch_config_t, HIP_LAUNCH_CONFIG;

typedef struct hip_launch {
    void *function;
    hip_dim3_t grid, block;
    void **params;
    size_t dynamic_lds;
    hipStream_t stream;
} hipLaunchParams;

typedef struct hip_driver_launch {
    hipFunction_t function;
    unsigned grid[3], block[3], dynamic_lds;
    hipStream_t stream;
    void **params;
} hipFunctionLaunchParams;

_Static_assert(sizeof(hip_copy_3d_t) == 160 && sizeof(hip_copy_2d_t) == 128 &&
                   sizeof(hip_driver_copy_3d_t) == 184,
               "layouts of hipMemcpy3DParms, hip_Memcpy2D and HIP_MEMCPY3D");
_Static_assert(sizeof(hipMemPoolProps) == 88 && sizeof(hipMemAllocationProp) == 32 &&
                   sizeof(hip_old_physical_properties_t) == 32 &&
                   sizeof(hipMemAllocNodeParams) == 120 && sizeof(hipGraphNodeParams) == 256,
               "layouts of hipMemPoolProps, hipMemAllocationProp, hipMemAllocNodeParams and "
               "hipGraphNodeParams");

#endif
