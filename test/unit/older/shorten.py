# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes an older Kiln's public headers from today's: structs with a struct_size lose their last field, and the table of
options its last rows.

    shorten.py OUT HEADER...

Note that removing a last field that fits into the padding after the others does not make a struct shorter, so several
options are removed.
"""
import os
import re
import sys

LOST_OPTIONS = 4


def shorten_struct(match):
    body = match.group(2)
    if not re.match(r"\s*size_t struct_size;", body) or "#include" in body:
        return match.group(0)
    fields = [m.end() for m in re.finditer(r";[^\n]*\n", re.sub(r"//[^\n]*", lambda c: " " * len(c.group(0)), body))]
    assert len(fields) >= 2, match.group(0)
    return match.group(1) + body[:fields[-2]] + match.group(3)


def shorten_options(text):
    rows = [m.start() for m in re.finditer(r"^KILN_OPTION", text, re.M)]
    return text[:rows[-LOST_OPTIONS]]


def main():
    out, headers = sys.argv[1], sys.argv[2:]
    os.makedirs(out, exist_ok=True)
    shortened = 0
    for path in headers:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if os.path.basename(path) == "options.def":
            older = shorten_options(text)
        else:
            older = re.sub(r"(typedef struct \w+ \{\n)(.*?)(^\} \w+;)", shorten_struct, text, flags=re.S | re.M)
        shortened += older != text
        with open(os.path.join(out, os.path.basename(path)), "w", encoding="utf-8") as file:
            file.write(older)
    assert shortened >= 5, "these headers have no versioned structs"


main()
