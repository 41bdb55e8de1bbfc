"""Derivatives in complex numbers, by the convention of JAX; Jacobians of holomorphic functions, and from or to Reals.

A complex number moves in two directions, so a function of one is differentiated as one of two numbers. Of a function
to a number, `f(x + 1j * y)`, the gradient is `df/dx - 1j * df/dy`; of a tangent the derivative is that of both parts.
A cotangent of a result `u + 1j * v` is the linear form `Re(ct * d(u + 1j * v))`. So what transposes is conjugated on
the way in, and on the way out; passes never see it. Of a function that has a complex derivative, these are that
derivative times the tangent, and times the cotangent: which is what `holomorphic=True` asks for.

A holomorphic function is differentiated along the real parts of its parameter alone, which tell the rest. What a
derivative gives in the place of a complex number of the result, two arrays of numbers, becomes one of complex numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ir
from ..errors import NotDifferentiable, here
from ..frontend.complex.arrays import of_parts
from ..frontend.function import AnyFn, make
from ..frontend.operators import view
from ..frontend.values import to_value
from ..ir import Value
from ..ir.types import Complex, Real, Tuple, Type, Unit, Vec, has_complex, untyped
from ..ir.value import host_index
from .arguments import Argnums, check_holomorphic
from .linear_map import conjugated

Jacobian = Callable[[AnyFn, tuple[int, ...], int, str], AnyFn]  # of a function, to which complex numbers are pairs


def of_complex(
    f: AnyFn, active: tuple[int, ...], argnums: Argnums, what: str, holomorphic: bool, jacobian: Jacobian, name: str
) -> AnyFn:
    """The Jacobian of `f` in one of its parameters, or the tuple of several; `jacobian` makes those of Reals."""
    if holomorphic:
        check_holomorphic(f, active, what)
    else:
        for k in active:
            _check_real(f, k, what)
    types, result = [untyped(t) for t in f.types], untyped(f.result)

    def one(k: int, args: tuple[Any, ...]) -> Value:
        values = [to_value(x, t, (n,)) for x, t, n in zip(args, types, f.names, strict=True)]
        others: Callable[[Any], list[Any]] = lambda x: [*values[:k], x, *values[k + 1 :]]
        if holomorphic:
            t = _moving(types[k])
            moved: Callable[[Any], Any] = lambda dx: f(*map(view, others(view(values[k]) + dx)))
            of = jacobian(make(moved, [t], f.result, f.name, [f.names[k]]), (0,), 0, what)
            return _joined(of(ir.current_builder().zero(t)), result, types[k])
        alone: Callable[[Any], Any] = lambda x: f(*map(view, others(x)))
        of = jacobian(make(alone, [types[k]], f.result, f.name, [f.names[k]]), (0,), 0, what)
        j = to_value(of(view(values[k])), of.result)
        return conjugated(j) if has_complex(types[k]) else _joined(view(j), result, types[k])

    def body(*args: Any) -> Any:
        parts = [one(k, args) for k in active]
        return view(parts[0]) if host_index(argnums) is not None else ir.current_builder().tuple(parts)

    kinds = [_matrix(result, types[k]) for k in active]
    whole = kinds[0] if host_index(argnums) is not None else Tuple(tuple(kinds), None)
    return make(body, types, whole, name, f.names)


def _check_real(f: AnyFn, k: int, what: str) -> None:
    """Check that a function does not go from complex numbers to complex numbers."""
    if has_complex(untyped(f.types[k])) and has_complex(untyped(f.result)):
        message = f"rose.{what}: {f.name} goes from complex numbers to complex numbers"
        hint = "write holomorphic=True if it has a complex derivative; rose.jvp and rose.vjp take any function"
        raise NotDifferentiable(message, here(), hint)


def _moving(t: Type) -> Type:
    """The type of the real parts of an array of complex numbers."""
    return Vec(t.size, _moving(t.elem)) if isinstance(t, Vec) else Real


def _complex_of(t: Type) -> Type:
    """An array of Reals, or of complex numbers, as one of complex numbers."""
    return Vec(t.size, _complex_of(t.elem)) if isinstance(t, Vec) else Complex


def _matrix(result: Type, columns: Type) -> Type:
    """The type of a Jacobian: that of the result, with that of the parameter in the place of each number."""
    if result is Complex:
        return _complex_of(columns)
    if isinstance(result, Vec):
        return Vec(result.size, _matrix(result.elem, columns))
    if isinstance(result, Tuple):
        return result.of(tuple([_matrix(t, columns) for t in result.items]))
    return columns if result is Real else Unit


def _joined(j: Any, result: Type, columns: Type) -> Value:
    """A Jacobian with complex numbers in the place of the pairs of numbers that it has for each of the result."""
    b = ir.current_builder()
    if not isinstance(j, Value):
        j = b.tuple([to_value(x, _pair_type(columns)) for x in j]) if result is Complex else j
    if result is Complex:
        return of_parts(b.get(j, 0), b.get(j, 1))
    if isinstance(result, Vec):
        rows: Value = j
        return b.vec(result.size, lambda i: _joined(b.index(rows, i), result.elem, columns))
    return j


def _pair_type(columns: Type) -> Type:
    return _moving(columns) if has_complex(columns) else columns
