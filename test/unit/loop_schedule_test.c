// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random schedules of random loops (loop_schedule.h): compiled, executed on the simulator with its
// checks, and compared with the interpreter's results. A schedule that violates a dependence must
// be rejected, every other one must be expanded.
//
// `loop_schedule_test -runs N -seed S -print` runs any number of them.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/interp.h"
#include "kiln/kiln.h"
#include "kiln/runtime.h"
#include "loop_schedule.h"

typedef struct buffers {
    unsigned char *data[BUFFERS];
    size_t size[BUFFERS];
} buffers_t;

static void fill(buffers_t *b)
{
    static const size_t TILES[BUFFERS] = {MAX_TRIPS + 4, MAX_TRIPS + 4, MAX_TRIPS + 4,
                                          MAX_TRIPS + 8};
    static const uint16_t HALVES[] = {0, 0x3C00, 0xBC00, 0x4000, 0xC000}; // 0, ±1, ±2
    uint64_t state = 1;
    for (int i = 0; i < BUFFERS; i++) {
        size_t count = TILES[i] * COUNT;
        b->size[i] = count * (i == 1 ? 2 : 4);
        b->data[i] = calloc(count, 4);
        for (size_t e = 0; e < count; e++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            if (i == 1)
                ((uint16_t *)b->data[i])[e] = HALVES[(state >> 40) % 5];
            else if (i < 3)
                ((int32_t *)b->data[i])[e] = (int32_t)(state >> 36);
        }
    }
}

static void free_buffers(buffers_t *b)
{
    for (int i = 0; i < BUFFERS; i++)
        free(b->data[i]);
}

static kiln_status_t interpret(kiln_session_t *session, const char *text, buffers_t *b, int trips)
{
    kiln_source_t source = {
        .stage = KILN_STAGE_TT, .name = "f.ttir", .text = text, .length = strlen(text)};
    kiln_compile_options_t options;
    kiln_interp_t *interp;
    kiln_interp_launch_t launch;
    kiln_interp_buffer_t places[BUFFERS];
    uint64_t arguments[BUFFERS + 1];
    kiln_compile_options_initialize(&options);
    KILN_TRY(kiln_interp_create(session, &source, &options, &interp));
    kiln_interp_launch_initialize(&launch);
    for (int i = 0; i < BUFFERS; i++) {
        arguments[i] = UINT64_C(0x100000000) * (uint64_t)(i + 1);
        places[i] = (kiln_interp_buffer_t){"buffer", arguments[i], b->data[i], b->size[i]};
    }
    arguments[BUFFERS] = (uint32_t)trips;
    launch.arguments = arguments;
    launch.argument_count = BUFFERS + 1;
    launch.buffers = places;
    launch.buffer_count = BUFFERS;
    kiln_status_t status = kiln_interp_launch(interp, &launch);
    kiln_interp_release(interp);
    return status;
}

static kiln_status_t execute(kiln_device_t *device, const kiln_kernel_t *kernel, buffers_t *b,
                             int trips)
{
    kiln_module_t *module;
    kiln_function_t *function;
    kiln_buffer_t *buffers[BUFFERS];
    uint64_t addresses[BUFFERS];
    void *pointers[BUFFERS + 1];
    kiln_launch_t launch;
    size_t size;
    const void *code = kiln_kernel_code_object(kernel, &size);
    KILN_TRY(kiln_module_load(device, code, size, &module));
    KILN_TRY(kiln_module_function(module, kiln_kernel_name(kernel), &function));
    for (int i = 0; i < BUFFERS; i++) {
        KILN_TRY(kiln_buffer_create(device, b->size[i], &buffers[i]));
        KILN_TRY(kiln_buffer_write(buffers[i], 0, b->data[i], b->size[i]));
        addresses[i] = kiln_buffer_address(buffers[i]);
        pointers[i] = &addresses[i];
    }
    pointers[BUFFERS] = &trips;
    kiln_launch_initialize(&launch);
    launch.block[0] = kiln_kernel_block_size(kernel);
    launch.args = pointers;
    kiln_status_t status = kiln_function_launch(function, &launch);
    if (!status)
        status = kiln_device_synchronize(device);
    if (!status)
        status = kiln_device_checked(device);
    for (int i = 0; i < BUFFERS; i++) {
        if (!status)
            status = kiln_buffer_read(buffers[i], 0, b->data[i], b->size[i]);
        kiln_buffer_release(buffers[i]);
    }
    kiln_module_release(module);
    return status;
}

