// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags of kiln tune FILE and kiln tune verify.
#ifndef KILN_CLI_TUNE_FLAGS_H
#define KILN_CLI_TUNE_FLAGS_H

#include "cli/launch/call.h"
#include "diagnostics/warnings.h"
#include "kiln/tune_group.h"
#include "space.h"

enum { KILN_TUNE_MAX_EXPECTED = 32 };

typedef struct kiln_tune_flags {
    kiln_tune_space_flags_t space;
    kiln_launch_flags_t launch; // settings that do not vary
    const char *expected[KILN_TUNE_MAX_EXPECTED];
    size_t expected_count;
    const char *store;
    const char *from, *sizes; // files of problems; NULL: not given
    const char *report;       // a page to write, or NULL
    const char *command;      // if there is a report
    char *reference;
    long jobs, top, launch_limit, code_limit, budget, time_limit, shard, shard_count;
    uint64_t seed;
    kiln_tune_strategy_t strategy;
    bool is_fresh, is_cold, is_code_cold, has_seed, has_strategy, is_shared, is_json, has_top,
        is_verified, fails_on_findings; // is_verified: kiln tune verify
    kiln_warnings_t findings;           // the enabled ones
    kiln_tune_group_t *group;           // of --mpi; NULL: none
    bool *has_gathered;                 // set when the group has
} kiln_tune_flags_t;

// Those without any word.
void kiln_tune_flags_initialize(kiln_tune_flags_t *flags);

// Takes a flag of kiln_words_next, with its value, which may be changed. False if it is invalid.
bool kiln_tune_flags_take(kiln_tune_flags_t *flags, int flag, char *value);

// Rejects flags that contradict each other or have no effect.
kiln_status_t kiln_tune_flags_check(const kiln_tune_flags_t *flags);

#endif
