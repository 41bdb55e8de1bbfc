"""Modules of PyTorch as `@fn` functions: the graph of `torch.export`, in core ATen, by a rule for each operator.

Shapes are those of the examples, and the module is that of `eval()`: nothing is dropped out.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from ..errors import TypeMismatch, here
from ..frontend.function import AnyFn, make
from ..frontend.language.select import constant
from ..frontend.values import to_value
from ..ir.forms import dict_form
from ..ir.types import Tuple, Type, tuple_of
from .aten import RULES
from .operands import array_type

Tree = dict[str, Any]  # of parameters, by the parts of their names


def imported(module: Any, examples: Sequence[Any], parameters: bool) -> AnyFn:
    """What `rose.from_torch` gives."""
    torch: Any = import_module("torch")
    exported = torch.export.export(module.eval(), tuple(examples)).run_decompositions()
    signature, state = exported.graph_signature, {**exported.state_dict, **exported.constants}
    targets = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
    targets |= {**signature.inputs_to_lifted_tensor_constants}
    weights = list(signature.inputs_to_parameters.values())
    nodes = list(exported.graph.nodes)
    given = {n.name: n.meta["val"] for n in nodes if n.name in signature.user_inputs}
    (output,) = [n for n in nodes if n.op == "output"]
    outs = [x.meta["val"] for x in output.args[0]]
    result = [_type(x) for x in outs]

    def body(*args: Any) -> Any:
        env: dict[str, Any] = {}
        if parameters:
            env |= {f"{k}": _part(args[0], k.split(".")) for k in weights}
        inputs = iter(args[1:] if parameters else args)
        known = {name: _constant(state[k]) if k not in env else env[k] for name, k in targets.items()}
        values = {**known, **{name: next(inputs) for name in given}}
        for n in nodes:
            if n.op == "call_function":
                values[n.name] = _applied(n, values)
        made: list[Any] = [to_value(values[x.name], t) for x, t in zip(output.args[0], result, strict=True)]
        return made[0] if len(made) == 1 else tuple(made)

    tree = _tree({k: _type(state[k]) for k in weights})
    types: list[Type] = [*([_struct(tree)] if parameters else []), *[_type(x) for x in given.values()]]
    names: list[str] = [*(["parameters"] if parameters else []), *_names(module, len(given))]
    f = make(
        body, types, result[0] if len(result) == 1 else tuple_of(*result), str(type(module).__name__).lower(), names
    )
    cls: Any = module.__class__
    f.__doc__ = inspect.getdoc(cls) if cls.__module__.partition(".")[0] != "torch" else None
    return f


def weights_of(module: Any) -> Tree:
    """The parameters of a module as arrays of NumPy, in dicts by the parts of their names."""
    return _tree({k: p.detach().cpu().numpy() for k, p in module.named_parameters()})


def _applied(n: Any, values: dict[str, Any]) -> Any:
    """The result of a call of an operator."""
    name = getattr(n.target, "__name__", str(n.target)).partition(".")[0]
    found = RULES.get(name)
    if found is None:
        line = (n.stack_trace or "").strip().splitlines()[-1:]
        what = f"rose.from_torch: {n.target} has no meaning here" + (f", in {line[0].strip()!r}" if line else "")
        raise TypeMismatch(what, here(), "write it with functions that have one")
    read: Callable[[Any], Any] = lambda x: values[x.name] if hasattr(x, "meta") else x
    args: list[Any] = [[read(y) for y in x] if x.__class__.__name__ in ("list", "immutable_list", "tuple") else read(x)
            for x in n.args]  # fmt: skip
    shape = tuple(n.meta["val"].shape) if hasattr(n.meta.get("val"), "shape") else ()
    return found(shape, *args, **{k: read(x) for k, x in n.kwargs.items()})


def _constant(x: Any) -> Any:
    """A tensor that is a part of the program."""
    array = x.detach().cpu().numpy()
    return array.item() if array.ndim == 0 else constant(array_type(array.shape, array.dtype), array.tolist())


def _type(x: Any) -> Type:
    return array_type(tuple(x.shape), np.dtype(str(x.dtype).rpartition(".")[2].replace("bfloat16", "float32")))


def _names(module: Any, count: int) -> list[str]:
    found = [p.name for p in inspect.signature(module.forward).parameters.values() if p.kind in (0, 1)]
    return [found[k] if k < len(found) else f"x{k}" for k in range(count)]


def _tree(leaves: dict[str, Any]) -> Tree:
    """The leaves by the parts of their names: `layers.0.weight` is `{"layers": {"0": {"weight": ...}}}`."""
    made: Tree = {}
    for name, x in leaves.items():
        at, *path = made, *name.split(".")
        for k in path[:-1]:
            at = at.setdefault(k, {})
        at[path[-1]] = x
    return made


def _struct(tree: Tree) -> Type:
    items = [_struct(x) if x.__class__ is dict else x for x in tree.values()]
    return Tuple(tuple(items), dict_form(list(tree)))


def _part(x: Any, path: Sequence[str]) -> Any:
    for k in path:
        x = x[k]
    return x
