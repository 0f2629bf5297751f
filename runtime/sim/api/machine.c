// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The public functions on machines (kiln/sim.h): each takes the machine's lock and calls the part
// of the simulator that implements it.
//
// A result is created before its launch, which fills it in. A launch that fails leaves findings in
// it, but no statistics.
#include <stdlib.h>

#include "api/options.h"
#include "check/check.h"
#include "check/trace.h"
#include "load/image.h"
#include "run/gws.h"
#include "run/observe.h"
#include "run/workers.h"
#include "sim/port/machine.h"
#include "timing/move.h"
#include "timing/predict.h"

struct kiln_sim_result {
    bool has_stats, has_prediction;
    kiln_sim_prediction_t prediction;
    kiln_sim_launch_stats_t stats;
    kiln_sim_findings_t findings;
    kiln_timing_lines_t lines;
    uint64_t number; // of the clock's launch, if it has a prediction
};

// ---- machines

bool kiln_sim_machine_create(const kiln_sim_setting_t *settings, size_t count,
                             kiln_sim_machine_t **out, kiln_sim_error_t *error)
{
    *out = NULL;
    kiln_sim_machine_t *machine = calloc(1, sizeof *machine);
    if (!machine)
        return kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory for a machine");
    pthread_mutex_init(&machine->lock, NULL);
    pthread_mutex_init(&machine->turn, NULL);
    pthread_mutex_init(&machine->heap.lock, NULL);
    machine->decoded_limit = KILN_SIM_DECODED_LIMIT;
    machine->gws = kiln_sim_gws_create();
    bool good = machine->gws ||
                kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory for a machine");
    good = good && kiln_sim_memory_open(&machine->memory, error) &&
           kiln_sim_options_initialize(machine, error);
    for (size_t i = 0; good && i < count; i++)
        good = kiln_sim_machine_set(machine, settings[i].name, settings[i].value, error);
    if (good)
        *out = machine;
    else
        kiln_sim_machine_destroy(machine);
    return good;
}

void kiln_sim_machine_destroy(kiln_sim_machine_t *machine)
{
    if (!machine)
        return;
    kiln_sim_workers_destroy(machine->workers);
    while (machine->objects)
        kiln_sim_machine_unload(machine, machine->objects);
    kiln_sim_setup_free(&machine->setup);
    while (machine->texts) {
        kiln_sim_text_t *next = machine->texts->next;
        free(machine->texts);
        machine->texts = next;
    }
    if (machine->clock)
        kiln_timing_clock_free(machine->clock);
    kiln_sim_gws_destroy(machine->gws);
    kiln_sim_memory_close(&machine->memory);
    pthread_mutex_destroy(&machine->heap.lock);
    pthread_mutex_destroy(&machine->turn);
    pthread_mutex_destroy(&machine->lock);
    free(machine);
}

bool kiln_sim_machine_set(kiln_sim_machine_t *machine, const char *name, const char *value,
                          kiln_sim_error_t *error)
{
    pthread_mutex_lock(&machine->lock);
    bool good = kiln_sim_option_set(machine, name, value, error);
    pthread_mutex_unlock(&machine->lock);
    return good;
}

void kiln_sim_machine_quiesce(kiln_sim_machine_t *machine)
{
    if (machine->workers)
        kiln_sim_workers_quiesce(machine->workers);
}

void kiln_sim_machine_take_turn(kiln_sim_machine_t *machine)
{
    pthread_mutex_lock(&machine->turn);
}

void kiln_sim_machine_end_turn(kiln_sim_machine_t *machine)
{
    pthread_mutex_unlock(&machine->turn);
}

void kiln_sim_machine_forked(kiln_sim_machine_t *machine)
{
    pthread_mutex_init(&machine->lock, NULL);
    pthread_mutex_init(&machine->turn, NULL);
    pthread_mutex_init(&machine->heap.lock, NULL);
    pthread_rwlock_init(&machine->memory.lock, NULL);
}

// ---- properties

const kiln_sim_product_t *kiln_sim_machine_product(const kiln_sim_machine_t *machine)
{
    return machine ? kiln_sim_setup_of(machine).options.product : kiln_sim_product_find("mi300x");
}

uint32_t kiln_sim_machine_lds(const kiln_sim_machine_t *machine)
{
    return machine ? kiln_sim_setup_of(machine).options.lds : KILN_GFX942_LDS_BYTES;
}

const char *kiln_sim_machine_activity(const kiln_sim_machine_t *machine)
{
    return kiln_sim_setup_of(machine).options.activity;
}

uint32_t kiln_sim_machine_devices(const kiln_sim_machine_t *machine)
{
    return machine->setup.options.devices;
}

// ---- memory

kiln_sim_memory_t *kiln_sim_machine_memory(kiln_sim_machine_t *machine)
{
    static kiln_sim_memory_t none = {.lock = PTHREAD_RWLOCK_INITIALIZER};
    return machine ? &machine->memory : &none;
}

