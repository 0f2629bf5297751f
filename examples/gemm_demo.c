// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program behind `./dev demo`: tunes examples/gemm.tile.c for two problems on the available
// device, checks every candidate against a product in double precision, and prints a table.
// gemm_api.c is the shortest version of the same program.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <kiln/tune.h>

typedef _Float16 f16;

typedef struct gemm {
    int m, n, k;
    f16 *a, *b, *c;
    double *reference; // a · b
    kiln_buffer_t *da, *db, *dc;
    uint64_t pa, pb, pc; // their addresses; the launch points to these
    void *args[9];
} gemm_t;

// Exits if a call failed: an example has no caller to return the error to.
static void check(kiln_status_t status)
{
    if (!status)
        return;
    char *text = kiln_status_format(status);
    fprintf(stderr, "gemm_demo: %s", text ? text : "out of memory\n");
    exit(1);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        check(kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "no memory for the matrices"));
    return memory;
}

static void make_problem(gemm_t *g, kiln_device_t *device)
{
    size_t m = (size_t)g->m, n = (size_t)g->n, k = (size_t)g->k;
    g->a = allocate(m * k, sizeof(f16));
    g->b = allocate(k * n, sizeof(f16));
    g->c = allocate(m * n, sizeof(f16));
    g->reference = allocate(m * n, sizeof(double));
    srand(1);
    for (size_t i = 0; i < m * k; i++)
        g->a[i] = (f16)(rand() / (double)RAND_MAX * 2 - 1);
    for (size_t i = 0; i < k * n; i++)
        g->b[i] = (f16)(rand() / (double)RAND_MAX * 2 - 1);
    for (size_t i = 0; i < m; i++)
        for (size_t p = 0; p < k; p++)
            for (size_t j = 0; j < n; j++)
                g->reference[i * n + j] += (double)g->a[i * k + p] * (double)g->b[p * n + j];

    check(kiln_buffer_create(device, m * k * sizeof(f16), &g->da));
    check(kiln_buffer_create(device, k * n * sizeof(f16), &g->db));
    check(kiln_buffer_create(device, m * n * sizeof(f16), &g->dc));
    check(kiln_buffer_write(g->da, 0, g->a, m * k * sizeof(f16)));
    check(kiln_buffer_write(g->db, 0, g->b, k * n * sizeof(f16)));
    g->pa = kiln_buffer_address(g->da);
    g->pb = kiln_buffer_address(g->db);
    g->pc = kiln_buffer_address(g->dc);
    void *args[] = {&g->pa, &g->pb, &g->pc, &g->m, &g->n,
                    &g->k,  &g->k,  &g->n,  &g->n}; // gemm(a, b, c, M, N, K, lda, ldb, ldc)
    memcpy(g->args, args, sizeof args);
}

static void free_problem(gemm_t *g)
{
    kiln_buffer_release(g->da);
    kiln_buffer_release(g->db);
    kiln_buffer_release(g->dc);
    free(g->a);
    free(g->b);
    free(g->c);
    free(g->reference);
}

static int setting(const kiln_tune_candidate_t *candidate, const char *name)
{
    for (size_t i = 0; i < candidate->setting_count; i++)
        if (strcmp(candidate->settings[i].name, name) == 0)
            return atoi(candidate->settings[i].value);
    return 0;
}

static kiln_status_t prepare(const kiln_tune_candidate_t *candidate, const kiln_kernel_t *kernel,
                             kiln_launch_t *launch, void *user)
{
    (void)kernel;
    gemm_t *g = user;
    int bm = setting(candidate, "BLOCK_M"), bn = setting(candidate, "BLOCK_N");
    launch->grid[0] = (unsigned)((g->m + bm - 1) / bm * ((g->n + bn - 1) / bn));
    launch->args = g->args;
    return kiln_buffer_fill(g->dc, 0, 0xA5,
                            kiln_buffer_size(g->dc)); // makes elements visible that a kernel does
                                                      // not write
}

// ‖c − reference‖ / ‖reference‖; a result rounded to f16 is within 2⁻¹¹ of it.
static kiln_status_t verify(const kiln_tune_candidate_t *candidate, double *out_error, void *user)
{
    (void)candidate;
    gemm_t *g = user;
    KILN_TRY(kiln_buffer_read(g->dc, 0, g->c, kiln_buffer_size(g->dc)));
    double difference = 0, norm = 0;
    for (size_t i = 0; i < (size_t)g->m * (size_t)g->n; i++) {
        double d = (double)g->c[i] - g->reference[i];
        difference += d * d;
        norm += g->reference[i] * g->reference[i];
    }
    *out_error = sqrt(difference / norm);
    if (*out_error <= 1e-3) // also false for NaN
        return KILN_OK;
    return kiln_status_make(KILN_STATUS_MISMATCH, "relative error %g against double precision",
                            *out_error);
}

