// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores that lookups read after the first one: those of a project, or of the whole system. They
// are never written, so they may belong to others.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/require.h"
#include "store.h"

// Opens the store whose path are the first `length` characters.
static kiln_status_t open_further(const char *path, size_t length, kiln_tune_store_t **out_store)
{
    *out_store = NULL;
    char *name = strndup(path, length);
    if (!name)
        return kiln_status_out_of_memory();
    kiln_status_t status = kiln_tune_store_open_existing(name, out_store);
    if (!status && !*out_store)
        status = kiln_status_make(KILN_STATUS_NOT_FOUND, "there is no store '%s'", name);
    if (status)
        free(name);
    else
        (*out_store)->path = name;
    return status;
}

static kiln_status_t add_further(kiln_tune_store_t *store, const char *path, size_t length)
{
    if (!KILN_ARRAY_RESERVE(&store->further, &store->further_capacity, store->further_count + 1))
        return kiln_status_out_of_memory();
    KILN_TRY(open_further(path, length, &store->further[store->further_count]));
    store->further_count++;
    return KILN_OK;
}

static void drop_further(kiln_tune_store_t *store, size_t count)
{
    while (store->further_count > count)
        kiln_tune_store_release(store->further[--store->further_count]);
}

kiln_status_t kiln_tune_store_extend(kiln_tune_store_t **io_store, const char *paths)
{
    KILN_REQUIRE(io_store);
    KILN_REQUIRE(paths);
    kiln_tune_store_t *store = *io_store;
    if (!store)
        KILN_TRY(kiln_store_create(&store));
    const size_t before = store->further_count;
    kiln_status_t status = KILN_OK;
    for (const char *at = paths; *at && !status; at += *at == ':') {
        const size_t length = strcspn(at, ":");
        if (length) // two colons in a row, as in PATH
            status = add_further(store, at, length);
        at += length;
    }
    if (!status)
        *io_store = store;
    else if (store != *io_store)
        kiln_tune_store_release(store);
    else
        drop_further(store, before);
    return status;
}
