// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes the first program in which a product with program_id wraps, as far as its accesses are
// independent of the arguments and of memory, for only the first element of each tensor. A mask may
// compare that element with a value computed from arguments if the caller knows that the comparison
// holds: an argument is the same in all programs.
//
// The executed program must exist, so its ids in y and z are 0.
#include "analysis/range/program_bound.h"

#include <mlir-c/BuiltinAttributes.h>

#include "builder/compare.h"
#include "builder/ir.h"
#include "builder/op_facts.h"

enum { MAX_STEPS = 400, DEPTH = 24, MAX_ACCESSES = 64 };

// A loop with a step that is not positive is undefined, and might not terminate.
static bool counts_up(MlirOperation op)
{
    enum { STEP = 2 };
    int64_t step;
    return kiln_op_kind(op) == KILN_OP_SCF_FOR &&
           kiln_ir_constant_int(kiln_op_operand(op, STEP), &step) && step > 0;
}

bool kiln_op_always_continues(MlirOperation op)
{
    enum {
        HARMLESS =
            KILN_READS_GLOBAL | KILN_WRITES_GLOBAL | KILN_READS_LDS | KILN_WRITES_LDS | KILN_CLAIMS
    };
    bool may_loop = kiln_op_has(kiln_op_kind(op), KILN_LOOPS) && !counts_up(op);
    if ((kiln_op_own_effects(op) & ~HARMLESS) != 0 || may_loop ||
        mlirOperationGetNumSuccessors(op) > 0)
        return false;
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
        for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
             !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
            for (MlirOperation at = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(at);
                 at = mlirOperationGetNextInBlock(at))
                if (!kiln_op_always_continues(at))
                    return false;
    return true;
}

// Execution ---------------------------------------------------------------------------------------

typedef struct machine {
    MlirOperation function;
    int64_t program; // id in x
    int steps;
    kiln_is_more_t is_more; // known facts about arguments, or NULL
    void *user;
} machine_t;

