// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores the sources of gathers in a loop to LDS before the loop, if the loop does not change them:
//
//   scf.for %j … {                                          %b = ttg.local_alloc %x
//     %i = tt.splat %j                                      ttg.barrier local
//     %r = tt.gather %x[%i]                          →      scf.for %j … {
//     %s = ttg.convert_layout %r                              %i = tt.splat %j
//   }                                                         %s = ttg.local_gather %b[%i]
//                                                           }
//
// A tt.gather writes its whole source every time, between two barriers. The buffers live throughout
// the loop, so they get only the LDS that remains when each SIMD of a compute unit has a wave,
// smallest buffers first. The LDS of a function also counts for its callers: if functions call each
// other, the buffers of all of them share the LDS that the largest function leaves free.
//
// Note that a buffer that is read along two dimensions needs a swizzle, or all lanes of one of the
// two reads access one bank.
#include <stdlib.h>

#include "analysis/plan/allocation.h"
#include "analysis/plan/scratch.h"
#include "analysis/waves/waves.h"
#include "base/array.h"
#include "base/gfx942.h"
#include "builder/ir.h"
#include "layout/lds.h"
#include "passes/loops/for_loop.h"
#include "passes/pass.h"

enum { BANKS = 32, BANK_BYTES = 4 };

// A source, and the loop before which it is staged; its gathers in the loop share a buffer.
typedef struct stage {
    MlirValue source;
    MlirOperation loop;
    uint64_t bytes;
    uint32_t axes; // bitmask of the dimensions of the gathers
    MlirValue buffer;
} stage_t;

typedef struct staging {
    MlirOperation func;
    int num_warps;
    stage_t *stages;
    int count;
    size_t capacity;
    uint64_t scratch; // the largest of any operation except gathers to be staged
    bool has_more;    // there are buffers, which `scratch` does not include
    bool out_of_memory;
} staging_t;

static bool is_gather(MlirOperation op)
{
    return kiln_op_kind(op) == KILN_OP_TT_GATHER;
}

// Returns the outermost loop around the operation that does not define the value; null if there is
// none.
static MlirOperation loop_without(MlirOperation op, MlirValue value)
{
    MlirOperation loop = {NULL};
    for (MlirOperation at = kiln_op_parent(op);
         !mlirOperationIsNull(at) && !kiln_is_inside(at, value); at = kiln_op_parent(at))
        if (kiln_op_kind(at) == KILN_OP_SCF_FOR || kiln_op_kind(at) == KILN_OP_SCF_WHILE)
            loop = at;
    return loop;
}

static MlirValue strip_conversions(MlirValue value)
{
    MlirOperation op;
    while (kiln_value_op(value, &op) == KILN_OP_TTG_CONVERT_LAYOUT)
        value = kiln_op_operand(op, 0);
    return value;
}

static stage_t *find_stage(staging_t *s, MlirOperation gather)
{
    MlirValue source = strip_conversions(kiln_op_operand(gather, 0));
    MlirOperation loop = loop_without(gather, source);
    for (int i = 0; i < s->count; i++)
        if (mlirValueEqual(s->stages[i].source, source) &&
            mlirOperationEqual(s->stages[i].loop, loop))
            return &s->stages[i];
    return NULL;
}

static MlirWalkResult note_gather(MlirOperation op, void *user)
{
    staging_t *s = user;
    s->has_more |= kiln_op_kind(op) == KILN_OP_TTG_LOCAL_ALLOC;
    if (!is_gather(op))
        return MlirWalkResultAdvance;
    MlirValue source = strip_conversions(kiln_op_operand(op, 0));
    MlirType type = mlirValueGetType(source);
    MlirOperation loop = loop_without(op, source);
    if (mlirOperationIsNull(loop) || kiln_type_bits(type) < 8 ||
        kiln_type_is_ptr(kiln_type_element(type)))
        return MlirWalkResultAdvance;
    stage_t *stage = find_stage(s, op);
    if (!stage) {
        if (!KILN_ARRAY_RESERVE(&s->stages, &s->capacity, (size_t)s->count + 1)) {
            s->out_of_memory = true;
            return MlirWalkResultInterrupt;
        }
        stage = &s->stages[s->count++];
        *stage = (stage_t){.source = source,
                           .loop = loop,
                           .bytes = (uint64_t)kiln_type_count(type) *
                                    (uint64_t)kiln_lds_element_bytes(kiln_type_bits(type))};
    }
    stage->axes |= 1u << kiln_ir_int_attr(op, "axis", 0);
    return MlirWalkResultAdvance;
}

