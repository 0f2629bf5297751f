// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers by forward data flow: the state is which pieces of memory have been read and which written since the last
// barrier; an operation that conflicts with it gets a barrier, which empties it.
//
// Loops are walked until the state at their head no longer grows. Barriers, once given, stay, so a walk can only add
// some. A barrier that a loop's body would need only because of what came before the loop is given to the loop instead.
//
// A pipelined loop takes the slots of its buffers in turn. Such a ring has one piece for each age: what was accessed in
// this iteration, in the last, …; going around the loop makes everything a step older, and different ages never meet.
//
// The thing one gets wrong: the state is joined at the end of a branch even where that branch has a barrier, since the
// other may have none.
#include "analysis/membar.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pointer_map.h"
#include "builder/ir.h"

enum { MAX_ALIASES = 64 };

// A piece of LDS that operations access as a whole: one buffer, one slice of a buffer of several, or one operation's
// scratch. Of a ring: the slot that was current `age` iterations ago. Or what one access of global memory touches: in this
// iteration of the loops around it (age 0), in an earlier one of `loop`, or, where that is NULL, earlier.
typedef struct piece {
    const void *owner; // the local_alloc, the operation with scratch, or the one that accesses global memory
    uint32_t begin, end;
    const void *ring; // the loop-carried slot number, or NULL
    const void *loop; // that carries it
    int age, slots;
    bool is_global;
    int access; // is_global: its number
} piece_t;

typedef struct state {
    uint64_t *reads, *writes; // sets of pieces
} state_t;

struct kiln_membar {
    kiln_pointer_map_t barriers;
    const kiln_allocation_t *allocation;
    const kiln_global_accesses_t *accesses;
    piece_t *pieces;
    int count, capacity, words;
    int rounds;     // how often waves must meet for it to order anything: once, but where some are barriers apart
    bool only_asks; // whether a barrier would be needed, without giving it
    unsigned would; // … and the answer: of which spaces
    int changes;    // how often a barrier was given
    bool out_of_memory;
};

// Pieces ---------------------------------------------------------------------------------------------------------

static int add_piece(kiln_membar_t *membar, piece_t piece)
{
    for (int i = 0; i < membar->count; i++) {
        const piece_t *known = &membar->pieces[i];
        if (known->owner == piece.owner && known->begin == piece.begin && known->end == piece.end &&
            known->ring == piece.ring && known->age == piece.age && known->loop == piece.loop &&
            known->is_global == piece.is_global)
            return i;
    }
    if (membar->count == membar->capacity) {
        int capacity = membar->capacity ? 2 * membar->capacity : 32;
        piece_t *pieces = realloc(membar->pieces, (size_t)capacity * sizeof *pieces);
        if (!pieces) {
            membar->out_of_memory = true;
            return -1;
        }
        membar->pieces = pieces;
        membar->capacity = capacity;
    }
    membar->pieces[membar->count] = piece;
    return membar->count++;
}

static bool is_constant(MlirValue value, int64_t wanted)
{
    int64_t constant;
    return kiln_ir_constant_int(value, &constant) && constant == wanted;
}

// Whether `next` is (slot + 1) mod slots, the way pipeline_loops writes it: select (slot + 1 < slots), slot + 1, 0.
static bool is_next_slot(MlirValue next, MlirValue slot, int64_t slots)
{
    enum { SIGNED_LESS = 2 };
    MlirOperation select, compare, add;
    if (kiln_value_op(next, &select) != KILN_OP_ARITH_SELECT || !is_constant(kiln_op_operand(select, 2), 0) ||
        kiln_value_op(kiln_op_operand(select, 0), &compare) != KILN_OP_ARITH_CMPI ||
        kiln_ir_int_attr(compare, "predicate", -1) != SIGNED_LESS)
        return false;
    MlirValue sum = kiln_op_operand(select, 1);
    return kiln_value_op(sum, &add) == KILN_OP_ARITH_ADDI && mlirValueEqual(kiln_op_operand(compare, 0), sum) &&
           is_constant(kiln_op_operand(compare, 1), slots) && mlirValueEqual(kiln_op_operand(add, 0), slot) &&
           is_constant(kiln_op_operand(add, 1), 1);
}

