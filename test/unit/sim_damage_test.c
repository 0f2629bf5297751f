// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code objects are untrusted: damaged ones must be rejected or fail with a clear error, and never
// crash, hang, access other memory or allocate much of it. First single wrong fields, with the
// expected message; then random damage from a fixed seed (KILN_TEST_ROUNDS sets the number of
// rounds). test/fuzz/sim_*_fuzz.c look for further cases; their finds are in test/fuzz/regress and
// replayed here.
#include <dirent.h>
#include <elf.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decode/decode.h"
#include "decode/mc.h"
#include "hip_sim/entry.h"
#include "load/code_object.h"

static uint64_t seed = 88172645463325252ull;

static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static uint8_t *read_object(size_t *size)
{
    FILE *file = fopen(KILN_BINARY_DIR "/test/sim_kernels/launch.hsaco", "rb");
    const char *other = getenv("KILN_TEST_OBJECT");
    if (other) {
        if (file)
            fclose(file);
        file = fopen(other, "rb");
    }
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

// Damages the file's first kilobytes most often: they hold headers, symbols, notes and kernel
// descriptors.
static void damage(uint8_t *bytes, size_t size)
{
    unsigned changes = 1 + (unsigned)(next_random() % 6);
    for (unsigned i = 0; i < changes; i++) {
        size_t range = next_random() % 2 ? size : size < 4096 ? size : 4096;
        size_t at = (size_t)(next_random() % range);
        switch (next_random() % 4) {
        case 0:
            bytes[at] ^= (uint8_t)(1u << (next_random() % 8));
            break;
        case 1:
            bytes[at] = 0xff;
            break;
        case 2:
            bytes[at] = 0;
            break;
        default:
            bytes[at] = (uint8_t)next_random();
            break;
        }
    }
}

static unsigned launch_everything(hipModule_t module, void *buffer)
{
    unsigned launched = 0;
    uint64_t arguments[9];
    for (size_t i = 0; i < 9; i++)
        arguments[i] = i < 4 ? (uint64_t)(uintptr_t)buffer : 64;
    size_t size = sizeof arguments;
    void *extra[] = {(void *)1, arguments, (void *)2, &size, (void *)3};
    for (size_t k = 0; k < module->object->kernel_count && k < 24; k++) {
        hipFunction_t function = &module->object->kernels[k];
        if (hipModuleLaunchKernel(function, 2, 1, 1, 128, 1, 1, 4096, NULL, NULL, extra) == 0)
            launched++;
        else
            assert_true(kilnSimGetLastErrorMessage()[0] != 0);
    }
    return launched;
}

static void damaged_objects_fail_politely(void **state)
{
    (void)state;
    const char *rounds_text = getenv("KILN_TEST_ROUNDS");
    unsigned rounds = rounds_text ? (unsigned)atoi(rounds_text) : 400, loaded = 0, launched = 0;
    size_t size;
    uint8_t *good = read_object(&size), *bad = malloc(size);
    void *buffer;
    assert_non_null(bad);
    assert_int_equal(hipMalloc(&buffer, 1 << 16), 0);
    for (unsigned round = 0; round < rounds; round++) {
        hipModule_t module;
        memcpy(bad, good, size);
        damage(bad, size);
        if (hipModuleLoadData(&module, bad) != 0)
            continue;
        loaded++;
        launched += launch_everything(module, buffer);
        assert_int_equal(hipModuleUnload(module), 0);
    }
    print_message("%u rounds: %u loaded, %u launches succeeded\n", rounds, loaded, launched);
    assert_true(loaded > rounds / 10 && loaded < rounds);
    free(bad);
    free(good);
    hipFree(buffer);
}

// ---- one wrong field at a time

typedef struct view {
    uint8_t *bytes;
    size_t size;
} view_t;

// The nth program header of a type.
static Elf64_Phdr *segment(view_t v, uint32_t type, unsigned nth)
{
    Elf64_Ehdr *h = (Elf64_Ehdr *)v.bytes;
    Elf64_Phdr *p = (Elf64_Phdr *)(v.bytes + h->e_phoff);
    for (unsigned i = 0; i < h->e_phnum; i++) {
        if (p[i].p_type == type && nth-- == 0)
            return &p[i];
    }
    fail_msg("the object has no such segment");
    return NULL;
}

static Elf64_Dyn *dynamic(view_t v, int64_t tag)
{
    Elf64_Dyn *d = (Elf64_Dyn *)(v.bytes + segment(v, PT_DYNAMIC, 0)->p_offset);
    while (d->d_tag != tag) {
        assert_int_not_equal(d->d_tag, DT_NULL);
        d++;
    }
    return d;
}

// The first segment's offsets are its addresses, and it holds all tables.
static Elf64_Rela *relocation(view_t v)
{
    return (Elf64_Rela *)(v.bytes + dynamic(v, DT_RELA)->d_un.d_ptr);
}

static uint8_t *descriptor(view_t v, const char *kernel)
{
    const Elf64_Sym *symbols = (const Elf64_Sym *)(v.bytes + dynamic(v, DT_SYMTAB)->d_un.d_ptr);
    const char *names = (const char *)v.bytes + dynamic(v, DT_STRTAB)->d_un.d_ptr;
    char wanted[64];
    snprintf(wanted, sizeof wanted, "%s.kd", kernel);
    for (unsigned i = 1;; i++) {
        if (strcmp(names + symbols[i].st_name, wanted) == 0)
            return v.bytes + symbols[i].st_value;
    }
}

static uint8_t *metadata(view_t v)
{
    Elf64_Phdr *p = segment(v, PT_NOTE, 0);
    return v.bytes + p->p_offset + sizeof(Elf64_Nhdr) + 8;
}

static void put32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static void claim_segment_of_terabytes(view_t v)
{
    segment(v, PT_LOAD, 3)->p_memsz = 1ull << 40;
}

static void claim_overlapping_segments(view_t v)
{
    segment(v, PT_LOAD, 2)->p_vaddr = segment(v, PT_LOAD, 1)->p_vaddr + 4;
}

static void claim_file_twice(view_t v)
{
    Elf64_Phdr *last = segment(v, PT_LOAD, 3);
    last->p_offset = 0;
    last->p_filesz = last->p_memsz = v.size;
}

static void claim_many_segments(view_t v)
{
    ((Elf64_Ehdr *)v.bytes)->e_phnum = 200;
}

static void claim_many_symbols(view_t v)
{
    put32(v.bytes + dynamic(v, DT_HASH)->d_un.d_ptr + 4, UINT32_MAX);
}

static void claim_symbols_in_zeroes(view_t v)
{
    Elf64_Phdr *last = segment(v, PT_LOAD, 3);
    last->p_memsz = 1ull << 32;
    dynamic(v, DT_SYMTAB)->d_un.d_ptr = last->p_vaddr + 4096;
}

static void claim_many_relocations(view_t v)
{
    dynamic(v, DT_RELASZ)->d_un.d_val = UINT64_MAX;
}

static void relocate_zeroes(view_t v)
{
    Elf64_Phdr *last = segment(v, PT_LOAD, 3);
    last->p_memsz = 1ull << 32;
    relocation(v)->r_offset = last->p_vaddr + (1u << 31);
}

static void relocate_by_unknown_type(view_t v)
{
    relocation(v)->r_info = ELF64_R_INFO(0, 99);
}

static void relocate_by_unknown_symbol(view_t v)
{
    relocation(v)->r_info = ELF64_R_INFO(1u << 30, 3);
}

static void nest_metadata(view_t v)
{
    memset(metadata(v), 0x91, 400); // a list of one list of one list …
}

static void claim_endless_metadata(view_t v)
{
    memset(metadata(v), 0xff, 5);
    metadata(v)[0] = 0xdf; // a map of 2^32 - 1 entries
}

static void leave_symbols_out(view_t v)
{
    dynamic(v, DT_STRTAB)->d_tag = 0x6fffffff;
}

static void claim_lds(view_t v)
{
    put32(descriptor(v, "ids"), UINT32_MAX);
}

static void claim_scratch(view_t v)
{
    put32(descriptor(v, "ids") + 4, UINT32_MAX);
}

static void claim_arguments(view_t v)
{
    put32(descriptor(v, "ids") + 8, UINT32_MAX);
}

static void enter_outside(view_t v)
{
    put32(descriptor(v, "ids") + 16, 0x7fffff00);
}

static void enter_between_words(view_t v)
{
    descriptor(v, "ids")[16] += 2;
}

static void claim_registers(view_t v)
{
    descriptor(v, "ids")[48] |= 63;
}

static void change_nothing(view_t v)
{
    (void)v;
}

static const struct damaged_case {
    void (*apply)(view_t v);
    int code;
    const char *message;
    unsigned grid[3], block; // of a launch of `ids`; block 0: loading must already fail
} damaged_cases[] = {
    {claim_segment_of_terabytes, 200, "a segment with an invalid size", {0}, 0},
    {claim_overlapping_segments, 200, "segments overlap", {0}, 0},
    {claim_file_twice, 200, "segments overlap in the file", {0}, 0},
    {claim_many_segments, 200, "more than 64 program headers", {0}, 0},
    {claim_many_symbols, 200, "symbol table reaches past", {0}, 0},
    {claim_symbols_in_zeroes, 200, "symbol table reaches past", {0}, 0},
    {claim_many_relocations, 200, "relocations reach past", {0}, 0},
    {relocate_zeroes, 200, "a relocation is outside", {0}, 0},
    {relocate_by_unknown_type, 200, "relocation type 99 at 0x", {0}, 0},
    {relocate_by_unknown_symbol, 200, "a symbol that does not exist", {0}, 0},
    {nest_metadata, 200, "metadata note is invalid", {0}, 0},
    {claim_endless_metadata, 200, "metadata note is invalid", {0}, 0},
    {leave_symbols_out, 200, "no usable dynamic symbol table", {0}, 0},
    {claim_lds, KILN_SIM_ILLEGAL_STATE, "'ids' needs 4294967295 bytes of LDS", {1, 1, 1}, 64},
    {claim_scratch, 701, "'ids' needs 4294967295 bytes of scratch", {1, 1, 1}, 64},
    {claim_arguments, 200, "'ids' claims 4294967295 bytes of arguments", {1, 1, 1}, 64},
    {enter_outside, 719, "is outside the code", {1, 1, 1}, 64},
    {enter_between_words, 719, "is outside the code", {1, 1, 1}, 64},
    {claim_registers, 701, "'ids': 16 waves of 512 vector registers", {1, 1, 1}, 1024},
    {change_nothing, 9, "'ids': more than 2^32 workgroups", {65536, 65536, 2}, 1},
    {change_nothing, 9, "'ids': dimension 0 has more than 2^32 work-items", {INT32_MAX, 1, 1}, 64},
    {change_nothing, 1, "workgroups of (1025, 1, 1) exceed 1024 work-items", {1, 1, 1}, 1025},
    {change_nothing, 1, "(0, 1, 1) of workgroups", {0, 1, 1}, 64},
};

static void false_claims_are_named(void **state)
{
    (void)state;
    size_t size;
    uint8_t *good = read_object(&size);
    for (size_t i = 0; i < sizeof damaged_cases / sizeof damaged_cases[0]; i++) {
        const struct damaged_case *damaged_case = &damaged_cases[i];
        view_t v = {malloc(size), size};
        hipModule_t module;
        hipFunction_t function;
        assert_non_null(v.bytes);
        memcpy(v.bytes, good, size);
        damaged_case->apply(v);
        hipError_t result = hipModuleLoadData(&module, v.bytes);
        if (damaged_case->block) {
            uint64_t none[9] = {0};
            size_t bytes = sizeof none;
            void *extra[] = {(void *)1, none, (void *)2, &bytes, (void *)3};
            assert_int_equal(result, 0);
            assert_int_equal(hipModuleGetFunction(&function, module, "ids"), 0);
            result = hipModuleLaunchKernel(function, damaged_case->grid[0], damaged_case->grid[1],
                                           damaged_case->grid[2], damaged_case->block, 1, 1, 0,
                                           NULL, NULL, extra);
            hipModuleUnload(module);
        }
        if (result != damaged_case->code ||
            !strstr(kilnSimGetLastErrorMessage(), damaged_case->message))
            fail_msg("row %zu: error %d, '%s'; expected %d, '%s'", i, result,
                     kilnSimGetLastErrorMessage(), damaged_case->code, damaged_case->message);
        free(v.bytes);
    }
    free(good);
}

static size_t resident_bytes(void)
{
    unsigned long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &all, &resident), 2);
    fclose(file);
    return resident * 4096;
}

