// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates MLIR to the interpreter's own form, once, so that execution does not query MLIR.
//
// Note how the end of a value's lifetime is found: each nesting level remembers its current
// operation, and a use in a nested region counts as a use by the operation at the level that
// defines the value. In functions of several blocks, values live until the function returns.
#include "interp/program.h"

#include <stdlib.h>
#include <string.h>

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include "base/array.h"
#include "interp/machine.h"

enum { MAX_DEPTH = 256, CHUNK_BYTES = 1 << 16 };

typedef struct chunk {
    struct chunk *next;
    size_t used, size;
    max_align_t bytes[];
} chunk_t;

struct kiln_iprogram {
    chunk_t *chunks;
    kiln_itype_t **types;
    size_t type_count, type_capacity;
    kiln_ifunction_t *functions;
    size_t function_count;
};

static void *allocate(kiln_iprogram_t *program, size_t count, size_t size)
{
    size_t bytes = (count * size + sizeof(max_align_t)) / sizeof(max_align_t) * sizeof(max_align_t);
    chunk_t *chunk = program->chunks;
    if (!chunk || chunk->size - chunk->used < bytes) {
        size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        if (!(chunk = calloc(1, sizeof *chunk + room)))
            return NULL;
        chunk->size = room;
        chunk->next = program->chunks;
        program->chunks = chunk;
    }
    void *memory = (char *)chunk->bytes + chunk->used;
    chunk->used += bytes;
    return memory;
}

// Types -------------------------------------------------------------------------------------------

static bool read_block_type(MlirType type, kiln_itype_t *out)
{
    out->rank = kiln_type_rank(type);
    out->count = 1;
    for (int d = 0; d < out->rank; d++) {
        out->dims[d] = (size_t)kiln_type_dim(type, d);
        out->count *= out->dims[d];
    }
    MlirType element = kiln_type_element(type);
    out->is_unsigned = mlirTypeIsAInteger(element) && mlirIntegerTypeIsUnsigned(element);
    return kiln_number_of(element, &out->number);
}

static bool read_type(MlirType type, kiln_itype_t *out)
{
    *out = (kiln_itype_t){.mlir = type, .count = 1};
    if (kiln_type_is_tensordesc(type)) {
        out->kind = KILN_ITYPE_DESCRIPTOR;
        return read_block_type(kiln_tensordesc_block_type(type), out);
    }
    if (kiln_type_is_ptr(type) && kiln_type_is_tensor(kiln_ptr_pointee(type))) {
        out->kind = KILN_ITYPE_BLOCK_POINTER;
        return read_block_type(kiln_ptr_pointee(type), out);
    }
    out->kind = kiln_type_is_tensor(type) ? KILN_ITYPE_TENSOR : KILN_ITYPE_SCALAR;
    if (!read_block_type(type, out))
        return false;
    MlirType element = kiln_type_element(type);
    return !kiln_type_is_ptr(element) || kiln_number_of(kiln_ptr_pointee(element), &out->pointee);
}

static const kiln_itype_t *find_type(kiln_iprogram_t *program, MlirType type)
{
    for (size_t i = program->type_count; i-- > 0;)
        if (mlirTypeEqual(program->types[i]->mlir, type))
            return program->types[i];
    kiln_itype_t *made = allocate(program, 1, sizeof *made);
    if (!KILN_ARRAY_RESERVE(&program->types, &program->type_capacity, program->type_count + 1) ||
        !made || !read_type(type, made))
        return NULL;
    program->types[program->type_count++] = made;
    return made;
}

size_t kiln_itype_words(const kiln_itype_t *type)
{
    return type->kind == KILN_ITYPE_DESCRIPTOR ? 2 + 2 * (size_t)type->rank : 1;
}

// Values ------------------------------------------------------------------------------------------

typedef struct slot_info {
    MlirValue value;
    const kiln_itype_t *type;
    int level;        // −1: lives until the function returns
    kiln_iop_t *last; // the last operation of that level that uses it
} slot_info_t;

