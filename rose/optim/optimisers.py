"""First-order optimisers: the next state, of a state and a gradient."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..differentiation.flatten import Flat, build, is_real, read
from ..errors import TypeMismatch, edge, here
from ..frontend import options
from ..frontend.annotations import as_type
from ..frontend.function import AnyFn, make
from ..frontend.language.select import select
from ..frontend.language.vectors import norm
from ..frontend.operators import view
from ..frontend.values import to_value
from ..ir import Value, current_builder
from ..ir.ops import sqrt
from ..ir.types import Real, Type
from .schedules import Rate, at, checked

Memory = dict[str, Any]  # of an optimiser: values of the type of what it changes, by their names
Number = float | Value
Step = Callable[["Tree", Any, Any, Memory, Any], tuple[Any, Memory]]
One = Callable[[Any], Any]  # of numbers
Two = Callable[[Any, Any], Any]
Three = Callable[[Any, Any, Any], Any]
POWERS = ("power1", "power2")  # numbers in a state: those of Adam's b1 and b2 to the number of the step


class Tree:
    """A type made of Reals, and functions of its numbers."""

    def __init__(self, t: Type) -> None:
        self.type = t

    def each(self, f: Callable[..., Any], *values: object) -> Any:
        """The value that has `f` of their numbers at each place."""
        b, trees = current_builder(), [to_value(x, self.type) for x in values]
        return view(build(b, self.type, lambda path: f(*[view(read(b, x, path)) for x in trees])))


class Optimiser:
    """An optimiser of values of one type. `start` and `step` are `@fn` functions; called, it is its `step`.

    `type` is the type of the values, and `state` that of its states: `{"x": type, "step": Real, …}`.
    """

    def __init__(self, name: str, t: Type, memory: Sequence[str], step: Step, rate: Rate, clip: Number | None) -> None:
        self.name, self.type, tree = name, t, Tree(t)
        kept = {m: Real if m in POWERS else t for m in memory}
        self.state = as_type({"x": t, "step": Real, **kept})

        def first(x: Value) -> Any:
            zero = view(current_builder().zero(t))
            return {"x": x, "step": 0.0, **{m: 1.0 if m in POWERS else zero for m in memory}}

        def after(state: Mapping[str, Any], gradient: Value) -> Any:
            k, g = state["step"], gradient if clip is None else _clipped(tree, gradient, clip)
            x, kept = step(tree, state["x"], g, {m: state[m] for m in memory}, at(rate, k))
            return {"x": x, "step": k + 1.0, **kept}

        self.start: AnyFn = make(first, [t], self.state, f"{name}.start", ["x"])
        self.step: AnyFn = make(after, [self.state, t], self.state, f"{name}.step", ["state", "gradient"])

    def __call__(self, state: object, gradient: object) -> Any:
        return self.step(state, gradient)

    def __repr__(self) -> str:
        return f"<{self.name} of {self.type!r}>"


def _clipped(tree: Tree, g: Value, most: Number) -> Any:
    """The gradient, shortened to the length `most` if it is longer: Pascanu, Mikolov and Bengio (ICML 2013)."""
    length = norm(Flat(tree.type).vector(g))
    by = select(length > most, most / select(length > most, length, 1.0), 1.0)
    shorter: One = lambda x: x * by
    return tree.each(shorter, g)


def _made(name: str, of: object, memory: Sequence[str], step: Step, rate: Rate, clip: Number | None) -> Optimiser:
    t = as_type(of)
    if not is_real(t):
        what = f"rose.optim.{name} changes values made of Reals, not a {t!r}"
        raise TypeMismatch(what, here(), "give the type of what is trained: a struct of Reals and vectors, say")
    clip = None if clip is None else options.number_or_traced(clip, "clip")
    return Optimiser(name, t, memory, step, checked(rate), clip)


@edge
def sgd(of: object, rate: Rate, *, clip: Number | None = None) -> Optimiser:
    """Stochastic gradient descent: `x - rate * g`.

    `of` is the type of what is trained. The `rate` is a number, or a schedule: a function of the number of the step. A
    gradient longer than `clip` is shortened to that. So it is with all of them.
    """

    def step(tree: Tree, x: Value, g: Value, _: Memory, rate: Number) -> tuple[Any, Memory]:
        moved: Two = lambda x, g: x - rate * g
        return tree.each(moved, x, g), {}

    return _made("sgd", of, [], step, rate, clip)


@edge
def momentum(
    of: object, rate: Rate, decay: Number = 0.9, *, nesterov: bool = False, clip: Number | None = None
) -> Optimiser:
    """Gradient descent with momentum: `v = g + decay * v`, and `x - rate * v`; `g + decay * v` for Nesterov's.

    Sutskever, Martens, Dahl and Hinton (ICML 2013), with the rate outside of the velocity, as PyTorch has it.
    """
    decay = options.number_or_traced(decay, "decay", 1.0)

    def step(tree: Tree, x: Value, g: Value, kept: Memory, rate: Number) -> tuple[Any, Memory]:
        together: Two = lambda g, v: g + decay * v
        v = tree.each(together, g, kept["velocity"])
        moved: Three = lambda x, g, v: x - rate * (together(g, v) if nesterov else v)
        return tree.each(moved, x, g, v), {"velocity": v}

    return _made("momentum", of, ["velocity"], step, rate, clip)


@edge
def adam(
    of: object, rate: Rate = 0.001, *, b1: Number = 0.9, b2: Number = 0.999, epsilon: Number = 1e-8,
    clip: Number | None = None,
) -> Optimiser:  # fmt: skip
    """Adam: along the mean of the gradients, over the root of that of their squares: Kingma and Ba (ICLR 2015)."""
    return _adam("adam", of, rate, b1, b2, epsilon, 0.0, clip)


@edge
def adamw(
    of: object, rate: Rate = 0.001, *, b1: Number = 0.9, b2: Number = 0.999, epsilon: Number = 1e-8,
    weight_decay: Number = 1e-4, clip: Number | None = None,
) -> Optimiser:  # fmt: skip
    """Adam with decoupled weight decay, `rate * weight_decay * x`: Loshchilov and Hutter (ICLR 2019)."""
    return _adam("adamw", of, rate, b1, b2, epsilon, options.number_or_traced(weight_decay, "weight_decay"), clip)


def _adam(
    name: str, of: object, rate: Rate, b1: Number, b2: Number, epsilon: Number, decay: Number, clip: Number | None
) -> Optimiser:  # fmt: skip
    b1, b2 = options.number_or_traced(b1, "b1", 1.0), options.number_or_traced(b2, "b2", 1.0)
    epsilon = options.number_or_traced(epsilon, "epsilon")

    def step(tree: Tree, x: Value, g: Value, kept: Memory, rate: Number) -> tuple[Any, Memory]:
        p1, p2 = kept["power1"] * b1, kept["power2"] * b2
        of_means: Two = lambda g, m: b1 * m + (1.0 - b1) * g
        of_squares: Two = lambda g, s: b2 * s + (1.0 - b2) * g * g
        mean, square = tree.each(of_means, g, kept["mean"]), tree.each(of_squares, g, kept["square"])

        def moved(x: Value, m: Value, s: Value) -> Value:
            along = (m / (1.0 - p1)) / (sqrt(s / (1.0 - p2)) + epsilon)
            return x - rate * (along if decay.__class__ is float and decay == 0.0 else along + decay * x)

        return tree.each(moved, x, mean, square), {"mean": mean, "square": square, "power1": p1, "power2": p2}

    return _made(name, of, ["mean", "square", *POWERS], step, rate, clip)


@edge
def lion(
    of: object, rate: Rate = 0.0001, *, b1: Number = 0.9, b2: Number = 0.99,
    weight_decay: Number = 1e-3, clip: Number | None = None,
) -> Optimiser:  # fmt: skip
    """Lion: along the signs of a mean of the gradients: Chen et al., Symbolic discovery of algorithms (2023)."""
    b1, b2 = options.number_or_traced(b1, "b1", 1.0), options.number_or_traced(b2, "b2", 1.0)
    decay = options.number_or_traced(weight_decay, "weight_decay")

    def step(tree: Tree, x: Value, g: Value, kept: Memory, rate: Number) -> tuple[Any, Memory]:
        def moved(x: Value, g: Value, m: Value) -> Value:
            along = b1 * m + (1.0 - b1) * g
            sign = select(along > 0.0, 1.0, select(along < 0.0, -1.0, 0.0))
            return x - rate * (sign + decay * x)

        of_means: Two = lambda g, m: b2 * m + (1.0 - b2) * g
        return tree.each(moved, x, g, kept["mean"]), {"mean": tree.each(of_means, g, kept["mean"])}

    return _made("lion", of, ["mean"], step, rate, clip)
