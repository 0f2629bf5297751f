// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts that the simulator derives from base/gfx942.def, compared with measurements and with the
// compiler's: bank conflicts of LDS, and how many workgroups a compute unit holds. The two share
// numbers but no code.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/occupancy.h"
#include "run/launch.h"

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
        uint32_t address[KILN_GFX942_LANES];
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
            address[lane] = lane * rows[i].stride;
        const unsigned cycles =
            kiln_sim_lds_cycles(address, 0, UINT64_MAX, rows[i].bytes, KILN_SIM_LOAD);
        const unsigned min = KILN_GFX942_LANES * rows[i].bytes / 128;
        if (64 * (cycles - min) != rows[i].conflicts)
            fail_msg("%u bytes at a stride of %u: %u conflicts in 64 reads, measured %u",
                     rows[i].bytes, rows[i].stride, 64 * (cycles - min), rows[i].conflicts);
    }
}

// Wide accesses that are not aligned to their size are as fast as an access for each dword, if they
// are aligned to that: 64 lanes at a stride of 8 bytes take two cycles for each of the four halves
// of their two dwords, instead of one cycle for each of four groups.
static void unaligned_accesses_are_dwords(void **state)
{
    (void)state;
    uint32_t address[KILN_GFX942_LANES];
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
        address[lane] = lane * 8;
    for (kiln_sim_access_t access = KILN_SIM_LOAD; access <= KILN_SIM_STORE; access++) {
        assert_int_equal(kiln_sim_lds_cycles(address, 0, UINT64_MAX, 8, access), 4);
        assert_int_equal(kiln_sim_lds_cycles(address, 16, UINT64_MAX, 8, access), 4);
        assert_int_equal(kiln_sim_lds_cycles(address, 4, UINT64_MAX, 8, access), 8);
        assert_int_equal(kiln_sim_lds_cycles(address, 0, UINT64_MAX, 16, access), 16);
    }
    // One lane of 16 bytes, aligned to 8: four dwords, one after the other.
    assert_int_equal(kiln_sim_lds_cycles(address, 0, 1, 16, KILN_SIM_LOAD), 1);
    assert_int_equal(kiln_sim_lds_cycles(address, 8, 1, 16, KILN_SIM_LOAD), 4);
    // Accesses that are not aligned to a dword take a lane a cycle, at any width.
    for (unsigned bytes = 4; bytes <= 16; bytes += 4) {
        for (uint32_t offset = 1; offset < 4; offset++) {
            assert_int_equal(kiln_sim_lds_cycles(address, offset, UINT64_MAX, bytes, KILN_SIM_LOAD),
                             64);
            assert_int_equal(kiln_sim_lds_cycles(address, offset, 0xff0, bytes, KILN_SIM_STORE), 8);
        }
    }
    address[63]++; // one such lane is enough
    assert_int_equal(kiln_sim_lds_cycles(address, 0, UINT64_MAX, 8, KILN_SIM_LOAD), 64);
    assert_int_equal(kiln_sim_lds_cycles(address, 0, UINT64_MAX >> 1, 8, KILN_SIM_LOAD), 4);
    // Bank conflicts may take longer.
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
        address[lane] = lane * 128;
    for (uint32_t offset = 4; offset-- > 1;) {
        for (unsigned bytes = 4; bytes <= 16; bytes += 4)
            assert_true(kiln_sim_lds_cycles(address, offset, UINT64_MAX, bytes, KILN_SIM_LOAD) >=
                        kiln_sim_lds_cycles(address, 4, UINT64_MAX, bytes, KILN_SIM_LOAD));
    }
    // Smaller elements, and aligned dwords, are always accessed in the same way.
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
        address[lane] = lane * 4;
    assert_int_equal(kiln_sim_lds_cycles(address, 0, UINT64_MAX, 4, KILN_SIM_LOAD), 2);
    assert_int_equal(kiln_sim_lds_cycles(address, 2, UINT64_MAX, 2, KILN_SIM_LOAD), 2);
    assert_int_equal(kiln_sim_lds_cycles(address, 1, UINT64_MAX, 1, KILN_SIM_LOAD), 2);
    assert_int_equal(kiln_sim_lds_cycles(address, 1, UINT64_MAX, 2, KILN_SIM_LOAD), 64);
}

