# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""commands.py DOCUMENT PATTERN: prints the commands that the document shows indented by four blanks and that begin with the pattern."""
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    commands = [line.strip() for line in file if re.match(rf"    {sys.argv[2]}\b", line)]
if not commands:
    sys.exit(f"{sys.argv[1]} shows no command that begins with {sys.argv[2]}")
print("\n".join(commands))
