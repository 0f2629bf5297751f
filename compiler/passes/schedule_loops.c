// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which loops are pipelined, and how: loads that feed dots run ahead, with their addresses; what is left stays
// num_stages − 1 stages behind. With num_stages = 2:
//
//   for k:                                       for k:                                        stage  cluster
//     a = load p(k)                                a = load p(k)                                 0      0
//     a1 = convert_layout a : → #dot_op    →       buffer = local_alloc a                        0      2
//     acc = dot a1, b1, acc                        a1 = local_load buffer : → #dot_op            1      1
//                                                  acc = dot a1, b1, acc                         1      1
//
// The buffer is written last in a step, behind the reads of what it held; barriers are left to the barrier analysis. A
// load whose value goes through arithmetic on its way to the dot waits in registers instead. pipeline_loops builds the
// loop that this asks for.
//
// A loop is left alone where that would not be right or not help: it has no dot, or other loops, or anything that
// writes memory, but for stores in branches (fuse_loops makes such) through other pointers than those loads'; or a load's
// address depends on a dot. The thing one gets wrong: LDS that a loop's operations need for
// themselves is taken from what buffers may have.
#include "passes/default_schedule.h"
#include "passes/for_loop.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/allocation.h"
#include "analysis/loop_registers.h"
#include "analysis/pointer_map.h"
#include "analysis/scratch.h"
#include "base/gfx942.h"
#include "builder/ir.h"
#include "layout/infer.h"
#include "layout/operand.h"
#include "passes/loop_effects.h"
#include "passes/loop_schedule.h"

enum { CHAIN = 16, MOST_STORES = 16, MOST_USES = 4096, MOST_OUTSIDE = 16 };

typedef struct match {
    const kiln_pass_context_t *context;
    kiln_default_schedule_t loop;
    kiln_pointer_map_t index_of; // operation of the body → its index
    kiln_access_t stores[MOST_STORES];
    int store_count;
    bool out_of_memory;
} match_t;

// What may be in the loop -----------------------------------------------------------------------------------------

static bool is_harmless(MlirOperation op)
{
    switch (kiln_op_kind(op)) {
    case KILN_OP_UNKNOWN:
    case KILN_OP_TT_STORE:
    case KILN_OP_TT_ATOMIC_RMW:
    case KILN_OP_TT_ATOMIC_CAS:
    case KILN_OP_TT_ATOMIC_LOAD:
    case KILN_OP_TT_ATOMIC_POLL:
    case KILN_OP_TT_PRINT:
    case KILN_OP_TT_ASSERT:
    case KILN_OP_TT_CALL:
    case KILN_OP_TT_DESCRIPTOR_LOAD:
    case KILN_OP_TT_DESCRIPTOR_STORE:
    case KILN_OP_TT_DESCRIPTOR_REDUCE:
    case KILN_OP_TT_DESCRIPTOR_GATHER:
    case KILN_OP_TT_DESCRIPTOR_SCATTER:
    case KILN_OP_TTG_LOCAL_ALLOC:
    case KILN_OP_TTG_LOCAL_DEALLOC:
    case KILN_OP_TTG_LOCAL_LOAD:
    case KILN_OP_TTG_LOCAL_GATHER:
    case KILN_OP_TTG_LOCAL_STORE:
    case KILN_OP_TTG_BARRIER:
    case KILN_OP_GPU_BARRIER:
    case KILN_OP_CF_ASSERT:
    case KILN_OP_SCF_FOR:
    case KILN_OP_SCF_WHILE:
    case KILN_OP_SCF_EXECUTE_REGION:
        return false;
    case KILN_OP_TT_ELEMENTWISE_INLINE_ASM:
    case KILN_OP_TT_EXTERN_ELEMENTWISE:
        return kiln_ir_int_attr(op, "pure", 0) != 0;
    case KILN_OP_TT_LOAD:
        return kiln_ir_int_attr(op, "isVolatile", 0) == 0;
    default:
        return true;
    }
}

typedef struct harm_search {
    match_t *match;
    bool found;
} harm_search_t;

