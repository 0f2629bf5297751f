// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln run: compiles a kernel through the JIT, launches it once, and shows or saves its buffers.
//
// What is easily got wrong: the grid is computed after settings are known, for it may use constexpr values that the
// tuner chose.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/string.h"
#include "crash.h"
#include "device_flags.h"
#include "dump.h"
#include "kiln/jit_compile.h"
#include "run_arguments.h"
#include "run_interp.h"
#include "tuned_store.h"
#include "verbs.h"

enum { MAX_SETTINGS = 64, MAX_OUTPUTS = 64 };

typedef struct run_flags {
    kiln_jit_setting_t settings[MAX_SETTINGS];
    size_t setting_count;
    const char *grid, *kernel;
    struct {
        kiln_status_t (*show)(kiln_run_arguments_t *arguments, const char *text);
        const char *text;
    } outputs[MAX_OUTPUTS]; // --print and --save in their order
    size_t output_count;
} run_flags_t;

// `user` is a bool that tells later whether an error has been shown.
static void print_diagnostic(const kiln_diagnostic_t *diagnostic, void *user)
{
    bool *shown = user;
    if (diagnostic->severity == KILN_SEVERITY_REMARK)
        return;
    kiln_diagnostic_print(diagnostic, stderr);
    *shown |= diagnostic->severity == KILN_SEVERITY_ERROR;
}

static void print_log(const char *message, void *user)
{
    (void)user;
    fprintf(stderr, "kiln: %s\n", message);
}

