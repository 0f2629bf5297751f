// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Restores wait states that LLVM 22's hazard recognizer counts but that do not exist. Searching
// backwards from the head of a block, it walks each predecessor from its very end, even if control
// comes by its conditional branch and never reaches the unconditional one after it:
//
//   v_cmp_…  s[2:3], v0, v1           v_cmp_…  s[2:3], v0, v1
//   s_cbranch_scc1 .loop              s_nop 0
//   s_branch .end                     s_cbranch_scc1 .loop
//                                     s_branch .end
//
// A memory instruction at the head of .loop that reads s[2:3] has one wait state too few. A wait
// before the conditional branch compensates for the wait states that the recognizer has counted
// after it; so this must run after the recognizer, which would count that wait as well. Matrix
// instructions are handled by matrix_wait_shim.cpp.
#include "passes_shim.h"
#include "wait_pass.h"

using namespace llvm;

namespace
{
enum { LONGEST_WAIT = 5 }; // wait states after a vector instruction that writes scalar registers

class BranchWait : public kiln::WaitPass<BranchWait>
{
  public:
    static constexpr char NAME[] = "Insert wait states before conditional branches";

    void add_waits(MachineFunction &function)
    {
        for (MachineBasicBlock &block : function) {
            MachineBasicBlock::iterator first = block.getFirstTerminator();
            int skipped = -1;
            for (auto at = first; at != block.end(); ++at)
                skipped += !at->isDebugInstr();
            if (skipped >= 1 && first->isConditionalBranch() && may_be_waited_for(block, first))
                wait(block, first.getInstrIterator(), skipped);
        }
    }

  private:
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
} // namespace

Pass *kiln_shim_create_branch_wait()
{
    return new BranchWait;
}
