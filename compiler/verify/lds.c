// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LDS instructions: every row of the simulator's tables, except those of GWS, which a driver must
// reserve for a process.
//
// LDS is filled from v[16:23] before: 16 bytes a lane, then again from byte 2048 on, which is where
// the second access of the "2st64" instructions goes. It is read back afterwards.
#include <stdlib.h>
#include <string.h>

#include "verify/memory.h"

#define COUNT_NONE 0
#define COUNT_U32 1
#define COUNT_U64 2
#define COUNT_B96 3
#define COUNT_B128 4
#define COUNT_u32 1
#define COUNT_i32 1
#define COUNT_f32 1
#define COUNT_u64 2
#define COUNT_i64 2
#define COUNT_f64 2

// An instruction: dwords of the result, of the two data operands, and whether it has an address.
typedef struct row {
    const char *name, *type;
    unsigned d, a, b;
    bool has_address;
    kiln_verify_place_t place;
    bool commutes; // order does not show if all lanes access one place
} row_t;

static const row_t rows[] = {
#define LOAD(vmem, ds, bytes, ...) {#ds, "u32", 1, 0, 0, true, KILN_VERIFY_ANYWHERE, false},
#define LOADX(vmem, ds, dwords, D) {#ds, "u32", COUNT_##D, 0, 0, true, KILN_VERIFY_ANYWHERE, false},
#define STORE(vmem, ds, bytes, ...) {#ds, "u32", 0, 1, 0, true, KILN_VERIFY_OWN, false},
#define STOREX(vmem, ds, dwords, D) {#ds, "u32", 0, COUNT_##D, 0, true, KILN_VERIFY_OWN, false},
#include "sim/isa/memory.def"
#undef LOAD
#undef LOADX
#undef STORE
#undef STOREX
#define PAIR(ds, rtn, type, drawn, commutes)                                                       \
    {#ds, drawn, 0, COUNT_##type, 0, true, KILN_VERIFY_OWN_8, commutes},                           \
        {#rtn, drawn, COUNT_##type, COUNT_##type, 0, true, KILN_VERIFY_OWN_8, false},
#define SWAP(vmem, rtn, type, ...)                                                                 \
    {#rtn, #type, COUNT_##type, COUNT_##type, 0, true, KILN_VERIFY_OWN_8, false},
#define ATOMIC(vmem, ds, rtn, type, ...) PAIR(ds, rtn, type, #type, true)
#define CMPSWAP(vmem, ds, rtn, type, ...)                                                          \
    {#ds, #type, 0, COUNT_##type, COUNT_##type, true, KILN_VERIFY_OWN_8, false},                   \
        {#rtn, #type, COUNT_##type, COUNT_##type, COUNT_##type, true, KILN_VERIFY_OWN_8, false},
#define ATOMIC_FLOAT(vmem, ds, rtn, type, ...) PAIR(ds, rtn, type, DRAWN_##ds, false)
#define ATOMIC_FLOAT_FLAT ATOMIC_FLOAT
#define DRAWN_add_f32 "f32"
#define DRAWN_pk_add_f16 "v2f16"
#define DRAWN_pk_add_bf16 "BF16"
#define DRAWN_add_f64 "f64"
#define DRAWN_min_f64 "f64"
#define DRAWN_max_f64 "f64"
#define ATOMIC_DS(ds, rtn, type, ...) PAIR(ds, rtn, type, #type, false)
#include "sim/isa/atomic.def"
#undef SWAP
#undef ATOMIC
#undef CMPSWAP
#undef ATOMIC_FLOAT
#undef ATOMIC_FLOAT_FLAT
#undef ATOMIC_DS
#define DS(name, d, address, a, b, ...)                                                            \
    {#name, "u32", COUNT_##d, COUNT_##a, COUNT_##b, COUNT_##address > 0, KILN_VERIFY_OWN_8, false},
#define DS_ATOMIC(name, type, operands, returns, ...)                                              \
    {#name,                                                                                        \
     #type,                                                                                        \
     (returns) ? COUNT_##type : 0,                                                                 \
     COUNT_##type,                                                                                 \
     (operands) == 2 ? COUNT_##type : 0,                                                           \
     true,                                                                                         \
     KILN_VERIFY_OWN_8,                                                                            \
     false},
#define GWS(...)
#include "sim/isa/ds.def"
#undef DS
#undef DS_ATOMIC
#undef GWS
};

// Offsets of instructions that have two, or whose offset is an operation.
static const struct {
    const char *name, *offsets;
} offsets[] = {
    {"read2st64_b32", " offset0:0 offset1:8"},
    {"read2st64_b64", " offset0:0 offset1:4"},
    {"write2st64_b32", " offset0:0 offset1:8"},
    {"write2st64_b64", " offset0:0 offset1:4"},
    {"wrxchg2st64_rtn_b32", " offset0:0 offset1:8"},
    {"wrxchg2st64_rtn_b64", " offset0:0 offset1:4"},
    {"read2_b32", " offset0:0 offset1:3"},
    {"read2_b64", " offset0:1 offset1:2"},
    {"write2_b32", " offset0:1 offset1:0"},
    {"write2_b64", " offset0:0 offset1:128"},
    {"wrxchg2_rtn_b32", " offset0:1 offset1:0"},
    {"wrxchg2_rtn_b64", " offset0:0 offset1:128"},
    {"swizzle_b32", " offset:0x8055"},
    {"append", " offset:8"},
    {"consume", " offset:12"},
    {"read_addtid_b32", " offset:64"},
    {"write_addtid_b32", " offset:2048"},
};

static const char *offsets_of(const char *name)
{
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        if (strcmp(offsets[i].name, name) == 0)
            return offsets[i].offsets;
    return "";
}

// "v24, v13, v8, v10": the operands that an instruction has.
static char *operands_of(const row_t *row)
{
    const bool moves = strstr(row->name, "permute") || strstr(row->name, "swizzle");
    kiln_string_t out = {0};
    const char *comma = " ";
    kiln_string_append(&out, "");
    if (row->d)
        kiln_string_appendf(&out, " %s", kiln_verify_registers(24, row->d)), comma = ", ";
    if (row->has_address)
        kiln_string_appendf(&out, "%s%s", comma, moves ? "v8" : "v13"), comma = ", ";
    if (row->a)
        kiln_string_appendf(&out, "%s%s", comma, kiln_verify_registers(moves ? 10 : 8, row->a)),
            comma = ", ";
    if (row->b)
        kiln_string_appendf(&out, "%s%s", comma, kiln_verify_registers(10, row->b));
    kiln_string_append(&out, offsets_of(row->name));
    kiln_string_append(&out, "\n");
    return kiln_string_take(&out);
}

static kiln_status_t add(kiln_verify_accesses_t *io, const row_t *row)
{
    kiln_verify_access_t access = {
        .place = row->place, .data = row->type, .setup = "", .suffix = ""};
    char *operands = operands_of(row);
    kiln_status_t status = operands
                               ? kiln_verify_access_add(io, access, "ds_%s%s", row->name, operands)
                               : kiln_status_out_of_memory();
    access.place = KILN_VERIFY_ONE;
    access.suffix = " (all lanes to one place)";
    if (!status && row->commutes && !strstr(row->name, "inc") && !strstr(row->name, "dec"))
        status = kiln_verify_access_add(io, access, "ds_%s%s", row->name, operands);
    free(operands);
    return status;
}

static kiln_status_t list(kiln_verify_accesses_t *io)
{
    static const char *const swizzles[] = {"0x80e4", "0x801b", "0x041f", "0x7c1f", "0xc0a0"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        KILN_TRY(add(io, &rows[i]));
    for (size_t i = 0; i < sizeof swizzles / sizeof *swizzles; i++)
        KILN_TRY(kiln_verify_access_add(
            io,
            (kiln_verify_access_t){
                .place = KILN_VERIFY_OWN, .data = "u32", .setup = "", .suffix = ""},
            "ds_swizzle_b32 v24, v8 offset:%s\n", swizzles[i]));
    return KILN_OK;
}

static const kiln_verify_memory_family_t family = {
    .id = KILN_VERIFY_lds,
    .results = 16,
    .reach = 1000,
    .uses_lds = true,
    .before = "v_lshlrev_b32 v5, 4, v0\n"
              "s_mov_b32 m0, 0\n"
              "ds_write_b128 v5, v[16:19]\n"
              "ds_write_b128 v5, v[20:23] offset:1024\n"
              "ds_write_b128 v5, v[20:23] offset:2048\n"
              "ds_write_b128 v5, v[16:19] offset:3072\n"
              "s_waitcnt lgkmcnt(0)\n",
    .after = "ds_read_b128 v[28:31], v5\n"
             "ds_read_b128 v[32:35], v5 offset:1024\n"
             "ds_read_b128 v[36:39], v5 offset:2048\n"
             "s_waitcnt lgkmcnt(0)\n",
    .list = list,
};

kiln_status_t kiln_verify_list_lds(kiln_verify_run_t *io_run)
{
    return kiln_verify_memory_list(io_run, &family);
}

void kiln_verify_run_lds(kiln_verify_context_t *context, size_t index, kiln_verify_result_t *result)
{
    kiln_verify_memory_run(context, &family, index, result);
}
