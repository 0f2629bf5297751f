// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents of integer buffers are exact, and what is not an integer of the type is refused.
// DEFINE: %{run} = %kiln run --device=interp %s
// RUN: %{run} a=i64[2]:fill:9007199254740993 b=u64[2]:fill:18446744073709551615 c=i8[2]:fill:-128 --print a --print b \
// RUN:   --print c | FileCheck %s
// RUN: not %{run} a=i64[2]:fill:2.5 2>&1 | FileCheck %s --check-prefix=REAL
// RUN: not %{run} a=i64[2] b=u64[2]:fill:18446744073709551616 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not %{run} a=i64[2] b=u64[2] c=i8[2]:fill:256 2>&1 | FileCheck %s --check-prefix=FIT
// RUN: not %{run} a=i64[2] b=u64[2] c=i8[2]:fill:-129 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not %{run} a=i64[2]:random:99999999999999999999 2>&1 | FileCheck %s --check-prefix=SEED

kernel void k(i64 *a, u64 *b, i8 *c) {}
// CHECK: 9007199254740993 9007199254740993
// CHECK: 18446744073709551615 18446744073709551615
// CHECK: -128 -128
// REAL: '2.5' is not an integer of 64 bits
// LARGE: '18446744073709551616' is not an integer of 64 bits
// FIT: '256' does not fit in i8
// BELOW: '-129' does not fit in i8
// SEED: expected a seed, an integer of 64 bits, got '99999999999999999999'
