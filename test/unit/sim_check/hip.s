; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What clang 22 makes of hip.hip: clang-22 -x hip --offload-device-only --offload-arch=gfx942 -nogpuinc -nogpulib -O3 -gline-tables-only -S
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 5
	.text
	.protected	reduce                  ; -- Begin function reduce
	.globl	reduce
	.p2align	8
	.type	reduce,@function
reduce:                                 ; @reduce
.Lfunc_begin0:
	.file	0 "." "hip.hip" md5 0xced040ed08a0268926d996b122110ade
	.loc	0 31 23 prologue_end            ; hip.hip:31:23
	s_load_dword s3, s[0:1], 0x10
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v1, 0
	.loc	0 31 28 is_stmt 0               ; hip.hip:31:28
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_i32_e32 vcc, s3, v0
	.loc	0 31 5                          ; hip.hip:31:5
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_4
	v_lshlrev_b32_e32 v2, 2, v0
	v_lshl_add_u64 v[2:3], s[4:5], 0, v[2:3]
	s_mov_b64 s[4:5], 0
	v_mov_b32_e32 v1, 0
	s_mov_b64 s[8:9], 0x400
	v_mov_b32_e32 v4, v0
.LBB0_2:                                ; =>This Inner Loop Header: Depth=1
	.loc	0 32 16 is_stmt 1               ; hip.hip:32:16
	global_load_dword v5, v[2:3], off
	.loc	0 31 35                         ; hip.hip:31:35
	v_add_u32_e32 v4, 0x100, v4
	.loc	0 31 28 is_stmt 0               ; hip.hip:31:28
	v_cmp_le_i32_e32 vcc, s3, v4
	v_lshl_add_u64 v[2:3], v[2:3], 0, s[8:9]
	.loc	0 31 5                          ; hip.hip:31:5
	s_or_b64 s[4:5], vcc, s[4:5]
	.loc	0 32 13 is_stmt 1               ; hip.hip:32:13
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v1, v1, v5
	.loc	0 31 5                          ; hip.hip:31:5
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz .LBB0_2
	.loc	0 0 5 is_stmt 0                 ; hip.hip:0:5
	s_or_b64 exec, exec, s[4:5]
.LBB0_4:
	s_or_b64 exec, exec, s[0:1]
	v_and_b32_e32 v3, 63, v0
.Ltmp0:
	.loc	0 23 91 is_stmt 1               ; hip.hip:23:91 @[ hip.hip:33:11 ]
	v_lshlrev_b32_e32 v2, 2, v3
	v_xor_b32_e32 v4, 4, v2
	.loc	0 23 40 is_stmt 0               ; hip.hip:23:40 @[ hip.hip:33:11 ]
	ds_bpermute_b32 v4, v4, v1
	.loc	0 23 91                         ; hip.hip:23:91 @[ hip.hip:33:11 ]
	v_xor_b32_e32 v5, 8, v2
.Ltmp1:
	.loc	0 34 16 is_stmt 1               ; hip.hip:34:16
	v_cmp_eq_u32_e32 vcc, 0, v3
.Ltmp2:
	.loc	0 23 11                         ; hip.hip:23:11 @[ hip.hip:33:11 ]
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v4
	.loc	0 23 40 is_stmt 0               ; hip.hip:23:40 @[ hip.hip:33:11 ]
	ds_bpermute_b32 v4, v5, v1
	.loc	0 23 91                         ; hip.hip:23:91 @[ hip.hip:33:11 ]
	v_xor_b32_e32 v5, 16, v2
	.loc	0 23 11                         ; hip.hip:23:11 @[ hip.hip:33:11 ]
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v4
	.loc	0 23 40                         ; hip.hip:23:40 @[ hip.hip:33:11 ]
	ds_bpermute_b32 v4, v5, v1
	.loc	0 23 91                         ; hip.hip:23:91 @[ hip.hip:33:11 ]
	v_xor_b32_e32 v5, 32, v2
	.loc	0 23 11                         ; hip.hip:23:11 @[ hip.hip:33:11 ]
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v4
	.loc	0 23 40                         ; hip.hip:23:40 @[ hip.hip:33:11 ]
	ds_bpermute_b32 v4, v5, v1
	.loc	0 23 91                         ; hip.hip:23:91 @[ hip.hip:33:11 ]
	v_xor_b32_e32 v5, 64, v2
	v_xor_b32_e32 v2, 0x80, v2
	.loc	0 23 11                         ; hip.hip:23:11 @[ hip.hip:33:11 ]
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v4
	.loc	0 23 40                         ; hip.hip:23:40 @[ hip.hip:33:11 ]
	ds_bpermute_b32 v4, v5, v1
	.loc	0 23 11                         ; hip.hip:23:11 @[ hip.hip:33:11 ]
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v4
	.loc	0 23 40                         ; hip.hip:23:40 @[ hip.hip:33:11 ]
	ds_bpermute_b32 v2, v2, v1
.Ltmp3:
	.loc	0 34 16 is_stmt 1               ; hip.hip:34:16
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_6
	.loc	0 0 16 is_stmt 0                ; hip.hip:0:16
	v_lshrrev_b32_e32 v3, 4, v0
.Ltmp4:
	.loc	0 23 11 is_stmt 1               ; hip.hip:23:11 @[ hip.hip:33:11 ]
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v2
.Ltmp5:
	.loc	0 35 23                         ; hip.hip:35:23
	ds_write_b32 v3, v1
.LBB0_6:
	.loc	0 0 23 is_stmt 0                ; hip.hip:0:23
	s_or_b64 exec, exec, s[0:1]
	.loc	0 37 11 is_stmt 1               ; hip.hip:37:11
	v_cmp_eq_u32_e32 vcc, 0, v0
.Ltmp6:
	.loc	0 15 5                          ; hip.hip:15:5 @[ hip.hip:36:5 ]
	s_waitcnt lgkmcnt(0)
	.loc	0 16 5                          ; hip.hip:16:5 @[ hip.hip:36:5 ]
	s_barrier
.Ltmp7:
	.loc	0 37 11                         ; hip.hip:37:11
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_8
	.loc	0 38 9                          ; hip.hip:38:9
	v_mov_b32_e32 v4, 0
	.loc	0 38 30 is_stmt 0               ; hip.hip:38:30
	ds_read_b128 v[0:3], v4
	.loc	0 38 9                          ; hip.hip:38:9
	s_mov_b32 s3, 0
	s_lshl_b64 s[0:1], s[2:3], 2
	s_add_u32 s0, s6, s0
	s_addc_u32 s1, s7, s1
	.loc	0 38 39                         ; hip.hip:38:39
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v0, v0, v1
	.loc	0 38 50                         ; hip.hip:38:50
	v_add_f32_e32 v0, v0, v2
	.loc	0 38 61                         ; hip.hip:38:61
	v_add_f32_e32 v0, v0, v3
	.loc	0 38 28                         ; hip.hip:38:28
	global_store_dword v4, v0, s[0:1]
