// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every thread holds different elements, or two hold one: a thread reports failures only for its own elements. A failure names program and element.
// RUN: %kiln run --device=sim %s --kernel=whole 'x=i32[256]:fill:1' --num-warps=4
// RUN: not %kiln run --device=sim %s --kernel=whole 'x=i32[256]' --num-warps=4 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: %kiln run --device=sim %s --kernel=whole 'x=i32[256]:fill:1' --num-warps=8
// FULL: assert_full.tile.c:[[@LINE+3]]: assertion '{{.*}}' failed in program (0, 0, 0), element (0)
kernel void whole(const i32 *x)
{
    assert(load(x + range(256)) > 0, "positive");
}
