// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang's offload bundles: made by clang-offload-bundler and by the test's own writer, which also
// makes invalid ones.
//
// Bundles end at the end of a page, followed by an unmapped one, so that reading too far always
// faults.
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "hip_sim/entry.h"
#include "load/bundle.h"
#include "load/image.h"

enum { ROOM = 1 << 22, ZLIB = 0, ZSTD = 1 };

static uint8_t *window; // ROOM bytes, and a page that cannot be read

typedef struct bytes {
    uint8_t *data;
    size_t size;
} bytes_t;

static void add(bytes_t *to, const void *data, size_t size)
{
    to->data = realloc(to->data, to->size + size + 1);
    assert_non_null(to->data);
    if (data)
        memcpy(to->data + to->size, data, size);
    else
        memset(to->data + to->size, 0, size);
    to->size += size;
}

// ---- making bundles

typedef struct entry {
    const char *name, *object; // an object is any text here
} entry_t;

static bytes_t plain(const entry_t *entries, uint64_t count)
{
    bytes_t made = {0}, objects = {0};
    uint64_t at = 24 + 8;
    for (uint64_t i = 0; i < count; i++)
        at += 24 + strlen(entries[i].name);
    at = (at + 63) / 64 * 64;
    add(&made, "__CLANG_OFFLOAD_BUNDLE__", 24);
    add(&made, &count, 8);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t fields[3] = {at + objects.size, strlen(entries[i].object),
                              strlen(entries[i].name)};
        add(&made, fields, sizeof fields);
        add(&made, entries[i].name, fields[2]);
        add(&objects, entries[i].object, fields[1]);
    }
    add(&made, NULL, at - made.size);
    if (objects.size)
        add(&made, objects.data, objects.size);
    free(objects.data);
    return made;
}

static bytes_t compressed(bytes_t from, unsigned method)
{
    bytes_t made = {0};
    add(&made, NULL, ZSTD_compressBound(from.size) + 1024);
    if (method == ZLIB) {
        uLongf size = made.size;
        assert_int_equal(compress2(made.data, &size, from.data, from.size, 6), Z_OK);
        made.size = size;
    } else {
        made.size = ZSTD_compress(made.data, made.size, from.data, from.size, 3);
        assert_false(ZSTD_isError(made.size));
    }
    return made;
}

// Puts the header of a version around compressed data. `stated`: the decompressed size in the
// header.
static bytes_t with_header(bytes_t packed, unsigned version, unsigned method, uint64_t stated)
{
    bytes_t made = {0};
    uint16_t kind[2] = {(uint16_t)version, (uint16_t)method};
    uint64_t hash = 0x0123456789abcdef, own = 8 +
                                              (version == 1   ? 4u
                                               : version == 2 ? 8u
                                                              : 16u) +
                                              8 + packed.size;
    uint32_t narrow[2] = {(uint32_t)own, (uint32_t)stated};
    add(&made, "CCOB", 4);
    add(&made, kind, 4);
    if (version == 3) {
        add(&made, &own, 8);
        add(&made, &stated, 8);
    } else {
        add(&made, version == 1 ? narrow + 1 : narrow, version == 1 ? 4 : 8);
    }
    add(&made, &hash, 8);
    add(&made, packed.data, packed.size);
    return made;
}

static bytes_t pack(const entry_t *entries, uint64_t count, unsigned version, unsigned method)
{
    bytes_t inside = plain(entries, count), packed = compressed(inside, method),
            made = with_header(packed, version, method, inside.size);
    free(inside.data);
    free(packed.data);
    return made;
}

// ---- reading them

static size_t read_bytes(const void *context, uint64_t at, void *to, size_t bytes)
{
    const bytes_t *from = context;
    size_t left = at < from->size ? from->size - (size_t)at : 0;
    bytes = bytes < left ? bytes : left;
    memcpy(to, window + ROOM - from->size + (at < from->size ? at : 0), bytes);
    return bytes;
}

// Returns the object that is found as a string, or NULL. The caller frees it.
static char *unbundle(bytes_t from, kiln_sim_error_t *error)
{
    kiln_sim_source_t source = {read_bytes, &from};
    size_t size = 0;
    assert_true(from.size <= ROOM);
    memcpy(window + ROOM - from.size, from.data, from.size);
    *error = (kiln_sim_error_t){0};
    uint8_t *found = kiln_sim_unbundle(&source, &size, error);
    assert_true(!found == (error->code != 0));
    char *text = found ? strndup((const char *)found, size) : NULL;
    free(found);
    return text;
}

