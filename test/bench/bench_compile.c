// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compile times: ./dev bench compile [--repeat=N] [--threads=N] [--triton=PYTHON]
// FILE-or-DIRECTORY...
//
// A directory stands for its kernel.ttir, with the options of its case.json. Each file is compiled
// N times in one session. The result is the best CPU time of the compiling thread, which a busy
// machine disturbs less. PYTHON, an interpreter that has Triton, compiles the same files in the
// same run, measured in the same way.
//
// Note that the phase table shows wall time, and that instructions in loops are counted statically,
// not as executed.
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "artifact/code_object.h"
#include "base/file.h"
#include "base/json.h"
#include "base/string.h"
#include "inspect/isa.h"
#include "kiln/kiln.h"
#include "triton_peer.h"

typedef struct input {
    char *name, *text;
    size_t length;
    kiln_compile_options_t options;
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

static void take_option(kiln_compile_options_t *options, const kiln_option_t *option,
                        const json_t *value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, (int64_t)json_integer_value(value));
    if (value)
        check(kiln_compile_option_set(options, option, text));
}

static input_t read_input(const char *path)
{
    input_t input = {0};
    kiln_compile_options_initialize(&input.options);
    char *inside = kiln_path_join(path, "kernel.ttir"), *call = kiln_path_join(path, "case.json");
    input.name = access(inside, F_OK) == 0 ? strdup(inside) : strdup(path);
    check(kiln_file_read(input.name, &input.text, &input.length));
    if (access(call, F_OK) == 0) {
        json_t *json;
        check(kiln_json_read(call, &json));
        const json_t *rest = json_object_get(json, "options");
        const kiln_option_t *option;
        for (size_t i = 0; (option = kiln_compile_option(i)); i++) {
            const json_t *value = json_object_get(json, option->name);
            take_option(&input.options, option,
                        value ? value : json_object_get(rest, option->name));
        }
        json_decref(json);
    }
    free(inside);
    free(call);
    return input;
}

