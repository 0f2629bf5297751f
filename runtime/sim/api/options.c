// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each option of kiln/sim_options.def does to a machine. Adding one is a row there and a function here.
//
// What a reader gets wrong: an option may be set between any two launches, so what it prepares must be prepared for memory
// and threads that are there already.
#include "api/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/port.h"
#include "check/check.h"
#include "check/trace.h"
#include "core/decode.h"
#include "core/workers.h"
#include "timing/clock.h"
#include "timing/order.h"
#include "timing/profile.h"
#include "timing/record.h"

// A value on its way into the machine. `number` is set for rows of that kind, and 0 for an empty text.
typedef struct value {
    const char *text;
    uint64_t number;
} value_t;

static bool set_check(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    unsigned checks;
    if (!kiln_sim_check_parse(value.text, &checks, error))
        return false;
    if ((checks & KILN_SIM_CHECK_UNDEFINED) && !kiln_sim_memory_track(&machine->memory, error))
        return false;
    machine->options.checks = checks;
    machine->observers[KILN_SIM_PLACE_CHECKS] = (kiln_sim_seat_t){kiln_sim_checks_observer(checks), NULL};
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

// That a file, or a folder where the path ends in '/', can be written is found out before anything runs: nobody wants to look for it afterwards.
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
            unlink(path); // where nothing is found, nothing is left
        if (written)
            return true;
    }
    return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "%s: cannot write '%s': %s", variable, path, strerror(errno));
}

static bool set_report(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    if (!may_write(value.text, "KILN_SIM_REPORT", error))
        return false;
    return set_text(&machine->options.report, value, error);
}

static bool set_timeline(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    if (!may_write(value.text, "KILN_SIM_TIMELINE", error))
        return false;
    return set_text(&machine->options.timeline, value, error);
}

static bool set_stalls(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    machine->options.stalls = strcmp(value.text, "1") == 0;
    return true;
}

static bool set_trace(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    kiln_sim_trace_t *trace;
    if (!kiln_sim_trace_open(value.text, &trace, error))
        return false;
    kiln_sim_trace_close(machine->options.trace);
    machine->options.trace = trace;
    machine->observers[KILN_SIM_PLACE_TRACE] = (kiln_sim_seat_t){trace ? &kiln_sim_trace_observer : NULL, trace};
    return true;
}

static bool set_device(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    const kiln_sim_product_t *product = kiln_sim_product_find(value.text);
    kiln_sim_memory_t *memory = &machine->memory;
    if (!product)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "no device is called '%s'", value.text);
    if (memory->used > product->memory_bytes)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "the machine can't be a '%s': more memory is in use",
                             value.text);
    machine->options.product = product;
    memory->limit = memory->host_limit < product->memory_bytes ? memory->host_limit : product->memory_bytes;
    return true;
}

static bool set_lds(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    enum { MOST = 160 << 10 }; // what the next generation has
    char *end = NULL;
    const uint64_t number = *value.text >= '0' && *value.text <= '9' ? strtoull(value.text, &end, 10) : 0;
    const bool kilo = end && (*end == 'k' || *end == 'K');
    if (number == 0 || end[kilo] || number > (kilo ? MOST >> 10 : MOST))
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                             "KILN_SIM_LDS: '%s', but bytes, or KiB with a k, at most %dk, are wanted", value.text,
                             MOST >> 10);
    machine->options.lds = (uint32_t)number << (kilo ? 10 : 0);
    return true;
}

static bool set_mfma(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    machine->options.fast_mfma = strcmp(value.text, "fast") == 0;
    return true;
}

static bool set_clock(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    const bool only = strcmp(value.text, "only") == 0, predicts = only || strcmp(value.text, "model") == 0;
    if (predicts && !machine->clock && !(machine->clock = calloc(1, sizeof *machine->clock)))
        return kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory for an option");
    machine->options.clock_only = only;
    machine->options.clock_bounds = strcmp(value.text, "bounds") == 0;
    machine->observers[KILN_SIM_PLACE_CLOCK] =
        (kiln_sim_seat_t){predicts ? &kiln_timing_record_observer : NULL, machine->clock};
    return true;
}

static bool set_caches(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    machine->options.caches = strcmp(value.text, "warm") == 0   ? KILN_SIM_CACHES_WARM
                              : strcmp(value.text, "cold") == 0 ? KILN_SIM_CACHES_COLD
                                                                : KILN_SIM_CACHES_KEPT;
    return true;
}

static bool set_order(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    const bool by_time = strcmp(value.text, "time") == 0;
    machine->options.order = by_time ? &kiln_timing_order : NULL;
    machine->observers[KILN_SIM_PLACE_ORDER] = (kiln_sim_seat_t){by_time ? &kiln_timing_order_observer : NULL, NULL};
    return true;
}

static bool set_variant(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    machine->options.variant = kiln_sim_variant_find(value.text);
    return true;
}

