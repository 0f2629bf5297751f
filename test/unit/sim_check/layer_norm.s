; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What Triton 3.6.0 makes of this project's own layer normalisation (f16, rows of 1500) for gfx942, as it printed it.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 5
	.text
	.globl	layer_norm                      ; -- Begin function layer_norm
	.p2align	8
	.type	layer_norm,@function
layer_norm:                             ; @layer_norm
.Lfunc_begin0:
	.file	1 "/kiln/corpus/source" "kernels.py"
	.loc	1 24 0 prologue_end             ; kernels.py:24:0
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	s_load_dwordx8 s[4:11], s[0:1], 0x8
	s_load_dwordx4 s[12:15], s[0:1], 0x28
	s_waitcnt lgkmcnt(0)
	s_branch .LBB0_0
	.loc	1 0 0 is_stmt 0                 ; :0:0
.Ltmp0:
	.p2align	8
.LBB0_0:
.Ltmp1:
	.loc	1 28 31 is_stmt 1               ; kernels.py:28:31
	v_lshlrev_b32_e32 v2, 2, v0
	v_or_b32_e32 v3, 3, v2
	v_or_b32_e32 v10, 2, v2
	.loc	1 29 31                         ; kernels.py:29:31
	s_mul_i32 s14, s14, s16
	.loc	1 27 27                         ; kernels.py:27:27
	s_cmp_gt_i32 s15, 0
	s_mov_b64 s[24:25], s[6:7]
	s_mov_b64 s[28:29], s[2:3]
	s_mov_b32 s2, 0
	s_cselect_b64 s[18:19], -1, 0
	s_cmp_lt_i32 s15, 1
	v_add_lshl_u32 v12, v3, s14, 1
	v_add_lshl_u32 v13, v10, s14, 1
	v_lshlrev_b32_e32 v11, 3, v0
	s_cbranch_scc1 .LBB0_4
	.loc	1 0 27 is_stmt 0                ; kernels.py:0:27
	v_mov_b32_e32 v4, 0
	s_mov_b32 s23, 0x27000
	s_mov_b32 s22, 0x7ffffffe
	s_and_b32 s21, s29, 0xffff
	s_mov_b32 s20, s28
	.loc	1 27 27                         ; kernels.py:27:27
	v_add_lshl_u32 v1, v3, s14, 1
	v_add_lshl_u32 v8, v10, s14, 1
	v_lshl_add_u32 v9, s14, 1, v11
	v_bfrev_b32_e32 v14, 1
	v_mov_b32_e32 v5, v4
	v_mov_b32_e32 v6, v4
	v_mov_b32_e32 v7, v4
.LBB0_2:                                ; =>This Inner Loop Header: Depth=1
	.loc	1 28 18 is_stmt 1               ; kernels.py:28:18
	v_add_u32_e32 v15, s2, v2
	v_add_u32_e32 v16, s2, v10
	.loc	1 29 52                         ; kernels.py:29:52
	v_cmp_gt_i32_e32 vcc, s15, v15
	v_add_u32_e32 v17, s2, v3
	.loc	1 28 18                         ; kernels.py:28:18
	v_add_u32_e32 v19, 1, v15
	.loc	1 29 23                         ; kernels.py:29:23
	v_cndmask_b32_e32 v15, v14, v9, vcc
	.loc	1 29 52 is_stmt 0               ; kernels.py:29:52
	v_cmp_gt_i32_e32 vcc, s15, v16
	.loc	1 29 23                         ; kernels.py:29:23
	v_add_u32_e32 v18, 2, v9
	.loc	1 27 27 is_stmt 1               ; kernels.py:27:27
	s_addk_i32 s2, 0x400
	.loc	1 29 23                         ; kernels.py:29:23
	v_cndmask_b32_e32 v16, v14, v8, vcc
	.loc	1 29 52 is_stmt 0               ; kernels.py:29:52
	v_cmp_gt_i32_e32 vcc, s15, v17
	.loc	1 27 27 is_stmt 1               ; kernels.py:27:27
	v_add_u32_e32 v8, 0x800, v8
	v_add_u32_e32 v9, 0x800, v9
	.loc	1 29 23                         ; kernels.py:29:23
	v_cndmask_b32_e32 v17, v14, v1, vcc
	.loc	1 29 52 is_stmt 0               ; kernels.py:29:52
	v_cmp_gt_i32_e32 vcc, s15, v19
	.loc	1 27 27 is_stmt 1               ; kernels.py:27:27
	v_add_u32_e32 v1, 0x800, v1
	s_cmp_lt_i32 s2, s15
	.loc	1 29 23                         ; kernels.py:29:23
	v_cndmask_b32_e32 v18, v14, v18, vcc
	buffer_load_ushort v19, v15, s[20:23], 0 offen
	buffer_load_ushort v20, v18, s[20:23], 0 offen
	buffer_load_ushort v21, v17, s[20:23], 0 offen
	buffer_load_ushort v22, v16, s[20:23], 0 offen
	.loc	1 29 69 is_stmt 0               ; kernels.py:29:69
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16_e32 v16, v19
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16_e32 v17, v20
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16_e32 v19, v21
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16_e32 v18, v22
	.loc	1 29 15                         ; kernels.py:29:15
	v_pk_add_f32 v[4:5], v[4:5], v[16:17]
	v_pk_add_f32 v[6:7], v[6:7], v[18:19]
	.loc	1 27 27 is_stmt 1               ; kernels.py:27:27
	s_cbranch_scc1 .LBB0_2