// Two thousand names that are all suffixes of one string: copies would be a thousand times the
// file.
static void shared_names_are_refused(void **state)
{
    (void)state;
    enum { SYMBOLS = 2000, NAME = 60000 };
    struct {
        Elf64_Ehdr header;
        Elf64_Phdr segments[2];
        Elf64_Dyn dynamic[4];
        uint32_t hash[2];
        Elf64_Sym symbols[SYMBOLS];
        char names[NAME];
    } *file = calloc(1, sizeof *file);
    assert_non_null(file);
    uint64_t base = 0x1000; // of the one segment
#define AT(field) (base + offsetof(__typeof__(*file), field))
    file->header = (Elf64_Ehdr){.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1, 64},
                                .e_type = ET_DYN,
                                .e_machine = 224,
                                .e_flags = 0x4c,
                                .e_phoff = offsetof(__typeof__(*file), segments),
                                .e_phentsize = sizeof(Elf64_Phdr),
                                .e_phnum = 2};
    file->segments[0] = (Elf64_Phdr){.p_type = PT_LOAD,
                                     .p_vaddr = base,
                                     .p_filesz = sizeof *file,
                                     .p_memsz = sizeof *file,
                                     .p_flags = PF_R | PF_X};
    file->segments[1] =
        (Elf64_Phdr){.p_type = PT_DYNAMIC, .p_vaddr = AT(dynamic), .p_memsz = sizeof file->dynamic};
    file->dynamic[0] = (Elf64_Dyn){.d_tag = DT_SYMTAB, .d_un = {AT(symbols)}};
    file->dynamic[1] = (Elf64_Dyn){.d_tag = DT_STRTAB, .d_un = {AT(names)}};
    file->dynamic[2] = (Elf64_Dyn){.d_tag = DT_STRSZ, .d_un = {NAME}};
    file->dynamic[3] = (Elf64_Dyn){.d_tag = DT_HASH, .d_un = {AT(hash)}};
    file->hash[1] = SYMBOLS;
