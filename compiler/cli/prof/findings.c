// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the causes of launches in another process (findings.h).
#include "findings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "base/string.h"
#include "cli/findings/clock_rules.h"
#include "cli/findings/compiled.h"
#include "cli/json_text.h"
#include "cli/prediction/lines_source.h"
#include "cli/prediction/prediction.h"
#include "cli/prediction/stalls.h"
#include "cli/report/report.h"
#include "table.h"

// The connection ----------------------------------------------------------------------------------

static kiln_status_t listen_on(const char *path, int *out_listener)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return kiln_status_make(KILN_STATUS_IO,
                                "'%s' is too long for a socket, of which names have less than %zu "
                                "characters; set TMPDIR to a shorter path",
                                path, sizeof address.sun_path);
    strcpy(address.sun_path, path);
    *out_listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*out_listener >= 0 &&
        bind(*out_listener, (const struct sockaddr *)&address, sizeof address) == 0 &&
        listen(*out_listener, SOMAXCONN) == 0)
        return KILN_OK;
    kiln_status_t status =
        kiln_status_make(KILN_STATUS_IO, "cannot listen on '%s': %s", path, strerror(errno));
    if (*out_listener >= 0)
        close(*out_listener);
    return status;
}

kiln_status_t kiln_prof_findings_listen(kiln_prof_findings_t *findings, const char *prefix)
{
    char *path = kiln_string_print("%s.replays", prefix);
    kiln_status_t status =
        path ? listen_on(path, &findings->listener) : kiln_status_out_of_memory();
    if (status)
        free(path);
    else
        findings->path = path;
    return status;
}

typedef struct peer {
    FILE *in, *out;
} peer_t;

// A kiln_clock_replayer_t.
static kiln_status_t replay(void *user, const kiln_sim_supposition_t *supposition,
                            kiln_sim_prediction_t *prediction)
{
    const peer_t *peer = user;
    char reply[96], *end;
    kiln_format_file(peer->out, "%u %u %d %d %.17g %zu\n", supposition->from_wave,
                     supposition->workgroups_per_cu, supposition->near, supposition->even,
                     supposition->least, supposition->count);
    for (size_t i = 0; i < supposition->count; i++)
        fprintf(peer->out, "%" PRIu64 " %u\n", supposition->exemptions[i].address,
                supposition->exemptions[i].without);
    if (fflush(peer->out) != 0 || !fgets(reply, sizeof reply, peer->in))
        return kiln_status_make(KILN_STATUS_IO, "the program ended during a replay of its launch");
    prediction->microseconds = kiln_real_parse(reply, &end);
    if (end == reply)
        return kiln_status_make(KILN_STATUS_UNAVAILABLE, "the launch cannot be replayed");
    prediction->infinity_cache_bytes = kiln_real_parse(end, &end);
    return KILN_OK;
}

// The search --------------------------------------------------------------------------------------

static void read_prediction(const json_t *line, kiln_sim_prediction_t *out)
{
    *out = (kiln_sim_prediction_t){
        .struct_size = sizeof *out,
        .microseconds = kiln_prof_number(line, "predicted_us"),
        .launch_microseconds = kiln_prof_number(line, "launch_us"),
        .min_microseconds = kiln_prof_number(line, "least_us"),
        .max_microseconds = kiln_prof_number(line, "most_us"),
        .cycles = kiln_prof_number(line, "cycles"),
        .clock_mhz = kiln_prof_number(line, "clock_mhz"),
#define KILN_PREDICTION_FIGURE(name) .name = kiln_prof_number(line, #name),
#include "base/prediction.def"
#undef KILN_PREDICTION_FIGURE
        .peak_flops = kiln_prof_number(line, "peak_flops"),
        .peak_l2 = kiln_prof_number(line, "peak_l2"),
        .peak_infinity_cache = kiln_prof_number(line, "peak_infinity_cache"),
        .peak_hbm = kiln_prof_number(line, "peak_hbm"),
    };
}

static void take_finding(const kiln_diagnostic_t *finding, void *findings)
{
    kiln_findings_take(findings, finding);
}

static kiln_status_t find(kiln_prof_shape_t *shape, peer_t *peer)
{
    const json_t *line = shape->line;
    kiln_clock_search_t search = {.replay = replay,
                                  .replay_user = peer,
                                  .kernel = kiln_prof_text(line, "name"),
                                  .findings = &shape->findings,
                                  .stats = {.struct_size = sizeof search.stats, .workgroups = 1}};
    const json_t *grid = json_object_get(line, "grid");
    for (size_t i = 0; i < json_array_size(grid); i++)
        search.stats.workgroups *= (uint64_t)json_integer_value(json_array_get(grid, i));
    search.stats.compute_units = (uint32_t)kiln_prof_number(line, "compute_units");
    read_prediction(line, &search.prediction);
    kiln_status_t status = kiln_prof_lines_read(line, &search.lines, &search.count);
    char *name = status ? NULL : kiln_lines_source(search.lines, search.count),
         *text = kiln_lines_source_text(name);
    search.name = name ? name : "-";
    search.source = text;
    const char *compiled = kiln_prof_text(line, "findings");
    if (!status)
        status = kiln_compiled_findings_of_text(compiled, strlen(compiled), search.kernel,
                                                take_finding, &shape->findings);
    if (!status)
        status = kiln_clock_search(&search);
    if (!status && shape->findings.out_of_memory)
        status = kiln_status_out_of_memory();
    kiln_findings_sort(&shape->findings);
    kiln_clock_classes_free(&search.classes);
    free(search.lines);
    free(name);
    free(text);
    return status;
}

