// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LDS allocation in three steps: number the operations of a function in program order and collect
// those that need LDS; compute live ranges; place the largest buffers first, each at the lowest
// offset that does not overlap a buffer live at the same time. Where scratch keeps workgroups from
// a compute unit, it shares bytes with buffers whose contents are dead (dead_contents.h); elsewhere
// that would cost barriers and gain nothing.
//
// Note that program order is not execution order. A buffer that is used inside a loop but created
// outside, or carried around it, is live throughout the loop; one used in a region with backward
// branches is live throughout the region.
#include "analysis/plan/allocation.h"

#include <stdlib.h>
#include <string.h>

#include <mlir-c/BuiltinAttributes.h>

#include "analysis/machine/co_residency.h"
#include "analysis/machine/loop_registers.h"
#include "analysis/plan/dead_contents.h"
#include "analysis/plan/scratch.h"
#include "analysis/pointer_map.h"
#include "base/array.h"
#include "builder/ir.h"

typedef struct buffer {
    MlirOperation op, function;
    uint32_t bytes, offset;
    int first, last; // live range in positions
    bool is_local_alloc;
} buffer_t;

typedef struct range {
    int first, last;
} range_t;

struct kiln_allocation {
    kiln_pointer_map_t op_buffer; // operation → buffer
    kiln_pointer_map_t value_set; // memdesc → set of the buffers it may point into
    kiln_pointer_map_t op_range;  // operation → range
    kiln_pointer_map_t function_size;
    kiln_pointer_map_t limited; // functions whose scratch costs workgroups → registers
    kiln_dead_contents_t dead;  // only while buffers that share are placed
    unsigned registers;         // of the function that is placed, estimated
    uint32_t bare;              // the largest function's bytes without scratch
    buffer_t *buffers;
    int buffer_count;
    size_t buffer_capacity;
    uint64_t *sets; // set_words words each
    int set_count, set_words;
    size_t set_capacity; // in words
    range_t *ranges;
    int range_count;
    size_t range_capacity;
    MlirModule module;
    int num_warps;
    int position;
    bool changed;
    kiln_status_t failure;
};

static void fail(kiln_allocation_t *allocation, kiln_status_t status)
{
    if (allocation->failure)
        kiln_status_free(status);
    else
        allocation->failure = status;
}

static void fail_memory(kiln_allocation_t *allocation)
{
    fail(allocation, kiln_status_out_of_memory());
}

// LDS of operations -------------------------------------------------------------------------------

static void allocate_function(kiln_allocation_t *allocation, MlirOperation function);

static uint32_t bytes_of(kiln_allocation_t *allocation, MlirOperation op, kiln_op_t kind)
{
    if (kind == KILN_OP_TTG_LOCAL_ALLOC) {
        uint64_t bytes;
        if (kiln_memdesc_bytes(mlirValueGetType(kiln_op_result(op, 0)), &bytes))
            return (uint32_t)bytes;
        fail(allocation,
             kiln_status_at_op(kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                                "unsupported layout or size of an LDS buffer"),
                               op));
        return 0;
    }
    if (kind == KILN_OP_TT_CALL) {
        MlirOperation callee = kiln_ir_callee(op);
        return mlirOperationIsNull(callee) ? 0 : kiln_allocation_size(allocation, callee);
    }
    uint32_t bytes = 0;
    kiln_status_t status = kiln_scratch_bytes(op, allocation->num_warps, &bytes);
    if (status)
        fail(allocation, kiln_status_line(status) ? status : kiln_status_at_op(status, op));
    return bytes;
}

static void add_buffer(kiln_allocation_t *allocation, MlirOperation function, MlirOperation op,
                       kiln_op_t kind, uint32_t bytes, int last)
{
    if (!KILN_ARRAY_RESERVE(&allocation->buffers, &allocation->buffer_capacity,
                            (size_t)allocation->buffer_count + 1)) {
        fail_memory(allocation);
        return;
    }
    if (!kiln_pointer_map_put(&allocation->op_buffer, op.ptr, allocation->buffer_count))
        fail_memory(allocation);
    int first = allocation->ranges[kiln_pointer_map_get(&allocation->op_range, op.ptr)].first;
    allocation->buffers[allocation->buffer_count++] =
        (buffer_t){op, function, bytes, 0, first, last, kind == KILN_OP_TTG_LOCAL_ALLOC};
}

