// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The quality of the examples' code: ./dev bench kernels [--triton=PYTHON] [KERNEL...]
//
// Each call of kernels/calls.json is compiled from Tile C, and from the output of Triton's front
// end for the same program (kernels/kernels.py). PYTHON, an interpreter that has Triton 3.6.0, also
// compiles the latter. For each code object it prints the wave-instructions executed, the largest
// bound of the units in cycles, and the predicted time. All numbers come from the simulator:
// nothing is measured.
//
// Bounds come from a launch that executes everything, predictions from one that executes only what
// they need, so each uses a device of its own.
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "kiln/arguments.h"
#include "kiln/kiln.h"
#include "triton_peer.h"

enum { MAX_SETTINGS = 32, MAX_ARGUMENTS = 32, TRITON_SCRATCH = 2 };

static void check(kiln_status_t status)
{
    if (!status)
        return;
    char *text = kiln_status_format(status);
    fprintf(stderr, "bench_kernels: %s", text ? text : "out of memory\n");
    exit(1);
}

typedef struct cost {
    double instructions, cycles, microseconds;
} cost_t;

// A call, with its settings as text.
typedef struct call {
    const json_t *json;
    const char *kernel;
    kiln_setting_t settings[MAX_SETTINGS];
    char values[MAX_SETTINGS][16];
    size_t setting_count;
} call_t;

typedef struct code {
    const void *bytes;
    size_t size;
    const char *symbol;
    const kiln_kernel_t *kernel; // the code has its parameters
    unsigned block, lds_bytes;
    bool is_tritons; // pointers to scratch memory then follow the arguments
} code_t;

static void read_call(const json_t *json, call_t *call)
{
    const char *name;
    json_t *value;
    *call = (call_t){.json = json, .kernel = json_string_value(json_object_get(json, "kernel"))};
    json_object_foreach(json_object_get(json, "settings"), name, value)
    {
        char *text = call->values[call->setting_count];
        if (json_is_boolean(value))
            snprintf(text, sizeof call->values[0], "%s", json_is_true(value) ? "true" : "false");
        else
            snprintf(text, sizeof call->values[0], "%d", (int)json_integer_value(value));
        call->settings[call->setting_count++] = (kiln_setting_t){name, text};
    }
}

static kiln_arguments_t *make_arguments(const call_t *call, kiln_device_t *device)
{
    kiln_arguments_t *arguments;
    size_t index;
    json_t *word;
    check(kiln_arguments_create(device, &arguments));
    kiln_arguments_define(arguments, call->settings, call->setting_count);
    json_array_foreach(json_object_get(call->json, "words"), index, word)
        check(kiln_arguments_add(arguments, json_string_value(word)));
    return arguments;
}

// A launch ----------------------------------------------------------------------------------------

static void launch(const call_t *call, const code_t *code, kiln_device_t *device)
{
    kiln_arguments_t *arguments = make_arguments(call, device);
    size_t value_count, count = kiln_kernel_argument_count(code->kernel);
    const kiln_jit_argument_t *values = kiln_arguments_values(arguments, &value_count);
    kiln_parameter_t parameters[MAX_ARGUMENTS];
    uint64_t cells[MAX_ARGUMENTS] = {0};
    void *args[MAX_ARGUMENTS + TRITON_SCRATCH];
    for (size_t i = 0; i < count; i++) {
        const kiln_argument_t *argument = kiln_kernel_argument(code->kernel, i);
        parameters[i] = (kiln_parameter_t){argument->name, argument->type, argument->sign};
    }
    check(kiln_jit_bind(call->kernel, parameters, count, values, value_count, cells));
    static uint64_t none;
    for (size_t i = 0; i < count + TRITON_SCRATCH; i++)
        args[i] = i < count ? &cells[i] : &none;
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    check(kiln_arguments_grid(arguments, json_string_value(json_object_get(call->json, "grid")),
                              launch.grid));
    launch.block[0] = code->block;
    launch.dynamic_lds_bytes = code->is_tritons ? code->lds_bytes : 0;
    launch.args = args;
    kiln_module_t *module;
    kiln_function_t *function;
    check(kiln_module_load(device, code->bytes, code->size, &module));
    check(kiln_module_function(module, code->symbol, &function));
    check(kiln_function_launch(function, &launch));
    check(kiln_device_synchronize(device));
    kiln_module_release(module);
    kiln_arguments_release(arguments);
}

