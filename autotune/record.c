// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records launched problems as lines of JSON, which `kiln tune --from` reads.
//
// A line is written by one call of write to a file opened for appending, so that lines of several
// processes do not mix.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/json.h"
#include "base/require.h"
#include "base/string.h"
#include "kiln/tune.h"

enum { RECORD_MODE = 0600, RECORD_VERSION = 1 };

struct kiln_tune_recorder {
    int file;
    char *path;
    kiln_jit_tune_fn next;
    void *next_user;
    pthread_mutex_t mutex; // of `lines`
    char **lines;          // recorded ones
    size_t count, capacity;
};

kiln_status_t kiln_tune_recorder_open(const char *path, kiln_jit_tune_fn next, void *next_user,
                                      kiln_tune_recorder_t **out_recorder)
{
    KILN_REQUIRE_OUT(out_recorder);
    KILN_REQUIRE(path);
    kiln_tune_recorder_t *recorder = calloc(1, sizeof *recorder);
    char *copy = strdup(path);
    if (!recorder || !copy) {
        free(recorder);
        free(copy);
        return kiln_status_out_of_memory();
    }
    *recorder = (kiln_tune_recorder_t){.path = copy, .next = next, .next_user = next_user};
    pthread_mutex_init(&recorder->mutex, NULL);
    recorder->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, RECORD_MODE);
    if (recorder->file < 0) {
        const int error = errno;
        kiln_tune_recorder_release(recorder);
        return kiln_status_make(KILN_STATUS_IO, "cannot record to '%s': %s", path, strerror(error));
    }
    *out_recorder = recorder;
    return KILN_OK;
}

void kiln_tune_recorder_release(kiln_tune_recorder_t *recorder)
{
    if (!recorder)
        return;
    if (recorder->file >= 0)
        close(recorder->file);
    for (size_t i = 0; i < recorder->count; i++)
        free(recorder->lines[i]);
    pthread_mutex_destroy(&recorder->mutex);
    free(recorder->lines);
    free(recorder->path);
    free(recorder);
}

// Lines -------------------------------------------------------------------------------------------

static json_t *argument_json(const kiln_jit_argument_t *argument)
{
    const kiln_arg_hint_t hint = kiln_jit_argument_hint(argument);
    const bool is_integer =
        argument->kind == KILN_JIT_INTEGER || argument->kind == KILN_JIT_UNSIGNED;
    json_t *value = is_integer ? json_integer(argument->integer)
                    : argument->kind == KILN_JIT_REAL
                        ? json_real(argument->real)
                        : json_integer((json_int_t)argument->address_size);
    const char *member = is_integer                        ? "integer"
                         : argument->kind == KILN_JIT_REAL ? "real"
                                                           : "bytes";
    // Without a size no buffer can be made, which a type would promise.
    const bool has_type = argument->kind == KILN_JIT_POINTER &&
                          (argument->address_size || (argument->integer & KILN_JIT_STORAGE));
    const char *type = has_type ? hint.type : NULL;
    return json_pack("{s:o,s:o,s:s?,s:i,s:b}", "name", kiln_json_text(argument->name), member,
                     value, "type", type, "divisibility", (int)hint.divisibility, "below_2g",
                     (int)hint.pointer_range_32);
}

// False if memory is exhausted.
static bool add_arguments(json_t *array, const kiln_jit_call_t *call)
{
    for (size_t i = 0; i < call->argument_count; i++)
        if (json_array_append_new(array, argument_json(&call->arguments[i])) != 0)
            return false;
    return true;
}

static bool add_settings(json_t *object, const kiln_jit_tune_request_t *request)
{
    for (size_t i = 0; i < request->setting_count; i++)
        if (json_object_set_new(object, request->settings[i].name,
                                kiln_json_text(request->settings[i].value)) != 0)
            return false;
    return true;
}

static kiln_status_t make_line(const kiln_jit_tune_request_t *request, char **out_line)
{
    const kiln_jit_call_t *call = request->call;
    const size_t length = call->source.length ? call->source.length : strlen(call->source.text);
    json_t *source = json_stringn(call->source.text, length);
    if (!source)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "cannot record the source of '%s': it is not UTF-8",
                                call->source.name);
    json_t *arguments = json_array(), *settings = json_object();
    const bool is_whole = add_arguments(arguments, call) && add_settings(settings, request);
    json_t *json = json_pack(
        "{s:i,s:o,s:i,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "version", RECORD_VERSION, "file",
        kiln_json_text(call->source.name), "stage", (int)call->source.stage, "source", source,
        "kernel", kiln_json_text(call->kernel), "problem", kiln_json_text(request->problem),
        "device", kiln_json_text(request->device), "tuning_arguments",
        kiln_json_text(request->arguments), "settings", settings, "arguments", arguments);
    *out_line = json && is_whole ? kiln_json_print_line(json) : NULL;
    json_decref(json);
    return *out_line ? KILN_OK : kiln_status_out_of_memory();
}

static kiln_status_t write_line(kiln_tune_recorder_t *recorder, const char *line)
{
    char *text = kiln_string_print("%s\n", line);
    if (!text)
        return kiln_status_out_of_memory();
    const size_t length = strlen(text);
    const ssize_t written = write(recorder->file, text, length);
    const int error = written < 0 ? errno : ENOSPC;
    free(text);
    if (written >= 0 && (size_t)written == length)
        return KILN_OK;
    return kiln_status_make(KILN_STATUS_IO, "cannot record to '%s': %s", recorder->path,
                            strerror(error));
}

// Writes a line unless this recorder has written it before. Takes ownership of the line.
static kiln_status_t add_line(kiln_tune_recorder_t *recorder, char *line)
{
    for (size_t i = 0; i < recorder->count; i++)
        if (strcmp(recorder->lines[i], line) == 0) {
            free(line);
            return KILN_OK;
        }
    if (!KILN_ARRAY_RESERVE(&recorder->lines, &recorder->capacity, recorder->count + 1)) {
        free(line);
        return kiln_status_out_of_memory();
    }
    kiln_status_t status = write_line(recorder, line);
    if (status) // the next call tries again
        free(line);
    else
        recorder->lines[recorder->count++] = line;
    return status;
}

kiln_status_t kiln_tune_record(const kiln_jit_tune_request_t *request, void *user,
                               char **out_config)
{
    KILN_REQUIRE_OUT(out_config);
    kiln_jit_tune_request_t taken = {.struct_size = sizeof taken};
    KILN_REQUIRE_STRUCT(kiln_jit_tune_request_t, &taken, request);
    KILN_REQUIRE(user);
    KILN_REQUIRE_THAT(taken.call, "request->%s is NULL", "call");
    kiln_tune_recorder_t *recorder = user;
    char *line;
    KILN_TRY(make_line(&taken, &line));
    pthread_mutex_lock(&recorder->mutex);
    kiln_status_t status = add_line(recorder, line);
    pthread_mutex_unlock(&recorder->mutex);
    KILN_TRY(status);
    if (recorder->next)
        return recorder->next(request, recorder->next_user, out_config);
    return kiln_status_make(KILN_STATUS_NOT_FOUND, "no tuned settings: problems are only recorded");
}
