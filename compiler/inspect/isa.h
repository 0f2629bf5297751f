// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instruction mix of a kernel's machine code, as a whole and per loop.
//
// A loop is the range that a backward branch spans. Note that these are static counts: an inner
// loop's instructions count in the outer one too, and trip counts are unknown.
#ifndef KILN_INSPECT_ISA_H
#define KILN_INSPECT_ISA_H

#include <stddef.h>
#include <stdint.h>

#include "kiln/status.h"

typedef enum kiln_isa_class {
    KILN_ISA_MATRIX,
    KILN_ISA_GLOBAL,
    KILN_ISA_LDS,
    KILN_ISA_SCRATCH,
    KILN_ISA_SMEM,
    KILN_ISA_WAIT,
    KILN_ISA_BARRIER,
    KILN_ISA_BRANCH,
    KILN_ISA_SCALAR,
    KILN_ISA_VECTOR,
    KILN_ISA_OTHER,
    KILN_ISA_CLASS_COUNT
} kiln_isa_class_t;

const char *kiln_isa_class_name(kiln_isa_class_t class);
kiln_isa_class_t kiln_isa_classify(const char *mnemonic);

typedef struct kiln_isa_instruction {
    uint32_t offset, size; // bytes, from the kernel's entry
    uint64_t target;       // of a branch: offset of its target; else UINT64_MAX
    kiln_isa_class_t class;
    char *text; // as the disassembler writes it; the mnemonic ends at the first blank
} kiln_isa_instruction_t;

typedef struct kiln_isa_loop {
    size_t first, last; // indices of instructions, inclusive
} kiln_isa_loop_t;

typedef struct kiln_isa {
    kiln_isa_instruction_t *instructions;
    size_t count;
    kiln_isa_loop_t *loops; // ordered by their first instruction, outer before inner
    size_t loop_count;
} kiln_isa_t;

// Disassembles `size` bytes of code. Fails with INVALID_INPUT at bytes that are not an instruction.
// Free with kiln_isa_free, also after a failure.
kiln_status_t kiln_isa_read(const unsigned char *code, size_t size, kiln_isa_t *out_isa);
void kiln_isa_free(kiln_isa_t *isa);

#endif
