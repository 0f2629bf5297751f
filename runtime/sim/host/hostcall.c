// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The packet buffer, and the messages that lanes build from packets. Printing is in
// host/hostcall_print.c.
//
// A message begins with a packet that has FLAG_BEGIN; the host assigns it a number. Further packets
// refer to this number and append to the message; the one with FLAG_END delivers it.
//
// A faulty kernel may corrupt everything in the buffer, so links are masked, walks are bounded, and
// message numbers are looked up.
#include "host/hostcall.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "core/wave.h"
#include "host/hostcall_print.h"
#include "memory/memory.h"

enum {
    PACKETS = 64, // a power of two
    WORDS = 8,    // per lane in a packet: the descriptor and seven words of payload
    SERVICE_PRINTF = 2,
    SERVICE_MEMORY = 3,
    FLAG_BEGIN = 1,
    FLAG_END = 2,
    LENGTH_SHIFT = 5,
    ID_SHIFT = 8,
    READY = 1,
    MESSAGE_WORDS_LIMIT = 1 << 17
};

typedef struct header {
    uint64_t next, active;
    uint32_t service, control;
} header_t;

typedef struct payload {
    uint64_t lanes[KILN_GFX942_LANES][WORDS];
} payload_t;

// The part of amd_signal_t that ockl reads.
typedef struct doorbell {
    int64_t kind, value;
    uint64_t mailbox;
    uint32_t event, reserved;
} doorbell_t;

typedef struct buffer {
    uint64_t headers, payloads, doorbell, free_stack, ready_stack, index_mask;
    doorbell_t signal;
    uint64_t mailbox;
} buffer_t;

typedef struct message {
    uint64_t *words;
    size_t count, capacity;
    bool open;
} message_t;

struct kiln_sim_hostcall {
    kiln_sim_memory_t *memory; // the machine's
    kiln_sim_heap_t *heap;     // the machine's
    uint64_t heap_limit;
    buffer_t *buffer; // in device memory, like the next two
    header_t *headers;
    payload_t *payloads;
    pthread_mutex_t lock; // protects everything below
    message_t *messages;  // by number
    size_t count, capacity;
    bool wrote_stderr; // something was written to stderr
    char text[320];    // of the latest error
};

kiln_sim_hostcall_t *kiln_sim_hostcall_create(kiln_sim_memory_t *memory, kiln_sim_heap_t *heap,
                                              uint64_t limit, kiln_sim_error_t *error)
{
    kiln_sim_hostcall_t *hostcall = calloc(1, sizeof *hostcall);
    uint64_t bytes = sizeof(buffer_t) + PACKETS * (sizeof(header_t) + sizeof(payload_t));
    if (!hostcall) {
        kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory for the hostcall buffer");
        return NULL;
    }
    buffer_t *buffer = kiln_sim_memory_allocate(memory, bytes, KILN_SIM_MEMORY_SYSTEM, 0, error);
    if (!buffer) {
        free(hostcall);
        return NULL;
    }
    kiln_sim_memory_mark(memory, (uint64_t)(uintptr_t)buffer, bytes);
    hostcall->heap = heap;
    hostcall->heap_limit = limit;
    hostcall->memory = memory;
    hostcall->buffer = buffer;
    hostcall->headers = (header_t *)(buffer + 1);
    hostcall->payloads = (payload_t *)(hostcall->headers + PACKETS);
    pthread_mutex_init(&hostcall->lock, NULL);
    *buffer = (buffer_t){.headers = (uint64_t)(uintptr_t)hostcall->headers,
                         .payloads = (uint64_t)(uintptr_t)hostcall->payloads,
                         .doorbell = (uint64_t)(uintptr_t)&buffer->signal,
                         .index_mask = PACKETS - 1,
                         .signal.mailbox = (uint64_t)(uintptr_t)&buffer->mailbox};
    // A link is a packet's index with a tag above it that changes on each use; 0 ends a list.
    for (uint64_t i = 0; i < PACKETS; i++) {
        hostcall->headers[i].next = buffer->free_stack;
        buffer->free_stack = PACKETS | i;
    }
    return hostcall;
}

void kiln_sim_hostcall_free(kiln_sim_hostcall_t *hostcall)
{
    if (!hostcall)
        return;
    kiln_sim_memory_free(hostcall->memory, hostcall->buffer, NULL);
    for (size_t i = 0; i < hostcall->count; i++)
        free(hostcall->messages[i].words);
    free(hostcall->messages);
    pthread_mutex_destroy(&hostcall->lock);
    free(hostcall);
}

uint64_t kiln_sim_hostcall_address(const kiln_sim_hostcall_t *hostcall)
{
    return (uint64_t)(uintptr_t)hostcall->buffer;
}

