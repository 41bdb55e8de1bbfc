"""Commands that look at what was made, and at the machine: `rose inspect`, `rose serve`, `rose doctor`."""

from __future__ import annotations

import functools
import json
import math
import os
import platform
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar

import click

from wasm_backend.binary.inspector import Anatomy, anatomy
from wasm_backend.package.files import gzipped
from wasm_backend.runtime.cache_directory import kept_in

from .. import build
from ..derivatives import gradients
from ..frontend.function import fn
from ..ir.ops import exp, sin
from ..ir.types import Real

# inspect


@click.command("inspect")
@click.argument("module", metavar="MODULE.wasm", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Say it as JSON.")
def inspect_(module: Path, as_json: bool) -> None:
    """Show what a module consists of: sections, imports, exports, memory, functions, and what engines limit."""
    wasm = module.read_bytes()
    try:
        found = anatomy(wasm)
    except ValueError as e:
        raise click.ClickException(f"{module} is no module that can be read: {e}") from e
    packed = gzipped(wasm)
    if as_json:
        click.echo(json.dumps({**asdict(found), "gzipped": packed}))
    else:
        click.echo("\n".join(_told(str(module), found, packed)))


def _told(name: str, found: Anatomy, packed: int) -> Iterator[str]:
    yield f"{name}: {found.bytes:,} bytes, {packed:,} gzipped"
    yield from _table("sections", [(section, f"{n:,}") for section, n in found.sections])
    yield from _table("imports", found.imports)
    yield from _table("exports", found.exports)
    if found.pages is not None:
        yield from ("", f"memory: {64 * found.pages[0]:,} KiB at first, of which {found.data:,} bytes are given")
    functions = [(f.name, f.type, f"{f.bytes:,} bytes", f"{f.locals:,} locals") for f in found.functions]
    yield from _table("functions", sorted(functions, key=lambda f: -int(f[2].split()[0].replace(",", ""))))
    limits = [(what, f"{n:,}", f"of {most:,}") for what, n, most in found.limits]
    yield from _table("what engines limit", limits)
    yield from ("", f"source map: {found.source_map or 'none'}")


def _table(title: str, rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Rows in columns; those that end in a number stand to the right."""
    yield from ("", title if rows else f"{title}: none")
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [x.rjust(n) if x[:1].isdigit() else x.ljust(n) for x, n in zip(row, widths, strict=True)]
        yield ("  " + "  ".join(cells)).rstrip()


# serve

_CSP = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_TEXT = {"js": "javascript", "mjs": "javascript", "css": "css", "html": "html", "py": "plain", "ts": "plain",
         "md": "plain", "txt": "plain"}  # fmt: skip
_TYPES = {
    ".wasm": "application/wasm", ".json": "application/json", ".map": "application/json", ".svg": "image/svg+xml",
    **{f".{end}": f"text/{kind}; charset=utf-8" for end, kind in _TEXT.items()},
}  # fmt: skip


@click.command("serve")
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="0.0.0.0 lets other machines in.")
@click.option("--csp", is_flag=True, help="Send a strict Content-Security-Policy, as a careful site does.")
@click.option("-q", "--quiet", is_flag=True, help="Do not say what is asked for.")
def serve_(folder: Path, port: int, host: str, csp: bool, quiet: bool) -> None:
    """Serve a directory to browsers, while you develop: nothing is cached. Ctrl-C ends it."""
    handler = type("Handler", (_Handler,), {"csp": csp, "quiet": quiet})
    try:
        server = _Server((host, port), functools.partial(handler, directory=str(folder)))
    except (OSError, UnicodeError) as e:
        raise click.UsageError(f"cannot serve at {host}:{port}: {getattr(e, 'strerror', None) or e}") from e
    with server:
        name = f"[{host}]" if ":" in host else host
        click.echo(f"http://{name}:{server.server_address[1]}/")
        sys.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):  # a page that is left does not wait for its files
            super().handle_error(request, client_address)


class _Handler(SimpleHTTPRequestHandler):
    csp: ClassVar[bool]
    quiet: ClassVar[bool]
    server_version, sys_version = "rose", ""

    def guess_type(self, path: Any) -> str:
        return _TYPES.get(Path(str(path)).suffix.lower()) or super().guess_type(path)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        if self.csp:
            self.send_header("Content-Security-Policy", _CSP)
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        if not self.quiet:
            click.echo(f"{self.log_date_time_string()}  {format % args}", err=True)


# doctor


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


Findings = Iterator[tuple[str, str]]  # "ok", "missing" where that is no harm, or "wrong"; and what is so


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


_AT = 0.75  # where the curve is evaluated


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
    """What a program prints."""
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
    folder = kept_in()
    if folder is None:
        wanted = os.environ.get("ROSE_CACHE") != ""
        why = "there is no directory that only you can write to" if wanted else "ROSE_CACHE is empty"
        yield "missing", f"compiled modules are not kept: {why}"
        return
    sizes = [x.stat().st_size for x in folder.iterdir() if x.is_file()]
    yield "ok", f"compiled modules are kept in {folder}: {len(sizes):,} of them, {sum(sizes) / 1e6:.1f} MB"
