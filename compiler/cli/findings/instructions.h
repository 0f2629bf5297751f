// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classifies an instruction by its name in the disassembly.
#ifndef KILN_CLI_INSTRUCTIONS_H
#define KILN_CLI_INSTRUCTIONS_H

enum {
    KILN_INSTRUCTION_LOAD = 1, // of global memory, by vector instructions
    KILN_INSTRUCTION_STORE = 2,
    KILN_INSTRUCTION_ATOMIC = 4,
    KILN_INSTRUCTION_LDS = 8,
    KILN_INSTRUCTION_SCALAR = 16, // loads by scalar instructions
    KILN_INSTRUCTION_SPILL = 32,  // loads and stores of scratch memory
    KILN_INSTRUCTION_MATRIX = 64,
    KILN_INSTRUCTION_ARITHMETIC = 128, // vector and scalar; moves included
    KILN_INSTRUCTION_DIVISION = 256,   // instructions that only divisions use
    KILN_INSTRUCTION_ACCUMULATOR_MOVE = 512,
    KILN_INSTRUCTION_PACK = 1024, // puts parts of registers together
    KILN_INSTRUCTION_F64_CONVERSION = 2048,
    KILN_INSTRUCTION_INTEGER = 4096, // arithmetic other than of floats: addresses, masks, moves
    KILN_INSTRUCTION_HIGH_PRODUCT = 8192, // high half of a product of two u32, or i32
    KILN_INSTRUCTION_COMPARISON = 16384,  // of two u32
    KILN_INSTRUCTION_FLOATED = 32768,     // conversion of an integer to f32
    KILN_INSTRUCTION_TRUNCATED = 65536,   // of f32 towards 0
    KILN_INSTRUCTION_ERROR = 131072,      // comparison of f32: whether it is at least another
    KILN_INSTRUCTION_ORDER = 262144,      // barriers, writes back and invalidations of caches
    KILN_INSTRUCTION_BRANCH = 524288,     // on EXEC or always, as around parts of an operation
    KILN_INSTRUCTION_RIGHT_SHIFT = 1048576,
    KILN_INSTRUCTION_EXCLUSIVE_OR = 2097152,
    KILN_INSTRUCTION_F32_MATRIX = 4194304, // of f32 operands, not rounded to tf32
    KILN_INSTRUCTION_COUNTING = 8388608,   // scalar additions, comparisons, branches on the result
    KILN_INSTRUCTION_F64 = 16777216,       // arithmetic of f64, without conversions
};

// Bytes per lane that an access of memory or LDS moves; 0 if the name does not determine them.
unsigned kiln_instruction_lane_bytes(const char *text);

// All kinds of the disassembled instruction, KILN_INSTRUCTION_*.
unsigned kiln_instruction_kinds(const char *text);

#endif
