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
// And instruction selection takes an unsigned operand's copies of its sign for leading zeros:
//
//   udiv i32 −1, (sext i16 %x)                      →       15 bits of the quotient by floats
//
// Divisions of 32 bits have mostly become something else by then; those that are left come from a division of 64 bits, of
// which LLVM makes one of 32 behind a test of the upper halves. They are written out here, as LLVM does for others: a
// reciprocal by floats, a step of Newton's method, and two corrections of the quotient.
//
// The thing one gets wrong: code generation finds widths by assumptions, too, so they must be found alike here. A type's
// own least number by −1 is left as it is: its quotient wraps.
#include "quotients_shim.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Pass.h>
#include <llvm/Support/KnownBits.h>

using namespace llvm;

namespace
{
// Instruction selection looks through a freeze, which analyses of the IR do not.
const Value *thawed(const Value *operand)
{
    const auto *freeze = dyn_cast<FreezeInst>(operand);
    return freeze ? freeze->getOperand(0) : operand;
}

bool can_be_wider(const BinaryOperator &division, AssumptionCache &assumptions)
{
    const DataLayout &layout = division.getDataLayout();
    const Value *dividend = thawed(division.getOperand(0)), *divisor = thawed(division.getOperand(1));
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

// Copies of the sign, as instruction selection counts them.
unsigned count_signs(const Value *operand, const BinaryOperator &division, AssumptionCache &assumptions)
{
    operand = thawed(operand);
    const unsigned signs = ComputeNumSignBits(operand, division.getDataLayout(), &assumptions, &division);
    const auto *cut = dyn_cast<TruncInst>(operand);
    if (!cut)
        return signs;
    const unsigned gone = cut->getSrcTy()->getScalarSizeInBits() - cut->getType()->getScalarSizeInBits();
    const unsigned before = count_signs(cut->getOperand(0), division, assumptions);
    return std::max(signs, before > gone ? before - gone : 1);
}

enum { LEAST_SIGNS = 9 }; // copies of the sign that leave a number 24 bits: those divisions are done by floats

// Of 32 bits, or of 64 whose upper halves are zero.
bool is_misread(const BinaryOperator &division, AssumptionCache &assumptions)
{
    const DataLayout &layout = division.getDataLayout();
    bool is_wide = division.getType()->isIntegerTy(64), is_negative = false;
    if (!is_wide && !division.getType()->isIntegerTy(32))
        return false;
    for (const Value *used : division.operands()) {
        const Value *operand = thawed(used);
        KnownBits bits = computeKnownBits(operand, layout, &assumptions, &division);
        if (is_wide && bits.countMinLeadingZeros() < 32)
            return false;
        if (!is_wide && count_signs(operand, division, assumptions) < LEAST_SIGNS)
            return false;
        is_negative |= !bits.trunc(32).isNonNegative();
    }
    return is_negative;
}

class UnsignedQuotients : public FunctionPass
{
  public:
    static char ID;
    UnsignedQuotients() : FunctionPass(ID) {}

    StringRef getPassName() const override { return "Quotients of unsigned numbers with copies of a sign"; }

    bool runOnFunction(Function &function) override
    {
        AssumptionCache assumptions(function);
        SmallVector<BinaryOperator *, 4> divisions;
        for (Instruction &instruction : instructions(function))
            if (instruction.getOpcode() == Instruction::UDiv || instruction.getOpcode() == Instruction::URem)
                if (auto *division = cast<BinaryOperator>(&instruction); is_misread(*division, assumptions))
                    divisions.push_back(division);
        for (BinaryOperator *division : divisions)
            write_out(*division);
        return !divisions.empty();
    }

  private:
    static Value *upper_product(IRBuilder<> &builder, Value *a, Value *b)
    {
        Type *wide = builder.getInt64Ty();
        Value *product = builder.CreateMul(builder.CreateZExt(a, wide), builder.CreateZExt(b, wide));
        return builder.CreateTrunc(builder.CreateLShr(product, 32), builder.getInt32Ty());
    }

    static void write_out(BinaryOperator &division)
    {
        IRBuilder<> builder(&division);
        Type *word = builder.getInt32Ty(), *single = builder.getFloatTy();
        Value *dividend = builder.CreateTrunc(division.getOperand(0), word);
        Value *divisor = builder.CreateTrunc(division.getOperand(1), word);
        Value *fraction =
            builder.CreateIntrinsic(Intrinsic::amdgcn_rcp, {single}, {builder.CreateUIToFP(divisor, single)});
        Value *below_2_32 = ConstantFP::get(single, 0x1.fffffcp31); // so that the reciprocal is never too large
        Value *reciprocal = builder.CreateFPToUI(builder.CreateFMul(fraction, below_2_32), word);
        Value *error = builder.CreateMul(builder.CreateNeg(divisor), reciprocal);
        reciprocal = builder.CreateAdd(reciprocal, upper_product(builder, reciprocal, error));
        Value *quotient = upper_product(builder, dividend, reciprocal);
        Value *remainder = builder.CreateSub(dividend, builder.CreateMul(quotient, divisor));
        for (int correction = 0; correction < 2; correction++) {
            Value *is_below = builder.CreateICmpUGE(remainder, divisor);
            quotient = builder.CreateSelect(is_below, builder.CreateAdd(quotient, builder.getInt32(1)), quotient);
            remainder = builder.CreateSelect(is_below, builder.CreateSub(remainder, divisor), remainder);
        }
        Value *result = division.getOpcode() == Instruction::UDiv ? quotient : remainder;
        division.replaceAllUsesWith(builder.CreateZExt(result, division.getType()));
        division.eraseFromParent();
    }
};

char UnsignedQuotients::ID;
} // namespace

Pass *kiln_shim_create_quotients()
{
    return new Quotients;
}

Pass *kiln_shim_create_unsigned_quotients()
{
    return new UnsignedQuotients;
}
