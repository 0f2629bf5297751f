// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which handles live. HIP answers a call with a handle that was destroyed with an error, so what a program passes is looked up before anybody reads
// behind it.
//
// What a reader gets wrong: an address that malloc gives again is a living handle again, as it is with HIP.
#ifndef KILN_SIM_HIP_HANDLE_H
#define KILN_SIM_HIP_HANDLE_H

#include <stdbool.h>

typedef enum kiln_sim_handle_kind {
    KILN_SIM_HANDLE_EVENT,
    KILN_SIM_HANDLE_EXEC, // an executable graph
    KILN_SIM_HANDLE_GRAPH,
    KILN_SIM_HANDLE_MODULE,
    KILN_SIM_HANDLE_NODE,
    KILN_SIM_HANDLE_POOL
} kiln_sim_handle_kind_t;

// False without memory.
bool kiln_sim_handle_add(const void *handle, kiln_sim_handle_kind_t kind);
void kiln_sim_handle_drop(const void *handle, kiln_sim_handle_kind_t kind);
bool kiln_sim_handle_is(const void *handle, kiln_sim_handle_kind_t kind);

#endif
