// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XXH3-128 over a sequence of fields, for cache keys and checksums.
//
// The field functions hash each field's length first, so that fields do not run together ("ab","c"
// is not "a","bc"). Only kiln_hash_bytes of one buffer is a plain XXH3-128.
#ifndef KILN_BASE_HASH_H
#define KILN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "kiln/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_hash {
    uint64_t low, high;
} kiln_hash_t;

typedef struct kiln_hasher kiln_hasher_t;

kiln_hash_t kiln_hash_bytes(const void *data, size_t size);

// XXH3-64, for tables in memory only.
uint64_t kiln_hash_quick(const void *data, size_t size);

// A streaming hasher; NULL if out of memory. The functions ignore a NULL hasher.
kiln_hasher_t *kiln_hasher_create(void);
void kiln_hasher_field(kiln_hasher_t *hasher, const void *data, size_t size);
void kiln_hasher_string(kiln_hasher_t *hasher, const char *text); // NULL differs from ""
void kiln_hasher_integer(kiln_hasher_t *hasher, int64_t value);
kiln_hash_t kiln_hasher_finish(kiln_hasher_t *hasher); // the hasher accepts more fields afterwards
void kiln_hasher_release(kiln_hasher_t *hasher);

// 32 hexadecimal digits and a NUL, in XXH3's canonical (big-endian) order.
void kiln_hash_format(kiln_hash_t hash, char out_text[33]);

#ifdef __cplusplus
}
#endif
#endif
