"""What the page with the editor loads when it is asked to: Pyodide, and the compiler.

Pyodide comes from npm, once, and is kept in web/.pyodide. The compiler is a zip of this very tree, without what only
runs modules. `contents.js` tells the page how much there is, and has the programs to begin with.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import tarfile
import zipfile
from base64 import b64encode
from pathlib import Path
from tempfile import TemporaryDirectory

import click

WEB = Path(__file__).parent
ROOT = WEB.parent
KEPT = WEB / ".pyodide"
PYODIDE = "pyodide@314.0.7"
INTEGRITY = "sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
IMPORTED = FILES[:2]  # the others are fetched, which the page can count
HEADLESS = {"cli.py", "__main__.py"}  # of no use without a command line


def place(to: Path) -> None:
    """Put Python and the compiler into a folder; without Python, if npm cannot bring it."""
    to.mkdir(parents=True, exist_ok=True)
    why = fetched()
    total = imported = 0
    if why is None:
        for file in FILES:
            shutil.copy2(KEPT / file, to)
        write_compiler(to / "rose.zip")
        imported = sum([(to / file).stat().st_size for file in IMPORTED])
        total = sum([(to / file).stat().st_size for file in (*FILES, "rose.zip")])
    else:
        click.echo(f"live: without Python, as {why}", err=True)
    (to / "contents.js").write_text(contents(total, imported))
    runtime = to.parent / "runtime"
    runtime.mkdir(exist_ok=True)
    for file in sorted((ROOT / "wasm_backend" / "js").glob("rose*.js")):
        shutil.copy2(file, runtime)


def fetched() -> str | None:
    """Why Pyodide cannot be had; None if it is there."""
    if all((KEPT / file).exists() for file in FILES):
        return None
    if (npm := shutil.which("npm")) is None:
        return "there is no npm to bring Pyodide"
    with TemporaryDirectory() as scratch:
        done = subprocess.run([npm, "pack", "--silent", PYODIDE], cwd=scratch, capture_output=True, text=True)
        packed = [*Path(scratch).glob("*.tgz")]
        if done.returncode or not packed:
            return f"npm cannot bring {PYODIDE}: {' '.join(done.stderr.split())[:200]}"
        found = "sha512-" + b64encode(hashlib.sha512(packed[0].read_bytes()).digest()).decode()
        if found != INTEGRITY:
            return f"what npm brought is not {PYODIDE}: it has the hash {found}"
        with tarfile.open(packed[0]) as archive:
            archive.extractall(scratch, filter="data")
        KEPT.mkdir(exist_ok=True)
        for file in FILES:
            shutil.copy2(Path(scratch, "package", file), KEPT)
    return None


def write_compiler(to: Path) -> None:
    """Write the compiler as a zip: the same bytes for the same tree."""
    files = {file.name: file for file in (WEB / "live" / "compiler.py", ROOT / "examples" / "quadratic.py")}
    files["wasm_backend/libm/NOTICE"] = ROOT / "NOTICE"  # as in the wheel
    for package in ("rose", "wasm_backend"):
        for file in sorted((ROOT / package).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts and file.name not in HEADLESS:
                files[file.relative_to(ROOT).as_posix()] = file
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in files.items():
            archive.writestr(zipfile.ZipInfo(name), file.read_bytes(), zipfile.ZIP_DEFLATED)


def contents(total: int, imported: int) -> str:
    """A module for the page: the bytes that it loads, and the programs, by what they say first."""
    texts = [file.read_text().rstrip() for file in sorted((WEB / "live" / "programs").glob("*.py"))]
    programs = [{"title": re.split(r"[:.]", text.strip('"'))[0], "text": text} for text in texts]
    constants = {"TOTAL": total, "IMPORTED": imported, "PROGRAMS": programs}
    return "".join([f"export const {k} = {json.dumps(x, indent=1)};\n" for k, x in constants.items()])
