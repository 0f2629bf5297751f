# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes programs whose preprocessing grows with each level: preprocess_limits.test.


def program(name, head, use):
    with open(f"{name}.tile.c", "w") as file:
        file.write(f"{head}kernel void k(f32 *p) {{ {use} }}\n")


def levels(first, step, count=30):
    return first + "".join(step.replace("@I", str(i)).replace("@J", str(i - 1)) for i in range(1, count + 1))


doubled = levels("#define A0(x) x\n", "#define A@I(x) A@J(x x)\n")
program("doubled", doubled, "A30(p[0] = 1.0f;)")
program("dropped", levels("#define A0(x)\n", "#define A@I(x) A@J(x x)\n"), "A30(p[0] = 1.0f;)")
program("pasted", levels("#define A0(x) x\n", "#define A@I(x) A@J(x##x)\n"), "i32 A30(p);")
program("quoted", levels("#define A0(x) x\n", "#define A@I(x) A@J(#x)\n"), 'A30("");')
program("quotes", levels("#define A0(x) x\n", "#define A@I(x) B@I(#x #x)\n#define B@I(x) A@J(x)\n"), 'A30("a");')
program("variadic", levels("#define A0(...) __VA_ARGS__\n", "#define A@I(...) A@J(__VA_ARGS__, __VA_ARGS__)\n"), "A30(1);")
program("thousand", "#define T(x) " + "x " * 1000 + "\n", "T(T(T(T(1))))")
program("in_if", doubled + "#if A30(1 +) 0\n#endif\n", "")

program("chain", levels("#define A0 1\n", "#define A@I A@J\n", 20000), "p[0] = A20000;")
calls = levels("#define A0(x) x\n", "#define A@I(x) " + "A@J(" * 100 + "x" + ")" * 100 + "\n", 200)
program("calls", calls, "A200(1)")
program("behind", levels("#define A0 " + "1 " * 500000 + "\n", "#define A@I A@J\n", 479), "p[0] = A479;")

for name, token, last in (("not", "!", "1"), ("group", "(", "1"), ("choice", "1 ? 1 :", "1")):
    program(name, levels(f"#define A0 {token}\n", "#define A@I " + "A@J " * 20 + "\n", 3) + "#if A3 " + last + "\n#endif\n", "")
program("embed", levels("#define A0 (\n", "#define A@I " + "A@J " * 20 + "\n", 3) + "#embed __FILE__ limit(A3)\n", "")

for i in range(40):
    with open(f"twice{i}.h", "w") as file:
        file.write(f'#include "twice{i - 1}.h"\n' * 2 if i else "")
program("twice", '#include "twice39.h"\n', "")
with open("once.h", "w") as file:
    file.write("#pragma once\n")
program("many", '#include "once.h"\n' * 100001, "")
with open("large.h", "w") as file:
    file.write("//" + "x" * (3 << 20) + "\n")
program("large", '#include "large.h"\n' * 30, "")
calls = levels("void g0(f32 x) { }\n", "void g@I(f32 x) { g@J(x); g@J(x); }\n", 39)
program("expanded", calls, "g39(p[0]);")
program("names", "enum e { " + ",".join(f"a{i}" for i in range(32769)) + " };\n", "")
program("strings", "", "static_assert(false, " + '"a" ' * 300000 + ");")
program("stray", "", "@;" * 200000)
program("unknown", "enum e { " + ",".join(f"a{i}" for i in range(30000)) + " };\n", "".join(f"p[{i}] = zz{i};" for i in range(3000)))
head = "#define ADD(x) ((x) + (1))\n#define ONE ((1) + (0))\n" + "#define F(x) ADD(ADD(ADD(x)))\n"
program("much", head, "i32 a = 0; " + "a = F(a);" * 2000 + "\n#if ONE\np[0] = (f32)a;\n#elif ONE\n#endif\n")

# Recursion by scanning again, as programs of macros do it.
repeat = r"""
#define EMPTY()
#define DEFER(id) id EMPTY()
#define OBSTRUCT(...) __VA_ARGS__ DEFER(EMPTY)()
#define EXPAND(...) __VA_ARGS__
#define EVAL(...)  EVAL1(EVAL1(EVAL1(__VA_ARGS__)))
#define EVAL1(...) EVAL2(EVAL2(EVAL2(__VA_ARGS__)))
#define EVAL2(...) EVAL3(EVAL3(EVAL3(__VA_ARGS__)))
#define EVAL3(...) EVAL4(EVAL4(EVAL4(__VA_ARGS__)))
#define EVAL4(...) EVAL5(EVAL5(EVAL5(__VA_ARGS__)))
#define EVAL5(...) __VA_ARGS__
#define CAT(a, ...) a ## __VA_ARGS__
#define INC(x) CAT(INC_, x)
#define DEC(x) CAT(DEC_, x)
"""
repeat += "".join(f"#define DEC_{i} {i - 1}\n" for i in range(1, 101))
repeat += r"""
#define IIF(c) CAT(IIF_, c)
#define IIF_0(t, ...) __VA_ARGS__
#define IIF_1(t, ...) t
#define CHECK_N(x, n, ...) n
#define CHECK(...) CHECK_N(__VA_ARGS__, 0,)
#define PROBE(x) x, 1,
#define NOT(x) CHECK(CAT(NOT_, x))
#define NOT_0 PROBE(~)
#define COMPL(b) CAT(COMPL_, b)
#define COMPL_0 1
#define COMPL_1 0
#define BOOL(x) COMPL(NOT(x))
#define IF(c) IIF(BOOL(c))
#define EAT(...)
#define WHEN(c) IF(c)(EXPAND, EAT)
#define REPEAT(count, macro, ...) WHEN(count)(OBSTRUCT(REPEAT_INDIRECT)()(DEC(count), macro, __VA_ARGS__) OBSTRUCT(macro)(DEC(count), __VA_ARGS__))
#define REPEAT_INDIRECT() REPEAT
#define M(i, _) p[i] = 1.0f;
"""
program("repeat", repeat, "EVAL(REPEAT(100, M, ~))")
