; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What Triton 3.6.0 makes of this project's own attention kernel (f16, 200 tokens, heads of 64) for gfx942, as it printed it.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 5
	.text
	.globl	attn_fwd                        ; -- Begin function attn_fwd
	.p2align	8
	.type	attn_fwd,@function
attn_fwd:                               ; @attn_fwd
.Lfunc_begin0:
	.file	1 "/kiln/corpus/source" "kernels.py"
	.loc	1 121 0 prologue_end            ; kernels.py:121:0
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	s_load_dwordx8 s[4:11], s[0:1], 0x8
	s_load_dwordx4 s[12:15], s[0:1], 0x28
	s_waitcnt lgkmcnt(0)
	s_branch .LBB0_0
	.loc	1 0 0 is_stmt 0                 ; :0:0
.Ltmp0:
	.p2align	8
.LBB0_0:
	s_load_dword s33, s[0:1], 0x3c
	s_mov_b64 s[20:21], s[2:3]
.Ltmp1:
	.loc	1 125 14 is_stmt 1              ; kernels.py:125:14
	s_lshl_b32 s78, s16, 7
	.loc	1 125 32 is_stmt 0              ; kernels.py:125:32
	v_lshrrev_b32_e32 v69, 3, v0
	.loc	1 128 25 is_stmt 1              ; kernels.py:128:25
	s_mul_i32 s2, s12, s17
	.loc	1 128 31 is_stmt 0              ; kernels.py:128:31
	s_lshl_b32 s16, s16, 13
	.loc	1 128 52                        ; kernels.py:128:52
	v_lshlrev_b32_e32 v6, 3, v0
	.loc	1 125 32 is_stmt 1              ; kernels.py:125:32
	v_or_b32_e32 v1, 32, v69
	.loc	1 125 19 is_stmt 0              ; kernels.py:125:19
	v_or_b32_e32 v4, s78, v69
	.loc	1 128 52 is_stmt 1              ; kernels.py:128:52
	v_and_b32_e32 v7, 56, v6
	.loc	1 128 49 is_stmt 0              ; kernels.py:128:49
	s_add_i32 s2, s2, s16
	.loc	1 125 19 is_stmt 1              ; kernels.py:125:19
	v_or_b32_e32 v5, s78, v1
	.loc	1 128 49                        ; kernels.py:128:49
	v_lshl_or_b32 v1, v1, 6, v7
	.loc	1 128 17 is_stmt 0              ; kernels.py:128:17
	v_add_lshl_u32 v6, s2, v6, 1
	v_bfrev_b32_e32 v70, 1
	.loc	1 128 81                        ; kernels.py:128:81
	s_waitcnt lgkmcnt(0)
	v_cmp_gt_i32_e32 vcc, s33, v4
	.loc	1 125 32 is_stmt 1              ; kernels.py:125:32
	v_or_b32_e32 v2, 64, v69
	.loc	1 128 17                        ; kernels.py:128:17
	v_add_lshl_u32 v1, s2, v1, 1
	v_cndmask_b32_e32 v14, v70, v6, vcc
	.loc	1 128 81 is_stmt 0              ; kernels.py:128:81
	v_cmp_gt_i32_e32 vcc, s33, v5
	.loc	1 125 32 is_stmt 1              ; kernels.py:125:32
	v_or_b32_e32 v3, 0x60, v69
	.loc	1 125 19 is_stmt 0              ; kernels.py:125:19
	v_or_b32_e32 v12, s78, v2
	.loc	1 128 49 is_stmt 1              ; kernels.py:128:49
	v_lshl_or_b32 v2, v2, 6, v7
	.loc	1 128 17 is_stmt 0              ; kernels.py:128:17
	s_and_b32 s21, s21, 0xffff
	s_mov_b32 s23, 0x27000
	s_mov_b32 s22, 0x7ffffffe
	v_cndmask_b32_e32 v1, v70, v1, vcc
	.loc	1 125 19 is_stmt 1              ; kernels.py:125:19
	v_or_b32_e32 v13, s78, v3
	.loc	1 128 49                        ; kernels.py:128:49
	v_lshl_or_b32 v3, v3, 6, v7
	.loc	1 128 17 is_stmt 0              ; kernels.py:128:17
	buffer_load_dwordx4 v[4:7], v14, s[20:23], 0 offen
	buffer_load_dwordx4 v[8:11], v1, s[20:23], 0 offen
	v_add_lshl_u32 v1, v2, s2, 1
	.loc	1 128 81                        ; kernels.py:128:81
	v_cmp_gt_i32_e32 vcc, s33, v12
	.loc	1 128 17                        ; kernels.py:128:17
	v_add_lshl_u32 v2, v3, s2, 1
	v_lshlrev_b32_e32 v3, 4, v0
	v_cndmask_b32_e32 v1, v70, v1, vcc
	.loc	1 128 81                        ; kernels.py:128:81
	v_cmp_gt_i32_e32 vcc, s33, v13
	.loc	1 128 17                        ; kernels.py:128:17
	v_and_b32_e32 v20, 0x78, v0
	v_xor_b32_e32 v3, v3, v20
	v_cndmask_b32_e32 v2, v70, v2, vcc
	buffer_load_dwordx4 v[12:15], v1, s[20:23], 0 offen
	buffer_load_dwordx4 v[16:19], v2, s[20:23], 0 offen
	.loc	1 126 22 is_stmt 1              ; kernels.py:126:22
	v_and_b32_e32 v2, 32, v0
	.loc	1 128 17                        ; kernels.py:128:17
	v_add_u32_e32 v71, 0, v3
	v_xor_b32_e32 v3, 8, v3
	s_mov_b64 s[76:77], s[10:11]
	s_mov_b32 s79, 0
	.loc	1 125 32                        ; kernels.py:125:32
	v_and_b32_e32 v1, 31, v0
	v_and_b32_e32 v66, 0xc0, v0
	.loc	1 126 22                        ; kernels.py:126:22
	v_lshrrev_b32_e32 v67, 3, v2
	.loc	1 128 17                        ; kernels.py:128:17
	v_add_u32_e32 v72, 0, v3
	.loc	1 135 26                        ; kernels.py:135:26
	s_cmp_lt_i32 s33, 1
	.loc	1 128 17                        ; kernels.py:128:17
	s_waitcnt vmcnt(2)
	ds_write2st64_b64 v71, v[4:5], v[8:9] offset1:8
	s_waitcnt vmcnt(0)
	ds_write2st64_b64 v71, v[12:13], v[16:17] offset0:16 offset1:24
	ds_write2st64_b64 v72, v[6:7], v[10:11] offset1:8
	ds_write2st64_b64 v72, v[14:15], v[18:19] offset0:16 offset1:24
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	1 135 26                        ; kernels.py:135:26
	s_cbranch_scc1 .LBB0_3
	.loc	1 128 17                        ; kernels.py:128:17
	v_and_b32_e32 v6, 15, v0
	v_lshlrev_b32_e32 v7, 3, v6
	v_lshrrev_b32_e32 v2, 2, v2
	v_lshlrev_b32_e32 v4, 7, v1
	v_lshlrev_b32_e32 v5, 6, v66
	v_xor_b32_e32 v8, v7, v2
	s_load_dword s2, s[0:1], 0x40
	v_or3_b32 v5, v8, v5, v4
	v_add_u32_e32 v8, 0, v5
	v_xad_u32 v9, v5, 16, 0
	v_xad_u32 v10, v5, 32, 0
	v_xad_u32 v11, v5, 48, 0
	ds_read_b64 v[34:35], v8
	ds_read_b64 v[36:37], v9
	ds_read_b64 v[38:39], v10
	ds_read_b64 v[40:41], v11
	v_xad_u32 v8, v5, 64, 0
	v_xor_b32_e32 v9, 0x50, v5
	v_xor_b32_e32 v10, 0x60, v5
	v_xor_b32_e32 v5, 0x70, v5
	v_add_u32_e32 v5, 0, v5
	v_lshlrev_b32_e32 v12, 2, v0
	v_and_b32_e32 v3, 0xf8, v0
	v_add_u32_e32 v9, 0, v9
	v_add_u32_e32 v10, 0, v10
	ds_read_b64 v[42:43], v8
	ds_read_b64 v[44:45], v9
	ds_read_b64 v[46:47], v10
	ds_read_b64 v[48:49], v5
	.loc	1 138 38                        ; kernels.py:138:38
	v_mov_b32_e32 v5, 0x3fb8aa3b
	v_xor_b32_e32 v76, 0x80, v12
	v_and_b32_e32 v12, 6, v0
	s_waitcnt lgkmcnt(0)
	v_mul_f32_e32 v74, s2, v5
	v_lshlrev_b32_e32 v13, 2, v12
	v_lshrrev_b32_e32 v14, 1, v3
	v_bfe_i32 v15, v0, 0, 1
	v_bfe_i32 v19, v0, 4, 1
	.loc	1 135 26                        ; kernels.py:135:26
	s_mul_i32 s2, s17, s14
	v_and_b32_e32 v25, 7, v0
	v_and_b32_e32 v15, 0x440, v15
	v_xor_b32_e32 v13, v13, v14
	v_and_b32_e32 v19, 0x808, v19
	v_mul_u32_u24_e32 v6, 0x88, v6
	s_lshl_b32 s2, s2, 1
	v_lshlrev_b32_e32 v24, 8, v69
	v_lshlrev_b32_e32 v25, 4, v25
	v_or_b32_e32 v4, v4, v7
	v_xor_b32_e32 v13, v13, v15
	v_xor_b32_e32 v6, v6, v19
	v_add3_u32 v79, s2, v24, v25
	s_mul_i32 s2, s17, s13
	v_xor_b32_e32 v75, v4, v2
	v_lshl_or_b32 v77, v12, 10, v13
	v_xor_b32_e32 v78, v6, v2
	s_lshl_b32 s2, s2, 1
	s_mov_b64 s[80:81], s[6:7]
	.loc	1 126 22                        ; kernels.py:126:22
	v_lshrrev_b32_e32 v73, 2, v3
	v_xor_b32_e32 v4, 16, v75
	v_xor_b32_e32 v5, 32, v75
	v_xor_b32_e32 v7, 48, v75
	v_xor_b32_e32 v8, 64, v75
	v_xor_b32_e32 v9, 0x50, v75
	v_xor_b32_e32 v10, 0x60, v75
	v_xor_b32_e32 v11, 0x70, v75
	v_xor_b32_e32 v12, 8, v77
	v_xor_b32_e32 v13, 16, v77
	v_xor_b32_e32 v14, 24, v77
	v_xor_b32_e32 v15, 32, v77
	v_xor_b32_e32 v16, 40, v77
	v_xor_b32_e32 v17, 48, v77
	v_xor_b32_e32 v18, 56, v77
	v_xor_b32_e32 v2, 16, v78
	v_xor_b32_e32 v6, 32, v78
	v_xor_b32_e32 v19, 48, v78
	v_xor_b32_e32 v20, 64, v78
	v_xor_b32_e32 v21, 0x50, v78
	v_xor_b32_e32 v22, 0x60, v78
	v_xor_b32_e32 v23, 0x70, v78
	.loc	1 135 26                        ; kernels.py:135:26
	v_lshl_add_u32 v3, v3, 4, s2
	s_movk_i32 s3, 0x1000
	s_and_b32 s5, s5, 0xffff
	s_and_b32 s81, s81, 0xffff
	v_add3_u32 v80, v3, v25, s3
	v_lshl_add_u32 v81, v0, 4, s2
	v_mov_b32_e32 v82, 0xff800000
	v_mov_b32_e32 v68, 0
	.loc	1 136 16                        ; kernels.py:136:16
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
	v_add_u32_e32 v83, 0, v4
	v_add_u32_e32 v84, 0, v5
	v_add_u32_e32 v85, 0, v7
	v_add_u32_e32 v86, 0, v8
	v_add_u32_e32 v87, 0, v9
	v_add_u32_e32 v88, 0, v10
	v_add_u32_e32 v89, 0, v11
	s_mov_b32 s14, 0x5040100
	s_mov_b32 s84, 0x7060302
	v_add_u32_e32 v90, 0, v12
	v_add_u32_e32 v91, 0, v13
	v_add_u32_e32 v92, 0, v14
	v_add_u32_e32 v93, 0, v15
	v_add_u32_e32 v94, 0, v16
	v_add_u32_e32 v95, 0, v17
	v_add_u32_e32 v96, 0, v18
	v_add_u32_e32 v97, 0, v2
	v_add_u32_e32 v98, 0, v6
	v_add_u32_e32 v99, 0, v19
	v_add_u32_e32 v100, 0, v20
	v_add_u32_e32 v101, 0, v21
	v_add_u32_e32 v102, 0, v22
	v_add_u32_e32 v103, 0, v23
	s_mov_b32 s6, s22
	s_mov_b32 s7, s23
	s_mov_b32 s82, s22
	s_mov_b32 s83, s23
	v_mov_b32_e32 v104, 0xff800000
	s_mov_b32 s85, 0
