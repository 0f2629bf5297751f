// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln run: compiles a kernel through the JIT, launches it once, and shows or saves its buffers.
//
// What is easily got wrong: with --device=interp there is no device and no JIT: settings are options of the
// compiler, which mean nothing here but are checked, or constexpr values.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "crash.h"
#include "kiln/interpret.h"
#include "launch_call.h"
#include "prediction.h"
#include "verbs.h"

enum { MAX_OUTPUTS = 64 };

typedef kiln_status_t (*output_fn)(const kiln_arguments_t *arguments, const char *text);

typedef struct run_flags {
    kiln_launch_flags_t launch;
    struct {
        output_fn show;
        const char *text;
    } outputs[MAX_OUTPUTS]; // --print and --save in their order
    size_t output_count;
    bool cycles;
} run_flags_t;

static kiln_status_t print(const kiln_arguments_t *arguments, const char *text)
{
    char *shown;
    KILN_TRY(kiln_arguments_show(arguments, text, &shown));
    fputs(shown, stdout);
    free(shown);
    return KILN_OK;
}

static kiln_status_t show_outputs(const run_flags_t *flags, const kiln_arguments_t *arguments)
{
    for (size_t i = 0; i < flags->output_count; i++)
        KILN_TRY(flags->outputs[i].show(arguments, flags->outputs[i].text));
    return KILN_OK;
}

static const char *const origin_names[] = {[KILN_JIT_FROM_MEMORY] = "found in memory",
                                           [KILN_JIT_FROM_DISK] = "found in the cache",
                                           [KILN_JIT_COMPILED] = "compiled"};

static kiln_status_t launch(kiln_jit_t *jit, kiln_device_t *device, kiln_arguments_t *arguments,
                            const kiln_jit_call_t *call, void *user)
{
    kiln_jit_kernel_t *kernel;
    kiln_jit_origin_t origin;
    KILN_TRY(kiln_jit_prepare(jit, call, &kernel, &origin));
    if (kiln_environment("KILN_LOG"))
        fprintf(stderr, "kiln: kernel %s %s, key %s\n", kiln_jit_kernel_name(kernel), origin_names[origin],
                kiln_jit_kernel_key(kernel));
    KILN_TRY(kiln_arguments_check_types(arguments, kiln_jit_kernel_manifest(kernel)));
    KILN_TRY(kiln_jit_launch(jit, call));
    KILN_TRY(kiln_stream_synchronize(device, call->stream));
    KILN_TRY(kiln_device_checked(device));
    const run_flags_t *flags = user;
    if (flags->cycles) {
        kiln_sim_prediction_t prediction = {.struct_size = sizeof prediction};
        KILN_TRY(kiln_device_launch_prediction(device, &prediction));
        kiln_prediction_print(&prediction);
    }
    return show_outputs(flags, arguments);
}

// The same without a device: the program is interpreted.
static int run_interpreted(const run_flags_t *flags, const char *path, char **words, size_t word_count)
{
    const kiln_launch_flags_t *launch = &flags->launch;
    kiln_setting_t defines[KILN_LAUNCH_MAX_SETTINGS];
    kiln_compile_options_t options;
    kiln_interp_launch_t settings;
    kiln_arguments_t *arguments = NULL;
    kiln_session_t *session = NULL;
    kiln_interp_t *interp = NULL;
    char *text = NULL;
    bool shown = false;
    kiln_source_t source = {.name = path};
    kiln_compile_options_initialize(&options);
    kiln_interp_launch_from_environment(&settings);
    kiln_status_t status = kiln_launch_stage_of(path, &source.stage);
    if (!status)
        status = kiln_file_read(path, &text, &source.length);
    if (!status)
        status = kiln_launch_arguments(launch, NULL, words, word_count, &arguments);
    if (!status)
        status = kiln_launch_set_options(launch, defines, &options);
    if (!status)
        status = kiln_session_create(&session);
    if (!status) {
        source.text = text;
        options.kernel = launch->kernel;
        kiln_session_set_diagnostic_handler(session, kiln_launch_diagnostic, &shown);
        status = kiln_interp_create(session, &source, &options, &interp);
    }
    if (!status && launch->grid)
        status = kiln_arguments_grid(arguments, launch->grid, settings.grid);
    if (!status)
        status = kiln_interpret_arguments(interp, arguments, &settings);
    if (!status)
        status = show_outputs(flags, arguments);
    kiln_interp_release(interp);
    kiln_session_release(session);
    kiln_arguments_release(arguments);
    free(text);
    return kiln_launch_report(status, shown);
}

