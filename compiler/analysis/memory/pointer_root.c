// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determines the scalar pointer on which a pointer is based, and whether it is ever used as more
// than an address. Both are derived from the MLIR, before anything is lowered.
//
// Note that a buffer smaller than 2 GiB (tt.pointer_range = 32) only constrains the addresses that
// are accessed. Intermediate pointers may be anywhere, so 32 bits of offset suffice only if the
// pointer is used for nothing else; if it is converted to an integer, passed as an argument, or
// joined with pointers of another root, all 64 bits are needed.
#include "analysis/memory/pointer_root.h"

#include "analysis/pointer_map.h"
#include "base/array.h"

enum {
    ROOT_DEPTH = 256, // joins of a search
    MAX_STEPS = 4096  // and of all its trials, which end where sides differ
};

typedef struct root_search {
    MlirValue visited[ROOT_DEPTH]; // block arguments and joins on the current path, or finished
    MlirValue roots[ROOT_DEPTH];   // null: still on the path, so that it agrees with any other root
    int count, steps;
    bool failed;
    bool exhausted; // the root is unknown
} root_search_t;

bool kiln_op_reshapes_pointers(kiln_op_t kind)
{
    switch (kind) {
    case KILN_OP_TT_SPLAT:
    case KILN_OP_TT_UNSPLAT:
    case KILN_OP_TT_BROADCAST:
    case KILN_OP_TT_EXPAND_DIMS:
    case KILN_OP_TT_TRANS:
    case KILN_OP_TT_RESHAPE:
    case KILN_OP_TTG_CONVERT_LAYOUT:
        return true;
    default:
        return false;
    }
}

bool kiln_op_passes_pointers(MlirOperation op)
{
    switch (kiln_op_kind(op)) {
    case KILN_OP_TT_ADDPTR:
    case KILN_OP_ARITH_SELECT:
    case KILN_OP_SCF_FOR:
    case KILN_OP_SCF_IF:
    case KILN_OP_SCF_WHILE:
    case KILN_OP_SCF_CONDITION:
    case KILN_OP_SCF_YIELD:
    case KILN_OP_CF_BR:
    case KILN_OP_CF_COND_BR:
        return true;
    case KILN_OP_TT_BITCAST:
        return kiln_type_is_ptr(kiln_type_element(mlirValueGetType(mlirOperationGetResult(op, 0))));
    default:
        return kiln_op_reshapes_pointers(kiln_op_kind(op));
    }
}

static MlirValue no_value(void)
{
    return (MlirValue){NULL};
}

static MlirValue search_root(root_search_t *search, MlirValue value);

// A null result without search->failed agrees with any root: the value was already on the path.
static MlirValue join_roots(root_search_t *search, MlirValue a, MlirValue b)
{
    if (mlirValueIsNull(a) || search->failed)
        return b;
    if (!mlirValueIsNull(b) && !mlirValueEqual(a, b))
        search->failed = true;
    return a;
}

static MlirValue terminator_operand(MlirOperation op, int region, intptr_t index)
{
    return mlirOperationGetOperand(kiln_block_terminator(kiln_op_body(op, region)), index);
}

// Joins the values that may reach argument `index` of a function's block through cf branches.
static MlirValue search_branches(root_search_t *search, MlirBlock block, intptr_t index)
{
    MlirValue root = no_value();
    for (intptr_t i = 0; i < mlirBlockGetNumPredecessors(block) && !search->failed; i++) {
        MlirOperation branch = mlirBlockGetTerminator(mlirBlockGetPredecessor(block, i));
        if (kiln_op_kind(branch) == KILN_OP_CF_BR) {
            root = join_roots(search, root,
                              search_root(search, mlirOperationGetOperand(branch, index)));
            continue;
        }
        // cf.cond_br: condition, then the operands of the first and of the second successor.
        for (intptr_t s = 0; s < 2; s++) {
            if (!mlirBlockEqual(mlirOperationGetSuccessor(branch, s), block))
                continue;
            intptr_t first =
                s ? 1 + mlirBlockGetNumArguments(mlirOperationGetSuccessor(branch, 0)) : 1;
            root = join_roots(search, root,
                              search_root(search, mlirOperationGetOperand(branch, first + index)));
        }
    }
    return root;
}