static kiln_status_t language_of(const char *path, kiln_jit_language_t *out_language)
{
    static const struct {
        const char *suffix;
        kiln_jit_language_t language;
    } rows[] = {{".c", KILN_JIT_TILE}, {".ttir", KILN_JIT_TT}, {".ttgir", KILN_JIT_TTG}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (kiln_string_ends_with(path, rows[i].suffix)) {
            *out_language = rows[i].language;
            return KILN_OK;
        }
    return kiln_status_make(KILN_STATUS_USAGE, "'%s' is no .tile.c, .ttir or .ttgir file", path);
}

typedef struct grid_request {
    const char *text;
    kiln_run_arguments_t *arguments;
} grid_request_t;

static kiln_status_t evaluate_grid(const kiln_jit_setting_t *settings, size_t setting_count, unsigned out_grid[3],
                                   void *user)
{
    grid_request_t *request = user;
    request->arguments->defines = settings;
    request->arguments->define_count = setting_count;
    return kiln_run_grid(request->arguments, request->text, out_grid);
}

static kiln_status_t make_jit(kiln_device_t *device, kiln_jit_compiler_t *compiler, kiln_tune_store_t *tuned,
                              kiln_jit_t **out_jit)
{
    kiln_jit_options_t options;
    kiln_jit_options_initialize(&options);
    options.compile = kiln_jit_compile;
    options.compile_user = compiler;
    options.build_id = kiln_build_id();
    options.tune = tuned ? kiln_tune_lookup : NULL;
    options.tune_user = tuned;
    const char *mode = kiln_environment("KILN_CACHE_MODE");
    if (mode)
        KILN_TRY(kiln_cache_mode_parse(mode, &options.cache_mode));
    if (compiler->base->dump)
        options.cache_mode = KILN_CACHE_OFF; // a kernel from the cache has nothing to dump
    char *directory = kiln_cache_directory();
    options.cache_directory = directory;
    if (kiln_environment("KILN_LOG"))
        options.log = print_log;
    kiln_status_t status = kiln_jit_create(device, &options, out_jit);
    free(directory);
    return status;
}

static const char *const origin_names[] = {[KILN_JIT_FROM_MEMORY] = "found in memory",
                                           [KILN_JIT_FROM_DISK] = "found in the cache",
                                           [KILN_JIT_COMPILED] = "compiled"};

static kiln_status_t launch(kiln_jit_t *jit, kiln_run_arguments_t *arguments, const kiln_jit_call_t *call)
{
    kiln_jit_kernel_t *kernel;
    kiln_jit_origin_t origin;
    KILN_TRY(kiln_jit_prepare(jit, call, &kernel, &origin));
    if (kiln_environment("KILN_LOG"))
        fprintf(stderr, "kiln: kernel %s %s, key %s\n", kiln_jit_kernel_name(kernel), origin_names[origin],
                kiln_jit_kernel_key(kernel));
    KILN_TRY(kiln_run_check_types(arguments, kiln_jit_kernel_manifest(kernel)));
    KILN_TRY(kiln_jit_launch(jit, call));
    KILN_TRY(kiln_stream_synchronize(arguments->device, call->stream));
    return kiln_device_checked(arguments->device);
}

// Returns the exit code; failures have been shown.
static int run_on(kiln_device_t *device, const run_flags_t *flags, const char *path, char **words, size_t word_count)
{
    kiln_run_arguments_t arguments = {
        .device = device, .defines = flags->settings, .define_count = flags->setting_count};
    kiln_compile_options_t base;
    kiln_compile_options_initialize(&base);
    kiln_dump_from_environment(&base);
    bool shown = false;
    kiln_jit_compiler_t compiler = {
        .struct_size = sizeof compiler, .diagnostic = print_diagnostic, .diagnostic_user = &shown, .base = &base};
    grid_request_t grid = {.text = flags->grid, .arguments = &arguments};
    kiln_jit_t *jit = NULL;
    kiln_tune_store_t *tuned = NULL;
    char *source = NULL, *tuning_arguments = NULL;
    kiln_jit_call_t call;
    kiln_jit_call_initialize(&call);
    kiln_status_t status = language_of(path, &call.language);
    if (!status)
        status = kiln_file_read(path, &source, &call.source_length);
    for (size_t i = 0; i < word_count && !status; i++)
        status = kiln_run_argument_add(&arguments, words[i]);
    if (!status)
        status = kiln_run_open_tuned(&tuned);
    if (!status)
        status = make_jit(device, &compiler, tuned, &jit);
    if (!status) {
        tuning_arguments = kiln_run_tuning_arguments(&arguments);
        call.tuning_arguments = tuning_arguments;
        call.source_name = path;
        call.source = source;
        call.kernel = flags->kernel;
        call.settings = flags->settings;
        call.setting_count = flags->setting_count;
        call.arguments = arguments.arguments;
        call.argument_count = arguments.count;
        call.grid_of = flags->grid ? evaluate_grid : NULL;
        call.grid_user = &grid;
        status = launch(jit, &arguments, &call);
    }
    for (size_t i = 0; i < flags->output_count && !status; i++)
        status = flags->outputs[i].show(&arguments, flags->outputs[i].text);
    kiln_jit_release(jit);
    kiln_tune_store_release(tuned);
    kiln_run_arguments_free(&arguments);
    free(tuning_arguments);
    free(source);
    if (!shown)
        return kiln_cli_report(status);
    int code = kiln_exit_code(kiln_status_code(status)); // the compiler's errors say it all
    kiln_status_free(status);
    return code;
}

static const kiln_stage_t stages[] = {
    [KILN_JIT_TILE] = KILN_STAGE_TILE, [KILN_JIT_TT] = KILN_STAGE_TT, [KILN_JIT_TTG] = KILN_STAGE_TTG};

// The same without a device: the program is interpreted.
static int run_interpreted(const run_flags_t *flags, const char *path, char **words, size_t word_count)
{
    kiln_run_arguments_t arguments = {.defines = flags->settings, .define_count = flags->setting_count};
    grid_request_t grid = {.text = flags->grid, .arguments = &arguments};
    bool shown = false;
    kiln_interp_call_t call = {.kernel = flags->kernel,
                               .settings = flags->settings,
                               .setting_count = flags->setting_count,
                               .grid_of = flags->grid ? evaluate_grid : NULL,
                               .grid_user = &grid,
                               .diagnostic = print_diagnostic,
                               .diagnostic_user = &shown};
    kiln_jit_language_t language = KILN_JIT_TILE;
    char *source = NULL;
    kiln_status_t status = language_of(path, &language);
    if (!status)
        status = kiln_file_read(path, &source, &call.source.length);
    for (size_t i = 0; i < word_count && !status; i++)
        status = kiln_run_argument_add(&arguments, words[i]);
    if (!status) {
        call.source.stage = stages[language];
        call.source.name = path;
        call.source.text = source;
        status = kiln_run_interpret(&arguments, &call);
    }
    for (size_t i = 0; i < flags->output_count && !status; i++)
        status = flags->outputs[i].show(&arguments, flags->outputs[i].text);
    kiln_run_arguments_free(&arguments);
    free(source);
    if (!shown)
        return kiln_cli_report(status);
    int code = kiln_exit_code(kiln_status_code(status));
    kiln_status_free(status);
    return code;
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
        "  -D NAME=VALUE                a constexpr parameter\n"
        "  --grid X,Y,Z                 workgroups; expressions over the scalars and the -D values with + - * / %% ( "
        "),\n"
        "                               cdiv(a,b), min(a,b) and max(a,b); 1 by default\n"
        "  --kernel NAME                which kernel of the file\n"
        "  --num-warps, --num-stages, --waves-per-eu, --matrix-instr-nonkdim, --kpack N\n"
        "                               compile options\n"
        "  --print x, x[0:8], c[0:4,0:4]\n"
        "                               show elements of a buffer after the launch\n"
        "  --save x=FILE                write a buffer's bytes after the launch\n");
    kiln_flags_print(stream);
    return stream == stdout ? 0 : 2;
}

