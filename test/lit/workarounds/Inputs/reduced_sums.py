# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Usage: reduced_sums.py TERMS: a loop whose induction variables start at sums of 8, 16, … TERMS terms.
import sys

terms = int(sys.argv[1])
sums = range(8, terms + 1, 8)
print("define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {\nentry:\n  %s0 = load volatile i32, ptr addrspace(1) %p")
for i in range(1, terms + 1):
    print(f"  %x{i} = load volatile i32, ptr addrspace(1) %p\n  %s{i} = add i32 %s{i - 1}, %x{i}")
print("  br label %loop\nloop:\n  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]")
for i in sums:
    print(f"  %a{i} = phi i32 [ %s{i}, %entry ], [ %b{i}, %loop ]")
for i in sums:
    print(f"  %b{i} = add i32 %a{i}, -16")
print("  %i1 = add i32 %i, 1\n  %again = icmp slt i32 %i1, %n\n  br i1 %again, label %loop, label %end\nend:")
for i in sums:
    print(f"  store volatile i32 %b{i}, ptr addrspace(1) %p")
print("  ret void\n}")
