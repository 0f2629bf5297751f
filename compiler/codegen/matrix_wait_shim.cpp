// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds wait states behind matrix instructions that LLVM 22's hazard recognizer misses. It searches backwards from a use,
// depth first, and never enters a block twice. Where the first way to a block is a long one, around a loop, it gives up
// there, and the short way is not looked at any more:
//
//   body:  …  v_mfma_… v[0:3]            (falls through)
//   head:  v_mov_b32 v4, v0              preds: latch, body
//          s_cbranch_scc1 latch
//   latch: s_cbranch_execz head          head ← latch ← head ← body is tried first and is far enough
//
// This pass searches forwards from each matrix instruction through the blocks behind its own, with the least distance to
// each, and puts what is missing in front of the first instruction that comes too early.
//
// The thing one gets wrong: a matrix instruction that adds to the whole result of another need not wait.
#include "matrix_wait_shim.h"
#include "wait_pass.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSchedule.h>

using namespace llvm;

namespace
{
enum { LONGEST_WAIT = 19, DOUBLE_WAIT = 18 };

class MatrixWait : public kiln::WaitPass
{
  public:
    static char ID;
    MatrixWait() : WaitPass(ID) {}

    StringRef getPassName() const override { return "Wait states behind matrix instructions"; }

  private:
    void add_waits(MachineFunction &function) override
    {
        registers = function.getSubtarget().getRegisterInfo();
        schedule.init(&function.getSubtarget());
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : block.instrs())
                if (is_matrix(instruction))
                    follow(instruction);
    }

    int wait_states(const MachineInstr &instruction) const
    {
        if (instruction.isMetaInstruction() || instruction.isInlineAsm() || instruction.isBundle())
            return 0;
        if (name_of(instruction) == "S_NOP")
            return static_cast<int>(instruction.getOperand(0).getImm()) + 1;
        return 1;
    }

    // Wait states that must be between `matrix` and `user`; 0: the user has nothing to do with it.
    int needed(const MachineInstr &matrix, const MachineInstr &user) const
    {
        Register result = matrix.getOperand(0).getReg();
        int passes = static_cast<int>(schedule.computeInstrLatency(&matrix)), most = 0;
        bool is_double = name_of(matrix).starts_with("V_MFMA_F64"), user_is_matrix = is_matrix(user);
        for (const MachineOperand &operand : user.operands()) {
            if (!operand.isReg() || !operand.getReg().isPhysical() || (operand.isImplicit() && !user.isInlineAsm()))
                continue;
            if (registers->regsOverlap(operand.getReg(), result)) {
                if (user_is_matrix && operand.getReg() == result && (operand.isDef() || is_addend(user, operand)))
                    continue;
                most = std::max(most, is_double ? int{DOUBLE_WAIT} : passes + 3);
            }
            // Its own addend is read late.
            for (const MachineOperand &read : matrix.explicit_uses())
                if (operand.isDef() && !user_is_matrix && read.isReg() && is_addend(matrix, read) &&
                    registers->regsOverlap(read.getReg(), operand.getReg()))
                    most = std::max(most, passes - 1);
        }
        return most;
    }

    static bool is_addend(const MachineInstr &matrix, const MachineOperand &operand)
    {
        return operand.isUse() && &operand == &matrix.getOperand(matrix.getDesc().getNumDefs() + 2);
    }

    void follow(const MachineInstr &matrix)
    {
        DenseMap<const MachineBasicBlock *, int> least;
        const MachineBasicBlock &block = *matrix.getParent();
        int distance = 0;
        for (auto at = std::next(matrix.getIterator()); at != block.instr_end() && distance < LONGEST_WAIT; ++at) {
            if (at->isBranch())
                leave(matrix, *at, distance + 1, least);
            distance += wait_states(*at);
        }
        if (distance < LONGEST_WAIT)
            fall_through(matrix, block, distance, least);
    }

    using distances_t = DenseMap<const MachineBasicBlock *, int>;

    void leave(const MachineInstr &matrix, const MachineInstr &branch, int distance, distances_t &least)
    {
        for (const MachineOperand &operand : branch.operands())
            if (operand.isMBB())
                enter(matrix, *operand.getMBB(), distance, least);
    }

    void fall_through(const MachineInstr &matrix, const MachineBasicBlock &block, int distance, distances_t &least)
    {
        MachineBasicBlock *next = const_cast<MachineBasicBlock &>(block).getFallThrough(false);
        if (next)
            enter(matrix, *next, distance, least);
    }

    void enter(const MachineInstr &matrix, MachineBasicBlock &block, int distance, distances_t &least)
    {
        auto known = least.find(&block);
        if (distance >= LONGEST_WAIT || (known != least.end() && known->second <= distance))
            return;
        least[&block] = distance;
        for (auto at = block.instr_begin(); at != block.instr_end() && distance < LONGEST_WAIT; ++at) {
            int missing = needed(matrix, *at) - distance;
            if (missing > 0) {
                wait(block, at, missing);
                return;
            }
            if (at->isBranch())
                leave(matrix, *at, distance + 1, least);
            distance += wait_states(*at);
        }
        if (distance < LONGEST_WAIT)
            fall_through(matrix, block, distance, least);
    }

    const TargetRegisterInfo *registers = nullptr;
    TargetSchedModel schedule;
};

char MatrixWait::ID;
} // namespace

Pass *kiln_shim_create_matrix_wait()
{
    return new MatrixWait;
}
