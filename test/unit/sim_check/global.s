; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Waves that meet in device memory. Correct as they are; sim_check_global_test.c takes lines away. Two workgroups.
.include "kernel.inc"

; Each wave reads what another one of its workgroup stored.
kernel exchange
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_lshl_b32 s8, s2, 10
  v_add_u32_e32 v1, s8, v1                                ; -exchange_group
  v_xor_b32_e32 v2, 0x3fc, v1
  v_add_u32_e32 v4, 1, v0
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v4, s[6:7]
  s_waitcnt vmcnt(0)
  s_barrier                                               ; -exchange_barrier
  global_load_dword v3, v2, s[6:7]
  s_waitcnt vmcnt(0)
  s_endpgm

; The last workgroup to count reads what the first one stored (a split-K reduction).
kernel last
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v5, 0
  v_mov_b32_e32 v6, 1
  s_lshl_b32 s8, s2, 10
  v_add_u32_e32 v2, s8, v1
  v_add_u32_e32 v4, 1, v0
  s_waitcnt lgkmcnt(0)
  global_store_dword v2, v4, s[4:5]
  s_waitcnt vmcnt(0)
  s_barrier                                               ; -last_barrier
  v_cmp_eq_u32_e32 vcc, 0, v0
  s_and_saveexec_b64 s[10:11], vcc
  s_cbranch_execz last_wait
  buffer_wbl2 sc1                                         ; -last_release
  s_waitcnt vmcnt(0)
  global_atomic_add v7, v5, v6, s[6:7] sc0 sc1            ; -last_atomic
  s_waitcnt vmcnt(0)
  buffer_inv sc1                                          ; -last_acquire
last_wait:
  s_or_b64 exec, exec, s[10:11]
  s_barrier
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc1 last_end
  global_load_dword v8, v1, s[4:5]
  s_waitcnt vmcnt(0)
last_end:
  s_endpgm

; The same, where all waves release and acquire, and one does the atomic for them.
kernel shared
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v5, 0
  v_mov_b32_e32 v6, 1
  s_lshl_b32 s8, s2, 10
  v_add_u32_e32 v2, s8, v1
  v_add_u32_e32 v4, 1, v0
  s_waitcnt lgkmcnt(0)
  global_store_dword v2, v4, s[4:5]
  buffer_wbl2 sc1                                         ; -shared_release
  s_waitcnt vmcnt(0)                                      ; -shared_wait
  s_barrier                                               ; -shared_barrier
  v_cmp_eq_u32_e32 vcc, 0, v0
  s_and_saveexec_b64 s[10:11], vcc
  s_cbranch_execz shared_wait
  global_atomic_add v7, v5, v6, s[6:7] sc0 sc1
  s_waitcnt vmcnt(0)
shared_wait:
  s_or_b64 exec, exec, s[10:11]
  s_barrier
  buffer_inv sc1                                          ; -shared_acquire
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc1 shared_end
  global_load_dword v8, v1, s[4:5]
  s_waitcnt vmcnt(0)
shared_end:
  s_endpgm

; Both workgroups write the same values to the same places: nothing changes the second time.
kernel same
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_add_u32_e32 v2, s2, v0
  v_mov_b32_e32 v2, 7                                     ; -same_value
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v2, s[6:7]
  s_endpgm

; Neighbouring bytes of a dword belong to different workgroups.
kernel bytes
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 1, v0
  v_add_u32_e32 v1, s2, v1                                ; -bytes_group
  v_add_u32_e32 v2, s2, v0
  s_waitcnt lgkmcnt(0)
  global_store_byte v1, v2, s[6:7]
  s_endpgm

; Atomics add up what all workgroups have.
kernel sum
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_atomic_add v1, v0, s[6:7]
  s_endpgm

; Each wave reads the same dword by scalar memory before the first one stores to it.
kernel bump
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_lshl_b32 s8, s2, 2
  v_mov_b32_e32 v1, s8
  s_waitcnt lgkmcnt(0)
  s_load_dword s9, s[6:7], s8
  s_waitcnt lgkmcnt(0)
  s_barrier                                               ; -bump_barrier
  v_cmp_eq_u32_e32 vcc, 0, v0
  s_and_saveexec_b64 s[10:11], vcc
  s_cbranch_execz bump_end
  s_add_u32 s9, s9, 1
  v_mov_b32_e32 v2, s9
  global_store_dword v1, v2, s[6:7]
bump_end:
  s_endpgm

; The last wave stores to one of four dwords that all have read.
kernel four
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_lshl_b32 s8, s2, 4
  v_mov_b32_e32 v1, s8
  s_waitcnt lgkmcnt(0)
  s_load_dwordx4 s[12:15], s[6:7], s8
  s_waitcnt lgkmcnt(0)
  s_barrier                                               ; -four_barrier
  v_cmp_eq_u32_e32 vcc, 0xff, v0
  s_and_saveexec_b64 s[10:11], vcc
  s_cbranch_execz four_end
  s_add_u32 s9, s14, 1
  v_mov_b32_e32 v2, s9
  global_store_dword v1, v2, s[6:7] offset:8
four_end:
  s_endpgm

; All waves of a workgroup store the same value by scalar memory, and count themselves.
kernel scalar
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_readfirstlane_b32 s9, v0
  s_mov_b32 s9, 7                                         ; -scalar_value
  s_mov_b32 s10, 1
  s_waitcnt lgkmcnt(0)
  s_store_dword s9, s[4:5], 0x4
  s_atomic_add s10, s[6:7], 0x8
  s_endpgm
