"""`rose.interpret`: a function under another meaning, as an `@fn`; with a way back, as two of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from .. import ir
from ..errors import RoseError, TypeMismatch, edge, here
from ..frontend.annotations import as_type
from ..frontend.function import AnyFn, checked, from_func, make
from ..frontend.operators import view
from ..frontend.signatures import fresh_name
from ..frontend.values import to_value
from ..ir import Func
from ..ir.callgraph import done, instructions, reachable
from ..ir.forms import form_of
from ..ir.ops import select
from ..ir.sizes import bound
from ..ir.types import Bool, Fin, Tuple, Type, items_of, tuple_of
from ..optimise.instruments import instrumented
from ..optimise.pipeline import Instruments
from .backward import backward
from .forward import Forward
from .meanings import Meaning, Refusal, TwoWay, both_ways


class Interpreted:
    """A function under a meaning with a way back: two `@fn` functions, and the residual between them.

    `forward(*xs)` gives the carrier of the result and the residual, and `backward(residual, due)` what goes back for
    each argument, of what comes back for the result: a tuple; of one argument, just that. The residual of a function is
    a type of its own: that of another is refused. `f >> g` is `g` after `f`.

    In a block, `g(f, x)` is what goes back if `f` gives what comes back: `backward(residual, f(y))`. In a continuation,
    `y, back = g(x)`, `back(due)` is what goes back.
    """

    def __init__(self, name: str, forward: AnyFn, backward: AnyFn) -> None:
        self.name, self.forward, self.backward = name, forward, backward

    def __repr__(self) -> str:
        return f"<{self.name}: forward and backward>"

    @edge
    def __call__(self, *args: Any) -> Any:
        return both_ways(self.forward, self.backward, args)

    @edge
    def __rshift__(self, after: Any) -> Interpreted:
        if not isinstance(after, Interpreted):
            what = f"an interpreted function is followed by another, not by {ir.shown(after)}"
            raise TypeMismatch(what, here(), "interpret it by the same meaning")
        return _composed(self, after)


@edge
def interpret(f: AnyFn, meaning: Meaning, residual: str = "all") -> Any:
    """`f` under another meaning of its operations, as an `@fn`: compiled, composed and differentiated as any other.

    It takes and gives the carriers of the meaning in the places of numbers. With a `TwoWay` meaning the result is an
    `Interpreted`. Its residual holds "all" that the way back needs, or, with `residual="inputs"`, just the arguments:
    then the way back goes forward once more first.

    What has no meaning is a `RoseError` at the user's expression, which names the row to write.
    """
    f = checked(f, "interpret")
    if not isinstance(meaning, Meaning):  # pyright: ignore[reportUnnecessaryIsInstance]
        what = f"rose.interpret takes a meaning, not {ir.shown(meaning)}"
        raise TypeMismatch(what, here(), "write a class with the base rose.interpretations.Meaning, and make one of it")
    if residual not in ("all", "inputs"):
        what = f'the residual holds "all" or the "inputs", not {ir.shown(residual)}'
        raise TypeMismatch(what, here(), 'write residual="inputs" to compute the rest again')
    func = f.func if as_type(meaning.truth) is Bool else _by_masks(f)
    if f.captured:
        what = f"{f.name} uses {ir.a_traced(f.captured[0])} of the function around it"
        raise RoseError(what, here(), "pass it in as a parameter")
    if isinstance(meaning, TwoWay) and as_type(meaning.truth) is not Bool and meaning.choose is None:
        what = f"{meaning.name} has a way back, and its truth is a {as_type(meaning.truth)!r}"
        hint = "let truth = Bool: the way back takes the branches that were taken; or let choose be an Optic"
        raise TypeMismatch(what, here(), hint)
    try:
        types = [meaning.parameter(k, t) for k, t in zip(f.names, f.types, strict=True)]
    except Refusal as e:
        raise TypeMismatch(e.message, here(), e.hint) from None
    made = done(Forward(meaning).made(func, types, f.loc))
    if not isinstance(meaning, TwoWay):
        return from_func(made.func, f.names)
    ways = made.func, backward(made, meaning)
    return _of_ways(f, meaning, types, *ways) if residual == "all" else _again(f, meaning, types, *ways)


def _by_masks(f: AnyFn) -> Func:
    """A function whose derivatives of maxima choose no index: where a condition may be either, it may be any."""
    code = [v for g in reachable(f.func) if g.has_body for v in instructions(g.body)]
    if not any([v.op is select and isinstance(v.type, Fin) for v in code]):
        return f.func
    with instrumented(Instruments(("index-extremes",))), bound(f.sizes):
        return make(f.body, f.types, f.result, f.name, f.names).func


def _names(f: AnyFn) -> list[str]:
    return [fresh_name("residual", f.names), fresh_name("due", f.names)]


def _alone(ts: Sequence[Type]) -> Type:
    return ts[0] if len(ts) == 1 else tuple_of(*ts)


def _of_ways(f: AnyFn, meaning: TwoWay, types: Sequence[Type], ahead: Func, back: Func) -> Interpreted:
    result, kept = items_of(ahead.result)
    given = Tuple((kept,), _form(f.name))

    def forward(*xs: Any) -> Any:
        b = ir.current_builder()
        out = b.call(ahead, [to_value(x, t) for x, t in zip(xs, types, strict=True)])
        return view(b.tuple([b.get(out, 0), b.tuple([b.get(out, 1)], given)]))

    def backwards(residual: Any, due: Any) -> Any:
        b = ir.current_builder()
        out = b.call(back, [b.get(to_value(residual, given), 0), to_value(due, back.params[1].type)])
        return view(b.get(out, 0) if len(types) == 1 else out)

    return _pair(f, meaning, types, (forward, tuple_of(result, given)), (backwards, given, back))


def _again(f: AnyFn, meaning: TwoWay, types: Sequence[Type], ahead: Func, back: Func) -> Interpreted:
    result, _ = items_of(ahead.result)
    given = Tuple(tuple(types), _form(f.name, f.names))

    def forward(*xs: Any) -> Any:
        b = ir.current_builder()
        args = [to_value(x, t) for x, t in zip(xs, types, strict=True)]
        return view(b.tuple([b.get(b.call(ahead, args), 0), b.tuple(args, given)]))

    def backwards(residual: Any, due: Any) -> Any:
        b = ir.current_builder()
        kept = to_value(residual, given)
        out = b.call(ahead, [b.get(kept, k) for k in range(len(types))])
        out = b.call(back, [b.get(out, 1), to_value(due, back.params[1].type)])
        return view(b.get(out, 0) if len(types) == 1 else out)

    return _pair(f, meaning, types, (forward, tuple_of(result, given)), (backwards, given, back))


def _pair(
    f: AnyFn,
    meaning: TwoWay,
    types: Sequence[Type],
    forward: tuple[Callable[..., Any], Type],
    backwards: tuple[Callable[..., Any], Type, Func],
) -> Interpreted:
    name = f"{f.name}, by {meaning.name}"
    body, given, back = backwards
    gives = items_of(back.result)
    return Interpreted(
        name,
        make(forward[0], types, forward[1], f"{name}, forward", f.names),
        make(body, [given, back.params[1].type], _alone(gives), f"{name}, backward", _names(f)),
    )


def _form(name: str, fields: Sequence[str] = ("kept",)) -> Any:
    """The form of a residual: a class of its own."""
    return form_of(dataclasses.make_dataclass(f"Residual of {name}", fields))


def _composed(first: Interpreted, second: Interpreted) -> Interpreted:
    """`second` after `first`: the residual is the pair of theirs."""
    name = f"{first.name} >> {second.name}"
    given, due = first.backward.types[0], second.backward.types[1]
    given = tuple_of(given, second.backward.types[0])

    def forward(*xs: Any) -> Any:
        y, one = first.forward(*xs)
        z, other = second.forward(y)
        return z, (one, other)

    def backwards(residual: Any, due: Any) -> Any:
        one, other = residual
        return first.backward(one, second.backward(other, due))

    result = tuple_of(items_of(second.forward.result)[0], given)
    return Interpreted(
        name,
        make(forward, first.forward.types, result, f"{name}, forward", first.forward.names),
        make(backwards, [given, due], first.backward.result, f"{name}, backward", ["residual", "due"]),
    )
