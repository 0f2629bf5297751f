// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decoded form of a code object's machine code.
//
// Decoding follows control flow from a kernel's entry when code is first run, so that data and
// padding between functions are never mistaken for code. Instructions live until the program is
// destroyed or discarded (run/idle.c), so a wave's program counter is a pointer to an instruction.
//
// Pitfall: an instruction's `address` is relative to the image (as shown by a disassembler). The PC
// that the simulated program sees is image + address.
#ifndef KILN_SIM_PROGRAM_H
#define KILN_SIM_PROGRAM_H

#include "decode/isa.h"
#include "sim/port/error.h"

typedef struct kiln_sim_program kiln_sim_program_t;

typedef struct kiln_sim_range {
    uint64_t begin, end;
} kiln_sim_range_t;

// image: the loaded code object, which must outlive the program. code: its ranges that hold
// instructions, which get the variant's handlers.
kiln_sim_program_t *kiln_sim_program_create(const uint8_t *image, const kiln_sim_range_t *code,
                                            size_t code_count, const kiln_sim_variant_t *variant,
                                            kiln_sim_error_t *error);
void kiln_sim_program_destroy(kiln_sim_program_t *program);

// _forget frees everything that decoding allocated, until the next kiln_sim_program_at; no
// instruction may be in use. _bytes is the amount of host memory that this would free.
void kiln_sim_program_forget(kiln_sim_program_t *program);
size_t kiln_sim_program_bytes(kiln_sim_program_t *program);

// The instruction at address, after decoding everything reachable from it. NULL with an error if an
// instruction that the simulator does not support is reachable or address is not code. Thread-safe.
const kiln_sim_inst_t *kiln_sim_program_at(kiln_sim_program_t *program, uint64_t address,
                                           kiln_sim_error_t *error);

size_t kiln_sim_program_count(
    const kiln_sim_program_t *program); // number of instructions decoded; indices are below it
const kiln_sim_inst_t *kiln_sim_program_inst(const kiln_sim_program_t *program, size_t index);
// The rows of the instructions from `first` on. Other threads may decode at the same time.
void kiln_sim_program_rows(const kiln_sim_program_t *program, size_t first, size_t count,
                           const kiln_sim_row_t **rows);

// The assembly text of an instruction.
void kiln_sim_program_print(kiln_sim_program_t *program, const kiln_sim_inst_t *inst, char *text,
                            size_t size);

#endif
