# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# input_kinds.py KILN CASE BYTECODE: every verb with every kind of input, in the current directory. A pair works, or ends with exit code 1
# and an error that names what the verb accepts and what the file is.
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

kiln, case, bytecode = sys.argv[1:4]
SOURCES = {"tile", "tt", "ttg"}
COMPILED = {"object", "bundle", "manifest"}
EXPECTED = {  # in the order of messages
    "tile": "Tile C (.c)", "tt": "tt (.ttir, .mlir, .mlirbc)", "ttg": "ttg (.ttgir, .mlir, .mlirbc)", "object": "a code object (.hsaco)",
    "bundle": "a bundle (.kbundle)", "manifest": "a manifest (.json)", "folder": "a directory with case.json"}
IS = {
    "tile": "which is Tile C", "tt": "which is tt", "ttg": "which is ttg", "object": "which is an ELF file", "bundle": "which is a bundle",
    "manifest": "which is a .json file", "folder": "which is a directory", "empty": "which is empty",
    "unknown": "whose contents and name match no known kind"}
FILES = {
    "v.tile.c": "tile", "v.ttir": "tt", "v.mlir": "tt", "v.mlirbc": "tt", "bytecode": "tt", "v.ttgir": "ttg", "layouts.mlir": "ttg",
    "v.hsaco": "object", "code.ttir": "object", "v.kbundle": "bundle", "v.json": "manifest", "case": "folder", "empty": "empty",
    "empty.hsaco": "empty", "v.txt": "unknown", "text.hsaco": "unknown", "-": "unknown"}
DEVICE = ["--device=sim", "--cache-mode=off"]
VERBS = {
    "compile": (SOURCES, ["compile", "FILE", "-o", os.devnull]),
    "run": (SOURCES | COMPILED, ["run", "FILE", "ARGS", *DEVICE]),
    "run --device=interp": ({"tile", "tt"}, ["run", "FILE", "ARGS", "--device=interp"]),
    "bench": (SOURCES | COMPILED, ["bench", "FILE", "ARGS", *DEVICE]),
    "tune": (SOURCES, ["tune", "FILE", "ARGS", "--axis", "waves_per_eu=0", "--device=sim", "--store=STORE"]),
    "layout": (SOURCES, ["layout", "FILE"]),
    "inspect": (SOURCES | COMPILED, ["inspect", "FILE"]),
    "bundle": (COMPILED, ["bundle", "--list", "FILE"]),
    "case": ({"folder"}, ["case", "--device=interp", "FILE"]),
    "verify": ({"folder"}, ["verify", "--hip-library=/nowhere/none.so", "FILE"]),
    "prof": (set(), ["prof", "./FILE"]),
}


def run(*words, source="v.ttir"):
    done = subprocess.run([kiln, *words], stdin=open(source, "rb"), capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def prepare():
    made = [["v.tile.c", "--emit=tt", "-o", "v.ttir"], ["v.ttir", "--emit=ttg", "-o", "v.ttgir"], ["v.tile.c", "-o", "v.hsaco"]]
    for words in made:
        assert subprocess.run([kiln, "compile", *words]).returncode == 0
    assert subprocess.run([kiln, "bundle", "v.hsaco", "-o", "v.kbundle"]).returncode == 0
    copies = {
        "v.mlir": "v.ttir", "layouts.mlir": "v.ttgir", "v.txt": "v.ttir", "text.hsaco": "v.ttir", "code.ttir": "v.hsaco",
        "code.json": "v.json", "v.mlirbc": bytecode, "bytecode": bytecode}
    for to, source in copies.items():
        shutil.copy(source, to)
    shutil.copytree(case, "case")
    for name in ("empty", "empty.hsaco"):
        open(name, "w").close()


def expected_of(verb, accepted, name):
    if verb == "prof":
        return f"cannot run './{name}': "
    if verb == "bundle" and name == "-":
        accepted = {"bundle"}
    if verb == "run --device=interp":
        if FILES[name] == "ttg":  # of the library
            return "the interpreter executes only Tile C and tt, not later stages"
        accepted = SOURCES
    if verb in ("run", "bench"):  # what is no compiled kernel is read as a source
        accepted = SOURCES
    phrases = [phrase for kind, phrase in EXPECTED.items() if kind in accepted]
    phrase = " or ".join([", ".join(phrases[:-1]), phrases[-1]]) if len(phrases) > 1 else phrases[0]
    advice = "; use --from=tile, tt or ttg" if verb == "compile" and FILES[name] in ("unknown", "empty") else ""
    return f"expected {phrase}, got '{name}', {IS[FILES[name]]}{advice}"


def check(pair):
    verb, name = pair
    accepted, template = VERBS[verb]
    words = []
    arguments = ["arg0=i32[64]", "arg1=i32[64]"] if "bytecode" in name or "mlirbc" in name else ["n=64"] + [f"{b}=f32[64]" for b in "xyz"]
    for word in template:
        words += [*arguments, "--grid=1"] if word == "ARGS" else [word.replace("FILE", name).replace("STORE", f"{name}.db")]
    code, said = run(*words)
    if FILES[name] in accepted:
        good = code == (3 if verb == "verify" else 0)  # there is no GPU
    else:
        good = code == 1 and expected_of(verb, accepted, name) in said
        good &= verb != "prof" or "expected a HIP program" in said
    return "" if good else f"{' '.join(words)}: code {code}\n{said}"


prepare()
with ThreadPoolExecutor(2) as pool:
    wrong = [text for text in pool.map(check, [(verb, name) for verb in VERBS for name in FILES]) if text]
# The kind of stdin follows from its contents where they show it; an empty source's from its name.
open("empty.tile.c", "w").close()
more = [
    (run("run", "-", "arg0=i32[64]", "arg1=i32[64]", "--device=interp", source="bytecode"), 0, ""),
    (run("inspect", "-", source="v.hsaco"), 0, "kernel vec_add"),
    (run("bundle", "--list", "-", source="v.kbundle"), 0, "vec_add"),
    (run("compile", "-", "--from=tt", "-o", os.devnull), 0, ""),
    (run("run", "empty.tile.c", "--device=interp"), 1, "empty.tile.c:1:1: error: the file has no kernel"),
    (run("run", "none.ttir", "--device=interp"), 1, "cannot open 'none.ttir'"),
    (run("inspect", "v.hsaco", "--compare=v.ttir"), 1, "--compare takes a code object, a manifest, a bundle, or a .json file"),
    (run("case", "--device=sim", "--object=kernel.ttir", "case"), 1, "which is tt; compile it to a code object with kiln compile"),
]
wrong += [f"code {code}, expected {wanted}\n{said}" for (code, said), wanted, text in more if code != wanted or text not in said]
print("\n".join(wrong))
print(len(VERBS) * len(FILES) + len(more), "pairs,", len(wrong), "wrong")
sys.exit(bool(wrong))
