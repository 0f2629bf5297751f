// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: memory that processes share. When its owner first shares an allocation, its
// bytes move into a file in the host's memory (memfd) that replaces its pages. A handle names the
// owner's process and that file, which another process of the same user opens through /proc.
//
// A handle is 64 bytes of untrusted data. Only a file that it names is opened, and only if it is a
// file of this library and of this user with exactly the size of the memory and a seal against
// shrinking.
//
// The allocation keeps its address in the process that created it and has another one in each
// process that opens it.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "hip_sim/entry.h"
#include "hip_sim/graph/graph.h"
#include "hip_sim/stream/engine.h"
#include "hip_sim/stream/event.h"

#define HANDLE_MAGIC 0x6b6970636d656d01ull
#define EVENT_HANDLE_MAGIC 0x6b69706365767401ull
#define PAGE 4096ull
#define MEMORY_FILE "kiln-sim-ipc"
#define EVENT_FILE "kiln-sim-event"

typedef struct handle {
    uint64_t magic, size, offset;
    int32_t process, file;
    uint64_t device, inode; // identify the file
} handle_t;

_Static_assert(sizeof(handle_t) <= sizeof(hipIpcMemHandle_t), "handles have 64 bytes");

// Allocations that this process shares, and those that it has opened.
typedef struct shared {
    struct shared *next;
    uint64_t base, size, number; // of the allocation, which may be freed
    int file;
} shared_t;

typedef struct opened {
    struct opened *next;
    handle_t handle;
    kiln_sim_device_t *device;
    void *base;
    unsigned references;
} opened_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static shared_t *given;
static opened_t *taken;

static hipError_t invalid(const char *why)
{
    return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, why);
}

static handle_t read_handle(const void *bytes)
{
    handle_t handle;
    memcpy(&handle, bytes, sizeof handle);
    return handle;
}

// Unused bytes of a handle must be zero.
static bool is_handle(const void *bytes, uint64_t magic)
{
    const handle_t handle = read_handle(bytes);
    const char *rest = (const char *)bytes + sizeof handle;
    bool good = handle.magic == magic && handle.process > 0 && handle.file >= 0;
    for (size_t i = 0; good && i < sizeof(hipIpcMemHandle_t) - sizeof handle; i++)
        good = rest[i] == 0;
    return good;
}

// The size in whole pages; 0 if no file can have it.
static uint64_t round_up(uint64_t size)
{
    return size > INT64_MAX - PAGE ? 0 : (size + PAGE - 1) / PAGE * PAGE;
}

static int make_file(const char *name, uint64_t bytes)
{
    const int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file >= 0 && ftruncate(file, (off_t)bytes) == 0 &&
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

// Checks the name before the file is opened, because opening a device or a pipe may have side
// effects.
static bool is_named(const char *path, const char *name)
{
    char target[64], wanted[64];
    const ssize_t length = readlink(path, target, sizeof target - 1);
    const int expected = snprintf(wanted, sizeof wanted, "/memfd:%s", name);
    return length >= expected && strncmp(target, wanted, (size_t)expected) == 0 &&
           (length == expected || target[expected] == ' '); // " (deleted)"
}

static int open_file(const handle_t *handle, const char *name, uint64_t bytes)
{
    char path[64];
    struct stat info;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", handle->process, handle->file);
    const int file = is_named(path, name) ? open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK) : -1;
    if (file < 0)
        return -1;
    const int seals = fcntl(file, F_GET_SEALS);
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
        (uint64_t)info.st_dev == handle->device && (uint64_t)info.st_ino == handle->inode &&
        seals >= 0 && seals & F_SEAL_SHRINK && (uint64_t)info.st_size == bytes)
        return file;
    close(file);
    return -1;
}

static bool name_file(handle_t *handle, int file)
{
    struct stat info;
    handle->process = getpid();
    handle->file = file;
    if (fstat(file, &info) != 0)
        return false;
    handle->device = (uint64_t)info.st_dev;
    handle->inode = (uint64_t)info.st_ino;
    return true;
}

// Moves the allocation's bytes into a file. The device must be idle.
static int share(const kiln_sim_allocation_t *allocation)
{
    const uint64_t size = allocation->size;
    char *base = (char *)(uintptr_t)allocation->base;
    const int file = make_file(MEMORY_FILE, size);
    bool good = file >= 0;
    for (uint64_t at = 0; good && at < size;) {
        const ssize_t done = pwrite(file, base + at, size - at, (off_t)at);
        good = done > 0 || (done < 0 && errno == EINTR);
        at += done > 0 ? (uint64_t)done : 0;
    }
    good = good && mmap(base, round_up(size), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                        0) != MAP_FAILED;
    if (!good && file >= 0)
        close(file);
    return good ? file : -1;
}

