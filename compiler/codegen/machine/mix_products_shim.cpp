// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the sign of products that are -0 and are rounded to f16 (workarounds.def: mix_products).
// LLVM 22 selects v_fma_mixlo_f16 for them, and adds +0 to the product, which makes it +0:
//
//   fptrunc (fmul %x, %y) to half     →     v_fma_mixlo_f16 v0, v0, v1, 0
//
// The addend that changes no product is -0: the constant with the operand's negation. Only these
// products have a constant in the instruction directly after selection; that of llvm.fma is in a
// register until SIFoldOperands.
#include "machine_pass.h"
#include "passes_shim.h"

using namespace llvm;

namespace
{
class MixProducts : public kiln::MachinePass<MixProducts>
{
  public:
    static constexpr char NAME[] = "Keep the sign of zeros of v_fma_mix";

    bool run(MachineFunction &function)
    {
        bool changed = false;
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : block)
                if (name_of(instruction).starts_with("V_FMA_MIX"))
                    changed |= negate_zero(instruction);
        return changed;
    }

  private:
    enum { MODIFIERS = 5, ADDEND, NEGATED = 1 };

    static bool negate_zero(MachineInstr &instruction)
    {
        MachineOperand &modifiers = instruction.getOperand(MODIFIERS);
        const MachineOperand &addend = instruction.getOperand(ADDEND);
        if (!addend.isImm() || addend.getImm() != 0 || modifiers.getImm() != 0)
            return false;
        modifiers.setImm(NEGATED);
        return true;
    }
};
} // namespace

Pass *kiln_shim_create_mix_products()
{
    return new MixProducts;
}