// Numbers the operations of a region and collects buffers.
static void number_region(kiln_allocation_t *allocation, MlirOperation function, MlirRegion region)
{
    for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
        for (MlirOperation op = mlirBlockGetFirstOperation(block);
             !mlirOperationIsNull(op) && !allocation->failure;
             op = mlirOperationGetNextInBlock(op)) {
            if (!KILN_ARRAY_RESERVE(&allocation->ranges, &allocation->range_capacity,
                                    (size_t)allocation->range_count + 1)) {
                fail_memory(allocation);
                return;
            }
            int range = allocation->range_count++;
            allocation->ranges[range] = (range_t){allocation->position++, 0};
            if (!kiln_pointer_map_put(&allocation->op_range, op.ptr, range))
                fail_memory(allocation);
            for (int r = 0; r < (int)mlirOperationGetNumRegions(op); r++)
                number_region(allocation, function, mlirOperationGetRegion(op, r));
            int last = allocation->position++;
            allocation->ranges[range].last = last;
            kiln_op_t kind = kiln_op_kind(op);
            uint32_t bytes = bytes_of(allocation, op, kind);
            if (bytes > 0)
                add_buffer(allocation, function, op, kind, bytes, last);
        }
}

// Aliases -----------------------------------------------------------------------------------------

static uint64_t *set_of(kiln_allocation_t *allocation, MlirValue value)
{
    int index = kiln_pointer_map_get(&allocation->value_set, value.ptr);
    if (index >= 0)
        return allocation->sets + (size_t)index * (size_t)allocation->set_words;
    const size_t words = (size_t)allocation->set_words,
                 begin = (size_t)allocation->set_count * words;
    if (!KILN_ARRAY_RESERVE(&allocation->sets, &allocation->set_capacity, begin + words) ||
        !kiln_pointer_map_put(&allocation->value_set, value.ptr, allocation->set_count)) {
        fail_memory(allocation);
        return NULL;
    }
    allocation->set_count++;
    return memset(allocation->sets + begin, 0, words * sizeof *allocation->sets);
}

static bool is_memdesc(MlirValue value)
{
    return kiln_type_is_memdesc(mlirValueGetType(value));
}

// Adds the aliases of `from` to those of `to`.
static void flow(kiln_allocation_t *allocation, MlirValue from, MlirValue to)
{
    if (!is_memdesc(to) || !is_memdesc(from))
        return;
    uint64_t *target = set_of(allocation, to), *source = set_of(allocation, from);
    target = set_of(allocation, to); // the first set may have moved
    if (!source || !target)
        return;
    for (int w = 0; w < allocation->set_words; w++) {
        allocation->changed |= (source[w] & ~target[w]) != 0;
        target[w] |= source[w];
    }
}

static void flow_list(kiln_allocation_t *allocation, MlirOperation from, intptr_t skip,
                      MlirBlock to, intptr_t to_skip)
{
    for (intptr_t i = to_skip; i < mlirBlockGetNumArguments(to); i++)
        flow(allocation, mlirOperationGetOperand(from, i - to_skip + skip),
             mlirBlockGetArgument(to, i));
}

static void flow_to_results(kiln_allocation_t *allocation, MlirOperation from, intptr_t skip,
                            MlirOperation to)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(to); i++)
        flow(allocation, mlirOperationGetOperand(from, i + skip), mlirOperationGetResult(to, i));
}

// Passes aliases from the terminators of the operation's regions to its results.
static void flow_from_yields(kiln_allocation_t *allocation, MlirOperation op)
{
    for (int r = 0; mlirOperationGetNumResults(op) > 0 && r < (int)mlirOperationGetNumRegions(op);
         r++)
        for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
             !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
            if (kiln_op_kind(kiln_block_terminator(block)) == KILN_OP_SCF_YIELD)
                flow_to_results(allocation, kiln_block_terminator(block), 0, op);
}

// Any result may alias any operand.
static void flow_anywhere(kiln_allocation_t *allocation, MlirOperation op)
{
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++)
        for (intptr_t i = 0;
             is_memdesc(mlirOperationGetResult(op, r)) && i < mlirOperationGetNumOperands(op); i++)
            flow(allocation, mlirOperationGetOperand(op, i), mlirOperationGetResult(op, r));
}

