// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The smallest file that loaders accept as a code object of gfx942, an ELF header and the symbol of
// one kernel's descriptor, and a manifest for it. No device can run it.
#ifndef TEST_SMALL_CODE_OBJECT_H
#define TEST_SMALL_CODE_OBJECT_H

#include <elf.h>
#include <stddef.h>
#include <string.h>

typedef struct small_code_object {
    Elf64_Ehdr header;
    Elf64_Shdr sections[3];
    Elf64_Sym symbols[2];
    char names[16];
} small_code_object_t;

static inline small_code_object_t small_code_object(void)
{
    small_code_object_t code = {
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
                               EV_CURRENT},
                   .e_type = ET_DYN,
                   .e_machine = 0xe0, // AMD GPUs
                   .e_version = EV_CURRENT,
                   .e_flags = 0x4c, // gfx942
                   .e_ehsize = sizeof code.header,
                   .e_shoff = offsetof(small_code_object_t, sections),
                   .e_shentsize = sizeof *code.sections,
                   .e_shnum = 3},
        .sections = {[1] = {.sh_type = SHT_SYMTAB,
                            .sh_offset = offsetof(small_code_object_t, symbols),
                            .sh_size = sizeof code.symbols,
                            .sh_entsize = sizeof *code.symbols,
                            .sh_link = 2},
                     [2] = {.sh_type = SHT_STRTAB,
                            .sh_offset = offsetof(small_code_object_t, names),
                            .sh_size = sizeof code.names}},
        .symbols = {[1] = {.st_name = 1, .st_shndx = SHN_ABS}},
        .names = "\0scale3.kd",
    };
    return code;
}

// A manifest with every member that one can have, for scale(x, n, by), whose symbol contains the
// number of arguments for the fake HIP library.
static const char small_manifest[] =
    "{\"schema\": 1, \"name\": \"scale\", \"kernel\": \"scale3\", \"arch\": \"gfx942\", \"block\": "
    "[256, 1, 1],\n"
    " \"block_size\": 256, \"grid\": [\"cdiv(n, BLOCK)\", \"max(n, 3) % 7\", \"-(2 - 5) * 2 / "
    "1\"],\n"
    " \"arguments\": [{\"name\": \"x\", \"type\": \"*f16\", \"offset\": 0, \"size\": 8, \"const\": "
    "true,\n"
    "   \"divisibility\": 16, \"pointer_range\": 32},\n"
    "  {\"name\": \"n\", \"type\": \"i32\", \"offset\": 8, \"size\": 4, \"divisibility\": 16, "
    "\"range\": [1, 4096]},\n"
    "  {\"name\": \"by\", \"type\": \"f32\", \"offset\": 12, \"size\": 4}],\n"
    " \"hidden_arguments\": [{\"kind\": \"hidden_none\", \"offset\": 16, \"size\": 8}],\n"
    " \"kernarg\": {\"size\": 24, \"align\": 8}, \"dynamic_lds_bytes\": 0, \"workspace_bytes\": "
    "0,\n"
    " \"constants\": [{\"name\": \"BLOCK\", \"type\": \"i32\", \"value\": \"64\"},\n"
    "  {\"name\": \"ON\", \"type\": \"bool\", \"value\": \"true\"},\n"
    "  {\"name\": \"T\", \"type\": \"type\", \"value\": \"f16\"}],\n"
    " \"build_id\": \"0\", \"source\": {\"hash\": \"0\", \"stage\": \"tile\"},\n"
    " \"resources\": {\"vgprs\": 1, \"agprs\": 0, \"sgprs\": 16, \"vgpr_spills\": 0, "
    "\"sgpr_spills\": 0,\n"
    "  \"lds_bytes\": 0, \"scratch_bytes_per_lane\": 0, \"occupancy\": 8},\n"
    " \"options\": {}, \"versions\": {\"kiln\": \"0\", \"llvm\": \"0\"}}\n";

#endif
