# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pages.py --source=DIR --build=DIR [--cc=COMMAND] [--keep=DIR] [--update] [PAGE...]: runs the commands that the pages show, and compares what they print.

A block of commands is indented by four blanks or fenced (without a language, sh or console), and its first word is one of COMMANDS or '$'. All
commands of a page run in their order in one new folder, in which the repository's top folders and files, and build/, can be reached by their names.

    kiln run …          a command; it must succeed. '\\' at the end goes on in the next line
    $ kiln run …        the same; the lines up to the next '$' or the block's end are what it prints, stderr included
    ./dev test          is not run, but named in the list of what is not, and its verb must be in './dev help'

In what is printed '…' stands for any text in a line, and a line '…' for any lines. Comments in front of a block say more about it:

    <!-- not run: WHY -->           nobody runs it
    <!-- exit: N -->                the exit code of its last command
    <!-- before: COMMAND -->        runs first and is not shown
    <!-- file: NAME -->             the fenced text is written to this file of the folder
    <!-- same as: FILE -->          the fenced text is what stands in this file of the repository
    <!-- prints: COMMAND -->        the text is what this command, which is not shown here, prints

Links must lead to a file or folder of the repository, and to an existing heading if they name one.

A path in backquotes that begins with a folder of the repository, `compiler/passes/pass.h`, must exist; NAME, ID and TARGET in it stand for any
text. A commit in backquotes must be one of the repository's, where its history is at hand.