static bool is_store_in_branch(const match_t *match, MlirOperation op)
{
    return kiln_op_kind(op) == KILN_OP_TT_STORE && !mlirOperationEqual(kiln_op_parent(op), match->loop.op);
}

static MlirWalkResult find_harm(MlirOperation op, void *user)
{
    harm_search_t *search = user;
    match_t *match = search->match;
    if (is_harmless(op))
        return MlirWalkResultAdvance;
    search->found = !is_store_in_branch(match, op) || match->store_count == MOST_STORES;
    if (!search->found)
        match->stores[match->store_count++] = kiln_op_access(op);
    return search->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

typedef struct meeting {
    const match_t *match;
    bool found;
} meeting_t;

static MlirWalkResult find_meeting(MlirOperation op, void *user)
{
    meeting_t *meeting = user;
    kiln_access_t access = kiln_op_access(op);
    for (int i = 0; i < meeting->match->store_count && access.effects; i++)
        meeting->found |= kiln_accesses_conflict(&access, &meeting->match->stores[i]);
    return meeting->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Whether the operation, or one in it, accesses what an earlier iteration may store.
static bool meets_store(const match_t *match, MlirOperation op)
{
    meeting_t meeting = {match, false};
    kiln_walk(op, MlirWalkPreOrder, find_meeting, &meeting);
    return meeting.found;
}

// Lists the body; false where it has something that forbids moving loads across iterations.
static bool list_body(match_t *match)
{
    kiln_default_schedule_t *loop = &match->loop;
    MlirBlock body = kiln_op_body(loop->op, 0);
    MlirOperation terminator = kiln_block_terminator(body);
    int count = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, terminator);
         op = mlirOperationGetNextInBlock(op)) {
        harm_search_t search = {match, false};
        kiln_walk(op, MlirWalkPreOrder, find_harm, &search);
        if (search.found)
            return false;
        count++;
    }
    loop->carried_count = (int)mlirOperationGetNumResults(loop->op);
    loop->body = calloc((size_t)count + 1, sizeof *loop->body);
    loop->part = calloc((size_t)count + 1, 1);
    loop->carried = calloc((size_t)loop->carried_count + 1, 1);
    loop->loads = calloc((size_t)count + 1, sizeof *loop->loads);
    match->out_of_memory |= !loop->body || !loop->part || !loop->carried || !loop->loads;
    MlirOperation op = mlirBlockGetFirstOperation(body);
    for (; !match->out_of_memory && loop->count < count; op = mlirOperationGetNextInBlock(op)) {
        match->out_of_memory |= !kiln_pointer_map_put(&match->index_of, op.ptr, loop->count);
        loop->body[loop->count++] = op;
    }
    return !match->out_of_memory;
}

// Parts ----------------------------------------------------------------------------------------------------------

// A branch may where it has no effects: before the loop it would need one of its own.
static bool can_run_ahead(const match_t *match, MlirOperation op)
{
    if (kiln_has_dot(op) || meets_store(match, op))
        return false;
    return mlirOperationGetNumRegions(op) == 0 || (kiln_op_kind(op) == KILN_OP_SCF_IF && kiln_op_effects(op) == 0);
}

static bool add_value(match_t *match, MlirValue value, unsigned char part);

static bool add_operands(match_t *match, MlirOperation op, unsigned char part)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (!add_value(match, mlirOperationGetOperand(op, i), part))
            return false;
    return true;
}

typedef struct nested {
    match_t *match;
    unsigned char part;
    bool ok;
} nested_t;