// One function while it is translated.
typedef struct builder {
    kiln_iprogram_t *program;
    slot_info_t *slots;
    int slot_count;
    size_t slot_capacity;
    int *table; // slot + 1 by hash of the value; 0: empty
    size_t table_size;
    kiln_iop_t *at[MAX_DEPTH]; // the current operation of each level
    int depth;
    bool keeps; // inside a region of several blocks
} builder_t;

static size_t hash_value(MlirValue value, size_t size)
{
    return (size_t)(((uint64_t)(uintptr_t)value.ptr * UINT64_C(0x9E3779B97F4A7C15)) >> 32) &
           (size - 1);
}

static bool grow_table(builder_t *b)
{
    size_t size = b->table_size ? 2 * b->table_size : 256;
    int *table = calloc(size, sizeof *table);
    if (!table)
        return false;
    for (int i = 0; i < b->slot_count; i++) {
        size_t at = hash_value(b->slots[i].value, size);
        while (table[at])
            at = (at + 1) & (size - 1);
        table[at] = i + 1;
    }
    free(b->table);
    b->table = table;
    b->table_size = size;
    return true;
}

static kiln_status_t define(builder_t *b, MlirValue value, MlirOperation op, kiln_iop_t *maker,
                            int *out_slot)
{
    const kiln_itype_t *type = find_type(b->program, mlirValueGetType(value));
    if (!type)
        return kiln_status_at_op(
            kiln_status_make(KILN_STATUS_UNSUPPORTED, "unsupported type in the interpreter"), op);
    if (!KILN_ARRAY_RESERVE(&b->slots, &b->slot_capacity, (size_t)b->slot_count + 1))
        return kiln_status_out_of_memory();
    if (2 * (size_t)(b->slot_count + 1) > b->table_size && !grow_table(b))
        return kiln_status_out_of_memory();
    size_t at = hash_value(value, b->table_size);
    while (b->table[at])
        at = (at + 1) & (b->table_size - 1);
    b->table[at] = b->slot_count + 1;
    b->slots[b->slot_count] = (slot_info_t){value, type, b->keeps ? -1 : b->depth, maker};
    *out_slot = b->slot_count++;
    return KILN_OK;
}

static int find_slot(const builder_t *b, MlirValue value)
{
    size_t at = hash_value(value, b->table_size);
    while (b->table_size && b->table[at]) {
        if (mlirValueEqual(b->slots[b->table[at] - 1].value, value))
            return b->table[at] - 1;
        at = (at + 1) & (b->table_size - 1);
    }
    return -1;
}

// Operations --------------------------------------------------------------------------------------

typedef enum row_kind { ROW_NONE, ROW_OP, ROW_EACH, ROW_END } row_kind_t;

static const struct {
    row_kind_t kind;
    kiln_ihandler_t handler;
    const char *attribute;
    int64_t otherwise;
} rows[KILN_OP_COUNT] = {
#define KILN_INTERP(kind, handler, attribute, otherwise)                                           \
    [KILN_OP_##kind] = {ROW_OP, handler, attribute, otherwise},
#define KILN_INTERP_EACH(kind, handler, attribute, otherwise)                                      \
    [KILN_OP_##kind] = {ROW_EACH, handler, attribute, otherwise},
#define KILN_INTERP_END(kind) [KILN_OP_##kind] = {ROW_END, NULL, "", 0},
#include "interp/handlers.def"
#undef KILN_INTERP
#undef KILN_INTERP_EACH
#undef KILN_INTERP_END
};

static kiln_status_t unknown_operation(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op->mlir));
    return kiln_fail(frame, op, KILN_STATUS_UNSUPPORTED, "the interpreter does not support %.*s",
                     (int)name.length, name.data);
}

static kiln_status_t read_attribute(builder_t *b, kiln_iop_t *op)
{
    const char *name = rows[op->kind].attribute;
    op->attribute = rows[op->kind].otherwise;
    if (!name || !*name)
        return KILN_OK;
    MlirAttribute attribute = kiln_ir_attr(op->mlir, name);
    if (mlirAttributeIsNull(attribute) || !mlirAttributeIsADenseI32Array(attribute)) {
        op->attribute = kiln_ir_int_attr(op->mlir, name, op->attribute);
        return KILN_OK;
    }
    op->list_count = (int)mlirDenseArrayGetNumElements(attribute);
    if (!(op->list = allocate(b->program, (size_t)op->list_count, sizeof *op->list)))
        return kiln_status_out_of_memory();
    for (int i = 0; i < op->list_count; i++)
        op->list[i] = mlirDenseI32ArrayGetElement(attribute, i);
    return KILN_OK;
}

