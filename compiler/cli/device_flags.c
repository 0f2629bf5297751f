// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared flags, generated from environment.def: each row is a flag, whose value takes precedence
// over the variable's.
#include "device_flags.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/string.h"
#include "kiln/kiln.h"
#include "reproducer.h"
#include "words.h"

static const kiln_environment_row_t rows[] = {
#define KILN_ENVIRONMENT(actor, name, flag, kind, values, otherwise, help)                         \
    {KILN_ACTOR_##actor, name, flag, KILN_VALUE_##kind, values, otherwise, help},
#include "environment.def"
#undef KILN_ENVIRONMENT
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

// Values from the command line, by row; NULL if not given.
static const char *given[ROW_COUNT];
static bool is_default[ROW_COUNT]; // whether it was set by a verb's default

const kiln_environment_row_t *kiln_environment_row(size_t index)
{
    return index < ROW_COUNT ? &rows[index] : NULL;
}

bool kiln_environment_flag_stands_alone(const kiln_environment_row_t *row)
{
    // --check alone means all checks, --trace alone the whole trace; the others need a value.
    return strcmp(row->flag, "--check") == 0 || strcmp(row->flag, "--trace") == 0 ||
           strncmp(row->flag, "--dump", 6) == 0 || strcmp(row->flag, "--log") == 0;
}

bool kiln_flag_take(int flag, const char *value)
{
    int row = flag - KILN_FLAG_FIRST_SHARED;
    if (row < 0 || row >= ROW_COUNT)
        return false;
    const char *bare = strcmp(rows[row].flag, "--check") == 0 ? "all" : "1";
    given[row] = value ? value : bare;
    is_default[row] = false;
    return true;
}

void kiln_flag_default(const char *variable, const char *value)
{
    for (int i = 0; i < ROW_COUNT; i++)
        if (strcmp(rows[i].variable, variable) == 0 && !kiln_environment(variable)) {
            given[i] = value;
            is_default[i] = true;
        }
}

void kiln_flag_override(const char *variable, const char *value)
{
    for (int i = 0; i < ROW_COUNT; i++)
        if (strcmp(rows[i].variable, variable) == 0)
            given[i] = value;
}

bool kiln_flag_count(const char *word, long *out)
{
    char *end;
    *out = strtol(word, &end, 10);
    return *word && !*end && *out > 0 && *out < 1000000;
}

const char *kiln_environment(const char *name)
{
    const char *value = getenv(name);
    for (int i = 0; i < ROW_COUNT; i++)
        if (given[i] && strcmp(rows[i].variable, name) == 0)
            value = given[i];
    return value && *value ? value : NULL;
}

static void log_library(const char *path, const char *result, void *user)
{
    (void)user;
    fprintf(stderr, "kiln: device: %s: %s\n", path, result);
}

static bool list_has(const char *list, const char *word, size_t length)
{
    for (const char *item = list; *item; item += strcspn(item, ","), item += *item == ',')
        if (strcspn(item, ",") == length && strncmp(item, word, length) == 0)
            return true;
    return false;
}

// Whether a list in prose, "sim, hip or auto", contains this word.
static bool prose_has(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ' ') &&
            (!at[length] || at[length] == ',' || at[length] == ' '))
            return strcmp(word, "or") != 0;
    return false;
}

// Validates the values of KILN_… variables by their rows, so that a mistyped value is not silently
// replaced by the default.
static kiln_status_t check_values(void)
{
    for (int i = 0; i < ROW_COUNT; i++) {
        const char *value = kiln_environment(rows[i].variable);
        char *end = NULL;
        bool good =
            !value || rows[i].kind == KILN_VALUE_TEXT ||
            (rows[i].kind == KILN_VALUE_WORD && prose_has(rows[i].values, value)) ||
            (rows[i].kind == KILN_VALUE_NUMBER && value[strspn(value, "0123456789")] == '\0' &&
             strtoull(value, &end, 10) > 0 && strlen(value) < 19);
        if (!good)
            return kiln_status_make(KILN_STATUS_USAGE, "%s (%s): got '%s', expected %s",
                                    rows[i].flag, rows[i].variable, value, rows[i].values);
    }
    return KILN_OK;
}

