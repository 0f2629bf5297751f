// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: memory pools, and memory that streams allocate and free. An address is there when the call returns, as HIP has it; freed, memory goes
// back when the stream comes to it.
//
// What a reader gets wrong: a pool keeps nothing for later: freed memory goes back to the device, so what is reserved is what is in use, and thresholds
// are remembered and told, and nothing else.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hip/engine.h"
#include "hip/entry.h"
#include "hip/handle.h"

// hipMemPoolAttr
enum { REUSE_FIRST = 1, REUSE_LAST = 3, THRESHOLD = 4, RESERVED = 5, RESERVED_HIGH = 6, USED = 7, USED_HIGH = 8 };
enum { READ_WRITE = 3 };

struct kiln_sim_pool {
    kiln_sim_device_t *device; // NULL: not opened yet
    uint64_t threshold, used, used_most, reserved_most;
    size_t limit; // 0: none
    int reuse[4];
    int access[KILN_SIM_DEVICES_MOST];
    int handle_types;
};

// Which pool an allocation is of.
typedef struct member {
    struct member *next;
    void *pointer;
    size_t size;
    hipMemPool_t pool;
} member_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static member_t *members;
static struct kiln_sim_pool default_pools[KILN_SIM_DEVICES_MOST];
static hipMemPool_t current_pools[KILN_SIM_DEVICES_MOST];

static hipError_t invalid(void)
{
    return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

static bool open_pool(hipMemPool_t pool, kiln_sim_device_t *device)
{
    *pool = (struct kiln_sim_pool){.device = device, .reuse = {0, 1, 1, 1}};
    pool->access[device->ordinal] = READ_WRITE;
    return kiln_sim_handle_add(pool, KILN_SIM_HANDLE_POOL);
}

// The lock is held.
static hipMemPool_t default_pool(kiln_sim_device_t *device)
{
    hipMemPool_t pool = &default_pools[device->ordinal];
    if (!pool->device)
        open_pool(pool, device);
    return pool;
}

static bool is_pool(hipMemPool_t pool)
{
    return kiln_sim_handle_is(pool, KILN_SIM_HANDLE_POOL);
}

// ---- pools

static hipError_t give_pool(hipMemPool_t *pool, int ordinal, hipMemPool_t *from)
{
    kiln_sim_device_t *device = kiln_sim_device_at(ordinal);
    if (!pool || !device)
        return pool && !from ? kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL) : invalid();
    pthread_mutex_lock(&lock);
    *pool = from && from[ordinal] ? from[ordinal] : default_pool(device);
    pthread_mutex_unlock(&lock);
    return 0;
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int device)
{
    return give_pool(pool, device, NULL);
}

hipError_t hipDeviceGetMemPool(hipMemPool_t *pool, int device)
{
    return give_pool(pool, device, current_pools);
}

hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool)
{
    if (!kiln_sim_device_at(device) || !is_pool(pool))
        return invalid();
    if (pool->device->ordinal != device)
        return kiln_sim_hip_fail(HIP_INVALID_DEVICE, "the pool is of another device");
    pthread_mutex_lock(&lock);
    current_pools[device] = pool;
    pthread_mutex_unlock(&lock);
    return 0;
}

hipError_t hipMemPoolCreate(hipMemPool_t *pool, const hipMemPoolProps *p)
{
    if (!pool || !p || p->type != 1 || p->location.type != 1 || (p->handle_types != 0 && p->handle_types != 1))
        return invalid(); // pinned memory of a device, for nobody else or by file descriptors
    kiln_sim_device_t *device = kiln_sim_device_at(p->location.id);
    if (!device)
        return invalid();
    hipMemPool_t made = malloc(sizeof *made);
    if (!made || !open_pool(made, device)) {
        free(made);
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    made->limit = p->limit;
    made->handle_types = p->handle_types;
    *pool = made;
    return 0;
}

hipError_t hipMemPoolDestroy(hipMemPool_t pool)
{
    if (!is_pool(pool) || pool == &default_pools[pool->device->ordinal])
        return invalid();
    kiln_sim_engine_drain(pool->device);
    pthread_mutex_lock(&lock);
    if (current_pools[pool->device->ordinal] == pool)
        current_pools[pool->device->ordinal] = NULL;
    for (member_t *at = members; at; at = at->next) {
        if (at->pool == pool)
            at->pool = default_pool(pool->device); // what is in use goes on living
    }
    pthread_mutex_unlock(&lock);
    kiln_sim_handle_drop(pool, KILN_SIM_HANDLE_POOL);
    free(pool);
    return 0;
}

hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t keep)
{
    (void)keep;
    return is_pool(pool) ? 0 : invalid();
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void *value)
{
    hipError_t error = 0;
    if (!is_pool(pool) || !value || attribute < REUSE_FIRST || attribute > USED_HIGH)
        return invalid();
    pthread_mutex_lock(&lock);
    if (attribute <= REUSE_LAST)
        pool->reuse[attribute] = *(const int *)value;
    else if (attribute == THRESHOLD)
        pool->threshold = *(const uint64_t *)value;
    else if (*(const uint64_t *)value != 0 || attribute == RESERVED || attribute == USED)
        error = KILN_SIM_INVALID_VALUE; // the most so far can be set back, and nothing else
    else if (attribute == USED_HIGH)
        pool->used_most = pool->used;
    else
        pool->reserved_most = pool->used;
    pthread_mutex_unlock(&lock);
    return error ? invalid() : 0;
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void *value)
{
    if (!is_pool(pool) || !value || attribute < REUSE_FIRST || attribute > USED_HIGH)
        return invalid();
    pthread_mutex_lock(&lock);
    if (attribute <= REUSE_LAST)
        *(int *)value = pool->reuse[attribute];
    else
        *(uint64_t *)value = attribute == THRESHOLD       ? pool->threshold
                             : attribute == RESERVED_HIGH ? pool->reserved_most
                             : attribute == USED_HIGH     ? pool->used_most
                                                          : pool->used;
    pthread_mutex_unlock(&lock);
    return 0;
}

hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc *list, size_t count)
{
    if (!is_pool(pool) || !list || !count)
        return invalid();
    for (size_t i = 0; i < count; i++) {
        const int flags = list[i].flags;
        if (list[i].location.type != 1 || (flags != 0 && flags != 1 && flags != READ_WRITE))
            return invalid();
        if (!kiln_sim_device_at(list[i].location.id))
            return kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
        if (list[i].location.id == pool->device->ordinal && flags == 0)
            return kiln_sim_hip_fail(HIP_INVALID_DEVICE, "a device cannot lose its own memory");
    }
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++) {
        pool->access[list[i].location.id] = list[i].flags;
        if (list[i].flags) // a device reaches all of another's memory, or none
            __atomic_fetch_or(&kiln_sim_device_at(list[i].location.id)->peers, 1ull << pool->device->ordinal,
                              __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

hipError_t hipMemPoolGetAccess(hipMemAccessFlags *flags, hipMemPool_t pool, hipMemLocation *location)
{
    if (!flags || !is_pool(pool) || !location || location->type != 1)
        return invalid();
    if (!kiln_sim_device_at(location->id))
        return invalid();
    pthread_mutex_lock(&lock);
    *flags = pool->access[location->id];
    pthread_mutex_unlock(&lock);
    return 0;
}

// ---- pools of other processes: a file tells what such a pool is, its memory is shared pointer by pointer (hip/ipc.c)

typedef struct description {
    uint64_t magic;
    int device, access[KILN_SIM_DEVICES_MOST];
} description_t;

#define DESCRIPTION_MAGIC 0x6b6970636d706c01ull

enum { FILE_DESCRIPTOR = 1 };

hipError_t hipMemPoolExportToShareableHandle(void *out, hipMemPool_t pool, hipMemAllocationHandleType type,
                                             unsigned flags)
{
    if (!out || !is_pool(pool) || flags || type != FILE_DESCRIPTOR || pool->handle_types != type)
        return invalid();
    description_t description = {.magic = DESCRIPTION_MAGIC, .device = pool->device->ordinal};
    memcpy(description.access, pool->access, sizeof description.access);
    const int file = memfd_create("kiln-sim-pool", MFD_CLOEXEC);
    if (file < 0 || pwrite(file, &description, sizeof description, 0) != (ssize_t)sizeof description) {
        if (file >= 0)
            close(file);
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, "the host cannot share the pool");
    }
    memcpy(out, &file, sizeof file); // the program's to close and to hand to other processes
    return 0;
}

hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t *pool, void *handle, hipMemAllocationHandleType type,
                                               unsigned flags)
{
    description_t description;
    if (!pool || !handle || type != FILE_DESCRIPTOR || flags)
        return invalid();
    if (pread((int)(intptr_t)handle, &description, sizeof description, 0) != (ssize_t)sizeof description ||
        description.magic != DESCRIPTION_MAGIC || !kiln_sim_device_at(description.device))
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, "that is no pool's handle");
    const hipMemPoolProps p = {.type = 1, .handle_types = FILE_DESCRIPTOR, .location = {1, description.device}};
    hipError_t error = hipMemPoolCreate(pool, &p);
    if (!error)
        memcpy((*pool)->access, description.access, sizeof description.access);
    return error;
}

hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData *out, void *pointer)
{
    if (!out || !pointer)
        return invalid();
    return hipIpcGetMemHandle(out, pointer) ? kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL) : 0;
}

