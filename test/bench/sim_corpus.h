// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The corpus's cases that multiply matrices, as code for the simulator: Triton's objects, and
// Kiln's. Cases are selected by what they execute, not by name, so the caller must run them first.
#ifndef KILN_BENCH_SIM_CORPUS_H
#define KILN_BENCH_SIM_CORPUS_H

#include "kiln/case.h"
#include "kiln/kiln.h"
#include "kiln/runtime.h"

typedef struct sim_corpus_entry {
    kiln_case_t *test_case;
    char *code[2]; // Triton's object, Kiln's
    size_t size[2];
    unsigned block_size[2];
} sim_corpus_entry_t;

typedef struct sim_corpus {
    sim_corpus_entry_t *entries;
    size_t count;
} sim_corpus_t;

extern const char *const sim_corpus_makers[2];

// Reads the cases of these directories that have a triton.hsaco.
kiln_status_t sim_corpus_read(char *const *directories, size_t count, sim_corpus_t *out);
// Keeps the entries with keep[i] set, and compiles them.
kiln_status_t sim_corpus_choose(sim_corpus_t *corpus, const bool *keep);
void sim_corpus_free(sim_corpus_t *corpus);

// Launches an entry at least `repeats` times. Returns the statistics of the last launch and the CPU
// time of the fastest.
kiln_status_t sim_corpus_run(kiln_device_t *device, const sim_corpus_entry_t *entry, int maker,
                             int repeats, kiln_sim_launch_stats_t *out_stats, double *out_seconds);

#endif
