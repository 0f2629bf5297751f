// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: memory pools, and memory that streams allocate and free. An address is valid
// when the call returns, as in HIP. Freed memory stays reserved until the host waits for a stream,
// an event or the device; then memory above the pool's threshold is returned to the device. Until
// then an allocation that is not larger may reuse freed memory: immediately in the same stream, and
// also in a stream that waits for an event recorded after the release; in other streams when the
// release has been executed and little memory would be wasted. A pool's limit applies to the
// maximum that it ever held at once, as in AMD's library: memory that was returned to the device
// does not become available to the pool again.
//
// If checks are on, or calls wait for their work, nothing is reused: memory is returned when the
// stream executes the release, so that a use after free is detected.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hip_sim/device/handle.h"
#include "hip_sim/entry.h"
#include "hip_sim/stream/engine.h"

// hipMemPoolAttr
enum {
    REUSE_EVENTS = 1,
    REUSE_OPPORTUNISTIC = 2,
    REUSE_LAST = 3,
    THRESHOLD = 4,
    RESERVED = 5,
    RESERVED_HIGH = 6,
    USED = 7,
    USED_HIGH = 8
};
enum { READ_WRITE = 3 };

struct kiln_sim_pool {
    kiln_sim_device_t *device;                              // NULL: not opened yet
    uint64_t threshold, used, kept, max_used, max_reserved; // kept: freed, but still reserved
    size_t limit;                                           // 0: none
    int reuse[4];
    int access[KILN_SIM_MAX_DEVICES];
    int handle_types;
};

enum { SAFE_STREAMS = 8 };

// An allocation of a pool.
typedef struct member {
    struct member *next;
    void *pointer;
    size_t size;
    hipMemPool_t pool;
    bool is_freed;
    kiln_sim_operation_t *freeing;   // while it is freed: done when the stream has executed it
    uint64_t freed_by[SAFE_STREAMS]; // ids of that stream, and of those that wait for it
    unsigned stream_count;
} member_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static member_t *members;
static uint64_t all_kept; // of all pools
static struct kiln_sim_pool default_pools[KILN_SIM_MAX_DEVICES];
static hipMemPool_t current_pools[KILN_SIM_MAX_DEVICES];

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

// Requires the lock. NULL if memory is exhausted.
static hipMemPool_t default_pool(kiln_sim_device_t *device)
{
    hipMemPool_t pool = &default_pools[device->ordinal];
    if (pool->device || open_pool(pool, device))
        return pool;
    pool->device = NULL;
    return NULL;
}

static bool is_pool(hipMemPool_t pool)
{
    return kiln_sim_handle_is(pool, KILN_SIM_HANDLE_POOL);
}

static bool uses_again(const struct kiln_sim_pool *pool)
{
    return kiln_sim_engine_is_async() && !kiln_sim_machine_checks(pool->device->machine);
}

// ---- members; all functions require the lock

static void count(hipMemPool_t pool, size_t used, size_t kept)
{
    pool->used += used;
    pool->kept += kept;
    all_kept += kept;
    if (pool->used > pool->max_used)
        pool->max_used = pool->used;
    if (pool->used + pool->kept > pool->max_reserved)
        pool->max_reserved = pool->used + pool->kept;
}

static void drop(member_t **at)
{
    member_t *removed = *at;
    count(removed->pool, removed->is_freed ? 0 : -removed->size,
          removed->is_freed ? -removed->size : 0);
    kiln_sim_operation_release(removed->freeing);
    *at = removed->next;
    free(removed);
}

static member_t **find(const void *pointer)
{
    member_t **at = &members;
    while (*at && (*at)->pointer != pointer)
        at = &(*at)->next;
    return at;
}

// Whether the stream has executed the release.
static bool has_been_freed(const member_t *member)
{
    return member->is_freed && member->freeing && kiln_sim_operation_done(member->freeing);
}

