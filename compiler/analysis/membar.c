// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers by forward data flow: the state is which pieces of memory have been read and which written since the last
// barrier; an operation that conflicts with it gets a barrier, which empties it. Where waves may be some barriers apart,
// it is kept for each of as many barriers more, and each barrier of the program's makes what came before it one older.
//
// Loops are walked until the state at their head no longer grows. Barriers, once given, stay, so a walk can only add
// some. A barrier that a loop's body would need only because of what came before the loop is given to the loop instead.
//
// The thing one gets wrong: the state is joined at the end of a branch even where that branch has a barrier, since the
// other may have none.
#include "analysis/membar.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/membar_pieces.h"
#include "analysis/pointer_map.h"
#include "builder/ir.h"

// Sets of pieces: what no barrier has followed yet. Behind both, for each barrier more that waves may be apart, those
// which as many have followed.
typedef struct state {
    uint64_t *reads, *writes;
} state_t;

struct kiln_membar {
    kiln_pointer_map_t barriers;
    kiln_pieces_t pieces;
    int words;      // of a set of pieces
    int rounds;     // how often waves must meet for it to order anything: once, but where some are barriers apart
    bool only_asks; // whether a barrier would be needed, without giving it
    unsigned would; // … and the answer: of which spaces
    int changes;    // how often a barrier was given
};

// How many words lie between a set and the same one of a barrier earlier.
static size_t stride_of(const kiln_membar_t *membar)
{
    return 2 * (size_t)membar->words;
}

static size_t words_of_state(const kiln_membar_t *membar)
{
    return stride_of(membar) * (size_t)membar->rounds;
}

static bool is_in_any(const kiln_membar_t *membar, const uint64_t *sets, int piece)
{
    bool is_in = false;
    for (int age = 0; age < membar->rounds; age++)
        is_in |= kiln_piece_set_has(sets + (size_t)age * stride_of(membar), piece);
    return is_in;
}

// Which memory both touch, a set of pieces now, and those of a state earlier.
static unsigned touches(const kiln_membar_t *membar, const uint64_t *now, const uint64_t *earlier)
{
    unsigned spaces = 0;
    for (int i = 0; i < membar->pieces.count; i++)
        for (int j = 0; j < membar->pieces.count && kiln_piece_set_has(now, i); j++)
            if (is_in_any(membar, earlier, j) && kiln_pieces_overlap(&membar->pieces, i, j))
                spaces |= membar->pieces.list[i].is_global ? KILN_SPACE_GLOBAL : KILN_SPACE_LDS;
    return spaces;
}

// States ---------------------------------------------------------------------------------------------------------

static state_t new_state(kiln_membar_t *membar)
{
    state_t state;
    state.reads = calloc(words_of_state(membar), sizeof *state.reads);
    state.writes = state.reads ? state.reads + membar->words : NULL;
    membar->pieces.out_of_memory |= !state.reads;
    return state;
}

static void free_state(state_t *state)
{
    free(state->reads);
}

static void clear(const kiln_membar_t *membar, const state_t *state)
{
    memset(state->reads, 0, words_of_state(membar) * sizeof *state->reads);
}

// Makes a piece's accesses older by so many barriers, and forgets those that are ordered now.
static void age_piece(const kiln_membar_t *membar, const state_t *state, int piece, int rounds)
{
    uint64_t *sets[] = {state->reads, state->writes}, bit = 1ull << (piece % 64);
    for (int s = 0; s < 2; s++)
        for (int age = membar->rounds; age-- > 0;) {
            uint64_t *to = sets[s] + (size_t)age * stride_of(membar) + piece / 64;
            bool is_there = age >= rounds && (*(to - (size_t)rounds * stride_of(membar)) & bit);
            *to = is_there ? *to | bit : *to & ~bit;
        }
}

// What a barrier of these spaces does that waves execute so many times.
static void pass_barrier(const kiln_membar_t *membar, const state_t *state, unsigned spaces, int rounds)
{
    for (int i = 0; i < membar->pieces.count && spaces; i++)
        if (spaces & (membar->pieces.list[i].is_global ? KILN_SPACE_GLOBAL : KILN_SPACE_LDS))
            age_piece(membar, state, i, rounds);
}