.LBB0_2:                                ; =>This Inner Loop Header: Depth=1
	.loc	1 136 16                        ; kernels.py:136:16
	v_add_u32_e32 v20, s85, v69
	.loc	1 137 21                        ; kernels.py:137:21
	v_add_u32_e32 v21, s79, v81
	.loc	1 136 16                        ; kernels.py:136:16
	v_add_u32_e32 v24, 32, v20
	.loc	1 137 83                        ; kernels.py:137:83
	v_cmp_gt_i32_e32 vcc, s33, v20
	.loc	1 137 21 is_stmt 0              ; kernels.py:137:21
	v_add_u32_e32 v22, s79, v80
	v_add_u32_e32 v23, 0, v75
	v_cndmask_b32_e32 v20, v70, v21, vcc
	.loc	1 137 83                        ; kernels.py:137:83
	v_cmp_gt_i32_e32 vcc, s33, v24
	.loc	1 136 16 is_stmt 1              ; kernels.py:136:16
	v_accvgpr_read_b32 v3, a31
	v_accvgpr_read_b32 v2, a30
	.loc	1 137 21                        ; kernels.py:137:21
	v_cndmask_b32_e32 v21, v70, v22, vcc
	buffer_load_dwordx4 v[24:27], v20, s[4:7], 0 offen
	buffer_load_dwordx4 v[28:31], v21, s[4:7], 0 offen
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	1 136 16                        ; kernels.py:136:16
	v_accvgpr_read_b32 v5, a29
	v_accvgpr_read_b32 v4, a28
	v_accvgpr_read_b32 v7, a27
	v_accvgpr_read_b32 v6, a26
	v_accvgpr_read_b32 v9, a25
	v_accvgpr_read_b32 v8, a24
	v_accvgpr_read_b32 v11, a23
	v_accvgpr_read_b32 v10, a22
	v_accvgpr_read_b32 v13, a21
	v_accvgpr_read_b32 v12, a20
	v_accvgpr_read_b32 v15, a19
	v_accvgpr_read_b32 v14, a18
	v_accvgpr_read_b32 v17, a17
	v_accvgpr_read_b32 v16, a16
	v_accvgpr_read_b32 v53, a15
	v_accvgpr_read_b32 v52, a14
	v_accvgpr_read_b32 v51, a13
	v_accvgpr_read_b32 v50, a12
	v_accvgpr_read_b32 v55, a11
	v_accvgpr_read_b32 v54, a10
	v_accvgpr_read_b32 v57, a9
	v_accvgpr_read_b32 v56, a8
	v_accvgpr_read_b32 v59, a7
	v_accvgpr_read_b32 v58, a6
	v_accvgpr_read_b32 v61, a5
	v_accvgpr_read_b32 v60, a4
	v_add_u32_e32 v19, s85, v67
	v_mov_b32_e32 v18, v104
	v_add_u32_e32 v104, 1, v19
	v_add_u32_e32 v105, 2, v19
	v_add_u32_e32 v106, 3, v19
	v_add_u32_e32 v107, 8, v19
	.loc	1 137 83                        ; kernels.py:137:83
	v_cmp_gt_i32_e64 s[74:75], s33, v19
	.loc	1 136 16                        ; kernels.py:136:16
	v_add_u32_e32 v108, 9, v19
	v_add_u32_e32 v109, 10, v19
	v_add_u32_e32 v110, 11, v19
	v_add_u32_e32 v111, 16, v19
	v_add_u32_e32 v112, 17, v19
	v_add_u32_e32 v113, 18, v19
	v_add_u32_e32 v114, 19, v19
	v_add_u32_e32 v115, 24, v19
	v_add_u32_e32 v116, 25, v19
	v_add_u32_e32 v117, 26, v19
	v_add_u32_e32 v118, 27, v19
	v_add_u32_e32 v119, 32, v19
	v_add_u32_e32 v120, 33, v19
	v_add_u32_e32 v121, 34, v19
	v_add_u32_e32 v122, 35, v19
	v_add_u32_e32 v123, 40, v19
	v_add_u32_e32 v124, 41, v19
	v_add_u32_e32 v125, 42, v19
	v_add_u32_e32 v126, 43, v19
	v_add_u32_e32 v127, 48, v19
	v_add_u32_e32 v128, 49, v19
	v_add_u32_e32 v129, 50, v19
	v_add_u32_e32 v130, 51, v19
	v_add_u32_e32 v131, 56, v19
	v_add_u32_e32 v132, 57, v19
	v_add_u32_e32 v133, 58, v19
	v_add_u32_e32 v134, 59, v19
	.loc	1 137 83                        ; kernels.py:137:83
	v_cmp_gt_i32_e64 s[2:3], s33, v105
	v_cmp_gt_i32_e64 s[10:11], s33, v106
	v_cmp_gt_i32_e64 s[12:13], s33, v107
	v_cmp_gt_i32_e64 s[18:19], s33, v108
	v_cmp_gt_i32_e64 s[20:21], s33, v109
	v_cmp_gt_i32_e64 s[22:23], s33, v110
	v_cmp_gt_i32_e64 s[24:25], s33, v111
	v_cmp_gt_i32_e64 s[26:27], s33, v112
	v_cmp_gt_i32_e64 s[28:29], s33, v113
	.loc	1 137 21 is_stmt 0              ; kernels.py:137:21
	s_waitcnt vmcnt(0)
	ds_write2st64_b64 v71, v[24:25], v[28:29] offset1:8
	ds_write2st64_b64 v72, v[26:27], v[30:31] offset1:8
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2st64_b64 v[20:23], v23 offset1:8
	.loc	1 138 23 is_stmt 1              ; kernels.py:138:23
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[20:35], v[20:21], v[34:35], 0
	.loc	1 136 16                        ; kernels.py:136:16
	v_add_u32_e32 v24, s85, v73
	.loc	1 147 21                        ; kernels.py:147:21
	v_add_u32_e32 v25, s79, v79
	.loc	1 137 83                        ; kernels.py:137:83
	v_add_u32_e32 v26, 1, v24
	.loc	1 147 83                        ; kernels.py:147:83
	v_cmp_gt_i32_e32 vcc, s33, v24
	.loc	1 147 21 is_stmt 0              ; kernels.py:147:21
	v_add_u32_e32 v24, 0x80, v25
	.loc	1 137 83 is_stmt 1              ; kernels.py:137:83
	v_cmp_gt_i32_e64 s[30:31], s33, v114
	v_cmp_gt_i32_e64 s[34:35], s33, v115
	.loc	1 138 23                        ; kernels.py:138:23
	v_mfma_f32_32x32x8_f16 a[4:19], v[22:23], v[34:35], 0
	.loc	1 137 21                        ; kernels.py:137:21
	ds_read2st64_b64 v[20:23], v83 offset1:8
	.loc	1 137 83 is_stmt 0              ; kernels.py:137:83
	v_cmp_gt_i32_e64 s[36:37], s33, v116
	.loc	1 147 21 is_stmt 1              ; kernels.py:147:21
	v_add_u32_e32 v32, 0, v77
	.loc	1 137 83                        ; kernels.py:137:83
	v_cmp_gt_i32_e64 s[38:39], s33, v117
	v_cmp_gt_i32_e64 s[40:41], s33, v118
	v_cmp_gt_i32_e64 s[42:43], s33, v119
	v_cmp_gt_i32_e64 s[44:45], s33, v120
	.loc	1 138 23                        ; kernels.py:138:23
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[20:35], v[20:21], v[36:37], a[20:35]
	.loc	1 137 83                        ; kernels.py:137:83
	v_cmp_gt_i32_e64 s[46:47], s33, v121
	v_cmp_gt_i32_e64 s[48:49], s33, v122
	v_cmp_gt_i32_e64 s[50:51], s33, v123
	v_cmp_gt_i32_e64 s[52:53], s33, v124
	v_cmp_gt_i32_e64 s[54:55], s33, v125
	v_cmp_gt_i32_e64 s[56:57], s33, v126
	v_cmp_gt_i32_e64 s[58:59], s33, v127
	.loc	1 138 23                        ; kernels.py:138:23
	v_mfma_f32_32x32x8_f16 a[4:19], v[22:23], v[36:37], a[4:19]
	.loc	1 137 21                        ; kernels.py:137:21
	ds_read2st64_b64 v[20:23], v84 offset1:8
	.loc	1 137 83 is_stmt 0              ; kernels.py:137:83
	v_cmp_gt_i32_e64 s[60:61], s33, v128
	v_cmp_gt_i32_e64 s[62:63], s33, v129
	v_cmp_gt_i32_e64 s[64:65], s33, v130
	v_cmp_gt_i32_e64 s[66:67], s33, v131
	v_cmp_gt_i32_e64 s[68:69], s33, v132
	v_cmp_gt_i32_e64 s[70:71], s33, v133
	.loc	1 138 23 is_stmt 1              ; kernels.py:138:23
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[20:35], v[20:21], v[38:39], a[20:35]
	.loc	1 137 83                        ; kernels.py:137:83
	v_cmp_gt_i32_e64 s[72:73], s33, v134
	.loc	1 147 21                        ; kernels.py:147:21
	v_add_u32_e32 v33, 0, v78
	.loc	1 136 16                        ; kernels.py:136:16
	v_accvgpr_read_b32 v65, a1
	v_accvgpr_read_b32 v64, a0
	v_accvgpr_read_b32 v63, a3
	v_accvgpr_read_b32 v62, a2
	.loc	1 135 26                        ; kernels.py:135:26
	s_add_i32 s85, s85, 64
	.loc	1 138 23                        ; kernels.py:138:23
	v_mfma_f32_32x32x8_f16 a[4:19], v[22:23], v[38:39], a[4:19]
	.loc	1 137 21                        ; kernels.py:137:21
	ds_read2st64_b64 v[20:23], v85 offset1:8
	.loc	1 135 26                        ; kernels.py:135:26
	s_addk_i32 s79, 0x2000
	s_cmp_lt_i32 s85, s33
	.loc	1 138 23                        ; kernels.py:138:23
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[20:35], v[20:21], v[40:41], a[20:35]
	v_mfma_f32_32x32x8_f16 a[4:19], v[22:23], v[40:41], a[4:19]
	.loc	1 137 21                        ; kernels.py:137:21
	ds_read2st64_b64 v[20:23], v86 offset1:8
	.loc	1 138 23                        ; kernels.py:138:23
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[20:35], v[20:21], v[42:43], a[20:35]
	v_mfma_f32_32x32x8_f16 a[4:19], v[22:23], v[42:43], a[4:19]
	.loc	1 137 21                        ; kernels.py:137:21
	ds_read2st64_b64 v[20:23], v87 offset1:8
	.loc	1 138 23                        ; kernels.py:138:23
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[20:35], v[20:21], v[44:45], a[20:35]
	v_mfma_f32_32x32x8_f16 a[4:19], v[22:23], v[44:45], a[4:19]
	.loc	1 137 21                        ; kernels.py:137:21
	ds_read2st64_b64 v[20:23], v88 offset1:8
	.loc	1 138 23                        ; kernels.py:138:23
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[20:35], v[20:21], v[46:47], a[20:35]
	v_mfma_f32_32x32x8_f16 a[4:19], v[22:23], v[46:47], a[4:19]
	.loc	1 137 21                        ; kernels.py:137:21
	ds_read2st64_b64 v[20:23], v89 offset1:8
	.loc	1 138 23                        ; kernels.py:138:23
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[20:35], v[20:21], v[48:49], a[20:35]
	.loc	1 147 21                        ; kernels.py:147:21
	v_cndmask_b32_e32 v20, v70, v25, vcc
	.loc	1 147 83 is_stmt 0              ; kernels.py:147:83
	v_cmp_gt_i32_e32 vcc, s33, v26
	.loc	1 147 21                        ; kernels.py:147:21
	s_nop 1
	v_cndmask_b32_e32 v21, v70, v24, vcc
	buffer_load_dwordx4 v[24:27], v20, s[80:83], 0 offen
	buffer_load_dwordx4 v[28:31], v21, s[80:83], 0 offen
	.loc	1 137 83 is_stmt 1              ; kernels.py:137:83
	v_cmp_gt_i32_e32 vcc, s33, v104
	.loc	1 138 23                        ; kernels.py:138:23
	v_mfma_f32_32x32x8_f16 a[4:19], v[22:23], v[48:49], a[4:19]
	s_nop 1
	v_accvgpr_read_b32 v20, a20
	v_accvgpr_read_b32 v21, a21
	v_accvgpr_read_b32 v22, a22
	v_accvgpr_read_b32 v23, a23
	v_accvgpr_read_b32 v135, a24
	.loc	1 138 30 is_stmt 0              ; kernels.py:138:30
	v_mul_f32_e32 v21, v74, v21
	v_mul_f32_e32 v20, v74, v20
	.loc	1 138 23                        ; kernels.py:138:23
	v_accvgpr_read_b32 v136, a25
	.loc	1 138 30                        ; kernels.py:138:30
	v_mul_f32_e32 v22, v74, v22
	v_mul_f32_e32 v23, v74, v23
	v_mul_f32_e32 v104, v74, v135
	.loc	1 142 30 is_stmt 1              ; kernels.py:142:30
	v_cndmask_b32_e64 v19, v82, v20, s[74:75]
	v_cndmask_b32_e32 v20, v82, v21, vcc
	.loc	1 138 23                        ; kernels.py:138:23
	v_accvgpr_read_b32 v137, a26
	v_accvgpr_read_b32 v138, a27
	.loc	1 138 30 is_stmt 0              ; kernels.py:138:30
	v_mul_f32_e32 v105, v74, v136
	.loc	1 142 30 is_stmt 1              ; kernels.py:142:30
	v_cndmask_b32_e64 v21, v82, v22, s[2:3]
	v_cndmask_b32_e64 v22, v82, v23, s[10:11]
	v_cndmask_b32_e64 v23, v82, v104, s[12:13]