// Returns freed memory to the device until at most `keep` bytes are reserved, except what streams
// may still use.
static void shrink(hipMemPool_t pool, uint64_t keep)
{
    for (member_t **at = &members; *at && pool->kept && pool->used + pool->kept > keep;) {
        member_t *member = *at;
        if (member->pool != pool || !has_been_freed(member)) {
            at = &member->next;
            continue;
        }
        kiln_sim_memory_free(pool->device->memory, member->pointer, NULL);
        drop(at);
    }
}

static bool may_use(const member_t *member, size_t size, uint64_t stream)
{
    const bool wastes_little = member->size <= size + size / 8;
    for (unsigned i = 0; i < member->stream_count; i++) {
        if (member->freed_by[i] == stream)
            return true;
    }
    return wastes_little && member->pool->reuse[REUSE_OPPORTUNISTIC] && has_been_freed(member);
}

// The smallest reusable allocation that is large enough.
static member_t *find_freed(hipMemPool_t pool, size_t size, uint64_t stream)
{
    member_t *found = NULL;
    for (member_t *at = pool->kept && uses_again(pool) ? members : NULL; at; at = at->next) {
        if (at->pool == pool && at->is_freed && at->size >= size &&
            (!found || at->size < found->size) && may_use(at, size, stream))
            found = at;
    }
    return found;
}

static bool fits(hipMemPool_t pool, size_t size)
{
    const uint64_t held = uses_again(pool) ? pool->max_reserved : pool->used + pool->kept;
    return !pool->limit || (size <= pool->limit && held <= pool->limit - size);
}

// ---- pools

static hipError_t return_pool(hipMemPool_t *pool, int ordinal, hipMemPool_t *from)
{
    kiln_sim_device_t *device = kiln_sim_device_at(ordinal);
    if (!pool || !device)
        return pool && !from ? kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL) : invalid();
    pthread_mutex_lock(&lock);
    hipMemPool_t found = from && from[ordinal] ? from[ordinal] : default_pool(device);
    pthread_mutex_unlock(&lock);
    if (!found)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    *pool = found;
    return 0;
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int device)
{
    return return_pool(pool, device, NULL);
}

hipError_t hipDeviceGetMemPool(hipMemPool_t *pool, int device)
{
    return return_pool(pool, device, current_pools);
}

hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool)
{
    if (!kiln_sim_device_at(device) || !is_pool(pool))
        return invalid();
    if (pool->device->ordinal != device)
        return kiln_sim_hip_fail(HIP_INVALID_DEVICE, "the pool belongs to another device");
    pthread_mutex_lock(&lock);
    current_pools[device] = pool;
    pthread_mutex_unlock(&lock);
    return 0;
}

