// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the log of streams (hip_sim/stream/activity.h).
#include "hip_sim/stream/activity.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/elf_file.h"
#include "base/json_string.h"
#include "base/number.h"
#include "hip_sim/stream/engine_state.h"

__thread uint64_t kiln_sim_activity_graph;

uint64_t kiln_sim_activity_next_graph(void)
{
    static uint64_t launches;
    return __atomic_add_fetch(&launches, 1, __ATOMIC_RELAXED);
}

// ---- lines

// A line under construction, in memory.
typedef struct line {
    FILE *file; // NULL: nothing is logged, or memory is exhausted
    char *text;
    size_t size;
} line_t;

static const char *path(void)
{
    const kiln_sim_device_t *device = kiln_sim_device();
    return device->machine ? kiln_sim_machine_activity(device->machine) : NULL;
}

// Reports a write error: an incomplete log must not pass for a complete one.
static void report_write_error(void)
{
    static bool is_reported;
    if (!__atomic_exchange_n(&is_reported, true, __ATOMIC_RELAXED))
        fprintf(stderr, "kiln-sim: KILN_SIM_ACTIVITY: cannot write '%s'\n", path());
}

static bool begin_line(line_t *line, const char *kind, long thread, const char *call)
{
    *line = (line_t){0};
    if (!path())
        return false;
    line->file = open_memstream(&line->text, &line->size);
    if (!line->file) {
        report_write_error();
        return false;
    }
    kiln_format_file(line->file, "{\"kind\":\"%s\",\"process\":%ld,\"thread\":%ld,\"device\":%d",
                     kind, (long)getpid(), thread, kiln_sim_device()->ordinal);
    if (call)
        fprintf(line->file, ",\"call\":\"%s\"", call);
    return true;
}

