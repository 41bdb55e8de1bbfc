"""Derivatives of derivatives: a function and all of its derivatives in a number at once, of high orders by one jet.

Nested forward mode of order n computes 2 ** n things, of which most are equal; a jet computes n, in n * n steps. Of
derivatives in several numbers jets are nested, one in each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..differentiation.jets import along, has_jet
from ..differentiation.linear_map import LinearMap
from ..frontend.function import AnyFn, make
from ..frontend.operators import view
from ..ir import current_builder
from ..ir.types import Real, linear_part, tangent, tuple_of
from .composites import Composite, type_of

JETS = 4  # the order from which a jet is shorter than forward mode that is nested so often: measured


def chain_of(c: Composite) -> list[AnyFn]:
    """A derivative in numbers, what it is the derivative of, and so on: a function and derivatives of it.

    They are in one number, or, where jets are shorter than what they nest, in several.
    """
    whole = [c, *_below(c)]
    same = next((n for n, f in enumerate(whole[:-1]) if isinstance(f, Composite) and f.params != c.params), None)
    return whole if same is None or len(whole) > JETS else whole[: same + 1]


def _below(c: Composite) -> Iterator[AnyFn]:
    f: AnyFn = c
    while isinstance(f, Composite) and f.op.name == "nabla" and _is_slope(f):
        yield (f := f.inputs[0])


def _is_slope(c: Composite) -> bool:
    """True for a derivative in one number, forwards, that is of the type of what is derived."""
    (f,), (k, method) = c.inputs, c.params
    t = type_of(f)
    return method == "jacfwd" and t.args[k] is Real and linear_part(tangent(t.result)) is t.result is c.result


def orders_of(chain: Sequence[AnyFn]) -> list[dict[int, int]]:
    """How often each function of a chain is derived in each argument."""
    orders: list[dict[int, int]] = [{}]
    for c in reversed(chain[:-1]):
        assert isinstance(c, Composite)
        k, _ = c.params
        orders.insert(0, {**orders[0], k: orders[0].get(k, 0) + 1})
    return orders


def with_derivatives(f: AnyFn, k: int, order: int, least: int) -> AnyFn:
    """`x -> (f(x), f'(x), ...)`, up to the derivative of that order in argument `k`: by forward mode, or by a jet.

    A jet is of order `least`, or a higher one.
    """
    key, t = (with_derivatives, k, order, least), type_of(f)
    if key in f.results:
        return f.results[key]

    def jet(*xs: Any) -> Any:
        b, of = current_builder(), LinearMap(f, (k,))
        return view(b.tuple(along(of, k, order, of.arguments(xs), b.const(1.0, Real))))

    def nested(*xs: Any) -> Any:
        b, of = current_builder(), LinearMap(f if order == 1 else with_derivatives(f, k, order - 1, least), (k,))
        y, dy = of.jvp(of.arguments(xs), {k: b.const(1.0, Real)})
        items = [y, dy] if order == 1 else [*[b.get(y, j) for j in range(order)], b.get(dy, order - 1)]
        return view(b.tuple(items))

    body = jet if order >= least and has_jet(LinearMap(f, (k,)), order) else nested
    name = f"{f.name}{chr(39) * order}"
    f.results[key] = made = make(body, t.args, tuple_of(*[t.result] * (order + 1)), name, list(f.names))
    return made
