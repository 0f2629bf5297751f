// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The finding repeated-stores: stores that write the same addresses in each iteration of a loop.
// Only what the last iteration stores is left, and a value that is loaded there again is one that
// a variable could hold:
//
//   scf.for … {                           %first = tt.load %p
//     %old = tt.load %p                   %last = scf.for … iter_args(%old = %first) {
//     %new = … %old …                       %new = … %old …
//     tt.store %p, %new            →        scf.yield %new
//   }                                     }
//                                         tt.store %p, %last
//
// Note that stores may be there for readers in between: a loop that has operations which order
// accesses, or that also accesses the stored object in another way, has no such finding. Nor has a
// store that the host may be waiting for: one that writes through, or one of a single number that
// the loop does not load again, such as its progress.
#include <stdlib.h>

#include "analysis/memory/effects.h"
#include "base/string.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "diagnostics/findings.h"
#include "driver/compile_internal.h"
#include "passes/loops/for_loop.h"

// A store and what else its loop does.
typedef struct repeated {
    MlirOperation store, loop;
    kiln_access_t access;
    MlirOperation load; // of the same addresses, before the store; null: none
    bool has_others;    // the loop also accesses the object in another way, or orders accesses
} repeated_t;

// Whether the value is the same in all iterations; null is.
static bool is_invariant(MlirValue value, MlirOperation loop)
{
    return mlirValueIsNull(value) || !kiln_is_inside(loop, value);
}

static MlirWalkResult look_at(MlirOperation op, void *user)
{
    repeated_t *repeated = user;
    const kiln_access_t access = kiln_op_access(op);
    const bool is_same =
        kiln_op_kind(op) == KILN_OP_TT_LOAD &&
        mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(repeated->store)) &&
        mlirValueEqual(kiln_op_operand(op, 0), kiln_op_operand(repeated->store, 0)) &&
        is_invariant(kiln_mask_of(op), repeated->loop) && mlirOperationIsNull(repeated->load);
    if (mlirOperationEqual(op, repeated->store))
        return MlirWalkResultAdvance;
    if (is_same && !(access.effects & KILN_ORDERED) &&
        mlirOperationIsBeforeInBlock(op, repeated->store))
        repeated->load = op;
    else
        repeated->has_others |=
            (access.effects & KILN_ORDERED) || kiln_accesses_conflict(&access, &repeated->access);
    return repeated->has_others ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static void report(kiln_compilation_t *c, const repeated_t *repeated)
{
    unsigned line = 0, column = 0;
    kiln_string_t seen = {0};
    if (mlirOperationIsNull(repeated->load)) {
        kiln_string_append(&seen, "each iteration of the loop stores to the same addresses");
    } else {
        free(kiln_session_place(mlirOperationGetLocation(repeated->load), &line, &column));
        kiln_string_appendf(&seen, KILN_RELOADED_SEEN, line, column);
    }
    kiln_session_find_text(c->session, KILN_WARNING_REPEATED_STORES, repeated->store, &seen,
                           line ? "hold the value in a variable: load it once before the loop, and "
                                  "store it after the loop"
                                : NULL);
    kiln_string_free(&seen);
}

enum {
#define KILN_CACHE_ROW(id, value) CACHE_##id = value,
#include "kiln/builder.def"
};

static bool may_signal_host(const repeated_t *repeated)
{
    const bool is_tile = kiln_type_is_tensor(mlirValueGetType(kiln_op_operand(repeated->store, 0)));
    return kiln_ir_int_attr(repeated->store, "cache", 0) == CACHE_WT ||
           (!is_tile && mlirOperationIsNull(repeated->load));
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    repeated_t repeated = {.store = op, .loop = kiln_op_parent(op), .access = kiln_op_access(op)};
    if (kiln_op_kind(op) != KILN_OP_TT_STORE || (repeated.access.effects & KILN_ORDERED) ||
        !kiln_op_has(kiln_op_kind(repeated.loop), KILN_LOOPS) ||
        !is_invariant(kiln_op_operand(op, 0), repeated.loop) ||
        !is_invariant(kiln_mask_of(op), repeated.loop))
        return MlirWalkResultAdvance;
    kiln_walk(repeated.loop, MlirWalkPreOrder, look_at, &repeated);
    if (!repeated.has_others && !may_signal_host(&repeated))
        report(user, &repeated);
    return MlirWalkResultAdvance;
}

void kiln_compile_find_stores(kiln_compilation_t *c)
{
    if (kiln_warning_is_enabled(&c->diagnostics->searched, KILN_WARNING_REPEATED_STORES))
        kiln_walk(mlirModuleGetOperation(c->module), MlirWalkPreOrder, visit, c);
}
