// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages between the processes that mpirun has started, through Open MPI, whose library is loaded
// when it is first needed; nothing is linked.
//
// Nothing blocks: Open MPI's blocking calls keep a core busy, which other processes need.
#ifndef KILN_AUTOTUNE_MPI_H
#define KILN_AUTOTUNE_MPI_H

#include <stdbool.h>
#include <stddef.h>

#include "kiln/status.h"

typedef struct kiln_mpi kiln_mpi_t;

// Loads the library and initializes it. Afterwards any thread may make calls, one at a time.
// UNAVAILABLE if the library cannot be loaded.
kiln_status_t kiln_mpi_open(kiln_mpi_t **out_mpi);

size_t kiln_mpi_rank(const kiln_mpi_t *mpi);
size_t kiln_mpi_size(const kiln_mpi_t *mpi);

// Sends a copy of the data and does not wait for the receiver, which may have died: Open MPI
// completes even a short message through shared memory only when its receiver has read it.
kiln_status_t kiln_mpi_send(kiln_mpi_t *mpi, size_t rank, int tag, const void *data, size_t size);

// Receives a message with this tag if there is one; *out_rank is its sender.
kiln_status_t kiln_mpi_receive(kiln_mpi_t *mpi, int tag, void *out_data, size_t size,
                               size_t *out_rank, bool *out_received);

// Waits until the messages have been delivered, at most a second, and for all ranks to call it,
// too, unless `all_live` is false: a rank that has died never does. The process can make no further
// calls.
void kiln_mpi_close(kiln_mpi_t *mpi, bool all_live);

#endif
