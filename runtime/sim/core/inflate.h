// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that lie somewhere, and the stream that comes out of them: as they are, or decompressed by zlib or zstd.
//
// What a reader gets wrong: a source may have no size. It is asked for bytes, and gives some of them, none where it ends.
#ifndef KILN_SIM_INFLATE_H
#define KILN_SIM_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kiln_sim_source {
    // Copies up to `bytes` bytes from offset `at` on, at least one where there is one, and none beyond a page that may be
    // the last; says how many.
    size_t (*read)(const void *context, uint64_t at, void *to, size_t bytes);
    const void *context;
} kiln_sim_source_t;

// All of these bytes. False where some are not there.
bool kiln_sim_source_read(const kiln_sim_source_t *source, uint64_t at, void *to, uint64_t bytes);

typedef enum kiln_sim_packing { KILN_SIM_PLAIN, KILN_SIM_ZLIB, KILN_SIM_ZSTD } kiln_sim_packing_t;

// A stream that goes forward only.
typedef struct kiln_sim_stream {
    const kiln_sim_source_t *source;
    uint64_t at, end; // of the source's bytes: the next one, and where they end at the latest
    uint64_t out;     // bytes given so far
    uint64_t limit;   // bytes that it gives at most
    kiln_sim_packing_t packing;
    void *state; // zlib's or zstd's
    uint8_t *chunk;
    size_t chunk_at, chunk_bytes;
    bool over; // a zlib stream has ended, or something is damaged
} kiln_sim_stream_t;

// The source's bytes in [begin, end), which make at most `limit` bytes. False where memory is short. Close it in any case.
bool kiln_sim_stream_open(kiln_sim_stream_t *stream, const kiln_sim_source_t *source, kiln_sim_packing_t packing,
                          uint64_t begin, uint64_t end, uint64_t limit);
// The next bytes, `to` NULL: drops them. False where the stream ends before.
bool kiln_sim_stream_read(kiln_sim_stream_t *stream, void *to, uint64_t bytes);
// Offset in the source behind all bytes that were used.
uint64_t kiln_sim_stream_used(const kiln_sim_stream_t *stream);
void kiln_sim_stream_close(kiln_sim_stream_t *stream);

#endif
