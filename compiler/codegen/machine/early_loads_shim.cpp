// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps scalar loads of global memory where the program has them. LLVM's MachineSink moves a load
// into the block that uses its result, which is good for what a branch may skip; here a block often
// ends only where one lane writes a wave's part of a sum to LDS:
//
//   s_load_dwordx2 …, label                         buffer_load …, row
//   buffer_load …, row                              …
//   …                                               s_and_saveexec_b64
//   s_and_saveexec_b64                    not       ds_write_b32
//   ds_write_b32                                    s_or_b64 exec
//   s_or_b64 exec                                   s_load_dwordx2 …, label
//   s_barrier                                       s_waitcnt lgkmcnt(0)       all of HBM's latency
//
// Two passes around MachineSink: the first one removes the loads' memory operands, without which
// LLVM assumes that they must stay in order, and the second one restores them. The first runs some
// passes earlier, because those directly before MachineSink run twice; what these would do with
// such a load, the passes over IR have done. Loads of kernel arguments (the constant address space)
// hit the scalar cache and may move.
#include "machine_pass.h"
#include "passes_shim.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <memory>

using namespace llvm;

namespace
{
enum { KILN_GLOBAL_SPACE = 1 };

using Operands = SmallVector<MachineMemOperand *, 1>;
using Held = DenseMap<MachineInstr *, Operands>;

class HoldLoads : public kiln::MachinePass<HoldLoads>
{
  public:
    static constexpr char NAME[] = "Hold scalar loads in their blocks";

    explicit HoldLoads(std::shared_ptr<Held> held) : held(std::move(held)) {}

    bool run(MachineFunction &function)
    {
        held->clear();
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : block)
                if (is_scalar_load_of_global_memory(instruction)) {
                    held->try_emplace(&instruction, instruction.memoperands());
                    instruction.dropMemRefs(function);
                }
        return !held->empty();
    }

  private:
    std::shared_ptr<Held> held;

    bool is_scalar_load_of_global_memory(const MachineInstr &instruction) const
    {
        if (!name_of(instruction).starts_with("S_LOAD_") || instruction.memoperands_empty())
            return false;
        for (const MachineMemOperand *operand : instruction.memoperands())
            if (operand->getAddrSpace() != KILN_GLOBAL_SPACE)
                return false;
        return true;
    }
};

class ReleaseLoads : public kiln::MachinePass<ReleaseLoads>
{
  public:
    static constexpr char NAME[] = "Restore the memory operands of scalar loads";

    explicit ReleaseLoads(std::shared_ptr<Held> held) : held(std::move(held)) {}

    bool run(MachineFunction &function)
    {
        bool changed = false;
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : block) {
                auto at = held->find(&instruction);
                if (at == held->end())
                    continue;
                instruction.setMemRefs(function, at->second);
                changed = true;
            }
        held->clear();
        return changed;
    }

  private:
    std::shared_ptr<Held> held;
};
} // namespace

void kiln_shim_create_early_loads(Pass **out_hold, Pass **out_release)
{
    auto held = std::make_shared<Held>();
    *out_hold = new HoldLoads(held);
    *out_release = new ReleaseLoads(held);
}
