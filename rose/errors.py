"""Errors that point at the user's expression, and the source locations behind them."""

from __future__ import annotations

import linecache
import os
import sys
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import NamedTuple

_ROOTS = tuple(str(p) + os.sep for p in (Path(__file__).parent, Path(__file__).parents[1] / "wasm_backend"))
_ours: dict[str, bool] = {}


def is_ours(file: str) -> bool:
    """True if `file` belongs to this package, and so is no place to send a user to."""
    known = _ours.get(file)
    if known is None:
        known = _ours[file] = file.startswith(_ROOTS)
    return known


class Loc(NamedTuple):
    """Where an expression was written: two words to take; the line is looked up when it is printed."""

    code: CodeType
    lasti: int

    def position(self) -> tuple[str, int, int, int]:
        """File, line, and the columns of the expression itself (PEP 657), counted in characters."""
        where = next(islice(self.code.co_positions(), max(self.lasti, 0) // 2, None), (None,) * 4)
        line, end_line, col, end = where
        line = line or self.code.co_firstlineno
        raw = self.text(line).encode()
        if self.lasti < 0 or col is None or end is None:
            text = self.text(line)
            return self.code.co_filename, line, len(text) - len(text.lstrip()), len(text)
        if end_line != line:
            end = len(raw.rstrip())
        return self.code.co_filename, line, len(raw[:col].decode()), len(raw[:end].decode())

    def text(self, line: int) -> str:
        return linecache.getline(self.code.co_filename, line).rstrip("\n")

    def __str__(self) -> str:
        file, line, _, _ = self.position()
        return f"{file}:{line}"

    def excerpt(self) -> str:
        """The line, and a caret under the expression; empty where the source cannot be had."""
        _, line, col, end = self.position()
        text = self.text(line)
        if not text.strip():
            return ""
        stripped = text.lstrip()
        pad = max(col - (len(text) - len(stripped)), 0)
        return f"    {stripped}\n    {' ' * pad}{'^' * max(end - col, 1)}"


def here() -> Loc:
    """The innermost frame that is the user's, not ours."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while True:
        assert frame is not None
        if not is_ours(frame.f_code.co_filename) or frame.f_back is None:
            return Loc(frame.f_code, frame.f_lasti)
        frame = frame.f_back


class RoseError(Exception):
    """Base of every error we raise on purpose: what is wrong, where, and what to write instead."""

    def __init__(self, message: str, loc: Loc | None, hint: str) -> None:
        self.message, self.loc, self.hint = message, loc, hint
        parts = [message]
        if loc is not None:
            parts.append(f"  at {loc}")
            if excerpt := loc.excerpt():
                parts.append(excerpt)
        parts.append(f"  hint: {hint}")
        super().__init__("\n".join(parts))

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, (type(self), str(self), self.message, self.hint)


def _unpickled(kind: type[RoseError], text: str, message: str, hint: str) -> RoseError:
    error = kind.__new__(kind, text)
    error.args, error.message, error.loc, error.hint = (text,), message, None, hint
    return error


class TypeMismatch(RoseError, TypeError):
    """A value of one type where another is needed."""


class OutOfRange(RoseError, IndexError):
    """An index outside its vector, or a size that no vector can have."""


class EscapedValue(RoseError):
    """A traced value outside the function or the loop in which it has a meaning."""


class NotLinear(RoseError, TypeError):
    """A derivative rule, or a function to transpose, that is not linear where it must be."""


class NotDifferentiable(RoseError, TypeError):
    """A derivative of something that has none."""


class TooLarge(RoseError, MemoryError):
    """A program that needs more memory than WebAssembly can address."""


def hide_our_frames(error: RoseError) -> RoseError:
    """`error` with the frames of this package cut from its traceback, unless ROSE_TRACEBACK=full."""
    if os.environ.get("ROSE_TRACEBACK") == "full":
        return error
    frames: list[TracebackType] = []
    tb = error.__traceback__
    while tb is not None:
        if not is_ours(tb.tb_frame.f_code.co_filename):
            frames.append(tb)
        tb = tb.tb_next
    kept: TracebackType | None = None
    for tb in reversed(frames):
        kept = TracebackType(kept, tb.tb_frame, tb.tb_lasti, tb.tb_lineno)
    return error.with_traceback(kept)
