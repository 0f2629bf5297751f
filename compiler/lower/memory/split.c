// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of groups in which the mask may change, as that of the columns of a row whose length is
// no known multiple of anything. In each group true elements come first, or last, so its last, or
// first, element decides whether the group is moved at once; and only lanes with a group in which
// the mask changes, usually one lane or none, enter a branch that moves elements one by one:
//
//     wide = load group, if mask[7]
//     if mask[0] and not mask[7] {
//         value[i] = load element i, if mask[i]
//     } else { value = wide }
//
// Groups of one mask, as those of several rows, share a branch. Note that a wide load is still
// under way where waves that do not enter the branch go on.
#include "lower/emit.h"
#include "memory.h"

// The predicates of a group.
typedef struct group {
    LLVMValueRef whole, any; // all elements are accessed; some or all are
    LLVMValueRef partial;    // some are; NULL: never
} group_t;

static bool is_const_i1(LLVMValueRef value, bool truth)
{
    return value && LLVMIsAConstantInt(value) && (LLVMConstIntGetZExtValue(value) != 0) == truth;
}

// The register that decides whether the whole group is accessed, and the opposite one.
static uint32_t last_of(const kiln_access_t *access, uint32_t group)
{
    return group * access->span + (access->split == KILN_SPLIT_FALLS ? access->span - 1 : 0);
}

static uint32_t first_of(const kiln_access_t *access, uint32_t group)
{
    return group * access->span + (access->split == KILN_SPLIT_FALLS ? 0 : access->span - 1);
}

static group_t group_at(kiln_lowering_t *l, const kiln_access_t *access, kiln_tile_t *mask,
                        uint32_t at)
{
    LLVMValueRef whole = kiln_tile_value(l, mask, last_of(access, at)),
                 any = kiln_tile_value(l, mask, first_of(access, at));
    group_t group = {.whole = whole, .any = any};
    if (any == whole || is_const_i1(whole, true) || is_const_i1(any, false))
        return group;
    group.partial = LLVMBuildAnd(l->builder, any, LLVMBuildNot(l->builder, whole, ""), "");
    return group;
}

// Whether groups are whole, and partial, in the same lanes. One of the two is not enough: that no
// group is whole may be known of groups of different masks.
static bool is_alike(const group_t *a, const group_t *b)
{
    return a->whole == b->whole && a->any == b->any;
}

static group_t *groups_of(kiln_lowering_t *l, const kiln_access_t *access, kiln_tile_t *mask)
{
    const uint32_t count = access->pointers->count / access->span;
    group_t *groups = KILN_LOWER_ARRAY(l, group_t, count);
    for (uint32_t g = 0; g < count; g++) {
        uint32_t same = 0;
        const group_t own = {.whole = kiln_tile_value(l, mask, last_of(access, g)),
                             .any = kiln_tile_value(l, mask, first_of(access, g))};
        while (same < g && !is_alike(&groups[same], &own))
            same++;
        groups[g] = same < g ? groups[same] : group_at(l, access, mask, g);
    }
    return groups;
}

// Whether a group shares the mask of an earlier one, and therefore its branch.
static bool is_shared(const group_t *groups, uint32_t g)
{
    for (uint32_t i = 0; i < g; i++)
        if (is_alike(&groups[i], &groups[g]))
            return true;
    return false;
}

static LLVMValueRef unless_true(LLVMValueRef predicate)
{
    return is_const_i1(predicate, true) ? NULL : predicate;
}

// The access of single elements. Other registers than those of groups may need other resources.
static kiln_access_t narrow_access(const kiln_access_t *access)
{
    kiln_access_t narrow = *access;
    narrow.vector = narrow.repeat = narrow.span = 1;
    narrow.alignment = access->bytes;
    narrow.resource = KILN_RESOURCE_NEVER;
    kiln_access_choose_resource(&narrow);
    return narrow;
}

// Opens the branch for groups in which the mask changes. Returns the block after it.
static LLVMBasicBlockRef open_branch(kiln_lowering_t *l, LLVMValueRef any)
{
    LLVMBasicBlockRef body = kiln_emit_block(l, "partial"), after = kiln_emit_block(l, "whole");
    LLVMBuildCondBr(l->builder, any, body, after);
    LLVMPositionBuilderAtEnd(l->builder, body);
    return after;
}

// Returns the narrow value, combined with the wide one, which is zero in lanes that loaded the
// former. So the registers of the wide one, which is under way, are not used for addresses in the
// branch, and narrow loads need not wait for it.
static LLVMValueRef keep_wide(kiln_lowering_t *l, LLVMValueRef narrow, LLVMValueRef wide)
{
    LLVMTypeRef type = LLVMTypeOf(narrow);
    const unsigned bits = kiln_llvm_bits(type);
    const LLVMTypeKind kind = LLVMGetTypeKind(
        LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type);
    if (kind == LLVMPointerTypeKind || bits == 0)
        return narrow;
    LLVMTypeRef number = LLVMIntTypeInContext(l->context, bits);
    LLVMValueRef both = LLVMBuildOr(l->builder, LLVMBuildBitCast(l->builder, narrow, number, ""),
                                    LLVMBuildBitCast(l->builder, wide, number, ""), "");
    return LLVMBuildBitCast(l->builder, both, type, "");
}