static MlirWalkResult add_nested(MlirOperation op, void *user)
{
    nested_t *nested = user;
    nested->ok = nested->ok && add_operands(nested->match, op, nested->part);
    return nested->ok ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static bool add_op(match_t *match, int index, unsigned char part)
{
    kiln_default_schedule_t *loop = &match->loop;
    if (loop->part[index] & part)
        return true;
    if (part == KILN_AHEAD && !can_run_ahead(match, loop->body[index]))
        return false;
    loop->part[index] |= part;
    if (part == KILN_STAYS)
        for (int l = 0; l < loop->load_count; l++)
            if (loop->loads[l].index == index)
                return true; // it waits: its operands belong to what runs ahead
    nested_t nested = {match, part, true};
    kiln_walk(loop->body[index], MlirWalkPreOrder, add_nested, &nested);
    return nested.ok;
}

// Everything in the loop that the value depends on, around the loop too.
static bool add_value(match_t *match, MlirValue value, unsigned char part)
{
    kiln_default_schedule_t *loop = &match->loop;
    if (mlirValueIsABlockArgument(value)) {
        MlirBlock body = kiln_op_body(loop->op, 0);
        int argument = (int)mlirBlockArgumentGetArgNumber(value) - 1;
        if (!mlirBlockEqual(mlirBlockArgumentGetOwner(value), body) || argument < 0 || (loop->carried[argument] & part))
            return true;
        loop->carried[argument] |= part;
        return add_value(match, mlirOperationGetOperand(kiln_block_terminator(body), argument), part);
    }
    int index = kiln_pointer_map_get(&match->index_of, mlirOpResultGetOwner(value).ptr);
    return index < 0 || add_op(match, index, part);
}

// Loads ----------------------------------------------------------------------------------------------------------

// How a load's value comes to a dot.
typedef struct feed {
    bool dot,
        direct; // direct: by conversions and transpositions only, and casts where it already lies as the dot wants it
    MlirValue operand; // the dot's, or what is cast to be it
    int operand_index;
    bool turned; // it comes by way of a transposition
    int uses;    // looked at: values are used more than once, and the ways to a dot may be as many as a power of that
} feed_t;

static bool moves_only(kiln_op_t kind)
{
    return kind == KILN_OP_TTG_CONVERT_LAYOUT || kind == KILN_OP_TT_TRANS;
}

static bool is_cast_in_place(MlirOperation op, MlirValue value)
{
    return kiln_op_is_elementwise(kiln_op_kind(op)) && mlirOperationGetNumOperands(op) == 1 &&
           mlirOperationGetNumResults(op) == 1 &&
           kiln_encoding_kind(kiln_type_encoding(mlirValueGetType(value))) == KILN_ENCODING_DOT_OPERAND;
}

// The ways that are looked at.
typedef enum ways { ALL_WAYS, STRAIGHT_WAYS, TURNED_WAYS } ways_t;

// Where a value is on its way from a load.
typedef struct way {
    MlirValue value, from; // from: before casts
    bool direct, turned;
} way_t;

// Finds the first dot that the value reaches by such ways; a direct one is preferred.
static void find_feed(MlirOperation loop, way_t way, ways_t ways, int depth, feed_t *feed)
{
    const MlirValue value = way.value, from = way.from;
    const bool direct = way.direct, fits = ways == ALL_WAYS || way.turned == (ways == TURNED_WAYS);
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        unsigned index = mlirOpOperandGetOperandNumber(use);
        if (kiln_op_kind(user) == KILN_OP_TT_DOT) {
            if (index < 2 && fits && (!feed->dot || (direct && !feed->direct)))
                *feed = (feed_t){true, direct, from, (int)index, way.turned, feed->uses};
            continue;
        }
        if (depth == 0 || ++feed->uses > MOST_USES || !mlirOperationEqual(kiln_op_parent(user), loop) ||
            mlirOperationGetNumRegions(user) > 0)
            continue;
        bool is_cast = is_cast_in_place(user, value), was_cast = !mlirValueEqual(value, from);
        bool still = direct && (is_cast || (moves_only(kiln_op_kind(user)) && !was_cast));
        for (intptr_t i = 0; i < mlirOperationGetNumResults(user); i++) {
            MlirValue result = mlirOperationGetResult(user, i);
            way_t next = {result, still && is_cast ? from : result, still,
                          way.turned != (kiln_op_kind(user) == KILN_OP_TT_TRANS)};
            find_feed(loop, next, ways, depth - 1, feed);
        }
    }
}

