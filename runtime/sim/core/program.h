// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decoded form of a code object's machine code.
//
// Idea: decoding follows control flow from a kernel's entry, so that data and padding between functions are never
// mistaken for code, and happens when code is first run. Instructions live until the program is destroyed or forgotten
// (core/idle.c), so a pointer to one is what a wave keeps as its program counter.
//
// What a reader gets wrong: `address` of an instruction is relative to the image (what a disassembler shows); the value
// of PC that the machine shows to the program is image + address.
#ifndef KILN_SIM_PROGRAM_H
#define KILN_SIM_PROGRAM_H

#include "core/error.h"
#include "core/isa.h"

typedef struct kiln_sim_program kiln_sim_program_t;

typedef struct kiln_sim_range {
    uint64_t begin, end;
} kiln_sim_range_t;

// image: the loaded code object, which must outlive the program. code: ranges of it that hold instructions, which get the
// variant's handlers.
kiln_sim_program_t *kiln_sim_program_create(const uint8_t *image, const kiln_sim_range_t *code, size_t code_count,
                                            const kiln_sim_variant_t *variant, kiln_sim_error_t *error);
void kiln_sim_program_destroy(kiln_sim_program_t *program);

// Gives back what decoding took, until the next kiln_sim_program_at; nothing of it may be in use. And how many bytes of the
// host that are.
void kiln_sim_program_forget(kiln_sim_program_t *program);
size_t kiln_sim_program_bytes(kiln_sim_program_t *program);

// The instruction at address, after decoding everything reachable from it. NULL with an error where an opcode that the
// simulator does not have is reachable, or address is not code. Safe to call from several threads.
const kiln_sim_inst_t *kiln_sim_program_at(kiln_sim_program_t *program, uint64_t address, kiln_sim_error_t *error);

size_t kiln_sim_program_count(const kiln_sim_program_t *program); // instructions decoded so far: indices are below it
const kiln_sim_inst_t *kiln_sim_program_inst(const kiln_sim_program_t *program, size_t index);
// The rows of the instructions from `first` on; other threads may decode meanwhile.
void kiln_sim_program_rows(const kiln_sim_program_t *program, size_t first, size_t count, const kiln_sim_row_t **rows);

// The assembly text of an instruction.
void kiln_sim_program_print(kiln_sim_program_t *program, const kiln_sim_inst_t *inst, char *text, size_t size);

#endif
