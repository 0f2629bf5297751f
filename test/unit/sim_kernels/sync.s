; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Small kernels for sim_sync_test.c: the branch stack, returns from a trap handler, and GWS. Every kernel has s[0:1] =
; kernel arguments, s2 = workgroup, and v0 = work-item.

.macro kernel name
  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_kernarg_size 24
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 64
    .amdhsa_accum_offset 16
  .end_amdhsa_kernel
  .text
  .p2align 8
  .globl \name
  .type \name,@function
\name:
.endm

; Arguments: out, the mask of a branch, the mask of a branch on its taken side. Each lane logs its way in v4, a digit a
; step, and in v5 when its side of the outer branch came. out[lane] = {v4, v5}. The stack is in s0 and up.
kernel branch_stack
  s_load_dwordx2 s[40:41], s[0:1], 0x0
  s_load_dwordx4 s[44:47], s[0:1], 0x8
  v_mov_b32_e32 v4, 0
  v_mov_b32_e32 v5, 0
  v_lshlrev_b32_e32 v3, 3, v0
  s_mov_b32 s48, 0
  s_mov_b64 s[36:37], exec
  s_waitcnt lgkmcnt(0)
  s_getreg_b32 s34, hwreg(HW_REG_MODE, 29, 3)
  s_cbranch_i_fork s[44:45], .Ltaken
  s_add_u32 s48, s48, 1
  v_mov_b32_e32 v5, s48
  v_lshl_or_b32 v4, v4, 4, 1
  s_branch .Ljoin
.Ltaken:
  s_add_u32 s48, s48, 1
  v_mov_b32_e32 v5, s48
  v_lshl_or_b32 v4, v4, 4, 2
  s_getreg_b32 s35, hwreg(HW_REG_MODE, 29, 3)
  s_mov_b64 s[38:39], exec
  s_getpc_b64 s[32:33]
.Lhere:
  s_add_u32 s32, s32, .Linner_taken-.Lhere
  s_addc_u32 s33, s33, 0
  s_cbranch_g_fork s[46:47], s[32:33]
  v_lshl_or_b32 v4, v4, 4, 3
  s_branch .Linner_join
.Linner_taken:
  v_lshl_or_b32 v4, v4, 4, 4
.Linner_join:
  s_cbranch_join s35
  s_mov_b64 exec, s[38:39]
  v_lshl_or_b32 v4, v4, 4, 5
.Ljoin:
  s_cbranch_join s34
  s_mov_b64 exec, s[36:37]
  global_store_dwordx2 v3, v[4:5], s[40:41]
  s_endpgm

kernel join_without_fork
  s_mov_b32 s4, 3
  s_cbranch_join s4
  s_endpgm

; Arguments: out, two numbers. Jumps by s_rfe_b64 into a table, then by s_rfe_restore_b64 into another one.
kernel returns
  s_load_dwordx4 s[40:43], s[0:1], 0x0
  v_mov_b32_e32 v3, 0
  s_waitcnt lgkmcnt(0)
  s_lshl_b32 s42, s42, 3
  s_lshl_b32 s43, s43, 3
  s_getpc_b64 s[32:33]
.Lfirst:
  s_add_u32 s32, s32, .Ltable1-.Lfirst
  s_addc_u32 s33, s33, 0
  s_add_u32 s32, s32, s42
  s_addc_u32 s33, s33, 0
  s_rfe_b64 s[32:33]
.Ltable1:
.set i, 0
.rept 8
  s_movk_i32 s50, 100+i
  s_branch .Lsecond
.set i, i+1
.endr
.Lsecond:
  s_getpc_b64 s[32:33]
.Lthird:
  s_add_u32 s32, s32, .Ltable2-.Lthird
  s_addc_u32 s33, s33, 0
  s_add_u32 s32, s32, s43
  s_addc_u32 s33, s33, 0
  s_rfe_restore_b64 s[32:33], s50
.Ltable2:
.set i, 0
.rept 8
  s_movk_i32 s51, 200+i
  s_branch .Lfourth
.set i, i+1
.endr
.Lfourth:
  v_mov_b32_e32 v4, s50
  v_mov_b32_e32 v5, s51
  global_store_dwordx2 v3, v[4:5], s[40:41]
  s_endpgm

; Arguments: a value, a resource.
kernel gws_init
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_lshl_b32 m0, s9, 16
  v_mov_b32_e32 v6, s8
  ds_gws_init v6 gds
  s_waitcnt lgkmcnt(0)
  s_endpgm

; Arguments: out, waves - 1, rounds. In each round every wave counts itself, waits for all others, and sees whether all
; are counted; out[rounds] is how often they were not.
kernel gws_barrier
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_mov_b64 exec, 1
  s_mov_b32 m0, 5 << 16
  v_mov_b32_e32 v2, 1
  v_mov_b32_e32 v3, 0
  v_mov_b32_e32 v4, 0
  s_mov_b32 s12, 0
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v6, s10
  s_add_i32 s14, s10, 1
