// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds shifts into 64-bit additions. LLVM 22 forms v_lshl_add_u64 from a shift and an addition
// only if the shifted number has no other use; an index used with several pointers is shifted once,
// and then added to each:
//
//   %bytes = V_LSHLREV_B64 2, %index
//   %p = V_LSHL_ADD_U64 %x, 0, %bytes               →       %p = V_LSHL_ADD_U64 %index, 2, %x
//   %q = V_LSHL_ADD_U64 %y, 0, %bytes               →       %q = V_LSHL_ADD_U64 %index, 2, %y
//
// This is done only if all uses are such additions, so that the shift disappears.
//
// Note that an instruction reads at most one scalar register, and here another operand becomes the
// first.
#include "machine_pass.h"
#include "passes_shim.h"

using namespace llvm;

namespace
{
class ShiftAdd : public kiln::MachinePass<ShiftAdd>
{
  public:
    static constexpr char NAME[] = "Fold shifts into additions";

    bool run(MachineFunction &function)
    {
        bool changed = false;
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : make_early_inc_range(block))
                changed |= shift_in_additions(instruction);
        return changed;
    }

  private:
    enum { MAX = 4 }; // largest shift of v_lshl_add_u64, in bits
    enum operands_t { SHIFTED = 1, BITS, ADDED };

    // The constant that an operand is, or −1.
    int64_t constant(const MachineOperand &operand) const
    {
        if (operand.isImm())
            return operand.getImm();
        const MachineInstr *maker =
            operand.isReg() && operand.getReg().isVirtual() && !operand.getSubReg()
                ? values->getUniqueVRegDef(operand.getReg())
                : nullptr;
        return maker && maker->isMoveImmediate() && maker->getOperand(1).isImm()
                   ? maker->getOperand(1).getImm()
                   : -1;
    }

    bool adds(const MachineInstr &instruction, Register bytes) const
    {
        if (name_of(instruction) != "V_LSHL_ADD_U64_e64" ||
            constant(instruction.getOperand(BITS)) != 0)
            return false;
        const MachineOperand &a = instruction.getOperand(SHIFTED),
                             &b = instruction.getOperand(ADDED);
        return a.isReg() && b.isReg() && (a.getReg() == bytes) != (b.getReg() == bytes) &&
               !a.getSubReg() && !b.getSubReg();
    }

    bool shift_in_additions(MachineInstr &shift)
    {
        if (name_of(shift) != "V_LSHLREV_B64_e64" || !shift.getOperand(0).getReg().isVirtual())
            return false;
        const int64_t bits = constant(shift.getOperand(1));
        const MachineOperand &index = shift.getOperand(2);
        const Register bytes = shift.getOperand(0).getReg();
        if (bits < 1 || bits > MAX || !index.isReg() || !index.getReg().isVirtual() ||
            index.getSubReg() || values->getRegClass(index.getReg()) != values->getRegClass(bytes))
            return false;
        for (const MachineInstr &user : values->use_nodbg_instructions(bytes))
            if (!adds(user, bytes))
                return false;
        for (MachineInstr &user : make_early_inc_range(values->use_nodbg_instructions(bytes))) {
            MachineOperand &a = user.getOperand(SHIFTED), &b = user.getOperand(ADDED);
            if (b.getReg() == bytes) {
                b.setReg(a.getReg());
                b.setIsKill(a.isKill());
            }
            a.setReg(index.getReg());
            a.setIsKill(false);
            user.getOperand(BITS).ChangeToImmediate(bits);
        }
        values->clearKillFlags(index.getReg());
        values->markUsesInDebugValueAsUndef(bytes);
        shift.eraseFromParent();
        return true;
    }
};
} // namespace

Pass *kiln_shim_create_shift_add()
{
    return new ShiftAdd;
}
