// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets a loop's sums begin with zeros that are made once, two registers at a time. LLVM 22 makes the zeros of a matrix
// instruction's sums for each way that they come by, and for each register:
//
//   before:  br %enter, loop, after                 before:  %z = zeros
//   loop:    %s = phi [ 0, before ], [ %t, loop ]            br %enter, loop, after
//   after:   %r = phi [ 0, before ], [ %t, loop ]   loop:    %s = phi [ %z, before ], [ %t, loop ]
//                                                   after:   %r = phi [ %z, before ], [ %t, loop ]
//
// `zeros` is inline assembly to LLVM, of which it knows nothing, so that what is joined is one value; a machine pass
// makes moves of 64 bits of it when registers have been given. Before, moves of parts have LLVM's allocator spill sums of
// many registers where half of them are free.
//
// The thing one gets wrong: sums that may be in accumulation registers have no moves of 64 bits, and are left alone; so
// are those that something else than a matrix instruction makes last in an iteration, which LLVM carries one by one.
#include "shared_zeros_shim.h"

#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineInstrBuilder.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Pass.h>

using namespace llvm;

namespace
{
const StringRef MARK = ";kiln zeros "; // and a number, so that no two are one value

class SharedZeros : public FunctionPass
{
  public:
    static char ID;
    SharedZeros() : FunctionPass(ID) {}

    StringRef getPassName() const override { return "Zeros that loops begin with"; }

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
                        if (order.dominates(&block, sum.getIncomingBlock(1 - i)) && is_zero(sum.getIncomingValue(i)) &&
                            is_matrix_sum(sum.getIncomingValue(1 - i)))
                            share(sum, i, count);
        return count > 0;
    }

  private:
    enum { LEAST = 256 }; // bits

    static bool is_large(const Type *type)
    {
        return isa<FixedVectorType>(type) && type->getPrimitiveSizeInBits() >= LEAST &&
               (type->getScalarSizeInBits() == 32 || type->getScalarSizeInBits() == 64);
    }

    static bool is_zero(const Value *value) { return isa<Constant>(value) && cast<Constant>(value)->isNullValue(); }

    static bool is_matrix_sum(const Value *value)
    {
        const auto *call = dyn_cast<CallInst>(value);
        const Function *callee = call ? call->getCalledFunction() : nullptr;
        return callee && callee->getName().contains(".mfma.");
    }

    // What a value is that only goes through phis of one way.
    static const Value *source(const Value *value)
    {
        while (isa<PHINode>(value) && cast<PHINode>(value)->getNumIncomingValues() == 1)
            value = cast<PHINode>(value)->getIncomingValue(0);
        return value;
    }

    // The phi behind the loop that is what `sum` becomes, or zero where the loop is not entered from `before`.
    static PHINode *past(const PHINode &sum, unsigned entry, const BasicBlock *before)
    {
        for (const BasicBlock *after : successors(before))
            for (const PHINode &phi : after->phis()) {
                const int at = phi.getBasicBlockIndex(before);
                if (&phi == &sum || phi.getType() != sum.getType() || phi.getNumIncomingValues() != 2 ||
                    !is_zero(phi.getIncomingValue(static_cast<unsigned>(at))))
                    continue;
                const Value *other = source(phi.getIncomingValue(at ? 0 : 1));
                if (other == &sum || other == sum.getIncomingValue(1 - entry))
                    return const_cast<PHINode *>(&phi);
            }
        return nullptr;
    }

    static void share(PHINode &sum, unsigned entry, unsigned &count)
    {
        BasicBlock *block = sum.getIncomingBlock(entry), *before = block->getSinglePredecessor();
        PHINode *after = past(sum, entry, block);
        if (!after && before && (after = past(sum, entry, before)))
            block = before;
        IRBuilder<> builder(block->getTerminator());
        auto *type = FunctionType::get(sum.getType(), false);
        auto *mark = InlineAsm::get(type, (MARK + Twine(count++)).str(), "=v", false);
        Value *zeros = builder.CreateCall(type, mark);
        sum.setIncomingValue(entry, zeros);
        if (after)
            after->setIncomingValue(static_cast<unsigned>(after->getBasicBlockIndex(block)), zeros);
    }
};

class Zeros : public MachineFunctionPass
{
  public:
    static char ID;
    Zeros() : MachineFunctionPass(ID) {}

    StringRef getPassName() const override { return "Zeros by two registers"; }

    bool runOnMachineFunction(MachineFunction &function) override
    {
        bool changed = false;
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : make_early_inc_range(block))
                if (instruction.isInlineAsm() &&
                    StringRef(instruction.getOperand(InlineAsm::MIOp_AsmString).getSymbolName()).starts_with(MARK)) {
                    make(function, instruction);
                    changed = true;
                }
        return changed;
    }

  private:
    enum { BITS = 64 };

    static void make(MachineFunction &function, MachineInstr &mark)
    {
        const TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
        const TargetRegisterInfo &registers = *function.getSubtarget().getRegisterInfo();
        const Register zeros = mark.getOperand(InlineAsm::MIOp_FirstOperand + 1).getReg();
        const MCInstrDesc &move = instructions.get(opcode(instructions, "V_MOV_B64_e32"));
        const unsigned size = registers.getRegSizeInBits(*registers.getMinimalPhysRegClass(zeros));
        for (unsigned at = 0; at < size; at += BITS)
            BuildMI(*mark.getParent(), mark, mark.getDebugLoc(), move, registers.getSubReg(zeros, part(registers, at)))
                .addImm(0);
        mark.eraseFromParent();
    }

    static unsigned opcode(const TargetInstrInfo &instructions, StringRef name)
    {
        unsigned code = 0;
        while (instructions.getName(code) != name)
            code++;
        return code;
    }

    static unsigned part(const TargetRegisterInfo &registers, unsigned at)
    {
        unsigned index = 1;
        while (registers.getSubRegIdxOffset(index) != at || registers.getSubRegIdxSize(index) != BITS)
            index++;
        return index;
    }
};

char SharedZeros::ID;
char Zeros::ID;
} // namespace

Pass *kiln_shim_create_shared_zeros()
{
    return new SharedZeros;
}

Pass *kiln_shim_create_zeros()
{
    return new Zeros;
}
