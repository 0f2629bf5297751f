// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The findings narrow-access and misaligned-access: loads and stores that are narrow, or wide but
// at any address, because an argument lacks the promise that it is a multiple of 16.
//
// To find the arguments, all of them are assumed to be multiples of 16, and then each is dropped in
// turn; the remark names those that the width depends on. Note that promises cannot make an access
// wider than a lane's share of the tile.
//
// Loads of remainders have a branch in which groups that a multiple of the divisor breaks are
// loaded element by element (passes/linear_remainders.c). No group is broken if the tile's start
// and the divisor are multiples of the group's size.
#include <stdlib.h>
#include <string.h>

#include "analysis/axis/axis_info.h"
#include "analysis/axis/mask_order.h"
#include "base/gfx942.h"
#include "base/string.h"
#include "builder/ir.h"
#include "driver/compile_internal.h"

enum { MAX_ARGUMENTS = 64, PROMISE = 16, MAX_KEPT = 32 };

typedef struct assumption {
    uint64_t promised;
    kiln_axis_analysis_t *axis;
} assumption_t;

typedef struct search {
    kiln_compilation_t *c;
    MlirOperation func;
    MlirAttribute own; // its arg_attrs
    intptr_t argument_count;
    uint64_t candidates;         // integers and pointers without a promise, one bit each
    uint64_t pointers;           // of them
    assumption_t kept[MAX_KEPT]; // since accesses mostly depend on the same arguments
    int assumption_count;        // of all, also those that later ones replaced
    kiln_status_t failure;
} search_t;

static MlirAttribute with_promise(MlirContext context, MlirAttribute attributes)
{
    MlirNamedAttribute list[16] = {
        kiln_ir_named(context, "tt.divisibility", kiln_ir_i32_attr(context, PROMISE))};
    intptr_t count = 1;
    for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(attributes) && count < 16; i++)
        list[count++] = mlirDictionaryAttrGetElement(attributes, i);
    return mlirDictionaryAttrGet(context, count, list);
}

static kiln_axis_analysis_t *analyze(search_t *search, uint64_t promised)
{
    MlirContext context = search->c->session->mlir;
    MlirStringRef name = mlirStringRefCreateFromCString("arg_attrs");
    MlirAttribute list[MAX_ARGUMENTS], none = mlirDictionaryAttrGet(context, 0, NULL);
    for (intptr_t i = 0; i < search->argument_count; i++) {
        list[i] = mlirAttributeIsNull(search->own) ? none : mlirArrayAttrGetElement(search->own, i);
        if (promised >> i & 1)
            list[i] = with_promise(context, list[i]);
    }
    mlirOperationSetAttributeByName(search->func, name,
                                    mlirArrayAttrGet(context, search->argument_count, list));
    kiln_axis_analysis_t *analysis = NULL;
    kiln_status_t status = kiln_axis_analysis_create(search->func, &analysis);
    if (mlirAttributeIsNull(search->own))
        mlirOperationRemoveAttributeByName(search->func, name);
    else
        mlirOperationSetAttributeByName(search->func, name, search->own);
    if (status && !search->failure)
        search->failure = status;
    else
        kiln_status_free(status);
    return analysis;
}

// The axis information under the assumption that these arguments are multiples of 16; null after a
// failure. The next call may destroy it.
static const kiln_axis_analysis_t *assume_multiples(search_t *search, uint64_t promised)
{
    for (int i = 0; i < MAX_KEPT; i++)
        if (search->kept[i].axis && search->kept[i].promised == promised)
            return search->kept[i].axis;
    assumption_t *oldest = &search->kept[search->assumption_count++ % MAX_KEPT];
    kiln_axis_analysis_destroy(oldest->axis);
    *oldest = (assumption_t){promised, analyze(search, promised)};
    return oldest->axis;
}

// What one lane may access at once.
typedef struct access {
    int elements;
    int alignment; // of the address, bytes; at most of all elements
} access_t;

static int element_bytes(MlirOperation op)
{
    const int bits = kiln_type_bits(
        kiln_ptr_pointee(kiln_type_element(mlirValueGetType(kiln_op_operand(op, 0)))));
    return bits < 8 ? 1 : bits / 8;
}

// The larger of two accesses, of which the second is along a dimension of this extent, of elements
// of `size` bytes, of which a lane has `share`.
static access_t larger(access_t a, kiln_axis_access_t b, int64_t extent, int64_t share, int size)
{
    int elements = b.elements < extent ? b.elements : (int)extent;
    elements = share < elements ? (share < 1 ? 1 : (int)share) : elements;
    const int bytes = elements * size, alignment = b.alignment < bytes ? b.alignment : bytes;
    return elements > a.elements || (elements == a.elements && alignment > a.alignment)
               ? (access_t){elements, alignment}
               : a;
}

