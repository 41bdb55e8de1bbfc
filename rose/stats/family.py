# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownLambdaType=false
"""What distributions over numbers share: parameters by place and by name, `loc` and `scale`, the support, `sample`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import NoField, TypeMismatch, here
from ..frontend.arrays.elementwise import array_function, each
from ..frontend.arrays.shapes import ShapeLike, as_array, broadcast, shape_given, shape_of
from ..frontend.arrays.shaping import broadcast_to, reshape
from ..frontend.language import control, loops
from ..frontend.language.select import select, stop_gradient
from ..frontend.typed import Operand
from ..ir import Value, shown
from ..ir.ops import exp, floor, log, log1p, sqrt
from ..random import fold_in, uniform
from ..random.keys import Key

_LARGEST = 2.0**53  # whole numbers beyond have gaps

Formula = Callable[..., Any]  # of numbers: a place, or a probability, and the shapes


class Family:
    """A family of distributions, with parameters of its own, its `shapes`, and with `loc` and `scale`.

    `formulas` has what is known of the one at 0, of scale 1, by name: `logpdf` (`logpmf`), `cdf`, `sf` and so on, each
    a function of a number and the shapes; `mean`, `var` and `entropy`, of the shapes; and `valid`, whether these are
    parameters at all. `low` and `high` are the ends of the support, numbers or functions of the shapes.
    """

    def __init__(
        self, name: str, shapes: str = "", *, low: float | Formula = -math.inf, high: float | Formula = math.inf,
        **formulas: Formula,
    ) -> None:  # fmt: skip
        self.name, self.shapes, self.formulas = name, shapes.split(), formulas
        self.names = [*self.shapes, "loc", "scale"]
        self.low: Formula = low if callable(low) else lambda *_: low
        self.high: Formula = high if callable(high) else lambda *_: high

    def __repr__(self) -> str:
        return f"<the distributions {self.name}({', '.join(self.names)})>"

    def parameters(self, args: Sequence[Operand], named: dict[str, Operand]) -> list[Any]:
        """One for each name: those without one are 0 for `loc`, and 1 for `scale`."""
        given: dict[str, Any] = {"loc": 0.0, "scale": 1.0}
        given.update(zip(self.names, args, strict=False))
        wrong = [k for k in named if k not in self.names or k in self.names[: len(args)]]
        given.update(named)
        if wrong or len(args) > len(self.names) or any([k not in given for k in self.shapes]):
            what = f"{self.name} takes {', '.join(self.shapes + [f'{k}=' for k in self.names[len(self.shapes) :]])}"
            got = f"got {', '.join([*map(shown, args), *[f'{k}={shown(x)}' for k, x in named.items()]]) or 'none'}"
            raise TypeMismatch(f"{what} after what it is asked for, and {got}", here(), "give each of them once")
        return [given[k] for k in self.names]

    def formula(self, *names: str) -> Formula:
        """The formula of the first of these names that is known."""
        for k in names:
            if k in self.formulas:
                return self.formulas[k]
        there = ", ".join(sorted({*self.formulas} - {"valid", "draw"}))
        what = f"rose.stats.{self.name} has no {names[0]}"
        raise NoField(what, here(), f"no closed form of it is known here; there is {there}")

    def of(self, at: Formula, x: Operand, args: Sequence[Operand], named: dict[str, Operand]) -> Any:
        """`at(z, scale, shapes)` for each number, where `z` is in units of the scale; nan of no parameters."""
        given = self.parameters(args, named)

        def number(x: Value, *given: Any) -> Any:
            *shapes, loc, scale = given
            return self.checked(at((x - loc) / scale, scale, shapes), shapes, scale)

        return array_function(lambda: each(number, x, *given))()

    def checked(self, y: Value, shapes: Sequence[Any], scale: Value) -> Any:
        valid = self.formulas.get("valid")
        holds = scale > 0.0 if valid is None else (scale > 0.0) & valid(*shapes)
        return y if holds is True else select(holds, y, math.nan)

    def inside(self, z: Value, shapes: Sequence[Any], formula: Formula, below: float, above: float) -> Any:
        """A formula between the ends of the support, and constants outside; nan stays."""
        low, high = self.low(*shapes), self.high(*shapes)
        y = formula(z, *shapes)
        y = y if low.__class__ is float and low == -math.inf else select(z < low, below, y)
        return y if high.__class__ is float and high == math.inf else select(z > high, above, y)

    def probability(self, z: Value, shapes: Sequence[Any], formula: Formula, below: float, above: float) -> Any:
        """A formula inside of the support, and constants from its ends on; nan stays."""
        return select(z <= self.low(*shapes), below, select(z >= self.high(*shapes), above, formula(z, *shapes)))

    def moment(self, what: str, args: Sequence[Operand], named: dict[str, Operand], scaled: Formula) -> Any:
        given, formula = self.parameters(args, named), self.formula(what)

        def number(*given: Any) -> Any:
            *shapes, loc, scale = given
            return self.checked(scaled(formula(*shapes), loc, scale), shapes, scale)

        return array_function(lambda: each(number, *given))()

    def mean(self, *args: Operand, **named: Operand) -> Any:
        """The mean; it is infinite or nan where the integral is."""
        return self.moment("mean", args, named, lambda m, loc, scale: loc + scale * m)

    def var(self, *args: Operand, **named: Operand) -> Any:
        """The variance."""
        return self.moment("var", args, named, lambda v, _, scale: scale * scale * v)

    def std(self, *args: Operand, **named: Operand) -> Any:
        """The standard deviation."""
        return self.moment("var", args, named, lambda v, _, scale: scale * sqrt(v))

    def entropy(self, *args: Operand, **named: Operand) -> Any:
        """The differential entropy, or that of whole numbers, in units of e."""
        return self.moment("entropy", args, named, lambda h, _, scale: h + log(scale))

    def cdf(self, x: Operand, *args: Operand, **named: Operand) -> Any:
        """The probability of a number up to `x`."""
        f = self.formula("cdf")
        return self.of(lambda z, _, shapes: self.probability(z, shapes, f, 0.0, 1.0), x, args, named)

    def sf(self, x: Operand, *args: Operand, **named: Operand) -> Any:
        """The probability of a number above `x`, exact where that is small."""
        f = self.formula("sf")
        return self.of(lambda z, _, shapes: self.probability(z, shapes, f, 1.0, 0.0), x, args, named)

    def logcdf(self, x: Operand, *args: Operand, **named: Operand) -> Any:
        """The logarithm of `cdf`."""
        cdf, sf = self.formulas.get("cdf"), self.formulas.get("sf")
        f = self.formulas.get("logcdf") or self._logarithm("logcdf", cdf, sf)
        return self.of(lambda z, _, shapes: self.probability(z, shapes, f, -math.inf, 0.0), x, args, named)

    def logsf(self, x: Operand, *args: Operand, **named: Operand) -> Any:
        """The logarithm of `sf`."""
        cdf, sf = self.formulas.get("cdf"), self.formulas.get("sf")
        f = self.formulas.get("logsf") or self._logarithm("logsf", sf, cdf)
        return self.of(lambda z, _, shapes: self.probability(z, shapes, f, 0.0, -math.inf), x, args, named)

    def _logarithm(self, what: str, p: Formula | None, other: Formula | None) -> Formula:
        """The logarithm of a probability, from the smaller of it and the other one."""
        if p is None or other is None:
            return self.formula(what)

        def f(z: Value, *shapes: object) -> Any:
            is_small = p(z, *shapes) < 0.5
            return select(is_small, log(p(z, *shapes)), log1p(-other(z, *shapes)))

        return f


class Continuous(Family):
    """A family of distributions over numbers."""

    def logpdf(self, x: Operand, *args: Operand, **named: Operand) -> Any:
        """The logarithm of the density at `x`; -inf outside of the support."""
        f = self.formula("logpdf")
        at: Formula = lambda z, scale, shapes: self.inside(z, shapes, f, -math.inf, -math.inf) - log(scale)
        return self.of(at, x, args, named)

    def pdf(self, x: Operand, *args: Operand, **named: Operand) -> Any:
        """The density at `x`."""
        f = self.formula("logpdf")
        at: Formula = lambda z, scale, shapes: exp(self.inside(z, shapes, f, -math.inf, -math.inf)) / scale
        return self.of(at, x, args, named)

    def ppf(self, q: Operand, *args: Operand, **named: Operand) -> Any:
        """The number of which the `cdf` is `q`; nan of what is no probability."""
        return self._quantile(self.formula("ppf"), q, args, named)

    def isf(self, q: Operand, *args: Operand, **named: Operand) -> Any:
        """The number of which the `sf` is `q`."""
        ppf = self.formula("ppf")
        return self._quantile(self.formulas.get("isf") or (lambda q, *shapes: ppf(1.0 - q, *shapes)), q, args, named)

    def _quantile(self, formula: Formula, q: Operand, args: Sequence[Operand], named: dict[str, Operand]) -> Any:
        given = self.parameters(args, named)

        def number(q: Any, *given: Any) -> Any:
            *shapes, loc, scale = given
            z = loc + scale * formula(q, *shapes)
            return self.checked(select((q >= 0.0) & (q <= 1.0), z, math.nan), shapes, scale)

        return array_function(lambda: each(number, q, *given))()

    def sample(self, key: Key, *args: Operand, shape: ShapeLike = (), **named: Operand) -> Any:
        """Numbers drawn by a key of `rose.random`: an array of that shape, or of that of the parameters.

        They have derivatives in the parameters: of a number whose place in the distribution stays the same.
        """
        given = self.parameters(args, named)
        if "draw" not in self.formulas and "ppf" not in self.formulas:
            self.formula("sample")
        return array_function(lambda: self._drawn(key, given, shape))()

    def _drawn(self, key: Key, given: list[Any], shape: ShapeLike) -> Any:
        sizes = [shape_of(as_array(x).type) for x in given]
        size = shape_given(shape, f"rose.stats.{self.name}.sample") or broadcast(sizes)
        *shapes, loc, scale = given
        draw = self.formulas.get("draw")
        if draw is None:
            return self.ppf(uniform(key, size), *given)
        if not any(sizes[: len(shapes)]):
            z = draw(key, size, *shapes)
        else:  # each by a key of its place
            flat = [reshape(broadcast_to(as_array(x), size), -1) for x in shapes]
            count = shape_of(flat[0].type)[0]
            z = reshape(loops.vec(draw(fold_in(key, i), (), *[x[i] for x in flat]) for i in loops.range(count)), size)
        return each(lambda z, loc, scale: loc + scale * z, z, loc, scale)


class Discrete(Family):
    """A family of distributions over whole numbers. It has no `scale`; other numbers have no probability."""

    def __init__(self, name: str, shapes: str = "", *, low: float = 0.0, **formulas: Any) -> None:
        super().__init__(name, shapes, low=low, **formulas)
        self.names = [*self.shapes, "loc"]

    def parameters(self, args: Sequence[Operand], named: dict[str, Operand]) -> list[Any]:
        return [*super().parameters(args, named), 1.0]

    def inside(self, z: Value, shapes: Sequence[Any], formula: Formula, below: float, above: float) -> Any:
        return super().inside(floor(z), shapes, formula, below, above)

    def probability(self, z: Value, shapes: Sequence[Any], formula: Formula, below: float, above: float) -> Any:
        k = floor(z)
        return select(k < self.low(*shapes), below, select(k >= self.high(*shapes), above, formula(k, *shapes)))

    def logpmf(self, k: Operand, *args: Operand, **named: Operand) -> Any:
        """The logarithm of the probability of `k`; -inf of what is no whole number of the support."""
        f = self.formula("logpmf")

        def at(z: Any, _: Any, shapes: Sequence[Any]) -> Any:
            return select(floor(z) == z, self.inside(z, shapes, f, -math.inf, -math.inf), -math.inf)

        return self.of(at, k, args, named)

    def pmf(self, k: Operand, *args: Operand, **named: Operand) -> Any:
        """The probability of `k`."""
        return array_function(lambda: each(exp, self.logpmf(k, *args, **named)))()

    def ppf(self, q: Operand, *args: Operand, **named: Operand) -> Any:
        """The least whole number of which the `cdf` is at least `q`; as in SciPy, the one below the support for 0.

        It is flat in the parameters but `loc`, and found by bisection: with some two `cdf` for each binary digit.
        """
        given = self.parameters(args, named)

        def number(q: Any, *given: Any) -> Any:
            *shapes, loc, scale = given
            k = self._least(stop_gradient(q), [stop_gradient(x) for x in shapes])
            return self.checked(loc + select((q >= 0.0) & (q <= 1.0), k, math.nan), shapes, scale)

        return array_function(lambda: each(number, q, *given))()

    def _least(self, q: Any, shapes: Sequence[Any]) -> Any:
        below, cdf = self.low(*shapes) - 1.0, self.formula("cdf")
        reaches: Formula = lambda k: self.probability(k, shapes, cdf, 0.0, 1.0) >= q
        size = control.while_loop(lambda n: ~reaches(below + n) & (n < _LARGEST), lambda n: 2.0 * n, 1.0)

        def step(state: tuple[Value, Value]) -> Any:
            low, high = state
            middle = floor(low + 0.5 * (high - low))
            is_enough = reaches(middle)
            return select(is_enough, low, middle), select(is_enough, middle, high)

        found = control.while_loop(lambda s: s[1] - s[0] > 1.0, step, (below, below + size))[1]
        return select(q == 0.0, below, select(q == 1.0, self.high(*shapes), found))
