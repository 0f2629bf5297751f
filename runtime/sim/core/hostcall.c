// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buffer of packets, and the messages that lanes make of them. Printing itself is in core/hostcall_print.c.
//
// A message begins with a packet that has FLAG_BEGIN, which gets a number; further packets name it and append to it;
// the one with FLAG_END delivers it.
//
// What a reader gets wrong: everything in the buffer is the kernel's to spoil, so links are masked, walks are bounded,
// and message numbers are looked up.
#include "core/hostcall.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hostcall_print.h"
#include "core/launch.h"
#include "core/memory.h"

enum {
    PACKETS = 64, // a power of two
    WORDS = 8,    // of a lane in a packet: the descriptor and seven of payload
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
    uint64_t lanes[KILN_SIM_LANES][WORDS];
} payload_t;

// amd_signal_t, as far as ockl reads it.
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
    kiln_sim_machine_t *machine;
    kiln_sim_memory_t *memory; // the machine's
    buffer_t *buffer;          // in device memory, as are these two
    header_t *headers;
    payload_t *payloads;
    pthread_mutex_t lock; // of what is below
    message_t *messages;  // by number
    size_t count;
    bool complained; // something was written to stderr
};

kiln_sim_hostcall_t *kiln_sim_hostcall_create(kiln_sim_machine_t *machine, kiln_sim_error_t *error)
{
    kiln_sim_memory_t *memory = &machine->memory;
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
    hostcall->machine = machine;
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
    // A link is a packet's index and above it a tag that changes with each use; 0 ends a list.
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

// The number of a new, empty message; false where memory ends.
static bool open_message(kiln_sim_hostcall_t *hostcall, uint64_t *out_number)
{
    size_t number = 0;
    while (number < hostcall->count && hostcall->messages[number].open)
        number++;
    if (number == hostcall->count) {
        message_t *messages = realloc(hostcall->messages, (number + 1) * sizeof *messages);
        if (!messages)
            return false;
        hostcall->messages = messages;
        hostcall->messages[hostcall->count++] = (message_t){0};
    }
    hostcall->messages[number].count = 0;
    hostcall->messages[number].open = true;
    *out_number = number;
    return true;
}

static bool append(message_t *message, const uint64_t *words, size_t count)
{
    if (message->count + count > message->capacity) {
        size_t capacity = message->capacity ? 2 * message->capacity : 32;
        uint64_t *grown = capacity <= MESSAGE_WORDS_LIMIT ? realloc(message->words, capacity * sizeof *grown) : NULL;
        if (!grown)
            return false;
        message->words = grown;
        message->capacity = capacity;
    }
    if (count)
        memcpy(message->words + message->count, words, count * sizeof *words);
    message->count += count;
    return true;
}

// One lane's part of a packet. The first word of the answer goes where the descriptor came from.
static const char *serve_lane(kiln_sim_hostcall_t *hostcall, uint64_t *words)
{
    uint64_t descriptor = words[0], number = descriptor >> ID_SHIFT;
    if (descriptor & FLAG_BEGIN) {
        if (!open_message(hostcall, &number))
            return "out of host memory for what the kernel prints";
        descriptor = (descriptor & ((1u << ID_SHIFT) - 1) & ~(uint64_t)FLAG_BEGIN) | number << ID_SHIFT;
    }
    if (number >= hostcall->count || !hostcall->messages[number].open)
        return "a hostcall appends to a message that was never begun";
    message_t *message = &hostcall->messages[number];
    if (!append(message, words + 1, descriptor >> LENGTH_SHIFT & (WORDS - 1)))
        return "a hostcall message of more than 1 MiB";
    words[0] = descriptor;
    if (descriptor & FLAG_END) {
        hostcall->complained |= message->count && (message->words[0] & 1);
        words[0] = (uint64_t)(int64_t)kiln_sim_hostcall_print(message->words, message->count);
        message->open = false;
    }
    return NULL;
}

// An address to free, or 0 and how many bytes are wanted; the answer is their address.
static const char *serve_memory(kiln_sim_hostcall_t *hostcall, uint64_t *words)
{
    kiln_sim_heap_t *heap = &hostcall->machine->heap;
    if (words[0] && !kiln_sim_heap_free(heap, hostcall->memory, words[0]))
        return "free of memory that no kernel has allocated";
    words[0] = words[0] ? 0 : kiln_sim_heap_allocate(heap, hostcall->memory, hostcall->machine->options.heap, words[1]);
    return NULL;
}

static const char *serve_packet(kiln_sim_hostcall_t *hostcall, uint64_t index)
{
    header_t *header = &hostcall->headers[index];
    if (header->service != SERVICE_PRINTF && header->service != SERVICE_MEMORY)
        return "a hostcall other than printing and memory, which the simulator does not serve";
    const char *error = NULL;
    for (unsigned lane = 0; !error && lane < KILN_SIM_LANES; lane++) {
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

const char *kiln_sim_hostcall_serve(kiln_sim_hostcall_t *hostcall)
{
    pthread_mutex_lock(&hostcall->lock);
    uint64_t link = __atomic_exchange_n(&hostcall->buffer->ready_stack, 0, __ATOMIC_ACQUIRE);
    const char *error = NULL;
    for (unsigned served = 0; link && !error; served++) {
        uint64_t index = link & (PACKETS - 1);
        link = hostcall->headers[index].next; // the packet is the wave's again once it is served
        error = served < PACKETS ? serve_packet(hostcall, index) : "the hostcall packets are linked in a ring";
    }
    pthread_mutex_unlock(&hostcall->lock);
    return error;
}

bool kiln_sim_hostcall_complained(kiln_sim_hostcall_t *hostcall)
{
    if (!hostcall)
        return false;
    pthread_mutex_lock(&hostcall->lock);
    bool complained = hostcall->complained;
    pthread_mutex_unlock(&hostcall->lock);
    return complained;
}
