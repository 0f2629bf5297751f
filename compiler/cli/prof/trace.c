// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the trace of `kiln prof --trace`. Note that the host's own work takes no simulated time.
// Viewers draw instants badly and cannot attach arrows to them, so calls that do not wait are drawn
// one after another, 10 ns each; those of a measured run take as long as they did. Work of one
// launch of a graph has one call.
#include "trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "base/string.h"

enum { STREAMS = 1 << 20 }; // tracks of streams follow the numbers of the host's threads
#define CALL_US 0.01

// Calls of a host thread at the same simulated time.
typedef struct calls {
    json_int_t process, thread;
    double at, shown; // shown: the end of the latest
} calls_t;

// The call that launched a graph.
typedef struct graph_call {
    json_int_t process, graph;
    double at;
} graph_call_t;

typedef struct trace {
    FILE *file;
    const kiln_prof_log_t *log;
    bool is_measured, out_of_memory, some;
    calls_t *calls; // of each thread
    size_t call_count, call_capacity;
    graph_call_t *graph_calls;
    size_t graph_call_count, graph_call_capacity;
} trace_t;

static void put(trace_t *trace, json_t *event)
{
    char *text = event ? kiln_json_print_line(event) : NULL;
    json_decref(event);
    trace->out_of_memory |= !text;
    if (text)
        fprintf(trace->file, "%s%s", trace->some ? ",\n" : "", text);
    trace->some |= text != NULL;
    free(text);
}

static json_int_t integer(const json_t *line, const char *member)
{
    return json_integer_value(json_object_get(line, member));
}

// Streams of all devices have different numbers.
static json_int_t track_of(const json_t *line)
{
    return STREAMS + integer(line, "device") * STREAMS + integer(line, "stream");
}

static bool is_kind(const json_t *line, const char *kind)
{
    return strcmp(kiln_prof_text(line, "kind"), kind) == 0;
}

// Names -------------------------------------------------------------------------------------------

static void name_track(trace_t *trace, json_int_t process, json_int_t track, char *name)
{
    put(trace, json_pack("{s:s,s:s,s:I,s:I,s:{s:s?}}", "name", "thread_name", "ph", "M", "pid",
                         process, "tid", track, "args", "name", name));
    free(name);
}

// Names the tracks that appear first in line `index`.
static void name_tracks(trace_t *trace, size_t index)
{
    const json_t *line = trace->log->lines[index];
    const json_int_t process = integer(line, "process"), thread = integer(line, "thread");
    bool new_process = true, new_thread = true, new_stream = !is_kind(line, "wait");
    for (size_t i = 0; i < index; i++) {
        const json_t *other = trace->log->lines[i];
        if (integer(other, "process") != process)
            continue;
        new_process = false;
        new_thread = new_thread && integer(other, "thread") != thread;
        new_stream = new_stream && (is_kind(other, "wait") || track_of(other) != track_of(line));
        if (!new_thread && !new_stream)
            break;
    }
    if (new_process)
        put(trace,
            json_pack("{s:s,s:s,s:I,s:{s:s}}", "name", "process_name", "ph", "M", "pid", process,
                      "args", "name", trace->is_measured ? "measured time" : "simulated time"));
    if (new_thread)
        name_track(trace, process, thread,
                   kiln_string_print("host thread %lld", (long long)thread));
    if (new_stream)
        name_track(trace, process, track_of(line),
                   kiln_string_print("device %lld, stream %lld", (long long)integer(line, "device"),
                                     (long long)integer(line, "stream")));
}

// Events ------------------------------------------------------------------------------------------

static json_t *bar(const char *name, const char *category, const json_t *line, json_int_t track,
                   double begin, double end)
{
    return json_pack("{s:s,s:s,s:s,s:I,s:I,s:f,s:f}", "name", name, "cat", category, "ph", "X",
                     "pid", integer(line, "process"), "tid", track, "ts", begin, "dur",
                     end - begin);
}

static char *title_of(const json_t *line)
{
    if (is_kind(line, "kernel"))
        return kiln_string_print("%s", kiln_prof_text(line, "name"));
    if (is_kind(line, "copy"))
        return kiln_string_print("copy %s to %s", kiln_prof_text(line, "from"),
                                 kiln_prof_text(line, "to"));
    return kiln_string_print(is_kind(line, "fill")    ? "fill"
                             : is_kind(line, "graph") ? "graph"
                                                      : "host function");
}

