// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Propagates axis information forwards through blocks, and around loops and branches until it no
// longer changes.
//
// Facts about joined values (block arguments) only get weaker from walk to walk, also in walks that
// an outer loop repeats. So their number limits the number of walks of a whole nest, however deep
// it is. Facts about other values are those of the last walk, and are derived again only if those
// of an operand have changed. Each fact is a power of two, so a few rounds suffice; facts that
// still change after ROUNDS become the weakest ones.
//
// Note that a value without facts has not been reached by a walk yet, and its users wait for it;
// that differs from a value about which nothing is known. A value that is never reached is never
// computed; queries use its operation alone.
#include "analysis/axis/axis_info.h"

#include <stdlib.h>
#include <string.h>

#include <mlir-c/BuiltinAttributes.h>

#include "analysis/axis/transfer.h"
#include "analysis/pointer_map.h"
#include "base/array.h"
#include "builder/ir.h"
#include "layout/layout.h"

enum { ROUNDS = 6, MAX_OPERANDS = 4, LOOKUP_DEPTH = 16, MAX_ACCESS_BITS = 128 };

typedef struct entry {
    kiln_axis_info_t info;
    uint64_t changed, derived; // times when the facts changed, and were derived from operands
} entry_t;

struct kiln_axis_analysis {
    kiln_pointer_map_t map; // value → entry
    entry_t *entries;
    int count;
    uint64_t time; // number of changes so far
    size_t capacity;
    size_t waits; // operations and joins, so far, that waited for a value to be reached
    kiln_range_analysis_t *ranges;
    uint64_t erasures; // kiln_ir_erasures() when the analysis was created
    bool out_of_memory;
};

static const kiln_axis_info_t *lookup(const kiln_axis_analysis_t *analysis, MlirValue value)
{
    bool holds = analysis->erasures == kiln_ir_erasures();
    int index = holds ? kiln_pointer_map_get(&analysis->map, value.ptr) : -1;
    return index < 0 ? NULL : &analysis->entries[index].info;
}

// Returns whether the fact is new.
static bool set(kiln_axis_analysis_t *analysis, MlirValue value, const kiln_axis_info_t *info)
{
    int index = kiln_pointer_map_get(&analysis->map, value.ptr);
    if (index >= 0) {
        entry_t *entry = &analysis->entries[index];
        if (kiln_axis_equal(&entry->info, info))
            return false;
        entry->info = *info;
        entry->changed = ++analysis->time;
        return true;
    }
    if (!KILN_ARRAY_RESERVE(&analysis->entries, &analysis->capacity, (size_t)analysis->count + 1)) {
        analysis->out_of_memory = true;
        return false;
    }
    if (!kiln_pointer_map_put(&analysis->map, value.ptr, analysis->count)) {
        analysis->out_of_memory = true;
        return false;
    }
    analysis->entries[analysis->count++] = (entry_t){.info = *info, .changed = ++analysis->time};
    return true;
}

// Joins `from` into `to`; after ROUNDS nothing is assumed of values that still change.
static bool flow(kiln_axis_analysis_t *analysis, MlirValue from, MlirValue to, int round)
{
    const kiln_axis_info_t *incoming = lookup(analysis, from), *present = lookup(analysis, to);
    if (!incoming) {
        analysis->waits++;
        return false;
    }
    kiln_axis_info_t info = *incoming;
    if (present) {
        MlirType type = mlirValueGetType(to);
        info = kiln_axis_join(present, incoming, type);
        if (round >= ROUNDS && !kiln_axis_equal(present, &info))
            info = kiln_axis_unknown(type);
    }
    return set(analysis, to, &info);
}

static void copy(kiln_axis_analysis_t *analysis, MlirValue from, MlirValue to)
{
    const kiln_axis_info_t *known = lookup(analysis, from);
    if (!known) {
        analysis->waits++;
        return;
    }
    kiln_axis_info_t info = *known;
    set(analysis, to, &info);
}

static void set_unknown(kiln_axis_analysis_t *analysis, MlirValue value)
{
    kiln_axis_info_t info = kiln_axis_unknown(mlirValueGetType(value));
    set(analysis, value, &info);
}

