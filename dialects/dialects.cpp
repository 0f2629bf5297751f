// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C binding of the dialects: kiln/dialects.h over the C++ classes.
//
// Operations are identified by MLIR's type id of their class, which is the same in every context of
// a process; the table from ids to kiln_op_t is built once, from the first context that loads the
// dialects.
#include "kiln/dialects.h"

#include <mutex>
#include <sys/mman.h>

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "amdg/amdg_dialect.h"
#include "ttg/ttg_dialect.h"

using namespace mlir;
using namespace kiln;

// Operations --------------------------------------------------------------------------------------

static const char *const OP_NAMES[] = {
    "",
#define KILN_OP(id, name) name,
#include "ops.def"
#undef KILN_OP
};

namespace
{
// Open addressing; never more than half full. Read-only once it is built.
struct OpTable {
    static constexpr size_t SIZE = 1024;
    static_assert(2 * KILN_OP_COUNT < SIZE, "the table of operations is too small");
    const void *ids[SIZE] = {};
    uint16_t kinds[SIZE] = {};

    static size_t slotOf(const void *id)
    {
        return (reinterpret_cast<uintptr_t>(id) >> 3) * 0x9E3779B97F4A7C15u >> (64 - 10);
    }
    void insert(const void *id, uint16_t kind)
    {
        size_t slot = slotOf(id);
        while (ids[slot])
            slot = (slot + 1) % SIZE;
        ids[slot] = id;
        kinds[slot] = kind;
    }
    kiln_op_t find(const void *id) const
    {
        for (size_t slot = slotOf(id); ids[slot]; slot = (slot + 1) % SIZE)
            if (ids[slot] == id)
                return static_cast<kiln_op_t>(kinds[slot]);
        return KILN_OP_UNKNOWN;
    }
};
} // namespace

static OpTable opTable;
static std::once_flag opTableOnce;

static void makeOpTable(MLIRContext *context)
{
    for (unsigned kind = 1; kind < KILN_OP_COUNT; ++kind)
        if (auto name = RegisteredOperationName::lookup(OP_NAMES[kind], context))
            opTable.insert(name->getTypeID().getAsOpaquePointer(), static_cast<uint16_t>(kind));
    // ROCDL may not be loaded in the first context.
    auto rocdl = [](TypeID id, kiln_op_t kind) {
        opTable.insert(id.getAsOpaquePointer(), static_cast<uint16_t>(kind));
    };
    rocdl(TypeID::get<ROCDL::SetPrioOp>(), KILN_OP_ROCDL_S_SETPRIO);
    rocdl(TypeID::get<ROCDL::SchedBarrier>(), KILN_OP_ROCDL_SCHED_BARRIER);
    rocdl(TypeID::get<ROCDL::SchedGroupBarrier>(), KILN_OP_ROCDL_SCHED_GROUP_BARRIER);
    rocdl(TypeID::get<ROCDL::IglpOpt>(), KILN_OP_ROCDL_IGLP_OPT);
    rocdl(TypeID::get<ROCDL::SBarrierOp>(), KILN_OP_ROCDL_S_BARRIER);
    rocdl(TypeID::get<ROCDL::SWaitcntOp>(), KILN_OP_ROCDL_S_WAITCNT);
    rocdl(TypeID::get<ROCDL::ThreadIdXOp>(), KILN_OP_ROCDL_WORKITEM_ID_X);
}

// MLIR does not check its allocations for the tables of its operations' interfaces, 0.4 MiB in all.
// So a larger allocation is tried first.
static bool has_room_for_tables()
{
    const size_t bytes = size_t{1} << 20;
    void *room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && munmap(room, bytes) == 0;
}

