// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports do not depend on the number of host threads: findings, counts and order are the same,
// even for a launch that fails.
//
// The simulator reads its environment once per process, so each number of threads has a child
// process of its own.
#include <sys/wait.h>

#include "sim_check_run.h"

#define REPORT KILN_BINARY_DIR "/test/sim_check_report"

enum { GROUPS = 256 };

// Runs a kernel of race.s or memory.s without the named line, and returns the report.
static char *report_of(const char *source, const char *kernel, const char *without, unsigned bytes,
                       const char *threads)
{
    unlink(REPORT ".json");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("KILN_SIM_CHECK", "all,clamp", 1);
        setenv("KILN_SIM_THREADS", threads, 1);
        setenv("KILN_SIM_REPORT", REPORT ".json", 1);
        hipModule_t module = check_load(source, without);
        (void)check_launch(module, kernel, GROUPS, check_device_bytes(bytes),
                           check_device_bytes(bytes));
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    size_t size;
    return check_read(REPORT ".json", &size);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    static const struct {
        const char *source, *kernel, *without;
        unsigned bytes;
    } launches[] = {
        {"race.s", "counter", "counter_barrier", CHECK_BYTES},
        {"race.s", "flat", "flat_wait", CHECK_BYTES},
        {"memory.s", "masked", "masked_offset", CHECK_BYTES},
        {"memory.s", "late", NULL, CHECK_BYTES}, // workgroups from 60 on fail
    };
    for (size_t i = 0; i < sizeof launches / sizeof launches[0]; i++) {
        char *one = report_of(launches[i].source, launches[i].kernel, launches[i].without,
                              launches[i].bytes, "1");
        assert_true(strlen(one) > 100);
        for (unsigned round = 0; round < 5; round++) {
            char *more = report_of(launches[i].source, launches[i].kernel, launches[i].without,
                                   launches[i].bytes, round % 2 ? "4" : "2");
            assert_string_equal(one, more);
            free(more);
        }
        free(one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
