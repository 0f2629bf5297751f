// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arena and its table of allocations.
//
// Reserving the arena only takes address space. Pages become resident when first touched, and freed
// ones are returned to the system at once; `limit` keeps a program from allocating more than the
// host has. The gaps between allocations are inaccessible to the host program only while there are
// few allocations, because Linux limits a process to 65530 mappings.
#include "memory/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"

#define PAGE 4096ull
#define GUARD 4096ull
#define ARENA_SIZE (256ull << 30)
#define CLOSED_UP_TO 8192u // allocations
// An address range that is normally unused, so that device addresses are the same in every run. The
// next machine of a process takes the next range. The system may choose another one.
#ifdef __SANITIZE_THREAD__ // TSan leaves little to programs
#define ARENA_HINT 0x10000000000ull
#define ARENA_STEP (1ull << 39)
#define ARENA_HINTS 2
#else
#define ARENA_HINT 0x200000000000ull
#define ARENA_STEP (1ull << 40)
#define ARENA_HINTS 16
#endif

static void *reserve(uint64_t size)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    for (unsigned i = 0; i < ARENA_HINTS; i++) {
        void *hint = (void *)(uintptr_t)(ARENA_HINT + i * ARENA_STEP);
        void *base = mmap(hint, size, PROT_NONE, flags, -1, 0);
        if (base == hint)
            return base;
        if (base != MAP_FAILED)
            munmap(base, size); // the range is taken
    }
    return mmap(NULL, size, PROT_NONE, flags, -1, 0);
}

static void lock_to_read(const kiln_sim_memory_t *memory)
{
    pthread_rwlock_rdlock((pthread_rwlock_t *)(uintptr_t)&memory->lock);
}

static void lock_to_write(kiln_sim_memory_t *memory)
{
    pthread_rwlock_wrlock(&memory->lock);
}

static void unlock(const kiln_sim_memory_t *memory)
{
    pthread_rwlock_unlock((pthread_rwlock_t *)(uintptr_t)&memory->lock);
}

bool kiln_sim_memory_open(kiln_sim_memory_t *memory, kiln_sim_error_t *error)
{
    *memory = (kiln_sim_memory_t){0};
    pthread_rwlock_init(&memory->lock, NULL);
    pthread_mutex_init(&memory->filling, NULL);
    for (uint64_t size = ARENA_SIZE; size >= 1ull << 30; size /= 2) {
        void *base = reserve(size);
        if (base == MAP_FAILED)
            continue;
        memory->arena = (uint64_t)(uintptr_t)base;
        memory->arena_size = size;
        memory->cursor = memory->arena + GUARD;
        break;
    }
    if (!memory->arena)
        return kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY,
                             "cannot reserve address space for device memory");

    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t host = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 4ull << 30;
    memory->host_limit = host / 4 * 3;
    if (memory->host_limit > memory->arena_size / 2)
        memory->host_limit = memory->arena_size / 2;
    memory->limit = memory->host_limit;
    return true;
}

void kiln_sim_memory_close(kiln_sim_memory_t *memory)
{
    if (memory->arena)
        munmap((void *)(uintptr_t)memory->arena, memory->arena_size);
    if (memory->written)
        munmap(memory->written, memory->arena_size);
    for (size_t i = 0; i < memory->count; i++) {
        kiln_sim_memory_drop_later(memory, memory->table[i]);
        free(memory->table[i]);
    }
    for (size_t i = 0; memory->records && i < KILN_SIM_MAX_FREED; i++)
        free(memory->records[i]);
    free(memory->table);
    free(memory->freed);
    free(memory->records);
    free(memory->left_open);
    pthread_mutex_destroy(&memory->filling);
    pthread_rwlock_destroy(&memory->lock);
    *memory = (kiln_sim_memory_t){0};
}

static bool in_arena(const kiln_sim_memory_t *memory, uint64_t address, uint64_t bytes)
{
    uint64_t offset = address - memory->arena;
    return offset < memory->arena_size && memory->arena_size - offset >= bytes;
}

