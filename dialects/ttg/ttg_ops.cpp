// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ttg dialect's memory descriptors and operations: text, verifiers, effects, folders.
//
// Note that a descriptor's type is printed in full but also parsed without its `!ttg.memdesc`, so
// operations use custom<MemDescType> for it.
#include "kiln/dialects.h"
#include "ttg/ttg_dialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

// Text that the generated parsers and printers call -----------------------------------------------

static ParseResult parseMemDescType(OpAsmParser &parser, Type &type)
{
    SMLoc at = parser.getCurrentLocation();
    OptionalParseResult whole = parser.parseOptionalType(type);
    if (!whole.has_value()) {
        type = kiln::ttg::MemDescType::parse(parser);
        return success(static_cast<bool>(type));
    }
    if (succeeded(*whole) && !isa<kiln::ttg::MemDescType>(type))
        return parser.emitError(at, "expected a !ttg.memdesc type");
    return *whole;
}

static void printMemDescType(OpAsmPrinter &printer, Operation *, Type type)
{
    printer << type;
}

static ParseResult parseOffsets(OpAsmParser &parser, DenseI32ArrayAttr &offsets)
{
    SmallVector<int32_t> values;
    auto one = [&] { return parser.parseInteger(values.emplace_back()); };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, one))
        return failure();
    offsets = DenseI32ArrayAttr::get(parser.getContext(), values);
    return success();
}

static void printOffsets(OpAsmPrinter &printer, Operation *, DenseI32ArrayAttr offsets)
{
    printer << '[';
    llvm::interleaveComma(offsets.asArrayRef(), printer);
    printer << ']';
}

static constexpr struct {
    const char *keyword;
    uint32_t bits;
} ADDRESS_SPACES[] = {{"none", 0},         {"local", 1},       {"global_read", 2},
                      {"global_write", 4}, {"tensor_read", 8}, {"tensor_write", 16},
                      {"all", 31}};

// local, all, global_read|global_write
static ParseResult parseAddressSpaces(OpAsmParser &parser, IntegerAttr &spaces)
{
    uint32_t bits = 0;
    do {
        SMLoc at = parser.getCurrentLocation();
        StringRef keyword;
        if (parser.parseKeyword(&keyword))
            return failure();
        auto *row = llvm::find_if(ADDRESS_SPACES, [&](auto &r) { return keyword == r.keyword; });
        if (row == std::end(ADDRESS_SPACES))
            return parser.emitError(at, "unknown address space '") << keyword << "'";
        bits |= row->bits;
    } while (succeeded(parser.parseOptionalVerticalBar()));
    spaces = parser.getBuilder().getI32IntegerAttr(static_cast<int32_t>(bits));
    return success();
}

static void printAddressSpaces(OpAsmPrinter &printer, Operation *, IntegerAttr spaces)
{
    uint32_t bits = static_cast<uint32_t>(spaces.getInt());
    const char *separator = "";
    for (auto &row : ADDRESS_SPACES)
        if (row.bits == bits) {
            printer << row.keyword;
            return;
        }
    for (auto &row : ADDRESS_SPACES)
        if (row.bits != 31 && (row.bits & bits)) {
            printer << separator << row.keyword;
            separator = "|";
        }
}

#define GET_TYPEDEF_CLASSES
#include "ttg_types.cpp.inc"
#define GET_OP_CLASSES
#include "ttg_ops.cpp.inc"

namespace kiln::ttg
{

void TTGDialect::registerTypes()
{
    addTypes<
#define GET_TYPEDEF_LIST
#include "ttg_types.cpp.inc"
        >();
    addOperations<
#define GET_OP_LIST
#include "ttg_ops.cpp.inc"
        >();
}

Operation *TTGDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                           Location loc)
{
    return arith::ConstantOp::materialize(builder, value, type, loc);
}

// <128x64xf16, #shared, #smem[, mutable][, 2x128x64]>
Type MemDescType::parse(AsmParser &parser)
{
    SmallVector<int64_t> shape, allocShape;
    Type element;
    Attribute encoding, space;
    bool isMutable = false;
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseLess() || parser.parseDimensionList(shape, false) ||
        parser.parseType(element) || parser.parseComma() || parser.parseAttribute(encoding) ||
        parser.parseComma() || parser.parseAttribute(space))
        return {};
    while (succeeded(parser.parseOptionalComma())) {
        if (succeeded(parser.parseOptionalKeyword("mutable")))
            isMutable = true;
        else if (parser.parseDimensionList(allocShape, false, /*withTrailingX=*/false))
            return {};
    }
    if (parser.parseGreater())
        return {};
    if (allocShape.empty())
        allocShape = shape;
    return getChecked([&] { return parser.emitError(at); }, parser.getContext(), shape, element,
                      encoding, space, isMutable, allocShape);
}

