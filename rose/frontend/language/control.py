"""`cond`, of which one branch is evaluated, and the loops that carry a state: `while_loop` and `scan`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

from ... import ir
from ...autodiff.checkpoint import Segments
from ...errors import Loc, OutOfRange, TypeMismatch, argument, edge, here
from ...host.effects import Assertion, endless
from ...host.marshal import is_listing
from ...ir import CONST, PARAM, Builder, Func, Origin, Value, current_builder, is_tracing, shown
from ...ir.callgraph import make_branch, make_while, reachable
from ...ir.numbers import is_truth
from ...ir.sizes import LARGEST, Size, current
from ...ir.types import Bool, Fin, Tuple, Type
from ...ir.value import host_index, is_function
from ...optimise.code_motion import move_invariants
from ...optimise.outlining import lambda_lift
from .. import tracing
from ..columns import Columns, gathered, parted, scattered
from ..eager import now
from ..operators import view
from ..values import common_type, infer, is_number, to_value, widened
from .loops import check_length, iterations_of, range


@edge
def cond(p: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """`then()` where the condition `p` holds, else `otherwise()`: only that one is evaluated.

    Both give a result of one type, which may be any, and may use the variables around them. `select`
    chooses between two values that are evaluated anyway.
    """
    if not is_tracing() and is_truth(p):
        return then() if p else otherwise()
    loc = here()
    condition = to_value(p, Bool, ("the condition",), loc.narrow(argument(0, "p", 3)))
    for k, (name, f) in enumerate((("then", then), ("otherwise", otherwise)), 1):
        if not is_function(f):
            hint = "write rose.cond(condition, lambda: x, lambda: y); rose.select chooses between two values"
            raise TypeMismatch(
                f"{name} is a function without parameters, not {shown(f)}", loc.narrow(argument(k, name, 3)), hint
            )
    if now() is not None:
        return view(infer(then() if condition.number else otherwise()))
    if condition.op is CONST:
        return then() if condition.attr else otherwise()
    then_at, otherwise_at = [loc.narrow(argument(k, name, 3)) for k, name in ((1, "then"), (2, "otherwise"))]
    first, second = _Branch("then", then, then_at), _Branch("otherwise", otherwise, otherwise_at)
    first.agree(second.result.type)
    second.agree(first.result.type)
    x, y = first.result.type, second.result.type
    t = common_type(x, y)
    if t is None:
        hint = "let both branches give one type, which is that of the result"
        raise TypeMismatch(f"rose.cond between a {x!r} and a {y!r}", loc, hint)
    first.widen(t)
    second.widen(t)
    # the branches have the same parameters: the free variables of either
    outside = list(dict.fromkeys([*first.b.captured, *second.b.captured]))
    chosen = make_branch("cond", first.func(outside), second.func(outside))
    b = current_builder()
    return view(b.call(chosen, [condition, *[b.reach(v) for v in outside]]))


@edge
def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """`branches[index](*operands)`: only that branch is evaluated, which log2(n) comparisons find among n of them.

    The index is one below the number of branches, such as a `Fin[len(branches)]`, or a Python integer: none is clamped.
    All branches give a result of one type.
    """
    loc = here()
    fs = list(branches) if is_listing(branches) else []
    if not fs or not all(map(is_function, fs)):
        hint = "write rose.switch(k, [lambda x: x, lambda x: x * x], x), with an index k of type Fin[2]"
        what = f"branches is a list of functions, not {shown(branches)}"
        raise TypeMismatch(what, loc.narrow(argument(1, "branches", 2, 3)), hint)
    if (known := host_index(index)) is not None:
        if not 0 <= known < len(fs):
            what = f"there is no branch {known}: rose.switch is given {len(fs)}"
            raise OutOfRange(what, loc.narrow(argument(0, "index", 2, 3)), f"write an index from 0 to {len(fs) - 1}")
        return fs[known](*operands)
    k: Value = to_value(index, Fin(len(fs)), ("the index",), loc.narrow(argument(0, "index", 2, 3)))

    def among(low: int, high: int) -> Any:
        if high - low == 1:
            return fs[low](*operands)
        middle = (low + high) // 2
        return cond(view(k) < middle, lambda: among(low, middle), lambda: among(middle, high))

    return among(0, len(fs))


class _Branch:
    """A branch of a `cond`, recorded as a function of its free variables (lambda lifting)."""

    def __init__(self, name: str, body: Callable[[], Any], loc: Loc) -> None:
        self.given: Any = None
        self.at = loc
        with ir.building(name, inside=True) as self.b:
            made = tracing.finish(self.b, body, self._returned, loc)
        (self.result,) = made.body.results

    def _returned(self, x: Any, _: Loc) -> Value:
        self.given, self.b.loc = x, None
        return infer(x, self.at)

    def agree(self, t: Type) -> None:
        """Convert the result to a `t`, if it is a host number."""
        with ir.resumed(self.b):
            if self.result.type is not t and is_number(self.given):
                self.result = to_value(self.given, t, ("the result of a branch of rose.cond",), self.at)

    def widen(self, t: Type) -> None:
        with ir.resumed(self.b):
            self.result = widened(self.result, t)

    def func(self, outside: list[Value]) -> Func:
        with ir.resumed(self.b) as b:
            b.root.params = inside(b, outside)
            return tracing.sealed(b, b.func(self.result))


@edge
def while_loop(test: Callable[[Any], Any], body: Callable[[Any], Any], init: Any, max_iter: int | None = None) -> Any:
    """The last state of a loop: `state = body(state)` for as long as `test(state)` holds, from `init`.

    The state is of any type, which every iteration keeps. Reverse mode keeps each iteration's residuals, in memory
    that grows as the loop runs. More than `max_iter` iterations are an error when the compiled function runs.
    """
    loc = here()
    if max_iter is not None and ((k := host_index(max_iter)) is None or not 0 <= k < LARGEST):
        kind, at = TypeMismatch if k is None else OutOfRange, loc.narrow(argument(3, "max_iter", 4))
        what = f"max_iter is an integer from 0 to {LARGEST - 1}, not {shown(max_iter)}"
        raise kind(what, at, "leave it out for any number of iterations")
    first = infer(init, loc.narrow(argument(2, "init", 3, 4)))
    at = [loc.narrow(argument(k, name, 3, 4)) for k, name in enumerate(("test", "body"))]
    for name, f, where in (("test", test, at[0]), ("body", body, at[1])):
        if not is_function(f):
            hint = "write rose.while_loop(lambda s: s < 10, lambda s: 2 * s, x)"
            raise TypeMismatch(f"{name} is a function of the state, not {shown(f)}", where, hint)
    if now() is not None:
        return _while_now(test, body, first, max_iter, loc)
    asked, step = _Step(test, first.type, at[0]), _Step(body, first.type, at[1])
    answer = asked.value(Bool, _TEST)
    after = step.b.tuple([step.value(first.type, _STATE)])
    outside = list(dict.fromkeys([*asked.b.captured, *step.b.captured]))
    parts = asked.func(outside, answer), step.func(outside, after)
    loop = make_while("while", *parts, max_iter, origin=Origin("while"))
    b = current_builder()
    return view(b.get(b.call(loop, [first, *[b.reach(v) for v in outside]]), 0))


_TEST, _STATE = "the result of the test of rose.while_loop", "the next state of rose.while_loop"


def _while_now(test: Callable[[Any], Any], body: Callable[[Any], Any], v: Value, most: int | None, loc: Loc) -> Any:
    """The loop, evaluated eagerly."""
    t, count = v.type, 0
    while to_value(test(view(v)), Bool, (_TEST,), loc).number:
        if count == most:
            raise endless(count, loc).error()
        v = to_value(body(view(v)), t, (_STATE,), loc)
        count += 1
    return view(v)


class _Step:
    """The test or the body of a while loop, recorded as a function of the state and its free variables."""

    def __init__(self, body: Callable[[Any], Any], state: Type, loc: Loc) -> None:
        self.given: Any = None
        self.at = loc
        with ir.building("while", Origin("while"), inside=True) as self.b:
            self.state = self.b.param(state, "state")
            tracing.finish(self.b, lambda: body(view(self.state)), self._returned, loc)

    def _returned(self, x: Any, _: Loc) -> Value:
        self.given = x
        return self.b.unit()

    def value(self, t: Type, what: str) -> Value:
        with ir.resumed(self.b) as b:
            return b.reach(to_value(self.given, t, (what,), self.at))

    def func(self, outside: list[Value], result: Value) -> Func:
        with ir.resumed(self.b) as b:
            b.root.params = [self.state, *inside(b, outside)]
            return tracing.sealed(b, b.func(result))


def inside(b: Builder, outside: list[Value]) -> list[Value]:
    """The parameters for the free variables `outside`, those that are not used included."""
    named = [(v, v.attr if v.op is PARAM else None) for v in outside]
    return [b.captured[v] if v in b.captured else b.param(v.type, name) for v, name in named]


@edge
def scan(
    body: Callable[[Any, Any], Any], init: Any, n: Any, *, checkpoint: str | None = None, snapshots: int | None = None
) -> Any:
    """A loop of `n` iterations that carries a state: `body(i, state)` gives the next state, or a pair `(state, out)`.

    The state is of any type, which every iteration keeps. The result is the last state; with outs, the pair of it and
    the vector of them; if an out is a tuple, the tuple of the vectors of its items: `last, (xs, ys) = rose.scan(...)`.
    The body is recorded once.

    Reverse mode keeps each iteration's residuals. With `checkpoint` it keeps states only, and evaluates iterations
    again (rematerialisation): "sqrt" keeps about `2 * sqrt(n)` states, and evaluates each iteration once more;
    "binomial" keeps `snapshots` states, and evaluates an iteration as often again as that takes: by default, five
    times at most.

    Values, gradients, Hessians, and all derivatives with reverse mode in them once, before or after forward mode, have
    the same bits with checkpoints. Reverse mode over reverse mode (`grad` of a function that calls `grad`) or over
    `linearize` differs in the last bits: there an iteration that is evaluated again has a derivative of its own, which
    is added to the iteration's.
    """
    loc, b = here(), current_builder()
    at = loc.narrow(argument(0, "body", *_COUNTS))
    if not is_function(body):
        hint = "write rose.scan(lambda i, s: s + v[i], x, n)"
        raise TypeMismatch(f"body is a function of the index and the state, not {shown(body)}", at, hint)
    bounds = iterations_of(n, "rose.scan", loc.narrow(argument(2, "n", *_COUNTS)))
    _check_schedule(checkpoint, snapshots, loc)
    size = bounds.size
    if checkpoint is not None and (bounds.span is not None or isinstance(size, Size)):
        why = "this one is known at run time" if bounds.span is not None else f"one module serves every {size!r}"
        what = f"checkpoints need a known number of iterations, and {why}"
        raise TypeMismatch(what, loc.narrow(argument(3, "checkpoint", 4, 5)), "leave out checkpoint=, or give the size")
    first = infer(init, loc.narrow(argument(1, "init", *_COUNTS)))
    made: list[Type] = []  # of the outs

    def step(i: Value, state: Value) -> list[Value]:
        given, out = body(view(bounds.seen(current_builder(), i)), view(state)), None
        if _is_pair(given, first.type):
            given, out = given[0], infer(given[1], at)
        if out is not None:
            check_length(bounds, "rose.scan")
            made[:] = [out.type]
        after = to_value(given, first.type, ("the next state of rose.scan",), at)
        return [after] if out is None else [after, out]

    if checkpoint is None or size < 2 or now() is not None:
        split_step: Callable[[Value, Value], tuple[list[Value], list[Value]]] = lambda i, state: _split(step(i, state))
        (last,), outs = b.loop(size, split_step, [first], bounds.span)
        return (view(last), gathered(made[0], iter(outs))) if made else view(last)
    last, out = _checkpointed(step, first, size, checkpoint, snapshots, at)
    return view(last) if out is None else (view(last), gathered(made[0], iter(parted(out))))


@edge
def fori_loop(lower: Any, upper: Any, body: Callable[[Any, Any], Any], init: Any) -> Any:
    """A `scan` without outs: the last `state = body(i, state)` for `i` in `rose.range(lower, upper)`, from `init`."""
    return scan(body, init, range(lower, upper))


def _checkpointed(
    step: Callable[[Value, Value], list[Value]],
    first: Value,
    size: int,
    checkpoint: str,
    snapshots: int | None,
    at: Loc,
) -> tuple[Value, Value | None]:
    """The last state, and the vector of outs, of a scan that evaluates iterations again in reverse mode."""
    b = current_builder()
    with (
        ir.resumed(copy(b)) as inner,
        inner.nested() as block,
    ):  # as in a loop: checkpoints change no iteration
        i, state = inner.param(Fin(size), "i"), inner.param(first.type, "state")
        results = tracing.recorded(inner, lambda: step(i, state))
        block.results = (inner.tuple([inner.reach(x) for x in results]),)
    if not current():  # as before a derivation, so that derivatives have the bits of those without checkpoints
        move_invariants(b, block, size)
    one, outside = lambda_lift("rose.scan", block, Origin("scan"))
    if not repeatable(one):
        hint = "leave out checkpoint=, or what has an effect"
        raise TypeMismatch("an iteration that has an effect cannot be evaluated again", at, hint)
    return Segments(one, [b.reach(v) for v in outside]).run(first, checkpoint, snapshots)


_COUNTS = (3, 4, 5)  # the numbers of arguments that a call of `scan` can have


def repeatable(f: Func) -> bool:
    """True if `f` may be evaluated again: it has no effect but assertions."""
    return all([g.pure or isinstance(g.impl, Assertion) or not g.is_opaque for g in reachable(f)])


def _split(results: list[Value]) -> tuple[list[Value], list[Value]]:
    return results[:1], [x for out in results[1:] for x in scattered(out)]


def _check_schedule(checkpoint: Any, snapshots: Any, loc: Loc) -> None:
    if checkpoint is not None and not (isinstance(checkpoint, str) and checkpoint in ("sqrt", "binomial")):
        hint = 'write checkpoint="sqrt" or checkpoint="binomial", or leave it out to keep everything'
        loc = loc.narrow(argument(3, "checkpoint", 4, 5))
        raise TypeMismatch(f"rose.scan has no checkpoint {shown(checkpoint)}", loc, hint)
    k = host_index(snapshots)
    if snapshots is not None and (checkpoint != "binomial" or k is None or k < 1):
        hint = 'write checkpoint="binomial", snapshots=20'
        what = f"snapshots is the number of states that binomial checkpoints keep, not {shown(snapshots)}"
        if checkpoint != "binomial":
            what = 'snapshots= goes with checkpoint="binomial"'
        kind = OutOfRange if checkpoint == "binomial" and k is not None else TypeMismatch
        raise kind(what, loc.narrow(argument(4, "snapshots", 4, 5)), hint)


def _is_pair(x: Any, state: Type) -> bool:
    """True for `(state, out)`, and not for a state that is itself a pair."""
    if x.__class__ not in (tuple, Columns) or len(x) != 2:
        return False
    return not (isinstance(state, Tuple) and len(state.items) == 2) or infer(x).type is not state
