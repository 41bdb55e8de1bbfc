"""Functions that are written with JAX, as `@fn` functions: their examples are traced, and the body runs the jaxpr."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import TypeMismatch, here
from ..frontend.function import AnyFn, make
from ..ir import Value, shown
from .jax_api import enable_x64, is_key, jax, tree_util
from .jaxprs import Program
from .primitives.control import typed
from .pytrees import children, is_array, leaf_aval, node_of, result_of


def imported(f: Callable[..., Any], examples: Sequence[Any], names: Sequence[str] | None, dtype: str | None) -> AnyFn:
    """What `rose.from_jax` gives."""
    if not callable(f):
        hint = "write rose.from_jax(f, x), with an example of each argument"
        raise TypeMismatch(f"rose.from_jax takes a function, not {shown(f)}", here(), hint)
    if dtype not in (None, "f32"):
        raise TypeMismatch(f'dtype is "f32" or left out, not {shown(dtype)}', here(), 'write dtype="f32"')
    if any(isinstance(x, Value) for x in examples):
        hint = "give what has its shape, such as a jax.ShapeDtypeStruct, outside of the function"
        raise TypeMismatch("an example is an array or a number, not a traced value", here(), hint)
    called = _name(f)
    given = list(names) if names is not None else _names(f, len(examples))
    if len(given) != len(examples):
        what = f"{called}: {len(given)} names for {len(examples)} examples"
        raise TypeMismatch(what, here(), "give a name for each example")
    nodes = [(n, node_of(x)) for n, x in zip(given, examples, strict=True)]
    dynamic = [(n, node) for n, node in nodes if node is not None]
    leaves, tree = tree_util.tree_flatten(examples)
    moving = [k for k, x in enumerate(leaves) if is_array(x)]

    def of_leaves(*xs: Any) -> Any:
        whole = list(leaves)
        for k, x in zip(moving, xs, strict=True):
            whole[k] = x
        return f(*tree_util.tree_unflatten(tree, whole))

    with enable_x64(dtype is None):
        given_examples = [_example(leaves[k], dtype is None) for k in moving]
        jaxpr, out = jax.make_jaxpr(of_leaves, return_shape=True)(*given_examples)
        result, out_leaves = result_of(out), tree_util.tree_leaves(out)

    def body(*args: Any) -> Any:
        with enable_x64(dtype is None):
            xs = [v for (_, node), a in zip(dynamic, args, strict=True) for v in node.leaves(a)]
            program = Program(jaxpr.jaxpr)
            ins = [program.argument(v, leaf_aval(x)) for v, x in zip(xs, given_examples, strict=True)]
            made = program.run(jaxpr, ins)
        values = [typed(x, leaf_aval(a)) for x, a in zip(made, out_leaves, strict=True)]
        return _rebuilt(out, iter(values))

    fn = make(body, [node.type for _, node in dynamic], result, called, [n for n, _ in dynamic])
    fn.__doc__ = inspect.getdoc(f)
    return fn


def _name(f: Any) -> str:
    name = str(getattr(f, "__name__", f.__class__.__name__))
    return "f" if name == "<lambda>" else name


def _names(f: Any, count: int) -> list[str]:
    """The names of the first parameters of a function, or what numbers them."""
    try:
        found = [p.name for p in inspect.signature(f).parameters.values() if p.kind in (0, 1)]
    except (TypeError, ValueError):
        found = []
    return [found[k] if k < len(found) else f"x{k}" for k in range(count)]


def _example(x: Any, wide: bool) -> Any:
    """What JAX traces in the place of an argument: of 64 bits, where it is a fraction."""
    if not hasattr(x, "dtype"):
        return x
    if is_key(x):
        return x
    kind = np.dtype(x.dtype).kind
    t = {"f": np.float64, "c": np.complex128}.get(kind, x.dtype) if wide else x.dtype
    return jax.ShapeDtypeStruct(x.shape, t)


def _rebuilt(tree: Any, values: Any) -> Any:
    """The result in the structure of a pytree of examples: tuples, dicts, and what is made of their fields."""
    if is_array(tree):
        return next(values)
    parts, keys = children(tree)
    made = [(k, _rebuilt(x, values)) for k, x in zip(keys, parts, strict=True) if node_of(x) is not None]
    if tree.__class__ in (tuple, list) or all(k.isdigit() for k in keys):
        return tuple([x for _, x in made])
    return dict(made)
