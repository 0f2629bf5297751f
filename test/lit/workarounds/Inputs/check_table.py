# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Usage: check_table.py SOURCE DOCTOR.json: see table.test.
import json
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
rows = json.loads(pathlib.Path(sys.argv[2]).read_text())["workarounds"]
tests = {path.stem for path in (source / "test/lit/workarounds").glob("*.ll")}
tests |= {path.stem for path in (source / "test/lit/workarounds").glob("*.mir")}
tests |= {path.stem for path in (source / "test/lit/workarounds").glob("*.mlir")}
ids = {row["id"] for row in rows}
wrong = [f"{id}: no test in test/lit/workarounds" for id in ids - tests]
wrong += [f"{id}: no row in codegen/workarounds.def" for id in tests - ids]
for row in rows:
    file = source / "compiler" / row["file"]
    if not file.exists():
        wrong.append(f"{row['id']}: {row['file']} does not exist")

codegen = source / "compiler/codegen"
known = re.findall(r"^KILN_OPCODE\((\w+)", (codegen / "machine/opcodes.def").read_text(), re.M)
for path in list(codegen.rglob("*.cpp")) + list(codegen.rglob("*.h")):
    for name in re.findall(r'"([SV]_[A-Z][A-Z0-9_]*(?:_e32|_e64)?)"', path.read_text()):
        if not any(opcode.startswith(name) for opcode in known):
            wrong.append(f"{path.name}: {name} is not in codegen/machine/opcodes.def")
for line in wrong:
    print(line)
if not wrong:
    print(f"{len(rows)} work-arounds, {len(known)} opcodes")
sys.exit(bool(wrong))
