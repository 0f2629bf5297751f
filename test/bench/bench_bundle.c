// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cold start: loading a bundle of 100 kernels and launching one for the first time, compared with
// compiling them: ./dev bench bundle [--device=sim|hip|auto] [--repeat=N] [--wall]
//
// The kernels are examples for several constants and demands. Each cold measurement runs in a
// process of its own, so that only the files are warm; the best of N (3) counts, for compiling as
// for loading. Times are the process's CPU time, which a busy machine disturbs less; --wall uses
// wall time, which is right for a GPU.
//
// A device must be opened in either case, so that time is listed separately. A program compiles
// only what it launches, so a first launch is compared with compiling one kernel, including the
// compiler's session.
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/string.h"
#include "kiln/ahead.h"
#include "kiln/kiln.h"
#include "kiln/load.h"

enum { KERNELS = 100, MAX_VALUES = 4, MAX_CONSTANTS = 4, N = 1000 };

typedef struct family {
    const char *name, *divisible;
    struct {
        const char *name, *values[MAX_VALUES + 1];
    } constants[MAX_CONSTANTS];
} family_t;

// Each is compiled for all combinations of its constants, with `divisible` arbitrary and a multiple
// of 16.
static const family_t families[] = {
    {"vec_add", "n", {{"BLOCK", {"1024", "256", "512", "2048"}}}},
    {"softmax", "columns", {{"BLOCK", {"256", "512", "1024", "2048"}}}},
    {"layernorm", "columns", {{"BLOCK", {"256", "512", "1024", "2048"}}}},
    {"gemm",
     "K",
     {{"BLOCK_M", {"32", "64", "128"}},
      {"BLOCK_N", {"32", "64", "128"}},
      {"BLOCK_K", {"32", "64"}},
      {"GROUP_M", {"4", "8"}}}},
    {"gemm", "M", {{"BLOCK_M", {"16"}}, {"BLOCK_N", {"16", "32"}}, {"BLOCK_K", {"32"}}}},
};

typedef struct times {
    double open, load, launch, all; // milliseconds, each after the previous; load: or compile
} times_t;

static const char *device_kind = "auto";
static int repeat = 3;
static clockid_t which_clock = CLOCK_PROCESS_CPUTIME_ID;

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(which_clock, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void check(kiln_status_t status)
{
    if (!status)
        return;
    char *text = kiln_status_format(status);
    fprintf(stderr, "bench_bundle: %s", text ? text : "out of memory\n");
    exit(1);
}

// Compiling ---------------------------------------------------------------------------------------

typedef struct job {
    char *name, *text;
    size_t length;
    kiln_setting_t defines[MAX_CONSTANTS];
    size_t define_count;
    kiln_arg_hint_t hint;
    kiln_kernel_t *kernel;
    double best; // milliseconds
} job_t;

static job_t jobs[KERNELS];
static size_t job_count;

// Adds jobs for all values of the constants from `at` on.
static void add_jobs(const family_t *family, const char *text, size_t length, size_t at, job_t *job)
{
    if (at < MAX_CONSTANTS && family->constants[at].name) {
        for (size_t i = 0; i < MAX_VALUES && family->constants[at].values[i]; i++) {
            job->defines[at] =
                (kiln_setting_t){family->constants[at].name, family->constants[at].values[i]};
            job->define_count = at + 1;
            add_jobs(family, text, length, at + 1, job);
        }
        return;
    }
    for (unsigned divisible = 0; divisible <= 16 && job_count < KERNELS; divisible += 16) {
        jobs[job_count] = *job;
        jobs[job_count].text = (char *)(uintptr_t)text;
        jobs[job_count].length = length;
        jobs[job_count++].hint =
            (kiln_arg_hint_t){.name = family->divisible, .divisibility = divisible};
    }
}

static void compile(kiln_session_t *session, job_t *job)
{
    const kiln_source_t source = {KILN_STAGE_TILE, job->name, job->text, job->length};
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.defines = job->defines;
    options.define_count = job->define_count;
    options.args = &job->hint;
    options.arg_count = 1;
    options.grid = strcmp(job->name, "vec_add") == 0 ? "cdiv(n, BLOCK)" : NULL;
    for (int i = 0; i < repeat; i++) {
        kiln_kernel_release(job->kernel);
        job->kernel = NULL;
        const double begin = now_ms();
        check(kiln_compile(session, &source, &options, &job->kernel));
        job->best = fmin(job->best, now_ms() - begin);
    }
}

static double compile_all(kiln_compiled_t *out)
{
    kiln_session_t *session;
    double sum = 0;
    check(kiln_session_create(&session));
    for (size_t i = 0; i < job_count; i++) {
        jobs[i].best = INFINITY;
        compile(session, &jobs[i]);
        sum += jobs[i].best;
        out[i].code_object = kiln_kernel_code_object(jobs[i].kernel, &out[i].code_object_size);
        out[i].manifest = kiln_kernel_manifest(jobs[i].kernel);
    }
    kiln_session_release(session);
    return sum;
}

static void collect_jobs(void)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        char *path = kiln_string_print("%s/%s.tile.c", KILN_EXAMPLES_DIR, families[i].name), *text;
        size_t length;
        check(kiln_file_read(path, &text, &length));
        job_t job = {.name = (char *)(uintptr_t)families[i].name};
        add_jobs(&families[i], text, length, 0, &job);
        free(path);
    }
    if (job_count != KERNELS) {
        fprintf(stderr, "bench_bundle: %zu kernels instead of %d\n", job_count, (int)KERNELS);
        exit(1);
    }
}

