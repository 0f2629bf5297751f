// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of recent lookups: a hash has one place, whose earlier lookup it replaces.
#include "recent.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store.h"

enum { MAX_SETTINGS = 32 };

static kiln_hash_t hash_text(const char *text)
{
    return kiln_hash_bytes(text, strlen(text));
}

bool kiln_recent_hash(const kiln_jit_tune_request_t *request, kiln_tune_use_t use,
                      kiln_hash_t *out_key)
{
    enum { FIXED = 5 };
    kiln_hash_t fields[FIXED + 2 * MAX_SETTINGS];
    if (!request->problem || !request->device || !request->arguments ||
        request->setting_count > MAX_SETTINGS)
        return false;
    fields[0] = (kiln_hash_t){.low = (uint64_t)use, .high = request->kernel != NULL};
    fields[1] = hash_text(request->kernel ? request->kernel : "");
    fields[2] = hash_text(request->problem);
    fields[3] = hash_text(request->device);
    fields[4] = hash_text(request->arguments);
    for (size_t i = 0; i < request->setting_count; i++) {
        fields[FIXED + 2 * i] = hash_text(request->settings[i].name);
        fields[FIXED + 2 * i + 1] = hash_text(request->settings[i].value);
    }
    *out_key = kiln_hash_bytes(fields, (FIXED + 2 * request->setting_count) * sizeof *fields);
    return true;
}

static kiln_recent_t *place_of(kiln_tune_store_t *store, kiln_hash_t key)
{
    return &store->recent[key.low % KILN_RECENT_COUNT];
}

kiln_status_t kiln_recent_find(kiln_tune_store_t *store, kiln_hash_t key, char **out_config)
{
    kiln_status_t status = KILN_OK;
    *out_config = NULL;
    pthread_mutex_lock(&store->mutex);
    const kiln_recent_t *recent = place_of(store, key);
    if (recent->config && recent->key.low == key.low && recent->key.high == key.high &&
        kiln_now_ms() - recent->read_ms < KILN_RECENT_MS && !(*out_config = strdup(recent->config)))
        status = kiln_status_out_of_memory();
    pthread_mutex_unlock(&store->mutex);
    return status;
}

kiln_status_t kiln_recent_put(kiln_tune_store_t *store, kiln_hash_t key, const char *config)
{
    char *copy = strdup(config);
    if (!copy)
        return kiln_status_out_of_memory();
    pthread_mutex_lock(&store->mutex);
    kiln_recent_t *recent = place_of(store, key);
    free(recent->config);
    *recent = (kiln_recent_t){key, kiln_now_ms(), copy};
    pthread_mutex_unlock(&store->mutex);
    return KILN_OK;
}

void kiln_recent_forget(kiln_tune_store_t *store)
{
    for (size_t i = 0; i < KILN_RECENT_COUNT; i++) {
        free(store->recent[i].config);
        store->recent[i] = (kiln_recent_t){0};
    }
}