const kiln_prof_shape_t *kiln_prof_findings_of(const kiln_prof_findings_t *findings,
                                               const json_t *line)
{
    for (size_t i = 0; i < findings->count; i++) {
        const json_t *own = findings->shapes[i].line;
        if (strcmp(kiln_prof_text(own, "name"), kiln_prof_text(line, "name")) == 0 &&
            json_equal(json_object_get(own, "grid"), json_object_get(line, "grid")) &&
            json_equal(json_object_get(own, "block"), json_object_get(line, "block")))
            return &findings->shapes[i];
    }
    return NULL;
}

static kiln_status_t serve(kiln_prof_findings_t *findings, peer_t *peer)
{
    char *text = NULL;
    size_t size = 0;
    json_t *line;
    const ssize_t length = getline(&text, &size, peer->in);
    kiln_status_t status =
        length < 0 ? kiln_status_make(KILN_STATUS_IO, "the program ended during a launch")
                   : kiln_json_parse("the program's log", text, (size_t)length, &line);
    free(text);
    if (status)
        return status;
    if (strcmp(kiln_prof_text(line, "name"), findings->kernel) != 0 ||
        findings->count == KILN_PROF_MAX_SHAPES || kiln_prof_findings_of(findings, line)) {
        json_decref(line);
        return KILN_OK;
    }
    kiln_prof_shape_t *shape = &findings->shapes[findings->count++];
    *shape = (kiln_prof_shape_t){.line = line, .findings.warnings = findings->warnings};
    status = find(shape, peer);
    if (status) {
        json_decref(line);
        kiln_findings_free(&shape->findings);
        findings->count--;
    }
    return status;
}

kiln_status_t kiln_prof_findings_accept(kiln_prof_findings_t *findings)
{
    const int connection = accept4(findings->listener, NULL, NULL, SOCK_CLOEXEC);
    const int copy = connection >= 0 ? dup(connection) : -1;
    peer_t peer = {.in = connection >= 0 ? fdopen(connection, "re") : NULL,
                   .out = copy >= 0 ? fdopen(copy, "we") : NULL};
    kiln_status_t status =
        peer.in && peer.out
            ? serve(findings, &peer)
            : kiln_status_make(KILN_STATUS_IO, "cannot accept a launch: %s", strerror(errno));
    if (peer.in)
        fclose(peer.in);
    if (peer.out)
        fclose(peer.out);
    return status;
}

void kiln_prof_findings_free(kiln_prof_findings_t *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        json_decref(findings->shapes[i].line);
        kiln_findings_free(&findings->shapes[i].findings);
    }
    if (findings->path) {
        close(findings->listener);
        unlink(findings->path);
    }
    free(findings->path);
    *findings = (kiln_prof_findings_t){.warnings = findings->warnings};
}

// The report --------------------------------------------------------------------------------------

static json_t *report_of(const kiln_prof_shape_t *shape, const char *device, json_t *lines)
{
    kiln_sim_prediction_t prediction;
    read_prediction(shape->line, &prediction);
    return json_pack("{s:O,s:s,s:o,s:o,s:o}", "kernel", json_object_get(shape->line, "name"),
                     "device", device, "prediction", kiln_prediction_json(&prediction), "findings",
                     kiln_findings_json(&shape->findings), "lines", lines);
}

kiln_status_t kiln_prof_report_write(const kiln_prof_shape_t *shape, const char *device,
                                     const char *path)
{
    kiln_sim_line_t *lines;
    size_t count;
    json_t *array = NULL, *root = NULL;
    kiln_status_t status = kiln_prof_lines_read(shape->line, &lines, &count);
    char *name = status ? NULL : kiln_lines_source(lines, count),
         *text = kiln_lines_source_text(name);
    if (!status)
        status = kiln_stalls_json_lines(lines, count, &array);
    if (!status && !(root = report_of(shape, device, array)))
        status = kiln_status_out_of_memory();
    const kiln_report_stages_t none = {0};
    const kiln_source_t source = {.name = name ? name : "unknown",
                                  .text = text ? text : "(the source cannot be read here)",
                                  .length =
                                      strlen(text ? text : "(the source cannot be read here)")};
    if (!status)
        status = kiln_report_write(root, &source, &none, path);
    json_decref(root);
    free(lines);
    free(name);
    free(text);
    return status;
}
