// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which loops are pipelined, and how: loads that feed dots run ahead, with their addresses;
// the rest stays num_stages − 1 stages later. With num_stages = 2:
//
//   for k:                                       for k:                                        stage  cluster
//     a = load p(k)                                a = load p(k)                                 0      0
//     a1 = convert_layout a : → #dot_op    →       buffer = local_alloc a                        0      2
//     acc = dot a1, b1, acc                        a1 = local_load buffer : → #dot_op            1      1
//                                                  acc = dot a1, b1, acc                         1      1
//
// The buffer is written last in a step, after the reads of its previous contents; the barrier
// analysis places the barriers. A load whose value passes through arithmetic before the dot waits
// in registers instead. pipeline_loops builds the loop from the schedule.
//
// A loop is left alone if pipelining would be wrong or useless: it contains no dot; it contains
// other loops; a load's address depends on a dot; or it contains an operation with an effect
// (effects.def) other than reads. Stores inside branches, as fuse_loops creates them, are allowed
// if they write through other pointers than the loads'. Optional operations get a stage only if
// another operation needs them.
#include "passes/default_schedule.h"
#include "passes/for_loop.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/allocation.h"
#include "analysis/effects.h"
#include "analysis/loop_registers.h"
#include "analysis/pointer_map.h"
#include "analysis/scratch.h"
#include "base/gfx942.h"
#include "base/string.h"
#include "builder/ir.h"
#include "layout/infer.h"
#include "layout/operand.h"
#include "passes/loop_schedule.h"
#include "passes/peel_masks.h"

enum { CHAIN = 16, MOST_STORES = 16, MOST_USES = 4096 };

typedef struct match {
    const kiln_pass_context_t *context;
    kiln_default_schedule_t loop;
    kiln_pointer_map_t index_of; // operation of the body → its index
    kiln_access_t stores[MOST_STORES];
    int store_count;
    bool out_of_memory;
} match_t;

// What may be in the loop -------------------------------------------------------------------------

// Reads run ahead or stay; loops, LDS and other effects cannot be scheduled.
static bool is_harmless(MlirOperation op)
{
    enum { HARMLESS = KILN_READS_GLOBAL | KILN_CLAIMS };
    bool has_memory = false; // whether it creates or refers to a buffer
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        has_memory |= kiln_type_is_memdesc(mlirValueGetType(mlirOperationGetResult(op, i)));
    return !has_memory && !kiln_op_has(kiln_op_kind(op), KILN_LOOPS) &&
           (kiln_op_own_effects(op) & ~HARMLESS) == 0;
}

typedef struct harm_search {
    match_t *match;
    MlirOperation found;
} harm_search_t;

// Such a store stays in place, inside its branch.
static bool is_store_in_branch(const match_t *match, MlirOperation op)
{
    return kiln_op_own_effects(op) == KILN_WRITES_GLOBAL &&
           !mlirOperationEqual(kiln_op_parent(op), match->loop.op);
}

static MlirWalkResult find_harm(MlirOperation op, void *user)
{
    harm_search_t *search = user;
    match_t *match = search->match;
    if (is_harmless(op))
        return MlirWalkResultAdvance;
    if (is_store_in_branch(match, op) && match->store_count < MOST_STORES) {
        match->stores[match->store_count++] = kiln_op_access(op);
        return MlirWalkResultAdvance;
    }
    search->found = op;
    return MlirWalkResultInterrupt;
}

static MlirWalkResult find_own_dot(MlirOperation op, void *user)
{
    kiln_op_t kind = kiln_op_kind(op);
    *(bool *)user |= kind == KILN_OP_TT_DOT || kind == KILN_OP_TT_DOT_SCALED;
    return *(bool *)user                                          ? MlirWalkResultInterrupt
           : kind == KILN_OP_SCF_FOR || kind == KILN_OP_SCF_WHILE ? MlirWalkResultSkip
                                                                  : MlirWalkResultAdvance;
}

static bool has_own_dot(MlirBlock body)
{
    bool has_dot = false;
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op) && !has_dot;
         op = mlirOperationGetNextInBlock(op))
        kiln_walk(op, MlirWalkPreOrder, find_own_dot, &has_dot);
    return has_dot;
}

static void tell(const kiln_pass_context_t *context, kiln_missed_t finding, MlirOperation op,
                 kiln_string_t *what, const char *advice)
{
    if (what->data)
        context->missed(finding, op, what->data, advice, context->refused_user);
    kiln_string_free(what);
}

