#!/usr/bin/env python3
"""Runs every command of docs/lesson.md and compares what it prints with what the lesson shows.

A command stands in an indented block as "    $ mha-viz ...", what it prints on stdout below it.
Every number with a decimal point in the text between the blocks must have been printed by some
command, and every picture of the lesson must be one that a command wrote, in the same size.

  check_lesson.py PATH/TO/mha-viz            compare; exit 1 and a diff where something differs
  check_lesson.py PATH/TO/mha-viz --update   write what the commands print and draw into the docs
"""

import difflib
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "docs" / "lesson.md"
IMAGES = ROOT / "docs" / "images"
INDENT = "    "


def is_code(line):
    return line.startswith(INDENT)


def run(command, folder, binary):
    """What a command prints on stdout; any exit code but 0 ends the check."""
    environment = dict(os.environ, PATH=f"{binary.parent}:{os.environ['PATH']}", COLUMNS="100")
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )
    if done.returncode != 0:
        sys.exit(f"$ {command}\nexit code {done.returncode}\n{done.stderr}")
    return [line.rstrip() for line in done.stdout.rstrip("\n").split("\n")] if done.stdout else []


def replayed(lines, folder, binary):
    """The lesson as it would be with what the commands print now, and all that they printed."""
    out, printed = [], []
    at = 0
    while at < len(lines):
        line = lines[at]
        out.append(line)
        at += 1
        if not line.startswith(INDENT + "$ "):
            continue
        result = run(line[len(INDENT) + 2 :], folder, binary)
        printed += result
        out += [(INDENT + text).rstrip() for text in result]
        # Skip what the lesson shows: to the next command, or to the end of the block.
        while at < len(lines) and not lines[at].startswith(INDENT + "$ "):
            rest = next((text for text in lines[at:] if text), "")
            if not is_code(lines[at]) and (lines[at] or not is_code(rest)):
                break
            if not lines[at] and rest.startswith(INDENT + "$ "):
                break
            at += 1
    return out, printed


def png_size(path):
    return struct.unpack(">II", path.read_bytes()[16:24])


def check_pictures(lines, folder, update):
    for name in re.findall(r"\]\(images/([^)]+)\)", "\n".join(lines)):
        drawn, shown = folder / name, IMAGES / name
        if not drawn.exists():
            sys.exit(f"docs/lesson.md shows images/{name}, and no command writes {name}")
        if update:
            shutil.copy(drawn, shown)
        if not shown.exists() or png_size(drawn) != png_size(shown):
            sys.exit(f"docs/images/{name} is not what the lesson's command draws")


def check_numbers(lines, printed):
    known = set(re.findall(r"\d+\.\d+", "\n".join(printed)))
    text = "\n".join(line for line in lines if not is_code(line))
    missing = [number for number in re.findall(r"\d+\.\d+", text) if number not in known]
    if missing:
        sys.exit(f"numbers in the text that no command prints: {', '.join(missing)}")


def main():
    binary = Path(sys.argv[1]).resolve()
    update = "--update" in sys.argv[2:]
    lines = LESSON.read_text().split("\n")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data").symlink_to(ROOT / "data")
        now, printed = replayed(lines, folder, binary)
        if update:
            LESSON.write_text("\n".join(now))
        elif now != lines:
            print("\n".join(difflib.unified_diff(lines, now, "lesson", "now", lineterm="")))
            sys.exit("docs/lesson.md shows something else than its commands print")
        check_pictures(now, folder, update)
        check_numbers(now, printed)
    print(f"{sum(line.startswith(INDENT + '$ ') for line in now)} commands print what is shown")


main()
