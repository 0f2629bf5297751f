// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's facts about gfx942 for tests, beyond the simulator's own decode/mc.h: all opcodes and
// mnemonics, and the numbers in a decoded instruction.
//
// This is LLVM without the simulator's restrictions: sim_llvm_decode accepts what the simulator
// rejects, such as unaligned registers.
#ifndef KILN_TEST_SIM_LLVM_H
#define KILN_TEST_SIM_LLVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sim_llvm sim_llvm_t;

typedef struct sim_llvm_inst {
    unsigned opcode;             // of MCInstrInfo
    unsigned size;               // bytes
    int64_t first_imm, last_imm; // 0 where there is none
    char text[768];
} sim_llvm_inst_t;

sim_llvm_t *sim_llvm_create(void);
void sim_llvm_destroy(sim_llvm_t *llvm);

// False if LLVM's decoder rejects the words, or would crash on them.
bool sim_llvm_decode(sim_llvm_t *llvm, const uint32_t words[4], sim_llvm_inst_t *inst);

// Opcodes of all processors, from 0 to count - 1.
unsigned sim_llvm_opcode_count(const sim_llvm_t *llvm);
const char *sim_llvm_opcode_name(const sim_llvm_t *llvm, unsigned opcode); // "V_ADD_F32_e32_vi"

// Calls `found` for each mnemonic that LLVM's assembler has for gfx942, in alphabetical order.
void sim_llvm_mnemonics(sim_llvm_t *llvm, void (*found)(void *context, const char *mnemonic),
                        void *context);

// Assembles one line; false if it is rejected. Words after the instruction are zeros.
bool sim_llvm_assemble(sim_llvm_t *llvm, const char *line, uint32_t words[4]);

#ifdef __cplusplus
}
#endif

#endif
