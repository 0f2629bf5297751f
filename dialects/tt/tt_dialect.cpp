// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the tt dialect: its types, functions and calls, and its inlining rules.
#include "tt/tt_dialect.h"

#include "mlir/Interfaces/FunctionImplementation.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "tt_dialect.cpp.inc"
#include "tt_enums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tt_types.cpp.inc"
#define GET_OP_CLASSES
#include "tt_ops.cpp.inc"

namespace kiln::tt
{

namespace
{
// A function is inlined unless it is marked noinline, or it has several blocks and the call is not
// directly in a function's body. In a region of element values even noinline functions are inlined,
// since a function takes scalars, which are the same for all lanes.
struct Inliner : public DialectInlinerInterface {
    using DialectInlinerInterface::DialectInlinerInterface;

    bool isLegalToInline(Operation *call, Operation *callable, bool) const final
    {
        auto noinline = callable->getAttrOfType<BoolAttr>("noinline");
        if (noinline && noinline.getValue() && !call->getParentOfType<ReduceOp>() &&
            !call->getParentOfType<ScanOp>() && !call->getParentOfType<MapElementwiseOp>())
            return false;
        auto function = dyn_cast<FuncOp>(callable);
        return function && (function.getBody().hasOneBlock() || isa<FuncOp>(call->getParentOp()));
    }
    bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
    bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }

    void handleTerminator(Operation *op, Block *after) const final
    {
        auto ret = dyn_cast<ReturnOp>(op);
        if (!ret)
            return;
        OpBuilder builder(op);
        cf_branch(builder, op->getLoc(), after, ret.getOperands());
        op->erase();
    }
    void handleTerminator(Operation *op, ValueRange results) const final
    {
        for (auto [result, operand] : llvm::zip(results, op->getOperands()))
            result.replaceAllUsesWith(operand);
    }

  private:
    static void cf_branch(OpBuilder &builder, Location loc, Block *to, ValueRange operands)
    {
        OperationState state(loc, "cf.br");
        state.addOperands(operands);
        state.addSuccessors(to);
        builder.create(state);
    }
};
} // namespace

void TTDialect::initialize()
{
    registerTypes();
    addOperations<
#define GET_OP_LIST
#include "tt_ops.cpp.inc"
        >();
    addInterfaces<Inliner>();
}

void TTDialect::registerTypes()
{
    addTypes<
#define GET_TYPEDEF_LIST
#include "tt_types.cpp.inc"
        >();
}

Operation *TTDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                          Location loc)
{
    return arith::ConstantOp::materialize(builder, value, type, loc);
}

// Types -------------------------------------------------------------------------------------------

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointee,
                                  int32_t addressSpace)
{
    if (!pointee.isIntOrFloat() && !isa<RankedTensorType, PointerType>(pointee))
        return emitError() << "a pointer can't point to " << pointee;
    if (addressSpace < 0)
        return emitError() << "address space must not be negative";
    return success();
}

// <f32>, <f32, 3> (up to 3.8), <f32, "constant"> (3.9). Constant memory is read as global memory:
// analyses derive from the program which memory is written.
Type PointerType::parse(AsmParser &parser)
{
    Type pointee;
    int32_t space = 1;
    std::string name;
    SMLoc begin = parser.getCurrentLocation();
    if (parser.parseLess() || parser.parseType(pointee))
        return {};
    if (succeeded(parser.parseOptionalComma())) {
        SMLoc at = parser.getCurrentLocation();
        if (failed(parser.parseOptionalString(&name))) {
            if (parser.parseInteger(space))
                return {};
        } else if (name != "global" && name != "constant") {
            parser.emitError(at)
                << "expected address space \"global\", \"constant\" or a number, got '" << name
                << "'";
            return {};
        }
    }
    if (parser.parseGreater())
        return {};
    return getChecked([&] { return parser.emitError(begin); }, parser.getContext(), pointee, space);
}

void PointerType::print(AsmPrinter &printer) const
{
    printer << '<' << getPointee();
    if (getAddressSpace() != 1)
        printer << ", " << getAddressSpace();
    printer << '>';
}