// The LDS layout for a value that is stored as the load's result and loaded as the dot's operand, seen in the load's
// dimensions; the dot adds up products along *out_k.
static bool choose_shared(match_t *match, MlirOperation load, const feed_t *feed, MlirAttribute *out, int *out_k)
{
    int num_warps = match->context->options->num_warps;
    MlirType stored = mlirValueGetType(kiln_op_result(load, 0)), loaded = mlirValueGetType(feed->operand);
    kiln_layout_t store, fetch;
    kiln_status_t status = kiln_layout_of_type(stored, num_warps, &store);
    if (!status)
        status = kiln_layout_of_type(loaded, num_warps, &fetch);
    if (status) {
        kiln_status_free(status);
        return false;
    }
    int k_dim = feed->operand_index == 0 ? fetch.rank - 1 : fetch.rank - 2;
    // Walk back to the load, undoing transpositions.
    for (MlirValue value = feed->operand;;) {
        MlirOperation op;
        kiln_op_t kind = kiln_value_op(value, &op);
        if (mlirOperationEqual(op, load))
            break;
        if (kind == KILN_OP_TT_TRANS) {
            MlirAttribute order = kiln_ir_attr(op, "order");
            int32_t inverse[KILN_MAX_RANK];
            for (int d = 0; d < fetch.rank; d++)
                inverse[mlirDenseI32ArrayGetElement(order, d)] = d;
            k_dim = mlirDenseI32ArrayGetElement(order, k_dim);
            fetch = kiln_layout_transpose(&fetch, inverse);
        }
        value = kiln_op_operand(op, 0);
    }
    kiln_swizzle_t swizzle;
    kiln_swizzled_shared_t shared = kiln_layout_shared_for(&store, &fetch, kiln_type_bits(stored), k_dim, &swizzle);
    *out = swizzle == KILN_SWIZZLE_ROTATING ? kiln_rotating_shared_attr(match->context->mlir, &shared)
                                            : kiln_swizzled_shared_attr(match->context->mlir, &shared);
    *out_k = k_dim;
    return true;
}

// Where the load comes to a dot as it is and transposed to another, and these add up along different dimensions, no one
// buffer has neighbours for both: elements of less than a register would be read one by one.
static void give_second_buffer(match_t *match, kiln_ahead_load_t *load, const feed_t *feed, int k)
{
    MlirValue value = kiln_op_result(load->op, 0);
    feed_t other = {0};
    MlirAttribute shared;
    int other_k;
    find_feed(match->loop.op, (way_t){value, value, true, false}, feed->turned ? STRAIGHT_WAYS : TURNED_WAYS, CHAIN,
              &other);
    if (kiln_type_bits(mlirValueGetType(value)) >= 32 || !other.direct ||
        !choose_shared(match, load->op, &other, &shared, &other_k) || k == other_k)
        return;
    load->second = shared;
    load->is_second_turned = other.turned;
}

static void find_loads(match_t *match)
{
    kiln_default_schedule_t *loop = &match->loop;
    unsigned char *parts = malloc((size_t)(loop->count + loop->carried_count) + 1);
    match->out_of_memory |= !parts;
    for (int i = 0; i < loop->count && parts; i++) {
        MlirOperation op = loop->body[i];
        if (kiln_op_kind(op) != KILN_OP_TT_LOAD || !kiln_type_is_tensor(mlirValueGetType(kiln_op_result(op, 0))))
            continue;
        feed_t feed = {0};
        find_feed(loop->op, (way_t){kiln_op_result(op, 0), kiln_op_result(op, 0), true, false}, ALL_WAYS, CHAIN, &feed);
        if (!feed.dot)
            continue;
        kiln_ahead_load_t load = {op, i, KILN_WAITS_IN_REGISTERS, {NULL}, {NULL}, false};
        int k;
        if (feed.direct && choose_shared(match, op, &feed, &load.shared, &k)) {
            load.waiting = KILN_WAITS_IN_LDS;
            give_second_buffer(match, &load, &feed, k);
        }
        memcpy(parts, loop->part, (size_t)loop->count);
        memcpy(parts + loop->count, loop->carried, (size_t)loop->carried_count);
        if (add_op(match, i, KILN_AHEAD)) {
            loop->loads[loop->load_count++] = load;
            continue;
        }
        memcpy(loop->part, parts, (size_t)loop->count); // its address depends on what can't run ahead
        memcpy(loop->carried, parts + loop->count, (size_t)loop->carried_count);
    }
    free(parts);
}

