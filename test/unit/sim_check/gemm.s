; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What Triton 3.6.0 makes of this project's own GEMM kernel (f16, 256 x 256 x 256) for gfx942, as it printed it.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 5
	.text
	.globl	gemm                            ; -- Begin function gemm
	.p2align	8
	.type	gemm,@function
gemm:                                   ; @gemm
.Lfunc_begin0:
	.cfi_sections .debug_frame
	.cfi_startproc
; %bb.6:
	.file	1 "/kiln/corpus/source" "kernels.py"
	.loc	1 50 0 prologue_end             ; kernels.py:50:0
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	s_load_dwordx8 s[4:11], s[0:1], 0x8
	s_load_dwordx4 s[12:15], s[0:1], 0x28
	s_waitcnt lgkmcnt(0)
	s_branch .LBB0_0
	.loc	1 0 0 is_stmt 0                 ; :0:0
.Ltmp0:
	.p2align	8
; %bb.7:
.LBB0_0:
	s_mov_b64 s[0:1], s[2:3]
.Ltmp1:
	.file	2 "/opt/torch/.venv/lib/python3.12/site-packages/triton/language" "standard.py"
	.loc	2 43 17 is_stmt 1               ; standard.py:43:17 @[ kernels.py:54:21 ]
	s_add_i32 s2, s9, 0x7f
	.loc	2 43 30 is_stmt 0               ; standard.py:43:30 @[ kernels.py:54:21 ]
	s_ashr_i32 s3, s2, 31
	s_lshr_b32 s3, s3, 25
	s_add_i32 s2, s2, s3
	s_ashr_i32 s2, s2, 7
.Ltmp2:
	.loc	1 55 17 is_stmt 1               ; kernels.py:55:17
	s_lshl_b32 s3, s2, 2
	s_mov_b64 s[20:21], s[6:7]
	.loc	1 56 19                         ; kernels.py:56:19
	s_abs_i32 s6, s3
	v_cvt_f32_u32_e32 v1, s6
.Ltmp3:
	.loc	2 43 17                         ; standard.py:43:17 @[ kernels.py:53:21 ]
	s_add_i32 s7, s8, 0x7f
.Ltmp4:
	.loc	1 56 19                         ; kernels.py:56:19
	s_sub_i32 s15, 0, s6
.Ltmp5:
	.loc	2 43 30                         ; standard.py:43:30 @[ kernels.py:53:21 ]
	s_ashr_i32 s14, s7, 31
.Ltmp6:
	.loc	1 56 19                         ; kernels.py:56:19
	v_rcp_iflag_f32_e32 v1, v1
.Ltmp7:
	.loc	2 43 30                         ; standard.py:43:30 @[ kernels.py:53:21 ]
	s_lshr_b32 s14, s14, 25
	s_add_i32 s7, s7, s14
.Ltmp8:
	.loc	1 56 19                         ; kernels.py:56:19
	s_abs_i32 s14, s16
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	s_xor_b32 s2, s16, s2
.Ltmp9:
	.loc	2 43 30                         ; standard.py:43:30 @[ kernels.py:53:21 ]
	s_ashr_i32 s7, s7, 7
.Ltmp10:
	.loc	1 56 19                         ; kernels.py:56:19
	s_ashr_i32 s2, s2, 31
	v_readfirstlane_b32 s17, v1
	s_mul_i32 s15, s15, s17
	s_mul_hi_u32 s15, s17, s15
	s_add_i32 s17, s17, s15
	s_mul_hi_u32 s15, s14, s17
	s_mul_i32 s17, s15, s6
	s_sub_i32 s14, s14, s17
	s_add_i32 s17, s15, 1
	s_sub_i32 s18, s14, s6
	s_cmp_ge_u32 s14, s6
	s_cselect_b32 s15, s17, s15
	s_cselect_b32 s14, s18, s14
	s_add_i32 s17, s15, 1
	s_cmp_ge_u32 s14, s6
	s_cselect_b32 s6, s17, s15
	s_xor_b32 s6, s6, s2
	s_sub_i32 s2, s6, s2
	.loc	1 57 20                         ; kernels.py:57:20
	s_lshl_b32 s6, s2, 2
	.loc	1 58 20                         ; kernels.py:58:20
	s_sub_i32 s7, s7, s6
	.loc	1 58 27 is_stmt 0               ; kernels.py:58:27
	s_min_i32 s7, s7, 4
	.loc	1 60 26 is_stmt 1               ; kernels.py:60:26
	s_abs_i32 s14, s7
	v_cvt_f32_u32_e32 v1, s14
	.loc	1 59 24                         ; kernels.py:59:24
	s_mul_i32 s2, s2, s3
	s_sub_i32 s2, s16, s2
	.loc	1 60 26                         ; kernels.py:60:26
	s_sub_i32 s16, 0, s14
	v_rcp_iflag_f32_e32 v1, v1
	s_abs_i32 s15, s2
	s_xor_b32 s3, s2, s7
	s_ashr_i32 s3, s3, 31
	v_mul_f32_e32 v1, 0x4f7ffffe, v1
	v_cvt_u32_f32_e32 v1, v1
	.loc	1 61 33                         ; kernels.py:61:33
	v_lshrrev_b32_e32 v6, 2, v0
	v_accvgpr_write_b32 a0, 0
	v_accvgpr_write_b32 a1, 0
	.loc	1 60 26                         ; kernels.py:60:26
	v_readfirstlane_b32 s17, v1
	s_mul_i32 s16, s16, s17
	s_mul_hi_u32 s16, s17, s16
	s_add_i32 s17, s17, s16
	s_mul_hi_u32 s16, s15, s17
	s_mul_i32 s17, s16, s14
	s_sub_i32 s15, s15, s17
	s_add_i32 s17, s16, 1
	s_sub_i32 s18, s15, s14
	s_cmp_ge_u32 s15, s14
	s_cselect_b32 s16, s17, s16
	s_cselect_b32 s15, s18, s15
	s_add_i32 s17, s16, 1
	s_cmp_ge_u32 s15, s14
	s_cselect_b32 s14, s17, s16
	s_xor_b32 s14, s14, s3
	s_sub_i32 s3, s14, s3
	.loc	1 59 33                         ; kernels.py:59:33
	s_mul_i32 s7, s3, s7
	s_sub_i32 s2, s2, s7
	.loc	1 61 40                         ; kernels.py:61:40
	s_abs_i32 s7, s8
	v_cvt_f32_u32_e32 v1, s7
	.loc	1 59 17                         ; kernels.py:59:17
	s_add_i32 s2, s2, s6
	.loc	1 61 15                         ; kernels.py:61:15
	s_lshl_b32 s14, s2, 7
	.loc	1 61 40 is_stmt 0               ; kernels.py:61:40
	s_sub_i32 s6, 0, s7
	v_rcp_iflag_f32_e32 v2, v1
	.loc	1 61 20                         ; kernels.py:61:20
	v_or_b32_e32 v3, s14, v6
	.loc	1 61 40                         ; kernels.py:61:40
	s_bfe_i32 s2, s2, 0x10018
	v_add_u32_e32 v3, s2, v3
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_xor_b32_e32 v4, s2, v3
	v_add_u32_e32 v3, 64, v3
	v_xor_b32_e32 v3, s2, v3
	v_mul_lo_u32 v5, s6, v2
	v_mul_hi_u32 v5, v2, v5
	v_add_u32_e32 v2, v2, v5
	v_mul_hi_u32 v5, v4, v2
	v_mul_lo_u32 v5, v5, s7
	v_sub_u32_e32 v4, v4, v5
	v_subrev_u32_e32 v5, s7, v4
	v_cmp_le_u32_e32 vcc, s7, v4
	v_mul_hi_u32 v2, v3, v2
	v_mul_lo_u32 v2, v2, s7
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_subrev_u32_e32 v5, s7, v4
	v_cmp_le_u32_e32 vcc, s7, v4
	v_sub_u32_e32 v2, v3, v2
	v_subrev_u32_e32 v3, s7, v2
	v_cndmask_b32_e32 v4, v4, v5, vcc
	v_xor_b32_e32 v4, s2, v4
	v_cmp_le_u32_e32 vcc, s7, v2
	.loc	1 62 40 is_stmt 1               ; kernels.py:62:40
	s_abs_i32 s6, s9
	.loc	1 61 40                         ; kernels.py:61:40
	v_subrev_u32_e32 v5, s2, v4
	v_cndmask_b32_e32 v2, v2, v3, vcc
	.loc	1 62 40                         ; kernels.py:62:40
	v_cvt_f32_u32_e32 v4, s6
	.loc	1 61 40                         ; kernels.py:61:40
	v_subrev_u32_e32 v3, s7, v2
	v_cmp_le_u32_e32 vcc, s7, v2
	.loc	1 61 33 is_stmt 0               ; kernels.py:61:33
	v_and_b32_e32 v1, 15, v0
	.loc	1 62 15 is_stmt 1               ; kernels.py:62:15
	s_lshl_b32 s15, s3, 7
	.loc	1 61 40                         ; kernels.py:61:40
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_xor_b32_e32 v2, s2, v2
	v_subrev_u32_e32 v7, s2, v2
	.loc	1 62 40                         ; kernels.py:62:40
	v_rcp_iflag_f32_e32 v2, v4
	s_sub_i32 s2, 0, s6
	.loc	1 62 20 is_stmt 0               ; kernels.py:62:20
	v_lshl_or_b32 v3, v1, 3, s15
	.loc	1 62 40                         ; kernels.py:62:40
	s_bfe_i32 s16, s3, 0x10018
	v_mul_f32_e32 v2, 0x4f7ffffe, v2
	v_cvt_u32_f32_e32 v2, v2
	v_add_u32_e32 v3, s16, v3
	v_xor_b32_e32 v3, s16, v3