// <128x64xf16>, <tensor<128x64xf16>> (up to 3.7), each with an optional encoding after a comma or
// in the tensor.
Type TensorDescType::parse(AsmParser &parser)
{
    RankedTensorType block;
    if (parser.parseLess())
        return {};
    SMLoc at = parser.getCurrentLocation();
    SmallVector<int64_t> shape;
    Type element;
    Attribute encoding;
    OptionalParseResult whole = parser.parseOptionalType(element);
    if (whole.has_value()) {
        if (failed(*whole))
            return {};
        block = dyn_cast<RankedTensorType>(element);
        if (!block) {
            parser.emitError(at, "expected a tensor type or a shape and an element type");
            return {};
        }
    } else {
        if (parser.parseDimensionList(shape, false) || parser.parseType(element))
            return {};
        if (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(encoding))
            return {};
        block = RankedTensorType::getChecked([&] { return parser.emitError(at); }, shape, element,
                                             encoding);
    }
    if (!block || parser.parseGreater())
        return {};
    bool whole_sizes = llvm::all_of(
        block.getShape(), [](int64_t size) { return size > 0 && llvm::isPowerOf2_64(size); });
    if (block.getRank() == 0 || !whole_sizes) {
        parser.emitError(at, "a descriptor's block must have at least one dimension, and sizes "
                             "that are powers of two");
        return {};
    }
    return TensorDescType::get(parser.getContext(), block);
}

void TensorDescType::print(AsmPrinter &printer) const
{
    printer << '<' << getBlockType() << '>';
}

Type pointeeOf(Type pointer)
{
    if (auto ptr = dyn_cast<PointerType>(pointer))
        return ptr.getPointee();
    auto tensor = dyn_cast<RankedTensorType>(pointer);
    auto element = tensor ? dyn_cast<PointerType>(tensor.getElementType()) : PointerType();
    if (!element || !TensorType::isValidElementType(element.getPointee()))
        return {};
    return tensor.clone(element.getPointee());
}

Type boolsLike(Type like)
{
    Type i1 = IntegerType::get(like.getContext(), 1);
    if (auto tensor = dyn_cast<RankedTensorType>(like))
        return tensor.clone(i1);
    if (auto ptr = dyn_cast<PointerType>(like))
        if (auto block = dyn_cast<RankedTensorType>(ptr.getPointee()))
            return block.clone(i1);
    return i1;
}

Type elementPointerOf(Type blockPointer)
{
    auto ptr = dyn_cast<PointerType>(blockPointer);
    auto block = ptr ? dyn_cast<RankedTensorType>(ptr.getPointee()) : RankedTensorType();
    if (!block)
        return {};
    return PointerType::get(ptr.getContext(), block.getElementType(), ptr.getAddressSpace());
}

// Functions and calls -----------------------------------------------------------------------------

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result)
{
    auto build = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                    function_interface_impl::VariadicFlag,
                    std::string &) { return builder.getFunctionType(arguments, results); };
    return function_interface_impl::parseFunctionOp(
        parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), build,
        getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer)
{
    function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                             getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                             getResAttrsAttrName());
}

CallInterfaceCallable CallOp::getCallableForCallee()
{
    return getCalleeAttr();
}

void CallOp::setCalleeFromCallable(CallInterfaceCallable callee)
{
    setCalleeAttr(cast<FlatSymbolRefAttr>(cast<SymbolRefAttr>(callee)));
}

Operation::operand_range CallOp::getArgOperands()
{
    return getOperands();
}
MutableOperandRange CallOp::getArgOperandsMutable()
{
    return getOperandsMutable();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols)
{
    auto callee = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
    if (!callee)
        return emitOpError() << "calls '" << getCallee()
                             << "', which is not a function in this module";
    if (TypeRange(callee.getFunctionType().getInputs()) != TypeRange(getOperands()))
        return emitOpError() << "operand types don't match the function's, "
                             << callee.getFunctionType();
    if (TypeRange(callee.getFunctionType().getResults()) != TypeRange(getResults()))
        return emitOpError() << "result types don't match the function's, "
                             << callee.getFunctionType();
    return success();
}

LogicalResult ReturnOp::verify()
{
    auto function = cast<FuncOp>((*this)->getParentOp());
    if (TypeRange(function.getFunctionType().getResults()) != TypeRange(getOperands()))
        return emitOpError() << "operand types don't match the function's result types";
    return success();
}

} // namespace kiln::tt
