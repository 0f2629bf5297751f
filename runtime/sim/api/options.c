// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effect of each option of kiln/sim_options.def on a machine, or on the calls that override it.
// To add an option, add a row there, and here a function and the parts of the setup that it
// determines.
//
// Pitfall: an option may be set between any two launches, so its function must also handle existing
// memory and threads.
#include "api/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check/check.h"
#include "check/trace.h"
#include "decode/decode.h"
#include "run/workers.h"
#include "sim/port/machine.h"
#include "timing/order.h"
#include "timing/parameters.h"
#include "timing/predict.h"
#include "timing/profile.h"
#include "timing/record.h"

// An option's new value. `number` is set for rows of that kind, and 0 for an empty text.
typedef struct value {
    const char *text;
    uint64_t number;
} value_t;

// Where an option is set: a machine's own setup, or that of overrides.
typedef struct target {
    kiln_sim_machine_t *machine;
    kiln_sim_setup_t *setup;
    bool is_own;
} target_t;

static bool set_check(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    unsigned checks;
    if (!kiln_sim_check_parse(value.text, &checks, error))
        return false;
    if ((checks & KILN_SIM_CHECK_UNDEFINED) && !kiln_sim_memory_track(&to->machine->memory, error))
        return false;
    to->setup->options.checks = checks;
    to->setup->observers[KILN_SIM_PLACE_CHECKS] =
        (kiln_sim_observer_slot_t){kiln_sim_checks_observer(checks), NULL};
    return true;
}

static bool set_text(char **option, value_t value, kiln_sim_error_t *error)
{
    char *copy = *value.text ? strdup(value.text) : NULL;
    if (*value.text && !copy)
        return kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory for an option");
    free(*option);
    *option = copy;
    return true;
}

// Checks before anything runs that a file, or a folder if the path ends in '/', can be written, so
// that results are not lost.
static bool may_write(const char *path, const char *variable, kiln_sim_error_t *error)
{
    const size_t length = strlen(path);
    if (length == 0)
        return true;
    errno = 0;
    if (path[length - 1] == '/') {
        if ((mkdir(path, 0777) == 0 || errno == EEXIST) && access(path, W_OK) == 0)
            return true;
    } else {
        const bool is_new = access(path, F_OK) != 0;
        FILE *file = fopen(path, "ae");
        const bool written = file && fclose(file) == 0;
        if (is_new && written)
            unlink(path); // leave no file behind that the check created
        if (written)
            return true;
    }
    return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "%s: cannot write '%s': %s", variable, path,
                         strerror(errno));
}

static bool set_report(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    if (!may_write(value.text, "KILN_SIM_REPORT", error))
        return false;
    return set_text(&to->setup->options.report, value, error);
}

// Streams read the file's name at any time, so earlier ones stay valid as long as the machine.
static bool set_activity(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    if (!may_write(value.text, "KILN_SIM_ACTIVITY", error))
        return false;
    kiln_sim_text_t *kept = malloc(sizeof *kept + strlen(value.text) + 1);
    if (!kept)
        return kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory for an option");
    strcpy(kept->text, value.text);
    kept->next = to->machine->texts;
    to->machine->texts = kept;
    to->setup->options.activity = *kept->text ? kept->text : NULL;
    return true;
}

static bool set_timeline(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    if (!may_write(value.text, "KILN_SIM_TIMELINE", error))
        return false;
    return set_text(&to->setup->options.timeline, value, error);
}

static bool set_parameters(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    kiln_timing_parameters_t *parameters = *value.text ? malloc(sizeof *parameters) : NULL;
    if (*value.text && !parameters)
        return kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory for an option");
    if (parameters && !kiln_timing_parameters_read(value.text, parameters, error)) {
        free(parameters);
        return false;
    }
    free(to->setup->options.parameters);
    to->setup->options.parameters = parameters;
    return true;
}

static bool set_stalls(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    const bool is_name = strcmp(value.text, "0") != 0 && strcmp(value.text, "1") != 0;
    to->setup->options.stalls = strcmp(value.text, "1") == 0;
    return set_text(&to->setup->options.stalls_of, (value_t){.text = is_name ? value.text : ""},
                    error);
}

static bool set_trace(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    kiln_sim_trace_t *trace;
    if (!kiln_sim_trace_open(value.text, &trace, error))
        return false;
    kiln_sim_trace_close(to->setup->options.trace);
    to->setup->options.trace = trace;
    to->setup->observers[KILN_SIM_PLACE_TRACE] =
        (kiln_sim_observer_slot_t){trace ? &kiln_sim_trace_observer : NULL, trace};
    return true;
}

