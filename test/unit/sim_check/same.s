; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; For the test of equal launches: counted reads as many KB of its first argument as the first word
; there says; gathered reads dwords of its second argument, at the offsets in its first one.
.include "kernel.inc"

kernel counted
  s_load_dwordx2 s[4:5], s[0:1], 0
  v_lshlrev_b32 v0, 4, v0
  s_waitcnt lgkmcnt(0)
  s_load_dword s9, s[4:5], 0
  s_waitcnt lgkmcnt(0)
counted_loop:
  global_load_dwordx4 v[4:7], v0, s[4:5]
  v_add_u32 v0, 1024, v0
  s_waitcnt vmcnt(0)
  s_sub_u32 s9, s9, 1
  s_cmp_lg_u32 s9, 0
  s_cbranch_scc1 counted_loop
  s_endpgm

kernel gathered
  s_load_dwordx4 s[4:7], s[0:1], 0
  v_lshlrev_b32 v0, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v1, v0, s[4:5]
  s_waitcnt vmcnt(0)
  global_load_dword v2, v1, s[6:7]
  s_waitcnt vmcnt(0)
  s_endpgm

.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: counted
    .symbol: counted.kd
    .kernarg_segment_size: 16
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 48
    .vgpr_count: 128
    .max_flat_workgroup_size: 1024
    .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: gathered
    .symbol: gathered.kd
    .kernarg_segment_size: 16
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 48
    .vgpr_count: 128
    .max_flat_workgroup_size: 1024
    .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
...
.end_amdgpu_metadata
