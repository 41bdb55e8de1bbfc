"""Loops: `range`, and the vectors, sums and folds over it. A loop's body is traced once, and never unrolled.

`range(n)` is a generator that gives one traced index. The instructions recorded until it is asked for the next
one are the body of the loop; then it closes the loop. `vec`, `sum` and the folds take the one item that
a generator over `range` gives, and close the loop by asking for another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from inspect import GEN_CREATED, getgeneratorstate
from typing import Any, cast

from ...errors import Loc, OutOfRange, RoseError, TypeMismatch, argument, edge, here, users_frame
from ...host.marshal import as_given
from ...ir import Block, Builder, Value, a_traced, current_builder, ops, shown, types
from ...ir.numbers import digits
from ...ir.sizes import LARGEST, at_most, open_size
from ...ir.types import Fin, Real, Tan, Tuple
from ...ir.value import host_index
from .. import operators
from ..eager import Now, now
from ..operators import view
from ..values import infer, to_value


class _Loop:
    """An open loop, and the result that its consumer asks for: a vector, or a state carried through iterations."""

    __slots__ = ("around", "init", "item", "last", "param", "result")

    def __init__(self) -> None:
        self.item: Value | None = None  # the item of a vector
        self.init: Value | None = None  # the state before the loop,
        self.param: Value | None = None  # at the start of an iteration,
        self.last: Value | None = None  # and at its end
        self.around: _Loop | None = None  # the loop around this one that carries the same state
        self.result: Value | None = None  # of the loop, once it is closed


_open: dict[Block, _Loop] = {}


@edge
def range(n: Any) -> Iterator[Any]:
    """The indices 0, ..., n - 1, as one traced index: `for i in rose.range(n)` is one loop.

    `n` is a Python integer. The loop's body runs once, to be recorded; it may not be left with `break`,
    `return` or an exception.
    """
    size = iterations(n, "rose.range", here().narrow(argument(0, "n", 1)))
    b = now()
    return _range(current_builder(), size) if b is None else _iterations_now(b, size)


def _iterations_now(b: Now, n: int) -> Iterator[Any]:
    """The iterations of a loop that is evaluated eagerly. An empty generator is traced, for the type of its items."""
    if n == 0 and users_frame().f_code.co_name == "<genexpr>":
        yield from _range(b, n)
    else:
        yield from b.indices(n)


def size_of(items: Any) -> int | None:
    """The number of iterations of `items`, if it is a `range` that has not begun; else None."""
    if getattr(items, "gi_code", None) is not _range.__code__ or getgeneratorstate(items) != GEN_CREATED:
        return None
    return items.gi_frame.f_locals["n"]


def iterations(n: Any, name: str, loc: Loc) -> int:
    """The number of iterations of a loop, checked: a host integer, or a size that is known when the module runs."""
    if (size := open_size(n)) is not None:
        return cast("int", size)
    k = host_index(n)
    if k is None:
        what = a_traced(n) if isinstance(n, Value) else shown(n)
        hint = "write a Python integer, known when the function is traced: len(v) of a vector v"
        raise TypeMismatch(f"{name} takes an integer, not {what}", loc, hint)
    if not 0 <= k < LARGEST:
        raise OutOfRange(f"a loop cannot have {digits(k)} iterations", loc, f"write a number from 0 to {LARGEST - 1}")
    return k


def _range(b: Builder, n: int) -> Iterator[Any]:
    loc = here()
    outer = b.block
    b.block = block = Block(outer)
    _open[block] = loop = _Loop()
    wrong = "this loop was left before its end, by break, return or an exception"
    hint = "choose with rose.select: the body of a loop over rose.range is traced once, and runs n times"
    try:
        yield b.param(Fin(n))
        wrong = "" if b.block is block else "this loop ends before one that began inside of it"
        if wrong:
            hint = "nest loops, or use one index for both"
        else:
            _close(b, loop, outer)
    finally:
        b.block = outer
        del _open[block]
        if wrong and b.failure is None:
            b.failure = RoseError(wrong, loc, hint)


def _close(b: Builder, loop: _Loop, outer: Block) -> None:
    block, results = b.block, [r for r in (loop.last, loop.item) if r is not None]
    block.results = tuple([b.reach(r) for r in results])
    b.block = outer
    if loop.init is not None:
        assert loop.last is not None
        (loop.result,), _ = b.close(block, [loop.init])
        if loop.around is not None:
            loop.around.last = loop.result
    else:
        _, outs = b.close(block, [])
        loop.result = outs[0] if outs else None


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
        self.first = next(self.rest, _NOTHING)
        self.loops: list[_Loop] = []  # the loops that the generator opened, innermost first
        self.blocks: list[Block] = []
        block: Block | None = self.b.block
        while block is not None and block is not self.outer:
            self.blocks.append(block)
            self.loops.append(_open[block])
            block = block.parent

    def items(self) -> list[Any]:
        """All items of a Python iterable: no loop."""
        return [] if self.first is _NOTHING else [self.first, *self.rest]

    def finish(self) -> None:
        """Close the loops."""
        for _ in self.rest:
            if isinstance(self.b, Now) and self.b.symbolic:
                continue  # a loop without iterations, once more
            hint = f"write {self.name}(item for i in rose.range(n))"
            raise TypeMismatch(f"{self.name} was given a second item by a loop over rose.range", here(), hint)


_NOTHING = object()


@edge
def vec(items: Iterable[Any]) -> Any:
    """The vector of the items of `items`: `vec(2 * x[i] for i in rose.range(n))`.

    Of a list, or of a generator over Python's own range, the vector of those elements, without a loop.
    """
    source = _Source(items, "vec")
    if not source.loops:
        return infer(source.items(), source.at)
    if len(source.loops) > 1:
        hint = "nest them: rose.vec(rose.vec(... for j in rose.range(m)) for i in rose.range(n))"
        raise TypeMismatch("rose.vec was given a generator over two loops", here(), hint)
    loop = source.loops[0]
    loop.item = infer(source.first)
    source.finish()
    assert loop.result is not None
    return loop.result


@edge
def sum(items: Iterable[Any]) -> Any:
    """The sum of the items of `items`, which are numbers, vectors or structs; 0 of none."""
    source = _Source(items, "sum")
    b = source.b
    if not source.loops:
        values = [_summand(x, source.at) for x in source.items()] or [b.zero(Real)]
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


@edge
def prod(items: Iterable[Any]) -> Any:
    """The product of the items of `items`, which are numbers; 1 of none."""
    return _reduce(items, 1.0, operators.multiply, "prod")


@edge
def min(*items: Any) -> Any:
    """The smallest of the arguments, or of the items of one vector or generator.

    At a tie of two each has half of the derivative.
    """
    return _extreme(items, float("inf"), ops.min_, "min")


@edge
def max(*items: Any) -> Any:
    """The largest of the arguments, or of the items of one vector or generator.

    At a tie of two each has half of the derivative.
    """
    return _extreme(items, float("-inf"), ops.max_, "max")


def _extreme(items: tuple[Any, ...], start: float, op: Callable[[Any, Any], Any], name: str) -> Any:
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


def _has_iterations(block: Block) -> bool:
    """True if it is certain that a loop has an iteration."""
    index = block.params[0].type
    return isinstance(index, Fin) and at_most(1, index.size)


def _reduce(items: Any, start: float, op: Callable[[Any, Any], Any], name: str) -> Any:
    """A fold over the items of nested loops, each of which carries the state, or over a Python iterable."""
    source = _Source(items, name)
    b = source.b
    if not source.loops:
        if given := source.items():
            return operators.as_real(_fold(given, op))
        return operators.operand(start) if name == "prod" else _nothing(name)
    if name != "prod" and any(not _has_iterations(block) for block in source.blocks):
        if not any(block.params[0].type is Fin(0) for block in source.blocks):
            hint = "carry the result through rose.scan, from a number to start with"
            raise OutOfRange(f"rose.{name} may be of nothing: one module serves all sizes", here(), hint)
        _nothing(name)
    inner, state, around = b.block, operators.operand(start), None
    for loop, block in zip(reversed(source.loops), reversed(source.blocks), strict=True):
        b.block, loop.init, loop.around = block, state, around
        state = loop.param = b.param(Real)
        around = loop
    b.block = inner
    source.loops[0].last = operators.as_real(op(state, source.first))
    source.finish()
    result = source.loops[-1].result
    assert result is not None
    return result
