// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads an ELF code object: segments, relocations, kernel descriptors, variables, metadata. LLVM
// AMDGPU usage guide, "ELF Code Object" and "Kernel Descriptor".
//
// The file is untrusted. Time and host memory stay within a small multiple of the file's size:
// tables must lie in bytes that the file has, not in a segment's zero-filled rest, which may claim
// gigabytes; segments must not overlap; and names must not overlap so much that copying them takes
// more than the file's size times NAME_SHARING.
//
// Symbols come from .dynsym, which a stripped object keeps; DT_HASH or the section header gives the
// number of symbols. A kernel's entry is relative to its descriptor, not to the image.
#include "load/code_object.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/elf_file.h"

#define EM_AMDGPU_MACHINE 224
#define OSABI_AMDGPU_HSA 64
#define MACH_GFX942 0x4c
#define MACH_GFX9_4_GENERIC 0x5f // code for gfx942 and gfx950
#define XNACK 0x300u
#define XNACK_ANY 0x100u
#define XNACK_ON 0x300u
#define IMAGE_LIMIT (4ull << 30)
#define SEGMENT_LIMIT 64u
#define NT_AMDGPU_METADATA 32
#define NAME_SHARING 4u // limit of the copies of names, in multiples of the file's size
enum {
    R_AMDGPU_ABS32_LO = 1,
    R_AMDGPU_ABS32_HI = 2,
    R_AMDGPU_ABS64 = 3,
    R_AMDGPU_ABS32 = 6,
    R_AMDGPU_RELATIVE64 = 13
};

typedef struct loader {
    kiln_elf_t elf;
    kiln_sim_memory_t *memory;
    kiln_sim_code_object_t *object;
    kiln_sim_error_t *error;
    kiln_sim_range_t code[SEGMENT_LIMIT];   // bytes of executable segments that came from the file
    kiln_sim_range_t backed[SEGMENT_LIMIT]; // bytes of all segments that came from the file
    size_t code_count, backed_count;
    uint64_t name_bytes; // copied so far
    // dynamic table, as image offsets
    uint64_t symtab, symtab_count, strtab, strsz, rela, relasz;
} loader_t;

static bool damaged(loader_t *l, const char *what)
{
    return kiln_sim_fail(l->error, KILN_SIM_INVALID_IMAGE, "not a loadable code object: %s", what);
}

static bool image_has(const loader_t *l, uint64_t offset, uint64_t bytes)
{
    return offset <= l->object->image_size && l->object->image_size - offset >= bytes;
}

// Whether these bytes of the image came from the file, all from one segment.
static bool file_gave(const loader_t *l, uint64_t offset, uint64_t bytes)
{
    for (size_t i = 0; i < l->backed_count; i++) {
        const kiln_sim_range_t *range = &l->backed[i];
        if (offset >= range->begin && offset <= range->end && range->end - offset >= bytes)
            return true;
    }
    return false;
}

static bool check_header(loader_t *l, const uint8_t *file, size_t size)
{
    const Elf64_Ehdr *h = &l->elf.header;
    const char *wrong = kiln_elf_open(file, size, &l->elf);
    if (wrong)
        return damaged(l, wrong);
    if (h->e_machine != EM_AMDGPU_MACHINE || h->e_ident[EI_OSABI] != OSABI_AMDGPU_HSA)
        return damaged(l, "not a 64-bit AMDGPU HSA file");
    if ((h->e_flags & 0xff) != MACH_GFX942 && (h->e_flags & 0xff) != MACH_GFX9_4_GENERIC)
        return kiln_sim_fail(l->error, KILN_SIM_NO_BINARY_FOR_GPU,
                             "the code object is for processor 0x%x, expected gfx942 (0x%x) or "
                             "gfx9-4-generic (0x%x)",
                             h->e_flags & 0xff, MACH_GFX942, MACH_GFX9_4_GENERIC);
    if (h->e_type != ET_DYN)
        return damaged(l, "not linked (ELF type is not DYN)");
    l->object->xnack = (h->e_flags & XNACK) == XNACK_ANY || (h->e_flags & XNACK) == XNACK_ON;
    if (h->e_phnum == 0 || h->e_phentsize != sizeof(Elf64_Phdr))
        return damaged(l, "no program headers");
    if (h->e_phnum > SEGMENT_LIMIT)
        return damaged(l, "more than 64 program headers");
    return true;
}

