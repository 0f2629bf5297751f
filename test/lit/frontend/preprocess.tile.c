// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C's preprocessor: files, macros, conditions. Locations are in the user's files, a macro's at its use.
// RUN: %kiln compile --emit=tt %s -o - -I %S/Inputs/include -D BLOCK=128 -D SCALE=2.5 | FileCheck %s
// RUN: %kiln compile --emit=tt %s -o - -I %S/Inputs/include -D SCALE=2.5 -Werror | FileCheck %s --check-prefix=DEFAULT
#include <tiles.tile.h>
#include "Inputs/include/math/square.tile.h" // once
#include "tiles.tile.h"                      // guarded

#define COUNT 64
#define TEXT(x) #x
#define NAME(a, b) a##b
#define STORE(p, ...) store((p) + range(COUNT), __VA_ARGS__)

#if !defined(__KILN__) || TILES_VERSION < 3 || !__has_include("tiles.tile.h") || __has_include("nowhere.h")
#error this is Kiln
#endif

// -D defines the constexpr of that name, also for #if; without a constexpr it is a macro.
#ifdef BLOCK
#if BLOCK > 100
static f32 pick(void) { return SCALE; }
#else
static f32 pick(void) { return -1; }
#endif
#else
static f32 pick(void) { return -2; }
#endif

static_assert(__LINE__ == 30, TEXT(no));
static_assert(sizeof(f32) == 4, __FILE__);

// CHECK: tt.func public @first_kernel
kernel void NAME(first_, kernel)(f32 *p, i32 n, constexpr i32 BLOCK = 32)
{
    // CHECK: tt.make_range {end = 128 : i32
    // DEFAULT: tt.make_range {end = 32 : i32
    // CHECK: arith.constant 2.500000e+00 : f32
    // DEFAULT: arith.constant -2.000000e+00 : f32
    store(p + range(BLOCK), pick());
    struct extent e = extent_of(load(p + range(COUNT)));
    // CHECK: tt.store %{{[^,]*}}, %{{.*}} : tensor<64x!tt.ptr<f32>> loc(#[[STORE:.*]])
    STORE(p, e.low + e.high);
    // CHECK: arith.addi {{.*}} loc(#[[GENERATED:.*]])
#line 700 "generator.y"
    p[0] = n + 1;
}

// CHECK-DAG: loc("{{.*}}preprocess.tile.c":40:5)
// CHECK-DAG: #[[STORE]] = loc("{{.*}}preprocess.tile.c":43:5)
// CHECK-DAG: #[[GENERATED]] = loc("generator.y":700:14)
// CHECK-DAG: loc("{{.*}}Inputs/include/math/square.tile.h":4:14)
// CHECK-DAG: loc("{{.*}}Inputs/include/tiles.tile.h":14:
