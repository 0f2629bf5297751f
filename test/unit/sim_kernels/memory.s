; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Memory instructions for sim_memory_test.c, one wave each. The first argument is the output, the second the input; each
; kernel stores rows of 64 dwords: row r of lane l is out[64 * r + l].

.macro kernel name
  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_group_segment_fixed_size 16384
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
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0                 ; v1 = 4 * lane
  v_lshlrev_b32_e32 v2, 3, v0                 ; v2 = 8 * lane
  v_lshlrev_b32_e32 v3, 4, v0                 ; v3 = 16 * lane
  s_waitcnt lgkmcnt(0)
.endm

.macro out row, register
  global_store_dword v1, \register, s[4:5] offset:256*\row
.endm

; Sub-dword loads of input byte 2 * lane + 1 (bytes) and 2 * lane (halves), with and without the other half kept.
kernel narrow_loads
  v_lshlrev_b32_e32 v4, 1, v0
  v_mov_b32_e32 v14, 0x11112222
  v_mov_b32_e32 v15, 0x11112222
  v_mov_b32_e32 v16, 0x11112222
  v_mov_b32_e32 v17, 0x11112222
  global_load_ubyte v10, v4, s[6:7] offset:1
  global_load_sbyte v11, v4, s[6:7] offset:1
  global_load_ushort v12, v4, s[6:7]
  global_load_sshort v13, v4, s[6:7]
  global_load_ubyte_d16 v14, v4, s[6:7] offset:1
  global_load_sbyte_d16_hi v15, v4, s[6:7] offset:1
  global_load_short_d16 v16, v4, s[6:7]
  global_load_short_d16_hi v17, v4, s[6:7]
  s_waitcnt vmcnt(0)
  out 0, v10
  out 1, v11
  out 2, v12
  out 3, v13
  out 4, v14
  out 5, v15
  out 6, v16
  out 7, v17
  s_endpgm

; Stores of parts of 0xaabbccdd + lane at 4 * lane.
kernel narrow_stores
  v_add_u32_e32 v4, 0xaabbccdd, v0
  global_store_byte v1, v4, s[4:5]
  global_store_byte_d16_hi v1, v4, s[4:5] offset:1
  global_store_short_d16_hi v1, v4, s[4:5] offset:2
  global_store_short v1, v4, s[4:5] offset:256
  s_endpgm

; LDS: dword i holds 1000 + i for i < 256; then every wide read and the pairs.
kernel lds_reads
  v_add_u32_e32 v10, 1000, v0
  v_add_u32_e32 v11, 1064, v0
  v_add_u32_e32 v12, 1128, v0
  v_add_u32_e32 v13, 1192, v0
  ds_write2st64_b32 v1, v10, v11 offset1:1
  ds_write2st64_b32 v1, v12, v13 offset0:2 offset1:3
  s_waitcnt lgkmcnt(0)
  ds_read_b128 v[20:23], v3
  ds_read_b96 v[24:26], v3 offset:4
  ds_read_b64 v[28:29], v2 offset:8
  ds_read2_b32 v[30:31], v1 offset0:1 offset1:5
  ds_read2st64_b32 v[32:33], v1 offset0:1 offset1:3
  ds_read2_b64 v[36:39], v2 offset0:2 offset1:2
  ds_read_u16 v40, v1 offset:2
  ds_read_i8 v41, v1
  s_waitcnt lgkmcnt(0)
  out 0, v20
  out 1, v23
  out 2, v24
  out 3, v26
  out 4, v28
  out 5, v29
  out 6, v30
  out 7, v31
  out 8, v32
  out 9, v33
  out 10, v36
  out 11, v39
  out 12, v40
  out 13, v41
  s_endpgm

; LDS atomics: all lanes on dword 0 (add, with return), one dword each for the others; write2 with equal offsets.
kernel lds_atomics
  v_mov_b32_e32 v10, 0
  v_mov_b32_e32 v11, 3
  v_sub_u32_e32 v12, 32, v0                   ; 32 - lane
  ds_write_b32 v1, v10
  ds_write_b32 v1, v12 offset:256
  ds_write_b32 v1, v12 offset:512
  ds_write_b32 v1, v0 offset:768
  ds_add_rtn_u32 v20, v10, v11
  ds_max_rtn_i32 v21, v1, v11 offset:256
  ds_min_rtn_u32 v22, v1, v11 offset:512
  ds_cmpst_rtn_b32 v23, v1, v11, v10 offset:768 ; where it is 3, write 0
  ds_write2_b32 v1, v0, v11 offset0:255 offset1:255
  ds_read_b32 v24, v10
  ds_read_b32 v25, v1 offset:256
  ds_read_b32 v26, v1 offset:512
  ds_read_b32 v27, v1 offset:768
  ds_read_b32 v28, v1 offset:1020
  ds_inc_rtn_u32 v29, v10, v11                 ; 192 >= 3: wraps to 0
  s_waitcnt lgkmcnt(0)
  out 0, v20
  out 1, v21
  out 2, v22
  out 3, v23
  out 4, v24
  out 5, v25
  out 6, v26
  out 7, v27
  out 8, v28
  out 9, v29
  s_endpgm

