// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers, memory effects and folders of the tt dialect's operations; those that only change
// shapes are in tt_shapes.cpp.
//
// Verifiers check that the program has a defined meaning, not that gfx942 supports it. Note that
// encodings are present only in ttg, so verifiers compare shapes and element types, and encodings
// only if the operation cannot change them.
#include "tt/tt_dialect.h"

#include "kiln/dialects.h"

using namespace mlir;

namespace kiln::tt
{

static Type elementOf(Type type)
{
    return getElementTypeOrSelf(type);
}

static unsigned bitsOf(Type type)
{
    type = elementOf(type);
    return isa<PointerType>(type) ? 64 : type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
}

static LogicalResult verifyShape(Operation *op, Type type, const char *what)
{
    constexpr int64_t limit = 1 << 20;
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
        return success();
    if (tensor.getRank() == 0 || tensor.getRank() > KILN_MAX_RANK)
        return op->emitOpError() << what << " must have between 1 and " << KILN_MAX_RANK
                                 << " dimensions";
    int64_t count = 1;
    for (int64_t dim : tensor.getShape()) {
        if (dim <= 0 || !llvm::isPowerOf2_64(static_cast<uint64_t>(dim)))
            return op->emitOpError()
                   << what << " has a dimension that is not a power of two: " << type;
        if (dim > limit || (count *= dim) > limit)
            return op->emitOpError() << what << " has more than " << limit << " elements: " << type;
    }
    return success();
}

LogicalResult verifyTensorShapes(Operation *op)
{
    for (Type type : op->getOperandTypes())
        if (failed(verifyShape(op, type, "operand")))
            return failure();
    for (Type type : op->getResultTypes())
        if (failed(verifyShape(op, type, "result")))
            return failure();
    return success();
}

// Element-wise ------------------------------------------------------------------------------------

LogicalResult BitcastOp::verify()
{
    if (bitsOf(getSrc().getType()) != bitsOf(getType()))
        return emitOpError() << "can't cast between types of different width, "
                             << getSrc().getType() << " and " << getType();
    return success();
}

LogicalResult FpToFpOp::verify()
{
    if (bitsOf(getType()) < bitsOf(getSrc().getType()) && !getRounding())
        return emitOpError() << "needs a rounding mode to go from " << elementOf(getSrc().getType())
                             << " to " << elementOf(getType());
    return success();
}

LogicalResult AddPtrOp::verify()
{
    auto ptr = dyn_cast<PointerType>(elementOf(getPtr().getType()));
    if (ptr && isa<RankedTensorType>(ptr.getPointee()))
        return emitOpError() << "can't add to a block pointer; use tt.advance";
    return success();
}

static void effectsUnlessPure(bool pure, SmallVectorImpl<MemoryEffects::EffectInstance> &effects)
{
    if (pure)
        return;
    effects.emplace_back(MemoryEffects::Read::get(), GlobalMemory::get());
    effects.emplace_back(MemoryEffects::Write::get(), GlobalMemory::get());
}

void ExternElementwiseOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects)
{
    effectsUnlessPure(getPure(), effects);
}

void ElementwiseInlineAsmOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects)
{
    effectsUnlessPure(getPure(), effects);
}