.Ltmp11:
	.loc	2 43 17 is_stmt 1               ; standard.py:43:17 @[ kernels.py:67:33 ]
	s_add_i32 s17, s10, 31
.Ltmp12:
	.loc	1 62 40                         ; kernels.py:62:40
	v_mul_lo_u32 v4, s2, v2
	v_mul_hi_u32 v4, v2, v4
	v_add_u32_e32 v2, v2, v4
	v_mul_hi_u32 v2, v3, v2
	v_mul_lo_u32 v2, v2, s6
	v_sub_u32_e32 v2, v3, v2
	v_subrev_u32_e32 v3, s6, v2
	v_cmp_le_u32_e32 vcc, s6, v2
	.loc	1 67 22                         ; kernels.py:67:22
	s_cmp_gt_i32 s17, 31
	.loc	1 70 25                         ; kernels.py:70:25
	s_mov_b32 s10, 0x5040100
	.loc	1 62 40                         ; kernels.py:62:40
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_subrev_u32_e32 v3, s6, v2
	v_cmp_le_u32_e32 vcc, s6, v2
	v_accvgpr_write_b32 a2, 0
	v_accvgpr_write_b32 a3, 0
	v_cndmask_b32_e32 v2, v2, v3, vcc
	v_xor_b32_e32 v17, s16, v2
	.loc	1 64 36                         ; kernels.py:64:36
	v_lshlrev_b32_e32 v2, 3, v0
	v_and_b32_e32 v4, 24, v2
	.loc	1 64 33 is_stmt 0               ; kernels.py:64:33
	v_mad_u64_u32 v[2:3], s[2:3], v5, s11, v[4:5]
	v_mad_u64_u32 v[4:5], s[2:3], v7, s11, v[4:5]
	.loc	1 69 25 is_stmt 1               ; kernels.py:69:25
	v_lshlrev_b32_e32 v3, 1, v2
	v_bfrev_b32_e32 v5, 1
	.loc	1 67 22                         ; kernels.py:67:22
	s_cselect_b64 vcc, -1, 0
	.loc	1 69 25                         ; kernels.py:69:25
	s_and_b32 s1, s1, 0xffff
	s_mov_b32 s3, 0x27000
	s_mov_b32 s2, 0x7ffffffe
	v_cndmask_b32_e32 v3, v5, v3, vcc
	v_lshlrev_b32_e32 v7, 1, v4
	v_cndmask_b32_e32 v7, v5, v7, vcc
	buffer_load_dwordx4 v[10:13], v3, s[0:3], 0 offen
	buffer_load_dwordx4 v[20:23], v7, s[0:3], 0 offen
	.loc	1 65 16                         ; kernels.py:65:16
	v_and_b32_e32 v7, 0xf0, v0
	.loc	1 62 40                         ; kernels.py:62:40
	v_subrev_u32_e32 v8, s16, v17
	.loc	1 65 16                         ; kernels.py:65:16
	v_lshrrev_b32_e32 v18, 3, v7
	.loc	1 65 33 is_stmt 0               ; kernels.py:65:33
	v_mad_u64_u32 v[8:9], s[6:7], s12, v18, v[8:9]
	.loc	1 70 25 is_stmt 1               ; kernels.py:70:25
	v_lshlrev_b32_e32 v3, 1, v8
	s_and_b32 s5, s5, 0xffff
	s_mov_b32 s6, s2
	s_mov_b32 s7, s3
	v_cndmask_b32_e32 v3, v5, v3, vcc
	v_add_lshl_u32 v8, v8, s12, 1
	v_cndmask_b32_e32 v5, v5, v8, vcc
	buffer_load_dwordx4 v[24:27], v3, s[4:7], 0 offen
	buffer_load_dwordx4 v[28:31], v5, s[4:7], 0 offen
	.loc	1 69 25                         ; kernels.py:69:25
	v_lshlrev_b32_e32 v5, 4, v0
	v_and_b32_e32 v8, 56, v0
	v_xor_b32_e32 v5, v5, v8
	v_add_u32_e32 v8, 0, v5
	v_xor_b32_e32 v5, 8, v5
	v_add_u32_e32 v9, 0, v5
	.loc	1 70 25                         ; kernels.py:70:25
	v_and_b32_e32 v5, 14, v0
	v_lshrrev_b32_e32 v7, 2, v7
	v_lshlrev_b32_e32 v14, 2, v5
	s_mov_b32 s11, 0x7060302
	.loc	1 61 33                         ; kernels.py:61:33
	v_and_b32_e32 v3, 0x80, v0
	v_accvgpr_write_b32 a4, 0
	v_accvgpr_write_b32 a5, 0
	v_accvgpr_write_b32 a6, 0
	v_accvgpr_write_b32 a7, 0
	v_accvgpr_write_b32 a8, 0
	v_accvgpr_write_b32 a9, 0
	v_accvgpr_write_b32 a10, 0
	v_accvgpr_write_b32 a11, 0
	v_accvgpr_write_b32 a12, 0
	v_accvgpr_write_b32 a13, 0
	v_accvgpr_write_b32 a14, 0
	v_accvgpr_write_b32 a15, 0
	v_accvgpr_write_b32 a16, 0
	v_accvgpr_write_b32 a17, 0
	v_accvgpr_write_b32 a18, 0
	v_accvgpr_write_b32 a19, 0
	v_accvgpr_write_b32 a20, 0
	v_accvgpr_write_b32 a21, 0
	v_accvgpr_write_b32 a22, 0
	v_accvgpr_write_b32 a23, 0
	v_accvgpr_write_b32 a24, 0
	v_accvgpr_write_b32 a25, 0
	v_accvgpr_write_b32 a26, 0
	v_accvgpr_write_b32 a27, 0
	v_accvgpr_write_b32 a28, 0
	v_accvgpr_write_b32 a29, 0
	v_accvgpr_write_b32 a30, 0
	v_accvgpr_write_b32 a31, 0
	v_accvgpr_write_b32 a32, 0
	v_accvgpr_write_b32 a33, 0
	v_accvgpr_write_b32 a34, 0
	v_accvgpr_write_b32 a35, 0
	v_accvgpr_write_b32 a36, 0
	v_accvgpr_write_b32 a37, 0
	v_accvgpr_write_b32 a38, 0
	v_accvgpr_write_b32 a39, 0
	v_accvgpr_write_b32 a40, 0
	v_accvgpr_write_b32 a41, 0
	v_accvgpr_write_b32 a42, 0
	v_accvgpr_write_b32 a43, 0
	v_accvgpr_write_b32 a44, 0
	v_accvgpr_write_b32 a45, 0
	v_accvgpr_write_b32 a46, 0
	v_accvgpr_write_b32 a47, 0
	v_accvgpr_write_b32 a48, 0
	v_accvgpr_write_b32 a49, 0
	v_accvgpr_write_b32 a50, 0
	v_accvgpr_write_b32 a51, 0
	v_accvgpr_write_b32 a52, 0
	v_accvgpr_write_b32 a53, 0
	v_accvgpr_write_b32 a54, 0
	v_accvgpr_write_b32 a55, 0
	v_accvgpr_write_b32 a56, 0
	v_accvgpr_write_b32 a57, 0
	v_accvgpr_write_b32 a58, 0
	.loc	1 69 25                         ; kernels.py:69:25
	s_waitcnt vmcnt(2)
	ds_write2st64_b64 v8, v[10:11], v[20:21] offset1:8
	.loc	1 70 25                         ; kernels.py:70:25
	v_bfe_i32 v10, v0, 0, 1
	v_and_b32_e32 v10, 0x220, v10
	v_xor_b32_e32 v7, v7, v10
	v_xor_b32_e32 v7, v7, v14
	v_lshl_or_b32 v5, v5, 9, v7
	v_add_u32_e32 v7, 0, v5
	v_add_u32_e32 v10, 0x2000, v7
	v_xor_b32_e32 v7, 8, v5
	.loc	1 69 25                         ; kernels.py:69:25
	ds_write2st64_b64 v9, v[12:13], v[22:23] offset1:8
	.loc	1 70 25                         ; kernels.py:70:25
	v_add_u32_e32 v7, 0, v7
	v_accvgpr_write_b32 a59, 0
	v_accvgpr_write_b32 a60, 0
	s_waitcnt vmcnt(0)
	v_perm_b32 v11, v28, v24, s10
	v_perm_b32 v12, v28, v24, s11
	ds_write2_b32 v10, v11, v12 offset1:16
	v_add_u32_e32 v11, 0x2000, v7
	v_xor_b32_e32 v7, 16, v5
	v_perm_b32 v12, v29, v25, s10
	v_perm_b32 v13, v29, v25, s11
	v_add_u32_e32 v7, 0, v7
	v_xor_b32_e32 v5, 24, v5
	ds_write2_b32 v11, v12, v13 offset0:32 offset1:48
	v_perm_b32 v13, v30, v26, s10
	v_perm_b32 v15, v30, v26, s11
	v_add_u32_e32 v12, 0x2000, v7
	v_add_u32_e32 v5, 0, v5
	ds_write2_b32 v12, v13, v15 offset0:64 offset1:80
	v_perm_b32 v7, v31, v27, s10
	v_perm_b32 v15, v31, v27, s11
	v_add_u32_e32 v13, 0x2000, v5
	ds_write2_b32 v13, v7, v15 offset0:96 offset1:112
	v_accvgpr_write_b32 a61, 0
	v_accvgpr_write_b32 a62, 0
	v_accvgpr_write_b32 a63, 0
	.loc	1 67 22                         ; kernels.py:67:22
	s_cmp_lt_i32 s17, 64
	v_bfe_i32 v5, v0, 6, 1
	v_lshrrev_b32_e32 v7, 1, v0
	v_lshl_or_b32 v0, v1, 6, v14
	s_cbranch_scc1 .LBB0_3
