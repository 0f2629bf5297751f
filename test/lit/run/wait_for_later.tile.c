// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that wait for a later one, as in stream-K, end whatever the number of the simulator's
// host threads: with two waves or more a scalar atomic operation has a barrier around it, so a
// waiting loop has one, and it must not keep its host thread.
// RUN: env KILN_SIM_THREADS=1 %kiln run --device=sim --cache-mode=off %s flag=i32[1] part=f32[256] o=f32[4,256] \
// RUN:   --grid 5 --num-warps=2 --print o[0:4,254:256] | FileCheck %s
// RUN: env KILN_SIM_THREADS=2 %kiln run --device=sim --cache-mode=off %s flag=i32[1] part=f32[256] o=f32[4,256] \
// RUN:   --grid 5 --num-warps=2 --print o[0:4,254:256] | FileCheck %s
// RUN: env KILN_SIM_THREADS=2 %kiln run --device=sim --cache-mode=off %s flag=i32[1] part=f32[256] o=f32[4,256] \
// RUN:   --grid 5 --num-warps=8 --print o[0:4,254:256] | FileCheck %s
// RUN: env KILN_SIM_THREADS=4 %kiln run --device=sim --cache-mode=off %s flag=i32[1] part=f32[256] o=f32[4,256] \
// RUN:   --grid 5 --num-warps=1 --print o[0:4,254:256] | FileCheck %s
// CHECK-COUNT-4: {{^ *4 4$}}

kernel void wait_for_later(i32 *flag, f32 *part, f32 *o, constexpr i32 B = 256)
{
    i32 p = program_id(0);
    i32 k[B] = range(B);
    i32 last = num_programs(0) - 1;
    if (p < last) {
        while (atomic_cas(flag, 1, 1) != 1)
            ;
        store(o + p * B + k, load(part + k));
    } else {
        store(part + k, zeros(f32, B) + (f32)last);
        barrier();
        atomic_xchg(flag, 1);
    }
}
