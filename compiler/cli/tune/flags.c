// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the flags of kiln tune, and rejects combinations without effect.
#include "flags.h"

#include <string.h>

#include "base/number.h"
#include "cli/device_flags.h"
#include "cli/pages.h"

enum {
    DEFAULT_TOP = 10,
    DEFAULT_LAUNCH_LIMIT = 10 // seconds
};

void kiln_tune_flags_initialize(kiln_tune_flags_t *flags)
{
    *flags = (kiln_tune_flags_t){.top = DEFAULT_TOP, .launch_limit = DEFAULT_LAUNCH_LIMIT};
}

static bool add_expected(kiln_tune_flags_t *flags, const char *word)
{
    if (flags->expected_count == KILN_TUNE_MAX_EXPECTED)
        return false;
    flags->expected[flags->expected_count++] = word;
    return true;
}

static bool take_strategy(kiln_tune_flags_t *flags, const char *word)
{
    static const char *const names[] = {[KILN_TUNE_EXHAUSTIVE] = "exhaustive",
                                        [KILN_TUNE_RANDOM] = "random",
                                        [KILN_TUNE_GUIDED] = "guided",
                                        [KILN_TUNE_MODEL] = "model"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(word, names[i]) == 0) {
            flags->strategy = (kiln_tune_strategy_t)i;
            return flags->has_strategy = true;
        }
    return false;
}

// I/N
static bool take_shard(kiln_tune_flags_t *flags, char *word)
{
    char *slash = strchr(word, '/');
    if (!slash)
        return false;
    *slash = '\0';
    const bool is_right = kiln_flag_count(word, &flags->shard) &&
                          kiln_flag_count(slash + 1, &flags->shard_count) &&
                          flags->shard <= flags->shard_count;
    *slash = '/';
    return is_right;
}

bool kiln_tune_flags_take(kiln_tune_flags_t *flags, int flag, char *value)
{
    switch (flag) {
    case KILN_FLAG_tune_AXIS:
        return kiln_tune_space_take_axis(&flags->space, value);
    case KILN_FLAG_tune_WHERE:
        return kiln_tune_space_take_condition(&flags->space, value);
    case KILN_FLAG_tune_SPACE:
        return kiln_tune_space_take_use(&flags->space, value);
    case KILN_FLAG_tune_FROM:
        flags->from = value;
        return true;
    case KILN_FLAG_tune_SIZES:
        flags->sizes = value;
        return true;
    case KILN_FLAG_tune_THEN:
        return kiln_launch_then_take(&flags->launch, value);
    case KILN_FLAG_tune_EXPECT:
        return add_expected(flags, value);
    case KILN_FLAG_tune_JOBS:
        return kiln_flag_count(value, &flags->jobs);
    case KILN_FLAG_tune_TOP:
        flags->has_top = true;
        return kiln_flag_count(value, &flags->top);
    case KILN_FLAG_tune_LAUNCH_LIMIT:
        return kiln_flag_count(value, &flags->launch_limit);
    case KILN_FLAG_tune_CODE_LIMIT:
        return kiln_flag_count(value, &flags->code_limit);
    case KILN_FLAG_tune_SEARCH:
        return take_strategy(flags, value);
    case KILN_FLAG_tune_BUDGET:
        return kiln_flag_count(value, &flags->budget);
    case KILN_FLAG_tune_TIME_LIMIT:
        return kiln_flag_count(value, &flags->time_limit);
    case KILN_FLAG_tune_REPORT:
        flags->report = value;
        return true;
    case KILN_FLAG_tune_SHARD:
        return take_shard(flags, value);
    case KILN_FLAG_tune_SEED:
        flags->has_seed = true;
        return kiln_unsigned_parse_all(value, 10, &flags->seed);
    case KILN_FLAG_tune_CONFIGS:
        flags->space.configs = value;
        return true;
    case KILN_FLAG_tune_MPI:
        return flags->is_shared = true;
    case KILN_FLAG_tune_COLD:
        return flags->is_cold = true;
    case KILN_FLAG_tune_COLD_CODE:
        return flags->is_code_cold = true;
    case KILN_FLAG_tune_FRESH:
        return flags->is_fresh = true;
    case KILN_FLAG_tune_REFERENCE:
        for (char *comma = value; (comma = strchr(comma, ','));)
            *comma = ' ';
        flags->reference = value;
        return true;
    case KILN_FLAG_tune_FAIL_ON_FINDINGS:
        return flags->fails_on_findings = true;
    case KILN_FLAG_tune_JSON:
        return flags->is_json = true;
    case KILN_FLAG_tune_BY:
    case KILN_FLAG_tune_FORMAT:
    case KILN_FLAG_tune_OLDER_THAN:
        return false; // a flag of kiln tune list and the like
    case KILN_FLAG_tune_STORE:
        flags->store = value;
        return true;
    default:
        return kiln_launch_flag_take(&flags->launch, flag, value);
    }
}

kiln_status_t kiln_tune_flags_check(const kiln_tune_flags_t *flags)
{
    if (flags->from && (flags->launch.setting_count || flags->launch.kernel))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "settings and --kernel are recorded; --from takes axes only");
    const char *several = flags->from ? "--from" : flags->sizes ? "--sizes" : NULL;
    if (flags->from && flags->sizes)
        return kiln_status_make(KILN_STATUS_USAGE, "--from and --sizes both name problems; remove "
                                                   "one");
    if (flags->from && flags->launch.then_count)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--then has no effect here: recorded problems are single kernels");
    if (several && flags->is_shared)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--mpi shares the candidates of one search; %s makes several",
                                several);
    if (several && flags->report)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--report describes one search; %s makes several", several);
    if (flags->is_verified && (flags->from || flags->is_shared || flags->shard))
        return kiln_status_make(KILN_STATUS_USAGE, "%s has no effect on kiln tune verify",
                                flags->from        ? "--from"
                                : flags->is_shared ? "--mpi"
                                                   : "--shard");
    if (flags->is_verified && (flags->has_strategy || flags->budget))
        return kiln_status_make(KILN_STATUS_USAGE, "%s has no effect on kiln tune verify",
                                flags->budget ? "--budget" : "--search");
    if (several && flags->is_json)
        return kiln_status_make(KILN_STATUS_USAGE, "--json prints one search; %s makes several",
                                several);
    if (flags->is_json && flags->has_top)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--top has no effect here: --json prints all samples");
    if (flags->from && flags->expected_count)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--expect needs the contents of buffers, which are not recorded");
    if (flags->sizes && flags->expected_count)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--expect has the contents for one size; --sizes has several");
    if (flags->is_cold && kiln_flag_given("--sim-caches"))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--cold implies --sim-caches=cold; give only one of them");
    if (flags->reference && flags->expected_count)
        return kiln_status_make(
            KILN_STATUS_USAGE,
            "--reference has no effect here: --expect gives the expected results");
    return flags->expected_count ? kiln_flag_requires_execution("--expect") : KILN_OK;
}
