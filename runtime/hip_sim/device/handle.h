// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The set of live handles. HIP returns an error for a handle that was destroyed, so a handle that a
// program passes is looked up before it is dereferenced.
//
// An address that malloc reuses becomes a live handle again, as with HIP.
#ifndef KILN_SIM_HIP_HANDLE_H
#define KILN_SIM_HIP_HANDLE_H

#include <stdbool.h>

typedef enum kiln_sim_handle_kind {
    KILN_SIM_HANDLE_EVENT,
    KILN_SIM_HANDLE_EXEC, // an executable graph
    KILN_SIM_HANDLE_GRAPH,
    KILN_SIM_HANDLE_MODULE,
    KILN_SIM_HANDLE_NODE,
    KILN_SIM_HANDLE_PHYSICAL, // memory that hipMemCreate made
    KILN_SIM_HANDLE_POOL
} kiln_sim_handle_kind_t;

// False if memory is exhausted.
bool kiln_sim_handle_add(const void *handle, kiln_sim_handle_kind_t kind);
void kiln_sim_handle_drop(const void *handle, kiln_sim_handle_kind_t kind);
bool kiln_sim_handle_is(const void *handle, kiln_sim_handle_kind_t kind);

#endif