; %bb.1:                                ; %.lr.ph
	.loc	1 0 22 is_stmt 0                ; kernels.py:0:22
	v_and_b32_e32 v15, 24, v7
	v_and_b32_e32 v16, 0x408, v5
	v_xor_b32_e32 v14, v0, v15
	v_xor_b32_e32 v15, v16, v15
	v_lshl_or_b32 v14, v3, 3, v14
	v_xor_b32_e32 v15, v15, v0
	.loc	1 67 22                         ; kernels.py:67:22
	v_add_u32_e32 v16, 33, v18
	v_or_b32_e32 v18, 32, v18
.Ltmp13:
	.loc	2 43 30 is_stmt 1               ; standard.py:43:30 @[ kernels.py:67:33 ]
	s_lshr_b32 s6, s17, 5
	v_xor_b32_e32 v19, 32, v14
	v_xor_b32_e32 v20, 32, v15
	v_xor_b32_e32 v21, 16, v15
	v_xor_b32_e32 v22, 48, v15
.Ltmp14:
	.loc	1 67 22                         ; kernels.py:67:22
	v_mul_lo_u32 v16, s12, v16
	v_lshlrev_b32_e32 v17, 1, v17
	v_lshlrev_b32_e64 v23, 1, s16
	v_mul_lo_u32 v18, s12, v18
	v_lshlrev_b32_e32 v16, 1, v16
	v_sub_u32_e32 v17, v17, v23
	s_lshl_b32 s16, s12, 6
	v_lshlrev_b32_e32 v18, 1, v18
	v_lshl_add_u32 v4, v4, 1, 64
	v_lshl_add_u32 v2, v2, 1, 64
	s_add_i32 s12, s6, -1
	v_accvgpr_write_b32 a63, 0
	v_accvgpr_write_b32 a62, 0
	v_accvgpr_write_b32 a61, 0
	v_accvgpr_write_b32 a60, 0
	v_accvgpr_write_b32 a59, 0
	v_accvgpr_write_b32 a58, 0
	v_accvgpr_write_b32 a57, 0
	v_accvgpr_write_b32 a56, 0
	v_accvgpr_write_b32 a55, 0
	v_accvgpr_write_b32 a54, 0
	v_accvgpr_write_b32 a53, 0
	v_accvgpr_write_b32 a52, 0
	v_accvgpr_write_b32 a51, 0
	v_accvgpr_write_b32 a50, 0
	v_accvgpr_write_b32 a49, 0
	v_accvgpr_write_b32 a48, 0
	v_accvgpr_write_b32 a47, 0
	v_accvgpr_write_b32 a46, 0
	v_accvgpr_write_b32 a45, 0
	v_accvgpr_write_b32 a44, 0
	v_accvgpr_write_b32 a43, 0
	v_accvgpr_write_b32 a42, 0
	v_accvgpr_write_b32 a41, 0
	v_accvgpr_write_b32 a40, 0
	v_accvgpr_write_b32 a39, 0
	v_accvgpr_write_b32 a38, 0
	v_accvgpr_write_b32 a37, 0
	v_accvgpr_write_b32 a36, 0
	v_accvgpr_write_b32 a35, 0
	v_accvgpr_write_b32 a34, 0
	v_accvgpr_write_b32 a33, 0
	v_accvgpr_write_b32 a32, 0
	v_accvgpr_write_b32 a31, 0
	v_accvgpr_write_b32 a30, 0
	v_accvgpr_write_b32 a29, 0
	v_accvgpr_write_b32 a28, 0
	v_accvgpr_write_b32 a27, 0
	v_accvgpr_write_b32 a26, 0
	v_accvgpr_write_b32 a25, 0
	v_accvgpr_write_b32 a24, 0
	v_accvgpr_write_b32 a23, 0
	v_accvgpr_write_b32 a22, 0
	v_accvgpr_write_b32 a21, 0
	v_accvgpr_write_b32 a20, 0
	v_accvgpr_write_b32 a19, 0
	v_accvgpr_write_b32 a18, 0
	v_accvgpr_write_b32 a17, 0
	v_accvgpr_write_b32 a16, 0
	v_accvgpr_write_b32 a15, 0
	v_accvgpr_write_b32 a14, 0
	v_accvgpr_write_b32 a13, 0
	v_accvgpr_write_b32 a12, 0
	v_accvgpr_write_b32 a11, 0
	v_accvgpr_write_b32 a10, 0
	v_accvgpr_write_b32 a9, 0
	v_accvgpr_write_b32 a8, 0
	v_accvgpr_write_b32 a7, 0
	v_accvgpr_write_b32 a6, 0
	v_accvgpr_write_b32 a5, 0
	v_accvgpr_write_b32 a4, 0
	v_accvgpr_write_b32 a3, 0
	v_accvgpr_write_b32 a2, 0
	v_accvgpr_write_b32 a1, 0
	v_accvgpr_write_b32 a0, 0
	v_add_u32_e32 v19, 0, v19
	v_add_u32_e32 v20, 0, v20
	v_add_u32_e32 v21, 0, v21
	v_add_u32_e32 v22, 0, v22
	s_mov_b32 s6, s2
	s_mov_b32 s7, s3