static int by_bytes(const void *a, const void *b)
{
    uint64_t bytes_a = ((const stage_t *)a)->bytes, bytes_b = ((const stage_t *)b)->bytes;
    return (bytes_a > bytes_b) - (bytes_a < bytes_b);
}

static bool is_staged(MlirOperation op, void *user)
{
    return is_gather(op) && find_stage(user, op);
}

// Returns how many of the stages to create, from the first; gathers of the others share scratch.
static int choose(const staging_t *s)
{
    uint64_t all = 0, room = KILN_GFX942_LDS_BYTES;
    if (s->num_warps < KILN_GFX942_SIMDS)
        room = room * (uint64_t)s->num_warps / KILN_GFX942_SIMDS;
    int chosen = 0;
    for (int i = 0; i < s->count; i++) {
        uint64_t largest_left = i + 1 < s->count ? s->stages[s->count - 1].bytes : 0;
        all += s->stages[i].bytes;
        if (all + (largest_left > s->scratch ? largest_left : s->scratch) <= room)
            chosen = i + 1;
    }
    return chosen;
}

// A source gathered along one dimension is stored with that dimension innermost, so that neighbours
// read neighbours.
static MlirType buffer_type(const stage_t *stage)
{
    MlirType type = mlirValueGetType(stage->source);
    kiln_swizzled_shared_t shared = {
        .rank = kiln_type_rank(type), .vec = 1, .per_phase = 1, .max_phase = 1};
    int64_t shape[KILN_MAX_RANK];
    int last = 0, place = 0;
    for (int d = 0; d < shared.rank; d++) {
        shape[d] = kiln_type_dim(type, d);
        last = stage->axes == 1u << d ? d : last;
    }
    for (int d = shared.rank - 1; d >= 0; d--)
        if (d != last)
            shared.order[place++] = d;
    shared.order[place] = last;
    if (stage->axes & (stage->axes - 1)) {
        int bytes = kiln_lds_element_bytes(kiln_type_bits(type));
        int64_t row = shape[shared.order[0]], phases = BANKS;
        shared.vec = bytes < BANK_BYTES ? BANK_BYTES / bytes : 1;
        while (phases > 1 && phases * shared.vec > row)
            phases /= 2;
        shared.max_phase = (int32_t)phases;
        shared.vec = phases > 1 ? shared.vec : 1;
    }
    MlirContext context = mlirTypeGetContext(type);
    return kiln_memdesc_type(shared.rank, shape, kiln_type_element(type),
                             kiln_swizzled_shared_attr(context, &shared),
                             kiln_shared_memory_attr(context), false, NULL);
}

// Returns the layout to which all users convert the value; null if they differ.
static MlirAttribute wanted_layout(MlirValue value)
{
    MlirAttribute wanted = {NULL};
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        if (kiln_op_kind(user) != KILN_OP_TTG_CONVERT_LAYOUT)
            return (MlirAttribute){NULL};
        MlirAttribute to = kiln_type_encoding(mlirValueGetType(kiln_op_result(user, 0)));
        if (!mlirAttributeIsNull(wanted) && !mlirAttributeEqual(to, wanted))
            return (MlirAttribute){NULL};
        wanted = to;
    }
    return wanted;
}

// Reads the buffer in the wanted layout if the index is a splat, which is free in any layout.
static void read_buffer(MlirOperation gather, MlirValue buffer)
{
    kiln_ir_t ir = kiln_ir_before(gather);
    MlirValue old = kiln_op_result(gather, 0), index = kiln_op_operand(gather, 1);
    MlirType type = mlirValueGetType(old);
    MlirAttribute wanted = wanted_layout(old);
    MlirOperation splat;
    if (!mlirAttributeIsNull(wanted) && kiln_value_op(index, &splat) == KILN_OP_TT_SPLAT) {
        index = kiln_ir_unary(&ir, KILN_OP_TT_SPLAT,
                              kiln_type_with_encoding(mlirValueGetType(index), wanted),
                              kiln_op_operand(splat, 0));
        type = kiln_type_with_encoding(type, wanted);
    }
    MlirOperation read =
        kiln_ir_with_attr(&ir, KILN_OP_TTG_LOCAL_GATHER, type, 2, (MlirValue[]){buffer, index},
                          "axis", kiln_ir_attr(gather, "axis"));
    MlirValue value = kiln_op_result(read, 0);
    MlirOpOperand use;
    if (!mlirTypeEqual(type, mlirValueGetType(old)))
        while (!mlirOpOperandIsNull(use = mlirValueGetFirstUse(old))) {
            MlirOperation convert = mlirOpOperandGetOwner(use);
            kiln_value_replace(kiln_op_result(convert, 0), value);
            kiln_op_erase(convert);
        }
    else
        kiln_value_replace(old, value);
    kiln_op_erase(gather);
}

