// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels ask of the host while they run: printing, and memory (core/heap.h). The protocol of ROCm's device library ockl (hostcall.cl and
// printf.cl there): a wave takes a packet, writes up to seven 64-bit words for each lane, rings the doorbell with
// s_sendmsg(MSG_INTERRUPT), and waits until the packet's ready flag is clear.
//
// What a reader gets wrong: nothing here runs beside the kernel. The doorbell's instruction serves all packets that are
// ready before it ends.
#ifndef KILN_SIM_HOSTCALL_H
#define KILN_SIM_HOSTCALL_H

#include "core/error.h"
#include "core/machine.h"

typedef struct kiln_sim_hostcall kiln_sim_hostcall_t;

// Makes the buffer that the hidden argument points to, in device memory. NULL on failure.
kiln_sim_hostcall_t *kiln_sim_hostcall_create(struct kiln_sim_machine *machine, kiln_sim_error_t *error);
void kiln_sim_hostcall_free(kiln_sim_hostcall_t *hostcall);

uint64_t kiln_sim_hostcall_address(const kiln_sim_hostcall_t *hostcall);

// Serves the packets that are ready. NULL, or what is wrong with one of them. Thread-safe.
const char *kiln_sim_hostcall_serve(kiln_sim_hostcall_t *hostcall);

// Whether the launch has written to stderr: what traps after that has failed an assertion. Thread-safe; false for NULL.
bool kiln_sim_hostcall_complained(kiln_sim_hostcall_t *hostcall);

#endif
