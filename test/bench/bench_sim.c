// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The speed of the simulator: ./dev bench sim [SIZE [DIRECTORY...]]
//
// First one f16 GEMM of SIZE³ (default 1024), compiled from examples/gemm.tile.c, in each of the
// simulator's modes: exact and fast MFMA, one and two threads, without and with checks, in both
// orders. Then the matrix cases of a corpus (all of $KILN_CORPUS, default ../shared/corpus, or
// those in the given directories): Triton's objects and Kiln's, and the host's time by class of
// instruction (KILN_SIM_PROFILE).
//
// The simulator reads its KILN_SIM_* variables once, so each mode runs in a process of its own, and
// ratios compare processes of this one run. One thread is measured by CPU time, which a busy
// machine disturbs less; two threads by wall time.
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "kiln/kiln.h"
#include "kiln/runtime.h"
#include "sim_corpus.h"

enum { BLOCK = 128, REPEATS = 3, CORPUS_REPEATS = 5 };

typedef struct mode {
    const char *name, *mfma, *threads, *check, *profile, *order;
    int base; // the mode that the ratio is relative to
} bench_mode_t;

static const bench_mode_t MODES[] = {
    {"exact MFMA, 1 thread", "exact", "1", "off", "0", "program", 0},
    {"exact MFMA, 2 threads", "exact", "2", "off", "0", "program", 0},
    {"exact MFMA, 1 thread, all checks", "exact", "1", "all", "0", "program", 0},
    {"fast MFMA, 1 thread", "fast", "1", "off", "0", "program", 3},
    {"fast MFMA, 2 threads", "fast", "2", "off", "0", "program", 3},
    {"fast MFMA, 1 thread, all checks", "fast", "1", "all", "0", "program", 3},
    {"exact MFMA, 1 thread, order by time", "exact", "1", "off", "0", "time", 0},
    {"fast MFMA, 1 thread, order by time", "fast", "1", "off", "0", "time", 3},
};
static const bench_mode_t PROFILED[] = {
    {"exact", "exact", "1", "off", "1", "program", 0},
    {"fast", "fast", "1", "off", "1", "program", 0},
};

typedef struct sample {
    kiln_sim_launch_stats_t stats;
    double wall, processor; // seconds of the fastest launch
} sample_t;

static const char *const CLASSES[KILN_SIM_COUNT_CLASSES] = {
    [KILN_SIM_COUNT_SALU] = "SALU",
    [KILN_SIM_COUNT_BRANCH] = "branch",
    [KILN_SIM_COUNT_SYNC] = "wait/barrier",
    [KILN_SIM_COUNT_SMEM] = "SMEM",
    [KILN_SIM_COUNT_VALU] = "VALU",
    [KILN_SIM_COUNT_TRANS] = "trans",
    [KILN_SIM_COUNT_MFMA] = "MFMA",
    [KILN_SIM_COUNT_LDS] = "LDS",
    [KILN_SIM_COUNT_VMEM_LOAD] = "VMEM load",
    [KILN_SIM_COUNT_VMEM_STORE] = "VMEM store",
    [KILN_SIM_COUNT_VMEM_ATOMIC] = "VMEM atomic",
};

static void check(kiln_status_t status)
{
    if (!status)
        return;
    char *text = kiln_status_format(status);
    fprintf(stderr, "bench_sim: %s", text ? text : "out of memory");
    exit(1);
}

static kiln_kernel_t *compile(void)
{
    kiln_source_t source = {.stage = KILN_STAGE_TILE, .name = "gemm.tile.c"};
    char *text;
    check(kiln_file_read(KILN_EXAMPLES_DIR "/gemm.tile.c", &text, &source.length));
    source.text = text;
    static const char *const names[] = {"a", "b", "c", "M", "N", "K", "lda", "ldb", "ldc"};
    kiln_arg_hint_t hints[9];
    for (int i = 0; i < 9; i++)
        hints[i] =
            (kiln_arg_hint_t){.name = names[i], .divisibility = 16, .pointer_range_32 = i < 3};
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.matrix_instr_nonkdim = 16;
    options.args = hints;
    options.arg_count = 9;
    kiln_session_t *session;
    kiln_kernel_t *kernel;
    check(kiln_session_create(&session));
    check(kiln_compile(session, &source, &options, &kernel));
    kiln_session_release(session);
    free(text);
    return kernel;
}