// Marks what the results and effects of the loop need, each load's value being there already.
static bool find_rest(match_t *match)
{
    kiln_default_schedule_t *loop = &match->loop;
    MlirBlock body = kiln_op_body(loop->op, 0);
    for (int i = 0; i < loop->carried_count; i++)
        if (kiln_value_has_uses(mlirOperationGetResult(loop->op, i)) &&
            !add_value(match, mlirBlockGetArgument(body, i + 1), KILN_STAYS))
            return false;
    for (int i = 0; i < loop->count && match->store_count > 0; i++)
        if ((kiln_op_effects(loop->body[i]) & KILN_WRITES_GLOBAL) && !add_op(match, i, KILN_STAYS))
            return false;
    return true;
}

// LDS ----------------------------------------------------------------------------------------------------------------

static uint64_t buffer_bytes(const kiln_default_schedule_t *loop)
{
    uint64_t bytes = 0;
    for (int l = 0; l < loop->load_count; l++) {
        MlirType type = mlirValueGetType(kiln_op_result(loop->loads[l].op, 0));
        int bits = kiln_type_bits(type);
        unsigned buffers = mlirAttributeIsNull(loop->loads[l].second) ? 1 : 2;
        if (loop->loads[l].waiting == KILN_WAITS_IN_LDS)
            bytes += buffers * (uint64_t)kiln_type_count(type) * (uint64_t)(bits <= 8 ? 1 : bits / 8);
    }
    return bytes;
}

// Whether the value is that of a load which waits in LDS, or its transposition: what it is converted to is read there.
static bool is_in_lds(const kiln_default_schedule_t *loop, MlirValue value)
{
    MlirOperation op;
    while (kiln_value_op(value, &op) == KILN_OP_TT_TRANS)
        value = kiln_op_operand(op, 0);
    for (int l = 0; l < loop->load_count; l++)
        if (loop->loads[l].waiting == KILN_WAITS_IN_LDS && mlirValueEqual(kiln_op_result(loop->loads[l].op, 0), value))
            return true;
    return false;
}

typedef struct scratch_search {
    const kiln_default_schedule_t *loop;
    int num_warps;
    uint64_t most;
} scratch_search_t;

static MlirWalkResult find_scratch(MlirOperation op, void *user)
{
    scratch_search_t *search = user;
    uint32_t bytes = 0;
    bool is_read = kiln_op_kind(op) == KILN_OP_TTG_CONVERT_LAYOUT && is_in_lds(search->loop, kiln_op_operand(op, 0));
    kiln_status_free(is_read ? KILN_OK
                             : kiln_scratch_bytes(op, search->num_warps, &bytes)); // the lowering will tell it
    search->most = bytes > search->most ? bytes : search->most;
    return MlirWalkResultAdvance;
}

// Bytes of LDS that the operation of the loop which needs most takes beside the buffers.
static uint64_t scratch_bytes(const kiln_default_schedule_t *loop, int num_warps)
{
    scratch_search_t search = {.loop = loop, .num_warps = num_warps};
    for (int i = 0; i < loop->count; i++)
        kiln_walk(loop->body[i], MlirWalkPreOrder, find_scratch, &search);
    return search.most;
}

