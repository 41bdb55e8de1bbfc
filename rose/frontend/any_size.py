"""Functions of any size: those with a `rose.dim` in their types, and those derived from them.

A call reads the sizes off its vectors. For each choice of sizes there is one instance, an ordinary function,
which is traced and compiled when it is first needed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar, cast

from .. import errors
from ..errors import OutOfRange, RoseError, TypeMismatch, edge, here, hide_our_frames
from ..host.argument_sizes import measured
from ..ir import shown
from ..ir.sizes import Dim, Size, Sizes, bound, dims_of, opened, sized
from ..ir.types import Tuple, Type, Vec
from ..ir.value import host_index
from . import tracing
from .function import AnyFn, Fn
from .signatures import written
from .transforms import remembered

F = TypeVar("F", bound=Callable[..., Any])


class AnySize(Fn[..., Any]):
    """A function with a `rose.dim` in its types: one instance for each choice of sizes.

    A call finds the sizes. `f.at(n=3)` is the instance of that size.
    """

    def __init__(self, like: AnyFn, instance: Callable[[Sizes], AnyFn], *, derived: bool = False) -> None:
        super().__init__(like.body, like.types, like.result, like.name, like.names)
        self.loc, self._instance = like.loc, instance
        self.dims = tuple(dict.fromkeys([d for t in (*self.types, self.result) for d in dims_of(t)]))
        self._instances: dict[tuple[int, ...], AnyFn] = {}
        self._check_known(derived)

    def _check_known(self, derived: bool) -> None:
        """Check that a call determines all sizes: each is itself the size of a vector among the parameters."""
        known = {d for t in self.types for d in _alone(t)}
        for k, t in zip((*self.names, "return"), (*self.types, self.result), strict=True):
            for d in dims_of(t):
                if d not in known:
                    where = "the result" if k == "return" else k
                    what = f"no call of {self.name} tells the size {d!r}: in {where} it is part of {t!r}"
                    hint = f"add a parameter with a vector of just that size, as in Vec[{d!r}]"
                    if derived:
                        hint = f"name the size of the function first, as in f.at({d!r}=3)"
                    raise TypeMismatch(what, self.loc.narrow(errors.annotation(k)), hint)

    def _traced(self) -> NoReturn:
        names = [d.text for d in self.dims]
        what = f"{self.name} is a function of any size, and {_several(names)} is not given"
        some = ", ".join([f"{k}=3" for k in names])
        hint = f"call it, name a size as in {self.name}.at({some}), or rose.compile(f, {some})"
        raise TypeMismatch(what, here(), hint)

    @edge
    def at(self, **sizes: int) -> AnyFn:
        """The instance of these sizes: `f.at(n=3)`. What is missing or unknown is a TypeMismatch."""
        names = [d.text for d in self.dims]
        if missing := [k for k in names if k not in sizes]:
            what = f"{self.name} needs a size for each of {', '.join(names)}, and {_several(missing)} is not given"
            raise TypeMismatch(what, here(), f"give it by name, as in {missing[0]}=3")
        if extra := [k for k in sizes if k not in names]:
            raise TypeMismatch(f"{self.name} has no size {extra[0]}", here(), f"write one of {', '.join(names)}")
        numbers = {k: n if isinstance(n := sizes[k], Dim) and n.is_open else host_index(n) for k in names}
        for k, n in numbers.items():
            if n is None or (n.__class__ is int and n < 0):
                kind = TypeMismatch if n is None else OutOfRange
                raise kind(f"the size {k} is an integer from 0, not {shown(sizes[k])}", here(), f"write {k}=3")
        return self.sized(cast("Sizes", numbers))

    def sized(self, sizes: Sizes) -> AnyFn:
        """The instance of these sizes."""
        key = tuple([sizes[d.text] for d in self.dims])
        if key not in self._instances:
            with tracing.locked():
                if key not in self._instances:
                    made = self._instances[key] = self._instance(sizes)
                    if made.made_by is None:
                        made.made_by = AnySize.sized, (self, sizes), {}
                    if self.rule is not None:
                        made.jvp(self.rule)  # which may call the function itself
        return self._instances[key]

    def fitting(self, args: Sequence[Any]) -> AnyFn:
        """The instance for these arguments."""
        by_name = f", or name the size: {self.name}.at({{!r}}=3)"
        return self.sized(measured(self.name, self.names, self.types, args, by_name))

    def emit(self, args: Sequence[Any]) -> Any:
        return self.fitting(args).emit(args)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            given = self.bind(args, kwargs)
            return self.fitting(given)(*given)
        except Exception as e:
            hide_our_frames(e)
            raise

    @edge
    def _differentiate_by(self, rule: Any) -> Any:
        loc = written(self.checked_rule(rule))
        if self.rule is not None:
            raise RoseError(f"{self.name} has a derivative rule already", loc, "give a function one rule")
        for f in self._instances.values():
            f.jvp(rule)
        self.rule = rule
        return rule

    def _fill(self, *made_of: Any) -> None:
        f = Fn[..., Any](*made_of)
        AnySize.__init__(self, f, instances(f))


def _several(names: Sequence[str]) -> str:
    return " and ".join(", ".join(names).rsplit(", ", 1))


def _alone(t: Type) -> list[int | Size]:
    """The sizes of the vectors in a type."""
    if isinstance(t, Vec):
        return [t.size, *_alone(t.elem)]
    return [d for s in t.items for d in _alone(s)] if isinstance(t, Tuple) else []


def any_size(f: AnyFn) -> AnyFn:
    """The function of any size of `f`, which is written with a `rose.dim` in its types."""
    return AnySize(f, instances(f))


def instances(f: AnyFn) -> Callable[[Sizes], AnyFn]:
    """The function from sizes to the instance of `f` for them."""

    def instance(sizes: Sizes) -> AnyFn:
        with bound({**f.sizes, **sizes}):
            return Fn(f.body, [sized(t, sizes) for t in f.types], sized(f.result, sizes), f.name, f.names)

    return instance


def of_any_size(transform: F) -> F:
    """Extend a `transform` of functions to functions of any size: its results are of any size again, and remembered."""
    plain = edge(transform)

    @functools.wraps(plain)
    def each_size(*args: Any, **kwargs: Any) -> Any:
        f = args[0] if args else kwargs.get("f")
        made = plain(*args, **kwargs)
        if not isinstance(f, AnySize):
            return made
        rest = {k: x for k, x in kwargs.items() if k != "f"}
        each: Callable[[AnyFn], Any] = lambda g: outer(g, *args[1:], **rest)
        if isinstance(made, Fn):
            return AnySize(cast("AnyFn", made), lambda sizes: each(f.sized(sizes)), derived=True)
        return _at_each(f, each)

    outer = remembered(each_size)
    return cast("F", outer)


def _at_each(f: AnySize, transform: Callable[[AnyFn], Callable[..., Any]]) -> Callable[..., Any]:
    """A transform that takes the arguments of `f` at once, such as `vjp(f)`: applied to the instance for them."""
    made: dict[AnyFn, Callable[..., Any]] = {}

    @edge
    def at(*args: Any, **kwargs: Any) -> Any:
        given = f.bind(args, kwargs)
        g = f.fitting(given)
        if g not in made:
            made[g] = transform(g)
        return made[g](*given)

    return at


def open_sizes(f: AnySize) -> dict[str, Any]:
    """The sizes of `f` as symbols, known when the module runs: `f.at(**open_sizes(f))` serves every size."""
    return {d.text: opened(d) for d in f.dims}


def fixed(fs: Mapping[str, AnyFn], sizes: Sizes, *, dynamic: bool = False) -> dict[str, AnyFn]:
    """The functions `fs`, those of any size at the given `sizes`; with `dynamic` the other sizes stay symbols."""
    names: Callable[[AnyFn], list[str]] = lambda f: [d.text for d in f.dims] if isinstance(f, AnySize) else []
    every = dict.fromkeys([d for f in fs.values() for d in names(f)])
    if extra := [k for k in sizes if k not in every]:
        hint = f"write one of the sizes {', '.join(every)}" if every else "leave it out: no type has a rose.dim in it"
        what = f"rose.compile has no option {extra[0]!r}, and no function has a size of that name"
        raise TypeMismatch(what, here(), hint)
    if dynamic and not every:
        hint = 'write n = rose.dim("n") and Vec[n], or leave out dynamic=True'
        raise TypeMismatch("no function has a rose.dim in its types", here(), hint)
    made: dict[str, AnyFn] = {}
    for k, f in fs.items():
        given = {d: n for d, n in sizes.items() if d in names(f)}
        opened = open_sizes(f) if dynamic and isinstance(f, AnySize) else {}
        made[k] = f.at(**{**opened, **given})
    return made
