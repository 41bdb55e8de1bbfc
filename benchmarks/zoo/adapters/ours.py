"""Rose: each derivative compiled to a module; in reverse mode alone, and in forward mode alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import rose
from rose import Dual, Real, Vec

from ..harness import Derivative, Vocabulary, run
from ..spec import Missing, Program

SAME = """sqrt exp log log1p expm1 sin cos atan2 abs max min clip floor pow fmod asinh sigmoid softplus copysign
    sum prod norm logsumexp""".split()


class Words(Vocabulary):
    def __init__(self) -> None:
        super().__init__(
            **{name: getattr(rose, name) for name in SAME},
            where=rose.select,
            stop=rose.stop_gradient,
            amax=rose.max,
            while_=rose.while_loop,
            mod=lambda x, y: x % y,
            log_sigmoid=lambda x: -rose.softplus(-x),
            logaddexp=lambda x, y: rose.logsumexp([x, y]),
            xlogy=lambda x, y: x * rose.log(y),
            prelu=lambda x, a: rose.select(x >= 0.0, x, a * x),
            real=lambda i: i + 0.0,
            det2=lambda x: rose.linalg.det([[x[0], x[1]], [x[2], x[3]]]),
        )

    def cond(self, c: Any, then: Any, otherwise: Any, x: Any) -> Any:
        return rose.cond(c, lambda: then(x), lambda: otherwise(x))

    def table(self, n: int, k: int, f: Any) -> Any:
        return rose.vec(rose.vec(f(i, j) for j in rose.range(k)) for i in rose.range(n))

    def total(self, table: Any) -> Any:
        n, k = len(table), len(table[0])
        return rose.sum(rose.sum(table[i][j] for j in rose.range(k)) for i in rose.range(n))

    def vec(self, items: Any) -> Any:
        return rose.constant(Vec[len(items)], items)

    def constants(self, items: Any) -> Any:
        return rose.constant(Vec[len(items)], items)

    def each(self, f: Any, *vectors: Any) -> Any:
        return rose.vec(f(*(v[i] for v in vectors)) for i in rose.range(len(vectors[0])))

    def softmax(self, v: Any) -> Any:
        top = rose.logsumexp(v)
        return self.each(lambda x: rose.exp(x - top), v)

    def std(self, v: Any) -> Any:
        n = len(v)
        mean = rose.sum(v) / n
        return rose.norm(self.each(lambda x: x - mean, v)) / math.sqrt(n)

    def layer_norm(self, v: Any, eps: float) -> Any:
        n = len(v)
        mean = rose.sum(v) / n
        spread = rose.sqrt(rose.sum(self.each(lambda x: (x - mean) ** 2, v)) / n + eps)
        return self.each(lambda x: (x - mean) / spread, v)

    def cumprod(self, v: Any) -> Any:
        def step(i: Any, s: Any) -> Any:
            return s * v[i], s * v[i]

        return rose.scan(step, 1.0, len(v))[1]

    def fold(self, n: int, body: Any, state: Any) -> Any:
        return rose.scan(body, state, n)

    def updated(self, x: Any, n: int) -> Any:
        v = rose.accum([0.0, 0.0])
        for _ in rose.range(n):
            v[0] += x
        return v.value[0]

    def take(self, v: Any, indices: list[int]) -> Any:
        n = len(v)
        at = rose.constant(Vec[len(indices), rose.Fin[n]], indices)
        return rose.vec(v[at[i]] for i in rose.range(len(indices)))

    def filled(self, items: list[float], indices: list[int], x: Any) -> Any:
        return rose.constant(Vec[len(items)], [x if i in indices else v for i, v in enumerate(items)])

    def scattered(self, n: int, indices: list[int], v: Any) -> Any:
        at = rose.constant(Vec[len(indices), rose.Fin[n]], indices)
        out = rose.accum([0.0] * n)
        for i in rose.range(len(indices)):
            out[at[i]] += v[i]
        return out.value

    def digamma(self, x: Any) -> Any:
        return rose.grad(rose.fn([Real], Real)(lambda v: rose.lgamma(v)))(x)

    def remat(self, f: Any, x: Any) -> Any:
        return rose.scan(lambda i, s: f(s), x, 1, checkpoint="sqrt")

    def grad(self, f: Any, x: Any) -> Any:
        return rose.grad(rose.fn([Real], Real)(f))(x)

    def custom(self, f: Any, slope: Any) -> Any:
        made = rose.fn([Real], Real)(f)
        made.jvp(lambda x: Dual(made(x.re), slope(x.re) * x.du))
        return made


def functions(program: Program, n: int) -> tuple[rose.Fn[..., Any], ...]:
    """The function, and its derivatives of orders 1 to 3: in reverse mode, and in forward mode."""
    f = rose.fn([Vec[n]], Real)(lambda x: program(Words(), x))
    back = [f, rose.grad(f)]
    ahead = [f, rose.jacfwd(f)]
    for _ in range(2):
        back.append(rose.jacrev(back[-1]))
        ahead.append(rose.jacfwd(ahead[-1]))
    return (*back, *ahead[1:])


def modes(program: Program, n: int) -> tuple[Sequence[Derivative], Sequence[Derivative]]:
    """The same orders in reverse mode alone, and in forward mode alone, in one module."""
    try:
        module = rose.compile({f"d{k}": f for k, f in enumerate(functions(program, n))})
    except AttributeError as e:
        raise Missing(str(e)) from None
    made = [called(getattr(module, f"d{k}")) for k in range(7)]
    return made[:4], [made[0], *made[4:]]


def called(f: Callable[..., Any]) -> Derivative:
    return lambda point: f(list(point))


if __name__ == "__main__":
    run(lambda program, n: modes(program, n)[0], f"Rose {rose.version.VERSION}")
