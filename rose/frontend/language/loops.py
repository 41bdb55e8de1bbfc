"""Loops: `range`, and the vectors, sums and folds over it. A loop's body is traced once, and never unrolled.

An iterator of `range(n)` gives one traced index. The instructions recorded until it is asked for the next one are the
body of the loop; then it closes the loop. `vec`, `sum` and the folds take the one item that
a generator over `range` gives, and close the loop by asking for another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ...errors import Loc, OutOfRange, RoseError, TypeMismatch, argument, edge, here, users_frame
from ...host.marshal import as_given
from ...ir import Block, Builder, Loop, Value, a_traced, current_builder, ops, shown, types
from ...ir.numbers import digits
from ...ir.sizes import LARGEST, Size, at_most, differ, minus, open_size, plus, quotient
from ...ir.types import Fin, Real, Tan, Tuple, is_complex
from ...ir.value import host_index
from .. import operators
from ..arrays import reductions
from ..arrays.kinds import summed_as
from ..eager import Now, now
from ..function import of_values
from ..index_expressions import bound_of, literal
from ..operators import view
from ..values import infer, to_value


class _Loop:
    """An open loop, and the result that its consumer asks for: a vector, or a state carried through iterations."""

    __slots__ = ("around", "bounds", "init", "item", "last", "param", "result")

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.item: Value | None = None  # the item of a vector
        self.init: Value | None = None  # the state before the loop,
        self.param: Value | None = None  # at the start of an iteration,
        self.last: Value | None = None  # and at its end
        self.around: _Loop | None = None  # the loop around this one that carries the same state
        self.result: Value | None = None  # of the loop, once it is closed


_open: dict[Block, _Loop] = {}


@edge
def range(start: Any, stop: Any = None, step: Any = 1) -> Iterator[Any]:
    """The indices 0, ..., n - 1, as one traced index: `for i in rose.range(n)` is one loop.

    With two arguments, `rose.range(a, b)`, the indices a, ..., b - 1; none if `b` is not above `a`. A bound is a Python
    integer, or an index: that of another loop, a parameter of type `Fin[n]`, a sum or difference of such, or
    `rose.min` or `rose.max` of two. Then the loop has as many iterations as that index says when the function runs;
    `rose.sum`, `rose.prod`, `rose.scan` and `for` go over it, and a vector, whose size is known before, cannot.

    With a third, every `step`-th of them from `a` on, as in Python. It is an integer other than 0; below 0 the indices
    go down, as in `rose.range(n - 1, -1, -1)`.

    The loop's body runs once, to be recorded; it may not be left with `break`, `return` or an exception.
    """
    loc = here()
    if stop is None:
        bounds = bounds_of(0, start, "rose.range", loc.narrow(argument(0, "start", 1)))
    else:
        ats = [loc.narrow(argument(k, name, 2, 3)) for k, name in enumerate(("start", "stop", "step"))]
        bounds = bounds_of(start, stop, "rose.range", ats[0], ats[1], _step(step, ats[2]))
    if now() is None:
        _ = current_builder()  # there is no loop outside of a trace
    return Indices(bounds)


class Indices(Iterator[Any]):
    """The indices of a range. As of Python's, each `for` over them is a loop of its own, in another one of them too."""

    __slots__ = ("begun", "bounds")

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.begun: Iterator[Any] | None = None  # a loop whose indices are asked for one by one

    def __iter__(self) -> Iterator[Any]:
        begun, self.begun = self.begun, None
        return self._loop() if begun is None else begun

    def __next__(self) -> Any:
        if self.begun is None:
            self.begun = self._loop()
        return next(self.begun)

    def _loop(self) -> Iterator[Any]:
        b = now()
        return _range(current_builder(), self.bounds) if b is None else _iterations_now(b, self.bounds)


def _iterations_now(b: Now, bounds: Bounds) -> Iterator[Any]:
    """The iterations of a loop that is evaluated eagerly. An empty generator is traced, for the type of its items."""
    indices = b.indices(bounds.size, bounds.span)
    first = next(indices, None)
    if first is not None:
        yield bounds.seen(b, first)
        for i in indices:
            yield bounds.seen(b, i)
    elif users_frame().f_code.co_name == "<genexpr>":
        yield from _range(b, bounds)