.LBB0_8:
	.loc	0 39 1 is_stmt 1                ; hip.hip:39:1
	s_endpgm
.Ltmp8:
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel reduce
		.amdhsa_group_segment_fixed_size 16
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 6
		.amdhsa_next_free_sgpr 10
		.amdhsa_accum_offset 8
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end0:
	.size	reduce, .Lfunc_end0-reduce
	.set reduce.num_vgpr, 6
	.set reduce.num_agpr, 0
	.set reduce.numbered_sgpr, 10
	.set reduce.num_named_barrier, 0
	.set reduce.private_seg_size, 0
	.set reduce.uses_vcc, 1
	.set reduce.uses_flat_scratch, 0
	.set reduce.has_dyn_sized_stack, 0
	.set reduce.has_recursion, 0
	.set reduce.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	scan                    ; -- Begin function scan
	.globl	scan
	.p2align	8
	.type	scan,@function
scan:                                   ; @scan
.Lfunc_begin1:
	.loc	0 45 24 prologue_end            ; hip.hip:45:24
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	.loc	0 45 36 is_stmt 0               ; hip.hip:45:36
	v_lshl_add_u32 v2, s2, 8, v0
	.loc	0 45 17                         ; hip.hip:45:17
	v_mov_b32_e32 v3, 0
	.loc	0 45 5                          ; hip.hip:45:5
	v_lshlrev_b32_e32 v1, 2, v0
	.loc	0 49 15 is_stmt 1               ; hip.hip:49:15
	v_cmp_ne_u32_e32 vcc, 0, v0
	.loc	0 45 24                         ; hip.hip:45:24
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v4, s4
	v_mov_b32_e32 v5, s5
	.loc	0 45 17 is_stmt 0               ; hip.hip:45:17
	v_lshl_add_u64 v[4:5], v[2:3], 2, v[4:5]
	global_load_dword v4, v[4:5], off
	.loc	0 45 15                         ; hip.hip:45:15
	s_waitcnt vmcnt(0)
	ds_write_b32 v1, v4
.Ltmp9:
	.loc	0 15 5 is_stmt 1                ; hip.hip:15:5 @[ hip.hip:46:5 ]
	s_waitcnt lgkmcnt(0)
	.loc	0 16 5                          ; hip.hip:16:5 @[ hip.hip:46:5 ]
	s_barrier
.Ltmp10:
	.loc	0 48 19                         ; hip.hip:48:19
	ds_read_b32 v4, v1
	.loc	0 49 15                         ; hip.hip:49:15
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_2
	.loc	0 0 15 is_stmt 0                ; hip.hip:0:15
	v_add_u32_e32 v5, -4, v1
	.loc	0 50 18 is_stmt 1               ; hip.hip:50:18
	ds_read_b32 v5, v5
	.loc	0 50 15 is_stmt 0               ; hip.hip:50:15
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v4, v4, v5
.LBB1_2:
	.loc	0 0 15                          ; hip.hip:0:15
	s_or_b64 exec, exec, s[0:1]
	.loc	0 52 22 is_stmt 1               ; hip.hip:52:22
	s_waitcnt lgkmcnt(0)
	ds_write_b32 v1, v4 offset:1024
.Ltmp11:
	.loc	0 15 5                          ; hip.hip:15:5 @[ hip.hip:53:9 ]
	s_waitcnt lgkmcnt(0)
	.loc	0 16 5                          ; hip.hip:16:5 @[ hip.hip:53:9 ]
	s_barrier
.Ltmp12:
	.loc	0 48 19                         ; hip.hip:48:19
	ds_read_b32 v4, v1 offset:1024
	.loc	0 49 15                         ; hip.hip:49:15
	v_cmp_lt_u32_e32 vcc, 1, v0
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_4
	.loc	0 50 18                         ; hip.hip:50:18
	ds_read_b32 v5, v1 offset:1016
	.loc	0 50 15 is_stmt 0               ; hip.hip:50:15
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v4, v4, v5
.LBB1_4:
	.loc	0 0 15                          ; hip.hip:0:15
	s_or_b64 exec, exec, s[0:1]
	.loc	0 52 22 is_stmt 1               ; hip.hip:52:22
	s_waitcnt lgkmcnt(0)
	ds_write_b32 v1, v4
.Ltmp13:
	.loc	0 15 5                          ; hip.hip:15:5 @[ hip.hip:53:9 ]
	s_waitcnt lgkmcnt(0)
	.loc	0 16 5                          ; hip.hip:16:5 @[ hip.hip:53:9 ]
	s_barrier
.Ltmp14:
	.loc	0 48 19                         ; hip.hip:48:19
	ds_read_b32 v4, v1
	.loc	0 49 15                         ; hip.hip:49:15
	v_cmp_lt_u32_e32 vcc, 3, v0
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_6
	.loc	0 0 15 is_stmt 0                ; hip.hip:0:15
	v_add_u32_e32 v5, -16, v1
	.loc	0 50 18 is_stmt 1               ; hip.hip:50:18
	ds_read_b32 v5, v5
	.loc	0 50 15 is_stmt 0               ; hip.hip:50:15
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v4, v4, v5
.LBB1_6:
	.loc	0 0 15                          ; hip.hip:0:15
	s_or_b64 exec, exec, s[0:1]
	.loc	0 52 22 is_stmt 1               ; hip.hip:52:22
	s_waitcnt lgkmcnt(0)
	ds_write_b32 v1, v4 offset:1024
.Ltmp15:
	.loc	0 15 5                          ; hip.hip:15:5 @[ hip.hip:53:9 ]
	s_waitcnt lgkmcnt(0)
	.loc	0 16 5                          ; hip.hip:16:5 @[ hip.hip:53:9 ]
	s_barrier
.Ltmp16:
	.loc	0 48 19                         ; hip.hip:48:19
	ds_read_b32 v4, v1 offset:1024
	.loc	0 49 15                         ; hip.hip:49:15
	v_cmp_lt_u32_e32 vcc, 7, v0
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_8
	.loc	0 50 18                         ; hip.hip:50:18
	ds_read_b32 v5, v1 offset:992
	.loc	0 50 15 is_stmt 0               ; hip.hip:50:15
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v4, v4, v5
.LBB1_8:
	.loc	0 0 15                          ; hip.hip:0:15
	s_or_b64 exec, exec, s[0:1]
	.loc	0 52 22 is_stmt 1               ; hip.hip:52:22
	s_waitcnt lgkmcnt(0)
	ds_write_b32 v1, v4
.Ltmp17:
	.loc	0 15 5                          ; hip.hip:15:5 @[ hip.hip:53:9 ]
	s_waitcnt lgkmcnt(0)
	.loc	0 16 5                          ; hip.hip:16:5 @[ hip.hip:53:9 ]
	s_barrier