// True where `to` grew.
static bool join(const kiln_membar_t *membar, const state_t *to, const state_t *from)
{
    bool grew = false;
    for (size_t w = 0; w < words_of_state(membar); w++) {
        grew |= (from->reads[w] & ~to->reads[w]) != 0;
        to->reads[w] |= from->reads[w];
    }
    return grew;
}

static void copy(const kiln_membar_t *membar, const state_t *to, const state_t *from)
{
    memcpy(to->reads, from->reads, words_of_state(membar) * sizeof *to->reads);
}

static void turn_pieces(kiln_membar_t *membar, MlirOperation loop, kiln_turn_t turn, const state_t *state)
{
    state_t turned = new_state(membar);
    if (!turned.reads)
        return;
    for (int i = 0; i < membar->pieces.count; i++) {
        if (!is_in_any(membar, state->reads, i) && !is_in_any(membar, state->writes, i))
            continue;
        int to = kiln_pieces_turn(&membar->pieces, i, loop, turn);
        for (size_t at = 0; at < words_of_state(membar); at += stride_of(membar)) {
            if (kiln_piece_set_has(state->reads + at, i))
                kiln_piece_set_add(turned.reads + at, to);
            if (kiln_piece_set_has(state->writes + at, i))
                kiln_piece_set_add(turned.writes + at, to);
        }
    }
    copy(membar, state, &turned);
    free_state(&turned);
}

// The walk -------------------------------------------------------------------------------------------------------

static void walk_region(kiln_membar_t *membar, MlirRegion region, const state_t *state);

static void give_barrier(kiln_membar_t *membar, MlirOperation op, unsigned spaces)
{
    int known = kiln_pointer_map_get(&membar->barriers, op.ptr);
    spaces |= known < 0 ? 0 : (unsigned)known;
    if (spaces & KILN_SPACE_GLOBAL) // it orders LDS as well
        spaces |= KILN_SPACE_LDS;
    membar->pieces.out_of_memory |= !kiln_pointer_map_put(&membar->barriers, op.ptr, (int)spaces);
    membar->changes++;
}

// Passes the barrier that the operation is, or has.
static void pass_own_barrier(const kiln_membar_t *membar, MlirOperation op, const state_t *state)
{
    unsigned global = kiln_orders_global(op) ? KILN_SPACE_GLOBAL : 0;
    int64_t rounds = kiln_ir_int_attr(op, "kiln.rounds", 1);
    switch (kiln_op_kind(op)) {
    case KILN_OP_GPU_BARRIER:
    case KILN_OP_TTG_BARRIER:
    case KILN_OP_TTG_LOCAL_BARRIER:
        rounds = rounds > membar->rounds ? membar->rounds : rounds;
        pass_barrier(membar, state, KILN_SPACE_LDS | global, rounds < 0 ? 0 : (int)rounds);
        break;
    default:
        pass_barrier(membar, state, global, 1);
        break;
    }
}

static void access_memory(kiln_membar_t *membar, MlirOperation op, const state_t *state)
{
    state_t effects = new_state(membar);
    if (!effects.reads)
        return;
    bool is_barrier_inside = kiln_pieces_effects(&membar->pieces, op, effects.reads, effects.writes);
    int known = kiln_pointer_map_get(&membar->barriers, op.ptr);
    unsigned spaces = known < 0 ? 0 : (unsigned)known;
    pass_barrier(membar, state, spaces, membar->rounds);
    pass_own_barrier(membar, op, state);
    unsigned missing = touches(membar, effects.writes, state->reads) | touches(membar, effects.writes, state->writes) |
                       touches(membar, effects.reads, state->writes);
    if (missing) {
        if (membar->only_asks)
            membar->would |= missing;
        else
            give_barrier(membar, op, missing);
        pass_barrier(membar, state, missing & KILN_SPACE_GLOBAL ? missing | KILN_SPACE_LDS : missing, membar->rounds);
    }
    if (is_barrier_inside)
        pass_barrier(membar, state, KILN_SPACE_LDS, membar->rounds);
    for (int i = 0; i < membar->pieces.count && is_barrier_inside; i++)
        if (!membar->pieces.list[i].is_global &&
            kiln_piece_set_has(effects.writes, i)) { // at its end it still reads what it wrote
            kiln_piece_set_add(state->reads, i);
            effects.writes[i / 64] &= ~(1ull << (i % 64));
        }
    join(membar, state, &effects);
    free_state(&effects);
}

