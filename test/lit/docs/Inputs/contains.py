# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""contains.py DOCUMENT TEXT...: fails where the document does not hold the whole of each text file."""
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    document = file.read()
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        text = file.read().strip()
    if text not in document:
        sys.exit(f"{sys.argv[1]} does not hold the contents of {path}:\n{text}")
