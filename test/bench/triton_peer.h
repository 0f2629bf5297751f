// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triton in a process next to the benchmark: compiles the same files in the same run.
#ifndef BENCH_TRITON_PEER_H
#define BENCH_TRITON_PEER_H

#include <stdbool.h>

typedef struct triton_peer triton_peer_t;

typedef struct triton_request {
    const char *path;
    int repeat, num_warps, num_stages;
    int matrix_instr_nonkdim, waves_per_eu, kpack; // 0: Triton's default
} triton_request_t;

// Starts `python`, an interpreter that has Triton. NULL with a message on stderr if it cannot be
// started.
triton_peer_t *triton_peer_start(const char *python);
void triton_peer_stop(triton_peer_t *peer);

typedef struct triton_answer {
    double ms;          // the best CPU time of the warm compilations
    unsigned lds_bytes; // a launch must request this amount
} triton_answer_t;

// Compiles `repeat` times and leaves the last code object in the file `out`. False with a message
// on stderr if Triton fails.
bool triton_peer_compile(triton_peer_t *peer, const triton_request_t *request, const char *out,
                         triton_answer_t *out_answer);

#endif