static MlirWalkResult flow_through(MlirOperation op, void *user)
{
    kiln_allocation_t *allocation = user;
    intptr_t operand = 0;
    switch (kiln_op_kind(op)) {
    case KILN_OP_TTG_LOCAL_ALLOC: {
        int buffer = kiln_pointer_map_get(&allocation->op_buffer, op.ptr);
        uint64_t *set = set_of(allocation, kiln_op_result(op, 0));
        if (buffer >= 0 && set) {
            // A branch that yields it is visited before it.
            const uint64_t bit = 1ull << (buffer % 64);
            allocation->changed |= !(set[buffer / 64] & bit);
            set[buffer / 64] |= bit;
        }
        break;
    }
    case KILN_OP_TT_CALL: {
        MlirOperation callee = kiln_ir_callee(op);
        if (!mlirOperationIsNull(callee) && !mlirBlockIsNull(kiln_op_body(callee, 0)))
            flow_list(allocation, op, 0, kiln_op_body(callee, 0), 0);
        flow_anywhere(allocation, op);
        break;
    }
    case KILN_OP_SCF_FOR: {
        MlirBlock body = kiln_op_body(op, 0);
        flow_list(allocation, op, 3, body, 1);
        flow_list(allocation, kiln_block_terminator(body), 0, body, 1);
        flow_to_results(allocation, op, 3, op);
        flow_to_results(allocation, kiln_block_terminator(body), 0, op);
        break;
    }
    case KILN_OP_SCF_WHILE: {
        MlirBlock before = kiln_op_body(op, 0), after = kiln_op_body(op, 1);
        flow_list(allocation, op, 0, before, 0);
        flow_list(allocation, kiln_block_terminator(before), 1, after, 0);
        flow_list(allocation, kiln_block_terminator(after), 0, before, 0);
        flow_to_results(allocation, kiln_block_terminator(before), 1, op);
        break;
    }
    case KILN_OP_SCF_IF:
    case KILN_OP_SCF_INDEX_SWITCH:
    case KILN_OP_SCF_EXECUTE_REGION:
        flow_from_yields(allocation, op);
        break;
    case KILN_OP_CF_COND_BR:
    case KILN_OP_CF_SWITCH:
        operand = 1;
        // fallthrough
    case KILN_OP_CF_BR:
        for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(op); s++) {
            MlirBlock block = mlirOperationGetSuccessor(op, s);
            flow_list(allocation, op, operand, block, 0);
            operand += mlirBlockGetNumArguments(block);
        }
        break;
    default: // views, selections, and unknown operations
        flow_anywhere(allocation, op);
        break;
    }
    return MlirWalkResultAdvance;
}

// Liveness ----------------------------------------------------------------------------------------

static void extend(buffer_t *buffer, range_t range)
{
    if (range.first < buffer->first)
        buffer->first = range.first;
    if (range.last > buffer->last)
        buffer->last = range.last;
}

static bool is_loop(kiln_op_t kind)
{
    return kind == KILN_OP_SCF_FOR || kind == KILN_OP_SCF_WHILE;
}

// Adds a use at `op`: the buffer is live throughout every enclosing loop that it enters from
// outside, and throughout every enclosing region of several blocks.
static void use_at(kiln_allocation_t *allocation, buffer_t *buffer, MlirOperation op)
{
    const range_t *made =
        &allocation->ranges[kiln_pointer_map_get(&allocation->op_range, buffer->op.ptr)];
    for (MlirOperation at = op; !mlirOperationIsNull(at); at = kiln_op_parent(at)) {
        int index = kiln_pointer_map_get(&allocation->op_range, at.ptr);
        bool is_function = index < 0;
        range_t range =
            is_function ? (range_t){0, allocation->position} : allocation->ranges[index];
        bool made_inside = !is_function && range.first < made->first && made->last < range.last;
        if (mlirOperationEqual(at, op) || (is_loop(kiln_op_kind(at)) && !made_inside) ||
            kiln_branches_backwards(at))
            extend(buffer, range);
        if (is_function)
            break;
    }
}

static void extend_set(kiln_allocation_t *allocation, const uint64_t *set, range_t range)
{
    for (int b = 0; b < allocation->buffer_count; b++)
        if (set[b / 64] >> (b % 64) & 1)
            extend(&allocation->buffers[b], range);
}

