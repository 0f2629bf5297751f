// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the pieces of memory that operations access; see membar_pieces.h.
#include "analysis/barriers/membar_pieces.h"

#include <stdlib.h>

#include "base/array.h"
#include "builder/compare.h"
#include "builder/ir.h"

enum { MAX_STEPS = 32 }; // of a slot number in one iteration

// Pieces ------------------------------------------------------------------------------------------

static int add_piece(kiln_pieces_t *pieces, kiln_piece_t piece)
{
    for (int i = 0; i < pieces->count; i++) {
        const kiln_piece_t *known = &pieces->list[i];
        if (known->owner == piece.owner && known->begin == piece.begin && known->end == piece.end &&
            known->ring == piece.ring && known->age == piece.age && known->loop == piece.loop &&
            known->is_global == piece.is_global)
            return i;
    }
    if (!KILN_ARRAY_RESERVE(&pieces->list, &pieces->capacity, (size_t)pieces->count + 1)) {
        pieces->out_of_memory = true;
        return -1;
    }
    pieces->list[pieces->count] = piece;
    return pieces->count++;
}

static bool is_constant(MlirValue value, int64_t wanted)
{
    int64_t constant;
    return kiln_ir_constant_int(value, &constant) && constant == wanted;
}

// Returns s of (s + 1) mod slots in the form that pipeline_loops creates: select (s + 1 < slots), s
// + 1, 0. Null if the value has another form.
static MlirValue slot_before(MlirValue next, int64_t slots)
{
    const MlirValue none = {NULL};
    MlirOperation select, compare, add;
    if (kiln_value_op(next, &select) != KILN_OP_ARITH_SELECT ||
        !is_constant(kiln_op_operand(select, 2), 0) ||
        kiln_value_op(kiln_op_operand(select, 0), &compare) != KILN_OP_ARITH_CMPI ||
        kiln_cmpi_of(compare) != KILN_CMPI_SLT)
        return none;
    MlirValue sum = kiln_op_operand(select, 1);
    return kiln_value_op(sum, &add) == KILN_OP_ARITH_ADDI &&
                   mlirValueEqual(kiln_op_operand(compare, 0), sum) &&
                   is_constant(kiln_op_operand(compare, 1), slots) &&
                   is_constant(kiln_op_operand(add, 1), 1)
               ? kiln_op_operand(add, 0)
               : none;
}

// Walks back from a slot to the block argument from which it is counted; returns the distance, or
// −1 if there is none.
static int steps_from_argument(MlirValue slot, int64_t slots, MlirValue *out_argument)
{
    for (int steps = 0; steps < MAX_STEPS; steps++) {
        if (mlirValueIsABlockArgument(slot)) {
            *out_argument = slot;
            return steps;
        }
        slot = slot_before(slot, slots);
        if (mlirValueIsNull(slot))
            break;
    }
    return -1;
}

// Turns `piece`, a whole buffer of `slots`, into a slot of a ring if a loop carries a slot number
// that each iteration advances by constant steps, and `slot` is some steps further.
static void find_ring(MlirValue slot, int64_t slots, kiln_piece_t *piece)
{
    MlirValue argument, same;
    const int ahead =
        slots < 1 || slots > INT32_MAX ? -1 : steps_from_argument(slot, slots, &argument);
    if (ahead < 0)
        return;
    MlirBlock body = mlirBlockArgumentGetOwner(argument);
    MlirOperation loop = mlirBlockGetParentOperation(body);
    intptr_t carried = mlirBlockArgumentGetArgNumber(argument) - 1;
    int64_t first;
    if (kiln_op_kind(loop) != KILN_OP_SCF_FOR || carried < 0 ||
        !kiln_ir_constant_int(mlirOperationGetOperand(loop, 3 + carried), &first) || first < 0 ||
        first >= slots)
        return;
    const int stride = steps_from_argument(
        mlirOperationGetOperand(kiln_block_terminator(body), carried), slots, &same);
    if (stride < 1 || !mlirValueEqual(same, argument))
        return;
    piece->ring = argument.ptr;
    piece->loop = loop.ptr;
    piece->slots = (int)slots;
    piece->stride = stride % (int)slots;
    piece->age = (int)((slots - ahead % slots) % slots);
}

// Returns the descriptor that one side of a branch yields if the other side yields poison.
static MlirValue strip_branches(MlirValue memdesc)
{
    MlirOperation branch, poison;
    while (kiln_value_op(memdesc, &branch) == KILN_OP_SCF_IF) {
        intptr_t result = mlirOpResultGetResultNumber(memdesc);
        MlirValue sides[2];
        for (int side = 0; side < 2; side++)
            sides[side] =
                mlirOperationGetOperand(kiln_block_terminator(kiln_op_body(branch, side)), result);
        if (kiln_value_op(sides[0], &poison) == KILN_OP_UB_POISON)
            memdesc = sides[1];
        else if (kiln_value_op(sides[1], &poison) == KILN_OP_UB_POISON)
            memdesc = sides[0];
        else
            break;
    }
    return memdesc;
}

