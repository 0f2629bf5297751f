// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kiln's own passes of code generation, in the order in which they run (C++, for emit_shim.cpp
// only). Each function creates a pass, which LLVM's pass manager owns; NAME_shim.cpp describes it.
#ifndef KILN_CODEGEN_PASSES_SHIM_H
#define KILN_CODEGEN_PASSES_SHIM_H

struct kiln_shim_live_registers;
typedef struct kiln_shim_live_registers kiln_shim_live_registers_t;

namespace llvm
{
class MDNode;
class Pass;
} // namespace llvm

// Passes over LLVM IR, before code generation. `mark` is a distinct node with no other references
// (kiln_shim_create_mark), the same as that of kiln_shim_create_zeros.
llvm::Pass *kiln_shim_create_quotients();
llvm::Pass *kiln_shim_create_shared_zeros(llvm::MDNode *mark);

// Passes over LLVM IR, before and after AMDGPUAtomicOptimizer; one needs the other.
llvm::Pass *kiln_shim_create_flat_atomics();
llvm::Pass *kiln_shim_create_restored_atomics();

// Passes over LLVM IR, after CodeGenPrepare, the last pass that creates divisions.
llvm::Pass *kiln_shim_create_unsigned_quotients();
llvm::Pass *kiln_shim_create_carries();

// Pass over LLVM IR, directly before StructurizeCFG.
llvm::Pass *kiln_shim_create_hoisted_values();

// Machine pass directly after instruction selection, before SIFixSGPRCopies.
llvm::Pass *kiln_shim_create_scalar_sums();

// Machine passes after SIFixSGPRCopies.
llvm::Pass *kiln_shim_create_mix_products();
llvm::Pass *kiln_shim_create_carried_sums();

// Machine passes before LLVM's folding of operands and its search for SDWA forms.
llvm::Pass *kiln_shim_create_or_ones();
llvm::Pass *kiln_shim_create_mix_constants();
llvm::Pass *kiln_shim_create_sdwa_signs();
llvm::Pass *kiln_shim_create_shift_add();

// Machine pass after LLVM's scheduler, before register allocation.
llvm::Pass *kiln_shim_create_interleave();

// Two machine passes: the one before MachineSink, in SSA form, and the one directly after it.
void kiln_shim_create_early_loads(llvm::Pass **out_hold, llvm::Pass **out_release);

// Two machine passes: the one directly after instruction selection, and the one after the last pass
// that moves memory accesses.
void kiln_shim_create_empty_assembly(llvm::Pass **out_order, llvm::Pass **out_remove);

// Machine passes after register allocation, the first before stack slots get offsets.
llvm::Pass *kiln_shim_create_spill_slots();
llvm::Pass *kiln_shim_create_zeros(const llvm::MDNode *mark);

// Machine pass directly before SIPreEmitPeephole.
llvm::Pass *kiln_shim_create_branch_masks();

// Two machine passes: the ones directly before and after LLVM inserts waits for loads.
void kiln_shim_create_unread_halves(llvm::Pass **out_hold, llvm::Pass **out_release);

// Machine passes after LLVM's hazard recognizer, the last pass that inserts instructions.
llvm::Pass *kiln_shim_create_branch_wait();
llvm::Pass *kiln_shim_create_matrix_wait();
llvm::Pass *kiln_shim_create_store_wait();
llvm::Pass *kiln_shim_create_fetch_windows();

// Machine pass after all others, which only reads (llvm_shim.h).
llvm::Pass *kiln_shim_create_live_registers(const kiln_shim_live_registers_t &live);

#endif
