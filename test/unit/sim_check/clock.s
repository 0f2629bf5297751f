; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Kernels for the test of predictions: they take two pointers, and nothing of what they read decides where they go.
.include "kernel.inc"

; Each work-item copies four floats, for 16 rounds of 256.
kernel copies
  s_load_dwordx4 s[4:7], s[0:1], 0
  s_lshl_b32 s8, s2, 16
  v_lshlrev_b32 v0, 4, v0
  v_add_u32 v0, s8, v0
  s_mov_b32 s9, 16
  s_waitcnt lgkmcnt(0)
copies_loop:
  global_load_dwordx4 v[4:7], v0, s[4:5]
  s_waitcnt vmcnt(0)
  global_store_dwordx4 v0, v[4:7], s[6:7]
  v_add_u32 v0, 4096, v0
  s_sub_u32 s9, s9, 1
  s_cmp_lg_u32 s9, 0
  s_cbranch_scc1 copies_loop
  s_endpgm

; The same, but all workgroups write the same lines.
kernel copies_to_one
  s_load_dwordx4 s[4:7], s[0:1], 0
  s_lshl_b32 s8, s2, 16
  v_lshlrev_b32 v1, 4, v0
  v_add_u32 v0, s8, v1
  s_mov_b32 s9, 16
  s_waitcnt lgkmcnt(0)
copies_to_one_loop:
  global_load_dwordx4 v[4:7], v0, s[4:5]
  s_waitcnt vmcnt(0)
  global_store_dwordx4 v1, v[4:7], s[6:7]
  v_add_u32 v0, 4096, v0
  v_add_u32 v1, 4096, v1
  s_sub_u32 s9, s9, 1
  s_cmp_lg_u32 s9, 0
  s_cbranch_scc1 copies_to_one_loop
  s_endpgm

; Writes what copies writes and reads nothing; workgroup i + 1024 writes what workgroup i does.
kernel fills
  s_load_dwordx4 s[4:7], s[0:1], 0
  s_and_b32 s8, s2, 0x3ff
  s_lshl_b32 s8, s8, 16
  v_lshlrev_b32 v0, 4, v0
  v_add_u32 v0, s8, v0
  v_mov_b32 v4, 0
  v_mov_b32 v5, 0
  v_mov_b32 v6, 0
  v_mov_b32 v7, 0
  s_mov_b32 s9, 16
  s_waitcnt lgkmcnt(0)
fills_loop:
  global_store_dwordx4 v0, v[4:7], s[6:7]
  v_add_u32 v0, 4096, v0
  s_sub_u32 s9, s9, 1
  s_cmp_lg_u32 s9, 0
  s_cbranch_scc1 fills_loop
  s_endpgm

; The same as copies, but workgroup i + 1024 copies what workgroup i does.
kernel copies_again
  s_load_dwordx4 s[4:7], s[0:1], 0
  s_and_b32 s8, s2, 0x3ff
  s_lshl_b32 s8, s8, 16
  v_lshlrev_b32 v0, 4, v0
  v_add_u32 v0, s8, v0
  s_mov_b32 s9, 16
  s_waitcnt lgkmcnt(0)
copies_again_loop:
  global_load_dwordx4 v[4:7], v0, s[4:5]
  s_waitcnt vmcnt(0)
  global_store_dwordx4 v0, v[4:7], s[6:7]
  v_add_u32 v0, 4096, v0
  s_sub_u32 s9, s9, 1
  s_cmp_lg_u32 s9, 0
  s_cbranch_scc1 copies_again_loop
  s_endpgm

; The same as copies, by way of LDS and with a barrier.
kernel passes, 4096
  s_load_dwordx4 s[4:7], s[0:1], 0
  s_lshl_b32 s8, s2, 16
  v_lshlrev_b32 v0, 4, v0
  v_add_u32 v1, s8, v0
  s_waitcnt lgkmcnt(0)
  global_load_dwordx4 v[4:7], v1, s[4:5]
  s_waitcnt vmcnt(0)
  ds_write_b128 v0, v[4:7]
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b128 v[8:11], v0
  s_waitcnt lgkmcnt(0)
  global_store_dwordx4 v1, v[8:11], s[6:7]
  s_endpgm

; The same of what the next workgroup, on the next XCD, reads there.
kernel passes_next, 4096
  s_load_dwordx4 s[4:7], s[0:1], 0
  s_add_u32 s9, s2, 1
  s_lshl_b32 s8, s2, 16
  s_lshl_b32 s9, s9, 16
  v_lshlrev_b32 v0, 4, v0
  v_add_u32 v1, s9, v0
  v_add_u32 v2, s8, v0
  s_waitcnt lgkmcnt(0)
  global_load_dwordx4 v[4:7], v1, s[4:5]
  s_waitcnt vmcnt(0)
  ds_write_b128 v0, v[4:7]
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b128 v[8:11], v0
  s_waitcnt lgkmcnt(0)
  global_store_dwordx4 v2, v[8:11], s[6:7]
  s_endpgm

; Keeps the matrix units busy; a compute unit holds one workgroup.
kernel multiplies, 65536
  s_mov_b32 s9, 100
multiplies_loop:
  .rept 16
  v_mfma_f32_4x4x4_16b_f16 v[8:11], v[4:5], v[6:7], v[8:11]
  v_mfma_f32_4x4x4_16b_f16 v[12:15], v[4:5], v[6:7], v[12:15]
  .endr
  s_sub_u32 s9, s9, 1
  s_cmp_lg_u32 s9, 0
  s_cbranch_scc1 multiplies_loop
  s_endpgm