.Ltmp2:
	.file	2 "/opt/torch/.venv/lib/python3.12/site-packages/triton/language" "standard.py"
	.loc	2 263 15                        ; standard.py:263:15 @[ standard.py:293:36 @[ kernels.py:30:16 ] ]
	v_add_f32_e32 v1, v4, v5
	v_add_f32_e32 v1, v6, v1
	v_add_f32_e32 v1, v7, v1
	s_branch .LBB0_5
.LBB0_4:
	.loc	2 0 15 is_stmt 0                ; standard.py:0:15
	v_mov_b32_e32 v1, 0
.LBB0_5:                                ; %Flow39
	.loc	2 263 15 is_stmt 1              ; standard.py:263:15 @[ standard.py:293:36 @[ kernels.py:30:16 ] ]
	s_nop 1
	v_add_f32_dpp v1, v1, v1 row_shr:8 row_mask:0xf bank_mask:0xf bound_ctrl:1
	s_load_dword s17, s[0:1], 0x38
.Ltmp3:
	.loc	1 28 31                         ; kernels.py:28:31
	v_and_b32_e32 v4, 63, v0
.Ltmp4:
	.loc	2 263 15                        ; standard.py:263:15 @[ standard.py:293:36 @[ kernels.py:30:16 ] ]
	v_add_f32_dpp v1, v1, v1 row_shr:4 row_mask:0xf bank_mask:0xf bound_ctrl:1
.Ltmp5:
	.loc	2 293 36                        ; standard.py:293:36 @[ kernels.py:30:16 ]
	v_cmp_eq_u32_e64 s[0:1], 0, v4
.Ltmp6:
	.loc	2 263 15                        ; standard.py:263:15 @[ standard.py:293:36 @[ kernels.py:30:16 ] ]
	s_nop 0
	v_add_f32_dpp v1, v1, v1 row_shr:2 row_mask:0xf bank_mask:0xf bound_ctrl:1
	s_nop 1
	v_add_f32_dpp v1, v1, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
.Ltmp7:
	.loc	2 293 36                        ; standard.py:293:36 @[ kernels.py:30:16 ]
	v_mov_b32_e32 v5, v1
	s_nop 1
	v_mov_b32_dpp v5, v5 row_bcast:15 row_mask:0xa bank_mask:0xf bound_ctrl:1
.Ltmp8:
	.loc	2 263 15                        ; standard.py:263:15 @[ standard.py:293:36 @[ kernels.py:30:16 ] ]
	v_add_f32_e32 v1, v1, v5
	s_nop 1
	v_add_f32_dpp v1, v1, v1 row_bcast:31 row_mask:0xf bank_mask:0xf bound_ctrl:1
.Ltmp9:
	.loc	2 293 36                        ; standard.py:293:36 @[ kernels.py:30:16 ]
	s_nop 0
	v_readlane_b32 s6, v1, 63
	v_lshrrev_b32_e32 v1, 4, v0
	v_and_b32_e32 v1, 12, v1
	v_add_u32_e32 v16, 0, v1
	s_and_saveexec_b64 s[2:3], s[0:1]
	v_mov_b32_e32 v1, s6
	ds_write_b32 v16, v1
	.loc	2 0 36 is_stmt 0                ; standard.py:0:36
	s_or_b64 exec, exec, s[2:3]
	.loc	2 293 36                        ; standard.py:293:36 @[ kernels.py:30:16 ]
	v_cmp_gt_u32_e64 s[6:7], 4, v0
	v_lshl_add_u32 v14, v0, 2, 0
	v_mov_b32_e32 v1, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[2:3], s[6:7]
	ds_read_b32 v1, v14
	.loc	2 0 36                          ; standard.py:0:36
	s_or_b64 exec, exec, s[2:3]
	.loc	2 293 36                        ; standard.py:293:36 @[ kernels.py:30:16 ]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v4, v1
	v_and_b32_e32 v5, 3, v0
	v_cmp_eq_u32_e32 vcc, 0, v5
	v_mov_b32_dpp v4, v4 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
.Ltmp10:
	.loc	2 263 15 is_stmt 1              ; standard.py:263:15 @[ standard.py:293:36 @[ kernels.py:30:16 ] ]
	v_add_f32_e32 v1, v1, v4
.Ltmp11:
	.loc	2 293 36                        ; standard.py:293:36 @[ kernels.py:30:16 ]
	v_mov_b32_e32 v4, v1
	s_and_b64 s[26:27], s[6:7], vcc
	s_nop 0
	v_mov_b32_dpp v4, v4 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	s_and_saveexec_b64 s[2:3], s[26:27]
	.loc	2 0 36 is_stmt 0                ; standard.py:0:36
	v_add_f32_e32 v1, v1, v4
	.loc	2 293 36                        ; standard.py:293:36 @[ kernels.py:30:16 ]
	ds_write_b32 v14, v1
	.loc	2 0 36                          ; standard.py:0:36
	s_or_b64 exec, exec, s[2:3]
	.loc	2 293 36                        ; standard.py:293:36 @[ kernels.py:30:16 ]
	v_mov_b32_e32 v1, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v4, v1
.Ltmp12:
	.loc	1 30 31 is_stmt 1               ; kernels.py:30:31
	v_cvt_f32_i32_e32 v15, s15
.Ltmp13:
	.loc	2 293 36                        ; standard.py:293:36 @[ kernels.py:30:16 ]
	s_mov_b32 s30, 0