// Makes `piece`, a whole buffer of `slots`, the current slot of a ring where `slot` is carried around a loop like that.
static void find_ring(MlirValue slot, int64_t slots, piece_t *piece)
{
    if (!mlirValueIsABlockArgument(slot) || slots > INT32_MAX)
        return;
    MlirBlock body = mlirBlockArgumentGetOwner(slot);
    MlirOperation loop = mlirBlockGetParentOperation(body);
    intptr_t carried = mlirBlockArgumentGetArgNumber(slot) - 1;
    int64_t first;
    if (kiln_op_kind(loop) != KILN_OP_SCF_FOR || carried < 0 ||
        !kiln_ir_constant_int(mlirOperationGetOperand(loop, 3 + carried), &first) || first < 0 || first >= slots ||
        !is_next_slot(mlirOperationGetOperand(kiln_block_terminator(body), carried), slot, slots))
        return;
    piece->ring = slot.ptr;
    piece->loop = loop.ptr;
    piece->slots = (int)slots;
}

// Narrows a whole buffer to the part that a descriptor reaches: a slice where it comes from memdesc_index with a
// constant, a ring's current slot where the index is one.
static void narrow(MlirValue memdesc, piece_t *piece)
{
    MlirOperation op, alloc;
    kiln_op_t kind = kiln_value_op(memdesc, &op);
    while (kind == KILN_OP_TTG_MEMDESC_TRANS || kind == KILN_OP_TTG_MEMDESC_RESHAPE ||
           kind == KILN_OP_TTG_MEMDESC_SUBSLICE || kind == KILN_OP_TTG_MEMDESC_REINTERPRET) {
        memdesc = kiln_op_operand(op, 0);
        kind = kiln_value_op(memdesc, &op);
    }
    if (kind != KILN_OP_TTG_MEMDESC_INDEX)
        return;
    MlirType whole = mlirValueGetType(kiln_op_operand(op, 0));
    if (kiln_value_op(kiln_op_operand(op, 0), &alloc) != KILN_OP_TTG_LOCAL_ALLOC || kiln_memdesc_rank(whole) < 1)
        return;
    int64_t slices = kiln_memdesc_dim(whole, 0), index;
    if (!kiln_ir_constant_int(kiln_op_operand(op, 1), &index)) {
        find_ring(kiln_op_operand(op, 1), slices, piece);
        return;
    }
    if (slices < 1 || index < 0 || index >= slices)
        return;
    uint32_t bytes = (piece->end - piece->begin) / (uint32_t)slices;
    piece->begin += (uint32_t)index * bytes;
    piece->end = piece->begin + bytes;
}

static void add_to(uint64_t *set, int piece)
{
    if (set && piece >= 0)
        set[piece / 64] |= 1ull << (piece % 64);
}

static void add_memdesc(kiln_membar_t *membar, MlirValue memdesc, uint64_t *set)
{
    MlirOperation buffers[MAX_ALIASES];
    int count = kiln_allocation_buffers(membar->allocation, memdesc, buffers, MAX_ALIASES);
    for (int i = 0; i < count && i < MAX_ALIASES; i++) {
        uint32_t begin, bytes;
        if (!kiln_allocation_offset(membar->allocation, buffers[i], &begin, &bytes))
            continue;
        piece_t piece = {.owner = buffers[i].ptr, .begin = begin, .end = begin + bytes};
        if (count == 1)
            narrow(memdesc, &piece);
        add_to(set, add_piece(membar, piece));
        if (!piece.ring || set)
            continue;
        for (piece.age = 1; piece.age < piece.slots; piece.age++) // the walk needs all of a ring, and the whole buffer
            add_piece(membar, piece);
        add_piece(membar, (piece_t){.owner = piece.owner, .begin = piece.begin, .end = piece.end});
    }
}

// Effects --------------------------------------------------------------------------------------------------------

