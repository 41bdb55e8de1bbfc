"""`@fn` and `@opaque`: what a user marks, how it is traced, and what a call of it means.

A function is traced once, when it is first needed: its body runs on values that record what is done to
them. Inside another trace a call of it is one instruction; outside, it compiles once and runs.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, Generic, ParamSpec, TypeVar, overload

from . import ir
from .errors import Loc, RoseError, TypeMismatch, here, hide_our_frames
from .retype import untype
from .ir import Builder, Func, Value
from .ops import view
from .optimise.split import split
from .structs import as_type, mentions_tangent, split_dual, to_value, view_dual
from .types import Type, tangent, untyped

P = ParamSpec("P")
R = TypeVar("R")

_lock = threading.RLock()  # one trace at a time: a function may be needed by two threads at once
_running: list[Fn[..., Any]] = []  # the functions being traced, outermost first: to name a cycle

# what runs a function outside of any trace; `build.py` sets it, as it stands above this floor
run: list[Callable[[Fn[..., Any]], Callable[..., Any]]] = []


class Fn(Generic[P, R]):
    """A function over traced values: call it, differentiate it, compile it.

    `types` has the type of each parameter, and `result` that of the result.
    """

    def __init__(
        self, body: Callable[..., Any], types: Sequence[Type], result: Type, name: str | None = None,
        names: Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        functools.update_wrapper(self, body)
        self.body, self.types, self.result = body, tuple(types), result
        self.name = name or getattr(body, "__name__", "fn")
        self.names = tuple(names if names is not None else _names(body, len(types)))
        self._func: Func | None = None
        self._captured: tuple[Value, ...] = ()
        self._compiled: Callable[..., Any] | None = None

    def __repr__(self) -> str:
        params = ", ".join(f"{n}: {t!r}" for n, t in zip(self.names, self.types, strict=True))
        return f"<fn {self.name}({params}) -> {self.result!r}>"

    @property
    def loc(self) -> Loc:
        """Where the function was written."""
        code = getattr(self.body, "__code__", None)
        return here() if code is None else Loc(code, -1)

    @property
    def func(self) -> Func:
        """The function of the IR: traced now, if it has not been yet."""
        if self._func is None:
            with _lock:
                if self._func is None:
                    self._trace()
        assert self._func is not None
        return self._func

    @property
    def captured(self) -> tuple[Value, ...]:
        """The values of functions around this one that it uses: they are passed along at each call."""
        _ = self.func
        return self._captured

    def _trace(self) -> None:
        if self in _running:
            cycle = " -> ".join([f.name for f in _running[_running.index(self) :]] + [self.name])
            raise RoseError(
                f"{self.name} calls itself: {cycle}",
                here(),
                "the calls between @fn functions have no cycles; recur in a plain Python function, over host data, "
                "which makes one @fn for each step",
            )
        _running.append(self)
        try:
            with ir.deep(), ir.building(self.name, inside=True) as b:
                self._func = split(self._record(b))
                self._captured = tuple(b.captured)
        except RoseError as e:
            raise hide_our_frames(e) from None
        finally:
            _running.pop()

    def _record(self, b: Builder) -> Func:
        b.loc = self.loc
        args = [view(b.param(t, name)) for t, name in zip(self.types, self.names, strict=True)]
        b.loc = None
        return finish(b, lambda: to_value(self.body(*args), self.result, (f"what {self.name} returns",), self.loc))

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if not ir.is_tracing():
            if self._compiled is None:
                self._compiled = run[0](self)
            return self._compiled(*args, **kwargs)
        return self.emit(self.bind(args, kwargs))

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """The arguments in order, with those given by name in their places."""
        return bind_arguments(self.name, self.names, args, kwargs)

    def emit(self, args: Sequence[Any]) -> Any:
        """A call, in the function that is being traced."""
        b, func, types = ir.builder(), self.func, self.types
        if any(t.linear for t in types) and not mentions_tangent(list(args)):
            # outside a derivative rule a tangent is a number like any other
            func, types = untype(func), tuple([untyped(t) for t in types])
        loc = here()
        values = [to_value(x, t, (n,), loc) for x, t, n in zip(args, types, self.names, strict=True)]
        return view(b.call(func, [*values, *[b.reach(v) for v in self.captured]]))

    def jvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Use `rule` as the derivative: from one `Dual[T]` for each parameter to a `Dual` of the result.

        Reverse mode and all higher orders follow from it. A rule that is not linear in the tangents is
        refused here.
        """
        given = rule.body if isinstance(rule, Fn) else rule
        name = getattr(given, "__name__", "rule")
        count = _arity(given)
        if count is not None and count != len(self.types):
            raise TypeMismatch(
                f"a derivative of {self.name} takes {len(self.types)} Duals, but {name} takes {count} parameters",
                Loc(given.__code__, -1) if hasattr(given, "__code__") else here(),
                f"one for each of {', '.join(self.names)}" if self.names else "it has no parameters",
            )
        self.func.jvp = self._rule(given)
        return rule

    def _rule(self, rule: Callable[..., Any]) -> Func:
        code = getattr(rule, "__code__", None)
        loc = here() if code is None else Loc(code, -1)
        try:
            with ir.building(f"{self.name}.jvp") as b:
                b.loc, duals = loc, list[Any]()
                for t, name in zip(self.types, self.names, strict=True):
                    re = b.param(t, name)
                    duals.append(view_dual(re, b.param(tangent(t), f"d{name}") if t.real else b.zero(tangent(t))))
                b.loc = None
                what = (f"what the derivative of {self.name} returns",)
                return finish(b, lambda: b.tuple(split_dual(rule(*duals), self.result, tangent, what, loc)))
        except RoseError as e:
            raise hide_our_frames(e) from None

    def __get__(self, obj: Any, cls: Any = None) -> Any:
        """As a method, which gets the object as its first argument."""
        return self if obj is None else functools.partial(self, obj)