static void read_segments(kiln_iop_t *op)
{
    MlirAttribute sizes = kiln_ir_attr(op->mlir, "operandSegmentSizes");
    bool sized = !mlirAttributeIsNull(sizes) && mlirAttributeIsADenseI32Array(sizes);
    int at = 0;
    for (int s = 0; s < 5; s++) {
        int size = !sized                                    ? s < op->operand_count
                   : s < mlirDenseArrayGetNumElements(sizes) ? mlirDenseI32ArrayGetElement(sizes, s)
                                                             : 0;
        op->segments[s] = size ? at : -1;
        at += size;
    }
}

// A float's own bits: a conversion to double would make a signalling NaN quiet.
static uint64_t float_bits(MlirAttribute attribute, kiln_number_t number)
{
    MlirType one = mlirRankedTensorTypeGet(1, &(int64_t){1}, mlirAttributeGetType(attribute),
                                           mlirAttributeGetNull());
    const unsigned char *data =
        mlirDenseElementsAttrGetRawData(mlirDenseElementsAttrSplatGet(one, attribute));
    return kiln_bytes_read(data, kiln_number_bytes(number));
}

// The bits of one element of a constant.
static bool constant_bits(MlirAttribute attribute, kiln_number_t number, uint64_t *out)
{
    if (mlirAttributeIsABool(attribute))
        *out = mlirBoolAttrGetValue(attribute);
    else if (mlirAttributeIsAInteger(attribute) && kiln_number_is_float(number))
        return false;
    else if (mlirAttributeIsAInteger(attribute))
        *out = (uint64_t)mlirIntegerAttrGetValueInt(attribute) & kiln_number_mask(number);
    else if (mlirAttributeIsAFloat(attribute) && kiln_number_is_float(number))
        *out = float_bits(attribute, number);
    else
        return false;
    return true;
}

static bool dense_bits(MlirAttribute dense, kiln_number_t number, size_t count, uint64_t *out)
{
    if (number.bits == 1) {
        for (size_t i = 0; i < count; i++)
            out[i] = mlirDenseElementsAttrGetBoolValue(dense, (intptr_t)i);
        return true;
    }
    const unsigned char *data = mlirDenseElementsAttrGetRawData(dense);
    unsigned bytes = kiln_number_bytes(number);
    for (size_t i = 0; i < count; i++)
        out[i] = kiln_bytes_read(data + i * bytes, bytes) & kiln_number_mask(number);
    return true;
}

static kiln_status_t read_constant(builder_t *b, kiln_iop_t *op)
{
    MlirAttribute attribute = kiln_ir_attr(op->mlir, "value");
    const kiln_itype_t *type = op->result_types[0];
    bool is_dense = mlirAttributeIsADenseElements(attribute),
         splat = is_dense && mlirDenseElementsAttrIsSplat(attribute);
    op->constant = allocate(b->program, 1, sizeof *op->constant);
    uint64_t *bits = allocate(b->program, type->count, sizeof *bits);
    if (!op->constant || !bits)
        return kiln_status_out_of_memory();
    *op->constant = (kiln_itile_t){.references = 1, .count = type->count, .bits = bits};
    if (is_dense && !splat) {
        dense_bits(attribute, type->number, type->count, bits);
        return KILN_OK;
    }
    if (splat)
        attribute = mlirDenseElementsAttrGetSplatValue(attribute);
    if (!constant_bits(attribute, type->number, bits))
        return kiln_status_at_op(
            kiln_status_make(KILN_STATUS_UNSUPPORTED, "unsupported constant in the interpreter"),
            op->mlir);
    for (size_t i = 1; i < type->count; i++)
        bits[i] = bits[0];
    return KILN_OK;
}

