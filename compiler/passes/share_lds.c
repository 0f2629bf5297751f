// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves an operation with scratch behind the last read of a buffer, so that its scratch can have
// the buffer's bytes, where a compute unit has room for another workgroup then:
//
//   scf.for {                                      scf.for {
//     %a = ttg.local_load %m                         %a = ttg.local_load %m
//     %s = tt.reduce %a                              %b = ttg.local_load %m
//     %t = arith.addf %sum, %s              →        %c = tt.dot %b, …
//     %b = ttg.local_load %m                         %s = tt.reduce %a
//     %c = tt.dot %b, …                              %t = arith.addf %sum, %s
//     ttg.local_store %next, %m                      ttg.local_store %next, %m
//   }                                              }
//
// The price is a barrier, and registers that hold the operation's operands longer. So nothing is
// moved unless enough workgroups are gained by it, and tiles of more than some registers stay.
#include <stdlib.h>

#include "analysis/machine/co_residency.h"
#include "analysis/plan/allocation.h"
#include "analysis/plan/dead_contents.h"
#include "analysis/waves/waves.h"
#include "base/array.h"
#include "base/gfx942.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/pass.h"

enum { MAX_DWORDS = 32 }; // of the operands of an operation that is moved

// An operation that was moved, and the one it was in front of.
typedef struct moved {
    MlirOperation op, next;
} moved_t;

typedef struct sharing {
    const kiln_allocation_t *allocation;
    kiln_dead_contents_t dead;
    MlirOperation func;
    int num_warps;
    uint32_t room; // bytes of LDS with which enough more workgroups fit
    MlirOperation *scratch, *buffers;
    size_t scratch_count, scratch_capacity, buffer_count, buffer_capacity;
    moved_t *moves;
    size_t move_count, move_capacity;
    bool out_of_memory;
} sharing_t;

static MlirWalkResult collect(MlirOperation op, void *user)
{
    sharing_t *s = user;
    uint32_t offset, bytes;
    if (!kiln_allocation_offset(s->allocation, op, &offset, &bytes))
        return MlirWalkResultAdvance;
    const bool is_buffer = kiln_op_kind(op) == KILN_OP_TTG_LOCAL_ALLOC;
    if (!is_buffer && (offset + bytes <= s->room || kiln_op_effects(op)))
        return MlirWalkResultAdvance;
    MlirOperation **list = is_buffer ? &s->buffers : &s->scratch;
    size_t *count = is_buffer ? &s->buffer_count : &s->scratch_count;
    if (!KILN_ARRAY_RESERVE(list, is_buffer ? &s->buffer_capacity : &s->scratch_capacity,
                            *count + 1)) {
        s->out_of_memory = true;
        return MlirWalkResultInterrupt;
    }
    (*list)[(*count)++] = op;
    return MlirWalkResultAdvance;
}

// Whether few registers hold the operands of the operation.
static bool is_small(const sharing_t *s, MlirOperation op)
{
    int64_t bits = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirType type = mlirValueGetType(mlirOperationGetOperand(op, i));
        if (kiln_type_is_tensor(type))
            bits += kiln_type_count(type) * kiln_type_bits(type);
    }
    return bits <= INT64_C(32) * MAX_DWORDS * KILN_GFX942_LANES * s->num_warps;
}

// The positions from which on an operation at `place` could use the bytes of `buffer`, up to the
// last one where it could.
static bool is_dead_after(const sharing_t *s, MlirOperation buffer, kiln_positions_t place,
                          kiln_positions_t *out)
{
    kiln_positions_t live;
    if (!kiln_allocation_live(s->allocation, buffer, &live) || live.first > place.first)
        return false;
    *out = (kiln_positions_t){live.last, INT32_MAX};
    for (int r = 0; r < s->dead.count; r++)
        if (mlirOperationEqual(s->dead.list[r].buffer, buffer) &&
            s->dead.list[r].first >= place.first && s->dead.list[r].first < out->first)
            *out = (kiln_positions_t){s->dead.list[r].first, s->dead.list[r].last};
    return true;
}

// Returns the nearest operation of its block behind which `op` could use the bytes of a buffer;
// null if there is none.
static MlirOperation target_of(const sharing_t *s, MlirOperation op)
{
    MlirOperation best = {NULL};
    kiln_positions_t place, at;
    uint32_t offset, bytes, size;
    int nearest = INT32_MAX;
    if (!kiln_allocation_place(s->allocation, op, &place) ||
        !kiln_allocation_offset(s->allocation, op, &offset, &bytes))
        return best;
    for (size_t b = 0; b < s->buffer_count; b++) {
        kiln_positions_t dead;
        if (!kiln_allocation_offset(s->allocation, s->buffers[b], &offset, &size) || size < bytes ||
            !is_dead_after(s, s->buffers[b], place, &dead) || dead.first >= nearest)
            continue;
        for (MlirOperation after = mlirOperationGetNextInBlock(op);
             !mlirOperationIsNull(after) && !kiln_op_has(kiln_op_kind(after), KILN_TERMINATOR);
             after = mlirOperationGetNextInBlock(after))
            if (kiln_allocation_place(s->allocation, after, &at) && at.last >= dead.first) {
                if (at.last < dead.last) {
                    best = after;
                    nearest = dead.first;
                }
                break;
            }
    }
    return best;
}