// Walks a loop until nothing new comes around. `second` is scf.while's second region, or null.
static void walk_loop(kiln_membar_t *membar, MlirOperation op, const state_t *state)
{
    MlirRegion second = {NULL};
    if (mlirOperationGetNumRegions(op) > 1)
        second = mlirOperationGetRegion(op, 1);
    state_t head = new_state(membar), around = new_state(membar);
    if (!head.reads || !around.reads)
        goto done;
    copy(membar, &head, state);
    do {
        copy(membar, &around, &head);
        walk_region(membar, mlirOperationGetRegion(op, 0), &around);
        if (!mlirRegionIsNull(second)) {
            copy(membar, state, &around); // the loop is left after its first region
            walk_region(membar, second, &around);
        }
        turn_pieces(membar, op, KILN_LOOP_GOES_AROUND, &around);
    } while (join(membar, &head, &around));
    if (mlirRegionIsNull(second))
        copy(membar, state, &head); // no iteration, or the last one's end: both came to the head
    turn_pieces(membar, op, KILN_LOOP_IS_LEFT, state);
done:
    free_state(&head);
    free_state(&around);
}

// First the barriers that the loop needs by itself; if what came before it would need more of them inside, one before
// the loop serves instead.
static void walk_for(kiln_membar_t *membar, MlirOperation op, const state_t *state)
{
    state_t trial = new_state(membar);
    if (trial.reads && !membar->only_asks) {
        walk_loop(membar, op, &trial);
        copy(membar, &trial, state);
        membar->only_asks = true;
        membar->would = 0;
        walk_loop(membar, op, &trial);
        membar->only_asks = false;
        if (membar->would) {
            give_barrier(membar, op, membar->would);
            pass_barrier(membar, state, (unsigned)kiln_pointer_map_get(&membar->barriers, op.ptr), membar->rounds);
        }
    }
    walk_loop(membar, op, state);
    free_state(&trial);
}

static void walk_branches(kiln_membar_t *membar, MlirOperation op, const state_t *state)
{
    state_t before = new_state(membar), branch = new_state(membar);
    if (before.reads && branch.reads) {
        copy(membar, &before, state);
        bool all = true; // some region is always taken
        bool first = true;
        for (int r = 0; r < (int)mlirOperationGetNumRegions(op); r++) {
            if (mlirBlockIsNull(kiln_op_body(op, r))) {
                all = false;
                continue;
            }
            copy(membar, &branch, &before);
            walk_region(membar, mlirOperationGetRegion(op, r), &branch);
            if (first)
                copy(membar, state, &branch);
            else
                join(membar, state, &branch);
            first = false;
        }
        if (!all)
            join(membar, state, &before);
    }
    free_state(&before);
    free_state(&branch);
}

static void walk_operation(kiln_membar_t *membar, MlirOperation op, const state_t *state)
{
    if (membar->pieces.out_of_memory)
        return;
    access_memory(membar, op, state);
    switch (kiln_op_kind(op)) {
    case KILN_OP_SCF_FOR:
        walk_for(membar, op, state);
        break;
    case KILN_OP_SCF_WHILE:
        walk_loop(membar, op, state);
        break;
    case KILN_OP_SCF_IF:
    case KILN_OP_SCF_EXECUTE_REGION:
        walk_branches(membar, op, state);
        break;
    default: // regions of reduce, scan and the like hold scalar arithmetic only
        break;
    }
}

static void walk_block(kiln_membar_t *membar, MlirBlock block, const state_t *state)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        walk_operation(membar, op, state);
}

static int block_index(MlirRegion region, MlirBlock wanted)
{
    int index = 0;
    for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockEqual(block, wanted);
         block = mlirBlockGetNextInRegion(block))
        index++;
    return index;
}

