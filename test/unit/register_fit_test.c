// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop's registers are predicted to become: taken, moved to accumulation registers, spilled.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/machine/register_fit.h"
#include "base/gfx942.h"

typedef struct fit_case {
    unsigned early, late;
    int waves, asked;
    unsigned taken, moved, spilled;
} fit_case_t;

static void registers_are_taken_moved_and_spilled(void **state)
{
    (void)state;
    static const fit_case_t cases[] = {
        {100, 80, 4, 0, 100, 0, 0},   // all fit
        {300, 200, 4, 0, 256, 0, 0},  // operands are read late
        {300, 250, 4, 0, 300, 44, 0}, // but not if others need these registers, too
        {600, 520, 4, 0, 512, 256, 24}, {300, 200, 8, 0, 256, 0, 0},
        {300, 260, 8, 0, 256, 0, 20}, // two waves on a SIMD have half of its registers each
        {200, 150, 16, 0, 128, 0, 38},  {200, 150, 4, 4, 200, 0, 38}, // four waves are asked for
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const fit_case_t *c = &cases[i];
        const kiln_register_fit_t fit = kiln_register_fit(c->early, c->late, c->waves, c->asked);
        assert_int_equal(fit.taken, c->taken);
        assert_int_equal(fit.moved, c->moved);
        assert_int_equal(fit.spilled, c->spilled);
    }
}

// A register of 64 lanes in four SIMDs is 1 KB, there and back, through an L1 of 64 bytes a cycle.
static void spilling_takes_the_time_of_the_l1(void **state)
{
    (void)state;
    const kiln_register_fit_t none = {256, 0, 0}, ten = {256, 0, 10};
    assert_int_equal(kiln_spill_cycles(&none), 0);
    assert_int_equal(kiln_spill_cycles(&ten), 10 * 2 * 1024 / KILN_GFX942_L1_CYCLE_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_are_taken_moved_and_spilled),
        cmocka_unit_test(spilling_takes_the_time_of_the_l1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
