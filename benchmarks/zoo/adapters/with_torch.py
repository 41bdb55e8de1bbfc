"""PyTorch, in 64 bits: `autograd.grad(create_graph=True)`, again and again; an input without a path counts as 0."""

import torch
import torch.nn.functional as F
from torch.autograd import grad
from torch.utils.checkpoint import checkpoint

from ..harness import Vocabulary, full, run

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def _t(x):
    return x if isinstance(x, torch.Tensor) else torch.tensor(x)


def _custom(f, slope):
    class Made(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return f(x)

        @staticmethod
        def backward(ctx, g):
            return g * slope(*ctx.saved_tensors)

    return Made.apply


def _saved(x):
    """As the report has it: the rule uses an intermediate number that was kept on `ctx`."""

    class Made(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.x, ctx.twice = x, x * 2
            return ctx.twice * 3

        @staticmethod
        def backward(ctx, g):
            return g * 3 * ctx.twice / ctx.x

    return Made.apply(x)


def _inner(f, x):
    x = _t(x) if isinstance(x, torch.Tensor) else torch.tensor(x, requires_grad=True)
    return grad(f(x), x, create_graph=True)[0]


def _updated(x, n):
    v = torch.zeros(2)
    for _ in range(n):
        v[0] += x
    return v[0]


WORDS = Vocabulary(
    sqrt=torch.sqrt, exp=torch.exp, log=torch.log, log1p=torch.log1p, expm1=torch.expm1, sin=torch.sin, cos=torch.cos,
    atan2=torch.atan2, abs=torch.abs, floor=torch.floor, asinh=torch.asinh, sigmoid=torch.sigmoid, sum=torch.sum,
    max=lambda x, y: torch.maximum(_t(x), _t(y)), min=lambda x, y: torch.minimum(_t(x), _t(y)), clip=torch.clamp,
    pow=torch.pow, fmod=torch.fmod, mod=lambda x, y: torch.remainder(_t(x), y), softplus=F.softplus,
    copysign=torch.copysign, prod=torch.prod, norm=torch.linalg.vector_norm, amax=torch.amax,
    std=lambda v: torch.std(v, correction=0), logsumexp=lambda v: torch.logsumexp(v, 0),
    softmax=lambda v: torch.softmax(v, 0), cumprod=lambda v: torch.cumprod(v, 0),
    where=lambda c, x, y: torch.where(_t(c), x, y), stop=lambda x: x.detach(), log_sigmoid=F.logsigmoid,
    logaddexp=torch.logaddexp, xlogy=torch.xlogy, digamma=torch.digamma, sinc=torch.sinc, i0=torch.special.i0,
    log_ndtr=torch.special.log_ndtr, igamma1=lambda x: torch.special.gammainc(torch.ones(()), x),
    det2=lambda x: torch.linalg.det(x.reshape(2, 2)), largest=lambda v, k: torch.topk(v, k)[0],
    prelu=lambda x, a: F.prelu(x.reshape(1), a.reshape(1))[0], layer_norm=lambda v, e: F.layer_norm(v, v.shape, eps=e),
    vec=torch.stack, constants=torch.tensor, powers=lambda x, n: torch.sum(x ** torch.arange(n)),
    table=lambda n, k, f: torch.stack([torch.stack([_t(f(i, j)) for j in range(k)]) for i in range(n)]),
    total=torch.sum, updated=_updated, take=lambda v, at: v.gather(0, torch.tensor(at)),
    filled=lambda v, at, x: torch.tensor(v).index_fill(0, torch.tensor(at), x),
    scattered=lambda n, at, v: torch.zeros(n).index_add(0, torch.tensor(at), v),
    remat=lambda f, x: checkpoint(f, x, use_reentrant=False), grad=_inner, custom=_custom,
)  # fmt: skip
IDIOMS = {"rule with what it saved": lambda m, x: _saved(x[0])}


def orders(program, n):
    def derivative(point, index):
        x = torch.tensor(list(point), requires_grad=True)
        y = _t(program(WORDS, x))
        for k in index:
            if not y.requires_grad:
                return 0.0
            y = grad(y, x, create_graph=True, allow_unused=True, materialize_grads=True)[0][k]
        return y.item()

    return [full(derivative, n, order) for order in range(4)]


if __name__ == "__main__":
    run(orders, f"PyTorch {torch.__version__}", IDIOMS)
