// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MessagePack, as code objects carry their metadata, read into JSON values.
//
// The thing one gets wrong: lengths in the bytes are claims; a map of four billion entries is refused when its bytes
// run out, not allocated first.
#ifndef KILN_INSPECT_MSGPACK_H
#define KILN_INSPECT_MSGPACK_H

#include <jansson.h>
#include <stddef.h>

#include "kiln/status.h"

// The caller owns *out_json (json_decref). Binary and extension values, and map keys that are no strings, are
// INVALID_INPUT.
kiln_status_t kiln_msgpack_read(const void *bytes, size_t size, json_t **out_json);

#endif
