// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of the predicting clock: ./dev bench clock [--all] [--seen] [--errors] [--every=N]
// [--verbose] [--point=NAME] DIRECTORY...
//
// Each directory contains measured kernels (points.jsonl; test/bench/clock/*/ generates them). The
// points are predicted and compared; one screen shows the errors by length, family and set for both
// halves of the points: the one used while working on the model, and the one held back (chosen by a
// hash of the name; --seen omits it). For pairs of one set whose times differ by more than 15 %, it
// prints how many are predicted in the right order, and for pairs that differ by one change
// (pairs.jsonl), how many changes have the right sign and the right size. --all lists all points,
// the worst first, and all changes; --errors prints the rows of runtime/sim/timing/errors.def;
// --point predicts only that point, and prints its launches with the stalls of each instruction.
// The last part, and the only one without a directory, is the host's cost of predicting.
//
// Nothing is measured here: the times come from the sources that the points name.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock_pairs.h"
#include "clock_points.h"
#include "clock_speed.h"

static double error_of(const clock_point_t *point)
{
    return point->predicted_us / point->measured_us - 1;
}

static int worst_first(const void *a, const void *b)
{
    const double x = fabs(error_of(a)), y = fabs(error_of(b));
    return x < y ? 1 : x > y ? -1 : 0;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

enum { SEEN, HELD_BACK, HALVES };

// Which points a row of the table is about.
typedef struct group {
    const char *what, *name;  // "family", "set" or "bound", and its name; NULL: all
    double from_us, below_us; // times of these bounds, measured or (`by_prediction`) predicted;
                              // below_us 0: no limit
    bool by_prediction;
} group_t;

static const char *const bounds[] = {"COMPUTE", "MEMORY", "LATENCY"};
static const double limits[] = {0, 10, 100, 1000, 0}; // us, of the bands
enum { BANDS = sizeof limits / sizeof *limits - 1 };

static const char *name_in(const clock_point_t *point, const char *what)
{
    return strcmp(what, "set") == 0      ? point->set
           : strcmp(what, "family") == 0 ? point->family
                                         : bounds[point->bound];
}

static bool is_in(const clock_point_t *point, const group_t *group, int half)
{
    const double us = group->by_prediction ? point->predicted_us : point->measured_us;
    return point->predicted_us > 0 && point->held_back == (half == HELD_BACK) &&
           (!group->name || strcmp(name_in(point, group->what), group->name) == 0) &&
           us >= group->from_us && (group->below_us == 0 || us < group->below_us);
}

// Points, mean and median error, and the geometric mean of predicted to measured, in one half.
static void print_half(const clock_points_t *points, const group_t *group, int half)
{
    double *errors = malloc((points->count + 1) * sizeof *errors), sum = 0, bias = 0;
    size_t count = 0;
    for (size_t i = 0; errors && i < points->count; i++) {
        if (!is_in(&points->points[i], group, half))
            continue;
        errors[count] = fabs(error_of(&points->points[i]));
        sum += errors[count++];
        bias += log(points->points[i].predicted_us / points->points[i].measured_us);
    }
    if (count) {
        qsort(errors, count, sizeof *errors, ascending);
        printf("  %5zu %5.1f %% %5.1f %%  %4.2f", count, 100 * sum / (double)count,
               100 * errors[count / 2], exp(bias / (double)count));
    } else {
        printf("  %5s %7s %7s  %4s", "", "", "", "");
    }
    free(errors);
}

static void print_row(const clock_points_t *points, group_t group, const char *label, int halves)
{
    printf("  %-22s", label);
    for (int half = 0; half < halves; half++)
        print_half(points, &group, half);
    printf("\n");
}

static void print_rows(const clock_points_t *points, const char *what, int halves)
{
    for (size_t i = 0; i < points->count; i++) {
        const char *name = name_in(&points->points[i], what);
        bool first = true;
        for (size_t j = 0; j < i; j++)
            first = first && strcmp(name, name_in(&points->points[j], what)) != 0;
        if (first)
            print_row(points, (group_t){.what = what, .name = name}, name, halves);
    }
}

static void print_order(const clock_points_t *points, int half)
{
    const group_t all = {.what = "set"};
    size_t pairs = 0, right = 0;
    for (size_t i = 0; i < points->count; i++) {
        for (size_t j = 0; j < i; j++) {
            const clock_point_t *a = &points->points[i], *b = &points->points[j];
            if (strcmp(a->set, b->set) != 0 || !is_in(a, &all, half) || !is_in(b, &all, half))
                continue;
            const double larger = fmax(a->measured_us, b->measured_us),
                         smaller = fmin(a->measured_us, b->measured_us);
            if (larger <= 1.15 * smaller)
                continue;
            pairs++;
            right += (a->measured_us < b->measured_us) == (a->predicted_us < b->predicted_us);
        }
    }
    if (pairs)
        printf(
            "  %s half: %.1f %% of %zu pairs of one set that differ by more than 15 %% are in the "
            "right order\n",
            half ? "held back" : "seen", 100.0 * (double)right / (double)pairs, pairs);
}

// The error by length, family and set, on one screen.
static void print_table(const clock_points_t *points, int halves)
{
    printf("\n  %-22s", "");
    for (int half = 0; half < halves; half++)
        printf("  %-28s", half ? "held back" : "seen");
    printf("\n  %-22s", "");
    for (int half = 0; half < halves; half++)
        printf("  %5s %7s %7s  %4s", "count", "mean", "median", "p/m");
    printf("\n");
    print_row(points, (group_t){.what = "set"}, "all", halves);
    for (unsigned b = 0; b < BANDS; b++) {
        char label[40];
        snprintf(label, sizeof label, limits[b + 1] > 0 ? "%g to %g us" : "from %g us", limits[b],
                 limits[b + 1]);
        print_row(points, (group_t){.what = "set", .from_us = limits[b], .below_us = limits[b + 1]},
                  label, halves);
    }
    print_rows(points, "family", halves);
    print_rows(points, "set", halves);
    for (int half = 0; half < halves; half++)
        print_order(points, half);
}

// Ratios of measured to predicted time of the seen points in a group, ascending; *count of them.
static double *ratios_of(const clock_points_t *points, const group_t *group, size_t *count)
{
    double *ratios = malloc((points->count + 1) * sizeof *ratios);
    *count = 0;
    for (size_t i = 0; ratios && i < points->count; i++) {
        if (is_in(&points->points[i], group, SEEN))
            ratios[(*count)++] = points->points[i].measured_us / points->points[i].predicted_us;
    }
    if (ratios)
        qsort(ratios, *count, sizeof *ratios, ascending);
    return ratios;
}

// The rows of runtime/sim/timing/errors.def.
static void print_errors(const clock_points_t *points)
{
    enum { FEWEST = 10 };
    for (unsigned bound = 0; bound < sizeof bounds / sizeof *bounds; bound++) {
        for (unsigned b = 0; b < BANDS; b++) {
            group_t group = {"bound", bounds[bound], limits[b], limits[b + 1], true};
            size_t count;
            double *ratios = ratios_of(points, &group, &count);
            if (count < FEWEST) {
                free(ratios);
                group.name = NULL;
                ratios = ratios_of(points, &group, &count);
            }
            if (ratios && count)
                printf("KILN_TIMING_ERROR(%-8s %5g, %3.0f, %3.0f, %3zu)\n",
                       bound == 0   ? "COMPUTE,"
                       : bound == 1 ? "MEMORY,"
                                    : "LATENCY,",
                       limits[b + 1], 100 * ratios[count / 10],
                       100 * ratios[count - 1 - count / 10], count);
            free(ratios);
        }
    }
}

int main(int argc, char **argv)
{
    clock_points_t points = {0};
    bool all = false, seen = false, verbose = false, errors = false;
    size_t every = 1;
    const char *only = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--all") == 0)
            all = true;
        else if (strcmp(argv[i], "--seen") == 0)
            seen = true;
        else if (strcmp(argv[i], "--errors") == 0)
            errors = seen = true;
        else if (strcmp(argv[i], "--verbose") == 0)
            verbose = true;
        else if (strncmp(argv[i], "--point=", 8) == 0)
            only = argv[i] + 8;
        else if (strncmp(argv[i], "--every=", 8) == 0 && atoi(argv[i] + 8) > 0)
            every = (size_t)atoi(argv[i] + 8);
        else if (!clock_points_read(&points, argv[i]))
            return 1;
    }
    if (points.count == 0 && argc == 1)
        return clock_speed_print() ? 0 : 1;
    if (points.count == 0) {
        fprintf(stderr, "usage: bench_clock [--all] [--seen] [--errors] [--every=N] [--verbose] "
                        "[--point=NAME] DIRECTORY...\n");
        return 2;
    }
    double seconds = 0;
    size_t failed = 0;
    for (size_t i = 0; i < points.count; i += every) {
        clock_point_t *point = &points.points[i];
        if ((seen && point->held_back) || (only && strcmp(point->name, only) != 0))
            continue;
        point->detailed = only != NULL;
        clock_point_predict(point);
        if (verbose)
            fprintf(stderr, "%zu %s: predicted %.1f us, measured %.1f us, in %.2f s %s\n", i,
                    point->name, point->predicted_us, point->measured_us, point->seconds,
                    point->problem);
        seconds += point->seconds;
        failed += point->predicted_us <= 0;
        if (point->predicted_us <= 0)
            printf("%s: not predicted: %s\n", point->name, point->problem);
    }
    qsort(points.points, points.count, sizeof *points.points, worst_first);
    if (all)
        printf(
            "\npredicted against measured, the worst first\n   error   predicted us  measured us  "
            "seconds  bound    point\n");
    for (size_t i = 0; all && i < points.count; i++) {
        const clock_point_t *p = &points.points[i];
        if (p->predicted_us > 0)
            printf("%+7.1f %% %13.1f %12.1f %8.2f  %-7s  %s %s\n", 100 * error_of(p),
                   p->predicted_us, p->measured_us, p->seconds, bounds[p->bound], p->set, p->name);
    }
    print_table(&points, seen ? HELD_BACK : HALVES);
    clock_pairs_t pairs = {0};
    if (!clock_pairs_read(&pairs, &points))
        return 1;
    clock_pairs_print(&pairs, !seen, all);
    clock_pairs_free(&pairs);
    if (errors)
        print_errors(&points);
    printf("\n%zu points, %zu not predicted; %.0f s\n", points.count, failed, seconds);
    if (!clock_speed_print())
        return 1;
    clock_points_free(&points);
    return 0;
}
