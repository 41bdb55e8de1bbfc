"""Dr.Jit, by LLVM in 64 bits: `backward`. It has no derivatives of derivatives."""

import drjit as dr
from drjit.llvm.ad import ArrayXf64, Float64, Matrix2f64

from ..harness import Vocabulary, run
from ..spec import Missing


def _none(_):
    raise Missing("Dr.Jit differentiates once")


def _each(f, *vectors):
    return ArrayXf64(*[Float64(f(*(v[i] for v in vectors))) for i in range(len(vectors[0]))])


def _while(test, body, state):
    several = isinstance(state, tuple)
    start = tuple(map(Float64, state if several else (state,)))
    unpacked = (lambda s: s) if several else (lambda s: s[0])
    end = dr.while_loop(
        state=start,
        cond=lambda *s: test(unpacked(s)),
        body=lambda *s: body(unpacked(s)) if several else (body(s[0]),),
        max_iterations=16,
    )
    return unpacked(end)


WORDS = Vocabulary(
    sqrt=dr.sqrt, exp=dr.exp, log=dr.log, sin=dr.sin, cos=dr.cos, atan2=dr.atan2, abs=dr.abs, max=dr.maximum,
    min=dr.minimum, clip=dr.clip, floor=dr.floor, pow=dr.power, asinh=dr.asinh, copysign=dr.copysign, sum=dr.sum,
    prod=dr.prod, norm=dr.norm, amax=dr.max, where=dr.select, stop=dr.detach, each=_each,
    vec=lambda items: ArrayXf64(*items), constants=lambda items: ArrayXf64(*items), while_=_while,
    det2=lambda x: dr.det(Matrix2f64(x[0], x[1], x[2], x[3])), real=Float64,
    prelu=lambda x, a: dr.select(x >= 0, x, a * x), xlogy=lambda x, y: x * dr.log(y),
    softmax=lambda v: dr.exp(v - dr.max(v)) / dr.sum(dr.exp(v - dr.max(v))),
    take=lambda v, at: ArrayXf64(*[v[i] for i in at]), cond=lambda c, t, e, x: dr.select(c, t(x), e(x)),
    layer_norm=lambda v, e: (v - dr.mean(v)) / dr.sqrt(dr.mean(dr.square(v - dr.mean(v))) + e),
)  # fmt: skip


def orders(program, n):
    def value(point):
        return Float64(program(WORDS, ArrayXf64(*point)))[0]

    def gradient(point):
        x = ArrayXf64(*point)
        dr.enable_grad(x)
        y = Float64(program(WORDS, x))
        if not dr.grad_enabled(y):
            return [0.0] * n
        dr.backward(y, dr.ADFlag.Default | dr.ADFlag.AllowNoGrad)
        return [dr.grad(x)[i][0] for i in range(n)]

    return [value, gradient, _none, _none]


if __name__ == "__main__":
    run(orders, f"Dr.Jit {dr.__version__}")
