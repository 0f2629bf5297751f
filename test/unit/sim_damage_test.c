// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code objects are untrusted: damaged ones must be refused or fail in a clear error, never crash, hang or touch other
// memory. Takes an object, changes a few bytes (headers, tables, metadata or code), loads and launches it, again and
// again, from a fixed seed. Run under the sanitizers, this is the loader's fuzz target: KILN_TEST_ROUNDS sets its
// length.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decode.h"
#include "hip_entry.h"
#include "mc.h"

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

// Interesting places first: the file's first kilobytes hold headers, symbols, notes and kernel descriptors.
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

// Random instructions of every format, in place of the kernels' own.
static void write_random_code(kiln_sim_mc_t *mc, uint8_t *code, unsigned count)
{
    static const uint32_t prefixes[][2] = {{0x80000000, 0x40000000}, {0xbe800000, 0x007fffff}, {0xbf000000, 0x007fffff},
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
        unsigned bytes = kiln_sim_mc_decode(mc, (const uint8_t *)words, sizeof words, 0, text, sizeof text);
        if (bytes == 0 || !kiln_sim_row_find(text))
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
                write_random_code(mc, module->object->image + entry, 1 + (unsigned)(next_random() % 6));
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
        uint8_t *part = malloc(cut ? cut : 1); // a heap block of its own, so that the sanitizer sees any overrun
        kiln_sim_error_t error = {0};
        assert_non_null(part);
        memcpy(part, good, cut);
        kiln_sim_code_object_t *object = kiln_sim_code_object_load(&device->memory, part, cut, &error);
        if (object)
            kiln_sim_code_object_unload(&device->memory, object);
        else
            assert_true(error.text[0] != 0);
        free(part);
    }
    free(good);
}

int main(void)
{
    setenv("KILN_SIM_LIMIT", "20000", 1);
    setenv("KILN_SIM_THREADS", "1", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_objects_fail_politely),
                                       cmocka_unit_test(random_instructions_step_safely),
                                       cmocka_unit_test(cut_objects_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