.Lround:
  global_atomic_add v4, v2, s[8:9] sc1
  s_waitcnt vmcnt(0)
  ds_gws_barrier v6 offset:2 gds
  s_waitcnt lgkmcnt(0)
  global_load_dword v5, v4, s[8:9] sc1
  s_waitcnt vmcnt(0)
  v_cmp_ne_u32_e32 vcc, s14, v5
  v_addc_co_u32_e32 v3, vcc, 0, v3, vcc
  v_add_u32_e32 v4, 4, v4
  s_add_i32 s12, s12, 1
  s_cmp_lt_i32 s12, s11
  s_cbranch_scc1 .Lround
  global_atomic_add v4, v3, s[8:9] sc1
  s_endpgm

; Arguments: out, how, waiters. Workgroups 1 and up count themselves in out[1], wait for the semaphore, and count
; themselves in out[0]. Workgroup 0 lets them through: 0 one by one, 1 at once, 2 with whatever is waiting, 3 at once
; before they come.
kernel gws_semaphore
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_mov_b64 exec, 1
  s_mov_b32 m0, 0
  v_mov_b32_e32 v2, 1
  v_mov_b32_e32 v3, 0
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v6, s11
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc1 .Lgive
  global_atomic_add v3, v2, s[8:9] offset:4 sc1
  s_waitcnt vmcnt(0)
  ds_gws_sema_p offset:11 gds
  s_waitcnt lgkmcnt(0)
  global_atomic_add v3, v2, s[8:9] sc1
  s_endpgm
.Lgive:
  s_cmp_eq_u32 s10, 3
  s_cbranch_scc1 .Lbulk
.Larrive:
  global_load_dword v5, v3, s[8:9] offset:4 sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s12, v5
  s_cmp_lt_u32 s12, s11
  s_cbranch_scc1 .Larrive
  s_cmp_eq_u32 s10, 1
  s_cbranch_scc1 .Lbulk
  s_cmp_eq_u32 s10, 2
  s_cbranch_scc1 .Lall
.Lsingle:
  ds_gws_sema_v offset:11 gds
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s11, s11, 1
  s_cmp_lg_u32 s11, 0
  s_cbranch_scc1 .Lsingle
  s_endpgm
.Lbulk:
  ds_gws_sema_br v6 offset:11 gds
  s_waitcnt lgkmcnt(0)
  s_endpgm
.Lall:
  ds_gws_sema_release_all offset:11 gds
  s_waitcnt lgkmcnt(0)
  s_sleep 1
  global_load_dword v5, v3, s[8:9] sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s12, v5
  s_cmp_lt_u32 s12, s11
  s_cbranch_scc1 .Lall
  s_endpgm

; Nobody releases it.
kernel gws_forever
  s_mov_b32 m0, 0
  ds_gws_sema_p offset:60 gds
  s_waitcnt lgkmcnt(0)
  s_endpgm

; Waits for out[0] to become zero, each lane by its own mask; out[1] counts those that have come.
kernel spin_by_lanes
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 1
  s_mov_b64 s[6:7], 0
  s_waitcnt lgkmcnt(0)
.Lby_lanes:
  global_load_dword v3, v1, s[4:5] sc1
  s_waitcnt vmcnt(0)
  v_cmp_eq_u32_e32 vcc, 0, v3
  s_or_b64 s[6:7], vcc, s[6:7]
  s_andn2_b64 exec, exec, s[6:7]
  s_cbranch_execnz .Lby_lanes
  s_mov_b64 exec, s[6:7]
  global_atomic_add v1, v2, s[4:5] offset:4
  s_endpgm

; One lane asks for all, by an atomic that adds zero; the others of the workgroup wait at a barrier.
kernel spin_by_one
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_readfirstlane_b32 s12, v0
  s_cmp_lg_u32 s12, 0
  s_cbranch_scc1 .Lby_one_all
  v_mov_b32_e32 v4, 0
  s_waitcnt lgkmcnt(0)
.Lby_one:
  v_mbcnt_lo_u32_b32 v1, exec_lo, 0
  v_mbcnt_hi_u32_b32 v1, exec_hi, v1
  v_cmp_eq_u32_e32 vcc, 0, v1
  s_sleep 1
  s_and_saveexec_b64 s[6:7], vcc
  s_cbranch_execz .Lby_one_none
  v_mov_b32_e32 v5, 0
  global_atomic_add v1, v4, v5, s[4:5] sc0
.Lby_one_none:
  s_or_b64 exec, exec, s[6:7]
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s6, v1
  s_cmp_lg_u32 s6, 0
  s_cbranch_scc1 .Lby_one
.Lby_one_all:
  s_barrier
  s_endpgm

; Asks as often as the second argument says, and then goes on.
kernel spin_and_count
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 1
  s_waitcnt lgkmcnt(0)
.Lcount:
  s_sub_u32 s6, s6, 1
  s_cbranch_scc1 .Lcounted
  global_load_dword v3, v1, s[4:5] sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s8, v3
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 .Lcount
.Lcounted:
  s_mov_b64 exec, 1
  global_atomic_add v1, v2, s[4:5] offset:4
  s_endpgm

