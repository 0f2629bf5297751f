// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds values that differ between lanes, and sums over the bits of the lane's number; see
// lane_sums.h.
//
// Note that a branch of which lanes take different ways makes phis differ whose operands do not.
// Such functions are not analysed further: `branches` says so.
#include "codegen/ir/lane_sums.h"

#include <string.h>

#include "codegen/ir/walk.h"

// Values that differ ------------------------------------------------------------------------------

static bool calls(LLVMValueRef call, const char *prefix)
{
    size_t length;
    const LLVMValueRef callee = LLVMGetCalledValue(call);
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

bool kiln_lane_is_thread(LLVMValueRef value)
{
    return LLVMIsACallInst(value) && calls(value, "llvm.amdgcn.workitem.id.x");
}

// Whether a call's result is the same in all lanes if its operands are. Only what is known to be.
static bool is_uniform_call(LLVMValueRef call)
{
    static const char *const uniform[] = {
        "llvm.amdgcn.readfirstlane",
        "llvm.amdgcn.readlane",
        "llvm.amdgcn.workgroup",
        "llvm.amdgcn.make.buffer.rsrc",
        "llvm.amdgcn.raw.ptr.buffer.load",
        "llvm.amdgcn.implicitarg.ptr",
        "llvm.amdgcn.kernarg.segment.ptr",
        "llvm.amdgcn.dispatch.ptr",
        "llvm.smin",
        "llvm.smax",
        "llvm.umin",
        "llvm.umax",
        "llvm.abs",
    };
    for (size_t i = 0; i < sizeof uniform / sizeof *uniform; i++)
        if (calls(call, uniform[i]))
            return true;
    return false;
}

// Whether the instruction itself makes its result differ, whatever its operands are. Other waves
// may write LDS and scratch belongs to a lane, so that only global memory is the same for all.
static bool makes_differ(LLVMValueRef instruction)
{
    enum { GENERIC = 0, GLOBAL = 1, CONSTANT = 4 };
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMCall:
        return !is_uniform_call(instruction);
    case LLVMLoad: {
        const unsigned space =
            LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(instruction, 0)));
        return LLVMGetVolatile(instruction) ||
               LLVMGetOrdering(instruction) != LLVMAtomicOrderingNotAtomic ||
               (space != GLOBAL && space != CONSTANT);
    }
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMAlloca:
    case LLVMInvoke:
    case LLVMCallBr:
        return true;
    default:
        return false;
    }
}

// The result of readfirstlane and readlane is the same in all lanes though the operand differs.
static bool takes_one_lane(LLVMValueRef instruction)
{
    return LLVMIsACallInst(instruction) && calls(instruction, "llvm.amdgcn.read");
}

bool kiln_lane_differs(const kiln_lane_facts_t *facts, LLVMValueRef value)
{
    return kiln_pointer_map_get(&facts->differs, value) >= 0;
}

static bool is_known_to_differ(const kiln_lane_facts_t *facts, LLVMValueRef instruction)
{
    if (makes_differ(instruction))
        return true;
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
        if (kiln_lane_differs(facts, LLVMGetOperand(instruction, (unsigned)i)))
            return !takes_one_lane(instruction);
    return false;
}

bool kiln_lane_facts_find(kiln_lane_facts_t *facts, LLVMValueRef function)
{
    *facts = (kiln_lane_facts_t){0};
    for (bool changed = true; changed;) {
        changed = false;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                if (kiln_lane_differs(facts, i) || !is_known_to_differ(facts, i))
                    continue;
                changed = true;
                if (!kiln_pointer_map_put(&facts->differs, i, 0))
                    return false;
                facts->branches |= LLVMIsATerminatorInst(i) && !LLVMIsAReturnInst(i);
            }
    }
    return true;
}

void kiln_lane_facts_free(kiln_lane_facts_t *facts)
{
    kiln_pointer_map_free(&facts->differs);
}

// Sums --------------------------------------------------------------------------------------------

enum { MAX_VISITS = 128, WORD_BITS = 32 };

typedef struct sum {
    kiln_lane_sum_t of;
    bool is_bits; // nothing is added, and no two bits are in the same place
} sum_t;

// `left` counts the visits that are left: terms may be shared.
static bool sum_of(const kiln_lane_facts_t *facts, LLVMValueRef value, int *left, sum_t *out);