hipError_t hipMemPoolImportPointer(void **pointer, hipMemPool_t pool, hipMemPoolPtrExportData *from)
{
    if (!pointer || !is_pool(pool) || !from)
        return invalid();
    return kiln_sim_ipc_open(pointer, from, pool->device) ? kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL) : 0;
}

// ---- allocations by streams

hipError_t hipMallocFromPoolAsync(void **pointer, size_t size, hipMemPool_t pool, hipStream_t handle)
{
    if (!pointer || !is_pool(pool) || !kiln_sim_stream_find(handle))
        return pointer && is_pool(pool) ? kiln_sim_hip_fail(HIP_INVALID_HANDLE, "there is no such stream") : invalid();
    if (kiln_sim_stream_capture(handle))
        return kiln_sim_capture_allocate(pointer, size, pool->device->ordinal, handle);
    *pointer = NULL;
    if (!size)
        return 0;
    kiln_sim_error_t error = {0};
    member_t *made = malloc(sizeof *made);
    pthread_mutex_lock(&lock);
    bool fits = made && (!pool->limit || (size <= pool->limit && pool->used <= pool->limit - size));
    void *memory =
        fits ? kiln_sim_memory_allocate(pool->device->memory, size, KILN_SIM_MEMORY_DEVICE, 0, &error) : NULL;
    if (memory) {
        *made = (member_t){members, memory, size, pool};
        members = made;
        pool->used += size;
        if (pool->used > pool->used_most)
            pool->used_most = pool->used;
        if (pool->used > pool->reserved_most)
            pool->reserved_most = pool->used;
    }
    pthread_mutex_unlock(&lock);
    if (!memory)
        free(made);
    *pointer = memory;
    return memory ? 0 : error.code ? kiln_sim_hip_error(&error) : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
}

hipError_t hipMallocAsync(void **pointer, size_t size, hipStream_t handle)
{
    struct kiln_sim_hip_stream *stream = pointer ? kiln_sim_stream_find(handle) : NULL;
    hipMemPool_t pool;
    if (!stream)
        return pointer ? kiln_sim_hip_fail(HIP_INVALID_HANDLE, "there is no such stream") : invalid();
    hipError_t error = hipDeviceGetMemPool(&pool, stream->device->ordinal);
    return error ? error : hipMallocFromPoolAsync(pointer, size, pool, handle);
}

void kiln_sim_pool_reset(kiln_sim_device_t *device)
{
    pthread_mutex_lock(&lock);
    for (member_t **at = &members; *at;) {
        member_t *gone = *at;
        if (gone->pool->device != device) {
            at = &gone->next;
            continue;
        }
        gone->pool->used -= gone->size;
        *at = gone->next;
        free(gone);
    }
    current_pools[device->ordinal] = NULL;
    pthread_mutex_unlock(&lock);
}

void kiln_sim_pool_forget(void *pointer)
{
    pthread_mutex_lock(&lock);
    for (member_t **at = &members; *at; at = &(*at)->next) {
        member_t *gone = *at;
        if (gone->pointer != pointer)
            continue;
        gone->pool->used -= gone->size;
        *at = gone->next;
        free(gone);
        break;
    }
    pthread_mutex_unlock(&lock);
}

// The stream has come to it.
static hipError_t free_now(void *pointer, size_t number)
{
    (void)number;
    kiln_sim_error_t error = {0};
    hipError_t refused = 0;
    if (kiln_sim_graph_memory_free(pointer, &refused))
        return refused;
    if (kiln_sim_ipc_close(pointer))
        return 0;
    kiln_sim_pool_forget(pointer);
    const kiln_sim_allocation_t *found;
    kiln_sim_device_t *device = kiln_sim_device_of(pointer, &found);
    if (!device)
        device = kiln_sim_device();
    if (kiln_sim_memory_free(device->memory, pointer, &error))
        return 0;
    kiln_sim_hip_blame(device, "hipFreeAsync", error.text);
    return kiln_sim_hip_error(&error);
}

hipError_t hipFreeAsync(void *pointer, hipStream_t handle)
{
    const kiln_sim_allocation_t *found;
    if (!pointer)
        return invalid();
    if (!kiln_sim_stream_find(handle))
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "there is no such stream");
    if (kiln_sim_stream_capture(handle)) {
        const kiln_sim_work_t node = {.kind = KILN_SIM_WORK_FREE, .freed = pointer};
        return kiln_sim_submit(handle, &node);
    }
    // What is known to be wrong is told at once.
    if (!kiln_sim_device_of(pointer, &found) || found->base != (uint64_t)(uintptr_t)pointer)
        return free_now(pointer, 0);
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_CALL, .call = {free_now, pointer, 0}};
    return kiln_sim_submit(handle, &work);
}
