"""`@fn` and `@opaque`: what a user marks, how it is traced, and what a call of it means.

A function is traced once, when it is first needed: its body runs on values that record what is done to
them. Inside another trace a call of it is one instruction; outside, it compiles once and runs.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, nullcontext
from types import CellType, NoneType
from typing import Any, Generic, ParamSpec, TypeVar, overload

from . import errors, ir
from .duals import mentions_tangent, split_dual, view_dual
from .errors import Loc, RoseError, TypeMismatch, edge, here, hide_our_frames
from .ir import Builder, Func, Value, not_one_each, shown
from .operators import view
from .optimise.split import split
from .retype import untype
from .structs import NoNumber, as_type, is_listing, to_value
from .types import Type, Unit, tangent, untyped

P = ParamSpec("P")
R = TypeVar("R")
Rule = TypeVar("Rule", bound=Callable[..., Any])

DEEPEST = 1_000  # functions traced one inside another
BY_ONE_THREAD = 300  # of these: each takes 3 of the 1,500 calls of C that CPython 3.12 allows in a thread

_lock = threading.RLock()  # one trace at a time: a function may be needed by two threads at once
_running: dict[Fn[..., Any], None] = {}  # the functions being traced, outermost first: to name a cycle


class _Thread(threading.local):
    goes_on = False  # with the trace of another thread, which waits for it, and has the lock


_thread = _Thread()

# what runs a function outside of any trace; `build.py` sets it, as it stands above this floor
run: list[Callable[[Fn[..., Any]], Callable[..., Any]]] = []


class Fn(NoNumber, Generic[P, R]):
    """A function over traced values: call it, differentiate it, compile it.

    `types` has the type of each parameter, and `result` that of the result; `loc` is where it was written.
    """

    what, instead = "a function", "call it, as in f(x)"

    def __init__(
        self, body: Callable[..., Any], types: Sequence[Type], result: Type, name: str | None = None,
        names: Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        functools.update_wrapper(self, body)
        self.body, self.types, self.result = body, tuple(types), result
        self.name = name or getattr(body, "__name__", "fn")
        self.names = tuple(names if names is not None else _names(body, len(types)))
        self.loc = _written(body)
        self._derived = self.loc.code is not getattr(body, "__code__", None)  # not written by a user
        if self._derived:
            self.__name__ = self.__qualname__ = self.name
        self._func: Func | None = None
        self._captured: tuple[Value, ...] = ()
        self._compiled: Callable[..., Any] | None = None

    def __repr__(self) -> str:
        params = ", ".join(f"{n}: {t!r}" for n, t in zip(self.names, self.types, strict=True))
        return f"<fn {self.name}({params}) -> {self.result!r}>"

    @property
    @edge
    def func(self) -> Func:
        """The function of the IR: traced now, if it has not been yet."""
        return self._traced()

    def _traced(self) -> Func:
        if self._func is None:
            with nullcontext() if _thread.goes_on else _lock:
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
        asked = here()
        if self in _running or len(_running) == DEEPEST:
            raise self._endless()
        _running[self] = None
        try:
            if len(_running) % BY_ONE_THREAD:
                self._trace_body()
            else:
                _in_a_thread(self._trace_body)
        except RecursionError as e:
            hint = "a Python function may call itself while Python knows that it ends; rose.select needs both values"
            raise RoseError(f"{self.name} recurs without end", errors.repeated(e), hint) from None
        except RoseError as e:
            raise (e.at(self.loc) if self._derived and e.loc == asked else e) from None
        finally:
            del _running[self]

    def _trace_body(self) -> None:
        with _room(), ir.building(self.name, inside=True) as b:
            self._func = split(self._record(b))
            self._captured = tuple(b.captured)

    def _endless(self) -> RoseError:
        names = [f.name for f in _running]
        if self in _running:
            cycle = " -> ".join([*names[list(_running).index(self) :], self.name])
            hint = "@fn functions call one another without cycles; a plain Python function may recur, over host data"
            return RoseError(f"{self.name} calls itself: {cycle}", here(), hint)
        row = " -> ".join([*names[-3:], self.name])
        hint = "if that ends, trace the inner functions first, with f.func; if not, end it by a condition Python knows"
        return RoseError(f"more than {DEEPEST:,} functions need one another in a row: ... -> {row}", here(), hint)

    def _record(self, b: Builder) -> Func:
        b.loc = self.loc
        args = [view(b.param(t, name)) for t, name in zip(self.types, self.names, strict=True)]
        b.loc = self.loc if self._derived else None
        return finish(b, lambda: self.body(*args), self._returned, self.loc)

    def _returned(self, x: Any, loc: Loc) -> Value:
        what = f"what {self.name} returns"
        if x is None and self.result is not Unit:
            raise TypeMismatch(f"{what} must be a {self.result!r}, got None", loc, "end it with `return` and a value")
        return to_value(x, self.result, (what,), loc)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            if ir.is_tracing():
                return self.emit(self.bind(args, kwargs))
            if self._compiled is None:
                self._compiled = run[0](self)
            return self._compiled(*args, **kwargs)
        except Exception as e:
            hide_our_frames(e)
            raise

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """The arguments in order, with those given by name in their places."""
        return bind_arguments(self.name, self.names, args, kwargs)

    def emit(self, args: Sequence[Any]) -> Any:
        """A call, in the function that is being traced."""
        b, func, types = ir.builder(), self._traced(), self.types
        if any(t.linear for t in types) and not mentions_tangent(list(args)):
            # outside a derivative rule a tangent is a number like any other
            with ir.deep():
                func, types = untype(func), tuple([untyped(t) for t in types])
        loc, values = here(), list[Value]()
        for k, (x, t, n) in enumerate(zip(args, types, self.names, strict=True)):
            values.append(to_value(x, t, (n,), loc.narrow(errors.argument(k, n, len(types)))))
        return view(b.call(func, [*values, *[b.reach(v) for v in self._captured]]))

    @property
    def jvp(self) -> Callable[[Rule], Rule]:
        """Use a rule as the derivative: from one `Dual[T]` for each parameter to a `Dual` of the result: `@f.jvp`.

        Reverse mode and all higher orders follow from it. A rule that is not linear in the tangents is
        refused here.
        """
        return self._differentiate_by

    @jvp.setter
    @edge
    def jvp(self, rule: Any) -> None:
        hint = f"write @{self.name}.jvp above it, or {self.name}.jvp(rule)"
        raise TypeMismatch(f"the derivative rule of {self.name} is not assigned but given", here(), hint)

    @edge
    def _differentiate_by(self, rule: Rule) -> Rule:
        given: Any = getattr(rule, "body", rule)  # of an @fn too
        if not callable(given):
            what = f"the derivative of {self.name} is a function of Duals, not {shown(given)}"
            raise TypeMismatch(what, here(), f"write @{self.name}.jvp above a function")
        loc, count = _written(given), _arity(given)
        if count is not None and count != len(self.types):
            raise TypeMismatch(
                f"a derivative of {self.name} takes {len(self.types)} Duals, but {_name(given)} takes {count}",
                loc,
                f"one for each of {', '.join(self.names)}" if self.names else "it has no parameters",
            )
        func = self.func
        if self.captured:
            what = f"{self.name} uses {ir.a_traced(self.captured[0])} of the function around it"
            raise TypeMismatch(f"{what}, for which its derivative has no Dual", loc, "pass it in as a parameter")
        if func.jvp is not None:
            raise RoseError(f"{self.name} has a derivative rule already", loc, "give a function one rule")
        if any([k.__class__ is tuple and k[0] == "jvp" for k in func.memo]):
            hint = "give the rule right after the function, before rose.grad and the like are used on it or its callers"
            raise RoseError(f"the derivative of {self.name} was already made, without this rule", loc, hint)
        func.jvp = self._rule(given, loc)
        return rule

    def _rule(self, rule: Callable[..., Any], loc: Loc) -> Func:
        what = (f"what the derivative of {self.name} returns",)
        with ir.building(f"{self.name}.jvp") as b:
            b.loc, duals = loc, list[Any]()
            for t, name in zip(self.types, self.names, strict=True):
                re = b.param(t, name)
                duals.append(view_dual(re, b.param(tangent(t), f"d{name}") if t.real else b.zero(tangent(t))))
            b.loc = None
            convert: Callable[[Any, Loc], Value] = lambda x, at: b.tuple(split_dual(x, self.result, tangent, what, at))
            return finish(b, lambda: rule(*duals), convert, loc)

    def __get__(self, obj: Any, cls: Any = None) -> Any:
        """As a method, which gets the object as its first argument."""
        return self if obj is None else functools.partial(self, obj)


def _in_a_thread(work: Callable[[], None]) -> None:
    """Go on in another thread, which has room for more calls."""
    outer, failed = ir.builder(), list[BaseException]()

    def go_on() -> None:
        _thread.goes_on = True
        try:
            with ir.resumed(outer):
                work()
        except BaseException as e:
            failed.append(e)

    thread = threading.Thread(target=go_on)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


@contextmanager
def _room() -> Generator[None]:
    """Room on Python's stack for the frames of one more trace, so that its user has as much as ever."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 50)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def finish(b: Builder, body: Callable[[], Any], convert: Callable[[Any, Loc], Value], loc: Loc) -> Func:
    """The function that `body` records, unless it left a loop early. `convert` makes a value of what it returns.

    It was written at `loc`.
    """
    try:
        x = body()
    except RoseError as e:
        if b.failure is not None and b.failure.number < e.number:
            raise b.failure from None
        raise
    if b.failure is None and b.block is not b.root:
        hint = "write it as `for i in rose.range(n)`, which ends it"
        b.failure = RoseError("this loop is still open where its function ends", b.block.params[0].loc, hint)
    if b.failure is not None:
        raise b.failure
    b.loc = loc.narrow(errors.returned)
    return b.func(convert(x, b.loc))


