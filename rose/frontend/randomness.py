"""Random numbers of Python's and NumPy's that are drawn while a function is traced: they would be constants for ever.

The states of the generators that a function may know are compared: before its trace and after. These are the global
ones of `random` and `np.random`; those among the globals of the function, and of the user's functions that it names;
and those in their closures and defaults, and in the lists, dicts and objects that they name. One that is made inside,
from a seed, gives the same numbers in each call of plain Python's too, so it may be used; one that is made of nothing
is found where that is written. Nothing is imported for it. It takes 60 us a trace, where the first call of the smallest
function takes 1.6 ms; half of it is `random.getstate`.
"""

from __future__ import annotations

import ast
import random
import re
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import islice
from types import BuiltinMethodType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, cast

from ..errors import Loc, RoseError, is_users

Reached = dict[FunctionType, list[tuple[str, Any]]]  # functions, and what each knows by a name

_MT19937 = 2_500  # bytes of the state of NumPy's global generator, of which `state` makes a copy in 40 us
_MANY = 50  # functions that are looked through, and items of one thing
_MAKING = {"default_rng", "RandomState", "Random", "SystemRandom"}
_watched = set[int]()  # the generators and globals of all functions that are being traced, by their identities


@contextmanager
def nothing_drawn(name: str, body: Callable[..., Any]) -> Generator[None]:
    """Inside, where `body` is traced, no random number may be drawn."""
    reached, seen = _reached(body), set[int]()
    before = [(k, x, _state(x)) for k, x in _generators(body, reached, seen)]
    loaded = "numpy.random" in sys.modules
    _watched.update(seen)
    try:
        yield
    finally:
        _watched.difference_update(seen)
    for k, x, state in before:
        if _state(x) != state:
            _check_drawn(name, body, k)
    if not loaded and "numpy.random" in sys.modules and _is_used(sys.modules["numpy.random"]):
        _check_drawn(name, body, "np.random")
    _check_made(name, reached)


def _is_used(numpys: Any) -> bool:
    """True if a number was drawn from NumPy's global generator since its module was loaded, in this trace."""
    fresh, now = [x.state["state"]["pos"] for x in (numpys.MT19937(), numpys.get_bit_generator())]
    return now != fresh


def _check_drawn(name: str, body: Callable[..., Any], of: str) -> None:
    """Refuse that a generator was used, if it was by the function: another thread may have used it."""
    found = next((f for f in _reached(body) if _may_draw(f, of)), None)
    if found is None and threading.active_count() > 1:
        return
    where = _Drawn(found, of)
    raise _refusal(name, of, Loc((found or body).__code__, -1).narrow(where.call))


def _check_made(name: str, reached: Reached) -> None:
    """Refuse a generator that is made inside, in any case, and of no seed."""
    for f in reached:
        loc = Loc(f.__code__, -1)
        if (
            not _MAKING.isdisjoint(_names(f.__code__))
            and (found := loc.node())
            and (call := _made(f, found[1])) is not None
        ):
            raise _refusal(name, ast.unparse(call), loc.narrow(partial(_itself, call)))


def _itself(call: ast.Call, *_: Any) -> ast.Call:
    return call


def _refusal(name: str, of: str, loc: Loc) -> RoseError:
    what = f"{name} draws random numbers of {of} while it is traced, once: they would be the same in each call"
    hint = "write rose.random.normal(key, (3,)) with a key as a parameter; draw what stays the same outside of it"
    return RoseError(what, loc, hint)