void MemDescType::print(AsmPrinter &printer) const
{
    printer << '<';
    for (int64_t dim : getShape())
        printer << dim << 'x';
    printer << getElementType() << ", " << getEncoding() << ", " << getMemorySpace();
    if (getMutableMemory())
        printer << ", mutable";
    if (getAllocShape() != getShape()) {
        printer << ", ";
        llvm::interleave(getAllocShape(), printer, "x");
    }
    printer << '>';
}

LogicalResult MemDescType::verify(function_ref<InFlightDiagnostic()> emit, ArrayRef<int64_t> shape,
                                  Type element, Attribute encoding, Attribute space, bool,
                                  ArrayRef<int64_t> allocShape)
{
    if (!isSharedEncoding(encoding))
        return emit() << "a descriptor's encoding must be a shared one, not " << encoding;
    if (!isa_and_nonnull<SharedMemoryAttr>(space))
        return emit() << "a descriptor's memory space must be #ttg.shared_memory";
    if (!element.isIntOrFloat() && !isa<tt::PointerType>(element))
        return emit() << "a descriptor can't have elements of " << element;
    // A dimension in addition to the encoding's is the number of buffers.
    size_t rank = rankOf(encoding);
    if (shape.empty() || shape.size() > KILN_MAX_RANK ||
        (shape.size() != rank && shape.size() != rank + 1))
        return emit()
               << "a descriptor must have the encoding's rank, or one more leading dimension";
    if (allocShape.size() < shape.size())
        return emit() << "a descriptor's allocation can't have a smaller rank than the descriptor";
    int64_t bytes = 1;
    for (int64_t dim : llvm::concat<const int64_t>(shape, allocShape))
        if (dim <= 0 || dim > (1 << 20))
            return emit() << "a descriptor's dimension is out of range";
    for (int64_t dim : allocShape)
        if ((bytes *= dim) > (1 << 24))
            return emit() << "a descriptor's allocation has too many elements";
    return success();
}

// Operations --------------------------------------------------------------------------------------

// Folds convert(convert(x)) to convert(x), and a conversion to the same layout or of a splat
// constant to its operand.
OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor)
{
    if (getSrc().getType() == getType())
        return getSrc();
    if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSrc()))
        return splat.resizeSplat(cast<ShapedType>(getType()));
    if (auto inner = getSrc().getDefiningOp<ConvertLayoutOp>()) {
        if (inner.getSrc().getType() == getType())
            return inner.getSrc();
        getSrcMutable().assign(inner.getSrc());
        return getResult();
    }
    return {};
}

LogicalResult Fp4ToFpOp::verify()
{
    auto from = cast<RankedTensorType>(getSrc().getType()), to = cast<RankedTensorType>(getType());
    SmallVector<int64_t> shape(from.getShape());
    if (!from.getElementType().isInteger(8))
        return emitOpError() << "takes pairs in i8, not in " << from.getElementType();
    if (getAxis() >= shape.size())
        return emitOpError() << "expected an axis from 0 to " << shape.size() - 1 << ", got "
                             << getAxis();
    shape[getAxis()] *= 2;
    if (to.getShape() != ArrayRef<int64_t>(shape))
        return emitOpError() << "result must be twice as long along axis " << getAxis()
                             << ", with the operand's other dimensions";
    return success();
}

void LocalAllocOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects)
{
    // An immutable buffer is a value: allocations with equal contents may be merged, and unused
    // ones removed.
    if (!getType().getMutableMemory() && getSrc())
        return;
    effects.emplace_back(MemoryEffects::Allocate::get(), getOperation()->getOpResult(0),
                         LocalMemory::get());
    if (getSrc())
        effects.emplace_back(MemoryEffects::Write::get(), getOperation()->getOpResult(0),
                             LocalMemory::get());
}

void LocalLoadOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects)
{
    if (getSrc().getType().getMutableMemory())
        effects.emplace_back(MemoryEffects::Read::get(), &getSrcMutable(), LocalMemory::get());
}

void LocalGatherOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects)
{
    if (getSrc().getType().getMutableMemory())
        effects.emplace_back(MemoryEffects::Read::get(), &getSrcMutable(), LocalMemory::get());
}

static LogicalResult verifyCopy(Operation *op, RankedTensorType tensor, MemDescType memory)
{
    if (tensor.getShape() != memory.getShape() ||
        tensor.getElementType() != memory.getElementType())
        return op->emitOpError() << tensor << " and " << memory
                                 << " must have one shape and element";
    if (tensor.getShape().size() != rankOf(memory.getEncoding()))
        return op->emitOpError() << memory
                                 << " holds several buffers; use ttg.memdesc_index to select one";
    return success();
}

LogicalResult LocalAllocOp::verify()
{
    if (!getSrc())
        return getType().getMutableMemory()
                   ? success()
                   : emitOpError() << "without contents must make a mutable descriptor";
    return verifyCopy(*this, cast<RankedTensorType>(getSrc().getType()), getType());
}

LogicalResult LocalLoadOp::verify()
{
    return verifyCopy(*this, cast<RankedTensorType>(getType()), getSrc().getType());
}