// Several blocks: the state at each block's head grows until it is stable. The state after the region is that of all
// blocks without successors.
static void walk_blocks(kiln_membar_t *membar, MlirRegion region, int count, const state_t *state)
{
    state_t *heads = calloc((size_t)count, sizeof *heads);
    state_t at = new_state(membar), exits = new_state(membar);
    membar->pieces.out_of_memory |= !heads;
    for (int i = 0; heads && i < count; i++)
        heads[i] = new_state(membar);
    if (!membar->pieces.out_of_memory) {
        copy(membar, &heads[0], state);
        int changes = -1;
        bool changed = true;
        while (changed || changes != membar->changes) {
            changed = false;
            changes = membar->changes;
            clear(membar, &exits);
            int i = 0;
            for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
                 block = mlirBlockGetNextInRegion(block), i++) {
                copy(membar, &at, &heads[i]);
                walk_block(membar, block, &at);
                intptr_t successors = mlirBlockGetNumSuccessors(block);
                for (intptr_t s = 0; s < successors; s++) {
                    int to = block_index(region, mlirBlockGetSuccessor(block, s));
                    if (to <= i) // around a loop
                        turn_pieces(membar, mlirBlockGetParentOperation(block), KILN_LOOP_GOES_AROUND, &at);
                    changed |= join(membar, &heads[to], &at);
                }
                if (successors == 0)
                    join(membar, &exits, &at);
            }
        }
        copy(membar, state, &exits);
    }
    for (int i = 0; heads && i < count; i++)
        free_state(&heads[i]);
    free(heads);
    free_state(&at);
    free_state(&exits);
}

static void walk_region(kiln_membar_t *membar, MlirRegion region, const state_t *state)
{
    MlirBlock first = mlirRegionGetFirstBlock(region);
    if (mlirBlockIsNull(first))
        return;
    int count = 0;
    for (MlirBlock block = first; !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
        count++;
    if (count == 1)
        walk_block(membar, first, state);
    else
        walk_blocks(membar, region, count, state);
}

// The interface --------------------------------------------------------------------------------------------------

static MlirWalkResult register_pieces(MlirOperation op, void *user)
{
    kiln_membar_t *membar = user;
    kiln_pieces_effects(&membar->pieces, op, NULL, NULL);
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_membar_create(MlirModule module, const kiln_allocation_t *allocation,
                                 const kiln_global_accesses_t *accesses, int rounds, kiln_membar_t **out)
{
    *out = NULL;
    kiln_membar_t *membar = calloc(1, sizeof *membar);
    if (!membar)
        return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "no memory for the barrier analysis");
    membar->pieces.allocation = allocation;
    membar->pieces.accesses = accesses;
    membar->rounds = rounds;
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, register_pieces, membar);
    membar->words = membar->pieces.count / 64 + 1;
    state_t state = new_state(membar);
    MlirBlock body = mlirModuleGetBody(module);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op) && !membar->pieces.out_of_memory;
         op = mlirOperationGetNextInBlock(op)) {
        if (kiln_op_kind(op) != KILN_OP_TT_FUNC)
            continue;
        clear(membar, &state);
        walk_region(membar, mlirOperationGetRegion(op, 0), &state);
    }
    free_state(&state);
    membar->pieces.allocation = NULL;
    membar->pieces.accesses = NULL;
    if (membar->pieces.out_of_memory) {
        kiln_membar_destroy(membar);
        return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "no memory for the barrier analysis");
    }
    *out = membar;
    return KILN_OK;
}

void kiln_membar_destroy(kiln_membar_t *membar)
{
    if (!membar)
        return;
    kiln_pointer_map_free(&membar->barriers);
    free(membar->pieces.list);
    free(membar);
}

unsigned kiln_membar_before(const kiln_membar_t *membar, MlirOperation op)
{
    int spaces = kiln_pointer_map_get(&membar->barriers, op.ptr);
    return spaces < 0 ? 0 : (unsigned)spaces;
}

int kiln_membar_count(const kiln_membar_t *membar)
{
    return (int)membar->barriers.count;
}
