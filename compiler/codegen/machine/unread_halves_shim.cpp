// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets packed f32 instructions wait only for what they read (workarounds.def: unread_halves). One
// that takes the same half of a pair of registers for both results ignores the other half, which
// belongs to something else: often to a load for the next iteration. LLVM 22 waits for both, and so
// for that load:
//
//   buffer_load_dword v33, …
//   s_waitcnt vmcnt(0)                                           ← not this
//   v_pk_add_f32 v[0:1], v[2:3], v[32:33] op_sel_hi:[1,0]
//
// While LLVM inserts its waits, between the two passes of this file, such an operand is the
// instruction's result, which must be waited for anyway, and the half that is read is an implicit
// operand.
#include "machine_pass.h"
#include "passes_shim.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>

#include <memory>

using namespace llvm;

namespace
{
struct HeldOperand {
    unsigned index;
    Register pair;
    bool is_killed;
};
using Held = DenseMap<const MachineInstr *, SmallVector<HeldOperand, 2>>;

class HoldHalves : public kiln::MachinePass<HoldHalves>
{
  public:
    static constexpr char NAME[] = "Hide halves of registers that packed instructions ignore";

    explicit HoldHalves(std::shared_ptr<Held> held) : held(std::move(held)) {}

    bool run(MachineFunction &function)
    {
        held->clear();
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : block.instrs())
                if (is_packed(instruction))
                    hold(function, instruction);
        return !held->empty();
    }

  private:
    std::shared_ptr<Held> held;

    bool is_packed(const MachineInstr &instruction) const
    {
        const StringRef name = name_of(instruction);
        return name == "V_PK_ADD_F32" || name == "V_PK_MUL_F32" || name == "V_PK_FMA_F32";
    }

    // Operands are the result, then modifiers and a register for each source. Two bits of the
    // modifiers select the half for the low and the high result.
    void hold(MachineFunction &function, MachineInstr &instruction)
    {
        enum { LOW_TAKES_HIGH = 4, HIGH_TAKES_HIGH = 8, BOTH = LOW_TAKES_HIGH | HIGH_TAKES_HIGH };
        const Register result = instruction.getOperand(0).getReg();
        const unsigned sources = name_of(instruction) == "V_PK_FMA_F32" ? 3 : 2;
        for (unsigned source = 0; source < sources; source++) {
            const unsigned index = 2 + 2 * source;
            const int64_t halves = instruction.getOperand(index - 1).getImm() & BOTH;
            MachineOperand &operand = instruction.getOperand(index);
            if ((halves != 0 && halves != BOTH) || !operand.isReg() || operand.isTied() ||
                operand.getReg() == result || !is_vector(operand.getReg()))
                continue;
            const Register read =
                registers->getSubReg(operand.getReg(), half(halves == BOTH ? "sub1" : "sub0"));
            if (!read)
                continue;
            (*held)[&instruction].push_back({index, operand.getReg(), operand.isKill()});
            operand.setIsKill(false);
            operand.setReg(result);
            instruction.addOperand(function, MachineOperand::CreateReg(read, false, true));
        }
    }

    bool is_vector(Register pair) const
    {
        return StringRef(registers->getName(pair)).starts_with("VGPR");
    }

    // The index of a pair's half.
    unsigned half(StringRef name) const
    {
        unsigned index = 1;
        while (registers->getSubRegIndexName(index) != name)
            index++;
        return index;
    }
};

class ReleaseHalves : public kiln::MachinePass<ReleaseHalves>
{
  public:
    static constexpr char NAME[] = "Restore halves of registers that packed instructions ignore";

    explicit ReleaseHalves(std::shared_ptr<Held> held) : held(std::move(held)) {}

    bool run(MachineFunction &function)
    {
        bool changed = false;
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : block.instrs()) {
                auto at = held->find(&instruction);
                if (at == held->end())
                    continue;
                for (const HeldOperand &operand : reverse(at->second)) {
                    instruction.removeOperand(instruction.getNumOperands() - 1);
                    instruction.getOperand(operand.index).setReg(operand.pair);
                    instruction.getOperand(operand.index).setIsKill(operand.is_killed);
                }
                changed = true;
            }
        held->clear();
        return changed;
    }

  private:
    std::shared_ptr<Held> held;
};
} // namespace

void kiln_shim_create_unread_halves(Pass **out_hold, Pass **out_release)
{
    auto held = std::make_shared<Held>();
    *out_hold = new HoldHalves(held);
    *out_release = new ReleaseHalves(held);
}
