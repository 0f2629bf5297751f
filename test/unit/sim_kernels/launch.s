; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Small kernels for sim_launch_test.c. Every kernel has s[0:1] = kernel arguments, s2, s3, s4 = workgroup ids, and v0 =
; packed work-item ids, unless it says otherwise.

.macro kernel name, lds=0, scratch=0, preload=0, kernarg=72
  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_group_segment_fixed_size \lds
    .amdhsa_private_segment_fixed_size \scratch
    .amdhsa_kernarg_size \kernarg
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_user_sgpr_kernarg_preload_length \preload
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_sgpr_workgroup_id_y 1
    .amdhsa_system_sgpr_workgroup_id_z 1
    .amdhsa_system_vgpr_workitem_id 2
    .amdhsa_next_free_vgpr 32
    .amdhsa_next_free_sgpr 48
    .amdhsa_accum_offset 32
  .end_amdhsa_kernel
  .text
  .p2align 8
  .globl \name
  .type \name,@function
\name:
.endm

; out[4 * item] = {v0, wg x, wg y, wg z}; item numbers all work-items of the grid, x fastest, workgroup by workgroup.
; The workgroup's number comes from the hidden block counts, its size from the hidden group sizes. As in older
; hand-written kernels only the metadata knows the size of the arguments.
kernel ids, kernarg=0
  s_load_dwordx2 s[6:7], s[0:1], 0x0
  s_load_dwordx2 s[8:9], s[0:1], 0x8          ; block_count_x, y
  s_load_dwordx2 s[10:11], s[0:1], 0x14       ; group sizes x, y, z as 16 bits each
  s_waitcnt lgkmcnt(0)
  s_mul_i32 s12, s4, s9
  s_add_i32 s12, s12, s3
  s_mul_i32 s12, s12, s8
  s_add_i32 s12, s12, s2                      ; number of the workgroup
  s_and_b32 s13, s10, 0xffff
  s_lshr_b32 s14, s10, 16
  s_and_b32 s15, s11, 0xffff
  s_mul_i32 s16, s13, s14
  s_mul_i32 s16, s16, s15
  s_mul_i32 s12, s12, s16
  v_and_b32_e32 v1, 0x3ff, v0
  v_bfe_u32 v2, v0, 10, 10
  v_bfe_u32 v3, v0, 20, 10
  v_mul_lo_u32 v3, v3, s14
  v_add_u32_e32 v2, v3, v2
  v_mul_lo_u32 v2, v2, s13
  v_add_u32_e32 v1, v2, v1
  v_add_u32_e32 v1, s12, v1
  v_lshlrev_b32_e32 v1, 4, v1
  v_mov_b32_e32 v4, v0
  v_mov_b32_e32 v5, s2
  v_mov_b32_e32 v6, s3
  v_mov_b32_e32 v7, s4
  global_store_dwordx4 v1, v[4:7], s[6:7]
  s_endpgm

; out[i] = in[255 - i] through LDS, four waves.
kernel reverse, 1024
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  v_and_b32_e32 v0, 0x3ff, v0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[10:11]
  s_waitcnt vmcnt(0)
  ds_write_b32 v1, v2
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_sub_u32_e32 v3, 1020, v1
  ds_read_b32 v4, v3
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v4, s[8:9]
  s_endpgm

; Workgroup k waits until flags[k + 1] is set, then sets flags[k]. The caller sets the last one's flag.
kernel wait_for_next
  s_load_dwordx2 s[6:7], s[0:1], 0x0
  s_lshl_b32 s8, s2, 2
  v_mov_b32_e32 v1, s8
  v_mov_b32_e32 v3, 1
  s_waitcnt lgkmcnt(0)
.Lspin:
  global_load_dword v2, v1, s[6:7] offset:4 sc1
  s_waitcnt vmcnt(0)
  v_cmp_eq_u32_e32 vcc, 1, v2
  s_cbranch_vccz .Lspin
  global_store_dword v1, v3, s[6:7] sc1
  s_endpgm

kernel forever
  s_branch forever

; Stores at out + offset (second argument) in lane 5 only.
kernel store_at
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_mov_b64 exec, 32
  v_mov_b32_e32 v1, 7
  s_waitcnt lgkmcnt(0)
  s_add_u32 s8, s8, s10
  s_addc_u32 s9, s9, s11
  v_mov_b32_e32 v2, 0
  global_store_dword v2, v1, s[8:9]
  s_endpgm

