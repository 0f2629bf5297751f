// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "clock_pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Changes that measured less than this are not counted: they are as large as what repeated
// measurements differ by.
static const double LEAST_CHANGE = 1.02;

// By which factor the logarithm of a change's ratio may be off to be counted as right.
static const double SIZE_FACTOR = 1.5;

static const clock_point_t *find(const clock_points_t *points, const char *folder, const char *name)
{
    for (size_t i = 0; name && i < points->count; i++) {
        if (strcmp(points->points[i].folder, folder) == 0 &&
            strcmp(points->points[i].name, name) == 0)
            return &points->points[i];
    }
    return NULL;
}

// Takes the line's object.
static bool add(clock_pairs_t *pairs, const clock_points_t *points, const char *folder,
                json_t *json)
{
    const char *change = json_string_value(json_object_get(json, "change"));
    const clock_point_t *before = find(points, folder,
                                       json_string_value(json_object_get(json, "before"))),
                        *after =
                            find(points, folder, json_string_value(json_object_get(json, "after")));
    clock_pair_t *made = NULL;
    if (change && before && after)
        made = realloc(pairs->pairs, (pairs->count + 1) * sizeof *made);
    if (!made) {
        fprintf(stderr, "%s/pairs.jsonl: a pair without a change or a point\n", folder);
        json_decref(json);
        return false;
    }
    pairs->pairs = made;
    made[pairs->count++] = (clock_pair_t){
        .json = json,
        .change = change,
        .before = before,
        .after = after,
        .held_back = before->held_back || after->held_back,
    };
    return true;
}

static bool read_folder(clock_pairs_t *pairs, const clock_points_t *points, const char *folder)
{
    char path[4096], *line = NULL;
    size_t capacity = 0, number = 0;
    snprintf(path, sizeof path, "%s/pairs.jsonl", folder);
    FILE *file = fopen(path, "r");
    if (!file)
        return true;
    bool good = true;
    while (good && getline(&line, &capacity, file) > 0) {
        json_error_t error;
        number++;
        json_t *json = json_loads(line, 0, &error);
        if (!json)
            fprintf(stderr, "%s:%zu: %s\n", path, number, error.text);
        good = json && add(pairs, points, folder, json);
    }
    free(line);
    fclose(file);
    return good;
}

bool clock_pairs_read(clock_pairs_t *pairs, const clock_points_t *points)
{
    bool good = true;
    for (size_t i = 0; good && i < points->count; i++) {
        const char *folder = points->points[i].folder;
        bool first = true;
        for (size_t j = 0; first && j < i; j++)
            first = strcmp(points->points[j].folder, folder) != 0;
        if (first)
            good = read_folder(pairs, points, folder);
    }
    return good;
}

void clock_pairs_free(clock_pairs_t *pairs)
{
    for (size_t i = 0; i < pairs->count; i++)
        json_decref(pairs->pairs[i].json);
    free(pairs->pairs);
    *pairs = (clock_pairs_t){0};
}

static double measured_ratio(const clock_pair_t *pair)
{
    return pair->after->measured_us / pair->before->measured_us;
}

static double predicted_ratio(const clock_pair_t *pair)
{
    return pair->after->predicted_us / pair->before->predicted_us;
}

static bool counts(const clock_pair_t *pair)
{
    return pair->before->predicted_us > 0 && pair->after->predicted_us > 0 &&
           fabs(log(measured_ratio(pair))) >= log(LEAST_CHANGE);
}

// Of the predicted to the measured change; negative if one is faster and the other slower.
static double size_of(const clock_pair_t *pair)
{
    return log(predicted_ratio(pair)) / log(measured_ratio(pair));
}

static void print_half(const clock_pairs_t *pairs, bool held_back)
{
    size_t count = 0, signs = 0, sizes = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const clock_pair_t *pair = &pairs->pairs[i];
        if (pair->held_back != held_back || !counts(pair))
            continue;
        const double size = size_of(pair);
        count++;
        signs += size > 0;
        sizes += size >= 1 / SIZE_FACTOR && size <= SIZE_FACTOR;
    }
    if (count)
        printf("  %s half: of %zu changes by more than %.0f %%, %.1f %% have the right sign and "
               "%.1f %% the right size within a factor of %.1f\n",
               held_back ? "held back" : "seen", count, 100 * (LEAST_CHANGE - 1),
               100.0 * (double)signs / (double)count, 100.0 * (double)sizes / (double)count,
               SIZE_FACTOR);
}

void clock_pairs_print(const clock_pairs_t *pairs, bool held_back, bool all)
{
    bool first = true;
    for (size_t i = 0; all && i < pairs->count; i++) {
        const clock_pair_t *pair = &pairs->pairs[i];
        if (!counts(pair))
            continue;
        if (first)
            printf("\nchanges, by the ratio of the time after to the time before\n"
                   "  measured  predicted  change\n");
        first = false;
        printf("  %8.3f  %9.3f  %s: %s\n", measured_ratio(pair), predicted_ratio(pair),
               pair->change, pair->before->name);
    }
    print_half(pairs, false);
    if (held_back)
        print_half(pairs, true);
}