typedef struct search {
    MlirOperation of;
    bool found;
} search_t;

static MlirWalkResult find_use(MlirOperation op, void *user)
{
    search_t *search = user;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirOperation from;
        kiln_value_op(mlirOperationGetOperand(op, i), &from);
        search->found |= mlirOperationEqual(from, search->of);
    }
    return search->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool uses_result_of(MlirOperation op, MlirOperation of)
{
    search_t search = {of, false};
    kiln_walk(op, MlirWalkPreOrder, find_use, &search);
    return search.found;
}

static bool note_move(sharing_t *s, MlirOperation op)
{
    if (!KILN_ARRAY_RESERVE(&s->moves, &s->move_capacity, s->move_count + 1)) {
        s->out_of_memory = true;
        return false;
    }
    s->moves[s->move_count++] = (moved_t){op, mlirOperationGetNextInBlock(op)};
    return true;
}

// Moves the operation, and those before `target` that depend on it, behind `target`; nothing if one
// of them has to stay, or if one between them orders all others.
static void move_behind(sharing_t *s, MlirOperation op, MlirOperation target)
{
    const size_t begin = s->move_count;
    uint32_t offset, bytes;
    bool is_possible = note_move(s, op);
    for (MlirOperation at = mlirOperationGetNextInBlock(op); is_possible;
         at = mlirOperationGetNextInBlock(at)) {
        bool depends = false;
        for (size_t m = begin; m < s->move_count && !depends; m++)
            depends = uses_result_of(at, s->moves[m].op);
        if (depends)
            is_possible = !kiln_op_effects(at) && !mlirOperationEqual(at, target) &&
                          !kiln_allocation_offset(s->allocation, at, &offset, &bytes) &&
                          note_move(s, at);
        else
            is_possible = !(kiln_op_effects(at) & KILN_ORDERED);
        if (mlirOperationEqual(at, target))
            break;
    }
    if (!is_possible) {
        s->move_count = begin;
        return;
    }
    for (size_t m = s->move_count; m-- > begin;) // the last one is the farthest from the target
        mlirOperationMoveAfter(s->moves[m].op, target);
}

static void undo(sharing_t *s)
{
    while (s->move_count > 0) {
        const moved_t *move = &s->moves[--s->move_count];
        mlirOperationMoveBefore(move->op, move->next);
    }
}

static kiln_status_t gains(const sharing_t *s, MlirModule module, bool *out)
{
    kiln_allocation_t *allocation;
    KILN_TRY(kiln_allocation_create(module, s->num_warps, &allocation));
    *out = kiln_allocation_size(allocation, s->func) <= s->room;
    kiln_allocation_destroy(allocation);
    return KILN_OK;
}

// Returns the largest number of bytes with which so many more workgroups fit that sharing pays.
static uint32_t room_for_more(uint32_t size, unsigned registers, int num_warps)
{
    const unsigned now = kiln_co_resident_workgroups(registers, size, num_warps);
    unsigned wanted = now + 1;
    while (!kiln_allocation_sharing_pays(now, wanted))
        wanted++;
    return (uint32_t)KILN_GFX942_LDS_BYTES / wanted;
}

static kiln_status_t share(const kiln_allocation_t *allocation, MlirModule module,
                           MlirOperation func, int num_warps)
{
    sharing_t s = {.allocation = allocation, .func = func, .num_warps = num_warps};
    s.room = room_for_more(kiln_allocation_size(allocation, func),
                           kiln_allocation_limited_by_scratch(allocation, func), num_warps);
    kiln_status_t status = kiln_dead_contents_find(allocation, func, &s.dead);
    bool is_better = true;
    if (!status)
        kiln_walk(func, MlirWalkPreOrder, collect, &s);
    for (size_t i = 0; i < s.scratch_count && !s.out_of_memory; i++) {
        MlirOperation target = target_of(&s, s.scratch[i]);
        if (!mlirOperationIsNull(target) && is_small(&s, s.scratch[i]))
            move_behind(&s, s.scratch[i], target);
    }
    if (!status && s.out_of_memory)
        status = kiln_status_out_of_memory();
    if (!status && s.move_count > 0)
        status = gains(&s, module, &is_better);
    if (!status && !is_better)
        undo(&s);
    kiln_dead_contents_free(&s.dead);
    free(s.scratch);
    free(s.buffers);
    free(s.moves);
    return status;
}

kiln_status_t kiln_share_lds(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    int waves;
    kiln_allocation_t *allocation;
    KILN_TRY(kiln_waves_of_module(module, &waves));
    KILN_TRY(kiln_allocation_create(module, waves, &allocation));
    kiln_status_t status = KILN_OK;
    for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
         !status && !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        if (kiln_op_kind(op) == KILN_OP_TT_FUNC &&
            kiln_allocation_limited_by_scratch(allocation, op))
            status = share(allocation, module, op, waves);
    kiln_allocation_destroy(allocation);
    return status;
}
