// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads in loops of which neighbouring lanes read different rows, as a matrix instruction wants its
// operand's rows, read a row by neighbouring lanes instead, and lanes exchange what they have
// loaded where it is used:
//
//                                               %s = thread with bits 0 and 4, 1 and 5 swapped
//   loop:                                       loop:
//     %x = phi <4 x i32> [ %y, %loop ], …         %x = phi <4 x i32> [ %y, %loop ], …
//     … = use %x                            →     … = use (ds_bpermute of each word of %x)
//     %y = load address(thread)                   %y = load address(%s)
//
// Four lanes at a time look their lines up in the L1, which has four RAMs of tags: by the lowest
// bits of a line's number. Rows of weights are mostly multiples of 512 bytes apart, so lines in the
// same column of four rows use the same RAM, and take four cycles instead of one. An exchange of 64
// words takes two of LDS's cycles, and no memory of it.
//
// Here a bit of the lane's number is a step: the address of the lanes with the bit set is that of
// the others and a number of bytes. Lanes are swapped so that bits 0 and 1 have the steps of one
// and two accesses, which bits further up had.
//
// Note that the exchange needs all lanes of a wave, both where a value is loaded and where it is
// used, so functions with branches of which lanes take different ways stay as they are. A wave's
// lanes only swap accesses among each other: each address is accessed, or masked, as before.
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "base/array.h"
#include "codegen/codegen_internal.h"
#include "codegen/ir/constant_index.h"
#include "codegen/ir/lane_sums.h"
#include "codegen/ir/walk.h"

enum {
    LINE = 128,     // bytes
    RAMS = 4,       // of tags
    QUAD_BITS = 2,  // of the lanes that look up lines at once
    MIN_BYTES = 8,  // narrower accesses look up more lanes at once
    MAX_BYTES = 16, // of a lane's access
    WORD_BITS = 32,
    MAX_COPIED = 128, // instructions of an address
    LANE_BYTES = 4,   // of ds_bpermute's addresses
    KERNEL_CONVENTION = 91,
};

typedef struct values {
    LLVMValueRef *items;
    size_t count, capacity;
} values_t;

typedef struct swap {
    int with[QUAD_BITS]; // the bit that takes the place of this one: itself if none does
} swap_t;

// A load or a phi of such loads.
typedef struct web {
    values_t loads, phis;
    swap_t swap;
    bool is_in_loop;
} web_t;

typedef struct pass {
    LLVMBuilderRef builder;
    LLVMTypeRef word;
    kiln_lane_facts_t facts;
    kiln_pointer_map_t seen;  // loads and phis of earlier webs
    kiln_pointer_map_t other; // instruction → its place in `clones`, for the swap at hand
    values_t clones;
    swap_t swap; // of these
    bool out_of_memory;
} pass_t;

static bool push(pass_t *pass, values_t *values, LLVMValueRef value)
{
    if (!KILN_ARRAY_RESERVE(&values->items, &values->capacity, values->count + 1)) {
        pass->out_of_memory = true;
        return false;
    }
    values->items[values->count++] = value;
    return true;
}

static bool contains(const values_t *values, LLVMValueRef value)
{
    for (size_t i = 0; i < values->count; i++)
        if (values->items[i] == value)
            return true;
    return false;
}

// Loads whose lanes should be swapped ---------------------------------------------------------------

// The number of 32-bit words of a vector of them; 0 if the type is another one.
static unsigned words_of(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return 0;
    const LLVMTypeRef element = LLVMGetElementType(type);
    return LLVMGetTypeKind(element) == LLVMIntegerTypeKind &&
                   LLVMGetIntTypeWidth(element) == WORD_BITS
               ? LLVMGetVectorSize(type)
               : 0;
}

// The operand of a load that says where each lane reads, or -1.
static int place_operand(LLVMValueRef load)
{
    enum { GLOBAL = 1 };
    static const char BUFFER_LOAD[] = "llvm.amdgcn.raw.ptr.buffer.load.v";
    size_t length;
    if (LLVMIsALoadInst(load)) {
        const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(load, 0)));
        return space == GLOBAL && !LLVMGetVolatile(load) &&
                       LLVMGetOrdering(load) == LLVMAtomicOrderingNotAtomic
                   ? 0
                   : -1;
    }
    if (!LLVMIsACallInst(load) || !LLVMIsAFunction(LLVMGetCalledValue(load)))
        return -1;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(load), &length);
    return strncmp(name, BUFFER_LOAD, sizeof BUFFER_LOAD - 1) == 0 ? 1 : -1;
}

