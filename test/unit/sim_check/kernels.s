; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Correct kernels, from which sim_check_test.c takes away one line at a time. All take two pointers, source and
; destination, and run with 256 work-items. A line that a test removes ends in a name: "; -name".

.macro kernel name, lds=0
  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_group_segment_fixed_size \lds
    .amdhsa_kernarg_size 16
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 128
    .amdhsa_next_free_sgpr 48
    .amdhsa_accum_offset 64
  .end_amdhsa_kernel
  .text
  .p2align 8
  .globl \name
  .type \name,@function
\name:
.endm

; destination[i] = source[i] + source[i + 256]
kernel add
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)                      ; -scalar_load
  global_load_dword v2, v1, s[4:5]
  global_load_dword v3, v1, s[4:5] offset:1024
  s_waitcnt vmcnt(1)                        ; -first_load
  v_add_u32_e32 v4, 1, v2
  s_waitcnt vmcnt(0)                        ; -second_load
  v_add_u32_e32 v4, v4, v3
  global_store_dword v1, v4, s[6:7]
  s_endpgm

; Two scalar loads may return in any order: lgkmcnt(1) says nothing about either.
kernel scalar_order
  s_load_dword s8, s[0:1], 0x0
  s_load_dword s9, s[0:1], 0x4
  s_waitcnt lgkmcnt(0)                      ; -zero
  s_waitcnt lgkmcnt(1)
  s_add_i32 s10, s8, 1
  s_endpgm

; A load whose result nobody reads, into a register that is then used for something else.
kernel overwritten
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  s_waitcnt vmcnt(0)                        ; -before_write
  v_mov_b32_e32 v2, 7
  global_store_dword v1, v2, s[6:7]
  s_endpgm

; destination[i] = source[255 - i], through LDS, twice.
kernel reverse, lds=1024
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_sub_u32_e32 v3, 0x3fc, v1
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  s_waitcnt vmcnt(0)
  ds_write_b32 v1, v2
  s_waitcnt lgkmcnt(0)                      ; -write_wait
  s_barrier                                 ; -write_barrier
  ds_read_b32 v4, v3
  s_waitcnt lgkmcnt(0)                      ; -read_wait
  s_barrier                                 ; -read_barrier
  v_add_u32_e32 v4, 1, v4
  ds_write_b32 v1, v4
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v5, v3
  s_waitcnt lgkmcnt(0)                      ; -last_wait
  global_store_dword v1, v5, s[6:7]
  s_endpgm

; All waves write the same value to the same place, and read it back: not a race that matters.
kernel same_value, lds=1024
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v2, 42
  v_mov_b32_e32 v3, 0
  ds_write_b32 v3, v2
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v4, v3
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v4, s[6:7]
  s_endpgm

; Data that go to LDS without passing through registers.
kernel direct, lds=1024
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_sub_u32_e32 v3, 0x3fc, v1
  v_readfirstlane_b32 s8, v1
  s_waitcnt lgkmcnt(0)
  s_mov_b32 m0, s8
  s_nop 0                                   ; -m0
  global_load_lds_dword v1, s[4:5]
  s_waitcnt vmcnt(0)                        ; -direct_wait
  s_barrier                                 ; -direct_barrier
  ds_read_b32 v4, v3
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v4, s[6:7]
  s_endpgm

; Work-items beyond 128 do nothing; they would leave LDS.
kernel half, lds=512
  v_lshlrev_b32_e32 v1, 2, v0
  v_cmp_gt_u32_e32 vcc, 0x80, v0
  s_and_b64 exec, exec, vcc                 ; -mask
  ds_write_b32 v1, v0
  s_waitcnt lgkmcnt(0)
  s_endpgm

; Wave 0 goes another way, but meets the others at its own barrier.
kernel meet, lds=1024
  v_readfirstlane_b32 s8, v0
  s_cmp_eq_u32 s8, 0
  s_cbranch_scc1 other_way
  s_barrier
  s_endpgm
other_way:
  s_barrier                                 ; -its_barrier
  s_endpgm

; Wave 0 goes around until the value that it counts is 100, and meets the others.
kernel spin, lds=1024
  v_readfirstlane_b32 s8, v0
  s_mov_b32 s9, 0
  s_cmp_eq_u32 s8, 0
  s_cbranch_scc0 spin_end