.Ltmp2:
	.file	2 "/opt/torch/.venv/lib/python3.12/site-packages/triton/language" "standard.py"
	.loc	2 170 27                        ; standard.py:170:27 @[ standard.py:191:40 @[ kernels.py:143:38 ] ]
	v_max_f32_e32 v104, v19, v20
.Ltmp3:
	.loc	1 138 23                        ; kernels.py:138:23
	v_accvgpr_read_b32 v139, a28
	v_accvgpr_read_b32 v140, a29
	.loc	1 138 30 is_stmt 0              ; kernels.py:138:30
	v_mul_f32_e32 v106, v74, v137
	v_mul_f32_e32 v107, v74, v138
	.loc	1 142 30 is_stmt 1              ; kernels.py:142:30
	v_cndmask_b32_e64 v105, v82, v105, s[18:19]
.Ltmp4:
	.loc	2 170 27                        ; standard.py:170:27 @[ standard.py:191:40 @[ kernels.py:143:38 ] ]
	v_max3_f32 v104, v104, v21, v22
.Ltmp5:
	.loc	1 138 23                        ; kernels.py:138:23
	v_accvgpr_read_b32 v141, a30
	v_accvgpr_read_b32 v142, a31
	.loc	1 138 30 is_stmt 0              ; kernels.py:138:30
	v_mul_f32_e32 v108, v74, v139
	v_mul_f32_e32 v109, v74, v140
	.loc	1 142 30 is_stmt 1              ; kernels.py:142:30
	v_cndmask_b32_e64 v138, v82, v106, s[20:21]
	v_cndmask_b32_e64 v139, v82, v107, s[22:23]
.Ltmp6:
	.loc	2 170 27                        ; standard.py:170:27 @[ standard.py:191:40 @[ kernels.py:143:38 ] ]
	v_max3_f32 v104, v104, v23, v105
.Ltmp7:
	.loc	1 138 23                        ; kernels.py:138:23
	v_accvgpr_read_b32 v143, a32
	v_accvgpr_read_b32 v144, a33
	.loc	1 138 30 is_stmt 0              ; kernels.py:138:30
	v_mul_f32_e32 v110, v74, v141
	v_mul_f32_e32 v111, v74, v142
	.loc	1 142 30 is_stmt 1              ; kernels.py:142:30
	v_cndmask_b32_e64 v140, v82, v108, s[24:25]
	v_cndmask_b32_e64 v141, v82, v109, s[26:27]
.Ltmp8:
	.loc	2 170 27                        ; standard.py:170:27 @[ standard.py:191:40 @[ kernels.py:143:38 ] ]
	v_max3_f32 v104, v104, v138, v139
.Ltmp9:
	.loc	1 138 23                        ; kernels.py:138:23
	v_accvgpr_read_b32 v145, a34
	v_accvgpr_read_b32 v146, a35
	.loc	1 138 30 is_stmt 0              ; kernels.py:138:30
	v_mul_f32_e32 v112, v74, v143
	v_mul_f32_e32 v113, v74, v144
	.loc	1 142 30 is_stmt 1              ; kernels.py:142:30
	v_cndmask_b32_e64 v142, v82, v110, s[28:29]
	v_cndmask_b32_e64 v143, v82, v111, s[30:31]
.Ltmp10:
	.loc	2 170 27                        ; standard.py:170:27 @[ standard.py:191:40 @[ kernels.py:143:38 ] ]
	v_max3_f32 v104, v104, v140, v141
.Ltmp11:
	.loc	1 138 23                        ; kernels.py:138:23
	v_accvgpr_read_b32 v147, a4
	v_accvgpr_read_b32 v148, a5
	.loc	1 138 30 is_stmt 0              ; kernels.py:138:30
	v_mul_f32_e32 v114, v74, v145
	v_mul_f32_e32 v115, v74, v146
	.loc	1 142 30 is_stmt 1              ; kernels.py:142:30
	v_cndmask_b32_e64 v144, v82, v112, s[34:35]
	v_cndmask_b32_e64 v145, v82, v113, s[36:37]
	.loc	1 147 21                        ; kernels.py:147:21
	s_waitcnt lgkmcnt(0)
	s_barrier
	.loc	1 138 23                        ; kernels.py:138:23
	v_accvgpr_read_b32 v149, a6
	v_accvgpr_read_b32 v150, a7
	.loc	1 138 30 is_stmt 0              ; kernels.py:138:30
	v_mul_f32_e32 v116, v74, v147
	v_mul_f32_e32 v117, v74, v148
	.loc	1 142 30 is_stmt 1              ; kernels.py:142:30
	v_cndmask_b32_e64 v146, v82, v114, s[38:39]
	v_cndmask_b32_e64 v147, v82, v115, s[40:41]
	.loc	1 138 23                        ; kernels.py:138:23
	v_accvgpr_read_b32 v151, a8
	v_accvgpr_read_b32 v152, a9
	.loc	1 138 30 is_stmt 0              ; kernels.py:138:30
	v_mul_f32_e32 v118, v74, v149
	v_mul_f32_e32 v119, v74, v150
	.loc	1 142 30 is_stmt 1              ; kernels.py:142:30
	v_cndmask_b32_e64 v148, v82, v116, s[42:43]
	v_cndmask_b32_e64 v149, v82, v117, s[44:45]
	.loc	1 138 23                        ; kernels.py:138:23
	v_accvgpr_read_b32 v153, a10
	v_accvgpr_read_b32 v154, a11
	.loc	1 138 30 is_stmt 0              ; kernels.py:138:30
	v_mul_f32_e32 v120, v74, v151
	v_mul_f32_e32 v121, v74, v152
	.loc	1 142 30 is_stmt 1              ; kernels.py:142:30
	v_cndmask_b32_e64 v150, v82, v118, s[46:47]
	v_cndmask_b32_e64 v151, v82, v119, s[48:49]
	.loc	1 138 23                        ; kernels.py:138:23
	v_accvgpr_read_b32 v155, a12
	v_accvgpr_read_b32 v156, a13
	.loc	1 138 30 is_stmt 0              ; kernels.py:138:30
	v_mul_f32_e32 v122, v74, v153
	v_mul_f32_e32 v123, v74, v154
	.loc	1 147 21 is_stmt 1              ; kernels.py:147:21
	s_waitcnt vmcnt(0)
	v_perm_b32 v106, v28, v24, s14
	v_perm_b32 v24, v28, v24, s84
	v_perm_b32 v28, v29, v25, s14
	v_perm_b32 v25, v29, v25, s84
	v_perm_b32 v29, v30, v26, s14
	v_perm_b32 v26, v30, v26, s84
	v_perm_b32 v30, v31, v27, s14
	v_perm_b32 v27, v31, v27, s84
.Ltmp12:
	.loc	2 170 27                        ; standard.py:170:27 @[ standard.py:191:40 @[ kernels.py:143:38 ] ]
	v_max3_f32 v31, v104, v142, v143
.Ltmp13:
	.loc	1 147 21                        ; kernels.py:147:21
	ds_write_b32 v32, v106
	ds_write_b32 v90, v24 offset:128
	ds_write_b32 v91, v28 offset:256
	ds_write_b32 v92, v25 offset:384
	ds_write_b32 v93, v29 offset:512
	ds_write_b32 v94, v26 offset:640
	ds_write_b32 v95, v30 offset:768
	ds_write_b32 v96, v27 offset:896
.Ltmp14:
	.loc	2 170 27                        ; standard.py:170:27 @[ standard.py:191:40 @[ kernels.py:143:38 ] ]
	v_max3_f32 v24, v31, v144, v145
	v_max3_f32 v24, v24, v146, v147
	v_max3_f32 v24, v24, v148, v149
.Ltmp15:
	.loc	1 142 30                        ; kernels.py:142:30
	v_cndmask_b32_e64 v152, v82, v120, s[50:51]
	v_cndmask_b32_e64 v153, v82, v121, s[52:53]
.Ltmp16:
	.loc	2 170 27                        ; standard.py:170:27 @[ standard.py:191:40 @[ kernels.py:143:38 ] ]
	v_max3_f32 v24, v24, v150, v151