// Whether accesses with these steps use one RAM of tags at least twice. Steps that only the launch
// knows are those of rows, whose lengths are mostly multiples of 512 bytes.
static bool collides(const kiln_lane_sum_t *sum, int bit)
{
    const int64_t step = sum->step[bit];
    return sum->is_unknown[bit] || (step != 0 && step % (LINE * RAMS) == 0);
}

static bool find_swap(const pass_t *pass, LLVMValueRef load, swap_t *out)
{
    kiln_lane_sum_t sum;
    const int operand = place_operand(load);
    const int64_t bytes = WORD_BITS / 8 * (int64_t)words_of(LLVMTypeOf(load));
    *out = (swap_t){{0, 1}};
    if (operand < 0 || bytes < MIN_BYTES || bytes > MAX_BYTES ||
        !kiln_lane_sum_of(&pass->facts, LLVMGetOperand(load, (unsigned)operand), &sum))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(load); i++)
        if (i != operand && kiln_lane_differs(&pass->facts, LLVMGetOperand(load, (unsigned)i)))
            return false;
    for (int bit = 0; bit < QUAD_BITS; bit++) {
        if (!collides(&sum, bit))
            break;
        for (int from = QUAD_BITS; from < KILN_LANE_BITS && out->with[bit] == bit; from++)
            if (!sum.is_unknown[from] && sum.step[from] == bytes << bit)
                out->with[bit] = from;
        if (out->with[bit] == bit)
            break;
    }
    return out->with[0] != 0;
}

static bool same_swap(const swap_t *a, const swap_t *b)
{
    return a->with[0] == b->with[0] && a->with[1] == b->with[1];
}

static bool is_copyable(LLVMValueRef value)
{
    return LLVMIsABinaryOperator(value) || LLVMIsACastInst(value) || LLVMIsASelectInst(value) ||
           LLVMIsAICmpInst(value) || LLVMIsAGetElementPtrInst(value) || LLVMIsAFreezeInst(value);
}

// Whether the value can be computed for another lane's number. `left` counts the visits left.
static bool can_copy(const pass_t *pass, LLVMValueRef value, int *left)
{
    if (!kiln_lane_differs(&pass->facts, value) || kiln_lane_is_thread(value))
        return true;
    if ((*left)-- == 0 || !is_copyable(value))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        if (!can_copy(pass, LLVMGetOperand(value, (unsigned)i), left))
            return false;
    return true;
}

// Webs of loads and phis ----------------------------------------------------------------------------

static bool reaches(pass_t *pass, LLVMBasicBlockRef from, LLVMBasicBlockRef to,
                    kiln_pointer_map_t *visited)
{
    const LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
        const LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);
        if (next == to)
            return true;
        if (kiln_pointer_map_get(visited, next) >= 0)
            continue;
        if (!kiln_pointer_map_put(visited, next, 0)) {
            pass->out_of_memory = true;
            return false;
        }
        if (reaches(pass, next, to, visited))
            return true;
    }
    return false;
}

static bool is_in_loop(pass_t *pass, LLVMValueRef instruction)
{
    kiln_pointer_map_t visited = {0};
    const LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
    const bool in_loop = reaches(pass, block, block, &visited);
    kiln_pointer_map_free(&visited);
    return in_loop;
}

// Adds a load or a phi to the web; false if it cannot be one of it.
static bool add_to_web(pass_t *pass, web_t *web, LLVMValueRef value)
{
    swap_t swap;
    if (contains(&web->loads, value) || contains(&web->phis, value))
        return true;
    if (kiln_pointer_map_get(&pass->seen, value) >= 0)
        return false;
    if (!kiln_pointer_map_put(&pass->seen, value, 0)) {
        pass->out_of_memory = true;
        return false;
    }
    if (LLVMIsAPHINode(value))
        return push(pass, &web->phis, value);
    int left = MAX_COPIED;
    if (!find_swap(pass, value, &swap) || !same_swap(&swap, &web->swap) ||
        !can_copy(pass, LLVMGetOperand(value, (unsigned)place_operand(value)), &left))
        return false;
    web->is_in_loop |= is_in_loop(pass, value);
    return push(pass, &web->loads, value);
}

static bool add_phis_of(pass_t *pass, web_t *web, LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        if (LLVMIsAPHINode(LLVMGetUser(use)) && !add_to_web(pass, web, LLVMGetUser(use)))
            return false;
    return true;
}

