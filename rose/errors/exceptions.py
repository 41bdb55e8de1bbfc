"""Errors that point at the user's expression, and the source locations behind them."""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import count
from types import TracebackType
from typing import Any, ClassVar, Self, TypeVar, cast

from .locations import Loc, here, innermost, is_augmented, is_numpys, is_ours, repeated

F = TypeVar("F", bound=Callable[..., Any])

# whose frames are whose


# places in the source


# parts of an expression, for `Loc.narrow` and `Loc.into`


# what Python asks of a value there


# the errors

_numbers = count()


class RoseError(Exception):
    """Base of every error we raise on purpose: what is wrong, where, and what to write instead."""

    number: int  # of two errors, the one that came first has the lower
    may_be_caught: ClassVar[bool] = False  # in a function that is traced: by an `except` of its own

    def __init__(self, message: str, loc: Loc | None, hint: str) -> None:
        self.message, self.loc, self.hint, self.number = message, loc, hint, next(_numbers)
        parts = [message]
        if loc is not None:
            parts.append(f"  at {loc}")
            if excerpt := loc.excerpt():
                parts.append(excerpt)
        parts.append(f"  hint: {hint}")
        super().__init__("\n".join(parts))

    def at(self, loc: Loc) -> Self:
        """The same error in another place."""
        moved = type(self)(self.message, loc, self.hint)
        moved.number = self.number
        return moved

    def __reduce__(self) -> tuple[object, ...]:
        return unpickled, (type(self), str(self), self.message, self.hint)


def unpickled(kind: type[RoseError], text: str, message: str, hint: str) -> RoseError:
    """The error that has this text, without the place that it came from."""
    error = kind(message, None, hint)
    error.args = (text,)
    if isinstance(error, ImportError):
        error.msg = text
    return error


class TypeMismatch(RoseError, TypeError):
    """A value of one type where another is needed."""


class OutOfRange(RoseError, IndexError):
    """An index outside its vector, or a size that no vector can have."""


class NoField(RoseError, AttributeError):
    """A part that something does not have."""

    may_be_caught = True  # by hasattr, say


class NotImportable(RoseError, ImportError):
    """A name that `from rose import ...` asks for, and that is not there."""

    may_be_caught = True  # by who tries another library then


class UnknownName(RoseError, NameError):
    """A name in a text that nothing is called by."""


class WrongSyntax(RoseError, ValueError):
    """A text that is not a program."""


class EscapedValue(RoseError):
    """A traced value outside the function or the loop in which it has a meaning."""


class NotLinear(RoseError, TypeError):
    """A derivative rule, or a function to transpose, that is not linear where it must be."""


class NotDifferentiable(RoseError, TypeError):
    """A derivative of something that has none."""


class AssertionFailed(RoseError, AssertionError):
    """A condition of `rose.assert_` that did not hold, when the compiled function ran."""

    may_be_caught = True  # of a function that ran on plain numbers


class TooLarge(RoseError, MemoryError):
    """A program that needs more memory than WebAssembly can address."""


class TimedOut(RoseError, TimeoutError):
    """A call that took longer than the `timeout` that its module was compiled with."""


class UnrolledLoop(UserWarning):
    """A warning: a loop of Python's traces what a loop of the language would trace once."""


def too_deep(e: RecursionError) -> RoseError:
    """The error for a recursion, of a program or of what is given to it, that Python ends."""
    limit = sys.getrecursionlimit()
    hint = "end it, or let it be deeper by sys.setrecursionlimit"
    return RoseError(f"a recursion is deeper than Python's limit of {limit:,} frames", repeated(e), hint)


# the public edge

E = TypeVar("E", bound=BaseException)


class _Raised(threading.local):
    first: RoseError | None = None  # the first error that a user's function was given, while it is traced
    watched = False  # a user's function is traced
    objects: Callable[[Loc], str] | None = None  # if NumPy holds traced values as objects in it: what to write instead


_raised = _Raised()


@contextmanager
def naming_absent() -> Generator[None]:
    """Inside, Python's error of an attribute that a value of ours does not have becomes ours, at the user's expression.

    The class of such a value says so by `__rose_absent__`, of the name and the place. Names that are Python's own, as
    `__len__`, are no mistake of a user's.
    """
    try:
        yield
    except AttributeError as e:
        if e.obj is NotImplemented and is_augmented(loc := innermost(e)):  # pandas asks no further
            what = "what stands on the left of this assignment is not changed by a traced value"
            raise TypeMismatch(what, loc, "write s = s + x for s += x").with_traceback(e.__traceback__) from None
        absent = None if isinstance(e, RoseError) else getattr(type(e.obj), "__rose_absent__", None)
        if absent is None or e.name is None or e.name.startswith("__"):
            raise
        raise absent(e.obj, e.name, innermost(e)).with_traceback(e.__traceback__) from None


