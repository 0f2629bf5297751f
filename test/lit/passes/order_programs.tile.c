// Programs with long loops start first: the axis with which trip counts rise or fall changes last, and descends if they
// rise. Programs that may wait for others keep the dispatch's order. Each program still runs once, with the same results
// and prints. At most 304 programs, one on each compute unit, keep the dispatch's order.
// RUN: for k in rises falls last alone middle steps; do echo $k; %kiln compile %s --kernel=$k --emit=ttg --passes=order_programs -o - | grep -o "module.*"; done \
// RUN:   | FileCheck %s
// CHECK: rises
// CHECK-NEXT: module attributes {{.*}}kiln.last_axis_descends, kiln.ordered_above = 304 : i32, kiln.program_order = array<i32: 1, 0>
// CHECK-SAME: {{^}}, kiln.xcds = 8 : i32
// CHECK: falls
// CHECK-NOT: descends
// CHECK-NEXT: module attributes {{.*}}kiln.ordered_above = 304 : i32, kiln.program_order = array<i32: 1, 0>
// CHECK: last
// CHECK-NEXT: module attributes {{.*}}kiln.last_axis_descends, kiln.ordered_above = 304 : i32, kiln.program_order = array<i32: 0, 1>
// CHECK: alone
// CHECK-NEXT: module attributes {{.*}}kiln.last_axis_descends, kiln.ordered_above = 304 : i32, kiln.program_order = array<i32: 0>
// CHECK: middle
// CHECK-NEXT: module attributes {{.*}}kiln.last_axis_descends, kiln.ordered_above = 304 : i32, kiln.program_order = array<i32: 0, 2, 1>
// CHECK: steps
// CHECK-NEXT: module attributes {{.*}}kiln.last_axis_descends, kiln.ordered_above = 304 : i32, kiln.program_order = array<i32: 1, 2, 0>
// RUN: for k in falls_last both mixed unknown strided blocks rest flag fixed waits polls ticket assembly; do %kiln compile %s --kernel=$k --emit=ttg --passes=order_programs -o -; done \
// RUN:   | FileCheck %s --check-prefix=SAME --implicit-check-not=program_order
// SAME-COUNT-13: tt.func public
//
// RUN: for g in 9,41,1 3,5,2 11,5,6; do for k in rises falls last alone middle steps; do for d in "" --disable-pass=order_programs; do \
// RUN:   %kiln compile %s --kernel=$k $d --num-warps=1 --emit=ttg -o %t$d.ttgir && \
// RUN:   %kiln run --device=sim --cache-mode=off %t$d.ttgir n=40 'out=i32[400]' --grid $g --save out=%t$d.bin > %t$d.txt && \
// RUN:   sort %t$d.txt -o %t$d.txt || exit 1; done; \
// RUN:   cmp %t.bin %t--disable-pass=order_programs.bin && cmp %t.txt %t--disable-pass=order_programs.txt || exit 1; done; done
// RUN: FileCheck %s --input-file=%t.txt --check-prefix=PRINT
// PRINT: pid (0, 0, 0){{.*}}0
// PRINT: pid (2, 4, 1){{.*}}101
i32 number()
{
    return program_id(0) + num_programs(0) * (program_id(1) + num_programs(1) * program_id(2));
}
i32 sum_of(i32 first, i32 last)
{
    i32 total = 0;
    for (i32 k = first; k < last; k++)
        total += k * k;
    return total;
}
kernel void rises(i32 *out, i32 n)
{
    store(out + program_id(0) + num_programs(0) * program_id(1), sum_of(0, minimum(n, program_id(0) * 16 + n / 8)));
}
kernel void falls(i32 *out, i32 n)
{
    store(out + program_id(0) + num_programs(0) * program_id(1), sum_of(program_id(0) * 4, n));
}
kernel void last(i32 *out, i32 n)
{
    store(out + program_id(0) + num_programs(0) * program_id(1), sum_of(0, program_id(1) * 8 + 1));
}
kernel void alone(i32 *out, i32 n)
{
    store(out + program_id(0), sum_of(0, program_id(0)));
}
kernel void middle(i32 *out, i32 n)
{
    print("number", number());
    store(out + number(), sum_of(0, program_id(1)) + number());
}
kernel void steps(i32 *out, i32 n)
{
    print("number", number());
    i32 total = program_id(2);
    for (i32 k = 0; k < cdiv(maximum(program_id(0) - n, 0) + 7, 4); k += 2)
        total += k;
    store(out + number(), total);
}
kernel void falls_last(i32 *out, i32 n)
{
    store(out + program_id(0) + num_programs(0) * program_id(1), sum_of(program_id(1) * 4, n));
}
kernel void both(i32 *out, i32 n)
{
    store(out + program_id(0) + num_programs(0) * program_id(1), sum_of(0, program_id(0) + program_id(1)));
}
kernel void mixed(i32 *out, i32 n)
{
    store(out + program_id(0), sum_of(0, program_id(0)) + sum_of(program_id(0), n));
}
kernel void unknown(i32 *out, i32 n)
{
    store(out + program_id(0), sum_of(0, program_id(0) % 3 + (program_id(0) ^ 5)));
}
kernel void strided(i32 *out, i32 n)
{
    i32 total = 0;
    for (i32 k = program_id(0); k < n; k += 8)
        total += k;
    store(out + program_id(0) + num_programs(0) * program_id(1), total);
}
kernel void fixed(i32 *out, i32 n)
{
    store(out + program_id(0), sum_of(0, n));
}
kernel void waits(i32 *out, i32 n)
{
    while (load(out, .volatile = true) < n)
        ;
    store(out + program_id(0), sum_of(0, program_id(0)));
}
kernel void polls(i32 *out, i32 n)
{
    atomic_poll(out, n);
    store(out + program_id(0), sum_of(0, program_id(0)));
}
kernel void assembly(i32 *out, i32 n)
{
    i32 r;
    inline_asm("v_mov_b32 $0, $1", "=v,v", n, &r, .pure = false);
    store(out + program_id(0), sum_of(0, program_id(0)) + r);
}
kernel void blocks(i32 *out, i32 n)
{
    i32 total = 0;
    for (i32 k = program_id(0) * 16; k < n; k += num_programs(0) * 16)
        total += k;
    store(out + program_id(0) + num_programs(0) * program_id(1), total);
}
kernel void rest(i32 *out, i32 n)
{
    store(out + program_id(0) + num_programs(0) * program_id(1), sum_of(0, minimum(n - program_id(0) * 8, 8)));
}
kernel void flag(i32 *out, i32 n)
{
    store(out + program_id(0) + num_programs(0) * program_id(1), sum_of(0, (i32)(program_id(0) == 0) * n + program_id(1)));
}
kernel void ticket(i32 *out, i32 n)
{
    store(out + atomic_add(out + n, 1), sum_of(0, program_id(0)));
}