static void visit_region(kiln_axis_analysis_t *analysis, MlirRegion region);

// Structured control flow -------------------------------------------------------------------------

static MlirOperation terminator_of(MlirOperation op, int region)
{
    return kiln_block_terminator(kiln_op_body(op, region));
}

static void visit_for(kiln_axis_analysis_t *analysis, MlirOperation op)
{
    MlirBlock body = kiln_op_body(op, 0);
    MlirValue induction = mlirBlockGetArgument(body, 0);
    intptr_t carried = mlirOperationGetNumResults(op);
    const kiln_axis_info_t *lower = lookup(analysis, kiln_op_operand(op, 0));
    const kiln_axis_info_t *step = lookup(analysis, kiln_op_operand(op, 2));
    if (!lower || !step) {
        analysis->waits++;
        return;
    }
    kiln_axis_info_t info = kiln_axis_unknown(mlirValueGetType(induction));
    info.divisibility[0] = lower->divisibility[0] < step->divisibility[0] ? lower->divisibility[0]
                                                                          : step->divisibility[0];
    set(analysis, induction, &info);
    for (intptr_t i = 0; i < carried; i++)
        flow(analysis, mlirOperationGetOperand(op, 3 + i), mlirBlockGetArgument(body, 1 + i), 0);
    bool changed = true;
    for (int round = 0; changed; round++) {
        visit_region(analysis, mlirOperationGetRegion(op, 0));
        changed = false;
        MlirOperation yield = kiln_block_terminator(body);
        for (intptr_t i = 0; i < carried; i++)
            changed |= flow(analysis, mlirOperationGetOperand(yield, i),
                            mlirBlockGetArgument(body, 1 + i), round);
    }
    // Zero iterations give the initial value, which the argument covers, too.
    for (intptr_t i = 0; i < carried; i++)
        copy(analysis, mlirBlockGetArgument(body, 1 + i), mlirOperationGetResult(op, i));
}

static void visit_while(kiln_axis_analysis_t *analysis, MlirOperation op)
{
    MlirBlock before = kiln_op_body(op, 0), after = kiln_op_body(op, 1);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(before); i++)
        flow(analysis, mlirOperationGetOperand(op, i), mlirBlockGetArgument(before, i), 0);
    bool changed = true;
    for (int round = 0; changed; round++) {
        changed = false;
        visit_region(analysis, mlirOperationGetRegion(op, 0));
        MlirOperation condition = kiln_block_terminator(before);
        for (intptr_t i = 0; i < mlirBlockGetNumArguments(after); i++)
            changed |= flow(analysis, mlirOperationGetOperand(condition, 1 + i),
                            mlirBlockGetArgument(after, i), round);
        visit_region(analysis, mlirOperationGetRegion(op, 1));
        MlirOperation yield = kiln_block_terminator(after);
        for (intptr_t i = 0; i < mlirBlockGetNumArguments(before); i++)
            changed |= flow(analysis, mlirOperationGetOperand(yield, i),
                            mlirBlockGetArgument(before, i), round);
    }
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        copy(analysis, mlirOperationGetOperand(kiln_block_terminator(before), 1 + i),
             mlirOperationGetResult(op, i));
}

// The result is joined from the yields of both regions, of this walk alone.
static void visit_if(kiln_axis_analysis_t *analysis, MlirOperation op)
{
    for (int r = 0; r < (int)mlirOperationGetNumRegions(op); r++)
        visit_region(analysis, mlirOperationGetRegion(op, r));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        MlirValue result = mlirOperationGetResult(op, i);
        kiln_axis_info_t info = kiln_axis_unknown(mlirValueGetType(result));
        bool any = false;
        for (int r = 0; r < (int)mlirOperationGetNumRegions(op); r++) {
            const kiln_axis_info_t *yielded =
                lookup(analysis, mlirOperationGetOperand(terminator_of(op, r), i));
            if (!yielded) {
                analysis->waits++;
                continue;
            }
            info = any ? kiln_axis_join(&info, yielded, mlirValueGetType(result)) : *yielded;
            any = true;
        }
        if (any)
            set(analysis, result, &info);
    }
}

// Other operations --------------------------------------------------------------------------------

