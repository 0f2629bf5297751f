// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places barriers by forward data flow: the state is the set of pieces of memory that have been
// read and written since the last barrier; an operation that conflicts with it gets a barrier,
// which clears it. If waves may be several barriers apart, one state is kept for each of these
// barriers, and each barrier of the program ages the states by one.
//
// Loops are walked until the state at their head no longer grows. Barriers are never removed, so a
// walk can only add some. A barrier that a loop's body needs only because of accesses before the
// loop is placed before the loop instead.
//
// Note that states are joined at the end of a branch even if one side has a barrier, since the
// other may have none.
#include "analysis/barriers/membar.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/barriers/membar_states.h"
#include "analysis/pointer_map.h"
#include "base/array.h"
#include "builder/ir.h"

// The result of a walk through an operation that placed no barriers: a walk from the same state has
// the same result until a barrier is placed. Without it, the walks of nested loops would multiply.
typedef struct known_walk {
    struct known_walk *next; // of the same operation
    int changes;             // kiln_membar.changes at that time
    unsigned needed_spaces;  // kiln_membar.would of that walk alone
    uint64_t states[];       // before and after
} known_walk_t;

// The state at a loop's head, found by a walk without conflicts. A walk that enters with more
// accesses finds at least these there, so it starts from them: rounds of nested loops do not
// multiply.
typedef struct known_head {
    int changes;       // kiln_membar.changes at that time; −1: not found yet
    uint64_t states[]; // before the loop, and at its head
} known_head_t;

struct kiln_membar {
    kiln_pointer_map_t barriers;
    kiln_states_t states;
    const kiln_uniformity_t *uniformity;
    bool is_query;          // determine whether a barrier is needed without placing it
    unsigned needed_spaces; // … and the result: for which spaces
    int changes;            // number of barriers placed
    kiln_pointer_map_t walk_of;
    known_walk_t **walks; // the latest of each operation in walk_of
    int walk_count;
    size_t walk_capacity;
    kiln_pointer_map_t head_of;
    known_head_t **heads; // of each loop in head_of
    int head_count;
    size_t head_capacity;
};

// The walk ----------------------------------------------------------------------------------------

static void walk_region(kiln_membar_t *membar, MlirRegion region, const kiln_state_t *state);

// An existing barrier does not count as a change: walk_blocks ends once nothing changes.
static void add_barrier(kiln_membar_t *membar, MlirOperation op, unsigned spaces)
{
    const unsigned known = kiln_membar_before(membar, op);
    spaces |= known;
    if (spaces & KILN_SPACE_GLOBAL) // it also orders LDS
        spaces |= KILN_SPACE_LDS;
    if (spaces == known)
        return;
    membar->states.pieces.out_of_memory |=
        !kiln_pointer_map_put(&membar->barriers, op.ptr, (int)spaces);
    membar->changes++;
}

// Applies the barrier that the operation is or contains.
static void pass_own_barrier(const kiln_membar_t *membar, MlirOperation op,
                             const kiln_state_t *state)
{
    unsigned global = kiln_orders_global(op) ? KILN_SPACE_GLOBAL : 0;
    int64_t rounds = kiln_ir_int_attr(op, "kiln.rounds", 1);
    switch (kiln_op_kind(op)) {
    case KILN_OP_GPU_BARRIER:
    case KILN_OP_TTG_BARRIER:
    case KILN_OP_TTG_LOCAL_BARRIER:
        rounds = rounds > membar->states.rounds ? membar->states.rounds : rounds;
        kiln_state_pass_barrier(&membar->states, state, KILN_SPACE_LDS | global,
                                rounds < 0 ? 0 : (int)rounds);
        break;
    default:
        kiln_state_pass_barrier(&membar->states, state, global, 1);
        break;
    }
}

