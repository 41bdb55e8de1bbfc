"""`lstm`: how well a recurrent network predicts the next character of a text, each of `b` bits."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import rose
from rose import Real, Vec, fn, sigmoid, tanh

from .. import placed
from . import Functions, Job


@functools.cache
def compiled(layers: int, b: int, characters: int):
    """For so many layers of `b` cells, and a text of so many characters."""

    @rose.struct
    class Gates:
        forget: Vec[b]
        ingate: Vec[b]
        outgate: Vec[b]
        change: Vec[b]

    @rose.struct
    class Layer:
        weight: Gates
        bias: Gates

    @rose.struct
    class Ends:
        in_weight: Vec[b]
        out_weight: Vec[b]
        out_bias: Vec[b]

    @rose.struct
    class State:
        hidden: Vec[b]
        cell: Vec[b]

    @fn
    def after(p: Layer, s: State, x: Vec[b]) -> State:
        gate = lambda name, x, j: x[j] * getattr(p.weight, name)[j] + getattr(p.bias, name)[j]

        def cell(j):
            change = sigmoid(gate("ingate", s.hidden, j)) * tanh(gate("change", s.hidden, j))
            return s.cell[j] * sigmoid(gate("forget", x, j)) + change

        cells = rose.vec(cell(j) for j in rose.range(b))
        return State(rose.vec(sigmoid(gate("outgate", x, j)) * tanh(cells[j]) for j in rose.range(b)), cells)

    @fn
    def objective(
        main: Vec[layers, Layer], ends: Ends, start: Vec[layers, State], text: Vec[characters, Vec[b]]
    ) -> Real:
        def turn(t, states):
            def through(layer, x):
                state = after(main[layer], states[layer], x)
                return state.hidden, state

            x, states = rose.scan(through, rose.vec(text[t][j] * ends.in_weight[j] for j in rose.range(b)), layers)
            y = rose.vec(x[j] * ends.out_weight[j] + ends.out_bias[j] for j in rose.range(b))
            most = rose.log(2 + rose.sum(rose.exp(y[j]) for j in rose.range(b)))
            return states, rose.sum(text[t + 1][j] * (y[j] - most) for j in rose.range(b))

        _, likely = rose.scan(turn, start, characters - 1)
        return -rose.sum(likely) / ((characters - 1) * b)

    jacobian = rose.grad(objective, argnums=(0, 1))
    return rose.compile({"objective": objective, "jacobian": jacobian}, simd=True)


def prepared(function: str, given: Any) -> Job:
    names = ("forget", "ingate", "outgate", "change")
    main, ends, state, text = [
        np.array(given[name], float) for name in ("main_params", "extra_params", "state", "sequence")
    ]
    b, layers = text.shape[1], len(state) // 2
    gates = [dict(zip(names, row.reshape(4, b), strict=True)) for row in main]
    module = compiled(layers, b, len(text))
    args = (
        [{"weight": w, "bias": bias} for w, bias in zip(gates[::2], gates[1::2], strict=True)],
        dict(zip(("in_weight", "out_weight", "out_bias"), ends, strict=True)),
        [{"hidden": hidden, "cell": cell} for hidden, cell in zip(state[::2], state[1::2], strict=True)],
        text,
    )
    return placed.call(getattr(module, function), *args, shown=lambda y: y if function == "objective" else flat(y))


def flat(x: Any) -> list[float]:
    """All numbers of a struct, in order."""
    if isinstance(x, np.ndarray):
        return x.ravel().tolist()
    items = x if isinstance(x, (list, tuple)) else vars(x).values()
    return [number for item in items for number in flat(item)]


functions: Functions = {name: functools.partial(prepared, name) for name in ("objective", "jacobian")}
