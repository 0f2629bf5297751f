// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where loads belong whose results are needed later: behind the part of a block that is ordered, or
// in the loop's next iteration (C++, for interleave_shim.cpp only).
//
//   buffer_load_dwordx4 %rows              buffer_load_ubyte %zero      needed first
//   buffer_load_dwordx4 %other        →    buffer_load_dwordx4 %rows
//   buffer_load_dwordx4 %rows + 64         buffer_load_dwordx4 %rows + 64
//   buffer_load_ubyte %zero                buffer_load_dwordx4 %other
//
// Memory returns results in the order of the loads, so a wait for one is a wait for all before it:
// what is needed first is loaded first. And loads of parts of the same cache lines follow one
// another, because what other waves load between them may evict the lines from the L1.
#ifndef KILN_CODEGEN_LOAD_ORDER_H
#define KILN_CODEGEN_LOAD_ORDER_H

#include "machine_pass.h"

#include "base/gfx942.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <llvm/CodeGen/LiveIntervals.h>

namespace kiln
{
class LoadOrder
{
  public:
    LoadOrder(const llvm::MachineFunction &function, const llvm::LiveIntervals &live)
        : instructions(*function.getSubtarget().getInstrInfo()), values(function.getRegInfo()),
          live(live)
    {
    }

    // The distance from the end of the part to the first use of the load's result, by the block's
    // order. The uses in a loop of one block come again in its next iteration. All waves wait for
    // what is stored to LDS, which therefore counts as used at the barrier before.
    unsigned distance_to_use(const llvm::MachineInstr &load, llvm::SlotIndex end) const
    {
        const llvm::MachineBasicBlock &block = *load.getParent();
        const llvm::SlotIndex first = live.getMBBStartIdx(&block), last = live.getMBBEndIdx(&block);
        int least = INT_MAX;
        for (const llvm::MachineOperand &operand : load.all_defs())
            for (const llvm::MachineInstr &use : values.use_nodbg_instructions(operand.getReg())) {
                if (use.getParent() != &block)
                    continue;
                const llvm::SlotIndex at =
                    live.getInstructionIndex(use.mayStore() ? barrier_before(use, block) : use);
                const int distance =
                    at < end ? end.distance(last) + first.distance(at) : end.distance(at);
                least = std::min(least, distance);
            }
        return static_cast<unsigned>(least);
    }

    // Whether two loads of the same kind are known to differ by less than a cache line. This only
    // guides: a register that the loop changes between them counts as the same.
    bool share_lines(const llvm::MachineInstr &a, const llvm::MachineInstr &b) const
    {
        int64_t distance = 0;
        if (a.getOpcode() != b.getOpcode())
            return false;
        for (unsigned o = a.getNumExplicitDefs(); o < a.getNumExplicitOperands(); o++) {
            const llvm::MachineOperand &x = a.getOperand(o), &y = b.getOperand(o);
            if (x.isImm() && y.isImm()) {
                distance += x.getImm() - y.getImm();
            } else if (x.isReg() && y.isReg()) {
                const Sum of_x = sum_of(x), of_y = sum_of(y);
                if (of_x.reg != of_y.reg || of_x.part != of_y.part)
                    return false;
                distance += of_x.offset - of_y.offset;
            } else if (!x.isIdenticalTo(y)) {
                return false;
            }
        }
        return std::abs(distance) < KILN_GFX942_L1_LINE;
    }

  private:
    // A register plus a constant.
    struct Sum {
        llvm::Register reg;
        unsigned part;
        int64_t offset;
    };

    const llvm::TargetInstrInfo &instructions;
    const llvm::MachineRegisterInfo &values;
    const llvm::LiveIntervals &live;

    // The barrier, or the first instruction of the block.
    const llvm::MachineInstr &barrier_before(const llvm::MachineInstr &i,
                                             const llvm::MachineBasicBlock &block) const
    {
        llvm::MachineBasicBlock::const_iterator at(i);
        while (at != block.begin() && instructions.getName(at->getOpcode()) != "S_BARRIER")
            --at;
        return *llvm::skipDebugInstructionsForward(at, block.end());
    }

    Sum sum_of(const llvm::MachineOperand &operand) const
    {
        const Sum own = {operand.getReg(), operand.getSubReg(), 0};
        const llvm::MachineInstr *from =
            own.reg.isVirtual() ? values.getUniqueVRegDef(own.reg) : nullptr;
        if (!from || own.part)
            return own;
        llvm::StringRef name = instructions.getName(from->getOpcode());
        name.consume_back("_e64") || name.consume_back("_e32");
        const bool is_sum = name == "V_ADD_U32", is_difference = name == "V_SUB_U32",
                   is_reversed = name == "V_SUBREV_U32";
        if (!is_sum && !is_difference && !is_reversed)
            return own;
        const llvm::MachineOperand &a = from->getOperand(is_reversed ? 2 : 1),
                                   &b = from->getOperand(is_reversed ? 1 : 2);
        const int64_t sign = is_sum ? 1 : -1;
        if (a.isReg() && b.isImm())
            return {a.getReg(), a.getSubReg(), sign * b.getImm()};
        if (is_sum && a.isImm() && b.isReg())
            return {b.getReg(), b.getSubReg(), a.getImm()};
        return own;
    }
};
} // namespace kiln

#endif