hipError_t hipMemPoolCreate(hipMemPool_t *pool, const hipMemPoolProps *p)
{
    if (!pool || !p || p->type != 1 || p->location.type != 1 ||
        (p->handle_types != 0 && p->handle_types != 1))
        return invalid(); // pinned memory of a device, not shared or shared by file descriptors
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
    hipError_t error = kiln_sim_engine_drain(pool->device);
    if (error)
        return error;
    pthread_mutex_lock(&lock);
    hipMemPool_t successor = default_pool(pool->device); // takes over the memory that is in use
    if (!successor) {
        pthread_mutex_unlock(&lock);
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    if (current_pools[pool->device->ordinal] == pool)
        current_pools[pool->device->ordinal] = NULL;
    shrink(pool, 0);
    for (member_t *at = members; at; at = at->next) {
        if (at->pool == pool) {
            at->pool = successor;
            count(at->pool, at->size, 0);
        }
    }
    pthread_mutex_unlock(&lock);
    kiln_sim_handle_drop(pool, KILN_SIM_HANDLE_POOL);
    free(pool);
    return 0;
}

hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t keep)
{
    if (!is_pool(pool))
        return invalid();
    pthread_mutex_lock(&lock);
    shrink(pool, keep);
    pthread_mutex_unlock(&lock);
    return 0;
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void *value)
{
    hipError_t error = 0;
    if (!is_pool(pool) || !value || attribute < REUSE_EVENTS || attribute > USED_HIGH)
        return invalid();
    pthread_mutex_lock(&lock);
    if (attribute <= REUSE_LAST)
        pool->reuse[attribute] = *(const int *)value;
    else if (attribute == THRESHOLD)
        pool->threshold = *(const uint64_t *)value;
    else if (*(const uint64_t *)value != 0 || attribute == RESERVED || attribute == USED)
        error = KILN_SIM_INVALID_VALUE; // only the high-water marks can be reset
    else if (attribute == USED_HIGH)
        pool->max_used = 0; // until the next allocation, even if memory is in use
    else
        pool->max_reserved = 0;
    pthread_mutex_unlock(&lock);
    return error ? invalid() : 0;
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void *value)
{
    if (!is_pool(pool) || !value || attribute < REUSE_EVENTS || attribute > USED_HIGH)
        return invalid();
    pthread_mutex_lock(&lock);
    if (attribute <= REUSE_LAST)
        *(int *)value = pool->reuse[attribute];
    else
        *(uint64_t *)value = attribute == THRESHOLD       ? pool->threshold
                             : attribute == RESERVED_HIGH ? pool->max_reserved
                             : attribute == USED_HIGH     ? pool->max_used
                             : attribute == RESERVED      ? pool->used + pool->kept
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
            return kiln_sim_hip_fail(HIP_INVALID_DEVICE,
                                     "a device's access to its own memory cannot be removed");
    }
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++) {
        pool->access[list[i].location.id] = list[i].flags;
        if (list[i].flags) // access to a device's memory is all or nothing
            __atomic_fetch_or(&kiln_sim_device_at(list[i].location.id)->peers,
                              1ull << pool->device->ordinal, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

hipError_t hipMemPoolGetAccess(hipMemAccessFlags *flags, hipMemPool_t pool,
                               hipMemLocation *location)
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

// ---- pools of other processes: a file describes such a pool, and its memory is shared allocation
// by allocation (hip_sim/memory/ipc.c)

typedef struct description {
    uint64_t magic;
    int device, access[KILN_SIM_MAX_DEVICES];
} description_t;

#define DESCRIPTION_MAGIC 0x6b6970636d706c01ull

enum { FILE_DESCRIPTOR = 1 };

hipError_t hipMemPoolExportToShareableHandle(void *out, hipMemPool_t pool,
                                             hipMemAllocationHandleType type, unsigned flags)
{
    if (!out || !is_pool(pool) || flags || type != FILE_DESCRIPTOR || pool->handle_types != type)
        return invalid();
    description_t description = {.magic = DESCRIPTION_MAGIC, .device = pool->device->ordinal};
    memcpy(description.access, pool->access, sizeof description.access);
    const int file = memfd_create("kiln-sim-pool", MFD_CLOEXEC);
    if (file < 0 ||
        pwrite(file, &description, sizeof description, 0) != (ssize_t)sizeof description) {
        if (file >= 0)
            close(file);
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, "the host cannot share the pool");
    }
    memcpy(out, &file, sizeof file); // the program closes it and passes it to other processes
    return 0;
}

hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t *pool, void *handle,
                                               hipMemAllocationHandleType type, unsigned flags)
{
    description_t description;
    if (!pool || !handle || type != FILE_DESCRIPTOR || flags)
        return invalid();
    bool good = pread((int)(intptr_t)handle, &description, sizeof description, 0) ==
                    (ssize_t)sizeof description &&
                description.magic == DESCRIPTION_MAGIC && kiln_sim_device_at(description.device);
    for (size_t i = 0; good && i < KILN_SIM_MAX_DEVICES; i++)
        good = description.access[i] == 0 || description.access[i] == 1 ||
               description.access[i] == READ_WRITE;
    if (!good)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, "not a pool handle");
    const hipMemPoolProps p = {
        .type = 1, .handle_types = FILE_DESCRIPTOR, .location = {1, description.device}};
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
    return kiln_sim_ipc_open(pointer, from, pool->device)
               ? kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL)
               : 0;
}

