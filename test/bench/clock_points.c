// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "clock_points.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "clock_launch.h"
#include "kiln/sim.h"
#include "timing/interval.h"

enum { MAX_BUFFERS = 64, MAX_ARGUMENTS = 4096 };

static const char *text_of(const json_t *json, const char *key, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(json, key));
    return text ? text : otherwise;
}

// FNV-1a of the name, which alone decides the half of a point.
static bool is_held_back(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 0x100000001b3u;
    return hash >> 32 & 1;
}

static bool add(clock_points_t *points, json_t *json, const char *folder)
{
    if (points->count == points->capacity) {
        const size_t capacity = points->capacity ? 2 * points->capacity : 64;
        clock_point_t *made = realloc(points->points, capacity * sizeof *made);
        if (!made)
            return false;
        points->points = made;
        points->capacity = capacity;
    }
    clock_point_t *point = &points->points[points->count++];
    *point = (clock_point_t){.json = json,
                             .name = text_of(json, "name", "?"),
                             .family = text_of(json, "family", "?"),
                             .set = text_of(json, "set", "?"),
                             .source = text_of(json, "source", "?"),
                             .cache = text_of(json, "cache", "unknown"),
                             .folder = strdup(folder),
                             .measured_us = json_number_value(json_object_get(json, "time_us"))};
    point->held_back = is_held_back(point->name);
    return point->folder != NULL;
}

bool clock_points_read(clock_points_t *points, const char *directory)
{
    char path[4096], *line = NULL;
    size_t capacity = 0, number = 0;
    snprintf(path, sizeof path, "%s/points.jsonl", directory);
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        return false;
    }
    bool good = true;
    while (good && getline(&line, &capacity, file) > 0) {
        json_error_t error;
        number++;
        json_t *json = json_loads(line, 0, &error);
        good = json && add(points, json, directory);
        if (!json)
            fprintf(stderr, "%s:%zu: %s\n", path, number, error.text);
    }
    free(line);
    fclose(file);
    return good;
}

void clock_points_free(clock_points_t *points)
{
    for (size_t i = 0; i < points->count; i++) {
        json_decref(points->points[i].json);
        free((char *)points->points[i].folder);
    }
    free(points->points);
    *points = (clock_points_t){0};
}

// ---- one point

typedef struct buffers {
    const char *name[MAX_BUFFERS];
    uint8_t *at[MAX_BUFFERS];
    size_t count;
} buffers_t;

// The contents of a buffer before the first launch, if a kernel's accesses depend on them: the
// bytes of a file next to points.jsonl.
static bool fill_from_file(const clock_point_t *point, const char *name, uint8_t *at,
                           uint64_t bytes, kiln_sim_error_t *error)
{
    char path[4096], *data = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s", point->folder, name);
    kiln_status_t status = kiln_file_read(path, &data, &size);
    const bool good = !status && size <= bytes;
    if (good)
        memcpy(at, data, size);
    else
        snprintf(error->text, sizeof error->text, "cannot read %.200s", path);
    kiln_status_free(status);
    free(data);
    return good;
}

static bool make_buffers(kiln_sim_machine_t *machine, const clock_point_t *point,
                         buffers_t *buffers, kiln_sim_error_t *error)
{
    const char *name;
    json_t *buffer;
    json_object_foreach(json_object_get(point->json, "buffers"), name, buffer)
    {
        if (buffers->count == MAX_BUFFERS)
            return false;
        const uint64_t bytes = (uint64_t)json_integer_value(json_object_get(buffer, "bytes"));
        buffers->name[buffers->count] = name;
        buffers->at[buffers->count] = kiln_sim_machine_allocate(machine, bytes, error);
        if (!buffers->at[buffers->count])
            return false;
        const char *file = json_string_value(json_object_get(buffer, "file"));
        if (file && !fill_from_file(point, file, buffers->at[buffers->count], bytes, error))
            return false;
        buffers->count++;
    }
    return true;
}

static void put(uint8_t *packed, size_t *used, const void *value, size_t size)
{
    *used = (*used + size - 1) / size * size;
    if (*used + size <= MAX_ARGUMENTS)
        memcpy(packed + *used, value, size);
    *used += size;
}

