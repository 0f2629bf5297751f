// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How fast the simulator runs: ./dev bench sim [SIZE]
//
// One f16 GEMM of SIZE³ (default 1024), compiled from examples/gemm.tile.c, in each of the simulator's modes: exact and
// fast MFMA, one and two threads, without and with checks. What is easily got wrong: the simulator reads its KILN_SIM_*
// variables once, so each mode runs in a process of its own, and ratios compare processes of this one run.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "kiln/kiln.h"
#include "kiln/runtime.h"

enum { BLOCK = 128, REPEATS = 3 };

typedef struct mode {
    const char *name, *mfma, *threads, *check;
} bench_mode_t;

static const bench_mode_t MODES[] = {
    {"exact MFMA, 1 thread", "exact", "1", "off"},
    {"exact MFMA, 2 threads", "exact", "2", "off"},
    {"fast MFMA, 1 thread", "fast", "1", "off"},
    {"exact MFMA, 1 thread, all checks", "exact", "1", "all"},
};

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
        hints[i] = (kiln_arg_hint_t){.name = names[i], .divisibility = 16, .pointer_range_32 = i < 3};
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

// In the child: runs the kernel a few times and sends the statistics of the fastest run.
static void run_mode(const bench_mode_t *mode, const kiln_kernel_t *kernel, int size, int out)
{
    setenv("KILN_SIM_MFMA", mode->mfma, 1);
    setenv("KILN_SIM_THREADS", mode->threads, 1);
    setenv("KILN_SIM_CHECK", mode->check, 1);
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_SIM;
    kiln_device_t *device;
    check(kiln_device_open(&options, &device));
    size_t bytes = (size_t)size * (size_t)size * 2, code_size;
    _Float16 *data = malloc(bytes);
    if (!data)
        check(kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "no memory for the matrices"));
    for (size_t i = 0; i < bytes / 2; i++)
        data[i] = (_Float16)((double)(i * 7919 % 2003) / 1001.5 - 1);
    kiln_buffer_t *buffers[3];
    uint64_t address[3];
    for (int i = 0; i < 3; i++) {
        check(kiln_buffer_create(device, bytes, &buffers[i]));
        check(kiln_buffer_write(buffers[i], 0, data, bytes));
        address[i] = kiln_buffer_address(buffers[i]);
    }
    const void *code = kiln_kernel_code_object(kernel, &code_size);
    kiln_module_t *module;
    kiln_function_t *function;
    check(kiln_module_load(device, code, code_size, &module));
    check(kiln_module_function(module, kiln_kernel_name(kernel), &function));
    void *args[] = {&address[0], &address[1], &address[2], &size, &size, &size, &size, &size, &size};
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    unsigned blocks = (unsigned)((size + BLOCK - 1) / BLOCK);
    launch.grid[0] = blocks * blocks;
    launch.block[0] = kiln_kernel_block_size(kernel);
    launch.args = args;
    kiln_sim_launch_stats_t best = {0};
    for (int i = 0; i < REPEATS; i++) {
        check(kiln_function_launch(function, &launch));
        check(kiln_device_synchronize(device));
        kiln_sim_launch_stats_t stats = {.struct_size = sizeof stats};
        check(kiln_device_launch_stats(device, &stats));
        if (i == 0 || stats.host_seconds < best.host_seconds)
            best = stats;
    }
    if (write(out, &best, sizeof best) != (ssize_t)sizeof best)
        exit(1);
    exit(0);
}

static bool measure(const bench_mode_t *mode, const kiln_kernel_t *kernel, int size, kiln_sim_launch_stats_t *out)
{
    int ends[2], status;
    if (pipe(ends) != 0)
        return false;
    fflush(stdout); // or the child would print it, too
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_mode(mode, kernel, size, ends[1]);
    }
    close(ends[1]);
    bool ok = child > 0 && read(ends[0], out, sizeof *out) == (ssize_t)sizeof *out;
    close(ends[0]);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 && ok;
}

int main(int argc, char **argv)
{
    int size = argc > 1 ? atoi(argv[1]) : 1024;
    if (size < 1 || size > 16384) {
        fprintf(stderr, "usage: bench_sim [SIZE], 1 to 16384\n");
        return 2;
    }
    kiln_kernel_t *kernel = compile();
    printf("f16 GEMM %d^3 on the simulator; host time, best of %d\n", size, REPEATS);
    printf("  %-34s %9s %14s %10s %8s\n", "mode", "seconds", "M wave-inst/s", "GFLOP/s", "ratio");
    double flops = 2.0 * size * size * size, first = 0;
    kiln_sim_launch_stats_t stats = {0};
    for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++) {
        if (!measure(&MODES[i], kernel, size, &stats)) {
            fprintf(stderr, "bench_sim: mode '%s' failed\n", MODES[i].name);
            return 1;
        }
        first = i == 0 ? stats.host_seconds : first;
        printf("  %-34s %9.3f %14.1f %10.2f %8.2f\n", MODES[i].name, stats.host_seconds,
               (double)stats.instructions / stats.host_seconds * 1e-6, flops / stats.host_seconds * 1e-9,
               stats.host_seconds / first);
    }
    printf("share of instructions:");
    for (int i = 0; i < KILN_SIM_COUNT_CLASSES; i++)
        if (stats.by_class[i])
            printf(" %s %.1f %%", CLASSES[i], 100.0 * (double)stats.by_class[i] / (double)stats.instructions);
    printf("\n");
    kiln_kernel_release(kernel);
    return 0;
}