bool kiln_context_load_dialects(MlirContext context)
{
    if (!has_room_for_tables())
        return false;
    MLIRContext *c = unwrap(context);
    // Most programs have none of these operations, so the parser loads their dialect on first use.
    DialectRegistry registry;
    registry.insert<ROCDL::ROCDLDialect>();
    c->appendDialectRegistry(registry);
    c->loadDialect<tt::TTDialect, ttg::TTGDialect, amdg::AMDGDialect, arith::ArithDialect,
                   math::MathDialect, scf::SCFDialect, cf::ControlFlowDialect, ub::UBDialect,
                   gpu::GPUDialect, LLVM::LLVMDialect>();
    std::call_once(opTableOnce, makeOpTable, c);
    return true;
}

kiln_op_t kiln_op_kind(MlirOperation op)
{
    return opTable.find(unwrap(op)->getName().getTypeID().getAsOpaquePointer());
}

// MLIR's own verifier assumes that a switch with cases has their values and as many operands as its
// segments require.
static LogicalResult verifySwitch(cf::SwitchOp op)
{
    DenseI32ArrayAttr segments = op.getCaseOperandSegmentsAttr();
    int64_t cases = static_cast<int64_t>(op->getNumSuccessors()) - 1, operands = 0;
    bool isRight = segments && segments.size() == cases && (cases == 0 || op.getCaseValuesAttr());
    for (int32_t size : segments &&isRight ? segments.asArrayRef() : ArrayRef<int32_t>()) {
        isRight &= size >= 0;
        operands += size;
    }
    if (isRight && operands == op.getProperties().operandSegmentSizes[2])
        return success();
    return op.emitOpError("has cases without their values or operands");
}

// Operations are created with default attributes. If bytecode gives such an attribute another type,
// the operation has none, which verifiers and printers do not expect.
static LogicalResult verifyDefaults(Operation *op)
{
    if (!op->getPropertiesStorageSize())
        return success();
    llvm::hash_code before = op->hashProperties();
    op->getName().populateDefaultProperties(op->getPropertiesStorage());
    return before == op->hashProperties() ? success()
                                          : op->emitOpError("has an attribute of the wrong type");
}

MlirOperation kiln_parse_module(MlirContext context, MlirStringRef source, MlirStringRef name)
{
    ParserConfig config(unwrap(context), /*verifyAfterParse=*/false);
    OwningOpRef<Operation *> op = parseSourceString(unwrap(source), config, unwrap(name));
    if (!op)
        return {nullptr};
    WalkResult walked = op->walk([](Operation *each) {
        auto choice = dyn_cast<cf::SwitchOp>(each);
        bool isRight =
            succeeded(verifyDefaults(each)) && (!choice || succeeded(verifySwitch(choice)));
        return isRight ? WalkResult::advance() : WalkResult::interrupt();
    });
    return walked.wasInterrupted() || failed(verify(*op)) ? MlirOperation{nullptr}
                                                          : wrap(op.release());
}

bool kiln_normalize_forms(MlirOperation root)
{
    return succeeded(tt::normalizeForms(unwrap(root)));
}

const char *kiln_op_name(kiln_op_t kind)
{
    return kind < KILN_OP_COUNT ? OP_NAMES[kind] : "";
}

// Types -------------------------------------------------------------------------------------------

bool kiln_type_is_ptr(MlirType type)
{
    return isa<tt::PointerType>(unwrap(type));
}
MlirType kiln_ptr_type(MlirType pointee, int address_space)
{
    return wrap(tt::PointerType::get(unwrap(pointee).getContext(), unwrap(pointee), address_space));
}
MlirType kiln_ptr_pointee(MlirType ptr)
{
    return wrap(cast<tt::PointerType>(unwrap(ptr)).getPointee());
}
int kiln_ptr_address_space(MlirType ptr)
{
    return cast<tt::PointerType>(unwrap(ptr)).getAddressSpace();
}

static ttg::MemDescType memdesc(MlirType type)
{
    return cast<ttg::MemDescType>(unwrap(type));
}

