#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""comments.py FILE: Doxygen's input filter. Prints a public header with its plain comments as Doxygen's, and its rows of .def files expanded.

Public headers have no markup. A comment documents the declaration that follows it or, at the end of a line, the declaration before it:

    // Finds and opens a device.        ->    /// Finds and opens a device.
    int ordinal; // -1: the first       ->    int ordinal; /**< -1: the first */
    struct mark { // columns            ->    /// columns
                                              struct mark {

The head comment and titles of sections ("// Sessions ------") stay as they are: stage.py makes the text and the headings of a page from them.

An enum or struct whose members are the rows of a .def file includes it between the #defines of the rows' macros. Doxygen does not expand that, so it is done
here; each member is documented by the last string of its row.
"""
import os
import re
import sys

TITLE = re.compile(r"//\s*(\S.*?)\s*-{5,}$")
MACRO = re.compile(r"#\s*define (\w+)(?:\(([^)]*)\))? ?(.*)")


def split_comment(line):
    """(code, comment or None, column of the comment) of a line; '//' in a string is code."""
    found = re.match(r"""((?:[^"'/]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|/(?!/))*)//(.*)""", line)
    return (found.group(1), found.group(2), len(found.group(1))) if found else (line, None, -1)


def escape(text):
    """Text without meaning for Doxygen, except that `code` stays code."""
    parts = text.split("`")
    for at, part in enumerate(parts):
        part = re.sub(r"([\\@&$#<>%\"])", r"\\\1", part).replace("*/", "* /")
        parts[at] = f"<tt>{part}</tt>" if at % 2 and at + 1 < len(parts) else part
    return "".join(parts)


def is_laid_out(text):
    """Two columns or an example: text whose blanks matter."""
    return bool(re.match(r" {4,}\S| ?\S.*\S {3,}\S", text))


def documentation(lines):
    """Doxygen's text of a comment's lines."""
    out, verbatim = [], False
    for text in lines:
        if is_laid_out(text) != verbatim and text.strip():
            verbatim = not verbatim
            out.append(" @verbatim" if verbatim else " @endverbatim")
        out.append(text if verbatim else escape(text))
    return out + [" @endverbatim"] * verbatim


def before(texts):
    return ["///" + text for text in documentation(texts)]


def after(texts):
    return " /**<" + "\n *".join(documentation(texts)) + " */"


def head(lines):
    """How many lines the head comment has."""
    count = 0
    while count < len(lines) and lines[count].startswith("//"):
        count += 1
    return count


def find_table(name):
    for folder in ("compiler", "runtime", "runtime/base", "autotune"):
        path = os.path.join(os.path.dirname(__file__), "..", "..", folder, "include", name)
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                return file.read()
    raise FileNotFoundError(name)


def expand(table, macros):
    """The members that a table's rows make, with their documentation."""
    for name, row in re.findall(r"^(KILN_\w+)\((.*)\)$", table, re.M):
        if name not in macros:
            continue
        words = [word.strip() for word in re.findall(r'(?:"(?:[^"\\]|\\.)*"|[^",])+', row)]
        parameters, body = macros[name]
        for parameter, word in zip(parameters, words):
            body = re.sub(rf"\s*##\s*{parameter}\b|\b{parameter}\s*##\s*", lambda _: word, body)
            body = re.sub(rf"\b{parameter}\b", lambda _: word, body)
        for plain, (none, text) in macros.items():
            if none is None:
                body = re.sub(rf"\b{plain}\b", lambda _: text, body)
        strings = re.findall(r'"((?:[^"\\]|\\.)*)"', row)
        first, semicolon, rest = body.partition(";")  # a list's count needs no documentation of its own
        yield first + semicolon + (after([" " + strings[-1].replace('\\"', '"')]) if strings else "") + rest


def expand_tables(lines):
    """The lines of a header with the included rows in place, and without the macros that make them."""
    out, macros, pending, at = [], {}, [], 0
    while at < len(lines):
        line = lines[at]
        while line.endswith("\\"):
            at += 1
            line = line[:-1].rstrip() + " " + lines[at].strip()
        at += 1
        macro, table = MACRO.match(line), re.match(r'#\s*include "(.*\.def)"', line)
        if macro:
            macros[macro.group(1)] = (macro.group(2).replace(" ", "").split(",") if macro.group(2) is not None else None, macro.group(3))
            pending.append(line)
        elif table:
            out += expand(find_table(table.group(1)), macros)
            macros, pending = {}, []
        elif not re.match(r"#\s*undef", line):
            out += pending + [line]
            macros, pending = {}, []
    return out + pending


def document(lines):
    at = head(lines)
    out = lines[:at]
    while at < len(lines):
        line = lines[at]
        code, comment, column = split_comment(line)
        at += 1
        if comment is None or TITLE.match(line):
            out.append(line)
            continue
        texts = [comment]
        while at < len(lines) and not (more := split_comment(lines[at]))[0].strip() and more[2] == column and not TITLE.match(lines[at]):
            texts.append(more[1])
            at += 1
        if code.rstrip().endswith("{"):
            out += before(texts) + [code.rstrip()]
        elif code.strip():
            out += (code.rstrip() + after(texts)).split("\n")
        elif at == len(lines) or lines[at].strip():
            out += before(texts)
        else:  # of no declaration
            out += ["//" + text for text in texts]
    return out


def filtered(path):
    """The lines that Doxygen reads of a header."""
    with open(path, encoding="utf-8") as file:
        return document(expand_tables(file.read().split("\n")))


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    print("\n".join(filtered(sys.argv[1])))
