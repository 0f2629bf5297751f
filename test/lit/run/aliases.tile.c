// Buffers of two pointer arguments must not alias: accessing memory through both with a store is undefined, and the interpreter reports it.
// RUN: sh %S/Inputs/each.sh '%kiln run --device=interp %s x=f32[128]:iota n=2 --kernel' 'add y=&x' 'add y=&x[1]' \
// RUN:   'twice y=&x[7]' 'loop y=&x' 'count y=&x[3]' 2>&1 | grep -E 'error:|lenient|code' > %t.told
// RUN: FileCheck %s --input-file=%t.told
// CHECK: [[@LINE+13]]:5: error: stores through argument 2 what was read through argument 1, but buffers of different arguments must not alias
// CHECK-NEXT: note: use --interp=lenient to continue with one buffer
// CHECK-NEXT: code 1
// CHECK: error: stores through argument 2 what was read through argument 1
// CHECK: error: stores through argument 2 what was stored through argument 1
// CHECK: error: stores through argument 2 what was read through argument 1
// CHECK: error: updates through argument 2 what was stored through argument 1
// RUN: sh %S/Inputs/each.sh '%kiln run --device=interp %s x=f32[128]:iota n=2 --print x[64:66] --kernel' \
// RUN:   'add y=&x[64]' 'loop y=&x[8]' 'add y=&x --interp=lenient' 2>&1 | FileCheck %s --check-prefix=APART
// APART-COUNT-3: {{code 0}}

kernel void add(const f32 *x, f32 *y, i32 n)
{
    store(y + range(64), load(x + range(64)) + n);
}
kernel void twice(f32 *x, f32 *y, i32 n)
{
    store(x + range(8), 1);
    store(y + range(8), 2);
}
kernel void loop(const f32 *x, f32 *y, i32 n)
{
    f32 *p[8] = y + range(8);
    for (i32 i = 0; i < n; i++) {
        store(p, load(x + range(8)));
        p += 8;
    }
}
kernel void count(f32 *x, f32 *y, i32 n)
{
    store(x + range(8), 1);
    atomic_add(y, 1);
}
// RUN: %kiln run --device=sim --cache-mode=off --check %s --kernel=add x=f32[128]:iota 'y=&x[64]' n=1 \
// RUN:   --print x[64:66] 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED-NOT: kiln-sim
// CHECKED: 1 2
// RUN: sh %S/Inputs/each.sh '%kiln run --device=sim --cache-mode=off --check %s x=f32[128]:iota n=2 --kernel' \
// RUN:   'add y=&x' 'add y=&x[1]' 'twice y=&x[7]' 'loop y=&x' 'count y=&x[3]' 'loop y=&x[8]' > %t.sim 2>&1
// RUN: grep -E 'kiln-sim: |code' %t.sim | FileCheck %s --check-prefix=SIM
// SIM: kiln-sim: alias: a wave stores through argument 'y' device memory at {{0x[0-9a-f]+}} that was read through argument 'x'; buffers of different arguments must not alias
// SIM-NEXT: code 1
// SIM: kiln-sim: alias: a wave stores through argument 'y' {{.*}} that was read through argument 'x'
// SIM: kiln-sim: alias: a wave stores through argument 'y' {{.*}} that was stored through argument 'x'
// SIM: kiln-sim: alias: a wave stores through argument 'y' {{.*}} that was read through argument 'x'
// SIM: kiln-sim: alias: a wave updates through argument 'y' {{.*}} that was stored through argument 'x'
// SIM: code 1
// SIM-NEXT: code 0
// RUN: sh %S/Inputs/each.sh '%kiln run --device=interp %s x=f32[128] n=1 --kernel=add' 'y=&z' 'y=&x[129]' \
// RUN:   'y=&x[1' 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: unknown buffer 'z'
// WRONG: buffer 'x' has 128 elements; element 129 is out of range
// WRONG: expected &BUFFER or &BUFFER[ELEMENT], got '&x[1'
