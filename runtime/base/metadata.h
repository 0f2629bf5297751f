// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A code object's metadata, which is MessagePack (base/msgpack.h), as JSON values.
#ifndef KILN_BASE_METADATA_H
#define KILN_BASE_METADATA_H

#include <jansson.h>
#include <stddef.h>

#include "kiln/status.h"

// The caller owns *out_json (json_decref). Binary and extension values, map keys that are not
// strings, strings that are not UTF-8, and integers above 2^63−1 are INVALID_INPUT.
kiln_status_t kiln_metadata_read(const void *bytes, size_t size, json_t **out_json);

#endif
