// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Published microbenchmarks of the machine, and the predicting clock's results for them: ./dev
// bench clock_micro [NAME-PART]
//
// Each row of test/bench/clock/micro/micro.def is run on the simulator as it was measured on the
// device, with kernels that clang-22 assembles or compiles at run time, and predicted; the worst
// error is printed first.
//
// Nothing is measured here. A time within a kernel is what the clock's waves spent between two
// s_memtime instructions, because the program itself does not see predicted time.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/sim.h"
#include "run/launch.h"
#include "timing/predict.h"

#define SOURCES KILN_BENCH_DIR "/clock/micro/"

typedef enum micro_kind { CYCLES, TIMED, CHASE, RATE, TIME } micro_kind_t;
enum { WARM, COLD };

typedef struct micro {
    const char *name, *kernel, *device;
    micro_kind_t kind;
    unsigned groups, items, lds;
    uint64_t bytes;
    unsigned count, second, mhz, state;
    double each, measured;
    const char *unit, *source;
    double predicted; // 0: prediction failed
} micro_t;

static micro_t rows[] = {
#define MICRO_CYCLES(name, kernel, waves, rounds, in_round, cycles, source)                        \
    {name, kernel, "mi300x", CYCLES,   1,      64 * (waves), 0,      4096, rounds,                 \
     0,    2100,   WARM,     in_round, cycles, "cycles",     source, 0},
#define MICRO_TIMED(name, kernel, groups, items, rounds, stride, cycles, source)                   \
    {name,   kernel, "mi300x", TIMED,  groups, items,    0,      8 << 20, rounds,                  \
     stride, 2100,   WARM,     rounds, cycles, "cycles", source, 0},
#define MICRO_CHASE(name, bytes, steps, state, cycles, source)                                     \
    {name, "chase", "mi300x", CHASE, 1,      1,        0,      bytes, steps,                       \
     0,    2092,    state,    steps, cycles, "cycles", source, 0},
#define MICRO_RATE(name, kernel, device, groups, items, lds, bytes, count, second, mhz, each,      \
                   measured, unit, source)                                                         \
    {name,   kernel, device, RATE, groups,   items, lds,    bytes, count,                          \
     second, mhz,    WARM,   each, measured, unit,  source, 0},
#define MICRO_TIME(name, kernel, device, groups, items, us, source)                                \
    {name, kernel, device, TIME, groups, items, 0, 4096, 1, 0, 2100, WARM, 1, us, "us", source, 0},
#include "clock/micro/micro.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

// ---- code

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        *size = (size_t)ftell(file);
        rewind(file);
        bytes = malloc(*size + 1);
        if (bytes && fread(bytes, 1, *size, file) != *size) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (file)
        fclose(file);
    return bytes;
}

// Assembles or compiles a file next to the table.
static char *build(const char *source, const char *how, size_t *size)
{
    char path[] = "/tmp/kiln-micro-XXXXXX", command[4096];
    const int descriptor = mkstemp(path);
    if (descriptor < 0)
        return NULL;
    snprintf(command, sizeof command, "clang-22 %s -mcode-object-version=5 %s%s -o %s", how,
             SOURCES, source, path);
    char *bytes = system(command) == 0 ? read_file(path, size) : NULL;
    remove(path);
    return bytes;
}

static struct {
    char *bytes;
    size_t size;
} objects[2];

static bool build_all(void)
{
    objects[0].bytes =
        build("micro.s", "-target amdgcn-amd-amdhsa -mcpu=gfx942 -x assembler", &objects[0].size);
    objects[1].bytes =
        build("micro.hip",
              "-x hip --offload-arch=gfx942 -nogpuinc -nogpulib --no-offload-new-driver "
              "--cuda-device-only --no-gpu-bundle-output -O3",
              &objects[1].size);
    return objects[0].bytes && objects[1].bytes;
}

// ---- launches

typedef struct run {
    kiln_sim_machine_t *machine;
    const kiln_sim_kernel_t *kernel;
    uint8_t *a, *b;
} run_t;

static bool open_run(run_t *run, const micro_t *row, kiln_sim_error_t *error)
{
    char mhz[16];
    snprintf(mhz, sizeof mhz, "%u", row->mhz);
    const kiln_sim_setting_t settings[] = {
        {"clock", "only"}, {"device", row->device}, {"clock_mhz", mhz}, {"threads", "1"}};
    if (!kiln_sim_machine_create(settings, sizeof settings / sizeof *settings, &run->machine,
                                 error))
        return false;
    for (unsigned i = 0; i < 2 && !run->kernel; i++) {
        kiln_sim_code_object_t *object;
        if (!kiln_sim_machine_load(run->machine, objects[i].bytes, objects[i].size, &object, error))
            return false;
        run->kernel = kiln_sim_object_kernel(object, row->kernel);
    }
    run->a = kiln_sim_machine_allocate(run->machine, row->bytes, error);
    run->b = kiln_sim_machine_allocate(run->machine, row->bytes, error);
    return run->kernel && run->a && run->b;
}

