// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln case: runs test cases and compares every buffer with its expected contents.
//
// compile_ms measures the whole compilation from TTIR text to code object, so each case creates its
// own session inside the timed part, and nothing is reused.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/gfx942.h"
#include "base/parallel.h"
#include "base/string.h"
#include "cli/device_flags.h"
#include "cli/dump.h"
#include "cli/input.h"
#include "cli/option_flags.h"
#include "cli/pages.h"
#include "cli/prediction/prediction.h"
#include "cli/reproducer.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "kiln/case.h"
#include "kiln/compare.h"
#include "kiln/interpret.h"
#include "kiln/kiln.h"

enum { MAX_DISABLED = 32, MAX_OVERRIDES = 32, TRITON_WARPS = 4 };

typedef struct case_flags {
    const char *object; // the code object's file name in each directory; NULL: compile
    bool cycles;
    long jobs;
    // Override a case's own options; a value may be "*2" or "/2" of the case's.
    struct {
        const kiln_option_t *option;
        const char *value;
    } overrides[MAX_OVERRIDES];
    size_t override_count;
    const char *disabled[MAX_DISABLED];
    size_t disabled_count;
} case_flags_t;

typedef struct case_result {
    kiln_status_t status;
    char *name;
    double compile_ms, error;
    uint64_t cycles; // 0: unknown
    bool done;
} case_result_t;

// All cases of one run. Workers take the next directory; lines are printed in the order of the
// directories.
typedef struct case_batch {
    const case_flags_t *flags;
    kiln_device_t *device; // NULL: the interpreter
    char **directories;
    size_t count;
    pthread_mutex_t lock; // protects the following members
    size_t next, printed, passed;
    case_result_t *results;
} case_batch_t;

static void print_diagnostic(const kiln_diagnostic_t *diagnostic, void *user)
{
    (void)user;
    if (diagnostic->severity == KILN_SEVERITY_REMARK && !diagnostic->flag)
        return; // one for each case would hide the failures
    flockfile(stderr);
    kiln_cli_print_diagnostic(diagnostic, stderr);
    funlockfile(stderr);
}

// The code object, compiled or read.
typedef struct case_code {
    char *bytes;
    size_t size;
    char *symbol;
    unsigned block_size;
} case_code_t;

static kiln_status_t set_number(kiln_compile_options_t *options, const kiln_option_t *option,
                                long value)
{
    char text[24];
    snprintf(text, sizeof text, "%ld", value);
    return kiln_compile_option_set(options, option, text);
}

// Multiplies or divides the case's value of an option ("*2", "/2"), within the option's limits.
static kiln_status_t scale(kiln_compile_options_t *options, const kiln_option_t *option,
                           const char *flag)
{
    enum { MAX_FACTOR = 1024 };
    char *end;
    long factor = strtol(flag + 1, &end, 10), own = kiln_compile_option_get(options, option);
    if (end == flag + 1 || *end || factor < 1 || factor > MAX_FACTOR)
        return kiln_status_make(KILN_STATUS_USAGE, "%s: expected *N or /N, got '%s'", option->name,
                                flag);
    kiln_status_t status;
    for (long value = *flag == '*' ? own * factor : own / factor;
         (status = set_number(options, option, value)) && value != own;
         value += value > own ? -1 : 1)
        kiln_status_free(status);
    return status;
}

static kiln_status_t override_options(const case_flags_t *flags, kiln_compile_options_t *options)
{
    for (size_t i = 0; i < flags->override_count; i++) {
        const kiln_option_t *option = flags->overrides[i].option;
        const char *value = flags->overrides[i].value;
        KILN_TRY(*value == '*' || *value == '/' ? scale(options, option, value)
                                                : kiln_compile_option_set(options, option, value));
    }
    options->disabled_passes = flags->disabled;
    options->disabled_pass_count = flags->disabled_count;
    return KILN_OK;
}

static kiln_status_t own_options(const kiln_case_t *test_case, kiln_compile_options_t *options)
{
    kiln_setting_t none[1]; // all of a case's settings are options
    kiln_compile_options_initialize(options);
    return kiln_compile_options_apply(options, test_case->settings, test_case->setting_count, none);
}

static kiln_status_t case_options(const case_flags_t *flags, const kiln_case_t *test_case,
                                  kiln_compile_options_t *options)
{
    KILN_TRY(own_options(test_case, options));
    options->kernel = test_case->entry;
    KILN_TRY(kiln_source_flags_set(options));
    kiln_dump_from_environment(options);
    return override_options(flags, options);
}

