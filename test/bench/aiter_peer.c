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

// kernels/aiter/*.json
static const char *const PARTS[] = {"attention", "backward", "decode", "gemm", "mla", "moe"};

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

// The launches for all problems of the file, in their order.
static bool read_points(const char *checkout, const char *path, clock_points_t *points)
{
    char folder[] = "/tmp/bench_aiter.XXXXXX";
    if (!mkdtemp(folder)) {
        perror(folder);
        return false;
    }
    char *const make[] = {"python3",    KILN_BENCH_DIR "/clock/aiter/peers.py",
                          "--aiter",    (char *)checkout,
                          "--problems", (char *)path,
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

enum { MAX_STEPS = 8 };

// The fastest settings of a problem: those of all steps, and the best of each step's own.
typedef struct best {
    double us;
    const json_t *settings, *of_step[MAX_STEPS];
} best_t;

// The fastest of the step's `sweep`, each together with `shared` unless the step is `alone`.
static double search_step(kiln_session_t *session, const json_t *step, const json_t *shared,
                          const char *folder, const json_t **out_settings)
{
    const json_t *sweep = json_object_get(step, "sweep");
    double best = 0;
    *out_settings = NULL;
    for (size_t i = 0; i < (sweep ? json_array_size(sweep) : 1); i++) {
        json_t *own = json_array_get(sweep, i), *settings = json_object();
        if (shared && !json_is_true(json_object_get(step, "alone")))
            json_object_update(settings, (json_t *)shared);
        if (own)
            json_object_update(settings, own);
        const double us =
            kernel_call_predict_settings(session, step, settings, folder).microseconds;
        if (i == 0 || us < best) {
            best = us;
            *out_settings = own;
        }
        json_decref(settings);
    }
    return best;
}

// Whether the step is not needed with these shared settings: one of them is listed in its `unless`.
static bool is_left_out(const json_t *step, const json_t *shared)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(step, "unless"), name,
                        value) if (json_equal(value, json_object_get(shared, name))) return true;
    return false;
}

// A problem is a call, or has `steps` that run one after the other: then its own `sweep` is for
// settings that the steps share.
static best_t search(kiln_session_t *session, const json_t *problem, const char *folder)
{
    const json_t *steps = json_object_get(problem, "steps");
    const json_t *sweep = steps ? json_object_get(problem, "sweep") : NULL;
    best_t best = {0};
    for (size_t i = 0; i < (sweep ? json_array_size(sweep) : 1); i++) {
        best_t made = {.settings = json_array_get(sweep, i)};
        for (size_t j = 0; j < (steps ? json_array_size(steps) : 1) && j < MAX_STEPS; j++) {
            const json_t *step = steps ? json_array_get(steps, j) : problem;
            if (!is_left_out(step, made.settings))
                made.us += search_step(session, step, made.settings, folder, &made.of_step[j]);
        }
        if (i == 0 || made.us < best.us)
            best = made;
    }
    return best;
}

// The table ---------------------------------------------------------------------------------------

enum { MAX_FAMILIES = 16 };

typedef struct family {
    char name[32]; // empty: unused
    double sum;    // logarithms of ratios
    unsigned count, worse;
} family_t;

static const double WORSE = 1.2;

static void add(family_t *families, const json_t *problem, double ratio)
{
    const json_t *theirs = json_object_get(problem, "theirs");
    char name[sizeof families->name];
    snprintf(name, sizeof name, "%s%s", json_string_value(json_object_get(theirs, "family")),
             json_is_true(json_object_get(theirs, "causal")) ? " causal" : "");
    family_t *at = families;
    while (at->count && strcmp(at->name, name) != 0 && at - families < MAX_FAMILIES - 1)
        at++;
    memcpy(at->name, name, sizeof name);
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
}

static void print_best(const best_t *best)
{
    print_settings(best->settings);
    for (size_t i = 0; i < MAX_STEPS; i++) {
        if (i > 0 && best->of_step[i])
            printf(",");
        print_settings(best->of_step[i]);
    }
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
    const best_t best = search(session, problem, point->folder);
    const double ratio = best.us / point->predicted_us;
    printf("%-32s %9.2f %9.2f %7.3f%s ", point->name, point->predicted_us, best.us, ratio,
           ratio > WORSE ? " *" : "  ");
    print_best(&best);
    fflush(stdout);
    add(families, problem, ratio);
    return true;
}

static bool compare_part(kiln_session_t *session, const char *checkout, const char *part,
                         char **words, int count, family_t *families)
{
    clock_points_t points = {0};
    json_t *problems, *problem;
    char path[4096], *text;
    size_t length, index;
    snprintf(path, sizeof path, KILN_BENCH_DIR "/kernels/aiter/%s.json", part);
    bench_check(kiln_file_read(path, &text, &length));
    bench_check(kiln_json_parse(path, text, length, &problems));
    bool wanted = false;
    json_array_foreach(problems, index, problem) wanted |=
        is_wanted(json_string_value(json_object_get(problem, "name")), words, count);
    bool good = !wanted ||
                (read_points(checkout, path, &points) && points.count == json_array_size(problems));
    json_array_foreach(problems, index, problem)
    {
        if (wanted && good && is_wanted(points.points[index].name, words, count))
            good = compare(session, problem, &points.points[index], families);
    }
    remove_points(&points);
    clock_points_free(&points);
    json_decref(problems);
    free(text);
    return good;
}

bool aiter_peer_compare(const char *checkout, char **words, int count)
{
    family_t families[MAX_FAMILIES + 1] = {0};
    kiln_session_t *session;
    bool good = true;
    bench_check(kiln_session_create(&session));
    printf("%-32s %9s %9s %7s\n", "us", "AITER", "Kiln", "ratio");
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS && good; i++)
        good = compare_part(session, checkout, PARTS[i], words, count, families);
    for (const family_t *family = families; family->count; family++)
        printf("%s: geometric mean %.3f of %u, %u above %.1f (*)\n", family->name,
               exp(family->sum / family->count), family->count, family->worse, WORSE);
    if (good)
        printf("Each at the best of its own kernels or settings. Times are predicted, warm, on an "
               "MI300X. Nothing is measured.\n");
    kiln_session_release(session);
    return good;
}