static void access_memory(kiln_membar_t *membar, MlirOperation op, const kiln_state_t *state)
{
    kiln_state_t effects = kiln_state_make(&membar->states);
    if (!effects.reads)
        return;
    bool is_barrier_inside =
        kiln_pieces_effects(&membar->states.pieces, op, effects.reads, effects.writes);
    int known = kiln_pointer_map_get(&membar->barriers, op.ptr);
    unsigned spaces = known < 0 ? 0 : (unsigned)known;
    kiln_state_pass_barrier(&membar->states, state, spaces, membar->states.rounds);
    pass_own_barrier(membar, op, state);
    unsigned missing = kiln_states_conflict(&membar->states, effects.writes, state->reads) |
                       kiln_states_conflict(&membar->states, effects.writes, state->writes) |
                       kiln_states_conflict(&membar->states, effects.reads, state->writes);
    if (missing) {
        if (membar->is_query)
            membar->needed_spaces |= missing;
        else
            add_barrier(membar, op, missing);
        kiln_state_pass_barrier(&membar->states, state,
                                missing & KILN_SPACE_GLOBAL ? missing | KILN_SPACE_LDS : missing,
                                membar->states.rounds);
    }
    if (is_barrier_inside)
        kiln_state_pass_barrier(&membar->states, state, KILN_SPACE_LDS, membar->states.rounds);
    for (int i = 0; i < membar->states.pieces.count && is_barrier_inside; i++)
        // At its end it still reads its own writes.
        if (!membar->states.pieces.list[i].is_global && kiln_piece_set_has(effects.writes, i)) {
            kiln_piece_set_add(state->reads, i);
            effects.writes[i / 64] &= ~(1ull << (i % 64));
        }
    kiln_state_join(&membar->states, state, &effects);
    kiln_state_free(&effects);
}

// The known head of a loop; NULL if out of memory.
static known_head_t *head_of(kiln_membar_t *membar, MlirOperation loop)
{
    int index = kiln_pointer_map_get(&membar->head_of, loop.ptr);
    if (index >= 0)
        return membar->heads[index];
    index = membar->head_count;
    known_head_t *made = NULL;
    if (KILN_ARRAY_RESERVE(&membar->heads, &membar->head_capacity, (size_t)index + 1))
        made = malloc(sizeof *made + 2 * kiln_states_bytes(&membar->states));
    if (!made || !kiln_pointer_map_put(&membar->head_of, loop.ptr, index)) {
        free(made);
        membar->states.pieces.out_of_memory = true;
        return NULL;
    }
    made->changes = -1;
    membar->heads[membar->head_count++] = made;
    return made;
}

// Begins a walk from the state before the loop, with what is known of its head.
static void begin_at_head(const kiln_membar_t *membar, known_head_t *known,
                          const kiln_state_t *state, const kiln_state_t *head)
{
    const size_t words = kiln_states_words(&membar->states);
    bool has_more = known->changes == membar->changes;
    for (size_t w = 0; w < words && has_more; w++)
        has_more = !(known->states[w] & ~state->reads[w]);
    for (size_t w = 0; w < words; w++)
        head->reads[w] = state->reads[w] | (has_more ? known->states[words + w] : 0);
    memcpy(known->states, state->reads, kiln_states_bytes(&membar->states));
    known->changes = -1;
}

// Walks a loop until its state is stable. `second` is scf.while's second region, or null.
static void walk_loop(kiln_membar_t *membar, MlirOperation op, const kiln_state_t *state)
{
    const bool has_second = mlirOperationGetNumRegions(op) > 1;
    const MlirRegion second = has_second ? mlirOperationGetRegion(op, 1) : (MlirRegion){NULL};
    kiln_state_t head = kiln_state_make(&membar->states), around = kiln_state_make(&membar->states);
    known_head_t *known = head_of(membar, op);
    const int changes = membar->changes;
    if (!head.reads || !around.reads || !known)
        goto done;
    begin_at_head(membar, known, state, &head);
    do {
        kiln_state_copy(&membar->states, &around, &head);
        walk_region(membar, mlirOperationGetRegion(op, 0), &around);
        if (!mlirRegionIsNull(second)) {
            kiln_state_copy(&membar->states, state,
                            &around); // the loop is left after its first region
            walk_region(membar, second, &around);
        }
        kiln_state_cross(&membar->states, op, KILN_LOOP_BACK_EDGE, &around);
    } while (kiln_state_join(&membar->states, &head, &around));
    if (changes == membar->changes && !membar->needed_spaces)
        known->changes = changes;
    memcpy(known->states + kiln_states_words(&membar->states), head.reads,
           kiln_states_bytes(&membar->states));
    if (mlirRegionIsNull(second))
        kiln_state_copy(&membar->states, state, &head); // no iteration, or the end of the last one
    kiln_state_cross(&membar->states, op, KILN_LOOP_EXIT, state);
done:
    kiln_state_free(&head);
    kiln_state_free(&around);
}