static kiln_kernel_t *compile(kiln_session_t *session, const input_t *input)
{
    kiln_source_t source = {.stage = kiln_string_ends_with(input->name, ".c") ? KILN_STAGE_TILE
                                                                              : KILN_STAGE_TT,
                            .name = input->name,
                            .text = input->text,
                            .length = input->length};
    kiln_kernel_t *kernel;
    check(kiln_compile(session, &source, &input->options, &kernel));
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

// ---- the instructions of a code object's first kernel

typedef struct code_size {
    size_t all, in_loops;
} code_size_t;

static code_size_t count_instructions(const void *bytes, size_t size)
{
    kiln_code_object_t object;
    kiln_isa_t isa;
    code_size_t count = {0};
    check(kiln_code_object_read(bytes, size, &object));
    const kiln_code_kernel_t *kernel = &object.kernels[0];
    check(kiln_isa_read(kernel->code, kernel->code_size, &isa));
    count.all = isa.count;
    size_t next = 0; // loops are sorted by their start; instructions before `next` are counted
    for (size_t i = 0; i < isa.loop_count; i++) {
        size_t first = isa.loops[i].first > next ? isa.loops[i].first : next;
        if (isa.loops[i].last < first)
            continue;
        next = isa.loops[i].last + 1;
        count.in_loops += next - first;
    }
    kiln_isa_free(&isa);
    kiln_code_object_free(&object);
    return count;
}

// ---- one file after the other, on one thread

typedef struct sum {
    double logs, ms;
    size_t all, in_loops, count;
} sum_t;

static void add(sum_t *sum, double ms, code_size_t size)
{
    sum->logs += log(ms);
    sum->ms += ms;
    sum->all += size.all;
    sum->in_loops += size.in_loops;
    sum->count++;
}

static double mean_of(const sum_t *sum)
{
    return exp(sum->logs / (double)sum->count);
}

// Adds to the sums of both if Triton compiles the file, too: not every version reads each syntax.
static void compare(triton_peer_t *triton, const input_t *input, int repeat, double ours,
                    code_size_t our_size, sum_t *our_sum, sum_t *sum)
{
    char out[] = "/tmp/bench_compile.XXXXXX", *bytes;
    size_t length;
    triton_answer_t answer;
    int file = mkstemp(out);
    if (file < 0)
        exit(3);
    close(file);
    triton_request_t request = {.path = input->name,
                                .repeat = repeat,
                                .num_warps = input->options.num_warps,
                                .num_stages = input->options.num_stages,
                                .matrix_instr_nonkdim = input->options.matrix_instr_nonkdim,
                                .waves_per_eu = input->options.waves_per_eu,
                                .kpack = input->options.kpack};
    const bool is_compiled = triton_peer_compile(triton, &request, out, &answer);
    if (is_compiled)
        check(kiln_file_read(out, &bytes, &length));
    unlink(out);
    if (!is_compiled) {
        printf(" %9s %7s %8s %8s %8s %8s", "-", "-", "-", "-", "-", "-");
        return;
    }
    code_size_t size = count_instructions(bytes, length);
    free(bytes);
    printf(" %9.2f %7.2f %8zu %8zu %8zu %8zu", answer.ms, answer.ms / ours, our_size.in_loops,
           size.in_loops, our_size.all, size.all);
    add(our_sum, ours, our_size);
    add(sum, answer.ms, size);
}

static void one_by_one(const input_t *inputs, size_t count, int repeat, triton_peer_t *triton)
{
    kiln_session_t *session;
    check(kiln_session_create(&session));
    phase_t phases[64];
    size_t phase_count = 0;
    sum_t ours = {0}, compared = {0}, theirs = {0};
    if (triton)
        printf("%9s %9s %7s %17s %17s\n", "", "", "Triton", "instr. in loops", "instructions");
    printf("%9s", "Kiln ms");
    if (triton)
        printf(" %9s %7s %8s %8s %8s %8s", "Triton ms", "/ Kiln", "Kiln", "Triton", "Kiln",
               "Triton");
    printf("\n");
    for (size_t i = 0; i < count; i++) {
        double best = INFINITY;
        code_size_t size = {0};
        for (int r = 0; r < repeat; r++) {
            double begin = seconds(CLOCK_THREAD_CPUTIME_ID);
            kiln_kernel_t *kernel = compile(session, &inputs[i]);
            best = fmin(best, (seconds(CLOCK_THREAD_CPUTIME_ID) - begin) * 1e3);
            if (r == repeat - 1) {
                add_phases(kernel, phases, &phase_count, sizeof phases / sizeof *phases);
                size_t length;
                const void *code = kiln_kernel_code_object(kernel, &length);
                size = count_instructions(code, length);
            }
            kiln_kernel_release(kernel);
        }
        printf("%9.2f", best);
        add(&ours, best, size);
        if (triton)
            compare(triton, &inputs[i], repeat, best, size, &compared, &theirs);
        printf("  %s\n", inputs[i].name);
        fflush(stdout);
    }
    kiln_session_release(session);
    printf("%9.2f ms geometric mean of %zu, best of %d, processor time; %.0f ms in all; "
           "instructions %zu, in loops %zu\n",
           mean_of(&ours), count, repeat, ours.ms, ours.all, ours.in_loops);
    if (triton)
        printf("%9.2f ms Triton's of %zu, %.0f ms in all; Kiln's %.2f ms and %.0f, ratio %.2f; "
               "instructions %zu, in loops %zu\n",
               mean_of(&theirs), theirs.count, theirs.ms, mean_of(&compared), compared.ms,
               mean_of(&theirs) / mean_of(&compared), theirs.all, theirs.in_loops);
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

// Every thread does the same work: with perfect scaling N threads take as long as one.
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
    static const struct option rows[] = {{"repeat", required_argument, NULL, 'r'},
                                         {"threads", required_argument, NULL, 't'},
                                         {"triton", required_argument, NULL, 'p'},
                                         {0}};
    int repeat = 3, threads = 1;
    const char *python = NULL;
    for (int flag; (flag = getopt_long(argc, argv, "", rows, NULL)) != -1;) {
        if (flag == '?')
            return 2;
        if (flag == 'p')
            python = optarg;
        else
            *(flag == 'r' ? &repeat : &threads) = atoi(optarg);
    }
    size_t count = (size_t)(argc - optind);
    if (!count || repeat < 1 || threads < 1 || threads > 64) {
        fprintf(stderr, "usage: bench_compile [--repeat=N] [--threads=N] [--triton=PYTHON] "
                        "FILE-or-DIRECTORY...\n");
        return 2;
    }
    input_t *inputs = calloc(count, sizeof *inputs);
    triton_peer_t *triton = python ? triton_peer_start(python) : NULL;
    if (!inputs || (python && !triton))
        return 3;
    for (size_t i = 0; i < count; i++)
        inputs[i] = read_input(argv[optind + (int)i]);
    one_by_one(inputs, count, repeat, triton);
    triton_peer_stop(triton);
    if (threads > 1) {
        share_t share = {inputs, count, repeat};
        double alone = together(&share, 1), many = together(&share, threads);
        printf("%d threads do %.2f times the work of one in the same wall time\n", threads,
               threads * alone / many);
    }
    return 0;
}