// Loads the groups that share the mask of group `like` element by element, where it changes in
// them. `elements`: a tile for these.
static void load_partial(kiln_lowering_t *l, const kiln_access_t *access, kiln_tile_t *mask,
                         const group_t *groups, uint32_t like, kiln_tile_t *elements,
                         kiln_tile_t *result, kiln_access_flags_t flags)
{
    const uint32_t span = access->span, per_value = result->vectors ? span : 1,
                   count = result->count / per_value;
    LLVMValueRef *values = result->vectors ? result->vectors : result->values,
                 *own = KILN_LOWER_ARRAY(l, LLVMValueRef, count);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder),
                      after = open_branch(l, groups[like].partial);
    kiln_access_t narrow = narrow_access(access);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t first = i * per_value;
        if (!is_alike(&groups[first / span], &groups[like]))
            continue;
        for (uint32_t reg = first; reg < first + per_value; reg++)
            kiln_load_run(l, &narrow, reg, reg + 1, unless_true(kiln_tile_value(l, mask, reg)),
                          NULL, elements, flags);
        own[i] = result->vectors
                     ? kiln_emit_vector(l, access->element, elements->values + first, span)
                     : elements->values[first];
        own[i] = keep_wide(l, own[i], values[i]);
    }
    LLVMBasicBlockRef end = LLVMGetInsertBlock(l->builder);
    LLVMBuildBr(l->builder, after);
    LLVMPositionBuilderAtEnd(l->builder, after);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_alike(&groups[i * per_value / span], &groups[like]))
            continue;
        LLVMValueRef phi = LLVMBuildPhi(l->builder, LLVMTypeOf(values[i]), "");
        LLVMAddIncoming(phi, &own[i], &end, 1);
        LLVMAddIncoming(phi, &values[i], &before, 1);
        values[i] = phi;
    }
}

// Loads zeros where the mask is false.
static void load_groups(kiln_lowering_t *l, kiln_access_t *access, kiln_tile_t *mask,
                        kiln_tile_t *result, kiln_access_flags_t flags)
{
    const uint32_t span = access->span, count = result->count / span;
    const group_t *groups = groups_of(l, access, mask);
    for (uint32_t g = 0; g < count; g++)
        kiln_load_run(l, access, g * span, (g + 1) * span, unless_true(groups[g].whole), NULL,
                      result, flags);
    kiln_tile_t *elements = kiln_tile_create(l, result->type);
    for (uint32_t g = 0; g < count && elements; g++)
        if (groups[g].partial && !is_shared(groups, g))
            load_partial(l, access, mask, groups, g, elements, result, flags);
}

// Values other than zero are chosen after the branch: before it, the waves would wait there.
void kiln_load_split(kiln_lowering_t *l, kiln_access_t *access, kiln_tile_t *mask,
                     kiln_tile_t *other, kiln_tile_t *result, kiln_access_flags_t flags)
{
    load_groups(l, access, mask, result, flags);
    result->block = LLVMGetInsertBlock(l->builder);
    bool chooses = false;
    for (uint32_t reg = 0; reg < result->count && other; reg++) {
        LLVMValueRef otherwise = kiln_tile_value(l, other, reg);
        if (LLVMIsConstant(otherwise) && LLVMIsNull(otherwise))
            continue;
        result->values[reg] = LLVMBuildSelect(l->builder, kiln_tile_value(l, mask, reg),
                                              kiln_tile_value(l, result, reg), otherwise, "");
        chooses = true;
    }
    for (uint32_t reg = 0; reg < result->count && chooses; reg++)
        kiln_tile_value(l, result, reg);
    if (chooses)
        result->vectors = NULL;
}

void kiln_store_split(kiln_lowering_t *l, kiln_access_t *access, uint32_t skip, kiln_tile_t *mask,
                      LLVMValueRef writes, kiln_tile_t *value, kiln_access_flags_t flags)
{
    const uint32_t span = access->span, count = access->pointers->count / span;
    const group_t *groups = groups_of(l, access, mask);
    for (uint32_t g = 0; g < count; g++)
        if (!is_const_i1(groups[g].whole, false))
            kiln_store_run(l, access, g * span, (g + 1) * span, skip,
                           kiln_conjunction(l, unless_true(groups[g].whole), writes), value, flags);
    for (uint32_t like = 0; like < count; like++) {
        if (!groups[like].partial || is_shared(groups, like))
            continue;
        LLVMBasicBlockRef after = open_branch(l, kiln_conjunction(l, groups[like].partial, writes));
        kiln_access_t narrow = narrow_access(access);
        for (uint32_t reg = like * span; reg < count * span; reg++)
            if (is_alike(&groups[reg / span], &groups[like]) && !(reg & skip))
                kiln_store_run(l, &narrow, reg, reg + 1, skip,
                               unless_true(kiln_tile_value(l, mask, reg)), value, flags);
        LLVMBuildBr(l->builder, after);
        LLVMPositionBuilderAtEnd(l->builder, after);
    }
}