// Requested checks that cannot run must not look like checks without findings, nor like an empty
// trace.
static kiln_status_t require_checks(const kiln_device_t *device)
{
    const char *wanted = kiln_environment("KILN_SIM_CHECK"),
               *supported = kiln_device_supported_checks(device);
    if (!*supported && kiln_environment("KILN_SIM_REPORT"))
        return kiln_status_make(
            KILN_STATUS_UNAVAILABLE,
            "--sim-report (KILN_SIM_REPORT) is not supported: '%s' has no checks",
            kiln_device_properties(device)->library);
    if (!*supported && kiln_environment("KILN_SIM_TRACE"))
        return kiln_status_make(KILN_STATUS_UNAVAILABLE,
                                "--trace (KILN_SIM_TRACE) is not supported by '%s'",
                                kiln_device_properties(device)->library);
    if (!wanted || strcmp(wanted, "off") == 0)
        return KILN_OK;
    if (!*supported)
        return kiln_status_make(
            KILN_STATUS_UNAVAILABLE,
            "--check (KILN_SIM_CHECK=%s) is not supported: %s '%s' has no checks", wanted,
            kiln_device_properties(device)->kind == KILN_DEVICE_SIM ? "this simulator"
                                                                    : "the device of",
            kiln_device_properties(device)->library);
    for (const char *item = wanted; *item; item += strcspn(item, ","), item += *item == ',') {
        size_t length = strcspn(item, ",");
        if (!list_has("all", item, length) && !list_has(supported, item, length))
            return kiln_status_make(
                KILN_STATUS_USAGE,
                "KILN_SIM_CHECK: unknown check '%.*s'; this simulator supports %s", (int)length,
                item, supported);
    }
    return KILN_OK;
}

// Flags without effect ----------------------------------------------------------------------------

bool kiln_flag_given(const char *flag)
{
    for (int i = 0; i < ROW_COUNT; i++)
        if (given[i] && !is_default[i] && strcmp(rows[i].flag, flag) == 0)
            return true;
    return false;
}

// Rejects flags of the command line without effect in this run. Variables are accepted, as they may
// be set for many runs.
static kiln_status_t refuse_idle(unsigned acting, const char *where)
{
    for (int i = 0; i < ROW_COUNT; i++) {
        if (acting & KILN_ACTOR_INTERP && strcmp(rows[i].variable, "KILN_SIM_LIMIT") == 0)
            continue; // also limits a launch in the interpreter
        if (given[i] && (strcmp(given[i], "off") == 0 || strcmp(given[i], "0") == 0))
            continue; // it is off already
        if (given[i] && !is_default[i] && !(rows[i].actor & acting))
            return kiln_status_make(KILN_STATUS_USAGE, "%s has no effect here: %s", rows[i].flag,
                                    where);
    }
    return KILN_OK;
}

kiln_status_t kiln_flag_requires_prediction(const char *flag)
{
    const char *clock = kiln_environment("KILN_SIM_CLOCK");
    if (clock && (strcmp(clock, "model") == 0 || strcmp(clock, "only") == 0))
        return KILN_OK;
    return kiln_status_make(
        KILN_STATUS_USAGE,
        "%s requires --sim-clock=model or only, but the clock is %s (KILN_SIM_CLOCK)", flag,
        clock ? clock : "bounds");
}

kiln_status_t kiln_flag_requires_execution(const char *flag)
{
    const char *clock = kiln_environment("KILN_SIM_CLOCK");
    if (!clock || strcmp(clock, "only") != 0)
        return KILN_OK;
    return kiln_status_make(
        KILN_STATUS_USAGE,
        "%s has no effect here: --sim-clock=only (KILN_SIM_CLOCK) executes only what the "
        "prediction needs, so buffers have no results",
        flag);
}

