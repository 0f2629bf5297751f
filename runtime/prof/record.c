// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records events around work, and logs what they measured.
//
// An event can be read only when the work is done. Nothing here waits for that: work may depend on
// what the program does next. What is finished is logged when the program itself has waited, resets
// the device, or ends. Times are microseconds since the first call, those of a device from an event
// that is recorded before its first work; one clock cannot be converted to the other exactly.
//
// The lock is not held during calls that may wait, such as recording an event on a full stream.
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

enum { INVALID_HANDLE = 400, NOT_READY = 600 };
enum { DEVICES = 64, MAX_STUCK = 64, LAST_WAIT_MS = 1000 };

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
typedef struct hip {
    int (*create)(void **event);
    int (*destroy)(void *event);
    int (*record)(void *event, void *stream);
    int (*query)(void *event);
    int (*elapsed)(float *milliseconds, void *start, void *stop);
    int (*get_device)(int *device);
    int (*stream_device)(void *stream, int *device);
    int (*stream_device_id)(void *stream);
    int (*is_capturing)(void *stream, int *state);
    int (*last_error)(void);
    int (*peek_error)(void);
    const char *(*kernel_name)(void *function);
    const char *(*kernel_name_of_host)(const void *host, void *stream);
} hip_t;
// clang-format on

static hip_t *find_functions(void)
{
    hip_t *hip = calloc(1, sizeof *hip);
    const struct {
        const char *name;
        void *slot;
    } rows[] = {{"hipEventCreate", &hip->create},
                {"hipEventDestroy", &hip->destroy},
                {"hipEventRecord", &hip->record},
                {"hipEventQuery", &hip->query},
                {"hipEventElapsedTime", &hip->elapsed},
                {"hipGetDevice", &hip->get_device},
                {"hipStreamGetDevice", &hip->stream_device},
                {"hipGetStreamDeviceId", &hip->stream_device_id},
                {"hipStreamIsCapturing", &hip->is_capturing},
                {"hipGetLastError", &hip->last_error},
                {"hipPeekAtLastError", &hip->peek_error},
                {"hipKernelNameRef", &hip->kernel_name},
                {"hipKernelNameRefByPtr", &hip->kernel_name_of_host}};
    for (size_t i = 0; hip && i < sizeof rows / sizeof *rows; i++) {
        void *found = kiln_prof_find(rows[i].name);
        memcpy(rows[i].slot, &found, sizeof found);
    }
    return hip;
}

