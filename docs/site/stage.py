# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages that Sphinx reads, in a folder of their own: copies of the repository's pages under their own paths, so that relative links stay right, and pages
made from sources.

    index                README.md, and the sidebar
    docs/*, examples/*   the pages; those of examples with their kernel, host program and output
    api/NAME.h           a public header: its conventions, then its declarations in its order, which Breathe renders from Doxygen's XML
    PATH                 a source that a page links to

No page is listed here. docs/README.md gives the sidebar's sections and order, examples/README.md the order of the examples; pages that they do not link to
are appended.
"""
import glob
import json
import os
import re
import shutil
import xml.etree.ElementTree as ElementTree

import comments

PAGES = ["*.md", "docs/**/*.md", "examples/**/*.md"]
HEADERS = ["compiler/include/kiln", "runtime/include/kiln", "runtime/base/include/kiln", "autotune/include/kiln"]
LINK = re.compile(r"\]\(([^)\s#]+)[^)\s]*\)")
LANGUAGES = {".c": "c", ".h": "c", ".def": "c", ".cpp": "c++", ".py": "python", ".json": "json", ".mlir": "mlir", ".ttir": "mlir", ".cmake": "cmake", ".txt": "text"}
DIRECTIVES = {"function": "doxygenfunction", "typedef": "doxygentypedef", "enum": "doxygenenum", "define": "doxygendefine"}