static bool program_header(loader_t *l, unsigned index, Elf64_Phdr *p)
{
    return kiln_elf_segment(&l->elf, index, p) ||
           damaged(l, "program headers reach past the file's end");
}

// Computes the image's size. The ELF specification requires segments in ascending order.
static bool measure_segments(loader_t *l, uint64_t *size)
{
    uint64_t end = 0, copied = 0;
    for (unsigned i = 0; i < l->elf.header.e_phnum; i++) {
        Elf64_Phdr p;
        if (!program_header(l, i, &p))
            return false;
        if (p.p_type != PT_LOAD)
            continue;
        if (p.p_memsz > IMAGE_LIMIT || p.p_vaddr > IMAGE_LIMIT || p.p_filesz > p.p_memsz)
            return damaged(l, "a segment with an invalid size");
        if (!kiln_elf_range(&l->elf, p.p_offset, p.p_filesz))
            return damaged(l, "a segment reaches past the file's end");
        if (p.p_vaddr < end)
            return damaged(l, "segments overlap or are not in ascending order");
        copied += p.p_filesz;
        if (copied > l->elf.size)
            return damaged(l, "segments overlap in the file");
        end = p.p_vaddr + p.p_memsz;
    }
    *size = end;
    return end ? true : damaged(l, "no loadable segment");
}

static bool load_segments(loader_t *l)
{
    kiln_sim_code_object_t *object = l->object;
    if (!measure_segments(l, &object->image_size))
        return false;
    object->image =
        kiln_sim_memory_allocate(l->memory, object->image_size, KILN_SIM_MEMORY_CODE, 0, l->error);
    if (!object->image)
        return false;
    for (unsigned i = 0; i < l->elf.header.e_phnum; i++) {
        Elf64_Phdr p;
        if (!program_header(l, i, &p))
            return false;
        if (p.p_type != PT_LOAD)
            continue;
        const kiln_sim_range_t range = {p.p_vaddr, p.p_vaddr + p.p_filesz};
        memcpy(object->image + p.p_vaddr, l->elf.bytes + p.p_offset, p.p_filesz);
        l->backed[l->backed_count++] = range;
        if (p.p_flags & PF_X)
            l->code[l->code_count++] = range;
    }
    return true;
}

static bool read_dynamic(loader_t *l)
{
    for (unsigned i = 0; i < l->elf.header.e_phnum; i++) {
        Elf64_Phdr p;
        if (!kiln_elf_segment(&l->elf, i, &p) || p.p_type != PT_DYNAMIC)
            continue;
        for (uint64_t at = p.p_vaddr;
             file_gave(l, at, sizeof(Elf64_Dyn)) && at - p.p_vaddr < p.p_memsz;
             at += sizeof(Elf64_Dyn)) {
            Elf64_Dyn d;
            memcpy(&d, l->object->image + at, sizeof d);
            if (d.d_tag == DT_NULL)
                break;
            if (d.d_tag == DT_SYMTAB)
                l->symtab = d.d_un.d_ptr;
            else if (d.d_tag == DT_STRTAB)
                l->strtab = d.d_un.d_ptr;
            else if (d.d_tag == DT_STRSZ)
                l->strsz = d.d_un.d_val;
            else if (d.d_tag == DT_RELA)
                l->rela = d.d_un.d_ptr;
            else if (d.d_tag == DT_RELASZ)
                l->relasz = d.d_un.d_val;
            else if (d.d_tag == DT_HASH && file_gave(l, d.d_un.d_ptr, 8)) {
                uint32_t count;
                memcpy(&count, l->object->image + d.d_un.d_ptr + 4, sizeof count);
                l->symtab_count = count;
            }
        }
    }
    if (!l->symtab || !l->strtab || !file_gave(l, l->strtab, l->strsz))
        return damaged(l, "no usable dynamic symbol table");
    if (l->symtab_count == 0) {
        // Without DT_HASH: the string table follows the symbols in every linker's layout, but
        // section headers are reliable.
        for (unsigned i = 0; i < l->elf.header.e_shnum; i++) {
            Elf64_Shdr s;
            if (kiln_elf_section(&l->elf, i, &s) && s.sh_type == SHT_DYNSYM)
                l->symtab_count = s.sh_size / sizeof(Elf64_Sym);
        }
    }
    if (l->symtab_count > l->elf.size / sizeof(Elf64_Sym) ||
        !file_gave(l, l->symtab, l->symtab_count * sizeof(Elf64_Sym)))
        return damaged(l, "the dynamic symbol table reaches past its segment's bytes in the file");
    return true;
}

