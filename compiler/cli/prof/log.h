// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines that the simulator (option `activity`, docs/simulator.md) or, on a GPU, libkiln-prof.so
// (runtime/prof) logged for `kiln prof`, and sums over them.
#ifndef KILN_CLI_PROF_LOG_H
#define KILN_CLI_PROF_LOG_H

#include <jansson.h>
#include <stdbool.h>

#include "kiln/status.h"

// Where the times come from.
typedef struct kiln_prof_source {
    bool is_measured; // by events; otherwise predicted by the simulator
    const char *device;
    bool is_simulator; // measures nothing, although it took the place of a GPU
} kiln_prof_source_t;

typedef struct kiln_prof_log {
    json_t **lines; // objects, in the order in which they were logged
    size_t count, capacity;
} kiln_prof_log_t;

// Reads the log. The caller frees it, also after a failure.
kiln_status_t kiln_prof_log_read(const char *path, kiln_prof_log_t *out_log);
void kiln_prof_log_free(kiln_prof_log_t *log);

const char *kiln_prof_text(const json_t *line, const char *member); // "" if it is missing
double kiln_prof_number(const json_t *line, const char *member);    // 0 likewise
// The time of a kernel, copy or fill in microseconds. A kernel's time does not include the time of
// launching it.
double kiln_prof_time(const json_t *line);

// The units that may bound a kernel.
enum { KILN_PROF_UNITS = 6 };
extern const char *const kiln_prof_unit_names[KILN_PROF_UNITS];

// Launches of one kernel, or of one kernel with one grid and workgroup.
typedef struct kiln_prof_sum {
    const json_t *first; // of its launches
    size_t calls, predicted, repeated;
    double total, min, max;       // microseconds
    double launch;                // of the launches themselves, besides the kernels
    double busy[KILN_PROF_UNITS]; // shares of the units' peaks, the average over the predicted time
    double waves_per_simd, l1_hits, l2_hits; // likewise
    double flops, l2_bytes, infinity_cache_bytes, hbm_bytes;
    double host_ms; // of the simulation
    double predicted_total;
} kiln_prof_sum_t;

typedef enum kiln_prof_by { KILN_PROF_BY_NAME, KILN_PROF_BY_SHAPE } kiln_prof_by_t;

typedef struct kiln_prof_sums {
    kiln_prof_sum_t *all; // by total time, the longest first
    size_t count, capacity;
    double total; // of all
} kiln_prof_sums_t;

// Sums over launches; only of the kernel `name` unless it is NULL. The caller frees out_sums->all.
kiln_status_t kiln_prof_summarize(const kiln_prof_log_t *log, kiln_prof_by_t by, const char *name,
                                  kiln_prof_sums_t *out_sums);
// The unit that bounds the kernel: the busiest, if it is busy for at least half of the time;
// otherwise -1: latency.
int kiln_prof_bound(const kiln_prof_sum_t *sum);

#endif
