// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln bench: what one launch of a kernel costs, for the very call that `kiln run` would make, tuned settings included.
//
// What is easily got wrong: on a GPU the kernel is launched many times over the same buffers, so what it leaves in them
// means nothing; on the simulator nothing is measured, and the table says whether a cost is predicted or estimated.
#include <stdlib.h>

#include "crash.h"
#include "kiln/tune.h"
#include "launch_call.h"
#include "prediction.h"
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

static kiln_status_t bench(kiln_jit_t *jit, kiln_device_t *device, kiln_arguments_t *arguments,
                           const kiln_jit_call_t *call, void *user)
{
    (void)user;
    kiln_jit_kernel_t *kernel;
    kiln_cost_t cost = {.struct_size = sizeof cost};
    bench_t request = {.call = *call};
    KILN_TRY(kiln_jit_prepare(jit, call, &kernel, NULL));
    KILN_TRY(kiln_arguments_check_types(arguments, kiln_jit_kernel_manifest(kernel)));
    request.kernel = kernel;
    KILN_TRY(kiln_cost_of_launch(device, call->stream, launch, &request, &cost));
    KILN_TRY(kiln_device_checked(device));
    printf("kernel %s on %s\n", kiln_jit_kernel_name(kernel), kiln_device_key(device));
    if (cost.kind == KILN_COST_PREDICTED_NANOSECONDS)
        KILN_TRY(kiln_prediction_print(device));
    else
        printf("  %-24s %12.0f\n", kiln_cost_kind_name(cost.kind), cost.value);
    if (cost.bound)
        printf("  %-24s %12s\n", "bound by", cost.bound);
    print_settings(kernel);
    return KILN_OK;
}

static int usage(FILE *stream)
{
    fprintf(
        stream,
        "usage: kiln bench FILE.tile.c [NAME=VALUE ...] [-D NAME=VALUE ...] [--grid X[,Y[,Z]]]\n"
        "\n"
        "Makes the call that `kiln run` would make with these words, and shows what the launch costs. FILE may also "
        "be\n"
        ".ttir or .ttgir. On a GPU: the median of 20 launches, timed one by one after 3 others. On the simulator: the\n"
        "predicted time of a launch behind others of the same kind; with --sim-clock=only of sizes that nobody can\n"
        "execute; with --sim-clock=bounds an estimate in cycles, the largest of the bounds of the units.\n"
        "\n"
        "  --cold                       predict a launch that finds none of its data in the caches\n"
        "  n=1000  x=f32[n]:random:7    arguments, as for kiln run\n");
    kiln_launch_flags_print(stream);
    return stream == stdout ? 0 : 2;
}

int kiln_verb_bench(int argc, char **argv)
{
    enum { FLAG_COLD = 256 };
    static const struct option own[] = {{"cold", no_argument, NULL, FLAG_COLD}, {0}};
    struct option rows[KILN_FLAG_ROWS];
    kiln_launch_flags_merge(own, rows);
    kiln_launch_flags_t flags = {0};
    bool cold = false;
    optind = 0;
    for (int flag; (flag = getopt_long(argc, argv, KILN_LAUNCH_LETTERS, rows, NULL)) != -1;) {
        if (flag == 'h')
            return usage(stdout);
        if (flag == FLAG_COLD) {
            cold = true;
        } else if (!kiln_launch_flag_take(&flags, flag, optarg)) {
            kiln_flag_refuse(flag, argv);
            return usage(stderr);
        }
    }
    if (optind == argc)
        return usage(stderr);
    kiln_prediction_default(cold);
    kiln_crash_remember(argc, argv, NULL, 0);
    return kiln_launch_call(&flags, argv[optind], argv + optind + 1, (size_t)(argc - optind - 1), bench, NULL);
}
