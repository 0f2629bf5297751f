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
// in registers instead, and so do values of loads that feed no dot. Policies then propose other
// schedules (pipelining/policies.def). pipeline_loops builds the loop from the schedule.
//
// A loop is left alone if pipelining would be wrong or useless: it contains no dot; it contains
// other loops; a load's address depends on a dot; or it contains an operation with an effect
// (effects.def) other than reads. Two kinds of writes are allowed, and stay: stores, and relaxed
// atomic operations whose results are unused. Only loads through other pointers run ahead of them.
// Optional operations get a stage only if another operation needs them.
#include "analysis/dot_chain.h"
#include "passes/loops/for_loop.h"
#include "passes/pipelining/candidate.h"
#include "passes/pipelining/default_schedule.h"
#include "passes/pipelining/dot_use.h"
#include "passes/pipelining/missed.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/axis/mask_order.h"
#include "analysis/machine/co_residency.h"
#include "analysis/machine/loop_registers.h"
#include "analysis/memory/effects.h"
#include "analysis/plan/allocation.h"
#include "analysis/plan/scratch.h"
#include "analysis/pointer_map.h"
#include "base/gfx942.h"
#include "base/string.h"
#include "builder/ir.h"
#include "layout/infer.h"
#include "layout/operand.h"

#include "passes/pipelining/schedule.h"

enum { MAX_WRITES = 16 };

typedef struct match {
    const kiln_pass_context_t *context;
    kiln_default_schedule_t loop;
    kiln_pointer_map_t index_of; // operation of the body → its index
    kiln_access_t writes[MAX_WRITES];
    MlirOperation writers[MAX_WRITES];
    int write_count;
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

typedef struct obstacle_search {
    match_t *match;
    MlirOperation found;
} obstacle_search_t;

// A write that keeps its place among the loop's writes, and that loads through other pointers may
// overtake: a store, or an update that orders no access but those of its object.
static bool is_write_that_stays(MlirOperation op)
{
    const bool is_update =
        kiln_op_kind(op) == KILN_OP_TT_ATOMIC_RMW && !(kiln_op_access(op).effects & KILN_ORDERED);
    return is_update || kiln_op_own_effects(op) == KILN_WRITES_GLOBAL;
}

static MlirWalkResult find_obstacle(MlirOperation op, void *user)
{
    obstacle_search_t *search = user;
    match_t *match = search->match;
    if (is_harmless(op))
        return MlirWalkResultAdvance;
    if (is_write_that_stays(op) && match->write_count < MAX_WRITES) {
        match->writers[match->write_count] = op;
        match->writes[match->write_count++] = kiln_op_access(op);
        return MlirWalkResultAdvance;
    }
    search->found = op;
    return MlirWalkResultInterrupt;
}

// Reports why the loop is not pipelined, if it contains a dot directly, not only in inner loops.
static void report_obstacle(const match_t *match, MlirOperation obstacle)
{
    if (!match->context->missed || !kiln_loop_has_dot(kiln_op_body(match->loop.op, 0)))
        return;
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(obstacle));
    kiln_string_t what = {0}, advice = {0};
    kiln_string_appendf(&what,
                        "the loop around this '%.*s' is not pipelined: it must not be reordered "
                        "with prefetched loads",
                        (int)name.length, name.data);
    kiln_string_appendf(&advice, "move the '%.*s' out of the loop", (int)name.length, name.data);
    kiln_missed_report(match->context, KILN_MISSED_NOT_PIPELINED, obstacle, &what, advice.data);
    kiln_string_free(&advice);
}

typedef struct conflict_search {
    const match_t *match;
    MlirOperation found; // the write; null: none
} conflict_search_t;

static MlirWalkResult find_overlap(MlirOperation op, void *user)
{
    conflict_search_t *conflict_search = user;
    kiln_access_t access = kiln_op_access(op);
    for (int i = 0; i < conflict_search->match->write_count && access.effects; i++)
        if (kiln_accesses_conflict(&access, &conflict_search->match->writes[i])) {
            conflict_search->found = conflict_search->match->writers[i];
            return MlirWalkResultInterrupt;
        }
    return MlirWalkResultAdvance;
}