static kiln_status_t compile_source(const case_flags_t *flags, const kiln_case_t *test_case,
                                    const kiln_source_t *source, double *out_ms, case_code_t *out)
{
    kiln_session_t *session = NULL;
    kiln_kernel_t *kernel = NULL;
    kiln_compile_options_t options;
    KILN_TRY(case_options(flags, test_case, &options));

    double start = kiln_now_ms();
    kiln_status_t status = kiln_session_create(&session);
    if (!status) {
        kiln_session_set_diagnostic_handler(session, print_diagnostic, NULL);
        status = kiln_compile(session, source, &options, &kernel);
    }
    *out_ms = kiln_now_ms() - start;
    if (!status) {
        size_t size;
        const void *bytes = kiln_kernel_code_object(kernel, &size);
        out->bytes = malloc(size);
        out->symbol = strdup(kiln_kernel_name(kernel));
        out->size = size;
        out->block_size = kiln_kernel_block_size(kernel);
        if (out->bytes && out->symbol)
            memcpy(out->bytes, bytes, size);
        else
            status = kiln_status_out_of_memory();
    }
    kiln_kernel_release(kernel);
    kiln_session_release(session);
    return status;
}

// Reads a case's kernel.ttir; the source borrows path and text, which the caller frees.
static kiln_status_t read_source(const kiln_case_t *test_case, char **out_path, char **out_text,
                                 kiln_source_t *out_source)
{
    size_t length;
    if (!(*out_path = kiln_path_join(test_case->directory, "kernel.ttir")))
        return kiln_status_out_of_memory();
    KILN_TRY(kiln_file_read(*out_path, out_text, &length));
    kiln_reproducer_set_input(*out_text, length);
    *out_source = (kiln_source_t){
        .stage = KILN_STAGE_TT, .name = *out_path, .text = *out_text, .length = length};
    return KILN_OK;
}

static kiln_status_t compile_case(const case_flags_t *flags, const kiln_case_t *test_case,
                                  double *out_ms, case_code_t *out)
{
    char *path = NULL, *text = NULL;
    kiln_source_t source;
    kiln_status_t status = read_source(test_case, &path, &text, &source);
    if (!status)
        status = compile_source(flags, test_case, &source, out_ms, out);
    free(text);
    free(path);
    return status;
}

static kiln_status_t load_object(const kiln_case_t *test_case, const char *name, case_code_t *out)
{
    kiln_compile_options_t options;
    KILN_TRY(own_options(test_case, &options));
    char *path = kiln_path_join(test_case->directory, name);
    out->symbol = strdup(test_case->entry);
    out->block_size =
        KILN_GFX942_LANES * (unsigned)(options.num_warps ? options.num_warps : TRITON_WARPS);
    kiln_input_t input = {0};
    kiln_status_t status = path && out->symbol ? kiln_input_read(path, KILN_INPUT_OBJECT, &input)
                                               : kiln_status_out_of_memory();
    out->bytes = input.bytes;
    out->size = input.size;
    free(path);
    return status;
}

static kiln_status_t compare_buffer(const kiln_case_argument_t *argument, const void *actual,
                                    double *io_error)
{
    if (!argument->expected) {
        const char *input = argument->input, *bytes = actual;
        for (size_t i = 0; i < argument->size; i++)
            if (bytes[i] != input[i])
                return kiln_status_make(KILN_STATUS_MISMATCH,
                                        "buffer '%s' must stay unchanged, but byte %zu differs",
                                        argument->name, i);
        return KILN_OK;
    }
    double error;
    kiln_status_t status = kiln_compare(argument->type, actual, argument->expected,
                                        argument->size / kiln_element_size(argument->type), &error);
    if (error > *io_error)
        *io_error = error;
    if (!status)
        return KILN_OK;
    kiln_status_t named = kiln_status_make(KILN_STATUS_MISMATCH, "buffer '%s': %s", argument->name,
                                           kiln_status_message(status));
    kiln_status_free(status);
    return named;
}