Speculation::Speculatability ExternElementwiseOp::getSpeculatability()
{
    return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

Speculation::Speculatability ElementwiseInlineAsmOp::getSpeculatability()
{
    return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

LogicalResult ElementwiseInlineAsmOp::verify()
{
    int64_t packed = static_cast<int32_t>(getPackedElement());
    if (packed < 1)
        return emitOpError() << "packed_element must be positive";
    RankedTensorType first;
    for (Type type : llvm::concat<const Type>(TypeRange(getArgs()), getResultTypes())) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        if (!tensor)
            continue;
        if (first && first.getShape() != tensor.getShape())
            return emitOpError() << "tensors must have one shape";
        if (tensor.getNumElements() % packed != 0)
            return emitOpError() << "number of elements must be a multiple of packed_element";
        first = tensor;
    }
    return success();
}

// A region that is executed for each element, in unspecified order and number, must not write
// memory or order accesses. Calls are checked after they are inlined.
static LogicalResult verifyChangesNothing(Operation *op, Region &region, bool mayReport)
{
    Operation *writer = nullptr;
    region.walk([&](Operation *each) {
        auto effects = dyn_cast<MemoryEffectOpInterface>(each);
        bool mayWrite = effects ? effects.hasEffect<MemoryEffects::Write>()
                                : !each->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
                                      !isa<CallOpInterface>(each);
        StringRef name = each->getName().getStringRef();
        bool reports = isa<PrintOp, AssertOp>(each) || name == "cf.assert";
        writer = mayWrite && !(mayReport && reports) && name != "llvm.intr.assume" ? each : nullptr;
        return writer ? WalkResult::interrupt() : WalkResult::advance();
    });
    return writer ? op->emitOpError()
                        << "region must not write memory, and " << writer->getName() << " may"
                  : success();
}

LogicalResult MapElementwiseOp::verify()
{
    int64_t pack = static_cast<int32_t>(getPack());
    if (pack < 1 || !llvm::isPowerOf2_64(static_cast<uint64_t>(pack)))
        return emitOpError() << "pack must be a power of two";
    if (getSrcs().empty() || getScalarOp().empty())
        return emitOpError() << "needs operands and a region";
    Block &body = getScalarOp().front();
    size_t width = static_cast<size_t>(pack);
    if (body.getNumArguments() != getSrcs().size() * width)
        return emitOpError() << "region must have " << getSrcs().size() * width << " arguments";
    for (auto [i, argument] : llvm::enumerate(body.getArguments()))
        if (argument.getType() != elementOf(getSrcs()[i / width].getType()))
            return emitOpError() << "region argument " << i << " must be of type "
                                 << elementOf(getSrcs()[i / width].getType());
    if (failed(verifyChangesNothing(*this, getScalarOp(), false)))
        return failure();
    for (Block &block : getScalarOp())
        if (auto ret = dyn_cast<MapElementwiseReturnOp>(block.empty() ? nullptr : &block.back())) {
            if (ret.getNumOperands() != getNumResults() * width)
                return emitOpError()
                       << "region must return " << getNumResults() * width << " values";
            for (auto [i, value] : llvm::enumerate(ret.getOperands()))
                if (value.getType() != elementOf(getResultTypes()[i / width]))
                    return emitOpError()
                           << "value " << i << " returned by the region has the wrong type";
        }
    return success();
}

// Memory ------------------------------------------------------------------------------------------

void LoadOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects)
{
    effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(), GlobalMemory::get());
    if (getIsVolatile())
        effects.emplace_back(MemoryEffects::Write::get(), GlobalMemory::get());
}

static RankedTensorType blockOf(Type pointer)
{
    auto ptr = dyn_cast<PointerType>(pointer);
    return ptr ? dyn_cast<RankedTensorType>(ptr.getPointee()) : RankedTensorType();
}

static LogicalResult verifyBoundaryCheck(Operation *op, Type pointer, ArrayRef<int32_t> dims)
{
    RankedTensorType block = blockOf(pointer);
    if (!block)
        return dims.empty() ? success()
                            : op->emitOpError() << "boundaryCheck requires a block pointer";
    for (int32_t dim : dims)
        if (dim < 0 || dim >= block.getRank())
            return op->emitOpError()
                   << "boundaryCheck has invalid dimension " << dim << " of " << block;
    return success();
}

LogicalResult LoadOp::verify()
{
    if (getOther() && !getMask())
        return emitOpError() << "has `other` but no mask";
    return verifyBoundaryCheck(*this, getPtr().getType(), getBoundaryCheck());
}

LogicalResult StoreOp::verify()
{
    return verifyBoundaryCheck(*this, getPtr().getType(), getBoundaryCheck());
}

LogicalResult verifyAtomic(Operation *op, RMWOp kind, Type element)
{
    bool any = kind == RMWOp::XCHG || kind == RMWOp::MAX || kind == RMWOp::MIN;
    if (!any && (kind == RMWOp::FADD) != isa<FloatType>(element))
        return op->emitOpError() << "'" << stringifyRMWOp(kind) << "' does not support " << element;
    return success();
}

LogicalResult AtomicRMWOp::verify()
{
    return verifyAtomic(*this, getAtomicRmwOp(), elementOf(getVal().getType()));
}

LogicalResult AtomicLoadOp::verify()
{
    if (getSem() != MemSemantic::RELAXED && getSem() != MemSemantic::ACQUIRE)
        return emitOpError() << "must be relaxed or acquire, not "
                             << stringifyMemSemantic(getSem());
    return success();
}

LogicalResult AtomicStoreOp::verify()
{
    if (getSem() != MemSemantic::RELAXED && getSem() != MemSemantic::RELEASE)
        return emitOpError() << "must be relaxed or release, not "
                             << stringifyMemSemantic(getSem());
    return success();
}

// Matrix products and regions ---------------------------------------------------------------------

