// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops and branches: which become scf.for, which scf.while, and how break, continue and return
// exit.
// RUN: %kiln compile --from=tile --emit=tt --kernel=control %s -o - | FileCheck %s

i32 half(i32 n)
{
    if (n < 0)
        return 0;
    return n / 2;
}

// Bounds and steps may be any computation that the body leaves alone, but not a load.
// RUN: %kiln compile --from=tile --emit=tt --kernel=bounds %s -o - | FileCheck %s --check-prefix=BOUNDS
// BOUNDS: scf.if
// BOUNDS: arith.divsi
// BOUNDS: scf.for
// BOUNDS: scf.for
// BOUNDS: tt.get_num_programs
// BOUNDS: scf.for
// BOUNDS-NOT: scf.for
// BOUNDS: scf.while
kernel void bounds(i32 *p, i32 n)
{
    for (i32 i = 0; i < half(n); i++)
        p[i] = 1;
    for (i32 i = 0; i < cdiv(n, n * 2 + 1); i++)
        p[i] = 2;
    for (i32 i = program_id(0); i < n; i += num_programs(0))
        p[i] = 3;
    for (i32 i = 0; i < *p; i++)
        p[i] = 4;
}

// A counted loop; what it changes goes round.
// CHECK-LABEL: tt.func public @control
kernel void control(i32 *p, i32 n)
{
    // CHECK: %[[SUM:.*]] = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (i32)  : i32 {
    // CHECK:   %[[T:.*]] = arith.addi %[[S]], %[[I]]
    // CHECK:   scf.yield %[[T]]
    i32 sum = 0;
    for (i32 i = 0; i < n; i += 2)
        sum += i;
    // CHECK: tt.store %{{.*}}, %[[SUM]]
    *p = sum;

    // <= includes the bound, which may be the last number of its type.
    // CHECK: %[[MOST:.*]] = arith.maxsi %n, %[[BEFORE:.*]] : i32
    // CHECK: %[[HIGH:.*]] = arith.subi %[[MOST]], %[[BEFORE]] : i32
    // CHECK: scf.for unsigned %[[I:.*]] = %{{.*}} to %[[HIGH]] step
    // CHECK:   tt.addptr %{{.*}}, %[[I]]
    // CHECK: } {tt.loop_unroll_factor = 4 : i32, tt.num_stages = 3 : i32}
    [[num_stages(3), unroll(4)]] for (i32 i = 0; i <= n; i++)
        p[i] = i;

    // Downwards: the distance from the start goes up.
    // CHECK: %[[SPAN:.*]] = arith.maxsi %n, %c0_i32
    // CHECK: scf.for unsigned %[[D:.*]] = %{{.*}} to %[[SPAN]] step
    // CHECK:   %[[K:.*]] = arith.subi %{{.*}}, %[[D]]
    // CHECK:   tt.addptr %{{.*}}, %[[K]]
    for (i32 i = n; i > 0; i -= 3)
        p[i] = 7;

    // The body changes the counter: no counted loop.
    // CHECK: scf.while
    // CHECK: scf.condition
    // CHECK-NOT: scf.for
    for (i32 i = 0; i < n; i++)
        i += p[i];

    // The bound changes.
    // CHECK: scf.while
    for (i32 i = 0; i < n; i++)
        n -= p[i];

    // Unsigned counters wrap: no counted loop.
    // CHECK: scf.while
    // CHECK: arith.cmpi ult
    for (u32 i = 0; i < 100u; i++)
        p[i] = 3;

    // break: a flag joins the condition, and the step is not taken.
    // CHECK: scf.while (%[[B:.*]] = %false
    // CHECK:   %[[GO:.*]] = arith.xori %[[B]], %true
    // CHECK:   arith.andi %[[GO]],
    // CHECK: } do {
    // CHECK:   scf.if
    // CHECK:     scf.yield %true
    // CHECK:   } else {
    // CHECK:     tt.store
    for (i32 i = 0; i < n; i++) {
        if (p[i] == 3)
            break;
        p[i] = 1;
    }

    // continue stays in a counted loop.
    // CHECK: scf.for
    // CHECK:   scf.if
    // CHECK:   } else {
    // CHECK:     tt.store
    for (i32 i = 0; i < n; i++) {
        if (p[i] == 3)
            continue;
        p[i] = 1;
    }

    // do … while: the body comes before the condition.
    // CHECK: scf.while
    // CHECK-NEXT: tt.load
    // CHECK: scf.condition
    // CHECK: } do {
    i32 k = 0;
    do
        k += *p;
    while (k < n);

    // A known condition leaves no branch.
    // CHECK-NOT: scf.if
    if (3 < 4)
        k++;

    // The right side of && is computed only if the left side is true, since it loads.
    // CHECK: scf.if %{{.*}} -> (i1) {
    // CHECK:   tt.load
    // CHECK: } else {
    if (k > 3 && p[k] > 3)
        k = 5;

    // After an early return, the rest is the other side.
    // CHECK: scf.if
    // CHECK: } else {
    // CHECK:   tt.store
    // CHECK: }
    // CHECK-NEXT: tt.return
    if (k == 9)
        return;
    *p = k;
}
