// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows a value through a loop's operations to a dot; see dot_use.h. A value has several uses, so
// the number of paths may be exponential, and the search is limited.
#include "passes/pipelining/dot_use.h"

#include "builder/ir.h"
#include "layout/infer.h"

enum { CHAIN = 16, MAX_USES = 4096 };

static bool moves_only(kiln_op_t kind)
{
    return kind == KILN_OP_TTG_CONVERT_LAYOUT || kind == KILN_OP_TT_TRANS;
}

static bool is_cast_in_place(MlirOperation op, MlirValue value)
{
    return kiln_op_is_elementwise(kiln_op_kind(op)) && mlirOperationGetNumOperands(op) == 1 &&
           mlirOperationGetNumResults(op) == 1 &&
           kiln_encoding_kind(kiln_type_encoding(mlirValueGetType(value))) ==
               KILN_ENCODING_DOT_OPERAND;
}

// A step on the path from a load.
typedef struct path {
    MlirValue value, from; // from: before casts
    bool direct, transposed;
} path_t;

static void find_dot_use(MlirOperation loop, path_t path, kiln_dot_paths_t paths, int depth,
                         kiln_dot_use_t *use_of_dot)
{
    const MlirValue value = path.value, from = path.from;
    const bool direct = path.direct, fits = paths == KILN_DOT_ALL_PATHS ||
                                            path.transposed == (paths == KILN_DOT_TRANSPOSED_PATHS);
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        unsigned index = mlirOpOperandGetOperandNumber(use);
        if (kiln_op_kind(user) == KILN_OP_TT_DOT) {
            if (index < 2 && fits && (!use_of_dot->dot || (direct && !use_of_dot->direct)))
                *use_of_dot = (kiln_dot_use_t){true,       direct,          from,
                                               (int)index, path.transposed, use_of_dot->uses};
            continue;
        }
        if (depth == 0 || ++use_of_dot->uses > MAX_USES ||
            !mlirOperationEqual(kiln_op_parent(user), loop) || mlirOperationGetNumRegions(user) > 0)
            continue;
        bool is_cast = is_cast_in_place(user, value), was_cast = !mlirValueEqual(value, from);
        bool still = direct && (is_cast || (moves_only(kiln_op_kind(user)) && !was_cast));
        for (intptr_t i = 0; i < mlirOperationGetNumResults(user); i++) {
            MlirValue result = mlirOperationGetResult(user, i);
            path_t next = {result, still && is_cast ? from : result, still,
                           path.transposed != (kiln_op_kind(user) == KILN_OP_TT_TRANS)};
            find_dot_use(loop, next, paths, depth - 1, use_of_dot);
        }
    }
}

kiln_dot_use_t kiln_find_dot_use(MlirOperation loop, MlirValue value, kiln_dot_paths_t paths)
{
    kiln_dot_use_t found = {0};
    find_dot_use(loop, (path_t){value, value, true, false}, paths, CHAIN, &found);
    return found;
}
