// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the files of codegen. Note that LLVM reports many errors only to the context's handler
// and continues, so each step must end with kiln_codegen_take_error.
#ifndef KILN_CODEGEN_INTERNAL_H
#define KILN_CODEGEN_INTERNAL_H

#include "codegen/codegen.h"
#include "codegen/libraries/device_libraries.h"
#include "codegen/llvm_shim.h"

struct kiln_codegen {
    LLVMContextRef context;
    LLVMTargetMachineRef machine;
    LLVMTargetDataRef layout;
    kiln_device_libraries_t *libraries;
    LLVMMetadataRef mark; // marks the assembly that kiln_shim_emit creates and finds again
    kiln_shim_live_registers_t live; // take is NULL: not reported
    bool has_bitcode;                // the user links bitcode to the current module
    kiln_codegen_handler_t handler;
    void *user;
    kiln_status_t error;  // LLVM's first error since the last kiln_codegen_take_error
    uint64_t error_place; // of the inline assembly with the error (kiln_shim_assembly_place), or 0
};

kiln_status_t kiln_codegen_take_error(kiln_codegen_t *codegen); // returns and clears it
// For tiles that exceed the registers: computes values late, moves long-lived ones to scratch
// memory, and splits long blocks (ir/order_by_demand.c, ir/demote.c, ir/cut_blocks.c).
kiln_status_t kiln_codegen_demote_values(kiln_codegen_t *codegen, LLVMModuleRef module);
kiln_status_t kiln_codegen_fence_zeros(LLVMModuleRef module); // whose sign LLVM would lose
bool kiln_codegen_order_by_demand(LLVMBasicBlockRef block);   // false if memory is exhausted
bool kiln_codegen_cut_block(LLVMBasicBlockRef block);         // likewise
void kiln_codegen_widen_bfloats(
    LLVMModuleRef module); // where LLVM would compute or compare wrongly
void kiln_codegen_round_bfloats(LLVMModuleRef module);     // by fewer instructions than LLVM's
void kiln_codegen_divide_doubles(LLVMModuleRef module);    // where LLVM would round wrongly
void kiln_codegen_split_bitcasts(LLVMModuleRef module);    // whose negation LLVM would not do
void kiln_codegen_fence_constants(LLVMModuleRef module);   // that LLVM would replace by NaNs
void kiln_codegen_join_products(LLVMModuleRef module);     // whose halves LLVM computes separately
void kiln_codegen_carry_bytes(LLVMModuleRef module);       // from block to block, as words
void kiln_codegen_carry_distinct(LLVMModuleRef module);    // elements of a vector, once if equal
void kiln_codegen_freeze_integers(LLVMModuleRef module);   // that LLVM would treat as shorter ones
void kiln_codegen_fence_conversions(LLVMModuleRef module); // of terms LLVM would add as integers
void kiln_codegen_unfence_conversions(LLVMModuleRef module); // after LLVM's passes
void kiln_codegen_freeze_loads(LLVMModuleRef module);        // that LLVM would move beyond stores
void kiln_codegen_bound_integers(LLVMModuleRef module);      // that f16 cannot hold
void kiln_codegen_pair_bytes(LLVMModuleRef module);          // that become pairs of f16
bool kiln_codegen_mask_words(
    LLVMModuleRef module); // whose bytes become f32; false if memory is exhausted
bool kiln_codegen_share_lines(
    LLVMModuleRef module); // of the L1 between neighbouring lanes; false if memory is exhausted
bool kiln_codegen_bound_sums(
    LLVMModuleRef module); // that LLVM needs long for; false if memory is exhausted
kiln_status_t kiln_codegen_run_passes(LLVMTargetMachineRef machine, LLVMModuleRef module,
                                      const char *passes);

// Adds the location from an instruction's debug information (the instruction may be NULL).
kiln_status_t kiln_codegen_at_instruction(kiln_status_t status, LLVMValueRef instruction);
kiln_status_t kiln_codegen_at_call(kiln_status_t status, LLVMValueRef function); // the first
// Adds the location of the inline assembly whose diagnostic had that number
// (kiln_shim_assembly_place), else of the first in the module.
kiln_status_t kiln_codegen_at_assembly(kiln_status_t status, LLVMModuleRef module, uint64_t place);

// The user's inline assembly that mentions a symbol (may be NULL), else the first; NULL if there is
// none.
LLVMValueRef kiln_codegen_find_assembly(LLVMModuleRef module, const char *symbol);

#endif