void *kiln_sim_machine_allocate(kiln_sim_machine_t *machine, uint64_t size, kiln_sim_error_t *error)
{
    pthread_mutex_lock(&machine->lock);
    void *made = kiln_sim_memory_allocate(&machine->memory, size, KILN_SIM_MEMORY_DEVICE, 0, error);
    pthread_mutex_unlock(&machine->lock);
    return made;
}

bool kiln_sim_machine_free(kiln_sim_machine_t *machine, void *pointer, kiln_sim_error_t *error)
{
    pthread_mutex_lock(&machine->lock);
    bool good = kiln_sim_memory_free(&machine->memory, pointer, error);
    pthread_mutex_unlock(&machine->lock);
    return good;
}

void kiln_sim_machine_copy(kiln_sim_machine_t *machine, void *to, const void *from, uint64_t bytes)
{
    pthread_mutex_lock(&machine->lock);
    memmove(to, from, bytes);
    kiln_sim_memory_mark_copy(&machine->memory, (uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from,
                              bytes);
    pthread_mutex_unlock(&machine->lock);
}

// ---- code objects

bool kiln_sim_machine_load(kiln_sim_machine_t *machine, const void *file, size_t size,
                           kiln_sim_code_object_t **out, kiln_sim_error_t *error)
{
    pthread_mutex_lock(&machine->lock);
    *out = kiln_sim_code_object_load(&machine->memory, file, size,
                                     kiln_sim_setup_of(machine).options.variant, error);
    if (*out) {
        (*out)->next = machine->objects;
        machine->objects = *out;
    }
    pthread_mutex_unlock(&machine->lock);
    return *out != NULL;
}

bool kiln_sim_machine_load_source(kiln_sim_machine_t *machine, const kiln_sim_source_t *source,
                                  uint64_t size, kiln_sim_code_object_t **out,
                                  kiln_sim_error_t *error)
{
    size_t object_size;
    *out = NULL;
    uint8_t *object = kiln_sim_image_read(source, size, &object_size, error);
    const bool good = object && kiln_sim_machine_load(machine, object, object_size, out, error);
    free(object);
    return good;
}

void kiln_sim_machine_unload(kiln_sim_machine_t *machine, kiln_sim_code_object_t *object)
{
    pthread_mutex_lock(&machine->lock);
    for (kiln_sim_code_object_t **link = &machine->objects; *link; link = &(*link)->next) {
        if (*link == object) {
            *link = object->next;
            break;
        }
    }
    machine->decoded -= object->decoded;
    if (machine->clock)
        kiln_timing_clock_forget(machine->clock, object);
    kiln_sim_code_object_unload(&machine->memory, object);
    pthread_mutex_unlock(&machine->lock);
}

const kiln_sim_kernel_t *kiln_sim_object_kernel(const kiln_sim_code_object_t *object,
                                                const char *name)
{
    return kiln_sim_code_object_kernel(object, name, strlen(name));
}

unsigned kiln_sim_kernel_occupancy(const kiln_sim_kernel_t *kernel, unsigned waves,
                                   unsigned lds_size)
{
    return kiln_sim_groups_per_cu(kernel, waves, lds_size);
}

// ---- launches

// A missing trace, timeline or report must not pass for a complete one.
static bool all_written(const kiln_sim_machine_t *machine, const kiln_sim_options_t *options,
                        const kiln_sim_result_t *result, bool predicts, kiln_sim_error_t *error)
{
    if (kiln_sim_trace_failed(options->trace))
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                             "KILN_SIM_TRACE: cannot write the trace");
    if (predicts && machine->clock->unwritten)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "KILN_SIM_TIMELINE: cannot write '%s'",
                             options->timeline);
    if (result->findings.lost)
        return kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory for findings");
    if (result->findings.unwritten)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "KILN_SIM_REPORT: cannot write '%s'",
                             options->report);
    return true;
}

bool kiln_sim_machine_check(kiln_sim_machine_t *machine, const kiln_sim_dispatch_t *dispatch,
                            kiln_sim_error_t *error)
{
    const kiln_sim_setup_t setup = kiln_sim_setup_of(machine);
    return kiln_sim_launch_check(machine, &setup, dispatch, error);
}

