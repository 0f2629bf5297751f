// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the wait state between a buffer store of 3 or 4 dwords with a scalar register as offset and
// a vector instruction that overwrites its data (workarounds.def: store_wait). LLVM 22's hazard
// recognizer handles only stores without such a register:
//
//   buffer_store_dwordx4 v[0:3], v4, s[0:3], s5 offen
//   s_nop 0                                              ← this
//   v_mov_b32 v0, 0
#include "passes_shim.h"
#include "wait_pass.h"

using namespace llvm;

namespace
{
class StoreWait : public kiln::WaitPass<StoreWait>
{
  public:
    static constexpr char NAME[] = "Insert wait states after wide buffer stores";

    void add_waits(MachineFunction &function)
    {
        for (MachineBasicBlock &block : function)
            for (auto at = block.instr_begin(); at != block.instr_end(); ++at)
                if (is_wide_store(*at))
                    wait_after(block, at);
    }

  private:
    bool is_wide_store(const MachineInstr &instruction) const
    {
        StringRef name = name_of(instruction);
        if (!name.consume_front("BUFFER_STORE_DWORDX3_") &&
            !name.consume_front("BUFFER_STORE_DWORDX4_"))
            return false;
        // Data, the lane's address unless the offset is constant, the descriptor, the scalar
        // offset.
        const MachineOperand &offset = instruction.getOperand(name.starts_with("OFFSET") ? 2 : 3);
        return offset.isReg();
    }

    // One instruction in between is enough, so only the next one matters, in this block or in the
    // one that it falls through to.
    void wait_after(MachineBasicBlock &block, MachineBasicBlock::instr_iterator store)
    {
        const Register data = store->getOperand(0).getReg();
        MachineBasicBlock *in = &block;
        for (auto at = std::next(store); in; at = in->instr_begin()) {
            while (at != in->instr_end() && (at->isMetaInstruction() || at->isBundle()))
                ++at;
            if (at != in->instr_end()) {
                if (overwrites(*at, data))
                    wait(*in, at, 1);
                return;
            }
            in = in->getFallThrough(false);
        }
    }

    bool overwrites(const MachineInstr &instruction, Register data) const
    {
        if (!name_of(instruction).starts_with("V_") && !instruction.isInlineAsm())
            return false;
        for (const MachineOperand &operand : instruction.all_defs())
            if (operand.getReg().isPhysical() && registers->regsOverlap(operand.getReg(), data))
                return true;
        return false;
    }
};
} // namespace

Pass *kiln_shim_create_store_wait()
{
    return new StoreWait;
}
