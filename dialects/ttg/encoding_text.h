// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and prints the parameters of an encoding.
//
// An encoding is parsed as an MLIR dictionary and then read by key, so that keys may be in any
// order, older versions' keys are accepted, and an unknown key is an error. Note that a cluster has
// one CTA on this target, so keys about clusters are only checked to request nothing else.
#ifndef KILN_TTG_ENCODING_TEXT_H
#define KILN_TTG_ENCODING_TEXT_H

#include "kiln/dialects.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallBitVector.h"

namespace kiln::ttg
{

using namespace mlir;

// One encoding's dictionary. Getters record the first problem; finish() reports it, or a key that
// was never read.
class Keys
{
  public:
    explicit Keys(AsmParser &theParser) : parser(theParser), at(parser.getCurrentLocation()) {}

    bool read() { return succeeded(parser.parseAttribute(dictionary)); }
    bool has(StringRef key) const { return static_cast<bool>(dictionary.get(key)); }

    Attribute attribute(StringRef key)
    {
        Attribute value = take(key);
        if (!value)
            fail("lacks '" + key + "'");
        return value;
    }

    unsigned integer(StringRef key)
    {
        auto value = dyn_cast_or_null<IntegerAttr>(take(key));
        if (!value || value.getValue().getBitWidth() > 64 || value.getInt() < 0 ||
            value.getInt() > INT32_MAX) {
            fail("needs a number as '" + key + "'");
            return 0;
        }
        return static_cast<unsigned>(value.getInt());
    }
    unsigned integer(StringRef key, unsigned otherwise)
    {
        return has(key) ? integer(key) : otherwise;
    }

    bool boolean(StringRef key)
    {
        auto value = dyn_cast_or_null<BoolAttr>(take(key));
        if (!value)
            fail("needs true or false as '" + key + "'");
        return value && value.getValue();
    }

    SmallVector<int32_t> integers(StringRef key)
    {
        SmallVector<int32_t> out;
        if (!append(take(key), out))
            fail("needs a list of numbers as '" + key + "'");
        return out;
    }
    SmallVector<int32_t> integers(StringRef key, ArrayRef<int32_t> otherwise)
    {
        return has(key) ? integers(key) : SmallVector<int32_t>(otherwise);
    }

    // Appends the vectors of one input dimension and their number; all vectors of an encoding have
    // one length.
    void bases(StringRef key, unsigned &rank, SmallVectorImpl<int32_t> &bits,
               SmallVectorImpl<int32_t> &out)
    {
        auto list = dyn_cast_or_null<ArrayAttr>(take(key));
        if (!list)
            return fail("needs a list of vectors as '" + key + "'");
        for (Attribute vector : list) {
            size_t begin = out.size();
            if (!append(vector, out) || out.size() == begin || (rank && out.size() - begin != rank))
                return fail("needs vectors of one length as '" + key + "'");
            rank = static_cast<unsigned>(out.size() - begin);
        }
        bits.push_back(static_cast<int32_t>(list.size()));
    }

    void optionalBases(StringRef key, unsigned &rank, SmallVectorImpl<int32_t> &bits,
                       SmallVectorImpl<int32_t> &out)
    {
        if (has(key))
            bases(key, rank, bits, out);
        else
            bits.push_back(0);
    }

    // Keys of clusters: CGALayout = [[0, 0]], CTAsPerCGA = [1, 1], CTASplitNum = [1, 1], CTAOrder =
    // [1, 0].
    void ignoreCluster()
    {
        for (StringRef key : {"CTAsPerCGA", "CTASplitNum"})
            if (has(key) && llvm::any_of(integers(key), [](int32_t n) { return n != 1; }))
                fail("must use one workgroup in '" + key + "'");
        take("CTAOrder");
        if (auto layout = dyn_cast_or_null<ArrayAttr>(take("CGALayout")); layout && !layout.empty())
            fail("must use one workgroup in 'CGALayout'");
    }

    bool finish()
    {
        for (NamedAttribute entry : dictionary)
            if (problem.empty() && !llvm::is_contained(taken, entry.getName().getValue()))
                problem = ("has unknown key '" + entry.getName().getValue() + "'").str();
        if (problem.empty())
            return true;
        parser.emitError(at, "the encoding ") << problem;
        return false;
    }

    function_ref<InFlightDiagnostic()> emitter() { return emit; }

  private:
    Attribute take(StringRef key)
    {
        taken.push_back(key);
        return dictionary.get(key);
    }
    void fail(const Twine &what)
    {
        if (problem.empty())
            problem = what.str();
    }
    static bool append(Attribute value, SmallVectorImpl<int32_t> &out)
    {
        auto list = dyn_cast_or_null<ArrayAttr>(value);
        if (!list)
            return false;
        for (Attribute item : list) {
            auto number = dyn_cast<IntegerAttr>(item);
            if (!number || number.getValue().getBitWidth() > 64 || number.getInt() < 0 ||
                number.getInt() > INT32_MAX)
                return false;
            out.push_back(static_cast<int32_t>(number.getInt()));
        }
        return true;
    }

    AsmParser &parser;
    SMLoc at;
    DictionaryAttr dictionary;
    SmallVector<StringRef> taken;
    std::string problem;
    std::function<InFlightDiagnostic()> emit = [this] { return parser.emitError(at); };
};

inline void printInts(AsmPrinter &printer, ArrayRef<int32_t> values)
{
    printer << '[';
    llvm::interleaveComma(values, printer);
    printer << ']';
}

inline void printBases(AsmPrinter &printer, StringRef key, unsigned rank, ArrayRef<int32_t> &rest,
                       int32_t bits)
{
    printer << key << " = [";
    for (int32_t i = 0; i < bits; ++i) {
        if (i)
            printer << ", ";
        printInts(printer, rest.take_front(rank));
        rest = rest.drop_front(rank);
    }
    printer << ']';
}

inline bool isPowerOfTwo(int32_t value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

inline bool isPermutation(ArrayRef<int32_t> order)
{
    llvm::SmallBitVector seen(static_cast<unsigned>(order.size()));
    for (int32_t dim : order) {
        if (dim < 0 || static_cast<size_t>(dim) >= order.size() || seen[static_cast<unsigned>(dim)])
            return false;
        seen.set(static_cast<unsigned>(dim));
    }
    return !order.empty() && order.size() <= KILN_MAX_RANK;
}

} // namespace kiln::ttg

#endif