typedef void (*walk_t)(kiln_membar_t *membar, MlirOperation op, const kiln_state_t *state);

static void forget_walks(known_walk_t **list)
{
    while (*list) {
        known_walk_t *next = (*list)->next;
        free(*list);
        *list = next;
    }
}

// The list of an operation's known walks; NULL if out of memory.
static known_walk_t **walks_of(kiln_membar_t *membar, MlirOperation op)
{
    int index = kiln_pointer_map_get(&membar->walk_of, op.ptr);
    if (index >= 0)
        return &membar->walks[index];
    index = membar->walk_count;
    if (!KILN_ARRAY_RESERVE(&membar->walks, &membar->walk_capacity, (size_t)index + 1) ||
        !kiln_pointer_map_put(&membar->walk_of, op.ptr, index))
        return NULL;
    membar->walks[membar->walk_count++] = NULL;
    return &membar->walks[index];
}

static const known_walk_t *find_walk(const kiln_membar_t *membar, const known_walk_t *list,
                                     const kiln_state_t *state)
{
    for (; list; list = list->next)
        if (memcmp(list->states, state->reads, kiln_states_bytes(&membar->states)) == 0 &&
            (membar->is_query || !list->needed_spaces))
            return list;
    return NULL;
}

static void walk_once(kiln_membar_t *membar, MlirOperation op, const kiln_state_t *state,
                      walk_t walk)
{
    known_walk_t **list = walks_of(membar, op), *made = NULL;
    const size_t words = kiln_states_words(&membar->states);
    if (list && *list && (*list)->changes != membar->changes)
        forget_walks(list);
    const known_walk_t *known = list ? find_walk(membar, *list, state) : NULL;
    if (known) {
        memcpy(state->reads, known->states + words, kiln_states_bytes(&membar->states));
        membar->needed_spaces |= known->needed_spaces;
        return;
    }
    made = list ? malloc(sizeof *made + 2 * kiln_states_bytes(&membar->states)) : NULL;
    membar->states.pieces.out_of_memory |= !made;
    if (!made)
        return;
    const unsigned needed_spaces = membar->needed_spaces;
    made->changes = membar->changes;
    memcpy(made->states, state->reads, kiln_states_bytes(&membar->states));
    membar->needed_spaces = 0;
    walk(membar, op, state);
    made->needed_spaces = membar->needed_spaces;
    membar->needed_spaces |= needed_spaces;
    if (made->changes != membar->changes) {
        free(made);
        return;
    }
    memcpy(made->states + words, state->reads, kiln_states_bytes(&membar->states));
    list = walks_of(membar, op); // inner operations may have moved it
    made->next = *list;
    *list = made;
}

// First places the barriers that the operation needs even without earlier accesses. If earlier
// accesses would require more barriers inside, one barrier before the operation replaces these.
static void walk_hoisting(kiln_membar_t *membar, MlirOperation op, const kiln_state_t *state,
                          walk_t walk)
{
    kiln_state_t trial = kiln_state_make(&membar->states);
    if (trial.reads && !membar->is_query) {
        walk_once(membar, op, &trial, walk);
        kiln_state_copy(&membar->states, &trial, state);
        membar->is_query = true;
        membar->needed_spaces = 0;
        walk_once(membar, op, &trial, walk);
        membar->is_query = false;
        if (membar->needed_spaces) {
            add_barrier(membar, op, membar->needed_spaces);
            kiln_state_pass_barrier(&membar->states, state,
                                    (unsigned)kiln_pointer_map_get(&membar->barriers, op.ptr),
                                    membar->states.rounds);
        }
    }
    walk_once(membar, op, state, walk);
    kiln_state_free(&trial);
}

static bool is_divergent(const kiln_membar_t *membar, MlirOperation op)
{
    return kiln_divergence_of_regions(membar->uniformity, op) != KILN_UNIFORM;
}

typedef struct accesses {
    kiln_membar_t *membar;
    kiln_state_t state;
} accesses_t;

