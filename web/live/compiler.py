"""What the editor asks of the compiler: the text of a program in, a module out, with all that the page says of it.

It runs in Pyodide, where the page is, and wherever else Python does.
"""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import math
import sys
import zipfile
from collections.abc import Sequence
from types import ModuleType, TracebackType
from typing import Any

from quadratic import heights, local

import rose
from rose.errors import Loc, RoseError
from rose.ir.types import Real
from wasm_backend.package.javascript import imports_of, signature_data

FILE = "program.py"
BOX = (-2.0, -2.0, 2.0, 2.0)
SHAPE = "f(x: Real, y: Real) -> Real"
_last: list[rose.Compiled] = []


def compiled(text: str) -> tuple[str, bytes]:
    """What came of a program: facts, as JSON, and the bytes of its module, which are empty if it is wrong."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            with rose.eager():  # there is no wasmtime here to call a module with
                module = _run(text)
            name, f = _pictured(module)
            made = rose.compile({name: f, "local": local(f), "heights": heights(f)})
        box = _box(module)
    except BaseException as e:  # SystemExit too: the page goes on
        return json.dumps({"wrong": _wrong(e, text), "said": said.getvalue()}), b""
    _last[:] = [made]
    data = signature_data(made._lowered, imports_of(made._lowered))
    facts = {"name": name, "box": box, "signatures": data, "said": said.getvalue()}
    return json.dumps(facts), made.wasm


def package() -> bytes:
    """The package of the last program that was right, as a zip: what `rose compile` makes."""
    (made,) = _last
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in made.files().items():
            archive.writestr(zipfile.ZipInfo(f"{made.__name__}/{name}"), data)
    return out.getvalue()


def _run(text: str) -> dict[str, Any]:
    """What a program defines. Its lines can be quoted."""
    linecache.cache[FILE] = len(text), None, text.splitlines(keepends=True), FILE
    module = sys.modules["program"] = ModuleType("program")
    module.__file__ = FILE
    exec(compile(text, FILE, "exec"), module.__dict__)
    return module.__dict__


def _pictured(module: dict[str, Any]) -> tuple[str, rose.Fn[..., Any]]:
    """The function that the page draws: the last one of two numbers, and its name there."""
    fs = {k: x for k, x in module.items() if isinstance(x, rose.Fn)}
    fitting = [(k, f) for k, f in fs.items() if f.types == (Real, Real) and f.result is Real]
    if fitting:
        name, f = fitting[-1]
        return (name if name not in ("local", "heights", "then") else f"_{name}"), f
    has = f"it has {', '.join(repr(f) for f in fs.values())}" if fs else "it has no @fn function"
    raise RoseError(f"the program has no function to draw; {has}", None, f"write an @fn {SHAPE}")


def _box(module: dict[str, Any]) -> Sequence[float]:
    """The part of the plane that the program wants to see: its `box`, from the lower left to the upper right."""
    given = module.get("box", BOX)
    try:
        x0, y0, x1, y1 = box = [float(x) for x in given]
    except (TypeError, ValueError):
        raise RoseError(f"box must be four numbers, not {given!r}", None, "write box = -2, -2, 2, 2") from None
    if not (x0 < x1 and y0 < y1 and all(map(math.isfinite, box))):
        raise RoseError(
            f"box is empty: {given!r}", None, "it goes from the lower left to the upper right: x0, y0, x1, y1"
        )
    return box


# what is wrong


def _wrong(error: BaseException, text: str) -> dict[str, Any]:
    """An error for the page: its text, as in a terminal, and where in the program it is."""
    kind = type(error).__name__
    if isinstance(error, SyntaxError) and error.filename == FILE and error.lineno is not None:
        line, col = error.lineno, max((error.offset or 1) - 1, 0)
        same = error.end_lineno == line and error.end_offset is not None and error.end_offset - 1 > col
        end = error.end_offset - 1 if same and error.end_offset is not None else col + 1
        shown = (text.splitlines() or [""])[min(line, len(text.splitlines())) - 1]
        excerpt = f"    {shown}\n    {' ' * col}{'^' * (end - col)}"
        return {"text": f"{kind}: {error.msg}\n  at {FILE}:{line}\n{excerpt}", "at": [line, col, end]}
    if isinstance(error, RoseError):
        return {"text": f"{kind}: {error}", "at": _place(error.loc)}
    loc = _raised_at(error.__traceback__)
    told = f"{kind}: {error}" if str(error) else kind
    return {"text": told + (f"\n  at {loc}\n{loc.excerpt()}" if loc is not None else ""), "at": _place(loc)}


def _raised_at(tb: TracebackType | None) -> Loc | None:
    """The expression of the program that an error came from: the innermost on its traceback."""
    found = None
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == FILE:
            found = Loc(tb.tb_frame.f_code, tb.tb_lasti)
        tb = tb.tb_next
    return found


def _place(loc: Loc | None) -> list[int] | None:
    """Line, and columns; None if that is not in the program."""
    if loc is None:
        return None
    file, line, col, end = loc.position()
    return [line, col, max(end, col + 1)] if file == FILE else None
