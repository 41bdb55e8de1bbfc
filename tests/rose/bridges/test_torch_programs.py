"""Modules of PyTorch, where that is installed: values, and gradients in their parameters."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rose

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed")
nn: Any = torch.nn


class Recurrent(nn.Module):
    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.steps, self.out = kind(4, 8, batch_first=True), nn.Linear(8, 2)

    def forward(self, x: Any) -> Any:
        return self.out(self.steps(x)[0][:, -1])


class Tokens(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table, self.out = nn.Embedding(7, 4), nn.Linear(4, 2)

    def forward(self, tokens: Any) -> Any:
        return self.out(self.table(tokens).mean(1))


torch.manual_seed(0)
MODULES: dict[str, tuple[Any, Any]] = {
    "perceptron": (nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 9), nn.Tanh(), nn.LayerNorm(9),
                                 nn.Linear(9, 3), nn.Softmax(-1)), torch.randn(5, 4)),
    "convolutions": (nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.GELU(),
                                   nn.Conv2d(4, 4, 3, padding=1), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(36, 3)),
                     torch.randn(2, 1, 14, 14)),
    "groups": (nn.Sequential(nn.Conv2d(4, 8, 3, groups=4, padding=1, stride=2), nn.GroupNorm(2, 8), nn.SiLU(),
                             nn.ConvTranspose2d(8, 2, 3, stride=2, padding=1, output_padding=1)),
               torch.randn(2, 4, 6, 6)),
    "GRU": (Recurrent(nn.GRU), torch.randn(2, 5, 4)),
    "LSTM": (Recurrent(nn.LSTM), torch.randn(2, 5, 4)),
    "transformer": (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True), torch.randn(2, 5, 8)),
    "embedding": (Tokens(), torch.tensor([[1, 2, 6], [0, 3, 3]])),
}  # fmt: skip


def leaves(tree: dict[str, Any], name: str = "") -> Iterator[tuple[str, Any]]:
    for k, x in tree.items():
        yield from leaves(x, f"{name}{k}.") if x.__class__ is dict else [(f"{name}{k}", x)]


@pytest.mark.parametrize("name", MODULES)
def test_a_module_and_its_gradient_are_pytorchs(name: str):
    module, x = MODULES[name]
    module, x = module.double().eval(), x.double() if x.is_floating_point() else x
    wanted = module(x)
    np.testing.assert_allclose(rose.from_torch(module, x)(x.numpy()), wanted.detach().numpy(), rtol=1e-12, atol=1e-12)
    f = rose.from_torch(module, x, parameters=True)
    total = rose.fn(list(f.types), rose.Real)(lambda p, x: rose.sum(rose.sin(f(p, x))))
    slopes = dict(leaves(rose.grad(total)(rose.torch_parameters(module), x.numpy())))
    torch.sin(wanted).sum().backward()
    for k, p in module.named_parameters():
        np.testing.assert_allclose(slopes[k], p.grad.numpy(), rtol=1e-10, atol=1e-12)


def test_what_is_refused():
    class Sorted(nn.Module):
        def forward(self, x: Any) -> Any:
            return torch.sort(x)[0]

    with pytest.raises(rose.TypeMismatch, match=r"aten\.sort\.default has no meaning here, in 'return torch\.sort"):
        rose.compile(rose.from_torch(Sorted(), torch.ones(3)))
    with pytest.raises(rose.TypeMismatch, match="avg_pool2d with padding, or ceil_mode=True, has no meaning here"):
        rose.compile(rose.from_torch(nn.AvgPool2d(2, padding=1), torch.ones(1, 1, 4, 4)))