def range_of(items: Any, *, evaluated: bool = False) -> Bounds | None:
    """The bounds of `items`, if it is a `range` that has not begun, traced or also `evaluated`; else None."""
    if not isinstance(items, Indices) or items.begun is not None or not (evaluated or now() is None):
        return None
    return items.bounds


class Bounds(NamedTuple):
    """The iterations of a loop: for the indices below `size`, or for those in a span of them."""

    size: Any
    span: Value | None = None
    first: Any = 0  # what the first index is to a user
    step: int = 1  # and how far it is to the next
    ends: tuple[Value, Value] | None = None  # if they are traced: the least index, and the one after the largest

    def opened(self, b: Builder) -> Value:
        """The index of the loop whose block is open, and its span, as parameters; and the index as a user sees it."""
        i = b.param(Fin(self.size))
        if self.span is not None:
            b.param(self.span.type)
        return self.seen(b, i)

    def seen(self, b: Builder, i: Value) -> Value:
        """The index as a user sees it, of that of the loop."""
        far = b.emit(ops.imul, (i, literal(abs(self.step)))) if abs(self.step) != 1 else i
        if self.ends is not None:
            return self._between(b, far, *self.ends)
        if self.step < 0:
            return b.emit(ops.ifrom, (far, literal(self.first)))
        return b.emit(ops.iadd, (far, literal(self.first))) if self.first else far

    def _between(self, b: Builder, far: Value, low: Value, high: Value) -> Value:
        """The index that is so far from the first one: as a distance from the last index that the types allow."""
        n = _last_of(high)
        last = b.const(minus(n, 1), Fin(n))
        if self.step < 0:
            rest = b.emit(ops.iadd, (b.emit(ops.ibeyond, (b.const(n, high.type), high)), far))
        else:
            rest = b.emit(ops.ibeyond, (b.emit(ops.ibeyond, (last, low)), far))
        return b.emit(ops.ibeyond, (last, rest))


def iterations_of(n: Any, name: str, loc: Loc) -> Bounds:
    """The iterations of a loop over a `rose.range`, or over as many indices as are asked for."""
    bounds = range_of(n, evaluated=True)
    return bounds_of(0, n, name, loc) if bounds is None else bounds