static bool is_constant(LLVMValueRef value, int64_t *out)
{
    if (!LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
        return false;
    *out = LLVMConstIntGetSExtValue(value);
    return true;
}

static void add(sum_t *to, const sum_t *other, bool is_disjoint)
{
    for (int i = 0; i < KILN_THREAD_BITS; i++) {
        to->of.step[i] = (int64_t)((uint64_t)to->of.step[i] + (uint64_t)other->of.step[i]);
        to->of.is_unknown[i] |= other->of.is_unknown[i];
    }
    to->is_bits &= other->is_bits && is_disjoint;
}

static void scale(sum_t *sum, int64_t factor)
{
    for (int i = 0; i < KILN_THREAD_BITS; i++)
        sum->of.step[i] = (int64_t)((uint64_t)sum->of.step[i] * (uint64_t)factor);
    sum->is_bits = false;
}

// A multiple that is the same in all lanes.
static void scale_by_unknown(sum_t *sum)
{
    for (int i = 0; i < KILN_THREAD_BITS; i++) {
        sum->of.is_unknown[i] |= sum->of.step[i] != 0;
        sum->of.step[i] = 0;
    }
    sum->is_bits = false;
}

static bool binary(const kiln_lane_facts_t *facts, LLVMValueRef value, int *left, sum_t *out)
{
    sum_t other;
    int64_t constant = 0;
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    LLVMValueRef a = LLVMGetOperand(value, 0), b = LLVMGetOperand(value, 1);
    const bool has_constant = is_constant(b, &constant),
               shifts = has_constant && constant >= 0 && constant < WORD_BITS;
    if (!sum_of(facts, a, left, out) || !sum_of(facts, b, left, &other))
        return false;
    switch (opcode) {
    case LLVMAdd:
        add(out, &other, false);
        return true;
    case LLVMSub:
        scale(&other, -1);
        add(out, &other, false);
        return true;
    case LLVMOr:
        add(out, &other, true);
        return LLVMGetIsDisjoint(value);
    case LLVMMul:
        if (has_constant)
            scale(out, constant);
        else if (!kiln_lane_differs(facts, b))
            scale_by_unknown(out);
        else if (!kiln_lane_differs(facts, a))
            *out = other, scale_by_unknown(out);
        else
            return false;
        return true;
    case LLVMShl:
        for (int i = 0; shifts && i < KILN_THREAD_BITS; i++)
            out->of.step[i] = (int64_t)((uint64_t)out->of.step[i] << constant);
        return shifts;
    case LLVMLShr:
        for (int i = 0; i < KILN_THREAD_BITS; i++)
            out->of.step[i] = out->of.step[i] >> (shifts ? constant : 0);
        return shifts && out->is_bits;
    case LLVMAnd:
        for (int i = 0; i < KILN_THREAD_BITS; i++)
            out->of.step[i] &= constant;
        return has_constant && out->is_bits;
    default:
        return false;
    }
}

// The address of an element of a type of one byte, as the lowering computes addresses.
static bool element_of_bytes(const kiln_lane_facts_t *facts, LLVMValueRef value, int *left,
                             sum_t *out)
{
    enum { BYTE = 8 };
    sum_t other;
    const LLVMTypeRef type = LLVMGetGEPSourceElementType(value);
    if (LLVMGetNumOperands(value) != 2 || LLVMGetTypeKind(type) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(type) != BYTE || !sum_of(facts, LLVMGetOperand(value, 0), left, out) ||
        !sum_of(facts, LLVMGetOperand(value, 1), left, &other))
        return false;
    add(out, &other, false);
    return true;
}

static bool sum_of(const kiln_lane_facts_t *facts, LLVMValueRef value, int *left, sum_t *out)
{
    *out = (sum_t){.is_bits = false};
    if (!kiln_lane_differs(facts, value))
        return true;
    if (kiln_lane_is_thread(value)) {
        for (int i = 0; i < KILN_THREAD_BITS; i++)
            out->of.step[i] = (int64_t)1 << i;
        out->is_bits = true;
        return true;
    }
    if ((*left)-- == 0 || !LLVMIsAInstruction(value))
        return false;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMFreeze:
        return sum_of(facts, LLVMGetOperand(value, 0), left, out);
    case LLVMSelect: // an address, or one that masks the access
        return LLVMIsAConstant(LLVMGetOperand(value, 2)) &&
               sum_of(facts, LLVMGetOperand(value, 1), left, out);
    case LLVMGetElementPtr:
        return element_of_bytes(facts, value, left, out);
    default:
        return LLVMIsABinaryOperator(value) && binary(facts, value, left, out);
    }
}

bool kiln_lane_sum_of(const kiln_lane_facts_t *facts, LLVMValueRef value, kiln_lane_sum_t *out)
{
    sum_t sum;
    int left = MAX_VISITS;
    const bool good = sum_of(facts, value, &left, &sum);
    *out = sum.of;
    return good;
}
