"""A function of ours as an operator of PyTorch: a `torch.autograd.Function`, whose backward is one again."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from typing import Any

from ..frontend.function import AnyFn
from .operators import Operator, structure_of


def exported(f: AnyFn) -> Callable[..., Any]:
    """What `rose.to_torch` gives."""
    torch, made = import_module("torch"), structure_of(f, "to_torch")

    @torch.compiler.disable
    @wraps(f.body)
    def call(*args: Any, **named: Any) -> Any:
        arrays = made.arrays(f.bind(args, named))
        return made.result(_function().apply(made.operator, *map(torch.as_tensor, arrays)))

    return call


@cache
def _function() -> Any:
    """The class of an operator and its arguments: results are on the processor, of the widest argument's dtype."""
    torch: Any = import_module("torch")

    class Call(torch.autograd.Function):
        @staticmethod
        def forward(op: Operator, *xs: Any) -> tuple[Any, ...]:
            wide = [x.dtype for x in xs if x.dtype.is_floating_point]
            dtype = torch.float64 if not wide or torch.float64 in wide else torch.float32
            outs = [torch.from_numpy(y) for y in op.run(*[x.detach().cpu().numpy() for x in xs])]
            return tuple([y.to(dtype) if a.moves else y for y, a in zip(outs, op.outs, strict=True)])

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Any, ...]) -> None:
            ctx.op, *xs = inputs
            ctx.save_for_backward(*xs)
            ctx.save_for_forward(*xs)
            ctx.mark_non_differentiable(*[y for y, a in zip(output, ctx.op.outs, strict=True) if not a.moves])

        @staticmethod
        def backward(ctx: Any, *cts: Any) -> tuple[Any, ...]:
            op, xs = ctx.op, ctx.saved_tensors
            given = [ct for ct, a in zip(cts, op.outs, strict=True) if a.moves]
            found = dict(zip(op.moving, Call.apply(op.cotangents, *xs, *given), strict=True))
            return None, *[found[k].to(x.dtype) if k in found else None for k, x in enumerate(xs)]

        @staticmethod
        def jvp(ctx: Any, _: None, *tangents: Any) -> tuple[Any, ...]:
            op, xs = ctx.op, ctx.saved_tensors
            along = [torch.zeros_like(xs[k]) if tangents[k] is None else tangents[k] for k in op.moving]
            found = iter(Call.apply(op.tangents, *xs, *along))
            return tuple([next(found) if a.moves else None for a in op.outs])

        @staticmethod
        def vmap(info: Any, in_dims: tuple[Any, ...], op: Operator, *xs: Any) -> tuple[Any, Any]:
            there = [d is not None for d in in_dims[1:]]
            moved = [x.movedim(d, 0) if b else x for x, d, b in zip(xs, in_dims[1:], there, strict=True)]
            outs = Call.apply(op.vmapped(there, info.batch_size), *moved)
            return outs, tuple([0 for _ in outs])

    return Call