.Ltmp14:
	.loc	1 30 31                         ; kernels.py:30:31
	s_waitcnt lgkmcnt(0)
	v_div_scale_f32 v5, s[2:3], v15, v15, v4
	v_rcp_f32_e32 v6, v5
	s_nop 0
	v_fma_f32 v7, -v5, v6, 1.0
	v_fmac_f32_e32 v6, v7, v6
	v_div_scale_f32 v7, vcc, v4, v15, v4
	v_mul_f32_e32 v8, v7, v6
	v_fma_f32 v9, -v5, v8, v7
	v_fmac_f32_e32 v8, v9, v6
	v_fma_f32 v5, -v5, v8, v7
	v_div_fmas_f32 v5, v5, v6, v8
	.loc	1 32 27                         ; kernels.py:32:27
	v_cndmask_b32_e64 v6, 0, 1, s[18:19]
	v_cmp_ne_u32_e64 s[2:3], 1, v6
	s_andn2_b64 vcc, exec, s[18:19]
	.loc	1 30 31                         ; kernels.py:30:31
	v_div_fixup_f32 v4, v5, v15, v4
	s_cbranch_vccnz .LBB0_15
	.loc	1 0 31 is_stmt 0                ; kernels.py:0:31
	v_mov_b32_e32 v6, 0
	.loc	1 28 31 is_stmt 1               ; kernels.py:28:31
	v_or_b32_e32 v1, 1, v2
	s_mov_b32 s39, 0x27000
	s_mov_b32 s38, 0x7ffffffe
	s_and_b32 s37, s29, 0xffff
	s_mov_b32 s36, s28
	.loc	1 34 49                         ; kernels.py:34:49
	s_mov_b32 s31, s15
	.loc	1 35 32                         ; kernels.py:35:32
	v_mov_b32_e32 v5, v4
	.loc	1 32 27                         ; kernels.py:32:27
	v_lshl_add_u32 v17, s14, 1, v11
	v_bfrev_b32_e32 v18, 1
	v_mov_b32_e32 v7, v6
	v_mov_b32_e32 v8, v6
	v_mov_b32_e32 v9, v6
.LBB0_13:                               ; =>This Inner Loop Header: Depth=1
	.loc	1 33 18                         ; kernels.py:33:18
	v_or_b32_e32 v19, s30, v1
	v_or_b32_e32 v20, s30, v2
	v_or_b32_e32 v21, s30, v3
	v_or_b32_e32 v22, s30, v10
	.loc	1 34 20                         ; kernels.py:34:20
	v_add_u32_e32 v23, 2, v17
	.loc	1 34 49 is_stmt 0               ; kernels.py:34:49
	v_cmp_gt_i32_e64 s[18:19], s31, v19
	v_cmp_gt_i32_e32 vcc, s15, v20
	v_cmp_gt_i32_e64 s[20:21], s15, v22
	.loc	1 34 20                         ; kernels.py:34:20
	v_cndmask_b32_e64 v19, v18, v23, s[18:19]
	.loc	1 34 49                         ; kernels.py:34:49
	v_cmp_gt_i32_e64 s[22:23], s31, v21
	.loc	1 34 20                         ; kernels.py:34:20
	v_cndmask_b32_e32 v20, v18, v17, vcc
	v_cndmask_b32_e64 v22, v18, v13, s[20:21]
	v_cndmask_b32_e64 v21, v18, v12, s[22:23]
	buffer_load_ushort v23, v19, s[36:39], 0 offen
	buffer_load_ushort v24, v20, s[36:39], 0 offen
	buffer_load_ushort v25, v21, s[36:39], 0 offen
	buffer_load_ushort v26, v22, s[36:39], 0 offen
	.loc	1 32 27 is_stmt 1               ; kernels.py:32:27
	s_addk_i32 s30, 0x400
	v_add_u32_e32 v12, 0x800, v12
	v_add_u32_e32 v13, 0x800, v13
	v_add_u32_e32 v17, 0x800, v17
	s_cmp_lt_i32 s30, s15
	.loc	1 34 66                         ; kernels.py:34:66
	s_waitcnt vmcnt(3)
	v_cvt_f32_f16_e32 v21, v23
	s_waitcnt vmcnt(2)
	v_cvt_f32_f16_e32 v20, v24
	s_waitcnt vmcnt(1)
	v_cvt_f32_f16_e32 v23, v25
	s_waitcnt vmcnt(0)
	v_cvt_f32_f16_e32 v22, v26
	.loc	1 35 32                         ; kernels.py:35:32
	v_pk_add_f32 v[20:21], v[20:21], v[4:5] neg_lo:[0,1] neg_hi:[0,1]
	.loc	1 35 36 is_stmt 0               ; kernels.py:35:36
	s_nop 0
	v_cndmask_b32_e64 v21, 0, v21, s[18:19]
	.loc	1 35 32                         ; kernels.py:35:32
	v_pk_add_f32 v[22:23], v[22:23], v[4:5] neg_lo:[0,1] neg_hi:[0,1]
	.loc	1 35 36                         ; kernels.py:35:36
	v_cndmask_b32_e32 v20, 0, v20, vcc
	v_cndmask_b32_e64 v23, 0, v23, s[22:23]
	v_cndmask_b32_e64 v22, 0, v22, s[20:21]
	.loc	1 36 15 is_stmt 1               ; kernels.py:36:15
	v_pk_fma_f32 v[6:7], v[20:21], v[20:21], v[6:7]
	v_pk_fma_f32 v[8:9], v[22:23], v[22:23], v[8:9]
	s_cbranch_scc1 .LBB0_13
.Ltmp15:
	.loc	2 293 36                        ; standard.py:293:36 @[ kernels.py:37:30 ]
	v_add_f32_e32 v1, v6, v7
	v_add_f32_e32 v1, v8, v1
	v_add_f32_e32 v1, v9, v1
