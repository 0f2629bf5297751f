// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln run: compiles a kernel through the JIT, launches it once, and prints or saves its buffers.
//
// With --device=interp there is neither device nor JIT: settings are constexpr values or compile
// options, and the latter are checked but have no effect.
#include <stdlib.h>
#include <string.h>

#include "base/string.h"
#include "cli/input.h"
#include "cli/launch/call.h"
#include "cli/launch/complete.h"
#include "cli/launch/grid.h"
#include "cli/option_flags.h"
#include "cli/pages.h"
#include "cli/prediction/prediction.h"
#include "cli/verbs.h"
#include "kiln/interpret.h"

enum { MAX_OUTPUTS = 64 };

typedef kiln_status_t (*output_fn)(const kiln_arguments_t *arguments, const char *text);

typedef struct run_flags {
    kiln_launch_flags_t launch;
    struct {
        output_fn show;
        const char *text;
    } outputs[MAX_OUTPUTS]; // --print, --save and --expect in order
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

static kiln_status_t expect(const kiln_arguments_t *arguments, const char *text)
{
    double error;
    KILN_TRY(kiln_arguments_expect(arguments, text, &error));
    printf("%.*s matches, error %.1e\n", (int)strcspn(text, "="), text, error);
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

static kiln_status_t launch_one(kiln_jit_t *jit, kiln_device_t *device, kiln_arguments_t *arguments,
                                const kiln_jit_call_t *call, const char *grid,
                                const run_flags_t *flags)
{
    kiln_jit_kernel_t *kernel;
    kiln_jit_origin_t origin;
    KILN_TRY(kiln_jit_prepare(jit, call, &kernel, &origin));
    if (kiln_environment("KILN_LOG"))
        fprintf(stderr, "kiln: kernel %s %s, key %s\n", kiln_jit_kernel_name(kernel),
                origin_names[origin], kiln_jit_kernel_key(kernel));
    kiln_jit_call_t complete = *call;
    KILN_TRY(kiln_launch_complete_grid(arguments, grid, kernel, &complete));
    if (complete.uses_declared_grid) {
        unsigned extents[3];
        KILN_TRY(kiln_jit_kernel_grid(kernel, &complete, extents));
        kiln_launch_report_empty(extents);
    }
    KILN_TRY(kiln_jit_launch(jit, &complete));
    KILN_TRY(kiln_stream_synchronize(device, call->stream));
    KILN_TRY(kiln_device_checked(device));
    if (flags->cycles) {
        kiln_sim_prediction_t prediction = {.struct_size = sizeof prediction};
        KILN_TRY(kiln_device_launch_prediction(device, &prediction));
        if (flags->launch.then_count)
            printf("kernel %s\n", kiln_jit_kernel_name(kernel));
        kiln_prediction_print(&prediction, device);
    }
    return KILN_OK;
}

static kiln_status_t launch(kiln_jit_t *jit, kiln_device_t *device, kiln_arguments_t *arguments,
                            const kiln_jit_call_t *calls, size_t call_count,
                            const char *const *grids, void *user)
{
    const run_flags_t *flags = user;
    if (flags->cycles)
        KILN_TRY(kiln_flag_requires_simulator("--cycles", device));
    for (size_t i = 0; i < call_count; i++)
        KILN_TRY(launch_one(jit, device, arguments, &calls[i], grids[i], flags));
    return show_outputs(flags, arguments);
}

enum { MAX_ARGUMENTS = 256, MAX_NAMES = KILN_LAUNCH_MAX_SETTINGS + 256 };

// The types of `auto` parameters, as the JIT would provide them.
static void offer_types(const kiln_arguments_t *arguments, kiln_arg_hint_t hints[MAX_ARGUMENTS],
                        kiln_compile_options_t *options)
{
    size_t count;
    const kiln_jit_argument_t *values = kiln_arguments_values(arguments, &count);
    for (size_t i = 0; i < count && i < MAX_ARGUMENTS; i++)
        hints[options->arg_count++] = kiln_jit_argument_hint(&values[i]);
    options->args = hints;
}

// The names allowed in a grid: the kernel's constants, including those from -D, and its parameters,
// whose types sizes of buffers count.
static kiln_status_t define_names(kiln_arguments_t *arguments, const kiln_launch_flags_t *launch,
                                  const kiln_interp_t *interp, kiln_setting_t names[MAX_NAMES])
{
    size_t count = launch->setting_count;
    memcpy(names, launch->settings, count * sizeof *names);
    for (kiln_setting_t one;
         count < MAX_NAMES &&
         (one = kiln_interp_constant(interp, count - launch->setting_count)).name;)
        names[count++] = one;
    kiln_arguments_define(arguments, names, count);
    for (size_t i = 0; i < kiln_interp_argument_count(interp); i++) {
        const kiln_argument_t *argument = kiln_interp_argument(interp, i);
        KILN_TRY(kiln_arguments_set_type(arguments, argument->name, argument->type));
    }
    return KILN_OK;
}

// Interprets the program without a device.
static int run_interpreted(const run_flags_t *flags, const char *path, char **words,
                           size_t word_count)
{
    const kiln_launch_flags_t *launch = &flags->launch;
    kiln_setting_t defines[KILN_LAUNCH_MAX_SETTINGS], names[MAX_NAMES];
    kiln_arg_hint_t hints[MAX_ARGUMENTS];
    kiln_compile_options_t options;
    kiln_interp_launch_t settings;
    kiln_launch_words_t all = {0};
    kiln_arguments_t *arguments = NULL;
    kiln_session_t *session = NULL;
    kiln_interp_t *interp = NULL;
    char *text = NULL;
    bool shown = false;
    kiln_source_t source = {.name = path};
    kiln_compile_options_initialize(&options);
    kiln_status_t status = kiln_interp_launch_from_environment(&settings);
    if (!status && flags->cycles)
        status = kiln_status_make(KILN_STATUS_USAGE,
                                  "--cycles has no effect here: the program is interpreted");
    if (!status && launch->then_count)
        status = kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                  "the interpreter launches one kernel; run those of --then one "
                                  "after the other with --save, or on another device");
    if (!status)
        status = kiln_option_flags_refuse("the program is interpreted");
    if (!status)
        status = kiln_input_read_source(path, "", &text, &source);
    if (!status)
        status = kiln_launch_words_make(launch, &source, words, word_count, &all);
    if (!status)
        status = kiln_launch_arguments(launch, NULL, all.items, all.count, &arguments);
    if (!status)
        status = kiln_launch_set_options(launch, defines, &options);
    if (!status)
        status = kiln_session_create(&session);
    if (!status) {
        options.kernel = launch->kernel;
        if (source.stage == KILN_STAGE_TILE)
            offer_types(arguments, hints, &options);
        kiln_session_set_diagnostic_handler(session, kiln_launch_diagnostic, &shown);
        status = kiln_interp_create(session, &source, &options, &interp);
    }
    const char *grid = launch->grid ? launch->grid : kiln_interp_declared_grid(interp);
    if (!status && !grid)
        status = kiln_launch_require_grid(kiln_interp_name(interp),
                                          kiln_interp_reads_program_id(interp));
    if (!status && grid) {
        status = define_names(arguments, launch, interp, names);
        if (!status)
            status = kiln_arguments_grid(arguments, grid, settings.grid);
        if (!status)
            kiln_launch_report_empty(settings.grid);
    }
    if (!status)
        status = kiln_interpret_arguments(interp, arguments, &settings);
    if (!status)
        status = show_outputs(flags, arguments);
    kiln_interp_release(interp);
    kiln_session_release(session);
    kiln_arguments_release(arguments);
    kiln_launch_words_free(&all);
    free(text);
    return kiln_launch_report(status, shown);
}

static bool add_output(run_flags_t *flags, output_fn show, const char *text)
{
    if (flags->output_count == MAX_OUTPUTS)
        return false;
    flags->outputs[flags->output_count].show = show;
    flags->outputs[flags->output_count++].text = text;
    return true;
}

static bool take_flag(run_flags_t *flags, int flag, char *value)
{
    if (flag == KILN_FLAG_run_PRINT)
        return add_output(flags, print, value);
    if (flag == KILN_FLAG_run_SAVE)
        return add_output(flags, kiln_arguments_save, value);
    if (flag == KILN_FLAG_run_EXPECT)
        return add_output(flags, expect, value);
    if (flag == KILN_FLAG_run_THEN)
        return kiln_launch_then_take(&flags->launch, value);
    flags->cycles |= flag == KILN_FLAG_run_CYCLES;
    return flag == KILN_FLAG_run_CYCLES || kiln_launch_flag_take(&flags->launch, flag, value);
}

static kiln_status_t refuse_unused_flags(const run_flags_t *flags)
{
    static const struct {
        output_fn show;
        const char *flag;
    } names[] = {{print, "--print"}, {kiln_arguments_save, "--save"}, {expect, "--expect"}};
    if (kiln_uses_interp())
        return KILN_OK;
    for (size_t i = 0; i < flags->output_count; i++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            if (flags->outputs[i].show == names[n].show)
                KILN_TRY(kiln_flag_requires_execution(names[n].flag));
    if (kiln_flag_given("--sim-stalls"))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--sim-stalls has no effect here: use kiln bench --stalls");
    return flags->cycles ? kiln_flag_requires_prediction("--cycles") : KILN_OK;
}

// `all` includes the check `alias` if arguments share a buffer (=&): accesses through two arguments
// to bytes that one of them stores to are undefined.
static void check_aliases(char **words, size_t count)
{
    static char *checks; // the flags point to it until the command exits
    const char *given = kiln_environment("KILN_SIM_CHECK");
    if (!given ||
        !(strcmp(given, "all") == 0 || strncmp(given, "all,", 4) == 0 || strstr(given, ",all")))
        return;
    for (size_t i = 0; i < count && !checks; i++)
        if (strstr(words[i], "=&") && (checks = kiln_string_print("%s,alias", given)))
            kiln_flag_override("KILN_SIM_CHECK", checks);
}

int kiln_verb_run(int argc, char **argv)
{
    kiln_words_t words;
    kiln_words_begin(&words, "run");
    run_flags_t flags = {0};
    for (int flag; (flag = kiln_words_next(&words, argc, argv)) != -1;) {
        if (flag == KILN_FLAG_HELP)
            return kiln_usage(stdout, "run");
        if (!take_flag(&flags, flag, optarg))
            return kiln_words_refuse(&words, flag);
    }
    if (optind == argc)
        return kiln_usage(stderr, "run");
    if (flags.cycles || kiln_environment("KILN_SIM_TIMELINE"))
        kiln_prediction_default(false);
    kiln_status_t idle = refuse_unused_flags(&flags);
    if (idle)
        return kiln_cli_report(idle);
    const char *path = argv[optind];
    char **arguments = argv + optind + 1;
    size_t argument_count = (size_t)(argc - optind - 1);
    check_aliases(arguments, argument_count);
    return kiln_uses_interp()
               ? run_interpreted(&flags, path, arguments, argument_count)
               : kiln_launch_call(&flags.launch, path, arguments, argument_count, launch, &flags);
}