// Writes the line, whose text the caller frees. False if it could not be made.
static bool write_line(line_t *line)
{
    fputs("}\n", line->file);
    const bool made = fclose(line->file) == 0;
    const int file = made ? open(path(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    const bool written = file >= 0 && write(file, line->text, line->size) == (ssize_t)line->size;
    if (!(file >= 0 && close(file) == 0 && written))
        report_write_error();
    return made;
}

static void end_line(line_t *line)
{
    write_line(line);
    free(line->text);
}

static void real(const line_t *line, const char *name, double value)
{
    kiln_format_file(line->file, ",\"%s\":%.17g", name, value);
}

// Begins the line of the work that the current operation has executed since `before_ms`.
static bool begin_work(line_t *line, const char *kind, double before_ms)
{
    const kiln_sim_operation_t *operation = kiln_sim_inside;
    if (!operation || !begin_line(line, kind, operation->thread, operation->call))
        return false;
    fprintf(line->file, ",\"stream\":%" PRIu64 ",\"graph\":%" PRIu64, operation->stream_id,
            operation->graph);
    real(line, "enqueued", operation->not_before * 1e3);
    real(line, "begin", (operation->begin_ms + before_ms) * 1e3);
    real(line, "end", (operation->begin_ms + kiln_sim_engine_taken()) * 1e3);
    return true;
}

// ---- kernels

static const char *const stall_names[KILN_SIM_STALLS] = {
#define KILN_SIM_STALL(name, text, help) text,
#include "kiln/sim_stalls.def"
#undef KILN_SIM_STALL
};

static void log_prediction(const line_t *line, const kiln_sim_prediction_t *p)
{
    const struct {
        const char *name;
        double value;
    } members[] = {
        {"predicted_us", p->microseconds},
        {"launch_us", p->launch_microseconds},
        {"least_us", p->min_microseconds},
        {"most_us", p->max_microseconds},
        {"cycles", p->cycles},
        {"clock_mhz", p->clock_mhz},
#define KILN_PREDICTION_FIGURE(name) {#name, p->name},
#include "base/prediction.def"
#undef KILN_PREDICTION_FIGURE
        {"peak_flops", p->peak_flops},
        {"peak_l2", p->peak_l2},
        {"peak_infinity_cache", p->peak_infinity_cache},
        {"peak_hbm", p->peak_hbm},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        real(line, members[i].name, members[i].value);
    fprintf(line->file, ",\"repeated\":%s", p->repeated ? "true" : "false");
}

// Instructions with their stalls, if these were recorded.
static void log_lines(const line_t *line, const kiln_sim_result_t *result)
{
    kiln_sim_line_t at = {.struct_size = sizeof at};
    for (size_t i = 0; kiln_sim_result_line(result, i, &at); i++) {
        fputs(i ? ",{\"instruction\":" : ",\"lines\":[{\"instruction\":", line->file);
        kiln_json_write_string(line->file, at.instruction);
        fputs(",\"source\":", line->file);
        kiln_json_write_string(line->file, at.source);
        fprintf(line->file,
                ",\"address\":%" PRIu64 ",\"loop\":%" PRId64 ",\"issued\":%" PRIu64 ",\"stalls\":{",
                at.address, at.loop, at.issued);
        const char *comma = "";
        for (unsigned s = 0; s < KILN_SIM_STALLS; s++) {
            if (at.cycles[s])
                fprintf(line->file, "%s\"%s\":%" PRIu64, comma, stall_names[s], at.cycles[s]);
            comma = at.cycles[s] ? "," : comma;
        }
        fprintf(line->file, "},\"column\":%" PRIu32, at.column);
#define KILN_LINE_FIGURE(name) fprintf(line->file, ",\"" #name "\":%" PRIu64, at.name);
#include "base/line.def"
#undef KILN_LINE_FIGURE
        fputc('}', line->file);
        at.struct_size = sizeof at;
    }
    at.struct_size = sizeof at;
    if (kiln_sim_result_line(result, 0, &at))
        fputc(']', line->file);
}

// The compiler's findings, if the code object has them.
static void log_findings(const line_t *line, const kiln_sim_code_object_t *object)
{
    size_t size;
    const char *text = kiln_sim_object_section(object, KILN_FINDINGS_SECTION, &size);
    char *copy = text ? strndup(text, size) : NULL;
    if (copy) {
        fputs(",\"findings\":", line->file);
        kiln_json_write_string(line->file, copy);
    }
    free(copy);
}

// Writes the time that the launch would take with one kind of cost left out for all of its
// instructions. Only launches with stalls can be replayed, and only until the machine's next
// launch.
static void log_without(const line_t *line, kiln_sim_machine_t *machine,
                        const kiln_sim_result_t *result)
{
    static const struct {
        const char *name;
        unsigned without;
        bool near, even;
    } rows[] = {{"bank conflicts in LDS", KILN_SIM_WITHOUT_CONFLICTS, false, false},
                {"waits for memory and LDS", KILN_SIM_WITHOUT_LATENCY, false, false},
                {"partly used lines", KILN_SIM_WITHOUT_LINES, false, false},
                {"lines in the same tag RAMs and channels", KILN_SIM_WITHOUT_TAGS, false, false},
                {"instruction fetch", KILN_SIM_WITHOUT_FETCH, false, false},
                {"programs on other XCDs that read the same", 0, true, false},
                {"uneven shares of the compute units", 0, false, true}};
    const char *separator = ",\"without\":{";
    bool some = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const kiln_sim_exemption_t all = {UINT64_MAX, rows[i].without};
        const kiln_sim_supposition_t supposed = {.struct_size = sizeof supposed,
                                                 .exemptions = &all,
                                                 .count = rows[i].without ? 1 : 0,
                                                 .near = rows[i].near,
                                                 .even = rows[i].even};
        kiln_sim_prediction_t p = {.struct_size = sizeof p};
        if (!kiln_sim_machine_replay(machine, result, &supposed, &p))
            continue;
        kiln_format_file(line->file, "%s\"%s\":%.17g", separator, rows[i].name, p.microseconds);
        separator = ",";
        some = true;
    }
    if (some)
        fputc('}', line->file);
}

void kiln_sim_activity_kernel(const kiln_sim_dispatch_t *d, const kiln_sim_result_t *result,
                              double host_ms, double before_ms)
{
    line_t line;
    kiln_sim_prediction_t predicted = {.struct_size = sizeof predicted};
    kiln_sim_launch_stats_t stats = {.struct_size = sizeof stats};
    if (!kiln_sim_result_stats(result, &stats) || !begin_work(&line, "kernel", before_ms))
        return;
    fputs(",\"name\":", line.file);
    kiln_json_write_string(line.file, d->kernel->name);
    fprintf(line.file, ",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u]", d->grid[0], d->grid[1],
            d->grid[2], d->block[0], d->block[1], d->block[2]);
    fprintf(line.file, ",\"vgprs\":%u,\"lds\":%u,\"scratch\":%u", stats.total_vgprs,
            stats.lds_bytes_per_workgroup, stats.scratch_bytes_per_lane);
    fprintf(line.file, ",\"occupancy\":%u,\"compute_units\":%u", stats.waves_per_simd,
            stats.compute_units);
    real(&line, "host_ms", host_ms);
    if (kiln_sim_result_prediction(result, &predicted))
        log_prediction(&line, &predicted);
    log_lines(&line, result);
    kiln_sim_line_t first = {.struct_size = sizeof first};
    const bool is_recorded = kiln_sim_result_line(result, 0, &first);
    if (is_recorded)
        log_findings(&line, d->kernel->object);
    log_without(&line, kiln_sim_device()->machine, result);
    if (write_line(&line) && is_recorded)
        kiln_sim_activity_serve(line.text, line.size, kiln_sim_device()->machine, result);
    free(line.text);
}

// ---- other work

static const char *place_of(const void *pointer)
{
    const kiln_sim_allocation_t *in;
    const kiln_sim_device_t *device = kiln_sim_device_of(pointer, &in);
    return device && !kiln_sim_memory_is_host(in) ? "device" : "host";
}

void kiln_sim_activity_work(const kiln_sim_work_t *work, double before_ms)
{
    line_t line;
    if (work->kind == KILN_SIM_WORK_COPY && begin_work(&line, "copy", before_ms)) {
        const kiln_sim_box_copy_t *box = &work->copy;
        fprintf(line.file, ",\"from\":\"%s\",\"to\":\"%s\",\"bytes\":%" PRIu64, place_of(box->from),
                place_of(box->to), (uint64_t)box->width * box->height * box->depth);
    } else if (work->kind == KILN_SIM_WORK_FILL && begin_work(&line, "fill", before_ms)) {
        const kiln_sim_box_fill_t *box = &work->fill;
        fprintf(line.file, ",\"to\":\"%s\",\"bytes\":%" PRIu64, place_of(box->to),
                (uint64_t)box->width * box->height * box->depth * box->element);
    } else if (work->kind != KILN_SIM_WORK_HOST || !begin_work(&line, "host", before_ms)) {
        return;
    }
    end_line(&line);
}

void kiln_sim_activity_wait(const char *what, double begin_ms, double end_ms)
{
    line_t line;
    if (end_ms <= begin_ms || !begin_line(&line, "wait", (long)gettid(), kiln_sim_call))
        return;
    fprintf(line.file, ",\"for\":\"%s\"", what);
    real(&line, "begin", begin_ms * 1e3);
    real(&line, "end", end_ms * 1e3);
    end_line(&line);
}