.LBB0_15:                               ; %._crit_edge13
.Ltmp16:
	.loc	2 263 15                        ; standard.py:263:15 @[ standard.py:293:36 @[ kernels.py:37:30 ] ]
	s_nop 1
	v_add_f32_dpp v1, v1, v1 row_shr:8 row_mask:0xf bank_mask:0xf bound_ctrl:1
.Ltmp17:
	.loc	2 293 36                        ; standard.py:293:36 @[ kernels.py:37:30 ]
	s_waitcnt lgkmcnt(0)
	s_barrier
.Ltmp18:
	.loc	2 263 15                        ; standard.py:263:15 @[ standard.py:293:36 @[ kernels.py:37:30 ] ]
	v_add_f32_dpp v1, v1, v1 row_shr:4 row_mask:0xf bank_mask:0xf bound_ctrl:1
	s_nop 1
	v_add_f32_dpp v1, v1, v1 row_shr:2 row_mask:0xf bank_mask:0xf bound_ctrl:1
	s_nop 1
	v_add_f32_dpp v1, v1, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
.Ltmp19:
	.loc	2 293 36                        ; standard.py:293:36 @[ kernels.py:37:30 ]
	v_mov_b32_e32 v5, v1
	s_nop 1
	v_mov_b32_dpp v5, v5 row_bcast:15 row_mask:0xa bank_mask:0xf bound_ctrl:1
.Ltmp20:
	.loc	2 263 15                        ; standard.py:263:15 @[ standard.py:293:36 @[ kernels.py:37:30 ] ]
	v_add_f32_e32 v1, v1, v5
	s_nop 1
	v_add_f32_dpp v1, v1, v1 row_bcast:31 row_mask:0xf bank_mask:0xf bound_ctrl:1
.Ltmp21:
	.loc	2 293 36                        ; standard.py:293:36 @[ kernels.py:37:30 ]
	s_nop 0
	v_readlane_b32 s20, v1, 63
	s_and_saveexec_b64 s[18:19], s[0:1]
	s_nop 0
	v_mov_b32_e32 v1, s20
	ds_write_b32 v16, v1
	.loc	2 0 36 is_stmt 0                ; standard.py:0:36
	s_or_b64 exec, exec, s[18:19]
	v_mov_b32_e32 v1, 0
	.loc	2 293 36                        ; standard.py:293:36 @[ kernels.py:37:30 ]
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_saveexec_b64 s[18:19], s[6:7]
	ds_read_b32 v1, v14
	.loc	2 0 36                          ; standard.py:0:36
	s_or_b64 exec, exec, s[18:19]
	.loc	2 293 36                        ; standard.py:293:36 @[ kernels.py:37:30 ]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v5, v1
	s_nop 1
	v_mov_b32_dpp v5, v5 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
.Ltmp22:
	.loc	2 263 15 is_stmt 1              ; standard.py:263:15 @[ standard.py:293:36 @[ kernels.py:37:30 ] ]
	v_add_f32_e32 v1, v1, v5
.Ltmp23:
	.loc	2 293 36                        ; standard.py:293:36 @[ kernels.py:37:30 ]
	v_mov_b32_e32 v5, v1
	s_nop 1
	v_mov_b32_dpp v5, v5 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	s_and_saveexec_b64 s[6:7], s[26:27]
	.loc	2 0 36 is_stmt 0                ; standard.py:0:36
	v_add_f32_e32 v1, v1, v5
	.loc	2 293 36                        ; standard.py:293:36 @[ kernels.py:37:30 ]
	ds_write_b32 v14, v1
	.loc	2 0 36                          ; standard.py:0:36
	s_or_b64 exec, exec, s[6:7]
	.loc	2 293 36                        ; standard.py:293:36 @[ kernels.py:37:30 ]
	v_mov_b32_e32 v5, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v1, v5
.Ltmp24:
	.loc	1 37 45 is_stmt 1               ; kernels.py:37:45
	s_waitcnt lgkmcnt(0)
	v_div_scale_f32 v6, s[6:7], v15, v15, v1
	v_rcp_f32_e32 v7, v6
	v_div_scale_f32 v8, vcc, v1, v15, v1
	v_fma_f32 v9, -v6, v7, 1.0
	v_fmac_f32_e32 v7, v9, v7
	v_mul_f32_e32 v9, v8, v7
	v_fma_f32 v12, -v6, v9, v8
	v_fmac_f32_e32 v9, v12, v7
	v_fma_f32 v6, -v6, v9, v8
	v_div_fmas_f32 v6, v6, v7, v9
	v_div_fixup_f32 v1, v6, v15, v1
	.loc	1 37 49 is_stmt 0               ; kernels.py:37:49
	v_add_f32_e32 v1, s17, v1
	.loc	1 37 23                         ; kernels.py:37:23
	v_sqrt_f32_e32 v1, v1
	.loc	1 37 15                         ; kernels.py:37:15
	s_nop 0
	v_div_scale_f32 v6, s[6:7], v1, v1, 1.0
	v_rcp_f32_e32 v7, v6
	v_div_scale_f32 v8, vcc, 1.0, v1, 1.0
	.loc	1 38 23 is_stmt 1               ; kernels.py:38:23
	v_cmp_gt_u32_e64 s[6:7], 64, v0
	.loc	1 37 15                         ; kernels.py:37:15
	v_fma_f32 v9, -v6, v7, 1.0
	v_fmac_f32_e32 v7, v9, v7
	v_mul_f32_e32 v9, v8, v7
	v_fma_f32 v12, -v6, v9, v8
	v_fmac_f32_e32 v9, v12, v7
	v_fma_f32 v6, -v6, v9, v8
	v_div_fmas_f32 v6, v6, v7, v9
	v_div_fixup_f32 v1, v6, v1, 1.0
	.loc	1 38 23                         ; kernels.py:38:23
	s_and_b64 s[6:7], s[0:1], s[6:7]
	s_and_saveexec_b64 s[0:1], s[6:7]
	s_cbranch_execz .LBB0_23
	.loc	1 0 23 is_stmt 0                ; kernels.py:0:23
	s_ashr_i32 s17, s16, 31
	s_lshl_b64 s[6:7], s[16:17], 2
	s_add_u32 s12, s12, s6
	s_addc_u32 s13, s13, s7
	s_add_u32 s6, s10, s6
	s_addc_u32 s7, s11, s7
	.loc	1 38 23                         ; kernels.py:38:23
	global_store_dword v5, v4, s[6:7]
	.loc	1 39 23 is_stmt 1               ; kernels.py:39:23
	global_store_dword v5, v1, s[12:13]