.Ltmp18:
	.loc	0 48 19                         ; hip.hip:48:19
	ds_read_b32 v4, v1
	.loc	0 49 15                         ; hip.hip:49:15
	v_cmp_lt_u32_e32 vcc, 15, v0
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_10
	.loc	0 0 15 is_stmt 0                ; hip.hip:0:15
	v_subrev_u32_e32 v5, 64, v1
	.loc	0 50 18 is_stmt 1               ; hip.hip:50:18
	ds_read_b32 v5, v5
	.loc	0 50 15 is_stmt 0               ; hip.hip:50:15
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v4, v4, v5
.LBB1_10:
	.loc	0 0 15                          ; hip.hip:0:15
	s_or_b64 exec, exec, s[0:1]
	.loc	0 52 22 is_stmt 1               ; hip.hip:52:22
	s_waitcnt lgkmcnt(0)
	ds_write_b32 v1, v4 offset:1024
.Ltmp19:
	.loc	0 15 5                          ; hip.hip:15:5 @[ hip.hip:53:9 ]
	s_waitcnt lgkmcnt(0)
	.loc	0 16 5                          ; hip.hip:16:5 @[ hip.hip:53:9 ]
	s_barrier
.Ltmp20:
	.loc	0 48 19                         ; hip.hip:48:19
	ds_read_b32 v4, v1 offset:1024
	.loc	0 49 15                         ; hip.hip:49:15
	v_cmp_lt_u32_e32 vcc, 31, v0
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_12
	.loc	0 50 18                         ; hip.hip:50:18
	ds_read_b32 v5, v1 offset:896
	.loc	0 50 15 is_stmt 0               ; hip.hip:50:15
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v4, v4, v5
.LBB1_12:
	.loc	0 0 15                          ; hip.hip:0:15
	s_or_b64 exec, exec, s[0:1]
	.loc	0 52 22 is_stmt 1               ; hip.hip:52:22
	s_waitcnt lgkmcnt(0)
	ds_write_b32 v1, v4
.Ltmp21:
	.loc	0 15 5                          ; hip.hip:15:5 @[ hip.hip:53:9 ]
	s_waitcnt lgkmcnt(0)
	.loc	0 16 5                          ; hip.hip:16:5 @[ hip.hip:53:9 ]
	s_barrier
.Ltmp22:
	.loc	0 48 19                         ; hip.hip:48:19
	ds_read_b32 v4, v1
	.loc	0 49 15                         ; hip.hip:49:15
	v_cmp_lt_u32_e32 vcc, 63, v0
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_14
	.loc	0 0 15 is_stmt 0                ; hip.hip:0:15
	v_add_u32_e32 v5, 0xffffff00, v1
	.loc	0 50 18 is_stmt 1               ; hip.hip:50:18
	ds_read_b32 v5, v5
	.loc	0 50 15 is_stmt 0               ; hip.hip:50:15
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v4, v4, v5
.LBB1_14:
	.loc	0 0 15                          ; hip.hip:0:15
	s_or_b64 exec, exec, s[0:1]
	.loc	0 52 22 is_stmt 1               ; hip.hip:52:22
	s_waitcnt lgkmcnt(0)
	ds_write_b32 v1, v4 offset:1024
.Ltmp23:
	.loc	0 15 5                          ; hip.hip:15:5 @[ hip.hip:53:9 ]
	s_waitcnt lgkmcnt(0)
	.loc	0 16 5                          ; hip.hip:16:5 @[ hip.hip:53:9 ]
	s_barrier
.Ltmp24:
	.loc	0 48 19                         ; hip.hip:48:19
	ds_read_b32 v4, v1 offset:1024
	s_movk_i32 s0, 0x7f
	.loc	0 49 15                         ; hip.hip:49:15
	v_cmp_lt_u32_e32 vcc, s0, v0
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB1_16
	.loc	0 50 18                         ; hip.hip:50:18
	ds_read_b32 v0, v1 offset:512
	.loc	0 50 15 is_stmt 0               ; hip.hip:50:15
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v4, v4, v0
.LBB1_16:
	.loc	0 0 15                          ; hip.hip:0:15
	s_or_b64 exec, exec, s[0:1]
	.loc	0 52 22 is_stmt 1               ; hip.hip:52:22
	s_waitcnt lgkmcnt(0)
	ds_write_b32 v1, v4
.Ltmp25:
	.loc	0 15 5                          ; hip.hip:15:5 @[ hip.hip:53:9 ]
	s_waitcnt lgkmcnt(0)
	.loc	0 16 5                          ; hip.hip:16:5 @[ hip.hip:53:9 ]
	s_barrier
.Ltmp26:
	.loc	0 55 36                         ; hip.hip:55:36
	ds_read_b32 v4, v1
	.loc	0 45 24                         ; hip.hip:45:24
	v_mov_b32_e32 v0, s6
	v_mov_b32_e32 v1, s7
	.loc	0 55 5                          ; hip.hip:55:5
	v_lshl_add_u64 v[0:1], v[2:3], 2, v[0:1]
	.loc	0 55 34 is_stmt 0               ; hip.hip:55:34
	s_waitcnt lgkmcnt(0)
	global_store_dword v[0:1], v4, off
	.loc	0 56 1 is_stmt 1                ; hip.hip:56:1
	s_endpgm
.Ltmp27:
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel scan
		.amdhsa_group_segment_fixed_size 2048
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 6
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 8
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end1:
	.size	scan, .Lfunc_end1-scan
	.set scan.num_vgpr, 6
	.set scan.num_agpr, 0
	.set scan.numbered_sgpr, 8
	.set scan.num_named_barrier, 0
	.set scan.private_seg_size, 0
	.set scan.uses_vcc, 1
	.set scan.uses_flat_scratch, 0
	.set scan.has_dyn_sized_stack, 0
	.set scan.has_recursion, 0
	.set scan.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	histogram               ; -- Begin function histogram
	.globl	histogram
	.p2align	8
	.type	histogram,@function
histogram:                              ; @histogram
.Lfunc_begin2:
	.loc	0 61 11 prologue_end            ; hip.hip:61:11
	v_cmp_gt_u32_e32 vcc, 64, v0
	v_lshlrev_b32_e32 v2, 2, v0
	s_and_saveexec_b64 s[2:3], vcc
	.loc	0 0 11 is_stmt 0                ; hip.hip:0:11
	v_mov_b32_e32 v1, 0
	.loc	0 62 17 is_stmt 1               ; hip.hip:62:17
	ds_write_b32 v2, v1
	.loc	0 0 17 is_stmt 0                ; hip.hip:0:17
	s_or_b64 exec, exec, s[2:3]
	.loc	0 61 9 is_stmt 1                ; hip.hip:61:9
	s_load_dword s10, s[0:1], 0x10
	s_load_dwordx4 s[4:7], s[0:1], 0x0
.Ltmp28:
	.loc	0 15 5                          ; hip.hip:15:5 @[ hip.hip:63:5 ]
	s_waitcnt lgkmcnt(0)
	.loc	0 16 5                          ; hip.hip:16:5 @[ hip.hip:63:5 ]
	s_barrier