// ---- allocations by streams

hipError_t hipMallocFromPoolAsync(void **pointer, size_t size, hipMemPool_t pool,
                                  hipStream_t handle)
{
    KILN_SIM_CALL();
    if (!pointer || !is_pool(pool) || !kiln_sim_stream_find(handle))
        return pointer && is_pool(pool) ? kiln_sim_hip_fail(HIP_INVALID_HANDLE, "invalid stream")
                                        : invalid();
    if (kiln_sim_stream_capture(handle))
        return kiln_sim_capture_allocate(pointer, size, pool->device->ordinal, handle);
    *pointer = NULL;
    if (!size)
        return 0;
    kiln_sim_error_t error = {0};
    const uint64_t stream = kiln_sim_stream_find(handle)->id;
    member_t *made = malloc(sizeof *made);
    pthread_mutex_lock(&lock);
    member_t *freed = made ? find_freed(pool, size, stream) : NULL;
    if (freed) {
        kiln_sim_operation_release(freed->freeing);
        freed->freeing = NULL;
        freed->is_freed = false;
        count(pool, freed->size, -freed->size);
        *pointer = freed->pointer;
        pthread_mutex_unlock(&lock);
        free(made);
        return 0;
    }
    kiln_sim_memory_t *memory = pool->device->memory;
    const bool allowed = made && fits(pool, size);
    void *got =
        allowed ? kiln_sim_memory_allocate(memory, size, KILN_SIM_MEMORY_DEVICE, 0, &error) : NULL;
    if (allowed && !got && pool->kept) {
        shrink(pool, 0);
        got = kiln_sim_memory_allocate(memory, size, KILN_SIM_MEMORY_DEVICE, 0, &error);
    }
    if (got) {
        *made = (member_t){.next = members, .pointer = got, .size = size, .pool = pool};
        members = made;
        count(pool, size, 0);
    }
    pthread_mutex_unlock(&lock);
    if (!got)
        free(made);
    *pointer = got;
    return got          ? 0
           : error.code ? kiln_sim_hip_error(&error)
                        : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
}

hipError_t hipMallocAsync(void **pointer, size_t size, hipStream_t handle)
{
    KILN_SIM_CALL();
    struct kiln_sim_hip_stream *stream = pointer ? kiln_sim_stream_find(handle) : NULL;
    hipMemPool_t pool;
    if (!stream)
        return pointer ? kiln_sim_hip_fail(HIP_INVALID_HANDLE, "invalid stream") : invalid();
    hipError_t error = hipDeviceGetMemPool(&pool, stream->device->ordinal);
    return error ? error : hipMallocFromPoolAsync(pointer, size, pool, handle);
}

void kiln_sim_pool_reset(kiln_sim_device_t *device)
{
    pthread_mutex_lock(&lock);
    for (member_t **at = &members; *at;) {
        if ((*at)->pool->device == device)
            drop(at);
        else
            at = &(*at)->next;
    }
    current_pools[device->ordinal] = NULL;
    pthread_mutex_unlock(&lock);
}

bool kiln_sim_pool_forget(void *pointer)
{
    pthread_mutex_lock(&lock);
    member_t **at = find(pointer);
    const bool is_freed = *at && (*at)->is_freed;
    if (*at && !is_freed)
        drop(at);
    pthread_mutex_unlock(&lock);
    return !is_freed;
}

void kiln_sim_pool_wait(const kiln_sim_device_t *device)
{
    pthread_mutex_lock(&lock);
    for (member_t *at = all_kept ? members : NULL; at;) {
        hipMemPool_t pool = at->pool;
        if (at->is_freed && pool->device == device && pool->used + pool->kept > pool->threshold) {
            const uint64_t before = pool->kept;
            shrink(pool, pool->threshold);
            if (pool->kept != before) {
                at = members; // any may be freed
                continue;
            }
        }
        at = at->next;
    }
    pthread_mutex_unlock(&lock);
}