static int64_t wrapped(int bits, int64_t value)
{
    return bits >= 64 ? value : (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
}

static bool compare(kiln_cmpi_t predicate, int bits, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a & (UINT64_MAX >> (64 - bits)),
             y = (uint64_t)b & (UINT64_MAX >> (64 - bits));
    const bool truths[] = {[KILN_CMPI_EQ] = a == b,
                           [KILN_CMPI_NE] = a != b,
                           [KILN_CMPI_SLT] = a<b, [KILN_CMPI_SLE] = a <= b, [KILN_CMPI_SGT] = a> b,
                           [KILN_CMPI_SGE] = a >= b,
                           [KILN_CMPI_ULT] = x<y, [KILN_CMPI_ULE] = x <= y, [KILN_CMPI_UGT] = x> y,
                           [KILN_CMPI_UGE] = x >= y};
    return truths[predicate];
}

// Also returns false for undefined results.
static bool compute(kiln_op_t kind, int bits, int64_t a, int64_t b, int64_t *out)
{
    switch (kind) {
    case KILN_OP_ARITH_ADDI:
        *out = (int64_t)((uint64_t)a + (uint64_t)b);
        return true;
    case KILN_OP_ARITH_SUBI:
        *out = (int64_t)((uint64_t)a - (uint64_t)b);
        return true;
    case KILN_OP_ARITH_MULI:
        *out = (int64_t)((uint64_t)a * (uint64_t)b);
        return true;
    case KILN_OP_ARITH_SHLI:
        *out = (int64_t)((uint64_t)a << (b & 63));
        return b >= 0 && b < bits;
    case KILN_OP_ARITH_DIVSI:
    case KILN_OP_ARITH_REMSI:
        if (b == 0 || b == -1)
            return false;
        *out = kind == KILN_OP_ARITH_DIVSI ? a / b : a % b;
        return true;
    case KILN_OP_ARITH_DIVUI:
    case KILN_OP_ARITH_REMUI: {
        const uint64_t all = UINT64_MAX >> (64 - bits), x = (uint64_t)a & all,
                       y = (uint64_t)b & all;
        if (y == 0)
            return false;
        *out = (int64_t)(kind == KILN_OP_ARITH_DIVUI ? x / y : x % y);
        return true;
    }
    case KILN_OP_ARITH_ANDI:
        *out = a & b;
        return true;
    case KILN_OP_ARITH_ORI:
        *out = a | b;
        return true;
    default:
        return false;
    }
}

// Evaluates the first element of a value.
static bool evaluate(machine_t *machine, MlirValue value, int depth, int64_t *out)
{
    MlirOperation op;
    int64_t a, b;
    MlirType type = mlirValueGetType(value);
    const int bits = kiln_type_bits(type);
    kiln_op_t kind = kiln_value_op(value, &op);
    if (depth == 0 || --machine->steps < 0)
        return false;
    if (kiln_ir_constant_int(value, out)) {
        *out = wrapped(bits, *out);
        return true;
    }
    switch (kind) {
    case KILN_OP_TT_GET_PROGRAM_ID:
        *out = kiln_ir_int_attr(op, "axis", 0) == 0 ? machine->program : 0;
        return true;
    case KILN_OP_TT_MAKE_RANGE:
        *out = wrapped(bits, kiln_ir_int_attr(op, "start", 0));
        return true;
    case KILN_OP_TT_SPLAT:
    case KILN_OP_TT_EXPAND_DIMS:
    case KILN_OP_TT_BROADCAST:
    case KILN_OP_TT_TRANS:
    case KILN_OP_TTG_CONVERT_LAYOUT:
    case KILN_OP_ARITH_EXTSI:
    case KILN_OP_ARITH_TRUNCI:
        if (!evaluate(machine, kiln_op_operand(op, 0), depth - 1, &a))
            return false;
        *out = wrapped(bits, a);
        return true;
    case KILN_OP_ARITH_CMPI:
        if (!evaluate(machine, kiln_op_operand(op, 0), depth - 1, &a) ||
            !evaluate(machine, kiln_op_operand(op, 1), depth - 1, &b))
            return false;
        *out = wrapped(1, compare(kiln_cmpi_of(op),
                                  kiln_type_bits(mlirValueGetType(kiln_op_operand(op, 0))), a, b));
        return true;
    default:
        if (mlirOperationIsNull(op) || mlirOperationGetNumOperands(op) != 2 ||
            !evaluate(machine, kiln_op_operand(op, 0), depth - 1, &a) ||
            !evaluate(machine, kiln_op_operand(op, 1), depth - 1, &b) ||
            !compute(kind, bits, a, b, out))
            return false;
        *out = wrapped(bits, *out);
        return true;
    }
}

bool kiln_argument_lies_below_2_gib(MlirOperation function, MlirValue value)
{
    MlirAttribute all = kiln_ir_attr(function, "arg_attrs");
    if (!mlirValueIsABlockArgument(value) || mlirAttributeIsNull(all) ||
        !mlirBlockEqual(mlirBlockArgumentGetOwner(value), kiln_op_body(function, 0)))
        return false;
    intptr_t number = mlirBlockArgumentGetArgNumber(value);
    if (number >= mlirArrayAttrGetNumElements(all))
        return false;
    MlirAttribute range = mlirDictionaryAttrGetElementByName(
        mlirArrayAttrGetElement(all, number), mlirStringRefCreateFromCString("tt.pointer_range"));
    return !mlirAttributeIsNull(range) && mlirAttributeIsAInteger(range) &&
           mlirIntegerAttrGetValueInt(range) == 32;
}

// Evaluates the number of bytes between an argument with less than 2 GiB of memory and the first
// pointer.
static bool evaluate_pointer(machine_t *machine, MlirValue value, int depth, int64_t *out)
{
    MlirOperation op;
    int64_t offset, bytes;
    if (depth == 0 || --machine->steps < 0)
        return false;
    *out = 0;
    switch (kiln_value_op(value, &op)) {
    case KILN_OP_TT_SPLAT:
    case KILN_OP_TT_EXPAND_DIMS:
    case KILN_OP_TT_BROADCAST:
    case KILN_OP_TTG_CONVERT_LAYOUT:
        return evaluate_pointer(machine, kiln_op_operand(op, 0), depth - 1, out);
    case KILN_OP_TT_ADDPTR: {
        int bits = kiln_type_bits(kiln_ptr_pointee(kiln_type_element(mlirValueGetType(value))));
        return evaluate_pointer(machine, kiln_op_operand(op, 0), depth - 1, out) &&
               evaluate(machine, kiln_op_operand(op, 1), depth - 1, &offset) &&
               !__builtin_mul_overflow(offset, (int64_t)(bits < 8 ? 1 : bits / 8), &bytes) &&
               !__builtin_add_overflow(*out, bytes, out);
    }
    default:
        return kiln_argument_lies_below_2_gib(machine->function, value);
    }
}

// Whether a scalar is computed only from arguments and constants.
static bool is_same_in_all_programs(const machine_t *machine, MlirValue value, int depth)
{
    MlirOperation op;
    if (mlirValueIsABlockArgument(value))
        return mlirBlockEqual(mlirBlockArgumentGetOwner(value), kiln_op_body(machine->function, 0));
    const kiln_op_t kind = kiln_value_op(value, &op);
    if (kind == KILN_OP_ARITH_CONSTANT)
        return true;
    bool same = depth > 0 && kiln_op_has(kind, KILN_ELEMENTWISE) &&
                (kiln_op_has(kind, KILN_PLAIN) || kiln_op_has(kind, KILN_DIVIDES));
    for (intptr_t i = 0; same && i < mlirOperationGetNumOperands(op); i++)
        same = is_same_in_all_programs(machine, mlirOperationGetOperand(op, i), depth - 1);
    return same;
}

// Whether number < scalar, or number <= scalar, is known.
static bool is_known_below(machine_t *machine, MlirValue number, MlirValue scalar, bool or_equal)
{
    enum { MAX_DEPTH = 6 };
    int64_t value;
    scalar = kiln_ir_scalar_of(scalar);
    if (mlirValueIsNull(scalar) || !is_same_in_all_programs(machine, scalar, MAX_DEPTH) ||
        !evaluate(machine, number, DEPTH, &value))
        return false;
    if (!or_equal)
        return machine->is_more(machine->user, scalar, value);
    const int bits = kiln_type_bits(mlirValueGetType(scalar));
    const int64_t min = bits >= 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1));
    return value <= min || machine->is_more(machine->user, scalar, value - 1);
}