static kiln_device_t *open_device(const char *clock)
{
    const kiln_sim_setting_t settings[] = {{"clock", clock}, {"caches", "warm"}, {"lds", "160k"}};
    kiln_device_options_t options;
    kiln_device_t *device;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_SIM;
    options.sim_settings = settings;
    options.sim_setting_count = sizeof settings / sizeof *settings;
    check(kiln_device_open(&options, &device));
    return device;
}

static cost_t cost_of(const call_t *call, const code_t *code)
{
    kiln_sim_launch_stats_t stats = {.struct_size = sizeof stats};
    kiln_sim_prediction_t prediction = {.struct_size = sizeof prediction};
    kiln_device_t *device = open_device("bounds");
    launch(call, code, device);
    check(kiln_device_launch_stats(device, &stats));
    kiln_device_release(device);
    device = open_device("only");
    launch(call, code, device);
    check(kiln_device_launch_prediction(device, &prediction));
    kiln_device_release(device);
    return (cost_t){(double)stats.instructions, stats.estimated_cycles, prediction.microseconds};
}

// Code --------------------------------------------------------------------------------------------

static void show(const kiln_diagnostic_t *diagnostic, void *user)
{
    (void)user;
    kiln_diagnostic_print(diagnostic, stderr);
}

static kiln_kernel_t *compile(kiln_session_t *session, const call_t *call, kiln_stage_t stage,
                              const char *path, kiln_compile_options_t *options)
{
    char *text;
    size_t length;
    check(kiln_file_read(path, &text, &length));
    kiln_source_t source = {stage, path, text, length};
    kiln_setting_t defines[MAX_SETTINGS];
    kiln_arg_hint_t hints[MAX_ARGUMENTS];
    kiln_arguments_t *arguments = make_arguments(call, NULL);
    const kiln_jit_argument_t *values = kiln_arguments_values(arguments, &options->arg_count);
    kiln_compile_options_initialize(options);
    check(kiln_compile_options_apply(options, call->settings, call->setting_count, defines));
    if (stage == KILN_STAGE_TILE) { // TTIR contains these itself
        kiln_arguments_values(arguments, &options->arg_count);
        for (size_t i = 0; i < options->arg_count; i++)
            hints[i] = kiln_jit_argument_hint(&values[i]);
        options->args = hints;
    } else {
        options->define_count = 0;
    }
    options->kernel = call->kernel;
    kiln_session_set_diagnostic_handler(session, show, NULL);
    kiln_kernel_t *kernel;
    check(kiln_compile(session, &source, options, &kernel));
    kiln_arguments_release(arguments);
    free(text);
    options->args = NULL;
    options->arg_count = 0;
    options->defines = NULL;
    options->define_count = 0;
    return kernel;
}

static cost_t cost_of_kernel(const call_t *call, const kiln_kernel_t *kernel)
{
    code_t code = {.symbol = kiln_kernel_name(kernel),
                   .kernel = kernel,
                   .block = kiln_kernel_block_size(kernel)};
    code.bytes = kiln_kernel_code_object(kernel, &code.size);
    return cost_of(call, &code);
}

static cost_t cost_of_tritons(const call_t *call, triton_peer_t *triton, const char *path,
                              const kiln_kernel_t *kernel, const kiln_compile_options_t *options)
{
    char out[] = "/tmp/bench_kernels.XXXXXX", *bytes;
    int file = mkstemp(out);
    if (file < 0)
        exit((perror(out), 1));
    close(file);
    const triton_request_t request = {.path = path,
                                      .repeat = 0,
                                      .num_warps = options->num_warps ? options->num_warps : 4,
                                      .num_stages = options->num_stages};
    triton_answer_t answer;
    if (!triton_peer_compile(triton, &request, out, &answer))
        exit(1);
    code_t code = {.symbol = call->kernel,
                   .kernel = kernel,
                   .block = 64 * (unsigned)request.num_warps,
                   .lds_bytes = answer.lds_bytes,
                   .is_tritons = true};
    check(kiln_file_read(out, &bytes, &code.size));
    unlink(out);
    code.bytes = bytes;
    cost_t cost = cost_of(call, &code);
    free(bytes);
    return cost;
}

// The table ---------------------------------------------------------------------------------------

typedef struct sums {
    double instructions, cycles, microseconds; // logarithms of ratios
    unsigned count, worse;
} sums_t;