kiln_status_t kiln_flag_requires_simulator(const char *flag, const kiln_device_t *device)
{
    if (kiln_device_properties(device)->kind == KILN_DEVICE_SIM)
        return KILN_OK;
    return kiln_status_make(KILN_STATUS_USAGE,
                            "%s has no effect here: the kernel runs on a GPU; only the simulator "
                            "(--device=sim) supports it",
                            flag);
}

// A disabled cache has no directory, and one that is not written to has no limit.
static kiln_status_t refuse_cache(void)
{
    const char *mode = kiln_environment("KILN_CACHE_MODE");
    if (!mode || !kiln_flag_given("--cache-mode") || strcmp(mode, "readwrite") == 0)
        return KILN_OK;
    const char *idle = kiln_flag_given("--cache-size")                              ? "--cache-size"
                       : kiln_flag_given("--cache-dir") && strcmp(mode, "off") == 0 ? "--cache-dir"
                                                                                    : NULL;
    return idle ? kiln_status_make(KILN_STATUS_USAGE,
                                   "%s has no effect here: --cache-mode=%s never writes kernels",
                                   idle, mode)
                : KILN_OK;
}

// On the simulator: rejects options without the option that they depend on.
static kiln_status_t refuse_alone(void)
{
    const char *check = kiln_environment("KILN_SIM_CHECK");
    if (kiln_flag_given("--sim-report") && (!check || strcmp(check, "off") == 0))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--sim-report has no effect here: it requires --check");
    if (kiln_flag_given("--sim-profile"))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--sim-profile has no effect here: only programs can read the "
                                "profile, through kilnSimGetLaunchStats");
    if (kiln_flag_given("--sim-caches"))
        KILN_TRY(kiln_flag_requires_prediction("--sim-caches"));
    if (kiln_flag_given("--sim-parameters"))
        KILN_TRY(kiln_flag_requires_prediction("--sim-parameters"));
    if (kiln_flag_given("--check"))
        KILN_TRY(kiln_flag_requires_execution("--check"));
    if (kiln_flag_given("--trace"))
        KILN_TRY(kiln_flag_requires_execution("--trace"));
    return KILN_OK;
}

static kiln_status_t refuse_for(const kiln_device_t *device)
{
    KILN_TRY(refuse_cache());
    if (kiln_device_properties(device)->kind != KILN_DEVICE_SIM)
        return refuse_idle(~(unsigned)(KILN_ACTOR_SIM | KILN_ACTOR_INTERP),
                           "the kernel runs on a GPU");
    const char *kind = kiln_environment("KILN_DEVICE");
    const bool only = kind && strcmp(kind, "sim") == 0;
    KILN_TRY(refuse_idle(~(unsigned)(KILN_ACTOR_INTERP | (only ? KILN_ACTOR_HIP : 0)),
                         "the kernel runs on the simulator"));
    return refuse_alone();
}

bool kiln_uses_interp(void)
{
    const char *kind = kiln_environment("KILN_DEVICE");
    return kind && strcmp(kind, "interp") == 0;
}

static void print_text(const char *text, void *user)
{
    (void)user;
    fputs(text, stdout);
}

// Rejects requests to observe a launch, from flags and variables alike, if nothing would observe
// it.
static kiln_status_t refuse_watching(void)
{
    static const char *const watching[] = {"KILN_SIM_CHECK", "KILN_SIM_REPORT", "KILN_SIM_TRACE",
                                           "KILN_SIM_TIMELINE"};
    for (size_t i = 0; i < sizeof watching / sizeof *watching; i++) {
        const char *value = kiln_environment(watching[i]);
        if (value && strcmp(value, "off") != 0 && strcmp(value, "0") != 0)
            return kiln_status_make(
                KILN_STATUS_USAGE,
                "%s=%s has no effect here: the interpreter always checks for out-of-bounds "
                "accesses and undefined values; other checks require the simulator",
                watching[i], value);
    }
    return KILN_OK;
}

