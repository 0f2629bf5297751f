// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The set of live handles, in lists by a hash of their addresses.
#include "hip_sim/device/handle.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { LIST_BITS = 12 };

typedef struct entry {
    struct entry *next;
    const void *handle;
    kiln_sim_handle_kind_t kind;
} entry_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry_t *lists[1 << LIST_BITS];

// The place of the entry, or where to insert it. Requires the lock.
static entry_t **find(const void *handle, kiln_sim_handle_kind_t kind)
{
    entry_t **at = &lists[(uint64_t)(uintptr_t)handle * 0x9e3779b97f4a7c15u >> (64 - LIST_BITS)];
    while (*at && ((*at)->handle != handle || (*at)->kind != kind))
        at = &(*at)->next;
    return at;
}

bool kiln_sim_handle_add(const void *handle, kiln_sim_handle_kind_t kind)
{
    entry_t *made = malloc(sizeof *made);
    if (!made)
        return false;
    pthread_mutex_lock(&lock);
    entry_t **at = find(handle, kind);
    *made = (entry_t){*at, handle, kind};
    *at = made;
    pthread_mutex_unlock(&lock);
    return true;
}

void kiln_sim_handle_drop(const void *handle, kiln_sim_handle_kind_t kind)
{
    pthread_mutex_lock(&lock);
    entry_t **at = find(handle, kind), *removed = *at;
    if (removed)
        *at = removed->next;
    pthread_mutex_unlock(&lock);
    free(removed);
}

bool kiln_sim_handle_is(const void *handle, kiln_sim_handle_kind_t kind)
{
    pthread_mutex_lock(&lock);
    const bool found = handle && *find(handle, kind);
    pthread_mutex_unlock(&lock);
    return found;
}
