"""`rose doctor`: checks of this machine, and of the programs that Rose uses."""

from __future__ import annotations

import functools
import math
import os
import platform
import shutil
import struct
import subprocess
from collections.abc import Iterator, Sequence
from importlib import metadata
from typing import Any

import click

from wasm_backend.runtime.cache_directory import cache_directory, entries, place

from .. import build
from ..differentiation import gradients
from ..frontend.decorators import fn
from ..ir.ops import exp, sin
from ..ir.types import Real


@click.command("doctor")
def doctor_() -> None:
    """Say what of Rose works on this machine, and what is missing."""
    fine = True
    for check in (_python, _libraries, _wasmtime, _node, _browser, _cache):
        for state, said in check():
            fine = fine and state != "wrong"
            click.echo(f"{state:8} {said}")
    if not fine:
        raise SystemExit(1)


Findings = Iterator[tuple[str, str]]  # "ok", "missing" (which does no harm) or "wrong"; and the finding


def _python() -> Findings:
    yield "ok", f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    version = _version("rose")
    yield "ok", f"rose {version}" if version else "rose, run from its source: it is not installed"


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _libraries() -> Findings:
    for name, needed in (("wasmtime", "runs modules in Python"), ("numpy", "has the arrays that go in and out")):
        version = _version(name)
        install = f"{name} is not installed, which {needed}: pip install {name}"
        yield ("ok", f"{name} {version}") if version else ("wrong", install)


_AT = 0.75  # the point at which the curve is evaluated


def _curve(x: Any) -> Any:
    return sin(x) * exp(x) / (x * x + 1.0)


def _slope(x: float) -> float:
    """The derivative of the curve, by hand."""
    s, c, e, q = math.sin(x), math.cos(x), math.exp(x), x * x + 1.0
    return e * (s + c) / q - 2.0 * x * s * e / (q * q)


@functools.cache
def _compiled() -> build.Compiled:
    f = fn([Real], Real)(_curve)
    return build.compile({"value": f, "grad": gradients.grad(f)})


def _wasmtime() -> Findings:
    wanted = math.sin(_AT) * math.exp(_AT) / (_AT * _AT + 1.0), _slope(_AT)
    try:
        made = _compiled()
        found = made["value"](_AT), made["grad"](_AT)
    except Exception as e:
        yield "wrong", f"a function and its gradient cannot be run in wasmtime: {type(e).__name__}: {e}"
        return
    if all(math.isclose(x, y, rel_tol=1e-12) for x, y in zip(found, wanted, strict=True)):
        yield "ok", f"a function and its gradient, {len(made.wasm):,} bytes, are right in wasmtime"
    else:
        yield "wrong", f"a function and its gradient are {found} in wasmtime, and not {wanted}"


_SCRIPT = """
const { value, grad } = new WebAssembly.Instance(new WebAssembly.Module(require("fs").readFileSync(0))).exports;
const at = Number(process.argv[1]);
console.log(Buffer.from(new Float64Array([value(at), grad(at)]).buffer).toString("hex"));
"""


def _node() -> Findings:
    node = shutil.which("node")
    if node is None:
        yield "missing", "node: the packages that are made run in it, but nothing here needs it"
        return
    try:
        version = _said([node, "--version"])
        yield "ok" if int(version.strip("v").split(".")[0]) >= 18 else "missing", f"node {version.strip('v')}"
        bits = _said([node, "-e", _SCRIPT, str(_AT)], given=_compiled().wasm)
        here = struct.pack("<dd", _compiled()["value"](_AT), _compiled()["grad"](_AT)).hex()
    except Exception as e:
        yield "wrong", f"a function and its gradient cannot be run in node: {type(e).__name__}: {e}"
        return
    if bits == here:
        yield "ok", "the same function and gradient have the same bits in node"
    else:
        yield "wrong", f"a function and its gradient have the bits {bits} in node, and {here} in wasmtime"


def _said(command: Sequence[str], given: bytes = b"") -> str:
    """The output of a program."""
    done = subprocess.run(command, input=given, capture_output=True, check=True, timeout=30)
    return done.stdout.decode().strip()


def _browser() -> Findings:
    names = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge", "firefox")
    found = [path for name in names if (path := shutil.which(name)) is not None]
    if not found:
        yield "missing", "a browser: pages are looked at in one, but nothing here needs it"
    for path in found:
        yield "ok", f"a browser: {path}"


def _cache() -> Findings:
    with cache_directory() as directory:
        if directory is None:
            wanted = f"{place() or 'the cache'} is not a directory that Rose made, and that only you can write to"
            why = "ROSE_CACHE is empty" if os.environ.get("ROSE_CACHE") == "" else wanted
            yield "missing", f"compiled modules are not kept: {why}"
            return
        sizes = [entry.size for entry in entries(directory)]
    yield "ok", f"compiled modules are kept in {place()}: {len(sizes):,} of them, {sum(sizes) / 1e6:.1f} MB"
