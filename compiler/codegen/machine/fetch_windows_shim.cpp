// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Aligns runs of 8-byte instructions to the windows of 32 bytes in which code is fetched
// (docs/timing-model.md). In a run that begins 4 bytes off, every fourth instruction straddles two
// windows and issues a slot late:
//
//    8: v_mov_b32_e32 …                          8: v_mov_b32_e64 …
//   12: v_pk_mul_f16 …                          16: v_pk_mul_f16 …
//   20: v_pk_mul_f16 …                     →    24: v_pk_mul_f16 …
//   28: v_pk_mul_f16 …  (until 36)              32: v_pk_mul_f16 …
//
// So a 4-byte instruction before such a run is encoded in 8 bytes, which costs nothing. If there is
// none, an s_nop is inserted, provided that the run is long enough to be worth its slot. A loop's
// first instruction never straddles two windows.
//
// Note that instruction lengths are known only after all passes that insert instructions. Where
// inline assembly makes them unknown, the code stays correct but is not faster.
#include "passes_shim.h"
#include "wait_pass.h"

using namespace llvm;

namespace
{
enum { WINDOW = 32, SHORT = 4, LONG = 8 };

// Instructions that have two lengths, and how the longer form takes its operands.
enum Form { SAME, CLAMPED, MODIFIED };
const struct {
    const char *name;
    Form form;
} LENGTHS[] = {
    {"V_MOV_B32", SAME},     {"V_AND_B32", SAME},     {"V_OR_B32", SAME},
    {"V_XOR_B32", SAME},     {"V_LSHLREV_B32", SAME}, {"V_LSHRREV_B32", SAME},
    {"V_ASHRREV_I32", SAME}, {"V_ADD_U32", CLAMPED},  {"V_SUB_U32", CLAMPED},
    {"V_ADD_F32", MODIFIED}, {"V_SUB_F32", MODIFIED}, {"V_MUL_F32", MODIFIED},
    {"V_MAX_F32", MODIFIED}, {"V_MIN_F32", MODIFIED},
};

class FetchWindows : public kiln::WaitPass<FetchWindows>
{
  public:
    static constexpr char NAME[] = "Align runs of 8-byte instructions";

    void add_waits(MachineFunction &function)
    {
        if (function.getFunction().getCallingConv() != CallingConv::AMDGPU_KERNEL)
            return; // only kernels are known to begin at a window
        find_heads(function);
        unsigned at = 0;
        for (MachineBasicBlock &block : function)
            at = align(block, static_cast<unsigned>(alignTo(at, block.getAlignment())));
    }

  private:
    using Iterator = MachineBasicBlock::instr_iterator;

    // Consecutive 8-byte instructions that issue as fast as they are fetched.
    struct Run {
        Iterator first;
        unsigned begin = 0, count = 0;

        // The number of straddling instructions, except the first, which arrives in time.
        unsigned late() const
        {
            const unsigned all = (begin % WINDOW + LONG * count) / WINDOW;
            return begin % LONG == 0 || all == 0 ? 0 : all - 1;
        }
    };

    // Finds blocks that are targets of backward branches.
    void find_heads(const MachineFunction &function)
    {
        heads.assign(function.getNumBlockIDs(), false);
        std::vector<bool> passed(function.getNumBlockIDs(), false);
        for (const MachineBasicBlock &block : function) {
            passed[number_of(block)] = true;
            for (const MachineBasicBlock *target : block.successors())
                heads[number_of(*target)] = heads[number_of(*target)] || passed[number_of(*target)];
        }
    }

    static size_t number_of(const MachineBasicBlock &block)
    {
        return static_cast<size_t>(block.getNumber());
    }

    // A bundle's length is that of its instructions.
    unsigned length_of(const MachineInstr &instruction) const
    {
        return instruction.isBundle() ? 0 : instructions->getInstSizeInBytes(instruction);
    }

    bool continues_run(const MachineInstr &instruction) const
    {
        return length_of(instruction) == LONG && !is_matrix(instruction) &&
               !instruction.isBundled();
    }

    bool can_be_longer(const MachineInstr &instruction) const
    {
        return length_of(instruction) == SHORT && !instruction.isBundled() && form_of(instruction);
    }

    // Returns the address at which the block ends.
    unsigned align(MachineBasicBlock &block, unsigned at)
    {
        at = align_head(block, at);
        Iterator shorter = block.instr_end(); // the last extensible one since the last run
        Run run;
        for (Iterator i = block.instr_begin(); i != block.instr_end(); ++i) {
            if (length_of(*i) == 0)
                continue;
            if (continues_run(*i)) {
                if (run.count++ == 0) {
                    run.first = i;
                    run.begin = at;
                }
            } else {
                at += move(block, run, shorter);
                run.count = 0;
                if (can_be_longer(*i))
                    shorter = i;
            }
            at += length_of(*i);
        }
        return at + move(block, run, shorter);
    }

    // Moves a finished run by 4 bytes if that pays off; returns the number of bytes added.
    unsigned move(MachineBasicBlock &block, const Run &run, Iterator &shorter)
    {
        const bool is_free = shorter != block.instr_end(), moves = run.late() > (is_free ? 0u : 1u);
        if (moves && is_free)
            lengthen(block, shorter);
        else if (moves)
            wait(block, run.first, 1);
        if (run.count >= WINDOW / LONG)
            shorter = block.instr_end(); // instructions before a run keep their length
        return moves ? SHORT : 0;
    }

    unsigned align_head(MachineBasicBlock &block, unsigned at) const
    {
        Iterator first = block.instr_begin();
        while (first != block.instr_end() && length_of(*first) == 0)
            ++first;
        if (!heads[number_of(block)] || first == block.instr_end() || length_of(*first) != LONG ||
            at % WINDOW != WINDOW - SHORT)
            return at;
        block.setAlignment(Align(WINDOW));
        block.setMaxBytesForAlignment(SHORT);
        return at + SHORT;
    }

    const Form *form_of(const MachineInstr &instruction) const
    {
        StringRef name = name_of(instruction);
        if (!name.consume_back("_e32"))
            return nullptr;
        for (const auto &known : LENGTHS)
            if (name == known.name)
                return &known.form;
        return nullptr;
    }

    void lengthen(MachineBasicBlock &block, Iterator shorter)
    {
        const Form form = *form_of(*shorter);
        const std::string name = name_of(*shorter).drop_back(2).str() + "64";
        unsigned opcode = shorter->getOpcode(); // both are near each other in the table
        while (instructions->getName(opcode) != name)
            opcode = (opcode + 1) % instructions->getNumOpcodes();
        MachineInstrBuilder longer =
            BuildMI(block, shorter, shorter->getDebugLoc(), instructions->get(opcode));
        for (const MachineOperand &operand : shorter->explicit_operands()) {
            if (form == MODIFIED && !operand.isDef())
                longer.addImm(0);
            longer.add(operand);
        }
        if (form != SAME)
            longer.addImm(0);
        if (form == MODIFIED)
            longer.addImm(0);
        shorter->eraseFromParent();
    }

    std::vector<bool> heads; // by block number
};
} // namespace

Pass *kiln_shim_create_fetch_windows()
{
    return new FetchWindows;
}