.Ltmp17:
	.loc	1 138 23                        ; kernels.py:138:23
	v_accvgpr_read_b32 v157, a14
	v_accvgpr_read_b32 v158, a15
	.loc	1 138 30 is_stmt 0              ; kernels.py:138:30
	v_mul_f32_e32 v124, v74, v155
	v_mul_f32_e32 v125, v74, v156
	.loc	1 142 30 is_stmt 1              ; kernels.py:142:30
	v_cndmask_b32_e64 v154, v82, v122, s[54:55]
	v_cndmask_b32_e64 v155, v82, v123, s[56:57]
.Ltmp18:
	.loc	2 170 27                        ; standard.py:170:27 @[ standard.py:191:40 @[ kernels.py:143:38 ] ]
	v_max3_f32 v24, v24, v152, v153
.Ltmp19:
	.loc	1 138 23                        ; kernels.py:138:23
	v_accvgpr_read_b32 v159, a16
	v_accvgpr_read_b32 v160, a17
	.loc	1 138 30 is_stmt 0              ; kernels.py:138:30
	v_mul_f32_e32 v126, v74, v157
	v_mul_f32_e32 v127, v74, v158
	.loc	1 142 30 is_stmt 1              ; kernels.py:142:30
	v_cndmask_b32_e64 v156, v82, v124, s[58:59]
	v_cndmask_b32_e64 v157, v82, v125, s[60:61]
.Ltmp20:
	.loc	2 170 27                        ; standard.py:170:27 @[ standard.py:191:40 @[ kernels.py:143:38 ] ]
	v_max3_f32 v24, v24, v154, v155
.Ltmp21:
	.loc	1 138 23                        ; kernels.py:138:23
	v_accvgpr_read_b32 v161, a18
	v_accvgpr_read_b32 v162, a19
	.loc	1 138 30 is_stmt 0              ; kernels.py:138:30
	v_mul_f32_e32 v128, v74, v159
	v_mul_f32_e32 v129, v74, v160
	.loc	1 142 30 is_stmt 1              ; kernels.py:142:30
	v_cndmask_b32_e64 v158, v82, v126, s[62:63]
	v_cndmask_b32_e64 v159, v82, v127, s[64:65]
.Ltmp22:
	.loc	2 170 27                        ; standard.py:170:27 @[ standard.py:191:40 @[ kernels.py:143:38 ] ]
	v_max3_f32 v24, v24, v156, v157
.Ltmp23:
	.loc	1 138 30                        ; kernels.py:138:30
	v_mul_f32_e32 v130, v74, v161
	v_mul_f32_e32 v131, v74, v162
	.loc	1 142 30                        ; kernels.py:142:30
	v_cndmask_b32_e64 v160, v82, v128, s[66:67]
	v_cndmask_b32_e64 v161, v82, v129, s[68:69]
.Ltmp24:
	.loc	2 170 27                        ; standard.py:170:27 @[ standard.py:191:40 @[ kernels.py:143:38 ] ]
	v_max3_f32 v24, v24, v158, v159
.Ltmp25:
	.loc	1 142 30                        ; kernels.py:142:30
	v_cndmask_b32_e64 v162, v82, v130, s[70:71]
	v_cndmask_b32_e64 v163, v82, v131, s[72:73]
.Ltmp26:
	.loc	2 170 27                        ; standard.py:170:27 @[ standard.py:191:40 @[ kernels.py:143:38 ] ]
	v_max3_f32 v24, v24, v160, v161
	v_max3_f32 v24, v24, v162, v163
.Ltmp27:
	.loc	2 191 40                        ; standard.py:191:40 @[ kernels.py:143:38 ]
	ds_bpermute_b32 v25, v76, v24
.Ltmp28:
	.loc	1 147 21                        ; kernels.py:147:21
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read2st64_b64 v[106:109], v33 offset1:8
	ds_read2st64_b64 v[110:113], v97 offset1:8
	ds_read2st64_b64 v[114:117], v98 offset1:8
	ds_read2st64_b64 v[118:121], v99 offset1:8
	ds_read2st64_b64 v[122:125], v100 offset1:8
	ds_read2st64_b64 v[126:129], v101 offset1:8
	ds_read2st64_b64 v[130:133], v102 offset1:8
	ds_read2st64_b64 v[134:137], v103 offset1:8
	.loc	1 143 28                        ; kernels.py:143:28
	v_max3_f32 v104, v18, v24, v25
	.loc	1 145 26                        ; kernels.py:145:26
	v_sub_f32_e32 v18, v18, v104
	.loc	1 144 24                        ; kernels.py:144:24
	v_sub_f32_e32 v21, v21, v104
	v_sub_f32_e32 v22, v22, v104
	v_sub_f32_e32 v19, v19, v104
	v_sub_f32_e32 v20, v20, v104
	v_sub_f32_e32 v25, v138, v104
	v_sub_f32_e32 v27, v140, v104
	v_sub_f32_e32 v28, v141, v104
	v_sub_f32_e32 v140, v148, v104
	v_sub_f32_e32 v141, v149, v104
	v_sub_f32_e32 v148, v156, v104
	v_sub_f32_e32 v149, v157, v104
	.loc	1 145 21                        ; kernels.py:145:21
	v_exp_f32_e32 v138, v18
	.loc	1 144 20                        ; kernels.py:144:20
	v_exp_f32_e32 v156, v21
	v_exp_f32_e32 v157, v22
	.loc	1 144 24 is_stmt 0              ; kernels.py:144:24
	v_sub_f32_e32 v29, v142, v104
	v_sub_f32_e32 v30, v143, v104
	v_sub_f32_e32 v142, v150, v104
	v_sub_f32_e32 v143, v151, v104
	v_sub_f32_e32 v150, v158, v104
	v_sub_f32_e32 v151, v159, v104
	.loc	1 144 20                        ; kernels.py:144:20
	v_exp_f32_e32 v158, v19
	v_exp_f32_e32 v159, v20
	.loc	1 144 24                        ; kernels.py:144:24
	v_sub_f32_e32 v26, v139, v104
	v_sub_f32_e32 v139, v145, v104
	v_sub_f32_e32 v32, v147, v104
	v_sub_f32_e32 v31, v146, v104
	.loc	1 144 20                        ; kernels.py:144:20
	v_exp_f32_e32 v169, v32
	.loc	1 148 57 is_stmt 1              ; kernels.py:148:57
	v_pk_mul_f32 v[32:33], v[2:3], v[138:139] op_sel_hi:[1,0]
	.loc	1 148 46 is_stmt 0              ; kernels.py:148:46
	v_cvt_f16_f32_e32 v2, v156
	v_cvt_f16_f32_e32 v3, v157
	.loc	1 144 20 is_stmt 1              ; kernels.py:144:20
	v_exp_f32_e32 v166, v30
	v_exp_f32_e32 v168, v31
	.loc	1 148 57                        ; kernels.py:148:57
	v_pk_mul_f32 v[30:31], v[4:5], v[138:139] op_sel_hi:[1,0]
	.loc	1 148 46 is_stmt 0              ; kernels.py:148:46
	v_cvt_f16_f32_e32 v4, v158
	v_cvt_f16_f32_e32 v5, v159
	.loc	1 144 24 is_stmt 1              ; kernels.py:144:24
	v_sub_f32_e32 v23, v23, v104
	v_sub_f32_e32 v24, v105, v104
	.loc	1 148 57                        ; kernels.py:148:57
	v_pk_mul_f32 v[18:19], v[16:17], v[138:139] op_sel_hi:[1,0]
	.loc	1 144 24                        ; kernels.py:144:24
	v_sub_f32_e32 v105, v144, v104
	v_sub_f32_e32 v144, v152, v104
	v_sub_f32_e32 v145, v153, v104
	v_sub_f32_e32 v146, v154, v104
	v_sub_f32_e32 v147, v155, v104
	v_sub_f32_e32 v152, v160, v104
	v_sub_f32_e32 v153, v161, v104
	v_sub_f32_e32 v154, v162, v104
	v_sub_f32_e32 v155, v163, v104
	.loc	1 144 20 is_stmt 0              ; kernels.py:144:20
	v_exp_f32_e32 v160, v25
	v_exp_f32_e32 v161, v26
	v_exp_f32_e32 v162, v23
	v_exp_f32_e32 v163, v24
	v_exp_f32_e32 v164, v27
	v_exp_f32_e32 v165, v29
	v_exp_f32_e32 v167, v28
	.loc	1 148 57 is_stmt 1              ; kernels.py:148:57
	v_pk_mul_f32 v[28:29], v[6:7], v[138:139] op_sel_hi:[1,0]
	v_pk_mul_f32 v[26:27], v[8:9], v[138:139] op_sel_hi:[1,0]
	v_pk_mul_f32 v[24:25], v[10:11], v[138:139] op_sel_hi:[1,0]
	v_pk_mul_f32 v[22:23], v[12:13], v[138:139] op_sel_hi:[1,0]
	v_pk_mul_f32 v[20:21], v[14:15], v[138:139] op_sel_hi:[1,0]
	v_pk_mul_f32 v[16:17], v[52:53], v[138:139] op_sel_hi:[1,0]
	v_accvgpr_write_b32 a16, v18
	v_accvgpr_write_b32 a17, v19
	v_accvgpr_write_b32 a18, v20
	v_accvgpr_write_b32 a19, v21
	v_accvgpr_write_b32 a20, v22
	v_accvgpr_write_b32 a21, v23
	v_accvgpr_write_b32 a22, v24
	v_accvgpr_write_b32 a23, v25
	v_accvgpr_write_b32 a24, v26
	v_accvgpr_write_b32 a25, v27
	v_accvgpr_write_b32 a26, v28
	v_accvgpr_write_b32 a27, v29
	v_accvgpr_write_b32 a28, v30
	v_accvgpr_write_b32 a29, v31
	v_accvgpr_write_b32 a30, v32
	v_accvgpr_write_b32 a31, v33
	v_pack_b32_f16 v19, v2, v3
	v_pk_mul_f32 v[2:3], v[64:65], v[138:139] op_sel_hi:[1,0]
	v_pk_mul_f32 v[14:15], v[50:51], v[138:139] op_sel_hi:[1,0]
	v_pk_mul_f32 v[12:13], v[54:55], v[138:139] op_sel_hi:[1,0]
	v_pack_b32_f16 v18, v4, v5
	v_pk_mul_f32 v[10:11], v[56:57], v[138:139] op_sel_hi:[1,0]
	v_pk_mul_f32 v[8:9], v[58:59], v[138:139] op_sel_hi:[1,0]
	v_pk_mul_f32 v[6:7], v[60:61], v[138:139] op_sel_hi:[1,0]
	v_pk_mul_f32 v[4:5], v[62:63], v[138:139] op_sel_hi:[1,0]
	s_waitcnt lgkmcnt(7)
	v_mfma_f32_32x32x8_f16 a[16:31], v[106:107], v[18:19], a[16:31]
	v_accvgpr_write_b32 a0, v2
	v_accvgpr_write_b32 a1, v3
	v_accvgpr_write_b32 a2, v4
	v_accvgpr_write_b32 a3, v5
	v_accvgpr_write_b32 a4, v6
	v_accvgpr_write_b32 a5, v7
	v_accvgpr_write_b32 a6, v8
	v_accvgpr_write_b32 a7, v9
	v_accvgpr_write_b32 a8, v10
	v_accvgpr_write_b32 a9, v11
	v_accvgpr_write_b32 a10, v12
	v_accvgpr_write_b32 a11, v13
	v_accvgpr_write_b32 a12, v14
	v_accvgpr_write_b32 a13, v15
	v_accvgpr_write_b32 a14, v16
	v_accvgpr_write_b32 a15, v17
	.loc	1 148 46 is_stmt 0              ; kernels.py:148:46
	v_cvt_f16_f32_e32 v20, v160
	v_cvt_f16_f32_e32 v2, v161
	.loc	1 148 57                        ; kernels.py:148:57
	s_waitcnt lgkmcnt(6)
	v_mfma_f32_32x32x8_f16 a[0:15], v[112:113], v[18:19], a[0:15]
	.loc	1 148 46                        ; kernels.py:148:46
	v_cvt_f16_f32_e32 v4, v162
	v_cvt_f16_f32_e32 v5, v163
	.loc	1 148 57                        ; kernels.py:148:57
	v_pack_b32_f16 v3, v20, v2
	.loc	1 144 20 is_stmt 1              ; kernels.py:144:20
	v_exp_f32_e32 v8, v105
	v_exp_f32_e32 v9, v139
	.loc	1 148 57                        ; kernels.py:148:57
	v_pack_b32_f16 v2, v4, v5
	.loc	1 148 46 is_stmt 0              ; kernels.py:148:46
	v_cvt_f16_f32_e32 v4, v164
	v_cvt_f16_f32_e32 v5, v167
	.loc	1 148 57                        ; kernels.py:148:57
	v_mfma_f32_32x32x8_f16 a[16:31], v[110:111], v[2:3], a[16:31]
	.loc	1 148 46                        ; kernels.py:148:46
	v_cvt_f16_f32_e32 v6, v9
	.loc	1 144 20 is_stmt 1              ; kernels.py:144:20
	v_exp_f32_e32 v10, v140
	v_exp_f32_e32 v11, v142
	v_exp_f32_e32 v12, v143
	v_exp_f32_e32 v13, v141
	v_exp_f32_e32 v14, v146
	v_exp_f32_e32 v15, v147
	.loc	1 148 57                        ; kernels.py:148:57
	v_mfma_f32_32x32x8_f16 a[0:15], v[108:109], v[2:3], a[0:15]
	.loc	1 148 46 is_stmt 0              ; kernels.py:148:46
	v_cvt_f16_f32_e32 v2, v165
	v_cvt_f16_f32_e32 v3, v166
	.loc	1 144 20 is_stmt 1              ; kernels.py:144:20
	v_exp_f32_e32 v16, v144
	v_exp_f32_e32 v17, v145