def bind_arguments(name: str, names: Sequence[str], args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
    """One argument for each name, or an error that says which is wrong."""
    given = list(args)
    for k in names[len(given) :]:
        if k not in kwargs:
            break
        given.append(kwargs[k])
    if len(given) != len(names) or len(args) + len(kwargs) != len(names):
        raise not_one_each(name, names, len(args), kwargs)
    return given


# what can be known of a function by looking at it


def _name(f: Any) -> str:
    return getattr(f, "__name__", None) or shown(f)


def _written(f: Any) -> Loc:
    """Where a function was written; for one that is not the user's, where it was asked for."""
    code = getattr(f, "__code__", None)
    return here() if code is None or errors.is_ours(code.co_filename) else Loc(code, -1)


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


def _annotations(body: Any, scope: dict[str, Any]) -> tuple[list[Type], Type]:
    """The types in a function's annotations. Sizes may be local to the caller, hence `scope`."""
    if isinstance(body, type) or not inspect.isfunction(body):
        hint = "write a function around it: def f(x: Real) -> Real"
        if isinstance(body, type):
            hint = "@rose.struct makes a type of a class"
        raise TypeMismatch(f"{shown(body)} is no function of Python's with types for its parameters", here(), hint)
    loc, params, given = _written(body), inspect.signature(body).parameters, body.__annotations__
    for p in params.values():
        if p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) or p.default is not p.empty:
            what = {p.VAR_POSITIONAL: "any number of", p.VAR_KEYWORD: "any named", p.KEYWORD_ONLY: "named"}.get(p.kind)
            what = f"{body.__name__} takes {what} parameters" if what else f"{p.name} has a default"
            hint = "a compiled function has a fixed list of parameters, each of which is given at each call"
            raise TypeMismatch(what, loc.narrow(errors.parameter(p.name)), hint)
    if missing := [k for k in [*params, "return"] if k not in given]:
        what = ", ".join(["its result" if k == "return" else k for k in missing])
        what = " and ".join(what.rsplit(", ", 1))
        hint = "write `def f(x: Real, v: Vec[3]) -> Real`, or give the types: rose.fn([Real, Vec[3]], Real)(f)"
        if missing[0] == "self":
            hint = "make it a plain method, which is traced where it is called, or write it outside of the class"
        raise TypeMismatch(f"{body.__name__} needs a type for {what}", loc.narrow(errors.annotation(missing[0])), hint)
    _check_plain(body)
    cells = zip(body.__code__.co_freevars, body.__closure__ or (), strict=True)
    names = {**body.__globals__, **{k: c.cell_contents for k, c in cells if c != CellType()}, **scope}
    types = {k: _annotation(body.__name__, k, given[k], names, loc) for k in [*params, "return"]}
    return [types[k] for k in params], types["return"]