#undef AT
    memset(file->names, 'a', NAME - 1);
    for (unsigned i = 1; i < SYMBOLS; i++)
        file->symbols[i] = (Elf64_Sym){
            .st_name = i, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), .st_shndx = 1};
    size_t before = resident_bytes();
    hipModule_t module;
    assert_int_equal(hipModuleLoadData(&module, file), 200);
    assert_non_null(strstr(kilnSimGetLastErrorMessage(), "names overlap"));
    assert_true(resident_bytes() < before + (16u << 20));
    free(file);
}

// Four gigabytes of zeroes, and scratch for a hundred thousand waves, use only the memory that is
// touched.
static void absurd_sizes_take_no_memory(void **state)
{
    (void)state;
    size_t size, before = resident_bytes();
    uint8_t *good = read_object(&size);
    view_t v = {good, size};
    segment(v, PT_LOAD, 3)->p_memsz = 1ull << 32;
    put32(descriptor(v, "scratch") + 4, 131072);
    hipModule_t module;
    hipFunction_t function;
    void *buffer;
    assert_int_equal(hipMalloc(&buffer, 1 << 20), 0);
    assert_int_equal(hipModuleLoadData(&module, good), 0);
    assert_int_equal(hipModuleGetFunction(&function, module, "scratch"), 0);
    uint64_t arguments[9] = {(uint64_t)(uintptr_t)buffer};
    size_t bytes = sizeof arguments;
    void *extra[] = {(void *)1, arguments, (void *)2, &bytes, (void *)3};
    assert_int_equal(hipModuleLaunchKernel(function, 2000, 1, 1, 64, 1, 1, 0, NULL, NULL, extra),
                     0);
    assert_true(resident_bytes() < before + (64u << 20));
    hipModuleUnload(module);
    hipFree(buffer);
    free(good);
}

