# For ends.test: integer expressions of the ends of every type, folded by the front end and computed from what is loaded, by
# the interpreter and on the simulator: all four are one value.
#
#     ends.py FOLDER KILN [ROUNDS [SEED]]
import os, random, struct, subprocess, sys

FOLDER, KILN = sys.argv[1:3]
ROUNDS, SEED = (int(a) for a in (sys.argv[3:] + ["4", "1"][len(sys.argv) - 3:])[:2])
TYPES = {sign + str(bits): (-(1 << bits - 1), (1 << bits - 1) - 1) if sign == "i" else (0, (1 << bits) - 1)
         for sign in "iu" for bits in (8, 16, 32, 64)}
OPERATORS = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", ">", "=="]
FORMS = ["({x} {o} {y})", "-({x} + ({x} {o} {y}))", "abs({x} + ({x} {o} {y}))", "minimum({x}, {y})", "maximum(-{x}, {y})",
         "~({x} + ({x} {o} {y}))"]
random.seed(SEED)
bad = 0


def literal(kind, value):
    if value == -(1 << 63):
        return "(-9223372036854775807l - 1)"
    return f"{value}ul" if kind == "u64" else f"({value}l)" if kind == "i64" else f"({value})"


for round_ in range(ROUNDS):
    lines, values = [], []
    for _ in range(40):
        kind = random.choice(list(TYPES))
        low, high = TYPES[kind]
        near = [low, high, 1, low + 1, high - 1] + ([-1] if low < 0 else [])
        a, b, o = random.choice(near + [0]), random.choice(near + [2, 3]), random.choice(OPERATORS)
        if o in "/%" and (b == 0 or (a == low < 0 and b == -1)):
            b = 3  # C leaves it open
        if o in ("<<", ">>"):
            b = random.choice([0, 1, 7])
        form, n = random.choice(FORMS), len(values)
        folded = form.format(x=f"({kind}){literal(kind, a)}", o=o, y=f"({kind}){literal(kind, b)}")
        loaded = form.format(x="x", o=o, y="y")
        lines.append(f"    store(q + {n}, (i64)({folded}));")
        lines.append(f"    {{ {kind} x = ({kind})load(p + {n}), y = ({kind})load(p + {n + 1}); store(q + {n + 1}, (i64)({loaded})); }}")
        values += [v - (1 << 64) if v >= 1 << 63 else v for v in (a, b)]
    count = len(values)
    with open(os.path.join(FOLDER, "ends.tile.c"), "w") as file:
        file.write("kernel void k(const i64 *p, i64 *q)\n{\n" + "\n".join(lines) + "\n}\n")
    with open(os.path.join(FOLDER, "ends.bin"), "wb") as file:
        file.write(struct.pack(f"<{count}q", *values))
    came = []
    for device in ("interp", "sim"):
        result = subprocess.run([KILN, "run", f"--device={device}", "--cache-mode=off", "ends.tile.c", f"p=i64[{count}]@ends.bin",
                                 f"q=i64[{count}]", "--print", "q"], cwd=FOLDER, capture_output=True, text=True)
        came.append(result.stdout.split("=")[-1].split())
        if result.returncode or len(came[-1]) != count:
            bad += 1
            print(f"round {round_}, {device}: code {result.returncode}: {result.stderr[:400]}")
    for i in range(0, min(map(len, came)), 2):
        if len({*came[0][i:i + 2], *came[1][i:i + 2]}) > 1:
            bad += 1
            print(f"round {round_}: interp {came[0][i:i + 2]}, sim {came[1][i:i + 2]}: {lines[i].strip()}")
print(f"seed {SEED}, {ROUNDS} rounds, wrong: {bad}")
