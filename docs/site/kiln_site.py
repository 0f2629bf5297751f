# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the site needs beyond Sphinx and MyST: Tile C and MLIR highlighted, links into the repository, and names of the API that lead to their declarations."""
import os
import re

from docutils import nodes
from pygments.lexer import RegexLexer, words
from pygments.lexers.c_cpp import CLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text
from sphinx import addnodes

NAME = re.compile(r"\b(?:kiln_\w+|KILN_\w+|kilnSim\w+)|\bkiln/\w+\.(?:h|def)\b")
URL = re.compile(r"https?://[^\s)<]+[\w/]")


class TileCLexer(CLexer):
    """C, and Tile C, which adds these words to it. Pages leave out code by "…"."""

    WORDS = {**dict.fromkeys(("kernel", "constexpr", "auto"), Keyword), **dict.fromkeys("i1 i8 i16 i32 i64 u8 u16 u32 u64 f8e4m3 f8e5m2 f16 bf16 f32 f64 bool".split(), Keyword.Type)}

    def get_tokens_unprocessed(self, text, stack=("root",)):
        for index, token, value in super().get_tokens_unprocessed(text, stack):
            yield index, self.WORDS.get(value, token) if token in Name else Text if value == "…" else token, value


class MlirLexer(RegexLexer):
    name = "MLIR"
    tokens = {
        "root": [
            (r"//.*", Comment),
            (r'"(?:[^"\\]|\\.)*"', String),
            (r"[%^][\w$.#-]+", Name.Variable),
            (r"@[\w$.]+", Name.Function),
            (r"[#!][\w$.]+", Name.Decorator),
            (words(("module", "attributes", "to", "step", "loc", "dense", "array", "true", "false", "unit"), prefix=r"\b", suffix=r"\b"), Keyword),
            (r"\b(?:[su]?i\d+|b?f\d+\w*|index|tensor|vector|memref|none)\b", Keyword.Type),
            (r"-?\b(?:0x[\da-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)", Number),
            (r"\b[a-z_]\w*\.[\w.]+", Name.Builtin),
            (r"->|[=:*+?-]", Operator),
            (r"[(){}\[\]<>,]", Punctuation),
            (r"\w+|\s+|.", Text),
        ]
    }


def lead_links(app, document):
    """Leads links to README.md, folders and headers, which have other names in the site, to their pages."""
    docname, found = app.env.docname, app.env.found_docs
    for node in list(document.findall(addnodes.pending_xref)):
        if node.get("reftype") != "myst" or re.match(r"[\w+.-]+:", node["reftarget"]):
            continue
        path, _, anchor = node["reftarget"].partition("#")
        if not path:
            continue
        path = os.path.normpath(os.path.join(os.path.dirname(docname), path))
        if path == "README.md":
            node["reftarget"] = os.path.relpath("index.md", os.path.dirname(docname) or ".") + ("#" + anchor if anchor else "")
            continue
        for page in (f"{path}/README", f"{path}/index", f"api/{os.path.basename(path)}" if "/include/kiln/" in path else path):
            if page in found:
                node.update_all_atts({"refdomain": "std", "reftype": "doc", "reftarget": "/" + page}, replace=True)
                break


def dress(app, document):
    """Commands as a console, tables whose header is empty without it, and plain addresses as links."""
    for block in document.findall(nodes.literal_block):
        if block.get("language", "none") in ("none", "default") and re.match(r"\$ ", block.astext()):
            block["language"] = "console"
    for head in list(document.findall(nodes.thead)):
        if not head.astext().strip():
            head.parent.remove(head)
    for link in list(document.findall(nodes.reference)):
        if link.get("refuri", "").startswith("file:"):  # Doxygen's idea of "file:line: message"
            link.parent.replace(link, nodes.Text(link.astext()))
    for text in list(document.findall(nodes.Text)):
        if URL.search(text) and not inside(text, (nodes.reference, nodes.literal, nodes.literal_block, nodes.raw, nodes.comment)):
            replace(text, URL, lambda url: nodes.reference("", url, refuri=url))


def inside(node, kinds):
    while node.parent is not None:
        node = node.parent
        if isinstance(node, kinds):
            return True
    return False


def replace(text, pattern, make):
    """Replaces what matches in a text by what is made of it, where that is not None."""
    new, at = [], 0
    for match in pattern.finditer(text):
        node = make(match.group())
        if node is not None:
            new += [nodes.Text(text[at : match.start()]), node]
            at = match.end()
    if new:
        text.parent.replace(text, [one for one in new + [nodes.Text(text[at:])] if one.astext()])


def declarations(env):
    """(page, anchor) of each name of the API."""
    found = {f"kiln/{page[4:]}": (page, "") for page in env.found_docs if re.match(r"api/.*\.", page)}
    for name, _, kind, page, anchor, _ in env.get_domain("c").get_objects():
        if kind != "member" or "." not in name:
            found.setdefault(name.split(".")[-1], (page, anchor))
    return found


def link_names(app, document, docname):
    """Leads names of the API, in code and in the text of headers' comments, to their declarations."""
    env = app.builder.env
    if not hasattr(env, "kiln_declarations"):
        env.kiln_declarations = declarations(env)

    def reference(name, shown):
        if name not in env.kiln_declarations:
            return None
        page, anchor = env.kiln_declarations[name]
        uri = app.builder.get_relative_uri(docname, page) + ("#" + anchor if anchor else "")
        return nodes.reference("", "", shown, refuri=uri, internal=True) if page != docname or anchor else None

    for code in list(document.findall(nodes.literal)):
        if not inside(code, (nodes.reference, nodes.title)):
            new = reference(code.astext().split("(")[0], code.deepcopy())
            if new is not None:
                code.parent.replace(code, new)
    if docname.startswith("api/"):
        for text in list(document.findall(nodes.Text)):
            if NAME.search(text) and inside(text, nodes.paragraph) and not inside(text, (nodes.reference, nodes.literal)):
                replace(text, NAME, lambda name: reference(name, nodes.Text(name)))


def drop_script(app, pagename, templatename, context, doctree):
    """theme.js is instead of it."""
    context["script_files"] = [script for script in context["script_files"] if "furo.js" not in str(getattr(script, "filename", script))]


def forget(app, env, docnames):
    if hasattr(env, "kiln_declarations"):
        del env.kiln_declarations


def setup(app):
    app.add_lexer("c", TileCLexer)
    app.add_lexer("mlir", MlirLexer)
    app.connect("html-page-context", drop_script, priority=900)
    app.connect("env-before-read-docs", forget)
    app.connect("doctree-read", lead_links)
    app.connect("doctree-read", dress)
    app.connect("doctree-resolved", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