// A cooperative launch needs all workgroups at once; 128 MB of scratch for each must not exceed the
// host's memory.
static void resident_workgroups_fit_the_host(void **state)
{
    (void)state;
    size_t size;
    uint8_t *good = read_object(&size);
    view_t v = {good, size};
    put32(descriptor(v, "ids") + 4, 131072);
    hipModule_t module;
    hipFunction_t function;
    kiln_sim_device_t *device = kiln_sim_device();
    uint64_t limit = device->memory->limit;
    device->memory->limit = device->memory->used + (1ull << 30);
    assert_int_equal(hipModuleLoadData(&module, good), 0);
    assert_int_equal(hipModuleGetFunction(&function, module, "ids"), 0);
    void *none = NULL, *params[] = {&none};
    assert_int_equal(
        hipModuleLaunchCooperativeKernel(function, 9, 1, 1, 1024, 1, 1, 0, NULL, params), 720);
    assert_non_null(
        strstr(kilnSimGetLastErrorMessage(), "9 workgroups, but only 7 are resident at once"));
    device->memory->limit = limit;
    hipModuleUnload(module);
    free(good);
}

// A pointer to unmapped memory is an error, too.
static void unmapped_images_are_refused(void **state)
{
    (void)state;
    hipModule_t module;
    assert_int_equal(hipModuleLoadData(&module, (void *)(uintptr_t)4096), 200);
    assert_non_null(strstr(kilnSimGetLastErrorMessage(), "not an ELF file"));
}

