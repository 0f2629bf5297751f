// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records events around work, and logs what they measured.
//
// An event can be read only when the work is done, and asking before would leave an error that the
// program may take for its own. Work is therefore logged late: when the program ends, resets the
// device, or has enqueued many pieces of work. Times are microseconds since the first call, those
// of a device from an event that is recorded then; one clock cannot be converted to the other
// exactly.
#include "prof/prof.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/json_string.h"
#include "base/number.h"

enum { MAX_PENDING = 4096, DEVICES = 64 };

typedef struct pending {
    kiln_prof_work_t work;
    long thread;
    double call_us;
} pending_t;

typedef struct name {
    const void *key;
    char *text;
} name_t;

static struct {
    pthread_mutex_t lock;
    pid_t process; // 0: before the first call
    double epoch;  // seconds
    pending_t *pending;
    size_t pending_count, pending_capacity;
    void **events; // not in use, by device
    int *event_devices;
    size_t event_count, event_capacity, event_device_capacity;
    void **streams; // numbered from 1
    size_t stream_count, stream_capacity;
    name_t *names;
    size_t name_count, name_capacity;
    struct {
        void *event; // NULL: none
        double at;   // microseconds
    } base[DEVICES];
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

__thread bool kiln_prof_inside;

// The HIP library's functions -----------------------------------------------------------------------

// clang-format off
static struct {
    bool is_known;
    int (*create)(void **event);
    int (*record)(void *event, void *stream);
    int (*synchronize)(void *event);
    int (*elapsed)(float *milliseconds, void *start, void *stop);
    int (*get_device)(int *device);
    int (*is_capturing)(void *stream, int *state);
    int (*last_error)(void);
    const char *(*kernel_name)(void *function);
    const char *(*kernel_name_of_host)(const void *host, void *stream);
} hip;
// clang-format on

static bool find_hip(void)
{
    static const struct {
        const char *name;
        void *slot;
    } rows[] = {{"hipEventCreate", &hip.create},
                {"hipEventRecord", &hip.record},
                {"hipEventElapsedTime", &hip.elapsed},
                {"hipGetDevice", &hip.get_device},
                {"hipStreamIsCapturing", &hip.is_capturing},
                {"hipGetLastError", &hip.last_error},
                {"hipKernelNameRef", &hip.kernel_name},
                {"hipKernelNameRefByPtr", &hip.kernel_name_of_host}};
    for (size_t i = 0; !hip.is_known && i < sizeof rows / sizeof *rows; i++) {
        void *found = kiln_prof_find(rows[i].name);
        memcpy(rows[i].slot, &found, sizeof found);
    }
    void *synchronize = kiln_prof_real(KILN_PROF_hipEventSynchronize);
    memcpy(&hip.synchronize, &synchronize, sizeof synchronize);
    hip.is_known = true;
    return hip.create && hip.record && hip.elapsed && hip.synchronize;
}

// Whether a call of this library succeeded. If not, the program must not find its error.
static bool good(int error)
{
    if (error && hip.last_error)
        hip.last_error();
    return !error;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double now(void)
{
    return (seconds() - state.epoch) * 1e6;
}

// Lines ---------------------------------------------------------------------------------------------

static void write_line(char *text, size_t size)
{
    const char *path = getenv("KILN_PROF_LOG");
    const int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (file < 0 || write(file, text, size) != (ssize_t)size || close(file) != 0)
        fprintf(stderr, "kiln prof: cannot write '%s'\n", path ? path : "KILN_PROF_LOG");
    free(text);
}

static void begin_line(FILE *line, const char *kind, long thread, int device, const char *call)
{
    fprintf(line, "{\"kind\":\"%s\",\"process\":%ld,\"thread\":%ld,\"device\":%d,\"call\":\"%s\"",
            kind, (long)getpid(), thread, device, call);
}

static void array(FILE *line, const char *name, const uint32_t values[3])
{
    fprintf(line, ",\"%s\":[%u,%u,%u]", name, values[0], values[1], values[2]);
}

static size_t number_of_stream(void *stream)
{
    for (size_t i = 0; i < state.stream_count; i++) {
        if (state.streams[i] == stream)
            return i + 1;
    }
    if (!KILN_ARRAY_RESERVE(&state.streams, &state.stream_capacity, state.stream_count + 1))
        return 0;
    state.streams[state.stream_count] = stream;
    return ++state.stream_count;
}

static void put_work(FILE *line, const pending_t *pending, double begin, double us)
{
    const kiln_prof_work_t *work = &pending->work;
    begin_line(line, work->kind, pending->thread, work->device, work->call);
    fprintf(line, ",\"stream\":%zu", number_of_stream(work->stream));
    kiln_format_file(line,
                     ",\"enqueued\":%.17g,\"call_us\":%.17g,\"begin\":%.17g,\"end\":%.17g,"
                     "\"measured_us\":%.17g",
                     work->enqueued, pending->call_us, begin, begin + us, us);
    if (work->name) {
        fputs(",\"name\":", line);
        kiln_json_write_string(line, work->name);
        array(line, "grid", work->grid);
        array(line, "block", work->block);
    }
    if (work->from)
        fprintf(line, ",\"from\":\"%s\"", work->from);
    if (work->to)
        fprintf(line, ",\"to\":\"%s\",\"bytes\":%zu", work->to, work->bytes);
    fputs("}\n", line);
}

// Events ------------------------------------------------------------------------------------------

static void *take_event(int device)
{
    for (size_t i = state.event_count; i-- > 0;) {
        if (state.event_devices[i] != device)
            continue;
        void *event = state.events[i];
        state.event_count--;
        state.events[i] = state.events[state.event_count];
        state.event_devices[i] = state.event_devices[state.event_count];
        return event;
    }
    void *event = NULL;
    return good(hip.create(&event)) ? event : NULL;
}

static void give_event(void *event, int device)
{
    if (!event ||
        !KILN_ARRAY_RESERVE(&state.events, &state.event_capacity, state.event_count + 1) ||
        !KILN_ARRAY_RESERVE(&state.event_devices, &state.event_device_capacity,
                            state.event_count + 1))
        return;
    state.events[state.event_count] = event;
    state.event_devices[state.event_count++] = device;
}

// The beginning of a device's time.
static bool has_base(int device)
{
    void *event = NULL;
    if (state.base[device].event)
        return true;
    if (!good(hip.create(&event)) || !good(hip.record(event, NULL)) ||
        !good(hip.synchronize(event)))
        return false;
    state.base[device].event = event;
    state.base[device].at = now();
    return true;
}

static void log_pending(FILE *log, const pending_t *pending)
{
    const kiln_prof_work_t *work = &pending->work;
    float begin, took;
    if (good(hip.synchronize(work->stop)) && good(hip.elapsed(&took, work->start, work->stop)) &&
        good(hip.elapsed(&begin, state.base[work->device].event, work->start)))
        put_work(log, pending, state.base[work->device].at + (double)begin * 1e3,
                 (double)took * 1e3);
    give_event(work->start, work->device);
    give_event(work->stop, work->device);
}

static void flush_locked(void)
{
    char *text = NULL;
    size_t size;
    FILE *log = state.pending_count ? open_memstream(&text, &size) : NULL;
    for (size_t i = 0; log && i < state.pending_count; i++)
        log_pending(log, &state.pending[i]);
    state.pending_count = 0;
    if (log && fclose(log) == 0)
        write_line(text, size);
}

void kiln_prof_forget(void)
{
    const bool was_inside = kiln_prof_inside;
    kiln_prof_inside = true;
    pthread_mutex_lock(&state.lock);
    if (state.process == getpid())
        flush_locked();
    state.event_count = 0;
    memset(state.base, 0, sizeof state.base);
    pthread_mutex_unlock(&state.lock);
    kiln_prof_inside = was_inside;
}

// In a child of fork, its parent's events and streams mean nothing.
static void start(void)
{
    static bool is_registered;
    if (state.process == getpid())
        return;
    state.process = getpid();
    state.epoch = seconds();
    state.pending_count = state.event_count = state.stream_count = 0;
    memset(state.base, 0, sizeof state.base);
    // Handlers run in reverse order: this one before the HIP library's, which is loaded by now.
    if (!is_registered)
        is_registered = atexit(kiln_prof_forget) == 0;
}

double kiln_prof_now(void)
{
    pthread_mutex_lock(&state.lock);
    start();
    pthread_mutex_unlock(&state.lock);
    return now();
}

static bool is_captured(void *stream)
{
    int captures = 0;
    return hip.is_capturing && (!good(hip.is_capturing(stream, &captures)) || captures);
}

void kiln_prof_begin(kiln_prof_work_t *work, kiln_prof_records_t records)
{
    work->is_timed = false;
    pthread_mutex_lock(&state.lock);
    start();
    if (find_hip() && !is_captured(work->stream)) {
        if (!hip.get_device || !good(hip.get_device(&work->device)) || work->device >= DEVICES)
            work->device = 0;
        if (state.pending_count >= MAX_PENDING)
            flush_locked();
        if (has_base(work->device)) {
            work->start = take_event(work->device);
            work->stop = take_event(work->device);
            work->is_timed =
                work->start && work->stop &&
                (records == KILN_PROF_LEAVES_EVENTS || good(hip.record(work->start, work->stream)));
        }
    }
    work->enqueued = now();
    pthread_mutex_unlock(&state.lock);
}

void kiln_prof_end(kiln_prof_work_t *work, kiln_prof_records_t records, int error)
{
    const double call_us = now() - work->enqueued;
    if (!work->is_timed)
        return;
    pthread_mutex_lock(&state.lock);
    const bool measured = !error && (records == KILN_PROF_LEAVES_EVENTS ||
                                     good(hip.record(work->stop, work->stream)));
    if (measured &&
        KILN_ARRAY_RESERVE(&state.pending, &state.pending_capacity, state.pending_count + 1)) {
        state.pending[state.pending_count++] = (pending_t){*work, (long)gettid(), call_us};
    } else {
        give_event(work->start, work->device);
        give_event(work->stop, work->device);
    }
    pthread_mutex_unlock(&state.lock);
}

void kiln_prof_waited(const char *call, const char *what, double begin)
{
    char *text = NULL;
    size_t size;
    const double end = now();
    FILE *line = state.process == getpid() ? open_memstream(&text, &size) : NULL;
    if (!line)
        return;
    begin_line(line, "wait", (long)gettid(), 0, call);
    kiln_format_file(line, ",\"for\":\"%s\",\"begin\":%.17g,\"end\":%.17g}\n", what, begin, end);
    if (fclose(line) == 0)
        write_line(text, size);
}

// Names -------------------------------------------------------------------------------------------

// The text of a key, which is set first unless `text` is NULL.
static const char *name_of(const void *key, const char *text)
{
    name_t *found = NULL;
    pthread_mutex_lock(&state.lock);
    for (size_t i = 0; i < state.name_count && !found; i++)
        found = state.names[i].key == key ? &state.names[i] : NULL;
    if (!found && text &&
        KILN_ARRAY_RESERVE(&state.names, &state.name_capacity, state.name_count + 1)) {
        found = &state.names[state.name_count++];
        *found = (name_t){.key = key};
    }
    // A handle may denote another kernel later. Its old name may still be in use.
    if (found && text && (!found->text || strcmp(found->text, text) != 0))
        found->text = strdup(text);
    const char *name = found ? found->text : NULL;
    pthread_mutex_unlock(&state.lock);
    return name;
}

void kiln_prof_name_set(void *function, const char *name)
{
    name_of(function, name);
}

const char *kiln_prof_name(void *function)
{
    const char *name = name_of(function, NULL);
    if (!name && find_hip() && hip.kernel_name && (name = hip.kernel_name(function)))
        name = name_of(function, name);
    return name ? name : "(unknown)";
}

const char *kiln_prof_name_of_host(const void *host, void *stream)
{
    const char *name = name_of(host, NULL);
    if (!name && find_hip() && hip.kernel_name_of_host &&
        (name = hip.kernel_name_of_host(host, stream)))
        name = name_of(host, name);
    return name ? name : "(unknown)";
}
