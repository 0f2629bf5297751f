; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; For sim_hip_rules_test.c: a managed variable as clang makes it, and what a cooperative launch tells its kernel: out = the 48 bytes that the hidden argument points to, or unchanged where
; that is null.

  .data
  .p2align 3
  .globl shared.managed
  .type shared.managed,@object
  .size shared.managed, 4
shared.managed:
  .long 10
  .p2align 3
  .globl shared
  .type shared,@object
  .size shared, 8
shared:
  .quad 0

  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel grid_info
    .amdhsa_kernarg_size 16
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 64
    .amdhsa_accum_offset 16
  .end_amdhsa_kernel
  .text
  .p2align 8
  .globl grid_info
  .type grid_info,@function
grid_info:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_mov_b32_e32 v0, 0
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u64 s[6:7], 0
  s_cbranch_scc1 .Lend
  global_load_dwordx4 v[2:5], v0, s[6:7]
  global_load_dwordx4 v[6:9], v0, s[6:7] offset:16
  global_load_dwordx4 v[10:13], v0, s[6:7] offset:32
  s_waitcnt vmcnt(0)
  global_store_dwordx4 v0, v[2:5], s[4:5]
  global_store_dwordx4 v0, v[6:9], s[4:5] offset:16
  global_store_dwordx4 v0, v[10:13], s[4:5] offset:32
.Lend:
  s_endpgm

  .amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.kernels:
  - .name: grid_info
    .symbol: grid_info.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 64
    .vgpr_count: 16
    .max_flat_workgroup_size: 1024
    .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 8, .size: 8, .value_kind: hidden_multigrid_sync_arg}
  .end_amdgpu_metadata