static Elf64_Sym symbol_at(const loader_t *l, uint64_t index)
{
    Elf64_Sym symbol;
    memcpy(&symbol, l->object->image + l->symtab + index * sizeof symbol, sizeof symbol);
    return symbol;
}

// NULL if the name is not a string inside the table.
static const char *symbol_name(const loader_t *l, const Elf64_Sym *symbol)
{
    if (symbol->st_name >= l->strsz)
        return NULL;
    const char *name = (const char *)l->object->image + l->strtab + symbol->st_name;
    return memchr(name, 0, (size_t)(l->strsz - symbol->st_name)) ? name : NULL;
}

static bool relocate(loader_t *l)
{
    if (l->relasz == 0)
        return true;
    if (!file_gave(l, l->rela, l->relasz))
        return damaged(l, "relocations reach past their segment's bytes in the file");
    uint64_t base = (uint64_t)(uintptr_t)l->object->image;
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= l->relasz; at += sizeof(Elf64_Rela)) {
        Elf64_Rela r;
        memcpy(&r, l->object->image + l->rela + at, sizeof r);
        uint32_t type = (uint32_t)ELF64_R_TYPE(r.r_info), index = (uint32_t)ELF64_R_SYM(r.r_info);
        unsigned width = type == R_AMDGPU_ABS64 || type == R_AMDGPU_RELATIVE64 ? 8 : 4;
        uint64_t value = base + (uint64_t)r.r_addend;
        if (type != R_AMDGPU_RELATIVE64 && index) {
            if (index >= l->symtab_count)
                return damaged(l, "a relocation names a symbol that does not exist");
            Elf64_Sym symbol = symbol_at(l, index);
            if (symbol.st_shndx == SHN_UNDEF) {
                const char *name = symbol_name(l, &symbol);
                return kiln_sim_fail(l->error, KILN_SIM_NOT_FOUND,
                                     "the code object needs the symbol '%s', which is undefined",
                                     name ? name : "?");
            }
            value += symbol.st_value;
        }
        if (type == R_AMDGPU_ABS32_HI)
            value >>= 32;
        else if (type != R_AMDGPU_ABS64 && type != R_AMDGPU_RELATIVE64 &&
                 type != R_AMDGPU_ABS32_LO && type != R_AMDGPU_ABS32)
            return kiln_sim_fail(l->error, KILN_SIM_INVALID_IMAGE,
                                 "relocation type %u at 0x%" PRIx64 " is not supported", type,
                                 (uint64_t)r.r_offset);
        if (!file_gave(l, r.r_offset, width))
            return damaged(l, "a relocation is outside the segments' bytes in the file");
        memcpy(l->object->image + r.r_offset, &value, width);
    }
    return true;
}

