// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works around wrong quotients (workarounds.def: signed_quotients, unsigned_quotients,
// float_quotients).
//
// If both operands of a signed division are known to be narrower than their type, LLVM 22 divides
// in floats or in 32 bits and extends the quotient from the width of the operands. One quotient
// needs one more bit:
//
//   sdiv i32 (sext i16 −32768), (sext i16 −1)       →       −32768, not 32768
//
// So where that can occur, a division by −1 becomes a subtraction from zero. (The minimum of the
// type divided by −1 overflows and is left alone.)
//
// Instruction selection mistakes the sign bits of an unsigned operand for leading zeros:
//
//   udiv i32 −1, (sext i16 %x)                      →       15 bits of the quotient by floats
//
// Most 32-bit divisions are expanded by then. The remaining ones come from 64-bit divisions, which
// LLVM does in 32 bits after a test of the upper halves. They are expanded here as LLVM expands
// others: a reciprocal in floats, a step of Newton's method, and two corrections of the quotient.
//
// Operands of 24 bits are divided in floats, and v_rcp_f32's error of 1 ulp can leave a wrong
// quotient: above 23 bits for signed and 22 bits for unsigned operands (llvm/llvm-project#202753).
// These are expanded here as well. Kiln's simulator rounds reciprocals correctly and does not show
// the bug.
//
// Code generation uses assumptions to find widths, so the same analyses with assumptions must be
// used here.
#include "codegen/llvm_version.h"
#include "passes_shim.h"

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
    const Value *dividend = thawed(division.getOperand(0)),
                *divisor = thawed(division.getOperand(1));
    return ComputeNumSignBits(dividend, layout, &assumptions, &division) > 1 &&
           !computeKnownBits(dividend, layout, &assumptions, &division).isNonNegative() &&
           computeKnownBits(divisor, layout, &assumptions, &division).Zero.isZero();
}

// The widths that float significands divide correctly, and those that LLVM 22 considers sufficient.
enum { SIGNED_FLOAT_BITS = 23, UNSIGNED_FLOAT_BITS = 22, LLVM_FLOAT_BITS = 24 };

// Whether LLVM divides in floats although the operands do not fit.
bool is_too_wide_for_floats(const BinaryOperator &division, AssumptionCache &assumptions)
{
    if (!division.getType()->isIntegerTy() || division.getType()->getScalarSizeInBits() > 64)
        return false;
    const DataLayout &layout = division.getDataLayout();
    const bool is_signed =
        division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
    const unsigned width = division.getType()->getScalarSizeInBits();
    unsigned bits = 0;
    for (const Value *used : division.operands()) {
        const Value *operand = thawed(used);
        const unsigned known =
            is_signed
                ? ComputeNumSignBits(operand, layout, &assumptions, &division) - 1
                : computeKnownBits(operand, layout, &assumptions, &division).countMinLeadingZeros();
        bits = std::max(bits, width - known);
    }
    return bits > (is_signed ? SIGNED_FLOAT_BITS : UNSIGNED_FLOAT_BITS) && bits <= LLVM_FLOAT_BITS;
}

Value *upper_product(IRBuilder<> &builder, Value *a, Value *b)
{
    Type *wide = builder.getInt64Ty();
    Value *product = builder.CreateMul(builder.CreateZExt(a, wide), builder.CreateZExt(b, wide));
    return builder.CreateTrunc(builder.CreateLShr(product, 32), builder.getInt32Ty());
}

// The quotient and the remainder of unsigned 32-bit numbers.
std::pair<Value *, Value *> divide_words(IRBuilder<> &builder, Value *dividend, Value *divisor)
{
    Type *word = builder.getInt32Ty(), *single = builder.getFloatTy();
    Value *fraction = builder.CreateIntrinsic(Intrinsic::amdgcn_rcp, {single},
                                              {builder.CreateUIToFP(divisor, single)});
    Value *below_2_32 =
        ConstantFP::get(single, 0x1.fffffcp31); // so that the reciprocal is never too large
    Value *reciprocal = builder.CreateFPToUI(builder.CreateFMul(fraction, below_2_32), word);
    Value *error = builder.CreateMul(builder.CreateNeg(divisor), reciprocal);
    reciprocal = builder.CreateAdd(reciprocal, upper_product(builder, reciprocal, error));
    Value *quotient = upper_product(builder, dividend, reciprocal);
    Value *remainder = builder.CreateSub(dividend, builder.CreateMul(quotient, divisor));
    for (int correction = 0; correction < 2; correction++) {
        Value *is_below = builder.CreateICmpUGE(remainder, divisor);
        quotient = builder.CreateSelect(is_below, builder.CreateAdd(quotient, builder.getInt32(1)),
                                        quotient);
        remainder =
            builder.CreateSelect(is_below, builder.CreateSub(remainder, divisor), remainder);
    }
    return {quotient, remainder};
}