void kiln_sim_memory_mark(const kiln_sim_memory_t *memory, uint64_t address, uint64_t bytes)
{
    if (memory->written && in_arena(memory, address, bytes))
        memset(memory->written + (address - memory->arena), 1, bytes);
}

void kiln_sim_memory_mark_copy(const kiln_sim_memory_t *memory, uint64_t to, uint64_t from,
                               uint64_t bytes)
{
    const kiln_sim_allocation_t *source =
        memory->written ? kiln_sim_memory_find(memory, from) : NULL;
    if (source && source->kind == KILN_SIM_MEMORY_DEVICE && in_arena(memory, to, bytes))
        memmove(memory->written + (to - memory->arena), memory->written + (from - memory->arena),
                bytes);
    else
        kiln_sim_memory_mark(memory, to, bytes);
}

bool kiln_sim_memory_track(kiln_sim_memory_t *memory, kiln_sim_error_t *error)
{
    if (memory->written)
        return true;
    void *marks = mmap(NULL, memory->arena_size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (marks == MAP_FAILED)
        return kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY,
                             "cannot reserve address space to track undefined memory");
    lock_to_write(memory);
    memory->written = marks;
    for (size_t i = 0; i < memory->count; i++)
        kiln_sim_memory_mark(memory, memory->table[i]->base, memory->table[i]->size);
    unlock(memory);
    return true;
}

// Index of the first allocation whose base is above address.
static size_t upper_bound(const kiln_sim_memory_t *memory, uint64_t address)
{
    size_t low = 0, high = memory->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memory->table[middle]->base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool table_insert(kiln_sim_memory_t *memory, kiln_sim_allocation_t allocation)
{
    if (!KILN_ARRAY_RESERVE(&memory->table, &memory->capacity, memory->count + 1))
        return false;
    kiln_sim_allocation_t **old =
        memory->records ? &memory->records[memory->freed_count % KILN_SIM_MAX_FREED] : NULL;
    kiln_sim_allocation_t *made = old && *old ? *old : malloc(sizeof *made);
    if (!made)
        return false;
    if (old)
        *old = NULL;
    *made = allocation;
    size_t at = upper_bound(memory, allocation.base);
    memmove(memory->table + at + 1, memory->table + at,
            (memory->count - at) * sizeof(*memory->table));
    memory->table[at] = made;
    memory->count++;
    return true;
}

static uint64_t span_of(uint64_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE + GUARD;
}

// A free range of `span` bytes in [from, to), or 0.
static uint64_t find_room(const kiln_sim_memory_t *memory, uint64_t from, uint64_t to,
                          uint64_t span)
{
    size_t next = upper_bound(memory, from);
    if (next > 0) {
        const kiln_sim_allocation_t *before = memory->table[next - 1];
        uint64_t end = before->base + span_of(before->size);
        if (end > from)
            from = end;
    }
    while (from <= to && to - from >= span) {
        if (next == memory->count || memory->table[next]->base >= from + span)
            return from;
        from = memory->table[next]->base + span_of(memory->table[next]->size);
        next++;
    }
    return 0;
}

// Makes the pages of a new allocation accessible to the host program. The lock is held.
static bool open_pages(kiln_sim_memory_t *memory, uint64_t base, uint64_t bytes)
{
    if (memory->all_open)
        return true;
    if (memory->count < CLOSED_UP_TO)
        return mprotect((void *)(uintptr_t)base, bytes, PROT_READ | PROT_WRITE) == 0;
    memory->all_open =
        mprotect((void *)(uintptr_t)memory->arena, memory->arena_size, PROT_READ | PROT_WRITE) == 0;
    return memory->all_open;
}

static void close_pages(const kiln_sim_memory_t *memory, uint64_t base, uint64_t bytes)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    void *pages = (void *)(uintptr_t)base;
    // A fresh mapping drops the pages and makes later accesses fault in the host, too.
    if (memory->all_open || mmap(pages, bytes, PROT_NONE, flags, -1, 0) == MAP_FAILED)
        madvise(pages, bytes, MADV_DONTNEED);
}

