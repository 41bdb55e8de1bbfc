"""`Fn` and `Opaque`: a user's function, its traced body, and the meaning of a call.

A function is traced once, when it is first needed: its body runs on values that record what is done to
them. Inside another trace a call of it is one instruction; outside, it compiles once and runs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast, overload

from .. import errors, ir
from ..autodiff.erase_tangents import untype
from ..errors import Loc, RoseError, TypeMismatch, edge, here, hide_our_frames
from ..host.marshal import plain
from ..ir import Builder, Func, Value, shown
from ..ir.hooks import above
from ..ir.progress import step, timed
from ..ir.sizes import bound, current, dims_of
from ..ir.types import Type, Unit, Vec, is_complex, tangent, untyped
from ..ir.value import bind_arguments, is_function
from .annotations import NotANumber
from .documentation import Documented
from .duals import mentions_tangent, split_dual, view_dual
from .eager import Now, at_once, mode, now
from .operators import view
from .pickling import again, by_value, is_global, unnamed, whole
from .randomness import nothing_drawn
from .signatures import arity, by_place, defaults_of, name_of, names_of, written
from .tracing import R, finish, in_a_thread, locked, no_collector, room_for_one_more, sealed
from .values import is_number, to_value

if TYPE_CHECKING:
    from .typed import AnyMap  # pyright: ignore[reportMissingModuleSource]

P = ParamSpec("P")
Rule = TypeVar("Rule", bound=Callable[..., Any])
MadeBy = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]  # a function, and its arguments

DEEPEST = 12_000  # functions traced one inside another
BY_ONE_THREAD = 300  # of these: each takes 3 of the 1,500 nested C calls that CPython 3.12 allows in a thread

_running: dict[AnyFn, None] = {}  # the functions being traced, outermost first: to name a cycle


def _has_function(args: Sequence[Any]) -> bool:
    return any([isinstance(x, Fn) for x in args])


def _mentions_function(args: Sequence[Any]) -> bool:
    """True if a function is among these, or in a list among them, as in `rose.stack([f, g])`."""
    return _has_function(args) or any([x.__class__ in (list, tuple) and _has_function(x) for x in args])


def _is_number_type(t: Type) -> bool:
    return t.scalar or is_complex(t)


def _shape(x: Any) -> tuple[Any, ...] | None:
    """The shape of an array of numbers, of a list of them, or of a number; None of anything else."""
    if isinstance(x, Value):
        t, sizes = x.type, list[Any]()
        while isinstance(t, Vec):
            sizes.append(t.size)
            t = t.elem
        return tuple(sizes) if _is_number_type(t) else None
    if x.__class__ in (list, tuple):
        inner = {_shape(y) for y in x} or {()}
        one = inner.pop()
        return None if inner or one is None else (len(x), *one)
    if is_number(x) or isinstance(x, complex):
        return ()
    shape, kind = getattr(x, "shape", None), getattr(getattr(x, "dtype", None), "kind", "")
    return shape if isinstance(shape, tuple) and kind in "biufc" else None  # pyright: ignore[reportUnknownVariableType]


def of_functions(f: AnyFn, args: Sequence[Any], named: dict[str, Any]) -> Any:
    """`f` composed with functions, and values bound."""
    return above().algebra.called(f, args, named)


def _with_options(f: Callable[..., Any], named: dict[str, Any]) -> Callable[..., Any]:
    one: Any = functools.partial(f, **named)
    one.__name__ = f.__name__
    return one


def of_values(f: Rule) -> Rule:
    """`f`, a function of values, as users call it. Of functions it makes one: `f` of what they give."""
    alone = edge(f)

    @edge
    def among(*args: Any, **named: Any) -> Any:
        return above().algebra.pointwise(_with_options(outer, named) if named else outer, *args)

    @functools.wraps(f)
    def outer(*args: Any, **named: Any) -> Any:
        try:
            try:
                return (among if _mentions_function(args) else alone)(*args, **named)
            except MeetsComplex:
                pass
            return above().complex.array_function(outer, args, named)
        except Exception as e:
            hide_our_frames(e)
            raise

    return cast("Rule", outer)


class MeetsComplex(Exception):
    """Raised, and caught, where a function of arrays meets complex numbers in the place of Reals."""


def _left(symbol: str) -> Callable[[Any, Any], Any]:
    return edge(lambda self, y: above().algebra.operator(symbol, self, y))


def _right(symbol: str) -> Callable[[Any, Any], Any]:
    return edge(lambda self, x: above().algebra.operator(symbol, x, self))


def _alone(symbol: str) -> Callable[[Any], Any]:
    return edge(lambda self: above().algebra.operator(symbol, self))


class Fn(Documented, NotANumber, Generic[P, R]):
    """A function over traced values: call it, differentiate it, compile it.

    `names` and `types` have the name and the type of each parameter, and `result` is the type of the result.
    """

    _what, _instead = "a function", "call it, as in f(x)"
    _public = "at jvp map name names on result types"
    __rose_function__ = True  # an operation on it is one on what it gives

    def __init__(
        self, body: Callable[..., Any], types: Sequence[Type], result: Type, name: str | None = None,
        names: Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        self.body, self.types, self.result = body, tuple(types), result
        self.name = name or getattr(body, "__name__", "fn")
        self.names = tuple(names if names is not None else names_of(body, len(types)))
        self.loc = written(body)
        self.sizes = current()  # the size of each `rose.dim` in the body
        self._derived = self.loc.code is not getattr(body, "__code__", None)  # not written by a user
        self.defaults = {} if self._derived else defaults_of(body, self.names)
        self._by_place = len(types) if self._derived else by_place(body, len(types))
        if self._derived:
            self.__module__ = getattr(body, "__module__", None) or "builtins"  # a ufunc of SciPy's has none
            self.__name__ = self.__qualname__ = self.name
        else:
            functools.update_wrapper(self, body)
        self._func: Func | None = None
        self._steps = not any([t.linear for t in (*self.types, result)])  # `rose.eager` runs its body on known values
        self._captured: tuple[Value, ...] = ()
        self._compiled: Callable[..., Any] | None = None
        self.rule: Any = None  # the derivative that a user gave,
        self._pending: Any = None  # and that is not traced yet
        self._taking = False
        self.results: dict[Any, Any] = {}  # of transforms, made of this function: see `transforms.remembered`
        self.made_by: MadeBy | None = None  # the call that gave it, if it can be made again so

    def __repr__(self) -> str:
        default: Callable[[str], str] = lambda n: f" = {self.defaults[n]!r}" if n in self.defaults else ""
        params = ", ".join(f"{n}: {t!r}{default(n)}" for n, t in zip(self.names, self.types, strict=True))
        return f"<fn {self.name}({params}) -> {self.result!r}>"

    @property
    @edge
    def func(self) -> Func:
        """The function of the IR: traced now, if it has not been yet."""
        return self._traced()

    def _traced(self) -> Func:
        if self._func is None or self._pending is not None:
            with locked(), nullcontext() if _running else no_collector():
                if self._func is None:
                    self._trace()
                self._take_up_rule()
        assert self._func is not None
        return self._func

    def _take_up_rule(self) -> None:
        """Trace the derivative rule of a function that was pickled. The rule may call the function."""
        if self._pending is not None and not self._taking:
            self._taking = True
            given = self.checked_rule(self._pending)
            self.func.mark(jvp=self._rule(given, written(given)))
            self._pending = None

    @property
    def is_derived(self) -> bool:
        """True if it was made by us, and not written by a user."""
        return self._derived

    @property
    def is_traced(self) -> bool:
        return self._func is not None

    @property
    def captured(self) -> tuple[Value, ...]:
        """The free variables: values of the functions around this one, which each call passes along."""
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
                in_a_thread(self._trace_body)
        except RecursionError as e:
            hint = (
                "end the recursion by a condition that Python knows (rose.select needs both values), or allow more by "
            )
            hint += "sys.setrecursionlimit"
            what = f"{self.name} recurs without end, or deeper than Python allows"
            raise RoseError(what, errors.repeated(e), hint) from None
        except RoseError as e:
            raise (e.at(self.loc) if self._derived and e.loc == asked else e) from None
        finally:
            del _running[self]

    def _trace_body(self) -> None:
        with timed("trace"), room_for_one_more(), bound(self.sizes), ir.building(self.name, inside=True) as b:
            with nullcontext() if self._derived else nothing_drawn(self.name, self.body):
                made = self._record(b)
            self._func = sealed(b, made)
            self._captured = tuple(b.captured)
            step("trace")

    def _endless(self) -> RoseError:
        names = [f.name for f in _running]
        if self in _running:
            cycle = " -> ".join([*names[list(_running).index(self) :], self.name])
            hint = "break the cycle: @fn functions have none; a plain Python function may recur, over host data"
            return RoseError(f"{self.name} calls itself: {cycle}", here(), hint)
        row = " -> ".join([*names[-3:], self.name])
        hint = "trace the inner functions first, with f.func, if that ends; if not, end it by a condition Python knows"
        return RoseError(f"more than {DEEPEST:,} functions need one another in a row: ... -> {row}", here(), hint)

    def _record(self, b: Builder) -> Func:
        b.loc = self.loc
        args = [view(b.param(t, name)) for t, name in zip(self.types, self.names, strict=True)]
        b.loc = self.loc if self._derived else None
        return finish(b, lambda: self._applied(args), self._returned, self.loc)

    def _applied(self, args: Sequence[Any]) -> Any:
        """The body on these arguments: those of keyword-only parameters go by name."""
        n = self._by_place
        return self.body(*args[:n], **dict(zip(self.names[n:], args[n:], strict=True)))

    def _returned(self, x: Any, loc: Loc) -> Value:
        what = f"the result of {self.name}"
        if x is None and self.result is not Unit:
            raise TypeMismatch(f"{what} must be a {self.result!r}, got None", loc, "end it with `return` and a value")
        return to_value(x, self.result, (what,), loc)

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    @overload
    def __call__(self, f: AnyMap, /, *fs: Any, **options: Any) -> Any: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            if ir.is_tracing():
                return self._in_a_trace(args, kwargs)
            if mode.on:
                return self._at_once(self.bind(args, kwargs))
            if self._compiled is None:
                if _has_function(args):
                    return of_functions(self, args, kwargs)
                self._compiled = above().runtime.run(self)
            return self._compiled(*args, **kwargs)
        except Exception as e:
            if self._compiled is None or not _has_function(args):  # else it is no number: looked for where it is rare
                try:
                    if isinstance(e, TypeMismatch) and not ir.is_tracing() and self._spreads(args, kwargs):
                        return self._spread(args, kwargs)
                    self._check_constants(kwargs)
                except RoseError as better:
                    hide_our_frames(better)
                    raise
                hide_our_frames(e)
                raise
        return of_functions(self, args, kwargs)

    def _in_a_trace(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        if _has_function(args):
            return of_functions(self, args, kwargs)
        try:
            return self.emit(self.bind(args, kwargs))
        except TypeMismatch:
            if not self._spreads(args, kwargs):
                raise
        return self._spread(args, kwargs)

    def _spreads(self, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
        """Whether it is a function of numbers to a number, called with arrays: then it is one of their elements."""
        if not all([_is_number_type(t) for t in (*self.types, self.result)]):
            return False
        given = [_shape(x) for x in (*args, *kwargs.values())]
        return any(given) and None not in given

    @edge
    def _spread(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """The results for the elements of arrays, which are broadcast as those of NumPy's ufuncs."""
        return above().runtime.elementwise(self, self.bind(args, kwargs))

    def _check_constants(self, named: dict[str, Any]) -> None:
        """Refuse that a call gives what is a constant of the program: a parameter with a default and no type."""
        written = getattr(getattr(self.body, "__code__", None), "co_varnames", ())
        for k in named:
            if k in written and k not in self.names and k in inspect.signature(self.body).parameters:
                hint = f"make a function for each {k}, in a Python function that takes it: def make({k})"
                what = f"{k} is a constant of {self.name}, known when it is traced: a call cannot give another"
                raise TypeMismatch(what, here(), hint) from None

    @edge
    def at(self, **sizes: int) -> Fn[P, R]:
        """The instance for these sizes, of a function with a `rose.dim` in its types: `f.at(n=3)`."""
        for k in sizes:
            hint = "write a rose.dim in the types of the parameters: it is a size"
            raise TypeMismatch(f"{self.name} has no size {k}", here(), hint)
        return self

    @edge
    def map(self, *args: Any, in_axes: Any = 0, threads: int | None = None, executor: Any = None) -> Any:
        """The results for a batch of arguments, as those of `rose.compile(f).map`; the function is compiled once.

        Each argument is an array or a list with one element for each call, or one number for all calls. `in_axes` has
        the axis of each argument, None for one that is the same for all calls: `f.map(xs, table, in_axes=(0, None))`.
        In another function it is `rose.vmap(f, in_axes)(...)`, a loop, without threads.
        """
        options = {"threads": threads, "executor": executor}
        return above().runtime.map(self, args, in_axes, {k: x for k, x in options.items() if x is not None})

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """The arguments in the order of the parameters, keyword arguments included."""
        return bind_arguments(self.name, self.names, args, kwargs, self.defaults)

    def emit(self, args: Sequence[Any]) -> Any:
        """A call, in the function that is being traced."""
        b, at = ir.current_builder(), now()
        if at is not None and self._steps:
            return view(self._step(at, self._values(args, self.types)))
        func, types = self._traced(), self.types
        if any(t.linear for t in types) and not mentions_tangent(list(args)):
            # outside a derivative rule a tangent is a number like any other
            func, types = untype(func), tuple([untyped(t) for t in types])
        return view(b.call(func, [*self._values(args, types), *[b.reach(v) for v in self._captured]]))

    def _values(self, args: Sequence[Any], types: Sequence[Type]) -> list[Value]:
        loc, values = here(), list[Value]()
        for k, (x, t, n) in enumerate(zip(args, types, self.names, strict=True)):
            if x.__class__ is Value and x.type is t:
                values.append(x)
                continue
            values.append(to_value(x, t, (n,), loc.narrow(errors.argument(k, n, len(types)))))
        return values

    def _step(self, b: Now, values: Sequence[Value]) -> Value:
        """The result of the body on values that are known."""
        args = [view(b.known(v.type, v.number, n)) for v, n in zip(values, self.names, strict=True)]
        with bound(self.sizes), errors.nothing_swallowed():
            return self._returned(self._applied(args), self.loc.narrow(errors.returned))

    def _at_once(self, args: Sequence[Any]) -> Any:
        """A call outside of any trace, evaluated without compiling."""
        types, result = [untyped(t) for t in self.types], untyped(self.result)
        numbers = [plain(x, t, (n,)) for x, t, n in zip(args, types, self.names, strict=True)]
        return above().runtime.present(at_once(types, numbers, lambda xs: to_value(self.emit(xs), result)), result)

    @property
    def jvp(self) -> Callable[[Rule], Rule]:
        """Register a derivative rule: from one `Dual[T]` for each parameter to a `Dual` of the result: `@f.jvp`.

        Reverse mode and all higher orders follow from it. A rule that is not linear in the tangents is
        refused here, with `NotLinear`.
        """
        return self._differentiate_by

    @jvp.setter
    @edge
    def jvp(self, rule: Any) -> None:
        hint = f"write @{self.name}.jvp above it, or {self.name}.jvp(rule)"
        raise TypeMismatch(f"the derivative rule of {self.name} cannot be assigned", here(), hint)

    @edge
    def _differentiate_by(self, rule: Rule) -> Rule:
        given = self.checked_rule(rule)
        loc = written(given)
        func = self.func
        if self.captured:
            what = f"{self.name} uses {ir.a_traced(self.captured[0])} of the function around it"
            raise TypeMismatch(f"{what}, for which its derivative has no Dual", loc, "pass it in as a parameter")
        if func.has_rule:
            raise RoseError(f"{self.name} has a derivative rule already", loc, "give a function one rule")
        if func.differentiated:
            hint = "give the rule right after the function, before rose.grad and its kin are used on it or its callers"
            raise RoseError(f"the derivative of {self.name} was already made, without this rule", loc, hint)
        func.mark(jvp=self._rule(given, loc))
        self.rule = rule
        return rule

    def differentiate_later(self, rule: Callable[[], Callable[..., Any]]) -> None:
        """Register the derivative rule that `rule()` gives when a derivative is first asked for."""
        self.func.mark(jvp=ir.Later(lambda: self._rule(rule(), self.loc)))

    def checked_rule(self, rule: Any) -> Callable[..., Any]:
        """The derivative rule, checked to take one Dual for each parameter."""
        given: Any = getattr(rule, "body", rule)  # of an @fn too
        if not is_function(given):
            what = f"the derivative rule of {self.name} is a function of Duals, not {shown(given)}"
            raise TypeMismatch(what, here(), f"write @{self.name}.jvp above a function")
        count = arity(given)
        if count is not None and count != len(self.types):
            takes = f"{len(self.types)} Dual{'s' * (len(self.types) != 1)}, but {name_of(given)} takes {count}"
            hint = f"take one for each of {', '.join(self.names)}" if self.names else "take no parameters"
            raise TypeMismatch(f"a derivative rule of {self.name} takes {takes}", written(given), hint)
        return given

    def _rule(self, rule: Callable[..., Any], loc: Loc) -> Func:
        what = (f"the result of the derivative rule of {self.name}",)
        with bound(self.sizes), ir.deriving(self.func, "jvp") as b:
            b.loc, duals = loc, list[Any]()
            for t, name in zip(self.types, self.names, strict=True):
                re = b.param(t, name)
                duals.append(view_dual(re, b.param(tangent(t), f"d{name}") if t.real else b.zero(tangent(t))))
            b.loc = None
            convert: Callable[[Any, Loc], Value] = lambda x, at: b.tuple(split_dual(x, self.result, tangent, what, at))
            return finish(b, lambda: rule(*duals), convert, loc)

    # of functions: what operators make of them is a function again

    __add__, __radd__, __sub__, __rsub__ = _left("+"), _right("+"), _left("-"), _right("-")
    __mul__, __rmul__, __truediv__, __rtruediv__ = _left("*"), _right("*"), _left("/"), _right("/")
    __pow__, __rpow__, __matmul__, __rmatmul__ = _left("**"), _right("**"), _left("@"), _right("@")
    __lt__, __le__, __gt__, __ge__ = _left("<"), _left("<="), _left(">"), _left(">=")
    __neg__, __abs__ = _alone("neg"), _alone("abs")

    @edge
    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, **named: Any) -> Any:
        name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        return above().algebra.ufunc(name, operands, named)

    @edge
    def __array_function__(self, f: Any, _: Any, operands: tuple[Any, ...], named: dict[str, Any]) -> Any:
        return above().algebra.array_function(f, operands, named)

    @edge
    def on(self, *grids: Any) -> AnyFn:
        """The function with a grid for each argument, or None: what `F.integrate` sums over if no grid is given."""
        return above().algebra.on(self, *grids)

    def __get__(self, obj: Any, cls: Any = None) -> Any:
        """The function bound to `obj`, its first argument, as a method is."""
        return self if obj is None else functools.partial(self, obj)

    # pickles, and copies: a function does not change, so a copy is the function

    def __copy__(self) -> Fn[P, R]:
        return self

    def __deepcopy__(self, _: Any) -> Fn[P, R]:
        return self

    @edge
    def __reduce_ex__(self, _: Any) -> Any:
        if self.made_by is not None:
            return again, self.made_by, {"rule": self.rule}
        dumps = by_value()
        if (dumps is None or self.__module__ != "__main__") and is_global(self):
            return self.__qualname__
        if dumps is None:
            raise unnamed(self, self.name)
        return whole(self, dumps) or (_blank, (type(self),), self._state())

    def _state(self) -> dict[str, Any]:
        """The parts of the function, for a pickle."""
        values = self.body, self.types, self.result, self.name, self.names
        if self._captured:
            what = f"{self.name} uses {ir.a_traced(self._captured[0])} of the function around it, and cannot be pickled"
            raise RoseError(what, here(), "pass it in as a parameter")
        return {"made_of": values, "sizes": self.sizes, "rule": self.rule}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if self.made_by is None:
            with bound(state["sizes"]):
                self._fill(*state["made_of"])
        if self.rule is None:
            self.rule = self._pending = state["rule"]

    def _fill(self, *made_of: Any) -> None:
        """Make a function of what `_state` gave."""
        Fn.__init__(self, *made_of)  # pyright: ignore[reportUnknownMemberType]