.LBB0_23:                               ; %.critedge
	.loc	1 0 23 is_stmt 0                ; kernels.py:0:23
	s_or_b64 exec, exec, s[0:1]
	.loc	1 40 27 is_stmt 1               ; kernels.py:40:27
	s_and_b64 vcc, exec, s[2:3]
	s_cbranch_vccnz .LBB0_26
	.loc	1 0 27 is_stmt 0                ; kernels.py:0:27
	v_lshlrev_b32_e32 v7, 5, v0
	v_lshlrev_b32_e32 v8, 1, v0
	v_and_b32_e32 v9, 64, v0
	v_and_b32_e32 v7, 0x200, v7
	v_and_b32_e32 v8, 64, v8
	v_lshrrev_b32_e32 v12, 5, v9
	v_and_b32_e32 v6, 60, v2
	v_and_b32_e32 v13, 0x80, v0
	v_or3_b32 v7, v8, v7, v12
	v_or3_b32 v16, v7, v6, v13
	v_and_b32_e32 v6, 60, v0
	v_lshlrev_b32_e32 v7, 10, v0
	v_bfe_i32 v8, v0, 1, 1
	s_movk_i32 s0, 0x140
	v_and_b32_e32 v7, 0x400, v7
	v_lshlrev_b32_e32 v9, 3, v9
	v_lshrrev_b32_e32 v12, 1, v13
	v_and_or_b32 v6, v8, s0, v6
	.loc	1 41 31 is_stmt 1               ; kernels.py:41:31
	v_or_b32_e32 v5, 0x300, v0
	s_mov_b32 s31, 0x27000
	s_mov_b32 s30, 0x7ffffffe
	v_xor_b32_e32 v17, 64, v16
	v_xor_b32_e32 v18, v6, v12
	v_add3_u32 v19, 0, v7, v9
	.loc	1 40 27                         ; kernels.py:40:27
	s_lshl_b32 s0, s14, 1
	v_lshlrev_b32_e32 v8, 1, v3
	v_lshlrev_b32_e32 v12, 1, v10
	s_and_b32 s29, s29, 0xffff
	s_and_b32 s25, s25, 0xffff
	s_and_b32 s9, s9, 0xffff
	s_mov_b32 s16, 0
	s_and_b32 s5, s5, 0xffff
	v_lshl_add_u32 v6, v5, 1, s0
	v_lshl_add_u32 v7, v0, 1, s0
	v_add_u32_e32 v9, s0, v8
	v_add_u32_e32 v13, s0, v12
	v_add_u32_e32 v14, s0, v11
	v_bfrev_b32_e32 v15, 1
	s_mov_b32 s26, s30
	s_mov_b32 s27, s31
	s_mov_b32 s10, s30
	s_mov_b32 s11, s31
	v_add_u32_e32 v16, 0, v16
	v_add_u32_e32 v17, 0, v17
	v_add_u32_e32 v18, v19, v18
	s_mov_b32 s6, s30
	s_mov_b32 s7, s31
	s_mov_b32 s14, 0
