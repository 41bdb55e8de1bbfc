"""Files of the user are never changed: whatever of ours runs in a directory of theirs, all of them are there after it.

The directory has files with the names that Rose itself writes, and with hostile ones. Each row of the table is
something that writes or deletes; what fails leaves the directory exactly as it was.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from paths import ROOT
from processes import INTERRUPTIBLE

import rose
from rose import Real
from wasm_backend.runtime import code_cache, entries, raw_call

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the names, pipes and links are those of POSIX")

OURS = """
    README.md package.json index.js index.html f.json f.wasm model.json NOTICE shared rose-machine-code
""".split()
HOSTILE = """
    -rf --force * $HOME ~ é \udcff .hidden %00 new-0
""".split()
HOSTILE += [" ", "a\nb", "x" * 255, "0" * 64]
FOLDERS = (".venv", "dist", "sub")


class Found(NamedTuple):
    """What is known of a path without opening it, and the content of a file."""

    inode: int
    mode: int
    content: bytes | None


def tree(folder: Path) -> dict[Path, Found]:
    return {path: Found(path.lstat().st_ino, path.lstat().st_mode, content(path)) for path in folder.rglob("*")}


def content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() and not path.is_symlink() else None


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, full of files of the user."""
    folder = tmp_path / "theirs"
    for place in (folder, *[folder / name for name in FOLDERS]):
        place.mkdir(parents=True)
        for name in (*OURS, *HOSTILE):
            (place / name).write_text(f"my {name}", errors="surrogateescape")
    (folder / "link").symlink_to("README.md")
    (folder / "astray").symlink_to("nowhere")
    os.mkfifo(folder / "pipe")
    os.mkfifo(folder / "index.d.ts")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return folder


PROGRAM = "from rose import Real, fn\n@fn\ndef f(x: Real) -> Real: return x * x\n"


def program(folder: Path) -> str:
    """A program outside of the directory."""
    (folder.parent / "model.py").write_text(PROGRAM)
    return str(folder.parent / "model.py")


def ran(*command: str | Path) -> bool:
    done = subprocess.run(command, capture_output=True, timeout=300, stdin=subprocess.DEVNULL, **INTERRUPTIBLE)
    assert b"Traceback" not in done.stderr
    return done.returncode == 0


def rose_(*args: str) -> bool:
    return ran(sys.executable, "-m", "rose", *args)


def saved(out: str | Path) -> bool:
    try:
        rose.compile({"f": rose.fn([Real], Real)(lambda x: x * x)}).save(out, force=True)
    except rose.RoseError:
        return False
    return True


def cached(folder: Path) -> bool:
    os.environ["ROSE_CACHE"] = str(folder)
    entries.CACHE_BYTES = 0
    f = rose.fn([Real], Real)(lambda x: [x := x * x + k for k in range(2000)][-1])
    code_cache.compiled(raw_call.engine(), rose.compile(f).wasm)
    return True


def web_build(folder: Path) -> bool:
    return ran(sys.executable, ROOT / "web" / "build.py", "--only", "none", "-o", folder)


def made(folder: Path, target: str) -> bool:
    """Whether make makes a target of our Makefile in the directory, which has the environment of the user."""
    shutil.copy(ROOT / "Makefile", folder.parent)
    return ran("make", "-f", "../Makefile", target)


RUNS: dict[str, tuple[bool, Callable[[Path], bool]]] = {
    "compile": (False, lambda at: rose_("compile", program(at), "-o", ".")),
    "compile --force": (False, lambda at: rose_("compile", program(at), "-o", ".", "--force")),
    "compile --inline --force": (False, lambda at: rose_("compile", program(at), "-o", ".", "--force", "--inline")),
    "compile -o ''": (False, lambda at: rose_("compile", program(at), "-o", "", "--force")),
    "compile to a file": (False, lambda at: rose_("compile", program(at), "-o", "README.md", "--force")),
    "compile to a pipe": (False, lambda at: rose_("compile", program(at), "-o", "pipe", "--force")),
    "compile astray": (False, lambda at: rose_("compile", program(at), "-o", "astray", "--force")),
    "compile to what is new": (True, lambda at: rose_("compile", program(at), "-o", "sub/new")),
    "save": (False, lambda at: saved(".")),
    "save ''": (False, lambda at: saved("")),
    "save in a subdirectory": (False, lambda at: saved(at / "sub")),
    "cache": (True, cached),
    "cache in a subdirectory": (True, lambda at: cached(at / "sub")),
    "doctor": (True, lambda at: rose_("doctor")),
    "site": (False, web_build),
    "site in a subdirectory": (False, lambda at: web_build(at / "sub")),
    "make clean": (True, lambda at: made(at, "clean")),
    "make venv": (False, lambda at: made(at, "venv")),
}


@pytest.mark.parametrize("name", RUNS)
def test_every_file_of_the_user_is_there_and_unchanged(name: str, theirs: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROSE_CACHE", "" if name != "doctor" else str(theirs))
    monkeypatch.setattr(entries, "CACHE_BYTES", entries.CACHE_BYTES)
    before = tree(theirs)
    works, run = RUNS[name]
    assert run(theirs) == works
    after = tree(theirs)
    assert {path: after.get(path) for path in before} == before
    assert works or set(after) == set(before)