static MlirWalkResult note_uses(MlirOperation op, void *user)
{
    kiln_allocation_t *allocation = user;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue operand = mlirOperationGetOperand(op, i);
        if (!is_memdesc(operand))
            continue;
        uint64_t *set = set_of(allocation, operand);
        for (int b = 0; set && b < allocation->buffer_count; b++)
            if (set[b / 64] >> (b % 64) & 1)
                use_at(allocation, &allocation->buffers[b], op);
    }
    // A loop-carried buffer is live throughout the loop.
    int range = kiln_pointer_map_get(&allocation->op_range, op.ptr);
    if (is_loop(kiln_op_kind(op)) && range >= 0)
        for (int r = 0; r < (int)mlirOperationGetNumRegions(op); r++) {
            MlirBlock body = kiln_op_body(op, r);
            for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
                MlirValue argument = mlirBlockGetArgument(body, i);
                if (is_memdesc(argument))
                    extend_set(allocation, set_of(allocation, argument), allocation->ranges[range]);
            }
        }
    return MlirWalkResultAdvance;
}

// Placement ---------------------------------------------------------------------------------------

static uint32_t aligned(uint32_t bytes)
{
    return (bytes + KILN_LDS_ALIGNMENT - 1) / KILN_LDS_ALIGNMENT * KILN_LDS_ALIGNMENT;
}

static bool live_together(const kiln_allocation_t *allocation, const buffer_t *a, const buffer_t *b)
{
    return a->first <= b->last && b->first <= a->last &&
           !kiln_dead_contents_during(&allocation->dead, a->op, b->first, b->last) &&
           !kiln_dead_contents_during(&allocation->dead, b->op, a->first, a->last);
}

// Returns the lowest offset for `buffer` given those already placed.
static uint32_t lowest_offset(const kiln_allocation_t *allocation, const int *placed, int count,
                              const buffer_t *buffer)
{
    uint32_t offset = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (int i = 0; i < count; i++) {
            const buffer_t *other = &allocation->buffers[placed[i]];
            if (offset < other->offset + aligned(other->bytes) &&
                other->offset < offset + aligned(buffer->bytes) &&
                live_together(allocation, buffer, other)) {
                offset = other->offset + aligned(other->bytes);
                moved = true;
            }
        }
    }
    return offset;
}

typedef enum which { ALL, LOCAL_ALLOCS } which_t;

// Places the buffers from `begin` on, largest first (among equals the earlier one); returns the
// total number of bytes.
static uint32_t place(kiln_allocation_t *allocation, int begin, which_t which)
{
    int count = 0;
    uint32_t size = 0;
    int *placed = malloc((size_t)(allocation->buffer_count - begin + 1) * sizeof *placed);
    bool *done = calloc((size_t)(allocation->buffer_count - begin + 1), sizeof *done);
    if (!placed || !done)
        fail_memory(allocation);
    while (placed && done) {
        int next = -1;
        for (int b = begin; b < allocation->buffer_count; b++)
            if (!done[b - begin] && (which == ALL || allocation->buffers[b].is_local_alloc) &&
                (next < 0 || allocation->buffers[b].bytes > allocation->buffers[next].bytes))
                next = b;
        if (next < 0)
            break;
        buffer_t *buffer = &allocation->buffers[next];
        buffer->offset = lowest_offset(allocation, placed, count, buffer);
        done[next - begin] = true;
        placed[count++] = next;
        if (buffer->offset + aligned(buffer->bytes) > size)
            size = buffer->offset + aligned(buffer->bytes);
    }
    free(placed);
    free(done);
    return size;
}

static MlirWalkResult note_registers(MlirOperation op, void *user)
{
    kiln_allocation_t *allocation = user;
    if (kiln_op_kind(op) == KILN_OP_SCF_FOR) {
        const unsigned own = kiln_loop_registers_with_operands(op, allocation->num_warps);
        allocation->registers = own > allocation->registers ? own : allocation->registers;
    }
    return MlirWalkResultAdvance;
}

static bool pays(const kiln_allocation_t *allocation, uint32_t bytes, uint32_t instead_of)
{
    return kiln_allocation_sharing_pays(
        kiln_co_resident_workgroups(allocation->registers, instead_of, allocation->num_warps),
        kiln_co_resident_workgroups(allocation->registers, bytes, allocation->num_warps));
}