// Compares the contents of each buffer after interpretation.
static kiln_status_t interpret_case(const case_flags_t *flags, const kiln_case_t *test_case,
                                    case_result_t *result)
{
    kiln_compile_options_t options;
    KILN_TRY(case_options(flags, test_case, &options));
    kiln_source_t source;
    kiln_session_t *session = NULL;
    kiln_interp_t *interp = NULL;
    kiln_interp_launch_t settings;
    KILN_TRY(kiln_interp_launch_from_environment(&settings));
    char *path = NULL, *text = NULL;
    void **actual = calloc(test_case->argument_count + 1, sizeof *actual);
    kiln_status_t status =
        actual ? read_source(test_case, &path, &text, &source) : kiln_status_out_of_memory();
    if (!status)
        status = kiln_session_create(&session);
    if (!status) {
        kiln_session_set_diagnostic_handler(session, print_diagnostic, NULL);
        status = kiln_interp_create(session, &source, &options, &interp);
    }
    if (!status)
        status = kiln_interpret_case(interp, test_case, &settings, actual);
    for (size_t i = 0; actual && i < test_case->argument_count; i++) {
        if (!status && test_case->arguments[i].is_pointer)
            status = compare_buffer(&test_case->arguments[i], actual[i], &result->error);
        free(actual[i]);
    }
    kiln_interp_release(interp);
    kiln_session_release(session);
    free(actual);
    free(text);
    free(path);
    return status;
}

// Reads the buffers back and compares them all; the first mismatch is the result.
static kiln_status_t check_buffers(const kiln_case_t *test_case, kiln_buffer_t *const *buffers,
                                   double *out_error)
{
    kiln_status_t failure = KILN_OK;
    *out_error = 0;
    for (size_t i = 0; i < test_case->argument_count && !failure; i++) {
        const kiln_case_argument_t *argument = &test_case->arguments[i];
        if (!argument->is_pointer)
            continue;
        char *actual = malloc(argument->size + 1);
        failure = actual ? kiln_buffer_read(buffers[i], 0, actual, argument->size)
                         : kiln_status_out_of_memory();
        if (!failure)
            failure = compare_buffer(argument, actual, out_error);
        free(actual);
    }
    return failure;
}

static kiln_status_t upload(kiln_device_t *device, const kiln_case_t *test_case,
                            kiln_buffer_t **buffers, uint64_t *values, void **args)
{
    for (size_t i = 0; i < test_case->argument_count; i++) {
        const kiln_case_argument_t *argument = &test_case->arguments[i];
        values[i] = argument->value;
        args[i] = &values[i];
        if (!argument->is_pointer)
            continue;
        KILN_TRY_NOTE(kiln_buffer_create(device, argument->size, &buffers[i]), "for buffer '%s'",
                      argument->name);
        KILN_TRY_NOTE(kiln_buffer_write(buffers[i], 0, argument->input, argument->size),
                      "for buffer '%s'", argument->name);
        values[i] = kiln_buffer_address(buffers[i]);
    }
    return KILN_OK;
}

// Dynamic LDS, as required by Triton's objects. Prints a note if the case exceeds gfx942's LDS and
// runs only on a simulator configured with more.
static uint32_t object_lds(const case_batch_t *batch, const kiln_case_t *test_case)
{
    const kiln_device_properties_t *device = kiln_device_properties(batch->device);
    const uint32_t bytes = test_case->triton_lds_bytes;
    if (device->kind == KILN_DEVICE_SIM && bytes > KILN_GFX942_LDS_BYTES &&
        bytes <= device->lds_bytes_per_group)
        fprintf(stderr,
                "kiln: note: case '%s' uses %u bytes of LDS, which the simulator allows "
                "(KILN_SIM_LDS); gfx942 has %d\n",
                test_case->name, bytes, KILN_GFX942_LDS_BYTES);
    return bytes;
}

// Cycles of the calling thread's last launch, independent of other jobs; 0: unknown, as on a GPU.
static uint64_t cycles_of_launch(kiln_device_t *device)
{
    const char *clock = kiln_environment("KILN_SIM_CLOCK");
    const bool bounds = clock && strcmp(clock, "bounds") == 0;
    kiln_sim_prediction_t prediction = {.struct_size = sizeof prediction};
    kiln_sim_launch_stats_t stats = {.struct_size = sizeof stats};
    kiln_status_t unknown = bounds ? kiln_device_launch_stats(device, &stats)
                                   : kiln_device_launch_prediction(device, &prediction);
    const uint64_t cycles = (uint64_t)((bounds ? stats.estimated_cycles : prediction.cycles) + 0.5);
    if (!unknown)
        return cycles;
    kiln_status_free(unknown);
    return 0;
}

