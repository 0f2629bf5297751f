// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gemm.tile.c through the public API: compiled, tuned, run and checked on the available device.
#include <kiln/tune_space.h>
#include <math.h>
#include <stdlib.h>

static const int M = 500, N = 300, K = 200;
static _Float16 a[500][200], b[200][300], c[500][300];
static kiln_buffer_t *buffers[3]; // a, b, c on the device

static void check(kiln_status_t status)
{
    if (status)
        exit((fputs(kiln_status_format(status), stderr), 1));
}
static kiln_status_t prepare(const kiln_tune_candidate_t *t, const kiln_kernel_t *k,
                             kiln_launch_t *launch, void *args)
{
    int bm = atoi(t->settings[0].value), bn = atoi(t->settings[1].value); // the first two axes
    launch->grid[0] = k ? (unsigned)((M + bm - 1) / bm * ((N + bn - 1) / bn)) : 0;
    launch->args = args;
    return kiln_buffer_fill(buffers[2], 0, 0xA5,
                            sizeof c); // makes elements visible that a kernel does not write
}
static kiln_status_t verify(const kiln_tune_candidate_t *t, double *error, void *args)
{
    double wrong = 0, norm = 0, sum = 0;
    KILN_TRY_NOTE(kiln_buffer_read(buffers[2], 0, c, sizeof c), "with %s and %p", t->config, args);
    for (int i = 0; i < M * N; i++, sum = 0) {
        for (int p = 0; p < K; p++)
            sum += (double)a[i / N][p] * (double)b[p][i % N];
        wrong += pow((double)c[i / N][i % N] - sum, 2), norm += sum * sum;
    }
    *error = sqrt(wrong / norm);
    return *error < 1e-3 ? KILN_OK
                         : kiln_status_make(KILN_STATUS_MISMATCH, "relative error %g", *error);
}
int main(void)
{
    static char text[1 << 16];
    FILE *in = fopen(KILN_EXAMPLES_DIR "/gemm.tile.c", "r");
    static kiln_tune_space_t *space;
    static kiln_tune_problem_t problem;
    static kiln_tune_result_t *result;
    uint64_t address[3];
    kiln_tune_problem_initialize(&problem);
    check(kiln_device_open(NULL, &problem.device));
    for (int i = 0; i < M * K; i++)
        a[i / K][i % K] = (_Float16)(i * 7 % 31 - 15),
                     b[i / N % K][i % N] = (_Float16)(i * 5 % 29 - 14);
    for (int i = 0; i < 3; i++) {
        check(kiln_buffer_create(problem.device, (size_t[]){sizeof a, sizeof b, sizeof c}[i],
                                 &buffers[i]));
        check(
            kiln_buffer_write(buffers[i], 0, (void *[]){a, b, c}[i], kiln_buffer_size(buffers[i])));
        address[i] = kiln_buffer_address(buffers[i]);
    }
    problem.user = (const void *[]){&address[0], &address[1], &address[2], &M, &N,
                                    &K,          &K,          &N,          &N}; // gemm's arguments
    problem.source = (kiln_source_t){KILN_STAGE_TILE, "gemm.tile.c", text,
                                     in ? fread(text, 1, sizeof text, in) : 0};
    check(kiln_tune_space_create(&space));
    check(kiln_tune_space_declare(space, &problem.source, NULL, NULL, 0, NULL, NULL, NULL));
    problem.axes = kiln_tune_space_axes(space, &problem.axis_count); // BLOCK_M, BLOCK_N, …
    problem.prepare = prepare, problem.verify = verify;
    problem.strategy = KILN_TUNE_GUIDED, problem.budget = 12;
    check(kiln_tune(&problem, &result));
    const kiln_tune_sample_t *best = kiln_tune_result_sample(result, 0);
    printf("%d x %d x %d: best is %s, error %.1e\n", M, N, K, best->candidate->config, best->error);
}
