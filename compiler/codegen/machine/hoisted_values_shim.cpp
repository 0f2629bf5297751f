// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works around values on wrong paths (workarounds.def: hoisted_values).
//
// StructurizeCFG moves an instruction without cost, such as fabs, from a block to the common
// dominator of that block and its successor, and lets the successor's phi take the value on every
// path that does not pass its other predecessor:
//
//   entry:  br %a, %then, %loop                        entry:  %x = fabs %p;  br %a, %flow, %loop
//   loop:   …  br %b, %then, %end                      loop:   …
//   then:   %x = fabs %p                       →       flow:   %v = phi [%q, %loop], [%x, %entry];  br …, %then, %end
//   end:    phi [%x, %then], [%q, %loop]               end:    %v, which is %q after %loop and %then
//
// That is right only if the block runs exactly on those paths, which is certain if a branch leads
// either to the block or to the only other one that reaches the phi. In other blocks, an operand of
// the instruction becomes a freeze beside it, because StructurizeCFG moves nothing that depends on
// its own block.
#include "codegen/llvm_version.h"
#include "passes_shim.h"

#include <llvm/IR/Instructions.h>
#include <llvm/Pass.h>

using namespace llvm;

namespace
{
class HoistedValues : public FunctionPass
{
  public:
    static char ID;
    HoistedValues() : FunctionPass(ID) {}

    StringRef getPassName() const override { return "Keep the values of phis in their blocks"; }

    bool runOnFunction(Function &function) override
    {
        bool changed = false;
        for (BasicBlock &block : function) {
            BasicBlock *next = block.getSingleSuccessor();
            if (!next || is_one_of_two(block, *next))
                continue;
            for (PHINode &phi : next->phis())
                if (auto *value = dyn_cast<Instruction>(phi.getIncomingValueForBlock(&block)))
                    changed |= value->getParent() == &block && keep(*value);
        }
        return changed;
    }

  private:
    // Whether exactly one of `block` and the only other predecessor of `next` runs before it.
    static bool is_one_of_two(const BasicBlock &block, const BasicBlock &next)
    {
        const BasicBlock *branch = block.getSinglePredecessor();
        if (!branch || !next.hasNPredecessors(2))
            return false;
        for (const BasicBlock *other : predecessors(&next))
            if (other != &block && other != branch && other->getSingleSuccessor() != &next)
                return false;
        return true;
    }

    // Whether the instruction certainly has a cost, so that StructurizeCFG does not move it.
    static bool has_cost(const Instruction &value)
    {
        return isa<BinaryOperator>(value) || isa<CmpInst>(value) || value.mayReadOrWriteMemory() ||
               value.mayHaveSideEffects();
    }

    static bool keep(Instruction &value)
    {
        if (isa<PHINode>(value) || has_cost(value))
            return false;
        for (Use &use : value.operands())
            if (auto *operand = dyn_cast<Instruction>(use.get());
                operand && operand->getParent() == value.getParent())
                return false;
        for (Use &use : value.operands())
            if (!isa<Constant>(use.get()) && use->getType()->isSized()) {
                use.set(new FreezeInst(use.get(), "", value.getIterator()));
                return true;
            }
        return false;
    }
};

char HoistedValues::ID = 0;
} // namespace

Pass *kiln_shim_create_hoisted_values()
{
    return new HoistedValues();
}
