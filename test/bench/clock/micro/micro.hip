// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of the clock's microbenchmarks (micro.def) whose counterparts were measured as compiled programs; clang-22 compiles them when the benchmark runs.
// They do the same work in the same form (elements per work-item, sharing), but are written independently.
//
// `skip` is never set; it replaces the tests in the measured programs.
#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(64, 1024))) void
#define ITEM __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()

// One element per work-item of an array with `count` elements. Unused LDS limits the number of resident workgroups.
#define ELEMENT(name, number, work)                                                                                    \
    KERNEL name(double *to, const double *from, unsigned count, unsigned items, bool skip)                             \
    {                                                                                                                  \
        const unsigned at = number;                                                                                    \
        if (at < count && !skip)                                                                                       \
            work;                                                                                                      \
    }
#define OWN (GROUP * items + ITEM)
#define SHARED (OWN % 24544) // 192 KB, common to all
#define LOAD                                                                                                           \
    if (from[at] < -1)                                                                                                 \
    to[at] = skip
ELEMENT(stream_init, OWN, to[at] = 1)
ELEMENT(stream_read, OWN, LOAD)
ELEMENT(stream_scale, OWN, to[at] = 3 * from[at])
ELEMENT(stream_triad, OWN, to[at] = from[at] * from[at + count] + from[at + 2ul * count])
ELEMENT(l2_init, SHARED, to[at] = 1)
ELEMENT(l2_read, SHARED, LOAD)
ELEMENT(l2_scale, SHARED, to[at] = 3 * from[at])
ELEMENT(l2_triad, SHARED, to[at] = from[at] * from[at + 32768] + from[at + 65536])

// Each workgroup of 1024 reads one of `count` regions of 512 KB, in turn.
KERNEL regions(double *to, const double *from, unsigned count)
{
    const double *own = from + (unsigned long)(GROUP % count) * 65536 + ITEM;
    double sum = 0;
#pragma unroll 16
    for (unsigned i = 0; i < 64; i++)
        sum += own[i * 1024];
    if (sum < -1)
        to[ITEM] = sum;
}

// Each workgroup of 256 reads `count` floats in order.
KERNEL everything(float *to, const float *from, unsigned count)
{
    float sum = 0;
#pragma unroll 32
    for (unsigned i = 0; i < count; i += 256)
        sum += from[i + ITEM];
    to[ITEM] = sum;
}

// A polynomial with equal coefficients by Horner's rule: 1024 dependent multiply-adds.
#define HORNER(name, type)                                                                                             \
    KERNEL name(type *to, const type *from, unsigned count, unsigned items)                                            \
    {                                                                                                                  \
        const unsigned at = OWN;                                                                                       \
        const type x = from[at];                                                                                       \
        type y = 0;                                                                                                    \
        for (unsigned i = 0; i < 1024; i++)                                                                            \
            y = y * x + (type)1.25;                                                                                    \
        to[at] = y;                                                                                                    \
    }
HORNER(horner_f16, _Float16)
HORNER(horner_f32, float)
HORNER(horner_f64, double)
HORNER(horner_i32, int)