// Loading, in a process of its own ----------------------------------------------------------------

typedef struct machine {
    kiln_device_t *device;
    kiln_buffer_t *buffers[3];
} machine_t;

static void open_machine(machine_t *machine)
{
    float values[N];
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    check(kiln_device_kind_parse(device_kind, &options.kind));
    check(kiln_device_open(&options, &machine->device));
    for (int i = 0; i < N; i++)
        values[i] = (float)i;
    for (int i = 0; i < 3; i++) {
        check(kiln_buffer_create(machine->device, sizeof values, &machine->buffers[i]));
        check(kiln_buffer_write(machine->buffers[i], 0, values, sizeof values));
    }
}

static void launch(const machine_t *machine, kiln_program_t *program)
{
    const kiln_typed_argument_t arguments[] = {kiln_typed_buffer("x", "*f32", machine->buffers[0]),
                                               kiln_typed_buffer("y", "*f32", machine->buffers[1]),
                                               kiln_typed_buffer("z", "*f32", machine->buffers[2]),
                                               kiln_typed_integer("n", "i32", N)};
    kiln_program_call_t call;
    kiln_program_call_initialize(&call);
    call.kernel = "vec_add";
    call.arguments = arguments;
    call.argument_count = 4;
    check(kiln_program_launch(program, &call));
    check(kiln_device_synchronize(machine->device));
}

static void check_sum(const machine_t *machine)
{
    float values[N];
    check(kiln_buffer_read(machine->buffers[2], 0, values, sizeof values));
    if (values[N - 1] != 2 * (N - 1))
        exit((fprintf(stderr, "bench_bundle: the sum is wrong\n"), 1));
}

// Compiles and runs the first job from scratch if `path` is NULL; otherwise loads the bundle.
static times_t start(const char *path)
{
    times_t times = {0};
    machine_t machine;
    kiln_program_t *program;
    double begin = now_ms(), now;
#define LAP(field) (now = now_ms(), times.field = now - begin, begin = now)
    open_machine(&machine);
    LAP(open);
    if (path) {
        check(kiln_program_load(machine.device, &path, 1, &program));
    } else {
        kiln_session_t *session;
        check(kiln_session_create(&session));
        repeat = 1;
        compile(session, &jobs[0]);
        kiln_program_part_t part = {.manifest = kiln_kernel_manifest(jobs[0].kernel)};
        part.data = kiln_kernel_code_object(jobs[0].kernel, &part.size);
        check(kiln_program_load_memory(machine.device, &part, 1, &program));
    }
    LAP(load);
    launch(&machine, program);
    LAP(launch);
    check(kiln_program_prepare(program));
    LAP(all);
    check_sum(&machine);
    kiln_program_release(program);
    return times;
}

