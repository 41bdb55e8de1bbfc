"""`@fn` and `@opaque`: the decorators, which choose how a function is traced: as it is, rewritten, or for any size."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import MethodType, NoneType
from typing import Any, overload

from .. import errors
from ..errors import TypeMismatch, edge, here
from ..host.marshal import is_listing
from ..ir import shown
from ..ir.sizes import dims_of
from ..ir.types import Type
from ..ir.value import is_function
from .annotations import as_type
from .any_size import any_size
from .function import AnyFn, Fn, Opaque, P
from .signatures import arity, check_plain, is_method, name_of, types_of, written
from .tracing import R

_NOTHING: Any = object()


@overload
def fn(body: Callable[P, R], /) -> Fn[P, R]: ...
@overload
def fn(types: Sequence[Any], result: Any, /, *, syntax: bool = False) -> Callable[[Callable[..., Any]], AnyFn]: ...
@overload
def fn(*, syntax: bool) -> Callable[[Callable[P, R]], Fn[P, R]]: ...
@edge
def fn(body: Any = _NOTHING, result: Any = None, /, *, syntax: Any = None) -> Any:
    """Make a Python function one that can be traced, differentiated and compiled: `@fn`, with annotations.

    `rose.fn([params], ret)(f)` does the same without annotations.

    The function runs once, when it is first needed. Python data that it reads then (numbers, lists, globals, closures)
    are constants from there on: to change them later has no effect. Whatever changes must be a parameter.

    With `@fn(syntax=True)`, `if`, `while`, `for`, `and`, `or`, `not`, `a < b < c` and `x if c else y` that the
    function itself has in its source may depend on traced values. The functions that it calls stay as they are.
    """
    if not isinstance(syntax, (bool, NoneType)):
        raise TypeMismatch(f"syntax is True or False, not {shown(syntax)}", here(), "write @fn(syntax=True)")
    if syntax is not None and body is _NOTHING:
        return edge(functools.partial(_annotated, syntax=syntax))
    if isinstance(body, Fn) or is_function(body):
        return _annotated(body, bool(syntax))
    if not is_listing(body):
        what = "rose.fn takes a function, or a list of types and a type"
        what = f"{what}: nothing is given" if body is _NOTHING else f"{what}, not {shown(body)}"
        raise TypeMismatch(what, here(), "write @rose.fn without parentheses, or rose.fn([Real, Vec[3]], Real)(f)")
    types, out = [as_type(t) for t in body], as_type(result)

    @edge
    def decorate(f: Callable[..., Any]) -> AnyFn:
        count = arity(f, len(types))
        check_plain(f)
        if count is not None and count != len(types):
            what = (
                f"{name_of(f)} takes {count} parameter{'s' * (count != 1)}, and {len(types)} types are given for them"
            )
            raise TypeMismatch(what, written(f), "give one type for each parameter")
        return _of_sizes(Fn(_rewritten(f, out) if syntax else f, types, out))

    return decorate


def _annotated(body: Any, syntax: bool) -> AnyFn:
    """The `Fn` of a function with annotations."""
    if isinstance(body, Fn) and not syntax:
        return body  # pyright: ignore[reportUnknownVariableType]
    if isinstance(body, Fn):
        hint = "write @fn(syntax=True) once, directly above the `def`"
        raise TypeMismatch(f"{body.name} is an @fn already, made without syntax=True", here(), hint)
    scope = errors.users_frame().f_locals
    if is_method(body):
        from .methods import Method

        return Method(body, functools.partial(_of_object, scope, syntax))  # pyright: ignore[reportReturnType]
    types, result = types_of(body, scope)
    return _of_sizes(Fn(_rewritten(body, result) if syntax else body, types, result))


def _of_object(scope: dict[str, Any], syntax: bool, f: Any, cls: type | None) -> AnyFn:
    """The `Fn` of a method of an object; of a struct class, whose type its first parameter has."""
    own = {} if cls is None else {cls.__name__: cls}
    types, result = types_of(f, {**scope, **own}, cls)
    if syntax:
        obj = getattr(f, "__self__", None)
        f = _rewritten(getattr(f, "__func__", f), result)
        f = f if obj is None else MethodType(f, obj)
    return _of_sizes(Fn(f, types, result))


def _rewritten(f: Any, result: Type) -> Any:
    """The function with its `if`, `while` and `for` as functions of the language."""
    from .syntax.source import rewrite

    return rewrite(f, result)


def _of_sizes(f: AnyFn) -> AnyFn:
    """`f`, as a function of any size if a `rose.dim` is in its types."""
    return any_size(f) if any(map(dims_of, (*f.types, f.result))) else f


@overload
def opaque(body: Callable[P, R], /) -> Opaque[P, R]: ...
@overload
def opaque(*, name: str | None = None, pure: bool = False) -> Callable[[Callable[P, R]], Opaque[P, R]]: ...
@edge
def opaque(body: Any = None, /, *, name: Any = None, pure: bool = False) -> Any:
    """Make a host function callable from traced code, of any signature: `@opaque`.

    It becomes one import of the module, by its `name` (such as "Math.log"). Say `pure=True` if it has no
    effect and gives the same result for the same arguments: then equal calls are shared, and unused ones dropped.
    Its derivative must be given: `@f.jvp`.
    """
    if isinstance(body, str):
        loc = here().narrow(errors.argument(0, "body", 1))
        raise TypeMismatch(f"rose.opaque takes a function, not {shown(body)}", loc, f"write name={body!r}")
    if not isinstance(name, (str, NoneType)):
        raise TypeMismatch(f"the name of an import is a string, not {shown(name)}", here(), 'write name="Math.log"')
    scope = errors.users_frame().f_locals

    @edge
    def decorate(f: Callable[..., Any]) -> Opaque[..., Any]:
        return Opaque(f, *types_of(f, scope), name or f.__name__, pure)

    return decorate if body is None else decorate(body)
