// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the ttg dialect: aliases of its encodings, inlining, and the verifier of its
// module attributes.
//
// Note that passes divide by these counts and take their logarithms before a target is chosen, so
// counts that are not powers of two are rejected here; counts that gfx942 does not support are
// rejected when compiling for it (analysis/waves/waves.c).
#include "ttg/ttg_dialect.h"
#include "kiln/dialects.h"

#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "ttg_dialect.cpp.inc"

namespace kiln::ttg
{

namespace
{
struct Aliases : public OpAsmDialectInterface {
    using OpAsmDialectInterface::OpAsmDialectInterface;

    AliasResult getAlias(Attribute attribute, raw_ostream &os) const final
    {
        const char *name =
            llvm::TypeSwitch<Attribute, const char *>(attribute)
                .Case<BlockedAttr>([](auto) { return "blocked"; })
                .Case<MfmaAttr>([](auto) { return "mma"; })
                .Case<LinearAttr>([](auto) { return "linear"; })
                .Case<SwizzledSharedAttr, RotatingSharedAttr, PaddedSharedAttr, SharedLinearAttr>(
                    [](auto) { return "shared"; })
                .Case<SharedMemoryAttr>([](auto) { return "smem"; })
                .Default([](Attribute) { return nullptr; });
        if (!name)
            return AliasResult::NoAlias;
        os << name;
        return AliasResult::FinalAlias;
    }
};

struct Inliner : public DialectInlinerInterface {
    using DialectInlinerInterface::DialectInlinerInterface;
    bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
    bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void TTGDialect::initialize()
{
    registerAttributes();
    registerTypes();
    addInterfaces<Aliases, Inliner>();
}

// Prints a number without its type.
static std::string text(Attribute attribute)
{
    std::string written;
    llvm::raw_string_ostream stream(written);
    const auto number = dyn_cast<IntegerAttr>(attribute);
    if (number && !isa<BoolAttr>(attribute))
        number.getValue().print(stream, !number.getType().isUnsignedInteger());
    else
        attribute.print(stream);
    return written;
}

LogicalResult TTGDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute)
{
    static constexpr struct {
        llvm::StringLiteral name, why;
    } COUNTS[] = {{"ttg.num-ctas", "expected 1"},
                  {"ttg.num-warps", "expected a power of two from 1 to 16"},
                  {"ttg.threads-per-warp", "expected 64, the lanes of a gfx942 wave"}};
    constexpr uint64_t MAX = 1024; // of any target
    const StringRef name = attribute.getName();
    if (name == "ttg.target" && !isa<StringAttr>(attribute.getValue()))
        return op->emitError() << "the module's attribute \"" << name << "\" is "
                               << attribute.getValue() << "; expected a string, \"hip:gfx942\"";
    for (const auto &row : COUNTS) {
        if (name != row.name)
            continue;
        const auto number = dyn_cast<IntegerAttr>(attribute.getValue());
        if (!number || isa<BoolAttr>(attribute.getValue()) ||
            !number.getValue().isStrictlyPositive() || !number.getValue().isPowerOf2() ||
            number.getValue().ugt(MAX))
            return op->emitError() << "the module's attribute \"" << name << "\" is "
                                   << text(attribute.getValue()) << "; " << row.why;
    }
    return success();
}

} // namespace kiln::ttg
