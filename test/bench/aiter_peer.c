// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aiter_peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "clock_points.h"
#include "kernel_call.h"

static const char PROBLEMS[] = KILN_BENCH_DIR "/kernels/aiter.json";

// AITER's launches --------------------------------------------------------------------------------

static bool run(char *const arguments[])
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        execvp(arguments[0], arguments);
        perror(arguments[0]);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

// The launches for all problems, in their order.
static bool read_points(const char *checkout, clock_points_t *points)
{
    char folder[] = "/tmp/bench_aiter.XXXXXX";
    if (!mkdtemp(folder)) {
        perror(folder);
        return false;
    }
    char *const make[] = {"python3",    KILN_BENCH_DIR "/clock/aiter/peers.py",
                          "--aiter",    (char *)checkout,
                          "--problems", (char *)PROBLEMS,
                          "--out",      folder,
                          NULL};
    bool good = run(make) && clock_points_read(points, folder);
    if (!good)
        fprintf(stderr, "bench: %s: expected a checkout of ROCm/aiter\n", checkout);
    return good;
}

static void remove_points(const clock_points_t *points)
{
    if (points->count == 0)
        return;
    char *const rm[] = {"rm", "-r", (char *)points->points[0].folder, NULL};
    run(rm);
}

// Kiln's best -------------------------------------------------------------------------------------

typedef struct best {
    double us;
    const json_t *settings;
} best_t;

static double predict(kiln_session_t *session, const json_t *problem, const json_t *settings)
{
    char path[4096];
    const char *tile = json_string_value(json_object_get(problem, "tile"));
    kiln_compile_options_t options;
    kernel_call_t call;
    kernel_call_read(problem, settings, &call);
    call.has_small_buffers = true;
    snprintf(path, sizeof path, KILN_BENCH_DIR "/kernels/%s.tile.c", tile);
    if (access(path, R_OK) != 0)
        snprintf(path, sizeof path, KILN_EXAMPLES_DIR "/%s.tile.c", tile);
    kiln_kernel_t *kernel = kernel_call_compile(session, &call, KILN_STAGE_TILE, path, &options);
    const kernel_code_t code = kernel_call_code(kernel);
    const double us = kernel_call_predict(&call, &code);
    kiln_kernel_release(kernel);
    return us;
}

static best_t search(kiln_session_t *session, const json_t *problem)
{
    best_t best = {0};
    size_t index;
    json_t *settings;
    json_array_foreach(json_object_get(problem, "sweep"), index, settings)
    {
        const double us = predict(session, problem, settings);
        if (!best.settings || us < best.us)
            best = (best_t){us, settings};
    }
    return best;
}

// The table ---------------------------------------------------------------------------------------

enum { MAX_FAMILIES = 16 };

typedef struct family {
    const char *name;
    double sum; // logarithms of ratios
    unsigned count, worse;
} family_t;

static const double WORSE = 1.2;

static void add(family_t *families, const char *name, double ratio)
{
    family_t *at = families;
    while (at->name && strcmp(at->name, name) != 0 && at - families < MAX_FAMILIES - 1)
        at++;
    at->name = name;
    at->sum += log(ratio);
    at->count++;
    at->worse += ratio > WORSE;
}

static void print_settings(const json_t *settings)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)settings, name, value)
        printf(" %s=%lld", name, (long long)json_integer_value(value));
    printf("\n");
}

static bool is_wanted(const char *name, char **words, int count)
{
    for (int i = 0; i < count; i++)
        if (strstr(name, words[i]))
            return true;
    return count == 0;
}

static bool compare(kiln_session_t *session, const json_t *problem, clock_point_t *point,
                    family_t *families)
{
    clock_point_predict(point);
    if (!(point->predicted_us > 0)) {
        fprintf(stderr, "bench: AITER's %s: %s\n", point->name, point->problem);
        return false;
    }
    const best_t best = search(session, problem);
    const double ratio = best.us / point->predicted_us;
    printf("%-32s %9.2f %9.2f %7.3f%s ", point->name, point->predicted_us, best.us, ratio,
           ratio > WORSE ? " *" : "  ");
    print_settings(best.settings);
    fflush(stdout);
    add(families, point->family, ratio);
    return true;
}

bool aiter_peer_compare(const char *checkout, char **words, int count)
{
    clock_points_t points = {0};
    family_t families[MAX_FAMILIES + 1] = {0};
    kiln_session_t *session;
    json_t *problems, *problem;
    char *text;
    size_t length, index;
    bench_check(kiln_file_read(PROBLEMS, &text, &length));
    bench_check(kiln_json_parse("aiter.json", text, length, &problems));
    bench_check(kiln_session_create(&session));
    bool good = read_points(checkout, &points) && points.count == json_array_size(problems);
    if (good)
        printf("%-32s %9s %9s %7s\n", "us", "AITER", "Kiln", "ratio");
    json_array_foreach(problems, index, problem)
    {
        if (good && is_wanted(points.points[index].name, words, count))
            good = compare(session, problem, &points.points[index], families);
    }
    for (const family_t *family = families; family->name; family++)
        printf("%s: geometric mean %.3f of %u, %u above %.1f (*)\n", family->name,
               exp(family->sum / family->count), family->count, family->worse, WORSE);
    if (good)
        printf("Each at the best of its own kernels or settings. Times are predicted, warm, on an "
               "MI300X. Nothing is measured.\n");
    remove_points(&points);
    clock_points_free(&points);
    kiln_session_release(session);
    json_decref(problems);
    free(text);
    return good;
}