; The last workgroup computes for long before it lets the others go.
kernel spin_for_last
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 1
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s2, s7
  s_cbranch_scc0 .Lfor_last
.Llast:
  s_sub_u32 s6, s6, 1
  s_cmp_lg_u32 s6, 0
  s_cbranch_scc1 .Llast
  v_mov_b32_e32 v3, 0
  global_store_dword v1, v3, s[4:5] sc1
  s_waitcnt vmcnt(0)
.Lfor_last:
  global_load_dword v3, v1, s[4:5] sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s8, v3
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 .Lfor_last
  s_mov_b64 exec, 1
  global_atomic_add v1, v2, s[4:5] offset:4
  s_endpgm

; Loops without an end: nothing at all, a counter that nothing reads, conditions that stay as they are (with arithmetic and
; stores between).
kernel endless_jump
.Lendless_jump:
  s_branch .Lendless_jump

kernel endless_count
  s_mov_b32 s4, 0
.Lendless_count:
  s_add_u32 s4, s4, 1
  s_branch .Lendless_count

kernel endless_mask
  s_mov_b32 s4, 0
  v_mov_b32_e32 v1, 0
  v_cmp_gt_u32_e64 s[8:9], 64, v0
.Lendless_mask:
  s_add_u32 s4, s4, 1
  v_add_u32_e32 v1, s4, v1
  s_and_b64 vcc, exec, s[8:9]
  s_cbranch_vccnz .Lendless_mask
  s_endpgm

kernel endless_store
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 0
  s_waitcnt lgkmcnt(0)
.Lendless_store:
  v_add_u32_e32 v2, 1, v2
  global_store_dword v1, v2, s[4:5] offset:8
  s_cmp_eq_u32 s7, 0
  s_cbranch_scc1 .Lendless_stored
  s_add_u32 s8, s8, 1
.Lendless_stored:
  s_cmp_lg_u32 s6, 0
  s_cbranch_scc1 .Lendless_store
  s_endpgm

; Loops that look like those, and end after s6 rounds.
.macro ended
  s_mov_b64 exec, 1
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 1
  global_atomic_add v1, v2, s[4:5] offset:4
  s_endpgm
.endm

kernel ends_by_carry
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_mov_b32 s8, 0
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s9, 0, s6
.Lby_carry:
  s_add_u32 s9, s9, 1
  s_mov_b32 s10, s8
  s_cbranch_scc0 .Lby_carry
  ended

kernel ends_by_lanes
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_mov_b32_e32 v3, 0
  s_mov_b64 s[8:9], 0
  s_waitcnt lgkmcnt(0)
.Lended_lanes:
  v_add_u32_e32 v3, 1, v3
  v_cmp_eq_u32_e32 vcc, s6, v3
  s_or_b64 s[8:9], vcc, s[8:9]
  s_andn2_b64 exec, exec, s[8:9]
  s_cbranch_execnz .Lended_lanes
  ended

; The condition is that of a lane that EXEC chooses, and EXEC moves.
kernel ends_by_exec
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_mov_b32 s8, 0
  s_waitcnt lgkmcnt(0)
.Lby_exec:
  s_add_u32 s8, s8, 1
  s_cmp_eq_u32 s8, s6
  s_cselect_b32 exec_lo, 0x80000000, 1
  s_mov_b32 exec_hi, 0
  v_readfirstlane_b32 s9, v0
  s_cmp_eq_u32 s9, 0
  s_cbranch_scc1 .Lby_exec
  ended

; The way out depends on nothing, but the way to it does.
kernel ends_by_detour
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_mov_b32 s8, 0
  s_waitcnt lgkmcnt(0)
.Lby_detour:
  s_add_u32 s8, s8, 1
  s_cmp_lg_u32 s8, s6
  s_cbranch_scc1 .Lno_detour
  s_cmp_lg_u32 s6, 0
  s_cbranch_scc1 .Ldetour
.Lno_detour:
  s_branch .Lby_detour
.Ldetour:
  ended

kernel ends_by_memory
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_mov_b32_e32 v1, 0
  s_waitcnt lgkmcnt(0)
.Lby_memory:
  global_load_dword v2, v1, s[4:5] offset:8
  s_waitcnt vmcnt(0)
  v_add_u32_e32 v2, 1, v2
  v_cmp_lt_u32_e32 vcc, s6, v2
  global_store_dword v1, v2, s[4:5] offset:8
  v_mov_b32_e32 v2, 0
  s_cbranch_vccz .Lby_memory
  ended

; A register that only a part of the rounds writes.
kernel ends_by_skipping
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_mov_b32 s8, 0
  s_mov_b32 s9, 0
  s_waitcnt lgkmcnt(0)
.Lby_skipping:
  s_add_u32 s8, s8, 1
  s_cmp_lt_u32 s8, s6
  s_cbranch_scc1 .Lskipping
  s_mov_b32 s9, 1
.Lskipping:
  s_cmp_eq_u32 s9, 0
  s_cbranch_scc1 .Lby_skipping
  ended