def _annotation(f: str, k: str, hint: Any, names: dict[str, Any], loc: Loc) -> Type:
    """The type that is written for a parameter, or for the result."""
    loc = loc.narrow(errors.annotation(k))
    try:
        while isinstance(hint, str):
            hint = eval(hint, names)
        return as_type(hint)
    except RoseError as e:
        raise e.at(loc) from None
    except Exception as e:
        of = f"the result of {f}" if k == "return" else k
        what = f"the type of {of} cannot be evaluated: {type(e).__name__}: {e}"
        said = "define it before the function; if it belongs to a function further out, write n = n where @fn stands"
        raise TypeMismatch(what, loc, said if isinstance(e, NameError) else "write Real, Vec[3], ...") from None


def _check_plain(body: Any) -> None:
    """That a function returns its result."""
    if inspect.isgeneratorfunction(body) or inspect.isasyncgenfunction(body) or inspect.iscoroutinefunction(body):
        said = "yields" if inspect.isgeneratorfunction(body) else "is async"
        what = f"{body.__name__} {said}, so a call of it is not its result"
        raise TypeMismatch(what, _written(body), "write a plain `def` that returns its result")


_NOTHING: Any = object()


@overload
def fn(body: Callable[P, R], /) -> Fn[P, R]: ...
@overload
def fn(types: Sequence[Any], result: Any, /) -> Callable[[Callable[..., Any]], Fn[..., Any]]: ...
@edge
def fn(body: Any = _NOTHING, result: Any = None, /) -> Any:
    """Make a function one that is traced, differentiated and compiled: `@fn`, with annotations.

    `rose.fn([params], ret)(f)` does the same without annotations.

    The function runs once, when it is first needed. What it reads of Python then (numbers, lists, globals, what it
    closes over) is part of it from there on: to change such data later has no effect. What changes is a parameter.
    """
    if isinstance(body, Fn):
        return body  # pyright: ignore[reportUnknownVariableType]
    if callable(body):
        made: Fn[..., Any] = Fn(body, *_annotations(body, errors.users_frame().f_locals))
        return made
    if not is_listing(body):
        what = "rose.fn takes a function, or a list of types and a type"
        what = f"{what}: nothing is given" if body is _NOTHING else f"{what}, not {shown(body)}"
        raise TypeMismatch(what, here(), "write @rose.fn without parentheses, or rose.fn([Real, Vec[3]], Real)(f)")
    types, out = [as_type(t) for t in body], as_type(result)

    @edge
    def decorate(f: Callable[..., Any]) -> Fn[..., Any]:
        count = _arity(f)
        _check_plain(f)
        if count is not None and count != len(types):
            what = f"{_name(f)} takes {count} parameter{'s' * (count != 1)}, and {len(types)} types are given for them"
            raise TypeMismatch(what, _written(f), "give one type for each parameter")
        return Fn(f, types, out)

    return decorate


