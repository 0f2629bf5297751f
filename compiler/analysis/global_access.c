// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See global_access.h.
//
// The thing one gets wrong: a load is done by all waves that hold copies of an element, a store by the first of them.
#include "analysis/global_access.h"

#include <stdlib.h>

#include "analysis/global_offset.h"
#include "analysis/pointer_map.h"
#include "analysis/pointer_root.h"
#include "builder/ir.h"
#include "layout/layout.h"

typedef enum access_kind { READS, WRITES, IS_ATOMIC, DOES_BOTH } access_kind_t;

typedef struct access {
    MlirOperation op;
    access_kind_t kind;
    MlirValue pointer; // null: a call, which may access anything
    MlirValue root;    // the argument of a kernel that the pointer counts from; null: not known
    bool is_tensor, has_waves;
    kiln_layout_inverse_t places; // has_waves: which wave holds an element, a single one where it reads
} access_t;

struct kiln_global_accesses {
    access_t *list;
    int count, capacity, num_warps;
    kiln_pointer_map_t access_of;
    uint8_t *answers; // [count · count]: of kiln_global_accesses_meet within one iteration
    kiln_status_t failure;
};

static void fail_memory(kiln_global_accesses_t *accesses)
{
    if (!accesses->failure)
        accesses->failure = kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "no memory for the accesses of a program");
}

// Collection ---------------------------------------------------------------------------------------------------------

static bool is_kernel_argument(MlirValue value)
{
    if (mlirValueIsNull(value) || !mlirValueIsABlockArgument(value))
        return false;
    MlirBlock block = mlirBlockArgumentGetOwner(value);
    MlirOperation func = mlirBlockGetParentOperation(block);
    if (kiln_op_kind(func) != KILN_OP_TT_FUNC || !mlirBlockEqual(block, kiln_op_body(func, 0)))
        return false;
    MlirAttribute visibility = kiln_ir_attr(func, "sym_visibility");
    return mlirAttributeIsNull(visibility) ||
           mlirStringRefEqual(mlirStringAttrGetValue(visibility), mlirStringRefCreateFromCString("public"));
}

// Which wave holds each element; with copies in several waves, a load is nobody's own.
static void find_waves(const kiln_global_accesses_t *accesses, access_t *access)
{
    kiln_layout_t layout;
    kiln_status_t status = kiln_layout_of_type(mlirValueGetType(access->pointer), accesses->num_warps, &layout);
    bool is_known = !status;
    kiln_status_free(status); // the lowering reports it
    if (!is_known || (access->kind == READS && kiln_layout_free_bits(&layout, KILN_WARP)) ||
        !kiln_offset_is_injective(access->pointer))
        return;
    access->places = kiln_layout_invert(&layout);
    access->has_waves = access->places.onto;
}

static MlirWalkResult collect(MlirOperation op, void *user)
{
    kiln_global_accesses_t *accesses = user;
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
    default:
        return MlirWalkResultAdvance;
    }
    if (access.kind != DOES_BOTH) {
        access.pointer = kiln_op_operand(op, 0);
        MlirValue root = kiln_pointer_root(access.pointer);
        access.root = is_kernel_argument(root) ? root : (MlirValue){NULL};
        access.is_tensor = kiln_type_is_tensor(mlirValueGetType(access.pointer));
        if (access.is_tensor)
            find_waves(accesses, &access);
    }
    if (accesses->count == accesses->capacity) {
        int capacity = accesses->capacity ? 2 * accesses->capacity : 16;
        access_t *list = realloc(accesses->list, (size_t)capacity * sizeof *list);
        if (!list) {
            fail_memory(accesses);
            return MlirWalkResultInterrupt;
        }
        accesses->list = list;
        accesses->capacity = capacity;
    }
    accesses->list[accesses->count++] = access;
    return MlirWalkResultAdvance;
}

static bool roots_differ(const access_t *a, const access_t *b)
{
    return !mlirValueIsNull(a->root) && !mlirValueIsNull(b->root) && !mlirValueEqual(a->root, b->root);
}

static bool one_writes(const access_t *a, const access_t *b)
{
    return !(a->kind == READS && b->kind == READS) && !(a->kind == IS_ATOMIC && b->kind == IS_ATOMIC);
}