static bool set_device(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    const kiln_sim_product_t *product = kiln_sim_product_find(value.text);
    kiln_sim_memory_t *memory = &to->machine->memory;
    if (!product)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "unknown device '%s'", value.text);
    if (to->is_own && memory->used > product->memory_bytes)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                             "cannot change the machine to '%s': more memory is in use",
                             value.text);
    to->setup->options.product = product;
    if (to->is_own)
        memory->limit = kiln_sim_memory_limit_of(memory, product->memory_bytes);
    return true;
}

static bool set_lds(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    enum { MAX = 160 << 10 }; // limit of the next hardware generation
    char *end = NULL;
    const uint64_t number =
        *value.text >= '0' && *value.text <= '9' ? strtoull(value.text, &end, 10) : 0;
    const bool kilo = end && (*end == 'k' || *end == 'K');
    if (number == 0 || end[kilo] || number > (kilo ? MAX >> 10 : MAX))
        return kiln_sim_fail(
            error, KILN_SIM_INVALID_VALUE,
            "KILN_SIM_LDS: got '%s', expected bytes, or KiB with suffix k, of at most %dk",
            value.text, MAX >> 10);
    to->setup->options.lds = (uint32_t)number << (kilo ? 10 : 0);
    return true;
}

static bool set_mfma(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    to->setup->options.fast_mfma = strcmp(value.text, "fast") == 0;
    return true;
}

static bool set_clock(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    const bool only = strcmp(value.text, "only") == 0,
               predicts = only || strcmp(value.text, "model") == 0;
    if (predicts && !to->machine->clock &&
        !(to->machine->clock = calloc(1, sizeof *to->machine->clock)))
        return kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory for an option");
    to->setup->options.clock_only = only;
    to->setup->options.clock_bounds = strcmp(value.text, "bounds") == 0;
    to->setup->observers[KILN_SIM_PLACE_CLOCK] = (kiln_sim_observer_slot_t){
        predicts ? &kiln_timing_record_observer : NULL, to->machine->clock};
    return true;
}

static bool set_caches(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    to->setup->options.caches = strcmp(value.text, "warm") == 0   ? KILN_SIM_CACHES_WARM
                                : strcmp(value.text, "cold") == 0 ? KILN_SIM_CACHES_COLD
                                                                  : KILN_SIM_CACHES_KEPT;
    return true;
}

static bool set_repeats(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    to->setup->options.repeats_once = strcmp(value.text, "once") == 0;
    return true;
}

static bool set_order(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    const bool by_time = strcmp(value.text, "time") == 0;
    to->setup->options.order = by_time ? &kiln_timing_order : NULL;
    to->setup->observers[KILN_SIM_PLACE_ORDER] =
        (kiln_sim_observer_slot_t){by_time ? &kiln_timing_order_observer : NULL, NULL};
    return true;
}

static bool set_variant(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    to->setup->options.variant = kiln_sim_variant_find(value.text);
    return true;
}

static bool set_threads(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    enum { MAX = 1024 };
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint64_t wanted = value.number ? value.number : cores > 0 ? (uint64_t)cores : 1;
    to->setup->options.threads = wanted > MAX ? MAX : (unsigned)wanted;
    if (to->is_own) {
        kiln_sim_workers_destroy(
            to->machine->workers); // the next launch creates as many as it may need
        to->machine->workers = NULL;
    }
    return true;
}

static bool set_limit(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    to->setup->options.limit = value.number ? value.number : 1ull << 30;
    return true;
}

static bool set_profile(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    const bool on = strcmp(value.text, "1") == 0;
    to->setup->observers[KILN_SIM_PLACE_PROFILE] =
        (kiln_sim_observer_slot_t){on ? &kiln_sim_profile_observer : NULL, NULL};
    return true;
}

static bool set_clock_mhz(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    enum { MIN = 100, MAX = 10000 };
    if (value.number && (value.number < MIN || value.number > MAX))
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                             "the core clock must be between %d and %d MHz", MIN, MAX);
    to->setup->options.clock_mhz = (uint32_t)value.number;
    return true;
}

static bool set_host_arguments(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    if (value.number > 1)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                             "host_arguments: got '%s', expected 0 or 1", value.text);
    to->setup->options.host_arguments = value.number == 1;
    return true;
}

static bool set_host_waits(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    if (value.number > 1)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "host_waits: got '%s', expected 0 or 1",
                             value.text);
    to->setup->options.host_waits = value.number == 1;
    return true;
}

static bool set_stack(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    if (value.number > KILN_SIM_SCRATCH_BYTES_PER_LANE)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                             "scratch is limited to %u bytes per lane",
                             KILN_SIM_SCRATCH_BYTES_PER_LANE);
    to->setup->options.stack = (uint32_t)value.number;
    return true;
}

