// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works around wrong carries (workarounds.def: carries, long_sums).
//
// LLVM 22 combines a 64-bit sum and its overflow check into one operation with a carry. If the
// upper half of an operand is itself a sum, that addition is folded in, and its own carry counts as
// well:
//
//   x = a * b;  s = x + 1;  x == −1       →       upper half: %0 + %1 + carry, where %0 + %1 is x's
//
// The same applies to differences and borrows. So 64-bit sums and differences are separated from
// such comparisons before instructions are selected: a + b overflows if b is above ~a, and a − b if
// a is below b.
//
// 128-bit sums are selected in parts, each on the scalar unit if the part is uniform and else on
// the vector unit, and the carry between them is lost. A product by −2^n is such a difference:
//
//   mul i128 (sext (or i64 %x, 2^63 − 1)), −16      →       lower half by S_SUBB_U32, upper half by V_SUBB_U32
//
// These become 64-bit sums and comparisons.
//
// Instruction selection recognizes s < a as an overflow check again, so the comparison must not
// have that form.
#include "codegen/llvm_version.h"
#include "passes_shim.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Pass.h>

using namespace llvm;

namespace
{
class Carries : public FunctionPass
{
  public:
    static char ID;
    Carries() : FunctionPass(ID) {}

    StringRef getPassName() const override
    {
        return "Split 64- and 128-bit sums from their carries";
    }

    bool runOnFunction(Function &function) override
    {
        SmallVector<Instruction *, 4> found;
        for (Instruction &instruction : instructions(function))
            if (is_with_carry(instruction) || is_carry_test(instruction) ||
                is_long_sum(instruction))
                found.push_back(&instruction);
        for (Instruction *instruction : found)
            if (auto *sum = dyn_cast<WithOverflowInst>(instruction))
                part(*sum);
            else if (auto *comparison = dyn_cast<ICmpInst>(instruction))
                rewrite_comparison(*comparison);
            else
                halve(cast<BinaryOperator>(*instruction));
        return !found.empty();
    }

  private:
    static bool is_with_carry(const Instruction &instruction)
    {
        auto *sum = dyn_cast<WithOverflowInst>(&instruction);
        return sum && !sum->isSigned() && sum->getBinaryOp() != Instruction::Mul &&
               sum->getLHS()->getType()->isIntegerTy(64);
    }

    // An unsigned comparison of a sum with one of its terms, or of a difference with its minuend.
    static bool is_carry_test(const Instruction &instruction)
    {
        auto *comparison = dyn_cast<ICmpInst>(&instruction);
        if (!comparison || !comparison->isUnsigned() ||
            !comparison->getOperand(0)->getType()->isIntegerTy(64))
            return false;
        return is_sum_with(comparison->getOperand(0), comparison->getOperand(1)) ||
               is_sum_with(comparison->getOperand(1), comparison->getOperand(0));
    }

    static bool is_sum_with(const Value *value, const Value *part)
    {
        auto *sum = dyn_cast<BinaryOperator>(value);
        if (!sum)
            return false;
        if (sum->getOpcode() == Instruction::Sub)
            return sum->getOperand(0) == part;
        return sum->getOpcode() == Instruction::Add &&
               (sum->getOperand(0) == part || sum->getOperand(1) == part);
    }

    // The negative power of two by which a product multiplies, or null.
    static const APInt *negative_power(const BinaryOperator &product)
    {
        const auto *factor = dyn_cast<ConstantInt>(product.getOperand(1));
        return factor && factor->getValue().isNegatedPowerOf2() ? &factor->getValue() : nullptr;
    }

    static bool is_long_sum(const Instruction &instruction)
    {
        auto *sum = dyn_cast<BinaryOperator>(&instruction);
        if (!sum || !sum->getType()->isIntegerTy(128))
            return false;
        return sum->getOpcode() == Instruction::Add || sum->getOpcode() == Instruction::Sub ||
               (sum->getOpcode() == Instruction::Mul && negative_power(*sum));
    }

