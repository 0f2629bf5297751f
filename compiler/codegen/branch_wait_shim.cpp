// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives back the wait states that LLVM 22's hazard recognizer counts and that are not there. On its way from a block's head
// to what came before, it walks each predecessor from its very end, also one that comes by its conditional branch and
// never gets to the unconditional one behind it:
//
//   v_cmp_…  s[2:3], v0, v1           v_cmp_…  s[2:3], v0, v1
//   s_cbranch_scc1 .loop              s_nop 0
//   s_branch .end                     s_cbranch_scc1 .loop
//                                     s_branch .end
//
// What reads s[2:3] in memory instructions at the head of .loop has one wait state too few. A wait in front of the
// conditional branch makes up for what the recognizer has counted behind it; so this must run after the recognizer,
// which would count it as well. Matrix instructions are matrix_wait_shim.cpp's.
#include "branch_wait_shim.h"
#include "wait_pass.h"

using namespace llvm;

namespace
{
enum { LONGEST_WAIT = 5 }; // wait states behind a vector instruction that writes scalar registers

class BranchWait : public kiln::WaitPass
{
  public:
    static char ID;
    BranchWait() : WaitPass(ID) {}

    StringRef getPassName() const override { return "Wait states in front of conditional branches"; }

  private:
    void add_waits(MachineFunction &function) override
    {
        for (MachineBasicBlock &block : function) {
            MachineBasicBlock::iterator first = block.getFirstTerminator();
            int behind = -1;
            for (auto at = first; at != block.end(); ++at)
                behind += !at->isDebugInstr();
            if (behind >= 1 && first->isConditionalBranch() && may_be_waited_for(block, first))
                wait(block, first.getInstrIterator(), behind);
        }
    }

    bool may_be_waited_for(MachineBasicBlock &block, MachineBasicBlock::iterator before) const
    {
        int distance = 0;
        for (auto at = before; at != block.begin() && distance < LONGEST_WAIT;) {
            --at;
            if (at->isMetaInstruction())
                continue;
            if (name_of(*at).starts_with("V_") && !is_matrix(*at))
                return true;
            distance++;
        }
        return false;
    }
};

char BranchWait::ID;
} // namespace

Pass *kiln_shim_create_branch_wait()
{
    return new BranchWait;
}
