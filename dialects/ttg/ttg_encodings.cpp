// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The encodings of ttg: text, verifiers of the parameters, and the ranks of the tensors that they
// fit.
//
// Note that older versions of Triton print other keys for the same layouts. A parameter that the
// text does not determine (an MFMA's K before 3.6) is an error, never guessed.
#include "kiln/dialects.h"
#include "ttg/encoding_text.h"
#include "ttg/ttg_dialect.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kiln::ttg
{

using Emit = function_ref<InFlightDiagnostic()>;

Attribute BlockedAttr::parse(AsmParser &parser, Type)
{
    if (parser.parseLess())
        return {};
    Keys keys(parser);
    if (!keys.read())
        return {};
    auto sizePerThread = keys.integers("sizePerThread"),
         threadsPerWarp = keys.integers("threadsPerWarp");
    auto warpsPerCTA = keys.integers("warpsPerCTA"), order = keys.integers("order");
    keys.ignoreCluster();
    if (!keys.finish() || parser.parseGreater())
        return {};
    return getChecked(keys.emitter(), parser.getContext(), sizePerThread, threadsPerWarp,
                      warpsPerCTA, order);
}

void BlockedAttr::print(AsmPrinter &printer) const
{
    printer << "<{sizePerThread = ";
    printInts(printer, getSizePerThread());
    printer << ", threadsPerWarp = ";
    printInts(printer, getThreadsPerWarp());
    printer << ", warpsPerCTA = ";
    printInts(printer, getWarpsPerCTA());
    printer << ", order = ";
    printInts(printer, getOrder());
    printer << "}>";
}

LogicalResult BlockedAttr::verify(Emit emit, ArrayRef<int32_t> sizePerThread,
                                  ArrayRef<int32_t> threadsPerWarp, ArrayRef<int32_t> warpsPerCTA,
                                  ArrayRef<int32_t> order)
{
    if (!isPermutation(order) || sizePerThread.size() != order.size() ||
        threadsPerWarp.size() != order.size() || warpsPerCTA.size() != order.size())
        return emit() << "a blocked encoding's lists must have one length, at most "
                      << KILN_MAX_RANK << ", and order be a permutation";
    for (auto list : {sizePerThread, threadsPerWarp, warpsPerCTA})
        if (!llvm::all_of(list, isPowerOfTwo))
            return emit() << "a blocked encoding's sizes must be powers of two";
    return success();
}

Attribute SliceAttr::parse(AsmParser &parser, Type)
{
    if (parser.parseLess())
        return {};
    Keys keys(parser);
    if (!keys.read())
        return {};
    unsigned dim = keys.integer("dim");
    Attribute parent = keys.attribute("parent");
    if (!keys.finish() || parser.parseGreater())
        return {};
    return getChecked(keys.emitter(), parser.getContext(), dim, parent);
}

void SliceAttr::print(AsmPrinter &printer) const
{
    printer << "<{dim = " << getDim() << ", parent = " << getParent() << "}>";
}

LogicalResult SliceAttr::verify(Emit emit, unsigned dim, Attribute parent)
{
    if (rankOf(parent) < 2 || isSharedEncoding(parent) || dim >= rankOf(parent))
        return emit() << "a slice encoding needs a distributed parent of at least two dimensions, "
                         "among them 'dim'";
    return success();
}

Attribute DotOperandAttr::parse(AsmParser &parser, Type)
{
    if (parser.parseLess())
        return {};
    Keys keys(parser);
    if (!keys.read())
        return {};
    unsigned opIdx = keys.integer("opIdx");
    Attribute parent = keys.attribute("parent");
    unsigned kWidth = keys.integer("kWidth", 0);
    if (!keys.finish() || parser.parseGreater())
        return {};
    return getChecked(keys.emitter(), parser.getContext(), opIdx, parent, kWidth);
}

void DotOperandAttr::print(AsmPrinter &printer) const
{
    printer << "<{opIdx = " << getOpIdx() << ", parent = " << getParent();
    if (getKWidth())
        printer << ", kWidth = " << getKWidth();
    printer << "}>";
}

LogicalResult DotOperandAttr::verify(Emit emit, unsigned opIdx, Attribute parent, unsigned kWidth)
{
    if (opIdx > 1)
        return emit() << "a dot operand encoding's opIdx must be 0 or 1";
    if (!isa_and_nonnull<BlockedAttr, MfmaAttr>(parent) || rankOf(parent) < 2)
        return emit() << "a dot operand encoding needs a blocked or an MFMA parent of at least two "
                         "dimensions";
    if (isa<MfmaAttr>(parent) && (kWidth > 64 || !isPowerOfTwo(static_cast<int32_t>(kWidth))))
        return emit() << "a dot operand encoding of an MFMA layout needs a power of two as kWidth";
    if (isa<BlockedAttr>(parent) && kWidth)
        return emit() << "a dot operand encoding of a blocked layout has no kWidth";
    return success();
}

Attribute MfmaAttr::parse(AsmParser &parser, Type)
{
    if (parser.parseLess())
        return {};
    Keys keys(parser);
    if (!keys.read())
        return {};
    // Up to 3.4: versionMajor and versionMinor; up to 3.5: instrShape without K, which becomes 0:
    // each dot's operands determine it.
    unsigned version =
        keys.has("versionMajor") ? keys.integer("versionMajor") : keys.integer("version");
    keys.integer("versionMinor", 0);
    auto warpsPerCTA = keys.integers("warpsPerCTA"), instrShape = keys.integers("instrShape");
    if (instrShape.size() == 2)
        instrShape.push_back(0);
    bool isTransposed = keys.boolean("isTransposed");
    SmallVector<int32_t> ones(warpsPerCTA.size(), 1);
    auto tilesPerWarp = keys.integers("tilesPerWarp", ones);
    unsigned bits = keys.integer("elementBitWidth", 32);
    keys.ignoreCluster();
    if (!keys.finish() || parser.parseGreater())
        return {};
    return getChecked(keys.emitter(), parser.getContext(), version, warpsPerCTA, instrShape,
                      isTransposed, tilesPerWarp, bits);
}

void MfmaAttr::print(AsmPrinter &printer) const
{
    printer << "<{version = " << getVersion() << ", warpsPerCTA = ";
    printInts(printer, getWarpsPerCTA());
    printer << ", instrShape = ";
    printInts(printer, getInstrShape().drop_back(getInstrShape().back() == 0));
    printer << ", isTransposed = " << (getIsTransposed() ? "true" : "false");
    if (llvm::any_of(getTilesPerWarp(), [](int32_t n) { return n != 1; })) {
        printer << ", tilesPerWarp = ";
        printInts(printer, getTilesPerWarp());
    }
    if (getElementBitWidth() != 32)
        printer << ", elementBitWidth = " << getElementBitWidth();
    printer << "}>";
}

LogicalResult MfmaAttr::verify(Emit emit, unsigned version, ArrayRef<int32_t> warpsPerCTA,
                               ArrayRef<int32_t> instrShape, bool isTransposed,
                               ArrayRef<int32_t> tilesPerWarp, unsigned elementBitWidth)
{
    if (version > 4)
        return emit() << "expected an MFMA version from 0 to 4, got " << version;
    if ((warpsPerCTA.size() != 2 && warpsPerCTA.size() != 3) ||
        tilesPerWarp.size() != warpsPerCTA.size() || !llvm::all_of(warpsPerCTA, isPowerOfTwo) ||
        !llvm::all_of(tilesPerWarp, isPowerOfTwo))
        return emit() << "an MFMA encoding's warpsPerCTA and tilesPerWarp must hold two or three "
                         "powers of two";
    if (instrShape.size() != 3)
        return emit() << "an MFMA encoding's instrShape must be [M, N, K]";
    int32_t m = instrShape[0], n = instrShape[1];
    bool known =
        (m == 32 && n == 32) || (m == 16 && n == 16) || (m == 64 && n == 4) || (m == 4 && n == 64);
    if (!known || (instrShape[2] != 0 && !isPowerOfTwo(instrShape[2])) || instrShape[2] > 128)
        return emit() << "unsupported MFMA instruction shape [" << m << ", " << n << ", "
                      << instrShape[2] << "]";
    if ((m == 64 && !isTransposed) || (m == 4 && isTransposed))
        return emit() << "an MFMA of 64 by 4 must be transposed, one of 4 by 64 must not";
    if (elementBitWidth != 32 && (elementBitWidth != 64 || m != 16))
        return emit() << "an MFMA encoding's elementBitWidth must be 32, or 64 with 16 by 16";
    return success();
}

static LogicalResult verifyBases(Emit emit, unsigned rank, ArrayRef<int32_t> bits,
                                 ArrayRef<int32_t> bases)
{
    size_t count = 0;
    for (int32_t n : bits)
        count += static_cast<size_t>(n);
    if (rank == 0 || rank > KILN_MAX_RANK || count > 64 || bases.size() != count * rank)
        return emit() << "a linear encoding needs 1 to 64 vectors of 1 to " << KILN_MAX_RANK
                      << " coordinates";
    for (int32_t coordinate : bases)
        if (coordinate < 0 || coordinate >= (1 << 20))
            return emit() << "a linear encoding's coordinate is out of range";
    return success();
}

Attribute LinearAttr::parse(AsmParser &parser, Type)
{
    if (parser.parseLess())
        return {};
    Keys keys(parser);
    if (!keys.read())
        return {};
    unsigned rank = 0;
    SmallVector<int32_t> bits, bases;
    for (StringRef key : {"register", "lane", "warp", "block"})
        keys.bases(key, rank, bits, bases);
    if (!keys.finish() || parser.parseGreater())
        return {};
    return getChecked(keys.emitter(), parser.getContext(), rank, bits, bases);
}

void LinearAttr::print(AsmPrinter &printer) const
{
    ArrayRef<int32_t> rest = getBases();
    printer << "<{";
    const StringRef keys[] = {"register", "lane", "warp", "block"};
    for (auto [i, key] : llvm::enumerate(keys)) {
        if (i)
            printer << ", ";
        printBases(printer, key, getRank(), rest, getBits()[i]);
    }
    printer << "}>";
}

LogicalResult LinearAttr::verify(Emit emit, unsigned rank, ArrayRef<int32_t> bits,
                                 ArrayRef<int32_t> bases)
{
    if (bits.size() != 4 || bits[3] != 0)
        return emit()
               << "a linear encoding must have register, lane and warp bits, and no block bits";
    return verifyBases(emit, rank, bits, bases);
}

// <{offset = [[0, 1], …]}, alignment = 16>, with or without a `block = []`
Attribute SharedLinearAttr::parse(AsmParser &parser, Type)
{
    if (parser.parseLess())
        return {};
    Keys keys(parser);
    if (!keys.read())
        return {};
    unsigned rank = 0, alignment = 16;
    SmallVector<int32_t> bits, bases;
    keys.bases("offset", rank, bits, bases);
    keys.optionalBases("block", rank, bits, bases);
    if (!keys.finish())
        return {};
    if (succeeded(parser.parseOptionalComma()) &&
        (parser.parseKeyword("alignment") || parser.parseEqual() || parser.parseInteger(alignment)))
        return {};
    if (parser.parseGreater())
        return {};
    return getChecked(keys.emitter(), parser.getContext(), rank, bits, bases, alignment);
}

void SharedLinearAttr::print(AsmPrinter &printer) const
{
    ArrayRef<int32_t> rest = getBases();
    printer << "<{";
    printBases(printer, "offset", getRank(), rest, getBits()[0]);
    printer << "}, alignment = " << getAlignment() << '>';
}

LogicalResult SharedLinearAttr::verify(Emit emit, unsigned rank, ArrayRef<int32_t> bits,
                                       ArrayRef<int32_t> bases, unsigned alignment)
{
    if (bits.size() != 2 || bits[1] != 0)
        return emit() << "a shared linear encoding must have offset bits, and no block bits";
    if (!isPowerOfTwo(static_cast<int32_t>(alignment)))
        return emit() << "alignment must be a power of two";
    return verifyBases(emit, rank, bits, bases);
}

template <typename Swizzled> static Attribute parseSwizzled(AsmParser &parser)
{
    if (parser.parseLess())
        return {};
    Keys keys(parser);
    if (!keys.read())
        return {};
    unsigned vec = keys.integer("vec"), perPhase = keys.integer("perPhase"),
             maxPhase = keys.integer("maxPhase");
    auto order = keys.integers("order");
    keys.ignoreCluster();
    if (!keys.finish() || parser.parseGreater())
        return {};
    return Swizzled::getChecked(keys.emitter(), parser.getContext(), vec, perPhase, maxPhase,
                                order);
}

template <typename Swizzled> static void printSwizzled(Swizzled attribute, AsmPrinter &printer)
{
    printer << "<{vec = " << attribute.getVec() << ", perPhase = " << attribute.getPerPhase()
            << ", maxPhase = " << attribute.getMaxPhase() << ", order = ";
    printInts(printer, attribute.getOrder());
    printer << "}>";
}

static LogicalResult verifySwizzled(Emit emit, unsigned vec, unsigned perPhase, unsigned maxPhase,
                                    ArrayRef<int32_t> order)
{
    for (unsigned value : {vec, perPhase, maxPhase})
        if (!isPowerOfTwo(static_cast<int32_t>(value)))
            return emit()
                   << "a swizzled encoding's vec, perPhase and maxPhase must be powers of two";
    if (!isPermutation(order))
        return emit() << "a swizzled encoding's order must be a permutation";
    return success();
}

Attribute SwizzledSharedAttr::parse(AsmParser &parser, Type)
{
    return parseSwizzled<SwizzledSharedAttr>(parser);
}
void SwizzledSharedAttr::print(AsmPrinter &printer) const
{
    printSwizzled(*this, printer);
}
LogicalResult SwizzledSharedAttr::verify(Emit emit, unsigned vec, unsigned perPhase,
                                         unsigned maxPhase, ArrayRef<int32_t> order)
{
    return verifySwizzled(emit, vec, perPhase, maxPhase, order);
}

Attribute RotatingSharedAttr::parse(AsmParser &parser, Type)
{
    return parseSwizzled<RotatingSharedAttr>(parser);
}
void RotatingSharedAttr::print(AsmPrinter &printer) const
{
    printSwizzled(*this, printer);
}
LogicalResult RotatingSharedAttr::verify(Emit emit, unsigned vec, unsigned perPhase,
                                         unsigned maxPhase, ArrayRef<int32_t> order)
{
    return verifySwizzled(emit, vec, perPhase, maxPhase, order);
}

// <[512:+16, …] {order = [1, 0], shape = [128, 64]}> or <[512:+16] {offset = [[0, 1], …], block =
// []}>
Attribute PaddedSharedAttr::parse(AsmParser &parser, Type)
{
    SmallVector<int32_t> intervals, paddings, order, shape, bits, bases;
    auto pair = [&]() -> ParseResult {
        int32_t interval, padding;
        if (parser.parseInteger(interval) || parser.parseColon() || parser.parsePlus() ||
            parser.parseInteger(padding))
            return failure();
        intervals.push_back(interval);
        paddings.push_back(padding);
        return success();
    };
    if (parser.parseLess() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, pair))
        return {};
    Keys keys(parser);
    if (!keys.read())
        return {};
    unsigned rank = 0;
    if (keys.has("offset")) {
        keys.bases("offset", rank, bits, bases);
        keys.optionalBases("block", rank, bits, bases);
    } else {
        order = keys.integers("order");
        shape = keys.integers("shape");
        rank = static_cast<unsigned>(order.size());
        keys.ignoreCluster();
    }
    if (!keys.finish() || parser.parseGreater())
        return {};
    return getChecked(keys.emitter(), parser.getContext(), intervals, paddings, order, shape, rank,
                      bits, bases);
}

