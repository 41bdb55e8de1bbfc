"""`python -m benchmarks.pages`: the tables."""

from __future__ import annotations

import gzip
import json
import math
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

import rose

from ..compare.peers import PEERS, said
from ..loops import saved, shown
from ..sizes import ESBUILD, bundled
from .programs import programs

HERE = Path(__file__).parent
NODE = PEERS / "pages"
LIMIT = 120  # seconds of one program
ROUNDS = 5
# what npm installs for each script, whose name is that of its library; and its modules, which are no part of the script
OTHERS = {
    "mathjs": ("mathjs@15.2.0", ""),
    "ml-matrix": ("ml-matrix@6.15.1", ""),
    "ml-levenberg-marquardt": ("ml-levenberg-marquardt@5.1.0", ""),
    "tfjs": ("@tensorflow/tfjs-core@4.22.0 @tensorflow/tfjs-backend-cpu@4.22.0", ""),
    "jax-js": ("@jax-js/jax@0.1.25", ""),
    "onnxruntime-web": ("onnxruntime-web@1.30.0", "node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm"),
}
PROGRAMS = {  # of each page: what it does, and the libraries that do it too
    "valley": ("Rosenbrock's function; its gradient", ("mathjs", "tfjs", "jax-js")),
    "functional": ("the functional derivative of an arc's length", ()),
    "arrays": ("`tanh(x @ w)`, 100 x 8; its gradient", ()),
    "any size": ("a regression of any size; its gradient, 100 x 8", ()),
    "solve": ("8 linear equations", ("ml-matrix", "mathjs")),
    "delta": ("a robot of three arms; its Jacobian", ("mathjs", "mathjs, simplify: false")),
    "fit": ("a wave through 1,000 points", ("ml-levenberg-marquardt",)),
    "ode": ("an adaptive ODE, 10 points; the gradient of a loss", ()),
    "network": ("a network 2-16-3, a step of 32", ("tfjs", "jax-js", "onnxruntime-web")),
    "images": ("a convolution, a pool, a dense layer; a step of 8 images of 28 x 28", ()),
}


def prepared() -> dict[str, str]:
    """The libraries, installed beside the scripts; of those that cannot be, why."""
    NODE.mkdir(parents=True, exist_ok=True)
    (NODE / "package.json").write_text('{"private": true, "type": "module"}\n')
    missing: dict[str, str] = {}
    specs = [spec for spec, _ in OTHERS.values()]
    if wrong := said(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *" ".join(specs).split()], NODE):
        missing = dict.fromkeys(OTHERS, f"cannot be installed: {wrong}")
    for script in [*HERE.glob("*.mjs"), *(HERE / "others").glob("*.mjs")]:
        shutil.copy(script, NODE)
    return missing


def packages(folder: Path) -> None:
    """Our packages, and a script for each that calls it."""
    for script in ("ours.mjs", "data.mjs", "run.mjs"):
        shutil.copy(HERE / script, folder)
    (folder / "package.json").write_text('{"private": true, "type": "module"}\n')
    for name, functions in programs().items():
        at = folder / name.replace(" ", "_")
        rose.compile(functions, dynamic=name == "any size").save(at, at.name)
        call = f'import init from "./{at.name}/index.js";\nimport {{ calls }} from "./ours.mjs";\n'
        call += f"const program = async () => calls[{json.dumps(name)}](await init());\n"
        (folder / f"{at.name}.mjs").write_text(f"{call}export {{ program as {json.dumps(name)} }};\n")


def size(files: Sequence[bytes]) -> int:
    return sum([len(gzip.compress(file, 9, mtime=0)) for file in files])


class Way(NamedTuple):
    """A page by a library: the script that is timed, if it runs; what a page loads; and why it does not run."""

    by: str
    script: Path | None
    scripts: Sequence[bytes] = ()
    modules: Sequence[bytes] = ()
    why: str = ""