// Returns the load of whole groups next to a load that accesses elements of broken groups one at a
// time; null: it is no such load.
static MlirOperation load_of_groups(MlirOperation op)
{
    MlirOperation branch = kiln_op_parent(op), sum, load;
    if (kiln_op_kind(op) != KILN_OP_TT_LOAD || kiln_op_kind(branch) != KILN_OP_SCF_IF ||
        !mlirOperationGetNumResults(branch) ||
        kiln_value_op(kiln_op_operand(op, 0), &sum) != KILN_OP_TT_ADDPTR)
        return (MlirOperation){NULL};
    MlirOperation yield = kiln_block_terminator(kiln_op_body(branch, 1));
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); i++)
        if (kiln_value_op(mlirOperationGetOperand(yield, i), &load) == KILN_OP_TT_LOAD &&
            mlirValueEqual(kiln_op_operand(load, 0), kiln_op_operand(sum, 0)))
            return load;
    return (MlirOperation){NULL};
}

// Returns the first remainder on which the value depends; null: none within the budget.
static MlirOperation remainder_in(MlirValue value, int *budget)
{
    MlirOperation op, found = {NULL};
    const kiln_op_t kind = kiln_value_op(value, &op);
    if (--*budget < 0 || mlirValueIsABlockArgument(value))
        return found;
    if (kind == KILN_OP_ARITH_REMUI || kind == KILN_OP_ARITH_REMSI)
        return op;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && mlirOperationIsNull(found); i++)
        found = remainder_in(mlirOperationGetOperand(op, i), budget);
    return found;
}

// Whether groups of this size start at multiples of it and end before one of the divisor.
static bool are_groups_whole(const kiln_axis_analysis_t *analysis, MlirOperation remainder,
                             int64_t group)
{
    MlirOperation sum, splat, same;
    bool starts = false;
    if (kiln_axis_info(analysis, kiln_op_operand(remainder, 1)).divisibility[0] % group ||
        kiln_value_op(kiln_op_operand(remainder, 0), &sum) != KILN_OP_ARITH_ADDI)
        return false;
    for (int i = 0; i < 2; i++) {
        if (kiln_value_op(kiln_op_operand(sum, i), &splat) != KILN_OP_TT_SPLAT)
            continue;
        MlirValue start = kiln_op_operand(splat, 0);
        if (kiln_value_op(start, &same) == KILN_OP_TT_ELEMENTWISE_INLINE_ASM)
            start = kiln_op_operand(same, 0); // that keeps LLVM from moving it
        starts = kiln_axis_info(analysis, start).divisibility[0] % group == 0;
    }
    return starts;
}

typedef enum mask_use { WITH_MASK, WITHOUT_MASK } mask_use_t;

static access_t access_of(const search_t *search, const kiln_axis_analysis_t *analysis,
                          MlirOperation op, mask_use_t use)
{
    enum { BUDGET = 64 };
    const access_t apart = {1, 1};
    const MlirOperation groups = load_of_groups(op);
    int budget = BUDGET;
    if (!mlirOperationIsNull(groups)) {
        const access_t whole = access_of(search, analysis, groups, use);
        const MlirOperation remainder =
            remainder_in(kiln_op_operand(mlirOpResultGetOwner(kiln_op_operand(op, 0)), 1), &budget);
        if (mlirOperationIsNull(remainder))
            return apart; // first elements, of negative numbers
        return are_groups_whole(analysis, remainder, whole.elements) ? whole : apart;
    }
    const bool is_load = kiln_op_kind(op) == KILN_OP_TT_LOAD;
    MlirValue pointers = kiln_op_operand(op, 0),
              mask = use == WITH_MASK ? kiln_op_segment(op, is_load ? 1 : 2) : (MlirValue){NULL};
    MlirType type = mlirValueGetType(pointers);
    const int64_t share =
        kiln_type_count(type) / (KILN_GFX942_LANES * (int64_t)search->c->options.num_warps);
    access_t best = {0};
    for (int d = 0; d < kiln_type_rank(type); d++) {
        const int64_t extent = kiln_type_dim(type, d);
        best = larger(best,
                      kiln_axis_access_along(analysis, pointers, mask,
                                             is_load ? KILN_AXIS_SHARED : KILN_AXIS_DISTINCT, d),
                      extent, share, element_bytes(op));
        if (share >= KILN_SPLIT_MIN)
            best = larger(best, kiln_split_access_along(analysis, op, d), extent, share,
                          element_bytes(op));
    }
    return best;
}