.Ltmp29:
	.loc	2 263 15                        ; standard.py:263:15 @[ standard.py:293:36 @[ kernels.py:146:33 ] ]
	v_add_f32_e32 v26, v158, v159
.Ltmp30:
	.loc	1 148 57                        ; kernels.py:148:57
	v_pack_b32_f16 v3, v2, v3
	v_pack_b32_f16 v2, v4, v5
	.loc	1 148 46 is_stmt 0              ; kernels.py:148:46
	v_cvt_f16_f32_e32 v4, v168
	v_cvt_f16_f32_e32 v5, v8
	.loc	1 148 57                        ; kernels.py:148:57
	s_waitcnt lgkmcnt(5)
	v_mfma_f32_32x32x8_f16 a[16:31], v[114:115], v[2:3], a[16:31]
	.loc	1 148 46                        ; kernels.py:148:46
	v_cvt_f16_f32_e32 v7, v17
	.loc	1 144 20 is_stmt 1              ; kernels.py:144:20
	v_exp_f32_e32 v18, v148
	v_exp_f32_e32 v19, v149
	v_exp_f32_e32 v20, v150
	v_exp_f32_e32 v21, v151
	.loc	1 148 46                        ; kernels.py:148:46
	v_cvt_f16_f32_e32 v27, v18
	v_cvt_f16_f32_e32 v28, v19
	.loc	1 148 57 is_stmt 0              ; kernels.py:148:57
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_32x32x8_f16 a[0:15], v[120:121], v[2:3], a[0:15]
	.loc	1 148 46                        ; kernels.py:148:46
	v_cvt_f16_f32_e32 v2, v169
	v_cvt_f16_f32_e32 v29, v20
	v_cvt_f16_f32_e32 v30, v21
	.loc	1 144 20 is_stmt 1              ; kernels.py:144:20
	v_exp_f32_e32 v22, v152
	.loc	1 148 57                        ; kernels.py:148:57
	v_pack_b32_f16 v3, v4, v2
	v_pack_b32_f16 v2, v5, v6
	.loc	1 148 46 is_stmt 0              ; kernels.py:148:46
	v_cvt_f16_f32_e32 v4, v10
	v_cvt_f16_f32_e32 v5, v13
	.loc	1 148 57                        ; kernels.py:148:57
	v_mfma_f32_32x32x8_f16 a[16:31], v[118:119], v[2:3], a[16:31]
	.loc	1 148 46                        ; kernels.py:148:46
	v_cvt_f16_f32_e32 v6, v16
	.loc	1 144 20 is_stmt 1              ; kernels.py:144:20
	v_exp_f32_e32 v23, v153
	v_exp_f32_e32 v24, v154
	v_exp_f32_e32 v25, v155
	.loc	1 148 46                        ; kernels.py:148:46
	v_cvt_f16_f32_e32 v31, v22
	v_cvt_f16_f32_e32 v32, v24
	.loc	1 148 57 is_stmt 0              ; kernels.py:148:57
	v_mfma_f32_32x32x8_f16 a[0:15], v[116:117], v[2:3], a[0:15]
	.loc	1 148 46                        ; kernels.py:148:46
	v_cvt_f16_f32_e32 v2, v11
	v_cvt_f16_f32_e32 v3, v12
	v_cvt_f16_f32_e32 v33, v25
	.loc	1 148 57                        ; kernels.py:148:57
	v_pack_b32_f16 v3, v2, v3
	v_pack_b32_f16 v2, v4, v5
	.loc	1 148 46                        ; kernels.py:148:46
	v_cvt_f16_f32_e32 v4, v14
	v_cvt_f16_f32_e32 v5, v15
	.loc	1 148 57                        ; kernels.py:148:57
	s_waitcnt lgkmcnt(3)
	v_mfma_f32_32x32x8_f16 a[16:31], v[122:123], v[2:3], a[16:31]
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_32x32x8_f16 a[0:15], v[128:129], v[2:3], a[0:15]
	v_pack_b32_f16 v3, v4, v5
.Ltmp31:
	.loc	2 263 15 is_stmt 1              ; standard.py:263:15 @[ standard.py:293:36 @[ kernels.py:146:33 ] ]
	v_add_f32_e32 v4, v156, v26
	v_add_f32_e32 v4, v157, v4
.Ltmp32:
	.loc	1 148 57                        ; kernels.py:148:57
	v_pack_b32_f16 v2, v6, v7
.Ltmp33:
	.loc	2 263 15                        ; standard.py:263:15 @[ standard.py:293:36 @[ kernels.py:146:33 ] ]
	v_add_f32_e32 v26, v162, v4
.Ltmp34:
	.loc	1 148 57                        ; kernels.py:148:57
	v_pack_b32_f16 v5, v29, v30
	v_pack_b32_f16 v4, v27, v28
	v_mfma_f32_32x32x8_f16 a[16:31], v[126:127], v[2:3], a[16:31]
	.loc	1 148 46 is_stmt 0              ; kernels.py:148:46
	v_cvt_f16_f32_e32 v6, v23
	.loc	1 148 57                        ; kernels.py:148:57
	v_pack_b32_f16 v7, v32, v33
	v_pack_b32_f16 v6, v31, v6
	v_mfma_f32_32x32x8_f16 a[0:15], v[124:125], v[2:3], a[0:15]
.Ltmp35:
	.loc	2 263 15 is_stmt 1              ; standard.py:263:15 @[ standard.py:293:36 @[ kernels.py:146:33 ] ]
	v_add_f32_e32 v2, v163, v26
	v_add_f32_e32 v2, v160, v2
	v_add_f32_e32 v2, v161, v2
	v_add_f32_e32 v2, v164, v2
	v_add_f32_e32 v2, v167, v2
	v_add_f32_e32 v2, v165, v2
	v_add_f32_e32 v2, v166, v2
	v_add_f32_e32 v2, v8, v2
	v_add_f32_e32 v2, v9, v2
	v_add_f32_e32 v2, v168, v2
	v_add_f32_e32 v2, v169, v2
	v_add_f32_e32 v2, v10, v2
	v_add_f32_e32 v2, v13, v2
	v_add_f32_e32 v2, v11, v2
	v_add_f32_e32 v2, v12, v2
	v_add_f32_e32 v2, v16, v2
	v_add_f32_e32 v2, v17, v2
	v_add_f32_e32 v2, v14, v2
.Ltmp36:
	.loc	1 148 57                        ; kernels.py:148:57
	s_waitcnt lgkmcnt(1)
	v_mfma_f32_32x32x8_f16 a[16:31], v[130:131], v[4:5], a[16:31]
.Ltmp37:
	.loc	2 263 15                        ; standard.py:263:15 @[ standard.py:293:36 @[ kernels.py:146:33 ] ]
	v_add_f32_e32 v2, v15, v2
	v_add_f32_e32 v2, v18, v2
	v_add_f32_e32 v2, v19, v2
	v_add_f32_e32 v2, v20, v2
	v_add_f32_e32 v2, v21, v2
	v_add_f32_e32 v2, v22, v2
	v_add_f32_e32 v2, v23, v2
.Ltmp38:
	.loc	1 148 57                        ; kernels.py:148:57
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_32x32x8_f16 a[0:15], v[136:137], v[4:5], a[0:15]
.Ltmp39:
	.loc	2 263 15                        ; standard.py:263:15 @[ standard.py:293:36 @[ kernels.py:146:33 ] ]
	v_add_f32_e32 v2, v24, v2
	v_add_f32_e32 v2, v25, v2
.Ltmp40:
	.loc	2 293 36                        ; standard.py:293:36 @[ kernels.py:146:33 ]
	ds_bpermute_b32 v3, v76, v2
	v_mov_b32_e32 v4, v68
.Ltmp41:
	.loc	2 263 15                        ; standard.py:263:15 @[ standard.py:293:36 @[ kernels.py:146:33 ] ]
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v68, v2, v3
.Ltmp42:
	.loc	1 148 57                        ; kernels.py:148:57
	v_mfma_f32_32x32x8_f16 a[16:31], v[134:135], v[6:7], a[16:31]
	.loc	1 146 23                        ; kernels.py:146:23
	v_fmac_f32_e32 v68, v4, v138
	.loc	1 148 57                        ; kernels.py:148:57
	v_mfma_f32_32x32x8_f16 a[0:15], v[132:133], v[6:7], a[0:15]
	.loc	1 135 26                        ; kernels.py:135:26
	s_cbranch_scc1 .LBB0_2
	s_branch .LBB0_4
