target triple = "amdgcn-amd-amdhsa"

@__oclc_wavefrontsize64 = external addrspace(4) constant i8

declare float @__ocml_exp2_f32(float)

define float @user_exp2_twice(float %x) #0 {
  %once = call float @__ocml_exp2_f32(float %x)
  %twice = call float @helper(float %once)
  ret float %twice
}

define float @helper(float %x) #1 {
  %y = fadd float %x, %x
  %wide = load i8, ptr addrspace(4) @__oclc_wavefrontsize64
  %is_wide = trunc i8 %wide to i1
  %z = select i1 %is_wide, float %y, float 0.0
  ret float %z
}

define amdgpu_kernel void @not_wanted() {
  ret void
}

attributes #0 = { "target-cpu"="gfx90a" }
attributes #1 = { noinline "target-cpu"="gfx90a" }

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