static kiln_status_t launch(case_batch_t *batch, const kiln_case_t *test_case,
                            const case_code_t *code, void **args, case_result_t *result)
{
    kiln_module_t *module = NULL;
    kiln_function_t *function;
    kiln_launch_t config;
    kiln_launch_initialize(&config);
    memcpy(config.grid, test_case->grid, sizeof config.grid);
    config.block[0] = code->block_size;
    config.args = args;
    if (batch->flags->object)
        config.dynamic_lds_bytes = object_lds(batch, test_case);
    kiln_status_t status = kiln_module_load(batch->device, code->bytes, code->size, &module);
    if (!status)
        status = kiln_module_function(module, code->symbol, &function);
    if (!status)
        status = kiln_function_launch(function, &config);
    if (!status)
        status = kiln_stream_synchronize(batch->device, NULL);
    kiln_status_t found = kiln_device_checked(batch->device);
    if (found) {
        kiln_status_free(status); // a check's finding is closer to the cause
        status = found;
    }
    if (!status && batch->flags->cycles)
        result->cycles = cycles_of_launch(batch->device);
    kiln_module_release(module);
    return status;
}

static kiln_status_t run_code(case_batch_t *batch, const kiln_case_t *test_case,
                              const case_code_t *code, case_result_t *result)
{
    // Triton's code objects take two scratch pointers after the arguments, which may be null; other
    // objects ignore them.
    size_t count = test_case->argument_count;
    kiln_buffer_t **buffers = calloc(count + 1, sizeof *buffers);
    uint64_t *values = calloc(count + 2, sizeof *values);
    void **args = calloc(count + 2, sizeof *args);
    kiln_status_t status;
    if (!buffers || !values || !args) {
        status = kiln_status_out_of_memory();
        goto cleanup;
    }
    args[count] = &values[count];
    args[count + 1] = &values[count + 1];
    status = upload(batch->device, test_case, buffers, values, args);
    if (!status)
        status = launch(batch, test_case, code, args, result);
    if (!status)
        status = check_buffers(test_case, buffers, &result->error);
cleanup:
    for (size_t i = 0; buffers && i < count; i++)
        kiln_buffer_release(buffers[i]);
    free(buffers);
    free(values);
    free(args);
    return status;
}

static void run_case(case_batch_t *batch, const char *directory, case_result_t *result)
{
    kiln_case_t *test_case = NULL;
    case_code_t code = {0};
    kiln_status_t status = kiln_input_check_folder(directory);
    if (!status)
        status = kiln_case_read(directory, &test_case);
    bool interprets = !batch->device;
    if (!status && interprets)
        status = interpret_case(batch->flags, test_case, result);
    else if (!status)
        status = batch->flags->object
                     ? load_object(test_case, batch->flags->object, &code)
                     : compile_case(batch->flags, test_case, &result->compile_ms, &code);
    if (!status && !interprets)
        status = run_code(batch, test_case, &code, result);
    result->status = status;
    result->name = strdup(test_case ? test_case->name : directory);
    free(code.bytes);
    free(code.symbol);
    kiln_case_release(test_case);
}

// The failure on one line: place, message and notes.
static void print_reason(kiln_status_t status)
{
    char *formatted = kiln_status_format(status),
         *text = formatted ? kiln_cli_words(formatted) : NULL;
    free(formatted);
    size_t length = text ? strlen(text) : 0;
    while (length && text[length - 1] == '\n')
        text[--length] = '\0';
    for (char *c = text; c && *c; c++)
        if (*c == '\n')
            *c = ' ';
    printf("%s", text ? text : "out of memory");
    free(text);
}

static void print_result(const case_flags_t *flags, const case_result_t *result)
{
    if (result->status) {
        printf("FAIL %s ", result->name);
        print_reason(result->status);
        printf("\n");
        return;
    }
    printf("PASS %s compile_ms=%.1f", result->name, result->compile_ms);
    if (flags->cycles && result->cycles)
        printf(" cycles=%llu", (unsigned long long)result->cycles);
    else
        printf(" cycles=-");
    printf(" error=%.3g\n", result->error);
}

// Prints the lines that are complete, in order.
static void finish(case_batch_t *batch, size_t index)
{
    pthread_mutex_lock(&batch->lock);
    batch->results[index].done = true;
    while (batch->printed < batch->count && batch->results[batch->printed].done) {
        const case_result_t *result = &batch->results[batch->printed++];
        batch->passed += !result->status;
        print_result(batch->flags, result);
        fflush(stdout);
    }
    pthread_mutex_unlock(&batch->lock);
}

static void *work(void *data)
{
    case_batch_t *batch = data;
    for (;;) {
        pthread_mutex_lock(&batch->lock);
        size_t index = batch->next++;
        pthread_mutex_unlock(&batch->lock);
        if (index >= batch->count)
            return NULL;
        run_case(batch, batch->directories[index], &batch->results[index]);
        finish(batch, index);
    }
}

