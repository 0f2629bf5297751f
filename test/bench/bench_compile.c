// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long compiling takes: ./dev bench compile [--repeat=N] [--threads=N] FILE-or-DIRECTORY...
//
// A directory stands for its kernel.ttir, with num_warps and num_stages from its case.json. Each file is compiled N
// times in one session; what counts is the best time of the compiling thread's processor, so that a busy machine
// disturbs less. What is easily got wrong: wall time in the phase table.
#include <getopt.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/json.h"
#include "base/string.h"
#include "kiln/kiln.h"

typedef struct input {
    char *name, *text;
    size_t length;
    int num_warps, num_stages;
} input_t;

static double seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void die(kiln_status_t status)
{
    char *text = kiln_status_format(status);
    fprintf(stderr, "bench_compile: %s", text ? text : "out of memory\n");
    exit(1);
}

static void check(kiln_status_t status)
{
    if (status)
        die(status);
}

static input_t read_input(const char *path)
{
    input_t input = {.num_warps = 4, .num_stages = 2};
    char *inside = kiln_path_join(path, "kernel.ttir"), *options = kiln_path_join(path, "case.json");
    input.name = kiln_file_exists(inside) ? strdup(inside) : strdup(path);
    check(kiln_file_read(input.name, &input.text, &input.length));
    if (kiln_file_exists(options)) {
        json_t *json;
        int64_t number;
        check(kiln_json_read(options, &json));
        check(kiln_json_integer_or(json, "num_warps", 4, &number));
        input.num_warps = (int)number;
        check(kiln_json_integer_or(json, "num_stages", 2, &number));
        input.num_stages = (int)number;
        json_decref(json);
    }
    free(inside);
    free(options);
    return input;
}

static kiln_kernel_t *compile(kiln_session_t *session, const input_t *input)
{
    kiln_source_t source = {.stage = kiln_string_ends_with(input->name, ".c") ? KILN_STAGE_TILE : KILN_STAGE_TT,
                            .name = input->name,
                            .text = input->text,
                            .length = input->length};
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.num_warps = input->num_warps;
    options.num_stages = input->num_stages;
    kiln_kernel_t *kernel;
    check(kiln_compile(session, &source, &options, &kernel));
    return kernel;
}

typedef struct phase {
    const char *name;
    double ms;
} phase_t;

static void add_phases(const kiln_kernel_t *kernel, phase_t *phases, size_t *count, size_t limit)
{
    for (size_t i = 0; i < kiln_kernel_timing_count(kernel); i++) {
        const kiln_timing_t *timing = kiln_kernel_timing(kernel, i);
        size_t known = 0;
        while (known < *count && strcmp(phases[known].name, timing->phase) != 0)
            known++;
        if (known == *count && *count < limit)
            phases[(*count)++] = (phase_t){strdup(timing->phase), 0};
        if (known < *count)
            phases[known].ms += timing->milliseconds;
    }
}

static int slowest_first(const void *a, const void *b)
{
    const phase_t *x = a, *y = b;
    return (x->ms < y->ms) - (x->ms > y->ms);
}

static void one_by_one(const input_t *inputs, size_t count, int repeat)
{
    kiln_session_t *session;
    check(kiln_session_create(&session));
    phase_t phases[64];
    size_t phase_count = 0;
    double logs = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        double best = INFINITY;
        for (int r = 0; r < repeat; r++) {
            double begin = seconds(CLOCK_THREAD_CPUTIME_ID);
            kiln_kernel_t *kernel = compile(session, &inputs[i]);
            best = fmin(best, (seconds(CLOCK_THREAD_CPUTIME_ID) - begin) * 1e3);
            if (r == repeat - 1)
                add_phases(kernel, phases, &phase_count, sizeof phases / sizeof *phases);
            kiln_kernel_release(kernel);
        }
        printf("%9.2f ms  %s\n", best, inputs[i].name);
        logs += log(best);
        sum += best;
    }
    kiln_session_release(session);
    printf("%9.2f ms  geometric mean of %zu, best of %d; %.0f ms in all\n", exp(logs / (double)count), count, repeat,
           sum);
    double total = 0;
    for (size_t i = 0; i < phase_count; i++)
        total += phases[i].ms;
    qsort(phases, phase_count, sizeof *phases, slowest_first);
    for (size_t i = 0; i < phase_count && phases[i].ms >= 0.001 * total; i++)
        printf("  %5.1f %%  %s\n", 100 * phases[i].ms / total, phases[i].name);
}

typedef struct share {
    const input_t *inputs;
    size_t count;
    int repeat;
} share_t;

static void *work(void *user)
{
    const share_t *share = user;
    kiln_session_t *session;
    check(kiln_session_create(&session));
    for (int r = 0; r < share->repeat; r++)
        for (size_t i = 0; i < share->count; i++)
            kiln_kernel_release(compile(session, &share->inputs[i]));
    kiln_session_release(session);
    return NULL;
}

// The same work by every thread: with perfect scaling N threads take as long as one.
static double together(const share_t *share, int threads)
{
    pthread_t ids[64];
    double begin = seconds(CLOCK_MONOTONIC);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&ids[i], NULL, work, (void *)(uintptr_t)share))
            exit(3);
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    return seconds(CLOCK_MONOTONIC) - begin;
}

int main(int argc, char **argv)
{
    static const struct option rows[] = {
        {"repeat", required_argument, NULL, 'r'}, {"threads", required_argument, NULL, 't'}, {0}};
    int repeat = 3, threads = 1;
    for (int flag; (flag = getopt_long(argc, argv, "", rows, NULL)) != -1;) {
        if (flag == '?')
            return 2;
        *(flag == 'r' ? &repeat : &threads) = atoi(optarg);
    }
    size_t count = (size_t)(argc - optind);
    if (!count || repeat < 1 || threads < 1 || threads > 64) {
        fprintf(stderr, "usage: bench_compile [--repeat=N] [--threads=N] FILE-or-DIRECTORY...\n");
        return 2;
    }
    input_t *inputs = calloc(count, sizeof *inputs);
    if (!inputs)
        return 3;
    for (size_t i = 0; i < count; i++)
        inputs[i] = read_input(argv[optind + (int)i]);
    one_by_one(inputs, count, repeat);
    if (threads > 1) {
        share_t share = {inputs, count, repeat};
        double alone = together(&share, 1), many = together(&share, threads);
        printf("%d threads do %.2f times the work of one in the same wall time\n", threads, threads * alone / many);
    }
    return 0;
}
