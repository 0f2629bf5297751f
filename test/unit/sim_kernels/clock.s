; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Kernels of one wave that wait for the clock, for sim_hip_rules_test.c. s[0:1] = kernel arguments: out, ticks.

.macro kernel name
  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_kernarg_size 16
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 64
    .amdhsa_accum_offset 16
  .end_amdhsa_kernel
  .text
  .p2align 8
  .globl \name
  .type \name,@function
\name:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_memtime s[10:11]
  s_mov_b32 s14, 0
  v_mov_b32_e32 v0, 0
  s_waitcnt lgkmcnt(0)
.endm

; out = {cycles that passed, looks}
.macro tell
  s_memtime s[12:13]
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s12, s12, s10
  s_subb_u32 s13, s13, s11
  v_mov_b32_e32 v2, s12
  v_mov_b32_e32 v3, s13
  v_mov_b32_e32 v4, s14
  global_store_dwordx3 v0, v[2:4], s[4:5]
  s_endpgm
.endm

; Nothing but the clock, with a way around some of the loop, as compilers make of a division.
kernel wait
.Lwait:
  s_memtime s[12:13]
  s_add_u32 s14, s14, 1
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s12, s12, s10
  s_subb_u32 s13, s13, s11
  s_bitcmp1_b32 s14, 0
  s_cbranch_scc1 .Lshorter
  s_mul_i32 s15, s14, 3
.Lshorter:
  v_mov_b32_e32 v4, s6
  v_mov_b32_e32 v5, s7
  v_cmp_lt_u64_e32 vcc, s[12:13], v[4:5]
  s_cbranch_vccnz .Lwait
  tell

; In real time (100 MHz), asleep between looks.
kernel wait_asleep
  s_memrealtime s[16:17]
  s_waitcnt lgkmcnt(0)
.Lasleep:
  s_sleep 10
  s_memrealtime s[12:13]
  s_add_u32 s14, s14, 1
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s12, s12, s16
  s_subb_u32 s13, s13, s17
  v_mov_b32_e32 v4, s6
  v_mov_b32_e32 v5, s7
  v_cmp_lt_u64_e32 vcc, s[12:13], v[4:5]
  s_cbranch_vccnz .Lasleep
  tell

; For a word that nobody writes, or some time.
kernel wait_for_word
.Lword:
  global_load_dword v6, v0, s[4:5] offset:64 sc1
  s_memtime s[12:13]
  s_add_u32 s14, s14, 1
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_readfirstlane_b32 s15, v6
  s_cmp_lg_u32 s15, 0
  s_cbranch_scc1 .Lcame
  s_sub_u32 s12, s12, s10
  s_subb_u32 s13, s13, s11
  v_mov_b32_e32 v4, s6
  v_mov_b32_e32 v5, s7
  v_cmp_lt_u64_e32 vcc, s[12:13], v[4:5]
  s_cbranch_vccnz .Lword
.Lcame:
  tell

; Looks at the clock, and writes down each time.
kernel log
.Llog:
  s_memtime s[12:13]
  s_add_u32 s14, s14, 1
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s12, s12, s10
  s_subb_u32 s13, s13, s11
  v_mov_b32_e32 v1, s12
  global_store_dword v0, v1, s[4:5] offset:16
  v_mov_b32_e32 v4, s6
  v_mov_b32_e32 v5, s7
  v_cmp_lt_u64_e32 vcc, s[12:13], v[4:5]
  s_cbranch_vccnz .Llog
  tell
