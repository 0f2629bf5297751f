// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the machine passes that add wait states which LLVM's hazard recognizer omits (C++, for
// them only). Such a pass defines add_waits(MachineFunction &) in place of run.
#ifndef KILN_CODEGEN_WAIT_PASS_H
#define KILN_CODEGEN_WAIT_PASS_H

#include "machine_pass.h"

#include <algorithm>

namespace kiln
{
template <class Derived> class WaitPass : public MachinePass<Derived>
{
  public:
    bool run(llvm::MachineFunction &function)
    {
        changed = false;
        static_cast<Derived *>(this)->add_waits(function);
        return changed;
    }

  protected:
    // Inserts wait states before an instruction, with as few instructions as possible.
    void wait(llvm::MachineBasicBlock &block, llvm::MachineBasicBlock::instr_iterator before,
              int states)
    {
        enum { MAX_IN_ONE = 8 };
        if (!nop)
            nop = this->opcode("S_NOP");
        for (; states > 0; states -= MAX_IN_ONE)
            BuildMI(block, before, before->getDebugLoc(), this->instructions->get(nop))
                .addImm(std::min(states, int{MAX_IN_ONE}) - 1);
        changed = true;
    }

  private:
    unsigned nop = 0; // looked up by the first wait
    bool changed = false;
};
} // namespace kiln

#endif
