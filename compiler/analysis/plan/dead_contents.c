// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See dead_contents.h. The operations of a loop's body are walked in order; each access of a buffer
// is noted at the operation of the body that it is in.
#include "analysis/plan/dead_contents.h"

#include <stdlib.h>

#include "base/array.h"
#include "builder/ir.h"
#include "builder/op_facts.h"

enum { MAX_BUFFERS = 16 }; // of one memory descriptor, and of one loop

// A buffer that the loop accesses.
typedef struct user {
    MlirOperation buffer;
    int last;        // where the latest access so far ends, or the body begins
    bool is_unknown; // accessed in a way that is not followed
} user_t;

typedef struct finder {
    const kiln_allocation_t *allocation;
    kiln_dead_contents_t *out;
    kiln_positions_t loop;
    user_t users[MAX_BUFFERS];
    int count, begin; // the ranges of this loop begin there
    bool too_many, out_of_memory;
} finder_t;

// Whether `op` is a ttg.local_store that overwrites all of `buffer`.
static bool overwrites_buffer(MlirOperation op, MlirOperation buffer)
{
    MlirOperation view;
    if (kiln_op_kind(op) != KILN_OP_TTG_LOCAL_STORE)
        return false;
    MlirValue target = kiln_op_operand(op, 1);
    while (kiln_value_op(target, &view) == KILN_OP_TTG_MEMDESC_INDEX)
        target = kiln_op_operand(view, 0);
    if (!mlirValueEqual(target, kiln_op_result(buffer, 0)))
        return false;
    const MlirType type = mlirValueGetType(target);
    int64_t elements = 1;
    for (int d = 0; d < kiln_memdesc_alloc_rank(type); d++)
        elements *= kiln_memdesc_alloc_dim(type, d);
    return kiln_type_count(mlirValueGetType(kiln_op_operand(op, 0))) == elements;
}

static user_t *user_of(finder_t *finder, MlirOperation buffer)
{
    for (int u = 0; u < finder->count; u++)
        if (mlirOperationEqual(finder->users[u].buffer, buffer))
            return &finder->users[u];
    if (finder->count == MAX_BUFFERS) {
        finder->too_many = true;
        return NULL;
    }
    finder->users[finder->count] = (user_t){.buffer = buffer, .last = finder->loop.first};
    return &finder->users[finder->count++];
}

static void add_range(finder_t *finder, const user_t *user, int last)
{
    kiln_dead_contents_t *out = finder->out;
    if (!KILN_ARRAY_RESERVE(&out->list, &out->capacity, (size_t)out->count + 1))
        finder->out_of_memory = true;
    else
        out->list[out->count++] = (kiln_dead_range_t){user->buffer, user->last, last};
}

// Notes that `op`, in the loop's body or in a region there, has a memory descriptor as operand;
// `place` is that of the operation of the body.
static void note(finder_t *finder, MlirOperation op, MlirValue memdesc, bool is_nested,
                 kiln_positions_t place)
{
    MlirOperation buffers[MAX_BUFFERS];
    const kiln_op_t kind = kiln_op_kind(op);
    const int count = kiln_allocation_buffers(finder->allocation, memdesc, buffers, MAX_BUFFERS);
    finder->too_many |= count > MAX_BUFFERS;
    for (int b = 0; b < count && !finder->too_many; b++) {
        user_t *user = user_of(finder, buffers[b]);
        if (!user)
            return;
        user->is_unknown |= kind != KILN_OP_TTG_LOCAL_LOAD && kind != KILN_OP_TTG_LOCAL_STORE;
        if (!is_nested && overwrites_buffer(op, buffers[b]))
            add_range(finder, user, place.first);
        user->last = place.last;
    }
}

static bool is_memdesc(MlirValue value)
{
    return kiln_type_is_memdesc(mlirValueGetType(value));
}

typedef struct nested {
    finder_t *finder;
    MlirOperation root;
    kiln_positions_t place;
} nested_t;

static MlirWalkResult note_operands(MlirOperation op, void *user)
{
    const nested_t *nested = user;
    if (kiln_op_has(kiln_op_kind(op), KILN_VIEW))
        return MlirWalkResultAdvance;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (is_memdesc(mlirOperationGetOperand(op, i)))
            note(nested->finder, op, mlirOperationGetOperand(op, i),
                 !mlirOperationEqual(op, nested->root), nested->place);
    return MlirWalkResultAdvance;
}

// Drops the ranges of buffers that are made in the loop, which live no longer than they are used,
// and of those that it accesses in a way that is not followed.
static void drop_unknown(finder_t *finder)
{
    kiln_dead_contents_t *out = finder->out;
    int kept = finder->begin;
    for (int r = finder->begin; r < out->count; r++) {
        kiln_positions_t made;
        const user_t *user = user_of(finder, out->list[r].buffer);
        if (user && !user->is_unknown && !finder->too_many &&
            kiln_allocation_place(finder->allocation, user->buffer, &made) &&
            made.last < finder->loop.first)
            out->list[kept++] = out->list[r];
    }
    out->count = kept;
}

static MlirWalkResult find_in_loop(MlirOperation op, void *user)
{
    finder_t *all = user;
    if (kiln_op_kind(op) != KILN_OP_SCF_FOR)
        return MlirWalkResultAdvance;
    finder_t finder = {.allocation = all->allocation, .out = all->out, .begin = all->out->count};
    if (!kiln_allocation_place(all->allocation, op, &finder.loop))
        return MlirWalkResultAdvance;
    MlirBlock body = kiln_op_body(op, 0);
    for (MlirOperation at = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(at);
         at = mlirOperationGetNextInBlock(at)) {
        nested_t nested = {&finder, at, {0, 0}};
        if (kiln_allocation_place(all->allocation, at, &nested.place))
            kiln_walk(at, MlirWalkPreOrder, note_operands, &nested);
    }
    drop_unknown(&finder);
    all->out_of_memory |= finder.out_of_memory;
    return all->out_of_memory ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

kiln_status_t kiln_dead_contents_find(const kiln_allocation_t *allocation, MlirOperation function,
                                      kiln_dead_contents_t *out)
{
    *out = (kiln_dead_contents_t){0};
    finder_t finder = {.allocation = allocation, .out = out};
    kiln_walk(function, MlirWalkPreOrder, find_in_loop, &finder);
    return finder.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}

void kiln_dead_contents_free(kiln_dead_contents_t *contents)
{
    free(contents->list);
    *contents = (kiln_dead_contents_t){0};
}

bool kiln_dead_contents_during(const kiln_dead_contents_t *contents, MlirOperation buffer,
                               int first, int last)
{
    for (int r = 0; r < contents->count; r++)
        if (mlirOperationEqual(contents->list[r].buffer, buffer) &&
            contents->list[r].first < first && last < contents->list[r].last)
            return true;
    return false;
}