; Floating-point atomics on memory: f32 1.5 per lane, f64 0.25 per lane, packed f16 and bf16 (1, 2) per lane.
kernel float_atomics
  v_mov_b32_e32 v10, 0
  v_mov_b32_e32 v11, 1.5
  v_mov_b32_e32 v12, 0
  v_mov_b32_e32 v13, 0x3fd00000
  v_mov_b32_e32 v14, 0x40003c00
  v_mov_b32_e32 v15, 0x40003f80
  global_atomic_add_f32 v10, v11, s[6:7]
  global_atomic_add_f64 v10, v[12:13], s[6:7] offset:8
  global_atomic_pk_add_f16 v10, v14, s[6:7] offset:16
  global_atomic_pk_add_bf16 v10, v15, s[6:7] offset:20
  s_endpgm

; Scalar loads with every kind of offset, a store, and atomics. Results come back through lane 0..3 of row 0 and 1.
kernel scalar_memory
  s_mov_b32 s8, 16
  s_mov_b32 m0, 24
  s_load_dword s10, s[6:7], 0x7               ; the low bits are ignored: byte 4
  s_load_dword s11, s[6:7], s8
  s_load_dword s12, s[6:7], s8 offset:0x4
  s_load_dword s13, s[6:7], m0
  s_load_dwordx8 s[16:23], s[6:7], 0x0
  s_mov_b32 s9, 7
  s_store_dword s9, s[6:7], 0x80
  s_mov_b32 s24, 5
  s_atomic_add s24, s[6:7], 0x80 glc          ; old 7, now 12
  s_mov_b32 s26, 100
  s_mov_b32 s27, 12
  s_atomic_cmpswap s[26:27], s[6:7], 0x80 glc ; 12 == 12: becomes 100, old 12
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v10, s10
  v_mov_b32_e32 v11, s11
  v_mov_b32_e32 v12, s12
  v_mov_b32_e32 v13, s13
  v_mov_b32_e32 v14, s23
  v_mov_b32_e32 v15, s24
  v_mov_b32_e32 v16, s26
  out 0, v10
  out 1, v11
  out 2, v12
  out 3, v13
  out 4, v14
  out 5, v15
  out 6, v16
  s_endpgm

; Loads that go to LDS: global by M0, and buffer; row 0 and 1 are what LDS holds afterwards.
kernel lds_direct
  s_mov_b32 m0, 512
  v_mov_b32_e32 v20, 0x5555
  ds_write_b32 v1, v20 offset:1020            ; past what the loads write
  global_load_lds_dword v1, s[6:7]
  s_mov_b32 s8, s6
  s_mov_b32 s9, s7
  s_mov_b32 s10, 128                          ; 32 dwords are in range
  s_mov_b32 s11, 0x20000
  s_mov_b32 m0, 1024
  buffer_load_dword v1, s[8:11], 0 offen lds
  s_waitcnt vmcnt(0)
  ds_read_b32 v10, v1 offset:512
  ds_read_b32 v11, v1 offset:1024
  s_waitcnt lgkmcnt(0)
  out 0, v10
  out 1, v11
  s_endpgm

; Format conversions. The V# says unorm 8_8_8_8 (format 10, number 0) with components in order w, z, y, x.
kernel formats
  s_mov_b32 s8, s6
  s_mov_b32 s9, s7
  s_mov_b32 s10, 252                          ; the last lane is out of range
  s_mov_b32 s11, 0x00050977                   ; data format 10; dst_sel x = 7 (w), y = 6 (z), z = 5 (y), w = 4 (x)
  buffer_load_format_xyzw v[10:13], v1, s[8:11], 0 offen
  tbuffer_load_format_xy v[14:15], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_SINT] offen
  tbuffer_load_format_d16_xyzw v[16:17], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UINT] offen
  s_waitcnt vmcnt(0)
  out 0, v10
  out 1, v11
  out 2, v12
  out 3, v13
  out 4, v14
  out 5, v15
  out 6, v16
  out 7, v17
  s_mov_b32 s8, s4
  s_mov_b32 s9, s5
  s_mov_b32 s10, 0x1000
  v_mov_b32_e32 v20, 0.5
  v_mov_b32_e32 v21, 1.0
  v_mov_b32_e32 v22, 0
  v_mov_b32_e32 v23, 2.0                      ; clamps to 1
  tbuffer_store_format_xyzw v[20:23], v1, s[8:11], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UNORM] offen offset:2048
  s_endpgm
