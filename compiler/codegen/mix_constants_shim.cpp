// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps LLVM 22 from wrong constants of v_fma_mix, whose operands are f16 or f32 each by a modifier. Its SIFoldOperands
// takes all for f16 where it asks whether a constant fits the instruction, and so finds some subnormal numbers of f32
// there, of which the instruction then makes others:
//
//   %c = S_MOV_B32 65535
//   %r = V_FMA_MIXLO_F16 0, %x, 0, %c, …            →       V_FMA_MIXLO_F16 0, %x, 0, -1, …, in f32 a NaN
//
// So such an operand is made the negative number, which fits in no way, and negated by the operand's modifier.
//
// The thing one gets wrong: others may use the constant, so it gets a second register.
#include "mix_constants_shim.h"

#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineInstrBuilder.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>

using namespace llvm;

namespace
{
class MixConstants : public MachineFunctionPass
{
  public:
    static char ID;
    MixConstants() : MachineFunctionPass(ID) {}

    StringRef getPassName() const override { return "Constants that v_fma_mix would read as f16"; }

    bool runOnMachineFunction(MachineFunction &function) override
    {
        instructions = function.getSubtarget().getInstrInfo();
        values = &function.getRegInfo();
        bool changed = false;
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : block)
                if (instructions->getName(instruction.getOpcode()).starts_with("V_FMA_MIX"))
                    for (unsigned source = 0; source < SOURCES; source++)
                        changed |= negate_misread(instruction, 2 * source + 1);
        return changed;
    }

  private:
    enum { SOURCES = 3, NEGATED = 1, ABSOLUTE = 2, HALF = 8 }; // modifiers; each operand's stand in front of it
    static constexpr uint32_t SIGN = 0x80000000;

    bool negate_misread(MachineInstr &instruction, unsigned at)
    {
        MachineOperand &modifiers = instruction.getOperand(at), &operand = instruction.getOperand(at + 1);
        const MachineInstr *move = move_of(operand);
        if (!move || modifiers.getImm() & HALF)
            return false;
        auto constant = static_cast<uint32_t>(move->getOperand(1).getImm());
        if (!is_misread(constant))
            return false;
        Register moved = values->createVirtualRegister(values->getRegClass(move->getOperand(0).getReg()));
        Register negative = values->createVirtualRegister(values->getRegClass(operand.getReg()));
        MachineBasicBlock &block = *instruction.getParent();
        const DebugLoc &place = instruction.getDebugLoc();
        BuildMI(block, instruction, place, move->getDesc(), moved).addImm(static_cast<int32_t>(constant ^ SIGN));
        BuildMI(block, instruction, place, instructions->get(TargetOpcode::COPY), negative).addReg(moved);
        operand.setReg(negative);
        operand.setIsKill(false);
        if (!(modifiers.getImm() & ABSOLUTE))
            modifiers.setImm(modifiers.getImm() ^ NEGATED);
        return true;
    }

    // What makes the constant that an operand is, or null.
    const MachineInstr *move_of(const MachineOperand &operand) const
    {
        const MachineOperand *from = &operand;
        while (from->isReg() && from->getReg().isVirtual() && !from->getSubReg()) {
            const MachineInstr *maker = values->getUniqueVRegDef(from->getReg());
            if (!maker || (!maker->isCopy() && !maker->isMoveImmediate()))
                return nullptr;
            from = &maker->getOperand(1);
            if (maker->isMoveImmediate())
                return from->isImm() ? maker : nullptr;
        }
        return nullptr;
    }

    // Whether an f16 of these bits is one that instructions hold, and not the same in 32 bits.
    static bool is_misread(uint32_t bits)
    {
        static const uint16_t floats[] = {0x3118, 0x3800, 0x3c00, 0x4000, 0x4400, 0xb800, 0xbc00, 0xc000, 0xc400};
        enum { LEAST = -16 };
        auto lower = static_cast<uint16_t>(bits);
        bool is_half = bits == lower || bits == (lower | 0xffff0000u);
        bool is_negative = bits == lower && static_cast<int16_t>(lower) < 0 && static_cast<int16_t>(lower) >= LEAST;
        return is_half && (is_negative || is_contained(floats, lower));
    }

    const TargetInstrInfo *instructions = nullptr;
    MachineRegisterInfo *values = nullptr;
};

char MixConstants::ID;
} // namespace

Pass *kiln_shim_create_mix_constants()
{
    return new MixConstants;
}