spin_on:
  s_cmp_eq_u32 s9, 100
  s_cbranch_scc1 spin_end
  s_add_u32 s9, s9, 1                       ; -count
  s_branch spin_on
spin_end:
  s_barrier
  s_endpgm

; A register that M0 picks, out of a row of them.
kernel indexed
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v4, 0
  v_mov_b32_e32 v5, 0
  s_waitcnt lgkmcnt(0)
  global_load_dword v6, v1, s[4:5]
  s_mov_b32 s8, 2
  s_set_gpr_idx_on s8, gpr_idx(SRC0)
  s_waitcnt vmcnt(0)                        ; -indexed_wait
  v_mov_b32_e32 v2, v4
  s_set_gpr_idx_off
  v_exp_f32_e32 v6, v2
  s_set_gpr_idx_on s8, gpr_idx(SRC0)
  s_nop 0
  v_mov_b32_e32 v3, v4
  s_set_gpr_idx_off
  global_store_dword v1, v3, s[6:7]
  s_endpgm

; Wait states that the machine does not check.
kernel states
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_mov_b32 s14, 0x1000
  s_mov_b32 s15, 0x20000
  v_accvgpr_write_b32 a4, 0
  v_accvgpr_write_b32 a5, 0
  v_mov_b32_e32 v10, 0
  v_mov_b32_e32 v11, 0
  v_mov_b32_e32 v12, 0
  v_mov_b32_e32 v13, 0
  v_mov_b32_e32 v2, 0
  v_mov_b32_e32 v3, 0
  s_nop 1                                   ; -valu_matrix
  v_mfma_f32_16x16x16_f16 v[10:13], v[2:3], v[2:3], v[10:13]
  s_nop 6                                   ; -matrix_valu
  v_add_f32_e32 v14, v13, v13
  v_mfma_f32_16x16x16_f16 a[0:3], v[2:3], v[2:3], 0
  s_nop 4                                   ; -matrix_c
  v_mfma_f32_16x16x4_f32 a[2:5], v2, v2, a[2:5]
  s_nop 6
  s_nop 2                                   ; -store
  global_store_dwordx4 v1, a[2:5], s[6:7]
  s_nop 1                                   ; -wide_store
  v_accvgpr_write_b32 a2, 0
  v_exp_f32_e32 v20, v14
  s_nop 0                                   ; -trans
  v_add_f32_e32 v21, v20, v20
  s_nop 1                                   ; -dpp
  v_mov_b32_dpp v22, v21 row_shr:1 row_mask:0xf bank_mask:0xf
  v_readfirstlane_b32 s8, v1
  s_nop 3                                   ; -sgpr_vmem
  s_nop 0
  v_mov_b32_e32 v2, 0
  buffer_load_dword v23, v2, s[12:15], s8 offen
  v_readfirstlane_b32 s8, v1
  s_nop 3                                   ; -lane_select
  v_readlane_b32 s10, v1, s8
  s_nop 1                                   ; -sgpr_valu
  v_add_u32_e32 v24, s10, v1
  v_cmp_eq_f32_e32 vcc, v14, v14
  s_nop 3                                   ; -div_fmas
  v_div_fmas_f32 v25, v14, v14, v14
  v_cmp_eq_f32_e32 vcc, v14, v14
  s_nop 3
  s_nop 0                                   ; -vccz
  v_mov_b32_e32 v26, src_vccz
  v_cmpx_eq_f32_e64 s[10:11], v14, v14
  s_nop 3
  s_nop 0                                   ; -execz
  v_mov_b32_e32 v26, src_execz
  v_mov_b32_e32 v27, 0
  v_cvt_pk_fp8_f32 v27, v14, v14 op_sel:[0,0,1]
  s_nop 0                                   ; -part
  v_cvt_pk_fp8_f32 v27, v14, v14
  v_pk_mul_f32 v[30:31], v[20:21], v[20:21]
  s_nop 0                                   ; -packed
  v_add_f32_e32 v32, v30, v31
  v_cmpx_eq_f32_e64 s[10:11], v14, v14
  s_nop 3
  s_nop 0                                   ; -exec_vmem
  global_load_dword v33, v1, s[4:5]
  s_nop 0                                   ; -clause
  global_load_dword v1, v1, s[4:5]
  s_waitcnt vmcnt(0)
  s_endpgm