// Reports why the loop is not pipelined, if it contains a dot directly, not only in inner loops.
static void tell_harm(const match_t *match, MlirOperation harm)
{
    if (!match->context->missed || !has_own_dot(kiln_op_body(match->loop.op, 0)))
        return;
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(harm));
    kiln_string_t what = {0}, advice = {0};
    kiln_string_appendf(&what,
                        "the loop around this '%.*s' is not pipelined: it must not be reordered "
                        "with prefetched loads",
                        (int)name.length, name.data);
    kiln_string_appendf(&advice, "move the '%.*s' out of the loop", (int)name.length, name.data);
    tell(match->context, KILN_MISSED_NOT_PIPELINED, harm, &what, advice.data);
    kiln_string_free(&advice);
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

// Whether the operation, or one inside it, accesses memory that an earlier iteration may store to.
static bool meets_store(const match_t *match, MlirOperation op)
{
    meeting_t meeting = {match, false};
    kiln_walk(op, MlirWalkPreOrder, find_meeting, &meeting);
    return meeting.found;
}

// Lists the body; false if it contains something that prevents moving loads across iterations.
static bool list_body(match_t *match)
{
    kiln_default_schedule_t *loop = &match->loop;
    MlirBlock body = kiln_op_body(loop->op, 0);
    MlirOperation terminator = kiln_block_terminator(body);
    int count = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, terminator);
         op = mlirOperationGetNextInBlock(op)) {
        harm_search_t search = {match, {NULL}};
        kiln_walk(op, MlirWalkPreOrder, find_harm, &search);
        if (!mlirOperationIsNull(search.found)) {
            tell_harm(match, search.found);
            return false;
        }
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

// Parts -------------------------------------------------------------------------------------------

// A branch may run ahead if it has no effects, or only loads; otherwise it would need another
// branch before the loop.
static bool can_run_ahead(const match_t *match, MlirOperation op)
{
    if (kiln_has_dot(op) || meets_store(match, op))
        return false;
    return mlirOperationGetNumRegions(op) == 0 || kiln_op_loads_tensor(op) ||
           (kiln_op_kind(op) == KILN_OP_SCF_IF && kiln_op_may_run_in_vain(op));
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
                return true; // it waits: its operands belong to the part that runs ahead
    nested_t nested = {match, part, true};
    kiln_walk(loop->body[index], MlirWalkPreOrder, add_nested, &nested);
    return nested.ok;
}

// Adds everything in the loop that the value depends on, including through loop-carried values.
static bool add_value(match_t *match, MlirValue value, unsigned char part)
{
    kiln_default_schedule_t *loop = &match->loop;
    if (mlirValueIsABlockArgument(value)) {
        MlirBlock body = kiln_op_body(loop->op, 0);
        int argument = (int)mlirBlockArgumentGetArgNumber(value) - 1;
        if (!mlirBlockEqual(mlirBlockArgumentGetOwner(value), body) || argument < 0 ||
            (loop->carried[argument] & part))
            return true;
        loop->carried[argument] |= part;
        return add_value(match, mlirOperationGetOperand(kiln_block_terminator(body), argument),
                         part);
    }
    int index = kiln_pointer_map_get(&match->index_of, mlirOpResultGetOwner(value).ptr);
    return index < 0 || add_op(match, index, part);
}

// Loads -------------------------------------------------------------------------------------------

// How a load's value reaches a dot.
typedef struct feed {
    // direct: only conversions and transpositions, and casts in the dot's operand layout.
    bool dot, direct;
    MlirValue operand; // the dot's operand, or the source of the cast to it
    int operand_index;
    bool turned; // through a transposition
    int uses; // uses visited so far: values have several uses, so the number of paths to a dot may
              // be exponential
} feed_t;

static bool moves_only(kiln_op_t kind)
{
    return kind == KILN_OP_TTG_CONVERT_LAYOUT || kind == KILN_OP_TT_TRANS;
}

static bool is_cast_in_place(MlirOperation op, MlirValue value)
{
    return kiln_op_is_elementwise(kiln_op_kind(op)) && mlirOperationGetNumOperands(op) == 1 &&
           mlirOperationGetNumResults(op) == 1 &&
           kiln_encoding_kind(kiln_type_encoding(mlirValueGetType(value))) ==
               KILN_ENCODING_DOT_OPERAND;
}

// The paths to follow.
typedef enum ways { ALL_WAYS, STRAIGHT_WAYS, TURNED_WAYS } ways_t;

// A step on the path from a load.
typedef struct way {
    MlirValue value, from; // from: before casts
    bool direct, turned;
} way_t;

// Finds the first dot that the value reaches on such paths; a direct one is preferred.
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
        if (depth == 0 || ++feed->uses > MOST_USES ||
            !mlirOperationEqual(kiln_op_parent(user), loop) || mlirOperationGetNumRegions(user) > 0)
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

// Chooses the LDS layout for a value that is stored as the load's result and read as the dot's
// operand, in the load's dimensions; the dot sums products along *out_k.
static bool choose_shared(match_t *match, MlirOperation load, const feed_t *feed,
                          MlirAttribute *out, int *out_k)
{
    int num_warps = match->context->options->num_warps;
    MlirType stored = mlirValueGetType(kiln_op_result(load, 0)),
             loaded = mlirValueGetType(feed->operand);
    kiln_layout_t store, fetch;
    kiln_status_t status = kiln_layout_of_type(stored, num_warps, &store);
    if (!status)
        status = kiln_layout_of_type(loaded, num_warps, &fetch);
    if (status) {
        kiln_status_free(status);
        return false;
    }
    int k_dim = feed->operand_index == 0 ? fetch.rank - 1 : fetch.rank - 2;
    // Walks back to the load, undoing transpositions.
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
    kiln_swizzled_shared_t shared =
        kiln_layout_shared_for(&store, &fetch, kiln_type_bits(stored), k_dim, &swizzle);
    *out = swizzle == KILN_SWIZZLE_ROTATING
               ? kiln_rotating_shared_attr(match->context->mlir, &shared)
               : kiln_swizzled_shared_attr(match->context->mlir, &shared);
    *out_k = k_dim;
    return true;
}

// If the load feeds one dot as it is and another one transposed, and these sum along different
// dimensions, a single buffer cannot keep neighbours adjacent for both: elements smaller than a
// register would be read one by one.
static void give_second_buffer(match_t *match, kiln_ahead_load_t *load, const feed_t *feed, int k)
{
    MlirValue value = kiln_op_result(load->op, 0);
    feed_t other = {0};
    MlirAttribute shared;
    int other_k;
    find_feed(match->loop.op, (way_t){value, value, true, false},
              feed->turned ? STRAIGHT_WAYS : TURNED_WAYS, CHAIN, &other);
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
        if (!kiln_op_loads_tensor(op))
            continue;
        feed_t feed = {0};
        find_feed(loop->op, (way_t){kiln_op_result(op, 0), kiln_op_result(op, 0), true, false},
                  ALL_WAYS, CHAIN, &feed);
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
        // Its address depends on an operation that cannot run ahead.
        memcpy(loop->part, parts, (size_t)loop->count);
        memcpy(loop->carried, parts + loop->count, (size_t)loop->carried_count);
        if (match->context->missed) {
            kiln_string_t what = {0};
            kiln_string_append(&what, "this load does not run ahead of its iteration: its address "
                                      "depends on an operation that cannot");
            tell(match->context, KILN_MISSED_NOT_PIPELINED, op, &what,
                 "compute the address from the loop's counter and from values that are known "
                 "before the loop, not from what the loop computes or stores");
        }
    }
    free(parts);
}

