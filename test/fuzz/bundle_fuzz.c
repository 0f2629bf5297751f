// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds arbitrary bytes, as a bundle or a manifest, to the loader, the choice of variants and the
// generator of headers. They must be rejected with a reason or accepted, without a crash, a hang or
// a leak.
//
// An input that begins with '{' is a manifest, which is loaded with a small code object made here;
// all others are bundles. Mutations almost always break a bundle's checksum, so it is corrected
// before loading.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bundle.h"
#include "base/description.h"
#include "base/hash.h"
#include "base/string.h"
#include "kiln/ahead.h"
#include "kiln/kiln.h"
#include "kiln/load.h"
#include "text_mutate.h"
#include "unit/small_code_object.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

// Generated headers contain the version; the compiler, which defines this function, is not linked.
const char *kiln_version(void)
{
    return "fuzzed";
}

static const char *const words[] = {
    "schema name kernel arch block block_size grid arguments hidden_arguments kernarg "
    "dynamic_lds_bytes constants options",
    "const divisibility pointer_range range size offset align kind",
    "i1 i8 i32 i64 u32 f16 bf16 f32 f64 type bool",
    "cdiv min max",
    "true false null",
    NULL};

static small_code_object_t code;
static kiln_device_t *device;

static void must(kiln_status_t status)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", kiln_status_message(status));
    abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    code = small_code_object();
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_HIP;
    options.hip_library = KILN_FUZZ_HIP;
    must(kiln_device_open(&options, &device));
    return 0;
}

// Frees a status and returns whether it is KILN_OK. A failure must have a message.
static bool taken(kiln_status_t status)
{
    if (status && !*kiln_status_message(status))
        abort();
    kiln_status_free(status);
    return !status;
}

static void make_headers(const kiln_variant_t *variant)
{
    for (int launcher = 0; launcher < 2; launcher++) {
        kiln_launcher_options_t options;
        kiln_launcher_options_initialize(&options);
        options.launcher = (kiln_launcher_t)launcher;
        char *text = NULL;
        kiln_status_t status =
            kiln_launcher_make(&code, sizeof code, kiln_variant_manifest(variant), &options, &text);
        if (status && kiln_status_code(status) != KILN_STATUS_UNSUPPORTED)
            must(status);
        kiln_status_free(status);
        free(text);
    }
}

// Makes calls that mostly fit, with the variant's own argument names and types.
static void make_calls(const kiln_program_t *program, const kiln_variant_t *variant)
{
    kiln_description_t d;
    const char *text = kiln_variant_manifest(variant);
    must(kiln_description_read("again", text, strlen(text), &d));
    kiln_typed_argument_t *arguments = calloc(d.argument_count + 1, sizeof *arguments);
    static const int64_t values[] = {0, 1, 48, 4096, INT64_MAX, INT64_MIN, -16};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        for (size_t j = 0; j < d.argument_count; j++) {
            arguments[j].value = (kiln_jit_argument_t){
                .name = d.arguments[j].name,
                .kind = d.arguments[j].is_pointer ? KILN_JIT_POINTER : KILN_JIT_INTEGER,
                .address = (uint64_t)values[i],
                .address_size = 4096,
                .integer = values[i]};
            arguments[j].type = i % 2 ? d.arguments[j].type : NULL;
        }
        const kiln_setting_t constant = {"BLOCK", "64"};
        kiln_program_call_t call;
        kiln_program_call_initialize(&call);
        call.kernel = i % 3 ? kiln_variant_name(variant) : NULL;
        call.arguments = arguments;
        call.argument_count = d.argument_count;
        call.constants = &constant;
        call.constant_count = i == 2;
        const kiln_variant_t *chosen;
        unsigned grid[3];
        if (taken(kiln_program_choose(program, &call, &chosen)))
            taken(kiln_variant_grid(chosen, &call, grid));
        taken(kiln_variant_grid(variant, &call, grid));
    }
    free(arguments);
    kiln_description_free(&d);
}

static void load(const void *data, size_t size, const char *text)
{
    const kiln_program_part_t part = {data, size, text};
    kiln_program_t *program;
    if (!taken(kiln_program_load_memory(device, &part, 1, &program))) {
        if (program)
            abort();
        return;
    }
    for (size_t i = 0; i < kiln_program_variant_count(program) && i < 8; i++) {
        make_headers(kiln_program_variant(program, i));
        make_calls(program, kiln_program_variant(program, i));
    }
    kiln_program_release(program);
}

// Corrects the checksum, in the layout that runtime/base/bundle.c documents.
static void make_right(unsigned char *bytes, size_t size)
{
    const uint64_t whole = size;
    memcpy(bytes + 16, &whole, sizeof whole);
    kiln_hasher_t *hasher = kiln_hasher_create();
    kiln_hasher_field(hasher, bytes, 24);
    kiln_hasher_field(hasher, bytes + 40, size - 40);
    const kiln_hash_t hash = kiln_hasher_finish(hasher);
    memcpy(bytes + 24, &hash.low, sizeof hash.low);
    memcpy(bytes + 32, &hash.high, sizeof hash.high);
    kiln_hasher_release(hasher);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (*data == '{') {
        char *text = strndup((const char *)data, size);
        load(&code, sizeof code, text);
        free(text);
        return 0;
    }
    // Copy to a block of exactly this size, so that the sanitizer detects accesses beyond it.
    unsigned char *bytes = malloc(size);
    memcpy(bytes, data, size);
    load(bytes, size, NULL);
    if (size >= 64 && kiln_bundle_is(bytes, size)) {
        make_right(bytes, size);
        load(bytes, size, NULL);
    }
    free(bytes);
    return 0;
}

static size_t begin(uint8_t *data, size_t room, unsigned seed)
{
    const kiln_bundle_item_t items[] = {
        {&code, sizeof code, small_manifest, sizeof small_manifest - 1},
        {&code, sizeof code, small_manifest, sizeof small_manifest - 1}};
    void *bundle = NULL;
    size_t size = sizeof small_manifest - 1;
    if (seed % 2)
        must(kiln_bundle_write(items, 2, &bundle, &size));
    size = size < room ? size : room;
    memcpy(data, bundle ? bundle : small_manifest, size);
    free(bundle);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    if (size < 16)
        return begin(data, room, seed);
    if (*data == '{' && seed % 4) {
        const size_t changed = text_mutate((char *)data, size, room, seed, words);
        if (changed)
            return changed;
    }
    return LLVMFuzzerMutate(data, size, room);
}
