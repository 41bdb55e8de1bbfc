"""Bytes that a page loads: our runtime, a whole package, and other tools before any code of a user's.

`python -m benchmarks.sizes` bundles and minifies with the esbuild that the tests install (`npm install --prefix
tests/bundlers`), and compresses with gzip -9. Other tools are those that the comparison has installed.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .compare.peers import PEERS

ROOT = Path(__file__).parents[1]
ESBUILD = ROOT / "tests" / "bundlers" / "node_modules" / ".bin" / "esbuild"
RUNTIME = ROOT / "wasm_backend" / "js"
NODE = PEERS / "node"

OURS = {
    "runtime, functions of numbers": ["rose.js"],
    "runtime, also of vectors and structs": ["rose.js", "rose-values.js"],
    "runtime, all that a package may have": sorted(
        [path.name for path in RUNTIME.glob("rose*.js") if path.name != "rose-drag.js"]
    ),
    "`<rose-drag>`": ["rose-drag.js"],
}
OTHERS = {  # a page that takes a gradient
    "Rose 0.4.10": 'import { Real, compile, fn, vjp } from "rose"; console.log(Real, compile, fn, vjp);',
    "tfjs-core 4.22 and its cpu backend": 'import "@tensorflow/tfjs-core/dist/register_all_gradients"; '
    'import "@tensorflow/tfjs-backend-cpu"; import { grad } from "@tensorflow/tfjs-core"; console.log(grad);',
    "tfjs 4.22": 'import { grad } from "@tensorflow/tfjs"; console.log(grad);',
    "jax-js 0.1.25": 'import { grad } from "@jax-js/jax"; console.log(grad);',
}
BESIDE = {"Rose 0.4.10": "node_modules/@rose-lang/wasm/dist"}  # where there is a .wasm, too


def bundled(source: str, folder: Path) -> list[bytes]:
    """What a bundler makes of a program in a folder: all files that it writes."""
    with tempfile.TemporaryDirectory() as out:
        options = ["--bundle", "--minify", "--format=esm", "--splitting", "--loader:.wasm=file", "--log-level=error"]
        options += ["--platform=browser", "--external:node:*", "--external:fs", "--external:path", f"--outdir={out}"]
        subprocess.run([ESBUILD, *options], input=source.encode(), cwd=folder, check=True)
        return [path.read_bytes() for path in sorted(Path(out).iterdir())]


def row(name: str, files: Sequence[bytes]) -> str:
    minified, compressed = sum(map(len, files)), sum([len(gzip.compress(file, 9, mtime=0)) for file in files])
    return f"| {name} | {minified:,} | {compressed:,} |"


def package(example: str, functions: str) -> list[bytes]:
    """The module and the bundled loader, with its data, of an example's functions."""
    with tempfile.TemporaryDirectory() as out:
        target = f"{ROOT / 'examples' / example}.py:{functions}"
        command = [sys.executable, "-m", "rose", "compile", target, "-o", out, "--force", "-q"]
        subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        return [*bundled('export * from "./index.js";', Path(out)), Path(out, f"{example}.wasm").read_bytes()]


def main() -> None:
    """Print the table."""
    print("| | minified | gzipped |\n| --- | --- | --- |")
    for name, files in OURS.items():
        print(row(name, bundled("".join([f'export * from "./{file}";' for file in files]), RUNTIME)))
    print(row("`power.py`: value, gradient and Hessian in one", package("power", "everything")))
    print(row("`spring.py`: value, and gradient", package("spring", "spring,slope")))
    for name, source in OTHERS.items():
        try:
            wasm = (NODE / BESIDE[name]).rglob("*.wasm") if name in BESIDE else ()
            print(row(name, [*bundled(source, NODE), *[path.read_bytes() for path in wasm]]))
        except subprocess.CalledProcessError:
            print(f"| {name} | is not installed here | |")


if __name__ == "__main__":
    main()
