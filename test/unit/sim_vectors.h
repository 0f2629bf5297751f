// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts vectors: the number of sets of inputs of each instruction that a test program has run and
// compared.
//
// A vector is one set of inputs whose whole result was compared: destination, SCC, VCC or EXEC if
// they are written, lanes that must not change. 64 lanes with different inputs are 64 vectors.
// sim_vectors_add() is called after the comparison. On exit a program writes
// KILN_BINARY_DIR/test/vectors/<program>.txt, one line "mnemonic count" each, and
// sim_vector_count_test, which ctest runs after every test that includes this file, fails if a row
// of isa/*.def has fewer than eight.
//
// The count is kept under the name of the instruction's row, so "v_add_f32_dpp v1, v2, v3" may be
// passed as printed. Processes that fork to test other builds of the handlers write the same file,
// so vectors of different builds are not added up.
#ifndef KILN_TEST_SIM_VECTORS_H
#define KILN_TEST_SIM_VECTORS_H

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/decode.h"

enum { SIM_VECTORS_SLOTS = 8192 };

static struct {
    const char *name; // of the row, which lives as long as the program
    uint64_t count;
} sim_vectors_slots[SIM_VECTORS_SLOTS];
static bool sim_vectors_registered;

static void sim_vectors_write(void)
{
    const char *const directory = KILN_BINARY_DIR "/test/vectors";
    char path[512], temporary[544];
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        perror(directory);
    snprintf(path, sizeof path, "%s/%s.txt", directory, program_invocation_short_name);
    snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
    FILE *file = fopen(temporary, "w");
    for (unsigned i = 0; file && i < SIM_VECTORS_SLOTS; i++) {
        if (sim_vectors_slots[i].name)
            fprintf(file, "%s %" PRIu64 "\n", sim_vectors_slots[i].name,
                    sim_vectors_slots[i].count);
    }
    if (!file || fclose(file) != 0 || rename(temporary, path) != 0)
        perror(path);
}

// `text` starts with the mnemonic, with or without an encoding suffix. Ends the program if no row
// has this name.
static inline void sim_vectors_add(const char *text, uint64_t count)
{
    if (!sim_vectors_registered) {
        sim_vectors_registered = true;
        atexit(sim_vectors_write);
    }
    const kiln_sim_row_t *row = kiln_sim_row_find(kiln_sim_variant_find(""), text);
    if (!row) {
        fprintf(stderr, "sim_vectors_add: no instruction has the name '%s'\n", text);
        exit(1);
    }
    uint32_t at = 2166136261u;
    for (const char *c = row->name; *c; c++)
        at = (at ^ (uint8_t)*c) * 16777619u;
    at %= SIM_VECTORS_SLOTS;
    while (sim_vectors_slots[at].name && strcmp(sim_vectors_slots[at].name, row->name) != 0)
        at = (at + 1) % SIM_VECTORS_SLOTS;
    sim_vectors_slots[at].name = row->name;
    sim_vectors_slots[at].count += count;
}

#endif
