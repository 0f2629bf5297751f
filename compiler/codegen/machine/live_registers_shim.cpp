// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports how many vector and accumulation registers are alive at each source line, after all other
// passes. It changes nothing.
//
// Lists of registers that are alive at the beginning of blocks are recomputed, because late passes
// do not keep them exact.
#include "codegen/llvm_shim.h"
#include "machine_pass.h"
#include "passes_shim.h"

#include <llvm/CodeGen/LiveRegUnits.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <map>
#include <string>

using namespace llvm;

namespace
{
class LiveRegisters : public kiln::MachinePass<LiveRegisters>
{
  public:
    static constexpr char NAME[] = "Report the registers that are alive at each line";

    explicit LiveRegisters(const kiln_shim_live_registers_t &taker) : taker(taker) {}

    bool run(MachineFunction &function)
    {
        vector = class_of("VGPR_32");
        accumulation = class_of("AGPR_32");
        find_live_ins(function);
        for (MachineBasicBlock &block : function) {
            LiveRegUnits live = at_end(block);
            Count after = count(live);
            for (MachineInstr &instruction : reverse(block)) {
                if (instruction.isDebugOrPseudoInstr())
                    continue;
                live.stepBackward(instruction);
                const Count before = count(live);
                note(instruction,
                     {std::max(before.vgprs, after.vgprs), std::max(before.agprs, after.agprs)});
                after = before;
            }
        }
        return false;
    }

    bool doFinalization(Module &) override
    {
        std::string text;
        raw_string_ostream out(text);
        for (const auto &[place, most] : lines)
            out << most.vgprs << ' ' << most.agprs << ' ' << place.first << ':' << place.second
                << '\n';
        taker.take(text.data(), text.size(), taker.user);
        return false;
    }

  private:
    struct Count {
        unsigned vgprs, agprs;
    };

    LiveRegUnits at_end(const MachineBasicBlock &block)
    {
        LiveRegUnits live(*registers);
        for (const MachineBasicBlock *next : block.successors())
            live.addUnits(live_ins[next]);
        return live;
    }

    // Repeated until no block's list grows.
    void find_live_ins(MachineFunction &function)
    {
        live_ins.clear();
        for (MachineBasicBlock &block : function)
            live_ins[&block] = BitVector(registers->getNumRegUnits());
        for (bool changed = true; changed;) {
            changed = false;
            for (MachineBasicBlock &block : reverse(function)) {
                LiveRegUnits live = at_end(block);
                for (MachineInstr &instruction : reverse(block))
                    if (!instruction.isDebugOrPseudoInstr())
                        live.stepBackward(instruction);
                BitVector &known = live_ins[&block];
                if (live.getBitVector() != known) {
                    known = live.getBitVector();
                    changed = true;
                }
            }
        }
    }

    const TargetRegisterClass *class_of(StringRef name) const
    {
        return *find_if(registers->regclasses(), [&](const TargetRegisterClass *each) {
            return registers->getRegClassName(each) == name;
        });
    }

    static unsigned count_in(const LiveRegUnits &live, const TargetRegisterClass &all)
    {
        return count_if(all, [&](MCPhysReg physical) { return !live.available(physical); });
    }

    Count count(const LiveRegUnits &live) const
    {
        return {count_in(live, *vector), count_in(live, *accumulation)};
    }

    void note(const MachineInstr &instruction, Count alive)
    {
        const DILocation *place = instruction.getDebugLoc().get();
        if (!place || !place->getLine() || instruction.isMetaInstruction())
            return;
        Count &most = lines[{place->getFilename().str(), place->getLine()}];
        most.vgprs = std::max(most.vgprs, alive.vgprs);
        most.agprs = std::max(most.agprs, alive.agprs);
    }

    const kiln_shim_live_registers_t taker;
    const TargetRegisterClass *vector = nullptr, *accumulation = nullptr;
    std::map<const MachineBasicBlock *, BitVector> live_ins;
    std::map<std::pair<std::string, unsigned>, Count> lines;
};
} // namespace

Pass *kiln_shim_create_live_registers(const kiln_shim_live_registers_t &live)
{
    return new LiveRegisters(live);
}