// Places all buffers of a function, and notes whether scratch costs workgroups.
static uint32_t place_all(kiln_allocation_t *allocation, MlirOperation function, int begin)
{
    uint32_t bare = place(allocation, begin, LOCAL_ALLOCS), size = place(allocation, begin, ALL);
    allocation->bare = bare > allocation->bare ? bare : allocation->bare;
    allocation->registers = 1;
    if (allocation->failure || !pays(allocation, bare, size))
        return size;
    kiln_walk(function, MlirWalkPreOrder, note_registers, allocation);
    if (!pays(allocation, bare, size))
        return size;
    kiln_status_t status = kiln_dead_contents_find(allocation, function, &allocation->dead);
    if (status)
        fail(allocation, status);
    const uint32_t shared = place(allocation, begin, ALL);
    const bool is_better = pays(allocation, shared, size);
    kiln_dead_contents_free(&allocation->dead);
    if (is_better)
        return shared;
    if (!kiln_pointer_map_put(&allocation->limited, function.ptr, (int)allocation->registers))
        fail_memory(allocation);
    return place(allocation, begin, ALL);
}

// Functions ---------------------------------------------------------------------------------------

enum { IN_PROGRESS = -2 };

static MlirWalkResult allocate_callee(MlirOperation op, void *user)
{
    kiln_allocation_t *allocation = user;
    if (kiln_op_kind(op) == KILN_OP_TT_CALL) {
        MlirOperation callee = kiln_ir_callee(op);
        if (!mlirOperationIsNull(callee))
            allocate_function(allocation, callee);
    }
    return MlirWalkResultAdvance;
}

// A set's size grows with the buffers of a function, so sets are per function.
static void start_sets(kiln_allocation_t *allocation)
{
    free(allocation->sets);
    allocation->sets = NULL;
    allocation->set_count = 0;
    allocation->set_capacity = 0;
    kiln_pointer_map_free(&allocation->value_set);
    allocation->set_words = allocation->buffer_count / 64 + 1;
}

static void solve_aliases(kiln_allocation_t *allocation, MlirOperation root)
{
    start_sets(allocation);
    do {
        allocation->changed = false;
        kiln_walk(root, MlirWalkPreOrder, flow_through, allocation);
    } while (allocation->changed && !allocation->failure);
}

static void allocate_function(kiln_allocation_t *allocation, MlirOperation function)
{
    int known = kiln_pointer_map_get(&allocation->function_size, function.ptr);
    if (known == IN_PROGRESS)
        fail(allocation, kiln_status_at_op(kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                                            "recursive calls are not supported"),
                                           function));
    if (known != -1 || allocation->failure)
        return;
    if (!kiln_pointer_map_put(&allocation->function_size, function.ptr, IN_PROGRESS))
        fail_memory(allocation);
    kiln_walk(function, MlirWalkPreOrder, allocate_callee, allocation);
    int begin = allocation->buffer_count;
    number_region(allocation, function, mlirOperationGetRegion(function, 0));
    if (!allocation->failure)
        solve_aliases(allocation, function);
    if (!allocation->failure)
        kiln_walk(function, MlirWalkPreOrder, note_uses, allocation);
    uint32_t size = allocation->failure ? 0 : place_all(allocation, function, begin);
    if (size > INT32_MAX)
        fail(allocation, kiln_status_at_op(kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES,
                                                            "LDS of more than 2 GiB"),
                                           function));
    else if (!kiln_pointer_map_put(&allocation->function_size, function.ptr, (int)size))
        fail_memory(allocation);
}

kiln_status_t kiln_allocation_create(MlirModule module, int num_warps, kiln_allocation_t **out)
{
    *out = NULL;
    kiln_allocation_t *allocation = calloc(1, sizeof *allocation);
    if (!allocation)
        return kiln_status_out_of_memory();
    allocation->module = module;
    allocation->num_warps = num_warps;
    MlirBlock body = mlirModuleGetBody(module);
    for (MlirOperation op = mlirBlockGetFirstOperation(body);
         !mlirOperationIsNull(op) && !allocation->failure; op = mlirOperationGetNextInBlock(op))
        if (kiln_op_kind(op) == KILN_OP_TT_FUNC && !mlirBlockIsNull(kiln_op_body(op, 0)))
            allocate_function(allocation, op);
    if (!allocation->failure) // a second pass over all functions, for kiln_allocation_buffers
        solve_aliases(allocation, mlirModuleGetOperation(module));
    kiln_status_t failure = allocation->failure;
    if (failure)
        kiln_allocation_destroy(allocation);
    else
        *out = allocation;
    return failure;
}