.LBB0_2:                                ; =>This Inner Loop Header: Depth=1
	.loc	1 69 25                         ; kernels.py:69:25
	v_add_u32_e32 v23, 0, v14
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2st64_b64 v[24:27], v23 offset1:4
	ds_read2st64_b64 v[28:31], v23 offset0:8 offset1:12
	ds_read2st64_b64 v[32:35], v19 offset1:4
	ds_read2st64_b64 v[36:39], v19 offset0:8 offset1:12
	.loc	1 67 22                         ; kernels.py:67:22
	s_setprio 1
	.loc	1 69 25                         ; kernels.py:69:25
	buffer_load_dwordx4 v[40:43], v2, s[0:3], 0 offen
	buffer_load_dwordx4 v[44:47], v4, s[0:3], 0 offen
	; sched_barrier mask(0x00000000)
	.loc	1 70 25                         ; kernels.py:70:25
	v_add_u32_e32 v23, 0, v15
	ds_read2st64_b64 v[48:51], v23 offset0:16 offset1:24
	ds_read2st64_b64 v[52:55], v20 offset0:16 offset1:24
	ds_read2st64_b64 v[56:59], v21 offset0:20 offset1:28
	ds_read2st64_b64 v[60:63], v22 offset0:20 offset1:28
	.loc	1 67 22                         ; kernels.py:67:22
	s_setprio 0
	.loc	1 70 25                         ; kernels.py:70:25
	v_add_u32_e32 v23, v18, v17
	v_add_u32_e32 v68, v16, v17
	buffer_load_dwordx4 v[64:67], v23, s[4:7], 0 offen
	s_nop 0
	buffer_load_dwordx4 v[68:71], v68, s[4:7], 0 offen
	.loc	1 74 29                         ; kernels.py:74:29
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_16x16x16_f16 a[0:3], v[48:49], v[24:25], a[0:3]
	; sched_barrier mask(0x00000001)
	.loc	1 67 22                         ; kernels.py:67:22
	s_setprio 1
	.loc	1 74 29                         ; kernels.py:74:29
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 a[4:7], v[56:57], v[24:25], a[4:7]
	v_mfma_f32_16x16x16_f16 a[8:11], v[54:55], v[24:25], a[8:11]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 a[12:15], v[62:63], v[24:25], a[12:15]
	v_mfma_f32_16x16x16_f16 a[16:19], v[48:49], v[26:27], a[16:19]
	v_mfma_f32_16x16x16_f16 a[20:23], v[56:57], v[26:27], a[20:23]
	v_mfma_f32_16x16x16_f16 a[24:27], v[54:55], v[26:27], a[24:27]
	v_mfma_f32_16x16x16_f16 a[28:31], v[62:63], v[26:27], a[28:31]
	v_mfma_f32_16x16x16_f16 a[32:35], v[48:49], v[28:29], a[32:35]
	v_mfma_f32_16x16x16_f16 a[36:39], v[56:57], v[28:29], a[36:39]
	v_mfma_f32_16x16x16_f16 a[40:43], v[54:55], v[28:29], a[40:43]
	v_mfma_f32_16x16x16_f16 a[44:47], v[62:63], v[28:29], a[44:47]
	v_mfma_f32_16x16x16_f16 a[48:51], v[48:49], v[30:31], a[48:51]
	v_mfma_f32_16x16x16_f16 a[52:55], v[56:57], v[30:31], a[52:55]
	v_mfma_f32_16x16x16_f16 a[56:59], v[54:55], v[30:31], a[56:59]
	v_mfma_f32_16x16x16_f16 a[60:63], v[62:63], v[30:31], a[60:63]
	v_mfma_f32_16x16x16_f16 a[0:3], v[52:53], v[32:33], a[0:3]
	v_mfma_f32_16x16x16_f16 a[4:7], v[60:61], v[32:33], a[4:7]
	v_mfma_f32_16x16x16_f16 a[8:11], v[50:51], v[32:33], a[8:11]
	v_mfma_f32_16x16x16_f16 a[12:15], v[58:59], v[32:33], a[12:15]
	v_mfma_f32_16x16x16_f16 a[16:19], v[52:53], v[34:35], a[16:19]
	v_mfma_f32_16x16x16_f16 a[20:23], v[60:61], v[34:35], a[20:23]
	v_mfma_f32_16x16x16_f16 a[24:27], v[50:51], v[34:35], a[24:27]
	v_mfma_f32_16x16x16_f16 a[28:31], v[58:59], v[34:35], a[28:31]
	v_mfma_f32_16x16x16_f16 a[32:35], v[52:53], v[36:37], a[32:35]
	v_mfma_f32_16x16x16_f16 a[36:39], v[60:61], v[36:37], a[36:39]
	v_mfma_f32_16x16x16_f16 a[40:43], v[50:51], v[36:37], a[40:43]
	v_mfma_f32_16x16x16_f16 a[44:47], v[58:59], v[36:37], a[44:47]
	v_mfma_f32_16x16x16_f16 a[48:51], v[52:53], v[38:39], a[48:51]
	v_mfma_f32_16x16x16_f16 a[52:55], v[60:61], v[38:39], a[52:55]
	v_mfma_f32_16x16x16_f16 a[56:59], v[50:51], v[38:39], a[56:59]
	v_mfma_f32_16x16x16_f16 a[60:63], v[58:59], v[38:39], a[60:63]
	.loc	1 67 22                         ; kernels.py:67:22
	s_setprio 0
	.loc	1 70 25                         ; kernels.py:70:25
	s_waitcnt vmcnt(0)
	v_perm_b32 v23, v68, v64, s10
	v_perm_b32 v24, v68, v64, s11
	.loc	1 69 25                         ; kernels.py:69:25
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write2st64_b64 v8, v[40:41], v[44:45] offset1:8
	ds_write2st64_b64 v9, v[42:43], v[46:47] offset1:8
	.loc	1 70 25                         ; kernels.py:70:25
	ds_write2_b32 v10, v23, v24 offset1:16
	v_perm_b32 v23, v69, v65, s10
	v_perm_b32 v24, v69, v65, s11
	ds_write2_b32 v11, v23, v24 offset0:32 offset1:48
	v_perm_b32 v23, v70, v66, s10
	v_perm_b32 v24, v70, v66, s11
	.loc	1 67 22                         ; kernels.py:67:22
	s_add_i32 s12, s12, -1
	.loc	1 70 25                         ; kernels.py:70:25
	ds_write2_b32 v12, v23, v24 offset0:64 offset1:80
	v_perm_b32 v23, v71, v67, s10
	v_perm_b32 v24, v71, v67, s11
	.loc	1 67 22                         ; kernels.py:67:22
	v_add_u32_e32 v17, s16, v17
	v_add_u32_e32 v4, 64, v4
	s_cmp_lg_u32 s12, 0
	v_add_u32_e32 v2, 64, v2
	.loc	1 70 25                         ; kernels.py:70:25
	ds_write2_b32 v13, v23, v24 offset0:96 offset1:112
	.loc	1 67 22                         ; kernels.py:67:22
	s_cbranch_scc1 .LBB0_2
.LBB0_3:                                ; %._crit_edge
	.loc	1 74 29                         ; kernels.py:74:29
	s_andn2_b64 vcc, exec, vcc
	.loc	1 69 25                         ; kernels.py:69:25
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	1 74 29                         ; kernels.py:74:29
	s_cbranch_vccnz .LBB0_5
