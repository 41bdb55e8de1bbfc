"""Random numbers of Python's and NumPy's that are drawn while a function is traced: they would be constants for ever.

The states of the generators that a function may know are compared: before its trace and after. These are the global
ones of `random` and `np.random`, and those among the globals and the closure of the function. Nothing is imported for
it. It takes 40 us a trace, where the first call of the smallest function takes 1.6 ms; most of it is
`random.getstate`.
"""

from __future__ import annotations

import ast
import random
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any, cast

from ..errors import Loc, RoseError

_MT19937 = 2_500  # bytes of the state of NumPy's global generator, of which `state` makes a copy in 40 us
_under_way: list[Any] = []  # the globals of the functions that are watched, outermost first


@contextmanager
def nothing_drawn(name: str, body: Callable[..., Any]) -> Generator[None]:
    """Inside, where `body` is traced, no random number may be drawn."""
    before, loaded = [(k, x, _state(x)) for k, x in _generators(body)], "numpy.random" in sys.modules
    _under_way.append(getattr(body, "__globals__", None))
    try:
        yield
    finally:
        _under_way.pop()
    for k, x, state in before:
        if _state(x) != state:
            _check_drawn(name, body, k)
    if not loaded and "numpy.random" in sys.modules and _is_used(sys.modules["numpy.random"]):
        _check_drawn(name, body, "np.random")


def _is_used(numpys: Any) -> bool:
    """True if a number was drawn from NumPy's global generator since its module was loaded, in this trace."""
    fresh, now = [x.state["state"]["pos"] for x in (numpys.MT19937(), numpys.get_bit_generator())]
    return now != fresh


def _check_drawn(name: str, body: Callable[..., Any], of: str) -> None:
    """Refuse that a generator was used, if it was by the function: another thread may have used it."""
    drawn = _Drawn({"random", of})
    found = next((f for f in _reached(body) if drawn.is_in(f)), None)
    if found is None and threading.active_count() > 1:
        return
    loc = Loc((found or body).__code__, -1).narrow(drawn.call)
    what = f"{name} draws random numbers of {of} while it is traced, once: they would be the same in each call"
    hint = "write rose.random.normal(key, (3,)) with a key as a parameter; draw what stays the same outside of it"
    raise RoseError(what, loc, hint)


def _generators(body: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """The generators that a function may know, and their names; without those that are watched already."""
    classes, numpys = {random.Random}, cast("Any", sys.modules.get("numpy.random"))
    if numpys is not None:
        classes |= {numpys.Generator, numpys.RandomState}
    if not _under_way:
        yield "random", random
        if numpys is not None and hasattr(numpys, "get_bit_generator"):
            yield "np.random", numpys.get_bit_generator()
    there = getattr(body, "__globals__", {})
    if not any([g is there for g in _under_way]):
        yield from [(k, x) for k, x in list(there.items()) if type(x) in classes]
    yield from [(k, x) for k, x in _closure(body).items() if type(x) in classes]


def _closure(body: Callable[..., Any]) -> Mapping[str, Any]:
    """The free variables of a function."""
    cells, found = getattr(body, "__closure__", None) or (), dict[str, Any]()
    for k, cell in zip(body.__code__.co_freevars if cells else (), cells, strict=True):
        try:
            found[k] = cell.cell_contents
        except ValueError:  # it has no value yet
            continue
    return found


def _state(x: Any) -> Any:
    """The state of a generator, to compare."""
    if hasattr(x, "getstate"):
        return x.getstate()
    of = getattr(x, "bit_generator", None) or getattr(x, "_bit_generator", x)
    if type(of).__name__ == "MT19937":
        address = of.ctypes.state_address
        return sys.modules["ctypes"].string_at(address, _MT19937)
    return repr(of.state)


def _reached(body: Callable[..., Any]) -> Iterator[FunctionType]:
    """The functions that a function knows by their names, and those that they know, itself first."""
    todo, seen = [body], set[Any]()
    while todo:
        f: Any = todo.pop(0)
        f = getattr(f, "body", f)  # of an @fn
        if isinstance(f, FunctionType) and f not in seen:
            seen.add(f)
            yield f
            there = {**f.__globals__, **_closure(f)}
            todo += [there[k] for k in _names(f) if k in there]


def _names(f: FunctionType) -> list[str]:
    """The names that a function uses, and those that are written in it."""
    codes, names = [f.__code__], list[str]()
    for code in codes:
        names += [*code.co_names, *code.co_freevars]
        codes += [x for x in code.co_consts if isinstance(x, CodeType)]
    return names


class _Drawn:
    """How a random number is drawn in a program: by one of these names."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def is_in(self, f: FunctionType) -> bool:
        """True if a function has one of the names, or one of a function of Python's `random`."""
        own = {k for k, x in vars(random).items() if f.__globals__.get(k) is x}
        return bool((self.names | own) & {*_names(f)})

    def call(self, _: Any, node: ast.AST) -> ast.AST | None:
        """The first call of that kind, as `np.random.normal(...)`; if there is none, the function."""
        for x in ast.walk(node):
            if isinstance(x, ast.Call) and self.names & {*ast.unparse(x.func).split(".")[:-1]}:
                return x
        return None
