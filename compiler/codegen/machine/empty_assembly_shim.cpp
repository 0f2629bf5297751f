// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two passes for the empty inline assembly that only keeps memory accesses in order (lower/emit.c).
//
// The first one lets it count as a load and a store, directly after instruction selection. A
// clobber of memory would say so from the start, but LLVM compares each clobber with the names of
// all registers, some 1.5 ms each.
//
// The second one removes it after the scheduler has run. LLVM 22's hazard recognizer treats it as
// an instruction that ends a clause of loads (workarounds.def: empty_assembly), and then omits the
// s_nop that XNACK needs:
//
//   buffer_load_dwordx2 v[4:5], v4, …
//   ;;#ASMSTART ;;#ASMEND
//   buffer_load_dword v19, v6, …
//
// Assembly that names registers stays: it may keep a value alive.
#include "machine_pass.h"
#include "passes_shim.h"

#include <llvm/IR/InlineAsm.h>

using namespace llvm;

namespace
{
bool orders_only(const MachineInstr &instruction)
{
    if (!instruction.isInlineAsm() ||
        *instruction.getOperand(InlineAsm::MIOp_AsmString).getSymbolName())
        return false;
    for (const MachineOperand &operand : instruction.operands())
        if (operand.isReg())
            return false;
    return true;
}

class OrderByAssembly : public kiln::MachinePass<OrderByAssembly>
{
  public:
    static constexpr char NAME[] = "Let empty inline assembly count as a load and a store";

    bool run(MachineFunction &function)
    {
        bool changed = false;
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : block)
                if (orders_only(instruction)) {
                    MachineOperand &flags = instruction.getOperand(InlineAsm::MIOp_ExtraInfo);
                    flags.setImm(flags.getImm() | InlineAsm::Extra_MayLoad |
                                 InlineAsm::Extra_MayStore);
                    changed = true;
                }
        return changed;
    }
};

class EmptyAssembly : public kiln::MachinePass<EmptyAssembly>
{
  public:
    static constexpr char NAME[] = "Remove empty inline assembly";

    bool run(MachineFunction &function)
    {
        bool changed = false;
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : make_early_inc_range(block))
                if (orders_only(instruction)) {
                    instruction.eraseFromParent();
                    changed = true;
                }
        return changed;
    }
};
} // namespace

void kiln_shim_create_empty_assembly(Pass **out_order, Pass **out_remove)
{
    *out_order = new OrderByAssembly;
    *out_remove = new EmptyAssembly;
}