static __thread uint64_t limit_here;

void kiln_sim_memory_limit_here(uint64_t limit)
{
    limit_here = limit;
}

uint64_t kiln_sim_memory_limit(const kiln_sim_memory_t *memory)
{
    return limit_here ? limit_here : memory->limit;
}

uint64_t kiln_sim_memory_total(const kiln_sim_memory_t *memory)
{
    return memory->limit;
}

uint64_t kiln_sim_memory_arena(const kiln_sim_memory_t *memory, uint64_t *out_size)
{
    *out_size = memory->arena_size;
    return memory->arena;
}

void kiln_sim_memory_set_elsewhere(kiln_sim_memory_t *memory, kiln_sim_elsewhere_t *elsewhere)
{
    memory->elsewhere = elsewhere;
}

uint64_t kiln_sim_memory_limit_of(const kiln_sim_memory_t *memory, uint64_t bytes)
{
    return memory->host_limit < bytes ? memory->host_limit : bytes;
}

// The lock is held.
static void *allocate(kiln_sim_memory_t *memory, uint64_t size, kiln_sim_memory_kind_t kind,
                      unsigned flags, kiln_sim_error_t *error)
{
    const uint64_t limit = kiln_sim_memory_limit(memory);
    if (size == 0 || size > limit || memory->used > limit - size) {
        kiln_sim_fail(
            error, KILN_SIM_OUT_OF_MEMORY,
            "cannot allocate %llu bytes: %llu of the simulated device's %llu bytes are in use",
            (unsigned long long)size, (unsigned long long)memory->used, (unsigned long long)limit);
        return NULL;
    }
    uint64_t end = memory->arena + memory->arena_size;
    uint64_t base = find_room(memory, memory->cursor, end, span_of(size));
    if (!base)
        base = find_room(memory, memory->arena + GUARD, end, span_of(size));
    uint64_t bytes = span_of(size) - GUARD;
    if (!base || !open_pages(memory, base, bytes) ||
        !table_insert(memory,
                      (kiln_sim_allocation_t){base, size, kind, flags, memory->made + 1, NULL})) {
        kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY,
                      "no address space for an allocation of %llu bytes", (unsigned long long)size);
        return NULL;
    }
    if (memory->left_open_count) // users may have written to it after it was freed
        madvise((void *)(uintptr_t)base, bytes, MADV_DONTNEED);
    memory->made++;
    memory->cursor = base + span_of(size);
    memory->used += size;
    return (void *)(uintptr_t)base;
}

void *kiln_sim_memory_allocate(kiln_sim_memory_t *memory, uint64_t size,
                               kiln_sim_memory_kind_t kind, unsigned flags, kiln_sim_error_t *error)
{
    lock_to_write(memory);
    void *made = allocate(memory, size, kind, flags, error);
    unlock(memory);
    return made;
}

uint64_t kiln_sim_memory_left(const kiln_sim_memory_t *memory)
{
    lock_to_read(memory);
    const uint64_t limit = kiln_sim_memory_limit(memory);
    uint64_t left = limit > memory->used ? limit - memory->used : 0;
    unlock(memory);
    return left;
}

bool kiln_sim_memory_charge(kiln_sim_memory_t *memory, uint64_t bytes)
{
    lock_to_write(memory);
    const uint64_t limit = kiln_sim_memory_limit(memory);
    bool good = bytes <= limit && memory->used <= limit - bytes;
    memory->used += good ? bytes : 0;
    unlock(memory);
    return good;
}

void kiln_sim_memory_discharge(kiln_sim_memory_t *memory, uint64_t bytes)
{
    lock_to_write(memory);
    memory->used -= bytes;
    unlock(memory);
}