.Ltmp29:
	.loc	0 64 28                         ; hip.hip:64:28
	v_cmp_gt_i32_e64 s[0:1], s10, v0
	.loc	0 64 5 is_stmt 0                ; hip.hip:64:5
	s_and_saveexec_b64 s[2:3], s[0:1]
	s_cbranch_execz .LBB2_5
	v_mov_b32_e32 v3, 0
	v_lshl_add_u64 v[4:5], s[4:5], 0, v[2:3]
	s_mov_b64 s[4:5], 0
	v_mov_b32_e32 v1, 1
	s_mov_b64 s[8:9], 0x400
.LBB2_4:                                ; =>This Inner Loop Header: Depth=1
	.loc	0 65 39 is_stmt 1               ; hip.hip:65:39
	global_load_dword v3, v[4:5], off
	.loc	0 64 35                         ; hip.hip:64:35
	v_add_u32_e32 v0, 0x100, v0
	.loc	0 64 28 is_stmt 0               ; hip.hip:64:28
	v_cmp_le_i32_e64 s[0:1], s10, v0
	.loc	0 64 5                          ; hip.hip:64:5
	s_or_b64 s[4:5], s[0:1], s[4:5]
	.loc	0 64 28                         ; hip.hip:64:28
	v_lshl_add_u64 v[4:5], v[4:5], 0, s[8:9]
	.loc	0 65 39 is_stmt 1               ; hip.hip:65:39
	s_waitcnt vmcnt(0)
	v_cvt_i32_f32_e32 v3, v3
	.loc	0 65 49 is_stmt 0               ; hip.hip:65:49
	v_and_b32_e32 v3, 63, v3
	.loc	0 65 29                         ; hip.hip:65:29
	v_lshlrev_b32_e32 v3, 2, v3
	.loc	0 65 9                          ; hip.hip:65:9
	ds_add_u32 v3, v1
	.loc	0 64 5 is_stmt 1                ; hip.hip:64:5
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz .LBB2_4
.LBB2_5:
	.loc	0 0 5 is_stmt 0                 ; hip.hip:0:5
	s_or_b64 exec, exec, s[2:3]
.Ltmp30:
	.loc	0 15 5 is_stmt 1                ; hip.hip:15:5 @[ hip.hip:66:5 ]
	s_waitcnt lgkmcnt(0)
	.loc	0 16 5                          ; hip.hip:16:5 @[ hip.hip:66:5 ]
	s_barrier
.Ltmp31:
	.loc	0 67 11                         ; hip.hip:67:11
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB2_7
	.loc	0 68 52                         ; hip.hip:68:52
	ds_read_b32 v0, v2
	.loc	0 68 9 is_stmt 0                ; hip.hip:68:9
	s_waitcnt lgkmcnt(0)
	global_atomic_add v2, v0, s[6:7] sc1
.LBB2_7:
	.loc	0 69 1 is_stmt 1                ; hip.hip:69:1
	s_endpgm
.Ltmp32:
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel histogram
		.amdhsa_group_segment_fixed_size 256
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 6
		.amdhsa_next_free_sgpr 11
		.amdhsa_accum_offset 8
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end2:
	.size	histogram, .Lfunc_end2-histogram
	.set histogram.num_vgpr, 6
	.set histogram.num_agpr, 0
	.set histogram.numbered_sgpr, 11
	.set histogram.num_named_barrier, 0
	.set histogram.private_seg_size, 0
	.set histogram.uses_vcc, 1
	.set histogram.uses_flat_scratch, 0
	.set histogram.has_dyn_sized_stack, 0
	.set histogram.has_recursion, 0
	.set histogram.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	turn                    ; -- Begin function turn
	.globl	turn
	.p2align	8
	.type	turn,@function
turn:                                   ; @turn
.Lfunc_begin3:
	.loc	0 74 20 prologue_end            ; hip.hip:74:20
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	.loc	0 76 29                         ; hip.hip:76:29
	v_lshlrev_b32_e32 v4, 2, v0
	.loc	0 74 22                         ; hip.hip:74:22
	v_lshrrev_b32_e32 v1, 4, v0
	.loc	0 74 39 is_stmt 0               ; hip.hip:74:39
	v_and_b32_e32 v2, 15, v0
	v_mul_u32_u24_e32 v3, 0x44, v1
	.loc	0 76 29 is_stmt 1               ; hip.hip:76:29
	s_waitcnt lgkmcnt(0)
	global_load_dword v7, v4, s[4:5]
	v_mul_u32_u24_e32 v5, 0x44, v2
	v_lshl_add_u32 v6, v2, 2, v3
	v_lshl_add_u32 v5, v1, 2, v5
	.loc	0 78 9                          ; hip.hip:78:9
	v_mov_b32_e32 v1, 0
	v_lshl_or_b32 v0, s2, 10, v0
	v_lshl_add_u64 v[2:3], v[0:1], 2, s[6:7]
	.loc	0 76 27                         ; hip.hip:76:27
	s_waitcnt vmcnt(0)
	ds_write_b32 v6, v7
.Ltmp33:
	.loc	0 15 5                          ; hip.hip:15:5 @[ hip.hip:77:9 ]
	s_waitcnt lgkmcnt(0)
	.loc	0 16 5                          ; hip.hip:16:5 @[ hip.hip:77:9 ]
	s_barrier
.Ltmp34:
	.loc	0 78 50                         ; hip.hip:78:50
	ds_read_b32 v7, v5
	.loc	0 78 48 is_stmt 0               ; hip.hip:78:48
	s_waitcnt lgkmcnt(0)
	global_store_dword v[2:3], v7, off
	.loc	0 78 9                          ; hip.hip:78:9
	v_mov_b32_e32 v3, v1
.Ltmp35:
	.loc	0 16 5 is_stmt 1                ; hip.hip:16:5 @[ hip.hip:79:9 ]
	s_barrier
.Ltmp36:
	.loc	0 76 29                         ; hip.hip:76:29
	global_load_dword v2, v4, s[4:5] offset:1024
	.loc	0 76 27 is_stmt 0               ; hip.hip:76:27
	s_waitcnt vmcnt(0)
	ds_write_b32 v6, v2
	.loc	0 78 43 is_stmt 1               ; hip.hip:78:43
	v_add_u32_e32 v2, 0x100, v0
	.loc	0 78 9 is_stmt 0                ; hip.hip:78:9
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[6:7]
.Ltmp37:
	.loc	0 15 5 is_stmt 1                ; hip.hip:15:5 @[ hip.hip:77:9 ]
	s_waitcnt lgkmcnt(0)
	.loc	0 16 5                          ; hip.hip:16:5 @[ hip.hip:77:9 ]
	s_barrier
