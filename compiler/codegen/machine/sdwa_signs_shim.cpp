// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works around bytes that LLVM 22 reads with wrong signs. Its SIPeepholeSDWA makes an instruction
// select the byte itself. Integer instructions can also sign-extend it; float instructions cannot,
// so the sign is lost:
//
//   %b = V_BFE_I32 %a, 0, 8
//   %r = V_MUL_F16 %x, %b               →       %r = V_MUL_F16_sdwa %x, %a, src1_sel: BYTE_0
//
// And it extends the sign to 32 bits although a 16-bit shift leaves zeros above (later versions do
// not):
//
//   %b = V_ASHRREV_I16 8, %a
//   %r = V_CVT_F32_U32 %b               →       %r = V_CVT_F32_U32_sdwa sext(%a), src0_sel: BYTE_1
//
// It does so only if all users of a byte can select it. So such a byte gets one user that cannot:
// FAKE_USE, which emits no code.
//
// Note that conversions from integers are named like float instructions, but extend signs.
#include "machine_pass.h"
#include "passes_shim.h"

using namespace llvm;

namespace
{
class SdwaSigns : public kiln::MachinePass<SdwaSigns>
{
  public:
    static constexpr char NAME[] = "Keep sign extensions of selected bytes";

    bool run(MachineFunction &function)
    {
        bool changed = false;
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : block)
                if (extends_sign(instruction))
                    changed |= keep_apart(instruction);
        return changed;
    }

  private:
    bool extends_sign(const MachineInstr &instruction) const
    {
        StringRef name = operation_of(instruction);
        return (name == "V_BFE_I32" || name == "V_ASHRREV_I32" || name == "V_ASHRREV_I16") &&
               instruction.getOperand(0).getReg().isVirtual();
    }

    bool reads_floats(const MachineInstr &instruction) const
    {
        StringRef name = operation_of(instruction);
        if (name.starts_with("V_CVT_"))
            return name.ends_with("_F16") || name.ends_with("_F32");
        return name.starts_with("V_") && (name.contains("_F16") || name.contains("_F32"));
    }

    // Decided by name; instructions that read 16 bits of other operands lack an SDWA form.
    bool reads_halves(const MachineInstr &instruction) const
    {
        StringRef name = operation_of(instruction);
        return name.ends_with("_I16") || name.ends_with("_U16") || name.ends_with("_B16");
    }

    bool keep_apart(const MachineInstr &instruction)
    {
        Register extended = instruction.getOperand(0).getReg();
        bool is_half = operation_of(instruction) == "V_ASHRREV_I16";
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
};
} // namespace

Pass *kiln_shim_create_sdwa_signs()
{
    return new SdwaSigns;
}