; Writes, then holds an instruction that the simulator does not have.
kernel missing
  s_load_dwordx2 s[6:7], s[0:1], 0x0
  v_mov_b32_e32 v1, 0
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v1, s[6:7]
  v_screen_partition_4se_b32 v2, v1           ; graphics, reached by falling through
  s_endpgm

; What follows the end is data, and may be anything.
kernel data_behind
  s_branch .Lover
  .long 0xffffffff
.Lover:
  s_endpgm
  .long 0xffffffff

kernel jump_out
  s_mov_b64 s[6:7], 0x1234
  s_setpc_b64 s[6:7]

kernel bad_word
  .long 0xffffffff
  s_endpgm

kernel trap
  s_trap 2

; counter += 1 in every work-item; old values go to out[old] = 1.
kernel count
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 1
  s_waitcnt lgkmcnt(0)
  global_atomic_add v3, v1, v2, s[8:9] sc0
  s_waitcnt vmcnt(0)
  v_lshlrev_b32_e32 v3, 2, v3
  global_atomic_add v3, v2, s[10:11]
  s_endpgm

; out[lane] = 3 * lane, where the product comes from a function called by address.
kernel call
  s_load_dwordx2 s[6:7], s[0:1], 0x0
  v_and_b32_e32 v0, 0x3ff, v0
  s_getpc_b64 s[8:9]
.Lhere:
  s_add_u32 s8, s8, triple-.Lhere
  s_addc_u32 s9, s9, 0
  s_swappc_b64 s[30:31], s[8:9]
  v_lshlrev_b32_e32 v2, 2, v0
  s_waitcnt lgkmcnt(0)
  global_store_dword v2, v1, s[6:7]
  s_endpgm
triple:
  v_mul_u32_u24_e32 v1, 3, v0
  s_setpc_b64 s[30:31]

; Each lane writes its number to scratch byte 4 and reads it back by a flat address; out[lane] = that.
kernel scratch, 0, 16
  s_load_dwordx2 s[6:7], s[0:1], 0x0
  v_and_b32_e32 v0, 0x3ff, v0
  v_mov_b32_e32 v1, 4
  scratch_store_dword v1, v0, off
  s_mov_b64 s[8:9], src_private_base
  v_mov_b32_e32 v3, s9
  v_mov_b32_e32 v2, 4
  flat_load_dword v4, v[2:3]
  v_lshlrev_b32_e32 v5, 2, v0
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_store_dword v5, v4, s[6:7]
  s_endpgm

; Arguments preloaded into s[2:5]; workgroup ids follow in s6. Old firmware would run into the trap.
kernel preloaded, 0, 0, 4
  s_trap 2
  .fill 63, 4, 0xbf800000
  v_mov_b32_e32 v2, s4
  v_mov_b32_e32 v3, s5
  v_mov_b32_e32 v4, s6
  s_mov_b64 exec, 1
  s_mul_i32 s7, s6, 12
  v_mov_b32_e32 v0, s7
  global_store_dwordx3 v0, v[2:4], s[2:3]
  s_endpgm

; Waves 1 to 3 leave before the barrier.
kernel leave_early
  s_load_dwordx2 s[6:7], s[0:1], 0x0
  v_and_b32_e32 v0, 0x3ff, v0
  v_readfirstlane_b32 s8, v0
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 .Lleave
  s_barrier
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 42
  global_store_dword v1, v2, s[6:7]
.Lleave:
  s_endpgm

; out[lane] (4 dwords) = buffer_load_dwordx4 at offsets[lane], V# in the third to sixth argument; then the same four
; dwords, plus one each, are stored at offsets[lane] by buffer_store_dwordx4 if the seventh argument is not 0.
kernel buffer
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_load_dwordx4 s[12:15], s[0:1], 0x10
  s_load_dwordx2 s[16:17], s[0:1], 0x20
  v_and_b32_e32 v0, 0x3ff, v0
  v_lshlrev_b32_e32 v1, 2, v0
  v_lshlrev_b32_e32 v8, 4, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[10:11]
  s_waitcnt vmcnt(0)
  buffer_load_dwordx4 v[4:7], v2, s[12:15], s17 offen
  s_waitcnt vmcnt(0)
  global_store_dwordx4 v8, v[4:7], s[8:9]
  s_cmp_eq_u32 s16, 0
  s_cbranch_scc1 .Lno_store
  v_add_u32_e32 v4, 1, v4
  v_add_u32_e32 v5, 1, v5
  v_add_u32_e32 v6, 1, v6
  v_add_u32_e32 v7, 1, v7
  buffer_store_dwordx4 v[4:7], v2, s[12:15], s17 offen