static void apply_op_hints(MlirOperation op, kiln_axis_info_t *info)
{
    MlirType type = mlirValueGetType(kiln_op_result(op, 0));
    MlirStringRef names[] = {mlirStringRefCreateFromCString("tt.divisibility"),
                             mlirStringRefCreateFromCString("tt.contiguity"),
                             mlirStringRefCreateFromCString("tt.constancy")};
    MlirAttribute hints[3];
    for (int i = 0; i < 3; i++)
        hints[i] = mlirOperationGetDiscardableAttributeByName(op, names[i]);
    kiln_axis_apply_hints(info, type, hints[0], hints[1], hints[2]);
}

static bool has_hints(MlirOperation op)
{
    return mlirOperationGetNumDiscardableAttributes(op) > 0;
}

static void visit_plain(kiln_axis_analysis_t *analysis, MlirOperation op)
{
    intptr_t results = mlirOperationGetNumResults(op), count = mlirOperationGetNumOperands(op);
    for (int r = 0; r < (int)mlirOperationGetNumRegions(op); r++)
        visit_region(analysis, mlirOperationGetRegion(op, r));
    for (intptr_t i = 1; i < results; i++)
        set_unknown(analysis, mlirOperationGetResult(op, i));
    if (results == 0)
        return;
    kiln_axis_info_t operands[MAX_OPERANDS];
    MlirValue result = mlirOperationGetResult(op, 0);
    if (count > MAX_OPERANDS) {
        set_unknown(analysis, result);
        return;
    }
    uint64_t newest = 0;
    for (intptr_t i = 0; i < count; i++) {
        int at = kiln_pointer_map_get(&analysis->map, mlirOperationGetOperand(op, i).ptr);
        if (at < 0) {
            analysis->waits++;
            return;
        }
        const entry_t *known = &analysis->entries[at];
        operands[i] = known->info;
        newest = known->changed > newest ? known->changed : newest;
    }
    int at = kiln_pointer_map_get(&analysis->map, result.ptr);
    if (at >= 0 && analysis->entries[at].derived >= newest)
        return; // of the same operands
    kiln_axis_info_t info = kiln_axis_transfer(op, operands, analysis->ranges);
    if (has_hints(op))
        apply_op_hints(op, &info);
    set(analysis, result, &info);
    at = kiln_pointer_map_get(&analysis->map, result.ptr);
    if (at >= 0)
        analysis->entries[at].derived = analysis->time;
}

static bool flow_to_successors(kiln_axis_analysis_t *analysis, MlirOperation op, int round)
{
    bool changed = false;
    intptr_t successors = mlirOperationGetNumSuccessors(op), operand = 0;
    if (kiln_op_kind(op) == KILN_OP_CF_COND_BR)
        operand = 1;
    for (intptr_t s = 0; s < successors; s++) {
        MlirBlock block = mlirOperationGetSuccessor(op, s);
        for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
            changed |= flow(analysis, mlirOperationGetOperand(op, operand++),
                            mlirBlockGetArgument(block, i), round);
    }
    return changed;
}

static void visit_operation(kiln_axis_analysis_t *analysis, MlirOperation op);

static void visit_region(kiln_axis_analysis_t *analysis, MlirRegion region)
{
    bool changed = true;
    for (int round = 0; changed; round++) {
        const int reached = analysis->count;
        const size_t waits = analysis->waits;
        changed = false;
        for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
             block = mlirBlockGetNextInRegion(block))
            for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
                 op = mlirOperationGetNextInBlock(op)) {
                visit_operation(analysis, op);
                if (mlirOperationGetNumSuccessors(op) > 0)
                    changed |= flow_to_successors(analysis, op, round);
            }
        changed |= analysis->waits > waits && analysis->count > reached;
    }
}