class Stage:
    def __init__(self, source, out, xml):
        self.source, self.out, self.xml = source, out, xml
        self.pages = sorted({path for pattern in PAGES for path in self.find(pattern)})
        self.headers = [path for folder in HEADERS for path in sorted(self.find(f"{folder}/*.h") + self.find(f"{folder}/*.def"))]
        self.written = set()

    def find(self, pattern):
        return [os.path.relpath(path, self.source) for path in glob.glob(os.path.join(self.source, pattern), recursive=True)]

    def read(self, path):
        with open(os.path.join(self.source, path), encoding="utf-8") as file:
            return file.read()

    def write(self, name, text):
        """Writes a page; an unchanged one keeps its time, so that Sphinx does not read it again."""
        path = os.path.join(self.out, name)
        self.written.add(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                if file.read() == text:
                    return
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def links(self, path):
        """Paths in the repository that a page links to, in its order."""
        for link in LINK.findall(self.read(path)):
            if ":" not in link:
                yield os.path.normpath(os.path.join(os.path.dirname(path), link))

    def sections(self):
        """(caption, pages) of the sidebar."""
        placed, sections, caption = {"README.md"}, {}, "Getting started"

        def place(caption, pages):
            new = [page for page in pages if page in self.pages and page not in placed]
            placed.update(new)
            sections.setdefault(caption, []).extend(new)

        place(caption, ["docs/README.md"])
        for line in self.read("docs/README.md").split("\n"):
            title = re.fullmatch(r"#{2,} (.*)|\*\*(.*)\*\*", line)
            caption = (title.group(1) or title.group(2)) if title else caption
            place(caption, [page for link in LINK.findall(line) if (page := os.path.normpath(os.path.join("docs", link))).startswith("docs/")])
        for folder in sorted({os.path.dirname(page) for page in self.pages if page.startswith("docs/")} - {"docs"}):
            pages = sorted(page for page in self.pages if os.path.dirname(page) == folder)
            place(os.path.relpath(folder, "docs").capitalize(), sorted(pages, key=lambda page: not page.endswith("README.md")))
        place("More", [page for page in self.pages if page.startswith("docs/")])
        place("Examples", ["examples/README.md"])
        place("Project", [page for page in self.pages if "/" not in page])
        project = sections.pop("Project")
        return [(name, [docname(page) for page in pages]) for name, pages in sections.items()] + [("API", ["api/index"]), ("Project", [docname(page) for page in project])]

    def markdown(self):
        for page in self.pages:
            text = self.read(page)
            if page == "README.md":
                text += "".join(toctree(pages, caption) for caption, pages in self.sections() if pages)
            elif page == "examples/README.md":
                linked = [link for link in self.links(page) if link in self.pages and link.startswith("examples/")]
                others = [other for other in self.pages if other.startswith("examples/") and other != page]
                text += toctree([os.path.relpath(docname(one), "examples") for one in dict.fromkeys(linked + others)])
            elif os.path.dirname(page) == "examples":
                text += self.example(os.path.basename(page)[:-3], text)
            self.write(docname(page) + ".md", text)

    def example(self, name, text):
        """What follows an example's page: its sources and what it prints."""
        out = ""
        kernels = dict.fromkeys([f"{name}.tile.c"] + re.findall(r"\w+\.tile\.c", text))
        for file in [*kernels, f"{name}.c"]:
            if os.path.isfile(os.path.join(self.source, "examples", file)):
                out += f"\n## {file}\n\n{self.include('examples/' + file, 'examples')}"
        expected = f"examples/expected/{name}.txt"
        if os.path.isfile(os.path.join(self.source, expected)):
            out += f"\n## Output\n\nThe test `example_{name}` runs the host program on the simulator, under all of its checks, and compares what it prints.\n\n"
            out += f"```text\n{self.read(expected)}```\n"
        return out

    def include(self, path, folder):
        language = LANGUAGES.get(os.path.splitext(path)[1], "text")
        relative = os.path.relpath(os.path.join(self.source, path), os.path.join(self.out, folder))
        return f"```{{literalinclude}} {relative}\n:language: {language}\n```\n"

    def sources(self):
        """Pages of sources and folders that pages link to, and their pictures."""
        for path in sorted({link for page in self.pages for link in self.links(page)} - set(self.pages) - set(self.headers)):
            where = os.path.join(self.source, path)
            if path.endswith((".svg", ".png", ".jpg")):
                if os.path.isfile(where):
                    os.makedirs(os.path.dirname(os.path.join(self.out, path)), exist_ok=True)
                    shutil.copy2(where, os.path.join(self.out, path))
            elif os.path.isfile(where):
                self.write(path + ".md", f"---\norphan: true\n---\n# {path}\n\n" + self.include(path, os.path.dirname(path)))
            elif os.path.isdir(where) and f"{path}/README.md" not in self.pages:
                files = "".join(f"- `{name}`\n" for name in sorted(os.listdir(where)))
                self.write(f"{path}/index.md", f"---\norphan: true\n---\n# {path}\n\n{files}")

    # Public headers -------------------------------------------------------------------------------------------------------------------

    def declarations(self):
        """For each header (line, directive, name) of what it declares; lines are those of the text that Doxygen read."""
        found = {}
        for path in glob.glob(os.path.join(self.xml, "*_8h.xml")):
            compound = ElementTree.parse(path).getroot().find("compounddef")
            mine = found.setdefault(os.path.basename(compound.findtext("compoundname")), [])
            for member in compound.iter("memberdef"):
                name = member.findtext("name")
                if name.startswith("@"):  # an enum without a name: its values
                    mine += [(int(member.find("location").get("line")), "doxygenenumvalue", value.findtext("name")) for value in member.findall("enumvalue")]
                elif member.get("kind") in DIRECTIVES and not re.search(r"_H$|_API$", name):
                    mine.append((int(member.find("location").get("line")), DIRECTIVES[member.get("kind")], name))
            for inner in compound.findall("innerclass"):
                struct = ElementTree.parse(os.path.join(self.xml, inner.get("refid") + ".xml")).getroot().find("compounddef")
                mine.append((int(struct.find("location").get("line")), "doxygenstruct", inner.text))
        return found

    def header(self, path, declarations):
        lines = comments.filtered(os.path.join(self.source, path))
        size = comments.head(lines)
        out = f"# kiln/{os.path.basename(path)}\n\n{prose(lines[:size])}\n"
        if path.endswith(".def"):
            return out + self.include(path, "api")
        options = {"doxygenstruct": ":members:\n:undoc-members:\n"}
        events = [(line, f"```{{{directive}}} {name}\n{options.get(directive, '')}```\n") for line, directive, name in declarations]
        at = size
        while at < len(lines):
            title = comments.TITLE.match(lines[at])
            end = at + 1
            if title:
                events.append((at + 1, f"## {title.group(1)}\n"))
            elif re.match(r"//(?!/)", lines[at]):
                while end < len(lines) and lines[end].startswith("//"):
                    end += 1
                events.append((at + 1, prose(lines[at:end])))
            at = end
        return out + "\n".join(text for _, text in sorted(events, key=lambda event: event[0]))

    def api(self):
        declarations = self.declarations()
        text = "# API reference\n"
        for folder in HEADERS:
            text += f"\n## {folder.split('/include')[0]}\n\n| | |\n|---|---|\n"
            for path in [header for header in self.headers if os.path.dirname(header) == folder]:
                name, lines = os.path.basename(path), self.read(path).split("\n")
                self.write(f"api/{name}.md", self.header(path, declarations.get(name, [])))
                text += f"| [`kiln/{name}`]({name}.md) | {summary(prose(lines[: comments.head(lines)]))} |\n"
        self.write("api/index.md", text + toctree([os.path.basename(path) for path in self.headers]))

    def run(self):
        self.markdown()
        self.sources()
        self.api()
        for path in glob.glob(os.path.join(self.out, "**", "*.md"), recursive=True):
            if path not in self.written:
                os.remove(path)


def docname(path):
    return "index" if path == "README.md" else path[:-3]


def summary(text):
    """The first sentence of a text."""
    paragraph = text.strip().split("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=[^ .])\.(?= |$)", paragraph)[0].rstrip(":")


def toctree(pages, caption=None):
    return "\n```{toctree}\n:hidden:\n" + (f":caption: {json.dumps(caption, ensure_ascii=False)}\n" if caption else "") + "\n" + "\n".join(pages) + "\n```\n"


def plain(text):
    """A comment's text as Markdown; names of declarations become code."""
    parts = text.split("`")
    for at in range(0, len(parts), 2):
        part = re.sub(r"([<*\[\]\\|])", r"\\\1", parts[at])
        parts[at] = re.sub(r"\b(kiln_\w+|KILN_\w+|kiln/\w+\.\w+)", r"`\1`", part)
    return "`".join(parts)


def prose(lines):
    """A comment as Markdown: paragraphs, 'Threads     text' as a definition, and text that is laid out as it is."""
    out, kind = "", None
    for line in lines:
        text = line[2:]
        if text.lstrip().startswith("SPDX"):
            continue
        term = re.match(r" ([A-Z]\w+) {2,}(\S.*)", text) or (kind == "term" and re.match(r"(?=.{13}\S) ([A-Z]\w{10,}) (\S.*)", text))
        if not text.strip():
            out, kind = out + ("```\n" if kind == "code" else "") + "\n", None
        elif term:
            out += f"\n{term.group(1)}\n: {plain(term.group(2))}\n"
            kind = "term"
        elif kind == "term" and text.startswith("   "):
            out += f"  {plain(text.strip())}\n"
        elif comments.is_laid_out(text):
            out, kind = out + ("" if kind == "code" else "\n```text\n") + text[1:] + "\n", "code"
        else:
            out, kind = out + ("```\n\n" if kind == "code" else "\n" if kind == "term" else "") + plain(text.strip()) + "\n", "text"
    return out + ("```\n" if kind == "code" else "")
