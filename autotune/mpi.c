// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Open MPI by dlopen. Its types and constants are those of its binary interface, which has been the
// same since version 4.0 (libmpi.so.40).
//
// Pitfall: the library loads plug-ins that expect its symbols to be global.
#include "mpi.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MPI_THREAD_SERIALIZED = 2, MPI_ANY_SOURCE = -1, MPI_SUCCESS = 0 };
enum { DELIVERY_TRIES = 1000, DELIVERY_PAUSE_US = 1000 }; // before the end: a second

typedef struct mpi_status {
    int source, tag, error, cancelled;
    size_t count;
} mpi_status_t;

#define FUNCTIONS(X)                                                                               \
    X(MPI_Init_thread, (int *, char ***, int, int *))                                              \
    X(MPI_Comm_rank, (void *, int *))                                                              \
    X(MPI_Comm_size, (void *, int *))                                                              \
    X(MPI_Comm_set_errhandler, (void *, void *))                                                   \
    X(MPI_Isend, (const void *, int, void *, int, int, void *, void **))                           \
    X(MPI_Test, (void **, int *, mpi_status_t *))                                                  \
    X(MPI_Iprobe, (int, int, void *, int *, mpi_status_t *))                                       \
    X(MPI_Recv, (void *, int, void *, int, int, void *, mpi_status_t *))                           \
    X(MPI_Finalize, (void))

// Objects, which are passed by their address.
#define OBJECTS(X)                                                                                 \
    X(ompi_mpi_comm_world)                                                                         \
    X(ompi_mpi_byte)                                                                               \
    X(ompi_mpi_errors_return)

// A message that the library may still read.
typedef struct sent {
    struct sent *next;
    void *request;
    size_t rank; // its receiver
    char data[];
} sent_t;

struct kiln_mpi {
    size_t rank, size;
    sent_t *sent;
#define FIELD(name, arguments) int(*name) arguments;
    FUNCTIONS(FIELD)
#undef FIELD
#define FIELD(name) void *name;
    OBJECTS(FIELD)
#undef FIELD
};

static const char LIBRARY[] = "libmpi.so.40";

static kiln_status_t find_symbol(void *library, const char *name, void *out_address)
{
    void *address = dlsym(library, name);
    if (!address)
        return kiln_status_make(KILN_STATUS_UNAVAILABLE, "'%s' has no %s, so it is not Open MPI's",
                                LIBRARY, name);
    memcpy(out_address, &address, sizeof address);
    return KILN_OK;
}

static kiln_status_t load(kiln_mpi_t *mpi)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        return kiln_status_make(KILN_STATUS_UNAVAILABLE,
                                "cannot load Open MPI: %s (Debian's packages are openmpi-bin and "
                                "libopenmpi3)",
                                dlerror());
#define FIND(name, arguments) KILN_TRY(find_symbol(library, #name, &mpi->name));
    FUNCTIONS(FIND)
#undef FIND
#define FIND(name) KILN_TRY(find_symbol(library, #name, &mpi->name));
    OBJECTS(FIND)
#undef FIND
    return KILN_OK;
}

static kiln_status_t check(int code, const char *what)
{
    return code == MPI_SUCCESS ? KILN_OK
                               : kiln_status_make(KILN_STATUS_UNAVAILABLE,
                                                  "Open MPI: %s failed with code %d", what, code);
}

static kiln_status_t start(kiln_mpi_t *mpi)
{
    int provided = 0, rank = 0, size = 1;
    KILN_TRY(load(mpi));
    KILN_TRY(check(mpi->MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided),
                   "MPI_Init_thread"));
    if (provided < MPI_THREAD_SERIALIZED)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "this Open MPI does not support calls from several threads");
    // By default an error ends the process.
    KILN_TRY(
        check(mpi->MPI_Comm_set_errhandler(mpi->ompi_mpi_comm_world, mpi->ompi_mpi_errors_return),
              "MPI_Comm_set_errhandler"));
    KILN_TRY(check(mpi->MPI_Comm_rank(mpi->ompi_mpi_comm_world, &rank), "MPI_Comm_rank"));
    KILN_TRY(check(mpi->MPI_Comm_size(mpi->ompi_mpi_comm_world, &size), "MPI_Comm_size"));
    mpi->rank = (size_t)rank;
    mpi->size = (size_t)size;
    return KILN_OK;
}