static bool set_threads(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    enum { MOST = 1024 };
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint64_t wanted = value.number ? value.number : cores > 0 ? (uint64_t)cores : 1;
    machine->options.threads = wanted > MOST ? MOST : (unsigned)wanted;
    kiln_sim_workers_destroy(machine->workers); // the next launch makes as many as it may need
    machine->workers = NULL;
    return true;
}

static bool set_limit(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    machine->options.limit = value.number ? value.number : 1ull << 30;
    return true;
}

static bool set_profile(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    const bool on = strcmp(value.text, "1") == 0;
    machine->observers[KILN_SIM_PLACE_PROFILE] = (kiln_sim_seat_t){on ? &kiln_sim_profile_observer : NULL, NULL};
    return true;
}

static bool set_clock_mhz(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    enum { LEAST = 100, MOST = 10000 };
    if (value.number && (value.number < LEAST || value.number > MOST))
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "a core clock is between %d and %d MHz", LEAST, MOST);
    machine->options.clock_mhz = (uint32_t)value.number;
    return true;
}

static bool set_stack(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    if (value.number > KILN_SIM_SCRATCH_BYTES_PER_LANE)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "a lane has at most %u bytes of scratch",
                             KILN_SIM_SCRATCH_BYTES_PER_LANE);
    machine->options.stack = (uint32_t)value.number;
    return true;
}

static bool set_heap(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    machine->options.heap = value.number;
    return true;
}

static bool set_devices(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    enum { MOST = 64 };
    if (value.number > MOST)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "KILN_SIM_DEVICES: there can be %d devices at most", MOST);
    machine->options.devices = (uint32_t)value.number;
    return true;
}

static bool set_stall(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    machine->options.stall = value.number;
    return true;
}

static bool set_patience(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error)
{
    (void)error;
    machine->options.patience = value.number;
    return true;
}

// ---- the table

typedef enum kind { TEXT, WORD, NUMBER, AMOUNT } kind_t; // an amount may be 0

typedef struct row {
    const char *name, *variable;
    kind_t kind;
    const char *values, *otherwise;
    bool (*set)(kiln_sim_machine_t *machine, value_t value, kiln_sim_error_t *error);
} row_t;

static const row_t rows[] = {
#define KILN_SIM_OPTION(name, variable, flag, kind, values, otherwise, help)                                           \
    {#name, variable, kind, values, otherwise, set_##name},
#define KILN_SIM_SETTING(name, otherwise, help) {#name, NULL, AMOUNT, "a number", otherwise, set_##name},
#include "kiln/sim_options.def"
#undef KILN_SIM_OPTION
#undef KILN_SIM_SETTING
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

// Whether "exact or fast" has this word.
static bool is_listed(const char *values, const char *word)
{
    const size_t length = strlen(word);
    for (; *values; values += strcspn(values, ", "), values += strspn(values, ", ")) {
        if (strcspn(values, ", ") == length && strncmp(values, word, length) == 0)
            return strcmp(word, "or") != 0;
    }
    return false;
}

// A number as C writes it.
static bool read_number(const char *text, uint64_t least, uint64_t *number)
{
    char *end;
    *number = strtoull(text, &end, 0);
    return *text >= '0' && *text <= '9' && *end == '\0' && *number >= least && *number < UINT64_MAX;
}

static bool set_row(kiln_sim_machine_t *machine, const row_t *row, const char *given, kiln_sim_error_t *error)
{
    value_t value = {.text = given && *given ? given : row->otherwise};
    const bool good = !*value.text || row->kind == TEXT || (row->kind == WORD && is_listed(row->values, value.text)) ||
                      (row->kind >= NUMBER && read_number(value.text, row->kind == NUMBER, &value.number));
    if (!good)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "%s: '%s', but %s is wanted",
                             row->variable ? row->variable : row->name, value.text, row->values);
    return row->set(machine, value, error);
}

bool kiln_sim_option_set(kiln_sim_machine_t *machine, const char *name, const char *value, kiln_sim_error_t *error)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return set_row(machine, &rows[i], value, error);
    }
    return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "a machine has no option '%s'", name);
}

bool kiln_sim_options_initialize(kiln_sim_machine_t *machine, kiln_sim_error_t *error)
{
    bool good = true;
    for (size_t i = 0; good && i < ROW_COUNT; i++)
        good = set_row(machine, &rows[i], NULL, error);
    return good;
}

void kiln_sim_options_free(kiln_sim_machine_t *machine)
{
    kiln_sim_trace_close(machine->options.trace);
    free(machine->options.report);
    free(machine->options.timeline);
}

const char *kiln_sim_option_name(size_t index, const char **variable)
{
    if (index >= ROW_COUNT || !rows[index].variable) // rows without a variable are the last
        return NULL;
    *variable = rows[index].variable;
    return rows[index].name;
}
