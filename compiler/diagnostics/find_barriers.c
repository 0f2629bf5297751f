// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The finding needless-barriers: barriers of the program in loops that order nothing.
//
// Kiln places the barriers that accesses need (passes/place_barriers.c), whether or not the program
// has barriers of its own. One of these is needless if the analysis finds no conflict without it:
//
//   scf.for … {                                     scf.for … {
//     %x = ttg.local_load %b                          %x = ttg.local_load %b
//     ttg.barrier local         no write between →    …
//   }                                               }
//
// Note that the analysis must know all accesses: a kernel with other operations that keep their
// order, such as atomics, volatile loads or inline assembly, has no such finding, because a barrier
// may be there for them.
#include <stdlib.h>

#include "analysis/barriers/module_barriers.h"
#include "analysis/memory/effects.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "diagnostics/value_text.h"
#include "driver/compile_internal.h"

enum { MAX_BARRIERS = 16 };

typedef struct barriers {
    MlirOperation all[MAX_BARRIERS]; // in loops, in program order
    size_t count;
    bool is_known; // the analysis sees all accesses
} barriers_t;

static bool is_barrier(kiln_op_t kind)
{
    return kind == KILN_OP_TTG_BARRIER || kind == KILN_OP_TTG_LOCAL_BARRIER ||
           kind == KILN_OP_GPU_BARRIER;
}

static bool is_in_loop(MlirOperation op)
{
    for (op = kiln_op_parent(op); !mlirOperationIsNull(op); op = kiln_op_parent(op))
        if (kiln_op_has(kiln_op_kind(op), KILN_LOOPS))
            return true;
    return false;
}

// Barriers that Kiln placed have the location of the operation that needs them.
static bool is_placed(MlirOperation op)
{
    MlirOperation next = mlirOperationGetNextInBlock(op);
    return kiln_op_kind(op) == KILN_OP_TTG_BARRIER && !mlirOperationIsNull(next) &&
           mlirLocationEqual(mlirOperationGetLocation(op), mlirOperationGetLocation(next));
}

static MlirWalkResult list(MlirOperation op, void *user)
{
    barriers_t *barriers = user;
    const kiln_op_t kind = kiln_op_kind(op);
    if (is_barrier(kind)) {
        if (is_in_loop(op) && !is_placed(op) && barriers->count < MAX_BARRIERS)
            barriers->all[barriers->count++] = op;
    } else if (kind != KILN_OP_TT_FUNC && kind != KILN_OP_BUILTIN_MODULE &&
               (kiln_op_own_effects(op) & KILN_ORDERED)) {
        barriers->is_known = false;
    }
    return MlirWalkResultAdvance;
}

// How many barriers a module lacks.
static kiln_status_t count_lacking(MlirModule module, int *out_count)
{
    kiln_module_barriers_t barriers;
    KILN_TRY(kiln_module_barriers_create(module, &barriers));
    *out_count = kiln_membar_count(barriers.membar);
    kiln_module_barriers_destroy(&barriers);
    return KILN_OK;
}

kiln_status_t kiln_compile_find_barriers(kiln_compilation_t *c)
{
    if (!kiln_warning_is_enabled(&c->diagnostics->searched, KILN_WARNING_NEEDLESS_BARRIERS))
        return KILN_OK;
    // The analysis removes barriers from a copy, so that the module to be compiled does not change.
    // Both have the same order of operations.
    MlirModule copy =
        mlirModuleFromOperation(mlirOperationClone(mlirModuleGetOperation(c->module)));
    barriers_t own = {.is_known = true}, copied = {.is_known = true};
    kiln_walk(mlirModuleGetOperation(c->module), MlirWalkPreOrder, list, &own);
    kiln_walk(mlirModuleGetOperation(copy), MlirWalkPreOrder, list, &copied);
    int before = 0;
    kiln_status_t status = KILN_OK;
    if (own.is_known && own.count)
        status = count_lacking(copy, &before);
    for (size_t i = 0; !status && own.is_known && i < own.count; i++) {
        int lacking = 0;
        MlirOperation clone = mlirOperationClone(copied.all[i]),
                      next = mlirOperationGetNextInBlock(copied.all[i]);
        MlirBlock block = mlirOperationGetBlock(copied.all[i]);
        kiln_op_erase(copied.all[i]);
        status = count_lacking(copy, &lacking);
        if (!status && lacking <= before) {
            // The barrier stays removed: of two barriers in a row, only one is needless.
            kiln_session_find_at(c->session, KILN_WARNING_NEEDLESS_BARRIERS, own.all[i],
                                 "this barrier in a loop orders nothing: no two accesses of "
                                 "different waves conflict across it, or others are between them",
                                 NULL);
            mlirOperationDestroy(clone);
        } else {
            mlirBlockInsertOwnedOperationBefore(block, next, clone);
        }
    }
    mlirModuleDestroy(copy);
    return status;
}