// NULL if work cannot be timed. Without a lock, since the loader has one of its own.
static const hip_t *find_hip(void)
{
    static hip_t *found;
    hip_t *hip = __atomic_load_n(&found, __ATOMIC_ACQUIRE), *none = NULL;
    if (!hip && (hip = find_functions()) &&
        !__atomic_compare_exchange_n(&found, &none, hip, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        free(hip);
        hip = none;
    }
    return hip && hip->create && hip->record && hip->query && hip->elapsed ? hip : NULL;
}

// Whether a call of this library succeeded. If not, the program must not find its error.
static bool good(const hip_t *hip, int error)
{
    if (error && hip->last_error)
        hip->last_error();
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

static void *take_event(const hip_t *hip, int device)
{
    void *event = NULL;
    pthread_mutex_lock(&state.lock);
    for (size_t i = state.event_count; i-- > 0 && !event;) {
        if (state.event_devices[i] != device)
            continue;
        event = state.events[i];
        state.event_count--;
        state.events[i] = state.events[state.event_count];
        state.event_devices[i] = state.event_devices[state.event_count];
    }
    pthread_mutex_unlock(&state.lock);
    if (event)
        return event;
    return good(hip, hip->create(&event)) ? event : NULL;
}

static void destroy_event(const hip_t *hip, void *event)
{
    if (event && hip->destroy)
        good(hip, hip->destroy(event));
}

static void give_event_locked(const hip_t *hip, void *event, int device)
{
    if (!event)
        return;
    if (!KILN_ARRAY_RESERVE(&state.events, &state.event_capacity, state.event_count + 1) ||
        !KILN_ARRAY_RESERVE(&state.event_devices, &state.event_device_capacity,
                            state.event_count + 1)) {
        destroy_event(hip, event);
        return;
    }
    state.events[state.event_count] = event;
    state.event_devices[state.event_count++] = device;
}

// Records the beginning of a device's time on the stream of its first work, which has to wait for
// nothing else then.
static bool has_base(const hip_t *hip, int device, void *stream)
{
    pthread_mutex_lock(&state.lock);
    const bool is_known = state.base[device].event != NULL;
    pthread_mutex_unlock(&state.lock);
    if (is_known)
        return true;
    void *event = take_event(hip, device);
    const double at = now();
    const bool is_recorded = event && good(hip, hip->record(event, stream));
    pthread_mutex_lock(&state.lock);
    if (is_recorded && !state.base[device].event) {
        state.base[device].event = event;
        state.base[device].at = at;
    } else {
        give_event_locked(hip, event, device);
    }
    pthread_mutex_unlock(&state.lock);
    return is_recorded;
}

// Logs work that is finished, and gives its events back; false if it is not.
static bool log_if_finished(const hip_t *hip, FILE *log, const pending_t *pending)
{
    const kiln_prof_work_t *work = &pending->work;
    float begin, took;
    int error = hip->query(work->stop);
    if (!error)
        error = hip->elapsed(&took, work->start, work->stop);
    if (!error)
        error = hip->elapsed(&begin, state.base[work->device].event, work->start);
    if (good(hip, error))
        put_work(log, pending, state.base[work->device].at + (double)begin * 1e3,
                 (double)took * 1e3);
    else if (error == NOT_READY)
        return false;
    give_event_locked(hip, work->start, work->device);
    give_event_locked(hip, work->stop, work->device);
    return true;
}

static bool is_same_queue(const pending_t *a, const pending_t *b)
{
    return a->work.stream == b->work.stream && a->work.device == b->work.device &&
           a->thread == b->thread;
}

// Work behind unfinished work of its stream is not asked for.
static void log_finished_locked(const hip_t *hip)
{
    char *text = NULL;
    size_t size, kept = 0, stuck[MAX_STUCK], stuck_count = 0;
    FILE *log = state.pending_count ? open_memstream(&text, &size) : NULL;
    for (size_t i = 0; log && i < state.pending_count; i++) {
        const pending_t *pending = &state.pending[i];
        bool is_behind = false;
        for (size_t k = 0; k < stuck_count && !is_behind; k++)
            is_behind = is_same_queue(pending, &state.pending[stuck[k]]);
        if (!is_behind && log_if_finished(hip, log, pending))
            continue;
        if (!is_behind && stuck_count < MAX_STUCK)
            stuck[stuck_count++] = kept;
        state.pending[kept++] = *pending;
    }
    if (!log)
        return;
    state.pending_count = kept;
    const bool is_good = fclose(log) == 0;
    if (is_good && size)
        write_line(text, size);
    else
        free(text);
}

// Whether the state is of this process and not of its parent.
static bool is_own_process(void)
{
    return __atomic_load_n(&state.process, __ATOMIC_RELAXED) == getpid();
}

// An error that the program has not asked for yet must stay its last one.
void kiln_prof_log_finished(void)
{
    const bool was_inside = kiln_prof_inside;
    const hip_t *hip = is_own_process() ? find_hip() : NULL;
    kiln_prof_inside = true;
    if (hip && (!hip->peek_error || !hip->peek_error())) {
        pthread_mutex_lock(&state.lock);
        log_finished_locked(hip);
        pthread_mutex_unlock(&state.lock);
    }
    kiln_prof_inside = was_inside;
}

// Programs may end without having waited for their last work, which is soon finished, or never.
static void log_last(void)
{
    const bool was_inside = kiln_prof_inside;
    const hip_t *hip = is_own_process() ? find_hip() : NULL;
    size_t left = hip != NULL;
    kiln_prof_inside = true;
    for (int ms = 0; left && ms < LAST_WAIT_MS; ms++) {
        if (ms)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        pthread_mutex_lock(&state.lock);
        log_finished_locked(hip);
        left = state.pending_count;
        pthread_mutex_unlock(&state.lock);
    }
    kiln_prof_inside = was_inside;
}

void kiln_prof_forget(void)
{
    if (!is_own_process())
        return;
    const bool was_inside = kiln_prof_inside;
    const hip_t *hip = find_hip();
    log_last();
    kiln_prof_inside = true;
    pthread_mutex_lock(&state.lock);
    for (size_t i = 0; hip && i < state.pending_count; i++) {
        destroy_event(hip, state.pending[i].work.start);
        destroy_event(hip, state.pending[i].work.stop);
    }
    for (size_t i = 0; hip && i < state.event_count; i++)
        destroy_event(hip, state.events[i]);
    for (size_t i = 0; hip && i < DEVICES; i++)
        destroy_event(hip, state.base[i].event);
    state.pending_count = state.event_count = 0;
    memset(state.base, 0, sizeof state.base);
    pthread_mutex_unlock(&state.lock);
    kiln_prof_inside = was_inside;
}

// Threads that hold the lock do not exist in a child of fork.
static void before_fork(void)
{
    pthread_mutex_lock(&state.lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&state.lock);
}

static void in_child(void)
{
    pthread_mutex_init(&state.lock, NULL);
}

__attribute__((constructor)) static void handle_forks(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
}

// In a child of fork, its parent's events and streams mean nothing.
static void start(void)
{
    static bool is_registered;
    if (is_own_process())
        return;
    state.epoch = seconds();
    state.pending_count = state.event_count = state.stream_count = 0;
    memset(state.base, 0, sizeof state.base);
    // Handlers run in reverse order: this one before the HIP library's, which is loaded by now.
    if (!is_registered)
        is_registered = atexit(log_last) == 0;
    __atomic_store_n(&state.process, getpid(), __ATOMIC_RELAXED);
}

double kiln_prof_now(void)
{
    pthread_mutex_lock(&state.lock);
    start();
    pthread_mutex_unlock(&state.lock);
    return now();
}

static bool is_captured(const hip_t *hip, void *stream)
{
    int captures = 0;
    return hip->is_capturing && (!good(hip, hip->is_capturing(stream, &captures)) || captures);
}

// Events belong to the current device, and can be recorded only on its streams. The null stream and
// those of threads are always of the current device.
static bool find_device(const hip_t *hip, kiln_prof_work_t *work)
{
    int of_stream;
    work->device = 0;
    if (hip->get_device && !good(hip, hip->get_device(&work->device)))
        return false;
    of_stream = work->device;
    if ((uintptr_t)work->stream > KILN_PROF_PER_THREAD && hip->stream_device) {
        if (!good(hip, hip->stream_device(work->stream, &of_stream)))
            return false;
    } else if ((uintptr_t)work->stream > KILN_PROF_PER_THREAD && hip->stream_device_id) {
        of_stream = hip->stream_device_id(work->stream);
    }
    return work->device == of_stream && work->device >= 0 && work->device < DEVICES;
}

static void give_events(const hip_t *hip, const kiln_prof_work_t *work)
{
    pthread_mutex_lock(&state.lock);
    give_event_locked(hip, work->start, work->device);
    give_event_locked(hip, work->stop, work->device);
    pthread_mutex_unlock(&state.lock);
}

void kiln_prof_begin(kiln_prof_work_t *work, kiln_prof_records_t records)
{
    const hip_t *hip = find_hip();
    work->is_timed = false;
    pthread_mutex_lock(&state.lock);
    start();
    pthread_mutex_unlock(&state.lock);
    if (hip && !is_captured(hip, work->stream) && find_device(hip, work) &&
        has_base(hip, work->device, work->stream)) {
        work->start = take_event(hip, work->device);
        work->stop = take_event(hip, work->device);
        work->is_timed = work->start && work->stop &&
                         (records == KILN_PROF_LEAVES_EVENTS ||
                          good(hip, hip->record(work->start, work->stream)));
        if (!work->is_timed)
            give_events(hip, work);
    }
    work->enqueued = now();
}

bool kiln_prof_give_up(kiln_prof_work_t *work, int error)
{
    const hip_t *hip = work->is_timed && error == INVALID_HANDLE ? find_hip() : NULL;
    if (!hip)
        return false;
    good(hip, error);
    give_events(hip, work);
    work->is_timed = false;
    return true;
}

void kiln_prof_end(kiln_prof_work_t *work, kiln_prof_records_t records, int error)
{
    const double call_us = now() - work->enqueued;
    const hip_t *hip = work->is_timed ? find_hip() : NULL;
    if (!hip)
        return;
    bool measured = !error && (records == KILN_PROF_LEAVES_EVENTS ||
                               good(hip, hip->record(work->stop, work->stream)));
    if (measured) {
        pthread_mutex_lock(&state.lock);
        measured =
            KILN_ARRAY_RESERVE(&state.pending, &state.pending_capacity, state.pending_count + 1);
        if (measured)
            state.pending[state.pending_count++] = (pending_t){*work, (long)gettid(), call_us};
        pthread_mutex_unlock(&state.lock);
    }
    if (!measured)
        give_events(hip, work);
}

void kiln_prof_waited(const char *call, const char *what, double begin)
{
    char *text = NULL;
    size_t size;
    const double end = now();
    FILE *line = is_own_process() ? open_memstream(&text, &size) : NULL;
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
    const hip_t *hip = find_hip();
    const char *name = name_of(function, NULL);
    if (!name && hip && hip->kernel_name && (name = hip->kernel_name(function)))
        name = name_of(function, name);
    return name ? name : "(unknown)";
}

const char *kiln_prof_name_of_host(const void *host, void *stream)
{
    const hip_t *hip = find_hip();
    const char *name = name_of(host, NULL);
    if (!name && hip && hip->kernel_name_of_host && (name = hip->kernel_name_of_host(host, stream)))
        name = name_of(host, name);
    return name ? name : "(unknown)";
}
