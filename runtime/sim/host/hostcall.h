// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Services that kernels request from the host while they run: printing, and memory (memory/heap.h).
// This is the protocol of ROCm's device library ockl (hostcall.cl and printf.cl there): a wave
// takes a packet, writes up to seven 64-bit words for each lane, rings the doorbell with
// s_sendmsg(MSG_INTERRUPT), and waits until the packet's ready flag is clear.
//
// Nothing here runs concurrently with the wave: the doorbell's instruction serves all ready packets
// before it completes.
#ifndef KILN_SIM_HOSTCALL_H
#define KILN_SIM_HOSTCALL_H

#include "memory/heap.h"
#include "sim/port/error.h"

typedef struct kiln_sim_hostcall kiln_sim_hostcall_t;

// Allocates the buffer that the hidden argument points to, in device memory. NULL on failure.
// memory and heap belong to the machine and outlive the buffer; `limit` is the number of bytes that
// kernels may allocate from the heap (kiln/sim_options.def).
kiln_sim_hostcall_t *kiln_sim_hostcall_create(kiln_sim_memory_t *memory, kiln_sim_heap_t *heap,
                                              uint64_t limit, kiln_sim_error_t *error);
void kiln_sim_hostcall_free(kiln_sim_hostcall_t *hostcall);

uint64_t kiln_sim_hostcall_address(const kiln_sim_hostcall_t *hostcall);

typedef struct kiln_sim_hostcall_error {
    char text[320];
    int lane; // -1: no particular lane
} kiln_sim_hostcall_error_t;

// Serves the ready packets. False with a description if one of them is invalid. Thread-safe.
bool kiln_sim_hostcall_serve(kiln_sim_hostcall_t *hostcall, kiln_sim_hostcall_error_t *error);

// Whether the launch has written to stderr: a trap after that is a failed assertion. Thread-safe;
// false for NULL.
bool kiln_sim_hostcall_wrote_stderr(kiln_sim_hostcall_t *hostcall);

#endif