static kiln_status_t read_callee(builder_t *b, kiln_iop_t *op)
{
    MlirStringRef name = mlirFlatSymbolRefAttrGetValue(kiln_ir_attr(op->mlir, "callee"));
    for (size_t i = 0; i < b->program->function_count; i++) {
        const kiln_ifunction_t *function = &b->program->functions[i];
        if (mlirStringRefEqual(mlirStringAttrGetValue(kiln_ir_attr(function->mlir, "sym_name")),
                               name))
            op->callee = function;
    }
    return KILN_OK;
}

static kiln_status_t build_region(builder_t *b, MlirRegion from, kiln_iregion_t *to);

static kiln_status_t build_operands(builder_t *b, kiln_iop_t *op)
{
    op->operand_count = (int)mlirOperationGetNumOperands(op->mlir);
    op->operands = allocate(b->program, (size_t)op->operand_count, sizeof *op->operands);
    op->operand_types = allocate(b->program, (size_t)op->operand_count, sizeof(kiln_itype_t *));
    if (!op->operands || !op->operand_types)
        return kiln_status_out_of_memory();
    for (int i = 0; i < op->operand_count; i++) {
        int slot = find_slot(b, mlirOperationGetOperand(op->mlir, i));
        if (slot < 0)
            return kiln_status_at_op(
                kiln_status_make(KILN_STATUS_UNSUPPORTED, "use of a value before its definition"),
                op->mlir);
        op->operands[i] = slot;
        op->operand_types[i] = b->slots[slot].type;
        if (b->slots[slot].level >= 0)
            b->slots[slot].last = b->at[b->slots[slot].level];
    }
    read_segments(op);
    return KILN_OK;
}

static kiln_status_t build_op(builder_t *b, MlirOperation from, kiln_iop_t *op)
{
    *op = (kiln_iop_t){.kind = kiln_op_kind(from), .mlir = from};
    op->run = rows[op->kind].kind == ROW_NONE ? unknown_operation : rows[op->kind].handler;
    b->at[b->depth] = op;
    KILN_TRY(build_operands(b, op));
    KILN_TRY(read_attribute(b, op));
    op->region_count = (int)mlirOperationGetNumRegions(from);
    op->regions = allocate(b->program, (size_t)op->region_count, sizeof *op->regions);
    op->result_count = (int)mlirOperationGetNumResults(from);
    op->results = allocate(b->program, (size_t)op->result_count, sizeof *op->results);
    op->result_types = allocate(b->program, (size_t)op->result_count, sizeof(kiln_itype_t *));
    if (!op->regions || !op->results || !op->result_types)
        return kiln_status_out_of_memory();
    for (int i = 0; i < op->region_count; i++)
        KILN_TRY(build_region(b, mlirOperationGetRegion(from, i), &op->regions[i]));
    for (int i = 0; i < op->result_count; i++) {
        KILN_TRY(define(b, mlirOperationGetResult(from, i), from, op, &op->results[i]));
        op->result_types[i] = b->slots[op->results[i]].type;
    }
    if (op->kind == KILN_OP_ARITH_CONSTANT)
        KILN_TRY(read_constant(b, op));
    if (op->kind == KILN_OP_TT_CALL)
        KILN_TRY(read_callee(b, op));
    return KILN_OK;
}

static int count_operations(MlirBlock block)
{
    int count = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        count++;
    return count;
}

static kiln_status_t build_block(builder_t *b, MlirBlock from, kiln_iblock_t *to)
{
    int index = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(from); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        KILN_TRY(build_op(b, op, &to->ops[index++]));
    return KILN_OK;
}

