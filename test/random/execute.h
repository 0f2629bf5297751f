// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a random program in the interpreter and, compiled, in the simulator, in a process of its
// own, and compares the results.
//
// A program that needs more LDS or registers than exist is not a failure, but it tests nothing and
// is counted as skipped. So is one whose waves would need a barrier in a branch that not all of
// them take, if it does not compile without optional passes either.
#ifndef KILN_RANDOM_EXECUTE_H
#define KILN_RANDOM_EXECUTE_H

#include "generate.h"

typedef enum outcome {
    OUTCOME_EQUAL,
    OUTCOME_SKIPPED,     // needs more than exists
    OUTCOME_INTERPRETED, // rejected by the interpreter: a bug of the generator or of the
                         // interpreter
    OUTCOME_COMPILED,    // rejected by the compiler
    OUTCOME_RUN,         // the launch fails, or a check has a finding
    OUTCOME_DIFFERENT,
    OUTCOME_CRASHED,
    OUTCOME_HUNG,
    OUTCOME_COUNT
} outcome_t;

extern const char *const outcome_names[OUTCOME_COUNT];

typedef struct result {
    outcome_t outcome;
    char message[2000];
} result_t;

extern const char *simulator; // the library to load; NULL: this build's

void program_run(const program_t *program, result_t *out);

// Writes the program as a test case for `kiln case`: kernel.ttir, case.json, the buffers before
// and, if the interpreter executes it, after. False if a file can't be written.
bool program_save(const program_t *program, const char *directory);

#endif
