// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds shifted values that differ between lanes by vector instructions (workarounds.def:
// scalar_sums). Instruction selection of LLVM 22 always takes the scalar instruction:
//
//   %s:sreg_32 = COPY %row:vgpr_32                     %s:vgpr_32 = COPY %row
//   %r:sreg_32 = S_LSHL3_ADD_U32 %s, %x      →         %v:vgpr_32 = V_LSHL_ADD_U32_e64 %s, 3, %x
//                                                      %r:sreg_32 = COPY %v
//
// Directly afterwards SIFixSGPRCopies moves scalar instructions that read vector registers to the
// vector unit, but if three or more depend on one such copy, it reads the first lane instead: it
// counts on selection that only values equal in all lanes have scalar users.
//
// Note that what is equal in all lanes is computed by the vector instruction, too, if its operand
// is in a vector register: machine code does not show the difference.
#include "machine_pass.h"
#include "passes_shim.h"

#include <llvm/ADT/StringSwitch.h>

using namespace llvm;

namespace
{
class ScalarSums : public kiln::MachinePass<ScalarSums>
{
  public:
    static constexpr char NAME[] = "Add shifted vector registers by vector instructions";

    bool run(MachineFunction &function)
    {
        bool changed = false;
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : make_early_inc_range(block))
                if (const int bits = shift_of(name_of(instruction)))
                    changed |= move_to_lanes(instruction, bits);
        return changed;
    }

  private:
    using Value = TargetInstrInfo::RegSubRegPair;

    static int shift_of(StringRef name)
    {
        return StringSwitch<int>(name)
            .Case("S_LSHL1_ADD_U32", 1)
            .Case("S_LSHL2_ADD_U32", 2)
            .Case("S_LSHL3_ADD_U32", 3)
            .Case("S_LSHL4_ADD_U32", 4)
            .Default(0);
    }

    // The value in a vector register that a scalar operand is a copy of; no register if it is none.
    Value in_lanes(const MachineOperand &operand) const
    {
        if (!operand.isReg())
            return Value();
        Value value(operand.getReg(), operand.getSubReg());
        while (value.Reg.isVirtual() &&
               !registers->isDivergentRegClass(values->getRegClass(value.Reg)))
            value = copied(values->getUniqueVRegDef(value.Reg), value.SubReg);
        return value.Reg.isVirtual() ? value : Value();
    }

    // What an instruction copies to part of its result.
    static Value copied(const MachineInstr *from, unsigned part)
    {
        if (from && from->isCopy()) {
            const MachineOperand &source = from->getOperand(1);
            if (!part || !source.getSubReg())
                return Value(source.getReg(), part ? part : source.getSubReg());
        }
        if (from && from->isRegSequence())
            for (unsigned i = 1; i + 1 < from->getNumOperands(); i += 2)
                if (from->getOperand(i + 1).getImm() == part)
                    return Value(from->getOperand(i).getReg(), from->getOperand(i).getSubReg());
        return Value();
    }

    bool move_to_lanes(MachineInstr &sum, int bits)
    {
        const Value shifted = in_lanes(sum.getOperand(1)), added = in_lanes(sum.getOperand(2));
        if (!shifted.Reg && !added.Reg)
            return false;
        const MCInstrDesc &add = instructions->get(opcode("V_LSHL_ADD_U32_e64"));
        const TargetRegisterClass *lanes = instructions->getRegClass(add, 0);
        const auto operand = [&](const MachineOperand &scalar, const Value &value) {
            return value.Reg ? MachineOperand::CreateReg(copy(value, lanes, sum), false) : scalar;
        };
        const MachineOperand a = operand(sum.getOperand(1), shifted),
                             b = operand(sum.getOperand(2), added);
        const Register result = values->createVirtualRegister(lanes);
        BuildMI(*sum.getParent(), sum, sum.getDebugLoc(), add, result).add(a).addImm(bits).add(b);
        BuildMI(*sum.getParent(), sum, sum.getDebugLoc(), instructions->get(TargetOpcode::COPY),
                sum.getOperand(0).getReg())
            .addReg(result);
        sum.eraseFromParent();
        return true;
    }

    Register copy(const Value &value, const TargetRegisterClass *lanes, MachineInstr &before) const
    {
        const Register made = values->createVirtualRegister(lanes);
        BuildMI(*before.getParent(), before, before.getDebugLoc(),
                instructions->get(TargetOpcode::COPY), made)
            .addReg(value.Reg, 0, value.SubReg);
        values->clearKillFlags(value.Reg);
        return made;
    }
};
} // namespace

Pass *kiln_shim_create_scalar_sums()
{
    return new ScalarSums;
}