// Records for each operation the slots that it is the last to use.
static kiln_status_t build_releases(builder_t *b, kiln_iblock_t *block, int first_slot)
{
    for (int i = first_slot; i < b->slot_count; i++)
        if (b->slots[i].level == b->depth && b->slots[i].last && b->slots[i].last->run)
            b->slots[i].last->release_count++;
    for (int i = 0; i < block->op_count; i++) {
        kiln_iop_t *op = &block->ops[i];
        if (op->release_count &&
            !(op->releases = allocate(b->program, (size_t)op->release_count, sizeof *op->releases)))
            return kiln_status_out_of_memory();
        op->release_count = 0;
    }
    for (int i = first_slot; i < b->slot_count; i++)
        if (b->slots[i].level == b->depth && b->slots[i].last && b->slots[i].last->run) {
            kiln_iop_t *op = b->slots[i].last;
            op->releases[op->release_count++] = i;
            b->slots[i].level = -1; // done
        }
    return KILN_OK;
}

static kiln_status_t build_successors(builder_t *b, kiln_iregion_t *region)
{
    for (int i = 0; i < region->block_count; i++) {
        kiln_iop_t *op = region->blocks[i].op_count
                             ? &region->blocks[i].ops[region->blocks[i].op_count - 1]
                             : NULL;
        if (!op || !(op->successor_count = (int)mlirOperationGetNumSuccessors(op->mlir)))
            continue;
        op->successors = allocate(b->program, (size_t)op->successor_count, sizeof(kiln_iblock_t *));
        op->successor_operand_counts =
            allocate(b->program, (size_t)op->successor_count, sizeof(int));
        if (!op->successors || !op->successor_operand_counts)
            return kiln_status_out_of_memory();
        for (int s = 0; s < op->successor_count; s++)
            for (int j = 0; j < region->block_count; j++)
                if (mlirBlockEqual(region->blocks[j].mlir,
                                   mlirOperationGetSuccessor(op->mlir, s))) {
                    op->successors[s] = &region->blocks[j];
                    op->successor_operand_counts[s] = region->blocks[j].argument_count;
                }
    }
    return KILN_OK;
}

static int find_block(const kiln_iregion_t *region, MlirBlock block)
{
    int i = 0;
    while (!mlirBlockEqual(region->blocks[i].mlir, block))
        i++;
    return i;
}

typedef struct visit {
    int block, next; // the next successor to visit
    bool seen;       // indexed by block, not by depth
    int order;       // indexed by position
} visit_t;

// Translates the blocks in reverse post-order so that definitions come before uses, whatever their
// order in the text. Unreachable blocks stay empty.
static kiln_status_t build_reached(builder_t *b, kiln_iregion_t *region)
{
    int depth = 1, count = region->block_count, left = count;
    visit_t *visits = calloc((size_t)count, sizeof *visits);
    if (!visits)
        return kiln_status_out_of_memory();
    visits[0].seen = true;
    while (depth) {
        visit_t *top = &visits[depth - 1];
        MlirOperation end = mlirBlockGetTerminator(region->blocks[top->block].mlir);
        if (mlirOperationIsNull(end) || top->next == mlirOperationGetNumSuccessors(end)) {
            visits[--left].order = top->block;
            depth--;
            continue;
        }
        int successor = find_block(region, mlirOperationGetSuccessor(end, top->next++));
        if (visits[successor].seen)
            continue;
        visits[successor].seen = true;
        visits[depth].block = successor;
        visits[depth++].next = 0;
    }
    kiln_status_t status = KILN_OK;
    for (int i = left; i < count && !status; i++)
        status =
            build_block(b, region->blocks[visits[i].order].mlir, &region->blocks[visits[i].order]);
    for (int i = 0; i < count; i++)
        if (!visits[i].seen)
            region->blocks[i].op_count = 0;
    free(visits);
    return status;
}

static kiln_status_t build_blocks(builder_t *b, kiln_iregion_t *to)
{
    int first_slot = b->slot_count;
    // Arguments first: with several blocks, a use may precede its definition in the text.
    for (int i = 0; i < to->block_count; i++) {
        kiln_iblock_t *block = &to->blocks[i];
        block->argument_count = (int)mlirBlockGetNumArguments(block->mlir);
        block->arguments =
            allocate(b->program, (size_t)block->argument_count, sizeof *block->arguments);
        block->op_count = count_operations(block->mlir);
        block->ops = allocate(b->program, (size_t)block->op_count, sizeof *block->ops);
        if (!block->arguments || !block->ops)
            return kiln_status_out_of_memory();
        bool kept = b->keeps;
        b->keeps = true; // parents set the arguments each time, used or not
        for (int a = 0; a < block->argument_count; a++)
            KILN_TRY(define(b, mlirBlockGetArgument(block->mlir, a),
                            mlirBlockGetParentOperation(block->mlir), NULL, &block->arguments[a]));
        b->keeps = kept;
    }
    if (to->block_count)
        KILN_TRY(build_reached(b, to));
    if (to->block_count == 1)
        KILN_TRY(build_releases(b, &to->blocks[0], first_slot));
    return build_successors(b, to);
}

