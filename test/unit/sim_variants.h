// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program's tests in each variant of the handlers (generic, avx2, avx512), and checks that
// all give the same bytes.
//
// Each variant has a process of its own, so that tests begin from the same state. Everything that a
// test observes goes into a checksum; the parent compares the children's checksums.
//
// Comparisons with expected values accept NaNs with different payloads; checksums do not. On a host
// without AVX-512 the third child runs the best available variant.
#ifndef KILN_TEST_SIM_VARIANTS_H
#define KILN_TEST_SIM_VARIANTS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *sim_variant = ""; // of the machines and programs that tests create
static uint64_t sim_observed = 14695981039346656037ull;

// Adds results to the checksum.
static inline void sim_observe(const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint64_t word;
    for (; size >= sizeof word; at += sizeof word, size -= sizeof word) {
        memcpy(&word, at, sizeof word);
        sim_observed = (sim_observed ^ word) * 0x9e3779b97f4a7c15ull;
        sim_observed ^= sim_observed >> 29;
    }
    for (; size; at++, size--)
        sim_observed = (sim_observed ^ *at) * 1099511628211ull;
}

// `run` runs all tests under a group name and returns the number that failed.
static inline int sim_run_variants(int (*run)(const char *variant))
{
    static const char *const variants[] = {"generic", "avx2", "avx512"};
    uint64_t first = 0;
    int failed = 0;
    for (unsigned i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        int ends[2];
        if (pipe(ends) != 0)
            return 1;
        const pid_t child = fork();
        if (child == 0) {
            sim_variant = variants[i];
            const int result = run(variants[i]);
            if (write(ends[1], &sim_observed, sizeof sim_observed) != (ssize_t)sizeof sim_observed)
                exit(1);
            exit(result);
        }
        close(ends[1]);
        uint64_t observed = 0;
        int status = 1;
        const bool is_complete =
            read(ends[0], &observed, sizeof observed) == (ssize_t)sizeof observed;
        close(ends[0]);
        if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0 || !is_complete) {
            failed = 1;
        } else if (i == 0) {
            first = observed;
        } else if (observed != first) {
            fprintf(stderr, "the variants %s and %s of the handlers give different bytes\n",
                    variants[0], variants[i]);
            failed = 1;
        }
    }
    return failed;
}

#endif