// What a lane may access if these arguments are multiples of 16; no elements after a failure.
static access_t access_under(search_t *search, uint64_t promised, MlirOperation op, mask_use_t use)
{
    const kiln_axis_analysis_t *axis = assume_multiples(search, promised);
    return axis ? access_of(search, axis, op, use) : (access_t){0};
}

// A minimal set of candidates with which the access is as wide as with all of them and, unless it
// is narrow now, as well aligned.
static uint64_t find_needed(search_t *search, MlirOperation op, access_t wanted, bool is_narrow)
{
    uint64_t needed = search->candidates;
    for (intptr_t i = 0; i < search->argument_count; i++) {
        if (!(needed >> i & 1))
            continue;
        const access_t then = access_under(search, needed & ~((uint64_t)1 << i), op, WITH_MASK);
        if (then.elements == wanted.elements && (is_narrow || then.alignment == wanted.alignment))
            needed &= ~((uint64_t)1 << i);
    }
    return needed;
}

static void append_access(kiln_string_t *message, MlirOperation op, access_t now)
{
    const int bytes = now.elements * element_bytes(op);
    kiln_string_appendf(message, "this %s accesses %d byte%s at a time",
                        kiln_op_kind(op) == KILN_OP_TT_LOAD ? "load" : "store", bytes,
                        bytes == 1 ? "" : "s");
}

// Reports an access whose mask is narrow whatever is promised.
static void report_mask(const search_t *search, MlirOperation op, access_t now, access_t unmasked)
{
    kiln_string_t message = {0};
    append_access(&message, op, now);
    kiln_string_appendf(&message, " because its mask may change at each element; without it %d",
                        unmasked.elements * element_bytes(op));
    kiln_session_find_text(search->c->session, KILN_WARNING_NARROW_ACCESS, op, &message,
                           kiln_op_kind(op) == KILN_OP_TT_LOAD
                               ? "load without the mask where all addresses are valid, and select "
                                 "afterwards; or load twice, with one comparison each"
                               : "store twice, with one comparison each");
    kiln_string_free(&message);
}

static void report(search_t *search, MlirOperation op, access_t now, access_t assumed)
{
    const bool is_narrow = now.elements < assumed.elements;
    const kiln_compilation_t *c = search->c;
    uint64_t needed = find_needed(search, op, assumed, is_narrow);
    const int bytes = element_bytes(op);
    kiln_string_t names = {0}, flags = {0}, message = {0}, advice = {0};
    int count = 0, left = __builtin_popcountll(needed);
    for (intptr_t i = 0; i < search->argument_count; i++) {
        if (!(needed >> i & 1))
            continue;
        const kiln_argument_t *argument = &c->kernel->arguments[i];
        kiln_string_appendf(&names, "%s'%s'",
                            !count              ? ""
                            : count + 1 == left ? " and "
                                                : ", ",
                            argument->name);
        kiln_string_appendf(&flags, "%s--arg '%s=%s:%d'", count ? " " : "", argument->name,
                            argument->type, (int)PROMISE);
        count++;
    }
    append_access(&message, op, now);
    if (!mlirOperationIsNull(load_of_groups(op)))
        kiln_string_appendf(&message, " where a remainder wraps within %d elements",
                            assumed.elements);
    if (!is_narrow)
        kiln_string_appendf(&message, ", at addresses that are multiples of %d", now.alignment);
    kiln_string_appendf(&message, "; if %s %s of %d it would access %d",
                        names.data ? names.data : "", left == 1 ? "is a multiple" : "are multiples",
                        (int)PROMISE, assumed.elements * bytes);
    if (!is_narrow)
        kiln_string_appendf(&message, " at multiples of %d", assumed.alignment);
    // Addresses that are multiples of the access are not yet those of whole lines.
    const int line = KILN_GFX942_L2_LINE / bytes,
              multiple = is_narrow || line < PROMISE ? PROMISE : line;
    if (c->source->stage == KILN_STAGE_TILE)
        kiln_string_appendf(&advice,
                            "pass %s of %d%s, for example by padding rows, and when compiling "
                            "ahead promise %s by %s",
                            left == 1 ? "a multiple" : "multiples", multiple,
                            is_narrow ? "" : " (a line of memory)",
                            is_narrow ? "it" : "that it is one of 16",
                            flags.data ? flags.data : "");
    else
        kiln_string_appendf(&advice, "promise it by tt.divisibility = %d on %s", (int)PROMISE,
                            left == 1 ? "the argument" : "the arguments");
    message.failed |= names.failed || flags.failed || advice.failed;
    kiln_session_find_text(c->session,
                           is_narrow ? KILN_WARNING_NARROW_ACCESS : KILN_WARNING_MISALIGNED_ACCESS,
                           op, &message, advice.data);
    kiln_string_free(&advice);
    kiln_string_free(&names);
    kiln_string_free(&flags);
    kiln_string_free(&message);
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    search_t *search = user;
    kiln_op_t kind = kiln_op_kind(op);
    if ((kind != KILN_OP_TT_LOAD && kind != KILN_OP_TT_STORE) ||
        !kiln_type_is_tensor(mlirValueGetType(kiln_op_operand(op, 0))))
        return MlirWalkResultAdvance;
    const access_t now = access_under(search, 0, op, WITH_MASK),
                   assumed = access_under(search, search->candidates, op, WITH_MASK),
                   allocated = access_under(search, search->pointers, op, WITH_MASK),
                   unmasked = access_under(search, 0, op, WITHOUT_MASK);
    if (search->failure)
        return MlirWalkResultInterrupt;
    // Buffers are aligned in any case, so only integers decide whether a wide access is.
    if (assumed.elements > now.elements ||
        (now.elements > 1 && assumed.alignment > allocated.alignment))
        report(search, op, now, assumed);
    if (unmasked.elements > now.elements && assumed.elements == now.elements)
        report_mask(search, op, now, unmasked);
    return MlirWalkResultAdvance;
}