static kiln_status_t build_region(builder_t *b, MlirRegion from, kiln_iregion_t *to)
{
    for (MlirBlock block = mlirRegionGetFirstBlock(from); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
        to->block_count++;
    to->blocks = allocate(b->program, (size_t)to->block_count, sizeof *to->blocks);
    if (!to->blocks)
        return kiln_status_out_of_memory();
    int index = 0;
    for (MlirBlock block = mlirRegionGetFirstBlock(from); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
        to->blocks[index++].mlir = block;
    if (++b->depth == MAX_DEPTH)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED, "regions are nested more than %d deep",
                                MAX_DEPTH);
    bool kept = b->keeps;
    b->keeps |= to->block_count > 1;
    KILN_TRY(build_blocks(b, to));
    b->keeps = kept;
    b->depth--;
    to->is_elementwise = to->block_count == 1;
    for (int i = 0; to->block_count == 1 && i < to->blocks[0].op_count; i++) {
        row_kind_t kind = rows[to->blocks[0].ops[i].kind].kind;
        to->is_elementwise &=
            kind == ROW_EACH || (kind == ROW_END && i == to->blocks[0].op_count - 1);
    }
    return KILN_OK;
}

static kiln_status_t build_function(kiln_iprogram_t *program, kiln_ifunction_t *function)
{
    builder_t b = {.program = program};
    kiln_status_t status = KILN_OK;
    if (mlirOperationGetNumRegions(function->mlir))
        status = build_region(&b, mlirOperationGetRegion(function->mlir, 0), &function->body);
    function->slot_count = b.slot_count;
    function->slot_types = allocate(program, (size_t)b.slot_count, sizeof(kiln_itype_t *));
    for (int i = 0; function->slot_types && i < b.slot_count; i++)
        function->slot_types[i] = b.slots[i].type;
    free(b.slots);
    free(b.table);
    return status ? status : function->slot_types ? KILN_OK : kiln_status_out_of_memory();
}

kiln_status_t kiln_iprogram_create(MlirModule module, kiln_iprogram_t **out_program)
{
    *out_program = NULL;
    kiln_iprogram_t *program = calloc(1, sizeof *program);
    if (!program)
        return kiln_status_out_of_memory();
    MlirBlock body = mlirModuleGetBody(module);
    program->functions =
        allocate(program, (size_t)count_operations(body), sizeof *program->functions);
    kiln_status_t status = program->functions ? KILN_OK : kiln_status_out_of_memory();
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !status && !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        if (kiln_op_kind(op) == KILN_OP_TT_FUNC)
            program->functions[program->function_count++].mlir = op;
    for (size_t i = 0; i < program->function_count && !status; i++)
        status = build_function(program, &program->functions[i]);
    if (status)
        kiln_iprogram_release(program);
    else
        *out_program = program;
    return status;
}

void kiln_iprogram_release(kiln_iprogram_t *program)
{
    if (!program)
        return;
    for (chunk_t *chunk = program->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(program->types);
    free(program);
}

const kiln_ifunction_t *kiln_iprogram_find(const kiln_iprogram_t *program, const char *name)
{
    for (size_t i = 0; i < program->function_count; i++) {
        MlirStringRef have =
            mlirStringAttrGetValue(kiln_ir_attr(program->functions[i].mlir, "sym_name"));
        if (!name || mlirStringRefEqual(have, mlirStringRefCreateFromCString(name)))
            return &program->functions[i];
    }
    return NULL;
}