// Returns the write of an earlier iteration that the operation, or one inside it, may meet in
// memory; null: none.
static MlirOperation met_write(const match_t *match, MlirOperation op)
{
    conflict_search_t conflict_search = {match, {NULL}};
    kiln_walk(op, MlirWalkPreOrder, find_overlap, &conflict_search);
    return conflict_search.found;
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
        obstacle_search_t search = {match, {NULL}};
        kiln_walk(op, MlirWalkPreOrder, find_obstacle, &search);
        if (!mlirOperationIsNull(search.found)) {
            report_obstacle(match, search.found);
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
    if (kiln_has_dot(op) || !mlirOperationIsNull(met_write(match, op)))
        return false;
    return mlirOperationGetNumRegions(op) == 0 || kiln_op_loads_tensor(op) ||
           (kiln_op_kind(op) == KILN_OP_SCF_IF && kiln_op_is_speculatable(op));
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

// Chooses the LDS layout for a value that is stored as the load's result and read as the dot's
// operand, in the load's dimensions; the dot sums products along *out_k.
static bool choose_shared(match_t *match, MlirOperation load, const kiln_dot_use_t *use_of_dot,
                          MlirAttribute *out, int *out_k)
{
    int num_warps = match->context->options->num_warps;
    MlirType stored = mlirValueGetType(kiln_op_result(load, 0)),
             loaded = mlirValueGetType(use_of_dot->operand);
    kiln_layout_t store, fetch;
    kiln_status_t status = kiln_layout_of_type(stored, num_warps, &store);
    if (!status)
        status = kiln_layout_of_type(loaded, num_warps, &fetch);
    if (status) {
        kiln_status_free(status);
        return false;
    }
    int k_dim = use_of_dot->operand_index == 0 ? fetch.rank - 1 : fetch.rank - 2;
    // Walks back to the load, undoing transpositions.
    for (MlirValue value = use_of_dot->operand;;) {
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
static void add_second_buffer(match_t *match, kiln_ahead_load_t *load,
                              const kiln_dot_use_t *use_of_dot, int k)
{
    MlirValue value = kiln_op_result(load->op, 0);
    const kiln_dot_use_t other = kiln_find_dot_use(
        match->loop.op, value,
        use_of_dot->transposed ? KILN_DOT_DIRECT_PATHS : KILN_DOT_TRANSPOSED_PATHS);
    MlirAttribute shared;
    int other_k;
    if (kiln_type_bits(mlirValueGetType(value)) >= 32 || !other.direct ||
        !choose_shared(match, load->op, &other, &shared, &other_k) || k == other_k)
        return;
    load->second = shared;
    load->is_second_transposed = other.transposed;
}

static void report_load(const match_t *match, MlirOperation load)
{
    kiln_string_t what = {0};
    const MlirOperation write = met_write(match, load);
    if (!mlirOperationIsNull(write)) {
        MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(write));
        kiln_string_appendf(&what,
                            "loads do not run ahead of this '%.*s', which may write what later "
                            "iterations load",
                            (int)name.length, name.data);
        kiln_missed_report(
            match->context, KILN_MISSED_NOT_PIPELINED, write, &what,
            "write to another buffer than the loop's dots read from, or after the loop");
        return;
    }
    kiln_string_append(&what, "this load does not run ahead of its iteration: its address depends "
                              "on an operation that cannot");
    kiln_missed_report(
        match->context, KILN_MISSED_NOT_PIPELINED, load, &what,
        "compute the address from the loop's counter and from values that are known before the "
        "loop, not from values that the loop computes or stores");
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
        const kiln_dot_use_t use_of_dot =
            kiln_find_dot_use(loop->op, kiln_op_result(op, 0), KILN_DOT_ALL_PATHS);
        if (!use_of_dot.dot)
            continue;
        kiln_ahead_load_t load = {op, i, KILN_WAITS_IN_REGISTERS, {NULL}, {NULL}, false};
        int k;
        if (use_of_dot.direct && choose_shared(match, op, &use_of_dot, &load.shared, &k)) {
            load.waiting = KILN_WAITS_IN_LDS;
            add_second_buffer(match, &load, &use_of_dot, k);
        }
        memcpy(parts, loop->part, (size_t)loop->count);
        memcpy(parts + loop->count, loop->carried, (size_t)loop->carried_count);
        if (add_op(match, i, KILN_AHEAD)) {
            loop->loads[loop->load_count++] = load;
            continue;
        }
        memcpy(loop->part, parts, (size_t)loop->count);
        memcpy(loop->carried, parts + loop->count, (size_t)loop->carried_count);
        if (match->context->missed)
            report_load(match, op);
    }
    free(parts);
}

// Whether the loop's other loads would be waited for in the iteration that needs them.
static bool is_other_load(const match_t *match, int index)
{
    const kiln_default_schedule_t *loop = &match->loop;
    for (int l = 0; l < loop->load_count; l++)
        if (loop->loads[l].index == index)
            return false;
    MlirOperation op = loop->body[index];
    return (kiln_op_kind(op) == KILN_OP_TT_LOAD || kiln_op_loads_tensor(op)) &&
           !(loop->part[index] & KILN_AHEAD);
}

static unsigned waiting_registers(const match_t *match, MlirOperation load)
{
    const MlirValue value = kiln_op_result(load, 0);
    return kiln_type_is_tensor(mlirValueGetType(value))
               ? kiln_value_registers(value, match->context->options->num_warps)
               : 1;
}

// Lets the loop's other loads, such as scales of blocks, run ahead, too. Their values wait in
// registers, as far as no workgroup less fits on a compute unit because of them.
static void find_other_loads(match_t *match)
{
    kiln_default_schedule_t *loop = &match->loop;
    const int num_warps = match->context->options->num_warps;
    const unsigned needed = kiln_loop_registers_with_operands(loop->op, num_warps);
    unsigned waiting = 0;
    unsigned char *parts = malloc((size_t)(loop->count + loop->carried_count) + 1);
    match->out_of_memory |= !parts;
    for (int i = 0; i < loop->count && parts; i++) {
        if (!is_other_load(match, i))
            continue;
        const unsigned more =
            waiting + waiting_registers(match, loop->body[i]) * (unsigned)loop->distance;
        if (kiln_co_resident_workgroups(needed + more, 0, num_warps) <
            kiln_co_resident_workgroups(needed, 0, num_warps))
            continue;
        memcpy(parts, loop->part, (size_t)loop->count);
        memcpy(parts + loop->count, loop->carried, (size_t)loop->carried_count);
        if (add_op(match, i, KILN_AHEAD)) {
            loop->loads[loop->load_count++] = (kiln_ahead_load_t){
                loop->body[i], i, KILN_WAITS_IN_REGISTERS, {NULL}, {NULL}, false};
            waiting = more;
            continue;
        }
        memcpy(loop->part, parts, (size_t)loop->count);
        memcpy(loop->carried, parts + loop->count, (size_t)loop->carried_count);
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
        if (!kiln_op_may_be_erased(loop->body[i]) && !add_op(match, i, KILN_STAYS))
            return false;
    return true;
}

// The schedule -------------------------------------------------------------------------------------

// Reports that the loop has fewer stages than `requested`, unless it has so few iterations that
// more stages would not help.
static void report_stages(const match_t *match, int requested, int num_warps)
{
    const kiln_default_schedule_t *loop = &match->loop;
    const uint64_t bytes = kiln_schedule_buffer_bytes(loop),
                   scratch = kiln_schedule_scratch_bytes(loop, num_warps);
    const int fit = kiln_schedule_max_by_lds(loop, requested - 1, num_warps);
    kiln_string_t what = {0}, advice = {0};
    if (kiln_is_peeled_rest(loop->op))
        return; // one iteration or none
    if (requested < 2 && loop->distance > 0) {
        kiln_string_appendf(&what, "this loop is not pipelined: num_stages is %d", requested);
        kiln_missed_report(match->context, KILN_MISSED_NOT_PIPELINED, loop->op, &what,
                           "set num_stages to 2, or put [[num_stages(2)]] before the loop");
    } else if (loop->distance < requested - 1 && fit > loop->distance && requested > 2) {
        kiln_string_appendf(&what,
                            "this loop has %d pipeline stages instead of the requested %d: it runs "
                            "for only %lld iterations",
                            loop->distance + 1, requested, (long long)loop->trip_count);
        kiln_string_appendf(&advice, "request %d stages", loop->distance + 1);
        kiln_missed_report(match->context, KILN_MISSED_FEWER_STAGES, loop->op, &what, advice.data);
    } else if (loop->distance < requested - 1 && fit == loop->distance) {
        if (loop->distance)
            kiln_string_appendf(&what,
                                "this loop has %d pipeline stages instead of the requested %d",
                                loop->distance + 1, requested);
        else
            kiln_string_append(&what, "this loop is not pipelined");
        kiln_string_appendf(
            &what,
            ": %d stages need %llu bytes of LDS for the loads of %d iterations%s, "
            "but a workgroup has %d",
            requested, (unsigned long long)(bytes * (uint64_t)(requested - 1) + scratch),
            requested - 1, scratch ? " and for scratch" : "", (int)KILN_GFX942_LDS_BYTES);
        kiln_string_appendf(
            &advice, "use smaller tiles: %llu bytes are loaded in each iteration%s%.0d%s",
            (unsigned long long)bytes, loop->distance ? "; or request " : "",
            loop->distance ? loop->distance + 1 : 0, loop->distance ? " stages" : "");
        kiln_missed_report(match->context,
                           loop->distance ? KILN_MISSED_FEWER_STAGES : KILN_MISSED_NOT_PIPELINED,
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

// Finds what runs ahead; false: nothing may.
static bool find_all(match_t *match, int num_stages)
{
    const int num_warps = match->context->options->num_warps;
    if (!list_body(match))
        return false;
    find_loads(match);
    if (match->loop.load_count > 0) {
        kiln_schedule_drop_second_buffers(&match->loop, num_stages, num_warps);
        match->loop.distance = kiln_schedule_choose_distance(&match->loop, num_stages, num_warps);
        if (match->loop.distance > 0)
            find_other_loads(match);
    }
    kiln_schedule_wait_with_copies(&match->loop, num_warps);
    return true;
}

static match_t match_of(const kiln_pass_context_t *context, MlirOperation op)
{
    return (match_t){.context = context,
                     .loop = {.op = op, .trip_count = kiln_loop_trip_count(op)}};
}

// Gives loads that run ahead layouts without copies, before the schedule is made.
static kiln_status_t compact_loads(const kiln_pass_context_t *context, MlirOperation op,
                                   int num_stages)
{
    if (!kiln_schedule_has_copies(op, context->options->num_warps))
        return KILN_OK;
    kiln_pass_context_t silent = *context;
    silent.missed = NULL;
    match_t match = match_of(&silent, op);
    kiln_status_t status = KILN_OK;
    if (find_all(&match, num_stages) && !match.out_of_memory && match.loop.distance > 0)
        status = kiln_schedule_compact_loads(&match.loop, context->options->num_warps);
    if (match.out_of_memory && !status)
        status = kiln_status_out_of_memory();
    release(&match);
    return status;
}

static kiln_status_t schedule(const kiln_pass_context_t *context, MlirOperation op)
{
    const int num_warps = context->options->num_warps,
              requested = kiln_ir_clamped_attr(op, "tt.num_stages", context->options->num_stages);
    // A loop that must not be pipelined is analyzed only to report whether it could be.
    const bool reports =
        context->missed && mlirAttributeIsNull(kiln_ir_attr(op, KILN_LOOP_IS_FALLBACK));
    if ((requested < 2 && !reports) || kiln_loop_is_scheduled(op))
        return KILN_OK;
    if (requested > KILN_MAX_STAGES)
        return kiln_status_at_op(kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                                  "tt.num_stages is %d; expected 1 to %d",
                                                  requested, KILN_MAX_STAGES),
                                 op);
    const int num_stages = requested < 2 ? 2 : requested;
    kiln_status_t status = KILN_OK;
    if (requested >= 2) {
        kiln_schedule_convert_early(op, num_warps);
        KILN_TRY(compact_loads(context, op, num_stages));
    }
    match_t match = match_of(context, op);
    if (find_all(&match, num_stages)) {
        const bool has_loads = !match.out_of_memory && match.loop.load_count > 0;
        if (!has_loads && reports)
            kiln_missed_report_branch(context, op);
        if (has_loads && reports)
            report_stages(&match, requested, num_warps);
        if (has_loads && requested >= 2 && match.loop.distance > 0 && find_rest(&match))
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
    kiln_loops_t loops = {.count = 0}, given;
    KILN_TRY(kiln_schedule_split_loads(module));
    kiln_status_t status =
        kiln_loops_collect(module, MlirWalkPreOrder, kiln_loop_is_scheduled, &given);
    if (!status)
        status = kiln_loops_collect(module, MlirWalkPreOrder, is_loop, &loops);
    if (!status && context->missed)
        kiln_missed_report_while(context, module);
    for (int i = 0; i < loops.count && !status; i++)
        status = schedule(context, loops.ops[i]);
    if (!status)
        status = kiln_candidates_choose(module, context->options->num_warps,
                                        context->options->waves_per_eu, given.ops, given.count);
    free(loops.ops);
    free(given.ops);
    return status;
}