static bool add_setting(run_flags_t *flags, const char *name, const char *value)
{
    if (flags->setting_count == MAX_SETTINGS)
        return false;
    flags->settings[flags->setting_count++] = (kiln_jit_setting_t){name, value};
    return true;
}

// -D NAME=VALUE; cuts the word at its '='. NAME alone is NAME=1.
static bool add_define(run_flags_t *flags, char *word)
{
    char *equals = strchr(word, '=');
    if (equals)
        *equals = '\0';
    return *word && add_setting(flags, word, equals ? equals + 1 : "1");
}

static bool add_output(run_flags_t *flags, kiln_status_t (*show)(kiln_run_arguments_t *, const char *),
                       const char *text)
{
    if (flags->output_count == MAX_OUTPUTS)
        return false;
    flags->outputs[flags->output_count].show = show;
    flags->outputs[flags->output_count++].text = text;
    return true;
}

enum { FLAG_GRID = 256, FLAG_KERNEL, FLAG_PRINT, FLAG_SAVE, FLAG_OPTION };
static const char *const option_names[] = {"num_warps", "num_stages", "waves_per_eu", "matrix_instr_nonkdim", "kpack"};

static bool take_flag(run_flags_t *flags, int flag, char *value)
{
    switch (flag) {
    case 'D':
        return add_define(flags, value);
    case FLAG_GRID:
        flags->grid = value;
        return true;
    case FLAG_KERNEL:
        flags->kernel = value;
        return true;
    case FLAG_PRINT:
        return add_output(flags, kiln_run_print, value);
    case FLAG_SAVE:
        return add_output(flags, kiln_run_save, value);
    default:
        if (flag >= FLAG_OPTION && flag < KILN_FLAG_FIRST_SHARED)
            return add_setting(flags, option_names[flag - FLAG_OPTION], value);
        return kiln_flag_take(flag, value);
    }
}

int kiln_verb_run(int argc, char **argv)
{
    static const struct option own[] = {{"grid", required_argument, NULL, FLAG_GRID},
                                        {"kernel", required_argument, NULL, FLAG_KERNEL},
                                        {"print", required_argument, NULL, FLAG_PRINT},
                                        {"save", required_argument, NULL, FLAG_SAVE},
                                        {"num-warps", required_argument, NULL, FLAG_OPTION},
                                        {"num-stages", required_argument, NULL, FLAG_OPTION + 1},
                                        {"waves-per-eu", required_argument, NULL, FLAG_OPTION + 2},
                                        {"matrix-instr-nonkdim", required_argument, NULL, FLAG_OPTION + 3},
                                        {"kpack", required_argument, NULL, FLAG_OPTION + 4},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
    struct option rows[KILN_FLAG_ROWS];
    kiln_flags_merge(own, rows);
    run_flags_t flags = {0};
    optind = 0;
    for (int flag; (flag = getopt_long(argc, argv, "hD:", rows, NULL)) != -1;) {
        if (flag == 'h')
            return usage(stdout);
        if (!take_flag(&flags, flag, optarg))
            return usage(stderr);
    }
    if (optind == argc)
        return usage(stderr);
    kiln_crash_remember(argc, argv, NULL, 0);
    if (kiln_wants_interp())
        return run_interpreted(&flags, argv[optind], argv + optind + 1, (size_t)(argc - optind - 1));
    kiln_device_t *device;
    kiln_status_t status = kiln_device_from_environment(&device);
    if (status)
        return kiln_cli_report(status);
    int code = run_on(device, &flags, argv[optind], argv + optind + 1, (size_t)(argc - optind - 1));
    kiln_device_release(device);
    return code;
}
