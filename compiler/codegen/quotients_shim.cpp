// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps LLVM 22 from wrapping quotients. Where both operands of a signed division are known to be narrower than their
// type, it divides by floats or in 32 bits and extends the quotient from as many bits as the operands have. One quotient
// needs a bit more, the least number's by −1:
//
//   sdiv i32 (sext i16 −32768), (sext i16 −1)       →       −32768, which should be 32768
//
// So where that can come up, a division by −1 is a subtraction from zero.
//
// The thing one gets wrong: code generation finds widths by assumptions, too, so they must be found alike here. A type's
// own least number by −1 is left as it is: its quotient wraps.
#include "quotients_shim.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Pass.h>
#include <llvm/Support/KnownBits.h>

using namespace llvm;

namespace
{
bool can_be_wider(const BinaryOperator &division, AssumptionCache &assumptions)
{
    const DataLayout &layout = division.getDataLayout();
    const Value *dividend = division.getOperand(0), *divisor = division.getOperand(1);
    return ComputeNumSignBits(dividend, layout, &assumptions, &division) > 1 &&
           !computeKnownBits(dividend, layout, &assumptions, &division).isNonNegative() &&
           computeKnownBits(divisor, layout, &assumptions, &division).Zero.isZero();
}

class Quotients : public FunctionPass
{
  public:
    static char ID;
    Quotients() : FunctionPass(ID) {}

    StringRef getPassName() const override { return "Quotients wider than what is divided"; }

    bool runOnFunction(Function &function) override
    {
        AssumptionCache assumptions(function);
        SmallVector<BinaryOperator *, 4> divisions;
        for (Instruction &instruction : instructions(function))
            if (instruction.getOpcode() == Instruction::SDiv)
                if (auto *division = cast<BinaryOperator>(&instruction); can_be_wider(*division, assumptions))
                    divisions.push_back(division);
        for (BinaryOperator *division : divisions)
            negate(*division);
        return !divisions.empty();
    }

  private:
    static void negate(BinaryOperator &division)
    {
        IRBuilder<> builder(division.getNextNode());
        builder.SetCurrentDebugLocation(division.getDebugLoc());
        Value *divisor = division.getOperand(1);
        // Greater than −2 without a sign: an equality LLVM would put into the division, and find the selection useless.
        Value *is_negated = builder.CreateICmpUGT(divisor, ConstantInt::getSigned(divisor->getType(), -2));
        Value *quotient = builder.CreateSelect(is_negated, builder.CreateNeg(division.getOperand(0)), &division);
        division.replaceUsesWithIf(quotient, [&](Use &use) { return use.getUser() != quotient; });
    }
};

char Quotients::ID;
} // namespace

Pass *kiln_shim_create_quotients()
{
    return new Quotients;
}
