// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recent lookups of a store, so that a repeated one costs a hash and not a query.
//
// What this process writes is seen at once, what others write after KILN_RECENT_MS.
#ifndef KILN_AUTOTUNE_RECENT_H
#define KILN_AUTOTUNE_RECENT_H

#include "base/hash.h"
#include "kiln/tune.h"

enum { KILN_RECENT_COUNT = 64, KILN_RECENT_MS = 100 };

// A zeroed one is empty.
typedef struct kiln_recent {
    kiln_hash_t key;
    double read_ms;
    char *config; // NULL: none
} kiln_recent_t;

// Hashes all that a lookup depends on; false if it has too many settings, or lacks something.
bool kiln_recent_hash(const kiln_jit_tune_request_t *request, kiln_tune_use_t use,
                      kiln_hash_t *out_key);

// These take the store's mutex. *out_config is from malloc, and NULL if the lookup is not known.
kiln_status_t kiln_recent_find(kiln_tune_store_t *store, kiln_hash_t key, char **out_config);
kiln_status_t kiln_recent_put(kiln_tune_store_t *store, kiln_hash_t key, const char *config);

// Clears the table. The caller holds the mutex or is the only user of the store.
void kiln_recent_forget(kiln_tune_store_t *store);

#endif