static bool add_kernel(loader_t *l, const char *name, size_t length, uint64_t descriptor)
{
    kiln_sim_code_object_t *object = l->object;
    if (!file_gave(l, descriptor, 64))
        return damaged(l, "a kernel descriptor is outside the segments' bytes in the file");
    if (!KILN_ARRAY_RESERVE(&object->kernels, &object->kernel_capacity, object->kernel_count + 1))
        return kiln_sim_fail(l->error, KILN_SIM_OUT_OF_MEMORY, "out of host memory");
    kiln_sim_kernel_t *kernel = &object->kernels[object->kernel_count];
    *kernel = (kiln_sim_kernel_t){.object = object, .max_workgroup = KILN_GFX942_WORKGROUP_ITEMS};
    kernel->name = strndup(name, length);
    if (!kernel->name)
        return kiln_sim_fail(l->error, KILN_SIM_OUT_OF_MEMORY, "out of host memory");
    object->kernel_count++;
    const uint8_t *d = object->image + descriptor;
    int64_t entry;
    memcpy(&kernel->lds_bytes, d, 4);
    memcpy(&kernel->scratch_bytes, d + 4, 4);
    memcpy(&kernel->kernarg_bytes, d + 8, 4);
    memcpy(&entry, d + 16, 8);
    memcpy(&kernel->rsrc3, d + 44, 4);
    memcpy(&kernel->rsrc1, d + 48, 4);
    memcpy(&kernel->rsrc2, d + 52, 4);
    memcpy(&kernel->properties, d + 56, 2);
    memcpy(&kernel->preload, d + 58, 2);
    kernel->entry = descriptor + (uint64_t)entry;
    return true;
}

static int compare_names(const void *a, const void *b)
{
    const kiln_sim_kernel_t *left = a, *right = b;
    return strcmp(left->name, right->name);
}

static bool read_symbols(loader_t *l)
{
    kiln_sim_code_object_t *object = l->object;
    for (uint64_t i = 0; i < l->symtab_count; i++) {
        Elf64_Sym symbol = symbol_at(l, i);
        const char *name = symbol_name(l, &symbol);
        if (!name || symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT)
            continue;
        size_t length = strlen(name);
        l->name_bytes += length + 1;
        if (l->name_bytes / NAME_SHARING > l->elf.size)
            return damaged(l, "its symbols' names overlap");
        if (length > 3 && strcmp(name + length - 3, ".kd") == 0 && symbol.st_size == 64) {
            if (!add_kernel(l, name, length - 3, symbol.st_value))
                return false;
            continue;
        }
        if (!image_has(l, symbol.st_value, symbol.st_size))
            return damaged(l, "a variable is outside the image");
        if (!KILN_ARRAY_RESERVE(&object->variables, &object->variable_capacity,
                                object->variable_count + 1))
            return kiln_sim_fail(l->error, KILN_SIM_OUT_OF_MEMORY, "out of host memory");
        kiln_sim_symbol_t *variable = &object->variables[object->variable_count];
        *variable = (kiln_sim_symbol_t){strdup(name), symbol.st_value, symbol.st_size};
        if (!variable->name)
            return kiln_sim_fail(l->error, KILN_SIM_OUT_OF_MEMORY, "out of host memory");
        object->variable_count++;
    }
    if (object->kernel_count)
        qsort(object->kernels, object->kernel_count, sizeof *object->kernels, compare_names);
    return true;
}