// Marks the operations that the loop's results and effects need if each load's value is available.
static bool find_rest(match_t *match)
{
    kiln_default_schedule_t *loop = &match->loop;
    MlirBlock body = kiln_op_body(loop->op, 0);
    for (int i = 0; i < loop->carried_count; i++)
        if (kiln_value_has_uses(mlirOperationGetResult(loop->op, i)) &&
            !add_value(match, mlirBlockGetArgument(body, i + 1), KILN_STAYS))
            return false;
    for (int i = 0; i < loop->count; i++)
        if (!kiln_op_may_be_left_out(loop->body[i]) && !add_op(match, i, KILN_STAYS))
            return false;
    return true;
}

// The schedule -------------------------------------------------------------------------------------

// Reports that the loop has fewer stages than `asked`, unless it has so few iterations that more
// stages would not help.
static void tell_stages(const match_t *match, int asked, int num_warps)
{
    const kiln_default_schedule_t *loop = &match->loop;
    const uint64_t bytes = kiln_schedule_buffer_bytes(loop),
                   scratch = kiln_schedule_scratch_bytes(loop, num_warps);
    const int fit = kiln_schedule_most_by_lds(loop, asked - 1, num_warps);
    kiln_string_t what = {0}, advice = {0};
    if (kiln_is_peeled_rest(loop->op))
        return; // one iteration or none
    if (asked < 2 && loop->distance > 0) {
        kiln_string_appendf(&what, "this loop is not pipelined: num_stages is %d", asked);
        tell(match->context, KILN_MISSED_NOT_PIPELINED, loop->op, &what,
             "set num_stages to 2, or put [[num_stages(2)]] before the loop");
    } else if (loop->distance < asked - 1 && fit > loop->distance && asked > 2) {
        kiln_string_appendf(&what,
                            "this loop has %d pipeline stages instead of the requested %d: it runs "
                            "for only %lld iterations",
                            loop->distance + 1, asked, (long long)loop->trip_count);
        kiln_string_appendf(&advice, "request %d stages", loop->distance + 1);
        tell(match->context, KILN_MISSED_FEWER_STAGES, loop->op, &what, advice.data);
    } else if (loop->distance < asked - 1 && fit == loop->distance) {
        if (loop->distance)
            kiln_string_appendf(&what,
                                "this loop has %d pipeline stages instead of the requested %d",
                                loop->distance + 1, asked);
        else
            kiln_string_append(&what, "this loop is not pipelined");
        kiln_string_appendf(&what,
                            ": %d stages need %llu bytes of LDS for the loads of %d iterations%s, "
                            "but a workgroup has %d",
                            asked, (unsigned long long)(bytes * (uint64_t)(asked - 1) + scratch),
                            asked - 1, scratch ? " and for scratch" : "",
                            (int)KILN_GFX942_LDS_BYTES);
        kiln_string_appendf(
            &advice, "use smaller tiles: %llu bytes are loaded in each iteration%s%.0d%s",
            (unsigned long long)bytes, loop->distance ? "; or request " : "",
            loop->distance ? loop->distance + 1 : 0, loop->distance ? " stages" : "");
        tell(match->context, loop->distance ? KILN_MISSED_FEWER_STAGES : KILN_MISSED_NOT_PIPELINED,
             loop->op, &what, advice.data);
    }
    kiln_string_free(&advice);
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
    const int num_warps = context->options->num_warps,
              asked = (int)kiln_ir_int_attr(op, "tt.num_stages", context->options->num_stages);
    // A loop that must not be pipelined is analyzed only to report whether it could be.
    const bool tells =
        context->missed && mlirAttributeIsNull(kiln_ir_attr(op, KILN_LOOP_IS_FALLBACK));
    if ((asked < 2 && !tells) || kiln_loop_is_scheduled(op))
        return KILN_OK;
    const int num_stages = asked < 2 ? 2 : asked;
    kiln_status_t status = KILN_OK;
    match_t match = {.context = context,
                     .loop = {.op = op, .trip_count = kiln_loop_trip_count(op)}};
    if (list_body(&match)) {
        find_loads(&match);
        if (match.loop.load_count > 0) {
            kiln_schedule_drop_second_buffers(&match.loop, num_stages, num_warps);
            match.loop.distance = kiln_schedule_choose_distance(&match.loop, num_stages, num_warps);
        }
        const bool has_loads = !match.out_of_memory && match.loop.load_count > 0;
        if (has_loads && tells)
            tell_stages(&match, asked, num_warps);
        if (has_loads && asked >= 2 && match.loop.distance > 0 && find_rest(&match))
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

static MlirWalkResult tell_while(MlirOperation op, void *user)
{
    const kiln_pass_context_t *context = user;
    if (kiln_op_kind(op) != KILN_OP_SCF_WHILE || !has_own_dot(kiln_op_body(op, 1)))
        return MlirWalkResultAdvance;
    kiln_string_t what = {0};
    kiln_string_append(&what, "this loop is not pipelined: the number of its iterations is unknown "
                              "when it begins, as in every loop but a counted `for`");
    tell(context, KILN_MISSED_NOT_PIPELINED, op, &what,
         "write it as a `for` over an integer with bound and step that the loop does not change: "
         "for (i32 k = 0; k < n; k += STEP)");
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_schedule_loops(const kiln_pass_context_t *context, MlirModule module)
{
    kiln_loops_t loops;
    kiln_status_t status = kiln_loops_collect(module, MlirWalkPreOrder, is_loop, &loops);
    if (!status && context->missed)
        kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, tell_while,
                  (void *)(uintptr_t)context);
    for (int i = 0; i < loops.count && !status; i++)
        status = schedule(context, loops.ops[i]);
    free(loops.ops);
    return status;
}
