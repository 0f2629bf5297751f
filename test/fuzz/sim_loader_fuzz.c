// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds arbitrary bytes to the simulator's loader: ELF, relocations, kernel descriptors, metadata,
// clang's offload bundles, and the module calls that use them. Whatever loads is launched. Inputs
// must be rejected with a reason or run, without a crash, a hang or a leak.
//
// Most random changes only break the ELF header, so half of the mutations change one field of a
// table that the file's headers point to.
//
// hipModuleLoadData takes no size. The copy that it receives ends at an unreadable page, so that
// over-reads are detected (the simulator's reads go through the kernel) and nothing depends on the
// heap.
#include <elf.h>

#include "decode/decode.h"
#include "sim_fuzz.h"

#define ROOM (1u << 20)

static uint8_t *window; // ROOM bytes, followed by an unreadable page

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    sim_fuzz_environment();
    window = mmap(NULL, ROOM + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (window == MAP_FAILED || mprotect(window + ROOM, 4096, PROT_NONE))
        abort();
    return 0;
}

static void use(hipModule_t module)
{
    const kiln_sim_code_object_t *object = module->object;
    for (size_t i = 0; i < object->variable_count && i < 64; i++) {
        hipDeviceptr_t at;
        size_t bytes;
        if (!object->variables[i].name[0]) // HIP refuses names without a character
            continue;
        if (hipModuleGetGlobal(&at, &bytes, module, object->variables[i].name))
            abort();
        if (!at && !bytes) // a managed variable without bytes
            continue;
        uint64_t begin = (uint64_t)(uintptr_t)at, image = (uint64_t)(uintptr_t)object->image;
        // Managed variables have their own allocations.
        const kiln_sim_allocation_t *own = kiln_sim_memory_find(kiln_sim_device()->memory, begin);
        const bool is_managed = own && own->kind == KILN_SIM_MEMORY_MANAGED;
        if (is_managed ? own->size - (begin - own->base) < bytes
                       : begin < image || begin + bytes > image + object->image_size)
            abort();
    }
    for (size_t i = 0; i < object->kernel_count && i < 8; i++) {
        hipFunction_t function;
        int value;
        if (hipModuleGetFunction(&function, module, object->kernels[i].name))
            abort();
        for (int attribute = 0; attribute < 10; attribute++)
            hipFuncGetAttribute(&value, attribute, function);
        hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 256, 1024);
    }
    sim_fuzz_launch(module, 2, 128, 4096);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > ROOM)
        return 0;
    sim_fuzz_begin();
    // Copy to a block of exactly this size, so that the sanitizer detects accesses beyond it.
    uint8_t *exact = malloc(size);
    kiln_sim_error_t error = {0};
    memcpy(exact, data, size);
    kiln_sim_device_t *device = kiln_sim_device();
    kiln_sim_code_object_t *object =
        kiln_sim_code_object_load(device->memory, exact, size, kiln_sim_variant_find(""), &error);
    if (!object && !error.text[0])
        abort();
    kiln_sim_code_object_unload(device->memory, object);
    free(exact);

    hipModule_t module;
    memcpy(window + ROOM - size, data, size);
    hipError_t result = hipModuleLoadData(&module, window + ROOM - size);
    sim_fuzz_explained(result);
    if (result == 0) {
        use(module);
        if (hipModuleUnload(module))
            abort();
    }
    // After a run, only the kernels' buffer and memory that the machine reuses between launches
    // remain.
    size_t left = 0;
    for (size_t i = 0; i < device->memory->count; i++)
        left += device->memory->table[i]->kind != KILN_SIM_MEMORY_SYSTEM;
    if (left > 1)
        abort();
    return 0;
}

// ---- mutation

// The location of a table in the file.
typedef struct place {
    uint64_t offset, bytes;
} place_t;

static uint64_t file_offset(const uint8_t *data, const Elf64_Ehdr *h, uint64_t address)
{
    for (unsigned i = 0; i < h->e_phnum; i++) {
        Elf64_Phdr p;
        memcpy(&p, data + h->e_phoff + i * sizeof p, sizeof p);
        if (p.p_type == PT_LOAD && address - p.p_vaddr < p.p_filesz)
            return p.p_offset + (address - p.p_vaddr);
    }
    return UINT64_MAX;
}

// Lists the tables of a well-formed file; 0 for others.
static unsigned tables(const uint8_t *data, size_t size, place_t list[16])
{
    Elf64_Ehdr h;
    unsigned count = 0;
    if (size < sizeof h)
        return 0;
    memcpy(&h, data, sizeof h);
    if (h.e_phnum == 0 || h.e_phnum > 32 || h.e_phoff > size ||
        size - h.e_phoff < h.e_phnum * sizeof(Elf64_Phdr))
        return 0;
    list[count++] = (place_t){16, sizeof h - 16};
    list[count++] = (place_t){h.e_phoff, h.e_phnum * sizeof(Elf64_Phdr)};
    for (unsigned i = 0; i < h.e_phnum && count < 8; i++) {
        Elf64_Phdr p;
        memcpy(&p, data + h.e_phoff + i * sizeof p, sizeof p);
        if (p.p_offset > size || size - p.p_offset < p.p_filesz)
            continue;
        if (p.p_type == PT_NOTE || p.p_type == PT_DYNAMIC || p.p_type == PT_LOAD)
            list[count++] = (place_t){p.p_offset, p.p_filesz};
        for (uint64_t at = 0; p.p_type == PT_DYNAMIC && at + 16 <= p.p_filesz && count < 12;
             at += 16) {
            uint64_t entry[2];
            memcpy(entry, data + p.p_offset + at, sizeof entry);
            if (entry[0] == DT_SYMTAB || entry[0] == DT_RELA || entry[0] == DT_HASH ||
                entry[0] == DT_STRTAB)
                list[count++] =
                    (place_t){file_offset(data, &h, entry[1]), entry[0] == DT_RELA ? 96 : 192};
        }
    }
    return count;
}

static size_t change_field(uint8_t *data, size_t size, unsigned seed)
{
    static const uint64_t values[] = {0,          1,          4,          0xff,
                                      0xffff,     0x7fffffff, 0x80000000, 0xffffffff,
                                      1ull << 32, 1ull << 33, INT64_MAX,  UINT64_MAX};
    uint64_t random = seed;
    place_t list[16];
    unsigned count = tables(data, size, list);
    for (unsigned tries = 0; count && tries < 8; tries++) {
        place_t place = list[sim_fuzz_random(&random) % count];
        if (place.offset > size || size - place.offset < 8 || place.bytes < 8)
            continue;
        uint64_t room = size - place.offset < place.bytes ? size - place.offset : place.bytes;
        unsigned width = 1u << sim_fuzz_random(&random) % 4;
        uint64_t at = place.offset + (sim_fuzz_random(&random) % (room - 7)) / width * width,
                 value = 0;
        memcpy(&value, data + at, width);
        switch (sim_fuzz_random(&random) % 4) {
        case 0:
            value = values[sim_fuzz_random(&random) % (sizeof values / sizeof values[0])];
            break;
        case 1:
            value += sim_fuzz_random(&random) % 65;
            value -= 32;
            break;
        case 2:
            value ^= 1ull << sim_fuzz_random(&random) % (8 * width);
            break;
        default: // another field's value
            memcpy(&value, data + sim_fuzz_random(&random) % (size - 7), width);
        }
        memcpy(data + at, &value, width);
        return size;
    }
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    size_t changed = seed % 2 ? change_field(data, size, seed / 2) : 0;
    return changed ? changed : LLVMFuzzerMutate(data, size, max_size);
}
