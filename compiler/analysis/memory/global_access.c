// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds conflicting accesses of global memory; see global_access.h.
//
// Note that a load is executed by all waves that hold copies of an element, a store by the first of
// them.
#include "analysis/memory/global_access.h"

#include <stdlib.h>

#include "analysis/memory/global_offset.h"
#include "analysis/memory/pointer_root.h"
#include "analysis/pointer_map.h"
#include "base/array.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "layout/layout.h"

typedef enum access_kind { READS, WRITES, IS_ATOMIC, DOES_BOTH } access_kind_t;

typedef struct access {
    MlirOperation op;
    access_kind_t kind;
    MlirValue pointer; // null: a call or unknown code, which may access anything
    MlirValue root;    // the kernel argument that the pointer is based on; null: unknown
    bool is_tensor, has_waves;
    // If has_waves: the wave that holds each element; for reads, only if it is a single one.
    kiln_layout_inverse_t places;
} access_t;

struct kiln_global_accesses {
    access_t *list;
    int count, num_warps;
    size_t capacity;
    kiln_pointer_map_t access_of;
    uint8_t *answers; // [count · count]: results of kiln_global_accesses_meet within one iteration
    kiln_status_t failure;
};

static void fail_memory(kiln_global_accesses_t *accesses)
{
    if (!accesses->failure)
        accesses->failure = kiln_status_out_of_memory();
}

// Collection --------------------------------------------------------------------------------------

bool kiln_is_kernel_argument(MlirValue value)
{
    if (mlirValueIsNull(value) || !mlirValueIsABlockArgument(value))
        return false;
    MlirBlock block = mlirBlockArgumentGetOwner(value);
    MlirOperation func = mlirBlockGetParentOperation(block);
    return kiln_op_kind(func) == KILN_OP_TT_FUNC && mlirBlockEqual(block, kiln_op_body(func, 0)) &&
           kiln_func_is_public(func);
}

// Determines which wave holds each element. If several waves hold copies, a load has no owner.
static void find_waves(const kiln_global_accesses_t *accesses, access_t *access)
{
    kiln_layout_t layout;
    kiln_status_t status =
        kiln_layout_of_type(mlirValueGetType(access->pointer), accesses->num_warps, &layout);
    bool is_known = !status;
    kiln_status_free(status); // the lowering reports it
    if (!is_known || (access->kind == READS && kiln_layout_free_bits(&layout, KILN_WARP)) ||
        !kiln_offset_is_injective(access->pointer))
        return;
    access->places = kiln_layout_invert(&layout);
    access->has_waves = access->places.onto;
}

// Unknown code accesses memory if it receives a possible address.
static bool gets_address(MlirOperation op)
{
    bool gets = false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirType element = kiln_type_element(mlirValueGetType(mlirOperationGetOperand(op, i)));
        gets |= kiln_type_is_ptr(element) ||
                (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) >= 32);
    }
    return gets;
}

static MlirWalkResult collect(MlirOperation op, void *user)
{
    kiln_global_accesses_t *accesses = user;
    const int effects = kiln_op_own_effects(op);
    access_t access = {.op = op};
    switch (kiln_op_kind(op)) {
    case KILN_OP_TT_LOAD:
        access.kind = READS;
        break;
    case KILN_OP_TT_STORE:
        access.kind = WRITES;
        break;
    case KILN_OP_TT_ATOMIC_RMW:
    case KILN_OP_TT_ATOMIC_CAS:
    case KILN_OP_TT_ATOMIC_LOAD:
    case KILN_OP_TT_ATOMIC_POLL:
        access.kind = IS_ATOMIC;
        break;
    case KILN_OP_TT_CALL:
        access.kind = DOES_BOTH;
        break;
    case KILN_OP_TT_ELEMENTWISE_INLINE_ASM:
    case KILN_OP_TT_EXTERN_ELEMENTWISE:
        if (!effects || !gets_address(op))
            return MlirWalkResultAdvance;
        access.kind = DOES_BOTH;
        break;
    default: // barriers, prints, hints and the like do not access the program's memory
        if (kiln_op_kind(op) != KILN_OP_UNKNOWN &&
            !(effects & (KILN_READS_GLOBAL | KILN_WRITES_GLOBAL)))
            return MlirWalkResultAdvance;
        access.kind = DOES_BOTH;
        break;
    }
    if (access.kind != DOES_BOTH) {
        access.pointer = kiln_op_operand(op, 0);
        MlirValue root = kiln_pointer_root(access.pointer);
        access.root = kiln_is_kernel_argument(root) ? root : (MlirValue){NULL};
        access.is_tensor = kiln_type_is_tensor(mlirValueGetType(access.pointer));
        if (access.is_tensor)
            find_waves(accesses, &access);
    }
    if (!KILN_ARRAY_RESERVE(&accesses->list, &accesses->capacity, (size_t)accesses->count + 1)) {
        fail_memory(accesses);
        return MlirWalkResultInterrupt;
    }
    accesses->list[accesses->count++] = access;
    return MlirWalkResultAdvance;
}