static bool pack_one(const json_t *argument, const buffers_t *buffers, uint8_t *packed,
                     size_t *used)
{
    const char *name = json_string_value(json_object_get(argument, "buffer"));
    if (name) {
        for (size_t i = 0; i < buffers->count; i++) {
            if (strcmp(buffers->name[i], name) != 0)
                continue;
            const uint8_t *at =
                buffers->at[i] + json_integer_value(json_object_get(argument, "offset"));
            put(packed, used, &at, sizeof at);
            return true;
        }
        return false;
    }
    const char *type = json_object_iter_key(json_object_iter((json_t *)argument));
    const json_t *value = json_object_iter_value(json_object_iter((json_t *)argument));
    if (!type)
        return false;
    const int64_t integer = json_integer_value(value);
    const double real = json_number_value(value);
    const float single = (float)real;
    if (strcmp(type, "f32") == 0)
        put(packed, used, &single, sizeof single);
    else if (strcmp(type, "f64") == 0)
        put(packed, used, &real, sizeof real);
    else if (strchr("iu", *type) && strcmp(type + 1, "64") == 0)
        put(packed, used, &integer, 8);
    else if (strchr("iu", *type) && strcmp(type + 1, "32") == 0)
        put(packed, used, &integer, 4);
    else if (strchr("iuf", *type) && strcmp(type + 1, "16") == 0)
        put(packed, used, &integer, 2);
    else if (strchr("iu", *type) && strcmp(type + 1, "8") == 0)
        put(packed, used, &integer, 1);
    else if (strcmp(type, "ptr") == 0)
        put(packed, used, &integer, 8);
    else
        return false;
    return true;
}

static void triple(const json_t *json, const char *key, uint32_t out[3])
{
    for (size_t i = 0; i < 3; i++) {
        const json_t *value = json_array_get(json_object_get(json, key), i);
        out[i] = value ? (uint32_t)json_integer_value(value) : 1;
    }
}

static bool load(kiln_sim_machine_t *machine, const clock_point_t *point, const json_t *step,
                 kiln_sim_code_object_t **object, kiln_sim_error_t *error)
{
    char path[4096], *file = NULL;
    size_t size = 0;
    const char *name = text_of(step, "object", "");
    snprintf(path, sizeof path, "%s%s%s", *name == '/' ? "" : point->folder,
             *name == '/' ? "" : "/", name);
    kiln_status_t status = kiln_file_read(path, &file, &size);
    if (status) {
        snprintf(error->text, sizeof error->text, "cannot read %.200s", path);
        kiln_status_free(status);
        return false;
    }
    const bool good = kiln_sim_machine_load(machine, file, size, object, error);
    free(file);
    return good;
}

// One launch. Returns its predicted microseconds, or a negative number; if `events`, includes what
// events around it add to the measured time.
static double run_step(clock_point_t *point, kiln_sim_machine_t *machine,
                       const kiln_sim_code_object_t *object, const json_t *step,
                       const buffers_t *buffers, bool events, kiln_sim_error_t *error)
{
    size_t used = 0;
    uint8_t packed[MAX_ARGUMENTS] = {0};
    double us = -1;
    size_t index;
    json_t *argument;
    bool good = true;
    json_array_foreach(json_object_get(step, "args"), index, argument)
    {
        if (good && !pack_one(argument, buffers, packed, &used)) {
            snprintf(error->text, sizeof error->text, "argument %zu is not understood", index);
            good = false;
        }
    }
    kiln_sim_dispatch_t dispatch = {
        .struct_size = sizeof dispatch,
        .dynamic_lds = (uint32_t)json_integer_value(json_object_get(step, "dynamic_lds")),
        .packed = packed,
        .packed_size = used};
    triple(step, "grid", dispatch.grid);
    triple(step, "block", dispatch.block);
    if (good) {
        dispatch.kernel = kiln_sim_object_kernel(object, text_of(step, "kernel", ""));
        good = dispatch.kernel != NULL;
        if (!good)
            snprintf(error->text, sizeof error->text, "no such kernel");
    }
    kiln_sim_result_t *result = NULL;
    kiln_sim_prediction_t p = {.struct_size = sizeof p};
    if (good && kiln_sim_machine_launch(machine, &dispatch, &result, error)) {
        if (kiln_sim_result_prediction(result, &p))
            us = p.microseconds + (events ? p.launch_microseconds : 0);
        else
            snprintf(error->text, sizeof error->text, "no prediction");
        if (us > point->bound_us) {
            point->bound_us = us;
            point->bound = kiln_timing_bound_of(&p);
        }
        if (point->detailed)
            clock_launch_print(result, &p);
    }
    kiln_sim_result_free(result);
    return us;
}