; %bb.4:
	.loc	1 69 25                         ; kernels.py:69:25
	v_and_b32_e32 v2, 24, v7
	.loc	1 70 25                         ; kernels.py:70:25
	v_and_b32_e32 v4, 0x408, v5
	v_xor_b32_e32 v4, v4, v2
	v_xor_b32_e32 v4, v4, v0
	v_add_u32_e32 v5, 0, v4
	v_accvgpr_read_b32 v64, a4
	ds_read2st64_b64 v[72:75], v5 offset0:16 offset1:24
	v_xad_u32 v5, v4, 32, 0
	v_accvgpr_read_b32 v65, a5
	v_accvgpr_read_b32 v66, a6
	v_accvgpr_read_b32 v67, a7
	ds_read2st64_b64 v[80:83], v5 offset0:16 offset1:24
	v_xad_u32 v5, v4, 16, 0
	v_xad_u32 v4, v4, 48, 0
	.loc	1 74 29                         ; kernels.py:74:29
	v_accvgpr_write_b32 a4, v64
	.loc	1 70 25                         ; kernels.py:70:25
	ds_read2st64_b64 v[84:87], v5 offset0:20 offset1:28
	.loc	1 74 29                         ; kernels.py:74:29
	v_accvgpr_write_b32 a5, v65
	v_accvgpr_write_b32 a6, v66
	v_accvgpr_write_b32 a7, v67
	.loc	1 70 25                         ; kernels.py:70:25
	ds_read2st64_b64 v[64:67], v4 offset0:20 offset1:28
	.loc	1 69 25                         ; kernels.py:69:25
	v_xor_b32_e32 v0, v0, v2
	v_accvgpr_read_b32 v40, a28
	v_lshl_or_b32 v0, v3, 3, v0
	v_accvgpr_read_b32 v41, a29
	v_accvgpr_read_b32 v42, a30
	v_accvgpr_read_b32 v43, a31
	v_add_u32_e32 v2, 0, v0
	.loc	1 74 29                         ; kernels.py:74:29
	v_accvgpr_write_b32 a28, v40
	.loc	1 69 25                         ; kernels.py:69:25
	ds_read2st64_b64 v[76:79], v2 offset1:4
	.loc	1 74 29                         ; kernels.py:74:29
	v_accvgpr_write_b32 a29, v41
	v_accvgpr_write_b32 a30, v42
	v_accvgpr_write_b32 a31, v43
	.loc	1 69 25                         ; kernels.py:69:25
	ds_read2st64_b64 v[40:43], v2 offset0:8 offset1:12
	v_accvgpr_read_b32 v68, a0
	v_accvgpr_read_b32 v60, a8
	v_accvgpr_read_b32 v56, a12
	v_accvgpr_read_b32 v52, a16
	v_accvgpr_read_b32 v48, a20
	v_accvgpr_read_b32 v44, a24
	v_accvgpr_read_b32 v36, a32
	v_accvgpr_read_b32 v35, a39
	v_accvgpr_read_b32 v31, a43
	v_accvgpr_read_b32 v27, a47
	v_accvgpr_read_b32 v23, a51
	v_accvgpr_read_b32 v19, a55
	v_accvgpr_read_b32 v15, a59
	v_accvgpr_read_b32 v11, a63
	v_accvgpr_read_b32 v69, a1
	v_accvgpr_read_b32 v70, a2
	v_accvgpr_read_b32 v71, a3
	v_accvgpr_read_b32 v61, a9
	v_accvgpr_read_b32 v62, a10
	v_accvgpr_read_b32 v63, a11
	v_accvgpr_read_b32 v57, a13
	v_accvgpr_read_b32 v58, a14
	v_accvgpr_read_b32 v59, a15
	v_accvgpr_read_b32 v53, a17
	v_accvgpr_read_b32 v54, a18
	v_accvgpr_read_b32 v55, a19
	v_accvgpr_read_b32 v49, a21
	v_accvgpr_read_b32 v50, a22
	v_accvgpr_read_b32 v51, a23
	v_accvgpr_read_b32 v45, a25
	v_accvgpr_read_b32 v46, a26
	v_accvgpr_read_b32 v47, a27
	v_accvgpr_read_b32 v37, a33
	v_accvgpr_read_b32 v38, a34
	v_accvgpr_read_b32 v39, a35
	v_accvgpr_read_b32 v32, a36
	v_accvgpr_read_b32 v33, a37
	v_accvgpr_read_b32 v34, a38
	v_accvgpr_read_b32 v28, a40
	v_accvgpr_read_b32 v29, a41
	v_accvgpr_read_b32 v30, a42
	v_accvgpr_read_b32 v24, a44
	v_accvgpr_read_b32 v25, a45
	v_accvgpr_read_b32 v26, a46
	v_accvgpr_read_b32 v20, a48
	v_accvgpr_read_b32 v21, a49
	v_accvgpr_read_b32 v22, a50
	v_accvgpr_read_b32 v16, a52
	v_accvgpr_read_b32 v17, a53
	v_accvgpr_read_b32 v18, a54
	v_accvgpr_read_b32 v12, a56
	v_accvgpr_read_b32 v13, a57
	v_accvgpr_read_b32 v14, a58
	v_accvgpr_read_b32 v8, a60
	v_accvgpr_read_b32 v9, a61
	v_accvgpr_read_b32 v10, a62
	v_xad_u32 v0, v0, 32, 0
	.loc	1 74 29                         ; kernels.py:74:29
	v_accvgpr_write_b32 a0, v68
	v_accvgpr_write_b32 a8, v60
	v_accvgpr_write_b32 a12, v56
	v_accvgpr_write_b32 a16, v52
	v_accvgpr_write_b32 a20, v48
	v_accvgpr_write_b32 a24, v44
	v_accvgpr_write_b32 a32, v36
	v_accvgpr_write_b32 a39, v35
	v_accvgpr_write_b32 a43, v31
	v_accvgpr_write_b32 a47, v27
	v_accvgpr_write_b32 a51, v23
	v_accvgpr_write_b32 a55, v19
	v_accvgpr_write_b32 a59, v15
	v_accvgpr_write_b32 a63, v11
	v_accvgpr_write_b32 a1, v69
	v_accvgpr_write_b32 a2, v70
	v_accvgpr_write_b32 a3, v71
	.loc	1 69 25                         ; kernels.py:69:25
	ds_read2st64_b64 v[68:71], v0 offset1:4
	.loc	1 74 29                         ; kernels.py:74:29
	v_accvgpr_write_b32 a9, v61
	v_accvgpr_write_b32 a10, v62
	v_accvgpr_write_b32 a11, v63
	v_accvgpr_write_b32 a13, v57
	v_accvgpr_write_b32 a14, v58
	v_accvgpr_write_b32 a15, v59
	v_accvgpr_write_b32 a17, v53
	v_accvgpr_write_b32 a18, v54
	v_accvgpr_write_b32 a19, v55
	v_accvgpr_write_b32 a21, v49
	v_accvgpr_write_b32 a22, v50
	v_accvgpr_write_b32 a23, v51
	v_accvgpr_write_b32 a25, v45
	v_accvgpr_write_b32 a26, v46
	v_accvgpr_write_b32 a27, v47
	v_accvgpr_write_b32 a33, v37
	v_accvgpr_write_b32 a34, v38
	v_accvgpr_write_b32 a35, v39
	.loc	1 69 25                         ; kernels.py:69:25
	ds_read2st64_b64 v[36:39], v0 offset0:8 offset1:12
	.loc	1 74 29                         ; kernels.py:74:29
	v_accvgpr_write_b32 a38, v34
	v_accvgpr_write_b32 a37, v33
	v_accvgpr_write_b32 a36, v32
	v_accvgpr_write_b32 a42, v30
	v_accvgpr_write_b32 a41, v29
	v_accvgpr_write_b32 a40, v28
	v_accvgpr_write_b32 a46, v26
	v_accvgpr_write_b32 a45, v25
	v_accvgpr_write_b32 a44, v24
	v_accvgpr_write_b32 a50, v22
	v_accvgpr_write_b32 a49, v21
	v_accvgpr_write_b32 a48, v20
	v_accvgpr_write_b32 a54, v18
	v_accvgpr_write_b32 a53, v17
	v_accvgpr_write_b32 a52, v16
	v_accvgpr_write_b32 a58, v14
	v_accvgpr_write_b32 a57, v13
	v_accvgpr_write_b32 a56, v12
	v_accvgpr_write_b32 a62, v10
	v_accvgpr_write_b32 a61, v9
	v_accvgpr_write_b32 a60, v8
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_16x16x16_f16 a[0:3], v[72:73], v[76:77], a[0:3]
	v_mfma_f32_16x16x16_f16 a[4:7], v[84:85], v[76:77], a[4:7]
	v_mfma_f32_16x16x16_f16 a[8:11], v[82:83], v[76:77], a[8:11]
	v_mfma_f32_16x16x16_f16 a[12:15], v[66:67], v[76:77], a[12:15]
	v_mfma_f32_16x16x16_f16 a[16:19], v[72:73], v[78:79], a[16:19]
	v_mfma_f32_16x16x16_f16 a[20:23], v[84:85], v[78:79], a[20:23]
	v_mfma_f32_16x16x16_f16 a[24:27], v[82:83], v[78:79], a[24:27]
	v_mfma_f32_16x16x16_f16 a[28:31], v[66:67], v[78:79], a[28:31]
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x16_f16 a[32:35], v[72:73], v[40:41], a[32:35]
	v_mfma_f32_16x16x16_f16 a[36:39], v[84:85], v[40:41], a[36:39]
	v_mfma_f32_16x16x16_f16 a[40:43], v[82:83], v[40:41], a[40:43]
	v_mfma_f32_16x16x16_f16 a[44:47], v[66:67], v[40:41], a[44:47]
	v_mfma_f32_16x16x16_f16 a[48:51], v[72:73], v[42:43], a[48:51]
	v_mfma_f32_16x16x16_f16 a[52:55], v[84:85], v[42:43], a[52:55]
	v_mfma_f32_16x16x16_f16 a[56:59], v[82:83], v[42:43], a[56:59]
	v_mfma_f32_16x16x16_f16 a[60:63], v[66:67], v[42:43], a[60:63]
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 a[0:3], v[80:81], v[68:69], a[0:3]
	v_mfma_f32_16x16x16_f16 a[4:7], v[64:65], v[68:69], a[4:7]
	v_mfma_f32_16x16x16_f16 a[8:11], v[74:75], v[68:69], a[8:11]
	v_mfma_f32_16x16x16_f16 a[12:15], v[86:87], v[68:69], a[12:15]
	v_mfma_f32_16x16x16_f16 a[16:19], v[80:81], v[70:71], a[16:19]
	v_mfma_f32_16x16x16_f16 a[20:23], v[64:65], v[70:71], a[20:23]
	v_mfma_f32_16x16x16_f16 a[24:27], v[74:75], v[70:71], a[24:27]
	v_mfma_f32_16x16x16_f16 a[28:31], v[86:87], v[70:71], a[28:31]
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x16_f16 a[32:35], v[80:81], v[36:37], a[32:35]
	v_mfma_f32_16x16x16_f16 a[36:39], v[64:65], v[36:37], a[36:39]
	v_mfma_f32_16x16x16_f16 a[40:43], v[74:75], v[36:37], a[40:43]
	v_mfma_f32_16x16x16_f16 a[44:47], v[86:87], v[36:37], a[44:47]
	v_mfma_f32_16x16x16_f16 a[48:51], v[80:81], v[38:39], a[48:51]
	v_mfma_f32_16x16x16_f16 a[52:55], v[64:65], v[38:39], a[52:55]
	v_mfma_f32_16x16x16_f16 a[56:59], v[74:75], v[38:39], a[56:59]
	v_mfma_f32_16x16x16_f16 a[60:63], v[86:87], v[38:39], a[60:63]
