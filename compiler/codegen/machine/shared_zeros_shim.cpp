// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts a loop's accumulators from zeros that are created once, two registers at a time. LLVM 22
// creates the zeros of a matrix instruction's accumulators for each path that reaches them, and for
// each register:
//
//   before:  br %enter, loop, after                 before:  %z = zeros
//   loop:    %s = phi [ 0, before ], [ %t, loop ]            br %enter, loop, after
//   after:   %r = phi [ 0, before ], [ %t, loop ]   loop:    %s = phi [ %z, before ], [ %t, loop ]
//                                                   after:   %r = phi [ %z, before ], [ %t, loop ]
//
// `zeros` is inline assembly, opaque to LLVM, so that the joined value stays one value; a machine
// pass replaces it by 64-bit moves after register allocation. Earlier, moves of parts make LLVM's
// allocator spill accumulators of many registers while half of the registers are free.
//
// The machine pass recognizes the assembly by a unique metadata node, never by its text, because
// users may write any text.
//
// Note that accumulators that may be in accumulation registers have no 64-bit moves, and are left
// alone; so are those whose last definition in an iteration is not a matrix instruction, which LLVM
// carries one by one.
#include "codegen/llvm_shim.h"
#include "machine_pass.h"
#include "passes_shim.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Pass.h>

using namespace llvm;

namespace
{
const StringRef TEXT = ";kiln zeros "; // for readers of the code; a number follows so that no two
                                       // are merged, and an attribute prevents merging with a
                                       // user's

// The only property of a call of inline assembly that reaches its machine instruction unchanged.
const StringRef CARRIER = "srcloc";

class SharedZeros : public FunctionPass
{
  public:
    static char ID;
    explicit SharedZeros(MDNode *mark) : FunctionPass(ID), mark(mark) {}

    StringRef getPassName() const override { return "Share zeros of accumulators"; }

    bool runOnFunction(Function &function) override
    {
        if (function.getFnAttribute("amdgpu-agpr-alloc").getValueAsString() != "0")
            return false;
        DominatorTree order(function);
        unsigned count = 0;
        for (BasicBlock &block : function)
            for (PHINode &sum : block.phis())
                if (is_large(sum.getType()) && sum.getNumIncomingValues() == 2)
                    for (unsigned i = 0; i < 2; i++)
                        if (order.dominates(&block, sum.getIncomingBlock(1 - i)) &&
                            is_zero(sum.getIncomingValue(i)) &&
                            is_matrix_sum(sum.getIncomingValue(1 - i)))
                            share(sum, i, count);
        return count > 0;
    }

  private:
    enum { MIN = 256 }; // bits

    MDNode *const mark;

    static bool is_large(const Type *type)
    {
        return isa<FixedVectorType>(type) && type->getPrimitiveSizeInBits() >= MIN &&
               (type->getScalarSizeInBits() == 32 || type->getScalarSizeInBits() == 64);
    }

    static bool is_zero(const Value *value)
    {
        return isa<Constant>(value) && cast<Constant>(value)->isNullValue();
    }

    static bool is_matrix_sum(const Value *value)
    {
        const auto *call = dyn_cast<CallInst>(value);
        const Function *callee = call ? call->getCalledFunction() : nullptr;
        return callee && callee->getName().contains(".mfma.");
    }

    // Looks through phis with a single incoming value.
    static const Value *source(const Value *value)
    {
        while (isa<PHINode>(value) && cast<PHINode>(value)->getNumIncomingValues() == 1)
            value = cast<PHINode>(value)->getIncomingValue(0);
        return value;
    }

    // The phi after the loop that `sum` becomes, or zero if the loop is not entered from `before`.
    static PHINode *past(const PHINode &sum, unsigned entry, const BasicBlock *before)
    {
        for (const BasicBlock *after : successors(before))
            for (const PHINode &phi : after->phis()) {
                const int at = phi.getBasicBlockIndex(before);
                if (&phi == &sum || phi.getType() != sum.getType() ||
                    phi.getNumIncomingValues() != 2 ||
                    !is_zero(phi.getIncomingValue(static_cast<unsigned>(at))))
                    continue;
                const Value *other = source(phi.getIncomingValue(at ? 0 : 1));
                if (other == &sum || other == sum.getIncomingValue(1 - entry))
                    return const_cast<PHINode *>(&phi);
            }
        return nullptr;
    }

    void share(PHINode &sum, unsigned entry, unsigned &count) const
    {
        BasicBlock *block = sum.getIncomingBlock(entry), *before = block->getSinglePredecessor();
        PHINode *after = past(sum, entry, block);
        if (!after && before && (after = past(sum, entry, before)))
            block = before;
        IRBuilder<> builder(block->getTerminator());
        auto *type = FunctionType::get(sum.getType(), false);
        auto *assembly = InlineAsm::get(type, (TEXT + Twine(count++)).str(), "=v", false);
        CallInst *zeros = builder.CreateCall(type, assembly);
        zeros->addFnAttr(Attribute::get(zeros->getContext(), KILN_SHIM_OWN_ASSEMBLY));
        zeros->setMetadata(CARRIER, mark);
        sum.setIncomingValue(entry, zeros);
        if (after)
            after->setIncomingValue(static_cast<unsigned>(after->getBasicBlockIndex(block)), zeros);
    }
};

class Zeros : public kiln::MachinePass<Zeros>
{
  public:
    static constexpr char NAME[] = "Zero pairs of registers";
    explicit Zeros(const MDNode *mark) : mark(mark) {}

    bool run(MachineFunction &function)
    {
        bool changed = false;
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : make_early_inc_range(block))
                if (instruction.isInlineAsm() && is_marked(instruction)) {
                    make(instruction);
                    changed = true;
                }
        return changed;
    }

  private:
    enum { BITS = 64 };

    const MDNode *const mark;

    bool is_marked(const MachineInstr &assembly) const
    {
        return any_of(assembly.operands(), [this](const MachineOperand &operand) {
            return operand.isMetadata() && operand.getMetadata() == mark;
        });
    }

    void make(MachineInstr &assembly)
    {
        const Register zeros = assembly.getOperand(InlineAsm::MIOp_FirstOperand + 1).getReg();
        const MCInstrDesc &move = instructions->get(opcode("V_MOV_B64_e32"));
        const unsigned size =
            registers->getRegSizeInBits(*registers->getMinimalPhysRegClass(zeros));
        for (unsigned at = 0; at < size; at += BITS)
            BuildMI(*assembly.getParent(), assembly, assembly.getDebugLoc(), move,
                    registers->getSubReg(zeros, part(at)))
                .addImm(0);
        assembly.eraseFromParent();
    }

    unsigned part(unsigned at) const
    {
        unsigned index = 1;
        while (registers->getSubRegIdxOffset(index) != at ||
               registers->getSubRegIdxSize(index) != BITS)
            index++;
        return index;
    }
};

char SharedZeros::ID;
} // namespace

Pass *kiln_shim_create_shared_zeros(MDNode *mark)
{
    return new SharedZeros(mark);
}

Pass *kiln_shim_create_zeros(const MDNode *mark)
{
    return new Zeros(mark);
}