kiln_status_t kiln_interp_launch_from_environment(kiln_interp_launch_t *launch)
{
    KILN_TRY(check_values());
    KILN_TRY(refuse_idle(KILN_ACTOR_INTERP | KILN_ACTOR_DEVICE, "the program is interpreted"));
    KILN_TRY(refuse_watching());
    const char *limit = kiln_environment("KILN_SIM_LIMIT"), *mode = kiln_environment("KILN_INTERP");
    kiln_interp_launch_initialize(launch);
    launch->limit = limit ? strtoull(limit, NULL, 0) : 0; // a limit per wave there, per launch here
    launch->lenient = mode && strcmp(mode, "lenient") == 0;
    launch->print = print_text;
    return KILN_OK;
}

const kiln_sim_setting_t *kiln_simulator_settings(size_t *count)
{
    static const char *const names[][2] = {
#define KILN_SIM_OPTION(name, variable, flag, kind, values, otherwise, help) {#name, variable},
#define KILN_SIM_SETTING(name, otherwise, help)
#include "kiln/sim_options.def"
#undef KILN_SIM_OPTION
#undef KILN_SIM_SETTING
    };
    static kiln_sim_setting_t settings[sizeof names / sizeof *names];
    *count = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = kiln_environment(names[i][1]);
        // The library reads the number of devices only from the environment, on first use.
        if (value && strcmp(names[i][0], "devices") == 0)
            setenv(names[i][1], value, 1);
        if (value)
            settings[(*count)++] = (kiln_sim_setting_t){names[i][0], value};
    }
    return settings;
}

// For the processes of a group on one machine, which each use another GPU.
static size_t device_rank;

void kiln_device_of_rank(size_t rank)
{
    device_rank = rank;
}

// Chooses among the GPUs, of one architecture, that `options` admit. The simulator is one device.
static kiln_status_t choose_ordinal(kiln_device_options_t *options)
{
    kiln_device_list_t *list;
    int ordinals[64];
    size_t count = 0;
    if (device_rank == 0 || options->kind == KILN_DEVICE_SIM)
        return KILN_OK;
    kiln_status_t status = kiln_device_list_create(options, &list);
    if (status && options->kind == KILN_DEVICE_AUTO && !kiln_status_is_out_of_memory(status)) {
        kiln_status_free(status); // a library that opening passes over, as rank 0 does
        return KILN_OK;
    }
    KILN_TRY(status);
    for (size_t i = 0; i < kiln_device_list_count(list); i++) {
        const kiln_device_properties_t *device = kiln_device_list_item(list, i);
        const bool is_usable =
            device->kind == KILN_DEVICE_HIP && strcmp(device->arch, options->arch) == 0;
        if (is_usable && count < sizeof ordinals / sizeof *ordinals)
            ordinals[count++] = device->ordinal;
    }
    if (count)
        options->ordinal = ordinals[device_rank % count];
    kiln_device_list_release(list);
    return KILN_OK;
}

// Loading AMD's HIP library takes a quarter of a short command's time. Without the kernel driver
// (/dev/kfd; /dev/dxg in WSL) it has no devices, so the search goes on to the simulator at once.
// Where the environment redirects the loader, the library may be another one, and is asked.
static bool lacks_driver(const kiln_device_options_t *options)
{
    static const char *const drivers[] = {"/dev/kfd", "/dev/dxg"};
    if (options->kind != KILN_DEVICE_AUTO || options->hip_library ||
        kiln_environment("LD_LIBRARY_PATH") || kiln_environment("LD_PRELOAD"))
        return false;
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        if (access(drivers[i], F_OK) == 0 || errno != ENOENT)
            return false;
    return true;
}

static const char NO_DRIVER[] = "not loaded: there is no /dev/kfd, so this system has no driver "
                                "for AMD's GPUs";

// Opens a device as kiln_device_open does.
static kiln_status_t open_device(kiln_device_options_t *options, kiln_device_t **out_device)
{
    if (!lacks_driver(options))
        return kiln_device_open(options, out_device);
    options->kind = KILN_DEVICE_SIM;
    if (options->trace)
        options->trace("libamdhip64.so", NO_DRIVER, options->trace_user);
    kiln_status_t status = kiln_device_open(options, out_device);
    return status && kiln_status_code(status) == KILN_STATUS_UNAVAILABLE
               ? kiln_status_annotate(status, "libamdhip64.so: %s", NO_DRIVER)
               : status;
}

