// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and folders of tt's operations that create tensors, or change the shape or the order of
// their elements.
#include "tt/tt_dialect.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::tt
{

// The splat attribute for `type` with the value of a splat or scalar constant.
static OpFoldResult splatOf(Attribute constant, Type type)
{
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !constant)
        return {};
    if (auto splat = dyn_cast<SplatElementsAttr>(constant))
        return splat.getElementType() == tensor.getElementType() ? splat.resizeSplat(tensor)
                                                                 : OpFoldResult();
    auto typed = dyn_cast<TypedAttr>(constant);
    if (!typed || typed.getType() != tensor.getElementType() ||
        !isa<IntegerAttr, FloatAttr>(constant))
        return {};
    return SplatElementsAttr::get(tensor, constant);
}

// Does not fold a bitcast with a promise: kiln_build_hint creates it as a copy if the promise
// cannot be attached to the value itself.
OpFoldResult BitcastOp::fold(FoldAdaptor)
{
    for (StringRef hint : {"tt.divisibility", "tt.contiguity", "tt.constancy"})
        if ((*this)->hasAttr(hint))
            return {};
    return getSrc().getType() == getType() ? getSrc() : OpFoldResult();
}
OpFoldResult SplatOp::fold(FoldAdaptor adaptor)
{
    return splatOf(adaptor.getSrc(), getType());
}
OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor)
{
    return splatOf(adaptor.getSrc(), getType());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor)
{
    if (getSrc().getType() == getType() && !getAllowReorder())
        return getSrc();
    return splatOf(adaptor.getSrc(), getType());
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor)
{
    return getSrc().getType() == getType() ? OpFoldResult(getSrc())
                                           : splatOf(adaptor.getSrc(), getType());
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor)
{
    bool identity = true;
    for (auto [i, dim] : llvm::enumerate(getOrder()))
        identity &= static_cast<size_t>(dim) == i;
    if (identity && getSrc().getType() == getType())
        return getSrc();
    return splatOf(adaptor.getSrc(), getType());
}

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor)
{
    return matchPattern(adaptor.getOffset(), m_Zero()) ? getPtr() : OpFoldResult();
}

LogicalResult SplatOp::verify()
{
    if (isa<RankedTensorType>(getSrc().getType()))
        return emitOpError() << "takes a scalar";
    if (getSrc().getType() != getElementTypeOrSelf(getType()))
        return emitOpError() << "can't make " << getType() << " of " << getSrc().getType();
    return success();
}

LogicalResult UnsplatOp::verify()
{
    return tensorOf(getSrc()).getNumElements() == 1
               ? success()
               : emitOpError() << "takes a tensor of one element";
}

LogicalResult ExpandDimsOp::verify()
{
    ArrayRef<int64_t> from = tensorOf(getSrc()).getShape(), to = tensorOf(getResult()).getShape();
    int64_t axis = static_cast<int32_t>(getAxis());
    if (axis < 0 || axis > static_cast<int64_t>(from.size()))
        return emitOpError() << "axis " << axis << " is out of range for " << getSrc().getType();
    SmallVector<int64_t> want(from);
    want.insert(want.begin() + axis, 1);
    if (ArrayRef<int64_t>(want) != to)
        return emitOpError() << "result " << getType()
                             << " must be the operand with a dimension of 1 at axis " << axis;
    return success();
}

LogicalResult ReshapeOp::verify()
{
    if (tensorOf(getSrc()).getNumElements() != tensorOf(getResult()).getNumElements())
        return emitOpError() << "must keep the number of elements";
    return success();
}

LogicalResult BroadcastOp::verify()
{
    ArrayRef<int64_t> from = tensorOf(getSrc()).getShape(), to = tensorOf(getResult()).getShape();
    if (from.size() != to.size())
        return emitOpError() << "must keep the rank";
    for (auto [i, dims] : llvm::enumerate(llvm::zip(from, to)))
        if (std::get<0>(dims) != 1 && std::get<0>(dims) != std::get<1>(dims))
            return emitOpError() << "can't stretch dimension " << i << " from " << std::get<0>(dims)
                                 << " to " << std::get<1>(dims);
    return success();
}

LogicalResult CatOp::verify()
{
    if (2 * tensorOf(getLhs()).getNumElements() != tensorOf(getResult()).getNumElements())
        return emitOpError() << "result must have the elements of both operands";
    return success();
}

// Verifies that `pair` is `half` with a last dimension of 2.
static LogicalResult verifyPair(Operation *op, RankedTensorType half, RankedTensorType pair)
{
    SmallVector<int64_t> want(half.getShape());
    want.push_back(2);
    if (pair.getShape() != ArrayRef<int64_t>(want))
        return op->emitOpError() << pair << " must be " << half << " with a last dimension of 2";
    return success();
}

LogicalResult JoinOp::verify()
{
    return verifyPair(*this, tensorOf(getLhs()), tensorOf(getResult()));
}

LogicalResult SplitOp::verify()
{
    return verifyPair(*this, tensorOf(getOutLHS()), tensorOf(getSrc()));
}

LogicalResult TransOp::verify()
{
    RankedTensorType from = tensorOf(getSrc()), to = tensorOf(getResult());
    ArrayRef<int32_t> order = getOrder();
    if (static_cast<int64_t>(order.size()) != from.getRank() || from.getRank() != to.getRank())
        return emitOpError() << "order and result must have the operand's rank";
    llvm::SmallBitVector seen(static_cast<unsigned>(order.size()));
    for (auto [i, dim] : llvm::enumerate(order)) {
        if (dim < 0 || dim >= from.getRank() || seen[static_cast<unsigned>(dim)])
            return emitOpError() << "order must be a permutation of the dimensions";
        seen.set(static_cast<unsigned>(dim));
        if (to.getDimSize(static_cast<unsigned>(i)) != from.getDimSize(static_cast<unsigned>(dim)))
            return emitOpError() << "result " << to << " must be the operand in the given order";
    }
    return success();
}

LogicalResult MakeRangeOp::verify()
{
    RankedTensorType type = getType();
    int64_t start = static_cast<int32_t>(getStart()), end = static_cast<int32_t>(getEnd());
    if (type.getRank() != 1 || end - start != type.getDimSize(0))
        return emitOpError() << "from " << start << " to " << end << " must have one dimension of "
                             << end - start << " elements, not " << type;
    return success();
}

LogicalResult HistogramOp::verify()
{
    return tensorOf(getResult()).getRank() == 1 ? success()
                                                : emitOpError() << "result must have one dimension";
}

LogicalResult GatherOp::verify()
{
    RankedTensorType src = tensorOf(getSrc()), indices = tensorOf(getIndices()),
                     result = tensorOf(getResult());
    int64_t axis = static_cast<int32_t>(getAxis());
    if (indices.getShape() != result.getShape() || src.getElementType() != result.getElementType())
        return emitOpError()
               << "result must have the shape of the indices and the element of the source";
    if (src.getRank() != indices.getRank() || axis < 0 || axis >= src.getRank())
        return emitOpError() << "source and indices must have equal rank, with the axis in range";
    for (int64_t dim = 0; dim < src.getRank(); ++dim)
        if (dim != axis && indices.getDimSize(static_cast<unsigned>(dim)) >
                               src.getDimSize(static_cast<unsigned>(dim)))
            return emitOpError() << "indices exceed dimension " << dim << " of the source";
    return success();
}

} // namespace kiln::tt
