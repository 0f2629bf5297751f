# Compares the table of options that passes read (compiler/cli/compile/passes.c) with the passes'
# sources: pass_options.py REPOSITORY. A pass may consist of the file of its name or, as
# rewrite_tensor_pointers, of a directory.
import pathlib, re, sys

root = pathlib.Path(sys.argv[1])
table = set(re.findall(r'\{"(\w+)", "(\w+)"\},', (root / "compiler/cli/compile/passes.c").read_text()))
options = set(re.findall(r"^KILN_OPTION\(\w+, +(\w+),", (root / "runtime/base/include/kiln/options.def").read_text(), re.M))
passes = set(re.findall(r"^KILN_PASS\((\w+),", (root / "compiler/passes/pipeline.def").read_text(), re.M))
read = set()
for path in (root / "compiler/passes").rglob("*.c"):
    for option in re.findall(r"\boptions->(\w+)", path.read_text()):
        if option in options and path.stem != "pipeline":
            read.add((option, path.stem))
read -= {("arch", "convert_to_ttg")}  # not a flag of kiln opt
assert len(table) > 10 and {name for _, name in table} <= passes, table
assert table == read, (sorted(table - read), sorted(read - table))