; Operations that raise vmcnt, lgkmcnt or both, and whose results are wanted in another order than they were asked for.
kernel waits, lds=1024
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v5, 1
  ds_write_b32 v1, v5
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v2, s4
  v_mov_b32_e32 v3, s5
  flat_load_dword v4, v[2:3]
  s_waitcnt vmcnt(0)                        ; -flat_vm
  s_waitcnt lgkmcnt(0)                      ; -flat_lgkm
  v_add_u32_e32 v6, 1, v4
  global_atomic_add v7, v1, v5, s[6:7] sc0
  global_store_dword v1, v6, s[6:7] offset:1024
  s_waitcnt vmcnt(1)                        ; -atomic
  v_add_u32_e32 v6, 1, v7
  global_load_dword a3, v1, s[4:5]
  s_waitcnt vmcnt(0)                        ; -acc
  v_accvgpr_read_b32 v8, a3
  global_load_dword v9, v1, s[4:5]
  s_waitcnt vmcnt(0)                        ; -other_queue
  ds_read_b32 v9, v1
  ds_read_b32 v10, v1
  s_waitcnt lgkmcnt(1)                      ; -first_read
  v_add_u32_e32 v11, 1, v9
  s_memtime s[8:9]
  s_waitcnt lgkmcnt(0)                      ; -time
  s_add_u32 s10, s8, 1
  s_load_dword s11, s[0:1], 0x0
  s_waitcnt lgkmcnt(0)                      ; -scalar_write
  s_mov_b32 s11, 0
  v_add_u32_e32 v11, s11, v10
  ds_bpermute_b32 v12, v1, v11
  s_waitcnt lgkmcnt(0)                      ; -permute
  global_store_dword v1, v12, s[6:7]
  ds_add_rtn_u32 v13, v1, v5
  s_waitcnt lgkmcnt(0)                      ; -lds_atomic
  global_store_dword v1, v13, s[6:7]
  global_load_short_d16_hi v14, v1, s[4:5]
  s_waitcnt vmcnt(0)                        ; -half
  v_mov_b32_e32 v15, v14
  global_load_dwordx2 v[16:17], v1, s[4:5]
  s_waitcnt vmcnt(0)                        ; -pair
  v_mov_b32_e32 v16, v17
  v_mov_b32_e32 v56, v17
  global_load_dword v57, v1, s[4:5]
  v_pk_add_f32 v[54:55], v[16:17], v[56:57] op_sel_hi:[1,0] ; ignores v57
  s_waitcnt vmcnt(0)                        ; -whole_pair
  v_pk_mul_f32 v[54:55], v[54:55], v[56:57]
  ds_read_b32 v40, v1
  ds_read_b32 v41, v1
  ds_read_b32 v42, v1
  ds_read_b32 v43, v1
  ds_read_b32 v44, v1
  ds_read_b32 v45, v1
  ds_read_b32 v46, v1
  ds_read_b32 v47, v1
  ds_read_b32 v48, v1
  ds_read_b32 v49, v1
  ds_read_b32 v50, v1
  ds_read_b32 v51, v1
  ds_read_b32 v52, v1
  ds_read_b32 v53, v1
  ds_read_b32 v54, v1
  ds_read_b32 v55, v1
  ds_read_b32 v56, v1
  s_waitcnt lgkmcnt(14)                     ; -many
  v_add_u32_e32 v16, v40, v40
  s_waitcnt lgkmcnt(0)
  s_endpgm

; Values that come from somewhere before they matter.
kernel values, lds=1024
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0               ; -address
  v_mov_b32_e32 v2, 5                       ; -value
  s_mov_b32 s8, 1                           ; -condition
  v_add_u32_e32 v3, 1, v2
  v_mov_b32_e32 v4, v3
  ds_write_b32 v1, v4                       ; -lds_value
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v5, v1
  s_cmp_eq_u32 s8, 0
  s_cbranch_scc1 values_end
  v_cmp_gt_u32_e32 vcc, 0x60, v0            ; -mask_value
  s_and_b64 exec, exec, vcc
  s_waitcnt lgkmcnt(0)
  v_add_u32_e32 v6, v5, v4
  global_store_dword v1, v6, s[6:7]
values_end:
  s_endpgm
