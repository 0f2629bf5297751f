// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that share the candidates of a search: `mpirun -n 4 PROGRAM`, by Open MPI, which is
// loaded when a group is joined.
//
//     kiln_tune_group_join("tune.db", &group);
//     kiln_tune_store_open(kiln_tune_group_store(group), &problem.store);
//     problem.group = group;
//     status = kiln_tune(&problem, &result);                  every rank tries a part of the candidates
//     …                                                       release the result and the store
//     status = kiln_tune_group_gather(group, status);         rank 0 now has all samples in tune.db
//     if (kiln_tune_group_rank(group) == 0)
//         …                                                   kiln_tune without a group: ranks them, stores the best
//     kiln_tune_group_leave(group);
//
// Rank 0 gives out the next candidate to each rank that requests one, so that all are busy until
// the end. Each rank writes the samples of its candidates to a store of its own, "tune.db.rank3";
// that of rank 0 is tune.db. All stores must be in one directory that all ranks see. If a rank
// dies, the candidate that it was trying is lost; the samples in its store are added by
// kiln_tune_group_gather or, if the whole group has died, by the next group with this store, of any
// size.
//
// Conventions are those of kiln/tune.h. A group belongs to one thread.
#ifndef KILN_TUNE_GROUP_H
#define KILN_TUNE_GROUP_H

#include "kiln/tune.h"

#ifdef __cplusplus
extern "C" {
#endif

// Joins the group of the processes that mpirun has started; without mpirun it has one. `store` is
// the path of the store for all samples. Waits for the other ranks, for at most a minute; rank 0
// adds the stores that an earlier group has left. UNAVAILABLE if Open MPI cannot be loaded.
KILN_API kiln_status_t kiln_tune_group_join(const char *store, kiln_tune_group_t **out_group);

KILN_API size_t kiln_tune_group_rank(const kiln_tune_group_t *group); // 0 if `group` is NULL
KILN_API size_t kiln_tune_group_size(const kiln_tune_group_t *group);

// The path of this rank's store; belongs to the group.
KILN_API const char *kiln_tune_group_store(const kiln_tune_group_t *group);

// Ends this rank's part of the search, of which `failure` (may be KILN_OK; taken) is the result.
// Rank 0 waits for all ranks, adds their stores to its own and deletes them; it returns its own
// failure, or else that of another rank. Other ranks return KILN_OK if rank 0 has received theirs.
KILN_API kiln_status_t kiln_tune_group_gather(kiln_tune_group_t *group, kiln_status_t failure);

// Number of ranks that have died, as known to rank 0.
KILN_API size_t kiln_tune_group_lost(const kiln_tune_group_t *group);

// Waits for all ranks that have not died to leave, and ends the use of Open MPI; the process can
// join no other group. Called once by each rank that has joined, after gathering.
KILN_API void kiln_tune_group_leave(kiln_tune_group_t *group);

#ifdef __cplusplus
}
#endif
#endif