// The lock is held.
static bool enter(kiln_sim_memory_t *memory, void *base, uint64_t size, kiln_sim_memory_kind_t kind,
                  unsigned flags, kiln_sim_error_t *error)
{
    uint64_t address = (uint64_t)(uintptr_t)base;
    size_t next = upper_bound(memory, address);
    bool overlaps =
        (next > 0 && memory->table[next - 1]->base + memory->table[next - 1]->size > address) ||
        (next < memory->count && memory->table[next]->base < address + size);
    if (size == 0 || address + size < address || overlaps)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                             "cannot register %llu bytes at %p: empty or already registered",
                             (unsigned long long)size, base);
    if (!table_insert(memory,
                      (kiln_sim_allocation_t){address, size, kind, flags, memory->made + 1, NULL}))
        return kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory");
    memory->made++;
    return true;
}

bool kiln_sim_memory_register(kiln_sim_memory_t *memory, void *base, uint64_t size,
                              kiln_sim_memory_kind_t kind, unsigned flags, kiln_sim_error_t *error)
{
    lock_to_write(memory);
    bool good = enter(memory, base, size, kind, flags, error);
    unlock(memory);
    return good;
}

static void remember(kiln_sim_memory_t *memory, kiln_sim_allocation_t *freed)
{
    if (!memory->freed)
        memory->freed = calloc(KILN_SIM_MAX_FREED, sizeof *memory->freed);
    if (!memory->records)
        memory->records = calloc(KILN_SIM_MAX_FREED, sizeof *memory->records);
    if (!memory->freed || !memory->records)
        return; // out of memory: the record is lost, which only affects diagnostics
    const size_t at = memory->freed_count++ % KILN_SIM_MAX_FREED;
    memory->freed[at] =
        (kiln_sim_freed_t){*freed, __atomic_load_n(&memory->launches, __ATOMIC_RELAXED)};
    free(memory->records[at]);
    memory->records[at] = freed;
}

static const kiln_sim_allocation_t *find(const kiln_sim_memory_t *memory, uint64_t address);
static const kiln_sim_freed_t *find_freed(const kiln_sim_memory_t *memory, uint64_t address);
static void describe(const kiln_sim_memory_t *memory, uint64_t address, uint64_t bytes, char *text,
                     size_t size);

static bool describe_wrong_free(const kiln_sim_memory_t *memory, uint64_t address,
                                kiln_sim_error_t *error)
{
    const kiln_sim_allocation_t *holder = find(memory, address);
    const kiln_sim_freed_t *freed = find_freed(memory, address);
    char name[128], place[256];
    if (freed && freed->allocation.base == address) {
        kiln_sim_memory_name(&freed->allocation, name, sizeof name);
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                             "double free of %s; it was first freed after %" PRIu64
                             " kernel launches, %" PRIu64 " so far",
                             name, freed->launches,
                             __atomic_load_n(&memory->launches, __ATOMIC_RELAXED));
    }
    if (holder) {
        kiln_sim_memory_name(holder, name, sizeof name);
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                             "0x%" PRIx64
                             " is freed, which is not the start of an allocation, but %" PRIu64
                             " bytes into %s",
                             address, address - holder->base, name);
    }
    describe(memory, address, 1, place, sizeof place);
    return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                         "0x%" PRIx64 " is freed, which is not an allocation%s", address, place);
}

// Drops the pages' contents but leaves them accessible to their users. If the record cannot be
// stored, they stay open. The lock is held.
static void leave_open(kiln_sim_memory_t *memory, uint64_t base, uint64_t bytes)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    void *pages = (void *)(uintptr_t)base;
    // A fresh mapping: pages that other processes share would stay.
    if (mmap(pages, bytes, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)
        madvise(pages, bytes, MADV_DONTNEED);
    if (!KILN_ARRAY_RESERVE(&memory->left_open, &memory->left_open_capacity,
                            memory->left_open_count + 1))
        return;
    memory->left_open[memory->left_open_count++] = (struct kiln_sim_pages){base, bytes};
}

// The lock is held.
static bool is_allocated(const kiln_sim_memory_t *memory, uint64_t base, uint64_t bytes)
{
    const size_t next = upper_bound(memory, base + bytes - 1);
    return next > 0 &&
           memory->table[next - 1]->base + span_of(memory->table[next - 1]->size) > base;
}