static MlirWalkResult add_accesses(MlirOperation op, void *user)
{
    accesses_t *accesses = user;
    kiln_pieces_effects(&accesses->membar->states.pieces, op, accesses->state.reads,
                        accesses->state.writes);
    return MlirWalkResultAdvance;
}

// Handles waves that execute both sides of a branch at the same time: no barrier orders the
// accesses of one side with those of the other. A barrier before the branch would not help, so a
// query skips this.
static void compare_branches(kiln_membar_t *membar, MlirOperation op)
{
    accesses_t then = {membar, kiln_state_make(&membar->states)},
               other = {membar, kiln_state_make(&membar->states)};
    MlirBlock block = kiln_op_body(op, 1);
    bool both = then.state.reads && other.state.reads && !mlirBlockIsNull(block);
    for (MlirOperation at = mlirBlockGetFirstOperation(kiln_op_body(op, 0));
         both && !mlirOperationIsNull(at); at = mlirOperationGetNextInBlock(at))
        kiln_walk(at, MlirWalkPreOrder, add_accesses, &then);
    for (MlirOperation at = both ? mlirBlockGetFirstOperation(block) : (MlirOperation){NULL};
         !mlirOperationIsNull(at); at = mlirOperationGetNextInBlock(at)) {
        kiln_state_clear(&membar->states, &other.state);
        kiln_walk(at, MlirWalkPreOrder, add_accesses, &other);
        unsigned missing =
            kiln_states_conflict(&membar->states, other.state.writes, then.state.reads) |
            kiln_states_conflict(&membar->states, other.state.writes, then.state.writes) |
            kiln_states_conflict(&membar->states, other.state.reads, then.state.writes);
        if (missing)
            add_barrier(membar, at, missing);
    }
    kiln_state_free(&then.state);
    kiln_state_free(&other.state);
}

static void walk_branches(kiln_membar_t *membar, MlirOperation op, const kiln_state_t *state)
{
    kiln_state_t before = kiln_state_make(&membar->states),
                 branch = kiln_state_make(&membar->states);
    if (before.reads && branch.reads) {
        kiln_state_copy(&membar->states, &before, state);
        if (!membar->is_query && kiln_op_kind(op) == KILN_OP_SCF_IF && is_divergent(membar, op))
            compare_branches(membar, op);
        bool all = true; // whether one of the regions is always executed
        bool first = true;
        for (int r = 0; r < (int)mlirOperationGetNumRegions(op); r++) {
            if (mlirBlockIsNull(kiln_op_body(op, r))) {
                all = false;
                continue;
            }
            kiln_state_copy(&membar->states, &branch, &before);
            walk_region(membar, mlirOperationGetRegion(op, r), &branch);
            if (first)
                kiln_state_copy(&membar->states, state, &branch);
            else
                kiln_state_join(&membar->states, state, &branch);
            first = false;
        }
        if (!all)
            kiln_state_join(&membar->states, state, &before);
    }
    kiln_state_free(&before);
    kiln_state_free(&branch);
}

static void walk_operation(kiln_membar_t *membar, MlirOperation op, const kiln_state_t *state)
{
    if (membar->states.pieces.out_of_memory)
        return;
    access_memory(membar, op, state);
    switch (kiln_op_kind(op)) {
    case KILN_OP_SCF_FOR:
        walk_hoisting(membar, op, state, walk_loop);
        break;
    case KILN_OP_SCF_WHILE:
        if (is_divergent(membar, op))
            walk_hoisting(membar, op, state, walk_loop);
        else
            walk_once(membar, op, state, walk_loop);
        break;
    case KILN_OP_SCF_IF:
    case KILN_OP_SCF_EXECUTE_REGION:
        if (is_divergent(membar, op))
            walk_hoisting(membar, op, state, walk_branches);
        else
            walk_once(membar, op, state, walk_branches);
        break;
    default: // regions of reduce, scan and the like count as the operation's own accesses
        break;
    }
}

static void walk_block(kiln_membar_t *membar, MlirBlock block, const kiln_state_t *state)
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