kiln_sim_kernel_t *kiln_sim_code_object_kernel(const kiln_sim_code_object_t *object,
                                               const char *name, size_t length)
{
    size_t low = 0, high = object->kernel_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        kiln_sim_kernel_t *kernel = &object->kernels[middle];
        int order = strncmp(kernel->name, name, length);
        if (order == 0 && kernel->name[length] == 0)
            return kernel;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static bool read_notes(loader_t *l)
{
    for (unsigned i = 0; i < l->elf.header.e_phnum; i++) {
        Elf64_Phdr p;
        if (!kiln_elf_segment(&l->elf, i, &p) || p.p_type != PT_NOTE)
            continue;
        kiln_elf_notes_t notes = kiln_elf_notes(&l->elf, p.p_offset, p.p_filesz);
        kiln_elf_note_t note;
        while (kiln_elf_next_note(&notes, &note))
            if (kiln_elf_note_is(&note, "AMDGPU", NT_AMDGPU_METADATA) &&
                !kiln_sim_metadata_parse(note.data, note.size, l->object, l->error))
                return false;
        if (notes.damaged)
            return damaged(l, "a note reaches past its segment or the file's end");
    }
    return true;
}

kiln_sim_code_object_t *kiln_sim_code_object_load(kiln_sim_memory_t *memory, const uint8_t *file,
                                                  size_t size, const kiln_sim_variant_t *variant,
                                                  kiln_sim_error_t *error)
{
    kiln_sim_code_object_t *object = calloc(1, sizeof *object);
    if (!object) {
        kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory");
        return NULL;
    }
    loader_t l = {.memory = memory, .object = object, .error = error};
    bool good = check_header(&l, file, size) && load_segments(&l) && read_dynamic(&l) &&
                relocate(&l) && read_symbols(&l) && read_notes(&l);
    if (good)
        object->program =
            kiln_sim_program_create(object->image, l.code, l.code_count, variant, error);
    if (good && (object->file = malloc(size))) {
        memcpy(object->file, file, size);
        object->file_size = size;
    }
    if (!object->program) {
        kiln_sim_code_object_unload(memory, object);
        return NULL;
    }
    return object;
}

void kiln_sim_code_object_unload(kiln_sim_memory_t *memory, kiln_sim_code_object_t *object)
{
    if (!object)
        return;
    kiln_sim_program_destroy(object->program);
    if (object->image)
        kiln_sim_memory_free(memory, object->image, NULL);
    for (size_t i = 0; i < object->kernel_count; i++) {
        free(object->kernels[i].name);
        free(object->kernels[i].args);
    }
    for (size_t i = 0; i < object->variable_count; i++)
        free(object->variables[i].name);
    for (size_t i = 0; i < object->format_count; i++)
        free(object->formats[i]);
    free(object->formats);
    free(object->kernels);
    free(object->variables);
    free(object->file);
    free(object);
}

const char *kiln_sim_object_section(const kiln_sim_code_object_t *object, const char *name,
                                    size_t *out_size)
{
    kiln_elf_t elf;
    return object->file && !kiln_elf_open(object->file, object->file_size, &elf)
               ? kiln_elf_contents(&elf, name, out_size)
               : NULL;
}

uint8_t *kiln_sim_object_image(const kiln_sim_code_object_t *object)
{
    return object->image;
}

kiln_sim_kernel_t *kiln_sim_object_kernels(const kiln_sim_code_object_t *object, size_t *out_count)
{
    *out_count = object->kernel_count;
    return object->kernels;
}

const kiln_sim_symbol_t *kiln_sim_object_variables(const kiln_sim_code_object_t *object,
                                                   size_t *out_count)
{
    *out_count = object->variable_count;
    return object->variables;
}

unsigned kiln_sim_kernel_arch_vgprs(const kiln_sim_kernel_t *kernel)
{
    return ((kernel->rsrc3 & 63) + 1) * KILN_GFX942_ACCUM_OFFSET_GRANULE;
}

unsigned kiln_sim_kernel_total_vgprs(const kiln_sim_kernel_t *kernel)
{
    return ((kernel->rsrc1 & 63) + 1) * KILN_GFX942_VGPR_GRANULE;
}

unsigned kiln_sim_kernel_max_items(const kiln_sim_kernel_t *kernel)
{
    return kernel->max_workgroup < KILN_GFX942_WORKGROUP_ITEMS ? kernel->max_workgroup
                                                               : KILN_GFX942_WORKGROUP_ITEMS;
}

unsigned kiln_sim_kernel_dynamic_lds(const kiln_sim_kernel_t *kernel, uint32_t all)
{
    return kernel->lds_bytes < all ? all - kernel->lds_bytes : 0;
}