kiln_status_t kiln_device_from_environment(kiln_device_t **out_device)
{
    *out_device = NULL;
    KILN_TRY(check_values());
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    const char *kind = kiln_environment("KILN_DEVICE");
    if (kiln_uses_interp())
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--device=interp is supported only by kiln run and kiln case");
    if (kind)
        KILN_TRY(kiln_device_kind_parse(kind, &options.kind));
    options.hip_library = kiln_environment("KILN_HIP_LIBRARY");
    if (kiln_environment("KILN_LOG"))
        options.trace = log_library;
    options.sim_settings = kiln_simulator_settings(&options.sim_setting_count);
    KILN_TRY(choose_ordinal(&options));
    KILN_TRY(open_device(&options, out_device));
    kiln_status_t status = require_checks(*out_device);
    if (!status)
        status = refuse_for(*out_device);
    if (status) {
        kiln_device_release(*out_device);
        *out_device = NULL;
    }
    return status;
}

char *kiln_cache_directory(void)
{
    const char *directory = kiln_environment("KILN_CACHE_DIR");
    if (directory)
        return strdup(directory);
    if ((directory = kiln_environment("XDG_CACHE_HOME")))
        return kiln_path_join(directory, "kiln");
    if ((directory = kiln_environment("HOME")))
        return kiln_path_join(directory, ".cache/kiln");
    return NULL;
}

char *kiln_tuned_path(void)
{
    char *directory = kiln_cache_directory();
    char *path = directory ? kiln_path_join(directory, "tune.db") : NULL;
    free(directory);
    return path;
}

int kiln_exit_code(kiln_status_code_t code)
{
    switch (code) {
    case KILN_STATUS_OK:
        return 0;
    case KILN_STATUS_USAGE:
        return 2;
    case KILN_STATUS_UNAVAILABLE:
    case KILN_STATUS_IO:
        return 3;
    case KILN_STATUS_INTERNAL:
        return 70;
    default:
        return 1;
    }
}

// A line of a file, from malloc; NULL if there is none.
static char *read_line(const char *path, unsigned line)
{
    char *text = NULL, *copy = NULL;
    size_t length;
    kiln_status_free(kiln_file_read(path, &text, &length));
    const char *at = text;
    while (at && --line)
        at = (at = strchr(at, '\n')) ? at + 1 : NULL;
    if (at)
        copy = strndup(at, strcspn(at, "\r\n"));
    free(text);
    return copy;
}

static void show_with_place(kiln_status_t status)
{
    kiln_diagnostic_t diagnostic = {.severity = KILN_SEVERITY_ERROR,
                                    .file = kiln_status_file(status),
                                    .line = kiln_status_line(status),
                                    .column = kiln_status_column(status),
                                    .range = 1,
                                    .message = kiln_status_message(status)};
    char *line = diagnostic.line ? read_line(diagnostic.file, diagnostic.line) : NULL;
    diagnostic.source_line = line;
    kiln_cli_print_diagnostic(&diagnostic, stderr);
    for (size_t i = 0; i < kiln_status_note_count(status); i++) {
        char *note = kiln_cli_words(kiln_status_note(status, i));
        fprintf(stderr, "note: %s\n", note ? note : kiln_status_note(status, i));
        free(note);
    }
    free(line);
}

int kiln_cli_report(kiln_status_t status)
{
    if (!status)
        return 0;
    char *formatted = kiln_status_format(status),
         *text = formatted ? kiln_cli_words(formatted) : NULL;
    free(formatted);
    if (kiln_status_file(status))
        show_with_place(status);
    else
        fprintf(stderr, "kiln: error: %s", text ? text : "out of memory\n");
    int code = kiln_exit_code(kiln_status_code(status));
    if (code == 70)
        kiln_reproducer_write();
    free(text);
    kiln_status_free(status);
    return code;
}