// All phis that a load reaches, and all that reaches them. A constant is the same in all lanes.
static bool fill_web(pass_t *pass, web_t *web, LLVMValueRef load)
{
    if (!find_swap(pass, load, &web->swap) || !add_to_web(pass, web, load))
        return false;
    for (size_t loads = 0, phis = 0; loads < web->loads.count || phis < web->phis.count;) {
        if (loads < web->loads.count) {
            if (!add_phis_of(pass, web, web->loads.items[loads++]))
                return false;
            continue;
        }
        const LLVMValueRef phi = web->phis.items[phis++];
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
            const LLVMValueRef value = LLVMGetIncomingValue(phi, i);
            if (!LLVMIsAConstant(value) && !add_to_web(pass, web, value))
                return false;
        }
        if (!add_phis_of(pass, web, phi))
            return false;
    }
    return web->is_in_loop;
}

// Addresses of other lanes --------------------------------------------------------------------------

static LLVMValueRef number(LLVMValueRef like, uint64_t value)
{
    return LLVMConstInt(LLVMTypeOf(like), value, false);
}

// The number of the lane or thread with which this one swaps: bits change places where they differ.
static LLVMValueRef swapped(pass_t *pass, LLVMValueRef thread)
{
    LLVMBuilderRef b = pass->builder;
    LLVMValueRef result = thread;
    for (int bit = 0; bit < QUAD_BITS; bit++) {
        const int with = pass->swap.with[bit], distance = with - bit;
        if (distance == 0)
            continue;
        LLVMValueRef far = LLVMBuildLShr(b, thread, number(thread, (uint64_t)distance), "");
        LLVMValueRef differ =
            LLVMBuildAnd(b, LLVMBuildXor(b, far, thread, ""), number(thread, 1ull << bit), "");
        LLVMValueRef both = LLVMBuildMul(b, differ, number(thread, 1 + (1ull << distance)), "");
        result = LLVMBuildXor(b, result, both, "");
    }
    return result;
}

static void position_after(pass_t *pass, LLVMValueRef instruction)
{
    LLVMPositionBuilderBefore(pass->builder, LLVMGetNextInstruction(instruction));
}

// The value as the swapped lane has it.
static LLVMValueRef copied(pass_t *pass, LLVMValueRef value)
{
    if (!kiln_lane_differs(&pass->facts, value))
        return value;
    const int known = kiln_pointer_map_get(&pass->other, value);
    if (known >= 0)
        return pass->clones.items[known];
    LLVMValueRef made;
    if (kiln_lane_is_thread(value)) {
        position_after(pass, value);
        made = swapped(pass, value);
    } else {
        made = LLVMInstructionClone(value);
        for (int i = 0; i < LLVMGetNumOperands(value); i++)
            LLVMSetOperand(made, (unsigned)i, copied(pass, LLVMGetOperand(value, (unsigned)i)));
        position_after(pass, value);
        LLVMInsertIntoBuilder(pass->builder, made);
    }
    if (!push(pass, &pass->clones, made) ||
        !kiln_pointer_map_put(&pass->other, value, (int)pass->clones.count - 1))
        pass->out_of_memory = true;
    return made;
}

static void use_swap(pass_t *pass, const swap_t *swap)
{
    if (same_swap(&pass->swap, swap))
        return;
    kiln_pointer_map_free(&pass->other);
    pass->clones.count = 0;
    pass->swap = *swap;
}

// Uses of what was loaded ---------------------------------------------------------------------------

// Whether an instruction only picks parts of a value. Such ones often stand far before their uses.
static bool is_view(LLVMValueRef user, LLVMValueRef of)
{
    unsigned index;
    if (LLVMIsABitCastInst(user))
        return true;
    if (LLVMIsAExtractElementInst(user))
        return kiln_constant_index(LLVMGetOperand(user, 1),
                                   LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(user, 0))), &index);
    return LLVMIsAShuffleVectorInst(user) && LLVMGetOperand(user, 0) == of &&
           LLVMIsAUndefValue(LLVMGetOperand(user, 1));
}

// Collects the value and its views, each after what it is a view of.
static bool find_views(pass_t *pass, LLVMValueRef value, values_t *views, kiln_pointer_map_t *at)
{
    views->count = 0;
    if (!push(pass, views, value) || !kiln_pointer_map_put(at, value, 0))
        return false;
    for (size_t i = 0; i < views->count; i++) {
        const LLVMValueRef of = views->items[i];
        for (LLVMUseRef use = LLVMGetFirstUse(of); use; use = LLVMGetNextUse(use)) {
            const LLVMValueRef user = LLVMGetUser(use);
            if (kiln_pointer_map_get(at, user) >= 0 || !is_view(user, of))
                continue;
            if (!kiln_pointer_map_put(at, user, (int)views->count) || !push(pass, views, user))
                return false;
        }
    }
    return true;
}

