# For long_texts.test: labels, formats, messages and names of lengths around powers of two and other likely sizes of
# buffers are reported in full, on the simulator and by the interpreter.
#
#     long_texts.py FOLDER KILN [KIND…]
import os, subprocess, sys

FOLDER, KILN = sys.argv[1:3]
LENGTHS = [*range(240, 262), *range(505, 516), *range(765, 771), *range(1012, 1030), 1100, 2047, 2048, 4095, 4096, 5000]
failures = []


def word(length, last="Z"):
    return ("abcdefghi_" * (length // 10 + 1))[: length - 1] + last


def write(name, text):
    with open(os.path.join(FOLDER, name), "w") as file:
        file.write(text)
    return name


def kiln(*arguments):
    return subprocess.run([KILN, *arguments], cwd=FOLDER, capture_output=True, text=True)


def run(device, source, *arguments):
    return kiln("run", f"--device={device}", "--cache-mode=off", source, "q=i32[4]", *arguments)


def expect(what, text, *wanted):
    for one in wanted:
        if one not in text:
            failures.append(f"{what}: '{one[:20]}…{one[-40:]}' is missing; came: …{text[-200:]}")


def prints(device):
    lines = "".join(f'    print("{word(n)}", n);\n    printf("{word(n, "Y")}%d|end {n}\\n", n);\n' for n in LENGTHS)
    came = run(device, write("prints.tile.c", f"kernel void k(i32 *q, i32 n)\n{{\n{lines}}}\n"), "n=7")
    expect(f"prints {device} {came.stderr[:300]}", came.stdout + came.stderr,
           *(f"{word(n)}: 7\n" for n in LENGTHS), *(f"{word(n, 'Y')}7|end {n}\n" for n in LENGTHS))


def asserts(device):
    for n in (1000, 1023, 1024, 3000, 3990, 4000, 4096, 70000):
        source = write("assert.tile.c", f'kernel void k(i32 *q, i32 n)\n{{\n    assert(n == 0, "{word(n)}");\n}}\n')
        came = run(device, source, "n=1")
        expect(f"assert {n} {device}", came.stderr, f"assertion '{word(n)}' failed")


def paths(device):  # which may hold what a format takes for a conversion
    source = write("100%d %s %n.tile.c", 'kernel void k(i32 *q, i32 n)\n{\n    assert(n == 0, "50%s");\n}\n')
    expect(f"path {device}", run(device, source, "n=1").stderr, "100%d %s %n.tile.c:3", "assertion '50%s' failed")


def kernels(device):
    for n in (255, 256, 257, 600, 4096):
        name = word(n)
        source = write("name.tile.c", f"kernel void {name}(i32 *q, i32 n)\n{{\n    store(q, n);\n}}\n"
                                      f"kernel void {word(n, 'A')}(i32 *q, i32 n)\n{{\n    store(q, -n);\n}}\n")
        expect(f"kernel {n} {device}", run(device, source, "n=5", f"--kernel={name}", "--print", "q[0]").stdout, "5")


def tags():
    structs = "".join(f"struct {word(n, 'A')} {{ i32 x; }};\nstruct {word(n, 'B')} {{ i32 x; i32 y; }};\n" for n in LENGTHS)
    uses = "".join(f"    struct {word(n, 'A')} a{n} = {{1}};\n    struct {word(n, 'B')} b{n} = {{2, 3}};\n"
                   f"    sum += a{n}.x + b{n}.x + b{n}.y;\n" for n in LENGTHS)
    source = write("tags.tile.c", f"{structs}kernel void k(i32 *q)\n{{\n    i32 sum = 0;\n{uses}    store(q, sum);\n}}\n")
    came = run("interp", source, "--print", "q[0]")
    expect(f"tags {came.stderr[:300]}", came.stdout, str(6 * len(LENGTHS)))


def errors():
    for n in (*LENGTHS[::3], 4096, 5000):
        tag, name = word(n, "T"), word(n, "N")
        source = write("error.tile.c", f"struct {tag} {{ i32 x; }};\nkernel void k(i32 *q)\n{{\n    struct {tag} s = {{1}};\n"
                                       f"    store(q, s + 1);\n    {name}(1);\n}}\n")
        came = kiln("compile", source, "-o", "x.hsaco").stderr
        expect(f"errors {n}", came, f"struct {tag}", f"{name}'")
        expect(f"define {n}", kiln("compile", source, "-o", "x.hsaco", "-D", f"{name}=1").stderr, f"'{name}'")
        expect(f"kernel {n}", kiln("compile", source, "-o", "x.hsaco", f"--kernel={name}").stderr, f"'{name}'")
        expect(f"flag {n}", kiln("compile", f"--{name}=3").stderr, f"unknown flag '--{name}'")
    listed = "".join(f"kernel void {word(60, str(i % 10))}{i}(i32 *q)\n{{\n}}\n" for i in range(30))
    came = kiln("compile", write("many.tile.c", listed), "-o", "x.hsaco").stderr
    expect("several kernels", came, *(f"'{word(60, str(i % 10))}{i}'" for i in range(30)))
    text = " ".join([word(200)] * 6)
    came = kiln("compile", write("static.tile.c", f'kernel void k(i32 *q)\n{{\n    static_print("{text}", 3);\n}}\n'), "-o", "x.hsaco")
    expect("static_print", came.stderr, f"{text} 3")


def arguments():  # the names of buffers in the interpreter's errors
    for n in (200, 256, 1024, 3000, 5000):
        name = word(n)
        source = write("argument.tile.c", f"kernel void k(i32 *{name})\n{{\n    store({name} + 100, 1);\n}}\n")
        came = kiln("run", "--device=interp", "--cache-mode=off", source, f"{name}=i32[4]")
        expect(f"argument {n}", came.stderr, f"'{name}' (16 bytes)")


def findings():  # of the simulator's checks and faults
    for n in (255, 256, 257, 600, 2000):
        name = word(n)
        source = write("finding.tile.c", f"kernel void {name}(i32 *q, i32 n)\n{{\n    i32 *p = q + 100000000l;\n"
                                         f"    store(n == 0 ? p : q + n, 1);\n}}\n")
        came = run("sim", source, "n=0", "--check").stderr
        expect(f"fault {n}", came, f"in kernel '{name[:250]}", "workgroup (0, 0, 0), wave 0")
        came = run("sim", source, "n=5", "--check").stderr
        expect(f"finding {n}", came, f"in kernel '{name}', workgroup (0, 0, 0)", "n=5 --check")


for kind in sys.argv[3:] or ("prints", "asserts", "paths", "kernels", "tags", "errors", "arguments", "findings"):
    function = globals()[kind]
    if function.__code__.co_argcount:
        function("interp"), function("sim")
    else:
        function()
print("\n".join(failures) or "all are whole")
sys.exit(bool(failures))
