// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Disassembles with LLVM and finds loops.
//
// Note that the disassembler shows a branch's distance in words from the next instruction, as an
// unsigned 16-bit number.
#include "isa.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#include "base/array.h"
#include "base/string.h"

static const struct {
    kiln_isa_class_t class;
    const char *prefix, *what;
} CLASSES[] = {
#define KILN_ISA_CLASS(id, prefix, what) {KILN_ISA_##id, prefix, what},
#include "isa_classes.def"
#undef KILN_ISA_CLASS
};
enum { CLASS_ROWS = sizeof CLASSES / sizeof *CLASSES };

const char *kiln_isa_class_name(kiln_isa_class_t class)
{
    for (int i = 0; i < CLASS_ROWS; i++)
        if (CLASSES[i].class == class)
            return CLASSES[i].what;
    return "?";
}

kiln_isa_class_t kiln_isa_classify(const char *mnemonic)
{
    for (int i = 0; i < CLASS_ROWS; i++)
        if (kiln_string_starts_with(mnemonic, CLASSES[i].prefix))
            return CLASSES[i].class;
    return KILN_ISA_OTHER;
}

static void initialize_disassembler(void)
{
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
}

static uint64_t branch_target(const kiln_isa_instruction_t *instruction)
{
    const char *blank = strrchr(instruction->text, ' ');
    if (instruction->class != KILN_ISA_BRANCH || !blank)
        return UINT64_MAX;
    char *end;
    long words = strtol(blank + 1, &end, 0);
    if (*end || words < 0 || words > UINT16_MAX)
        return UINT64_MAX;
    return (uint64_t)((int64_t)instruction->offset + instruction->size +
                      4 * (int64_t)(int16_t)words);
}

static kiln_status_t append(kiln_isa_t *isa, size_t *capacity,
                            const kiln_isa_instruction_t *instruction)
{
    if (!KILN_ARRAY_RESERVE(&isa->instructions, capacity, isa->count + 1))
        return kiln_status_out_of_memory();
    isa->instructions[isa->count++] = *instruction;
    return instruction->text ? KILN_OK : kiln_status_out_of_memory();
}

static kiln_status_t disassemble(LLVMDisasmContextRef context, const unsigned char *code,
                                 size_t size, kiln_isa_t *isa)
{
    char text[512];
    size_t capacity = 0;
    for (size_t at = 0; at < size;) {
        size_t length = LLVMDisasmInstruction(context, (uint8_t *)(uintptr_t)(code + at), size - at,
                                              at, text, sizeof text);
        if (!length)
            return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                    "no gfx942 instruction at offset 0x%zx", at);
        kiln_isa_instruction_t instruction = {.offset = (uint32_t)at,
                                              .size = (uint32_t)length,
                                              .text = strdup(text + strspn(text, " \t"))};
        instruction.class = instruction.text ? kiln_isa_classify(instruction.text) : KILN_ISA_OTHER;
        instruction.target = instruction.text ? branch_target(&instruction) : UINT64_MAX;
        KILN_TRY(append(isa, &capacity, &instruction));
        at += length;
    }
    return KILN_OK;
}

static int by_place(const void *a, const void *b)
{
    const kiln_isa_loop_t *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->last > y->last ? -1 : x->last < y->last;
}

static size_t index_of(const kiln_isa_t *isa, uint64_t offset)
{
    size_t low = 0, high = isa->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (isa->instructions[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool ends_path(const char *text)
{
    return kiln_string_starts_with(text, "s_endpgm") || kiln_string_starts_with(text, "s_setpc") ||
           kiln_string_starts_with(text, "s_branch ");
}

// Whether control can flow from instruction `from` to `to`; a backward branch closes a loop only if
// it can be reached again from its target. `pending` and `seen` hold isa->count.
static bool reaches(const kiln_isa_t *isa, size_t from, size_t to, size_t *pending, bool *seen)
{
    size_t count = 0;
    memset(seen, 0, isa->count * sizeof *seen);
    pending[count++] = from;
    while (count) {
        for (size_t i = pending[--count]; i < isa->count && !seen[i]; i++) {
            seen[i] = true;
            if (i == to)
                return true;
            const kiln_isa_instruction_t *inst = &isa->instructions[i];
            size_t target = inst->target == UINT64_MAX ? isa->count : index_of(isa, inst->target);
            if (target < isa->count && !seen[target] && count < isa->count)
                pending[count++] = target;
            if (ends_path(inst->text))
                break;
        }
    }
    return false;
}

static kiln_status_t find_loops_in(kiln_isa_t *isa, size_t *pending, bool *seen)
{
    size_t capacity = 0;
    for (size_t i = 0; i < isa->count; i++) {
        uint64_t target = isa->instructions[i].target;
        if (target > isa->instructions[i].offset)
            continue;
        size_t first = index_of(isa, target);
        if (!reaches(isa, first, i, pending, seen))
            continue;
        if (!KILN_ARRAY_RESERVE(&isa->loops, &capacity, isa->loop_count + 1))
            return kiln_status_out_of_memory();
        size_t known = 0; // backward branches to the same target form one loop
        while (known < isa->loop_count && isa->loops[known].first != first)
            known++;
        isa->loops[known] = (kiln_isa_loop_t){first, i};
        isa->loop_count += known == isa->loop_count;
    }
    if (isa->loop_count)
        qsort(isa->loops, isa->loop_count, sizeof *isa->loops, by_place);
    return KILN_OK;
}

static kiln_status_t find_loops(kiln_isa_t *isa)
{
    size_t *pending = calloc(isa->count + 1, sizeof *pending);
    bool *seen = calloc(isa->count + 1, sizeof *seen);
    kiln_status_t status =
        pending && seen ? find_loops_in(isa, pending, seen) : kiln_status_out_of_memory();
    free(pending);
    free(seen);
    return status;
}

kiln_status_t kiln_isa_read(const unsigned char *code, size_t size, kiln_isa_t *out_isa)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    *out_isa = (kiln_isa_t){0};
    pthread_once(&once, initialize_disassembler);
    LLVMDisasmContextRef context =
        LLVMCreateDisasmCPU("amdgcn-amd-amdhsa", "gfx942", NULL, 0, NULL, NULL);
    if (!context)
        return kiln_status_make(KILN_STATUS_INTERNAL,
                                "LLVM cannot create a disassembler for gfx942");
    kiln_status_t status = disassemble(context, code, size, out_isa);
    LLVMDisasmDispose(context);
    return status ? status : find_loops(out_isa);
}

void kiln_isa_free(kiln_isa_t *isa)
{
    for (size_t i = 0; i < isa->count; i++)
        free(isa->instructions[i].text);
    free(isa->instructions);
    free(isa->loops);
    *isa = (kiln_isa_t){0};
}
