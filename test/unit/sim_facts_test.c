// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the simulator makes of the machine's facts (base/gfx942.def), against measurements and against what the compiler makes
// of them: bank conflicts of LDS, and how many workgroups a compute unit holds. The two share numbers and no logic.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/launch.h"
#include "inspect/occupancy.h"

static void lds_conflicts_are_those_measured(void **state)
{
    (void)state;
    static const struct {
        unsigned bytes, stride, conflicts;
    } rows[] = {
#define LDS_MEASURED(bytes, stride, conflicts) {bytes, stride, conflicts},
#include "lds_measured.def"
#undef LDS_MEASURED
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t address[KILN_SIM_LANES];
        for (unsigned lane = 0; lane < KILN_SIM_LANES; lane++)
            address[lane] = lane * rows[i].stride;
        const unsigned cycles = kiln_sim_lds_cycles(address, UINT64_MAX, rows[i].bytes, KILN_SIM_LOAD);
        const unsigned least = KILN_SIM_LANES * rows[i].bytes / 128;
        if (64 * (cycles - least) != rows[i].conflicts)
            fail_msg("%u bytes at a stride of %u: %u conflicts in 64 reads, measured %u", rows[i].bytes, rows[i].stride,
                     64 * (cycles - least), rows[i].conflicts);
    }
}

// Lanes of one group in different rows of a bank conflict; lanes of different groups do not.
static void lanes_of_wide_reads_are_served_as_published(void **state)
{
    (void)state;
    for (unsigned a = 0; a < KILN_SIM_LANES; a++) {
        for (unsigned b = 0; b < KILN_SIM_LANES; b++) {
            uint32_t address[KILN_SIM_LANES] = {0};
            address[b] = 1024;
            const uint64_t mask = 1ull << a | 1ull << b;
            // {0-3, 20-23} {4-7, 16-19} {8-11, 28-31} {12-15, 24-27}, and the same from lane 32 on.
            static const unsigned group_of_four[8] = {0, 1, 2, 3, 1, 0, 3, 2};
            const bool reads = a / 32 == b / 32 && group_of_four[a % 32 / 4] == group_of_four[b % 32 / 4];
            const bool writes = a / 8 == b / 8;
            assert_int_equal(kiln_sim_lds_cycles(address, mask, 16, KILN_SIM_LOAD), a == b ? 1 : 2);
            assert_int_equal(kiln_sim_lds_cycles(address, mask, 16, KILN_SIM_STORE), a == b ? 1 : 2);
            address[b] = address[a]; // together only where they are of one group
            assert_int_equal(kiln_sim_lds_cycles(address, mask, 16, KILN_SIM_LOAD), a == b || reads ? 1 : 2);
            assert_int_equal(kiln_sim_lds_cycles(address, mask, 16, KILN_SIM_STORE), a == b || writes ? 1 : 2);
        }
    }
}

static void compiler_and_simulator_agree_on_occupancy(void **state)
{
    (void)state;
    static const unsigned sgprs[] = {0, 16, 96, 100, 101, 108, 112, 128};
    static const unsigned lds[] = {0, 1, 512, 513, 4096, 16384, 16385, 21845, 32768, 33000, 65024, 65025, 65536};
    size_t compared = 0;
    for (unsigned arch = 4; arch <= 256; arch += 4) {
        for (unsigned acc = 0; acc <= 256; acc += 4) {
            const unsigned total = (arch + acc + 7) / 8 * 8;
            const unsigned sgpr_count = sgprs[(arch + acc) / 4 % (sizeof sgprs / sizeof *sgprs)];
            const kiln_sim_kernel_t kernel = {.rsrc1 = total / 8 - 1, .rsrc3 = arch / 4 - 1, .sgpr_count = sgpr_count};
            for (unsigned waves = 1; waves <= 16; waves++) {
                for (size_t i = 0; i < sizeof lds / sizeof *lds; i++) {
                    const unsigned groups = kiln_sim_groups_per_cu(&kernel, waves, lds[i]);
                    assert_int_equal((groups * waves + 3) / 4, kiln_occupancy(arch, acc, sgpr_count, lds[i], waves));
                    compared++;
                }
            }
        }
    }
    assert_true(compared > 800000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lds_conflicts_are_those_measured),
        cmocka_unit_test(lanes_of_wide_reads_are_served_as_published),
        cmocka_unit_test(compiler_and_simulator_agree_on_occupancy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
