// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "clock_speed.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/file.h"
#include "kiln/kiln.h"
#include "kiln/sim.h"

enum { BLOCK = 128, ITEMS = 256, LARGE = 4096, SMALL = 1024, ARGUMENTS = 9 };

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static kiln_status_t compile(kiln_kernel_t **kernel)
{
    static const char *const names[ARGUMENTS] = {"a", "b", "c", "M", "N", "K", "lda", "ldb", "ldc"};
    kiln_source_t source = {.stage = KILN_STAGE_TILE, .name = "gemm.tile.c"};
    char *text = NULL;
    kiln_arg_hint_t hints[ARGUMENTS];
    for (int i = 0; i < ARGUMENTS; i++)
        hints[i] =
            (kiln_arg_hint_t){.name = names[i], .divisibility = 16, .pointer_range_32 = i < 3};
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.args = hints;
    options.arg_count = ARGUMENTS;
    kiln_session_t *session = NULL;
    kiln_status_t status = kiln_file_read(KILN_EXAMPLES_DIR "/gemm.tile.c", &text, &source.length);
    source.text = text;
    if (!status)
        status = kiln_session_create(&session);
    if (!status)
        status = kiln_compile(session, &source, &options, kernel);
    if (session)
        kiln_session_release(session);
    free(text);
    return status;
}

typedef struct cost {
    double seconds;
    kiln_sim_prediction_t prediction;
} cost_t;

// The lowest CPU time of several launches of the GEMM of that size. On failure false, with *error.
static bool measure(const void *object, size_t size, const char *clock, int n, cost_t *cost,
                    kiln_sim_error_t *error)
{
    enum { REPEATS = 3 };
    const kiln_sim_setting_t settings[] = {{"clock", clock}, {"threads", "1"}, {"mfma", "fast"}};
    kiln_sim_machine_t *machine = NULL;
    kiln_sim_code_object_t *code;
    *cost = (cost_t){.seconds = 1e9};
    bool good = kiln_sim_machine_create(settings, 3, &machine, error) &&
                kiln_sim_machine_load(machine, object, size, &code, error);
    struct {
        void *buffers[3];
        int32_t sizes[6];
    } arguments = {.sizes = {n, n, n, n, n, n}};
    for (int i = 0; good && i < 3; i++)
        good = (arguments.buffers[i] = kiln_sim_machine_allocate(
                    machine, 2ull * (unsigned)n * (unsigned)n, error)) != NULL;
    for (int i = 0; good && i < REPEATS; i++) {
        const uint32_t side = (uint32_t)(n + BLOCK - 1) / BLOCK;
        const kiln_sim_dispatch_t dispatch = {.struct_size = sizeof dispatch,
                                              .kernel = kiln_sim_object_kernel(code, "gemm"),
                                              .grid = {side * side, 1, 1},
                                              .block = {ITEMS, 1, 1},
                                              .packed = &arguments,
                                              .packed_size = sizeof arguments};
        kiln_sim_result_t *result = NULL;
        const double begin = processor_seconds();
        good = kiln_sim_machine_launch(machine, &dispatch, &result, error);
        const double spent = processor_seconds() - begin;
        cost->seconds = spent < cost->seconds ? spent : cost->seconds;
        cost->prediction = (kiln_sim_prediction_t){.struct_size = sizeof cost->prediction};
        kiln_sim_result_prediction(result, &cost->prediction);
        kiln_sim_result_free(result);
    }
    kiln_sim_machine_destroy(machine);
    return good;
}

bool clock_speed_print(void)
{
    kiln_kernel_t *kernel = NULL;
    kiln_status_t status = compile(&kernel);
    if (status) {
        fprintf(stderr, "%s\n", kiln_status_message(status));
        kiln_status_free(status);
        return false;
    }
    size_t size;
    const void *object = kiln_kernel_code_object(kernel, &size);
    kiln_sim_error_t error = {0};
    cost_t large, functional, recorded;
    const bool good = measure(object, size, "only", LARGE, &large, &error) &&
                      measure(object, size, "off", SMALL, &functional, &error) &&
                      measure(object, size, "model", SMALL, &recorded, &error);
    if (!good)
        fprintf(stderr, "%s\n", error.text);
    const double groups = (double)(SMALL / BLOCK) * (SMALL / BLOCK);
    if (good)
        printf("a prediction of a GEMM of %d x %d x %d, f16: %.0f ms of one core, %llu workgroups "
               "looked at, %llu of them "
               "replayed\nof one of %d x %d x %d: %.2f ms a workgroup that is executed, %.2f ms "
               "one that is looked at, "
               "too: %.1f "
               "times as much\n",
               LARGE, LARGE, LARGE, 1e3 * large.seconds,
               (unsigned long long)large.prediction.recorded,
               (unsigned long long)large.prediction.replayed, SMALL, SMALL, SMALL,
               1e3 * functional.seconds / groups, 1e3 * recorded.seconds / groups,
               recorded.seconds / functional.seconds);
    kiln_kernel_release(kernel);
    return good;
}