static int usage(FILE *stream)
{
    fprintf(
        stream,
        "usage: kiln run FILE.tile.c [NAME=VALUE ...] [-D NAME=VALUE ...] [--grid X[,Y[,Z]]] [--print BUFFER] [--save "
        "BUFFER=FILE]\n"
        "\n"
        "Compiles the kernel, launches it once, and shows or saves buffers. FILE may also be .ttir or .ttgir.\n"
        "With --device=interp nothing is compiled: the program is interpreted tile by tile, and what is wrong with it\n"
        "(an access outside of all buffers, an undefined value) is told with source line, program and element.\n"
        "\n"
        "  n=1000  n=M*K  scale=0.5     a scalar argument: an integer expression or a real number\n"
        "  x=f32[1000]  a=f16[M,K]:random:7\n"
        "                               a buffer argument: element type, extents and contents; :zeros (default), "
        ":iota,\n"
        "                               :random[:SEED] (floats in [-1,1)), :fill:VALUE, or @FILE for a file's bytes\n"
        "  --print x, x[0:8], c[0:4,0:4]\n"
        "                               show elements of a buffer after the launch\n"
        "  --save x=FILE                write a buffer's bytes after the launch\n"
        "  --cycles                     show the launch's predicted time, on the simulator\n");
    kiln_launch_flags_print(stream);
    return stream == stdout ? 0 : 2;
}

static bool add_output(run_flags_t *flags, output_fn show, const char *text)
{
    if (flags->output_count == MAX_OUTPUTS)
        return false;
    flags->outputs[flags->output_count].show = show;
    flags->outputs[flags->output_count++].text = text;
    return true;
}

enum { FLAG_PRINT = 256, FLAG_SAVE, FLAG_CYCLES };

static bool take_flag(run_flags_t *flags, int flag, char *value)
{
    if (flag == FLAG_PRINT)
        return add_output(flags, print, value);
    if (flag == FLAG_SAVE)
        return add_output(flags, kiln_arguments_save, value);
    flags->cycles |= flag == FLAG_CYCLES;
    return flag == FLAG_CYCLES || kiln_launch_flag_take(&flags->launch, flag, value);
}

int kiln_verb_run(int argc, char **argv)
{
    static const struct option own[] = {{"print", required_argument, NULL, FLAG_PRINT},
                                        {"save", required_argument, NULL, FLAG_SAVE},
                                        {"cycles", no_argument, NULL, FLAG_CYCLES},
                                        {0}};
    struct option rows[KILN_FLAG_ROWS];
    kiln_launch_flags_merge(own, rows);
    run_flags_t flags = {0};
    optind = 0;
    for (int flag; (flag = getopt_long(argc, argv, KILN_LAUNCH_LETTERS, rows, NULL)) != -1;) {
        if (flag == 'h')
            return usage(stdout);
        if (!take_flag(&flags, flag, optarg))
            return kiln_flag_refuse(flag, argv, rows, usage);
    }
    if (optind == argc)
        return usage(stderr);
    if (flags.cycles || kiln_environment("KILN_SIM_TIMELINE"))
        kiln_prediction_default(false);
    kiln_crash_remember(argc, argv, NULL, 0);
    const char *path = argv[optind];
    char **words = argv + optind + 1;
    size_t word_count = (size_t)(argc - optind - 1);
    return kiln_wants_interp() ? run_interpreted(&flags, path, words, word_count)
                               : kiln_launch_call(&flags.launch, path, words, word_count, launch, &flags);
}