.LBB0_3:
	.loc	1 0 26 is_stmt 0                ; kernels.py:0:26
	v_mov_b32_e32 v104, 0xff800000
	v_mov_b32_e32 v68, 0
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
	v_accvgpr_write_b32 a0, 0
	v_accvgpr_write_b32 a1, 0
	v_accvgpr_write_b32 a2, 0
	v_accvgpr_write_b32 a3, 0
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
.LBB0_4:                                ; %Flow
	s_nop 6
	v_accvgpr_read_b32 v8, a16
	.loc	1 150 16 is_stmt 1              ; kernels.py:150:16
	v_div_scale_f32 v38, s[2:3], v68, v68, v8
	v_rcp_f32_e32 v39, v38
	v_accvgpr_read_b32 v37, a17
	v_accvgpr_read_b32 v36, a18
	v_accvgpr_read_b32 v35, a19
	v_fma_f32 v40, -v38, v39, 1.0
	v_fmac_f32_e32 v39, v40, v39
	v_div_scale_f32 v40, vcc, v8, v68, v8
	v_mul_f32_e32 v41, v40, v39
	v_fma_f32 v42, -v38, v41, v40
	v_fmac_f32_e32 v41, v42, v39
	v_fma_f32 v38, -v38, v41, v40
	v_div_scale_f32 v40, s[2:3], v68, v68, v37
	v_rcp_f32_e32 v42, v40
	v_div_fmas_f32 v38, v38, v39, v41
	v_div_fixup_f32 v8, v38, v68, v8
	v_accvgpr_read_b32 v34, a20
	v_fma_f32 v38, -v40, v42, 1.0
	v_fmac_f32_e32 v42, v38, v42
	v_div_scale_f32 v38, vcc, v37, v68, v37
	v_mul_f32_e32 v39, v38, v42
	v_fma_f32 v41, -v40, v39, v38
	v_fmac_f32_e32 v39, v41, v42
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v36
	v_rcp_f32_e32 v41, v40
	v_div_fmas_f32 v38, v38, v42, v39
	v_div_fixup_f32 v37, v38, v68, v37
	v_accvgpr_read_b32 v33, a21
	v_fma_f32 v38, -v40, v41, 1.0
	v_fmac_f32_e32 v41, v38, v41
	v_div_scale_f32 v38, vcc, v36, v68, v36
	v_mul_f32_e32 v39, v38, v41
	v_fma_f32 v42, -v40, v39, v38
	v_fmac_f32_e32 v39, v42, v41
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v35
	v_rcp_f32_e32 v42, v40
	v_div_fmas_f32 v38, v38, v41, v39
	v_div_fixup_f32 v36, v38, v68, v36
	v_accvgpr_read_b32 v32, a22
	v_fma_f32 v38, -v40, v42, 1.0
	v_fmac_f32_e32 v42, v38, v42
	v_div_scale_f32 v38, vcc, v35, v68, v35
	v_mul_f32_e32 v39, v38, v42
	v_fma_f32 v41, -v40, v39, v38
	v_fmac_f32_e32 v39, v41, v42
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v34
	v_rcp_f32_e32 v41, v40
	v_div_fmas_f32 v38, v38, v42, v39
	v_div_fixup_f32 v35, v38, v68, v35
	v_accvgpr_read_b32 v31, a23
	v_fma_f32 v38, -v40, v41, 1.0
	v_fmac_f32_e32 v41, v38, v41
	v_div_scale_f32 v38, vcc, v34, v68, v34
	v_mul_f32_e32 v39, v38, v41
	v_fma_f32 v42, -v40, v39, v38
	v_fmac_f32_e32 v39, v42, v41
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v33
	v_rcp_f32_e32 v42, v40
	v_div_fmas_f32 v38, v38, v41, v39
	v_div_fixup_f32 v34, v38, v68, v34
	v_accvgpr_read_b32 v30, a24
	v_fma_f32 v38, -v40, v42, 1.0
	v_fmac_f32_e32 v42, v38, v42
	v_div_scale_f32 v38, vcc, v33, v68, v33
	v_mul_f32_e32 v39, v38, v42
	v_fma_f32 v41, -v40, v39, v38
	v_fmac_f32_e32 v39, v41, v42
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v32
	v_rcp_f32_e32 v41, v40
	v_div_fmas_f32 v38, v38, v42, v39
	v_div_fixup_f32 v33, v38, v68, v33
	v_accvgpr_read_b32 v29, a25
	v_fma_f32 v38, -v40, v41, 1.0
	v_fmac_f32_e32 v41, v38, v41
	v_div_scale_f32 v38, vcc, v32, v68, v32
	v_mul_f32_e32 v39, v38, v41
	v_fma_f32 v42, -v40, v39, v38
	v_fmac_f32_e32 v39, v42, v41
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v31
	v_rcp_f32_e32 v42, v40
	v_div_fmas_f32 v38, v38, v41, v39
	v_div_fixup_f32 v32, v38, v68, v32
	v_accvgpr_read_b32 v28, a26
	v_fma_f32 v38, -v40, v42, 1.0
	v_fmac_f32_e32 v42, v38, v42
	v_div_scale_f32 v38, vcc, v31, v68, v31
	v_mul_f32_e32 v39, v38, v42
	v_fma_f32 v41, -v40, v39, v38
	v_fmac_f32_e32 v39, v41, v42
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v30
	v_rcp_f32_e32 v41, v40
	v_div_fmas_f32 v38, v38, v42, v39
	v_div_fixup_f32 v31, v38, v68, v31
	v_accvgpr_read_b32 v27, a27
	v_fma_f32 v38, -v40, v41, 1.0
	v_fmac_f32_e32 v41, v38, v41
	v_div_scale_f32 v38, vcc, v30, v68, v30
	v_mul_f32_e32 v39, v38, v41
	v_fma_f32 v42, -v40, v39, v38
	v_fmac_f32_e32 v39, v42, v41
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v29
	v_rcp_f32_e32 v42, v40
	v_div_fmas_f32 v38, v38, v41, v39
	v_div_fixup_f32 v30, v38, v68, v30
	v_accvgpr_read_b32 v26, a28
	v_fma_f32 v38, -v40, v42, 1.0
	v_fmac_f32_e32 v42, v38, v42
	v_div_scale_f32 v38, vcc, v29, v68, v29
	v_mul_f32_e32 v39, v38, v42
	v_fma_f32 v41, -v40, v39, v38
	v_fmac_f32_e32 v39, v41, v42
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v28
	v_rcp_f32_e32 v41, v40
	v_div_fmas_f32 v38, v38, v42, v39
	v_div_fixup_f32 v29, v38, v68, v29
	v_accvgpr_read_b32 v25, a29
	v_fma_f32 v38, -v40, v41, 1.0
	v_fmac_f32_e32 v41, v38, v41
	v_div_scale_f32 v38, vcc, v28, v68, v28
	v_mul_f32_e32 v39, v38, v41
	v_fma_f32 v42, -v40, v39, v38
	v_fmac_f32_e32 v39, v42, v41
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v27
	v_rcp_f32_e32 v42, v40
	v_div_fmas_f32 v38, v38, v41, v39
	v_div_fixup_f32 v28, v38, v68, v28
	v_accvgpr_read_b32 v24, a30
	v_fma_f32 v38, -v40, v42, 1.0
	v_fmac_f32_e32 v42, v38, v42
	v_div_scale_f32 v38, vcc, v27, v68, v27
	v_mul_f32_e32 v39, v38, v42
	v_fma_f32 v41, -v40, v39, v38
	v_fmac_f32_e32 v39, v41, v42
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v26
	v_rcp_f32_e32 v41, v40
	v_div_fmas_f32 v38, v38, v42, v39
	v_div_fixup_f32 v27, v38, v68, v27
	v_accvgpr_read_b32 v23, a31
	v_fma_f32 v38, -v40, v41, 1.0
	v_fmac_f32_e32 v41, v38, v41
	v_div_scale_f32 v38, vcc, v26, v68, v26
	v_mul_f32_e32 v39, v38, v41
	v_fma_f32 v42, -v40, v39, v38
	v_fmac_f32_e32 v39, v42, v41
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v25
	v_rcp_f32_e32 v42, v40
	v_div_fmas_f32 v38, v38, v41, v39
	v_div_fixup_f32 v26, v38, v68, v26
	v_accvgpr_read_b32 v22, a0
	v_fma_f32 v38, -v40, v42, 1.0
	v_fmac_f32_e32 v42, v38, v42
	v_div_scale_f32 v38, vcc, v25, v68, v25
	v_mul_f32_e32 v39, v38, v42
	v_fma_f32 v41, -v40, v39, v38
	v_fmac_f32_e32 v39, v41, v42
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v24
	v_rcp_f32_e32 v41, v40
	v_div_fmas_f32 v38, v38, v42, v39
	v_div_fixup_f32 v25, v38, v68, v25
	v_accvgpr_read_b32 v21, a1
	v_fma_f32 v38, -v40, v41, 1.0
	v_fmac_f32_e32 v41, v38, v41
	v_div_scale_f32 v38, vcc, v24, v68, v24
	v_mul_f32_e32 v39, v38, v41
	v_fma_f32 v42, -v40, v39, v38
	v_fmac_f32_e32 v39, v42, v41
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v23
	v_rcp_f32_e32 v42, v40
	v_div_fmas_f32 v38, v38, v41, v39
	v_div_fixup_f32 v24, v38, v68, v24
	v_accvgpr_read_b32 v20, a2
	v_fma_f32 v38, -v40, v42, 1.0
	v_fmac_f32_e32 v42, v38, v42
	v_div_scale_f32 v38, vcc, v23, v68, v23
	v_mul_f32_e32 v39, v38, v42
	v_fma_f32 v41, -v40, v39, v38
	v_fmac_f32_e32 v39, v41, v42
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v22
	v_rcp_f32_e32 v41, v40
	v_div_fmas_f32 v38, v38, v42, v39
	v_div_fixup_f32 v23, v38, v68, v23
	v_accvgpr_read_b32 v19, a3
	v_fma_f32 v38, -v40, v41, 1.0
	v_fmac_f32_e32 v41, v38, v41
	v_div_scale_f32 v38, vcc, v22, v68, v22
	v_mul_f32_e32 v39, v38, v41
	v_fma_f32 v42, -v40, v39, v38
	v_fmac_f32_e32 v39, v42, v41
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v21
	v_rcp_f32_e32 v42, v40
	v_div_fmas_f32 v38, v38, v41, v39
	v_div_fixup_f32 v22, v38, v68, v22
	v_accvgpr_read_b32 v18, a4
	v_fma_f32 v38, -v40, v42, 1.0
	v_fmac_f32_e32 v42, v38, v42
	v_div_scale_f32 v38, vcc, v21, v68, v21
	v_mul_f32_e32 v39, v38, v42
	v_fma_f32 v41, -v40, v39, v38
	v_fmac_f32_e32 v39, v41, v42
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v20
	v_rcp_f32_e32 v41, v40
	v_div_fmas_f32 v38, v38, v42, v39
	v_div_fixup_f32 v21, v38, v68, v21
	v_accvgpr_read_b32 v17, a5
	v_fma_f32 v38, -v40, v41, 1.0
	v_fmac_f32_e32 v41, v38, v41
	v_div_scale_f32 v38, vcc, v20, v68, v20
	v_mul_f32_e32 v39, v38, v41
	v_fma_f32 v42, -v40, v39, v38
	v_fmac_f32_e32 v39, v42, v41
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v19
	v_rcp_f32_e32 v42, v40
	v_div_fmas_f32 v38, v38, v41, v39
	v_div_fixup_f32 v20, v38, v68, v20
	v_accvgpr_read_b32 v16, a6
	v_fma_f32 v38, -v40, v42, 1.0
	v_fmac_f32_e32 v42, v38, v42
	v_div_scale_f32 v38, vcc, v19, v68, v19
	v_mul_f32_e32 v39, v38, v42
	v_fma_f32 v41, -v40, v39, v38
	v_fmac_f32_e32 v39, v41, v42
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v18
	v_rcp_f32_e32 v41, v40
	v_div_fmas_f32 v38, v38, v42, v39
	v_div_fixup_f32 v19, v38, v68, v19
	v_accvgpr_read_b32 v15, a7
	v_fma_f32 v38, -v40, v41, 1.0
	v_fmac_f32_e32 v41, v38, v41
	v_div_scale_f32 v38, vcc, v18, v68, v18
	v_mul_f32_e32 v39, v38, v41
	v_fma_f32 v42, -v40, v39, v38
	v_fmac_f32_e32 v39, v42, v41
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v17
	v_rcp_f32_e32 v42, v40
	v_div_fmas_f32 v38, v38, v41, v39
	v_div_fixup_f32 v18, v38, v68, v18
	v_accvgpr_read_b32 v14, a8
	v_fma_f32 v38, -v40, v42, 1.0
	v_fmac_f32_e32 v42, v38, v42
	v_div_scale_f32 v38, vcc, v17, v68, v17
	v_mul_f32_e32 v39, v38, v42
	v_fma_f32 v41, -v40, v39, v38
	v_fmac_f32_e32 v39, v41, v42
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v16
	v_rcp_f32_e32 v41, v40
	v_div_fmas_f32 v38, v38, v42, v39
	v_div_fixup_f32 v17, v38, v68, v17
	v_accvgpr_read_b32 v13, a9
	v_fma_f32 v38, -v40, v41, 1.0
	v_fmac_f32_e32 v41, v38, v41
	v_div_scale_f32 v38, vcc, v16, v68, v16
	v_mul_f32_e32 v39, v38, v41
	v_fma_f32 v42, -v40, v39, v38
	v_fmac_f32_e32 v39, v42, v41
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v15
	v_rcp_f32_e32 v42, v40
	v_div_fmas_f32 v38, v38, v41, v39
	v_div_fixup_f32 v16, v38, v68, v16
	v_accvgpr_read_b32 v12, a10
	v_fma_f32 v38, -v40, v42, 1.0
	v_fmac_f32_e32 v42, v38, v42
	v_div_scale_f32 v38, vcc, v15, v68, v15
	v_mul_f32_e32 v39, v38, v42
	v_fma_f32 v41, -v40, v39, v38
	v_fmac_f32_e32 v39, v41, v42
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v14
	v_rcp_f32_e32 v41, v40
	v_div_fmas_f32 v38, v38, v42, v39
	v_div_fixup_f32 v15, v38, v68, v15
	v_accvgpr_read_b32 v11, a11
	v_fma_f32 v38, -v40, v41, 1.0
	v_fmac_f32_e32 v41, v38, v41
	v_div_scale_f32 v38, vcc, v14, v68, v14
	v_mul_f32_e32 v39, v38, v41
	v_fma_f32 v42, -v40, v39, v38
	v_fmac_f32_e32 v39, v42, v41
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v13
	v_rcp_f32_e32 v42, v40
	v_div_fmas_f32 v38, v38, v41, v39
	v_div_fixup_f32 v14, v38, v68, v14
	v_accvgpr_read_b32 v10, a12
	v_fma_f32 v38, -v40, v42, 1.0
	v_fmac_f32_e32 v42, v38, v42
	v_div_scale_f32 v38, vcc, v13, v68, v13
	v_mul_f32_e32 v39, v38, v42
	v_fma_f32 v41, -v40, v39, v38
	v_fmac_f32_e32 v39, v41, v42
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v12
	v_rcp_f32_e32 v41, v40
	v_div_fmas_f32 v38, v38, v42, v39
	v_div_fixup_f32 v13, v38, v68, v13
	v_accvgpr_read_b32 v9, a13
	v_fma_f32 v38, -v40, v41, 1.0
	v_fmac_f32_e32 v41, v38, v41
	v_div_scale_f32 v38, vcc, v12, v68, v12
	v_mul_f32_e32 v39, v38, v41
	v_fma_f32 v42, -v40, v39, v38
	v_fmac_f32_e32 v39, v42, v41
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v11
	v_rcp_f32_e32 v42, v40
	v_div_fmas_f32 v38, v38, v41, v39
	v_div_fixup_f32 v12, v38, v68, v12
	v_accvgpr_read_b32 v7, a14
	v_fma_f32 v38, -v40, v42, 1.0
	v_fmac_f32_e32 v42, v38, v42
	v_div_scale_f32 v38, vcc, v11, v68, v11
	v_mul_f32_e32 v39, v38, v42
	v_fma_f32 v41, -v40, v39, v38
	v_fmac_f32_e32 v39, v41, v42
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v10
	v_rcp_f32_e32 v41, v40
	v_div_fmas_f32 v38, v38, v42, v39
	v_div_fixup_f32 v11, v38, v68, v11
	v_accvgpr_read_b32 v5, a15
	v_fma_f32 v38, -v40, v41, 1.0
	v_fmac_f32_e32 v41, v38, v41
	v_div_scale_f32 v38, vcc, v10, v68, v10
	v_mul_f32_e32 v39, v38, v41
	v_fma_f32 v42, -v40, v39, v38
	v_fmac_f32_e32 v39, v42, v41
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v9
	v_rcp_f32_e32 v42, v40
	v_div_fmas_f32 v38, v38, v41, v39
	v_div_fixup_f32 v10, v38, v68, v10
	.loc	1 125 32                        ; kernels.py:125:32
	v_lshrrev_b32_e32 v2, 1, v66
	.loc	1 150 16                        ; kernels.py:150:16
	v_fma_f32 v38, -v40, v42, 1.0
	v_fmac_f32_e32 v42, v38, v42
	v_div_scale_f32 v38, vcc, v9, v68, v9
	v_mul_f32_e32 v39, v38, v42
	v_fma_f32 v41, -v40, v39, v38
	v_fmac_f32_e32 v39, v41, v42
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v7
	v_rcp_f32_e32 v41, v40
	v_div_fmas_f32 v38, v38, v42, v39
	v_div_fixup_f32 v9, v38, v68, v9
	.loc	1 125 32                        ; kernels.py:125:32
	v_or_b32_e32 v6, v2, v1
	.loc	1 150 16                        ; kernels.py:150:16
	v_fma_f32 v38, -v40, v41, 1.0
	v_fmac_f32_e32 v41, v38, v41
	v_div_scale_f32 v38, vcc, v7, v68, v7
	v_mul_f32_e32 v39, v38, v41
	v_fma_f32 v42, -v40, v39, v38
	v_fmac_f32_e32 v39, v42, v41
	v_fma_f32 v38, -v40, v39, v38
	v_div_scale_f32 v40, s[2:3], v68, v68, v5
	v_rcp_f32_e32 v42, v40
	v_div_fmas_f32 v38, v38, v41, v39
	v_div_fixup_f32 v7, v38, v68, v7
	.loc	1 125 19                        ; kernels.py:125:19
	v_or_b32_e32 v4, s78, v6
	.loc	1 150 16                        ; kernels.py:150:16
	v_fma_f32 v38, -v40, v42, 1.0
	v_fmac_f32_e32 v42, v38, v42
	v_div_scale_f32 v38, vcc, v5, v68, v5
	v_mul_f32_e32 v39, v38, v42
	v_fma_f32 v41, -v40, v39, v38
	v_fmac_f32_e32 v39, v41, v42
	v_fma_f32 v38, -v40, v39, v38
	v_div_fmas_f32 v38, v38, v42, v39
	v_div_fixup_f32 v5, v38, v68, v5
	.loc	1 151 45                        ; kernels.py:151:45
	v_lshl_or_b32 v38, v6, 6, v67
	.loc	1 151 65 is_stmt 0              ; kernels.py:151:65
	v_cvt_f16_f32_e32 v6, v8
	v_cvt_f16_f32_e32 v8, v37
	v_cvt_f16_f32_e32 v36, v36
	v_cvt_f16_f32_e32 v35, v35
	s_load_dword s0, s[0:1], 0x38
	.loc	1 151 21                        ; kernels.py:151:21
	s_mul_i32 s1, s15, s17
	.loc	1 151 45                        ; kernels.py:151:45
	s_add_i32 s1, s1, s16
	.loc	1 151 65                        ; kernels.py:151:65
	v_cvt_f16_f32_e32 v34, v34
	v_cvt_f16_f32_e32 v33, v33
	v_cvt_f16_f32_e32 v32, v32
	v_cvt_f16_f32_e32 v31, v31
	v_cvt_f16_f32_e32 v37, v7
	.loc	1 151 58                        ; kernels.py:151:58
	v_pack_b32_f16 v7, v36, v35
	v_pack_b32_f16 v6, v6, v8
	.loc	1 151 45                        ; kernels.py:151:45
	v_add_lshl_u32 v8, v38, s1, 1
	.loc	1 151 58                        ; kernels.py:151:58
	v_bfrev_b32_e32 v35, 1
	.loc	1 128 81 is_stmt 1              ; kernels.py:128:81
	v_cmp_gt_i32_e32 vcc, s33, v4
	.loc	1 151 65                        ; kernels.py:151:65
	v_cvt_f16_f32_e32 v30, v30
	v_cvt_f16_f32_e32 v29, v29
	v_cvt_f16_f32_e32 v28, v28
	v_cvt_f16_f32_e32 v27, v27
	.loc	1 151 58 is_stmt 0              ; kernels.py:151:58
	s_and_b32 s9, s9, 0xffff
	s_mov_b32 s11, 0x27000
	s_mov_b32 s10, 0x7ffffffe
	v_cndmask_b32_e32 v4, v35, v8, vcc
	buffer_store_dwordx2 v[6:7], v4, s[8:11], 0 offen
	v_add_u32_e32 v6, 16, v8
	.loc	1 151 65                        ; kernels.py:151:65
	v_cvt_f16_f32_e32 v26, v26
	v_cvt_f16_f32_e32 v25, v25
	v_cvt_f16_f32_e32 v24, v24
	v_cvt_f16_f32_e32 v23, v23
	v_cvt_f16_f32_e32 v39, v5
	.loc	1 151 58                        ; kernels.py:151:58
	v_pack_b32_f16 v5, v32, v31
	v_pack_b32_f16 v4, v34, v33
	v_cndmask_b32_e32 v6, v35, v6, vcc
	buffer_store_dwordx2 v[4:5], v6, s[8:11], 0 offen
	v_add_u32_e32 v6, 32, v8
	.loc	1 151 65                        ; kernels.py:151:65
	v_cvt_f16_f32_e32 v22, v22
	v_cvt_f16_f32_e32 v21, v21
	v_cvt_f16_f32_e32 v20, v20
	v_cvt_f16_f32_e32 v19, v19
	.loc	1 151 58                        ; kernels.py:151:58
	v_pack_b32_f16 v5, v28, v27
	v_pack_b32_f16 v4, v30, v29
	v_cndmask_b32_e32 v6, v35, v6, vcc
	buffer_store_dwordx2 v[4:5], v6, s[8:11], 0 offen
	v_add_u32_e32 v6, 48, v8
	.loc	1 151 65                        ; kernels.py:151:65
	v_cvt_f16_f32_e32 v18, v18
	v_cvt_f16_f32_e32 v17, v17
	v_cvt_f16_f32_e32 v16, v16
	v_cvt_f16_f32_e32 v15, v15
	.loc	1 151 58                        ; kernels.py:151:58
	v_pack_b32_f16 v5, v24, v23
	v_pack_b32_f16 v4, v26, v25
	v_cndmask_b32_e32 v6, v35, v6, vcc
	buffer_store_dwordx2 v[4:5], v6, s[8:11], 0 offen
	v_add_u32_e32 v6, 64, v8
	.loc	1 151 65                        ; kernels.py:151:65
	v_cvt_f16_f32_e32 v14, v14
	v_cvt_f16_f32_e32 v13, v13
	v_cvt_f16_f32_e32 v12, v12
	v_cvt_f16_f32_e32 v11, v11
	.loc	1 151 58                        ; kernels.py:151:58
	v_pack_b32_f16 v5, v20, v19
	v_pack_b32_f16 v4, v22, v21
	v_cndmask_b32_e32 v6, v35, v6, vcc
	buffer_store_dwordx2 v[4:5], v6, s[8:11], 0 offen
	v_add_u32_e32 v6, 0x50, v8
	v_pack_b32_f16 v5, v16, v15
	v_pack_b32_f16 v4, v18, v17
	v_cndmask_b32_e32 v6, v35, v6, vcc
	buffer_store_dwordx2 v[4:5], v6, s[8:11], 0 offen
	v_add_u32_e32 v6, 0x60, v8
	v_pack_b32_f16 v5, v12, v11
	v_pack_b32_f16 v4, v14, v13
	v_cndmask_b32_e32 v6, v35, v6, vcc
	buffer_store_dwordx2 v[4:5], v6, s[8:11], 0 offen
	v_add_u32_e32 v6, 0x70, v8
	s_mov_b32 s1, 0x800000
	v_cndmask_b32_e32 v6, v35, v6, vcc
	.loc	1 152 46 is_stmt 1              ; kernels.py:152:46
	v_cmp_gt_f32_e32 vcc, s1, v68
	.loc	1 151 65                        ; kernels.py:151:65
	v_cvt_f16_f32_e32 v10, v10
	v_cvt_f16_f32_e32 v9, v9
	.loc	1 152 46                        ; kernels.py:152:46
	v_cndmask_b32_e64 v8, 0, 32, vcc
	v_ldexp_f32 v8, v68, v8
	v_log_f32_e32 v8, v8
	v_mov_b32_e32 v7, 0x42000000
	.loc	1 151 58                        ; kernels.py:151:58
	v_pack_b32_f16 v5, v37, v39
	v_pack_b32_f16 v4, v10, v9
	.loc	1 152 46                        ; kernels.py:152:46
	v_cndmask_b32_e32 v7, 0, v7, vcc
	.loc	1 151 58                        ; kernels.py:151:58
	buffer_store_dwordx2 v[4:5], v6, s[8:11], 0 offen
	.loc	1 152 46                        ; kernels.py:152:46
	v_sub_f32_e32 v4, v8, v7
	.loc	1 152 33 is_stmt 0              ; kernels.py:152:33
	v_lshlrev_b32_e32 v1, 2, v1
	v_lshlrev_b32_e32 v5, 1, v66
	.loc	1 125 32 is_stmt 1              ; kernels.py:125:32
	v_and_b32_e32 v3, 0x7f, v0
	.loc	1 152 38                        ; kernels.py:152:38
	v_add_f32_e32 v4, v104, v4
	.loc	1 152 33 is_stmt 0              ; kernels.py:152:33
	v_add3_u32 v1, 0, v1, v5
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write_b32 v1, v4
	v_lshl_add_u32 v1, v3, 2, 0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v1, v1
	.loc	1 125 19 is_stmt 1              ; kernels.py:125:19
	v_or_b32_e32 v2, s78, v3
	.loc	1 152 33                        ; kernels.py:152:33
	v_and_b32_e32 v0, 0x80, v0
	.loc	1 152 61 is_stmt 0              ; kernels.py:152:61
	v_cmp_gt_i32_e32 vcc, s33, v2
	.loc	1 152 23                        ; kernels.py:152:23
	s_mul_i32 s2, s0, s17
	.loc	1 152 33                        ; kernels.py:152:33
	v_cmp_eq_u32_e64 s[0:1], 0, v0
	v_add_lshl_u32 v0, v2, s2, 2
	s_and_b64 vcc, s[0:1], vcc
	s_and_b32 s77, s77, 0xffff
	s_mov_b32 s78, s10
	s_mov_b32 s79, s11
	v_cndmask_b32_e32 v0, v35, v0, vcc
	s_waitcnt lgkmcnt(0)
	buffer_store_dword v1, v0, s[76:79], 0 offen
	.loc	1 152 4                         ; kernels.py:152:4
	s_endpgm