def bounds_of(start: Any, stop: Any, name: str, loc: Loc, stop_at: Loc | None = None, step: int = 1) -> Bounds:
    """The iterations from `start` to before `stop`, checked."""
    stop_at = stop_at or loc
    if step > 0:
        low, high = _bound(start, name, loc, first=True), _bound(stop, name, stop_at)
    else:  # from the last of these to the first
        low, high = _bound(stop, name, stop_at, more=1), _bound(start, name, loc, more=1)
    if isinstance(low, int) and isinstance(high, int):
        count = -((low - high) // abs(step))
        return Bounds(count, None, low if step > 0 else high - 1, step) if count > 0 else Bounds(0)
    if not isinstance(low, Value) and not isinstance(high, Value) and not differ(low, 0):
        return Bounds(_over(high, abs(step)), None, minus(high, 1) if step < 0 else 0, step)
    low, high = [x if isinstance(x, Value) else literal(x) for x in (low, high)]
    if not differ(n := _last_of(high), 0):
        return Bounds(0)
    b = current_builder()
    if step == 1:
        return Bounds(n, b.span(n, low, high))
    count = b.emit(ops.ibeyond, (high, low))
    if abs(step) > 1:
        count = b.emit(ops.idiv, (b.emit(ops.iadd, (count, literal(abs(step) - 1))), literal(abs(step))))
    size = _last_of(count)
    return Bounds(size, b.span(size, literal(0), count), step=step, ends=(low, high))


def _over(n: Any, step: int) -> Any:
    """How many of `n` indices are multiples of the step."""
    return n if step == 1 else quotient(plus(n, step - 1), step)


def _last_of(end: Value) -> Any:
    """The largest number that an end of a range can be, by its type."""
    assert isinstance(end.type, Fin)
    n = end.type.size
    return minus(n, 1) if at_most(1, n) else n  # a dynamic size may be 0, and then there is no such index


def _step(x: Any, loc: Loc) -> int:
    k = host_index(x)
    if k is None:
        what = f"the step of rose.range is an integer, not {a_traced(x) if isinstance(x, Value) else shown(x)}"
        raise TypeMismatch(what, loc, "write a number, such as 2 or -1: it is the same in each iteration")
    if k == 0 or abs(k) >= LARGEST:
        hint = "write 1 for each index, 2 for every second one, -1 for the way down"
        raise OutOfRange(f"the step of a range cannot be {digits(k)}", loc, hint)
    return k


def _bound(x: Any, name: str, loc: Loc, *, first: bool = False, more: int = 0) -> int | Size | Value:
    """A bound of a range, and `more`: a host integer, a size that is known when the module runs, or an index."""
    if (size := open_size(x)) is not None:
        return plus(size, more)
    k = host_index(x)
    if k is None and isinstance(x, Value) and (found := bound_of(x, more)) is not None:
        if first and not found.natural:
            hint = f"write {name}(rose.max(a, 0), b) for {name}(a, b)"
            raise OutOfRange("the first index of this range may be below zero", loc, hint)
        return found.value
    if k is None:
        what = a_traced(x) if isinstance(x, Value) else shown(x)
        hint = "write an integer, such as len(v), or an index: of a loop, or a Fin[n] that is a parameter or data"
        raise TypeMismatch(f"{name} takes an integer, not {what}", loc, hint)
    if not 0 <= k + more < LARGEST:
        what = f"a range cannot {'start at' if first else 'come to'} {digits(k)}" if first or more else ""
        hint = f"write a number from {-more} to {LARGEST - 1 - more}"
        raise OutOfRange(what or f"a loop cannot have {digits(k)} iterations", loc, hint)
    return k + more


def _range(b: Builder, bounds: Bounds) -> Iterator[Any]:
    loc = here()
    outer = b.block
    b.block = block = Loop(outer)
    _open[block] = loop = _Loop(bounds)
    wrong = "this loop was left before its end, by break, return or an exception"
    hint = "choose with rose.select: the body of a loop over rose.range is traced once, and runs n times"
    try:
        yield bounds.opened(b)
        wrong = "" if b.block is block else "this loop ends before one that began inside of it"
        if wrong:
            hint = "nest loops, or use one index for both"
        else:
            _close(b, loop, block)
    finally:
        b.block = outer
        del _open[block]
        if wrong and b.failure is None:
            b.failure = RoseError(wrong, loc, hint)


def _close(b: Builder, loop: _Loop, block: Loop) -> None:
    span = loop.bounds.span
    results = [r for r in (loop.last, loop.item) if r is not None]
    block.results = (*([] if span is None else block.states[:1]), *[b.reach(r) for r in results])
    assert block.parent is not None
    b.block = block.parent
    states, outs = b.close(block, [s for s in (span, loop.init) if s is not None])
    loop.result = states[-1] if loop.init is not None else outs[0] if outs else None
    if loop.around is not None:
        loop.around.last = loop.result


class _Source:
    """The items that a consumer is given: one from the loops that it opened, or each of a Python iterable."""

    def __init__(self, items: Any, consumer: str) -> None:
        self.name, self.b = f"rose.{consumer}", current_builder()
        self.at = at = here().narrow(argument(0, "items", 1))
        v = as_given(items, at)
        if isinstance(v, Value):
            if not isinstance(v.type, types.Vec):
                message = f"{self.name} goes through a vector, not {a_traced(v)}"
                raise TypeMismatch(message, at, f"give it a list: {self.name}([x, y])")
            items = (view(self.b.index(v, i)) for i in range(v.type.size))
        if getattr(items, "shape", None) == () or not isinstance(items, Iterable):
            message = f"{self.name} goes through a vector or a generator, not {shown(items)}"
            raise TypeMismatch(message, at, f"write {self.name}(... for i in rose.range(n))")
        given: Iterable[Any] = items  # pyright: ignore[reportUnknownVariableType]
        self.outer, self.rest = self.b.block, iter(given)
        self.type: types.Type | None = None  # of the items of a loop that is evaluated eagerly, and has no iterations
        if now() is not None:
            self.rest = self.evaluated(self.rest)
        self.first = next(self.rest, _NOTHING)
        self.loops: list[_Loop] = []  # the loops that the generator opened, innermost first
        self.blocks: list[Block] = []
        block: Block | None = self.b.block
        while block is not None and block is not self.outer:
            self.blocks.append(block)
            self.loops.append(_open[block])
            block = block.parent

    def evaluated(self, items: Iterator[Any]) -> Iterator[Any]:
        """The items that are evaluated, and not those that are traced for their type: of loops without iterations."""
        for x in items:
            if self.b.block is self.outer:
                yield x
            else:
                self.type = infer(x).type

    def items(self) -> list[Any]:
        """All items of a Python iterable: no loop."""
        return [] if self.first is _NOTHING else [self.first, *self.rest]

    def finish(self) -> None:
        """Close the loops."""
        for _ in self.rest:
            hint = f"write {self.name}(item for i in rose.range(n))"
            raise TypeMismatch(f"{self.name} was given a second item by a loop over rose.range", here(), hint)


_NOTHING = object()


@edge
def vec(items: Iterable[Any]) -> Any:
    """The vector of the items of `items`: `vec(2 * x[i] for i in rose.range(n))`.

    Of a list, or of a generator over Python's own range, the vector of those elements, without a loop.
    """
    source = _Source(items, "vec")
    if source.type is not None and source.first is _NOTHING:
        return view(source.b.zero(types.Vec(0, source.type)))
    if not source.loops:
        return infer(source.items(), source.at)
    if len(source.loops) > 1:
        hint = "nest them: rose.vec(rose.vec(... for j in rose.range(m)) for i in rose.range(n))"
        raise TypeMismatch("rose.vec was given a generator over two loops", here(), hint)
    loop = source.loops[0]
    check_length(loop.bounds, "rose.vec")
    loop.item = infer(source.first)
    source.finish()
    assert loop.result is not None
    return loop.result


@of_values
def sum(
    items: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    """The sum of all elements of an array, or along axes; or of the items of a generator, in the order of indices.

    The items of a generator, a list or a vector of structs may be vectors or structs: their sum is one, too. It is 0
    of none. Terms are added to one accumulator, which begins at 0, or at `initial`. A condition counts as 1 or 0.
    With `dtype=int` the whole parts of the elements are added, towards zero.
    """
    items = summed_as(items, dtype, "sum")
    if (x := reductions.with_axes(items, "sum", axis, keepdims, initial, where)) is not None:
        return reductions.total(x, axis, keepdims, initial, where)
    source = _Source(items, "sum")
    b = source.b
    if not source.loops:
        values = [_summand(x, source.at) for x in source.items() or [b.zero(source.type or Real)]]
        ref = b.accum(b.zero(values[0].type))
        for v in values:
            b.add_to(ref, to_value(v, values[0].type, ("an item of rose.sum",)))
        return view(b.freeze(ref))
    v = _summand(source.first)
    inner, b.block = b.block, source.outer
    ref = b.accum(b.zero(v.type))
    b.block = inner
    b.add_to(ref, v)
    source.finish()
    return view(b.freeze(ref))


def _summand(x: Any, loc: Loc | None = None) -> Value:
    v = operators.as_real(infer(x, loc))
    check_summable(v, loc)
    return v


def check_summable(v: Value, loc: Loc | None = None) -> None:
    """Check that `v` consists of Reals, or tangents; else it is a TypeMismatch at `loc`."""
    if not _is_summable(v.type):
        hint = "sum Reals, or vectors and structs of them; count with rose.select(condition, 1.0, 0.0)"
        raise TypeMismatch(f"{a_traced(v)} cannot be summed", loc or here(), hint)


def _is_summable(t: types.Type) -> bool:
    if isinstance(t, types.Vec):
        return _is_summable(t.elem)
    return all(map(_is_summable, t.items)) if isinstance(t, Tuple) else t is Real or t is Tan or t.empty


@of_values
def prod(
    items: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    """The product of all elements of an array, or along axes; or of the items of a generator; 1 of none."""
    items = summed_as(items, dtype, "prod")
    if (x := reductions.with_axes(items, "prod", axis, keepdims, initial, where)) is not None:
        return reductions.product(x, axis, keepdims, initial, where)
    return _reduce(items, 1.0, operators.multiply, "prod")


@of_values
def min(*items: Any, axis: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    """The smallest element of an array, or along axes; or of the items of a generator; or of several arguments.

    Several arguments may be arrays, which are broadcast. At a tie of two each has half of the derivative.
    """
    return _extreme(items, float("inf"), ops.min_, "min", (axis, keepdims, initial, where))


@of_values
def max(*items: Any, axis: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    """The largest element of an array, or along axes; or of the items of a generator; or of several arguments.

    Several arguments may be arrays, which are broadcast. At a tie of two each has half of the derivative.
    """
    return _extreme(items, float("-inf"), ops.max_, "max", (axis, keepdims, initial, where))


def _extreme(
    items: tuple[Any, ...], start: float, op: Callable[[Any, Any], Any], name: str, asked: tuple[Any, Any, Any, Any]
) -> Any:
    """The extreme of items, or of an array, if `axis` and its kind are `asked` for, or it has rank 0 or 2."""
    if (x := reductions.with_axes(items[0] if len(items) == 1 else None, name, *asked)) is not None:
        return reductions.extreme(x, name, *asked)
    if len(items) == 1:
        return _reduce(items[0], start, op, name)
    return _fold(items, op) if items else _nothing(name)


def _fold(items: Iterable[Any], op: Callable[[Any, Any], Any]) -> Any:
    out, *rest = items
    for x in rest:
        out = op(out, x)
    return out


def _nothing(name: str) -> Any:
    raise OutOfRange(f"rose.{name} of nothing", here(), "give it at least one number")


def check_length(bounds: Bounds, name: str) -> None:
    """Check that the elements of a vector can be counted before the function runs."""
    if bounds.span is not None:
        hint = f"make all {bounds.size} elements, and choose with rose.select which of them count"
        raise TypeMismatch(
            f"{name} makes a vector, and the length of this range is known only at run time", here(), hint
        )


def _has_iterations(bounds: Bounds) -> bool:
    """True if it is certain that a loop has an iteration."""
    return bounds.span is None and at_most(1, bounds.size)


def _reduce(items: Any, start: float, op: Callable[[Any, Any], Any], name: str) -> Any:
    """A fold over the items of nested loops, each of which carries the state, or over a Python iterable."""
    source = _Source(items, name)
    b = source.b
    if not source.loops:
        if given := source.items():
            return operators.as_real(_fold(given, op))
        return operators.operand(start) if name == "prod" else _nothing(name)
    if name != "prod" and not all([_has_iterations(loop.bounds) for loop in source.loops]):
        if all([differ(loop.bounds.size, 0) for loop in source.loops]):
            hint = "carry the result through rose.scan, from a number to start with"
            spanned = any([loop.bounds.span is not None for loop in source.loops])
            why = "the length of a range is known only at run time" if spanned else "one module serves all sizes"
            raise OutOfRange(f"rose.{name} may be of nothing: {why}", here(), hint)
        _nothing(name)
    inner, state, around = b.block, operators.operand(start), None
    if isinstance(source.first, Value) and is_complex(source.first.type):
        b.block = source.outer
        state = to_value(start, source.first.type)
    for loop, block in zip(reversed(source.loops), reversed(source.blocks), strict=True):
        b.block, loop.init, loop.around = block, state, around
        state = loop.param = b.param(state.type)
        around = loop
    b.block = inner
    source.loops[0].last = operators.as_real(op(state, source.first))
    source.finish()
    result = source.loops[-1].result
    assert result is not None
    return result
