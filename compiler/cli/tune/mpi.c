// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group's search. Afterwards rank 0 ranks what all stores had, without trying anything.
#include "mpi.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "cli/device_flags.h"
#include "store.h"

kiln_status_t kiln_tune_mpi_join(const char *store, kiln_tune_group_t **out_group)
{
    char *path;
    *out_group = NULL;
    KILN_TRY(kiln_tune_store_path(store, &path));
    if (!path)
        return kiln_status_make(KILN_STATUS_USAGE, "there is no cache directory; give --store");
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ); // mpirun joins the output of all ranks
    const char *local = kiln_environment("OMPI_COMM_WORLD_LOCAL_RANK");
    uint64_t rank;
    if (local && kiln_unsigned_parse_all(local, 10, &rank))
        kiln_device_of_rank((size_t)rank);
    kiln_status_t status = kiln_tune_group_join(path, out_group);
    free(path);
    return status;
}

static bool always(void *user)
{
    (void)user;
    return true;
}

static void report_lost(const kiln_tune_group_t *group)
{
    const size_t lost = kiln_tune_group_lost(group);
    if (lost)
        fprintf(stderr,
                "kiln: warning: %zu of %zu ranks died; the same command tries the candidates that "
                "they had in hand\n",
                lost, kiln_tune_group_size(group));
}

// Ranks the samples of all ranks, and stores the best.
static kiln_status_t rank_all(kiln_tune_problem_t *problem, kiln_tune_result_t **out_result)
{
    const char *path = kiln_tune_group_store(problem->group);
    KILN_TRY(kiln_tune_store_open(path, &problem->store));
    problem->group = NULL;
    problem->recall = KILN_TUNE_RECALL_WRONG;
    problem->is_cancelled = always;
    problem->progress = NULL;
    kiln_status_t status = kiln_tune(problem, out_result);
    kiln_tune_store_release(problem->store);
    problem->store = NULL;
    return status;
}

kiln_status_t kiln_tune_mpi_search(kiln_tune_problem_t *problem, kiln_tune_result_t **out_result)
{
    kiln_tune_group_t *group = problem->group;
    kiln_tune_result_t *part = NULL;
    *out_result = NULL;
    kiln_status_t status = kiln_tune(problem, &part);
    kiln_tune_store_release(problem->store);
    problem->store = NULL;
    if (kiln_tune_result_lost_device(part)) { // HIP would wait for the launch
        *out_result = part;
        return status;
    }
    kiln_tune_result_release(part);
    status = kiln_tune_group_gather(group, status);
    report_lost(group);
    return status || kiln_tune_group_rank(group) ? status : rank_all(problem, out_result);
}

kiln_status_t kiln_tune_mpi_leave(kiln_tune_group_t *group, bool has_gathered, kiln_status_t status)
{
    if (!group)
        return status;
    if (!has_gathered)
        status = kiln_tune_group_gather(group, status);
    kiln_tune_group_leave(group);
    return status;
}