void kiln_sim_memory_begin_use(kiln_sim_memory_t *memory)
{
    lock_to_write(memory);
    memory->users++;
    unlock(memory);
}

void kiln_sim_memory_end_use(kiln_sim_memory_t *memory)
{
    lock_to_write(memory);
    if (--memory->users == 0) {
        for (size_t i = 0; i < memory->left_open_count; i++)
            if (!is_allocated(memory, memory->left_open[i].base, memory->left_open[i].size))
                close_pages(memory, memory->left_open[i].base, memory->left_open[i].size);
        memory->left_open_count = 0;
    }
    unlock(memory);
}

// The lock is held.
static bool release(kiln_sim_memory_t *memory, const void *base, kiln_sim_error_t *error)
{
    uint64_t address = (uint64_t)(uintptr_t)base;
    size_t next = upper_bound(memory, address);
    if (next == 0 || memory->table[next - 1]->base != address)
        return describe_wrong_free(memory, address, error);
    size_t at = next - 1;
    kiln_sim_allocation_t *freed = memory->table[at];
    memmove(memory->table + at, memory->table + next,
            (memory->count - next) * sizeof(*memory->table));
    memory->count--;
    kiln_sim_memory_drop_later(memory, freed);
    if (freed->kind != KILN_SIM_MEMORY_REGISTERED && freed->kind != KILN_SIM_MEMORY_MAPPED) {
        uint64_t bytes = span_of(freed->size) - GUARD;
        if (memory->users)
            leave_open(memory, freed->base, bytes);
        else
            close_pages(memory, freed->base, bytes);
        if (memory->written)
            madvise(memory->written + (freed->base - memory->arena), bytes, MADV_DONTNEED);
        memory->used -= freed->size;
    }
    remember(memory, freed);
    return true;
}

bool kiln_sim_memory_reregister(kiln_sim_memory_t *memory, void *base, uint64_t size,
                                kiln_sim_memory_kind_t kind, unsigned flags,
                                kiln_sim_error_t *error)
{
    lock_to_write(memory);
    bool good = release(memory, base, error) && enter(memory, base, size, kind, flags, error);
    unlock(memory);
    return good;
}

bool kiln_sim_memory_free(kiln_sim_memory_t *memory, const void *base, kiln_sim_error_t *error)
{
    lock_to_write(memory);
    bool good = release(memory, base, error);
    unlock(memory);
    return good;
}

void kiln_sim_memory_each(const kiln_sim_memory_t *memory,
                          bool (*call)(const kiln_sim_allocation_t *allocation, void *data),
                          void *data)
{
    lock_to_read(memory);
    for (size_t i = 0; i < memory->count && call(memory->table[i], data); i++)
        ;
    unlock(memory);
}

static const kiln_sim_allocation_t *find(const kiln_sim_memory_t *memory, uint64_t address)
{
    size_t next = upper_bound(memory, address);
    if (next == 0)
        return NULL;
    const kiln_sim_allocation_t *found = memory->table[next - 1];
    return address - found->base < found->size ? found : NULL;
}

const kiln_sim_allocation_t *kiln_sim_memory_find(const kiln_sim_memory_t *memory, uint64_t address)
{
    lock_to_read(memory);
    const kiln_sim_allocation_t *found = find(memory, address);
    unlock(memory);
    return found;
}

static const kiln_sim_freed_t *find_freed(const kiln_sim_memory_t *memory, uint64_t address)
{
    size_t kept =
        memory->freed_count < KILN_SIM_MAX_FREED ? memory->freed_count : KILN_SIM_MAX_FREED;
    if (!memory->freed || find(memory, address))
        return NULL;
    for (size_t i = 1; i <= kept; i++) {
        const kiln_sim_freed_t *freed =
            &memory->freed[(memory->freed_count - i) % KILN_SIM_MAX_FREED];
        if (address - freed->allocation.base < freed->allocation.size)
            return freed;
    }
    return NULL;
}

const kiln_sim_freed_t *kiln_sim_memory_find_freed(const kiln_sim_memory_t *memory,
                                                   uint64_t address)
{
    lock_to_read(memory);
    const kiln_sim_freed_t *found = find_freed(memory, address);
    unlock(memory);
    return found;
}

