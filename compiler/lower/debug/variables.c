// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of values in the debug information: a value whose location has a name, as Triton emits them
// for Python variables, is a variable of its function.
//
//   %x = … loc("x"(#loc3))     →     #dbg_value(float %5, !DILocalVariable(name: "x"), !DIExpression(…), …)
//
// A tile is described as an array of a thread's elements, with a fragment for each register. Only
// existing values, and sums of one of them and a constant, are described, so the code is the same
// with and without names.
//
// Note that all assignments to a name in one scope belong to one variable, unless their types
// differ.
#include "info.h"
#include "lower/emit.h"
#include "lower/tile.h"

#include <string.h>

#include <llvm-c/DebugInfo.h>

enum {
    MAX_REGISTERS = 64,
    OP_CONSTU = 0x10,
    OP_MINUS = 0x1c,
    OP_PLUS_UCONST = 0x23,
    OP_STACK_VALUE = 0x9f
};
enum { OP_FRAGMENT = 0x1000 }; // LLVM's DW_OP_LLVM_fragment
enum { ATE_BOOLEAN = 2, ATE_FLOAT = 4, ATE_SIGNED = 5 };

struct kiln_lower_variable {
    MlirIdentifier name;
    MlirType type; // of the value
    LLVMMetadataRef scope, variable;
    struct kiln_lower_variable *next;
};

static unsigned bits_of(MlirType type)
{
    unsigned bits = (unsigned)kiln_type_bits(type);
    return bits < 8 ? 8 : bits;
}

static LLVMMetadataRef element_type(const kiln_lower_debug_t *debug, MlirType type)
{
    MlirType element = kiln_type_element(type);
    if (kiln_type_is_ptr(element))
        return LLVMDIBuilderCreatePointerType(
            debug->builder, element_type(debug, kiln_ptr_pointee(element)), 64, 0, 0, "", 0);
    char name[16];
    bool is_float = mlirTypeIsAFloat(element);
    unsigned bits = (unsigned)kiln_type_bits(element);
    snprintf(name, sizeof name, "%c%u", is_float ? 'f' : 'i', bits);
    return LLVMDIBuilderCreateBasicType(debug->builder, name, strlen(name), bits_of(element),
                                        is_float    ? ATE_FLOAT
                                        : bits == 1 ? ATE_BOOLEAN
                                                    : ATE_SIGNED,
                                        LLVMDIFlagZero);
}

static LLVMMetadataRef type_of(const kiln_lower_debug_t *debug, const kiln_tile_t *tile)
{
    LLVMMetadataRef element = element_type(debug, tile->type);
    if (tile->count == 1)
        return element;
    LLVMMetadataRef range = LLVMDIBuilderGetOrCreateSubrange(debug->builder, 0, tile->count);
    return LLVMDIBuilderCreateArrayType(debug->builder, (uint64_t)tile->count * bits_of(tile->type),
                                        0, element, &range, 1);
}

static LLVMMetadataRef find_variable(kiln_lowering_t *l, MlirIdentifier name,
                                     const kiln_tile_t *tile, LLVMMetadataRef place, int argument)
{
    kiln_lower_debug_t *debug = l->debug;
    LLVMMetadataRef scope = LLVMDILocationGetScope(place);
    for (struct kiln_lower_variable *v = debug->variables; v; v = v->next)
        if (mlirIdentifierEqual(v->name, name) && mlirTypeEqual(v->type, tile->type) &&
            v->scope == scope)
            return v->variable;
    struct kiln_lower_variable *made = kiln_lower_arena_alloc(l->arena, sizeof *made);
    MlirStringRef text = mlirIdentifierStr(name);
    LLVMMetadataRef file = LLVMDIScopeGetFile(scope), type = type_of(debug, tile);
    unsigned line = LLVMDILocationGetLine(place);
    LLVMMetadataRef variable =
        argument ? LLVMDIBuilderCreateParameterVariable(debug->builder, scope, text.data,
                                                        text.length, (unsigned)argument, file, line,
                                                        type, 0, LLVMDIFlagZero)
                 : LLVMDIBuilderCreateAutoVariable(debug->builder, scope, text.data, text.length,
                                                   file, line, type, 0, LLVMDIFlagZero, 0);
    *made = (struct kiln_lower_variable){name, tile->type, scope, variable, debug->variables};
    debug->variables = made;
    return variable;
}