static times_t start_in_child(const char *path)
{
    times_t times;
    int ends[2];
    if (pipe(ends))
        exit((perror("bench_bundle: pipe"), 1));
    const pid_t child = fork();
    if (child == 0) {
        times = start(path);
        _exit(write(ends[1], &times, sizeof times) != (ssize_t)sizeof times);
    }
    close(ends[1]);
    const bool whole = read(ends[0], &times, sizeof times) == (ssize_t)sizeof times;
    int status = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    if (child < 0 || !whole || status)
        exit((fprintf(stderr, "bench_bundle: the process that starts anew has failed\n"), 1));
    return times;
}

static times_t best_start(const char *path)
{
    times_t best = {INFINITY, INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < repeat; i++) {
        const times_t times = start_in_child(path);
        best.open = fmin(best.open, times.open);
        best.load = fmin(best.load, times.load);
        best.launch = fmin(best.launch, times.launch);
        best.all = fmin(best.all, times.all);
    }
    return best;
}

// The table ---------------------------------------------------------------------------------------

static void row(const char *what, double ms, double reference)
{
    printf("%-58s %10.3f ms", what, ms);
    if (reference > 0)
        printf("  %8.1f times faster", reference / ms);
    printf("\n");
}

static void read_words(int argc, char **argv)
{
    static const struct option rows[] = {{"device", required_argument, NULL, 'd'},
                                         {"repeat", required_argument, NULL, 'r'},
                                         {"wall", no_argument, NULL, 'w'},
                                         {0}};
    for (int flag; (flag = getopt_long(argc, argv, "", rows, NULL)) != -1;) {
        if (flag == 'd')
            device_kind = optarg;
        else if (flag == 'w')
            which_clock = CLOCK_MONOTONIC;
        else
            repeat = flag == 'r' ? atoi(optarg) : 0;
    }
    if (repeat < 1 || optind != argc) {
        fprintf(stderr, "usage: bench_bundle [--device=sim|hip|auto] [--repeat=N] [--wall]\n");
        exit(2);
    }
}

int main(int argc, char **argv)
{
    static kiln_compiled_t compiled[KERNELS];
    char path[] = "/tmp/kiln-bench-bundle.XXXXXX";
    void *bundle;
    size_t size;
    read_words(argc, argv);
    const int file = mkstemp(path);
    if (file < 0)
        exit((perror("bench_bundle: mkstemp"), 1));
    close(file);
    collect_jobs();
    const times_t one = best_start(NULL); // before this process has used the compiler
    const double compiling = compile_all(compiled);
    check(kiln_bundle_make(compiled, KERNELS, &bundle, &size));
    check(kiln_file_write(path, bundle, size, 0600, KILN_FILE_NO_SYNC));
    const times_t all = best_start(path);
    unlink(path);
    printf("%d kernels, a bundle of %zu bytes\n", (int)KERNELS, size);
    row("open the device and make buffers, either way", all.open, 0);
    row("compile one kernel from nothing", one.load, 0);
    row("load the bundle and check it", all.load, 0);
    row("first launch: to the device, run, wait", all.launch, 0);
    row("load and first launch, against compiling one", all.load + all.launch,
        one.load + one.launch);
    row("compile all, in one session", compiling, 0);
    row("load, against compiling all", all.load, compiling);
    row("load and bring all to the device, against it", all.load + all.launch + all.all, compiling);
    for (size_t i = 0; i < job_count; i++)
        kiln_kernel_release(jobs[i].kernel);
    free(bundle);
    return 0;
}
