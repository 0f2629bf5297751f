// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A division that is not executed with these constants is no error, as in C.
// RUN: for d in 0 2; do %kiln run --device=sim --cache-mode=off %s -Werror -D D=$d 'y=i32[4]' --print y || exit 1; done \
// RUN:   | FileCheck %s
// CHECK: 0 -1 2 5
// CHECK: 10 3 1 -2147483648
[[grid(1)]]
kernel void k(i32 *y, constexpr i32 D)
{
    if (D != 0)
        store(y, 20 / D);
    store(y + 1, D ? 7 % D + cdiv(4, D) : -1);
    store(y + 2, D > 0 && 5 / D > 1 ? 1 : 2);
    if (D > 0)
        store(y + 3, (-2147483647 - 1) / (D - 1));
    else
        store(y + 3, D == 0 || 8 / D > 4 ? 5 : 6);
}
