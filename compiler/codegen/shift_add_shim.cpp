// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets additions of 64 bits shift. LLVM 22 makes v_lshl_add_u64 of a shift and an addition where the shifted number has
// no other use; an index that counts from several pointers is shifted once, and then added to each:
//
//   %bytes = V_LSHLREV_B64 2, %index
//   %p = V_LSHL_ADD_U64 %x, 0, %bytes               →       %p = V_LSHL_ADD_U64 %index, 2, %x
//   %q = V_LSHL_ADD_U64 %y, 0, %bytes               →       %q = V_LSHL_ADD_U64 %index, 2, %y
//
// That is so where all uses are such additions, and so nothing is left of the shift.
//
// The thing one gets wrong: an instruction reads one scalar register, and here another operand becomes the first.
#include "shift_add_shim.h"

#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>

using namespace llvm;

namespace
{
class ShiftAdd : public MachineFunctionPass
{
  public:
    static char ID;
    ShiftAdd() : MachineFunctionPass(ID) {}

    StringRef getPassName() const override { return "Shifts that additions do"; }

    bool runOnMachineFunction(MachineFunction &function) override
    {
        instructions = function.getSubtarget().getInstrInfo();
        values = &function.getRegInfo();
        bool changed = false;
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : make_early_inc_range(block))
                changed |= shift_in_additions(instruction);
        return changed;
    }

  private:
    enum { MOST = 4 }; // bits that v_lshl_add_u64 shifts by
    enum operands_t { SHIFTED = 1, BITS, ADDED };

    bool is(const MachineInstr &instruction, StringRef name) const
    {
        return instructions->getName(instruction.getOpcode()) == name;
    }

    // The constant that an operand is, or −1.
    int64_t constant(const MachineOperand &operand) const
    {
        if (operand.isImm())
            return operand.getImm();
        const MachineInstr *maker = operand.isReg() && operand.getReg().isVirtual() && !operand.getSubReg()
                                        ? values->getUniqueVRegDef(operand.getReg())
                                        : nullptr;
        return maker && maker->isMoveImmediate() && maker->getOperand(1).isImm() ? maker->getOperand(1).getImm() : -1;
    }

    bool adds(const MachineInstr &instruction, Register bytes) const
    {
        if (!is(instruction, "V_LSHL_ADD_U64_e64") || constant(instruction.getOperand(BITS)) != 0)
            return false;
        const MachineOperand &a = instruction.getOperand(SHIFTED), &b = instruction.getOperand(ADDED);
        return a.isReg() && b.isReg() && (a.getReg() == bytes) != (b.getReg() == bytes) && !a.getSubReg() &&
               !b.getSubReg();
    }

    bool shift_in_additions(MachineInstr &shift)
    {
        if (!is(shift, "V_LSHLREV_B64_e64") || !shift.getOperand(0).getReg().isVirtual())
            return false;
        const int64_t bits = constant(shift.getOperand(1));
        const MachineOperand &index = shift.getOperand(2);
        const Register bytes = shift.getOperand(0).getReg();
        if (bits < 1 || bits > MOST || !index.isReg() || !index.getReg().isVirtual() || index.getSubReg() ||
            values->getRegClass(index.getReg()) != values->getRegClass(bytes))
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

    const TargetInstrInfo *instructions = nullptr;
    MachineRegisterInfo *values = nullptr;
};

char ShiftAdd::ID;
} // namespace

Pass *kiln_shim_create_shift_add()
{
    return new ShiftAdd;
}
