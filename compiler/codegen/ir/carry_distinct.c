// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries elements that are equal in a vector across blocks once. A tile whose elements repeat,
// such as a scale for many weights or the bytes that hold two of them each, has a vector with
// repeated elements, and LLVM 22 does not see in the next iteration of a loop that they are equal:
//
//   %q = phi <4 x i8> [ <%a, %a, %b, %b>, %before ], [ <%c, %c, %d, %d>, %loop ]
//
// So arithmetic is repeated for each of them. Here the phi becomes
//
//   %d = phi <2 x i8> [ <%a, %b>, %before ], [ <%c, %d>, %loop ]
//   %q = shufflevector %d, <0, 0, 1, 1>
//
// Note that elements must be equal in all incoming values, and that a phi has an entry for each
// case of a switch, which must all be the same value.
#include <llvm-c/Core.h>

#include "codegen/codegen_internal.h"
#include "codegen/ir/constant_index.h"
#include "codegen/ir/walk.h"

enum { MAX_ELEMENTS = 64, BYTE_BITS = 8, BYTES_OF_WORD = 4 };

// An element of a vector: a scalar, or element `at` of a vector of which nothing more is known.
typedef struct element {
    LLVMValueRef value;
    unsigned at;
} element_t;

// The first elements that are equal to each element, in its place and in a vector without the
// others.
typedef struct classes {
    unsigned count, distinct;
    unsigned first[MAX_ELEMENTS], place[MAX_ELEMENTS];
} classes_t;

// Element `at` of a vector, as what it was created from.
static element_t element_of(LLVMValueRef vector, unsigned at)
{
    for (;;) {
        unsigned count = LLVMGetVectorSize(LLVMTypeOf(vector));
        if (LLVMIsAInsertElementInst(vector)) {
            unsigned inserted;
            if (!kiln_constant_index(LLVMGetOperand(vector, 2), count, &inserted))
                return (element_t){vector, at};
            if (inserted != at) {
                vector = LLVMGetOperand(vector, 0);
                continue;
            }
            LLVMValueRef scalar = LLVMGetOperand(vector, 1);
            if (!LLVMIsAExtractElementInst(scalar))
                return (element_t){scalar, 0};
            LLVMValueRef from = LLVMGetOperand(scalar, 0);
            if (!kiln_constant_index(LLVMGetOperand(scalar, 1), LLVMGetVectorSize(LLVMTypeOf(from)),
                                     &at))
                return (element_t){scalar, 0};
            vector = from;
        } else if (LLVMIsAShuffleVectorInst(vector)) {
            LLVMValueRef first = LLVMGetOperand(vector, 0);
            unsigned first_count = LLVMGetVectorSize(LLVMTypeOf(first));
            int from = LLVMGetMaskValue(vector, at);
            if (from < 0) // poison
                return (element_t){vector, at};
            vector = (unsigned)from < first_count ? first : LLVMGetOperand(vector, 1);
            at = (unsigned)from < first_count ? (unsigned)from : (unsigned)from - first_count;
        } else {
            LLVMValueRef constant =
                LLVMIsConstant(vector) ? LLVMGetAggregateElement(vector, at) : NULL;
            return constant ? (element_t){constant, 0} : (element_t){vector, at};
        }
    }
}

// False for vectors of which nothing is known.
static bool find_elements(LLVMValueRef vector, unsigned count, element_t *elements)
{
    if (!LLVMIsAInsertElementInst(vector) && !LLVMIsAShuffleVectorInst(vector) &&
        !LLVMIsConstant(vector))
        return false;
    for (unsigned e = 0; e < count; e++)
        elements[e] = element_of(vector, e);
    return true;
}

static bool are_equal(const element_t *a, const element_t *b)
{
    return a->value == b->value && a->at == b->at;
}

// Separates elements that differ in this incoming value.
static bool refine(LLVMValueRef vector, classes_t *classes)
{
    element_t elements[MAX_ELEMENTS];
    if (!find_elements(vector, classes->count, elements))
        return false;
    for (unsigned e = 0; e < classes->count; e++) {
        const unsigned before = classes->first[e];
        unsigned first = 0; // the elements before e are already refined
        while (first < e &&
               !(classes->place[first] == before && are_equal(&elements[first], &elements[e])))
            first++;
        classes->place[e] = before; // the class that e had, until all are refined
        classes->first[e] = first;
    }
    return true;
}

