// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hashing over xxHash's streaming XXH3-128.
#include "base/hash.h"

#include <stdio.h>
#include <string.h>

#include <xxhash.h>

// The opaque hasher is xxHash's state itself.
static XXH3_state_t *state_of(kiln_hasher_t *hasher)
{
    return (XXH3_state_t *)hasher;
}

static kiln_hash_t from_xxh(XXH128_hash_t hash)
{
    return (kiln_hash_t){.low = hash.low64, .high = hash.high64};
}

kiln_hash_t kiln_hash_bytes(const void *data, size_t size)
{
    return from_xxh(XXH3_128bits(data, size));
}

uint64_t kiln_hash_quick(const void *data, size_t size)
{
    return XXH3_64bits(data, size);
}

kiln_hasher_t *kiln_hasher_create(void)
{
    XXH3_state_t *state = XXH3_createState();
    if (state)
        XXH3_128bits_reset(state);
    return (kiln_hasher_t *)state;
}

void kiln_hasher_field(kiln_hasher_t *hasher, const void *data, size_t size)
{
    if (!hasher)
        return;
    uint64_t length = size;
    XXH3_128bits_update(state_of(hasher), &length, sizeof length);
    XXH3_128bits_update(state_of(hasher), data, size);
}

void kiln_hasher_string(kiln_hasher_t *hasher, const char *text)
{
    if (text)
        kiln_hasher_field(hasher, text, strlen(text) + 1);
    else
        kiln_hasher_field(hasher, "", 0);
}

void kiln_hasher_integer(kiln_hasher_t *hasher, int64_t value)
{
    kiln_hasher_field(hasher, &value, sizeof value);
}

kiln_hash_t kiln_hasher_finish(kiln_hasher_t *hasher)
{
    return hasher ? from_xxh(XXH3_128bits_digest(state_of(hasher))) : (kiln_hash_t){0};
}

void kiln_hasher_release(kiln_hasher_t *hasher)
{
    if (hasher)
        XXH3_freeState(state_of(hasher));
}

void kiln_hash_format(kiln_hash_t hash, char out_text[33])
{
    snprintf(out_text, 33, "%016llx%016llx", (unsigned long long)hash.high,
             (unsigned long long)hash.low);
}
