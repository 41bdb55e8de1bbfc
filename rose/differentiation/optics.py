"""The optic of order n: a function, its pullback, the pullbacks of these two, and so on: 2^n stages, in one function.

Reverse mode makes two stages of a function, which take turns: forward from an argument to the value, backward from a
cotangent to the gradient. Both are stages of a function of the argument and the cotangent. To that reverse mode is
applied again, and it makes two more, backward through the stages, last one first.

Source of the stages and their order: Keno Fischer, dP.jl terminology and notation guide, after Mitchell Riley,
Categories of optics, 2018.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ir
from ..errors import NotDifferentiable, OutOfRange, TypeMismatch, here
from ..frontend.any_size import of_any_size
from ..frontend.function import AnyFn, checked, make
from ..ir.types import Tuple, Type, Vec, items_of, tuple_of, untyped
from ..ir.value import host_index
from .gradients import vjp

MOST = 8  # the largest order: 256 stages, of code that grows by 4 from one order to the next


@of_any_size
def optic(f: AnyFn, n: int) -> AnyFn:
    """All stages of reverse mode, applied `n` times to a function of one argument: `optic(f, n)(x, [D1, ..., Dm])`.

    There are `m = 2**n - 1` inputs besides the argument, and `2**n` outputs: output 0 is `f(x)`, and output k answers
    input k, on which and on x and the inputs before it it depends. Of a number, output k is the sum over all partitions
    of the bits of k into blocks B of `f^(number of blocks)(x)` times the product of the inputs D_B: so with D1 = 1,
    D2 = 1 and D3 = 0, outputs 1 and 3 are the first and the second derivative.

    The inputs and the outputs are two vectors, if f gives what it takes; else two tuples, in which types alternate: the
    first input is of the type of the result, and the first output after it of that of the argument.
    """
    f = checked(f, "optic")
    order = _order(n)
    if len(f.types) != 1:
        what = f"rose.optic takes a function of one argument, and {f.name} has {len(f.types)}"
        raise TypeMismatch(what, here(), "take them as one struct, or as one tuple")
    for t, name in ((untyped(f.types[0]), f.names[0]), (untyped(f.result), "the result")):
        if not t.real:
            hint = "only Reals have a derivative"
            raise NotDifferentiable(f"rose.optic: {name} of {f.name} is a {t!r}, without a derivative", here(), hint)
    whole: Callable[[Any], tuple[Any]] = lambda x: (f(x),)
    stages = make(whole, f.types, tuple_of(f.result), f.name, f.names)
    for _ in range(order):
        stages = _again(stages)
    return _packed(f, stages, order)


def _order(n: Any) -> int:
    k = host_index(n)
    if k is None or not 1 <= k <= MOST:
        what = f"the order of an optic is a whole number from 1 to {MOST}, not {ir.shown(n)}"
        kind = TypeMismatch if k is None else OutOfRange
        raise kind(what, here(), "give n = 1 for the value and the gradient")
    return k


def _again(g: AnyFn) -> AnyFn:
    """The stages of `g`, and after them those of its pullback: cotangents of its results and parameters, last first."""

    def body(*args: Any) -> Any:
        xs, cts = args[: len(g.types)], args[len(g.types) :]
        y, pull = vjp(g)(*xs)
        back = pull(tuple(reversed(cts)))
        return (*y, *(reversed(back) if len(xs) > 1 else [back]))

    inputs = [*g.types, *reversed(items_of(g.result))]
    outputs = Tuple((*items_of(g.result), *reversed(g.types)), None)
    return make(body, inputs, outputs, g.name, [f"D{k}" if k else g.names[0] for k in range(len(inputs))])


def _packed(f: AnyFn, stages: AnyFn, order: int) -> AnyFn:
    """The stages with the inputs as one vector, or one tuple."""
    m, (t, *ds) = 2**order - 1, stages.types
    same = untyped(t) is untyped(f.result)
    inputs: Type = Vec(m, t) if same else tuple_of(*ds)
    outputs = Vec(m + 1, t) if same else stages.result

    def body(x: Any, given: Any) -> Any:
        out = stages(x, *[given[k] for k in range(m)])
        return [*out] if same else out

    return make(body, [t, inputs], outputs, f"optic({f.name}, {order})", [f.names[0], "inputs"])
