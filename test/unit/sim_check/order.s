; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Kernels whose result depends on which wave of a workgroup comes first: none of them waits where it should. They take two pointers, and the
; first buffer has a dword for each workgroup, or for each work-item.
.include "kernel.inc"

; s12: the wave's number. s[4:5]: the buffer. s8: where the workgroup's dword is there.
.macro begin
  s_load_dwordx4 s[4:7], s[0:1], 0
  s_lshl_b32 s8, s2, 2
  v_lshrrev_b32 v1, 6, v0
  s_nop 0
  v_readfirstlane_b32 s12, v1
.endm

; The workgroup's place in LDS, at v9, is 0, and all waves know.
.macro clear
  v_mov_b32 v9, 0
  ds_write_b32 v9, v9
  s_waitcnt lgkmcnt(0)
  s_barrier
.endm

; The wave of that number continues at the label.
.macro wave number, label
  s_cmp_eq_u32 s12, \number
  s_cbranch_scc1 \label
.endm

.macro put_7
  v_mov_b32 v10, 7
  ds_write_b32 v9, v10
  s_endpgm
.endm

.macro tell
  ds_read_b32 v10, v9
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v11, s8
  global_store_dword v11, v10, s[4:5]
  s_endpgm
.endm

; 64 cycles each.
.macro wait count
  .rept \count
  s_nop 15
  .endr
.endm

; What one wave reads, and the other one has written before, or not yet. What stands between `race` and `reads` is done before writing.
.macro race name, reader
kernel \name, 64
  begin
  clear
  wave \reader, \name\()_reads
.endm
.macro reads name, before_reading:vararg
  put_7
\name\()_reads:
  \before_reading
  tell
.endm

race late_reader, 0
reads late_reader, wait 8

race early_reader, 1
  wait 8
reads early_reader

race short_sleeper, 0
  wait 8
reads short_sleeper, s_sleep 1

race long_sleeper, 0
  wait 8
reads long_sleeper, s_sleep 16

; Each multiplication waits for the one before it, 32 cycles: the write comes after 256, the read after 128.
race behind_mfma, 1
  .rept 8
  v_mfma_f32_32x32x8_f16 a[0:15], v[2:3], v[4:5], a[0:15]
  .endr
reads behind_mfma, wait 2

; These don't.
race beside_mfma, 0
  v_mfma_f32_4x4x4_16b_f16 a[0:3], v[2:3], v[4:5], 0
  v_mfma_f32_4x4x4_16b_f16 a[4:7], v[2:3], v[4:5], 0
reads beside_mfma, wait 2

race behind_load, 1
  s_waitcnt lgkmcnt(0)
  global_load_dword v3, v9, s[6:7]
  s_waitcnt vmcnt(0)
reads behind_load, wait 1

race beside_load, 0
  s_waitcnt lgkmcnt(0)
  global_load_dword v3, v9, s[6:7]
reads beside_load, wait 2

; Waves 0 and 4 share a SIMD, and want its vector unit in every cycle that they get.
.macro contest name, level
kernel \name, 64
  begin
  clear
  wave 4, \name\()_young
  wave 0, \name\()_old
  s_endpgm
\name\()_young:
  s_setprio \level
  .rept 64
  v_xor_b32 v20, v21, v20
  .endr
  put_7
\name\()_old:
  .rept 64
  v_xor_b32 v20, v21, v20
  .endr
  tell
.endm
contest old_first, 0
contest young_first, 3

; Four waves, each on its SIMD. Twice: what the next wave has written is read, and what is one's own overwritten at once.
kernel in_step, 1024
  begin
  v_lshlrev_b32 v2, 2, v0
  v_add_u32 v3, 256, v2
  v_and_b32 v3, 1023, v3
  ds_write_b32 v2, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v4, v3
  v_add_u32 v5, 1000, v0
  s_waitcnt lgkmcnt(0)
  ds_write_b32 v2, v5
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v6, v3
  v_add_u32 v5, 2000, v0
  s_waitcnt lgkmcnt(0)
  ds_write_b32 v2, v5
  v_add_u32 v4, v4, v6
  s_lshl_b32 s8, s2, 10
  v_add_u32 v2, s8, v2
  global_store_dword v2, v4, s[4:5]
  s_endpgm

; Eight waves draw numbers; the higher a wave's own, the earlier it comes.
kernel tickets, 64
  begin
  clear
  s_sub_u32 s13, 8, s12
tickets_loop:
  wait 2
  s_sub_u32 s13, s13, 1
  s_cmp_lg_u32 s13, 0
  s_cbranch_scc1 tickets_loop
  s_mov_b64 exec, 1
  s_lshl_b32 s8, s2, 3
  s_add_u32 s8, s8, s12
  s_lshl_b32 s8, s8, 2
  v_mov_b32 v3, 1
  ds_add_rtn_u32 v4, v9, v3
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v2, s8
  global_store_dword v2, v4, s[4:5]
  s_endpgm

; How long a sleep of 640 cycles takes.
kernel slept
  begin
  s_waitcnt lgkmcnt(0)
  s_memtime s[14:15]
  s_waitcnt lgkmcnt(0)
  s_sleep 10
  s_memtime s[16:17]
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s14, s16, s14
  v_mov_b32 v10, s14
  v_mov_b32 v11, s8
  global_store_dword v11, v10, s[4:5]
  s_endpgm

; All workgroups wait for the fifth.
kernel for_the_fifth
  begin
  v_mov_b32 v9, 0
  v_mov_b32 v10, 1
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s2, 4
  s_cbranch_scc1 for_the_fifth_comes
for_the_fifth_waits:
  s_sleep 1
  global_load_dword v3, v9, s[6:7] sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s13, v3
  s_cmp_eq_u32 s13, 0
  s_cbranch_scc1 for_the_fifth_waits
  v_mov_b32 v11, s8
  global_store_dword v11, v10, s[4:5]
  s_endpgm
for_the_fifth_comes:
  v_mov_b32 v11, s8
  global_store_dword v11, v10, s[4:5]
  global_store_dword v9, v10, s[6:7] sc1
  s_endpgm