// 32-bit registers of a lane that the loop takes, at least: beside its sums and loads the operands of dots that come from
// outside, and those of the dot that has most.
static unsigned registers(const kiln_default_schedule_t *loop, int num_warps)
{
    MlirValue outside[MOST_OUTSIDE];
    int count = 0;
    unsigned inside = 0, sum = kiln_loop_registers(loop->op, num_warps);
    for (int i = 0; i < loop->count; i++)
        for (int o = 0; o < 2 && kiln_op_kind(loop->body[i]) == KILN_OP_TT_DOT; o++) {
            MlirValue operand = kiln_op_operand(loop->body[i], o);
            unsigned own = kiln_value_registers(operand, num_warps);
            MlirOperation from;
            kiln_value_op(operand, &from);
            bool is_inside = mlirOperationIsNull(from) || mlirOperationEqual(kiln_op_parent(from), loop->op);
            bool is_new = true;
            for (int k = 0; k < count; k++)
                is_new &= !mlirValueEqual(outside[k], operand);
            if (is_inside)
                inside = own > inside ? own : inside;
            else if (is_new && count < MOST_OUTSIDE)
                sum += kiln_value_registers(outside[count++] = operand, num_warps);
        }
    return sum + inside;
}

// Second buffers go where they leave a compute unit fewer workgroups than registers do.
static void drop_second_buffers(kiln_default_schedule_t *loop, int num_stages, int num_warps)
{
    uint64_t stages = num_stages > 1 ? (uint64_t)num_stages - 1 : 1,
             bytes = buffer_bytes(loop) * stages + scratch_bytes(loop, num_warps),
             taken = (uint64_t)registers(loop, num_warps) * (uint64_t)num_warps, // by a workgroup
        workgroups = KILN_GFX942_SIMD_VGPRS * KILN_GFX942_SIMDS / taken;
    if (bytes * (workgroups ? workgroups : 1) <= KILN_GFX942_LDS_BYTES)
        return;
    for (int l = 0; l < loop->load_count; l++)
        loop->loads[l].second = (MlirAttribute){NULL};
}

// How far ahead: as asked, but no further than the trip count and LDS allow. 0: not at all.
static int choose_distance(const kiln_default_schedule_t *loop, int num_stages, int num_warps)
{
    int distance = num_stages - 1;
    uint64_t bytes = buffer_bytes(loop), scratch = scratch_bytes(loop, num_warps);
    while (distance > 0 && (bytes * (uint64_t)distance + scratch > KILN_GFX942_LDS_BYTES ||
                            (loop->trip_count >= 0 && loop->trip_count <= distance)))
        distance--;
    return distance;
}

static void release(match_t *match)
{
    kiln_pointer_map_free(&match->index_of);
    free(match->loop.body);
    free(match->loop.part);
    free(match->loop.carried);
    free(match->loop.loads);
}

static kiln_status_t schedule(const kiln_pass_context_t *context, MlirOperation op)
{
    int num_stages = (int)kiln_ir_int_attr(op, "tt.num_stages", context->options->num_stages);
    if (num_stages < 2 || kiln_loop_is_scheduled(op))
        return KILN_OK;
    kiln_status_t status = KILN_OK;
    match_t match = {.context = context, .loop = {.op = op, .trip_count = kiln_loop_trip_count(op)}};
    if (list_body(&match)) {
        find_loads(&match);
        if (match.loop.load_count > 0)
            drop_second_buffers(&match.loop, num_stages, context->options->num_warps);
        if (match.loop.load_count > 0)
            match.loop.distance = choose_distance(&match.loop, num_stages, context->options->num_warps);
        if (!match.out_of_memory && match.loop.load_count > 0 && match.loop.distance > 0 && find_rest(&match))
            status = kiln_default_schedule_write(&match.loop);
    }
    if (match.out_of_memory && !status)
        status = kiln_status_out_of_memory();
    release(&match);
    return status;
}

static bool is_loop(MlirOperation op)
{
    return kiln_op_kind(op) == KILN_OP_SCF_FOR;
}

kiln_status_t kiln_schedule_loops(const kiln_pass_context_t *context, MlirModule module)
{
    kiln_loops_t loops;
    kiln_status_t status = kiln_loops_collect(module, MlirWalkPreOrder, is_loop, &loops);
    for (int i = 0; i < loops.count && !status; i++)
        status = schedule(context, loops.ops[i]);
    free(loops.ops);
    return status;
}