static void expect(bytes_t from, const char *object)
{
    kiln_sim_error_t error;
    char *found = unbundle(from, &error);
    if (!found)
        fail_msg("%s", error.text);
    assert_string_equal(found, object);
    free(found);
}

static void expect_error(bytes_t from, int code, const char *part)
{
    kiln_sim_error_t error;
    char *found = unbundle(from, &error);
    assert_null(found);
    assert_int_equal(error.code, code);
    if (!strstr(error.text, part))
        fail_msg("no '%s' in '%s'", part, error.text);
}

// ---- tests

static void targets_are_distinguished(void **state)
{
    (void)state;
    // From the best to the worst; those after the empty name do not match.
    static const char *const names[] = {"hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-",
                                        "hip-amdgcn-amd-amdhsa-gfx942:xnack-",
                                        "hipv4-amdgcn-amd-amdhsa-unknown-gfx942",
                                        "hipv4-amdgcn-amd-amdhsa--gfx9-4-generic:xnack-",
                                        "hip-amdgcn-amd-amdhsa--gfx9-4-generic",
                                        "",
                                        "hipv4-amdgcn-amd-amdhsa--gfx942:xnack+",
                                        "hipv4-amdgcn-amd-amdhsa--gfx942:sramecc-",
                                        "hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-:other+",
                                        "hipv4-amdgcn-amd-amdhsa--gfx942:",
                                        "hipv4-amdgcn-amd-amdhsa--gfx940",
                                        "hipv4-amdgcn-amd-amdhsa--gfx9420",
                                        "hipv4-amdgcn-amd-amdhsa--gfx94",
                                        "hipv4-amdgcn-amd-amdhsa--gfx9-generic",
                                        "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-",
                                        "hipv4-spirv64-amd-amdhsa--amdgcnspirv",
                                        "openmp-amdgcn-amd-amdhsa--gfx942",
                                        "host-x86_64-unknown-linux--gfx942",
                                        "hipv4-amdgcn-gfx",
                                        "hipv4-amdgcn-",
                                        "gfx942"};
    unsigned last = UINT32_MAX;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unsigned suits = kiln_sim_suits(names[i]);
        if (last ? suits >= last : suits != 0)
            fail_msg("'%s' suits by %u, the one before by %u", names[i], suits, last);
        last = suits;
    }
    // The order of entries does not matter.
    static const entry_t entries[] = {
        {"host-x86_64-unknown-linux-gnu-", ""},
        {"hipv4-amdgcn-amd-amdhsa--gfx9-4-generic", "generic"},
        {"hipv4-amdgcn-amd-amdhsa--gfx942:xnack+", "xnack+"},
        {"hipv4-amdgcn-amd-amdhsa--gfx942", ""}, // an empty code object
        {"hip-amdgcn-amd-amdhsa-gfx942:sramecc+:xnack-", "the one"},
        {"hipv4-amdgcn-amd-amdhsa--gfx942:xnack-", "nearly"},
        {"hipv4-amdgcn-amd-amdhsa--gfx950", "gfx950"},
    };
    static const char *const best[] = {NULL,      NULL,      "generic", "generic",
                                       "generic", "the one", "the one", "the one"};
    for (unsigned count = 2; count <= 7; count++) {
        bytes_t made = pack(entries, count, 3, ZSTD);
        expect(made, best[count]);
        free(made.data);
    }
    bytes_t made = pack(entries + 2, 2, 2, ZLIB);
    expect_error(made, KILN_SIM_NO_BINARY_FOR_GPU,
                 "it has hipv4-amdgcn-amd-amdhsa--gfx942:xnack+, hipv4-amdgcn-amd-amdhsa--gfx942");
    free(made.data);
}

static const entry_t mine[] = {
    {"host-x86_64-unknown-linux-gnu-", ""},
    {"hipv4-amdgcn-amd-amdhsa--gfx90a", "an older machine's"},
    {"hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-", "ours, CCOB __CLANG_OFFLOAD_BUNDLE__"},
    {"hipv4-amdgcn-amd-amdhsa--gfx1100", "another's"}};