// Arguments of a function get the facts of their attributes.
static void visit_function(kiln_axis_analysis_t *analysis, MlirOperation op)
{
    MlirBlock entry = kiln_op_body(op, 0);
    if (mlirBlockIsNull(entry))
        return;
    MlirAttribute all = kiln_ir_attr(op, "arg_attrs");
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++) {
        MlirValue argument = mlirBlockGetArgument(entry, i);
        kiln_axis_info_t info = kiln_axis_unknown(mlirValueGetType(argument));
        if (!mlirAttributeIsNull(all) && i < mlirArrayAttrGetNumElements(all)) {
            MlirAttribute one = mlirArrayAttrGetElement(all, i);
            kiln_axis_apply_hints(&info, mlirValueGetType(argument),
                                  mlirDictionaryAttrGetElementByName(
                                      one, mlirStringRefCreateFromCString("tt.divisibility")),
                                  mlirDictionaryAttrGetElementByName(
                                      one, mlirStringRefCreateFromCString("tt.contiguity")),
                                  mlirDictionaryAttrGetElementByName(
                                      one, mlirStringRefCreateFromCString("tt.constancy")));
        }
        set(analysis, argument, &info);
    }
    visit_region(analysis, mlirOperationGetRegion(op, 0));
}

// Nothing is known of region arguments that are elements (of reduce, scan, map_elementwise).
static void set_region_arguments_unknown(kiln_axis_analysis_t *analysis, MlirOperation op)
{
    for (int r = 0; r < (int)mlirOperationGetNumRegions(op); r++) {
        MlirBlock block = kiln_op_body(op, r);
        for (intptr_t i = 0; !mlirBlockIsNull(block) && i < mlirBlockGetNumArguments(block); i++)
            set_unknown(analysis, mlirBlockGetArgument(block, i));
    }
}

static void visit_operation(kiln_axis_analysis_t *analysis, MlirOperation op)
{
    switch (kiln_op_kind(op)) {
    case KILN_OP_TT_FUNC:
        visit_function(analysis, op);
        break;
    case KILN_OP_SCF_FOR:
        visit_for(analysis, op);
        break;
    case KILN_OP_SCF_WHILE:
        visit_while(analysis, op);
        break;
    case KILN_OP_SCF_IF:
        visit_if(analysis, op);
        break;
    default:
        set_region_arguments_unknown(analysis, op);
        visit_plain(analysis, op);
        break;
    }
}

kiln_status_t kiln_axis_analysis_create(MlirOperation root, kiln_axis_analysis_t **out)
{
    *out = NULL;
    kiln_axis_analysis_t *analysis = calloc(1, sizeof *analysis);
    if (!analysis)
        return kiln_status_out_of_memory();
    analysis->erasures = kiln_ir_erasures();
    kiln_status_t status = kiln_range_analysis_create(root, &analysis->ranges);
    if (status) {
        kiln_axis_analysis_destroy(analysis);
        return status;
    }
    visit_operation(analysis, root);
    if (analysis->out_of_memory) {
        kiln_axis_analysis_destroy(analysis);
        return kiln_status_out_of_memory();
    }
    *out = analysis;
    return KILN_OK;
}

const kiln_range_analysis_t *kiln_axis_ranges(const kiln_axis_analysis_t *analysis)
{
    return analysis->ranges;
}

void kiln_axis_analysis_destroy(kiln_axis_analysis_t *analysis)
{
    if (!analysis)
        return;
    kiln_pointer_map_free(&analysis->map);
    kiln_range_analysis_destroy(analysis->ranges);
    free(analysis->entries);
    free(analysis);
}

// Queries -----------------------------------------------------------------------------------------

static kiln_axis_info_t info_of(const kiln_axis_analysis_t *analysis, MlirValue value, int depth)
{
    const kiln_axis_info_t *known = lookup(analysis, value);
    if (known)
        return *known;
    MlirOperation op;
    kiln_value_op(value, &op);
    if (depth == 0 || mlirOperationIsNull(op) || mlirOperationGetNumRegions(op) > 0 ||
        mlirOperationGetNumOperands(op) > MAX_OPERANDS || mlirOpResultGetResultNumber(value) > 0)
        return kiln_axis_unknown(mlirValueGetType(value));
    kiln_axis_info_t operands[MAX_OPERANDS];
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        operands[i] = info_of(analysis, mlirOperationGetOperand(op, i), depth - 1);
    kiln_axis_info_t info = kiln_axis_transfer(op, operands, analysis->ranges);
    if (has_hints(op))
        apply_op_hints(op, &info);
    return info;
}

