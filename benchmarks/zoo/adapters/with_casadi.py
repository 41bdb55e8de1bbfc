"""CasADi, with SX: `gradient`, `hessian`, and the Jacobian of that."""

import casadi as ca

from ..harness import Vocabulary, run
from ..spec import Missing


def _each(f, *vectors):
    return ca.vertcat(*[f(*(v[i] for v in vectors)) for i in range(vectors[0].numel())])


def _sum(v):
    return ca.sum1(v)


def _product(v):
    out = 1
    for i in range(v.numel()):
        out = out * v[i]
    return out


def _cumprod(v):
    return ca.vertcat(*[_product(v[: i + 1]) for i in range(v.numel())])


def _log_of_sum(x, y):
    return ca.logsumexp(ca.vertcat(x, y))


def _equal(a, b):
    if a is b:
        raise Missing("there is no isnan")
    return a == b


def _while(*_):
    raise Missing("no loop of a length that the data decides")


def _grad(f, x):
    y = ca.SX.sym("y")
    return ca.substitute(ca.gradient(f(y), y), y, x)


WORDS = Vocabulary(
    sqrt=ca.sqrt, exp=ca.exp, log=ca.log, log1p=ca.log1p, expm1=ca.expm1, sin=ca.sin, cos=ca.cos, atan2=ca.atan2,
    abs=ca.fabs, max=ca.fmax, min=ca.fmin, clip=lambda x, a, b: ca.fmin(ca.fmax(x, a), b), floor=ca.floor,
    pow=lambda x, y: x**y, fmod=ca.fmod, mod=lambda x, y: x - y * ca.floor(x / y),
    asinh=ca.asinh, copysign=ca.copysign, sum=_sum, norm=ca.norm_2, amax=ca.mmax, logsumexp=ca.logsumexp,
    where=ca.if_else, while_=_while, equal=lambda a, b: _equal(a, b), prod=_product, cumprod=_cumprod, each=_each,
    vec=lambda items: ca.vertcat(*items), constants=lambda items: ca.SX(items), softplus=lambda x: _log_of_sum(x, 0),
    sigmoid=lambda x: 0.5 + 0.5 * ca.tanh(0.5 * x), log_sigmoid=lambda x: -_log_of_sum(-x, 0),
    softmax=lambda v: ca.exp(v - ca.logsumexp(v)), logaddexp=lambda x, y: _log_of_sum(x, y),
    xlogy=lambda x, y: x * ca.log(y), prelu=lambda x, a: ca.if_else(x >= 0, x, a * x),
    layer_norm=lambda v, e: (v - ca.sum1(v) / 3) / ca.sqrt(ca.sumsqr(v - ca.sum1(v) / 3) / 3 + e),
    cond=lambda c, then, otherwise, x: ca.if_else(c, then(x), otherwise(x)), take=lambda v, at: v[at],
    std=lambda v: ca.norm_2(v - ca.sum1(v) / v.numel()) / v.numel() ** 0.5,
    filled=lambda v, at, x: _filled(v, at, x), scattered=lambda n, at, v: _scattered(n, at, v), grad=_grad,
    differ=lambda i, j: ca.SX(i) != ca.SX(j), det2=lambda x: ca.det(ca.reshape(x, 2, 2)),
)  # fmt: skip


def _filled(v, at, x):
    out = ca.SX(v)
    for i in at:
        out[i] = x
    return out


def _scattered(n, at, v):
    out = ca.SX.zeros(n)
    for k, i in enumerate(at):
        out[i] += v[k]
    return out


def orders(program, n):
    x = ca.SX.sym("x", n)
    f = ca.SX(program(WORDS, x))
    h, g = ca.hessian(f, x)
    t = ca.jacobian(ca.vec(h), x)
    return [_called(x, y) for y in (f, g, h, t)]


def _called(x, y):
    f = ca.Function("f", [x], [ca.densify(y)])
    return lambda point: f(list(point)).full().T.ravel()


if __name__ == "__main__":
    run(orders, f"CasADi {ca.__version__}")