static void every_version_and_method_is_read(void **state)
{
    (void)state;
    for (unsigned version = 1; version <= 3; version++) {
        for (unsigned method = ZLIB; method <= ZSTD; method++) {
            bytes_t made = pack(mine, 4, version, method);
            expect(made, mine[2].object);
            // Bytes after the bundle are ignored.
            add(&made, "CCOB and more", 13);
            expect(made, mine[2].object);
            free(made.data);
        }
    }
    bytes_t made = plain(mine, 4);
    expect(made, mine[2].object);
    free(made.data);
}

// Makes a bundle by LLVM's own tool, run with `environment`.
static bytes_t tool(const char *environment, const char *options)
{
    char command[1024], path[256];
    for (unsigned i = 0; i < 4; i++) {
        snprintf(path, sizeof path, KILN_BINARY_DIR "/test/sim_bundle.%u", i);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        fputs(mine[i].object, file);
        fclose(file);
    }
#define INPUT " -input=" KILN_BINARY_DIR "/test/sim_bundle."
    snprintf(command, sizeof command,
             "%s clang-offload-bundler-22 -type=o -targets=%s,%s,%s,%s" INPUT "0" INPUT "1" INPUT
             "2" INPUT "3"
             " -output=" KILN_BINARY_DIR "/test/sim_bundle %s",
             environment, mine[0].name, mine[1].name, mine[2].name, mine[3].name, options);
    assert_int_equal(system(command), 0);
    FILE *file = fopen(KILN_BINARY_DIR "/test/sim_bundle", "rb");
    assert_non_null(file);
    bytes_t made = {malloc(1 << 20), 0};
    made.size = fread(made.data, 1, 1 << 20, file);
    fclose(file);
    return made;
}

static void what_clang_makes_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *environment, *options;
        uint16_t version; // 0: not compressed
    } cases[] = {
        {"", "", 0},
        {"", "-bundle-align=4096", 0},
        {"COMPRESSED_BUNDLE_FORMAT_VERSION=2", "-compress", 2},
        {"COMPRESSED_BUNDLE_FORMAT_VERSION=2", "-compress -compression-level=19 -bundle-align=4096",
         2},
        {"COMPRESSED_BUNDLE_FORMAT_VERSION=3", "-compress", 3},
        {"COMPRESSED_BUNDLE_FORMAT_VERSION=3", "-compress -compression-level=22 -bundle-align=4096",
         3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes_t made = tool(cases[i].environment, cases[i].options);
        uint16_t version = 0;
        if (memcmp(made.data, "CCOB", 4) == 0)
            memcpy(&version, made.data + 4, 2);
        assert_int_equal(version, cases[i].version);
        expect(made, mine[2].object);
        free(made.data);
    }
}

// Sections of programs hold one bundle for each source file, aligned, and each may have other
// targets.
static void bundles_follow_one_another(void **state)
{
    (void)state;
    static const entry_t others[] = {{"host-x86_64-unknown-linux-gnu-", ""},
                                     {"hipv4-amdgcn-amd-amdhsa--gfx90a", "CCOB is no bundle here"}};
    for (unsigned version = 0; version <= 3; version++) {
        for (unsigned method = ZLIB; method <= ZSTD; method++) {
            bytes_t all = {0},
                    first = version ? pack(others, 2, version, method) : plain(others, 2),
                    second = version ? pack(mine, 4, version, method) : plain(mine, 4);
            add(&all, first.data, first.size);
            expect_error(all, KILN_SIM_NO_BINARY_FOR_GPU, "it has hipv4-amdgcn-amd-amdhsa--gfx90a");
            add(&all, NULL, 4096 - first.size % 4096);
            add(&all, first.data, first.size);
            add(&all, second.data, second.size);
            expect(all, mine[2].object);
            all.size -= second.size;
            add(&all, "x", 1);
            add(&all, second.data, second.size);
            expect_error(all, KILN_SIM_NO_BINARY_FOR_GPU, "gfx90a");
            free(all.data);
            free(first.data);
            free(second.data);
        }
    }
}

