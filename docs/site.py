# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""site.py --source=DIR --out=DIR: makes HTML of all pages (README.md, docs/*.md, examples/*.md) and of the public headers, with each declaration and its
comment, and an index of all names; then follows every link. Run by `./dev docs` and `ninja docs`.

A link in a page is a path in the repository, as it is when the page is read there. What it leads to becomes part of the site: pages as HTML, other files as they
are, folders as a list. A dead link, or an anchor that is not there, is told with file and line, and the exit code is 1.

The thing one gets wrong: a header's text between two blank lines is one piece. The comment that begins it is its prose, and the rest its code; names in the code
that are declared there have anchors, and names in backquotes anywhere lead to them.
"""
import argparse
import glob
import html
import os
import re
import shutil
import sys
from html.parser import HTMLParser

PAGES = ["README.md", "docs/*.md", "examples/*.md"]
HEADERS = ["compiler/include/kiln/*", "runtime/include/kiln/*", "runtime/base/include/kiln/*", "autotune/include/kiln/*"]
STYLE = """body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}code,pre{font:14px/1.45 monospace}
pre{background:#f5f5f2;padding:.7em 1em;overflow-x:auto}table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #ccc;padding:.25em .6em;vertical-align:top;text-align:left}
th:empty{display:none}a{color:#0b57a4;text-decoration:none}a:hover{text-decoration:underline}h2{margin-top:2em;border-bottom:1px solid #ddd}nav{font-size:14px}a.name{color:inherit;font-weight:bold}"""


class Site:
    def __init__(self, source, out):
        self.source, self.out = source, out
        self.faults = []
        self.names = {}  # a declared name: page#anchor
        self.pages = sorted({path for shape in PAGES for path in self.files(shape)})
        self.headers = sorted({path for shape in HEADERS for path in self.files(shape) if path.endswith((".h", ".def"))})
        self.files_out = {path: path.replace("/", "-").rsplit(".", 1)[0] + ".html" for path in self.pages}
        self.files_out.update({path: "header-" + os.path.basename(path).replace(".", "-") + ".html" for path in self.headers})
        self.copied = set()

    def files(self, shape):
        return [os.path.relpath(path, self.source) for path in glob.glob(os.path.join(self.source, shape))]

    def read(self, path):
        with open(os.path.join(self.source, path), encoding="utf-8") as file:
            return file.read()

    def fault(self, path, line, text):
        self.faults.append(f"{path}:{line}: {text}")

    # Links ----------------------------------------------------------------------------------------------------------

    def target(self, path, line, link):
        """Where a page's link leads in the site."""
        if re.match(r"[a-z]+:", link):
            return link
        place, _, anchor = link.partition("#")
        full = os.path.normpath(os.path.join(os.path.dirname(path), place)) if place else path
        if full in self.files_out:
            if anchor and full.endswith(".md") and anchor not in self.anchors(full):
                self.fault(path, line, f"{full} has no heading #{anchor}")
            return (self.files_out[full] if place else "") + ("#" + anchor if anchor else "")
        where = os.path.join(self.source, full)
        if os.path.isdir(where):
            return "index.html#" + slug(full)
        if not os.path.isfile(where):
            self.fault(path, line, f"the link '{link}' leads nowhere")
            return "#"
        self.copied.add(full)
        return "files/" + full

    def anchors(self, path):
        found, seen, fenced = set(), {}, False
        for line in self.read(path).split("\n"):
            fenced ^= line.startswith("```")
            heading = re.match(r"#{1,6} (.*)", line)
            if heading and not fenced:
                found.add(unique(slug(heading.group(1)), seen))
        return found

    # Markdown -------------------------------------------------------------------------------------------------------

    def inline(self, path, line, text):
        spans = []

        def keep(span):
            spans.append(span)
            return f"\0{len(spans) - 1}\0"

        def code(match):
            word = match.group(1)
            shown = f"<code>{html.escape(word)}</code>"
            leads = self.names.get(word.split("(")[0]) or next((self.files_out[h] for h in self.headers if h.endswith("/" + word)), None)
            return keep(f'<a href="{leads}">{shown}</a>' if leads else shown)

        def link(match):
            return keep(f'<a href="{html.escape(self.target(path, line, match.group(2)))}">') + match.group(1) + keep("</a>")

        def named(match):
            return keep(f'<a href="{html.escape(self.target(path, line, match.group(2)))}"><code>{html.escape(match.group(1))}</code></a>')

        text = re.sub(r"\[`([^`]+)`\]\(([^)\s]+)\)", named, text)
        text = re.sub(r"`([^`]+)`", code, text)
        text = re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", link, text)
        text = html.escape(text, quote=False).replace("&amp;lt;", "&lt;").replace("&amp;gt;", "&gt;")
        text = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)
        text = re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])", r"<em>\1</em>", text)
        text = re.sub(r"(?<![\"=>])(https?://[^\s)<]+[\w/])", r'<a href="\1">\1</a>', text)
        while "\0" in text:
            text = re.sub("\0(\\d+)\0", lambda match: spans[int(match.group(1))], text)
        return text

    def table(self, path, line, rows):
        cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|(?=(?:[^`]*`[^`]*`)*[^`]*$)", row.strip().strip("|"))] for row in rows]
        out = ["<table>"]
        for number, row in enumerate(cells):
            if number == 1:
                continue  # |---|---|
            tag = "td" if number else "th"
            out.append("<tr>" + "".join(f"<{tag}>{self.inline(path, line + number, cell.replace(chr(92) + '|', '|'))}</{tag}>" for cell in row) + "</tr>")
        return out + ["</table>"]

    def markdown(self, path):
        lines, out, seen, at = self.read(path).split("\n"), [], {}, 0
        while at < len(lines):
            line, start = lines[at], at
            at += 1
            heading = re.match(r"(#{1,6}) (.*)", line)
            item = re.match(r"(\s*)([-*]|\d+\.) ", line)
            if not line.strip() or re.match(r"<!--.*-->$", line):
                continue
            if heading:
                depth = len(heading.group(1))
                out.append(f'<h{depth} id="{unique(slug(heading.group(2)), seen)}">{self.inline(path, at, heading.group(2))}</h{depth}>')
            elif line.startswith("```"):
                while lines[at] != "```":
                    at += 1
                out.append("<pre>" + html.escape("\n".join(lines[start + 1 : at])) + "</pre>")
                at += 1
            elif line.startswith("    "):
                while at < len(lines) and (lines[at].startswith("    ") or (not lines[at] and lines[at + 1 : at + 2] and lines[at + 1].startswith("    "))):
                    at += 1
                out.append("<pre>" + html.escape("\n".join(one[4:] for one in lines[start:at])) + "</pre>")
            elif line.startswith("|"):
                while at < len(lines) and lines[at].startswith("|"):
                    at += 1
                out += self.table(path, start + 1, lines[start:at])
            elif item:
                tag = "ol" if item.group(2)[0].isdigit() else "ul"
                bullets = []
                at = start
                while at < len(lines) and lines[at].strip() and not lines[at].startswith(("#", "```", "|")):
                    bullet = re.match(r"\s*([-*]|\d+\.) (.*)", lines[at])
                    if bullet:
                        bullets.append((at + 1, bullet.group(2)))
                    else:
                        bullets[-1] = (bullets[-1][0], bullets[-1][1] + " " + lines[at].strip())
                    at += 1
                    if at + 1 < len(lines) and not lines[at].strip() and re.match(r"\s*([-*]|\d+\.) ", lines[at + 1]):
                        at += 1
                out.append(f"<{tag}>" + "".join(f"<li>{self.inline(path, number, text)}</li>" for number, text in bullets) + f"</{tag}>")
            else:
                while at < len(lines) and lines[at].strip() and not re.match(r"#{1,6} |```|\||\s*[-*] |<!--", lines[at]):
                    at += 1
                out.append("<p>" + self.inline(path, start + 1, " ".join(lines[start:at])) + "</p>")
        return out

    # Headers --------------------------------------------------------------------------------------------------------

    def pieces(self, path):
        """(first line, comment's text, code) of each piece of a header; a comment that is a title ends in dashes."""
        lines, at = self.read(path).split("\n"), 0
        while at < len(lines):
            start = at
            depth = 0
            while at < len(lines) and (lines[at].strip() or depth > 0):
                depth += lines[at].count("{") - lines[at].count("}") if 'extern "C"' not in lines[at] and lines[at].strip() != "}" else 0
                at += 1
            piece = lines[start:at]
            prose = 0
            while prose < len(piece) and piece[prose].startswith("//"):
                prose += 1
            if piece:
                yield start + 1, [one[2:] for one in piece[:prose]], piece[prose:]
            at += 1

    @staticmethod
    def is_frame(code):
        """Include guards and extern "C" alone."""
        return all(re.match(r'#(ifndef KILN\w*_H|define KILN\w*_H|endif|ifdef __cplusplus)\b|extern "C" \{|}|$', line) for line in code)

    def declared(self, code):
        """Names that a piece of code declares: functions, types, enumerators, macros."""
        text = "\n".join(re.sub(r"//.*", "", line) for line in code)
        names = re.findall(r"\b(kiln_\w+|kilnSim\w+)\s*\((?!\*)(?=[^;{]*\)\s*(?:__attribute__[^;]*)?[;{])", text)
        names += re.findall(r"}\s*(kiln_\w+)\s*;", text) + re.findall(r"typedef [^{}();]*\b(kiln_\w+)\s*;", text)
        names += re.findall(r"typedef [^;{]*\(\*(kiln_\w+)\)", text) + re.findall(r"^\s*#\s*define (KILN_\w+)", text, re.M)
        names += [one + end for one in re.findall(r"KILN_VERSIONED\((\w+)\)", text) for end in ("_initialize", "_initialize_sized")]
        for body in re.findall(r"enum[^{;]*{([^}]*)}", text):
            names += re.findall(r"\b(KILN_\w+)\b(?=\s*(?:=|,|$|}))", body, re.M)
        return [name for name in dict.fromkeys(names) if not name.endswith("_H")]

    def collect(self):
        for path in self.headers:
            for _, _, code in self.pieces(path):
                for name in self.declared(code):
                    self.names.setdefault(name, f"{self.files_out[path]}#{name}")

    def header(self, path):
        out = [f"<h1 id=\"{slug(os.path.basename(path))}\">kiln/{os.path.basename(path)}</h1>"]
        here, anchors = self.files_out[path] + "#", set()
        for number, prose, code in self.pieces(path):
            title = re.match(r" (\S.*?) ?-{5,}$", prose[0]) if prose else None
            if title:
                out.append(f'<h2 id="{slug(title.group(1))}">{html.escape(title.group(1))}</h2>')
                prose = prose[1:]
            paragraph, table = [], False
            for line in prose + [""]:
                if line.startswith(" SPDX"):
                    continue
                laid_out = bool(re.match(r" (\S.*?)?\s{3,}\S", line))  # two columns, or an example
                if paragraph and (not line.strip() or laid_out != table):
                    text = "\n".join(one[1:] for one in paragraph)
                    out.append(f"<pre>{html.escape(text)}</pre>" if table else "<p>" + self.inline(path, number, text.replace("\n", " ")) + "</p>")
                    paragraph = []
                if line.strip():
                    table = laid_out
                    paragraph.append(line)
            kept = [] if self.is_frame(code) else code
            if not any(line.strip() for line in kept):
                continue
            text = html.escape("\n".join(kept))
            mine = [one for one in self.declared(kept) if self.names.get(one) == here + one and one not in anchors]

            def name(match):
                word = match.group(0)
                leads = self.names.get(word)
                if not leads:
                    return word
                if word in mine and word not in anchors:
                    anchors.add(word)
                    return f'<a class="name" id="{word}" href="#{word}">{word}</a>'
                return f'<a href="{leads}">{word}</a>'

            text = re.sub(r"\b(?:kiln|KILN)\w+", name, text)
            hidden = [one for one in mine if one not in anchors]  # made by a macro, whose text has no such word
            anchors.update(hidden)
            out.append("".join(f'<span id="{one}"></span>' for one in hidden) + f"<pre>{text}</pre>")
        return out

    # Files ----------------------------------------------------------------------------------------------------------

    def write(self, name, title, body):
        path = os.path.join(self.out, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)} – Kiln</title><style>{STYLE}</style></head>\n<body><nav><a href="index.html">Kiln</a> · '
                       f'<a href="docs-README.html">which page is for whom</a> · <a href="names.html">all names</a></nav>\n' + "\n".join(body) + "\n</body></html>\n")

    def title(self, path):
        return re.sub(r"[`*]", "", re.search(r"^# (.*)", self.read(path), re.M).group(1))

    def index(self):
        out = ["<h1>Kiln</h1>"]
        for folder, name in (("docs", "Pages"), ("examples", "Examples")):
            out.append(f'<h2 id="{folder}">{name}</h2><ul>')
            out += [f'<li><a href="{self.files_out[page]}">{html.escape(self.title(page))}</a></li>' for page in self.pages if os.path.dirname(page) == (folder if folder != "docs" else "docs")
                    or (folder == "docs" and page == "README.md")]
            out.append("</ul>")
        out.append('<h2 id="headers">Public headers</h2><ul>')
        for path in self.headers:
            _, prose, _ = next(self.pieces(path))
            first = " ".join(line.strip() for line in prose[2:] if line.strip()).split(". ")[0].split(": ")[0].rstrip(".")
            out.append(f'<li><a href="{self.files_out[path]}"><code>kiln/{os.path.basename(path)}</code></a> {html.escape(first)}</li>')
        return out + ["</ul>"]

    def make(self):
        shutil.rmtree(self.out, ignore_errors=True)
        self.collect()
        for page in self.pages:
            self.write(self.files_out[page], self.title(page), self.markdown(page))
        for path in self.headers:
            self.write(self.files_out[path], "kiln/" + os.path.basename(path), self.header(path))
        self.write("index.html", "Index", self.index())
        names = [f'<li><a href="{leads}"><code>{name}</code></a></li>' for name, leads in sorted(self.names.items())]
        self.write("names.html", "All names", ["<h1>All names</h1><ul>"] + names + ["</ul>"])
        for path in self.copied:
            to = os.path.join(self.out, "files", path)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copyfile(os.path.join(self.source, path), to)


class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links = [], []

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key == "id":
                self.ids.append(value)
            if key == "href":
                self.links.append(value)


def slug(title):
    """The anchor that GitHub makes of a heading."""
    title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def unique(anchor, seen):
    seen[anchor] = seen.get(anchor, -1) + 1
    return f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor


def follow(out):
    """Every link of the site that leads nowhere, and every anchor that is there twice."""
    pages, faults = {}, []
    for path in glob.glob(os.path.join(out, "*.html")):
        reader = Reader()
        with open(path, encoding="utf-8") as file:
            reader.feed(file.read())
        pages[os.path.basename(path)] = reader
        faults += [f"{path}: the anchor {one} is there twice" for one in sorted({one for one in reader.ids if reader.ids.count(one) > 1})]
    for name, reader in pages.items():
        for link in reader.links:
            place, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            place = place or name
            if place not in pages and not os.path.isfile(os.path.join(out, place)):
                faults.append(f"{name}: the link {link} leads nowhere")
            elif anchor and anchor not in pages[place].ids:
                faults.append(f"{name}: the link {link} leads to no anchor")
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--out", required=True)
    words = parser.parse_args()
    site = Site(os.path.abspath(words.source), os.path.abspath(words.out))
    site.make()
    faults = site.faults + follow(site.out)
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(site.pages)} pages, {len(site.headers)} headers, {len(site.names)} names in {words.out}/index.html")


if __name__ == "__main__":
    main()
