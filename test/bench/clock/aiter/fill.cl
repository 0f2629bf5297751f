// Zeroes a buffer, 16 bytes per work-item: replaces the runtime's own fill kernel, which hipMemsetAsync launches and profilers count.
__attribute__((amdgpu_flat_work_group_size(256, 256))) __kernel void fill(__global uint4 *to, unsigned int count)
{
    unsigned int index = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
    if (index < count)
        to[index] = (uint4)(0);
}
