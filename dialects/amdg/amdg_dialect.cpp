// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration and verifiers of the amdg dialect.
#include "amdg/amdg_dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

// The types of a buffer operation: tensor<64xf32>, or (3.9) with the pointer's type before it,
// !tt.ptr<f32> -> tensor<64xf32>.
static ParseResult parseBufferTypes(OpAsmParser &parser, Type &pointer, Type &moved)
{
    if (parser.parseType(moved))
        return failure();
    if (!isa<kiln::tt::PointerType>(moved)) {
        pointer = kiln::amdg::pointerTo(moved);
        return success();
    }
    pointer = moved;
    return failure(parser.parseArrow() || parser.parseType(moved));
}

static void printBufferTypes(OpAsmPrinter &printer, Operation *, Type, Type moved)
{
    printer << moved;
}

#include "amdg_dialect.cpp.inc"
#include "amdg_enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "amdg_attrs.cpp.inc"
#define GET_OP_CLASSES
#include "amdg_ops.cpp.inc"

namespace kiln::amdg
{

namespace
{
struct Inliner : public DialectInlinerInterface {
    using DialectInlinerInterface::DialectInlinerInterface;
    bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
    bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void AMDGDialect::registerAttributes()
{
    addAttributes<
#define GET_ATTRDEF_LIST
#include "amdg_attrs.cpp.inc"
        >();
}

void AMDGDialect::initialize()
{
    registerAttributes();
    addOperations<
#define GET_OP_LIST
#include "amdg_ops.cpp.inc"
        >();
    addInterfaces<Inliner>();
}

Type pointerTo(Type tensor)
{
    return tt::PointerType::get(tensor.getContext(), getElementTypeOrSelf(tensor), 1);
}

Type offsetsLike(Type tensor)
{
    auto ranked = dyn_cast<RankedTensorType>(tensor);
    return ranked ? Type(ranked.clone(IntegerType::get(tensor.getContext(), 32))) : Type();
}

LogicalResult BufferAtomicRMWOp::verify()
{
    return tt::verifyAtomic(*this, getAtomicRmwOp(), getValue().getType().getElementType());
}

LogicalResult BufferLoadToLocalOp::verify()
{
    auto offsets = cast<RankedTensorType>(getOffsets().getType());
    ttg::MemDescType to = getDest().getType();
    if (to.getShape() != offsets.getShape() ||
        to.getElementType() != getPtr().getType().getPointee())
        return emitOpError() << offsets << " and " << to
                             << " must have one shape, and pointer and buffer one element";
    if (!to.getMutableMemory())
        return emitOpError() << "can't write to an immutable descriptor";
    if (getOther() && getOther().getType() != offsets.clone(to.getElementType()))
        return emitOpError() << "type of other must be that of the elements loaded";
    return success();
}

LogicalResult ScaledUpcastFp4Op::verify()
{
    auto bytes = cast<RankedTensorType>(getSrc().getType()),
         result = cast<RankedTensorType>(getType());
    int64_t axis = static_cast<int32_t>(getAxis());
    if (axis < 0 || axis >= result.getRank())
        return emitOpError() << "expected an axis from 0 to " << result.getRank() - 1 << ", got "
                             << axis;
    SmallVector<int64_t> shape(bytes.getShape());
    if (static_cast<size_t>(axis) < shape.size())
        shape[static_cast<size_t>(axis)] *= 2;
    if (ArrayRef<int64_t>(shape) != result.getShape() ||
        cast<RankedTensorType>(getScale().getType()).getShape() != result.getShape())
        return emitOpError() << "the result has twice as many elements along dimension " << axis
                             << " as there are bytes, and as many as scales";
    return success();
}

// Verifies that `part` can be a block of `whole`: the same rank and element type, no larger.
static LogicalResult verifyPart(Operation *op, RankedTensorType part, RankedTensorType whole)
{
    if (part.getRank() != whole.getRank() || part.getElementType() != whole.getElementType())
        return op->emitOpError() << "part and whole must have one rank and element";
    for (int64_t d = 0; d < part.getRank(); ++d)
        if (part.getDimSize(d) > whole.getDimSize(d))
            return op->emitOpError()
                   << "dimension " << d << " of the part is larger than the whole's";
    return success();
}

LogicalResult ExtractSliceOp::verify()
{
    auto whole = cast<RankedTensorType>(getSource().getType()),
         part = cast<RankedTensorType>(getType());
    if (failed(verifyPart(*this, part, whole)))
        return failure();
    if (getStaticOffsets().size() != static_cast<size_t>(whole.getRank()))
        return emitOpError() << "needs one offset for each dimension";
    for (auto [d, offset] : llvm::enumerate(getStaticOffsets())) {
        int64_t size = part.getDimSize(static_cast<unsigned>(d));
        if (offset < 0 || offset % size != 0 ||
            offset + size > whole.getDimSize(static_cast<unsigned>(d)))
            return emitOpError() << "offset " << offset << " of dimension " << d
                                 << " is not that of an aligned part of the operand";
    }
    return success();
}

LogicalResult ConcatOp::verify()
{
    auto whole = cast<RankedTensorType>(getType());
    if (getSources().empty())
        return emitOpError() << "needs at least one part";
    auto part = cast<RankedTensorType>(getSources().front().getType());
    for (Value source : getSources())
        if (source.getType() != part)
            return emitOpError() << "parts must have one type";
    if (failed(verifyPart(*this, part, whole)))
        return failure();
    if (part.getNumElements() * static_cast<int64_t>(getSources().size()) != whole.getNumElements())
        return emitOpError() << "parts do not fill the whole";
    return success();
}

} // namespace kiln::amdg