.Lno_store:
  s_endpgm

; out[0..2] = v10, v11, v12 by relative addressing; out[3] stays 7 because vector instructions are skipped.
kernel modes
  s_load_dwordx2 s[6:7], s[0:1], 0x0
  v_mov_b32_e32 v10, 100
  v_mov_b32_e32 v11, 101
  v_mov_b32_e32 v12, 102
  v_mov_b32_e32 v5, 7
  s_mov_b32 s8, 2
  s_set_gpr_idx_on s8, gpr_idx(SRC0)
  v_mov_b32_e32 v2, v8
  v_mov_b32_e32 v3, v9
  s_set_gpr_idx_off
  s_set_gpr_idx_on s8, gpr_idx(DST)
  v_mov_b32_e32 v2, v12
  s_set_gpr_idx_off
  s_mov_b32 s9, 1
  s_setvskip s9, 0
  v_mov_b32_e32 v5, 9
  s_setvskip s9, 1
  v_mov_b32_e32 v0, 0
  s_waitcnt lgkmcnt(0)
  s_mov_b64 exec, 1
  global_store_dwordx4 v0, v[2:5], s[6:7]
  s_endpgm

; Every LDS exchange of ds_swizzle, ds_permute and ds_bpermute: out[lane] (4 dwords).
kernel exchange, 256
  s_load_dwordx2 s[6:7], s[0:1], 0x0
  v_and_b32_e32 v0, 0x3ff, v0
  v_xor_b32_e32 v1, 5, v0
  v_lshlrev_b32_e32 v1, 2, v1
  ds_swizzle_b32 v4, v0 offset:swizzle(SWAP,16)
  ds_swizzle_b32 v5, v0 offset:swizzle(QUAD_PERM,3,2,1,0)
  ds_bpermute_b32 v6, v1, v0
  ds_permute_b32 v7, v1, v0
  v_lshlrev_b32_e32 v2, 4, v0
  s_waitcnt lgkmcnt(0)
  global_store_dwordx4 v2, v[4:7], s[6:7]
  s_endpgm

; A conflict-free read, then one in which all lanes of a group hit one bank.
kernel banks, 16384
  v_and_b32_e32 v0, 0x3ff, v0
  v_lshlrev_b32_e32 v1, 2, v0
  ds_read_b32 v2, v1
  v_lshlrev_b32_e32 v1, 7, v0
  ds_read_b32 v2, v1
  s_endpgm

; Of workgroups up to 128 work-items, as its metadata say.
kernel bounded
  s_endpgm

; Workgroup 0 goes round 10,000 times, the others end at once.
kernel uneven
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 .Lidle
  s_movk_i32 s5, 10000
.Lround:
  v_add_u32_e32 v1, v0, v0
  v_lshlrev_b32_e32 v2, 2, v0
  ds_read_b32 v3, v2
  s_sub_u32 s5, s5, 1
  s_cmp_lg_u32 s5, 0
  s_cbranch_scc1 .Lround
.Lidle:
  s_endpgm

.data
.globl table
.type table,@object
.p2align 4
table:
  .long 11, 22, 33, 44
  .quad table
  .size table, 24

.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: bounded
    .symbol: bounded.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 48
    .vgpr_count: 32
    .max_flat_workgroup_size: 128
  - .name: ids
    .symbol: ids.kd
    .kernarg_segment_size: 72
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 48
    .vgpr_count: 32
    .max_flat_workgroup_size: 1024
    .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer}
      - {.offset: 8, .size: 4, .value_kind: hidden_block_count_x}
      - {.offset: 12, .size: 4, .value_kind: hidden_block_count_y}
      - {.offset: 16, .size: 4, .value_kind: hidden_block_count_z}
      - {.offset: 20, .size: 2, .value_kind: hidden_group_size_x}
      - {.offset: 22, .size: 2, .value_kind: hidden_group_size_y}
      - {.offset: 24, .size: 2, .value_kind: hidden_group_size_z}
...
.end_amdgpu_metadata
