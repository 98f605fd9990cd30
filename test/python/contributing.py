# SPDX-License-Identifier: Apache-2.0
"""The walks of CONTRIBUTING.md: changes of files, and what to see.

A line above a block of code says what becomes of the block:

    In `FILE`:                          it is there already
    In `FILE`, before `TEXT`:           put in front of the text
    In `FILE`, behind `TEXT`:           put behind the line of the text
    In `FILE`, in place of `TEXT`:      put there instead
    As the new file `FILE`:             the whole file

Space between words of TEXT stands for any space, line ends among them.
"""

import json
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tools import ROOT, tool

PAGE = ROOT / "CONTRIBUTING.md"
BLOCK = re.compile(r"([^\n]*)\n\n```(\w+)\n(.*?)```", re.S)
PLACE = re.compile(
    r"(?:In|As the new file) `([^`]+)`(?:, (before|behind|in place of) `([^`]+)`)?:$"
)


@dataclass
class Block:
    """A block of code with the line above it."""

    above: str
    language: str
    text: str

    @property
    def place(self):
        """File, how the block goes into it, and the text that says where; None
        for blocks that are no change."""
        match = PLACE.match(self.above)
        return match and match.groups()


def walk(number):
    """The text of a walk, and its blocks."""
    text = re.split(r"^## \d\. .*$", PAGE.read_text(), flags=re.M)[number]
    return text, [Block(*found) for found in BLOCK.findall(text)]


def pattern_of(text):
    return re.compile(r"\s+".join(map(re.escape, text.split())))


def occurs(block, source):
    """Whether the lines of the block are in the source, one after the other."""
    return pattern_of(block.text).search(source) is not None


def changed(block, source):
    """The source with the block in its place, which must be found once."""
    file, how, anchor = block.place
    found = list(pattern_of(anchor).finditer(source))
    assert len(found) == 1, f"{file}: found {len(found)} times: {anchor}"
    begin, end = found[0].span()
    if how == "in place of":
        return source[:begin] + block.text.rstrip("\n") + source[end:]
    if how == "behind":
        at = source.index("\n", end) + 1
    else:
        at = source.rindex("\n", 0, begin) + 1
    return source[:at] + block.text + source[at:]


def apply(blocks, folder):
    """Makes all changes of a walk in copies of the files they touch; returns
    the files by their path in the tree."""
    files = {}
    for block in blocks:
        if not block.place:
            continue
        name, how, _ = block.place
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if how is None:
            assert not (ROOT / name).exists(), f"{name} is in the tree already"
            copy.write_text(block.text)
        else:
            source = copy if copy.exists() else ROOT / name
            copy.write_text(changed(block, source.read_text()))
        files[name] = copy
    return files


def build_folder():
    return tool("shardsmith-opt").parents[1]


def has(entry, like):
    """Whether it compiles the file that ends with `like`, alone or with others."""
    if "/Unity/" not in entry["file"]:
        return entry["file"].endswith(like)
    return f'/{like}"' in Path(entry["file"]).read_text()


def compile_changed(source, like, folder):
    """The object of a changed file, compiled with the options of the file that
    ends with `like`; changed headers are found in `folder` first."""
    commands = json.loads((build_folder() / "compile_commands.json").read_text())
    entry = next(each for each in commands if has(each, like))
    if "/Unity/" in entry["file"] and source.name == Path(like).name:
        # The library has no object of this file alone to leave out.
        together = source.with_name(f"{source.stem}-unity.cpp")
        text = Path(entry["file"]).read_text()
        together.write_text(re.sub(f'"[^"\n]*/{re.escape(like)}"', f'"{source}"', text))
        source = together
    words = shlex.split(entry["command"])
    words[words.index("-c") + 1] = str(source)
    words[words.index("-o") + 1] = str(source.with_suffix(".o"))
    words[1:1] = [f"-I{folder}/include", f"-I{(ROOT / like).parent}"]
    done = subprocess.run(words, cwd=entry["directory"], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr[:4000]
    return source.with_suffix(".o")


def link_with(objects, program, target):
    """A program of the build, with changed objects in front of its libraries:
    what an object defines is not taken from a library again."""
    build = build_folder()
    listed = subprocess.run(
        ["ninja", "-C", build, "-t", "commands", "-s", program],
        text=True, capture_output=True, check=True,
    )
    command = listed.stdout.strip().splitlines()[-1]
    words = [word for word in shlex.split(command) if word not in ("&&", ":")]
    at = words.index("-o")
    words[at + 1] = str(target)
    words[at:at] = map(str, objects)
    done = subprocess.run(words, cwd=build, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr[:4000]
    return target
