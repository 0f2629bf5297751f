// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces forms that Triton 3.9 prints by forms that the passes know.
//
//   {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>}  →  cache = 3, evict = 2
//   tt.atomic_store release, gpu, %p, %v, %m  →  tt.atomic_rmw exch, release, gpu, %p, %v, %m, result unused
//
// Note that the parser accepts the policy as an attribute of any operation. An operation without a
// cache modifier would ignore it silently, so there it is an error.
#include "tt/tt_dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace kiln::tt
{

static constexpr StringLiteral POLICY = "cachePolicy", MODIFIER = "cache_modifier",
                               EVICTION = "eviction_policy";

template <typename Enum>
static ParseResult parseChoice(AsmParser &parser, StringRef key,
                               std::optional<Enum> (*read)(StringRef), Attribute &out)
{
    StringRef word;
    if (parser.parseKeyword(key) || parser.parseEqual())
        return failure();
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
        return failure();
    std::optional<Enum> value = read(word);
    if (!value)
        return parser.emitError(at) << "unknown " << key << " '" << word << "'";
    out = parser.getBuilder().getI32IntegerAttr(static_cast<int32_t>(*value));
    return success();
}

Attribute TTDialect::parseAttribute(DialectAsmParser &parser, Type) const
{
    StringRef name;
    Attribute modifier, eviction;
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
        return {};
    if (name != "cache_policy") {
        parser.emitError(at) << "unknown attribute '#tt." << name << "'";
        return {};
    }
    if (parser.parseLess() ||
        parseChoice<CacheModifier>(parser, MODIFIER, symbolizeCacheModifier, modifier) ||
        parser.parseComma() ||
        parseChoice<EvictionPolicy>(parser, EVICTION, symbolizeEvictionPolicy, eviction) ||
        parser.parseGreater())
        return {};
    Builder &b = parser.getBuilder();
    return b.getDictionaryAttr(
        {b.getNamedAttr(MODIFIER, modifier), b.getNamedAttr(EVICTION, eviction)});
}

static LogicalResult takePolicy(Operation *op, Attribute policy)
{
    auto both = dyn_cast<DictionaryAttr>(policy);
    auto modifier = both ? both.getAs<IntegerAttr>(MODIFIER) : IntegerAttr();
    auto eviction = both ? both.getAs<IntegerAttr>(EVICTION) : IntegerAttr();
    if (!modifier || !eviction ||
        !symbolizeCacheModifier(static_cast<uint32_t>(modifier.getInt())) ||
        !symbolizeEvictionPolicy(static_cast<uint32_t>(eviction.getInt())))
        return op->emitError()
               << "cachePolicy must be #tt.cache_policy<cache_modifier = …, eviction_policy = …>";
    ArrayRef<StringAttr> names = op->getName().getAttributeNames();
    if (!llvm::is_contained(names, "cache"))
        return op->emitError() << "'" << op->getName() << "' does not support cachePolicy";
    op->setAttr("cache", modifier);
    if (llvm::is_contained(names, "evict")) // buffer operations take no eviction policy
        op->setAttr("evict", eviction);
    op->removeDiscardableAttr(POLICY);
    return success();
}

static void exchange(AtomicStoreOp store)
{
    OpBuilder builder(store);
    Value value = store.getVal();
    auto swap =
        AtomicRMWOp::create(builder, store.getLoc(), value.getType(), RMWOp::XCHG, store.getPtr(),
                            value, store.getMask(), store.getSem(), store.getScope());
    swap->setDiscardableAttrs(store->getDiscardableAttrDictionary());
    store.erase();
}

LogicalResult normalizeForms(Operation *root)
{
    auto policy = StringAttr::get(root->getContext(), POLICY);
    WalkResult walked = root->walk([&](Operation *op) {
        if (Attribute found = op->getDiscardableAttr(policy);
            found && failed(takePolicy(op, found)))
            return WalkResult::interrupt();
        if (auto store = dyn_cast<AtomicStoreOp>(op))
            exchange(store);
        return WalkResult::advance();
    });
    return failure(walked.wasInterrupted());
}

} // namespace kiln::tt
