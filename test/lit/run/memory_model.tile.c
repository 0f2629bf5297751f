// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter and the simulator's checks report behaviour that the memory model leaves undefined; for defined behaviour
// both compute the same, without a report.
// RUN: sh -c '%kiln run --device=interp %s --kernel=overlap y=f32[64]; test $? = 1' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OVERLAP
// RUN: sh -c '%kiln run --device=interp %s --kernel=writers y=f32[4] --grid 4; test $? = 1' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRITERS
// RUN: sh -c '%kiln run --device=interp %s --kernel=reader y=f32[4] x=f32[4] --grid 4; test $? = 1' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=READER
// RUN: sh -c '%kiln run --device=interp %s --kernel=late y=f32[4] x=f32[4] --grid 4; test $? = 1' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LATE
// RUN: sh -c '%kiln run --device=interp %s --kernel=plain_counter c=i32[1] --grid 2; test $? = 1' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COUNTER
// RUN: sh -c '%kiln run --device=interp %s --kernel=mixed c=i32[1] x=i32[1] --grid 4; test $? = 1' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MIXED
// RUN: sh -c '%kiln run --device=interp %s --kernel=halves h=f16[8] --grid 4; test $? = 1' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HALVES
// RUN: %kiln run --device=interp --interp=lenient %s --kernel=overlap y=f32[64] --print y[0:4] \
// RUN:   | FileCheck %s --check-prefix=LENIENT
// RUN: %kiln run --device=interp --interp=lenient %s --kernel=writers y=f32[4] --grid 4 --print y \
// RUN:   | FileCheck %s --check-prefix=ORDER
// OVERLAP: memory_model.tile.c:[[#OVERLAP:]]:5: error: stores to an address where an earlier element of the tile has stored another value
// OVERLAP: note: at element [1] of the tile
// OVERLAP: note: use --interp=lenient to continue with the last value
// WRITERS: error: overwrites what program (0, 0, 0) has written, with no ordering between them
// WRITERS: note: in program (1, 0, 0)
// WRITERS: note: the other access is at {{.*}}memory_model.tile.c:
// WRITERS: note: use --interp=lenient to continue with the programs in order
// READER: error: reads what program (0, 0, 0) has written, with no ordering between them
// LATE: error: overwrites what program (0, 0, 0) has read, with no ordering between them
// COUNTER: error: reads what program (0, 0, 0) has written
// MIXED: error: updates what program (1, 0, 0) has read non-atomically
// HALVES: error: overwrites what program (0, 0, 0) has written
// LENIENT: 1 3 5 7
// ORDER: 1 3 0 0

// RUN: sh -c '%kiln run --device=sim --cache-mode=off --check=all,global-race %s --kernel=overlap y=f32[64]; \
// RUN:   test $? = 1' 2>&1 | FileCheck %s --check-prefix=SIM-OVERLAP
// RUN: sh -c '%kiln run --device=sim --cache-mode=off --check=all,global-race %s --kernel=writers y=f32[4] --grid 4; \
// RUN:   test $? = 1' 2>&1 | FileCheck %s --check-prefix=SIM-WRITERS
// RUN: sh -c '%kiln run --device=sim --cache-mode=off --check=all,global-race %s --kernel=reader y=f32[4] x=f32[4] \
// RUN:   --grid 4; test $? = 1' 2>&1 | FileCheck %s --check-prefix=SIM-READER
// RUN: sh -c '%kiln run --device=sim --cache-mode=off --check=all,global-race %s --kernel=mixed c=i32[1] x=i32[1] \
// RUN:   --grid 4; test $? = 1' 2>&1 | FileCheck %s --check-prefix=SIM-MIXED
// SIM-OVERLAP: global-race: lanes 0 and 1 of one store write different values to device memory at
// SIM-WRITERS: global-race: a wave writes device memory at {{.*}}, which wave 0 of workgroup number {{[0-9]}} writes
// SIM-READER: global-race: a wave reads device memory at {{.*}}, which wave 0 of workgroup number 0 writes
// SIM-MIXED: global-race: a wave changes device memory at {{.*}}, which wave 0 of workgroup number 1 reads

// RUN: for d in interp sim; do %kiln run --device=$d $(test $d = sim \
// RUN:   && echo --cache-mode=off --check=all,global-race) %s --kernel=defined 'y=f32[64]' 'x=f32[64]' 'c=i32[2]' \
// RUN:   's=f32[1]' 'z=f32[64]' --grid 4 --print 'x[0:4]' --print 's' --print 'c' --print 'z[0:2]' || exit 1; done \
// RUN:   | FileCheck %s --check-prefix=DEFINED
// DEFINED: x[0:4] =
// DEFINED-NEXT: 9 5 5 5
// DEFINED: s =
// DEFINED-NEXT: 64
// DEFINED: c =
// DEFINED-NEXT: 4 6
// DEFINED: z[0:2] =
// DEFINED-NEXT: 3 3
// DEFINED: 9 5 5 5
// DEFINED: 64
// DEFINED: 4 6
// DEFINED: 3 3

kernel void overlap(f32 *y)
{
    i32 i[64] = range(64);
    store(y + i / 2, i);
}
kernel void writers(f32 *y)
{
    i32 p = program_id(0);
    store(y + p / 2, p);
}
kernel void reader(f32 *y, f32 *x)
{
    i32 p = program_id(0);
    store(y + p, 1.0 + p);
    if (p > 0)
        store(x + p, load(y + p - 1));
}
kernel void late(f32 *y, f32 *x)
{
    i32 p = program_id(0), count = num_programs(0);
    store(x + p, load(y + (p + 1) % count));
    store(y + p, 1.0 + p);
}
kernel void plain_counter(i32 *c)
{
    *c = *c + 1;
}
kernel void mixed(i32 *c, i32 *x)
{
    atomic_add(c, 1);
    if (program_id(0) == 1)
        store(x, load(c));
}
// Places of 2 bytes, then of 4: a part of an element counts.
kernel void halves(f16 *h)
{
    i32 p = program_id(0);
    store(h + p, 1.0);
    store((i32 *)h + p / 4, p + 7);
}
// A program sees its own stores in their order, through any element; programs that store one value agree; an atomic
// operation hands on what was done before it.
kernel void defined(f32 *y, f32 *x, i32 *c, f32 *s, f32 *z)
{
    i32 p = program_id(0), i[16] = range(16);
    store(y + p * 16 + i, 2.0);
    store(y + p * 16 + i, 1.0);
    f32 seen[16] = load(y + p * 16 + 15 - i);
    store(x + p * 16 + i, seen + 4);
    store(x + p * 16, 9);
    store(z + i, 3.0);
    atomic_add(c + 1, p);
    if (atomic_add(c, 1) == num_programs(0) - 1)
        store(s, sum(load(y + range(64))));
}