static bool is_function_argument(MlirValue value)
{
    if (!mlirValueIsABlockArgument(value))
        return false;
    MlirBlock block = mlirBlockArgumentGetOwner(value);
    return kiln_op_kind(mlirBlockGetParentOperation(block)) == KILN_OP_TT_FUNC &&
           mlirBlockEqual(block, mlirRegionGetFirstBlock(mlirBlockGetParentRegion(block)));
}

// Ends a trial that failed: the value itself is the root, unless it is a tensor.
static MlirValue give_up(root_search_t *search, const root_search_t *trial, MlirValue value)
{
    search->steps = trial->steps;
    search->exhausted = trial->exhausted;
    search->failed = trial->exhausted || kiln_type_is_tensor(mlirValueGetType(value));
    return value;
}

// The representation of block arguments is chosen before any block is lowered, when only the
// function's own arguments are roots. Pointers with another root are passed as whole pointers, and
// scalars become roots then.
static MlirValue search_block(root_search_t *search, MlirValue argument, intptr_t index)
{
    root_search_t trial = *search;
    MlirValue root = search_branches(&trial, mlirBlockArgumentGetOwner(argument), index);
    if (!trial.failed && (mlirValueIsNull(root) || is_function_argument(root))) {
        *search = trial;
        return root;
    }
    return give_up(search, &trial, argument);
}

// Joins the values that may reach a block's argument.
static MlirValue search_argument(root_search_t *search, MlirValue argument)
{
    MlirBlock block = mlirBlockArgumentGetOwner(argument);
    MlirOperation parent = mlirBlockGetParentOperation(block);
    intptr_t index = mlirBlockArgumentGetArgNumber(argument);
    MlirRegion region = mlirBlockGetParentRegion(block);
    bool is_entry = mlirBlockEqual(block, mlirRegionGetFirstBlock(region));
    switch (kiln_op_kind(parent)) {
    case KILN_OP_TT_FUNC:
        if (!is_entry)
            return search_block(search, argument, index);
        if (!kiln_type_is_tensor(mlirValueGetType(argument)))
            return argument;
        break;
    case KILN_OP_SCF_FOR: // argument 0 is the induction variable
        return join_roots(search, search_root(search, mlirOperationGetOperand(parent, 2 + index)),
                          search_root(search, terminator_operand(parent, 0, index - 1)));
    case KILN_OP_SCF_WHILE:
        if (mlirRegionEqual(region, mlirOperationGetRegion(parent, 0)))
            return join_roots(search, search_root(search, mlirOperationGetOperand(parent, index)),
                              search_root(search, terminator_operand(parent, 1, index)));
        return search_root(search, terminator_operand(parent, 0, 1 + index));
    default:
        break;
    }
    search->failed = true;
    return no_value();
}

// Both sides of a select must have the same root; otherwise a scalar is a new root.
static MlirValue search_select(root_search_t *search, MlirOperation op)
{
    root_search_t trial = *search;
    MlirValue root = join_roots(&trial, search_root(&trial, mlirOperationGetOperand(op, 1)),
                                search_root(&trial, mlirOperationGetOperand(op, 2)));
    if (!trial.failed) {
        *search = trial;
        return root;
    }
    return give_up(search, &trial, mlirOperationGetResult(op, 0));
}

// A value joined from several others. Each join is searched once: a chain of joins has more paths
// than joins.
static MlirValue search_join(root_search_t *search, MlirValue value)
{
    for (int i = 0; i < search->count; i++)
        if (mlirValueEqual(search->visited[i], value))
            return search->roots[i];
    if (search->count == ROOT_DEPTH || search->steps++ == MAX_STEPS) {
        search->failed = search->exhausted = true;
        return no_value();
    }
    int at = search->count++;
    search->visited[at] = value;
    search->roots[at] = no_value();
    MlirOperation op;
    intptr_t result = mlirValueIsAOpResult(value) ? mlirOpResultGetResultNumber(value) : 0;
    MlirValue root;
    switch (kiln_value_op(value, &op)) {
    case KILN_OP_SCF_FOR:
        root = join_roots(search, search_root(search, mlirOperationGetOperand(op, 3 + result)),
                          search_root(search, terminator_operand(op, 0, result)));
        break;
    case KILN_OP_SCF_WHILE:
        root = search_root(search, terminator_operand(op, 0, 1 + result));
        break;
    case KILN_OP_SCF_IF:
        root = join_roots(search, search_root(search, terminator_operand(op, 0, result)),
                          search_root(search, terminator_operand(op, 1, result)));
        break;
    case KILN_OP_ARITH_SELECT:
        root = search_select(search, op);
        break;
    default:
        root = search_argument(search, value);
        break;
    }
    search->roots[at] = root;
    return root;
}