// Inputs that the loader's fuzzer has found.
static void found_objects_fail_politely(void **state)
{
    (void)state;
    const char *folder = KILN_SOURCE_DIR "/test/fuzz/regress/sim_loader";
    DIR *list = opendir(folder);
    unsigned count = 0;
    void *buffer;
    assert_non_null(list);
    assert_int_equal(hipMalloc(&buffer, 1 << 16), 0);
    for (struct dirent *entry; (entry = readdir(list));) {
        char path[PATH_MAX];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        hipModule_t module;
        if (hipModuleLoad(&module, path) == 0) {
            launch_everything(module, buffer);
            for (size_t k = 0; k < module->object->kernel_count; k++) {
                int value;
                for (int attribute = 0; attribute < 10; attribute++)
                    hipFuncGetAttribute(&value, attribute, &module->object->kernels[k]);
            }
            hipModuleUnload(module);
        } else {
            assert_true(kilnSimGetLastErrorMessage()[0] != 0);
        }
        count++;
    }
    closedir(list);
    assert_true(count > 0);
    hipFree(buffer);
}

// ---- random damage

// Random instructions of every format, in place of the kernels' own.
static void write_random_code(kiln_sim_mc_t *mc, uint8_t *code, unsigned count)
{
    static const uint32_t prefixes[][2] = {
        {0x80000000, 0x40000000}, {0xbe800000, 0x007fffff}, {0xbf000000, 0x007fffff},
        {0xb0000000, 0x0fffffff}, {0xc0000000, 0x03ffffff}, {0x7e000000, 0x01ffffff},
        {0x00000000, 0x7fffffff}, {0x7c000000, 0x01ffffff}, {0xd0000000, 0x03ffffff},
        {0xd3800000, 0x007fffff}, {0xd8000000, 0x03ffffff}, {0xdc000000, 0x03ffffff},
        {0xe0000000, 0x03ffffff}, {0xe8000000, 0x03ffffff}};
    uint32_t words[2];
    for (unsigned i = 0; i < count;) {
        const uint32_t *prefix = prefixes[next_random() % (sizeof prefixes / sizeof prefixes[0])];
        words[0] = prefix[0] | ((uint32_t)(next_random() >> 20) & prefix[1]);
        words[1] = (uint32_t)(next_random() >> 20);
        if (next_random() % 2)
            words[1] |= 0x04020100; // more vector sources
        char text[256];
        unsigned bytes =
            kiln_sim_mc_decode(mc, (const uint8_t *)words, sizeof words, 0, text, sizeof text);
        if (bytes == 0 || !kiln_sim_row_find(kiln_sim_variant_find(""), text))
            continue;
        if (bytes == 4)
            words[1] = 0xbf800000; // s_nop
        memcpy(code + 8 * i++, words, sizeof words);
    }
    words[0] = words[1] = 0xbf810000; // s_endpgm
    memcpy(code + 8 * count, words, sizeof words);
}

