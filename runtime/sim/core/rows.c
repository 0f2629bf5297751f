// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the row of an instruction by its mnemonic, in the build of the handlers that suits this host.
//
// What a reader gets wrong: the tables of all builds list the same instructions; only the handlers differ. Which build
// is used is decided once per process.
#include <pthread.h>
#include <stdlib.h>

#include "core/decode.h"

#ifdef __x86_64__
#define VARIANTS(V) V(generic) V(avx2) V(avx512)
#else
#define VARIANTS(V) V(generic)
#endif

#define TABLE_OF(table, variant) kiln_sim_rows_##table##_##variant
#define DECLARE(table, variant) extern const kiln_sim_rows_t TABLE_OF(table, variant);
#define DECLARE_VARIANT(variant) KILN_SIM_ROW_TABLES_OF(DECLARE, variant)
VARIANTS(DECLARE_VARIANT)

typedef struct variant {
    const char *name;
    const kiln_sim_rows_t *tables[16];
} variant_t;

#define ENTRY(table, variant) &TABLE_OF(table, variant),
#define VARIANT(variant) {#variant, {KILN_SIM_ROW_TABLES_OF(ENTRY, variant)}},
static const variant_t variants[] = {VARIANTS(VARIANT)};

#define SLOTS 8192
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const kiln_sim_row_t *slots[SLOTS]; // open addressing; written once
static const variant_t *chosen;

static uint32_t hash(const char *name, size_t length)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (uint8_t)name[i]) * 16777619u;
    return h;
}

static const variant_t *choose_variant(void)
{
    size_t best = 0;
#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        best = 1;
    if (best == 1 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        best = 2;
    const char *wanted = getenv("KILN_SIM_VARIANT");
    for (size_t i = 0; wanted && i < best; i++) {
        if (strcmp(variants[i].name, wanted) == 0)
            best = i;
    }
#endif
    return &variants[best];
}

static void build(void)
{
    chosen = choose_variant();
    for (size_t t = 0; t < sizeof chosen->tables / sizeof chosen->tables[0] && chosen->tables[t]; t++) {
        for (size_t i = 0; i < chosen->tables[t]->count; i++) {
            const kiln_sim_row_t *row = &chosen->tables[t]->rows[i];
            uint32_t at = hash(row->name, strlen(row->name)) % SLOTS;
            while (slots[at])
                at = (at + 1) % SLOTS;
            slots[at] = row;
        }
    }
}

static const kiln_sim_row_t *find(const char *name, size_t length)
{
    for (uint32_t at = hash(name, length) % SLOTS; slots[at]; at = (at + 1) % SLOTS) {
        if (strncmp(slots[at]->name, name, length) == 0 && slots[at]->name[length] == 0)
            return slots[at];
    }
    return NULL;
}

const kiln_sim_row_t *kiln_sim_row_find(const char *text)
{
    static const char *const suffixes[] = {"_e32", "_e64", "_sdwa", "_dpp"};
    pthread_once(&once, build);
    size_t length = strcspn(text, " ");
    const kiln_sim_row_t *row = find(text, length);
    for (size_t i = 0; !row && i < sizeof suffixes / sizeof suffixes[0]; i++) {
        size_t suffix = strlen(suffixes[i]);
        if (length > suffix && strncmp(text + length - suffix, suffixes[i], suffix) == 0)
            row = find(text, length - suffix);
    }
    return row;
}