static double seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// ---- one process for each mode

// The work of a child, which writes samples to `out`.
typedef void (*bench_child_fn)(kiln_device_t *device, const void *data, int out);

static kiln_device_t *open_device(const bench_mode_t *mode)
{
    setenv("KILN_SIM_MFMA", mode->mfma, 1);
    setenv("KILN_SIM_THREADS", mode->threads, 1);
    setenv("KILN_SIM_CHECK", mode->check, 1);
    setenv("KILN_SIM_PROFILE", mode->profile, 1);
    setenv("KILN_SIM_ORDER", mode->order, 1);
    setenv("KILN_SIM_LDS", "160k", 1); // some of Triton's objects need more than an MI300X has
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_SIM;
    kiln_device_t *device;
    check(kiln_device_open(&options, &device));
    return device;
}

static void send(int out, const sample_t *sample)
{
    if (write(out, sample, sizeof *sample) != (ssize_t)sizeof *sample)
        exit(1);
}

// Runs child in a process and reads `count` samples from it.
static void measure(const bench_mode_t *mode, bench_child_fn run, const void *data, sample_t *out,
                    size_t count)
{
    int ends[2], status = 1;
    if (pipe(ends) != 0)
        exit(1);
    fflush(stdout); // otherwise the child would print it, too
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run(open_device(mode), data, ends[1]);
        exit(0);
    }
    close(ends[1]);
    size_t wanted = count * sizeof *out, got = 0;
    ssize_t some = 0;
    while (child > 0 && got < wanted && (some = read(ends[0], (char *)out + got, wanted - got)) > 0)
        got += (size_t)some;
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0 || got < wanted) {
        fprintf(stderr, "bench_sim: mode '%s' failed\n", mode->name);
        exit(1);
    }
}

// ---- the GEMM

typedef struct gemm {
    const kiln_kernel_t *kernel;
    int size;
} gemm_t;

static void run_gemm(kiln_device_t *device, const void *data, int out)
{
    const gemm_t *gemm = data;
    int size = gemm->size;
    size_t bytes = (size_t)size * (size_t)size * 2, code_size;
    _Float16 *matrix = malloc(bytes);
    if (!matrix)
        check(kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "no memory for the matrices"));
    for (size_t i = 0; i < bytes / 2; i++)
        matrix[i] = (_Float16)((double)(i * 7919 % 2003) / 1001.5 - 1);
    kiln_buffer_t *buffers[3];
    uint64_t address[3];
    for (int i = 0; i < 3; i++) {
        check(kiln_buffer_create(device, bytes, &buffers[i]));
        check(kiln_buffer_write(buffers[i], 0, matrix, bytes));
        address[i] = kiln_buffer_address(buffers[i]);
    }
    const void *code = kiln_kernel_code_object(gemm->kernel, &code_size);
    kiln_module_t *module;
    kiln_function_t *function;
    check(kiln_module_load(device, code, code_size, &module));
    check(kiln_module_function(module, kiln_kernel_name(gemm->kernel), &function));
    void *args[] = {&address[0], &address[1], &address[2], &size, &size,
                    &size,       &size,       &size,       &size};
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    unsigned blocks = (unsigned)((size + BLOCK - 1) / BLOCK);
    launch.grid[0] = blocks * blocks;
    launch.block[0] = kiln_kernel_block_size(gemm->kernel);
    launch.args = args;
    sample_t best = {.stats.struct_size = sizeof best.stats};
    for (int i = 0; i < REPEATS; i++) {
        double wall = seconds(CLOCK_MONOTONIC), processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
        check(kiln_function_launch(function, &launch));
        check(kiln_stream_synchronize(device, NULL));
        wall = seconds(CLOCK_MONOTONIC) - wall;
        processor = seconds(CLOCK_PROCESS_CPUTIME_ID) - processor;
        best.wall = i == 0 || wall < best.wall ? wall : best.wall;
        best.processor = i == 0 || processor < best.processor ? processor : best.processor;
    }
    check(kiln_device_launch_stats(device, &best.stats));
    send(out, &best);
}