// Closes the files of freed allocations. Requires the lock.
static void remove_unmapped(void)
{
    const kiln_sim_allocation_t *live;
    for (shared_t **at = &given; *at;) {
        shared_t *removed = *at;
        if (kiln_sim_device_of((const void *)(uintptr_t)removed->base, &live) &&
            live->base == removed->base && live->number == removed->number) {
            at = &removed->next;
            continue;
        }
        close(removed->file);
        *at = removed->next;
        free(removed);
    }
}

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *out, void *pointer)
{
    const kiln_sim_allocation_t *found;
    handle_t handle = {.magic = HANDLE_MAGIC};
    if (!out || !pointer)
        return invalid(NULL);
    kiln_sim_device_t *device = kiln_sim_device_of(pointer, &found);
    if (!device || found->kind != KILN_SIM_MEMORY_DEVICE)
        return invalid("only device memory can be shared with other processes");
    hipError_t error = kiln_sim_engine_drain(device);
    if (error)
        return error;
    kiln_sim_memory_fill_now(device->memory, found);
    pthread_mutex_lock(&lock);
    remove_unmapped();
    shared_t *at = given;
    while (at && (at->base != found->base || at->number != found->number))
        at = at->next;
    if (!at && (at = malloc(sizeof *at))) {
        *at = (shared_t){given, found->base, found->size, found->number, share(found)};
        if (at->file >= 0) {
            given = at;
        } else {
            free(at);
            at = NULL;
        }
    }
    bool good = at && name_file(&handle, at->file);
    pthread_mutex_unlock(&lock);
    if (!good)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, "the host cannot share the memory");
    handle.size = found->size;
    handle.offset = (uint64_t)(uintptr_t)pointer - found->base;
    memset(out, 0, sizeof *out);
    memcpy(out, &handle, sizeof handle);
    return 0;
}

hipError_t kiln_sim_ipc_open(void **pointer, const hipIpcMemHandle_t *from,
                             kiln_sim_device_t *device)
{
    const handle_t handle = read_handle(from);
    if (!is_handle(from, HANDLE_MAGIC) || !handle.size || handle.offset >= handle.size)
        return invalid("not a memory handle");
    pthread_mutex_lock(&lock);
    opened_t *at = taken;
    while (at && (at->handle.process != handle.process || at->handle.file != handle.file ||
                  at->handle.inode != handle.inode || at->handle.device != handle.device ||
                  at->device != device))
        at = at->next;
    if (at && (at->handle.size != handle.size || at->references == UINT32_MAX)) {
        pthread_mutex_unlock(&lock);
        return invalid("the handle does not belong to the memory");
    }
    if (at) {
        at->references++;
        *pointer = (char *)at->base + handle.offset;
        pthread_mutex_unlock(&lock);
        return 0;
    }
    const uint64_t bytes = round_up(handle.size);
    const int file = bytes ? open_file(&handle, MEMORY_FILE, handle.size) : -1;
    void *base =
        file >= 0 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (file >= 0)
        close(file);
    kiln_sim_error_t error = {0};
    opened_t *made = base != MAP_FAILED ? malloc(sizeof *made) : NULL;
    if (made && kiln_sim_memory_register(device->memory, base, handle.size, KILN_SIM_MEMORY_MAPPED,
                                         0, &error)) {
        *made = (opened_t){taken, handle, device, base, 1};
        taken = made;
        *pointer = (char *)base + handle.offset;
        pthread_mutex_unlock(&lock);
        return 0;
    }
    pthread_mutex_unlock(&lock);
    if (base != MAP_FAILED)
        munmap(base, bytes);
    free(made);
    return error.code ? kiln_sim_hip_error(&error)
                      : invalid("the exporting process or the memory no longer exists");
}

hipError_t hipIpcOpenMemHandle(void **pointer, hipIpcMemHandle_t from, unsigned flags)
{
    const handle_t handle = read_handle(&from);
    if (!pointer || flags != 1) // hipIpcMemLazyEnablePeerAccess
        return invalid(NULL);
    if (handle.magic == HANDLE_MAGIC && handle.process == getpid())
        return kiln_sim_hip_fail(HIP_INVALID_CONTEXT,
                                 "the exporting process cannot open its own memory handle");
    return kiln_sim_ipc_open(pointer, &from, kiln_sim_device());
}

bool kiln_sim_ipc_close(const void *pointer)
{
    const kiln_sim_allocation_t *found;
    const bool known =
        pointer && kiln_sim_device_of(pointer, &found) && found->kind == KILN_SIM_MEMORY_MAPPED;
    bool closed = false;
    pthread_mutex_lock(&lock);
    for (opened_t **at = &taken; known && *at; at = &(*at)->next) {
        opened_t *removed = *at;
        if ((uint64_t)(uintptr_t)removed->base != found->base)
            continue;
        closed = true;
        if (--removed->references == 0) {
            kiln_sim_memory_free(removed->device->memory, removed->base, NULL);
            munmap(removed->base, round_up(removed->handle.size));
            *at = removed->next;
            free(removed);
        }
        break;
    }
    pthread_mutex_unlock(&lock);
    return closed;
}