// zstd's skippable frames may hold anything, and a stream may have several others.
static void frames_follow_one_another(void **state)
{
    (void)state;
    bytes_t inside = plain(mine, 4), all = {0};
    const size_t half = inside.size / 2;
    uint32_t skip[] = {0x184d2a50, 8};
    bytes_t halves[2] = {compressed((bytes_t){inside.data, half}, ZSTD),
                         compressed((bytes_t){inside.data + half, inside.size - half}, ZSTD)};
    add(&all, skip, sizeof skip);
    add(&all, "CCOB\3\0\1\0", 8);
    add(&all, halves[0].data, halves[0].size);
    add(&all, skip, sizeof skip);
    add(&all, "CCOB\3\0\1\0", 8);
    add(&all, halves[1].data, halves[1].size);
    for (unsigned version = 1; version <= 3; version++) {
        bytes_t made = with_header(all, version, ZSTD, inside.size);
        expect(made, mine[2].object);
        free(made.data);
    }
    free(inside.data);
    free(all.data);
    free(halves[0].data);
    free(halves[1].data);
}

static void false_claims_are_refused(void **state)
{
    (void)state;
    bytes_t inside = plain(mine, 4), good = pack(mine, 4, 3, ZSTD),
            packed = compressed(inside, ZSTD), made;
    const char *const end =
        strstr((const char *)memmem(inside.data, inside.size, "ours", 4), "another's");
    const uint64_t needed = (uint64_t)((const uint8_t *)end - inside.data);

    // No more than the stated size is decompressed, even if there is more data; less is accepted if
    // it is enough.
    made = with_header(packed, 3, ZSTD, needed);
    expect(made, mine[2].object);
    free(made.data);
    made = with_header(packed, 3, ZSTD, needed - 1);
    expect_error(made, KILN_SIM_INVALID_IMAGE, "truncated within the code object");
    free(made.data);
    made = with_header(packed, 2, ZSTD, 40);
    expect_error(made, KILN_SIM_INVALID_IMAGE, "table of entries is truncated");
    free(made.data);
    made = with_header(packed, 3, ZSTD, 1ull << 40);
    expect_error(made, KILN_SIM_INVALID_IMAGE, "exceeds 16 GiB");
    free(made.data);
    made = with_header(packed, 3, ZLIB, inside.size);
    expect_error(made, KILN_SIM_INVALID_IMAGE, "not a bundle");
    free(made.data);
    made = with_header(packed, 4, ZSTD, inside.size);
    expect_error(made, KILN_SIM_INVALID_IMAGE, "version 4");
    free(made.data);
    made = with_header(packed, 2, 2, inside.size);
    expect_error(made, KILN_SIM_INVALID_IMAGE, "method 2");
    free(made.data);
    made = with_header(inside, 2, ZSTD, inside.size);
    expect_error(made, KILN_SIM_INVALID_IMAGE, "not a bundle");
    free(made.data);

    // The total size, at byte 8.
    for (uint64_t own = 0; own < good.size; own += 7) {
        made = (bytes_t){0};
        add(&made, good.data, good.size);
        memcpy(made.data + 8, &own, 8);
        expect_error(made, KILN_SIM_INVALID_IMAGE, "not a loadable offload bundle");
        free(made.data);
    }
    static const uint64_t wide[] = {1ull << 35, 1ull << 62, UINT64_MAX - 31, UINT64_MAX};
    for (unsigned i = 0; i < 4; i++) {
        memcpy(good.data + 8, &wide[i], 8);
        expect_error(good, KILN_SIM_INVALID_IMAGE, "16 GiB");
    }

    free(packed.data);

    // Fields of the table: the number of entries, and those of the matching entry.
    const size_t table =
        (size_t)((const uint8_t *)memmem(inside.data, inside.size, mine[2].name, 20) - inside.data);
    static const uint64_t values[] = {0,          1,          32,        255,
                                      256,        1025,       1u << 30,  (1u << 30) + 1,
                                      1ull << 34, 1ull << 35, INT64_MAX, UINT64_MAX - 8,
                                      UINT64_MAX};
    static const int fields[] = {24, -24, -16, -8};
    for (unsigned f = 0; f < 4; f++) {
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
            for (unsigned method = ZLIB; method <= ZSTD + 1; method++) {
                bytes_t wrong = {0};
                kiln_sim_error_t error;
                add(&wrong, inside.data, inside.size);
                memcpy(wrong.data + (fields[f] > 0 ? 24 : (int)table + fields[f]), &values[v], 8);
                if (method <= ZSTD) {
                    packed = compressed(wrong, method);
                    made = with_header(packed, 3, method, wrong.size);
                    free(unbundle(made, &error)); // a wrong object, or an error
                    free(packed.data);
                    free(made.data);
                } else {
                    free(unbundle(wrong, &error));
                }
                free(wrong.data);
            }
        }
    }
    free(inside.data);
    free(good.data);
}

