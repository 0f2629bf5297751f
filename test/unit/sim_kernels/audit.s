; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Kernels for sim_audit_test.c: what shows only in a running wave. Each stores rows of 64 dwords at the first argument.

.macro kernel name
  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_group_segment_fixed_size 4096
    .amdhsa_kernarg_size 64
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 64
    .amdhsa_next_free_sgpr 48
    .amdhsa_accum_offset 64
  .end_amdhsa_kernel
  .text
  .p2align 8
  .globl \name
  .type \name,@function
\name:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0                 ; v1 = 4 * lane
  s_waitcnt lgkmcnt(0)
.endm

.macro out row, register
  global_store_dword v1, \register, s[4:5] offset:256*\row
.endm

; M0[15:12] chooses operands (dst, src2, src1, src0), M0[7:0] is the distance; what lies between does not count.
kernel relative_registers
  v_mov_b32_e32 v10, 100
  v_mov_b32_e32 v11, 200
  v_mov_b32_e32 v12, 300
  v_mov_b32_e32 v13, 400
  v_mov_b32_e32 v20, 0
  s_mov_b32 s8, 0
  s_set_gpr_idx_on s8, gpr_idx(SRC0)
  s_mov_b32 m0, 0xffff1f02                    ; source 0, two on
  v_add_u32_e32 v30, v10, v11                 ; v12 + v11
  s_mov_b32 m0, 0x2001                        ; source 1, one on
  v_add_u32_e32 v31, v10, v11                 ; v10 + v12
  s_mov_b32 m0, 0x4003                        ; source 2, three on
  v_add3_u32 v32, v10, v11, v10               ; v10 + v11 + v13
  s_mov_b32 m0, 0x8002                        ; destination, two on
  v_add_u32_e32 v20, v10, v11                 ; to v22
  s_mov_b32 m0, 0xb001                        ; all of them, one on
  v_sub_u32_e32 v23, v12, v10                 ; v24 = v13 - v11
  s_set_gpr_idx_off
  out 0, v30
  out 1, v31
  out 2, v32
  out 3, v22
  out 4, v24
  out 5, v20
  s_endpgm

; Under VSKIP neither vector, LDS nor memory instructions do anything; scalar ones do, and waits do not hang.
kernel skipping
  v_mov_b32_e32 v10, 1
  v_mov_b32_e32 v11, 2
  v_mov_b32_e32 v12, 7
  ds_write_b32 v1, v12
  s_mov_b32 s8, 8
  s_setvskip s8, 3
  v_mov_b32_e32 v10, 5
  v_cmp_eq_u32_e32 vcc, v10, v10
  ds_write_b32 v1, v11
  global_store_dword v1, v11, s[4:5] offset:512
  ds_read_b32 v11, v1
  v_readfirstlane_b32 s9, v11
  s_mov_b32 s10, 77
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_setvskip s8, 0
  ds_read_b32 v13, v1
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v14, s10
  out 0, v10
  out 1, v11
  out 3, v13
  out 4, v14
  s_endpgm

; STATUS before and after a barrier of two waves: IN_BARRIER (bit 12) shows only while a wave waits. Row: the wave's.
kernel barrier_status
  s_getreg_b32 s8, hwreg(HW_REG_STATUS, 12, 1)
  s_barrier
  s_getreg_b32 s9, hwreg(HW_REG_STATUS, 12, 1)
  s_or_b32 s8, s8, s9
  v_mov_b32_e32 v2, s8
  out 0, v2
  s_endpgm

; The flat access of each lane goes where the lane's own aperture says: the first half of the wave to LDS, the second to memory.
kernel apertures
  s_mov_b64 s[6:7], src_shared_base
  v_mov_b32_e32 v5, s7
  v_mov_b32_e32 v4, v1
  v_mov_b32_e32 v6, s5
  v_add_co_u32_e32 v7, vcc, s4, v1
  v_addc_co_u32_e32 v8, vcc, 0, v6, vcc
  v_cmp_gt_u32_e32 vcc, 32, v0
  v_cndmask_b32_e32 v2, v7, v4, vcc
  v_cndmask_b32_e32 v3, v8, v5, vcc
  v_add_u32_e32 v9, 1000, v0
  flat_store_dword v[2:3], v9
  s_waitcnt vmcnt(0) lgkmcnt(0)
  ds_read_b32 v10, v1
  s_waitcnt lgkmcnt(0)
  out 1, v10
  s_endpgm
