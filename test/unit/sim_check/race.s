; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Races in LDS, in other ways than by ds_read and ds_write. Correct as they are; sim_check_race_test.c takes lines away.
.include "kernel.inc"

; FLAT stores into the LDS aperture. They count in vmcnt and lgkmcnt.
kernel flat, lds=1024
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_sub_u32_e32 v3, 0x3fc, v1
  v_mov_b32_e32 v4, v1
  v_mov_b32_e32 v5, 0x10000
  flat_store_dword v[4:5], v0
  s_waitcnt vmcnt(0) lgkmcnt(0)             ; -flat_wait
  s_barrier                                 ; -flat_barrier
  ds_read_b32 v6, v3
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v6, s[6:7]
  s_endpgm

; A counter in LDS: atomics of all waves do not conflict, reading it without a barrier does.
kernel counter, lds=1024
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v2, 0
  v_cmp_eq_u32_e32 vcc, 0, v0
  s_and_saveexec_b64 s[8:9], vcc
  ds_write_b32 v2, v2
  s_or_b64 exec, exec, s[8:9]
  s_waitcnt lgkmcnt(0)
  s_barrier                                 ; -counter_zero
  ds_append v4
  s_waitcnt lgkmcnt(0)
  s_barrier                                 ; -counter_barrier
  ds_read_b32 v5, v2
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v5, s[6:7]
  s_endpgm

; Addresses from M0 and the lane's number.
kernel addtid, lds=1024
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_sub_u32_e32 v3, 0x3fc, v1
  v_readfirstlane_b32 s8, v1
  s_mov_b32 m0, s8
  s_nop 0
  ds_write_addtid_b32 v0
  s_waitcnt lgkmcnt(0)                      ; -addtid_wait
  s_barrier                                 ; -addtid_barrier
  ds_read_b32 v5, v3
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v5, s[6:7]
  s_endpgm

; A buffer load straight to LDS.
kernel buffer_direct, lds=1024
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_sub_u32_e32 v3, 0x3fc, v1
  v_readfirstlane_b32 s8, v1
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, s4
  s_and_b32 s13, s5, 0xffff
  s_mov_b32 s14, 0x1000
  s_mov_b32 s15, 0x20000
  s_mov_b32 m0, s8
  s_nop 4
  buffer_load_dword v1, s[12:15], 0 offen lds
  s_waitcnt vmcnt(0)                        ; -buffer_wait
  s_barrier                                 ; -buffer_barrier
  ds_read_b32 v4, v3
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v4, s[6:7]
  s_endpgm

; Wave 0 hands its data to the others by an atomic flag; no barrier.
kernel handoff, lds=1024
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_and_b32_e32 v3, 0xfc, v1
  v_mov_b32_e32 v2, 0
  v_mov_b32_e32 v4, 1
  v_mov_b32_e32 v5, 0x200
  v_readfirstlane_b32 s8, v0
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 handoff_take
  ds_write_b32 v3, v0
  ds_write_b32 v5, v4 offset:4
  ds_wrxchg_rtn_b32 v7, v5, v4
  s_waitcnt lgkmcnt(0)
  s_endpgm
handoff_take:
  v_mov_b32_e32 v6, v4
  ds_add_rtn_u32 v6, v5, v2                 ; -handoff_acquire
  s_waitcnt lgkmcnt(0)
  v_readfirstlane_b32 s9, v6
  s_cmp_eq_u32 s9, 0
  s_cbranch_scc1 handoff_take
  ds_read_b32 v8, v3
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v8, s[6:7]
  s_endpgm

; Reads are outstanding across a barrier, after which the other half is written: that is correct. The second
; barrier lets the first half be overwritten, and needs the wait.
kernel halves, lds=2048
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_sub_u32_e32 v3, 0x3fc, v1
  ds_write_b32 v1, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v4, v3
  s_barrier
  ds_write_b32 v1, v0 offset:1024
  s_waitcnt lgkmcnt(0)                      ; -halves_wait
  s_barrier                                 ; -halves_barrier
  v_add_u32_e32 v5, 1, v0
  ds_write_b32 v1, v5
  ds_read_b32 v6, v3 offset:1024
  s_waitcnt lgkmcnt(0)
  v_add_u32_e32 v6, v6, v4
  global_store_dword v1, v6, s[6:7]
  s_endpgm

; Neighbouring 16-bit halves of a dword belong to different waves.
kernel neighbours, lds=1024
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_and_b32_e32 v2, 63, v0
  v_lshrrev_b32_e32 v3, 6, v0
  v_lshlrev_b32_e32 v2, 3, v2
  v_lshl_add_u32 v2, v3, 1, v2
  ds_write_b16 v2, v0
  s_waitcnt lgkmcnt(0)
  s_barrier                                 ; -neighbours_barrier
  v_lshlrev_b32_e32 v4, 1, v0
  ds_read_u16 v5, v4
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v5, s[6:7]
  s_endpgm

; A wave's own loads straight to LDS need their waits, too.
kernel direct_own, lds=2048
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_nop 1
  v_readfirstlane_b32 s8, v1
  s_waitcnt lgkmcnt(0)
  s_mov_b32 m0, s8
  s_nop 0
  global_load_lds_dword v1, s[4:5]
  s_add_u32 m0, s8, 0x400
  s_nop 0
  global_load_lds_dword v1, s[4:5] offset:0
  s_waitcnt vmcnt(1)                        ; -own_first
  ds_read_b32 v2, v1
  s_waitcnt vmcnt(0)                        ; -own_second
  ds_add_u32 v1, v0 offset:1024
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v2, s[6:7]
  s_endpgm