static void print_ratios(const char *of, const cost_t *ours, const cost_t *theirs, sums_t *sums)
{
    enum { TWO_PERCENT = 102 };
    const double instructions = ours->instructions / theirs->instructions,
                 cycles = ours->cycles / theirs->cycles,
                 time = ours->microseconds / theirs->microseconds;
    const bool worse = 100 * time > TWO_PERCENT;
    printf("  %-10s %11.0f %9.0f %9.2f   %6.3f %6.3f %6.3f%s\n", of, theirs->instructions,
           theirs->cycles, theirs->microseconds, instructions, cycles, time, worse ? " *" : "");
    sums->instructions += log(instructions);
    sums->cycles += log(cycles);
    sums->microseconds += log(time);
    sums->count++;
    sums->worse += worse;
}

static void compare(kiln_session_t *session, const json_t *json, triton_peer_t *triton,
                    sums_t *ttir, sums_t *tritons)
{
    char tile_path[4096], ttir_path[4096];
    kiln_compile_options_t options;
    call_t call;
    read_call(json, &call);
    snprintf(tile_path, sizeof tile_path, KILN_EXAMPLES_DIR "/%s.tile.c",
             json_string_value(json_object_get(json, "tile")));
    snprintf(ttir_path, sizeof ttir_path, KILN_BENCH_DIR "/kernels/%s.ttir", call.kernel);
    kiln_kernel_t *tile = compile(session, &call, KILN_STAGE_TILE, tile_path, &options);
    kiln_kernel_t *same = compile(session, &call, KILN_STAGE_TT, ttir_path, &options);
    const cost_t ours = cost_of_kernel(&call, tile), theirs = cost_of_kernel(&call, same);
    printf("%s\n  %-10s %11.0f %9.0f %9.2f\n", call.kernel, "Tile C", ours.instructions,
           ours.cycles, ours.microseconds);
    print_ratios("its TTIR", &ours, &theirs, ttir);
    if (triton) {
        const cost_t peer = cost_of_tritons(&call, triton, ttir_path, same, &options);
        print_ratios("Triton", &ours, &peer, tritons);
    }
    fflush(stdout);
    kiln_kernel_release(tile);
    kiln_kernel_release(same);
}

static void print_mean(const char *of, const sums_t *sums)
{
    if (sums->count)
        printf("Tile C against %s, geometric means of %u: instructions %.3f, bounds %.3f, "
               "predicted time %.3f; %u above "
               "1.02 (*)\n",
               of, sums->count, exp(sums->instructions / sums->count),
               exp(sums->cycles / sums->count), exp(sums->microseconds / sums->count), sums->worse);
}

static bool is_wanted(const json_t *json, char **names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], json_string_value(json_object_get(json, "kernel"))) == 0)
            return true;
    return count == 0;
}

int main(int argc, char **argv)
{
    static const struct option flags[] = {{"triton", required_argument, NULL, 't'}, {0}};
    triton_peer_t *triton = NULL;
    for (int flag; (flag = getopt_long(argc, argv, "", flags, NULL)) != -1;) {
        if (flag != 't' || !(triton = triton_peer_start(optarg))) {
            fprintf(stderr, "usage: bench_kernels [--triton=PYTHON] [KERNEL...]\n");
            return 2;
        }
    }
    char *text;
    size_t length, index;
    json_t *calls, *json;
    sums_t ttir = {0}, tritons = {0};
    kiln_session_t *session;
    check(kiln_file_read(KILN_BENCH_DIR "/kernels/calls.json", &text, &length));
    check(kiln_json_parse("calls.json", text, length, &calls));
    check(kiln_session_create(&session));
    printf("%-12s %11s %9s %9s   ratios of Tile C's to these\n", "", "instr.", "bound", "us");
    json_array_foreach(calls, index, json) if (is_wanted(json, argv + optind, argc - optind))
        compare(session, json, triton, &ttir, &tritons);
    print_mean("its TTIR", &ttir);
    print_mean("Triton", &tritons);
    printf("Instructions are of waves, executed; bounds are cycles, estimated; times are "
           "predicted, warm, on an MI300X. "
           "Nothing is measured.\n");
    kiln_session_release(session);
    json_decref(calls);
    free(text);
    if (triton)
        triton_peer_stop(triton);
    return 0;
}