.Ltmp43:
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel attn_fwd
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 88
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
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 208
		.amdhsa_next_free_sgpr 86
		.amdhsa_accum_offset 172
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
	.size	attn_fwd, .Lfunc_end0-attn_fwd
	.set attn_fwd.num_vgpr, 170
	.set attn_fwd.num_agpr, 36
	.set attn_fwd.numbered_sgpr, 86
	.set attn_fwd.num_named_barrier, 0
	.set attn_fwd.private_seg_size, 0
	.set attn_fwd.uses_vcc, 1
	.set attn_fwd.uses_flat_scratch, 0
	.set attn_fwd.has_dyn_sized_stack, 0
	.set attn_fwd.has_recursion, 0
	.set attn_fwd.has_indirect_call, 0
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
	.byte	11                              ; DW_FORM_data1
	.byte	87                              ; DW_AT_call_column
	.byte	11                              ; DW_FORM_data1
	.byte	0                               ; EOM(1)
	.byte	0                               ; EOM(2)
	.byte	6                               ; Abbreviation Code
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
	.byte	0                               ; EOM(3)
	.section	.debug_info,"",@progbits
.Lcu_begin0:
	.long	.Ldebug_info_end0-.Ldebug_info_start0 ; Length of Unit
.Ldebug_info_start0:
	.short	4                               ; DWARF version number
	.long	.debug_abbrev                   ; Offset Into Abbrev. Section
	.byte	8                               ; Address Size (in bytes)
	.byte	1                               ; Abbrev [1] 0xb:0x6b DW_TAG_compile_unit
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
	.byte	3                               ; Abbrev [3] 0x30:0x45 DW_TAG_subprogram
	.quad	.Lfunc_begin0                   ; DW_AT_low_pc
	.long	.Lfunc_end0-.Lfunc_begin0       ; DW_AT_high_pc
	.long	42                              ; DW_AT_abstract_origin
	.byte	4                               ; Abbrev [4] 0x41:0x19 DW_TAG_inlined_subroutine
	.long	42                              ; DW_AT_abstract_origin
	.long	.Ldebug_ranges0                 ; DW_AT_ranges
	.byte	1                               ; DW_AT_call_file
	.byte	143                             ; DW_AT_call_line
	.byte	38                              ; DW_AT_call_column
	.byte	5                               ; Abbrev [5] 0x4d:0xc DW_TAG_inlined_subroutine
	.long	42                              ; DW_AT_abstract_origin
	.long	.Ldebug_ranges1                 ; DW_AT_ranges
	.byte	2                               ; DW_AT_call_file
	.byte	191                             ; DW_AT_call_line
	.byte	40                              ; DW_AT_call_column
	.byte	0                               ; End Of Children Mark
	.byte	4                               ; Abbrev [4] 0x5a:0x1a DW_TAG_inlined_subroutine
	.long	42                              ; DW_AT_abstract_origin
	.long	.Ldebug_ranges2                 ; DW_AT_ranges
	.byte	1                               ; DW_AT_call_file
	.byte	146                             ; DW_AT_call_line
	.byte	33                              ; DW_AT_call_column
	.byte	6                               ; Abbrev [6] 0x66:0xd DW_TAG_inlined_subroutine
	.long	42                              ; DW_AT_abstract_origin
	.long	.Ldebug_ranges3                 ; DW_AT_ranges
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
	.quad	.Ltmp5-.Lfunc_begin0
	.quad	.Ltmp6-.Lfunc_begin0
	.quad	.Ltmp7-.Lfunc_begin0
	.quad	.Ltmp8-.Lfunc_begin0
	.quad	.Ltmp9-.Lfunc_begin0
	.quad	.Ltmp10-.Lfunc_begin0
	.quad	.Ltmp11-.Lfunc_begin0
	.quad	.Ltmp12-.Lfunc_begin0
	.quad	.Ltmp13-.Lfunc_begin0
	.quad	.Ltmp14-.Lfunc_begin0
	.quad	.Ltmp15-.Lfunc_begin0
	.quad	.Ltmp16-.Lfunc_begin0
	.quad	.Ltmp17-.Lfunc_begin0
	.quad	.Ltmp18-.Lfunc_begin0
	.quad	.Ltmp19-.Lfunc_begin0
	.quad	.Ltmp20-.Lfunc_begin0
	.quad	.Ltmp21-.Lfunc_begin0
	.quad	.Ltmp22-.Lfunc_begin0
	.quad	.Ltmp23-.Lfunc_begin0
	.quad	.Ltmp24-.Lfunc_begin0
	.quad	.Ltmp25-.Lfunc_begin0
	.quad	.Ltmp26-.Lfunc_begin0
	.quad	.Ltmp28-.Lfunc_begin0
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
	.quad	.Ltmp12-.Lfunc_begin0
	.quad	.Ltmp13-.Lfunc_begin0
	.quad	.Ltmp14-.Lfunc_begin0
	.quad	.Ltmp15-.Lfunc_begin0
	.quad	.Ltmp16-.Lfunc_begin0
	.quad	.Ltmp17-.Lfunc_begin0
	.quad	.Ltmp18-.Lfunc_begin0
	.quad	.Ltmp19-.Lfunc_begin0
	.quad	.Ltmp20-.Lfunc_begin0
	.quad	.Ltmp21-.Lfunc_begin0
	.quad	.Ltmp22-.Lfunc_begin0
	.quad	.Ltmp23-.Lfunc_begin0
	.quad	.Ltmp24-.Lfunc_begin0
	.quad	.Ltmp25-.Lfunc_begin0
	.quad	.Ltmp26-.Lfunc_begin0
	.quad	.Ltmp27-.Lfunc_begin0
	.quad	0
	.quad	0