Value *negated_by(IRBuilder<> &builder, Value *number, Value *sign)
{
    return builder.CreateSub(builder.CreateXor(number, sign), sign);
}

// Expands a division whose operands fit 32 bits.
void write_out(BinaryOperator &division)
{
    IRBuilder<> builder(&division);
    Type *word = builder.getInt32Ty();
    const bool is_signed =
        division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
    Value *dividend = builder.CreateIntCast(division.getOperand(0), word, is_signed);
    Value *divisor = builder.CreateIntCast(division.getOperand(1), word, is_signed);
    Value *sign = nullptr, *other_sign = nullptr;
    if (is_signed) {
        sign = builder.CreateAShr(dividend, 31);
        other_sign = builder.CreateAShr(divisor, 31);
        dividend = negated_by(builder, dividend, sign);
        divisor = negated_by(builder, divisor, other_sign);
    }
    auto [quotient, remainder] = divide_words(builder, dividend, divisor);
    bool is_quotient =
        division.getOpcode() == Instruction::UDiv || division.getOpcode() == Instruction::SDiv;
    Value *result = is_quotient ? quotient : remainder;
    if (is_signed)
        result =
            negated_by(builder, result, is_quotient ? builder.CreateXor(sign, other_sign) : sign);
    division.replaceAllUsesWith(builder.CreateIntCast(result, division.getType(), is_signed));
    division.eraseFromParent();
}

class Quotients : public FunctionPass
{
  public:
    static char ID;
    Quotients() : FunctionPass(ID) {}

    StringRef getPassName() const override { return "Widen divisions of narrow operands"; }

    bool runOnFunction(Function &function) override
    {
        AssumptionCache assumptions(function);
        SmallVector<BinaryOperator *, 4> too_wide, negatable;
        for (Instruction &instruction : instructions(function)) {
            auto *division = dyn_cast<BinaryOperator>(&instruction);
            if (!division || !division->isIntDivRem())
                continue;
            if (is_too_wide_for_floats(*division, assumptions))
                too_wide.push_back(division);
            else if (division->getOpcode() == Instruction::SDiv &&
                     can_be_wider(*division, assumptions))
                negatable.push_back(division);
        }
        for (BinaryOperator *division : too_wide)
            write_out(*division);
        for (BinaryOperator *division : negatable)
            negate(*division);
        return !too_wide.empty() || !negatable.empty();
    }

  private:
    static void negate(BinaryOperator &division)
    {
        IRBuilder<> builder(division.getNextNode());
        builder.SetCurrentDebugLocation(division.getDebugLoc());
        Value *divisor = division.getOperand(1);
        // Tests unsigned > −2 instead of equality: LLVM would propagate an equality into the
        // division and then drop the select.
        Value *is_negated =
            builder.CreateICmpUGT(divisor, ConstantInt::getSigned(divisor->getType(), -2));
        Value *quotient =
            builder.CreateSelect(is_negated, builder.CreateNeg(division.getOperand(0)), &division);
        division.replaceUsesWithIf(quotient, [&](Use &use) { return use.getUser() != quotient; });
    }
};

char Quotients::ID;

// The number of sign bits, as instruction selection counts them.
unsigned count_signs(const Value *operand, const BinaryOperator &division,
                     AssumptionCache &assumptions)
{
    operand = thawed(operand);
    const unsigned signs =
        ComputeNumSignBits(operand, division.getDataLayout(), &assumptions, &division);
    const auto *cut = dyn_cast<TruncInst>(operand);
    if (!cut)
        return signs;
    const unsigned removed =
        cut->getSrcTy()->getScalarSizeInBits() - cut->getType()->getScalarSizeInBits();
    const unsigned before = count_signs(cut->getOperand(0), division, assumptions);
    return std::max(signs, before > removed ? before - removed : 1);
}

enum {
    MIN_SIGNS = 9
}; // copies of the sign that leave 24 bits for the number: those divisions use floats

// For divisions of 32 bits, or of 64 bits whose upper halves are zero.
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
        if (!is_wide && count_signs(operand, division, assumptions) < MIN_SIGNS)
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

    StringRef getPassName() const override
    {
        return "Fix unsigned divisions of sign-extended operands";
    }

    bool runOnFunction(Function &function) override
    {
        AssumptionCache assumptions(function);
        SmallVector<BinaryOperator *, 4> divisions;
        for (Instruction &instruction : instructions(function))
            if (instruction.getOpcode() == Instruction::UDiv ||
                instruction.getOpcode() == Instruction::URem)
                if (auto *division = cast<BinaryOperator>(&instruction);
                    is_misread(*division, assumptions) ||
                    is_too_wide_for_floats(*division, assumptions))
                    divisions.push_back(division);
        for (BinaryOperator *division : divisions)
            write_out(*division);
        return !divisions.empty();
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