static bool roots_differ(const access_t *a, const access_t *b)
{
    return !mlirValueIsNull(a->root) && !mlirValueIsNull(b->root) &&
           !mlirValueEqual(a->root, b->root);
}

// Whether two atomic operations have the same effect in either order, and the program does not see
// which came first.
static bool commute(MlirOperation a, MlirOperation b)
{
    enum { AND = 1, MIN_UNSIGNED = 9, ONLY_LOADS = -1 };
    int64_t kinds[2];
    const MlirOperation ops[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        const kiln_op_t op = kiln_op_kind(ops[i]);
        const int64_t rmw =
            op == KILN_OP_TT_ATOMIC_RMW ? kiln_ir_int_attr(ops[i], "atomic_rmw_op", 0) : 0;
        if (op == KILN_OP_TT_ATOMIC_LOAD || op == KILN_OP_TT_ATOMIC_POLL)
            kinds[i] = ONLY_LOADS;
        else if (rmw >= AND && rmw <= MIN_UNSIGNED &&
                 mlirOpOperandIsNull(mlirValueGetFirstUse(kiln_op_result(ops[i], 0))))
            kinds[i] = rmw;
        else
            return false;
    }
    return kinds[0] == kinds[1] &&
           (kinds[0] == ONLY_LOADS ||
            mlirTypeEqual(kiln_type_element(mlirValueGetType(kiln_op_result(a, 0))),
                          kiln_type_element(mlirValueGetType(kiln_op_result(b, 0)))));
}

static bool are_ordered(const access_t *a, const access_t *b)
{
    return !(a->kind == READS && b->kind == READS) &&
           !(a->kind == IS_ATOMIC && b->kind == IS_ATOMIC && commute(a->op, b->op));
}

// Most buffers are only read or only written once: their accesses are dropped.
static void keep_overlapping(kiln_global_accesses_t *accesses)
{
    for (int i = 0; i < accesses->count; i++)
        for (int j = 0; j < accesses->count; j++)
            if (are_ordered(&accesses->list[i], &accesses->list[j]) &&
                !roots_differ(&accesses->list[i], &accesses->list[j])) {
                if (!kiln_pointer_map_put(&accesses->access_of, accesses->list[i].op.ptr, i))
                    fail_memory(accesses);
                break;
            }
}

kiln_status_t kiln_global_accesses_create(MlirModule module, int num_warps,
                                          kiln_global_accesses_t **out)
{
    *out = NULL;
    kiln_global_accesses_t *accesses = calloc(1, sizeof *accesses);
    if (!accesses)
        return kiln_status_out_of_memory();
    accesses->num_warps = num_warps;
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, collect, accesses);
    keep_overlapping(accesses);
    accesses->answers = calloc((size_t)accesses->count + 1, (size_t)accesses->count + 1);
    if (!accesses->answers)
        fail_memory(accesses);
    kiln_status_t failure = accesses->failure;
    if (failure)
        kiln_global_accesses_destroy(accesses);
    else
        *out = accesses;
    return failure;
}

void kiln_global_accesses_destroy(kiln_global_accesses_t *accesses)
{
    if (!accesses)
        return;
    kiln_pointer_map_free(&accesses->access_of);
    free(accesses->answers);
    free(accesses->list);
    free(accesses);
}

// Queries -----------------------------------------------------------------------------------------

int kiln_global_access_of(const kiln_global_accesses_t *accesses, MlirOperation op)
{
    return kiln_pointer_map_get(&accesses->access_of, op.ptr);
}

bool kiln_global_access_reads(const kiln_global_accesses_t *accesses, int access)
{
    return accesses->list[access].kind != WRITES;
}

bool kiln_global_access_writes(const kiln_global_accesses_t *accesses, int access)
{
    return accesses->list[access].kind != READS;
}

