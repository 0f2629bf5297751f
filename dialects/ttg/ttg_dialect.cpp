// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the ttg dialect: the names that its encodings get at the top of a file, and that it may be inlined.
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
        const char *name = llvm::TypeSwitch<Attribute, const char *>(attribute)
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

} // namespace kiln::ttg
