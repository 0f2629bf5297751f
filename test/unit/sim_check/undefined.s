; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Values that nobody defined, byte by byte. Correct as they are; sim_check_undefined_test.c takes lines away.
.include "kernel.inc"

; The two halves of a register come from two loads, each of which leaves zeros in the other half.
kernel d16
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_short_d16 v2, v1, s[4:5]                    ; -d16_low
  global_load_short_d16_hi v3, v1, s[4:5] offset:2        ; -d16_high
  s_waitcnt vmcnt(0)
  v_or_b32_e32 v2, v2, v3
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

; A value is spilled to scratch and comes back.
kernel spilled, scratch=32
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v2, v0                                    ; -spilled_value
  scratch_store_dwordx2 off, v[0:1], off offset:8
  scratch_store_dword off, v2, off offset:16              ; -spilled_store
  s_waitcnt vmcnt(0) lgkmcnt(0)
  scratch_load_dwordx3 v[4:6], off, off offset:8
  s_waitcnt vmcnt(0)
  v_add_u32_e32 v6, v6, v4
  global_store_dword v1, v6, s[6:7]
  s_endpgm

; Scratch by FLAT addresses, one half of a dword by one.
kernel private_flat, scratch=16
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_mov_b64 s[8:9], src_private_base
  v_and_b32_e32 v4, 8, v1
  v_mov_b32_e32 v5, s9
  flat_store_short v[4:5], v0                             ; -private_low
  flat_store_short v[4:5], v0 offset:2
  s_waitcnt vmcnt(0) lgkmcnt(0)
  scratch_load_dword v6, v4, off
  s_waitcnt vmcnt(0)
  v_add_u32_e32 v6, v6, v6
  global_store_dword v1, v6, s[6:7]
  s_endpgm

; Typed accesses: the second component is y of memory, and the third is 1.
kernel typed, lds=2048
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v4, v0                                    ; -typed_x
  v_mov_b32_e32 v5, v0                                    ; -typed_y
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_movk_i32 s14, 0x1000
  s_mov_b32 s15, 0x2ff2c                                  ; 16_16, x, y and 1
  tbuffer_store_format_xy v[4:5], v1, s[12:15], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_UINT] offen
  s_endpgm

; The source is typed, or swizzled: undefined or not.
kernel from_typed
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, s4
  s_and_b32 s13, s5, 0xffff
  s_movk_i32 s14, 0x1000
  s_mov_b32 s15, 0x20000
  tbuffer_load_format_xy v[2:3], v1, s[12:15], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_UINT] offen
  s_waitcnt vmcnt(0)
  global_store_dword v1, v3, s[6:7]
  s_endpgm
kernel from_swizzled
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, s4
  s_and_b32 s13, s5, 0xffff
  s_or_b32 s13, s13, 0x80040000                           ; stride 4
  s_movk_i32 s14, 0x400
  s_mov_b32 s15, 0x20000
  buffer_load_dword v2, v0, s[12:15], 0 idxen
  s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[6:7]
  s_endpgm
kernel from_scalar_buffer
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_and_b32 s5, s5, 0xffff
  s_movk_i32 s6, 0x400
  s_mov_b32 s7, 0x20000
  s_buffer_load_dword s8, s[4:7], 0x10
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s8, 0
  s_cbranch_scc1 from_scalar_end
  s_nop 0
from_scalar_end:
  s_endpgm

; An atomic's data, what MODE becomes, and where a load straight to LDS goes.
kernel elsewhere, lds=1024
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v2, v0                                    ; -elsewhere_data
  s_mov_b32 s8, 0                                         ; -elsewhere_mode
  v_readfirstlane_b32 s9, v1
  s_mov_b32 m0, s9                                        ; -elsewhere_m0
  s_waitcnt lgkmcnt(0)
  global_load_lds_dword v1, s[4:5]
  s_waitcnt vmcnt(0)
  s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s8
  ds_add_u32 v1, v2
  ds_read_b32 v3, v1
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v3, s[6:7]
  s_endpgm

; Structures of a byte, a dword and a halfword go from LDS to memory, and on: their gaps are no mistake, but a field is.
kernel structures, lds=3072
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_mul_u32_u24_e32 v1, 12, v0
  ds_write_b8 v1, v0
  ds_write_b32 v1, v0 offset:4                            ; -structures_dword
  ds_write_b16 v1, v0 offset:8
  s_waitcnt lgkmcnt(0)
  ds_read_b96 v[4:6], v1
  s_waitcnt lgkmcnt(0)
  global_store_dwordx3 v1, v[4:6], s[6:7]
  s_waitcnt vmcnt(0)
  global_load_dwordx3 v[8:10], v1, s[6:7]
  s_waitcnt vmcnt(0)
  v_mov_b32_e32 v10, v10
  global_store_dwordx3 v1, v[8:10], s[6:7]
  s_endpgm

; More than the arguments are loaded; what is used is there.
kernel wide
  s_load_dwordx8 s[4:11], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s8, 0                                         ; -wide_value
  v_mov_b32_e32 v2, s8
  global_store_dword v1, v2, s[6:7]
  s_endpgm

; Lanes of a mask that EXEC leaves out are undefined, and so they are where it is spilled.
kernel masks
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_mov_b64 exec, 1
  s_or_b64 s[8:9], s[20:21], exec
  v_writelane_b32 v9, s8, 0
  v_writelane_b32 v9, s9, 1
  s_nop 0
  v_readlane_b32 s10, v9, 0
  v_readlane_b32 s11, v9, 1
  s_nop 3
  s_and_b64 exec, exec, s[10:11]
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v0, s[6:7]
  s_endpgm
