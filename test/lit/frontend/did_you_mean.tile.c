// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Misspelled names.
// RUN: not %kiln compile --emit=tt %s -o - -DWRONG=1 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not %kiln compile --emit=tt %s -o - 2>&1 | FileCheck %s
// RUN: not %kiln compile --emit=tt %s -o - -D block=32 2>&1 | FileCheck %s --check-prefix=CONSTANT
// RUN: not %kiln compile --emit=tt %s -o - --arg outt='*f32' 2>&1 | FileCheck %s --check-prefix=ARG
// RUN: not %kiln compile --emit=tt %s -o - -D T=f33 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not %kiln compile --emit=tt %s -o - --kernel=kk 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: printf 'kernel void k(f32 *p)\n{\n    bf61 x = 1;\n    store(p, x);\n}\n' > %t.tile.c
// RUN: not %kiln compile --emit=tt %t.tile.c -o - 2>&1 | FileCheck %s --check-prefix=DECLARED
// RUN: printf 'kernel void k(f23 *p)\n{\n}\n' > %t.tile.c
// RUN: not %kiln compile --emit=tt %t.tile.c -o - 2>&1 | FileCheck %s --check-prefix=PARAMETER

f32 soften(f32 x)
{
    return x;
}

kernel void kernel_one(f32 *output, i32 count, constexpr i32 BLOCK = 64, constexpr type T = f32)
{
    i32 i[BLOCK] = range(BLOCK);
    // CHECK: :[[@LINE+1]]:{{.*}}: error: use of undeclared identifier 'outptu'; did you mean 'output'?
    store(outptu + i, 1);
    // CHECK: :[[@LINE+1]]:{{.*}}: error: call to undeclared function 'progam_id'; did you mean 'program_id'?
    i32 pid = progam_id(0);
    // CHECK: :[[@LINE+1]]:{{.*}}: error: call to undeclared function 'sotfen'; did you mean 'soften'?
    f32 s = sotfen(3);
    // CHECK: :[[@LINE+1]]:{{.*}}: error: use of undeclared identifier 'Count'; did you mean 'count'?
    i32 n = Count;
    // CHECK: :[[@LINE+1]]:{{.*}}: error: use of undeclared identifier 'zebra'{{$}}
    n = zebra;
    store(output, s + n + pid);
}
// OPTION: error: kernel 'kernel_one' has no constexpr parameter 'WRONG'{{$}}
// CONSTANT: error: kernel 'kernel_one' has no constexpr parameter 'block'; did you mean 'BLOCK'?
// ARG: error: kernel 'kernel_one' has no argument 'outt'{{$}}
// TYPE: error: 'f33', from -D T=…, is not a type; did you mean 'f32'?
// KERNEL: has no kernel 'kk'; it has 'kernel_one'{{$}}
// DECLARED: :3:5: error: unknown type 'bf61'; did you mean 'bf16'?
// PARAMETER: :1:15: error: unknown type 'f23'; did you mean 'f32'?
