# A module with a kernel of CALLS functions that call each other, each call inside of BRANCHES nested scf.if: deep.py CALLS BRANCHES
import sys

calls, branches = int(sys.argv[1]), int(sys.argv[2])
print("module {")
for f in range(calls, -1, -1):
    head = "public @k" if f == 0 else f"private @f{f}"
    print(f"tt.func {head}(%p: !tt.ptr<i32>, %n: i32) attributes {{noinline = {'true' if f else 'false'}}} {{")
    print("  %z = arith.constant 0 : i32\n  %c = arith.cmpi ne, %n, %z : i32")
    print("  scf.if %c {\n" * branches, end="")
    print(f"  tt.call @f{f + 1}(%p, %n) : (!tt.ptr<i32>, i32) -> ()" if f < calls else "  tt.store %p, %n : !tt.ptr<i32>")
    print("  }\n" * branches + "  tt.return\n}")
print("}")