.Ltmp38:
	.loc	0 78 50                         ; hip.hip:78:50
	ds_read_b32 v7, v5
	.loc	0 78 48 is_stmt 0               ; hip.hip:78:48
	s_waitcnt lgkmcnt(0)
	global_store_dword v[2:3], v7, off
	.loc	0 78 9                          ; hip.hip:78:9
	v_mov_b32_e32 v3, v1
.Ltmp39:
	.loc	0 16 5 is_stmt 1                ; hip.hip:16:5 @[ hip.hip:79:9 ]
	s_barrier
.Ltmp40:
	.loc	0 76 29                         ; hip.hip:76:29
	global_load_dword v2, v4, s[4:5] offset:2048
	.loc	0 76 27 is_stmt 0               ; hip.hip:76:27
	s_waitcnt vmcnt(0)
	ds_write_b32 v6, v2
	.loc	0 78 43 is_stmt 1               ; hip.hip:78:43
	v_add_u32_e32 v2, 0x200, v0
	.loc	0 78 9 is_stmt 0                ; hip.hip:78:9
	v_lshl_add_u64 v[2:3], v[2:3], 2, s[6:7]
	.loc	0 78 43                         ; hip.hip:78:43
	v_add_u32_e32 v0, 0x300, v0
	.loc	0 78 9                          ; hip.hip:78:9
	v_lshl_add_u64 v[0:1], v[0:1], 2, s[6:7]
.Ltmp41:
	.loc	0 15 5 is_stmt 1                ; hip.hip:15:5 @[ hip.hip:77:9 ]
	s_waitcnt lgkmcnt(0)
	.loc	0 16 5                          ; hip.hip:16:5 @[ hip.hip:77:9 ]
	s_barrier
.Ltmp42:
	.loc	0 78 50                         ; hip.hip:78:50
	ds_read_b32 v7, v5
	.loc	0 78 48 is_stmt 0               ; hip.hip:78:48
	s_waitcnt lgkmcnt(0)
	global_store_dword v[2:3], v7, off
.Ltmp43:
	.loc	0 16 5 is_stmt 1                ; hip.hip:16:5 @[ hip.hip:79:9 ]
	s_barrier
.Ltmp44:
	.loc	0 76 29                         ; hip.hip:76:29
	global_load_dword v2, v4, s[4:5] offset:3072
	.loc	0 76 27 is_stmt 0               ; hip.hip:76:27
	s_waitcnt vmcnt(0)
	ds_write_b32 v6, v2
.Ltmp45:
	.loc	0 15 5 is_stmt 1                ; hip.hip:15:5 @[ hip.hip:77:9 ]
	s_waitcnt lgkmcnt(0)
	.loc	0 16 5                          ; hip.hip:16:5 @[ hip.hip:77:9 ]
	s_barrier
.Ltmp46:
	.loc	0 78 50                         ; hip.hip:78:50
	ds_read_b32 v2, v5
	.loc	0 78 48 is_stmt 0               ; hip.hip:78:48
	s_waitcnt lgkmcnt(0)
	global_store_dword v[0:1], v2, off
.Ltmp47:
	.loc	0 16 5 is_stmt 1                ; hip.hip:16:5 @[ hip.hip:79:9 ]
	s_barrier
.Ltmp48:
	.loc	0 81 1                          ; hip.hip:81:1
	s_endpgm
.Ltmp49:
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel turn
		.amdhsa_group_segment_fixed_size 1088
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 8
		.amdhsa_reserve_vcc 0
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end3:
	.size	turn, .Lfunc_end3-turn
	.set turn.num_vgpr, 8
	.set turn.num_agpr, 0
	.set turn.numbered_sgpr, 8
	.set turn.num_named_barrier, 0
	.set turn.private_seg_size, 0
	.set turn.uses_vcc, 0
	.set turn.uses_flat_scratch, 0
	.set turn.has_dyn_sized_stack, 0
	.set turn.has_recursion, 0
	.set turn.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.protected	multiply                ; -- Begin function multiply
	.globl	multiply
	.p2align	8
	.type	multiply,@function
multiply:                               ; @multiply
.Lfunc_begin4:
	.loc	0 87 23 prologue_end            ; hip.hip:87:23
	s_load_dword s3, s[0:1], 0x10
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	v_mov_b32_e32 v5, 0
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_i32 s3, 1
	.loc	0 87 5 is_stmt 0                ; hip.hip:87:5
	s_cbranch_scc1 .LBB4_3
	v_lshlrev_b32_e32 v4, 4, v0
	v_lshl_add_u64 v[2:3], s[4:5], 0, v[4:5]
	v_lshl_add_u64 v[6:7], v[2:3], 0, 4
	s_mov_b32 s4, 0
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
	s_mov_b64 s[0:1], 0x1000
.LBB4_2:                                ; =>This Inner Loop Header: Depth=1
	.loc	0 90 30 is_stmt 1               ; hip.hip:90:30
	global_load_dwordx4 v[8:11], v[6:7], off offset:-4
	.loc	0 87 30                         ; hip.hip:87:30
	s_addk_i32 s4, 0x400
	.loc	0 87 23 is_stmt 0               ; hip.hip:87:23
	s_cmp_lt_i32 s4, s3
	v_lshl_add_u64 v[6:7], v[6:7], 0, s[0:1]
	.loc	0 90 30 is_stmt 1               ; hip.hip:90:30
	s_waitcnt vmcnt(0)
	v_cvt_f16_f32_e32 v1, v11
	.loc	0 89 30                         ; hip.hip:89:30
	v_cvt_f16_f32_e32 v11, v9
	.loc	0 90 30                         ; hip.hip:90:30
	v_cvt_f16_f32_e32 v12, v8
	.loc	0 89 30                         ; hip.hip:89:30
	v_cvt_f16_f32_e32 v10, v10
	.loc	0 89 18 is_stmt 0               ; hip.hip:89:18
	v_pack_b32_f16 v8, v12, v11
	v_pack_b32_f16 v9, v10, v1
	.loc	0 90 18 is_stmt 1               ; hip.hip:90:18
	v_pack_b32_f16 v11, v11, v12
	v_pack_b32_f16 v10, v1, v10
	.loc	0 92 13                         ; hip.hip:92:13
	s_nop 1
	v_mfma_f32_16x16x16_f16 v[2:5], v[8:9], v[10:11], v[2:5]
	.loc	0 87 5                          ; hip.hip:87:5
	s_cbranch_scc1 .LBB4_2
	s_branch .LBB4_4
.LBB4_3:
	.loc	0 0 5 is_stmt 0                 ; hip.hip:0:5
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v3, 0
	v_mov_b32_e32 v2, 0