// Lanes of one group in different rows of a bank conflict; lanes of different groups do not.
static void lanes_of_wide_reads_are_served_as_published(void **state)
{
    (void)state;
    for (unsigned a = 0; a < KILN_GFX942_LANES; a++) {
        for (unsigned b = 0; b < KILN_GFX942_LANES; b++) {
            uint32_t address[KILN_GFX942_LANES] = {0};
            address[b] = 1024;
            const uint64_t mask = 1ull << a | 1ull << b;
            // {0-3, 20-23} {4-7, 16-19} {8-11, 28-31} {12-15, 24-27}, and the same from lane 32 on.
            static const unsigned group_of_four[8] = {0, 1, 2, 3, 1, 0, 3, 2};
            const bool reads =
                a / 32 == b / 32 && group_of_four[a % 32 / 4] == group_of_four[b % 32 / 4];
            const bool writes = a / 8 == b / 8;
            assert_int_equal(kiln_sim_lds_cycles(address, 0, mask, 16, KILN_SIM_LOAD),
                             a == b ? 1 : 2);
            assert_int_equal(kiln_sim_lds_cycles(address, 0, mask, 16, KILN_SIM_STORE),
                             a == b ? 1 : 2);
            address[b] = address[a]; // served together only if in one group
            assert_int_equal(kiln_sim_lds_cycles(address, 0, mask, 16, KILN_SIM_LOAD),
                             a == b || reads ? 1 : 2);
            assert_int_equal(kiln_sim_lds_cycles(address, 0, mask, 16, KILN_SIM_STORE),
                             a == b || writes ? 1 : 2);
        }
    }
}

static void compiler_and_simulator_agree_on_occupancy(void **state)
{
    (void)state;
    static const unsigned sgprs[] = {0, 16, 96, 100, 101, 108, 112, 128};
    static const unsigned lds[] = {0,     1,     512,   513,   4096,  16384, 16385,
                                   21845, 32768, 33000, 65024, 65025, 65536};
    size_t compared = 0;
    for (unsigned arch = 4; arch <= 256; arch += 4) {
        for (unsigned acc = 0; acc <= 256; acc += 4) {
            const unsigned total = (arch + acc + 7) / 8 * 8;
            const unsigned sgpr_count = sgprs[(arch + acc) / 4 % (sizeof sgprs / sizeof *sgprs)];
            const kiln_sim_kernel_t kernel = {
                .rsrc1 = total / 8 - 1, .rsrc3 = arch / 4 - 1, .sgpr_count = sgpr_count};
            for (unsigned waves = 1; waves <= 16; waves++) {
                for (size_t i = 0; i < sizeof lds / sizeof *lds; i++) {
                    const unsigned groups = kiln_sim_groups_per_cu(&kernel, waves, lds[i]);
                    assert_int_equal((groups * waves + 3) / 4,
                                     kiln_occupancy(arch, acc, sgpr_count, lds[i], waves));
                    compared++;
                }
            }
        }
    }
    assert_true(compared > 800000);
}

// The limit of an occupancy is the largest amount of the resource that still allows it.
static void limits_are_exact(void **state)
{
    (void)state;
    static const unsigned vgprs[] = {1, 64, 65, 72, 128, 129, 171, 256}, agprs[] = {0, 4, 128, 256},
                          sgprs[] = {16, 100, 101, 112},
                          lds[] = {0, 512, 8704, 16384, 22528, 33000, 65536};
    enum { VGPRS = 8, AGPRS = 4, SGPRS = 4, LDS = 7 };
    unsigned by_registers = 0, by_lds = 0, unlimited = 0;
    for (unsigned i = 0; i < VGPRS * AGPRS * SGPRS * LDS * 3; i++) {
        const unsigned v = vgprs[i % VGPRS], a = agprs[i / VGPRS % AGPRS],
                       s = sgprs[i / VGPRS / AGPRS % SGPRS],
                       l = lds[i / VGPRS / AGPRS / SGPRS % LDS],
                       waves = 1u << 2 * (i / VGPRS / AGPRS / SGPRS / LDS);
        const unsigned now = kiln_occupancy(v, a, s, l, waves);
        kiln_occupancy_limits_t limits;
        kiln_occupancy_limits(v, a, s, l, waves, &limits);
        assert_int_equal(limits.now, now);
        if (!limits.resource) {
            assert_true(!now || kiln_occupancy(0, 0, 0, 0, waves) == now);
            unlimited++;
        } else if (limits.more && limits.is_lds) {
            assert_int_equal(limits.used, l);
            assert_int_equal(kiln_occupancy(v, a, s, limits.max, waves), limits.more);
            assert_int_equal(kiln_occupancy(v, a, s, limits.max + 1, waves), now);
            by_lds++;
        } else if (limits.more && strcmp(limits.resource, "vector registers") == 0) {
            assert_int_equal(kiln_occupancy(limits.max, 0, s, l, waves), limits.more);
            assert_int_equal(kiln_occupancy(limits.max + 1, 0, s, l, waves), now);
            by_registers++;
        }
    }
    assert_true(by_registers > 100 && by_lds > 100 && unlimited > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lds_conflicts_are_those_measured),
        cmocka_unit_test(unaligned_accesses_are_dwords),
        cmocka_unit_test(lanes_of_wide_reads_are_served_as_published),
        cmocka_unit_test(compiler_and_simulator_agree_on_occupancy),
        cmocka_unit_test(limits_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