// Returns the number of bytes that are read; 0 after an error.
static size_t read_image(bytes_t from, uint64_t size, kiln_sim_error_t *error)
{
    kiln_sim_source_t source = {read_bytes, &from};
    size_t read = 0;
    memcpy(window + ROOM - from.size, from.data, from.size);
    *error = (kiln_sim_error_t){0};
    uint8_t *image = kiln_sim_image_read(&source, size, &read, error);
    assert_true(!image == (error->code != 0));
    if (image && !kiln_sim_is_bundle(&source))
        assert_memory_equal(image, from.data, read);
    free(image);
    return image ? read : 0;
}

static void expect_unreadable(bytes_t from, uint64_t size, const char *part)
{
    kiln_sim_error_t error;
    assert_int_equal(read_image(from, size, &error), 0);
    assert_int_equal(error.code, KILN_SIM_INVALID_IMAGE);
    assert_non_null(strstr(error.text, part));
}

// What is not a bundle is an ELF file, of a given size or of the one that its headers state.
static void other_images_are_elf_files(void **state)
{
    (void)state;
    enum { SECTIONS = 100, SIZE = SECTIONS + 2 * sizeof(Elf64_Shdr) };
    Elf64_Ehdr header = {.e_shoff = SECTIONS, .e_shnum = 2, .e_shentsize = sizeof(Elf64_Shdr)};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    bytes_t image = {0}, bundle = pack(mine, 4, 3, ZSTD);
    kiln_sim_error_t error;
    add(&image, &header, sizeof header);
    add(&image, NULL, SIZE + 10 - sizeof header);
    assert_int_equal(read_image(image, KILN_SIM_UNKNOWN_SIZE, &error), SIZE);
    assert_int_equal(read_image(image, image.size, &error), image.size);
    expect_unreadable(image, image.size + 1, "cannot be read to its end");
    image.size = SIZE - 1;
    expect_unreadable(image, KILN_SIM_UNKNOWN_SIZE, "its headers are out of bounds");
    image.data[EI_CLASS] = ELFCLASS32;
    expect_unreadable(image, KILN_SIM_UNKNOWN_SIZE, "not an ELF file");
    assert_int_equal(read_image(bundle, KILN_SIM_UNKNOWN_SIZE, &error), strlen(mine[2].object));
    assert_int_equal(read_image(bundle, bundle.size, &error), strlen(mine[2].object));
    free(image.data);
    free(bundle.data);
}

// Every prefix of a bundle, and many copies with a byte changed: rejected or read, without a crash.
static void damage_is_refused(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252ull;
    for (unsigned version = 0; version <= 3; version++) {
        for (unsigned method = ZLIB; method <= ZSTD; method++) {
            bytes_t good = version ? pack(mine, 4, version, method) : plain(mine, 4);
            kiln_sim_error_t error;
            for (size_t size = 0; size < good.size; size++)
                free(unbundle((bytes_t){good.data, size}, &error));
            for (unsigned round = 0; round < 3000; round++) {
                bytes_t changed = {0};
                add(&changed, good.data, good.size);
                for (unsigned i = 0; i <= round % 3; i++) {
                    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
                    changed.data[random % changed.size] = (uint8_t)(random >> 32);
                }
                free(unbundle(changed, &error));
                free(changed.data);
            }
            free(good.data);
        }
    }
}

// ---- by HIP

static char *assemble(const char *cpu, const char *kernel, size_t *size)
{
    static const char path[] = KILN_BINARY_DIR "/test/sim_bundle.hsaco";
    char command[1024];
    snprintf(command, sizeof command,
             "printf '.include \"kernel.inc\"\\nkernel %s\\n  s_endpgm\\n' | clang-22 -target "
             "amdgcn-amd-amdhsa -mcpu=%s "
             "-mcode-object-version=6 -I" KILN_SOURCE_DIR
             "/test/unit/sim_check -x assembler - -o %s",
             kernel, cpu, path);
    assert_int_equal(system(command), 0);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *object = malloc(1 << 16);
    *size = fread(object, 1, 1 << 16, file);
    fclose(file);
    return object;
}