static bool set_heap(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    to->setup->options.heap = value.number;
    return true;
}

static bool set_devices(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    enum { MAX = 64 };
    if (value.number > MAX)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                             "KILN_SIM_DEVICES: at most %d devices are supported", MAX);
    to->setup->options.devices = (uint32_t)value.number;
    return true;
}

static bool set_stall(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    to->setup->options.stall = value.number;
    return true;
}

static bool set_patience(const target_t *to, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    to->setup->options.patience = value.number;
    return true;
}

// ---- the parts of the setup that each option determines

typedef struct part {
    size_t offset, size; // in kiln_sim_setup_t
} part_t;

#define FIELD(name)                                                                                \
    {offsetof(kiln_sim_setup_t, options.name), sizeof((kiln_sim_setup_t *)NULL)->options.name}
#define SLOT(place)                                                                                \
    {offsetof(kiln_sim_setup_t, observers) +                                                       \
         KILN_SIM_PLACE_##place * sizeof(kiln_sim_observer_slot_t),                                \
     sizeof(kiln_sim_observer_slot_t)}

static const part_t parts_check[] = {FIELD(checks), SLOT(CHECKS)};
static const part_t parts_report[] = {FIELD(report)};
static const part_t parts_activity[] = {FIELD(activity)};
static const part_t parts_trace[] = {FIELD(trace), SLOT(TRACE)};
static const part_t parts_device[] = {FIELD(product)};
static const part_t parts_devices[] = {FIELD(devices)};
static const part_t parts_lds[] = {FIELD(lds)};
static const part_t parts_mfma[] = {FIELD(fast_mfma)};
static const part_t parts_clock[] = {FIELD(clock_only), FIELD(clock_bounds), SLOT(CLOCK)};
static const part_t parts_caches[] = {FIELD(caches)};
static const part_t parts_repeats[] = {FIELD(repeats_once)};
static const part_t parts_stalls[] = {FIELD(stalls), FIELD(stalls_of)};
static const part_t parts_timeline[] = {FIELD(timeline)};
static const part_t parts_parameters[] = {FIELD(parameters)};
static const part_t parts_order[] = {FIELD(order), SLOT(ORDER)};
static const part_t parts_threads[] = {FIELD(threads)};
static const part_t parts_limit[] = {FIELD(limit)};
static const part_t parts_profile[] = {SLOT(PROFILE)};
static const part_t parts_variant[] = {FIELD(variant)};
static const part_t parts_clock_mhz[] = {FIELD(clock_mhz)};
static const part_t parts_host_arguments[] = {FIELD(host_arguments)};
static const part_t parts_host_waits[] = {FIELD(host_waits)};
static const part_t parts_stack[] = {FIELD(stack)};
static const part_t parts_heap[] = {FIELD(heap)};
static const part_t parts_stall[] = {FIELD(stall)};
static const part_t parts_patience[] = {FIELD(patience)};

// ---- the table

typedef enum kind { TEXT, WORD, NUMBER, AMOUNT } kind_t; // an amount may be 0

typedef struct row {
    const char *name, *variable;
    kind_t kind;
    const char *values, *otherwise;
    bool (*set)(const target_t *to, value_t value, kiln_sim_error_t *error);
    const part_t *parts;
    size_t part_count;
} row_t;

#define PARTS(name) parts_##name, sizeof parts_##name / sizeof *parts_##name
static const row_t rows[] = {
#define KILN_SIM_OPTION(name, variable, flag, kind, values, otherwise, help)                       \
    {#name, variable, kind, values, otherwise, set_##name, PARTS(name)},
#define KILN_SIM_SETTING(name, otherwise, help)                                                    \
    {#name, NULL, AMOUNT, "a number", otherwise, set_##name, PARTS(name)},
#include "kiln/sim_options.def"
#undef KILN_SIM_OPTION
#undef KILN_SIM_SETTING
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

// Whether a list such as "exact or fast" contains this word.
static bool is_listed(const char *values, const char *word)
{
    const size_t length = strlen(word);
    for (; *values; values += strcspn(values, ", "), values += strspn(values, ", ")) {
        if (strcspn(values, ", ") == length && strncmp(values, word, length) == 0)
            return strcmp(word, "or") != 0;
    }
    return false;
}

// Reads a number in C's notation.
static bool read_number(const char *text, uint64_t min, uint64_t *number)
{
    char *end;
    *number = strtoull(text, &end, 0);
    return *text >= '0' && *text <= '9' && *end == '\0' && *number >= min && *number < UINT64_MAX;
}

static bool set_row(const target_t *to, const row_t *row, const char *given,
                    kiln_sim_error_t *error)
{
    value_t value = {.text = given && *given ? given : row->otherwise};
    const bool good =
        !*value.text || row->kind == TEXT ||
        (row->kind == WORD && is_listed(row->values, value.text)) ||
        (row->kind >= NUMBER && read_number(value.text, row->kind == NUMBER, &value.number));
    if (!good)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "%s: got '%s', expected %s",
                             row->variable ? row->variable : row->name, value.text, row->values);
    return row->set(to, value, error);
}

// Finds an option's row; NULL with an error if there is none.
static const row_t *find_row(const char *name, kiln_sim_error_t *error)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    }
    kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "unknown option '%s' of the machine", name);
    return NULL;
}

