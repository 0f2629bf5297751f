// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln bench: what one launch of a kernel costs, for the very call that `kiln run` would make, tuned settings included.
//
// What is easily got wrong: on a GPU the kernel is launched many times over the same buffers, so what it leaves in them
// means nothing; on the simulator nothing is measured, and the table says whether a cost is predicted or estimated.
#include <stdlib.h>
#include <string.h>

#include "crash.h"
#include "json_text.h"
#include "kiln/tune.h"
#include "launch_call.h"
#include "pages.h"
#include "prediction.h"
#include "roofline.h"
#include "stalls.h"
#include "verbs.h"

typedef struct bench {
    const kiln_jit_kernel_t *kernel;
    kiln_jit_call_t call;
} bench_t;

static kiln_status_t launch(void *user)
{
    const bench_t *bench = user;
    return kiln_jit_launch_kernel(bench->kernel, &bench->call);
}

static void print_settings(const kiln_jit_kernel_t *kernel)
{
    const kiln_setting_t *settings = kiln_jit_kernel_settings(kernel);
    printf("  %-24s", "settings");
    for (size_t i = 0; i < kiln_jit_kernel_setting_count(kernel); i++)
        printf(" %s=%s", settings[i].name, settings[i].value);
    printf("\n");
}

enum { MAX_EXPECTED = 16 };

typedef struct bench_flags {
    kiln_launch_flags_t launch;
    bool cold, stalls, json;
    const char *roofline; // file
    const char *expected[MAX_EXPECTED];
    size_t expected_count;
} bench_flags_t;

static void print_text(const kiln_jit_kernel_t *kernel, kiln_device_t *device, const kiln_cost_t *cost,
                       const kiln_sim_prediction_t *prediction)
{
    printf("kernel %s on %s\n", kiln_jit_kernel_name(kernel), kiln_device_key(device));
    if (prediction)
        kiln_prediction_print(prediction);
    else
        printf("  %-24s %12.0f\n", kiln_cost_kind_name(cost->kind), cost->value);
    if (cost->bound)
        printf("  %-24s %12s\n", "bound by", cost->bound);
    print_settings(kernel);
}

static kiln_status_t print_json(const kiln_jit_kernel_t *kernel, kiln_device_t *device, const kiln_cost_t *cost,
                                const kiln_sim_prediction_t *prediction, bool stalls)
{
    json_t *lines = NULL, *settings = json_object();
    if (stalls)
        KILN_TRY(kiln_stalls_json(device, &lines));
    const kiln_setting_t *all = kiln_jit_kernel_settings(kernel);
    for (size_t i = 0; i < kiln_jit_kernel_setting_count(kernel); i++)
        json_object_set_new(settings, all[i].name, json_string(all[i].value));
    json_t *root = json_pack("{s:s,s:s,s:s,s:f,s:s*,s:o,s:o*,s:o*}", "kernel", kiln_jit_kernel_name(kernel), "device",
                             kiln_device_key(device), "cost", kiln_cost_kind_name(cost->kind), "value", cost->value,
                             "bound", cost->bound, "settings", settings, "prediction",
                             prediction ? kiln_prediction_json(prediction) : NULL, "lines", lines);
    if (!root)
        return kiln_status_out_of_memory();
    kiln_cli_print_json(root);
    json_decref(root);
    return KILN_OK;
}

static kiln_status_t wants_nothing_idle(const bench_flags_t *flags, const kiln_device_t *device)
{
    const struct {
        bool given;
        const char *flag;
    } predicted[] = {{flags->cold, "--cold"}, {flags->stalls, "--stalls"}, {flags->roofline != NULL, "--roofline"}};
    for (size_t i = 0; i < sizeof predicted / sizeof *predicted; i++)
        if (predicted[i].given) {
            KILN_TRY(kiln_flag_wants_simulator(predicted[i].flag, device));
            KILN_TRY(kiln_flag_wants_prediction(predicted[i].flag));
        }
    if (flags->cold && kiln_flag_given("--sim-caches"))
        return kiln_status_make(KILN_STATUS_USAGE, "--cold is --sim-caches=cold: leave one out");
    const char *stalls = kiln_environment("KILN_SIM_STALLS");
    if (flags->stalls && stalls && strcmp(stalls, "1") != 0)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--stalls has nothing to show with --sim-stalls=0 (KILN_SIM_STALLS)");
    return flags->expected_count ? kiln_flag_wants_execution("--expect") : KILN_OK;
}

