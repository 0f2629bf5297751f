// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of codegen share. The thing one gets wrong: LLVM reports many errors only to the context's handler and
// goes on, so each step must end with kiln_codegen_take_error.
#ifndef KILN_CODEGEN_INTERNAL_H
#define KILN_CODEGEN_INTERNAL_H

#include "codegen/codegen.h"
#include "codegen/device_libraries.h"

struct kiln_codegen {
    LLVMContextRef context;
    LLVMTargetMachineRef machine;
    LLVMTargetDataRef layout;
    kiln_device_libraries_t *libraries;
    kiln_codegen_handler_t handler;
    void *user;
    kiln_status_t error;  // the first that LLVM reported since it was last taken
    uint64_t error_place; // of the inline assembly that it is about (kiln_shim_assembly_place), or 0
};

kiln_status_t kiln_codegen_take_error(kiln_codegen_t *codegen); // hands out and forgets
// For tiles that can't be in registers: computes late, moves what lives long to scratch memory, and cuts long blocks
// (order_by_demand.c, demote.c, cut_blocks.c).
kiln_status_t kiln_codegen_demote_values(kiln_codegen_t *codegen, LLVMModuleRef module);
bool kiln_codegen_order_by_demand(LLVMBasicBlockRef block); // false where memory is short
bool kiln_codegen_cut_block(LLVMBasicBlockRef block);       // likewise
void kiln_codegen_widen_bfloats(LLVMModuleRef module);      // where LLVM would compute or compare wrongly
void kiln_codegen_round_bfloats(LLVMModuleRef module);      // by fewer instructions than LLVM's
void kiln_codegen_carry_bytes(LLVMModuleRef module);        // from block to block, as words
void kiln_codegen_freeze_integers(LLVMModuleRef module);    // that LLVM would take for shorter ones
void kiln_codegen_bound_integers(LLVMModuleRef module);     // that f16 can't hold
kiln_status_t kiln_codegen_run_passes(LLVMTargetMachineRef machine, LLVMModuleRef module, const char *passes);

// Gives a failure the place that debug information tells of an instruction (may be NULL).
kiln_status_t kiln_codegen_at_instruction(kiln_status_t status, LLVMValueRef instruction);
kiln_status_t kiln_codegen_at_call(kiln_status_t status, LLVMValueRef function); // the first

#endif
