# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Usage: compared_sums.py SUMS: so many sums that have a term in common.
import sys

print("define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %t) {")
for i in range(int(sys.argv[1])):
    print(f"  %x{i} = load volatile i32, ptr addrspace(1) %p")
    print(f"  %s{i} = add i32 %t, %x{i}\n  store volatile i32 %s{i}, ptr addrspace(1) %p")
print("  ret void\n}")