void PaddedSharedAttr::print(AsmPrinter &printer) const
{
    printer << "<[";
    llvm::interleaveComma(llvm::zip(getIntervals(), getPaddings()), printer, [&](auto pair) {
        printer << std::get<0>(pair) << ":+" << std::get<1>(pair);
    });
    printer << "] {";
    if (getOrder().empty()) {
        ArrayRef<int32_t> rest = getBases();
        printBases(printer, "offset", getRank(), rest, getBits()[0]);
        printer << ", ";
        printBases(printer, "block", getRank(), rest, getBits()[1]);
    } else {
        printer << "order = ";
        printInts(printer, getOrder());
        printer << ", shape = ";
        printInts(printer, getShape());
    }
    printer << "}>";
}

LogicalResult PaddedSharedAttr::verify(Emit emit, ArrayRef<int32_t> intervals,
                                       ArrayRef<int32_t> paddings, ArrayRef<int32_t> order,
                                       ArrayRef<int32_t> shape, unsigned rank,
                                       ArrayRef<int32_t> bits, ArrayRef<int32_t> bases)
{
    if (intervals.empty() || intervals.size() > KILN_MAX_PADDINGS ||
        intervals.size() != paddings.size() || !llvm::all_of(intervals, isPowerOfTwo) ||
        !llvm::all_of(paddings, isPowerOfTwo))
        return emit() << "a padded encoding needs 1 to " << static_cast<int>(KILN_MAX_PADDINGS)
                      << " pairs of an interval and a padding, powers of two";
    if (order.empty())
        return bits.size() == 2 && bits[1] == 0
                   ? verifyBases(emit, rank, bits, bases)
                   : emit() << "a padded encoding can't have block bits";
    if (!isPermutation(order) || shape.size() != order.size() || !llvm::all_of(shape, isPowerOfTwo))
        return emit() << "a padded encoding's order must be a permutation, its shape powers of two";
    return success();
}

