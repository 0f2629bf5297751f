// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the row of an instruction by its mnemonic, in the variant of the handlers that suits this
// host. The tables of all variants list the same instructions; only the handlers differ.
#include <pthread.h>

#include "decode/decode.h"

#ifdef __x86_64__
#define VARIANTS(V) V(generic) V(avx2) V(avx512)
#else
#define VARIANTS(V) V(generic)
#endif

#define TABLE_OF(table, variant) kiln_sim_rows_##table##_##variant
#define DECLARE(table, variant) extern const kiln_sim_rows_t TABLE_OF(table, variant);
#define DECLARE_VARIANT(variant) KILN_SIM_ROW_TABLES_OF(DECLARE, variant)
VARIANTS(DECLARE_VARIANT)

enum { SLOTS = 8192 };
struct kiln_sim_variant {
    const char *name;
    const kiln_sim_rows_t *tables[16];
    const kiln_sim_row_t *slots[SLOTS]; // open addressing; written once
};

#define ENTRY(table, variant) &TABLE_OF(table, variant),
#define VARIANT(variant) {#variant, {KILN_SIM_ROW_TABLES_OF(ENTRY, variant)}, {0}},
static kiln_sim_variant_t variants[] = {VARIANTS(VARIANT)}; // in ascending order of preference
static size_t best; // index of the best variant for this host
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint32_t hash(const char *name, size_t length)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (uint8_t)name[i]) * 16777619u;
    return h;
}

static void add(kiln_sim_variant_t *variant, const kiln_sim_row_t *row)
{
    uint32_t at = hash(row->name, strlen(row->name)) % SLOTS;
    while (variant->slots[at])
        at = (at + 1) % SLOTS;
    variant->slots[at] = row;
}

static void prepare(void)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        best = 1;
    if (best == 1 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd"))
        best = 2;
#endif
    for (size_t v = 0; v <= best; v++)
        for (const kiln_sim_rows_t *const *table = variants[v].tables; *table; table++)
            for (size_t i = 0; i < (*table)->count; i++)
                add(&variants[v], &(*table)->rows[i]);
}

const kiln_sim_variant_t *kiln_sim_variant_find(const char *name)
{
    pthread_once(&once, prepare);
    for (size_t i = 0; i < best; i++)
        if (strcmp(variants[i].name, name) == 0)
            return &variants[i];
    return &variants[best];
}

static const kiln_sim_row_t *find(const kiln_sim_variant_t *variant, const char *name,
                                  size_t length)
{
    const kiln_sim_row_t *const *slots = variant->slots;
    for (uint32_t at = hash(name, length) % SLOTS; slots[at]; at = (at + 1) % SLOTS) {
        if (strncmp(slots[at]->name, name, length) == 0 && slots[at]->name[length] == 0)
            return slots[at];
    }
    return NULL;
}

const kiln_sim_row_t *kiln_sim_row_find(const kiln_sim_variant_t *variant, const char *text)
{
    static const char *const suffixes[] = {"_e32", "_e64", "_sdwa", "_dpp"};
    size_t length = strcspn(text, " ");
    const kiln_sim_row_t *row = find(variant, text, length);
    for (size_t i = 0; !row && i < sizeof suffixes / sizeof suffixes[0]; i++) {
        size_t suffix = strlen(suffixes[i]);
        if (length > suffix && strncmp(text + length - suffix, suffixes[i], suffix) == 0)
            row = find(variant, text, length - suffix);
    }
    return row;
}
