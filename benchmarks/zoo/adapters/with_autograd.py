"""autograd: `grad`, then `jacobian` of it, and again."""

from importlib.metadata import version

import autograd.numpy as np
import autograd.scipy.special as special
from autograd import grad, jacobian
from autograd.extend import defvjp, primitive
from autograd.numpy.numpy_boxes import ArrayBox
from autograd.tracer import getval

from ..harness import Vocabulary, run


def _custom(f, slope):
    made = primitive(lambda x: f(x))
    defvjp(made, lambda ans, x: lambda g: g * slope(x))
    return made


def _stop(x):
    while isinstance(x, ArrayBox):
        x = getval(x)
    return x


WORDS = Vocabulary(
    sqrt=np.sqrt, exp=np.exp, log=np.log, log1p=np.log1p, expm1=np.expm1, sin=np.sin, cos=np.cos, atan2=np.arctan2,
    abs=np.abs, max=np.maximum, min=np.minimum, clip=np.clip, floor=np.floor, pow=np.power, fmod=np.fmod, mod=np.mod,
    asinh=np.arcsinh, sigmoid=special.expit, sum=np.sum, prod=np.prod, norm=np.linalg.norm, amax=np.max, std=np.std,
    logsumexp=special.logsumexp, where=np.where, stop=_stop, logaddexp=np.logaddexp, digamma=special.digamma,
    softmax=lambda v: np.exp(v - special.logsumexp(v)), softplus=lambda x: np.logaddexp(x, 0.0),
    log_sigmoid=lambda x: -np.logaddexp(-x, 0.0), sinc=np.sinc, i0=special.i0,
    igamma1=lambda x: special.gammainc(1.0, x), det2=lambda x: np.linalg.det(np.reshape(x, (2, 2))),
    largest=lambda v, k: np.sort(v)[-k:], prelu=lambda x, a: np.where(x >= 0, x, a * x),
    vec=lambda items: np.array(items), constants=np.array, powers=lambda x, n: np.sum(x ** np.arange(n)),
    table=lambda n, k, f: np.array([[f(i, j) for j in range(k)] for i in range(n)]), total=np.sum,
    take=lambda v, at: v[np.array(at)], layer_norm=lambda v, e: (v - np.mean(v)) / np.sqrt(np.var(v) + e),
    grad=lambda f, x: grad(f)(x), custom=_custom,
)  # fmt: skip


def orders(program, n):
    f = lambda x: program(WORDS, x)
    made = [f, grad(f), jacobian(grad(f)), jacobian(jacobian(grad(f)))]
    return [lambda x, g=g: g(np.array(x)) for g in made]


if __name__ == "__main__":
    run(orders, f"autograd {version('autograd')}")
