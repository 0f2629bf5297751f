// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts regions of several blocks to one block by MLIR's lifting of branches to scf, and
// switches to chains of two-way branches: later passes support only scf.for, scf.if and scf.while,
// and cf.br and cf.cond_br in functions.
//
// Note that the lifting rejects unreachable blocks, of which Triton leaves many after early
// returns. Where paths of different lengths meet it requests a switch, which becomes a chain of
// scf.if here.
#include "kiln/dialects.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace
{
// Converts the regions of a switch (the default's first) to a chain of scf.if.
scf::IfOp makeChain(OpBuilder &builder, Location loc, TypeRange results, Value flag,
                    ArrayRef<APInt> values, MutableArrayRef<Region> regions)
{
    OpBuilder::InsertionGuard guard(builder);
    scf::IfOp outermost;
    for (size_t i = 0; i < values.size(); i++) {
        Value wanted = arith::ConstantOp::create(builder, loc,
                                                 builder.getIntegerAttr(flag.getType(), values[i]));
        Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, flag, wanted);
        auto branch = scf::IfOp::create(builder, loc, results, equal);
        branch.getThenRegion().takeBody(regions[i + 1]);
        if (outermost)
            scf::YieldOp::create(builder, loc, branch.getResults());
        else
            outermost = branch;
        if (i + 1 == values.size())
            branch.getElseRegion().takeBody(regions[0]);
        else
            builder.createBlock(&branch.getElseRegion());
    }
    return outermost;
}

SmallVector<APInt> caseValues(cf::SwitchOp op)
{
    std::optional<DenseIntElementsAttr> values = op.getCaseValues();
    return values ? llvm::to_vector(values->getValues<APInt>()) : SmallVector<APInt>();
}

class Lifting : public ControlFlowToSCFTransformation
{
    FailureOr<Operation *> createStructuredBranchRegionOp(OpBuilder &builder, Operation *op,
                                                          TypeRange results,
                                                          MutableArrayRef<Region> regions) override
    {
        auto choice = dyn_cast<cf::SwitchOp>(op);
        if (!choice)
            return ControlFlowToSCFTransformation::createStructuredBranchRegionOp(builder, op,
                                                                                  results, regions);
        if (regions.size() < 2)
            return failure();
        return makeChain(builder, op->getLoc(), results, choice.getFlag(), caseValues(choice),
                         regions)
            .getOperation();
    }

    // After an infinite loop.
    FailureOr<Operation *> createUnreachableTerminator(Location loc, OpBuilder &builder,
                                                       Region &region) override
    {
        Operation *parent = region.getParentOp();
        auto function = dyn_cast<FunctionOpInterface>(parent);
        SmallVector<Value> values;
        for (Type type :
             function ? TypeRange(function.getResultTypes()) : TypeRange(parent->getResultTypes()))
            values.push_back(getUndefValue(loc, builder, type));
        OperationState state(loc, function ? "tt.return" : "scf.yield");
        state.addOperands(values);
        return builder.create(state);
    }
};

bool structure(Region &body)
{
    IRRewriter rewriter(body.getContext());
    (void)eraseUnreachableBlocks(rewriter, body);
    Lifting lifting;
    DominanceInfo dominance(body.getParentOp());
    return succeeded(transformCFGToSCF(body, lifting, dominance)) && body.hasOneBlock();
}

void spread(cf::SwitchOp op)
{
    IRRewriter rewriter(op);
    Location loc = op.getLoc();
    Block *at = op->getBlock();
    SmallVector<APInt> values = caseValues(op);
    for (size_t i = 0; i < values.size(); i++) {
        if (at != op->getBlock())
            rewriter.setInsertionPointToEnd(at);
        bool last = i + 1 == values.size();
        Value wanted = arith::ConstantOp::create(
            rewriter, loc, rewriter.getIntegerAttr(op.getFlag().getType(), values[i]));
        Value equal =
            arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, op.getFlag(), wanted);
        Block *next = op.getDefaultDestination();
        if (!last) {
            OpBuilder::InsertionGuard guard(rewriter);
            next = rewriter.createBlock(at->getParent(), std::next(at->getIterator()));
        }
        cf::CondBranchOp::create(rewriter, loc, equal, op.getCaseDestinations()[i],
                                 op.getCaseOperands(unsigned(i)), next,
                                 last ? ValueRange(op.getDefaultOperands()) : ValueRange());
        at = next;
    }
    if (values.empty())
        cf::BranchOp::create(rewriter, loc, op.getDefaultDestination(), op.getDefaultOperands());
    rewriter.eraseOp(op);
}

void putInPlace(Region &region, Operation *op)
{
    IRRewriter rewriter(op);
    Block &block = region.front();
    Operation *yield = block.getTerminator();
    rewriter.inlineBlockBefore(&block, op);
    rewriter.replaceOp(op, yield->getOperands());
    rewriter.eraseOp(yield);
}

void chain(scf::IndexSwitchOp op)
{
    IRRewriter rewriter(op);
    SmallVector<APInt> values;
    for (int64_t value : op.getCases())
        values.push_back(APInt(64, uint64_t(value), true));
    if (values.empty())
        return putInPlace(op.getDefaultRegion(), op);
    rewriter.replaceOp(op, makeChain(rewriter, op.getLoc(), op.getResultTypes(), op.getArg(),
                                     values, op->getRegions()));
}

template <typename Op> SmallVector<Op> find(Operation *root)
{
    SmallVector<Op> found;
    root->walk([&](Op op) { found.push_back(op); }); // inner ones first
    return found;
}
} // namespace

bool kiln_function_structure(MlirOperation function)
{
    return structure(unwrap(function)->getRegion(0));
}

bool kiln_structure_regions(MlirOperation root, MlirOperation *out_operation)
{
    Operation *op = unwrap(root);
    for (auto choice : find<cf::SwitchOp>(op))
        spread(choice);
    for (auto choice : find<scf::IndexSwitchOp>(op))
        chain(choice);
    for (auto region : find<scf::ExecuteRegionOp>(op)) {
        *out_operation = wrap(region);
        if (!region.getRegion().hasOneBlock() && !structure(region.getRegion()))
            return false;
        putInPlace(region.getRegion(), region);
    }
    return true;
}