// What other work uses between two launches with cold caches.
static uint64_t flushed_bytes(const json_t *point)
{
    const char *cache = text_of(point, "infinity_cache", "unknown");
    const json_int_t bytes = json_integer_value(json_object_get(point, "flushed_bytes"));
    return strcmp(cache, "warm") == 0 ? 0 : bytes > 0 ? (uint64_t)bytes : UINT64_MAX;
}

// The microseconds of launches that are timed together, on a machine of their own; `clock` selects
// how much is executed (KILN_SIM_CLOCK). On failure negative, with point->problem.
static double predict_steps(clock_point_t *point, const json_t *steps, const char *clock)
{
    char mhz[24];
    snprintf(mhz, sizeof mhz, "%lld",
             (long long)json_integer_value(json_object_get(point->json, "clock_mhz")));
    const bool host_arguments =
        strcmp(text_of(point->json, "kernel_arguments", "device"), "host") == 0;
    const bool host_waits = json_is_true(json_object_get(point->json, "host_waits"));
    const kiln_sim_setting_t settings[] = {{"clock", clock},
                                           {"device", text_of(point->json, "device", "mi300x")},
                                           {"lds", "160k"},
                                           {"clock_mhz", mhz},
                                           {"host_arguments", host_arguments ? "1" : "0"},
                                           {"host_waits", host_waits ? "1" : "0"},
                                           {"stalls", point->detailed ? "1" : "0"},
                                           {"threads", "1"}};
    kiln_sim_machine_t *machine = NULL;
    kiln_sim_error_t error = {0};
    buffers_t buffers = {0};
    bool good =
        kiln_sim_machine_create(settings, sizeof settings / sizeof *settings, &machine, &error) &&
        make_buffers(machine, point, &buffers, &error);
    enum { MAX_STEPS = 64 };
    kiln_sim_code_object_t *objects[MAX_STEPS] = {0};
    size_t index;
    json_t *step;
    json_array_foreach(steps, index, step)
    {
        good = good && index < MAX_STEPS && load(machine, point, step, &objects[index], &error);
    }
    const bool cold = strcmp(point->cache, "cold") == 0;
    const bool events = strcmp(text_of(point->json, "timer", "kernel"), "events") == 0;
    const uint64_t flushed = flushed_bytes(point->json);
    double total = 0;
    for (int round = 0; good && round < 2;
         round++) { // the second round starts with the caches of the first
        if (cold)
            kiln_sim_machine_flush(machine, flushed);
        total = 0;
        point->bound_us = 0;
        json_array_foreach(steps, index, step)
        {
            // Of the launches between two events, all but the first are issued while the previous
            // one runs.
            const double us = good ? run_step(point, machine, objects[index], step, &buffers,
                                              events && index == 0, &error)
                                   : -1;
            good = us >= 0;
            total += us;
        }
    }
    snprintf(point->problem, sizeof point->problem, "%.250s",
             good            ? ""
             : error.text[0] ? error.text
                             : "?");
    kiln_sim_machine_destroy(machine);
    return good ? total : -1;
}

// Workgroups that wait for others, as with split K, never finish if those are not executed. Then
// all are executed.
static double predict(clock_point_t *point, const json_t *steps)
{
    const double us = predict_steps(point, steps, "only");
    return us >= 0 ? us : predict_steps(point, steps, "model");
}

void clock_point_predict(clock_point_t *point)
{
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    const json_t *steps = json_object_get(point->json, "steps"),
                 *candidates = json_object_get(point->json, "candidates");
    double fastest = steps ? predict(point, steps) : -1;
    size_t index;
    json_array_foreach(candidates, index, steps)
    {
        const double us = predict(point, steps);
        fastest = us >= 0 && (fastest < 0 || us < fastest) ? us : fastest;
    }
    point->predicted_us = fastest > 0 ? fastest : 0;
    clock_gettime(CLOCK_MONOTONIC, &end);
    point->seconds =
        (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}