LogicalResult LocalGatherOp::verify()
{
    MemDescType memory = getSrc().getType();
    auto indices = cast<RankedTensorType>(getIndices().getType()),
         result = cast<RankedTensorType>(getType());
    int64_t rank = result.getRank(), axis = static_cast<int32_t>(getAxis());
    if (indices.getShape() != result.getShape() || indices.getEncoding() != result.getEncoding() ||
        memory.getElementType() != result.getElementType())
        return emitOpError() << "result must have the shape and layout of the indices and the "
                                "element of the memory";
    if (static_cast<int64_t>(memory.getShape().size()) != rank || axis < 0 || axis >= rank)
        return emitOpError() << "memory and indices must have equal rank, with the axis in range";
    if (static_cast<unsigned>(rank) != rankOf(memory.getEncoding()))
        return emitOpError() << memory
                             << " holds several buffers; use ttg.memdesc_index to select one";
    for (int64_t dim = 0; dim < rank; ++dim)
        if (dim != axis && result.getDimSize(static_cast<unsigned>(dim)) >
                               memory.getShape()[static_cast<size_t>(dim)])
            return emitOpError() << "indices exceed dimension " << dim << " of the memory";
    return success();
}

LogicalResult LocalStoreOp::verify()
{
    if (!getDst().getType().getMutableMemory())
        return emitOpError() << "can't store to an immutable descriptor";
    return verifyCopy(*this, cast<RankedTensorType>(getSrc().getType()), getDst().getType());
}

LogicalResult AsyncCopyGlobalToLocalOp::verify()
{
    if (!getResult().getType().getMutableMemory())
        return emitOpError() << "can't write to an immutable descriptor";
    auto loaded = dyn_cast_or_null<RankedTensorType>(tt::pointeeOf(getSrc().getType()));
    if (!loaded)
        return emitOpError() << "needs pointers to elements";
    return verifyCopy(*this, loaded, getResult().getType());
}

static LogicalResult verifyView(Operation *op, MemDescType from, MemDescType to)
{
    if (from.getElementType() != to.getElementType() ||
        from.getMutableMemory() != to.getMutableMemory())
        return op->emitOpError() << "result must keep the operand's element and mutability";
    return success();
}

LogicalResult MemDescIndexOp::verify()
{
    MemDescType from = getSrc().getType(), to = getType();
    if (from.getShape().size() != to.getShape().size() + 1 ||
        from.getShape().drop_front() != to.getShape() || from.getEncoding() != to.getEncoding())
        return emitOpError() << "result must be the operand without its leading dimension";
    return verifyView(*this, from, to);
}

LogicalResult MemDescSubsliceOp::verify()
{
    MemDescType from = getSrc().getType(), to = getType();
    size_t rank = from.getShape().size();
    if (to.getShape().size() != rank || getOffsets().size() != rank ||
        from.getEncoding() != to.getEncoding())
        return emitOpError()
               << "result and offsets must have the operand's rank, and the result its encoding";
    if (rank != rankOf(from.getEncoding()))
        return emitOpError() << from
                             << " holds several buffers; use ttg.memdesc_index to select one";
    for (size_t i = 0; i < rank; ++i)
        if (getOffsets()[i] < 0 || getOffsets()[i] + to.getShape()[i] > from.getShape()[i] ||
            getOffsets()[i] % to.getShape()[i] != 0)
            return emitOpError() << "dimension " << i
                                 << " of the slice is not an aligned part of the operand's";
    return verifyView(*this, from, to);
}

LogicalResult MemDescTransOp::verify()
{
    MemDescType from = getSrc().getType(), to = getType();
    ArrayRef<int32_t> order = getOrder();
    if (order.size() != from.getShape().size() || order.size() != to.getShape().size())
        return emitOpError() << "order and result must have the operand's rank";
    llvm::SmallBitVector seen(static_cast<unsigned>(order.size()));
    for (auto [i, dim] : llvm::enumerate(order)) {
        if (dim < 0 || static_cast<size_t>(dim) >= order.size() ||
            seen[static_cast<unsigned>(dim)] ||
            to.getShape()[i] != from.getShape()[static_cast<size_t>(dim)])
            return emitOpError() << "result must be the operand in the given order";
        seen.set(static_cast<unsigned>(dim));
    }
    return verifyView(*this, from, to);
}

LogicalResult MemDescReshapeOp::verify()
{
    MemDescType from = getSrc().getType(), to = getType();
    int64_t count = 1, want = 1;
    for (int64_t dim : from.getShape())
        count *= dim;
    for (int64_t dim : to.getShape())
        want *= dim;
    if (count != want)
        return emitOpError() << "must keep the number of elements";
    return verifyView(*this, from, to);
}

LogicalResult BarrierOp::verify()
{
    return getAddrSpace() <= 31 ? success()
                                : emitOpError() << "address spaces are a mask of five bits";
}

} // namespace kiln::ttg
