// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a call to a compile request: merges tuned and given settings, reduces arguments to the
// properties that the compiler may assume, and hashes all of it to a key.
//
// The key must cover everything that a compilation reads. The compiler's identity covers inputs
// that are not in the request.
#ifndef KILN_JIT_SPECIALIZE_H
#define KILN_JIT_SPECIALIZE_H

#include "base/hash.h"
#include "base/settings.h"
#include "kiln/jit.h"

// Whether all accesses through a pointer are certainly within KILN_POINTER_RANGE_LIMIT bytes. Code
// for such pointers counts offsets from 2 GiB before the pointer, so that address must not be below
// 0.
static inline bool kiln_is_in_pointer_range(const kiln_jit_argument_t *pointer)
{
    return (pointer->integer & KILN_JIT_STORAGE) && pointer->address_size &&
           pointer->address_size <= KILN_POINTER_RANGE_LIMIT &&
           pointer->address >= UINT64_C(1) << 31;
}
// Whether address_size is a size, which may be 0 if it is that of the whole allocation.
static inline bool kiln_size_is_known(const kiln_jit_argument_t *pointer)
{
    return pointer->address_size || (pointer->integer & KILN_JIT_STORAGE);
}

// 1 + the kiln_element_type_t of the pointee; 0 if unknown.
static inline int64_t kiln_pointee_of(const kiln_jit_argument_t *pointer)
{
    return pointer->integer & ~KILN_JIT_STORAGE;
}

kiln_status_t kiln_request_key(const kiln_jit_request_t *request, const char *identity,
                               kiln_hash_t *out_key);

#endif