kiln_status_t kiln_mpi_open(kiln_mpi_t **out_mpi)
{
    kiln_mpi_t *mpi = *out_mpi = calloc(1, sizeof *mpi);
    if (!mpi)
        return kiln_status_out_of_memory();
    kiln_status_t status = start(mpi);
    if (status) { // the library stays loaded, as it may run threads
        free(mpi);
        *out_mpi = NULL;
    }
    return status;
}

size_t kiln_mpi_rank(const kiln_mpi_t *mpi)
{
    return mpi->rank;
}

size_t kiln_mpi_size(const kiln_mpi_t *mpi)
{
    return mpi->size;
}

// Frees the messages that have been delivered. Without rank 0 there is no group; another rank that
// cannot be reached is found lost by its lock.
static kiln_status_t free_delivered(kiln_mpi_t *mpi)
{
    kiln_status_t failure = KILN_OK;
    for (sent_t **link = &mpi->sent; *link;) {
        sent_t *sent = *link;
        int is_complete = 0;
        kiln_status_t status =
            check(mpi->MPI_Test(&sent->request, &is_complete, &(mpi_status_t){0}), "MPI_Isend");
        if (!status && !is_complete) {
            link = &sent->next;
            continue;
        }
        if (sent->rank == 0 && !failure)
            failure = status;
        else
            kiln_status_free(status);
        *link = sent->next;
        free(sent);
    }
    return failure;
}

kiln_status_t kiln_mpi_send(kiln_mpi_t *mpi, size_t rank, int tag, const void *data, size_t size)
{
    sent_t *sent = malloc(sizeof *sent + size);
    if (!sent)
        return kiln_status_out_of_memory();
    sent->rank = rank;
    memcpy(sent->data, data, size);
    kiln_status_t status =
        check(mpi->MPI_Isend(sent->data, (int)size, mpi->ompi_mpi_byte, (int)rank, tag,
                             mpi->ompi_mpi_comm_world, &sent->request),
              "MPI_Isend");
    if (status) {
        free(sent);
        return status;
    }
    sent->next = mpi->sent;
    mpi->sent = sent;
    return free_delivered(mpi);
}

kiln_status_t kiln_mpi_receive(kiln_mpi_t *mpi, int tag, void *out_data, size_t size,
                               size_t *out_rank, bool *out_received)
{
    int has_message = 0;
    mpi_status_t status = {0};
    *out_received = false;
    KILN_TRY(free_delivered(mpi));
    KILN_TRY(
        check(mpi->MPI_Iprobe(MPI_ANY_SOURCE, tag, mpi->ompi_mpi_comm_world, &has_message, &status),
              "MPI_Iprobe"));
    if (!has_message)
        return KILN_OK;
    KILN_TRY(check(mpi->MPI_Recv(out_data, (int)size, mpi->ompi_mpi_byte, status.source, tag,
                                 mpi->ompi_mpi_comm_world, &status),
                   "MPI_Recv"));
    *out_rank = (size_t)status.source;
    *out_received = true;
    return KILN_OK;
}

void kiln_mpi_close(kiln_mpi_t *mpi, bool all_live)
{
    if (!mpi)
        return;
    for (int i = 0; i < DELIVERY_TRIES && mpi->sent; i++) {
        kiln_status_free(free_delivered(mpi));
        if (mpi->sent)
            usleep(DELIVERY_PAUSE_US);
    }
    if (all_live)
        mpi->MPI_Finalize();
    free(mpi); // but not messages to ranks that have died, which the library may still read
}
