// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes arbitrary bytes as a kernel's instructions: they are decoded and run by a few waves,
// with LDS, scratch memory and one buffer. They must run to the end or to an error with a location,
// within their own memory, with and without the checks.
//
// The last eight bytes of an input choose the launch, so that a plain dump of a .text section is
// also a valid input. Half of the mutations write an instruction of a random format, since most
// random words are not instructions.
//
// This tests more than the handlers: decoding follows all branches, the checks follow every
// operand, and the message of a fault disassembles the instruction.
#include "decode/decode.h"
#include "decode/mc.h"
#include "sim_fuzz.h"

#define MARK_LDS 0x5eed1d50u
#define MARK_CODE 0x5eedc0deu
#define CODE_BYTES 4096u

static uint8_t *object;
static size_t object_size, descriptor, code;

static size_t find(uint32_t mark)
{
    for (size_t i = 0; i + 4 <= object_size; i += 4) {
        if (memcmp(object + i, &mark, 4) == 0)
            return i;
    }
    abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    sim_fuzz_environment();
    FILE *file = fopen(KILN_FUZZ_OBJECTS "/sim_step.hsaco", "rb");
    if (!file)
        abort();
    fseek(file, 0, SEEK_END);
    object_size = (size_t)ftell(file);
    rewind(file);
    object = malloc(object_size);
    if (!object || fread(object, 1, object_size, file) != object_size)
        abort();
    fclose(file);
    descriptor = find(MARK_LDS);
    code = find(MARK_CODE);
    return 0;
}

static void put(size_t at, uint32_t value)
{
    memcpy(object + at, &value, sizeof value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t choice[8] = {0};
    sim_fuzz_begin();
    size_t bytes = size > CODE_BYTES ? CODE_BYTES : size;
    if (size) {
        memcpy(choice, data + (size > 8 ? size - 8 : 0), size > 8 ? 8 : size);
        memcpy(object + code, data, bytes);
    }
    for (size_t at = bytes / 4 * 4; at < CODE_BYTES; at += 4)
        put(code + at, 0xbf810000); // s_endpgm

    static const uint32_t lds[] = {0, 64, 1000, 65536}, scratch[] = {0, 4, 36, 4096};
    put(descriptor, lds[choice[0] & 3]);
    put(descriptor + 4, scratch[choice[0] >> 2 & 3]);
    unsigned arch = choice[1] & 63,
             total = choice[2] & 63; // vector registers: granules of 4 and of 8
    put(descriptor + 44, arch);
    put(descriptor + 48, total | (uint32_t)choice[3] << 12 | (uint32_t)(choice[4] & 3) << 21 |
                             (uint32_t)(choice[4] >> 2 & 1) << 23 |
                             (uint32_t)(choice[4] >> 3 & 1) << 26);

    if (kilnSimSetOption("check", choice[5] & 1 ? "all" : "off") ||
        kilnSimSetOption("mfma", choice[5] & 2 ? "fast" : "exact"))
        abort();
    hipModule_t module;
    if (hipModuleLoadData(&module, object))
        abort();
    sim_fuzz_launch(module, 1 + (choice[6] & 1), choice[6] & 2 ? 200 : 64, choice[6] & 4 ? 512 : 0);
    if (hipModuleUnload(module))
        abort();
    return 0;
}

// ---- mutation

// A random instruction that the simulator supports; 0 if this attempt found none.
static unsigned random_instruction(uint64_t *random, uint32_t words[2])
{
    // Leading bits of each format, and the mask of its free bits.
    static const uint32_t formats[][2] = {
        {0x80000000, 0x3fffffff}, {0xbe800000, 0x007fffff}, {0xbf000000, 0x007fffff},
        {0xb0000000, 0x0fffffff}, {0xc0000000, 0x03ffffff}, {0x7e000000, 0x01ffffff},
        {0x00000000, 0x7fffffff}, {0x7c000000, 0x01ffffff}, {0xd0000000, 0x03ffffff},
        {0xd3800000, 0x007fffff}, {0xd3c00000, 0x003fffff}, {0xd8000000, 0x03ffffff},
        {0xdc000000, 0x03ffffff}, {0xe0000000, 0x03ffffff}, {0xe8000000, 0x03ffffff}};
    static kiln_sim_mc_t *mc;
    if (!mc && !(mc = kiln_sim_mc_create()))
        abort();
    const uint32_t *format =
        formats[sim_fuzz_random(random) % (sizeof formats / sizeof formats[0])];
    words[0] = format[0] | (sim_fuzz_random(random) * 2 & format[1]) |
               (sim_fuzz_random(random) & 1 & format[1]);
    words[1] = sim_fuzz_random(random) ^ sim_fuzz_random(random) << 16;
    char text[256];
    unsigned bytes = kiln_sim_mc_decode(mc, (const uint8_t *)words, 8, 0, text, sizeof text);
    return bytes && kiln_sim_row_find(kiln_sim_variant_find(""), text) ? bytes : 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint64_t random = seed / 2;
    uint32_t words[2];
    unsigned bytes = 0;
    for (unsigned tries = 0; seed % 2 && !bytes && tries < 32; tries++)
        bytes = random_instruction(&random, words);
    if (!bytes || size < 16 || max_size < size + 8)
        return LLVMFuzzerMutate(data, size, max_size);
    size_t at = sim_fuzz_random(&random) % ((size - 8) / 4) * 4;
    if (sim_fuzz_random(&random) % 2) { // insert between two others; otherwise overwrite
        memmove(data + at + bytes, data + at, size - at);
        size += bytes;
    }
    memcpy(data + at, words, size - at < bytes ? size - at : bytes);
    return size;
}