// Shapes of [B,] M×K · [B,] K×N → [B,] M×N, where an operand's K may be packed.
static LogicalResult verifyProduct(Operation *op, ArrayRef<int64_t> a, ArrayRef<int64_t> b,
                                   ArrayRef<int64_t> d)
{
    size_t rank = d.size();
    if ((rank != 2 && rank != 3) || a.size() != rank || b.size() != rank)
        return op->emitOpError()
               << "operands and result must all have two or all have three dimensions";
    if (rank == 3 && (a[0] != b[0] || a[0] != d[0]))
        return op->emitOpError() << "batch dimensions differ: " << a[0] << ", " << b[0] << " and "
                                 << d[0];
    if (a[rank - 1] != b[rank - 2])
        return op->emitOpError() << "inner dimensions differ: " << a[rank - 1] << " and "
                                 << b[rank - 2];
    if (a[rank - 2] != d[rank - 2] || b[rank - 1] != d[rank - 1])
        return op->emitOpError() << "result must be " << a[rank - 2] << " by " << b[rank - 1];
    return success();
}

LogicalResult DotOp::verify()
{
    RankedTensorType a = tensorOf(getA()), b = tensorOf(getB()), d = tensorOf(getD());
    if (bitsOf(a) != bitsOf(b))
        return emitOpError() << "operands must have elements of equal width";
    if (isa<IntegerType>(a.getElementType()) != isa<IntegerType>(b.getElementType()) ||
        isa<IntegerType>(a.getElementType()) != isa<IntegerType>(d.getElementType()))
        return emitOpError() << "operands and result must be all integers or all floats";
    if (static_cast<bool>(a.getEncoding()) != static_cast<bool>(b.getEncoding()))
        return emitOpError() << "operands must both have layouts or both have none";
    return verifyProduct(*this, a.getShape(), b.getShape(), d.getShape());
}

LogicalResult DotScaledOp::verify()
{
    RankedTensorType a = tensorOf(getA()), b = tensorOf(getB()), d = tensorOf(getD());
    unsigned rank = static_cast<unsigned>(d.getRank());
    if ((rank != 2 && rank != 3) || a.getRank() != d.getRank() || b.getRank() != d.getRank())
        return emitOpError()
               << "operands and result must all have two or all have three dimensions";
    // e2m1 is packed in pairs into i8; for the other kinds the width must match.
    auto verifyElement = [&](RankedTensorType type, ScaleDotElemType kind) -> LogicalResult {
        Type element = type.getElementType();
        bool isWide = kind == ScaleDotElemType::BF16 || kind == ScaleDotElemType::FP16;
        bool fits = kind == ScaleDotElemType::E2M1
                        ? element.isInteger(8)
                        : element.getIntOrFloatBitWidth() == (isWide ? 16u : 8u);
        return fits ? success()
                    : emitOpError() << "operand " << type << " does not contain "
                                    << stringifyScaleDotElemType(kind) << " elements";
    };
    if (failed(verifyElement(a, getAElemType())) || failed(verifyElement(b, getBElemType())))
        return failure();
    SmallVector<int64_t> as(a.getShape()), bs(b.getShape());
    if (getAElemType() == ScaleDotElemType::E2M1)
        as[rank - (getLhsKPack() ? 1 : 2)] *= 2;
    if (getBElemType() == ScaleDotElemType::E2M1)
        bs[rank - (getRhsKPack() ? 2 : 1)] *= 2;
    if (failed(verifyProduct(*this, as, bs, d.getShape())))
        return failure();
    // One scale for each 32 (or 16) neighbours along K: [B,] M×K/32 for a, [B,] N×K/32 for b.
    auto verifyScale = [&](Value scale, int64_t other) -> LogicalResult {
        if (!scale)
            return success();
        RankedTensorType type = tensorOf(scale);
        if (type.getElementType().getIntOrFloatBitWidth() != 8)
            return emitOpError() << "scale " << type << " must have elements of 8 bits";
        int64_t k = as[rank - 1];
        if (type.getRank() != d.getRank() || type.getDimSize(rank - 2) != other ||
            (type.getDimSize(rank - 1) * 32 != k && type.getDimSize(rank - 1) * 16 != k))
            return emitOpError() << "scale " << type
                                 << " must have one element for each 32 or 16 along K = " << k
                                 << " in each of " << other << " rows";
        return success();
    };
    if (failed(verifyScale(getAScale(), as[rank - 2])))
        return failure();
    return verifyScale(getBScale(), bs[rank - 1]);
}

