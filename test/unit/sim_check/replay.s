; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Pairs of kernels for the test of replays: the first one has a cost that the second one avoids.
.include "kernel.inc"

.macro repeat name
  s_sub_u32 s9, s9, 1
  s_cmp_lg_u32 s9, 0
  s_cbranch_scc1 \name
.endm

; Ends before the dispatcher has started the workgroups of the other compute units.
kernel nothing
  s_endpgm

; Lanes that read the same bank, and lanes that read all of them.
kernel conflicts, 32768
  v_lshlrev_b32 v0, 7, v0
  s_mov_b32 s9, 64
conflicts_loop:
  .rept 4
  ds_read_b32 v1, v0
  .endr
  s_waitcnt lgkmcnt(0)
  repeat conflicts_loop
  s_endpgm

kernel no_conflicts, 32768
  v_lshlrev_b32 v0, 2, v0
  s_mov_b32 s9, 64
no_conflicts_loop:
  .rept 4
  ds_read_b32 v1, v0
  .endr
  s_waitcnt lgkmcnt(0)
  repeat no_conflicts_loop
  s_endpgm

; A load that is used at once, and one that is used in the next iteration.
kernel waits
  s_load_dwordx2 s[4:5], s[0:1], 0
  v_lshlrev_b32 v0, 4, v0
  s_mov_b32 s9, 64
  s_waitcnt lgkmcnt(0)
waits_loop:
  global_load_dwordx4 v[4:7], v0, s[4:5]
  v_add_u32 v0, 4096, v0
  s_waitcnt vmcnt(0)
  .rept 60
  v_mul_f32 v8, v8, v4
  .endr
  repeat waits_loop
  s_endpgm

kernel no_waits
  s_load_dwordx2 s[4:5], s[0:1], 0
  v_lshlrev_b32 v0, 4, v0
  s_mov_b32 s9, 64
  s_waitcnt lgkmcnt(0)
  .irp first, 4, 12, 16
  global_load_dwordx4 v[\first:\first+3], v0, s[4:5]
  v_add_u32 v0, 4096, v0
  .endr
no_waits_loop:
  global_load_dwordx4 v[20:23], v0, s[4:5]
  v_add_u32 v0, 4096, v0
  s_waitcnt vmcnt(3)
  .rept 60
  v_mul_f32 v8, v8, v4
  .endr
  repeat no_waits_loop
  s_endpgm

; A load from 64 lines, and one from two.
kernel lines
  s_load_dwordx2 s[4:5], s[0:1], 0
  v_lshlrev_b32 v0, 7, v0
  s_mov_b32 s9, 64
  s_waitcnt lgkmcnt(0)
lines_loop:
  .rept 4
  global_load_dword v4, v0, s[4:5]
  .endr
  s_waitcnt vmcnt(0)
  repeat lines_loop
  s_endpgm

kernel no_lines
  s_load_dwordx2 s[4:5], s[0:1], 0
  v_lshlrev_b32 v0, 2, v0
  s_mov_b32 s9, 64
  s_waitcnt lgkmcnt(0)
no_lines_loop:
  .rept 4
  global_load_dword v4, v0, s[4:5]
  .endr
  s_waitcnt vmcnt(0)
  repeat no_lines_loop
  s_endpgm

; Arithmetic and spills that could be elsewhere.
kernel issue, 0, 64
  v_mov_b32 v2, 1.0
  s_mov_b32 s9, 64
issue_loop:
  .rept 16
  v_mul_f64 v[4:5], v[6:7], v[8:9]
  .endr
  scratch_store_dword off, v2, off offset:16
  s_waitcnt vmcnt(0)
  scratch_load_dword v1, off, off offset:16
  s_waitcnt vmcnt(0)
  .rept 32
  v_mul_f32 v10, v10, v10
  .endr
  repeat issue_loop
  s_endpgm

kernel no_issue, 0, 64
  v_mov_b32 v2, 1.0
  s_mov_b32 s9, 64
no_issue_loop:
  .rept 32
  v_mul_f32 v10, v10, v10
  .endr
  repeat no_issue_loop
  s_endpgm

; Instructions of 8 bytes that straddle the windows of instruction fetch, and others that do not.
kernel fetch
  s_mov_b32 s9, 64
  .p2align 6
  s_nop 0
fetch_loop:
  .rept 64
  v_mul_f32 v1, 0x12345678, v2
  .endr
  repeat fetch_loop
  s_endpgm

kernel no_fetch
  s_mov_b32 s9, 64
  .p2align 6
no_fetch_loop:
  .rept 64
  v_mul_f32 v1, 0x12345678, v2
  .endr
  repeat no_fetch_loop
  s_endpgm