def _generators(body: Any, reached: Reached, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """The generators that functions may know, and their names; without those that are watched already."""
    named = [("self", y) for y in _inside(body)]
    classes, numpys = {random.Random}, cast("Any", sys.modules.get("numpy.random"))
    if numpys is not None:
        classes |= {numpys.Generator, numpys.RandomState}
    if not _watched:
        yield "random", random
        if numpys is not None and hasattr(numpys, "get_bit_generator"):
            # with the second of two normal numbers, which it makes at once, if any may be drawn by name
            whole = any(["random" in _names(f.__code__) for f in reached])
            yield "np.random", numpys.get_state.__self__ if whole else numpys.get_bit_generator()
    for f, known in reached.items():
        named += [(k, y) for k, x in known for y in (x, *_inside(x))]
        named += list(f.__globals__.items()) if _is_new(f.__globals__, seen) else []
    for k, x in named:
        if type(x) in classes and _is_new(x, seen):
            yield k, x


def _is_new(x: Any, seen: set[int]) -> bool:
    """True the first time that a thing is seen, here and in the functions that are being traced."""
    if id(x) in seen or id(x) in _watched:
        return False
    seen.add(id(x))
    return True


def _state(x: Any) -> Any:
    """The state of a generator, to compare."""
    if hasattr(x, "getstate"):
        return x.getstate()
    if hasattr(x, "get_state"):
        whole = x.get_state(legacy=False)
        parts = [*whole.pop("state").values(), *whole.values()]
        return [v.tobytes() if hasattr(v, "tobytes") else v for v in parts]
    of = getattr(x, "bit_generator", x)
    if type(of).__name__ == "MT19937":
        return sys.modules["ctypes"].string_at(of.ctypes.state_address, _MT19937)
    return repr(of.state)


# what a function knows


def _reached(body: Callable[..., Any]) -> Reached:
    """A function, the functions of the user's that it names, and those that they name; and what each knows."""
    todo, seen = [body], Reached()
    for x in todo:
        f = _function(x)
        if f is not None and f not in seen and len(seen) < _MANY and (not seen or is_users(f.__code__)):
            seen[f] = _known(f)
            todo += [y for _, y in seen[f]]
    return seen


def _function(x: Any) -> FunctionType | None:
    """The function of Python's that a thing is, or is made of: a method, an @fn."""
    f = x.__func__ if isinstance(x, MethodType) else x if isinstance(x, FunctionType) else _fields(x).get("body")
    return f if isinstance(f, FunctionType) else None


def _known(f: FunctionType) -> list[tuple[str, Any]]:
    """The values that a function names: free variables, globals, defaults; the functions in its modules and classes."""
    closure, there, names = _closure(f), f.__globals__, _names(f.__code__)
    found = [(k, closure[k] if k in closure else there[k]) for k in names if k in closure or k in there]
    found += _defaults(f)
    for _, x in found[:_MANY]:
        if not isinstance(x, FunctionType):
            of: Mapping[str, Any] = _fields(x) if isinstance(x, ModuleType) else type(x).__dict__
            found += [(k, of[k]) for k in names if k in of and isinstance(of[k], FunctionType)]
    return found


def _defaults(f: FunctionType) -> list[tuple[str, Any]]:
    """The parameters that have a default, with those."""
    names, defaults = f.__code__.co_varnames[: f.__code__.co_argcount], f.__defaults__ or ()
    return [*zip(names[len(names) - len(defaults) :], defaults, strict=True), *(f.__kwdefaults__ or {}).items()]


def _closure(f: FunctionType) -> dict[str, Any]:
    """The free variables of a function."""
    found = dict[str, Any]()
    for k, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
        try:
            found[k] = cell.cell_contents
        except ValueError:  # it has no value yet
            continue
    return found


def _inside(x: Any) -> list[Any]:
    """The items of a list or a dict, and what is in the fields of an object, or of that of a method."""
    x = x.__self__ if isinstance(x, MethodType) else x
    if isinstance(x, (ModuleType, type, FunctionType)):
        return []
    items = x if type(x) in (list, tuple) else (cast("dict[Any, Any]", x) if type(x) is dict else _fields(x)).values()
    return [*islice(items, _MANY)]


def _fields(x: Any) -> dict[str, Any]:
    """The fields of an object that has some. It is not asked for them by name, which may do anything."""
    if not type(x).__dictoffset__:
        return {}
    fields = object.__getattribute__(x, "__dict__")
    return cast("dict[str, Any]", fields) if type(fields) is dict else {}


@lru_cache(maxsize=1024)
def _names(code: CodeType) -> tuple[str, ...]:
    """The names that a function uses, and those that are written in it: of code, which closures of one `def` share."""
    codes, names = [code], list[str]()
    for x in codes:
        names += [*x.co_names, *x.co_freevars]
        codes += [k for k in x.co_consts if isinstance(k, CodeType)]
    return tuple(names)


# where it is written


def _may_draw(f: FunctionType, of: str) -> bool:
    """True if a function may draw from a generator: if that is written in it, or, without its source, its names."""
    found = Loc(f.__code__, -1).node()
    if found is None or of not in ("random", "np.random"):
        return not {of, of.rpartition(".")[2]}.isdisjoint([*f.__code__.co_varnames, *_names(f.__code__)])
    return _Drawn(f, of).call(*found) is not None


class _Drawn:
    """How numbers of a generator are drawn in a function: by its name, or by a function of its module."""

    def __init__(self, f: FunctionType | None, of: str) -> None:
        self.of, self.there = of, {} if f is None else {**f.__globals__, **_closure(f)}

    def call(self, _: Any, node: ast.AST) -> ast.AST | None:
        """The first call of that kind, as `np.random.normal(...)`; if there is none, the function."""
        calls = [x for x in ast.walk(node) if isinstance(x, ast.Call)]
        return next((x for x in calls if self._is_drawing(*_words(x.func))), None)

    def _is_drawing(self, first: str, *rest: str) -> bool:
        x = self.there.get(first)
        owner = getattr(x, "__self__", None) if isinstance(x, (MethodType, BuiltinMethodType)) else None
        if self.of == "random":
            return x is random or owner is _of_python or (x is None and first == "random")
        if self.of == "np.random":
            numpys: Any = sys.modules["numpy.random"]
            known = x is numpys or owner is numpys.get_state.__self__
            return known or ("random" in rest and (x is None or x is sys.modules["numpy"]))
        return self.of in (first, *rest)


_of_python = cast("Any", random.random).__self__


def _made(f: FunctionType, node: ast.AST) -> ast.Call | None:
    """The call that makes a generator of no seed, which no condition may skip."""
    todo, there = [node], {**f.__globals__, **_closure(f)}
    for x in todo:
        if isinstance(x, ast.Call) and _is_making(x, there):
            return x
        if not isinstance(x, (ast.If, ast.IfExp, ast.BoolOp, ast.Try, ast.Match)):
            todo += ast.iter_child_nodes(x)
    return None


def _is_making(call: ast.Call, there: dict[str, Any]) -> bool:
    """True for the call of a class of generators, or of what makes one, of nothing that they begin at."""
    words, given = _words(call.func), [*call.args, *[a.value for a in call.keywords]]
    seeded = given and ast.unparse(given[0]) != "None" and words[-1] != "SystemRandom"
    return words[-1] in _MAKING and not seeded and _package(there.get(words[0])) in ("", "numpy", "random")


def _words(called: ast.expr) -> list[str]:
    """The names in what is called."""
    return re.findall(r"\w+", ast.unparse(called)) or [""]


def _package(x: Any) -> str:
    """The package that a thing, such as a module or one of its functions, is of; empty of what is not known yet."""
    if isinstance(x, ModuleType):
        return x.__name__.partition(".")[0]
    return str(getattr(x, "__module__", None) or "").partition(".")[0] if isinstance(x, (type, FunctionType)) else ""