.LBB0_25:                               ; =>This Inner Loop Header: Depth=1
	.loc	1 41 18                         ; kernels.py:41:18
	v_add_u32_e32 v19, s14, v2
	v_add_u32_e32 v20, s14, v10
	v_add_u32_e32 v21, s14, v3
	.loc	1 43 20                         ; kernels.py:43:20
	v_add_u32_e32 v22, s16, v14
	.loc	1 41 18                         ; kernels.py:41:18
	v_add_u32_e32 v28, 1, v19
	.loc	1 42 16                         ; kernels.py:42:16
	v_cmp_gt_i32_e32 vcc, s15, v19
	.loc	1 43 20                         ; kernels.py:43:20
	v_add_u32_e32 v23, s16, v13
	v_add_u32_e32 v24, s16, v9
	.loc	1 44 21                         ; kernels.py:44:21
	v_add_u32_e32 v25, s16, v11
	v_add_u32_e32 v26, s16, v12
	v_add_u32_e32 v27, s16, v8
	.loc	1 43 20                         ; kernels.py:43:20
	v_cndmask_b32_e32 v19, v15, v22, vcc
	v_add_u32_e32 v22, 2, v22
	.loc	1 42 16                         ; kernels.py:42:16
	v_cmp_gt_i32_e64 s[0:1], s15, v20
	v_cmp_gt_i32_e64 s[2:3], s15, v21
	v_cmp_gt_i32_e64 s[12:13], s15, v28
	.loc	1 43 20                         ; kernels.py:43:20
	v_cndmask_b32_e64 v20, v15, v23, s[0:1]
	v_cndmask_b32_e64 v21, v15, v24, s[2:3]
	.loc	1 44 21                         ; kernels.py:44:21
	v_add_u32_e32 v23, 2, v25
	.loc	1 43 20                         ; kernels.py:43:20
	v_cndmask_b32_e64 v22, v15, v22, s[12:13]
	.loc	1 44 21                         ; kernels.py:44:21
	v_cndmask_b32_e32 v24, v15, v25, vcc
	v_cndmask_b32_e64 v25, v15, v26, s[0:1]
	v_cndmask_b32_e64 v26, v15, v27, s[2:3]
	.loc	1 43 20                         ; kernels.py:43:20
	buffer_load_ushort v27, v19, s[28:31], 0 offen
	buffer_load_ushort v28, v22, s[28:31], 0 offen
	buffer_load_ushort v29, v20, s[28:31], 0 offen
	buffer_load_ushort v30, v21, s[28:31], 0 offen
	.loc	1 44 21                         ; kernels.py:44:21
	v_cndmask_b32_e64 v19, v15, v23, s[12:13]
	.loc	1 45 21                         ; kernels.py:45:21
	buffer_load_ushort v20, v24, s[8:11], 0 offen
	.loc	1 44 21                         ; kernels.py:44:21
	buffer_load_ushort v21, v24, s[24:27], 0 offen
	buffer_load_ushort v22, v19, s[24:27], 0 offen
	buffer_load_ushort v23, v25, s[24:27], 0 offen
	buffer_load_ushort v31, v26, s[24:27], 0 offen
	.loc	1 45 21                         ; kernels.py:45:21
	buffer_load_ushort v32, v19, s[8:11], 0 offen
	buffer_load_ushort v33, v25, s[8:11], 0 offen
	buffer_load_ushort v34, v26, s[8:11], 0 offen
	.loc	1 46 37                         ; kernels.py:46:37
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	1 41 18                         ; kernels.py:41:18
	v_add_u32_e32 v19, s14, v0
	.loc	1 42 16                         ; kernels.py:42:16
	v_add_u32_e32 v24, s14, v5
	.loc	1 46 37                         ; kernels.py:46:37
	v_add_u32_e32 v25, s16, v7
	.loc	1 42 16                         ; kernels.py:42:16
	v_cmp_gt_i32_e32 vcc, s15, v19
	.loc	1 46 37                         ; kernels.py:46:37
	v_add_u32_e32 v26, s16, v6
	.loc	1 41 18                         ; kernels.py:41:18
	v_add_u32_e32 v35, 0x100, v19
	v_add_u32_e32 v36, 0x200, v19
	.loc	1 46 37                         ; kernels.py:46:37
	v_cndmask_b32_e32 v19, v15, v25, vcc
	.loc	1 42 16                         ; kernels.py:42:16
	v_cmp_gt_i32_e32 vcc, s15, v24
	.loc	1 40 27                         ; kernels.py:40:27
	s_addk_i32 s14, 0x400
	s_addk_i32 s16, 0x800
	.loc	1 46 37                         ; kernels.py:46:37
	v_add_u32_e32 v37, 0x200, v25
	v_cndmask_b32_e32 v24, v15, v26, vcc
	.loc	1 42 16                         ; kernels.py:42:16
	v_cmp_gt_i32_e32 vcc, s15, v35
	.loc	1 46 37                         ; kernels.py:46:37
	v_add_u32_e32 v25, 0x400, v25
	.loc	1 40 27                         ; kernels.py:40:27
	s_cmp_lt_i32 s14, s15
	.loc	1 46 37                         ; kernels.py:46:37
	v_cndmask_b32_e32 v26, v15, v37, vcc
	.loc	1 42 16                         ; kernels.py:42:16
	v_cmp_gt_i32_e32 vcc, s15, v36
	.loc	1 43 62                         ; kernels.py:43:62
	s_waitcnt vmcnt(11)
	v_cvt_f32_f16_e32 v27, v27
	s_waitcnt vmcnt(10)
	v_cvt_f32_f16_e32 v28, v28
	s_waitcnt vmcnt(9)
	v_cvt_f32_f16_e32 v29, v29
	s_waitcnt vmcnt(8)
	v_cvt_f32_f16_e32 v30, v30
	.loc	1 46 43                         ; kernels.py:46:43
	v_sub_f32_e32 v27, v27, v4
	v_sub_f32_e32 v28, v28, v4
	v_sub_f32_e32 v29, v29, v4
	v_sub_f32_e32 v30, v30, v4
	.loc	1 46 49 is_stmt 0               ; kernels.py:46:49
	v_mul_f32_e32 v27, v1, v27
	v_mul_f32_e32 v28, v1, v28
	v_mul_f32_e32 v29, v1, v29
	v_mul_f32_e32 v30, v1, v30
	.loc	1 46 66                         ; kernels.py:46:66
	s_waitcnt vmcnt(6)
	v_fma_mixlo_f16 v20, v27, v21, v20 op_sel_hi:[0,1,1]
	s_waitcnt vmcnt(2)
	v_fma_mixlo_f16 v21, v28, v22, v32 op_sel_hi:[0,1,1]
	s_waitcnt vmcnt(1)
	v_fma_mixlo_f16 v22, v29, v23, v33 op_sel_hi:[0,1,1]
	s_waitcnt vmcnt(0)
	v_fma_mixlo_f16 v23, v30, v31, v34 op_sel_hi:[0,1,1]
	.loc	1 46 37                         ; kernels.py:46:37
	ds_write_b16 v16, v20
	ds_write_b16 v16, v21 offset:1024
	ds_write_b16 v17, v22 offset:256
	ds_write_b16 v17, v23 offset:1280
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2_b32 v[20:21], v18 offset1:32
	v_cndmask_b32_e32 v25, v15, v25, vcc
	s_waitcnt lgkmcnt(0)
	buffer_store_short v20, v19, s[4:7], 0 offen
	v_lshrrev_b32_e32 v19, 16, v20
	v_lshrrev_b32_e32 v20, 16, v21
	buffer_store_short v19, v26, s[4:7], 0 offen
	buffer_store_short v21, v25, s[4:7], 0 offen
	buffer_store_short v20, v24, s[4:7], 0 offen
	s_cbranch_scc1 .LBB0_25
