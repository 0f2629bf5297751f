// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that is tuned over two block sizes: the tuner, which brings compiler and runtime along.
#include <kiln/tune.h>

#include "vectors.h"

static kiln_buffer_t *buffers[3];

static kiln_status_t prepare(const kiln_tune_candidate_t *candidate, const kiln_kernel_t *kernel,
                             kiln_launch_t *launch, void *arguments)
{
    unsigned block = (unsigned)atoi(candidate->settings[0].value);
    launch->grid[0] = kernel ? (N + block - 1) / block : 0;
    launch->args = (void *const *)arguments;
    return kiln_buffer_fill(buffers[2], 0, 0xff, N * sizeof(float));
}

static kiln_status_t verify(const kiln_tune_candidate_t *candidate, double *error, void *arguments)
{
    (void)candidate, (void)arguments;
    *error = 0;
    return check_sum(buffers, 2);
}

int main(void)
{
    static char text[4096];
    FILE *file = fopen(SOURCE_DIRECTORY "/add.tile.c", "r");
    const char *blocks[] = {"128", "512"};
    const kiln_tune_axis_t axis = {"BLOCK", blocks, 2};
    kiln_tune_problem_t problem;
    kiln_tune_result_t *result;
    kiln_tune_problem_initialize(&problem);
    check(kiln_device_open(NULL, &problem.device));
    make_vectors(problem.device, buffers);

    uint64_t x = kiln_buffer_address(buffers[0]), y = kiln_buffer_address(buffers[1]),
             out = kiln_buffer_address(buffers[2]);
    int32_t n = N;
    float scale = 2;
    void *arguments[] = {&x, &y, &out, &n, &scale};
    problem.source.stage = KILN_STAGE_TILE;
    problem.source.name = "add.tile.c";
    problem.source.text = text;
    problem.source.length = file ? fread(text, 1, sizeof text, file) : 0;
    problem.axes = &axis;
    problem.axis_count = 1;
    problem.prepare = prepare;
    problem.verify = verify;
    problem.user = arguments;
    check(kiln_tune(&problem, &result));
    printf("best: %s\n", kiln_tune_result_sample(result, 0)->candidate->config);
    kiln_tune_result_release(result);
    fclose(file);
    return finish("tuned", problem.device, buffers);
}
