// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removes empty inline assembly that only keeps memory accesses in order (lower/emit.c), after the
// scheduler has run. LLVM 22's hazard recognizer treats it as an instruction that ends a clause of
// loads (workarounds.def: empty_assembly), and then omits the s_nop that XNACK needs:
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

  private:
    static bool orders_only(const MachineInstr &instruction)
    {
        if (!instruction.isInlineAsm() ||
            *instruction.getOperand(InlineAsm::MIOp_AsmString).getSymbolName())
            return false;
        for (const MachineOperand &operand : instruction.operands())
            if (operand.isReg())
                return false;
        return true;
    }
};
} // namespace

Pass *kiln_shim_create_empty_assembly()
{
    return new EmptyAssembly;
}