static bool may_be_promised(MlirType type)
{
    return kiln_type_is_ptr(type) ||
           (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) >= 8);
}

// Passes create versions of a kernel, or of a loop, in which dividends are not negative, if that
// makes accesses wide. Since this depends on the promises, divisions count as unsigned here.
static MlirWalkResult divide_unsigned(MlirOperation op, void *user)
{
    (void)user;
    const kiln_op_t kind = kiln_op_kind(op);
    if ((kind != KILN_OP_ARITH_REMSI && kind != KILN_OP_ARITH_DIVSI) ||
        !kiln_type_is_tensor(mlirValueGetType(kiln_op_result(op, 0))))
        return MlirWalkResultAdvance;
    const kiln_ir_t ir = kiln_ir_before(op);
    kiln_value_replace(
        kiln_op_result(op, 0),
        kiln_ir_binary(&ir, kind == KILN_OP_ARITH_REMSI ? KILN_OP_ARITH_REMUI : KILN_OP_ARITH_DIVUI,
                       kiln_op_operand(op, 0), kiln_op_operand(op, 1)));
    kiln_op_erase(op);
    return MlirWalkResultAdvance;
}

static MlirOperation function_named(MlirModule module, const char *name)
{
    MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        if (kiln_op_kind(op) == KILN_OP_TT_FUNC &&
            mlirStringRefEqual(mlirStringAttrGetValue(kiln_ir_attr(op, "sym_name")),
                               mlirStringRefCreateFromCString(name)))
            break;
    return op;
}

static void find(search_t *search)
{
    search->own = kiln_ir_attr(search->func, "arg_attrs");
    for (intptr_t i = 0; i < search->argument_count; i++) {
        const MlirType type =
            mlirValueGetType(mlirBlockGetArgument(kiln_op_body(search->func, 0), i));
        if (search->c->kernel->arguments[i].divisibility || !may_be_promised(type))
            continue;
        search->candidates |= (uint64_t)1 << i;
        search->pointers |= kiln_type_is_ptr(type) ? (uint64_t)1 << i : 0;
    }
    kiln_walk(search->func, MlirWalkPostOrder, divide_unsigned, NULL);
    kiln_walk(search->func, MlirWalkPreOrder, visit, search);
    for (int i = 0; i < MAX_KEPT; i++)
        kiln_axis_analysis_destroy(search->kept[i].axis);
}

kiln_status_t kiln_compile_find_narrow_accesses(kiln_compilation_t *c)
{
    search_t search = {.c = c, .argument_count = (intptr_t)c->kernel->argument_count};
    const kiln_warnings_t *warnings = &c->diagnostics->searched;
    if ((!kiln_warning_is_enabled(warnings, KILN_WARNING_NARROW_ACCESS) &&
         !kiln_warning_is_enabled(warnings, KILN_WARNING_MISALIGNED_ACCESS)) ||
        search.argument_count > MAX_ARGUMENTS)
        return KILN_OK;
    // The analysis adds promises to a copy, so that the module to be compiled does not change.
    MlirModule copy =
        mlirModuleFromOperation(mlirOperationClone(mlirModuleGetOperation(c->module)));
    search.func = function_named(copy, c->kernel->name);
    if (!mlirOperationIsNull(search.func))
        find(&search);
    mlirModuleDestroy(copy);
    return search.failure;
}
