"""The transform of a size that is known only when a module runs: a convolution of a power of 2, as in `convolutions`.

Its factors are not known, so that each size is transformed in this way. Tables are computed at the call, by cosines and
sines of angles that are reduced to an eighth of a turn without rounding.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from ..frontend.complex.parts import made
from ..frontend.function import AnyFn, make
from ..frontend.index_expressions import literal
from ..frontend.language import control, loops
from ..frontend.language.select import select
from ..frontend.operators import as_real, view
from ..frontend.values import to_value
from ..ir import Value, current_builder, ops
from ..ir.sizes import Size, plus, times
from ..ir.types import Complex, Fin, Vec
from .rows import Rows, at, place, placed

STAGES = Fin(32)  # of a power of 2 that is an index


def _index(k: int, t: Fin) -> Value:
    return view(current_builder().const(k, t))


def _root(k: Value, n: Value) -> Value:
    """`exp(-2j * pi * k / n)`, of indices: the angle less quarters of a turn, which are exact."""
    x, size = as_real(k), as_real(n)
    quarters = ops.floor(4.0 * x / size + 0.5)
    angle = (4.0 * x - quarters * size) / size * (math.pi / 2.0)
    c, s = ops.cos(angle), ops.sin(angle)
    odd = (quarters == 1.0) | (quarters == 3.0)
    re, im = select(odd, -s, c), select(odd, c, s)
    back = (quarters == 2.0) | (quarters == 3.0)
    return made(select(back, -re, re), select(back, im, -im))


def _room(n: Size) -> Any:
    """The size of a buffer that holds the power of 2, and an index more."""
    return plus(times(4, n), 4)


def _power(n: Size) -> tuple[Any, Any]:
    """The least power of 2 that is not below `2 * n - 1`, and its logarithm."""
    room = _room(n)
    start = _index(1, Fin(room)), _index(0, STAGES)
    last = control.while_loop(
        lambda s: s[0] + 1 < literal(times(2, n)), lambda s: (place(2 * s[0], room), place(s[1] + 1, 32)), start
    )
    return last[0], last[1]


@cache
def _steps(n: Size) -> AnyFn:
    """The function that transforms the first `m` of `4 * n` numbers, `m` being a power of 2."""
    room = _room(n)

    def body(x: Value, w: Value, m: Value, stages: Value) -> Any:
        half = m // 2

        def stage(_: Value, state: Value) -> Any:
            z, before, groups = state[0], state[1], state[2]

            def group(_: Value, state: Value) -> Any:
                y, first = state[0], state[1]

                def item(c: Value, y: Value) -> Any:
                    u = place(first + c, room)
                    near, far = z[u], at(z, u + half)
                    y = placed(y, u + first, near + far)
                    return placed(y, u + first + before, (near - far) * at(w, first))

                return control.scan(item, y, loops.range(before)), place(first + before, room)

            y = control.scan(group, (current_builder().zero(z.type), _index(0, Fin(room))), loops.range(groups))[0]
            return y, place(2 * before, room), place(groups // 2, room)

        start = x, _index(1, Fin(room)), place(half, room)
        return control.scan(stage, start, loops.range(stages))[0]

    types = [Vec(room, Complex), Vec(times(2, n), Complex), Fin(room), STAGES]
    return make(body, types, Vec(room, Complex), "dft", ["x", "w", "m", "stages"])


def _chirp(n: Size) -> Any:
    """`exp(-1j * pi * j * j / n)` for each `j` below `n`."""
    whole = times(2, n)
    t = Fin(plus(whole, 1))

    def item(j: Value, square: Value) -> Any:
        return to_value(place(square + 2 * j + 1, whole), t), _root(square, view(literal(whole)))

    return control.scan(item, _index(0, t), n)[1]


def of_any_size(n: Size) -> Rows:
    """What transforms a row of `n` numbers, with tables that are made here."""
    room = _room(n)
    m, stages = _power(n)
    c, w = _chirp(n), loops.vec(_root(k, m) for k in loops.range(times(2, n)))
    size = literal(n)

    def item(j: Value) -> Any:
        back = ops.ibeyond(m, j)
        z = select(j < size, at(c, j), select((j < m) & (back < size), at(c, back), 0j))
        return z.conj() * (1.0 / as_real(m))

    there = _steps(n)(loops.vec(item(j) for j in loops.range(room)), w, m, stages)

    def row(x: Value) -> Any:
        padded = loops.vec(select(j < size, at(x, j) * at(c, j), 0j) for j in loops.range(room))
        product = _steps(n)(padded, w, m, stages)
        back = _steps(n)(loops.vec(product[j] * there[j] for j in loops.range(room)), w, m, stages)
        return loops.vec(select(k == 0, at(back, k), at(back, ops.ibeyond(m, k))) * c[k] for k in loops.range(n))

    return row
