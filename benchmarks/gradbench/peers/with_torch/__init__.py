"""PyTorch on the CPU, in numbers of 64 bits, eager, in one thread. A run makes its graph anew, as a user's does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ...programs import Job

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def plain(x: Any) -> Any:
    """For JSON."""
    if isinstance(x, dict):
        return {key: plain(y) for key, y in x.items()}
    return x.tolist() if isinstance(x, torch.Tensor) else x


def tensors(*xs: Any, needs: bool = False) -> list[Any]:
    return [torch.tensor(x, dtype=torch.float64, requires_grad=needs) for x in xs]


def value(f: Callable[..., Any], *xs: Any, shown: Callable[[Any], Any] = plain, **rest: Any) -> Job:
    """`f` of tensors, made of these lists."""
    given = tensors(*xs)

    def run() -> Any:
        with torch.no_grad():
            return f(*given, **rest)

    run()
    return Job(run, shown)


def gradient(f: Callable[..., Any], *xs: Any, shown: Callable[[Any], Any] = lambda g: plain(g[0]), **rest: Any) -> Job:
    """The gradients of `f` by each of its tensors."""
    given = tensors(*xs, needs=True)
    run = lambda: torch.autograd.grad(f(*given, **rest), given)
    run()
    return Job(run, shown)