.LBB4_4:
	.loc	0 96 16 is_stmt 1               ; hip.hip:96:16
	s_nop 4
	v_max_f32_e32 v1, v3, v3
	v_max_f32_e32 v2, v2, v2
	v_max_f32_e32 v1, v2, v1
	v_max3_f32 v1, v1, v4, v5
	.loc	0 97 64                         ; hip.hip:97:64
	v_mul_f32_e32 v2, 0x358637bd, v1
	.loc	0 97 102 is_stmt 0              ; hip.hip:97:102
	v_add_f32_e32 v1, 2.0, v1
	.loc	0 97 36                         ; hip.hip:97:36
	v_exp_f32_e32 v4, v2
	.loc	0 97 75                         ; hip.hip:97:75
	v_rcp_f32_e32 v1, v1
	.loc	0 87 23 is_stmt 1               ; hip.hip:87:23
	v_mov_b32_e32 v2, s6
	v_mov_b32_e32 v3, s7
	.loc	0 97 29                         ; hip.hip:97:29
	v_lshl_add_u32 v0, s2, 8, v0
	.loc	0 97 73 is_stmt 0               ; hip.hip:97:73
	v_add_f32_e32 v4, v4, v1
	.loc	0 97 5                          ; hip.hip:97:5
	v_mov_b32_e32 v1, 0
	v_lshl_add_u64 v[0:1], v[0:1], 2, v[2:3]
	.loc	0 97 34                         ; hip.hip:97:34
	global_store_dword v[0:1], v4, off
	.loc	0 98 1 is_stmt 1                ; hip.hip:98:1
	s_endpgm
.Ltmp50:
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel multiply
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 13
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 16
		.amdhsa_reserve_vcc 0
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end4:
	.size	multiply, .Lfunc_end4-multiply
	.set multiply.num_vgpr, 13
	.set multiply.num_agpr, 0
	.set multiply.numbered_sgpr, 8
	.set multiply.num_named_barrier, 0
	.set multiply.private_seg_size, 0
	.set multiply.uses_vcc, 0
	.set multiply.uses_flat_scratch, 0
	.set multiply.has_dyn_sized_stack, 0
	.set multiply.has_recursion, 0
	.set multiply.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.p2alignl 6, 3212836864
	.fill 256, 4, 3212836864
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.set amdgpu.max_num_named_barrier, 0
	.text
	.type	__hip_cuid_823520f9a8411bf7,@object ; @__hip_cuid_823520f9a8411bf7
	.section	.bss,"aw",@nobits
	.globl	__hip_cuid_823520f9a8411bf7
__hip_cuid_823520f9a8411bf7:
	.byte	0                               ; 0x0
	.size	__hip_cuid_823520f9a8411bf7, 1

	.section	.debug_abbrev,"",@progbits
	.byte	1                               ; Abbreviation Code
	.byte	17                              ; DW_TAG_compile_unit
	.byte	1                               ; DW_CHILDREN_yes
	.byte	37                              ; DW_AT_producer
	.byte	37                              ; DW_FORM_strx1
	.byte	19                              ; DW_AT_language
	.byte	5                               ; DW_FORM_data2
	.byte	3                               ; DW_AT_name
	.byte	37                              ; DW_FORM_strx1
	.byte	114                             ; DW_AT_str_offsets_base
	.byte	23                              ; DW_FORM_sec_offset
	.byte	16                              ; DW_AT_stmt_list
	.byte	23                              ; DW_FORM_sec_offset
	.byte	27                              ; DW_AT_comp_dir
	.byte	37                              ; DW_FORM_strx1
	.byte	17                              ; DW_AT_low_pc
	.byte	27                              ; DW_FORM_addrx
	.byte	18                              ; DW_AT_high_pc
	.byte	6                               ; DW_FORM_data4
	.byte	115                             ; DW_AT_addr_base
	.byte	23                              ; DW_FORM_sec_offset
	.byte	116                             ; DW_AT_rnglists_base
	.byte	23                              ; DW_FORM_sec_offset
	.byte	0                               ; EOM(1)
	.byte	0                               ; EOM(2)
	.byte	2                               ; Abbreviation Code
	.byte	46                              ; DW_TAG_subprogram
	.byte	0                               ; DW_CHILDREN_no
	.byte	3                               ; DW_AT_name
	.byte	37                              ; DW_FORM_strx1
	.byte	32                              ; DW_AT_inline
	.byte	33                              ; DW_FORM_implicit_const
	.byte	1
	.byte	0                               ; EOM(1)
	.byte	0                               ; EOM(2)
	.byte	3                               ; Abbreviation Code
	.byte	46                              ; DW_TAG_subprogram
	.byte	1                               ; DW_CHILDREN_yes
	.byte	17                              ; DW_AT_low_pc
	.byte	27                              ; DW_FORM_addrx
	.byte	18                              ; DW_AT_high_pc
	.byte	6                               ; DW_FORM_data4
	.byte	122                             ; DW_AT_call_all_calls
	.byte	25                              ; DW_FORM_flag_present
	.byte	3                               ; DW_AT_name
	.byte	37                              ; DW_FORM_strx1
	.byte	0                               ; EOM(1)
	.byte	0                               ; EOM(2)
	.byte	4                               ; Abbreviation Code
	.byte	29                              ; DW_TAG_inlined_subroutine
	.byte	0                               ; DW_CHILDREN_no
	.byte	49                              ; DW_AT_abstract_origin
	.byte	19                              ; DW_FORM_ref4
	.byte	85                              ; DW_AT_ranges
	.byte	35                              ; DW_FORM_rnglistx
	.byte	88                              ; DW_AT_call_file
	.byte	11                              ; DW_FORM_data1
	.byte	89                              ; DW_AT_call_line
	.byte	11                              ; DW_FORM_data1
	.byte	87                              ; DW_AT_call_column
	.byte	11                              ; DW_FORM_data1
	.byte	0                               ; EOM(1)
	.byte	0                               ; EOM(2)
	.byte	5                               ; Abbreviation Code
	.byte	29                              ; DW_TAG_inlined_subroutine
	.byte	0                               ; DW_CHILDREN_no
	.byte	49                              ; DW_AT_abstract_origin
	.byte	19                              ; DW_FORM_ref4
	.byte	17                              ; DW_AT_low_pc
	.byte	27                              ; DW_FORM_addrx
	.byte	18                              ; DW_AT_high_pc
	.byte	6                               ; DW_FORM_data4
	.byte	88                              ; DW_AT_call_file
	.byte	11                              ; DW_FORM_data1
	.byte	89                              ; DW_AT_call_line
	.byte	11                              ; DW_FORM_data1
	.byte	87                              ; DW_AT_call_column
	.byte	11                              ; DW_FORM_data1
	.byte	0                               ; EOM(1)
	.byte	0                               ; EOM(2)
	.byte	0                               ; EOM(3)
	.section	.debug_info,"",@progbits
.Lcu_begin0:
	.long	.Ldebug_info_end0-.Ldebug_info_start0 ; Length of Unit