// All members of the line that are not shown otherwise.
static json_t *details_of(const json_t *line)
{
    static const char *const shown[] = {"kind",  "process", "thread", "device", "stream",
                                        "begin", "end",     "name",   "lines",  "call"};
    json_t *details = json_copy((json_t *)(uintptr_t)line);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        json_object_del(details, shown[i]);
    return details;
}

// Returns the calls of the line's thread; NULL if out of memory.
static calls_t *calls_of(trace_t *trace, const json_t *line)
{
    const json_int_t process = integer(line, "process"), thread = integer(line, "thread");
    for (size_t i = 0; i < trace->call_count; i++) {
        if (trace->calls[i].process == process && trace->calls[i].thread == thread)
            return &trace->calls[i];
    }
    if (!KILN_ARRAY_RESERVE(&trace->calls, &trace->call_capacity, trace->call_count + 1)) {
        trace->out_of_memory = true;
        return NULL;
    }
    trace->calls[trace->call_count] = (calls_t){process, thread, -1, -1};
    return &trace->calls[trace->call_count++];
}

// Searches from the latest, to which most lines belong. NULL: its first line.
static const graph_call_t *graph_call_of(const trace_t *trace, const json_t *line)
{
    for (size_t i = trace->graph_call_count; i-- > 0;) {
        if (trace->graph_calls[i].graph == integer(line, "graph") &&
            trace->graph_calls[i].process == integer(line, "process"))
            return &trace->graph_calls[i];
    }
    return NULL;
}

static void remember_graph(trace_t *trace, const json_t *line, double at)
{
    if (!integer(line, "graph"))
        return;
    const bool good = KILN_ARRAY_RESERVE(&trace->graph_calls, &trace->graph_call_capacity,
                                         trace->graph_call_count + 1);
    trace->out_of_memory |= !good;
    if (good)
        trace->graph_calls[trace->graph_call_count++] =
            (graph_call_t){integer(line, "process"), integer(line, "graph"), at};
}

// Returns the time at which a call at this simulated time is drawn, and whether it has no bar yet.
static double place_call(trace_t *trace, const json_t *line, double at, bool *out_is_new)
{
    calls_t *calls = calls_of(trace, line);
    const graph_call_t *graph = graph_call_of(trace, line);
    *out_is_new = !graph;
    if (!calls || graph)
        return graph ? graph->at : at;
    const double begin = calls->at == at ? calls->shown : at;
    calls->at = at;
    calls->shown = begin + CALL_US;
    remember_graph(trace, line, begin);
    return begin;
}

// A bar named after the entry point that the host called. What the call is for follows in `args`.
static void put_host(trace_t *trace, const json_t *line, const char *member, const char *what,
                     double begin, double end)
{
    const char *call = kiln_prof_text(line, "call");
    json_t *event = bar(*call ? call : what, "host", line, integer(line, "thread"), begin, end);
    json_object_set_new(event, "args", json_pack("{s:s}", member, what));
    put(trace, event);
}

// Adds the call by which the host enqueued the work, and the ends of an arrow from there.
static void put_call(trace_t *trace, const json_t *line, const char *title, size_t index)
{
    const json_int_t process = integer(line, "process"), thread = integer(line, "thread");
    bool is_new = true;
    const double enqueued = kiln_prof_number(line, "enqueued");
    const double at = trace->is_measured ? enqueued : place_call(trace, line, enqueued, &is_new),
                 took = trace->is_measured ? kiln_prof_number(line, "call_us") : CALL_US;
    // Viewers require that an arrow does not end before it begins, and ends inside the bar that it
    // points to.
    const double begin = kiln_prof_number(line, "begin"), end = kiln_prof_number(line, "end"),
                 arrives = begin >= at ? begin
                           : at < end  ? at
                                       : end;
    if (is_new)
        put_host(trace, line, "enqueues", title, at, at + took);
    put(trace, json_pack("{s:s,s:s,s:s,s:I,s:I,s:I,s:f}", "name", "enqueued", "cat", "flow", "ph",
                         "s", "id", (json_int_t)index, "pid", process, "tid", thread, "ts", at));
    put(trace, json_pack("{s:s,s:s,s:s,s:s,s:I,s:I,s:I,s:f}", "name", "enqueued", "cat", "flow",
                         "ph", "f", "bp", "e", "id", (json_int_t)index, "pid", process, "tid",
                         track_of(line), "ts", arrives));
}