Note that each flag that a page names in backquotes, `--like-this`, must be one of kiln's or of FOREIGN_FLAGS.
"""
import argparse
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

COMMANDS = "kiln ./dev cc c++ clang++-22 cmake ctest env apt python python3 export ls sh".split()
COMMENT = re.compile(r"<!-- (not run|exit|before|file|same as|prints): (.*?) -->$")
FOREIGN_FLAGS = """--install --prefix --component --build --cflags --libs --variable --offload-arch --rocm-path --rocm-device-lib-path
    --no-offload-new-driver --compiler --seen --every --all --triton --aiter --roof --registers --repeat --threads --write --version --help --source --update --show --length
    --bars --origami --vllm --quick --within""".split()


class Block:
    def __init__(self, page, number, lines, marks, fenced):
        self.page, self.number, self.lines, self.marks, self.fenced = page, number, lines, marks, fenced

    def place(self, offset=0):
        return f"{self.page}:{self.number + offset}"


def blocks(page, text):
    """The fenced and indented blocks of a page, with the comments in front of each."""
    found, marks, lines = [], [], text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        comment = COMMENT.match(line)
        if comment:
            marks.append(comment.groups())
        elif line.startswith("```"):
            end = lines.index("```", at + 1)
            found.append((line[3:], Block(page, at + 2, lines[at + 1 : end], marks, True)))
            marks, at = [], end
        elif line.startswith("    ") and (at == 0 or not lines[at - 1].strip() or COMMENT.match(lines[at - 1])):
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or (not lines[end] and lines[end + 1 : end + 2] and lines[end + 1].startswith("    "))):
                end += 1
            found.append(("", Block(page, at + 1, [one[4:] for one in lines[at:end]], marks, False)))
            marks, at = [], end - 1
        elif line.strip() and marks:
            raise ValueError(f"{page}:{at + 1}: a comment '{marks[-1][0]}:' is not followed by a block")
        at += 1
    return found


def commands_of(block):
    """(offset, command, offset of its output, its output or None) of each command, or None where the block shows none."""
    first = block.lines[0].split(" ")[0] if block.lines else ""
    if first != "$" and first not in COMMANDS and "/bin/" not in first:
        return None
    shows, commands, at = first == "$", [], 0
    while at < len(block.lines):
        start, line = at, block.lines[at]
        at += 1
        if shows and not line.startswith("$ "):
            commands[-1][3].append(line)
            continue
        line = line[2:] if shows else line
        while line.endswith("\\"):
            line = line[:-1] + block.lines[at].strip()
            at += 1
        if not line.strip():
            continue
        if not shows and line.split(" ")[0] not in COMMANDS and "/bin/" not in line.split(" ")[0] and not line.startswith("./"):
            raise ValueError(f"{block.place(start)}: '{line}' is not a command of {', '.join(COMMANDS)}; show output after '$ command'")
        commands.append((start, line, at, [] if shows else None))
    return commands


def prose_lines(text):
    """(number, line) of what is in no fence."""
    plain = re.sub(r"^```.*?^```$", lambda fence: "\n" * fence.group().count("\n"), text, flags=re.S | re.M)
    return enumerate(plain.split("\n"), 1)


def anchors(text):
    """The anchors that GitHub, and the docs' site, make of a page's headings."""
    found = {}
    for _, line in prose_lines(text):
        heading = re.match(r"#{1,6} (.*)", line)
        if heading:
            title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1))
            anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            found[anchor] = found.get(anchor, -1) + 1
            if found[anchor]:
                found[f"{anchor}-{found[anchor]}"] = 0
    return found


def pattern(lines):
    """A regular expression of what is shown."""
    text = ""
    for line in lines:
        if line.strip() == "…":
            text += r"(?:.*\n)*?"
        else:
            text += r"[^\n]*?".join(re.escape(part) for part in line.split("…")) + r"[ ]*\n"
    return re.compile(text + r"\Z")


NUMBER = re.compile(r"-?\d[\d.,]*")


def line_with_new_numbers(shown, printed):
    """The line that is printed, with '…' where the shown one has it; None if the two differ in more than numbers and spaces."""
    if re.fullmatch("[^\n]*?".join(re.escape(part) for part in shown.split("…")), printed):
        return shown
    groups = "".join("(.*?)" if part == "…" else rf"({NUMBER.pattern})" if NUMBER.fullmatch(part) else r"(\s+)" if part.isspace() else f"({re.escape(part)})"
                     for part in re.findall(rf"…|{NUMBER.pattern}|\s+|[^…\s\d]+|.", shown))
    match = re.fullmatch(groups, printed)
    return match and "".join("…" if old == "…" else new for old, new in zip(re.findall(rf"…|{NUMBER.pattern}|\s+|[^…\s\d]+|.", shown), match.groups()))


def shown_anew(shown, printed):
    """What to show for the printed lines: lines that '…' stood for stay hidden, those between others are all shown."""
    out, at = [], 0
    for index, line in enumerate(shown):
        if line.strip() == "…":
            following = next((other for other in shown[index + 1:] if other.strip() != "…"), None)
            while at < len(printed) and (following is None or line_with_new_numbers(following, printed[at]) is None):
                at += 1
            out.append(line)
            continue
        found = next((k for k in range(at, len(printed)) if line_with_new_numbers(line, printed[k]) is not None), None)
        hidden = bool(out) and out[-1].strip() == "…"
        if found is not None:
            out += printed[at:found] if not hidden else []
            out.append(line_with_new_numbers(line, printed[found]))
            at = found + 1
    return out + (printed[at:] if not (shown and shown[-1].strip() == "…") else [])


class Runner:
    def __init__(self, source, build, cc, update):
        self.source, self.build, self.cc, self.update = source, build, cc, update
        help_text = subprocess.run([os.path.join(source, "dev"), "help"], capture_output=True, text=True, check=True).stdout
        self.dev_verbs = set(re.findall(r"^  ([a-z]+)", help_text, re.M))
        self.flags = self.flags_of_kiln()

    def environment(self, folder):
        values = {name: value for name, value in os.environ.items() if not name.startswith("KILN_")}
        values["PATH"] = os.pathsep.join([os.path.join(folder, ".bin"), os.path.join(self.build, "bin"), values["PATH"]])
        values["KILN_DEVICE"] = "sim"
        values["KILN_CACHE_DIR"] = os.path.join(folder, ".cache")
        return values

    def flags_of_kiln(self):
        kiln = os.path.join(self.build, "bin", "kiln")
        verbs = re.findall(r"^  ([a-z]+) ", subprocess.run([kiln, "--help"], capture_output=True, text=True, check=True).stdout, re.M)
        flags = set()
        for verb in verbs:
            text = subprocess.run([kiln, verb, "--help=all"], capture_output=True, text=True, check=True).stdout
            flags |= set(re.findall(r"--[a-z][a-z0-9-]*", text))
        return flags

    def run(self, command, folder):
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=self.environment(folder), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
        return done.returncode, done.stdout.decode(errors="replace")

    def check(self, block, offset, command, shown, wanted_code, folder):
        code, printed = self.run(command, folder)
        printed = re.sub(r"[ ]+\n", "\n", printed)
        if code != wanted_code:
            return f"{block.place(offset)}: exit code {code}, not {wanted_code}, of\n  {command}\n{printed}"
        if shown is None or pattern(shown).match(printed):
            return None
        if self.update:
            prefix = "" if block.fenced else "    "
            lines = shown_anew(shown, printed.rstrip("\n").split("\n"))
            self.updates.append((block.number - 1 + offset, len(shown), [prefix + line for line in lines]))
            return None
        return f"{block.place(offset)}: what is printed is not what is shown, of\n  {command}\n{printed}"

    def block(self, kind, block, folder):
        """Runs a block; gives its faults and the commands that were not run."""
        faults, skipped, marks = [], [], dict(block.marks)
        for name, value in block.marks:
            if name == "before":
                code, printed = self.run(value, folder)
                if code:
                    faults.append(f"{block.place()}: exit code {code} of what runs before it\n  {value}\n{printed}")
        text = "\n".join(block.lines) + "\n"
        if "file" in marks:
            path = os.path.join(folder, marks["file"])
            if os.path.islink(path.split("/")[0]):
                raise ValueError(f"{block.place()}: {marks['file']} is a file of the repository")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        if "same as" in marks:
            with open(os.path.join(self.source, marks["same as"]), encoding="utf-8") as file:
                if text.strip() not in file.read():
                    faults.append(f"{block.place()}: {marks['same as']} does not hold what is shown")
        if "prints" in marks:
            fault = self.check(block, 0, marks["prints"], block.lines, int(marks.get("exit", 0)), folder)
            return faults + ([fault] if fault else []), skipped
        if kind not in ("", "sh", "console"):
            return faults, skipped
        commands = commands_of(block)
        for index, (offset, command, output, shown) in enumerate(commands or []):
            if "not run" in marks:
                skipped.append(f"{block.place(offset)}: {command} ({marks['not run']})")
            elif command.startswith("./dev"):
                verb = command.split()[1]
                if verb not in self.dev_verbs:
                    faults.append(f"{block.place(offset)}: './dev help' knows no {verb}")
                skipped.append(f"{block.place(offset)}: {command}")
            else:
                wanted = int(marks.get("exit", 0)) if index == len(commands) - 1 else 0
                fault = self.check(block, output if self.update else offset, command, shown, wanted, folder)
                if fault:
                    faults.append(fault)
        return faults, skipped

    def make_compiler(self, folder):
        path = os.path.join(folder, ".bin", "cc")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nPATH={os.environ["PATH"]}\nexec {self.cc} "$@"\n')
        os.chmod(path, 0o755)

    def spans(self, page, text):
        """Flags in backquotes that nobody takes."""
        faults = []
        for number, line in prose_lines(text):
            for span in re.findall(r"`([^`]+)`", line):
                for flag in re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", span):
                    if flag not in self.flags and flag not in FOREIGN_FLAGS and not span.startswith("build/test/"):
                        faults.append(f"{page}:{number}: no verb of kiln has the flag {flag}")
                faults += [f"{page}:{number}: {fault}" for fault in (self.missing_file(span), self.missing_commit(span)) if fault]
        return faults

    def missing_file(self, span):
        """What is wrong with a path that begins with a folder of the repository, if anything; capitals stand for any name."""
        folder = span.split("/")[0]
        if not re.fullmatch(r"[\w.-]+(/[\w.*-]+)+/?", span) or folder in ("..", "build") or not os.path.isdir(os.path.join(self.source, folder)):
            return None
        shape = re.sub(r"(?<![A-Za-z])(NAME|ID|TARGET)(?![A-Za-z])", "*", span)
        return None if glob.glob(os.path.join(self.source, shape)) else f"there is no {span}"

    def missing_commit(self, span):
        """What is wrong with a commit's name, if anything. A copy of the sources without their history knows none."""
        if not re.fullmatch(r"(?=\d*[a-f])[0-9a-f]{8,}", span):
            return None
        git = lambda *words: subprocess.run(["git", "-C", self.source, *words], capture_output=True, text=True)
        shallow = git("rev-parse", "--is-shallow-repository")
        if shallow.returncode or shallow.stdout.strip() != "false":
            return None
        return f"there is no commit {span}" if git("cat-file", "-e", span + "^{commit}").returncode else None

    def links(self, page, text):
        """Links of a page that lead nowhere; the docs' site, which follows them too, is not built by the tests."""
        faults = []
        for number, line in prose_lines(text):
            for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"(?<!\[)`[^`]*`", "", line)):
                place, _, anchor = link.partition("#")
                path = os.path.normpath(os.path.join(self.source, os.path.dirname(page), place)) if place else os.path.join(self.source, page)
                if re.match(r"[a-z]+:", link):
                    continue
                if not os.path.exists(path):
                    faults.append(f"{page}:{number}: the link '{link}' leads nowhere")
                elif anchor and path.endswith(".md"):
                    with open(path, encoding="utf-8") as file:
                        if anchor not in anchors(file.read()):
                            faults.append(f"{page}:{number}: the link '{link}' leads to no heading")
        return faults

    def page(self, page, keep):
        with open(os.path.join(self.source, page), encoding="utf-8") as file:
            text = file.read()
        self.updates = []
        folder = keep or tempfile.mkdtemp(prefix="kiln-page-")
        try:
            for name in os.listdir(self.source):
                if not name.startswith((".", "build")) and not os.path.lexists(os.path.join(folder, name)):
                    os.symlink(os.path.join(self.source, name), os.path.join(folder, name))
            if not os.path.lexists(os.path.join(folder, "build")):
                os.symlink(self.build, os.path.join(folder, "build"))
            self.make_compiler(folder)
            faults, skipped = self.spans(page, text) + self.links(page, text), []
            for kind, block in blocks(page, text):
                more, left = self.block(kind, block, folder)
                faults += more
                skipped += left
        except (ValueError, subprocess.TimeoutExpired) as error:
            faults, skipped = [str(error)], []
        finally:
            if not keep:
                shutil.rmtree(folder)
        if self.updates:
            lines = text.split("\n")
            for at, count, new in reversed(self.updates):
                lines[at : at + count] = new
            with open(os.path.join(self.source, page), "w", encoding="utf-8") as file:
                file.write("\n".join(lines))
        return faults, skipped


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--cc", default="cc", help="what 'cc' is in the pages: the build's compiler, with its sanitizers")
    parser.add_argument("--keep", help="an empty folder to run in, which stays")
    parser.add_argument("--update", action="store_true", help="write what is printed into the pages, but where they show '…'; git then shows the difference")
    parser.add_argument("page", nargs="*")
    words = parser.parse_args()
    source = os.path.abspath(words.source)
    pages = words.page or sorted(
        os.path.relpath(path, source) for shape in ("*.md", "docs/*.md", "docs/*/*.md", "examples/*.md", "examples/*/*.md") for path in glob.glob(os.path.join(source, shape))
    )
    make = lambda: Runner(source, os.path.abspath(words.build), words.cc, words.update)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda page: make().page(page, words.keep), pages))
    faults = [fault for some, _ in results for fault in some]
    skipped = [one for _, some in results for one in some]
    if skipped:
        print("not run:\n" + "\n".join("  " + one for one in skipped))
    if faults:
        sys.exit("\n".join(faults))


main()
