"""`rose.from_jax`, and the ways back: the frameworks are imported when these are called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

from ..errors import RoseError, edge, here
from ..frontend.function import AnyFn


@edge
def from_jax(
    f: Callable[..., Any], *examples: Any, names: Sequence[str] | None = None, dtype: str | None = None
) -> AnyFn:
    """The function `f` of JAX as an `@fn`, for arguments of the shapes of the examples.

    An example is what JAX would be given: a number, an array, a `jax.ShapeDtypeStruct`, keys, or a pytree of these. A
    dict, a dataclass or a module becomes a struct with the names of its fields, a list a tuple. What in it is no
    number, such as an activation, a string or a bool of Python, is a constant of the program. Keys are given by their
    words, `jax.random.key_data(key)`. `names` are those of the parameters.

    The program is traced as JAX traces it with `jax_enable_x64`, and computes with numbers of 64 bits; `dtype="f32"`
    traces it with JAX's default dtypes, for a module of `rose.compile(f, dtype="f32")`. Whole numbers of 32 bits wrap,
    those of 64 are exact below `2 ** 53`. Derivatives are Rose's: `rose.grad(rose.from_jax(f, x))`; those of
    `custom_jvp`, `custom_vjp` and `custom_linear_solve` are the given ones. What has no meaning here is refused with
    the primitive's name, at the line of `f` that made it. JAX 0.6 or newer: `pip install jax`.
    """
    _needs("jax", "JAX", "rose.from_jax")
    from .jax_functions import imported

    return imported(f, examples, names, dtype)


@edge
def to_jax(f: AnyFn) -> Callable[..., Any]:
    """An `@fn` as a function of JAX, under `jit`, `vmap`, `grad` and all other transforms, to any order.

    Parameters and results are arrays of numbers, truth values and indices, in structs, dicts and tuples; only numbers
    have derivatives. It computes with numbers of 64 bits, on the processor, and gives JAX what its dtype has. A call is
    one of Python, under `jit` a `jax.pure_callback`: it takes some 60 us, under `jit` some 90 us, beside the function
    itself. JAX 0.6 or newer: `pip install jax`.
    """
    _needs("jax", "JAX", "rose.to_jax")
    from .to_jax import exported

    return exported(f)


@edge
def to_torch(f: AnyFn) -> Callable[..., Any]:
    """An `@fn` as a function of tensors of PyTorch, with derivatives in reverse and forward mode, to any order.

    Parameters and results are as those of `rose.to_jax`. It computes with numbers of 64 bits, on the processor; results
    are of 32 where all tensors are. `torch.compile` leaves a call as it is. PyTorch 2.1 or newer.
    """
    _needs("torch", "PyTorch", "rose.to_torch")
    from .to_torch import exported

    return exported(f)


@edge
def from_torch(module: Any, *examples: Any, parameters: bool = False) -> AnyFn:
    """A module of PyTorch as an `@fn`, for arguments of the shapes of the examples: as `torch.export` traces it.

    The module is that of `eval()`, and its parameters are constants. With `parameters=True` they are the first
    parameter, a struct by the parts of their names, so that they have a gradient: `rose.torch_parameters(module)` are
    their values. It computes with numbers of 64 bits. An operator without a meaning here is refused by name and line.
    PyTorch 2.5 or newer, and JAX, whose rules are shared.
    """
    _needs("torch", "PyTorch", "rose.from_torch")
    from .torch_programs import imported

    return imported(module, examples, parameters)


@edge
def torch_parameters(module: Any) -> dict[str, Any]:
    """The parameters of a module of PyTorch as `rose.from_torch(module, ..., parameters=True)` takes them."""
    _needs("torch", "PyTorch", "rose.torch_parameters")
    from .torch_programs import weights_of

    return weights_of(module)


def _needs(module: str, library: str, name: str) -> None:
    if find_spec(module) is None:
        raise RoseError(f"{name} needs {library}, which is not installed", here(), f"pip install {module}")