def table(found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    names = "page", "by", "scripts", "modules", "us", "first, ms", "differs by", "says"
    return [{k: f"{x:,.3g}" if isinstance(x := one.get(k, ""), float) else x for k in names} for one in found]


def built(source: str, name: str) -> Path:
    """A script of the libraries, bundled into one file that node runs."""
    out = NODE / f"{name}.cjs"
    how = "--bundle --minify --format=cjs --platform=node --main-fields=module,main --log-level=error".split()
    subprocess.run([ESBUILD, *how, f"--outfile={out}"], input=source.encode(), cwd=NODE, check=True)
    return out


def timed(script: Path, name: str, *seconds: str) -> dict[str, Any]:
    """What `run.mjs` prints of a program, or the error."""
    command = ["node", "--expose-gc", script.parent / "run.mjs", script, name, *seconds]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, cwd=script.parent)
    except subprocess.TimeoutExpired:
        return {"error": f"nothing after {LIMIT} s"}
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-3][:120] if done.stderr else "stopped"}
    return json.loads(done.stdout.strip().splitlines()[-1])


def apart(found: Sequence[float], ours: Sequence[float]) -> float:
    """The largest difference, in parts of the largest number."""
    if len(found) != len(ours):
        return math.nan
    return max([abs(x - y) for x, y in zip(found, ours, strict=True)]) / max(map(abs, ours))


def ways(folder: Path, name: str, missing: Mapping[str, str]) -> Iterator[Way]:
    """Ours, and those of the libraries."""
    stem = name.replace(" ", "_")
    scripts = bundled(f'import init from "./{stem}/index.js"; globalThis.run = init;', folder)
    yield Way("Rose", folder / f"{stem}.mjs", scripts, [(folder / stem / f"{stem}.wasm").read_bytes()])
    for k, other in enumerate(PROGRAMS[name][1]):
        library, _, form = other.partition(", ")
        if library in missing:
            yield Way(other, None, why=missing[library])
            continue
        module = OTHERS[library][1]
        has = f'export {{ {"plain" if form else name} as {name} }} from "./{library}.mjs";'
        scripts, modules = bundled(has, NODE), [(NODE / module).read_bytes()] if module else []
        yield Way(
            other, None if module else built(has, f"page-{k}"), scripts, modules, "trains no network" * bool(module)
        )


def measured(found: Sequence[Way], name: str) -> list[dict[str, Any]]:
    """A line for each: the best of rounds by turns."""
    runs: list[list[dict[str, Any]]] = [[] for _ in found]
    for _ in range(ROUNDS):
        for way, had in zip(found, runs, strict=True):
            if way.script is not None and not any("error" in x for x in had):
                had.append(timed(way.script, name))
    return [line(way, had, runs[0], name) for way, had in zip(found, runs, strict=True)]


def line(way: Way, had: Sequence[dict[str, Any]], ours: Sequence[dict[str, Any]], name: str) -> dict[str, Any]:
    told = {"page": PROGRAMS[name][0], "by": way.by, "scripts": size(way.scripts), "modules": size(way.modules)}
    if way.why or "error" in had[-1]:
        return told | {"says": way.why or had[-1]["error"]}
    told |= {"us": min([x["us"] for x in had]), "first, ms": min([x["first"] for x in had])}
    return told if way.by == "Rose" else told | {"differs by": apart(had[0]["found"], ours[0]["found"])}


def main() -> None:
    missing = prepared()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        packages(folder)
        found: list[dict[str, Any]] = []
        grown: dict[str, Any] = {}
        for name in PROGRAMS:
            pages = [*ways(folder, name, missing)]
            found += measured(pages, name)
            if name == "network":
                grown = {way.by: timed(way.script, name, "12") for way in pages if way.script is not None}
            print(*found[-len(PROGRAMS[name][1]) - 1 :], sep="\n", flush=True)
    asked = 'export { asked } from "./ml-levenberg-marquardt.mjs";'
    far = None if missing else timed(built(asked, "asked"), "asked").get("found")
    Console(width=190).print(shown("pages", table(found)))
    print("12 seconds of the network, bytes:", grown)
    print("the wave, by ml-levenberg-marquardt with a gradientDifference of 0.1:", far)
    saved("pages", {"pages": found, "12 seconds of the network": grown, "a gradientDifference of 0.1": far})


if __name__ == "__main__":
    main()