static LLVMValueRef exchanged(pass_t *pass, LLVMValueRef value, LLVMValueRef source)
{
    static const char NAME[] = "llvm.amdgcn.ds.bpermute";
    LLVMBuilderRef b = pass->builder;
    const unsigned id = LLVMLookupIntrinsicID(NAME, sizeof NAME - 1);
    const LLVMModuleRef module =
        LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(b)));
    LLVMValueRef callee = LLVMGetIntrinsicDeclaration(module, id, NULL, 0),
                 made = LLVMGetPoison(LLVMTypeOf(value));
    for (unsigned i = 0; i < words_of(LLVMTypeOf(value)); i++) {
        LLVMValueRef index = LLVMConstInt(pass->word, i, false);
        LLVMValueRef args[2] = {source, LLVMBuildExtractElement(b, value, index, "")};
        LLVMValueRef word = LLVMBuildCall2(b, LLVMGlobalGetValueType(callee), callee, args, 2, "");
        made = LLVMBuildInsertElement(b, made, word, index, "");
    }
    return made;
}

// The uses of a value in one block, which its views after the exchange take.
typedef struct exchange {
    pass_t *pass;
    const values_t *views;
    const kiln_pointer_map_t *at;
    LLVMValueRef source, *made; // the lane's bytes to read from; made[i] is views[i] after it
} exchange_t;

static LLVMValueRef view_after(exchange_t *exchange, int at)
{
    const LLVMValueRef view = exchange->views->items[at];
    if (exchange->made[at])
        return exchange->made[at];
    if (at == 0) {
        exchange->made[0] = exchanged(exchange->pass, view, exchange->source);
    } else {
        const LLVMValueRef of = LLVMGetOperand(view, 0);
        LLVMValueRef made = LLVMInstructionClone(view);
        LLVMSetOperand(made, 0, view_after(exchange, kiln_pointer_map_get(exchange->at, of)));
        LLVMInsertIntoBuilder(exchange->pass->builder, made);
        exchange->made[at] = made;
    }
    return exchange->made[at];
}

static void replace_operand(exchange_t *exchange, LLVMValueRef user, unsigned operand)
{
    const int at = kiln_pointer_map_get(exchange->at, LLVMGetOperand(user, operand));
    if (at >= 0)
        LLVMSetOperand(user, operand, view_after(exchange, at));
}

static void position(exchange_t *exchange, LLVMValueRef before, LLVMValueRef view)
{
    LLVMPositionBuilderBefore(exchange->pass->builder, before);
    LLVMSetCurrentDebugLocation2(exchange->pass->builder, LLVMInstructionGetDebugLoc(view));
}

// Exchanges a value before the first use in a block; a phi uses it at the end of the block before.
static void exchange_in_block(exchange_t *exchange, LLVMBasicBlockRef block, const web_t *web)
{
    const LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    bool is_placed = false;
    for (size_t i = 0; i < exchange->views->count; i++)
        exchange->made[i] = NULL;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        if (LLVMIsAPHINode(i) || kiln_pointer_map_get(exchange->at, i) >= 0)
            continue;
        bool uses = false;
        const int count = LLVMGetNumOperands(i);
        for (int o = 0; o < count; o++)
            uses |= kiln_pointer_map_get(exchange->at, LLVMGetOperand(i, (unsigned)o)) >= 0;
        if (!uses)
            continue;
        if (!is_placed)
            position(exchange, i, exchange->views->items[0]);
        is_placed = true;
        for (int o = 0; o < count; o++)
            replace_operand(exchange, i, (unsigned)o);
    }
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
        for (LLVMValueRef phi = LLVMGetFirstInstruction(LLVMGetSuccessor(end, s));
             phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
            for (unsigned i = 0; i < LLVMCountIncoming(phi) && !contains(&web->phis, phi); i++) {
                if (LLVMGetIncomingBlock(phi, i) != block ||
                    kiln_pointer_map_get(exchange->at, LLVMGetIncomingValue(phi, i)) < 0)
                    continue;
                if (!is_placed)
                    position(exchange, end, exchange->views->items[0]);
                is_placed = true;
                replace_operand(exchange, phi, i);
            }
}

