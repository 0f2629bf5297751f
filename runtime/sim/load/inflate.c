// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams of plain and compressed bytes (load/inflate.h).
//
// Memory and time depend on the bytes requested and available, never on what a header claims: zlib
// and zstd get no more output space than the bytes wanted. A zstd stream may consist of several
// frames, some of which are empty.
#include "load/inflate.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { CHUNK = 65536, DROP = 65536, WINDOW_LOG_LIMIT = 27 };

bool kiln_sim_source_read(const kiln_sim_source_t *source, uint64_t at, void *to, uint64_t bytes)
{
    for (uint64_t done = 0; done < bytes;) {
        size_t got =
            source->read(source->context, at + done, (uint8_t *)to + done, (size_t)(bytes - done));
        if (got == 0)
            return false;
        done += got;
    }
    return true;
}

bool kiln_sim_stream_open(kiln_sim_stream_t *stream, const kiln_sim_source_t *source,
                          kiln_sim_packing_t packing, uint64_t begin, uint64_t end, uint64_t limit)
{
    *stream = (kiln_sim_stream_t){
        .source = source, .at = begin, .end = end, .limit = limit, .packing = packing};
    if (packing == KILN_SIM_PLAIN)
        return true;
    stream->chunk = malloc(CHUNK);
    if (!stream->chunk)
        return false;
    if (packing == KILN_SIM_ZSTD) {
        ZSTD_DStream *zstd = ZSTD_createDStream();
        stream->state = zstd;
        return zstd &&
               !ZSTD_isError(ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, WINDOW_LOG_LIMIT));
    }
    z_stream *zlib = calloc(1, sizeof *zlib);
    if (zlib && inflateInit(zlib) != Z_OK) {
        free(zlib);
        zlib = NULL;
    }
    stream->state = zlib;
    return zlib != NULL;
}

void kiln_sim_stream_close(kiln_sim_stream_t *stream)
{
    if (stream->packing == KILN_SIM_ZSTD) {
        ZSTD_freeDStream(stream->state);
    } else if (stream->state) {
        inflateEnd(stream->state);
        free(stream->state);
    }
    free(stream->chunk);
    stream->state = stream->chunk = NULL;
}

// Makes input available unless the source is exhausted.
static bool fill(kiln_sim_stream_t *stream)
{
    if (stream->chunk_at < stream->chunk_bytes)
        return true;
    uint64_t left = stream->at < stream->end ? stream->end - stream->at : 0;
    stream->chunk_at = 0;
    stream->chunk_bytes =
        left ? stream->source->read(stream->source->context, stream->at, stream->chunk,
                                    left < CHUNK ? (size_t)left : CHUNK)
             : 0;
    stream->at += stream->chunk_bytes;
    return stream->chunk_bytes != 0;
}

// Decompresses at most `room` bytes and returns how many. Requires available input or pending
// output in zstd. May return 0 before the end of the stream.
static size_t step_zstd(kiln_sim_stream_t *stream, uint8_t *to, size_t room)
{
    ZSTD_inBuffer in = {stream->chunk, stream->chunk_bytes, stream->chunk_at};
    ZSTD_outBuffer out = {to, room, 0};
    size_t result = ZSTD_decompressStream(stream->state, &out, &in);
    stream->over |= ZSTD_isError(result) || (in.pos == stream->chunk_at && out.pos == 0);
    stream->chunk_at = in.pos;
    return ZSTD_isError(result) ? 0 : out.pos;
}

static size_t step_zlib(kiln_sim_stream_t *stream, uint8_t *to, size_t room)
{
    z_stream *zlib = stream->state;
    zlib->next_in = stream->chunk + stream->chunk_at;
    zlib->avail_in = (uInt)(stream->chunk_bytes - stream->chunk_at);
    zlib->next_out = to;
    zlib->avail_out = (uInt)(room < DROP ? room : DROP);
    uInt before = zlib->avail_out;
    int result = inflate(zlib, Z_NO_FLUSH);
    stream->over |= result != Z_OK;
    stream->chunk_at = stream->chunk_bytes - zlib->avail_in;
    return result == Z_OK || result == Z_STREAM_END ? before - zlib->avail_out : 0;
}

static bool unpack(kiln_sim_stream_t *stream, uint8_t *to, size_t bytes)
{
    while (bytes) {
        bool input = fill(stream);
        size_t got = stream->over                       ? 0
                     : stream->packing == KILN_SIM_ZSTD ? step_zstd(stream, to, bytes)
                                                        : step_zlib(stream, to, bytes);
        if (got == 0 && (stream->over || !input))
            return false;
        to += got;
        bytes -= got;
    }
    return true;
}

bool kiln_sim_stream_read(kiln_sim_stream_t *stream, void *to, uint64_t bytes)
{
    if (bytes > stream->limit - stream->out)
        return false;
    stream->out += bytes;
    if (stream->packing == KILN_SIM_PLAIN) {
        if (stream->at > stream->end || stream->end - stream->at < bytes)
            return false;
        stream->at += bytes;
        return !to || kiln_sim_source_read(stream->source, stream->at - bytes, to, bytes);
    }
    if (to)
        return unpack(stream, to, (size_t)bytes);
    uint8_t *dropped = malloc(DROP);
    bool there = dropped != NULL;
    while (there && bytes) {
        size_t part = bytes < DROP ? (size_t)bytes : DROP;
        there = unpack(stream, dropped, part);
        bytes -= part;
    }
    free(dropped);
    return there;
}

uint64_t kiln_sim_stream_used(const kiln_sim_stream_t *stream)
{
    return stream->at - (stream->chunk_bytes - stream->chunk_at);
}
