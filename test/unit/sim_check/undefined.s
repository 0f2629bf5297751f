; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Values that nobody defined, byte by byte. Correct as they are; sim_check_undefined_test.c takes lines away.
.include "kernel.inc"

; The two halves of a register come from two loads.
kernel d16
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_short_d16 v2, v1, s[4:5]                    ; -d16_low
  global_load_short_d16_hi v2, v1, s[4:5] offset:2        ; -d16_high
  s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[6:7]
  s_endpgm

; Only the low half is written, and only that is used.
kernel half_used
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_short_d16 v2, v1, s[4:5]
  s_waitcnt vmcnt(0)
  v_add_f16_e32 v3, v2, v2
  v_lshlrev_b32_e32 v4, 16, v2
  v_and_b32_e32 v5, 0xffff, v2                            ; -half_mask
  v_perm_b32 v6, v2, v2, v0
  v_or_b32_e32 v5, v5, v4
  global_store_short v1, v3, s[6:7]
  global_store_dword v1, v5, s[6:7]
  s_endpgm

; Four bytes of LDS are written one by one and read together.
kernel bytes, lds=1024
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  ds_write_b8 v1, v0
  ds_write_b8 v1, v0 offset:1
  ds_write_b8 v1, v0 offset:2                             ; -bytes_third
  ds_write_b8 v1, v0 offset:3
  ds_read_b32 v2, v1
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v2, s[6:7]
  s_endpgm

; Two pairs of fp8 make a dword.
kernel fp8
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_cvt_f32_u32_e32 v2, v0
  v_cvt_pk_fp8_f32 v3, v2, v2                             ; -fp8_low
  v_cvt_pk_fp8_f32 v3, v2, v2 op_sel:[0,0,1]              ; -fp8_high
  s_waitcnt lgkmcnt(0)
  s_nop 1
  global_store_dword v1, v3, s[6:7]
  s_endpgm

; SDWA writes one byte and keeps the others.
kernel sdwa
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v3, 0                                     ; -sdwa_rest
  v_mov_b32_sdwa v3, v0 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0
  s_nop 1
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v3, s[6:7]
  s_endpgm

; Row 5 of A is undefined, so row 5 of D is, and nobody stores it: v[8:11] hold rows 4 * (lane / 16) + 0..3.
kernel matrix
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_and_b32_e32 v2, 15, v0
  v_cmp_ne_u32_e32 vcc, 5, v2
  s_mov_b64 s[10:11], exec
  s_and_b64 exec, exec, vcc
  v_mov_b32_e32 v4, 0
  v_mov_b32_e32 v5, 0
  s_mov_b64 exec, s[10:11]
  v_mov_b32_e32 v6, 0
  v_mov_b32_e32 v7, 0
  s_nop 1
  v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], 0
  v_bfe_u32 v2, v0, 4, 2
  v_cmp_ne_u32_e32 vcc, 1, v2
  s_waitcnt lgkmcnt(0)
  s_nop 7
  s_nop 7
  global_store_dword v1, v8, s[6:7]
  global_store_dword v1, v10, s[6:7]
  s_and_b64 exec, exec, vcc                               ; -matrix_mask
  global_store_dword v1, v9, s[6:7]
  s_endpgm

; A value goes around through other lanes: ds_bpermute, DPP and v_readlane.
kernel lanes
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v2, v0                                    ; -lanes_value
  v_xor_b32_e32 v3, 4, v1
  ds_bpermute_b32 v4, v3, v2
  s_waitcnt lgkmcnt(0)
  s_nop 1
  v_mov_b32_dpp v5, v4 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
  v_mov_b32_e32 v7, v5
  s_nop 1
  v_readlane_b32 s8, v7, 3
  s_nop 1
  v_add_u32_e32 v6, s8, v5
  global_store_dword v1, v6, s[6:7]
  s_endpgm

; A register that M0 picks: v[20 + 3].
kernel indexed
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_mov_b32 s8, 3
  s_set_gpr_idx_on s8, gpr_idx(DST)
  v_mov_b32_e32 v20, v0                                   ; -indexed_write
  s_set_gpr_idx_off
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v23, s[6:7]
  s_endpgm

; Memory decides a branch; the source is written or not.
kernel decide
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_load_dword s8, s[4:5], 0x10
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s8, 0
  s_cbranch_scc1 decide_end
  s_nop 0
decide_end:
  s_endpgm

; Adds to memory, which must have been written before.
kernel add
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_atomic_add v1, v0, s[6:7]
  s_endpgm

; source[i] to destination[i], in lanes below 200; the rest loads and stores nothing.
kernel copy
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_cmp_gt_u32_e32 vcc, 200, v0
  s_and_b64 exec, exec, vcc
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  s_waitcnt vmcnt(0)
  v_add_u32_e32 v3, 1, v2
  global_store_dword v1, v3, s[6:7]
  s_endpgm

; Straight to LDS, and from there to the destination.
kernel direct, lds=1024
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_nop 1
  v_readfirstlane_b32 s8, v1
  s_waitcnt lgkmcnt(0)
  s_mov_b32 m0, s8
  s_nop 0
  global_load_lds_dword v1, s[4:5]
  s_waitcnt vmcnt(0)
  ds_read_b32 v2, v1
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v2, s[6:7]
  s_endpgm