// Opens a new, empty message and returns its number; false if memory is exhausted.
static bool open_message(kiln_sim_hostcall_t *hostcall, uint64_t *out_number)
{
    size_t number = 0;
    while (number < hostcall->count && hostcall->messages[number].open)
        number++;
    if (number == hostcall->count) {
        if (!KILN_ARRAY_RESERVE(&hostcall->messages, &hostcall->capacity, number + 1))
            return false;
        hostcall->messages[hostcall->count++] = (message_t){0};
    }
    hostcall->messages[number].count = 0;
    hostcall->messages[number].open = true;
    *out_number = number;
    return true;
}

static bool append(message_t *message, const uint64_t *words, size_t count)
{
    if (message->count + count > MESSAGE_WORDS_LIMIT ||
        !KILN_ARRAY_RESERVE(&message->words, &message->capacity, message->count + count))
        return false;
    if (count)
        memcpy(message->words + message->count, words, count * sizeof *words);
    message->count += count;
    return true;
}

// Serves one lane's part of a packet. The first word of the answer replaces the descriptor.
static const char *serve_lane(kiln_sim_hostcall_t *hostcall, uint64_t *words)
{
    uint64_t descriptor = words[0], number = descriptor >> ID_SHIFT;
    if (descriptor & FLAG_BEGIN) {
        if (!open_message(hostcall, &number))
            return "out of host memory for the kernel's output";
        descriptor =
            (descriptor & ((1u << ID_SHIFT) - 1) & ~(uint64_t)FLAG_BEGIN) | number << ID_SHIFT;
    }
    if (number >= hostcall->count || !hostcall->messages[number].open)
        return "a hostcall appends to a message that was never begun";
    message_t *message = &hostcall->messages[number];
    if (!append(message, words + 1, descriptor >> LENGTH_SHIFT & (WORDS - 1)))
        return "a hostcall message of more than 1 MiB";
    words[0] = descriptor;
    if (descriptor & FLAG_END) {
        hostcall->wrote_stderr |= message->count && (message->words[0] & 1);
        words[0] = (uint64_t)(int64_t)kiln_sim_hostcall_print(message->words, message->count);
        message->open = false;
    }
    return NULL;
}

// The payload is an address to free, or 0 and the number of bytes to allocate; the answer is their
// address.
static const char *serve_memory(kiln_sim_hostcall_t *hostcall, uint64_t *words)
{
    kiln_sim_heap_t *heap = hostcall->heap;
    if (words[0] && !kiln_sim_heap_free(heap, hostcall->memory, words[0])) {
        const int used = snprintf(
            hostcall->text, sizeof hostcall->text,
            "free of memory that was not allocated by a kernel or is already freed: 0x%" PRIx64,
            words[0]);
        kiln_sim_memory_describe(hostcall->memory, words[0], 1, hostcall->text + used,
                                 sizeof hostcall->text - (size_t)used);
        return hostcall->text;
    }
    words[0] = words[0]
                   ? 0
                   : kiln_sim_heap_allocate(heap, hostcall->memory, hostcall->heap_limit, words[1]);
    return NULL;
}

static const char *serve_packet(kiln_sim_hostcall_t *hostcall, uint64_t index, int *wrong_lane)
{
    header_t *header = &hostcall->headers[index];
    if (header->service != SERVICE_PRINTF && header->service != SERVICE_MEMORY)
        return "unsupported hostcall; only printing and memory are supported";
    const char *error = NULL;
    for (unsigned lane = 0; !error && lane < KILN_GFX942_LANES; lane++) {
        *wrong_lane = (int)lane;
        uint64_t *words = hostcall->payloads[index].lanes[lane];
        if (!(header->active >> lane & 1))
            continue;
        if (header->service == SERVICE_MEMORY)
            error = serve_memory(hostcall, words);
        else
            error = serve_lane(hostcall, words);
    }
    if (header->service == SERVICE_PRINTF) {
        fflush(stdout);
        fflush(stderr);
    }
    __atomic_and_fetch(&header->control, ~(uint32_t)READY, __ATOMIC_RELEASE);
    return error;
}

bool kiln_sim_hostcall_serve(kiln_sim_hostcall_t *hostcall, kiln_sim_hostcall_error_t *out)
{
    pthread_mutex_lock(&hostcall->lock);
    uint64_t link = __atomic_exchange_n(&hostcall->buffer->ready_stack, 0, __ATOMIC_ACQUIRE);
    const char *error = NULL;
    for (unsigned served = 0; link && !error; served++) {
        uint64_t index = link & (PACKETS - 1);
        link = hostcall->headers[index].next; // once served, the packet belongs to the wave again
        out->lane = -1;
        error = served < PACKETS ? serve_packet(hostcall, index, &out->lane)
                                 : "the hostcall packets form a cycle";
    }
    if (error)
        snprintf(out->text, sizeof out->text, "%s", error);
    pthread_mutex_unlock(&hostcall->lock);
    return !error;
}

bool kiln_sim_hostcall_wrote_stderr(kiln_sim_hostcall_t *hostcall)
{
    if (!hostcall)
        return false;
    pthread_mutex_lock(&hostcall->lock);
    bool wrote_stderr = hostcall->wrote_stderr;
    pthread_mutex_unlock(&hostcall->lock);
    return wrote_stderr;
}