    static void halve(BinaryOperator &sum)
    {
        IRBuilder<> builder(&sum);
        Value *a = sum.getOperand(0), *b = sum.getOperand(1);
        bool adds = sum.getOpcode() == Instruction::Add;
        if (sum.getOpcode() == Instruction::Mul) {
            b = builder.CreateShl(a, negative_power(sum)->countr_zero());
            a = ConstantInt::get(sum.getType(), 0);
        }
        Type *half = builder.getInt64Ty();
        Value *low_a = builder.CreateTrunc(a, half),
              *high_a = builder.CreateTrunc(builder.CreateLShr(a, 64), half);
        Value *low_b = builder.CreateTrunc(b, half),
              *high_b = builder.CreateTrunc(builder.CreateLShr(b, 64), half);
        Value *low, *high;
        if (adds) {
            low = builder.CreateAdd(low_a, low_b);
            Value *wraps = builder.CreateICmpULT(builder.CreateNot(low_a), low_b);
            high = builder.CreateAdd(builder.CreateAdd(high_a, high_b),
                                     builder.CreateZExt(wraps, half));
        } else {
            low = builder.CreateSub(low_a, low_b);
            Value *wraps = builder.CreateICmpULT(low_a, low_b);
            high = builder.CreateSub(builder.CreateSub(high_a, high_b),
                                     builder.CreateZExt(wraps, half));
        }
        Value *above = builder.CreateShl(builder.CreateZExt(high, sum.getType()), 64);
        sum.replaceAllUsesWith(builder.CreateOr(builder.CreateZExt(low, sum.getType()), above));
        sum.eraseFromParent();
    }

    static void rewrite_comparison(ICmpInst &comparison)
    {
        bool is_first = is_sum_with(comparison.getOperand(0), comparison.getOperand(1));
        Value *part = comparison.getOperand(is_first ? 1 : 0);
        auto *sum = cast<BinaryOperator>(comparison.getOperand(is_first ? 0 : 1));
        bool adds = sum->getOpcode() == Instruction::Add;
        Value *other = sum->getOperand(adds && sum->getOperand(1) == part ? 0 : 1);
        CmpInst::Predicate predicate =
            is_first ? comparison.getPredicate() : comparison.getSwappedPredicate();
        // A sum below its term has overflowed, and so has a difference above its minuend. With ≤ or
        // ≥ the comparison is also true for equal values, so it is not an overflow check.
        CmpInst::Predicate overflows = adds ? CmpInst::ICMP_ULT : CmpInst::ICMP_UGT;
        if (predicate != overflows && predicate != CmpInst::getInversePredicate(overflows))
            return;
        IRBuilder<> builder(&comparison);
        CmpInst::Predicate compare = predicate == overflows ? CmpInst::ICMP_ULT : CmpInst::ICMP_UGE;
        comparison.replaceAllUsesWith(
            builder.CreateICmp(compare, adds ? builder.CreateNot(part) : part, other));
        comparison.eraseFromParent();
    }

    static void part(WithOverflowInst &sum)
    {
        IRBuilder<> builder(&sum);
        bool adds = sum.getBinaryOp() == Instruction::Add;
        Value *result = builder.CreateBinOp(sum.getBinaryOp(), sum.getLHS(), sum.getRHS());
        Value *wraps = builder.CreateICmpULT(adds ? builder.CreateNot(sum.getLHS()) : sum.getLHS(),
                                             sum.getRHS());
        Value *both = builder.CreateInsertValue(PoisonValue::get(sum.getType()), result, 0);
        both = builder.CreateInsertValue(both, wraps, 1);
        SmallVector<ExtractValueInst *, 4> parts;
        for (User *user : sum.users())
            if (auto *extract = dyn_cast<ExtractValueInst>(user))
                parts.push_back(extract);
        for (ExtractValueInst *extract : parts) {
            extract->replaceAllUsesWith(extract->getIndices()[0] == 0 ? result : wraps);
            extract->eraseFromParent();
        }
        sum.replaceAllUsesWith(both);
        sum.eraseFromParent();
    }
};

char Carries::ID;
} // namespace

Pass *kiln_shim_create_carries()
{
    return new Carries;
}