static void write_buffers(stage_t *stages, int count)
{
    for (int i = 0; i < count; i++) {
        kiln_ir_t ir = kiln_ir_before(stages[i].loop);
        stages[i].buffer =
            kiln_ir_unary(&ir, KILN_OP_TTG_LOCAL_ALLOC, buffer_type(&stages[i]), stages[i].source);
    }
    // After all writes before a loop, so that waves synchronize once and not in each iteration.
    for (int i = 0; i < count; i++) {
        bool is_first = true;
        for (int j = 0; j < i; j++)
            is_first &= !mlirOperationEqual(stages[i].loop, stages[j].loop);
        if (!is_first)
            continue;
        enum { LOCAL = 1 };
        kiln_ir_t ir = kiln_ir_before(stages[i].loop);
        kiln_ir_with_attr(&ir, KILN_OP_TTG_BARRIER, KILN_NO_RESULT, 0, NULL, "addrSpace",
                          kiln_ir_i32_attr(ir.context, LOCAL));
    }
}

// LDS of functions that call each other.
typedef struct family {
    bool has_calls;
    uint64_t largest; // bytes of the largest function including its callees, before staging
    uint64_t staged;  // bytes of the buffers so far
} family_t;

static bool is_call(MlirOperation op)
{
    return kiln_op_kind(op) == KILN_OP_TT_CALL;
}

static kiln_status_t survey_family(MlirModule module, const kiln_allocation_t *allocation,
                                   family_t *out)
{
    kiln_loops_t calls;
    KILN_TRY(kiln_loops_collect(module, MlirWalkPreOrder, is_call, &calls));
    *out = (family_t){.has_calls = calls.count > 0};
    free(calls.ops);
    for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        const uint64_t bytes =
            kiln_op_kind(op) == KILN_OP_TT_FUNC ? kiln_allocation_size(allocation, op) : 0;
        out->largest = bytes > out->largest ? bytes : out->largest;
    }
    return KILN_OK;
}

static kiln_status_t stage_function(staging_t *s, const kiln_allocation_t *allocation,
                                    family_t *family, kiln_loops_t *gathers)
{
    kiln_walk(s->func, MlirWalkPreOrder, note_gather, s);
    if (s->out_of_memory)
        return kiln_status_out_of_memory();
    if (!s->count)
        return KILN_OK;
    qsort(s->stages, (size_t)s->count, sizeof *s->stages, by_bytes);
    s->scratch = kiln_largest_scratch(s->func, s->num_warps, is_staged, s);
    if (family->has_calls)
        s->scratch = family->largest + family->staged;
    else if (s->has_more)
        s->scratch = kiln_allocation_size(allocation, s->func);
    int chosen = choose(s);
    for (int i = 0; i < chosen; i++)
        family->staged += s->stages[i].bytes + KILN_LDS_ALIGNMENT;
    write_buffers(s->stages, chosen);
    for (int i = gathers->count; i-- > 0;) { // in reverse: a stage's source may be another gather
        // Null if it belonged to an earlier function and is erased.
        MlirOperation *gather = &gathers->ops[i];
        bool is_here =
            !mlirOperationIsNull(*gather) && kiln_is_inside(s->func, kiln_op_result(*gather, 0));
        stage_t *stage = is_here ? find_stage(s, *gather) : NULL;
        if (stage && stage - s->stages < chosen) {
            read_buffer(*gather, stage->buffer);
            *gather = (MlirOperation){NULL};
        }
    }
    return KILN_OK;
}

kiln_status_t kiln_stage_gathers(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    int waves;
    kiln_loops_t gathers;
    family_t family = {0};
    kiln_allocation_t *allocation = NULL;
    KILN_TRY(kiln_waves_of_module(module, &waves));
    kiln_status_t status = kiln_loops_collect(module, MlirWalkPreOrder, is_gather, &gathers);
    if (!status && gathers.count)
        status = kiln_allocation_create(module, waves, &allocation);
    if (!status && gathers.count)
        status = survey_family(module, allocation, &family);
    for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
         !status && gathers.count && !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (kiln_op_kind(op) != KILN_OP_TT_FUNC)
            continue;
        staging_t staging = {.func = op, .num_warps = waves};
        status = stage_function(&staging, allocation, &family, &gathers);
        free(staging.stages);
    }
    kiln_allocation_destroy(allocation);
    free(gathers.ops);
    return status;
}
