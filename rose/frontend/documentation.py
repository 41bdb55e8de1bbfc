"""Documentation for Python's tools: `__signature__` and `__doc__` of a function, made when they are asked for.

A function that a user wrote has the docstring that was written. One that a transform gave says what it is, and then
what the function is of which it was made: "Gradient of `energy`, in x.", and the docstring of `energy`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, cast

from ..host.marshal import is_listing
from ..host.signature import signature_of

_WHAT = {  # what a transform gives, of a function of this name
    "grad": "Gradient of `{}`",
    "value_and_grad": "Value and gradient of `{}`",
    "jacobian": "Jacobian of `{}`",
    "jacfwd": "Jacobian of `{}` in forward mode",
    "jacrev": "Jacobian of `{}` in reverse mode",
    "value_and_jacobian": "Value and Jacobian of `{}`",
    "jacobianv": "Jacobian of `{}` times the vector v",
    "value_and_jacobianv": "Value of `{}`, and its Jacobian times the vector v",
    "jacobianTv": "Transposed Jacobian of `{}` times the vector v",
    "value_and_jacobianTv": "Value of `{}`, and its transposed Jacobian times the vector v",
    "hessian": "Hessian of `{}`",
    "value_and_hessian": "Value and Hessian of `{}`",
    "gradhessian": "Gradient and Hessian of `{}`",
    "value_and_gradhessian": "Value, gradient and Hessian of `{}`",
    "hvp": "Hessian of `{}` times the vector v",
    "hessianv": "Hessian of `{}` times the vector v",
    "value_and_hessianv": "Value of `{}`, and its Hessian times the vector v",
    "gradhessianv": "Gradient and Hessian of `{}`, each times the vector v",
    "value_and_gradhessianv": "Value of `{}`, and its gradient and Hessian, each times the vector v",
    "laplacian": "Laplacian of `{}`",
    "value_and_laplacian": "Value and Laplacian of `{}`",
    "bilaplacian": "Laplacian of the Laplacian of `{}`",
    "divergence": "Divergence of `{}`",
    "curl": "Curl of `{}`",
    "derivatives": "Mixed partial derivatives of `{}`",
    "directional": "Derivative of `{}` along the vector v",
    "jet": "Derivatives of `{}` along a curve",
    "taylor": "Taylor polynomial of `{}` around a point",
    "jvp": "Derivative of `{}` in forward mode, from Duals to a Dual",
    "vjp": "Derivative of `{}` in reverse mode, at a point",
    "pullback": "Value of `{}`, and its gradients, from the arguments and a cotangent",
    "linearize": "Value of `{}`, and its derivative at a point, a linear function",
    "linear_transpose": "Transpose of `{}`, a linear function",
    "optic": "All stages of reverse mode of `{}`",
    "vmap": "`{}` of each element of arrays",
}


class OfInstances:
    """An attribute that each object of a class computes, and that the class has as `of_class`, or not at all."""

    def __init__(self, read: Callable[[Any], Any], of_class: str | None = None) -> None:
        self._read, self._of_class = read, of_class

    def __set_name__(self, cls: type, name: str) -> None:
        self._name = name

    def __get__(self, x: Any, cls: type | None = None) -> Any:
        if x is not None:
            return self._read(x)
        if self._of_class is None:
            raise AttributeError(self._name)
        return self._of_class


def at_a_point(f: Any) -> inspect.Signature:
    """The signature of `vjp(g)`, say: that of `g`, with the result that the transform says in its own annotation."""
    transform, args, named = f.made_by
    g = args[0] if args else named["f"]
    signature, (_, _, result) = inspect.signature(g), transform.__annotations__["return"].partition(", ")
    if not result:
        return signature
    scope = {**inspect.unwrap(transform).__globals__, "R": getattr(g, "result", Any)}
    return signature.replace(return_annotation=eval(result.removesuffix("]"), scope))


class Documented:
    """A base of functions, which have `name`, `names`, `types` and `result`, their `body`, and `made_by`."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__doc__ = cast("Any", OfInstances(_docstring, cls.__doc__))  # not that of the class for each function

    _public: ClassVar[str] = ""  # the names that a user needs, which completion shows

    def __dir__(self) -> list[str]:
        shown = self._public.split()
        return [k for k in object.__dir__(self) if k.startswith("_") or k in shown]

    __signature__ = OfInstances(
        lambda f: signature_of(f.names, f.types, f.result, _positional_only(f), getattr(f, "defaults", None))
    )


def _docstring(f: Any) -> str | None:
    """The docstring of a function that no user wrote; that of another is an attribute of its own."""
    return own_docstring(f.body) if f.made_by is None else of_transform(*f.made_by)


def _positional_only(f: Any) -> int:
    """The number of parameters that take no name, as the user wrote it."""
    if f.made_by is not None:
        return next((_positional_only(g) for g in f.made_by[1][:1] if isinstance(g, Documented)), 0)
    return getattr(getattr(f.body, "__code__", None), "co_posonlyargcount", 0)


def own_docstring(body: Any) -> str | None:
    """The docstring of a function; None of an object that has only that of its class, as a `partial` has."""
    doc = getattr(body, "__doc__", None)
    return None if doc == type(body).__doc__ else doc


def of_transform(transform: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> str | None:
    """The docstring of what a transform gave: what that is, and the docstring of the function that it was given."""
    f = args[0] if args else named.get("f")
    what, own = transform.__name__, own_docstring(f)
    if what == "sized":  # a function of any size, of one
        return own
    if what.startswith("_") or not (what in _WHAT or isinstance(f, Documented)):
        return None
    name = getattr(f, "name", None) or getattr(f, "__name__", "f")
    line = _WHAT.get(what, f"`{what}` of `{{}}`").format(name) + _parameters(f, transform, args, named)
    if what not in _WHAT and transform.__doc__:
        first, _, _ = inspect.cleandoc(transform.__doc__).partition("\n\n")
        line = f"{line}: {first.removesuffix('.')}"
    if own and "return" in own.lower():  # of the function that was given
        from ..host.docstring import without_result

        own = without_result(own)
    return f"{line}.\n\n{inspect.cleandoc(own)}" if own else f"{line}."


def result_labels(f: Any) -> tuple[Any, ...]:
    """What the items of a result that is a plain tuple are called: pairs of a name, and of names of the items in it.

    Those of a transform are what it gives, and parameters; those of another function are in its docstring.
    """
    if f.made_by is None:
        from ..host.docstring import parsed

        return tuple([(name, ()) for name in parsed(own_docstring(f) or "").results])
    transform, args, named = f.made_by
    what, of = transform.__name__, args[0] if args else named.get("f")
    if what == "sized":
        return result_labels(of)
    words = re.findall("value|gradient|jacobian|hessian|laplacian", _WHAT.get(what, "").lower())
    chosen = inspect.signature(transform).bind(*args, **named).arguments.get("argnums", 0) if words else 0
    which: Any = range(len(of.names)) if what == "pullback" else chosen if is_listing(chosen) else ()
    each = tuple([(of.names[k], ()) for k in which])
    if len(words) > 1:
        return tuple([(word, () if word == "value" else each) for word in words])
    return () if named.get("has_aux") else each


def _parameters(f: Any, transform: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> str:
    """In which parameters a derivative is, if that can be chosen."""
    given = inspect.signature(transform).bind(*args, **named)
    given.apply_defaults()
    if "argnums" not in given.arguments:
        return ""
    k: Any = given.arguments["argnums"]
    which: list[str] = [f.names[j] for j in (k if is_listing(k) else [k])]
    return ", in " + " and ".join(", ".join(which).rsplit(", ", 1))
