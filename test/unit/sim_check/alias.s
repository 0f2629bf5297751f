; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Kernels that read through their first argument and store through their second. sim_check_alias_test.c gives both the
; same buffer. One workgroup.
.include "kernel.inc"

kernel saddr
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v3, v1, s[4:5]
  s_waitcnt vmcnt(0)
  global_store_dword v1, v3, s[6:7]
  s_endpgm

; Addresses in vector registers, through additions with carry.
kernel flat
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v3, s5
  v_add_co_u32_e32 v2, vcc, s4, v1
  s_nop 1
  v_addc_co_u32_e32 v3, vcc, 0, v3, vcc
  v_mov_b32_e32 v5, s7
  v_add_co_u32_e32 v4, vcc, s6, v1
  s_nop 1
  v_addc_co_u32_e32 v5, vcc, 0, v5, vcc
  flat_load_dword v6, v[2:3]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  flat_store_dword v[4:5], v6
  s_endpgm

; Descriptors of buffers.
kernel descriptor
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_mov_b32 s10, 4096
  s_mov_b32 s11, 0x27000
  s_mov_b32 s14, s10
  s_mov_b32 s15, s11
  s_waitcnt lgkmcnt(0)
  s_mov_b64 s[8:9], s[4:5]
  s_mov_b64 s[12:13], s[6:7]
  buffer_load_dword v3, v1, s[8:11], 0 offen
  s_waitcnt vmcnt(0)
  buffer_atomic_add v3, v1, s[12:15], 0 offen
  s_endpgm

kernel scalar
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_mov_b32_e32 v1, 0
  s_waitcnt lgkmcnt(0)
  s_load_dword s8, s[4:5], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v2, s8
  global_store_dword v1, v2, s[6:7]
  s_endpgm

; Both pointers lie in lanes of one register for a while, as spilled ones do: which is which is not known any more.
kernel lanes
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v2, 0
  s_waitcnt lgkmcnt(0)
  v_writelane_b32 v2, s4, 0
  v_writelane_b32 v2, s5, 1
  v_writelane_b32 v2, s6, 2
  v_writelane_b32 v2, s7, 3
  s_nop 4
  v_readlane_b32 s8, v2, 0
  v_readlane_b32 s9, v2, 1
  v_readlane_b32 s10, v2, 2
  v_readlane_b32 s11, v2, 3
  s_nop 4
  global_load_dword v3, v1, s[8:9]
  s_waitcnt vmcnt(0)
  global_store_dword v1, v3, s[10:11]
  s_endpgm

; The first argument again, chosen out of both.
kernel chosen
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_cmp_eq_u32 s2, 0
  s_waitcnt lgkmcnt(0)
  s_cselect_b32 s8, s4, s6
  s_cselect_b32 s9, s5, s7
  global_load_dword v3, v1, s[6:7]
  s_waitcnt vmcnt(0)
  global_store_dword v1, v3, s[8:9]
  s_endpgm

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - { .name: saddr, .symbol: saddr.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 48, .vgpr_count: 128, .max_flat_workgroup_size: 256, .args: [ { .name: x, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }, { .name: y, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global } ] }
  - { .name: flat, .symbol: flat.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 48, .vgpr_count: 128, .max_flat_workgroup_size: 256, .args: [ { .name: x, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }, { .name: y, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global } ] }
  - { .name: descriptor, .symbol: descriptor.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 48, .vgpr_count: 128, .max_flat_workgroup_size: 256, .args: [ { .name: x, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }, { .name: y, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global } ] }
  - { .name: scalar, .symbol: scalar.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 48, .vgpr_count: 128, .max_flat_workgroup_size: 256, .args: [ { .name: x, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }, { .name: y, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global } ] }
  - { .name: lanes, .symbol: lanes.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 48, .vgpr_count: 128, .max_flat_workgroup_size: 256, .args: [ { .name: x, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }, { .name: y, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global } ] }
  - { .name: chosen, .symbol: chosen.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 48, .vgpr_count: 128, .max_flat_workgroup_size: 256, .args: [ { .name: x, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }, { .name: y, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global } ] }
...
.end_amdgpu_metadata