class Opaque(Fn[P, R]):
    """A host function: its Python body runs in Python, and in JavaScript the page supplies one by name."""

    def __init__(self, body: Callable[P, R], types: Sequence[Type], result: Type, name: str, pure: bool) -> None:
        super().__init__(body, types, result, name)
        for t, k in zip((*types, result), (*self.names, "return"), strict=True):
            if t.linear:
                what, loc = f"{name}: an opaque function cannot see a {t!r}", self.loc.narrow(errors.annotation(k))
                raise TypeMismatch(what, loc, "write Real")
        with ir.building(name) as b:
            b.loc = self.loc
            for t, k in zip(self.types, self.names, strict=True):
                b.param(t, k)
        self._func = Func(name, b.root, result, pure=pure, impl=body)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return self.emit(self.bind(args, kwargs)) if ir.is_tracing() else self.body(*args, **kwargs)
        except Exception as e:
            hide_our_frames(e)
            raise


@overload
def opaque(body: Callable[P, R], /) -> Opaque[P, R]: ...
@overload
def opaque(*, name: str | None = None, pure: bool = False) -> Callable[[Callable[P, R]], Opaque[P, R]]: ...
@edge
def opaque(body: Any = None, /, *, name: Any = None, pure: bool = False) -> Any:
    """Make a host function callable from traced code, of any signature: `@opaque`.

    It becomes one import of the module, by its `name` (such as "Math.log"). Say `pure=True` if it has no
    effect and gives the same result for the same arguments: then calls may be shared and dropped.
    Its derivative must be given: `@f.jvp`.
    """
    if isinstance(body, str):
        loc = here().narrow(errors.argument(0, "body", 1))
        raise TypeMismatch(f"rose.opaque takes a function, not {shown(body)}", loc, f"write name={body!r}")
    if not isinstance(name, (str, NoneType)):
        raise TypeMismatch(f"the name of an import is a string, not {shown(name)}", here(), 'write name="Math.log"')
    scope = errors.users_frame().f_locals

    @edge
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
