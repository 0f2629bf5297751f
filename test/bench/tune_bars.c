// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each search is one run of the command on an empty store, and ends with a
// verified winner: what a user waits for. Seconds of all threads (CPU) tell more than those on the
// wall where others use the machine; on two idle cores a search takes between a half and all of
// them.
#include "tune_bars.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "tune_rows.h"

enum { MAX_WORDS = 40 };

typedef struct bar {
    const char *name, *candidates; // as the command's last lines count them
    double limit;                  // seconds
    const char *words[MAX_WORDS];
} bar_t;

#define GEMM(size)                                                                                 \
    "M=" size, "N=" size, "K=" size, "lda=K", "ldb=N", "ldc=N", "a=f16[M,K]:random:1",             \
        "b=f16[K,N]:random:2", "c=f16[M,N]"
#define SMALL_SPACE                                                                                \
    "--axis=BLOCK_M=16..256*2", "--axis=BLOCK_N=16..256*2", "--axis=BLOCK_K=32,64",                \
        "--axis=num_warps=4,8", "--axis=num_stages=1,2"
#define LARGE_SPACE                                                                                \
    "--axis=BLOCK_M=16..256*2", "--axis=BLOCK_N=32..256*2", "--axis=BLOCK_K=32..128*2",            \
        "--axis=GROUP_M=1..128*2", "--axis=num_warps=1..8*2", "--axis=num_stages=1,2",             \
        "--axis=waves_per_eu=0..3", "--axis=kpack=1,2", "--axis=matrix_instr_nonkdim=16,32"

static const bar_t bars[] = {
    {"200 of 1024^3, guided, executed",
     "200 candidates",
     20,
     {GEMM("1024"), SMALL_SPACE, "--search=guided"}},
    {"200 of 1024^3, exhaustive, predicted",
     "200 candidates",
     40,
     {GEMM("1024"), SMALL_SPACE, "--search=exhaustive", "--sim-clock=only"}},
    {"61440 of 4096^3, guided, predicted",
     "61440 candidates",
     120,
     {GEMM("4096"), LARGE_SPACE, "--search=guided", "--sim-clock=only"}},
};

static void fail(const char *what)
{
    fprintf(stderr, "bench_tune: %s\n", what);
    exit(1);
}

// The kiln command that was built with this program.
static void find_command(char *path, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length < 0)
        fail("cannot read /proc/self/exe");
    path[length] = 0;
    char *name = strrchr(path, '/');
    snprintf(name, size - (size_t)(name - path), "/kiln");
}

static void execute(char *const *words, const char *output)
{
    const int file = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || dup2(file, 1) < 0 || dup2(file, 2) < 0)
        _exit(127);
    execv(words[0], words);
    _exit(127);
}

// Prints the line of the output that starts with `start`.
static void print_line(const char *output, const char *start)
{
    const char *line = strstr(output, start);
    if (line)
        printf("  %.*s\n", (int)strcspn(line, "\n"), line);
}

static void run(const char *command, const char *directory, const bar_t *bar)
{
    char output[256], store[256], *text;
    char *words[MAX_WORDS + 8] = {(char *)command, "tune", KILN_EXAMPLES_DIR "/gemm.tile.c",
                                  "--device=sim"};
    size_t count = 4, length;
    int status = -1;
    struct rusage usage;
    snprintf(output, sizeof output, "%s/output", directory);
    snprintf(store, sizeof store, "--store=%s/tune.db", directory);
    words[count++] = store;
    for (size_t i = 0; i < MAX_WORDS && bar->words[i]; i++)
        words[count++] = (char *)bar->words[i];
    const double begin = kiln_now_ms();
    const pid_t child = fork();
    if (child == 0)
        execute(words, output);
    if (child < 0 || wait4(child, &status, 0, &usage) < 0)
        fail("cannot run the kiln command");
    const double wall = (kiln_now_ms() - begin) / 1e3;
    bench_must(kiln_file_read(output, &text, &length));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !strstr(text, "\nbest: ") ||
        !strstr(text, bar->candidates) || strstr(text, " candidates, 0 correct")) {
        fputs(text, stderr);
        fail("a search failed, its best is not verified, or its space has another size");
    }
    const double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    printf("%-40s %6.0f %6.1f %6.1f\n", bar->name, bar->limit, cpu, wall);
    print_line(text, bar->candidates);
    print_line(text, "best: ");
    fflush(stdout);
    free(text);
}

void bench_tune_bars(void)
{
    char command[4096];
    find_command(command, sizeof command);
    printf("%-40s %6s %6s %6s\n", "search", "bar", "CPU s", "wall s");
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++) {
        char directory[] = "/tmp/kiln-bench-tune-XXXXXX", clean[64];
        if (!mkdtemp(directory))
            fail("cannot create a directory in /tmp");
        run(command, directory, &bars[i]);
        snprintf(clean, sizeof clean, "rm -rf %s", directory);
        if (system(clean) != 0)
            fail("cannot delete the directory of a search");
    }
}