.LBB0_5:                                ; %._crit_edge._crit_edge
	.loc	1 61 33                         ; kernels.py:61:33
	v_lshrrev_b32_e32 v3, 3, v3
	v_or_b32_e32 v1, v3, v1
	.loc	1 67 22                         ; kernels.py:67:22
	v_accvgpr_read_b32 v0, a0
	v_accvgpr_read_b32 v2, a1
	v_accvgpr_read_b32 v4, a2
	v_accvgpr_read_b32 v5, a3
	.loc	1 61 20                         ; kernels.py:61:20
	v_or_b32_e32 v3, s14, v1
	v_or_b32_e32 v74, 0x60, v3
	v_or_b32_e32 v75, 64, v3
	v_or_b32_e32 v76, 32, v3
	.loc	1 79 13                         ; kernels.py:79:13
	s_mul_i32 s0, s14, s13
	.loc	1 79 33 is_stmt 0               ; kernels.py:79:33
	v_mul_lo_u32 v77, s13, v1
	s_lshl_b32 s1, s13, 5
	.loc	1 80 65 is_stmt 1               ; kernels.py:80:65
	v_cmp_gt_i32_e64 s[12:13], s8, v3
	.loc	1 80 24 is_stmt 0               ; kernels.py:80:24
	v_cvt_f16_f32_e32 v0, v0
	v_cvt_f16_f32_e32 v2, v2
	v_cvt_f16_f32_e32 v1, v4
	v_cvt_f16_f32_e32 v3, v5
	.loc	1 61 33 is_stmt 1               ; kernels.py:61:33
	v_and_b32_e32 v6, 28, v6
	.loc	1 67 22                         ; kernels.py:67:22
	v_accvgpr_read_b32 v7, a4
	v_accvgpr_read_b32 v8, a5
	v_accvgpr_read_b32 v9, a6
	v_accvgpr_read_b32 v10, a7
	.loc	1 61 33                         ; kernels.py:61:33
	v_or_b32_e32 v67, 0x60, v6
	v_or_b32_e32 v69, 64, v6
	v_or_b32_e32 v71, 32, v6
	.loc	1 62 20                         ; kernels.py:62:20
	v_or_b32_e32 v73, s15, v6
	.loc	1 79 33                         ; kernels.py:79:33
	v_add_u32_e32 v78, s1, v77
	s_add_i32 s0, s0, s15
	.loc	1 62 20                         ; kernels.py:62:20
	v_or_b32_e32 v68, s15, v67
	v_or_b32_e32 v70, s15, v69
	v_or_b32_e32 v72, s15, v71
	.loc	1 79 33                         ; kernels.py:79:33
	v_add_u32_e32 v79, s1, v78
	v_or_b32_e32 v6, s0, v6
	.loc	1 80 85                         ; kernels.py:80:85
	v_cmp_gt_i32_e64 s[6:7], s9, v73
	.loc	1 80 24 is_stmt 0               ; kernels.py:80:24
	v_cvt_f16_f32_e32 v4, v7
	v_cvt_f16_f32_e32 v5, v8
	v_cvt_f16_f32_e32 v7, v9
	v_cvt_f16_f32_e32 v8, v10
	.loc	1 67 22 is_stmt 1               ; kernels.py:67:22
	v_accvgpr_read_b32 v11, a8
	v_accvgpr_read_b32 v12, a9
	v_accvgpr_read_b32 v13, a10
	v_accvgpr_read_b32 v14, a11
	.loc	1 79 33                         ; kernels.py:79:33
	v_add_u32_e32 v80, s1, v79
	v_or_b32_e32 v71, s0, v71
	v_or_b32_e32 v69, s0, v69
	v_or_b32_e32 v67, s0, v67
	.loc	1 80 65                         ; kernels.py:80:65
	v_cmp_gt_i32_e64 s[10:11], s8, v76
	v_cmp_gt_i32_e64 s[14:15], s8, v75
	v_cmp_gt_i32_e32 vcc, s8, v74
	.loc	1 80 85 is_stmt 0               ; kernels.py:80:85
	v_cmp_gt_i32_e64 s[4:5], s9, v72
	v_cmp_gt_i32_e64 s[2:3], s9, v70
	v_cmp_gt_i32_e64 s[0:1], s9, v68
	.loc	1 80 17                         ; kernels.py:80:17
	v_pack_b32_f16 v1, v1, v3
	v_pack_b32_f16 v0, v0, v2
	v_add_lshl_u32 v2, v6, v77, 1
	v_bfrev_b32_e32 v3, 1
	.loc	1 80 71                         ; kernels.py:80:71
	s_and_b64 s[8:9], s[12:13], s[6:7]
	.loc	1 80 24                         ; kernels.py:80:24
	v_cvt_f16_f32_e32 v9, v11
	v_cvt_f16_f32_e32 v10, v12
	v_cvt_f16_f32_e32 v11, v13
	v_cvt_f16_f32_e32 v12, v14
	.loc	1 80 17                         ; kernels.py:80:17
	s_and_b32 s21, s21, 0xffff
	s_mov_b32 s23, 0x27000
	s_mov_b32 s22, 0x7ffffffe
	v_cndmask_b32_e64 v2, v3, v2, s[8:9]
	.loc	1 67 22 is_stmt 1               ; kernels.py:67:22
	v_accvgpr_read_b32 v15, a12
	v_accvgpr_read_b32 v16, a13
	v_accvgpr_read_b32 v17, a14
	v_accvgpr_read_b32 v18, a15
	.loc	1 80 17                         ; kernels.py:80:17
	buffer_store_dwordx2 v[0:1], v2, s[20:23], 0 offen
	v_add_lshl_u32 v2, v71, v77, 1
	.loc	1 80 71 is_stmt 0               ; kernels.py:80:71
	s_and_b64 s[8:9], s[12:13], s[4:5]
	.loc	1 80 24                         ; kernels.py:80:24
	v_cvt_f16_f32_e32 v13, v15
	v_cvt_f16_f32_e32 v14, v16
	v_cvt_f16_f32_e32 v15, v17
	v_cvt_f16_f32_e32 v16, v18
	.loc	1 80 17                         ; kernels.py:80:17
	v_pack_b32_f16 v1, v7, v8
	v_pack_b32_f16 v0, v4, v5
	v_cndmask_b32_e64 v2, v3, v2, s[8:9]
	.loc	1 67 22 is_stmt 1               ; kernels.py:67:22
	v_accvgpr_read_b32 v19, a16
	v_accvgpr_read_b32 v20, a17
	v_accvgpr_read_b32 v21, a18
	v_accvgpr_read_b32 v22, a19
	.loc	1 80 17                         ; kernels.py:80:17
	buffer_store_dwordx2 v[0:1], v2, s[20:23], 0 offen
	v_add_lshl_u32 v2, v69, v77, 1
	.loc	1 80 71 is_stmt 0               ; kernels.py:80:71
	s_and_b64 s[8:9], s[12:13], s[2:3]
	.loc	1 80 24                         ; kernels.py:80:24
	v_cvt_f16_f32_e32 v17, v19
	v_cvt_f16_f32_e32 v18, v20
	v_cvt_f16_f32_e32 v19, v21
	v_cvt_f16_f32_e32 v20, v22
	.loc	1 80 17                         ; kernels.py:80:17
	v_pack_b32_f16 v1, v11, v12
	v_pack_b32_f16 v0, v9, v10
	v_cndmask_b32_e64 v2, v3, v2, s[8:9]
	.loc	1 67 22 is_stmt 1               ; kernels.py:67:22
	v_accvgpr_read_b32 v23, a20
	v_accvgpr_read_b32 v24, a21
	v_accvgpr_read_b32 v25, a22
	v_accvgpr_read_b32 v26, a23
	.loc	1 80 17                         ; kernels.py:80:17
	buffer_store_dwordx2 v[0:1], v2, s[20:23], 0 offen
	v_add_lshl_u32 v2, v67, v77, 1
	.loc	1 80 71 is_stmt 0               ; kernels.py:80:71
	s_and_b64 s[8:9], s[12:13], s[0:1]
	.loc	1 80 24                         ; kernels.py:80:24
	v_cvt_f16_f32_e32 v21, v23
	v_cvt_f16_f32_e32 v22, v24
	v_cvt_f16_f32_e32 v23, v25
	v_cvt_f16_f32_e32 v24, v26
	.loc	1 80 17                         ; kernels.py:80:17
	v_pack_b32_f16 v1, v15, v16
	v_pack_b32_f16 v0, v13, v14
	v_cndmask_b32_e64 v2, v3, v2, s[8:9]
	.loc	1 67 22 is_stmt 1               ; kernels.py:67:22
	v_accvgpr_read_b32 v27, a24
	v_accvgpr_read_b32 v28, a25
	v_accvgpr_read_b32 v29, a26
	v_accvgpr_read_b32 v30, a27
	.loc	1 80 17                         ; kernels.py:80:17
	buffer_store_dwordx2 v[0:1], v2, s[20:23], 0 offen
	v_add_lshl_u32 v2, v6, v78, 1
	.loc	1 80 71 is_stmt 0               ; kernels.py:80:71
	s_and_b64 s[8:9], s[10:11], s[6:7]
	.loc	1 80 24                         ; kernels.py:80:24
	v_cvt_f16_f32_e32 v25, v27
	v_cvt_f16_f32_e32 v26, v28
	v_cvt_f16_f32_e32 v27, v29
	v_cvt_f16_f32_e32 v28, v30
	.loc	1 80 17                         ; kernels.py:80:17
	v_pack_b32_f16 v1, v19, v20
	v_pack_b32_f16 v0, v17, v18
	v_cndmask_b32_e64 v2, v3, v2, s[8:9]
	.loc	1 67 22 is_stmt 1               ; kernels.py:67:22
	v_accvgpr_read_b32 v31, a28
	v_accvgpr_read_b32 v32, a29
	v_accvgpr_read_b32 v33, a30
	v_accvgpr_read_b32 v34, a31
	.loc	1 80 17                         ; kernels.py:80:17
	buffer_store_dwordx2 v[0:1], v2, s[20:23], 0 offen
	v_add_lshl_u32 v2, v71, v78, 1
	.loc	1 80 71 is_stmt 0               ; kernels.py:80:71
	s_and_b64 s[8:9], s[10:11], s[4:5]
	.loc	1 80 24                         ; kernels.py:80:24
	v_cvt_f16_f32_e32 v29, v31
	v_cvt_f16_f32_e32 v30, v32
	v_cvt_f16_f32_e32 v31, v33
	v_cvt_f16_f32_e32 v32, v34
	.loc	1 80 17                         ; kernels.py:80:17
	v_pack_b32_f16 v1, v23, v24
	v_pack_b32_f16 v0, v21, v22
	v_cndmask_b32_e64 v2, v3, v2, s[8:9]
	.loc	1 67 22 is_stmt 1               ; kernels.py:67:22
	v_accvgpr_read_b32 v35, a32
	v_accvgpr_read_b32 v36, a33
	v_accvgpr_read_b32 v37, a34
	v_accvgpr_read_b32 v38, a35
	.loc	1 80 17                         ; kernels.py:80:17
	buffer_store_dwordx2 v[0:1], v2, s[20:23], 0 offen
	v_add_lshl_u32 v2, v69, v78, 1
	.loc	1 80 71 is_stmt 0               ; kernels.py:80:71
	s_and_b64 s[8:9], s[10:11], s[2:3]
	.loc	1 80 24                         ; kernels.py:80:24
	v_cvt_f16_f32_e32 v33, v35
	v_cvt_f16_f32_e32 v34, v36
	v_cvt_f16_f32_e32 v35, v37
	v_cvt_f16_f32_e32 v36, v38
	.loc	1 80 17                         ; kernels.py:80:17
	v_pack_b32_f16 v1, v27, v28
	v_pack_b32_f16 v0, v25, v26
	v_cndmask_b32_e64 v2, v3, v2, s[8:9]
	.loc	1 67 22 is_stmt 1               ; kernels.py:67:22
	v_accvgpr_read_b32 v39, a36
	v_accvgpr_read_b32 v40, a37
	v_accvgpr_read_b32 v41, a38
	v_accvgpr_read_b32 v42, a39
	.loc	1 80 17                         ; kernels.py:80:17
	buffer_store_dwordx2 v[0:1], v2, s[20:23], 0 offen
	v_add_lshl_u32 v2, v67, v78, 1
	.loc	1 80 71 is_stmt 0               ; kernels.py:80:71
	s_and_b64 s[8:9], s[10:11], s[0:1]
	.loc	1 80 24                         ; kernels.py:80:24
	v_cvt_f16_f32_e32 v37, v39
	v_cvt_f16_f32_e32 v38, v40
	v_cvt_f16_f32_e32 v39, v41
	v_cvt_f16_f32_e32 v40, v42
	.loc	1 80 17                         ; kernels.py:80:17
	v_pack_b32_f16 v1, v31, v32
	v_pack_b32_f16 v0, v29, v30
	v_cndmask_b32_e64 v2, v3, v2, s[8:9]
	.loc	1 67 22 is_stmt 1               ; kernels.py:67:22
	v_accvgpr_read_b32 v43, a40
	v_accvgpr_read_b32 v44, a41
	v_accvgpr_read_b32 v45, a42
	v_accvgpr_read_b32 v46, a43
	.loc	1 80 17                         ; kernels.py:80:17
	buffer_store_dwordx2 v[0:1], v2, s[20:23], 0 offen
	v_add_lshl_u32 v2, v6, v79, 1
	.loc	1 80 71 is_stmt 0               ; kernels.py:80:71
	s_and_b64 s[8:9], s[14:15], s[6:7]
	.loc	1 80 24                         ; kernels.py:80:24
	v_cvt_f16_f32_e32 v41, v43
	v_cvt_f16_f32_e32 v42, v44
	v_cvt_f16_f32_e32 v43, v45
	v_cvt_f16_f32_e32 v44, v46
	.loc	1 80 17                         ; kernels.py:80:17
	v_pack_b32_f16 v1, v35, v36
	v_pack_b32_f16 v0, v33, v34
	v_cndmask_b32_e64 v2, v3, v2, s[8:9]
	.loc	1 67 22 is_stmt 1               ; kernels.py:67:22
	v_accvgpr_read_b32 v47, a44
	v_accvgpr_read_b32 v48, a45
	v_accvgpr_read_b32 v49, a46
	v_accvgpr_read_b32 v50, a47
	.loc	1 80 17                         ; kernels.py:80:17
	buffer_store_dwordx2 v[0:1], v2, s[20:23], 0 offen
	v_add_lshl_u32 v2, v71, v79, 1
	.loc	1 80 71 is_stmt 0               ; kernels.py:80:71
	s_and_b64 s[8:9], s[14:15], s[4:5]
	.loc	1 80 24                         ; kernels.py:80:24
	v_cvt_f16_f32_e32 v45, v47
	v_cvt_f16_f32_e32 v46, v48
	v_cvt_f16_f32_e32 v47, v49
	v_cvt_f16_f32_e32 v48, v50
	.loc	1 80 17                         ; kernels.py:80:17
	v_pack_b32_f16 v1, v39, v40
	v_pack_b32_f16 v0, v37, v38
	v_cndmask_b32_e64 v2, v3, v2, s[8:9]
	.loc	1 67 22 is_stmt 1               ; kernels.py:67:22
	v_accvgpr_read_b32 v51, a48
	v_accvgpr_read_b32 v52, a49
	v_accvgpr_read_b32 v53, a50
	v_accvgpr_read_b32 v54, a51
	.loc	1 80 17                         ; kernels.py:80:17
	buffer_store_dwordx2 v[0:1], v2, s[20:23], 0 offen
	v_add_lshl_u32 v2, v69, v79, 1
	.loc	1 80 71 is_stmt 0               ; kernels.py:80:71
	s_and_b64 s[8:9], s[14:15], s[2:3]
	.loc	1 80 24                         ; kernels.py:80:24
	v_cvt_f16_f32_e32 v49, v51
	v_cvt_f16_f32_e32 v50, v52
	v_cvt_f16_f32_e32 v51, v53
	v_cvt_f16_f32_e32 v52, v54
	.loc	1 80 17                         ; kernels.py:80:17
	v_pack_b32_f16 v1, v43, v44
	v_pack_b32_f16 v0, v41, v42
	v_cndmask_b32_e64 v2, v3, v2, s[8:9]
	.loc	1 67 22 is_stmt 1               ; kernels.py:67:22
	v_accvgpr_read_b32 v55, a52
	v_accvgpr_read_b32 v56, a53
	v_accvgpr_read_b32 v57, a54
	v_accvgpr_read_b32 v58, a55
	.loc	1 80 17                         ; kernels.py:80:17
	buffer_store_dwordx2 v[0:1], v2, s[20:23], 0 offen
	v_add_lshl_u32 v2, v67, v79, 1
	.loc	1 80 71 is_stmt 0               ; kernels.py:80:71
	s_and_b64 s[8:9], s[14:15], s[0:1]
	.loc	1 80 24                         ; kernels.py:80:24
	v_cvt_f16_f32_e32 v53, v55
	v_cvt_f16_f32_e32 v54, v56
	v_cvt_f16_f32_e32 v55, v57
	v_cvt_f16_f32_e32 v56, v58
	.loc	1 80 17                         ; kernels.py:80:17
	v_pack_b32_f16 v1, v47, v48
	v_pack_b32_f16 v0, v45, v46
	v_cndmask_b32_e64 v2, v3, v2, s[8:9]
	.loc	1 67 22 is_stmt 1               ; kernels.py:67:22
	v_accvgpr_read_b32 v59, a56
	v_accvgpr_read_b32 v60, a57
	v_accvgpr_read_b32 v61, a58
	v_accvgpr_read_b32 v62, a59
	.loc	1 80 17                         ; kernels.py:80:17
	buffer_store_dwordx2 v[0:1], v2, s[20:23], 0 offen
	v_add_lshl_u32 v2, v6, v80, 1
	.loc	1 80 71 is_stmt 0               ; kernels.py:80:71
	s_and_b64 s[6:7], vcc, s[6:7]
	.loc	1 80 24                         ; kernels.py:80:24
	v_cvt_f16_f32_e32 v57, v59
	v_cvt_f16_f32_e32 v58, v60
	v_cvt_f16_f32_e32 v59, v61
	v_cvt_f16_f32_e32 v60, v62
	.loc	1 80 17                         ; kernels.py:80:17
	v_pack_b32_f16 v1, v51, v52
	v_pack_b32_f16 v0, v49, v50
	v_cndmask_b32_e64 v2, v3, v2, s[6:7]
	.loc	1 67 22 is_stmt 1               ; kernels.py:67:22
	v_accvgpr_read_b32 v63, a60
	v_accvgpr_read_b32 v64, a61
	v_accvgpr_read_b32 v65, a62
	v_accvgpr_read_b32 v66, a63
	.loc	1 80 17                         ; kernels.py:80:17
	buffer_store_dwordx2 v[0:1], v2, s[20:23], 0 offen
	v_add_lshl_u32 v2, v71, v80, 1
	.loc	1 80 71 is_stmt 0               ; kernels.py:80:71
	s_and_b64 s[4:5], vcc, s[4:5]
	.loc	1 80 24                         ; kernels.py:80:24
	v_cvt_f16_f32_e32 v61, v63
	v_cvt_f16_f32_e32 v62, v64
	v_cvt_f16_f32_e32 v63, v65
	v_cvt_f16_f32_e32 v64, v66
	.loc	1 80 17                         ; kernels.py:80:17
	v_pack_b32_f16 v1, v55, v56
	v_pack_b32_f16 v0, v53, v54
	v_cndmask_b32_e64 v2, v3, v2, s[4:5]
	buffer_store_dwordx2 v[0:1], v2, s[20:23], 0 offen
	v_add_lshl_u32 v2, v69, v80, 1
	.loc	1 80 71                         ; kernels.py:80:71
	s_and_b64 s[2:3], vcc, s[2:3]
	.loc	1 80 17                         ; kernels.py:80:17
	v_pack_b32_f16 v1, v59, v60
	v_pack_b32_f16 v0, v57, v58
	v_cndmask_b32_e64 v2, v3, v2, s[2:3]
	buffer_store_dwordx2 v[0:1], v2, s[20:23], 0 offen
	v_add_lshl_u32 v2, v67, v80, 1
	.loc	1 80 71                         ; kernels.py:80:71
	s_and_b64 vcc, vcc, s[0:1]
	.loc	1 80 17                         ; kernels.py:80:17
	v_pack_b32_f16 v1, v63, v64
	v_pack_b32_f16 v0, v61, v62
	v_cndmask_b32_e32 v2, v3, v2, vcc
	buffer_store_dwordx2 v[0:1], v2, s[20:23], 0 offen
	.loc	1 80 4                          ; kernels.py:80:4
	s_endpgm
