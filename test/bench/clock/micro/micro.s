; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The kernels of the clock's microbenchmarks (micro.def) that need an exact sequence of instructions; clang-22 assembles them when the benchmark runs.
;
; Arguments, at the address in s[0:1]: two pointers, then the number of iterations, and a stride. Code that is timed within a kernel is between two s_memtime.

.macro kernel name, vgprs=64, lds=0, loads=1
  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_group_segment_fixed_size \lds
    .amdhsa_kernarg_size 24
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr \vgprs
    .amdhsa_next_free_sgpr 32
    .amdhsa_accum_offset \vgprs
  .end_amdhsa_kernel
  .text
  .p2align 8
  .globl \name
  .type \name,@function
\name:
  .if \loads
  s_load_dwordx4 s[4:7], s[0:1], 0
  s_load_dwordx2 s[8:9], s[0:1], 16
  s_waitcnt lgkmcnt(0)
  .endif
.endm

.macro again label, times
  s_sub_u32 s8, s8, \times
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 \label
.endm

; ---- chains of dependent instructions, 1024 per iteration. Some start 4 bytes off, as where clang-22 compiles SC25's source: the alignment of 8-byte
; instructions makes the difference between 4.01 and 5.01 cycles.

.macro chain_at off, name, instruction:vararg
kernel \name, 128
  v_mov_b32 v1, 0
  .p2align 6
  .rept \off / 4
  s_nop 0
  .endr
\name\()_loop:
  .rept 1024
  \instruction
  .endr
  again \name\()_loop, 1
  s_endpgm
.endm

.macro chain name, instruction:vararg
chain_at 0, \name, \instruction
.endm

chain add_f32_scalar, v_add_f32 v2, s9, v2
chain add_f32,        v_add_f32 v2, v3, v2
chain mul_f32,        v_mul_f32 v2, v3, v2
chain fma_f32_scalar, v_fma_f32 v2, s9, v2, v3
chain fma_f32,        v_fma_f32 v2, v3, v2, v4
chain add_f64_scalar, v_add_f64 v[2:3], s[4:5], v[2:3]
chain_at 4, add_f64,  v_add_f64 v[2:3], v[4:5], v[2:3]
chain fmac_f64,       v_fmac_f64 v[2:3], s[4:5], v[4:5]
chain_at 4, fma_f64,  v_fma_f64 v[2:3], v[4:5], v[2:3], v[6:7]
chain add_f16_scalar, v_add_f16 v2, s9, v2
chain add_f16,        v_add_f16 v2, v3, v2
chain fma_f16,        v_fma_f16 v2, v3, v2, v4
chain pk_fma_f32,     v_pk_fma_f32 v[2:3], v[4:5], v[6:7], v[8:9]
chain exp_f32,        v_exp_f32 v2, v3

chain mfma_16x16x16_bf16, v_mfma_f32_16x16x16_bf16 v[4:7], v[8:9], v[10:11], v[4:7]
chain mfma_16x16x16_f16,  v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], v[4:7]
chain mfma_16x16x32_fp8,  v_mfma_f32_16x16x32_fp8_fp8 v[4:7], v[8:9], v[10:11], v[4:7]
chain mfma_16x16x32_bf8,  v_mfma_f32_16x16x32_bf8_bf8 v[4:7], v[8:9], v[10:11], v[4:7]
chain mfma_16x16x32_i8,   v_mfma_i32_16x16x32_i8 v[4:7], v[8:9], v[10:11], v[4:7]
chain mfma_16x16x8_xf32,  v_mfma_f32_16x16x8_xf32 v[4:7], v[8:9], v[10:11], v[4:7]
chain mfma_16x16x4_f32,   v_mfma_f32_16x16x4_f32 v[4:7], v8, v9, v[4:7]
chain mfma_16x16x4_f64,   v_mfma_f64_16x16x4_f64 v[4:11], v[12:13], v[14:15], v[4:11]
chain mfma_32x32x8_f16,   v_mfma_f32_32x32x8_f16 v[32:47], v[8:9], v[10:11], v[32:47]

; ---- pointer chasing

kernel chase
  v_mov_b32 v0, s4
  v_mov_b32 v1, s5
  .p2align 6
chase_loop:
  .rept 32
  global_load_dwordx2 v[0:1], v[0:1], off
  s_waitcnt vmcnt(0)
  .endr
  again chase_loop, 32
  s_endpgm