// Encodings on tensors ----------------------------------------------------------------------------

unsigned rankOf(Attribute encoding)
{
    return llvm::TypeSwitch<Attribute, unsigned>(encoding)
        .Case<BlockedAttr, SwizzledSharedAttr, RotatingSharedAttr>(
            [](auto a) { return static_cast<unsigned>(a.getOrder().size()); })
        .Case<SliceAttr>([](SliceAttr a) { return rankOf(a.getParent()) - 1; })
        .Case<DotOperandAttr>([](DotOperandAttr a) { return rankOf(a.getParent()); })
        .Case<MfmaAttr>([](MfmaAttr a) { return static_cast<unsigned>(a.getWarpsPerCTA().size()); })
        .Case<LinearAttr, SharedLinearAttr, PaddedSharedAttr>([](auto a) { return a.getRank(); })
        .Default([](Attribute) { return 0u; });
}

bool isSharedEncoding(Attribute encoding)
{
    return isa_and_nonnull<SwizzledSharedAttr, RotatingSharedAttr, PaddedSharedAttr,
                           SharedLinearAttr>(encoding);
}

static LogicalResult verifyOnTensor(Attribute encoding, ArrayRef<int64_t> shape, Emit emit)
{
    if (rankOf(encoding) != shape.size())
        return emit() << encoding << " is for " << rankOf(encoding)
                      << " dimensions, the tensor has " << shape.size();
    return success();
}

