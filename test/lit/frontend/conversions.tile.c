// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C's conversions, element by element; signedness chooses the operation.
// RUN: %kiln compile --from=tile --emit=tt %s -o - | FileCheck %s

// CHECK-LABEL: tt.func public @k
kernel void k(i8 *b, u8 *ub, i32 *i, u32 *u, i64 *l, f16 *h, bf16 *bf, f32 *f, f64 *d, f8e4m3fnuz *e, bool *t)
{
    // CHECK: arith.extsi %{{.*}} : i8 to i32
    *i = *b;
    // CHECK: arith.extui %{{.*}} : i8 to i32
    *i = *ub;
    // CHECK: arith.trunci %{{.*}} : i32 to i8
    *b = *i;
    // CHECK: arith.divsi
    // CHECK: arith.divui
    *i = *i / 3;
    *u = *u / 3;
    // CHECK: arith.shrsi
    // CHECK: arith.shrui
    *i >>= 2;
    *u >>= 2;
    // CHECK: arith.cmpi slt
    // CHECK: arith.cmpi ult
    *t = *i < 3;
    *t = *u < 3;
    // An i32 beside an i64 becomes one; beside a float too.
    // CHECK: arith.extsi %{{.*}} : i32 to i64
    // CHECK: arith.addi %{{.*}} : i64
    *l = *l + *i;
    // CHECK: arith.sitofp %{{.*}} : i32 to f16
    // CHECK: arith.addf %{{.*}} : f16
    *h = *h + *i;
    // CHECK: arith.uitofp %{{.*}} : i32 to f32
    *f = *u;
    // CHECK: arith.fptosi %{{.*}} : f32 to i32
    *i = (i32)*f;
    // A literal without suffix takes the type of the float beside it: no conversion.
    // CHECK: tt.load
    // CHECK-NEXT: arith.constant 5.000000e-01 : f16
    // CHECK-NEXT: arith.mulf %{{.*}} : f16
    *h = *h * 0.5;
    // CHECK: arith.constant 1.000000e-01 : f64
    *d = *d * 0.1;
    // CHECK: arith.extf %{{.*}} : f16 to f32
    // CHECK: arith.mulf %{{.*}} : f32
    *h = *h * 0.5f;
    // f16 with bf16 gives f32.
    // CHECK: arith.extf %{{.*}} : f16 to f32
    // CHECK: arith.extf %{{.*}} : bf16 to f32
    // CHECK: arith.addf %{{.*}} : f32
    *f = *h + *bf;
    // CHECK: tt.fp_to_fp %{{.*}}, rounding = rtne : f32 -> f8E4M3FNUZ
    *e = *f;
    // CHECK: tt.fp_to_fp %{{.*}} : f8E4M3FNUZ -> f16
    *h = *e;
    // A bool in memory is a byte.
    // CHECK: tt.bitcast %{{.*}} : !tt.ptr<i1> -> !tt.ptr<i8>
    // CHECK: tt.load %{{.*}} : !tt.ptr<i8>
    // CHECK: arith.cmpi ne
    // CHECK: scf.if %{{.*}} -> (i1) {
    // CHECK: arith.cmpf une
    // CHECK: arith.extui %{{.*}} : i1 to i8
    *t = *t || *f;
    // Pointers: differences count elements, casts keep the address.
    // CHECK: tt.ptr_to_int
    // CHECK: arith.divsi %{{.*}}, %c4_i64
    *l = (f + 5) - f;
    // CHECK: tt.bitcast %{{.*}} : !tt.ptr<f32> -> !tt.ptr<i32>
    *(i32 *)f = 3;
    // CHECK: tt.int_to_ptr %{{.*}} : i64 -> !tt.ptr<f32>
    *(f32 *)*l = 3;
    // CHECK: tt.bitcast %{{.*}} : f32 -> i32
    *i = bitcast(i32, *f);
}