// Whether fewer registers carry the distinct elements. Bytes are packed only if they fill words
// (carry_bytes.c).
static bool find_classes(LLVMValueRef phi, classes_t *classes)
{
    LLVMTypeRef type = LLVMTypeOf(phi);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetVectorSize(type) > MAX_ELEMENTS)
        return false;
    *classes = (classes_t){.count = LLVMGetVectorSize(type)};
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (!refine(LLVMGetIncomingValue(phi, i), classes))
            return false;
    for (unsigned e = 0; e < classes->count; e++)
        classes->place[e] =
            classes->first[e] == e ? classes->distinct++ : classes->place[classes->first[e]];
    LLVMTypeRef element = LLVMGetElementType(type);
    bool is_byte = LLVMGetTypeKind(element) == LLVMIntegerTypeKind &&
                   LLVMGetIntTypeWidth(element) <= BYTE_BITS;
    return 2 * classes->distinct <= classes->count &&
           (!is_byte || classes->distinct == 1 || classes->distinct % BYTES_OF_WORD == 0);
}

// The distinct elements of a vector, as a scalar if there is one.
static LLVMValueRef distinct_elements(LLVMBuilderRef builder, LLVMValueRef vector,
                                      const classes_t *classes, LLVMTypeRef type)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    element_t elements[MAX_ELEMENTS];
    find_elements(vector, classes->count, elements);
    LLVMValueRef all = LLVMGetPoison(type);
    for (unsigned e = 0; e < classes->count; e++) {
        if (classes->first[e] != e)
            continue;
        LLVMValueRef element = elements[e].value;
        if (LLVMGetTypeKind(LLVMTypeOf(element)) == LLVMVectorTypeKind)
            element = LLVMBuildExtractElement(builder, element,
                                              LLVMConstInt(word, elements[e].at, false), "");
        if (classes->distinct == 1)
            return element;
        all = LLVMBuildInsertElement(builder, all, element,
                                     LLVMConstInt(word, classes->place[e], false), "");
    }
    return all;
}

static LLVMValueRef repeated(LLVMBuilderRef builder, LLVMValueRef distinct,
                             const classes_t *classes, LLVMTypeRef type)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef places[MAX_ELEMENTS];
    for (unsigned e = 0; e < classes->count; e++)
        places[e] = LLVMConstInt(word, classes->place[e], false);
    if (classes->distinct == 1)
        distinct =
            LLVMBuildInsertElement(builder, LLVMGetPoison(LLVMVectorType(LLVMTypeOf(distinct), 1)),
                                   distinct, places[0], "");
    return LLVMBuildShuffleVector(builder, distinct, LLVMGetPoison(LLVMTypeOf(distinct)),
                                  LLVMConstVector(places, classes->count), "");
}

// The value that the phi already has for that block; NULL if none.
static LLVMValueRef known_value(LLVMValueRef carried, LLVMBasicBlockRef from)
{
    for (unsigned i = 0; i < LLVMCountIncoming(carried); i++)
        if (LLVMGetIncomingBlock(carried, i) == from)
            return LLVMGetIncomingValue(carried, i);
    return NULL;
}

static void carry(LLVMBuilderRef builder, LLVMValueRef phi, const classes_t *classes)
{
    LLVMTypeRef type = LLVMTypeOf(phi), element = LLVMGetElementType(type);
    LLVMTypeRef fewer =
        classes->distinct == 1 ? element : LLVMVectorType(element, classes->distinct);
    LLVMPositionBuilderBefore(builder, phi);
    LLVMValueRef carried = LLVMBuildPhi(builder, fewer, "");
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        LLVMValueRef value = known_value(carried, from);
        if (!value) {
            LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(from));
            value = distinct_elements(builder, LLVMGetIncomingValue(phi, i), classes, fewer);
        }
        LLVMAddIncoming(carried, &value, &from, 1);
    }
    LLVMValueRef at = phi;
    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(builder, at);
    LLVMReplaceAllUsesWith(phi, repeated(builder, carried, classes, type));
    LLVMInstructionEraseFromParent(phi);
}

static bool carry_all(LLVMModuleRef module, LLVMBuilderRef builder)
{
    bool changed = false;
    for (LLVMValueRef i = kiln_first_instruction(module), next; i; i = next) {
        next = kiln_next_instruction(i);
        classes_t classes;
        if (LLVMIsAPHINode(i) && find_classes(i, &classes)) {
            carry(builder, i, &classes);
            changed = true;
        }
    }
    return changed;
}

void kiln_codegen_carry_distinct(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    while (carry_all(module, builder)) // a phi of a phi that comes later, as with three stages
        continue;
    LLVMDisposeBuilder(builder);
}
