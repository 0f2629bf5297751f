// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffer instructions: each row of the simulator's tables with the resources of buffers.def, which
// vary bounds, alignment and swizzling; formats of typed and untyped accesses.
#include <string.h>

#include "verify/memory.h"

enum { LOAD = 1, STORE = 2, NARROW = 4 };

typedef struct resource {
    const char *suffix;
    unsigned kinds;
    const char *setup;      // makes the V# in s[36:39]
    const char *addressing; // NULL: of format accesses
} resource_t;

#define TEXT_OF(x) #x
#define V(high, records, word3)                                                                    \
    "s_mov_b32 s34, 64\n"                                                                          \
    "s_mov_b32 s36, s8\n"                                                                          \
    "s_and_b32 s37, s9, 0xffff\n"                                                                  \
    "s_or_b32 s37, s37, " TEXT_OF(high##0000) "\n"                                                 \
                                              "s_mov_b32 s38, " TEXT_OF(                           \
                                                  records) "\n"                                    \
                                                           "s_mov_b32 s39, " TEXT_OF(word3) "\n"

static const resource_t resources[] = {
#define RESOURCE(suffix, kinds, high, records, word3, addressing)                                  \
    {" (" suffix ")", kinds, V(high, records, word3), addressing},
#include "verify/buffers.def"
};

static const resource_t formats[] = {
#define FORMAT_RESOURCE(suffix, word3) {" (" suffix ")", LOAD | STORE, V(0x0000, 950, word3), NULL},
#include "verify/buffers.def"
};

static const char *const typed[] = {
#define TYPED(format) format,
#include "verify/buffers.def"
};

// ---- rows

typedef enum kind { LOADS, STORES, ATOMICS } kind_t;

typedef struct row {
    const char *name, *type;
    kind_t kind;
    unsigned dwords, operand; // of a result or data register; of an atomic's operand
} row_t;

#define DWORDS_U32 1
#define DWORDS_U64 2
#define DWORDS_B96 3
#define DWORDS_B128 4
#define DWORDS_u32 1
#define DWORDS_i32 1
#define DWORDS_f32 1
#define DWORDS_u64 2
#define DWORDS_i64 2
#define DWORDS_f64 2

static const row_t rows[] = {
#define LOAD(name, ds, bytes, ...) {#name, "u32", LOADS, 1, 1},
#define LOADX(name, ds, count, D) {#name, "u32", LOADS, DWORDS_##D, 1},
#define STORE(name, ds, bytes, ...) {#name, "u32", STORES, 1, 1},
#define STOREX(name, ds, count, D) {#name, "u32", STORES, DWORDS_##D, 1},
#include "sim/isa/memory.def"
#undef LOAD
#undef LOADX
#undef STORE
#undef STOREX
#define SWAP(name, ds, type, ...) {#name, #type, ATOMICS, DWORDS_##type, DWORDS_##type},
#define ATOMIC(name, ds, rtn, type, ...) {#name, #type, ATOMICS, DWORDS_##type, DWORDS_##type},
#define CMPSWAP(name, ds, rtn, type, ...) {#name, #type, ATOMICS, DWORDS_##type, 2 * DWORDS_##type},
#define ATOMIC_FLOAT(name, ds, rtn, type, ...)                                                     \
    {#name, FLOAT_##name, ATOMICS, DWORDS_##type, DWORDS_##type},
#define ATOMIC_FLOAT_FLAT(...) // not for buffers
#define ATOMIC_DS(...)
#define FLOAT_atomic_add_f32 "f32"
#define FLOAT_atomic_pk_add_f16 "v2f16"
#define FLOAT_atomic_add_f64 "f64"
#define FLOAT_atomic_min_f64 "f64"
#define FLOAT_atomic_max_f64 "f64"
#include "sim/isa/atomic.def"
#undef SWAP
#undef ATOMIC
#undef CMPSWAP
#undef ATOMIC_FLOAT
#undef ATOMIC_FLOAT_FLAT
#undef ATOMIC_DS
};

static const struct {
    row_t row;
    bool has_typed; // a tbuffer form
} format_rows[] = {
#define FORMAT_LOAD(name, components, width, D) {{#name, "u32", LOADS, DWORDS_##D, 1}, true},
#define FORMAT_LOAD_HIGH(name, components, width, D) {{#name, "u32", LOADS, DWORDS_##D, 1}, false},
#define FORMAT_STORE(name, components, width, D) {{#name, "f32", STORES, DWORDS_##D, 1}, true},
#define FORMAT_STORE_HIGH(name, components, width, D)                                              \
    {{#name, "f32", STORES, DWORDS_##D, 1}, false},
#include "sim/isa/format.def"
#undef FORMAT_LOAD
#undef FORMAT_LOAD_HIGH
#undef FORMAT_STORE
#undef FORMAT_STORE_HIGH
};

// ---- the list

static bool fits(const row_t *row, const resource_t *resource)
{
    if (row->kind == LOADS)
        return resource->kinds & LOAD;
    return (resource->kinds & STORE) || ((resource->kinds & NARROW) && row->dwords == 1);
}

// Whether an atomic is aligned with that addressing: an odd offset faults.
static bool is_aligned(const resource_t *resource)
{
    return !strstr(resource->addressing, "offset:3");
}

static kiln_status_t add(kiln_verify_accesses_t *io, const row_t *row, const resource_t *resource)
{
    const kiln_verify_access_t access = {.place = row->kind == LOADS    ? KILN_VERIFY_ANYWHERE
                                                  : row->kind == STORES ? KILN_VERIFY_OWN
                                                                        : KILN_VERIFY_OWN_8,
                                         .data = row->type,
                                         .setup = resource->setup,
                                         .suffix = resource->suffix};
    if (row->kind != ATOMICS)
        return kiln_verify_access_add(
            io, access, "buffer_%s %s, %s\n", row->name,
            kiln_verify_registers(row->kind == LOADS ? 24 : 8, row->dwords), resource->addressing);
    if (!is_aligned(resource))
        return KILN_OK;
    // The data register of an atomic also gets the old value.
    return kiln_verify_access_add(io, access,
                                  "buffer_%s %s, %s sc0\nv_mov_b32 v24, v8\nv_mov_b32 "
                                  "v25, v9\n",
                                  row->name, kiln_verify_registers(8, row->operand),
                                  resource->addressing);
}

static kiln_status_t add_format(kiln_verify_accesses_t *io, const row_t *row, bool has_typed)
{
    const char *data = kiln_verify_registers(row->kind == LOADS ? 24 : 8, row->dwords);
    kiln_verify_access_t access = {
        .place = row->kind == LOADS ? KILN_VERIFY_ALIGNED : KILN_VERIFY_OWN_8, .data = row->type};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        access.setup = formats[i].setup;
        access.suffix = formats[i].suffix;
        KILN_TRY(kiln_verify_access_add(io, access, "buffer_%s %s, v13, s[36:39], 0 offen\n",
                                        row->name, data));
    }
    access.setup = resources[0].setup;
    access.suffix = "";
    for (size_t i = 0; has_typed && i < sizeof typed / sizeof *typed; i++)
        KILN_TRY(kiln_verify_access_add(io, access,
                                        "tbuffer_%s %s, v13, s[36:39], 0 format:[%s] offen\n",
                                        row->name, data, typed[i]));
    return KILN_OK;
}

static kiln_status_t list(kiln_verify_accesses_t *io)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t r = 0; r < sizeof resources / sizeof *resources; r++)
            if (fits(&rows[i], &resources[r]))
                KILN_TRY(add(io, &rows[i], &resources[r]));
    for (size_t i = 0; i < sizeof format_rows / sizeof *format_rows; i++)
        KILN_TRY(add_format(io, &format_rows[i].row, format_rows[i].has_typed));
    return KILN_OK;
}

static const kiln_verify_memory_family_t family = {
    .id = KILN_VERIFY_buffer,
    .results = 4,
    .memory = 4096,
    .reach = 1000,
    .before = "",
    .after = "",
    .list = list,
};

kiln_status_t kiln_verify_list_buffer(kiln_verify_run_t *io_run)
{
    return kiln_verify_memory_list(io_run, &family);
}

void kiln_verify_run_buffer(kiln_verify_context_t *context, size_t index,
                            kiln_verify_result_t *result)
{
    kiln_verify_memory_run(context, &family, index, result);
}