static MlirValue search_root(root_search_t *search, MlirValue value)
{
    if (search->failed)
        return no_value();
    if (mlirValueIsABlockArgument(value))
        return search_join(search, value);
    MlirOperation op;
    switch (kiln_value_op(value, &op)) {
    case KILN_OP_TT_ADDPTR:
        return search_root(search, mlirOperationGetOperand(op, 0));
    case KILN_OP_TT_BITCAST:
        if (kiln_type_is_ptr(kiln_type_element(mlirValueGetType(mlirOperationGetOperand(op, 0)))))
            return search_root(search, mlirOperationGetOperand(op, 0));
        break;
    case KILN_OP_SCF_FOR:
    case KILN_OP_SCF_WHILE:
    case KILN_OP_SCF_IF:
    case KILN_OP_ARITH_SELECT:
        return search_join(search, value);
    default:
        if (kiln_op_reshapes_pointers(kiln_op_kind(op)))
            return search_root(search, mlirOperationGetOperand(op, 0));
        break;
    }
    if (kiln_type_is_tensor(mlirValueGetType(value)))
        search->failed = true;
    return value;
}

MlirValue kiln_pointer_root(MlirValue pointer)
{
    root_search_t search = {.count = 0};
    MlirValue root = search_root(&search, pointer);
    return search.failed ? no_value() : root;
}

// Uses --------------------------------------------------------------------------------------------

enum { AT_ROOT = 1, MOVED = 2 }; // state of a value in the list

typedef struct uses {
    MlirValue root;
    kiln_pointer_map_t seen; // value → AT_ROOT or MOVED
    MlirValue *list;         // values whose uses remain to be visited
    size_t count, capacity;
    bool escapes, failed; // failed: out of memory
} uses_t;

static void follow(uses_t *uses, MlirValue value, bool moved)
{
    int state = moved ? MOVED : AT_ROOT;
    if (kiln_pointer_map_get(&uses->seen, value.ptr) >= state)
        return;
    if (!KILN_ARRAY_RESERVE(&uses->list, &uses->capacity, uses->count + 1) ||
        !kiln_pointer_map_put(&uses->seen, value.ptr, state)) {
        uses->failed = true;
        return;
    }
    uses->list[uses->count++] = value;
}

// Values that meet in `joined` are passed as offsets if all are based on the root. A whole pointer
// that equals the root needs no offset.
static void follow_join(uses_t *uses, MlirValue joined, bool moved)
{
    if (mlirValueEqual(kiln_pointer_root(joined), uses->root))
        follow(uses, joined, moved);
    else
        uses->escapes |= moved;
}

static void follow_block_argument(uses_t *uses, MlirBlock block, intptr_t index, bool moved)
{
    follow_join(uses, mlirBlockGetArgument(block, index), moved);
}

static void follow_yield(uses_t *uses, MlirOperation yield, intptr_t index, bool moved)
{
    MlirOperation parent = kiln_op_parent(yield);
    switch (kiln_op_kind(parent)) {
    case KILN_OP_SCF_FOR:
        follow_block_argument(uses, kiln_op_body(parent, 0), 1 + index, moved);
        follow_join(uses, mlirOperationGetResult(parent, index), moved);
        break;
    case KILN_OP_SCF_IF:
        follow_join(uses, mlirOperationGetResult(parent, index), moved);
        break;
    case KILN_OP_SCF_WHILE:
        follow_block_argument(uses, kiln_op_body(parent, 0), index, moved);
        break;
    default:
        uses->escapes |= moved;
        break;
    }
}

