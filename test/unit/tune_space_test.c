// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The combinations of a space, and the order in which a search visits them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kiln/tune.h"
#include "kiln/tune_space.h"
#include "space.h"

#define VALUES(...)                                                                                \
    (const char *const[]){__VA_ARGS__},                                                            \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)

static void expect(kiln_status_t status, kiln_status_code_t code)
{
    assert_int_equal(kiln_status_code(status), code);
    kiln_status_free(status);
}

static void space_visits_every_combination_once(void **state)
{
    (void)state;
    const kiln_tune_axis_t axes[] = {{"num_warps", VALUES("4", "8")},
                                     {"BLOCK", VALUES("16", "32", "64")}};
    const char *const wanted[] = {"BLOCK=16 num_warps=4", "BLOCK=32 num_warps=4",
                                  "BLOCK=64 num_warps=4", "BLOCK=16 num_warps=8",
                                  "BLOCK=32 num_warps=8", "BLOCK=64 num_warps=8"};
    size_t size;
    expect(kiln_space_size(axes, 2, &size), KILN_STATUS_OK);
    assert_int_equal(size, 6);
    for (size_t i = 0; i < size; i++) {
        kiln_tune_candidate_t candidate;
        expect(kiln_space_candidate(axes, 2, i, &candidate), KILN_STATUS_OK);
        assert_string_equal(candidate.config, wanted[i]);
        assert_string_equal(candidate.settings[0].name,
                            "num_warps"); // settings keep the order of the axes
        kiln_space_candidate_free(&candidate);
    }
}

static void space_refuses_what_is_no_space(void **state)
{
    (void)state;
    size_t size;
    const kiln_tune_axis_t empty[] = {{"BLOCK", NULL, 0}};
    const kiln_tune_axis_t twice[] = {{"BLOCK", VALUES("1")}, {"BLOCK", VALUES("2")}};
    expect(kiln_space_size(empty, 1, &size), KILN_STATUS_USAGE);
    expect(kiln_space_size(twice, 2, &size), KILN_STATUS_USAGE);
    const char *many[1024];
    for (size_t i = 0; i < 1024; i++)
        many[i] = "1";
    const kiln_tune_axis_t huge[] = {{"A", many, 1024}, {"B", many, 1024}, {"C", many, 1024}};
    expect(kiln_space_size(huge, 3, &size), KILN_STATUS_USAGE);
}

static void expect_walk(const kiln_tune_problem_t *problem, const char *const *wanted, size_t count)
{
    kiln_space_walk_t walk;
    kiln_tune_candidate_t candidate;
    bool found;
    expect(kiln_space_walk_begin(problem, &walk), KILN_STATUS_OK);
    for (size_t i = 0; i < count; i++) {
        expect(kiln_space_walk_next(&walk, &candidate, &found), KILN_STATUS_OK);
        assert_true(found);
        assert_string_equal(candidate.config, wanted[i]);
        kiln_space_candidate_free(&candidate);
    }
    expect(kiln_space_walk_next(&walk, &candidate, &found), KILN_STATUS_OK);
    assert_false(found);
    kiln_space_walk_free(&walk);
}

static void count_warning(const kiln_diagnostic_t *diagnostic, void *user)
{
    assert_int_equal(diagnostic->severity, KILN_SEVERITY_WARNING);
    assert_non_null(strstr(diagnostic->message,
                           "the axes have 68719476736 combinations; the search "
                           "is among 1000000 of 1000000 that"));
    ++*(int *)user;
}