// The region combines 2n scalars into n, along an axis of the operands.
static LogicalResult verifyCombine(Operation *op, OperandRange srcs, int64_t axis, Region &region)
{
    if (srcs.empty() || region.empty() || region.front().empty())
        return op->emitOpError() << "needs operands and a region";
    Block &body = region.front();
    if (body.getNumArguments() != 2 * srcs.size())
        return op->emitOpError() << "region must have " << 2 * srcs.size() << " arguments";
    for (auto [i, argument] : llvm::enumerate(body.getArguments()))
        if (argument.getType() != elementOf(srcs[i % srcs.size()].getType()))
            return op->emitOpError() << "region argument " << i << " must be of type "
                                     << elementOf(srcs[i % srcs.size()].getType());
    Operation *ret = &body.back();
    if (!isa<ReduceReturnOp, ScanReturnOp>(ret))
        return op->emitOpError() << "region must end with the operation's return";
    if (ret->getNumOperands() != srcs.size())
        return op->emitOpError() << "region must return " << srcs.size() << " values";
    for (auto [i, type] : llvm::enumerate(ret->getOperandTypes()))
        if (type != elementOf(srcs[i].getType()))
            return op->emitOpError() << "value " << i << " returned by the region must be of type "
                                     << elementOf(srcs[i].getType());
    if (failed(verifyChangesNothing(op, region, true)))
        return failure();
    RankedTensorType first = tensorOf(srcs.front());
    if (axis < 0 || axis >= first.getRank())
        return op->emitOpError() << "axis " << axis << " is out of range for " << first;
    return success();
}

LogicalResult ReduceOp::verify()
{
    int64_t axis = static_cast<int32_t>(getAxis());
    if (failed(verifyCombine(*this, getSrcs(), axis, getCombineOp())))
        return failure();
    if (getNumResults() != getSrcs().size())
        return emitOpError() << "must have as many results as operands";
    SmallVector<int64_t> want(tensorOf(getSrcs().front()).getShape());
    want.erase(want.begin() + axis);
    for (auto [src, result] : llvm::zip(getSrcs(), getResults())) {
        auto tensor = tensorOf(result);
        if (elementOf(src.getType()) != elementOf(result.getType()) ||
            static_cast<bool>(tensor) == want.empty() ||
            (tensor && tensor.getShape() != ArrayRef<int64_t>(want)))
            return emitOpError() << "result " << result.getType() << " is not " << src.getType()
                                 << " without dimension " << axis;
    }
    return success();
}

LogicalResult ScanOp::verify()
{
    if (failed(verifyCombine(*this, getSrcs(), static_cast<int32_t>(getAxis()), getCombineOp())))
        return failure();
    if (getResultTypes() != getSrcs().getTypes())
        return emitOpError() << "results must have the types of the operands";
    return success();
}

// Descriptors and block pointers ------------------------------------------------------------------

LogicalResult MakeTensorDescOp::verify()
{
    RankedTensorType block = getType().getBlockType();
    if (static_cast<int64_t>(getShape().size()) != block.getRank() ||
        static_cast<int64_t>(getStrides().size()) != block.getRank())
        return emitOpError() << "needs " << block.getRank() << " sizes and strides";
    if (bitsOf(getBase().getType().getPointee()) != bitsOf(block))
        return emitOpError() << "base must point to the block's element";
    return verifyShape(*this, block, "block");
}

static LogicalResult verifyDescriptorAccess(Operation *op, TensorDescType desc, Type value,
                                            size_t indices)
{
    auto tensor = cast<RankedTensorType>(value);
    RankedTensorType block = desc.getBlockType();
    if (static_cast<int64_t>(indices) != block.getRank())
        return op->emitOpError() << "needs " << block.getRank() << " indices";
    if (tensor.getNumElements() != block.getNumElements() || bitsOf(tensor) != bitsOf(block))
        return op->emitOpError() << value << " is not the descriptor's block, " << block;
    return success();
}

LogicalResult DescriptorLoadOp::verify()
{
    return verifyDescriptorAccess(*this, getDesc().getType(), getType(), getIndices().size());
}

LogicalResult DescriptorStoreOp::verify()
{
    return verifyDescriptorAccess(*this, getDesc().getType(), getSrc().getType(),
                                  getIndices().size());
}

LogicalResult DescriptorReduceOp::verify()
{
    return verifyDescriptorAccess(*this, getDesc().getType(), getSrc().getType(),
                                  getIndices().size());
}

LogicalResult MakeTensorPtrOp::verify()
{
    RankedTensorType block = blockOf(getType());
    if (!block)
        return emitOpError() << "result must point to a block";
    size_t rank = static_cast<size_t>(block.getRank());
    if (getShape().size() != rank || getStrides().size() != rank || getOffsets().size() != rank ||
        getOrder().size() != rank)
        return emitOpError() << "needs " << rank
                             << " sizes, strides, offsets and places in the order";
    return verifyShape(*this, block, "block");
}

LogicalResult AdvanceOp::verify()
{
    RankedTensorType block = blockOf(getType());
    if (!block || static_cast<int64_t>(getOffsets().size()) != block.getRank())
        return emitOpError() << "takes a block pointer and an offset for each of its dimensions";
    return success();
}

} // namespace kiln::tt