static kiln_status_t bench(kiln_jit_t *jit, kiln_device_t *device, kiln_arguments_t *arguments,
                           const kiln_jit_call_t *call, void *user)
{
    const bench_flags_t *flags = user;
    double error;
    kiln_jit_kernel_t *kernel;
    kiln_cost_t cost = {.struct_size = sizeof cost};
    kiln_sim_prediction_t prediction = {.struct_size = sizeof prediction};
    bench_t request = {.call = *call};
    KILN_TRY(wants_nothing_idle(flags, device));
    KILN_TRY(kiln_jit_prepare(jit, call, &kernel, NULL));
    KILN_TRY(kiln_arguments_check_types(arguments, kiln_jit_kernel_manifest(kernel)));
    request.kernel = kernel;
    KILN_TRY(kiln_cost_of_launch(device, call->stream, launch, &request, &cost));
    KILN_TRY(kiln_device_checked(device));
    for (size_t i = 0; i < flags->expected_count; i++)
        KILN_TRY(kiln_arguments_expect(arguments, flags->expected[i], &error));
    const bool predicted = cost.kind == KILN_COST_PREDICTED_NANOSECONDS;
    if (predicted || flags->roofline || flags->stalls)
        KILN_TRY(kiln_device_launch_prediction(device, &prediction));
    if (flags->json)
        KILN_TRY(print_json(kernel, device, &cost, predicted ? &prediction : NULL, flags->stalls));
    else
        print_text(kernel, device, &cost, predicted ? &prediction : NULL);
    if (flags->stalls && !flags->json)
        KILN_TRY(kiln_stalls_print(device));
    return flags->roofline ? kiln_roofline_write(&prediction, kiln_jit_kernel_name(kernel), kiln_device_key(device),
                                                 flags->roofline)
                           : KILN_OK;
}

static bool take_flag(bench_flags_t *flags, int flag, char *value)
{
    flags->cold |= flag == KILN_FLAG_bench_COLD;
    flags->stalls |= flag == KILN_FLAG_bench_STALLS;
    flags->json |= flag == KILN_FLAG_bench_JSON;
    if (flag == KILN_FLAG_bench_ROOFLINE)
        flags->roofline = value;
    if (flag == KILN_FLAG_bench_EXPECT) {
        if (flags->expected_count == MAX_EXPECTED)
            return false;
        flags->expected[flags->expected_count++] = value;
        return true;
    }
    bool taken = flag >= KILN_FLAG_bench_COLD && flag <= KILN_FLAG_bench_ROOFLINE;
    return taken || kiln_launch_flag_take(&flags->launch, flag, value);
}

int kiln_verb_bench(int argc, char **argv)
{
    kiln_words_t words;
    kiln_words_begin(&words, "bench");
    bench_flags_t flags = {0};
    for (int flag; (flag = kiln_words_next(&words, argc, argv)) != -1;) {
        if (flag == KILN_FLAG_HELP)
            return kiln_usage(stdout, "bench");
        if (!take_flag(&flags, flag, optarg))
            return kiln_words_refuse(&words, flag);
    }
    if (optind == argc)
        return kiln_usage(stderr, "bench");
    kiln_prediction_default(flags.cold);
    if (flags.stalls)
        kiln_flag_default("KILN_SIM_STALLS", "1");
    kiln_crash_remember(argc, argv, NULL, 0);
    return kiln_launch_call(&flags.launch, argv[optind], argv + optind + 1, (size_t)(argc - optind - 1), bench, &flags);
}