static void add_global_access(kiln_membar_t *membar, MlirOperation op, uint64_t *reads, uint64_t *writes)
{
    int access = kiln_global_access_of(membar->accesses, op);
    if (access < 0)
        return;
    piece_t piece = {.owner = op.ptr, .is_global = true, .access = access};
    int index = add_piece(membar, piece);
    if (kiln_global_access_reads(membar->accesses, access))
        add_to(reads, index);
    if (kiln_global_access_writes(membar->accesses, access))
        add_to(writes, index);
    piece.age = 1; // the walk needs all of them
    add_piece(membar, piece);
    for (MlirOperation at = kiln_op_parent(op); reads == NULL && !mlirOperationIsNull(at); at = kiln_op_parent(at)) {
        piece.loop = at.ptr;
        add_piece(membar, piece);
    }
}

// What the operation itself accesses (not what is in its regions). With NULL sets it only registers the pieces. True
// where it writes its scratch, then executes a barrier, then reads.
static bool lds_effects_of(kiln_membar_t *membar, MlirOperation op, uint64_t *reads, uint64_t *writes)
{
    uint32_t begin, bytes;
    switch (kiln_op_kind(op)) {
    case KILN_OP_GPU_BARRIER:
    case KILN_OP_TTG_BARRIER:
    case KILN_OP_TTG_LOCAL_BARRIER:
        return false;
    case KILN_OP_TTG_LOCAL_ALLOC:
        if (mlirOperationGetNumOperands(op) > 0)
            add_memdesc(membar, kiln_op_result(op, 0), writes);
        return false;
    case KILN_OP_TTG_LOCAL_LOAD:
        add_memdesc(membar, kiln_op_operand(op, 0), reads);
        return false;
    case KILN_OP_TTG_LOCAL_STORE:
        add_memdesc(membar, kiln_op_operand(op, 1), writes);
        return false;
    case KILN_OP_TTG_LOCAL_DEALLOC:
    case KILN_OP_TTG_MEMDESC_INDEX:
    case KILN_OP_TTG_MEMDESC_SUBSLICE:
    case KILN_OP_TTG_MEMDESC_TRANS:
    case KILN_OP_TTG_MEMDESC_RESHAPE:
    case KILN_OP_TTG_MEMDESC_REINTERPRET:
    case KILN_OP_SCF_FOR:
    case KILN_OP_SCF_WHILE:
    case KILN_OP_SCF_IF:
    case KILN_OP_SCF_YIELD:
    case KILN_OP_SCF_CONDITION:
    case KILN_OP_SCF_EXECUTE_REGION:
    case KILN_OP_CF_BR:
    case KILN_OP_CF_COND_BR:
    case KILN_OP_ARITH_SELECT:
        return false;
    case KILN_OP_TT_CALL: // its own barriers are unknown here
        if (kiln_allocation_offset(membar->allocation, op, &begin, &bytes)) {
            int piece = add_piece(membar, (piece_t){.owner = op.ptr, .begin = begin, .end = begin + bytes});
            add_to(reads, piece);
            add_to(writes, piece);
        }
        return false;
    default:
        break;
    }
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue operand = mlirOperationGetOperand(op, i);
        if (kiln_type_is_memdesc(mlirValueGetType(operand))) { // an operation that we don't know: it may do both
            add_memdesc(membar, operand, reads);
            add_memdesc(membar, operand, writes);
        }
    }
    if (!kiln_allocation_offset(membar->allocation, op, &begin, &bytes))
        return false;
    add_to(writes, add_piece(membar, (piece_t){.owner = op.ptr, .begin = begin, .end = begin + bytes}));
    return true;
}

static bool effects_of(kiln_membar_t *membar, MlirOperation op, uint64_t *reads, uint64_t *writes)
{
    add_global_access(membar, op, reads, writes);
    return lds_effects_of(membar, op, reads, writes);
}

static bool overlap(const kiln_membar_t *membar, const piece_t *now, const piece_t *earlier)
{
    const piece_t *a = now, *b = earlier;
    if (a->is_global || b->is_global) {
        kiln_when_t when = {.same_iteration = earlier->age == 0, .loop = {(void *)(uintptr_t)earlier->loop}};
        return a->is_global && b->is_global &&
               kiln_global_accesses_meet(membar->accesses, earlier->access, when, now->access);
    }
    if (a->ring && a->ring == b->ring && a->owner == b->owner)
        return a->age == b->age;
    return a->begin < b->end && b->begin < a->end;
}

static bool has(const uint64_t *set, int piece)
{
    return set[piece / 64] >> (piece % 64) & 1;
}

