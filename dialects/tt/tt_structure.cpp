// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of several blocks as functions of one, by MLIR's lifting of branches to scf.
//
// What is easily got wrong: the lifting refuses blocks that nothing reaches, and Triton leaves many of them behind early
// returns; where paths of different lengths meet it asks for a switch, which is a chain of scf.if here.
#include "kiln/dialects.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace
{
class Lifting : public ControlFlowToSCFTransformation
{
    FailureOr<Operation *> createStructuredBranchRegionOp(OpBuilder &builder, Operation *op, TypeRange results,
                                                          MutableArrayRef<Region> regions) override
    {
        auto choice = dyn_cast<cf::SwitchOp>(op);
        if (!choice)
            return ControlFlowToSCFTransformation::createStructuredBranchRegionOp(builder, op, results, regions);
        if (regions.size() < 2) // the default comes first
            return failure();
        OpBuilder::InsertionGuard guard(builder);
        Location loc = op->getLoc();
        Operation *outermost = nullptr;
        size_t last = regions.size() - 1;
        for (size_t i = 1; i <= last; i++) {
            APInt value = choice.getCaseValues()->getValues<APInt>()[i - 1];
            Value wanted =
                arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(choice.getFlag().getType(), value));
            Value is = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, choice.getFlag(), wanted);
            auto branch = scf::IfOp::create(builder, loc, results, is);
            branch.getThenRegion().takeBody(regions[i]);
            if (outermost)
                scf::YieldOp::create(builder, loc, branch.getResults());
            else
                outermost = branch;
            if (i == last)
                branch.getElseRegion().takeBody(regions[0]);
            else
                builder.createBlock(&branch.getElseRegion());
        }
        return outermost;
    }
};
} // namespace

bool kiln_function_structure(MlirOperation function)
{
    Operation *op = unwrap(function);
    Region &body = op->getRegion(0);
    IRRewriter rewriter(op->getContext());
    (void)eraseUnreachableBlocks(rewriter, body);
    Lifting lifting;
    DominanceInfo dominance(op);
    return succeeded(transformCFGToSCF(body, lifting, dominance)) && body.hasOneBlock();
}