.Ltmp15:
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel gemm
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 64
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
		.amdhsa_next_free_vgpr 152
		.amdhsa_next_free_sgpr 24
		.amdhsa_accum_offset 88
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
	.size	gemm, .Lfunc_end0-gemm
	.cfi_endproc
                                        ; -- End function
	.set gemm.num_vgpr, 88
	.set gemm.num_agpr, 64
	.set gemm.numbered_sgpr, 24
	.set gemm.num_named_barrier, 0
	.set gemm.private_seg_size, 0
	.set gemm.uses_vcc, 1
	.set gemm.uses_flat_scratch, 0
	.set gemm.has_dyn_sized_stack, 0
	.set gemm.has_recursion, 0
	.set gemm.has_indirect_call, 0
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 6200
; TotalNumSgprs: 30
; NumVgprs: 88
; NumAgprs: 64
; TotalNumVgprs: 152
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 0 bytes/workgroup (compile time only)
; SGPRBlocks: 3
; VGPRBlocks: 18
; NumSGPRsForWavesPerEU: 30
; NumVGPRsForWavesPerEU: 152
; AccumOffset: 88
; Occupancy: 3
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 16
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
; COMPUTE_PGM_RSRC3_GFX90A:ACCUM_OFFSET: 21
; COMPUTE_PGM_RSRC3_GFX90A:TG_SPLIT: 0
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
	.byte	0                               ; DW_CHILDREN_no
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
	.byte	1                               ; Abbrev [1] 0xb:0x64 DW_TAG_compile_unit
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
	.byte	3                               ; Abbrev [3] 0x30:0x3e DW_TAG_subprogram
	.quad	.Lfunc_begin0                   ; DW_AT_low_pc
	.long	.Lfunc_end0-.Lfunc_begin0       ; DW_AT_high_pc
	.long	42                              ; DW_AT_abstract_origin
	.byte	4                               ; Abbrev [4] 0x41:0x14 DW_TAG_inlined_subroutine
	.long	42                              ; DW_AT_abstract_origin
	.quad	.Ltmp1                          ; DW_AT_low_pc
	.long	.Ltmp2-.Ltmp1                   ; DW_AT_high_pc
	.byte	1                               ; DW_AT_call_file
	.byte	54                              ; DW_AT_call_line
	.byte	21                              ; DW_AT_call_column
	.byte	5                               ; Abbrev [5] 0x55:0xc DW_TAG_inlined_subroutine
	.long	42                              ; DW_AT_abstract_origin
	.long	.Ldebug_ranges0                 ; DW_AT_ranges
	.byte	1                               ; DW_AT_call_file
	.byte	53                              ; DW_AT_call_line
	.byte	21                              ; DW_AT_call_column
	.byte	5                               ; Abbrev [5] 0x61:0xc DW_TAG_inlined_subroutine
	.long	42                              ; DW_AT_abstract_origin
	.long	.Ldebug_ranges1                 ; DW_AT_ranges
	.byte	1                               ; DW_AT_call_file
	.byte	67                              ; DW_AT_call_line
	.byte	33                              ; DW_AT_call_column
	.byte	0                               ; End Of Children Mark
	.byte	0                               ; End Of Children Mark
