// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembles gfx942 instructions at run time with LLVM's integrated assembler, so that tables of
// cases contain readable text instead of encodings.
#ifndef KILN_TEST_SIM_ASSEMBLE_H
#define KILN_TEST_SIM_ASSEMBLE_H

#include <elf.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void sim_assemble_fail(const char *what)
{
    fprintf(stderr, "sim_assemble: %s\n", what);
    exit(1);
}

// The bytes of .text of a 64-bit ELF file; LLVM pads them with s_nop at the end.
static inline void *sim_assemble_text_of(const uint8_t *file, size_t *bytes)
{
    Elf64_Ehdr header;
    memcpy(&header, file, sizeof header);
    Elf64_Shdr names, section;
    memcpy(&names, file + header.e_shoff + (size_t)header.e_shstrndx * sizeof names, sizeof names);
    for (size_t i = 0; i < header.e_shnum; i++) {
        memcpy(&section, file + header.e_shoff + i * sizeof section, sizeof section);
        if (strcmp((const char *)file + names.sh_offset + section.sh_name, ".text") != 0)
            continue;
        void *text = malloc(section.sh_size);
        if (text)
            memcpy(text, file + section.sh_offset, section.sh_size);
        *bytes = section.sh_size;
        return text;
    }
    return NULL;
}

// Machine code of a source text, lines ending in '\n'. The caller frees it. If LLVM rejects a line,
// it prints the reason, and the program ends.
static inline void *sim_assemble(const char *source, size_t *bytes)
{
    static const char triple[] = "amdgcn-amd-amdhsa";
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("cases", context);
    LLVMSetTarget(module, triple);
    LLVMSetModuleInlineAsm2(module, source, strlen(source));
    LLVMTargetRef target;
    LLVMMemoryBufferRef object;
    char *error = NULL;
    if (LLVMGetTargetFromTriple(triple, &target, &error))
        sim_assemble_fail(error);
    LLVMTargetMachineRef machine = LLVMCreateTargetMachine(
        target, triple, "gfx942", "", LLVMCodeGenLevelNone, LLVMRelocPIC, LLVMCodeModelDefault);
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &error, &object))
        sim_assemble_fail(error);
    void *text = sim_assemble_text_of((const uint8_t *)LLVMGetBufferStart(object), bytes);
    if (!text)
        sim_assemble_fail("no code in the object");
    LLVMDisposeMemoryBuffer(object);
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return text;
}

#endif