.LBB0_26:                               ; %._crit_edge16
	.loc	1 40 4 is_stmt 1                ; kernels.py:40:4
	s_endpgm
.Ltmp25:
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel layer_norm
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 80
		.amdhsa_user_sgpr_count 16
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 14
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 38
		.amdhsa_next_free_sgpr 40
		.amdhsa_accum_offset 40
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
	.size	layer_norm, .Lfunc_end0-layer_norm
	.set layer_norm.num_vgpr, 38
	.set layer_norm.num_agpr, 0
	.set layer_norm.numbered_sgpr, 40
	.set layer_norm.num_named_barrier, 0
	.set layer_norm.private_seg_size, 0
	.set layer_norm.uses_vcc, 1
	.set layer_norm.uses_flat_scratch, 0
	.set layer_norm.has_dyn_sized_stack, 0
	.set layer_norm.has_recursion, 0
	.set layer_norm.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
	.text
	.p2alignl 6, 3212836864
	.fill 256, 4, 3212836864
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.text
	.section	.debug_abbrev,"",@progbits
	.byte	1                               ; Abbreviation Code
	.byte	17                              ; DW_TAG_compile_unit
	.byte	1                               ; DW_CHILDREN_yes
	.byte	37                              ; DW_AT_producer
	.byte	14                              ; DW_FORM_strp
	.byte	19                              ; DW_AT_language
	.byte	5                               ; DW_FORM_data2
	.byte	3                               ; DW_AT_name
	.byte	14                              ; DW_FORM_strp
	.byte	16                              ; DW_AT_stmt_list
	.byte	23                              ; DW_FORM_sec_offset
	.byte	27                              ; DW_AT_comp_dir
	.byte	14                              ; DW_FORM_strp
	.byte	17                              ; DW_AT_low_pc
	.byte	1                               ; DW_FORM_addr
	.byte	18                              ; DW_AT_high_pc
	.byte	6                               ; DW_FORM_data4
	.byte	0                               ; EOM(1)
	.byte	0                               ; EOM(2)
	.byte	2                               ; Abbreviation Code
	.byte	46                              ; DW_TAG_subprogram
	.byte	0                               ; DW_CHILDREN_no
	.byte	3                               ; DW_AT_name
	.byte	14                              ; DW_FORM_strp
	.byte	32                              ; DW_AT_inline
	.byte	11                              ; DW_FORM_data1
	.byte	0                               ; EOM(1)
	.byte	0                               ; EOM(2)
	.byte	3                               ; Abbreviation Code
	.byte	46                              ; DW_TAG_subprogram
	.byte	1                               ; DW_CHILDREN_yes
	.byte	17                              ; DW_AT_low_pc
	.byte	1                               ; DW_FORM_addr
	.byte	18                              ; DW_AT_high_pc
	.byte	6                               ; DW_FORM_data4
	.byte	49                              ; DW_AT_abstract_origin
	.byte	19                              ; DW_FORM_ref4
	.byte	0                               ; EOM(1)
	.byte	0                               ; EOM(2)
	.byte	4                               ; Abbreviation Code
	.byte	29                              ; DW_TAG_inlined_subroutine
	.byte	1                               ; DW_CHILDREN_yes
	.byte	49                              ; DW_AT_abstract_origin
	.byte	19                              ; DW_FORM_ref4
	.byte	85                              ; DW_AT_ranges
	.byte	23                              ; DW_FORM_sec_offset
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
	.byte	85                              ; DW_AT_ranges
	.byte	23                              ; DW_FORM_sec_offset
	.byte	88                              ; DW_AT_call_file
	.byte	11                              ; DW_FORM_data1
	.byte	89                              ; DW_AT_call_line
	.byte	5                               ; DW_FORM_data2
	.byte	87                              ; DW_AT_call_column
	.byte	11                              ; DW_FORM_data1
	.byte	0                               ; EOM(1)
	.byte	0                               ; EOM(2)
	.byte	6                               ; Abbreviation Code
	.byte	29                              ; DW_TAG_inlined_subroutine
	.byte	1                               ; DW_CHILDREN_yes
	.byte	49                              ; DW_AT_abstract_origin
	.byte	19                              ; DW_FORM_ref4
	.byte	17                              ; DW_AT_low_pc
	.byte	1                               ; DW_FORM_addr
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
	.short	4                               ; DWARF version number
	.long	.debug_abbrev                   ; Offset Into Abbrev. Section
	.byte	8                               ; Address Size (in bytes)
	.byte	1                               ; Abbrev [1] 0xb:0x74 DW_TAG_compile_unit
	.long	.Linfo_string0                  ; DW_AT_producer
	.short	2                               ; DW_AT_language
	.long	.Linfo_string1                  ; DW_AT_name
	.long	.Lline_table_start0             ; DW_AT_stmt_list
	.long	.Linfo_string2                  ; DW_AT_comp_dir
	.quad	.Lfunc_begin0                   ; DW_AT_low_pc
	.long	.Lfunc_end0-.Lfunc_begin0       ; DW_AT_high_pc
	.byte	2                               ; Abbrev [2] 0x2a:0x6 DW_TAG_subprogram
	.long	.Linfo_string3                  ; DW_AT_name
	.byte	1                               ; DW_AT_inline
	.byte	3                               ; Abbrev [3] 0x30:0x4e DW_TAG_subprogram
	.quad	.Lfunc_begin0                   ; DW_AT_low_pc
	.long	.Lfunc_end0-.Lfunc_begin0       ; DW_AT_high_pc
	.long	42                              ; DW_AT_abstract_origin
	.byte	4                               ; Abbrev [4] 0x41:0x1a DW_TAG_inlined_subroutine
	.long	42                              ; DW_AT_abstract_origin
	.long	.Ldebug_ranges0                 ; DW_AT_ranges
	.byte	1                               ; DW_AT_call_file
	.byte	30                              ; DW_AT_call_line
	.byte	16                              ; DW_AT_call_column
	.byte	5                               ; Abbrev [5] 0x4d:0xd DW_TAG_inlined_subroutine
	.long	42                              ; DW_AT_abstract_origin
	.long	.Ldebug_ranges1                 ; DW_AT_ranges
	.byte	2                               ; DW_AT_call_file
	.short	293                             ; DW_AT_call_line
	.byte	36                              ; DW_AT_call_column
	.byte	0                               ; End Of Children Mark
	.byte	6                               ; Abbrev [6] 0x5b:0x22 DW_TAG_inlined_subroutine
	.long	42                              ; DW_AT_abstract_origin
	.quad	.Ltmp15                         ; DW_AT_low_pc
	.long	.Ltmp24-.Ltmp15                 ; DW_AT_high_pc
	.byte	1                               ; DW_AT_call_file
	.byte	37                              ; DW_AT_call_line
	.byte	30                              ; DW_AT_call_column
	.byte	5                               ; Abbrev [5] 0x6f:0xd DW_TAG_inlined_subroutine
	.long	42                              ; DW_AT_abstract_origin
	.long	.Ldebug_ranges2                 ; DW_AT_ranges
	.byte	2                               ; DW_AT_call_file
	.short	293                             ; DW_AT_call_line
	.byte	36                              ; DW_AT_call_column
	.byte	0                               ; End Of Children Mark
	.byte	0                               ; End Of Children Mark
	.byte	0                               ; End Of Children Mark
