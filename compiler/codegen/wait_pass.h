// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the machine passes share that make up for wait states which LLVM's hazard recognizer forgets (C++, for them alone).
// The names are all that the target's public headers tell of its instructions.
#ifndef KILN_CODEGEN_WAIT_PASS_H
#define KILN_CODEGEN_WAIT_PASS_H

#include <algorithm>

#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineInstrBuilder.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>

namespace kiln
{
class WaitPass : public llvm::MachineFunctionPass
{
  public:
    bool runOnMachineFunction(llvm::MachineFunction &function) final
    {
        instructions = function.getSubtarget().getInstrInfo();
        changed = false;
        add_waits(function);
        return changed;
    }

  protected:
    using llvm::MachineFunctionPass::MachineFunctionPass;

    virtual void add_waits(llvm::MachineFunction &function) = 0;

    llvm::StringRef name_of(const llvm::MachineInstr &instruction) const
    {
        return instructions->getName(instruction.getOpcode());
    }

    bool is_matrix(const llvm::MachineInstr &instruction) const
    {
        llvm::StringRef name = name_of(instruction);
        return name.starts_with("V_MFMA") || name.starts_with("V_SMFMAC");
    }

    // Wait states in front of an instruction, as few instructions as do.
    void wait(llvm::MachineBasicBlock &block, llvm::MachineBasicBlock::instr_iterator before, int states)
    {
        enum { MOST_IN_ONE = 8 };
        while (instructions->getName(nop) != "S_NOP")
            nop++;
        for (; states > 0; states -= MOST_IN_ONE)
            BuildMI(block, before, before->getDebugLoc(), instructions->get(nop))
                .addImm(std::min(states, int{MOST_IN_ONE}) - 1);
        changed = true;
    }

    const llvm::TargetInstrInfo *instructions = nullptr;

  private:
    unsigned nop = 0;
    bool changed = false;
};
} // namespace kiln

#endif