hipError_t hipIpcCloseMemHandle(void *pointer)
{
    const kiln_sim_allocation_t *found;
    kiln_sim_device_t *device = pointer ? kiln_sim_device_of(pointer, &found) : NULL;
    hipError_t error = device ? kiln_sim_engine_drain(device) : 0;
    if (error)
        return error;
    return kiln_sim_ipc_close(pointer) ? 0 : invalid("not memory of another process");
}

// ---- events: two numbers in one page
//
// The process that created an event holds a lock of its file for as long as it has the event. The
// system releases the lock with the process's files: when it ends, even if its parent has not
// waited for it (a zombie), and when it executes another program. A process id shows none of this.

typedef struct page {
    uint64_t begun, reached; // atomic
} page_t;

struct kiln_sim_shared_event {
    unsigned references; // atomic
    page_t *page;
    int file;
    handle_t handle;
};

// Takes the file, also if it fails.
static kiln_sim_shared_event_t *map_event(int file)
{
    kiln_sim_shared_event_t *made = malloc(sizeof *made);
    void *page = made ? mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (page == MAP_FAILED) {
        free(made);
        close(file);
        return NULL;
    }
    *made = (kiln_sim_shared_event_t){1, page, file, {0}};
    return made;
}

kiln_sim_shared_event_t *kiln_sim_shared_event_make(void)
{
    const int file = make_file(EVENT_FILE, PAGE);
    kiln_sim_shared_event_t *made = file >= 0 ? map_event(file) : NULL;
    struct flock held = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (made && (fcntl(file, F_SETLK, &held) != 0 || !name_file(&made->handle, file))) {
        kiln_sim_shared_event_release(made);
        return NULL;
    }
    if (made)
        made->handle.magic = EVENT_HANDLE_MAGIC;
    return made;
}

void kiln_sim_shared_event_hold(kiln_sim_shared_event_t *event)
{
    __atomic_fetch_add(&event->references, 1, __ATOMIC_RELAXED);
}

void kiln_sim_shared_event_release(kiln_sim_shared_event_t *event)
{
    if (!event || __atomic_sub_fetch(&event->references, 1, __ATOMIC_ACQ_REL))
        return;
    munmap(event->page, PAGE);
    close(event->file);
    free(event);
}

void kiln_sim_shared_event_name(const kiln_sim_shared_event_t *event, hipIpcEventHandle_t *handle)
{
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &event->handle, sizeof event->handle);
}

hipError_t kiln_sim_shared_event_open(const hipIpcEventHandle_t *from,
                                      kiln_sim_shared_event_t **out)
{
    const handle_t handle = read_handle(from);
    if (!is_handle(from, EVENT_HANDLE_MAGIC) || handle.size || handle.offset)
        return invalid("not an event handle");
    if (handle.process == getpid())
        return kiln_sim_hip_fail(HIP_INVALID_CONTEXT,
                                 "the exporting process cannot open its own event handle");
    const int file = open_file(&handle, EVENT_FILE, PAGE);
    *out = file >= 0 ? map_event(file) : NULL;
    if (!*out)
        return invalid("the exporting process or the event no longer exists");
    (*out)->handle = handle;
    return 0;
}

// Whether the process that created the event still has it. If not, it records nothing any more, so
// waiting for its event must stop.
static bool maker_lives(const kiln_sim_shared_event_t *event)
{
    struct flock held = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return event->handle.process == getpid() || // F_GETLK does not find the process's own locks
           fcntl(event->file, F_GETLK, &held) != 0 || held.l_type != F_UNLCK;
}

size_t kiln_sim_shared_event_begin(kiln_sim_shared_event_t *event)
{
    return __atomic_add_fetch(&event->page->begun, 1, __ATOMIC_ACQ_REL);
}

size_t kiln_sim_shared_event_last(kiln_sim_shared_event_t *event)
{
    return __atomic_load_n(&event->page->begun, __ATOMIC_ACQUIRE);
}

void kiln_sim_shared_event_reach(kiln_sim_shared_event_t *event, size_t number)
{
    uint64_t reached = __atomic_load_n(&event->page->reached, __ATOMIC_ACQUIRE);
    while (reached < number &&
           !__atomic_compare_exchange_n(&event->page->reached, &reached, number, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
}

bool kiln_sim_shared_event_is(kiln_sim_shared_event_t *event, size_t number)
{
    return __atomic_load_n(&event->page->reached, __ATOMIC_ACQUIRE) >= number;
}

void kiln_sim_shared_event_wait(kiln_sim_shared_event_t *event, size_t number)
{
    const struct timespec moment = {0, 50000};
    while (!kiln_sim_shared_event_is(event, number) && kiln_sim_engine_is_running() &&
           maker_lives(event))
        nanosleep(&moment, NULL);
}