def finish(b: Builder, body: Callable[[], Value]) -> Func:
    """The function that `body` records, unless it left a loop early."""
    result = body()
    if b.failure is not None:
        raise b.failure
    return b.func(result)


def bind_arguments(name: str, names: Sequence[str], args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
    """One argument for each name, or an error that says which is wrong."""
    given = list(args)
    takes = f"{len(names)} argument{'s' * (len(names) != 1)} ({', '.join(names)})" if names else "no arguments"
    for k in names[len(given) :]:
        if k not in kwargs:
            break
        given.append(kwargs[k])
    if extra := [k for k in kwargs if k not in names[len(args) :]]:
        said = "is given twice" if extra[0] in names else "is unknown"
        raise TypeMismatch(f"{name} takes {takes}: {extra[0]} {said}", here(), "see its signature")
    if len(given) != len(names):
        count = len(args) + len(kwargs)
        hint = "too many" if count > len(names) else f"{names[len(given)]} is missing"
        raise TypeMismatch(f"{name} takes {takes}, got {count}", here(), hint)
    return given


def _arity(f: Callable[..., Any]) -> int | None:
    try:
        params = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.KEYWORD_ONLY) for p in params):
        return None
    return len(params)


def _names(body: Callable[..., Any], count: int) -> list[str]:
    """The names of the parameters, where the body tells them."""
    try:
        names = [p.name for p in inspect.signature(body).parameters.values() if p.kind is not p.VAR_POSITIONAL]
    except (TypeError, ValueError):
        names = []
    return names if len(names) == count else [f"x{k}" for k in range(count)]


