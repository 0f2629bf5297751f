// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln tune --mpi: the ranks of `mpirun -n N kiln tune --mpi …` share the combinations. Rank 0
// prints; the others are silent but for errors.
#ifndef KILN_CLI_TUNE_MPI_H
#define KILN_CLI_TUNE_MPI_H

#include "kiln/tune_group.h"

// Joins the group, whose samples go to --store (NULL: that in the cache directory), and selects the
// GPU of this rank among those of its machine. *out_group is NULL for a failure.
kiln_status_t kiln_tune_mpi_join(const char *store, kiln_tune_group_t **out_group);

// Searches with the other ranks. On rank 0, *out_result is the ranking of all samples in `path`,
// the best of which is stored; NULL on other ranks and for a failure. `problem` has the store of
// this rank, which is released.
kiln_status_t kiln_tune_mpi_search(kiln_tune_problem_t *problem, kiln_tune_result_t **out_result);

// Leaves the group after `status`, which is taken, and returns what this rank reports. NULL: no
// group.
kiln_status_t kiln_tune_mpi_leave(kiln_tune_group_t *group, bool has_gathered,
                                  kiln_status_t status);

#endif
