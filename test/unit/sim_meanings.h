// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each instruction the table that contains its row, and the row's meaning as written there.
//
// Idea: include the tables of isa/ again, with macros that create strings. A row without an entry
// fails sim_instructions_test.
#ifndef KILN_TEST_SIM_MEANINGS_H
#define KILN_TEST_SIM_MEANINGS_H

typedef struct meaning {
    const char *table, *name, *text;
} meaning_t;

#define E(name, ...) {TABLE, name, #__VA_ARGS__},
#define VMEM(name, ...)                                                                            \
    E("flat_" #name, __VA_ARGS__) E("global_" #name, __VA_ARGS__) E("buffer_" #name, __VA_ARGS__)
#define MEMORY(vmem, ds, ...)                                                                      \
    VMEM(vmem, __VA_ARGS__) E("scratch_" #vmem, __VA_ARGS__) E("ds_" #ds, __VA_ARGS__)
#define SMEM(name, ...) E("s_" #name, __VA_ARGS__) E("s_buffer_" #name, __VA_ARGS__)

static const meaning_t meanings[] = {
#define TABLE "sop"
#define SOP2(name, D, A, B, ...) E(#name, __VA_ARGS__)
#define SOP1(name, D, A, ...) E(#name, __VA_ARGS__)
#define SAVEEXEC(name, ...) E(#name, d = exec; exec = __VA_ARGS__)
#define WREXEC(name, ...) E(#name, d = exec = __VA_ARGS__)
#define SOPC(name, A, B, ...) E(#name, scc = __VA_ARGS__)
#define SOPK(name, D, ...) E(#name, __VA_ARGS__)
#define SOPKC(name, A, ...) E(#name, scc = __VA_ARGS__)
#include "isa/sop.def"
#undef TABLE
#define TABLE "sopp"
#define CONTROL(name, format, class, flags, D, A, B, ...) E(#name, __VA_ARGS__)
#include "isa/sopp.def"
#undef TABLE
#define TABLE "smem"
#define LOAD(name, base, dwords, type) E(#name, d = dwords dwords at a base)
#define STORE(name, base, dwords, type) E(#name, dwords dwords at a base = data)
#define PLAIN(name, D, ...) E(#name, __VA_ARGS__)
#define HINT(name, base) E(#name, (void)0)
#include "isa/smem.def"
#undef LOAD
#undef STORE
#undef TABLE
#define TABLE "vop1"
#define VOP1(name, D, A, ...) E(#name, __VA_ARGS__)
#define TRANS VOP1
#define QUARTER VOP1
#define VOP1_SELECT VOP1
#define VOP1_OWN(name, D, A, flags, handler) E(#name, handler)
#include "isa/vop1.def"
#undef TABLE
#define TABLE "vop2"
#define VOP2(name, T, ...) E(#name, __VA_ARGS__)
#define VOP2_MIXED(name, D, A, B, ...) E(#name, __VA_ARGS__)
#define VOP2_CLAMPED VOP2
#define VOP2_CARRY VOP2
#define VOP2_CARRY_IN VOP2
#define VOP2_SELECT VOP2
#define VOP2_ACCUMULATE(name, D, A, B, saturates, ...) E(#name, __VA_ARGS__)
#define VOP2_ACCUMULATE_BITS(name, D, T, C, ...) E(#name, __VA_ARGS__)
#define VOP2_LITERAL(name, T, flag, ...) E(#name, __VA_ARGS__)
#include "isa/vop2.def"
#undef TABLE
#define TABLE "vopc"
#define COMPARE(name, T, ...) E("v_cmp_" #name, __VA_ARGS__) E("v_cmpx_" #name, exec = __VA_ARGS__)
#define COMPARE_CLASS(name, A, B, ...) COMPARE(name, A, __VA_ARGS__)
#include "isa/vopc.def"
#undef TABLE
#define TABLE "vop3"
#define VOP3(name, D, A, B, C, ...) E(#name, __VA_ARGS__)
#define VOP3_CLAMPED VOP3
#define VOP3_HALVES VOP3
#define VOP3_ROWS VOP3
#define VOP3_ROWS_CARRY VOP3
#define VOP3_HALVES_CLAMPED VOP3
#define VOP3_HALF VOP3
#define VOP3_HALF_CLAMPED VOP3
#define VOP3_BYTE VOP3
#define VOP3_ACCUMULATE VOP3
#define VOP3_CARRY(name, D, A, B, C, type, ...) E(#name, __VA_ARGS__)
#define VOP3_WIDE VOP3_CARRY
#define VOP3_OWN(name, D, A, B, C, flags, handler) E(#name, handler)
#include "isa/vop3.def"
#undef TABLE
#define TABLE "vop3p"
#define PACKED(name, V, T, n, ...) E(#name, __VA_ARGS__)
#define PACKED_CLAMPED PACKED
#define DOT(name, D, V, C, saturates, ...) E(#name, __VA_ARGS__)
#define VOP3P_OWN(name, D, A, B, C, flags, handler) E(#name, handler)
#include "isa/vop3p.def"
#undef TABLE
#define TABLE "mfma"
#define GFX942_MFMA(name, n, k, blocks, A, B, D, passes)                                           \
    E(#name, D += A * B, n x n x k, blocks blocks)
#define GFX942_SMFMAC(name, n, k, blocks, A, B, D, passes) E(#name, D += sparse A * B, n x n x k)
#include "base/gfx942.def"
#undef TABLE
#define TABLE "memory"
#define LOAD(vmem, ds, bytes, ...) MEMORY(vmem, ds, __VA_ARGS__)
#define LOADX(vmem, ds, dwords, D) MEMORY(vmem, ds, dwords dwords)
#define STORE(vmem, ds, bytes, ...) MEMORY(vmem, ds, __VA_ARGS__)
#define STOREX(vmem, ds, dwords, D) MEMORY(vmem, ds, dwords dwords)
#include "isa/memory.def"
#undef TABLE
#define TABLE "vmem"
#define LOAD_LDS(suffix, bytes, is_signed)                                                         \
    E("global_load_lds_" #suffix, LDS = bytes bytes)                                               \
    E("scratch_load_lds_" #suffix, LDS = bytes bytes)
#define CACHE_CONTROL(name) E("buffer_" #name, (void)0)
#include "isa/vmem.def"
#undef TABLE
#define TABLE "format"
#define FORMAT_LOAD(name, components, width, D)                                                    \
    E("buffer_" #name, components components, width)                                               \
    E("tbuffer_" #name, components components, width)
#define FORMAT_STORE FORMAT_LOAD
#define FORMAT_LOAD_HIGH FORMAT_LOAD
#define FORMAT_STORE_HIGH FORMAT_LOAD
#include "isa/format.def"
#undef TABLE
#define TABLE "atomic"
#define ATOMIC(vmem, ds, ds_rtn, T, ...)                                                           \
    VMEM(vmem, __VA_ARGS__)                                                                        \
    SMEM(vmem, __VA_ARGS__) E("ds_" #ds, __VA_ARGS__) E("ds_" #ds_rtn, __VA_ARGS__)
#define SWAP(vmem, ds_rtn, T, ...)                                                                 \
    VMEM(vmem, __VA_ARGS__) SMEM(vmem, __VA_ARGS__) E("ds_" #ds_rtn, __VA_ARGS__)
#define CMPSWAP(vmem, ds, ds_rtn, T, D) ATOMIC(vmem, ds, ds_rtn, T, old == compare ? a : old)
#define ATOMIC_FLOAT ATOMIC
#define ATOMIC_FLOAT_FLAT ATOMIC
#define ATOMIC_DS(ds, ds_rtn, T, ...) E("ds_" #ds, __VA_ARGS__) E("ds_" #ds_rtn, __VA_ARGS__)
#include "isa/atomic.def"
#undef TABLE
#define TABLE "ds"
#define DS(name, D, address, data0, data1, ...) E("ds_" #name, __VA_ARGS__)
#define GWS(name, value, op) E("ds_" #name, op)
#define DS_ATOMIC(name, T, operands, returns, ...) E("ds_" #name, __VA_ARGS__)
#include "isa/ds.def"
#undef TABLE
};

#endif
