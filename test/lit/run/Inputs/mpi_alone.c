// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An Open MPI of one rank, as far as the tuner calls it, for machines without one.
#include <stddef.h>
#include <stdlib.h>

char ompi_mpi_comm_world, ompi_mpi_byte, ompi_mpi_errors_return;

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)argc, (void)argv;
    *provided = required;
    return 0;
}

int MPI_Comm_rank(void *comm, int *rank)
{
    (void)comm;
    *rank = 0;
    return 0;
}

int MPI_Comm_size(void *comm, int *size)
{
    (void)comm;
    *size = 1;
    return 0;
}

int MPI_Comm_set_errhandler(void *comm, void *handler)
{
    (void)comm, (void)handler;
    return 0;
}

int MPI_Isend(const void *data, int count, void *type, int to, int tag, void *comm, void **request)
{
    (void)data, (void)count, (void)type, (void)to, (void)tag, (void)comm, (void)request;
    abort(); // there is nobody to send to
}

int MPI_Test(void **request, int *is_complete, void *status)
{
    (void)request, (void)status;
    *is_complete = 1;
    return 0;
}

int MPI_Iprobe(int from, int tag, void *comm, int *has_message, void *status)
{
    (void)from, (void)tag, (void)comm, (void)status;
    *has_message = 0;
    return 0;
}

int MPI_Recv(void *data, int count, void *type, int from, int tag, void *comm, void *status)
{
    (void)data, (void)count, (void)type, (void)from, (void)tag, (void)comm, (void)status;
    return 1;
}

int MPI_Finalize(void)
{
    return 0;
}