kiln_status_t kiln_allocation_read_offsets(kiln_allocation_t *allocation)
{
    for (int b = 0; b < allocation->buffer_count; b++) {
        buffer_t *buffer = &allocation->buffers[b];
        int64_t offset = kiln_ir_int_attr(buffer->op, "allocation.offset", -1);
        if (offset < 0 || offset > INT32_MAX)
            return kiln_status_at_op(
                kiln_status_make(
                    KILN_STATUS_INVALID_INPUT,
                    "an operation that needs LDS lacks the attribute \"allocation.offset\""),
                buffer->op);
        buffer->offset = (uint32_t)offset;
    }
    return KILN_OK;
}

void kiln_allocation_destroy(kiln_allocation_t *allocation)
{
    if (!allocation)
        return;
    kiln_pointer_map_free(&allocation->op_buffer);
    kiln_pointer_map_free(&allocation->value_set);
    kiln_pointer_map_free(&allocation->op_range);
    kiln_pointer_map_free(&allocation->function_size);
    kiln_pointer_map_free(&allocation->limited);
    free(allocation->buffers);
    free(allocation->sets);
    free(allocation->ranges);
    free(allocation);
}

uint32_t kiln_allocation_size(const kiln_allocation_t *allocation, MlirOperation func)
{
    int size = kiln_pointer_map_get(&allocation->function_size, func.ptr);
    return size > 0 ? (uint32_t)size : 0;
}

uint32_t kiln_allocation_buffer_bytes(const kiln_allocation_t *allocation)
{
    return allocation->bare;
}

unsigned kiln_allocation_limited_by_scratch(const kiln_allocation_t *allocation, MlirOperation func)
{
    int registers = kiln_pointer_map_get(&allocation->limited, func.ptr);
    return registers > 0 ? (unsigned)registers : 0;
}

bool kiln_allocation_sharing_pays(unsigned workgroups, unsigned with_sharing)
{
    return 2 * with_sharing >= 3 * workgroups && with_sharing > 0;
}

bool kiln_allocation_offset(const kiln_allocation_t *allocation, MlirOperation op,
                            uint32_t *out_offset, uint32_t *out_bytes)
{
    int index = kiln_pointer_map_get(&allocation->op_buffer, op.ptr);
    if (index < 0)
        return false;
    *out_offset = allocation->buffers[index].offset;
    *out_bytes = allocation->buffers[index].bytes;
    return true;
}

bool kiln_allocation_live(const kiln_allocation_t *allocation, MlirOperation op,
                          kiln_positions_t *out)
{
    const int index = kiln_pointer_map_get(&allocation->op_buffer, op.ptr);
    if (index >= 0)
        *out =
            (kiln_positions_t){allocation->buffers[index].first, allocation->buffers[index].last};
    return index >= 0;
}

bool kiln_allocation_place(const kiln_allocation_t *allocation, MlirOperation op,
                           kiln_positions_t *out)
{
    const int index = kiln_pointer_map_get(&allocation->op_range, op.ptr);
    if (index >= 0)
        *out = (kiln_positions_t){allocation->ranges[index].first, allocation->ranges[index].last};
    return index >= 0;
}

int kiln_allocation_buffers(const kiln_allocation_t *allocation, MlirValue memdesc,
                            MlirOperation *out, int limit)
{
    int index = kiln_pointer_map_get(&allocation->value_set, memdesc.ptr);
    int count = 0;
    if (index < 0)
        return 0;
    const uint64_t *set = allocation->sets + (size_t)index * (size_t)allocation->set_words;
    for (int b = 0; b < allocation->buffer_count; b++)
        if (set[b / 64] >> (b % 64) & 1) {
            if (count < limit)
                out[count] = allocation->buffers[b].op;
            count++;
        }
    return count;
}