@contextmanager
def nothing_swallowed() -> Generator[None]:
    """Inside, an error that a user's function is given stays one: an `except` of its own does not end it."""
    outer = _raised.watched, _raised.first, _raised.objects
    _raised.watched, _raised.first, _raised.objects = True, None, None
    try:
        with naming_absent():
            yield
        if _raised.first is not None:
            raise _raised.first
    except (TypeError, ValueError, IndexError, AttributeError) as e:
        first: RoseError | None = _raised.first
        if isinstance(e, RoseError):
            raise
        if first is not None and _is_made_of(e, first):
            raise first from None
        if _raised.objects is not None and _is_of_objects(e):
            hint, what = _raised.objects(innermost(e)), f"NumPy does not take an array of traced values: {e}"
            if "inhomogeneous" in str(e):
                hint = "give arrays of one shape; rose.concatenate joins those of different sizes"
                what = "NumPy makes no array of numbers, lists and arrays of different shapes"
            raise TypeMismatch(what, innermost(e), hint).with_traceback(e.__traceback__) from None
        raise
    finally:
        _raised.watched, _raised.first, _raised.objects = outer


def objects_made(instead: Callable[[Loc], str]) -> None:
    """Note that NumPy holds traced values as objects: an error of its own may be of them. `instead` has its hint."""
    _raised.objects = instead


def holds_objects() -> bool:
    """True if NumPy holds traced values as objects, in what is traced."""
    return _raised.objects is not None


def _is_of_objects(e: BaseException) -> bool:
    """True if NumPy refuses an array for what it holds, or looks for what an object does not have."""
    tb = e.__traceback__
    while tb is not None and tb.tb_next is not None:
        tb = tb.tb_next
    if isinstance(e, AttributeError):
        return isinstance(e.obj, (int, float)) or (tb is not None and is_numpys(tb.tb_frame.f_code.co_filename))
    return any([k in str(e) for k in _OF_OBJECTS])


_OF_OBJECTS = (
    "loop of ufunc",
    "not supported for the input types",
    "dtype('O')",
    "object arrays",
    "dtype object",
    ": object",
    "inhomogeneous shape",
)


def _is_made_of(e: BaseException, first: RoseError) -> bool:
    """True if NumPy made that error of one of ours: as its cause, or in its place, in the same expression."""
    loc, tb = first.loc, e.__traceback__
    while tb is not None and loc is not None and (tb.tb_frame.f_code, tb.tb_lasti) != (loc.code, loc.lasti):
        tb = tb.tb_next
    return e.__cause__ is first or (loc is not None and tb is not None)


def hide_our_frames(error: E) -> E:
    """`error`, which a user is given, with the frames of this package removed from its traceback.

    They stay with ROSE_TRACEBACK=full.

    What was raised in a frame of ours, and not as a RoseError, is our mistake, and keeps all. To keep the
    frame that calls this out as well, raise again with a bare `raise`.
    """
    if _raised.watched and isinstance(error, RoseError) and not error.may_be_caught:
        first = _raised.first
        _raised.first = error if first is None or error.number <= first.number else first
    frames: list[TracebackType] = []
    tb, done = error.__traceback__, getattr(error, "_without_ours", None)  # this part has been looked at before
    while tb is not None and tb is not done:
        frames.append(tb)
        tb = tb.tb_next
    mistake = tb is None and not isinstance(error, RoseError) and is_ours(frames[-1].tb_frame.f_code.co_filename)
    if mistake or os.environ.get("ROSE_TRACEBACK") == "full":
        return error
    kept = tb
    for tb in reversed(frames):
        if not is_ours(tb.tb_frame.f_code.co_filename):
            kept = TracebackType(kept, tb.tb_frame, tb.tb_lasti, tb.tb_lineno)
    error._without_ours = kept  # pyright: ignore[reportAttributeAccessIssue]
    return error.with_traceback(kept)


def edge(f: F) -> F:
    """`f` as users call it: what goes wrong in it shows no frame of ours."""

    @functools.wraps(f)
    def outer(*args: Any, **kwargs: Any) -> Any:
        try:
            try:
                return f(*args, **kwargs)
            except TypeError as e:
                if e.__traceback__ is None or e.__traceback__.tb_next is not None:
                    raise
                code = f.__code__  # which was not even entered, as the arguments do not fit
                names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
                what = str(e).replace(f.__qualname__, f.__name__)
                raise TypeMismatch(what, here(), f"call it as {f.__name__}({', '.join(names)})") from None
            except RecursionError as e:
                raise too_deep(e) from None
        except Exception as e:
            hide_our_frames(e)
            raise

    return cast(F, outer)