static const kiln_sim_allocation_t *nearest(const kiln_sim_memory_t *memory, uint64_t address)
{
    size_t next = upper_bound(memory, address);
    const kiln_sim_allocation_t *below = next > 0 ? memory->table[next - 1] : NULL;
    const kiln_sim_allocation_t *above = next < memory->count ? memory->table[next] : NULL;
    if (!below || !above)
        return below ? below : above;
    uint64_t end = below->base + below->size;
    uint64_t distance = address < end ? 0 : address - end;
    return distance <= above->base - address ? below : above;
}

const kiln_sim_allocation_t *kiln_sim_memory_nearest(const kiln_sim_memory_t *memory,
                                                     uint64_t address)
{
    lock_to_read(memory);
    const kiln_sim_allocation_t *found = nearest(memory, address);
    unlock(memory);
    return found;
}

void kiln_sim_memory_name(const kiln_sim_allocation_t *allocation, char *text, size_t size)
{
    snprintf(text, size, "%s, %" PRIu64 " bytes at 0x%" PRIx64 ", number %" PRIu64,
             kiln_sim_memory_kind_name(allocation->kind), allocation->size, allocation->base,
             allocation->number);
}

// Whether the nearest live allocation describes the access better than `freed` does. Registered
// memory still belongs to the program after it is unregistered, and may have been a large range
// unrelated to the access. A live allocation that is nearer than its start is more useful.
static bool is_better_described(const kiln_sim_allocation_t *near, const kiln_sim_freed_t *freed,
                                uint64_t address)
{
    if (freed->allocation.kind != KILN_SIM_MEMORY_REGISTERED || !near)
        return false;
    const uint64_t distance = address < near->base ? near->base - address
                              : address - near->base < near->size
                                  ? 0
                                  : address - near->base - near->size;
    return distance < address - freed->allocation.base;
}

static void describe(const kiln_sim_memory_t *memory, uint64_t address, uint64_t bytes, char *text,
                     size_t size)
{
    const kiln_sim_freed_t *freed = find_freed(memory, address);
    const kiln_sim_allocation_t *near = nearest(memory, address);
    char name[128];
    text[0] = 0;
    if (freed && !is_better_described(near, freed, address)) {
        kiln_sim_memory_name(&freed->allocation, name, sizeof name);
        snprintf(text, size,
                 ", %" PRIu64 " bytes into a freed allocation (%s, freed after %" PRIu64
                 " of %" PRIu64 " kernel launches)",
                 address - freed->allocation.base, name, freed->launches,
                 __atomic_load_n(&memory->launches, __ATOMIC_RELAXED));
        return;
    }
    if (!near)
        return;
    uint64_t end = near->base + near->size;
    kiln_sim_memory_name(near, name, sizeof name);
    if (address < near->base)
        snprintf(text, size, ", %" PRIu64 " bytes before the nearest allocation (%s)",
                 near->base - address, name);
    else if (address < end && bytes <= end - address)
        snprintf(text, size, ", %" PRIu64 " bytes into an allocation (%s)", address - near->base,
                 name);
    else if (address < end)
        snprintf(text, size,
                 ", ending %" PRIu64 " bytes past the end of the nearest allocation (%s)",
                 address + bytes - end, name);
    else
        snprintf(text, size, ", %" PRIu64 " bytes past the end of the nearest allocation (%s)",
                 address - end, name);
}

void kiln_sim_memory_describe(const kiln_sim_memory_t *memory, uint64_t address, uint64_t bytes,
                              char *text, size_t size)
{
    lock_to_read(memory);
    describe(memory, address, bytes, text, size);
    unlock(memory);
}

const char *kiln_sim_memory_kind_name(kiln_sim_memory_kind_t kind)
{
    static const char *const names[] = {"device allocation",   "pinned host allocation",
                                        "managed allocation",  "registered host memory",
                                        "code object",         "kernel argument block",
                                        "mapped device memory"};
    return names[kind];
}