bool kiln_sim_option_set(kiln_sim_machine_t *machine, const char *name, const char *value,
                         kiln_sim_error_t *error)
{
    const target_t own = {machine, &machine->setup, true};
    const row_t *row = find_row(name, error);
    return row && set_row(&own, row, value, error);
}

bool kiln_sim_options_initialize(kiln_sim_machine_t *machine, kiln_sim_error_t *error)
{
    const target_t own = {machine, &machine->setup, true};
    bool good = true;
    for (size_t i = 0; good && i < ROW_COUNT; i++)
        good = set_row(&own, &rows[i], NULL, error);
    return good;
}

void kiln_sim_setup_free(kiln_sim_setup_t *setup)
{
    kiln_sim_trace_close(setup->options.trace);
    free(setup->options.report);
    free(setup->options.stalls_of);
    free(setup->options.timeline);
    free(setup->options.parameters);
}

const char *kiln_sim_option_name(size_t index, const char **variable)
{
    if (index >= ROW_COUNT || !rows[index].variable) // rows without a variable are last
        return NULL;
    *variable = rows[index].variable;
    return rows[index].name;
}

// ---- overrides

struct kiln_sim_overrides {
    unsigned references; // atomic
    kiln_sim_machine_t *machine;
    uint64_t limit; // of memory if the device is overridden; else 0
    kiln_sim_setup_t setup;
    bool given[ROW_COUNT];
};

static __thread kiln_sim_overrides_t *current;

kiln_sim_overrides_t *kiln_sim_overrides_create(kiln_sim_machine_t *machine)
{
    kiln_sim_overrides_t *overrides = calloc(1, sizeof *overrides);
    if (overrides) {
        overrides->references = 1;
        overrides->machine = machine;
    }
    return overrides;
}

bool kiln_sim_overrides_set(kiln_sim_overrides_t *overrides, const char *name, const char *value,
                            kiln_sim_error_t *error)
{
    const target_t to = {overrides->machine, &overrides->setup, false};
    const row_t *row = find_row(name, error);
    pthread_mutex_lock(&overrides->machine->lock);
    const bool good = row && set_row(&to, row, value, error);
    if (good) {
        overrides->given[row - rows] = true;
        const kiln_sim_product_t *product = overrides->setup.options.product;
        overrides->limit =
            product ? kiln_sim_memory_limit_of(&to.machine->memory, product->memory_bytes) : 0;
    }
    pthread_mutex_unlock(&overrides->machine->lock);
    return good;
}

void kiln_sim_overrides_hold(kiln_sim_overrides_t *overrides)
{
    if (overrides)
        __atomic_fetch_add(&overrides->references, 1, __ATOMIC_RELAXED);
}

void kiln_sim_overrides_release(kiln_sim_overrides_t *overrides)
{
    if (!overrides || __atomic_sub_fetch(&overrides->references, 1, __ATOMIC_ACQ_REL))
        return;
    kiln_sim_setup_free(&overrides->setup);
    free(overrides);
}

kiln_sim_overrides_t *kiln_sim_overrides_use(kiln_sim_overrides_t *overrides)
{
    kiln_sim_overrides_t *before = current;
    current = overrides;
    kiln_sim_memory_limit_here(overrides ? overrides->limit : 0);
    return before;
}

kiln_sim_setup_t kiln_sim_setup_of(const kiln_sim_machine_t *machine)
{
    kiln_sim_setup_t setup = machine->setup;
    for (size_t i = 0; current && current->machine == machine && i < ROW_COUNT; i++) {
        for (size_t k = 0; current->given[i] && k < rows[i].part_count; k++) {
            const part_t *part = &rows[i].parts[k];
            memcpy((char *)&setup + part->offset, (const char *)&current->setup + part->offset,
                   part->size);
        }
    }
    return setup;
}