#define KILN_VERIFY_ENCODING(Class)                                                                \
    LogicalResult Class::verifyEncoding(ArrayRef<int64_t> shape, Type, Emit emit) const            \
    {                                                                                              \
        return verifyOnTensor(*this, shape, emit);                                                 \
    }
KILN_VERIFY_ENCODING(BlockedAttr)
KILN_VERIFY_ENCODING(SliceAttr)
KILN_VERIFY_ENCODING(DotOperandAttr)
KILN_VERIFY_ENCODING(MfmaAttr)
KILN_VERIFY_ENCODING(LinearAttr)
KILN_VERIFY_ENCODING(SharedLinearAttr)
KILN_VERIFY_ENCODING(SwizzledSharedAttr)
KILN_VERIFY_ENCODING(RotatingSharedAttr)
KILN_VERIFY_ENCODING(PaddedSharedAttr)
#undef KILN_VERIFY_ENCODING

} // namespace kiln::ttg

// After the definitions above: the generated code calls them.
#define GET_ATTRDEF_CLASSES
#include "ttg_attrs.cpp.inc"

namespace kiln::ttg
{

void TTGDialect::registerAttributes()
{
    addAttributes<
#define GET_ATTRDEF_LIST
#include "ttg_attrs.cpp.inc"
        >();
}

} // namespace kiln::ttg