.Ldebug_info_end0:
	.section	.debug_ranges,"",@progbits
.Ldebug_ranges0:
	.quad	.Ltmp2-.Lfunc_begin0
	.quad	.Ltmp3-.Lfunc_begin0
	.quad	.Ltmp4-.Lfunc_begin0
	.quad	.Ltmp12-.Lfunc_begin0
	.quad	.Ltmp13-.Lfunc_begin0
	.quad	.Ltmp14-.Lfunc_begin0
	.quad	0
	.quad	0
.Ldebug_ranges1:
	.quad	.Ltmp2-.Lfunc_begin0
	.quad	.Ltmp3-.Lfunc_begin0
	.quad	.Ltmp4-.Lfunc_begin0
	.quad	.Ltmp5-.Lfunc_begin0
	.quad	.Ltmp6-.Lfunc_begin0
	.quad	.Ltmp7-.Lfunc_begin0
	.quad	.Ltmp8-.Lfunc_begin0
	.quad	.Ltmp9-.Lfunc_begin0
	.quad	.Ltmp10-.Lfunc_begin0
	.quad	.Ltmp11-.Lfunc_begin0
	.quad	0
	.quad	0
.Ldebug_ranges2:
	.quad	.Ltmp16-.Lfunc_begin0
	.quad	.Ltmp17-.Lfunc_begin0
	.quad	.Ltmp18-.Lfunc_begin0
	.quad	.Ltmp19-.Lfunc_begin0
	.quad	.Ltmp20-.Lfunc_begin0
	.quad	.Ltmp21-.Lfunc_begin0
	.quad	.Ltmp22-.Lfunc_begin0
	.quad	.Ltmp23-.Lfunc_begin0
	.quad	0
	.quad	0
	.section	.debug_str,"MS",@progbits,1
.Linfo_string0:
	.asciz	"triton"                        ; string offset=0
.Linfo_string1:
	.asciz	"kernels.py"                    ; string offset=7
.Linfo_string2:
	.asciz	"/kiln/corpus/source"           ; string offset=18
.Linfo_string3:
	.asciz	"layer_norm"                    ; string offset=38
	.section	".note.GNU-stack","",@progbits
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
      - .address_space:  global
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         24
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         32
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         40
        .size:           8
        .value_kind:     global_buffer
      - .offset:         48
        .size:           4
        .value_kind:     by_value
      - .offset:         52
        .size:           4
        .value_kind:     by_value
      - .offset:         56
        .size:           4
        .value_kind:     by_value
      - .address_space:  global
        .offset:         64
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         72
        .size:           8
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 80
    .max_flat_workgroup_size: 256
    .name:           layer_norm
    .private_segment_fixed_size: 0
    .sgpr_count:     46
    .sgpr_spill_count: 0
    .symbol:         layer_norm.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     38
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