static int run_batch(case_batch_t *batch)
{
    batch->results = calloc(batch->count, sizeof *batch->results);
    if (!batch->results)
        return kiln_cli_report(kiln_status_out_of_memory());
    pthread_mutex_init(&batch->lock, NULL);
    kiln_parallel((size_t)batch->flags->jobs, batch->count, work, batch);
    pthread_mutex_destroy(&batch->lock);
    printf("%zu passed, %zu failed\n", batch->passed, batch->count - batch->passed);
    for (size_t i = 0; i < batch->count; i++) {
        kiln_status_free(batch->results[i].status);
        free(batch->results[i].name);
    }
    free(batch->results);
    return batch->passed == batch->count ? 0 : 1;
}

static bool take_option(case_flags_t *flags, int flag, const char *value)
{
    const kiln_option_t *option = kiln_option_of_flag(flag, &value);
    if (kiln_warning_flag_take(flag, value))
        return true;
    if (flag == KILN_FLAG_case_JOBS)
        return kiln_flag_count(value, &flags->jobs);
    if (flag == KILN_FLAG_case_OBJECT)
        flags->object = value;
    else if (flag == KILN_FLAG_case_CYCLES)
        flags->cycles = true;
    else if (flag == KILN_FLAG_case_DISABLE_PASS && flags->disabled_count < MAX_DISABLED)
        flags->disabled[flags->disabled_count++] = value;
    else if (option && flags->override_count < MAX_OVERRIDES) {
        flags->overrides[flags->override_count].option = option;
        flags->overrides[flags->override_count++].value = value;
    } else
        return kiln_flag_take(flag, value);
    return true;
}

// Rejects flags without effect before any case runs.
static kiln_status_t open_device(const case_flags_t *flags, kiln_device_t **out_device)
{
    const char *clock = kiln_environment("KILN_SIM_CLOCK");
    if (flags->object && (flags->override_count || flags->disabled_count))
        return kiln_status_make(
            KILN_STATUS_USAGE,
            "compile options and --disable-pass have no effect here: --object compiles nothing");
    KILN_TRY(kiln_flag_requires_execution("the comparison"));
    if (flags->cycles && !(clock && strcmp(clock, "bounds") == 0))
        KILN_TRY(kiln_flag_requires_prediction("--cycles"));
    KILN_TRY(kiln_device_from_environment(out_device));
    kiln_status_t status =
        flags->cycles ? kiln_flag_requires_simulator("--cycles", *out_device) : KILN_OK;
    if (status) {
        kiln_device_release(*out_device);
        *out_device = NULL;
    }
    return status;
}

static kiln_status_t refuse_unused_interp_flags(const case_flags_t *flags)
{
    kiln_interp_launch_t any;
    if (flags->object)
        return kiln_status_make(
            KILN_STATUS_USAGE,
            "--object has no effect here: the interpreter does not execute code objects");
    if (flags->cycles || flags->override_count || flags->disabled_count)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--cycles, --disable-pass and compile options have no effect here: "
                                "the program is interpreted");
    return kiln_interp_launch_from_environment(&any);
}

int kiln_verb_case(int argc, char **argv)
{
    kiln_words_t words;
    kiln_words_begin(&words, "case");
    case_flags_t flags = {.jobs = 1};
    for (int flag; (flag = kiln_words_next(&words, argc, argv)) != -1;) {
        if (flag == KILN_FLAG_HELP)
            return kiln_usage(stdout, "case");
        if (!take_option(&flags, flag, optarg))
            return kiln_words_refuse(&words, flag);
    }
    if (optind == argc)
        return kiln_usage(stderr, "case");
    kiln_compile_options_t any;
    kiln_compile_options_initialize(&any);
    kiln_status_t wrong = override_options(&flags, &any);
    if (wrong)
        return kiln_cli_report(wrong);

    // Triton compiles some objects for 96 KiB, which no gfx942 can launch. They are correct
    // programs, so they run here.
    if (flags.object)
        kiln_flag_default("KILN_SIM_LDS", "160k");
    if (flags.cycles)
        kiln_prediction_default(false);

    case_batch_t batch = {
        .flags = &flags, .directories = argv + optind, .count = (size_t)(argc - optind)};
    kiln_status_t status = KILN_OK;
    if (!kiln_uses_interp())
        status = open_device(&flags, &batch.device);
    else
        status = refuse_unused_interp_flags(&flags);
    if (status)
        return kiln_cli_report(status);
    int code = run_batch(&batch);
    kiln_device_release(batch.device);
    return code;
}