.Ldebug_info_start0:
	.short	5                               ; DWARF version number
	.byte	1                               ; DWARF Unit Type
	.byte	8                               ; Address Size (in bytes)
	.long	.debug_abbrev                   ; Offset Into Abbrev. Section
	.byte	1                               ; Abbrev [1] 0xc:0x98 DW_TAG_compile_unit
	.byte	0                               ; DW_AT_producer
	.short	33                              ; DW_AT_language
	.byte	1                               ; DW_AT_name
	.long	.Lstr_offsets_base0             ; DW_AT_str_offsets_base
	.long	.Lline_table_start0             ; DW_AT_stmt_list
	.byte	2                               ; DW_AT_comp_dir
	.byte	0                               ; DW_AT_low_pc
	.long	.Lfunc_end4-.Lfunc_begin0       ; DW_AT_high_pc
	.long	.Laddr_table_base0              ; DW_AT_addr_base
	.long	.Lrnglists_table_base0          ; DW_AT_rnglists_base
	.byte	2                               ; Abbrev [2] 0x27:0x2 DW_TAG_subprogram
	.byte	3                               ; DW_AT_name
	.byte	2                               ; Abbrev [2] 0x29:0x2 DW_TAG_subprogram
	.byte	4                               ; DW_AT_name
	.byte	3                               ; Abbrev [3] 0x2b:0x1e DW_TAG_subprogram
	.byte	0                               ; DW_AT_low_pc
	.long	.Lfunc_end0-.Lfunc_begin0       ; DW_AT_high_pc
	.byte	5                               ; DW_AT_name
	.byte	4                               ; Abbrev [4] 0x32:0x9 DW_TAG_inlined_subroutine
	.long	39                              ; DW_AT_abstract_origin
	.byte	0                               ; DW_AT_ranges
	.byte	0                               ; DW_AT_call_file
	.byte	33                              ; DW_AT_call_line
	.byte	11                              ; DW_AT_call_column
	.byte	5                               ; Abbrev [5] 0x3b:0xd DW_TAG_inlined_subroutine
	.long	41                              ; DW_AT_abstract_origin
	.byte	1                               ; DW_AT_low_pc
	.long	.Ltmp7-.Ltmp6                   ; DW_AT_high_pc
	.byte	0                               ; DW_AT_call_file
	.byte	36                              ; DW_AT_call_line
	.byte	5                               ; DW_AT_call_column
	.byte	0                               ; End Of Children Mark
	.byte	3                               ; Abbrev [3] 0x49:0x1e DW_TAG_subprogram
	.byte	2                               ; DW_AT_low_pc
	.long	.Lfunc_end1-.Lfunc_begin1       ; DW_AT_high_pc
	.byte	6                               ; DW_AT_name
	.byte	5                               ; Abbrev [5] 0x50:0xd DW_TAG_inlined_subroutine
	.long	41                              ; DW_AT_abstract_origin
	.byte	3                               ; DW_AT_low_pc
	.long	.Ltmp10-.Ltmp9                  ; DW_AT_high_pc
	.byte	0                               ; DW_AT_call_file
	.byte	46                              ; DW_AT_call_line
	.byte	5                               ; DW_AT_call_column
	.byte	4                               ; Abbrev [4] 0x5d:0x9 DW_TAG_inlined_subroutine
	.long	41                              ; DW_AT_abstract_origin
	.byte	1                               ; DW_AT_ranges
	.byte	0                               ; DW_AT_call_file
	.byte	53                              ; DW_AT_call_line
	.byte	9                               ; DW_AT_call_column
	.byte	0                               ; End Of Children Mark
	.byte	3                               ; Abbrev [3] 0x67:0x22 DW_TAG_subprogram
	.byte	4                               ; DW_AT_low_pc
	.long	.Lfunc_end2-.Lfunc_begin2       ; DW_AT_high_pc
	.byte	7                               ; DW_AT_name
	.byte	5                               ; Abbrev [5] 0x6e:0xd DW_TAG_inlined_subroutine
	.long	41                              ; DW_AT_abstract_origin
	.byte	5                               ; DW_AT_low_pc
	.long	.Ltmp29-.Ltmp28                 ; DW_AT_high_pc
	.byte	0                               ; DW_AT_call_file
	.byte	63                              ; DW_AT_call_line
	.byte	5                               ; DW_AT_call_column
	.byte	5                               ; Abbrev [5] 0x7b:0xd DW_TAG_inlined_subroutine
	.long	41                              ; DW_AT_abstract_origin
	.byte	6                               ; DW_AT_low_pc
	.long	.Ltmp31-.Ltmp30                 ; DW_AT_high_pc
	.byte	0                               ; DW_AT_call_file
	.byte	66                              ; DW_AT_call_line
	.byte	5                               ; DW_AT_call_column
	.byte	0                               ; End Of Children Mark
	.byte	3                               ; Abbrev [3] 0x89:0x1a DW_TAG_subprogram
	.byte	7                               ; DW_AT_low_pc
	.long	.Lfunc_end3-.Lfunc_begin3       ; DW_AT_high_pc
	.byte	8                               ; DW_AT_name
	.byte	4                               ; Abbrev [4] 0x90:0x9 DW_TAG_inlined_subroutine
	.long	41                              ; DW_AT_abstract_origin
	.byte	2                               ; DW_AT_ranges
	.byte	0                               ; DW_AT_call_file
	.byte	77                              ; DW_AT_call_line
	.byte	9                               ; DW_AT_call_column
	.byte	4                               ; Abbrev [4] 0x99:0x9 DW_TAG_inlined_subroutine
	.long	41                              ; DW_AT_abstract_origin
	.byte	3                               ; DW_AT_ranges
	.byte	0                               ; DW_AT_call_file
	.byte	79                              ; DW_AT_call_line
	.byte	9                               ; DW_AT_call_column
	.byte	0                               ; End Of Children Mark
	.byte	0                               ; End Of Children Mark
.Ldebug_info_end0:
	.section	.debug_rnglists,"",@progbits
	.long	.Ldebug_list_header_end0-.Ldebug_list_header_start0 ; Length
.Ldebug_list_header_start0:
	.short	5                               ; Version
	.byte	8                               ; Address size
	.byte	0                               ; Segment selector size
	.long	4                               ; Offset entry count
.Lrnglists_table_base0:
	.long	.Ldebug_ranges0-.Lrnglists_table_base0
	.long	.Ldebug_ranges1-.Lrnglists_table_base0
	.long	.Ldebug_ranges2-.Lrnglists_table_base0
	.long	.Ldebug_ranges3-.Lrnglists_table_base0
.Ldebug_ranges0:
	.byte	4                               ; DW_RLE_offset_pair
	.uleb128 .Ltmp0-.Lfunc_begin0           ;   starting offset
	.uleb128 .Ltmp1-.Lfunc_begin0           ;   ending offset
	.byte	4                               ; DW_RLE_offset_pair
	.uleb128 .Ltmp2-.Lfunc_begin0           ;   starting offset
	.uleb128 .Ltmp3-.Lfunc_begin0           ;   ending offset
	.byte	4                               ; DW_RLE_offset_pair
	.uleb128 .Ltmp4-.Lfunc_begin0           ;   starting offset
	.uleb128 .Ltmp5-.Lfunc_begin0           ;   ending offset
	.byte	0                               ; DW_RLE_end_of_list
