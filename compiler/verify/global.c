// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics of global memory, by global and flat instructions: every row of the
// simulator's tables.
#include <string.h>

#include "verify/memory.h"

typedef struct row {
    const char *name;
    unsigned dwords; // of the data register, or of a load's result
    const char *type;
    enum { LOADS, STORES, SWAPS, ADDS } kind; // SWAPS: atomics whose order shows in memory
    unsigned factor; // dwords of an atomic's operand: 2 of compare and swap
} row_t;

#define DWORDS_U32 1
#define DWORDS_U64 2
#define DWORDS_B96 3
#define DWORDS_B128 4
#define SIZE_u32 1
#define SIZE_i32 1
#define SIZE_f32 1
#define SIZE_u64 2
#define SIZE_i64 2
#define SIZE_f64 2

static const row_t rows[] = {
#define LOAD(name, ds, bytes, ...) {#name, 1, "u32", LOADS, 1},
#define LOADX(name, ds, count, D) {#name, DWORDS_##D, "u32", LOADS, 1},
#define STORE(name, ds, bytes, ...) {#name, 1, "u32", STORES, 1},
#define STOREX(name, ds, count, D) {#name, DWORDS_##D, "u32", STORES, 1},
#include "sim/isa/memory.def"
#undef LOAD
#undef LOADX
#undef STORE
#undef STOREX
#define SWAP(name, ds, type, ...) {#name, SIZE_##type, #type, SWAPS, 1},
#define ATOMIC(name, ds, rtn, type, ...) {#name, SIZE_##type, #type, ADDS, 1},
#define CMPSWAP(name, ds, rtn, type, ...) {#name, SIZE_##type, #type, SWAPS, 2},
#define ATOMIC_FLOAT(name, ds, rtn, type, ...) {#name, SIZE_##type, FLOAT_##name, SWAPS, 1},
#define ATOMIC_FLOAT_FLAT ATOMIC_FLOAT
#define FLOAT_atomic_add_f32 "f32"
#define FLOAT_atomic_pk_add_f16 "v2f16"
#define FLOAT_atomic_pk_add_bf16 "BF16"
#define FLOAT_atomic_add_f64 "f64"
#define FLOAT_atomic_min_f64 "f64"
#define FLOAT_atomic_max_f64 "f64"
#define ATOMIC_DS(...)
#include "sim/isa/atomic.def"
#undef SWAP
#undef ATOMIC
#undef CMPSWAP
#undef ATOMIC_FLOAT
#undef ATOMIC_FLOAT_FLAT
#undef ATOMIC_DS
};

static kiln_status_t add_load(kiln_verify_accesses_t *io, const row_t *row)
{
    const kiln_verify_access_t access = {
        .place = KILN_VERIFY_ANYWHERE, .data = "u32", .setup = "", .suffix = ""};
    const char *to = kiln_verify_registers(24, row->dwords);
    KILN_TRY(
        kiln_verify_access_add(io, access, "global_%s %s, v13, s[8:9] offset:9\n", row->name, to));
    KILN_TRY(kiln_verify_access_add(io, access, "global_%s %s, v[14:15], off offset:-4\n",
                                    row->name, to));
    return kiln_verify_access_add(io, access, "flat_%s %s, v[14:15] offset:3\n", row->name, to);
}

static kiln_status_t add_store(kiln_verify_accesses_t *io, const row_t *row)
{
    const kiln_verify_access_t access = {
        .place = KILN_VERIFY_OWN, .data = "u32", .setup = "", .suffix = ""};
    const char *from = kiln_verify_registers(8, row->dwords);
    KILN_TRY(kiln_verify_access_add(io, access, "global_%s v13, %s, s[8:9] offset:5\n", row->name,
                                    from));
    return kiln_verify_access_add(io, access, "flat_%s v[14:15], %s\n", row->name, from);
}

static kiln_status_t add_atomic(kiln_verify_accesses_t *io, const row_t *row)
{
    kiln_verify_access_t access = {
        .place = KILN_VERIFY_OWN_8, .data = row->type, .setup = "", .suffix = ""};
    const char *to = kiln_verify_registers(24, row->dwords),
               *from = kiln_verify_registers(8, row->dwords * row->factor);
    KILN_TRY(kiln_verify_access_add(io, access, "global_%s v13, %s, s[8:9]\n", row->name, from));
    KILN_TRY(kiln_verify_access_add(io, access, "global_%s %s, v13, %s, s[8:9] sc0\n", row->name,
                                    to, from));
    KILN_TRY(
        kiln_verify_access_add(io, access, "flat_%s %s, v[14:15], %s sc0\n", row->name, to, from));
    access.place = KILN_VERIFY_ONE;
    access.suffix = " (all lanes to one place)";
    return row->kind == ADDS && !strstr(row->name, "inc") && !strstr(row->name, "dec")
               ? kiln_verify_access_add(io, access, "global_%s v13, %s, s[8:9]\n", row->name, from)
               : KILN_OK;
}

static kiln_status_t list(kiln_verify_accesses_t *io)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        KILN_TRY(rows[i].kind == LOADS    ? add_load(io, &rows[i])
                 : rows[i].kind == STORES ? add_store(io, &rows[i])
                                          : add_atomic(io, &rows[i]));
    return KILN_OK;
}

// v[14:15] becomes the address of the offset. The area begins 16 bytes in, for negative offsets.
static const kiln_verify_memory_family_t family = {
    .id = KILN_VERIFY_global,
    .results = 4,
    .memory = 2048,
    .reach = 1900,
    .before = "s_add_u32 s8, s8, 16\n"
              "s_addc_u32 s9, s9, 0\n"
              "v_mov_b32 v15, s9\n"
              "v_add_co_u32 v14, vcc, s8, v13\n"
              "v_addc_co_u32 v15, vcc, 0, v15, vcc\n",
    .after = "",
    .list = list,
};

kiln_status_t kiln_verify_list_global(kiln_verify_run_t *io_run)
{
    return kiln_verify_memory_list(io_run, &family);
}

void kiln_verify_run_global(kiln_verify_context_t *context, size_t index,
                            kiln_verify_result_t *result)
{
    kiln_verify_memory_run(context, &family, index, result);
}
