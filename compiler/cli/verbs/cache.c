// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln cache: lists, checks or deletes the kernels on disk.
//
// It works on the directory that kiln run would use, so only on the current user's.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/device_flags.h"
#include "cli/pages.h"
#include "cli/verbs.h"
#include "kiln/jit.h"

typedef struct summary {
    bool shows; // all entries; else only damaged ones
    size_t count, damaged;
    uint64_t bytes;
} summary_t;

static kiln_status_t show(const kiln_cache_entry_t *entry, void *user)
{
    summary_t *summary = user;
    summary->count++;
    summary->damaged += entry->is_damaged;
    summary->bytes += entry->size;
    char day[32] = "";
    time_t used = (time_t)entry->used;
    struct tm parts;
    if (localtime_r(&used, &parts))
        strftime(day, sizeof day, "%Y-%m-%d %H:%M:%S", &parts);
    if (summary->shows || entry->is_damaged)
        printf("%s  %8.1f KiB  %s  %s%s\n", entry->key, (double)entry->size / 1024, day,
               entry->is_damaged ? "DAMAGED: " : entry->kernel,
               entry->is_damaged ? entry->why : "");
    return KILN_OK;
}

static kiln_status_t look(const char *directory, bool shows, int *out_code)
{
    summary_t summary = {.shows = shows};
    KILN_TRY(kiln_cache_visit(directory, show, &summary));
    printf("%zu kernel%s, %.1f KiB in %s", summary.count, summary.count == 1 ? "" : "s",
           (double)summary.bytes / 1024, directory);
    if (shows && !summary.damaged)
        printf("\n");
    else
        printf(", %zu corrupt\n", summary.damaged);
    *out_code = !shows && summary.damaged ? 1 : 0;
    return KILN_OK;
}

static kiln_status_t clear(const char *directory)
{
    size_t count;
    uint64_t bytes;
    KILN_TRY(kiln_cache_clear(directory, &count, &bytes));
    printf("%zu kernel%s deleted, %.1f KiB, from %s\n", count, count == 1 ? "" : "s",
           (double)bytes / 1024, directory);
    return KILN_OK;
}

int kiln_verb_cache(int argc, char **argv)
{
    kiln_words_t words;
    kiln_words_begin(&words, "cache");
    for (int flag; (flag = kiln_words_next(&words, argc, argv)) != -1;) {
        if (flag == KILN_FLAG_HELP)
            return kiln_usage(stdout, "cache");
        if (!kiln_flag_take(flag, optarg))
            return kiln_words_refuse(&words, flag);
    }
    const char *what = optind < argc ? argv[optind] : "";
    bool lists = strcmp(what, "list") == 0, verifies = strcmp(what, "verify") == 0,
         clears = strcmp(what, "clear") == 0;
    if (!*what)
        return kiln_usage(stderr, "cache");
    if (!lists && !verifies && !clears)
        return kiln_cli_report(kiln_status_make(
            KILN_STATUS_USAGE, "unexpected '%s'; expected kiln cache list, verify or clear", what));
    if (optind + 1 < argc)
        return kiln_cli_report(kiln_status_make(KILN_STATUS_USAGE,
                                                "unexpected '%s': kiln cache %s takes no words",
                                                argv[optind + 1], what));
    char *directory = kiln_cache_directory();
    if (!directory)
        return kiln_cli_report(kiln_status_make(
            KILN_STATUS_UNAVAILABLE,
            "no cache directory: KILN_CACHE_DIR, XDG_CACHE_HOME and HOME are unset"));
    int code = 0;
    kiln_status_t status = clears ? clear(directory) : look(directory, lists, &code);
    free(directory);
    return status ? kiln_cli_report(status) : code;
}
