// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How wrong the predicting clock is: ./dev bench clock [--all] [--seen] [--every=N] [--verbose] DIRECTORY...
//
// Each directory holds measured kernels (points.jsonl; test/bench/clock/*/ makes them). The points are predicted and compared, the
// worst first; then errors by family and set, for both halves of the points: the one that is looked at while the model is
// worked on, and the one that is held back (by a hash of the name; --seen leaves it out). Of pairs of one set whose times differ by
// more than 15 %, how many come in the right order. Last, and alone without a directory: what predicting costs the host.
//
// What is easily got wrong: nothing is measured here. Times come from the sources that the points name.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

typedef struct group {
    const char *what, *name; // "family" or "set", and which; name NULL: all
    int half;                // 0 seen, 1 held back, -1 both
    double below_us;         // measured times that it holds; 0: all
} group_t;

static bool is_in(const clock_point_t *point, const group_t *group)
{
    const char *own = strcmp(group->what, "set") == 0 ? point->set : point->family;
    return point->predicted_us > 0 && (!group->name || strcmp(own, group->name) == 0) &&
           (group->half < 0 || point->held_back == (group->half == 1)) &&
           (group->below_us == 0 || point->measured_us < group->below_us);
}

static void print_group(const clock_points_t *points, group_t group, const char *label)
{
    double *errors = malloc((points->count + 1) * sizeof *errors), sum = 0, bias = 0;
    size_t count = 0;
    for (size_t i = 0; errors && i < points->count; i++) {
        if (!is_in(&points->points[i], &group))
            continue;
        errors[count] = fabs(error_of(&points->points[i]));
        sum += errors[count++];
        bias += log(points->points[i].predicted_us / points->points[i].measured_us);
    }
    if (count) {
        qsort(errors, count, sizeof *errors, ascending);
        printf("  %-28s %5zu points  mean %6.1f %%  median %6.1f %%  predicted/measured %.2f (geometric mean)\n", label,
               count, 100 * sum / (double)count, 100 * errors[count / 2], exp(bias / (double)count));
    }
    free(errors);
}

static void print_groups(const clock_points_t *points, const char *what, int half)
{
    for (size_t i = 0; i < points->count; i++) {
        const char *name = strcmp(what, "set") == 0 ? points->points[i].set : points->points[i].family;
        bool first = true;
        for (size_t j = 0; j < i; j++)
            first =
                first && strcmp(name, strcmp(what, "set") == 0 ? points->points[j].set : points->points[j].family) != 0;
        if (first)
            print_group(points, (group_t){what, name, half, 0}, name);
    }
}

static void print_order(const clock_points_t *points, int half)
{
    const group_t all = {"set", NULL, half, 0};
    size_t pairs = 0, right = 0;
    for (size_t i = 0; i < points->count; i++) {
        for (size_t j = 0; j < i; j++) {
            const clock_point_t *a = &points->points[i], *b = &points->points[j];
            if (strcmp(a->set, b->set) != 0 || !is_in(a, &all) || !is_in(b, &all))
                continue;
            const double larger = fmax(a->measured_us, b->measured_us), smaller = fmin(a->measured_us, b->measured_us);
            if (larger <= 1.15 * smaller)
                continue;
            pairs++;
            right += (a->measured_us < b->measured_us) == (a->predicted_us < b->predicted_us);
        }
    }
    if (pairs)
        printf("  %.1f %% of %zu pairs of one set that differ by more than 15 %% are in the right order\n",
               100.0 * (double)right / (double)pairs, pairs);
}

static void print_half(const clock_points_t *points, int half)
{
    print_group(points, (group_t){"set", NULL, half, 0}, "all");
    print_groups(points, "family", half);
    print_group(points, (group_t){"set", NULL, half, 20}, "measured below 20 us");
    print_group(points, (group_t){"set", NULL, half, 10}, "measured below 10 us");
    print_groups(points, "set", half);
    print_order(points, half);
}

int main(int argc, char **argv)
{
    clock_points_t points = {0};
    bool all = false, seen = false, verbose = false;
    size_t every = 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--all") == 0)
            all = true;
        else if (strcmp(argv[i], "--seen") == 0)
            seen = true;
        else if (strcmp(argv[i], "--verbose") == 0)
            verbose = true;
        else if (strncmp(argv[i], "--every=", 8) == 0 && atoi(argv[i] + 8) > 0)
            every = (size_t)atoi(argv[i] + 8);
        else if (!clock_points_read(&points, argv[i]))
            return 1;
    }
    if (points.count == 0 && argc == 1)
        return clock_speed_print() ? 0 : 1;
    if (points.count == 0) {
        fprintf(stderr, "usage: bench_clock [--all] [--seen] [--every=N] [--verbose] DIRECTORY...\n");
        return 2;
    }
    double seconds = 0;
    size_t failed = 0;
    for (size_t i = 0; i < points.count; i += every) {
        clock_point_t *point = &points.points[i];
        if (seen && point->held_back)
            continue;
        clock_point_predict(point);
        if (verbose)
            fprintf(stderr, "%zu %s: predicted %.1f us, measured %.1f us, in %.2f s %s\n", i, point->name,
                    point->predicted_us, point->measured_us, point->seconds, point->problem);
        seconds += point->seconds;
        failed += point->predicted_us <= 0;
        if (point->predicted_us <= 0)
            printf("%s: not predicted: %s\n", point->name, point->problem);
    }
    qsort(points.points, points.count, sizeof *points.points, worst_first);
    enum { WORST = 25 };
    printf("\npredicted against measured, the worst first\n   error   predicted us  measured us  seconds  point\n");
    for (size_t i = 0, shown = 0; i < points.count && (all || shown < WORST); i++) {
        const clock_point_t *p = &points.points[i];
        if (p->predicted_us <= 0 || (p->held_back && !all))
            continue;
        shown++;
        printf("%+7.1f %% %13.1f %12.1f %8.2f  %s %s\n", 100 * error_of(p), p->predicted_us, p->measured_us, p->seconds,
               p->set, p->name);
    }
    for (int half = 0; half <= !seen; half++) {
        printf("\n%s half\n", half ? "held back" : "seen");
        print_half(&points, half);
    }
    if (!seen) {
        printf("\nboth halves\n");
        print_half(&points, -1);
    }
    printf("\n%zu points, %zu not predicted; %.0f s\n", points.count, failed, seconds);
    if (!clock_speed_print())
        return 1;
    clock_points_free(&points);
    return 0;
}