// Narrows a whole buffer to the part that a descriptor covers: a slice for a memdesc_index with a
// constant, or a ring's current slot.
static void narrow(MlirValue memdesc, kiln_piece_t *piece)
{
    MlirOperation op, alloc;
    memdesc = strip_branches(memdesc);
    kiln_op_t kind = kiln_value_op(memdesc, &op);
    while (kind == KILN_OP_TTG_MEMDESC_TRANS || kind == KILN_OP_TTG_MEMDESC_RESHAPE ||
           kind == KILN_OP_TTG_MEMDESC_SUBSLICE || kind == KILN_OP_TTG_MEMDESC_REINTERPRET) {
        memdesc = strip_branches(kiln_op_operand(op, 0));
        kind = kiln_value_op(memdesc, &op);
    }
    if (kind != KILN_OP_TTG_MEMDESC_INDEX)
        return;
    MlirType whole = mlirValueGetType(kiln_op_operand(op, 0));
    if (kiln_value_op(kiln_op_operand(op, 0), &alloc) != KILN_OP_TTG_LOCAL_ALLOC ||
        kiln_memdesc_rank(whole) < 1)
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

static void add_memdesc(kiln_pieces_t *pieces, MlirValue memdesc, uint64_t *set)
{
    int count = kiln_allocation_buffers(pieces->allocation, memdesc, NULL, 0);
    MlirOperation *buffers = malloc(((size_t)count + 1) * sizeof *buffers);
    pieces->out_of_memory |= !buffers;
    if (buffers)
        kiln_allocation_buffers(pieces->allocation, memdesc, buffers, count);
    for (int i = 0; buffers && i < count; i++) {
        uint32_t begin, bytes;
        if (!kiln_allocation_offset(pieces->allocation, buffers[i], &begin, &bytes))
            continue;
        kiln_piece_t piece = {.owner = buffers[i].ptr, .begin = begin, .end = begin + bytes};
        if (count == 1)
            narrow(memdesc, &piece);
        kiln_piece_set_add(set, add_piece(pieces, piece));
        if (!piece.ring || set)
            continue;
        // The walk needs all slots of a ring, and the whole buffer.
        for (piece.age = 0; piece.age < piece.slots; piece.age++)
            add_piece(pieces, piece);
        add_piece(pieces,
                  (kiln_piece_t){.owner = piece.owner, .begin = piece.begin, .end = piece.end});
    }
    free(buffers);
}

// Effects -----------------------------------------------------------------------------------------

static void add_global_access(kiln_pieces_t *pieces, MlirOperation op, uint64_t *reads,
                              uint64_t *writes)
{
    int access = kiln_global_access_of(pieces->accesses, op);
    if (access < 0)
        return;
    kiln_piece_t piece = {.owner = op.ptr, .is_global = true, .access = access};
    int index = add_piece(pieces, piece);
    if (kiln_global_access_reads(pieces->accesses, access))
        kiln_piece_set_add(reads, index);
    if (kiln_global_access_writes(pieces->accesses, access))
        kiln_piece_set_add(writes, index);
    piece.age = 1; // the walk needs both ages
    add_piece(pieces, piece);
    for (MlirOperation at = kiln_op_parent(op); reads == NULL && !mlirOperationIsNull(at);
         at = kiln_op_parent(at)) {
        piece.loop = at.ptr;
        add_piece(pieces, piece);
    }
}

// A called function and an unknown operation may both read and write their operands.
static void add_operands(kiln_pieces_t *pieces, MlirOperation op, uint64_t *reads, uint64_t *writes)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue operand = mlirOperationGetOperand(op, i);
        if (!kiln_type_is_memdesc(mlirValueGetType(operand)))
            continue;
        add_memdesc(pieces, operand, reads);
        add_memdesc(pieces, operand, writes);
    }
}