// Several blocks: the state at each block's head grows until it is stable. The state after the
// region is the join of all blocks without successors.
static void walk_blocks(kiln_membar_t *membar, MlirRegion region, int count,
                        const kiln_state_t *state)
{
    kiln_state_t *heads = calloc((size_t)count, sizeof *heads);
    kiln_state_t at = kiln_state_make(&membar->states), exits = kiln_state_make(&membar->states);
    membar->states.pieces.out_of_memory |= !heads;
    for (int i = 0; heads && i < count; i++)
        heads[i] = kiln_state_make(&membar->states);
    if (!membar->states.pieces.out_of_memory) {
        kiln_state_copy(&membar->states, &heads[0], state);
        int changes = -1;
        bool changed = true;
        while (changed || changes != membar->changes) {
            changed = false;
            changes = membar->changes;
            kiln_state_clear(&membar->states, &exits);
            int i = 0;
            for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
                 block = mlirBlockGetNextInRegion(block), i++) {
                kiln_state_copy(&membar->states, &at, &heads[i]);
                walk_block(membar, block, &at);
                intptr_t successors = mlirBlockGetNumSuccessors(block);
                for (intptr_t s = 0; s < successors; s++) {
                    int to = block_index(region, mlirBlockGetSuccessor(block, s));
                    if (to <= i) // back edge
                        kiln_state_cross(&membar->states, mlirBlockGetParentOperation(block),
                                         KILN_LOOP_BACK_EDGE, &at);
                    changed |= kiln_state_join(&membar->states, &heads[to], &at);
                }
                if (successors == 0)
                    kiln_state_join(&membar->states, &exits, &at);
            }
        }
        kiln_state_copy(&membar->states, state, &exits);
    }
    for (int i = 0; heads && i < count; i++)
        kiln_state_free(&heads[i]);
    free(heads);
    kiln_state_free(&at);
    kiln_state_free(&exits);
}

static void walk_region(kiln_membar_t *membar, MlirRegion region, const kiln_state_t *state)
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

// Public functions --------------------------------------------------------------------------------

static MlirWalkResult register_pieces(MlirOperation op, void *user)
{
    kiln_membar_t *membar = user;
    kiln_pieces_effects(&membar->states.pieces, op, NULL, NULL);
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_membar_create(MlirModule module, const kiln_allocation_t *allocation,
                                 const kiln_global_accesses_t *accesses,
                                 const kiln_uniformity_t *uniformity, int rounds,
                                 kiln_membar_t **out)
{
    *out = NULL;
    kiln_membar_t *membar = calloc(1, sizeof *membar);
    if (!membar)
        return kiln_status_out_of_memory();
    membar->states.pieces.allocation = allocation;
    membar->states.pieces.accesses = accesses;
    membar->uniformity = uniformity;
    membar->states.rounds = rounds;
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, register_pieces, membar);
    membar->states.words = membar->states.pieces.count / 64 + 1;
    kiln_state_t state = kiln_state_make(&membar->states);
    MlirBlock body = mlirModuleGetBody(module);
    for (MlirOperation op = mlirBlockGetFirstOperation(body);
         !mlirOperationIsNull(op) && !membar->states.pieces.out_of_memory;
         op = mlirOperationGetNextInBlock(op)) {
        if (kiln_op_kind(op) != KILN_OP_TT_FUNC)
            continue;
        kiln_state_clear(&membar->states, &state);
        walk_region(membar, mlirOperationGetRegion(op, 0), &state);
    }
    kiln_state_free(&state);
    membar->states.pieces.allocation = NULL;
    membar->states.pieces.accesses = NULL;
    membar->uniformity = NULL;
    if (membar->states.pieces.out_of_memory) {
        kiln_membar_destroy(membar);
        return kiln_status_out_of_memory();
    }
    *out = membar;
    return KILN_OK;
}

void kiln_membar_destroy(kiln_membar_t *membar)
{
    if (!membar)
        return;
    kiln_pointer_map_free(&membar->barriers);
    kiln_pointer_map_free(&membar->walk_of);
    for (int i = 0; i < membar->walk_count; i++)
        forget_walks(&membar->walks[i]);
    free(membar->walks);
    kiln_pointer_map_free(&membar->head_of);
    for (int i = 0; i < membar->head_count; i++)
        free(membar->heads[i]);
    free(membar->heads);
    free(membar->states.pieces.list);
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
