// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds wait states after matrix instructions that LLVM 22's hazard recognizer misses
// (workarounds.def: matrix_wait, matrix_chain, matrix_assembly, matrix_calls). It searches
// backwards from a use, depth first, and never enters a block twice. If the first path to a block
// is a long one, around a loop, the search ends there and never considers the short path:
//
//   body:  …  v_mfma_… v[0:3]            (falls through)
//   head:  v_mov_b32 v4, v0              preds: latch, body
//          s_cbranch_scc1 latch
//   latch: s_cbranch_execz head          head ← latch ← head ← body is tried first and is far enough
//
// Nor does it wait between different matrix instructions on one accumulator; the result is
// forwarded only between equal ones. And it does not look at inline assembly, which may read the
// result or write an operand, nor beyond calls and returns.
//
// This pass searches forwards from each matrix instruction, and from inline assembly, through the
// blocks that follow, with the least distance to each, and inserts the missing wait states before
// the first instruction that comes too early.
#include "passes_shim.h"
#include "wait_pass.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/CodeGen/TargetSchedule.h>

using namespace llvm;

namespace
{
enum { LONGEST_WAIT = 19, DOUBLE_WAIT = 18, OPERAND_WAIT = 2 };

class MatrixWait : public kiln::WaitPass<MatrixWait>
{
  public:
    static constexpr char NAME[] = "Insert wait states after matrix instructions";

    void add_waits(MachineFunction &function)
    {
        schedule.init(&function.getSubtarget());
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : block.instrs())
                if (is_matrix(instruction) || instruction.isInlineAsm())
                    follow(instruction);
    }

  private:
    int wait_states(const MachineInstr &instruction) const
    {
        if (instruction.isMetaInstruction() || instruction.isInlineAsm() || instruction.isBundle())
            return 0;
        if (name_of(instruction) == "S_NOP")
            return static_cast<int>(instruction.getOperand(0).getImm()) + 1;
        return 1;
    }

    // Wait states required between `matrix` and `user`; 0 if `user` does not depend on it.
    int needed(const MachineInstr &matrix, const MachineInstr &user) const
    {
        if (matrix.isInlineAsm())
            return needed_after_assembly(matrix, user);
        Register result = matrix.getOperand(0).getReg();
        int passes = static_cast<int>(schedule.computeInstrLatency(&matrix)), max = 0;
        bool is_double = name_of(matrix).starts_with("V_MFMA_F64"),
             user_is_matrix = is_matrix(user);
        for (const MachineOperand &operand : user.operands()) {
            if (!operand.isReg() || !operand.getReg().isPhysical() ||
                (operand.isImplicit() && !user.isInlineAsm()))
                continue;
            if (registers->regsOverlap(operand.getReg(), result)) {
                if (user_is_matrix && operand.getReg() == result &&
                    (operand.isDef() || is_addend(user, operand)))
                    continue;
                max = std::max(max, is_double ? int{DOUBLE_WAIT} : passes + 3);
            }
            // Its own addend is read late.
            for (const MachineOperand &read : matrix.explicit_uses())
                if (operand.isDef() && !user_is_matrix && read.isReg() && is_addend(matrix, read) &&
                    registers->regsOverlap(read.getReg(), operand.getReg()))
                    max = std::max(max, passes - 1);
        }
        return std::max(max, needed_in_chain(matrix, user));
    }

    // Wait states between a matrix instruction and code of another function, which may use any
    // register. The call or return is one of them.
    int needed_outside(const MachineInstr &matrix) const
    {
        if (matrix.isInlineAsm())
            return 0;
        return name_of(matrix).starts_with("V_MFMA_F64")
                   ? DOUBLE_WAIT - 1
                   : static_cast<int>(schedule.computeInstrLatency(&matrix)) + 2;
    }

    bool leaves_function(const MachineInstr &instruction) const
    {
        return instruction.isCall() ||
               (instruction.isReturn() && name_of(instruction) != "S_ENDPGM");
    }

    // Wait states between assembly, whose last instruction may be one of VALU, and a matrix
    // instruction that reads what it writes.
    int needed_after_assembly(const MachineInstr &assembly, const MachineInstr &user) const
    {
        if (!is_matrix(user))
            return 0;
        for (const MachineOperand &written : assembly.operands())
            for (const MachineOperand &read : user.explicit_uses())
                if (written.isReg() && written.isDef() && written.getReg().isPhysical() &&
                    read.isReg() && read.getReg().isPhysical() &&
                    registers->regsOverlap(written.getReg(), read.getReg()))
                    return OPERAND_WAIT;
        return 0;
    }

