// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of a group beside the store "tune.db": the stores of ranks, "tune.db.rank3", and the
// files that a rank holds locked while it lives, "tune.db.rank3.lock".
#ifndef KILN_AUTOTUNE_GROUP_FILES_H
#define KILN_AUTOTUNE_GROUP_FILES_H

#include <stddef.h>

#include "kiln/status.h"

// "tune.db.rank3", and "tune.db" for rank 0; from malloc, NULL if out of memory.
char *kiln_group_store_path(const char *store, size_t rank);

// Takes this rank's lock, which the system releases when the process ends in any way. USAGE if
// another process has it: two groups cannot share a store. Creates the directory if missing.
kiln_status_t kiln_group_lock(const char *store, size_t rank, int *out_file);

typedef enum kiln_group_lock_state {
    KILN_GROUP_LOCK_UNKNOWN, // it cannot be examined
    KILN_GROUP_LOCK_MISSING, // no file: never taken, or released by kiln_group_unlock
    KILN_GROUP_LOCK_FREE,    // its process has died
    KILN_GROUP_LOCK_HELD
} kiln_group_lock_state_t;
kiln_group_lock_state_t kiln_group_lock_state(const char *store, size_t rank);

void kiln_group_unlock(const char *store, size_t rank, int file);

// Adds the stores of all ranks, of this and of earlier groups, to the store, and deletes them. A
// store that cannot be added is kept, and is an error.
kiln_status_t kiln_group_add_stores(const char *store);

#endif