// Collects the accesses of the operation itself (not of its regions). With NULL sets it only
// registers the pieces. Returns true if the operation writes its scratch, then executes a barrier,
// then reads.
static bool lds_effects_of(kiln_pieces_t *pieces, MlirOperation op, uint64_t *reads,
                           uint64_t *writes)
{
    uint32_t begin, bytes;
    switch (kiln_op_kind(op)) {
    case KILN_OP_GPU_BARRIER:
    case KILN_OP_TTG_BARRIER:
    case KILN_OP_TTG_LOCAL_BARRIER:
        return false;
    case KILN_OP_TTG_LOCAL_ALLOC:
        if (mlirOperationGetNumOperands(op) > 0)
            add_memdesc(pieces, kiln_op_result(op, 0), writes);
        return false;
    case KILN_OP_TTG_LOCAL_LOAD:
    case KILN_OP_TTG_LOCAL_GATHER:
        add_memdesc(pieces, kiln_op_operand(op, 0), reads);
        return false;
    case KILN_OP_TTG_LOCAL_STORE:
        add_memdesc(pieces, kiln_op_operand(op, 1), writes);
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
    case KILN_OP_TT_CALL: // its own barriers are not visible here
        add_operands(pieces, op, reads, writes);
        if (kiln_allocation_offset(pieces->allocation, op, &begin, &bytes)) {
            int piece = add_piece(
                pieces, (kiln_piece_t){.owner = op.ptr, .begin = begin, .end = begin + bytes});
            kiln_piece_set_add(reads, piece);
            kiln_piece_set_add(writes, piece);
        }
        return false;
    default:
        break;
    }
    add_operands(pieces, op, reads, writes);
    if (!kiln_allocation_offset(pieces->allocation, op, &begin, &bytes))
        return false;
    kiln_piece_set_add(
        writes,
        add_piece(pieces, (kiln_piece_t){.owner = op.ptr, .begin = begin, .end = begin + bytes}));
    return true;
}

typedef struct sets {
    kiln_pieces_t *pieces;
    uint64_t *reads, *writes;
} sets_t;

static MlirWalkResult add_inner(MlirOperation op, void *user)
{
    const sets_t *sets = user;
    add_global_access(sets->pieces, op, sets->reads, sets->writes);
    lds_effects_of(sets->pieces, op, sets->reads, sets->writes);
    return MlirWalkResultAdvance;
}

// Regions that membar.c walks in execution order. Other regions (such as those of reductions) are
// executed somewhere in the operation, and so count as its own accesses.
static bool is_walked(kiln_op_t kind)
{
    return kind == KILN_OP_SCF_FOR || kind == KILN_OP_SCF_WHILE || kind == KILN_OP_SCF_IF ||
           kind == KILN_OP_SCF_EXECUTE_REGION;
}

bool kiln_pieces_effects(kiln_pieces_t *pieces, MlirOperation op, uint64_t *reads, uint64_t *writes)
{
    if (reads && mlirOperationGetNumRegions(op) > 0 && !is_walked(kiln_op_kind(op)))
        kiln_walk(op, MlirWalkPreOrder, add_inner, &(sets_t){pieces, reads, writes});
    add_global_access(pieces, op, reads, writes);
    return lds_effects_of(pieces, op, reads, writes);
}

bool kiln_pieces_overlap(const kiln_pieces_t *pieces, int now, int earlier)
{
    const kiln_piece_t *a = &pieces->list[now], *b = &pieces->list[earlier];
    if (a->is_global || b->is_global) {
        kiln_when_t when = {.same_iteration = b->age == 0, .loop = {(void *)(uintptr_t)b->loop}};
        return a->is_global && b->is_global &&
               kiln_global_accesses_meet(pieces->accesses, b->access, when, a->access);
    }
    if (a->ring && a->ring == b->ring && a->owner == b->owner)
        return a->age == b->age;
    return a->begin < b->end && b->begin < a->end;
}

// Ages --------------------------------------------------------------------------------------------

static void age_access(const kiln_pieces_t *pieces, kiln_piece_t *piece, MlirOperation loop,
                       kiln_loop_edge_t edge)
{
    bool is_of_loop = piece->age && piece->loop == loop.ptr;
    if (edge == KILN_LOOP_EXIT) {
        piece->loop = is_of_loop ? NULL : piece->loop; // entered again, the loop starts anew
    } else if (!is_of_loop && kiln_global_access_varies(pieces->accesses, piece->access, loop)) {
        piece->loop = piece->age ? NULL : loop.ptr;
        piece->age = 1;
    }
}

int kiln_pieces_cross(kiln_pieces_t *pieces, int index, MlirOperation loop, kiln_loop_edge_t edge)
{
    kiln_piece_t piece = pieces->list[index];
    if (piece.is_global)
        age_access(pieces, &piece, loop, edge);
    else if (!piece.ring || piece.loop != loop.ptr)
        return index;
    else if (edge == KILN_LOOP_BACK_EDGE)
        piece.age = (piece.age + piece.stride) % piece.slots;
    else
        piece = (kiln_piece_t){.owner = piece.owner, .begin = piece.begin, .end = piece.end};
    return add_piece(pieces, piece); // already registered
}