bool kiln_sim_machine_launch(kiln_sim_machine_t *machine, const kiln_sim_dispatch_t *given,
                             kiln_sim_result_t **out, kiln_sim_error_t *error)
{
    kiln_sim_dispatch_t dispatch = {0};
    memcpy(&dispatch, given,
           given->struct_size < sizeof dispatch ? given->struct_size : sizeof dispatch);
    kiln_sim_result_t *result = calloc(1, sizeof *result);
    if (out)
        *out = result;
    if (!result)
        return kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY,
                             "out of host memory for a launch's result");
    pthread_mutex_lock(&machine->lock);
    kiln_sim_setup_t setup = kiln_sim_setup_of(machine);
    const char *stalls_of = setup.options.stalls_of;
    const bool predicts = setup.observers[KILN_SIM_PLACE_CLOCK].table != NULL;
    bool good =
        predicts || (!setup.options.timeline && !setup.options.stalls && !stalls_of) ||
        kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                      "KILN_SIM_TIMELINE and KILN_SIM_STALLS require KILN_SIM_CLOCK=model or only");
    setup.options.stalls |= stalls_of && strcmp(stalls_of, dispatch.kernel->name) == 0;
    good =
        good &&
        kiln_sim_launch_run(machine, &setup, &dispatch, &result->findings, &result->stats, error) &&
        all_written(machine, &setup.options, result, predicts, error);
    result->has_prediction = good && predicts && machine->clock->predicted;
    if (result->has_prediction) {
        result->prediction = machine->clock->prediction;
        result->number = machine->clock->number;
        result->lines = machine->clock->lines;
        machine->clock->lines = (kiln_timing_lines_t){0};
    }
    pthread_mutex_unlock(&machine->lock);
    result->has_stats = good;
    if (!out)
        kiln_sim_result_free(result);
    return good;
}

void kiln_sim_machine_flush(kiln_sim_machine_t *machine, uint64_t bytes)
{
    pthread_mutex_lock(&machine->lock);
    if (machine->clock)
        kiln_timing_cache_state_flush(&machine->clock->cache_state, bytes);
    pthread_mutex_unlock(&machine->lock);
}

void kiln_sim_result_free(kiln_sim_result_t *result)
{
    if (result) {
        kiln_sim_findings_clear(&result->findings);
        kiln_timing_lines_free(&result->lines);
    }
    free(result);
}

// Fills a client's struct, whose first field is its size, with as much of `from` as fits.
static bool copy_out(void *to, const void *from, size_t size)
{
    size_t *room = to;
    if (!room || *room <= sizeof *room || !from)
        return false;
    const size_t given = *room < size ? *room : size;
    memcpy(to, from, given);
    *room = given;
    return true;
}

bool kiln_sim_result_stats(const kiln_sim_result_t *result, kiln_sim_launch_stats_t *stats)
{
    return copy_out(stats, result && result->has_stats ? &result->stats : NULL, sizeof *stats);
}

bool kiln_sim_result_prediction(const kiln_sim_result_t *result, kiln_sim_prediction_t *prediction)
{
    return copy_out(prediction, result && result->has_prediction ? &result->prediction : NULL,
                    sizeof *prediction);
}

bool kiln_sim_result_line(const kiln_sim_result_t *result, size_t index, kiln_sim_line_t *line)
{
    return copy_out(line,
                    result && index < result->lines.count ? &result->lines.all[index].line : NULL,
                    sizeof *line);
}

bool kiln_sim_machine_replay(kiln_sim_machine_t *machine, const kiln_sim_result_t *result,
                             const kiln_sim_supposition_t *supposition,
                             kiln_sim_prediction_t *prediction)
{
    kiln_sim_prediction_t found;
    kiln_sim_supposition_t known = {0};
    memcpy(&known, supposition,
           supposition->struct_size < sizeof known ? supposition->struct_size : sizeof known);
    pthread_mutex_lock(&machine->lock);
    const bool good = result && result->has_prediction && machine->clock &&
                      machine->clock->number == result->number &&
                      kiln_timing_clock_replay(machine->clock, &known, &found);
    pthread_mutex_unlock(&machine->lock);
    return copy_out(prediction, good ? &found : NULL, sizeof found);
}

bool kiln_sim_result_finding(const kiln_sim_result_t *result, size_t index,
                             kiln_sim_finding_t *finding)
{
    return copy_out(finding, result ? kiln_sim_findings_at(&result->findings, index) : NULL,
                    sizeof *finding);
}

void kiln_sim_machine_blame(const kiln_sim_machine_t *machine, kiln_sim_result_t **result,
                            const char *call, const char *message)
{
    if (!*result)
        *result = calloc(1, sizeof **result);
    const kiln_sim_setup_t setup = kiln_sim_setup_of(machine);
    if (*result)
        kiln_sim_check_host(&setup.options, &(*result)->findings, call, message);
}

unsigned kiln_sim_machine_checks(const kiln_sim_machine_t *machine)
{
    return kiln_sim_setup_of(machine).options.checks;
}

double kiln_sim_machine_move_ms(const kiln_sim_machine_t *machine, uint64_t read, uint64_t written,
                                uint64_t linked)
{
    const kiln_sim_setup_t setup = kiln_sim_setup_of(machine);
    if (setup.observers[KILN_SIM_PLACE_CLOCK].table)
        return kiln_timing_move_ms(setup.options.product, read, written, linked);
    return setup.options.clock_bounds
               ? kiln_timing_move_bound_ms(setup.options.product, read, written, linked)
               : 0;
}
