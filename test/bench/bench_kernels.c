// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The quality of the examples' code: ./dev bench kernels [--triton=PYTHON] [KERNEL...], and beside
// AITER's assembly (aiter_peer.h): ./dev bench kernels --aiter=CHECKOUT [WORD...]
// Against HBM's peak (roof_bar.h): ./dev bench kernels --roof [WORD...]
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

#include "aiter_peer.h"
#include "base/file.h"
#include "base/json.h"
#include "kernel_call.h"
#include "kiln/arguments.h"
#include "kiln/kiln.h"
#include "roof_bar.h"
#include "triton_peer.h"

typedef struct cost {
    double instructions, cycles, microseconds;
} cost_t;

static cost_t cost_of(const kernel_call_t *call, const kernel_code_t *code)
{
    kiln_sim_launch_stats_t stats = {.struct_size = sizeof stats};
    kiln_sim_prediction_t prediction = {.struct_size = sizeof prediction};
    kiln_device_t *device = kernel_call_device("bounds");
    kernel_call_launch(call, code, device);
    bench_check(kiln_device_launch_stats(device, &stats));
    kiln_device_release(device);
    device = kernel_call_device("only");
    kernel_call_launch(call, code, device);
    bench_check(kiln_device_launch_prediction(device, &prediction));
    kiln_device_release(device);
    return (cost_t){(double)stats.instructions, stats.estimated_cycles, prediction.microseconds};
}

static cost_t cost_of_kernel(const kernel_call_t *call, const kiln_kernel_t *kernel)
{
    const kernel_code_t code = kernel_call_code(kernel);
    return cost_of(call, &code);
}

static cost_t cost_of_tritons(const kernel_call_t *call, triton_peer_t *triton, const char *path,
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
    kernel_code_t code = {.symbol = call->kernel,
                          .kernel = kernel,
                          .block = 64 * (unsigned)request.num_warps,
                          .lds_bytes = answer.lds_bytes,
                          .is_tritons = true};
    bench_check(kiln_file_read(out, &bytes, &code.size));
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
    kernel_call_t call;
    kernel_call_read(json, NULL, &call);
    snprintf(tile_path, sizeof tile_path, KILN_EXAMPLES_DIR "/%s.tile.c",
             json_string_value(json_object_get(json, "tile")));
    snprintf(ttir_path, sizeof ttir_path, KILN_BENCH_DIR "/kernels/%s.ttir", call.kernel);
    kiln_kernel_t *tile = kernel_call_compile(session, &call, KILN_STAGE_TILE, tile_path, &options);
    kiln_kernel_t *same = kernel_call_compile(session, &call, KILN_STAGE_TT, ttir_path, &options);
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
    static const struct option flags[] = {{"triton", required_argument, NULL, 't'},
                                          {"aiter", required_argument, NULL, 'a'},
                                          {"roof", no_argument, NULL, 'r'},
                                          {0}};
    triton_peer_t *triton = NULL;
    const char *aiter = NULL;
    bool roof = false;
    for (int flag; (flag = getopt_long(argc, argv, "", flags, NULL)) != -1;) {
        if (flag == 'a') {
            aiter = optarg;
        } else if (flag == 'r') {
            roof = true;
        } else if (flag != 't' || !(triton = triton_peer_start(optarg))) {
            fprintf(stderr, "usage: bench_kernels [--triton=PYTHON] [KERNEL...]\n"
                            "       bench_kernels --aiter=CHECKOUT [WORD...]\n"
                            "       bench_kernels --roof [WORD...]\n");
            return 2;
        }
    }
    if (aiter) {
        triton_peer_stop(triton);
        return !aiter_peer_compare(aiter, argv + optind, argc - optind);
    }
    if (roof) {
        triton_peer_stop(triton);
        return !roof_bar_compare(argv + optind, argc - optind);
    }
    char *text;
    size_t length, index;
    json_t *calls, *json;
    sums_t ttir = {0}, tritons = {0};
    kiln_session_t *session;
    bench_check(kiln_file_read(KILN_BENCH_DIR "/kernels/calls.json", &text, &length));
    bench_check(kiln_json_parse("calls.json", text, length, &calls));
    bench_check(kiln_session_create(&session));
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