static void random_instructions_step_safely(void **state)
{
    (void)state;
    const char *rounds_text = getenv("KILN_TEST_ROUNDS");
    unsigned rounds = rounds_text ? (unsigned)atoi(rounds_text) : 150, ran = 0, failed = 0;
    size_t size;
    uint8_t *good = read_object(&size);
    void *buffer;
    hipModule_t module;
    kiln_sim_mc_t *mc = kiln_sim_mc_create();
    assert_non_null(mc);
    assert_int_equal(hipMalloc(&buffer, 1 << 16), 0);
    for (unsigned round = 0; round < rounds; round++) {
        assert_int_equal(hipModuleLoadData(&module, good), 0);
        for (size_t k = 0; k < module->object->kernel_count; k++) {
            uint64_t entry = module->object->kernels[k].entry;
            if (entry + 64 <= module->object->image_size)
                write_random_code(mc, module->object->image + entry,
                                  1 + (unsigned)(next_random() % 6));
        }
        unsigned launched = launch_everything(module, buffer);
        ran += launched;
        failed += (unsigned)module->object->kernel_count - launched;
        assert_int_equal(hipModuleUnload(module), 0);
    }
    print_message("%u rounds: %u launches succeeded, %u failed\n", rounds, ran, failed);
    assert_true(ran > 0 && failed > 0);
    kiln_sim_mc_destroy(mc);
    free(good);
    hipFree(buffer);
}

static void cut_objects_are_refused(void **state)
{
    (void)state;
    size_t size;
    uint8_t *good = read_object(&size);
    kiln_sim_device_t *device = kiln_sim_device();
    for (size_t cut = 0; cut < size; cut += cut < 256 ? 1 : 97) {
        uint8_t *part = malloc(cut ? cut : 1); // so that the sanitizer detects overruns
        kiln_sim_error_t error = {0};
        assert_non_null(part);
        memcpy(part, good, cut);
        kiln_sim_code_object_t *object =
            kiln_sim_code_object_load(device->memory, part, cut, kiln_sim_variant_find(""), &error);
        if (object)
            kiln_sim_code_object_unload(device->memory, object);
        else
            assert_true(error.text[0] != 0);
        free(part);
    }
    free(good);
}

int main(void)
{
    setenv("KILN_SIM_LIMIT", "2000", 1);
    setenv("KILN_SIM_THREADS", "1", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(false_claims_are_named),
                                       cmocka_unit_test(shared_names_are_refused),
                                       cmocka_unit_test(absurd_sizes_take_no_memory),
                                       cmocka_unit_test(resident_workgroups_fit_the_host),
                                       cmocka_unit_test(unmapped_images_are_refused),
                                       cmocka_unit_test(found_objects_fail_politely),
                                       cmocka_unit_test(damaged_objects_fail_politely),
                                       cmocka_unit_test(random_instructions_step_safely),
                                       cmocka_unit_test(cut_objects_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