bool kiln_type_is_memdesc(MlirType type)
{
    return isa<ttg::MemDescType>(unwrap(type));
}
MlirType kiln_memdesc_type(int rank, const int64_t *shape, MlirType element, MlirAttribute encoding,
                           MlirAttribute memory_space, bool is_mutable, const int64_t *alloc_shape)
{
    ArrayRef<int64_t> dims(shape, static_cast<size_t>(rank));
    ArrayRef<int64_t> allocDims =
        alloc_shape ? ArrayRef<int64_t>(alloc_shape, static_cast<size_t>(rank)) : dims;
    return wrap(ttg::MemDescType::get(unwrap(element).getContext(), dims, unwrap(element),
                                      unwrap(encoding), unwrap(memory_space), is_mutable,
                                      allocDims));
}
int kiln_memdesc_rank(MlirType type)
{
    return static_cast<int>(memdesc(type).getShape().size());
}
int64_t kiln_memdesc_dim(MlirType type, int dim)
{
    return memdesc(type).getShape()[static_cast<size_t>(dim)];
}
int kiln_memdesc_alloc_rank(MlirType type)
{
    return static_cast<int>(memdesc(type).getAllocShape().size());
}
int64_t kiln_memdesc_alloc_dim(MlirType type, int dim)
{
    return memdesc(type).getAllocShape()[static_cast<size_t>(dim)];
}
MlirType kiln_memdesc_element(MlirType type)
{
    return wrap(memdesc(type).getElementType());
}
MlirAttribute kiln_memdesc_encoding(MlirType type)
{
    return wrap(memdesc(type).getEncoding());
}
bool kiln_memdesc_is_mutable(MlirType type)
{
    return memdesc(type).getMutableMemory();
}
MlirAttribute kiln_shared_memory_attr(MlirContext context)
{
    return wrap(ttg::SharedMemoryAttr::get(unwrap(context)));
}

bool kiln_type_is_async_token(MlirType type)
{
    return isa<ttg::AsyncTokenType>(unwrap(type));
}

bool kiln_type_is_tensordesc(MlirType type)
{
    return isa<tt::TensorDescType>(unwrap(type));
}
MlirType kiln_tensordesc_type(MlirType block)
{
    return wrap(
        tt::TensorDescType::get(unwrap(block).getContext(), cast<RankedTensorType>(unwrap(block))));
}
MlirType kiln_tensordesc_block_type(MlirType desc)
{
    return wrap(cast<tt::TensorDescType>(unwrap(desc)).getBlockType());
}

// Encodings ---------------------------------------------------------------------------------------

static ArrayRef<int32_t> list(const int32_t *values, int count)
{
    return ArrayRef<int32_t>(values, static_cast<size_t>(count));
}

static void copy(ArrayRef<int32_t> values, int32_t *out)
{
    for (size_t i = 0; i < values.size(); ++i)
        out[i] = values[i];
}

kiln_encoding_kind_t kiln_encoding_kind(MlirAttribute encoding)
{
    Attribute attribute = unwrap(encoding);
    if (!attribute)
        return KILN_ENCODING_NONE;
    static constexpr kiln_encoding_kind_t NONE = KILN_ENCODING_NONE;
    TypeID id = attribute.getTypeID();
    return id == TypeID::get<ttg::BlockedAttr>()          ? KILN_ENCODING_BLOCKED
           : id == TypeID::get<ttg::SliceAttr>()          ? KILN_ENCODING_SLICE
           : id == TypeID::get<ttg::MfmaAttr>()           ? KILN_ENCODING_MFMA
           : id == TypeID::get<ttg::DotOperandAttr>()     ? KILN_ENCODING_DOT_OPERAND
           : id == TypeID::get<ttg::LinearAttr>()         ? KILN_ENCODING_LINEAR
           : id == TypeID::get<ttg::SwizzledSharedAttr>() ? KILN_ENCODING_SWIZZLED_SHARED
           : id == TypeID::get<ttg::RotatingSharedAttr>() ? KILN_ENCODING_ROTATING_SHARED
           : id == TypeID::get<ttg::PaddedSharedAttr>()   ? KILN_ENCODING_PADDED_SHARED
           : id == TypeID::get<ttg::SharedLinearAttr>()   ? KILN_ENCODING_SHARED_LINEAR
                                                          : NONE;
}

