// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Races in LDS through FLAT addresses, counters, M0 and loads directly to LDS, and the operations
// that order two waves.
//
// An access without a wait may happen after the barrier, too; for a load this only matters if
// another wave overwrites the loaded bytes.
#include "sim_check_run.h"

static void races_are_found(void **state)
{
    (void)state;
    static const check_bug_t bugs[] = {
        {"flat", "flat_wait", "race", "ds_read_b32 v6, v3", "reads LDS"},
        {"flat", "flat_barrier", "race", "ds_read_b32 v6, v3", "reads LDS"},
        {"counter", "counter_zero", "race", "ds_append v4",
         "changes LDS at 0x0, which wave 0 writes"},
        {"counter", "counter_barrier", "race", "ds_read_b32 v5, v2",
         "reads LDS at 0x0, which wave"},
        {"addtid", "addtid_wait", "race", "ds_read_b32 v5, v3", "reads LDS"},
        {"addtid", "addtid_barrier", "race", "ds_read_b32 v5, v3", "reads LDS"},
        {"buffer_direct", "buffer_wait", "race", "ds_read_b32 v4, v3", "reads LDS"},
        {"buffer_direct", "buffer_barrier", "race", "ds_read_b32 v4, v3", "reads LDS"},
        {"handoff", "handoff_acquire", "race", "ds_read_b32 v8, v3", "reads LDS"},
        {"halves", "halves_wait", "race", "ds_read_b32 v6, v3", "reads LDS"},
        {"halves", "halves_barrier", "race", "ds_write_b32 v1, v5", "writes LDS"},
        {"direct_own", "own_first", "wait", "ds_read_b32 v2, v1",
         "is read while the direct load to LDS"},
        {"direct_own", "own_second", "wait", "ds_add_u32 v1, v0",
         "is changed while the direct load to LDS"},
        {"neighbours", "neighbours_barrier", "race", "ds_read_u16 v5, v4", "reads LDS"},
    };
    check_bugs("race.s", bugs, sizeof bugs / sizeof bugs[0]);
}

int main(void)
{
    setenv("KILN_SIM_CHECK", "all", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(races_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