// Whether a mask is certainly true for its first element.
static bool holds(machine_t *machine, MlirValue mask, int depth)
{
    int64_t truth;
    MlirOperation op;
    if (depth == 0)
        return false;
    if (evaluate(machine, mask, depth, &truth))
        return truth;
    if (!machine->is_more)
        return false;
    switch (kiln_value_op(mask, &op)) {
    case KILN_OP_ARITH_ANDI:
        return holds(machine, kiln_op_operand(op, 0), depth - 1) &&
               holds(machine, kiln_op_operand(op, 1), depth - 1);
    case KILN_OP_TT_SPLAT:
    case KILN_OP_TT_EXPAND_DIMS:
    case KILN_OP_TT_BROADCAST:
    case KILN_OP_TTG_CONVERT_LAYOUT:
        return holds(machine, kiln_op_operand(op, 0), depth - 1);
    case KILN_OP_ARITH_CMPI: {
        const kiln_cmpi_t predicate = kiln_cmpi_of(op);
        const int below = predicate == KILN_CMPI_SLT || predicate == KILN_CMPI_SLE   ? 0
                          : predicate == KILN_CMPI_SGT || predicate == KILN_CMPI_SGE ? 1
                                                                                     : -1;
        return below >= 0 &&
               is_known_below(machine, kiln_op_operand(op, below), kiln_op_operand(op, 1 - below),
                              predicate == KILN_CMPI_SLE || predicate == KILN_CMPI_SGE);
    }
    default:
        return false;
    }
}

// Whether the program makes an access 2 GiB or more away from an argument with less than 2 GiB of
// memory.
static bool leaves_memory(machine_t *machine)
{
    MlirBlock block = kiln_op_body(machine->function, 0);
    int accesses = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(block);
         !mlirOperationIsNull(op) && kiln_op_always_continues(op) && accesses < MAX_ACCESSES;
         op = mlirOperationGetNextInBlock(op)) {
        kiln_op_t kind = kiln_op_kind(op);
        if (kind != KILN_OP_TT_LOAD && kind != KILN_OP_TT_STORE)
            continue;
        MlirValue mask = kiln_op_segment(op, kind == KILN_OP_TT_LOAD ? 1 : 2);
        int64_t offset;
        accesses++;
        machine->steps = MAX_STEPS;
        if (evaluate_pointer(machine, kiln_op_operand(op, 0), DEPTH, &offset) &&
            (offset <= INT32_MIN || offset > INT32_MAX) &&
            (mlirValueIsNull(mask) || holds(machine, mask, DEPTH)))
            return true;
    }
    return false;
}

// Candidates --------------------------------------------------------------------------------------

static MlirWalkResult find_call(MlirOperation op, void *user)
{
    bool *found = user;
    *found = kiln_op_kind(op) == KILN_OP_TT_CALL;
    return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool kiln_is_whole_program(MlirOperation function)
{
    bool calls = false;
    kiln_walk(kiln_op_parent(function), MlirWalkPreOrder, find_call, &calls);
    return !calls;
}

int64_t kiln_program_bound(MlirOperation function, int64_t max)
{
    return kiln_program_bound_where(function, max, NULL, NULL);
}

int64_t kiln_program_bound_where(MlirOperation function, int64_t max, kiln_is_more_t is_more,
                                 void *user)
{
    const int64_t end = INT64_C(1) << 31;
    MlirBlock block = kiln_op_body(function, 0);
    bool checked = false;
    for (MlirOperation op = mlirBlockIsNull(block) ? (MlirOperation){NULL}
                                                   : mlirBlockGetFirstOperation(block);
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        MlirOperation id;
        int64_t factor;
        if (kiln_op_kind(op) != KILN_OP_ARITH_MULI ||
            kiln_type_bits(mlirValueGetType(kiln_op_result(op, 0))) != 32 ||
            kiln_value_op(kiln_op_operand(op, 0), &id) != KILN_OP_TT_GET_PROGRAM_ID ||
            kiln_ir_int_attr(id, "axis", 0) != 0 ||
            !kiln_ir_constant_int(kiln_op_operand(op, 1), &factor) || factor < 2)
            continue;
        machine_t machine = {.function = function,
                             .program = (end + factor - 1) / factor,
                             .is_more = is_more,
                             .user = user};
        if (machine.program > max)
            continue;
        if (!checked && !kiln_is_whole_program(function))
            return max;
        checked = true;
        if (leaves_memory(&machine))
            max = machine.program - 1;
    }
    return max;
}