// Of 64^6 combinations a million are visited: in order, and each value of each axis as often.
static void a_walk_through_a_large_space_is_spread(void **state)
{
    (void)state;
    enum { VALUES_OF_EACH = 64, AXES = 6 };
    kiln_tune_axis_t axes[AXES];
    char texts[VALUES_OF_EACH][8], names[AXES][2];
    const char *values[VALUES_OF_EACH];
    size_t counts[AXES][VALUES_OF_EACH] = {0}, visited = 0, last = 0;
    int warnings = 0;
    kiln_tune_problem_t problem;
    kiln_space_walk_t walk;
    for (int i = 0; i < VALUES_OF_EACH; i++) {
        snprintf(texts[i], sizeof texts[i], "%d", i);
        values[i] = texts[i];
    }
    for (int a = 0; a < AXES; a++) {
        snprintf(names[a], sizeof names[a], "%c", 'A' + a);
        axes[a] = (kiln_tune_axis_t){names[a], values, VALUES_OF_EACH};
    }
    kiln_tune_problem_initialize(&problem);
    problem.axes = axes;
    problem.axis_count = AXES;
    problem.diagnostic = count_warning;
    problem.diagnostic_user = &warnings;
    expect(kiln_space_walk_begin(&problem, &walk), KILN_STATUS_USAGE); // all are too many
    kiln_space_walk_free(&walk);
    problem.strategy = KILN_TUNE_GUIDED;
    expect(kiln_space_walk_begin(&problem, &walk), KILN_STATUS_OK);
    for (bool found = true; found;) {
        kiln_tune_candidate_t candidate;
        expect(kiln_space_walk_next(&walk, &candidate, &found), KILN_STATUS_OK);
        size_t number = 0;
        for (int a = 0; a < AXES && found; a++) {
            const size_t value = (size_t)atoi(candidate.settings[a].value);
            counts[a][value]++;
            number = number * VALUES_OF_EACH + value;
        }
        assert_true(!found || visited == 0 || number > last);
        last = number;
        visited += found;
        kiln_space_candidate_free(&candidate);
    }
    kiln_space_walk_free(&walk);
    assert_int_equal(visited, KILN_SPACE_MAX);
    assert_int_equal(warnings, 1);
    for (int a = 0; a < AXES; a++)
        for (int i = 0; i < VALUES_OF_EACH; i++)
            assert_in_range(counts[a][i], KILN_SPACE_MAX / VALUES_OF_EACH * 99 / 100,
                            KILN_SPACE_MAX / VALUES_OF_EACH * 101 / 100);
}

// The axes have 64^5 combinations, of which configurations name few.
static void a_walk_visits_allowed_configurations_only(void **state)
{
    (void)state;
    static const char *const wanted[] = {"A=2 B=1 C=7 D=1 E=1", "A=2 B=1 C=7 D=1 E=2",
                                         "A=64 B=64 C=64 D=64 E=64"};
    kiln_tune_space_t *space;
    kiln_tune_problem_t problem;
    kiln_space_walk_t walk;
    kiln_tune_problem_initialize(&problem);
    expect(kiln_tune_space_create(&space), KILN_STATUS_OK);
    for (const char *axis = "ABCDE"; *axis; axis++) {
        const char text[] = {*axis, '=', '1', '.', '.', '6', '4', '\0'};
        expect(kiln_tune_space_add(space, text), KILN_STATUS_OK);
    }
    problem.admit = kiln_tune_space_admits;
    problem.admit_user = space;
    problem.axes = kiln_tune_space_axes(space, &problem.axis_count);
    expect(kiln_space_walk_begin(&problem, &walk), KILN_STATUS_USAGE); // all are too many
    kiln_space_walk_free(&walk);
    expect(kiln_tune_space_allow(space, "A=64 B=64 C=64 D=64 E=64"), KILN_STATUS_OK);
    expect(kiln_tune_space_allow(space, "C=7 A=2 B=1 D=1"), KILN_STATUS_OK);
    expect(kiln_tune_space_allow(space, "C=7 A=2 B=1 D=1 E=2"), KILN_STATUS_OK); // once more
    expect(kiln_tune_space_allow(space, "A=65"), KILN_STATUS_OK);                // no value
    expect(kiln_tune_space_allow(space, "F=1"), KILN_STATUS_OK);                 // no axis
    expect(kiln_tune_space_require(space, "E <= 2 + 62 * (D / 64)"), KILN_STATUS_OK);
    expect_walk(&problem, wanted, 3);
    kiln_tune_space_release(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(space_visits_every_combination_once),
        cmocka_unit_test(space_refuses_what_is_no_space),
        cmocka_unit_test(a_walk_visits_allowed_configurations_only),
        cmocka_unit_test(a_walk_through_a_large_space_is_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