static void put_work(trace_t *trace, const json_t *line, size_t index)
{
    char *title = title_of(line);
    json_t *event = bar(title ? title : "", kiln_prof_text(line, "kind"), line, track_of(line),
                        kiln_prof_number(line, "begin"), kiln_prof_number(line, "end"));
    json_object_set_new(event, "args", details_of(line));
    put(trace, event);
    put_call(trace, line, title ? title : "", index);
    free(title);
}

static void put_wait(trace_t *trace, const json_t *line)
{
    const calls_t *calls = calls_of(trace, line);
    const double from = kiln_prof_number(line, "begin"), end = kiln_prof_number(line, "end");
    // Draws it after the calls at the same time.
    const double begin = calls && calls->at == from && calls->shown < end ? calls->shown : from;
    put_host(trace, line, "waits for", kiln_prof_text(line, "for"), begin, end);
}

// Graphs ------------------------------------------------------------------------------------------

// The work of a launch of a graph.
typedef struct span {
    const json_t *first;
    double begin, end;
} span_t;

typedef struct spans {
    span_t *all;
    size_t count, capacity;
} spans_t;

// Searches from the latest launch, to which most lines belong.
static span_t *span_of(spans_t *spans, const json_t *line)
{
    for (size_t i = spans->count; i-- > 0;) {
        const json_t *first = spans->all[i].first;
        if (integer(first, "graph") == integer(line, "graph") &&
            integer(first, "process") == integer(line, "process") &&
            track_of(first) == track_of(line))
            return &spans->all[i];
    }
    if (!KILN_ARRAY_RESERVE(&spans->all, &spans->capacity, spans->count + 1))
        return NULL;
    span_t *made = &spans->all[spans->count++];
    *made = (span_t){line, kiln_prof_number(line, "begin"), kiln_prof_number(line, "end")};
    return made;
}

// Bars around the work of each launch.
static void put_graphs(trace_t *trace)
{
    spans_t spans = {0};
    for (size_t i = 0; i < trace->log->count; i++) {
        const json_t *line = trace->log->lines[i];
        if (is_kind(line, "wait") || !integer(line, "graph"))
            continue;
        span_t *span = span_of(&spans, line);
        trace->out_of_memory |= !span;
        if (!span)
            break;
        const double begin = kiln_prof_number(line, "begin"), end = kiln_prof_number(line, "end");
        span->begin = begin < span->begin ? begin : span->begin;
        span->end = end > span->end ? end : span->end;
    }
    for (size_t i = 0; i < spans.count; i++) {
        const span_t *span = &spans.all[i];
        char *title =
            kiln_string_print("graph launch %lld", (long long)integer(span->first, "graph"));
        put(trace, bar(title ? title : "", "graph", span->first, track_of(span->first), span->begin,
                       span->end));
        free(title);
    }
    free(spans.all);
}

static void put_all(trace_t *trace)
{
    fprintf(trace->file, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    put_graphs(trace); // before the work inside them
    for (size_t i = 0; i < trace->log->count; i++) {
        const json_t *line = trace->log->lines[i];
        name_tracks(trace, i);
        if (is_kind(line, "wait")) {
            put_wait(trace, line);
            continue;
        }
        put_work(trace, line, i);
    }
    fprintf(trace->file, "\n]}\n");
}

kiln_status_t kiln_prof_trace_write(const char *path, const kiln_prof_log_t *log,
                                    const kiln_prof_source_t *source)
{
    trace_t trace = {.file = fopen(path, "we"), .log = log, .is_measured = source->is_measured};
    if (!trace.file)
        return kiln_status_make(KILN_STATUS_IO, "cannot write '%s': %s", path, strerror(errno));
    put_all(&trace);
    free(trace.calls);
    free(trace.graph_calls);
    bool written = !ferror(trace.file);
    written = fclose(trace.file) == 0 && written;
    if (trace.out_of_memory)
        return kiln_status_out_of_memory();
    return written
               ? KILN_OK
               : kiln_status_make(KILN_STATUS_IO, "cannot write '%s': %s", path, strerror(errno));
}