.Ldebug_info_end0:
	.section	.debug_ranges,"",@progbits
.Ldebug_ranges0:
	.quad	.Ltmp3-.Lfunc_begin0
	.quad	.Ltmp4-.Lfunc_begin0
	.quad	.Ltmp5-.Lfunc_begin0
	.quad	.Ltmp6-.Lfunc_begin0
	.quad	.Ltmp7-.Lfunc_begin0
	.quad	.Ltmp8-.Lfunc_begin0
	.quad	.Ltmp9-.Lfunc_begin0
	.quad	.Ltmp10-.Lfunc_begin0
	.quad	0
	.quad	0
.Ldebug_ranges1:
	.quad	.Ltmp11-.Lfunc_begin0
	.quad	.Ltmp12-.Lfunc_begin0
	.quad	.Ltmp13-.Lfunc_begin0
	.quad	.Ltmp14-.Lfunc_begin0
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
	.asciz	"gemm"                          ; string offset=38
	.section	".note.GNU-stack","",@progbits
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     64
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
      - .offset:         24
        .size:           4
        .value_kind:     by_value
      - .offset:         28
        .size:           4
        .value_kind:     by_value
      - .offset:         32
        .size:           4
        .value_kind:     by_value
      - .offset:         36
        .size:           4
        .value_kind:     by_value
      - .offset:         40
        .size:           4
        .value_kind:     by_value
      - .offset:         44
        .size:           4
        .value_kind:     by_value
      - .address_space:  global
        .offset:         48
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         56
        .size:           8
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 64
    .max_flat_workgroup_size: 256
    .name:           gemm
    .private_segment_fixed_size: 0
    .sgpr_count:     30
    .sgpr_spill_count: 0
    .symbol:         gemm.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     152
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