def _annotations(body: Callable[..., Any], scope: dict[str, Any]) -> tuple[list[Type], Type]:
    """The types in a function's annotations. Sizes may be local to the caller, hence `scope`."""
    name = getattr(body, "__name__", repr(body))
    loc = Loc(body.__code__, -1) if hasattr(body, "__code__") else here()
    try:
        hints = inspect.get_annotations(body, eval_str=True, locals=scope)
    except NameError as e:
        raise TypeMismatch(f"an annotation of {name} cannot be evaluated: {e}", loc, "define it first") from None
    params = inspect.signature(body).parameters
    for p in params.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or p.default is not p.empty:
            what = "a default" if p.default is not p.empty else "any number of parameters"
            hint = "a compiled function has a fixed list of parameters, each of which is given at each call"
            raise TypeMismatch(f"{name} cannot have {what}: {p}", loc, hint)
    if missing := [k for k in [*params, "return"] if k not in hints]:
        hint = "write `def f(x: Real, v: Vec[3]) -> Real`, or give the types: rose.fn([Real, Vec[3]], Real)(f)"
        raise TypeMismatch(f"{name} needs a type for {', '.join(missing)}", loc, hint)
    if not inspect.isfunction(body) or inspect.isgeneratorfunction(body) or inspect.iscoroutinefunction(body):
        raise TypeMismatch(f"{name} is not a plain function", loc, "it must return its result, not yield or await")
    return [as_type(hints[k]) for k in params], as_type(hints["return"])


@overload
def fn(body: Callable[P, R], /) -> Fn[P, R]: ...
@overload
def fn(types: Sequence[Any], result: Any, /) -> Callable[[Callable[..., Any]], Fn[..., Any]]: ...
def fn(body: Any, result: Any = None, /) -> Any:
    """Make a function one that is traced, differentiated and compiled: `@fn`, with annotations.

    `rose.fn([params], ret)(f)` does the same without annotations.
    """
    if isinstance(body, Fn):
        return body  # pyright: ignore[reportUnknownVariableType]
    if callable(body):
        return Fn(body, *_annotations(body, sys._getframe(1).f_locals))  # pyright: ignore[reportPrivateUsage]
    types, out = [as_type(t) for t in body], as_type(result)

    def decorate(f: Callable[..., Any]) -> Fn[..., Any]:
        count = _arity(f)
        if count is not None and count != len(types):
            raise TypeMismatch(f"{len(types)} types for {count} parameters", here(), "give one type for each")
        return Fn(f, types, out)

    return decorate


class Opaque(Fn[P, R]):
    """A host function: its Python body runs in Python, and in JavaScript the page supplies one by name."""

    def __init__(self, body: Callable[P, R], types: Sequence[Type], result: Type, name: str, pure: bool) -> None:
        super().__init__(body, types, result, name)
        for t in (*types, result):
            if t.linear:
                raise TypeMismatch(f"{name}: an opaque function cannot see a {t!r}", self.loc, "use Real")
        with ir.building(name) as b:
            b.loc = self.loc
            for t, k in zip(self.types, self.names, strict=True):
                b.param(t, k)
        self._func = Func(name, b.root, result, pure=pure, impl=body)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.emit(self.bind(args, kwargs)) if ir.is_tracing() else self.body(*args, **kwargs)


@overload
def opaque(body: Callable[P, R], /) -> Opaque[P, R]: ...
@overload
def opaque(*, name: str | None = None, pure: bool = False) -> Callable[[Callable[P, R]], Opaque[P, R]]: ...
def opaque(body: Any = None, /, *, name: str | None = None, pure: bool = False) -> Any:
    """Make a host function callable from traced code, of any signature: `@opaque`.

    It becomes one import of the module, by its `name` (such as "Math.log"). Say `pure=True` if it has no
    effect and gives the same result for the same arguments: then calls may be shared and dropped.
    Its derivative must be given: `@f.jvp`.
    """
    scope = sys._getframe(1).f_locals  # pyright: ignore[reportPrivateUsage]

    def decorate(f: Callable[..., Any]) -> Opaque[..., Any]:
        return Opaque(f, *_annotations(f, scope), name or f.__name__, pure)

    return decorate if body is None else decorate(body)


def make(
    body: Callable[..., Any], types: Sequence[Type], result: Type, name: str, names: Sequence[str]
) -> Fn[..., Any]:
    """A function that was derived, not written."""
    return Fn(body, types, result, name, names)


def from_func(f: Func, names: Sequence[str]) -> Fn[..., Any]:
    """A function whose IR is already there."""
    made = make(lambda *_: None, [p.type for p in f.params], f.result, f.name, names)
    made._func = f  # pyright: ignore[reportPrivateUsage]
    return made

