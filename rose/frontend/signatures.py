"""The signature of a Python function, from its code and annotations: location, parameters, their types."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, CO_VARARGS, CO_VARKEYWORDS, Parameter
from types import CellType, CodeType, FunctionType
from typing import Any, NamedTuple

from .. import errors
from ..errors import Loc, RoseError, TypeMismatch, here
from ..ir import shown
from ..ir.types import Type
from .annotations import as_type


def name_of(f: Any) -> str:
    """The name of `f` in messages."""
    return getattr(f, "__name__", None) or shown(f)


def written(f: Any) -> Loc:
    """The location of a function's definition; of a function that is not the user's, the caller's location."""
    code = getattr(f, "__code__", None)
    return here() if code is None or errors.is_ours(code.co_filename) else Loc(code, -1)


class Param(NamedTuple):
    """A parameter as it is written, and its default, or `empty`. Its kinds are those of `inspect`."""

    name: str
    kind: Any
    default: Any

    @property
    def optional(self) -> bool:
        return self.default is not Parameter.empty


def parameters(f: Callable[..., Any]) -> list[Param]:
    """The parameters of what can be called; a TypeError or a ValueError if it does not tell them.

    A plain function has them in its code, which closures of one `def` share: `inspect` takes ten times as long.
    """
    if type(f) is not FunctionType or not f.__dict__.keys().isdisjoint(("__wrapped__", "__signature__")):
        return [Param(p.name, p.kind, p.default) for p in inspect.signature(f).parameters.values()]
    code, named = f.__code__, f.__kwdefaults__ or {}
    names, count, last = code.co_varnames, code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    none, optional, rest = Parameter.empty, f.__defaults__ or (), iter(names[last:])
    defaults = [none] * (count - len(optional)) + [*optional]
    found = [Param(k, _PLACED[j < code.co_posonlyargcount], defaults[j]) for j, k in enumerate(names[:count])]
    if code.co_flags & CO_VARARGS:
        found.append(Param(next(rest), Parameter.VAR_POSITIONAL, none))
    found += [Param(k, Parameter.KEYWORD_ONLY, named.get(k, none)) for k in names[count:last]]
    if code.co_flags & CO_VARKEYWORDS:
        found.append(Param(next(rest), Parameter.VAR_KEYWORD, none))
    return found


_PLACED = Parameter.POSITIONAL_OR_KEYWORD, Parameter.POSITIONAL_ONLY


def arity(f: Callable[..., Any], given: int | None = None) -> int | None:
    """The number of parameters; None if it cannot be known, or is not fixed.

    It is the number `given`, if those after that many have defaults.
    """
    try:
        params = parameters(f)
    except (TypeError, ValueError):
        return None
    if given is not None and given <= len(params) and all([p.optional for p in params[given:]]):
        return given
    if any([p.kind not in _PLACED for p in params]):
        return None
    return len(params)


def names_of(body: Callable[..., Any], count: int) -> list[str]:
    """The names of `count` parameters: those of `body`, or `x0`, `x1`, ... if it does not tell them."""
    try:
        params = parameters(body)
        if any([p.kind is Parameter.VAR_POSITIONAL for p in params]):  # then no other of them is given by its name
            params = [p for p in params if p.kind in _PLACED]
        names = [p.name for p in params]
        names = names[: max(count, sum([not p.optional for p in params]))]
    except (TypeError, ValueError):
        names = []
    return names if len(names) == count else [f"x{k}" for k in range(count)]


def by_place(body: Callable[..., Any], count: int) -> int:
    """How many of `count` parameters are given by their places; the others are keyword-only."""
    code: CodeType | None = getattr(body, "__code__", None)
    if code is None or not code.co_kwonlyargcount or code.co_flags & CO_VARARGS:
        return count
    return min(count, sum([p.kind in _PLACED for p in parameters(body)]))


def defaults_of(body: Callable[..., Any], names: Sequence[str]) -> dict[str, Any]:
    """The defaults of those parameters of a plain function that are among `names`."""
    if not (getattr(body, "__defaults__", None) or getattr(body, "__kwdefaults__", None)):
        return {}
    return {p.name: p.default for p in parameters(body) if p.optional and p.name in names}


def fresh_name(name: str, names: Sequence[str]) -> str:
    """`name`, or a longer one if it is among `names`."""
    return fresh_name(f"{name}_", names) if name in names else name


def typed_parameters(body: Callable[..., Any]) -> list[Param]:
    """The parameters that a call gives: one with a default and no type is a constant, known when it is traced."""
    given = getattr(body, "__annotations__", {})
    return [p for p in parameters(body) if p.name in given or not p.optional]