def _blank(cls: type[Fn[..., Any]]) -> Fn[..., Any]:
    """A function of which a pickle has not told the parts yet: they may refer to it."""
    f = cls.__new__(cls)
    f.made_by = f.rule = None
    return f


class Opaque(Fn[P, R]):
    """A host function: in Python its body runs, and in JavaScript the page supplies a function of its name."""

    def __init__(self, body: Callable[P, R], types: Sequence[Type], result: Type, name: str, pure: bool) -> None:
        super().__init__(body, types, result, name)
        if self._by_place < len(types):
            loc = self.loc.narrow(errors.parameter(self.names[self._by_place]))
            raise TypeMismatch(f"{name} takes named parameters", loc, "leave out the *: it is called by place")
        for t, k in zip((*types, result), (*self.names, "return"), strict=True):
            if sizes := dims_of(t):
                what, loc = f"{name}: an opaque function has fixed sizes, and {sizes[0]!r} is any size", self.loc
                hint = f"write a Python function that takes {sizes[0]!r} and returns an @opaque"
                raise TypeMismatch(what, loc.narrow(errors.annotation(k)), hint)
            if t.linear:
                what, loc = f"{name}: an opaque function cannot see a {t!r}", self.loc.narrow(errors.annotation(k))
                raise TypeMismatch(what, loc, "write Real")
        with ir.building(name) as b:
            b.loc = self.loc
            for t, k in zip(self.types, self.names, strict=True):
                b.param(t, k)
        self._func, self._steps = Func(name, b.root, result, pure=pure, kind=ir.Opaque(body)), False

    def _state(self) -> dict[str, Any]:
        made_of = self.body, self.types, self.result, self.name, self.func.pure
        return {**super()._state(), "made_of": made_of}

    def _fill(self, *made_of: Any) -> None:
        Opaque.__init__(self, *made_of)  # pyright: ignore[reportUnknownMemberType]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return self.emit(self.bind(args, kwargs)) if ir.is_tracing() else self.body(*args, **kwargs)
        except Exception as e:
            hide_our_frames(e)
            raise


AnyFn = Fn[..., Any]


def checked(f: Any, what: str, at: Loc | None = None, which: str = "") -> AnyFn:
    """`f`, if it is an `@fn` function, as `rose.<what>` takes; a TypeMismatch at `at` if it is not."""
    if not isinstance(f, Fn):
        message = f"rose.{what} takes an @fn function{which}, not {shown(f)}"
        is_lambda = getattr(f, "__name__", "") == "<lambda>"
        hint = "write rose.fn([Real], Real)(lambda x: ...), with its types" if is_lambda else "mark it with @rose.fn"
        raise TypeMismatch(message, at or here(), hint)
    return f  # pyright: ignore[reportUnknownVariableType]


def make(body: Callable[..., Any], types: Sequence[Type], result: Type, name: str, names: Sequence[str]) -> AnyFn:
    """A function that was derived, not written by a user."""
    return Fn(body, types, result, name, names)


def from_func(f: Func, names: Sequence[str]) -> AnyFn:
    """The `Fn` of a function of the IR."""
    made = make(lambda *_: None, [p.type for p in f.params], f.result, f.name, names)
    made._func, made._steps = f, False  # pyright: ignore[reportPrivateUsage]
    return made