// Which memory two sets of pieces both touch, `a` now, `b` earlier.
static unsigned touches(const kiln_membar_t *membar, const uint64_t *a, const uint64_t *b)
{
    unsigned spaces = 0;
    for (int i = 0; i < membar->count; i++)
        for (int j = 0; j < membar->count && has(a, i); j++)
            if (has(b, j) && overlap(membar, &membar->pieces[i], &membar->pieces[j]))
                spaces |= membar->pieces[i].is_global ? KILN_SPACE_GLOBAL : KILN_SPACE_LDS;
    return spaces;
}

// States ---------------------------------------------------------------------------------------------------------

static state_t new_state(kiln_membar_t *membar)
{
    state_t state;
    state.reads = calloc((size_t)membar->words * 2, sizeof *state.reads);
    state.writes = state.reads ? state.reads + membar->words : NULL;
    membar->out_of_memory |= !state.reads;
    return state;
}

static void free_state(state_t *state)
{
    free(state->reads);
}

static void clear(const kiln_membar_t *membar, const state_t *state)
{
    memset(state->reads, 0, (size_t)membar->words * 2 * sizeof *state->reads);
}

// Forgets what a barrier of these spaces orders.
static void pass_barrier(const kiln_membar_t *membar, const state_t *state, unsigned spaces)
{
    for (int i = 0; i < membar->count && spaces; i++)
        if (spaces & (membar->pieces[i].is_global ? KILN_SPACE_GLOBAL : KILN_SPACE_LDS)) {
            state->reads[i / 64] &= ~(1ull << (i % 64));
            state->writes[i / 64] &= ~(1ull << (i % 64));
        }
}

// True where `to` grew.
static bool join(const kiln_membar_t *membar, const state_t *to, const state_t *from)
{
    bool grew = false;
    for (int w = 0; w < 2 * membar->words; w++) {
        grew |= (from->reads[w] & ~to->reads[w]) != 0;
        to->reads[w] |= from->reads[w];
    }
    return grew;
}

// What becomes of a loop's rings when it goes around (they age) or is left (they are just buffers again), and of accesses
// whose pointers are others in the next iteration.
typedef enum turn { GOES_AROUND, IS_LEFT } turn_t;

static void age_access(const kiln_membar_t *membar, piece_t *piece, MlirOperation loop, turn_t turn)
{
    bool is_of_loop = piece->age && piece->loop == loop.ptr;
    if (turn == IS_LEFT) {
        piece->loop = is_of_loop ? NULL : piece->loop; // entered again, the loop begins anew
    } else if (!is_of_loop && kiln_global_access_varies(membar->accesses, piece->access, loop)) {
        piece->loop = piece->age ? NULL : loop.ptr;
        piece->age = 1;
    }
}

static void turn_pieces(kiln_membar_t *membar, MlirOperation loop, turn_t turn, const state_t *state)
{
    state_t turned = new_state(membar);
    if (!turned.reads)
        return;
    for (int i = 0; i < membar->count; i++) {
        piece_t piece = membar->pieces[i];
        int to = i;
        bool is_there = has(state->reads, i) || has(state->writes, i);
        if (is_there && piece.is_global) {
            age_access(membar, &piece, loop, turn);
            to = add_piece(membar, piece);
        }
        if (is_there && piece.ring && piece.loop == loop.ptr) {
            if (turn == GOES_AROUND)
                piece.age = (piece.age + 1) % piece.slots;
            else
                piece = (piece_t){.owner = piece.owner, .begin = piece.begin, .end = piece.end};
            to = add_piece(membar, piece); // known already
        }
        if (has(state->reads, i))
            add_to(turned.reads, to);
        if (has(state->writes, i))
            add_to(turned.writes, to);
    }
    memcpy(state->reads, turned.reads, (size_t)membar->words * 2 * sizeof *state->reads);
    free_state(&turned);
}

static void copy(const kiln_membar_t *membar, const state_t *to, const state_t *from)
{
    memcpy(to->reads, from->reads, (size_t)membar->words * 2 * sizeof *to->reads);
}

// The walk -------------------------------------------------------------------------------------------------------

static void walk_region(kiln_membar_t *membar, MlirRegion region, const state_t *state);