; Seven of eight workgroups of each XCD, which gets every eighth one, leave at once; the others work.
kernel mostly_idle
  s_and_b32 s8, s2, 7 << 3
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 mostly_idle_end
  s_mov_b32 s9, 200
mostly_idle_loop:
  .rept 16
  v_mul_f32 v1, s9, v2
  .endr
  s_sub_u32 s9, s9, 1
  s_cmp_lg_u32 s9, 0
  s_cbranch_scc1 mostly_idle_loop
mostly_idle_end:
  s_endpgm

; The first 64 workgroups load something and work; the others leave at once.
kernel first_ones
  s_cmp_ge_u32 s2, 64
  s_cbranch_scc1 first_ones_end
  s_load_dwordx2 s[4:5], s[0:1], 0
  s_mov_b32 s9, 200
  s_waitcnt lgkmcnt(0)
  global_load_dword v3, v0, s[4:5]
first_ones_loop:
  .rept 16
  v_mul_f32 v1, s9, v2
  .endr
  s_sub_u32 s9, s9, 1
  s_cmp_lg_u32 s9, 0
  s_cbranch_scc1 first_ones_loop
  s_waitcnt vmcnt(0)
first_ones_end:
  s_endpgm

; All of them work.
kernel all_work
  s_mov_b32 s9, 200
all_work_loop:
  .rept 16
  v_mul_f32 v1, s9, v2
  .endr
  s_sub_u32 s9, s9, 1
  s_cmp_lg_u32 s9, 0
  s_cbranch_scc1 all_work_loop
  s_endpgm

; Goes on at a place that it computes, which is decoded when it comes there, and waits there for the others.
kernel jumps
  s_load_dwordx4 s[4:7], s[0:1], 0
  v_lshlrev_b32 v0, 4, v0
  s_getpc_b64 s[10:11]
jumps_here:
  s_add_u32 s10, s10, jumps_there - jumps_here
  s_addc_u32 s11, s11, 0
  s_waitcnt lgkmcnt(0)
  s_setpc_b64 s[10:11]
  .fill 16, 4, 0
jumps_there:
  .rept 2000
  v_mul_f32 v1, s9, v2
  .endr
  s_barrier
  global_load_dwordx4 v[4:7], v0, s[4:5]
  s_waitcnt vmcnt(0)
  global_store_dwordx4 v0, v[4:7], s[6:7]
  s_endpgm

; Looks at memory until its clock has gone so far. How often that is depends on how many instructions were executed.
kernel polls
  s_load_dwordx4 s[4:7], s[0:1], 0
  v_lshlrev_b32 v0, 2, v0
  s_memtime s[10:11]
  s_waitcnt lgkmcnt(0)
polls_loop:
  global_load_dword v1, v0, s[4:5]
  .rept 100
  v_mul_f32 v2, v2, v2
  .endr
  s_waitcnt vmcnt(0)
  s_memtime s[12:13]
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s14, s12, s10
  s_cmp_lt_u32 s14, 20000
  s_cbranch_scc1 polls_loop
  s_endpgm

; Puts a register into scratch and takes it back, 16 times.
kernel spills, 0, 64
  s_load_dwordx4 s[4:7], s[0:1], 0
  s_mov_b32 s9, 16
  v_mov_b32 v2, 1.0
  s_waitcnt lgkmcnt(0)
spills_loop:
  scratch_store_dword off, v2, off offset:16
  s_waitcnt vmcnt(0)
  scratch_load_dword v1, off, off offset:16
  s_waitcnt vmcnt(0)
  s_sub_u32 s9, s9, 1
  s_cmp_lg_u32 s9, 0
  s_cbranch_scc1 spills_loop
  s_endpgm

; Workgroup i of 1024 loads its first i + 1 rows of 256 dwords, and works on each; or, the other way around, 1024 - i.
.macro rows_of_work
  s_add_u32 s9, s9, 1
  v_lshlrev_b32 v0, 2, v0
  s_load_dwordx2 s[4:5], s[0:1], 0
  s_waitcnt lgkmcnt(0)
.Lrows\@:
  global_load_dword v3, v0, s[4:5]
  v_add_u32 v0, 1024, v0
  .rept 16
  v_mul_f32 v1, s9, v2
  .endr
  s_waitcnt vmcnt(0)
  s_sub_u32 s9, s9, 1
  s_cmp_lg_u32 s9, 0
  s_cbranch_scc1 .Lrows\@
  s_endpgm
.endm

kernel grows
  s_mov_b32 s9, s2
  rows_of_work

kernel shrinks
  s_sub_u32 s9, 1023, s2
  rows_of_work

; The same of 16 lengths, one workgroup after the other, so that each XCD gets two of them.
kernel grows_in_turn
  s_and_b32 s9, s2, 15
  s_lshl_b32 s9, s9, 6
  rows_of_work

kernel shrinks_in_turn
  s_not_b32 s9, s2
  s_and_b32 s9, s9, 15
  s_lshl_b32 s9, s9, 6
  rows_of_work

; The first half of 1024 * 16 workgroups loads 64 rows each; the others leave at once.
kernel first_half
  s_mov_b32 s9, 63
  s_cmp_ge_u32 s2, 1024 * 8
  s_cbranch_scc1 first_half_end
  rows_of_work
first_half_end:
  s_endpgm