.Ldebug_ranges2:
	.quad	.Ltmp29-.Lfunc_begin0
	.quad	.Ltmp30-.Lfunc_begin0
	.quad	.Ltmp31-.Lfunc_begin0
	.quad	.Ltmp32-.Lfunc_begin0
	.quad	.Ltmp33-.Lfunc_begin0
	.quad	.Ltmp34-.Lfunc_begin0
	.quad	.Ltmp35-.Lfunc_begin0
	.quad	.Ltmp36-.Lfunc_begin0
	.quad	.Ltmp37-.Lfunc_begin0
	.quad	.Ltmp38-.Lfunc_begin0
	.quad	.Ltmp39-.Lfunc_begin0
	.quad	.Ltmp42-.Lfunc_begin0
	.quad	0
	.quad	0
.Ldebug_ranges3:
	.quad	.Ltmp29-.Lfunc_begin0
	.quad	.Ltmp30-.Lfunc_begin0
	.quad	.Ltmp31-.Lfunc_begin0
	.quad	.Ltmp32-.Lfunc_begin0
	.quad	.Ltmp33-.Lfunc_begin0
	.quad	.Ltmp34-.Lfunc_begin0
	.quad	.Ltmp35-.Lfunc_begin0
	.quad	.Ltmp36-.Lfunc_begin0
	.quad	.Ltmp37-.Lfunc_begin0
	.quad	.Ltmp38-.Lfunc_begin0
	.quad	.Ltmp39-.Lfunc_begin0
	.quad	.Ltmp40-.Lfunc_begin0
	.quad	.Ltmp41-.Lfunc_begin0
	.quad	.Ltmp42-.Lfunc_begin0
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
	.asciz	"attn_fwd"                      ; string offset=38
	.section	".note.GNU-stack","",@progbits
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     36
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
      - .offset:         40
        .size:           4
        .value_kind:     by_value
      - .offset:         44
        .size:           4
        .value_kind:     by_value
      - .offset:         48
        .size:           4
        .value_kind:     by_value
      - .offset:         52
        .size:           4
        .value_kind:     by_value
      - .offset:         56
        .size:           4
        .value_kind:     by_value
      - .offset:         60
        .size:           4
        .value_kind:     by_value
      - .offset:         64
        .size:           4
        .value_kind:     by_value
      - .address_space:  global
        .offset:         72
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         80
        .size:           8
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 88
    .max_flat_workgroup_size: 256
    .name:           attn_fwd
    .private_segment_fixed_size: 0
    .sgpr_count:     92
    .sgpr_spill_count: 0
    .symbol:         attn_fwd.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     208
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