// The value and the constant to add to it; null if it is not materialized yet.
static LLVMValueRef find_value(kiln_lowering_t *l, const kiln_tile_t *tile, uint32_t reg,
                               int64_t *out_plus)
{
    *out_plus = 0;
    if (tile->values[reg])
        return tile->values[reg];
    if (!tile->sums)
        return NULL;
    kiln_sum_t sum = tile->sums[reg];
    int parts = (sum.lane != NULL) + (sum.uniform != NULL) + (tile->base != NULL);
    if (parts > 1)
        return NULL;
    if (parts == 0)
        return LLVMConstInt(tile->sum_bits == 64 ? l->i64 : l->i32, (uint64_t)sum.imm, 1);
    *out_plus = sum.imm;
    return sum.lane ? sum.lane : sum.uniform ? sum.uniform : tile->base;
}

static void describe(kiln_lowering_t *l, const kiln_tile_t *tile, uint32_t reg,
                     LLVMMetadataRef variable, LLVMMetadataRef place)
{
    int64_t plus;
    LLVMValueRef value = find_value(l, tile, reg, &plus);
    if (!value)
        return;
    uint64_t words[8];
    size_t count = 0;
    if (plus > 0) {
        words[count++] = OP_PLUS_UCONST;
        words[count++] = (uint64_t)plus;
    } else if (plus < 0) {
        words[count++] = OP_CONSTU;
        words[count++] = 0 - (uint64_t)plus;
        words[count++] = OP_MINUS;
    }
    if (plus)
        words[count++] = OP_STACK_VALUE;
    if (tile->count > 1) {
        unsigned bits = bits_of(tile->type);
        words[count++] = OP_FRAGMENT;
        words[count++] = (uint64_t)reg * bits;
        words[count++] = bits;
    }
    LLVMMetadataRef expression = LLVMDIBuilderCreateExpression(l->debug->builder, words, count);
    LLVMDIBuilderInsertDbgValueRecordAtEnd(l->debug->builder, value, variable, expression, place,
                                           LLVMGetInsertBlock(l->builder));
}

static void name_value(kiln_lowering_t *l, MlirValue value, MlirLocation loc, int argument)
{
    kiln_tile_t *tile = kiln_lower_map_get(l->values, value.ptr);
    if (!mlirLocationIsAName(loc) || !tile || tile->count > MAX_REGISTERS ||
        kiln_type_is_memdesc(mlirValueGetType(value)))
        return;
    MlirIdentifier name = mlirLocationNameGetName(loc);
    LLVMMetadataRef place = kiln_lower_debug_location(l, loc);
    if (!mlirIdentifierStr(name).length)
        return;
    LLVMMetadataRef variable = find_variable(l, name, tile, place, argument);
    for (uint32_t r = 0; r < tile->count; r++)
        describe(l, tile, r, variable, place);
}

void kiln_lower_debug_name_results(kiln_lowering_t *l, MlirOperation op)
{
    if (l->options->debug_variables && !LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(l->builder)))
        for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
            name_value(l, mlirOperationGetResult(op, i), mlirOperationGetLocation(op), 0);
}

void kiln_lower_debug_name_arguments(kiln_lowering_t *l, MlirBlock entry)
{
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry) && l->options->debug_variables; i++) {
        MlirValue argument = mlirBlockGetArgument(entry, i);
        name_value(l, argument, mlirValueGetLocation(argument), (int)i + 1);
    }
}