static void follow_branch(uses_t *uses, MlirOperation branch, intptr_t operand, bool moved)
{
    if (kiln_op_kind(branch) == KILN_OP_CF_BR) {
        follow_block_argument(uses, mlirOperationGetSuccessor(branch, 0), operand, moved);
        return;
    }
    MlirBlock first = mlirOperationGetSuccessor(branch, 0);
    intptr_t index = operand - 1, count = mlirBlockGetNumArguments(first);
    if (index < count)
        follow_block_argument(uses, first, index, moved);
    else
        follow_block_argument(uses, mlirOperationGetSuccessor(branch, 1), index - count, moved);
}

// For an unknown operation, whose results are not followed.
static bool returns_pointers(MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (kiln_type_is_ptr(kiln_type_element(mlirValueGetType(mlirOperationGetResult(op, i)))))
            return true;
    return false;
}

static void look_at_use(uses_t *uses, MlirOpOperand use, bool moved)
{
    MlirOperation op = mlirOpOperandGetOwner(use);
    intptr_t operand = (intptr_t)mlirOpOperandGetOperandNumber(use);
    switch (kiln_op_kind(op)) {
    case KILN_OP_TT_LOAD:
    case KILN_OP_TT_STORE:
    case KILN_OP_TT_ATOMIC_RMW:
    case KILN_OP_TT_ATOMIC_CAS:
    case KILN_OP_TT_ATOMIC_LOAD:
    case KILN_OP_TT_ATOMIC_POLL:
        uses->escapes |= moved && operand != 0;
        break;
    case KILN_OP_TT_ADDPTR:
        follow(uses, mlirOperationGetResult(op, 0), true);
        break;
    case KILN_OP_TT_BITCAST:
        if (!kiln_type_is_ptr(kiln_type_element(mlirValueGetType(mlirOperationGetResult(op, 0))))) {
            uses->escapes |= moved;
            break;
        }
        follow(uses, mlirOperationGetResult(op, 0), moved);
        break;
    case KILN_OP_ARITH_SELECT:
        follow_join(uses, mlirOperationGetResult(op, 0), moved);
        break;
    case KILN_OP_SCF_FOR: // lower, upper, step, initial values
        follow_block_argument(uses, kiln_op_body(op, 0), operand - 2, moved);
        follow_join(uses, mlirOperationGetResult(op, operand - 3), moved);
        break;
    case KILN_OP_SCF_WHILE:
        follow_block_argument(uses, kiln_op_body(op, 0), operand, moved);
        break;
    case KILN_OP_SCF_CONDITION:
        follow_block_argument(uses, kiln_op_body(kiln_op_parent(op), 1), operand - 1, moved);
        follow_join(uses, mlirOperationGetResult(kiln_op_parent(op), operand - 1), moved);
        break;
    case KILN_OP_SCF_YIELD:
        follow_yield(uses, op, operand, moved);
        break;
    case KILN_OP_CF_BR:
    case KILN_OP_CF_COND_BR:
        follow_branch(uses, op, operand, moved);
        break;
    default:
        if (kiln_op_reshapes_pointers(kiln_op_kind(op)))
            follow(uses, mlirOperationGetResult(op, 0), moved);
        else
            uses->escapes |= moved || returns_pointers(op);
        break;
    }
}

kiln_status_t kiln_pointer_escapes(MlirValue root, bool *out_escapes)
{
    uses_t uses = {.root = root};
    follow(&uses, root, false);
    for (size_t i = 0; i < uses.count && !uses.escapes && !uses.failed; i++) {
        bool moved = kiln_pointer_map_get(&uses.seen, uses.list[i].ptr) == MOVED;
        for (MlirOpOperand use = mlirValueGetFirstUse(uses.list[i]); !mlirOpOperandIsNull(use);
             use = mlirOpOperandGetNextUse(use))
            look_at_use(&uses, use, moved);
    }
    kiln_pointer_map_free(&uses.seen);
    free(uses.list);
    *out_escapes = uses.escapes;
    return uses.failed ? kiln_status_out_of_memory() : KILN_OK;
}