static void print_mix(const char *title, const uint64_t *amounts)
{
    double sum = 0;
    for (int i = 0; i < KILN_SIM_COUNT_CLASSES; i++)
        sum += (double)amounts[i];
    printf("%s", title);
    for (int i = 0; i < KILN_SIM_COUNT_CLASSES; i++)
        if (amounts[i])
            printf(" %s %.1f %%", CLASSES[i], 100.0 * (double)amounts[i] / sum);
    printf("\n");
}

static void bench_gemm(int size)
{
    kiln_kernel_t *kernel = compile();
    gemm_t gemm = {kernel, size};
    printf(
        "f16 GEMM %d^3, best of %d; rates of one thread by processor time, of two by the clock\n",
        size, REPEATS);
    printf("  %-36s %9s %9s %14s %10s %8s\n", "mode", "clock s", "CPU s", "M wave-inst/s",
           "GFLOP/s", "ratio");
    enum { COUNT = sizeof MODES / sizeof *MODES };
    double flops = 2.0 * size * size * size, spent[COUNT];
    sample_t sample;
    for (size_t i = 0; i < COUNT; i++) {
        measure(&MODES[i], run_gemm, &gemm, &sample, 1);
        spent[i] = MODES[i].threads[0] == '1' ? sample.processor : sample.wall;
        printf("  %-36s %9.3f %9.3f %14.1f %10.2f %8.2f\n", MODES[i].name, sample.wall,
               sample.processor, (double)sample.stats.instructions / spent[i] * 1e-6,
               flops / spent[i] * 1e-9, spent[i] / spent[MODES[i].base]);
    }
    print_mix("share of instructions:   ", sample.stats.by_class);
    for (size_t i = 0; i < sizeof PROFILED / sizeof *PROFILED; i++) {
        measure(&PROFILED[i], run_gemm, &gemm, &sample, 1);
        printf("share of time, %-5s MFMA:", PROFILED[i].name);
        print_mix("", sample.stats.host_ticks);
    }
    kiln_kernel_release(kernel);
}

// ---- the corpus

// Launches each of Triton's objects once, to find which execute MFMA.
static void scan_corpus(kiln_device_t *device, const void *data, int out)
{
    const sim_corpus_t *corpus = data;
    for (size_t i = 0; i < corpus->count; i++) {
        sample_t sample = {0};
        check(sim_corpus_run(device, &corpus->entries[i], 0, 1, &sample.stats, &sample.processor));
        send(out, &sample);
    }
}

static void run_corpus(kiln_device_t *device, const void *data, int out)
{
    const sim_corpus_t *corpus = data;
    for (size_t i = 0; i < 2 * corpus->count; i++) {
        sample_t sample = {0};
        check(sim_corpus_run(device, &corpus->entries[i / 2], i % 2, CORPUS_REPEATS, &sample.stats,
                             &sample.processor));
        send(out, &sample);
    }
}

static void print_sum(const char *what, const sample_t *exact, const sample_t *fast, size_t begin,
                      size_t count, size_t step)
{
    double work = 0, spent[2] = {0};
    for (size_t i = begin; i < count; i += step) {
        work += (double)exact[i].stats.instructions;
        spent[0] += exact[i].processor;
        spent[1] += fast[i].processor;
    }
    printf("  %-38s %-7s %9.0f %9.1f %9.1f\n", "sum", what, work, work / spent[0] * 1e-6,
           work / spent[1] * 1e-6);
}