.Ldebug_ranges1:
	.byte	4                               ; DW_RLE_offset_pair
	.uleb128 .Ltmp11-.Lfunc_begin0          ;   starting offset
	.uleb128 .Ltmp12-.Lfunc_begin0          ;   ending offset
	.byte	4                               ; DW_RLE_offset_pair
	.uleb128 .Ltmp13-.Lfunc_begin0          ;   starting offset
	.uleb128 .Ltmp14-.Lfunc_begin0          ;   ending offset
	.byte	4                               ; DW_RLE_offset_pair
	.uleb128 .Ltmp15-.Lfunc_begin0          ;   starting offset
	.uleb128 .Ltmp16-.Lfunc_begin0          ;   ending offset
	.byte	4                               ; DW_RLE_offset_pair
	.uleb128 .Ltmp17-.Lfunc_begin0          ;   starting offset
	.uleb128 .Ltmp18-.Lfunc_begin0          ;   ending offset
	.byte	4                               ; DW_RLE_offset_pair
	.uleb128 .Ltmp19-.Lfunc_begin0          ;   starting offset
	.uleb128 .Ltmp20-.Lfunc_begin0          ;   ending offset
	.byte	4                               ; DW_RLE_offset_pair
	.uleb128 .Ltmp21-.Lfunc_begin0          ;   starting offset
	.uleb128 .Ltmp22-.Lfunc_begin0          ;   ending offset
	.byte	4                               ; DW_RLE_offset_pair
	.uleb128 .Ltmp23-.Lfunc_begin0          ;   starting offset
	.uleb128 .Ltmp24-.Lfunc_begin0          ;   ending offset
	.byte	4                               ; DW_RLE_offset_pair
	.uleb128 .Ltmp25-.Lfunc_begin0          ;   starting offset
	.uleb128 .Ltmp26-.Lfunc_begin0          ;   ending offset
	.byte	0                               ; DW_RLE_end_of_list
.Ldebug_ranges2:
	.byte	4                               ; DW_RLE_offset_pair
	.uleb128 .Ltmp33-.Lfunc_begin0          ;   starting offset
	.uleb128 .Ltmp34-.Lfunc_begin0          ;   ending offset
	.byte	4                               ; DW_RLE_offset_pair
	.uleb128 .Ltmp37-.Lfunc_begin0          ;   starting offset
	.uleb128 .Ltmp38-.Lfunc_begin0          ;   ending offset
	.byte	4                               ; DW_RLE_offset_pair
	.uleb128 .Ltmp41-.Lfunc_begin0          ;   starting offset
	.uleb128 .Ltmp42-.Lfunc_begin0          ;   ending offset
	.byte	4                               ; DW_RLE_offset_pair
	.uleb128 .Ltmp45-.Lfunc_begin0          ;   starting offset
	.uleb128 .Ltmp46-.Lfunc_begin0          ;   ending offset
	.byte	0                               ; DW_RLE_end_of_list
.Ldebug_ranges3:
	.byte	4                               ; DW_RLE_offset_pair
	.uleb128 .Ltmp35-.Lfunc_begin0          ;   starting offset
	.uleb128 .Ltmp36-.Lfunc_begin0          ;   ending offset
	.byte	4                               ; DW_RLE_offset_pair
	.uleb128 .Ltmp39-.Lfunc_begin0          ;   starting offset
	.uleb128 .Ltmp40-.Lfunc_begin0          ;   ending offset
	.byte	4                               ; DW_RLE_offset_pair
	.uleb128 .Ltmp43-.Lfunc_begin0          ;   starting offset
	.uleb128 .Ltmp44-.Lfunc_begin0          ;   ending offset
	.byte	4                               ; DW_RLE_offset_pair
	.uleb128 .Ltmp47-.Lfunc_begin0          ;   starting offset
	.uleb128 .Ltmp48-.Lfunc_begin0          ;   ending offset
	.byte	0                               ; DW_RLE_end_of_list
.Ldebug_list_header_end0:
	.section	.debug_str_offsets,"",@progbits
	.long	40                              ; Length of String Offsets Set
	.short	5
	.short	0
.Lstr_offsets_base0:
	.section	.debug_str,"MS",@progbits,1
.Linfo_string0:
	.byte	0                               ; string offset=0
.Linfo_string1:
	.asciz	"hip.hip"                       ; string offset=1
.Linfo_string2:
	.asciz	"."                             ; string offset=9
.Linfo_string3:
	.asciz	"lane_sum"                      ; string offset=11
.Linfo_string4:
	.asciz	"sync"                          ; string offset=20
.Linfo_string5:
	.asciz	"reduce"                        ; string offset=25
.Linfo_string6:
	.asciz	"scan"                          ; string offset=32
.Linfo_string7:
	.asciz	"histogram"                     ; string offset=37
.Linfo_string8:
	.asciz	"turn"                          ; string offset=47
	.section	.debug_str_offsets,"",@progbits
	.long	.Linfo_string0
	.long	.Linfo_string1
	.long	.Linfo_string2
	.long	.Linfo_string3
	.long	.Linfo_string4
	.long	.Linfo_string5
	.long	.Linfo_string6
	.long	.Linfo_string7
	.long	.Linfo_string8
	.section	.debug_addr,"",@progbits
	.long	.Ldebug_addr_end0-.Ldebug_addr_start0 ; Length of contribution
.Ldebug_addr_start0:
	.short	5                               ; DWARF version number
	.byte	8                               ; Address size
	.byte	0                               ; Segment selector size
.Laddr_table_base0:
	.quad	.Lfunc_begin0
	.quad	.Ltmp6
	.quad	.Lfunc_begin1
	.quad	.Ltmp9
	.quad	.Lfunc_begin2
	.quad	.Ltmp28
	.quad	.Ltmp30
	.quad	.Lfunc_begin3
.Ldebug_addr_end0:
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.addrsig_sym __hip_cuid_823520f9a8411bf7
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 16
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 1024
    .name:           reduce
    .private_segment_fixed_size: 0
    .sgpr_count:     16
    .sgpr_spill_count: 0
    .symbol:         reduce.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     6
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 2048
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 1024
    .name:           scan
    .private_segment_fixed_size: 0
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         scan.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     6
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 256
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 1024
    .name:           histogram
    .private_segment_fixed_size: 0
    .sgpr_count:     17
    .sgpr_spill_count: 0
    .symbol:         histogram.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     6
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 1088
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 1024
    .name:           turn
    .private_segment_fixed_size: 0
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         turn.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     8
    .vgpr_spill_count: 0
    .wavefront_size: 64
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .offset:         16
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 1024
    .name:           multiply
    .private_segment_fixed_size: 0
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         multiply.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     13
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
	.section	.debug_line,"",@progbits
.Lline_table_start0:
