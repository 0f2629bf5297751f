// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Microbenchmarks of latencies, LDS banks and issue, on the GPU and as the clock predicts them.
//
// A step's time is the difference of two launches, of which one executes twice as many steps, so
// that the overhead of a launch cancels out; for LAUNCH it is the time of one launch. A row with a
// parameter measures the parameter: it is the parameter's value plus the difference between
// measurement and prediction, since a step contains it once.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/gfx942.h"
#include "verify/draw.h"
#include "verify/kernels.h"
#include "verify/timing.h"

enum { INPUTS = 8, RESULTS = 4, FIRST_RESULT = 16, LINE = 128 };

typedef enum unit { CYCLES, NS, LAUNCH } unit_t; // LAUNCH: ns of a whole launch, not of a step

typedef struct row {
    const char *name, *parameter;
    unit_t unit;
    size_t bytes; // of the pointer chain; 0: none
    unsigned steps, in_round;
    const char *setup, *step;
} row_t;

static const row_t rows[] = {
#define MICRO(name, parameter, unit, bytes, steps, in_round, setup, step)                          \
    {name, parameter, unit, bytes, steps, in_round, setup, step},
#include "verify/micro.def"
};
enum { COUNT = sizeof rows / sizeof *rows };

// The parameters that rows measure, from the simulator's table.
static const struct {
    const char *name;
    int value;
} constants[] = {
#define KILN_TIMING_PARAMETER(name, value, unit, mark, source) {#name, value},
#include "sim/timing/parameters.def"
#undef KILN_TIMING_PARAMETER
};

static int constant_of(const char *name)
{
    size_t i = 0;
    while (strcmp(constants[i].name, name) != 0)
        i++;
    return constants[i].value;
}

static char *kernel_text(const row_t *row)
{
    kiln_string_t out = {0};
    kiln_string_appendf(&out,
                        "s_mov_b32 s41, s40\n"
                        "s_mov_b64 s[44:45], s[8:9]\n"
                        "v_lshlrev_b32 v5, 6, v0\n"
                        "v_mov_b32 v12, 0\n"
                        "v_mov_b32 v13, 0\n"
                        "v_mov_b32 v14, 0\n"
                        "v_mov_b32 v15, 0\n"
                        "ds_write_b128 v5, v[12:15]\n"
                        "ds_write_b128 v5, v[12:15] offset:16\n"
                        "ds_write_b128 v5, v[12:15] offset:32\n"
                        "ds_write_b128 v5, v[12:15] offset:48\n"
                        "v_mov_b32 v10, %s\n"
                        "v_mov_b32 v11, s9\n"
                        "%s"
                        "s_waitcnt lgkmcnt(0)\n"
                        ".p2align 6\n"
                        "1:\n",
                        row->bytes ? "s8" : "0", row->setup);
    for (unsigned i = 0; i < row->in_round; i++)
        kiln_string_append(&out, row->step);
    kiln_string_append(&out, "s_sub_u32 s41, s41, 1\n"
                             "s_cmp_lg_u32 s41, 0\n"
                             "s_cbranch_scc1 1b\n"
                             "s_mov_b64 exec, -1\n"
                             "s_nop 15\ns_nop 15\n");
    return kiln_string_take(&out);
}

static kiln_status_t prepare(kiln_verify_context_t *context, kiln_device_t *predictor,
                             kiln_verify_kernels_t **out)
{
    static kiln_verify_kernel_t kernels[COUNT]; // of this child
    kiln_verify_context_t both = *context;
    both.simulator = predictor;
    for (size_t i = 0; i < COUNT; i++) {
        kernels[i] = (kiln_verify_kernel_t){.text = kernel_text(&rows[i]),
                                            .inputs = INPUTS,
                                            .results = RESULTS,
                                            .first_result = FIRST_RESULT,
                                            .uses_lds = true};
        if (!kernels[i].text)
            return kiln_status_out_of_memory();
    }
    *out = kiln_verify_kernels_create(&both, kernels, COUNT);
    return *out ? KILN_OK : kiln_status_out_of_memory();
}

// Fills memory with a cyclic chain of pointers through its lines, in reproducible random order.
static kiln_status_t make_ring(kiln_buffer_t *buffer, size_t bytes)
{
    const size_t lines = bytes / LINE;
    const uint64_t base = kiln_buffer_address(buffer);
    uint32_t *order = malloc((lines + 1) * sizeof *order);
    uint8_t *memory = calloc(bytes + 1, 1);
    kiln_verify_random_t random = kiln_verify_random_of(1, "ring");
    kiln_status_t status = order && memory ? KILN_OK : kiln_status_out_of_memory();
    for (size_t i = 0; !status && i < lines; i++)
        order[i] = (uint32_t)i;
    for (size_t i = lines; !status && i > 2; i--) { // the first stays in its place
        const size_t j = 1 + kiln_verify_random(&random) % (i - 1);
        const uint32_t kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
    for (size_t i = 0; !status && i < lines; i++) {
        const uint64_t next = base + (uint64_t)order[(i + 1) % lines] * LINE;
        memcpy(memory + (size_t)order[i] * LINE, &next, sizeof next);
    }
    if (!status)
        status = kiln_buffer_write(buffer, 0, memory, bytes);
    free(memory);
    free(order);
    return status;
}

typedef struct side {
    kiln_device_t *device;
    kiln_function_t *function;
    unsigned runs;
    kiln_buffer_t *inputs, *results, *memory;
} side_t;

static kiln_status_t time_rounds(const side_t *side, unsigned rounds, double *out_microseconds)
{
    uint32_t record[INPUTS] = {rounds};
    const uint64_t values[3] = {kiln_buffer_address(side->inputs),
                                kiln_buffer_address(side->results),
                                kiln_buffer_address(side->memory)};
    void *args[3] = {(void *)&values[0], (void *)&values[1], (void *)&values[2]};
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    launch.block[0] = KILN_GFX942_LANES;
    launch.args = args;
    KILN_TRY(kiln_buffer_write(side->inputs, 0, record, sizeof record));
    return kiln_verify_time(side->device, side->function, &launch, side->runs, out_microseconds);
}

// Nanoseconds of a step.
static kiln_status_t time_step(const row_t *row, side_t *side, double *out_ns)
{
    double once, twice;
    const unsigned rounds = row->steps / row->in_round;
    kiln_status_t status =
        kiln_buffer_create(side->device, KILN_GFX942_LANES * INPUTS * 4, &side->inputs);
    if (!status)
        status = kiln_buffer_fill(side->inputs, 0, 0, KILN_GFX942_LANES * INPUTS * 4);
    if (!status)
        status = kiln_buffer_create(side->device, KILN_GFX942_LANES * RESULTS * 4, &side->results);
    if (!status)
        status = kiln_buffer_create(side->device, row->bytes + LINE, &side->memory);
    if (!status && row->bytes)
        status = make_ring(side->memory, row->bytes);
    if (!status)
        status = time_rounds(side, rounds, &once);
    if (!status && row->unit == LAUNCH)
        *out_ns = 1e3 * once;
    if (!status && row->unit != LAUNCH)
        status = time_rounds(side, 2 * rounds, &twice);
    if (!status && row->unit != LAUNCH)
        *out_ns = 1e3 * (twice - once) / (rounds * row->in_round);
    kiln_buffer_release(side->inputs);
    kiln_buffer_release(side->results);
    kiln_buffer_release(side->memory);
    return status;
}

static void judge(const kiln_verify_context_t *context, const row_t *row, double measured_ns,
                  double predicted_ns, kiln_verify_result_t *result)
{
    const double tolerance = 0.05;
    const double ghz = context->run->machine.clock_khz * 1e-6;
    const double scale = row->unit == CYCLES && ghz > 0 ? ghz : 1;
    kiln_verify_judge_times(result, measured_ns * scale, predicted_ns * scale,
                            row->unit == CYCLES ? "cycles" : "ns", tolerance);
    if (!*row->parameter || context->run->options->parameters)
        return; // predictions already have measured parameters
    const double value = constant_of(row->parameter) + (measured_ns - predicted_ns) * scale;
    snprintf(result->parameter, sizeof result->parameter, "%s", row->parameter);
    result->value = value > 0 ? (int)lround(value) : 0;
    const size_t used = strlen(result->text);
    snprintf(result->text + used, sizeof result->text - used, ": %s is %d, not %d", row->parameter,
             result->value, constant_of(row->parameter));
}

kiln_status_t kiln_verify_list_micro(kiln_verify_run_t *io_run)
{
    for (size_t i = 0; i < COUNT; i++)
        KILN_TRY(kiln_verify_add(io_run, KILN_VERIFY_micro, rows[i].name, i));
    return KILN_OK;
}

void kiln_verify_run_micro(kiln_verify_context_t *context, size_t index,
                           kiln_verify_result_t *result)
{
    kiln_verify_kernels_t *kernels = context->shared[KILN_VERIFY_micro];
    kiln_device_t *predictor = NULL;
    double measured, predicted;
    const char *where = "simulator";
    kiln_status_t status = kiln_verify_predictor(context, &predictor);
    if (!status && !kernels)
        status = prepare(context, predictor, &kernels);
    context->shared[KILN_VERIFY_micro] = kernels;
    side_t gpu = {.device = context->gpu, .runs = kiln_verify_runs(context)},
           simulator = {.device = predictor, .runs = 1};
    if (!status)
        status = kiln_verify_kernels_find(kernels, index, &gpu.function, &simulator.function);
    if (!status)
        status = time_step(&rows[index], &simulator, &predicted);
    if (!status)
        status = time_step(&rows[index], &gpu, &measured), where = "GPU";
    if (status)
        kiln_verify_fail(result, where, status);
    else
        judge(context, &rows[index], measured, predicted, result);
}
