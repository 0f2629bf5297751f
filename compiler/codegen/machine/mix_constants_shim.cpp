// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works around wrong constants of v_fma_mix in LLVM 22. A modifier makes each operand of v_fma_mix
// f16 or f32. When SIFoldOperands checks whether a constant is an inline constant, it treats every
// operand as f16, and so accepts some subnormal f32 numbers, which the instruction then reads as
// other numbers:
//
//   %c = S_MOV_B32 65535
//   %r = V_FMA_MIXLO_F16 0, %x, 0, %c, …            →       V_FMA_MIXLO_F16 0, %x, 0, -1, …, in f32 a NaN
//
// So such an operand is replaced by its negative, which is never an inline constant, and negated by
// the operand's modifier.
//
// Note that the constant may have other users, so the negative gets a second register.
#include "machine_pass.h"
#include "passes_shim.h"

using namespace llvm;

namespace
{
class MixConstants : public kiln::MachinePass<MixConstants>
{
  public:
    static constexpr char NAME[] = "Fix f32 constants of v_fma_mix";

    bool run(MachineFunction &function)
    {
        bool changed = false;
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : block)
                if (name_of(instruction).starts_with("V_FMA_MIX"))
                    for (unsigned source = 0; source < SOURCES; source++)
                        changed |= negate_misread(instruction, 2 * source + 1);
        return changed;
    }

  private:
    enum {
        SOURCES = 3,
        NEGATED = 1,
        ABSOLUTE = 2,
        HALF = 8
    }; // modifiers; each operand is preceded by its own
    static constexpr uint32_t SIGN = 0x80000000;

    bool negate_misread(MachineInstr &instruction, unsigned at)
    {
        MachineOperand &modifiers = instruction.getOperand(at),
                       &operand = instruction.getOperand(at + 1);
        const MachineInstr *move = move_of(operand);
        if (!move || modifiers.getImm() & HALF)
            return false;
        auto constant = static_cast<uint32_t>(move->getOperand(1).getImm());
        if (!is_misread(constant))
            return false;
        Register moved =
            values->createVirtualRegister(values->getRegClass(move->getOperand(0).getReg()));
        Register negative = values->createVirtualRegister(values->getRegClass(operand.getReg()));
        MachineBasicBlock &block = *instruction.getParent();
        const DebugLoc &place = instruction.getDebugLoc();
        BuildMI(block, instruction, place, move->getDesc(), moved)
            .addImm(static_cast<int32_t>(constant ^ SIGN));
        BuildMI(block, instruction, place, instructions->get(TargetOpcode::COPY), negative)
            .addReg(moved);
        operand.setReg(negative);
        operand.setIsKill(false);
        if (!(modifiers.getImm() & ABSOLUTE))
            modifiers.setImm(modifiers.getImm() ^ NEGATED);
        return true;
    }

    // The instruction that defines the constant of an operand, or null.
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

    // Whether these bits are an inline constant as f16, but a different one in 32 bits.
    static bool is_misread(uint32_t bits)
    {
        static const uint16_t floats[] = {0x3118, 0x3800, 0x3c00, 0x4000, 0x4400,
                                          0xb800, 0xbc00, 0xc000, 0xc400};
        enum { MIN = -16 };
        auto lower = static_cast<uint16_t>(bits);
        bool is_half = bits == lower || bits == (lower | 0xffff0000u);
        bool is_negative =
            bits == lower && static_cast<int16_t>(lower) < 0 && static_cast<int16_t>(lower) >= MIN;
        return is_half && (is_negative || is_contained(floats, lower));
    }
};
} // namespace

Pass *kiln_shim_create_mix_constants()
{
    return new MixConstants;
}