def is_method(f: Any) -> bool:
    """Whether a function is written in a class, for objects: its first parameter has neither type nor default."""
    around, _, _ = getattr(f, "__qualname__", "").rpartition(".")
    if not around or around.endswith("<locals>"):
        return False
    first = next(iter(typed_parameters(f)), None)
    return first is not None and not first.optional and first.name not in f.__annotations__


def types_of(body: Any, scope: dict[str, Any], first: type | None = None) -> tuple[list[Type], Type]:
    """The types in a function's annotations, of parameters and result. `scope` has the caller's locals: sizes, say.

    The type of the first parameter is `first`, if that is given: it has no annotation.
    """
    if isinstance(body, type) or not (inspect.isfunction(body) or inspect.ismethod(body)):
        hint = "write a function around it: def f(x: Real) -> Real"
        if isinstance(body, type):
            hint = "mark a class with @rose.struct: that makes a type of it"
        raise TypeMismatch(f"{shown(body)} is not a Python function with types for its parameters", here(), hint)
    loc, given, params = written(body), body.__annotations__, typed_parameters(body)
    if first is not None:
        given = {**given, params[0].name: first}
    for p in params:
        if (kind := _REFUSED.get(p.kind)) is not None:
            what, hint = f"{body.__name__} takes {kind} parameters", "name each parameter, with its type"
            raise TypeMismatch(what, loc.narrow(errors.parameter(p.name)), hint)
    names = [*[p.name for p in params], "return"]
    if missing := [k for k in names if k not in given]:
        what = ", ".join(["its result" if k == "return" else k for k in missing])
        what = " and ".join(what.rsplit(", ", 1))
        hint = "write `def f(x: Real, v: Vec[3]) -> Real`, or give the types: rose.fn([Real, Vec[3]], Real)(f)"
        if missing[0] == "self":
            hint = "make it a plain method, which is traced where it is called, or write it outside of the class"
        raise TypeMismatch(f"{body.__name__} needs a type for {what}", loc.narrow(errors.annotation(missing[0])), hint)
    check_plain(body)
    there = _scope(body, scope) if any([isinstance(given[k], str) for k in names]) else {}
    *types, result = [_annotation(body.__name__, k, given[k], there, loc) for k in names]
    return types, result


_REFUSED = {Parameter.VAR_POSITIONAL: "any number of", Parameter.VAR_KEYWORD: "any named"}


def _scope(body: Any, scope: Mapping[str, Any]) -> dict[str, Any]:
    """What the names in the annotations of a function mean: its closure's, its module's, and its caller's."""
    body = getattr(body, "__func__", body)
    cells = zip(body.__code__.co_freevars, body.__closure__ or (), strict=True)
    return {**body.__globals__, **{k: c.cell_contents for k, c in cells if c != CellType()}, **scope}


@functools.lru_cache(maxsize=1024)
def _compiled(hint: str) -> CodeType:
    """The code of an annotation that is text: closures of one `def`, and many functions, share it."""
    return compile(hint.lstrip(" \t"), "<string>", "eval")


def _annotation(f: str, k: str, hint: Any, names: dict[str, Any], loc: Loc) -> Type:
    """The type that the annotation `hint` of parameter `k` (or "return") of `f` stands for."""
    loc = loc.narrow(errors.annotation(k))
    try:
        while isinstance(hint, str):
            hint = eval(_compiled(hint), names)
        return as_type(hint)
    except RoseError as e:
        raise e.at(loc) from None
    except Exception as e:
        of = f"the result of {f}" if k == "return" else k
        what = f"the type of {of} cannot be evaluated: {type(e).__name__}: {e}"
        said = "define it before the function; if it is a local of an outer function, write n = n next to @fn"
        raise TypeMismatch(what, loc, said if isinstance(e, NameError) else "write Real, Vec[3], ...") from None


def check_plain(body: Any) -> None:
    """Check that a call of `body` gives its result: it is neither a generator nor async."""
    while isinstance(body, functools.partial):
        body = body.func
    kind = getattr(getattr(body, "__code__", None), "co_flags", 0)
    if kind & (CO_GENERATOR | CO_ASYNC_GENERATOR | CO_COROUTINE):
        said = "yields" if kind & CO_GENERATOR else "is async"
        what = f"{body.__name__} {said}, so a call of it is not its result"
        raise TypeMismatch(what, written(body), "write a plain `def` that returns its result")