static bool report(kiln_status_t status, const char *what)
{
    char *text = status ? kiln_status_format(status) : NULL;
    printf("%s: %s\n", what, text ? text : "");
    free(text);
    kiln_status_free(status);
    return false;
}

static bool compare(kiln_session_t *session, kiln_device_t *device, const kiln_kernel_t *kernel,
                    const char *tt, int trips)
{
    buffers_t wanted, got;
    fill(&wanted);
    fill(&got);
    bool same = true;
    kiln_status_t status = interpret(session, tt, &wanted, trips);
    if (status)
        same = report(status, "the interpreter fails");
    else if ((status = execute(device, kernel, &got, trips)))
        same = report(status, "the launch fails");
    for (int i = 0; i < BUFFERS && same; i++)
        if (memcmp(wanted.data[i], got.data[i], wanted.size[i]) != 0) {
            printf("buffer %d differs after %d trips\n", i, trips);
            same = false;
        }
    free_buffers(&wanted);
    free_buffers(&got);
    return same;
}

typedef struct totals {
    long expanded, refused, stages;
} totals_t;

// False if this program's result is wrong.
static bool run(kiln_session_t *session, kiln_device_t *device, uint64_t seed, bool print,
                totals_t *totals)
{
    test_t *t = calloc(1, sizeof *t);
    t->state = seed * 0x9E3779B97F4A7C15u + 1;
    make_body(t);
    schedule(t);
    if (draw(t, 4) == 0)
        perturb(t);
    bool legal = is_legal(t), good = true;
    int stages = last_stage(t);
    t->trips = (int)draw(t, (uint32_t)(stages + 4));
    t->constant_trips = draw(t, 3) == 0;
    char *marked = whole_program(t), *ttg = written(t, marked, true),
         *tt = written(t, marked, false);
    if (print)
        printf("%s\n%s\n", ttg, tt);
    kiln_source_t source = {
        .stage = KILN_STAGE_TTG, .name = "f.ttgir", .text = ttg, .length = strlen(ttg)};
    kiln_compile_options_t options;
    kiln_kernel_t *kernel = NULL;
    kiln_compile_options_initialize(&options);
    kiln_status_t status = kiln_compile(session, &source, &options, &kernel);
    bool is_violation = status && strstr(kiln_status_message(status), "violates a dependence");
    if (status && !(is_violation && (!legal || t->is_chain)))
        good = report(status, legal ? "a legal schedule is refused"
                                    : "an illegal schedule fails otherwise");
    else if (!status && !legal)
        good = report(NULL, "an illegal schedule is taken");
    else if (status)
        kiln_status_free(status);
    totals->expanded += kernel != NULL;
    totals->refused += kernel == NULL;
    totals->stages += kernel ? stages : 0;
    for (int trips = 0; kernel && good && trips <= stages + 3; trips++)
        if (!t->constant_trips || trips == t->trips)
            good = compare(session, device, kernel, tt, trips);
    if (!good)
        printf("seed %llu, %d stages\n", (unsigned long long)seed, stages + 1);
    kiln_kernel_release(kernel);
    free(marked);
    free(ttg);
    free(tt);
    free(t);
    return good;
}

int main(int argc, char **argv)
{
    long runs = 40, failed = 0;
    uint64_t seed = 1;
    bool print = false;
    for (int i = 1; i < argc; i++) {
        print |= strcmp(argv[i], "-print") == 0;
        if (i + 1 < argc && strcmp(argv[i], "-runs") == 0)
            runs = strtol(argv[++i], NULL, 0);
        else if (i + 1 < argc && strcmp(argv[i], "-seed") == 0)
            seed = strtoull(argv[++i], NULL, 0);
    }
    setenv("KILN_SIM_CHECK", "all", 1);
    kiln_device_options_t options;
    kiln_device_t *device;
    kiln_session_t *session;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_SIM;
    options.sim_library = KILN_BINARY_DIR "/lib/libkiln-sim.so";
    kiln_status_t status = kiln_device_open(&options, &device);
    if (!status)
        status = kiln_session_create(&session);
    if (status)
        return !report(status, "can't begin");
    totals_t totals = {0};
    for (long i = 0; i < runs; i++)
        failed += !run(session, device, seed + (uint64_t)i, print, &totals);
    printf("%ld expanded with %ld stages beyond the first, %ld refused, %ld failed\n",
           totals.expanded, totals.stages, totals.refused, failed);
    kiln_session_release(session);
    kiln_device_release(device);
    return failed != 0;
}