MlirAttribute kiln_blocked_attr(MlirContext context, const kiln_blocked_t *v)
{
    return wrap(ttg::BlockedAttr::get(unwrap(context), list(v->size_per_thread, v->rank),
                                      list(v->threads_per_warp, v->rank),
                                      list(v->warps_per_cta, v->rank), list(v->order, v->rank)));
}

kiln_blocked_t kiln_blocked_get(MlirAttribute encoding)
{
    auto attribute = cast<ttg::BlockedAttr>(unwrap(encoding));
    kiln_blocked_t out = {};
    out.rank = static_cast<int>(attribute.getOrder().size());
    copy(attribute.getSizePerThread(), out.size_per_thread);
    copy(attribute.getThreadsPerWarp(), out.threads_per_warp);
    copy(attribute.getWarpsPerCTA(), out.warps_per_cta);
    copy(attribute.getOrder(), out.order);
    return out;
}

MlirAttribute kiln_slice_attr(int dim, MlirAttribute parent)
{
    if (ttg::rankOf(unwrap(parent)) < 2)
        return {nullptr};
    return wrap(ttg::SliceAttr::get(unwrap(parent).getContext(), static_cast<unsigned>(dim),
                                    unwrap(parent)));
}
int kiln_slice_dim(MlirAttribute encoding)
{
    return static_cast<int>(cast<ttg::SliceAttr>(unwrap(encoding)).getDim());
}
MlirAttribute kiln_slice_parent(MlirAttribute encoding)
{
    return wrap(cast<ttg::SliceAttr>(unwrap(encoding)).getParent());
}

MlirAttribute kiln_mfma_attr(MlirContext context, const kiln_mfma_t *v)
{
    return wrap(ttg::MfmaAttr::get(unwrap(context), static_cast<unsigned>(v->version),
                                   list(v->warps_per_cta, v->rank), list(v->instr_shape, 3),
                                   v->is_transposed, list(v->tiles_per_warp, v->rank),
                                   static_cast<unsigned>(v->element_bits)));
}

kiln_mfma_t kiln_mfma_get(MlirAttribute encoding)
{
    auto attribute = cast<ttg::MfmaAttr>(unwrap(encoding));
    kiln_mfma_t out = {};
    out.version = static_cast<int>(attribute.getVersion());
    out.rank = static_cast<int>(attribute.getWarpsPerCTA().size());
    copy(attribute.getWarpsPerCTA(), out.warps_per_cta);
    copy(attribute.getTilesPerWarp(), out.tiles_per_warp);
    copy(attribute.getInstrShape(), out.instr_shape);
    out.is_transposed = attribute.getIsTransposed();
    out.element_bits = static_cast<int>(attribute.getElementBitWidth());
    return out;
}

MlirAttribute kiln_dot_operand_attr(int op_idx, MlirAttribute parent, int k_width)
{
    return wrap(ttg::DotOperandAttr::get(unwrap(parent).getContext(), static_cast<unsigned>(op_idx),
                                         unwrap(parent), static_cast<unsigned>(k_width)));
}
int kiln_dot_operand_index(MlirAttribute encoding)
{
    return static_cast<int>(cast<ttg::DotOperandAttr>(unwrap(encoding)).getOpIdx());
}
MlirAttribute kiln_dot_operand_parent(MlirAttribute encoding)
{
    return wrap(cast<ttg::DotOperandAttr>(unwrap(encoding)).getParent());
}
int kiln_dot_operand_k_width(MlirAttribute encoding)
{
    return static_cast<int>(cast<ttg::DotOperandAttr>(unwrap(encoding)).getKWidth());
}

MlirAttribute kiln_linear_attr(MlirContext context, const kiln_linear_t *v)
{
    int32_t bits[] = {v->register_bits, v->lane_bits, v->warp_bits, v->block_bits};
    SmallVector<int32_t> bases;
    for (int i = 0, n = bits[0] + bits[1] + bits[2] + bits[3]; i < n; ++i)
        bases.append(v->bases[i], v->bases[i] + v->rank);
    return wrap(ttg::LinearAttr::get(unwrap(context), static_cast<unsigned>(v->rank), bits, bases));
}

