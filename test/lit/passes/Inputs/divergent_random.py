# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""divergent_random.py KILN DIR SEED COUNT: random programs with barriers under conditions that differ from wave to wave (or do not). Each is refused, or the simulator finds no race in it."""
import os
import random
import subprocess
import sys

MEMDESC = "!ttg.memdesc<256xi32, #s, #smem, mutable>"
HEAD = """#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#c = #ttg.linear<{register = [], lane = [[4], [8], [16], [32], [64], [128]], warp = [[1], [2]], block = []}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func private @wait(%c: i1) attributes {noinline = true} {
    gpu.barrier
    scf.if %c {
      rocdl.s.barrier
    }
    tt.return
  }
  tt.func public @k(%out: !tt.ptr<i32>, %flag: !tt.ptr<i32>) {
"""
VALUES = """
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c5 = arith.constant 5 : i32
    %c64 = arith.constant 64 : i32
    %c128 = arith.constant 128 : i32
    %true = arith.constant true
    %pid = tt.get_program_id x : i32
    %id = rocdl.workitem.id.x : i32
    %wave = arith.divui %id, %c64 : i32
    %q0 = arith.cmpi sge, %id, %c128 : i32
    %q1 = arith.cmpi slt, %id, %c128 : i32
    %q2 = arith.cmpi eq, %wave, %c1 : i32
    %q3 = arith.cmpi ne, %wave, %c1 : i32
    %q4 = arith.cmpi slt, %id, %c5 : i32
    %q5 = arith.cmpi eq, %pid, %c0 : i32
    %q6 = arith.cmpi sge, %id, %c64 : i32
    %q7 = arith.xori %q6, %true : i1
    %r = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #b>
    %t = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #c>
    %os = tt.splat %out : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #c>
    %op = tt.addptr %os, %t : tensor<256x!tt.ptr<i32>, #c>, tensor<256xi32, #c>
    %m0 = ttg.local_alloc : () -> MEMDESC
    %m1 = ttg.local_alloc : () -> MEMDESC
""".replace("MEMDESC", MEMDESC)

REASONS = ["in control flow that not all waves execute", "without a matching barrier", "a loop with a barrier",
           "without one that brings them together", "a barrier in 'tt.func'"]


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = 0

    def name(self):
        self.names += 1
        return f"%n{self.names}"

    def condition(self):
        return f"%q{self.random.randrange(8)}"

    def access(self):
        buffer = f"%m{self.random.randrange(2)}"
        if self.random.random() < 0.5:
            return f"ttg.local_store %r, {buffer} : tensor<256xi32, #b> -> {MEMDESC}\n"
        value = self.name()
        return f"{value} = ttg.local_load {buffer} : {MEMDESC} -> tensor<256xi32, #c>\ntt.store %op, {value} : tensor<256x!tt.ptr<i32>, #c>\n"

    def together(self, depth):
        """Waves that a condition lets apart, and its opposite brings together."""
        q = self.random.choice([("%q0", "%q1"), ("%q2", "%q3"), ("%q6", "%q7")])
        q = q if self.random.random() < 0.5 else q[::-1]
        form = self.random.choice(["amdg.cond_barrier {}\n", "scf.if {} {{\ngpu.barrier\n}}\n", "scf.if {} {{\nttg.barrier local\n}}\n"])
        return form.format(q[0]) + self.block(depth - 1, 3) + form.format(q[1])

    def statement(self, depth):
        kind = self.random.randrange(12)
        if kind < 4 or depth == 0:
            return self.access()
        if kind == 4:
            return self.random.choice(["gpu.barrier\n", "rocdl.s.barrier\n", "ttg.barrier local\n"])
        if kind == 5:
            return f"amdg.cond_barrier {self.condition()}\n"
        if kind == 6:
            return f"tt.call @wait({self.condition()}) : (i1) -> ()\n"
        if kind < 9:
            other = f" else {{\n{self.branch(depth)}}}" if self.random.random() < 0.5 else ""
            return f"scf.if {self.condition()} {{\n{self.branch(depth)}}}{other}\n"
        if kind == 9:
            bound = self.random.choice(["%c2", "%c2", "%pid", "%wave"])
            return f"scf.for {self.name()} = %c0 to {bound} step %c1 : i32 {{\n{self.block(depth - 1, 3)}}}\n"
        return self.together(depth)

    def body(self):
        """The kernel's blocks: each but the first may be skipped, or the kernel be left before it."""
        text = self.block(3, 6)
        count = self.random.choice([0, 0, 1, 2])
        for block in range(count):
            other = self.random.choice(["leave", f"join{block}"])
            condition = self.random.choice(["%q5", "%q5", self.condition()])
            text += f"cf.cond_br {condition}, ^{other}, ^go{block}\n^go{block}:\n{self.block(3, 3)}"
            text += f"cf.br ^join{block}\n^join{block}:\n"
        return text + ("cf.br ^leave\n^leave:\n" if count else "")

    def branch(self, depth):
        return "gpu.barrier\n" * self.random.randrange(3) if self.random.random() < 0.6 else self.block(depth - 1, 2)

    def block(self, depth, most):
        return "".join(self.statement(depth) for _ in range(self.random.randrange(1, most + 1)))


kiln, folder, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
os.makedirs(folder, exist_ok=True)
refused = 0
for i in range(seed, seed + count):
    path = f"{folder}/{i}.ttgir"
    with open(path, "w") as file:
        file.write(HEAD + VALUES + Program(i).body() + "tt.return\n}\n}\n")
    command = [kiln, "run", "--device=sim", "--cache-mode=off", path, "arg0=i32[256]", "arg1=i32[1]", "--grid", "2"]
    # Waves that end while others wait are the program's own affair.
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=os.environ | {"KILN_SIM_CHECK": "race,memory,wait"})
    if "is not supported on gfx942" in done.stderr and any(reason in done.stderr for reason in REASONS):
        refused += 1
    elif done.returncode:
        sys.exit(f"{path} (seed {i}):\n{done.stderr}")
print(f"{count} programs, {refused} refused")