bool kiln_global_access_varies(const kiln_global_accesses_t *accesses, int access,
                               MlirOperation loop)
{
    MlirValue pointer = accesses->list[access].pointer;
    if (mlirValueIsNull(pointer))
        return false;
    MlirBlock block = mlirValueIsABlockArgument(pointer)
                          ? mlirBlockArgumentGetOwner(pointer)
                          : mlirOperationGetBlock(mlirOpResultGetOwner(pointer));
    for (MlirOperation at = mlirBlockGetParentOperation(block); !mlirOperationIsNull(at);
         at = kiln_op_parent(at))
        if (mlirOperationEqual(at, loop))
            return true;
    return false;
}

// All threads load a scalar, and the first one stores or changes it; an element of a tensor is
// accessed by the thread that holds it. A wave executes its accesses in order, but LLVM may reorder
// those of different lanes, which it treats like different waves. It keeps the order of scalar
// accesses.
static bool same_threads(const kiln_global_accesses_t *accesses, const access_t *a,
                         const access_t *b, bool same_iteration)
{
    if (!a->is_tensor && !b->is_tensor && a->kind != DOES_BOTH && b->kind != DOES_BOTH)
        return accesses->num_warps == 1 || (a->kind != READS && b->kind != READS);
    if (!same_iteration || !a->has_waves || !b->has_waves || a->places.bits != b->places.bits ||
        !kiln_offset_equal(a->pointer, b->pointer))
        return false;
    for (int i = 0; i < a->places.bits; i++)
        for (kiln_place_t place = KILN_LANE; place <= KILN_WARP; place++)
            if (a->places.place[place][i] != b->places.place[place][i])
                return false;
    return true;
}

static bool find_overlap(const kiln_global_accesses_t *accesses, const access_t *earlier,
                         kiln_when_t when, const access_t *now)
{
    if (!are_ordered(earlier, now) || roots_differ(earlier, now) ||
        same_threads(accesses, earlier, now, when.same_iteration))
        return false;
    if (mlirValueIsNull(earlier->pointer) || mlirValueIsNull(now->pointer))
        return true;
    if (when.same_iteration)
        return !kiln_offsets_differ(earlier->pointer, now->pointer);
    return mlirOperationIsNull(when.loop) ||
           !kiln_offsets_differ_across_iterations(earlier->pointer, now->pointer, when.loop);
}

bool kiln_global_accesses_meet(const kiln_global_accesses_t *accesses, int earlier,
                               kiln_when_t when, int now)
{
    enum { UNKNOWN, NO, YES };
    const access_t *a = &accesses->list[earlier], *b = &accesses->list[now];
    if (!when.same_iteration)
        return find_overlap(accesses, a, when, b);
    uint8_t *answer = &accesses->answers[(size_t)earlier * (size_t)accesses->count + (size_t)now];
    if (*answer == UNKNOWN)
        *answer = find_overlap(accesses, a, when, b) ? YES : NO;
    return *answer == YES;
}

enum { RELEASE = 3, ACQ_REL = 4 };

static bool is_on_tile(MlirOperation atomic)
{
    return kiln_type_is_tensor(mlirValueGetType(kiln_op_operand(atomic, 0)));
}

bool kiln_orders_global(MlirOperation op)
{
    enum { GLOBAL = 2 | 4, ALL = 31 };
    switch (kiln_op_kind(op)) {
    case KILN_OP_GPU_BARRIER:
        return true;
    case KILN_OP_TTG_BARRIER:
        return (kiln_ir_int_attr(op, "addrSpace", ALL) & GLOBAL) != 0;
    case KILN_OP_TT_ATOMIC_RMW:
    case KILN_OP_TT_ATOMIC_CAS: // a releasing one is preceded by a barrier of all waves if one
                                // thread executes it
        return kiln_ir_int_attr(op, "sem", 0) >= RELEASE && !is_on_tile(op);
    default:
        return false;
    }
}

static MlirWalkResult find_release(MlirOperation op, void *user)
{
    bool *found = user;
    switch (kiln_op_kind(op)) {
    case KILN_OP_TT_ATOMIC_RMW:
    case KILN_OP_TT_ATOMIC_CAS:
        *found = kiln_ir_int_attr(op, "sem", ACQ_REL) >= RELEASE && is_on_tile(op);
        break;
    case KILN_OP_TT_ELEMENTWISE_INLINE_ASM:
    case KILN_OP_TT_EXTERN_ELEMENTWISE:
        *found = kiln_op_own_effects(op) != 0;
        break;
    default:
        break;
    }
    return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool kiln_waves_release_alone(MlirModule module)
{
    bool found = false;
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, find_release, &found);
    return found;
}