kiln_linear_t kiln_linear_get(MlirAttribute encoding)
{
    auto attribute = cast<ttg::LinearAttr>(unwrap(encoding));
    kiln_linear_t out = {};
    size_t rank = attribute.getRank();
    out.rank = static_cast<int>(rank);
    out.register_bits = attribute.getBits()[0];
    out.lane_bits = attribute.getBits()[1];
    out.warp_bits = attribute.getBits()[2];
    out.block_bits = attribute.getBits()[3];
    for (size_t i = 0; (i + 1) * rank <= attribute.getBases().size(); ++i)
        copy(attribute.getBases().slice(i * rank, rank), out.bases[i]);
    return out;
}

template <typename Linear> static kiln_linear_t offsetsGet(Linear attribute)
{
    kiln_linear_t out = {};
    size_t rank = attribute.getRank();
    out.rank = static_cast<int>(rank);
    out.register_bits = attribute.getBits()[0];
    for (size_t i = 0; i < static_cast<size_t>(out.register_bits); ++i)
        copy(attribute.getBases().slice(i * rank, rank), out.bases[i]);
    return out;
}

kiln_linear_t kiln_shared_linear_get(MlirAttribute encoding)
{
    return offsetsGet(cast<ttg::SharedLinearAttr>(unwrap(encoding)));
}

kiln_padded_shared_t kiln_padded_shared_get(MlirAttribute encoding)
{
    auto attribute = cast<ttg::PaddedSharedAttr>(unwrap(encoding));
    kiln_padded_shared_t out = {};
    out.padding.count = static_cast<int>(attribute.getIntervals().size());
    copy(attribute.getIntervals(), out.padding.intervals);
    copy(attribute.getPaddings(), out.padding.pads);
    out.is_ordered = !attribute.getOrder().empty();
    if (!out.is_ordered) {
        out.linear = offsetsGet(attribute);
        return out;
    }
    out.order.rank = static_cast<int>(attribute.getRank());
    out.order.vec = out.order.per_phase = out.order.max_phase = 1;
    copy(attribute.getOrder(), out.order.order);
    for (auto [d, size] : llvm::enumerate(attribute.getShape()))
        out.shape[d] = size;
    return out;
}

MlirAttribute kiln_swizzled_shared_attr(MlirContext context, const kiln_swizzled_shared_t *v)
{
    return wrap(ttg::SwizzledSharedAttr::get(
        unwrap(context), static_cast<unsigned>(v->vec), static_cast<unsigned>(v->per_phase),
        static_cast<unsigned>(v->max_phase), list(v->order, v->rank)));
}

MlirAttribute kiln_rotating_shared_attr(MlirContext context, const kiln_swizzled_shared_t *v)
{
    return wrap(ttg::RotatingSharedAttr::get(
        unwrap(context), static_cast<unsigned>(v->vec), static_cast<unsigned>(v->per_phase),
        static_cast<unsigned>(v->max_phase), list(v->order, v->rank)));
}

template <typename Swizzled> static kiln_swizzled_shared_t swizzledGet(Swizzled attribute)
{
    kiln_swizzled_shared_t out = {};
    out.rank = static_cast<int>(attribute.getOrder().size());
    out.vec = static_cast<int32_t>(attribute.getVec());
    out.per_phase = static_cast<int32_t>(attribute.getPerPhase());
    out.max_phase = static_cast<int32_t>(attribute.getMaxPhase());
    copy(attribute.getOrder(), out.order);
    return out;
}

kiln_swizzled_shared_t kiln_swizzled_shared_get(MlirAttribute encoding)
{
    if (auto rotating = dyn_cast<ttg::RotatingSharedAttr>(unwrap(encoding)))
        return swizzledGet(rotating);
    return swizzledGet(cast<ttg::SwizzledSharedAttr>(unwrap(encoding)));
}