static void exchange_uses(pass_t *pass, LLVMValueRef value, const web_t *web, LLVMValueRef source)
{
    values_t views = {0};
    kiln_pointer_map_t at = {0};
    exchange_t exchange = {.pass = pass, .views = &views, .at = &at, .source = source};
    if (find_views(pass, value, &views, &at))
        exchange.made = calloc(views.count, sizeof(LLVMValueRef));
    pass->out_of_memory |= !exchange.made;
    const LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(value));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && exchange.made;
         b = LLVMGetNextBasicBlock(b))
        exchange_in_block(&exchange, b, web);
    for (size_t i = views.count; exchange.made && i-- > 1;)
        if (!LLVMGetFirstUse(views.items[i]))
            LLVMInstructionEraseFromParent(views.items[i]);
    free(exchange.made);
    free(views.items);
    kiln_pointer_map_free(&at);
}

// The pass ------------------------------------------------------------------------------------------

static LLVMValueRef find_thread(LLVMValueRef function)
{
    LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    while (i && !kiln_lane_is_thread(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

// The lane to read from, as ds_bpermute addresses it; computed where the thread is known.
static LLVMValueRef source_lane(pass_t *pass, LLVMValueRef thread)
{
    LLVMBuilderRef b = pass->builder;
    LLVMValueRef other = copied(pass, thread);
    position_after(pass, other);
    LLVMValueRef lane = LLVMBuildAnd(b, other, number(other, (1u << KILN_LANE_BITS) - 1), "");
    return LLVMBuildMul(b, lane, number(other, LANE_BYTES), "");
}

static void change(pass_t *pass, const web_t *web, LLVMValueRef thread)
{
    use_swap(pass, &web->swap);
    const LLVMValueRef source = source_lane(pass, thread);
    for (size_t i = 0; i < web->loads.count; i++) {
        const LLVMValueRef load = web->loads.items[i];
        const unsigned place = (unsigned)place_operand(load);
        LLVMSetOperand(load, place, copied(pass, LLVMGetOperand(load, place)));
        exchange_uses(pass, load, web, source);
    }
    for (size_t i = 0; i < web->phis.count; i++)
        exchange_uses(pass, web->phis.items[i], web, source);
}

typedef struct webs {
    web_t *items;
    size_t count, capacity;
} webs_t;

// All webs, before anything changes that the facts are about.
static void find_webs(pass_t *pass, LLVMValueRef function, webs_t *webs)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (place_operand(i) < 0 || kiln_pointer_map_get(&pass->seen, i) >= 0)
                continue;
            if (!KILN_ARRAY_RESERVE(&webs->items, &webs->capacity, webs->count + 1)) {
                pass->out_of_memory = true;
                return;
            }
            web_t *web = &webs->items[webs->count++];
            *web = (web_t){0};
            if (fill_web(pass, web, i) && !pass->out_of_memory)
                continue;
            free(web->loads.items);
            free(web->phis.items);
            webs->count--;
        }
}

// Whether it is worth to find out what differs between lanes.
static bool has_wide_loads(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (place_operand(i) >= 0 && words_of(LLVMTypeOf(i)) > 1)
                return true;
    return false;
}

static void share_lines(pass_t *pass, LLVMValueRef function)
{
    webs_t webs = {0};
    const LLVMValueRef thread = find_thread(function);
    if (!thread)
        return;
    if (!has_wide_loads(function))
        return;
    pass->out_of_memory |= !kiln_lane_facts_find(&pass->facts, function);
    if (!pass->facts.branches && !pass->out_of_memory)
        find_webs(pass, function, &webs);
    for (size_t i = 0; i < webs.count; i++) {
        if (!pass->out_of_memory)
            change(pass, &webs.items[i], thread);
        free(webs.items[i].loads.items);
        free(webs.items[i].phis.items);
    }
    free(webs.items);
    free(pass->clones.items);
    pass->clones = (values_t){0};
    pass->swap = (swap_t){{0}};
    kiln_pointer_map_free(&pass->other);
    kiln_pointer_map_free(&pass->seen);
    kiln_lane_facts_free(&pass->facts);
}

bool kiln_codegen_share_lines(LLVMModuleRef module)
{
    const LLVMContextRef context = LLVMGetModuleContext(module);
    pass_t pass = {.builder = LLVMCreateBuilderInContext(context),
                   .word = LLVMInt32TypeInContext(context)};
    for (LLVMValueRef f = kiln_first_definition(module); f; f = kiln_next_definition(f))
        if (LLVMGetFunctionCallConv(f) == KERNEL_CONVENTION)
            share_lines(&pass, f);
    LLVMDisposeBuilder(pass.builder);
    return !pass.out_of_memory;
}
