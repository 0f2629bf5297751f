// printf's conversions are C's, and the same on the device as in the interpreter.
// RUN: %kiln run --device=sim --cache-mode=off --num-warps=1 %s x=f32[2]:iota n=42 > %t.device
// RUN: %kiln run --device=interp %s x=f32[2]:iota n=42 > %t.interp
// RUN: FileCheck %s --input-file=%t.device && FileCheck %s --input-file=%t.interp
// RUN: grep -v '0x' %t.device > %t.one && grep -v '0x' %t.interp > %t.other && diff %t.one %t.other
// RUN: sed 's/"%%8.2f/"%%n/' %S/Inputs/printf.ttir > %t.ttir && not %kiln compile %t.ttir -o %t.hsaco 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/"%%8.2f/"%%d/' %S/Inputs/printf.ttir > %t.ttir && not %kiln run --device=interp %t.ttir arg0=1.0 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRONG
// RUN: %kiln run --device=interp %S/Inputs/printf.ttir arg0=1.0 | FileCheck %s --check-prefix=TEXT
// WRONG: error: tt.format must be one printf conversion that matches the printed value
// TEXT: pid (0, 0, 0) idx () x:     1.00 % of %d

kernel void k(const f32 *x, i32 n)
{
    f32 v[2] = load(x + range(2)) * 1.5f - 2;
    // CHECK-DAG: {{^}}pid (0, 0, 0) idx (0) [  -2.000{{$}}
    // CHECK-DAG: {{^}}pid (0, 0, 0) idx (1) [  -0.500{{$}}
    // CHECK-DAG: {{^}}pid (0, 0, 0) idx (0) ] [-2.00e+00  ]{{$}}
    printf("[%8.3f] [%-11.2e]\n", v, v);
    // CHECK-DAG: {{^}}pid (0, 0, 0) idx () <   42{{$}}
    // CHECK-DAG: {{^}}pid (0, 0, 0) idx () |42   {{$}}
    // CHECK-DAG: {{^}}pid (0, 0, 0) idx () |+42{{$}}
    // CHECK-DAG: {{^}}pid (0, 0, 0) idx () |00042{{$}}
    // CHECK-DAG: {{^}}pid (0, 0, 0) idx () |2a{{$}}
    // CHECK-DAG: {{^}}pid (0, 0, 0) idx () |0X2A{{$}}
    // CHECK-DAG: {{^}}pid (0, 0, 0) idx () |52>{{$}}
    printf("<%5d|%-5d|%+d|%05d|%x|%#X|%o>", n, n, n, n, n, n, n);
    // CHECK-DAG: {{^}}pid (0, 0, 0) idx () ff{{$}}
    // CHECK-DAG: {{^}}pid (0, 0, 0) idx ()      7{{$}}
    // CHECK-DAG: {{^}}pid (0, 0, 0) idx (0)  -2{{$}}
    // CHECK-DAG: {{^}}pid (0, 0, 0) idx ()  0x1.5p+5{{$}}
    // CHECK-DAG: {{^}}pid (0, 0, 0) idx (){{ +}}0x{{[0-9a-f]+}} is 100%{{$}}
    printf("%x %5u %g %a %20p is 100%%\n", (i8)-1, (u16)7, v, (f16)n, x);
    // CHECK-DAG: {{^}}pid (0, 0, 0) idx () 042{{$}}
    // CHECK-DAG: {{^}}pid (0, 0, 0) idx () | 42{{$}}
    // CHECK-DAG: {{^}}pid (0, 0, 0) idx () |000000000000002a{{$}}
    printf("%.3i|% d|%016llx", n, n, (i64)n);
    // CHECK-DAG: {{^}}pid (0, 0, 0) idx () 42 is n, and 1 is true{{$}}
    printf("%d is n, and 1 is true", n);
}
