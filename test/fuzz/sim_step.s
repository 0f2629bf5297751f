; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The code object into which sim_step_fuzz.c writes its input. The claimed LDS and the first words of the code are marks
; by which it finds their places.

  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel step
    .amdhsa_group_segment_fixed_size 0x5eed1d50
    .amdhsa_kernarg_size 128
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_user_sgpr_dispatch_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_vgpr_workitem_id 2
    .amdhsa_uses_dynamic_stack 0
    .amdhsa_next_free_vgpr 512
    .amdhsa_next_free_sgpr 96
    .amdhsa_accum_offset 256
  .end_amdhsa_kernel

  .text
  .p2align 8
  .globl step
  .type step,@function
step:
  .long 0x5eedc0de, 0x5eedc0de
  .fill 1022, 4, 0xbf810000 ; s_endpgm
