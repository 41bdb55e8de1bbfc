"""Functions of JAX in the user's file: `rose compile model.py:loss --jax "params, f64[10, 3]"`."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import click

from ..bridges.frameworks import from_jax
from ..frontend.function import AnyFn
from .programs import named_module, reported

SHAPES = {"f64": "float64", "f32": "float32", "i64": "int64", "i32": "int32", "u32": "uint32", "c128": "complex128",
          "c64": "complex64"}  # fmt: skip


class Shapes:
    """Examples of a dtype: `f64[10, 3]` is an array of that shape, and `f64` alone a number."""

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype

    def __getitem__(self, shape: int | tuple[int, ...]) -> Any:
        from jax import ShapeDtypeStruct  # of which nobody else needs the library

        return ShapeDtypeStruct(shape if isinstance(shape, tuple) else (shape,), self.dtype)

    def number(self) -> Any:
        return self[()]


def load_jax(target: str, examples: str) -> tuple[Path, dict[str, AnyFn]]:
    """The path and the functions of FILE:NAME,..., which are JAX's, for examples of their arguments.

    `examples` is an expression of Python over the names of the file and of the dtypes.
    """
    path, module, names = named_module(target)
    if not names:
        raise click.UsageError(f"name the functions: {path}:loss --jax {examples!r}")
    given = _examples(module, examples)
    made: dict[str, AnyFn] = {}
    for name in names:
        f = vars(module).get(name)
        if not callable(f):
            raise click.UsageError(f"{path} has no function {name}")
        with reported(f"{name}: "):
            made[name] = from_jax(f, *given)
    return path, made


def _examples(module: ModuleType, text: str) -> tuple[Any, ...]:
    """The examples that an expression gives."""
    scope = {**{k: Shapes(v) for k, v in SHAPES.items()}, **vars(module)}
    with reported(f"--jax {text!r}: "):
        found = eval(f"({text},)", scope)
    return tuple([x.number() if isinstance(x, Shapes) else x for x in found])
