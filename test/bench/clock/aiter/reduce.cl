// Combines parts of attention over disjoint keys: replaces AITER's own reduction (mla_reduce_v1), which is HIP code. A workgroup has a sequence, a head,
// and 128 of its numbers; parts first[sequence] to first[sequence + 1] - 1 are the rows that `row` lists, each row with all heads. lse: natural logarithms of sums.
__attribute__((amdgpu_flat_work_group_size(128, 128))) __kernel void reduce(__global const float *parts, __global const float *lse, __global ushort *out,
                                                                            __global const int *first, __global const int *row, int heads)
{
    int sequence = __builtin_amdgcn_workgroup_id_x(), head = __builtin_amdgcn_workgroup_id_y();
    int d = __builtin_amdgcn_workgroup_id_z() * 128 + __builtin_amdgcn_workitem_id_x(), width = __builtin_amdgcn_grid_size_z() * 128;
    int begin = first[sequence], end = first[sequence + 1];
    if (begin == end)
        return;
    float top = -__builtin_inff(), sum = 0, total = 0;
    for (int i = begin; i < end; i++)
        top = __builtin_fmaxf(top, lse[row[i] * heads + head]);
    for (int i = begin; i < end; i++) {
        float weight = __builtin_amdgcn_exp2f((lse[row[i] * heads + head] - top) * 1.44269504f);
        total += weight;
        sum += weight * parts[((long)row[i] * heads + head) * width + d];
    }
    unsigned int bits = __builtin_bit_cast(unsigned int, sum / total);
    out[((long)sequence * heads + head) * width + d] = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}