// A bundle with one code object, which has this kernel.
static bytes_t with_kernel(const char *cpu, const char *target, const char *kernel,
                           unsigned version)
{
    entry_t entries[2] = {{"host-x86_64-unknown-linux-gnu-", ""}, {target, ""}};
    size_t size;
    char *object = assemble(cpu, kernel, &size);
    bytes_t inside = plain(entries, 2);
    const size_t table = 24 + 8 + 24 + strlen(entries[0].name);
    const uint64_t place[2] = {inside.size, size};
    memcpy(inside.data + table, place, sizeof place);
    add(&inside, object, size);
    bytes_t packed = compressed(inside, ZSTD),
            made = with_header(packed, version, ZSTD, inside.size);
    free(packed.data);
    free(inside.data);
    free(object);
    return made;
}

static void hip_loads_them(void **state)
{
    (void)state;
    static const char path[] = KILN_BINARY_DIR "/test/sim_bundle.co";
    bytes_t exact = with_kernel("gfx942", "hip-amdgcn-amd-amdhsa-gfx942:xnack-", "exact", 2),
            generic = with_kernel("gfx9-4-generic", "hipv4-amdgcn-amd-amdhsa--gfx9-4-generic",
                                  "generic", 1),
            other = with_kernel("gfx90a", "hipv4-amdgcn-amd-amdhsa--gfx90a", "other", 3);
    const struct {
        bytes_t bundle;
        const char *kernel;
    } cases[] = {{exact, "exact"}, {generic, "generic"}, {other, NULL}};
    for (unsigned i = 0; i < 3; i++) {
        hipModule_t module;
        hipFunction_t function;
        FILE *file = fopen(path, "wb");
        assert_int_equal(fwrite(cases[i].bundle.data, 1, cases[i].bundle.size, file),
                         cases[i].bundle.size);
        fclose(file);
        memcpy(window + ROOM - cases[i].bundle.size, cases[i].bundle.data, cases[i].bundle.size);
        for (unsigned from_file = 0; from_file < 2; from_file++) {
            hipError_t result =
                from_file ? hipModuleLoad(&module, path)
                          : hipModuleLoadData(&module, window + ROOM - cases[i].bundle.size);
            assert_int_equal(result, cases[i].kernel ? 0 : 209);
            if (result)
                continue;
            assert_int_equal(hipModuleGetFunction(&function, module, cases[i].kernel), 0);
            assert_int_equal(
                hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL), 0);
            assert_int_equal(hipModuleUnload(module), 0);
        }
        assert_int_equal(unlink(path), 0);
    }

    // The bundle as a program registers it; the wrapper points into a section.
    bytes_t section = {0};
    add(&section, exact.data, exact.size);
    add(&section, NULL, 4096 - exact.size % 4096);
    add(&section, other.data, other.size);
    struct {
        uint32_t magic, version;
        const void *binary;
        void *unused;
    } header = {0x48495046, 1, section.data, NULL};
    char name[] = "exact", host = 0; // only the address of `host` counts
    hip_dim3_t one = {1, 1, 1}, wave = {64, 1, 1};
    void **owner = __hipRegisterFatBinary(&header);
    __hipRegisterFunction(owner, &host, name, name, 0, NULL, NULL, NULL, NULL, NULL);
    assert_int_equal(hipLaunchKernel(&host, one, wave, NULL, 0, NULL), 0);
    assert_int_equal(hipDeviceSynchronize(), 0);
    __hipUnregisterFatBinary(owner);
    free(section.data);
    free(exact.data);
    free(generic.data);
    free(other.data);
}

static int open_window(void **state)
{
    (void)state;
    window = mmap(NULL, ROOM + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return window == MAP_FAILED || mprotect(window + ROOM, 4096, PROT_NONE);
}

static int close_window(void **state)
{
    (void)state;
    return munmap(window, ROOM + 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_are_distinguished),
        cmocka_unit_test(every_version_and_method_is_read),
        cmocka_unit_test(what_clang_makes_is_read),
        cmocka_unit_test(bundles_follow_one_another),
        cmocka_unit_test(frames_follow_one_another),
        cmocka_unit_test(false_claims_are_refused),
        cmocka_unit_test(other_images_are_elf_files),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(hip_loads_them),
    };
    return cmocka_run_group_tests(tests, open_window, close_window);
}