kiln_axis_info_t kiln_axis_info(const kiln_axis_analysis_t *analysis, MlirValue value)
{
    return info_of(analysis, value, LOOKUP_DEPTH);
}

static int pointee_bits(MlirValue pointers)
{
    MlirType element = kiln_type_element(mlirValueGetType(pointers));
    int bits = kiln_type_is_ptr(element) ? kiln_type_bits(kiln_ptr_pointee(element))
                                         : kiln_type_bits(element);
    return bits < 8 ? 8 : bits;
}

int64_t kiln_axis_pointer_alignment(const kiln_axis_analysis_t *analysis, MlirValue pointers,
                                    int dim)
{
    return kiln_axis_info(analysis, pointers).divisibility[dim];
}

int64_t kiln_axis_mask_alignment(const kiln_axis_analysis_t *analysis, MlirValue mask, int dim)
{
    if (mlirValueIsNull(mask))
        return INT64_MAX / 2 + 1;
    return kiln_axis_info(analysis, mask).constancy[dim];
}

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// The number of bytes to which each access's address is aligned, if the address of a whole group is
// aligned to access->alignment. Elements are aligned to their size.
static int alignment_of(const kiln_axis_access_t *access, int element)
{
    const int64_t size = (int64_t)access->elements * element;
    const int64_t proved = min(access->alignment, size);
    return (int)(proved > element ? proved : element);
}

kiln_axis_access_t kiln_axis_access_along(const kiln_axis_analysis_t *analysis, MlirValue pointers,
                                          MlirValue mask, kiln_axis_sharing_t sharing, int dim)
{
    kiln_axis_info_t info = kiln_axis_info(analysis, pointers);
    const int bits = pointee_bits(pointers);
    const int64_t max = MAX_ACCESS_BITS / bits,
                  masked = kiln_axis_mask_alignment(analysis, mask, dim);
    const int64_t elements = min(min(info.contiguity[dim], max), masked);
    kiln_axis_access_t access = {(int)elements, 1,
                                 (int)min(info.divisibility[dim], MAX_ACCESS_BITS), dim};
    const kiln_axis_steps_t steps = info.steps[dim];
    if (sharing == KILN_AXIS_SHARED && steps.width > 1) {
        const int64_t shared = min(min(steps.count, max), masked / steps.width);
        if (shared * steps.width > elements)
            access = (kiln_axis_access_t){(int)shared, steps.width, steps.multiple, dim};
    }
    access.alignment = alignment_of(&access, bits / 8);
    return access;
}

kiln_axis_access_t kiln_axis_access(const kiln_axis_analysis_t *analysis, MlirValue pointers,
                                    MlirValue mask, kiln_axis_sharing_t sharing, int num_warps)
{
    MlirType type = mlirValueGetType(pointers);
    const int element = pointee_bits(pointers) / 8;
    kiln_axis_access_t best = {1, 1, element,
                               kiln_type_is_tensor(type) ? kiln_type_rank(type) - 1 : 0};
    kiln_layout_t layout;
    if (!kiln_type_is_tensor(type))
        return best;
    kiln_status_t status = kiln_layout_of_type(type, num_warps, &layout);
    if (status) {
        kiln_status_free(status);
        return best;
    }
    for (int dim = 0; dim < layout.rank; dim++) {
        int32_t order[KILN_MAX_RANK] = {dim};
        for (int d = 0, at = 1; d < layout.rank; d++)
            if (d != dim)
                order[at++] = d;
        kiln_axis_access_t access = kiln_axis_access_along(analysis, pointers, mask, sharing, dim);
        const int64_t so_far = best.elements * best.repeat,
                      length = (int64_t)1 << layout.log2_shape[dim];
        if (access.repeat > 1) {
            const int width = (int)min(access.repeat, length),
                      groups = (int)min(access.elements, length / width);
            access.elements =
                kiln_layout_group_registers(&layout, order, width, groups, &access.repeat);
        } else {
            access.elements =
                kiln_layout_contiguous_registers(&layout, order, (int)min(access.elements, length));
        }
        if (access.elements * access.repeat <= so_far)
            continue;
        access.alignment = alignment_of(&access, element);
        best = access;
    }
    return best;
}