static void bench_corpus(char *const *directories, size_t count)
{
    sim_corpus_t corpus;
    check(sim_corpus_read(directories, count, &corpus));
    sample_t *samples = calloc(4 * count, sizeof *samples);
    bool *keep = calloc(count, sizeof *keep);
    if (!samples || !keep)
        exit(1);
    measure(&MODES[3], scan_corpus, &corpus, samples, corpus.count);
    for (size_t i = 0; i < corpus.count; i++)
        keep[i] = samples[i].stats.by_class[KILN_SIM_COUNT_MFMA] > 0;
    check(sim_corpus_choose(&corpus, keep));

    size_t rows = 2 * corpus.count;
    sample_t *exact = samples, *fast = samples + rows;
    measure(&MODES[0], run_corpus, &corpus, exact, rows);
    measure(&MODES[3], run_corpus, &corpus, fast, rows);
    printf(
        "\n%zu corpus cases that execute MFMA, 1 thread, best of %d launches by processor time\n",
        corpus.count, CORPUS_REPEATS);
    printf("  %-38s %-7s %9s %9s %9s   M wave-inst/s\n", "case", "code", "wave-inst", "exact",
           "fast");
    for (size_t i = 0; i < rows; i++) {
        const char *name = corpus.entries[i / 2].test_case->name;
        size_t length = strlen(name);
        double work = (double)exact[i].stats.instructions;
        printf("  %-38s %-7s %9.0f %9.1f %9.1f\n", length > 38 ? name + length - 38 : name,
               sim_corpus_makers[i % 2], work, work / exact[i].processor * 1e-6,
               work / fast[i].processor * 1e-6);
    }
    print_sum(sim_corpus_makers[0], exact, fast, 0, rows, 2);
    print_sum(sim_corpus_makers[1], exact, fast, 1, rows, 2);
    print_sum("both", exact, fast, 0, rows, 1);

    for (size_t m = 0; m < sizeof PROFILED / sizeof *PROFILED; m++) {
        uint64_t ticks[KILN_SIM_COUNT_CLASSES] = {0}, mix[KILN_SIM_COUNT_CLASSES] = {0};
        measure(&PROFILED[m], run_corpus, &corpus, samples, rows);
        for (size_t i = 0; i < rows; i++) {
            for (int c = 0; c < KILN_SIM_COUNT_CLASSES; c++) {
                ticks[c] += samples[i].stats.host_ticks[c];
                mix[c] += samples[i].stats.by_class[c];
            }
        }
        if (m == 0)
            print_mix("share of instructions:   ", mix);
        printf("share of time, %-5s MFMA:", PROFILED[m].name);
        print_mix("", ticks);
    }
    free(samples);
    free(keep);
    sim_corpus_free(&corpus);
}

int main(int argc, char **argv)
{
    int size = argc > 1 ? atoi(argv[1]) : 1024;
    if (size < 1 || size > 16384) {
        fprintf(stderr, "usage: bench_sim [SIZE [DIRECTORY...]], SIZE 1 to 16384\n");
        return 2;
    }
    bench_gemm(size);
    if (argc > 2) {
        bench_corpus(argv + 2, (size_t)argc - 2);
        return 0;
    }
    const char *root = getenv("KILN_CORPUS");
    char pattern[4096];
    snprintf(pattern, sizeof pattern, "%s/*/*", root ? root : "../shared/corpus");
    glob_t found;
    if (glob(pattern, GLOB_ONLYDIR, NULL, &found) == 0)
        bench_corpus(found.gl_pathv, found.gl_pathc);
    else
        fprintf(stderr, "bench_sim: no cases at %s; KILN_CORPUS says where they are\n", pattern);
    globfree(&found);
    return 0;
}
