// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What orders two programs, and what does not: program 0 stores to x, the last one reads it, with
// only atomic operations between them.
// RUN: sh %S/Inputs/each.sh '%kiln run --device=interp %s x=i32[64] y=i32[64] c=i32[64] --grid 3 --kernel' relaxed \
// RUN:   other_place cta failed_swap loaded tile 2>&1 | grep -E 'error:|code' > %t.races
// RUN: FileCheck %s --check-prefix=RACE --input-file=%t.races
// RACE-COUNT-6: error: reads what program (0, 0, 0) has written, with no ordering between them{{$[[:space:]]}}code 1
// RUN: sh %S/Inputs/each.sh \
// RUN:   '%kiln run --device=interp %s x=i32[64] y=i32[64] c=i32[64] --grid 3 --print y[0:2] --kernel' direct chain \
// RUN:   sequence later swap polled tile_behind_barrier tile_itself > %t.order 2>&1
// RUN: FileCheck %s --check-prefix=ORDER --input-file=%t.order
// ORDER-COUNT-8: {{7 7[[:space:]]*$[[:space:]]}}code 0

kernel void relaxed(i32 *x, i32 *y, i32 *c)
{
    if (program_id(0) == 0) {
        store(x + range(2), 7);
        atomic_add(c, 1, .order = relaxed);
    } else if (atomic_add(c, 0, .order = acquire)) {
        store(y + range(2) + 2 * program_id(0) - 4, load(x + range(2)), program_id(0) == 2);
    }
}
kernel void other_place(i32 *x, i32 *y, i32 *c)
{
    if (program_id(0) == 0) {
        store(x + range(2), 7);
        atomic_add(c, 1, .order = release);
    } else if (program_id(0) == 2) {
        atomic_add(c + 1, 1, .order = acquire);
        if (atomic_add(c, 0, .order = relaxed))
            store(y + range(2), load(x + range(2)));
    }
}
kernel void cta(i32 *x, i32 *y, i32 *c)
{
    if (program_id(0) == 0) {
        store(x + range(2), 7);
        atomic_add(c, 1, .scope = cta);
    } else if (program_id(0) == 2 && atomic_add(c, 0)) {
        store(y + range(2), load(x + range(2)));
    }
}
kernel void failed_swap(i32 *x, i32 *y, i32 *c)
{
    if (program_id(0) == 0) {
        store(x + range(2), 7);
        atomic_cas(c, 5, 6); // there is 0
    } else if (program_id(0) == 2) {
        atomic_add(c, 0);
        store(y + range(2), load(x + range(2)));
    }
}
kernel void loaded(i32 *x, i32 *y, i32 *c)
{
    if (program_id(0) == 0) {
        store(x + range(2), 7);
        atomic_add(c, 1);
    } else if (program_id(0) == 2 && load(c, .volatile = true)) {
        store(y + range(2), load(x + range(2)));
    }
}
kernel void tile(i32 *x, i32 *y, i32 *c)
{
    if (program_id(0) == 0) {
        store(x + range(2), 7);
        atomic_add(c + range(64), 1);
    } else if (program_id(0) == 2) {
        atomic_add(c, 0);
        store(y + range(2), load(x + range(2)));
    }
}

kernel void direct(i32 *x, i32 *y, i32 *c)
{
    if (program_id(0) == 0) {
        store(x + range(2), 7);
        atomic_add(c, 1, .order = release);
    } else if (program_id(0) == 2) {
        atomic_add(c, 0, .order = acquire);
        store(y + range(2), load(x + range(2)));
    }
}
// What program 1 has seen goes on to who sees program 1.
kernel void chain(i32 *x, i32 *y, i32 *c)
{
    i32 p = program_id(0);
    if (p == 0)
        store(x + range(2), 7);
    if (p > 0)
        atomic_add(c + p - 1, 0, .order = acquire);
    if (p == 2)
        store(y + range(2), load(x + range(2)));
    atomic_xchg(c + p, 1, .order = release);
}
// A relaxed update between a release and an acquire does not part them.
kernel void sequence(i32 *x, i32 *y, i32 *c)
{
    i32 p = program_id(0);
    if (p == 0) {
        store(x + range(2), 7);
        atomic_add(c, 1, .order = release);
    } else if (p == 1) {
        atomic_add(c, 1, .order = relaxed);
    } else {
        atomic_add(c, 0, .order = acquire);
        store(y + range(2), load(x + range(2)));
    }
}
// A later release, at another place, releases what an earlier one has released.
kernel void later(i32 *x, i32 *y, i32 *c)
{
    if (program_id(0) == 0) {
        store(x + range(2), 7);
        atomic_add(c, 1, .order = release);
        atomic_add(c + 1, 1, .order = release);
    } else if (program_id(0) == 2) {
        atomic_add(c + 1, 0, .order = acquire);
        store(y + range(2), load(x + range(2)));
    }
}
kernel void swap(i32 *x, i32 *y, i32 *c)
{
    if (program_id(0) == 0) {
        store(x + range(2), 7);
        atomic_cas(c, 0, 6);
    } else if (program_id(0) == 2) {
        atomic_cas(c, 9, 9); // fails, and acquires all the same
        store(y + range(2), load(x + range(2)));
    }
}
kernel void polled(i32 *x, i32 *y, i32 *c)
{
    if (program_id(0) == 2) {
        store(x + range(2), 7);
        atomic_add(c, 1, .order = release);
    } else if (program_id(0) == 0) {
        atomic_poll(c, 1);
        store(y + range(2), load(x + range(2)));
    }
}
kernel void tile_behind_barrier(i32 *x, i32 *y, i32 *c)
{
    if (program_id(0) == 0) {
        store(x + range(2), 7);
        barrier();
        atomic_add(c + range(64), 1);
    } else if (program_id(0) == 2) {
        atomic_add(c, 0);
        store(y + range(2), load(x + range(2)));
    }
}
// What an atomic operation on a tile leaves is seen by who acquires there.
kernel void tile_itself(i32 *x, i32 *y, i32 *c)
{
    if (program_id(0) == 0) {
        atomic_add(c + range(64), 7);
    } else if (program_id(0) == 2) {
        atomic_add(c, 0);
        store(y + range(2), load(c + range(2)));
    }
}