    // Wait states between different matrix instructions, the second of which adds to the first's
    // result: the same as for an overlapping addend.
    int needed_in_chain(const MachineInstr &matrix, const MachineInstr &user) const
    {
        if (!is_matrix(user) || operation_of(user) == operation_of(matrix) ||
            name_of(matrix).starts_with("V_MFMA_F64"))
            return 0;
        const MachineOperand &addend = user.getOperand(user.getDesc().getNumDefs() + 2);
        bool is_chain = addend.isReg() && addend.getReg() == matrix.getOperand(0).getReg();
        return is_chain ? static_cast<int>(schedule.computeInstrLatency(&matrix)) + 1 : 0;
    }

    // The name without its register classes: _vgprcd_e64, _mac_vgprcd_e64, _e64 and _mac_e64 are
    // one instruction.
    StringRef operation_of(const MachineInstr &matrix) const
    {
        StringRef name = name_of(matrix);
        name.consume_back("_e64");
        name.consume_back("_vgprcd");
        name.consume_back("_mac");
        return name;
    }

    static bool is_addend(const MachineInstr &matrix, const MachineOperand &operand)
    {
        return operand.isUse() && &operand == &matrix.getOperand(matrix.getDesc().getNumDefs() + 2);
    }

    // Within the instruction's own block LLVM has inserted all waits except those of chains, and
    // around inline assembly.
    void follow(MachineInstr &matrix)
    {
        DenseMap<const MachineBasicBlock *, int> nearest;
        MachineBasicBlock &block = *matrix.getParent();
        int distance = 0;
        for (auto at = std::next(matrix.getIterator());
             at != block.instr_end() && distance < LONGEST_WAIT; ++at) {
            const bool is_assembly = matrix.isInlineAsm() || at->isInlineAsm();
            const bool leaves = leaves_function(*at);
            int missing = (leaves        ? needed_outside(matrix)
                           : is_assembly ? needed(matrix, *at)
                                         : needed_in_chain(matrix, *at)) -
                          distance;
            if (missing > 0) {
                wait(block, at, missing);
                distance += missing;
            }
            if (leaves)
                return;
            if (at->isBranch())
                leave(matrix, *at, distance + 1, nearest);
            distance += wait_states(*at);
        }
        if (distance < LONGEST_WAIT)
            fall_through(matrix, block, distance, nearest);
    }

    using distances_t = DenseMap<const MachineBasicBlock *, int>;

    void leave(const MachineInstr &matrix, const MachineInstr &branch, int distance,
               distances_t &nearest)
    {
        for (const MachineOperand &operand : branch.operands())
            if (operand.isMBB())
                enter(matrix, *operand.getMBB(), distance, nearest);
    }

    void fall_through(const MachineInstr &matrix, const MachineBasicBlock &block, int distance,
                      distances_t &nearest)
    {
        MachineBasicBlock *next = const_cast<MachineBasicBlock &>(block).getFallThrough(false);
        if (next)
            enter(matrix, *next, distance, nearest);
    }

    void enter(const MachineInstr &matrix, MachineBasicBlock &block, int distance,
               distances_t &nearest)
    {
        auto known = nearest.find(&block);
        if (distance >= LONGEST_WAIT || (known != nearest.end() && known->second <= distance))
            return;
        nearest[&block] = distance;
        for (auto at = block.instr_begin(); at != block.instr_end() && distance < LONGEST_WAIT;
             ++at) {
            const bool leaves = leaves_function(*at);
            int missing = (leaves ? needed_outside(matrix) : needed(matrix, *at)) - distance;
            if (missing > 0)
                wait(block, at, missing);
            if (missing > 0 || leaves)
                return;
            if (at->isBranch())
                leave(matrix, *at, distance + 1, nearest);
            distance += wait_states(*at);
        }
        if (distance < LONGEST_WAIT)
            fall_through(matrix, block, distance, nearest);
    }

    TargetSchedModel schedule;
};
} // namespace

Pass *kiln_shim_create_matrix_wait()
{
    return new MatrixWait;
}