static bool launch(const run_t *run, const micro_t *row, unsigned count, kiln_sim_prediction_t *p,
                   kiln_sim_error_t *error)
{
    const struct {
        void *a, *b;
        uint32_t count, second;
        bool hold;
    } arguments = {run->a, run->b, count, row->second, false};
    const kiln_sim_dispatch_t dispatch = {.struct_size = sizeof dispatch,
                                          .kernel = run->kernel,
                                          .grid = {row->groups, 1, 1},
                                          .block = {row->items, 1, 1},
                                          .dynamic_lds = row->lds,
                                          .packed = &arguments,
                                          .packed_size = sizeof arguments};
    kiln_sim_result_t *result = NULL;
    *p = (kiln_sim_prediction_t){.struct_size = sizeof *p};
    const bool good = kiln_sim_machine_launch(run->machine, &dispatch, &result, error) &&
                      kiln_sim_result_prediction(result, p);
    kiln_sim_result_free(result);
    return good;
}

// Builds a cyclic chain through all lines of the buffer in random, but reproducible, order.
static void make_ring(const run_t *run, uint64_t bytes)
{
    enum { LINE = 128 };
    const size_t lines = (size_t)(bytes / LINE);
    uint32_t *order = malloc(lines * sizeof *order);
    uint64_t random = 88172645463325252u;
    for (size_t i = 0; order && i < lines; i++)
        order[i] = (uint32_t)i;
    for (size_t i = lines - 1; order && i > 0; i--) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        const size_t j = (size_t)(random % (i + 1));
        const uint32_t kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (size_t i = 0; order && i < lines; i++) {
        const uint8_t *next = run->a + (uint64_t)order[(i + 1) % lines] * LINE;
        memcpy(run->a + (uint64_t)order[i] * LINE, &next, sizeof next);
    }
    free(order);
}

// Cycles of a wave from one s_memtime to the next in the last launch.
static double timed_cycles(const run_t *run, const micro_t *row)
{
    const kiln_timing_clock_t *clock = run->machine->clock;
    uint64_t begin = UINT64_MAX, end = UINT64_MAX, cycles = 0;
    kiln_sim_program_t *program = run->kernel->object->program;
    for (size_t i = 0; i < clock->op_count; i++) {
        const kiln_sim_inst_t *inst = kiln_sim_program_inst(program, i);
        if (!clock->executed[i] || strcmp(inst->row->name, "s_memtime") != 0)
            continue;
        end = begin < inst->address ? inst->address : begin != UINT64_MAX ? begin : end;
        begin = begin < inst->address ? begin : inst->address;
    }
    for (size_t i = 0; i < clock->op_count; i++) {
        for (unsigned s = 0; clock->executed[i] && clock->ops[i].address > begin &&
                             clock->ops[i].address <= end && s < KILN_SIM_STALLS;
             s++)
            cycles += clock->stalls[i][s];
    }
    return (double)cycles / clock->plan.own / ((row->items + 63) / 64) / row->each;
}

static double predict(const micro_t *row, kiln_sim_error_t *error)
{
    run_t run = {0};
    kiln_sim_prediction_t p = {0}, first = {0};
    bool good = open_run(&run, row, error);
    if (good && row->kind == CHASE)
        make_ring(&run, row->bytes);
    good = good && launch(&run, row, row->count, &first, error); // warms caches and code
    if (good && row->state == COLD)
        kiln_sim_machine_flush(run.machine, UINT64_MAX);
    good = good && launch(&run, row, row->count, &p, error);
    double value = 0;
    if (good && row->kind == CYCLES) {
        first = p;
        good = launch(&run, row, 2 * row->count, &p, error);
        value = (p.cycles - first.cycles) / row->count / row->each;
    } else if (good && row->kind == TIMED) {
        value = timed_cycles(&run, row);
    } else if (good && row->kind == CHASE) {
        value = p.cycles / row->each;
    } else if (good && row->kind == RATE) {
        value = (double)row->groups * row->items * row->each / p.microseconds * 1e-3;
    } else if (good) {
        value = p.microseconds + p.launch_microseconds;
    }
    kiln_sim_machine_destroy(run.machine);
    return good ? value : 0;
}

// ---- the table

static double error_of(const micro_t *row)
{
    return row->predicted > 0 ? row->predicted / row->measured - 1 : INFINITY;
}

static int worst_first(const void *a, const void *b)
{
    const double x = fabs(error_of(a)), y = fabs(error_of(b));
    return x < y ? 1 : x > y ? -1 : 0;
}

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "";
    if (!build_all()) {
        fprintf(stderr, "clang-22 could not make the kernels of %s\n", SOURCES);
        return 3;
    }
    size_t count = 0, within = 0;
    double sum = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (!strstr(rows[i].name, part))
            continue;
        kiln_sim_error_t error = {0};
        rows[count] = rows[i];
        rows[count].predicted = predict(&rows[count], &error);
        if (rows[count].predicted <= 0)
            fprintf(stderr, "%s: %s\n", rows[count].name,
                    error.text[0] ? error.text : "no prediction");
        sum += fabs(error_of(&rows[count]));
        within += fabs(error_of(&rows[count])) <= 0.05;
        count++;
    }
    qsort(rows, count, sizeof *rows, worst_first);
    printf("published against predicted, the worst first\n   error     measured    predicted\n");
    for (size_t i = 0; i < count; i++)
        printf("%+7.1f %% %11.2f %12.2f %-8s %s  [%s]\n", 100 * error_of(&rows[i]),
               rows[i].measured, rows[i].predicted, rows[i].unit, rows[i].name, rows[i].source);
    printf("%zu microbenchmarks, %zu within 5 %%, mean error %.1f %%\n", count, within,
           count ? 100 * sum / (double)count : 0);
    for (unsigned i = 0; i < 2; i++)
        free(objects[i].bytes);
    return 0;
}