kernel chase_lds, 64, 512          ; each byte holds the address of the next one, from 0 to 63
  .p2align 6
chase_lds_loop:
  .rept 64
  ds_read_u8 v0, v0
  s_waitcnt lgkmcnt(0)
  .endr
  again chase_lds_loop, 64
  s_endpgm

; ---- 16 bytes per lane from a block that all workgroups of 512 share: 16 loads, whose results are then summed; s9: the block's bytes - 1

kernel vectors, 128
  v_lshlrev_b32 v0, 4, v0
  s_mov_b32 s10, 0
vectors_loop:
  .set reg, 8
  .rept 16
  v_add_u32 v1, s10, v0
  global_load_dwordx4 v[reg:reg+3], v1, s[4:5]
  s_add_u32 s10, s10, 8192
  s_and_b32 s10, s10, s9
  .set reg, reg + 4
  .endr
  .set reg, 8
  .set left, 15
  .rept 16
  s_waitcnt vmcnt(left)
  v_pk_add_f32 v[2:3], v[2:3], v[reg:reg+1]
  v_pk_add_f32 v[4:5], v[4:5], v[reg+2:reg+3]
  .set reg, reg + 4
  .set left, left - 1
  .endr
  again vectors_loop, 1
  s_endpgm

; ---- loads timed individually

.macro timed name, prepare, instruction:vararg
kernel \name
  v_mov_b32 v0, 0
  s_mov_b32 s10, 1
\name\()_warm:
  global_load_dword v1, v0, s[4:5]
  s_waitcnt vmcnt(0)
\name\()_loop:
  .if \prepare
  buffer_inv sc1
  s_waitcnt vmcnt(0)
  global_store_dword v0, v1, s[4:5]
  s_waitcnt vmcnt(0)
  .endif
  s_memtime s[12:13]
  \instruction
  s_waitcnt vmcnt(0)
  s_memtime s[14:15]
  s_waitcnt lgkmcnt(0)
  again \name\()_loop, 1
  s_endpgm
.endm

timed load_hit,         0, global_load_dword v1, v0, s[4:5]
timed load_nt,          0, global_load_dword v1, v0, s[4:5] nt
timed load_sc1,         0, global_load_dword v1, v0, s[4:5] sc1
timed load_behind_store, 1, global_load_dword v1, v0, s[4:5]

; ---- 64 consecutive reads of LDS, lane i at i * stride, after writing its 32256 bytes

.macro lds_burst name, read, write, bytes, dwords
kernel \name, 256, 32260
  v_mul_u32_u24 v1, s9, v0
  v_mul_u32_u24 v2, \bytes, v0
  v_mov_b32 v4, 1
  v_mov_b32 v5, 1
  v_mov_b32 v6, 1
  v_mov_b32 v7, 1
  s_mov_b32 s10, 504 / \bytes      ; rounds of 64 lanes
\name\()_fill:
  \write
  v_add_u32 v2, 64 * \bytes, v2
  s_sub_u32 s10, s10, 1
  s_cmp_lg_u32 s10, 0
  s_cbranch_scc1 \name\()_fill
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_barrier
  s_memtime s[12:13]
  .set reg, 8
  .rept 64
  .if \dwords == 1
  \read v[reg], v1
  .else
  \read v[reg:reg+\dwords-1], v1
  .endif
  .set reg, reg + \dwords
  .if reg + \dwords > 250
  .set reg, 8
  .endif
  .endr
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_memtime s[14:15]
  s_waitcnt lgkmcnt(0)
  .rept 64
  v_add_u32 v8, v9, v8
  .endr
  s_lshl_b32 s10, s2, 10
  v_lshlrev_b32 v0, 3, v0
  v_add_u32 v0, s10, v0
  v_mov_b32 v10, s12
  v_mov_b32 v11, s14
  global_store_dwordx2 v0, v[10:11], s[4:5]
  global_store_dword v0, v8, s[4:5] offset:512
  s_endpgm
.endm

lds_burst lds_read_b32,  ds_read_b32,  "ds_write_b32 v2, v4",       4,  1
lds_burst lds_read_b64,  ds_read_b64,  "ds_write_b64 v2, v[4:5]",   8,  2
lds_burst lds_read_b128, ds_read_b128, "ds_write_b128 v2, v[4:7]", 16,  4

; ---- an empty kernel

kernel nothing, loads=0
  s_endpgm