static void print_samples(const kiln_tune_result_t *result, size_t rows)
{
    kiln_cost_kind_t kind = kiln_tune_result_cost_kind(result);
    printf("  %16s  %-5s  %9s  %5s  %6s  %s\n", kiln_cost_kind_name(kind), "bound", "error",
           "VGPRs", "LDS", "configuration");
    size_t count = kiln_tune_result_count(result), right = 0;
    for (size_t i = 0; i < count; i++) {
        const kiln_tune_sample_t *s = kiln_tune_result_sample(result, i);
        if (s->verdict == KILN_TUNE_OK && right++ < rows)
            printf("  %16.0f  %-5s  %9.2e  %5u  %6u  %s\n", s->cost, s->bound, s->error,
                   s->resources->vgprs + s->resources->agprs, s->resources->lds_bytes,
                   s->candidate->config);
        if (s->verdict != KILN_TUNE_OK)
            printf("  %16s  %s: %s\n", s->verdict == KILN_TUNE_WRONG ? "wrong" : "rejected",
                   s->candidate->config, s->reason);
    }
    printf("  %zu of %zu configurations compiled and computed the right product\n", right, count);
}

#define VALUES(...)                                                                                \
    (const char *const[]){__VA_ARGS__},                                                            \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)

static void tune(kiln_device_t *device, const kiln_source_t *source, int m, int n, int k)
{
    const kiln_tune_axis_t axes[] = {
        {"BLOCK_M", VALUES("32", "64")},    {"BLOCK_N", VALUES("32", "64")},
        {"BLOCK_K", VALUES("32", "64")},    {"num_stages", VALUES("1", "2")},
        {"waves_per_eu", VALUES("0", "2")}, {"matrix_instr_nonkdim", VALUES("16", "32")},
    };
    gemm_t g = {.m = m, .n = n, .k = k};
    make_problem(&g, device);
    // Properties that the JIT would detect: pointers are aligned, and these integers are multiples
    // of 16 if their values are.
    const struct {
        const char *name;
        int value;
    } integers[] = {{"M", m}, {"N", n}, {"K", k}, {"lda", k}, {"ldb", n}, {"ldc", n}};
    kiln_arg_hint_t hints[9] = {{.name = "a", .divisibility = 16, .pointer_range_32 = true},
                                {.name = "b", .divisibility = 16, .pointer_range_32 = true},
                                {.name = "c", .divisibility = 16, .pointer_range_32 = true}};
    for (size_t i = 0; i < 6; i++)
        hints[3 + i] = (kiln_arg_hint_t){.name = integers[i].name,
                                         .divisibility = integers[i].value % 16 == 0 ? 16 : 0};
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.args = hints;
    options.arg_count = sizeof hints / sizeof *hints;
    kiln_tune_problem_t problem;
    kiln_tune_problem_initialize(&problem);
    problem.source = *source;
    problem.options = &options;
    problem.axes = axes;
    problem.axis_count = sizeof axes / sizeof *axes;
    problem.device = device;
    problem.prepare = prepare;
    problem.verify = verify;
    problem.user = &g;

    double begin = seconds();
    kiln_tune_result_t *result;
    check(kiln_tune(&problem, &result));
    const kiln_tune_sample_t *best = kiln_tune_result_sample(result, 0);
    printf("\n%d x %d x %d, f16 in, f32 accumulate: tuned in %.1f s\n", m, n, k, seconds() - begin);
    print_samples(result, 5);
    printf("  best: %s\n", best->candidate->config);
    kiln_tune_result_release(result);
    free_problem(&g);
}

static char *read_file(const char *path, size_t *out_length)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        check(kiln_status_make(KILN_STATUS_IO, "cannot read '%s'", path));
    *out_length = (size_t)ftell(file);
    rewind(file);
    char *text = allocate(*out_length + 1, 1);
    if (fread(text, 1, *out_length, file) != *out_length)
        check(kiln_status_make(KILN_STATUS_IO, "cannot read '%s'", path));
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : KILN_EXAMPLES_DIR "/gemm.tile.c";
    kiln_source_t source = {.stage = KILN_STAGE_TILE, .name = path};
    char *text = read_file(path, &source.length);
    source.text = text;

    // Costs are the simulator's predictions for launches that follow others of the same kernel.
    static const kiln_sim_setting_t settings[] = {{"clock", "model"}, {"caches", "warm"}};
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.sim_settings = settings;
    options.sim_setting_count = sizeof settings / sizeof *settings;
    kiln_device_t *device;
    check(kiln_device_open(&options, &device));
    const kiln_device_properties_t *properties = kiln_device_properties(device);
    printf("Kiln %s, LLVM %s\n", kiln_version(), kiln_llvm_version());
    printf("device: %s, %s, %u compute units, from %s\n", properties->name, properties->arch,
           properties->compute_units, properties->library);
    if (properties->kind == KILN_DEVICE_SIM)
        printf("No GPU was found, so this is the simulator: it executes the code object that an "
               "MI300X would load. "
               "Costs are predicted, not measured:\n"
               "docs/timing-model.md says by how much they are wrong.\n");
    tune(device, &source, 512, 512, 512);
    tune(device, &source, 500, 300, 200);
    kiln_device_release(device);
    free(text);
    return 0;
}