void kiln_sim_pool_follow(uint64_t stream, uint64_t by, const kiln_sim_operation_t *event)
{
    pthread_mutex_lock(&lock);
    for (member_t *at = all_kept ? members : NULL; at; at = at->next) {
        if (at->is_freed && at->stream_count < SAFE_STREAMS && at->pool->reuse[REUSE_EVENTS] &&
            at->freed_by[0] == by && kiln_sim_operation_is_after(event, at->freeing))
            at->freed_by[at->stream_count++] = stream;
    }
    pthread_mutex_unlock(&lock);
}

// The stream executes the release, and nothing is reused.
static hipError_t free_queued(void *pointer, size_t number)
{
    (void)number;
    pthread_mutex_lock(&lock);
    member_t **at = find(pointer);
    if (*at && (*at)->is_freed) {
        kiln_sim_memory_free((*at)->pool->device->memory, pointer, NULL);
        drop(at);
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

// Frees memory of a pool. False if the memory does not belong to a pool.
static bool free_member(void *pointer, hipStream_t handle, hipError_t *error)
{
    pthread_mutex_lock(&lock);
    member_t *member = *find(pointer);
    const bool is_freed = member && member->is_freed, again = member && uses_again(member->pool);
    if (member && !is_freed) {
        member->is_freed = true;
        member->freed_by[0] = kiln_sim_stream_find(handle)->id;
        member->stream_count = 1;
        count(member->pool, -member->size, member->size);
    }
    pthread_mutex_unlock(&lock);
    *error =
        is_freed ? kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the memory is already freed") : 0;
    if (!member || is_freed)
        return member;
    kiln_sim_work_t work = {.kind = KILN_SIM_WORK_EMPTY};
    if (!again)
        work =
            (kiln_sim_work_t){.kind = KILN_SIM_WORK_CALL, .call = {free_queued, pointer, 0, NULL}};
    kiln_sim_operation_t *freeing;
    *error = kiln_sim_engine_enqueue(handle, &work, KILN_SIM_QUEUED, NULL, 0, &freeing);
    pthread_mutex_lock(&lock);
    member = *find(pointer);
    const bool is_own = member && member->is_freed && !member->freeing;
    if (is_own && *error) { // the release failed
        member->is_freed = false;
        member->stream_count = 0;
        count(member->pool, member->size, -member->size);
    } else if (is_own) {
        member->freeing = freeing;
    }
    pthread_mutex_unlock(&lock);
    if (!is_own)
        kiln_sim_operation_release(freeing);
    return true;
}

hipError_t kiln_sim_pool_free(void *pointer)
{
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
    kiln_sim_hip_report_misuse(device, "hipFreeAsync", error.text);
    return kiln_sim_hip_error(&error);
}

static hipError_t free_now(void *pointer, size_t number)
{
    (void)number;
    return kiln_sim_pool_free(pointer);
}

hipError_t hipFreeAsync(void *pointer, hipStream_t handle)
{
    KILN_SIM_CALL();
    const kiln_sim_allocation_t *found;
    if (!pointer)
        return invalid();
    if (!kiln_sim_stream_find(handle))
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "invalid stream");
    if (kiln_sim_stream_capture(handle)) {
        const kiln_sim_work_t node = {.kind = KILN_SIM_WORK_FREE, .freed = pointer};
        return kiln_sim_submit(handle, &node);
    }
    hipError_t error;
    if (free_member(pointer, handle, &error))
        return error;
    // A pointer that is known to be invalid is reported immediately.
    if (!kiln_sim_device_of(pointer, &found) || found->base != (uint64_t)(uintptr_t)pointer)
        return free_now(pointer, 0);
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_CALL, .call = {free_now, pointer, 0, NULL}};
    error = kiln_sim_submit(handle, &work);
    if (!error)
        kiln_sim_graph_memory_clear_live(pointer);
    return error;
}
