"""Transforms of functions, such as `grad`: each result is made once, and kept in the function that it is made of.

So `rose.grad(f)(x)` in a loop compiles once. A result refers to its function, which keeps it: both are garbage at once,
when no one else refers to either.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, TypeVar, cast

from ..errors import edge, here
from ..ir.sizes import bound
from ..ir.value import host_index
from .documentation import Documented, OfInstances, at_a_point
from .function import AnyFn, Fn, MadeBy
from .pickling import again

F = TypeVar("F", bound=Callable[..., Any])


class OfFunctions:
    """A function of functions: no `@fn`, it says itself what `rose.grad` and its kin make of it."""

    def transformed(self, transform: str, args: Sequence[Any], named: dict[str, Any]) -> Any:
        """The result of the transform of that name, with its options."""
        raise NotImplementedError


def remembered(transform: F) -> F:
    """`transform`, a function of an `@fn` and options, with one result for the same function and the same options."""
    _, *parameters = inspect.signature(transform).parameters.values()
    names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    defaults = {p.name: p.default for p in parameters if p.kind is not p.VAR_KEYWORD}
    usual = options_key(defaults)

    @edge
    @functools.wraps(transform)
    def outer(*args: Any, **named: Any) -> Any:
        f, key = args[0] if args else None, usual
        if isinstance(f, OfFunctions):
            return f.transformed(transform.__name__, args[1:], named)
        if named or len(args) != 1:
            options = {**defaults, **dict(zip(names, args[1:], strict=False)), **named}
            f = args[0] if args else options.pop("f", None)
            key = options_key(options) if len(args) <= 1 + len(names) else None
        if key is None or not isinstance(f, Fn):
            return made_by(transform(*args, **named), outer, args, named)
        of = cast("AnyFn", f)
        made = of.results.get((transform, key))
        if made is None:
            with bound(of.sizes):  # not those of whoever asks first
                made = made_by(transform(*args, **named), outer, args, named)
            made = of.results.setdefault((transform, key), made)  # of two threads the first decides
        else:
            _asked_again(made)
        return made

    return cast("F", outer)


def _asked_again(made: Any) -> None:
    """Let an error of a function that is not traced yet point at who asked for it last."""
    if isinstance(made, Fn) and not made.is_traced:
        made.loc = here()


def made_by(made: Any, transform: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """The result of a `transform`, pickled as the call that gave it. Of a function at a point, an `AtPoint`."""
    if isinstance(made, FunctionType):
        made = AtPoint(made, f"{transform.__name__} of {args[0]!r}" if args else transform.__name__)
    made.made_by = transform, args, named
    given: dict[str, Any] = getattr(args[0], "defaults", None) or {} if args else {}
    if given and "defaults" in vars(made):
        made.defaults = _of_same_type(given, args[0], made)
    return made


def _of_same_type(defaults: Mapping[str, Any], f: AnyFn, made: AnyFn) -> dict[str, Any]:
    """The defaults of parameters of `f` which are, with their types, parameters of what was made of it."""
    types = dict(zip(f.names, f.types, strict=True))
    same = [k for k, t in zip(made.names, made.types, strict=True) if t == types.get(k)]
    return {k: x for k, x in defaults.items() if k in same}


class AtPoint(Documented):
    """A transform of a function that is asked at a point: `vjp(f)` and `linearize(f)` take the arguments of `f`."""

    made_by: MadeBy
    __signature__ = OfInstances(at_a_point)

    def __init__(self, at: Callable[..., Any], name: str) -> None:
        self._at, self._name = at, name

    @edge
    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._at(*args, **named)

    def __repr__(self) -> str:
        return f"<{self._name}>"

    def __reduce__(self) -> Any:
        return again, self.made_by


def options_key(options: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """The key of a result; None if an option is more than a number or a name, such as a traced value."""
    given = [(k, _plain(options[k])) for k in sorted(options)]
    return None if any([x is None for _, x in given]) else tuple(given)


def _plain(x: Any) -> Any:
    """An option as part of a key: `argnums=[0, 1]` is `(0, 1)`, but 0 is not 0.0, nor False; None if it cannot be."""
    if isinstance(x, (list, tuple)):
        items = tuple(map(_plain, cast("Sequence[Any]", x)))
        return None if None in items else items
    if (k := host_index(x)) is not None:
        return k
    return (x.__class__, x) if x is None or isinstance(x, (bool, float, str)) else None
