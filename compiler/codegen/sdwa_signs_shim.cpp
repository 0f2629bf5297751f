// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps LLVM 22 from reading bytes with wrong signs. Its SIPeepholeSDWA lets an instruction select the byte itself; those
// on integers can extend the sign as well, those on floats can't, and it is not extended:
//
//   %b = V_BFE_I32 %a, 0, 8
//   %r = V_MUL_F16 %x, %b               →       %r = V_MUL_F16_sdwa %x, %a, src1_sel: BYTE_0
//
// And it extends the sign to 32 bits where a shift of 16 bits leaves zeros above (later versions let it be):
//
//   %b = V_ASHRREV_I16 8, %a
//   %r = V_CVT_F32_U32 %b               →       %r = V_CVT_F32_U32_sdwa sext(%a), src0_sel: BYTE_1
//
// It does so only where all users of a byte can select it. So such a byte gets one that can't: FAKE_USE, which is no code.
//
// The thing one gets wrong: conversions from integers are named like floats, but extend signs.
#include "sdwa_signs_shim.h"

#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineInstrBuilder.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>

using namespace llvm;

namespace
{
class SdwaSigns : public MachineFunctionPass
{
  public:
    static char ID;
    SdwaSigns() : MachineFunctionPass(ID) {}

    StringRef getPassName() const override { return "Signs of bytes that are read"; }

    bool runOnMachineFunction(MachineFunction &function) override
    {
        instructions = function.getSubtarget().getInstrInfo();
        values = &function.getRegInfo();
        bool changed = false;
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : block)
                if (extends_sign(instruction))
                    changed |= keep_apart(instruction);
        return changed;
    }

  private:
    StringRef name_of(const MachineInstr &instruction) const
    {
        StringRef name = instructions->getName(instruction.getOpcode());
        name.consume_back("_e64") || name.consume_back("_e32");
        return name;
    }

    bool extends_sign(const MachineInstr &instruction) const
    {
        StringRef name = name_of(instruction);
        return (name == "V_BFE_I32" || name == "V_ASHRREV_I32" || name == "V_ASHRREV_I16") &&
               instruction.getOperand(0).getReg().isVirtual();
    }

    bool reads_floats(const MachineInstr &instruction) const
    {
        StringRef name = name_of(instruction);
        if (name.starts_with("V_CVT_"))
            return name.ends_with("_F16") || name.ends_with("_F32");
        return name.starts_with("V_") && (name.contains("_F16") || name.contains("_F32"));
    }

    // By its name; what reads 16 bits of other operands has no form that selects.
    bool reads_halves(const MachineInstr &instruction) const
    {
        StringRef name = name_of(instruction);
        return name.ends_with("_I16") || name.ends_with("_U16") || name.ends_with("_B16");
    }

    bool keep_apart(const MachineInstr &instruction)
    {
        Register extended = instruction.getOperand(0).getReg();
        bool is_half = name_of(instruction) == "V_ASHRREV_I16";
        SmallVector<MachineInstr *, 4> users;
        for (MachineInstr &user : values->use_nodbg_instructions(extended))
            if (reads_floats(user) || (is_half && !user.isPHI() && !reads_halves(user)))
                users.push_back(&user);
        for (MachineInstr *user : users)
            BuildMI(*user->getParent(), std::next(user->getIterator()), user->getDebugLoc(),
                    instructions->get(TargetOpcode::FAKE_USE))
                .addReg(extended);
        if (!users.empty())
            values->clearKillFlags(extended);
        return !users.empty();
    }

    const TargetInstrInfo *instructions = nullptr;
    MachineRegisterInfo *values = nullptr;
};

char SdwaSigns::ID;
} // namespace

Pass *kiln_shim_create_sdwa_signs()
{
    return new SdwaSigns;
}