static void give_barrier(kiln_membar_t *membar, MlirOperation op, unsigned spaces)
{
    int known = kiln_pointer_map_get(&membar->barriers, op.ptr);
    spaces |= known < 0 ? 0 : (unsigned)known;
    if (spaces & KILN_SPACE_GLOBAL) // it orders LDS as well
        spaces |= KILN_SPACE_LDS;
    membar->out_of_memory |= !kiln_pointer_map_put(&membar->barriers, op.ptr, (int)spaces);
    membar->changes++;
}

// What the operation's own barrier orders of what was before it.
static unsigned ordered_by(const kiln_membar_t *membar, MlirOperation op)
{
    unsigned global = kiln_orders_global(op) ? KILN_SPACE_GLOBAL : 0;
    switch (kiln_op_kind(op)) {
    case KILN_OP_GPU_BARRIER:
    case KILN_OP_TTG_BARRIER:
    case KILN_OP_TTG_LOCAL_BARRIER:
        return kiln_ir_int_attr(op, "kiln.rounds", 1) < membar->rounds ? 0 : KILN_SPACE_LDS | global;
    default:
        return membar->rounds > 1 ? 0 : global;
    }
}

static void access_memory(kiln_membar_t *membar, MlirOperation op, const state_t *state)
{
    state_t effects = new_state(membar);
    if (!effects.reads)
        return;
    bool is_barrier_inside = effects_of(membar, op, effects.reads, effects.writes);
    int known = kiln_pointer_map_get(&membar->barriers, op.ptr);
    unsigned spaces = known < 0 ? 0 : (unsigned)known;
    pass_barrier(membar, state, spaces | ordered_by(membar, op));
    unsigned missing = touches(membar, effects.writes, state->reads) | touches(membar, effects.writes, state->writes) |
                       touches(membar, effects.reads, state->writes);
    if (missing) {
        if (membar->only_asks)
            membar->would |= missing;
        else
            give_barrier(membar, op, missing);
        pass_barrier(membar, state, missing & KILN_SPACE_GLOBAL ? missing | KILN_SPACE_LDS : missing);
    }
    if (is_barrier_inside)
        pass_barrier(membar, state, KILN_SPACE_LDS);
    for (int i = 0; i < membar->count && is_barrier_inside; i++)
        if (!membar->pieces[i].is_global && has(effects.writes, i)) { // at its end it still reads what it wrote
            add_to(state->reads, i);
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
        turn_pieces(membar, op, GOES_AROUND, &around);
    } while (join(membar, &head, &around));
    if (mlirRegionIsNull(second))
        copy(membar, state, &head); // no iteration, or the last one's end: both came to the head
    turn_pieces(membar, op, IS_LEFT, state);
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
            pass_barrier(membar, state, (unsigned)kiln_pointer_map_get(&membar->barriers, op.ptr));
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
    if (membar->out_of_memory)
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
    membar->out_of_memory |= !heads;
    for (int i = 0; heads && i < count; i++)
        heads[i] = new_state(membar);
    if (!membar->out_of_memory) {
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
                        turn_pieces(membar, mlirBlockGetParentOperation(block), GOES_AROUND, &at);
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
    effects_of(membar, op, NULL, NULL);
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_membar_create(MlirModule module, const kiln_allocation_t *allocation,
                                 const kiln_global_accesses_t *accesses, int rounds, kiln_membar_t **out)
{
    *out = NULL;
    kiln_membar_t *membar = calloc(1, sizeof *membar);
    if (!membar)
        return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "no memory for the barrier analysis");
    membar->allocation = allocation;
    membar->accesses = accesses;
    membar->rounds = rounds;
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, register_pieces, membar);
    membar->words = membar->count / 64 + 1;
    state_t state = new_state(membar);
    MlirBlock body = mlirModuleGetBody(module);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op) && !membar->out_of_memory;
         op = mlirOperationGetNextInBlock(op)) {
        if (kiln_op_kind(op) != KILN_OP_TT_FUNC)
            continue;
        clear(membar, &state);
        walk_region(membar, mlirOperationGetRegion(op, 0), &state);
    }
    free_state(&state);
    membar->allocation = NULL;
    membar->accesses = NULL;
    if (membar->out_of_memory) {
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
    free(membar->pieces);
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
