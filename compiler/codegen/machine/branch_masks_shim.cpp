// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps SCC of masked conditions whose SCC is read (workarounds.def: branch_masks). If a branch
// tests a comparison of lanes, LLVM 22's SIPreEmitPeephole erases the instruction that masks it,
// also where SCC, which is set if any lane remains, has another user:
//
//   v_cmp_gt_i64 vcc, s[4:5], v[0:1]            v_cmp_gt_i64 vcc, s[4:5], v[0:1]
//   s_and_b64 vcc, exec, vcc             →      s_cbranch_vccnz .loop
//   s_cbranch_vccnz .loop                       s_cselect_b32 s4, 0, s2
//   s_cselect_b32 s4, 0, s2
//
// The peephole looks for the instruction that defines the operand. Here it finds a KILL, which
// emits nothing, instead of the comparison.
#include "machine_pass.h"
#include "passes_shim.h"

using namespace llvm;

namespace
{
class BranchMasks : public kiln::MachinePass<BranchMasks>
{
  public:
    static constexpr char NAME[] = "Keep SCC of masked conditions";

    bool run(MachineFunction &function)
    {
        bool changed = false;
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : block)
                if (name_of(instruction) == "S_AND_B64" && defines_live_scc(instruction))
                    changed |= hide_origin(block, instruction);
        return changed;
    }

  private:
    static bool defines_live_scc(const MachineInstr &mask)
    {
        for (const MachineOperand &operand : mask.implicit_operands())
            if (operand.isReg() && operand.isDef() && !operand.isDead())
                return true;
        return false;
    }

    bool hide_origin(MachineBasicBlock &block, MachineInstr &mask) const
    {
        const Register result = mask.getOperand(0).getReg();
        if (!mask.readsRegister(result, registers))
            return false;
        BuildMI(block, mask, mask.getDebugLoc(), instructions->get(TargetOpcode::KILL))
            .addReg(result, RegState::ImplicitDefine)
            .addReg(result, RegState::Implicit);
        return true;
    }
};
} // namespace

Pass *kiln_shim_create_branch_masks()
{
    return new BranchMasks;
}
