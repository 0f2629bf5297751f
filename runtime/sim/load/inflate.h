// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams that read from sources of bytes, plain or decompressed by zlib or zstd.
//
// The size of a source may be unknown. Its read function returns as many bytes as it can, none at
// the end.
#ifndef KILN_SIM_INFLATE_H
#define KILN_SIM_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/port/code_object.h"

// Reads all of these bytes. False if some do not exist.
bool kiln_sim_source_read(const kiln_sim_source_t *source, uint64_t at, void *to, uint64_t bytes);

typedef enum kiln_sim_packing { KILN_SIM_PLAIN, KILN_SIM_ZLIB, KILN_SIM_ZSTD } kiln_sim_packing_t;

// A forward-only stream.
typedef struct kiln_sim_stream {
    const kiln_sim_source_t *source;
    uint64_t at, end; // offsets in the source: the next byte, and the end at the latest
    uint64_t out;     // bytes returned so far
    uint64_t limit;   // maximum number of bytes that it returns
    kiln_sim_packing_t packing;
    void *state; // zlib's or zstd's
    uint8_t *chunk;
    size_t chunk_at, chunk_bytes;
    bool over; // a zlib stream has ended, or the data is damaged
} kiln_sim_stream_t;

// Opens a stream of the source's bytes in [begin, end), which yields at most `limit` bytes. False
// if memory is short. Close it in either case.
bool kiln_sim_stream_open(kiln_sim_stream_t *stream, const kiln_sim_source_t *source,
                          kiln_sim_packing_t packing, uint64_t begin, uint64_t end, uint64_t limit);
// Reads the next bytes, or skips them if `to` is NULL. False if the stream ends first.
bool kiln_sim_stream_read(kiln_sim_stream_t *stream, void *to, uint64_t bytes);
// Offset in the source after all bytes that were used.
uint64_t kiln_sim_stream_used(const kiln_sim_stream_t *stream);
void kiln_sim_stream_close(kiln_sim_stream_t *stream);

#endif
