// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code is fetched by windows of 32 bytes (docs/timing-model.md). In a run of 8-byte instructions that begins 4 bytes off,
// each fourth one lies in two windows, and comes a slot late:
//
//    8: v_mov_b32_e32 …                          8: v_mov_b32_e64 …
//   12: v_pk_mul_f16 …                          16: v_pk_mul_f16 …
//   20: v_pk_mul_f16 …                     →    24: v_pk_mul_f16 …
//   28: v_pk_mul_f16 …  (until 36)              32: v_pk_mul_f16 …
//
// So an instruction of 4 bytes in front of such a run is written in 8, which costs nothing; where there is none, an
// s_nop goes in front, if the run is long enough to be worth its slot. And a loop's first instruction does not lie in two.
//
// The thing one gets wrong: lengths are known only behind all passes that insert instructions. Where inline assembly makes
// them unknown, code is as right as before, and no faster.
#include "fetch_windows_shim.h"
#include "wait_pass.h"

using namespace llvm;

namespace
{
enum { WINDOW = 32, SHORT = 4, LONG = 8 };

// What has two lengths, and how the longer one takes its operands.
enum Form { ALIKE, CLAMPED, MODIFIED };
const struct {
    const char *name;
    Form form;
} LENGTHS[] = {
    {"V_MOV_B32", ALIKE},     {"V_AND_B32", ALIKE},     {"V_OR_B32", ALIKE},      {"V_XOR_B32", ALIKE},
    {"V_LSHLREV_B32", ALIKE}, {"V_LSHRREV_B32", ALIKE}, {"V_ASHRREV_I32", ALIKE}, {"V_ADD_U32", CLAMPED},
    {"V_SUB_U32", CLAMPED},   {"V_ADD_F32", MODIFIED},  {"V_SUB_F32", MODIFIED},  {"V_MUL_F32", MODIFIED},
    {"V_MAX_F32", MODIFIED},  {"V_MIN_F32", MODIFIED},
};

class FetchWindows : public kiln::WaitPass
{
  public:
    static char ID;
    FetchWindows() : WaitPass(ID) {}

    StringRef getPassName() const override { return "Runs of 8-byte instructions at multiples of 8 bytes"; }

  private:
    using Iterator = MachineBasicBlock::instr_iterator;

    // Instructions of 8 bytes, one behind the other, that issue as fast as they are fetched.
    struct Run {
        Iterator first;
        unsigned begin = 0, count = 0;

        // Those in two windows, behind the first of them, which is there in time.
        unsigned late() const
        {
            const unsigned all = (begin % WINDOW + LONG * count) / WINDOW;
            return begin % LONG == 0 || all == 0 ? 0 : all - 1;
        }
    };

    void add_waits(MachineFunction &function) override
    {
        if (function.getFunction().getCallingConv() != CallingConv::AMDGPU_KERNEL)
            return; // only kernels are known to begin at a window
        find_heads(function);
        unsigned at = 0;
        for (MachineBasicBlock &block : function)
            at = align(block, static_cast<unsigned>(alignTo(at, block.getAlignment())));
    }

    // Blocks that are branched to from behind.
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

    static size_t number_of(const MachineBasicBlock &block) { return static_cast<size_t>(block.getNumber()); }

    // A bundle's are those of what is in it.
    unsigned length_of(const MachineInstr &instruction) const
    {
        return instruction.isBundle() ? 0 : instructions->getInstSizeInBytes(instruction);
    }

    bool continues_run(const MachineInstr &instruction) const
    {
        return length_of(instruction) == LONG && !is_matrix(instruction) && !instruction.isBundled();
    }

    bool can_be_longer(const MachineInstr &instruction) const
    {
        return length_of(instruction) == SHORT && !instruction.isBundled() && form_of(instruction);
    }

    // Returns where the block ends.
    unsigned align(MachineBasicBlock &block, unsigned at)
    {
        at = align_head(block, at);
        Iterator shorter = block.instr_end(); // the last one behind the last run that can be longer
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

    // Moves a run that has ended by 4 bytes where that is worth it; returns by how many it did.
    unsigned move(MachineBasicBlock &block, const Run &run, Iterator &shorter)
    {
        const bool is_free = shorter != block.instr_end(), moves = run.late() > (is_free ? 0u : 1u);
        if (moves && is_free)
            lengthen(block, shorter);
        else if (moves)
            wait(block, run.first, 1);
        if (run.count >= WINDOW / LONG)
            shorter = block.instr_end(); // what is in front of a run stays as long as it is
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
        unsigned opcode = shorter->getOpcode(); // both stand near each other
        while (instructions->getName(opcode) != name)
            opcode = (opcode + 1) % instructions->getNumOpcodes();
        MachineInstrBuilder longer = BuildMI(block, shorter, shorter->getDebugLoc(), instructions->get(opcode));
        for (const MachineOperand &operand : shorter->explicit_operands()) {
            if (form == MODIFIED && !operand.isDef())
                longer.addImm(0);
            longer.add(operand);
        }
        if (form != ALIKE)
            longer.addImm(0);
        if (form == MODIFIED)
            longer.addImm(0);
        shorter->eraseFromParent();
    }

    std::vector<bool> heads; // by number of block
};

char FetchWindows::ID;
} // namespace

Pass *kiln_shim_create_fetch_windows()
{
    return new FetchWindows;
}
