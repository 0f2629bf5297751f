; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Accesses at the edge of what there is. Correct as they are; sim_check_memory_test.c takes lines away. Both buffers have
; 4096 bytes.
.include "kernel.inc"

; A descriptor of 1022 bytes would cut the last dword in two.
kernel torn
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, s4
  s_and_b32 s13, s5, 0xffff
  s_movk_i32 s14, 0x3fe
  s_add_u32 s14, s14, 2                     ; -torn_records
  s_mov_b32 s15, 0x20000
  s_nop 4
  buffer_load_dword v2, v1, s[12:15], 0 offen
  s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[6:7]
  s_endpgm

; A descriptor that is long enough for both buffers and what lies between them.
kernel both
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s8, s6, s4
  s_mov_b32 s8, 0                           ; -both_offset
  s_mov_b32 s12, s4
  s_and_b32 s13, s5, 0xffff
  s_mov_b32 s14, 0x7ffffffe
  s_mov_b32 s15, 0x20000
  s_nop 4
  buffer_load_dword v2, v1, s[12:15], s8 offen
  s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[6:7]
  s_endpgm

; Lanes from 128 on are masked by an offset that no descriptor reaches; without that, the descriptor cuts them off.
kernel masked
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_bfrev_b32_e32 v2, 1
  v_cmp_gt_u32_e32 vcc, 0x80, v0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_movk_i32 s14, 0x200
  s_mov_b32 s15, 0x20000
  v_cndmask_b32_e32 v1, v2, v1, vcc         ; -masked_offset
  s_nop 4
  buffer_store_dword v0, v1, s[12:15], 0 offen
  s_endpgm

; The machine does misaligned buffer accesses, slowly.
kernel bent
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_or_b32_e32 v1, 2, v1
  v_and_b32_e32 v1, 0xffc, v1               ; -bent_mask
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_movk_i32 s14, 0x1000
  s_mov_b32 s15, 0x20000
  v_mov_b32_e32 v2, 0
  v_mov_b32_e32 v3, 0
  s_nop 4
  buffer_store_dwordx2 v[2:3], v1, s[12:15], 0 offen
  s_endpgm

; Not those of formats, and not atomics.
kernel bent_format
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_or_b32_e32 v1, 2, v1
  v_and_b32_e32 v1, 0xffc, v1               ; -bent_format_mask
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_movk_i32 s14, 0x1000
  s_mov_b32 s15, 0x20000
  s_nop 4
  tbuffer_load_format_x v2, v1, s[12:15], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_UINT] offen
  s_waitcnt vmcnt(0)
  s_endpgm

kernel bent_atomic
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_or_b32_e32 v1, 2, v1
  v_and_b32_e32 v1, 0xffc, v1               ; -bent_atomic_mask
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, s4
  s_and_b32 s13, s5, 0xffff
  s_movk_i32 s14, 0x1000
  s_mov_b32 s15, 0x20000
  v_mov_b32_e32 v2, 1
  s_nop 4
  buffer_atomic_add v2, v1, s[12:15], 0 offen
  s_waitcnt vmcnt(0)
  s_endpgm

; An atomic in LDS must be aligned.
kernel aligned, lds=1032
  v_lshlrev_b32_e32 v1, 2, v0
  v_or_b32_e32 v1, 2, v1
  v_and_b32_e32 v1, 0xffc, v1               ; -aligned_mask
  v_mov_b32_e32 v2, 1
  ds_add_u32 v1, v2
  s_waitcnt lgkmcnt(0)
  s_endpgm

; M0 leads a load straight to LDS.
kernel direct_end, lds=1024
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_nop 0
  v_readfirstlane_b32 s8, v1
  s_addk_i32 s8, 0x100
  s_and_b32 s8, s8, 0x300                   ; -direct_mask
  s_waitcnt lgkmcnt(0)
  s_mov_b32 m0, s8
  s_nop 0
  global_load_lds_dword v1, s[4:5]
  s_waitcnt vmcnt(0)
  s_endpgm

; A lane has 16 bytes of scratch.
kernel private, scratch=16
  v_lshlrev_b32_e32 v1, 2, v0
  v_and_b32_e32 v1, 12, v1                  ; -private_mask
  scratch_store_dword v1, v0, off
  s_waitcnt vmcnt(0)
  s_endpgm

; Two bytes that LLVM stores together.
kernel private_bytes, scratch=16
  v_and_b32_e32 v1, 15, v0
  v_min_u32_e32 v1, 14, v1
  v_and_b32_e32 v1, 14, v1                  ; -private_bytes_mask
  scratch_store_short v1, v0, off
  s_waitcnt vmcnt(0)
  s_endpgm

; An atomic in memory must be aligned.
kernel atomic
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_and_b32_e32 v1, 0xff8, v1               ; -atomic_mask
  v_mov_b32_e32 v2, 1
  v_mov_b32_e32 v3, 0
  s_waitcnt lgkmcnt(0)
  global_atomic_add_x2 v1, v[2:3], s[6:7]
  s_endpgm

; source[i] to destination[i].
kernel copy
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[6:7]
  s_endpgm

; Each workgroup stores an undefined value; those from 60 on leave the buffer.
kernel late
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v9, s[6:7]
  s_cmp_lt_u32 s2, 60
  s_cselect_b32 s8, 0, 0x100000
  v_add_u32_e32 v1, s8, v1
  global_store_dword v1, v0, s[6:7]
  s_endpgm

; The arguments have 16 bytes.
kernel arguments
  s_movk_i32 s4, 0x10
  s_mov_b32 s4, 0                           ; -arguments_offset
  s_load_dword s5, s[0:1], s4
  s_waitcnt lgkmcnt(0)
  s_endpgm

; An address and an offset that are misaligned, and whose sum is not: the machine drops the low bits of each.
kernel halves
  s_or_b32 s6, s0, 2
  s_mov_b32 s7, s1
  s_and_b32 s6, s6, -4                      ; -halves_mask
  s_and_b32 s4, s6, 2
  s_load_dword s5, s[6:7], s4
  s_waitcnt lgkmcnt(0)
  s_endpgm

; The offset of an instruction leads back from a negative address.
kernel reversed, lds=1024
  v_lshlrev_b32_e32 v1, 2, v0
  v_sub_u32_e32 v1, 0, v1
  v_mov_b32_e32 v2, v0
  ds_write_b32 v1, v2 offset:1020
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_lshlrev_b32_e32 v1, 2, v0               ; -reversed_address
  ds_read_b32 v3, v1
  s_waitcnt lgkmcnt(0)
  s_endpgm

; A typed access, by a descriptor that is too long to cut it off.
kernel typed_long
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, s6
  s_and_b32 s13, s7, 0xffff
  s_mov_b32 s14, 0x10000
  s_mov_b32 s15, 0x27000
  s_movk_i32 s16, 0xc04
  s_movk_i32 s16, 0xc00                     ; -typed_offset
  tbuffer_load_format_x v2, v1, s[12:15], s16 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_UINT] offen
  s_waitcnt vmcnt(0)
  s_endpgm

; The machine does misaligned accesses, slowly.
kernel multiples, lds=4112
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  ds_write_b32 v1, v0
  v_lshlrev_b32_e32 v2, 1, v0
  v_and_b32_e32 v2, 0x3fc, v2               ; -multiples_lds
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b128 v[4:7], v2
  v_lshlrev_b32_e32 v3, 1, v0
  v_and_b32_e32 v3, 0x3fc, v3               ; -multiples_memory
  global_load_dwordx2 v[8:9], v3, s[4:5]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