// Most buffers are only read or only written once: their accesses are of no further interest.
static void keep_those_that_meet(kiln_global_accesses_t *accesses)
{
    for (int i = 0; i < accesses->count; i++)
        for (int j = 0; j < accesses->count; j++)
            if (one_writes(&accesses->list[i], &accesses->list[j]) &&
                !roots_differ(&accesses->list[i], &accesses->list[j])) {
                if (!kiln_pointer_map_put(&accesses->access_of, accesses->list[i].op.ptr, i))
                    fail_memory(accesses);
                break;
            }
}

kiln_status_t kiln_global_accesses_create(MlirModule module, int num_warps, kiln_global_accesses_t **out)
{
    *out = NULL;
    kiln_global_accesses_t *accesses = calloc(1, sizeof *accesses);
    if (!accesses)
        return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "no memory for the accesses of a program");
    accesses->num_warps = num_warps;
    if (num_warps > 1) { // one wave does everything in order
        kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, collect, accesses);
        keep_those_that_meet(accesses);
        accesses->answers = calloc((size_t)accesses->count + 1, (size_t)accesses->count + 1);
        if (!accesses->answers)
            fail_memory(accesses);
    }
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

// Questions ----------------------------------------------------------------------------------------------------------

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

bool kiln_global_access_varies(const kiln_global_accesses_t *accesses, int access, MlirOperation loop)
{
    MlirValue pointer = accesses->list[access].pointer;
    if (mlirValueIsNull(pointer))
        return false;
    MlirBlock block = mlirValueIsABlockArgument(pointer) ? mlirBlockArgumentGetOwner(pointer)
                                                         : mlirOperationGetBlock(mlirOpResultGetOwner(pointer));
    for (MlirOperation at = mlirBlockGetParentOperation(block); !mlirOperationIsNull(at); at = kiln_op_parent(at))
        if (mlirOperationEqual(at, loop))
            return true;
    return false;
}

// A scalar is loaded by all waves, and stored or changed by the first; each element of a tensor by the wave that holds it.
static bool same_waves(const access_t *a, const access_t *b, bool same_iteration)
{
    if (!a->is_tensor && !b->is_tensor)
        return a->kind != READS && b->kind != READS && a->kind != DOES_BOTH && b->kind != DOES_BOTH;
    if (!same_iteration || !a->has_waves || !b->has_waves || a->places.bits != b->places.bits ||
        !kiln_offset_equal(a->pointer, b->pointer))
        return false;
    for (int i = 0; i < a->places.bits; i++)
        if (a->places.place[KILN_WARP][i] != b->places.place[KILN_WARP][i])
            return false;
    return true;
}

static bool find_meeting(const access_t *earlier, kiln_when_t when, const access_t *now)
{
    if (!one_writes(earlier, now) || roots_differ(earlier, now) || same_waves(earlier, now, when.same_iteration))
        return false;
    if (mlirValueIsNull(earlier->pointer) || mlirValueIsNull(now->pointer))
        return true;
    if (when.same_iteration)
        return !kiln_offsets_differ(earlier->pointer, now->pointer);
    return mlirOperationIsNull(when.loop) || !kiln_offsets_differ_around(earlier->pointer, now->pointer, when.loop);
}

bool kiln_global_accesses_meet(const kiln_global_accesses_t *accesses, int earlier, kiln_when_t when, int now)
{
    enum { UNKNOWN, NO, YES };
    const access_t *a = &accesses->list[earlier], *b = &accesses->list[now];
    if (!when.same_iteration)
        return find_meeting(a, when, b);
    uint8_t *answer = &accesses->answers[(size_t)earlier * (size_t)accesses->count + (size_t)now];
    if (*answer == UNKNOWN)
        *answer = find_meeting(a, when, b) ? YES : NO;
    return *answer == YES;
}

bool kiln_orders_global(MlirOperation op)
{
    enum { GLOBAL = 2 | 4, ALL = 31, RELEASE = 3 };
    int64_t semantic;
    switch (kiln_op_kind(op)) {
    case KILN_OP_GPU_BARRIER:
        return true;
    case KILN_OP_TTG_BARRIER:
        return (kiln_ir_int_attr(op, "addrSpace", ALL) & GLOBAL) != 0;
    case KILN_OP_TT_ATOMIC_RMW:
    case KILN_OP_TT_ATOMIC_CAS: // one that releases is preceded by a barrier of all waves where one thread does it
        semantic = kiln_ir_int_attr(op, "sem", 0);
        return semantic >= RELEASE && !kiln_type_is_tensor(mlirValueGetType(kiln_op_operand(op, 0)));
    default:
        return false;
    }
}
